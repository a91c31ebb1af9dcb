//! A recorded activity and its laps, independent of the source.

use crate::domain::calendar::{Day, Instant};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

/// A recorded activity. A value the source did not give is `None`, never zero.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    pub sport: Sport,
    /// The source's own sport type, such as `trail_running`. Untrusted text.
    pub sub_sport: Option<String>,
    /// The title the athlete or the device gave it. Untrusted: escape it wherever it is shown.
    pub name: Option<String>,
    pub started_at: Instant,
    /// The local clock's offset from UTC where the athlete was, in seconds.
    pub utc_offset_s: i32,
    /// From start to end, pauses included.
    #[serde(rename = "elapsed_ms")]
    pub elapsed: Option<TimeSpan>,
    /// As the source reports it; for many devices the time without pauses of the watch.
    #[serde(rename = "moving_ms")]
    pub moving: Option<TimeSpan>,
    /// Whether the athlete set the moving time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moving_is_edited: bool,
    #[serde(rename = "distance_mm")]
    pub distance: Option<Distance>,
    /// As the source reports it.
    #[serde(rename = "ascent_mm")]
    pub ascent: Option<Distance>,
    #[serde(rename = "descent_mm")]
    pub descent: Option<Distance>,
    pub avg_heart_rate: Option<u16>,
    pub max_heart_rate: Option<u16>,
    pub avg_power: Option<u16>,
    pub max_power: Option<u16>,
    /// Steps or revolutions per minute, both legs.
    pub avg_cadence: Option<f64>,
    pub energy_kcal: Option<u32>,
    /// Device name, such as `Forerunner 255`. Untrusted text.
    pub device: Option<String>,
    #[serde(default, skip_serializing_if = "DeviceMetrics::is_empty")]
    pub device_metrics: DeviceMetrics,
    /// In order of their start.
    pub laps: Vec<Lap>,
}

impl Activity {
    /// An activity with nothing but its sport and start.
    #[must_use]
    pub fn new(sport: Sport, started_at: Instant, utc_offset_s: i32) -> Self {
        Self {
            sport,
            sub_sport: None,
            name: None,
            started_at,
            utc_offset_s,
            elapsed: None,
            moving: None,
            moving_is_edited: false,
            distance: None,
            ascent: None,
            descent: None,
            avg_heart_rate: None,
            max_heart_rate: None,
            avg_power: None,
            max_power: None,
            avg_cadence: None,
            energy_kcal: None,
            device: None,
            device_metrics: DeviceMetrics::default(),
            laps: Vec::new(),
        }
    }

    /// The athlete's local day on which it began.
    #[must_use]
    pub fn day(&self) -> Day {
        let local = self.started_at + TimeDelta::seconds(i64::from(self.utc_offset_s));
        Day::at(local, chrono_tz::Tz::UTC)
    }

    /// Name of a leg of a multisport activity, such as `Swim` or `Transition`.
    #[must_use]
    pub fn leg_label(&self) -> &'static str {
        match self.sub_sport.as_deref() {
            Some(kind) if self.sport == Sport::Other && kind.contains("transition") => "Transition",
            _ => self.sport.title(),
        }
    }

    /// The time that counts towards a planned duration: moving time if known, else elapsed time.
    #[must_use]
    pub fn training_time(&self) -> Option<TimeSpan> {
        self.moving.or(self.elapsed)
    }
}

/// Values that only some devices report, as they report them. No metric of ours uses them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceMetrics {
    /// Aerobic training effect, 0 to 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aerobic_training_effect: Option<f64>,
    /// Anaerobic training effect, 0 to 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anaerobic_training_effect: Option<f64>,
    /// Training load in the device's own unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub training_load: Option<f64>,
    /// Mean ground contact time, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ground_contact_ms: Option<f64>,
    /// Share of the ground contact time on the left foot, percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ground_contact_left_percent: Option<f64>,
    /// Mean vertical oscillation, millimetres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertical_oscillation_mm: Option<f64>,
    /// Vertical oscillation as a share of the step length, percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertical_ratio_percent: Option<f64>,
    /// Mean step length, millimetres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_length_mm: Option<f64>,
    /// Share of the power on the left pedal, percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_left_percent: Option<f64>,
    /// Mean breathing rate, breaths per minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avg_respiration: Option<f64>,
    /// Highest breathing rate, breaths per minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_respiration: Option<f64>,
    /// Seconds in the device's own heart rate zones, lowest first; the first is below zone 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub heart_rate_zone_s: Vec<f64>,
    /// Perceived effort that the athlete entered on the device, 0 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub perceived_effort: Option<f64>,
    /// How the athlete felt, as entered on the device: 0 very weak, 50 normal, 100 very strong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feel: Option<u8>,
}

impl DeviceMetrics {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Fills what is missing from another source.
    #[must_use]
    pub fn or(self, other: &Self) -> Self {
        Self {
            aerobic_training_effect: self.aerobic_training_effect.or(other.aerobic_training_effect),
            anaerobic_training_effect: self.anaerobic_training_effect.or(other.anaerobic_training_effect),
            training_load: self.training_load.or(other.training_load),
            ground_contact_ms: self.ground_contact_ms.or(other.ground_contact_ms),
            ground_contact_left_percent: self
                .ground_contact_left_percent
                .or(other.ground_contact_left_percent),
            vertical_oscillation_mm: self.vertical_oscillation_mm.or(other.vertical_oscillation_mm),
            vertical_ratio_percent: self.vertical_ratio_percent.or(other.vertical_ratio_percent),
            step_length_mm: self.step_length_mm.or(other.step_length_mm),
            power_left_percent: self.power_left_percent.or(other.power_left_percent),
            avg_respiration: self.avg_respiration.or(other.avg_respiration),
            max_respiration: self.max_respiration.or(other.max_respiration),
            heart_rate_zone_s: if self.heart_rate_zone_s.is_empty() {
                other.heart_rate_zone_s.clone()
            } else {
                self.heart_rate_zone_s
            },
            perceived_effort: self.perceived_effort.or(other.perceived_effort),
            feel: self.feel.or(other.feel),
        }
    }
}

/// A lap, pool length set or interval within an activity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lap {
    pub started_at: Instant,
    /// From start to end, pauses included.
    #[serde(rename = "elapsed_ms")]
    pub elapsed: Option<TimeSpan>,
    #[serde(rename = "moving_ms")]
    pub moving: Option<TimeSpan>,
    #[serde(rename = "distance_mm")]
    pub distance: Option<Distance>,
    pub avg_heart_rate: Option<u16>,
    pub max_heart_rate: Option<u16>,
    pub avg_power: Option<u16>,
    /// Steps or revolutions per minute, both legs.
    pub avg_cadence: Option<f64>,
    /// The device's name for it: `interval`, `rest`, `warmup`. Untrusted text.
    pub kind: Option<String>,
}

impl Lap {
    /// Kind for display, `None` for an ordinary lap. Untrusted text.
    #[must_use]
    pub fn kind_label(&self) -> Option<String> {
        match self.kind.as_deref()? {
            "active" => None,
            "warmup" => Some("warm-up".to_owned()),
            "cooldown" => Some("cool-down".to_owned()),
            other => Some(other.replace('_', " ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activity_day_is_the_local_day_of_its_start() {
        let mut run = Activity {
            elapsed: Some(TimeSpan::from_mins(60)),
            ..Activity::new(Sport::Running, "2026-06-14T23:50:00Z".parse().unwrap(), 0)
        };
        assert_eq!(run.day().to_string(), "2026-06-14");
        run.utc_offset_s = 2 * 3600;
        assert_eq!(run.day().to_string(), "2026-06-15");
        run.utc_offset_s = -7 * 3600;
        assert_eq!(run.day().to_string(), "2026-06-14");
        assert_eq!(run.training_time(), Some(TimeSpan::from_mins(60)));
    }
}
