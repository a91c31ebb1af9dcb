//! Original files as they were imported, stored compressed.

use crate::db::compress::{pack, unpack, unpack_json};
use crate::db::convert::{day, narrow, parse_text};
use crate::db::entities::{activities, activity_reports, originals};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::{Store, truncate_to_micros};
use crate::db::tx::Tx;
use crate::training::source_records::{ROWS_PER_STATEMENT, in_chunks};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::domain::source_record::{ActivitySummary, SourceKind};
use fitness_core::domain::untrusted_text::sanitize_for_storage;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde::Serialize;
use std::collections::{BTreeSet, HashSet};

/// A compressed file to be stored.
#[derive(Debug, Clone)]
pub struct PackedOriginalFile {
    hash: ContentHash,
    name: String,
    size: usize,
    packed: Vec<u8>,
}

impl PackedOriginalFile {
    /// Compresses a file; `name` is used when it is downloaded again.
    #[must_use]
    pub fn pack(name: &str, hash: ContentHash, bytes: &[u8]) -> Self {
        Self { hash, name: sanitize_for_storage(name), size: bytes.len(), packed: pack(bytes) }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OriginalFile {
    pub sha256: ContentHash,
    /// Untrusted text, never a path.
    pub name: String,
    /// Uncompressed size in bytes.
    pub size: u64,
}

impl OriginalFile {
    /// A safe and unique file name: the safe characters of its untrusted name, and part of its
    /// hash.
    #[must_use]
    pub fn file_name(&self) -> String {
        let (stem, ending) = self.name.rsplit_once('.').unwrap_or((&self.name, "bin"));
        let safe = |text: &str| -> String {
            text.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(60).collect()
        };
        let hash: String = self.sha256.to_string().chars().take(8).collect();
        format!("{}-{hash}.{}", safe(stem), safe(ending)).trim_start_matches('-').to_owned()
    }
}

impl Store {
    /// A user's original files, oldest first.
    pub async fn list_originals(&self, user: UserId, offset: u64, limit: u64) -> Result<Vec<OriginalFile>> {
        use originals::Column;
        let rows = originals::Entity::find()
            .select_only()
            .columns([Column::Sha256, Column::Name, Column::Size])
            .filter(Column::UserId.eq(user.get()))
            .order_by_asc(Column::Id)
            .offset(offset)
            .limit(limit)
            .into_tuple::<(String, String, i64)>()
            .all(self.reader())
            .await?;
        rows.into_iter().map(original_file).collect()
    }

    /// The original files an activity was read from.
    pub async fn list_activity_originals(
        &self,
        user: UserId,
        activity: ActivityId,
    ) -> Result<Vec<OriginalFile>> {
        let ids = activity_reports::Entity::find()
            .select_only()
            .column(activity_reports::Column::OriginalId)
            .filter(activity_reports::Column::UserId.eq(user.get()))
            .filter(activity_reports::Column::ActivityId.eq(activity.get()))
            .into_tuple::<Option<i64>>()
            .all(self.reader())
            .await?;
        use originals::Column;
        let rows = originals::Entity::find()
            .select_only()
            .columns([Column::Sha256, Column::Name, Column::Size])
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Id.is_in(ids.into_iter().flatten()))
            .order_by_asc(Column::Id)
            .into_tuple::<(String, String, i64)>()
            .all(self.reader())
            .await?;
        rows.into_iter().map(original_file).collect()
    }

    /// The original bytes of a file.
    ///
    /// # Errors
    /// `NotFound` if the user has no file with this hash; `Unreadable` if the stored file is
    /// damaged.
    pub async fn read_original(&self, user: UserId, hash: ContentHash) -> Result<Vec<u8>> {
        use originals::Column;
        let row = originals::Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Sha256.eq(hash.to_string()))
            .one(self.reader())
            .await?
            .ok_or(Error::NotFound(RecordKind::File))?;
        let bytes = unpack(&row.packed, narrow(row.size)?)?;
        if ContentHash::hash_bytes(&bytes) != hash {
            return Err(Error::Unreadable(format!("the stored file {} is damaged", row.name)));
        }
        Ok(bytes)
    }

    /// Hashes of files last read with this parser version, which need not be read again.
    pub async fn list_original_hashes(&self, user: UserId, reader: &str) -> Result<HashSet<ContentHash>> {
        use originals::Column;
        let rows = originals::Entity::find()
            .select_only()
            .column(Column::Sha256)
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Reader.eq(reader))
            .into_tuple::<String>()
            .all(self.reader())
            .await?;
        rows.iter().map(|hash| parse_text(hash)).collect()
    }

    /// A source's ids of activities whose original file is stored, wherever the file came from.
    pub async fn list_record_ids_with_files(
        &self,
        user: UserId,
        kind: SourceKind,
    ) -> Result<HashSet<String>> {
        use activity_reports::Column;
        let with_files = Query::select()
            .column(Column::ActivityId)
            .from(activity_reports::Entity)
            .and_where(Column::UserId.eq(user.get()))
            .and_where(Column::OriginalId.is_not_null())
            .to_owned();
        let ids = activity_reports::Entity::find()
            .select_only()
            .column(Column::ExternalId)
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Kind.eq(kind.as_str()))
            .filter(Column::ActivityId.in_subquery(with_files))
            .into_tuple::<String>()
            .all(self.reader())
            .await?;
        Ok(ids.into_iter().collect())
    }

    /// Start of the first activity in an original file, and the offset of local time from UTC
    /// according to the file.
    pub async fn find_original_start(
        &self,
        user: UserId,
        hash: ContentHash,
    ) -> Result<Option<(Instant, i32)>> {
        use activity_reports::Column;
        let outline = activity_reports::Entity::find()
            .select_only()
            .column(Column::Outline)
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::ExternalId.eq(format!("{hash}#0")))
            .into_tuple::<Vec<u8>>()
            .one(self.reader())
            .await?;
        let outline: Option<ActivitySummary> = outline.map(|outline| unpack_json(&outline)).transpose()?;
        Ok(outline.map(|outline| (outline.activity.started_at, outline.activity.utc_offset_s)))
    }

    /// Start days of the activities in original files.
    pub async fn list_original_days(&self, user: UserId, hashes: &[ContentHash]) -> Result<BTreeSet<Day>> {
        let mut days = BTreeSet::new();
        for some in hashes.chunks(ROWS_PER_STATEMENT) {
            let files = Query::select()
                .column(originals::Column::Id)
                .from(originals::Entity)
                .and_where(originals::Column::UserId.eq(user.get()))
                .and_where(originals::Column::Sha256.is_in(some.iter().map(ToString::to_string)))
                .to_owned();
            let reported = Query::select()
                .column(activity_reports::Column::ActivityId)
                .from(activity_reports::Entity)
                .and_where(activity_reports::Column::OriginalId.in_subquery(files))
                .to_owned();
            let found = activities::Entity::find()
                .select_only()
                .column(activities::Column::Day)
                .filter(activities::Column::UserId.eq(user.get()))
                .filter(activities::Column::Id.in_subquery(reported))
                .into_tuple::<chrono::NaiveDate>()
                .all(self.reader())
                .await?;
            for date in found {
                days.insert(day(date)?);
            }
        }
        Ok(days)
    }
}

/// Stores files. An existing one is not replaced, only marked as read with this parser version.
/// Returns how many are new to it.
pub(crate) async fn put(tx: &Tx, files: Vec<PackedOriginalFile>, reader: &str, now: Instant) -> Result<u64> {
    use originals::Column;
    let rows: Vec<_> = files
        .into_iter()
        .map(|file| originals::ActiveModel {
            id: NotSet,
            user_id: Set(tx.user().get()),
            sha256: Set(file.hash.to_string()),
            name: Set(file.name),
            size: Set(i64::try_from(file.size).expect("a length fits an i64")),
            packed: Set(file.packed),
            kept_at: Set(truncate_to_micros(now)),
            reader: Set(reader.to_owned()),
        })
        .collect();
    let once = OnConflict::columns([Column::UserId, Column::Sha256])
        .update_column(Column::Reader)
        .action_and_where(Expr::col((originals::Entity, Column::Reader)).ne(reader))
        .to_owned();
    let mut new = 0;
    for some in in_chunks(rows) {
        new += originals::Entity::insert_many(some)
            .on_conflict(once.clone())
            .exec_without_returning(tx.db())
            .await?;
    }
    Ok(new)
}

fn original_file((hash, name, size): (String, String, i64)) -> Result<OriginalFile> {
    Ok(OriginalFile { sha256: parse_text(&hash)?, name, size: narrow(size)? })
}
