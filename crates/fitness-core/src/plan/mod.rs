//! Training plans: drafts, active plans, revisions and proposals.
//!
//! A [`Draft`] is immutable and has no effect; it is a different type from a [`Plan`], which the
//! store keeps under an id with a [`PlanStatus`] that only a person changes. Every change to an
//! active plan makes a new [`Revision`].

mod adapt;
mod baseline;
mod classify;
mod constraints;
mod decision_texts;
mod draft;
mod edit;
pub mod export;
#[cfg(test)]
pub(crate) mod fixtures;
mod generate;
pub mod lint;
mod pace_card_basis;
mod plan_form;
mod planned_totals;
mod proposal;
mod race_review;
mod repeated_steps;
mod resize;
#[cfg(test)]
#[path = "../../tests/it/shared_files.rs"]
mod shared_files;
mod step_label;
mod target_limits;
mod training_norms;
mod weeks;
mod workout;

pub use adapt::{
    AdaptInput, Adaptation, Cause, adapt, adaptations, fact_key_for_observation, is_low_feeling,
};
pub use baseline::{DatedPaces, Level, PastRun, SelfReportedTraining, TrainingBaseline, UnavailablePeriod};
pub(crate) use classify::{KnownPaces, kind_from_text};
pub use constraints::{
    Availability, GenerateOptions, PlanConstraints, WeekdayError, Weekdays, parse_weekday,
};
pub use decision_texts::WeekSummary;
pub use draft::{Draft, DraftError, DraftRequest, DraftRequestError, MAX_WORKOUTS, ScheduleItem};
pub use edit::{Edit, EditError, Size, describe_days_off_used, edit, is_unchanged, revert};
pub use generate::{
    GenerateError, GeneratedPlan, GoalSupport, PaceCard, Phase, PlanRequest, Split, TuneUp, WeekOutline,
    describe_target, finish_on_race_day, generate, goal_support, pace_card,
};
pub use pace_card_basis::PaceCardBasis;
pub use plan_form::{MAX_BASE_KM, PlanForm, PlanFormError, PlanFormField};
pub use planned_totals::PlannedRunningTotals;
pub use proposal::preview::{PlannedVolume, WeekDelta, WorkoutDiff, diff_workouts, week_deltas};
pub use proposal::rebase::{ChangeFit, applicable_changes, apply_problems, check_fit};
pub use proposal::{
    ApplyError, Change, NextRevisionWorkout, Proposal, ProposalOrigin, ProposalState, ProposalStatus, apply,
};
pub use race_review::{RaceReview, review_race};
pub use repeated_steps::{Block, fold_repeats, unfold};
pub(crate) use resize::{mentions_repetitions, plain_name};
pub use step_label::format_step_distance;
pub use training_norms::PACES_VALID_DAYS;
pub use weeks::{Week, planned_running_distance, race_weeks};
pub(crate) use workout::{
    DURATION_MINUTES, LOAD_RANGE, MAX_DISTANCE, MAX_NAME, MAX_STEP_CALORIES, MAX_STEP_METERS,
    MAX_STEP_SECONDS, MAX_STEPS, MAX_TARGET, MAX_TEXT_CHARS,
};
pub use workout::{
    DurationType, PlannedWorkout, Step, StepDuration, StepTarget, StepType, TargetRange, TargetType, Workout,
    WorkoutError, WorkoutKind,
};

use crate::domain::calendar::{Day, Instant};
use crate::domain::content_hash::ContentHash;
use crate::domain::ids::{HumanActionId, PlanId, ProposalId};
use crate::domain::note::Author;
use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

string_enum! {
    /// Status of a plan: `draft`, then `active` once the athlete activates it, then `archived`.
    pub enum PlanStatus("plan status") {
        /// Not compared with training.
        Draft = "draft",
        /// The plan that training is compared with; at most one per user.
        Active = "active",
        /// Finished or replaced; kept as history.
        Archived = "archived",
    }
}

string_enum! {
    /// The race distance the plan trains for.
    pub enum GoalDistance("goal") {
        FiveK = "5k",
        TenK = "10k",
        Half = "half",
        Full = "full",
        Custom = "custom",
    }
}

impl GoalDistance {
    /// The race distance, when the goal names one.
    #[must_use]
    pub const fn distance(self) -> Option<Distance> {
        match self {
            Self::FiveK => Some(Distance::from_mm(5_000_000)),
            Self::TenK => Some(Distance::from_mm(10_000_000)),
            Self::Half => Some(Distance::HALF_MARATHON),
            Self::Full => Some(Distance::MARATHON),
            Self::Custom => None,
        }
    }

    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::FiveK => "5K",
            Self::TenK => "10K",
            Self::Half => "Half marathon",
            Self::Full => "Marathon",
            Self::Custom => "Custom race",
        }
    }
}

string_enum! {
    /// Actions that only a person can take. Coaches and MCP clients have no call for them.
    pub enum HumanActionKind("human action") {
        /// Make a draft the active plan.
        Activate = "activate",
        /// Archive the active plan.
        Archive = "archive",
        /// Delete a draft or an archived plan.
        Delete = "delete",
        /// Apply the selected changes of a proposal.
        Apply = "apply",
        /// Change the plan by hand.
        Edit = "edit",
        /// Return to an older revision.
        Revert = "revert",
        /// Delete the account and all its data.
        DeleteUser = "delete_user",
    }
}

/// A stored plan's header. Its workouts belong to its revisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Its id, never reused.
    pub id: PlanId,
    /// May come from a model: escape it wherever it is shown.
    pub name: String,
    pub goal: GoalDistance,
    /// The race distance, where known.
    #[serde(rename = "distance_mm")]
    pub distance: Option<Distance>,
    /// First day of the plan.
    pub start_date: Day,
    /// Day the athlete started, if that was later than planned: earlier workouts are not graded.
    #[serde(default)]
    pub begun_on: Option<Day>,
    /// Day of the race; the last day of a plan without one.
    pub race_date: Day,
    #[serde(rename = "target_time_ms")]
    pub target_time: Option<TimeSpan>,
    /// Constraints it was drafted with, such as the days the athlete can train; proposals respect
    /// them.
    pub terms: PlanConstraints,
    pub status: PlanStatus,
    /// Who wrote the draft.
    pub author: Author,
    /// Hash of the draft as written. Activating requires that the athlete has seen this content.
    pub content_hash: ContentHash,
    /// Current revision; 1 is the draft that was activated.
    pub revision: i64,
    /// Draft that replaced this one, if the athlete asked for another.
    pub superseded_by: Option<PlanId>,
    pub created_at: Instant,
    pub activated_at: Option<Instant>,
    pub archived_at: Option<Instant>,
}

impl Plan {
    /// Label for the plan's names and descriptions. `author` is the coach or app that wrote the
    /// draft or changed the plan later.
    #[must_use]
    pub fn text_label(&self, author: Option<Author>) -> Option<&'static str> {
        match (self.author, author?) {
            (Author::Athlete, other) => other.changed_text_label(),
            (_, author) => author.text_label(),
        }
    }

    /// Days that workouts can be on: from the Monday of the first week to the end of recovery after
    /// the race.
    #[must_use]
    pub fn days(&self) -> std::ops::RangeInclusive<Day> {
        draft::allowed_days(self.start_date, self.race_date)
    }

    /// First graded day: the actual start, if that was later than planned.
    #[must_use]
    pub fn graded_from(&self) -> Day {
        self.begun_on.map_or(self.start_date, |begun| begun.max(self.start_date))
    }

    /// GoalDistance and date: `Half marathon (21.1 km) on 2026-09-20`, or `Training without a race, until
    /// 2026-03-08`.
    #[must_use]
    pub fn describe_goal(&self, units: UnitSystem) -> String {
        match self.distance {
            Some(_) => format!("{} on {}", self.race_label(units), self.race_date),
            None => format!("Training without a race, until {}", self.race_date),
        }
    }

    /// `Half marathon`, or `Custom race (15.0 km)`.
    #[must_use]
    pub fn race_label(&self, units: UnitSystem) -> String {
        match self.distance.filter(|_| self.goal == GoalDistance::Custom) {
            Some(distance) => format!("{} ({})", self.goal.label(), units.format_distance(distance)),
            None => self.goal.label().to_owned(),
        }
    }

    /// Whether a workout is the race the plan is for.
    #[must_use]
    pub fn is_race(&self, workout: &Workout) -> bool {
        self.distance.is_some() && workout.kind == WorkoutKind::Race && workout.date == self.race_date
    }
}

string_enum! {
    /// What created a revision.
    pub enum RevisionOrigin("revision origin") {
        /// The draft itself: revision 1.
        Draft = "draft",
        /// Applied changes of a proposal.
        Apply = "apply",
        /// The athlete's own edit.
        Edit = "edit",
        /// A return to an older revision.
        Revert = "revert",
    }
}

/// One version of a plan's workouts. Revisions are append-only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Revision {
    pub plan: PlanId,
    /// 1, 2, 3, …
    pub number: i64,
    pub origin: RevisionOrigin,
    /// The human action behind it; `None` only for revision 1.
    pub made_by: Option<HumanActionId>,
    /// The applied proposal, if any.
    #[serde(default)]
    pub proposal: Option<ProposalId>,
    /// Where that proposal came from.
    #[serde(default)]
    pub proposed_by: Option<ProposalOrigin>,
    /// Why, in a sentence.
    pub reason: Option<String>,
    /// The hash of its workouts.
    pub content_hash: ContentHash,
    pub made_at: Instant,
}

impl Revision {
    /// Stored as the reason of an edit for which the athlete gave none.
    pub const NO_REASON: &str = "By hand";

    /// The reason, if one was given.
    #[must_use]
    pub fn given_reason(&self) -> Option<&str> {
        self.reason.as_deref().filter(|reason| *reason != Self::NO_REASON)
    }
}
