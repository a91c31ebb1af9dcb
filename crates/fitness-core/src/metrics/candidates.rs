//! What one activity suggests about an athlete's limits. Only suggestions: nothing here sets a threshold.

use super::curve::Sums;
use super::decoupling::variation;
use super::efforts::Effort;
use super::rounded;
use super::series::{Runs, Series, Timeline};
use crate::units::TimeSpan;
use serde::{Deserialize, Serialize};

/// Suggestions, each `None` where the activity has nothing to say.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Candidates {
    /// The best mean power over 20 minutes, watts. Times 0.95 it is a threshold power, after a hard five minutes
    /// (Allen & Coggan).
    pub power_20_min: Option<f64>,
    /// A heart rate near threshold, where a steady half hour to hour was run.
    pub threshold_heart_rate: Option<SteadyHeart>,
    /// Speed of an hour's race, metres per second, from the fastest 10 to 70 minutes.
    pub threshold_speed: Option<f64>,
    /// The highest mean heart rate over five seconds.
    pub highest_heart_rate: Option<f64>,
}

/// The mean heart rate of a steady effort.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SteadyHeart {
    /// Beats per minute.
    pub heart_rate: f64,
    /// How long the effort was.
    #[serde(rename = "time_ms")]
    pub time: TimeSpan,
    /// Its mean graded speed, metres per second.
    pub speed: f64,
}

/// Lengths tried for a steady effort, minutes.
const STEADY_MINUTES: [usize; 4] = [30, 40, 50, 60];
/// Pace that varies more is not steady.
const STEADY: f64 = 0.06;

/// The fastest 30, 40, 50 and 60 minutes whose 30-second pace varies by less than 6 %; of those the one with the highest
/// mean heart rate. Whether that is among the athlete's highest is for whoever knows the history.
#[must_use]
pub fn steady_heart(
    timeline: &Timeline,
    graded: &Series<u32>,
    speed: &Sums,
    heart: &Sums,
) -> Option<SteadyHeart> {
    let tried = STEADY_MINUTES.iter().filter_map(|minutes| {
        let (window, mean) = speed.best_window(minutes * 60)?;
        let within =
            |index: usize| graded[index].filter(|_| window.contains(&index)).map(|speed| speed as f32);
        variation(&Runs::pick(timeline, within)).filter(|variation| *variation < STEADY)?;
        Some(SteadyHeart {
            heart_rate: rounded(heart.mean(window.clone())?),
            time: TimeSpan::from_mins(*minutes as i64),
            speed: rounded(mean / 1000.0),
        })
    });
    tried.max_by(|one, other| one.heart_rate.total_cmp(&other.heart_rate))
}

/// The speed of an hour's race from one effort, solving `t (d/d₁)^1.07 = 3600` (Riegel's law with the exponent that
/// fits runners up to the half marathon): 10 km in 40:00 is 14 607 m in an hour, 4.0576 m/s.
#[must_use]
pub fn hour_speed(effort: &Effort) -> Option<f64> {
    let minutes = effort.time.seconds() / 60.0;
    let way = effort.distance.meters() * (60.0 / minutes).powf(1.0 / 1.07);
    (10.0..=70.0).contains(&minutes).then_some(way / 3600.0).filter(|speed| speed.is_finite())
}

/// The fastest [`hour_speed`] of any effort.
#[must_use]
pub fn threshold_speed(efforts: &[Effort]) -> Option<f64> {
    efforts.iter().filter_map(hour_speed).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Distance;

    #[test]
    fn ten_kilometres_in_forty_minutes_are_an_hour_at_4_0576() {
        let effort = |seconds| Effort {
            distance: Distance::from_mm(10_000_000),
            start: TimeSpan::ZERO,
            time: TimeSpan::from_secs(seconds),
            heart_rate: None,
        };
        assert!((hour_speed(&effort(2400)).unwrap() - 4.0576).abs() < 5e-5);
        assert!((hour_speed(&effort(3600)).unwrap() - 10_000.0 / 3600.0).abs() < 1e-9);
        assert_eq!(hour_speed(&effort(9 * 60)), None, "too short to speak of an hour");
        assert_eq!(hour_speed(&effort(0)), None);
        assert_eq!(threshold_speed(&[effort(2400), effort(3000)]), hour_speed(&effort(2400)));
    }
}
