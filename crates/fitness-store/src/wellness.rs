//! Daily wellness: one row a day, put together from what sources say about it.

use crate::entities::daily_wellness::{ActiveModel, Column, Entity, Model};
use crate::entities::day_reports;
use crate::error::Result;
use crate::pack::pack;
use crate::read::{day, json, narrow_option, to_json, word};
use crate::reports::in_chunks;
use crate::store::{Store, stamp};
use crate::tx::Tx;
use chrono::NaiveDate;
use fitness_core::calendar::{Day, Instant};
use fitness_core::hash::ContentHash;
use fitness_core::ids::UserId;
use fitness_core::merge::merge_day;
use fitness_core::report::{DayReport, SourceKind};
use fitness_core::units::TimeSpan;
use fitness_core::wellness::{DailyWellness, Sleep};
use sea_orm::prelude::Json;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, Iterable, QueryFilter, QueryOrder, QuerySelect};
use std::collections::{BTreeMap, BTreeSet};

/// Days per query.
const DAYS_AT_ONCE: usize = 400;

impl Store {
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

/// Takes in reports about days; the answer is which days are known better now.
pub(crate) async fn put(tx: &Tx, reports: Vec<DayReport>) -> Result<BTreeSet<Day>> {
    let mut told: BTreeMap<(Day, SourceKind, String), DayReport> = BTreeMap::new();
    for report in reports {
        let key = (report.wellness.day, report.kind, report.part.clone());
        if told.get(&key).is_none_or(|earlier| report.replaces(earlier)) {
            told.insert(key, report);
        }
    }
    let days: BTreeSet<Day> = told.keys().map(|(day, ..)| *day).collect();
    let days: Vec<Day> = days.into_iter().collect();
    let mut better = BTreeSet::new();
    for some in days.chunks(DAYS_AT_ONCE) {
        better.append(&mut put_days(tx, some, &mut told).await?);
    }
    Ok(better)
}

async fn put_days(
    tx: &Tx,
    days: &[Day],
    told: &mut BTreeMap<(Day, SourceKind, String), DayReport>,
) -> Result<BTreeSet<Day>> {
    use day_reports::Column;
    let stored = day_reports::Entity::find()
        .select_only()
        .columns([
            Column::Day,
            Column::Kind,
            Column::Part,
            Column::Reported,
            Column::AsOf,
            Column::ContentHash,
        ])
        .filter(Column::UserId.eq(tx.user().get()))
        .filter(Column::Day.is_in(days.iter().map(|day| day.date())))
        .into_tuple::<(NaiveDate, String, String, Json, Option<Instant>, String)>()
        .all(tx.db())
        .await?;
    let mut known: BTreeMap<Day, Vec<DayReport>> = BTreeMap::new();
    for (date, kind, part, reported, as_of, hash) in stored {
        let key = (day(date)?, word(&kind)?, part);
        let report =
            DayReport { kind: key.1, part: key.2.clone(), wellness: json(reported)?, as_of, raw: None };
        if let Some(again) = told.get(&key) {
            if again.replaces(&report) && content_hash(again).to_string() != hash {
                continue;
            }
            told.remove(&key);
        }
        known.entry(key.0).or_default().push(report);
    }
    let mut rows = Vec::new();
    let mut changed = BTreeSet::new();
    for (_, report) in told.extract_if(.., |(day, ..), _| days.binary_search(day).is_ok()) {
        changed.insert(report.wellness.day);
        rows.push(report_row(tx.user(), &report));
        known.entry(report.wellness.day).or_default().push(report);
    }
    let replace = OnConflict::columns([Column::UserId, Column::Day, Column::Kind, Column::Part])
        .update_columns([Column::Reported, Column::AsOf, Column::ContentHash, Column::Raw])
        .to_owned();
    for some in in_chunks(rows) {
        let insert = day_reports::Entity::insert_many(some).on_conflict(replace.clone());
        insert.exec_without_returning(tx.db()).await?;
    }
    let rows =
        changed.iter().filter_map(|day| merge_day(known.get(day)?)).map(|day| row(tx.user(), &day)).collect();
    put_rows(tx, rows).await?;
    Ok(changed)
}

async fn put_rows(tx: &Tx, rows: Vec<ActiveModel>) -> Result<()> {
    let replace = OnConflict::columns([Column::UserId, Column::Day])
        .update_columns(Column::iter().filter(|c| !matches!(c, Column::UserId | Column::Day)))
        .to_owned();
    for some in in_chunks(rows) {
        Entity::insert_many(some).on_conflict(replace.clone()).exec_without_returning(tx.db()).await?;
    }
    Ok(())
}

fn content_hash(report: &DayReport) -> ContentHash {
    ContentHash::of_json(&(&report.wellness, report.as_of, &report.raw))
}

fn report_row(user: UserId, report: &DayReport) -> day_reports::ActiveModel {
    day_reports::ActiveModel {
        user_id: Set(user.get()),
        day: Set(report.wellness.day.date()),
        kind: Set(report.kind.as_str().to_owned()),
        part: Set(report.part.clone()),
        reported: Set(to_json(&report.wellness)),
        as_of: Set(report.as_of.map(stamp)),
        content_hash: Set(content_hash(report).to_string()),
        raw: Set(report.raw.as_ref().map(|raw| pack(raw.as_bytes()))),
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
