//! Jobs: work to be done later, claimed by one worker at a time.

use crate::db::audit::{Actor, NewAuditEntry};
use crate::db::convert::parse_text;
use crate::db::entities::jobs::{ActiveModel, Column, Entity, Model};
use crate::db::error::{Error, Result};
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

/// How often a failing job is tried before it is given up.
const MAX_ATTEMPTS: i64 = 5;
/// The field of a payload that says what came of the job.
const OUTCOME_FIELD: &str = "outcome";
/// The outcome of a job that was not done because its time had passed.
pub const OUTCOME_EXPIRED: &str = "expired";

fitness_core::string_enum! {
    /// Where a job is.
    pub enum JobState("job state") {
        /// Waiting for its time and a worker.
        Queued = "queued",
        /// Claimed by a worker.
        Running = "running",
        /// Done.
        Done = "done",
        /// Given up.
        Failed = "failed",
    }
}

/// A piece of work.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// For whom.
    pub user: UserId,
    /// What, such as `sync`.
    pub kind: String,
    /// With what.
    pub payload: Json,
    /// Where it is.
    pub state: JobState,
    /// How often it has been tried.
    pub attempts: i64,
    /// When it is due.
    pub run_at: Instant,
    /// What went wrong last.
    pub problem: Option<String>,
    /// When it was done or given up.
    pub finished_at: Option<Instant>,
}

impl Job {
    /// What came of it, where its kind has several outcomes: such as `written` for a brief.
    #[must_use]
    pub fn outcome(&self) -> Option<&str> {
        self.outcome_data()?.as_str()
    }

    /// What came of it, where that is more than a word.
    #[must_use]
    pub fn outcome_data(&self) -> Option<&Json> {
        self.payload.get(OUTCOME_FIELD)
    }

    /// Whether it is neither done nor given up.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self.state, JobState::Queued | JobState::Running)
    }
}

/// Which job a worker wants next.
#[derive(Debug, Clone, Copy)]
pub struct JobFilter<'a> {
    /// What kind. An athlete has at most one running job of a kind.
    pub kind: &'a str,
    /// Whose job was claimed last: the next athlete, in the order of their ids, comes first.
    pub after: Option<UserId>,
    /// Only these, where one worker cannot do what another can.
    pub only: Option<&'a [JobId]>,
}

impl<'a> JobFilter<'a> {
    /// Any job of a kind.
    #[must_use]
    pub const fn of_kind(kind: &'a str) -> Self {
        Self { kind, after: None, only: None }
    }
}

impl Store {
    /// Puts a job into the queue.
    ///
    /// # Errors
    /// When there is no such user.
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

    /// Puts a job into the queue that is due now, unless the newest of its kind makes it needless. Of several who do so at
    /// the same time one does: nobody looks before the others are through.
    ///
    /// # Errors
    /// When there is no such user.
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
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn newest_job(&self, user: UserId, kind: &str) -> Result<Option<Job>> {
        newest_job(self.reader(), user, kind).await
    }

    /// Claims the next job that is due, or whose worker has not been heard of for too long. Two workers never
    /// get the same one, and an athlete never has two of one kind running.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn claim_job(
        &self,
        wanted: JobFilter<'_>,
        worker: &str,
        lease: TimeDelta,
        now: Instant,
    ) -> Result<Option<Job>> {
        let db = self.begin_write().await?;
        let Some(row) = next_due_job(&db, wanted, now).await? else {
            // Now, and not when the connection is used next: what was locked while looking must be free for others.
            db.rollback().await?;
            return Ok(None);
        };
        if row.attempts >= MAX_ATTEMPTS {
            // Whoever took it on, every time, was not heard of again. It must not take the next one down too.
            let given_up = ActiveModel {
                id: Set(row.id),
                state: Set(JobState::Failed.as_str().to_owned()),
                claimed_by: Set(None),
                claimed_until: Set(None),
                problem: Set(Some(format!("its worker disappeared {} times", row.attempts))),
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

    /// Holds on to a job for a while longer. `false` when somebody else has it, or it is over: then the worker must let go.
    ///
    /// # Errors
    /// When the database does not answer.
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

    /// Gives back what a worker had begun and will not finish: others need not wait until its time is over.
    ///
    /// # Errors
    /// When the database does not answer.
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

    /// Puts a job that was given up back into the queue, as if it had never been tried.
    ///
    /// # Errors
    /// `NotFound` when the user has no such job that was given up.
    pub async fn retry_job(&self, user: UserId, id: JobId, now: Instant) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        let row = Entity::find_by_id(id.get())
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::State.eq(JobState::Failed.as_str()))
            .one(tx.db())
            .await?
            .ok_or(Error::NotFound("failed job"))?;
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
        tx.commit(NewAuditEntry::new(now, Actor::Human, "job.retry", format!("job:{id}"))).await
    }

    /// Notes that a worker has done its job. Only the worker that holds the claim can.
    ///
    /// # Errors
    /// `NotFound` when the worker no longer holds it.
    pub async fn finish_job(&self, user: UserId, id: JobId, worker: &str, now: Instant) -> Result<()> {
        self.settle(user, id, worker, now, |_| JobSettlement::done(None)).await
    }

    /// The same, and what came of it.
    ///
    /// # Errors
    /// `NotFound` when the worker no longer holds it.
    pub async fn finish_job_with(
        &self,
        user: UserId,
        id: JobId,
        worker: &str,
        outcome: Json,
        now: Instant,
    ) -> Result<()> {
        self.settle(user, id, worker, now, |_| JobSettlement::done(Some(outcome))).await
    }

    /// Notes that the time for a job has passed: it was not done, and trying again would not help.
    ///
    /// # Errors
    /// `NotFound` when the worker no longer holds it.
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
        self.settle(user, id, worker, now, |_| JobSettlement {
            state: JobState::Failed,
            problem,
            run_at: None,
            outcome,
        })
        .await
    }

    /// Notes that a job failed: it is tried again later, each time after twice as long, and given up in the end.
    ///
    /// # Errors
    /// `NotFound` when the worker no longer holds it.
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
            JobSettlement {
                state: if again { JobState::Queued } else { JobState::Failed },
                problem,
                run_at: again.then_some(now + wait),
                outcome: None,
            }
        })
        .await
    }

    /// A user's newest jobs, newest first.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_jobs(&self, user: UserId, limit: u64) -> Result<Vec<Job>> {
        let rows = Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .order_by_desc(Column::Id)
            .limit(limit)
            .all(self.reader())
            .await?;
        rows.into_iter().map(job).collect()
    }

    /// A user's job.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_job(&self, user: UserId, id: JobId) -> Result<Option<Job>> {
        let row =
            Entity::find_by_id(id.get()).filter(Column::UserId.eq(user.get())).one(self.reader()).await?;
        row.map(job).transpose()
    }

    /// Everybody's jobs of a kind that are not over, the oldest first.
    ///
    /// # Errors
    /// When the database does not answer.
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

    /// The jobs of a kind that were given up after `since`, everybody's. An expired job is not among them.
    ///
    /// # Errors
    /// When the database does not answer.
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
        settle: impl FnOnce(&Model) -> JobSettlement,
    ) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        let row = Entity::find_by_id(id.get())
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::State.eq(JobState::Running.as_str()))
            .filter(Column::ClaimedBy.eq(worker))
            .one(tx.db())
            .await?
            .ok_or(Error::NotFound("claimed job"))?;
        let JobSettlement { state, problem, run_at, outcome } = settle(&row);
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
        let action = if state == JobState::Done { "job.finish" } else { "job.fail" };
        tx.commit(NewAuditEntry::new(now, Actor::System, action, format!("job:{id}"))).await
    }
}

/// How a worker's hold on a job ends.
struct JobSettlement {
    state: JobState,
    problem: Option<String>,
    /// When it is tried again.
    run_at: Option<Instant>,
    outcome: Option<Json>,
}

impl JobSettlement {
    const fn done(outcome: Option<Json>) -> Self {
        Self { state: JobState::Done, problem: None, run_at: None, outcome }
    }
}

/// The row of the next job a worker may have, locked until the transaction ends.
async fn next_due_job(
    db: &DatabaseTransaction,
    wanted: JobFilter<'_>,
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

/// Every job a worker may have, in the order of its turn.
fn due_jobs(wanted: JobFilter<'_>, now: Instant) -> Select<Entity> {
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

/// What is running of a kind.
fn running_jobs(kind: &str, now: Instant) -> Select<Entity> {
    Entity::find()
        .filter(Column::Kind.eq(kind))
        .filter(Column::State.eq(JobState::Running.as_str()))
        .filter(Column::ClaimedUntil.gte(truncate_to_micros(now)))
}

/// Whether nobody else claims or runs a job of the same athlete and kind. On PostgreSQL two may claim at the same moment, each
/// before the other's claim can be seen: the one who gets the lock looks again.
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
    NewAuditEntry::new(now, Actor::System, "job.enqueue", format!("job:{id} {kind}"))
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
