//! Collects record messages into sample columns.

use super::messages::{FieldKind, Message};
use fitness_core::domain::stream::{Channel, Column, Recording};
use rustyfit::profile::mesgdef::Record;
use std::ops::Range;

const MISSING: i32 = i32::MIN;
/// A week at one sample per second. Bounds memory.
const MAX_SAMPLES: usize = 600_000;

/// All samples of a file, in FIT time.
#[derive(Debug, Default)]
pub(super) struct Samples {
    times: Vec<u32>,
    columns: [Vec<i32>; Channel::ALL.len()],
    /// Accumulated distance, for devices that write compressed speed and distance.
    compressed_distance: CompressedDistance,
    /// Whether out-of-order samples were dropped.
    pub(super) out_of_order: bool,
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
        let Some(time) = message.time() else { return };
        if self.times.last().is_some_and(|last| time < *last) {
            self.out_of_order = true;
            return;
        }
        if self.times.len() >= MAX_SAMPLES {
            self.truncated = true;
            return;
        }
        self.times.push(time);
        for (number, field) in message.fields() {
            if number == Record::COMPRESSED_SPEED_DISTANCE {
                self.add_compressed(field.bytes);
                continue;
            }
            let Some((channel, convert, wins)) = conversion(number) else { continue };
            if let Some(value) = field.integer().and_then(convert) {
                self.set(channel, value, wins);
            }
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

    /// Range of samples from `from` to before `until`.
    pub(super) fn between(&self, from: u32, until: u32) -> Range<usize> {
        let start = self.times.partition_point(|time| *time < from);
        start..self.times.partition_point(|time| *time < until).max(start)
    }

    /// Part of the samples as a recording that starts at `start`. If `per_leg`, cadence is doubled.
    pub(super) fn recording(&self, part: Range<usize>, start: u32, per_leg: bool) -> Option<Recording> {
        let times = self.times.get(part.clone()).filter(|times| !times.is_empty())?;
        let moment =
            |time: &u32| i32::try_from(i64::from(time.saturating_sub(start)) * 1000).unwrap_or(i32::MAX);
        let mut recording =
            Recording::new(times.iter().map(moment).collect()).expect("samples are kept in order");
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
        Record::CADENCE => (Channel::Cadence, |v| times_ten(v), false),
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
        _ => return None,
    })
}

fn times_ten(value: i64) -> Option<i32> {
    value.checked_mul(10).and_then(|value| i32::try_from(value).ok())
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
        Channel::Latitude | Channel::Longitude => return None,
    };
    let sound = match channel {
        Channel::HeartRate => (1.0..=250.0).contains(&scaled),
        Channel::Power => (0.0..=4000.0).contains(&scaled),
        _ => scaled.abs() < 1e9,
    };
    sound.then(|| scaled.round() as i32)
}
