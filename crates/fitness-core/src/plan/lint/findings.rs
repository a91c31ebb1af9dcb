//! What the rules say, put together: one finding for what many days have in common, one warning for one cause.

use super::{Finding, Rule, Severity};
use crate::domain::calendar::Day;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A finding before those of one kind are put together. Its text has no full stop yet.
pub(super) struct RawFinding {
    rule: Rule,
    severity: Severity,
    /// Tells apart what one rule says about different things.
    part: u8,
    day: Option<Day>,
    measured: Option<(f64, f64)>,
    text: String,
    /// The same in a few words, for a finding of the same cause to say along.
    short_text: Option<String>,
}

impl RawFinding {
    pub(super) fn new(rule: Rule, severity: Severity, text: String) -> Self {
        Self { rule, severity, part: 0, day: None, measured: None, text, short_text: None }
    }

    pub(super) fn with_part(self, part: u8) -> Self {
        Self { part, ..self }
    }

    pub(super) fn on_day(self, day: Day) -> Self {
        Self { day: Some(day), ..self }
    }

    pub(super) fn with_measurement(self, value: f64, limit: f64) -> Self {
        Self { measured: Some((value, limit)), ..self }
    }

    pub(super) fn with_short_text(self, words: String) -> Self {
        Self { short_text: Some(words), ..self }
    }

    fn key(&self) -> (Severity, Rule, u8) {
        (self.severity, self.rule, self.part)
    }

    /// The bigger the worse; of two that are as bad the earlier.
    fn is_worse_than(&self, other: &Self) -> bool {
        let excess = |remark: &Self| remark.measured.map_or(0.0, |(value, limit)| (value - limit).abs());
        let order = excess(self).total_cmp(&excess(other));
        order.then_with(|| Reverse(self.day).cmp(&Reverse(other.day))).is_gt()
    }

    fn into_finding(self, more: usize, asides: &[&Self]) -> Finding {
        let finite = |number: f64| Some(number).filter(|number| number.is_finite());
        let mut text = self.text;
        if more > 0 {
            text = format!("{text}; {more} more like it");
        }
        for aside in asides {
            text = format!("{text}; {}", aside.short_text.as_ref().unwrap_or(&aside.text));
        }
        let mut also: Vec<Rule> = asides.iter().map(|aside| aside.rule).collect();
        also.retain(|rule| *rule != self.rule);
        also.dedup();
        Finding {
            rule: self.rule,
            also,
            severity: self.severity,
            day: self.day,
            value: self.measured.and_then(|(value, _)| finite(value)),
            limit: self.measured.and_then(|(_, limit)| finite(limit)),
            text: format!("{text}."),
        }
    }
}

/// The part of R22 that is about a break before the race.
pub(super) const LATE_BREAK: u8 = 2;

/// Rules and their parts that find the same cause, in the order in which they say it.
///
/// What a plan cannot make good in the time there is: the weeks, the base, a break that ends late, the longest run. And how
/// the last weeks lead into the race: one week that is out of line breaks several rules about them at once.
const CAUSES: [&[(Rule, u8)]; 2] = [
    &[
        (Rule::PlanTooShort, 0),
        (Rule::BaseTooLow, 0),
        (Rule::TaperFrequency, LATE_BREAK),
        (Rule::LongRunTooShort, 0),
    ],
    &[
        (Rule::TaperVolume, 0),
        (Rule::TaperDecrease, 0),
        (Rule::TaperDecrease, 1),
        (Rule::TaperLength, 0),
        (Rule::PeakWeekTiming, 0),
        (Rule::LastLongRunTiming, 0),
        (Rule::TaperFrequency, 0),
        (Rule::TaperFrequency, 1),
    ],
];

/// Everything the rules said.
#[derive(Default)]
pub(super) struct RawFindings(Vec<RawFinding>);

impl RawFindings {
    pub(super) fn add(&mut self, remark: RawFinding) {
        self.0.push(remark);
    }

    /// What was said about every day and week, with the part of the rule that says it.
    pub(super) fn into_all(self) -> Vec<(u8, Finding)> {
        self.0.into_iter().map(|remark| (remark.part, remark.into_finding(0, &[]))).collect()
    }

    pub(super) fn into_findings(self) -> Vec<Finding> {
        let mut worst: BTreeMap<(Severity, Rule, u8), (RawFinding, usize)> = BTreeMap::new();
        for remark in self.0 {
            match worst.entry(remark.key()) {
                std::collections::btree_map::Entry::Vacant(free) => {
                    free.insert((remark, 0));
                }
                std::collections::btree_map::Entry::Occupied(mut taken) => {
                    let (known, more) = taken.get_mut();
                    *more += 1;
                    if remark.is_worse_than(known) {
                        *known = remark;
                    }
                }
            }
        }
        let mut found = Vec::new();
        for cause in CAUSES {
            let keys = cause.iter().map(|(rule, part)| (Severity::Warning, *rule, *part));
            let mut of_it: Vec<(RawFinding, usize)> = keys.filter_map(|key| worst.remove(&key)).collect();
            if !of_it.is_empty() {
                let (head, more) = of_it.remove(0);
                let asides: Vec<&RawFinding> = of_it.iter().map(|(remark, _)| remark).collect();
                found.push(head.into_finding(more, &asides));
            }
        }
        found.extend(worst.into_values().map(|(remark, more)| remark.into_finding(more, &[])));
        found.sort_by_key(|finding| (finding.severity, finding.rule, finding.day));
        found
    }
}
