//! Activities and their laps.

use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::compress::unpack_json;
use crate::db::convert::{day, from_json, narrow, narrow_option, parse_text, to_json};
use crate::db::entities::{activities, activity_details, activity_reports, laps};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::{Store, truncate_to_micros};
use crate::db::tx::Tx;
use crate::metrics::activity_metrics;
use crate::metrics::recompute_state;
use crate::training::races::find_race_day;
use crate::training::source_records::{self, PackedRecord};
use fitness_core::domain::activity::{Activity, Lap};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::domain::manual_activity::ManualActivity;
use fitness_core::domain::merge::{Edit, MergedActivity, merge_activity};
use fitness_core::domain::source_record::{
    ActivitySummary, Details, Flaw, RecordKey, SourceKind, SourceRecord,
};
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::metrics::load::LoadMethod;
use fitness_core::metrics::{Quality, ValueWithQuality};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde::Serialize;

/// Maximum time between the legs of a multisport activity.
const MAX_LEG_GAP: chrono::TimeDelta = chrono::TimeDelta::minutes(10);

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoredActivity {
    pub id: ActivityId,
    /// Local day of the start.
    pub day: Day,
    #[serde(flatten)]
    pub activity: Activity,
    pub load: Option<f64>,
    pub load_quality: Option<Quality>,
    /// What the load was computed from.
    pub load_method: Option<LoadMethod>,
    /// Moving time computed from the samples.
    #[serde(rename = "measured_moving_ms")]
    pub measured_moving: Option<TimeSpan>,
    /// Ascent computed from the samples.
    #[serde(rename = "measured_ascent_mm")]
    pub measured_ascent: Option<Distance>,
    /// Whether a source marks it as a race.
    pub race: bool,
    /// Problems found in its file.
    pub flaws: Vec<Flaw>,
    /// Whether the athlete edited it.
    pub edited: bool,
}

impl StoredActivity {
    /// Whether the athlete entered it and there is no recording.
    #[must_use]
    pub fn is_entered_by_hand(&self) -> bool {
        self.flaws.contains(&Flaw::EnteredByHand)
    }

    #[must_use]
    pub fn load_with_quality(&self) -> Option<ValueWithQuality> {
        self.load.zip(self.load_quality).map(|(value, quality)| ValueWithQuality { value, quality })
    }

    /// Moving time to show: as set by the athlete, else as computed, else as the source reports it;
    /// without any, the elapsed time.
    #[must_use]
    pub fn training_time(&self) -> Option<TimeSpan> {
        let edited = self.activity.moving.filter(|_| self.activity.moving_is_edited);
        edited.or(self.measured_moving).or_else(|| self.activity.training_time())
    }

    /// Ascent to show: as computed, else as the source reports it.
    #[must_use]
    pub fn ascent(&self) -> Option<Distance> {
        self.measured_ascent.or(self.activity.ascent)
    }
}

impl Store {
    /// Activities of a period of local days, oldest first, without laps.
    pub async fn list_activities(
        &self,
        user: UserId,
        from: Day,
        through: Day,
    ) -> Result<Vec<StoredActivity>> {
        let rows = activities::Entity::find()
            .filter(activities::Column::UserId.eq(user.get()))
            .filter(activities::Column::Day.between(from.date(), through.date()))
            .filter(activities::Column::DeletedAt.is_null())
            .order_by_asc(activities::Column::StartedAt)
            .order_by_asc(activities::Column::Id)
            .all(self.reader())
            .await?;
        rows.into_iter().map(stored_activity).collect()
    }

    /// An activity with its laps.
    pub async fn find_activity(&self, user: UserId, id: ActivityId) -> Result<Option<StoredActivity>> {
        let db = self.snapshot().await?;
        let row = activities::Entity::find_by_id(id.get())
            .filter(activities::Column::UserId.eq(user.get()))
            .filter(activities::Column::DeletedAt.is_null())
            .one(&db)
            .await?;
        let Some(mut activity) = row.map(stored_activity).transpose()? else { return Ok(None) };
        let rows = laps::Entity::find()
            .filter(laps::Column::ActivityId.eq(id.get()))
            .filter(laps::Column::UserId.eq(user.get()))
            .order_by_asc(laps::Column::Number)
            .all(&db)
            .await?;
        activity.activity.laps = rows.into_iter().map(lap).collect::<Result<_>>()?;
        Ok(Some(activity))
    }

    /// Pool lengths, strength sets and heartbeats of an activity.
    ///
    /// # Errors
    /// `Unreadable` if stored data is damaged.
    pub async fn find_details(&self, user: UserId, id: ActivityId) -> Result<Option<Details>> {
        let row = activity_details::Entity::find_by_id(id.get())
            .filter(activity_details::Column::UserId.eq(user.get()))
            .one(self.reader())
            .await?;
        row.map(|row| unpack_json(&row.packed)).transpose()
    }

    /// The source records that an activity is merged from, most trusted first.
    pub async fn list_source_records(
        &self,
        user: UserId,
        id: ActivityId,
    ) -> Result<Vec<(RecordKey, ActivitySummary)>> {
        let mut reports = read_source_records(self.reader(), user, id).await?;
        reports.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(reports)
    }

    /// All legs of the multisport activity that this activity belongs to, in order, without laps;
    /// empty if it does not. Legs are consecutive activities of one file.
    pub async fn list_multisport_legs(&self, user: UserId, id: ActivityId) -> Result<Vec<StoredActivity>> {
        use activity_reports::Column;
        let db = self.snapshot().await?;
        let mine = || activity_reports::Entity::find().filter(Column::UserId.eq(user.get())).select_only();
        let keys = mine()
            .columns([Column::Kind, Column::ExternalId])
            .filter(Column::ActivityId.eq(id.get()))
            .into_tuple::<(String, String)>()
            .all(&db)
            .await?;
        for (kind, external) in keys {
            // The key of a file's activity is the file's hash and the position in it.
            let Some((file, _)) = external.split_once('#') else { continue };
            let ids = mine()
                .column(Column::ActivityId)
                .filter(Column::Kind.eq(kind))
                .filter(Column::ExternalId.starts_with(format!("{file}#")))
                .into_tuple::<i64>()
                .all(&db)
                .await?;
            let rows = activities::Entity::find()
                .filter(activities::Column::UserId.eq(user.get()))
                .filter(activities::Column::Id.is_in(ids))
                .filter(activities::Column::DeletedAt.is_null())
                .order_by_asc(activities::Column::StartedAt)
                .all(&db)
                .await?;
            let all: Vec<StoredActivity> = rows.into_iter().map(stored_activity).collect::<Result<_>>()?;
            let follows = |a: &StoredActivity, b: &StoredActivity| {
                let end = a.activity.started_at
                    + chrono::TimeDelta::milliseconds(a.activity.elapsed.map_or(0, TimeSpan::ms));
                b.activity.started_at - end <= MAX_LEG_GAP
            };
            let legs = all.chunk_by(follows).find(|legs| legs.iter().any(|leg| leg.id == id));
            if let Some(legs) = legs.filter(|legs| legs.len() > 1) {
                return Ok(legs.to_vec());
            }
        }
        Ok(Vec::new())
    }

    /// Stores an activity that the athlete entered. It counts like a recorded one, and a later
    /// import of its recording is merged with it.
    ///
    /// # Errors
    /// `ManualActivity` if it is in the future or impossible.
    pub async fn add_activity(
        &self,
        user: UserId,
        entered: &ManualActivity,
        now: Instant,
    ) -> Result<ActivityId> {
        let zone = self.profile(user).await?.zone;
        let parsed = entered.to_parsed(zone, now)?;
        let hash = ContentHash::hash_json(&(&parsed.activity, now));
        let key = RecordKey { kind: SourceKind::Manual, id: hash.to_string() };
        let record = PackedRecord::pack(SourceRecord { key, parsed, raw: None }, None, None)?;
        let tx = self.begin_user_write(user).await?;
        let (records, _) = source_records::upsert(&tx, vec![record], now).await?;
        let id = records.first().ok_or(Error::NotFound(RecordKind::Activity))?.activity;
        let entry = NewAuditEntry::new(now, Actor::Human, AuditAction::ActivityAdd, format!("activity:{id}"));
        tx.commit(entry).await?;
        Ok(id)
    }

    /// Edits an activity. Edits survive later imports.
    ///
    /// # Errors
    /// `NotFound` if the user has no such activity, `Edit` if the result would be implausible.
    pub async fn edit_activity(&self, user: UserId, id: ActivityId, edit: Edit, now: Instant) -> Result<()> {
        self.put_edit(user, id, |before| before.followed_by(edit), AuditAction::ActivityEdit, now).await
    }

    /// Removes all edits: the activity is again what its sources say.
    ///
    /// # Errors
    /// `NotFound` when the user has no such activity.
    pub async fn reset_activity(&self, user: UserId, id: ActivityId, now: Instant) -> Result<()> {
        self.put_edit(user, id, |_| Edit::default(), AuditAction::ActivityReset, now).await
    }

    async fn put_edit(
        &self,
        user: UserId,
        id: ActivityId,
        change: impl FnOnce(Edit) -> Edit,
        action: AuditAction,
        now: Instant,
    ) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        let row = require_activity(&tx, id).await?;
        if row.deleted_at.is_some() {
            return Err(Error::NotFound(RecordKind::Activity));
        }
        let before: Edit = row.edit.map(from_json).transpose()?.unwrap_or_default();
        let hash = ContentHash::hash_json(&before);
        let edit = change(before);
        let reports = read_source_records(tx.db(), user, id).await?;
        let merged = merge_activity(&reports, &edit).ok_or(Error::NotFound(RecordKind::Activity))?;
        edit.check(&merged.activity)?;
        let changed = activities::ActiveModel {
            id: Set(id.get()),
            edit: Set((edit != Edit::default()).then(|| to_json(&edit))),
            ..activity_row(user, &merged)
        };
        activities::Entity::update(changed).exec(tx.db()).await?;
        activity_metrics::delete_measures(&tx, &[id.get()]).await?;
        recompute_state::invalidate_from(&tx, Some(merged.activity.day().min(day(row.day)?))).await?;
        let entry = NewAuditEntry::new(now, Actor::Human, action, format!("activity:{id}"));
        tx.commit(entry.change(Some(hash), Some(ContentHash::hash_json(&edit)))).await
    }

    /// Deletes an activity. Its row is kept, so that no later import brings it back.
    ///
    /// # Errors
    /// `NotFound` when the user has no such activity.
    pub async fn delete_activity(&self, user: UserId, id: ActivityId, now: Instant) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        let row = require_activity(&tx, id).await?;
        if row.deleted_at.is_some() {
            return Err(Error::NotFound(RecordKind::Activity));
        }
        set_deleted(&tx, id, Some(now)).await?;
        invalidate_with_race(&tx, row.id, day(row.day)?).await?;
        tx.commit(NewAuditEntry::new(
            now,
            Actor::Human,
            AuditAction::ActivityDelete,
            format!("activity:{id}"),
        ))
        .await
    }

    /// Restores a deleted activity.
    ///
    /// # Errors
    /// `NotFound` when the user has no such deleted activity.
    pub async fn restore_activity(&self, user: UserId, id: ActivityId, now: Instant) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        let row = require_activity(&tx, id).await?;
        if row.deleted_at.is_none() {
            return Err(Error::NotFound(RecordKind::DeletedActivity));
        }
        set_deleted(&tx, id, None).await?;
        invalidate_with_race(&tx, row.id, day(row.day)?).await?;
        tx.commit(NewAuditEntry::new(
            now,
            Actor::Human,
            AuditAction::ActivityRestore,
            format!("activity:{id}"),
        ))
        .await
    }

    /// Number of activities, and the days of the first and the last.
    pub async fn count_activities(&self, user: UserId) -> Result<(u64, Option<(Day, Day)>)> {
        use activities::Column;
        let counted = activities::Entity::find()
            .select_only()
            .column_as(Column::Id.count(), "count")
            .column_as(Column::Day.min(), "first")
            .column_as(Column::Day.max(), "last")
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::DeletedAt.is_null())
            .into_tuple::<(i64, Option<chrono::NaiveDate>, Option<chrono::NaiveDate>)>()
            .one(self.reader())
            .await?;
        let (count, first, last) = counted.unwrap_or_default();
        let span = first.map(day).transpose()?.zip(last.map(day).transpose()?);
        Ok((narrow(count)?, span))
    }
}

async fn require_activity(tx: &Tx, id: ActivityId) -> Result<activities::Model> {
    activities::Entity::find_by_id(id.get())
        .filter(activities::Column::UserId.eq(tx.user().get()))
        .one(tx.db())
        .await?
        .ok_or(Error::NotFound(RecordKind::Activity))
}

async fn set_deleted(tx: &Tx, id: ActivityId, at: Option<Instant>) -> Result<()> {
    let row = activities::ActiveModel {
        id: Set(id.get()),
        deleted_at: Set(at.map(truncate_to_micros)),
        ..Default::default()
    };
    activities::Entity::update(row).exec(tx.db()).await?;
    Ok(())
}

async fn read_source_records(
    db: &impl ConnectionTrait,
    user: UserId,
    id: ActivityId,
) -> Result<Vec<(RecordKey, ActivitySummary)>> {
    use activity_reports::Column;
    let rows = activity_reports::Entity::find()
        .select_only()
        .columns([Column::Kind, Column::ExternalId, Column::Outline])
        .filter(Column::UserId.eq(user.get()))
        .filter(Column::ActivityId.eq(id.get()))
        .into_tuple::<(String, String, Vec<u8>)>()
        .all(db)
        .await?;
    rows.into_iter()
        .map(|(kind, id, outline)| Ok((RecordKey { kind: parse_text(&kind)?, id }, unpack_json(&outline)?)))
        .collect()
}

/// The columns that come from source records and edits.
pub(crate) fn activity_row(user: UserId, merged: &MergedActivity) -> activities::ActiveModel {
    let a = &merged.activity;
    activities::ActiveModel {
        user_id: Set(user.get()),
        sport: Set(a.sport.as_str().to_owned()),
        sub_sport: Set(a.sub_sport.clone()),
        name: Set(a.name.clone()),
        started_at: Set(truncate_to_micros(a.started_at)),
        utc_offset_s: Set(i64::from(a.utc_offset_s)),
        day: Set(a.day().date()),
        elapsed_ms: Set(a.elapsed.map(TimeSpan::ms)),
        moving_ms: Set(a.moving.map(TimeSpan::ms)),
        distance_mm: Set(a.distance.map(Distance::mm)),
        ascent_mm: Set(a.ascent.map(Distance::mm)),
        descent_mm: Set(a.descent.map(Distance::mm)),
        avg_heart_rate: Set(a.avg_heart_rate.map(i64::from)),
        max_heart_rate: Set(a.max_heart_rate.map(i64::from)),
        avg_power: Set(a.avg_power.map(i64::from)),
        max_power: Set(a.max_power.map(i64::from)),
        avg_cadence: Set(a.avg_cadence),
        energy_kcal: Set(a.energy_kcal.map(i64::from)),
        device: Set(a.device.clone()),
        device_metrics: Set((!a.device_metrics.is_empty()).then(|| to_json(&a.device_metrics))),
        race: Set(merged.race),
        flaws: Set((!merged.flaws.is_empty()).then(|| to_json(&merged.flaws))),
        ..Default::default()
    }
}

pub(crate) fn stored_activity(row: activities::Model) -> Result<StoredActivity> {
    let edit: Option<Edit> = row.edit.map(from_json).transpose()?;
    Ok(StoredActivity {
        id: ActivityId::new(row.id),
        day: day(row.day)?,
        load: row.load,
        load_quality: row.load_quality.as_deref().map(parse_text).transpose()?,
        load_method: row.load_method.as_deref().map(parse_text).transpose()?,
        measured_moving: row.measured_moving_ms.map(TimeSpan::from_ms),
        measured_ascent: row.measured_ascent_mm.map(Distance::from_mm),
        race: row.race,
        flaws: row.flaws.map(from_json).transpose()?.unwrap_or_default(),
        edited: edit.is_some(),
        activity: Activity {
            sport: parse_text(&row.sport)?,
            sub_sport: row.sub_sport,
            name: row.name,
            started_at: row.started_at,
            utc_offset_s: narrow(row.utc_offset_s)?,
            elapsed: row.elapsed_ms.map(TimeSpan::from_ms),
            moving: row.moving_ms.map(TimeSpan::from_ms),
            moving_is_edited: edit.is_some_and(|edit| edit.moving.is_some()),
            distance: row.distance_mm.map(Distance::from_mm),
            ascent: row.ascent_mm.map(Distance::from_mm),
            descent: row.descent_mm.map(Distance::from_mm),
            avg_heart_rate: narrow_option(row.avg_heart_rate)?,
            max_heart_rate: narrow_option(row.max_heart_rate)?,
            avg_power: narrow_option(row.avg_power)?,
            max_power: narrow_option(row.max_power)?,
            avg_cadence: row.avg_cadence,
            energy_kcal: narrow_option(row.energy_kcal)?,
            device: row.device,
            device_metrics: row.device_metrics.map(from_json).transpose()?.unwrap_or_default(),
            laps: Vec::new(),
        },
    })
}

pub(crate) fn lap_rows(user: UserId, activity: i64, laps: &[Lap]) -> impl Iterator<Item = laps::ActiveModel> {
    (1..).zip(laps).map(move |(number, lap)| laps::ActiveModel {
        activity_id: Set(activity),
        user_id: Set(user.get()),
        number: Set(number),
        started_at: Set(truncate_to_micros(lap.started_at)),
        elapsed_ms: Set(lap.elapsed.map(TimeSpan::ms)),
        moving_ms: Set(lap.moving.map(TimeSpan::ms)),
        distance_mm: Set(lap.distance.map(Distance::mm)),
        avg_heart_rate: Set(lap.avg_heart_rate.map(i64::from)),
        max_heart_rate: Set(lap.max_heart_rate.map(i64::from)),
        avg_power: Set(lap.avg_power.map(i64::from)),
        avg_cadence: Set(lap.avg_cadence),
        kind: Set(lap.kind.clone()),
    })
}

fn lap(row: laps::Model) -> Result<Lap> {
    Ok(Lap {
        started_at: row.started_at,
        elapsed: row.elapsed_ms.map(TimeSpan::from_ms),
        moving: row.moving_ms.map(TimeSpan::from_ms),
        distance: row.distance_mm.map(Distance::from_mm),
        avg_heart_rate: narrow_option(row.avg_heart_rate)?,
        max_heart_rate: narrow_option(row.max_heart_rate)?,
        avg_power: narrow_option(row.avg_power)?,
        avg_cadence: row.avg_cadence,
        kind: row.kind,
    })
}

/// Deleting or restoring an activity also affects its race result, which may be on an earlier day.
async fn invalidate_with_race(tx: &Tx, id: i64, on: Day) -> Result<()> {
    let raced = find_race_day(tx, id).await?;
    recompute_state::invalidate_from(tx, Some(raced.map_or(on, |raced| raced.min(on)))).await
}
