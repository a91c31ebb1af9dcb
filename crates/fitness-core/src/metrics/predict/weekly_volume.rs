//! Weekly distance as input of prediction formulas.

use crate::domain::units::Distance;
use serde::Serialize;

/// Weekly distance: mean of the weeks −9 to −2 before the reference day with synced data, or a
/// value entered by the athlete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct WeeklyVolume {
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
    /// Weeks with data; `None` if entered by the athlete.
    pub weeks: Option<u32>,
}

/// Minimum weeks of data.
pub(super) const MIN_WEEKS: u32 = 6;

impl WeeklyVolume {
    /// Whether it is based on enough weeks.
    #[must_use]
    pub fn is_firm(&self) -> bool {
        self.weeks.is_none_or(|weeks| weeks >= MIN_WEEKS)
    }
}

/// mm = ln((clamp(miles, 0, 100) + 10)/45): 0 at 35 miles a week, ln(40/45) = −0.1178 at 30.
pub(super) fn mileage_term(weekly: Distance) -> f64 {
    ((weekly.miles().clamp(0.0, 100.0) + 10.0) / 45.0).ln()
}
