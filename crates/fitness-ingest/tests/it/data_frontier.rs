//! The data frontier after imports.

use crate::fixtures::{clock, demo_export, reimport, today};
use fitness_core::domain::athlete::Profile;
use fitness_ingest::{ImportRequest, StopSignal, import};
use fitness_store::testkit::TestDb;
use fitness_store::{SyncRunKind, SyncRunState, on_both_databases};

/// Makes finishing a run fail, as a full disk would.
async fn refuse_finished_runs(db: &TestDb) {
    let sql = if db.is_sqlite() {
        "CREATE TRIGGER no_run_ends BEFORE UPDATE ON sync_runs BEGIN SELECT RAISE(ABORT, 'cut off'); END"
    } else {
        "CREATE FUNCTION no_run_ends() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'cut off'; END $$;
         CREATE TRIGGER no_run_ends BEFORE UPDATE ON sync_runs FOR EACH ROW EXECUTE FUNCTION no_run_ends()"
    };
    db.execute(sql).await;
}

async fn accept_finished_runs(db: &TestDb) {
    let on_table = if db.is_sqlite() { "" } else { " ON sync_runs" };
    db.execute(&format!("DROP TRIGGER no_run_ends{on_table}")).await;
}

on_both_databases! {
    async fn export_covers_the_days_before_its_last(db) {
        let ann = db.user("Ann").await;
        let outcome = reimport(&db.store, ann, &[demo_export().zip.clone()]).await;
        let frontier = db.store.frontier(ann).await.unwrap();
        assert_eq!(frontier.complete_through(), Some(today().previous()));
        assert_eq!(frontier.open_day(), Some(today()));
        assert_eq!(outcome.coverage.complete_through(), frontier.complete_through());
        let run = db.store.list_sync_runs(ann, 1).await.unwrap().remove(0);
        assert_eq!((run.kind, run.state, run.problem), (SyncRunKind::Export, SyncRunState::Done, None));
        assert_eq!(run.summary["added"], outcome.added);
    }

    async fn stopped_import_moves_no_frontier_and_resumes(db) {
        let ann = db.user("Ann").await;
        let stop = StopSignal::default();
        stop.stop();
        let wanted = || ImportRequest { user: ann, paths: vec![demo_export().zip.clone()], reimport: false, count_first: false };
        let outcome = import(&db.store, wanted(), clock, &mut (), &stop).await.unwrap();
        assert!(outcome.stopped);
        assert_eq!(db.store.frontier(ann).await.unwrap().complete_through(), None);
        let run = db.store.list_sync_runs(ann, 1).await.unwrap().remove(0);
        assert_eq!(run.state, SyncRunState::Partial);
        let outcome = import(&db.store, wanted(), clock, &mut (), &StopSignal::default()).await.unwrap();
        assert!(outcome.added > 10, "it was not taken for finished");
    }

    async fn export_whose_import_was_cut_off_counts_when_imported_again(db) {
        let ann = db.user("Ann").await;
        let wanted = || ImportRequest { user: ann, paths: vec![demo_export().zip.clone()], reimport: false, count_first: false };
        refuse_finished_runs(&db).await;
        import(&db.store, wanted(), clock, &mut (), &StopSignal::default()).await.unwrap_err();
        assert_eq!(db.store.frontier(ann).await.unwrap().complete_through(), None);
        accept_finished_runs(&db).await;
        import(&db.store, wanted(), clock, &mut (), &StopSignal::default()).await.unwrap();
        let frontier = db.store.frontier(ann).await.unwrap();
        assert_eq!((frontier.complete_through(), frontier.open_day()), (Some(today().previous()), Some(today())));
        let again = import(&db.store, wanted(), clock, &mut (), &StopSignal::default()).await.unwrap();
        assert!(again.is_unchanged() && again.files_already_there == 1, "the archive is known now: {again:?}");
    }

    async fn wellness_days_without_activity_list_move_no_frontier(db) {
        let folder = tempfile::TempDir::new().unwrap();
        for file in &demo_export().files {
            let name = file.file_name().unwrap().to_str().unwrap();
            if name.starts_with("UDSFile_") {
                std::fs::copy(file, folder.path().join(name)).unwrap();
            }
        }
        let ann = db.user("Ann").await;
        assert!(reimport(&db.store, ann, &[folder.path().to_owned()]).await.days > 10);
        assert_eq!(db.store.frontier(ann).await.unwrap().complete_through(), None, "nobody told of activities");
        std::fs::write(folder.path().join("x_summarizedActivities.json"), "<html>Sign in</html>").unwrap();
        reimport(&db.store, ann, &[folder.path().to_owned()]).await;
        assert_eq!(db.store.frontier(ann).await.unwrap().complete_through(), None, "nor could their list be read");
    }

    async fn known_files_still_count_for_the_frontier(db) {
        let ann = db.user("Ann").await;
        let recordings: Vec<_> = demo_export().files.iter().filter(|path| path.extension().is_some_and(|e| e == "fit")).cloned().collect();
        // Stopped late: stored data of an unfinished run proves nothing.
        struct StopAtTheEnd(StopSignal, u64);
        impl fitness_ingest::ImportProgressListener for StopAtTheEnd {
            fn set_recomputed(&mut self, _: u64) {}
            fn set_total(&mut self, _: u64) {}
            fn set_imported(&mut self, files: u64, _: u64) {
                if files == self.1 {
                    self.0.stop();
                }
            }
        }
        let stop = StopSignal::default();
        let wanted = ImportRequest { user: ann, paths: recordings.clone(), reimport: false, count_first: false };
        let mut late = StopAtTheEnd(stop.clone(), recordings.len() as u64);
        let outcome = import(&db.store, wanted, clock, &mut late, &stop).await.unwrap();
        assert!(outcome.stopped && outcome.added > 10, "{outcome:?}");
        assert_eq!(db.store.frontier(ann).await.unwrap().complete_through(), None);
        let stop = StopSignal::default();
        let wanted = ImportRequest { user: ann, paths: recordings, reimport: false, count_first: false };
        let outcome = import(&db.store, wanted, clock, &mut (), &stop).await.unwrap();
        assert!(outcome.is_unchanged());
        assert!(db.store.frontier(ann).await.unwrap().complete_through().is_some());
    }

    async fn file_dated_in_the_future_moves_no_frontier(db) {
        let ann = db.user("Ann").await;
        let folder = tempfile::TempDir::new().unwrap();
        let gpx = |day: &str| format!(
            "<gpx><trk><trkseg><trkpt lat='47' lon='8'><time>{day}T10:00:00Z</time></trkpt>\
             <trkpt lat='47.01' lon='8'><time>{day}T10:30:00Z</time></trkpt></trkseg></trk></gpx>"
        );
        for day in ["2026-06-11", "2026-06-20", "2100-01-01", "1989-12-31"] {
            std::fs::write(folder.path().join(format!("{day}.gpx")), gpx(day)).unwrap();
        }
        let outcome = reimport(&db.store, ann, &[folder.path().to_owned()]).await;
        assert_eq!((outcome.added, outcome.skipped_count), (1, 3), "{outcome:?}");
        assert_eq!(db.store.frontier(ann).await.unwrap().complete_through(), Some("2026-06-11".parse().unwrap()));
    }

    async fn activity_day_uses_the_athletes_time_zone(db) {
        // No position. 23:30 UTC on the 11th is the 12th in Kiritimati (UTC+14) and the 11th in Niue (UTC-11).
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("late.gpx");
        std::fs::write(&path, "<gpx><trk><trkseg><trkpt lat='0' lon='0'><time>2026-06-11T23:30:00Z</time></trkpt>\
            <trkpt lat='0' lon='0'><time>2026-06-12T00:10:00Z</time></trkpt></trkseg></trk></gpx>").unwrap();
        for (name, zone, day) in [("Kiri", chrono_tz::Tz::Pacific__Kiritimati, "2026-06-12"), ("Niu", chrono_tz::Tz::Pacific__Niue, "2026-06-11")] {
            let user = db.user(name).await;
            db.store.put_profile(user, &Profile { zone, ..Profile::default() }, clock()).await.unwrap();
            reimport(&db.store, user, std::slice::from_ref(&path)).await;
            let day = day.parse().unwrap();
            assert_eq!(db.store.list_activities(user, day, day).await.unwrap().len(), 1, "{zone}");
            assert_eq!(db.store.frontier(user).await.unwrap().complete_through(), Some(day), "{zone}");
        }
    }
}
