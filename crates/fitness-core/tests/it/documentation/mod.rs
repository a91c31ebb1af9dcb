//! Recomputes the worked examples of `docs/metrics.md` and compares them to the last digit shown.
//!
//! Reads every table headed `| example | result |`. A row without a computation, a computation
//! without a row and a different result are errors, all reported at once. The modules below compute
//! the examples with the public API.

mod activity;
mod days;
mod predict;
mod thresholds;

use fitness_core::domain::units::{Distance, Pace, TimeSpan};
use fitness_core::metrics::MetricResult;
use std::collections::{BTreeMap, BTreeSet};

const PAGE: &str = include_str!("../../../../../docs/metrics.md");
const HEADER: &str = "| example | result |";

/// Result of an example.
#[derive(Debug, Clone)]
enum Outcome {
    /// A number and its unit, with the decimals of the page.
    Number(f64, &'static str),
    /// Seconds, formatted as a clock with the decimals of the page, and a unit such as `/km`.
    Clock(f64, &'static str),
    Words(String),
}

impl Outcome {
    /// Formats the result with the precision of `written`.
    fn format_like(&self, written: &str) -> String {
        let number = written.split([' ', '%']).next().unwrap_or_default();
        let decimals = number.split_once('.').map_or(0, |(_, digits)| digits.len());
        let (value, unit) = match self {
            Self::Words(words) => return words.clone(),
            Self::Number(value, unit) => (format!("{value:.decimals$}").replace('-', "−"), unit),
            Self::Clock(seconds, unit) => (clock(*seconds, decimals), unit),
        };
        match *unit {
            "" | "%" => value + unit,
            unit => format!("{value} {unit}"),
        }
    }
}

/// `1:32:00.2` or `4:15`.
fn clock(seconds: f64, decimals: usize) -> String {
    let scale = 10_u64.pow(u32::try_from(decimals).unwrap());
    let parts = (seconds * scale as f64).round() as u64;
    let (whole, part) = (parts / scale, parts % scale);
    let (h, m, s) = (whole / 3600, whole / 60 % 60, whole % 60);
    let clock = if h > 0 { format!("{h}:{m:02}:{s:02}") } else { format!("{m}:{s:02}") };
    if decimals == 0 { clock } else { format!("{clock}.{part:0decimals$}") }
}

/// An example and its result.
type Example = (&'static str, Outcome);

fn number_example(name: &'static str, value: f64) -> Example {
    (name, Outcome::Number(value, ""))
}

fn number(name: &'static str, value: f64, unit: &'static str) -> Example {
    (name, Outcome::Number(value, unit))
}

fn text_example(name: &'static str, words: impl ToString) -> Example {
    (name, Outcome::Words(words.to_string()))
}

fn time_example(name: &'static str, found: MetricResult<TimeSpan>) -> Example {
    (name, Outcome::Clock(found.unwrap().seconds(), ""))
}

fn pace_example(name: &'static str, pace: Pace) -> Example {
    (name, Outcome::Clock(pace.seconds_per_km(), "/km"))
}

fn km(km: f64) -> Distance {
    Distance::from_km(km).unwrap()
}

fn all_examples() -> Vec<Example> {
    [activity::examples(), thresholds::examples(), days::examples(), predict::examples()].concat()
}

/// Every row of every table of examples.
fn rows(page: &str) -> Vec<(&str, &str)> {
    let mut rows = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if line == HEADER {
            inside = true;
        } else if !line.starts_with('|') {
            inside = false;
        } else if inside && !line.starts_with("|-") {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [name, result] = cells[..] else { panic!("`{line}` is no example and its result") };
            rows.push((name, result));
        }
    }
    rows
}

/// All differences between the page and the computed examples.
fn disagreements(page: &str, computed: &[Example]) -> Vec<String> {
    let rows = rows(page);
    let mut wrong = Vec::new();
    let by_name: BTreeMap<&str, &Outcome> = computed.iter().map(|(name, outcome)| (*name, outcome)).collect();
    let written: BTreeSet<&str> = rows.iter().map(|(name, _)| *name).collect();
    if by_name.len() < computed.len() || written.len() < rows.len() {
        wrong.push("two examples have one name".to_owned());
    }
    for (name, result) in &rows {
        match by_name.get(name).map(|outcome| outcome.format_like(result)) {
            None => wrong.push(format!("nobody computes `{name}`")),
            Some(got) if got != *result => {
                wrong.push(format!("`{name}`: the page says {result}, the code {got}"));
            }
            Some(_) => {}
        }
    }
    let missing = by_name.iter().filter(|(name, _)| !written.contains(**name));
    wrong.extend(missing.map(|(name, outcome)| format!("the page does not have `{name}`: {outcome:?}")));
    wrong
}

#[test]
fn documented_examples_match_the_code() {
    let wrong = disagreements(PAGE, &all_examples());
    assert!(wrong.is_empty(), "docs/metrics.md\n{}", wrong.join("\n"));
}

#[test]
fn a_page_that_differs_is_noticed() {
    let computed = [number("speed", 4.0576, "m/s"), ("marathon", Outcome::Clock(13_924.4, ""))];
    let page = |rows: &str| {
        format!("text\n\n{HEADER}\n|---|---|\n{rows}\n\n| other | table |\n|---|---|\n| a | b |\n")
    };
    let good = "| speed | 4.058 m/s |\n| marathon | 3:52:04.4 |";
    assert_eq!(disagreements(&page(good), &computed), Vec::<String>::new());
    for (from, to, what) in [
        ("4.058", "4.057", "the page says 4.057 m/s, the code 4.058 m/s"),
        ("m/s", "km/h", "the code 4.058 m/s"),
        ("04.4", "04.5", "the code 3:52:04.4"),
        ("3:52:04.4", "3:53", "the code 3:52:04"),
        ("| speed | 4.058 m/s |\n", "", "does not have `speed`"),
        ("| speed |", "| velocity |", "nobody computes `velocity`"),
        (
            "| marathon | 3:52:04.4 |",
            "| marathon | 3:52:04.4 |\n| marathon | 3:52 |",
            "two examples have one name",
        ),
    ] {
        let wrong = disagreements(&page(&good.replace(from, to)), &computed).join("\n");
        assert!(wrong.contains(what), "{wrong}");
    }
}
