//! Taking in what sources say about activities.
//!
//! A batch is one transaction. Each report is kept once under its key; which activity it is about is decided against
//! every report already there, and the activity is put together anew ([`fitness_core::domain::merge`]). Neither the order of
//! batches nor a second helping changes the outcome: reports are linked when any two of them are about the same
//! activity, and a report that links two activities makes them one.

mod rows;

pub(crate) use rows::{ROWS_AT_ONCE, in_chunks};

use crate::db::compress::{pack, pack_json, unpack_json};
use crate::db::convert::{day, json, word};
use crate::db::entities::{activities, activity_reports};
use crate::db::error::{Error, Result};
use crate::db::store::stamp;
use crate::db::tx::Tx;
use crate::training::streams::Packed;
use chrono::{NaiveDate, TimeDelta};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{ActivityId, SourceId};
use fitness_core::domain::merge::{ABOUT_THE_SAME_START_MS, Edit, Merged, merge, same_activity};
use fitness_core::domain::source_record::{ActivityReport, Outline, Recorded, ReportKey, SourceKind};
use fitness_core::domain::untrusted_text::storable;
use sea_orm::prelude::Json;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect};
use std::collections::{BTreeSet, HashMap};

/// Starts further apart than this many days are asked about one by one.
const DAYS_APART: i64 = 7;

/// A report on its way into the store, compressed beforehand: that is the work of a core, not of the database.
#[derive(Debug, Clone)]
pub struct NewReport {
    key: ReportKey,
    outline: Outline,
    hash: ContentHash,
    recording: Option<Packed>,
    details: Option<Vec<u8>>,
    raw: Option<Vec<u8>>,
    original: Option<ContentHash>,
    source: Option<SourceId>,
    edition: Option<Day>,
}

impl NewReport {
    /// Packs a report. `original` is the hash of the file it was read from, when that is kept.
    ///
    /// # Errors
    /// `TooLong` when the recording is.
    pub fn pack(
        report: ActivityReport,
        original: Option<ContentHash>,
        source: Option<SourceId>,
    ) -> Result<Self> {
        let ActivityReport { key, mut recorded, raw } = report;
        make_storable(&mut recorded);
        let outline = recorded.outline();
        let recording = recorded.recording.as_ref().map(Packed::of).transpose()?;
        let details = (!recorded.details.is_empty()).then(|| pack_json(&recorded.details));
        // With the samples: a reader that learns to read them better says something else.
        let samples = recording.as_ref().map(Packed::hash);
        Ok(Self {
            hash: ContentHash::of_json(&(
                &outline,
                &raw,
                samples,
                details.as_deref().map(ContentHash::of_bytes),
            )),
            recording,
            details,
            raw: raw.map(|raw| pack(raw.as_bytes())),
            key,
            outline,
            original,
            source,
            edition: None,
        })
    }

    /// How new the export is that tells it.
    #[must_use]
    pub const fn of_edition(mut self, edition: Option<Day>) -> Self {
        self.edition = edition;
        self
    }

    fn telling(&self) -> Telling {
        Telling { edition: self.edition, hash: self.hash.to_string() }
    }

    /// Which report it is.
    #[must_use]
    pub const fn key(&self) -> &ReportKey {
        &self.key
    }
}

/// Foreign text comes as it is; a NUL, or a book in place of a title, goes no further.
fn make_storable(recorded: &mut Recorded) {
    let activity = &mut recorded.activity;
    let laps = activity.laps.iter_mut().map(|lap| &mut lap.kind);
    let texts = [&mut activity.name, &mut activity.sub_sport, &mut activity.device].into_iter().chain(laps);
    let strokes = recorded.details.lengths.iter_mut().map(|length| &mut length.stroke);
    let exercises = recorded.details.sets.iter_mut().map(|set| &mut set.exercise);
    for text in texts.chain(strokes).chain(exercises).flatten() {
        *text = storable(text);
    }
}

/// What became of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// A new activity.
    Added,
    /// Something more about an activity that was there.
    Joined,
    /// The source now says something else.
    Changed,
    /// It was there already, and nothing changed.
    AlreadyThere,
}

/// What became of a report, and which activity it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Put {
    /// The activity.
    pub activity: ActivityId,
    /// What became of the report.
    pub fate: Fate,
}

/// One source's word under one key, as far as it matters for what stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Telling {
    /// How new the export is.
    pub(crate) edition: Option<Day>,
    pub(crate) hash: String,
}

impl Telling {
    /// What becomes of this when a source says it now, after `earlier`. Exports come in any order: the newer one
    /// stands, and of two of one age always the same one. Everybody else means what they said last.
    pub(crate) fn after(&self, earlier: &Self, kind: SourceKind) -> Turn {
        if self.hash == earlier.hash {
            return if kind.is_export() && self.edition > earlier.edition {
                Turn::Renews
            } else {
                Turn::Repeats
            };
        }
        if kind.is_export() && self < earlier { Turn::Repeats } else { Turn::Replaces }
    }
}

/// What a word is to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Nothing new.
    Repeats,
    /// The same, from a newer export.
    Renews,
    /// Something else, which stands.
    Replaces,
}

/// All reports about one activity.
#[derive(Default)]
struct Group {
    /// `None` until it has a row.
    id: Option<i64>,
    edit: Edit,
    deleted: Option<Instant>,
    reports: Vec<(ReportKey, Outline)>,
    tellings: HashMap<ReportKey, Telling>,
    /// What its row says now.
    before: Option<Merged>,
    /// Activities that turned out to be this one, with what their rows said.
    absorbed: Vec<(i64, Option<Merged>)>,
}

impl Group {
    fn take(&mut self, key: &ReportKey, outline: &Outline, telling: Telling) {
        self.reports.retain(|(known, _)| known != key);
        self.reports.push((key.clone(), outline.clone()));
        self.tellings.insert(key.clone(), telling);
    }

    fn is_about(&self, outline: &Outline) -> bool {
        self.reports.iter().any(|(_, other)| same_activity(other, outline))
    }

    /// Makes another group part of this one. What the athlete said about either stays said: what they removed does
    /// not come back because something else turns out to be the same.
    fn absorb(mut self, other: Self) -> Self {
        self.reports.extend(other.reports);
        self.tellings.extend(other.tellings);
        self.edit = other.edit.then(self.edit);
        self.deleted = self.deleted.or(other.deleted);
        self.absorbed.extend(other.id.map(|id| (id, other.before)));
        self.absorbed.extend(other.absorbed);
        self
    }

    /// What its reports come to now.
    fn merged(&self) -> Merged {
        merge(&self.reports, &self.edit).expect("a group has a report")
    }
}

/// Takes in reports; the answer says what became of each, in their order, and how many are only of a newer export.
pub(crate) async fn put(tx: &Tx, new: Vec<NewReport>, now: Instant) -> Result<(Vec<Put>, u64)> {
    if new.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let mut groups = neighbours(tx, &new).await?;
    let mut fates = Vec::with_capacity(new.len());
    let mut kept: HashMap<ReportKey, NewReport> = HashMap::new();
    for report in new {
        let telling = report.telling();
        let known = groups.iter_mut().find_map(|group| {
            let turn = telling.after(group.tellings.get(&report.key)?, report.key.kind);
            Some((group, turn))
        });
        let fate = match known {
            Some((_, Turn::Repeats)) => Fate::AlreadyThere,
            Some((group, turn)) => {
                group.take(&report.key, &report.outline, telling);
                kept.insert(report.key.clone(), report.clone());
                if turn == Turn::Replaces { Fate::Changed } else { Fate::AlreadyThere }
            }
            None => {
                let mut about: Vec<Group> =
                    groups.extract_if(.., |group| group.is_about(&report.outline)).collect();
                // The oldest activity keeps its id; a group without one is part of this batch.
                about.sort_by_key(|group| group.id.unwrap_or(i64::MAX));
                let known = !about.is_empty();
                let mut group = about.into_iter().reduce(Group::absorb).unwrap_or_default();
                group.take(&report.key, &report.outline, telling);
                groups.push(group);
                if known { Fate::Joined } else { Fate::Added }
            }
        };
        fates.push((report.key.clone(), fate));
        if matches!(fate, Fate::Added | Fate::Joined) {
            kept.insert(report.key.clone(), report);
        }
    }
    let renewed =
        fates.iter().filter(|(key, fate)| *fate == Fate::AlreadyThere && kept.contains_key(key)).count();
    let ids = rows::write(tx, groups, kept, now).await?;
    let put = |(key, fate)| Put { activity: ActivityId::new(ids[&key]), fate };
    Ok((fates.into_iter().map(put).collect(), renewed as u64))
}

/// Every activity that one of the new reports could be about, with all its reports.
async fn neighbours(tx: &Tx, new: &[NewReport]) -> Result<Vec<Group>> {
    use activity_reports::Column;
    let mine = || activity_reports::Entity::find().filter(Column::UserId.eq(tx.user().get()));
    let activity_ids = |condition: Condition| {
        mine().select_only().column(Column::ActivityId).filter(condition).into_tuple::<i64>().all(tx.db())
    };
    let mut ids: BTreeSet<i64> = BTreeSet::new();
    let mut starts: Vec<Instant> = new.iter().map(|report| report.outline.activity.started_at).collect();
    starts.sort_unstable();
    let around = TimeDelta::milliseconds(ABOUT_THE_SAME_START_MS);
    // One question for each stretch of days: SQLite answers many ranges at once by looking at every report there is.
    for stretch in starts.chunk_by(|a, b| *b - *a < TimeDelta::days(DAYS_APART)) {
        let (Some(first), Some(last)) = (stretch.first(), stretch.last()) else { continue };
        let found = mine()
            .select_only()
            .columns([Column::ActivityId, Column::StartedAt])
            .filter(Column::StartedAt.between(stamp(*first - around), stamp(*last + around)))
            .into_tuple::<(i64, Instant)>()
            .all(tx.db())
            .await?;
        let near = |start: Instant| {
            let next = stretch.partition_point(|new| *new + around < start);
            stretch.get(next).is_some_and(|new| *new - around <= start)
        };
        ids.extend(found.into_iter().filter(|(_, start)| near(*start)).map(|(id, _)| id));
    }
    for some in new.chunks(ROWS_AT_ONCE) {
        // With its kind a key is found in the index; without, every report there is would be looked at.
        let kinds: BTreeSet<&str> = some.iter().map(|report| report.key.kind.as_str()).collect();
        let keys = some.iter().map(|report| report.key.id.as_str());
        let told_before = Condition::all().add(Column::Kind.is_in(kinds)).add(Column::ExternalId.is_in(keys));
        ids.extend(activity_ids(told_before).await?);
    }
    let ids: Vec<i64> = ids.into_iter().collect();
    let mut groups: HashMap<i64, Group> = HashMap::with_capacity(ids.len());
    for some in ids.chunks(ROWS_AT_ONCE) {
        let rows = activities::Entity::find()
            .select_only()
            .columns([activities::Column::Id, activities::Column::DeletedAt, activities::Column::Edit])
            .filter(activities::Column::Id.is_in(some.iter().copied()))
            .into_tuple::<(i64, Option<Instant>, Option<Json>)>()
            .all(tx.db())
            .await?;
        for (id, deleted, edit) in rows {
            let edit = edit.map(json).transpose()?.unwrap_or_default();
            groups.insert(id, Group { id: Some(id), edit, deleted, ..Group::default() });
        }
        // The activities are the user's. Naming the user again would make SQLite look at every report of theirs.
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
            let key = ReportKey { kind: word(&kind)?, id };
            let group = groups.get_mut(&activity).ok_or(Error::NotFound("activity"))?;
            let telling = Telling { edition: edition.map(day).transpose()?, hash };
            group.take(&key, &unpack_json(&outline)?, telling);
        }
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    for group in &mut groups {
        group.before = Some(group.merged());
    }
    Ok(groups)
}
