//! Parses one file into database records. CPU-bound; does not touch the database.

use chrono::TimeDelta;
use chrono_tz::Tz;
use fitness_core::domain::activity::Activity;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::source_record::{
    DayRecord, ParseCounts, ParsedActivity, RecordKey, SourceKind, SourceRecord,
};
use fitness_core::domain::wellness::{DailyWellness, DayReadings};
use fitness_sources::fit::{self, AthleteReport, FitFile};
use fitness_sources::{ParseError, tracks};
use fitness_store::{PackedOriginalFile, PackedRecord};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Maximum size of a recording. 24 hours at one sample per second fit in any format.
pub(crate) const MAX_FILE_BYTES: u64 = 40 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Fit,
    Tcx,
    Gpx,
}

impl Format {
    pub(crate) fn from_file_name(name: &str) -> Option<Self> {
        let (_, ending) = name.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "fit" => Some(Self::Fit),
            "tcx" => Some(Self::Tcx),
            "gpx" => Some(Self::Gpx),
            _ => None,
        }
    }

    /// Detects the format of files without a known extension.
    pub(crate) fn from_content(bytes: &[u8]) -> Option<Self> {
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

    /// Name for the import receipt.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Fit => "FIT files",
            Self::Tcx => "TCX files",
            Self::Gpx => "GPX files",
        }
    }

    const fn source_kind(self) -> SourceKind {
        match self {
            Self::Fit => SourceKind::Fit,
            Self::Tcx => SourceKind::Tcx,
            Self::Gpx => SourceKind::Gpx,
        }
    }
}

/// A parsed file, ready to be stored.
#[derive(Debug)]
pub(crate) struct ParsedFile {
    pub(crate) reports: Vec<PackedRecord>,
    pub(crate) days: Vec<DayRecord>,
    /// Thresholds and zones of the day of its activity.
    pub(crate) athlete: AthleteReport,
    /// `None` if there was nothing to import.
    pub(crate) original: Option<PackedOriginalFile>,
    /// Start of the first activity, for a Strava list that names the file.
    pub(crate) start: Option<ActivityStart>,
    /// Start days of its activities.
    pub(crate) activity_days: Vec<Day>,
    pub(crate) is_damaged: bool,
    /// What the parser dropped or corrected.
    pub(crate) counts: ParseCounts,
    pub(crate) skip_reasons: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ActivityStart {
    pub(crate) at: Instant,
    pub(crate) utc_offset_s: i32,
}

/// Parses one file. A panic in a parser affects only this file.
pub(crate) fn parse_file(
    format: Format,
    name: &str,
    hash: ContentHash,
    bytes: &[u8],
    zone: Tz,
    now: Instant,
) -> Result<ParsedFile, ParseError> {
    catch_unwind(AssertUnwindSafe(|| parse_uncaught(format, name, hash, bytes, zone, now)))
        .unwrap_or_else(|_| Err(ParseError("unexpected error in this file; please report it".to_owned())))
}

fn parse_uncaught(
    format: Format,
    name: &str,
    hash: ContentHash,
    bytes: &[u8],
    zone: Tz,
    now: Instant,
) -> Result<ParsedFile, ParseError> {
    let read = match format {
        Format::Fit => fit::read(bytes, zone)?,
        Format::Tcx => FitFile { activities: tracks::read_tcx(bytes, zone)?, ..FitFile::default() },
        Format::Gpx => FitFile { activities: tracks::read_gpx(bytes, zone)?, ..FitFile::default() },
    };
    let FitFile { activities: recorded, days, readings, newest, athlete, .. } = read;
    let mut file = ParsedFile {
        reports: Vec::new(),
        days: Vec::new(),
        athlete: AthleteReport::default(),
        original: None,
        start: None,
        activity_days: Vec::new(),
        is_damaged: false,
        counts: ParseCounts::default(),
        skip_reasons: Vec::new(),
    };
    for (place, recorded) in recorded.into_iter().enumerate() {
        file.add_activity(format, hash, place, recorded, now);
    }
    // If the clock was wrong, so is the day of the thresholds.
    if !file.reports.is_empty() && file.skip_reasons.is_empty() {
        file.athlete = athlete;
    }
    file.add_days(days, readings, hash, newest, zone, now);
    if file.reports.is_empty() && file.days.is_empty() && !file.skip_reasons.is_empty() {
        return Err(ParseError(file.skip_reasons.swap_remove(0)));
    }
    if !file.reports.is_empty() || !file.days.is_empty() {
        file.original = Some(PackedOriginalFile::pack(name, hash, bytes));
    }
    Ok(file)
}

impl ParsedFile {
    fn add_activity(
        &mut self,
        format: Format,
        hash: ContentHash,
        place: usize,
        recorded: ParsedActivity,
        now: Instant,
    ) {
        if let Err(why) = check_plausible_start(&recorded.activity, now) {
            return self.skip_reasons.push(why);
        }
        let activity = &recorded.activity;
        self.start
            .get_or_insert(ActivityStart { at: activity.started_at, utc_offset_s: activity.utc_offset_s });
        self.activity_days.push(activity.day());
        self.counts.add(recorded.counts);
        self.is_damaged |= recorded.flaws.iter().any(|flaw| flaw.is_damage());
        let key = RecordKey { kind: format.source_kind(), id: format!("{hash}#{place}") };
        match PackedRecord::pack(SourceRecord { key, parsed: recorded, raw: None }, Some(hash), None) {
            Ok(report) => self.reports.push(report),
            Err(why) => self.skip_reasons.push(why.to_string()),
        }
    }

    fn add_days(
        &mut self,
        days: Vec<DailyWellness>,
        mut readings: BTreeMap<Day, DayReadings>,
        hash: ContentHash,
        newest: Option<Instant>,
        zone: Tz,
        now: Instant,
    ) {
        for wellness in days {
            if !is_plausible_day(wellness.day, now, zone) {
                self.skip_reasons.push(format!("dated {}, in the future", wellness.day));
                continue;
            }
            // A watch writes several files per day; each covers the time up to its last reading.
            let part = hash.to_string();
            self.days.push(DayRecord {
                kind: SourceKind::Fit,
                dataset: part,
                readings: readings.remove(&wellness.day),
                wellness,
                as_of: newest,
                raw: None,
            });
        }
    }
}

/// Not in the future. The athlete may be a day ahead of their configured zone.
pub(crate) fn is_plausible_day(day: Day, now: Instant, zone: Tz) -> bool {
    day <= Day::at(now, zone).next()
}

/// Rejects activities with impossible dates, which come from wrong device clocks.
pub(crate) fn check_plausible_start(activity: &Activity, now: Instant) -> Result<(), String> {
    let day = activity.day();
    // The athlete's time zone may be a day ahead.
    if activity.started_at > now + TimeDelta::days(1) {
        return Err(format!("dated {day}, in the future"));
    }
    let oldest: Day = "1990-01-01".parse().expect("a day");
    if day < oldest {
        return Err(format!("dated {day}, before 1990"));
    }
    Ok(())
}
