//! Keeps each run within 10 % of the longest run of the 30 days before it.

use super::PlanRequest;
use super::absences::{ReturnPeriod, return_periods};
use super::volume::{Phase, PlanWeek, VolumeInput};
use super::week_layout::WorkoutBuilder;
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::library;
use crate::plan::training_norms::SHORT_RUN_KM;
use crate::plan::{TrainingBaseline, Workout, WorkoutKind, planned_running_distance};

/// Runs up to this distance are always allowed. Kilometres.
pub(super) const ALWAYS_ALLOWED_KM: f64 = SHORT_RUN_KM;
/// If the data ended more days than this before the plan, its last longest run still counts.
const STALE_DATA_DAYS: i64 = 14;

/// Recorded and planned runs. Kilometres.
pub(super) struct RunHistory {
    runs: Vec<(Day, f64)>,
    return_periods: Vec<ReturnPeriod>,
}

impl RunHistory {
    /// Runs before the plan. A self-reported longest run lowers recorded ones.
    pub(super) fn before_plan(shape: &VolumeInput, wish: &PlanRequest, athlete: &TrainingBaseline) -> Self {
        let said = athlete.self_reported.longest.map_or(f64::INFINITY, Distance::km);
        let mut runs: Vec<(Day, f64)> =
            athlete.runs.iter().map(|run| (run.day, run.distance.km().min(said))).collect();
        // If the data ended long before the plan, its last longest run still counts.
        if !athlete.has_recorded_base() || athlete.as_of.days_until(wish.start) > STALE_DATA_DAYS {
            runs.push((wish.start.previous(), shape.longest));
        }
        Self { runs, return_periods: return_periods(wish, athlete) }
    }

    pub(super) fn push(&mut self, day: Day, km: f64) {
        self.runs.push((day, km));
    }

    /// The longest run of the 30 days before a day; after an injury, only of those since.
    pub(super) fn longest_run_before(&self, day: Day) -> f64 {
        let back = self.return_periods.iter().rfind(|way| way.first <= day);
        let since = back.and_then(ReturnPeriod::history_start);
        let counts =
            |ran: Day| (1..=30).contains(&ran.days_until(day)) && since.is_none_or(|since| ran >= since);
        self.runs.iter().filter(|(ran, _)| counts(*ran)).map(|(_, km)| *km).fold(0.0, f64::max)
    }
}

/// Shortens runs that are more than 10 % longer than the longest of the 30 days before.
pub(super) fn cap_runs(maker: &WorkoutBuilder<'_>, athlete: &TrainingBaseline, workouts: &mut [Workout]) {
    let mut done = RunHistory::before_plan(maker.shape, maker.wish, athlete);
    workouts.sort_by_key(|workout| workout.date);
    for workout in workouts.iter_mut().filter(|workout| workout.sport == Sport::Running) {
        let day = workout.date;
        let most = maker.shape.max_run_after(done.longest_run_before(day)).max(ALWAYS_ALLOWED_KM);
        if workout.kind != WorkoutKind::Race {
            shorten(maker, workout, most);
        }
        done.push(day, workout.distance.map_or(0.0, Distance::km));
    }
}

/// Lightens taper weeks that would be as big as the peak week, if its runs had to be shortened.
pub(super) fn cap_taper(maker: &WorkoutBuilder<'_>, weeks: &[PlanWeek], workouts: &mut [Workout]) {
    let race = maker.wish.race;
    let (taper, build): (Vec<&PlanWeek>, Vec<&PlanWeek>) =
        weeks.iter().partition(|week| week.phase == Phase::Taper);
    let meant = build.iter().map(|week| week.km).fold(0.0, f64::max);
    let has =
        |week: &PlanWeek, workouts: &[Workout]| planned_running_distance(workouts, week.week, race).km();
    let fullest = build.iter().map(|week| has(week, workouts)).fold(0.0, f64::max);
    // After hardly any running before the taper, the taper weeks are the return.
    if fullest <= NEGLIGIBLE_WEEK_SHARE * maker.shape.base {
        return;
    }
    for week in taper {
        let km = has(week, workouts);
        if km <= fullest * MAX_TAPER_WEEK_SHARE {
            continue;
        }
        let share = (week.km * fullest / meant).min(fullest * MAX_TAPER_WEEK_SHARE) / km;
        let within = |workout: &&mut Workout| week.week.contains(workout.date) && workout.date != race;
        for run in workouts.iter_mut().filter(within).filter(|workout| workout.sport == Sport::Running) {
            let far = run.distance.map_or(0.0, Distance::km);
            shorten(maker, run, far * share);
        }
    }
}

/// Largest taper week as a share of the peak week.
const MAX_TAPER_WEEK_SHARE: f64 = 0.97;
/// Share of a usual week that counts as hardly any running.
const NEGLIGIBLE_WEEK_SHARE: f64 = 0.25;

/// Shortens a run to at most `most` kilometres.
pub(super) fn shorten(maker: &WorkoutBuilder<'_>, workout: &mut Workout, most: f64) {
    let shape = maker.shape;
    if workout.distance.is_none_or(|far| far.km() <= most + 1e-6) {
        return;
    }
    let floor = if workout.kind == WorkoutKind::Long { shape.floor_long(most) } else { shape.floor(most) };
    let most = floor.max(shape.min_small_week_run_km());
    *workout = match workout.kind {
        WorkoutKind::Long => maker.long_run(workout.date, most, None),
        WorkoutKind::Easy => maker.easy_run(workout.date, most, None),
        WorkoutKind::Strides => {
            maker.easy_run(workout.date, most, library::progression(library::ProgressionKey::Strides).next())
        }
        _ => maker
            .with_shorter_warmup(workout, most)
            .unwrap_or_else(|| maker.easy_run(workout.date, most, None)),
    };
}
