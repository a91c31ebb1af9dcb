//! As much grammar as a few rules can be honest about: who a clause is about, whether it denies, tells of the past, or asks.

/// A clause: its words, and what they are about.
#[derive(Debug)]
pub(super) struct Clause<'a> {
    pub(super) words: Vec<&'a str>,
    /// Whether its sentence asks something, and is no request.
    pub(super) asks: bool,
}

/// Words that deny what follows them.
#[rustfmt::skip]
const DENIES: &[&str] = &[
    "not", "no", "never", "don't", "dont", "won't", "isn't", "aren't", "ain't", "doesn't", "can't", "cannot",
    "shouldn't", "wouldn't", "without", "neither", "nor", "haven't", "hasn't", "wasn't", "longer", "instead",
];

/// Somebody else, whoever they are to the athlete.
#[rustfmt::skip]
const OTHERS: &[&str] = &[
    "wife", "husband", "partner", "son", "daughter", "kid", "kids", "child", "children", "baby", "mother",
    "father", "mum", "mom", "dad", "parents", "brother", "sister", "friend", "friends", "boyfriend",
    "girlfriend", "boss", "colleague", "coach", "dog", "cat", "family", "everyone", "everybody", "somebody",
    "someone", "he", "he's", "she", "she's", "they", "they're", "his", "her", "their", "neighbour", "roommate",
    "teammate",
];

const SELF: &[&str] = &["i", "i'm", "im", "i've", "me", "myself"];

/// Words of what is over.
const PAST: &[&str] = &["was", "were", "had", "used", "ago", "recovered", "gone", "over"];

/// With these before it, a question mark ends a request: `can you skip tomorrow?`
const REQUESTS: &[&str] = &["can you", "could you", "would you", "will you", "please"];

/// How a question begins when nobody writes its mark.
const QUESTIONS: &[&str] = &[
    "should", "shall", "can", "could", "may", "might", "would", "is", "are", "am", "do", "does", "did",
    "why", "what", "how", "when", "whether",
];

/// The clauses of a text in small letters.
pub(super) fn clauses(lower: &str) -> Vec<Clause<'_>> {
    let sentences = lower.split_inclusive(['?', '!', '\n', ';']).flat_map(|part| part.split_inclusive(". "));
    sentences
        .flat_map(|sentence| {
            let asks = is_question(sentence);
            let parts = sentence.split([',', ';', '\n']).flat_map(|part| part.split(" but "));
            parts.flat_map(|part| part.split(" and ")).map(move |part| Clause { words: words(part), asks })
        })
        .filter(|clause| !clause.words.is_empty())
        .collect()
}

/// The words of a text.
pub(super) fn words(text: &str) -> Vec<&str> {
    // `11/19` is one word, and `ill/tired` is two.
    let of_a_date = |c: char| c == '/' || c.is_ascii_digit();
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '-' | ':' | '.' | '/'))
        .flat_map(|part| part.split(move |c: char| c == '/' && !part.chars().all(of_a_date)))
        .map(|word| word.trim_matches(['.', ':', '-']))
        .filter(|word| !word.is_empty())
        .collect()
}

fn is_question(sentence: &str) -> bool {
    let request = REQUESTS.iter().any(|phrase| sentence.contains(phrase));
    let begins = words(sentence).first().is_some_and(|word| QUESTIONS.contains(word));
    let wonders =
        sentence.contains("should i") || sentence.contains("shall i") || sentence.contains("i wonder");
    !request && (sentence.trim_end().ends_with('?') || begins || wonders)
}

/// Whether a word denies what follows it.
pub(super) fn denies(word: &str) -> bool {
    DENIES.contains(&word)
}

impl Clause<'_> {
    /// Where the first of these words stands.
    pub(super) fn find(&self, any: &[&str]) -> Option<usize> {
        self.words.iter().position(|word| any.contains(word))
    }

    /// Whether what stands at a place is denied.
    pub(super) fn denies(&self, at: usize) -> bool {
        self.words.iter().take(at).any(|word| denies(word))
    }

    /// Whether it is about somebody else and not about the athlete. `My calf hurts` is about the athlete.
    pub(super) fn is_about_others(&self, at: usize) -> bool {
        let before = &self.words[..at.min(self.words.len())];
        before.iter().any(|word| OTHERS.contains(&word.trim_end_matches("'s")) || OTHERS.contains(word))
            && !before.iter().any(|word| SELF.contains(word))
    }

    /// Whether it tells of something that is over. What has been so since a day still is.
    pub(super) fn is_past(&self) -> bool {
        let has = |any: &[&str]| self.words.iter().any(|word| any.contains(word));
        let last = self.words.windows(2).any(|two| {
            two[0] == "last"
                && matches!(
                    two[1],
                    "week" | "month" | "year" | "time" | "summer" | "winter" | "spring" | "autumn"
                )
        });
        (has(PAST) || last) && !has(&["since", "still", "today", "now"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_told_from_a_request() {
        for asks in
            ["should i skip tomorrow?", "can i skip tomorrow", "is it wise to skip?", "maybe i should skip?"]
        {
            assert!(is_question(asks), "{asks}");
        }
        for request in
            ["skip tomorrow.", "can you skip tomorrow?", "could you make it easier?", "please skip it?"]
        {
            assert!(!is_question(request), "{request}");
        }
    }

    #[test]
    fn clauses_are_read_one_by_one() {
        let all = clauses("my wife is ill, but i am not. skip tomorrow");
        let told: Vec<String> = all.iter().map(|clause| clause.words.join(" ")).collect();
        assert_eq!(told, ["my wife is ill", "i am not", "skip tomorrow"]);
        assert!(all[0].is_about_others(3) && !all[1].is_about_others(2));
        assert!(clauses("").is_empty() && clauses("?!,;").is_empty());
    }
}
