//! Limits on pending drafts, proposals and suggestions from coaches.
//!
//! Counting happens in the transaction that adds the row. Writes of one user are serialized, so
//! concurrent calls cannot exceed a limit. What the athlete creates does not count.

use crate::db::entities::{notes, observations, training_plans};
use crate::db::error::{Error, PendingKind, Result};
use crate::db::tx::Tx;
use crate::plan::plans;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::PlanId;
use fitness_core::domain::note::Author;
use fitness_core::plan::PlanStatus;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};

const MAX_PENDING_DRAFTS: u64 = 20;
/// Notes and observations together.
const MAX_PENDING_SUGGESTIONS: u64 = 20;
const MAX_PENDING_PROPOSALS: u64 = 10;

/// Checks the limit for suggestions.
///
/// # Errors
/// `QuotaExceeded` at the limit.
pub(crate) async fn check_suggestion_quota(tx: &Tx, author: Author) -> Result<()> {
    if author == Author::Athlete {
        return Ok(());
    }
    let noted = notes::Entity::find()
        .filter(notes::Column::UserId.eq(tx.user().get()))
        .filter(notes::Column::Accepted.eq(false));
    let observed = observations::Entity::find()
        .filter(observations::Column::UserId.eq(tx.user().get()))
        .filter(observations::Column::Accepted.eq(false));
    let waiting = noted.count(tx.db()).await? + observed.count(tx.db()).await?;
    check_quota(waiting, MAX_PENDING_SUGGESTIONS, PendingKind::Suggestions)
}

/// Checks the limit for drafts. A draft that supersedes another does not add to it.
///
/// # Errors
/// `QuotaExceeded` at the limit.
pub(crate) async fn check_draft_quota(tx: &Tx, supersedes: Option<PlanId>) -> Result<()> {
    if supersedes.is_some() {
        return Ok(());
    }
    let drafts = training_plans::Entity::find()
        .filter(training_plans::Column::UserId.eq(tx.user().get()))
        .filter(training_plans::Column::Status.eq(PlanStatus::Draft.as_str()))
        .filter(training_plans::Column::SupersededBy.is_null())
        .filter(training_plans::Column::Author.ne(Author::Athlete.as_str()));
    check_quota(drafts.count(tx.db()).await?, MAX_PENDING_DRAFTS, PendingKind::Drafts)
}

/// Checks the limit for proposals for a plan.
///
/// # Errors
/// `QuotaExceeded` at the limit.
pub(crate) async fn check_proposal_quota(tx: &Tx, plan: PlanId, today: Day) -> Result<()> {
    let proposals = plans::list_proposals(tx.db(), tx.user(), plan).await?;
    let open = proposals.iter().filter(|one| one.author != Author::Athlete && one.is_open(today)).count();
    check_quota(open as u64, MAX_PENDING_PROPOSALS, PendingKind::Proposals)
}

const fn check_quota(waiting: u64, most: u64, what: PendingKind) -> Result<()> {
    if waiting >= most { Err(Error::QuotaExceeded { pending: waiting, what }) } else { Ok(()) }
}
