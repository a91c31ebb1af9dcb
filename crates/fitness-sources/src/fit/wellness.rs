//! Builds daily values from FIT messages: steps, resting heart rate, stress, respiration, SpO2,
//! sleep, weight.
//!
//! A watch writes many small files per day. Each gives partial values; the importer merges them.

use super::messages::Message;
use super::values::{FitFields, instant};
use crate::error::ParseError;
use chrono::TimeDelta;
use chrono_tz::Tz;
use fitness_core::domain::calendar::{Day, Instant, utc_offset_seconds};
use fitness_core::domain::units::TimeSpan;
use fitness_core::domain::wellness::{
    ContinuousReading, DailyWellness, DayReadings, LatestReading, SingleReading, Sleep,
};
use rustyfit::profile::mesgdef;
use rustyfit::profile::typedef::{self, MesgNum};
use std::collections::BTreeMap;

/// More than a year of one reading per minute. Bounds memory.
const MAX_READINGS: usize = 600_000;

#[derive(Debug, Default)]
pub(super) struct WellnessBuilder {
    /// Local time minus UTC in seconds, if the device recorded it.
    utc_offset_s: Option<i64>,
    /// Last full timestamp, to which 16-bit ones are relative.
    full_time: Option<u32>,
    /// Cumulative steps of the day by time and activity type.
    steps: BTreeMap<(u32, i64), u32>,
    readings: Vec<Reading>,
    levels: Vec<(u32, typedef::SleepLevel)>,
    score: Option<u16>,
    user_count: usize,
}

#[derive(Debug, Clone, Copy)]
struct Reading {
    time: u32,
    measurement: Measurement,
    value: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measurement {
    RestingHeartRate,
    Stress,
    Respiration,
    Oxygen,
    Hrv,
    Weight,
    Vo2Max,
}

impl WellnessBuilder {
    pub(super) fn add_message(&mut self, message: &Message<'_>) {
        use mesgdef::{
            HrvStatusSummary as Hrv, MaxMetData, MonitoringHrData as HeartRate, MonitoringInfo as Info,
            RespirationRate, SleepAssessment, SleepLevel, Spo2Data, StressLevel, WeightScale,
        };
        let fields = FitFields::new(message);
        let at = |number| fields.narrow::<u32>(number);
        match message.number() {
            MesgNum::MONITORING_INFO => {
                let (utc, local) = (fields.integer(Info::TIMESTAMP), fields.integer(Info::LOCAL_TIMESTAMP));
                self.utc_offset_s = self.utc_offset_s.or_else(|| local?.checked_sub(utc?));
                self.full_time = at(Info::TIMESTAMP).or(self.full_time);
            }
            MesgNum::MONITORING => self.add_monitoring(&fields),
            MesgNum::MONITORING_HR_DATA => {
                // The current day's value if known, else the 7-day average.
                let number = HeartRate::CURRENT_DAY_RESTING_HEART_RATE;
                let bpm =
                    fields.scaled(number, 1.0).or_else(|| fields.scaled(HeartRate::RESTING_HEART_RATE, 1.0));
                self.add_reading(
                    at(HeartRate::TIMESTAMP),
                    Measurement::RestingHeartRate,
                    bpm.filter(|v| (25.0..=150.0).contains(v)),
                );
            }
            MesgNum::STRESS_LEVEL => {
                // Negative means not measurable.
                let level =
                    fields.scaled(StressLevel::STRESS_LEVEL_VALUE, 1.0).filter(|v| (0.0..=100.0).contains(v));
                self.add_reading(at(StressLevel::STRESS_LEVEL_TIME), Measurement::Stress, level);
            }
            MesgNum::RESPIRATION_RATE => {
                let rate = fields
                    .scaled(RespirationRate::RESPIRATION_RATE, 100.0)
                    .filter(|v| (3.0..=60.0).contains(v));
                self.add_reading(at(RespirationRate::TIMESTAMP), Measurement::Respiration, rate);
            }
            MesgNum::SPO2_DATA => {
                let percent =
                    fields.scaled(Spo2Data::READING_SPO2, 1.0).filter(|v| (50.0..=100.0).contains(v));
                self.add_reading(at(Spo2Data::TIMESTAMP), Measurement::Oxygen, percent);
            }
            MesgNum::HRV_STATUS_SUMMARY => {
                let ms = fields.scaled(Hrv::LAST_NIGHT_AVERAGE, 128.0).filter(|v| (1.0..=400.0).contains(v));
                self.add_reading(at(Hrv::TIMESTAMP), Measurement::Hrv, ms);
            }
            MesgNum::MAX_MET_DATA => {
                let vo2max = fields.scaled(MaxMetData::VO2_MAX, 10.0).filter(|v| (10.0..=100.0).contains(v));
                self.add_reading(at(MaxMetData::UPDATE_TIME), Measurement::Vo2Max, vo2max);
            }
            MesgNum::WEIGHT_SCALE => {
                let kg = fields.scaled(WeightScale::WEIGHT, 100.0).filter(|v| (20.0..=400.0).contains(v));
                self.add_reading(at(WeightScale::TIMESTAMP), Measurement::Weight, kg);
            }
            MesgNum::USER_PROFILE => self.user_count += 1,
            MesgNum::SLEEP_LEVEL if self.levels.len() < MAX_READINGS => {
                let level = fields.narrow(SleepLevel::SLEEP_LEVEL).map(typedef::SleepLevel);
                self.levels.extend(at(SleepLevel::TIMESTAMP).zip(level));
            }
            MesgNum::SLEEP_ASSESSMENT => {
                let score = fields
                    .narrow(SleepAssessment::OVERALL_SLEEP_SCORE)
                    .filter(|score| (1..=100).contains(score));
                self.score = score.or(self.score);
            }
            _ => {}
        }
    }

    fn add_reading(&mut self, time: Option<u32>, what: Measurement, value: Option<f64>) {
        if let (Some(time), Some(value)) = (time, value)
            && self.readings.len() < MAX_READINGS
        {
            self.readings.push(Reading { time, measurement: what, value });
        }
    }

    /// Steps. The timestamp is full, or 16 bits relative to the last full one.
    fn add_monitoring(&mut self, fields: &FitFields<'_>) {
        use mesgdef::Monitoring as M;
        let short = fields.narrow::<u16>(M::TIMESTAMP_16).map(u32::from);
        let time = match (fields.narrow::<u32>(M::TIMESTAMP), short, self.full_time) {
            (Some(full), ..) => full,
            (None, Some(short), Some(full)) => full.wrapping_add(short.wrapping_sub(full & 0xffff) & 0xffff),
            _ => return,
        };
        self.full_time = Some(time);
        let kind = fields.integer(M::ACTIVITY_TYPE);
        let on_foot = [typedef::ActivityType::WALKING, typedef::ActivityType::RUNNING];
        let Some(kind) = kind.filter(|kind| on_foot.iter().any(|foot| i64::from(foot.0) == *kind)) else {
            return;
        };
        // Cycles are pairs of steps with a scale of 2, so the raw number is steps.
        if let Some(steps) = fields.narrow::<u32>(M::CYCLES).filter(|steps| *steps < 200_000)
            && self.steps.len() < MAX_READINGS
        {
            let most = self.steps.entry((time, kind)).or_default();
            *most = (*most).max(steps);
        }
    }

    /// Daily values with their readings, and the time of the newest one.
    pub(super) fn into_days(self, zone: Tz) -> Result<ParsedDays, ParseError> {
        if self.user_count > 1
            && self.readings.iter().any(|reading| reading.measurement == Measurement::Weight)
        {
            return Err(ParseError::new(
                "contains weights of several people and does not say which are yours",
            ));
        }
        let day_of = |time: u32| {
            let at = instant(time)?;
            let offset = self
                .utc_offset_s
                .filter(|s| s.abs() <= 15 * 3600)
                .unwrap_or_else(|| utc_offset_seconds(zone, at).into());
            Some(Day::at(at + TimeDelta::seconds(offset), Tz::UTC))
        };
        let mut days: BTreeMap<Day, DayReadings> = BTreeMap::new();
        let mut newest = None;
        for ((time, kind), steps) in &self.steps {
            newest = newest.max(Some(*time));
            // The total at midnight belongs to the day before.
            if let Some(day) = day_of(time.saturating_sub(1)) {
                days.entry(day).or_default().add_steps(*kind, *steps);
            }
        }
        for reading in &self.readings {
            newest = newest.max(Some(reading.time));
            if let Some((day, at)) = day_of(reading.time).zip(instant(reading.time)) {
                add_reading(days.entry(day).or_default(), reading, at);
            }
        }
        let mut parsed: BTreeMap<Day, (DailyWellness, DayReadings)> = BTreeMap::new();
        for (day, readings) in days {
            let mut wellness = DailyWellness::empty(day);
            readings.fill(&mut wellness);
            parsed.insert(day, (wellness, readings));
        }
        if let Some((woke, night)) = self.night() {
            newest = newest.max(Some(woke));
            if let Some(day) = day_of(woke) {
                let blank = || (DailyWellness::empty(day), DayReadings::default());
                parsed.entry(day).or_insert_with(blank).0.sleep = Some(night);
            }
        }
        Ok(ParsedDays { days: parsed.into_values().collect(), newest: newest.and_then(instant) })
    }

    /// Sleep from the sleep levels, and when it ended.
    fn night(&self) -> Option<(u32, Sleep)> {
        let mut levels = self.levels.clone();
        levels.sort_by_key(|(time, _)| *time);
        let (first, last) = (levels.first()?.0, levels.last()?.0);
        let mut spans: BTreeMap<u8, i64> = BTreeMap::new();
        for pair in levels.windows(2) {
            let seconds = i64::from(pair[1].0 - pair[0].0);
            // Longer gaps are not a sleep level.
            if seconds <= 4 * 3600 {
                *spans.entry(pair[0].1.0).or_default() += seconds;
            }
        }
        let span = |level: typedef::SleepLevel| spans.get(&level.0).copied().map(TimeSpan::from_secs);
        let (light, deep, rem) = (
            span(typedef::SleepLevel::LIGHT),
            span(typedef::SleepLevel::DEEP),
            span(typedef::SleepLevel::REM),
        );
        let asleep = [light, deep, rem].into_iter().flatten().sum();
        let night = Sleep {
            began_at: instant(first),
            ended_at: instant(last),
            asleep: (asleep > TimeSpan::ZERO).then_some(asleep),
            deep,
            light,
            rem,
            awake: span(typedef::SleepLevel::AWAKE),
            score: self.score,
        };
        night.asleep.is_some().then_some((last, night))
    }
}

/// Daily values of a file.
#[derive(Debug)]
pub(super) struct ParsedDays {
    pub(super) days: Vec<(DailyWellness, DayReadings)>,
    pub(super) newest: Option<Instant>,
}

fn add_reading(day: &mut DayReadings, reading: &Reading, at: Instant) {
    let value = reading.value;
    let single = LatestReading { at, value };
    match reading.measurement {
        Measurement::Stress => day.add_continuous(ContinuousReading::Stress, value),
        Measurement::Respiration => day.add_continuous(ContinuousReading::Respiration, value),
        Measurement::Oxygen => day.add_continuous(ContinuousReading::Spo2, value),
        Measurement::RestingHeartRate => day.add_single(SingleReading::RestingHeartRate, single),
        Measurement::Hrv => day.add_single(SingleReading::Hrv, single),
        Measurement::Weight => day.add_single(SingleReading::Weight, single),
        Measurement::Vo2Max => day.add_single(SingleReading::Vo2Max, single),
    }
}
