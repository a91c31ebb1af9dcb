//! A batch of what sources told: one transaction, whole or not at all.

use crate::db::audit::{Actor, NewAuditEntry};
use crate::db::convert::to_json;
use crate::db::entities::{estimates, finished_imports, thresholds, zones};
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
use fitness_core::domain::ids::UserId;
use fitness_core::domain::source_record::{AccountOwner, DayRecord, Estimate, EstimateKind, EstimateValue};
use fitness_core::domain::untrusted_text::sanitize_for_storage;
use fitness_core::metrics::zones::DatedZones;
use sea_orm::prelude::Json;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use std::collections::{BTreeMap, BTreeSet};

/// What to take in at one stroke.
#[derive(Debug, Clone, Default)]
pub struct ImportBatch {
    /// Files to keep. Those that reports name must be here or be kept already.
    pub originals: Vec<PackedOriginalFile>,
    /// About activities.
    pub records: Vec<PackedRecord>,
    /// About days; of two about the same part of a day the later stands, a whole day before part of one.
    pub day_records: Vec<DayRecord>,
    /// What sources concluded.
    pub estimates: Vec<Estimate>,
    /// Thresholds a source reported. They hold where the athlete set none.
    pub thresholds: Vec<Threshold>,
    /// Zones a source reported. They hold where the athlete set none.
    pub zones: Vec<DatedZones>,
    /// About the athlete. It fills gaps in the profile.
    pub person: AccountOwner,
    /// How new the account export is that tells all this, where it is one.
    pub export_day: Option<Day>,
    /// Which reader read the files: its version, and what it took for granted.
    pub reader: String,
}

/// What a batch changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BatchOutcome {
    /// What became of each report, in order.
    pub records: Vec<UpsertedRecord>,
    /// Files that were not kept before, or not read by this reader.
    pub originals: u64,
    /// Days about which something new is known.
    pub days: BTreeSet<Day>,
    /// What was there already, and is now known from a newer export.
    pub renewed: u64,
    /// Estimates that are new or different.
    pub estimates: u64,
    /// Thresholds, zones and facts about the athlete that are new.
    pub athlete_facts: u64,
}

impl BatchOutcome {
    /// Whether the database is as it was.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.originals + self.renewed + self.estimates + self.athlete_facts == 0
            && self.days.is_empty()
            && self.records.iter().all(|put| put.outcome == UpsertOutcome::Unchanged)
    }
}

impl Store {
    /// Takes in a batch. The same again changes nothing and logs nothing.
    ///
    /// # Errors
    /// When there is no such user or the database refuses; then nothing of it was taken.
    pub async fn import_batch(&self, user: UserId, batch: ImportBatch, now: Instant) -> Result<BatchOutcome> {
        let tx = self.begin_user_write(user).await?;
        let ImportBatch {
            originals,
            records: reports,
            day_records: days,
            estimates,
            thresholds,
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
                + put_zones(&tx, zones, edition.is_some()).await?
                + put_person(&tx, &person).await?,
        };
        if taken.is_unchanged() {
            return Ok(taken);
        }
        let reports = taken.records.iter().filter(|put| put.outcome != UpsertOutcome::Unchanged).count();
        let object = format!("reports:{reports} files:{} days:{}", taken.originals, taken.days.len());
        tx.commit(NewAuditEntry::new(now, Actor::System, "import.take", object)).await?;
        Ok(taken)
    }

    /// Whether this very file was read to its end before, by this reader.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn is_import_finished(&self, user: UserId, file: ContentHash, reader: &str) -> Result<bool> {
        let key = (user.get(), file.to_string(), reader.to_owned());
        Ok(finished_imports::Entity::find_by_id(key).one(self.reader()).await?.is_some())
    }

    /// What sources concluded about the days from one through another.
    ///
    /// # Errors
    /// When the database does not answer.
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

/// Remembers files that were read to their end, so that the same one again costs a look at its hash.
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

/// Of several estimates the one told last stands; of those told at once the greater, so that order never matters.
async fn put_estimates(tx: &Tx, estimates: Vec<Estimate>) -> Result<u64> {
    use estimates::Column;
    type Standing = (Option<Instant>, String);
    let rank = |told_at: Option<Instant>, value: &Json| -> Standing {
        (told_at.map(truncate_to_micros), value.to_string())
    };
    let mut best: BTreeMap<(Day, EstimateKind), (Standing, Json)> = BTreeMap::new();
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

/// What a source tells without a day holds from the day the source is as new as. Of an export that stands beside what
/// earlier and later exports say, whatever order they come in; of two of one age the greater. A service that is asked
/// every day only tells what changed.
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

/// As with thresholds.
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

async fn put_person(tx: &Tx, person: &AccountOwner) -> Result<u64> {
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
