//! Collects raw findings of the rules and merges those with a common cause.

use super::{Finding, LintRule, Severity};
use crate::domain::calendar::Day;
use crate::domain::untrusted_text::{capitalize, pluralize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A finding before merging. Its text has no full stop yet.
pub(super) struct RawFinding {
    rule: LintRule,
    severity: Severity,
    /// Distinguishes the different checks of one rule.
    part: u8,
    day: Option<Day>,
    /// Whether `day` stands for the week that starts on it.
    is_week: bool,
    measured: Option<(f64, f64)>,
    text: String,
    /// Short form, appended to another finding with the same cause.
    short_text: Option<String>,
}

impl RawFinding {
    pub(super) fn new(rule: LintRule, severity: Severity, text: String) -> Self {
        Self { rule, severity, part: 0, day: None, is_week: false, measured: None, text, short_text: None }
    }

    pub(super) fn with_part(self, part: u8) -> Self {
        Self { part, ..self }
    }

    pub(super) fn on_day(self, day: Day) -> Self {
        Self { day: Some(day), ..self }
    }

    /// For a finding about the week that starts on `first`.
    pub(super) fn on_week(self, first: Day) -> Self {
        Self { day: Some(first), is_week: true, ..self }
    }

    pub(super) fn with_measurement(self, value: f64, limit: f64) -> Self {
        Self { measured: Some((value, limit)), ..self }
    }

    pub(super) fn with_short_text(self, words: String) -> Self {
        Self { short_text: Some(words), ..self }
    }

    fn key(&self) -> (Severity, LintRule, u8) {
        (self.severity, self.rule, self.part)
    }

    /// The larger excess is worse; of two equal ones, the earlier day.
    fn is_worse_than(&self, other: &Self) -> bool {
        let excess = |remark: &Self| remark.measured.map_or(0.0, |(value, limit)| (value - limit).abs());
        let order = excess(self).total_cmp(&excess(other));
        order.then_with(|| Reverse(self.day).cmp(&Reverse(other.day))).is_gt()
    }

    fn into_finding(self, more: usize, asides: &[&Self]) -> Finding {
        let finite = |number: f64| Some(number).filter(|number| number.is_finite());
        let mut text = self.text;
        if more > 0 {
            let others = match self.is_week {
                true => format!("in {}", pluralize(more as u64, "more week", "more weeks")),
                false => format!("on {}", pluralize(more as u64, "more day", "more days")),
            };
            text = format!("{text} (also {others})");
        }
        for aside in asides {
            text = format!("{text}. {}", capitalize(aside.short_text.as_ref().unwrap_or(&aside.text)));
        }
        let mut also: Vec<LintRule> = asides.iter().map(|aside| aside.rule).collect();
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

/// Days or weeks with the same finding, besides the one that is reported.
fn other_days(days: &BTreeSet<Day>) -> usize {
    days.len().saturating_sub(1)
}

/// The part of R22 that is about a break before the race.
pub(super) const LATE_BREAK: u8 = 2;

/// Groups of rule parts that have the same cause, in the order they are reported.
///
/// First group: what cannot be fixed in the time left (weeks, base, a late break, the longest run).
/// Second group: how the last weeks lead into the race, where one odd week breaks several rules at
/// once.
const CAUSES: [&[(LintRule, u8)]; 2] = [
    &[
        (LintRule::PlanTooShort, 0),
        (LintRule::BaseTooLow, 0),
        (LintRule::TaperFrequency, LATE_BREAK),
        (LintRule::LongRunTooShort, 0),
    ],
    &[
        (LintRule::TaperVolume, 0),
        (LintRule::TaperDecrease, 0),
        (LintRule::TaperDecrease, 1),
        (LintRule::TaperLength, 0),
        (LintRule::PeakWeekTiming, 0),
        (LintRule::LastLongRunTiming, 0),
        (LintRule::TaperFrequency, 0),
        (LintRule::TaperFrequency, 1),
    ],
];

/// All raw findings of a lint run.
#[derive(Default)]
pub(super) struct RawFindings(Vec<RawFinding>);

impl RawFindings {
    pub(super) fn add(&mut self, remark: RawFinding) {
        self.0.push(remark);
    }

    /// Every finding, unmerged, with the part of its rule.
    pub(super) fn into_all(self) -> Vec<(u8, Finding)> {
        self.0.into_iter().map(|remark| (remark.part, remark.into_finding(0, &[]))).collect()
    }

    pub(super) fn into_findings(self) -> Vec<Finding> {
        let mut worst: BTreeMap<(Severity, LintRule, u8), (RawFinding, BTreeSet<Day>)> = BTreeMap::new();
        for remark in self.0 {
            let day = remark.day;
            match worst.entry(remark.key()) {
                std::collections::btree_map::Entry::Vacant(free) => {
                    free.insert((remark, day.into_iter().collect()));
                }
                std::collections::btree_map::Entry::Occupied(mut taken) => {
                    let (known, days) = taken.get_mut();
                    days.extend(day);
                    if remark.is_worse_than(known) {
                        *known = remark;
                    }
                }
            }
        }
        let mut found = Vec::new();
        for cause in CAUSES {
            let keys = cause.iter().map(|(rule, part)| (Severity::Warning, *rule, *part));
            let mut of_it: Vec<(RawFinding, BTreeSet<Day>)> =
                keys.filter_map(|key| worst.remove(&key)).collect();
            if !of_it.is_empty() {
                let (head, days) = of_it.remove(0);
                let asides: Vec<&RawFinding> = of_it.iter().map(|(remark, _)| remark).collect();
                found.push(head.into_finding(other_days(&days), &asides));
            }
        }
        found.extend(worst.into_values().map(|(remark, days)| remark.into_finding(other_days(&days), &[])));
        found.sort_by_key(|finding| (finding.severity, finding.rule, finding.day));
        found
    }
}
