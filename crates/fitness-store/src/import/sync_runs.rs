//! Sync runs: what each import or sync did, and what it proved about days. The frontier is made of these.

use crate::db::audit::{Actor, NewAuditEntry};
use crate::db::convert::{day, parse_text};
use crate::db::entities::sync_runs::{ActiveModel, Column, Entity, Model};
use crate::db::error::{Error, Result};
use crate::db::store::{Store, truncate_to_micros};
use crate::import::batch;
use crate::import::sources::require_source;
use crate::training::profile;
use chrono::TimeDelta;
use fitness_core::adherence::data_frontier::{Coverage, CoverageEvidence, DataFrontier};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{SourceId, SyncRunId, UserId};
use sea_orm::prelude::Json;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde::Serialize;

/// No import takes longer.
const ABANDONED_AFTER: TimeDelta = TimeDelta::days(1);

fitness_core::string_enum! {
    /// What kind of run it was.
    pub enum SyncRunKind("kind of sync") {
        /// Files from disk or upload.
        File = "file",
        /// A whole account export.
        Export = "export",
        /// A live service.
        Live = "live",
        /// The athlete said a day is complete.
        Declared = "declared",
    }
}

fitness_core::string_enum! {
    /// How it went.
    pub enum SyncRunState("state of a sync") {
        /// Still going.
        Running = "running",
        /// All of it worked.
        Done = "done",
        /// Some of it worked.
        Partial = "partial",
        /// None of it worked.
        Failed = "failed",
    }
}

/// One run of an import or a sync.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SyncRun {
    /// Its id.
    pub id: SyncRunId,
    /// The source, where there is one.
    pub source: Option<SourceId>,
    /// What kind of run.
    pub kind: SyncRunKind,
    /// How it went.
    pub state: SyncRunState,
    /// When it began.
    pub started_at: Instant,
    /// When it ended.
    pub finished_at: Option<Instant>,
    /// What it proved about days.
    pub coverage: Coverage,
    /// Counts of what was imported and skipped.
    pub summary: Json,
    /// What went wrong, in a sentence.
    pub problem: Option<String>,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub struct SyncRunOutcome {
    /// What kind of run it turned out to be, where that shows only on the way.
    pub kind: Option<SyncRunKind>,
    /// How it went; never `Running`.
    pub state: SyncRunState,
    /// What it brought that says something about days. A failed run brings none.
    pub evidence: Vec<CoverageEvidence>,
    /// Counts of what was imported and skipped.
    pub summary: Json,
    /// What went wrong, in a sentence.
    pub problem: Option<String>,
    /// Files and archives that this run read to their end.
    pub files: FinishedFiles,
}

/// Files that were read to their end. They are stored together with what their run proved: a file that counts as read
/// although its run was cut off would never be read again, and its days never be graded.
#[derive(Debug, Clone, Default)]
pub struct FinishedFiles {
    /// The reader that read them: its version, and what it took for granted.
    pub reader: String,
    /// The hash of each file.
    pub hashes: Vec<ContentHash>,
}

impl Store {
    /// Notes that a run has begun. Until it finishes it proves nothing.
    ///
    /// # Errors
    /// `NotFound` when there is no such user, or it is not their source.
    pub async fn begin_sync_run(
        &self,
        user: UserId,
        kind: SyncRunKind,
        source: Option<SourceId>,
        now: Instant,
    ) -> Result<SyncRunId> {
        let tx = self.begin_user_write(user).await?;
        if let Some(source) = source {
            require_source(tx.db(), user, source).await?;
        }
        // A run whose program was killed never said how it ended.
        Entity::update_many()
            .col_expr(Column::State, Expr::value(SyncRunState::Failed.as_str()))
            .col_expr(Column::FinishedAt, Expr::value(truncate_to_micros(now)))
            .col_expr(Column::Problem, Expr::value("it was interrupted"))
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::State.eq(SyncRunState::Running.as_str()))
            .filter(Column::StartedAt.lt(truncate_to_micros(now - ABANDONED_AFTER)))
            .exec(tx.db())
            .await?;
        let row = ActiveModel {
            id: NotSet,
            user_id: Set(user.get()),
            source_id: Set(source.map(SourceId::get)),
            kind: Set(kind.as_str().to_owned()),
            state: Set(SyncRunState::Running.as_str().to_owned()),
            started_at: Set(truncate_to_micros(now)),
            finished_at: Set(None),
            complete_through: Set(None),
            open_day: Set(None),
            summary: Set(serde_json::json!({})),
            problem: Set(None),
        };
        let id = Entity::insert(row).exec(tx.db()).await?.last_insert_id;
        tx.commit_without_audit().await?;
        Ok(SyncRunId::new(id))
    }

    /// Notes how a run ended and what it proved, in the athlete's zone.
    ///
    /// # Errors
    /// `NotFound` when the user has no such running run.
    pub async fn finish_sync_run(
        &self,
        user: UserId,
        id: SyncRunId,
        outcome: SyncRunOutcome,
        now: Instant,
    ) -> Result<Coverage> {
        let tx = self.begin_user_write(user).await?;
        let row = Entity::find_by_id(id.get())
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::State.eq(SyncRunState::Running.as_str()))
            .one(tx.db())
            .await?
            .ok_or(Error::NotFound("running sync"))?;
        let zone = profile::profile(tx.db(), user).await?.zone;
        let coverage = outcome
            .evidence
            .into_iter()
            .map(|evidence| Coverage::from_evidence(evidence.capped_at(now), zone))
            .fold(Coverage::default(), Coverage::union);
        let coverage = if outcome.state == SyncRunState::Failed { Coverage::default() } else { coverage };
        let finished = ActiveModel {
            id: Set(row.id),
            kind: Set(outcome.kind.map_or(row.kind, |kind| kind.as_str().to_owned())),
            state: Set(outcome.state.as_str().to_owned()),
            finished_at: Set(Some(truncate_to_micros(now))),
            complete_through: Set(coverage.complete_through().map(Day::date)),
            open_day: Set(coverage.open_day().map(Day::date)),
            summary: Set(outcome.summary),
            problem: Set(outcome.problem),
            ..Default::default()
        };
        Entity::update(finished).exec(tx.db()).await?;
        batch::put_finished_files(&tx, outcome.files, now).await?;
        tx.commit(NewAuditEntry::new(now, Actor::System, "sync.finish", format!("sync:{id}"))).await?;
        Ok(coverage)
    }

    /// Takes the athlete's word that a day is complete.
    ///
    /// # Errors
    /// When there is no such user.
    pub async fn declare_day_complete(&self, user: UserId, day: Day, now: Instant) -> Result<Coverage> {
        let id = self.begin_sync_run(user, SyncRunKind::Declared, None, now).await?;
        let evidence = vec![CoverageEvidence::Declared { day, declared_at: now }];
        let summary = serde_json::json!({ "day": day });
        self.finish_sync_run(
            user,
            id,
            SyncRunOutcome {
                kind: None,
                state: SyncRunState::Done,
                evidence,
                summary,
                problem: None,
                files: FinishedFiles::default(),
            },
            now,
        )
        .await
    }

    /// A user's newest runs, newest first.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_sync_runs(&self, user: UserId, limit: u64) -> Result<Vec<SyncRun>> {
        let rows = Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .order_by_desc(Column::Id)
            .limit(limit)
            .all(self.reader())
            .await?;
        rows.into_iter().map(sync_run).collect()
    }

    /// Through which day the last sync of a source reaches that brought everything it asked for.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_synced_through(&self, user: UserId, source: SourceId) -> Result<Option<Day>> {
        let last = Entity::find()
            .select_only()
            .column_as(Column::CompleteThrough.max(), "complete")
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::SourceId.eq(source.get()))
            .filter(Column::State.eq(SyncRunState::Done.as_str()))
            .into_tuple::<Option<chrono::NaiveDate>>()
            .one(self.reader())
            .await?;
        last.flatten().map(day).transpose()
    }

    /// How far a user's data reaches.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn frontier(&self, user: UserId) -> Result<DataFrontier> {
        frontier(self.reader(), user).await
    }
}

pub(crate) async fn frontier(db: &impl ConnectionTrait, user: UserId) -> Result<DataFrontier> {
    let furthest = Entity::find()
        .select_only()
        .column_as(Column::CompleteThrough.max(), "complete")
        .column_as(Column::OpenDay.max(), "open")
        .filter(Column::UserId.eq(user.get()))
        .into_tuple::<(Option<chrono::NaiveDate>, Option<chrono::NaiveDate>)>()
        .one(db)
        .await?;
    let (complete, open) = furthest.unwrap_or_default();
    Ok(DataFrontier::from_runs([Coverage::new(complete.map(day).transpose()?, open.map(day).transpose()?)]))
}

fn sync_run(row: Model) -> Result<SyncRun> {
    Ok(SyncRun {
        id: SyncRunId::new(row.id),
        source: row.source_id.map(SourceId::new),
        kind: parse_text(&row.kind)?,
        state: parse_text(&row.state)?,
        started_at: row.started_at,
        finished_at: row.finished_at,
        coverage: Coverage::new(
            row.complete_through.map(day).transpose()?,
            row.open_day.map(day).transpose()?,
        ),
        summary: row.summary,
        problem: row.problem,
    })
}
