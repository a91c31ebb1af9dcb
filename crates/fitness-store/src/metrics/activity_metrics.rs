//! Measures from an activity's samples, and the metrics computed from them with the thresholds of
//! that day.

use crate::db::compress::{pack_json, unpack_json};
use crate::db::convert::{day, from_json, to_json};
use crate::db::entities::{activities, activity_details, activity_metrics, streams};
use crate::db::error::Result;
use crate::db::store::Store;
use crate::db::tx::Tx;
use crate::metrics::recompute_state::{RecomputeState, change_count, set_stale_from};
use crate::training::activities::{StoredActivity, stored_activity};
use crate::training::source_records::{ROWS_PER_STATEMENT, in_chunks};
use crate::training::streams::unpack_recording;
use chrono::NaiveDate;
use fitness_core::domain::activity::Activity;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::domain::source_record::{Details, SwimLength};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::stream::Recording;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::metrics::activity::{ActivityMetrics, Measures};
use fitness_core::metrics::load::LoadMethod;
use fitness_core::metrics::thresholds::detect::{DatedThresholdEvidence, ThresholdEvidence};
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, Statement,
};
use serde::de::DeserializeOwned;
use std::collections::HashMap;

/// An activity not measured yet, with its samples still compressed: decompressing takes CPU time.
#[derive(Debug)]
pub struct UnmeasuredActivity {
    pub id: ActivityId,
    pub activity: Activity,
    columns: Vec<streams::Model>,
    details: Option<Vec<u8>>,
}

impl UnmeasuredActivity {
    /// Samples and pool lengths. A damaged recording counts as none; the summary remains.
    #[must_use]
    pub fn unpack(&self) -> (Option<Recording>, Vec<SwimLength>) {
        let recording = unpack_recording(&self.columns).ok().flatten();
        let details = self.details.as_ref().and_then(|packed| unpack_json::<Details>(packed).ok());
        (recording, details.map(|details| details.lengths).unwrap_or_default())
    }
}

/// An activity with its measures.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredActivity {
    pub id: ActivityId,
    pub activity: Activity,
    /// Training load as last computed.
    pub load: Option<f64>,
    /// Whether the load is not only by duration.
    pub has_measured_load: bool,
    pub measures: Measures,
}

impl Store {
    /// Activities not measured by this version of the formulas.
    pub async fn list_unmeasured(&self, user: UserId, version: u32) -> Result<Vec<ActivityId>> {
        use activities::Column;
        let measured = Query::select()
            .column(activity_metrics::Column::ActivityId)
            .from(activity_metrics::Entity)
            .and_where(activity_metrics::Column::UserId.eq(user.get()))
            .and_where(activity_metrics::Column::Version.eq(i64::from(version)))
            .to_owned();
        // All three queries are answered from an index.
        let deleted = Query::select()
            .column(Column::Id)
            .from(activities::Entity)
            .and_where(Column::UserId.eq(user.get()))
            .and_where(Column::DeletedAt.is_not_null())
            .to_owned();
        let ids = activities::Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Id.not_in_subquery(measured))
            .filter(Column::Id.not_in_subquery(deleted))
            .order_by_asc(Column::Day)
            .order_by_asc(Column::Id)
            .into_tuple::<i64>()
            .all(self.reader())
            .await?;
        Ok(ids.into_iter().map(ActivityId::new).collect())
    }

    /// Activities with their samples, still compressed. Deleted ones are left out.
    pub async fn read_unmeasured(&self, user: UserId, ids: &[ActivityId]) -> Result<Vec<UnmeasuredActivity>> {
        use activities::Column;
        let db = self.snapshot().await?;
        let rows = activities::Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::DeletedAt.is_null())
            .filter(Column::Id.is_in(ids.iter().map(|id| id.get())))
            .all(&db)
            .await?;
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let mut columns: HashMap<i64, Vec<streams::Model>> = HashMap::new();
        let of_these = streams::Column::ActivityId.is_in(ids.iter().copied());
        for column in streams::Entity::find().filter(of_these).all(&db).await? {
            columns.entry(column.activity_id).or_default().push(column);
        }
        let of_these = activity_details::Column::ActivityId.is_in(ids.iter().copied());
        let details = activity_details::Entity::find().filter(of_these).all(&db).await?;
        let mut details: HashMap<i64, Vec<u8>> =
            details.into_iter().map(|row| (row.activity_id, row.packed)).collect();
        rows.into_iter()
            .map(|row| {
                let (columns, details) =
                    (columns.remove(&row.id).unwrap_or_default(), details.remove(&row.id));
                let stored = stored_activity(row)?;
                Ok(UnmeasuredActivity { id: stored.id, activity: stored.activity, columns, details })
            })
            .collect()
    }

    /// Stores measures, unless another process stored them meanwhile. `false` if inputs changed
    /// since `stale` was read; then nothing is stored.
    pub async fn put_measures(
        &self,
        user: UserId,
        version: u32,
        stale: RecomputeState,
        measured: Vec<(ActivityId, Day, Measures, Vec<ThresholdEvidence>)>,
    ) -> Result<bool> {
        let tx = self.begin_user_write(user).await?;
        if change_count(&tx).await? != stale.change_count {
            return Ok(false);
        }
        let first = measured.iter().map(|(_, day, ..)| *day).min();
        let row = |(id, _, measures, clues): (ActivityId, Day, Measures, Vec<ThresholdEvidence>)| {
            activity_metrics::ActiveModel {
                activity_id: Set(id.get()),
                user_id: Set(user.get()),
                version: Set(i64::from(version)),
                clues: Set(to_json(&clues)),
                measures: Set(pack_json(&measures)),
                judged: Set(None),
            }
        };
        use activity_metrics::Column;
        // Another process may have measured the same recording and computed its metrics already.
        let replace = OnConflict::column(Column::ActivityId)
            .update_columns([Column::Version, Column::Clues, Column::Measures, Column::Judged])
            .action_and_where(Expr::col((activity_metrics::Entity, Column::Version)).ne(i64::from(version)))
            .to_owned();
        let mut kept = 0;
        for some in in_chunks(measured.into_iter().map(row).collect()) {
            let insert = activity_metrics::Entity::insert_many(some).on_conflict(replace.clone());
            kept += insert.exec_without_returning(tx.db()).await?;
        }
        // New measures have no metrics yet.
        if let Some(first) = first.filter(|_| kept > 0) {
            set_stale_from(&tx, first, false).await?;
        }
        tx.commit_without_audit().await?;
        Ok(true)
    }

    /// Activities since a day with their measures, by day and start time.
    ///
    /// # Errors
    /// `Unreadable` if stored data is damaged.
    pub async fn list_measured(&self, user: UserId, from: Day) -> Result<Vec<MeasuredActivity>> {
        let found = self.list_measures(user, from, Condition::all()).await?;
        Ok(found
            .into_iter()
            .map(|(StoredActivity { id, activity, load, load_method, .. }, measures)| MeasuredActivity {
                id,
                activity,
                load,
                has_measured_load: load.is_some() && load_method != Some(LoadMethod::Duration),
                measures,
            })
            .collect())
    }

    /// As above for runs only, with only the part `T` of the measures.
    pub(crate) async fn list_measured_runs<T: DeserializeOwned>(
        &self,
        user: UserId,
        from: Day,
    ) -> Result<Vec<(StoredActivity, T)>> {
        let runs = Condition::all().add(activities::Column::Sport.eq(Sport::Running.as_str()));
        self.list_measures(user, from, runs).await
    }

    async fn list_measures<T: DeserializeOwned>(
        &self,
        user: UserId,
        from: Day,
        which: Condition,
    ) -> Result<Vec<(StoredActivity, T)>> {
        let db = self.snapshot().await?;
        let rows = activities::Entity::find()
            .filter(activities::Column::UserId.eq(user.get()))
            .filter(activities::Column::Day.gte(from.date()))
            .filter(activities::Column::DeletedAt.is_null())
            .filter(which)
            .order_by_asc(activities::Column::Day)
            .order_by_asc(activities::Column::StartedAt)
            .order_by_asc(activities::Column::Id)
            .all(&db)
            .await?;
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let mut packed = read_packed_metrics(&db, &ids).await?;
        let mut measured = Vec::with_capacity(rows.len());
        for row in rows {
            let Some(PackedMetrics { measures, .. }) = packed.remove(&row.id) else { continue };
            measured.push((stored_activity(row)?, unpack_json(&measures)?));
        }
        Ok(measured)
    }

    /// The part `T` of some activities' metrics; activities without metrics are absent.
    pub(crate) async fn read_metrics_part<T: DeserializeOwned>(
        &self,
        ids: &[i64],
    ) -> Result<HashMap<i64, T>> {
        let packed = read_packed_metrics(self.reader(), ids).await?;
        let judged = packed.into_iter().filter_map(|(id, packed)| Some((id, packed.metrics?)));
        judged.map(|(id, judged)| Ok((id, unpack_json(&judged)?))).collect()
    }

    /// Activities of a period with measures and metrics, by start time; those without metrics are
    /// left out.
    ///
    /// # Errors
    /// `Unreadable` if stored data is damaged.
    pub async fn list_activity_metrics(
        &self,
        user: UserId,
        from: Day,
        through: Day,
    ) -> Result<Vec<(ActivityId, Activity, Measures, ActivityMetrics)>> {
        let rows = self.list_activities(user, from, through).await?;
        let ids: Vec<i64> = rows.iter().map(|row| row.id.get()).collect();
        let mut packed = read_packed_metrics(self.reader(), &ids).await?;
        let mut found = Vec::with_capacity(rows.len());
        for row in rows {
            if let Some(PackedMetrics { measures, metrics: Some(judged) }) = packed.remove(&row.id.get()) {
                found.push((row.id, row.activity, unpack_json(&measures)?, unpack_json(&judged)?));
            }
        }
        Ok(found)
    }

    /// Metrics of some activities before a day; those without metrics are left out.
    ///
    /// # Errors
    /// `Unreadable` if stored data is damaged.
    pub async fn read_activity_metrics(
        &self,
        user: UserId,
        ids: &[ActivityId],
        before: Day,
    ) -> Result<Vec<(ActivityId, Measures, ActivityMetrics)>> {
        use activities::Column;
        let mut found = Vec::new();
        for some in ids.chunks(ROWS_PER_STATEMENT) {
            let earlier = activities::Entity::find()
                .select_only()
                .column(Column::Id)
                .filter(Column::UserId.eq(user.get()))
                .filter(Column::DeletedAt.is_null())
                .filter(Column::Day.lt(before.date()))
                .filter(Column::Id.is_in(some.iter().map(|id| id.get())))
                .into_tuple::<i64>()
                .all(self.reader())
                .await?;
            for (id, PackedMetrics { measures, metrics: judged }) in
                read_packed_metrics(self.reader(), &earlier).await?
            {
                if let Some(judged) = judged {
                    found.push((ActivityId::new(id), unpack_json(&measures)?, unpack_json(&judged)?));
                }
            }
        }
        Ok(found)
    }

    /// Threshold evidence from the activities of a period.
    pub async fn list_threshold_candidates(
        &self,
        user: UserId,
        from: Day,
        through: Day,
    ) -> Result<Vec<DatedThresholdEvidence>> {
        let sql = "SELECT a.day, m.clues FROM activities a JOIN activity_metrics m ON m.activity_id = a.id \
                   WHERE a.user_id = $1 AND a.day BETWEEN $2 AND $3 AND a.deleted_at IS NULL ORDER BY a.started_at, a.id";
        let values = [user.get().into(), from.date().into(), through.date().into()];
        let rows =
            self.reader().query_all_raw(Statement::from_sql_and_values(self.backend(), sql, values)).await?;
        let mut found = Vec::new();
        for row in rows {
            let day = day(row.try_get::<NaiveDate>("", "day")?)?;
            let clues: Vec<ThresholdEvidence> = from_json(row.try_get("", "clues")?)?;
            found.extend(clues.into_iter().map(|clue| DatedThresholdEvidence { day, evidence: clue }));
        }
        Ok(found)
    }

    /// Measures of an activity, and its metrics once they are computed.
    ///
    /// # Errors
    /// `Unreadable` if stored data is damaged.
    pub async fn find_activity_metrics(
        &self,
        user: UserId,
        activity: ActivityId,
    ) -> Result<Option<(Measures, Option<ActivityMetrics>)>> {
        let row = activity_metrics::Entity::find_by_id(activity.get())
            .filter(activity_metrics::Column::UserId.eq(user.get()))
            .one(self.reader())
            .await?;
        let Some(row) = row else { return Ok(None) };
        let judged = row.judged.map(|packed| unpack_json(&packed)).transpose()?;
        Ok(Some((unpack_json(&row.measures)?, judged)))
    }
}

/// Stored measures and metrics, still compressed.
struct PackedMetrics {
    measures: Vec<u8>,
    metrics: Option<Vec<u8>>,
}

/// Stored measures and metrics of some activities; those not measured yet are absent.
async fn read_packed_metrics(db: &impl ConnectionTrait, ids: &[i64]) -> Result<HashMap<i64, PackedMetrics>> {
    use activity_metrics::Column;
    let mut found = HashMap::with_capacity(ids.len());
    for some in ids.chunks(ROWS_PER_STATEMENT) {
        let rows = activity_metrics::Entity::find()
            .select_only()
            .columns([Column::ActivityId, Column::Measures, Column::Judged])
            .filter(Column::ActivityId.is_in(some.iter().copied()))
            .into_tuple::<(i64, Vec<u8>, Option<Vec<u8>>)>()
            .all(db)
            .await?;
        found.extend(
            rows.into_iter().map(|(id, measures, judged)| (id, PackedMetrics { measures, metrics: judged })),
        );
    }
    Ok(found)
}

/// Deletes measures, so that they are computed again.
pub(crate) async fn delete_measures(tx: &Tx, activities: &[i64]) -> Result<()> {
    for some in activities.chunks(ROWS_PER_STATEMENT) {
        activity_metrics::Entity::delete_many()
            .filter(activity_metrics::Column::ActivityId.is_in(some.iter().copied()))
            .exec(tx.db())
            .await?;
    }
    Ok(())
}

/// Stores metrics and training loads; unchanged ones are not written again.
pub(crate) async fn put_activity_metrics(tx: &Tx, judged: Vec<(ActivityId, ActivityMetrics)>) -> Result<()> {
    let ids: Vec<i64> = judged.iter().map(|(id, _)| id.get()).collect();
    let before = read_packed_metrics(tx.db(), &ids).await?;
    for (id, judged) in judged {
        let means = pack_json(&judged);
        if before.get(&id.get()).and_then(|row| row.metrics.as_ref()) == Some(&means) {
            continue;
        }
        let load = judged.load.as_ref().ok();
        activity_metrics::Entity::update_many()
            .col_expr(activity_metrics::Column::Judged, Expr::value(means))
            .filter(activity_metrics::Column::ActivityId.eq(id.get()))
            .exec(tx.db())
            .await?;
        activities::Entity::update_many()
            .col_expr(activities::Column::Load, Expr::value(load.map(|load| load.value)))
            .col_expr(activities::Column::LoadQuality, Expr::value(load.map(|load| load.quality.as_str())))
            .col_expr(activities::Column::LoadMethod, Expr::value(load.map(|load| load.method.as_str())))
            .col_expr(activities::Column::MeasuredMovingMs, Expr::value(judged.moving.map(TimeSpan::ms)))
            .col_expr(activities::Column::MeasuredAscentMm, Expr::value(judged.ascent.map(Distance::mm)))
            .filter(activities::Column::Id.eq(id.get()))
            .exec(tx.db())
            .await?;
    }
    Ok(())
}
