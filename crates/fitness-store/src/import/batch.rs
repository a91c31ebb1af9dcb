//! Import batches: records of one import, written in one transaction.

use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::convert::to_json;
use crate::db::entities::{derivations, estimates, finished_imports, thresholds, zones};
use crate::db::error::Result;
use crate::db::store::{Store, truncate_to_micros};
use crate::db::tx::Tx;
use crate::import::sync_runs::FinishedFiles;
use crate::metrics::recompute_state;
use crate::training::original_files::{self, PackedOriginalFile};
use crate::training::profile;
use crate::training::source_records::{self, PackedRecord, UpsertOutcome, UpsertedRecord};
use crate::training::wellness;
use fitness_core::domain::athlete::{Threshold, Zones};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::domain::merge::MERGE_RULES_VERSION;
use fitness_core::domain::source_record::{AccountProfile, DayRecord, Estimate, EstimateKind, EstimateValue};
use fitness_core::domain::untrusted_text::sanitize_for_storage;
use fitness_core::metrics::zones::DatedZones;
use sea_orm::prelude::Json;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Default)]
pub struct ImportBatch {
    /// Original files to store. Files that records refer to must be here or already stored.
    pub originals: Vec<PackedOriginalFile>,
    pub records: Vec<PackedRecord>,
    /// Wellness records. Of two records of the same day and dataset the later one wins; a whole day
    /// is never replaced by part of a day.
    pub day_records: Vec<DayRecord>,
    pub estimates: Vec<Estimate>,
    /// Thresholds from the source; used where the athlete set none.
    pub thresholds: Vec<Threshold>,
    /// Thresholds of a source's history, each from the day it was measured.
    pub dated_thresholds: Vec<Threshold>,
    /// Zones from the source; used where the athlete set none.
    pub zones: Vec<DatedZones>,
    /// Account data, which fills gaps in the profile.
    pub person: AccountProfile,
    /// Day of the account export; `None` for other sources.
    pub export_day: Option<Day>,
    /// Parser version and settings that the files were read with.
    pub reader: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BatchOutcome {
    /// The outcome for each record, in order.
    pub records: Vec<UpsertedRecord>,
    /// Files that are new, or new to this parser version.
    pub originals: u64,
    /// Days with new wellness data.
    pub days: BTreeSet<Day>,
    /// Unchanged records that a newer export confirmed.
    pub renewed: u64,
    /// New or changed estimates.
    pub estimates: u64,
    /// New thresholds, zones and profile values.
    pub athlete_facts: u64,
}

impl BatchOutcome {
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.originals + self.renewed + self.estimates + self.athlete_facts == 0
            && self.days.is_empty()
            && self.records.iter().all(|put| put.outcome == UpsertOutcome::Unchanged)
    }
}

impl Store {
    /// Imports a batch. Importing it again changes nothing and logs nothing.
    ///
    /// # Errors
    /// If there is no such user, or the database fails; nothing was imported.
    pub async fn import_batch(&self, user: UserId, batch: ImportBatch, now: Instant) -> Result<BatchOutcome> {
        let tx = self.begin_user_write(user).await?;
        let ImportBatch {
            originals,
            records: reports,
            day_records: days,
            estimates,
            thresholds,
            dated_thresholds,
            zones,
            person,
            export_day: edition,
            reader,
        } = batch;
        let originals = original_files::put(&tx, originals, &reader, now).await?;
        let (reports, renewed) = source_records::upsert(&tx, reports, now).await?;
        let (days, days_renewed) = wellness::upsert(&tx, days, edition).await?;
        let taken = BatchOutcome {
            originals,
            records: reports,
            days,
            renewed: renewed + days_renewed,
            estimates: put_estimates(&tx, estimates).await?,
            athlete_facts: put_thresholds(&tx, thresholds, edition.is_some()).await?
                + put_thresholds(&tx, dated_thresholds, true).await?
                + put_zones(&tx, zones, edition.is_some()).await?
                + put_person(&tx, &person).await?,
        };
        if taken.is_unchanged() {
            return Ok(taken);
        }
        let reports = taken.records.iter().filter(|put| put.outcome != UpsertOutcome::Unchanged).count();
        let object = format!("reports:{reports} files:{} days:{}", taken.originals, taken.days.len());
        tx.commit(NewAuditEntry::new(now, Actor::System, AuditAction::ImportTake, object)).await?;
        Ok(taken)
    }

    /// After an upgrade that changed which records are the same activity: compares all stored
    /// records again, once. Returns each activity with those that were merged into it; `None` if
    /// the records were grouped by the current rules.
    ///
    /// # Errors
    /// If there is no such user, or the database fails; nothing was changed.
    pub async fn apply_merge_rules(
        &self,
        user: UserId,
        now: Instant,
    ) -> Result<Option<Vec<(ActivityId, Vec<ActivityId>)>>> {
        if !self.has_old_merge_rules(user).await? {
            return Ok(None);
        }
        let tx = self.begin_user_write(user).await?;
        let merged = source_records::merge_stored(&tx, now).await?;
        recompute_state::set_merge_rules(&tx).await?;
        if merged.is_empty() {
            tx.commit_without_audit().await?;
        } else {
            let object = format!("activities:{}", merged.len());
            tx.commit(NewAuditEntry::new(now, Actor::System, AuditAction::ActivityMerge, object)).await?;
        }
        Ok(Some(merged))
    }

    /// Whether records were last grouped by the rules of an earlier version.
    pub async fn has_old_merge_rules(&self, user: UserId) -> Result<bool> {
        let row = derivations::Entity::find_by_id(user.get()).one(self.reader()).await?;
        Ok(row.is_some_and(|row| row.merge_rules < MERGE_RULES_VERSION))
    }

    /// Whether this file was completely imported before, with this parser version.
    pub async fn is_import_finished(&self, user: UserId, file: ContentHash, reader: &str) -> Result<bool> {
        let key = (user.get(), file.to_string(), reader.to_owned());
        Ok(finished_imports::Entity::find_by_id(key).one(self.reader()).await?.is_some())
    }

    /// Estimates of sources for the days of a period.
    pub async fn list_estimates(&self, user: UserId, from: Day, through: Day) -> Result<Vec<Estimate>> {
        use estimates::Column;
        let rows = estimates::Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Day.between(from.date(), through.date()))
            .order_by_asc(Column::Day)
            .order_by_asc(Column::Kind)
            .all(self.reader())
            .await?;
        rows.into_iter()
            .map(|row| {
                Ok(Estimate {
                    day: crate::db::convert::day(row.day)?,
                    kind: crate::db::convert::parse_text(&row.kind)?,
                    value: crate::db::convert::from_json(row.value)?,
                    told_at: row.told_at,
                })
            })
            .collect()
    }
}

/// Records completely imported files, so that they are skipped next time.
pub(crate) async fn put_finished_files(tx: &Tx, files: FinishedFiles, now: Instant) -> Result<()> {
    use finished_imports::Column;
    let FinishedFiles { reader, hashes } = files;
    let rows = hashes.iter().map(|hash| finished_imports::ActiveModel {
        user_id: Set(tx.user().get()),
        sha256: Set(hash.to_string()),
        reader: Set(reader.clone()),
        finished_at: Set(truncate_to_micros(now)),
    });
    let once = OnConflict::columns([Column::UserId, Column::Sha256, Column::Reader]).do_nothing().to_owned();
    for some in source_records::in_chunks(rows.collect()) {
        finished_imports::Entity::insert_many(some)
            .on_conflict(once.clone())
            .exec_without_returning(tx.db())
            .await?;
    }
    Ok(())
}

/// The latest estimate wins; of estimates with the same time the greater one, so that import order
/// does not matter.
async fn put_estimates(tx: &Tx, estimates: Vec<Estimate>) -> Result<u64> {
    use estimates::Column;
    type EstimateRank = (Option<Instant>, String);
    let rank = |told_at: Option<Instant>, value: &Json| -> EstimateRank {
        (told_at.map(truncate_to_micros), value.to_string())
    };
    let mut best: BTreeMap<(Day, EstimateKind), (EstimateRank, Json)> = BTreeMap::new();
    for mut estimate in estimates {
        if let EstimateValue::Word(word) = &mut estimate.value {
            *word = sanitize_for_storage(word);
        }
        let value = to_json(&estimate.value);
        let standing = rank(estimate.told_at, &value);
        let place = best.entry((estimate.day, estimate.kind)).or_insert((standing.clone(), value.clone()));
        if standing > place.0 {
            *place = (standing, value);
        }
    }
    let Some(((first, _), (last, _))) = best.keys().next().copied().zip(best.keys().next_back().copied())
    else {
        return Ok(0);
    };
    let stored = estimates::Entity::find()
        .filter(Column::UserId.eq(tx.user().get()))
        .filter(Column::Day.between(first.date(), last.date()))
        .all(tx.db())
        .await?;
    for row in stored {
        let key = (crate::db::convert::day(row.day)?, crate::db::convert::parse_text(&row.kind)?);
        let standing = rank(row.told_at, &row.value);
        if best.get(&key).is_some_and(|(new, _)| *new <= standing) {
            best.remove(&key);
        }
    }
    let rows: Vec<_> = best
        .into_iter()
        .map(|((day, kind), ((told_at, _), value))| estimates::ActiveModel {
            user_id: Set(tx.user().get()),
            day: Set(day.date()),
            kind: Set(kind.as_str().to_owned()),
            value: Set(value),
            told_at: Set(told_at),
        })
        .collect();
    let count = rows.len() as u64;
    let replace = OnConflict::columns([Column::UserId, Column::Day, Column::Kind])
        .update_columns([Column::Value, Column::ToldAt])
        .to_owned();
    for some in source_records::in_chunks(rows) {
        estimates::Entity::insert_many(some)
            .on_conflict(replace.clone())
            .exec_without_returning(tx.db())
            .await?;
    }
    Ok(count)
}

/// Stores thresholds that apply from the day of the source. Those of an export are kept beside
/// those of earlier and later exports, in any import order; of two exports of the same day the
/// greater value wins. For a service that is synced daily only changes are stored.
async fn put_thresholds(tx: &Tx, reported: Vec<Threshold>, of_export: bool) -> Result<u64> {
    use thresholds::Column;
    let mut new = 0;
    for threshold in reported {
        let (low, high) = threshold.kind.bounds();
        if !(low..=high).contains(&threshold.value) {
            continue;
        }
        let held = thresholds::Entity::find()
            .filter(Column::UserId.eq(tx.user().get()))
            .filter(Column::Kind.eq(threshold.kind.as_str()))
            .filter(Column::FromDay.lte(threshold.from.date()))
            .filter(Column::Origin.eq(threshold.origin.as_str()))
            .order_by_desc(Column::FromDay)
            .one(tx.db())
            .await?;
        let stands = held.is_some_and(|row| {
            let same_day = row.from_day == threshold.from.date();
            let kept = of_export && same_day && row.value > threshold.value;
            kept || (row.value == threshold.value && (same_day || !of_export))
        });
        if stands {
            continue;
        }
        profile::put_threshold(tx, &threshold).await?;
        recompute_state::invalidate_from(tx, Some(threshold.from)).await?;
        new += 1;
    }
    Ok(new)
}

async fn put_zones(tx: &Tx, reported: Vec<DatedZones>, of_export: bool) -> Result<u64> {
    use zones::Column;
    let mut new = 0;
    for dated in reported {
        let held = zones::Entity::find()
            .filter(Column::UserId.eq(tx.user().get()))
            .filter(Column::Kind.eq(dated.kind.as_str()))
            .filter(Column::Sport.eq(dated.sport.as_str()))
            .filter(Column::FromDay.lte(dated.from.date()))
            .filter(Column::Origin.eq(dated.origin.as_str()))
            .order_by_desc(Column::FromDay)
            .one(tx.db())
            .await?;
        let mut stands = false;
        if let Some(row) = held {
            let same_day = row.from_day == dated.from.date();
            let before: Zones = crate::db::convert::from_json(row.lower_bounds)?;
            let kept = of_export && same_day && before.lower_bounds() > dated.zones.lower_bounds();
            stands = kept || (before == dated.zones && (same_day || !of_export));
        }
        if !stands {
            profile::put_zones(tx, &dated).await?;
            recompute_state::invalidate_from(tx, Some(dated.from)).await?;
            new += 1;
        }
    }
    Ok(new)
}

async fn put_person(tx: &Tx, person: &AccountProfile) -> Result<u64> {
    let before = profile::profile(tx.db(), tx.user()).await?;
    let mut profile = before.clone();
    profile.birth_year = profile.birth_year.or(person.birth_year);
    profile.sex = profile.sex.or(person.sex);
    if profile == before {
        return Ok(0);
    }
    profile::put(tx, &profile).await?;
    recompute_state::invalidate_all(tx).await?;
    Ok(1)
}
