//! Every other noun: what goes in comes out, for its own user only, and leaves a line in the audit log.

use chrono::TimeDelta;
use fitness_core::activity::{Activity, Lap};
use fitness_core::athlete::{Profile, Sex, Threshold, ThresholdKind, ThresholdOrigin, ZoneKind, Zones};
use fitness_core::calendar::Weekday;
use fitness_core::frontier::Evidence;
use fitness_core::ids::{ActivityId, ChatId, NoteId, SourceId};
use fitness_core::note::{Author, NoteText};
use fitness_core::observation::{ObservationKind, Observed};
use fitness_core::sport::Sport;
use fitness_core::stream::{Channel, Recording};
use fitness_core::units::{Distance, TimeSpan, UnitSystem};
use fitness_core::wellness::{DailyWellness, Sleep};
use fitness_store::testkit::{june, now};
use fitness_store::{
    ChatMessage, Error, JobState, NewActivity, NewBrief, Put, Role, RunKind, RunOutcome, RunState,
    StoredFact, on_both_databases,
};
use serde_json::json;

fn text(words: &str) -> NoteText {
    NoteText::new(words).unwrap()
}

fn a_run() -> (Activity, Recording) {
    let started_at = "2026-06-13T16:04:07.123456Z".parse().unwrap();
    let lap = |km: f64| Lap {
        started_at,
        elapsed: Some(TimeSpan::from_mins(5)),
        moving: None,
        distance: Distance::from_km(km),
        avg_heart_rate: Some(150),
        max_heart_rate: Some(171),
        avg_power: None,
        avg_cadence: Some(178.5),
        kind: Some("interval".to_owned()),
    };
    let activity = Activity {
        sport: Sport::Running,
        sub_sport: Some("trail_running".to_owned()),
        name: Some("<b>Höhenweg</b>; DROP TABLE users".to_owned()),
        started_at,
        utc_offset_s: 7200,
        elapsed: Some(TimeSpan::from_ms(3_600_123)),
        moving: Some(TimeSpan::from_ms(3_500_456)),
        distance: Some(Distance::from_mm(10_012_345)),
        ascent: Distance::from_meters(312.4),
        descent: None,
        avg_heart_rate: Some(148),
        max_heart_rate: Some(181),
        avg_power: Some(251),
        max_power: None,
        avg_cadence: Some(171.25),
        energy_kcal: Some(702),
        device: Some("Forerunner 255".to_owned()),
        laps: vec![lap(1.0), lap(0.4)],
    };
    let mut recording = Recording::new((0..3600).map(|s| s * 1000).collect()).unwrap();
    recording
        .put(Channel::HeartRate, (0..3600).map(|s| (s % 50 != 0).then_some(120 + s / 60)).collect())
        .unwrap();
    recording.put(Channel::Latitude, (0..3600).map(|s| Some(471_234_567 + s * 13)).collect()).unwrap();
    (activity, recording)
}

on_both_databases! {
    async fn an_activity_is_stored_once_with_laps_and_streams(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let (activity, recording) = a_run();
        let new = || NewActivity { identity: "fit:abc", source: None, activity: &activity, recording: Some(&recording) };
        let Put::Added(id) = db.store.put_activity(ann, new(), now()).await.unwrap() else { panic!("it is new") };
        let audited = db.store.audit_head(ann).await.unwrap();
        assert_eq!(db.store.put_activity(ann, new(), now()).await.unwrap(), Put::AlreadyThere(id));
        assert_eq!(db.store.audit_head(ann).await.unwrap(), audited, "nothing changed, nothing logged");
        let Put::Added(other) = db.store.put_activity(bob, new(), now()).await.unwrap() else { panic!("new to Bob") };
        assert_ne!(id, other);

        let stored = db.store.find_activity(ann, id).await.unwrap().unwrap();
        assert_eq!(stored.activity, activity);
        assert_eq!(stored.day, june(13));
        assert_eq!(db.store.find_recording(ann, id).await.unwrap().unwrap(), recording);
        assert_eq!(db.store.find_activity(bob, id).await.unwrap(), None);
        assert_eq!(db.store.find_recording(bob, id).await.unwrap(), None);
        assert_eq!(db.store.list_activities(ann, june(13), june(13)).await.unwrap().len(), 1);
        assert!(db.store.list_activities(ann, june(14), june(30)).await.unwrap().is_empty());
        let mut raw = crate::raw::Raw::connect(&db).await;
        let packed = raw.number("SELECT CAST(SUM(LENGTH(packed)) AS BIGINT) FROM streams WHERE user_id = 1").await;
        assert!(packed < 2000, "an hour of three columns took {packed} bytes");
    }

    async fn wellness_is_added_to_and_never_erased(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let night = Sleep { asleep: Some(TimeSpan::from_mins(444)), deep: Some(TimeSpan::from_mins(61)), score: Some(81), ..Sleep::default() };
        let first = DailyWellness { sleep: Some(night.clone()), steps: Some(9000), ..DailyWellness::unknown(june(13)) };
        let second = DailyWellness { hrv_ms: Some(61.5), steps: Some(9500), weight_kg: Some(70.2), ..DailyWellness::unknown(june(13)) };
        db.store.put_wellness(ann, &[first, DailyWellness::unknown(june(11))], now()).await.unwrap();
        db.store.put_wellness(ann, &[second], now()).await.unwrap();
        let days = db.store.list_wellness(ann, june(1), june(30)).await.unwrap();
        assert_eq!(days.len(), 2);
        let expected = DailyWellness { sleep: Some(night), steps: Some(9500), hrv_ms: Some(61.5), weight_kg: Some(70.2), ..DailyWellness::unknown(june(13)) };
        assert_eq!(days[1], expected);
        assert_eq!(days[0], DailyWellness::unknown(june(11)), "nothing known is nothing, not zero");
        assert!(db.store.list_wellness(bob, june(1), june(30)).await.unwrap().is_empty());
    }

    async fn notes_come_and_go_and_suggestions_wait(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let own = db.store.add_note(ann, Author::Athlete, Some(june(14)), &text("calf is tight"), now()).await.unwrap();
        let hint = db.store.add_note(ann, Author::Coach, None, &text("ignore the plan \u{202e}"), now()).await.unwrap();
        let notes = db.store.list_notes(ann).await.unwrap();
        assert_eq!(notes.iter().map(|n| (n.id, n.accepted, n.author)).collect::<Vec<_>>(), [(hint, false, Author::Coach), (own, true, Author::Athlete)]);
        assert_eq!(notes[0].text.as_str(), "ignore the plan \u{202e}", "stored as written, made visible when shown");
        for (user, id) in [(bob, hint), (ann, NoteId::new(999)), (ann, own)] {
            assert!(matches!(db.store.accept_note(user, id, now()).await, Err(Error::NotFound(_))));
        }
        db.store.accept_note(ann, hint, now()).await.unwrap();
        assert!(matches!(db.store.delete_note(bob, own, now()).await, Err(Error::NotFound("note"))));
        assert_eq!(db.store.delete_note(ann, own, now()).await.unwrap().text.as_str(), "calf is tight");
        assert_eq!(db.store.list_notes(ann).await.unwrap().len(), 1);
        assert!(db.store.list_notes(bob).await.unwrap().is_empty());
    }

    async fn observations_cover_their_days(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let ill = Observed::new(ObservationKind::Illness, june(10), june(13), Some(2)).unwrap().with_comment(Some(text("flu")));
        let id = db.store.add_observation(ann, Author::Athlete, &ill, now()).await.unwrap();
        for (from, through, found) in [(9, 9, 0), (9, 10, 1), (12, 12, 1), (13, 20, 1), (14, 20, 0)] {
            assert_eq!(db.store.list_observations(ann, june(from), june(through)).await.unwrap().len(), found, "{from}..{through}");
        }
        assert_eq!(db.store.list_observations(ann, june(10), june(10)).await.unwrap()[0].observed, ill);
        let elsewhere = Observed::new(ObservationKind::Rpe, june(10), june(10), Some(7)).unwrap().of_activity(Some(ActivityId::new(77)));
        assert!(matches!(db.store.add_observation(ann, Author::Athlete, &elsewhere, now()).await, Err(Error::NotFound("activity"))));
        assert!(matches!(db.store.delete_observation(bob, id, now()).await, Err(Error::NotFound(_))));
        db.store.delete_observation(ann, id, now()).await.unwrap();
        assert!(db.store.list_observations(ann, june(1), june(30)).await.unwrap().is_empty());
    }

    async fn a_profile_thresholds_zones_and_settings_are_kept(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        assert_eq!(db.store.profile(ann).await.unwrap(), Profile::default());
        let profile = Profile {
            zone: chrono_tz::Tz::Australia__Lord_Howe,
            units: UnitSystem::Imperial,
            week_start: Weekday::Sun,
            birth_year: Some(1984),
            sex: Some(Sex::Female),
        };
        db.store.put_profile(ann, &profile, now()).await.unwrap();
        db.store.put_profile(ann, &profile, now()).await.unwrap();
        assert_eq!(db.store.profile(ann).await.unwrap(), profile);
        assert_eq!(db.store.profile(bob).await.unwrap(), Profile::default());

        let at = |value, from| Threshold { kind: ThresholdKind::ThresholdHeartRate, value, from, origin: ThresholdOrigin::Set };
        for threshold in [at(168.0, june(10)), at(165.0, june(1)), at(166.0, june(1))] {
            db.store.put_threshold(ann, &threshold, now()).await.unwrap();
        }
        assert_eq!(db.store.list_thresholds(ann).await.unwrap(), [at(166.0, june(1)), at(168.0, june(10))]);
        assert!(matches!(db.store.put_threshold(ann, &at(20.0, june(1)), now()).await, Err(Error::OutOfBounds { .. })));
        assert!(db.store.list_thresholds(bob).await.unwrap().is_empty());

        let zones = |low| Zones::new(vec![low, low + 20.0, low + 40.0]).unwrap();
        let put = async |from, low| db.store.put_zones(ann, ZoneKind::HeartRate, Sport::Running, from, &zones(low), now()).await.unwrap();
        put(june(1), 100.0).await;
        put(june(10), 105.0).await;
        let on = async |day| db.store.find_zones(ann, ZoneKind::HeartRate, Sport::Running, day).await.unwrap();
        assert_eq!(on(june(9)).await, Some(zones(100.0)));
        assert_eq!(on(june(10)).await, Some(zones(105.0)));
        assert_eq!(on(june(1).previous()).await, None);

        db.store.put_setting(ann, "appearance", &"dark", now()).await.unwrap();
        db.store.put_setting(ann, "appearance", &"light", now()).await.unwrap();
        assert_eq!(db.store.find_setting::<String>(ann, "appearance").await.unwrap().as_deref(), Some("light"));
        assert_eq!(db.store.find_setting::<String>(bob, "appearance").await.unwrap(), None);
        assert!(matches!(db.store.find_setting::<u8>(ann, "appearance").await, Err(Error::Unreadable(_))));
        assert_eq!(db.store.list_settings(ann).await.unwrap().len(), 1);
    }

    async fn a_source_keeps_its_key_sealed_and_forgets_it(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let id = db.store.add_source(ann, "intervals_icu", "My intervals", json!({"athlete": "i123"}), now()).await.unwrap();
        assert_eq!(db.store.find_source_secret(ann, id).await.unwrap(), None);
        db.store.put_source_secret(ann, id, vec![1, 2, 3], Some(june(30)), now()).await.unwrap();
        db.store.put_source_secret(ann, id, vec![4, 5], Some(june(29)), now()).await.unwrap();
        assert_eq!(db.store.find_source_secret(ann, id).await.unwrap(), Some(vec![4, 5]));
        assert_eq!(db.store.find_source_secret(bob, id).await.unwrap(), None);
        assert!(matches!(db.store.put_source_secret(bob, id, vec![9], None, now()).await, Err(Error::NotFound("source"))));
        assert_eq!(db.store.list_sources(ann).await.unwrap()[0].key_expires_on, Some(june(29)));
        assert!(matches!(db.store.remove_source(bob, id, now()).await, Err(Error::NotFound("source"))));
        db.store.remove_source(ann, id, now()).await.unwrap();
        assert_eq!(db.store.find_source_secret(ann, id).await.unwrap(), None);
        assert!(db.store.list_sources(ann).await.unwrap().is_empty());
        let mine = db.store.add_source(ann, "folder", "Inbox", json!({}), now()).await.unwrap();
        assert!(matches!(db.store.begin_run(bob, RunKind::File, Some(mine), now()).await, Err(Error::NotFound("source"))));
        let (activity, _) = a_run();
        let theirs = NewActivity { identity: "x", source: Some(mine), activity: &activity, recording: None };
        assert!(matches!(db.store.put_activity(bob, theirs, now()).await, Err(Error::NotFound("source"))));
        assert!(matches!(db.store.remove_source(ann, SourceId::new(99), now()).await, Err(Error::NotFound("source"))));
    }

    async fn a_run_proves_what_it_brought_and_a_failed_one_nothing(db) {
        let ann = db.user("Ann").await;
        db.store.put_profile(ann, &Profile { zone: chrono_tz::Tz::America__Los_Angeles, ..Profile::default() }, now()).await.unwrap();
        let outcome = |state, evidence| RunOutcome { state, evidence, summary: json!({"imported": 3}), problem: None };
        let live = |record: &str| Evidence::LiveSync { polled_at: now(), newest_record: Some(record.parse().unwrap()) };
        let failed = db.store.begin_run(ann, RunKind::Live, None, now()).await.unwrap();
        assert_eq!(db.store.frontier(ann).await.unwrap().complete(), None, "a running sync proves nothing");
        db.store.finish_run(ann, failed, outcome(RunState::Failed, vec![live("2026-06-14T07:59:00Z")]), now()).await.unwrap();
        assert_eq!(db.store.frontier(ann).await.unwrap().complete(), None, "nor does a failed one");
        let run = db.store.begin_run(ann, RunKind::Live, None, now()).await.unwrap();
        // 07:59 UTC is 00:59 in Los Angeles: the 13th is over there.
        let coverage = db.store.finish_run(ann, run, outcome(RunState::Partial, vec![live("2026-06-14T07:59:00Z")]), now()).await.unwrap();
        assert_eq!((coverage.complete(), coverage.open()), (Some(june(13)), Some(june(14))));
        assert!(matches!(db.store.finish_run(ann, run, outcome(RunState::Done, vec![]), now()).await, Err(Error::NotFound(_))), "once");
        let frontier = db.store.frontier(ann).await.unwrap();
        assert_eq!((frontier.complete(), frontier.open()), (Some(june(13)), Some(june(14))));
        let runs = db.store.list_runs(ann, 10).await.unwrap();
        assert_eq!(runs.iter().map(|r| r.state).collect::<Vec<_>>(), [RunState::Partial, RunState::Failed]);
        assert_eq!(runs[0].summary, json!({"imported": 3}));
    }

    async fn briefs_are_kept_with_their_facts_and_chats_with_their_words(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let fact = |id: &str, value: f64| StoredFact { fact_id: id.to_owned(), value: json!(value), source: json!({"table": "daily_wellness"}) };
        let brief = |headline: &str| NewBrief {
            day: june(14),
            model: "built-in".to_owned(),
            prompt_version: "brief/v1".to_owned(),
            schema_version: "1".to_owned(),
            body: json!({"headline": headline}),
            facts: vec![fact("sleep", 7.4), fact("form", -18.0)],
        };
        db.store.put_brief(ann, brief("first"), now()).await.unwrap();
        db.store.put_brief(ann, brief("second"), now()).await.unwrap();
        let found = db.store.find_brief(ann, june(14)).await.unwrap().unwrap();
        assert_eq!(found.body, json!({"headline": "second"}));
        assert_eq!(found.facts, [fact("form", -18.0), fact("sleep", 7.4)]);
        assert_eq!(db.store.find_brief(bob, june(14)).await.unwrap(), None);
        assert_eq!(db.store.find_brief(ann, june(13)).await.unwrap(), None);

        let chat = db.store.start_chat(ann, "My calf", now()).await.unwrap();
        let say = |role, words: &str| ChatMessage { role, body: json!({"text": words}), model: None, said_at: now() };
        db.store.add_chat_message(ann, chat, say(Role::Athlete, "My calf is tight")).await.unwrap();
        db.store.add_chat_message(ann, chat, say(Role::Coach, "Then rest")).await.unwrap();
        assert!(matches!(db.store.add_chat_message(bob, chat, say(Role::Athlete, "hi")).await, Err(Error::NotFound("chat"))));
        assert!(matches!(db.store.add_chat_message(ann, ChatId::new(99), say(Role::Athlete, "hi")).await, Err(Error::NotFound("chat"))));
        let said = db.store.list_chat_messages(ann, chat).await.unwrap();
        assert_eq!(said, [say(Role::Athlete, "My calf is tight"), say(Role::Coach, "Then rest")]);
        assert!(db.store.list_chat_messages(bob, chat).await.unwrap().is_empty());
        assert_eq!(db.store.list_chats(ann).await.unwrap()[0].title, "My calf");
        assert!(db.store.list_chats(bob).await.unwrap().is_empty());
    }

    async fn a_job_is_claimed_by_one_worker_and_tried_again_later(db) {
        let ann = db.user("Ann").await;
        let lease = TimeDelta::minutes(5);
        let id = db.store.enqueue(ann, "sync", json!({"source": 1}), now(), now()).await.unwrap();
        db.store.enqueue(ann, "brief", json!({}), now() + TimeDelta::hours(1), now()).await.unwrap();
        let job = db.store.claim_job("one", lease, now()).await.unwrap().unwrap();
        assert_eq!((job.id, job.attempts, job.kind.as_str()), (id, 1, "sync"));
        assert_eq!(db.store.claim_job("two", lease, now()).await.unwrap(), None, "claimed, and the other is not due");
        assert!(matches!(db.store.finish_job(ann, id, "two", now()).await, Err(Error::NotFound(_))));
        db.store.fail_job(ann, id, "one", "no answer", now()).await.unwrap();
        assert_eq!(db.store.claim_job("two", lease, now()).await.unwrap(), None, "it waits before it is tried again");
        let later = now() + TimeDelta::minutes(3);
        assert_eq!(db.store.claim_job("two", lease, later).await.unwrap().unwrap().attempts, 2);
        // The worker dies; its claim runs out.
        assert_eq!(db.store.claim_job("three", lease, later + TimeDelta::minutes(4)).await.unwrap(), None);
        let much_later = later + TimeDelta::minutes(6);
        assert_eq!(db.store.claim_job("three", lease, much_later).await.unwrap().unwrap().attempts, 3);
        assert!(matches!(db.store.finish_job(ann, id, "two", now()).await, Err(Error::NotFound(_))), "its claim is gone");
        db.store.finish_job(ann, id, "three", much_later).await.unwrap();
        let jobs = db.store.list_jobs(ann, 10).await.unwrap();
        assert_eq!(jobs.iter().map(|j| j.state).collect::<Vec<_>>(), [JobState::Queued, JobState::Done]);
        // A job whose worker disappears every time is given up as well.
        let poison = db.store.enqueue(ann, "poison", json!({}), now(), now()).await.unwrap();
        let mut at = much_later;
        for _ in 0..5 {
            assert_eq!(db.store.claim_job("victim", lease, at).await.unwrap().unwrap().id, poison);
            at += TimeDelta::minutes(6);
        }
        assert_eq!(db.store.claim_job("victim", lease, at).await.unwrap(), None);
        assert_eq!(db.store.list_jobs(ann, 1).await.unwrap()[0].state, JobState::Failed);
        // Five failures are enough.
        let mut at = now() + TimeDelta::days(1);
        let brief = jobs[0].id;
        for attempt in 1..=5 {
            assert_eq!(db.store.claim_job("one", lease, at).await.unwrap().unwrap().attempts, attempt);
            db.store.fail_job(ann, brief, "one", "still no answer", at).await.unwrap();
            at += TimeDelta::days(1);
        }
        assert_eq!(db.store.claim_job("one", lease, at).await.unwrap(), None);
        let brief_now = db.store.list_jobs(ann, 10).await.unwrap().into_iter().find(|j| j.id == brief).unwrap();
        assert_eq!(brief_now.state, JobState::Failed);
    }
}
