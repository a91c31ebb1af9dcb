//! Long run of each week: grows by at most 10 % towards the length the race requires, within its
//! share of the week.

use super::PlanRequest;
use super::absences::return_periods;
use super::single_run_limit::{ALWAYS_ALLOWED_KM, RunHistory};
use super::volume::VolumeInput;
use super::weekdays::long_run_day;
use crate::plan::training_norms::{self, RaceClass};
use crate::plan::{Level, TrainingBaseline, Week};

/// The build weeks, as input for their long runs.
pub(super) struct BuildWeeks<'a> {
    pub(super) shape: &'a VolumeInput,
    pub(super) wish: &'a PlanRequest,
    pub(super) athlete: &'a TrainingBaseline,
    pub(super) weeks: &'a [Week],
    pub(super) easier: &'a [bool],
    pub(super) volume: &'a [f64],
}

impl BuildWeeks<'_> {
    /// Long runs of the build weeks: towards what the race requires, at most 10 % longer than the
    /// longest run of the 30 days before.
    pub(super) fn long_runs(&self) -> Vec<f64> {
        let Self { shape, weeks, volume, .. } = *self;
        let peak = volume.iter().copied().fold(0.0, f64::max);
        let least = training_norms::min_longest_run(shape.level, shape.race);
        // Three weeks before a marathon one long run is left: as long as the last month allows
        // without an error.
        if shape.class == RaceClass::Full && weeks.len() == training_norms::MAX_WEEKS_WITHOUT_BUILD {
            let share = training_norms::long_share(shape.level).1 - SHARE_ERROR_MARGIN;
            return self.long_runs_at(share);
        }
        // Too few weeks to build: keep the longest run, within the same limit.
        if shape.class == RaceClass::Full && shape.is_too_short_to_build && peak > 0.0 {
            let (usual, error) = training_norms::long_share(shape.level);
            let kept = (shape.longest / peak).min(error - SHARE_ERROR_MARGIN);
            if kept > usual && shape.longest < least {
                return self.long_runs_at(kept);
            }
        }
        // A larger share of the week is used only if it reaches the length the race requires.
        let share = long_run_week_share(shape, peak);
        let longs = self.long_runs_at(share);
        let longest = longs.iter().copied().fold(0.0, f64::max);
        let usual = training_norms::long_share(shape.level).0 - ROUNDING_MARGIN;
        if share > usual && longest < sufficient_longest_run(shape) {
            return self.long_runs_at(usual);
        }
        longs
    }

    /// Long runs with at most this share of each week.
    fn long_runs_at(&self, share: f64) -> Vec<f64> {
        let Self { shape, wish, athlete, weeks, easier, volume } = *self;
        let peak = volume.iter().copied().fold(0.0, f64::max);
        let want = target_longest_run(shape, peak, share);
        // Without a run in the last 30 days, start from the distance that is always allowed.
        let start = if shape.longest > 0.0 { shape.longest } else { ALWAYS_ALLOWED_KM }.min(want);
        let mut done = RunHistory::before_plan(shape, wish, athlete);
        let ways = return_periods(wish, athlete);
        let mut longs: Vec<f64> = Vec::new();
        for (i, week) in weeks.iter().take(easier.len()).enumerate() {
            let Some(day) = long_run_day(wish, *week) else {
                longs.push(0.0);
                continue;
            };
            let before = done.longest_run_before(day);
            let most = ways
                .iter()
                .filter(|way| way.contains(day))
                .map(|way| way.max_km)
                .fold(f64::INFINITY, f64::min);
            let progress = ((i + 1) as f64 / (0.85 * easier.len() as f64)).min(1.0);
            let wished = start + (want - start) * progress;
            let mut long = wished
                .min((before * shape.max_jump()).max(ALWAYS_ALLOWED_KM))
                .min(long_run_km(share, volume[i]))
                .min(most);
            if easier[i] {
                long *= 0.80;
            }
            let long = shape.floor_long(long).max(shape.min_run_km().min(volume[i]));
            done.push(day, long);
            longs.push(long);
        }
        longs
    }
}

/// Kilometres of a long run with this share of its week. In weeks too small for R6 it may be as
/// long as in the smallest week R6 checks, but at most half, because later long runs grow from it.
pub(super) fn long_run_km(share: f64, km: f64) -> f64 {
    (share * km.max(training_norms::MIN_WEEK_FOR_SHARE_KM)).min(share.max(SMALL_WEEK_LONG_RUN_SHARE) * km)
}

/// Volume that the runs of a week can hold if all are shorter than the long run; a smaller week may
/// have fewer runs.
pub(super) fn week_capacity_km(km: f64, long: f64, runs: impl Fn(f64) -> usize) -> f64 {
    let most = |km: f64| long * (1.0 + MAX_OTHER_RUN_SHARE * runs(km).saturating_sub(1) as f64);
    let mut held = km;
    while most(held) < held - 1e-6 {
        held = most(held);
    }
    held
}

/// The longest run that the plan aims for.
fn target_longest_run(shape: &VolumeInput, peak: f64, share: f64) -> f64 {
    let usual = match shape.level {
        Level::Novice => 0.44,
        Level::Intermediate => 0.36,
        Level::Advanced => 0.30,
    };
    let least = (training_norms::min_longest_run(shape.level, shape.race) / shape.rounding_step).ceil()
        * shape.rounding_step;
    let most = training_norms::max_longest_run(shape.level, shape.race);
    (usual * peak).clamp(least, most.max(least)).min(share * peak).min(max_km_by_duration(shape))
}

/// Longest run within the duration limit (R7), in kilometres.
fn max_km_by_duration(shape: &VolumeInput) -> f64 {
    let (hours, _) = training_norms::long_hours(shape.level);
    shape.pace.map_or(f64::INFINITY, |pace| hours * 3600.0 / pace)
}

/// Margin below the error limit for the share of the last long run.
const SHARE_ERROR_MARGIN: f64 = 0.05;

/// Longest other run as a share of the long run.
pub(super) const MAX_OTHER_RUN_SHARE: f64 = 0.85;

/// Largest share of a small week that its long run may be.
const SMALL_WEEK_LONG_RUN_SHARE: f64 = 0.485;

/// Margin so that rounded distances stay below a limit.
pub(super) const ROUNDING_MARGIN: f64 = 0.015;

/// Longest run worth a larger share of the week: what the race requires, and for a marathon at most
/// 25 km.
fn sufficient_longest_run(shape: &VolumeInput) -> f64 {
    training_norms::min_longest_run(shape.level, shape.race).min(MIN_MARATHON_LONG_RUN_KM)
}

/// A longest run below this cost marathon runners about 13 minutes (Fokkema 2020). Kilometres.
const MIN_MARATHON_LONG_RUN_KM: f64 = 25.0;

/// Share of a week for its long run: slightly more than usual if that reaches the required length,
/// because too short a long run is the greater risk (Fokkema 2020).
fn long_run_week_share(shape: &VolumeInput, peak: f64) -> f64 {
    let (share, _) = training_norms::long_share(shape.level);
    let least = training_norms::min_longest_run(shape.level, shape.race);
    let enough = sufficient_longest_run(shape);
    let reached = least > (share - ROUNDING_MARGIN) * peak
        && enough <= (share + 0.06) * peak
        && enough <= max_km_by_duration(shape);
    if reached { share + 0.06 } else { share - ROUNDING_MARGIN }
}
