//! Turns an LLM response into a proposal, or a draft of one week. Both have no effect until a human
//! acts.

use crate::db::error::{Error, Result};
use crate::db::store::Store;
use crate::plan::drafts::PlanWriter;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{PlanId, ProposalId, UserId};
use fitness_core::llm_output::cross_checks::{
    CheckReport, PlanContext, check_against_plan, check_consistency,
};
use fitness_core::llm_output::into_changes::{
    changes_from_modification, changes_from_week, workouts_from_week,
};
use fitness_core::llm_output::{
    Finding, FindingCode, InvalidResponseError, Response, ResponseKind, ValidationError, ValidationErrorCode,
    WeeklyPlan, parse_response,
};
use fitness_core::plan::lint::Severity;
use fitness_core::plan::{self, Change, Draft, DraftError, Plan, ProposalState};
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum LlmResponseOutcome {
    /// Stored as an open proposal.
    Proposed {
        proposal: ProposalId,
        /// Shown beside the proposal.
        findings: Vec<Finding>,
    },
    /// No active plan: the week was stored as a draft.
    Drafted { plan: PlanId, findings: Vec<Finding> },
    /// The response contains no changes.
    Unchanged { message: String },
    Refused {
        /// All errors, for the model.
        faults: Vec<ValidationError>,
    },
}

/// A response validated against a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct LlmResponseCheck {
    pub report: CheckReport,
    /// Empty if there are errors.
    pub changes: Vec<Change>,
}

impl Store {
    /// Validates a response against a plan: the calendar, the athlete's days, and the linter on the
    /// result. Lint errors reject the response, warnings become findings.
    pub async fn check_llm_response(
        &self,
        user: UserId,
        plan: &Plan,
        response: &Response,
        today: Day,
    ) -> Result<LlmResponseCheck> {
        let workouts = self.list_workouts(user, plan.id, plan.revision).await?;
        let ground = PlanContext { plan, workouts: &workouts, today };
        let mut report = check_against_plan(response, &ground);
        if !report.errors.is_empty() {
            return Ok(LlmResponseCheck { report, changes: Vec::new() });
        }
        let changes = match response {
            Response::Modification(modification) => {
                changes_from_modification(modification, &ground).unwrap_or_default()
            }
            Response::Week(week) => changes_from_week(week, &ground),
        };
        if changes.is_empty() {
            return Ok(LlmResponseCheck { report, changes });
        }
        let all = (0..changes.len()).collect();
        match plan::apply(plan, &workouts, &changes, &all, today) {
            Ok(next) => {
                let review = self.lint_next_revision(user, plan, &next, today).await?;
                for finding in review.blocking_findings() {
                    let rule = finding.rule;
                    let message =
                        format!("{rule}: {} Change the response to follow this rule.", finding.text);
                    report.add_error("", ValidationErrorCode::LintError, message);
                }
                for finding in
                    review.findings().iter().filter(|finding| finding.severity == Severity::Warning)
                {
                    report.add_finding(
                        "",
                        FindingCode::LintWarning,
                        format!("{}: {}", finding.rule, finding.text),
                    );
                }
            }
            Err(why) => {
                report.add_error(
                    "",
                    ValidationErrorCode::OutsidePlan,
                    format!("These changes cannot be applied: {why}."),
                );
            }
        }
        let changes = if report.errors.is_empty() { changes } else { Vec::new() };
        Ok(LlmResponseCheck { report, changes })
    }
}

impl PlanWriter {
    /// Validates a model's response and stores what it proposes. Nothing else happens: only a human
    /// applies it.
    pub async fn submit_llm_response(
        &self,
        answer: &[u8],
        kind: Option<ResponseKind>,
        today: Day,
        now: Instant,
    ) -> Result<LlmResponseOutcome> {
        let response = match parse_response(answer, kind) {
            Ok(response) => response,
            Err(InvalidResponseError { errors: faults, .. }) => {
                return Ok(LlmResponseOutcome::Refused { faults });
            }
        };
        let Some(active) = self.store.find_active_plan(self.user).await? else {
            return self.submit_without_plan(&response, now).await;
        };
        let LlmResponseCheck { report, changes } =
            self.store.check_llm_response(self.user, &active, &response, today).await?;
        if !report.errors.is_empty() {
            return Ok(LlmResponseOutcome::Refused { faults: report.errors });
        }
        let message = response.athlete_message();
        if changes.is_empty() {
            return Ok(LlmResponseOutcome::Unchanged { message: message.to_owned() });
        }
        let findings = report.findings;
        // Do not store the same proposal twice.
        let waiting = self.store.list_proposals(self.user, active.id).await?;
        let same = waiting.iter().find(|one| {
            one.state(active.revision, today) == ProposalState::Open
                && one.author == self.author
                && one.changes == changes
        });
        if let Some(same) = same {
            return Ok(LlmResponseOutcome::Proposed { proposal: same.id, findings });
        }
        let proposal = self
            .put_llm_proposal(active.id, active.revision, message, &changes, &findings, today, now)
            .await?;
        Ok(LlmResponseOutcome::Proposed { proposal, findings })
    }

    async fn submit_without_plan(&self, response: &Response, now: Instant) -> Result<LlmResponseOutcome> {
        let Response::Week(week) = response else {
            let message = "The athlete has no active plan to change. Propose a week, or draft a plan.";
            let fault = ValidationError {
                path: String::new(),
                code: ValidationErrorCode::PlanNotActive,
                message: message.to_owned(),
            };
            return Ok(LlmResponseOutcome::Refused { faults: vec![fault] });
        };
        let report = check_consistency(response);
        if !report.errors.is_empty() {
            return Ok(LlmResponseOutcome::Refused { faults: report.errors });
        }
        let refused = |code: ValidationErrorCode, message: String| {
            Ok(LlmResponseOutcome::Refused {
                faults: vec![ValidationError { path: "/workouts".to_owned(), code, message }],
            })
        };
        let draft = match draft_from_week(week) {
            Ok(draft) => draft,
            Err(why) => {
                return refused(
                    ValidationErrorCode::NotOneWeek,
                    format!("The week is not a valid plan: {why}."),
                );
            }
        };
        match self.put_draft(&draft, None, now).await {
            Ok(plan) => Ok(LlmResponseOutcome::Drafted { plan, findings: report.findings }),
            Err(Error::Draft(why)) => {
                refused(ValidationErrorCode::PastDay, format!("The week is not a valid plan: {why}."))
            }
            Err(other) => Err(other),
        }
    }
}

fn draft_from_week(week: &WeeklyPlan) -> Result<Draft, DraftError> {
    let workouts = workouts_from_week(week);
    let days = || workouts.iter().map(|workout| workout.date);
    let (Some(first), Some(last)) = (days().min(), days().max()) else { return Err(DraftError::Count(0)) };
    // A single day also makes a week, which ends on its Sunday.
    let sunday = first.iso_week().monday().plus_days(6);
    let last = last.max(sunday).max(first.next());
    Draft::without_race(&format!("Week of {}", first.format_long()), first, last, workouts)
}
