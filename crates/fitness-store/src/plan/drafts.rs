//! The coach's desk: everything a coach, or a program over MCP, may write. Drafts and proposals; both inert.
//!
//! The user is bound when the desk is made, from the session; no method takes one. Nothing here takes a
//! status, and nothing here can make a plan anything but a draft.

use crate::coach::quotas;
use crate::db::audit::{Actor, NewAuditEntry};
use crate::db::convert::to_json;
use crate::db::entities::{proposals, training_plans};
use crate::db::error::{Error, Result};
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
    self, Change, Draft, NextWorkout, Plan, PlanStatus, ProposalStatus, RevisionOrigin,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};

/// More words than anybody reads before deciding.
const MAX_MESSAGE_CHARS: usize = 4000;

/// A place at which drafts and proposals are written for one user.
#[derive(Debug, Clone)]
pub struct PlanWriter {
    pub(crate) store: Store,
    pub(crate) user: UserId,
    pub(crate) author: Author,
    /// Whether only so much of what is left here may wait; so it is for whoever is handed a coach's desk.
    pub(crate) has_quota: bool,
}

impl Store {
    /// A desk for one user, on which one author writes.
    #[must_use]
    pub fn plan_writer(&self, user: UserId, author: Author) -> PlanWriter {
        PlanWriter { store: self.clone(), user, author, has_quota: false }
    }
}

impl PlanWriter {
    /// Writes a draft down. It is inert: nothing is tracked until a human activates it.
    ///
    /// A draft never changes. Asking for another marks the earlier one as superseded; a coach can do so with drafts of
    /// coaches only.
    ///
    /// # Errors
    /// `Draft` when it is over on the athlete's day or otherwise no plan to begin; `NotFound` when there is no such draft to
    /// supersede; `TooMany` at a coach's desk, when as many drafts of coaches wait as may.
    pub async fn put_draft(&self, draft: &Draft, supersedes: Option<PlanId>, now: Instant) -> Result<PlanId> {
        let tx = self.store.begin_user_write(self.user).await?;
        draft.check_new(Day::at(now, profile::profile(tx.db(), self.user).await?.zone))?;
        if self.has_quota {
            quotas::check_draft_quota(&tx, supersedes).await?;
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
            // The status is not ours to choose: the column's default is the only one a new plan may have.
            ..Default::default()
        };
        let id = PlanId::new(training_plans::Entity::insert(row).exec(tx.db()).await?.last_insert_id);
        let next: Vec<NextWorkout> =
            draft.workouts().iter().map(|w| NextWorkout { id: None, workout: w.clone() }).collect();
        let making = NewRevision { origin: RevisionOrigin::Draft, made_by: None, reason: None, at: now };
        revisions::add_revision(&tx, id, 0, &next, making).await?;
        if let Some(old) = supersedes {
            let mut marking = training_plans::Entity::update_many()
                .col_expr(training_plans::Column::SupersededBy, Expr::value(id.get()))
                .filter(training_plans::Column::Id.eq(old.get()))
                .filter(training_plans::Column::UserId.eq(self.user.get()))
                .filter(training_plans::Column::Status.eq(PlanStatus::Draft.as_str()))
                .filter(training_plans::Column::SupersededBy.is_null());
            // What the athlete made themself is theirs to put away.
            if self.author != Author::Athlete {
                marking = marking.filter(training_plans::Column::Author.ne(Author::Athlete.as_str()));
            }
            let marked = marking.exec(tx.db()).await?;
            if marked.rows_affected != 1 {
                return Err(Error::NotFound("draft"));
            }
        }
        let entry = NewAuditEntry::new(now, self.author.into(), "plan.draft", format!("plan:{id}"))
            .change(None, Some(draft.content_hash()));
        tx.commit(entry).await?;
        Ok(id)
    }

    /// Proposes changes to the active plan as its author saw it. Inert: only a human applies them.
    ///
    /// # Errors
    /// `Stale` when the plan has moved on; `WrongStatus` when it is not active; `Apply` when the changes do
    /// not fit it.
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

    /// The same for an answer, with what it should have said better.
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
        let found = plans::find_plan(tx.db(), self.user, plan).await?.ok_or(Error::NotFound("plan"))?;
        if found.status != PlanStatus::Active {
            return Err(Error::WrongStatus(found.status));
        }
        if found.revision != base_revision {
            return Err(Error::Stale);
        }
        if self.has_quota {
            quotas::check_proposal_quota(&tx, plan, today).await?;
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

/// A proposal before it is written down.
pub(crate) struct NewProposal<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) message: &'a str,
    pub(crate) changes: &'a [Change],
    pub(crate) findings: &'a [Finding],
    pub(crate) expires_on: Option<Day>,
    pub(crate) follows_from: Option<&'a str>,
}

/// Writes a proposal down, open; gives back its id and the line that tells of it.
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
    let entry = NewAuditEntry::new(now, actor, "proposal.make", format!("proposal:{id}"));
    Ok((id, entry.change(None, Some(ContentHash::hash_json(&made.changes)))))
}
