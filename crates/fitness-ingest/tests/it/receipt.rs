//! The import receipt: everything found is imported, already imported, or left out by name.

use crate::fixtures::{clock, demo_export, reimport};
use fitness_ingest::{ImportOutcome, ImportRequest, StopSignal, import};
use fitness_store::on_both_databases;
use fitness_store::testkit::{Backend, TestDb, june};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn assert_balanced(outcome: &ImportOutcome) {
    for (kind, line) in &outcome.receipt.lines {
        assert!(line.files.is_balanced() && line.records.is_balanced(), "{kind}: {line:?}");
        assert_eq!(line.records.imported, line.became.values().sum::<u64>(), "{kind}: {line:?}");
    }
}

/// Random lists of entry numbers, the same in every run.
fn random_entries(cases: usize, kinds: usize) -> Vec<Vec<usize>> {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = proptest::collection::vec(0..kinds, 0..20);
    (0..cases).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

/// A list of a Garmin export: good entries with their own day, and bad ones.
fn daily_summary(kind: usize, number: usize) -> String {
    let day = june(1).plus_days(number as i64 % 13);
    match kind {
        0 => format!(r#"{{"calendarDate":"{day}","totalSteps":900,"restingHeartRate":50}}"#),
        1 => r#"{"totalSteps":1}"#.to_owned(),
        2 => format!(r#"{{"calendarDate":"{day}"}}"#),
        3 => r#"{"calendarDate":"2090-01-01","totalSteps":900,"restingHeartRate":50}"#.to_owned(),
        _ => "7".to_owned(),
    }
}

fn activity_entry(kind: usize, number: usize) -> String {
    let id = number + 1;
    let start = 1_780_300_000_000_i64 + number as i64 * 7_200_000;
    match kind {
        0 => format!(
            r#"{{"activityId":{id},"activityType":"running","beginTimestamp":{start},"duration":600000}}"#
        ),
        1 => r#"{"activityType":"running"}"#.to_owned(),
        2 => format!(r#"{{"activityId":{id},"activityType":"running","beginTimestamp":4000000000000}}"#),
        _ => "null".to_owned(),
    }
}

fn gpx(kind: usize, number: usize) -> String {
    let point = |hour: usize, minute: usize| {
        format!(
            r#"<trkpt lat="47.1" lon="8.{minute}"><time>2026-06-{:02}T{hour:02}:{minute:02}:00Z</time></trkpt>"#,
            1 + number % 13
        )
    };
    match kind {
        0 => format!(r#"<gpx><trk><trkseg>{}{}</trkseg></trk></gpx>"#, point(8, 0), point(8, 30)),
        1 => "<gpx></gpx>".to_owned(),
        2 => "not XML".to_owned(),
        _ => format!(r#"<gpx><trk><trkseg>{}</trkseg></trk></gpx>"#, point(8, 0).replace("2026", "2090")),
    }
}

fn tcx(kind: usize, number: usize) -> String {
    let lap = |day: usize| {
        format!(
            r#"<Activity Sport="Running"><Id>2026-06-{day:02}T06:00:00Z</Id><Lap StartTime="2026-06-{day:02}T06:00:00Z"><TotalTimeSeconds>600</TotalTimeSeconds><DistanceMeters>2000</DistanceMeters><Track><Trackpoint><Time>2026-06-{day:02}T06:00:00Z</Time></Trackpoint><Trackpoint><Time>2026-06-{day:02}T06:10:00Z</Time></Trackpoint></Track></Lap></Activity>"#
        )
    };
    let whole = |content: &str| {
        format!("<TrainingCenterDatabase><Activities>{content}</Activities></TrainingCenterDatabase>")
    };
    match kind {
        0 => whole(&lap(1 + number % 13)),
        1 => whole(""),
        _ => "<TrainingCenterDatabase".to_owned(),
    }
}

async fn check_list(
    db: &TestDb,
    name: &str,
    wrap: (&str, &str),
    entry: fn(usize, usize) -> String,
    kinds: usize,
) {
    for (case, entries) in random_entries(12, kinds).into_iter().enumerate() {
        let folder = tempfile::TempDir::new().unwrap();
        let json: Vec<String> =
            entries.iter().enumerate().map(|(number, kind)| entry(*kind, number)).collect();
        let path = write(folder.path(), name, &format!("{}{}{}", wrap.0, json.join(","), wrap.1));
        let user = db.user(&format!("{name} {case}")).await;
        let outcome = reimport(&db.store, user, &[path]).await;
        assert_balanced(&outcome);
        let line = outcome.receipt.lines.values().next().unwrap();
        if line.files.imported == 1 {
            assert_eq!(line.records.found, entries.len() as u64, "{entries:?}: {line:?}");
            let good = entries.iter().filter(|kind| **kind == 0).count() as u64;
            assert_eq!(line.records.imported, good, "{entries:?}: {line:?}");
        }
        assert_eq!(outcome.receipt.files_found(), 1);
    }
}

async fn check_files(db: &TestDb, extension: &str, content: fn(usize, usize) -> String, kinds: usize) {
    for (case, entries) in random_entries(8, kinds).into_iter().enumerate() {
        let folder = tempfile::TempDir::new().unwrap();
        for (number, kind) in entries.iter().enumerate() {
            // Contents differ, so that every file counts.
            write(
                folder.path(),
                &format!("{number}.{extension}"),
                &format!("{}<!--{number}-->", content(*kind, number)),
            );
        }
        let user = db.user(&format!("{extension} {case}")).await;
        let outcome = reimport(&db.store, user, &[folder.path().to_owned()]).await;
        assert_balanced(&outcome);
        assert_eq!(outcome.receipt.files_found(), entries.len() as u64);
        let good = entries.iter().filter(|kind| **kind == 0).count() as u64;
        let imported: u64 = outcome.receipt.lines.values().map(|line| line.files.imported).sum();
        assert_eq!(imported, good, "{entries:?}: {:?}", outcome.receipt);
    }
}

#[test]
fn records_in_are_stored_or_named_for_every_format() {
    fitness_store::testkit::run("receipts", Backend::Sqlite, async |db: TestDb| {
        check_list(&db, "UDSFile_2026-06-01_2026-06-14.json", ("[", "]"), daily_summary, 5).await;
        check_list(
            &db,
            "7_summarizedActivities.json",
            (r#"[{"summarizedActivitiesExport":["#, "]}]"),
            activity_entry,
            4,
        )
        .await;
        check_files(&db, "gpx", gpx, 4).await;
        check_files(&db, "tcx", tcx, 3).await;
    });
}

on_both_databases! {
    async fn receipt_says_what_became_of_an_account_export_and_its_other_files(db) {
        let ann = db.user("Ann").await;
        let outcome = reimport(&db.store, ann, &[demo_export().zip.clone()]).await;
        assert_balanced(&outcome);
        let fit = &outcome.receipt.lines["FIT files"];
        assert_eq!(fit.became["activity"], demo_export().activities, "{fit:?}");
        assert!(outcome.receipt.lines["Garmin sleep"].became["day"] > 10);
        // The run's summary has it, for the history and for JSON.
        let run = &db.store.list_sync_runs(ann, 1).await.unwrap()[0];
        assert!(format!("{run:?}").contains("Garmin sleep"), "{run:?}");
        let known = ImportRequest { user: ann, paths: vec![demo_export().zip.clone()], reimport: false, count_first: false };
        let again = import(&db.store, known, clock, &mut (), &StopSignal::default()).await.unwrap();
        assert!(!again.is_refused(), "already imported is not refused");
        assert_balanced(&again);
    }

    async fn archive_without_anything_usable_is_refused_and_named(db) {
        let ann = db.user("Ann").await;
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("export.zip");
        let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
        for name in ["apple_health_export/export.xml", "apple_health_export/export_cda.xml", "apple_health_export/electrocardiograms/ecg.csv"] {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(b"<HealthData/>").unwrap();
        }
        zip.finish().unwrap();
        let outcome = reimport(&db.store, ann, &[path]).await;
        assert!(outcome.is_refused(), "{outcome:?}");
        assert_eq!(outcome.summary_sentences(), ["This looks like an Apple Health export. local-fitness can't import any of its files yet."]);
        assert_eq!(outcome.receipt.render(), ["1 Apple Health clinical document files: not supported yet", "1 Apple Health data files: not supported yet", "1 Apple Health electrocardiograms: not supported yet"]);
        let polar = write(folder.path(), "polar/sleep_result_1.json", "{}");
        let outcome = reimport(&db.store, ann, &[polar]).await;
        assert!(outcome.is_refused() && outcome.summary_sentences()[0].contains("a Polar Flow export"), "{outcome:?}");
        let notes = write(folder.path(), "notes/a.txt", "x");
        let outcome = reimport(&db.store, ann, &[notes.parent().unwrap().to_owned()]).await;
        assert!(outcome.is_refused() && outcome.summary_sentences()[0].starts_with("None of the files"), "{outcome:?}");
        std::fs::create_dir(folder.path().join("empty")).unwrap();
        let outcome = reimport(&db.store, ann, &[folder.path().join("empty")]).await;
        assert!(outcome.is_refused() && outcome.summary_sentences()[0].contains("no files"), "{outcome:?}");
    }
}
