//! `activities.csv` of a Strava bulk export.
//!
//! Columns are read by position, because headings are in the athlete's language and five of them
//! appear twice. Dates have no time zone, so the caller prefers the time in the file that
//! [`Row::filename`] names.

use crate::entry_counts::ReadOutcome;
use crate::error::ParseError;
use crate::files::list_entry_limit::{self, EntryByteBudget, EntryLimitReader};
use crate::fit::clean_text;
use crate::sports;
use crate::tracks::{parse_time, plausible};
use chrono::NaiveDateTime;
use chrono_tz::Tz;
use csv::ByteRecord;
use fitness_core::domain::activity::Activity;
use fitness_core::domain::calendar::{Instant, utc_offset_seconds};
use fitness_core::domain::source_record::ParsedActivity;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use std::io::Read;
use std::ops::RangeInclusive;

#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub id: String,
    /// File name in the export, such as `activities/123.fit.gz`. Never a path to open.
    pub filename: Option<String>,
    /// The date is read as UTC.
    pub activity: ParsedActivity,
    pub raw: String,
}

/// Longer than any real description.
const MAX_ROW_BYTES: usize = 1 << 20;
const HEART_RATES: RangeInclusive<f64> = 20.0..=250.0;
const POWERS: RangeInclusive<f64> = 1.0..=3000.0;

/// Column positions. The first columns are rounded, in display units; those from `ELAPSED` on are
/// exact.
mod column {
    pub(super) const ID: usize = 0;
    pub(super) const DATE: usize = 1;
    pub(super) const NAME: usize = 2;
    pub(super) const TYPE: usize = 3;
    pub(super) const DISPLAY_ELAPSED: usize = 5;
    pub(super) const DISPLAY_KM: usize = 6;
    pub(super) const DISPLAY_MAX_HEART_RATE: usize = 7;
    pub(super) const FILENAME: usize = 12;
    pub(super) const ELAPSED: usize = 15;
    pub(super) const MOVING: usize = 16;
    pub(super) const METERS: usize = 17;
    pub(super) const ASCENT: usize = 20;
    pub(super) const DESCENT: usize = 21;
    pub(super) const AVG_CADENCE: usize = 29;
    pub(super) const MAX_HEART_RATE: usize = 30;
    pub(super) const AVG_HEART_RATE: usize = 31;
    pub(super) const MAX_POWER: usize = 32;
    pub(super) const AVG_POWER: usize = 33;
    pub(super) const CALORIES: usize = 34;
}

/// Whether a path from [`walk`](crate::files::walk()) is the `activities.csv` of a bulk export.
#[must_use]
pub fn recognise(path: &str) -> bool {
    path.rsplit(['/', '\\']).next() == Some("activities.csv")
}

/// Passes each row to `sink`. Local days are in `zone`.
///
/// # Errors
/// If it is not such a list. A list that ends early after some rows is not an error; the reason is
/// in [`ReadOutcome::read_error`].
pub fn read(reader: &mut dyn Read, zone: Tz, sink: &mut dyn FnMut(Row)) -> Result<ReadOutcome, ParseError> {
    let allowance = EntryByteBudget::new(MAX_ROW_BYTES);
    let metered = EntryLimitReader { inner: reader, budget: &allowance };
    let mut lines = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(metered);
    let mut record = ByteRecord::new();
    let mut summary = ReadOutcome::default();
    if !lines.read_byte_record(&mut record).map_err(to_parse_error)? {
        return Err(ParseError::new("empty file"));
    }
    if !is_header(&record) {
        return Err(ParseError::new("not the activities.csv of a Strava export"));
    }
    let columns = record.len();
    loop {
        allowance.refill();
        match lines.read_byte_record(&mut record) {
            Ok(false) => return summary.finish(Ok(())),
            Err(error) => return summary.finish(Err(to_parse_error(error))),
            // A cut-off number still parses, so an incomplete last row is rejected.
            Ok(true) if allowance.is_at_end() && record.len() < columns => {
                return summary.finish(Err(ParseError::new("the file ends unexpectedly")));
            }
            Ok(true) => match parse_row(&record, zone) {
                Ok(row) => {
                    summary.accepted += 1;
                    sink(row);
                }
                Err(why) => summary.skip(why),
            },
        }
    }
}

fn to_parse_error(error: csv::Error) -> ParseError {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => list_entry_limit::to_parse_error(&error),
        _ => ParseError::new("invalid CSV"),
    }
}

/// In any language, the headings of elapsed time and distance appear twice. Short lists are
/// recognised only in English.
fn is_header(record: &ByteRecord) -> bool {
    let heading = |at| record.get(at).filter(|text| !text.is_empty());
    let twice = |at: usize, again: usize| heading(at).is_some() && heading(at) == heading(again);
    let english = heading(column::ID).is_some_and(|text| text.ends_with(b"Activity ID"))
        && heading(column::FILENAME) == Some(b"Filename");
    let repeated =
        twice(column::DISPLAY_ELAPSED, column::ELAPSED) && twice(column::DISPLAY_KM, column::METERS);
    repeated || (english && record.len() <= column::ELAPSED)
}

fn parse_row(record: &ByteRecord, zone: Tz) -> Result<Row, &'static str> {
    let text = |at| record.get(at).map(String::from_utf8_lossy);
    let id = text(column::ID).map(|id| id.trim().to_owned()).unwrap_or_default();
    if !(1..=20).contains(&id.len()) || !id.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("no activity id");
    }
    let started_at = text(column::DATE).and_then(|text| date(&text)).ok_or("no readable date")?;
    let number = |at| text(at).and_then(|text| number(&text));
    let positive = |at| number(at).filter(|number| *number > 0.0);
    let whole = |at, range: RangeInclusive<f64>| {
        number(at).filter(|number| range.contains(number)).map(|number| number.round() as u16)
    };
    let meters = |at| number(at).and_then(Distance::from_meters);
    let time = |at| positive(at).and_then(TimeSpan::from_seconds);
    let (sport, sub_sport) = sports::from_word(&text(column::TYPE).unwrap_or_default());
    let activity = Activity {
        sub_sport: sub_sport.as_deref().and_then(clean_text),
        name: text(column::NAME).and_then(|text| clean_text(&text)),
        elapsed: time(column::ELAPSED).or_else(|| time(column::DISPLAY_ELAPSED)),
        moving: time(column::MOVING),
        distance: positive(column::METERS)
            .and_then(Distance::from_meters)
            .or_else(|| positive(column::DISPLAY_KM).and_then(Distance::from_km)),
        ascent: meters(column::ASCENT),
        descent: meters(column::DESCENT),
        avg_heart_rate: whole(column::AVG_HEART_RATE, HEART_RATES),
        max_heart_rate: whole(column::MAX_HEART_RATE, HEART_RATES)
            .or_else(|| whole(column::DISPLAY_MAX_HEART_RATE, HEART_RATES)),
        avg_power: whole(column::AVG_POWER, POWERS),
        max_power: whole(column::MAX_POWER, POWERS),
        // For running, the file does not say whether one or both legs are counted.
        avg_cadence: positive(column::AVG_CADENCE).filter(|rate| sport == Sport::Cycling && *rate < 255.0),
        energy_kcal: positive(column::CALORIES).filter(|kcal| *kcal <= 1e5).map(|kcal| kcal.round() as u32),
        ..Activity::new(sport, started_at, utc_offset_seconds(zone, started_at))
    };
    let recorded = ParsedActivity { has_local_time: false, ..ParsedActivity::without_samples(activity) };
    let filename = text(column::FILENAME).and_then(|text| clean_text(&text));
    Ok(Row { id, filename, activity: recorded, raw: to_csv_line(record) })
}

fn to_csv_line(record: &ByteRecord) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = writer.write_byte_record(record).ok().and_then(|()| writer.into_inner().ok());
    // PostgreSQL cannot store NUL.
    String::from_utf8_lossy(&written.unwrap_or_default()).trim_end_matches('\n').replace('\0', "\u{fffd}")
}

/// A number with a decimal point or comma.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let text = if text.contains('.') { text.replace(',', "") } else { text.replace(',', ".") };
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A UTC date in one of Strava's formats.
fn date(text: &str) -> Option<Instant> {
    const FORMATS: [&str; 6] = [
        "%B %d, %Y, %I:%M:%S %p",
        "%B %d, %Y, %H:%M:%S",
        "%d %B %Y, %H:%M:%S",
        "%d %B %Y at %H:%M:%S",
        "%d.%m.%Y, %H:%M:%S",
        "%d.%m.%Y %H:%M:%S",
    ];
    // Newer exports have a narrow no-break space before AM and PM, Czech ones spaces in the date.
    let text = text.trim().replace(['\u{a0}', '\u{202f}'], " ").replace(". ", ".").replace("Sept ", "Sep ");
    let written = FORMATS.iter().find_map(|format| NaiveDateTime::parse_from_str(&text, format).ok());
    plausible(written.map_or_else(|| parse_time(&text), |at| Some(at.and_utc().timestamp_millis()))?)
}

#[cfg(test)]
mod tests;
