//! The long run of each week: towards what the race asks for, by a tenth at a time, and as much of its week as it may be.

use super::Wish;
use super::longest_run::{FREE, LastRuns};
use super::unavailable_days::ways_back;
use super::volume::Shape;
use super::weekdays::long_day;
use crate::plan::training_norms::{self, Class};
use crate::plan::{Background, Level, Week};

/// The building weeks, for which long runs are wanted.
pub(super) struct Building<'a> {
    pub(super) shape: &'a Shape,
    pub(super) wish: &'a Wish,
    pub(super) athlete: &'a Background,
    pub(super) weeks: &'a [Week],
    pub(super) easier: &'a [bool],
    pub(super) volume: &'a [f64],
}

impl Building<'_> {
    /// Their long runs: towards what the race asks for, never more than a tenth beyond the longest run of the 30 days before.
    pub(super) fn long_runs(&self) -> Vec<f64> {
        let Self { shape, weeks, volume, .. } = *self;
        let peak = volume.iter().copied().fold(0.0, f64::max);
        let least = training_norms::longest_at_least(shape.level, shape.race);
        // Three weeks before a marathon there is one long run left: as far as the last month carries it, within what is no error.
        if shape.class == Class::Full && weeks.len() == training_norms::NO_BUILD {
            let share = training_norms::long_share(shape.level).1 - LAST_CHANCE;
            return self.long_runs_at(share);
        }
        // Weeks too few to build anything keep the longest run there was, within the same.
        if shape.class == Class::Full && shape.hold && peak > 0.0 {
            let (usual, error) = training_norms::long_share(shape.level);
            let kept = (shape.longest / peak).min(error - LAST_CHANCE);
            if kept > usual && shape.longest < least {
                return self.long_runs_at(kept);
            }
        }
        // A bigger share of the week is worth it only where it brings the run to the length the race asks for.
        let share = share_of_week(shape, peak);
        let longs = self.long_runs_at(share);
        let longest = longs.iter().copied().fold(0.0, f64::max);
        let usual = training_norms::long_share(shape.level).0 - MARGIN;
        if share > usual && longest < enough(shape) {
            return self.long_runs_at(usual);
        }
        longs
    }

    /// With so much of each week as may be.
    fn long_runs_at(&self, share: f64) -> Vec<f64> {
        let Self { shape, wish, athlete, weeks, easier, volume } = *self;
        let peak = volume.iter().copied().fold(0.0, f64::max);
        let want = longest_wanted(shape, peak, share);
        // Without a run in the last 30 days it is the one that is never too long.
        let start = if shape.longest > 0.0 { shape.longest } else { FREE }.min(want);
        let mut done = LastRuns::before(shape, wish, athlete);
        let ways = ways_back(wish, athlete);
        let mut longs: Vec<f64> = Vec::new();
        for (i, week) in weeks.iter().take(easier.len()).enumerate() {
            let Some(day) = long_day(wish, *week) else {
                longs.push(0.0);
                continue;
            };
            let before = done.longest_before(day);
            let most =
                ways.iter().filter(|way| way.contains(day)).map(|way| way.most).fold(f64::INFINITY, f64::min);
            let progress = ((i + 1) as f64 / (0.85 * easier.len() as f64)).min(1.0);
            let wished = start + (want - start) * progress;
            let mut long =
                wished.min((before * shape.spike()).max(FREE)).min(long_in(share, volume[i])).min(most);
            if easier[i] {
                long *= 0.80;
            }
            let long = shape.floor_long(long).max(shape.shortest().min(volume[i]));
            done.push(day, long);
            longs.push(long);
        }
        longs
    }
}

/// Kilometres of a long run that has a share of its week. In a week too small for R6 to look at it may be as long as in the
/// smallest that it does look at, as long as it is not more than half: it is what later long runs grow from.
pub(super) fn long_in(share: f64, km: f64) -> f64 {
    (share * km.max(training_norms::SHARED_WEEK)).min(share.max(HALF) * km)
}

/// What of a week its runs can hold, of which all others are shorter than the long one; a smaller week may have fewer.
pub(super) fn held_by(km: f64, long: f64, runs: impl Fn(f64) -> usize) -> f64 {
    let most = |km: f64| long * (1.0 + OTHERS * runs(km).saturating_sub(1) as f64);
    let mut held = km;
    while most(held) < held - 1e-6 {
        held = most(held);
    }
    held
}

/// The longest run the plan works towards.
fn longest_wanted(shape: &Shape, peak: f64, share: f64) -> f64 {
    let usual = match shape.level {
        Level::Novice => 0.44,
        Level::Intermediate => 0.36,
        Level::Advanced => 0.30,
    };
    let least = (training_norms::longest_at_least(shape.level, shape.race) / shape.step).ceil() * shape.step;
    let most = training_norms::longest_at_most(shape.level, shape.race);
    (usual * peak).clamp(least, most.max(least)).min(share * peak).min(in_time(shape))
}

/// Kilometres of the longest run that does not take too long.
fn in_time(shape: &Shape) -> f64 {
    let (hours, _) = training_norms::long_hours(shape.level);
    shape.pace.map_or(f64::INFINITY, |pace| hours * 3600.0 / pace)
}

/// How far the share of the last long run stays below an error.
const LAST_CHANCE: f64 = 0.05;

/// The share of a long run that the other runs of its week have at most.
pub(super) const OTHERS: f64 = 0.85;

/// The share of a small week that its long run may be.
const HALF: f64 = 0.485;

/// Rounded distances may not end up above a limit.
pub(super) const MARGIN: f64 = 0.015;

/// Kilometres of a longest run that a bigger share of the week is worth taking for: what the race asks for, and before a
/// marathon what those ran at least who were not later than others.
fn enough(shape: &Shape) -> f64 {
    training_norms::longest_at_least(shape.level, shape.race).min(NOT_LATER)
}

/// Kilometres below which the longest run before a marathon cost about 13 minutes (Fokkema 2020).
const NOT_LATER: f64 = 25.0;

/// The share of a week its long run may have: a little more than usual where that brings it to the length the race asks
/// for. Short of that length is the worse of the two (Fokkema 2020).
fn share_of_week(shape: &Shape, peak: f64) -> f64 {
    let (share, _) = training_norms::long_share(shape.level);
    let least = training_norms::longest_at_least(shape.level, shape.race);
    let enough = enough(shape);
    let reached =
        least > (share - MARGIN) * peak && enough <= (share + 0.06) * peak && enough <= in_time(shape);
    if reached { share + 0.06 } else { share - MARGIN }
}
