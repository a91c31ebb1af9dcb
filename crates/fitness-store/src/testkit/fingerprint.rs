//! A user's data in 32 bytes: equal for two databases that hold the same, whatever ids and times of import they use.

use crate::db::entities::{
    activities, activity_details, activity_metrics, activity_reports, daily_metrics, daily_wellness,
    day_reports, estimates, laps, originals, streams, thresholds, zones,
};
use crate::db::error::Result;
use crate::db::store::Store;
use fitness_core::domain::athlete::ThresholdOrigin;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::UserId;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use std::collections::{BTreeMap, HashMap};

/// Every row of a user in a table.
macro_rules! rows {
    ($table:ident, $user:expr, $db:expr) => {
        $table::Entity::find().filter($table::Column::UserId.eq($user.get())).all($db).await?
    };
}

impl Store {
    /// The hash of everything that was imported for a user and what became of it: activities with laps, samples,
    /// details and reports, files, days, estimates, thresholds, zones and the profile. What was worked out from
    /// it is another matter: [`derived_fingerprint`](Self::derived_fingerprint).
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn fingerprint(&self, user: UserId) -> Result<ContentHash> {
        let db = self.snapshot().await?;
        let mut lines: Vec<String> = Vec::new();
        // An activity is known by what it is, not by its number.
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
        // A source's limits and zones hold from the day it was as new as, and part of an export knows that less well
        // than the whole. What they are, one after the other, is the same.
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

    /// The hash of everything that was worked out for a user: measures, loads, days and detected limits.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn derived_fingerprint(&self, user: UserId) -> Result<ContentHash> {
        let db = self.snapshot().await?;
        let mut lines: Vec<String> = Vec::new();
        let mut names: HashMap<i64, String> = HashMap::new();
        for mut row in rows!(activities, user, &db) {
            // What the athlete removed has no part in what is worked out.
            if row.deleted_at.is_some() {
                continue;
            }
            let (id, load) = (row.id, (row.load, row.load_quality.take()));
            let name = activity_key(&mut row);
            lines.push(format!("load {name} {load:?}"));
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

/// What makes an activity this one: what it is, not its number or what was worked out from it.
fn activity_key(row: &mut activities::Model) -> String {
    (row.id, row.user_id, row.imported_at, row.source_id) = (0, 0, Default::default(), None);
    (row.identity, row.load, row.load_quality) = (String::new(), None, None);
    row.deleted_at = row.deleted_at.map(|_| Default::default());
    ContentHash::hash_bytes(format!("{row:?}").as_bytes()).to_string()
}
