//! Vickers & Vertosick 2016 (BMC Sports Science, Medicine and Rehabilitation 8:26): the two
//! published models.
//!
//! Copies of model 1 with the exponent 1.06, or with 0.6423826 for the weekly miles, are in
//! circulation. Only the constants below reproduce the authors' own predictions.

use super::race::{Performance, to_time_span};
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::{MetricResult, MissingReason};

/// Constants of model 1, a struct so that a test can compare wrong ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct ModelOne {
    pub(super) exponent: f64,
    pub(super) per_ten_miles: f64,
}

pub(super) const PUBLISHED: ModelOne = ModelOne { exponent: 1.07, per_ten_miles: 0.064_238_26 };

impl ModelOne {
    pub(super) fn marathon(self, race: Performance, weekly: Distance) -> MetricResult<TimeSpan> {
        let marathon = Distance::MARATHON.meters();
        let riegel = marathon / (race.seconds() * (marathon / race.meters()).powf(self.exponent));
        let tens = weekly.miles().max(0.0) / 10.0;
        to_time_span(marathon / (0.160_186_17 + 0.830_762_02 * riegel + self.per_ten_miles * tens))
    }
}

/// Model 1, from one race: v = 0.16018617 + 0.83076202·v_R + 0.06423826·mi/10, where v_R =
/// M/(t·(M/d)^1.07) and mi is the typical weekly distance in miles; t = M/v.
///
/// A half marathon in 1:45:00 with 30 miles a week gives 3:54:10.0.
///
/// # Errors
/// When the formula gives no time.
pub fn vickers_one(race: Performance, weekly: Distance) -> MetricResult<TimeSpan> {
    PUBLISHED.marathon(race, weekly)
}

/// Model 2, from two races: k = ln(t2/t1)/ln(d2/d1); kM = 1.4510756 − 0.23797948·k −
/// 0.01410023·mi/10; t = t2·(M/d2)^kM.
///
/// 10 km in 45:00 and a half marathon in 1:40:00 with 35 miles a week give 3:41:28.9.
///
/// # Errors
/// When the two races have the same distance, or the formula gives no time.
pub fn vickers_two(shorter: Performance, longer: Performance, weekly: Distance) -> MetricResult<TimeSpan> {
    let k = exponent_between(shorter, longer)?;
    let tens = weekly.miles().max(0.0) / 10.0;
    let to_marathon = 1.451_075_6 - 0.237_979_48 * k - 0.014_100_23 * tens;
    to_time_span(longer.seconds() * (Distance::MARATHON.meters() / longer.meters()).powf(to_marathon))
}

/// The exponent of the power law through two races. Do not extrapolate with it directly: the error
/// is 17.5 minutes.
pub(super) fn exponent_between(shorter: Performance, longer: Performance) -> MetricResult<f64> {
    if shorter.distance() >= longer.distance() {
        return Err(MissingReason::Contradiction { what: "needs two races of different lengths".to_owned() });
    }
    let k = (longer.seconds() / shorter.seconds()).ln() / (longer.meters() / shorter.meters()).ln();
    crate::metrics::finite(k, "exponent between two races")
}
