//! File discovery: walks the given paths, unpacks archives, and passes files to the parser threads.

use crate::batch::MAX_BATCH_KIB;
use crate::import::StopSignal;
use crate::parse::{self, Format, MAX_FILE_BYTES, ParsedFile};
use chrono_tz::Tz;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::source_record::ImportedRecord;
use fitness_sources::files::{self, FileEntry, ReadLimits, SkipError, Visitor, read_all};
use fitness_sources::strava_export::{self, Row};
use fitness_sources::{ParseError, ReadOutcome, archives, garmin_export};
use std::collections::HashSet;
use std::io::Read;
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// KiB of files in memory between disk and database.
const MAX_IN_FLIGHT_KIB: u32 = 32 << 10;
/// Maximum share of one file. A batch that is not full holds the rest; a file that needed all of it
/// would deadlock.
const MAX_FILE_KIB: u32 = MAX_IN_FLIGHT_KIB - MAX_BATCH_KIB as u32;
/// Records per event; sending them one by one is slow.
const RECORDS_PER_EVENT: usize = 64;
/// Bytes per event, for large records.
const BYTES_PER_EVENT: usize = 64 << 10;

pub(crate) struct DiscoverRequest {
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) zone: Tz,
    pub(crate) now: Instant,
    /// Files that were already imported.
    pub(crate) known: HashSet<ContentHash>,
    pub(crate) stop: StopSignal,
    pub(crate) events: mpsc::Sender<ImportEvent>,
}

/// Sent to the batch writer.
pub(crate) enum ImportEvent {
    /// A recording was parsed.
    File {
        path: String,
        format: Format,
        hash: ContentHash,
        read: Result<Box<ParsedFile>, ParseError>,
        /// Memory permit, released when the file is stored.
        permit: OwnedSemaphorePermit,
    },
    /// A recording that was already imported.
    KnownFile { path: String, format: Format, hash: ContentHash },
    /// Records of a list.
    Records { dataset: garmin_export::GarminDataset, records: Vec<ImportedRecord> },
    /// A row of the Strava list at this path.
    StravaRow { list: String, row: Box<Row> },
    /// End of a list; `dataset` for account exports.
    ListEnd {
        path: String,
        dataset: Option<garmin_export::GarminDataset>,
        outcome: Result<ReadOutcome, ParseError>,
    },
    /// A file that nothing reads.
    NotUnderstood { path: String },
    /// `is_transient`: may be readable next time.
    Skipped { path: String, reason: String, is_transient: bool },
}

#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) files: u64,
    pub(crate) activities: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, event: &ImportEvent) {
        match event {
            ImportEvent::File { read, .. } => {
                self.files += 1;
                self.activities += read.as_ref().map_or(0, |file| file.reports.len() as u64);
            }
            ImportEvent::KnownFile { .. } | ImportEvent::ListEnd { .. } => self.files += 1,
            ImportEvent::Records { records, .. } => {
                self.activities +=
                    records.iter().filter(|told| matches!(told, ImportedRecord::Activity(_))).count() as u64;
            }
            ImportEvent::StravaRow { .. }
            | ImportEvent::NotUnderstood { .. }
            | ImportEvent::Skipped { .. } => {}
        }
    }
}

/// Runs on a blocking thread. Ends early if the receiver is dropped.
pub(crate) fn walk(job: DiscoverRequest) {
    let named = job.paths.iter().map(|path| path.display().to_string()).collect();
    let paths = job.paths.clone();
    let mut walking = ImportVisitor {
        shared: Arc::new(WorkerContext {
            zone: job.zone,
            now: job.now,
            known: job.known,
            events: job.events,
        }),
        memory: Arc::new(Semaphore::new(MAX_IN_FLIGHT_KIB as usize)),
        runtime: Handle::current(),
        stop: job.stop,
        requested_paths: named,
    };
    let _whether_it_was_broken_off = files::walk(&paths, &ReadLimits::default(), &mut walking);
}

/// Number of files to read.
pub(crate) fn count(paths: &[PathBuf]) -> u64 {
    struct FileCounter(u64);
    impl Visitor for FileCounter {
        fn should_read(&mut self, found: &FileEntry<'_>) -> bool {
            self.0 += u64::from(FileKind::detect(found).is_some());
            false
        }
        fn visit(&mut self, _: &FileEntry<'_>, _: &mut dyn Read) -> ControlFlow<()> {
            Continue(())
        }
        fn on_skipped(&mut self, _: &str, _: SkipError) {}
    }
    let mut counting = FileCounter(0);
    let _never_broken_off = files::walk(paths, &ReadLimits::default(), &mut counting);
    counting.0
}

/// Date of a Garmin account export: the last day in its file names. Unpacks nothing.
pub(crate) fn find_export_day(paths: &[PathBuf]) -> Option<Day> {
    struct NewestDay(Option<Day>);
    impl Visitor for NewestDay {
        fn should_read(&mut self, found: &FileEntry<'_>) -> bool {
            let last = found.name.strip_prefix("UDSFile_").and_then(|name| name.strip_suffix(".json"));
            let last = last.and_then(|days| days.rsplit('_').next()?.parse().ok());
            self.0 = self.0.max(last);
            false
        }
        fn visit(&mut self, _: &FileEntry<'_>, _: &mut dyn Read) -> ControlFlow<()> {
            Continue(())
        }
        fn on_skipped(&mut self, _: &str, _: SkipError) {}
    }
    let mut newest = NewestDay(None);
    let limits = ReadLimits { depth: 0, ..ReadLimits::default() };
    let _never_broken_off = files::walk(paths, &limits, &mut newest);
    newest.0
}

enum FileKind {
    Recording(Format),
    GarminExport(garmin_export::GarminDataset),
    StravaList,
}

impl FileKind {
    fn detect(found: &FileEntry<'_>) -> Option<Self> {
        if strava_export::recognise(found.path) {
            return Some(Self::StravaList);
        }
        Format::from_file_name(found.name)
            .map(Self::Recording)
            .or_else(|| garmin_export::recognise(found.path).map(Self::GarminExport))
    }
}

struct WorkerContext {
    zone: Tz,
    now: Instant,
    known: HashSet<ContentHash>,
    events: mpsc::Sender<ImportEvent>,
}

struct ImportVisitor {
    shared: Arc<WorkerContext>,
    memory: Arc<Semaphore>,
    runtime: Handle,
    stop: StopSignal,
    /// Files given by the user are always reported, even if they are of an unknown type.
    requested_paths: HashSet<String>,
}

impl ImportVisitor {
    fn send(&self, event: ImportEvent) -> ControlFlow<()> {
        match self.shared.events.blocking_send(event) {
            Ok(()) if !self.stop.is_stopped() => Continue(()),
            _ => Break(()),
        }
    }

    /// Reads a recording into memory and passes it to a parser thread.
    fn read_recording(
        &self,
        format: Option<Format>,
        found: &FileEntry<'_>,
        reader: &mut dyn Read,
    ) -> ControlFlow<()> {
        let bytes = match read_all(reader, MAX_FILE_BYTES) {
            Ok(bytes) => bytes,
            Err(reason @ SkipError::TooLarge { .. }) => {
                let (path, reason) = (found.path.to_owned(), reason.to_string());
                return self.send(ImportEvent::Skipped { path, reason, is_transient: false });
            }
            // `skipped` gets the reason.
            Err(_) => return Continue(()),
        };
        let Some(format) = format.or_else(|| Format::from_content(&bytes)) else {
            let reason = "not a FIT, TCX or GPX file, a ZIP of them, or part of an account export";
            let (path, reason) = (found.path.to_owned(), reason.to_owned());
            return self.send(ImportEvent::Skipped { path, reason, is_transient: false });
        };
        let kibibytes = u32::try_from(bytes.len() >> 10).unwrap_or(u32::MAX).clamp(1, MAX_FILE_KIB);
        let room = self.runtime.block_on(Arc::clone(&self.memory).acquire_many_owned(kibibytes));
        let Ok(room) = room else { return Break(()) };
        let shared = Arc::clone(&self.shared);
        let (path, name) = (found.path.to_owned(), found.name.to_owned());
        rayon::spawn(move || {
            let hash = ContentHash::hash_bytes(&bytes);
            let event = if shared.known.contains(&hash) {
                ImportEvent::KnownFile { path, format, hash }
            } else {
                let read =
                    parse::parse_file(format, &name, hash, &bytes, shared.zone, shared.now).map(Box::new);
                ImportEvent::File { path, format, hash, read, permit: room }
            };
            // The receiver is gone if the import failed or was stopped.
            let _whether_it_arrived = shared.events.blocking_send(event);
        });
        if self.stop.is_stopped() { Break(()) } else { Continue(()) }
    }

    fn read_garmin_export(
        &self,
        dataset: garmin_export::GarminDataset,
        found: &FileEntry<'_>,
        reader: &mut dyn Read,
    ) -> ControlFlow<()> {
        let mut going = Continue(());
        let (mut some, mut bytes) = (Vec::with_capacity(RECORDS_PER_EVENT), 0);
        let outcome = garmin_export::read(dataset, reader, self.shared.zone, &mut |told| {
            if going.is_break() {
                return;
            }
            bytes += raw_size(&told);
            some.push(told);
            if some.len() >= RECORDS_PER_EVENT || bytes >= BYTES_PER_EVENT {
                bytes = 0;
                let records = std::mem::replace(&mut some, Vec::with_capacity(RECORDS_PER_EVENT));
                going = self.send(ImportEvent::Records { dataset, records });
            }
        });
        going?;
        self.send(ImportEvent::Records { dataset, records: some })?;
        self.send(ImportEvent::ListEnd { path: found.path.to_owned(), dataset: Some(dataset), outcome })
    }

    fn read_strava_list(&self, found: &FileEntry<'_>, reader: &mut dyn Read) -> ControlFlow<()> {
        let mut going = Continue(());
        let outcome = strava_export::read(reader, self.shared.zone, &mut |row| {
            if going.is_continue() {
                going = self.send(ImportEvent::StravaRow { list: found.path.to_owned(), row: Box::new(row) });
            }
        });
        going?;
        self.send(ImportEvent::ListEnd { path: found.path.to_owned(), dataset: None, outcome })
    }
}

impl Visitor for ImportVisitor {
    fn should_read(&mut self, found: &FileEntry<'_>) -> bool {
        let wanted = FileKind::detect(found).is_some() || self.requested_paths.contains(found.path);
        if !wanted {
            // A real ZIP would have been opened.
            let event = if found.name.to_ascii_lowercase().ends_with(".zip") {
                let (path, reason) = (found.path.to_owned(), "not a valid ZIP file".to_owned());
                ImportEvent::Skipped { path, reason, is_transient: false }
            } else {
                ImportEvent::NotUnderstood { path: found.path.to_owned() }
            };
            let _whether_it_arrived = self.send(event);
        }
        wanted
    }

    fn visit(&mut self, found: &FileEntry<'_>, reader: &mut dyn Read) -> ControlFlow<()> {
        if self.stop.is_stopped() {
            return Break(());
        }
        match FileKind::detect(found) {
            Some(FileKind::Recording(format)) => self.read_recording(Some(format), found, reader),
            Some(FileKind::GarminExport(dataset)) => self.read_garmin_export(dataset, found, reader),
            Some(FileKind::StravaList) => self.read_strava_list(found, reader),
            // The user gave this file: its name is known, or its content decides.
            None if archives::identify(found.path).is_some() => {
                self.send(ImportEvent::NotUnderstood { path: found.path.to_owned() })
            }
            None => self.read_recording(None, found, reader),
        }
    }

    fn on_skipped(&mut self, path: &str, reason: SkipError) {
        let passing = matches!(
            reason,
            SkipError::Missing
                | SkipError::PermissionDenied
                | SkipError::Unreadable(_)
                | SkipError::NoTempSpace(_)
        );
        let (path, reason) = (path.to_owned(), reason.to_string());
        let _whether_it_arrived = self.send(ImportEvent::Skipped { path, reason, is_transient: passing });
    }
}

/// Approximate size in memory.
fn raw_size(told: &ImportedRecord) -> usize {
    let raw = match told {
        ImportedRecord::Activity(report) => &report.raw,
        ImportedRecord::Day(report) => &report.raw,
        ImportedRecord::Estimate(_)
        | ImportedRecord::Threshold { .. }
        | ImportedRecord::Zones { .. }
        | ImportedRecord::Person(_) => return 0,
    };
    raw.as_ref().map_or(0, String::len)
}
