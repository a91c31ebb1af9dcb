//! FIT files.
//!
//! Message and field numbers come from rustyfit. The decoder is our own for speed: files are mostly
//! record messages, and a general decoder builds a list of values for each. Components are not
//! expanded; a plain field is used if its enhanced counterpart is missing. A wrong checksum is
//! recorded as a flaw and does not reject the file. If a file ends early, everything before that is
//! kept.
//!
//! Start at [`read`]. `messages.rs` decodes messages, `activity.rs` builds activities from them,
//! `wellness.rs` days, `athlete.rs` thresholds and zones; `write.rs` writes files.

mod activity;
mod athlete;
mod device_metrics;
mod devices;
mod heart_rate_messages;
mod messages;
mod samples;
mod values;
mod wellness;
pub mod write;

use crate::error::ParseError;
use activity::ActivityBuilder;
use athlete::AthleteBuilder;
pub use athlete::AthleteReport;
use chrono_tz::Tz;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::source_record::{Flaw, ParsedActivity};
use fitness_core::domain::stream::Channel;
use fitness_core::domain::wellness::{DailyWellness, DayReadings};
use heart_rate_messages::HeartRateMessages;
use messages::Message;
use rustyfit::profile::{mesgdef, typedef};
use std::collections::BTreeMap;
use values::FitFields;
pub(crate) use values::clean_text;
use wellness::{ParsedDays, WellnessBuilder};

/// Content of a FIT file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FitFile {
    /// In the order of the sessions.
    pub activities: Vec<ParsedActivity>,
    /// Daily values: steps, sleep, resting heart rate and others.
    pub days: Vec<DailyWellness>,
    /// Thresholds and zones that the device used for its activities.
    pub athlete: AthleteReport,
    /// Readings of these days, from which most values were computed.
    pub readings: BTreeMap<Day, DayReadings>,
    /// Time of the newest daily value.
    pub newest: Option<Instant>,
    /// File type, such as `activity` or `settings`.
    pub kind: Option<String>,
    /// Number of record messages, usable or not.
    pub records: usize,
}

impl FitFile {
    /// Adds the days of one file of a chain.
    fn add_days(&mut self, parsed: ParsedDays) {
        self.newest = self.newest.max(parsed.newest);
        for (wellness, readings) in parsed.days {
            let day = wellness.day;
            let all = self.readings.entry(day).or_default();
            all.merge(&readings);
            match self.days.iter_mut().find(|known| known.day == day) {
                None => self.days.push(wellness),
                Some(known) => {
                    known.merge(wellness);
                    all.fill(known);
                }
            }
        }
    }
}

/// Header length: size, protocol, profile, data length, `.FIT`.
const SHORT_HEADER: usize = 12;
/// Header length with a checksum, which is often zero.
const LONG_HEADER: usize = 14;
const CHECKSUM: usize = 2;
/// Maximum number of chained FIT files in one file; devices write a few.
const MAX_SEQUENCES: usize = 1000;

/// Reads a FIT file, also a chained one. `zone` applies to files that record no local time.
///
/// # Errors
/// If it is not a FIT file or contains nothing usable.
pub fn read(bytes: &[u8], zone: Tz) -> Result<FitFile, ParseError> {
    let mut file = FitFile::default();
    let mut rest = bytes;
    let mut problem = None;
    // A strap's heart rate is often in another file of the chain than the records.
    let mut heart_rate = HeartRateMessages::default();
    let mut gathered_activities = Vec::new();
    for _ in 0..MAX_SEQUENCES {
        let Some(sequence) = FitFileInChain::split(rest) else { break };
        rest = sequence.rest;
        let (mut gathered, mut days) = (ActivityBuilder::default(), WellnessBuilder::default());
        let mut athlete = AthleteBuilder::default();
        let broken = messages::for_each_message(sequence.data, |message| {
            gathered.add_message(message);
            days.add_message(message);
            athlete.add_message(message);
            heart_rate.add_message(message);
        });
        let cut = broken || sequence.checksum.is_none();
        file.kind = file.kind.or_else(|| gathered.kind());
        file.records += gathered.records();
        let mut flaws = Vec::new();
        if cut {
            flaws.push(Flaw::CutShort);
        } else if !sequence.is_checksum_valid() {
            flaws.push(Flaw::BadChecksum);
        }
        gathered_activities.push((gathered, athlete, flaws));
        match days.into_days(zone) {
            Ok(days) => file.add_days(days),
            Err(why) => problem = Some(why),
        }
    }
    heart_rate.sort();
    for (gathered, athlete, flaws) in gathered_activities {
        match gathered.into_activities(zone, &heart_rate, &flaws) {
            Ok(activities) => file.add_activities(activities, athlete),
            Err(why) => problem = Some(why),
        }
    }
    if rest.len() == bytes.len() {
        return Err(ParseError::new("not a FIT file"));
    }
    match problem {
        _ if !file.activities.is_empty() || !file.days.is_empty() => Ok(file),
        Some(why) => Err(why),
        // Settings, courses and workouts have a type and are ignored.
        None if file.kind.is_none() => Err(ParseError::new("no file type and no data")),
        None => Ok(file),
    }
}

impl FitFile {
    fn add_activities(&mut self, activities: Vec<ParsedActivity>, athlete: AthleteBuilder) {
        if let Some(first) = activities.first() {
            let has_power = first.recording.as_ref().is_some_and(|r| r.column(Channel::Power).is_some());
            let report = athlete.into_report(first.activity.day(), first.activity.sport, has_power);
            self.athlete.thresholds.extend(report.thresholds);
            self.athlete.zones.extend(report.zones);
        }
        self.activities.extend(activities);
    }
}

/// One FIT file of a chain.
struct FitFileInChain<'a> {
    header: &'a [u8],
    data: &'a [u8],
    /// Stored at the end; `None` if the file ends before it.
    checksum: Option<u16>,
    rest: &'a [u8],
}

impl<'a> FitFileInChain<'a> {
    /// Splits off the first sequence; `None` without a header.
    fn split(bytes: &'a [u8]) -> Option<Self> {
        let size = usize::from(*bytes.first()?);
        if size != SHORT_HEADER && size != LONG_HEADER {
            return None;
        }
        let (header, rest) = bytes.split_at_checked(size)?;
        if header.get(8..12)? != b".FIT" {
            return None;
        }
        let declared = u32::from_le_bytes(header.get(4..8)?.try_into().ok()?);
        // A device that lost power never wrote the length; then everything after the header is
        // data.
        let declared = if declared == 0 {
            rest.len().saturating_sub(CHECKSUM)
        } else {
            usize::try_from(declared).ok()?
        };
        let Some((data, rest)) = rest.split_at_checked(declared) else {
            return Some(Self { header, data: rest, checksum: None, rest: &[] });
        };
        let checksum = rest.get(..CHECKSUM).map(|c| u16::from_le_bytes([c[0], c[1]]));
        Some(Self { header, data, checksum, rest: rest.get(CHECKSUM..).unwrap_or_default() })
    }

    fn is_checksum_valid(&self) -> bool {
        self.checksum == Some(crc(crc(0, self.header), self.data))
    }
}

/// CRC-16/ARC (reflected polynomial 0xA001), eight bytes at a time. Byte by byte it would take a
/// fifth of the decoding time.
pub(crate) fn crc(start: u16, bytes: &[u8]) -> u16 {
    /// Contribution of a byte to the checksum when `n` more bytes follow it, for `TABLES[n]`.
    const TABLES: [[u16; 256]; 8] = {
        let mut tables = [[0; 256]; 8];
        let mut i = 0;
        while i < 256 {
            let mut value = i as u16;
            let mut bit = 0;
            while bit < 8 {
                value = if value & 1 == 1 { (value >> 1) ^ 0xA001 } else { value >> 1 };
                bit += 1;
            }
            tables[0][i] = value;
            i += 1;
        }
        let mut i = 256;
        while i < 8 * 256 {
            let before = tables[i / 256 - 1][i % 256];
            tables[i / 256][i % 256] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            i += 1;
        }
        tables
    };
    let (eights, rest) = bytes.as_chunks::<8>();
    let crc = eights.iter().fold(start, |crc, eight| {
        let [low, high] = crc.to_le_bytes();
        let [a, b, c, d, e, f, g, h] = eight.map(usize::from);
        let (a, b) = (a ^ usize::from(low), b ^ usize::from(high));
        let early = TABLES[7][a] ^ TABLES[6][b] ^ TABLES[5][c] ^ TABLES[4][d];
        early ^ TABLES[3][e] ^ TABLES[2][f] ^ TABLES[1][g] ^ TABLES[0][h]
    });
    rest.iter().fold(crc, |crc, byte| (crc >> 8) ^ TABLES[0][usize::from((crc as u8) ^ byte)])
}

fn file_kind(message: &Message<'_>) -> Option<String> {
    let kind = FitFields::new(message).integer(mesgdef::FileId::TYPE)?;
    Some(typedef::File(u8::try_from(kind).ok()?).to_string())
}

/// Numbers and strings of every message of one kind, by field. For tests of written files.
#[cfg(test)]
pub(crate) fn decode_messages(bytes: &[u8], kind: typedef::MesgNum) -> Vec<DecodedMessage> {
    let sequence = FitFileInChain::split(bytes).unwrap();
    assert!(sequence.is_checksum_valid() && sequence.rest.is_empty());
    let mut all = Vec::new();
    let broken = messages::for_each_message(sequence.data, |message| {
        if message.number() == kind {
            let fields = FitFields::new(message);
            let numbers = message.fields().filter_map(|(n, _)| Some((n, fields.integer(n)?))).collect();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
            let texts = message.fields().map(|(n, field)| (n, text(field.bytes))).collect();
            all.push(DecodedMessage { numbers, texts });
        }
    });
    assert!(!broken);
    all
}

#[cfg(test)]
pub(crate) struct DecodedMessage {
    pub(crate) numbers: std::collections::BTreeMap<u8, i64>,
    pub(crate) texts: std::collections::BTreeMap<u8, String>,
}

#[cfg(test)]
mod tests;
