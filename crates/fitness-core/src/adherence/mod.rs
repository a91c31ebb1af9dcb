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

pub use match_suggestions::{Note, NoteKind, OVER_PERCENT, Offer, REST_DAY_RUN};
pub use matching::{Behind, MATCH_DAYS, NoMatch, check_match};
pub use percent::{Adherence, WeighedBy};
pub use steps::{AlignedBy, Comparison, Kept, NotCompared, StepActual, StepResult, compare_steps};
pub use weeks::{Versus, Volume, WeekProgress};

use crate::adherence::data_frontier::Frontier;
use crate::adherence::grade::{Done, Graded, Rules, Schedule, Tally};
use crate::domain::calendar::Day;
use crate::domain::ids::{ActivityId, WorkoutId};
use crate::domain::observation::ExcusedDays;
use crate::domain::sport::Sport;
use crate::plan::PlannedWorkout;
use serde::Serialize;

/// An activity as far as a plan is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DoneActivity {
    /// Its id.
    pub id: ActivityId,
    /// The local day it began.
    pub day: Day,
    /// What it was.
    pub sport: Sport,
    /// How much it was.
    #[serde(flatten)]
    pub done: Done,
}

/// What the athlete said about a workout and an activity of another day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Match {
    /// The workout.
    pub workout: WorkoutId,
    /// The activity.
    pub activity: ActivityId,
    /// Whether it was this workout. A no is kept so that it is not offered again.
    pub accepted: bool,
}

/// What a plan is held against.
#[derive(Debug, Clone, Copy)]
pub struct Data<'a> {
    /// In the order they were begun.
    pub activities: &'a [DoneActivity],
    /// The athlete's answers.
    pub matches: &'a [Match],
    /// How far the data reaches.
    pub frontier: Frontier,
    /// The days that are left out, and why.
    pub excused: &'a ExcusedDays,
}

/// A number for the plan as it is now, and for the plan as it was committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Both {
    /// Against the current revision.
    pub current: Adherence,
    /// Against revision 1.
    pub original: Adherence,
}

/// How a plan was followed.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Followed {
    /// A verdict for each workout, in their order.
    pub graded: Vec<Graded>,
    /// What lies behind each, in the same order.
    pub behind: Vec<Behind>,
    /// How the judged ones add up.
    pub tally: Tally,
    /// Every week of the plan, Monday to Sunday, in order.
    pub weeks: Vec<WeekProgress>,
    /// How much of what was asked was done.
    pub adherence: Both,
    /// The same for the sessions a week hangs on.
    pub key_sessions: Both,
    /// What no verdict says.
    pub notes: Vec<Note>,
    /// Activities of other days that may have been a workout; the athlete decides.
    pub offers: Vec<Offer>,
    /// Activities from the start of the plan on that belong to no workout.
    pub unplanned: Vec<ActivityId>,
}

/// Grades a revision with the activities where the athlete says they belong.
#[must_use]
pub fn verdicts(start: Day, workouts: &[PlannedWorkout], data: &Data<'_>, rules: &Rules) -> Vec<Graded> {
    let placed = matching::placed(workouts, data);
    let schedule = Schedule { start, workouts };
    let mut graded = grade::grade(schedule, &matching::totals(&placed), data.frontier, rules);
    grade::excuse(&mut graded, data.excused);
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
pub fn follow(
    start: Day,
    workouts: &[PlannedWorkout],
    original: &[PlannedWorkout],
    data: &Data<'_>,
    rules: &Rules,
) -> Followed {
    let placed = matching::placed(workouts, data);
    let graded = verdicts(start, workouts, data, rules);
    let behind = matching::behind(workouts, &graded, &placed, data.frontier);
    let first = verdicts(start, original, data, rules);
    let of = |workouts: &[PlannedWorkout], graded: &[Graded], key: bool| {
        Adherence::of(workouts.iter().zip(graded).filter(|(planned, _)| planned.workout.key || !key))
    };
    let both = |key| Both { current: of(workouts, &graded, key), original: of(original, &first, key) };
    let offers = match_suggestions::offers(start, workouts, &graded, &placed, data);
    Followed {
        notes: match_suggestions::notes(start, workouts, &graded, &behind, &placed, &offers, data.frontier),
        unplanned: match_suggestions::unplanned(start, workouts, &placed, data.frontier)
            .map(|(_, placed)| placed.activity.id)
            .collect(),
        weeks: weeks::weeks(start, workouts, &graded, data),
        adherence: both(false),
        key_sessions: both(true),
        tally: Tally::of(&graded),
        offers,
        behind,
        graded,
    }
}

#[cfg(test)]
mod tests;
