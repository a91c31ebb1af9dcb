//! Recordings resampled to one value per second.
//!
//! Devices record every second, or only on changes, or pause for days. A [`Timeline`] lists the
//! seconds a recording covers without gaps longer than [`BREAK_S`], so a gap of a week costs no
//! memory. Missing values are `None`, never zero.

use crate::domain::sport::Sport;
use crate::domain::stream::{Channel, Column, Recording};
use std::ops::Range;

/// One value per second of a [`Timeline`].
pub type Series<T> = Vec<Option<T>>;

/// Seconds for which a value is held until the next sample.
pub const HOLD_S: usize = 5;
/// Samples up to this many seconds apart are interpolated: devices with smart recording write one
/// only when something changes.
pub const INTERPOLATE_S: usize = 20;
/// A longer gap between samples is a break, seconds. No window spans a break.
pub const BREAK_S: i64 = 30;
/// Maximum length of a recording, seconds (two days). The rest is dropped; see
/// [`Timeline::is_truncated`].
pub const MAX_SECONDS: usize = 172_800;
/// Maximum running speed over more than five seconds, mm/s.
const MAX_RUN_SPEED: u32 = 10_000;

/// Consecutive seconds without a break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// First second, relative to the recording's first sample.
    pub second: i64,
    /// Index range in every [`Series`].
    pub at: Range<usize>,
}

/// The seconds a recording covers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Timeline {
    /// Milliseconds from the activity's start to the first sample.
    origin_ms: i64,
    /// Seconds from the first to the last sample, inclusive.
    span_s: i64,
    chunks: Vec<Chunk>,
    /// Index of the second of each sample; shorter than the recording if truncated.
    slots: Vec<usize>,
    /// Whether each second has exactly one sample, as with most devices: a fast path.
    is_regular: bool,
    len: usize,
}

impl Timeline {
    /// A sample belongs to the second it falls in; of several in one second the last counts.
    #[must_use]
    pub fn from_recording(recording: &Recording) -> Self {
        let moments = recording.offsets_ms();
        let (Some(first), Some(last)) = (moments.first(), moments.last()) else { return Self::default() };
        let second = |moment: i32| (i64::from(moment) - i64::from(*first)).div_euclid(1000);
        let (mut chunks, mut slots) = (Vec::new(), Vec::with_capacity(moments.len()));
        let (mut open, mut previous) = (Chunk { second: 0, at: 0..1 }, 0);
        for moment in moments {
            let now = second(*moment);
            let step = now - previous;
            if step > BREAK_S {
                let begin = open.at.end;
                chunks.push(std::mem::replace(&mut open, Chunk { second: now, at: begin..begin + 1 }));
            } else {
                // At most BREAK_S and never negative: timestamps are in order.
                open.at.end += usize::try_from(step).unwrap_or(0);
            }
            if open.at.end > MAX_SECONDS {
                open.at.end = MAX_SECONDS;
                break;
            }
            slots.push(open.at.end - 1);
            previous = now;
        }
        let len = open.at.end;
        let even = slots.iter().copied().eq(0..len);
        chunks.push(open);
        chunks.retain(|chunk| !chunk.at.is_empty());
        Self { origin_ms: i64::from(*first), span_s: second(*last) + 1, chunks, slots, is_regular: even, len }
    }

    /// Number of seconds without breaks.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Seconds from the first to the last sample inclusive, breaks included.
    #[must_use]
    pub const fn span_s(&self) -> i64 {
        self.span_s
    }

    #[must_use]
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Milliseconds from the activity's start to the second at an index.
    #[must_use]
    pub fn offset_ms(&self, index: usize) -> i64 {
        let chunk = self.chunks.partition_point(|chunk| chunk.at.start <= index).saturating_sub(1);
        let second = self
            .chunks
            .get(chunk)
            .map_or(0, |chunk| chunk.second + seconds_i64(index - chunk.at.start.min(index)));
        self.origin_ms + second * 1000
    }

    /// Index of the first second at or after an offset from the activity's start.
    #[must_use]
    pub fn index_at(&self, offset_ms: i64) -> usize {
        let second = (offset_ms - self.origin_ms).div_euclid(1000);
        let next = self.chunks.partition_point(|chunk| chunk.second <= second);
        let Some(chunk) = next.checked_sub(1).and_then(|at| self.chunks.get(at)) else { return 0 };
        let into = usize::try_from(second - chunk.second).unwrap_or(0);
        (chunk.at.start + into).min(chunk.at.end)
    }

    /// Whether the recording is longer than [`MAX_SECONDS`].
    #[must_use]
    pub fn is_truncated(&self, recording: &Recording) -> bool {
        self.slots.len() < recording.offsets_ms().len()
    }

    /// Resamples a column to one value per second, filtered by `accept`. Values are held for at
    /// most [`HOLD_S`] and interpolated between samples up to [`INTERPOLATE_S`] apart. Returns how
    /// many seconds were interpolated, too.
    #[must_use]
    pub fn resample<T: Interpolate>(
        &self,
        column: &Column,
        accept: impl Fn(i32) -> Option<T>,
    ) -> (Series<T>, u32) {
        let mut series = self.place(column, accept);
        let interpolated = self.fill(&mut series, INTERPOLATE_S);
        (series, interpolated)
    }

    /// The samples at their seconds, with gaps between them.
    fn place<T: Copy>(&self, column: &Column, accept: impl Fn(i32) -> Option<T>) -> Series<T> {
        let samples = column.samples().map(|sample| sample.and_then(&accept));
        let mut series: Series<T>;
        if self.is_regular {
            series = samples.take(self.len).collect();
        } else {
            series = vec![None; self.len];
            for (slot, sample) in self.slots.iter().zip(samples) {
                series[*slot] = sample.or(series[*slot]);
            }
        }
        series
    }

    /// Interpolates between values up to `apart` seconds apart and holds other values. Returns how
    /// many seconds were interpolated.
    fn fill<T: Interpolate>(&self, series: &mut [Option<T>], apart: usize) -> u32 {
        if series.iter().all(Option::is_some) {
            return 0;
        }
        let mut interpolated = 0;
        for chunk in &self.chunks {
            let series = &mut series[chunk.at.clone()];
            let mut last: Option<(usize, T)> = None;
            for index in 0..=series.len() {
                let next = series.get(index).copied().flatten();
                if next.is_none() && index < series.len() {
                    continue;
                }
                if let Some((since, from)) = last {
                    let gap = index - since;
                    match next.filter(|_| (HOLD_S + 2..=apart).contains(&gap)) {
                        Some(to) => {
                            for step in 1..gap {
                                series[since + step] = Some(from.between(to, step as f32 / gap as f32));
                            }
                            interpolated += gap as u32 - 1;
                        }
                        None => series[since + 1..index.min(since + 1 + HOLD_S)].fill(Some(from)),
                    }
                }
                last = next.map(|value| (index, value));
            }
        }
        interpolated
    }
}

/// A value that can be interpolated between two samples.
pub trait Interpolate: Copy {
    /// The value at a part, 0 to 1, of the way to the next.
    #[must_use]
    fn between(self, to: Self, part: f32) -> Self;
}

macro_rules! interpolate_integers {
    ($($kind:ty),+) => { $(
        impl Interpolate for $kind {
            fn between(self, to: Self, part: f32) -> Self {
                (self as f32 + (to as f32 - self as f32) * part).round() as Self
            }
        }
    )+ };
}
interpolate_integers!(u8, u16, u32);

impl Interpolate for f32 {
    fn between(self, to: Self, part: f32) -> Self {
        self + (to - self) * part
    }
}

/// Values split into segments wherever more than [`BREAK_S`] lies between two of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Segments {
    pub values: Vec<f32>,
    ends: Vec<usize>,
}

impl Segments {
    /// One segment without a break.
    #[must_use]
    pub fn single(values: Vec<f32>) -> Self {
        Self { ends: vec![values.len()], values }
    }

    /// Selects the seconds with a value. More than [`BREAK_S`] without one in a row, or a break of
    /// the recording, ends a segment.
    #[must_use]
    pub fn select(timeline: &Timeline, value: impl Fn(usize) -> Option<f32>) -> Self {
        Self::select_from(timeline.chunks().iter().map(|chunk| chunk.at.clone()), value)
    }

    /// Like [`select`](Self::select), for ranges that contain no break.
    pub fn select_from(
        stretches: impl IntoIterator<Item = Range<usize>>,
        value: impl Fn(usize) -> Option<f32>,
    ) -> Self {
        let mut runs = Self::default();
        for stretch in stretches {
            runs.ends.push(runs.values.len());
            let mut left_out = 0;
            runs.values.reserve(stretch.len());
            for index in stretch {
                match value(index) {
                    Some(value) => {
                        if left_out > BREAK_S {
                            runs.ends.push(runs.values.len());
                        }
                        left_out = 0;
                        runs.values.push(value);
                    }
                    None => left_out += 1,
                }
            }
        }
        runs.ends.push(runs.values.len());
        runs.ends.dedup();
        runs
    }

    /// The segments in order.
    pub fn iter(&self) -> impl Iterator<Item = &[f32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.values[start..*end]).filter(|run| !run.is_empty())
    }
}

/// A recording at one value per second, with impossible values removed.
#[derive(Debug, Clone, Default)]
pub struct SampledRecording {
    pub timeline: Timeline,
    /// Beats per minute, 25 to 230.
    pub heart_rate: Option<Series<u8>>,
    /// Watts, 0 to 2500.
    pub power: Option<Series<u16>>,
    /// Steps per minute (both legs) or rpm, up to 260.
    pub cadence: Option<Series<f32>>,
    /// mm/s; derived from the distance if the device recorded no speed.
    pub speed: Option<Series<u32>>,
    /// Metres above sea level, without jumps of more than 30 m in a second.
    pub altitude: Option<Series<f32>>,
    /// Seconds of heart rate that were interpolated.
    pub interpolated_heart_rate: u32,
    /// Seconds of power that were interpolated.
    pub interpolated_power: u32,
    /// Whether the recording is longer than [`MAX_SECONDS`].
    pub is_truncated: bool,
}

impl SampledRecording {
    #[must_use]
    pub fn from_recording(recording: &Recording, sport: Sport) -> Self {
        let timeline = Timeline::from_recording(recording);
        let known = |channel| recording.column(channel);
        let (heart_rate, interpolated_heart_rate) = known(Channel::HeartRate)
            .map(|column| {
                timeline.resample(column, |bpm| u8::try_from(bpm).ok().filter(|bpm| (25..=230).contains(bpm)))
            })
            .unzip();
        let (power, interpolated_power) = known(Channel::Power)
            .map(|column| {
                timeline.resample(column, |watts| u16::try_from(watts).ok().filter(|watts| *watts <= 2500))
            })
            .unzip();
        let cadence = known(Channel::Cadence).map(|column| {
            let accept = |tenths| (0..=2600).contains(&tenths).then_some(tenths as f32 / 10.0);
            timeline.resample(column, accept).0
        });
        let altitude = known(Channel::Altitude).map(|column| altitude(&timeline, column));
        Self {
            heart_rate: non_empty(heart_rate),
            power: non_empty(power),
            cadence: non_empty(cadence),
            speed: non_empty(Some(recorded_speed(recording, &timeline, sport))),
            altitude: non_empty(altitude)
                .filter(|series| series.iter().flatten().any(|meters| *meters != 0.0)),
            interpolated_heart_rate: interpolated_heart_rate.unwrap_or_default(),
            interpolated_power: interpolated_power.unwrap_or_default(),
            is_truncated: timeline.is_truncated(recording),
            timeline,
        }
    }
}

/// `None` for a series without any value.
fn non_empty<T>(series: Option<Series<T>>) -> Option<Series<T>> {
    series.filter(|series| series.iter().any(Option::is_some))
}

/// Maximum speed of a sport, mm/s. Any sample above it is broken.
pub(crate) const fn top_speed(sport: Sport) -> u32 {
    match sport {
        Sport::Running => 12_500,
        Sport::Swimming => 3_000,
        Sport::Rowing => 8_000,
        Sport::Cycling => 35_000,
        Sport::Strength | Sport::Other | Sport::Rest => 60_000,
    }
}

/// Recorded speed, and where it is missing, speed from the distance. Without a distance it is
/// interpolated.
fn recorded_speed(recording: &Recording, timeline: &Timeline, sport: Sport) -> Series<u32> {
    let top = top_speed(sport);
    let apart = if recording.column(Channel::Distance).is_some() { 0 } else { INTERPOLATE_S };
    let told = recording.column(Channel::Speed).map(|column| {
        let mut series =
            timeline.place(column, |speed| u32::try_from(speed).ok().filter(|speed| *speed <= top));
        timeline.fill(&mut series, apart);
        series
    });
    let mut series = non_empty(told).unwrap_or_else(|| vec![None; timeline.len()]);
    if series.iter().any(Option::is_none) {
        let travelled = speed_from_distance(recording, timeline, top, GAP_MS).unwrap_or_default();
        series.iter_mut().zip(travelled).for_each(|(speed, travelled)| *speed = speed.or(travelled));
    }
    if sport == Sport::Running {
        reject_long(&mut series, |speed| *speed > MAX_RUN_SPEED);
    }
    series
}

/// Removes implausible values that last longer than five seconds; shorter bursts can be real.
fn reject_long<T>(series: &mut [Option<T>], bad: impl Fn(&T) -> bool) {
    let mut since = 0;
    for index in 0..=series.len() {
        if series.get(index).is_some_and(|value| value.as_ref().is_some_and(&bad)) {
            continue;
        }
        if index - since > 5 {
            series[since..index].iter_mut().for_each(|value| *value = None);
        }
        since = index + 1;
    }
}

/// Longest step between two distances from which speed is derived, milliseconds.
const GAP_MS: i64 = INTERPOLATE_S as i64 * 1000;

/// Speed from distance, evenly distributed between two samples. Steps longer than `longest_ms` are
/// gaps; steps backwards or faster than `top` are broken.
pub(crate) fn speed_from_distance(
    recording: &Recording,
    timeline: &Timeline,
    top: u32,
    longest_ms: i64,
) -> Option<Series<u32>> {
    let column = recording.column(Channel::Distance)?;
    let mut series = vec![None; timeline.len()];
    let mut before: Option<(usize, i64, i64)> = None;
    let samples = timeline.slots.iter().zip(recording.offsets_ms()).zip(column.samples());
    for ((slot, moment), sample) in samples {
        let Some(mm) = sample.filter(|mm| *mm >= 0) else { continue };
        let now = (*slot, i64::from(*moment), i64::from(mm));
        if let Some((from, then, at)) = before {
            let (time, way) = (now.1 - then, now.2 - at);
            // Below half a second, rounding dominates.
            if time < 500 {
                continue;
            }
            if time <= longest_ms && way >= 0 {
                let speed = u32::try_from(way * 1000 / time).ok().filter(|speed| *speed <= top);
                series[from + 1..=*slot].fill(speed);
                if series[from].is_none() {
                    series[from] = speed;
                }
            }
        }
        before = Some(now);
    }
    Some(series)
}

/// Altitude between the Dead Sea and the Himalaya, without jumps. After five consecutive samples at
/// the new level the jump is accepted: the earlier value was wrong, or the device calibrated
/// itself.
fn altitude(timeline: &Timeline, column: &Column) -> Series<f32> {
    let accept = |mm| (-500_000..=9_000_000).contains(&mm).then_some(mm as f32 / 1000.0);
    let (raw, _) = timeline.resample(column, accept);
    let (mut series, mut kept, mut refused) = (vec![None; raw.len()], None, 0);
    for (index, meters) in raw.iter().enumerate().filter_map(|(index, meters)| Some((index, (*meters)?))) {
        let seconds = kept.map_or(1.0, |(since, _): (usize, f32)| (index - since) as f32);
        let jumped = kept.is_some_and(|(_, before)| (meters - before).abs() > 30.0 * seconds);
        if jumped && refused < 5 {
            refused += 1;
            continue;
        }
        refused = 0;
        kept = Some((index, meters));
        series[index] = Some(meters);
    }
    series
}

/// Lossless: never exceeds [`MAX_SECONDS`].
pub(crate) const fn seconds_i64(seconds: usize) -> i64 {
    seconds as i64
}

#[cfg(test)]
mod tests;
