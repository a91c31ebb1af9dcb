//! How much of what coaches leave may wait for the athlete at a time.
//!
//! It is counted in the very transaction that adds to it. One user's writes follow each other, so however many calls come
//! at once, none of them counts before another has written. What the athlete makes is never counted.

use crate::db::entities::{notes, observations, training_plans};
use crate::db::error::{Error, Result};
use crate::db::tx::Tx;
use crate::plan::plans;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::PlanId;
use fitness_core::domain::note::Author;
use fitness_core::plan::PlanStatus;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};

/// As many drafts of coaches may wait.
const MAX_PENDING_DRAFTS: u64 = 20;
/// As many suggestions may, notes and observations together.
const MAX_PENDING_SUGGESTIONS: u64 = 20;
/// As many proposals of coaches may.
const MAX_PENDING_PROPOSALS: u64 = 10;

/// Whether one more suggestion may wait.
///
/// # Errors
/// `TooMany` when as many wait as may.
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
    check_quota(waiting, MAX_PENDING_SUGGESTIONS, "suggestions")
}

/// Whether one more draft may wait. One that takes the place of another adds none.
///
/// # Errors
/// `TooMany` when as many wait as may.
pub(crate) async fn check_draft_quota(tx: &Tx, supersedes: Option<PlanId>) -> Result<()> {
    if supersedes.is_some() {
        return Ok(());
    }
    let drafts = training_plans::Entity::find()
        .filter(training_plans::Column::UserId.eq(tx.user().get()))
        .filter(training_plans::Column::Status.eq(PlanStatus::Draft.as_str()))
        .filter(training_plans::Column::SupersededBy.is_null())
        .filter(training_plans::Column::Author.ne(Author::Athlete.as_str()));
    check_quota(drafts.count(tx.db()).await?, MAX_PENDING_DRAFTS, "drafts")
}

/// Whether one more proposal may wait on a plan.
///
/// # Errors
/// `TooMany` when as many wait as may.
pub(crate) async fn check_proposal_quota(tx: &Tx, plan: PlanId, today: Day) -> Result<()> {
    let proposals = plans::list_proposals(tx.db(), tx.user(), plan).await?;
    let open = proposals.iter().filter(|one| one.author != Author::Athlete && one.is_open(today)).count();
    check_quota(open as u64, MAX_PENDING_PROPOSALS, "proposals")
}

const fn check_quota(waiting: u64, most: u64, what: &'static str) -> Result<()> {
    if waiting >= most { Err(Error::QuotaExceeded { pending: waiting, what }) } else { Ok(()) }
}
