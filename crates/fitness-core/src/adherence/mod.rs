//! How a plan was followed: what lies behind each verdict, week by week and in percent.
//!
//! Nothing here decides a verdict; [`grade`] does. This says which activities count towards which
//! workout, puts the verdicts together, and notes what no verdict says: that far more was done than asked, that a
//! workout seems to have been done on another day, that a rest day was run on. `docs/adherence.md` tells it in words.
//!
//! Start reading at [`follow`].

pub mod data_frontier;
pub mod grade;
mod match_suggestions;
mod matching;
mod percent;
mod steps;
mod weeks;

pub use match_suggestions::{
    MIN_REST_DAY_RUN, MatchSuggestion, OVERSHOOT_PERCENT, WorkoutNote, WorkoutNoteKind,
};
pub use matching::{MATCH_DAYS, MatchError, WorkoutActivities, check_match};
pub use percent::{Adherence, WeightBasis};
pub use steps::{
    CompareStepsError, StepActual, StepAlignment, StepComparison, StepResult, TargetResult, compare_steps,
};
pub use weeks::{PlannedVsActual, Volume, WeekProgress};

use crate::adherence::data_frontier::DataFrontier;
use crate::adherence::grade::{ActualAmounts, GradedWorkout, GradingRules, Schedule, Tally};
use crate::domain::calendar::Day;
use crate::domain::ids::{ActivityId, WorkoutId};
use crate::domain::observation::AbsenceDays;
use crate::domain::sport::Sport;
use crate::plan::PlannedWorkout;
use serde::Serialize;

/// An activity as far as a plan is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CompletedActivity {
    /// Its id.
    pub id: ActivityId,
    /// The local day it began.
    pub day: Day,
    /// What it was.
    pub sport: Sport,
    /// How much it was.
    #[serde(flatten)]
    pub amounts: ActualAmounts,
}

/// What the athlete said about a workout and an activity of another day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MatchDecision {
    /// The workout.
    pub workout: WorkoutId,
    /// The activity.
    pub activity: ActivityId,
    /// Whether it was this workout. A no is kept so that it is not offered again.
    pub accepted: bool,
}

/// What a plan is held against.
#[derive(Debug, Clone, Copy)]
pub struct AdherenceData<'a> {
    /// In the order they were begun.
    pub activities: &'a [CompletedActivity],
    /// The athlete's answers.
    pub matches: &'a [MatchDecision],
    /// How far the data reaches.
    pub frontier: DataFrontier,
    /// The days that are left out, and why.
    pub absences: &'a AbsenceDays,
}

/// A number for the plan as it is now, and for the plan as it was committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct CurrentAndOriginal {
    /// Against the current revision.
    pub current: Adherence,
    /// Against revision 1.
    pub original: Adherence,
}

/// How a plan was followed.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct AdherenceReport {
    /// A verdict for each workout, in their order.
    pub graded: Vec<GradedWorkout>,
    /// What lies behind each, in the same order.
    pub behind: Vec<WorkoutActivities>,
    /// How the judged ones add up.
    pub tally: Tally,
    /// Every week of the plan, Monday to Sunday, in order.
    pub weeks: Vec<WeekProgress>,
    /// How much of what was asked was done.
    pub adherence: CurrentAndOriginal,
    /// The same for the sessions a week hangs on.
    pub key_sessions: CurrentAndOriginal,
    /// What no verdict says.
    pub notes: Vec<WorkoutNote>,
    /// Activities of other days that may have been a workout; the athlete decides.
    pub offers: Vec<MatchSuggestion>,
    /// Activities from the start of the plan on that belong to no workout.
    pub unplanned: Vec<ActivityId>,
}

/// Grades a revision with the activities where the athlete says they belong.
#[must_use]
pub fn grade_workouts(
    start: Day,
    workouts: &[PlannedWorkout],
    data: &AdherenceData<'_>,
    rules: &GradingRules,
) -> Vec<GradedWorkout> {
    let placed = matching::assign_activities(workouts, data);
    let schedule = Schedule { start, workouts };
    let mut graded = grade::grade(schedule, &matching::day_totals(&placed), data.frontier, rules);
    grade::apply_absences(&mut graded, data.absences);
    graded
}

/// Holds a plan against the data: its current workouts, and those it was committed with.
///
/// ```
/// use fitness_core::adherence::{Data, DoneActivity, follow};
/// use fitness_core::adherence::data_frontier::{Coverage, Frontier};
/// use fitness_core::adherence::grade::{Done, Rules};
/// use fitness_core::domain::ids::{ActivityId, WorkoutId};
/// use fitness_core::domain::observation::ExcusedDays;
/// use fitness_core::plan::{PlannedWorkout, Workout, WorkoutKind};
/// use fitness_core::domain::sport::Sport;
/// use fitness_core::domain::units::Distance;
///
/// let run = |id, date: &str| PlannedWorkout {
///     id: WorkoutId::new(id),
///     workout: Workout {
///         sport: Sport::Running,
///         kind: WorkoutKind::Easy,
///         name: "Easy run".to_owned(),
///         distance: Distance::from_km(10.0),
///         ..Workout::rest(date.parse().unwrap())
///     },
/// };
/// let workouts = [run(1, "2026-06-09"), run(2, "2026-06-11")];
/// let ran = |id, date: &str, km| DoneActivity {
///     id: ActivityId::new(id),
///     day: date.parse().unwrap(),
///     sport: Sport::Running,
///     done: Done { distance: Distance::from_km(km), ..Done::default() },
/// };
/// // Tuesday's run was three quarters of what was asked; Thursday's was run on Friday.
/// let activities = [ran(1, "2026-06-09", 7.5), ran(2, "2026-06-12", 10.0)];
/// let frontier = Frontier::from_runs([Coverage::new(Some("2026-06-14".parse().unwrap()), None)]);
/// let excused = ExcusedDays::default();
/// let data = Data { activities: &activities, matches: &[], frontier, excused: &excused };
/// let followed = follow("2026-06-08".parse().unwrap(), &workouts, &workouts, &data, &Rules::default());
/// assert_eq!(followed.adherence.current.percent, Some(37));
/// // Friday's run is offered for Thursday, never taken.
/// assert_eq!((followed.offers[0].workout.get(), followed.offers[0].activity.get()), (2, 2));
/// ```
#[must_use]
pub fn evaluate_adherence(
    start: Day,
    workouts: &[PlannedWorkout],
    original: &[PlannedWorkout],
    data: &AdherenceData<'_>,
    rules: &GradingRules,
) -> AdherenceReport {
    let placed = matching::assign_activities(workouts, data);
    let graded = grade_workouts(start, workouts, data, rules);
    let behind = matching::activities_by_workout(workouts, &graded, &placed, data.frontier);
    let first = grade_workouts(start, original, data, rules);
    let of = |workouts: &[PlannedWorkout], graded: &[GradedWorkout], key: bool| {
        Adherence::from_graded(workouts.iter().zip(graded).filter(|(planned, _)| planned.workout.key || !key))
    };
    let both =
        |key| CurrentAndOriginal { current: of(workouts, &graded, key), original: of(original, &first, key) };
    let offers = match_suggestions::suggest_matches(start, workouts, &graded, &placed, data);
    AdherenceReport {
        notes: match_suggestions::workout_notes(
            start,
            workouts,
            &graded,
            &behind,
            &placed,
            &offers,
            data.frontier,
        ),
        unplanned: match_suggestions::unplanned_activities(start, workouts, &placed, data.frontier)
            .map(|(_, placed)| placed.activity.id)
            .collect(),
        weeks: weeks::week_progress(start, workouts, &graded, data),
        adherence: both(false),
        key_sessions: both(true),
        tally: Tally::from_graded(&graded),
        offers,
        behind,
        graded,
    }
}

#[cfg(test)]
mod tests;
