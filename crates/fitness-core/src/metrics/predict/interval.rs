//! Prediction intervals: the range in which 80 % of runners finish.
//!
//! The numbers are quantiles of actual/predicted: of 929 marathoners by cross-validation, and of
//! the same runners' shorter races. They are skewed to the slow side, because bad days cost more
//! than good days gain.

use super::race::to_time_span;
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::MetricResult;
use serde::Serialize;
use std::fmt;

/// A predicted finish time with its 80 % range. There is deliberately no type for the time alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PredictedFinish {
    #[serde(rename = "low_ms")]
    pub low: TimeSpan,
    #[serde(rename = "time_ms")]
    pub time: TimeSpan,
    #[serde(rename = "high_ms")]
    pub high: TimeSpan,
}

impl PredictedFinish {
    pub(super) fn from_point(seconds: f64, spread: LogRatioRange) -> MetricResult<Self> {
        Ok(Self {
            low: to_time_span(seconds * spread.low.exp())?,
            time: to_time_span(seconds)?,
            high: to_time_span(seconds * spread.high.exp())?,
        })
    }

    /// 25th percentile. In the fitted data it lies half as far from the median as the 10th, in
    /// logarithms: 0.937 and 0.968 for all marathoners.
    #[must_use]
    pub fn first_quarter(self) -> TimeSpan {
        self.toward_low(0.5)
    }

    /// 5th percentile: 1.37 times as far from the median as the 10th, 0.937 and 0.915 for all
    /// marathoners.
    #[must_use]
    pub fn first_twentieth(self) -> TimeSpan {
        self.toward_low(1.37)
    }

    fn toward_low(self, share: f64) -> TimeSpan {
        let (low, middle) = (self.low.seconds().max(1.0), self.time.seconds().max(1.0));
        TimeSpan::from_seconds(middle * (low / middle).powf(share)).unwrap_or(self.low)
    }

    /// Rounded for display: to a minute beyond the half marathon, 30 s beyond 10 km, 5 s from 5 km,
    /// else a second.
    #[must_use]
    pub fn rounded(self, target: Distance) -> Self {
        let step = match target.mm() {
            ..5_000_000 => 1,
            5_000_000..=10_000_000 => 5,
            10_000_001..=21_097_500 => 30,
            _ => 60,
        };
        let to_step = |time: TimeSpan| {
            let ms = step * 1000;
            TimeSpan::from_ms((time.ms() + ms / 2).div_euclid(ms) * ms)
        };
        Self { low: to_step(self.low), time: to_step(self.time), high: to_step(self.high) }
    }
}

/// `3:52:00 (80% range 3:33:00 to 4:11:00)`
impl fmt::Display for PredictedFinish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { low, time, high } = self;
        write!(f, "{} (80% range {} to {})", time.format_clock(), low.format_clock(), high.format_clock())
    }
}

/// Interval as logarithms of actual/predicted: `low` at most 0, `high` at least 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LogRatioRange {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl LogRatioRange {
    fn from_quantiles((q10, q90): (f64, f64)) -> Self {
        Self { low: q10.ln().min(0.0), high: q90.ln().max(0.0) }
    }

    fn widen(self, by: f64) -> Self {
        Self { low: self.low * by, high: self.high * by }
    }

    /// Wider for inputs that the data does not cover: training instead of a race (× 1.3), a race
    /// more than 120 days ago (× √(1 + days/240)). Both factors are our choice, not fitted. 180
    /// days ago: × 1.323.
    pub(super) fn for_input(self, training_only: bool, age: i64) -> Self {
        let effort = if training_only { 1.3 } else { 1.0 };
        let days = if age > STALE_AFTER_DAYS { (1.0 + age as f64 / 240.0).sqrt() } else { 1.0 };
        self.widen(effort * days)
    }
}

/// Days after which a race no longer reflects current form.
pub(super) const STALE_AFTER_DAYS: i64 = 120;

/// q10 and q90 of all marathoners.
const ALL_RUNNERS: (f64, f64) = (0.937, 1.077);

fn by_source(source: Distance) -> (f64, f64) {
    match source.mm() {
        ..9_000_000 => (0.935, 1.136),           // 5 km to 5 miles, n = 127
        9_000_000..18_000_000 => (0.925, 1.068), // 10 km to 10 miles, n = 169
        _ => (0.945, 1.074),                     // half marathon, n = 633
    }
}

fn by_volume(weekly: Distance) -> (f64, f64) {
    let miles = weekly.miles();
    match () {
        () if miles <= 20.0 => (0.913, 1.119), // n = 68
        () if miles <= 30.0 => (0.912, 1.085), // n = 215
        () if miles <= 40.0 => (0.941, 1.094), // n = 256
        () if miles <= 55.0 => (0.948, 1.056), // n = 254
        () => (0.957, 1.044),                  // n = 136
    }
}

/// Beyond the half marathon: the interval by source distance times the interval by weekly distance,
/// relative to that of all runners.
///
/// From a half marathon at 50 miles a week: 0.945·0.948/0.937 = 0.956 and 1.074·1.056/1.077 =
/// 1.053. Taking the wider of the two rows at each end instead covers 86 % of the held-out
/// finishes, and 97 % of those who run more than 55 miles a week, too wide for 80 %. This one
/// covers 78 %, and 75 to 83 % within each row.
pub(super) fn interval_beyond_half(source: Distance, weekly: Option<Distance>) -> LogRatioRange {
    let source = by_source(source);
    let volume = weekly.map_or(ALL_RUNNERS, by_volume);
    LogRatioRange::from_quantiles((source.0 * volume.0 / ALL_RUNNERS.0, source.1 * volume.1 / ALL_RUNNERS.1))
}

/// From the athlete's own best marathon, without a shorter race.
///
/// Its own quantiles are not known. Those of the mean of the marathon formula, Tanda's and the
/// previous marathon are, on 74 marathon-long runs from training logs: 0.93 and 1.14, at a mean
/// error of 14.0 min. A previous marathon alone missed by 20.1 min, so the band is wider in
/// logarithms by 20.1/14.0: 0.901 and 1.207. This scaling is our choice.
pub(super) fn interval_from_marathon() -> LogRatioRange {
    LogRatioRange::from_quantiles((0.93, 1.14)).widen(20.1 / 14.0)
}

/// Up to the half marathon. Cases without data (a target shorter than the source or than 9 km) get
/// the widest bounds.
pub(super) fn interval_up_to_half(source: Distance, target: Distance) -> LogRatioRange {
    let unmeasured = target.mm() < 9_000_000 || target < source;
    LogRatioRange::from_quantiles(match source.mm() {
        _ if unmeasured => (0.943, 1.110),
        ..9_000_000 if target.mm() < 15_000_000 => (0.943, 1.100), // 5 km to 10 km
        ..9_000_000 => (0.950, 1.110),                             // 5 km to the half
        9_000_000..14_000_000 => (0.951, 1.092),                   // 10 km to the half
        _ => (0.947, 1.062),                                       // 10 miles to the half
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factors(spread: LogRatioRange) -> (f64, f64) {
        (spread.low.exp(), spread.high.exp())
    }

    fn near(got: (f64, f64), wanted: (f64, f64)) {
        assert!((got.0 - wanted.0).abs() < 5e-4 && (got.1 - wanted.1).abs() < 5e-4, "{got:?} {wanted:?}");
    }

    #[test]
    fn the_rows_are_those_that_were_measured() {
        let km = |km: f64| Distance::from_km(km).unwrap();
        let miles = |miles: f64| Distance::from_miles(miles);
        let half = Distance::HALF_MARATHON;
        // Without the weekly distance, the source's row unchanged.
        for (source, row) in [
            (km(5.0), (0.935, 1.136)),
            (miles(5.0).unwrap(), (0.935, 1.136)),
            (km(10.0), (0.925, 1.068)),
            (miles(10.0).unwrap(), (0.925, 1.068)),
            (half, (0.945, 1.074)),
        ] {
            near(factors(interval_beyond_half(source, None)), row);
        }
        // From a half, the weekly distance's row times 0.945/0.937 and 1.074/1.077.
        for (weekly, row) in [
            (20.0, (0.9208, 1.1159)),
            (30.0, (0.9198, 1.0820)),
            (40.0, (0.9490, 1.0910)),
            (55.0, (0.9561, 1.0531)),
            (56.0, (0.9652, 1.0411)),
        ] {
            near(factors(interval_beyond_half(half, miles(weekly))), row);
        }
        for (source, target, row) in [
            (km(5.0), km(10.0), (0.943, 1.100)),
            (km(5.0), half, (0.950, 1.110)),
            (km(10.0), half, (0.951, 1.092)),
            (miles(10.0).unwrap(), half, (0.947, 1.062)),
            (half, km(10.0), (0.943, 1.110)),
            (km(5.0), km(5.0), (0.943, 1.110)),
        ] {
            near(factors(interval_up_to_half(source, target)), row);
        }
    }

    #[test]
    fn own_marathon_only_widens_the_range() {
        let (alone, together) = (interval_from_marathon(), LogRatioRange::from_quantiles((0.93, 1.14)));
        near(factors(alone), (0.9011, 1.2070));
        for (wide, narrow) in [(alone.low, together.low), (alone.high, together.high)] {
            assert!((wide / narrow - 20.1 / 14.0).abs() < 1e-12);
        }
    }

    #[test]
    fn training_and_age_widen_the_band() {
        let plain = interval_from_marathon();
        for (training, age, by) in [
            (false, 0, 1.0),
            (false, 120, 1.0),
            (false, 121, (1.0_f64 + 121.0 / 240.0).sqrt()),
            (false, 180, 1.75_f64.sqrt()),
            (true, 0, 1.3),
            (true, 240, 1.3 * 2.0_f64.sqrt()),
        ] {
            let wide = plain.for_input(training, age);
            assert!((wide.low / plain.low - by).abs() < 1e-12 && (wide.high / plain.high - by).abs() < 1e-12);
        }
    }

    #[test]
    fn a_finish_is_rounded_as_coarsely_as_it_is_known() {
        let finish = PredictedFinish {
            low: TimeSpan::from_ms(12_345_678),
            time: TimeSpan::from_ms(13_924_400),
            high: TimeSpan::from_ms(15_000_000),
        };
        let shown = |target| {
            let f = finish.rounded(target);
            [f.low, f.time, f.high].map(TimeSpan::format_clock).join(" ")
        };
        assert_eq!(shown(Distance::MARATHON), "3:26:00 3:52:00 4:10:00");
        assert_eq!(shown(Distance::HALF_MARATHON), "3:26:00 3:52:00 4:10:00");
        assert_eq!(shown(Distance::from_km(15.0).unwrap()), "3:26:00 3:52:00 4:10:00");
        assert_eq!(shown(Distance::from_km(10.0).unwrap()), "3:25:45 3:52:05 4:10:00");
        assert_eq!(shown(Distance::from_km(3.0).unwrap()), "3:25:46 3:52:04 4:10:00");
        assert_eq!(finish.rounded(Distance::MARATHON).to_string(), "3:52:00 (80% range 3:26:00 to 4:10:00)");
    }
}
