//! Writes drafts and proposals, for coaches, MCP clients and the athlete. Both have no effect until
//! a human acts.
//!
//! The user is bound when the writer is created; no method takes one. No method takes a status
//! either, so a new plan is always a draft.

use crate::coach::pending_limits;
use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::convert::to_json;
use crate::db::entities::{proposals, training_plans};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::{Store, truncate_to_micros};
use crate::db::tx::Tx;
use crate::plan::plans;
use crate::plan::revisions::{self, NewRevision};
use crate::training::profile;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{PlanId, ProposalId, UserId};
use fitness_core::domain::note::Author;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::domain::untrusted_text::is_storable;
use fitness_core::llm_output::Finding;
use fitness_core::plan::{
    self, Change, Draft, NextRevisionWorkout, Plan, PlanStatus, ProposalStatus, RevisionOrigin,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};

const MAX_MESSAGE_CHARS: usize = 4000;

/// Writes drafts and proposals for one user.
#[derive(Debug, Clone)]
pub struct PlanWriter {
    pub(crate) store: Store,
    pub(crate) user: UserId,
    pub(crate) author: Author,
    /// Whether the limits on pending items apply; they do for coaches.
    pub(crate) has_quota: bool,
}

impl Store {
    #[must_use]
    pub fn plan_writer(&self, user: UserId, author: Author) -> PlanWriter {
        PlanWriter { store: self.clone(), user, author, has_quota: false }
    }
}

impl PlanWriter {
    /// Stores a draft. It has no effect until a human activates it.
    ///
    /// Drafts are immutable. `supersedes` marks an earlier draft as replaced; a coach can replace
    /// only drafts of coaches.
    ///
    /// # Errors
    /// `Draft` if it is in the past or otherwise not valid; `NotFound` if there is no such draft to
    /// supersede; `QuotaExceeded` for a coach with too many pending drafts.
    pub async fn put_draft(&self, draft: &Draft, supersedes: Option<PlanId>, now: Instant) -> Result<PlanId> {
        let tx = self.store.begin_user_write(self.user).await?;
        draft.check_new(Day::at(now, profile::profile(tx.db(), self.user).await?.zone))?;
        if self.has_quota {
            pending_limits::check_draft_quota(&tx, supersedes).await?;
        }
        let row = training_plans::ActiveModel {
            user_id: Set(self.user.get()),
            name: Set(draft.name().to_owned()),
            goal: Set(draft.goal().as_str().to_owned()),
            distance_mm: Set(draft.distance().map(Distance::mm)),
            race_date: Set(draft.race_date().date()),
            start_date: Set(draft.start_date().date()),
            target_time: Set(draft.target_time().map(TimeSpan::whole_seconds)),
            terms: Set(Some(draft.constraints()).filter(|terms| !terms.is_empty()).map(to_json)),
            author: Set(self.author.as_str().to_owned()),
            content_hash: Set(draft.content_hash().to_string()),
            created_at: Set(truncate_to_micros(now)),
            // The status stays at the column's default, `draft`.
            ..Default::default()
        };
        let id = PlanId::new(training_plans::Entity::insert(row).exec(tx.db()).await?.last_insert_id);
        let next: Vec<NextRevisionWorkout> =
            draft.workouts().iter().map(|w| NextRevisionWorkout { id: None, workout: w.clone() }).collect();
        let making = NewRevision { origin: RevisionOrigin::Draft, made_by: None, reason: None, at: now };
        revisions::add_revision(&tx, id, 0, &next, making).await?;
        if let Some(old) = supersedes {
            let mut marking = training_plans::Entity::update_many()
                .col_expr(training_plans::Column::SupersededBy, Expr::value(id.get()))
                .filter(training_plans::Column::Id.eq(old.get()))
                .filter(training_plans::Column::UserId.eq(self.user.get()))
                .filter(training_plans::Column::Status.eq(PlanStatus::Draft.as_str()))
                .filter(training_plans::Column::SupersededBy.is_null());
            // Only the athlete may replace their own drafts.
            if self.author != Author::Athlete {
                marking = marking.filter(training_plans::Column::Author.ne(Author::Athlete.as_str()));
            }
            let marked = marking.exec(tx.db()).await?;
            if marked.rows_affected != 1 {
                return Err(Error::NotFound(RecordKind::Draft));
            }
        }
        let entry = NewAuditEntry::new(now, self.author.into(), AuditAction::PlanDraft, format!("plan:{id}"))
            .change(None, Some(draft.content_hash()));
        tx.commit(entry).await?;
        Ok(id)
    }

    /// Proposes changes to the active plan at a revision. Has no effect until a human applies it.
    ///
    /// # Errors
    /// `Stale` if the plan has changed; `WrongStatus` if it is not active; `Apply` if the changes
    /// do not fit it.
    pub async fn propose(
        &self,
        plan: PlanId,
        base_revision: i64,
        message: &str,
        changes: &[Change],
        today: Day,
        now: Instant,
    ) -> Result<ProposalId> {
        self.put_llm_proposal(plan, base_revision, message, changes, &[], today, now).await
    }

    /// The same for a model's response, with its findings.
    #[expect(clippy::too_many_arguments, reason = "`propose`, and the findings")]
    pub(crate) async fn put_llm_proposal(
        &self,
        plan: PlanId,
        base_revision: i64,
        message: &str,
        changes: &[Change],
        findings: &[Finding],
        today: Day,
        now: Instant,
    ) -> Result<ProposalId> {
        if message.chars().count() > MAX_MESSAGE_CHARS || !is_storable(message) {
            return Err(plan::ApplyError::TooMuch.into());
        }
        let tx = self.store.begin_user_write(self.user).await?;
        let found =
            plans::find_plan(tx.db(), self.user, plan).await?.ok_or(Error::NotFound(RecordKind::Plan))?;
        if found.status != PlanStatus::Active {
            return Err(Error::WrongStatus(found.status));
        }
        if found.revision != base_revision {
            return Err(Error::Stale);
        }
        if self.has_quota {
            pending_limits::check_proposal_quota(&tx, plan, today).await?;
        }
        let current = plans::list_workouts(tx.db(), self.user, plan, base_revision).await?;
        plan::apply(&found, &current, changes, &(0..changes.len()).collect(), today)?;
        let made =
            NewProposal { plan: &found, message, changes, findings, expires_on: None, follows_from: None };
        let (id, entry) = put_proposal(&tx, &made, self.author, self.author.into(), now).await?;
        tx.commit(entry).await?;
        Ok(id)
    }
}

pub(crate) struct NewProposal<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) message: &'a str,
    pub(crate) changes: &'a [Change],
    pub(crate) findings: &'a [Finding],
    pub(crate) expires_on: Option<Day>,
    pub(crate) follows_from: Option<&'a str>,
}

/// Stores an open proposal; returns its id and audit entry.
pub(crate) async fn put_proposal(
    tx: &Tx,
    made: &NewProposal<'_>,
    author: Author,
    actor: Actor,
    now: Instant,
) -> Result<(ProposalId, NewAuditEntry)> {
    let row = proposals::ActiveModel {
        user_id: Set(tx.user().get()),
        plan_id: Set(made.plan.id.get()),
        base_revision: Set(made.plan.revision),
        status: Set(ProposalStatus::Open.as_str().to_owned()),
        author: Set(author.as_str().to_owned()),
        message: Set(made.message.to_owned()),
        changes: Set(to_json(&made.changes)),
        made_at: Set(truncate_to_micros(now)),
        expires_on: Set(made.expires_on.map(Day::date)),
        follows_from: Set(made.follows_from.map(str::to_owned)),
        findings: Set(Some(made.findings).filter(|found| !found.is_empty()).map(|found| to_json(&found))),
        ..Default::default()
    };
    let id = ProposalId::new(proposals::Entity::insert(row).exec(tx.db()).await?.last_insert_id);
    let entry = NewAuditEntry::new(now, actor, AuditAction::ProposalMake, format!("proposal:{id}"));
    Ok((id, entry.change(None, Some(ContentHash::hash_json(&made.changes)))))
}
