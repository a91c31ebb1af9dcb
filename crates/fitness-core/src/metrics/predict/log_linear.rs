//! Log-linear marathon model: from the longest race, optionally a second race, and weekly distance.
//!
//! Fitted by this project (Huber regression) on the 929 marathoners of Vickers & Vertosick 2016,
//! and chosen from eight model forms on a held-out third. It is as good as the published models,
//! not better.

use super::race::{Performance, to_time_span};
use super::riegel::EXPONENT_UP_TO_HALF;
use super::vickers::exponent_between;
use super::weekly_volume::mileage_term;
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::{MetricResult, MissingReason};

/// The coefficients of ln(T/3600) = base + time·ln(t/3600) + distance·ln(d/M) + volume·mm
/// + exponent·clamp(k − 1.07, −0.12, 0.20)·\[2+\] + two·\[2+\].
///
/// t and d are of the longest race, k is the exponent between the shortest and the longest, \[2+\]
/// is 1 when there are two distances, and mm = ln((clamp(miles a week, 0, 100) + 10)/45).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogLinearModel {
    pub base: f64,
    /// Coefficient of the time of the longest race.
    pub time: f64,
    pub distance: f64,
    /// Coefficient of the weekly distance.
    pub volume: f64,
    /// Coefficient of the exponent between the shortest and the longest race.
    pub exponent: f64,
    /// Intercept if there are two races.
    pub two: f64,
}

/// Valid distances of the longest race: 5 km to a half marathon, with GPS tolerance.
pub(super) const SOURCE_MM: std::ops::RangeInclusive<i64> = 4_900_000..=22_152_375;
/// Finish times it was fitted on, seconds: 2:15 to 7:00 hours.
const FITTED_FINISH_S: std::ops::RangeInclusive<f64> = 8100.0..=25_200.0;
/// Bounds of the deviation of the personal exponent from 1.07.
const EXPONENT_RANGE: (f64, f64) = (-0.12, 0.20);

impl LogLinearModel {
    /// With the weekly distance, fitted on all 929. A half marathon in 1:45:00 with 30 miles a week
    /// gives 3:52:04.4.
    pub const WITH_VOLUME: Self = Self {
        base: 0.10541,
        time: 0.94826,
        distance: -1.02049,
        volume: -0.07886,
        exponent: -0.18904,
        two: 0.01342,
    };

    /// Without it. A half marathon in 1:45:00 gives 3:49:19.2.
    pub const WITHOUT_VOLUME: Self = Self {
        base: -0.02251,
        time: 1.04382,
        distance: -1.12407,
        volume: 0.0,
        exponent: -0.18058,
        two: 0.01119,
    };

    /// Fitted on two thirds only; mean error of 10.80 minutes on the held-out third.
    pub const TRAINING_SET: Self = Self {
        base: 0.1132,
        time: 0.94276,
        distance: -1.01188,
        volume: -0.0789,
        exponent: -0.1824,
        two: 0.01325,
    };

    /// Predicted marathon time. `shortest` is an optional race of a shorter distance; coefficients
    /// without volume ignore `weekly`.
    ///
    /// # Errors
    /// When the longest race is not 5 km to a half marathon, or the finish time not 2:15 to 7:00.
    pub fn marathon(
        &self,
        longest: Performance,
        shortest: Option<Performance>,
        weekly: Option<Distance>,
    ) -> MetricResult<TimeSpan> {
        if !SOURCE_MM.contains(&longest.distance().mm()) {
            let what = "the marathon formula needs a race of 5 km to a half marathon".to_owned();
            return Err(MissingReason::OutOfRange { what });
        }
        let mut log = self.base
            + self.time * (longest.seconds() / 3600.0).ln()
            + self.distance * (longest.meters() / Distance::MARATHON.meters()).ln()
            + self.volume * weekly.map_or(0.0, mileage_term);
        if let Some(shortest) = shortest {
            let k = exponent_between(shortest, longest)?;
            log += self.exponent * (k - EXPONENT_UP_TO_HALF).clamp(EXPONENT_RANGE.0, EXPONENT_RANGE.1)
                + self.two;
        }
        let seconds = 3600.0 * log.exp();
        if FITTED_FINISH_S.contains(&seconds) {
            to_time_span(seconds)
        } else {
            Err(MissingReason::OutOfRange {
                what: "the marathon formula covers finish times of 2:15 to 7:00 hours".to_owned(),
            })
        }
    }
}
