//! The best mean over every length of time: a mean-max curve.

use super::series::{Series, Timeline, count};
use super::{rounded, whole};
use crate::units::TimeSpan;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::LazyLock;

/// Windows need so much of their time known, tenths.
const KNOWN_TENTHS: i32 = 9;
/// The longest time of a curve, seconds.
const LONGEST_S: usize = 21_600;
/// Values above are left out; no watt, beat or millimetre per second that passed the checks of a series is.
const MAX_VALUE: u32 = 100_000;

/// The lengths of time of every curve, seconds: each up to 30, then 9 % apart, and the round ones athletes speak of.
#[must_use]
pub fn durations() -> &'static [u32] {
    &DURATIONS
}

static DURATIONS: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let apart = std::iter::successors(Some(30.0_f64), |length| Some(length * 1.09));
    let mut lengths: Vec<u32> = (1..=30)
        .chain(apart.take_while(|length| *length < LONGEST_S as f64).map(|length| length.round() as u32))
        .chain([60, 120, 180, 240, 300, 480, 600, 900, 1200, 1800, 2400, 3600, 5400, 7200, 10_800, 14_400])
        .chain([LONGEST_S as u32])
        .collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
});

/// The best mean over each of [`durations`], as far as the recording reaches. It never rises: what was held for a
/// minute was held for a second.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Curve(Vec<u32>);

/// A curve's values are kept in tenths of their unit: of a watt, a beat, a millimetre per second.
const PER_UNIT: f64 = 10.0;

impl Curve {
    /// The curve of a series.
    #[must_use]
    pub fn of(peaks: &Peaks) -> Self {
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

    /// Seconds and the best mean over them, in the unit of the series.
    pub fn points(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        durations().iter().zip(&self.0).map(|(seconds, value)| (*seconds, f64::from(*value) / PER_UNIT))
    }

    /// The best mean over a length of time that is one of [`durations`].
    #[must_use]
    pub fn at(&self, seconds: u32) -> Option<f64> {
        let at = durations().binary_search(&seconds).ok()?;
        self.0.get(at).map(|value| f64::from(*value) / PER_UNIT)
    }
}

fn tenths(mean: f64) -> u32 {
    whole(mean * PER_UNIT)
}

/// Running sums of a series, from which the mean of any window is two subtractions.
#[derive(Debug, Clone)]
pub struct Sums {
    /// Sums before each second, one more than seconds. They wrap; the sum of a window does not reach that far.
    /// Signed, because that is what a machine turns into floating point several at a time.
    sums: Vec<i32>,
    /// Known seconds before each second; empty when all are known.
    known: Vec<i32>,
    /// Seconds a window may have before its sum could wrap.
    reach: usize,
    chunks: Vec<Range<usize>>,
}

impl Sums {
    /// Sums up a series.
    #[must_use]
    pub fn of<T: Copy + Into<u32>>(timeline: &Timeline, series: &Series<T>) -> Self {
        let (mut sum, mut seconds, mut highest) = (0_i32, 0_i32, 1_u32);
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
        Self { sums, known, reach: (i32::MAX.unsigned_abs() / highest) as usize, chunks }
    }

    fn sum(&self, window: &Range<usize>) -> i32 {
        self.sums[window.end].wrapping_sub(self.sums[window.start])
    }

    fn known(&self, window: &Range<usize>) -> i32 {
        if self.known.is_empty() {
            window.len() as i32
        } else {
            self.known[window.end] - self.known[window.start]
        }
    }

    /// The mean of a window's known seconds, when at least nine tenths of it are known.
    #[must_use]
    pub fn mean(&self, window: Range<usize>) -> Option<f64> {
        if window.start >= window.end || window.end >= self.sums.len() || window.len() > self.reach {
            return None;
        }
        let known = self.known(&window);
        (i64::from(known) * 10 >= count(window.len()) * i64::from(KNOWN_TENTHS))
            .then(|| f64::from(self.sum(&window)) / f64::from(known))
    }

    /// The window of so many seconds with the highest mean within a stretch without a break, the first of equals.
    #[must_use]
    pub fn peak(&self, seconds: usize) -> Option<Peak> {
        self.peak_near(seconds, 0)
    }

    /// Nearly no window beats the best so far, so all that is asked of [`AT_ONCE`] of them is whether any might: no
    /// branch, no division, and the machine does several at a time. Only where one might are they reckoned. A window
    /// that begins near `hint` is reckoned first: the better it is, the fewer others might.
    fn peak_near(&self, seconds: usize, hint: usize) -> Option<Peak> {
        if seconds == 0 || seconds > self.reach {
            return None;
        }
        let chunk = self.chunks.partition_point(|chunk| chunk.end <= hint);
        let chunk = self.chunks.get(chunk).filter(|chunk| chunk.len() >= seconds);
        let hinted = chunk.map(|chunk| hint.clamp(chunk.start, chunk.end - seconds));
        let hinted = hinted.map(|start| start..start + seconds);
        if self.known.is_empty() {
            self.peak_of_all(seconds, hinted)
        } else {
            self.peak_of_known(seconds, hinted.and_then(|window| self.mean(window)))
        }
    }

    fn peak_of_all(&self, seconds: usize, hinted: Option<Range<usize>>) -> Option<Peak> {
        // Just below, so that the first window as good as the hinted one is found.
        let (mut best, mut at) = (hinted.map_or(-1, |window| self.sum(&window) - 1), None);
        for block in self.blocks(seconds) {
            let sums = || growth(&self.sums, &block, seconds);
            if sums().fold(false, |any, sum| any | (sum > best)) {
                best = sums().fold(best, i32::max);
                at = Some(block);
            }
        }
        let mut starts = at?;
        let start = starts.find(|start| self.sum(&(*start..start + seconds)) == best)?;
        Some(Peak { start, mean: f64::from(best) / seconds as f64 })
    }

    fn peak_of_known(&self, seconds: usize, hinted: Option<f64>) -> Option<Peak> {
        let enough = (seconds as i32 * KNOWN_TENTHS + 9) / 10;
        // Two means compared without a division, and in single precision, twice as many at a time. What that cannot
        // hold exactly is held against a bar lowered by more than its error.
        let exact = self.reach > seconds * seconds * EXACT_SHARE;
        let bar = |sum: i32, known: i32| {
            let sum = if exact { f64::from(sum) } else { f64::from(sum) * (1.0 - 1e-6) };
            (sum as f32, known as f32)
        };
        let might = |bar: (f32, f32), sum: i32, known: i32| {
            (known >= enough) & (sum as f32 * bar.1 > bar.0 * known as f32)
        };
        // Just below, so that the first window as good as the hinted one is found; below nothing there is only none.
        let mut best = hinted.filter(|mean| *mean > 0.0).map_or(-1.0, f64::next_down);
        let (mut beaten, mut peak) = (((best * (1.0 - 1e-6)) as f32, 1.0), None);
        for block in self.blocks(seconds) {
            let windows = || growth(&self.sums, &block, seconds).zip(growth(&self.known, &block, seconds));
            if !windows().fold(false, |any, (sum, known)| any | might(beaten, sum, known)) {
                continue;
            }
            for (start, (sum, known)) in block.clone().zip(windows()) {
                if might(beaten, sum, known) && f64::from(sum) / f64::from(known) > best {
                    best = f64::from(sum) / f64::from(known);
                    (beaten, peak) = (bar(sum, known), Some(Peak { start, mean: best }));
                }
            }
        }
        peak
    }

    /// The starts of all windows of so many seconds, in order, a few at a time.
    fn blocks(&self, seconds: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let starts = move |chunk: &Range<usize>| chunk.start..(chunk.end + 1).saturating_sub(seconds);
        self.chunks.iter().map(starts).flat_map(|starts| {
            starts.clone().step_by(AT_ONCE).map(move |start| start..(start + AT_ONCE).min(starts.end))
        })
    }
}

/// The window of a given length with the highest mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peak {
    /// Its first second.
    pub start: usize,
    /// Its mean, in the unit of the series.
    pub mean: f64,
}

/// The best windows of a series for each of [`durations`].
#[derive(Debug, Clone)]
pub struct Peaks(Vec<Option<Peak>>);

impl Peaks {
    /// Finds them. The best two minutes mostly lie about the best minute.
    #[must_use]
    pub fn of(sums: &Sums) -> Self {
        let mut hint = 0;
        let mut peak = |seconds: &u32| {
            let peak = sums.peak_near(*seconds as usize, hint);
            hint = peak.map_or(hint, |peak| peak.start);
            peak
        };
        Self(durations().iter().map(&mut peak).collect())
    }

    /// The best window of a length of time that is one of [`durations`].
    #[must_use]
    pub fn at(&self, seconds: u32) -> Option<Peak> {
        durations().binary_search(&seconds).ok().and_then(|at| self.0[at])
    }
}

/// Windows looked at together.
const AT_ONCE: usize = 128;
/// How many times more than 24 bits is the range of the sums.
const EXACT_SHARE: usize = 1 << 7;

/// What running sums grow by over each window that begins in a block.
fn growth<'a>(sums: &'a [i32], block: &Range<usize>, seconds: usize) -> impl Iterator<Item = i32> + use<'a> {
    let ends = &sums[block.start + seconds..block.end + seconds];
    ends.iter().zip(&sums[block.clone()]).map(|(end, start)| end.wrapping_sub(*start))
}

/// The lengths of time a best effort is kept for, seconds.
pub const EFFORT_SECONDS: [u32; 13] = [5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 2400, 3600, 7200];

/// The best mean over a length of time, and where it was.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TimedEffort {
    /// How long.
    #[serde(rename = "time_ms")]
    pub time: TimeSpan,
    /// From the activity's start.
    #[serde(rename = "start_ms")]
    pub start: TimeSpan,
    /// The mean, in the unit of the series.
    pub value: f64,
    /// Mean heart rate, where most of it is known.
    pub heart_rate: Option<f64>,
}

/// The best efforts over [`EFFORT_SECONDS`], as far as the recording reaches.
#[must_use]
pub fn timed_efforts(timeline: &Timeline, peaks: &Peaks, heart: Option<&Sums>) -> Vec<TimedEffort> {
    let effort = |seconds: &u32| {
        let Peak { start, mean } = peaks.at(*seconds)?;
        let window = start..start + *seconds as usize;
        Some(TimedEffort {
            time: TimeSpan::from_secs(i64::from(*seconds)),
            start: TimeSpan::from_ms(timeline.offset_ms(start)),
            value: rounded(mean),
            heart_rate: heart.and_then(|heart| heart.mean(window)).map(rounded),
        })
    };
    EFFORT_SECONDS.iter().filter_map(effort).collect()
}

#[cfg(test)]
mod tests;
