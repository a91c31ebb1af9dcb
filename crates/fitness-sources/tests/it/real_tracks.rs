//! Parses all shared real GPX and TCX files.

use crate::shared_files::{files, folder, skip};
use chrono_tz::Tz;
use fitness_sources::tracks::{read_gpx, read_tcx};

#[test]
fn every_real_track_is_read_or_refused_with_reason() {
    let Some(folder) = folder("activity-files") else {
        return skip(
            "every_real_track_is_read_or_refused_with_reason",
            "the shared activity files are not here",
        );
    };
    let (mut read, mut refused) = (0, Vec::new());
    for path in files(&folder, &["gpx", "tcx"]) {
        let bytes = std::fs::read(&path).unwrap();
        let gpx = path.extension().is_some_and(|extension| extension == "gpx");
        match if gpx { read_gpx(&bytes, Tz::UTC) } else { read_tcx(&bytes, Tz::UTC) } {
            Ok(recorded) => {
                read += 1;
                let samples = |one: &fitness_core::domain::source_record::ParsedActivity| {
                    one.recording.as_ref().map_or(0, |r| r.offsets_ms().len())
                };
                assert!(
                    !recorded.is_empty() && recorded.iter().all(|one| samples(one) > 0),
                    "{}",
                    path.display()
                );
            }
            Err(why) => refused.push(format!("{}: {why}", path.file_name().unwrap().display())),
        }
    }
    println!("{read} read; refused: {refused:#?}");
    let routes =
        |line: &String| line.contains("a route, not an activity") || line.contains("no track points");
    assert!(read >= 9 && refused.iter().all(routes), "{read} read, {refused:#?}");
}
