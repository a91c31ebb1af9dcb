//! What was run, and what is planned so far: no run goes more than a tenth beyond the longest of the 30 days before it.

use super::PlanRequest;
use super::unavailable_days::{ReturnPeriod, return_periods};
use super::volume::{Phase, PlanWeek, VolumeProfile};
use super::week_layout::WorkoutBuilder;
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::training_norms::SHORT_RUN_KM;
use crate::plan::{Size, TrainingBaseline, Workout, WorkoutKind, planned_running_distance};

/// Kilometres that are never a leap, whatever was run before.
pub(super) const ALWAYS_ALLOWED_KM: f64 = SHORT_RUN_KM;
/// Days from the last day of data to the plan after which more than the data's last weeks would have to speak for them.
const STALE_DATA_DAYS: i64 = 14;

/// Runs, done and planned. Kilometres.
pub(super) struct RunHistory {
    runs: Vec<(Day, f64)>,
    return_periods: Vec<ReturnPeriod>,
}

impl RunHistory {
    /// Those before a plan. A longest run that is typed in may be less than what was run, and counts then.
    pub(super) fn before_plan(shape: &VolumeProfile, wish: &PlanRequest, athlete: &TrainingBaseline) -> Self {
        let said = athlete.self_reported.longest.map_or(f64::INFINITY, Distance::km);
        let mut runs: Vec<(Day, f64)> =
            athlete.runs.iter().map(|run| (run.day, run.distance.km().min(said))).collect();
        // Where the data ended long before the plan, what it last said still holds.
        if !athlete.has_recorded_base() || athlete.as_of.days_until(wish.start) > STALE_DATA_DAYS {
            runs.push((wish.start.previous(), shape.longest));
        }
        Self { runs, return_periods: return_periods(wish, athlete) }
    }

    pub(super) fn push(&mut self, day: Day, km: f64) {
        self.runs.push((day, km));
    }

    /// The longest of the 30 days before a day; after an injury only what was run since counts.
    pub(super) fn longest_run_before(&self, day: Day) -> f64 {
        let back = self.return_periods.iter().rfind(|way| way.first <= day);
        let since = back.and_then(ReturnPeriod::history_start);
        let counts =
            |ran: Day| (1..=30).contains(&ran.days_until(day)) && since.is_none_or(|since| ran >= since);
        self.runs.iter().filter(|(ran, _)| counts(*ran)).map(|(_, km)| *km).fold(0.0, f64::max)
    }
}

/// Makes runs shorter that go more than a tenth beyond the longest of the 30 days before, as the plan has them in the end.
pub(super) fn cap_runs(maker: &WorkoutBuilder<'_>, athlete: &TrainingBaseline, workouts: &mut [Workout]) {
    let mut done = RunHistory::before_plan(maker.shape, maker.wish, athlete);
    workouts.sort_by_key(|workout| workout.date);
    for workout in workouts.iter_mut().filter(|workout| workout.sport == Sport::Running) {
        let day = workout.date;
        let most = (done.longest_run_before(day) * maker.shape.max_jump()).max(ALWAYS_ALLOWED_KM);
        if workout.kind != WorkoutKind::Race {
            shorten(maker, workout, most);
        }
        done.push(day, workout.distance.map_or(0.0, Distance::km));
    }
}

/// Makes a taper lighter that would be as full as the fullest week: where the runs of that one had to be shorter than they
/// were meant to be, the weeks after it follow them.
pub(super) fn cap_taper(maker: &WorkoutBuilder<'_>, weeks: &[PlanWeek], workouts: &mut [Workout]) {
    let race = maker.wish.race;
    let (taper, build): (Vec<&PlanWeek>, Vec<&PlanWeek>) =
        weeks.iter().partition(|week| week.phase == Phase::Taper);
    let meant = build.iter().map(|week| week.km).fold(0.0, f64::max);
    let has =
        |week: &PlanWeek, workouts: &[Workout]| planned_running_distance(workouts, week.week, race).km();
    let fullest = build.iter().map(|week| has(week, workouts)).fold(0.0, f64::max);
    // Who could hardly run before it comes back in it.
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

/// The share of the fullest week that a week of the taper has at most.
const MAX_TAPER_WEEK_SHARE: f64 = 0.97;
/// The share of a usual week that is hardly any running.
const NEGLIGIBLE_WEEK_SHARE: f64 = 0.25;

/// Makes a run shorter, if it is longer than so many kilometres.
pub(super) fn shorten(maker: &WorkoutBuilder<'_>, workout: &mut Workout, most: f64) {
    let shape = maker.shape;
    if workout.distance.is_none_or(|far| far.km() <= most + 1e-6) {
        return;
    }
    let floor = if workout.kind == WorkoutKind::Long { shape.floor_long(most) } else { shape.floor(most) };
    let most = floor.max(shape.min_small_week_run_km());
    *workout = match workout.kind {
        WorkoutKind::Long => maker.long_run(workout.date, most, None),
        WorkoutKind::Easy => maker.easy_run(workout.date, most, false),
        WorkoutKind::Strides => maker.easy_run(workout.date, most, true),
        _ => workout.resized(Size::Distance(Distance::from_km(most).unwrap_or_default())),
    };
}
