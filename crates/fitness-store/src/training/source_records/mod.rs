//! Source records of activities: importing them and merging them into activities.
//!
//! A batch is one transaction. Each record is stored once under its key, compared with all stored
//! records, and its activity is merged again ([`fitness_core::domain::merge`]). The result does not
//! depend on the order of batches or on repetition: records of the same activity are linked, and a
//! record that links two activities merges them.

mod rows;

pub(crate) use rows::{ROWS_PER_STATEMENT, in_chunks};

use crate::db::compress::{pack, pack_json, unpack_json};
use crate::db::convert::{day, from_json, parse_text};
use crate::db::entities::{activities, activity_reports};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::truncate_to_micros;
use crate::db::tx::Tx;
use crate::training::streams::PackedRecording;
use chrono::{NaiveDate, TimeDelta};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{ActivityId, SourceId};
use fitness_core::domain::merge::{Edit, MATCH_WINDOW_MS, MergedActivity, is_same_activity, merge_activity};
use fitness_core::domain::source_record::{
    ActivitySummary, ParsedActivity, RecordKey, SourceKind, SourceRecord,
};
use fitness_core::domain::untrusted_text::sanitize_for_storage;
use sea_orm::prelude::Json;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect};
use std::collections::{BTreeSet, HashMap};

/// Larger gaps between start times are queried separately.
const MAX_QUERY_GAP_DAYS: i64 = 7;

/// A record to be stored, compressed before the transaction because that takes CPU time.
#[derive(Debug, Clone)]
pub struct PackedRecord {
    key: RecordKey,
    summary: ActivitySummary,
    hash: ContentHash,
    recording: Option<PackedRecording>,
    details: Option<Vec<u8>>,
    raw: Option<Vec<u8>>,
    original: Option<ContentHash>,
    source: Option<SourceId>,
    export_day: Option<Day>,
}

impl PackedRecord {
    /// Compresses a record. `original` is the hash of the file it was read from, if the file is
    /// stored.
    ///
    /// # Errors
    /// `RecordingTooLong`.
    pub fn pack(
        report: SourceRecord,
        original: Option<ContentHash>,
        source: Option<SourceId>,
    ) -> Result<Self> {
        let SourceRecord { key, parsed: mut recorded, raw } = report;
        sanitize_text(&mut recorded);
        let outline = recorded.summary();
        let recording = recorded.recording.as_ref().map(PackedRecording::from_recording).transpose()?;
        let details = (!recorded.details.is_empty()).then(|| pack_json(&recorded.details));
        // Include the samples, because a newer parser may read them differently. The distance
        // profile is computed from them.
        let samples = recording.as_ref().map(PackedRecording::hash);
        let hashed = ActivitySummary { distance_profile: None, ..outline.clone() };
        Ok(Self {
            hash: ContentHash::hash_json(&(
                &hashed,
                &raw,
                samples,
                details.as_deref().map(ContentHash::hash_bytes),
            )),
            recording,
            details,
            raw: raw.map(|raw| pack(raw.as_bytes())),
            key,
            summary: outline,
            original,
            source,
            export_day: None,
        })
    }

    /// Sets the day of the account export.
    #[must_use]
    pub const fn with_export_day(mut self, edition: Option<Day>) -> Self {
        self.export_day = edition;
        self
    }

    fn version(&self) -> RecordVersion {
        RecordVersion { export_day: self.export_day, hash: self.hash.to_string() }
    }

    #[must_use]
    pub const fn key(&self) -> &RecordKey {
        &self.key
    }
}

/// Removes NUL characters from untrusted text and truncates it.
fn sanitize_text(recorded: &mut ParsedActivity) {
    let activity = &mut recorded.activity;
    let laps = activity.laps.iter_mut().map(|lap| &mut lap.kind);
    let texts = [&mut activity.name, &mut activity.sub_sport, &mut activity.device].into_iter().chain(laps);
    let strokes = recorded.details.lengths.iter_mut().map(|length| &mut length.stroke);
    let exercises = recorded.details.sets.iter_mut().map(|set| &mut set.exercise);
    for text in texts.chain(strokes).chain(exercises).flatten() {
        *text = sanitize_for_storage(text);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpsertOutcome {
    Added,
    /// Added to an existing activity.
    Merged,
    /// The source changed it.
    Updated,
    Unchanged,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpsertedRecord {
    pub activity: ActivityId,
    pub outcome: UpsertOutcome,
}

/// Version of a record, to decide which of two wins.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RecordVersion {
    pub(crate) export_day: Option<Day>,
    pub(crate) hash: String,
}

impl RecordVersion {
    /// Compares a new version with the stored one. Exports may come in any order: the newer one
    /// wins, and for two of the same day the choice is deterministic. For all other sources the
    /// last import wins.
    pub(crate) fn change_from(&self, earlier: &Self, kind: SourceKind) -> VersionComparison {
        if self.hash == earlier.hash {
            return if kind.is_export() && self.export_day > earlier.export_day {
                VersionComparison::NewerExport
            } else {
                VersionComparison::Unchanged
            };
        }
        if kind.is_export() && self < earlier {
            VersionComparison::Unchanged
        } else {
            VersionComparison::Replaced
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VersionComparison {
    Unchanged,
    /// The same content from a newer export.
    NewerExport,
    /// New content that wins.
    Replaced,
}

/// All records of one activity.
#[derive(Default)]
struct RecordGroup {
    /// `None` until it has a row.
    id: Option<i64>,
    edit: Edit,
    deleted: Option<Instant>,
    records: Vec<(RecordKey, ActivitySummary)>,
    versions: HashMap<RecordKey, RecordVersion>,
    stored: Option<MergedActivity>,
    /// Activities merged into this one, with their stored content.
    absorbed: Vec<(i64, Option<MergedActivity>)>,
}

impl RecordGroup {
    fn add_record(&mut self, key: &RecordKey, outline: &ActivitySummary, telling: RecordVersion) {
        self.records.retain(|(known, _)| known != key);
        self.records.push((key.clone(), outline.clone()));
        self.versions.insert(key.clone(), telling);
    }

    /// Whether a recording of this group is of the same activity as a recording.
    fn matches_recording(&self, outline: &ActivitySummary) -> bool {
        let recorded = |record: &ActivitySummary| !record.is_entered_by_hand();
        recorded(outline)
            && self.records.iter().any(|(_, other)| recorded(other) && is_same_activity(other, outline))
    }

    /// How far apart a record and the records of this group start, if one of both was entered by
    /// hand and the other is a recording of it. An entry belongs to one recording at most: it must
    /// not join two. A deleted entry belongs to none, because the recording was not deleted.
    fn entry_distance(&self, outline: &ActivitySummary) -> Option<i64> {
        let entered = |record: &ActivitySummary| record.is_entered_by_hand();
        let only_entered = self.records.iter().all(|(_, record)| entered(record));
        if only_entered == entered(outline) || (only_entered && self.deleted.is_some()) {
            return None;
        }
        let apart = |record: &ActivitySummary| {
            (record.activity.started_at - outline.activity.started_at).num_milliseconds().abs()
        };
        let same = self.records.iter().filter(|(_, record)| is_same_activity(record, outline));
        same.map(|(_, record)| apart(record)).min()
    }

    /// Merges another group into this one. The athlete's edits and deletions of either are kept: a
    /// deleted activity does not come back because of a merge.
    fn merge_with(mut self, other: Self) -> Self {
        self.records.extend(other.records);
        self.versions.extend(other.versions);
        self.edit = other.edit.followed_by(self.edit);
        self.deleted = self.deleted.or(other.deleted);
        self.absorbed.extend(other.id.map(|id| (id, other.stored)));
        self.absorbed.extend(other.absorbed);
        self
    }

    /// The activity merged from its records.
    fn merged(&self) -> MergedActivity {
        merge_activity(&self.records, &self.edit).expect("a group has a report")
    }
}

/// Imports records. Returns the outcome of each, in order, and how many were only confirmed by a
/// newer export.
pub(crate) async fn upsert(
    tx: &Tx,
    new: Vec<PackedRecord>,
    now: Instant,
) -> Result<(Vec<UpsertedRecord>, u64)> {
    if new.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let mut groups = load_candidate_groups(tx, &new).await?;
    let mut fates = Vec::with_capacity(new.len());
    let mut kept: HashMap<RecordKey, PackedRecord> = HashMap::new();
    for report in new {
        let telling = report.version();
        let known = groups.iter().enumerate().find_map(|(place, group)| {
            Some((place, telling.change_from(group.versions.get(&report.key)?, report.key.kind)))
        });
        let fate = match known {
            Some((_, VersionComparison::Unchanged)) => UpsertOutcome::Unchanged,
            Some((place, turn)) => {
                let mut group = groups.swap_remove(place);
                group.add_record(&report.key, &report.summary, telling);
                kept.insert(report.key.clone(), report.clone());
                let fate = if turn == VersionComparison::Replaced {
                    // What changed may belong to another activity as well.
                    group = merge_matching(&mut groups, vec![group], &report.summary);
                    UpsertOutcome::Updated
                } else {
                    UpsertOutcome::Unchanged
                };
                groups.push(group);
                fate
            }
            None => {
                let count = groups.len();
                let mut group = merge_matching(&mut groups, Vec::new(), &report.summary);
                let known = groups.len() < count;
                group.add_record(&report.key, &report.summary, telling);
                groups.push(group);
                if known { UpsertOutcome::Merged } else { UpsertOutcome::Added }
            }
        };
        fates.push((report.key.clone(), fate));
        if matches!(fate, UpsertOutcome::Added | UpsertOutcome::Merged) {
            kept.insert(report.key.clone(), report);
        }
    }
    let renewed = fates
        .iter()
        .filter(|(key, fate)| *fate == UpsertOutcome::Unchanged && kept.contains_key(key))
        .count();
    let ids = rows::write_groups(tx, groups, kept, now).await?;
    let put = |(key, fate)| UpsertedRecord { activity: ActivityId::new(ids[&key]), outcome: fate };
    Ok((fates.into_iter().map(put).collect(), renewed as u64))
}

/// Merges the given groups and those that match a record, which are removed from the list.
fn merge_matching(
    groups: &mut Vec<RecordGroup>,
    mut about: Vec<RecordGroup>,
    outline: &ActivitySummary,
) -> RecordGroup {
    about.extend(groups.extract_if(.., |group| group.matches_recording(outline)));
    let entry = groups
        .iter()
        .enumerate()
        .filter_map(|(place, group)| Some((group.entry_distance(outline)?, group.id, place)))
        .min();
    about.extend(entry.map(|(.., place)| groups.swap_remove(place)));
    merge_groups(about)
}

/// The oldest activity keeps its id; a group without an id is new in this batch.
fn merge_groups(mut groups: Vec<RecordGroup>) -> RecordGroup {
    groups.sort_by_key(|group| group.id.unwrap_or(i64::MAX));
    groups.into_iter().reduce(RecordGroup::merge_with).unwrap_or_default()
}

/// Compares all stored records again and merges activities that are the same by the current rules.
/// Returns each activity with those merged into it.
pub(crate) async fn merge_stored(tx: &Tx, now: Instant) -> Result<Vec<(ActivityId, Vec<ActivityId>)>> {
    use activity_reports::Column;
    let ids = activity_reports::Entity::find()
        .select_only()
        .column(Column::ActivityId)
        .distinct()
        .filter(Column::UserId.eq(tx.user().get()))
        .into_tuple::<i64>()
        .all(tx.db())
        .await?;
    let groups = load_groups(tx, &ids).await?;
    let mut records: Vec<(Instant, usize, &ActivitySummary)> = groups
        .iter()
        .enumerate()
        .flat_map(|(place, group)| {
            let recorded = group.records.iter().filter(|(_, outline)| !outline.is_entered_by_hand());
            recorded.map(move |(_, outline)| (outline.activity.started_at, place, outline))
        })
        .collect();
    records.sort_by_key(|(start, place, _)| (*start, *place));
    let mut same = UnionFind((0..groups.len()).collect());
    for (index, (start, place, outline)) in records.iter().enumerate() {
        let near = records[index + 1..]
            .iter()
            .take_while(|(other, ..)| (*other - *start).num_milliseconds() <= MATCH_WINDOW_MS);
        for (_, other, later) in near {
            if same.find(*place) != same.find(*other) && is_same_activity(outline, later) {
                same.union(*place, *other);
            }
        }
    }
    let mut sets: HashMap<usize, Vec<RecordGroup>> = HashMap::new();
    for (place, group) in groups.into_iter().enumerate() {
        sets.entry(same.find(place)).or_default().push(group);
    }
    let merged: Vec<RecordGroup> = sets.into_values().filter(|set| set.len() > 1).map(merge_groups).collect();
    let mut list: Vec<(ActivityId, Vec<ActivityId>)> = merged
        .iter()
        .map(|group| {
            let absorbed = group.absorbed.iter().map(|(id, _)| ActivityId::new(*id)).collect();
            (ActivityId::new(group.id.unwrap_or_default()), absorbed)
        })
        .collect();
    list.sort_unstable();
    rows::write_groups(tx, merged, HashMap::new(), now).await?;
    Ok(list)
}

/// Disjoint sets of indices.
struct UnionFind(Vec<usize>);

impl UnionFind {
    fn find(&mut self, mut index: usize) -> usize {
        while self.0[index] != index {
            self.0[index] = self.0[self.0[index]];
            index = self.0[index];
        }
        index
    }

    fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// All activities that a new record could belong to, with all their records.
async fn load_candidate_groups(tx: &Tx, new: &[PackedRecord]) -> Result<Vec<RecordGroup>> {
    use activity_reports::Column;
    let mine = || activity_reports::Entity::find().filter(Column::UserId.eq(tx.user().get()));
    let activity_ids = |condition: Condition| {
        mine().select_only().column(Column::ActivityId).filter(condition).into_tuple::<i64>().all(tx.db())
    };
    let mut ids: BTreeSet<i64> = BTreeSet::new();
    let mut starts: Vec<Instant> = new.iter().map(|report| report.summary.activity.started_at).collect();
    starts.sort_unstable();
    let around = TimeDelta::milliseconds(MATCH_WINDOW_MS);
    // One query per period: for many ranges in one query SQLite scans all records.
    for stretch in starts.chunk_by(|a, b| *b - *a < TimeDelta::days(MAX_QUERY_GAP_DAYS)) {
        let (Some(first), Some(last)) = (stretch.first(), stretch.last()) else { continue };
        let found = mine()
            .select_only()
            .columns([Column::ActivityId, Column::StartedAt])
            .filter(
                Column::StartedAt
                    .between(truncate_to_micros(*first - around), truncate_to_micros(*last + around)),
            )
            .into_tuple::<(i64, Instant)>()
            .all(tx.db())
            .await?;
        let near = |start: Instant| {
            let next = stretch.partition_point(|new| *new + around < start);
            stretch.get(next).is_some_and(|new| *new - around <= start)
        };
        ids.extend(found.into_iter().filter(|(_, start)| near(*start)).map(|(id, _)| id));
    }
    for some in new.chunks(ROWS_PER_STATEMENT) {
        // The kind lets the query use an index; without it, all records would be scanned.
        let kinds: BTreeSet<&str> = some.iter().map(|report| report.key.kind.as_str()).collect();
        let keys = some.iter().map(|report| report.key.id.as_str());
        let told_before = Condition::all().add(Column::Kind.is_in(kinds)).add(Column::ExternalId.is_in(keys));
        ids.extend(activity_ids(told_before).await?);
    }
    let ids: Vec<i64> = ids.into_iter().collect();
    load_groups(tx, &ids).await
}

/// Activities with all their records.
async fn load_groups(tx: &Tx, ids: &[i64]) -> Result<Vec<RecordGroup>> {
    use activity_reports::Column;
    let mut groups: HashMap<i64, RecordGroup> = HashMap::with_capacity(ids.len());
    for some in ids.chunks(ROWS_PER_STATEMENT) {
        let rows = activities::Entity::find()
            .select_only()
            .columns([activities::Column::Id, activities::Column::DeletedAt, activities::Column::Edit])
            .filter(activities::Column::Id.is_in(some.iter().copied()))
            .into_tuple::<(i64, Option<Instant>, Option<Json>)>()
            .all(tx.db())
            .await?;
        for (id, deleted, edit) in rows {
            let edit = edit.map(from_json).transpose()?.unwrap_or_default();
            groups.insert(id, RecordGroup { id: Some(id), edit, deleted, ..RecordGroup::default() });
        }
        // No filter on the user, because the activities are theirs; with it SQLite would scan all
        // their records.
        let rows = activity_reports::Entity::find()
            .select_only()
            .columns([
                Column::ActivityId,
                Column::Kind,
                Column::ExternalId,
                Column::Outline,
                Column::ContentHash,
                Column::Edition,
            ])
            .filter(Column::ActivityId.is_in(some.iter().copied()))
            .into_tuple::<(i64, String, String, Vec<u8>, String, Option<NaiveDate>)>()
            .all(tx.db())
            .await?;
        for (activity, kind, id, outline, hash, edition) in rows {
            let key = RecordKey { kind: parse_text(&kind)?, id };
            let group = groups.get_mut(&activity).ok_or(Error::NotFound(RecordKind::Activity))?;
            let telling = RecordVersion { export_day: edition.map(day).transpose()?, hash };
            group.add_record(&key, &unpack_json(&outline)?, telling);
        }
    }
    let mut groups: Vec<RecordGroup> = groups.into_values().collect();
    for group in &mut groups {
        group.stored = Some(group.merged());
    }
    Ok(groups)
}
