//! What is worked out from the data, how far, and since when it is stale. ([`measured`](crate::metrics::activity_metrics) is about single
//! activities.)
//!
//! Whoever changes an input notes in the same transaction from which day on the rest is stale ([`touch`]); whoever
//! works it out again hands in what they saw when they began, and is refused when somebody changed something since.
//! All of it can be dropped and made again.

use crate::db::audit::{Actor, NewAuditEntry};
use crate::db::compress::{pack_json, unpack_json};
use crate::db::convert::day;
use crate::db::entities::{activities, activity_metrics, daily_metrics, derivations, thresholds};
use crate::db::error::Result;
use crate::db::store::Store;
use crate::db::tx::Tx;
use crate::metrics::activity_metrics::put_activity_metrics;
use crate::training::source_records::in_chunks;
use chrono::NaiveDate;
use fitness_core::domain::athlete::{Threshold, ThresholdOrigin};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::domain::sport::Sport;
use fitness_core::metrics::activity::ActivityMetrics;
use fitness_core::metrics::day::{DayMetrics, DayState};
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Statement,
};

/// How far things are worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecomputeState {
    /// The first day of which something has changed since; `None` when nothing has.
    pub stale_from: Option<Day>,
    /// The last complete day that is worked out.
    pub computed_through: Option<Day>,
    /// How often something was changed.
    pub(crate) change_count: i64,
}

/// Everything worked out from a day on.
#[derive(Debug, Clone, Default)]
pub struct ComputedMetrics {
    /// The first day; what was worked out for it and later days is replaced.
    pub from: Option<Day>,
    /// What each activity means.
    pub activity_metrics: Vec<(ActivityId, ActivityMetrics)>,
    /// What each day means.
    pub days: Vec<DayMetrics>,
    /// Limits that were detected, from their days on.
    pub detected_thresholds: Vec<Threshold>,
}

impl RecomputeState {
    /// Whether nothing was changed between two readings.
    #[must_use]
    pub const fn has_same_inputs_as(&self, other: &Self) -> bool {
        self.change_count == other.change_count
    }
}

impl Store {
    /// How far things are worked out.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn recompute_state(&self, user: UserId) -> Result<RecomputeState> {
        let row = derivations::Entity::find_by_id(user.get()).one(self.reader()).await?;
        let Some(row) = row else { return Ok(RecomputeState::default()) };
        Ok(RecomputeState {
            stale_from: row.stale_from.map(day).transpose()?,
            computed_through: row.settled_through.map(day).transpose()?,
            change_count: row.touched,
        })
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
    pub async fn first_data_day(&self, user: UserId) -> Result<Option<Day>> {
        use crate::db::entities::daily_wellness;
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

    /// The day of the first run.
    ///
    /// # Errors
    /// When the database does not answer.
    pub(crate) async fn first_run_day(&self, user: UserId) -> Result<Option<Day>> {
        let first = activities::Entity::find()
            .select_only()
            .column_as(activities::Column::Day.min(), "day")
            .filter(activities::Column::UserId.eq(user.get()))
            .filter(activities::Column::Sport.eq(Sport::Running.as_str()))
            .filter(activities::Column::DeletedAt.is_null())
            .into_tuple::<Option<NaiveDate>>()
            .one(self.reader())
            .await?;
        first.flatten().map(day).transpose()
    }

    /// Puts what was worked out in the place of what was there from its first day on. `false` when something changed
    /// since `stale` was read: then nothing is put.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn put_computed_metrics(
        &self,
        user: UserId,
        stale: RecomputeState,
        derived: ComputedMetrics,
    ) -> Result<bool> {
        let tx = self.begin_user_write(user).await?;
        if change_count(&tx).await? != stale.change_count {
            return Ok(false);
        }
        let ComputedMetrics { from, activity_metrics: judged, days, detected_thresholds: detected } = derived;
        let settled_through = days.iter().rev().find(|day| day.state.is_some()).map(|day| day.day);
        put_activity_metrics(&tx, judged).await?;
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
        let settled =
            settled_through.or(from.map(Day::previous).filter(|_| stale.computed_through.is_some()));
        let state = derivations::ActiveModel {
            user_id: Set(user.get()),
            stale_from: Set(None),
            settled_through: Set(settled.map(Day::date)),
            touched: Set(stale.change_count),
        };
        use derivations::Column;
        let replace = OnConflict::column(Column::UserId)
            .update_columns([Column::StaleFrom, Column::SettledThrough])
            .to_owned();
        derivations::Entity::insert(state).on_conflict(replace).exec_without_returning(tx.db()).await?;
        tx.commit_without_audit().await?;
        Ok(true)
    }

    /// Throws away everything worked out, so that it is made again from nothing.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn delete_computed_metrics(&self, user: UserId, now: Instant) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
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
        invalidate_all(&tx).await?;
        tx.commit(NewAuditEntry::new(now, Actor::System, "derived.drop", format!("user:{user}"))).await
    }
}

/// Notes that something about a day changed: it and every later day are worked out anew.
pub(crate) async fn invalidate_from(tx: &Tx, from: Option<Day>) -> Result<()> {
    match from {
        Some(from) => set_stale_from(tx, from, true).await,
        None => Ok(()),
    }
}

/// Notes that something about the athlete changed by which every day is judged.
pub(crate) async fn invalidate_all(tx: &Tx) -> Result<()> {
    set_stale_from(tx, earliest_day(), true).await
}

/// Before any recording.
fn earliest_day() -> Day {
    "1990-01-01".parse().expect("a day")
}

/// `changed` says whether an input did: then whoever is working out begins again.
pub(crate) async fn set_stale_from(tx: &Tx, from: Day, changed: bool) -> Result<()> {
    let sql = "INSERT INTO derivations (user_id, stale_from, touched) VALUES ($1, $2, $3) \
               ON CONFLICT (user_id) DO UPDATE SET touched = derivations.touched + excluded.touched, \
               stale_from = CASE WHEN derivations.stale_from IS NULL OR excluded.stale_from < derivations.stale_from \
               THEN excluded.stale_from ELSE derivations.stale_from END";
    let values = [tx.user().get().into(), from.date().into(), i64::from(changed).into()];
    let backend = tx.db().get_database_backend();
    tx.db().execute_raw(Statement::from_sql_and_values(backend, sql, values)).await?;
    Ok(())
}

/// How often an input was changed.
pub(crate) async fn change_count(tx: &Tx) -> Result<i64> {
    let row = derivations::Entity::find_by_id(tx.user().get()).one(tx.db()).await?;
    Ok(row.map_or(0, |row| row.touched))
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
