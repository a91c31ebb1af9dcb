//! Background jobs, each claimed by one worker at a time under a lease.

use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::convert::parse_text;
use crate::db::entities::jobs::{ActiveModel, Column, Entity, Model};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::{Store, truncate_to_micros};
use crate::db::tx::Tx;
use chrono::TimeDelta;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::ids::{JobId, UserId};
use sea_orm::prelude::Json;
use sea_orm::sea_query::{Expr, ExprTrait as _, LockBehavior, LockType, SimpleExpr};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, Condition, ConnectionTrait, DatabaseTransaction, DbBackend, EntityTrait, Order, QueryFilter,
    QueryOrder, QuerySelect, QueryTrait as _, Select, Statement,
};
use serde::Serialize;

const MAX_ATTEMPTS: i64 = 5;
/// Payload field with the outcome.
const OUTCOME_FIELD: &str = "outcome";
/// Outcome of a job that was not run because it came too late.
pub const OUTCOME_EXPIRED: &str = "expired";

fitness_core::string_enum! {
    pub enum JobState("job state") {
        /// Waiting for its run time and a worker.
        Queued = "queued",
        /// Claimed by a worker.
        Running = "running",
        Done = "done",
        Failed = "failed",
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Job {
    pub id: JobId,
    pub user: UserId,
    pub kind: String,
    pub payload: Json,
    pub state: JobState,
    /// Number of attempts so far.
    pub attempts: i64,
    pub run_at: Instant,
    pub problem: Option<String>,
    /// When it succeeded or failed for good.
    pub finished_at: Option<Instant>,
}

impl Job {
    /// The outcome as a word, for kinds that have one, such as `written` for a brief.
    #[must_use]
    pub fn outcome(&self) -> Option<&str> {
        self.outcome_data()?.as_str()
    }

    /// The outcome as JSON.
    #[must_use]
    pub fn outcome_data(&self) -> Option<&Json> {
        self.payload.get(OUTCOME_FIELD)
    }

    /// Whether it is queued or running.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self.state, JobState::Queued | JobState::Running)
    }
}

/// Which jobs a worker can claim.
#[derive(Debug, Clone, Copy)]
pub struct JobClaimFilter<'a> {
    /// An athlete has at most one running job of a kind.
    pub kind: &'a str,
    /// User whose job was claimed last. The user with the next id comes first (round robin).
    pub after: Option<UserId>,
    /// Restricts claiming to these jobs, for a worker that cannot run all.
    pub only: Option<&'a [JobId]>,
}

impl<'a> JobClaimFilter<'a> {
    #[must_use]
    pub const fn of_kind(kind: &'a str) -> Self {
        Self { kind, after: None, only: None }
    }
}

impl Store {
    pub async fn enqueue(
        &self,
        user: UserId,
        kind: &str,
        payload: Json,
        run_at: Instant,
        now: Instant,
    ) -> Result<JobId> {
        let tx = self.begin_user_write(user).await?;
        let id = insert(&tx, kind, payload, run_at).await?;
        tx.commit(enqueued_entry(id, kind, now)).await?;
        Ok(id)
    }

    /// Enqueues a job that is due now, unless `needless` holds for the newest one of its kind.
    /// Calls for one user are serialized, so only one of several concurrent calls enqueues.
    pub async fn enqueue_unless(
        &self,
        user: UserId,
        kind: &str,
        payload: Json,
        now: Instant,
        needless: impl FnOnce(&Job) -> bool + Send,
    ) -> Result<Option<JobId>> {
        let tx = self.begin_user_write(user).await?;
        let newest = newest_job(tx.db(), user, kind).await?;
        if newest.as_ref().is_some_and(needless) {
            return Ok(None);
        }
        let id = insert(&tx, kind, payload, now).await?;
        tx.commit(enqueued_entry(id, kind, now)).await?;
        Ok(Some(id))
    }

    /// The newest job of a kind.
    pub async fn newest_job(&self, user: UserId, kind: &str) -> Result<Option<Job>> {
        newest_job(self.reader(), user, kind).await
    }

    /// Claims the next job that is due or whose lease has expired. Two workers never get the same
    /// job, and an athlete never has two running jobs of one kind.
    pub async fn claim_job(
        &self,
        wanted: JobClaimFilter<'_>,
        worker: &str,
        lease: TimeDelta,
        now: Instant,
    ) -> Result<Option<Job>> {
        let db = self.begin_write().await?;
        let Some(row) = next_due_job(&db, wanted, now).await? else {
            // Roll back now and not when the connection is reused: other workers need the locks.
            db.rollback().await?;
            return Ok(None);
        };
        if row.attempts >= MAX_ATTEMPTS {
            // Its worker died on every attempt; fail the job before it takes down the next one.
            let given_up = ActiveModel {
                id: Set(row.id),
                state: Set(JobState::Failed.as_str().to_owned()),
                claimed_by: Set(None),
                claimed_until: Set(None),
                problem: Set(Some(format!("its worker stopped responding {} times", row.attempts))),
                finished_at: Set(Some(truncate_to_micros(now))),
                ..Default::default()
            };
            Entity::update(given_up).exec(&db).await?;
            db.commit().await?;
            return Box::pin(self.claim_job(wanted, worker, lease, now)).await;
        }
        let claimed = ActiveModel {
            id: Set(row.id),
            state: Set(JobState::Running.as_str().to_owned()),
            attempts: Set(row.attempts + 1),
            claimed_by: Set(Some(worker.to_owned())),
            claimed_until: Set(Some(truncate_to_micros(now + lease))),
            ..Default::default()
        };
        let row = Entity::update(claimed).exec(&db).await?;
        db.commit().await?;
        job(row).map(Some)
    }

    /// Extends the lease. `false` if the lease was lost or the job is over; then the worker must
    /// stop.
    pub async fn renew_job(&self, id: JobId, worker: &str, lease: TimeDelta, now: Instant) -> Result<bool> {
        let held = Entity::update_many()
            .col_expr(Column::ClaimedUntil, Expr::value(truncate_to_micros(now + lease)))
            .filter(Column::Id.eq(id.get()))
            .filter(Column::State.eq(JobState::Running.as_str()))
            .filter(Column::ClaimedBy.eq(worker))
            .exec(self.writer())
            .await?;
        Ok(held.rows_affected == 1)
    }

    /// Requeues the jobs of a worker that shuts down, so that others need not wait for the leases
    /// to expire.
    pub async fn release_jobs(&self, worker: &str, now: Instant) -> Result<u64> {
        let released = Entity::update_many()
            .col_expr(Column::State, Expr::value(JobState::Queued.as_str()))
            .col_expr(Column::Attempts, Expr::col(Column::Attempts).sub(1))
            .col_expr(Column::ClaimedBy, Expr::value(None::<String>))
            .col_expr(Column::ClaimedUntil, Expr::value(None::<Instant>))
            .col_expr(Column::RunAt, Expr::value(truncate_to_micros(now)))
            .filter(Column::State.eq(JobState::Running.as_str()))
            .filter(Column::ClaimedBy.eq(worker))
            .exec(self.writer())
            .await?;
        Ok(released.rows_affected)
    }

    /// Requeues a failed job with its attempts reset.
    ///
    /// # Errors
    /// `NotFound` if the user has no such failed job.
    pub async fn retry_job(&self, user: UserId, id: JobId, now: Instant) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        let row = Entity::find_by_id(id.get())
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::State.eq(JobState::Failed.as_str()))
            .one(tx.db())
            .await?
            .ok_or(Error::NotFound(RecordKind::FailedJob))?;
        let mut payload = row.payload;
        if let Some(fields) = payload.as_object_mut() {
            fields.remove(OUTCOME_FIELD);
        }
        let queued = ActiveModel {
            id: Set(row.id),
            payload: Set(payload),
            state: Set(JobState::Queued.as_str().to_owned()),
            attempts: Set(0),
            run_at: Set(truncate_to_micros(now)),
            problem: Set(None),
            finished_at: Set(None),
            ..Default::default()
        };
        Entity::update(queued).exec(tx.db()).await?;
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::JobRetry, format!("job:{id}"))).await
    }

    /// Marks a job as done. Only the worker that holds the lease can do so.
    ///
    /// # Errors
    /// `NotFound` if the worker no longer holds the lease.
    pub async fn finish_job(&self, user: UserId, id: JobId, worker: &str, now: Instant) -> Result<()> {
        self.settle(user, id, worker, now, |_| JobEnd::from_outcome(None)).await
    }

    /// Marks a job as done, with an outcome.
    ///
    /// # Errors
    /// `NotFound` if the worker no longer holds the lease.
    pub async fn finish_job_with(
        &self,
        user: UserId,
        id: JobId,
        worker: &str,
        outcome: Json,
        now: Instant,
    ) -> Result<()> {
        self.settle(user, id, worker, now, |_| JobEnd::from_outcome(Some(outcome))).await
    }

    /// Marks a job as expired: it was not run, and a retry would not help.
    ///
    /// # Errors
    /// `NotFound` if the worker no longer holds the lease.
    pub async fn expire_job(
        &self,
        user: UserId,
        id: JobId,
        worker: &str,
        problem: &str,
        now: Instant,
    ) -> Result<()> {
        let problem = Some(problem.to_owned());
        let outcome = Some(Json::from(OUTCOME_EXPIRED));
        self.settle(user, id, worker, now, |_| JobEnd {
            state: JobState::Failed,
            problem,
            run_at: None,
            outcome,
        })
        .await
    }

    /// Records a failure. The job is retried with exponential backoff, up to `MAX_ATTEMPTS`
    /// attempts.
    ///
    /// # Errors
    /// `NotFound` if the worker no longer holds the lease.
    pub async fn fail_job(
        &self,
        user: UserId,
        id: JobId,
        worker: &str,
        problem: &str,
        now: Instant,
    ) -> Result<()> {
        let problem = Some(problem.chars().take(500).collect::<String>());
        self.settle(user, id, worker, now, |row| {
            let again = row.attempts < MAX_ATTEMPTS;
            let wait = TimeDelta::minutes(1 << row.attempts.clamp(0, 10));
            JobEnd {
                state: if again { JobState::Queued } else { JobState::Failed },
                problem,
                run_at: again.then_some(now + wait),
                outcome: None,
            }
        })
        .await
    }

    /// A user's jobs, newest first.
    pub async fn list_jobs(&self, user: UserId, limit: u64) -> Result<Vec<Job>> {
        let rows = Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .order_by_desc(Column::Id)
            .limit(limit)
            .all(self.reader())
            .await?;
        rows.into_iter().map(job).collect()
    }

    pub async fn find_job(&self, user: UserId, id: JobId) -> Result<Option<Job>> {
        let row =
            Entity::find_by_id(id.get()).filter(Column::UserId.eq(user.get())).one(self.reader()).await?;
        row.map(job).transpose()
    }

    /// Queued and running jobs of a kind of all users, oldest first.
    pub async fn list_open_jobs(&self, kind: &str) -> Result<Vec<Job>> {
        let open = [JobState::Queued.as_str(), JobState::Running.as_str()];
        let rows = Entity::find()
            .filter(Column::Kind.eq(kind))
            .filter(Column::State.is_in(open))
            .order_by_asc(Column::Id)
            .all(self.reader())
            .await?;
        rows.into_iter().map(job).collect()
    }

    /// Jobs of a kind of all users that failed after `since`, without expired ones.
    pub async fn list_failed_jobs(&self, kind: &str, since: Instant) -> Result<Vec<Job>> {
        let rows = Entity::find()
            .filter(Column::Kind.eq(kind))
            .filter(Column::State.eq(JobState::Failed.as_str()))
            .filter(Column::FinishedAt.gt(truncate_to_micros(since)))
            .order_by_asc(Column::Id)
            .all(self.reader())
            .await?;
        let jobs: Result<Vec<Job>> = rows.into_iter().map(job).collect();
        Ok(jobs?.into_iter().filter(|job| job.outcome() != Some(OUTCOME_EXPIRED)).collect())
    }

    async fn settle(
        &self,
        user: UserId,
        id: JobId,
        worker: &str,
        now: Instant,
        settle: impl FnOnce(&Model) -> JobEnd,
    ) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        let row = Entity::find_by_id(id.get())
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::State.eq(JobState::Running.as_str()))
            .filter(Column::ClaimedBy.eq(worker))
            .one(tx.db())
            .await?
            .ok_or(Error::NotFound(RecordKind::ClaimedJob))?;
        let JobEnd { state, problem, run_at, outcome } = settle(&row);
        let mut payload = row.payload;
        if let (Some(fields), Some(outcome)) = (payload.as_object_mut(), outcome) {
            fields.insert(OUTCOME_FIELD.to_owned(), outcome);
        }
        let settled = ActiveModel {
            id: Set(row.id),
            payload: Set(payload),
            state: Set(state.as_str().to_owned()),
            run_at: Set(truncate_to_micros(run_at.unwrap_or(row.run_at))),
            claimed_by: Set(None),
            claimed_until: Set(None),
            problem: Set(problem),
            finished_at: Set((state != JobState::Queued).then_some(truncate_to_micros(now))),
            ..Default::default()
        };
        Entity::update(settled).exec(tx.db()).await?;
        let action = if state == JobState::Done { AuditAction::JobFinish } else { AuditAction::JobFail };
        tx.commit(NewAuditEntry::new(now, Actor::System, action, format!("job:{id}"))).await
    }
}

/// How a claimed job ends.
struct JobEnd {
    state: JobState,
    problem: Option<String>,
    /// Time of the next attempt.
    run_at: Option<Instant>,
    outcome: Option<Json>,
}

impl JobEnd {
    const fn from_outcome(outcome: Option<Json>) -> Self {
        Self { state: JobState::Done, problem: None, run_at: None, outcome }
    }
}

/// The next job a worker can claim, locked until the transaction ends.
async fn next_due_job(
    db: &DatabaseTransaction,
    wanted: JobClaimFilter<'_>,
    now: Instant,
) -> Result<Option<Model>> {
    let mut passed_over = Vec::new();
    loop {
        let mut query = due_jobs(wanted, now).filter(Column::UserId.is_not_in(passed_over.clone()));
        if db.get_database_backend() != DbBackend::Postgres {
            return Ok(query.one(db).await?);
        }
        query = query.lock_with_behavior(LockType::Update, LockBehavior::SkipLocked);
        let Some(row) = query.one(db).await? else { return Ok(None) };
        if has_exclusive_claim(db, &row, now).await? {
            return Ok(Some(row));
        }
        passed_over.push(row.user_id);
    }
}

/// All jobs a worker can claim, in claim order.
fn due_jobs(wanted: JobClaimFilter<'_>, now: Instant) -> Select<Entity> {
    let due = Condition::all()
        .add(Column::State.eq(JobState::Queued.as_str()))
        .add(Column::RunAt.lte(truncate_to_micros(now)));
    let abandoned = Condition::all()
        .add(Column::State.eq(JobState::Running.as_str()))
        .add(Column::ClaimedUntil.lt(truncate_to_micros(now)));
    let busy = running_jobs(wanted.kind, now).select_only().column(Column::UserId).into_query();
    let last = wanted.after.map_or(0, UserId::get);
    let turn: SimpleExpr = Expr::case(Column::UserId.gt(last), 0).finally(1).into();
    let query = Entity::find()
        .filter(Column::Kind.eq(wanted.kind))
        .filter(Condition::any().add(due).add(abandoned))
        .filter(Column::UserId.not_in_subquery(busy))
        .order_by(turn, Order::Asc)
        .order_by_asc(Column::UserId)
        .order_by_asc(Column::RunAt)
        .order_by_asc(Column::Id);
    match wanted.only {
        Some(ids) => query.filter(Column::Id.is_in(ids.iter().map(|id| id.get()))),
        None => query,
    }
}

/// Jobs of a kind with a valid lease.
fn running_jobs(kind: &str, now: Instant) -> Select<Entity> {
    Entity::find()
        .filter(Column::Kind.eq(kind))
        .filter(Column::State.eq(JobState::Running.as_str()))
        .filter(Column::ClaimedUntil.gte(truncate_to_micros(now)))
}

/// Whether no other worker claims or runs a job of the same user and kind. On PostgreSQL two
/// workers may claim at the same moment without seeing each other; the one that gets the advisory
/// lock checks again.
async fn has_exclusive_claim(db: &DatabaseTransaction, row: &Model, now: Instant) -> Result<bool> {
    let key = format!("fitness job {} {}", row.kind, row.user_id);
    let sql = "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked";
    let locked =
        db.query_one_raw(Statement::from_sql_and_values(DbBackend::Postgres, sql, [key.into()])).await?;
    if !locked.map(|row| row.try_get::<bool>("", "locked")).transpose()?.unwrap_or(false) {
        return Ok(false);
    }
    let running = running_jobs(&row.kind, now).filter(Column::UserId.eq(row.user_id)).one(db).await?;
    Ok(running.is_none())
}

async fn insert(tx: &Tx, kind: &str, payload: Json, run_at: Instant) -> Result<JobId> {
    let row = ActiveModel {
        id: NotSet,
        user_id: Set(tx.user().get()),
        kind: Set(kind.to_owned()),
        payload: Set(payload),
        state: Set(JobState::Queued.as_str().to_owned()),
        attempts: Set(0),
        run_at: Set(truncate_to_micros(run_at)),
        claimed_by: Set(None),
        claimed_until: Set(None),
        problem: Set(None),
        finished_at: Set(None),
    };
    Ok(JobId::new(Entity::insert(row).exec(tx.db()).await?.last_insert_id))
}

fn enqueued_entry(id: JobId, kind: &str, now: Instant) -> NewAuditEntry {
    NewAuditEntry::new(now, Actor::System, AuditAction::JobEnqueue, format!("job:{id} {kind}"))
}

async fn newest_job(db: &impl ConnectionTrait, user: UserId, kind: &str) -> Result<Option<Job>> {
    let row = Entity::find()
        .filter(Column::UserId.eq(user.get()))
        .filter(Column::Kind.eq(kind))
        .order_by_desc(Column::Id)
        .one(db)
        .await?;
    row.map(job).transpose()
}

fn job(row: Model) -> Result<Job> {
    Ok(Job {
        id: JobId::new(row.id),
        user: UserId::new(row.user_id),
        kind: row.kind,
        payload: row.payload,
        state: parse_text(&row.state)?,
        attempts: row.attempts,
        run_at: row.run_at,
        problem: row.problem,
        finished_at: row.finished_at,
    })
}
