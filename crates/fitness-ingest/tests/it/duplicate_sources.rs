//! The same activity from several sources is merged; different activities of a day are not.

use crate::fixtures::{clock, demo_export, reimport, today};
use fitness_core::domain::source_record::SourceKind;
use fitness_store::on_both_databases;
use std::io::Write as _;

on_both_databases! {
    async fn strava_rows_are_merged_with_their_files(db) {
        let ann = db.user("Ann").await;
        let fit = demo_export().files.iter().rfind(|path| path.extension().is_some_and(|e| e == "fit") && std::fs::metadata(path).unwrap().len() > 20_000).unwrap();
        let alone = reimport(&db.store, ann, std::slice::from_ref(fit)).await;
        assert_eq!(alone.added, 1);
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("strava.zip");
        let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file("activities.csv", options).unwrap();
        // The row's date is off by hours, as in exports with local times; the file's time wins.
        zip.write_all(b"Activity ID,Activity Date,Activity Name,Activity Type,Activity Description,Elapsed Time,Distance,Max Heart Rate,Relative Effort,Commute,Activity Private Note,Activity Gear,Filename\n\
            77,\"Jan 2, 2026, 6:52:17 AM\",Named on Strava,Run,,1800,5.0,,,false,,,activities/77.fit.gz\n").unwrap();
        zip.start_file("activities/77.fit.gz", options).unwrap();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(&std::fs::read(fit).unwrap()).unwrap();
        zip.write_all(&gzip.finish().unwrap()).unwrap();
        zip.finish().unwrap();
        for _ in 0..2 {
            reimport(&db.store, ann, std::slice::from_ref(&path)).await;
            let all = db.store.list_activities(ann, today().plus_days(-400), today()).await.unwrap();
            assert_eq!(all.len(), 1, "{all:?}");
            assert_eq!(all[0].activity.name.as_deref(), Some("Named on Strava"));
            let kinds: Vec<SourceKind> = db.store.list_source_records(ann, all[0].id).await.unwrap().into_iter().map(|(key, _)| key.kind).collect();
            assert_eq!(kinds, [SourceKind::Fit, SourceKind::StravaExport]);
        }
        // Also if the file was imported earlier.
        let known = fitness_ingest::ImportRequest { user: ann, paths: vec![folder.path().to_owned()], reimport: false, count_first: false };
        let outcome = fitness_ingest::import(&db.store, known, clock, &mut (), &fitness_ingest::StopSignal::default()).await.unwrap();
        assert!(outcome.is_unchanged(), "{outcome:?}");
    }

    async fn original_files_are_stored_unchanged(db) {
        let ann = db.user("Ann").await;
        reimport(&db.store, ann, &demo_export().files).await;
        let kept = db.store.list_originals(ann, 0, 1000).await.unwrap();
        assert!(kept.len() > 10);
        for original in kept {
            let bytes = db.store.read_original(ann, original.sha256).await.unwrap();
            let file = demo_export().files.iter().find(|path| path.file_name().unwrap().to_str() == Some(&original.name)).unwrap();
            assert_eq!(bytes, std::fs::read(file).unwrap(), "{}", original.name);
        }
    }
}
