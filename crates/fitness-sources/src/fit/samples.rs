//! Collects record messages into sample columns.

use super::messages::{FieldKind, FieldNumbers, Message};
use super::values::unix_ms;
use crate::sample_clock::usable_order;
use fitness_core::domain::source_record::ParseCounts;
use fitness_core::domain::stream::{Channel, Column, Recording};
use rustyfit::profile::mesgdef::Record;
use std::ops::Range;

const MISSING: i32 = i32::MIN;
/// A week at one sample per second. Bounds memory.
const MAX_SAMPLES: usize = 600_000;

/// All samples of a file, in FIT time; in the order of the file until [`Samples::check_times`].
#[derive(Debug, Default)]
pub(super) struct Samples {
    times: Vec<u32>,
    columns: [Vec<i32>; Channel::ALL.len()],
    /// Accumulated distance, for devices that write compressed speed and distance.
    compressed_distance: CompressedDistance,
    /// Number of record messages without a time.
    without_time: u32,
    /// Whether there were more than `MAX_SAMPLES`.
    pub(super) truncated: bool,
    /// Number of record messages, also those without a time.
    pub(super) record_count: usize,
}

#[derive(Debug, Default)]
struct CompressedDistance {
    last: Option<u16>,
    sixteenths: i64,
}

impl Samples {
    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    pub(super) fn first(&self) -> Option<u32> {
        self.times.first().copied()
    }

    pub(super) fn time(&self, index: usize) -> Option<u32> {
        self.times.get(index).copied()
    }

    pub(super) fn last(&self) -> Option<u32> {
        self.times.last().copied()
    }

    /// `native` maps developer fields to channels and types.
    pub(super) fn add_record(
        &mut self,
        message: &Message<'_>,
        native: impl Fn(u8, u8) -> Option<(Channel, FieldKind)>,
    ) {
        self.record_count += 1;
        let Some(time) = message.time() else {
            self.without_time = self.without_time.saturating_add(1);
            return;
        };
        if self.times.len() >= MAX_SAMPLES {
            self.truncated = true;
            return;
        }
        self.times.push(time);
        let (mut cadence, mut cadence_fraction) = (None, None);
        let mut seen = FieldNumbers::default();
        for (number, field) in message.fields() {
            let is_repeated = message.has_repeated_fields() && !seen.insert(number);
            match number {
                Record::CADENCE => cadence = field.integer().or(cadence),
                Record::FRACTIONAL_CADENCE => cadence_fraction = field.integer().or(cadence_fraction),
                _ => {}
            }
            if number == Record::COMPRESSED_SPEED_DISTANCE {
                self.add_compressed(field.bytes);
                continue;
            }
            let Some((channel, convert, wins)) = conversion(number) else { continue };
            if let Some(value) = field.integer().and_then(convert) {
                self.set(channel, value, wins || is_repeated);
            }
        }
        if let Some(tenths) = cadence.and_then(|rate| cadence_tenths(rate, cadence_fraction?)) {
            self.set(Channel::Cadence, tenths, false);
        }
        if let Some(tenths) = cadence.and_then(times_ten) {
            self.set(Channel::Cadence, tenths, false);
        }
        for (index, number, field) in message.developer_fields() {
            if let Some((channel, kind)) = native(index, number)
                && let Some(value) = field.as_kind(kind).number()
                && let Some(value) = from_developer(channel, value)
            {
                self.set(channel, value, false);
            }
        }
    }

    /// Sets a channel of the newest sample. An existing value is replaced only if `wins`.
    fn set(&mut self, channel: Channel, value: i32, wins: bool) {
        let newest = self.times.len() - 1;
        let column = &mut self.columns[channel as usize];
        if column.len() <= newest {
            column.resize(newest, MISSING);
            column.push(value);
        } else if wins {
            column[newest] = value;
        }
    }

    /// Sets a channel of any sample, also one that has a value.
    pub(super) fn replace(&mut self, index: usize, channel: Channel, value: i32) {
        let column = &mut self.columns[channel as usize];
        if column.len() <= index {
            column.resize(index + 1, MISSING);
        }
        column[index] = value;
    }

    /// `compressed_speed_distance` of old devices, three bytes: 12 bits speed in 1/100 m/s, 12 bits
    /// distance in 1/16 m, which rolls over.
    fn add_compressed(&mut self, bytes: &[u8]) {
        let [a, b, c] = *bytes else { return };
        if [a, b, c] == [0xff; 3] {
            return;
        }
        let speed = u16::from(a) | (u16::from(b & 0x0f) << 8);
        let distance = u16::from(b >> 4) | (u16::from(c) << 4);
        let step =
            self.compressed_distance.last.map_or(distance, |last| distance.wrapping_sub(last) & 0x0fff);
        self.compressed_distance.last = Some(distance);
        self.compressed_distance.sixteenths += i64::from(step);
        self.set(Channel::Speed, i32::from(speed) * 10, false);
        if let Ok(mm) = i32::try_from(self.compressed_distance.sixteenths * 1000 / 16) {
            self.set(Channel::Distance, mm, false);
        }
    }

    /// Drops samples with a wrong clock time and sorts the others. `spans` are those of the
    /// sessions, milliseconds since the Unix epoch.
    pub(super) fn check_times(&mut self, spans: &[(i64, i64)]) -> ParseCounts {
        let mut counts = ParseCounts { samples_without_time: self.without_time, ..ParseCounts::default() };
        let times = &self.times;
        let Some(order) = usable_order(times.len(), |index| unix_ms(times[index]), spans) else {
            return counts;
        };
        let dropped = self.times.len() - order.len();
        counts.samples_with_bad_time = u32::try_from(dropped).unwrap_or(u32::MAX);
        counts.sorted = order.windows(2).any(|pair| pair[1] < pair[0]);
        self.times = order.iter().map(|index| self.times[*index as usize]).collect();
        for column in self.columns.iter_mut().filter(|column| !column.is_empty()) {
            let value = |index: &u32| column.get(*index as usize).copied().unwrap_or(MISSING);
            *column = order.iter().map(value).collect();
        }
        counts
    }

    /// Range of samples from `from` to before `until`.
    pub(super) fn between(&self, from: u32, until: u32) -> Range<usize> {
        let start = self.times.partition_point(|time| *time < from);
        start..self.times.partition_point(|time| *time < until).max(start)
    }

    /// Mean cadence per minute without zeros.
    pub(super) fn mean_cadence(&self, part: &Range<usize>) -> Option<f64> {
        let column = &self.columns[Channel::Cadence as usize];
        let known = column.get(part.start..part.end.min(column.len())).unwrap_or_default();
        let moving = known.iter().filter(|tenths| **tenths > 0).map(|tenths| i64::from(*tenths));
        let (sum, count) = moving.fold((0, 0), |(sum, count), tenths| (sum + tenths, count + 1));
        (count > 0).then(|| sum as f64 / 10.0 / f64::from(count))
    }

    /// Part of the samples as a recording that starts at `start`. If `per_leg`, cadence is doubled.
    pub(super) fn recording(&self, part: Range<usize>, start: u32, per_leg: bool) -> Option<Recording> {
        let times = self.times.get(part.clone()).filter(|times| !times.is_empty())?;
        let moment =
            |time: &u32| i32::try_from(i64::from(time.saturating_sub(start)) * 1000).unwrap_or(i32::MAX);
        let mut recording =
            Recording::new(times.iter().map(moment).collect()).expect("check_times sorted the samples");
        for (channel, values) in Channel::ALL.iter().zip(&self.columns) {
            let known = values.get(part.start..part.end.min(values.len())).unwrap_or_default();
            if known.iter().all(|value| *value == MISSING) {
                continue;
            }
            let factor = if per_leg && *channel == Channel::Cadence { 2 } else { 1 };
            let known = known.iter().map(|value| (*value != MISSING).then(|| value.saturating_mul(factor)));
            let column: Column = known.chain(std::iter::repeat(None)).take(times.len()).collect();
            recording.insert_column(*channel, column).expect("a column is as long as its moments");
        }
        Some(recording)
    }
}

type ConvertFn = fn(i64) -> Option<i32>;

/// Channel of a record field, conversion to our unit, and whether it replaces a plain counterpart.
fn conversion(field: u8) -> Option<(Channel, ConvertFn, bool)> {
    Some(match field {
        Record::POSITION_LAT => (Channel::Latitude, |v| degrees(v, 90), false),
        Record::POSITION_LONG => (Channel::Longitude, |v| degrees(v, 180), false),
        Record::HEART_RATE => (Channel::HeartRate, |v| (1..=250).contains(&v).then_some(v as i32), false),
        // 1/256 revolutions, replaces the integer value.
        Record::CADENCE256 => {
            (Channel::Cadence, |v| v.checked_mul(10).and_then(|v| i32::try_from(v / 256).ok()), true)
        }
        Record::DISTANCE => (Channel::Distance, |v| times_ten(v), false),
        Record::SPEED => (Channel::Speed, |v| i32::try_from(v).ok(), false),
        Record::ENHANCED_SPEED => (Channel::Speed, |v| i32::try_from(v).ok(), true),
        Record::POWER => (Channel::Power, |v| (0..=4000).contains(&v).then_some(v as i32), false),
        Record::ALTITUDE => (Channel::Altitude, |v| altitude(v), false),
        Record::ENHANCED_ALTITUDE => (Channel::Altitude, |v| altitude(v), true),
        Record::TEMPERATURE => (Channel::Temperature, |v| times_ten(v), false),
        Record::STANCE_TIME => (Channel::GroundContact, |v| i32::try_from(v).ok(), false),
        Record::VERTICAL_OSCILLATION => (Channel::VerticalOscillation, |v| i32::try_from(v).ok(), false),
        Record::STANCE_TIME_BALANCE => (Channel::GroundContactBalance, |v| percent_hundredths(v), false),
        Record::VERTICAL_RATIO => (Channel::VerticalRatio, |v| percent_hundredths(v), false),
        Record::STEP_LENGTH => (Channel::StepLength, |v| i32::try_from(v).ok(), false),
        Record::LEFT_RIGHT_BALANCE => (Channel::PowerBalance, |v| left_percent_hundredths(v), false),
        Record::RESPIRATION_RATE => {
            (Channel::Respiration, |v| (1..=100).contains(&v).then_some(v as i32 * 100), false)
        }
        Record::ENHANCED_RESPIRATION_RATE => {
            (Channel::Respiration, |v| (100..=10_000).contains(&v).then_some(v as i32), true)
        }
        _ => return None,
    })
}

/// The fraction is in 1/128 revolutions.
fn cadence_tenths(rate: i64, fraction: i64) -> Option<i32> {
    i32::try_from((rate.checked_mul(1280)?.checked_add(fraction.checked_mul(10)?)? + 64) / 128).ok()
}

fn times_ten(value: i64) -> Option<i32> {
    value.checked_mul(10).and_then(|value| i32::try_from(value).ok())
}

/// Hundredths of a percent up to 100 %.
fn percent_hundredths(value: i64) -> Option<i32> {
    (0..=10_000).contains(&value).then_some(value as i32)
}

/// Percent in seven bits. The eighth says that they are of the right pedal; without it, the device
/// does not know whose they are.
fn left_percent_hundredths(value: i64) -> Option<i32> {
    let percent = value & 0x7f;
    (value & 0x80 != 0 && percent <= 100).then_some((100 - percent) as i32 * 100)
}

/// FIT altitude is in 1/5 m above -500 m.
fn altitude(value: i64) -> Option<i32> {
    i32::try_from(value).ok()?.checked_mul(200)?.checked_sub(500_000)
}

/// Semicircles to 1e-7 degrees; `None` out of range.
#[expect(clippy::cast_possible_truncation, reason = "at most 180e7, which an i32 holds")]
fn degrees(semicircles: i64, most: i64) -> Option<i32> {
    let value = (semicircles as f64 * (180.0 / 2_147_483_648.0) * 1e7).round();
    (value.abs() <= (most * 10_000_000) as f64).then_some(value as i32)
}

/// A developer field's value in the channel's unit.
#[expect(clippy::cast_possible_truncation, reason = "bounded just before")]
fn from_developer(channel: Channel, value: f64) -> Option<i32> {
    let scaled = match channel {
        Channel::Cadence
        | Channel::GroundContact
        | Channel::VerticalOscillation
        | Channel::StepLength
        | Channel::Temperature => value * 10.0,
        Channel::GroundContactBalance
        | Channel::VerticalRatio
        | Channel::PowerBalance
        | Channel::Respiration => value * 100.0,
        Channel::Distance | Channel::Speed | Channel::Altitude => value * 1000.0,
        Channel::HeartRate | Channel::Power => value,
        _ => return None,
    };
    let sound = match channel {
        Channel::HeartRate => (1.0..=250.0).contains(&scaled),
        Channel::Power => (0.0..=4000.0).contains(&scaled),
        _ => scaled.abs() < 1e9,
    };
    sound.then(|| scaled.round() as i32)
}
