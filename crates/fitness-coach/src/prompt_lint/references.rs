//! Tools, facts and verbs that a prompt mentions.

use super::sentences::{Word, has_any_phrase, list_tokens, sentences};
use super::{LintContext, identifiers, quoted_list};

/// Tools, facts and verbs that a prompt names and that are not there.
pub(super) fn find_unknown_references(prompt: &str, against: &LintContext<'_>) -> Vec<String> {
    let mut failures = Vec::new();
    let mut tools: Vec<String> = list_tokens(prompt, "TOOLS");
    let mut facts = Vec::new();
    let mut ticked = Vec::new();
    for (word, before, after) in identifiers(prompt) {
        let written = prompt.get(before.len()..before.len() + word.len()).unwrap_or_default();
        if before.ends_with("{{") {
            facts.push(word);
        } else if before.ends_with('{') && after.starts_with('}') {
            // A placeholder.
        } else if word.contains('_')
            || is_camel_case(written)
            || is_unknown_tool(&word, before, after, against)
        {
            tools.push(word);
        } else if before.ends_with('`')
            || after.starts_with('(')
            || is_call_instruction(before)
            || is_followed_by_tool(after)
        {
            ticked.push(word);
        }
    }
    let is_human = |word: &&String| {
        let whole = against.human_verbs.contains(&word.as_str());
        whole || word.split('_').any(|part| against.human_verbs.contains(&part))
    };
    let spoken = human_verbs_named_as_tools(prompt, against);
    let human = sorted(tools.iter().chain(&ticked).filter(is_human).chain(&spoken));
    if !human.is_empty() {
        failures.push(format!("prompt names what only a human does as a tool: {}", quoted_list(&human)));
    }
    let exists = |word: &&String| {
        [&against.tools, &against.metrics, &against.tones, &against.facts]
            .iter()
            .any(|known| known.contains(&word.as_str()))
    };
    let in_the_list = list_tokens(prompt, "TOOLS");
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

/// `getWeather` is a name that programs use.
fn is_camel_case(word: &str) -> bool {
    let humps =
        word.as_bytes().windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
    humps && word.len() > 4 && word.starts_with(|c: char| c.is_ascii_lowercase())
}

/// What a tool is said to be where none is named.
#[rustfmt::skip]
const GENERIC_TOOL_WORDS: &[&str] = &[
    "a", "an", "the", "each", "every", "any", "no", "this", "that", "these", "those", "what", "which", "right", "one",
    "other", "same", "such", "of", "your", "all", "some", "first", "next", "only", "best", "available", "following", "mcp",
    "coaching", "these", "with", "by", "and", "or", "use", "call", "from", "two", "several", "many", "our", "its",
];

/// Whether a word is followed by `tool`.
fn is_followed_by_tool(after: &str) -> bool {
    let next = after.trim_start_matches(['`', '"', '”', '\'', ' ']);
    let next: String = next.chars().take_while(char::is_ascii_alphabetic).collect();
    matches!(next.to_lowercase().as_str(), "tool" | "tools") && !after.starts_with(['.', ',', ';', ':', '\n'])
}

/// `the weather tool`, where there is none of that name.
fn is_unknown_tool(word: &str, before: &str, after: &str, against: &LintContext<'_>) -> bool {
    let the =
        before.trim_end_matches(['`', '"', '“']).trim_end().rsplit(|c: char| !c.is_alphanumeric()).next();
    let known = against.tools.iter().any(|tool| tool.split('_').any(|part| part == word));
    is_followed_by_tool(after)
        && the.is_some_and(|the| the.eq_ignore_ascii_case("the"))
        && !known
        && !GENERIC_TOOL_WORDS.contains(&word)
}

/// Whether what stands before a word tells a model to call it.
fn is_call_instruction(before: &str) -> bool {
    let last = before.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    before.ends_with(' ')
        && ["call", "calling", "invoke", "invoking", "tool", "function"]
            .contains(&last.to_lowercase().as_str())
}

/// What a sentence that hands out tools has among its words.
#[rustfmt::skip]
const TOOL_LIST_WORDS: &[&str] = &[
    "tool", "tools", "function", "functions", "call", "calls", "calling", "invoke", "invokes", "invoking", "command",
    "commands", "endpoint", "method", "methods", "action", "actions",
];

/// What right before a verb makes a tool of it.
const USE_PHRASES: &[&str] =
    &["use", "using", "run", "running", "execute", "trigger", "via", "with", "through", "issue"];

/// What a human does and a sentence tells as something to call, wherever in it: `These tools: …`,
/// `Use … to make it count`. A sentence that denies it first, or leaves it to the athlete alone,
/// gives nothing away.
fn human_verbs_named_as_tools(prompt: &str, against: &LintContext<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for sentence in sentences(prompt) {
        let words = &sentence.words;
        for (at, word) in words.iter().enumerate() {
            if !against.human_verbs.iter().any(|verb| is_inflection(&word.text, verb)) {
                continue;
            }
            let before = &words[..at];
            let denied = has_any_phrase(
                before,
                &["never", "not", "no", "don't", "cannot", "can't", "only the athlete", "nobody"],
            );
            let quoted = prompt[..word.range.start].ends_with(['"', '“', '\'', '‘', '«']);
            let used = before.last().is_some_and(|before| USE_PHRASES.contains(&before.text.as_str()));
            let handed = words.iter().any(|word: &Word| TOOL_LIST_WORDS.contains(&word.text.as_str()));
            if (quoted || used || handed) && !denied {
                found.push(word.text.clone());
            }
        }
    }
    found
}

/// Whether a word is a verb, or what becomes of it at its end.
fn is_inflection(word: &str, verb: &str) -> bool {
    let stem = verb.trim_end_matches(['e', 'y']);
    let Some(end) = word.strip_prefix(stem) else { return false };
    let own = &verb[stem.len()..];
    end == own
        || match own {
            "y" => matches!(end, "ies" | "ied" | "ying"),
            _ => matches!(end, "s" | "es" | "ed" | "ing"),
        }
}

fn sorted<'a>(words: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let mut words: Vec<&String> = words.collect();
    words.sort();
    words.dedup();
    words
}
