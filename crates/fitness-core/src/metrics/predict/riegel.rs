//! Riegel's formula: time as a power of distance.

use super::race::{Performance, to_time_span};
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::{MetricResult, MissingReason};

/// Riegel's exponent for running.
pub(super) const RIEGEL_EXPONENT: f64 = 1.06;
/// Unbiased exponent up to the half marathon, fitted on two data sets (Vickers & Vertosick 2016 and
/// Athlinks).
pub(crate) const EXPONENT_UP_TO_HALF: f64 = 1.07;
/// Race times, minutes, for which Riegel's formula is valid.
const VALID_MINUTES: std::ops::RangeInclusive<f64> = 3.5..=230.0;

/// Riegel 1977/1981 (American Scientist 69:285): t2 = t1·(d2/d1)^1.06, for races of 3.5 to 230
/// minutes.
///
/// 5 km in 20:00 gives 41:41.9 over 10 km, 1:32:00.2 over the half and 3:11:49.3 over the marathon.
/// Used for comparison only: for the marathon it is 5 % too fast.
///
/// # Errors
/// When the race is shorter or longer than that.
pub fn riegel(race: Performance, target: Distance) -> MetricResult<TimeSpan> {
    if !VALID_MINUTES.contains(&(race.seconds() / 60.0)) {
        return Err(MissingReason::OutOfRange {
            what: "Riegel's formula covers races of 3.5 to 230 minutes".to_owned(),
        });
    }
    to_time_span(power_law(race, target, RIEGEL_EXPONENT))
}

/// t2 = t1·(d2/d1)^k, in seconds.
pub(super) fn power_law(race: Performance, target: Distance, exponent: f64) -> f64 {
    race.seconds() * (target.meters() / race.meters()).powf(exponent)
}
