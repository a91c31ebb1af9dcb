//! Prompt linter: checks a prompt against the code that uses it.
//!
//! [`lint`] compares a prompt with the enums of the brief, the tools and the [`PromptRule`]s it must
//! contain. A rule counts only if a sentence states it before the athlete's notes and no other
//! sentence contradicts it. Every failure is one `FAIL:` line.

mod cacheable_prefix;
mod references;
mod required_rules;
mod sentences;
#[cfg(test)]
mod tests;

pub use required_rules::{PromptRule, RuleEnforcement};

use crate::prompt::{Prompt, PromptName, PromptVersionIndex, prompt_files};
use fitness_core::facts::FactName;
use fitness_core::llm_output::brief::{Metric, Tone};
use fitness_core::plan::HumanActionKind;
use sentences::{Sentence, Word, has_any_phrase, has_any_stems, list_tokens, sentences, starts_with_stems};
use std::fmt;
use std::ops::Range;

/// What a prompt is held against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LintContext<'a> {
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
    pub rules: Vec<PromptRule>,
    /// Whether it has to list metrics and tones.
    pub must_list: bool,
}

impl<'a> LintContext<'a> {
    /// What holds for one of our prompts, or for any other one.
    #[must_use]
    pub fn for_prompt(name: Option<PromptName>, tools: &[&'a str]) -> Self {
        Self {
            metrics: Metric::ALL.iter().map(|metric| metric.as_str()).collect(),
            tones: Tone::ALL.iter().map(|tone| tone.as_str()).collect(),
            tools: tools.to_vec(),
            human_verbs: HumanActionKind::ALL.iter().map(|action| action.as_str()).collect(),
            facts: FactName::ALL.iter().map(|fact| fact.as_str()).collect(),
            rules: PromptRule::for_prompt(name),
            must_list: name == Some(PromptName::Brief),
        }
    }
}

/// Something that is wrong with a prompt. It prints as one line: `FAIL: …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LintFinding {
    message: String,
}

impl LintFinding {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// What is wrong, without the `FAIL:`.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for LintFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FAIL: {}", self.message)
    }
}

/// Everything that is wrong with a prompt; empty when it is in step with what it feeds.
#[must_use]
pub fn lint(prompt: &str, against: &LintContext<'_>) -> Vec<LintFinding> {
    let mut failures = Vec::new();
    let mut fail = |message: String| failures.push(LintFinding::new(message));
    let (bare, comments) = sentences::without_comments(prompt);
    for comment in comments {
        fail(format!("prompt hides something in a comment: `{}`", single_line(prompt, comment)));
    }
    let prompt = bare.as_str();
    for (heading, allowed) in [("METRICS", &against.metrics), ("TONES", &against.tones)] {
        let listed = list_tokens(prompt, heading);
        let drift: Vec<&String> = listed.iter().filter(|token| !allowed.contains(&token.as_str())).collect();
        let what = heading.to_lowercase();
        if !drift.is_empty() {
            fail(format!("prompt advertises non-schema {what}: {}", quoted_list(&drift)));
        }
        if against.must_list && listed.is_empty() {
            fail(format!("prompt advertises no {what}"));
        }
    }
    let sentences = sentences(prompt);
    let notes = prompt.find(NOTES_PLACEHOLDER);
    for rule in &against.rules {
        if let Some(message) = find_rule_problem(*rule, prompt, &sentences, notes) {
            fail(message);
        }
    }
    match prompt.matches(NOTES_PLACEHOLDER).count() {
        0 => fail("missing placeholder: the saved user notes".to_owned()),
        1 => {}
        _ => fail("the placeholder of the saved user notes occurs more than once".to_owned()),
    }
    for sentence in &sentences {
        if has_any_stems(&sentence.words, REVOKING_STEMS) {
            fail(format!("prompt takes its rules back: `{}`", single_line(prompt, sentence.range.clone())));
        } else if has_any_stems(&sentence.words, OTHER_PROMPT_PHRASES) {
            fail(format!(
                "prompt speaks of another prompt: `{}`",
                single_line(prompt, sentence.range.clone())
            ));
        } else if permits_ruled_topic(&sentence.words) {
            fail(format!(
                "prompt permits what its rules are about: `{}`",
                single_line(prompt, sentence.range.clone())
            ));
        }
    }
    references::find_unknown_references(prompt, against).into_iter().for_each(&mut fail);
    cacheable_prefix::find_variable_content(prompt).into_iter().for_each(&mut fail);
    failures
}

/// Everything that is wrong with the prompts this program was built with, each held against what
/// `known` says there is, and with their register.
#[must_use]
pub fn lint_built_in<'a>(known: impl Fn(PromptName) -> LintContext<'a>) -> Vec<LintFinding> {
    let of = |name: PromptName| lint(Prompt::current(name).text, &known(name));
    PromptVersionIndex::BUILT_IN
        .lint(&prompt_files())
        .into_iter()
        .chain(PromptName::ALL.iter().copied().flat_map(of))
        .collect()
}

/// Where the athlete's notes go.
const NOTES_PLACEHOLDER: &str = "{user_notes}";

/// Words of a sentence that takes back what others say. Stems, so that every form of a word is one.
#[rustfmt::skip]
const REVOKING_STEMS: &[&str] = &[
    "ignore the", "ignore th", "ignore any", "ignore all", "ignore rule", "ignore every", "ignore what",
    "disregard", "not appl", "no longer appl", "only appl", "not binding", "not strict", "overrid",
    "supersede", "forget the", "forget what", "forget every", "this rule", "that rule", "rule above",
    "rules above", "above rule", "rules are", "rule is", "rules do not", "rules need", "rules can",
    "rules may", "break the rule", "bend the rule", "exception", "only a suggestion", "just a suggestion",
    "suggestions only", "mere suggestion", "guideline", "rule of thumb", "never mind", "follow any", "follow instr",
    "follow the instr", "obey", "even against", "even if", "even when", "whatever", "be creative",
];

/// What is said of a prompt that is not this one: a rule that stands there is none here.
#[rustfmt::skip]
const OTHER_PROMPT_PHRASES: &[&str] = &[
    "old prompt", "previous prompt", "earlier prompt", "former prompt", "last prompt", "other prompt", "prompt said",
    "prompt used to", "prompt had", "old version", "previous version", "earlier version", "version said", "old rule",
    "previous rule", "former rule", "earlier rule", "rule was", "rules were", "used to say", "used to read", "once read",
];

#[rustfmt::skip]
const PERMITTING_PHRASES: &[&str] = &[
    "feel free", "free to", "you may", "you can", "you could", "you are allowed", "is allowed", "are allowed", "is fine",
    "are fine", "is okay", "is ok", "are okay", "are ok", "is acceptable", "are acceptable", "is welcome", "are welcome",
    "no harm", "no need", "need not", "needn't", "don't need", "not need", "don't have to", "not have to", "go ahead",
    "good enough", "close enough", "don't worry", "not worry", "never mind", "nobody minds", "no one minds",
    "will notice", "would notice", "don't hesitate", "not hesitate", "better than nothing", "better than none",
    "rather than leave", "rather than say", "instead of saying", "instead of asking", "if in doubt", "when in doubt",
    "at your discretion", "use your judgement", "use your own judgement", "it is better to", "prefer to", "is optional",
    "are optional", "as you see fit", "your own words", "makes sense to", "helps to", "works too", "comes before",
    "no problem", "overrule", "takes precedence", "more important than",
];

/// What the rules are about. A permission that touches none of it is a matter of taste.
#[rustfmt::skip]
const RULE_TOPICS: &[&str] = &[
    "number", "digit", "figure", "value", "metric", "data", "date", "missing", "gap", "estimat", "approximat", "guess",
    "invent", "fabricat", "plausib", "assum", "infer", "round", "plan", "session", "workout", "change", "proposal",
    "decision", "decid", "approv", "athlete", "they feel", "device", "watch", "eas", "rest day", "note", "instruction",
    "tool", "answer", "jargon", "load", "tone", "unit", "band", "finish", "braces", "fact", "json", "markdown", "emoji",
    "link", "list", "rule", "this", "that", "these", "all of",
];

/// Whether a sentence permits something that the rules are about. The rules of a prompt bind; they
/// permit nothing.
fn permits_ruled_topic(words: &[Word]) -> bool {
    has_any_phrase(words, PERMITTING_PHRASES) && has_any_stems(words, RULE_TOPICS)
}

/// Words that make a wish of a rule. A rule's own sentence has none of them.
#[rustfmt::skip]
const WEAKENING_WORDS: &[&str] = &[
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
const OPPOSING_WORDS: &[&str] = &[
    "may", "can", "could", "might", "free to", "fine", "okay", "ok", "allowed", "acceptable", "welcome",
    "sometimes", "optional", "need not", "no need", "needn't", "not need", "don't need", "don't have to",
    "ignore", "drop", "skip", "unless", "always", "hide", "leave out", "left for", "do not mention",
    "don't mention", "gloss over", "do not translate", "don't translate", "yourself", "raw", "don't ask",
    "do not ask", "instead of asking", "without asking", "fill in", "on your own", "prefer",
];

/// What may stand before a rule in its clause.
const LEADING_WORDS: &[&str] = &["and", "also", "then", "always", "you", "must", "so"];

/// What is wrong with how a prompt says a rule.
fn find_rule_problem(
    rule: PromptRule,
    prompt: &str,
    sentences: &[Sentence],
    notes: Option<usize>,
) -> Option<String> {
    let mut weakened = None;
    let mut said = None;
    for sentence in sentences {
        let Some(found) = sentences::find_pattern(&sentence.words, rule.pattern()) else { continue };
        let late = notes.is_some_and(|notes| sentence.range.start > notes);
        let quoted = sentence
            .words
            .get(found.start)
            .is_some_and(|word| sentences::is_quoted(prompt, word.range.start));
        if late || quoted || !states_rule(rule, &sentence.words, found.clone()) {
            weakened.get_or_insert((late, sentence));
        } else {
            said.get_or_insert(sentence);
        }
    }
    let told = |sentence: &Sentence| single_line(prompt, sentence.range.clone());
    let Some(said) = said else {
        return Some(match weakened {
            Some((true, sentence)) => {
                format!(
                    "{}: it stands after the athlete's notes: `{}`",
                    rule.missing_message(),
                    told(sentence)
                )
            }
            Some((false, sentence)) => {
                format!("{}: it is weakened: `{}`", rule.missing_message(), told(sentence))
            }
            None => rule.missing_message().to_owned(),
        });
    };
    let against =
        sentences.iter().find(|sentence| *sentence != said && contradicts_rule(rule, &sentence.words));
    let against = against.or(weakened.map(|(_, sentence)| sentence));
    against.map(|sentence| format!("prompt contradicts its {} rule: `{}`", rule.id(), told(sentence)))
}

/// Whether a rule is said as such: at the beginning of a clause, with nothing in the clause that is
/// not the rule's, and with nothing in its sentence that makes a wish of it.
fn states_rule(rule: PromptRule, words: &[Word], found: Range<usize>) -> bool {
    let begin = words[..=found.start].iter().rposition(|word| word.begins).unwrap_or(0);
    let lead = words[begin..found.start].iter().all(|word| LEADING_WORDS.contains(&word.text.as_str()));
    let own = |word: &Word| {
        let mut said = rule.pattern().split([' ', '|']).chain(rule.allowed_words().split(' '));
        said.any(|own| own == word.text)
    };
    // The clause goes on to the next semicolon.
    let clause = words[found.start..].iter().enumerate().take_while(|(at, word)| *at == 0 || !word.parted);
    let alone = clause.into_iter().all(|(_, word)| own(word));
    lead && alone && !has_any_phrase(words, WEAKENING_WORDS)
}

fn contradicts_rule(rule: PromptRule, words: &[Word]) -> bool {
    if !has_any_stems(words, rule.topics()) {
        return false;
    }
    // What forbids stands before what it forbids: `guess what you do not know` forbids nothing.
    let topic =
        (0..words.len()).find(|at| rule.topics().iter().any(|topic| starts_with_stems(&words[*at..], topic)));
    let before = &words[..topic.unwrap_or(words.len())];
    let forbids = has_any_phrase(before, &["never", "not", "no", "without", "don't"]);
    has_any_phrase(words, OPPOSING_WORDS) || (rule.is_strict() && !forbids)
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

fn quoted_list(words: &[&String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    format!("[{}]", quoted.join(", "))
}

/// A stretch of a prompt on one line, cut.
fn single_line(prompt: &str, at: Range<usize>) -> String {
    let text = prompt.get(at).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = text.chars().take(100).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}

/// Where a prompt says a rule: from its first word to the end of its clause or sentence.
#[cfg(test)]
fn rule_span(rule: PromptRule, prompt: &str) -> Option<Range<usize>> {
    sentences(prompt).iter().find_map(|sentence| {
        let found = sentences::find_pattern(&sentence.words, rule.pattern())?;
        let start = sentence.words.get(found.start)?.range.start;
        let last = sentence.words.get(found.end.checked_sub(1)?)?.range.end;
        let rest = prompt.get(last..sentence.range.end)?;
        Some(start..last + rest.find(';').unwrap_or(rest.len()))
    })
}
