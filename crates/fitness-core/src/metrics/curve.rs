//! Mean-max curves (power curve): the best mean over every duration.

use super::per_second::{Series, Timeline, seconds_i64};
use super::{round_to_4_decimals, round_to_u32};
use crate::domain::units::TimeSpan;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::Range;
use std::sync::LazyLock;

/// Share of a window that must be known, in tenths.
const MIN_KNOWN_TENTHS: i64 = 9;
/// Longest duration of a curve, seconds.
const MAX_DURATION_S: usize = 21_600;
/// Values above are dropped. No watt, bpm or mm/s that passed the checks of a series exceeds it.
const MAX_VALUE: u32 = 100_000;

/// Durations of every curve, seconds: each up to 30, then 9 % apart, plus round ones such as 20
/// minutes.
#[must_use]
pub fn durations() -> &'static [u32] {
    &DURATIONS
}

static DURATIONS: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let apart = std::iter::successors(Some(30.0_f64), |length| Some(length * 1.09));
    let mut lengths: Vec<u32> = (1..=30)
        .chain(apart.take_while(|length| *length < MAX_DURATION_S as f64).map(|length| length.round() as u32))
        .chain([60, 120, 180, 240, 300, 480, 600, 900, 1200, 1800, 2400, 3600, 5400, 7200, 10_800, 14_400])
        .chain([MAX_DURATION_S as u32])
        .collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
});

/// The best mean over each of [`durations`], as far as the recording reaches. It never rises with
/// the duration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MeanMaxCurve(Vec<u32>);

/// Values are stored in tenths of their unit (W, bpm, mm/s).
const PER_UNIT: f64 = 10.0;

impl MeanMaxCurve {
    #[must_use]
    pub fn from_peaks(peaks: &Peaks) -> Self {
        let reached = peaks.0.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let mut best: Vec<u32> =
            peaks.0[..reached].iter().map(|peak| peak.map_or(0, |peak| tenths(peak.mean))).collect();
        let mut longer = 0;
        for value in best.iter_mut().rev() {
            *value = (*value).max(longer);
            longer = *value;
        }
        Self(best)
    }

    /// Duration in seconds and best mean, in the unit of the series.
    pub fn points(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        durations().iter().zip(&self.0).map(|(seconds, value)| (*seconds, f64::from(*value) / PER_UNIT))
    }

    /// The best mean over one of the [`durations`].
    #[must_use]
    pub fn at(&self, seconds: u32) -> Option<f64> {
        let at = durations().binary_search(&seconds).ok()?;
        self.0.get(at).map(|value| f64::from(*value) / PER_UNIT)
    }
}

/// Delta encoding: the first value, then the drop to each next one. Small numbers are short as
/// text.
impl Serialize for MeanMaxCurve {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let drops = self.0.windows(2).map(|pair| pair[0] - pair[1]);
        serializer.collect_seq(self.0.first().copied().into_iter().chain(drops))
    }
}

impl<'de> Deserialize<'de> for MeanMaxCurve {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut values: Vec<u32> = Vec::deserialize(deserializer)?;
        if values.len() > durations().len() {
            return Err(D::Error::custom("curve has more values than durations"));
        }
        for at in 1..values.len() {
            let value = values[at - 1].checked_sub(values[at]);
            values[at] = value.ok_or_else(|| D::Error::custom("curve value below zero"))?;
        }
        Ok(Self(values))
    }
}

fn tenths(mean: f64) -> u32 {
    round_to_u32(mean * PER_UNIT)
}

/// Prefix sums of a series: the mean of any window takes two subtractions.
#[derive(Debug, Clone)]
pub struct PrefixSums {
    /// Sum before each second, one entry more than seconds. Wraps, which cancels out within
    /// `max_window`. Signed, because SIMD comparisons are.
    sums: Vec<i32>,
    /// Known seconds before each second; empty when all are known.
    known: Vec<i32>,
    /// Longest window whose sum cannot wrap, seconds.
    max_window: usize,
    chunks: Vec<Range<usize>>,
}

impl PrefixSums {
    #[must_use]
    pub fn from_series<T: Copy + Into<u32>>(timeline: &Timeline, series: &Series<T>) -> Self {
        let (mut sum, mut seconds, mut highest) = (0_i32, 0, 1);
        let (mut sums, mut known) = (vec![0; series.len() + 1], vec![0; series.len() + 1]);
        for ((sample, sum_after), known_after) in series.iter().zip(&mut sums[1..]).zip(&mut known[1..]) {
            let value = sample.map(Into::into).filter(|value| *value <= MAX_VALUE);
            sum = sum.wrapping_add_unsigned(value.unwrap_or(0));
            seconds += i32::from(value.is_some());
            highest = highest.max(value.unwrap_or(0));
            (*sum_after, *known_after) = (sum, seconds);
        }
        if seconds as usize == series.len() {
            known = Vec::new();
        }
        let chunks = timeline.chunks().iter().map(|chunk| chunk.at.clone());
        let chunks = chunks.filter(|at| at.end <= series.len()).collect();
        Self { sums, known, max_window: (i32::MAX.unsigned_abs() / highest) as usize, chunks }
    }

    /// Mean of the known seconds of a window, if at least 90 % are known.
    #[must_use]
    pub fn mean(&self, window: Range<usize>) -> Option<f64> {
        self.fraction(&window).map(ExactMean::value)
    }

    fn fraction(&self, window: &Range<usize>) -> Option<ExactMean> {
        let length = seconds_i64(window.len());
        if length == 0 || window.end >= self.sums.len() || window.len() > self.max_window {
            return None;
        }
        let known = self.known_seconds(window);
        let sum = i64::from(self.sums[window.end].wrapping_sub(self.sums[window.start]));
        (known * 10 >= length * MIN_KNOWN_TENTHS).then_some(ExactMean { sum, known })
    }

    /// The first window of the given length with the highest mean. Windows do not span breaks.
    #[must_use]
    pub fn peak(&self, seconds: usize) -> Option<PeakValue> {
        self.peak_near(seconds, 0)
    }

    /// Few windows beat the best so far, so whole blocks are first tested with SIMD for whether any
    /// could; only those are searched. The window at `hint` goes first: the better it is, the more
    /// blocks are skipped.
    fn peak_near(&self, seconds: usize, hint: usize) -> Option<PeakValue> {
        if seconds == 0 || seconds > self.max_window {
            return None;
        }
        let chunk = self.chunks.partition_point(|chunk| chunk.end <= hint);
        let chunk = self.chunks.get(chunk).filter(|chunk| chunk.len() >= seconds);
        let hinted = chunk.map(|chunk| hint.clamp(chunk.start, chunk.end - seconds));
        let hinted = hinted.and_then(|start| self.fraction(&(start..start + seconds)));
        let (mut best, mut start) = (hinted.map_or(ExactMean::NONE, ExactMean::just_below), None);
        let mut most = best.max_sum(seconds);
        for block in self.blocks(seconds) {
            let stretch = block.start..block.end + seconds - 1;
            if self.upper_bound(&stretch, seconds).is_some_and(|most| !most.exceeds(best)) {
                continue;
            }
            let higher = if self.known_seconds(&stretch) == seconds_i64(stretch.len()) {
                self.find_higher(most, &block, seconds)
            } else {
                self.find_higher_mean(best, &block, seconds)
            };
            if let Some((at, mean)) = higher {
                (best, most, start) = (mean, mean.max_sum(seconds), Some(at));
            }
        }
        start.map(|start| PeakValue { start, mean: best.value() })
    }

    /// Upper bound of the mean of any window in a segment: the whole sum over the fewest known
    /// seconds a window can have.
    fn upper_bound(&self, stretch: &Range<usize>, seconds: usize) -> Option<ExactMean> {
        (stretch.len() <= self.max_window).then(|| {
            let sum = i64::from(self.sums[stretch.end].wrapping_sub(self.sums[stretch.start]));
            let known = self.known_seconds(stretch) - seconds_i64(stretch.len() - seconds);
            ExactMean { sum, known: known.max((seconds_i64(seconds) * MIN_KNOWN_TENTHS + 9) / 10) }
        })
    }

    fn known_seconds(&self, stretch: &Range<usize>) -> i64 {
        match &self.known[..] {
            [] => seconds_i64(stretch.len()),
            known => i64::from(known[stretch.end] - known[stretch.start]),
        }
    }

    /// The first best window starting in a block, if its sum is above `most`. For segments without
    /// unknown seconds.
    fn find_higher(&self, most: i32, block: &Range<usize>, seconds: usize) -> Option<(usize, ExactMean)> {
        let sums = || window_sums(&self.sums, block, seconds);
        if !sums().fold(false, |any, sum| any | (sum > most)) {
            return None;
        }
        let highest = sums().fold(0, i32::max);
        let at = sums().position(|sum| sum == highest)?;
        Some((block.start + at, ExactMean { sum: i64::from(highest), known: seconds_i64(seconds) }))
    }

    /// Like [`find_higher`](Self::find_higher) for any segment: tests large blocks first, then
    /// small ones.
    fn find_higher_mean(
        &self,
        mut best: ExactMean,
        block: &Range<usize>,
        seconds: usize,
    ) -> Option<(usize, ExactMean)> {
        if !self.any_above(best, block, seconds) {
            return None;
        }
        let mut higher = None;
        for few in split_range(block.clone(), SMALL_BLOCK_LEN) {
            if self.any_above(best, &few, seconds) {
                for at in few {
                    let mean = self.fraction(&(at..at + seconds));
                    if let Some(mean) = mean.filter(|mean| mean.exceeds(best)) {
                        (best, higher) = (mean, Some((at, mean)));
                    }
                }
            }
        }
        higher
    }

    /// Whether a window starting in a block could have a mean above `best`. Uses single precision,
    /// twice as wide in SIMD; where that is not exact, compares with a bound lowered by more than
    /// the error.
    fn any_above(&self, best: ExactMean, block: &Range<usize>, seconds: usize) -> bool {
        let enough = ((seconds_i64(seconds) * MIN_KNOWN_TENTHS + 9) / 10) as i32;
        // Then twice the highest sum times its seconds fits into 24 bits.
        let exact = self.max_window >= seconds * seconds * 256;
        let bar = if exact { best.sum as f64 } else { best.sum as f64 * (1.0 - 1e-6) } as f32;
        let known_of_best = best.known as f32;
        let windows = window_sums(&self.sums, block, seconds).zip(window_sums(&self.known, block, seconds));
        windows.fold(false, |any, (sum, known)| {
            any | ((known >= enough) & (sum as f32 * known_of_best > bar * known as f32))
        })
    }

    /// The start positions of all windows of a length, in blocks.
    fn blocks(&self, seconds: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let starts = move |chunk: &Range<usize>| chunk.start..(chunk.end + 1).saturating_sub(seconds);
        self.chunks.iter().map(starts).flat_map(|starts| split_range(starts, BLOCK_LEN))
    }
}

/// Splits a range into parts of a length; the last can be shorter.
fn split_range(range: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(length).map(move |start| start..(start + length).min(end))
}

/// The window of a given length with the highest mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PeakValue {
    pub start: usize,
    /// In the unit of the series.
    pub mean: f64,
}

/// The best windows of a series for each of [`durations`].
#[derive(Debug, Clone)]
pub struct Peaks(Vec<Option<PeakValue>>);

impl Peaks {
    /// Searches each duration near the peak of the previous one: the best two minutes usually
    /// contain the best minute.
    #[must_use]
    pub fn from_sums(sums: &PrefixSums) -> Self {
        let mut hint = 0;
        let mut peak = |seconds: &u32| {
            let peak = sums.peak_near(*seconds as usize, hint);
            hint = peak.map_or(hint, |peak| peak.start);
            peak
        };
        Self(durations().iter().map(&mut peak).collect())
    }

    /// The best window of one of the [`durations`].
    #[must_use]
    pub fn at(&self, seconds: u32) -> Option<PeakValue> {
        durations().binary_search(&seconds).ok().and_then(|at| self.0[at])
    }
}

/// An exact mean: sum over known seconds.
#[derive(Debug, Clone, Copy)]
struct ExactMean {
    sum: i64,
    known: i64,
}

impl ExactMean {
    const NONE: Self = Self { sum: -1, known: 1 };

    fn value(self) -> f64 {
        self.sum as f64 / self.known as f64
    }

    fn exceeds(self, other: Self) -> bool {
        self.sum * other.known > other.sum * self.known
    }

    /// Slightly less, so that a search also finds windows with an equal mean.
    const fn just_below(self) -> Self {
        Self { sum: 2 * self.sum - 1, known: 2 * self.known }
    }

    /// The highest sum over that many seconds that does not exceed this mean. Fits an `i32` like
    /// every sum of [`PrefixSums`].
    const fn max_sum(self, seconds: usize) -> i32 {
        (self.sum * seconds_i64(seconds)).div_euclid(self.known) as i32
    }
}

const BLOCK_LEN: usize = 128;
/// Windows per block when searching a block that could contain the best.
const SMALL_BLOCK_LEN: usize = 16;

/// The sums of all windows starting in a block.
fn window_sums<'a>(
    sums: &'a [i32],
    block: &Range<usize>,
    seconds: usize,
) -> impl Iterator<Item = i32> + use<'a> {
    let ends = &sums[block.start + seconds..block.end + seconds];
    ends.iter().zip(&sums[block.clone()]).map(|(end, start)| end.wrapping_sub(*start))
}

/// Durations for which best efforts are stored, seconds.
pub const EFFORT_SECONDS: [u32; 13] = [5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 2400, 3600, 7200];

/// The best mean over a duration, and its position.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BestMean {
    #[serde(rename = "time_ms")]
    pub time: TimeSpan,
    /// Offset from the activity's start.
    #[serde(rename = "start_ms")]
    pub start: TimeSpan,
    /// Mean, in the unit of the series.
    pub value: f64,
    /// Mean heart rate, if at least 90 % is known.
    pub heart_rate: Option<f64>,
}

/// The best efforts over [`EFFORT_SECONDS`], as far as the recording reaches.
#[must_use]
pub fn timed_efforts(timeline: &Timeline, peaks: &Peaks, heart: Option<&PrefixSums>) -> Vec<BestMean> {
    let effort = |seconds: &u32| {
        let PeakValue { start, mean } = peaks.at(*seconds)?;
        let window = start..start + *seconds as usize;
        Some(BestMean {
            time: TimeSpan::from_secs(i64::from(*seconds)),
            start: TimeSpan::from_ms(timeline.offset_ms(start)),
            value: round_to_4_decimals(mean),
            heart_rate: heart.and_then(|heart| heart.mean(window)).map(round_to_4_decimals),
        })
    };
    EFFORT_SECONDS.iter().filter_map(effort).collect()
}

#[cfg(test)]
mod tests;
