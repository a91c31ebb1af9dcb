//! Assigns weekdays: the long run on its day, hard days apart from it and from each other, easy
//! days between.

use super::volume::{PlanWeek, VolumeInput};
use super::{PlanRequest, TuneUp, is_available};
use crate::domain::calendar::{Day, Weekday};
use crate::plan::Week;

/// Days of a week's runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct WeekRunDays {
    pub(super) long: Option<Day>,
    pub(super) hard: Vec<Day>,
    pub(super) easy: Vec<Day>,
}

/// Number of runs and hard workouts to place in a week.
#[derive(Debug, Clone, Copy)]
pub(super) struct WeekDemand {
    pub(super) runs: usize,
    pub(super) hard: usize,
}

/// Days already assigned, over the whole plan.
#[derive(Debug, Default)]
pub(super) struct AssignedDays {
    /// All long runs, assigned before any hard day.
    pub(super) longs: Vec<Day>,
    /// Hard days so far, including tune-up races.
    pub(super) hard: Vec<Day>,
    /// Every run so far.
    pub(super) runs: Vec<Day>,
}

/// Minimum days between hard days.
fn min_hard_day_gap(shape: &VolumeInput) -> i64 {
    if shape.is_masters { 3 } else { 2 }
}

/// Day of the long run in every week.
pub(super) fn long_run_days(wish: &PlanRequest, weeks: &[PlanWeek]) -> Vec<Option<Day>> {
    weeks
        .iter()
        .map(|week| if week.long_run_km > 0.0 { long_run_day(wish, week.week) } else { None })
        .collect()
}

pub(super) fn long_run_day(wish: &PlanRequest, week: Week) -> Option<Day> {
    let open: Vec<Day> =
        week.days().filter(|day| is_available(wish, *day) && !is_near_tune_up(wish, *day)).collect();
    let preferred = wish.long_day.map_or_else(|| vec![Weekday::Sun, Weekday::Sat], |day| vec![day]);
    preferred
        .iter()
        .find_map(|weekday| open.iter().copied().find(|day| day.weekday() == *weekday))
        .or_else(|| open.last().copied())
}

/// Whether a day is near a tune-up race: up to three days before it, and one day per 5 km after it.
pub(super) fn is_near_tune_up(wish: &PlanRequest, day: Day) -> bool {
    wish.tune_up.is_some_and(|TuneUp { on, distance }| {
        let after = (distance.km() / 5.0).ceil() as i64;
        (-3..=after.max(1)).contains(&on.days_until(day))
    })
}

/// Assigns the days of a week. `barred` days get nothing hard.
pub(super) fn assign_days(
    shape: &VolumeInput,
    wish: &PlanRequest,
    open: &[Day],
    long: Option<Day>,
    want: WeekDemand,
    taken: &AssignedDays,
    barred: impl Fn(Day) -> bool,
) -> WeekRunDays {
    let free: Vec<Day> = open.iter().copied().filter(|day| Some(*day) != long).collect();
    let apart = min_hard_day_gap(shape);
    let candidates: Vec<Day> = free
        .iter()
        .copied()
        .filter(|day| !barred(*day) && !is_near_tune_up(wish, *day))
        .filter(|day| taken.longs.iter().all(|long| long.days_until(*day).abs() >= 2))
        .filter(|day| taken.hard.iter().all(|hard| hard.days_until(*day).abs() >= apart))
        .collect();
    let hard = best_hard_days(&candidates, want.hard, apart, &taken.longs);
    let mut slots = WeekRunDays { long, hard, easy: Vec::new() };
    let runs = usize::from(long.is_some()) + slots.hard.len();
    for _ in runs..want.runs {
        let used: Vec<Day> = slots.long.iter().chain(&slots.hard).chain(&slots.easy).copied().collect();
        // The long runs of the neighbouring weeks count too.
        let others = || used.iter().chain(&taken.runs).chain(&taken.longs);
        let room = |day: &Day| others().map(|other| other.days_until(*day).abs()).min().unwrap_or(7);
        let next = free
            .iter()
            .filter(|day| !used.contains(day))
            .max_by_key(|day| (room(day), std::cmp::Reverse(**day)));
        match next {
            Some(day) => slots.easy.push(*day),
            None => break,
        }
    }
    slots.easy.sort_unstable();
    slots
}

/// The best hard days: farthest from the long runs and from each other; fewer if the days allow no
/// more.
fn best_hard_days(candidates: &[Day], count: usize, apart: i64, longs: &[Day]) -> Vec<Day> {
    let room = |day: Day| longs.iter().map(|long| long.days_until(day).abs()).min().unwrap_or(7);
    if count >= 2 {
        let pairs = candidates
            .iter()
            .enumerate()
            .flat_map(|(i, one)| candidates[i + 1..].iter().map(move |other| (*one, *other)));
        let fits = pairs.filter(|(one, other)| one.days_until(*other) >= apart);
        if let Some((one, other)) = fits.max_by_key(|(one, other)| {
            (room(*one).min(room(*other)).min(one.days_until(*other)), std::cmp::Reverse(*one))
        }) {
            return vec![one, other];
        }
    }
    if count >= 1 {
        return candidates
            .iter()
            .copied()
            .max_by_key(|day| (room(*day), std::cmp::Reverse(*day)))
            .into_iter()
            .collect();
    }
    Vec::new()
}
