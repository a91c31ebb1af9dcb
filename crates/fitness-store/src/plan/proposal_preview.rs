//! Preview of a proposal: its effect on the current plan.

use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::Store;
use crate::plan::lint_review::LintReview;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ProposalId, UserId};
use fitness_core::domain::units::UnitSystem;
use fitness_core::plan::{
    self, ChangeFit, NextRevisionWorkout, Plan, PlanStatus, PlannedWorkout, Proposal, ProposalState,
    WeekDelta, WorkoutDiff, week_deltas,
};
use serde::Serialize;
use std::collections::BTreeSet;

/// A proposal compared with the current plan, whatever the plan was when it was made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProposalPreview {
    pub proposal: Proposal,
    /// The plan's current revision.
    pub revision: i64,
    /// Proposal state in a word or two.
    pub state: String,
    /// All changes, chosen or not.
    pub changes: Vec<WorkoutDiff>,
    /// Whether each change still fits the current plan.
    pub fits: Vec<ChangeFit>,
    /// Indexes of the chosen changes.
    pub chosen: BTreeSet<usize>,
    /// Weeks affected by the chosen changes.
    pub weeks: Vec<WeekDelta>,
    /// Linter results for the outcome.
    pub review: LintReview,
    #[serde(skip)]
    pub current: Vec<PlannedWorkout>,
    #[serde(skip)]
    pub next: Vec<NextRevisionWorkout>,
}

impl ProposalPreview {
    /// One line per change, with the reason if it no longer fits.
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

    /// Whether the plan changed since the proposal was made.
    #[must_use]
    pub const fn has_plan_changed(&self) -> bool {
        self.proposal.base_revision != self.revision
    }
}

impl Store {
    /// Previews the chosen changes of a proposal on the current plan, which may be a later revision
    /// than the one it was made for.
    ///
    /// # Errors
    /// `NotFound`; `WrongStatus` if the plan is not active; `ProposalClosed` if the proposal is no
    /// longer open; `Apply` if the choice does not fit.
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

    /// Previews the changes that still fit, possibly none.
    ///
    /// # Errors
    /// `NotFound`; `WrongStatus` if the plan is not active; `ProposalClosed` if the proposal is no
    /// longer open.
    pub async fn preview_applicable_changes(
        &self,
        user: UserId,
        id: ProposalId,
        today: Day,
    ) -> Result<ProposalPreview> {
        let (proposal, found, current) = self.find_pending_proposal(user, id, today).await?;
        let chosen = plan::applicable_changes(&found, &current, &proposal.changes, today);
        let same = || {
            current
                .iter()
                .map(|w| NextRevisionWorkout { id: Some(w.id), workout: w.workout.clone() })
                .collect()
        };
        let next = match chosen.is_empty() {
            true => same(),
            false => plan::apply(&found, &current, &proposal.changes, &chosen, today)?,
        };
        self.build_preview(user, proposal, &found, current, next, chosen, today).await
    }

    /// An open proposal, its plan, and the plan's current workouts.
    async fn find_pending_proposal(
        &self,
        user: UserId,
        id: ProposalId,
        today: Day,
    ) -> Result<(Proposal, Plan, Vec<PlannedWorkout>)> {
        let proposal = self.find_proposal(user, id).await?.ok_or(Error::NotFound(RecordKind::Proposal))?;
        let found = self.find_plan(user, proposal.plan).await?.ok_or(Error::NotFound(RecordKind::Plan))?;
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
        next: Vec<NextRevisionWorkout>,
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

/// Fails if a proposal is no longer open. One whose plan has changed is still open; returns whether
/// it has.
pub(crate) fn require_pending(proposal: &Proposal, plan: &Plan, today: Day) -> Result<bool> {
    match proposal.state(plan.revision, today) {
        ProposalState::Open => Ok(false),
        ProposalState::Stale { .. } => Ok(true),
        state => Err(Error::ProposalClosed { proposal: proposal.id, state }),
    }
}
