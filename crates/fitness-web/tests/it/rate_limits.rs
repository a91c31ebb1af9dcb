//! How often: each class is counted by itself, and whoever does nothing wrong is not held up by whoever does.

use crate::harness::{BASE_URL, TestResponse, TestSite};
use axum::body::Body;
use axum::http::{StatusCode, header};
use fitness_core::coach_api::Scope;
use fitness_store::testkit::now;
use serde_json::json;

const TOO_MANY_REQUESTS: StatusCode = StatusCode::TOO_MANY_REQUESTS;

const OVER_LIMIT_COUNT: usize = 700;

#[track_caller]
fn assert_too_many_requests(page: &TestResponse) {
    assert_eq!(page.status, TOO_MANY_REQUESTS, "{}", page.text);
    assert_eq!(page.headers[header::RETRY_AFTER], "60");
    assert!(page.contains("Too many attempts."), "{}", page.text);
}

async fn get_with_token(site: &TestSite, path: &str, bearer: &str) -> TestResponse {
    let nobody = site.signed_out_browser();
    let request = nobody.request("GET", path).header(header::AUTHORIZATION, format!("Bearer {bearer}"));
    nobody.send(request.body(Body::empty()).unwrap()).await
}

async fn call_mcp(site: &TestSite, bearer: &str) -> TestResponse {
    let nobody = site.signed_out_browser();
    let request = nobody
        .request("POST", "/mcp")
        .header(header::AUTHORIZATION, format!("Bearer {bearer}"))
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json, text/event-stream")
        .header("mcp-protocol-version", "2025-11-25");
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    nobody.send(request.body(Body::from(message.to_string())).unwrap()).await
}

#[tokio::test]
async fn token_rate_limit_is_shared_by_api_and_mcp() {
    let mut site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let store = site.db.store.clone();
    let (_, busy) = store.mint_api_token(ann, "busy", Scope::Read, None, now()).await.unwrap();
    let (_, calm) = store.mint_api_token(ann, "calm", Scope::Read, None, now()).await.unwrap();
    let mut answered = 0;
    for _ in 0..OVER_LIMIT_COUNT {
        let page = get_with_token(&site, "/api/v1/brief", busy.reveal()).await;
        match page.status {
            StatusCode::OK => answered += 1,
            _ => {
                assert_too_many_requests(&page);
                assert_eq!(page.headers[header::CONTENT_TYPE], "application/problem+json");
                break;
            }
        }
    }
    assert_eq!(answered, 600);
    assert_too_many_requests(&call_mcp(&site, busy.reveal()).await);
    assert_eq!(get_with_token(&site, "/api/v1/brief", calm.reveal()).await.status, StatusCode::OK);
    assert_eq!(call_mcp(&site, calm.reveal()).await.status, StatusCode::OK);
    assert_eq!(site.signed_in(ann).await.get("/api/v1/brief").await.status, StatusCode::OK);
    site.reset_rate_limits();
    assert_eq!(get_with_token(&site, "/api/v1/brief", busy.reveal()).await.status, StatusCode::OK);
}

#[tokio::test]
async fn failed_secrets_are_limited_and_valid_ones_are_not() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let store = &site.db.store;
    let (_, token) = store.mint_api_token(ann, "x", Scope::Read, None, now()).await.unwrap();
    let feed = store.create_calendar_feed(ann, now()).await.unwrap();
    let nobody = site.signed_out_browser();
    let mut shut = [false; 4];
    for at in 0..OVER_LIMIT_COUNT {
        let wrong = format!("{at:032}");
        let pages = [
            get_with_token(&site, "/api/v1/brief", &wrong).await,
            nobody.get(&format!("/calendar/{wrong}.ics")).await,
            nobody.post("/sign-in/link", &[("code", &wrong)]).await,
            call_mcp(&site, &wrong).await,
        ];
        for (shut, page) in
            shut.iter_mut().zip(&pages).filter(|(_, page)| page.status == StatusCode::TOO_MANY_REQUESTS)
        {
            assert_too_many_requests(page);
            *shut = true;
        }
        if shut == [true; 4] {
            assert!(at >= 50, "{at} guesses");
            break;
        }
    }
    assert_eq!(shut, [true; 4]);
    assert_eq!(get_with_token(&site, "/api/v1/brief", token.reveal()).await.status, StatusCode::OK);
    assert_eq!(call_mcp(&site, token.reveal()).await.status, StatusCode::OK);
    assert_eq!(nobody.get(&format!("/calendar/{}.ics", feed.reveal())).await.status, StatusCode::OK);
    assert_eq!(site.signed_in(ann).await.get("/").await.status, StatusCode::OK);
}

#[tokio::test]
async fn forms_are_counted_for_each_athlete_and_reading_is_not() {
    let site = TestSite::new().await;
    let (ann, ben) = (site.db.user("Ann").await, site.db.user("Ben").await);
    let (of_ann, of_ben) = (site.signed_in(ann).await, site.signed_in(ben).await);
    let mut sent = 0;
    loop {
        let page = of_ann.post("/feel", &[("feeling", "9")]).await;
        if page.status != StatusCode::UNPROCESSABLE_ENTITY {
            assert_too_many_requests(&page);
            break;
        }
        sent += 1;
        assert!(sent < 200);
    }
    assert_eq!(sent, 120);
    // Another browser of hers is still she; a form that is forged costs her nothing.
    assert_too_many_requests(&site.signed_in(ann).await.post("/feel", &[("feeling", "3")]).await);
    for _ in 0..200 {
        assert_eq!(of_ann.get("/settings").await.status, StatusCode::OK);
        let request = of_ben.request("POST", "/feel").header(header::ORIGIN, "http://evil.example");
        let page = of_ben.send(crate::harness::form(request, &[("feeling", "3")])).await;
        assert_eq!(page.status, StatusCode::FORBIDDEN);
    }
    of_ben.post("/feel", &[("feeling", "3")]).await.redirect_target();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn password_hashing_does_not_block_other_requests() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    site.db.store.set_password(ann, &"three random words".to_owned().into(), now()).await.unwrap();
    let browser = site.signed_in(ann).await;
    let tries: Vec<_> = (0..80)
        .map(|at| {
            // From several addresses: one alone would be refused before it costs anything.
            let nobody = site.signed_out_browser().at_address(&format!("192.0.2.{}", at % 8));
            tokio::spawn(async move {
                let name = format!("name {at}");
                nobody.post("/sign-in", &[("name", &name), ("password", "guess guess")]).await
            })
        })
        .collect();
    let page = browser.get("/settings").await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    // Sign-ins are hashed one after another: a page that waited for them would come after the last.
    assert!(tries.iter().any(|one| !one.is_finished()), "the page waited for passwords");
    for one in tries {
        let page = one.await.unwrap();
        assert_eq!(page.status, StatusCode::UNAUTHORIZED, "{}", page.text);
    }
}

#[tokio::test]
async fn internal_error_page_shows_only_a_reference_number() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let browser = site.signed_in(ann).await;
    site.db.store.clone().close().await;
    for path in ["/", "/plan", "/coach", "/settings", "/api/v1/today", "/plans/1"] {
        let page = browser.get(path).await;
        assert!(page.status.is_server_error(), "{path}: {}", page.status);
        for word in ["sqlx", "sea_orm", "SELECT", "panicked", ".rs", ".db", "pool", "Conn"] {
            assert!(!page.contains(word), "{path} says {word}: {}", page.text);
        }
        assert!(page.contains(" in the server log.") || page.contains("Try again"), "{path}: {}", page.text);
    }
    let sent = browser.request("POST", "/notes").header(header::ORIGIN, BASE_URL);
    let page = browser.send(crate::harness::form(sent, &[("note", "x")])).await;
    assert!(page.status.is_server_error() && !page.contains("sqlx"), "{}", page.text);
    // What needs no data goes on.
    assert_eq!(browser.get("/healthz").await.status, StatusCode::OK);
}
