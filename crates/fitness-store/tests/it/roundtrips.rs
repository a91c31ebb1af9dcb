//! All other tables: values read back as written, only for their own user, with an audit entry.

use chrono::TimeDelta;
use fitness_core::adherence::data_frontier::CoverageEvidence;
use fitness_core::domain::athlete::{
    Profile, Sex, Threshold, ThresholdKind, ThresholdOrigin, ZoneKind, Zones,
};
use fitness_core::domain::calendar::Weekday;
use fitness_core::domain::ids::{ActivityId, ChatId, NoteId, SourceId};
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::domain::observation::{ObservationData, ObservationKind};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::TimeSpan;
use fitness_core::domain::units::UnitSystem;
use fitness_core::metrics::zones::{DatedZones, ZoneSource};
use fitness_store::testkit::{june, now};
use fitness_store::{
    ChatMessage, Error, FinishedFiles, ImportBatch, JobClaimFilter, JobState, ModelUsage, NewBrief,
    OUTCOME_EXPIRED, Purpose, RecordKind, Role, StoredFact, SyncRunKind, SyncRunOutcome, SyncRunState,
    on_both_databases,
};
use serde_json::json;

fn note_text(words: &str) -> NoteText {
    NoteText::new(words).unwrap()
}

on_both_databases! {
    async fn notes_are_added_and_deleted_and_suggestions_stay_pending(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let own = db.store.add_note(ann, Author::Athlete, Some(june(14)), &note_text("calf is tight"), now()).await.unwrap();
        let hint = db.store.add_note(ann, Author::Coach, None, &note_text("ignore the plan \u{202e}"), now()).await.unwrap();
        let notes = db.store.list_notes(ann).await.unwrap();
        assert_eq!(notes.iter().map(|n| (n.id, n.accepted, n.author)).collect::<Vec<_>>(), [(hint, false, Author::Coach), (own, true, Author::Athlete)]);
        assert_eq!(notes[0].text.as_str(), "ignore the plan \u{202e}", "stored as written, made visible when shown");
        for (user, id) in [(bob, hint), (ann, NoteId::new(999)), (ann, own)] {
            assert!(matches!(db.store.accept_note(user, id, now()).await, Err(Error::NotFound(_))));
        }
        db.store.accept_note(ann, hint, now()).await.unwrap();
        assert!(matches!(db.store.delete_note(bob, own, now()).await, Err(Error::NotFound(RecordKind::Note))));
        assert_eq!(db.store.delete_note(ann, own, now()).await.unwrap().text.as_str(), "calf is tight");
        assert_eq!(db.store.list_notes(ann).await.unwrap().len(), 1);
        assert!(db.store.list_notes(bob).await.unwrap().is_empty());
    }

    async fn observations_cover_their_days(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let ill = ObservationData::new(ObservationKind::Illness, june(10), june(13), Some(2)).unwrap().with_comment(Some(note_text("flu")));
        let id = db.store.add_observation(ann, Author::Athlete, &ill, now()).await.unwrap();
        for (from, through, found) in [(9, 9, 0), (9, 10, 1), (12, 12, 1), (13, 20, 1), (14, 20, 0)] {
            assert_eq!(db.store.list_observations(ann, june(from), june(through)).await.unwrap().len(), found, "{from}..{through}");
        }
        assert_eq!(db.store.list_observations(ann, june(10), june(10)).await.unwrap()[0].data, ill);
        let elsewhere = ObservationData::new(ObservationKind::Rpe, june(10), june(10), Some(7)).unwrap().for_activity(Some(ActivityId::new(77)));
        assert!(matches!(db.store.add_observation(ann, Author::Athlete, &elsewhere, now()).await, Err(Error::NotFound(RecordKind::Activity))));
        assert!(matches!(db.store.delete_observation(bob, id, now()).await, Err(Error::NotFound(_))));
        db.store.delete_observation(ann, id, now()).await.unwrap();
        assert!(db.store.list_observations(ann, june(1), june(30)).await.unwrap().is_empty());
    }

    async fn recording_absence_accepts_equal_suggestion_and_adds_no_duplicate(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let ill = ObservationData::new(ObservationKind::Illness, june(10), june(12), None).unwrap();
        let hint = db.store.add_observation(ann, Author::Coach, &ill, now()).await.unwrap();
        db.store.add_observation(bob, Author::Coach, &ill, now()).await.unwrap();
        assert_eq!(db.store.record_absence(ann, &ill, now()).await.unwrap(), hint);
        let marks = async |user| {
            let all = db.store.list_observations(user, june(1), june(30)).await.unwrap();
            all.iter().map(|one| (one.id, one.accepted)).collect::<Vec<_>>()
        };
        assert_eq!(marks(ann).await, [(hint, true)]);
        assert!(!marks(bob).await[0].1, "another athlete's suggestion stays a suggestion");
        assert_eq!(db.store.record_absence(ann, &ill, now()).await.unwrap(), hint, "the mark there is");
        let away = ObservationData::new(ObservationKind::Away, june(10), june(12), None).unwrap();
        let own = db.store.record_absence(ann, &away, now()).await.unwrap();
        assert_eq!(marks(ann).await, [(hint, true), (own, true)]);
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
            sleep_need: Some(TimeSpan::from_mins(480)),
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
        let dated = |from, low, origin| DatedZones { kind: ZoneKind::HeartRate, sport: Sport::Running, from, origin, zones: zones(low) };
        let put = async |from, low| db.store.put_zones(ann, &dated(from, low, ThresholdOrigin::Set), now()).await.unwrap();
        put(june(1), 100.0).await;
        put(june(10), 101.0).await;
        put(june(10), 105.0).await;
        let on = async |day| db.store.find_zones(ann, ZoneKind::HeartRate, Sport::Running, day).await.unwrap().map(|held| (held.zones, held.source, held.from));
        assert_eq!(on(june(9)).await, Some((zones(100.0), ZoneSource::Set, june(1))));
        assert_eq!(on(june(10)).await, Some((zones(105.0), ZoneSource::Set, june(10))));
        // Before zones are set, reported zones apply, or zones derived from a threshold; here there
        // is none.
        assert_eq!(on(june(1).previous()).await, None);
        let reported = vec![dated(june(1).previous(), 90.0, ThresholdOrigin::Reported), dated(june(12), 95.0, ThresholdOrigin::Reported)];
        db.store.import_batch(ann, ImportBatch { zones: reported, ..ImportBatch::default() }, now()).await.unwrap();
        assert_eq!(on(june(1).previous()).await, Some((zones(90.0), ZoneSource::Reported, june(1).previous())));
        assert_eq!(on(june(12)).await, Some((zones(105.0), ZoneSource::Set, june(10))), "what is set wins");
        for from in [june(1), june(10)] {
            db.store.remove_zones(ann, ZoneKind::HeartRate, Sport::Running, from, now()).await.unwrap();
        }
        assert_eq!(on(june(12)).await, Some((zones(95.0), ZoneSource::Reported, june(12))));
        let gone = db.store.remove_zones(ann, ZoneKind::HeartRate, Sport::Running, june(12), now()).await;
        assert!(matches!(gone, Err(Error::NotFound(RecordKind::Zones))), "only what was set can be forgotten: {gone:?}");

        db.store.put_setting(ann, "appearance", &"dark", now()).await.unwrap();
        db.store.put_setting(ann, "appearance", &"light", now()).await.unwrap();
        assert_eq!(db.store.find_setting::<String>(ann, "appearance").await.unwrap().as_deref(), Some("light"));
        assert_eq!(db.store.find_setting::<String>(bob, "appearance").await.unwrap(), None);
        assert!(matches!(db.store.find_setting::<u8>(ann, "appearance").await, Err(Error::Unreadable(_))));
        assert_eq!(db.store.list_settings(ann).await.unwrap().len(), 1);
    }

    async fn source_key_is_stored_encrypted_and_deleted_with_source(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let id = db.store.add_source(ann, "intervals_icu", "My intervals", json!({"athlete": "i123"}), now()).await.unwrap();
        assert_eq!(db.store.find_source_secret(ann, id).await.unwrap(), None);
        db.store.put_source_secret(ann, id, vec![1, 2, 3], Some(june(30)), now()).await.unwrap();
        db.store.put_source_secret(ann, id, vec![4, 5], Some(june(29)), now()).await.unwrap();
        assert_eq!(db.store.find_source_secret(ann, id).await.unwrap(), Some(vec![4, 5]));
        assert_eq!(db.store.find_source_secret(bob, id).await.unwrap(), None);
        assert!(matches!(db.store.put_source_secret(bob, id, vec![9], None, now()).await, Err(Error::NotFound(RecordKind::Source))));
        assert_eq!(db.store.list_sources(ann).await.unwrap()[0].key_expires_on, Some(june(29)));
        assert!(matches!(db.store.remove_source(bob, id, now()).await, Err(Error::NotFound(RecordKind::Source))));
        db.store.remove_source(ann, id, now()).await.unwrap();
        assert_eq!(db.store.find_source_secret(ann, id).await.unwrap(), None);
        assert!(db.store.list_sources(ann).await.unwrap().is_empty());
        let mine = db.store.add_source(ann, "folder", "Inbox", json!({}), now()).await.unwrap();
        assert!(matches!(db.store.begin_sync_run(bob, SyncRunKind::File, Some(mine), now()).await, Err(Error::NotFound(RecordKind::Source))));
        assert!(matches!(db.store.remove_source(ann, SourceId::new(99), now()).await, Err(Error::NotFound(RecordKind::Source))));
    }

    async fn sync_run_proves_its_coverage_and_failed_run_proves_none(db) {
        let ann = db.user("Ann").await;
        db.store.put_profile(ann, &Profile { zone: chrono_tz::Tz::America__Los_Angeles, ..Profile::default() }, now()).await.unwrap();
        let outcome = |state, evidence| SyncRunOutcome { kind: None, state, evidence, summary: json!({"imported": 3}), problem: None, files: FinishedFiles::default() };
        let live = |record: &str| CoverageEvidence::LiveSync { polled_at: now(), newest_record: Some(record.parse().unwrap()) };
        let failed = db.store.begin_sync_run(ann, SyncRunKind::Live, None, now()).await.unwrap();
        assert_eq!(db.store.frontier(ann).await.unwrap().complete_through(), None, "a running sync proves nothing");
        db.store.finish_sync_run(ann, failed, outcome(SyncRunState::Failed, vec![live("2026-06-14T07:59:00Z")]), now()).await.unwrap();
        assert_eq!(db.store.frontier(ann).await.unwrap().complete_through(), None, "nor does a failed one");
        let run = db.store.begin_sync_run(ann, SyncRunKind::Live, None, now()).await.unwrap();
        // 07:59 UTC is 00:59 in Los Angeles: the 13th is over there.
        let coverage = db.store.finish_sync_run(ann, run, outcome(SyncRunState::Partial, vec![live("2026-06-14T07:59:00Z")]), now()).await.unwrap();
        assert_eq!((coverage.complete_through(), coverage.open_day()), (Some(june(13)), Some(june(14))));
        assert!(matches!(db.store.finish_sync_run(ann, run, outcome(SyncRunState::Done, vec![]), now()).await, Err(Error::NotFound(_))), "once");
        let frontier = db.store.frontier(ann).await.unwrap();
        assert_eq!((frontier.complete_through(), frontier.open_day()), (Some(june(13)), Some(june(14))));
        let runs = db.store.list_sync_runs(ann, 10).await.unwrap();
        assert_eq!(runs.iter().map(|r| r.state).collect::<Vec<_>>(), [SyncRunState::Partial, SyncRunState::Failed]);
        // A killed run does not count as running forever.
        let killed = db.store.begin_sync_run(ann, SyncRunKind::File, None, now()).await.unwrap();
        db.store.begin_sync_run(ann, SyncRunKind::File, None, now() + TimeDelta::hours(1)).await.unwrap();
        db.store.begin_sync_run(ann, SyncRunKind::File, None, now() + TimeDelta::hours(25)).await.unwrap();
        let states: Vec<_> = db.store.list_sync_runs(ann, 3).await.unwrap().iter().map(|r| r.state).collect();
        assert_eq!(states, [SyncRunState::Running, SyncRunState::Running, SyncRunState::Failed], "{killed}");
        assert_eq!(runs[0].summary, json!({"imported": 3}));
    }

    async fn briefs_and_chats_round_trip(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let fact = |id: &str, value: f64| StoredFact { fact_id: id.to_owned(), value: json!(value), source: json!({"table": "daily_wellness"}) };
        let brief = |headline: &str| NewBrief {
            day: june(14),
            model: "built-in".to_owned(),
            prompt_version: "brief/v1".to_owned(),
            schema_version: "1".to_owned(),
            body: json!({"headline": headline}),
            cost_micros: Some(1200),
            fallback_reason: None,
            facts: vec![fact("sleep", 7.4), fact("form", -18.0)],
        };
        db.store.put_brief(ann, brief("first"), now()).await.unwrap();
        db.store.put_brief(ann, brief("second"), now()).await.unwrap();
        let found = db.store.find_brief(ann, june(14)).await.unwrap().unwrap();
        assert_eq!(found.body, json!({"headline": "second"}));
        assert_eq!(found.facts, [fact("form", -18.0), fact("sleep", 7.4)]);
        assert_eq!(found.cost_micros, Some(1200));
        assert_eq!(db.store.find_brief(bob, june(14)).await.unwrap(), None);
        assert_eq!(db.store.find_brief(ann, june(13)).await.unwrap(), None);

        let chat = db.store.start_chat(ann, "My calf", now()).await.unwrap();
        let say = |role, words: &str| ChatMessage { role, body: json!({"text": words}), model: None, said_at: now() };
        db.store.add_chat_message(ann, chat, say(Role::Athlete, "My calf is tight")).await.unwrap();
        db.store.add_chat_message(ann, chat, say(Role::Coach, "Then rest")).await.unwrap();
        assert!(matches!(db.store.add_chat_message(bob, chat, say(Role::Athlete, "hi")).await, Err(Error::NotFound(RecordKind::Chat))));
        assert!(matches!(db.store.add_chat_message(ann, ChatId::new(99), say(Role::Athlete, "hi")).await, Err(Error::NotFound(RecordKind::Chat))));
        let said = db.store.list_chat_messages(ann, chat).await.unwrap();
        assert_eq!(said, [say(Role::Athlete, "My calf is tight"), say(Role::Coach, "Then rest")]);
        assert!(db.store.list_chat_messages(bob, chat).await.unwrap().is_empty());
        assert_eq!(db.store.list_chats(ann).await.unwrap()[0].title, "My calf");
        assert!(db.store.list_chats(bob).await.unwrap().is_empty());
    }

    async fn model_usage_is_summed_by_user_and_day(db) {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let spent = |cost| ModelUsage { input: 100, output: 10, cost_micros: cost, ..ModelUsage::default() };
        for (user, cost, day) in [(ann, Some(5), june(14)), (ann, None, june(14)), (ann, Some(7), june(15)), (bob, Some(9), june(14))] {
            db.store.record_usage(user, Purpose::Chat, "a-model", spent(cost), day, now()).await.unwrap();
        }
        let day = db.store.usage_on(ann, june(14)).await.unwrap();
        assert_eq!((day.tokens(), day.cost_micros), (220, Some(5)));
        assert_eq!(db.store.usage_on(ann, june(13)).await.unwrap(), ModelUsage::default());
        assert_eq!(db.store.usage_on(bob, june(14)).await.unwrap().cost_micros, Some(9));
    }

    async fn a_job_is_claimed_by_one_worker_and_tried_again_later(db) {
        let ann = db.user("Ann").await;
        let lease = TimeDelta::minutes(5);
        let id = db.store.enqueue(ann, "sync", json!({"source": 1}), now(), now()).await.unwrap();
        db.store.enqueue(ann, "brief", json!({}), now() + TimeDelta::hours(1), now()).await.unwrap();
        let job = db.store.claim_job(JobClaimFilter::of_kind("sync"), "one", lease, now()).await.unwrap().unwrap();
        assert_eq!((job.id, job.attempts, job.kind.as_str()), (id, 1, "sync"));
        assert_eq!(db.store.claim_job(JobClaimFilter::of_kind("sync"), "two", lease, now()).await.unwrap(), None, "claimed, and the other is not due");
        assert!(matches!(db.store.finish_job(ann, id, "two", now()).await, Err(Error::NotFound(_))));
        db.store.fail_job(ann, id, "one", "no answer", now()).await.unwrap();
        assert_eq!(db.store.claim_job(JobClaimFilter::of_kind("sync"), "two", lease, now()).await.unwrap(), None, "it waits before it is tried again");
        let later = now() + TimeDelta::minutes(3);
        assert_eq!(db.store.claim_job(JobClaimFilter::of_kind("sync"), "two", lease, later).await.unwrap().unwrap().attempts, 2);
        // The worker dies; its lease expires.
        assert_eq!(db.store.claim_job(JobClaimFilter::of_kind("sync"), "three", lease, later + TimeDelta::minutes(4)).await.unwrap(), None);
        let much_later = later + TimeDelta::minutes(6);
        assert_eq!(db.store.claim_job(JobClaimFilter::of_kind("sync"), "three", lease, much_later).await.unwrap().unwrap().attempts, 3);
        assert!(matches!(db.store.finish_job(ann, id, "two", now()).await, Err(Error::NotFound(_))), "its claim is gone");
        db.store.finish_job(ann, id, "three", much_later).await.unwrap();
        let jobs = db.store.list_jobs(ann, 10).await.unwrap();
        assert_eq!(jobs.iter().map(|j| j.state).collect::<Vec<_>>(), [JobState::Queued, JobState::Done]);
        // A job whose worker dies every time fails too.
        let poison = db.store.enqueue(ann, "poison", json!({}), now(), now()).await.unwrap();
        let mut at = much_later;
        for _ in 0..5 {
            assert_eq!(db.store.claim_job(JobClaimFilter::of_kind("poison"), "victim", lease, at).await.unwrap().unwrap().id, poison);
            at += TimeDelta::minutes(6);
        }
        assert_eq!(db.store.claim_job(JobClaimFilter::of_kind("poison"), "victim", lease, at).await.unwrap(), None);
        assert_eq!(db.store.list_jobs(ann, 1).await.unwrap()[0].state, JobState::Failed);
        // A job fails after five attempts.
        let mut at = now() + TimeDelta::days(1);
        let brief = jobs[0].id;
        for attempt in 1..=5 {
            assert_eq!(db.store.claim_job(JobClaimFilter::of_kind("brief"), "one", lease, at).await.unwrap().unwrap().attempts, attempt);
            db.store.fail_job(ann, brief, "one", "still no answer", at).await.unwrap();
            at += TimeDelta::days(1);
        }
        assert_eq!(db.store.claim_job(JobClaimFilter::of_kind("brief"), "one", lease, at).await.unwrap(), None);
        let brief_now = db.store.list_jobs(ann, 10).await.unwrap().into_iter().find(|j| j.id == brief).unwrap();
        assert_eq!(brief_now.state, JobState::Failed);
    }

    async fn athletes_take_turns_and_have_one_running_job_of_a_kind(db) {
        let (ann, bob, cid) = (db.user("Ann").await, db.user("Bob").await, db.user("Cid").await);
        let lease = TimeDelta::minutes(5);
        let mut ids = Vec::new();
        for (user, minutes) in [(ann, 30), (ann, 29), (ann, 28), (bob, 5), (cid, 9)] {
            let due = now() - TimeDelta::minutes(minutes);
            ids.push(db.store.enqueue(user, "sync", json!({}), due, now()).await.unwrap());
        }
        db.store.enqueue(ann, "brief", json!({}), now(), now()).await.unwrap();
        let mut claimed = Vec::new();
        let mut wanted = JobClaimFilter::of_kind("sync");
        while let Some(job) = db.store.claim_job(wanted, "one", lease, now()).await.unwrap() {
            wanted.after = Some(job.user);
            claimed.push(job.id);
        }
        assert_eq!(claimed, [ids[0], ids[3], ids[4]], "the others of Ann's wait until her first is done");
        db.store.finish_job(ann, ids[0], "one", now()).await.unwrap();
        let other = JobClaimFilter { only: Some(&ids[2..]), ..wanted };
        assert_eq!(db.store.claim_job(other, "one", lease, now()).await.unwrap().unwrap().id, ids[2]);
        assert_eq!(db.store.claim_job(wanted, "one", lease, now()).await.unwrap(), None);
        assert!(db.store.claim_job(JobClaimFilter::of_kind("brief"), "one", lease, now()).await.unwrap().is_some());
        // An abandoned job blocks neither itself nor the next one.
        let later = now() + TimeDelta::minutes(6);
        assert!(db.store.claim_job(wanted, "two", lease, later).await.unwrap().is_some());
    }

    async fn claims_at_the_same_moment_give_an_athlete_one_running_job_of_a_kind(db) {
        let ann = db.user("Ann").await;
        let lease = TimeDelta::minutes(5);
        let mut stores = Vec::new();
        for _ in 0..4 {
            stores.push(db.another_store().await);
        }
        for round in 0..20 {
            for _ in 0..2 {
                db.store.enqueue(ann, "sync", json!({}), now(), now()).await.unwrap();
            }
            let mut claims = tokio::task::JoinSet::new();
            for (number, store) in stores.iter().cloned().enumerate() {
                claims.spawn(async move {
                    let worker = number.to_string();
                    let claimed = store.claim_job(JobClaimFilter::of_kind("sync"), &worker, lease, now()).await;
                    claimed.unwrap().map(|job| (job.id, worker))
                });
            }
            let claimed: Vec<_> = claims.join_all().await.into_iter().flatten().collect();
            assert_eq!(claimed.len(), 1, "round {round}: {claimed:?}");
            db.store.finish_job(ann, claimed[0].0, &claimed[0].1, now()).await.unwrap();
            let rest = db.store.claim_job(JobClaimFilter::of_kind("sync"), "rest", lease, now()).await.unwrap().unwrap();
            db.store.finish_job(ann, rest.id, "rest", now()).await.unwrap();
        }
    }

    async fn finished_job_stores_its_outcome(db) {
        let ann = db.user("Ann").await;
        let lease = TimeDelta::minutes(5);
        let wanted = JobClaimFilter::of_kind("brief");
        let written = db.store.enqueue(ann, "brief", json!({"day": "2026-06-14"}), now(), now()).await.unwrap();
        db.store.claim_job(wanted, "one", lease, now()).await.unwrap().unwrap();
        db.store.finish_job_with(ann, written, "one", json!("written"), now()).await.unwrap();
        let late = db.store.enqueue(ann, "brief", json!({"day": "2026-06-15"}), now(), now()).await.unwrap();
        db.store.claim_job(wanted, "one", lease, now()).await.unwrap().unwrap();
        db.store.expire_job(ann, late, "one", "the morning had passed", now()).await.unwrap();
        let jobs = db.store.list_jobs(ann, 10).await.unwrap();
        assert_eq!((jobs[1].state, jobs[1].outcome()), (JobState::Done, Some("written")));
        assert_eq!((jobs[0].state, jobs[0].outcome()), (JobState::Failed, Some(OUTCOME_EXPIRED)));
        assert_eq!(jobs[0].payload["day"], "2026-06-15");
        assert_eq!(db.store.claim_job(wanted, "one", lease, now() + TimeDelta::days(1)).await.unwrap(), None);
        db.store.retry_job(ann, late, now()).await.unwrap();
        assert_eq!(db.store.list_jobs(ann, 1).await.unwrap()[0].outcome(), None);
    }
}
