//! FIT files, the format devices write.
//!
//! The names and numbers of messages and fields are rustyfit's; the decoding is our own, as ten years of files are
//! mostly records and a general decoder makes a list of values of each. Components are not expanded, which rounds: a
//! plain field stands in for its enhanced twin where that is missing. A wrong checksum is a flaw and never a refusal.
//! Whatever was read before a file breaks off is kept.
//!
//! Start reading at [`read`]; `messages.rs` takes the bytes apart, `activity.rs` turns messages into activities,
//! `wellness.rs` into days. What is written is written with `write.rs`.

mod activity;
mod messages;
mod samples;
mod values;
mod wellness;
pub mod write;

use crate::error::ParseError;
use activity::ActivityBuilder;
use chrono_tz::Tz;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::source_record::{Flaw, ParsedActivity};
use fitness_core::domain::wellness::DailyWellness;
use messages::Message;
use rustyfit::profile::{mesgdef, typedef};
use values::Fields;
pub(crate) use values::clean_text;
use wellness::WellnessBuilder;

/// What a FIT file held.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FitFile {
    /// Activities, in the order of their sessions.
    pub activities: Vec<ParsedActivity>,
    /// What it knows of days: steps, nights, resting heart rate and the like.
    pub days: Vec<DailyWellness>,
    /// When the newest of what it knows of days was recorded.
    pub newest: Option<Instant>,
    /// What kind of file it said it was, such as `activity` or `settings`.
    pub kind: Option<String>,
    /// How many record messages there were, usable or not.
    pub records: usize,
}

/// The header every sequence begins with: size, protocol, profile, length of the data, `.FIT`.
const SHORT_HEADER: usize = 12;
/// A later header, with a checksum of its own (often left at zero).
const LONG_HEADER: usize = 14;
const CHECKSUM: usize = 2;
/// Files one behind the other in one file; devices write a few.
const MAX_SEQUENCES: usize = 1000;

/// Reads a FIT file, chained ones included. Times without a local clock are taken to be in `zone`.
///
/// # Errors
/// When it is no FIT file, or nothing in it can be used; the reason is a sentence.
pub fn read(bytes: &[u8], zone: Tz) -> Result<FitFile, ParseError> {
    let mut file = FitFile::default();
    let mut rest = bytes;
    let mut problem = None;
    for _ in 0..MAX_SEQUENCES {
        let Some(sequence) = Sequence::split(rest) else { break };
        rest = sequence.rest;
        let (mut gathered, mut days) = (ActivityBuilder::default(), WellnessBuilder::default());
        let broken = messages::for_each_message(sequence.data, |message| {
            gathered.add_message(message);
            days.add_message(message);
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
        match gathered.into_activities(zone, &flaws) {
            Ok(activities) => file.activities.extend(activities),
            Err(why) => problem = Some(why),
        }
        match days.into_days(zone) {
            Ok((days, newest)) => {
                file.days.extend(days);
                file.newest = file.newest.max(newest);
            }
            Err(why) => problem = Some(why),
        }
    }
    if rest.len() == bytes.len() {
        return Err(ParseError::new("it is not a FIT file"));
    }
    match problem {
        _ if !file.activities.is_empty() || !file.days.is_empty() => Ok(file),
        Some(why) => Err(why),
        // Settings, courses and workouts say what they are, and are passed over in silence.
        None if file.kind.is_none() => Err(ParseError::new("it says neither what it is nor anything else")),
        None => Ok(file),
    }
}

/// One FIT file within a chain of them.
struct Sequence<'a> {
    header: &'a [u8],
    data: &'a [u8],
    /// As stored at the end; `None` when the file breaks off before it.
    checksum: Option<u16>,
    rest: &'a [u8],
}

impl<'a> Sequence<'a> {
    /// Splits the first sequence off; `None` when there is no header.
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
        // A device that lost power never came back to write the length down; then all there is, is data.
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

    /// Whether the stored checksum is that of header and data.
    fn is_checksum_valid(&self) -> bool {
        self.checksum == Some(crc(crc(0, self.header), self.data))
    }
}

/// CRC-16 with the reflected polynomial 0xA001, which FIT uses. Eight bytes at a time: one by one each byte would wait
/// for the one before it, which takes as long as a fifth of the decoding.
pub(crate) fn crc(start: u16, bytes: &[u8]) -> u16 {
    /// What a byte adds to the checksum when so many more bytes follow it.
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

/// The file's own word for what it is.
fn file_kind(message: &Message<'_>) -> Option<String> {
    let kind = Fields::new(message).integer(mesgdef::FileId::TYPE)?;
    Some(typedef::File(u8::try_from(kind).ok()?).to_string())
}

/// The numbers and texts of every message of one kind, by field: for tests of what was written.
#[cfg(test)]
pub(crate) fn decode_messages(bytes: &[u8], kind: typedef::MesgNum) -> Vec<DecodedMessage> {
    let sequence = Sequence::split(bytes).unwrap();
    assert!(sequence.is_checksum_valid() && sequence.rest.is_empty());
    let mut all = Vec::new();
    let broken = messages::for_each_message(sequence.data, |message| {
        if message.number() == kind {
            let fields = Fields::new(message);
            let numbers = message.fields().filter_map(|(n, _)| Some((n, fields.integer(n)?))).collect();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
            let texts = message.fields().map(|(n, field)| (n, text(field.bytes))).collect();
            all.push(DecodedMessage { numbers, texts });
        }
    });
    assert!(!broken);
    all
}

/// See [`written`].
#[cfg(test)]
pub(crate) struct DecodedMessage {
    pub(crate) numbers: std::collections::BTreeMap<u8, i64>,
    pub(crate) texts: std::collections::BTreeMap<u8, String>,
}

#[cfg(test)]
mod tests;
