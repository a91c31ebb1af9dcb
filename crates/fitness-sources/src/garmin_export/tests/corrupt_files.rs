//! Broken, malicious and very large files.

use super::*;
use std::cell::Cell;
use std::io::{self, Read};

fn error_message(dataset: GarminDataset, bytes: &[u8]) -> String {
    let answer = read(dataset, &mut &*bytes, Tz::UTC, &mut |told| panic!("{told:?}"));
    answer.unwrap_err().to_string()
}

#[test]
fn file_that_is_not_an_export_is_refused_with_reason() {
    for dataset in [GarminDataset::Activities, GarminDataset::DailySummaries] {
        for (text, why) in [
            ("<!DOCTYPE html><html>Sign in</html>", "an HTML page, not JSON"),
            ("  \r\n<html>", "an HTML page, not JSON"),
            ("", "empty file"),
            ("\u{feff} \n", "empty file"),
            ("PK\u{3}\u{4}", "not JSON"),
            ("\"text\"", "not JSON"),
            (
                "[7, null, \"x\"",
                if dataset == GarminDataset::Activities {
                    "JSON, but not in the format of a Garmin account export"
                } else {
                    "the file ends unexpectedly"
                },
            ),
            ("[[1], [2]]", "JSON, but not in the format of a Garmin account export"),
            ("[{", "the file ends unexpectedly"),
            ("[\n{]", "invalid JSON in line 2"),
            ("{\"a\":1", "the file ends unexpectedly"),
        ] {
            assert_eq!(error_message(dataset, text.as_bytes()), why, "{text}");
        }
    }
    for wrong in [r#"{"summarizedActivitiesExport":7}"#, r#"{"summarizedActivitiesExport":{"a":1}}"#] {
        let why = error_message(GarminDataset::Activities, wrong.as_bytes());
        assert_eq!(why, "JSON, but not in the format of a Garmin account export");
    }
    for empty in [
        "[]",
        r#"[{"summarizedActivitiesExport":[]}]"#,
        r#"[{"summarizedActivitiesExport":null}]"#,
        "\u{feff}[ ]\n",
    ] {
        assert_eq!(
            records_in(GarminDataset::Activities, empty, Tz::UTC),
            (Vec::new(), ReadOutcome::default())
        );
    }
}

#[test]
fn read_error_is_reported() {
    struct FailingReader;
    impl Read for FailingReader {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }
    let answer = read(GarminDataset::Sleep, &mut FailingReader, Tz::UTC, &mut |_| {});
    assert_eq!(answer.unwrap_err().to_string(), "permission denied");
    let mut half = b"[{\"calendarDate\":\"2026-05-01\",\"totalSteps\":5},".chain(FailingReader);
    let mut told = 0;
    let summary = read(GarminDataset::DailySummaries, &mut half, Tz::UTC, &mut |_| told += 1).unwrap();
    assert_eq!((told, summary.accepted), (1, 1));
    assert_eq!(summary.read_error.unwrap().to_string(), "permission denied");
}

/// Two rows of each kind of dataset.
#[test]
fn truncated_file_gives_complete_entries() {
    let activities = r#"[{"summarizedActivitiesExport":[{"activityId":1,"name":"é\u00e9","beginTimestamp":1777615200000},
        {"activityId":2,"avgHr":-Infinity,"beginTimestamp":1777615200000}],"more":[1]}]"#;
    let nights = r#"[{"calendarDate":"2026-05-01","deepSleepSeconds":600},
        {"calendarDate":"2026-05-02","deepSleepSeconds":600.5e0}]"#;
    for (dataset, text) in [(GarminDataset::Activities, activities), (GarminDataset::Sleep, nights)] {
        let whole = records(dataset, text);
        assert_eq!(whole.len(), 2);
        let row_ends: Vec<usize> = text.match_indices('}').map(|(at, _)| at + 1).take(2).collect();
        for cut in 0..text.len() {
            let mut seen = Vec::new();
            let answer = read(dataset, &mut &text.as_bytes()[..cut], Tz::UTC, &mut |one| seen.push(one));
            let expected = row_ends.iter().filter(|end| **end <= cut).count();
            assert_eq!(seen, whole[..expected], "cut at {cut}");
            let why = match answer {
                Ok(summary) => {
                    assert_eq!(summary.accepted, expected);
                    summary.read_error.unwrap()
                }
                Err(why) => why,
            };
            let sentence = if cut == 0 { "empty file" } else { "the file ends unexpectedly" };
            assert_eq!(why.to_string(), sentence, "cut at {cut}");
        }
    }
}

#[test]
fn corrupt_file_never_panics() {
    let text = r#"[{"summarizedActivitiesExport":[{"activityId":1,"name":"x","beginTimestamp":1777615200000,
        "splits":[{"startTimeGMT":1,"measurements":[{"value":NaN}]}],"calendarDate":[2026,5,1],"deepSleepSeconds":9}]}]"#;
    // Deterministic LCG from Numerical Recipes.
    let mut state = 1_u32;
    let mut random = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    for round in 0..4000 {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=random(3) {
            let at = random(bytes.len());
            match random(3) {
                0 => bytes[at] ^= 1 << random(8),
                1 => bytes[at] = b"{}[],:\"\\-NIe9\0\xff"[random(15)],
                _ => drop(bytes.drain(at..(at + random(30)).min(bytes.len()))),
            }
        }
        let dataset =
            [GarminDataset::Activities, GarminDataset::Sleep, GarminDataset::DailySummaries][round % 3];
        // Must return, with or without an error.
        let _answer = read(dataset, &mut &*bytes, Tz::UTC, &mut |_| {});
    }
}

#[test]
fn deep_nesting_does_not_overflow() {
    let deep = 100_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = format!("{}7{}", open.repeat(deep), close.repeat(deep));
        for dataset in [GarminDataset::Activities, GarminDataset::DailySummaries, GarminDataset::UserProfile]
        {
            let mut seen = 0;
            let answer = read(dataset, &mut nested.as_bytes(), Tz::UTC, &mut |_| seen += 1);
            assert_eq!(seen, 0);
            assert!(answer.is_err() || answer.is_ok_and(|summary| summary.accepted == 0));
            let open_ended = open.repeat(deep);
            assert_eq!(error_message(dataset, open_ended.as_bytes()), "the file ends unexpectedly");
        }
        let within = format!(
            r#"[{{"calendarDate":"2026-05-01","totalSteps":5,"allDayStress":{nested},"restingHeartRate":{nested}}},
            {nested},{{"calendarDate":{nested}}},{{"calendarDate":"2026-05-02","totalSteps":6}}]"#
        );
        let (told, summary) = records_in(GarminDataset::DailySummaries, &within, Tz::UTC);
        assert_eq!((told.len(), summary.skipped, summary.read_error), (2, 2, None));
    }
}

/// Generates a list while it is read: the same row until the byte count is reached.
struct RepeatingReader<'a> {
    row: &'a [u8],
    bytes: usize,
    written: &'a Cell<usize>,
}

impl Read for RepeatingReader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        const HEAD: &[u8] = br#"[{"summarizedActivitiesExport":["#;
        const TAIL: &[u8] = b"{}]}]";
        let at = self.written.get();
        let rows = self.bytes.div_ceil(self.row.len()) * self.row.len();
        let read = match at.checked_sub(HEAD.len()) {
            None => (&HEAD[at..]).read(buf)?,
            Some(at) if at < rows => (&self.row[at % self.row.len()..]).read(buf)?,
            Some(at) => TAIL.get(at - rows..).unwrap_or_default().read(buf)?,
        };
        self.written.set(at + read);
        Ok(read)
    }
}

#[test]
fn large_file_is_streamed() {
    let padding = "1234567,".repeat(25_000);
    let row = format!(r#"{{"activityId":1,"beginTimestamp":1777615200000,"splits":[{padding}0]}},"#);
    // Smaller in debug builds, where 150 MiB would take most of a minute.
    let (written, bytes) = (Cell::new(0), if cfg!(debug_assertions) { 12 << 20 } else { 150 << 20 });
    let mut generated = RepeatingReader { row: row.as_bytes(), bytes, written: &written };
    let (mut seen, mut taken) = (0, 0);
    let summary = read(GarminDataset::Activities, &mut generated, Tz::UTC, &mut |told| {
        let ImportedRecord::Activity(report) = told else { panic!() };
        let raw = report.raw.unwrap();
        seen += 1;
        taken += raw.len() + 1;
        // At most the current row and a read-ahead buffer are in memory.
        assert!(written.get() < taken + (64 << 10), "row {seen}");
        assert!(raw.capacity() <= row.len());
    })
    .unwrap();
    let rows = bytes.div_ceil(row.len());
    assert_eq!((seen, summary.accepted, summary.skipped, summary.read_error), (rows, rows, 1, None));
}

#[test]
fn endless_row_is_refused() {
    struct EndlessReader(u64);
    impl Read for EndlessReader {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            buf.fill(b'x');
            self.0 += buf.len() as u64;
            Ok(buf.len())
        }
    }
    for (dataset, head) in [
        (GarminDataset::DailySummaries, &br#"[{"calendarDate":"2026-05-01","totalSteps":5},{"uuid":""#[..]),
        (GarminDataset::DailySummaries, br#"[{"calendarDate":"2026-05-01","totalSteps":5},""#),
        (GarminDataset::Activities, br#"[{"activityId":1,"beginTimestamp":1777615200000},{"name":""#),
        (
            GarminDataset::Activities,
            br#"[{"summarizedActivitiesExport":[{"activityId":1,"beginTimestamp":1777615200000}],"more":""#,
        ),
    ] {
        let mut endless = EndlessReader(0);
        let summary = read(dataset, &mut head.chain(&mut endless), Tz::UTC, &mut |_| {}).unwrap();
        assert_eq!(summary.accepted, 1);
        assert_eq!(summary.read_error.unwrap().to_string(), "an entry is longer than 4 MiB");
        let read = endless.0 as usize;
        assert!(
            (json_list::MAX_ELEMENT_BYTES..json_list::MAX_ELEMENT_BYTES + (64 << 10))
                .contains(&(read + head.len())),
            "{read}"
        );
    }
}

#[test]
fn pending_days_are_flushed_above_the_memory_limit() {
    let padding = "x".repeat(1 << 20);
    let first = fitness_core::domain::calendar::Day::new(2020, 1, 1).unwrap();
    let rows: Vec<String> = (0..20)
        .map(|at| {
            format!(r#"{{"calendarDate":"{}","deepSleepSeconds":600,"x":"{padding}"}}"#, first.plus_days(at))
        })
        .collect();
    let json = format!("[{}]", rows.join(","));
    let (told, at_half) = (Cell::new(0), Cell::new(0));
    let (first, second) = json.as_bytes().split_at(json.len() / 2);
    let mut reader =
        first.chain(NotifyingReader { inner: second, note: || at_half.set(told.get().max(at_half.get())) });
    let summary =
        read(GarminDataset::Sleep, &mut reader, Tz::UTC, &mut |_| told.set(told.get() + 1)).unwrap();
    assert_eq!((told.get(), summary.accepted), (20, 20));
    assert!(at_half.get() >= 16, "{} told while reading", at_half.get());
}

/// Calls a function on every read.
struct NotifyingReader<'a, F> {
    inner: &'a [u8],
    note: F,
}

impl<F: FnMut()> Read for NotifyingReader<'_, F> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        (self.note)();
        self.inner.read(buf)
    }
}
