//! What a proposal would do, read in one go: for the preview, and for the decision that follows it.

use crate::db::error::{Error, Result};
use crate::db::store::Store;
use crate::plan::lint_review::LintReview;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ProposalId, UserId};
use fitness_core::domain::units::UnitSystem;
use fitness_core::plan::{
    self, ChangeFit, NextWorkout, Plan, PlanStatus, PlannedWorkout, Proposal, ProposalState, WeekDelta,
    WorkoutDiff, week_deltas,
};
use serde::Serialize;
use std::collections::BTreeSet;

/// A proposal beside the plan as it is now, whatever the plan was when it was made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProposalPreview {
    /// What is proposed.
    pub proposal: Proposal,
    /// The revision it is held against: the plan's current one.
    pub revision: i64,
    /// Where it stands, in a word or two.
    pub state: String,
    /// Each of its changes, now and then; all of them, chosen or not.
    pub changes: Vec<WorkoutDiff>,
    /// How each of them fits the plan as it is now.
    pub fits: Vec<ChangeFit>,
    /// The positions that were chosen.
    pub chosen: BTreeSet<usize>,
    /// The weeks the chosen ones touch.
    pub weeks: Vec<WeekDelta>,
    /// What the linter says about the outcome.
    pub review: LintReview,
    /// The plan as it is.
    #[serde(skip)]
    pub current: Vec<PlannedWorkout>,
    /// The plan as it would be.
    #[serde(skip)]
    pub next: Vec<NextWorkout>,
}

impl ProposalPreview {
    /// Each change in a line, with what does not fit any more.
    #[must_use]
    pub fn lines(&self, units: UnitSystem) -> Vec<String> {
        let line = |(change, fit): (&WorkoutDiff, &ChangeFit)| {
            let line = change.line(units);
            match (&fit.problem, &fit.since) {
                (Some(problem), _) => format!("{line}; no longer fits: {problem}"),
                (None, Some(since)) => format!("{line}; {since}"),
                (None, None) => line,
            }
        };
        self.changes.iter().zip(&self.fits).map(line).collect()
    }

    /// Whether the plan is another one than its author saw.
    #[must_use]
    pub const fn has_plan_changed(&self) -> bool {
        self.proposal.base_revision != self.revision
    }
}

impl Store {
    /// What the chosen part of a proposal would do to the plan as it is now, which need not be the revision it was made
    /// for: whoever then confirms it has seen this one.
    ///
    /// # Errors
    /// `NotFound`; `WrongStatus` when the plan is not active; `Over` when the proposal waits no longer; `Apply` when the
    /// choice does not fit.
    pub async fn preview_proposal(
        &self,
        user: UserId,
        id: ProposalId,
        chosen: &BTreeSet<usize>,
        today: Day,
    ) -> Result<ProposalPreview> {
        let (proposal, found, current) = self.find_pending_proposal(user, id, today).await?;
        let next = plan::apply(&found, &current, &proposal.changes, chosen, today)?;
        self.build_preview(user, proposal, &found, current, next, chosen.clone(), today).await
    }

    /// The same for as much of a proposal as still fits, which may be nothing.
    ///
    /// # Errors
    /// `NotFound`; `WrongStatus` when the plan is not active; `Over` when the proposal waits no longer.
    pub async fn preview_applicable_changes(
        &self,
        user: UserId,
        id: ProposalId,
        today: Day,
    ) -> Result<ProposalPreview> {
        let (proposal, found, current) = self.find_pending_proposal(user, id, today).await?;
        let chosen = plan::applicable_changes(&found, &current, &proposal.changes, today);
        let same =
            || current.iter().map(|w| NextWorkout { id: Some(w.id), workout: w.workout.clone() }).collect();
        let next = match chosen.is_empty() {
            true => same(),
            false => plan::apply(&found, &current, &proposal.changes, &chosen, today)?,
        };
        self.build_preview(user, proposal, &found, current, next, chosen, today).await
    }

    /// A proposal that waits, its plan, and the plan's workouts now.
    async fn find_pending_proposal(
        &self,
        user: UserId,
        id: ProposalId,
        today: Day,
    ) -> Result<(Proposal, Plan, Vec<PlannedWorkout>)> {
        let proposal = self.find_proposal(user, id).await?.ok_or(Error::NotFound("proposal"))?;
        let found = self.find_plan(user, proposal.plan).await?.ok_or(Error::NotFound("plan"))?;
        require_pending(&proposal, &found, today)?;
        if found.status != PlanStatus::Active {
            return Err(Error::WrongStatus(found.status));
        }
        let current = self.list_workouts(user, found.id, found.revision).await?;
        Ok((proposal, found, current))
    }

    #[expect(clippy::too_many_arguments, reason = "what both previews have worked out by then")]
    async fn build_preview(
        &self,
        user: UserId,
        proposal: Proposal,
        found: &Plan,
        current: Vec<PlannedWorkout>,
        next: Vec<NextWorkout>,
        chosen: BTreeSet<usize>,
        today: Day,
    ) -> Result<ProposalPreview> {
        let base = self.list_workouts(user, found.id, proposal.base_revision).await?;
        let linter = self.linter(user, found, today).await?;
        Ok(ProposalPreview {
            changes: proposal
                .changes
                .iter()
                .map(|change| WorkoutDiff::from_change(change, &current))
                .collect(),
            fits: plan::check_fit(found, &base, &current, &proposal.changes, today, linter.units),
            weeks: week_deltas(&current, &next, linter.baseline.easy_pace()),
            review: linter.lint_next_revision(&current, &next),
            revision: found.revision,
            state: proposal.state(found.revision, today).label(),
            chosen,
            proposal,
            current,
            next,
        })
    }
}

/// Refuses a proposal that waits no longer, with what became of it. One whose plan has moved on still waits; gives back
/// whether it has.
pub(crate) fn require_pending(proposal: &Proposal, plan: &Plan, today: Day) -> Result<bool> {
    match proposal.state(plan.revision, today) {
        ProposalState::Open => Ok(false),
        ProposalState::Stale { .. } => Ok(true),
        state => Err(Error::ProposalClosed { proposal: proposal.id, state }),
    }
}
