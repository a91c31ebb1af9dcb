//! How much is run in a week, as the formulas see it.

use crate::domain::units::Distance;
use serde::Serialize;

/// Weekly distance: the mean of the weeks −9 to −2 before the day of asking, over days that have synced, or what the
/// athlete says they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct WeeklyVolume {
    /// Mean distance of a week.
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
    /// Weeks with data; `None` when the athlete says it.
    pub weeks: Option<u32>,
}

/// Weeks of data below which a weekly mean is not used.
pub(super) const MIN_WEEKS: u32 = 6;

impl WeeklyVolume {
    /// Whether enough weeks are behind it.
    #[must_use]
    pub fn is_firm(&self) -> bool {
        self.weeks.is_none_or(|weeks| weeks >= MIN_WEEKS)
    }
}

/// mm = ln((clamp(miles, 0, 100) + 10)/45): 0 at 35 miles a week, ln(40/45) = −0.1178 at 30.
pub(super) fn mileage_term(weekly: Distance) -> f64 {
    ((weekly.miles().clamp(0.0, 100.0) + 10.0) / 45.0).ln()
}
