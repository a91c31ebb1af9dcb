//! Exports of everything: how many at once, and what they leave for everybody else.

use crate::harness::{Browser, TestResponse, TestSite};
use axum::http::{StatusCode, header};
use fitness_store::on_both_databases;
use fitness_web::NoExternalServices;
use std::sync::Arc;
use std::time::Duration;

const ATHLETES: usize = 8;
const ROUNDS: usize = 4;

async fn export(browser: &Browser) -> TestResponse {
    browser.post("/settings/account/export", &[]).await
}

on_both_databases! {
    async fn parallel_exports_leave_connections_for_pages(db) {
        let site = TestSite::with_database(db, Arc::new(NoExternalServices));
        let mut browsers = Vec::new();
        for number in 0..ATHLETES {
            let user = site.db.user(&format!("athlete {number}")).await;
            browsers.push(site.signed_in(user).await);
        }
        let reader = site.db.user("Reader").await;
        let reader = site.signed_in(reader).await;
        let mut refused = 0;
        for round in 0..ROUNDS {
            let mut exports = tokio::task::JoinSet::new();
            for browser in &browsers {
                let browser = browser.clone();
                exports.spawn(async move { export(&browser).await });
            }
            for path in ["/healthz", "/", "/activities", "/settings"] {
                let page = tokio::time::timeout(Duration::from_secs(10), reader.get(path)).await;
                assert_eq!(page.expect("a page is answered meanwhile").status, StatusCode::OK, "{path}");
            }
            let pages = tokio::time::timeout(Duration::from_secs(25), exports.join_all()).await;
            let pages = pages.unwrap_or_else(|_| panic!("the exports of round {round} do not end"));
            let made = pages.iter().filter(|page| page.status == StatusCode::OK).count();
            assert!(made >= 1, "round {round}");
            for page in pages.iter().filter(|page| page.status != StatusCode::OK) {
                assert_eq!(page.status, StatusCode::TOO_MANY_REQUESTS, "{}", page.text);
                assert!(page.headers.contains_key(header::RETRY_AFTER));
                assert!(page.contains("Other exports are running."), "{}", page.text);
                refused += 1;
            }
        }
        assert!(refused > 0, "eight at once are more than two");
        let page = export(&browsers[0]).await;
        assert_eq!((page.status, page.bytes.starts_with(b"PK")), (StatusCode::OK, true), "afterwards there is room");
    }
}
