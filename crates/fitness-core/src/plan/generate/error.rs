//! What cannot be planned for.

use crate::domain::calendar::Day;
use crate::domain::observation::AbsenceReason;
use crate::domain::untrusted_text::pluralize;
use crate::plan::{DraftError, Weekdays};

/// Why no plan was drafted. Each says what to change.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GenerateError {
    /// The race was.
    #[error("the race on {0} is not in the future; give a later day")]
    Past(Day),
    /// The start leaves nothing to train in.
    #[error("a plan cannot start on {start} for a race on {race}; give an earlier start, or none")]
    StartsTooLate {
        /// The first day.
        start: Day,
        /// The day of the race.
        race: Day,
    },
    /// Nothing can be trained any more.
    #[error(
        "the race on {0} is too near to plan for: training needs at least 5 days to show; rest, and run easy if you run"
    )]
    TooNear(Day),
    /// Longer than anybody plans.
    #[error("the race on {0} is more than two years away; give a day within two years")]
    TooFar(Day),
    /// No human runs that.
    #[error("{0}; give a slower target, or none")]
    Target(String),
    /// Beyond 50 km nothing published supports a time.
    #[error("beyond 50 km there is no evidence to plan a time from; leave the target out")]
    TargetBeyondEvidence,
    /// A race cannot be trained for on so few days.
    #[error(
        "{needed} days a week are needed for this race, and {given} {} free; free another weekday",
        if *given == 1 { "is" } else { "are" }
    )]
    TooFewDays {
        /// Days it takes.
        needed: usize,
        /// Days there are.
        given: usize,
    },
    /// The weekday of the long run is not one to train on.
    #[error("the long run's weekday is not one of the days you train on ({0}); name one of them")]
    LongDay(Weekdays),
    /// The level is asked for, not guessed.
    #[error(
        "your history is shorter than 28 days; say how used to running you are: new to it, intermediate or advanced"
    )]
    MissingLevel,
    /// The step from here to there is too big for the time.
    #[error(
        "{race} from {base} a week needs at least {weeks} weeks; choose a later race or a shorter one, or build up to {needed} \
         a week first{}{}",
        ended.map(|day| format!(". Your data ends on {day}, and nothing says that you ran since")).unwrap_or_default(),
        if *unknown { ". If you run already, say how much in a usual week" } else { "" }
    )]
    Base {
        /// The race.
        race: String,
        /// What is run now.
        base: String,
        /// Weeks it takes.
        weeks: i64,
        /// What a week should hold before.
        needed: String,
        /// The last day of data, where what was run since is not known.
        ended: Option<Day>,
        /// Whether the athlete may run more than is known.
        unknown: bool,
    },
    /// A race along the way that does not fit.
    #[error(
        "the race along the way must lie between the start and ten days before the main race, on a day that is neither \
         blocked nor marked nor in the time of coming back after an illness or an injury, and be no longer than the main race"
    )]
    TuneUp,
    /// A race along the way that is no training any more.
    #[error(
        "a race of {race} along the way is too much beside the {base} you run in a week; choose one of at most {most}, or \
         leave it out"
    )]
    TuneUpTooLong {
        /// How far it is.
        race: String,
        /// What is run in a week.
        base: String,
        /// How far one may be.
        most: String,
    },
    /// The day of the race is one without training.
    #[error("the race on {0} is one of the days you cannot train; take it out of the blocked days")]
    RaceBlocked(Day),
    /// The day of the race is marked as one without training.
    #[error(
        "the race on {race} is on a day you marked as {why}; take the mark back with `fitness day unmark`, or choose a \
         later race"
    )]
    RaceUnavailable {
        /// The day.
        race: Day,
        /// What it is marked as.
        why: AbsenceReason,
    },
    /// Nothing is left to train on.
    #[error(
        "{} left before the race, by your weekdays and without what is blocked or marked, and three are needed; free some, or \
         choose a later race",
        pluralize(*.0 as u64, "day to train is", "days to train are")
    )]
    TooFewTrainingDays(usize),
    /// The rules contradict each other for this athlete.
    #[error(
        "no plan without a safety error and with at most two warnings can be made for this: {said} What would help: {change}"
    )]
    Unsafe {
        /// What the linter says about the best there is.
        said: String,
        /// What to change.
        change: String,
    },
    /// The parts do not make a plan.
    #[error(transparent)]
    Draft(#[from] DraftError),
}
