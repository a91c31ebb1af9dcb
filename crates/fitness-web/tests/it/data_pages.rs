//! Data coming in: services, files, what was found, and the first steps.

use crate::fake_services::{RecordingServices, assert_page, site_with_owner};
use crate::harness::{BASE_URL, Browser, TestResponse, TestSite};
use axum::body::Body;
use axum::http::{StatusCode, header};
use chrono::TimeDelta;
use fitness_coach::settings::{CoachSettings, Provider, SETTING_KEY};
use fitness_core::domain::activity::Activity;
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::domain::source_record::{ParsedActivity, RecordKey, SourceKind, SourceRecord};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan, UnitSystem};
use fitness_core::metrics::predict::ResultKind;
use fitness_store::testkit::{june, now};
use fitness_store::{
    FinishedFiles, JobClaimFilter, JobState, RaceResult, SyncRunKind, SyncRunOutcome, SyncRunState,
};
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

const BAD: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;
const BOUNDARY: &str = "----a-test";

/// A run of an hour on 13 June as a track.
fn gpx(name: &str) -> String {
    let mut points = String::new();
    for minute in 0..60 {
        let lat = 47.0 + f64::from(minute) * 0.0015;
        write!(
            points,
            "<trkpt lat=\"{lat:.5}\" lon=\"8.5\"><ele>400</ele><time>2026-06-13T06:{minute:02}:00Z</time></trkpt>"
        )
        .unwrap();
    }
    format!(
        "<?xml version=\"1.0\"?><gpx version=\"1.1\" creator=\"a test\" xmlns=\"http://www.topografix.com/GPX/1/1\">\
         <trk><name>{name}</name><type>running</type><trkseg>{points}</trkseg></trk></gpx>"
    )
}

/// A part of an upload.
fn part(name: &str, file: Option<&str>, content: &str) -> String {
    let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
    format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{content}\r\n")
}

async fn upload(browser: &Browser, parts: &[String]) -> TestResponse {
    let body = format!("{}--{BOUNDARY}--\r\n", parts.concat());
    let request = browser
        .request("POST", "/import")
        .header(header::ORIGIN, BASE_URL)
        .header(header::CONTENT_TYPE, format!("multipart/form-data; boundary={BOUNDARY}"));
    browser.send(request.body(Body::from(body)).unwrap()).await
}

/// The page of an import when it is over.
async fn import_result(site: &TestSite, browser: &Browser, path: &str) -> TestResponse {
    let page = browser.get(path).await;
    assert!(page.contains("data-poll") && page.contains("You can close this page."), "{}", page.text);
    assert!(browser.get("/data").await.contains("An import is running."));
    site.run_imports().await;
    let page = browser.get(path).await;
    assert_page(&page, StatusCode::OK, "<h2>Imported</h2>");
    assert!(!page.contains("data-poll"), "{}", page.text);
    page
}

#[tokio::test(flavor = "multi_thread")]
async fn uploaded_files_are_imported_and_summarised() {
    let (site, _, user, ann) = site_with_owner().await;
    let token = || part("form_token", None, &ann.token);
    let files = [
        token(),
        part("from", None, "welcome"),
        part("files", Some("../../morning <b>run.gpx"), &gpx("&lt;img src=x onerror=alert(1)&gt;")),
        part("files", Some("broken.fit"), "this is no FIT file"),
    ];
    let sent = upload(&ann, &files).await;
    let path = sent.redirect_target().to_owned();
    assert!(path.starts_with("/import/") && path.ends_with("?from=welcome"), "{path}");
    let ben = site.db.user("Ben").await;
    let ben = site.signed_in(ben).await;
    assert_eq!(ben.get(&path).await.status, StatusCode::NOT_FOUND, "another's import is none");
    let page = import_result(&site, &ann, &path).await;
    assert!(page.contains("Imported 1 new activity on 13 Jun 2026."), "{}", page.text);
    assert!(page.contains("broken.fit: ") && !page.contains("uploads/"), "{}", page.text);
    assert!(page.contains("/welcome?step=3") && !page.contains("<img"));
    let (count, span) = site.db.store.count_activities(user).await.unwrap();
    assert_eq!((count, span), (1, Some((june(13), june(13)))));

    let again = upload(&ann, &[token(), part("files", Some("same.gpx"), &gpx("x"))]).await;
    import_result(&site, &ann, again.redirect_target()).await;
    assert_eq!(site.db.store.count_activities(user).await.unwrap().0, 1, "the same run is one activity");
    let page = ann.get("/data").await;
    assert!(
        page.contains("Files") && page.contains("1 new activity") && page.contains("1 item skipped"),
        "{}",
        page.text
    );
    assert!(page.contains("/import") && page.contains("Export Your Data"));
    let found = ann.get("/overview").await;
    assert_page(&found, StatusCode::OK, "<th scope=\"row\">2026</th>");
    for page in [&page, &found] {
        assert!(page.text.len() < 38_000, "{}", page.text.len());
    }
    // Nothing of it is left beside the database.
    assert_eq!(list_uploaded_files(&site), Vec::<PathBuf>::new());
}

/// What is in the folder of uploads, beside the database.
fn list_uploaded_files(site: &TestSite) -> Vec<PathBuf> {
    let folder = Path::new(site.db.url()).parent().unwrap().join("uploads");
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn accepted_upload_is_a_job_that_another_server_finishes() {
    let (site, _, user, ann) = site_with_owner().await;
    let files = [part("form_token", None, &ann.token), part("files", Some("run.gpx"), &gpx("x"))];
    let sent = upload(&ann, &files).await;
    let path = sent.redirect_target().to_owned();
    let job = site.db.store.newest_job(user, "import").await.unwrap().unwrap();
    assert_eq!(job.state, JobState::Queued);
    let refused = upload(&ann, &files).await;
    assert_page(&refused, StatusCode::CONFLICT, "An import is running");
    assert_eq!(list_uploaded_files(&site).len(), 1, "of what was refused nothing is left");
    // A server that knows nothing of it begins, and ends in the middle.
    let claim = JobClaimFilter::of_kind("import");
    site.db.store.claim_job(claim, "killed", TimeDelta::seconds(-1), now()).await.unwrap().unwrap();
    assert!(ann.get(&path).await.contains("data-poll"));
    site.db.store.remove_leftover_uploads(now()).await.unwrap();
    assert_eq!(list_uploaded_files(&site).len(), 1, "a job still needs it");
    let restarted = site.restart();
    restarted.run_imports().await;
    let page = restarted.on_current_router(&ann).get(&path).await;
    assert_page(&page, StatusCode::OK, "Imported 1 new activity");
    assert_eq!(site.db.store.count_activities(user).await.unwrap().0, 1);
    assert_eq!(list_uploaded_files(&site), Vec::<PathBuf>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn upload_whose_files_are_gone_is_given_up_and_says_so() {
    let (site, _, user, ann) = site_with_owner().await;
    for payload in [json!({ "upload": "../../../etc" }), json!({}), json!({ "upload": "x" })] {
        site.db.store.enqueue(user, "import", payload.clone(), now(), now()).await.unwrap();
        site.run_imports().await;
        let job = site.db.store.newest_job(user, "import").await.unwrap().unwrap();
        assert_eq!((job.state, job.outcome()), (JobState::Failed, Some("expired")), "{payload}");
        assert_page(&ann.get(&format!("/import/{}", job.id)).await, StatusCode::OK, "Import failed");
    }
    // Another kind of job is not an import.
    let other = site.db.store.enqueue(user, "sync", json!({}), now(), now()).await.unwrap();
    assert_eq!(ann.get(&format!("/import/{other}")).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_a_failed_import_are_kept_for_a_week_so_that_it_can_be_retried() {
    let (site, _, user, _) = site_with_owner().await;
    let store = &site.db.store;
    let arriving = store.upload_directory().await.unwrap().begin_upload().unwrap();
    let (folder, payload) = (arriving.path().to_owned(), arriving.payload());
    store.enqueue(user, "import", payload, now(), now()).await.unwrap();
    arriving.persist();
    // Fails until it is given up.
    let exhaust = async |mut at: Instant| {
        let import = JobClaimFilter::of_kind("import");
        while let Some(job) = store.claim_job(import, "w", TimeDelta::minutes(1), at).await.unwrap() {
            store.fail_job(user, job.id, "w", "the disk is full", at).await.unwrap();
            at += TimeDelta::hours(2);
        }
        at
    };
    let at = exhaust(now()).await;
    let job = store.newest_job(user, "import").await.unwrap().unwrap();
    assert_eq!(job.state, JobState::Failed);
    assert!(store.remove_leftover_uploads(at).await.unwrap().is_empty() && folder.is_dir());
    store.retry_job(user, job.id, at).await.unwrap();
    let at = exhaust(at).await + TimeDelta::days(7);
    assert_eq!(store.remove_leftover_uploads(at).await.unwrap(), [folder]);
}

#[tokio::test(flavor = "multi_thread")]
async fn upload_that_breaks_off_leaves_nothing() {
    let (site, _, user, ann) = site_with_owner().await;
    let cut =
        format!("{}{}", part("form_token", None, &ann.token), part("files", Some("run.gpx"), &gpx("x")));
    let request = ann.request("POST", "/import").header(header::ORIGIN, BASE_URL);
    let request = request.header(header::CONTENT_TYPE, format!("multipart/form-data; boundary={BOUNDARY}"));
    assert_eq!(ann.send(request.body(Body::from(cut)).unwrap()).await.status, StatusCode::BAD_REQUEST);
    assert_eq!(list_uploaded_files(&site), Vec::<PathBuf>::new());
    assert_eq!(site.db.store.newest_job(user, "import").await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn upload_without_token_or_files_is_refused() {
    let (site, _, user, ann) = site_with_owner().await;
    let file = || part("files", Some("run.gpx"), &gpx("x"));
    let token = || part("form_token", None, &ann.token);
    for (parts, status) in [
        (vec![file()], StatusCode::FORBIDDEN),
        (vec![file(), token()], StatusCode::FORBIDDEN),
        (vec![part("form_token", None, "00"), file()], StatusCode::FORBIDDEN),
        (vec![part("form_token", None, &"x".repeat(5000)), file()], StatusCode::PAYLOAD_TOO_LARGE),
        (vec![], StatusCode::FORBIDDEN),
        (vec![token()], BAD),
        (vec![token(), part("files", Some(""), "")], BAD),
    ] {
        let page = upload(&ann, &parts).await;
        assert_eq!(page.status, status, "{}", page.text);
    }
    let request = ann.request("POST", "/import").header(header::ORIGIN, BASE_URL);
    let form = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    let form = form.body(Body::from(format!("form_token={}", ann.token))).unwrap();
    assert_eq!(ann.send(form).await.status, StatusCode::BAD_REQUEST);
    let cut = format!("{}--{BOUNDARY}\r\nContent-Dispo", token());
    let request = ann.request("POST", "/import").header(header::ORIGIN, BASE_URL);
    let request = request.header(header::CONTENT_TYPE, format!("multipart/form-data; boundary={BOUNDARY}"));
    assert_eq!(ann.send(request.body(Body::from(cut)).unwrap()).await.status, StatusCode::BAD_REQUEST);
    let request = ann.request("POST", "/import").header(header::ORIGIN, "http://evil.example");
    let request = request.header(header::CONTENT_TYPE, format!("multipart/form-data; boundary={BOUNDARY}"));
    let body = format!("{}{}--{BOUNDARY}--\r\n", token(), file());
    assert_eq!(ann.send(request.body(Body::from(body)).unwrap()).await.status, StatusCode::FORBIDDEN);
    for path in ["/import/1", "/import/999", "/import/x", "/import/18446744073709551616"] {
        let status = ann.get(path).await.status;
        assert!(status == StatusCode::NOT_FOUND || path == "/import/1", "{path} {status}");
    }
    assert_eq!(site.db.store.count_activities(user).await.unwrap().0, 0);
}

#[tokio::test]
async fn services_are_connected_rekeyed_synced_and_removed() {
    let (site, outside, user, ann) = site_with_owner().await;
    let huge = "x".repeat(20_000);
    let form = |service, key, expires, athlete| {
        [("service", service), ("key", key), ("expires", expires), ("athlete", athlete)]
    };
    for (fields, says) in [
        (form("intervals", "", "", ""), "Paste the key here."),
        (form("strava", "k", "", ""), "Choose a service from the list."),
        (form("intervals", "k", "soon", ""), "expires-fault"),
        (form("intervals", "k", "", "../x"), "athlete-fault"),
        (form("intervals", "wrong", "", ""), "The key cannot be right."),
        (form("intervals", &huge, "", ""), "That key is too long."),
    ] {
        assert_page(&ann.post("/data", &fields).await, BAD, says);
    }
    ann.post("/data", &form("intervals", "k-secret", "2026-12-31", "i12345")).await.redirect_target();
    let source = site.db.store.list_sources(user).await.unwrap().remove(0);
    let page = ann.get("/data").await;
    assert!(page.contains("not synced yet") && !page.contains("k-secret"), "{}", page.text);
    let key = format!("/data/{}/key", source.id);
    assert_page(&ann.post(&key, &[("new_key", "wrong")]).await, BAD, "The key cannot be right.");
    ann.post(&key, &[("new_key", "fine"), ("expires", "2026-06-16")]).await.redirect_target();
    assert_page(&ann.get("/data").await, StatusCode::OK, "add a new one");

    let came_from = ann.request("POST", "/sync").header(header::ORIGIN, BASE_URL);
    let came_from = came_from.header(header::REFERER, format!("{BASE_URL}/trends?range=1y"));
    let sent = ann.send(crate::harness::form(came_from, &[("form_token", &ann.token)])).await;
    assert_eq!(sent.redirect_target(), "/trends?done=synced");
    let elsewhere = ann.request("POST", "/sync").header(header::ORIGIN, BASE_URL);
    let elsewhere = elsewhere.header(header::REFERER, "http://evil.example/");
    let sent = ann.send(crate::harness::form(elsewhere, &[("form_token", &ann.token)])).await;
    assert_eq!(sent.redirect_target(), "/data?done=synced");
    wait_for_sync(&outside, user).await;

    let failed = SyncRunOutcome {
        kind: None,
        state: SyncRunState::Failed,
        evidence: Vec::new(),
        summary: serde_json::json!({}),
        problem: Some("the service says <b>the key is unknown".to_owned()),
        files: FinishedFiles::default(),
    };
    let run = site.db.store.begin_sync_run(user, SyncRunKind::Live, Some(source.id), now()).await.unwrap();
    site.db.store.finish_sync_run(user, run, failed, now()).await.unwrap();
    let page = ann.get("/data").await;
    assert!(
        page.contains("The service says &lt;b&gt;the key is unknown.") && page.contains("Failed"),
        "{}",
        page.text
    );

    let ben = site.db.user("Ben").await;
    let ben = site.signed_in(ben).await;
    assert_eq!(ben.post(&key, &[("new_key", "x")]).await.status, StatusCode::NOT_FOUND);
    let remove = format!("/data/{}/remove", source.id);
    assert_eq!(ben.post(&remove, &[]).await.status, StatusCode::NOT_FOUND);
    assert!(!ben.get("/data").await.contains("the key is unknown"));
    ann.post(&remove, &[]).await.redirect_target();
    assert!(site.db.store.list_sources(user).await.unwrap().is_empty());
}

async fn wait_for_sync(outside: &RecordingServices, user: UserId) {
    let mut asked = Vec::new();
    for _ in 0..200 {
        asked.extend(outside.take_calls());
        if asked.contains(&format!("sync {user}")) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{asked:?}");
}

#[tokio::test]
async fn likely_race_is_saved_only_after_confirmation() {
    let (site, _, user, ann) = site_with_owner().await;
    assert_page(&ann.get("/overview").await, StatusCode::OK, "No data yet.");
    let id = race(&site, user).await;
    let page = ann.get("/overview").await;
    assert_page(&page, StatusCode::OK, "Were these races?");
    let ben = site.db.user("Ben").await;
    let ben = site.signed_in(ben).await;
    for verb in ["confirm", "decline"] {
        let path = format!("/overview/races/{id}/{verb}");
        assert_eq!(ben.post(&path, &[]).await.status, StatusCode::NOT_FOUND, "{verb}");
    }
    ann.post(&format!("/overview/races/{id}/confirm"), &[]).await.redirect_target();
    let races = site.db.store.list_races(user).await.unwrap();
    assert_eq!(races.len(), 1);
    assert_eq!(races[0].result.distance.mm(), 10_000_000, "the course's own distance");
    assert!(!ann.get("/overview").await.contains("Were these races?"));
    assert_eq!(ann.post("/overview/races/999/confirm", &[]).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn race_without_activity_is_listed_on_overview() {
    let (site, _, user, ann) = site_with_owner().await;
    let raced = RaceResult {
        activity: None,
        day: june(7),
        name: "Town <10k>".to_owned(),
        distance: Distance::from_km(10.0).unwrap(),
        time: TimeSpan::from_mins(45),
        effort: ResultKind::Race,
    };
    let id = site.db.store.put_race(user, &raced, now()).await.unwrap();
    site.db.store.declare_day_complete(user, june(13), now()).await.unwrap();
    assert_page(&ann.get("/days/2026-06-14").await, StatusCode::OK, "<a href=\"/overview#races\">race on ");
    assert_page(&ann.get("/overview").await, StatusCode::OK, "id=\"races\"");
    assert_page(&ann.get("/overview").await, StatusCode::OK, "Town &lt;10k&gt;");
    let path = format!("/overview/results/{id}/remove");
    let ben = site.db.user("Ben").await;
    assert_eq!(site.signed_in(ben).await.post(&path, &[]).await.status, StatusCode::NOT_FOUND);
    assert_eq!(ann.post(&path, &[]).await.redirect_target(), "/overview?done=saved#races");
    assert!(!ann.get("/overview").await.contains("Town"));
}

/// A run of 10 km that its source calls a race.
async fn race(site: &TestSite, user: UserId) -> ActivityId {
    let activity = Activity {
        name: Some("City <10k>".to_owned()),
        distance: Distance::from_km(10.04),
        elapsed: Some(TimeSpan::from_mins(45)),
        moving: Some(TimeSpan::from_mins(45)),
        ..Activity::new(Sport::Running, "2026-06-07T07:00:00Z".parse().unwrap(), 0)
    };
    let key = RecordKey { kind: SourceKind::Garmin, id: "race".to_owned() };
    let recorded = ParsedActivity { race: true, ..ParsedActivity::without_samples(activity) };
    site.db.import_record(user, SourceRecord { key, parsed: recorded, raw: None }).await;
    site.db.store.declare_day_complete(user, june(13), now()).await.unwrap();
    let all = site.db.store.list_activities(user, june(1), june(14)).await.unwrap();
    all[0].id
}

#[tokio::test]
async fn welcome_steps_can_be_done_or_skipped() {
    let (site, outside, user, ann) = site_with_owner().await;
    let before = site.db.store.fingerprint(user).await.unwrap();
    for (path, says, skips) in [
        ("/welcome", "Time zone and units", "/welcome?step=2"),
        ("/welcome?step=2", "Import your training", "/welcome?step=3"),
        ("/welcome?step=3", "Choose a coach", "/welcome?step=4"),
        ("/welcome?step=4", "Are you training for a race?", "/plan/new"),
        ("/welcome?step=nonsense", "Time zone and units", "/welcome?step=2"),
    ] {
        let page = ann.get(path).await;
        assert_page(&page, StatusCode::OK, says);
        assert!(page.contains(skips) && page.contains("aria-current=\"step\""), "{path}");
    }
    assert_eq!(site.db.store.fingerprint(user).await.unwrap(), before, "looking changes nothing");
    let kept = Profile { birth_year: Some(1985), ..Profile::default() };
    site.db.store.put_profile(user, &kept, now()).await.unwrap();
    let you = [("zone", "Europe/Zurich"), ("units", "imperial")];
    assert_eq!(ann.post("/welcome/you", &you).await.redirect_target(), "/welcome?step=2");
    let profile = site.db.store.profile(user).await.unwrap();
    assert_eq!(
        (profile.units, profile.birth_year),
        (UnitSystem::Imperial, Some(1985)),
        "what was not asked stays"
    );
    assert_page(
        &ann.post("/welcome/you", &[("zone", "Nowhere"), ("units", "metric")]).await,
        BAD,
        "zone-fault",
    );
    let source = [("service", "intervals"), ("key", "k"), ("expires", ""), ("athlete", "")];
    assert_eq!(ann.post("/welcome/source", &source).await.redirect_target(), "/welcome?step=3");
    wait_for_sync(&outside, user).await;
    assert_page(&ann.post("/welcome/source", &[("service", "intervals")]).await, BAD, "key-fault");
    let coach = [("provider", "openai"), ("model", "llama3.2"), ("address", ""), ("key", "")];
    assert_eq!(ann.post("/welcome/coach", &coach).await.redirect_target(), "/welcome?step=4");
    let chosen: CoachSettings = site.db.store.find_setting(user, SETTING_KEY).await.unwrap().unwrap();
    assert_eq!((chosen.provider, chosen.model.as_deref()), (Provider::Openai, Some("llama3.2")));
    assert_page(&ann.post("/welcome/coach", &[("provider", "openai")]).await, BAD, "model-fault");
}
