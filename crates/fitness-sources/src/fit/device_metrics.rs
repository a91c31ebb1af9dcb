//! Values that only some devices compute: training effect, running dynamics, balance, breathing, time
//! in zones.

use super::values::FitFields;
use fitness_core::domain::activity::DeviceMetrics;
use rustyfit::profile::mesgdef::{Session, TimeInZone};
use rustyfit::profile::typedef::MesgNum;

/// Below zone 1, and at most ten zones.
const MAX_ZONES: usize = 11;

/// From a session message. Devices write 0 for what they did not measure.
pub(super) fn from_session(fields: &FitFields<'_>) -> DeviceMetrics {
    let scaled = |number, scale, range: std::ops::RangeInclusive<f64>| {
        fields.scaled(number, scale).filter(|value| *value > 0.0 && range.contains(value))
    };
    let percent = |number, scale| scaled(number, scale, 0.0..=100.0);
    let respiration =
        |enhanced, plain| scaled(enhanced, 100.0, 1.0..=100.0).or_else(|| scaled(plain, 1.0, 1.0..=100.0));
    DeviceMetrics {
        aerobic_training_effect: scaled(Session::TOTAL_TRAINING_EFFECT, 10.0, 0.0..=5.0),
        anaerobic_training_effect: scaled(Session::TOTAL_ANAEROBIC_TRAINING_EFFECT, 10.0, 0.0..=5.0),
        training_load: scaled(Session::TRAINING_LOAD_PEAK, 65_536.0, 0.0..=2000.0).map(round_to_tenths),
        ground_contact_ms: scaled(Session::AVG_STANCE_TIME, 10.0, 0.0..=2000.0),
        ground_contact_left_percent: percent(Session::AVG_STANCE_TIME_BALANCE, 100.0),
        vertical_oscillation_mm: scaled(Session::AVG_VERTICAL_OSCILLATION, 10.0, 0.0..=1000.0),
        vertical_ratio_percent: percent(Session::AVG_VERTICAL_RATIO, 100.0),
        step_length_mm: scaled(Session::AVG_STEP_LENGTH, 10.0, 0.0..=5000.0),
        power_left_percent: fields.integer(Session::LEFT_RIGHT_BALANCE).and_then(left_percent),
        avg_respiration: respiration(Session::ENHANCED_AVG_RESPIRATION_RATE, Session::AVG_RESPIRATION_RATE),
        max_respiration: respiration(Session::ENHANCED_MAX_RESPIRATION_RATE, Session::MAX_RESPIRATION_RATE),
        heart_rate_zone_s: zone_seconds(fields, Session::TIME_IN_HR_ZONE),
        perceived_effort: scaled(Session::WORKOUT_RPE, 10.0, 0.0..=10.0),
        feel: fields.narrow(Session::WORKOUT_FEEL).filter(|feel| *feel <= 100),
    }
}

/// Index of the session that a `time_in_zone` message is about, and its seconds in heart rate zones.
pub(super) fn heart_rate_zones(fields: &FitFields<'_>) -> Option<(usize, Vec<f64>)> {
    let of_session = fields.integer(TimeInZone::REFERENCE_MESG) == Some(i64::from(MesgNum::SESSION.0));
    let seconds = zone_seconds(fields, TimeInZone::TIME_IN_HR_ZONE);
    let index = usize::try_from(fields.integer(TimeInZone::REFERENCE_INDEX)?).ok()?;
    (of_session && !seconds.is_empty()).then_some((index, seconds))
}

/// Empty if the device recorded no time in any zone.
fn zone_seconds(fields: &FitFields<'_>, number: u8) -> Vec<f64> {
    let seconds: Vec<f64> =
        fields.integers(number).into_iter().take(MAX_ZONES).map(|ms| ms as f64 / 1000.0).collect();
    if seconds.iter().all(|seconds| *seconds == 0.0) { Vec::new() } else { seconds }
}

/// Hundredths of a percent in fourteen bits. The sixteenth says that they are of the right pedal;
/// without it, the device does not know whose they are.
fn left_percent(balance: i64) -> Option<f64> {
    let right = (balance & 0x3fff) as f64 / 100.0;
    (balance & 0x8000 != 0 && right <= 100.0).then(|| (10_000.0 - right * 100.0).round() / 100.0)
}

fn round_to_tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
