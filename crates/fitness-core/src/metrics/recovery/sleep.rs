//! Sleep: a night against the athlete's own nights, and what a fortnight fell short by.
//!
//! How much sleep somebody needs is theirs to say. Unset, there is no debt and no sleep part in recovery; the guideline
//! for adults is shown as a guideline.

use crate::domain::units::TimeSpan;
use crate::metrics::recovery::baseline::{BaselineSpec, Reading, to_u32, window};
use crate::metrics::{CountUnit, MetricResult, MissingReason, RequiredInput};
use serde::{Deserialize, Serialize};

/// What is recommended to adults (AASM and National Sleep Foundation): 7 to 9 hours. For showing; nothing is
/// computed with it.
pub const GUIDELINE: (TimeSpan, TimeSpan) = (TimeSpan::from_mins(7 * 60), TimeSpan::from_mins(9 * 60));

/// A night's length, hours. A device that was not worn often reports nothing or zero; more than a day is an error.
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
/// A long night makes up for at most this much, hours.
const MAX_NIGHT_CREDIT_H: f64 = 1.0;
/// What an athlete can ask for, hours.
const NEED_BOUNDS: (f64, f64) = (4.0, 14.0);

/// What is known about the sleep of a day's night.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SleepDay {
    /// Hours asleep against the 28 nights before.
    pub night: Reading,
    /// What the last fortnight fell short by.
    pub debt: MetricResult<SleepDebt>,
}

/// Sleep missed over fourteen nights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SleepDebt {
    /// Hours, never below zero.
    pub hours: f64,
    /// Nights it was added up from.
    pub nights: u32,
    /// Nights of the fourteen without data: left out, not taken as nights without sleep.
    pub missing: u32,
}

/// What the nights, hours asleep, say about the last of them.
#[must_use]
pub fn sleep(nights: &[Option<f64>], need: Option<TimeSpan>) -> SleepDay {
    SleepDay {
        night: NIGHT.reading(nights),
        debt: need_hours(need).and_then(|need| sleep_debt(nights, need)),
    }
}

/// The athlete's need in hours.
///
/// # Errors
/// When it is not set, or is none a human has.
pub fn need_hours(need: Option<TimeSpan>) -> MetricResult<f64> {
    let hours = need.ok_or(MissingReason::missing(RequiredInput::SleepNeed))?.seconds() / 3600.0;
    if (NEED_BOUNDS.0..=NEED_BOUNDS.1).contains(&hours) {
        Ok(hours)
    } else {
        Err(MissingReason::OutOfRange { what: "a sleep need below 4 or above 14 hours".to_owned() })
    }
}

/// The sum of (need - slept) over the last fourteen nights, a night's surplus counting at most one hour, floor zero.
///
/// Need 8 h: fourteen nights of 7 h owe 14 h; thirteen of 7 h and one of 12 h owe 12 h.
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
