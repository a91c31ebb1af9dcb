//! Plan linter: checks any plan against training rules, whoever wrote it.
//!
//! Start at [`lint`]. [`LintRule`] lists the rules, `training_norms` has their limits by level and
//! distance, and `docs/plans.md` documents both with sources. A rule stays silent when a value it
//! needs (pace, distance, load) is unknown; nothing is guessed.
//!
//! Weeks end on race day; a plan without a race uses calendar weeks. Up to the last day of data,
//! actual runs count; after it, planned ones. Only days that can still be changed are reported.

mod compare_findings;
mod context;
mod merge_findings;
mod quality;
mod rule;
mod schedule;
mod taper;
mod targets;
#[cfg(test)]
mod tests;
mod volume;
mod work;

pub use compare_findings::{FindingsDiff, format_counts};
pub(super) use context::{planned_km, planned_minutes};
use merge_findings::{LATE_BREAK, RawFinding, RawFindings};
pub use rule::LintRule;
pub(super) use work::pace_range;

use super::{Draft, Plan, TrainingBaseline, Workout};
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::string_enum::string_enum;
use context::LintContext;
use serde::Serialize;

string_enum! {
    pub enum Severity("severity") {
        /// Blocks activation unless the athlete overrides it by its code.
        Error = "error",
        Warning = "warning",
        Note = "note",
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    pub rule: LintRule,
    /// Other rules with the same cause; `text` covers their findings too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<LintRule>,
    /// How much it matters.
    pub severity: Severity,
    /// Day, or first day of the week, if it is about one.
    pub day: Option<Day>,
    /// Measured value: a ratio, kilometres, days, hours, seconds or a count, depending on the rule.
    pub value: Option<f64>,
    /// Limit that `value` was compared with.
    pub limit: Option<f64>,
    /// Sentences for the athlete: the worst case, how many others there are, and findings of
    /// `also`.
    pub text: String,
}

/// The parts of a plan that the linter reads.
#[derive(Debug, Clone, Copy)]
pub struct LintInput<'a> {
    /// Race distance; `None` for a plan without a race.
    pub distance: Option<Distance>,
    /// First day of the plan.
    pub start: Day,
    /// The day of the race, or the last day of a plan without one.
    pub race: Day,
    pub target: Option<TimeSpan>,
    /// Planned workouts, in any order.
    pub workouts: &'a [Workout],
}

impl<'a> LintInput<'a> {
    /// A stored plan with these workouts.
    #[must_use]
    pub const fn from_plan(plan: &Plan, workouts: &'a [Workout]) -> Self {
        Self {
            distance: plan.distance,
            start: plan.start_date,
            race: plan.race_date,
            target: plan.target_time,
            workouts,
        }
    }

    #[must_use]
    pub fn from_draft(draft: &'a Draft) -> Self {
        Self {
            distance: draft.distance(),
            start: draft.start_date(),
            race: draft.race_date(),
            target: draft.target_time(),
            workouts: draft.workouts(),
        }
    }
}

impl Finding {
    #[must_use]
    pub fn involves(&self, rule: LintRule) -> bool {
        self.rule == rule || self.also.contains(&rule)
    }
}

/// Checks a plan against every rule. Errors come first, then warnings, then notes. If several days
/// or weeks break a rule in the same way, the worst is reported for all of them, and warnings with
/// a common cause are combined.
#[must_use]
pub fn lint(subject: &LintInput<'_>, athlete: &TrainingBaseline, units: UnitSystem) -> Vec<Finding> {
    run_rules(subject, athlete, units).into_findings()
}

/// Like [`lint`], but with one finding for each day and week; the first value is the part of the
/// rule.
pub(super) fn lint_each_day(
    subject: &LintInput<'_>,
    athlete: &TrainingBaseline,
    units: UnitSystem,
) -> Vec<(u8, Finding)> {
    run_rules(subject, athlete, units).into_all()
}

fn run_rules(subject: &LintInput<'_>, athlete: &TrainingBaseline, units: UnitSystem) -> RawFindings {
    let view = LintContext::new(subject, athlete, units);
    let mut report = RawFindings::default();
    volume::check(&view, &mut report);
    quality::check(&view, &mut report);
    taper::check(&view, &mut report);
    targets::check(&view, &mut report);
    schedule::check(&view, &mut report);
    report
}

/// The findings that block activation.
pub fn errors(findings: &[Finding]) -> impl Iterator<Item = &Finding> {
    findings.iter().filter(|finding| finding.severity == Severity::Error)
}

/// Tolerance for rounded kilometres and ratios: 11 of 10 miles is not more than 1.10.
const TOLERANCE: f64 = 1e-6;

/// Severity and limit for a value above the warning or error limit.
fn severity_above(value: f64, (warning, error): (f64, f64)) -> Option<(Severity, f64)> {
    match value {
        _ if value > error + TOLERANCE => Some((Severity::Error, error)),
        _ if value > warning + TOLERANCE => Some((Severity::Warning, warning)),
        _ => None,
    }
}

/// Like [`severity_above`], with a limit for a note below the warning.
fn severity_above_note(value: f64, (note, warning, error): (f64, f64, f64)) -> Option<(Severity, f64)> {
    let below = || (value > note + TOLERANCE).then_some((Severity::Note, note));
    severity_above(value, (warning, error)).or_else(below)
}

/// The bound of a range that a value exceeds.
fn exceeded_bound(value: f64, (low, high): (f64, f64)) -> Option<f64> {
    match value {
        _ if value < low - TOLERANCE => Some(low),
        _ if value > high + TOLERANCE => Some(high),
        _ => None,
    }
}
