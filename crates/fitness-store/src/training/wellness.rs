//! Daily wellness: one row per day, merged from the records of all sources.

use crate::db::compress::pack;
use crate::db::convert::{day, from_json, narrow_option, parse_text, to_json};
use crate::db::entities::daily_wellness::{ActiveModel, Column, Entity, Model};
use crate::db::entities::day_reports;
use crate::db::error::Result;
use crate::db::store::{Store, truncate_to_micros};
use crate::db::tx::Tx;
use crate::metrics::recompute_state;
use crate::training::source_records::{RecordVersion, VersionComparison, in_chunks};
use chrono::NaiveDate;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::merge::merge_day;
use fitness_core::domain::source_record::{DayRecord, SourceKind};
use fitness_core::domain::units::TimeSpan;
use fitness_core::domain::wellness::{DailyWellness, DayReadings, Sleep};
use sea_orm::prelude::Json;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, Iterable, QueryFilter, QueryOrder, QuerySelect};
use std::collections::{BTreeMap, BTreeSet};

const DAYS_PER_QUERY: usize = 400;

impl Store {
    /// Wellness for a period; days without data are absent.
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

/// Day, source and dataset of a record.
type DayRecordKey = (Day, SourceKind, String);

/// Compares a record with an earlier one with the same key.
fn version_change(
    report: &DayRecord,
    telling: &RecordVersion,
    earlier: &DayRecord,
    known: &RecordVersion,
) -> VersionComparison {
    if telling.hash != known.hash {
        let (ours, theirs) = (report.as_of, earlier.as_of);
        if ours.is_some() || theirs.is_some() {
            return if report.replaces(earlier) {
                VersionComparison::Replaced
            } else {
                VersionComparison::Unchanged
            };
        }
    }
    telling.change_from(known, report.kind)
}

/// Imports wellness records; `edition` is the day of the account export, if it is one. Returns the
/// days that changed, and how many records were only confirmed by a newer export.
pub(crate) async fn upsert(
    tx: &Tx,
    reports: Vec<DayRecord>,
    edition: Option<Day>,
) -> Result<(BTreeSet<Day>, u64)> {
    let telling = |report: &DayRecord| RecordVersion {
        export_day: edition.filter(|_| report.kind.is_export()),
        hash: content_hash(report).to_string(),
    };
    let mut told: BTreeMap<DayRecordKey, (DayRecord, RecordVersion)> = BTreeMap::new();
    for report in reports {
        let key = (report.wellness.day, report.kind, report.dataset.clone());
        let new = telling(&report);
        let stands = told.get(&key).is_none_or(|(earlier, known)| {
            version_change(&report, &new, earlier, known) == VersionComparison::Replaced
        });
        if stands {
            told.insert(key, (report, new));
        }
    }
    let days: BTreeSet<Day> = told.keys().map(|(day, ..)| *day).collect();
    let days: Vec<Day> = days.into_iter().collect();
    let (mut better, mut renewed) = (BTreeSet::new(), 0);
    for some in days.chunks(DAYS_PER_QUERY) {
        let (mut days, again) = upsert_days(tx, some, &mut told).await?;
        better.append(&mut days);
        renewed += again;
    }
    recompute_state::invalidate_from(tx, better.first().copied()).await?;
    Ok((better, renewed))
}

async fn upsert_days(
    tx: &Tx,
    days: &[Day],
    told: &mut BTreeMap<DayRecordKey, (DayRecord, RecordVersion)>,
) -> Result<(BTreeSet<Day>, u64)> {
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
            Column::Edition,
        ])
        .filter(Column::UserId.eq(tx.user().get()))
        .filter(Column::Day.is_in(days.iter().map(|day| day.date())))
        .into_tuple::<(NaiveDate, String, String, Json, Option<Instant>, String, Option<NaiveDate>)>()
        .all(tx.db())
        .await?;
    let mut known: BTreeMap<Day, Vec<DayRecord>> = BTreeMap::new();
    let mut renewed = BTreeSet::new();
    for (date, kind, part, reported, as_of, hash, edition) in stored {
        let key = (day(date)?, parse_text(&kind)?, part);
        let report = DayRecord {
            kind: key.1,
            dataset: key.2.clone(),
            readings: stored_readings(&reported)?,
            wellness: from_json(reported)?,
            as_of,
            raw: None,
        };
        let telling = RecordVersion { export_day: edition.map(day).transpose()?, hash };
        if let Some((again, new)) = told.get(&key) {
            match version_change(again, new, &report, &telling) {
                VersionComparison::Replaced => continue,
                VersionComparison::NewerExport => {
                    renewed.insert(key);
                    continue;
                }
                VersionComparison::Unchanged => drop(told.remove(&key)),
            }
        }
        known.entry(key.0).or_default().push(report);
    }
    let mut rows = Vec::new();
    let mut changed = BTreeSet::new();
    for (key, (report, telling)) in told.extract_if(.., |(day, ..), _| days.binary_search(day).is_ok()) {
        if !renewed.contains(&key) {
            changed.insert(report.wellness.day);
        }
        rows.push(day_record_row(tx.user(), &report, telling));
        known.entry(report.wellness.day).or_default().push(report);
    }
    let replace = OnConflict::columns([Column::UserId, Column::Day, Column::Kind, Column::Part])
        .update_columns([Column::Reported, Column::AsOf, Column::ContentHash, Column::Edition, Column::Raw])
        .to_owned();
    for some in in_chunks(rows) {
        let insert = day_reports::Entity::insert_many(some).on_conflict(replace.clone());
        insert.exec_without_returning(tx.db()).await?;
    }
    let rows =
        changed.iter().filter_map(|day| merge_day(known.get(day)?)).map(|day| row(tx.user(), &day)).collect();
    upsert_rows(tx, rows).await?;
    Ok((changed, renewed.len() as u64))
}

async fn upsert_rows(tx: &Tx, rows: Vec<ActiveModel>) -> Result<()> {
    let replace = OnConflict::columns([Column::UserId, Column::Day])
        .update_columns(Column::iter().filter(|c| !matches!(c, Column::UserId | Column::Day)))
        .to_owned();
    for some in in_chunks(rows) {
        Entity::insert_many(some).on_conflict(replace.clone()).exec_without_returning(tx.db()).await?;
    }
    Ok(())
}

fn content_hash(report: &DayRecord) -> ContentHash {
    match &report.readings {
        None => ContentHash::hash_json(&(&report.wellness, report.as_of, &report.raw)),
        Some(readings) => ContentHash::hash_json(&(&report.wellness, report.as_of, &report.raw, readings)),
    }
}

/// Readings are stored in the same object as the values of the day.
const READINGS: &str = "readings";

fn stored_readings(reported: &Json) -> Result<Option<DayReadings>> {
    reported.get(READINGS).cloned().map(from_json).transpose()
}

fn reported(report: &DayRecord) -> Json {
    let mut json = to_json(&report.wellness);
    if let (Some(readings), Some(object)) = (&report.readings, json.as_object_mut()) {
        object.insert(READINGS.to_owned(), to_json(readings));
    }
    json
}

fn day_record_row(user: UserId, report: &DayRecord, telling: RecordVersion) -> day_reports::ActiveModel {
    day_reports::ActiveModel {
        user_id: Set(user.get()),
        day: Set(report.wellness.day.date()),
        kind: Set(report.kind.as_str().to_owned()),
        part: Set(report.dataset.clone()),
        reported: Set(reported(report)),
        as_of: Set(report.as_of.map(truncate_to_micros)),
        content_hash: Set(telling.hash),
        edition: Set(telling.export_day.map(Day::date)),
        raw: Set(report.raw.as_ref().map(|raw| pack(raw.as_bytes()))),
    }
}

fn row(user: UserId, d: &DailyWellness) -> ActiveModel {
    let sleep = d.sleep.as_ref();
    let stage = |pick: fn(&Sleep) -> Option<TimeSpan>| sleep.and_then(pick).map(TimeSpan::ms);
    ActiveModel {
        user_id: Set(user.get()),
        day: Set(d.day.date()),
        sleep_began_at: Set(sleep.and_then(|s| s.began_at).map(truncate_to_micros)),
        sleep_ended_at: Set(sleep.and_then(|s| s.ended_at).map(truncate_to_micros)),
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
