//! Which computed metrics are stale. (Single activities:
//! [`activity_metrics`](crate::metrics::activity_metrics).)
//!
//! Code that changes an input calls [`invalidate_from`] in the same transaction. Code that
//! recomputes passes the [`RecomputeState`] it started from, and its result is rejected if inputs
//! changed since. Computed metrics can be deleted and recomputed at any time.

use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
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
use fitness_core::domain::merge::MERGE_RULES_VERSION;
use fitness_core::domain::sport::Sport;
use fitness_core::metrics::activity::ActivityMetrics;
use fitness_core::metrics::day::{DayMetrics, DayState};
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Statement,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecomputeState {
    /// First day whose inputs changed; `None` if everything is current.
    pub stale_from: Option<Day>,
    /// Last complete day with computed metrics.
    pub computed_through: Option<Day>,
    /// Number of input changes so far.
    pub(crate) change_count: i64,
}

/// Everything computed from a day on.
#[derive(Debug, Clone, Default)]
pub struct ComputedMetrics {
    /// First day; results for it and later days are replaced. `None` replaces all.
    pub from: Option<Day>,
    pub activity_metrics: Vec<(ActivityId, ActivityMetrics)>,
    pub days: Vec<DayMetrics>,
    /// Detected thresholds, each from its day on.
    pub detected_thresholds: Vec<Threshold>,
}

impl RecomputeState {
    /// Whether no input changed between two readings.
    #[must_use]
    pub const fn has_same_inputs_as(&self, other: &Self) -> bool {
        self.change_count == other.change_count
    }
}

impl Store {
    pub async fn recompute_state(&self, user: UserId) -> Result<RecomputeState> {
        let row = derivations::Entity::find_by_id(user.get()).one(self.reader()).await?;
        let Some(row) = row else { return Ok(RecomputeState::default()) };
        Ok(RecomputeState {
            stale_from: row.stale_from.map(day).transpose()?,
            computed_through: row.settled_through.map(day).transpose()?,
            change_count: row.touched,
        })
    }

    /// Day metrics of a period, as far as computed.
    ///
    /// # Errors
    /// `Unreadable` if stored data is damaged.
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

    /// The state at the end of a day, from which recomputing continues.
    ///
    /// # Errors
    /// `Unreadable` if stored data is damaged.
    pub async fn find_day_state(&self, user: UserId, on: Day) -> Result<Option<DayState>> {
        let days = self.list_day_metrics(user, on, on).await?;
        Ok(days.into_iter().next().and_then(|day| day.state))
    }

    /// The first day with an activity or a wellness record.
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

    /// Replaces everything from the first day on. `false` if inputs changed since `stale` was read;
    /// then nothing is stored.
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
            merge_rules: Set(MERGE_RULES_VERSION),
        };
        use derivations::Column;
        let replace = OnConflict::column(Column::UserId)
            .update_columns([Column::StaleFrom, Column::SettledThrough])
            .to_owned();
        derivations::Entity::insert(state).on_conflict(replace).exec_without_returning(tx.db()).await?;
        tx.commit_without_audit().await?;
        Ok(true)
    }

    /// Deletes all computed metrics, so that they are recomputed from scratch.
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
        tx.commit(NewAuditEntry::new(now, Actor::System, AuditAction::DerivedDrop, format!("user:{user}")))
            .await
    }
}

/// Marks a day and all later ones as stale.
pub(crate) async fn invalidate_from(tx: &Tx, from: Option<Day>) -> Result<()> {
    match from {
        Some(from) => set_stale_from(tx, from, true).await,
        None => Ok(()),
    }
}

/// Marks all days as stale, after a change that affects all of them.
pub(crate) async fn invalidate_all(tx: &Tx) -> Result<()> {
    set_stale_from(tx, earliest_day(), true).await
}

fn earliest_day() -> Day {
    "1990-01-01".parse().expect("a day")
}

/// `changed` is whether an input changed; then a running recomputation is rejected.
pub(crate) async fn set_stale_from(tx: &Tx, from: Day, changed: bool) -> Result<()> {
    let sql = "INSERT INTO derivations (user_id, stale_from, touched, merge_rules) VALUES ($1, $2, $3, $4) \
               ON CONFLICT (user_id) DO UPDATE SET touched = derivations.touched + excluded.touched, \
               stale_from = CASE WHEN derivations.stale_from IS NULL OR excluded.stale_from < derivations.stale_from \
               THEN excluded.stale_from ELSE derivations.stale_from END";
    let values =
        [tx.user().get().into(), from.date().into(), i64::from(changed).into(), MERGE_RULES_VERSION.into()];
    let backend = tx.db().get_database_backend();
    tx.db().execute_raw(Statement::from_sql_and_values(backend, sql, values)).await?;
    Ok(())
}

/// Records that this user's source records are grouped by the current rules.
pub(crate) async fn set_merge_rules(tx: &Tx) -> Result<()> {
    derivations::Entity::update_many()
        .col_expr(derivations::Column::MergeRules, Expr::value(MERGE_RULES_VERSION))
        .filter(derivations::Column::UserId.eq(tx.user().get()))
        .exec(tx.db())
        .await?;
    Ok(())
}

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
