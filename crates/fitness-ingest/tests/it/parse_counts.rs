//! What was dropped within a file is counted in the import's outcome and stored with the record.

use crate::fixtures::clock;
use fitness_core::domain::source_record::ParseCounts;
use fitness_ingest::{ImportRequest, StopSignal, import};
use fitness_store::on_both_databases;
use std::fmt::Write as _;

on_both_databases! {
    async fn dropped_samples_are_counted_and_shown(db) {
        let ann = db.user("Ann").await;
        let folder = tempfile::TempDir::new().unwrap();
        let mut points = String::new();
        for second in 0..60 {
            let day = if second == 30 { "2026-06-02" } else { "2026-06-01" };
            write!(
                points,
                "<trkpt lat='47.{second:02}' lon='8'><time>{day}T10:00:{second:02}Z</time></trkpt>"
            )
            .unwrap();
        }
        let text = format!("<gpx><trk><trkseg><trkpt lat='46' lon='8'/>{points}</trkseg></trk></gpx>");
        std::fs::write(folder.path().join("run.gpx"), text).unwrap();
        let request = ImportRequest {
            user: ann,
            paths: vec![folder.path().to_owned()],
            reimport: false,
            count_first: false,
        };
        let outcome = import(&db.store, request, clock, &mut (), &StopSignal::default()).await.unwrap();
        let counts =
            ParseCounts { samples_with_bad_time: 1, samples_without_time: 1, ..ParseCounts::default() };
        assert_eq!(outcome.parse_counts, counts);
        let sentences = outcome.summary_sentences();
        assert!(
            sentences.contains(&"1 sample with a wrong clock time was dropped.".to_owned()),
            "{sentences:?}"
        );
        let all = db.store.list_activities(ann, "2026-06-01".parse().unwrap(), "2026-06-02".parse().unwrap());
        let all = all.await.unwrap();
        let records = db.store.list_source_records(ann, all[0].id).await.unwrap();
        assert_eq!(records[0].1.counts, counts);
    }
}
