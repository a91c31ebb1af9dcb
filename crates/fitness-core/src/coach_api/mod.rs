//! [`CoachApi`]: the operations that a coach, a language model or an MCP client may call.
//!
//! An implementation is bound to one athlete, one author and one point in time. No method takes a
//! user, a status or a time, so a model or a note cannot inject one. No method activates, changes
//! or deletes a plan: those human actions are in the store.
//!
//! [`requests`] and [`responses`] hold the types. Distances, paces and times in responses are
//! strings as the athlete sees them (`12.4 km`, `5:12 /km`), so that a number in chat can be
//! matched with the tool result it came from.

pub mod requests;
pub mod responses;

use crate::domain::calendar::Day;
use crate::string_enum::string_enum;
use requests::{
    ActivitiesRequest, ActivityRequest, ComparisonRequest, DayRequest, DraftPlanRequest, NoteSuggestion,
    NotesRequest, ObservationSuggestion, PlanProgressRequest, PredictionRequest, SeriesRequest,
};
use responses::{
    ActivityDetail, ActivityList, DailySnapshot, DraftResult, FinishPrediction, MetricSeries, NoteList,
    PeriodComparison, PlanProgress, ProposalResponse, SuggestionResult, TrainingLoadResponse,
};
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;

string_enum! {
    /// Permissions of an API token or MCP client. There is no scope that can decide for the
    /// athlete.
    pub enum Scope("scope") {
        Read = "read",
        /// Also creates suggestions, drafts and proposals, which the athlete has to accept.
        Draft = "draft",
    }
}

/// Boxed future, so that [`CoachApi`] can be a trait object.
pub type CoachFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, CoachApiError>> + Send + 'a>>;

/// Why an operation failed. The messages are written for a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CoachApiError {
    /// Invalid request: each sentence says what to change.
    #[error("{}", .0.join(" "))]
    Refused(Vec<String>),
    /// Not found, or owned by another user: both look the same.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// The quota of pending drafts, proposals or suggestions is used up.
    #[error("{0}")]
    TooMany(String),
    /// Internal error; the details are in the log only. Stored conversations contain this text, and
    /// pages recognise the outcome by it.
    #[error("this could not be looked up just now; say so, and go on without it")]
    Internal,
}

impl CoachApiError {
    /// Refuses a request with one sentence that says what to change.
    #[must_use]
    pub fn invalid(sentence: impl Into<String>) -> Self {
        Self::Refused(vec![sentence.into()])
    }
}

/// Part of every quota message; the rule-based coach recognises the refusal by it.
pub const TOO_MANY_PENDING: &str = "already need a decision by the athlete";

/// The operations, for one athlete at one point in time.
pub trait CoachApi: Send + Sync {
    fn today(&self) -> Day;

    /// Last day with complete data; `None` without data.
    fn data_through(&self) -> CoachFuture<'_, Option<Day>>;

    /// All facts of a day, its planned workouts and the last graded day.
    fn daily_snapshot(&self, ask: DayRequest) -> CoachFuture<'_, DailySnapshot>;

    /// One metric, one value per day.
    fn metric_series(&self, ask: SeriesRequest) -> CoachFuture<'_, MetricSeries>;

    fn activities(&self, ask: ActivitiesRequest) -> CoachFuture<'_, ActivityList>;

    /// One activity in full.
    fn activity_detail(&self, ask: ActivityRequest) -> CoachFuture<'_, ActivityDetail>;

    fn compare_periods(&self, ask: ComparisonRequest) -> CoachFuture<'_, PeriodComparison>;

    /// Fitness, fatigue, form and the last eight weeks.
    fn training_load(&self, ask: DayRequest) -> CoachFuture<'_, TrainingLoadResponse>;

    /// The active plan with the result of every workout.
    fn plan_progress(&self, ask: PlanProgressRequest) -> CoachFuture<'_, PlanProgress>;

    /// Predicted finish time with its 80 % range.
    fn predict_finish(&self, ask: PredictionRequest) -> CoachFuture<'_, FinishPrediction>;

    /// The athlete's notes and observations.
    fn notes(&self, ask: NotesRequest) -> CoachFuture<'_, NoteList>;

    /// Suggests a note, which has no effect until the athlete accepts it.
    fn suggest_note(&self, suggestion: NoteSuggestion) -> CoachFuture<'_, SuggestionResult>;

    /// Suggests an observation, which has no effect until the athlete accepts it.
    fn suggest_observation(&self, suggestion: ObservationSuggestion) -> CoachFuture<'_, SuggestionResult>;

    /// Stores a draft plan: the schedule given, or one generated from the athlete's history.
    fn draft_training_plan(&self, ask: DraftPlanRequest) -> CoachFuture<'_, DraftResult>;

    /// Stores a plan modification as a proposal.
    fn propose_modification(&self, response: Value) -> CoachFuture<'_, ProposalResponse>;

    /// Stores a weekly plan as a proposal, or as a draft if no plan is active.
    fn propose_week(&self, response: Value) -> CoachFuture<'_, ProposalResponse>;
}
