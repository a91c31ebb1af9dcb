//! Sync runs: the result of each import or sync, and which days it makes complete. The data
//! frontier is computed from them.

use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::convert::{day, parse_text};
use crate::db::entities::sync_runs::{ActiveModel, Column, Entity, Model};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::{Store, truncate_to_micros};
use crate::import::batch;
use crate::import::sources::require_source;
use crate::training::profile;
use chrono::TimeDelta;
use fitness_core::adherence::data_frontier::{CoverageEvidence, DataFrontier, ImportCoverage};
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

/// A run that started earlier counts as interrupted.
const ABANDONED_AFTER: TimeDelta = TimeDelta::days(1);

fitness_core::string_enum! {
    pub enum SyncRunKind("kind of sync") {
        /// Files from disk or an upload.
        File = "file",
        /// A whole account export.
        Export = "export",
        Live = "live",
        /// The athlete declared a day complete.
        Declared = "declared",
    }
}

fitness_core::string_enum! {
    pub enum SyncRunState("state of a sync") {
        Running = "running",
        Done = "done",
        Partial = "partial",
        Failed = "failed",
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SyncRun {
    pub id: SyncRunId,
    /// The connected service; `None` for files.
    pub source: Option<SourceId>,
    pub kind: SyncRunKind,
    pub state: SyncRunState,
    pub started_at: Instant,
    pub finished_at: Option<Instant>,
    /// Days that the run makes complete.
    pub coverage: ImportCoverage,
    /// Counts of what was imported and skipped.
    pub summary: Json,
    pub problem: Option<String>,
}

#[derive(Debug, Clone)]
pub struct SyncRunOutcome {
    /// The actual kind, if it became known only during the run.
    pub kind: Option<SyncRunKind>,
    pub state: SyncRunState,
    /// Evidence for complete days; empty if the run failed.
    pub evidence: Vec<CoverageEvidence>,
    /// Counts of what was imported and skipped.
    pub summary: Json,
    pub problem: Option<String>,
    /// Files and archives that were completely read.
    pub files: FinishedFiles,
}

/// Completely read files. Stored together with the coverage of their run: a file marked as read
/// although its run was interrupted would never be read again, and its days never graded.
#[derive(Debug, Clone, Default)]
pub struct FinishedFiles {
    /// Parser version and settings.
    pub reader: String,
    pub hashes: Vec<ContentHash>,
}

impl Store {
    /// Starts a run. Until it finishes it makes no day complete.
    ///
    /// # Errors
    /// `NotFound` if there is no such user, or the source is not theirs.
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
        // Close runs of killed processes.
        Entity::update_many()
            .col_expr(Column::State, Expr::value(SyncRunState::Failed.as_str()))
            .col_expr(Column::FinishedAt, Expr::value(truncate_to_micros(now)))
            .col_expr(Column::Problem, Expr::value("interrupted before it finished"))
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

    /// Finishes a run and stores its coverage, in the athlete's time zone.
    ///
    /// # Errors
    /// `NotFound` if the user has no such running sync.
    pub async fn finish_sync_run(
        &self,
        user: UserId,
        id: SyncRunId,
        outcome: SyncRunOutcome,
        now: Instant,
    ) -> Result<ImportCoverage> {
        let tx = self.begin_user_write(user).await?;
        let row = Entity::find_by_id(id.get())
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::State.eq(SyncRunState::Running.as_str()))
            .one(tx.db())
            .await?
            .ok_or(Error::NotFound(RecordKind::RunningSync))?;
        let zone = profile::profile(tx.db(), user).await?.zone;
        let coverage = outcome
            .evidence
            .into_iter()
            .map(|evidence| ImportCoverage::from_evidence(evidence.capped_at(now), zone))
            .fold(ImportCoverage::default(), ImportCoverage::union);
        let coverage =
            if outcome.state == SyncRunState::Failed { ImportCoverage::default() } else { coverage };
        let kind = outcome.kind.map_or(row.kind, |kind| kind.as_str().to_owned());
        let object = format!("sync:{id} kind:{kind}");
        let finished = ActiveModel {
            id: Set(row.id),
            kind: Set(kind),
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
        tx.commit(NewAuditEntry::new(now, Actor::System, AuditAction::SyncFinish, object)).await?;
        Ok(coverage)
    }

    /// Records the athlete's statement that a day is complete.
    pub async fn declare_day_complete(&self, user: UserId, day: Day, now: Instant) -> Result<ImportCoverage> {
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
    pub async fn list_sync_runs(&self, user: UserId, limit: u64) -> Result<Vec<SyncRun>> {
        let rows = Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .order_by_desc(Column::Id)
            .limit(limit)
            .all(self.reader())
            .await?;
        rows.into_iter().map(sync_run).collect()
    }

    /// The last day covered by the latest complete sync of a source.
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

    /// The data frontier of a user.
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
    Ok(DataFrontier::from_runs([ImportCoverage::new(
        complete.map(day).transpose()?,
        open.map(day).transpose()?,
    )]))
}

fn sync_run(row: Model) -> Result<SyncRun> {
    Ok(SyncRun {
        id: SyncRunId::new(row.id),
        source: row.source_id.map(SourceId::new),
        kind: parse_text(&row.kind)?,
        state: parse_text(&row.state)?,
        started_at: row.started_at,
        finished_at: row.finished_at,
        coverage: ImportCoverage::new(
            row.complete_through.map(day).transpose()?,
            row.open_day.map(day).transpose()?,
        ),
        summary: row.summary,
        problem: row.problem,
    })
}
