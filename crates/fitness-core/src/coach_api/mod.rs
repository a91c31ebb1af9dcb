//! The coach's desk: everything a coach may read and write, and nothing else.
//!
//! Whoever implements [`CoachDesk`] binds the athlete, the author and the moment when the desk is made. No method takes
//! a user, a status or a time of asking, so none of them can be smuggled in by a model or by a note. There is no
//! way from here to make a plan count, to change one that does, or to take one away: those verbs live with the store,
//! and a human says them.
//!
//! [`requests`] holds what may be asked for, [`responses`] what is told. Lengths, paces and times are told as the athlete
//! reads them (`12.4 km`, `5:12 /km`), so that a number in prose can be held against the answer it came from.

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
    PeriodComparison, PlanProgress, ProposalResult, SuggestionResult, TrainingLoad,
};
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;

string_enum! {
    /// How far a program may reach that asks for an athlete. There is no further word, so a token cannot carry one.
    pub enum Scope("scope") {
        /// It only looks.
        Read = "read",
        /// It also leaves suggestions, drafts and proposals, which wait for the athlete.
        Draft = "draft",
    }
}

/// What a desk answers, when it has looked it up.
pub type CoachFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, CoachApiError>> + Send + 'a>>;

/// Why a desk has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CoachApiError {
    /// What was asked cannot be done as it was asked. Every sentence says what to change, in words for a model.
    #[error("{}", .0.join(" "))]
    Refused(Vec<String>),
    /// There is no such thing, or it is somebody else's: the two look the same.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// As many as may wait for the athlete are waiting already.
    #[error("{0}")]
    TooMany(String),
    /// Nothing the asker could change. What happened is in the log, not in here.
    #[error("this could not be looked up just now; say so, and go on without it")]
    Internal,
}

impl CoachApiError {
    /// One sentence that says what to change.
    #[must_use]
    pub fn invalid(sentence: impl Into<String>) -> Self {
        Self::Refused(vec![sentence.into()])
    }
}

/// What is said of everything that waits when no more may. It is how a coach that is no model knows this refusal.
pub const TOO_MANY_PENDING: &str = "wait for the athlete already";

/// Everything a coach may do, for one athlete at one moment.
pub trait CoachApi: Send + Sync {
    /// The athlete's today.
    fn today(&self) -> Day;

    /// The last day whose data is complete; `None` before there is any.
    fn data_through(&self) -> CoachFuture<'_, Option<Day>>;

    /// What is known of a morning: every fact, today's session, the last verdict.
    fn daily_snapshot(&self, ask: DayRequest) -> CoachFuture<'_, DailySnapshot>;

    /// One metric, day by day.
    fn metric_series(&self, ask: SeriesRequest) -> CoachFuture<'_, MetricSeries>;

    /// Activities, newest first.
    fn activities(&self, ask: ActivitiesRequest) -> CoachFuture<'_, ActivityList>;

    /// One activity in full.
    fn activity_detail(&self, ask: ActivityRequest) -> CoachFuture<'_, ActivityDetail>;

    /// Two stretches of days side by side.
    fn compare_periods(&self, ask: ComparisonRequest) -> CoachFuture<'_, PeriodComparison>;

    /// Fitness, fatigue and form, and the weeks behind them.
    fn training_load(&self, ask: DayRequest) -> CoachFuture<'_, TrainingLoad>;

    /// The active plan, every workout with its verdict.
    fn plan_progress(&self, ask: PlanProgressRequest) -> CoachFuture<'_, PlanProgress>;

    /// A finish time with its band.
    fn predict_finish(&self, ask: PredictionRequest) -> CoachFuture<'_, FinishPrediction>;

    /// The athlete's own notes and what they marked.
    fn notes(&self, ask: NotesRequest) -> CoachFuture<'_, NoteList>;

    /// Suggests a note. It counts for nothing until the athlete accepts it.
    fn suggest_note(&self, suggestion: NoteSuggestion) -> CoachFuture<'_, SuggestionResult>;

    /// Suggests an observation. It counts for nothing until the athlete accepts it.
    fn suggest_observation(&self, suggestion: ObservationSuggestion) -> CoachFuture<'_, SuggestionResult>;

    /// Writes a draft: a schedule of the asker's own, or one made from the athlete's history. Inert.
    fn draft_training_plan(&self, ask: DraftPlanRequest) -> CoachFuture<'_, DraftResult>;

    /// Takes a plan modification response and keeps it as a proposal. Inert.
    fn propose_modification(&self, response: Value) -> CoachFuture<'_, ProposalResult>;

    /// Takes a weekly plan response and keeps it as a proposal, or as a draft where no plan is active. Inert.
    fn propose_week(&self, response: Value) -> CoachFuture<'_, ProposalResult>;
}
