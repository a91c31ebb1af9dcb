//! Where everything that was read comes together: batches for the database, and what they prove about days.

use crate::discover::Event;
use crate::outcome::Outcome;
use crate::parse::{Began, ReadFile, has_come, plausible};
use crate::{Clock, Error};
use chrono_tz::Tz;
use fitness_core::adherence::data_frontier::Evidence;
use fitness_core::domain::athlete::{Threshold, ThresholdKind, ThresholdOrigin};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{SourceId, UserId};
use fitness_core::domain::source_record::{ActivityReport, DayReport, ReportKey, SourceKind, Told};
use fitness_core::domain::sport::Sport;
use fitness_core::metrics::zones::DatedZones;
use fitness_sources::garmin_export::Dataset;
use fitness_sources::strava_export::Row;
use fitness_sources::{Summary, Unreadable};
use fitness_store::{Batch, FinishedFiles, NewReport, RunKind, Store};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use tokio::sync::OwnedSemaphorePermit;

/// What the readers of this version find. Another number makes files that were read before be read again.
/// 2: the limits behind an account's zones. 3: files that 0.1 took for read although their run was cut off.
const READER: &str = "3";
/// Reports per transaction. Recordings fill a transaction with their size before that.
const REPORTS: usize = 256;
/// Days and estimates per transaction.
const DAYS: usize = 1000;
/// Kibibytes of files per transaction.
pub(crate) const BATCH_KIB: usize = 8 << 10;

pub(crate) struct Gatherer<'a> {
    store: &'a Store,
    user: UserId,
    pub(crate) source: Option<SourceId>,
    zone: Tz,
    /// The version of the readers and the zone they take for granted: with another of either, files are read again.
    reader: String,
    clock: Clock,
    batch: Batch,
    room: Vec<OwnedSemaphorePermit>,
    pub(crate) outcome: Outcome,
    /// Days on which activities began.
    activity_days: BTreeSet<Day>,
    last_daily_summary: Option<Day>,
    of_account: bool,
    strava: Strava,
    /// The limits a source reports, each with the rank of the sport it is told for.
    limits: BTreeMap<ThresholdKind, ((u8, Sport), Threshold)>,
    /// Something may be readable next time.
    unfinished: bool,
    /// How new the account export is.
    pub(crate) edition: Option<Day>,
    /// A list could not be read to its end.
    incomplete: bool,
    /// An account's list of activities was read.
    activities_listed: bool,
    /// Files that were read before: their days have arrived as well.
    known: Vec<ContentHash>,
    /// Files that were read to their end.
    finished: Vec<ContentHash>,
}

/// A Strava list names files beside it without saying when they began; the files say it.
#[derive(Default)]
struct Strava {
    /// Each with the path of its list.
    rows: Vec<(String, Row)>,
    /// By the path of the file.
    began: HashMap<String, Began>,
    known: HashMap<String, ContentHash>,
}

impl<'a> Gatherer<'a> {
    pub(crate) fn new(store: &'a Store, user: UserId, zone: Tz, clock: Clock) -> Self {
        Self {
            store,
            user,
            source: None,
            zone,
            reader: format!("{READER} {zone}"),
            clock,
            batch: Batch::default(),
            room: Vec::new(),
            outcome: Outcome::default(),
            activity_days: BTreeSet::new(),
            last_daily_summary: None,
            of_account: false,
            strava: Strava::default(),
            limits: BTreeMap::new(),
            unfinished: false,
            edition: None,
            incomplete: false,
            activities_listed: false,
            known: Vec::new(),
            finished: Vec::new(),
        }
    }

    pub(crate) const fn zone(&self) -> Tz {
        self.zone
    }

    pub(crate) fn now(&self) -> Instant {
        (self.clock)()
    }

    pub(crate) async fn was_finished(&self, hash: ContentHash) -> Result<bool, Error> {
        Ok(self.store.import_finished(self.user, hash, &self.reader).await?)
    }

    /// A file is in the database whole, unless something may be readable next time. It counts as read once the run is
    /// finished.
    pub(crate) fn finish_file(&mut self, hash: ContentHash) {
        if !self.unfinished {
            self.finished.push(hash);
        }
    }

    /// The files that were read before.
    pub(crate) async fn known_files(&self) -> Result<HashSet<ContentHash>, Error> {
        Ok(self.store.kept_hashes(self.user, &self.reader).await?)
    }

    /// Takes what the walk came upon; writes when there is enough of it.
    pub(crate) async fn take(&mut self, event: Event) -> Result<(), Error> {
        match event {
            Event::File { path, hash, read, room } => {
                self.room.push(room);
                self.file(path, hash, read.map(|file| *file));
            }
            Event::Known { path, hash } => {
                self.outcome.files_already_there += 1;
                self.known.push(hash);
                self.strava.known.insert(path, hash);
            }
            Event::Told(told) => told.into_iter().for_each(|told| self.told(told)),
            Event::Row { list, row } => self.strava.rows.push((list, *row)),
            Event::List { path, dataset, outcome } => self.list(&path, dataset, outcome),
            Event::Ignored => self.outcome.files_ignored += 1,
            Event::Skipped { path, reason, passing } => {
                self.unfinished |= passing;
                self.outcome.skip(path, reason);
            }
        }
        self.write_when_full().await
    }

    /// Writes when there is enough to write.
    pub(crate) async fn write_when_full(&mut self) -> Result<(), Error> {
        let kibibytes: usize = self.room.iter().map(OwnedSemaphorePermit::num_permits).sum();
        if self.batch.reports.len() >= REPORTS
            || self.batch.days.len() + self.batch.estimates.len() >= DAYS
            || kibibytes >= BATCH_KIB
        {
            self.write().await?;
        }
        Ok(())
    }

    pub(crate) fn file(&mut self, path: String, hash: ContentHash, read: Result<ReadFile, Unreadable>) {
        let file = match read {
            Ok(file) => file,
            Err(why) => return self.outcome.skip(path, why),
        };
        let Some(original) = file.original else {
            self.outcome.files_ignored += 1;
            return;
        };
        self.outcome.files += 1;
        self.outcome.flawed += u64::from(file.flawed);
        for why in file.left_out {
            self.outcome.skip(&*path, why);
        }
        for day in file.activity_days {
            self.saw(day);
        }
        if let Some(began) = file.began {
            self.strava.began.insert(path.clone(), began);
        }
        self.strava.known.insert(path, hash);
        self.batch.originals.push(original);
        self.batch.reports.extend(file.reports);
        self.batch.days.extend(file.days);
    }

    fn saw(&mut self, day: Day) {
        self.activity_days.insert(day);
        self.outcome.saw(day);
    }

    /// Takes one thing a source told.
    pub(crate) fn told(&mut self, told: Told) {
        let now = self.now();
        match told {
            Told::Activity(report) => self.activity(*report, now),
            Told::Day(day) => self.day(*day, now),
            Told::Estimate(estimate) => {
                if has_come(estimate.day, now, self.zone) {
                    self.batch.estimates.push(estimate);
                }
            }
            Told::Threshold { kind, value, sport } => self.limit(kind, value, sport),
            Told::Zones { kind, sport, zones } => {
                let (from, origin) = (self.told_on(), ThresholdOrigin::Reported);
                self.batch.zones.push(DatedZones { kind, sport, from, origin, zones });
            }
            Told::Person(person) => {
                self.batch.person.birth_year = self.batch.person.birth_year.or(person.birth_year);
                self.batch.person.sex = self.batch.person.sex.or(person.sex);
            }
        }
    }

    /// The day from which holds what a source tells without a day: an export is as new as its newest file, a service
    /// speaks of today.
    fn told_on(&self) -> Day {
        let now = self.now();
        self.edition.filter(|day| has_come(*day, now, self.zone)).unwrap_or_else(|| Day::at(now, self.zone))
    }

    /// Limits are the athlete's, not a sport's: what is told for all sports counts, else what is told for running, else
    /// that of the next sport that has one.
    fn limit(&mut self, kind: ThresholdKind, value: f64, sport: Sport) {
        let rank = match sport {
            Sport::Other => (0, sport),
            Sport::Running => (1, sport),
            _ => (2, sport),
        };
        let threshold = Threshold { kind, value, from: self.told_on(), origin: ThresholdOrigin::Reported };
        match self.limits.get(&kind) {
            Some((best, _)) if *best <= rank => {}
            _ => drop(self.limits.insert(kind, (rank, threshold))),
        }
    }

    fn activity(&mut self, report: ActivityReport, now: Instant) {
        let key = report.key.to_string();
        if let Err(why) = plausible(&report.recorded.activity, now) {
            return self.outcome.skip(key, why);
        }
        let day = report.recorded.activity.day();
        match NewReport::pack(report, None, self.source) {
            Ok(report) => {
                self.saw(day);
                self.batch.reports.push(report.of_edition(self.edition));
            }
            Err(why) => self.outcome.skip(key, why),
        }
    }

    fn day(&mut self, report: DayReport, now: Instant) {
        let day = report.wellness.day;
        if has_come(day, now, self.zone) {
            self.batch.days.push(report);
        } else {
            self.outcome.skip(
                format!("{} {}", report.kind, report.part),
                format!("it speaks of {day}, which has not come yet"),
            );
        }
    }

    fn list(&mut self, path: &str, dataset: Option<Dataset>, outcome: Result<Summary, Unreadable>) {
        let summary = match outcome {
            Ok(summary) => summary,
            Err(why) => {
                self.incomplete = true;
                return self.outcome.skip(path, why);
            }
        };
        self.outcome.files += 1;
        self.of_account |= dataset.is_some();
        self.activities_listed |= dataset == Some(Dataset::Activities);
        let newest = summary.last_daily_summary.filter(|day| has_come(*day, self.now(), self.zone));
        self.last_daily_summary = self.last_daily_summary.max(newest);
        for (why, count) in summary.reasons {
            *self.outcome.entries_left_out.entry(why.to_owned()).or_default() += count as u64;
        }
        if let Some(why) = summary.broken_off {
            (self.unfinished, self.incomplete) = (true, true);
            self.outcome.skip(path, format!("only its beginning was read: {why}"));
        }
    }

    /// The walk through the files ended too early, so what was read proves nothing about days.
    pub(crate) fn walk_failed(&mut self) {
        self.incomplete = true;
        self.outcome.skip("", "reading the files ended too early; import them again");
    }

    /// Writes what is left, the rows of lists last: by then their files are there.
    pub(crate) async fn flush(&mut self) -> Result<(), Error> {
        let limits = std::mem::take(&mut self.limits);
        self.batch.thresholds.extend(limits.into_values().map(|(_, threshold)| threshold));
        self.write().await?;
        // A Strava export is as new as its newest activity.
        let newest = self.strava.rows.iter().map(|(_, row)| row.recorded.activity.day()).max();
        self.edition = newest.or(self.edition);
        for (list, row) in std::mem::take(&mut self.strava.rows) {
            self.row(&list, row).await?;
            if self.batch.reports.len() >= REPORTS {
                self.write().await?;
            }
        }
        self.write().await
    }

    /// A row's date has no zone; the file it names knows better when it began.
    async fn row(&mut self, list: &str, row: Row) -> Result<(), Error> {
        let folder = list.rfind(['/', '\\']).map_or("", |end| &list[..=end]);
        let mut recorded = row.recorded;
        if let Some(path) = row.filename.map(|name| format!("{folder}{name}")) {
            let mut began = self.strava.began.get(&path).copied();
            if began.is_none()
                && let Some(hash) = self.strava.known.get(&path)
                && let Some((at, utc_offset_s)) = self.store.start_of_original(self.user, *hash).await?
            {
                began = Some(Began { at, utc_offset_s });
            }
            if let Some(began) = began {
                recorded.activity.started_at = began.at;
                recorded.activity.utc_offset_s = began.utc_offset_s;
            }
        }
        let key = ReportKey { kind: SourceKind::StravaExport, id: row.id };
        self.activity(ActivityReport { key, recorded, raw: Some(row.raw) }, self.now());
        Ok(())
    }

    /// A file that was read before says the same about its days as one that is new.
    pub(crate) async fn see_known_days(&mut self) -> Result<(), Error> {
        let known = std::mem::take(&mut self.known);
        let days = self.store.days_of_originals(self.user, &known).await?;
        self.activity_days.extend(days);
        Ok(())
    }

    /// A file the athlete named was read to its end before.
    pub(crate) fn was_there(&mut self, hash: ContentHash) {
        self.outcome.files_already_there += 1;
        self.known.push(hash);
    }

    async fn write(&mut self) -> Result<(), Error> {
        let mut batch = std::mem::take(&mut self.batch);
        batch.edition = self.edition;
        batch.reader.clone_from(&self.reader);
        let taken = self.store.take_in(self.user, batch, self.now()).await?;
        self.outcome.count(taken);
        self.room.clear();
        Ok(())
    }

    /// The files that were read to their end.
    pub(crate) fn finished_files(&mut self) -> FinishedFiles {
        FinishedFiles { reader: self.reader.clone(), hashes: std::mem::take(&mut self.finished) }
    }

    /// What came of it, what it proves about days, and what kind of run it was.
    pub(crate) fn finish(self) -> (Outcome, Vec<Evidence>, RunKind) {
        let now = self.now();
        let today = Day::at(now, self.zone);
        let kind = if self.of_account { RunKind::Export } else { RunKind::File };
        // What could not be read of a list may be the very activity that a day would be judged without.
        if self.incomplete {
            return (self.outcome, Vec::new(), kind);
        }
        // Days speak for an account only together with its activities.
        let mut evidence: Vec<Evidence> = self
            .last_daily_summary
            .filter(|_| self.activities_listed)
            .map(|last_summary| Evidence::AccountExport { last_summary, imported_at: now })
            .into_iter()
            .collect();
        // The newest day says as much as all before it together; one in the future says nothing.
        let newest = self.activity_days.range(..=today).next_back();
        evidence.extend(newest.map(|day| Evidence::Activity { day: *day, imported_at: now }));
        (self.outcome, evidence, kind)
    }
}
