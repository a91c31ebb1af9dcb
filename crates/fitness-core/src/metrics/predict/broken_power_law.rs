//! Broken power law: a second exponent beyond the half marathon, where most runners begin to fade.

use super::race::Performance;
use super::riegel::EXPONENT_UP_TO_HALF;
use super::weekly_volume::mileage_term;
use crate::domain::units::Distance;

/// Two exponents of time over distance, meeting at the half marathon.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BrokenPowerLaw {
    /// Exponent up to the half marathon.
    pub below: f64,
    pub above: f64,
}

impl BrokenPowerLaw {
    /// k = 1.0816 − 0.0234·mm up to the half, 1.1409 − 0.0790·mm beyond it, with mm from the weekly
    /// distance (fitted on the data of Vickers & Vertosick 2016). At 35 miles a week, and if the
    /// weekly distance is unknown, that is 1.0816 and 1.1409; 1,315 Athlinks runners have a median
    /// of 1.132 from the half to the marathon.
    #[must_use]
    pub fn for_volume(weekly: Option<Distance>) -> Self {
        let mm = weekly.map_or(0.0, mileage_term);
        let below = 1.0816 - 0.0234 * mm;
        Self { below, above: below + 0.0593 - 0.0556 * mm }
    }

    /// For targets up to the half marathon: exponent 1.07, and the fade only for longer source
    /// races.
    pub(super) fn for_up_to_half(weekly: Option<Distance>) -> Self {
        Self { below: EXPONENT_UP_TO_HALF, ..Self::for_volume(weekly) }
    }

    /// Predicted time, seconds: each part of the distance with its own exponent.
    ///
    /// A half marathon in 1:45:00 at 35 miles a week gives 30 km in 2:36:54.
    #[must_use]
    pub fn seconds(self, race: Performance, target: Distance) -> f64 {
        let half = Distance::HALF_MARATHON.meters();
        let (from, to) = (race.meters(), target.meters());
        let below = (to.min(half) / from.min(half)).ln();
        let above = (to.max(half) / from.max(half)).ln();
        race.seconds() * (self.below * below + self.above * above).exp()
    }
}
