//! Daniels & Gilbert 1979: one number for a runner's form, and the times and training paces that go with it.

use super::race::{Performance, to_time_span};
use crate::domain::units::{Distance, Pace, TimeSpan};
use crate::metrics::{MetricResult, MissingReason, finite};
use serde::Serialize;

/// The times, minutes, the formula was made for.
const VALID_MINUTES: std::ops::RangeInclusive<f64> = 3.5..=240.0;
/// Halvings of the interval in which an equivalent time is sought; 60 leave less than a microsecond of a day.
const BISECTION_STEPS: u32 = 60;
/// The fastest and the slowest speed an equivalent time is sought between, metres per minute.
const SPEED_BRACKET: (f64, f64) = (700.0, 20.0);
/// What runners have: from a slow walk to above every record.
const VALID_RANGE: std::ops::RangeInclusive<f64> = 10.0..=90.0;

/// Oxygen taken up at a speed, as if every runner had the same economy: ml per kg and minute.
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
                what: "VDOT is for races of 3.5 to 240 minutes".to_owned(),
            });
        }
        Self::new(oxygen_cost(race.meters() / minutes) / sustainable_fraction(minutes))
    }

    /// A value from outside.
    ///
    /// # Errors
    /// When no runner has it.
    pub fn new(value: f64) -> MetricResult<Self> {
        let value = finite(value, "VDOT")?;
        if VALID_RANGE.contains(&value) {
            Ok(Self(value))
        } else {
            Err(MissingReason::OutOfRange { what: format!("a VDOT of {value:.1}") })
        }
    }

    /// The number itself.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }

    /// The time over a distance that has the same VDOT, by halving: the longer a race takes, the lower its VDOT.
    ///
    /// VDOT 50 is 19:56.0 over 5 km and 3:10:40 over the marathon.
    ///
    /// # Errors
    /// When the target is no distance.
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

    /// The speed at which this share of VDOT is taken up, metres per minute. VDOT 50 at 1.0 is 260.772 m/min.
    pub(super) fn speed_at(self, share: f64) -> f64 {
        let (a, b, c) = (0.000_104, 0.182_258, -4.60 - share * self.0);
        (-b + (b * b - 4.0 * a * c).sqrt()) / (2.0 * a)
    }

    /// Daniels' training paces: the speeds at fixed shares of VDOT.
    ///
    /// VDOT 50: easy 5:52 to 4:54, marathon 4:25, threshold 4:15, intervals 3:55, repetitions 3:41 per kilometre. A
    /// marathon predicted slower than that sets the marathon pace: nobody trains for a faster race than the coming one.
    ///
    /// # Errors
    /// When a share gives no pace; none does for a VDOT that a runner has.
    pub fn paces(self, predicted_marathon: Option<TimeSpan>) -> MetricResult<TrainingPaces> {
        let pace = |share: f64| {
            Pace::from_seconds_per_km(60_000.0 / self.speed_at(share))
                .ok_or_else(|| MissingReason::OutOfRange { what: "a VDOT without paces".to_owned() })
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

/// Training paces of one runner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TrainingPaces {
    /// Easy running: the slow end, then the fast one.
    pub easy: (Pace, Pace),
    /// The pace of the marathon.
    pub marathon: Pace,
    /// What can be held for about an hour.
    pub threshold: Pace,
    /// What 3 to 5 minute intervals are run at.
    pub interval: Pace,
    /// What short repetitions are run at.
    pub repetition: Pace,
}

/// VDOT's equivalent time over another distance, a bar to beat.
///
/// # Errors
/// When the race is outside what VDOT was made for.
pub fn vdot_time(race: Performance, target: Distance) -> MetricResult<TimeSpan> {
    Vdot::from_race(race)?.time_over(target)
}

/// The oxygen a speed takes, metres per minute to ml per kg and minute.
fn oxygen_cost(speed: f64) -> f64 {
    -4.60 + 0.182_258 * speed + 0.000_104 * speed * speed
}

/// The share of the maximum that can be held for so many minutes.
fn sustainable_fraction(minutes: f64) -> f64 {
    0.8 + 0.189_439_3 * (-0.012_778 * minutes).exp() + 0.298_955_8 * (-0.193_260_5 * minutes).exp()
}
