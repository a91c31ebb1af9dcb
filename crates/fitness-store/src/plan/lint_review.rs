//! Linter results bound to the content of a plan.
//!
//! Human actions take a [`LintReview`], which only the store creates, from the whole plan and the
//! athlete's own data. So no caller can skip the linter.

use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::Store;
use crate::plan::plans;
use crate::plan::revisions::workouts_hash;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{PlanId, UserId};
use fitness_core::domain::units::UnitSystem;
use fitness_core::plan::lint::{Finding, LintInput, LintRule, errors, lint};
use fitness_core::plan::{NextRevisionWorkout, Plan, PlannedWorkout, TrainingBaseline, Workout};
use serde::Serialize;
use std::collections::BTreeSet;

/// Linter results for one version of a plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LintReview {
    #[serde(skip)]
    content_hash: ContentHash,
    findings: Vec<Finding>,
    /// Errors the plan had before the change.
    #[serde(rename = "errors_before")]
    errors_before: Vec<Finding>,
}

impl LintReview {
    /// A review that matches no content.
    #[cfg(feature = "testkit")]
    pub(crate) fn empty() -> Self {
        Self { content_hash: ContentHash::hash_bytes(b""), findings: Vec::new(), errors_before: Vec::new() }
    }

    /// All findings, errors first.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Errors that the change would introduce or make worse.
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

    /// Blocking findings that are not overridden.
    #[must_use]
    pub fn remaining_findings(&self, overrides: &BTreeSet<LintRule>) -> Vec<&Finding> {
        self.blocking_findings().into_iter().filter(|finding| !overrides.contains(&finding.rule)).collect()
    }

    /// Fails unless the review is for `content` and every blocking error is overridden.
    pub(crate) fn require(&self, content: ContentHash, overrides: &BTreeSet<LintRule>) -> Result<()> {
        if self.content_hash != content {
            return Err(Error::Stale);
        }
        let left: Vec<Finding> = self.remaining_findings(overrides).into_iter().cloned().collect();
        if left.is_empty() { Ok(()) } else { Err(Error::BlockingFindings(left)) }
    }
}

impl Store {
    /// Lints a draft, or a plan as it is now.
    ///
    /// # Errors
    /// `NotFound` when there is no such plan.
    pub async fn lint_plan(&self, user: UserId, id: PlanId, today: Day) -> Result<LintReview> {
        let plan = self.find_plan(user, id).await?.ok_or(Error::NotFound(RecordKind::Plan))?;
        let workouts = self.list_workouts(user, id, plan.revision).await?;
        let of = plans::draft_from_plan(&plan, &workouts)?.content_hash();
        let linter = self.linter(user, &plan, today).await?;
        Ok(LintReview {
            content_hash: of,
            findings: linter.lint(&to_workouts(&workouts)),
            errors_before: Vec::new(),
        })
    }

    /// Lints what a plan would become.
    ///
    /// # Errors
    /// `Unreadable` if stored data is damaged.
    pub async fn lint_next_revision(
        &self,
        user: UserId,
        plan: &Plan,
        next: &[NextRevisionWorkout],
        today: Day,
    ) -> Result<LintReview> {
        let current = self.list_workouts(user, plan.id, plan.revision).await?;
        Ok(self.linter(user, plan, today).await?.lint_next_revision(&current, next))
    }

    /// Loads the linter's input once.
    pub(crate) async fn linter<'a>(&self, user: UserId, plan: &'a Plan, today: Day) -> Result<Linter<'a>> {
        let athlete = self.training_baseline_for_plan(user, plan, today).await?;
        Ok(Linter { plan, baseline: athlete, units: self.profile(user).await?.units })
    }
}

/// Lints versions of a plan.
pub(crate) struct Linter<'a> {
    plan: &'a Plan,
    pub(crate) baseline: TrainingBaseline,
    pub(crate) units: UnitSystem,
}

impl Linter<'_> {
    /// Lints what a plan would become.
    pub(crate) fn lint_next_revision(
        &self,
        current: &[PlannedWorkout],
        next: &[NextRevisionWorkout],
    ) -> LintReview {
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
