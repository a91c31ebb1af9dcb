//! Files of the demo athlete: walked as an archive, and decoded by Garmin's SDK.

use crate::archive_fixtures::{TempFolder, VisitRecord};
use crate::real_fit_files::{agrees, garmin_reader_results};
use crate::shared_files::skip;
use chrono_tz::Tz;
use fitness_demo::DemoAthlete;
use fitness_sources::files::ReadLimits;
use fitness_sources::fit;
use std::fs;
use std::io::Cursor;

fn demo(weeks: u32) -> DemoAthlete {
    DemoAthlete { weeks, ..DemoAthlete::new(1, "2026-11-15".parse().unwrap(), Tz::Europe__Zurich) }
}

#[test]
fn demo_export_is_walked_like_any_archive() {
    let (mut out, mut told) = (Cursor::new(Vec::new()), Vec::new());
    let written = demo(4).export(&mut out, &mut |done, total| told.push((done, total))).unwrap();
    let folder = TempFolder::new(&[("export.zip", out.get_ref())]);
    let seen = folder.walk(&ReadLimits::default());
    let refused: Vec<&VisitRecord> = seen.iter().filter(|(_, what)| what.is_err()).collect();
    assert!(refused.is_empty(), "{refused:?}");
    let count = |word: &str| seen.iter().filter(|(path, _)| path.contains(word)).count();
    // One settings file per month.
    let uploads = count("UploadedFiles_0-_Part1.zip!/demo@example.invalid_");
    assert_eq!((uploads, count(".fit")), (written.activities + 1, written.activities + 1));
    assert_eq!(told.last(), Some(&(uploads, uploads)));
    assert_eq!((written.parts, count("_0_summarizedActivities.json"), count("UDSFile_")), (1, 1, 1));
    assert!(written.records > 20_000 && written.fit_bytes < 30 * written.records as u64, "{written:?}");
}

#[test]
fn garmin_sdk_agrees_on_demo_files() {
    // Weeks with a race, recovery and base training.
    let files: Vec<_> = demo(5).files().map(Result::unwrap).collect();
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let folder = TempFolder::new(&files);
    let paths: Vec<String> =
        files.iter().map(|(name, _)| folder.path().join(name).display().to_string()).collect();
    let Some(official) = garmin_reader_results(&paths) else {
        let reason = "Garmin's FIT SDK for Python (garmin-fit-sdk) is not installed";
        return skip("garmin_sdk_agrees_on_demo_files", reason);
    };
    assert_eq!(official.len(), paths.len(), "no errors in any file");
    for (path, official) in &official {
        let ours = fit::read(&fs::read(path).unwrap(), Tz::UTC).unwrap();
        assert_eq!(agrees(&ours, official), Ok(()), "{path}");
    }
}
