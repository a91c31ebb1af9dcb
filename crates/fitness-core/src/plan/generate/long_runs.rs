//! Long run of each week: grows by at most 10 % towards the length the race requires, within its
//! share of the week.

use super::PlanRequest;
use super::absences::return_periods;
use super::peak_volume::{desired_longest_km, max_km_by_duration};
use super::single_run_limit::{ALWAYS_ALLOWED_KM, RunHistory};
use super::volume::VolumeInput;
use super::weekdays::long_run_day;
use crate::plan::training_norms::{self, RaceClass};
use crate::plan::{TrainingBaseline, Week};

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
    /// Long runs of the build weeks: as fast as single runs may grow towards what the race needs,
    /// then the longest ones at least a week apart.
    pub(super) fn long_runs(&self) -> Vec<f64> {
        let Self { shape, weeks, volume, .. } = *self;
        let peak = volume.iter().copied().fold(0.0, f64::max);
        let (usual, error) = training_norms::long_share(shape.level);
        // Few weeks before a marathon a long run may be a larger part of its week than usual: too
        // short a longest run is the greater risk (Fokkema 2020).
        let few = shape.class == RaceClass::Full
            && (weeks.len() <= training_norms::MAX_WEEKS_WITHOUT_BUILD
                || (shape.is_too_short_to_build && shape.longest > usual * peak));
        let share = if few { error - SHARE_ERROR_MARGIN } else { usual - ROUNDING_MARGIN };
        self.long_runs_at(share)
    }

    /// Long runs with at most this share of each week.
    fn long_runs_at(&self, share: f64) -> Vec<f64> {
        let Self { shape, wish, athlete, weeks, easier, volume } = *self;
        let peak = volume.iter().copied().fold(0.0, f64::max);
        let want = target_longest_run(shape, peak, share);
        // Half and full marathon plans alternate: their longest runs take more than a week to recover
        // from.
        let alternate = shape.class >= RaceClass::Half;
        let longest = longest_run_weeks(easier);
        let mut done = RunHistory::before_plan(shape, wish, athlete);
        let ways = return_periods(wish, athlete);
        let mut longs: Vec<f64> = Vec::new();
        for (i, week) in weeks.iter().take(easier.len()).enumerate() {
            let Some(day) = long_run_day(wish, *week) else {
                longs.push(0.0);
                continue;
            };
            let most = ways
                .iter()
                .filter(|way| way.contains(day))
                .map(|way| way.max_km)
                .fold(f64::INFINITY, f64::min);
            let wished = match longest.contains(&i) || !alternate {
                true => want,
                false => want * BETWEEN_LONGEST_SHARE,
            };
            let mut long = wished
                .min(shape.max_run_after(done.longest_run_before(day)).max(ALWAYS_ALLOWED_KM))
                .min(long_run_km(share, volume[i]))
                .min(most);
            if easier[i] {
                let before = longs.iter().rev().copied().find(|long| *long > 0.0).unwrap_or(shape.longest);
                long = long.min(before.max(ALWAYS_ALLOWED_KM) * CUTBACK_LONG_RUN_SHARE);
            }
            let long = shape.floor_long(long).max(shape.min_run_km().min(volume[i]));
            done.push(day, long);
            longs.push(long);
        }
        longs
    }
}

/// Build weeks with one of the longest runs: the last one, then every second one before it, never
/// in a cut-back week.
fn longest_run_weeks(easier: &[bool]) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    for i in (0..easier.len()).rev().filter(|i| !easier[*i]) {
        if chosen.last().is_none_or(|last| last - i >= 2) {
            chosen.push(i);
        }
    }
    chosen
}

/// Long runs between the longest ones, as a share of them: below the 90 % that count as longest.
const BETWEEN_LONGEST_SHARE: f64 = 0.85;
/// Long run of a cut-back week as a share of the one before.
const CUTBACK_LONG_RUN_SHARE: f64 = 0.75;

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

/// The longest run that the plan aims for: what the race needs, or what the athlete runs already,
/// within its share of the peak week.
fn target_longest_run(shape: &VolumeInput, peak: f64, share: f64) -> f64 {
    let most = training_norms::max_longest_run(shape.level, shape.race).min(max_km_by_duration(shape));
    let wanted = desired_longest_km(shape).max(shape.longest.min(most));
    shape.floor_long(wanted.min(long_run_km(share, peak)))
}

/// Margin below the error limit for the share of the last long run.
const SHARE_ERROR_MARGIN: f64 = 0.05;

/// Longest other run as a share of the long run.
pub(super) const MAX_OTHER_RUN_SHARE: f64 = 0.85;

/// Largest share of a small week that its long run may be.
const SMALL_WEEK_LONG_RUN_SHARE: f64 = 0.485;

/// Margin so that rounded distances stay below a limit.
pub(super) const ROUNDING_MARGIN: f64 = 0.015;
