//! Daily wellness, one row a day.

use crate::audit::{Actor, Entry};
use crate::entities::daily_wellness::{ActiveModel, Column, Entity, Model};
use crate::error::Result;
use crate::read::{day, narrow_option};
use crate::store::{Store, stamp};
use fitness_core::calendar::{Day, Instant};
use fitness_core::ids::UserId;
use fitness_core::units::TimeSpan;
use fitness_core::wellness::{DailyWellness, Sleep};
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, Iterable, QueryFilter, QueryOrder};

impl Store {
    /// Adds what is known about days. A value that is known stays known: a newer report adds and replaces,
    /// it never erases.
    ///
    /// # Errors
    /// When there is no such user.
    pub async fn put_wellness(&self, user: UserId, days: &[DailyWellness], now: Instant) -> Result<()> {
        let Some((first, last)) = days.iter().map(|d| d.day).min().zip(days.iter().map(|d| d.day).max())
        else {
            return Ok(());
        };
        let tx = self.write(user).await?;
        let stored = Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Day.between(first.date(), last.date()))
            .all(tx.db())
            .await?;
        let mut merged = std::collections::BTreeMap::new();
        for row in stored {
            let known = wellness(row)?;
            merged.insert(known.day, known);
        }
        for newer in days {
            merged.entry(newer.day).or_insert_with(|| DailyWellness::unknown(newer.day)).merge(newer.clone());
        }
        let touched: std::collections::BTreeSet<Day> = days.iter().map(|d| d.day).collect();
        let rows: Vec<ActiveModel> =
            merged.values().filter(|d| touched.contains(&d.day)).map(|d| row(user, d)).collect();
        let replace = OnConflict::columns([Column::UserId, Column::Day])
            .update_columns(Column::iter().filter(|c| !matches!(c, Column::UserId | Column::Day)))
            .to_owned();
        for batch in rows.chunks(500) {
            Entity::insert_many(batch.iter().cloned())
                .on_conflict(replace.clone())
                .exec_without_returning(tx.db())
                .await?;
        }
        let object = format!("wellness:{first}..{last} {} days", touched.len());
        tx.commit(Entry::new(now, Actor::System, "wellness.put", object)).await
    }

    /// What is known about the days from one through another; days nothing is known about are absent.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_wellness(&self, user: UserId, from: Day, through: Day) -> Result<Vec<DailyWellness>> {
        let rows = Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Day.between(from.date(), through.date()))
            .order_by_asc(Column::Day)
            .all(self.reader())
            .await?;
        rows.into_iter().map(wellness).collect()
    }
}

fn row(user: UserId, d: &DailyWellness) -> ActiveModel {
    let sleep = d.sleep.as_ref();
    let stage = |pick: fn(&Sleep) -> Option<TimeSpan>| sleep.and_then(pick).map(TimeSpan::ms);
    ActiveModel {
        user_id: Set(user.get()),
        day: Set(d.day.date()),
        sleep_began_at: Set(sleep.and_then(|s| s.began_at).map(stamp)),
        sleep_ended_at: Set(sleep.and_then(|s| s.ended_at).map(stamp)),
        asleep_ms: Set(stage(|s| s.asleep)),
        deep_ms: Set(stage(|s| s.deep)),
        light_ms: Set(stage(|s| s.light)),
        rem_ms: Set(stage(|s| s.rem)),
        awake_ms: Set(stage(|s| s.awake)),
        sleep_score: Set(sleep.and_then(|s| s.score).map(i64::from)),
        resting_heart_rate: Set(d.resting_heart_rate.map(i64::from)),
        hrv_ms: Set(d.hrv_ms),
        stress_avg: Set(d.stress_avg.map(i64::from)),
        stress_max: Set(d.stress_max.map(i64::from)),
        body_battery_high: Set(d.body_battery_high.map(i64::from)),
        body_battery_low: Set(d.body_battery_low.map(i64::from)),
        respiration: Set(d.respiration),
        spo2: Set(d.spo2),
        weight_kg: Set(d.weight_kg),
        steps: Set(d.steps.map(i64::from)),
        vo2max: Set(d.vo2max),
    }
}

fn wellness(row: Model) -> Result<DailyWellness> {
    let sleep = Sleep {
        began_at: row.sleep_began_at,
        ended_at: row.sleep_ended_at,
        asleep: row.asleep_ms.map(TimeSpan::from_ms),
        deep: row.deep_ms.map(TimeSpan::from_ms),
        light: row.light_ms.map(TimeSpan::from_ms),
        rem: row.rem_ms.map(TimeSpan::from_ms),
        awake: row.awake_ms.map(TimeSpan::from_ms),
        score: narrow_option(row.sleep_score)?,
    };
    Ok(DailyWellness {
        day: day(row.day)?,
        sleep: (sleep != Sleep::default()).then_some(sleep),
        resting_heart_rate: narrow_option(row.resting_heart_rate)?,
        hrv_ms: row.hrv_ms,
        stress_avg: narrow_option(row.stress_avg)?,
        stress_max: narrow_option(row.stress_max)?,
        body_battery_high: narrow_option(row.body_battery_high)?,
        body_battery_low: narrow_option(row.body_battery_low)?,
        respiration: row.respiration,
        spo2: row.spo2,
        weight_kg: row.weight_kg,
        steps: narrow_option(row.steps)?,
        vo2max: row.vo2max,
    })
}
