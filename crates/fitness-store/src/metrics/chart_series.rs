//! Chart series over years: reads only the columns a chart needs, not the compressed day metrics.

use crate::db::convert::{day, narrow, narrow_option, parse_text};
use crate::db::entities::{activities, daily_metrics, daily_wellness};
use crate::db::error::Result;
use crate::db::store::Store;
use crate::training::activity_search::ActivityTotals;
use chrono::NaiveDate;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use sea_orm::sea_query::{Expr, ExprTrait, Func, SimpleExpr};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde::Serialize;

/// Fitness, fatigue and form on one day.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FitnessPoint {
    pub day: Day,
    /// Training load; `None` if the day is not complete.
    pub load: Option<f64>,
    /// At the end of the day; `None` if the day is not complete.
    pub fitness: Option<f64>,
    /// At the end of the day; `None` if the day is not complete.
    pub fatigue: Option<f64>,
    /// At the start of the day.
    pub form: f64,
    /// Morning recovery, 0 to 100.
    pub recovery: Option<u8>,
}

/// Values of one night.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NightMetrics {
    /// The day on which the night ended.
    pub day: Day,
    pub hrv_ms: Option<f64>,
    pub resting: Option<u16>,
    #[serde(rename = "asleep_ms")]
    pub asleep: Option<TimeSpan>,
}

impl Store {
    /// Load, fitness, fatigue and form for a period, as far as computed.
    pub async fn list_fitness_points(
        &self,
        user: UserId,
        from: Day,
        through: Day,
    ) -> Result<Vec<FitnessPoint>> {
        use daily_metrics::Column;
        type Row = (NaiveDate, Option<f64>, Option<f64>, Option<f64>, f64, Option<i64>);
        let rows = daily_metrics::Entity::find()
            .select_only()
            .columns([
                Column::Day,
                Column::Load,
                Column::Fitness,
                Column::Fatigue,
                Column::Form,
                Column::Recovery,
            ])
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Day.between(from.date(), through.date()))
            .order_by_asc(Column::Day)
            .into_tuple::<Row>()
            .all(self.reader())
            .await?;
        let line = |(on, load, fitness, fatigue, form, recovery): Row| {
            Ok(FitnessPoint {
                day: day(on)?,
                load,
                fitness,
                fatigue,
                form,
                recovery: narrow_option(recovery)?,
            })
        };
        rows.into_iter().map(line).collect()
    }

    /// HRV, resting heart rate and sleep for a period; days without a record are absent.
    pub async fn list_night_metrics(
        &self,
        user: UserId,
        from: Day,
        through: Day,
    ) -> Result<Vec<NightMetrics>> {
        use daily_wellness::Column;
        type Row = (NaiveDate, Option<f64>, Option<i64>, Option<i64>);
        let rows = daily_wellness::Entity::find()
            .select_only()
            .columns([Column::Day, Column::HrvMs, Column::RestingHeartRate, Column::AsleepMs])
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Day.between(from.date(), through.date()))
            .order_by_asc(Column::Day)
            .into_tuple::<Row>()
            .all(self.reader())
            .await?;
        let night = |(on, hrv_ms, resting, asleep): Row| {
            let asleep = asleep.map(TimeSpan::from_ms);
            Ok(NightMetrics { day: day(on)?, hrv_ms, resting: narrow_option(resting)?, asleep })
        };
        rows.into_iter().map(night).collect()
    }

    /// Totals per sport and day for a period, in order; days without training are absent.
    pub async fn list_day_totals(
        &self,
        user: UserId,
        from: Day,
        through: Day,
    ) -> Result<Vec<(Day, Sport, ActivityTotals)>> {
        use activities::Column;
        type Row = (NaiveDate, String, i64, Option<i64>, Option<i64>, Option<f64>);
        let whole = |sum: SimpleExpr| sum.cast_as("bigint");
        let time = Func::coalesce([Expr::col(Column::MovingMs), Expr::col(Column::ElapsedMs)]);
        let rows = activities::Entity::find()
            .select_only()
            .columns([Column::Day, Column::Sport])
            .column_as(Column::Id.count(), "count")
            .column_as(whole(Column::DistanceMm.sum()), "distance")
            .column_as(whole(Expr::expr(time).sum()), "time")
            .column_as(Column::Load.sum(), "load")
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Day.between(from.date(), through.date()))
            .filter(Column::DeletedAt.is_null())
            .group_by(Column::Day)
            .group_by(Column::Sport)
            .order_by_asc(Column::Day)
            .order_by_asc(Column::Sport)
            .into_tuple::<Row>()
            .all(self.reader())
            .await?;
        let total = |(on, sport, count, distance, time, load): Row| {
            let totals = ActivityTotals {
                count: narrow(count)?,
                distance: Distance::from_mm(distance.unwrap_or_default()),
                time: TimeSpan::from_ms(time.unwrap_or_default()),
                load: load.unwrap_or_default(),
            };
            Ok((day(on)?, parse_text(&sport)?, totals))
        };
        rows.into_iter().map(total).collect()
    }
}
