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
use fitness_core::plan::lint::{Finding, LintInput, Rule, errors, lint};
use fitness_core::plan::{NextWorkout, Plan, PlannedWorkout, TrainingBaseline, Workout};
use serde::Serialize;
use std::collections::BTreeSet;

/// What the linter said about one plan, exactly as it was.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LintReview {
    #[serde(skip)]
    content_hash: ContentHash,
    findings: Vec<Finding>,
    /// The errors that were there already before what is reviewed.
    #[serde(rename = "errors_before")]
    errors_before: Vec<Finding>,
}

impl LintReview {
    /// A review of nothing, which allows nothing.
    #[cfg(feature = "testkit")]
    pub(crate) fn empty() -> Self {
        Self { content_hash: ContentHash::hash_bytes(b""), findings: Vec::new(), errors_before: Vec::new() }
    }

    /// Everything, the errors first.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The errors that a decision would bring: those the plan has not had before, and those it makes worse.
    #[must_use]
    pub fn blocking_findings(&self) -> Vec<&Finding> {
        let there = |finding: &Finding| {
            let no_worse = |old: &Finding| match (finding.value, old.value) {
                (Some(new), Some(old)) => new < old,
                _ => false,
            };
            self.errors_before.iter().any(|old| old == finding || (old.rule == finding.rule && no_worse(old)))
        };
        errors(&self.findings).filter(|finding| !there(finding)).collect()
    }

    /// Those of them that nobody overrides.
    #[must_use]
    pub fn remaining_findings(&self, overrides: &BTreeSet<Rule>) -> Vec<&Finding> {
        self.blocking_findings().into_iter().filter(|finding| !overrides.contains(&finding.rule)).collect()
    }

    /// Refuses unless this is about `content`, and every error in it is overridden by name.
    pub(crate) fn require(&self, content: ContentHash, overrides: &BTreeSet<Rule>) -> Result<()> {
        if self.content_hash != content {
            return Err(Error::Stale);
        }
        let left: Vec<Finding> = self.remaining_findings(overrides).into_iter().cloned().collect();
        if left.is_empty() { Ok(()) } else { Err(Error::BlockingFindings(left)) }
    }
}

impl Store {
    /// Reads a draft, or any plan as it is now, with the linter.
    ///
    /// # Errors
    /// `NotFound` when there is no such plan.
    pub async fn lint_plan(&self, user: UserId, id: PlanId, today: Day) -> Result<LintReview> {
        let plan = self.find_plan(user, id).await?.ok_or(Error::NotFound("plan"))?;
        let workouts = self.list_workouts(user, id, plan.revision).await?;
        let of = plans::draft_from_plan(&plan, &workouts)?.content_hash();
        let linter = self.linter(user, &plan, today).await?;
        Ok(LintReview {
            content_hash: of,
            findings: linter.lint(&to_workouts(&workouts)),
            errors_before: Vec::new(),
        })
    }

    /// Reads what a plan would become with the linter.
    ///
    /// # Errors
    /// `Unreadable` when what is stored is damaged.
    pub async fn lint_next_revision(
        &self,
        user: UserId,
        plan: &Plan,
        next: &[NextWorkout],
        today: Day,
    ) -> Result<LintReview> {
        let current = self.list_workouts(user, plan.id, plan.revision).await?;
        Ok(self.linter(user, plan, today).await?.lint_next_revision(&current, next))
    }

    /// What the linter needs to know, read once.
    pub(crate) async fn linter<'a>(&self, user: UserId, plan: &'a Plan, today: Day) -> Result<Linter<'a>> {
        let athlete = self.training_baseline_for_plan(user, plan, today).await?;
        Ok(Linter { plan, baseline: athlete, units: self.profile(user).await?.units })
    }
}

/// A plan and its athlete, to hold states of the plan against each other.
pub(crate) struct Linter<'a> {
    plan: &'a Plan,
    pub(crate) baseline: TrainingBaseline,
    pub(crate) units: UnitSystem,
}

impl Linter<'_> {
    /// What the linter says about what a plan would become.
    pub(crate) fn lint_next_revision(&self, current: &[PlannedWorkout], next: &[NextWorkout]) -> LintReview {
        let workouts: Vec<Workout> = next.iter().map(|next| next.workout.clone()).collect();
        let before = errors(&self.lint(&to_workouts(current))).cloned().collect();
        LintReview {
            content_hash: workouts_hash(next),
            findings: self.lint(&workouts),
            errors_before: before,
        }
    }

    fn lint(&self, workouts: &[Workout]) -> Vec<Finding> {
        lint(&LintInput::from_plan(self.plan, workouts), &self.baseline, self.units)
    }
}

fn to_workouts(workouts: &[PlannedWorkout]) -> Vec<Workout> {
    workouts.iter().map(|planned| planned.workout.clone()).collect()
}
