//! Fuzzes GPX and TCX: known elements in any order and depth, with invalid content.

use super::{ZONE, check_activity, check_reason, one_in, pick, raw, up_to};
use crate::error::ParseError;
use crate::tracks::{read_gpx, read_tcx};
use arbitrary::Unstructured;
use fitness_core::domain::source_record::ParsedActivity;

const GPX: [&str; 16] = [
    "trkpt",
    "trkpt",
    "trkpt",
    "trk",
    "trkseg",
    "time",
    "time",
    "ele",
    "extensions",
    "hr",
    "cad",
    "speed",
    "type",
    "name",
    "wpt",
    "power",
];
const TCX: [&str; 26] = [
    "Trackpoint",
    "Trackpoint",
    "Trackpoint",
    "Time",
    "Time",
    "Activities",
    "Activity",
    "Id",
    "Lap",
    "Lap",
    "Track",
    "TotalTimeSeconds",
    "DistanceMeters",
    "Calories",
    "AverageHeartRateBpm",
    "Value",
    "Intensity",
    "Cadence",
    "LX",
    "AvgWatts",
    "Position",
    "LatitudeDegrees",
    "LongitudeDegrees",
    "RunCadence",
    "Creator",
    "Name",
];
const WORDS: [&str; 26] = [
    "2026-06-14T10:00:00Z",
    "2026-06-14T10:00:01.5Z",
    "2026-06-14T12:00:05+02:00",
    "2026-06-14T23:59:60Z",
    "1970-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "+262142-12-31T23:59:59Z",
    "-2026-06-14T10:00:00Z",
    "2026-06-14T10:00:00+99:99",
    "2026-06-14",
    "0",
    "-1",
    "47.5",
    "181",
    "1e308",
    "-1e308",
    "NaN",
    "inf",
    "99999999999999999999",
    "0x10",
    "&amp;",
    "&#0;",
    "&#x10FFFF;",
    "&bomb;",
    "Running",
    "<![CDATA[7]]>",
];

/// Reads a track generated from fuzzer input, in both formats.
pub fn tracks(bytes: &[u8]) {
    let Some((how, rest)) = bytes.split_first() else { return };
    let text = if how % 4 == 0 {
        rest.to_vec()
    } else {
        let mut u = Unstructured::new(rest);
        if one_in(&mut u, 2) { document(&mut u, "gpx", &GPX) } else { document(&mut u, TCX_ROOT, &TCX) }
    };
    check(read_gpx(&text, ZONE));
    check(read_tcx(&text, ZONE));
}

const TCX_ROOT: &str = "TrainingCenterDatabase";

fn check(read: Result<Vec<ParsedActivity>, ParseError>) {
    match read {
        Err(why) => check_reason(&why.0),
        Ok(recorded) => {
            assert!(!recorded.is_empty(), "nothing at all is a refusal");
            recorded.iter().for_each(check_activity);
        }
    }
}

fn document(u: &mut Unstructured<'_>, root: &str, names: &[&str]) -> Vec<u8> {
    let mut text = String::new();
    match up_to(u, 12) {
        1 => text.push('\u{feff}'),
        2 => text.push_str("<?xml version=\"1.0\" encoding=\"UTF-16\"?>"),
        3 => text.push_str("<!DOCTYPE x [<!ENTITY bomb \"boom\">]>"),
        4 => text.push_str("<!-- -- -->"),
        _ => text.push_str("<?xml version=\"1.0\"?>"),
    }
    text.push_str(&format!("<{root} xmlns=\"x\">"));
    let mut open: Vec<&str> = Vec::new();
    for _ in 0..400 {
        if u.is_empty() {
            break;
        }
        match up_to(u, 15) {
            0..=4 => {
                let name = pick(u, names);
                let spelled = if one_in(u, 8) { format!("a:{name}") } else { name.to_owned() };
                text.push_str(&format!("<{spelled}"));
                if one_in(u, 2) {
                    let (lat, lon) = (pick(u, &WORDS), pick(u, &["8.1", "-180", "1e400", "", "x"]));
                    text.push_str(&format!(" lat=\"{lat}\" lon='{lon}' Sport=\"{}\"", pick(u, &WORDS)));
                }
                if spelled == name {
                    open.push(name);
                    text.push('>');
                } else {
                    text.push_str("/>");
                }
            }
            // A complete element.
            5..=9 => {
                let (name, word) = (pick(u, names), pick(u, &WORDS));
                text.push_str(&format!("<{name}>{word}</{name}>"));
            }
            10 => text.push_str(pick(u, &WORDS)),
            11 => text.push_str(&String::from_utf8_lossy(raw(u, 12))),
            12 if one_in(u, 4) => text.push_str(pick(u, &["<", ">", "<!", "<?", "</", "]]>", "<a b", "&"])),
            // Valid points, as a watch writes them.
            13 => {
                let (at, hour) = (up_to(u, 59), up_to(u, 23));
                let time = format!("2026-06-14T{hour:02}:00:{at:02}Z");
                text.push_str(&if root == "gpx" {
                    format!("<trkpt lat=\"47.{at}\" lon=\"8.{hour}\"><time>{time}</time><hr>120</hr></trkpt>")
                } else {
                    format!(
                        "<Trackpoint><Time>{time}</Time><DistanceMeters>{at}</DistanceMeters></Trackpoint>"
                    )
                });
            }
            _ => {
                if let Some(name) = open.pop() {
                    text.push_str(&format!("</{name}>"));
                }
            }
        }
    }
    if !one_in(u, 6) {
        for name in open.iter().rev() {
            text.push_str(&format!("</{name}>"));
        }
        text.push_str(&format!("</{root}>"));
    }
    if one_in(u, 10) { text.encode_utf16().flat_map(u16::to_le_bytes).collect() } else { text.into_bytes() }
}
