//! HRV: the 7-day average compared with the athlete's own normal range.
//!
//! Nights are compared by y = ln(rMSSD in ms), which is nearly normal where rMSSD is skewed. The
//! week needs three valid nights of seven (Plews 2014). The normal range is the mean ± half a
//! standard deviation, the smallest worthwhile change (Plews 2013, Buchheit 2014), of the 60 nights
//! before that week (Altini). The device's own HRV status is shown separately.

use crate::metrics::recovery::baseline::{
    FIRM_READINGS, MIN_NIGHTS_OF_WEEK, WEEK, baseline_quality, mean, sample_sd, to_u32, window,
};
use crate::metrics::{CountUnit, DataProgress, MetricResult, MissingReason, Quality, RequiredInput, finite};
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

/// Nights of the normal range, before the last week.
pub const RANGE_NIGHTS: usize = 60;
/// rMSSD outside this is an artefact, ms.
const BOUNDS_MS: (f64, f64) = (5.0, 250.0);

/// HRV of a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hrv {
    /// ln rMSSD of the last night.
    pub last_night: MetricResult<f64>,
    /// The last seven nights.
    pub week: MetricResult<HrvWeek>,
    /// The normal range of the 60 nights before those seven.
    pub range: MetricResult<HrvRange>,
    /// The week compared with the range.
    pub state: MetricResult<HrvState>,
    /// Whether the last night alone was more than one standard deviation below the mean.
    pub acute: MetricResult<bool>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HrvWeek {
    /// Mean of ln rMSSD.
    pub ln: f64,
    /// Geometric mean of rMSSD in milliseconds, e^ln.
    pub ms: f64,
    /// Valid nights, at most 7.
    pub nights: u32,
    /// 100 × standard deviation / mean of ln rMSSD.
    pub variation_percent: f64,
}

/// The athlete's normal range, in ln rMSSD.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HrvRange {
    /// Mean of the nights.
    pub mean: f64,
    /// Their standard deviation (n - 1).
    pub sd: f64,
    /// Mean - 0.5 SD.
    pub low: f64,
    /// Mean + 0.5 SD.
    pub high: f64,
    /// Number of valid nights.
    pub nights: u32,
    /// Provisional below 28 nights.
    pub quality: Quality,
}

impl HrvRange {
    /// Progress towards a reliable range, while provisional.
    #[must_use]
    pub fn learning(&self) -> Option<DataProgress> {
        DataProgress::new(self.nights, to_u32(FIRM_READINGS), CountUnit::Nights)
    }
}

string_enum! {
    /// A week compared with the normal range. Above is not better than within.
    pub enum HrvState("HRV state") {
        Below = "below",
        Within = "within",
        Above = "above",
    }
}

/// HRV of the last night, from nightly rMSSD in milliseconds.
///
/// A range of 60 nights with mean 4.0 and SD 0.2 is 3.9 to 4.1, that is 49.4 to 60.3 ms. A week of
/// ln 3.85 (47.0 ms) is below it; a night of ln 3.75 (42.5 ms) sets the acute flag, as 3.75 < 4.0 -
/// 0.2.
#[must_use]
pub fn hrv(nights_ms: &[Option<f64>]) -> Hrv {
    let last_night = nights_ms
        .last()
        .copied()
        .flatten()
        .and_then(ln_valid)
        .ok_or(MissingReason::missing(RequiredInput::HeartRateVariability));
    let week = week(&valid(window(nights_ms, 0, WEEK)));
    let range = range(&valid(window(nights_ms, WEEK, RANGE_NIGHTS)));
    let state = week.clone().and_then(|week| Ok(range.clone()?.state(week.ln)));
    let acute = last_night
        .clone()
        .and_then(|night| range.clone().map(|range| night < range.mean - range.sd - ROUNDING));
    Hrv { last_night, week, range, state, acute }
}

/// Tolerance for rounding errors: sixty equal nights do not sum to exactly sixty times one.
const ROUNDING: f64 = 1e-9;

fn week(nights: &[f64]) -> MetricResult<HrvWeek> {
    if nights.len() < MIN_NIGHTS_OF_WEEK {
        return Err(match nights.len() {
            0 => MissingReason::missing(RequiredInput::HeartRateVariability),
            n => MissingReason::TooFew {
                have: to_u32(n),
                needed: to_u32(MIN_NIGHTS_OF_WEEK),
                what: CountUnit::Nights,
            },
        });
    }
    let ln = mean(nights);
    // ln of at least 5 ms is at least 1.6, so this never divides by zero.
    let variation_percent = finite(100.0 * sample_sd(nights) / ln, "HRV variation over the week")?;
    Ok(HrvWeek { ln, ms: ln.exp(), nights: to_u32(nights.len()), variation_percent })
}

fn range(nights: &[f64]) -> MetricResult<HrvRange> {
    let quality = baseline_quality(nights.len(), RequiredInput::HeartRateVariability, CountUnit::Nights)?;
    let (mean, sd) = (mean(nights), sample_sd(nights));
    Ok(HrvRange {
        mean,
        sd,
        low: mean - 0.5 * sd,
        high: mean + 0.5 * sd,
        nights: to_u32(nights.len()),
        quality,
    })
}

impl HrvRange {
    /// Compares a value of ln rMSSD with the range.
    #[must_use]
    pub fn state(&self, ln: f64) -> HrvState {
        if ln < self.low - ROUNDING {
            HrvState::Below
        } else if ln > self.high + ROUNDING {
            HrvState::Above
        } else {
            HrvState::Within
        }
    }
}

impl Hrv {
    /// Mean of last night and the week, ln rMSSD, as used by the recovery score.
    ///
    /// # Errors
    /// When either is missing.
    pub fn blended(&self) -> MetricResult<f64> {
        Ok((self.last_night.clone()? + self.week.clone()?.ln) / 2.0)
    }
}

fn ln_valid(ms: f64) -> Option<f64> {
    (BOUNDS_MS.0..=BOUNDS_MS.1).contains(&ms).then(|| ms.ln())
}

fn valid(nights_ms: &[Option<f64>]) -> Vec<f64> {
    nights_ms.iter().filter_map(|night| night.and_then(ln_valid)).collect()
}

#[cfg(test)]
mod tests;
