//! Why a plan cannot be generated.

use crate::domain::calendar::Day;
use crate::domain::observation::AbsenceReason;
use crate::domain::untrusted_text::pluralize;
use crate::plan::{DraftError, GoalDistance, Weekdays};

/// Why a plan was not generated. Each message says what to change.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GenerateError {
    #[error("the race on {0} is not in the future; choose a later date")]
    Past(Day),
    /// The start is after the race.
    #[error(
        "the plan would start on {start}, after the race on {race}; choose an earlier start, or leave it out"
    )]
    StartsTooLate { start: Day, race: Day },
    /// Fewer than five days are left.
    #[error(
        "the race on {0} is too soon for a plan. Training takes at least 5 days to have an effect, so rest or run easy until then"
    )]
    TooNear(Day),
    #[error("the race on {0} is more than two years away; choose a date within two years")]
    TooFar(Day),
    /// Faster than any human has run.
    #[error("{0}; choose a slower target, or none")]
    Target(String),
    /// No published evidence beyond 50 km.
    #[error("there is no published evidence for target times beyond 50 km; leave the target out")]
    TargetBeyondEvidence,
    /// Too few training days a week for the race.
    #[error(
        "a plan for this race needs at least {needed} running days a week, and you chose {given}; add {}",
        pluralize(needed.saturating_sub(*given) as u64, "more day", "more days")
    )]
    TooFewDays { needed: usize, given: usize },
    /// The day of the long run is not a training day.
    #[error("the long run is on a day you do not train on; choose one of {}", .0.label())]
    LongDay(Weekdays),
    /// The level is never guessed.
    #[error(
        "fewer than 28 days of history; choose your running experience: beginner, intermediate or advanced"
    )]
    MissingLevel,
    /// The base is too small for the time left.
    #[error(
        "building up to {race} from {base} a week takes at least {weeks} weeks; choose a later or shorter race, or build up \
         to {needed} a week first{}{}",
        ended.map(|day| format!(". Your data ends on {day}; later runs are unknown")).unwrap_or_default(),
        if *unknown { ". If you already run, enter your typical week" } else { "" }
    )]
    Base {
        race: String,
        base: String,
        weeks: i64,
        /// Weekly distance needed first.
        needed: String,
        /// Last day of data, if later runs are unknown.
        ended: Option<Day>,
        /// Whether the athlete may run more than is recorded.
        unknown: bool,
    },
    /// A tune-up race at an impossible date or distance.
    #[error(
        "a tune-up race must be between the start and ten days before the main race, and no longer than it; it cannot be on \
         a blocked day, during an absence or while you come back from an illness or injury"
    )]
    TuneUp,
    /// A tune-up race that is too long for the weekly distance.
    #[error(
        "a tune-up race of {race} is too long when you run {base} a week; choose one of at most {most}, or leave it out"
    )]
    TuneUpTooLong { race: String, base: String, most: String },
    /// Race day is blocked.
    #[error("the race on {0} is on a day you blocked; unblock it")]
    RaceBlocked(Day),
    /// Race day is in an absence.
    #[error("the race on {race} is on a day you marked as {why}; remove the absence, or choose a later race")]
    RaceUnavailable { race: Day, why: AbsenceReason },
    /// Fewer than three training days are left.
    #[error(
        "{} left before the race, not counting blocked days and absences, and at least three are needed; free some days, or \
         choose a later race",
        pluralize(*.0 as u64, "training day is", "training days are")
    )]
    TooFewTrainingDays(usize),
    /// The weeks do not suffice for the long runs of a marathon.
    #[error(
        "by {race} your longest run can grow to {longest}, and a marathon needs at least {needed}{}{}",
        later.map(|day| format!("; from {day} on there is enough time")).unwrap_or_default(),
        shorter.map(|goal| format!("; on {race} you could run {}", goal.with_article())).unwrap_or_default()
    )]
    LongestRunTooShort {
        race: Day,
        longest: String,
        needed: String,
        /// The earliest date that would fit.
        later: Option<Day>,
        /// The longest race that fits the date.
        shorter: Option<GoalDistance>,
    },
    /// No attempt passed the linter.
    #[error("no plan for this request passes the safety checks. {} To get a plan, {change}", findings.join(" "))]
    Unsafe {
        /// Texts of the lint findings of the best attempt.
        findings: Vec<String>,
        /// What would help: `leave out the target time, or choose a race eight weeks later`.
        change: String,
    },
    #[error(transparent)]
    Draft(#[from] DraftError),
}
