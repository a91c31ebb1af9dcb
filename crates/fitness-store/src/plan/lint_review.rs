//! What the linter says about a plan before a human decides on it.
//!
//! A decision takes a [`Review`], which only the store makes, and only by reading the whole plan with the athlete's own
//! data. So no errors are passed over because somebody forgot to look.

use crate::db::error::{Error, Result};
use crate::db::store::Store;
use crate::plan::plans;
use crate::plan::revisions::workouts_hash;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{PlanId, UserId};
use fitness_core::domain::units::UnitSystem;
use fitness_core::plan::lint::{Finding, Rule, Subject, errors, lint};
use fitness_core::plan::{Background, NextWorkout, Plan, PlannedWorkout, Workout};
use serde::Serialize;
use std::collections::BTreeSet;

/// What the linter said about one plan, exactly as it was.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Review {
    #[serde(skip)]
    of: ContentHash,
    findings: Vec<Finding>,
    /// The errors that were there already before what is reviewed.
    #[serde(rename = "errors_before")]
    before: Vec<Finding>,
}

impl Review {
    /// A review of nothing, which allows nothing.
    #[cfg(feature = "testkit")]
    pub(crate) fn of_nothing() -> Self {
        Self { of: ContentHash::of_bytes(b""), findings: Vec::new(), before: Vec::new() }
    }

    /// Everything, the errors first.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The errors that a decision would bring: those the plan has not had before, and those it makes worse.
    #[must_use]
    pub fn blocking(&self) -> Vec<&Finding> {
        let there = |finding: &Finding| {
            let no_worse = |old: &Finding| match (finding.value, old.value) {
                (Some(new), Some(old)) => new < old,
                _ => false,
            };
            self.before.iter().any(|old| old == finding || (old.rule == finding.rule && no_worse(old)))
        };
        errors(&self.findings).filter(|finding| !there(finding)).collect()
    }

    /// Those of them that nobody overrides.
    #[must_use]
    pub fn left(&self, overrides: &BTreeSet<Rule>) -> Vec<&Finding> {
        self.blocking().into_iter().filter(|finding| !overrides.contains(&finding.rule)).collect()
    }

    /// Refuses unless this is about `content`, and every error in it is overridden by name.
    pub(crate) fn require(&self, content: ContentHash, overrides: &BTreeSet<Rule>) -> Result<()> {
        if self.of != content {
            return Err(Error::Stale);
        }
        let left: Vec<Finding> = self.left(overrides).into_iter().cloned().collect();
        if left.is_empty() { Ok(()) } else { Err(Error::Unsafe(left)) }
    }
}

impl Store {
    /// Reads a draft, or any plan as it is now, with the linter.
    ///
    /// # Errors
    /// `NotFound` when there is no such plan.
    pub async fn review(&self, user: UserId, id: PlanId, today: Day) -> Result<Review> {
        let plan = self.find_plan(user, id).await?.ok_or(Error::NotFound("plan"))?;
        let workouts = self.list_workouts(user, id, plan.revision).await?;
        let of = plans::draft(&plan, &workouts)?.content_hash();
        let linter = self.linter(user, &plan, today).await?;
        Ok(Review { of, findings: linter.read(&plain(&workouts)), before: Vec::new() })
    }

    /// Reads what a plan would become with the linter.
    ///
    /// # Errors
    /// `Unreadable` when what is stored is damaged.
    pub async fn review_next(
        &self,
        user: UserId,
        plan: &Plan,
        next: &[NextWorkout],
        today: Day,
    ) -> Result<Review> {
        let current = self.list_workouts(user, plan.id, plan.revision).await?;
        Ok(self.linter(user, plan, today).await?.review_next(&current, next))
    }

    /// What the linter needs to know, read once.
    pub(crate) async fn linter<'a>(&self, user: UserId, plan: &'a Plan, today: Day) -> Result<Linter<'a>> {
        let athlete = self.background_of(user, plan, today).await?;
        Ok(Linter { plan, athlete, units: self.profile(user).await?.units })
    }
}

/// A plan and its athlete, to hold states of the plan against each other.
pub(crate) struct Linter<'a> {
    plan: &'a Plan,
    pub(crate) athlete: Background,
    pub(crate) units: UnitSystem,
}

impl Linter<'_> {
    /// What the linter says about what a plan would become.
    pub(crate) fn review_next(&self, current: &[PlannedWorkout], next: &[NextWorkout]) -> Review {
        let workouts: Vec<Workout> = next.iter().map(|next| next.workout.clone()).collect();
        let before = errors(&self.read(&plain(current))).cloned().collect();
        Review { of: workouts_hash(next), findings: self.read(&workouts), before }
    }

    fn read(&self, workouts: &[Workout]) -> Vec<Finding> {
        lint(&Subject::of_plan(self.plan, workouts), &self.athlete, self.units)
    }
}

fn plain(workouts: &[PlannedWorkout]) -> Vec<Workout> {
    workouts.iter().map(|planned| planned.workout.clone()).collect()
}
