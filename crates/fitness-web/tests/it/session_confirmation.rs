//! A browser that a printed link signed in decides nothing until its athlete shows in it that it is them.

use crate::harness::{Browser, TestResponse, TestSite};
use axum::http::StatusCode;
use fitness_core::coach_api::Scope;
use fitness_core::domain::ids::{PlanId, UserId};
use fitness_core::plan::PlanStatus;
use fitness_store::testkit::now;
use secrecy::ExposeSecret as _;

const BAD: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;

async fn status(site: &TestSite, user: UserId, plan: PlanId) -> PlanStatus {
    site.db.store.find_plan(user, plan).await.unwrap().unwrap().status
}

/// The address at which committing a draft is asked for, with every error overridden.
async fn commit_address(browser: &Browser, plan: PlanId) -> String {
    let review = browser.get(&format!("/plans/{plan}")).await;
    let rules =
        review.text.split("name=\"override\" value=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let overrides: String = rules.map(|rule| format!("&override={rule}")).collect();
    format!("/plans/{plan}/commit?begin=today{overrides}")
}

/// Commits a draft as a person would, and gives back what came of it.
async fn commit(browser: &Browser, plan: PlanId) -> TestResponse {
    let asked = browser.get(&commit_address(browser, plan).await).await;
    assert_eq!(asked.status, StatusCode::OK, "{}", asked.text);
    browser.submit_form(&asked, &format!("/plans/{plan}/commit")).await
}

#[tokio::test]
async fn a_browser_signed_in_by_a_link_decides_nothing_until_the_code_is_typed() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let (plan, active) = (site.db.draft(ann, "Half").await, site.db.active_plan(ann, "Now").await);
    let browser = site.signed_in_by_link(ann).await;
    let wanted = commit_address(&browser, plan).await;
    for path in [
        format!("{wanted}&replaces={active}"),
        format!("/plans/{plan}/delete"),
        format!("/plans/{active}/archive"),
        "/settings/account/delete".to_owned(),
    ] {
        let answer = browser.get(&path).await;
        let to: String = form_urlencoded::byte_serialize(path.as_bytes()).collect();
        assert_eq!(answer.redirect_target(), format!("/confirm?to={to}"));
    }
    for path in
        [format!("/plans/{plan}/commit"), format!("/plans/{plan}/delete"), format!("/plans/{active}/archive")]
    {
        assert_eq!(
            browser.post(&path, &[("question", "x"), ("begin", "today")]).await.status,
            StatusCode::FORBIDDEN,
            "{path}"
        );
    }
    assert_eq!(
        browser.post("/settings/users", &[("name", "Eve")]).await.redirect_target(),
        "/confirm?to=%2Fsettings%2Fusers"
    );
    assert!(site.db.store.find_user("Eve").await.unwrap().is_none());
    assert_eq!(
        (status(&site, ann, plan).await, status(&site, ann, active).await),
        (PlanStatus::Draft, PlanStatus::Active)
    );
    // Everything else works as before.
    assert_eq!(browser.post("/notes", &[("note", "calf is tight")]).await.redirect_target(), "/?done=noted");

    let page = browser.get("/confirm?to=//evil.example").await;
    assert!(
        page.contains("Confirm it's you")
            && page.contains("fitness login")
            && !page.contains("set a password"),
        "{}",
        page.text
    );
    assert!(!page.contains("evil.example") && !page.contains("--user"), "{}", page.text);
    site.db.user("Bob").await;
    assert!(browser.get("/confirm").await.contains("fitness login --user 'Ann'"), "where there are several");
    let code = site.db.store.create_session_code(ann, now()).await.unwrap();
    let wrong = browser.post("/confirm", &[("code", "AAAA-AAAA"), ("to", "/plan")]).await;
    assert!(wrong.status == BAD && wrong.contains("Wrong code"), "{}", wrong.text);
    let to = format!("/plans/{plan}/delete");
    let other = site.signed_in_by_link(ann).await;
    let right = browser.post("/confirm", &[("code", code.expose_secret()), ("to", &to)]).await;
    assert_eq!(right.redirect_target(), to);
    let asked = browser.get(&to).await;
    assert_eq!(browser.submit_form(&asked, &to).await.status, StatusCode::SEE_OTHER);
    assert!(site.db.store.find_plan(ann, plan).await.unwrap().is_none());
    assert!(
        other.get(&format!("/plans/{active}/archive")).await.redirect_target().starts_with("/confirm"),
        "another browser of hers"
    );
}

#[tokio::test]
async fn with_a_password_a_link_session_is_confirmed_by_the_password_and_by_no_code() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    site.db.store.set_password(ann, &"three random words".to_owned().into(), now()).await.unwrap();
    let plan = site.db.draft(ann, "Half").await;
    let browser = site.signed_in_by_link(ann).await;
    assert!(browser.get("/confirm").await.contains("Your password"));
    let code = site.db.store.create_session_code(ann, now()).await.unwrap();
    for fields in [[("code", code.expose_secret())], [("password", "three random word")]] {
        assert_eq!(browser.post("/confirm", &fields).await.status, BAD, "{fields:?}");
    }
    assert_eq!(browser.post("/confirm", &[("password", "three random words")]).await.redirect_target(), "/");
    assert_eq!(commit(&browser, plan).await.redirect_target(), "/plan?done=committed");
}

#[tokio::test]
async fn a_printed_link_alone_sets_no_first_password() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let plan = site.db.draft(ann, "Half").await;
    let mut browser = site.signed_in_by_link(ann).await;
    let page = browser.get("/settings/security").await;
    assert!(
        page.contains("confirm it's you") && !page.contains("action=\"/settings/password\""),
        "{}",
        page.text
    );
    let twice = [("password", "three random words"), ("again", "three random words")];
    assert!(browser.post("/settings/password", &twice).await.redirect_target().starts_with("/confirm"));
    assert!(!site.db.store.user(ann).await.unwrap().has_password);
    let code = site.db.store.create_session_code(ann, now()).await.unwrap();
    browser.post("/confirm", &[("code", code.expose_secret())]).await;
    let answer = browser.post("/settings/password", &twice).await;
    browser.store_cookie(&answer);
    assert_eq!(commit(&browser, plan).await.redirect_target(), "/plan?done=committed");
}

#[tokio::test]
async fn the_demos_link_is_enough_to_decide() {
    let mut site = TestSite::new().await;
    site.become_demo();
    let demo = site.db.user("demo").await;
    let plan = site.db.draft(demo, "Half").await;
    let browser = site.signed_in_by_link(demo).await;
    assert_eq!(commit(&browser, plan).await.redirect_target(), "/plan?done=committed");
}

#[tokio::test]
async fn the_owner_names_who_owns_the_server_before_leaving_it() {
    let site = TestSite::new().await;
    let (ann, ben) = (site.db.user("Ann").await, site.db.user("Ben <b>").await);
    let browser = site.signed_in(ann).await;
    let path = "/settings/account/delete";
    let page = browser.get(path).await;
    assert!(page.contains("New owner of this server") && page.contains("Ben &lt;b&gt;"), "{}", page.text);
    let question = page.hidden_fields(path).iter().find(|(name, _)| name == "question").unwrap().1.clone();
    let (own, next) = (ann.to_string(), ben.to_string());
    for named in ["", "999", own.as_str()] {
        let fields = [("name", "Ann"), ("question", question.as_str()), ("new_owner", named)];
        let refused = browser.post(path, &fields).await;
        assert!(
            refused.status == BAD && refused.contains("Choose the new owner of this server"),
            "{named}: {}",
            refused.text
        );
    }
    assert_eq!(site.db.store.owner().await.unwrap(), Some(ann));
    let fields = [("name", "Ann"), ("question", question.as_str()), ("new_owner", next.as_str())];
    assert_eq!(browser.post(path, &fields).await.status, StatusCode::OK);
    assert_eq!(site.db.store.owner().await.unwrap(), Some(ben));
    let browser = site.signed_in(ben).await;
    assert!(!browser.get(path).await.contains("New owner of this server"), "nobody else is left");
}

#[tokio::test]
async fn a_new_password_is_hard_to_guess_and_revokes_tokens_where_that_is_ticked() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let mut browser = site.signed_in(ann).await;
    for (weak, says) in
        [("          ", "only spaces"), ("password123", "most common"), ("annann2026", "your name")]
    {
        let refused = browser.post("/settings/password", &[("password", weak), ("again", weak)]).await;
        assert!(refused.status == BAD && refused.contains(says), "{weak}: {}", refused.text);
    }
    assert!(!browser.get("/settings/security").await.contains("revoke_tokens"), "there is none");
    let tokens = async || site.db.store.list_api_tokens(ann).await.unwrap().len();
    site.db.store.mint_api_token(ann, "desktop", Scope::Read, None, now()).await.unwrap();
    assert!(browser.get("/settings/security").await.contains("Also revoke my API token."));
    let twice = [("password", "three random words"), ("again", "three random words")];
    let answer = browser.post("/settings/password", &twice).await;
    browser.store_cookie(&answer);
    assert_eq!(tokens().await, 1);
    let old = [("old", "three random words"), ("revoke_tokens", "yes")];
    let answer = browser.post("/settings/password", &[&twice[..], &old[..]].concat()).await;
    browser.store_cookie(&answer);
    assert_eq!(tokens().await, 0);
}
