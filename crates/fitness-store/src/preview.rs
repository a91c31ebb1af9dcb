//! What a proposal would do, read in one go: for the preview, and for the decision that follows it.

use crate::error::{Error, Result};
use crate::review::Review;
use crate::store::Store;
use fitness_core::calendar::Day;
use fitness_core::ids::{ProposalId, UserId};
use fitness_core::plan::{
    self, NextWorkout, NowThen, Plan, PlanStatus, PlannedWorkout, Proposal, ProposalState, WeekDelta,
    week_deltas,
};
use fitness_core::units::UnitSystem;
use serde::Serialize;
use std::collections::BTreeSet;

/// A proposal beside the plan as it is now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Preview {
    /// What is proposed.
    pub proposal: Proposal,
    /// Each of its changes, now and then; all of them, chosen or not.
    pub changes: Vec<NowThen>,
    /// The positions that were chosen.
    pub chosen: BTreeSet<usize>,
    /// The weeks the chosen ones touch.
    pub weeks: Vec<WeekDelta>,
    /// What the linter says about the outcome.
    pub review: Review,
    /// The plan as it is.
    #[serde(skip)]
    pub current: Vec<PlannedWorkout>,
    /// The plan as it would be.
    #[serde(skip)]
    pub next: Vec<NextWorkout>,
}

impl Preview {
    /// Each change in a line.
    #[must_use]
    pub fn lines(&self, units: UnitSystem) -> Vec<String> {
        self.changes.iter().map(|change| change.line(units)).collect()
    }
}

impl Store {
    /// What the chosen part of a proposal would do to the plan as it is now.
    ///
    /// # Errors
    /// `NotFound`; `WrongStatus` when the plan is not active; `Over` when the proposal waits no longer, or the plan has moved
    /// on; `Apply` when the choice does not fit.
    pub async fn preview(
        &self,
        user: UserId,
        id: ProposalId,
        chosen: &BTreeSet<usize>,
        today: Day,
    ) -> Result<Preview> {
        let proposal = self.find_proposal(user, id).await?.ok_or(Error::NotFound("proposal"))?;
        let found = self.find_plan(user, proposal.plan).await?.ok_or(Error::NotFound("plan"))?;
        require_open(&proposal, &found, today)?;
        if found.status != PlanStatus::Active {
            return Err(Error::WrongStatus(found.status));
        }
        let current = self.list_workouts(user, found.id, found.revision).await?;
        let next = plan::apply(&found, &current, &proposal.changes, chosen, today)?;
        let linter = self.linter(user, &found, today).await?;
        Ok(Preview {
            changes: proposal.changes.iter().map(|change| NowThen::of(change, &current)).collect(),
            weeks: week_deltas(&current, &next, linter.athlete.easy_pace()),
            review: linter.review_next(&current, &next),
            chosen: chosen.clone(),
            proposal,
            current,
            next,
        })
    }
}

/// Refuses a proposal that waits no longer, with what became of it.
pub(crate) fn require_open(proposal: &Proposal, plan: &Plan, today: Day) -> Result<()> {
    match proposal.state(plan.revision, today) {
        ProposalState::Open => Ok(()),
        state => Err(Error::Over { proposal: proposal.id, state }),
    }
}
