//! Personal correction of predictions from the athlete's past prediction errors.

use super::interval::LogRatioRange;
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::recovery::baseline::to_u32;

/// A past race and its prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PastPrediction {
    pub on: Day,
    pub distance: Distance,
    /// Prediction before correction, [`Prediction::uncorrected`](super::Prediction::uncorrected):
    /// corrected predictions would cancel their own correction.
    pub predicted: TimeSpan,
    pub actual: TimeSpan,
}

/// Minimum distance of races used and of targets corrected: 10 km.
const MIN_DISTANCE: Distance = Distance::from_mm(10_000_000);
const MIN_EVENTS_TO_SHIFT: usize = 3;
const MIN_EVENTS_FOR_INTERVAL: usize = 8;
/// Bound on the error of one race: e^0.3 = 35 %. Larger errors have other causes.
const MAX_LOG_ERROR: f64 = 0.3;

/// Correction of a prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PredictionCorrection {
    /// Added to the logarithm of the time.
    pub(super) shift: f64,
    /// Prediction interval around the shifted point.
    pub(super) spread: LogRatioRange,
    /// Number of races used; 0 if too few.
    pub(super) events: u32,
}

/// With n races of 10 km or more and r = ln(actual/predicted) of each: from three races, the point
/// moves by b = Σr/(n + 2); from eight, the interval uses the athlete's own quantiles of r − b,
/// mixed with the general ones at n to 8.
///
/// Three races 5 % slower than predicted: b = 3·ln 1.05/5 = 0.0293, so 4:00:00 becomes 4:07:08.
pub(super) fn correction(
    history: &[PastPrediction],
    target: Distance,
    as_of: Day,
    spread: LogRatioRange,
) -> PredictionCorrection {
    let mut ratios: Vec<f64> = history
        .iter()
        .filter(|past| past.on <= as_of && past.distance >= MIN_DISTANCE)
        .filter(|past| past.predicted > TimeSpan::ZERO && past.actual > TimeSpan::ZERO)
        .map(|past| {
            (past.actual.seconds() / past.predicted.seconds()).ln().clamp(-MAX_LOG_ERROR, MAX_LOG_ERROR)
        })
        .collect();
    // Sorted, so that the sum does not depend on the input order.
    ratios.sort_by(f64::total_cmp);
    let n = ratios.len();
    if n < MIN_EVENTS_TO_SHIFT || target < MIN_DISTANCE {
        return PredictionCorrection { shift: 0.0, spread, events: 0 };
    }
    let events = n as f64;
    let shift = ratios.iter().sum::<f64>() / (events + 2.0);
    let spread = if n >= MIN_EVENTS_FOR_INTERVAL {
        let own = events / (events + 8.0);
        let mix = |q: f64, everybody: f64| own * (quantile(&ratios, q) - shift) + (1.0 - own) * everybody;
        LogRatioRange { low: mix(0.1, spread.low).min(0.0), high: mix(0.9, spread.high).max(0.0) }
    } else {
        spread
    };
    PredictionCorrection { shift, spread, events: to_u32(n) }
}

/// Quantile of sorted values, linearly interpolated.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * sorted.len().saturating_sub(1) as f64;
    let below = sorted.get(at.floor() as usize).copied().unwrap_or_default();
    let above = sorted.get(at.ceil() as usize).copied().unwrap_or(below);
    below + (above - below) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(percent: &[f64]) -> Vec<PastPrediction> {
        percent
            .iter()
            .map(|percent| PastPrediction {
                on: "2026-01-01".parse().unwrap(),
                distance: Distance::MARATHON,
                predicted: TimeSpan::from_secs(10_000),
                actual: TimeSpan::from_seconds(10_000.0 * (1.0 + percent / 100.0)).unwrap(),
            })
            .collect()
    }

    const EVERYBODY: LogRatioRange = LogRatioRange { low: -0.06, high: 0.08 };

    fn corrected(history: &[PastPrediction]) -> PredictionCorrection {
        correction(history, Distance::MARATHON, "2026-06-01".parse().unwrap(), EVERYBODY)
    }

    #[test]
    fn two_events_teach_nothing_three_shift_and_eight_set_the_band() {
        assert_eq!(
            corrected(&events(&[5.0; 2])),
            PredictionCorrection { shift: 0.0, spread: EVERYBODY, events: 0 }
        );
        let three = corrected(&events(&[5.0; 3]));
        assert!((three.shift - 3.0 * 1.05_f64.ln() / 5.0).abs() < 1e-12);
        assert_eq!((three.spread, three.events), (EVERYBODY, 3));
        assert!((14_400.0 * three.shift.exp() - 14_828.0).abs() < 1.0, "4:00:00 becomes 4:07:08");

        // Nine events, -4 % to +4 %: q10 is -3.2 % and q90 +3.2 %, mixed 9 to 8 with the general
        // quantiles.
        let nine = corrected(&events(&[-4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0]));
        let own = |percent: f64| (1.0 + percent / 100.0_f64).ln();
        let q90 = own(3.0) + (own(4.0) - own(3.0)) * 0.2;
        let high = 9.0 / 17.0 * (q90 - nine.shift) + 8.0 / 17.0 * 0.08;
        assert!((nine.spread.high - high).abs() < 1e-12);
        assert!(nine.spread.low < 0.0 && nine.spread.low > EVERYBODY.low);
    }

    #[test]
    fn the_band_keeps_the_point_whatever_happened() {
        for percent in [-99.0, -50.0, 50.0, 10_000.0] {
            let odd = corrected(&events(&[percent; 12]));
            assert!(
                odd.spread.low <= 0.0 && odd.spread.high >= 0.0 && odd.shift.abs() <= MAX_LOG_ERROR,
                "{odd:?}"
            );
        }
    }

    #[test]
    fn what_is_short_broken_or_still_to_come_does_not_count() {
        let good = events(&[5.0; 2]);
        let mut odd = good[0];
        odd.distance = Distance::from_km(5.0).unwrap();
        let mut broken = good[0];
        broken.predicted = TimeSpan::ZERO;
        let mut later = good[0];
        later.on = "2026-06-02".parse().unwrap();
        for extra in [odd, broken, later] {
            assert_eq!(corrected(&[good[0], good[1], extra]).events, 0);
        }
        // A short target is not corrected by long races.
        let as_of = "2026-06-01".parse().unwrap();
        let five = Distance::from_km(5.0).unwrap();
        assert_eq!(correction(&events(&[5.0; 9]), five, as_of, EVERYBODY).shift, 0.0);
    }
}
