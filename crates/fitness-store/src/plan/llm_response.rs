//! From a model's answer to something a human can decide on: a proposal, or the draft of a week. Both inert.

use crate::db::error::{Error, Result};
use crate::db::store::Store;
use crate::plan::drafts::Desk;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{PlanId, ProposalId, UserId};
use fitness_core::llm_output::checks::{Ground, Report, against, within};
use fitness_core::llm_output::into_changes::{of_modification, of_week, week_as_draft};
use fitness_core::llm_output::{
    Fault, FaultCode, Finding, FindingCode, Kind, Refused, Response, WeeklyPlan, check,
};
use fitness_core::plan::lint::Severity;
use fitness_core::plan::{self, BadDraft, Change, Draft, Plan, ProposalState};
use serde::Serialize;

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Answered {
    /// Changes wait for the athlete.
    Proposed {
        /// Where.
        proposal: ProposalId,
        /// What the answer should have said better; shown beside the proposal.
        findings: Vec<Finding>,
    },
    /// There is no active plan: the week waits as a draft.
    Drafted {
        /// Where.
        plan: PlanId,
        /// What the answer should have said better.
        findings: Vec<Finding>,
    },
    /// It changes nothing, and says so.
    Unchanged {
        /// What it says. Foreign text.
        message: String,
    },
    /// It cannot be taken as it is.
    Refused {
        /// Everything that must change, for the model.
        faults: Vec<Fault>,
    },
}

/// An answer held against a plan, and what it would change.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// What refuses it, and what is shown beside it.
    pub report: Report,
    /// The changes; empty when it is refused.
    pub changes: Vec<Change>,
}

impl Store {
    /// Holds an answer against a plan as it is now: the calendar, the athlete's days, and the linter on what would come out.
    /// Errors that the changes would bring refuse them, warnings are told.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn check_answer(
        &self,
        user: UserId,
        plan: &Plan,
        response: &Response,
        today: Day,
    ) -> Result<Checked> {
        let workouts = self.list_workouts(user, plan.id, plan.revision).await?;
        let ground = Ground { plan, workouts: &workouts, today };
        let mut report = against(response, &ground);
        if !report.faults.is_empty() {
            return Ok(Checked { report, changes: Vec::new() });
        }
        let changes = match response {
            Response::Modification(modification) => {
                of_modification(modification, &ground).unwrap_or_default()
            }
            Response::Week(week) => of_week(week, &ground),
        };
        if changes.is_empty() {
            return Ok(Checked { report, changes });
        }
        let all = (0..changes.len()).collect();
        match plan::apply(plan, &workouts, &changes, &all, today) {
            Ok(next) => {
                let review = self.review_next(user, plan, &next, today).await?;
                for finding in review.blocking() {
                    let rule = finding.rule;
                    let message =
                        format!("{rule}: {} Change the answer so that it keeps this rule.", finding.text);
                    report.refuse("", FaultCode::LintError, message);
                }
                for finding in
                    review.findings().iter().filter(|finding| finding.severity == Severity::Warning)
                {
                    report.note("", FindingCode::LintWarning, format!("{}: {}", finding.rule, finding.text));
                }
            }
            Err(why) => {
                report.refuse("", FaultCode::OutsidePlan, format!("The plan cannot become this: {why}."));
            }
        }
        let changes = if report.faults.is_empty() { changes } else { Vec::new() };
        Ok(Checked { report, changes })
    }
}

impl Desk {
    /// Takes a model's answer: holds it against the contract, the calendar, the active plan and the linter, and writes
    /// down what it proposes. Nothing else happens: only a human applies it.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn take_answer(
        &self,
        answer: &[u8],
        kind: Option<Kind>,
        today: Day,
        now: Instant,
    ) -> Result<Answered> {
        let response = match check(answer, kind) {
            Ok(response) => response,
            Err(Refused { faults, .. }) => return Ok(Answered::Refused { faults }),
        };
        let Some(active) = self.store.find_active_plan(self.user).await? else {
            return self.without_plan(&response, now).await;
        };
        let Checked { report, changes } =
            self.store.check_answer(self.user, &active, &response, today).await?;
        if !report.faults.is_empty() {
            return Ok(Answered::Refused { faults: report.faults });
        }
        let message = response.athlete_message();
        if changes.is_empty() {
            return Ok(Answered::Unchanged { message: message.to_owned() });
        }
        let findings = report.findings;
        // What already waits is not made again: the athlete decides about it once.
        let waiting = self.store.list_proposals(self.user, active.id).await?;
        let same = waiting.iter().find(|one| {
            one.state(active.revision, today) == ProposalState::Open
                && one.author == self.author
                && one.changes == changes
        });
        if let Some(same) = same {
            return Ok(Answered::Proposed { proposal: same.id, findings });
        }
        let proposal =
            self.put_answer(active.id, active.revision, message, &changes, &findings, today, now).await?;
        Ok(Answered::Proposed { proposal, findings })
    }

    async fn without_plan(&self, response: &Response, now: Instant) -> Result<Answered> {
        let Response::Week(week) = response else {
            let message = "The athlete has no active plan to change. Propose a week, or draft a plan.";
            let fault =
                Fault { path: String::new(), code: FaultCode::PlanNotActive, message: message.to_owned() };
            return Ok(Answered::Refused { faults: vec![fault] });
        };
        let report = within(response);
        if !report.faults.is_empty() {
            return Ok(Answered::Refused { faults: report.faults });
        }
        let refused = |code: FaultCode, message: String| {
            Ok(Answered::Refused { faults: vec![Fault { path: "/workouts".to_owned(), code, message }] })
        };
        let draft = match draft_of(week) {
            Ok(draft) => draft,
            Err(why) => return refused(FaultCode::NotOneWeek, format!("The week is no plan: {why}.")),
        };
        match self.put_draft(&draft, None, now).await {
            Ok(plan) => Ok(Answered::Drafted { plan, findings: report.findings }),
            Err(Error::Draft(why)) => refused(FaultCode::PastDay, format!("The week is no plan: {why}.")),
            Err(other) => Err(other),
        }
    }
}

/// A draft of one week, without a race.
fn draft_of(week: &WeeklyPlan) -> Result<Draft, BadDraft> {
    let workouts = week_as_draft(week);
    let days = || workouts.iter().map(|workout| workout.date);
    let (Some(first), Some(last)) = (days().min(), days().max()) else { return Err(BadDraft::Count(0)) };
    // One day is a week as well: it ends on its Sunday.
    let sunday = first.iso_week().monday().plus(6);
    let last = last.max(sunday).max(first.next());
    Draft::without_race(&format!("Week of {first}"), first, last, workouts)
}
