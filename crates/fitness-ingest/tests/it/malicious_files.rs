//! Broken and malicious files are skipped with one reason each. Guarantee 8. More cases are in
//! `fitness-sources`.

use crate::fixtures::{demo_export, reimport};
use fitness_store::on_both_databases;
use std::io::Write as _;

on_both_databases! {
    async fn each_bad_file_is_skipped_with_one_reason(db) {
        let ann = db.user("Ann").await;
        let folder = tempfile::TempDir::new().unwrap();
        let run = demo_export().files.iter().find(|path| path.extension().is_some_and(|e| e == "fit")).unwrap();
        let good = std::fs::read(run).unwrap();
        let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
        let deep = "[".repeat(100_000);
        let bad: &[(&str, &[u8])] = &[
            ("empty.fit", b""),
            ("page.fit", b"<!doctype html><html><body>Sign in</body></html>"),
            ("x_summarizedActivities.json", b"<!doctype html><html><body>Sign in</body></html>"),
            ("y_summarizedActivities.json", deep.as_bytes()),
            ("z_sleepData.json", b"[{\"calendarDate\": "),
            ("bomb.gpx", b"<!DOCTYPE x [<!ENTITY a 'b'>]><gpx>&a;</gpx>"),
            ("names.tcx", b"<TrainingCenterDatabase><Activities></Activities></TrainingCenterDatabase>"),
            ("broken.zip", b"PK\x03\x04 and nothing else"),
            ("page.zip", b"<!doctype html><html><body>Sign in</body></html>"),
        ];
        for (name, bytes) in bad {
            put(name, bytes);
        }
        put("good.fit", &good);
        // The same run with a NUL and an escape sequence in its name.
        let mut zip = zip::ZipWriter::new(std::fs::File::create(folder.path().join("odd.zip")).unwrap());
        zip.start_file("DI_CONNECT/a_summarizedActivities.json", zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(br#"[{"summarizedActivitiesExport":[{"activityId":1,"name":"a\u0000b\u001b[31m","activityType":"running",
            "beginTimestamp":1780000000000,"startTimeGmt":1780000000000,"duration":1800000,"distance":500000}]}]"#).unwrap();
        zip.finish().unwrap();
        let outcome = reimport(&db.store, ann, &[folder.path().to_owned()]).await;
        let mut named: Vec<&str> = outcome.skipped.iter().map(|skip| skip.path.rsplit('/').next().unwrap()).collect();
        named.sort_unstable();
        let mut expected: Vec<&str> = bad.iter().map(|(name, _)| *name).collect();
        expected.sort_unstable();
        assert_eq!(named, expected, "{:#?}", outcome.skipped);
        assert!(outcome.skipped.iter().all(|skip| !skip.reason.is_empty()));
        assert_eq!(outcome.added, 2, "{outcome:?}");
    }
}
