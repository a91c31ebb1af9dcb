//! Possible signs of illness: a prompt to ask about symptoms, not a diagnosis.

use crate::metrics::recovery::baseline::ReadingWithBaseline;
use crate::metrics::recovery::hrv::{Hrv, HrvState};
use crate::metrics::recovery::resting_hr::RestingHr;
use crate::metrics::{MetricResult, MissingReason, RequiredInput};
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

/// Signs of illness today and yesterday.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct IllnessHint {
    /// All signs are present today.
    pub today: bool,
    /// All signs were present the day before, if measured.
    pub yesterday: bool,
}

string_enum! {
    /// For how long signs of illness have been present.
    pub enum IllnessSignDuration("signs of illness") {
        None = "none",
        /// Today, and not the day before.
        OneDay = "one_day",
        /// Today and the day before: the app asks about symptoms.
        TwoDays = "two_days",
    }
}

impl IllnessHint {
    #[must_use]
    pub const fn signs(self) -> IllnessSignDuration {
        match (self.today, self.should_ask()) {
            (_, true) => IllnessSignDuration::TwoDays,
            (true, false) => IllnessSignDuration::OneDay,
            (false, false) => IllnessSignDuration::None,
        }
    }

    /// Signs two days in a row.
    #[must_use]
    pub const fn should_ask(self) -> bool {
        self.today && self.yesterday
    }
}

/// Combines the signs of two days.
///
/// # Errors
/// When the signs of the day are missing.
pub fn illness_hint(today: &MetricResult<bool>, yesterday: &MetricResult<bool>) -> MetricResult<IllnessHint> {
    Ok(IllnessHint { today: today.clone()?, yesterday: yesterday.clone().unwrap_or(false) })
}

/// Whether all signs are present: resting heart rate two standard deviations above baseline, the
/// week's HRV below the normal range, and, if there is a baseline for it, breathing two breaths a
/// minute above it.
///
/// Resting HR 54 with a baseline of 50 ± 2, HRV `below`, 16.5 breaths with a baseline of 14.2: yes.
/// With 14.9 breaths: no.
///
/// # Errors
/// When resting heart rate or HRV is missing.
pub fn has_illness_signs(
    resting: &RestingHr,
    hrv: &Hrv,
    respiration: &ReadingWithBaseline,
) -> MetricResult<bool> {
    let raised = resting.reading.z.clone()? >= 2.0;
    let low = hrv.state.clone()? == HrvState::Below;
    let breathing = match (&respiration.value, &respiration.baseline) {
        (Ok(breaths), Ok(usual)) => breaths - usual.median >= 2.0,
        _ => true,
    };
    Ok(raised && low && breathing)
}

/// Result for a day without data.
pub(crate) fn missing_signs() -> MetricResult<bool> {
    Err(MissingReason::missing(RequiredInput::RestingHeartRate))
}

#[cfg(test)]
mod tests;
