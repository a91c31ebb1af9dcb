//! Counts implausible but possible samples. They are kept, and metrics computed from them become
//! provisional.
//!
//! Impossible values are removed earlier (see [`per_second`](super::per_second)), and so are stuck
//! heart rates and constant zero altitude. How many seconds are suspicious is our choice.

use super::hr_artefacts::CleanHeartRate;
use super::per_second::{SampledRecording, Timeline};
use crate::domain::sport::Sport;
use serde::{Deserialize, Serialize};

/// Suspicious seconds, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PlausibilityCounts {
    /// Heart rate jumps of more than 25 bpm within a second, after artefact removal.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub heart_jumps: u32,
    /// Runs: over 7 m/s for more than a minute.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fast: u32,
    /// Runs: faster than 2.5 m/s at under 120 steps a minute, for more than a minute.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub few_steps: u32,
    /// Runs: over 900 W for a minute.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub strong: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_zero(seconds: &u32) -> bool {
    *seconds == 0
}

/// Larger changes within a second are suspicious.
const JUMP_BPM: u8 = 25;
/// Shorter periods are ignored, seconds.
const MINUTE: usize = 60;

impl PlausibilityCounts {
    /// Counts suspicious seconds of a recording.
    #[must_use]
    pub fn from_recording(sampled: &SampledRecording, heart: &CleanHeartRate, sport: Sport) -> Self {
        let line = &sampled.timeline;
        let jumps = line.chunks().iter().flat_map(|chunk| heart.series.get(chunk.at.clone())).map(|beats| {
            let jump = |pair: &&[Option<u8>]| {
                pair[0].zip(pair[1]).is_some_and(|(one, next)| one.abs_diff(next) > JUMP_BPM)
            };
            beats.windows(2).filter(jump).count() as u32
        });
        let found = Self { heart_jumps: jumps.sum(), ..Self::default() };
        if sport != Sport::Running {
            return found;
        }
        let speed = |second: usize| sampled.speed.as_ref().and_then(|speed| speed[second]);
        let steps = |second: usize| sampled.cadence.as_ref().and_then(|steps| steps[second]);
        let watts = |second: usize| sampled.power.as_ref().and_then(|watts| watts[second]);
        Self {
            fast: count_lasting_seconds(line, MINUTE + 1, |at| speed(at).is_some_and(|speed| speed > 7000)),
            few_steps: count_lasting_seconds(line, MINUTE + 1, |at| {
                speed(at).is_some_and(|speed| speed > 2500)
                    && steps(at).is_some_and(|steps| steps > 0.0 && steps < 120.0)
            }),
            strong: count_lasting_seconds(line, MINUTE, |at| watts(at).is_some_and(|watts| watts > 900)),
            ..found
        }
    }

    /// Too fast for a run, or without a runner's cadence.
    #[must_use]
    pub const fn is_speed_doubtful(&self) -> bool {
        self.fast > 0 || self.few_steps > 0
    }

    #[must_use]
    pub const fn is_heart_rate_doubtful(&self) -> bool {
        self.heart_jumps > 0
    }
}

/// Seconds in unbroken periods of at least `least` seconds throughout which `case` holds.
fn count_lasting_seconds(line: &Timeline, least: usize, case: impl Fn(usize) -> bool) -> u32 {
    let mut all = 0;
    for chunk in line.chunks() {
        let mut length = 0;
        for second in chunk.at.clone() {
            if case(second) {
                length += 1;
                continue;
            }
            all += if length >= least { length } else { 0 };
            length = 0;
        }
        all += if length >= least { length } else { 0 };
    }
    u32::try_from(all).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
