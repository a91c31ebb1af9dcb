//! Splits a prompt into sentences and finds phrases in them.

use std::ops::Range;

/// A word of a prompt, in small letters, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) range: Range<usize>,
    /// Whether a clause begins with it.
    pub(super) begins: bool,
    /// Whether a semicolon stands before it.
    pub(super) parted: bool,
}

/// A sentence: its words, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) words: Vec<Word>,
    pub(super) range: Range<usize>,
}

/// Lists under a heading: `METRICS:`, then `- token` lines, or tokens behind it on its own line.
pub(super) const HEADINGS: [&str; 3] = ["METRICS", "TONES", "TOOLS"];

/// What a line lists behind a heading; `None` where it is no heading.
fn after_heading<'a>(line: &'a str, heading: &str) -> Option<&'a str> {
    let bare = line.trim().trim_matches(['#', '*', ' ']);
    let rest = bare.strip_prefix(heading)?.trim_start_matches('*');
    rest.strip_prefix(':').map(|rest| rest.trim_matches(['*', ' ']))
}

/// What a line of a list holds. A model reads every kind of bullet alike.
fn list_entry(line: &str) -> Option<&str> {
    line.trim().strip_prefix(['-', '*', '•', '+', '–']).map(str::trim)
}

/// The tokens that a prompt lists under a heading. An empty line does not end a list; a model reads
/// on.
pub(super) fn list_tokens(prompt: &str, heading: &str) -> Vec<String> {
    let mut lines = prompt.lines();
    let mut tokens = Vec::new();
    while let Some(line) = lines.next() {
        let Some(here) = after_heading(line, heading) else { continue };
        let below =
            lines.clone().map_while(|line| if line.trim().is_empty() { Some("") } else { list_entry(line) });
        let here = here.split([',', ';', '/']).flat_map(|part| part.split(" and "));
        let clean = |token: &str| token.trim().trim_matches(['`', '.', '"']).to_owned();
        tokens.extend(here.chain(below).map(clean).filter(|token| !token.is_empty()));
    }
    tokens.sort();
    tokens.dedup();
    tokens
}

/// The prompt with blanks in the place of its comments, and the comments. What is commented out is
/// no rule any more.
pub(super) fn without_comments(prompt: &str) -> (String, Vec<Range<usize>>) {
    const BEGIN: &str = "<!--";
    const END: &str = "-->";
    let mut comments = Vec::new();
    let mut at = 0;
    while let Some(from) = prompt.get(at..).and_then(|rest| rest.find(BEGIN)).map(|from| at + from) {
        let rest = prompt.get(from..).unwrap_or_default();
        let to = rest.find(END).map_or(prompt.len(), |length| from + length + END.len());
        comments.push(from..to);
        at = to;
    }
    let blank = |(at, c): (usize, char)| {
        let hidden = comments.iter().any(|comment| comment.contains(&at));
        // Line by line and byte by byte, so that everything else stays where it is.
        if hidden && c != '\n' { " ".repeat(c.len_utf8()) } else { c.to_string() }
    };
    (prompt.char_indices().map(blank).collect(), comments)
}

/// Whether a place of a prompt is within quotation marks, or on a line that quotes.
pub(super) fn is_quoted(prompt: &str, at: usize) -> bool {
    let before = prompt.get(..at).unwrap_or_default();
    let paragraph = before.rfind("\n\n").map_or(before, |start| &before[start..]);
    let count = |mark: char| paragraph.matches(mark).count();
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
    count('"') % 2 == 1 || count('“') > count('”') || count('«') > count('»') || line.starts_with('>')
}

/// The sentences of a prompt, without its lists. A line break within a sentence is a blank; an
/// empty line ends it.
pub(super) fn sentences(prompt: &str) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let mut start = None;
    let mut in_a_list = false;
    let mut at = 0;
    for line in prompt.split_inclusive('\n') {
        let bare = line.trim();
        let heading = HEADINGS.iter().any(|heading| after_heading(bare, heading).is_some());
        in_a_list = heading || (in_a_list && (bare.is_empty() || list_entry(bare).is_some()));
        if in_a_list || bare.is_empty() {
            push_sentence(prompt, &mut start, at, &mut sentences);
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
                    push_sentence(prompt, &mut start, here, &mut sentences);
                }
            }
        }
        at += line.len();
    }
    push_sentence(prompt, &mut start, at, &mut sentences);
    sentences
}

fn push_sentence(prompt: &str, start: &mut Option<usize>, end: usize, sentences: &mut Vec<Sentence>) {
    let Some(from) = start.take() else { return };
    let at = from..end;
    let words = words(prompt.get(at.clone()).unwrap_or_default(), from);
    if !words.is_empty() {
        sentences.push(Sentence { words, range: at });
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
            words.push(Word { text, range: at..at + end, begins, parted });
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

/// Where a pattern stands in words: alternatives are parted by `|`, `..` is up to five words of any
/// kind.
pub(super) fn find_pattern(words: &[Word], pattern: &str) -> Option<Range<usize>> {
    let parts: Vec<&str> = pattern.split(' ').collect();
    (0..words.len()).find_map(|at| Some(at..match_end(words, at, &parts)?))
}

fn match_end(words: &[Word], at: usize, parts: &[&str]) -> Option<usize> {
    let Some((part, rest)) = parts.split_first() else { return Some(at) };
    if *part == ".." {
        return (0..=5).find_map(|skipped| match_end(words, at + skipped, rest));
    }
    let word = words.get(at)?;
    part.split('|').any(|one| one == word.text).then(|| match_end(words, at + 1, rest))?
}

/// Whether words that begin with these stems follow each other: `not appl` is in `does not apply`.
fn has_stems(words: &[Word], stems: &str) -> bool {
    (0..words.len()).any(|at| starts_with_stems(&words[at..], stems))
}

/// The words on one line, each between blanks: looking for many phrases in it is quick.
fn join_words(words: &[Word]) -> String {
    words.iter().fold(" ".to_owned(), |line, word| line + &word.text + " ")
}

/// Whether any of these stems are among the words, as [`has`] says.
pub(super) fn has_any_stems(words: &[Word], all: &[&str]) -> bool {
    let line = join_words(words);
    let first = |stems: &str| stems.split(' ').next().unwrap_or_default().to_owned();
    all.iter().any(|stems| line.contains(&first(stems)) && has_stems(words, stems))
}

/// Whether any of these phrases is among the words, as whole words.
pub(super) fn has_any_phrase(words: &[Word], all: &[&str]) -> bool {
    let line = join_words(words);
    let whole =
        |(at, phrase): (usize, &str)| line[..at].ends_with(' ') && line[at + phrase.len()..].starts_with(' ');
    all.iter().any(|phrase| line.match_indices(phrase).any(whole))
}

/// Whether words begin with these stems.
pub(super) fn starts_with_stems(words: &[Word], stems: &str) -> bool {
    let mut rest = words.iter();
    stems.split(' ').all(|stem| rest.next().is_some_and(|word| word.text.starts_with(stem)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_sentences_and_lists() {
        let prompt = "You are\na coach. Never guess; say so!\n\nMETRICS:\n- sleep\n- recovery\n- sleep\n\nNotes:\n{user_notes}";
        let told: Vec<&str> =
            sentences(prompt).iter().map(|sentence| &prompt[sentence.range.clone()]).collect();
        assert_eq!(told, ["You are\na coach", "Never guess; say so", "Notes:\n{user_notes}"]);
        assert_eq!(list_tokens(prompt, "METRICS"), ["recovery", "sleep"]);
        assert_eq!(list_tokens(prompt, "TONES"), Vec::<String>::new());
        let words = &sentences(prompt)[1].words;
        let begins: Vec<&str> =
            words.iter().filter(|word| word.begins).map(|word| word.text.as_str()).collect();
        assert_eq!(begins, ["never", "say"]);
        assert!(
            find_pattern(words, "never|not guess .. so").is_some()
                && find_pattern(words, "guess never").is_none()
        );
        assert!(
            has_any_stems(words, &["nev gue"])
                && !has_any_phrase(words, &["nev gue"])
                && has_any_phrase(words, &["say so"])
        );
        assert_eq!(sentences(""), []);
    }

    #[test]
    fn a_list_is_read_as_a_model_reads_it() {
        for prompt in [
            "METRICS:\n\n- sleep\n- moonphase\n",
            "METRICS:\n- sleep\n\n- moonphase\n\nTONES:\n- direct",
            "METRICS:\n- sleep\n* moonphase",
            "METRICS: sleep, moonphase\n",
            "METRICS: sleep and moonphase.",
            "**METRICS:**\n• sleep\n+ `moonphase`",
            "## METRICS:\n- sleep\n- moonphase\nThat is all.\n- other",
        ] {
            assert_eq!(list_tokens(prompt, "METRICS"), ["moonphase", "sleep"], "{prompt}");
        }
        assert_eq!(sentences("METRICS:\n\n- a\n\n- b\n\nWrite.").len(), 1);
    }

    #[test]
    fn comments_and_quotes_are_recognised() {
        let (bare, comments) = without_comments("A <!-- ü\nB --> C <!-- D");
        assert_eq!(bare, "A        \n      C       ");
        assert_eq!(comments.len(), 2);
        let prompt = "It said: \"Never. Guess\" once.\n> Never\n\nNever";
        let places: Vec<bool> =
            prompt.match_indices(['N', 'G', 'o']).map(|(at, _)| is_quoted(prompt, at)).collect();
        assert_eq!(places, [true, true, false, true, false]);
    }
}
