//! Human actions: activate, archive, delete, apply, edit, revert, decline.
//!
//! Each takes a [`Consent`] by value, and writes its changes, the human action and the audit entry
//! in the consent's transaction. After any error nothing was changed, and the confirmation is still
//! unspent.

use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::entities::{
    plan_revisions, planned_workouts, proposals, training_plans, workout_matches, workouts,
};
use crate::db::error::{Error, RecordKind, Result, is_unique_violation};
use crate::db::store::{Store, truncate_to_micros};
use crate::plan::consent::Consent;
use crate::plan::lint_review::LintReview;
use crate::plan::plans::{self, plan_state_hash};
use crate::plan::proposal_preview::require_pending;
use crate::plan::revisions::{self, NewRevision};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{HumanActionId, PlanId, ProposalId, UserId};
use fitness_core::plan::lint::LintRule;
use fitness_core::plan::{
    self, HumanActionKind, NextRevisionWorkout, Plan, PlanStatus, ProposalStatus, RevisionOrigin,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use serde::Serialize;
use std::collections::BTreeSet;

/// Result of an activation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// The plan is now active.
    Activated,
    /// The user has no draft with this id.
    NoDraft,
}

/// What an athlete confirms when they activate a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivationRequest {
    pub plan: PlanId,
    /// The active plan, which is archived.
    pub replaces: Option<PlanId>,
    /// The day it begins on, if later than planned.
    pub begin: Option<Day>,
    /// The lint rules whose errors the athlete accepts.
    pub overrides: BTreeSet<LintRule>,
}

impl ActivationRequest {
    /// Identifies the request and the content of the draft as they were shown.
    #[must_use]
    pub fn hash(&self, content: ContentHash) -> ContentHash {
        let Self { plan, replaces, begin, overrides } = self;
        ContentHash::hash_json(&("activate", plan, content, replaces, begin, overrides))
    }
}

/// Hash of what the athlete sees before changing workouts: the base revision and the result.
#[must_use]
pub fn change_hash(plan: PlanId, base_revision: i64, next: &[NextRevisionWorkout]) -> ContentHash {
    ContentHash::hash_json(&(plan, base_revision, revisions::workouts_hash(next)))
}

/// Hash of what the athlete sees before applying a proposal: the result and the overridden errors.
#[must_use]
pub fn apply_hash(
    plan: PlanId,
    base_revision: i64,
    next: &[NextRevisionWorkout],
    overrides: &BTreeSet<LintRule>,
) -> ContentHash {
    ContentHash::hash_json(&(change_hash(plan, base_revision, next), overrides))
}

/// Activates a draft, replacing `replaces` if that plan is active. If its start has passed, the
/// athlete can `begin` on a later day; earlier workouts are not graded.
///
/// # Errors
/// `BadStartDay` if that day is not after the plan's first day, or is after its race;
/// `AlreadyActive` if another plan is active than the one in `replaces`; `Stale` if the draft is
/// not the one that was shown or reviewed; `BlockingFindings` if the linter found an error that is
/// not in `overrides`.
pub async fn activate(
    consent: Consent,
    request: &ActivationRequest,
    review: &LintReview,
) -> Result<Activation> {
    let &ActivationRequest { plan: id, replaces, begin, ref overrides } = request;
    consent.require(HumanActionKind::Activate, Some(id))?;
    let (user, at) = (consent.user(), consent.at());
    let db = consent.tx().db();
    let Some(draft) = plans::find_plan(db, user, id).await?.filter(|plan| plan.status == PlanStatus::Draft)
    else {
        return Ok(Activation::NoDraft);
    };
    // Hash the stored rows again: activate exactly what was shown, even if rows were tampered with.
    let workouts = plans::list_workouts(db, user, id, draft.revision).await?;
    let content = plans::draft_from_plan(&draft, &workouts)?.content_hash();
    let (start, race) = (draft.start_date, draft.race_date);
    if begin.is_some_and(|day| day <= start || day > race) {
        return Err(Error::BadStartDay { start, race });
    }
    consent.require_content(request.hash(content))?;
    review.require(content, overrides)?;
    check_replaces(plans::find_active_plan(db, user).await?.map(|plan| plan.id), replaces)?;
    let detail = serde_json::json!({ "overrides": overrides, "begin": begin });
    let (tx, action) = consent.record_human_action(replaces, None, detail).await?;
    if let Some(old) = replaces {
        update_status(&tx, user, old, PlanStatus::Archived, None, action, at).await?;
    }
    update_status(&tx, user, id, PlanStatus::Active, begin, action, at).await?;
    let object =
        replaces.map_or_else(|| format!("plan:{id}"), |old| format!("plan:{id} replacing plan:{old}"));
    tx.commit(
        NewAuditEntry::new(at, Actor::Human, AuditAction::PlanActivate, object).change(None, Some(content)),
    )
    .await?;
    Ok(Activation::Activated)
}

/// Checks that the plan to be replaced is the active one.
///
/// # Errors
/// `AlreadyActive` or `NothingToReplace`.
pub fn check_replaces(active: Option<PlanId>, replaces: Option<PlanId>) -> Result<()> {
    match (active, replaces) {
        (active, replaces) if active == replaces => Ok(()),
        (None, _) => Err(Error::NothingToReplace),
        (active, _) => Err(Error::AlreadyActive { active }),
    }
}

/// Archives the active plan.
///
/// # Errors
/// `NotFound`; `WrongStatus` if it is not active; `Stale` if it changed since it was shown.
pub async fn archive(consent: Consent, id: PlanId) -> Result<()> {
    consent.require(HumanActionKind::Archive, Some(id))?;
    let plan = require_unchanged_plan(&consent, id, &[PlanStatus::Active]).await?;
    let (user, at) = (consent.user(), consent.at());
    let (tx, action) = consent.record_human_action(None, None, serde_json::json!({})).await?;
    update_status(&tx, user, id, PlanStatus::Archived, None, action, at).await?;
    let entry = NewAuditEntry::new(at, Actor::Human, AuditAction::PlanArchive, format!("plan:{id}"));
    tx.commit(entry.change(Some(plan_state_hash(&plan)), None)).await
}

/// Deletes a draft or archived plan with its revisions, workouts and proposals.
///
/// # Errors
/// `NotFound`; `WrongStatus` if it is active; `Stale` if it changed since it was shown.
pub async fn delete(consent: Consent, id: PlanId) -> Result<()> {
    consent.require(HumanActionKind::Delete, Some(id))?;
    let plan = require_unchanged_plan(&consent, id, &[PlanStatus::Draft, PlanStatus::Archived]).await?;
    let (user, at) = (consent.user(), consent.at());
    let (tx, _) = consent.record_human_action(None, None, serde_json::json!({})).await?;
    crate::db::tx::defer_foreign_keys(tx.db()).await?;
    let db = tx.db();
    // Delete the plan first: triggers allow deleting its rows only then.
    training_plans::Entity::delete_by_id(id.get()).exec(db).await?;
    planned_workouts::Entity::delete_many()
        .filter(planned_workouts::Column::PlanId.eq(id.get()))
        .exec(db)
        .await?;
    workouts::Entity::delete_many().filter(workouts::Column::PlanId.eq(id.get())).exec(db).await?;
    plan_revisions::Entity::delete_many()
        .filter(plan_revisions::Column::PlanId.eq(id.get()))
        .exec(db)
        .await?;
    proposals::Entity::delete_many().filter(proposals::Column::PlanId.eq(id.get())).exec(db).await?;
    workout_matches::Entity::delete_many()
        .filter(workout_matches::Column::PlanId.eq(id.get()))
        .exec(db)
        .await?;
    // Drafts that it had superseded are current again.
    training_plans::Entity::update_many()
        .col_expr(training_plans::Column::SupersededBy, Expr::value(Option::<i64>::None))
        .filter(training_plans::Column::UserId.eq(user.get()))
        .filter(training_plans::Column::SupersededBy.eq(id.get()))
        .exec(db)
        .await?;
    let entry = NewAuditEntry::new(at, Actor::Human, AuditAction::PlanDelete, format!("plan:{id}"));
    tx.commit(entry.change(Some(plan_state_hash(&plan)), None)).await
}

/// Applies the chosen changes of a proposal to the revision that was shown: the one the proposal
/// was made for, or a later one for which the athlete saw a new preview.
///
/// # Errors
/// `NotFound`; `WrongStatus` if the plan is not active; `ProposalClosed` if the proposal is no
/// longer open, or the plan has changed since it was shown; `Stale` if the result is not the one
/// that was shown; `Apply` if the choice does not fit.
pub async fn apply(
    consent: Consent,
    id: ProposalId,
    chosen: &BTreeSet<usize>,
    today: Day,
    review: &LintReview,
    overrides: &BTreeSet<LintRule>,
) -> Result<i64> {
    let (user, at) = (consent.user(), consent.at());
    let db = consent.tx().db();
    let proposal = plans::find_proposal(db, user, id).await?.ok_or(Error::NotFound(RecordKind::Proposal))?;
    consent.require(HumanActionKind::Apply, Some(proposal.plan))?;
    let plan = plans::find_plan(db, user, proposal.plan).await?.ok_or(Error::NotFound(RecordKind::Plan))?;
    let moved_on = require_pending(&proposal, &plan, today)?;
    let plan = require_active_plan(&consent, plan.id, plan.revision).await?;
    let current = plans::list_workouts(db, user, plan.id, plan.revision).await?;
    let next = plan::apply(&plan, &current, &proposal.changes, chosen, today);
    // A later revision needs the consent of someone who saw the proposal for that revision.
    let seen = |next: &[NextRevisionWorkout]| apply_hash(plan.id, plan.revision, next, overrides);
    if moved_on && !next.as_ref().is_ok_and(|next| seen(next) == consent.content_hash()) {
        let state = proposal.state(plan.revision, today);
        return Err(Error::ProposalClosed { proposal: id, state });
    }
    let next = next?;
    consent.require_content(seen(&next))?;
    review.require(revisions::workouts_hash(&next), overrides)?;
    let seen = consent.content_hash();
    let detail = serde_json::json!({
        "chosen": chosen, "overrides": overrides, "made_for": proposal.base_revision, "seen_on": plan.revision,
    });
    let (tx, action) = consent.record_human_action(None, Some(id), detail).await?;
    let making = NewRevision {
        origin: RevisionOrigin::Apply,
        made_by: Some(action),
        reason: Some(proposal.message),
        at,
    };
    let number = revisions::add_revision(&tx, plan.id, plan.revision, &next, making).await?;
    let applied = proposals::ActiveModel {
        id: Set(id.get()),
        status: Set(ProposalStatus::Applied.as_str().to_owned()),
        applied_by: Set(Some(action.get())),
        decided_at: Set(Some(truncate_to_micros(at))),
        ..Default::default()
    };
    proposals::Entity::update(applied).exec(tx.db()).await?;
    let anew = match moved_on {
        true => format!(" made for revision:{} seen on revision:{}", proposal.base_revision, plan.revision),
        false => String::new(),
    };
    let object = format!("plan:{} revision:{number} from proposal:{id}{anew}", plan.id);
    tx.commit(NewAuditEntry::new(at, Actor::Human, AuditAction::PlanApply, object).change(None, Some(seen)))
        .await?;
    Ok(number)
}

/// Edits the active plan.
///
/// # Errors
/// `NotFound`; `WrongStatus`; `Stale` if the plan changed or the result is not the one that was
/// shown; `Draft` if the result would not be valid.
pub async fn edit(
    consent: Consent,
    id: PlanId,
    base_revision: i64,
    next: &[NextRevisionWorkout],
    reason: &str,
) -> Result<i64> {
    consent.require(HumanActionKind::Edit, Some(id))?;
    let plan = require_active_plan(&consent, id, base_revision).await?;
    plan.check_next(next)?;
    let current = plans::list_workouts(consent.tx().db(), consent.user(), id, base_revision).await?;
    let known: BTreeSet<_> = current.iter().map(|w| w.id).collect();
    let mut kept = BTreeSet::new();
    for id in next.iter().filter_map(|w| w.id) {
        if !known.contains(&id) {
            return Err(plan::ApplyError::NoSuchWorkout(id).into());
        }
        if !kept.insert(id) {
            return Err(plan::ApplyError::DuplicateChange(id).into());
        }
    }
    record_manual_revision(consent, &plan, next, RevisionOrigin::Edit, reason.to_owned()).await
}

/// Creates a revision that equals an older one from today on. Past days stay as they are.
///
/// # Errors
/// `NotFound`; `WrongStatus`; `Stale` if the plan changed or the result is not the one that was
/// shown; `Draft` if the result would not be valid.
pub async fn revert(consent: Consent, id: PlanId, base_revision: i64, to: i64, today: Day) -> Result<i64> {
    consent.require(HumanActionKind::Revert, Some(id))?;
    let plan = require_active_plan(&consent, id, base_revision).await?;
    let older = plans::list_workouts(consent.tx().db(), consent.user(), id, to).await?;
    let current = plans::list_workouts(consent.tx().db(), consent.user(), id, base_revision).await?;
    if older.is_empty() || to >= base_revision {
        return Err(Error::NotFound(RecordKind::EarlierRevision));
    }
    let next = plan::revert(&plan, &current, &older, today)?;
    record_manual_revision(consent, &plan, &next, RevisionOrigin::Revert, format!("back to revision {to}"))
        .await
}

impl Store {
    /// Discards a proposal. It changes no plan, so it needs no consent.
    ///
    /// # Errors
    /// `NotFound`; `ProposalClosed` if it was already decided, superseded or withdrawn.
    pub async fn decline_proposal(&self, user: UserId, id: ProposalId, now: Instant) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        let found =
            plans::find_proposal(tx.db(), user, id).await?.ok_or(Error::NotFound(RecordKind::Proposal))?;
        // An expired proposal can still be discarded.
        if let Some(state) = found.final_state() {
            return Err(Error::ProposalClosed { proposal: id, state });
        }
        let declined = proposals::Entity::update_many()
            .col_expr(proposals::Column::Status, Expr::value(ProposalStatus::Declined.as_str()))
            .col_expr(proposals::Column::DecidedAt, Expr::value(truncate_to_micros(now)))
            .filter(proposals::Column::Id.eq(id.get()))
            .filter(proposals::Column::UserId.eq(user.get()))
            .filter(proposals::Column::Status.eq(ProposalStatus::Open.as_str()))
            .filter(proposals::Column::SupersededBy.is_null())
            .exec(tx.db())
            .await?;
        if declined.rows_affected != 1 {
            return Err(Error::Stale);
        }
        tx.commit(NewAuditEntry::new(
            now,
            Actor::Human,
            AuditAction::ProposalDecline,
            format!("proposal:{id}"),
        ))
        .await
    }
}

async fn record_manual_revision(
    consent: Consent,
    plan: &Plan,
    next: &[NextRevisionWorkout],
    origin: RevisionOrigin,
    reason: String,
) -> Result<i64> {
    consent.require_content(change_hash(plan.id, plan.revision, next))?;
    let (at, seen) = (consent.at(), consent.content_hash());
    let (tx, action) = consent.record_human_action(None, None, serde_json::json!({})).await?;
    let making = NewRevision { origin, made_by: Some(action), reason: Some(reason), at };
    let number = revisions::add_revision(&tx, plan.id, plan.revision, next, making).await?;
    let what = if origin == RevisionOrigin::Edit { AuditAction::PlanEdit } else { AuditAction::PlanRevert };
    let entry = NewAuditEntry::new(at, Actor::Human, what, format!("plan:{} revision:{number}", plan.id));
    tx.commit(entry.change(None, Some(seen))).await?;
    Ok(number)
}

/// The plan, if its status is allowed and it is unchanged since it was shown.
async fn require_unchanged_plan(consent: &Consent, id: PlanId, allowed: &[PlanStatus]) -> Result<Plan> {
    let plan = plans::find_plan(consent.tx().db(), consent.user(), id)
        .await?
        .ok_or(Error::NotFound(RecordKind::Plan))?;
    if !allowed.contains(&plan.status) {
        return Err(Error::WrongStatus(plan.status));
    }
    consent.require_content(plan_state_hash(&plan))?;
    Ok(plan)
}

/// The active plan, if it is still at the revision that was shown.
async fn require_active_plan(consent: &Consent, id: PlanId, base_revision: i64) -> Result<Plan> {
    let plan = plans::find_plan(consent.tx().db(), consent.user(), id)
        .await?
        .ok_or(Error::NotFound(RecordKind::Plan))?;
    if plan.status != PlanStatus::Active {
        return Err(Error::WrongStatus(plan.status));
    }
    if plan.revision != base_revision {
        return Err(Error::Stale);
    }
    Ok(plan)
}

/// Compare-and-swap of a plan's status. The partial unique index is the final check.
async fn update_status(
    tx: &crate::db::tx::Tx,
    user: UserId,
    id: PlanId,
    to: PlanStatus,
    begin: Option<Day>,
    action: HumanActionId,
    at: Instant,
) -> Result<()> {
    use training_plans::Column;
    let (from, by, when) = match to {
        PlanStatus::Active => (PlanStatus::Draft, Column::ActivatedBy, Column::ActivatedAt),
        _ => (PlanStatus::Active, Column::ArchivedBy, Column::ArchivedAt),
    };
    let mut moving = training_plans::Entity::update_many();
    if let Some(begin) = begin {
        moving = moving.col_expr(Column::BegunOn, Expr::value(begin.date()));
    }
    let moved = moving
        .col_expr(Column::Status, Expr::value(to.as_str()))
        .col_expr(by, Expr::value(action.get()))
        .col_expr(when, Expr::value(truncate_to_micros(at)))
        .filter(Column::Id.eq(id.get()))
        .filter(Column::UserId.eq(user.get()))
        .filter(Column::Status.eq(from.as_str()))
        .exec(tx.db())
        .await;
    match moved {
        Ok(moved) if moved.rows_affected == 1 => Ok(()),
        Ok(_) => Err(Error::Stale),
        Err(error) if is_unique_violation(&error) => Err(Error::AlreadyActive { active: None }),
        Err(error) => Err(error.into()),
    }
}
