//! Training plans: what is drafted, what is committed, and how it changes.
//!
//! A [`Draft`] is not a [`Plan`]: it is inert, immutable, and a different type. A plan is what the store
//! holds under an id, with a [`PlanStatus`] that only a human moves. Every change to a committed plan is a
//! whole new [`Revision`].

mod adapt;
mod baseline;
mod classify;
mod constraints;
mod draft;
mod edit;
pub mod export;
#[cfg(test)]
pub(crate) mod fixtures;
mod generate;
pub mod lint;
mod pace_card;
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
mod step_limits;
mod summary;
mod training_norms;
mod weeks;
mod workout;

pub use adapt::{Adaptation, Cause, Situation, adapt, adaptations, fact_key_for_observation, is_low_feeling};
pub use baseline::{DatedPaces, Level, PastRun, SelfReported, TrainingBaseline, UnavailablePeriod};
pub(crate) use classify::{KnownPaces, kind_from_text};
pub use constraints::{
    Availability, GenerateOptions, PlanConstraints, WeekdayError, Weekdays, parse_weekday,
};
pub use draft::{Draft, DraftError, DraftRequest, DraftRequestError, MAX_WORKOUTS, ScheduleItem};
pub use edit::{Edit, EditError, Size, describe_days_off_used, edit, is_unchanged, revert};
pub use generate::{
    GenerateError, GeneratedPlan, GoalSupport, PaceCard, Phase, PlanRequest, Split, TuneUp, WeekOutline,
    describe_target, finish_on_race_day, generate, goal_support, pace_card,
};
pub use pace_card::PaceCardBasis;
pub use plan_form::{MAX_BASE_KM, PlanForm, PlanFormError, PlanFormField};
pub use planned_totals::PlannedAmount;
pub use proposal::preview::{PlannedVolume, WeekDelta, WorkoutDiff, diff_workouts, week_deltas};
pub use proposal::rebase::{ChangeFit, applicable_changes, apply_problems, check_fit};
pub use proposal::{
    ApplyError, Change, NextWorkout, Proposal, ProposalOrigin, ProposalState, ProposalStatus, apply,
};
pub use race_review::{RaceReview, review_race};
pub use repeated_steps::{Block, fold_repeats, unfold};
pub(crate) use resize::{mentions_repetitions, plain_name};
pub use step_label::format_step_distance;
pub use summary::WeekSummary;
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
    /// Where a plan is in its life: `draft`, then `active` by a human's hand, then `archived`.
    pub enum PlanStatus("plan status") {
        /// Inert: tracked by nothing, counted by nothing.
        Draft = "draft",
        /// The one plan that is tracked.
        Active = "active",
        /// Over or replaced; kept for looking back.
        Archived = "archived",
    }
}

string_enum! {
    /// What the plan trains for.
    pub enum Goal("goal") {
        /// 5 km.
        FiveK = "5k",
        /// 10 km.
        TenK = "10k",
        /// Half marathon.
        Half = "half",
        /// Marathon.
        Full = "full",
        /// Any other distance.
        Custom = "custom",
    }
}

impl Goal {
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

    /// As an athlete says it.
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
    /// What only a human does. A coach or an MCP client has no way to name these.
    pub enum ActionKind("human action") {
        /// Make a draft the tracked plan.
        Activate = "activate",
        /// Put the tracked plan away.
        Archive = "archive",
        /// Remove a draft or an archived plan for good.
        Delete = "delete",
        /// Take over the chosen part of a proposal.
        Apply = "apply",
        /// Change the plan by hand.
        Edit = "edit",
        /// Go back to how the plan was.
        Revert = "revert",
        /// Remove the account with everything in it.
        DeleteUser = "delete_user",
    }
}

/// A stored plan's header. Its workouts belong to its revisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Its id, never reused.
    pub id: PlanId,
    /// What the athlete calls it. May come from a model: escape it wherever it is shown.
    pub name: String,
    /// What it trains for.
    pub goal: Goal,
    /// The race distance, where known.
    #[serde(rename = "distance_mm")]
    pub distance: Option<Distance>,
    /// The first day that counts.
    pub start_date: Day,
    /// The day the athlete began, where that was later than planned: what lies before it is not judged.
    #[serde(default)]
    pub begun_on: Option<Day>,
    /// The day of the race.
    pub race_date: Day,
    /// The time hoped for.
    #[serde(rename = "target_time_ms")]
    pub target_time: Option<TimeSpan>,
    /// What it was made under, such as the days the athlete can train; it keeps to them.
    pub terms: PlanConstraints,
    /// Where it is in its life.
    pub status: PlanStatus,
    /// Who wrote the draft.
    pub author: Author,
    /// The hash of the draft as it was written, and as the athlete must have seen it to commit it.
    pub content_hash: ContentHash,
    /// The current revision; 1 is what was drafted and committed.
    pub revision: i64,
    /// The draft that took this draft's place, if the athlete asked for another.
    pub superseded_by: Option<PlanId>,
    /// When it was drafted.
    pub created_at: Instant,
    /// When a human committed it.
    pub activated_at: Option<Instant>,
    /// When it was put away.
    pub archived_at: Option<Instant>,
}

impl Plan {
    /// The days its workouts may be on: from the Monday of its first week until recovery after the race is over.
    #[must_use]
    pub fn days(&self) -> std::ops::RangeInclusive<Day> {
        draft::allowed_days(self.start_date, self.race_date)
    }

    /// The first day that is judged: the one it was begun on, where that was later than planned.
    #[must_use]
    pub fn graded_from(&self) -> Day {
        self.begun_on.map_or(self.start_date, |begun| begun.max(self.start_date))
    }

    /// What it is for and until when: `Half marathon (21.1 km) on 2026-09-20`, or `Training without a race, to 2026-03-08`.
    #[must_use]
    pub fn describe_goal(&self, units: UnitSystem) -> String {
        match self.distance {
            Some(distance) => {
                format!("{} ({}) on {}", self.goal.label(), units.format_distance(distance), self.race_date)
            }
            None => format!("Training without a race, to {}", self.race_date),
        }
    }

    /// Whether a workout is the race the plan is for.
    #[must_use]
    pub fn is_race(&self, workout: &Workout) -> bool {
        self.distance.is_some() && workout.kind == WorkoutKind::Race && workout.date == self.race_date
    }
}

string_enum! {
    /// What made a revision.
    pub enum RevisionOrigin("origin of a revision") {
        /// The draft itself: revision 1.
        Draft = "draft",
        /// The chosen part of a proposal.
        Apply = "apply",
        /// The athlete's own edit.
        Edit = "edit",
        /// A return to an older revision.
        Revert = "revert",
    }
}

/// One state of a plan's workouts. Revisions are only ever added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Revision {
    /// The plan it belongs to.
    pub plan: PlanId,
    /// 1, 2, 3, …
    pub number: i64,
    /// What made it.
    pub origin: RevisionOrigin,
    /// The human action behind it; `None` only for revision 1.
    pub made_by: Option<HumanActionId>,
    /// The proposal that was taken over, and where it came from.
    #[serde(default)]
    pub proposal: Option<ProposalId>,
    /// Where that proposal came from; the decision was the athlete's.
    #[serde(default)]
    pub proposed_by: Option<ProposalOrigin>,
    /// Why, in a sentence.
    pub reason: Option<String>,
    /// The hash of its workouts.
    pub content_hash: ContentHash,
    /// When.
    pub made_at: Instant,
}
