//! The API: opened by a token of either scope or by the athlete's browser, only for reading, and as it is described.

use crate::harness::{BASE_URL, Browser, TestResponse, TestSite};
use axum::body::Body;
use axum::http::{StatusCode, header};
use chrono::TimeDelta;
use fitness_core::coach_api::Scope;
use fitness_core::domain::activity::{Activity, Lap};
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::domain::note::Author;
use fitness_core::domain::observation::{ObservationData, ObservationKind};
use fitness_core::domain::source_record::{ParsedActivity, RecordKey, SourceKind, SourceRecord};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_store::NewBrief;
use fitness_store::testkit::{june, now};
use serde_json::{Value, json};

const PATHS: [&str; 6] = [
    "/api/v1/today",
    "/api/v1/plan",
    "/api/v1/activities",
    "/api/v1/activities/1",
    "/api/v1/trends",
    "/api/v1/brief",
];

/// An athlete with a plan, three runs and a brief.
async fn create_athlete(site: &TestSite, name: &str) -> UserId {
    let user = site.db.user(name).await;
    site.db.active_plan(user, "Half <b>").await;
    for (at, day) in [9, 11, 12].into_iter().enumerate() {
        let activity = Activity {
            name: Some(format!("{name}'s run {at}")),
            distance: Distance::from_km(8.0),
            elapsed: Some(TimeSpan::from_mins(45)),
            moving: Some(TimeSpan::from_mins(44)),
            avg_heart_rate: Some(141),
            laps: vec![lap()],
            ..Activity::new(Sport::Running, format!("{}T07:00:00Z", june(day)).parse().unwrap(), 0)
        };
        let key = RecordKey { kind: SourceKind::Garmin, id: format!("{name}-{at}") };
        site.db
            .import_record(
                user,
                SourceRecord { key, parsed: ParsedActivity::without_samples(activity), raw: None },
            )
            .await;
    }
    site.db.store.declare_day_complete(user, june(13), now()).await.unwrap();
    let brief = NewBrief {
        day: june(14),
        model: "a-model".to_owned(),
        prompt_version: String::new(),
        schema_version: "1".to_owned(),
        body: json!({ "rendered": "Keep it easy." }),
        cost_micros: None,
        fallback_reason: None,
        facts: Vec::new(),
    };
    site.db.store.put_brief(user, brief, now()).await.unwrap();
    user
}

fn lap() -> Lap {
    Lap {
        started_at: now(),
        elapsed: Some(TimeSpan::from_mins(45)),
        moving: None,
        distance: Distance::from_km(8.0),
        avg_heart_rate: Some(141),
        max_heart_rate: None,
        avg_power: None,
        avg_cadence: None,
        kind: None,
    }
}

/// Asks with a token and no cookie.
async fn with_token(site: &TestSite, path: &str, bearer: &str) -> TestResponse {
    let nobody = site.signed_out_browser();
    let request = nobody.request("GET", path).header(header::AUTHORIZATION, bearer);
    nobody.send(request.body(Body::empty()).unwrap()).await
}

fn json_body(page: &TestResponse) -> Value {
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    assert_eq!(page.headers[header::CONTENT_TYPE], "application/json");
    serde_json::from_str(&page.text).unwrap()
}

#[track_caller]
fn assert_problem_json(page: &TestResponse, status: StatusCode) {
    assert_eq!(page.status, status, "{}", page.text);
    assert_eq!(page.headers[header::CONTENT_TYPE], "application/problem+json", "{}", page.text);
    let problem: Value = serde_json::from_str(&page.text).unwrap();
    assert_eq!(problem["status"], status.as_u16());
    assert!(problem["detail"].as_str().unwrap().ends_with('.'), "{problem}");
}

#[tokio::test]
async fn tokens_of_both_scopes_and_own_browser_can_read() {
    let site = TestSite::new().await;
    let ann = create_athlete(&site, "Ann").await;
    let browser = site.signed_in(ann).await;
    let store = &site.db.store;
    let (_, read) = store.mint_api_token(ann, "reads", Scope::Read, None, now()).await.unwrap();
    let (_, draft) = store.mint_api_token(ann, "drafts", Scope::Draft, None, now()).await.unwrap();
    let (id, revoked) = store.mint_api_token(ann, "revoked", Scope::Read, None, now()).await.unwrap();
    store.revoke_api_token(ann, id, now()).await.unwrap();
    let ended = now() - TimeDelta::minutes(1);
    let (_, ended) = store.mint_api_token(ann, "ended", Scope::Read, Some(ended), now()).await.unwrap();
    for path in PATHS {
        let own = json_body(&browser.get(path).await);
        for token in [&read, &draft] {
            assert_eq!(
                json_body(&with_token(&site, path, &format!("Bearer {}", token.reveal())).await),
                own,
                "{path}"
            );
        }
        for bad in [revoked.reveal(), ended.reveal(), "0000000000000000", "short", "", "a b"] {
            let page = with_token(&site, path, &format!("Bearer {bad}")).await;
            assert_problem_json(&page, StatusCode::UNAUTHORIZED);
            assert!(page.headers.contains_key(header::WWW_AUTHENTICATE));
        }
        assert_problem_json(
            &with_token(&site, path, &format!("Basic {}", read.reveal())).await,
            StatusCode::UNAUTHORIZED,
        );
        assert_problem_json(&site.signed_out_browser().get(path).await, StatusCode::UNAUTHORIZED);
        // A cookie does not help a token that is none.
        let both = browser.request("GET", path).header(header::AUTHORIZATION, "Bearer 0000000000000000");
        assert_problem_json(&browser.send(both.body(Body::empty()).unwrap()).await, StatusCode::UNAUTHORIZED);
        for method in ["POST", "PUT", "DELETE", "PATCH"] {
            let request = browser.request(method, path).header(header::ORIGIN, BASE_URL).body(Body::empty());
            assert_eq!(
                browser.send(request.unwrap()).await.status,
                StatusCode::METHOD_NOT_ALLOWED,
                "{method} {path}"
            );
        }
    }
    let used = store.list_api_tokens(ann).await.unwrap();
    assert!(used.iter().filter(|token| token.used_at.is_some()).count() >= 2, "{used:?}");
    // A token opens no page.
    for path in ["/", "/settings", "/data"] {
        let page = with_token(&site, path, &format!("Bearer {}", draft.reveal())).await;
        assert_eq!(page.status, StatusCode::FORBIDDEN, "{path}");
    }
}

#[tokio::test]
async fn responses_match_stored_data_of_the_caller_only() {
    let site = TestSite::new().await;
    let (ann, ben) = (create_athlete(&site, "Ann").await, site.db.user("Ben").await);
    let (of_ann, of_ben) = (site.signed_in(ann).await, site.signed_in(ben).await);
    let today = json_body(&of_ann.get("/api/v1/today").await);
    assert_eq!((&today["day"], &today["data_through"]), (&json!("2026-06-14"), &json!("2026-06-13")));
    assert!(today["facts"].as_array().unwrap().iter().any(|fact| fact["id"] == "days_to_race"), "{today}");
    let value = |id: &str| {
        today["facts"]
            .as_array()
            .unwrap()
            .iter()
            .find(|fact| fact["id"] == id)
            .map(|fact| fact["value"].clone())
    };
    assert_eq!(value("last_run_distance"), Some(json!(8000.0)), "{today}");
    assert_eq!(value("last_run_time"), Some(json!(2640.0)), "{today}");
    let plan = json_body(&of_ann.get("/api/v1/plan").await);
    assert_eq!(plan["plan"]["name"], "Half <b>");
    let verdicts: Vec<&Value> =
        plan["plan"]["workouts"].as_array().unwrap().iter().map(|w| &w["verdict"]).collect();
    assert_eq!(verdicts, [&json!("hit"), &json!("rest"), &json!("short"), &json!("pending")], "{plan}");
    // Two of three were judged, and one of them fell short; nothing is done where nothing is known.
    let workout = |at: usize| &plan["plan"]["workouts"][at];
    assert_eq!(workout(0)["done_distance_m"], json!(8000.0), "{plan}");
    assert_eq!((&workout(3)["done_distance_m"], &workout(0)["excused"]), (&Value::Null, &Value::Null));
    let percent = plan["plan"]["adherence_percent"].as_u64().unwrap();
    assert!((1..100).contains(&percent), "{plan}");
    let away = ObservationData::new(ObservationKind::Away, june(11), june(13), None).unwrap();
    site.db.store.add_observation(ann, Author::Athlete, &away, now()).await.unwrap();
    let plan = json_body(&of_ann.get("/api/v1/plan").await);
    let excused: Vec<&Value> =
        plan["plan"]["workouts"].as_array().unwrap().iter().map(|w| &w["excused"]).collect();
    assert!(excused.contains(&&json!("away")) && plan["plan"]["short"] == 0, "{plan}");
    assert_eq!(json_body(&of_ann.get("/api/v1/brief").await)["brief"]["text"], "Keep it easy.");
    let days = json_body(&of_ann.get("/api/v1/trends?from=2026-06-09&through=2026-06-13").await);
    assert_eq!(days["days"].as_array().unwrap().len(), 5, "{days}");

    let id = json_body(&of_ann.get("/api/v1/activities").await)["activities"][0]["id"].as_i64().unwrap();
    assert_eq!(
        json_body(&of_ann.get(&format!("/api/v1/activities/{id}")).await)["laps"].as_array().unwrap().len(),
        1
    );
    assert_problem_json(&of_ben.get(&format!("/api/v1/activities/{id}")).await, StatusCode::NOT_FOUND);
    assert_eq!(json_body(&of_ben.get("/api/v1/plan").await)["plan"], Value::Null);
    assert_eq!(json_body(&of_ben.get("/api/v1/brief").await)["brief"], Value::Null);
    assert_eq!(json_body(&of_ben.get("/api/v1/activities").await)["activities"], json!([]));
    assert_eq!(json_body(&of_ben.get("/api/v1/today").await)["data_through"], Value::Null);
}

#[tokio::test]
async fn activities_cursor_continues_after_the_previous_page() {
    let site = TestSite::new().await;
    let ann = create_athlete(&site, "Ann").await;
    let browser = site.signed_in(ann).await;
    let mut seen: Vec<ActivityId> = Vec::new();
    let mut path = "/api/v1/activities?limit=2".to_owned();
    loop {
        let page = json_body(&browser.get(&path).await);
        let ids = page["activities"].as_array().unwrap().iter().map(|one| one["id"].as_i64().unwrap());
        seen.extend(ids.map(ActivityId::new));
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/api/v1/activities?limit=2&before={next}");
    }
    let mut stored: Vec<ActivityId> = site
        .db
        .store
        .list_activities(ann, june(1), june(14))
        .await
        .unwrap()
        .iter()
        .map(|one| one.id)
        .collect();
    stored.reverse();
    assert_eq!(seen, stored);
    let only =
        json_body(&browser.get("/api/v1/activities?sport=running&from=2026-06-11&through=2026-06-11").await);
    assert_eq!(only["activities"].as_array().unwrap().len(), 1);
    assert_eq!(json_body(&browser.get("/api/v1/activities?sport=rowing").await)["activities"], json!([]));
}

#[tokio::test]
async fn bad_parameters_are_rejected_with_a_reason() {
    let site = TestSite::new().await;
    let ann = create_athlete(&site, "Ann").await;
    let browser = site.signed_in(ann).await;
    for (path, status) in [
        ("/api/v1/today?x=1", 400),
        ("/api/v1/plan?id=1", 400),
        ("/api/v1/nope", 404),
        ("/api/v1/activities?limit=0", 400),
        ("/api/v1/activities?limit=201", 400),
        ("/api/v1/activities?limit=-1", 400),
        ("/api/v1/activities?limit=1&limit=2", 400),
        ("/api/v1/activities?limit=99999999999999999999", 400),
        ("/api/v1/activities?sport=chess", 400),
        ("/api/v1/activities?from=yesterday", 400),
        ("/api/v1/activities?from=2026-02-30", 400),
        ("/api/v1/activities?before=", 404),
        ("/api/v1/activities?before=x", 404),
        ("/api/v1/activities?before=2026-06-14.99999999999999999.1", 404),
        ("/api/v1/activities?before=%00%ff", 404),
        ("/api/v1/trends?from=2026-06-14&through=2026-06-13", 400),
        ("/api/v1/trends?from=1990-01-01&through=2026-06-13", 400),
        ("/api/v1/trends?from=%00", 400),
        ("/api/v1/activities/0", 404),
        ("/api/v1/activities/-1", 404),
        ("/api/v1/activities/x", 404),
        ("/api/v1/activities/99999999999999999999", 404),
        ("/api/v1/activities/%ff", 404),
        ("/api/v1/brief?day=2026-06-14", 400),
    ] {
        let page = browser.get(path).await;
        assert_eq!(page.status.as_u16(), status, "{path}: {}", page.text);
        assert_problem_json(&page, page.status);
    }
    for day in ["0001-01-01", "1970-01-01", "9999-12-31", "2026-06-14"] {
        for path in [format!("/api/v1/trends?through={day}"), format!("/api/v1/trends?from={day}")] {
            let status = browser.get(&path).await.status;
            assert!(status == StatusCode::OK || status == StatusCode::BAD_REQUEST, "{path}: {status}");
        }
    }
}

#[tokio::test]
async fn responses_match_openapi_schemas() {
    let site = TestSite::new().await;
    let (ann, ben) = (create_athlete(&site, "Ann").await, site.db.user("Ben").await);
    let document = json_body(&site.signed_out_browser().get("/api/v1/openapi.json").await);
    assert_eq!(document["openapi"], "3.1.0");
    let described: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
    let listed = site
        .routes
        .iter()
        .filter(|route| route.path.starts_with("/api/v1/") && !route.path.contains("openapi"));
    let mut listed: Vec<&str> = listed.map(|route| route.path).collect();
    listed.sort_unstable();
    assert_eq!(described, listed, "every route is described, and no other");
    let check = |operation: &str, status: &str, page: &TestResponse| {
        let kind = page.headers[header::CONTENT_TYPE].to_str().unwrap();
        let answer = &document["paths"][operation]["get"]["responses"][status]["content"][kind];
        let mut form = answer["schema"].clone();
        assert!(form.is_object(), "{operation} {status} {kind}");
        form["components"] = document["components"].clone();
        let value: Value = serde_json::from_str(&page.text).unwrap();
        let faults: Vec<String> = jsonschema::validator_for(&form)
            .unwrap()
            .iter_errors(&value)
            .map(|why| why.to_string())
            .collect();
        assert!(faults.is_empty(), "{operation}: {faults:?}");
    };
    for user in [ann, ben] {
        let browser: Browser = site.signed_in(user).await;
        for path in PATHS.into_iter().filter(|path| !path.ends_with("/1")) {
            check(path, "200", &browser.get(path).await);
            check(path, "400", &browser.get(&format!("{path}?nonsense=1")).await);
            check(path, "401", &site.signed_out_browser().get(path).await);
        }
        let one = browser.get("/api/v1/activities/1").await;
        check("/api/v1/activities/{id}", one.status.as_str(), &one);
    }
}
