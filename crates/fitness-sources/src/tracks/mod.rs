//! GPX and TCX parsers.
//!
//! Both use the bounded XML reader in `xml.rs`. A parser fills an `ActivityDraft` per activity and
//! adds it to `ParsedTracks`, which turns it into a [`ParsedActivity`] or records why that failed.

mod gpx;
mod samples;
mod tcx;
mod xml;

pub use gpx::read_gpx;
pub(crate) use samples::instant as plausible;
pub use tcx::read_tcx;

use crate::error::ParseError;
use chrono::{DateTime, NaiveDate};
use chrono_tz::Tz;
use fitness_core::domain::activity::{Activity, Lap};
use fitness_core::domain::calendar::{Instant, utc_offset_seconds};
use fitness_core::domain::source_record::{Details, Flaw, ParsedActivity};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::stream::Channel;
use fitness_core::domain::units::{Distance, TimeSpan};
use samples::{MAX_SPAN_MS, Sample, Samples, instant, to_u16};
use std::iter::Sum;
use std::ops::Range;
use xml::XmlError;

/// More than any exporter writes into one file.
const MAX_ACTIVITIES: usize = 1000;

/// Activities of a file, and reasons if there are none.
#[derive(Debug)]
pub(crate) struct ParsedTracks {
    zone: Tz,
    activities: Vec<ParsedActivity>,
    has_points: bool,
    has_times: bool,
    misdated: Option<i64>,
}

impl ParsedTracks {
    pub(crate) fn new(zone: Tz) -> Self {
        Self { zone, activities: Vec::new(), has_points: false, has_times: false, misdated: None }
    }

    /// Adds an activity, also an incomplete one. One without a dated point is ignored.
    pub(crate) fn add_draft(&mut self, draft: ActivityDraft) {
        self.has_points |= draft.samples.has_points;
        self.misdated = self.misdated.or(draft.samples.misdated);
        if self.activities.len() < MAX_ACTIVITIES {
            self.activities.extend(draft.into_activity(self.zone));
        }
    }

    /// Records a point outside of any activity.
    pub(crate) fn note_sample(&mut self, sample: &Sample) {
        self.has_points = true;
        self.has_times |= sample.at.is_some();
    }

    pub(crate) fn finish(mut self, end: Result<(), XmlError>) -> Result<Vec<ParsedActivity>, ParseError> {
        let cut = match end {
            Err(XmlError::Refused(reason)) => return Err(reason),
            Err(XmlError::Truncated) => true,
            Ok(()) => false,
        };
        if let Some(last) = self.activities.last_mut() {
            if cut {
                last.flaws.insert(0, Flaw::CutShort);
            }
            return Ok(self.activities);
        }
        Err(ParseError::new(if let Some(at) = self.misdated {
            let date = DateTime::from_timestamp_millis(at).map(|at| at.date_naive().to_string());
            format!(
                "dated {}: the device clock was wrong",
                date.as_deref().unwrap_or("in an impossible year")
            )
        } else if cut {
            "damaged or incomplete before the first point with a time".to_owned()
        } else if !self.has_points {
            "no track points".to_owned()
        } else if !self.has_times {
            "a route, not an activity: its points have no times".to_owned()
        } else {
            "not an activity: no track".to_owned()
        }))
    }
}

/// An activity while it is being read.
#[derive(Debug, Default)]
pub(crate) struct ActivityDraft {
    pub(crate) sport: Option<Sport>,
    pub(crate) sub_sport: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) device: Option<String>,
    /// Candidate start times, in order of preference; the first that fits the points is used.
    pub(crate) starts: [Option<i64>; 2],
    pub(crate) energy_kcal: Option<u32>,
    pub(crate) laps: Vec<Lap>,
    pub(crate) samples: Samples,
}

impl ActivityDraft {
    /// `None` without a dated point.
    fn into_activity(self, zone: Tz) -> Option<ParsedActivity> {
        let (mut samples, laps) = (self.samples, self.laps);
        let (_, last) = samples.span()?;
        let start = samples.start(&self.starts)?;
        let started_at = instant(start)?;
        let end =
            laps.iter().filter_map(lap_end).filter(|end| *end <= start + MAX_SPAN_MS).fold(last, i64::max);
        let elapsed = TimeSpan::from_ms(end - start);
        let (covered, lapped) = (samples.distance(), total(&laps, |lap| lap.distance));
        let mean = |of: fn(&Lap) -> Option<u16>, channel| {
            lap_mean(&laps, |lap| of(lap).map(f64::from)).or_else(|| samples.mean(channel)).and_then(to_u16)
        };
        let highest_of_laps = laps.iter().filter_map(|lap| lap.max_heart_rate).max();
        let mut flaws = Vec::new();
        if laps.iter().all(|lap| lap.elapsed.is_none() && lap.distance.is_none()) {
            flaws.push(Flaw::NoSummary);
        }
        if samples.out_of_order || samples.misdated.is_some() {
            flaws.push(Flaw::OutOfOrder);
        }
        let activity = Activity {
            sport: self.sport.unwrap_or(Sport::Other),
            sub_sport: self.sub_sport,
            name: self.name,
            started_at,
            utc_offset_s: utc_offset_seconds(zone, started_at),
            elapsed: Some(elapsed),
            // Lap times are timer times, which exclude pauses.
            moving: total(&laps, |lap| lap.elapsed).map(|timer| timer.min(elapsed)),
            // Some exporters write 0 although the points have a distance.
            distance: lapped.filter(|lapped| *lapped > Distance::ZERO).or(covered).or(lapped),
            ascent: None,
            descent: None,
            avg_heart_rate: mean(|lap| lap.avg_heart_rate, Channel::HeartRate),
            max_heart_rate: highest_of_laps.or_else(|| samples.max(Channel::HeartRate)),
            avg_power: mean(|lap| lap.avg_power, Channel::Power),
            max_power: samples.max(Channel::Power),
            avg_cadence: lap_mean(&laps, |lap| lap.avg_cadence).or_else(|| samples.mean_cadence()),
            energy_kcal: self.energy_kcal,
            device: self.device,
            laps,
            ..Activity::new(Sport::Other, started_at, 0)
        };
        let recording = Some(samples.into_recording(start));
        Some(ParsedActivity {
            activity,
            // Both formats use UTC.
            has_local_time: false,
            recording,
            details: Details::default(),
            race: false,
            flaws,
        })
    }
}

fn lap_end(lap: &Lap) -> Option<i64> {
    Some(lap.started_at.timestamp_millis() + lap.elapsed?.ms())
}

/// Sum over all laps; `None` if a lap lacks the value or there are no laps.
fn total<T: Sum>(laps: &[Lap], of: impl Fn(&Lap) -> Option<T>) -> Option<T> {
    if laps.is_empty() { None } else { laps.iter().map(of).sum() }
}

/// Mean over all laps, weighted by duration; `None` if a lap lacks the value.
fn lap_mean(laps: &[Lap], of: impl Fn(&Lap) -> Option<f64>) -> Option<f64> {
    let (mut sum, mut time) = (0.0, 0.0);
    for lap in laps {
        let seconds = lap.elapsed?.seconds();
        sum += of(lap)? * seconds;
        time += seconds;
    }
    (time > 0.0).then(|| sum / time)
}

/// Parses a timestamp to milliseconds since the Unix epoch. UTC if it has no zone.
pub(crate) fn parse_time(text: &str) -> Option<i64> {
    parse_common_time(text.as_bytes()).or_else(|| {
        let unusual: Option<Instant> = text.parse().ok();
        unusual.map(|at| at.timestamp_millis())
    })
}

/// `2026-06-14T10:00:00`, optionally with a fraction and a zone. Every point has a timestamp, and
/// chrono is nine times slower.
fn parse_common_time(text: &[u8]) -> Option<i64> {
    let (clock, rest) = text.split_at_checked(19)?;
    let [_, _, _, _, b'-', _, _, b'-', _, _, b'T' | b' ', _, _, b':', _, _, b':', _, _] = clock else {
        return None;
    };
    let two = |at: usize| digits(clock, at..at + 2);
    let date = NaiveDate::from_ymd_opt(i32::try_from(digits(clock, 0..4)?).ok()?, two(5)?, two(8)?)?;
    let (fraction, zone) = match rest.split_first() {
        Some((b'.' | b',', rest)) => {
            rest.split_at(rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len()))
        }
        _ => (&[][..], rest),
    };
    // Truncated to milliseconds.
    let padded = [0, 1, 2].map(|at| fraction.get(at).copied().unwrap_or(b'0'));
    let local = date.and_hms_milli_opt(two(11)?, two(14)?, two(17)?, digits(&padded, 0..3)?)?;
    let offset_minutes = match *zone {
        [] | [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let minutes = i64::from(digits(zone, 1..3)? * 60 + digits(zone, 4..6)?);
            if sign == b'-' { -minutes } else { minutes }
        }
        _ => return None,
    };
    Some(local.and_utc().timestamp_millis() - offset_minutes * 60_000)
}

fn digits(text: &[u8], range: Range<usize>) -> Option<u32> {
    text.get(range)?
        .iter()
        .try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0')))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    type ParseTrackFn = fn(&[u8], Tz) -> Result<Vec<ParsedActivity>, ParseError>;

    fn points(recorded: &[ParsedActivity]) -> usize {
        recorded.iter().filter_map(|r| r.recording.as_ref()).map(|r| r.offsets_ms().len()).sum()
    }

    /// Truncates a valid file at every byte and damages it in thousands of ways: no panic, no extra
    /// point, and truncation is always flagged.
    pub(crate) fn assert_survives_damage(file: &str, read: ParseTrackFn) {
        let whole = read(file.as_bytes(), Tz::UTC).unwrap();
        let root_closes = file.rfind("</").unwrap() + file[file.rfind("</").unwrap()..].find('>').unwrap();
        for cut in 0..file.len() {
            match read(&file.as_bytes()[..cut], Tz::UTC) {
                Ok(recorded) => {
                    assert!(points(&recorded) <= points(&whole));
                    let told = recorded.last().unwrap().flaws.contains(&Flaw::CutShort);
                    assert_eq!(told, cut <= root_closes, "cut at {cut}");
                }
                Err(reason) => assert!(!reason.to_string().is_empty()),
            }
        }
        // Deterministic LCG from Numerical Recipes.
        let mut state = 1_u32;
        let mut random = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        for _ in 0..5000 {
            let mut bytes = file.as_bytes().to_vec();
            for _ in 0..=random(3) {
                let at = random(bytes.len());
                match random(4) {
                    0 => bytes[at] ^= 1 << random(8),
                    1 => bytes[at] = b"<>&;/!?[]'\"-9eNZ\0"[random(17)],
                    2 => drop(bytes.drain(at..(at + random(40)).min(bytes.len()))),
                    _ => {
                        let from = random(bytes.len());
                        let piece = bytes[from..(from + random(200)).min(bytes.len())].to_vec();
                        bytes.splice(at..at, piece);
                    }
                }
            }
            // Must return, with or without an error.
            let _answer = read(&bytes, Tz::UTC);
        }
    }

    #[test]
    fn common_time_formats_are_parsed() {
        for (text, utc) in [
            ("2026-06-14T10:00:00Z", "2026-06-14T10:00:00Z"),
            ("2026-06-14T10:00:00", "2026-06-14T10:00:00Z"),
            ("2026-06-14 10:00:00z", "2026-06-14T10:00:00Z"),
            ("2026-06-14T10:00:00.5Z", "2026-06-14T10:00:00.500Z"),
            ("2026-06-14T10:00:00.0259999", "2026-06-14T10:00:00.025Z"),
            ("2026-06-14T10:00:00.000+02:00", "2026-06-14T08:00:00Z"),
            ("2026-06-14T23:30:00-05:45", "2026-06-15T05:15:00Z"),
            ("2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z"),
            // Parsed by chrono.
            ("2016-12-31T23:59:60Z", "2016-12-31T23:59:60Z"),
            ("2026-06-14T10:00:00+0200", "2026-06-14T08:00:00Z"),
        ] {
            let utc: Instant = utc.parse().unwrap();
            assert_eq!(parse_time(text), Some(utc.timestamp_millis()), "{text}");
        }
        for bad in [
            "",
            "yesterday",
            "2026-06-14",
            "2026-02-30T10:00:00Z",
            "2026-06-14T24:00:00Z",
            "2026-06-14T10:00:00X",
            "2026-06-14T1O:00:00Z",
            "2026-06-14T10:00:00+2:00",
            "ä026-06-14T10:00:00Z",
        ] {
            assert_eq!(parse_time(bad), None, "{bad}");
        }
    }
}
