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
use crate::plan::drafts::Desk;
use fitness_core::coach_api::requests::{
    AskActivities, AskActivity, AskComparison, AskDay, AskDraft, AskNotes, AskPlan, AskPrediction, AskSeries,
    MAX_DAYS, SuggestNote, SuggestObservation,
};
use fitness_core::coach_api::responses::{
    Activities, ActivityDetail, Comparison, DailySnapshot, Drafted, Notes, PlanProgress, Predicted, Proposed,
    Series, Suggested, TrainingLoad,
};
use fitness_core::coach_api::{Answer, CoachDesk, DeskError, WAIT_ALREADY};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::UnitSystem;
use serde_json::Value;

/// A desk for one athlete at one moment.
#[derive(Debug, Clone)]
pub struct CoachingDesk {
    desk: Desk,
    units: UnitSystem,
    today: Day,
    now: Instant,
    site: String,
}

impl Store {
    /// A desk for a coach: the athlete, the author and the moment are bound here and nowhere else. `site` is where the
    /// athlete decides, such as `http://127.0.0.1:8787`. What is stale must have been worked out before.
    ///
    /// # Errors
    /// When there is no such user.
    pub async fn coaching_desk(
        &self,
        user: UserId,
        author: Author,
        now: Instant,
        site: &str,
    ) -> Result<CoachingDesk> {
        let profile = self.profile(user).await?;
        Ok(CoachingDesk {
            desk: Desk { capped: true, ..self.desk(user, author) },
            units: profile.units,
            today: Day::at(now, profile.zone),
            now,
            site: site.trim_end_matches('/').to_owned(),
        })
    }
}

impl CoachingDesk {
    const fn store(&self) -> &Store {
        &self.desk.store
    }

    const fn user(&self) -> UserId {
        self.desk.user
    }

    /// Where the athlete takes over what a coach suggests, or drops it.
    fn suggestions(&self) -> String {
        format!("{}/settings/notes", self.site)
    }

    /// Where the athlete decides about something.
    fn review(&self, path: &str, id: impl std::fmt::Display) -> String {
        format!("{}/{path}/{id}", self.site)
    }
}

/// A stretch of days that can be looked at.
fn span(from: Day, through: Day) -> std::result::Result<(Day, Day), DeskError> {
    match from.until(through) {
        ..0 => Err(DeskError::refused(format!(
            "The first day, {from}, is after the last, {through}. Swap them."
        ))),
        MAX_DAYS.. => Err(DeskError::refused(format!("At most {MAX_DAYS} days can be asked for at once."))),
        _ => Ok((from, through)),
    }
}

/// What a coach is told of a failure: whether there is something to change, and nothing of what is inside.
fn failed(error: Error) -> DeskError {
    match error {
        Error::NotFound(what) => DeskError::NotFound(what),
        Error::TooMany { waiting, what } => {
            let or = if what == "drafts" { ", or give `instead_of`" } else { "" };
            DeskError::TooMany(format!(
                "{waiting} {what} {WAIT_ALREADY}. Ask them to look through these first{or}."
            ))
        }
        Error::Stale => DeskError::refused(
            "The plan has changed since it was read. Read `plan_progress` again and propose anew.",
        ),
        Error::Apply(why) => DeskError::refused(format!("The plan cannot become this: {why}.")),
        _ => DeskError::Broken,
    }
}

impl CoachDesk for CoachingDesk {
    fn today(&self) -> Day {
        self.today
    }

    fn data_through(&self) -> Answer<'_, Option<Day>> {
        Box::pin(async { Ok(self.store().frontier(self.user()).await.map_err(failed)?.complete()) })
    }

    fn daily_snapshot(&self, ask: AskDay) -> Answer<'_, DailySnapshot> {
        Box::pin(self.tell_day(ask))
    }

    fn metric_series(&self, ask: AskSeries) -> Answer<'_, Series> {
        Box::pin(self.tell_series(ask))
    }

    fn activities(&self, ask: AskActivities) -> Answer<'_, Activities> {
        Box::pin(self.tell_activities(ask))
    }

    fn activity_detail(&self, ask: AskActivity) -> Answer<'_, ActivityDetail> {
        Box::pin(self.tell_activity(ask))
    }

    fn compare_periods(&self, ask: AskComparison) -> Answer<'_, Comparison> {
        Box::pin(self.tell_comparison(ask))
    }

    fn training_load(&self, ask: AskDay) -> Answer<'_, TrainingLoad> {
        Box::pin(self.tell_load(ask))
    }

    fn plan_progress(&self, ask: AskPlan) -> Answer<'_, PlanProgress> {
        Box::pin(self.tell_plan(ask))
    }

    fn predict_finish(&self, ask: AskPrediction) -> Answer<'_, Predicted> {
        Box::pin(self.tell_prediction(ask))
    }

    fn notes(&self, ask: AskNotes) -> Answer<'_, Notes> {
        Box::pin(self.tell_notes(ask))
    }

    fn suggest_note(&self, suggestion: SuggestNote) -> Answer<'_, Suggested> {
        Box::pin(self.leave_note(suggestion))
    }

    fn suggest_observation(&self, suggestion: SuggestObservation) -> Answer<'_, Suggested> {
        Box::pin(self.leave_observation(suggestion))
    }

    fn draft_training_plan(&self, ask: AskDraft) -> Answer<'_, Drafted> {
        Box::pin(self.leave_draft(ask))
    }

    fn propose_modification(&self, response: Value) -> Answer<'_, Proposed> {
        Box::pin(self.leave_answer(response, fitness_core::llm_output::Kind::Modification))
    }

    fn propose_week(&self, response: Value) -> Answer<'_, Proposed> {
        Box::pin(self.leave_answer(response, fitness_core::llm_output::Kind::Week))
    }
}
