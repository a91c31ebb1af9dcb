//! Heart rate of straps that record on their own (HRM-Swim, HRM-Tri, HRM-Pro) and hand it to the
//! watch afterwards, as `hr` messages with one value per heartbeat.
//!
//! The values are merged into the records as Garmin's SDK does: the heart rate of a record is the
//! mean since the record before, and a beat's value holds until the next beat, for at most five
//! seconds.

use super::messages::Message;
use super::samples::Samples;
use super::values::FitFields;
use fitness_core::domain::stream::Channel;
use rustyfit::profile::mesgdef::Hr;
use rustyfit::profile::typedef::MesgNum;

/// Maximum beats per file: about four days.
const MAX_BEATS: usize = 600_000;
/// A quarter of a second, in 1/1024 s: the resolution of the mean.
const STEP: i64 = 256;
/// Five seconds in steps: how long the value of a beat holds.
const MAX_STEPS: i64 = 20;

/// Time in 1/1024 s.
type Ticks = i64;

#[derive(Debug, Default)]
pub(super) struct HeartRateMessages {
    /// FIT time of the strap's time 0.
    strap_epoch: Option<Ticks>,
    /// The strap's time of the last beat, to which 12-bit times are relative.
    last_event: Option<Ticks>,
    /// FIT time and beats per minute.
    beats: Vec<(Ticks, u8)>,
}

impl HeartRateMessages {
    pub(super) fn add_message(&mut self, message: &Message<'_>) {
        if message.number() != MesgNum::HR {
            return;
        }
        let fields = FitFields::new(message);
        let events: Vec<Ticks> = match message.field(Hr::EVENT_TIMESTAMP) {
            Some(field) => field.integers().collect(),
            None => self.short_times(message.field(Hr::EVENT_TIMESTAMP_12).map_or(&[], |field| field.bytes)),
        };
        let Some(first) = events.first() else { return };
        if let Some(seconds) = message.time() {
            let fraction = fields.integer(Hr::FRACTIONAL_TIMESTAMP).map(|fraction| fraction / 32);
            let fraction =
                fraction.or_else(|| fields.integer(Hr::TIME256).map(|fraction| fraction * 4)).unwrap_or(0);
            self.strap_epoch = Some(i64::from(seconds) * 1024 + fraction - first);
        }
        self.last_event = events.last().copied();
        let rates = message.field(Hr::FILTERED_BPM).map_or(&[][..], |field| field.bytes);
        let Some(epoch) = self.strap_epoch else { return };
        for (event, rate) in events.iter().zip(rates) {
            if (1..=250).contains(rate) && self.beats.len() < MAX_BEATS {
                self.beats.push((epoch + event, *rate));
            }
        }
    }

    /// Times of 12 bits that roll over, two in three bytes, lower bits first.
    fn short_times(&self, bytes: &[u8]) -> Vec<Ticks> {
        let Some(mut now) = self.last_event else { return Vec::new() };
        let pairs = bytes.as_chunks::<3>().0.iter().flat_map(|[a, b, c]| {
            [i64::from(*a) | (i64::from(*b & 0x0f) << 8), i64::from(*b >> 4) | (i64::from(*c) << 4)]
        });
        let times = pairs.map(|short| {
            now += (short - now) & 0x0fff;
            now
        });
        times.collect()
    }

    /// Brings the beats in time order, as [`Self::merge_into`] needs them.
    pub(super) fn sort(&mut self) {
        if !self.beats.is_sorted_by_key(|(time, _)| *time) {
            self.beats.sort_by_key(|(time, _)| *time);
        }
    }

    /// Replaces the heart rate of records that have beats.
    pub(super) fn merge_into(&self, samples: &mut Samples) {
        if self.beats.is_empty() {
            return;
        }
        let mut beat = 0;
        let mut window: Option<(Ticks, Ticks)> = None;
        let mut mean = None;
        for index in 0..samples.len() {
            let Some(now) = samples.time(index).map(|seconds| i64::from(seconds) * 1024) else { break };
            let after = match window {
                // A record of the same second has the same heart rate.
                Some((_, until)) if until == now => None,
                Some((_, until)) => Some(until),
                None => Some(now - 1024),
            };
            if let Some(after) = after {
                window = Some((after, now));
                beat = self.first_beat_within(beat, after);
                mean = self.mean(beat, after, now);
            }
            if let Some(rate) = mean {
                samples.replace(index, Channel::HeartRate, rate);
            }
        }
    }

    /// Skips beats whose values do not hold after `after`.
    fn first_beat_within(&self, mut beat: usize, after: Ticks) -> usize {
        while beat < self.beats.len() && self.beats[beat].0 + MAX_STEPS * STEP <= after {
            beat += 1;
        }
        beat
    }

    /// Mean after `after` up to `until`, rounded.
    fn mean(&self, from: usize, after: Ticks, until: Ticks) -> Option<i32> {
        let (mut sum, mut count) = (0, 0);
        for (index, (time, rate)) in self.beats.iter().enumerate().skip(from) {
            if *time > until {
                break;
            }
            // The last step is before the next beat. The last beat counts once.
            let next = self.beats.get(index + 1).map_or(*time, |(next, _)| *next);
            let last_step = ((next - time - 1).max(0) / STEP).min(MAX_STEPS);
            let first = ((after - time).max(-STEP).div_euclid(STEP) + 1).max(0);
            let last = ((until - time) / STEP).min(last_step);
            let steps = (last - first + 1).max(0);
            sum += i64::from(*rate) * steps;
            count += steps;
        }
        (sum + count / 2).checked_div(count).and_then(|mean| i32::try_from(mean).ok())
    }
}
