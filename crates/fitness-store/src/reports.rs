//! Taking in what sources say about activities.
//!
//! A batch is one transaction. Each report is kept once under its key; which activity it is about is decided against
//! every report already there, and the activity is put together anew ([`fitness_core::merge`]). Neither the order of
//! batches nor a second helping changes the outcome: reports are linked when any two of them are about the same
//! activity, and a report that links two activities makes them one.

use crate::activities::{columns, lap_rows};
use crate::entities::{
    activities, activity_details, activity_reports, laps, observations, originals, races, streams,
};
use crate::error::{Error, Result};
use crate::pack::{pack, pack_json, unpack_json};
use crate::read::{json, to_json, word};
use crate::store::stamp;
use crate::streams::Packed;
use crate::tx::Tx;
use chrono::TimeDelta;
use fitness_core::calendar::Instant;
use fitness_core::hash::ContentHash;
use fitness_core::ids::{ActivityId, SourceId, UserId};
use fitness_core::merge::{ABOUT_THE_SAME_START_MS, Edit, Merged, merge, same_activity};
use fitness_core::report::{ActivityReport, Outline, Recorded, ReportKey};
use fitness_core::text::storable;
use sea_orm::prelude::Json;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect,
};
use std::collections::{BTreeSet, HashMap};

/// Rows per statement; well below SQLite's limit on variables.
pub(crate) const ROWS_AT_ONCE: usize = 500;
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
        Ok(Self {
            hash: ContentHash::of_json(&(&outline, &raw)),
            recording: recorded.recording.as_ref().map(Packed::of).transpose()?,
            details: (!recorded.details.is_empty()).then(|| pack_json(&recorded.details)),
            raw: raw.map(|raw| pack(raw.as_bytes())),
            key,
            outline,
            original,
            source,
        })
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

/// All reports about one activity.
#[derive(Default)]
struct Group {
    /// `None` until it has a row.
    id: Option<i64>,
    edit: Edit,
    deleted: Option<Instant>,
    reports: Vec<(ReportKey, Outline)>,
    hashes: HashMap<ReportKey, String>,
    /// What its row says now.
    before: Option<Merged>,
    /// Activities that turned out to be this one, with what their rows said.
    absorbed: Vec<(i64, Option<Merged>)>,
}

impl Group {
    fn take(&mut self, key: &ReportKey, outline: &Outline, hash: String) {
        self.reports.retain(|(known, _)| known != key);
        self.reports.push((key.clone(), outline.clone()));
        self.hashes.insert(key.clone(), hash);
    }

    fn is_about(&self, outline: &Outline) -> bool {
        self.reports.iter().any(|(_, other)| same_activity(&other.activity, &outline.activity))
    }

    /// Makes another group part of this one. What the athlete said about either stays said; it is gone only when
    /// they removed both.
    fn absorb(mut self, other: Self) -> Self {
        self.reports.extend(other.reports);
        self.hashes.extend(other.hashes);
        self.edit = other.edit.then(self.edit);
        self.deleted = self.deleted.zip(other.deleted).map(|(a, b)| a.min(b));
        self.absorbed.extend(other.id.map(|id| (id, other.before)));
        self.absorbed.extend(other.absorbed);
        self
    }

    /// What its reports come to now.
    fn merged(&self) -> Merged {
        merge(&self.reports, &self.edit).expect("a group has a report")
    }
}

/// Takes in reports; the answer says what became of each, in their order.
pub(crate) async fn put(tx: &Tx, new: Vec<NewReport>, now: Instant) -> Result<Vec<Put>> {
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let mut groups = neighbours(tx, &new).await?;
    let mut fates = Vec::with_capacity(new.len());
    let mut kept: HashMap<ReportKey, NewReport> = HashMap::new();
    for report in new {
        let hash = report.hash.to_string();
        let fate = match groups.iter_mut().find(|g| g.hashes.contains_key(&report.key)) {
            Some(group) if group.hashes.get(&report.key) == Some(&hash) => Fate::AlreadyThere,
            Some(group) => {
                group.take(&report.key, &report.outline, hash);
                Fate::Changed
            }
            None => {
                let mut about: Vec<Group> =
                    groups.extract_if(.., |group| group.is_about(&report.outline)).collect();
                // The oldest activity keeps its id; a group without one is part of this batch.
                about.sort_by_key(|group| group.id.unwrap_or(i64::MAX));
                let known = !about.is_empty();
                let mut group = about.into_iter().reduce(Group::absorb).unwrap_or_default();
                group.take(&report.key, &report.outline, hash);
                groups.push(group);
                if known { Fate::Joined } else { Fate::Added }
            }
        };
        fates.push((report.key.clone(), fate));
        if fate != Fate::AlreadyThere {
            kept.insert(report.key.clone(), report);
        }
    }
    let ids = write(tx, groups, kept, now).await?;
    Ok(fates.into_iter().map(|(key, fate)| Put { activity: ActivityId::new(ids[&key]), fate }).collect())
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
            ])
            .filter(Column::ActivityId.is_in(some.iter().copied()))
            .into_tuple::<(i64, String, String, Vec<u8>, String)>()
            .all(tx.db())
            .await?;
        for (activity, kind, id, outline, hash) in rows {
            let key = ReportKey { kind: word(&kind)?, id };
            let group = groups.get_mut(&activity).ok_or(Error::NotFound("activity"))?;
            group.take(&key, &unpack_json(&outline)?, hash);
        }
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    for group in &mut groups {
        group.before = Some(group.merged());
    }
    Ok(groups)
}

/// Writes what changed; the answer is the activity of every report.
async fn write(
    tx: &Tx,
    groups: Vec<Group>,
    mut kept: HashMap<ReportKey, NewReport>,
    now: Instant,
) -> Result<HashMap<ReportKey, i64>> {
    let mut ids = HashMap::new();
    let mut made: HashMap<String, Group> = HashMap::new();
    let mut rows = Vec::new();
    let mut children = Children::default();
    for group in groups {
        if group.id.is_some() {
            revise(tx, &group, &mut kept, &mut children).await?;
            ids.extend(group.reports.iter().map(|(key, _)| (key.clone(), group.id.unwrap_or_default())));
            continue;
        }
        // Any of its keys tells the rows apart; an activity has at least the report that made it.
        let identity = group.reports.iter().map(|(key, _)| key.to_string()).min().unwrap_or_default();
        rows.push(activities::ActiveModel {
            identity: Set(identity.clone()),
            imported_at: Set(stamp(now)),
            ..columns(tx.user(), &group.merged())
        });
        made.insert(identity, group);
    }
    for some in rows.chunks(ROWS_AT_ONCE / 10) {
        let inserted =
            activities::Entity::insert_many(some.iter().cloned()).exec_with_returning(tx.db()).await?;
        for row in inserted {
            let group = made.remove(&row.identity).ok_or(Error::NotFound("activity"))?;
            ids.extend(group.reports.iter().map(|(key, _)| (key.clone(), row.id)));
            children.add(tx.user(), row.id, None, &group.merged(), &mut kept);
        }
    }
    let originals = original_ids(tx, &kept).await?;
    for report in kept.into_values() {
        let original = report.original.and_then(|hash| originals.get(&hash.to_string()).copied());
        let activity = ids[&report.key];
        children.reports.push(report.into_row(tx.user(), activity, original, now));
    }
    children.insert(tx).await?;
    Ok(ids)
}

/// Brings an activity that was there up to date with what is now said about it.
async fn revise(
    tx: &Tx,
    group: &Group,
    kept: &mut HashMap<ReportKey, NewReport>,
    children: &mut Children,
) -> Result<()> {
    let Some(id) = group.id else { return Ok(()) };
    let touched = !group.absorbed.is_empty() || group.reports.iter().any(|(key, _)| kept.contains_key(key));
    if !touched {
        return Ok(());
    }
    let after = group.merged();
    for (other, before) in &group.absorbed {
        unite(tx, id, *other, before.as_ref(), &after).await?;
    }
    if group.before.as_ref() != Some(&after) || !group.absorbed.is_empty() {
        let changed = activities::ActiveModel {
            id: Set(id),
            edit: Set((group.edit != Edit::default()).then(|| to_json(&group.edit))),
            deleted_at: Set(group.deleted),
            ..columns(tx.user(), &after)
        };
        activities::Entity::update(changed).exec(tx.db()).await?;
    }
    children.add(tx.user(), id, group.before.as_ref(), &after, kept);
    Ok(())
}

/// Gives everything about an activity to the one it turned out to be.
async fn unite(tx: &Tx, id: i64, other: i64, before: Option<&Merged>, after: &Merged) -> Result<()> {
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
    // The richer samples stay.
    let samples =
        after.recording.is_some() && before.is_some_and(|before| before.recording == after.recording);
    clear!(streams, if samples { id } else { other });
    let details = after.details.is_some() && before.is_some_and(|before| before.details == after.details);
    clear!(activity_details, if details { id } else { other });
    clear!(laps, other);
    // One activity is one race; the answer given about the older one stands.
    let decided = races::Entity::find().filter(races::Column::ActivityId.eq(id)).one(tx.db()).await?;
    if decided.is_some() {
        clear!(races, other);
    }
    hand_over!(streams, activity_details, activity_reports, observations, races);
    activities::Entity::delete_by_id(other).exec(tx.db()).await?;
    Ok(())
}

/// Rows that belong to activities, gathered so that a batch takes few statements.
#[derive(Default)]
struct Children {
    reports: Vec<activity_reports::ActiveModel>,
    laps: Vec<laps::ActiveModel>,
    stale_laps: Vec<i64>,
    streams: Vec<streams::ActiveModel>,
    stale_streams: Vec<i64>,
    details: Vec<activity_details::ActiveModel>,
    stale_details: Vec<i64>,
}

impl Children {
    /// What has to be written for an activity to look like `after`.
    fn add(
        &mut self,
        user: UserId,
        id: i64,
        before: Option<&Merged>,
        after: &Merged,
        kept: &mut HashMap<ReportKey, NewReport>,
    ) {
        let new = before.is_none();
        if before.is_none_or(|before| before.activity.laps != after.activity.laps) {
            self.stale_laps.extend((!new).then_some(id));
            self.laps.extend(lap_rows(user, id, &after.activity.laps));
        }
        // Only what has just been told can be written; what was told before is there.
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

    async fn insert(self, tx: &Tx) -> Result<()> {
        macro_rules! clear {
            ($table:ident, $ids:expr) => {
                for some in $ids.chunks(ROWS_AT_ONCE) {
                    let of_these = $table::Column::ActivityId.is_in(some.iter().copied());
                    $table::Entity::delete_many().filter(of_these).exec(tx.db()).await?;
                }
            };
        }
        clear!(laps, self.stale_laps);
        clear!(streams, self.stale_streams);
        clear!(activity_details, self.stale_details);
        use activity_reports::Column;
        let replace = OnConflict::columns([Column::UserId, Column::Kind, Column::ExternalId])
            .update_columns([
                Column::SourceId,
                Column::OriginalId,
                Column::StartedAt,
                Column::Outline,
                Column::ContentHash,
                Column::Raw,
                Column::ToldAt,
            ])
            .to_owned();
        for some in in_chunks(self.reports) {
            let insert = activity_reports::Entity::insert_many(some).on_conflict(replace.clone());
            insert.exec_without_returning(tx.db()).await?;
        }
        for some in in_chunks(self.laps) {
            laps::Entity::insert_many(some).exec_without_returning(tx.db()).await?;
        }
        for some in in_chunks(self.streams) {
            streams::Entity::insert_many(some).exec_without_returning(tx.db()).await?;
        }
        for some in in_chunks(self.details) {
            activity_details::Entity::insert_many(some).exec_without_returning(tx.db()).await?;
        }
        Ok(())
    }
}

impl NewReport {
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
            started_at: Set(stamp(self.outline.activity.started_at)),
            outline: Set(pack_json(&self.outline)),
            content_hash: Set(self.hash.to_string()),
            raw: Set(self.raw),
            told_at: Set(stamp(now)),
        }
    }
}

/// The rows of the files that reports were read from, by hash.
async fn original_ids(tx: &Tx, kept: &HashMap<ReportKey, NewReport>) -> Result<HashMap<String, i64>> {
    use originals::Column;
    let hashes: Vec<String> =
        kept.values().filter_map(|report| report.original).map(|hash| hash.to_string()).collect();
    let mut ids = HashMap::with_capacity(hashes.len());
    for some in hashes.chunks(ROWS_AT_ONCE) {
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

/// Splits rows into statements without copying them.
pub(crate) fn in_chunks<T>(mut rows: Vec<T>) -> impl Iterator<Item = Vec<T>> {
    std::iter::from_fn(move || {
        let rest = rows.split_off(rows.len().min(ROWS_AT_ONCE));
        Some(std::mem::replace(&mut rows, rest)).filter(|some| !some.is_empty())
    })
}
