//! What a form does with what must not be handed out, lost or repeated.

use crate::fake_services::{assert_page, site_with_owner};
use axum::http::{StatusCode, header};
use fitness_store::testkit::now;

const BAD: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;

#[tokio::test]
async fn tokens_and_calendar_feeds_require_the_password() {
    let (site, _, user, _) = site_with_owner().await;
    let password: secrecy::SecretString = "three words here".to_owned().into();
    site.db.store.set_password(user, &password, now()).await.unwrap();
    let ann = site.signed_in(user).await;
    let page = ann.get("/settings/integrations").await;
    assert!(page.contains("name=\"old\"") && page.contains("name=\"calendar_old\""), "{}", page.text);
    for old in ["", "not this one"] {
        let token = [("name", "Desk"), ("scope", "read"), ("days", ""), ("old", old)];
        assert_page(&ann.post("/settings/tokens", &token).await, BAD, "id=\"old-fault\"");
        assert_page(
            &ann.post("/settings/calendar", &[("calendar_old", old)]).await,
            BAD,
            "id=\"calendar_old-fault\"",
        );
    }
    assert!(site.db.store.list_api_tokens(user).await.unwrap().is_empty());
    assert!(site.db.store.calendar_feed_created_at(user).await.unwrap().is_none());
    let token = [("name", "Desk"), ("scope", "read"), ("days", ""), ("old", "three words here")];
    assert_page(
        &ann.post("/settings/tokens", &token).await,
        StatusCode::OK,
        "Copy it now: it won't be shown again.",
    );
    let calendar = [("calendar_old", "three words here")];
    assert_page(&ann.post("/settings/calendar", &calendar).await, StatusCode::OK, "/calendar/");
}

#[tokio::test]
async fn password_with_invisible_characters_is_refused() {
    let (_site, _, _, ann) = site_with_owner().await;
    for bad in ["three\0words here", "three \u{202e}words here", "three\nwords here"] {
        let page = ann.post("/settings/password", &[("password", bad), ("again", bad)]).await;
        assert_page(&page, BAD, "invisible characters");
    }
    let none = ann.post("/settings/password", &[("password", ""), ("again", "")]).await;
    assert_page(&none, BAD, "Enter the new password twice.");
    assert!(!none.contains("others can reach"), "on this machine nobody can");
}

#[tokio::test]
async fn echoed_values_are_short_and_visible() {
    let (_site, _, _, ann) = site_with_owner().await;
    let long = "\u{202e}x".repeat(15_000);
    for (path, field) in [("/settings/profile", "units"), ("/settings/tokens", "scope")] {
        let page = ann.post(path, &[(field, long.as_str())]).await;
        assert_page(&page, BAD, "Nothing was changed.");
        let fault = page.text.split("<li>").nth(1).unwrap().split("</li>").next().unwrap();
        assert!(fault.len() < 2000 && !fault.contains('\u{202e}'), "{path}: {} bytes", fault.len());
    }
    let page = ann.post("/notes", &[("text", &"y".repeat(70_000))]).await;
    assert_page(&page, StatusCode::PAYLOAD_TOO_LARGE, "Nothing was saved.");
    let page = ann.post("/notes", &[("text", &"y".repeat(300_000))]).await;
    assert_page(&page, StatusCode::PAYLOAD_TOO_LARGE, "go back, shorten it");
}

#[tokio::test]
async fn form_sent_while_signed_out_is_shown_for_copying() {
    let (_site, _, _, ann) = site_with_owner().await;
    ann.post("/sign-out", &[]).await.redirect_target();
    let note = "Calf <b>tight</b>\nsince \u{202e}Tuesday";
    let page = ann.post("/notes", &[("text", note), ("password", "sesame open"), ("empty", "  ")]).await;
    assert_page(&page, StatusCode::UNAUTHORIZED, "Please sign in");
    assert!(
        page.contains("Calf &lt;b&gt;tight&lt;/b&gt;\nsince Tuesday") && page.contains("href=\"/sign-in\"")
    );
    for hidden in ["sesame", "\u{202e}", "<b>", "form_token", ">empty<"] {
        assert!(!page.contains(hidden), "{hidden}: {}", page.text);
    }
    let from = |page: &str| {
        let request = ann.request("POST", "/notes").header(header::ORIGIN, crate::harness::BASE_URL);
        let request = request.header(header::REFERER, page);
        ann.send(crate::harness::form(request, &[("text", note)]))
    };
    let page = from("http://127.0.0.1:8787/days/2026-06-11?x=1").await;
    assert!(page.contains("href=\"/sign-in?to=%2Fdays%2F2026-06-11%3Fx%3D1\""), "{}", page.text);
    assert!(
        from("http://evil.example//evil.example").await.contains("href=\"/sign-in\""),
        "a page of ours only"
    );
    let much = "z".repeat(60_000);
    let page = ann.post("/notes", &[("text", much.as_str()), ("day", much.as_str())]).await;
    assert!(page.status == StatusCode::UNAUTHORIZED && page.text.len() < 60_000, "{}", page.text.len());
    let elsewhere = ann.request("POST", "/notes").header(header::ORIGIN, "http://evil.example");
    let page = ann.send(crate::harness::form(elsewhere, &[("text", note)])).await;
    assert!(page.status == StatusCode::FORBIDDEN && !page.contains("Calf"), "{}", page.text);
}
