//! From a file's bytes to what goes into the store: the work of a core, away from the database.

use chrono::TimeDelta;
use chrono_tz::Tz;
use fitness_core::domain::activity::Activity;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::source_record::{ActivityReport, DayReport, Recorded, ReportKey, SourceKind};
use fitness_core::domain::wellness::DailyWellness;
use fitness_sources::{Unreadable, fit, tracks};
use fitness_store::{NewOriginal, NewReport};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The longest recording of one activity. A day of seconds in the wordiest format stays below it.
pub(crate) const FILE_BYTES: u64 = 40 << 20;

/// How files are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Fit,
    Tcx,
    Gpx,
}

impl Format {
    /// By the file's name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let (_, ending) = name.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "fit" => Some(Self::Fit),
            "tcx" => Some(Self::Tcx),
            "gpx" => Some(Self::Gpx),
            _ => None,
        }
    }

    /// By what it begins with, for files whose names say nothing.
    pub(crate) fn looks_like(bytes: &[u8]) -> Option<Self> {
        if bytes.get(8..12) == Some(b".FIT") {
            return Some(Self::Fit);
        }
        let beginning = String::from_utf8_lossy(&bytes[..bytes.len().min(1000)]);
        if beginning.contains("<TrainingCenterDatabase") {
            Some(Self::Tcx)
        } else if beginning.contains("<gpx") {
            Some(Self::Gpx)
        } else {
            None
        }
    }

    const fn kind(self) -> SourceKind {
        match self {
            Self::Fit => SourceKind::Fit,
            Self::Tcx => SourceKind::Tcx,
            Self::Gpx => SourceKind::Gpx,
        }
    }
}

/// What a file came to, ready for the store.
#[derive(Debug)]
pub(crate) struct ReadFile {
    pub(crate) reports: Vec<NewReport>,
    pub(crate) days: Vec<DayReport>,
    /// `None` when there was nothing in it to import.
    pub(crate) original: Option<NewOriginal>,
    /// The first activity's start and clock, for a list that names the file.
    pub(crate) began: Option<Began>,
    /// The days its activities began.
    pub(crate) activity_days: Vec<Day>,
    pub(crate) flawed: bool,
    /// What in it was left out, and why.
    pub(crate) left_out: Vec<String>,
}

/// When and where an activity began, as its file says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Began {
    pub(crate) at: Instant,
    pub(crate) utc_offset_s: i32,
}

/// Reads one file. A reader that panics costs this file and nothing else.
pub(crate) fn read(
    format: Format,
    name: &str,
    hash: ContentHash,
    bytes: &[u8],
    zone: Tz,
    now: Instant,
) -> Result<ReadFile, Unreadable> {
    catch_unwind(AssertUnwindSafe(|| read_unguarded(format, name, hash, bytes, zone, now)))
        .unwrap_or_else(|_| Err(Unreadable("it is damaged in a way that was not foreseen".to_owned())))
}

fn read_unguarded(
    format: Format,
    name: &str,
    hash: ContentHash,
    bytes: &[u8],
    zone: Tz,
    now: Instant,
) -> Result<ReadFile, Unreadable> {
    let (recorded, days, newest) = match format {
        Format::Fit => {
            let file = fit::read(bytes, zone)?;
            (file.activities, file.days, file.newest)
        }
        Format::Tcx => (tracks::read_tcx(bytes, zone)?, Vec::new(), None),
        Format::Gpx => (tracks::read_gpx(bytes, zone)?, Vec::new(), None),
    };
    let mut file = ReadFile {
        reports: Vec::new(),
        days: Vec::new(),
        original: None,
        began: None,
        activity_days: Vec::new(),
        flawed: false,
        left_out: Vec::new(),
    };
    for (place, recorded) in recorded.into_iter().enumerate() {
        file.take_activity(format, hash, place, recorded, now);
    }
    file.take_days(days, hash, newest, zone, now);
    if file.reports.is_empty() && file.days.is_empty() && !file.left_out.is_empty() {
        return Err(Unreadable(file.left_out.swap_remove(0)));
    }
    if !file.reports.is_empty() || !file.days.is_empty() {
        file.original = Some(NewOriginal::pack(name, hash, bytes));
    }
    Ok(file)
}

impl ReadFile {
    fn take_activity(
        &mut self,
        format: Format,
        hash: ContentHash,
        place: usize,
        recorded: Recorded,
        now: Instant,
    ) {
        if let Err(why) = plausible(&recorded.activity, now) {
            return self.left_out.push(why);
        }
        let activity = &recorded.activity;
        self.began.get_or_insert(Began { at: activity.started_at, utc_offset_s: activity.utc_offset_s });
        self.activity_days.push(activity.day());
        self.flawed |= recorded.flaws.iter().any(|flaw| flaw.is_damage());
        let key = ReportKey { kind: format.kind(), id: format!("{hash}#{place}") };
        match NewReport::pack(ActivityReport { key, recorded, raw: None }, Some(hash), None) {
            Ok(report) => self.reports.push(report),
            Err(why) => self.left_out.push(why.to_string()),
        }
    }

    fn take_days(
        &mut self,
        days: Vec<DailyWellness>,
        hash: ContentHash,
        newest: Option<Instant>,
        zone: Tz,
        now: Instant,
    ) {
        for wellness in days {
            if !has_come(wellness.day, now, zone) {
                self.left_out.push(format!("it speaks of {}, which has not come yet", wellness.day));
                continue;
            }
            // A watch writes several files a day; each speaks until its last reading.
            let part = hash.to_string();
            self.days.push(DayReport { kind: SourceKind::Fit, part, wellness, as_of: newest, raw: None });
        }
    }
}

/// Whether a day can have been reported on. The athlete may be a day ahead of their zone.
pub(crate) fn has_come(day: Day, now: Instant, zone: Tz) -> bool {
    day <= Day::at(now, zone).next()
}

/// Whether an activity can have happened: a clock set wrong must not bend years of training.
pub(crate) fn plausible(activity: &Activity, now: Instant) -> Result<(), String> {
    let day = activity.day();
    // The athlete may be a day ahead of this machine.
    if activity.started_at > now + TimeDelta::days(1) {
        return Err(format!("it is dated {day}, which has not come yet"));
    }
    let oldest: Day = "1990-01-01".parse().expect("a day");
    if day < oldest {
        return Err(format!("it is dated {day}, before any watch recorded"));
    }
    Ok(())
}
