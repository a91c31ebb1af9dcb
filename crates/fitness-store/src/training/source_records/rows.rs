//! Writes the rows of records and merged activities in few statements.

use super::{PackedRecord, RecordGroup};
use crate::db::compress::pack_json;
use crate::db::convert::to_json;
use crate::db::entities::{
    activities, activity_details, activity_gear, activity_metrics, activity_reports, laps, observations,
    originals, races, record_streams, streams, workout_matches,
};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::truncate_to_micros;
use crate::db::tx::Tx;

use crate::metrics::recompute_state;
use crate::training::activities::{activity_row, lap_rows};
use crate::training::streams::PackedRecording;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{SourceId, UserId};
use fitness_core::domain::merge::{Edit, MergedActivity, fill_missing_channels};
use fitness_core::domain::source_record::RecordKey;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, EntityTrait, QueryFilter, QuerySelect,
};
use std::collections::HashMap;

/// Well below SQLite's limit on variables.
pub(crate) const ROWS_PER_STATEMENT: usize = 500;

/// Writes changes and returns the activity of every record.
pub(super) async fn write_groups(
    tx: &Tx,
    groups: Vec<RecordGroup>,
    mut kept: HashMap<RecordKey, PackedRecord>,
    now: Instant,
) -> Result<HashMap<RecordKey, i64>> {
    let mut ids = HashMap::new();
    let mut made: HashMap<String, RecordGroup> = HashMap::new();
    let mut rows = Vec::new();
    let mut children = ChildRows::default();
    let mut stale_from: Option<Day> = None;
    let mut touch = |day: Day| stale_from = Some(stale_from.map_or(day, |from| from.min(day)));
    for group in groups {
        if group.id.is_some() {
            update_activity(tx, &group, &mut kept, &mut children, &mut touch).await?;
            ids.extend(group.records.iter().map(|(key, _)| (key.clone(), group.id.unwrap_or_default())));
            continue;
        }
        // Any record key identifies the new row; an activity has at least one record.
        let identity = group.records.iter().map(|(key, _)| key.to_string()).min().unwrap_or_default();
        let merged = group.merged();
        touch(merged.activity.day());
        rows.push(activities::ActiveModel {
            identity: Set(identity.clone()),
            imported_at: Set(truncate_to_micros(now)),
            ..activity_row(tx.user(), &merged)
        });
        made.insert(identity, group);
    }
    for some in rows.chunks(ROWS_PER_STATEMENT / 10) {
        let inserted =
            activities::Entity::insert_many(some.iter().cloned()).exec_with_returning(tx.db()).await?;
        for row in inserted {
            let group = made.remove(&row.identity).ok_or(Error::NotFound(RecordKind::Activity))?;
            ids.extend(group.records.iter().map(|(key, _)| (key.clone(), row.id)));
            let merged = group.merged();
            let recordings = read_recordings(tx, &group, &merged, &kept).await?;
            children.add(tx.user(), row.id, None, &merged, &mut kept);
            children.add_merged_recording(tx.user(), row.id, &group, recordings)?;
        }
    }
    let originals = original_ids(tx, &kept).await?;
    for report in kept.into_values() {
        let original = report.original.and_then(|hash| originals.get(&hash.to_string()).copied());
        let activity = ids[&report.key];
        children.records.push(report.into_row(tx.user(), activity, original, now));
    }
    children.insert(tx).await?;
    recompute_state::invalidate_from(tx, stale_from).await?;
    Ok(ids)
}

/// Updates an existing activity from its records.
async fn update_activity(
    tx: &Tx,
    group: &RecordGroup,
    kept: &mut HashMap<RecordKey, PackedRecord>,
    children: &mut ChildRows,
    touch: &mut impl FnMut(Day),
) -> Result<()> {
    let Some(id) = group.id else { return Ok(()) };
    let touched = !group.absorbed.is_empty() || group.records.iter().any(|(key, _)| kept.contains_key(key));
    if !touched {
        return Ok(());
    }
    let after = group.merged();
    let recordings = read_recordings(tx, group, &after, kept).await?;
    let earlier = group.absorbed.iter().filter_map(|(_, before)| before.as_ref()).chain(&group.stored);
    let days = earlier.chain([&after]).map(|merged| merged.activity.day());
    days.for_each(&mut *touch);
    for (other, before) in &group.absorbed {
        merge_activities(tx, id, *other, before.as_ref(), &after).await?;
    }
    if group.stored.as_ref() != Some(&after) || !group.absorbed.is_empty() {
        let changed = activities::ActiveModel {
            id: Set(id),
            edit: Set((group.edit != Edit::default()).then(|| to_json(&group.edit))),
            deleted_at: Set(group.deleted),
            ..activity_row(tx.user(), &after)
        };
        activities::Entity::update(changed).exec(tx.db()).await?;
    }
    children.stale_measures.push(id);
    children.add(tx.user(), id, group.stored.as_ref(), &after, kept);
    children.add_merged_recording(tx.user(), id, group, recordings)
}

/// The sources' own recordings of an activity with several, best first; otherwise nothing, because
/// the activity's streams are the recording of its only source.
async fn read_recordings(
    tx: &Tx,
    group: &RecordGroup,
    after: &MergedActivity,
    kept: &HashMap<RecordKey, PackedRecord>,
) -> Result<Vec<(RecordKey, PackedRecording)>> {
    if after.recordings.len() < 2 {
        return Ok(Vec::new());
    }
    let mut found = Vec::with_capacity(after.recordings.len());
    for key in &after.recordings {
        let packed = match kept.get(key) {
            Some(report) => report.recording.clone(),
            None => read_stored_recording(tx, group, key).await?,
        };
        // Versions before 0.4 did not store the recordings that were not used.
        found.extend(packed.map(|packed| (key.clone(), packed)));
    }
    Ok(found)
}

async fn read_stored_recording(
    tx: &Tx,
    group: &RecordGroup,
    key: &RecordKey,
) -> Result<Option<PackedRecording>> {
    use record_streams::Column;
    let rows = record_streams::Entity::find()
        .filter(Column::UserId.eq(tx.user().get()))
        .filter(Column::Kind.eq(key.kind.as_str()))
        .filter(Column::ExternalId.eq(&key.id))
        .all(tx.db())
        .await?;
    let columns = rows.into_iter().map(|row| (row.channel, row.samples, row.packed));
    if let Some(packed) = PackedRecording::from_stored(columns) {
        return Ok(Some(packed));
    }
    let stored = group.id.zip(group.stored.as_ref()).into_iter();
    let absorbed = group.absorbed.iter().filter_map(|(id, stored)| Some((*id, stored.as_ref()?)));
    let Some((id, _)) = stored.chain(absorbed).find(|(_, stored)| stored.recording.as_ref() == Some(key))
    else {
        return Ok(None);
    };
    let rows = streams::Entity::find().filter(streams::Column::ActivityId.eq(id)).all(tx.db()).await?;
    Ok(PackedRecording::from_stored(rows.into_iter().map(|row| (row.channel, row.samples, row.packed))))
}

/// Moves everything of an activity to the one it is merged into.
async fn merge_activities(
    tx: &Tx,
    id: i64,
    other: i64,
    before: Option<&MergedActivity>,
    after: &MergedActivity,
) -> Result<()> {
    macro_rules! hand_over { ($($table:ident),+) => { $(
        $table::Entity::update_many()
            .col_expr($table::Column::ActivityId, Expr::value(id))
            .filter($table::Column::ActivityId.eq(other))
            .exec(tx.db())
            .await?;
    )+ } }
    macro_rules! clear {
        ($table:ident, $of:expr) => {
            $table::Entity::delete_many().filter($table::Column::ActivityId.eq($of)).exec(tx.db()).await?
        };
    }
    // Keep the recording with more samples.
    let samples =
        after.recording.is_some() && before.is_some_and(|before| before.recording == after.recording);
    clear!(streams, if samples { id } else { other });
    let details = after.details.is_some() && before.is_some_and(|before| before.details == after.details);
    clear!(activity_details, if details { id } else { other });
    clear!(laps, other);
    clear!(activity_metrics, other);
    // One activity has one race result; keep the decision about the older one.
    let decided = races::Entity::find().filter(races::Column::ActivityId.eq(id)).one(tx.db()).await?;
    if decided.is_some() {
        clear!(races, other);
    }
    // Likewise it can match only one workout.
    let matched = workout_matches::Entity::find().filter(workout_matches::Column::ActivityId.eq(id));
    if matched.one(tx.db()).await?.is_some() {
        clear!(workout_matches, other);
    }
    // The gear chosen for the older one is kept.
    let geared = activity_gear::Entity::find_by_id(id).one(tx.db()).await?;
    if geared.is_some() {
        clear!(activity_gear, other);
    }
    hand_over!(
        streams,
        activity_details,
        activity_reports,
        observations,
        races,
        workout_matches,
        activity_gear
    );
    activities::Entity::delete_by_id(other).exec(tx.db()).await?;
    Ok(())
}

/// Child rows of activities, collected so that a batch needs few statements.
#[derive(Default)]
struct ChildRows {
    records: Vec<activity_reports::ActiveModel>,
    laps: Vec<laps::ActiveModel>,
    stale_laps: Vec<i64>,
    streams: Vec<streams::ActiveModel>,
    record_streams: Vec<record_streams::ActiveModel>,
    /// Records whose own recordings are replaced.
    stale_record_streams: Vec<RecordKey>,
    stale_streams: Vec<i64>,
    details: Vec<activity_details::ActiveModel>,
    stale_details: Vec<i64>,
    /// Activities to measure again.
    stale_measures: Vec<i64>,
}

impl ChildRows {
    /// Collects what must be written so that the stored activity becomes `after`.
    fn add(
        &mut self,
        user: UserId,
        id: i64,
        before: Option<&MergedActivity>,
        after: &MergedActivity,
        kept: &mut HashMap<RecordKey, PackedRecord>,
    ) {
        let new = before.is_none();
        if before.is_none_or(|before| before.activity.laps != after.activity.laps) {
            self.stale_laps.extend((!new).then_some(id));
            self.laps.extend(lap_rows(user, id, &after.activity.laps));
        }
        // Only records of this batch need to be written; earlier ones are stored.
        let recording = after.recording.as_ref().and_then(|key| kept.get_mut(key)?.recording.take());
        if let Some(packed) = recording {
            self.stale_streams.extend((!new).then_some(id));
            self.streams.extend(packed.into_rows(user, id));
        }
        let details = after.details.as_ref().and_then(|key| kept.get_mut(key)?.details.take());
        if let Some(packed) = details {
            self.stale_details.extend((!new).then_some(id));
            self.details.push(activity_details::ActiveModel {
                activity_id: Set(id),
                user_id: Set(user.get()),
                packed: Set(packed),
            });
        }
    }

    /// Replaces the streams of an activity with several recordings: those of the best one, and the
    /// channels that it lacks from the others.
    fn add_merged_recording(
        &mut self,
        user: UserId,
        id: i64,
        group: &RecordGroup,
        recordings: Vec<(RecordKey, PackedRecording)>,
    ) -> Result<()> {
        if recordings.is_empty() {
            return Ok(());
        }
        let mut unpacked = Vec::with_capacity(recordings.len());
        for (key, packed) in &recordings {
            let start = group.records.iter().find(|(known, _)| known == key);
            let start = start.map(|(_, outline)| outline.activity.started_at);
            unpacked.extend(start.zip(packed.unpack()?));
        }
        let Some((first, others)) = unpacked.split_first() else { return Ok(()) };
        let merged = PackedRecording::from_recording(&fill_missing_channels(first, others))?;
        self.stale_streams.push(id);
        self.streams.retain(|row| row.activity_id != Set(id));
        self.streams.extend(merged.into_rows(user, id));
        for (key, packed) in recordings {
            self.record_streams.extend(packed.into_record_rows(user, &key));
            self.stale_record_streams.push(key);
        }
        Ok(())
    }

    async fn insert(self, tx: &Tx) -> Result<()> {
        macro_rules! clear {
            ($table:ident, $ids:expr) => {
                for some in $ids.chunks(ROWS_PER_STATEMENT) {
                    let of_these = $table::Column::ActivityId.is_in(some.iter().copied());
                    $table::Entity::delete_many().filter(of_these).exec(tx.db()).await?;
                }
            };
        }
        clear!(laps, self.stale_laps);
        clear!(streams, self.stale_streams);
        clear!(activity_details, self.stale_details);
        for key in &self.stale_record_streams {
            record_streams::Entity::delete_many()
                .filter(record_streams::Column::UserId.eq(tx.user().get()))
                .filter(record_streams::Column::Kind.eq(key.kind.as_str()))
                .filter(record_streams::Column::ExternalId.eq(&key.id))
                .exec(tx.db())
                .await?;
        }
        crate::metrics::activity_metrics::delete_measures(tx, &self.stale_measures).await?;
        use activity_reports::Column;
        let replace = OnConflict::columns([Column::UserId, Column::Kind, Column::ExternalId])
            .update_columns([
                Column::SourceId,
                Column::OriginalId,
                Column::StartedAt,
                Column::Outline,
                Column::ContentHash,
                Column::Edition,
                Column::Raw,
                Column::ToldAt,
            ])
            .to_owned();
        for some in in_chunks(self.records) {
            let insert = activity_reports::Entity::insert_many(some).on_conflict(replace.clone());
            insert.exec_without_returning(tx.db()).await?;
        }
        for some in in_chunks(self.laps) {
            laps::Entity::insert_many(some).exec_without_returning(tx.db()).await?;
        }
        for some in in_chunks(self.streams) {
            streams::Entity::insert_many(some).exec_without_returning(tx.db()).await?;
        }
        for some in in_chunks(self.record_streams) {
            record_streams::Entity::insert_many(some).exec_without_returning(tx.db()).await?;
        }
        for some in in_chunks(self.details) {
            activity_details::Entity::insert_many(some).exec_without_returning(tx.db()).await?;
        }
        Ok(())
    }
}

impl PackedRecord {
    fn into_row(
        self,
        user: UserId,
        activity: i64,
        original: Option<i64>,
        now: Instant,
    ) -> activity_reports::ActiveModel {
        activity_reports::ActiveModel {
            id: NotSet,
            user_id: Set(user.get()),
            activity_id: Set(activity),
            source_id: Set(self.source.map(SourceId::get)),
            original_id: Set(original),
            kind: Set(self.key.kind.as_str().to_owned()),
            external_id: Set(self.key.id),
            started_at: Set(truncate_to_micros(self.summary.activity.started_at)),
            outline: Set(pack_json(&self.summary)),
            content_hash: Set(self.hash.to_string()),
            edition: Set(self.export_day.map(Day::date)),
            raw: Set(self.raw),
            told_at: Set(truncate_to_micros(now)),
        }
    }
}

/// Row ids of the records' original files, by hash.
async fn original_ids(tx: &Tx, kept: &HashMap<RecordKey, PackedRecord>) -> Result<HashMap<String, i64>> {
    use originals::Column;
    let hashes: Vec<String> =
        kept.values().filter_map(|report| report.original).map(|hash| hash.to_string()).collect();
    let mut ids = HashMap::with_capacity(hashes.len());
    for some in hashes.chunks(ROWS_PER_STATEMENT) {
        let rows = originals::Entity::find()
            .select_only()
            .columns([Column::Sha256, Column::Id])
            .filter(Column::UserId.eq(tx.user().get()))
            .filter(Column::Sha256.is_in(some))
            .into_tuple::<(String, i64)>()
            .all(tx.db())
            .await?;
        ids.extend(rows);
    }
    Ok(ids)
}

/// Splits rows into chunks for one statement each, without copying.
pub(crate) fn in_chunks<T>(mut rows: Vec<T>) -> impl Iterator<Item = Vec<T>> {
    std::iter::from_fn(move || {
        let rest = rows.split_off(rows.len().min(ROWS_PER_STATEMENT));
        Some(std::mem::replace(&mut rows, rest)).filter(|some| !some.is_empty())
    })
}
