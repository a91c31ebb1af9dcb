//! Implementation of [`CoachApi`] for one athlete at one moment.
//!
//! It reads through the store's queries for that athlete and formats values as the athlete sees
//! them. It writes only drafts, proposals and suggestions, which have no effect until the athlete
//! accepts them, and the number of pending ones is limited.

mod read_activities;
mod read_days;
mod read_plans;
mod write;

use crate::db::error::{Error, PendingKind, Result};
use crate::db::store::Store;
use crate::plan::drafts::PlanWriter;
use fitness_core::coach_api::requests::{
    ActivitiesRequest, ActivityRequest, ComparisonRequest, DayRequest, DraftPlanRequest, MAX_DAYS,
    NoteSuggestion, NotesRequest, ObservationSuggestion, PlanProgressRequest, PredictionRequest,
    SeriesRequest,
};
use fitness_core::coach_api::responses::{
    ActivityDetail, ActivityList, DailySnapshot, DraftResult, FinishPrediction, MetricSeries, NoteList,
    PeriodComparison, PlanProgress, ProposalResponse, SuggestionResult, TrainingLoadResponse,
};
use fitness_core::coach_api::{CoachApi, CoachApiError, CoachFuture, TOO_MANY_PENDING};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::UnitSystem;
use serde_json::Value;

#[derive(Debug, Clone)]
pub struct StoreCoachApi {
    writer: PlanWriter,
    units: UnitSystem,
    today: Day,
    now: Instant,
    base_url: String,
}

impl Store {
    /// Binds the athlete, the author and the time of a coach's API. `site` is the base URL of the
    /// web app, such as `http://127.0.0.1:8787`. The caller must have recomputed stale metrics
    /// before.
    pub async fn coach_api(
        &self,
        user: UserId,
        author: Author,
        now: Instant,
        site: &str,
    ) -> Result<StoreCoachApi> {
        let profile = self.profile(user).await?;
        Ok(StoreCoachApi {
            writer: PlanWriter { has_quota: true, ..self.plan_writer(user, author) },
            units: profile.units,
            today: Day::at(now, profile.zone),
            now,
            base_url: site.trim_end_matches('/').to_owned(),
        })
    }
}

impl StoreCoachApi {
    const fn store(&self) -> &Store {
        &self.writer.store
    }

    const fn user(&self) -> UserId {
        self.writer.user
    }

    /// URL where the athlete accepts or discards suggestions.
    fn suggestions_url(&self) -> String {
        format!("{}/settings/notes", self.base_url)
    }

    /// URL where the athlete reviews a draft or proposal.
    fn review_url(&self, path: &str, id: impl std::fmt::Display) -> String {
        format!("{}/{path}/{id}", self.base_url)
    }
}

/// Checks the order and length of a period.
fn check_period(from: Day, through: Day) -> std::result::Result<(Day, Day), CoachApiError> {
    match from.days_until(through) {
        ..0 => {
            Err(CoachApiError::invalid(format!("`from` ({from}) is after `through` ({through}). Swap them.")))
        }
        MAX_DAYS.. => Err(CoachApiError::invalid(format!("Request at most {MAX_DAYS} days at a time."))),
        _ => Ok((from, through)),
    }
}

/// Converts an error for the coach: it says what to change, and nothing about internals.
fn to_coach_error(error: Error) -> CoachApiError {
    match error {
        Error::NotFound(what) => CoachApiError::NotFound(what.as_str()),
        Error::QuotaExceeded { pending: waiting, what } => {
            let or = if what == PendingKind::Drafts { ", or set `instead_of`" } else { "" };
            CoachApiError::TooMany(format!(
                "{waiting} {what} {TOO_MANY_PENDING}. Ask them to review these first{or}."
            ))
        }
        Error::Stale => CoachApiError::invalid(
            "The plan has changed since you read it. Call `plan_progress` and propose again.",
        ),
        Error::Apply(why) => CoachApiError::invalid(format!("These changes cannot be applied: {why}.")),
        _ => CoachApiError::Internal,
    }
}

impl CoachApi for StoreCoachApi {
    fn today(&self) -> Day {
        self.today
    }

    fn data_through(&self) -> CoachFuture<'_, Option<Day>> {
        Box::pin(async {
            Ok(self.store().frontier(self.user()).await.map_err(to_coach_error)?.complete_through())
        })
    }

    fn daily_snapshot(&self, ask: DayRequest) -> CoachFuture<'_, DailySnapshot> {
        Box::pin(self.read_day(ask))
    }

    fn metric_series(&self, ask: SeriesRequest) -> CoachFuture<'_, MetricSeries> {
        Box::pin(self.read_series(ask))
    }

    fn activities(&self, ask: ActivitiesRequest) -> CoachFuture<'_, ActivityList> {
        Box::pin(self.read_activities(ask))
    }

    fn activity_detail(&self, ask: ActivityRequest) -> CoachFuture<'_, ActivityDetail> {
        Box::pin(self.read_activity(ask))
    }

    fn compare_periods(&self, ask: ComparisonRequest) -> CoachFuture<'_, PeriodComparison> {
        Box::pin(self.read_comparison(ask))
    }

    fn training_load(&self, ask: DayRequest) -> CoachFuture<'_, TrainingLoadResponse> {
        Box::pin(self.read_training_load(ask))
    }

    fn plan_progress(&self, ask: PlanProgressRequest) -> CoachFuture<'_, PlanProgress> {
        Box::pin(self.read_plan_progress(ask))
    }

    fn predict_finish(&self, ask: PredictionRequest) -> CoachFuture<'_, FinishPrediction> {
        Box::pin(self.read_prediction(ask))
    }

    fn notes(&self, ask: NotesRequest) -> CoachFuture<'_, NoteList> {
        Box::pin(self.read_notes(ask))
    }

    fn suggest_note(&self, suggestion: NoteSuggestion) -> CoachFuture<'_, SuggestionResult> {
        Box::pin(self.write_note(suggestion))
    }

    fn suggest_observation(&self, suggestion: ObservationSuggestion) -> CoachFuture<'_, SuggestionResult> {
        Box::pin(self.write_observation(suggestion))
    }

    fn draft_training_plan(&self, ask: DraftPlanRequest) -> CoachFuture<'_, DraftResult> {
        Box::pin(self.write_draft(ask))
    }

    fn propose_modification(&self, response: Value) -> CoachFuture<'_, ProposalResponse> {
        Box::pin(self.write_llm_response(response, fitness_core::llm_output::ResponseKind::Modification))
    }

    fn propose_week(&self, response: Value) -> CoachFuture<'_, ProposalResponse> {
        Box::pin(self.write_llm_response(response, fitness_core::llm_output::ResponseKind::Week))
    }
}
