//! A prompt is code that no compiler reads, so it is scored against what it feeds.
//!
//! [`score`] holds a prompt against the enums of the brief, the tools there are, and the [`Rule`]s it must carry. It is not
//! content with a word being there: a rule counts where a sentence says it, plainly, before the athlete's notes, and where no
//! other sentence takes it back. Every failure is one `FAIL:` line.

mod rules;
#[cfg(test)]
mod tests;
mod text;

pub use rules::{Evidence, Rule};

use crate::prompt::{MARKER, Prompt, PromptName, Registry, registered};
use fitness_core::contract::brief::{Metric, Tone};
use fitness_core::facts::FactName;
use fitness_core::plan::ActionKind;
use std::fmt;
use std::ops::Range;
use text::{Sentence, Word, has, listed, says, sentences};

/// What a prompt is held against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known<'a> {
    /// The metrics a brief may report.
    pub metrics: Vec<&'a str>,
    /// The tones it may have.
    pub tones: Vec<&'a str>,
    /// The tools there are.
    pub tools: Vec<&'a str>,
    /// What only a human does; no tool is called so.
    pub human_verbs: Vec<&'a str>,
    /// The facts there are.
    pub facts: Vec<&'a str>,
    /// The rules it must carry.
    pub rules: Vec<Rule>,
    /// Whether it has to list metrics and tones.
    pub lists: bool,
}

impl<'a> Known<'a> {
    /// What holds for one of our prompts, or for any other one.
    #[must_use]
    pub fn of(name: Option<PromptName>, tools: &[&'a str]) -> Self {
        Self {
            metrics: Metric::ALL.iter().map(|metric| metric.as_str()).collect(),
            tones: Tone::ALL.iter().map(|tone| tone.as_str()).collect(),
            tools: tools.to_vec(),
            human_verbs: ActionKind::ALL.iter().map(|action| action.as_str()).collect(),
            facts: FactName::ALL.iter().map(|fact| fact.as_str()).collect(),
            rules: Rule::needed(name),
            lists: name == Some(PromptName::Brief),
        }
    }
}

/// Something that is wrong with a prompt. It prints as one line: `FAIL: …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    message: String,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// What is wrong, without the `FAIL:`.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FAIL: {}", self.message)
    }
}

/// Everything that is wrong with a prompt; empty when it is in step with what it feeds.
#[must_use]
pub fn score(prompt: &str, against: &Known<'_>) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut fail = |message: String| failures.push(Failure::new(message));
    for (heading, allowed) in [("METRICS", &against.metrics), ("TONES", &against.tones)] {
        let listed = listed(prompt, heading);
        let drift: Vec<&String> = listed.iter().filter(|token| !allowed.contains(&token.as_str())).collect();
        let what = heading.to_lowercase();
        if !drift.is_empty() {
            fail(format!("prompt advertises non-schema {what}: {}", quoted_list(&drift)));
        }
        if against.lists && listed.is_empty() {
            fail(format!("prompt advertises no {what}"));
        }
    }
    let sentences = sentences(prompt);
    let notes = prompt.find(NOTES);
    for rule in &against.rules {
        if let Some(message) = broken(*rule, prompt, &sentences, notes) {
            fail(message);
        }
    }
    match prompt.matches(NOTES).count() {
        0 => fail("prompt no longer wires in saved user notes".to_owned()),
        1 => {}
        _ => fail("prompt wires in saved user notes more than once".to_owned()),
    }
    for sentence in &sentences {
        if TAKEN_BACK.iter().any(|stems| has(&sentence.words, stems)) {
            fail(format!("prompt takes its rules back: `{}`", line(prompt, sentence.at.clone())));
        }
    }
    names(prompt, against).into_iter().for_each(&mut fail);
    cached(prompt).into_iter().for_each(&mut fail);
    failures
}

/// Everything that is wrong with the prompts this program was built with, each held against what `known` says there is, and
/// with their register.
#[must_use]
pub fn score_ours<'a>(known: impl Fn(PromptName) -> Known<'a>) -> Vec<Failure> {
    let of = |name: PromptName| score(Prompt::current(name).text, &known(name));
    Registry::BUILT
        .score(&registered())
        .into_iter()
        .chain(PromptName::ALL.iter().copied().flat_map(of))
        .collect()
}

/// Where the athlete's notes go.
const NOTES: &str = "{user_notes}";

/// Words of a sentence that takes back what others say. Stems, so that every form of a word is one.
#[rustfmt::skip]
const TAKEN_BACK: &[&str] = &[
    "ignore the", "ignore th", "ignore any", "ignore all", "ignore rule", "ignore every", "ignore what",
    "disregard", "not appl", "no longer appl", "only appl", "not binding", "not strict", "overrid",
    "supersede", "forget the", "forget what", "forget every", "this rule", "that rule", "rule above",
    "rules above", "above rule", "rules are", "rule is", "rules do not", "rules need", "rules can",
    "rules may", "break the rule", "bend the rule", "exception", "only a suggestion", "just a suggestion",
    "suggestions only", "mere suggestion", "guideline", "rule of thumb",
];

/// Words that make a wish of a rule. A rule's own sentence has none of them.
#[rustfmt::skip]
const WEAK: &[&str] = &[
    "try to", "try", "if possible", "when possible", "where possible", "wherever possible", "if you can",
    "when you can", "ideally", "preferably", "usually", "generally", "normally", "typically", "mostly",
    "mainly", "often", "sometimes", "occasionally", "unless", "except", "optional", "optionally", "may",
    "might", "could", "can", "should", "would", "feel free", "feel like", "need not", "needn't", "no need",
    "not need", "don't need", "not necessary", "unnecessary", "convenient", "as far as", "as much as",
    "within reason", "reasonable", "reasonably", "if you like", "as you like", "if you wish",
    "when you like", "discretion", "your call", "in most cases", "most of the time", "aim to", "attempt",
    "consider", "nice", "not required", "not have to", "don't have to", "too much", "too many", "too often",
    "at times", "as needed", "if needed", "when needed", "if necessary", "when it helps", "if it helps",
    "is fine", "are fine", "is okay", "is ok", "acceptable", "allowed", "rarely", "seldom", "hardly",
    "largely", "roughly", "somewhat", "a bit", "a little", "by default", "default", "used to", "no longer",
    "previously", "earlier", "formerly", "worry about", "bother", "matter", "important", "prefer", "hope",
    "want", "like to", "until", "but", "however", "though", "although", "yet", "weekend", "weekends",
    "some", "few digits", "perhaps", "maybe", "probably", "almost", "nearly", "practically", "when asked",
    "if asked", "on request", "do not", "don't", "avoid", "stop", "refrain", "not",
];

/// Words that permit what a rule forbids, or the other way round.
#[rustfmt::skip]
const OPPOSED: &[&str] = &[
    "may", "can", "could", "might", "free to", "fine", "okay", "ok", "allowed", "acceptable", "welcome",
    "sometimes", "optional", "need not", "no need", "needn't", "not need", "don't need", "don't have to",
    "ignore", "drop", "skip", "unless", "always", "hide", "leave out", "left for", "do not mention",
    "don't mention", "gloss over", "do not translate", "don't translate", "yourself", "raw", "don't ask",
    "do not ask", "instead of asking", "without asking", "fill in", "on your own", "prefer",
];

/// What may stand before a rule in its clause.
const LEAD: &[&str] = &["and", "also", "then", "always", "you", "must", "so"];

/// What is wrong with how a prompt says a rule.
fn broken(rule: Rule, prompt: &str, sentences: &[Sentence], notes: Option<usize>) -> Option<String> {
    let mut weakened = None;
    let mut said = None;
    for sentence in sentences {
        let Some(found) = text::find(&sentence.words, rule.said()) else { continue };
        let late = notes.is_some_and(|notes| sentence.at.start > notes);
        if late || !is_plain(rule, &sentence.words, found.clone()) {
            weakened.get_or_insert((late, sentence));
        } else {
            said.get_or_insert(sentence);
        }
    }
    let told = |sentence: &Sentence| line(prompt, sentence.at.clone());
    let Some(said) = said else {
        return Some(match weakened {
            Some((true, sentence)) => {
                format!("{}: it stands after the athlete's notes: `{}`", rule.dropped(), told(sentence))
            }
            Some((false, sentence)) => format!("{}: it is weakened: `{}`", rule.dropped(), told(sentence)),
            None => rule.dropped().to_owned(),
        });
    };
    let against = sentences.iter().find(|sentence| *sentence != said && opposes(rule, &sentence.words));
    let against = against.or(weakened.map(|(_, sentence)| sentence));
    against.map(|sentence| format!("prompt contradicts its {} rule: `{}`", rule.id(), told(sentence)))
}

/// Whether a rule is said as such: at the beginning of a clause, with nothing in the clause that is not the rule's, and with
/// nothing in its sentence that makes a wish of it.
fn is_plain(rule: Rule, words: &[Word], found: Range<usize>) -> bool {
    let begin = words[..=found.start].iter().rposition(|word| word.begins).unwrap_or(0);
    let lead = words[begin..found.start].iter().all(|word| LEAD.contains(&word.text.as_str()));
    let own = |word: &Word| {
        let mut said = rule.said().split([' ', '|']).chain(rule.also().split(' '));
        said.any(|own| own == word.text)
    };
    // The clause goes on to the next semicolon.
    let clause = words[found.start..].iter().enumerate().take_while(|(at, word)| *at == 0 || !word.parted);
    let alone = clause.into_iter().all(|(_, word)| own(word));
    lead && alone && !WEAK.iter().any(|weak| says(words, weak))
}

fn opposes(rule: Rule, words: &[Word]) -> bool {
    if !rule.topics().iter().any(|topic| has(words, topic)) {
        return false;
    }
    let forbids = ["never", "not", "no", "without", "don't"].iter().any(|word| says(words, word));
    OPPOSED.iter().any(|word| says(words, word)) || (rule.is_strict() && !forbids)
}

/// Tools, facts and verbs that a prompt names and that are not there.
fn names(prompt: &str, against: &Known<'_>) -> Vec<String> {
    let mut failures = Vec::new();
    let mut tools: Vec<String> = listed(prompt, "TOOLS");
    let mut facts = Vec::new();
    let mut ticked = Vec::new();
    for (word, before, after) in identifiers(prompt) {
        if before.ends_with("{{") {
            facts.push(word);
        } else if before.ends_with('{') && after.starts_with('}') {
            // A placeholder.
        } else if word.contains('_') {
            tools.push(word);
        } else if before.ends_with('`') || after.starts_with('(') || called(before) {
            ticked.push(word);
        }
    }
    let is_human = |word: &&String| {
        let whole = against.human_verbs.contains(&word.as_str());
        whole || word.split('_').any(|part| against.human_verbs.contains(&part))
    };
    let human = sorted(tools.iter().chain(&ticked).filter(is_human));
    if !human.is_empty() {
        failures.push(format!("prompt names what only a human does as a tool: {}", quoted_list(&human)));
    }
    let exists = |word: &&String| {
        [&against.tools, &against.metrics, &against.tones, &against.facts]
            .iter()
            .any(|known| known.contains(&word.as_str()))
    };
    let in_the_list = listed(prompt, "TOOLS");
    let listed_as_tool =
        |word: &&String| in_the_list.contains(word) && !against.tools.contains(&word.as_str());
    let strange =
        sorted(tools.iter().filter(|word| !is_human(word) && (!exists(word) || listed_as_tool(word))));
    if !strange.is_empty() {
        failures.push(format!("prompt names tools that do not exist: {}", quoted_list(&strange)));
    }
    let strange = sorted(facts.iter().filter(|word| !against.facts.contains(&word.as_str())));
    if !strange.is_empty() {
        failures.push(format!("prompt shows facts that do not exist: {}", quoted_list(&strange)));
    }
    failures
}

/// Whether what stands before a word tells a model to call it.
fn called(before: &str) -> bool {
    let last = before.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    before.ends_with(' ') && ["call", "calling", "invoke"].contains(&last.to_lowercase().as_str())
}

/// Every word of letters, digits and underscores, with what stands before and after it.
fn identifiers(prompt: &str) -> Vec<(String, &str, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = prompt[at..].find(is_part).map(|offset| at + offset) {
        let end = prompt[start..].find(|c| !is_part(c)).map_or(prompt.len(), |length| start + length);
        found.push((prompt[start..end].to_lowercase(), &prompt[..start], &prompt[end..]));
        at = end;
    }
    found
}

/// What changes from day to day and stands in the part that is kept in a cache.
fn cached(prompt: &str) -> Vec<String> {
    let (prefix, marked) = match prompt.split_once(MARKER) {
        Some((prefix, _)) => (prefix, true),
        None => (prompt.split(NOTES).next().unwrap_or(prompt), false),
    };
    let mut failures = Vec::new();
    for (word, before, after) in identifiers(prefix) {
        let placeholder = before.ends_with('{') && !before.ends_with("{{") && after.starts_with('}');
        if placeholder && marked {
            failures.push(format!("prompt has what changes from day to day in its cached part: {{{word}}}"));
        }
        let year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
        let date = year && word.bytes().all(|byte| byte.is_ascii_digit());
        let hour = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
        let clock = hour
            && after.strip_prefix(':').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if date || clock {
            failures.push(format!("prompt has a date or a time in its cached part: `{word}`"));
        }
    }
    if let Some(at) = prefix.split_whitespace().find(|word| word.contains('@') && word.contains('.')) {
        failures.push(format!("prompt has an address in its cached part: `{at}`"));
    }
    failures
}

fn sorted<'a>(words: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let mut words: Vec<&String> = words.collect();
    words.sort();
    words.dedup();
    words
}

/// `['a', 'b']`
fn quoted_list(words: &[&String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    format!("[{}]", quoted.join(", "))
}

/// A stretch of a prompt on one line, cut.
fn line(prompt: &str, at: Range<usize>) -> String {
    let text = prompt.get(at).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = text.chars().take(100).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}

/// Where a prompt says a rule: from its first word to the end of its clause or sentence.
#[cfg(test)]
fn span(rule: Rule, prompt: &str) -> Option<Range<usize>> {
    sentences(prompt).iter().find_map(|sentence| {
        let found = text::find(&sentence.words, rule.said())?;
        let start = sentence.words.get(found.start)?.at.start;
        let last = sentence.words.get(found.end.checked_sub(1)?)?.at.end;
        let rest = prompt.get(last..sentence.at.end)?;
        Some(start..last + rest.find(';').unwrap_or(rest.len()))
    })
}
