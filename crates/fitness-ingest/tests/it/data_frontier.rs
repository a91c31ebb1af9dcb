//! How far the data reaches after an import, and what cannot move it.

use crate::fixtures::{clock, made, take, today};
use fitness_core::domain::athlete::Profile;
use fitness_ingest::{Import, Stop, import};
use fitness_store::testkit::TestDb;
use fitness_store::{RunKind, RunState, on_both_databases};

/// Makes every attempt to finish a run fail, as a full disk or a timeout at that moment would.
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
    async fn an_export_completes_the_days_before_its_last(db) {
        let ann = db.user("Ann").await;
        let outcome = take(&db.store, ann, &[made().zip.clone()]).await;
        let frontier = db.store.frontier(ann).await.unwrap();
        assert_eq!(frontier.complete(), Some(today().previous()));
        assert_eq!(frontier.open(), Some(today()));
        assert_eq!(outcome.coverage.complete(), frontier.complete());
        let run = db.store.list_runs(ann, 1).await.unwrap().remove(0);
        assert_eq!((run.kind, run.state, run.problem), (RunKind::Export, RunState::Done, None));
        assert_eq!(run.summary["added"], outcome.added);
    }

    async fn an_import_that_was_stopped_proves_nothing_and_goes_on_later(db) {
        let ann = db.user("Ann").await;
        let stop = Stop::default();
        stop.stop();
        let wanted = || Import { user: ann, paths: vec![made().zip.clone()], again: false, count_first: false };
        let outcome = import(&db.store, wanted(), clock, &mut (), &stop).await.unwrap();
        assert!(outcome.stopped);
        assert_eq!(db.store.frontier(ann).await.unwrap().complete(), None);
        let run = db.store.list_runs(ann, 1).await.unwrap().remove(0);
        assert_eq!(run.state, RunState::Partial);
        let outcome = import(&db.store, wanted(), clock, &mut (), &Stop::default()).await.unwrap();
        assert!(outcome.added > 10, "it was not taken for finished");
    }

    async fn export_whose_run_was_cut_before_its_end_counts_when_imported_again(db) {
        let ann = db.user("Ann").await;
        let wanted = || Import { user: ann, paths: vec![made().zip.clone()], again: false, count_first: false };
        refuse_finished_runs(&db).await;
        import(&db.store, wanted(), clock, &mut (), &Stop::default()).await.unwrap_err();
        assert_eq!(db.store.frontier(ann).await.unwrap().complete(), None);
        accept_finished_runs(&db).await;
        import(&db.store, wanted(), clock, &mut (), &Stop::default()).await.unwrap();
        let frontier = db.store.frontier(ann).await.unwrap();
        assert_eq!((frontier.complete(), frontier.open()), (Some(today().previous()), Some(today())));
        let again = import(&db.store, wanted(), clock, &mut (), &Stop::default()).await.unwrap();
        assert!(again.changed_nothing() && again.files_already_there == 1, "the archive is known now: {again:?}");
    }

    async fn days_without_their_activities_prove_nothing(db) {
        let folder = tempfile::TempDir::new().unwrap();
        for file in &made().files {
            let name = file.file_name().unwrap().to_str().unwrap();
            if name.starts_with("UDSFile_") {
                std::fs::copy(file, folder.path().join(name)).unwrap();
            }
        }
        let ann = db.user("Ann").await;
        assert!(take(&db.store, ann, &[folder.path().to_owned()]).await.days > 10);
        assert_eq!(db.store.frontier(ann).await.unwrap().complete(), None, "nobody told of activities");
        std::fs::write(folder.path().join("x_summarizedActivities.json"), "<html>Sign in</html>").unwrap();
        take(&db.store, ann, &[folder.path().to_owned()]).await;
        assert_eq!(db.store.frontier(ann).await.unwrap().complete(), None, "nor could their list be read");
    }

    async fn files_that_are_known_prove_what_they_proved(db) {
        let ann = db.user("Ann").await;
        let recordings: Vec<_> = made().files.iter().filter(|path| path.extension().is_some_and(|e| e == "fit")).cloned().collect();
        // Stopped once everything was on its way: what was taken in proves nothing yet.
        struct StopAtTheEnd(Stop, u64);
        impl fitness_ingest::Progress for StopAtTheEnd {
            fn worked_out(&mut self, _: u64) {}
            fn total(&mut self, _: u64) {}
            fn done(&mut self, files: u64, _: u64) {
                if files == self.1 {
                    self.0.stop();
                }
            }
        }
        let stop = Stop::default();
        let wanted = Import { user: ann, paths: recordings.clone(), again: false, count_first: false };
        let mut late = StopAtTheEnd(stop.clone(), recordings.len() as u64);
        let outcome = import(&db.store, wanted, clock, &mut late, &stop).await.unwrap();
        assert!(outcome.stopped && outcome.added > 10, "{outcome:?}");
        assert_eq!(db.store.frontier(ann).await.unwrap().complete(), None);
        let stop = Stop::default();
        let wanted = Import { user: ann, paths: recordings, again: false, count_first: false };
        let outcome = import(&db.store, wanted, clock, &mut (), &stop).await.unwrap();
        assert!(outcome.changed_nothing());
        assert!(db.store.frontier(ann).await.unwrap().complete().is_some());
    }

    async fn a_file_from_the_future_moves_nothing(db) {
        let ann = db.user("Ann").await;
        let folder = tempfile::TempDir::new().unwrap();
        let gpx = |day: &str| format!(
            "<gpx><trk><trkseg><trkpt lat='47' lon='8'><time>{day}T10:00:00Z</time></trkpt>\
             <trkpt lat='47.01' lon='8'><time>{day}T10:30:00Z</time></trkpt></trkseg></trk></gpx>"
        );
        for day in ["2026-06-11", "2026-06-20", "2100-01-01", "1989-12-31"] {
            std::fs::write(folder.path().join(format!("{day}.gpx")), gpx(day)).unwrap();
        }
        let outcome = take(&db.store, ann, &[folder.path().to_owned()]).await;
        assert_eq!((outcome.added, outcome.skipped_count), (1, 3), "{outcome:?}");
        assert_eq!(db.store.frontier(ann).await.unwrap().complete(), Some("2026-06-11".parse().unwrap()));
    }

    async fn a_day_is_the_athletes_own(db) {
        // 23:30 UTC on the 11th: the 12th in Kiritimati, fourteen hours ahead, and the 11th in Niue, eleven behind.
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("late.gpx");
        std::fs::write(&path, "<gpx><trk><trkseg><trkpt lat='1' lon='8'><time>2026-06-11T23:30:00Z</time></trkpt>\
            <trkpt lat='1.01' lon='8'><time>2026-06-12T00:10:00Z</time></trkpt></trkseg></trk></gpx>").unwrap();
        for (name, zone, day) in [("Kiri", chrono_tz::Tz::Pacific__Kiritimati, "2026-06-12"), ("Niu", chrono_tz::Tz::Pacific__Niue, "2026-06-11")] {
            let user = db.user(name).await;
            db.store.put_profile(user, &Profile { zone, ..Profile::default() }, clock()).await.unwrap();
            take(&db.store, user, std::slice::from_ref(&path)).await;
            let day = day.parse().unwrap();
            assert_eq!(db.store.list_activities(user, day, day).await.unwrap().len(), 1, "{zone}");
            assert_eq!(db.store.frontier(user).await.unwrap().complete(), Some(day), "{zone}");
        }
    }
}
