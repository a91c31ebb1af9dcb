//! Training load from heart rate, computed from the seconds at each bpm.
//!
//! Heart rate lags: it underestimates short repetitions and overestimates heat and dehydration.

use crate::domain::athlete::Sex;
use crate::metrics::histogram::Histogram;
use crate::metrics::{MetricResult, MissingReason, finite};

/// Minimum share of the moving time with a heart rate.
pub const MIN_COVERAGE: f64 = 0.80;

/// Heart rate reserve: resting HR to max HR.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeartRateReserve {
    rest: f64,
    max: f64,
}

impl HeartRateReserve {
    /// Resting HR and max HR, at least 40 bpm apart.
    ///
    /// # Errors
    /// When they are closer, or not finite.
    pub fn new(rest: f64, max: f64) -> MetricResult<Self> {
        let span = max - rest;
        if span.is_finite() && span >= 40.0 {
            Ok(Self { rest, max })
        } else {
            let what = format!("resting HR {rest:.0} and max HR {max:.0} are less than 40 bpm apart");
            Err(MissingReason::Contradiction { what })
        }
    }

    /// `HRr = (HR − rest)/(max − rest)`, within 0 and 1: 148 between 50 and 190 is 0.70.
    #[must_use]
    pub fn fraction(&self, bpm: f64) -> f64 {
        ((bpm - self.rest) / (self.max - self.rest)).clamp(0.0, 1.0)
    }

    /// Banister's TRIMP per minute at a fraction of the reserve: `HRr · a · e^(b·HRr)` with a =
    /// 0.64, b = 1.92 for men and a = 0.86, b = 1.67 for women (Banister 1991; Morton 1990). An
    /// hour at 0.70 is 103.067 and 116.262.
    #[must_use]
    pub fn trimp_per_minute(fraction: f64, sex: Sex) -> f64 {
        let (a, b) = match sex {
            Sex::Male => (0.64, 1.92),
            Sex::Female => (0.86, 1.67),
        };
        fraction * a * (b * fraction).exp()
    }
}

fn minutes(seconds: u32) -> f64 {
    f64::from(seconds) / 60.0
}

/// Banister's TRIMP, summed over the histogram and not from the mean: the curve is convex, so a
/// mean would hide the hard minutes.
///
/// # Errors
/// When it is not a number.
pub fn banister_trimp(heart: &Histogram, reserve: HeartRateReserve, sex: Sex) -> MetricResult<f64> {
    let sum = heart
        .bins()
        .map(|(bpm, seconds)| {
            minutes(seconds) * HeartRateReserve::trimp_per_minute(reserve.fraction(f64::from(bpm)), sex)
        })
        .sum();
    finite(sum, "TRIMP")
}

/// "hrTSS (TRIMP ratio)": `100 · TRIMP / TRIMP of an hour at threshold`. An hour at threshold is
/// 100; an hour at 0.70 of the reserve with the threshold at 0.85 is 61.745 for men and 64.104 for
/// women. TrainingPeaks uses the same name for a zone table, which differs.
///
/// # Errors
/// When the threshold is not between resting HR and max HR.
pub fn trimp_ratio(
    heart: &Histogram,
    reserve: HeartRateReserve,
    sex: Sex,
    threshold: f64,
) -> MetricResult<f64> {
    check_below_max(threshold, reserve.max)?;
    let hour = 60.0 * HeartRateReserve::trimp_per_minute(reserve.fraction(threshold), sex);
    if hour.is_nan() || hour <= 0.0 {
        let what = format!("threshold HR {threshold:.0} is not above resting HR");
        return Err(MissingReason::Contradiction { what });
    }
    finite(100.0 * banister_trimp(heart, reserve, sex)? / hour, "hrTSS")
}

/// If threshold HR is not below max HR, one of the two is wrong, and so would be the load.
fn check_below_max(threshold: f64, max: f64) -> MetricResult<()> {
    if threshold < max {
        return Ok(());
    }
    let what = format!("threshold HR {threshold:.0} is not below max HR {max:.0}");
    Err(MissingReason::Contradiction { what })
}

/// Edwards' weight of a minute: 1 to 5 from 50, 60, 70, 80 and 90 % of max HR, below that 0.
#[must_use]
pub fn edwards_weight(bpm: f64, max: f64) -> f64 {
    // Rounded to a millionth of a percent, so that 60 % of 190 is not slightly below 60 %.
    let percent = (bpm / max * 1e8).round() / 1e6;
    [50.0, 60.0, 70.0, 80.0, 90.0].iter().filter(|bound| percent >= **bound).count() as f64
}

/// Edwards' TRIMP (1993): minutes in each tenth of max HR times 1 to 5. Ten minutes in each is 150.
///
/// # Errors
/// When max HR is not positive.
pub fn edwards_trimp(heart: &Histogram, max: f64) -> MetricResult<f64> {
    if max.is_nan() || max <= 0.0 {
        return Err(MissingReason::OutOfRange { what: "max HR is not above zero".to_owned() });
    }
    finite(heart.bins().map(|(bpm, s)| minutes(s) * edwards_weight(f64::from(bpm), max)).sum(), "Edwards")
}

/// `100 · Edwards / Edwards of an hour at threshold`: a substitute on the scale of [`trimp_ratio`]
/// if sex or resting heart rate is unknown. Our heuristic: an hour at threshold is 100, an hour two
/// steps below a threshold in the fourth step is 50.
///
/// # Errors
/// When the threshold is below half of max HR, or not below max HR.
pub fn edwards_ratio(heart: &Histogram, max: f64, threshold: f64) -> MetricResult<f64> {
    let sum = edwards_trimp(heart, max)?;
    check_below_max(threshold, max)?;
    let hour = 60.0 * edwards_weight(threshold, max);
    if hour <= 0.0 {
        let what = format!("threshold HR {threshold:.0} is below half of max HR {max:.0}");
        return Err(MissingReason::Contradiction { what });
    }
    finite(100.0 * sum / hour, "Edwards ratio")
}

/// Lucia's TRIMP (2003): minutes below the first ventilatory threshold times 1, between the two
/// times 2, above the second times 3. 40, 15 and 5 minutes are 85.
///
/// # Errors
/// When it is not a number.
pub fn lucia_trimp(heart: &Histogram, first: f64, second: f64) -> MetricResult<f64> {
    let weight = |bpm: f64| 1.0 + f64::from(u8::from(bpm >= first)) + f64::from(u8::from(bpm >= second));
    finite(heart.bins().map(|(bpm, seconds)| minutes(seconds) * weight(f64::from(bpm))).sum(), "Lucia")
}

/// Approximate ventilatory thresholds, a heuristic: 0.89 of threshold HR, and threshold HR. Results
/// computed from them are estimated.
#[must_use]
pub fn ventilatory_thresholds(threshold: f64) -> (f64, f64) {
    (0.89 * threshold, threshold)
}

#[cfg(test)]
mod tests;
