//! Daily wellness: sleep, resting heart rate, HRV and other values measured by a device.

use crate::domain::calendar::{Day, Instant};
use crate::domain::units::TimeSpan;
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One day's wellness. A missing value is `None`, never zero: a watch that was not worn is not a
/// night without sleep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DailyWellness {
    /// The local day; a night belongs to the day of waking.
    pub day: Day,
    /// The night that ended on this day.
    pub sleep: Option<Sleep>,
    pub resting_heart_rate: Option<u16>,
    /// Last night's mean rMSSD, milliseconds.
    pub hrv_ms: Option<f64>,
    /// Mean stress level, 0 to 100.
    pub stress_avg: Option<u16>,
    /// Highest stress level, 0 to 100.
    pub stress_max: Option<u16>,
    /// Highest body battery, 0 to 100.
    pub body_battery_high: Option<u16>,
    /// Lowest body battery, 0 to 100.
    pub body_battery_low: Option<u16>,
    /// Breaths per minute, asleep where known.
    pub respiration: Option<f64>,
    /// Blood oxygen saturation, percent.
    pub spo2: Option<f64>,
    pub weight_kg: Option<f64>,
    pub steps: Option<u32>,
    /// The device's estimate of maximal oxygen uptake, ml/kg/min.
    pub vo2max: Option<f64>,
}

impl DailyWellness {
    /// A day without any values.
    #[must_use]
    pub const fn empty(day: Day) -> Self {
        Self {
            day,
            sleep: None,
            resting_heart_rate: None,
            hrv_ms: None,
            stress_avg: None,
            stress_max: None,
            body_battery_high: None,
            body_battery_low: None,
            respiration: None,
            spo2: None,
            weight_kg: None,
            steps: None,
            vo2max: None,
        }
    }

    /// Overwrites values with those of a newer record; values it lacks are kept.
    pub fn merge(&mut self, newer: Self) {
        macro_rules! take { ($($field:ident),+) => { $( if newer.$field.is_some() { self.$field = newer.$field; } )+ } }
        take!(
            sleep,
            resting_heart_rate,
            hrv_ms,
            stress_avg,
            stress_max,
            body_battery_high,
            body_battery_low,
            respiration,
            spo2,
            weight_kg,
            steps,
            vo2max
        );
    }
}

/// Readings of a part of a day, added up so that the parts of a day can be merged in any order.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DayReadings {
    /// Continuous readings: their mean over the whole day counts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub continuous: BTreeMap<ContinuousReading, ReadingSum>,
    /// Single readings: the latest of the day counts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub single: BTreeMap<SingleReading, LatestReading>,
    /// Steps since midnight by the source's type of activity: the most of the day counts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub steps: BTreeMap<i64, u32>,
}

string_enum! {
    /// A value that a device measures all day.
    pub enum ContinuousReading("reading") {
        Stress = "stress",
        Respiration = "respiration",
        Spo2 = "spo2",
    }
}

string_enum! {
    /// A value that a device gives now and then.
    pub enum SingleReading("single reading") {
        RestingHeartRate = "resting_heart_rate",
        Hrv = "hrv",
        Weight = "weight",
        Vo2Max = "vo2max",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ReadingSum {
    pub count: u32,
    pub sum: f64,
    pub max: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LatestReading {
    pub at: Instant,
    pub value: f64,
}

impl DayReadings {
    pub fn add_continuous(&mut self, what: ContinuousReading, value: f64) {
        self.add_sum(what, ReadingSum { count: 1, sum: value, max: value });
    }

    /// Of two readings at the same time the greater one counts.
    pub fn add_single(&mut self, what: SingleReading, reading: LatestReading) {
        let known = self.single.entry(what).or_insert(reading);
        if (reading.at, reading.value) > (known.at, known.value) {
            *known = reading;
        }
    }

    pub fn add_steps(&mut self, kind: i64, steps: u32) {
        let most = self.steps.entry(kind).or_default();
        *most = (*most).max(steps);
    }

    /// Adds the readings of another part of the day.
    pub fn merge(&mut self, other: &Self) {
        for (what, sum) in &other.continuous {
            self.add_sum(*what, *sum);
        }
        for (what, reading) in &other.single {
            self.add_single(*what, *reading);
        }
        for (kind, steps) in &other.steps {
            self.add_steps(*kind, *steps);
        }
    }

    fn add_sum(&mut self, what: ContinuousReading, new: ReadingSum) {
        let known = self.continuous.entry(what).or_insert(ReadingSum { count: 0, sum: 0.0, max: new.max });
        known.count = known.count.saturating_add(new.count);
        known.sum += new.sum;
        known.max = known.max.max(new.max);
    }

    /// Sets the values of a day that come from readings.
    pub fn fill(&self, day: &mut DailyWellness) {
        let sum = |what| self.continuous.get(&what).filter(|sum| sum.count > 0);
        let mean = |what| sum(what).map(|sum| sum.sum / f64::from(sum.count));
        let single = |what| self.single.get(&what).map(|reading| reading.value);
        let whole = |value: Option<f64>| value.map(|value| value.round() as u16);
        let tenths = |value: Option<f64>| value.map(|value| (value * 10.0).round() / 10.0);
        day.stress_avg = whole(mean(ContinuousReading::Stress));
        day.stress_max = whole(sum(ContinuousReading::Stress).map(|sum| sum.max));
        day.respiration = tenths(mean(ContinuousReading::Respiration));
        day.spo2 = tenths(mean(ContinuousReading::Spo2));
        day.resting_heart_rate = whole(single(SingleReading::RestingHeartRate));
        day.hrv_ms = tenths(single(SingleReading::Hrv));
        day.weight_kg = single(SingleReading::Weight);
        day.vo2max = single(SingleReading::Vo2Max);
        let steps = self.steps.values().fold(0_u32, |sum, steps| sum.saturating_add(*steps));
        day.steps = (!self.steps.is_empty()).then_some(steps);
    }
}

/// A night and its stages.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Sleep {
    pub began_at: Option<Instant>,
    pub ended_at: Option<Instant>,
    /// Time asleep, without the time awake.
    #[serde(rename = "asleep_ms")]
    pub asleep: Option<TimeSpan>,
    #[serde(rename = "deep_ms")]
    pub deep: Option<TimeSpan>,
    #[serde(rename = "light_ms")]
    pub light: Option<TimeSpan>,
    #[serde(rename = "rem_ms")]
    pub rem: Option<TimeSpan>,
    /// Awake within the night.
    #[serde(rename = "awake_ms")]
    pub awake: Option<TimeSpan>,
    /// The device's score, 0 to 100.
    pub score: Option<u16>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merge_adds_values_and_keeps_missing_ones() {
        let day: Day = "2026-06-14".parse().unwrap();
        let mut stored =
            DailyWellness { steps: Some(9000), resting_heart_rate: Some(50), ..DailyWellness::empty(day) };
        stored.merge(DailyWellness { steps: Some(9500), hrv_ms: Some(61.0), ..DailyWellness::empty(day) });
        assert_eq!(
            (stored.steps, stored.resting_heart_rate, stored.hrv_ms),
            (Some(9500), Some(50), Some(61.0))
        );
    }
}
