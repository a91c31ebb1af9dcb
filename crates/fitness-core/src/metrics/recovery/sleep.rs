//! Sleep: a night compared with the athlete's own nights, and sleep debt over 14 nights.
//!
//! Athletes set their own sleep goal. Without one there is no sleep debt and no sleep input in
//! recovery; the guideline for adults is only displayed.

use crate::domain::units::TimeSpan;
use crate::metrics::recovery::baseline::{BaselineSpec, ReadingWithBaseline, to_u32, window};
use crate::metrics::{CountUnit, MetricResult, MissingReason, RequiredInput};
use serde::{Deserialize, Serialize};

/// Recommendation for adults (AASM and National Sleep Foundation): 7 to 9 hours. Display only.
pub const GUIDELINE: (TimeSpan, TimeSpan) = (TimeSpan::from_mins(7 * 60), TimeSpan::from_mins(9 * 60));

/// Hours asleep. A device that was not worn often reports zero; more than a day is an error.
pub(crate) const NIGHT: BaselineSpec = BaselineSpec {
    need: RequiredInput::Sleep,
    count_unit: CountUnit::Nights,
    bounds: (0.25, 24.0),
    min_sd: 0.25,
    skip: 1,
    days: 28,
};
const FORTNIGHT: usize = 14;
const MIN_NIGHTS_OF_FORTNIGHT: usize = 10;
/// Maximum surplus of one night that reduces the debt, hours.
const MAX_NIGHT_CREDIT_H: f64 = 1.0;
/// Valid sleep goals, hours.
const NEED_BOUNDS: (f64, f64) = (4.0, 14.0);

/// Sleep of a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SleepDay {
    /// Hours asleep, with the baseline of the 28 nights before.
    pub night: ReadingWithBaseline,
    /// Sleep debt of the last 14 nights.
    pub debt: MetricResult<SleepDebt>,
}

/// Sleep debt over 14 nights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SleepDebt {
    /// Hours, never below zero.
    pub hours: f64,
    pub nights: u32,
    /// Nights without data, which are skipped.
    pub missing: u32,
}

/// Sleep of the last night, from hours asleep per night.
#[must_use]
pub fn sleep(nights: &[Option<f64>], need: Option<TimeSpan>) -> SleepDay {
    SleepDay {
        night: NIGHT.reading(nights),
        debt: need_hours(need).and_then(|need| sleep_debt(nights, need)),
    }
}

/// The athlete's sleep goal in hours.
///
/// # Errors
/// When it is not set or out of range.
pub fn need_hours(need: Option<TimeSpan>) -> MetricResult<f64> {
    let hours = need.ok_or(MissingReason::missing(RequiredInput::SleepNeed))?.seconds() / 3600.0;
    if (NEED_BOUNDS.0..=NEED_BOUNDS.1).contains(&hours) {
        Ok(hours)
    } else {
        Err(MissingReason::OutOfRange { what: "the sleep goal is below 4 or above 14 hours".to_owned() })
    }
}

/// Sum of (goal - slept) over the last 14 nights, at least zero; a night's surplus counts at most
/// one hour.
///
/// Goal 8 h: fourteen nights of 7 h are 14 h of debt; thirteen of 7 h and one of 12 h are 12 h.
fn sleep_debt(nights: &[Option<f64>], need: f64) -> MetricResult<SleepDebt> {
    let slept: Vec<f64> =
        window(nights, 0, FORTNIGHT).iter().filter_map(|night| NIGHT.valid(*night)).collect();
    if slept.len() < MIN_NIGHTS_OF_FORTNIGHT {
        return Err(match slept.len() {
            0 => MissingReason::missing(RequiredInput::Sleep),
            n => MissingReason::TooFew {
                have: to_u32(n),
                needed: to_u32(MIN_NIGHTS_OF_FORTNIGHT),
                what: CountUnit::Nights,
            },
        });
    }
    let owed: f64 = slept.iter().map(|hours| (need - hours).max(-MAX_NIGHT_CREDIT_H)).sum();
    Ok(SleepDebt {
        hours: owed.max(0.0),
        nights: to_u32(slept.len()),
        missing: to_u32(FORTNIGHT - slept.len()),
    })
}

#[cfg(test)]
mod tests;
