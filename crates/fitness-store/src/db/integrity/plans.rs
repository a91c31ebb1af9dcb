//! Compares plans with the audit log: every human action has an entry, and every revision matches
//! its entry.

use crate::db::audit::{AuditAction, chain_time};
use crate::db::entities::{audit_log, confirmations, human_actions, training_plans};
use crate::db::error::Result;
use crate::plan::human_actions::{apply_hash, change_hash};
use crate::plan::plans;
use crate::plan::revisions::workouts_hash;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{PlanId, UserId, WorkoutId};
use fitness_core::plan::lint::LintRule;
use fitness_core::plan::{HumanActionKind, NextRevisionWorkout, Plan, PlanStatus, PlannedWorkout, Revision};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use std::collections::{BTreeMap, BTreeSet};

/// A user's human actions and audit log.
struct RecordedActions<'a> {
    actions: BTreeMap<i64, human_actions::Model>,
    log: &'a [audit_log::Model],
}

/// The inconsistencies found, one sentence each.
pub(super) async fn compare_with_log(
    db: &impl ConnectionTrait,
    user: UserId,
    log: &[audit_log::Model],
) -> Result<Vec<String>> {
    let actions = human_actions::Entity::find()
        .filter(human_actions::Column::UserId.eq(user.get()))
        .order_by_asc(human_actions::Column::Id)
        .all(db)
        .await?;
    let spent = confirmations::Entity::find()
        .filter(confirmations::Column::UserId.eq(user.get()))
        .filter(confirmations::Column::SpentAt.is_not_null())
        .all(db)
        .await?;
    let spent: BTreeSet<i64> = spent.iter().map(|row| row.id).collect();
    let mut found = Vec::new();
    for action in &actions {
        if !spent.contains(&action.confirmation_id) {
            found.push(format!("human action {} was never confirmed", action.id));
        }
    }
    let decisions =
        RecordedActions { actions: actions.into_iter().map(|action| (action.id, action)).collect(), log };
    for action in decisions.actions.values() {
        if decisions.audit_entry(action).is_none() {
            found.push(format!(
                "human action {} ({} of plan {}) is not in the audit log",
                action.id,
                action.kind,
                action.plan_id.unwrap_or_default()
            ));
        }
    }
    let rows = training_plans::Entity::find()
        .filter(training_plans::Column::UserId.eq(user.get()))
        .order_by_asc(training_plans::Column::Id)
        .all(db)
        .await?;
    for row in rows {
        let id = PlanId::new(row.id);
        match plans::find_plan(db, user, id).await? {
            Some(plan) => {
                found.extend(decisions.compare_status(&plan, &row));
                found.extend(decisions.compare_revisions(db, user, &plan, row.activated_by).await?);
            }
            None => found.push(format!("plan {id} has no workouts")),
        }
    }
    Ok(found)
}

impl RecordedActions<'_> {
    /// The audit entry of an action.
    fn audit_entry(&self, action: &human_actions::Model) -> Option<&audit_log::Model> {
        let (name, at) = (format!("plan.{}", action.kind), chain_time(action.done_at));
        let plan = action.plan_id.map(|plan| format!("plan:{plan}"))?;
        self.log.iter().find(|line| {
            line.action == name
                && line.object.split(' ').next() == Some(plan.as_str())
                && chain_time(line.at) == at
        })
    }

    /// The hash of an action's result, from its audit entry.
    fn outcome(&self, action: Option<i64>) -> Option<&str> {
        let action = self.actions.get(&action?)?;
        self.audit_entry(action)?.after_hash.as_deref()
    }

    /// Checks that human actions explain the plan's status. Whether the actions are in the log is
    /// checked separately.
    fn compare_status(&self, plan: &Plan, row: &training_plans::Model) -> Vec<String> {
        let id = plan.id;
        let is = |action: &human_actions::Model, kind: HumanActionKind| action.kind == kind.as_str();
        let activates = |action: &&human_actions::Model| {
            is(action, HumanActionKind::Activate) && action.plan_id == Some(id.get())
        };
        let ends = |action: &&human_actions::Model| {
            is(action, HumanActionKind::Archive) && action.plan_id == Some(id.get())
                || is(action, HumanActionKind::Activate) && action.replaces_id == Some(id.get())
        };
        let by = |action: Option<i64>| action.and_then(|id| self.actions.get(&id));
        let activation = by(row.activated_by).filter(activates);
        let ended = self.actions.values().any(|action| ends(&action));
        let mut found = Vec::new();
        if plan.status != PlanStatus::Draft && activation.is_none() {
            found.push(format!("plan {id} is {} without an activation", plan.status));
        }
        if plan.status == PlanStatus::Archived && by(row.archived_by).filter(ends).is_none() {
            found.push(format!("plan {id} is archived, but nobody archived or replaced it"));
        }
        if plan.status == PlanStatus::Active && ended {
            found.push(format!("plan {id} is active, but was archived or replaced"));
        }
        if plan.status == PlanStatus::Draft && self.actions.values().any(|action| activates(&action)) {
            found.push(format!("plan {id} is a draft, but was activated"));
        }
        if let Some(action) = activation {
            let begin = action.detail.get("begin").and_then(|day| day.as_str());
            if begin != row.begun_on.map(|day| day.to_string()).as_deref() {
                found.push(format!("plan {id} does not start on the confirmed day"));
            }
        }
        found
    }

    async fn compare_revisions(
        &self,
        db: &impl ConnectionTrait,
        user: UserId,
        plan: &Plan,
        activated_by: Option<i64>,
    ) -> Result<Vec<String>> {
        let id = plan.id;
        let mut found = Vec::new();
        let mut known: BTreeSet<WorkoutId> = BTreeSet::new();
        let mut revisions = plans::list_revisions(db, user, id).await?;
        revisions.sort_by_key(|revision| revision.number);
        for revision in &revisions {
            let workouts = plans::list_workouts(db, user, id, revision.number).await?;
            let next: Vec<NextRevisionWorkout> = workouts
                .iter()
                .map(|w| NextRevisionWorkout {
                    id: known.contains(&w.id).then_some(w.id),
                    workout: w.workout.clone(),
                })
                .collect();
            known.extend(workouts.iter().map(|w| w.id));
            if workouts_hash(&next) != revision.content_hash {
                found.push(format!("the workouts of plan {id} were changed in revision {}", revision.number));
                continue;
            }
            if self.differs_from_log(plan, revision, &workouts, &next, activated_by) {
                let number = revision.number;
                found.push(format!("revision {number} of plan {id} does not match the audit log"));
            }
        }
        if revisions.last().map(|revision| revision.number) != Some(plan.revision) {
            found.push(format!("plan {id} is not at its latest revision"));
        }
        Ok(found)
    }

    /// Whether a revision differs from the log. The first revision is compared with the entries of
    /// the draft and the activation.
    fn differs_from_log(
        &self,
        plan: &Plan,
        revision: &Revision,
        workouts: &[PlannedWorkout],
        next: &[NextRevisionWorkout],
        activated_by: Option<i64>,
    ) -> bool {
        let base = revision.number - 1;
        let made_by = revision.made_by.map(fitness_core::domain::ids::HumanActionId::get);
        let expected: Option<ContentHash> = match revision.made_by {
            None => {
                let content = plans::draft_from_plan(plan, workouts).map(|draft| draft.content_hash()).ok();
                let object = format!("plan:{}", plan.id);
                let drafted = self
                    .log
                    .iter()
                    .find(|line| line.action == AuditAction::PlanDraft.as_str() && line.object == object);
                let drafted = drafted.and_then(|line| line.after_hash.as_deref());
                let told = content.map(|hash| hash.to_string());
                return drafted != told.as_deref()
                    || activated_by.is_some() && self.outcome(activated_by) != told.as_deref();
            }
            Some(_) if revision.origin == fitness_core::plan::RevisionOrigin::Apply => {
                let detail = made_by.and_then(|by| self.actions.get(&by)).map(|action| &action.detail);
                let overrides = detail.and_then(|detail| detail.get("overrides")).cloned();
                let overrides =
                    overrides.and_then(|rules| serde_json::from_value::<BTreeSet<LintRule>>(rules).ok());
                overrides.map(|overrides| apply_hash(plan.id, base, next, &overrides))
            }
            Some(_) => Some(change_hash(plan.id, base, next)),
        };
        self.outcome(made_by) != expected.map(|hash| hash.to_string()).as_deref()
    }
}
