//! The linter: a plan held against what is known about training, over any plan, whoever wrote it.
//!
//! Start at [`lint`]. [`Rule`] names the rules, `limits` has their numbers by level and distance, and `docs/plans.md` has
//! both with their sources. What cannot be known (a pace, a distance, a load) keeps a rule silent; nothing is guessed.
//!
//! Weeks end on race day; a plan without a race has the calendar's. A day up to the athlete's last day of data is what was
//! run, a later one what is planned, and only what can still be changed is judged.

mod context;
mod display;
mod findings;
mod quality;
mod rule;
mod schedule;
mod taper;
mod targets;
#[cfg(test)]
mod tests;
mod volume;
mod work;

pub(super) use context::{planned_km, planned_minutes};
pub use display::{FindingsDiff, format_counts};
use findings::{LATE_BREAK, RawFinding, RawFindings};
pub use rule::Rule;
pub(super) use work::pace_range;

use super::{Draft, Plan, TrainingBaseline, Workout};
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::string_enum::string_enum;
use context::LintContext;
use serde::Serialize;

string_enum! {
    /// How much a finding matters.
    pub enum Severity("severity") {
        /// Keeps a plan from being committed unless the athlete overrides it by name.
        Error = "error",
        /// Shown.
        Warning = "warning",
        /// Good to know.
        Note = "note",
    }
}

/// One thing about a plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The rule that says it.
    pub rule: Rule,
    /// Other rules that found the same cause; the sentence says what they found, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Rule>,
    /// How much it matters.
    pub severity: Severity,
    /// Where, when it is about one day or the week that begins on it.
    pub day: Option<Day>,
    /// What was measured: a ratio, kilometres, days, hours, seconds or a count, as the rule has it.
    pub value: Option<f64>,
    /// What it was held against.
    pub limit: Option<f64>,
    /// One sentence for the athlete.
    pub text: String,
}

/// A plan as the linter sees it.
#[derive(Debug, Clone, Copy)]
pub struct LintInput<'a> {
    /// How far the race is; `None` for a plan without one.
    pub distance: Option<Distance>,
    /// The first day that counts.
    pub start: Day,
    /// The day of the race, or the last day of a plan without one.
    pub race: Day,
    /// The time hoped for.
    pub target: Option<TimeSpan>,
    /// What is planned, in any order.
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

    /// A draft.
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
    /// Whether a rule is behind it.
    #[must_use]
    pub fn involves(&self, rule: Rule) -> bool {
        self.rule == rule || self.also.contains(&rule)
    }
}

/// Holds a plan against every rule. Errors come first, then warnings, then notes; where many days or weeks break a rule
/// in the same way, the worst stands for all, and warnings of one cause are one.
#[must_use]
pub fn lint(subject: &LintInput<'_>, athlete: &TrainingBaseline, units: UnitSystem) -> Vec<Finding> {
    run_rules(subject, athlete, units).into_findings()
}

/// The same with every day and week by itself.
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

/// The errors among findings: what keeps a plan from being committed.
pub fn errors(findings: &[Finding]) -> impl Iterator<Item = &Finding> {
    findings.iter().filter(|finding| finding.severity == Severity::Error)
}

/// Room for what is lost when kilometres and quotients are written down: 11 of 10 miles is not more than 1.10.
const TOLERANCE: f64 = 1e-6;

/// What a value above a limit for warnings and one for errors means.
fn severity_above(value: f64, (warning, error): (f64, f64)) -> Option<(Severity, f64)> {
    match value {
        _ if value > error + TOLERANCE => Some((Severity::Error, error)),
        _ if value > warning + TOLERANCE => Some((Severity::Warning, warning)),
        _ => None,
    }
}

/// The end of a range that a value lies beyond.
fn exceeded_bound(value: f64, (low, high): (f64, f64)) -> Option<f64> {
    match value {
        _ if value < low - TOLERANCE => Some(low),
        _ if value > high + TOLERANCE => Some(high),
        _ => None,
    }
}
