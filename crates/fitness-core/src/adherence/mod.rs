//! Adherence: compares a plan with recorded activities, by workout, by week and in percent.
//!
//! Only [`grade`] decides verdicts. This module assigns activities to workouts, adds up verdicts,
//! and adds notes: far more was done than planned, a workout seems to have been done on another
//! day, a run on a rest day. See `docs/adherence.md`.
//!
//! Start reading at [`evaluate_adherence`].

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
use crate::adherence::grade::{ActualAmounts, GradedWorkout, GradingRules, PlanToGrade, Tally};
use crate::domain::calendar::Day;
use crate::domain::ids::{ActivityId, WorkoutId};
use crate::domain::observation::AbsenceReasonByDay;
use crate::domain::sport::Sport;
use crate::plan::PlannedWorkout;
use serde::Serialize;

/// The parts of an activity that count for a plan.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CompletedActivity {
    pub id: ActivityId,
    /// Local day of its start.
    pub day: Day,
    pub sport: Sport,
    #[serde(flatten)]
    pub amounts: ActualAmounts,
}

/// The athlete's decision whether an activity of another day was a workout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MatchDecision {
    pub workout: WorkoutId,
    pub activity: ActivityId,
    /// Whether it was this workout. A rejection is stored so that it is not suggested again.
    pub accepted: bool,
}

/// The data that a plan is compared with.
#[derive(Debug, Clone, Copy)]
pub struct AdherenceData<'a> {
    pub activities: &'a [CompletedActivity],
    pub matches: &'a [MatchDecision],
    /// Through which day the data is complete.
    pub frontier: DataFrontier,
    /// Days that do not count, and why.
    pub absences: &'a AbsenceReasonByDay,
}

/// Adherence to the current revision and to the activated one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct CurrentAndOriginalAdherence {
    pub current: Adherence,
    pub original: Adherence,
}

/// The complete adherence report of a plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct AdherenceReport {
    /// Verdict of each workout, in order.
    pub graded: Vec<GradedWorkout>,
    /// Activities behind each verdict, in the same order.
    pub behind: Vec<WorkoutActivities>,
    /// Counts of graded workouts.
    pub tally: Tally,
    /// All weeks of the plan, Monday to Sunday.
    pub weeks: Vec<WeekProgress>,
    /// Adherence over all workouts.
    pub adherence: CurrentAndOriginalAdherence,
    /// Adherence over key workouts.
    pub key_sessions: CurrentAndOriginalAdherence,
    pub notes: Vec<WorkoutNote>,
    /// Suggested matches with activities of other days; the athlete decides.
    pub offers: Vec<MatchSuggestion>,
    /// Activities since the start of the plan that match no workout.
    pub unplanned: Vec<ActivityId>,
}

/// Grades a revision, including the athlete's match decisions and absences.
#[must_use]
pub fn grade_workouts(
    start: Day,
    workouts: &[PlannedWorkout],
    data: &AdherenceData<'_>,
    rules: &GradingRules,
) -> Vec<GradedWorkout> {
    let placed = matching::assign_activities(workouts, data);
    let schedule = PlanToGrade { start, workouts };
    let mut graded = grade::grade(schedule, &matching::day_totals(&placed), data.frontier, rules);
    grade::apply_absences(&mut graded, data.absences);
    graded
}

/// Evaluates a plan: its current workouts, and those it was activated with.
///
/// ```
/// use fitness_core::adherence::{AdherenceData, CompletedActivity, evaluate_adherence};
/// use fitness_core::adherence::data_frontier::{DataFrontier, ImportCoverage};
/// use fitness_core::adherence::grade::{ActualAmounts, GradingRules};
/// use fitness_core::domain::ids::{ActivityId, WorkoutId};
/// use fitness_core::domain::observation::AbsenceReasonByDay;
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
/// let ran = |id, date: &str, km| CompletedActivity {
///     id: ActivityId::new(id),
///     day: date.parse().unwrap(),
///     sport: Sport::Running,
///     amounts: ActualAmounts { distance: Distance::from_km(km), ..ActualAmounts::default() },
/// };
/// // Tuesday's run had 75 % of the planned distance; Thursday's workout was done on Friday.
/// let activities = [ran(1, "2026-06-09", 7.5), ran(2, "2026-06-12", 10.0)];
/// let complete_through = "2026-06-14".parse().unwrap();
/// let frontier = DataFrontier::from_runs([ImportCoverage::new(Some(complete_through), None)]);
/// let absences = AbsenceReasonByDay::default();
/// let data =
///     AdherenceData { activities: &activities, matches: &[], frontier, absences: &absences };
/// let (start, rules) = ("2026-06-08".parse().unwrap(), GradingRules::default());
/// let report = evaluate_adherence(start, &workouts, &workouts, &data, &rules);
/// assert_eq!(report.adherence.current.percent, Some(37));
/// // Friday's run is suggested for Thursday, but does not count until the athlete accepts it.
/// assert_eq!((report.offers[0].workout.get(), report.offers[0].activity.get()), (2, 2));
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
    let both = |key| CurrentAndOriginalAdherence {
        current: of(workouts, &graded, key),
        original: of(original, &first, key),
    };
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
