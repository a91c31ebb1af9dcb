//! Collects parsed records into database batches, and computes which days the data covers.

use crate::discover::ImportEvent;
use crate::outcome::ImportOutcome;
use crate::parse::{ActivityStart, ParsedFile, check_plausible_start, is_plausible_day};
use crate::{Clock, Error};
use chrono_tz::Tz;
use fitness_core::adherence::data_frontier::CoverageEvidence;
use fitness_core::domain::athlete::{Threshold, ThresholdKind, ThresholdOrigin};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{SourceId, UserId};
use fitness_core::domain::source_record::{DayRecord, ImportedRecord, RecordKey, SourceKind, SourceRecord};
use fitness_core::domain::sport::Sport;
use fitness_core::metrics::zones::DatedZones;
use fitness_sources::garmin_export::GarminDataset;
use fitness_sources::strava_export::Row;
use fitness_sources::{ParseError, ReadOutcome};
use fitness_store::{FinishedFiles, ImportBatch, PackedRecord, Store, SyncRunKind};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use tokio::sync::OwnedSemaphorePermit;

/// Increase it to make files that were already imported be read again. 2: thresholds of an
/// account's zones. 3: files that 0.1 marked as read although the import was cut off. 4: readings of
/// wellness files, thresholds of account exports.
const READER_VERSION: &str = "4";
/// Records per transaction. Recordings reach `MAX_BATCH_KIB` earlier.
const MAX_BATCH_RECORDS: usize = 256;
/// Days and estimates per transaction.
const MAX_BATCH_DAYS: usize = 1000;
/// Kibibytes of files per transaction.
pub(crate) const MAX_BATCH_KIB: usize = 8 << 10;

pub(crate) struct BatchWriter<'a> {
    store: &'a Store,
    user: UserId,
    pub(crate) source: Option<SourceId>,
    zone: Tz,
    /// Parser version and default time zone. If either changes, files are read again.
    reader_version: String,
    clock: Clock,
    batch: ImportBatch,
    memory_permits: Vec<OwnedSemaphorePermit>,
    pub(crate) outcome: ImportOutcome,
    activity_days: BTreeSet<Day>,
    last_daily_summary: Option<Day>,
    is_account_export: bool,
    strava: StravaRows,
    /// Thresholds reported by a source, each with the rank of its sport.
    thresholds: BTreeMap<ThresholdKind, ((u8, Sport), Threshold)>,
    /// Something was skipped that may be readable next time.
    has_transient_skips: bool,
    /// Date of the account export.
    pub(crate) export_day: Option<Day>,
    /// A list could not be read completely.
    has_unread_entries: bool,
    /// The activity list of an account was read.
    has_activity_list: bool,
    /// Files that were imported earlier; their days count as covered too.
    known_hashes: Vec<ContentHash>,
    /// Files that were read completely.
    finished_hashes: Vec<ContentHash>,
}

/// Rows of a Strava list wait for the files they name, which have the exact start time.
#[derive(Default)]
struct StravaRows {
    /// Path of the list, and row.
    rows: Vec<(String, Row)>,
    starts: HashMap<String, ActivityStart>,
    hashes: HashMap<String, ContentHash>,
}

impl<'a> BatchWriter<'a> {
    pub(crate) fn new(store: &'a Store, user: UserId, zone: Tz, clock: Clock) -> Self {
        Self {
            store,
            user,
            source: None,
            zone,
            reader_version: format!("{READER_VERSION} {zone}"),
            clock,
            batch: ImportBatch::default(),
            memory_permits: Vec::new(),
            outcome: ImportOutcome::default(),
            activity_days: BTreeSet::new(),
            last_daily_summary: None,
            is_account_export: false,
            strava: StravaRows::default(),
            thresholds: BTreeMap::new(),
            has_transient_skips: false,
            export_day: None,
            has_unread_entries: false,
            has_activity_list: false,
            known_hashes: Vec::new(),
            finished_hashes: Vec::new(),
        }
    }

    pub(crate) const fn zone(&self) -> Tz {
        self.zone
    }

    pub(crate) fn now(&self) -> Instant {
        (self.clock)()
    }

    pub(crate) async fn is_finished(&self, hash: ContentHash) -> Result<bool, Error> {
        Ok(self.store.is_import_finished(self.user, hash, &self.reader_version).await?)
    }

    /// Marks a file as read, unless something in it may be readable next time. It takes effect when
    /// the run finishes.
    pub(crate) fn finish_file(&mut self, hash: ContentHash) {
        if !self.has_transient_skips {
            self.finished_hashes.push(hash);
        }
    }

    pub(crate) async fn known_files(&self) -> Result<HashSet<ContentHash>, Error> {
        Ok(self.store.list_original_hashes(self.user, &self.reader_version).await?)
    }

    /// Handles an event of the file discovery; writes a batch when it is full.
    pub(crate) async fn handle_event(&mut self, event: ImportEvent) -> Result<(), Error> {
        match event {
            ImportEvent::File { path, hash, read, permit: room } => {
                self.memory_permits.push(room);
                self.add_file(path, hash, read.map(|file| *file));
            }
            ImportEvent::KnownFile { path, hash } => {
                self.outcome.files_already_there += 1;
                self.known_hashes.push(hash);
                self.strava.hashes.insert(path, hash);
            }
            ImportEvent::Records(told) => told.into_iter().for_each(|told| self.add_record(told)),
            ImportEvent::StravaRow { list, row } => self.strava.rows.push((list, *row)),
            ImportEvent::ListEnd { path, dataset, outcome } => self.finish_list(&path, dataset, outcome),
            ImportEvent::Ignored => self.outcome.files_ignored += 1,
            ImportEvent::Skipped { path, reason, is_transient: passing } => {
                self.has_transient_skips |= passing;
                self.outcome.skip(path, reason);
            }
        }
        self.flush_if_full().await
    }

    pub(crate) async fn flush_if_full(&mut self) -> Result<(), Error> {
        let kibibytes: usize = self.memory_permits.iter().map(OwnedSemaphorePermit::num_permits).sum();
        if self.batch.records.len() >= MAX_BATCH_RECORDS
            || self.batch.day_records.len() + self.batch.estimates.len() >= MAX_BATCH_DAYS
            || kibibytes >= MAX_BATCH_KIB
        {
            self.write_batch().await?;
        }
        Ok(())
    }

    pub(crate) fn add_file(&mut self, path: String, hash: ContentHash, read: Result<ParsedFile, ParseError>) {
        let file = match read {
            Ok(file) => file,
            Err(why) => return self.outcome.skip(path, why),
        };
        let Some(original) = file.original else {
            self.outcome.files_ignored += 1;
            return;
        };
        self.outcome.files += 1;
        self.outcome.flawed += u64::from(file.is_damaged);
        for why in file.skip_reasons {
            self.outcome.skip(&*path, why);
        }
        for day in file.activity_days {
            self.add_activity_day(day);
        }
        if let Some(began) = file.start {
            self.strava.starts.insert(path.clone(), began);
        }
        self.strava.hashes.insert(path, hash);
        self.batch.originals.push(original);
        self.batch.records.extend(file.reports);
        self.batch.day_records.extend(file.days);
    }

    fn add_activity_day(&mut self, day: Day) {
        self.activity_days.insert(day);
        self.outcome.extend_span(day);
    }

    pub(crate) fn add_record(&mut self, told: ImportedRecord) {
        let now = self.now();
        match told {
            ImportedRecord::Activity(report) => self.add_activity(*report, now),
            ImportedRecord::Day(day) => self.add_day(*day, now),
            ImportedRecord::Estimate(estimate) => {
                if is_plausible_day(estimate.day, now, self.zone) {
                    self.batch.estimates.push(estimate);
                }
            }
            ImportedRecord::Threshold { kind, value, sport } => self.add_threshold(kind, value, sport),
            ImportedRecord::Zones { kind, sport, zones } => {
                let (from, origin) = (self.report_day(), ThresholdOrigin::Reported);
                self.batch.zones.push(DatedZones { kind, sport, from, origin, zones });
            }
            ImportedRecord::Person(person) => {
                self.batch.person.birth_year = self.batch.person.birth_year.or(person.birth_year);
                self.batch.person.sex = self.batch.person.sex.or(person.sex);
            }
        }
    }

    /// Start date of undated thresholds and zones: the date of the export, or today for a service.
    fn report_day(&self) -> Day {
        let now = self.now();
        self.export_day
            .filter(|day| is_plausible_day(*day, now, self.zone))
            .unwrap_or_else(|| Day::at(now, self.zone))
    }

    /// Thresholds belong to the athlete, not to a sport: prefer the one for all sports, then
    /// running, then any other sport.
    fn add_threshold(&mut self, kind: ThresholdKind, value: f64, sport: Sport) {
        let rank = match sport {
            Sport::Other => (0, sport),
            Sport::Running => (1, sport),
            _ => (2, sport),
        };
        let threshold = Threshold { kind, value, from: self.report_day(), origin: ThresholdOrigin::Reported };
        match self.thresholds.get(&kind) {
            Some((best, _)) if *best <= rank => {}
            _ => drop(self.thresholds.insert(kind, (rank, threshold))),
        }
    }

    fn add_activity(&mut self, report: SourceRecord, now: Instant) {
        let key = report.key.to_string();
        if let Err(why) = check_plausible_start(&report.parsed.activity, now) {
            return self.outcome.skip(key, why);
        }
        let day = report.parsed.activity.day();
        match PackedRecord::pack(report, None, self.source) {
            Ok(report) => {
                self.add_activity_day(day);
                self.batch.records.push(report.with_export_day(self.export_day));
            }
            Err(why) => self.outcome.skip(key, why),
        }
    }

    fn add_day(&mut self, report: DayRecord, now: Instant) {
        let day = report.wellness.day;
        if is_plausible_day(day, now, self.zone) {
            self.batch.day_records.push(report);
        } else {
            self.outcome
                .skip(format!("{} {}", report.kind, report.dataset), format!("dated {day}, in the future"));
        }
    }

    fn finish_list(
        &mut self,
        path: &str,
        dataset: Option<GarminDataset>,
        outcome: Result<ReadOutcome, ParseError>,
    ) {
        let summary = match outcome {
            Ok(summary) => summary,
            Err(why) => {
                self.has_unread_entries = true;
                return self.outcome.skip(path, why);
            }
        };
        self.outcome.files += 1;
        self.is_account_export |= dataset.is_some();
        self.has_activity_list |= dataset == Some(GarminDataset::Activities);
        let newest = summary.last_daily_summary.filter(|day| is_plausible_day(*day, self.now(), self.zone));
        self.last_daily_summary = self.last_daily_summary.max(newest);
        for (why, count) in summary.skip_reasons {
            *self.outcome.entries_left_out.entry(why.to_owned()).or_default() += count as u64;
        }
        if let Some(why) = summary.read_error {
            (self.has_transient_skips, self.has_unread_entries) = (true, true);
            self.outcome.skip(path, format!("read only in part: {why}"));
        }
    }

    /// File discovery failed, so the import proves nothing about covered days.
    pub(crate) fn mark_discovery_failed(&mut self) {
        self.has_unread_entries = true;
        self.outcome.skip("import", "stopped unexpectedly; import the files again");
    }

    /// Writes the rest. Strava rows come last, because their files must be stored first.
    pub(crate) async fn flush(&mut self) -> Result<(), Error> {
        let limits = std::mem::take(&mut self.thresholds);
        self.batch.thresholds.extend(limits.into_values().map(|(_, threshold)| threshold));
        self.write_batch().await?;
        // The date of a Strava export is that of its newest activity.
        let newest = self.strava.rows.iter().map(|(_, row)| row.activity.activity.day()).max();
        self.export_day = newest.or(self.export_day);
        for (list, row) in std::mem::take(&mut self.strava.rows) {
            self.add_strava_row(&list, row).await?;
            if self.batch.records.len() >= MAX_BATCH_RECORDS {
                self.write_batch().await?;
            }
        }
        self.write_batch().await
    }

    /// A row's date has no time zone, so the start time of its file is preferred.
    async fn add_strava_row(&mut self, list: &str, row: Row) -> Result<(), Error> {
        let folder = list.rfind(['/', '\\']).map_or("", |end| &list[..=end]);
        let mut recorded = row.activity;
        if let Some(path) = row.filename.map(|name| format!("{folder}{name}")) {
            let mut began = self.strava.starts.get(&path).copied();
            if began.is_none()
                && let Some(hash) = self.strava.hashes.get(&path)
                && let Some((at, utc_offset_s)) = self.store.find_original_start(self.user, *hash).await?
            {
                began = Some(ActivityStart { at, utc_offset_s });
            }
            if let Some(began) = began {
                recorded.activity.started_at = began.at;
                recorded.activity.utc_offset_s = began.utc_offset_s;
            }
        }
        let key = RecordKey { kind: SourceKind::StravaExport, id: row.id };
        self.add_activity(SourceRecord { key, parsed: recorded, raw: Some(row.raw) }, self.now());
        Ok(())
    }

    /// Files that were imported earlier also cover their days.
    pub(crate) async fn load_known_days(&mut self) -> Result<(), Error> {
        let known = std::mem::take(&mut self.known_hashes);
        let days = self.store.list_original_days(self.user, &known).await?;
        self.activity_days.extend(days);
        Ok(())
    }

    /// Counts a given file that was already imported.
    pub(crate) fn skip_known_file(&mut self, hash: ContentHash) {
        self.outcome.files_already_there += 1;
        self.known_hashes.push(hash);
    }

    async fn write_batch(&mut self) -> Result<(), Error> {
        let mut batch = std::mem::take(&mut self.batch);
        batch.export_day = self.export_day;
        batch.reader.clone_from(&self.reader_version);
        let taken = self.store.import_batch(self.user, batch, self.now()).await?;
        self.outcome.add_batch(taken);
        self.memory_permits.clear();
        Ok(())
    }

    pub(crate) fn finished_files(&mut self) -> FinishedFiles {
        FinishedFiles {
            reader: self.reader_version.clone(),
            hashes: std::mem::take(&mut self.finished_hashes),
        }
    }

    /// The outcome, coverage evidence and kind of run.
    pub(crate) fn finish(self) -> (ImportOutcome, Vec<CoverageEvidence>, SyncRunKind) {
        let now = self.now();
        let today = Day::at(now, self.zone);
        let kind = if self.is_account_export { SyncRunKind::Export } else { SyncRunKind::File };
        // The unread part of a list may contain an activity of any day.
        if self.has_unread_entries {
            return (self.outcome, Vec::new(), kind);
        }
        // Daily summaries prove coverage only together with the activity list.
        let mut evidence: Vec<CoverageEvidence> = self
            .last_daily_summary
            .filter(|_| self.has_activity_list)
            .map(|last_summary| CoverageEvidence::AccountExport { last_summary, imported_at: now })
            .into_iter()
            .collect();
        // The newest day implies all earlier ones; a day in the future is ignored.
        let newest = self.activity_days.range(..=today).next_back();
        evidence.extend(newest.map(|day| CoverageEvidence::Activity { day: *day, imported_at: now }));
        (self.outcome, evidence, kind)
    }
}
