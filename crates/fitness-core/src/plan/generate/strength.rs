//! Strength workouts: on hard days, or on easy days that are not followed by a hard, long or race
//! day.

use super::PlanRequest;
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::TimeSpan;
use crate::plan::{Week, Workout, WorkoutKind};

/// Workouts per week, and minutes of each.
const SESSIONS_PER_WEEK: usize = 2;
const SESSION_MINUTES: i64 = 25;
/// Load per minute as a share of easy running.
const LOAD_FACTOR: f64 = 0.5;
/// Days before a race without strength.
const DAYS_BEFORE_RACE: i64 = 2;

/// Adds strength workouts to the weeks before race week, if requested. A week without suitable days
/// gets fewer.
pub(super) fn add(
    wish: &PlanRequest,
    weeks: &[Week],
    load: impl Fn(f64, f64) -> Option<f64>,
    workouts: &mut Vec<Workout>,
) {
    if !wish.strength {
        return;
    }
    let races: Vec<Day> = days_where(workouts, |workout| workout.kind == WorkoutKind::Race);
    let hard = days_where(workouts, |workout| workout.kind.is_quality());
    let easy =
        days_where(workouts, |workout| matches!(workout.kind, WorkoutKind::Easy | WorkoutKind::Strides));
    let demanding = days_where(workouts, |workout| is_demanding(workout.kind));
    let fits = |day: &Day| {
        !demanding.contains(&day.next())
            && races.iter().all(|race| !(0..=DAYS_BEFORE_RACE).contains(&day.days_until(*race)))
    };
    let mut chosen: Vec<Day> = Vec::new();
    for week in weeks.iter().take(weeks.len().saturating_sub(1)) {
        let mut this_week = 0;
        for day in hard.iter().chain(&easy).filter(|day| week.contains(**day) && fits(day)) {
            if this_week < SESSIONS_PER_WEEK && chosen.iter().all(|other| other.days_until(*day).abs() >= 2) {
                this_week += 1;
                chosen.push(*day);
            }
        }
    }
    workouts.extend(chosen.into_iter().map(|day| Workout {
        sport: Sport::Strength,
        kind: WorkoutKind::Strength,
        name: format!("Strength {SESSION_MINUTES} min"),
        duration: Some(TimeSpan::from_mins(SESSION_MINUTES)),
        load: load(SESSION_MINUTES as f64, LOAD_FACTOR),
        intensity: Some("Legs and core, after the run, well within your limits".to_owned()),
        ..Workout::rest(day)
    }));
}

/// Whether a workout needs fresh legs.
pub(super) const fn is_demanding(kind: WorkoutKind) -> bool {
    kind.is_quality() || matches!(kind, WorkoutKind::Long | WorkoutKind::Race)
}

fn days_where(workouts: &[Workout], wanted: impl Fn(&Workout) -> bool) -> Vec<Day> {
    workouts.iter().filter(|workout| wanted(workout)).map(|workout| workout.date).collect()
}
