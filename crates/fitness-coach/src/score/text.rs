//! A prompt as sentences, and phrases in them.

use std::ops::Range;

/// A word of a prompt, in small letters, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) at: Range<usize>,
    /// Whether a clause begins with it.
    pub(super) begins: bool,
    /// Whether a semicolon stands before it.
    pub(super) parted: bool,
}

/// A sentence: its words, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) words: Vec<Word>,
    pub(super) at: Range<usize>,
}

/// Lists under a heading: `METRICS:` on a line of its own, then `- token` lines.
pub(super) const HEADINGS: [&str; 3] = ["METRICS", "TONES", "TOOLS"];

/// The tokens that a prompt lists under a heading.
pub(super) fn listed(prompt: &str, heading: &str) -> Vec<String> {
    let mut lines = prompt.lines();
    let mut tokens = Vec::new();
    while let Some(line) = lines.next() {
        if line.trim() != format!("{heading}:") {
            continue;
        }
        let entries = lines.clone().map_while(|line| line.trim().strip_prefix('-').map(str::trim));
        tokens.extend(entries.filter(|token| !token.is_empty()).map(str::to_owned));
    }
    tokens.sort();
    tokens.dedup();
    tokens
}

/// The sentences of a prompt, without its lists. A line break within a sentence is a blank; an empty line ends it.
pub(super) fn sentences(prompt: &str) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let mut start = None;
    let mut in_a_list = false;
    let mut at = 0;
    for line in prompt.split_inclusive('\n') {
        let bare = line.trim();
        let heading = HEADINGS.iter().any(|heading| bare == format!("{heading}:"));
        in_a_list = heading || (in_a_list && bare.starts_with('-'));
        if in_a_list || bare.is_empty() {
            close(prompt, &mut start, at, &mut sentences);
        } else {
            let mut chars = line.char_indices().peekable();
            while let Some((offset, c)) = chars.next() {
                let here = at + offset;
                if start.is_none() && !c.is_whitespace() {
                    start = Some(here);
                }
                let ends =
                    chars.peek().is_none_or(|(_, next)| next.is_whitespace() || "\"”’)".contains(*next));
                if matches!(c, '.' | '!' | '?') && ends {
                    close(prompt, &mut start, here, &mut sentences);
                }
            }
        }
        at += line.len();
    }
    close(prompt, &mut start, at, &mut sentences);
    sentences
}

fn close(prompt: &str, start: &mut Option<usize>, end: usize, sentences: &mut Vec<Sentence>) {
    let Some(from) = start.take() else { return };
    let at = from..end;
    let words = words(prompt.get(at.clone()).unwrap_or_default(), from);
    if !words.is_empty() {
        sentences.push(Sentence { words, at });
    }
}

fn words(text: &str, from: usize) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let (mut begins, mut pause, mut parted) = (true, false, false);
    let mut rest = text;
    let mut at = from;
    while let Some(c) = rest.chars().next() {
        if c.is_alphanumeric() {
            let end = rest
                .find(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’' | '_'))
                .unwrap_or(rest.len());
            let text = rest[..end].to_lowercase().replace('’', "'").trim_end_matches('\'').to_owned();
            // A comma alone begins nothing: what stands before it may be a condition.
            begins |= parted || (pause && ["and", "then"].contains(&text.as_str()));
            words.push(Word { text, at: at..at + end, begins, parted });
            (begins, pause, parted) = (false, false, false);
            rest = &rest[end..];
            at += end;
        } else {
            pause |= c == ',';
            parted |= c == ';';
            rest = &rest[c.len_utf8()..];
            at += c.len_utf8();
        }
    }
    words
}

/// Where a pattern stands in words: alternatives are parted by `|`, `..` is up to five words of any kind.
pub(super) fn find(words: &[Word], pattern: &str) -> Option<Range<usize>> {
    let parts: Vec<&str> = pattern.split(' ').collect();
    (0..words.len()).find_map(|at| Some(at..ends(words, at, &parts)?))
}

fn ends(words: &[Word], at: usize, parts: &[&str]) -> Option<usize> {
    let Some((part, rest)) = parts.split_first() else { return Some(at) };
    if *part == ".." {
        return (0..=5).find_map(|skipped| ends(words, at + skipped, rest));
    }
    let word = words.get(at)?;
    part.split('|').any(|one| one == word.text).then(|| ends(words, at + 1, rest))?
}

/// Whether words that begin with these stems follow each other: `not appl` is in `does not apply`.
pub(super) fn has(words: &[Word], stems: &str) -> bool {
    let stems: Vec<&str> = stems.split(' ').collect();
    words
        .windows(stems.len())
        .any(|window| window.iter().zip(&stems).all(|(word, stem)| word.text.starts_with(stem)))
}

/// Whether these very words follow each other.
pub(super) fn says(words: &[Word], phrase: &str) -> bool {
    let phrase: Vec<&str> = phrase.split(' ').collect();
    words
        .windows(phrase.len())
        .any(|window| window.iter().zip(&phrase).all(|(word, said)| word.text == *said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_sentences_and_lists() {
        let prompt = "You are\na coach. Never guess; say so!\n\nMETRICS:\n- sleep\n- recovery\n- sleep\n\nNotes:\n{user_notes}";
        let told: Vec<&str> = sentences(prompt).iter().map(|sentence| &prompt[sentence.at.clone()]).collect();
        assert_eq!(told, ["You are\na coach", "Never guess; say so", "Notes:\n{user_notes}"]);
        assert_eq!(listed(prompt, "METRICS"), ["recovery", "sleep"]);
        assert_eq!(listed(prompt, "TONES"), Vec::<String>::new());
        let words = &sentences(prompt)[1].words;
        let begins: Vec<&str> =
            words.iter().filter(|word| word.begins).map(|word| word.text.as_str()).collect();
        assert_eq!(begins, ["never", "say"]);
        assert!(find(words, "never|not guess .. so").is_some() && find(words, "guess never").is_none());
        assert!(has(words, "nev gue") && !says(words, "nev gue") && says(words, "say so"));
        assert_eq!(sentences(""), []);
    }
}
