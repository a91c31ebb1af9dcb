//! What was run, and what is planned so far: no run goes more than a tenth beyond the longest of the 30 days before it.

use super::Wish;
use super::unavailable_days::{WayBack, ways_back};
use super::volume::{Phase, PlanWeek, Shape};
use super::week_layout::Maker;
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::training_norms::SHORT_RUN;
use crate::plan::{Background, Size, Workout, WorkoutKind, planned_running};

/// Kilometres that are never a leap, whatever was run before.
pub(super) const FREE: f64 = SHORT_RUN;
/// Days from the last day of data to the plan after which more than the data's last weeks would have to speak for them.
const STALE: i64 = 14;

/// Runs, done and planned. Kilometres.
pub(super) struct LastRuns {
    runs: Vec<(Day, f64)>,
    ways: Vec<WayBack>,
}

impl LastRuns {
    /// Those before a plan. A longest run that is typed in may be less than what was run, and counts then.
    pub(super) fn before(shape: &Shape, wish: &Wish, athlete: &Background) -> Self {
        let said = athlete.stated.longest.map_or(f64::INFINITY, Distance::km);
        let mut runs: Vec<(Day, f64)> =
            athlete.runs.iter().map(|run| (run.day, run.distance.km().min(said))).collect();
        // Where the data ended long before the plan, what it last said still holds.
        if !athlete.is_recorded() || athlete.as_of.until(wish.start) > STALE {
            runs.push((wish.start.previous(), shape.longest));
        }
        Self { runs, ways: ways_back(wish, athlete) }
    }

    pub(super) fn push(&mut self, day: Day, km: f64) {
        self.runs.push((day, km));
    }

    /// The longest of the 30 days before a day; after an injury only what was run since counts.
    pub(super) fn longest_before(&self, day: Day) -> f64 {
        let back = self.ways.iter().rfind(|way| way.first <= day);
        let since = back.and_then(WayBack::counts_since);
        let counts = |ran: Day| (1..=30).contains(&ran.until(day)) && since.is_none_or(|since| ran >= since);
        self.runs.iter().filter(|(ran, _)| counts(*ran)).map(|(_, km)| *km).fold(0.0, f64::max)
    }
}

/// Makes runs shorter that go more than a tenth beyond the longest of the 30 days before, as the plan has them in the end.
pub(super) fn hold(maker: &Maker<'_>, athlete: &Background, workouts: &mut [Workout]) {
    let mut done = LastRuns::before(maker.shape, maker.wish, athlete);
    workouts.sort_by_key(|workout| workout.date);
    for workout in workouts.iter_mut().filter(|workout| workout.sport == Sport::Running) {
        let day = workout.date;
        let most = (done.longest_before(day) * maker.shape.spike()).max(FREE);
        if workout.kind != WorkoutKind::Race {
            shorten(maker, workout, most);
        }
        done.push(day, workout.distance.map_or(0.0, Distance::km));
    }
}

/// Makes a taper lighter that would be as full as the fullest week: where the runs of that one had to be shorter than they
/// were meant to be, the weeks after it follow them.
pub(super) fn hold_taper(maker: &Maker<'_>, weeks: &[PlanWeek], workouts: &mut [Workout]) {
    let race = maker.wish.race;
    let (taper, build): (Vec<&PlanWeek>, Vec<&PlanWeek>) =
        weeks.iter().partition(|week| week.phase == Phase::Taper);
    let meant = build.iter().map(|week| week.km).fold(0.0, f64::max);
    let has = |week: &PlanWeek, workouts: &[Workout]| planned_running(workouts, week.week, race).km();
    let fullest = build.iter().map(|week| has(week, workouts)).fold(0.0, f64::max);
    // Who could hardly run before it comes back in it.
    if fullest <= HARDLY * maker.shape.base {
        return;
    }
    for week in taper {
        let km = has(week, workouts);
        if km <= fullest * LIGHTER {
            continue;
        }
        let share = (week.km * fullest / meant).min(fullest * LIGHTER) / km;
        let within = |workout: &&mut Workout| week.week.contains(workout.date) && workout.date != race;
        for run in workouts.iter_mut().filter(within).filter(|workout| workout.sport == Sport::Running) {
            let far = run.distance.map_or(0.0, Distance::km);
            shorten(maker, run, far * share);
        }
    }
}

/// The share of the fullest week that a week of the taper has at most.
const LIGHTER: f64 = 0.97;
/// The share of a usual week that is hardly any running.
const HARDLY: f64 = 0.25;

/// Makes a run shorter, if it is longer than so many kilometres.
pub(super) fn shorten(maker: &Maker<'_>, workout: &mut Workout, most: f64) {
    let shape = maker.shape;
    if workout.distance.is_none_or(|far| far.km() <= most + 1e-6) {
        return;
    }
    let floor = if workout.kind == WorkoutKind::Long { shape.floor_long(most) } else { shape.floor(most) };
    let most = floor.max(shape.least());
    *workout = match workout.kind {
        WorkoutKind::Long => maker.long(workout.date, most, None),
        WorkoutKind::Easy => maker.easy(workout.date, most, false),
        WorkoutKind::Strides => maker.easy(workout.date, most, true),
        _ => workout.resized(Size::Distance(Distance::from_km(most).unwrap_or_default())),
    };
}
