//! When the body's signals ask a question. Not a diagnosis: the answer is the athlete's.

use crate::metrics::recovery::baseline::Reading;
use crate::metrics::recovery::hrv::{Hrv, HrvState};
use crate::metrics::recovery::resting_hr::RestingHr;
use crate::metrics::{MetricResult, MissingReason, RequiredInput};
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

/// Whether to ask the athlete how they feel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct IllnessHint {
    /// The signs stood together on the day.
    pub today: bool,
    /// They stood together on the day before as well, as far as it was measured.
    pub yesterday: bool,
}

string_enum! {
    /// Since when the signs have stood together.
    pub enum IllnessSigns("signs of illness") {
        /// They do not.
        None = "none",
        /// Today, and not the day before.
        OneDay = "one_day",
        /// Today and the day before: the athlete is asked.
        TwoDays = "two_days",
    }
}

impl IllnessHint {
    /// In a word.
    #[must_use]
    pub const fn signs(self) -> IllnessSigns {
        match (self.today, self.should_ask()) {
            (_, true) => IllnessSigns::TwoDays,
            (true, false) => IllnessSigns::OneDay,
            (false, false) => IllnessSigns::None,
        }
    }

    /// Two days in a row: ask about symptoms.
    #[must_use]
    pub const fn should_ask(self) -> bool {
        self.today && self.yesterday
    }
}

/// What the signs of two days say together.
///
/// # Errors
/// When the day's own signs are absent.
pub fn illness_hint(today: &MetricResult<bool>, yesterday: &MetricResult<bool>) -> MetricResult<IllnessHint> {
    Ok(IllnessHint { today: today.clone()?, yesterday: yesterday.clone().unwrap_or(false) })
}

/// Whether one day's signs stand together: resting heart rate two spreads above the usual, the week's HRV below the
/// normal range, and, where breathing was measured against a baseline, two breaths a minute more than usual.
///
/// Resting 54 at a usual of 50 ± 2, HRV `below`, 16.5 breaths at a usual of 14.2: yes. The same with 14.9: no.
///
/// # Errors
/// When resting heart rate or HRV is absent.
pub fn has_illness_signs(resting: &RestingHr, hrv: &Hrv, respiration: &Reading) -> MetricResult<bool> {
    let raised = resting.reading.z.clone()? >= 2.0;
    let low = hrv.state.clone()? == HrvState::Below;
    let breathing = match (&respiration.value, &respiration.baseline) {
        (Ok(breaths), Ok(usual)) => breaths - usual.median >= 2.0,
        _ => true,
    };
    Ok(raised && low && breathing)
}

/// The signs of a day that is not in the data.
pub(crate) fn missing_signs() -> MetricResult<bool> {
    Err(MissingReason::missing(RequiredInput::RestingHeartRate))
}

#[cfg(test)]
mod tests;
