//! How big the peak week gets: what the goal time asks for, what the weeks allow, and what the
//! running days can hold.

use super::PlanRequest;
use super::goal_time::finish_on_race_day;
use super::long_runs::ROUNDING_MARGIN;
use super::volume::VolumeInput;
use crate::domain::units::Distance;
use crate::plan::training_norms::{self, RaceClass};
use crate::plan::{GoalSupport, Level, TrainingBaseline, goal_support};

/// Race time in minutes, and the range of peak weeks that runners of that time train, in
/// kilometres; the last row is for all slower ones. Between the weekly volumes by finish time of
/// Muniz-Pumares 2025 and the peaks of published plans.
type GoalRows = &'static [(f64, f64, f64)];

const fn goal_rows(class: RaceClass) -> GoalRows {
    match class {
        RaceClass::FiveK => {
            &[(18.0, 60.0, 100.0), (21.0, 45.0, 70.0), (26.0, 32.0, 50.0), (f64::INFINITY, 25.0, 40.0)]
        }
        RaceClass::TenK => {
            &[(38.0, 65.0, 100.0), (45.0, 48.0, 75.0), (55.0, 36.0, 55.0), (f64::INFINITY, 28.0, 42.0)]
        }
        RaceClass::Half => {
            &[(85.0, 75.0, 110.0), (100.0, 58.0, 85.0), (120.0, 42.0, 65.0), (f64::INFINITY, 32.0, 48.0)]
        }
        RaceClass::Full => &[
            (180.0, 90.0, 120.0),
            (210.0, 75.0, 95.0),
            (240.0, 60.0, 80.0),
            (270.0, 52.0, 68.0),
            (f64::INFINITY, 48.0, 60.0),
        ],
    }
}

/// Where in the range a plan aims.
const GOAL_RANGE_SHARE: f64 = 0.6;
/// Growth of time with distance (Riegel 1981).
const RIEGEL_EXPONENT: f64 = 1.06;
/// Without a known time: largest ratio of the peak to the base, also from this age.
const MAX_GROWTH_WITHOUT_TIME: f64 = 1.5;
const MAX_GROWTH_FROM_55: f64 = 1.4;
const OLDER_RUNNER_AGE: u32 = 55;

/// Peak week for the goal, in kilometres.
pub(super) fn goal_peak_km(wish: &PlanRequest, shape: &VolumeInput, athlete: &TrainingBaseline) -> f64 {
    let finish = finish_on_race_day(athlete, wish.start, wish.race);
    let time = finish.map(|finish| match wish.target {
        Some(target) if goal_support(target, finish) == GoalSupport::Supported => target,
        _ => finish.time,
    });
    let Some(time) = time.filter(|_| shape.race <= training_norms::MAX_EVIDENCE_DISTANCE) else {
        return unknown_time_peak_km(shape, athlete);
    };
    let usual = [5.0, 10.0, 21.0975, 42.195][shape.class.index()];
    let minutes = time.seconds() / 60.0 * (usual / shape.race.km()).powf(RIEGEL_EXPONENT);
    let rows = goal_rows(shape.class);
    let (_, low, high) = rows.iter().find(|(below, ..)| minutes < *below).unwrap_or(&rows[rows.len() - 1]);
    low + GOAL_RANGE_SHARE * (high - low)
}

/// Without a known time: the bottom of the published range for the level, within what the base
/// allows.
fn unknown_time_peak_km(shape: &VolumeInput, athlete: &TrainingBaseline) -> f64 {
    let (bottom, _) = training_norms::peak_bracket(shape.level, shape.race);
    let (lowest, _) = training_norms::peak_bracket(Level::Novice, shape.race);
    let older = athlete.age.is_some_and(|age| age >= OLDER_RUNNER_AGE);
    let most = shape.base * if older { MAX_GROWTH_FROM_55 } else { MAX_GROWTH_WITHOUT_TIME };
    bottom.min(most).max(lowest)
}

/// The week that the longest run the race needs fits into.
pub(super) fn long_run_peak_km(shape: &VolumeInput) -> f64 {
    let hours = training_norms::SUFFICIENT_LONG_RUN_HOURS * 3600.0 / shape.assumed_pace();
    let needed = training_norms::min_longest_run(shape.level, shape.race).min(hours);
    let (share, _) = training_norms::long_share(shape.level);
    (needed + shape.rounding_step) / (share - ROUNDING_MARGIN)
}

/// What the running days can hold: the long run, and other runs of a sensible length.
pub(super) fn days_peak_km(shape: &VolumeInput, longest: f64) -> f64 {
    let each = training_norms::max_mean_run_minutes(shape.level) * 60.0 / shape.assumed_pace();
    longest + shape.max_runs.saturating_sub(1) as f64 * each
}

/// The largest sensible next week after a loaded week.
pub(super) fn next_loaded_week_km(shape: &VolumeInput, km: f64) -> f64 {
    let growth = match (km, shape.is_masters) {
        (..40.0, false) => 1.10,
        (..70.0, false) => 1.08,
        (_, false) => 1.05,
        (..40.0, true) => 1.07,
        (..70.0, true) => 1.05,
        (_, true) => 1.04,
    };
    (km * growth).max(km + MIN_STEP_KM)
}

/// A loaded week may always grow by this. Kilometres.
const MIN_STEP_KM: f64 = 2.5;

/// Weeks before the race by which the peak should be reached.
pub(super) const fn weeks_from_peak_to_race(class: RaceClass) -> usize {
    match class {
        RaceClass::FiveK | RaceClass::TenK => 3,
        RaceClass::Half => 4,
        RaceClass::Full => 5,
    }
}

/// The longest run a plan aims for: what the race needs and the level usually runs, within a
/// duration. Kilometres.
pub(super) fn desired_longest_km(shape: &VolumeInput) -> f64 {
    let usual = match shape.level {
        Level::Novice => [9.0, 12.0, 17.5, 29.0],
        Level::Intermediate => [11.5, 14.5, 20.0, 32.0],
        Level::Advanced => [14.0, 18.0, 24.0, 34.0],
    };
    let mut km = training_norms::interpolate(shape.race, usual);
    if shape.race > Distance::MARATHON {
        // Beyond the marathon the long run grows with the logarithm of the distance.
        km *= 1.0 + (shape.race.km() / Distance::MARATHON.km()).ln() * ULTRA_GROWTH;
    }
    km.min(max_km_by_duration(shape))
}

const ULTRA_GROWTH: f64 = 0.35;

/// Longest run within the duration limit (R7), in kilometres.
pub(super) fn max_km_by_duration(shape: &VolumeInput) -> f64 {
    let (hours, _) = training_norms::long_hours(shape.level);
    hours * 3600.0 / shape.assumed_pace()
}
