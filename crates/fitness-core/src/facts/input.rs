//! Input of [`build_facts`](super::build_facts).

use super::definitions::FactName;
use crate::adherence::data_frontier::DataFrontier;
use crate::adherence::grade::GradedWorkout;
use crate::domain::activity::Activity;
use crate::domain::athlete::Profile;
use crate::domain::calendar::Day;
use crate::domain::ids::{ActivityId, ProposalId, RaceId};
use crate::domain::observation::AbsenceReason;
use crate::domain::units::Distance;
use crate::metrics::MetricResult;
use crate::metrics::activity::{ActivityMetrics, Measures};
use crate::metrics::day::DayMetrics;
use crate::metrics::predict::{Prediction, RaceResult};
use crate::metrics::thresholds::in_force::ThresholdInForce;
use crate::plan::{Plan, PlannedWorkout};
use crate::string_enum::string_enum;

/// Stored data of an athlete at one point in time. The order within the lists does not matter.
#[derive(Debug, Clone, Copy)]
pub struct Snapshot<'a> {
    pub today: Day,
    /// Later data is ignored.
    pub frontier: DataFrontier,
    /// One entry per day: today and up to 31 days before.
    pub days: &'a [DayMetrics],
    /// Recent activities of any sport.
    pub activities: &'a [PastActivity<'a>],
    /// First day for which `activities` is complete. Earlier days do not count as rest days.
    pub activities_from: Day,
    /// Thresholds in force today.
    pub thresholds: &'a [ThresholdInForce],
    /// At most one prediction per distance.
    pub predictions: &'a [(RaceDistance, MetricResult<Prediction>)],
    pub races: &'a [PastRace],
    /// The active plan; drafts and archived plans are ignored.
    pub plan: Option<&'a Plan>,
    pub adherence: Option<ActivePlanInput<'a>>,
    /// Absence the athlete reported for today.
    pub absence: Option<AbsenceReason>,
    pub profile: &'a Profile,
}

/// Adherence to the active plan.
#[derive(Debug, Clone, Copy)]
pub struct ActivePlanInput<'a> {
    pub workouts: &'a [PlannedWorkout],
    /// One grade per workout.
    pub graded: &'a [GradedWorkout],
    /// Open proposals, newest first.
    pub pending_proposals: &'a [ProposalId],
}

/// A recorded activity with its metrics.
#[derive(Debug, Clone, Copy)]
pub struct PastActivity<'a> {
    pub id: ActivityId,
    pub activity: &'a Activity,
    /// Computed from the recording alone.
    pub measures: &'a Measures,
    /// Computed with the athlete's thresholds.
    pub metrics: &'a ActivityMetrics,
}

/// A race result with its row id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastRace {
    pub id: RaceId,
    pub result: RaceResult,
}

string_enum! {
    /// A distance with a predicted time.
    pub enum RaceDistance("race distance") {
        FiveKm = "5_km",
        TenKm = "10_km",
        Half = "half_marathon",
        Marathon = "marathon",
        /// The race of the active plan.
        Race = "race",
    }
}

impl RaceDistance {
    /// The distance; `None` for the race of the plan.
    #[must_use]
    pub const fn distance(self) -> Option<Distance> {
        match self {
            Self::FiveKm => Some(Distance::from_mm(5_000_000)),
            Self::TenKm => Some(Distance::from_mm(10_000_000)),
            Self::Half => Some(Distance::HALF_MARATHON),
            Self::Marathon => Some(Distance::MARATHON),
            Self::Race => None,
        }
    }

    /// Facts of the predicted time, and the fast and slow end of its range.
    pub(super) const fn fact_names(self) -> [FactName; 3] {
        use FactName as N;
        match self {
            Self::FiveKm => [N::Predicted5Km, N::Predicted5KmLow, N::Predicted5KmHigh],
            Self::TenKm => [N::Predicted10Km, N::Predicted10KmLow, N::Predicted10KmHigh],
            Self::Half => [N::PredictedHalf, N::PredictedHalfLow, N::PredictedHalfHigh],
            Self::Marathon => [N::PredictedMarathon, N::PredictedMarathonLow, N::PredictedMarathonHigh],
            Self::Race => [N::PredictedRace, N::PredictedRaceLow, N::PredictedRaceHigh],
        }
    }
}
