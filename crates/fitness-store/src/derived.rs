//! What is worked out from the data: measures of activities, their loads, and what each day means.
//!
//! Whoever changes an input notes in the same transaction from which day on the rest is stale ([`touch`]); whoever
//! works it out again hands in what they saw when they began, and is refused when somebody changed something since.
//! All of it can be dropped and made again.

use crate::activities::stored;
use crate::audit::{Actor, Entry};
use crate::entities::{
    activities, activity_details, activity_metrics, daily_metrics, derivations, streams, thresholds,
};
use crate::error::Result;
use crate::pack::{pack_json, unpack_json};
use crate::read::{day, json, to_json};
use crate::reports::{ROWS_AT_ONCE, in_chunks};
use crate::store::Store;
use crate::streams::unpacked;
use crate::tx::Tx;
use chrono::NaiveDate;
use fitness_core::activity::Activity;
use fitness_core::athlete::{Threshold, ThresholdOrigin};
use fitness_core::calendar::{Day, Instant};
use fitness_core::ids::{ActivityId, UserId};
use fitness_core::metrics::analysis::{Judged, Measures};
use fitness_core::metrics::day::{DayMetrics, DayState};
use fitness_core::metrics::detect::Clue;
use fitness_core::report::{Details, PoolLength};
use fitness_core::stream::Recording;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Statement,
};
use std::collections::HashMap;

/// How far things are worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stale {
    /// The first day of which something has changed since; `None` when nothing has.
    pub from: Option<Day>,
    /// The last complete day that is worked out.
    pub settled_through: Option<Day>,
    /// How often something was changed.
    touched: i64,
}

/// An activity whose samples have not been looked at yet, still packed: unpacking is the work of a core.
#[derive(Debug)]
pub struct Unmeasured {
    /// Which.
    pub id: ActivityId,
    /// What it is, without laps.
    pub activity: Activity,
    columns: Vec<streams::Model>,
    details: Option<Vec<u8>>,
}

impl Unmeasured {
    /// Its samples and pool lengths. A recording that is damaged is none: the summary is left.
    #[must_use]
    pub fn unpack(&self) -> (Option<Recording>, Vec<PoolLength>) {
        let recording = unpacked(&self.columns).ok().flatten();
        let details = self.details.as_ref().and_then(|packed| unpack_json::<Details>(packed).ok());
        (recording, details.map(|details| details.lengths).unwrap_or_default())
    }
}

/// An activity and what its samples say.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Which.
    pub id: ActivityId,
    /// What it is, without laps.
    pub activity: Activity,
    /// Its load, as last worked out.
    pub load: Option<f64>,
    /// What its samples say.
    pub measures: Measures,
}

/// What an earlier activity suggests about the athlete's limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Past {
    /// Which.
    pub id: ActivityId,
    /// The day it began.
    pub day: Day,
    /// What it suggests.
    pub clues: Vec<Clue>,
}

/// Everything worked out from a day on.
#[derive(Debug, Clone, Default)]
pub struct Derived {
    /// The first day; what was worked out for it and later days is replaced.
    pub from: Option<Day>,
    /// What each activity means.
    pub judged: Vec<(ActivityId, Judged)>,
    /// What each day means.
    pub days: Vec<DayMetrics>,
    /// Limits that were detected, from their days on.
    pub detected: Vec<Threshold>,
}

impl Stale {
    /// Whether nothing was changed between two readings.
    #[must_use]
    pub const fn is_of_the_same_data_as(&self, other: &Self) -> bool {
        self.touched == other.touched
    }
}

impl Store {
    /// How far things are worked out.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn stale(&self, user: UserId) -> Result<Stale> {
        let row = derivations::Entity::find_by_id(user.get()).one(self.reader()).await?;
        let Some(row) = row else { return Ok(Stale::default()) };
        Ok(Stale {
            from: row.stale_from.map(day).transpose()?,
            settled_through: row.settled_through.map(day).transpose()?,
            touched: row.touched,
        })
    }

    /// Activities whose samples have not been looked at by this version of the formulas; deleted ones may be among them.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_unmeasured(&self, user: UserId, version: u32) -> Result<Vec<ActivityId>> {
        use activities::Column;
        let measured = Query::select()
            .column(activity_metrics::Column::ActivityId)
            .from(activity_metrics::Entity)
            .and_where(activity_metrics::Column::UserId.eq(user.get()))
            .and_where(activity_metrics::Column::Version.eq(i64::from(version)))
            .to_owned();
        // Both sides are answered from an index; whoever reads the rows sees which were deleted.
        let ids = activities::Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Id.not_in_subquery(measured))
            .order_by_asc(Column::Day)
            .order_by_asc(Column::Id)
            .into_tuple::<i64>()
            .all(self.reader())
            .await?;
        Ok(ids.into_iter().map(ActivityId::new).collect())
    }

    /// Some activities with their samples, still packed. Deleted ones are left out.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn read_unmeasured(&self, user: UserId, ids: &[ActivityId]) -> Result<Vec<Unmeasured>> {
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
                let stored = stored(row)?;
                Ok(Unmeasured { id: stored.id, activity: stored.activity, columns, details })
            })
            .collect()
    }

    /// Keeps what the samples of activities say. What somebody else has measured meanwhile stays as it is. `false` when
    /// something was changed since `stale` was read: then nothing is kept.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn put_measures(
        &self,
        user: UserId,
        version: u32,
        stale: Stale,
        measured: Vec<(ActivityId, Day, Measures, Vec<Clue>)>,
    ) -> Result<bool> {
        let tx = self.write(user).await?;
        if touched(&tx).await? != stale.touched {
            return Ok(false);
        }
        let first = measured.iter().map(|(_, day, ..)| *day).min();
        let row = |(id, _, measures, clues): (ActivityId, Day, Measures, Vec<Clue>)| {
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
        // Whoever measured the same recording first may have judged it by now.
        let replace = OnConflict::column(Column::ActivityId)
            .update_columns([Column::Version, Column::Clues, Column::Measures, Column::Judged])
            .action_and_where(Expr::col((activity_metrics::Entity, Column::Version)).ne(i64::from(version)))
            .to_owned();
        let mut kept = 0;
        for some in in_chunks(measured.into_iter().map(row).collect()) {
            let insert = activity_metrics::Entity::insert_many(some).on_conflict(replace.clone());
            kept += insert.exec_without_returning(tx.db()).await?;
        }
        // What is measured is not judged yet, whatever was settled when this began.
        if let Some(first) = first.filter(|_| kept > 0) {
            mark(&tx, first, false).await?;
        }
        tx.commit_bookkeeping().await?;
        Ok(true)
    }

    /// Activities from a day on with what their samples say, by day and then in the order they began.
    ///
    /// # Errors
    /// `Unreadable` when what is stored is damaged.
    pub async fn list_measured(&self, user: UserId, from: Day) -> Result<Vec<Measured>> {
        let db = self.snapshot().await?;
        let rows = activities::Entity::find()
            .filter(activities::Column::UserId.eq(user.get()))
            .filter(activities::Column::Day.gte(from.date()))
            .filter(activities::Column::DeletedAt.is_null())
            .order_by_asc(activities::Column::Day)
            .order_by_asc(activities::Column::StartedAt)
            .order_by_asc(activities::Column::Id)
            .all(&db)
            .await?;
        let mut measured = Vec::with_capacity(rows.len());
        for some in rows.chunks(ROWS_AT_ONCE) {
            use activity_metrics::Column;
            let packed = activity_metrics::Entity::find()
                .select_only()
                .columns([Column::ActivityId, Column::Measures])
                .filter(Column::ActivityId.is_in(some.iter().map(|row| row.id)))
                .into_tuple::<(i64, Vec<u8>)>()
                .all(&db)
                .await?;
            let mut packed: HashMap<i64, Vec<u8>> = packed.into_iter().collect();
            for row in some {
                let Some(measures) = packed.remove(&row.id) else { continue };
                let stored = stored(row.clone())?;
                measured.push(Measured {
                    id: stored.id,
                    activity: stored.activity,
                    load: stored.load,
                    measures: unpack_json(&measures)?,
                });
            }
        }
        Ok(measured)
    }

    /// Activities from one day through another with what their samples say and what that means, in the order they
    /// began; those that are not worked out yet are left out.
    ///
    /// # Errors
    /// `Unreadable` when what is stored is damaged.
    pub async fn list_judged(
        &self,
        user: UserId,
        from: Day,
        through: Day,
    ) -> Result<Vec<(ActivityId, Activity, Measures, Judged)>> {
        use activity_metrics::Column;
        let rows = self.list_activities(user, from, through).await?;
        let mut found = Vec::with_capacity(rows.len());
        for some in rows.chunks(ROWS_AT_ONCE) {
            let packed = activity_metrics::Entity::find()
                .select_only()
                .columns([Column::ActivityId, Column::Measures, Column::Judged])
                .filter(Column::ActivityId.is_in(some.iter().map(|row| row.id.get())))
                .into_tuple::<(i64, Vec<u8>, Option<Vec<u8>>)>()
                .all(self.reader())
                .await?;
            let mut packed: HashMap<i64, (Vec<u8>, Option<Vec<u8>>)> =
                packed.into_iter().map(|(id, measures, judged)| (id, (measures, judged))).collect();
            for row in some {
                if let Some((measures, Some(judged))) = packed.remove(&row.id.get()) {
                    found.push((
                        row.id,
                        row.activity.clone(),
                        unpack_json(&measures)?,
                        unpack_json(&judged)?,
                    ));
                }
            }
        }
        Ok(found)
    }

    /// What some activities of the days before one mean; those that are not worked out yet are left out.
    ///
    /// # Errors
    /// `Unreadable` when what is stored is damaged.
    pub async fn read_judged(
        &self,
        user: UserId,
        ids: &[ActivityId],
        before: Day,
    ) -> Result<Vec<(ActivityId, Measures, Judged)>> {
        use activity_metrics::Column;
        let mut found = Vec::new();
        for some in ids.chunks(ROWS_AT_ONCE) {
            let earlier = Query::select()
                .column(activities::Column::Id)
                .from(activities::Entity)
                .and_where(activities::Column::UserId.eq(user.get()))
                .and_where(activities::Column::DeletedAt.is_null())
                .and_where(activities::Column::Day.lt(before.date()))
                .and_where(activities::Column::Id.is_in(some.iter().map(|id| id.get())))
                .to_owned();
            let rows = activity_metrics::Entity::find()
                .filter(Column::UserId.eq(user.get()))
                .filter(Column::ActivityId.in_subquery(earlier))
                .all(self.reader())
                .await?;
            for row in rows {
                if let Some(judged) = row.judged {
                    let id = ActivityId::new(row.activity_id);
                    found.push((id, unpack_json(&row.measures)?, unpack_json(&judged)?));
                }
            }
        }
        Ok(found)
    }

    /// What the activities from one day through another suggest about the athlete's limits.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_clues(&self, user: UserId, from: Day, through: Day) -> Result<Vec<Past>> {
        let sql = "SELECT a.id, a.day, m.clues FROM activities a JOIN activity_metrics m ON m.activity_id = a.id \
                   WHERE a.user_id = $1 AND a.day BETWEEN $2 AND $3 AND a.deleted_at IS NULL ORDER BY a.started_at, a.id";
        let values = [user.get().into(), from.date().into(), through.date().into()];
        let rows =
            self.reader().query_all_raw(Statement::from_sql_and_values(self.backend(), sql, values)).await?;
        rows.into_iter()
            .map(|row| {
                Ok(Past {
                    id: ActivityId::new(row.try_get("", "id")?),
                    day: day(row.try_get::<NaiveDate>("", "day")?)?,
                    clues: json(row.try_get("", "clues")?)?,
                })
            })
            .collect()
    }

    /// What an activity means, once that is worked out.
    ///
    /// # Errors
    /// `Unreadable` when what is stored is damaged.
    pub async fn find_metrics(
        &self,
        user: UserId,
        activity: ActivityId,
    ) -> Result<Option<(Measures, Option<Judged>)>> {
        let row = activity_metrics::Entity::find_by_id(activity.get())
            .filter(activity_metrics::Column::UserId.eq(user.get()))
            .one(self.reader())
            .await?;
        let Some(row) = row else { return Ok(None) };
        let judged = row.judged.map(|packed| unpack_json(&packed)).transpose()?;
        Ok(Some((unpack_json(&row.measures)?, judged)))
    }

    /// What the days from one through another mean, as far as that is worked out.
    ///
    /// # Errors
    /// `Unreadable` when what is stored is damaged.
    pub async fn list_day_metrics(&self, user: UserId, from: Day, through: Day) -> Result<Vec<DayMetrics>> {
        use daily_metrics::Column;
        let rows = daily_metrics::Entity::find()
            .select_only()
            .column(Column::Packed)
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Day.between(from.date(), through.date()))
            .order_by_asc(Column::Day)
            .into_tuple::<Vec<u8>>()
            .all(self.reader())
            .await?;
        rows.iter().map(|packed| unpack_json(packed)).collect()
    }

    /// The state on the evening of a day, for whoever goes on from there.
    ///
    /// # Errors
    /// `Unreadable` when what is stored is damaged.
    pub async fn find_day_state(&self, user: UserId, on: Day) -> Result<Option<DayState>> {
        let days = self.list_day_metrics(user, on, on).await?;
        Ok(days.into_iter().next().and_then(|day| day.state))
    }

    /// The day of the first activity or the first report about a day.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn first_day(&self, user: UserId) -> Result<Option<Day>> {
        use crate::entities::daily_wellness;
        let activity = activities::Entity::find()
            .select_only()
            .column_as(activities::Column::Day.min(), "day")
            .filter(activities::Column::UserId.eq(user.get()))
            .filter(activities::Column::DeletedAt.is_null())
            .into_tuple::<Option<NaiveDate>>()
            .one(self.reader())
            .await?;
        let wellness = daily_wellness::Entity::find()
            .select_only()
            .column_as(daily_wellness::Column::Day.min(), "day")
            .filter(daily_wellness::Column::UserId.eq(user.get()))
            .into_tuple::<Option<NaiveDate>>()
            .one(self.reader())
            .await?;
        let first = [activity.flatten(), wellness.flatten()].into_iter().flatten().min();
        first.map(day).transpose()
    }

    /// Puts what was worked out in the place of what was there from its first day on. `false` when something changed
    /// since `stale` was read: then nothing is put.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn put_derived(&self, user: UserId, stale: Stale, derived: Derived) -> Result<bool> {
        let tx = self.write(user).await?;
        if touched(&tx).await? != stale.touched {
            return Ok(false);
        }
        let Derived { from, judged, days, detected } = derived;
        let settled_through = days.iter().rev().find(|day| day.state.is_some()).map(|day| day.day);
        put_judged(&tx, judged).await?;
        let mut gone =
            daily_metrics::Entity::delete_many().filter(daily_metrics::Column::UserId.eq(user.get()));
        let mut outdated = thresholds::Entity::delete_many()
            .filter(thresholds::Column::UserId.eq(user.get()))
            .filter(thresholds::Column::Origin.eq(ThresholdOrigin::Estimated.as_str()));
        if let Some(from) = from {
            gone = gone.filter(daily_metrics::Column::Day.gte(from.date()));
            outdated = outdated.filter(thresholds::Column::FromDay.gte(from.date()));
        }
        gone.exec(tx.db()).await?;
        outdated.exec(tx.db()).await?;
        for some in in_chunks(days.iter().map(|day| day_row(user, day)).collect()) {
            daily_metrics::Entity::insert_many(some).exec_without_returning(tx.db()).await?;
        }
        let row = |threshold: &Threshold| thresholds::ActiveModel {
            id: NotSet,
            user_id: Set(user.get()),
            kind: Set(threshold.kind.as_str().to_owned()),
            value: Set(threshold.value),
            from_day: Set(threshold.from.date()),
            origin: Set(threshold.origin.as_str().to_owned()),
        };
        for some in in_chunks(detected.iter().map(row).collect()) {
            thresholds::Entity::insert_many(some).exec_without_returning(tx.db()).await?;
        }
        let settled = settled_through.or(from.map(Day::previous).filter(|_| stale.settled_through.is_some()));
        let state = derivations::ActiveModel {
            user_id: Set(user.get()),
            stale_from: Set(None),
            settled_through: Set(settled.map(Day::date)),
            touched: Set(stale.touched),
        };
        use derivations::Column;
        let replace = OnConflict::column(Column::UserId)
            .update_columns([Column::StaleFrom, Column::SettledThrough])
            .to_owned();
        derivations::Entity::insert(state).on_conflict(replace).exec_without_returning(tx.db()).await?;
        tx.commit_bookkeeping().await?;
        Ok(true)
    }

    /// Throws away everything worked out, so that it is made again from nothing.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn drop_derived(&self, user: UserId, now: Instant) -> Result<()> {
        let tx = self.write(user).await?;
        macro_rules! clear { ($($table:ident),+) => { $(
            $table::Entity::delete_many().filter($table::Column::UserId.eq(user.get())).exec(tx.db()).await?;
        )+ } }
        clear!(daily_metrics, activity_metrics);
        thresholds::Entity::delete_many()
            .filter(thresholds::Column::UserId.eq(user.get()))
            .filter(thresholds::Column::Origin.eq(ThresholdOrigin::Estimated.as_str()))
            .exec(tx.db())
            .await?;
        activities::Entity::update_many()
            .col_expr(activities::Column::Load, Expr::value(None::<f64>))
            .col_expr(activities::Column::LoadQuality, Expr::value(None::<String>))
            .filter(activities::Column::UserId.eq(user.get()))
            .exec(tx.db())
            .await?;
        derivations::Entity::update_many()
            .col_expr(derivations::Column::SettledThrough, Expr::value(None::<NaiveDate>))
            .filter(derivations::Column::UserId.eq(user.get()))
            .exec(tx.db())
            .await?;
        touch_all(&tx).await?;
        tx.commit(Entry::new(now, Actor::System, "derived.drop", format!("user:{user}"))).await
    }
}

/// Notes that something about a day changed: it and every later day are worked out anew.
pub(crate) async fn touch(tx: &Tx, from: Option<Day>) -> Result<()> {
    match from {
        Some(from) => mark(tx, from, true).await,
        None => Ok(()),
    }
}

/// Notes that something about the athlete changed by which every day is judged.
pub(crate) async fn touch_all(tx: &Tx) -> Result<()> {
    mark(tx, since_ever(), true).await
}

/// The first day of what nobody says since when it holds: before any recording.
pub(crate) fn since_ever() -> Day {
    "1990-01-01".parse().expect("a day")
}

/// Drops what the samples of activities say: it is looked at again.
pub(crate) async fn forget_measures(tx: &Tx, activities: &[i64]) -> Result<()> {
    for some in activities.chunks(ROWS_AT_ONCE) {
        activity_metrics::Entity::delete_many()
            .filter(activity_metrics::Column::ActivityId.is_in(some.iter().copied()))
            .exec(tx.db())
            .await?;
    }
    Ok(())
}

async fn mark(tx: &Tx, from: Day, changed: bool) -> Result<()> {
    let sql = "INSERT INTO derivations (user_id, stale_from, touched) VALUES ($1, $2, $3) \
               ON CONFLICT (user_id) DO UPDATE SET touched = derivations.touched + excluded.touched, \
               stale_from = CASE WHEN derivations.stale_from IS NULL OR excluded.stale_from < derivations.stale_from \
               THEN excluded.stale_from ELSE derivations.stale_from END";
    let values = [tx.user().get().into(), from.date().into(), i64::from(changed).into()];
    let backend = tx.db().get_database_backend();
    tx.db().execute_raw(Statement::from_sql_and_values(backend, sql, values)).await?;
    Ok(())
}

async fn touched(tx: &Tx) -> Result<i64> {
    let row = derivations::Entity::find_by_id(tx.user().get()).one(tx.db()).await?;
    Ok(row.map_or(0, |row| row.touched))
}

/// What activities mean, and with it their loads. Most mean what they meant before, and are not written again.
async fn put_judged(tx: &Tx, judged: Vec<(ActivityId, Judged)>) -> Result<()> {
    use activity_metrics::Column;
    let mut before: HashMap<i64, Vec<u8>> = HashMap::with_capacity(judged.len());
    for some in judged.chunks(ROWS_AT_ONCE) {
        let rows = activity_metrics::Entity::find()
            .select_only()
            .columns([Column::ActivityId, Column::Judged])
            .filter(Column::ActivityId.is_in(some.iter().map(|(id, _)| id.get())))
            .filter(Column::Judged.is_not_null())
            .into_tuple::<(i64, Vec<u8>)>()
            .all(tx.db())
            .await?;
        before.extend(rows);
    }
    for (id, judged) in judged {
        let packed = pack_json(&judged);
        if before.get(&id.get()) == Some(&packed) {
            continue;
        }
        let load = judged.load.as_ref().ok();
        activity_metrics::Entity::update_many()
            .col_expr(activity_metrics::Column::Judged, Expr::value(packed))
            .filter(activity_metrics::Column::ActivityId.eq(id.get()))
            .exec(tx.db())
            .await?;
        activities::Entity::update_many()
            .col_expr(activities::Column::Load, Expr::value(load.map(|load| load.value)))
            .col_expr(activities::Column::LoadQuality, Expr::value(load.map(|load| load.quality.as_str())))
            .filter(activities::Column::Id.eq(id.get()))
            .exec(tx.db())
            .await?;
    }
    Ok(())
}

fn day_row(user: UserId, metrics: &DayMetrics) -> daily_metrics::ActiveModel {
    let training = metrics.training.as_ref().ok();
    daily_metrics::ActiveModel {
        user_id: Set(user.get()),
        day: Set(metrics.day.date()),
        load: Set(training.map(|training| training.load.total())),
        fitness: Set(training.map(|training| training.fitness)),
        fatigue: Set(training.map(|training| training.fatigue)),
        form: Set(metrics.form.value),
        recovery: Set(metrics.recovery.as_ref().ok().map(|recovery| i64::from(recovery.score))),
        packed: Set(pack_json(metrics)),
    }
}
