//! VDOT (Daniels & Gilbert 1979), equivalent race times and training paces.

use super::race::{Performance, to_time_span};
use crate::domain::units::{Distance, Pace, TimeSpan};
use crate::metrics::{MetricResult, MissingReason, finite};
use serde::Serialize;

/// Race times, minutes, for which the formula is valid.
const VALID_MINUTES: std::ops::RangeInclusive<f64> = 3.5..=240.0;
/// Bisection steps for an equivalent time; 60 reduce a day to less than a microsecond.
const BISECTION_STEPS: u32 = 60;
/// Speeds between which the bisection searches, metres per minute.
const SPEED_BRACKET: (f64, f64) = (700.0, 20.0);
/// Valid VDOT values: from a slow walk to above every record.
const VALID_RANGE: std::ops::RangeInclusive<f64> = 10.0..=90.0;

/// Effective VO2max, ml/kg/min, assuming the same running economy for every runner.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Vdot(f64);

impl Vdot {
    /// VO2/%max, with v in m/min and T in min:
    /// VO2 = −4.60 + 0.182258·v + 0.000104·v²,
    /// %max = 0.8 + 0.1894393·e^(−0.012778·T) + 0.2989558·e^(−0.1932605·T).
    ///
    /// 5 km in 20:00 is 49.806, a half marathon in 1:30:00 is 50.977.
    ///
    /// # Errors
    /// When the race took less than 3.5 or more than 240 minutes.
    pub fn from_race(race: Performance) -> MetricResult<Self> {
        let minutes = race.seconds() / 60.0;
        if !VALID_MINUTES.contains(&minutes) {
            return Err(MissingReason::OutOfRange {
                what: "VDOT covers races of 3.5 to 240 minutes".to_owned(),
            });
        }
        Self::new(oxygen_cost(race.meters() / minutes) / sustainable_fraction(minutes))
    }

    /// Unchecked input.
    ///
    /// # Errors
    /// When it is out of range.
    pub fn new(value: f64) -> MetricResult<Self> {
        let value = finite(value, "VDOT")?;
        if VALID_RANGE.contains(&value) {
            Ok(Self(value))
        } else {
            Err(MissingReason::OutOfRange { what: format!("VDOT {value:.1} is out of range") })
        }
    }

    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }

    /// The time over a distance with the same VDOT, by bisection: the longer a race takes, the
    /// lower its VDOT.
    ///
    /// VDOT 50 is 19:56.0 over 5 km and 3:10:40 over the marathon.
    ///
    /// # Errors
    /// When the target is zero.
    pub fn time_over(self, target: Distance) -> MetricResult<TimeSpan> {
        let meters = target.meters();
        let (mut fast, mut slow) = (meters / SPEED_BRACKET.0, meters / SPEED_BRACKET.1);
        for _ in 0..BISECTION_STEPS {
            let middle = f64::midpoint(fast, slow);
            if oxygen_cost(meters / middle) / sustainable_fraction(middle) > self.0 {
                fast = middle;
            } else {
                slow = middle;
            }
        }
        to_time_span(f64::midpoint(fast, slow) * 60.0)
    }

    /// Speed at a share of VDOT, metres per minute. VDOT 50 at 1.0 is 260.772 m/min.
    pub(super) fn speed_at(self, share: f64) -> f64 {
        let (a, b, c) = (0.000_104, 0.182_258, -4.60 - share * self.0);
        (-b + (b * b - 4.0 * a * c).sqrt()) / (2.0 * a)
    }

    /// Daniels' training paces: the speeds at fixed shares of VDOT.
    ///
    /// VDOT 50: easy 5:52 to 4:54, marathon 4:25, threshold 4:15, intervals 3:55, repetitions 3:41
    /// per kilometre. If the predicted marathon is slower, it sets the marathon pace.
    ///
    /// # Errors
    /// When a share gives no pace, which does not happen for a valid VDOT.
    pub fn paces(self, predicted_marathon: Option<TimeSpan>) -> MetricResult<TrainingPaces> {
        let pace = |share: f64| {
            Pace::from_seconds_per_km(60_000.0 / self.speed_at(share)).ok_or_else(|| {
                MissingReason::OutOfRange { what: "this VDOT has no training paces".to_owned() }
            })
        };
        let formula = pace(0.84)?;
        let predicted = predicted_marathon
            .and_then(|time| Pace::from_seconds_per_km(time.seconds() / Distance::MARATHON.km()));
        Ok(TrainingPaces {
            easy: (pace(0.59)?, pace(0.74)?),
            marathon: predicted.filter(|predicted| *predicted > formula).unwrap_or(formula),
            threshold: pace(0.88)?,
            interval: pace(0.975)?,
            repetition: pace(1.05)?,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TrainingPaces {
    /// Slow end, then fast end.
    pub easy: (Pace, Pace),
    pub marathon: Pace,
    /// Sustainable for about an hour.
    pub threshold: Pace,
    /// For intervals of 3 to 5 minutes.
    pub interval: Pace,
    pub repetition: Pace,
}

/// Equivalent time over another distance, for comparison.
///
/// # Errors
/// When the race is outside the valid range of VDOT.
pub fn vdot_time(race: Performance, target: Distance) -> MetricResult<TimeSpan> {
    Vdot::from_race(race)?.time_over(target)
}

/// Oxygen cost of a speed: metres per minute to ml/kg/min.
fn oxygen_cost(speed: f64) -> f64 {
    -4.60 + 0.182_258 * speed + 0.000_104 * speed * speed
}

/// Share of VO2max sustainable for a duration in minutes.
fn sustainable_fraction(minutes: f64) -> f64 {
    0.8 + 0.189_439_3 * (-0.012_778 * minutes).exp() + 0.298_955_8 * (-0.193_260_5 * minutes).exp()
}
