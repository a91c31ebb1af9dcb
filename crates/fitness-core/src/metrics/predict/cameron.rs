//! Cameron 1998: a power law whose exponent changes with the distance.

use super::race::{Mark, span};
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::Found;

/// t2 = (t1/d1)·(f(d1)/f(d2))·d2 with f(d) = 13.49681 − 0.000030363·d + 835.7114/d^0.7905 (Cameron 1998).
///
/// 10 km in 40:00 gives a marathon in 3:07:24.5, a half marathon in 1:30:00 gives 3:11:15.1.
///
/// # Errors
/// When the target is so far that the formula gives no time.
pub fn cameron(race: Mark, target: Distance) -> Found<TimeSpan> {
    let f = |d: f64| 13.49681 - 0.000_030_363 * d + 835.7114 / d.powf(0.7905);
    let (d1, d2) = (race.meters(), target.meters());
    span(race.seconds() / d1 * f(d1) / f(d2) * d2)
}
