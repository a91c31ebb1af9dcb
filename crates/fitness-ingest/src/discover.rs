//! The walk through what the athlete named: it opens, unpacks and tells apart, and hands files to the workers.

use crate::batch::BATCH_KIB;
use crate::import::Stop;
use crate::parse::{self, FILE_BYTES, Format, ReadFile};
use chrono_tz::Tz;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::source_record::Told;
use fitness_sources::files::{self, Found, Limits, Refused, Visitor, read_all};
use fitness_sources::strava_export::{self, Row};
use fitness_sources::{Summary, Unreadable, garmin_export};
use std::collections::HashSet;
use std::io::Read;
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// Kibibytes of files that may be on their way between the disk and the database.
const IN_FLIGHT_KIB: u32 = 32 << 10;
/// What a file takes of that at most. A batch that waits to be filled holds some, and would wait for ever for a file
/// that wants all of it.
const LARGEST_KIB: u32 = IN_FLIGHT_KIB - BATCH_KIB as u32;
/// Things a list tells that are handed over together: one by one, waking the other side takes longer than telling.
const TOLD: usize = 64;
/// The same, where an entry is long.
const TOLD_BYTES: usize = 64 << 10;

/// What to walk through, and what is needed on the way.
pub(crate) struct Job {
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) zone: Tz,
    pub(crate) now: Instant,
    /// Files that need not be read, as they were before.
    pub(crate) known: HashSet<ContentHash>,
    pub(crate) stop: Stop,
    pub(crate) events: mpsc::Sender<Event>,
}

/// What the walk came upon.
pub(crate) enum Event {
    /// A recording was read.
    File {
        path: String,
        hash: ContentHash,
        read: Result<Box<ReadFile>, Unreadable>,
        /// Room in memory, given back when the file is in the database.
        room: OwnedSemaphorePermit,
    },
    /// A recording that had been read before.
    Known { path: String, hash: ContentHash },
    /// A list told something.
    Told(Vec<Told>),
    /// A row of the list at this path, which may name a file beside it.
    Row { list: String, row: Box<Row> },
    /// A list ended; of an account, which dataset.
    List { path: String, dataset: Option<garmin_export::Dataset>, outcome: Result<Summary, Unreadable> },
    /// A file with nothing to import in it.
    Ignored,
    /// Something was left out. What may be there next time is worth another try.
    Skipped { path: String, reason: String, passing: bool },
}

/// How far the walk is, for those who watch.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) files: u64,
    pub(crate) activities: u64,
}

impl Counts {
    pub(crate) fn see(&mut self, event: &Event) {
        match event {
            Event::File { read, .. } => {
                self.files += 1;
                self.activities += read.as_ref().map_or(0, |file| file.reports.len() as u64);
            }
            Event::Known { .. } | Event::List { .. } => self.files += 1,
            Event::Told(told) => {
                self.activities +=
                    told.iter().filter(|told| matches!(told, Told::Activity(_))).count() as u64;
            }
            Event::Row { .. } | Event::Ignored | Event::Skipped { .. } => {}
        }
    }
}

/// Walks through everything, on a thread that may wait. Ends early when nobody listens any more.
pub(crate) fn walk(job: Job) {
    let named = job.paths.iter().map(|path| path.display().to_string()).collect();
    let paths = job.paths.clone();
    let mut walking = Walking {
        shared: Arc::new(Shared { zone: job.zone, now: job.now, known: job.known, events: job.events }),
        room: Arc::new(Semaphore::new(IN_FLIGHT_KIB as usize)),
        runtime: Handle::current(),
        stop: job.stop,
        named,
    };
    let _whether_it_was_broken_off = files::walk(&paths, &Limits::default(), &mut walking);
}

/// How many files a walk would read.
pub(crate) fn count(paths: &[PathBuf]) -> u64 {
    struct Counting(u64);
    impl Visitor for Counting {
        fn wants(&mut self, found: &Found<'_>) -> bool {
            self.0 += u64::from(Wanted::of(found).is_some());
            false
        }
        fn visit(&mut self, _: &Found<'_>, _: &mut dyn Read) -> ControlFlow<()> {
            Continue(())
        }
        fn skipped(&mut self, _: &str, _: Refused) {}
    }
    let mut counting = Counting(0);
    let _never_broken_off = files::walk(paths, &Limits::default(), &mut counting);
    counting.0
}

/// How new an account export is: the last day that the name of one of its files mentions. Nothing is unpacked for it.
pub(crate) fn edition(paths: &[PathBuf]) -> Option<Day> {
    struct Newest(Option<Day>);
    impl Visitor for Newest {
        fn wants(&mut self, found: &Found<'_>) -> bool {
            let last = found.name.strip_prefix("UDSFile_").and_then(|name| name.strip_suffix(".json"));
            let last = last.and_then(|days| days.rsplit('_').next()?.parse().ok());
            self.0 = self.0.max(last);
            false
        }
        fn visit(&mut self, _: &Found<'_>, _: &mut dyn Read) -> ControlFlow<()> {
            Continue(())
        }
        fn skipped(&mut self, _: &str, _: Refused) {}
    }
    let mut newest = Newest(None);
    let limits = Limits { depth: 0, ..Limits::default() };
    let _never_broken_off = files::walk(paths, &limits, &mut newest);
    newest.0
}

/// What a file is wanted for.
enum Wanted {
    Recording(Format),
    Account(garmin_export::Dataset),
    Strava,
}

impl Wanted {
    fn of(found: &Found<'_>) -> Option<Self> {
        if strava_export::recognise(found.path) {
            return Some(Self::Strava);
        }
        Format::named(found.name)
            .map(Self::Recording)
            .or_else(|| garmin_export::recognise(found.path).map(Self::Account))
    }
}

/// What the workers need too.
struct Shared {
    zone: Tz,
    now: Instant,
    known: HashSet<ContentHash>,
    events: mpsc::Sender<Event>,
}

struct Walking {
    shared: Arc<Shared>,
    room: Arc<Semaphore>,
    runtime: Handle,
    stop: Stop,
    /// What the athlete named themselves deserves an answer, whatever it is.
    named: HashSet<String>,
}

impl Walking {
    fn send(&self, event: Event) -> ControlFlow<()> {
        match self.shared.events.blocking_send(event) {
            Ok(()) if !self.stop.is_asked() => Continue(()),
            _ => Break(()),
        }
    }

    /// Reads a recording whole and hands it to a worker.
    fn recording(&self, format: Option<Format>, found: &Found<'_>, reader: &mut dyn Read) -> ControlFlow<()> {
        let bytes = match read_all(reader, FILE_BYTES) {
            Ok(bytes) => bytes,
            Err(reason @ Refused::TooLarge { .. }) => {
                let (path, reason) = (found.path.to_owned(), reason.to_string());
                return self.send(Event::Skipped { path, reason, passing: false });
            }
            // The walk tells why itself.
            Err(_) => return Continue(()),
        };
        let Some(format) = format.or_else(|| Format::looks_like(&bytes)) else {
            let reason = "it is none of FIT, TCX, GPX, a ZIP of them, or a file of an account export";
            let (path, reason) = (found.path.to_owned(), reason.to_owned());
            return self.send(Event::Skipped { path, reason, passing: false });
        };
        let kibibytes = u32::try_from(bytes.len() >> 10).unwrap_or(u32::MAX).clamp(1, LARGEST_KIB);
        let room = self.runtime.block_on(Arc::clone(&self.room).acquire_many_owned(kibibytes));
        let Ok(room) = room else { return Break(()) };
        let shared = Arc::clone(&self.shared);
        let (path, name) = (found.path.to_owned(), found.name.to_owned());
        rayon::spawn(move || {
            let hash = ContentHash::of_bytes(&bytes);
            let event = if shared.known.contains(&hash) {
                Event::Known { path, hash }
            } else {
                let read = parse::read(format, &name, hash, &bytes, shared.zone, shared.now).map(Box::new);
                Event::File { path, hash, read, room }
            };
            // Nobody listens any more when the import has failed or was stopped.
            let _whether_it_arrived = shared.events.blocking_send(event);
        });
        if self.stop.is_asked() { Break(()) } else { Continue(()) }
    }

    fn account(
        &self,
        dataset: garmin_export::Dataset,
        found: &Found<'_>,
        reader: &mut dyn Read,
    ) -> ControlFlow<()> {
        let mut going = Continue(());
        let (mut some, mut bytes) = (Vec::with_capacity(TOLD), 0);
        let outcome = garmin_export::read(dataset, reader, self.shared.zone, &mut |told| {
            if going.is_break() {
                return;
            }
            bytes += length(&told);
            some.push(told);
            if some.len() >= TOLD || bytes >= TOLD_BYTES {
                bytes = 0;
                going = self.send(Event::Told(std::mem::replace(&mut some, Vec::with_capacity(TOLD))));
            }
        });
        going?;
        self.send(Event::Told(some))?;
        self.send(Event::List { path: found.path.to_owned(), dataset: Some(dataset), outcome })
    }

    fn strava(&self, found: &Found<'_>, reader: &mut dyn Read) -> ControlFlow<()> {
        let mut going = Continue(());
        let outcome = strava_export::read(reader, self.shared.zone, &mut |row| {
            if going.is_continue() {
                going = self.send(Event::Row { list: found.path.to_owned(), row: Box::new(row) });
            }
        });
        going?;
        self.send(Event::List { path: found.path.to_owned(), dataset: None, outcome })
    }
}

impl Visitor for Walking {
    fn wants(&mut self, found: &Found<'_>) -> bool {
        let wanted = Wanted::of(found).is_some() || self.named.contains(found.path);
        if !wanted {
            // An archive would have been opened: this is something else under its name.
            let event = if found.name.to_ascii_lowercase().ends_with(".zip") {
                let (path, reason) =
                    (found.path.to_owned(), "it is named like an archive and is none".to_owned());
                Event::Skipped { path, reason, passing: false }
            } else {
                Event::Ignored
            };
            let _whether_it_arrived = self.send(event);
        }
        wanted
    }

    fn visit(&mut self, found: &Found<'_>, reader: &mut dyn Read) -> ControlFlow<()> {
        if self.stop.is_asked() {
            return Break(());
        }
        match Wanted::of(found) {
            Some(Wanted::Recording(format)) => self.recording(Some(format), found, reader),
            Some(Wanted::Account(dataset)) => self.account(dataset, found, reader),
            Some(Wanted::Strava) => self.strava(found, reader),
            None => self.recording(None, found, reader),
        }
    }

    fn skipped(&mut self, path: &str, reason: Refused) {
        let passing = matches!(
            reason,
            Refused::Missing | Refused::NotAllowed | Refused::Unreadable(_) | Refused::NoRoom(_)
        );
        let (path, reason) = (path.to_owned(), reason.to_string());
        let _whether_it_arrived = self.send(Event::Skipped { path, reason, passing });
    }
}

/// How much memory something told takes, beyond next to nothing.
fn length(told: &Told) -> usize {
    let raw = match told {
        Told::Activity(report) => &report.raw,
        Told::Day(report) => &report.raw,
        Told::Estimate(_) | Told::Threshold { .. } | Told::Zones { .. } | Told::Person(_) => return 0,
    };
    raw.as_ref().map_or(0, String::len)
}
