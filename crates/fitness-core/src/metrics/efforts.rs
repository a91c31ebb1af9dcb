//! Best efforts: a runner's fastest times over standard distances within one activity.

use super::curve::PrefixSums;
use super::per_second::{SampledRecording, Series, Timeline, top_speed as top_running_speed};
use super::round_to_4_decimals;
use crate::domain::sport::Sport;
use crate::domain::stream::{Channel, Recording};
use crate::domain::units::{Distance, TimeSpan};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The fastest segment over a distance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BestEffort {
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
    /// Offset from the activity's start.
    #[serde(rename = "start_ms")]
    pub start: TimeSpan,
    /// Time including pauses, as in a race.
    #[serde(rename = "time_ms")]
    pub time: TimeSpan,
    /// Mean heart rate, if at least 90 % is known.
    pub heart_rate: Option<f64>,
    /// Net elevation change per metre, if the altitude at both ends is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net_grade: Option<f64>,
}

/// Distance (mm) and approximate world record, seconds (men, 2025; interpolated where there is
/// none). Only a bound for broken data, so a few seconds do not matter.
const WORLD_RECORDS: [(i64, f64); 15] = [
    (400_000, 43.0),
    (800_000, 100.9),
    (1_000_000, 132.0),
    (1_609_344, 223.1),
    (3_000_000, 437.6),
    (3_218_688, 474.1),
    (5_000_000, 755.4),
    (10_000_000, 1571.0),
    (15_000_000, 2400.0),
    (16_093_440, 2580.0),
    (20_000_000, 3230.0),
    (21_097_500, 3402.0),
    (30_000_000, 5070.0),
    (42_195_000, 7235.0),
    (50_000_000, 9523.0),
];

/// Speeds above this multiple of the record are measurement errors.
const MAX_RECORD_FACTOR: f64 = 1.25;
/// Maximum plausible speed over a distance, mm/s.
fn top_speed(distance: i64, record: f64) -> f64 {
    MAX_RECORD_FACTOR * distance as f64 / record
}

/// A longer step in which distance was covered is a GPS gap, milliseconds.
const GAP_MS: i64 = 15_000;
/// Across a longer gap no segment is measured, milliseconds: nobody knows how the way was covered.
const MAX_GAP_MS: i64 = 300_000;
/// A gap may be this much faster than the running around it and still count as recorded.
const GAP_SPEED_FACTOR: f64 = 1.25;
/// A faster gap is bridged up to this length, milliseconds.
const BRIDGED_GAP_MS: i64 = 60_000;
/// Impossible speed for longer than this is not a GPS error but a ride, milliseconds.
const MAX_BURST_MS: i64 = 20_000;
/// How far before and after a burst the running speed is taken from, milliseconds.
const AROUND_MS: i64 = 30_000;
/// A slower step is a pause, mm/s. Its time counts, as in a race.
const STANDING_MM_S: i64 = 500;

/// Points of (milliseconds, millimetres) from the activity's start. Both are ascending, the time
/// strictly.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TimeDistanceCurve(Vec<(i64, i64)>);

impl TimeDistanceCurve {
    /// Uses the recorded distance, or integrates the speed if there is none.
    #[must_use]
    pub fn from_recording(recording: &Recording, sampled: &SampledRecording) -> Self {
        let told = recording.column(Channel::Distance).map(|column| {
            let points = recording.offsets_ms().iter().zip(column.samples());
            Self::new(points.filter_map(|(ms, mm)| Some((i64::from(*ms), i64::from(mm?)))))
        });
        told.filter(|track| track.length() > Distance::ZERO).unwrap_or_else(|| Self::from_speed(sampled))
    }

    /// Points in order of time. Distances that are negative or go backwards are dropped, and so are
    /// points that were reached at an impossible speed when the distance falls back behind them; of
    /// several at one time the last counts.
    pub fn new(points: impl IntoIterator<Item = (i64, i64)>) -> Self {
        let mut track: Vec<(i64, i64)> = Vec::new();
        let impossible = i64::from(top_running_speed(Sport::Running));
        let jumped = |from: &(i64, i64), to: &(i64, i64)| {
            (to.1 - from.1).saturating_mul(1000) > impossible.saturating_mul(to.0 - from.0)
        };
        for (ms, mm) in points.into_iter().filter(|(_, mm)| *mm >= 0) {
            while let [.., from, to] = track.as_slice()
                && mm < to.1
                && mm >= from.1
                && jumped(from, to)
            {
                track.pop();
            }
            match track.last_mut() {
                Some(last) if mm < last.1 || ms < last.0 => {}
                Some(last) if ms == last.0 => last.1 = mm,
                _ => track.push((ms, mm)),
            }
        }
        Self(track)
    }

    fn from_speed(sampled: &SampledRecording) -> Self {
        let (Some(speed), line) = (&sampled.speed, &sampled.timeline) else { return Self::default() };
        let mut way = 0;
        let mut points = Vec::with_capacity(line.len() + 1);
        for chunk in line.chunks() {
            let begin = line.offset_ms(chunk.at.start);
            points.push((begin, way));
            for (second, index) in (1..).zip(chunk.at.clone()) {
                way += i64::from(speed[index].unwrap_or(0));
                points.push((begin + second * 1000, way));
            }
        }
        Self::new(points)
    }

    #[must_use]
    pub fn length(&self) -> Distance {
        let ends = self.0.first().zip(self.0.last());
        Distance::from_mm(ends.map_or(0, |(first, last)| last.1 - first.1))
    }

    /// Whether the step to a point is a GPS gap.
    fn is_gap(step: &[(i64, i64)]) -> bool {
        let (time, way) = (step[1].0 - step[0].0, step[1].1 - step[0].1);
        time > GAP_MS && way.saturating_mul(1000) > STANDING_MM_S * time
    }

    /// Bridges GPS gaps and returns the steps that no segment may contain; step k goes from point
    /// k − 1 to point k. A gap counts as recorded if it is not much faster than the running around
    /// it; a faster one of up to a minute is shortened to that speed.
    fn bridge_gaps(&mut self, around: &PlausibleSpeed) -> Vec<bool> {
        let mut broken = vec![false; self.0.len()];
        let mut shorter = Vec::new();
        for (high, step) in (1..).zip(self.0.windows(2)).filter(|(_, step)| Self::is_gap(step)) {
            let (time, way) = (step[1].0 - step[0].0, step[1].1 - step[0].1);
            let usual = around.distance_in(time, &self.0, high - 1, high);
            let as_recorded = time <= MAX_GAP_MS && way as f64 <= GAP_SPEED_FACTOR * usual as f64;
            if !as_recorded && time <= BRIDGED_GAP_MS {
                shorter.push((high, usual));
            } else {
                broken[high] = !as_recorded;
            }
        }
        self.shorten(&shorter);
        broken
    }

    /// Bridges the bursts marked in `fast`: their steps above `top` mm/s are shortened to the speed
    /// around the burst. What is too fast for longer than [`MAX_BURST_MS`] is broken.
    fn bridge_bursts(&mut self, top: f64, fast: &[bool], around: &PlausibleSpeed, broken: &mut [bool]) {
        let mut shorter = Vec::new();
        let mut high = 0;
        while high < fast.len() {
            if !fast[high] {
                high += 1;
                continue;
            }
            let length = fast[high..].iter().take_while(|fast| **fast).count();
            let burst = high..high + length;
            let time_of = |step: usize| self.0[step].0 - self.0[step - 1].0;
            let too_fast = |step: &usize| {
                (self.0[*step].1 - self.0[*step - 1].1) as f64 * 1000.0 > top * time_of(*step) as f64
            };
            let steps: Vec<usize> = burst.clone().filter(too_fast).collect();
            if steps.iter().map(|step| time_of(*step)).sum::<i64>() <= MAX_BURST_MS {
                let usual =
                    |step: usize| around.distance_in(time_of(step), &self.0, burst.start - 1, burst.end - 1);
                shorter.extend(steps.into_iter().map(|step| (step, usual(step))));
            } else {
                broken[burst.clone()].fill(true);
            }
            high = burst.end;
        }
        self.shorten(&shorter);
    }

    /// Shortens steps, given in order, to a distance in millimetres.
    fn shorten(&mut self, steps: &[(usize, i64)]) {
        let Some((first, _)) = steps.first() else { return };
        let (mut steps, mut removed) = (steps.iter().peekable(), 0);
        let mut before = self.0[first - 1].1;
        for high in *first..self.0.len() {
            let here = self.0[high].1;
            if let Some((_, way)) = steps.next_if(|(step, _)| *step == high) {
                removed += (here - before - way).max(0);
            }
            before = here;
            self.0[high].1 = here - removed;
        }
    }

    /// Steps faster than the maximum over the longest distance. A segment can only be too fast if
    /// one of its steps is, so without such steps nothing is broken. Most runs have none.
    fn too_fast_steps(&self) -> Vec<usize> {
        // Lowered by more than the rounding error of a division.
        let top = WORLD_RECORDS
            .iter()
            .map(|(distance, record)| top_speed(*distance, *record))
            .fold(f64::MAX, f64::min);
        let most = (top * 0.999) as i64;
        let hasty = |step: &[(i64, i64)]| {
            (step[1].1 - step[0].1).saturating_mul(1000) > most.saturating_mul(step[1].0 - step[0].0)
        };
        (1..).zip(self.0.windows(2)).filter(|(_, step)| hasty(step)).map(|(high, _)| high).collect()
    }

    /// Marks steps in `broken` that are part of a segment faster than 1.25 times the record.
    /// Segments are 1/60 of the record's time, 2 to 10 s: long enough to tolerate jitter, short
    /// enough that a GPS jump cannot create a best effort.
    fn find_broken(&self, distance: i64, record: f64, hasty: &[usize], broken: &mut [bool]) {
        if hasty.is_empty() {
            return;
        }
        let top = top_speed(distance, record);
        let stretch = ((record / 60.0).clamp(2.0, 10.0) * 1000.0) as i64;
        let points = &self.0;
        // Difference array of broken ranges, so that marking a range is O(1).
        let mut turns = vec![0_i32; points.len() + 1];
        let mut high = 0;
        for hasty in hasty {
            // Every segment that contains this step, except those already checked for the step
            // before.
            high = high.max(*hasty);
            let enough = |point: &(i64, i64)| points[high].0 - point.0 >= stretch;
            let mut low = points[..high].partition_point(enough).saturating_sub(1);
            while high < points.len() {
                while low + 1 < high && points[high].0 - points[low + 1].0 >= stretch {
                    low += 1;
                }
                if low >= *hasty {
                    break;
                }
                // The shortest segment that is long enough, and the longest that is not: a jump
                // right after a long pause would be averaged away.
                for from in [low, low + 1] {
                    let (time, way) = (points[high].0 - points[from].0, points[high].1 - points[from].1);
                    if way as f64 * 1000.0 > top * time.max(stretch) as f64 {
                        turns[from + 1] += 1;
                        turns[high + 1] -= 1;
                    }
                }
                high += 1;
            }
            if high == points.len() {
                break;
            }
        }
        let mut depth = 0;
        for (turn, broken) in turns.iter().zip(broken) {
            depth += turn;
            *broken |= depth > 0;
        }
    }

    /// The fastest time over a distance: its start and length in milliseconds. Two pointers, each
    /// passing every point once; the left edge is interpolated at constant speed. 10 km at even
    /// pace in 50:00 contain 5 km in 25:00.0.
    fn fastest(&self, distance: i64, broken: &[bool]) -> Option<(f64, f64)> {
        let point = |index: usize| self.0.get(index).copied().unwrap_or((i64::MAX, i64::MAX));
        // The left edge lies between `left` and the next point, `right`.
        let (mut low, mut left, mut right) = (0, point(0), point(1));
        let (mut best, mut best_ms): (Option<(f64, f64)>, i64) = (None, i64::MAX);
        for (high, ((now, here), broken)) in (1..).zip(self.0.iter().zip(broken).skip(1)) {
            if *broken {
                (low, left, right) = (high, point(high), point(high + 1));
                continue;
            }
            // A segment that starts here or earlier is not faster. The cheap time check comes
            // first, so the start is located only for the few points that could improve the best.
            let latest = now.saturating_sub(best_ms);
            while right.0 <= latest {
                (low, left, right) = (low + 1, right, point(low + 2));
            }
            let last = here - distance;
            if left.1 > last {
                continue;
            }
            while right.1 <= last {
                (low, left, right) = (low + 1, right, point(low + 2));
            }
            let part =
                if right.1 > left.1 { (last - left.1) as f64 / (right.1 - left.1) as f64 } else { 0.0 };
            let start = left.0 as f64 + part.min(1.0) * (right.0 - left.0) as f64;
            let time = *now as f64 - start;
            if best.is_none_or(|(_, fastest)| time < fastest) {
                (best, best_ms) = (Some((start, time)), (time.ceil() as i64).max(1));
            }
        }
        best
    }
}

/// Running speed of a track without the steps that are too fast to be true.
struct PlausibleSpeed {
    /// For each point, the time (ms) and distance (mm) of the plausible steps up to it.
    sums: Vec<(i64, i64)>,
}

impl PlausibleSpeed {
    fn new(points: &[(i64, i64)], hasty: &[usize]) -> Self {
        let (mut hasty, mut sum) = (hasty.iter().peekable(), (0, 0));
        let mut sums = vec![sum; points.len().min(1)];
        for (high, step) in (1..).zip(points.windows(2)) {
            if hasty.next_if(|hasty| **hasty == high).is_none() {
                sum = (sum.0 + step[1].0 - step[0].0, sum.1 + step[1].1 - step[0].1);
            }
            sums.push(sum);
        }
        Self { sums }
    }

    /// How far the athlete gets in a time (ms) at the mean speed of the 30 s before the point
    /// `from` and after the point `to`, else at the mean of the whole track; millimetres.
    fn distance_in(&self, time: i64, points: &[(i64, i64)], from: usize, to: usize) -> i64 {
        let first = points.partition_point(|point| point.0 < points[from].0 - AROUND_MS);
        let last = points.partition_point(|point| point.0 <= points[to].0 + AROUND_MS) - 1;
        let between = |low: usize, high: usize| {
            let (low, high) = (self.sums[low], self.sums[high]);
            (high.0 - low.0, high.1 - low.1)
        };
        let (before, after) = (between(first, from), between(to, last));
        let (all_ms, all_mm) = match (before.0 + after.0, before.1 + after.1) {
            (0, _) => self.sums.last().copied().unwrap_or_default(),
            near => near,
        };
        if all_ms == 0 { 0 } else { (all_mm as f64 / all_ms as f64 * time as f64) as i64 }
    }
}

/// The fastest time over each standard distance of the track, 400 m to 50 km.
///
/// A GPS error makes neither a best effort nor prevents one: bursts of impossible speed and short
/// gaps are bridged at the speed of the running around them. Bridging only shortens steps and holds
/// for all longer distances, so a longer distance never takes less time.
#[must_use]
pub fn efforts(
    track: &TimeDistanceCurve,
    timeline: &Timeline,
    heart: Option<&PrefixSums>,
    altitude: Option<&Series<f32>>,
) -> Vec<BestEffort> {
    let (mut track, hasty) = (track.clone(), track.too_fast_steps());
    let around = PlausibleSpeed::new(&track.0, &hasty);
    let mut broken = track.bridge_gaps(&around);
    let mut found = Vec::new();
    for (distance, record) in WORLD_RECORDS {
        if !hasty.is_empty() {
            let mut fast = vec![false; broken.len()];
            track.find_broken(distance, record, &hasty, &mut fast);
            track.bridge_bursts(top_speed(distance, record), &fast, &around, &mut broken);
        }
        if distance > track.length().mm() {
            break;
        }
        let Some((start, time)) = track.fastest(distance, &broken) else { continue };
        let window = timeline.index_at(start as i64)..timeline.index_at((start + time) as i64);
        let rise = altitude.and_then(|altitude| altitude_change(altitude, window.clone()));
        found.push(BestEffort {
            distance: Distance::from_mm(distance),
            net_grade: rise.map(|meters| round_to_4_decimals(f64::from(meters) * 1000.0 / distance as f64)),
            start: TimeSpan::from_ms(start.round() as i64),
            time: TimeSpan::from_ms(time.round() as i64),
            heart_rate: heart.and_then(|heart| heart.mean(window)).map(round_to_4_decimals),
        });
    }
    found
}

/// Net elevation change of a segment from its first and last known altitude, which must be within
/// 30 s of its ends.
fn altitude_change(altitude: &Series<f32>, window: Range<usize>) -> Option<f32> {
    const NEAR: usize = 30;
    let within = altitude.get(window)?;
    let first = within.iter().take(NEAR).flatten().next()?;
    let last = within.iter().rev().take(NEAR).flatten().next()?;
    Some(last - first).filter(|meters| meters.is_finite())
}

#[cfg(test)]
mod tests;
