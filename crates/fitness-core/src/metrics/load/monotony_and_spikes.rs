//! Load distribution: training monotony, strain, acute to chronic load ratios, and single-run
//! distance spikes.
//!
//! The acute:chronic ratios are descriptive only. Coupling alone correlates them at about 0.5
//! (Lolli 2017), random chronic loads reproduce their effect (Impellizzeri 2020), and in 5,205
//! runners higher ratios went with fewer injuries (Frandsen 2025). No rule or warning uses them.
//! Only the distance of a single run relative to the last 30 days was found to matter.

use crate::domain::units::Distance;
use crate::metrics::fitness::DayLoad;
use crate::metrics::recovery::baseline::{WEEK, mean, sample_sd, to_u32, window};
use crate::metrics::{CountUnit, MetricResult, MissingReason, Quality, finite};
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

/// Days a run is compared with.
pub const SPIKE_DAYS: usize = 30;
const MONTH_DAYS: usize = 28;
/// Below this mean daily load no ratio is computed.
const MIN_CHRONIC_LOAD: f64 = 5.0;

/// Training monotony and strain of a week.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Monotony {
    /// Mean over standard deviation of the seven daily loads (n - 1).
    pub monotony: f64,
    /// The week's load times its monotony.
    pub strain: f64,
    /// Above 2, the usual convention.
    pub high: bool,
    /// Combined quality of the days.
    pub quality: Quality,
}

/// Monotony and strain of the last seven days (Foster 1998, Med Sci Sports Exerc 30:1164).
///
/// Loads 300, 0, 400, 0, 500, 200, 600: mean 285.714, SD 234.013, monotony 1.2209, strain 2441.9.
///
/// # Errors
/// With fewer than seven days, and when all seven are equal (SD of zero).
pub fn monotony(days: &[&DayLoad]) -> MetricResult<Monotony> {
    let week = last_days(days, WEEK)?;
    let loads: Vec<f64> = week.iter().map(|day| day.total()).collect();
    let (mean, sd) = (mean(&loads), sample_sd(&loads));
    // Equal loads can differ from their mean in the last bit.
    if sd <= 1e-9 * mean.max(1.0) {
        return Err(MissingReason::OutOfRange { what: "all seven days had the same load".to_owned() });
    }
    let monotony = finite(mean / sd, "monotony")?;
    let strain = finite(loads.iter().sum::<f64>() * monotony, "strain")?;
    Ok(Monotony { monotony, strain, high: monotony > 2.0, quality: combined_quality(week) })
}

/// Acute to chronic load ratio in three variants. Descriptive, not a risk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AcuteChronic {
    /// Mean of 7 days over mean of 28 including them.
    pub coupled: MetricResult<f64>,
    /// Mean of 7 days over mean of the 21 before them.
    pub uncoupled: MetricResult<f64>,
    /// Exponentially weighted, 2/(N+1) with N 7 and 28.
    pub weighted: MetricResult<f64>,
    /// Combined quality of the days.
    pub quality: Quality,
}

/// `weighted` is the state after the same days.
#[must_use]
pub fn acute_chronic(days: &[&DayLoad], weighted: &EwmaLoads) -> AcuteChronic {
    let (coupled, uncoupled, quality) = match last_days(days, MONTH_DAYS) {
        Err(absent) => (Err(absent.clone()), Err(absent), Quality::Provisional),
        Ok(month) => {
            let loads: Vec<f64> = month.iter().map(|day| day.total()).collect();
            let acute = mean(&loads[MONTH_DAYS - WEEK..]);
            (
                ratio(acute, mean(&loads)),
                ratio(acute, mean(&loads[..MONTH_DAYS - WEEK])),
                combined_quality(month),
            )
        }
    };
    AcuteChronic { coupled, uncoupled, weighted: weighted.ratio(), quality }
}

/// Acute and chronic load by exponential weights (Williams 2017, Br J Sports Med 51:209), lambda =
/// 2/(N+1).
///
/// The weights are normalized for the missing days before the first, so that a constant load gives
/// a ratio of exactly 1 from the first day.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EwmaLoads {
    acute: f64,
    chronic: f64,
    days: u32,
}

impl EwmaLoads {
    /// State before the first day.
    pub const START: Self = Self { acute: 0.0, chronic: 0.0, days: 0 };

    /// State after a day with this load.
    #[must_use]
    pub fn after(&self, load: &DayLoad) -> Self {
        let step = |before: f64, n: f64| before + (load.total() - before) * (2.0 / (n + 1.0));
        Self {
            acute: step(self.acute, 7.0),
            chronic: step(self.chronic, 28.0),
            days: self.days.saturating_add(1),
        }
    }

    fn ratio(&self) -> MetricResult<f64> {
        if (self.days as usize) < MONTH_DAYS {
            return Err(too_few(self.days as usize, MONTH_DAYS));
        }
        let days = i32::try_from(self.days).unwrap_or(i32::MAX);
        let scaled = |sum: f64, n: f64| sum / (1.0 - (1.0 - 2.0 / (n + 1.0)).powi(days));
        ratio(scaled(self.acute, 7.0), scaled(self.chronic, 28.0))
    }
}

/// A day's longest run compared with the longest of the 30 days before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spike {
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
    /// The longest run of the 30 days before.
    #[serde(rename = "longest_before_mm")]
    pub longest_before: Distance,
    pub ratio: f64,
    pub band: SpikeBand,
}

string_enum! {
    /// Increase over the longest run of the 30 days before, in the classes of Frandsen et al. 2025.
    pub enum SpikeBand("run distance jump") {
        /// At most 10 % longer.
        Usual = "usual",
        /// More than 10 % and at most 30 % longer.
        Small = "small",
        /// More than 30 % and at most twice as long.
        Moderate = "moderate",
        /// More than twice as long.
        Large = "large",
    }
}

impl SpikeBand {
    #[must_use]
    pub fn from_ratio(ratio: f64) -> Self {
        if ratio <= 1.10 {
            Self::Usual
        } else if ratio <= 1.30 {
            Self::Small
        } else if ratio <= 2.00 {
            Self::Moderate
        } else {
            Self::Large
        }
    }

    /// Hazard rate ratio of an overuse injury relative to [`Usual`](Self::Usual), with its 95 %
    /// interval.
    #[must_use]
    pub const fn hazard_ratio(self) -> Option<(f64, f64, f64)> {
        match self {
            Self::Usual => None,
            Self::Small => Some((1.64, 1.31, 2.05)),
            Self::Moderate => Some((1.52, 1.16, 2.00)),
            Self::Large => Some((2.28, 1.50, 3.48)),
        }
    }
}

/// Distance spike of the last day's longest run (Frandsen et al. 2025, Br J Sports Med 59:1203;
/// 588,071 sessions).
///
/// 24 km after a longest run of 16 km: 1.5, `moderate`, hazard ratio 1.52 (1.16-2.00).
///
/// # Errors
/// With fewer than 30 days before it, without a run on the day, or without a run before it.
pub fn spike(longest_runs: &[Option<Distance>]) -> MetricResult<Spike> {
    let before = window(longest_runs, 1, SPIKE_DAYS);
    if before.len() < SPIKE_DAYS {
        return Err(too_few(before.len(), SPIKE_DAYS));
    }
    let run = |run: Option<Distance>| run.filter(|distance| *distance > Distance::ZERO);
    let today = longest_runs.last().copied().flatten();
    let none = |what: &str| MissingReason::OutOfRange { what: what.to_owned() };
    let distance = run(today).ok_or_else(|| none("no run on this day"))?;
    let longest_before =
        before.iter().copied().filter_map(run).max().ok_or_else(|| none("no run in the 30 days before"))?;
    let ratio = finite(distance.meters() / longest_before.meters(), "run distance jump")?;
    Ok(Spike { distance, longest_before, ratio, band: SpikeBand::from_ratio(ratio) })
}

fn last_days<T>(days: &[T], needed: usize) -> MetricResult<&[T]> {
    let last = window(days, 0, needed);
    if last.len() < needed { Err(too_few(last.len(), needed)) } else { Ok(last) }
}

fn too_few(have: usize, needed: usize) -> MissingReason {
    MissingReason::TooFew { have: to_u32(have), needed: to_u32(needed), what: CountUnit::Days }
}

fn ratio(acute: f64, chronic: f64) -> MetricResult<f64> {
    if chronic < MIN_CHRONIC_LOAD {
        return Err(MissingReason::OutOfRange { what: "chronic load is below 5 points a day".to_owned() });
    }
    finite(acute / chronic, "acute to chronic load ratio")
}

fn combined_quality(days: &[&DayLoad]) -> Quality {
    days.iter().fold(Quality::Ok, |quality, day| quality.combine(day.quality()))
}

#[cfg(test)]
mod tests;
