//! Heart rate artefacts: dry strap at the start, spikes, stuck sensor, cadence lock.

use super::per_second::{SampledRecording, Series, Timeline};
use serde::{Deserialize, Serialize};

/// Heart rate with artefacts removed.
#[derive(Debug, Clone, Default)]
pub struct CleanHeartRate {
    pub series: Series<u8>,
    pub findings: ArtefactCounts,
}

/// Seconds of heart rate removed, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ArtefactCounts {
    /// Seconds with a heart rate before cleaning.
    pub recorded: u32,
    /// First minute far above what followed (dry strap).
    pub cold_strap: u32,
    /// Spikes too long to interpolate.
    pub spikes: u32,
    /// Spikes of up to five seconds, interpolated; not counted as removed.
    pub bridged: u32,
    /// Stuck at one value.
    pub flatline: u32,
    pub cadence_lock: u32,
    /// Seconds between samples that are up to 20 s apart.
    #[serde(default)]
    pub interpolated: u32,
}

impl ArtefactCounts {
    /// Percent of the recorded heart rate that was removed.
    #[must_use]
    pub fn dropped_percent(&self) -> f64 {
        self.percent_of_recorded(self.cold_strap + self.spikes + self.flatline + self.cadence_lock)
    }

    /// Percent of the recorded heart rate in cadence lock.
    #[must_use]
    pub fn lock_percent(&self) -> f64 {
        self.percent_of_recorded(self.cadence_lock)
    }

    /// Percent of the recorded heart rate that was interpolated between samples.
    #[must_use]
    pub fn interpolated_percent(&self) -> f64 {
        self.percent_of_recorded(self.interpolated)
    }

    fn percent_of_recorded(&self, seconds: u32) -> f64 {
        if self.recorded == 0 { 0.0 } else { 100.0 * f64::from(seconds) / f64::from(self.recorded) }
    }
}

/// Removes, in this order:
/// - the first 60 s when their median is over 1.25 times the median of minutes 3 to 8 (a dry
///   strap);
/// - values more than 20 bpm from the median of the 15 s around them: up to 5 s are interpolated,
///   more becomes a gap;
/// - more than 120 s at one value while the speed varies or is unknown;
/// - windows of 120 s that follow the cadence.
#[must_use]
pub fn remove_artefacts(sampled: &SampledRecording) -> CleanHeartRate {
    let Some(heart) = &sampled.heart_rate else { return CleanHeartRate::default() };
    let mut series = heart.clone();
    let interpolated = sampled.interpolated_heart_rate;
    let mut findings =
        ArtefactCounts { recorded: count_known(&series), interpolated, ..ArtefactCounts::default() };
    findings.cold_strap = drop_cold_strap(&mut series);
    (findings.bridged, findings.spikes) = drop_spikes(&sampled.timeline, &mut series);
    findings.flatline = drop_flatlines(&mut series, sampled.speed.as_ref());
    if let Some(cadence) = &sampled.cadence {
        findings.cadence_lock = drop_cadence_lock(&mut series, cadence);
    }
    CleanHeartRate { series, findings }
}

fn count_known(series: &[Option<u8>]) -> u32 {
    series.iter().flatten().count() as u32
}

/// Clears values and returns how many there were.
fn clear_values(series: &mut [Option<u8>]) -> u32 {
    let lost = count_known(series);
    series.fill(None);
    lost
}

fn median(series: &[Option<u8>]) -> Option<u8> {
    let mut values: Vec<u8> = series.iter().flatten().copied().collect();
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable(middle).1)
}

fn drop_cold_strap(series: &mut [Option<u8>]) -> u32 {
    let settled = series.get(180..series.len().min(480)).and_then(median);
    let first = median(&series[..series.len().min(60)]);
    match (first, settled) {
        (Some(first), Some(settled)) if f64::from(first) > 1.25 * f64::from(settled) => {
            clear_values(&mut series[..60])
        }
        _ => 0,
    }
}

const MEDIAN_RADIUS: usize = 7;
const BLOCK_LEN: usize = 32;
const SPIKE_BPM: u8 = 20;

fn drop_spikes(timeline: &Timeline, series: &mut [Option<u8>]) -> (u32, u32) {
    let (mut bridged, mut lost) = (0, 0);
    for chunk in timeline.chunks() {
        let chunk = &mut series[chunk.at.clone()];
        let spikes = spikes(chunk);
        let mut index = 0;
        while index < spikes.len() {
            let start = index;
            while spikes.get(index) == Some(&true) {
                index += 1;
            }
            let length = index - start;
            let ends = (start.checked_sub(1).and_then(|at| chunk[at]), chunk.get(index).copied().flatten());
            match ends {
                _ if length == 0 => {}
                (Some(from), Some(to)) if length <= 5 => {
                    bridge(&mut chunk[start..index], from, to);
                    bridged += length as u32;
                }
                _ => lost += clear_values(&mut chunk[start..index]),
            }
            index += 1;
        }
    }
    (bridged, lost)
}

fn bridge(gap: &mut [Option<u8>], from: u8, to: u8) {
    let steps = gap.len() as f32 + 1.0;
    for (step, value) in (1_u8..).zip(gap) {
        let mixed = f32::from(from) + (f32::from(to) - f32::from(from)) * f32::from(step) / steps;
        *value = Some(mixed.round() as u8);
    }
}

/// Which values are more than 20 bpm from the median of the 15 seconds around them. The median
/// itself is not needed: it is above a value if at most half of the window is not. Counting is
/// vectorized.
fn spikes(chunk: &[Option<u8>]) -> Vec<bool> {
    // Heart rates are at most 230, so unknown seconds sort above all known ones and are never
    // counted.
    const UNKNOWN: u8 = u8::MAX;
    let length = chunk.len().next_multiple_of(BLOCK_LEN);
    let mut values = vec![UNKNOWN; length + 2 * MEDIAN_RADIUS];
    for (value, sample) in values[MEDIAN_RADIUS..].iter_mut().zip(chunk) {
        *value = sample.unwrap_or(UNKNOWN);
    }
    let mut found = vec![false; length];
    for (start, found) in (0..).step_by(BLOCK_LEN).zip(found.chunks_mut(BLOCK_LEN)) {
        let here = &values[start + MEDIAN_RADIUS..][..BLOCK_LEN];
        let (mut known, mut below, mut up_to) = ([0_u8; BLOCK_LEN], [0_u8; BLOCK_LEN], [0_u8; BLOCK_LEN]);
        for offset in 0..=2 * MEDIAN_RADIUS {
            let around = &values[start + offset..][..BLOCK_LEN];
            for at in 0..BLOCK_LEN {
                known[at] += u8::from(around[at] < UNKNOWN);
                below[at] += u8::from(around[at] < here[at].saturating_sub(SPIKE_BPM));
                up_to[at] += u8::from(around[at] <= here[at].saturating_add(SPIKE_BPM));
            }
        }
        for at in 0..BLOCK_LEN {
            let half = known[at] / 2;
            found[at] = (here[at] < UNKNOWN) & ((below[at] > half) | (up_to[at] <= half));
        }
    }
    found.truncate(chunk.len());
    found
}

/// Longer at one value is a stuck sensor, seconds.
const FLATLINE_S: usize = 120;
/// Speed varying by less is steady, mm/s.
const STEADY_MM_S: u32 = 500;

fn drop_flatlines(series: &mut [Option<u8>], speed: Option<&Series<u32>>) -> u32 {
    let (mut lost, mut start) = (0, 0);
    for index in 1..=series.len() {
        if index < series.len() && series[index].is_some() && series[index] == series[start] {
            continue;
        }
        if index - start > FLATLINE_S && series[start].is_some() {
            let around = speed.map(|speed| &speed[start..index]);
            let spread = around.and_then(|speed| {
                let known = || speed.iter().flatten();
                Some(known().max()? - known().min()?)
            });
            if spread.is_none_or(|spread| spread > STEADY_MM_S) {
                lost += clear_values(&mut series[start..index]);
            }
        }
        start = index;
    }
    lost
}

const LOCK_WINDOW_S: usize = 120;

/// A window is locked when at least 80 % of it is within 3 bpm of the cadence, or of half of it,
/// and the second-to-second changes of the two correlate (r > 0.5). A heart rate that happens to
/// equal the cadence does not change with every step.
fn drop_cadence_lock(series: &mut [Option<u8>], cadence: &[Option<f32>]) -> u32 {
    let windows = series.chunks_mut(LOCK_WINDOW_S).zip(cadence.chunks(LOCK_WINDOW_S));
    windows
        .map(|(heart, cadence)| if is_cadence_locked(heart, cadence) { clear_values(heart) } else { 0 })
        .sum()
}

fn is_cadence_locked(heart: &[Option<u8>], cadence: &[Option<f32>]) -> bool {
    if heart.len() < LOCK_WINDOW_S {
        return false;
    }
    let pairs = || heart.iter().zip(cadence).filter_map(|(heart, spm)| Some((f32::from((*heart)?), (*spm)?)));
    let near = |heart: f32, spm: f32| usize::from((heart - spm).abs() <= 3.0);
    let (whole, half) = pairs().fold((0, 0), |(whole, half), (heart, spm)| {
        (whole + near(heart, spm), half + near(heart, spm * 0.5))
    });
    whole.max(half) * 5 >= heart.len() * 4 && change_correlation(&pairs().collect::<Vec<_>>()) > 0.5
}

/// The correlation of the changes from one pair to the next; 0 when either does not change.
fn change_correlation(pairs: &[(f32, f32)]) -> f64 {
    let changes =
        || pairs.windows(2).map(|two| (f64::from(two[1].0 - two[0].0), f64::from(two[1].1 - two[0].1)));
    let n = pairs.len().saturating_sub(1).max(1) as f64;
    let (sum_a, sum_b) = changes().fold((0.0, 0.0), |sum, change| (sum.0 + change.0, sum.1 + change.1));
    let (mean_a, mean_b) = (sum_a / n, sum_b / n);
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in changes().map(|(a, b)| (a - mean_a, b - mean_b)) {
        ab += a * b;
        aa += a * a;
        bb += b * b;
    }
    let scale = (aa * bb).sqrt();
    if scale > 0.0 { ab / scale } else { 0.0 }
}

#[cfg(test)]
mod tests;
