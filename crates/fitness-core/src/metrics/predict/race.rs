//! Race results as input of predictions, checked once for plausibility.

use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::{MetricResult, MissingReason};
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

string_enum! {
    /// Kind of effort, most reliable first.
    pub enum ResultKind("kind of effort") {
        Race = "race",
        TimeTrial = "time_trial",
        /// A hard effort in training: a lower bound of what the athlete can do.
        Training = "training",
    }
}

impl ResultKind {
    /// Relative weight: race 1, time trial 0.5, training 0.35. Our choice, not fitted.
    pub(super) const fn weight(self) -> f64 {
        match self {
            Self::Race => 1.0,
            Self::TimeTrial => 0.5,
            Self::Training => 0.35,
        }
    }
}

/// A result, entered by the athlete or found among the activities.
///
/// The distance is that of the course, not of the watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RaceResult {
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
    #[serde(rename = "time_ms")]
    pub time: TimeSpan,
    /// `None` for a result entered without a date, which counts as run on the reference day.
    pub on: Option<Day>,
    pub effort: ResultKind,
}

/// A result used by a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SourceRace {
    #[serde(flatten)]
    pub mark: Performance,
    /// `None` for a result entered without a date.
    pub on: Option<Day>,
    pub effort: ResultKind,
}

impl SourceRace {
    /// The race day, or the reference day for a result without a date.
    pub(super) fn day(&self, as_of: Day) -> Day {
        self.on.unwrap_or(as_of)
    }

    /// Days from the race to the reference day.
    #[must_use]
    pub fn age(&self, as_of: Day) -> i64 {
        self.day(as_of).days_until(as_of)
    }
}

/// Recorded distance of a measured course, as a share of it.
pub(super) const COURSE_TOLERANCE: std::ops::RangeInclusive<f64> = 0.98..=1.05;

/// Whether a recorded distance matches a course.
pub(super) fn is_course_distance(recorded: Distance, course: Distance) -> bool {
    COURSE_TOLERANCE.contains(&(recorded.mm() as f64 / course.mm().max(1) as f64))
}

/// A result that was not used, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RejectedRaceResult {
    pub result: RaceResult,
    pub why: MissingReason,
}

impl RejectedRaceResult {
    /// A race longer than those the formulas were fitted on.
    pub(super) fn too_long(race: &SourceRace) -> Self {
        let SourceRace { mark, on, effort } = *race;
        let why =
            format!("{:.1} km is too long to predict from; use a race of 5 to 50 km", mark.distance.km());
        let result = RaceResult { distance: mark.distance, time: mark.time, on, effort };
        Self { result, why: MissingReason::OutOfRange { what: why } }
    }
}

/// A plausible pair of distance and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Performance {
    #[serde(rename = "distance_mm")]
    distance: Distance,
    #[serde(rename = "time_ms")]
    time: TimeSpan,
}

/// Men's world records of 2025, metres and seconds: track up to 10 km, road beyond. Interpolated
/// linearly in logarithms.
const WORLD_RECORDS: [(f64, f64); 8] = [
    (400.0, 43.03),
    (800.0, 100.91),
    (1500.0, 206.0),
    (5000.0, 755.36),
    (10_000.0, 1571.0),
    (21_097.5, 3402.0),
    (42_195.0, 7235.0),
    (100_000.0, 21_935.0),
];
/// Margin for future records.
const RECORD_MARGIN: f64 = 0.98;
/// Minimum speed, m/s: 16:40 /km.
const MIN_SPEED_MPS: f64 = 1.0;

impl Performance {
    /// Checks the plausibility.
    ///
    /// ```
    /// use fitness_core::metrics::predict::Performance;
    /// use fitness_core::domain::units::{Distance, TimeSpan};
    ///
    /// assert!(Performance::new(Distance::HALF_MARATHON, TimeSpan::from_mins(105)).is_ok());
    /// let why = Performance::new(Distance::HALF_MARATHON, TimeSpan::from_mins(50)).unwrap_err();
    /// assert!(why.to_string().ends_with("21.10 km in 50:00 is faster than any human has run"));
    /// ```
    ///
    /// # Errors
    /// When the distance is not 400 m to 100 km, or the time is slower than a walk or beats every
    /// record.
    pub fn new(distance: Distance, time: TimeSpan) -> MetricResult<Self> {
        let (meters, seconds) = (distance.meters(), time.seconds());
        let told = || format!("{:.2} km in {}", distance.km(), time.format_clock());
        let refused = |why: &str| Err(MissingReason::OutOfRange { what: format!("{} {why}", told()) });
        let [shortest, .., longest] = WORLD_RECORDS;
        if !(shortest.0..=longest.0).contains(&meters) {
            return Err(MissingReason::OutOfRange {
                what: format!("{:.2} km is not a supported race distance", distance.km()),
            });
        }
        if time <= TimeSpan::ZERO {
            return Err(MissingReason::OutOfRange { what: "the race time must be above zero".to_owned() });
        }
        if seconds < record_seconds(meters) * RECORD_MARGIN {
            return refused("is faster than any human has run");
        }
        if meters / seconds < MIN_SPEED_MPS {
            return refused("is slower than a walk");
        }
        Ok(Self { distance, time })
    }

    #[must_use]
    pub const fn distance(self) -> Distance {
        self.distance
    }

    #[must_use]
    pub const fn time(self) -> TimeSpan {
        self.time
    }

    pub(super) fn meters(self) -> f64 {
        self.distance.meters()
    }

    pub(super) fn seconds(self) -> f64 {
        self.time.seconds()
    }
}

/// Interpolated world record, seconds.
fn record_seconds(meters: f64) -> f64 {
    let above = WORLD_RECORDS.partition_point(|(d, _)| *d < meters).clamp(1, WORLD_RECORDS.len() - 1);
    let ((d1, t1), (d2, t2)) = (WORLD_RECORDS[above - 1], WORLD_RECORDS[above]);
    let share = (meters / d1).ln() / (d2 / d1).ln();
    t1 * (t2 / t1).powf(share)
}

/// Converts seconds computed by a formula.
pub(super) fn to_time_span(seconds: f64) -> MetricResult<TimeSpan> {
    TimeSpan::from_seconds(seconds)
        .filter(|time| *time > TimeSpan::ZERO)
        .ok_or_else(|| MissingReason::OutOfRange { what: "the formula gives no valid race time".to_owned() })
}

/// Results up to the reference day, deduplicated and in a fixed order, and those that are
/// implausible. Later results are ignored.
pub(super) fn usable_results(
    results: &[RaceResult],
    as_of: Day,
) -> (Vec<SourceRace>, Vec<RejectedRaceResult>) {
    let mut told: Vec<RaceResult> =
        results.iter().filter(|result| result.on.is_none_or(|on| on <= as_of)).copied().collect();
    told.sort_unstable();
    told.dedup();
    let (mut races, mut left_out) = (Vec::new(), Vec::new());
    for result in told {
        match Performance::new(result.distance, result.time) {
            Ok(mark) => {
                races.push(SourceRace { mark, on: result.on, effort: result.effort });
            }
            Err(why) => left_out.push(RejectedRaceResult { result, why }),
        }
    }
    // A result may occur both with and without a date.
    races.sort_by_key(|race| (race.mark, race.day(as_of), race.effort, race.on.is_none()));
    races.dedup_by_key(|race| (race.mark, race.day(as_of), race.effort));
    (races, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_result_is_refused_with_reason() {
        let km = |km: f64| Distance::from_km(km).unwrap();
        for (distance, seconds, why) in [
            (km(5.0), 0, "must be above zero"),
            (km(5.0), -5, "must be above zero"),
            (km(5.0), 700, "faster than any human"),
            (km(42.195), 7000, "faster than any human"),
            (km(5.0), 5001, "slower than a walk"),
            (Distance::ZERO, 60, "not a supported race distance"),
            (Distance::from_mm(-1), 60, "not a supported race distance"),
            (Distance::from_mm(i64::MIN), i64::MAX / 1000, "not a supported race distance"),
            (Distance::from_mm(i64::MAX), 60, "not a supported race distance"),
        ] {
            let refused = Performance::new(distance, TimeSpan::from_secs(seconds)).unwrap_err().to_string();
            assert!(refused.contains(why), "{refused}");
        }
        // The records themselves are accepted, and so is a walk.
        for (meters, seconds) in WORLD_RECORDS {
            assert!((record_seconds(meters) - seconds).abs() < 1e-9);
            assert!(Performance::new(km(meters / 1000.0), TimeSpan::from_seconds(seconds).unwrap()).is_ok());
        }
        assert!(Performance::new(km(5.0), TimeSpan::from_secs(5000)).is_ok());
    }
}
