//! Activity search: filters, totals and pages agree with each other on both databases.

use fitness_core::domain::activity::Activity;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::domain::source_record::{ParsedActivity, RecordKey, SourceKind, SourceRecord};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_store::testkit::{TestDb, june, now};
use fitness_store::training::activity_search::{ActivityCursor, ActivityFilter, PagePosition};
use fitness_store::{Error, on_both_databases};

async fn import_activity(
    db: &TestDb,
    user: UserId,
    at: &str,
    sport: Sport,
    name: Option<&str>,
    km: Option<f64>,
) {
    let started_at: Instant = at.parse().unwrap();
    let activity = Activity {
        name: name.map(str::to_owned),
        elapsed: Some(TimeSpan::from_mins(40)),
        distance: km.and_then(Distance::from_km),
        ..Activity::new(sport, started_at, 0)
    };
    let key = RecordKey { kind: SourceKind::Garmin, id: format!("{at}{sport}{name:?}") };
    db.import_record(
        user,
        SourceRecord { key, parsed: ParsedActivity::without_samples(activity), raw: None },
    )
    .await;
}

async fn names(db: &TestDb, user: UserId, wanted: &ActivityFilter) -> Vec<String> {
    let page = db.store.search_activities(user, wanted, PagePosition::Start, 50).await.unwrap();
    page.activities.into_iter().map(|one| one.activity.name.unwrap_or_default()).collect()
}

fn filter_with_words(words: &str) -> ActivityFilter {
    ActivityFilter { words: words.to_owned(), ..ActivityFilter::default() }
}

on_both_databases! {
    async fn filters_apply_to_list_and_totals_alike(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        import_activity(&db, ann, "2026-06-09T08:00:00Z", Sport::Running, Some("Easy run"), Some(8.0)).await;
        import_activity(&db, ann, "2026-06-10T08:00:00Z", Sport::Cycling, Some("Über den Hügel"), Some(40.0)).await;
        import_activity(&db, ann, "2026-06-11T08:00:00Z", Sport::Running, Some("100 % easy_going"), None).await;
        import_activity(&db, ann, "2026-06-12T08:00:00Z", Sport::Running, None, Some(5.0)).await;
        import_activity(&db, bob, "2026-06-09T08:00:00Z", Sport::Running, Some("Easy, not yours"), Some(99.0)).await;
        assert_eq!(names(&db, ann, &ActivityFilter::default()).await, ["", "100 % easy_going", "Über den Hügel", "Easy run"]);
        for (words, found) in [
            ("EASY", vec!["100 % easy_going", "Easy run"]),
            ("run easy", vec!["Easy run"]),
            ("über", vec!["Über den Hügel"]),
            ("%", vec!["100 % easy_going"]),
            ("y_g", vec!["100 % easy_going"]),
            ("y_r", vec![]),
            ("\\", vec![]),
            ("' OR 1=1 --", vec![]),
        ] {
            assert_eq!(names(&db, ann, &filter_with_words(words)).await, found, "{words}");
        }
        let some = ActivityFilter { sport: Some(Sport::Running), from: Some(june(9)), through: Some(june(11)), ..ActivityFilter::default() };
        assert_eq!(names(&db, ann, &some).await, ["100 % easy_going", "Easy run"]);
        assert!(some.is_filtered() && !ActivityFilter { deleted: true, ..ActivityFilter::default() }.is_filtered());
        let sums = db.store.activity_totals(ann, &some).await.unwrap();
        assert_eq!((sums.count, sums.distance.mm(), sums.time.ms()), (2, 8_000_000, 2 * 40 * 60_000));
        let nothing = db.store.activity_totals(ann, &filter_with_words("nowhere")).await.unwrap();
        assert_eq!((nothing.count, nothing.distance, nothing.load), (0, Distance::ZERO, 0.0));
    }

    async fn pages_list_each_activity_once_despite_imports_in_between(db) {
        let ann = db.user("Ann").await;
        for at in ["2026-06-01T08:00:00Z", "2026-06-02T06:00:00Z", "2026-06-02T10:00:00Z", "2026-06-02T14:00:00Z", "2026-06-02T18:00:00Z", "2026-06-03T08:00:00Z"] {
            import_activity(&db, ann, at, Sport::Running, Some(at), Some(5.0)).await;
        }
        let all = names(&db, ann, &ActivityFilter::default()).await;
        assert_eq!(all.len(), 6);
        let (mut seen, mut from) = (Vec::new(), PagePosition::Start);
        loop {
            let page = db.store.search_activities(ann, &ActivityFilter::default(), from, 2).await.unwrap();
            assert_eq!(page.has_newer, from != PagePosition::Start);
            seen.extend(page.activities.iter().map(|one| one.activity.name.clone().unwrap_or_default()));
            if seen.len() == 2 {
                import_activity(&db, ann, "2026-06-05T08:00:00Z", Sport::Running, Some("came meanwhile"), None).await;
            }
            let last = ActivityCursor::from_activity(page.activities.last().unwrap());
            assert_eq!(last.to_string().parse(), Ok(last));
            if !page.has_older {
                let back = db.store.search_activities(ann, &ActivityFilter::default(), PagePosition::NewerThan(last), 3).await.unwrap();
                let back: Vec<_> = back.activities.iter().map(|one| one.activity.name.clone().unwrap_or_default()).collect();
                assert_eq!(back, all[2..5], "the page before the last row, the newest first");
                break;
            }
            from = PagePosition::OlderThan(last);
        }
        assert_eq!(seen, all, "each once, in order");
        for bad in ["", "1", "2026-06-14.x.1", "2026-06-14.1.", "2026-06-14.9223372036854775807.1", "0000-00-00.1.1", "2026-06-14.1.1.1"] {
            assert!(bad.parse::<ActivityCursor>().is_err(), "{bad}");
        }
    }

    async fn deleted_activities_are_listed_separately_and_restorable(db) {
        let ann = db.user("Ann").await;
        db.import_run(ann, june(9), 8.0).await;
        let gone = ActivityFilter { deleted: true, ..ActivityFilter::default() };
        let id = db.store.search_activities(ann, &ActivityFilter::default(), PagePosition::Start, 9).await.unwrap().activities[0].id;
        db.store.delete_activity(ann, id, now()).await.unwrap();
        assert!(names(&db, ann, &ActivityFilter::default()).await.is_empty());
        assert_eq!(names(&db, ann, &gone).await, ["Run"]);
        db.store.restore_activity(ann, id, now()).await.unwrap();
        assert!(names(&db, ann, &gone).await.is_empty());
        assert!(matches!(db.store.restore_activity(ann, ActivityId::new(999), now()).await, Err(Error::NotFound(_))));
    }

    async fn days_add_up_by_sport_and_nights_are_empty_without_reports(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        import_activity(&db, ann, "2026-06-09T08:00:00Z", Sport::Running, None, Some(8.0)).await;
        import_activity(&db, ann, "2026-06-09T18:00:00Z", Sport::Running, None, Some(2.0)).await;
        import_activity(&db, ann, "2026-06-09T12:00:00Z", Sport::Cycling, None, Some(20.0)).await;
        import_activity(&db, bob, "2026-06-09T08:00:00Z", Sport::Running, None, Some(99.0)).await;
        let totals = db.store.list_day_totals(ann, june(1), june(30)).await.unwrap();
        let told: Vec<(Day, Sport, u64, i64)> = totals.iter().map(|(day, sport, t)| (*day, *sport, t.count, t.distance.mm())).collect();
        assert_eq!(told, [(june(9), Sport::Cycling, 1, 20_000_000), (june(9), Sport::Running, 2, 10_000_000)]);
        assert!(db.store.list_night_metrics(ann, june(1), june(30)).await.unwrap().is_empty());
        assert!(db.store.list_fitness_points(ann, june(1), june(30)).await.unwrap().is_empty());
    }
}
