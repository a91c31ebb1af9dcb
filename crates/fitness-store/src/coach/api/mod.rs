//! The desk that a coach is handed: [`CoachDesk`] for one athlete at one moment.
//!
//! Everything it tells is read through the store's own queries for that athlete, and is worded the way the athlete
//! reads it. Everything it writes waits: drafts, proposals and suggestions, of which only so many may wait at a time.

mod read_activities;
mod read_days;
mod read_plans;
mod write;

use crate::db::error::{Error, Result};
use crate::db::store::Store;
use crate::plan::drafts::PlanWriter;
use fitness_core::coach_api::requests::{
    ActivitiesRequest, ActivityRequest, ComparisonRequest, DayRequest, DraftPlanRequest, MAX_DAYS,
    NoteSuggestion, NotesRequest, ObservationSuggestion, PlanProgressRequest, PredictionRequest,
    SeriesRequest,
};
use fitness_core::coach_api::responses::{
    ActivityDetail, ActivityList, DailySnapshot, DraftResult, FinishPrediction, MetricSeries, NoteList,
    PeriodComparison, PlanProgress, ProposalResult, SuggestionResult, TrainingLoad,
};
use fitness_core::coach_api::{CoachApi, CoachApiError, CoachFuture, TOO_MANY_PENDING};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::UnitSystem;
use serde_json::Value;

/// A desk for one athlete at one moment.
#[derive(Debug, Clone)]
pub struct StoreCoachApi {
    writer: PlanWriter,
    units: UnitSystem,
    today: Day,
    now: Instant,
    base_url: String,
}

impl Store {
    /// A desk for a coach: the athlete, the author and the moment are bound here and nowhere else. `site` is where the
    /// athlete decides, such as `http://127.0.0.1:8787`. What is stale must have been worked out before.
    ///
    /// # Errors
    /// When there is no such user.
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

    /// Where the athlete takes over what a coach suggests, or drops it.
    fn suggestions_url(&self) -> String {
        format!("{}/settings/notes", self.base_url)
    }

    /// Where the athlete decides about something.
    fn review_url(&self, path: &str, id: impl std::fmt::Display) -> String {
        format!("{}/{path}/{id}", self.base_url)
    }
}

/// A stretch of days that can be looked at.
fn check_period(from: Day, through: Day) -> std::result::Result<(Day, Day), CoachApiError> {
    match from.days_until(through) {
        ..0 => Err(CoachApiError::invalid(format!(
            "The first day, {from}, is after the last, {through}. Swap them."
        ))),
        MAX_DAYS.. => {
            Err(CoachApiError::invalid(format!("At most {MAX_DAYS} days can be asked for at once.")))
        }
        _ => Ok((from, through)),
    }
}

/// What a coach is told of a failure: whether there is something to change, and nothing of what is inside.
fn to_coach_error(error: Error) -> CoachApiError {
    match error {
        Error::NotFound(what) => CoachApiError::NotFound(what),
        Error::QuotaExceeded { pending: waiting, what } => {
            let or = if what == "drafts" { ", or give `instead_of`" } else { "" };
            CoachApiError::TooMany(format!(
                "{waiting} {what} {TOO_MANY_PENDING}. Ask them to look through these first{or}."
            ))
        }
        Error::Stale => CoachApiError::invalid(
            "The plan has changed since it was read. Read `plan_progress` again and propose anew.",
        ),
        Error::Apply(why) => CoachApiError::invalid(format!("The plan cannot become this: {why}.")),
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

    fn training_load(&self, ask: DayRequest) -> CoachFuture<'_, TrainingLoad> {
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

    fn propose_modification(&self, response: Value) -> CoachFuture<'_, ProposalResult> {
        Box::pin(self.write_llm_response(response, fitness_core::llm_output::ResponseKind::Modification))
    }

    fn propose_week(&self, response: Value) -> CoachFuture<'_, ProposalResult> {
        Box::pin(self.write_llm_response(response, fitness_core::llm_output::ResponseKind::Week))
    }
}
