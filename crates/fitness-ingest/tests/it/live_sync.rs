//! Syncs of live services: stored data, errors, and that the frontier is never past the data.

use crate::fixtures::{clock, demo_export};
use chrono_tz::Tz;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{SourceId, UserId};
use fitness_ingest::{Error, ImportOutcome, StopSignal, SyncRequest, sync};
use fitness_sources::live::{FetchError, Garmin, Intervals, Source};
use fitness_sources::testkit::{
    FakeGarmin, FakeIntervals, GarminActivity, GarminData, GarminDay, IntervalsActivity, IntervalsData,
    Misbehavior,
};
use fitness_store::testkit::{TestDb, june, now};
use fitness_store::{SyncRunKind, SyncRunState, on_both_databases};
use std::io::Write as _;

const KEY: &str = "a-key-of-the-athlete";

fn at(text: &str) -> Instant {
    text.parse().unwrap()
}

/// The last run of the demo athlete and its start time.
fn run() -> (Vec<u8>, Instant) {
    let file = demo_export().files.iter().rfind(|path| {
        path.extension().is_some_and(|e| e == "fit") && std::fs::metadata(path).unwrap().len() > 20_000
    });
    let bytes = std::fs::read(file.unwrap()).unwrap();
    let began = fitness_sources::fit::read(&bytes, Tz::UTC).unwrap().activities[0].activity.started_at;
    (bytes, began)
}

fn zip_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("1_ACTIVITY.fit", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(bytes).unwrap();
    zip.finish().unwrap().into_inner()
}

/// An account on June 14 with a past run and heart rates of this morning.
fn account() -> GarminData {
    let (bytes, began) = run();
    let seconds = 3000;
    let file = Some(zip_bytes(&bytes));
    let activity = GarminActivity {
        id: 7,
        kind: "running",
        started_at: began,
        offset_h: 0,
        seconds,
        file,
        leg_of: None,
    };
    let mut days = std::collections::BTreeMap::new();
    for day in [june(12), june(13), june(14)] {
        let beats = vec![(at(&format!("{day}T05:00:00Z")), Some(52))];
        let night = Some((at(&format!("{}T22:00:00Z", day.previous())), at(&format!("{day}T04:30:00Z"))));
        days.insert(
            day,
            GarminDay {
                steps: Some(9000),
                resting: Some(48),
                lowest: Some(44),
                beats,
                night,
                ..GarminDay::default()
            },
        );
    }
    GarminData { key: KEY.to_owned(), days, activities: vec![activity], ..GarminData::default() }
}

async fn source(db: &TestDb, user: UserId, kind: &str) -> SourceId {
    db.store.add_source(user, kind, kind, serde_json::json!({}), now()).await.unwrap()
}

async fn run_sync<S: Source>(
    db: &TestDb,
    user: UserId,
    source: SourceId,
    service: &mut S,
) -> Result<ImportOutcome, Error> {
    let since = None;
    sync(
        &db.store,
        SyncRequest { user, source, from: since },
        service,
        clock,
        &mut (),
        &StopSignal::default(),
    )
    .await
}

fn garmin(fake: &FakeGarmin) -> Garmin {
    Garmin::new(&fake.base_url(), KEY.to_owned().into(), Tz::UTC, fake.clock(now()).http_env()).unwrap()
}

/// Every run in the account on a day up to the frontier is in the database.
async fn assert_frontier_behind_data(db: &TestDb, user: UserId, began: Instant, what: &str) {
    let day = Day::at(began, Tz::UTC);
    let complete = db.store.frontier(user).await.unwrap().complete_through();
    if complete.is_some_and(|complete| complete >= day) {
        let stored = db.store.list_activities(user, day, day).await.unwrap();
        assert_eq!(stored.len(), 1, "{what}: {day} counts as complete");
    }
}

on_both_databases! {
    async fn sync_stores_days_activities_and_files_once(db) {
        let ann = db.user("Ann").await;
        let source = source(&db, ann, "garmin").await;
        let fake = FakeGarmin::start(account()).await;
        let outcome = run_sync(&db, ann, source, &mut garmin(&fake)).await.unwrap();
        assert_eq!((outcome.added, outcome.joined, outcome.files), (1, 0, 1), "{outcome:?}");
        assert!(outcome.days >= 3);
        let (_, began) = run();
        let day = Day::at(began, Tz::UTC);
        let stored = db.store.list_activities(ann, day, day).await.unwrap().remove(0);
        assert_eq!(stored.activity.name.as_deref(), Some("No. 7"), "the title is the account's");
        assert!(db.store.find_recording(ann, stored.id).await.unwrap().is_some(), "the samples are the file's");
        assert_eq!(db.store.list_activity_originals(ann, stored.id).await.unwrap().len(), 1);
        let frontier = db.store.frontier(ann).await.unwrap();
        assert_eq!((frontier.complete_through(), frontier.open_day()), (Some(june(13)), Some(june(14))));
        assert_eq!(fake.violations(), Vec::<String>::new());
        let run = db.store.list_sync_runs(ann, 1).await.unwrap().remove(0);
        assert_eq!((run.kind, run.state, run.source), (SyncRunKind::Live, SyncRunState::Done, Some(source)));

        let print = db.store.fingerprint(ann).await.unwrap();
        let files = || fake.requests().iter().filter(|seen| seen.target.contains("files")).count();
        let fetched = files();
        let again = run_sync(&db, ann, source, &mut garmin(&fake)).await.unwrap();
        assert!(again.is_unchanged(), "{again:?}");
        assert_eq!(db.store.fingerprint(ann).await.unwrap(), print);
        assert_eq!(files(), fetched, "a file that is here is not fetched again");
        // An edit and a deletion survive.
        db.store.delete_activity(ann, stored.id, now()).await.unwrap();
        fake.edit(|data| data.activities[0].seconds += 60);
        run_sync(&db, ann, source, &mut garmin(&fake)).await.unwrap();
        assert!(db.store.list_activities(ann, day, day).await.unwrap().is_empty());
    }

    async fn garmin_errors_never_move_the_frontier_past_the_data(db) {
        let (_, began) = run();
        let faults = [
            Misbehavior::Stall(97), Misbehavior::Silence, Misbehavior::Cut(40), Misbehavior::CutUndeclared(40), Misbehavior::Busy(None),
            Misbehavior::Busy(Some("3".to_owned())), Misbehavior::Page(500), Misbehavior::Page(502), Misbehavior::Expire,
        ];
        for (number, bad) in faults.iter().enumerate() {
            // One failing list request, then all list requests, then all requests; each on an empty
            // database.
            for (round, (part, times)) in [("search/activities", 1), ("search/activities", 99), ("", 999)].into_iter().enumerate() {
                let user = db.user(&format!("user {number} {round}")).await;
                let source = source(&db, user, "garmin").await;
                let fake = FakeGarmin::start(account()).await;
                fake.misbehave_on(part, times, bad.clone());
                let outcome = run_sync(&db, user, source, &mut garmin(&fake)).await;
                assert_frontier_behind_data(&db, user, began, &format!("{bad:?} on {part:?} {times} times: {outcome:?}")).await;
                let tries = fake.requests().iter().filter(|seen| seen.target.contains("search/activities")).count();
                assert!(tries <= 5 || *bad == Misbehavior::Expire, "{tries} tries of one request after {bad:?}");
                // After the service recovers, everything is stored.
                let fake = FakeGarmin::start(account()).await;
                run_sync(&db, user, source, &mut garmin(&fake)).await.unwrap();
                assert_eq!(db.store.frontier(user).await.unwrap().complete_through(), Some(june(13)));
                assert_frontier_behind_data(&db, user, began, "at last").await;
            }
        }
    }

    async fn refused_key_fails_the_run_and_moves_no_frontier(db) {
        let ann = db.user("Ann").await;
        let source = source(&db, ann, "garmin").await;
        let fake = FakeGarmin::start(GarminData { key: "another".to_owned(), ..account() }).await;
        let error = run_sync(&db, ann, source, &mut garmin(&fake)).await.unwrap_err();
        assert!(matches!(error, Error::Service(FetchError::KeyRefused { .. })), "{error}");
        assert!(!error.to_string().contains(KEY));
        let run = db.store.list_sync_runs(ann, 1).await.unwrap().remove(0);
        assert_eq!(run.state, SyncRunState::Failed);
        assert_eq!(db.store.frontier(ann).await.unwrap().complete_through(), None);
    }

    async fn days_that_were_not_requested_are_not_complete(db) {
        let ann = db.user("Ann").await;
        let source = source(&db, ann, "garmin").await;
        db.import_run(ann, june(1), 8.0).await;
        db.finish_import(ann, fitness_core::adherence::data_frontier::CoverageEvidence::Activity { day: june(1), imported_at: now() }).await;
        let fake = FakeGarmin::start(account()).await;
        let late = SyncRequest { user: ann, source, from: Some(june(10)) };
        let outcome = sync(&db.store, late, &mut garmin(&fake), clock, &mut (), &StopSignal::default()).await.unwrap();
        assert_eq!(db.store.frontier(ann).await.unwrap().complete_through(), Some(june(1)), "June 2 to 9 were not requested");
        assert!(outcome.skipped.iter().any(|skip| skip.reason.contains("--since")), "{outcome:?}");
        run_sync(&db, ann, source, &mut garmin(&fake)).await.unwrap();
        assert_eq!(db.store.frontier(ann).await.unwrap().complete_through(), Some(june(13)));
    }

    async fn first_sync_of_a_few_days_does_not_cover_earlier_ones(db) {
        let ann = db.user("Ann").await;
        let source = source(&db, ann, "garmin").await;
        let fake = FakeGarmin::start(account()).await;
        let late = SyncRequest { user: ann, source, from: Some(june(14)) };
        sync(&db.store, late, &mut garmin(&fake), clock, &mut (), &StopSignal::default()).await.unwrap();
        assert_eq!(db.store.frontier(ann).await.unwrap().complete_through(), None);
        // The next sync requests the missing days.
        let (_, began) = run();
        run_sync(&db, ann, source, &mut garmin(&fake)).await.unwrap();
        assert_eq!(db.store.frontier(ann).await.unwrap().complete_through(), Some(june(13)));
        assert_frontier_behind_data(&db, ann, began, "all of it").await;
    }

    async fn intervals_merges_the_same_run_and_errors_move_no_frontier(db) {
        let (bytes, began) = run();
        let data = || {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            gzip.write_all(&bytes).unwrap();
            let file = Some(gzip.finish().unwrap());
            let activity = IntervalsActivity { id: "i7", kind: "Run", started_at: began, offset_h: 0, seconds: 3000, source: "GARMIN_CONNECT", file };
            let wellness = [(june(13), serde_json::json!({"restingHR": 47, "hrv": 66.0, "sleepSecs": 27000}))].into();
            IntervalsData { key: KEY.to_owned(), athlete: "i1".to_owned(), activities: vec![activity], wellness, ..IntervalsData::default() }
        };
        let intervals = |fake: &FakeIntervals| Intervals::new(&fake.base_url(), "i1", KEY.to_owned().into(), Tz::UTC, fake.clock(now()).http_env()).unwrap();
        let ann = db.user("Ann").await;
        let (watch, service) = (source(&db, ann, "garmin").await, source(&db, ann, "intervals").await);
        let fake = FakeGarmin::start(account()).await;
        run_sync(&db, ann, watch, &mut garmin(&fake)).await.unwrap();
        let fake = FakeIntervals::start(data()).await;
        let outcome = run_sync(&db, ann, service, &mut intervals(&fake)).await.unwrap();
        assert_eq!((outcome.added, outcome.joined), (0, 1), "one run from two services: {outcome:?}");
        assert_eq!(db.store.count_activities(ann).await.unwrap().0, 1);
        for (number, bad) in [Misbehavior::Stall(97), Misbehavior::Cut(20), Misbehavior::Busy(None), Misbehavior::Page(503)].iter().enumerate() {
            for (round, (part, times)) in [("activities", 1), ("activities", 99), ("", 999)].into_iter().enumerate() {
                let user = db.user(&format!("user {number} {round}")).await;
                let service = source(&db, user, "intervals").await;
                let fake = FakeIntervals::start(data()).await;
                fake.misbehave_on(part, times, bad.clone());
                let outcome = run_sync(&db, user, service, &mut intervals(&fake)).await;
                assert_frontier_behind_data(&db, user, began, &format!("{bad:?} on {part:?}: {outcome:?}")).await;
            }
        }
    }
}
