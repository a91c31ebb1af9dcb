//! What a coach leaves for the athlete: suggestions, drafts and proposals. All of it waits.

use super::read_days::observed;
use super::{CoachingDesk, failed, span};
use crate::db::error::Error;
use crate::plan::llm_response::Answered;
use fitness_core::coach_api::DeskError;
use fitness_core::coach_api::requests::{AskDraft, AskNotes, SuggestNote, SuggestObservation};
use fitness_core::coach_api::responses::{
    Drafted, Notes, Proposed, ProposedStatus, Suggested, SuggestionStatus, ToldNote,
};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::domain::observation::Observed;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::llm_output::{Fault, Finding, Kind};
use fitness_core::plan::lint::{Subject, lint};
use fitness_core::plan::{
    Availability, BadDraft, Draft, DraftRequest, MOST_BASE, PlanStatus, Stated, Week, Weekdays, Wish,
    generate, planned_running, weekday,
};
use serde_json::Value;

type Told<T> = Result<T, DeskError>;

/// Days of notes that are told when nobody says which.
const DAYS: i64 = 60;
/// The longest answer a model may hand in.
const MAX_RESPONSE: usize = 256 * 1024;

impl CoachingDesk {
    pub(super) async fn tell_notes(&self, ask: AskNotes) -> Told<Notes> {
        let through = ask.through.unwrap_or(self.today);
        let (from, through) = span(ask.from.unwrap_or_else(|| through.plus(-DAYS)), through)?;
        let notes = self.store().list_notes(self.user()).await.map_err(failed)?;
        let within = |day: Option<Day>| day.is_none_or(|day| (from..=through).contains(&day));
        let observations =
            self.store().list_observations(self.user(), from, through).await.map_err(failed)?;
        Ok(Notes {
            notes: (notes.into_iter().filter(|note| note.accepted && within(note.day)))
                .map(|note| ToldNote {
                    note_id: note.id,
                    date: note.day,
                    text: note.text.as_str().to_owned(),
                })
                .collect(),
            observations: observed(&observations),
        })
    }

    pub(super) async fn leave_note(&self, suggestion: SuggestNote) -> Told<Suggested> {
        let text = NoteText::new(&suggestion.text).map_err(|why| DeskError::refused(format!("{why}.")))?;
        let author = self.author();
        let id = self.store().add_note(self.user(), author, suggestion.date, &text, self.now).await;
        let id = id.map_err(failed)?;
        Ok(Suggested {
            note_id: Some(id),
            observation_id: None,
            status: SuggestionStatus::Suggested,
            review: self.suggestions(),
        })
    }

    pub(super) async fn leave_observation(&self, suggestion: SuggestObservation) -> Told<Suggested> {
        let refused = |why: &dyn std::fmt::Display| DeskError::refused(format!("{why}."));
        let through = suggestion.through.unwrap_or(suggestion.from);
        let comment =
            suggestion.comment.as_deref().map(NoteText::new).transpose().map_err(|why| refused(&why))?;
        let observed = Observed::new(suggestion.kind, suggestion.from, through, suggestion.value)
            .map_err(|why| refused(&why))?
            .with_comment(comment);
        if self.today.until(observed.from()).abs() > 400 {
            return Err(DeskError::refused("An observation is about the last or the next 400 days."));
        }
        let id = self.store().add_observation(self.user(), self.author(), &observed, self.now).await;
        let id = id.map_err(failed)?;
        Ok(Suggested {
            note_id: None,
            observation_id: Some(id),
            status: SuggestionStatus::Suggested,
            review: self.suggestions(),
        })
    }

    pub(super) async fn leave_draft(&self, ask: AskDraft) -> Told<Drafted> {
        let instead_of = ask.instead_of;
        let (draft, mut remarks, findings) =
            if ask.schedule.is_some() { self.scheduled(ask).await? } else { self.generated(ask).await? };
        let id = match self.desk.put_draft(&draft, instead_of, self.now).await {
            Err(Error::Draft(BadDraft::Over(last))) => {
                return Err(DeskError::refused(format!("The race on {last} has been. Give a later day.")));
            }
            other => other.map_err(failed)?,
        };
        remarks.retain(|remark| !remark.is_empty());
        Ok(Drafted {
            plan_id: id,
            status: PlanStatus::Draft,
            findings,
            remarks,
            weeks: weeks(&draft, self),
            review: self.review("plans", id),
        })
    }

    /// A schedule of the asker's own.
    async fn scheduled(&self, ask: AskDraft) -> Told<(Draft, Vec<String>, Vec<String>)> {
        let stated = ask.level.is_some() || ask.weekly_km.is_some();
        if stated || ask.days.is_some() || ask.long_run_day.is_some() || !ask.blackout_days.is_empty() {
            return Err(DeskError::refused(
                "`days`, `long_run_day`, `blackout_days`, `level` and `weekly_km` are for a plan made from the athlete's \
                 history; leave them out, or leave out `schedule`.",
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
        let draft = request.into_draft().map_err(|why| DeskError::refused(format!("{why}.")))?;
        let athlete = self
            .store()
            .background(self.user(), draft.distance(), self.today, Stated::default())
            .await
            .map_err(failed)?;
        let findings = lint(&Subject::of_draft(&draft), &athlete, self.units);
        Ok((
            draft,
            Vec::new(),
            findings.iter().map(|finding| format!("{}: {}", finding.rule, finding.text)).collect(),
        ))
    }

    /// A plan from the athlete's own history.
    async fn generated(&self, ask: AskDraft) -> Told<(Draft, Vec<String>, Vec<String>)> {
        let refused = |why: &dyn std::fmt::Display| DeskError::refused(format!("{why}."));
        let target: Option<TimeSpan> =
            ask.target_time.as_deref().map(str::parse).transpose().map_err(|why| refused(&why))?;
        let days: Option<Weekdays> =
            ask.days.as_deref().map(str::parse).transpose().map_err(|why| refused(&why))?;
        let long_day = ask.long_run_day.as_deref().map(weekday).transpose().map_err(|why| refused(&why))?;
        let length = |km: Option<f64>, why: &str| {
            km.map(|km| Distance::from_km(km).ok_or_else(|| refused(&why))).transpose()
        };
        let distance = length(ask.distance_km, "`distance_km` is no distance")?;
        if ask.weekly_km.is_some_and(|km| !(km > 0.0 && km <= MOST_BASE)) {
            return Err(refused(&format!(
                "`weekly_km` is more than 0 and at most {MOST_BASE}; leave it out for somebody who does not run yet"
            )));
        }
        let base = length(ask.weekly_km, "`weekly_km` is no distance")?;
        let stated = Stated { level: ask.level, base, longest: None };
        if ask.start_date.is_some_and(|start| start < self.today) {
            return Err(refused(&"`start_date` is over; leave it out to begin today, or give a later day"));
        }
        let wish = Wish {
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
        let athlete = self.store().background(self.user(), race, self.today, stated).await.map_err(failed)?;
        let made = generate(&wish, &athlete).map_err(|why| refused(&why))?;
        let findings =
            made.findings.iter().map(|finding| format!("{}: {}", finding.rule, finding.text)).collect();
        Ok((made.draft, made.remarks, findings))
    }

    pub(super) async fn leave_answer(&self, response: Value, kind: Kind) -> Told<Proposed> {
        let text = response.to_string();
        if text.len() > MAX_RESPONSE {
            return Err(DeskError::refused(
                "The answer is longer than any week or change needs. Write a shorter one.",
            ));
        }
        let answered =
            self.desk.take_answer(text.as_bytes(), Some(kind), self.today, self.now).await.map_err(failed)?;
        let sentences =
            |findings: &[Finding]| findings.iter().map(|finding| finding.message.clone()).collect();
        let nothing = Proposed {
            proposal_id: None,
            plan_id: None,
            status: None,
            preview: Vec::new(),
            findings: Vec::new(),
            review: None,
        };
        match answered {
            Answered::Proposed { proposal, findings } => {
                let stored = self.store().find_proposal(self.user(), proposal).await.map_err(failed)?;
                let all = (0..stored.map_or(0, |stored| stored.changes.len())).collect();
                let preview =
                    self.store().preview(self.user(), proposal, &all, self.today).await.map_err(failed)?;
                Ok(Proposed {
                    proposal_id: Some(proposal),
                    status: Some(ProposedStatus::Open),
                    preview: preview.lines(self.units),
                    findings: sentences(&findings),
                    review: Some(self.review("proposals", proposal)),
                    ..nothing
                })
            }
            Answered::Drafted { plan, findings } => Ok(Proposed {
                plan_id: Some(plan),
                status: Some(ProposedStatus::Draft),
                findings: sentences(&findings),
                review: Some(self.review("plans", plan)),
                ..nothing
            }),
            Answered::Unchanged { .. } => Ok(nothing),
            Answered::Refused { faults } => Err(DeskError::Refused(faults.iter().map(addressed).collect())),
        }
    }

    const fn author(&self) -> Author {
        self.desk.author
    }
}

/// A fault with its place, for a model.
fn addressed(fault: &Fault) -> String {
    if fault.path.is_empty() { fault.message.clone() } else { format!("{}: {}", fault.path, fault.message) }
}

/// Each week of a draft in a line.
fn weeks(draft: &Draft, desk: &CoachingDesk) -> Vec<String> {
    let first = draft.start_date().iso_week().monday();
    let last = draft.race_date().iso_week().monday();
    let count = first.until(last) / 7;
    (0..=count)
        .map(|week| {
            let week = Week { first: first.plus(7 * week) };
            let running = planned_running(draft.workouts(), week, draft.race_date());
            let key: Vec<&str> = (draft.workouts().iter())
                .filter(|workout| week.contains(workout.date) && workout.key)
                .map(|workout| workout.name.as_str())
                .collect();
            format!("{}: {} of running; {}", week.first, desk.units.distance(running), key.join(", "))
        })
        .collect()
}
