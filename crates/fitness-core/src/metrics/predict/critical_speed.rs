//! Critical speed: what can be held, and what can be spent above it. For zones, not for predicting a marathon, which
//! it misses by 7.7 % (Smyth & Muniz-Pumares 2020).

use super::race::Mark;
use crate::domain::units::{Distance, Speed};
use crate::metrics::{Absent, Counted, Found, finite};
use serde::Serialize;

/// The line through a runner's maximal efforts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CriticalSpeed {
    /// The slope: what can be held.
    pub speed: Speed,
    /// The intercept: metres that can be run above it.
    #[serde(rename = "reserve_mm")]
    pub reserve: Distance,
    /// How well the line fits, up to 1.
    pub r_squared: f64,
}

const FEWEST: u32 = 3;
/// How long an effort may be, seconds.
const SECONDS: std::ops::RangeInclusive<f64> = 120.0..=1200.0;
const SPAN: f64 = 2.5;
const LARGEST_RESERVE: f64 = 600.0;
const WORST_FIT: f64 = 0.995;

/// d = CS·t + D′ by least squares over maximal efforts of 2 to 20 minutes; at least three, the longest at least 2.5
/// times the shortest.
///
/// 1500 m in 5:00, 3000 m in 10:40 and 5000 m in 18:30 give 4.31695 m/s and 216.75 m.
///
/// # Errors
/// With too few efforts, too alike in length, or a line that no runner has: D′ below 0 or above 600 m, R² below 0.995.
pub fn critical_speed(efforts: &[Mark]) -> Found<CriticalSpeed> {
    let mut efforts: Vec<Mark> = efforts.iter().filter(|e| SECONDS.contains(&e.seconds())).copied().collect();
    // One order, so that the sums below do not depend on how the efforts came.
    efforts.sort_unstable();
    efforts.dedup();
    let have = u32::try_from(efforts.len()).unwrap_or(u32::MAX);
    if have < FEWEST {
        return Err(Absent::TooFew { have, needed: FEWEST, what: Counted::Efforts });
    }
    let refused = |what: &str| Err(Absent::OutOfRange { what: what.to_owned() });
    let times = || efforts.iter().map(|e| e.seconds());
    let (shortest, longest) = (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max));
    if longest < shortest * SPAN {
        return refused("the longest effort must take at least 2.5 times as long as the shortest");
    }
    let n = f64::from(have);
    let mean_t = times().sum::<f64>() / n;
    let mean_d = efforts.iter().map(|e| e.meters()).sum::<f64>() / n;
    let sum = |f: &dyn Fn(f64, f64) -> f64| {
        efforts.iter().map(|e| f(e.seconds() - mean_t, e.meters() - mean_d)).sum::<f64>()
    };
    let (tt, td, dd) = (sum(&|t, _| t * t), sum(&|t, d| t * d), sum(&|_, d| d * d));
    let slope = finite(td / tt, "critical speed")?;
    let reserve = mean_d - slope * mean_t;
    let r_squared = finite(td * td / (tt * dd), "the fit of the critical speed")?;
    if !(0.0..=LARGEST_RESERVE).contains(&reserve) {
        return refused("efforts whose reserve is below 0 or above 600 m were not all maximal");
    }
    if r_squared < WORST_FIT {
        return refused("efforts that do not lie on a line were not all maximal");
    }
    let none = || Absent::OutOfRange { what: "a speed below zero".to_owned() };
    Ok(CriticalSpeed {
        speed: Speed::from_mps(slope).ok_or_else(none)?,
        reserve: Distance::from_meters(reserve).ok_or_else(none)?,
        r_squared,
    })
}
