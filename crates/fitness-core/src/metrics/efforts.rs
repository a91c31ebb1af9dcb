//! Best efforts: a runner's fastest times over standard distances within one activity.

use super::curve::PrefixSums;
use super::per_second::{SampledRecording, Series, Timeline};
use super::round_to_4_decimals;
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

    /// Points in order of time. Distances that are negative or go backwards are dropped; of several
    /// at one time the last counts.
    pub fn new(points: impl IntoIterator<Item = (i64, i64)>) -> Self {
        let mut track: Vec<(i64, i64)> = Vec::new();
        for (ms, mm) in points.into_iter().filter(|(_, mm)| *mm >= 0) {
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

    /// Which steps are GPS gaps; step k goes from point k − 1 to point k.
    fn gaps(&self) -> Vec<bool> {
        let gap = |step: &[(i64, i64)]| {
            let (time, way) = (step[1].0 - step[0].0, step[1].1 - step[0].1);
            time > GAP_MS && way.saturating_mul(1000) > STANDING_MM_S * time
        };
        std::iter::repeat_n(false, self.0.len().min(1)).chain(self.0.windows(2).map(gap)).collect()
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

/// The fastest time over each standard distance of the track, 400 m to 50 km. Steps broken for a
/// short distance are also broken for longer ones, so a longer distance never takes less time.
#[must_use]
pub fn efforts(
    track: &TimeDistanceCurve,
    timeline: &Timeline,
    heart: Option<&PrefixSums>,
    altitude: Option<&Series<f32>>,
) -> Vec<BestEffort> {
    let (mut broken, hasty) = (track.gaps(), track.too_fast_steps());
    let reached = WORLD_RECORDS.iter().take_while(|(distance, _)| *distance <= track.length().mm());
    let effort = |(distance, record): &(i64, f64)| {
        track.find_broken(*distance, *record, &hasty, &mut broken);
        let (start, time) = track.fastest(*distance, &broken)?;
        let window = timeline.index_at(start as i64)..timeline.index_at((start + time) as i64);
        let rise = altitude.and_then(|altitude| altitude_change(altitude, window.clone()));
        Some(BestEffort {
            distance: Distance::from_mm(*distance),
            net_grade: rise.map(|meters| round_to_4_decimals(f64::from(meters) * 1000.0 / *distance as f64)),
            start: TimeSpan::from_ms(start.round() as i64),
            time: TimeSpan::from_ms(time.round() as i64),
            heart_rate: heart.and_then(|heart| heart.mean(window)).map(round_to_4_decimals),
        })
    };
    reached.filter_map(effort).collect()
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
