//! The list of activities in a Strava bulk export, `activities.csv`.
//!
//! It is read by the place of its columns: five headings stand there twice, and all of them in the athlete's
//! language. What the list tells is little beside the files it names, which the caller joins to it by
//! [`Row::filename`]; and its dates are without a zone, so a file's own time is to be preferred.

use crate::error::ParseError;
use crate::files::entry_budget::{self, BudgetedReader, EntryBudget};
use crate::fit::clean_text;
use crate::outcome::ReadOutcome;
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

/// One activity of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Strava's number for it.
    pub id: String,
    /// The file it came from, as the export names it: `activities/123.fit.gz`. Never a path to open.
    pub filename: Option<String>,
    /// What the list says. The date is taken to be in UTC.
    pub activity: ParsedActivity,
    /// The line itself.
    pub raw: String,
}

/// More than any description that somebody wrote.
const MAX_ROW_BYTES: usize = 1 << 20;
const HEART_RATES: RangeInclusive<f64> = 20.0..=250.0;
const POWERS: RangeInclusive<f64> = 1.0..=3000.0;

/// Places of columns. The first block is for people, in their units; the second, from `ELAPSED` on, is exact.
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

/// Whether a path from [`walk`](crate::files::walk()) is the list of a bulk export.
#[must_use]
pub fn recognise(path: &str) -> bool {
    path.rsplit(['/', '\\']).next() == Some("activities.csv")
}

/// Reads the list and hands over its rows. Local days are those of `zone`.
///
/// # Errors
/// When it is not such a list; the reason is a sentence. A list that breaks off after its first rows is no error:
/// [`Summary::broken_off`] has the reason.
pub fn read(reader: &mut dyn Read, zone: Tz, sink: &mut dyn FnMut(Row)) -> Result<ReadOutcome, ParseError> {
    let allowance = EntryBudget::new(MAX_ROW_BYTES);
    let metered = BudgetedReader { inner: reader, budget: &allowance };
    let mut lines = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(metered);
    let mut record = ByteRecord::new();
    let mut summary = ReadOutcome::default();
    if !lines.read_byte_record(&mut record).map_err(to_parse_error)? {
        return Err(ParseError::new("it is empty"));
    }
    if !is_header(&record) {
        return Err(ParseError::new("it is not the list of activities of a Strava export"));
    }
    let columns = record.len();
    loop {
        allowance.refill();
        match lines.read_byte_record(&mut record) {
            Ok(false) => return summary.finish(Ok(())),
            Err(error) => return summary.finish(Err(to_parse_error(error))),
            // Half a number is a number too: the last row is believed only when it is whole.
            Ok(true) if allowance.is_at_end() && record.len() < columns => {
                return summary.finish(Err(ParseError::new("it ends in the middle")));
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
        csv::ErrorKind::Io(error) => entry_budget::to_parse_error(&error),
        _ => ParseError::new("it is damaged"),
    }
}

/// In any language the headings of elapsed time and distance stand there twice; a short list is known in English.
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
        return Err("has no activity id");
    }
    let started_at = text(column::DATE).and_then(|text| date(&text)).ok_or("has no date that can be read")?;
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
        // Of runners nothing says whether it is of one leg or both.
        avg_cadence: positive(column::AVG_CADENCE).filter(|rate| sport == Sport::Cycling && *rate < 255.0),
        energy_kcal: positive(column::CALORIES).filter(|kcal| *kcal <= 1e5).map(|kcal| kcal.round() as u32),
        ..Activity::new(sport, started_at, utc_offset_seconds(zone, started_at))
    };
    let recorded = ParsedActivity { has_local_time: false, ..ParsedActivity::without_samples(activity) };
    let filename = text(column::FILENAME).and_then(|text| clean_text(&text));
    Ok(Row { id, filename, activity: recorded, raw: to_csv_line(record) })
}

/// The record as a line of CSV.
fn to_csv_line(record: &ByteRecord) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = writer.write_byte_record(record).ok().and_then(|()| writer.into_inner().ok());
    // No database keeps a NUL.
    String::from_utf8_lossy(&written.unwrap_or_default()).trim_end_matches('\n').replace('\0', "\u{fffd}")
}

/// A number with a point, or with the comma that half the world writes.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let text = if text.contains('.') { text.replace(',', "") } else { text.replace(',', ".") };
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A date in UTC as Strava writes it in English, or in numbers the other way round.
fn date(text: &str) -> Option<Instant> {
    const FORMATS: [&str; 6] = [
        "%B %d, %Y, %I:%M:%S %p",
        "%B %d, %Y, %H:%M:%S",
        "%d %B %Y, %H:%M:%S",
        "%d %B %Y at %H:%M:%S",
        "%d.%m.%Y, %H:%M:%S",
        "%d.%m.%Y %H:%M:%S",
    ];
    // Newer exports have a narrow space before AM and PM; the Czech ones have spaces in the date.
    let text = text.trim().replace(['\u{a0}', '\u{202f}'], " ").replace(". ", ".").replace("Sept ", "Sep ");
    let written = FORMATS.iter().find_map(|format| NaiveDateTime::parse_from_str(&text, format).ok());
    plausible(written.map_or_else(|| parse_time(&text), |at| Some(at.and_utc().timestamp_millis()))?)
}

#[cfg(test)]
mod tests;
