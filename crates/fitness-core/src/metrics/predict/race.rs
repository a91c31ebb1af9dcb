//! What a prediction starts from: a distance raced in a time, checked once, so that every formula after it is total.

use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::{MetricResult, MissingReason};
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

string_enum! {
    /// How a result was run. The order is from firm to doubtful.
    pub enum EffortKind("kind of effort") {
        /// A race.
        Race = "race",
        /// All out, but alone.
        TimeTrial = "time_trial",
        /// A hard stretch of training: the athlete can do at least this.
        Training = "training",
    }
}

impl EffortKind {
    /// What it counts for beside others: 1 a race, a half a time trial, 0.35 training. Reasoned, not fitted.
    pub(super) const fn weight(self) -> f64 {
        match self {
            Self::Race => 1.0,
            Self::TimeTrial => 0.5,
            Self::Training => 0.35,
        }
    }
}

/// A result as it was told: typed in, or found among the activities.
///
/// The distance is the course's, not what a watch made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RaceResult {
    /// How far.
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
    /// How long it took.
    #[serde(rename = "time_ms")]
    pub time: TimeSpan,
    /// When. A typed-in result without a day counts as run on the day of asking.
    pub on: Option<Day>,
    /// How it was run.
    pub effort: EffortKind,
}

/// A result a prediction was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SourceRace {
    /// How far, and in which time.
    #[serde(flatten)]
    pub mark: Performance,
    /// When; `None` for what was typed in without a day.
    pub on: Option<Day>,
    /// How it was run.
    pub effort: EffortKind,
}

impl SourceRace {
    /// The day it counts for: one without a day counts as run on the day of asking.
    pub(super) fn day(&self, as_of: Day) -> Day {
        self.on.unwrap_or(as_of)
    }

    /// Days from the race to the day of asking.
    #[must_use]
    pub fn age(&self, as_of: Day) -> i64 {
        self.day(as_of).days_until(as_of)
    }
}

/// What a watch makes of a measured course, as a share of it.
pub(super) const COURSE_TOLERANCE: std::ops::RangeInclusive<f64> = 0.98..=1.05;

/// Whether a recorded distance is likely to be that of a course.
pub(super) fn is_course_distance(recorded: Distance, course: Distance) -> bool {
    COURSE_TOLERANCE.contains(&(recorded.mm() as f64 / course.mm().max(1) as f64))
}

/// A result that was not used, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RejectedResult {
    /// Which.
    pub result: RaceResult,
    /// Why.
    pub why: MissingReason,
}

impl RejectedResult {
    /// A race beyond everything the formulas were fitted on.
    pub(super) fn too_long(race: &SourceRace) -> Self {
        let SourceRace { mark, on, effort } = *race;
        let why = format!(
            "{:.1} km is too long a race to predict from; one of 5 to 50 km is needed",
            mark.distance.km()
        );
        let result = RaceResult { distance: mark.distance, time: mark.time, on, effort };
        Self { result, why: MissingReason::OutOfRange { what: why } }
    }
}

/// A distance and the time it took, both of which a human can have run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Performance {
    #[serde(rename = "distance_mm")]
    distance: Distance,
    #[serde(rename = "time_ms")]
    time: TimeSpan,
}

/// The men's fastest known in 2025, metres and seconds: track to 10 km, road beyond. Between two, a straight line in
/// logarithms.
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
/// A record may fall by this much before the list above is in the way.
const RECORD_MARGIN: f64 = 0.98;
/// Slower than this, metres per second, is no effort to predict from: 16:40 for a kilometre.
const MIN_SPEED_MPS: f64 = 1.0;

impl Performance {
    /// Checks that a human can have run it.
    ///
    /// ```
    /// use fitness_core::metrics::predict::Mark;
    /// use fitness_core::domain::units::{Distance, TimeSpan};
    ///
    /// assert!(Mark::new(Distance::HALF_MARATHON, TimeSpan::from_mins(105)).is_ok());
    /// let why = Mark::new(Distance::HALF_MARATHON, TimeSpan::from_mins(50)).unwrap_err();
    /// assert!(why.to_string().ends_with("21.10 km in 50:00 is faster than any human has run"));
    /// ```
    ///
    /// # Errors
    /// When the distance is not 400 m to 100 km, or the time is slower than a walk or beats every record.
    pub fn new(distance: Distance, time: TimeSpan) -> MetricResult<Self> {
        let (meters, seconds) = (distance.meters(), time.seconds());
        let told = || format!("{:.2} km in {}", distance.km(), time.format_clock());
        let refused = |why: &str| Err(MissingReason::OutOfRange { what: format!("{} {why}", told()) });
        let [shortest, .., longest] = WORLD_RECORDS;
        if !(shortest.0..=longest.0).contains(&meters) {
            return Err(MissingReason::OutOfRange {
                what: format!("{:.2} km is no race distance here", distance.km()),
            });
        }
        if time <= TimeSpan::ZERO {
            return Err(MissingReason::OutOfRange { what: "a race that took no time".to_owned() });
        }
        if seconds < record_seconds(meters) * RECORD_MARGIN {
            return refused("is faster than any human has run");
        }
        if meters / seconds < MIN_SPEED_MPS {
            return refused("is slower than a walk");
        }
        Ok(Self { distance, time })
    }

    /// How far.
    #[must_use]
    pub const fn distance(self) -> Distance {
        self.distance
    }

    /// How long it took.
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

/// The best any human has run over a distance between the first and the last of the list.
fn record_seconds(meters: f64) -> f64 {
    let above = WORLD_RECORDS.partition_point(|(d, _)| *d < meters).clamp(1, WORLD_RECORDS.len() - 1);
    let ((d1, t1), (d2, t2)) = (WORLD_RECORDS[above - 1], WORLD_RECORDS[above]);
    let share = (meters / d1).ln() / (d2 / d1).ln();
    t1 * (t2 / t1).powf(share)
}

/// Seconds out of a formula as a time, or the reason that they are none.
pub(super) fn to_time_span(seconds: f64) -> MetricResult<TimeSpan> {
    TimeSpan::from_seconds(seconds).filter(|time| *time > TimeSpan::ZERO).ok_or_else(|| {
        MissingReason::OutOfRange { what: "the formula gives no time a race can take".to_owned() }
    })
}

/// The results that had happened by the day of asking, each once and in one order whatever order they came in, and
/// those that cannot be. What lies in the future has not happened and is not spoken of.
pub(super) fn usable_results(results: &[RaceResult], as_of: Day) -> (Vec<SourceRace>, Vec<RejectedResult>) {
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
            Err(why) => left_out.push(RejectedResult { result, why }),
        }
    }
    // A result may have come both with its day and without.
    races.sort_by_key(|race| (race.mark, race.day(as_of), race.effort, race.on.is_none()));
    races.dedup_by_key(|race| (race.mark, race.day(as_of), race.effort));
    (races, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_human_ran_is_refused_with_its_reason() {
        let km = |km: f64| Distance::from_km(km).unwrap();
        for (distance, seconds, why) in [
            (km(5.0), 0, "took no time"),
            (km(5.0), -5, "took no time"),
            (km(5.0), 700, "faster than any human"),
            (km(42.195), 7000, "faster than any human"),
            (km(5.0), 5001, "slower than a walk"),
            (Distance::ZERO, 60, "no race distance"),
            (Distance::from_mm(-1), 60, "no race distance"),
            (Distance::from_mm(i64::MIN), i64::MAX / 1000, "no race distance"),
            (Distance::from_mm(i64::MAX), 60, "no race distance"),
        ] {
            let refused = Performance::new(distance, TimeSpan::from_secs(seconds)).unwrap_err().to_string();
            assert!(refused.contains(why), "{refused}");
        }
        // The records themselves are humanly possible, and so is a walk.
        for (meters, seconds) in WORLD_RECORDS {
            assert!((record_seconds(meters) - seconds).abs() < 1e-9);
            assert!(Performance::new(km(meters / 1000.0), TimeSpan::from_seconds(seconds).unwrap()).is_ok());
        }
        assert!(Performance::new(km(5.0), TimeSpan::from_secs(5000)).is_ok());
    }
}
