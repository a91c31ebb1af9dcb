//! What a form does with what must not be handed out, lost or repeated.

use crate::fake_services::{is, with_ann};
use axum::http::{StatusCode, header};
use fitness_store::testkit::now;

const BAD: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;

#[tokio::test]
async fn what_lasts_is_handed_out_only_to_whoever_knows_the_password() {
    let (site, _, user, _) = with_ann().await;
    let password: secrecy::SecretString = "three words here".to_owned().into();
    site.db.store.set_password(user, &password, now()).await.unwrap();
    let ann = site.signed_in(user).await;
    let page = ann.get("/settings/connect").await;
    assert!(page.says("name=\"old\"") && page.says("name=\"calendar_old\""), "{}", page.text);
    for old in ["", "not this one"] {
        let token = [("name", "Desk"), ("scope", "read"), ("days", ""), ("old", old)];
        is(&ann.post("/settings/tokens", &token).await, BAD, "id=\"old-fault\"");
        is(&ann.post("/settings/calendar", &[("calendar_old", old)]).await, BAD, "id=\"calendar_old-fault\"");
    }
    assert!(site.db.store.list_api_tokens(user).await.unwrap().is_empty());
    assert!(site.db.store.calendar_feed_since(user).await.unwrap().is_none());
    let token = [("name", "Desk"), ("scope", "read"), ("days", ""), ("old", "three words here")];
    is(&ann.post("/settings/tokens", &token).await, StatusCode::OK, "This is the only time it is shown.");
    let calendar = [("calendar_old", "three words here")];
    is(&ann.post("/settings/calendar", &calendar).await, StatusCode::OK, "/calendar/");
}

#[tokio::test]
async fn a_password_can_be_seen_and_typed_again() {
    let (_site, _, _, ann) = with_ann().await;
    for bad in ["three\0words here", "three \u{202e}words here", "three\nwords here"] {
        let page = ann.post("/settings/password", &[("password", bad), ("again", bad)]).await;
        is(&page, BAD, "cannot be seen");
    }
    let none = ann.post("/settings/password", &[("password", ""), ("again", "")]).await;
    is(&none, BAD, "Write the new password, twice.");
    assert!(!none.says("others can reach"), "on this machine nobody can");
}

#[tokio::test]
async fn what_is_told_back_about_a_value_is_short_and_seen() {
    let (_site, _, _, ann) = with_ann().await;
    let long = "\u{202e}x".repeat(15_000);
    for (path, field) in [("/settings/profile", "units"), ("/settings/tokens", "scope")] {
        let page = ann.post(path, &[(field, long.as_str())]).await;
        is(&page, BAD, "Nothing was saved yet.");
        let fault = page.text.split("<li>").nth(1).unwrap().split("</li>").next().unwrap();
        assert!(fault.len() < 2000 && !fault.contains('\u{202e}'), "{path}: {} bytes", fault.len());
    }
    let page = ann.post("/notes", &[("text", &"y".repeat(70_000))]).await;
    is(&page, StatusCode::PAYLOAD_TOO_LARGE, "Nothing was saved.");
    let page = ann.post("/notes", &[("text", &"y".repeat(300_000))]).await;
    is(&page, StatusCode::PAYLOAD_TOO_LARGE, "go back, shorten it");
}

#[tokio::test]
async fn what_was_written_while_signed_out_is_shown_again_to_be_copied() {
    let (_site, _, _, ann) = with_ann().await;
    ann.post("/sign-out", &[]).await.leads_to();
    let note = "Calf <b>tight</b>\nsince \u{202e}Tuesday";
    let page = ann.post("/notes", &[("text", note), ("password", "sesame open"), ("empty", "  ")]).await;
    is(&page, StatusCode::UNAUTHORIZED, "Sign in first");
    assert!(page.says("Calf &lt;b&gt;tight&lt;/b&gt;\nsince Tuesday") && page.says("href=\"/sign-in\""));
    for hidden in ["sesame", "\u{202e}", "<b>", "form_token", ">empty<"] {
        assert!(!page.says(hidden), "{hidden}: {}", page.text);
    }
    let from = |page: &str| {
        let request = ann.request("POST", "/notes").header(header::ORIGIN, crate::harness::SITE);
        let request = request.header(header::REFERER, page);
        ann.send(crate::harness::form(request, &[("text", note)]))
    };
    let page = from("http://127.0.0.1:8787/days/2026-06-11?x=1").await;
    assert!(page.says("href=\"/sign-in?to=%2Fdays%2F2026-06-11%3Fx%3D1\""), "{}", page.text);
    assert!(from("http://evil.example//evil.example").await.says("href=\"/sign-in\""), "a page of ours only");
    let much = "z".repeat(60_000);
    let page = ann.post("/notes", &[("text", much.as_str()), ("day", much.as_str())]).await;
    assert!(page.status == StatusCode::UNAUTHORIZED && page.text.len() < 60_000, "{}", page.text.len());
    let elsewhere = ann.request("POST", "/notes").header(header::ORIGIN, "http://evil.example");
    let page = ann.send(crate::harness::form(elsewhere, &[("text", note)])).await;
    assert!(page.status == StatusCode::FORBIDDEN && !page.says("Calf"), "{}", page.text);
}
