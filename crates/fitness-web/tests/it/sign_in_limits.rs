//! Guessing passwords: what it costs the guesser, and that it costs nobody else anything.

use crate::harness::{Browser, TestResponse, TestSite};
use axum::http::{StatusCode, header};
use fitness_core::domain::ids::UserId;
use fitness_store::testkit::now;

const PASSWORD: &str = "three random words";

async fn create_user_with_password(site: &TestSite, name: &str) -> UserId {
    let user = site.db.user(name).await;
    site.db.store.set_password(user, &PASSWORD.to_owned().into(), now()).await.unwrap();
    user
}

const TOO_MANY_REQUESTS: StatusCode = StatusCode::TOO_MANY_REQUESTS;

async fn try_password(browser: &Browser, name: &str, password: &str) -> TestResponse {
    browser.post("/sign-in", &[("name", name), ("password", password)]).await
}

#[tokio::test]
async fn sign_in_is_open_to_others_while_a_stranger_guesses() {
    let site = TestSite::new().await;
    create_user_with_password(&site, "Ann").await;
    let stranger = site.signed_out_browser().at_address("192.0.2.66");
    let mut refused = 0;
    for at in 0..70 {
        let page = try_password(&stranger, &format!("name {at}"), "guess guess").await;
        refused += u32::from(page.status == TOO_MANY_REQUESTS);
    }
    assert_eq!(refused, 50);
    let ann = try_password(&site.signed_out_browser().at_address("192.0.2.1"), "Ann", PASSWORD).await;
    assert_eq!(ann.status, StatusCode::SEE_OTHER, "{}", ann.text);
}

#[tokio::test]
async fn sign_in_of_an_account_that_is_guessed_at_is_open_to_another_address_and_a_known_browser() {
    let site = TestSite::new().await;
    create_user_with_password(&site, "Ann").await;
    let mut own = site.signed_out_browser().at_address("192.0.2.1");
    own.store_cookie(&try_password(&own, "Ann", PASSWORD).await);
    // The stranger shares her address, as everybody does behind a proxy that is not in the settings.
    let stranger = site.signed_out_browser().at_address("192.0.2.1");
    let mut last = None;
    for _ in 0..12 {
        last = Some(try_password(&stranger, "Ann", "guess guess").await);
    }
    let last = last.unwrap();
    assert_eq!(last.status, TOO_MANY_REQUESTS, "{}", last.text);
    let wait: u64 = last.headers[header::RETRY_AFTER].to_str().unwrap().parse().unwrap();
    assert!((1..=61).contains(&wait), "{wait}");
    // Even the right password is not looked at meanwhile: what it answers would be a guess that is free.
    assert_eq!(try_password(&stranger, "Ann", PASSWORD).await.status, TOO_MANY_REQUESTS);
    let again = try_password(&own.without_session(), "Ann", PASSWORD).await;
    assert_eq!(again.status, StatusCode::SEE_OTHER, "{}", again.text);
    let elsewhere = try_password(&site.signed_out_browser().at_address("192.0.2.2"), "Ann", PASSWORD).await;
    assert_eq!(elsewhere.status, StatusCode::SEE_OTHER, "{}", elsewhere.text);
}

#[tokio::test]
async fn a_known_browser_is_known_at_one_account_until_its_password_changes_and_may_not_guess_for_ever() {
    let site = TestSite::new().await;
    let ann = create_user_with_password(&site, "Ann").await;
    create_user_with_password(&site, "Ben").await;
    let mut own = site.signed_out_browser().at_address("192.0.2.1");
    own.store_cookie(&try_password(&own, "Ann", PASSWORD).await);
    let known = own.without_session();
    let mut statuses = Vec::new();
    for _ in 0..8 {
        statuses.push(try_password(&known, "Ann", "guess guess").await.status);
    }
    assert_eq!(statuses[4..6], [StatusCode::UNAUTHORIZED, TOO_MANY_REQUESTS]);
    // At the account of somebody else, or after a change of the password, it is a browser like any other.
    let stranger = site.signed_out_browser().at_address("192.0.2.1");
    for name in ["Ann", "Ben"] {
        for _ in 0..6 {
            try_password(&stranger, name, "guess guess").await;
        }
    }
    assert_eq!(try_password(&known, "Ben", PASSWORD).await.status, TOO_MANY_REQUESTS);
    site.db.store.set_password(ann, &"three other words".to_owned().into(), now()).await.unwrap();
    assert_eq!(try_password(&known, "Ann", "three other words").await.status, TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn a_signed_in_athlete_changes_the_password_while_strangers_guess_at_it() {
    let site = TestSite::new().await;
    let ann = create_user_with_password(&site, "Ann").await;
    let browser = site.signed_in(ann).await;
    for at in 0..40 {
        let stranger = site.signed_out_browser().at_address(&format!("192.0.2.{}", at % 4));
        try_password(&stranger, "Ann", "guess guess").await;
    }
    let new = "four words that differ";
    let fields = [("old", PASSWORD), ("password", new), ("again", new)];
    let page = browser.post("/settings/password", &fields).await;
    assert_eq!(page.status, StatusCode::SEE_OTHER, "{}", page.text);
}
