//! Content hash of a user's data, for tests: equal for two databases with the same data, whatever
//! ids and import times they have.

use crate::db::entities::{
    activities, activity_details, activity_metrics, activity_reports, daily_metrics, daily_wellness,
    day_reports, estimates, laps, originals, record_streams, streams, thresholds, zones,
};
use crate::db::error::Result;
use crate::db::store::Store;
use fitness_core::domain::athlete::ThresholdOrigin;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::UserId;
use sea_orm::{ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, FromQueryResult as _, QueryFilter};
use std::collections::{BTreeMap, HashMap};

/// All rows of a user in a table.
macro_rules! rows {
    ($table:ident, $user:expr, $db:expr) => {
        $table::Entity::find().filter($table::Column::UserId.eq($user.get())).all($db).await?
    };
}

impl Store {
    /// A hash of all rows of each table: whatever is written changes one. When a session or token
    /// was last used is left out.
    pub async fn table_fingerprints(&self) -> Result<BTreeMap<String, String>> {
        let tables = match self.backend() {
            DbBackend::Postgres => {
                "SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema()"
            }
            _ => "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
        };
        let mut hashes = BTreeMap::new();
        for table in self.reader().query_all_raw(self.sql(tables)).await? {
            let table: String = table.try_get_by_index(0)?;
            let rows = self.reader().query_all_raw(self.sql(&format!("SELECT * FROM \"{table}\""))).await?;
            let mut lines = Vec::with_capacity(rows.len());
            for row in rows {
                let mut values = sea_orm::JsonValue::from_query_result(&row, "")?;
                for bookkeeping in ["seen_at", "used_at"] {
                    values.as_object_mut().and_then(|columns| columns.remove(bookkeeping));
                }
                lines.push(values.to_string());
            }
            lines.sort_unstable();
            hashes.insert(table, format!("{} rows {}", lines.len(), ContentHash::hash_json(&lines)));
        }
        Ok(hashes)
    }

    /// Hash of everything imported for a user: activities with laps, samples, details and source
    /// records, files, days, estimates, thresholds, zones and the profile. Computed values have
    /// their own hash: [`derived_fingerprint`](Self::derived_fingerprint).
    pub async fn fingerprint(&self, user: UserId) -> Result<ContentHash> {
        let db = self.snapshot().await?;
        let mut lines: Vec<String> = Vec::new();
        // Identify an activity by its content, not its id.
        let mut names: HashMap<i64, String> = HashMap::new();
        for mut row in rows!(activities, user, &db) {
            let id = row.id;
            let name = activity_key(&mut row);
            lines.push(format!("activity {name}"));
            names.insert(id, name);
        }
        let of = |id: i64| names.get(&id).cloned().unwrap_or_default();
        for mut row in rows!(laps, user, &db) {
            let activity = of(std::mem::take(&mut row.activity_id));
            row.user_id = 0;
            lines.push(format!("lap {activity} {row:?}"));
        }
        for row in rows!(streams, user, &db) {
            let packed = ContentHash::hash_bytes(&row.packed);
            lines.push(format!("stream {} {} {} {packed}", of(row.activity_id), row.channel, row.samples));
        }
        for row in rows!(record_streams, user, &db) {
            let packed = ContentHash::hash_bytes(&row.packed);
            lines.push(format!("record stream {} {} {} {packed}", row.kind, row.external_id, row.channel));
        }
        for row in rows!(activity_details, user, &db) {
            let packed = ContentHash::hash_bytes(&row.packed);
            lines.push(format!("details {} {packed}", of(row.activity_id)));
        }
        let mut files: HashMap<i64, String> = HashMap::new();
        for row in rows!(originals, user, &db) {
            lines.push(format!("file {} {}", row.sha256, row.size));
            files.insert(row.id, row.sha256);
        }
        for row in rows!(activity_reports, user, &db) {
            let file = row.original_id.and_then(|id| files.get(&id));
            let (activity, key) = (of(row.activity_id), format!("{}:{}", row.kind, row.external_id));
            lines.push(format!("report {activity} {key} {} {file:?}", row.content_hash));
        }
        for row in rows!(day_reports, user, &db) {
            lines.push(format!("day {} {} {} {}", row.day, row.kind, row.part, row.content_hash));
        }
        for mut row in rows!(daily_wellness, user, &db) {
            row.user_id = 0;
            lines.push(format!("{row:?}"));
        }
        for mut row in rows!(estimates, user, &db) {
            row.user_id = 0;
            lines.push(format!("{row:?}"));
        }
        // A source's thresholds and zones apply from the day of the export, which a part of an
        // export may not know exactly. Compare their sequence, not their days.
        let mut reported = BTreeMap::new();
        let reports = |origin: &str| origin == ThresholdOrigin::Reported.as_str();
        for mut row in rows!(thresholds, user, &db) {
            if reports(&row.origin) {
                reported.insert((row.kind, String::new(), row.from_day), row.value.to_string());
            } else if row.origin != ThresholdOrigin::Estimated.as_str() {
                (row.id, row.user_id) = (0, 0);
                lines.push(format!("{row:?}"));
            }
        }
        for mut row in rows!(zones, user, &db) {
            if reports(&row.origin) {
                reported.insert((row.kind, row.sport, row.from_day), row.lower_bounds.to_string());
            } else {
                row.user_id = 0;
                lines.push(format!("{row:?}"));
            }
        }
        let mut steps: Vec<_> =
            reported.iter().map(|((kind, sport, _), value)| (kind, sport, value)).collect();
        steps.dedup();
        lines.push(format!("{steps:?}"));
        lines.push(format!("{:?}", crate::training::profile::profile(&db, user).await?));
        lines.sort_unstable();
        Ok(ContentHash::hash_bytes(lines.join("\n").as_bytes()))
    }

    /// Hash of everything computed for a user: measures, loads, days and detected thresholds.
    pub async fn derived_fingerprint(&self, user: UserId) -> Result<ContentHash> {
        let db = self.snapshot().await?;
        let mut lines: Vec<String> = Vec::new();
        let mut names: HashMap<i64, String> = HashMap::new();
        for mut row in rows!(activities, user, &db) {
            // Deleted activities have no computed values.
            if row.deleted_at.is_some() {
                continue;
            }
            let load = (row.load, row.load_quality.take(), row.load_method.take());
            let (id, measured) = (row.id, (row.measured_moving_ms, row.measured_ascent_mm));
            let name = activity_key(&mut row);
            lines.push(format!("load {name} {load:?} {measured:?}"));
            names.insert(id, name);
        }
        for row in rows!(activity_metrics, user, &db) {
            let means =
                [Some(row.measures), row.judged].map(|packed| packed.as_deref().map(ContentHash::hash_bytes));
            let Some(name) = names.get(&row.activity_id) else { continue };
            lines.push(format!("metrics {name} {} {means:?}", row.clues));
        }
        for row in rows!(daily_metrics, user, &db) {
            lines.push(format!("day {} {}", row.day, ContentHash::hash_bytes(&row.packed)));
        }
        for row in rows!(thresholds, user, &db) {
            if row.origin == ThresholdOrigin::Estimated.as_str() {
                lines.push(format!("limit {} {} {:?}", row.kind, row.from_day, row.value));
            }
        }
        lines.sort_unstable();
        Ok(ContentHash::hash_bytes(lines.join("\n").as_bytes()))
    }
}

/// The content that identifies an activity, without its id and computed values.
fn activity_key(row: &mut activities::Model) -> String {
    (row.id, row.user_id, row.imported_at, row.source_id) = (0, 0, Default::default(), None);
    (row.identity, row.load, row.load_quality, row.load_method) = (String::new(), None, None, None);
    (row.measured_moving_ms, row.measured_ascent_mm) = (None, None);
    row.deleted_at = row.deleted_at.map(|_| Default::default());
    ContentHash::hash_bytes(format!("{row:?}").as_bytes()).to_string()
}
