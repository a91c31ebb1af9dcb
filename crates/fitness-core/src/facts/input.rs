//! What facts are gathered from.

use super::table::FactName;
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

/// What the store holds about an athlete at one moment. The order within a list makes no difference.
#[derive(Debug, Clone, Copy)]
pub struct Snapshot<'a> {
    /// The day of asking.
    pub today: Day,
    /// How far the data reaches. What is said to be later is not looked at.
    pub frontier: DataFrontier,
    /// What each of the latest days means, one entry a day: 31 days and today, as far as there are.
    pub days: &'a [DayMetrics],
    /// The latest sessions of any sport.
    pub activities: &'a [PastActivity<'a>],
    /// The day from which on every session is among them. An earlier day is not taken as one without training.
    pub activities_from: Day,
    /// The limits that hold today.
    pub thresholds: &'a [ThresholdInForce],
    /// What was predicted, at most once for a distance.
    pub predictions: &'a [(RaceDistance, MetricResult<Prediction>)],
    /// Race results.
    pub races: &'a [PastRace],
    /// The plan that is tracked. A draft or an archived plan is no plan here.
    pub plan: Option<&'a Plan>,
    /// How that plan is followed.
    pub adherence: Option<PlanAdherence<'a>>,
    /// What the athlete marked today as: ill, injured, away.
    pub absence: Option<AbsenceReason>,
    /// What the athlete said about themselves.
    pub profile: &'a Profile,
}

/// How the plan that is tracked is followed.
#[derive(Debug, Clone, Copy)]
pub struct PlanAdherence<'a> {
    /// Its workouts, in order.
    pub workouts: &'a [PlannedWorkout],
    /// A verdict for each of them.
    pub graded: &'a [GradedWorkout],
    /// The proposals that wait for the athlete, the newest first.
    pub pending_proposals: &'a [ProposalId],
}

/// A session that was measured and judged.
#[derive(Debug, Clone, Copy)]
pub struct PastActivity<'a> {
    /// Which.
    pub id: ActivityId,
    /// What it is.
    pub activity: &'a Activity,
    /// What its samples say.
    pub measures: &'a Measures,
    /// What that means for this athlete.
    pub metrics: &'a ActivityMetrics,
}

/// A race result and the row that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastRace {
    /// Which.
    pub id: RaceId,
    /// What was run.
    pub result: RaceResult,
}

string_enum! {
    /// A distance whose finish is predicted.
    pub enum RaceDistance("race distance") {
        /// 5 km.
        FiveKm = "5_km",
        /// 10 km.
        TenKm = "10_km",
        /// Half marathon.
        Half = "half_marathon",
        /// Marathon.
        Marathon = "marathon",
        /// Whatever the active plan's race is.
        Race = "race",
    }
}

impl RaceDistance {
    /// How far it is; `None` where the plan says so.
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

    /// The facts of its finish: the point, and the fast and the slow end of its band.
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
