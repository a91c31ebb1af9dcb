//! Strength workouts: on hard days, or on easy days that are not followed by a hard, long or race
//! day.

use super::PlanRequest;
use super::volume::Phase;
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::TimeSpan;
use crate::plan::library::{self, StrengthWorkout};
use crate::plan::{Week, Workout, WorkoutKind};

/// Workouts per week, and in the taper.
const SESSIONS_PER_WEEK: usize = 2;
const SESSIONS_PER_TAPER_WEEK: usize = 1;
/// Weeks after which a phase moves on to its next strength workout.
const WEEKS_PER_STEP: usize = 3;
/// Load per minute as a share of easy running.
const LOAD_FACTOR: f64 = 0.5;
/// Days before a race without strength.
const DAYS_BEFORE_RACE: i64 = 2;

/// Adds strength workouts to the weeks before race week, if requested. A week without suitable days
/// gets fewer.
pub(super) fn add(
    wish: &PlanRequest,
    weeks: &[(Week, Phase)],
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
    let mut chosen: Vec<(Day, &StrengthWorkout)> = Vec::new();
    for (number, (week, phase)) in weeks.iter().take(weeks.len().saturating_sub(1)).enumerate() {
        let earlier = weeks[..number].iter().filter(|(_, before)| before == phase).count();
        let suitable: Vec<&StrengthWorkout> =
            library::strength_workouts().iter().filter(|workout| workout.fits(*phase)).collect();
        let step = (earlier / WEEKS_PER_STEP).min(suitable.len().saturating_sub(1));
        let most = if *phase == Phase::Taper { SESSIONS_PER_TAPER_WEEK } else { SESSIONS_PER_WEEK };
        let mut this_week = 0;
        for day in hard.iter().chain(&easy).filter(|day| week.contains(**day) && fits(day)) {
            if this_week < most && chosen.iter().all(|(other, _)| other.days_until(*day).abs() >= 2) {
                this_week += 1;
                chosen.extend(suitable.get(step).map(|workout| (*day, *workout)));
            }
        }
    }
    workouts.extend(chosen.into_iter().map(|(day, workout)| Workout {
        sport: Sport::Strength,
        kind: WorkoutKind::Strength,
        name: workout.name.clone(),
        duration: Some(TimeSpan::from_mins(workout.minutes)),
        load: load(workout.minutes as f64, LOAD_FACTOR),
        intensity: Some("After the run, well within your limits".to_owned()),
        description: Some(format!("{}. {}", workout.exercises.join("; "), workout.why)),
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
