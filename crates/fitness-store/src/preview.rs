//! What a proposal would do, read in one go: for the preview, and for the decision that follows it.

use crate::error::{Error, Result};
use crate::review::Review;
use crate::store::Store;
use fitness_core::calendar::Day;
use fitness_core::ids::{ProposalId, UserId};
use fitness_core::plan::{
    self, NextWorkout, NowThen, PlanStatus, PlannedWorkout, Proposal, WeekDelta, week_deltas,
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
    /// `NotFound`; `WrongStatus` when the plan is not active; `Stale` when the plan has moved on or the proposal waits no
    /// longer; `Apply` when the choice does not fit.
    pub async fn preview(
        &self,
        user: UserId,
        id: ProposalId,
        chosen: &BTreeSet<usize>,
        today: Day,
    ) -> Result<Preview> {
        let proposal = self.find_proposal(user, id).await?.ok_or(Error::NotFound("proposal"))?;
        let found = self.find_plan(user, proposal.plan).await?.ok_or(Error::NotFound("plan"))?;
        if found.status != PlanStatus::Active {
            return Err(Error::WrongStatus(found.status));
        }
        if found.revision != proposal.base_revision || !proposal.is_open(today) {
            return Err(Error::Stale);
        }
        let current = self.list_workouts(user, found.id, found.revision).await?;
        let next = plan::apply(&found, &current, &proposal.changes, chosen, today)?;
        let review = self.review_next(user, &found, &next, today).await?;
        Ok(Preview {
            changes: proposal.changes.iter().map(|change| NowThen::of(change, &current)).collect(),
            weeks: week_deltas(&current, &next),
            chosen: chosen.clone(),
            proposal,
            review,
            current,
            next,
        })
    }
}
