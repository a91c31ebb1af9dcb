//! Jobs: work to be done later, claimed by one worker at a time.

use crate::audit::{Actor, Entry};
use crate::entities::jobs::{ActiveModel, Column, Entity, Model};
use crate::error::{Error, Result};
use crate::read::word;
use crate::store::{Store, stamp};
use crate::tx::Tx;
use chrono::TimeDelta;
use fitness_core::calendar::Instant;
use fitness_core::ids::{JobId, UserId};
use sea_orm::prelude::Json;
use sea_orm::sea_query::{Expr, ExprTrait as _, LockBehavior, LockType};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, Condition, ConnectionTrait, DbBackend, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde::Serialize;

/// How often a failing job is tried before it is given up.
const MAX_ATTEMPTS: i64 = 5;

fitness_core::words! {
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
        let tx = self.write(user).await?;
        let id = insert(&tx, kind, payload, run_at).await?;
        tx.commit(enqueued(id, kind, now)).await?;
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
        let tx = self.write(user).await?;
        let newest = newest_job(tx.db(), user, kind).await?;
        if newest.as_ref().is_some_and(needless) {
            return Ok(None);
        }
        let id = insert(&tx, kind, payload, now).await?;
        tx.commit(enqueued(id, kind, now)).await?;
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
    /// get the same one.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn claim_job(&self, worker: &str, lease: TimeDelta, now: Instant) -> Result<Option<Job>> {
        let db = self.begin_write().await?;
        let due = Condition::all()
            .add(Column::State.eq(JobState::Queued.as_str()))
            .add(Column::RunAt.lte(stamp(now)));
        let abandoned = Condition::all()
            .add(Column::State.eq(JobState::Running.as_str()))
            .add(Column::ClaimedUntil.lt(stamp(now)));
        let mut query =
            Entity::find().filter(Condition::any().add(due).add(abandoned)).order_by_asc(Column::RunAt);
        if self.backend() == DbBackend::Postgres {
            query = query.lock_with_behavior(LockType::Update, LockBehavior::SkipLocked);
        }
        let Some(row) = query.one(&db).await? else { return Ok(None) };
        if row.attempts >= MAX_ATTEMPTS {
            // Whoever took it on, every time, was not heard of again. It must not take the next one down too.
            let given_up = ActiveModel {
                id: Set(row.id),
                state: Set(JobState::Failed.as_str().to_owned()),
                claimed_by: Set(None),
                claimed_until: Set(None),
                problem: Set(Some(format!("its worker disappeared {} times", row.attempts))),
                finished_at: Set(Some(stamp(now))),
                ..Default::default()
            };
            Entity::update(given_up).exec(&db).await?;
            db.commit().await?;
            return Box::pin(self.claim_job(worker, lease, now)).await;
        }
        let claimed = ActiveModel {
            id: Set(row.id),
            state: Set(JobState::Running.as_str().to_owned()),
            attempts: Set(row.attempts + 1),
            claimed_by: Set(Some(worker.to_owned())),
            claimed_until: Set(Some(stamp(now + lease))),
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
            .col_expr(Column::ClaimedUntil, Expr::value(stamp(now + lease)))
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
            .col_expr(Column::RunAt, Expr::value(stamp(now)))
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
        let tx = self.write(user).await?;
        let row = Entity::find_by_id(id.get())
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::State.eq(JobState::Failed.as_str()))
            .one(tx.db())
            .await?
            .ok_or(Error::NotFound("failed job"))?;
        let queued = ActiveModel {
            id: Set(row.id),
            state: Set(JobState::Queued.as_str().to_owned()),
            attempts: Set(0),
            run_at: Set(stamp(now)),
            problem: Set(None),
            finished_at: Set(None),
            ..Default::default()
        };
        Entity::update(queued).exec(tx.db()).await?;
        tx.commit(Entry::new(now, Actor::Human, "job.retry", format!("job:{id}"))).await
    }

    /// Notes that a worker has done its job. Only the worker that holds the claim can.
    ///
    /// # Errors
    /// `NotFound` when the worker no longer holds it.
    pub async fn finish_job(&self, user: UserId, id: JobId, worker: &str, now: Instant) -> Result<()> {
        self.settle(user, id, worker, now, |_| (JobState::Done, None, None)).await
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
            if row.attempts >= MAX_ATTEMPTS {
                (JobState::Failed, problem, None)
            } else {
                let wait = TimeDelta::minutes(1 << row.attempts.clamp(0, 10));
                (JobState::Queued, problem, Some(now + wait))
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

    async fn settle(
        &self,
        user: UserId,
        id: JobId,
        worker: &str,
        now: Instant,
        settle: impl FnOnce(&Model) -> (JobState, Option<String>, Option<Instant>),
    ) -> Result<()> {
        let tx = self.write(user).await?;
        let row = Entity::find_by_id(id.get())
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::State.eq(JobState::Running.as_str()))
            .filter(Column::ClaimedBy.eq(worker))
            .one(tx.db())
            .await?
            .ok_or(Error::NotFound("claimed job"))?;
        let (state, problem, run_at) = settle(&row);
        let settled = ActiveModel {
            id: Set(row.id),
            state: Set(state.as_str().to_owned()),
            run_at: Set(stamp(run_at.unwrap_or(row.run_at))),
            claimed_by: Set(None),
            claimed_until: Set(None),
            problem: Set(problem),
            finished_at: Set((state != JobState::Queued).then_some(stamp(now))),
            ..Default::default()
        };
        Entity::update(settled).exec(tx.db()).await?;
        let action = if state == JobState::Done { "job.finish" } else { "job.fail" };
        tx.commit(Entry::new(now, Actor::System, action, format!("job:{id}"))).await
    }
}

async fn insert(tx: &Tx, kind: &str, payload: Json, run_at: Instant) -> Result<JobId> {
    let row = ActiveModel {
        id: NotSet,
        user_id: Set(tx.user().get()),
        kind: Set(kind.to_owned()),
        payload: Set(payload),
        state: Set(JobState::Queued.as_str().to_owned()),
        attempts: Set(0),
        run_at: Set(stamp(run_at)),
        claimed_by: Set(None),
        claimed_until: Set(None),
        problem: Set(None),
        finished_at: Set(None),
    };
    Ok(JobId::new(Entity::insert(row).exec(tx.db()).await?.last_insert_id))
}

fn enqueued(id: JobId, kind: &str, now: Instant) -> Entry {
    Entry::new(now, Actor::System, "job.enqueue", format!("job:{id} {kind}"))
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
        state: word(&row.state)?,
        attempts: row.attempts,
        run_at: row.run_at,
        problem: row.problem,
        finished_at: row.finished_at,
    })
}
