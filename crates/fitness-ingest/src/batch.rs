//! Collects parsed records into database batches, and computes which days the data covers.

use crate::discover::ImportEvent;
use crate::outcome::ImportOutcome;
use crate::parse::{ActivityStart, Format, ParsedFile, check_plausible_start, is_plausible_day};
use crate::{Clock, Error};
use chrono_tz::Tz;
use fitness_core::adherence::data_frontier::CoverageEvidence;
use fitness_core::domain::athlete::{Threshold, ThresholdKind, ThresholdOrigin, ZoneKind, Zones};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{SourceId, UserId};
use fitness_core::domain::source_record::{
    DayRecord, ImportedRecord, RecordKey, SourceKind, SourceRecord, ThresholdBasis,
};
use fitness_core::domain::sport::Sport;
use fitness_core::metrics::zones::DatedZones;
use fitness_sources::fit::AthleteReport;
use fitness_sources::garmin_export::GarminDataset;
use fitness_sources::strava_export::Row;
use fitness_sources::{ParseError, ReadOutcome};
use fitness_store::{FinishedFiles, ImportBatch, PackedRecord, Store, SyncRunKind};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use tokio::sync::OwnedSemaphorePermit;

/// Increase it to make files that were already imported be read again. 2: thresholds of an
/// account's zones. 3: files that 0.1 marked as read although the import was cut off. 4: wrong clock
/// times, strap heart rates, totals that contradict samples, thresholds, readings of wellness files.
const READER_VERSION: &str = "4";
const IN_THE_FUTURE: &str = "in the future";
/// Name of the list in the import receipt.
const STRAVA_LIST: &str = "Strava activity list";
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
    /// Current thresholds reported by a source, each with its rank.
    thresholds: BTreeMap<ThresholdKind, ((ThresholdBasis, u8), Threshold)>,
    /// Thresholds with the day they were used.
    dated_thresholds: BTreeMap<(ThresholdKind, Day), f64>,
    /// Zones with the day they were used.
    dated_zones: BTreeMap<(ZoneKind, Sport, Day), Zones>,
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
            dated_thresholds: BTreeMap::new(),
            dated_zones: BTreeMap::new(),
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
            ImportEvent::File { path, format, hash, read, permit: room } => {
                self.memory_permits.push(room);
                self.add_file(path, format, hash, read.map(|file| *file));
            }
            ImportEvent::KnownFile { path, format, hash } => {
                self.outcome.files_already_there += 1;
                self.outcome.receipt.line(format.label()).files.know();
                self.known_hashes.push(hash);
                self.strava.hashes.insert(path, hash);
            }
            ImportEvent::Records { dataset, records } => {
                records.into_iter().for_each(|record| self.add_listed_record(dataset, record));
            }
            ImportEvent::StravaRow { list, row } => self.strava.rows.push((list, *row)),
            ImportEvent::ListEnd { path, dataset, outcome } => self.finish_list(&path, dataset, outcome),
            ImportEvent::NotUnderstood { path } => {
                self.outcome.files_ignored += 1;
                self.outcome.receipt.add_not_understood(&path);
            }
            ImportEvent::Skipped { path, reason, is_transient: passing } => {
                self.has_transient_skips |= passing;
                self.outcome.receipt.add_unreadable(&reason);
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

    pub(crate) fn add_file(
        &mut self,
        path: String,
        format: Format,
        hash: ContentHash,
        read: Result<ParsedFile, ParseError>,
    ) {
        let line = self.outcome.receipt.line(format.label());
        let file = match read {
            Ok(file) => file,
            Err(why) => {
                line.files.leave_out(&why.to_string(), 1);
                return self.outcome.skip(path, why);
            }
        };
        let Some(original) = file.original else {
            line.files.leave_out("no activity and no wellness data", 1);
            self.outcome.files_ignored += 1;
            return;
        };
        line.files.import(1);
        for (what, count) in [("activity", file.reports.len()), ("day", file.days.len())] {
            if count > 0 {
                line.records.import(count as u64);
                *line.became.entry(what).or_default() += count as u64;
            }
        }
        for why in &file.skip_reasons {
            line.records.leave_out(why, 1);
        }
        self.outcome.files += 1;
        self.outcome.flawed += u64::from(file.is_damaged);
        self.outcome.parse_counts.add(file.counts);
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
        self.add_athlete_report(file.athlete);
        self.batch.originals.push(original);
        self.batch.records.extend(file.reports);
        self.batch.day_records.extend(file.days);
    }

    /// Of two files of a day the greater value wins, so that their order does not matter.
    fn add_athlete_report(&mut self, report: AthleteReport) {
        for Threshold { kind, value, from, .. } in report.thresholds {
            let known = self.dated_thresholds.entry((kind, from)).or_insert(value);
            *known = known.max(value);
        }
        for DatedZones { kind, sport, from, zones, .. } in report.zones {
            let known = self.dated_zones.entry((kind, sport, from)).or_insert_with(|| zones.clone());
            if known.lower_bounds() < zones.lower_bounds() {
                *known = zones;
            }
        }
    }

    /// Dated zones of which each differs from the one before: a watch repeats them in every file.
    fn add_dated_zones(&mut self) {
        let origin = ThresholdOrigin::Reported;
        let mut last = None;
        for ((kind, sport, from), zones) in std::mem::take(&mut self.dated_zones) {
            let this = Some((kind, sport, zones.clone()));
            if last != this {
                self.batch.zones.push(DatedZones { kind, sport, from, origin, zones });
            }
            last = this;
        }
    }

    fn add_activity_day(&mut self, day: Day) {
        self.activity_days.insert(day);
        self.outcome.extend_span(day);
    }

    /// Adds a record of an account export and counts it.
    fn add_listed_record(&mut self, dataset: GarminDataset, record: ImportedRecord) {
        let what = match &record {
            ImportedRecord::Activity(_) => "activity",
            ImportedRecord::Day(_) => "day",
            ImportedRecord::Estimate(_) => "estimate",
            ImportedRecord::Threshold { .. } => "threshold",
            ImportedRecord::Zones { .. } => "set of zones",
            ImportedRecord::Person(_) => "profile",
        };
        let outcome = self.add_record(record);
        let line = self.outcome.receipt.line(dataset.label());
        match outcome {
            Ok(()) => {
                line.records.import(1);
                *line.became.entry(what).or_default() += 1;
            }
            Err(why) => line.records.leave_out(&why, 1),
        }
    }

    /// Adds a record to the batch, or returns why it is left out.
    pub(crate) fn add_record(&mut self, told: ImportedRecord) -> Result<(), String> {
        let now = self.now();
        match told {
            ImportedRecord::Activity(report) => self.add_activity(*report, now),
            ImportedRecord::Day(day) => self.add_day(*day, now),
            ImportedRecord::Estimate(estimate) => {
                if !is_plausible_day(estimate.day, now, self.zone) {
                    return Err(IN_THE_FUTURE.to_owned());
                }
                self.batch.estimates.push(estimate);
                Ok(())
            }
            ImportedRecord::Threshold { kind, value, sport, basis, from } => {
                self.add_threshold(kind, value, (basis, sport), from)
            }
            ImportedRecord::Zones { kind, sport, zones } => {
                let (from, origin) = (self.report_day(), ThresholdOrigin::Reported);
                self.batch.zones.push(DatedZones { kind, sport, from, origin, zones });
                Ok(())
            }
            ImportedRecord::Person(person) => {
                self.batch.person.birth_year = self.batch.person.birth_year.or(person.birth_year);
                self.batch.person.sex = self.batch.person.sex.or(person.sex);
                Ok(())
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

    /// Thresholds belong to the athlete, not to a sport: prefer a measured one, then the one for all
    /// sports, then running, then any other sport; for the FTP cycling comes first. Of two that are
    /// equally good the greater one, so that the order of files does not matter.
    fn add_threshold(
        &mut self,
        kind: ThresholdKind,
        value: f64,
        (basis, sport): (ThresholdBasis, Sport),
        from: Option<Day>,
    ) -> Result<(), String> {
        if let Some(day) = from {
            if !is_plausible_day(day, self.now(), self.zone) {
                return Err(IN_THE_FUTURE.to_owned());
            }
            let known = self.dated_thresholds.entry((kind, day)).or_insert(value);
            *known = known.max(value);
            return Ok(());
        }
        let sport_rank = match sport {
            Sport::Cycling if kind == ThresholdKind::ThresholdPower => 0,
            Sport::Other => 1,
            Sport::Running => 2,
            _ => 3,
        };
        let rank = (basis, sport_rank);
        let threshold = Threshold { kind, value, from: self.report_day(), origin: ThresholdOrigin::Reported };
        match self.thresholds.get(&kind) {
            Some((best, known)) if (*best, Reverse(known.value)) <= (rank, Reverse(value)) => {}
            _ => drop(self.thresholds.insert(kind, (rank, threshold))),
        }
        Ok(())
    }

    /// Dated thresholds of which each differs from the one before: a scale repeats them with every
    /// weight.
    fn take_dated_thresholds(&mut self) -> Vec<Threshold> {
        let mut last: Option<(ThresholdKind, f64)> = None;
        let mut changes = Vec::new();
        for ((kind, from), value) in std::mem::take(&mut self.dated_thresholds) {
            if last != Some((kind, value)) {
                changes.push(Threshold { kind, value, from, origin: ThresholdOrigin::Reported });
            }
            last = Some((kind, value));
        }
        changes
    }

    fn add_activity(&mut self, report: SourceRecord, now: Instant) -> Result<(), String> {
        let key = report.key.to_string();
        if let Err(why) = check_plausible_start(&report.parsed.activity, now) {
            self.outcome.skip(key, &why);
            return Err(why);
        }
        let day = report.parsed.activity.day();
        match PackedRecord::pack(report, None, self.source) {
            Ok(report) => {
                self.add_activity_day(day);
                self.batch.records.push(report.with_export_day(self.export_day));
                Ok(())
            }
            Err(why) => {
                self.outcome.skip(key, &why);
                Err(why.to_string())
            }
        }
    }

    fn add_day(&mut self, report: DayRecord, now: Instant) -> Result<(), String> {
        let day = report.wellness.day;
        if is_plausible_day(day, now, self.zone) {
            self.batch.day_records.push(report);
            return Ok(());
        }
        let why = format!("dated {day}, {IN_THE_FUTURE}");
        self.outcome.skip(format!("{} {}", report.kind, report.dataset), &why);
        Err(why)
    }

    fn finish_list(
        &mut self,
        path: &str,
        dataset: Option<GarminDataset>,
        outcome: Result<ReadOutcome, ParseError>,
    ) {
        let line = self.outcome.receipt.line(dataset.map_or(STRAVA_LIST, GarminDataset::label));
        let summary = match outcome {
            Ok(summary) => summary,
            Err(why) => {
                self.has_unread_entries = true;
                line.files.leave_out(&why.to_string(), 1);
                return self.outcome.skip(path, why);
            }
        };
        line.files.import(1);
        for (why, count) in &summary.skip_reasons {
            line.records.leave_out(why, *count as u64);
        }
        if summary.read_error.is_some() {
            line.records.leave_out("the rest of the file could not be read", 1);
        }
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
        self.batch.dated_thresholds = self.take_dated_thresholds();
        self.add_dated_zones();
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
        let added = self.add_activity(SourceRecord { key, parsed: recorded, raw: Some(row.raw) }, self.now());
        let line = self.outcome.receipt.line(STRAVA_LIST);
        match added {
            Ok(()) => {
                line.records.import(1);
                *line.became.entry("activity").or_default() += 1;
            }
            Err(why) => line.records.leave_out(&why, 1),
        }
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
        self.outcome.receipt.line("Given files").files.know();
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
