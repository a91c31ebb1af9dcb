//! Which metric a number refers to: `recovery is 27` needs a value of recovery.

use super::tool_argument_numbers::sentence_range;
use std::ops::Range;

/// A metric, by what it is called and by what tools call its values.
pub(super) struct MetricNames {
    names: &'static [&'static str],
    /// The keys of its values; one that ends in `*` stands for all that begin so. A mean of it is
    /// its value as well.
    keys: &'static [&'static str],
    /// What its values are counted in; nothing for points.
    units: &'static [&'static str],
}

const fn metric(
    names: &'static [&'static str],
    keys: &'static [&'static str],
    units: &'static [&'static str],
) -> MetricNames {
    MetricNames { names, keys, units }
}

/// One whose name is a part of another's name stands behind that other.
static METRICS: &[MetricNames] = &[
    metric(&["heart rate variability", "hrv", "rmssd"], &["hrv*"], &["ms"]),
    metric(
        &["resting heart rate", "resting hr", "resting pulse", "rhr"],
        &["resting_heart_rate*", "threshold_resting_heart_rate"],
        &["bpm"],
    ),
    metric(
        &["max heart rate", "maximum heart rate", "maximal heart rate", "highest heart rate", "max hr"],
        &["threshold_max_heart_rate"],
        &["bpm"],
    ),
    metric(
        &["heart rate", "pulse"],
        &["heart_rate", "last_run_heart_rate", "threshold*", "resting_heart_rate*"],
        &["bpm"],
    ),
    metric(&["sleep score", "sleep quality"], &["sleep_score"], &[]),
    metric(&["sleep", "slept", "asleep"], &["sleep*"], &["h", "min"]),
    metric(&["recovery", "readiness"], &["recovery"], &[]),
    metric(&["form", "tsb"], &["form"], &[]),
    metric(&["fitness", "ctl"], &["fitness", "fitness_at_end", "ramp"], &[]),
    metric(&["fatigue", "atl"], &["fatigue"], &[]),
    metric(&["ramp rate", "ramp"], &["ramp"], &[]),
    metric(&["vo2max", "vo2 max", "vo₂max", "vo₂ max", "vo2"], &["vo2max"], &[]),
    metric(
        &["training load", "load", "tss"],
        &[
            "load",
            "load_yesterday",
            "load_7_days",
            "load_7_days_before",
            "last_run_load",
            "estimated_tss",
            "total_tss",
        ],
        &[],
    ),
    metric(&["monotony"], &["monotony"], &[]),
    metric(&["stress"], &["stress*"], &[]),
    metric(&["body battery"], &["body_battery*"], &[]),
    metric(&["weight", "weigh", "weighed"], &["weight"], &["kg", "lb"]),
    metric(&["respiration", "breathing rate"], &["respiration*"], &[]),
    metric(&["adherence"], &["adherence_percent", "key_sessions_percent"], &["%"]),
];

impl MetricNames {
    /// Whether values under this key are its own.
    pub(super) fn has_key(&self, key: &str) -> bool {
        let key = key.strip_prefix("mean_").unwrap_or(key);
        let own = |own: &&str| match own.strip_suffix('*') {
            Some("sleep") if key == "sleep_score" => false,
            Some(stem) => key.starts_with(stem),
            None => *own == key,
        };
        self.keys.iter().any(own)
    }

    /// Whether its values are counted like this. What is said of a metric may leave its unit out.
    pub(super) fn accepts_unit(&self, unit: Option<&str>) -> bool {
        unit.is_none_or(|unit| unit == "points" || self.units.contains(&unit))
    }

    /// A key of its own, for what was said of it in words.
    pub(super) fn key(&self) -> &'static str {
        self.keys.first().map_or("", |key| key.trim_end_matches('*'))
    }
}

/// Whether a key names the values of a metric.
pub(super) fn is_metric_key(key: &str) -> bool {
    METRICS.iter().any(|metric| metric.has_key(key))
}

/// Words between a metric and its number that leave no doubt.
#[rustfmt::skip]
const LINK_WORDS: &[&str] = &[
    "is", "was", "are", "were", "be", "been", "has", "have", "had", "of", "at", "to", "by", "a", "an", "the", "now", "currently",
    "today", "still", "just", "only", "about", "around", "roughly", "nearly", "almost", "approximately", "from", "up", "down",
    "fell", "dropped", "rose", "climbed", "moved", "improved", "increased", "decreased", "went", "stands", "sits", "reads", "came",
    "in", "last", "night", "this", "morning", "week", "yesterday", "average", "averaged", "averages", "averaging", "mean", "usual", "usually",
    "normal", "level", "score", "value", "reading", "plus", "minus", "negative", "equals", "bpm", "ms",
];

/// Words after which a sentence speaks of something else.
const TOPIC_CHANGE_WORDS: &[&str] =
    &["after", "over", "since", "during", "before", "within", "until", "across", "with"];

/// So many bytes around a number are looked at.
const CONTEXT_BYTES: usize = 200;

/// As many words may stand between a metric and a number that is said of it.
const MAX_WORDS_BETWEEN: usize = 10;

/// The metrics a number is said of; none where it is said of none, or is counted in what they are
/// not.
pub(super) fn metrics_of_number(
    text: &str,
    number: &Range<usize>,
    unit: Option<&str>,
) -> Vec<&'static MetricNames> {
    let sentence = sentence_range(text, number);
    // Small letters of another length would move every place; what has such is read as it is.
    let part = |range: Range<usize>| {
        let part = text.get(range).unwrap_or_default();
        let small = part.to_lowercase();
        if small.len() == part.len() { small } else { part.to_owned() }
    };
    // Nothing is said of what stands that far away, and a long text is read in one pass.
    let mut start = sentence.start.max(number.start.saturating_sub(CONTEXT_BYTES));
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let before = part(start..number.start);
    let named = find_metric_names(&before);
    let mut found: Vec<&'static MetricNames> = Vec::new();
    let (mut close, mut near) = (false, false);
    if let Some((last, metric)) = named.last() {
        let between: Vec<&str> = words(before.get(last.end..).unwrap_or_default());
        close = between.iter().all(|word| LINK_WORDS.contains(word));
        near = between.len() <= MAX_WORDS_BETWEEN
            && !between.iter().any(|word| TOPIC_CHANGE_WORDS.contains(word));
        found.push(metric);
        // `Recovery and form are 72 and 2`: of both.
        let mut from = last.start;
        for (range, metric) in named.iter().rev().skip(1) {
            let joined = words(before.get(range.end..from).unwrap_or_default());
            if !joined.iter().all(|word| matches!(*word, "and" | "or" | "your" | "the")) {
                break;
            }
            found.push(metric);
            from = range.start;
        }
    }
    let mut end = sentence.end.min(number.end.saturating_add(CONTEXT_BYTES));
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    if !close && let Some(metric) = metric_after(&part(number.end..end)) {
        (found, close) = (vec![metric], true);
    }
    // A number with a unit may be about anything that is counted in it, unless it is right beside
    // the name.
    let speaks = close || (near && unit.is_none());
    found.retain(|metric| metric.accepts_unit(unit));
    if speaks { found } else { Vec::new() }
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect()
}

/// Every name of a metric in a text of small letters, in order; of names within each other the
/// longest.
fn find_metric_names(text: &str) -> Vec<(Range<usize>, &'static MetricNames)> {
    let mut found: Vec<(Range<usize>, &'static MetricNames)> = Vec::new();
    for metric in METRICS {
        for name in metric.names {
            for (at, _) in text.match_indices(name) {
                let range = at..at + name.len();
                let within = |other: &Range<usize>| other.start < range.end && range.start < other.end;
                if is_whole_word(text, &range) && !found.iter().any(|(other, _)| within(other)) {
                    found.push((range, metric));
                }
            }
        }
    }
    found.sort_by_key(|(range, _)| range.start);
    found
}

/// Whether nothing that belongs to a word touches a range.
pub(super) fn is_whole_word(text: &str, range: &Range<usize>) -> bool {
    let joins = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (before, after) = (text.get(..range.start), text.get(range.end..));
    !joins(before.and_then(|before| before.chars().next_back()))
        && !joins(after.and_then(|after| after.chars().next()))
}

/// The metric named right behind a number: `a 27 recovery`, `27 for form`, `27 is your recovery`.
fn metric_after(after: &str) -> Option<&'static MetricNames> {
    let mut rest = after;
    for _ in 0..3 {
        rest = rest.trim_start_matches(' ');
        let length = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let named = |name: &&str| rest.starts_with(*name) && is_whole_word(rest, &(0..name.len()));
        if let Some(metric) = METRICS.iter().find(|metric| metric.names.iter().any(named)) {
            return Some(metric);
        }
        let word = rest.get(..length).unwrap_or_default();
        if !matches!(word, "of" | "for" | "is" | "was" | "as" | "your" | "the" | "in" | "point" | "points") {
            return None;
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    None
}
