//! Days as lines over years: only the columns a chart needs, never the packed whole of a day.

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

/// A day of the lines of fitness, fatigue and form.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FitnessPoint {
    /// Which day.
    pub day: Day,
    /// Its load; `None` while it is still open.
    pub load: Option<f64>,
    /// Fitness in the evening; `None` while it is still open.
    pub fitness: Option<f64>,
    /// Fatigue in the evening; `None` while it is still open.
    pub fatigue: Option<f64>,
    /// Form in the morning.
    pub form: f64,
    /// Recovery in the morning, 0 to 100.
    pub recovery: Option<u8>,
}

/// What was measured of a night.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NightMetrics {
    /// The day it ended.
    pub day: Day,
    /// rMSSD, milliseconds.
    pub hrv_ms: Option<f64>,
    /// Resting heart rate, beats per minute.
    pub resting: Option<u16>,
    /// Time asleep.
    #[serde(rename = "asleep_ms")]
    pub asleep: Option<TimeSpan>,
}

impl Store {
    /// Load, fitness, fatigue and form of the days from one through another, as far as they are worked out.
    ///
    /// # Errors
    /// When the database does not answer.
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

    /// Heart rate variability, resting heart rate and sleep of the nights from one day through another; days without a
    /// report are absent.
    ///
    /// # Errors
    /// When the database does not answer.
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

    /// What each sport came to on each day from one through another, in order; days without training are absent.
    ///
    /// # Errors
    /// When the database does not answer.
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
