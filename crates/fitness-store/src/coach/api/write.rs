//! Coach API: suggestions, drafts and proposals, all pending until the athlete decides.

use super::read_days::describe_observations;
use super::{StoreCoachApi, check_period, to_coach_error};
use crate::db::error::Error;
use crate::plan::llm_response::LlmResponseOutcome;
use fitness_core::coach_api::CoachApiError;
use fitness_core::coach_api::requests::{
    DraftPlanRequest, NoteSuggestion, NotesRequest, ObservationSuggestion,
};
use fitness_core::coach_api::responses::{
    DraftResult, NoteItem, NoteList, ProposalOrDraft, ProposalResponse, SuggestionResult, SuggestionStatus,
};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::domain::observation::ObservationData;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::llm_output::{Finding, ResponseKind, ValidationError};
use fitness_core::plan::lint::{LintInput, lint};
use fitness_core::plan::{
    Availability, Draft, DraftError, DraftRequest, MAX_BASE_KM, PlanRequest, PlanStatus,
    SelfReportedTraining, Week, Weekdays, generate, parse_weekday, planned_running_distance,
};
use serde_json::Value;

type CoachResult<T> = Result<T, CoachApiError>;

/// Default period for notes.
const DEFAULT_DAYS: i64 = 60;
/// Limit for a response from a model.
const MAX_RESPONSE_BYTES: usize = 256 * 1024;

impl StoreCoachApi {
    pub(super) async fn read_notes(&self, ask: NotesRequest) -> CoachResult<NoteList> {
        let through = ask.through.unwrap_or(self.today);
        let (from, through) =
            check_period(ask.from.unwrap_or_else(|| through.plus_days(-DEFAULT_DAYS)), through)?;
        let notes = self.store().list_notes(self.user()).await.map_err(to_coach_error)?;
        let within = |day: Option<Day>| day.is_none_or(|day| (from..=through).contains(&day));
        let observations =
            self.store().list_observations(self.user(), from, through).await.map_err(to_coach_error)?;
        Ok(NoteList {
            notes: (notes.into_iter().filter(|note| note.accepted && within(note.day)))
                .map(|note| NoteItem {
                    note_id: note.id,
                    date: note.day,
                    text: note.text.as_str().to_owned(),
                })
                .collect(),
            observations: describe_observations(&observations),
        })
    }

    pub(super) async fn write_note(&self, suggestion: NoteSuggestion) -> CoachResult<SuggestionResult> {
        let text =
            NoteText::new(&suggestion.text).map_err(|why| CoachApiError::invalid(format!("{why}.")))?;
        let author = self.author();
        let id = self.store().add_note(self.user(), author, suggestion.date, &text, self.now).await;
        let id = id.map_err(to_coach_error)?;
        Ok(SuggestionResult {
            note_id: Some(id),
            observation_id: None,
            status: SuggestionStatus::Suggested,
            review: self.suggestions_url(),
        })
    }

    pub(super) async fn write_observation(
        &self,
        suggestion: ObservationSuggestion,
    ) -> CoachResult<SuggestionResult> {
        let refused = |why: &dyn std::fmt::Display| CoachApiError::invalid(format!("{why}."));
        let through = suggestion.through.unwrap_or(suggestion.from);
        let comment =
            suggestion.comment.as_deref().map(NoteText::new).transpose().map_err(|why| refused(&why))?;
        let observed = ObservationData::new(suggestion.kind, suggestion.from, through, suggestion.value)
            .map_err(|why| refused(&why))?
            .with_comment(comment);
        if self.today.days_until(observed.from()).abs() > 400 {
            return Err(CoachApiError::invalid("An observation must be within 400 days of today."));
        }
        let id = self.store().add_observation(self.user(), self.author(), &observed, self.now).await;
        let id = id.map_err(to_coach_error)?;
        Ok(SuggestionResult {
            note_id: None,
            observation_id: Some(id),
            status: SuggestionStatus::Suggested,
            review: self.suggestions_url(),
        })
    }

    pub(super) async fn write_draft(&self, ask: DraftPlanRequest) -> CoachResult<DraftResult> {
        let instead_of = ask.instead_of;
        let (draft, mut remarks, findings) = if ask.schedule.is_some() {
            self.draft_from_schedule(ask).await?
        } else {
            self.generate_draft(ask).await?
        };
        let id = match self.writer.put_draft(&draft, instead_of, self.now).await {
            Err(Error::Draft(DraftError::PlanInPast(last))) => {
                return Err(CoachApiError::invalid(format!(
                    "The race date {last} is in the past. Give a later one."
                )));
            }
            other => other.map_err(to_coach_error)?,
        };
        remarks.retain(|remark| !remark.is_empty());
        Ok(DraftResult {
            plan_id: id,
            status: PlanStatus::Draft,
            findings,
            remarks,
            weeks: format_weeks(&draft, self),
            review: self.review_url("plans", id),
        })
    }

    /// Drafts a plan from the schedule in the request.
    async fn draft_from_schedule(
        &self,
        ask: DraftPlanRequest,
    ) -> CoachResult<(Draft, Vec<String>, Vec<String>)> {
        let stated = ask.level.is_some() || ask.weekly_km.is_some();
        if stated || ask.days.is_some() || ask.long_run_day.is_some() || !ask.blackout_days.is_empty() {
            return Err(CoachApiError::invalid(
                "`days`, `long_run_day`, `blackout_days`, `level` and `weekly_km` are only for a plan generated from the \
                 athlete's history; omit them, or omit `schedule`.",
            ));
        }
        let request = DraftRequest {
            name: ask.name,
            goal: ask.goal,
            distance_km: ask.distance_km,
            race_date: ask.race_date,
            start_date: ask.start_date.unwrap_or(self.today),
            target_time: ask.target_time,
            schedule: ask.schedule.unwrap_or_default(),
        };
        let draft = request.into_draft().map_err(|why| CoachApiError::invalid(format!("{why}.")))?;
        let athlete = self
            .store()
            .training_baseline(self.user(), draft.distance(), self.today, SelfReportedTraining::default())
            .await
            .map_err(to_coach_error)?;
        let findings = lint(&LintInput::from_draft(&draft), &athlete, self.units);
        Ok((
            draft,
            Vec::new(),
            findings.iter().map(|finding| format!("{}: {}", finding.rule, finding.text)).collect(),
        ))
    }

    /// Generates a draft from the athlete's training history.
    async fn generate_draft(&self, ask: DraftPlanRequest) -> CoachResult<(Draft, Vec<String>, Vec<String>)> {
        let refused = |why: &dyn std::fmt::Display| CoachApiError::invalid(format!("{why}."));
        let target: Option<TimeSpan> =
            ask.target_time.as_deref().map(str::parse).transpose().map_err(|why| refused(&why))?;
        let days: Option<Weekdays> =
            ask.days.as_deref().map(str::parse).transpose().map_err(|why| refused(&why))?;
        let long_day =
            ask.long_run_day.as_deref().map(parse_weekday).transpose().map_err(|why| refused(&why))?;
        let length = |km: Option<f64>, why: &str| {
            km.map(|km| Distance::from_km(km).ok_or_else(|| refused(&why))).transpose()
        };
        let distance = length(ask.distance_km, "`distance_km` is not a valid distance")?;
        if ask.weekly_km.is_some_and(|km| !(km > 0.0 && km <= MAX_BASE_KM)) {
            return Err(refused(&format!(
                "`weekly_km` must be more than 0 and at most {MAX_BASE_KM}; omit it for someone who does not run yet"
            )));
        }
        let base = length(ask.weekly_km, "`weekly_km` is not a valid distance")?;
        let stated = SelfReportedTraining { level: ask.level, base, longest: None };
        if ask.start_date.is_some_and(|start| start < self.today) {
            return Err(refused(&"`start_date` is in the past; omit it to start today, or give a later day"));
        }
        let wish = PlanRequest {
            name: ask.name,
            goal: ask.goal,
            distance,
            start: ask.start_date.unwrap_or(self.today),
            race: ask.race_date,
            target,
            availability: Availability {
                days: days.unwrap_or(Weekdays::ALL),
                blackouts: ask.blackout_days.into_iter().collect(),
            },
            long_day,
            tune_up: None,
            strength: false,
            cross: None,
            units: self.units,
        };
        let race = wish.goal.distance().or(wish.distance);
        let athlete = self
            .store()
            .training_baseline(self.user(), race, self.today, stated)
            .await
            .map_err(to_coach_error)?;
        let made = generate(&wish, &athlete).map_err(|why| refused(&why))?;
        let findings =
            made.findings.iter().map(|finding| format!("{}: {}", finding.rule, finding.text)).collect();
        Ok((made.draft, made.notes, findings))
    }

    pub(super) async fn write_llm_response(
        &self,
        response: Value,
        kind: ResponseKind,
    ) -> CoachResult<ProposalResponse> {
        let text = response.to_string();
        if text.len() > MAX_RESPONSE_BYTES {
            return Err(CoachApiError::invalid("The response is too long. Write a shorter one."));
        }
        let answered = self
            .writer
            .submit_llm_response(text.as_bytes(), Some(kind), self.today, self.now)
            .await
            .map_err(to_coach_error)?;
        let sentences =
            |findings: &[Finding]| findings.iter().map(|finding| finding.message.clone()).collect();
        let nothing = ProposalResponse {
            proposal_id: None,
            plan_id: None,
            status: None,
            preview: Vec::new(),
            findings: Vec::new(),
            review: None,
        };
        match answered {
            LlmResponseOutcome::Proposed { proposal, findings } => {
                let stored =
                    self.store().find_proposal(self.user(), proposal).await.map_err(to_coach_error)?;
                let all = (0..stored.map_or(0, |stored| stored.changes.len())).collect();
                let preview = self
                    .store()
                    .preview_proposal(self.user(), proposal, &all, self.today)
                    .await
                    .map_err(to_coach_error)?;
                Ok(ProposalResponse {
                    proposal_id: Some(proposal),
                    status: Some(ProposalOrDraft::Open),
                    preview: preview.lines(self.units),
                    findings: sentences(&findings),
                    review: Some(self.review_url("proposals", proposal)),
                    ..nothing
                })
            }
            LlmResponseOutcome::Drafted { plan, findings } => Ok(ProposalResponse {
                plan_id: Some(plan),
                status: Some(ProposalOrDraft::Draft),
                findings: sentences(&findings),
                review: Some(self.review_url("plans", plan)),
                ..nothing
            }),
            LlmResponseOutcome::Unchanged { .. } => Ok(nothing),
            LlmResponseOutcome::Refused { faults } => {
                Err(CoachApiError::Refused(faults.iter().map(format_fault).collect()))
            }
        }
    }

    const fn author(&self) -> Author {
        self.writer.author
    }
}

/// The error with its JSON path, for a model.
fn format_fault(fault: &ValidationError) -> String {
    if fault.path.is_empty() { fault.message.clone() } else { format!("{}: {}", fault.path, fault.message) }
}

/// One line per week of a draft.
fn format_weeks(draft: &Draft, desk: &StoreCoachApi) -> Vec<String> {
    let first = draft.start_date().iso_week().monday();
    let last = draft.race_date().iso_week().monday();
    let count = first.days_until(last) / 7;
    (0..=count)
        .map(|week| {
            let week = Week { first: first.plus_days(7 * week) };
            let running = planned_running_distance(draft.workouts(), week, draft.race_date());
            let key: Vec<&str> = (draft.workouts().iter())
                .filter(|workout| week.contains(workout.date) && workout.key)
                .map(|workout| workout.name.as_str())
                .collect();
            format!("{}: {} of running; {}", week.first, desk.units.format_distance(running), key.join(", "))
        })
        .collect()
}
