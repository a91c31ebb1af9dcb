//! Decisions of the athlete in the browser: confirmation, action, and refusal for everybody else.

use crate::harness::{BASE_URL, Browser, TestResponse, TestSite, form, set_clock};
use axum::http::{StatusCode, header};
use fitness_core::domain::ids::{PlanId, ProposalId, UserId, WorkoutId};
use fitness_core::domain::note::Author;
use fitness_core::domain::units::Distance;
use fitness_core::plan::{Change, PlanStatus, ProposalStatus};
use fitness_store::testkit::{easy_run, june, now};
use serde_json::json;

/// Everything of an athlete that a decision can change.
async fn snapshot(site: &TestSite, user: UserId) -> String {
    let store = &site.db.store;
    let plans = store.list_plans(user).await.unwrap();
    let actions = store.list_human_actions(user, 100).await.unwrap();
    let mut all = vec![json!(plans), json!(actions)];
    for plan in plans {
        all.push(json!(store.list_workouts(user, plan.id, plan.revision).await.unwrap()));
        all.push(json!(store.list_revisions(user, plan.id).await.unwrap()));
        all.push(json!(store.list_proposals(user, plan.id).await.unwrap()));
    }
    json!(all).to_string()
}

/// The rules a page offers to override, as an address has them.
fn overrides(page: &TestResponse) -> String {
    let rules =
        page.text.split("name=\"override\" value=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    rules.map(|rule| format!("&override={rule}")).collect()
}

/// The address at which committing a draft is asked for.
async fn commit_address(browser: &Browser, plan: PlanId, more: &str) -> String {
    let review = browser.get(&format!("/plans/{plan}")).await;
    assert_eq!(review.status, StatusCode::OK);
    format!("/plans/{plan}/commit?begin=today{more}{}", overrides(&review))
}

async fn status(site: &TestSite, user: UserId, plan: PlanId) -> Option<PlanStatus> {
    site.db.store.find_plan(user, plan).await.unwrap().map(|plan| plan.status)
}

async fn workouts(site: &TestSite, user: UserId, plan: PlanId) -> Vec<(WorkoutId, String, Option<Distance>)> {
    let found = site.db.store.find_plan(user, plan).await.unwrap().unwrap();
    let all = site.db.store.list_workouts(user, plan, found.revision).await.unwrap();
    all.into_iter().map(|w| (w.id, w.workout.date.to_string(), w.workout.distance)).collect()
}

/// Sunday's long run shorter, and two runs more.
async fn propose(site: &TestSite, user: UserId, plan: PlanId) -> ProposalId {
    let (sunday, ..) = workouts(site, user, plan).await[3].clone();
    let changes = [
        Change::Modify {
            workout_id: sunday,
            on: None,
            workout: easy_run(june(14), 9.0),
            asked: None,
            notes: Some("<b>tired</b>".to_owned()),
        },
        Change::Add { workout: easy_run(june(16), 5.0) },
        Change::Add { workout: easy_run(june(18), 6.0) },
    ];
    let desk = site.db.store.plan_writer(user, Author::Coach);
    desk.propose(plan, 1, "Ease off. <script>alert(1)</script>", &changes, june(14), now()).await.unwrap()
}

#[tokio::test]
async fn draft_is_activated_by_its_confirmation_form() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let plan = site.db.draft(ann, "Autumn half").await;
    let browser = site.signed_in(ann).await;
    let review = browser.get(&format!("/plans/{plan}")).await;
    assert!(
        review.contains("The plan is not active until you confirm") && review.contains("Autumn half"),
        "{}",
        review.text
    );
    assert!(review.contains("2 workouts before that will not be graded"), "{}", review.text);
    let before = snapshot(&site, ann).await;
    // Errors are overridden by name or keep it a draft; when to begin is said.
    let refused = browser.get(&format!("/plans/{plan}/commit?begin=today")).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.contains("Override each error you accept, or draft a different plan."));
    let refused = browser.get(&format!("/plans/{plan}/commit?{}", overrides(&review))).await;
    assert!(
        refused.status == StatusCode::UNPROCESSABLE_ENTITY
            && refused.contains("Choose whether the plan starts today")
    );
    let asked = browser.get(&commit_address(&browser, plan, "").await).await;
    assert_eq!(asked.status, StatusCode::OK, "{}", asked.text);
    assert!(
        asked.contains("Commit to this plan?")
            && asked.contains("Autumn half")
            && asked.contains("Overridden check: ")
    );
    assert!(!asked.contains("autofocus"), "focus never starts on what decides");
    assert_eq!(snapshot(&site, ann).await, before, "asking changes nothing");
    let done = browser.submit_form(&asked, &format!("/plans/{plan}/commit")).await;
    assert_eq!(done.redirect_target(), "/plan?done=committed");
    let found = site.db.store.find_plan(ann, plan).await.unwrap().unwrap();
    assert_eq!((found.status, found.begun_on), (PlanStatus::Active, Some(june(14))));
    let action = &site.db.store.list_human_actions(ann, 1).await.unwrap()[0];
    assert!(!action.detail["overrides"].as_array().unwrap().is_empty());
    assert_eq!(browser.get(&format!("/plans/{plan}")).await.redirect_target(), "/plan");
    let again = browser.get(&format!("/plans/{plan}/commit?begin=today")).await;
    assert!(again.status == StatusCode::CONFLICT && again.contains("This plan is already active."));
}

#[tokio::test]
async fn second_commit_is_refused_and_offers_to_replace() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let (first, second) = (site.db.draft(ann, "First").await, site.db.draft(ann, "Second").await);
    let browser = site.signed_in(ann).await;
    // Two tabs, both asked before either is answered.
    let one = browser.get(&commit_address(&browser, first, "").await).await;
    let other = browser.get(&commit_address(&browser, second, "").await).await;
    assert_eq!(
        browser.submit_form(&one, &format!("/plans/{first}/commit")).await.redirect_target(),
        "/plan?done=committed"
    );
    let before = snapshot(&site, ann).await;
    let refused = browser.submit_form(&other, &format!("/plans/{second}/commit")).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert!(
        refused.contains("You already have an active plan.") && refused.contains("Replace it"),
        "{}",
        refused.text
    );
    assert_eq!(snapshot(&site, ann).await, before);
    // The same when it is asked for without saying so.
    let review = browser.get(&format!("/plans/{second}")).await;
    assert!(review.contains("Archive <b>First</b>"), "{}", review.text);
    let asked = browser.get(&commit_address(&browser, second, "").await).await;
    assert!(asked.status == StatusCode::CONFLICT && asked.contains("You already have an active plan."));
    assert!(asked.contains(&format!("replaces={first}")));
    let asked = browser.get(&commit_address(&browser, second, &format!("&replaces={first}")).await).await;
    assert!(asked.status == StatusCode::OK && asked.contains("First will be archived."), "{}", asked.text);
    let done = browser.submit_form(&asked, &format!("/plans/{second}/commit")).await;
    assert_eq!(done.redirect_target(), "/plan?done=committed");
    assert_eq!(status(&site, ann, first).await, Some(PlanStatus::Archived));
    assert_eq!(status(&site, ann, second).await, Some(PlanStatus::Active));
    // What is archived can be read.
    let archived = browser.get(&format!("/plans/{first}")).await;
    assert!(archived.status == StatusCode::OK && archived.contains("How it went"));
    // Naming a plan that is not the active one replaces nothing.
    let third = site.db.draft(ann, "Third").await;
    let asked = browser.get(&commit_address(&browser, third, &format!("&replaces={first}")).await).await;
    assert_eq!(asked.status, StatusCode::CONFLICT);
}

/// What is decided, where it is asked for, and where the answer goes.
struct DecisionCase {
    site: TestSite,
    ann: UserId,
    confirm_path: String,
    action: String,
}

async fn decision_case(what: &str) -> DecisionCase {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let browser = site.signed_in(ann).await;
    let (ask, action) = match what {
        "commit" => {
            let plan = site.db.draft(ann, "Half").await;
            (commit_address(&browser, plan, "").await, format!("/plans/{plan}/commit"))
        }
        "archive" => {
            let plan = site.db.active_plan(ann, "Half").await;
            (format!("/plans/{plan}/archive"), format!("/plans/{plan}/archive"))
        }
        "delete" => {
            let plan = site.db.draft(ann, "Half").await;
            (format!("/plans/{plan}/delete"), format!("/plans/{plan}/delete"))
        }
        "edit" => {
            let plan = site.db.active_plan(ann, "Half").await;
            let (sunday, ..) = workouts(&site, ann, plan).await[3].clone();
            (format!("/plan/edit?what=resize&workout={sunday}&size=9km"), "/plan/edit".to_owned())
        }
        "revert" => {
            let plan = site.db.active_plan(ann, "Half").await;
            let (sunday, ..) = workouts(&site, ann, plan).await[3].clone();
            let asked = browser.get(&format!("/plan/edit?what=skip&workout={sunday}")).await;
            assert_eq!(
                browser.submit_form(&asked, "/plan/edit").await.redirect_target(),
                "/plan/revisions/2?done=edited"
            );
            ("/plan/revert?to=1".to_owned(), "/plan/revert".to_owned())
        }
        _ => {
            let plan = site.db.active_plan(ann, "Half").await;
            let proposal = propose(&site, ann, plan).await;
            let page = browser.get(&format!("/proposals/{proposal}")).await;
            let ask = format!("/proposals/{proposal}/apply?chosen=1&include=0&include=2{}", overrides(&page));
            (ask, format!("/proposals/{proposal}/apply"))
        }
    };
    DecisionCase { site, ann, confirm_path: ask, action }
}

const DECISIONS: [&str; 6] = ["commit", "archive", "delete", "apply", "edit", "revert"];

#[tokio::test]
async fn only_own_confirmation_form_decides() {
    for what in DECISIONS {
        let DecisionCase { site, ann, confirm_path, action } = decision_case(what).await;
        let bob = site.db.user("Bob").await;
        let (browser, other) = (site.signed_in(ann).await, site.signed_in(bob).await);
        let asked = browser.get(&confirm_path).await;
        assert_eq!(asked.status, StatusCode::OK, "{what}: {}", asked.text);
        let fields = asked.hidden_fields(&action);
        let fields: Vec<(&str, &str)> = fields.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let without = |name: &str| -> Vec<(&str, &str)> {
            fields.iter().filter(|(field, _)| *field != name).copied().collect()
        };
        let before = snapshot(&site, ann).await;
        let from = |origin: &str| browser.request("POST", &action).header(header::ORIGIN, origin);
        let with_other_token = [without("form_token"), vec![("form_token", other.token.as_str())]].concat();
        let wrong_secret = [without("question"), vec![("question", "0000")]].concat();
        let tries = [
            ("without the form's token", form(from(BASE_URL), &without("form_token")), StatusCode::FORBIDDEN),
            ("with another session's token", form(from(BASE_URL), &with_other_token), StatusCode::FORBIDDEN),
            (
                "with a token of a program",
                form(from(BASE_URL).header(header::AUTHORIZATION, "Bearer 0123456789abcdef"), &fields),
                StatusCode::FORBIDDEN,
            ),
            (
                "with a password in a header",
                form(from(BASE_URL).header(header::AUTHORIZATION, "Basic YTpi"), &fields),
                StatusCode::FORBIDDEN,
            ),
            ("from another site", form(from("https://evil.example"), &fields), StatusCode::FORBIDDEN),
            ("from nowhere", form(browser.request("POST", &action), &fields), StatusCode::FORBIDDEN),
            (
                "from a frame elsewhere",
                form(from(BASE_URL).header("sec-fetch-site", "cross-site"), &fields),
                StatusCode::FORBIDDEN,
            ),
            ("without the question", form(from(BASE_URL), &without("question")), StatusCode::CONFLICT),
            ("to another question", form(from(BASE_URL), &wrong_secret), StatusCode::CONFLICT),
        ];
        for (how, request, expected) in tries {
            let answer = browser.send(request).await;
            assert_eq!(answer.status, expected, "{what} {how}: {}", answer.text);
            assert_eq!(snapshot(&site, ann).await, before, "{what} {how}");
        }
        // Another athlete, signed in, with a token of their own and the question of this one.
        let request = other.request("POST", &action).header(header::ORIGIN, BASE_URL);
        let answer = other.send(form(request, &with_other_token)).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{what} by another: {}", answer.text);
        assert_eq!(
            other.get(&confirm_path).await.status,
            StatusCode::NOT_FOUND,
            "{what} looked at by another"
        );
        assert_eq!(snapshot(&site, ann).await, before, "{what} by another");
        // Looking is not deciding, whatever the address carries.
        let query: Vec<String> = fields.iter().map(|(a, b)| format!("{a}={b}")).collect();
        browser.get(&format!("{action}?{}", query.join("&"))).await;
        assert_eq!(snapshot(&site, ann).await, before, "{what} by an address");
        // The same form as it should be.
        let done = browser.send(form(from(BASE_URL), &fields)).await;
        assert_eq!(done.status, StatusCode::SEE_OTHER, "{what}: {}", done.text);
        let after = snapshot(&site, ann).await;
        assert_ne!(after, before, "{what}");
        let again = browser.send(form(from(BASE_URL), &fields)).await;
        assert!(again.status.is_client_error(), "{what} once more: {}", again.text);
        assert_eq!(snapshot(&site, ann).await, after, "{what} once more");
    }
}

#[tokio::test]
async fn confirmation_expires_after_ten_minutes() {
    for what in DECISIONS {
        set_clock("2026-06-14T08:00:00Z");
        let DecisionCase { site, ann, confirm_path, action } = decision_case(what).await;
        let browser = site.signed_in(ann).await;
        let asked = browser.get(&confirm_path).await;
        let before = snapshot(&site, ann).await;
        set_clock("2026-06-14T08:10:00Z");
        let late = browser.submit_form(&asked, &action).await;
        assert!(
            late.status == StatusCode::CONFLICT && late.contains("has expired; confirm again"),
            "{what}: {}",
            late.text
        );
        assert_eq!(snapshot(&site, ann).await, before, "{what}");
    }
}

#[tokio::test]
async fn confirmation_secret_is_valid_for_one_decision() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let (one, other) = (site.db.draft(ann, "One").await, site.db.draft(ann, "Other").await);
    let browser = site.signed_in(ann).await;
    let asked = browser.get(&format!("/plans/{one}/delete")).await;
    let fields = asked.hidden_fields(&format!("/plans/{one}/delete"));
    let fields: Vec<(&str, &str)> = fields.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let before = snapshot(&site, ann).await;
    for action in [format!("/plans/{other}/delete"), format!("/plans/{one}/commit")] {
        let answer = browser
            .send(form(browser.request("POST", &action).header(header::ORIGIN, BASE_URL), &fields))
            .await;
        assert!(answer.status.is_client_error(), "{action}");
        assert_eq!(snapshot(&site, ann).await, before, "{action}");
    }
    // Nor is it when an override is smuggled in that was not shown.
    let asked = browser.get(&commit_address(&browser, one, "").await).await;
    let mut fields = asked.hidden_fields(&format!("/plans/{one}/commit"));
    fields.push(("override".to_owned(), "R36".to_owned()));
    let fields: Vec<(&str, &str)> = fields.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let request = browser.request("POST", &format!("/plans/{one}/commit")).header(header::ORIGIN, BASE_URL);
    let answer = browser.send(form(request, &fields)).await;
    assert_eq!(answer.status, StatusCode::CONFLICT, "{}", answer.text);
    assert_eq!(snapshot(&site, ann).await, before);
}

#[tokio::test]
async fn selected_changes_are_applied_and_can_be_reverted() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let plan = site.db.active_plan(ann, "Half").await;
    let before = workouts(&site, ann, plan).await;
    let proposal = propose(&site, ann, plan).await;
    let browser = site.signed_in(ann).await;
    let page = browser.get(&format!("/proposals/{proposal}")).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(
        page.contains("Needs your decision")
            && page.contains("&lt;script&gt;")
            && !page.contains("<script>alert"),
        "{}",
        page.text
    );
    assert!(page.contains("&lt;b&gt;tired"), "{}", page.text);
    assert_eq!(page.text.matches("name=\"include\"").count(), 3);
    assert!(page.contains("16.0 km") && page.contains("9.0 km"));
    let nothing = browser.get(&format!("/proposals/{proposal}?chosen=1")).await;
    assert!(
        nothing.status == StatusCode::UNPROCESSABLE_ENTITY && nothing.contains("Select at least one change.")
    );
    let wrong = browser.get(&format!("/proposals/{proposal}/apply?include=7")).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    let part = browser.get(&format!("/proposals/{proposal}?chosen=1&include=0&include=2")).await;
    assert!(part.contains("Effect of 2 selected changes"), "{}", part.text);
    let ask = format!("/proposals/{proposal}/apply?chosen=1&include=0&include=2");
    if !overrides(&part).is_empty() {
        let refused = browser.get(&ask).await;
        assert!(
            refused.status == StatusCode::UNPROCESSABLE_ENTITY && refused.contains("Override each error")
        );
    }
    let asked = browser.get(&format!("{ask}{}", overrides(&part))).await;
    assert!(
        asked.contains("This applies 2 of 3 changes to <b>Half</b>") && asked.contains("Apply 2 changes"),
        "{}",
        asked.text
    );
    let done = browser.submit_form(&asked, &format!("/proposals/{proposal}/apply")).await;
    assert_eq!(done.redirect_target(), "/plan/revisions/2?done=applied");
    let after = workouts(&site, ann, plan).await;
    let days: Vec<&str> = after.iter().map(|(_, day, _)| day.as_str()).collect();
    assert_eq!(days, ["2026-06-09", "2026-06-10", "2026-06-11", "2026-06-14", "2026-06-18"]);
    assert_eq!(after[3].2, Distance::from_km(9.0));
    let told = browser.get("/plan/revisions/2").await;
    assert!(
        told.contains("What changed")
            && told.contains("/plan/revert?to=1")
            && told.contains("proposal</a> applied by you"),
        "{}",
        told.text
    );
    let over = browser.get(&format!("/proposals/{proposal}")).await;
    assert!(over.contains("Already applied") && over.contains("You applied this proposal."));
    let asked = browser.get("/plan/revert?to=1").await;
    assert!(asked.contains("Revert to revision 1?"));
    assert_eq!(
        browser.submit_form(&asked, "/plan/revert").await.redirect_target(),
        "/plan/revisions/3?done=reverted"
    );
    assert_eq!(workouts(&site, ann, plan).await, before);
    let list = browser.get("/plan/revisions").await;
    assert!(list.contains("Revision 3") && list.contains("reverted by you"));
}

#[tokio::test]
async fn stale_proposal_is_refused_and_shown_against_the_current_plan() {
    let DecisionCase { site, ann, confirm_path, action } = decision_case("apply").await;
    let browser = site.signed_in(ann).await;
    let asked = browser.get(&confirm_path).await;
    let plan = site.db.store.find_active_plan(ann).await.unwrap().unwrap();
    let (sunday, ..) = workouts(&site, ann, plan.id).await[3].clone();
    let edit = browser.get(&format!("/plan/edit?what=resize&workout={sunday}&size=12km")).await;
    assert_eq!(
        browser.submit_form(&edit, "/plan/edit").await.redirect_target(),
        "/plan/revisions/2?done=edited"
    );
    let before = snapshot(&site, ann).await;
    let stale = browser.submit_form(&asked, &action).await;
    assert_eq!(stale.status, StatusCode::CONFLICT);
    assert!(
        stale.contains("Nothing was changed.")
            && stale.contains("since this was proposed (revision 1, now 2)."),
        "{}",
        stale.text
    );
    assert!(
        stale.contains("Below is its effect on your current plan.") && stale.contains("12.0 km"),
        "the fresh state: {}",
        stale.text
    );
    assert_eq!(snapshot(&site, ann).await, before);
    // What was looked at anew can be taken.
    let anew = browser.get(&confirm_path).await;
    assert_eq!(anew.status, StatusCode::OK, "{}", anew.text);
    assert_eq!(browser.submit_form(&anew, &action).await.redirect_target(), "/plan/revisions/3?done=applied");
}

#[tokio::test]
async fn stale_edit_is_refused() {
    let DecisionCase { site, ann, confirm_path, action } = decision_case("edit").await;
    let browser = site.signed_in(ann).await;
    let asked = browser.get(&confirm_path).await;
    let once = browser.get(&confirm_path).await;
    assert_eq!(browser.submit_form(&once, &action).await.redirect_target(), "/plan/revisions/2?done=edited");
    let before = snapshot(&site, ann).await;
    let stale = browser.submit_form(&asked, &action).await;
    assert_eq!(stale.status, StatusCode::CONFLICT, "{}", stale.text);
    assert!(
        stale.contains("The plan has changed") && stale.contains("value=\"9km\""),
        "what was written: {}",
        stale.text
    );
    assert_eq!(snapshot(&site, ann).await, before);
}

#[tokio::test]
async fn archive_and_delete_are_described_and_refused_for_wrong_status() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let (active, draft) = (site.db.active_plan(ann, "Half").await, site.db.draft(ann, "Later").await);
    let browser = site.signed_in(ann).await;
    let no = browser.get(&format!("/plans/{active}/delete")).await;
    assert!(no.status == StatusCode::CONFLICT && no.contains("Archive it first."));
    let no = browser.get(&format!("/plans/{draft}/archive")).await;
    assert_eq!(no.status, StatusCode::CONFLICT);
    let asked = browser.get(&format!("/plans/{active}/archive")).await;
    assert!(asked.contains("will no longer be active. The plan and its results are kept."));
    let done = browser.submit_form(&asked, &format!("/plans/{active}/archive")).await;
    assert_eq!(done.redirect_target(), format!("/plans/{active}?done=archived"));
    assert_eq!(status(&site, ann, active).await, Some(PlanStatus::Archived));
    for plan in [active, draft] {
        let asked = browser.get(&format!("/plans/{plan}/delete")).await;
        assert!(asked.contains("will be deleted with its workouts and revisions."));
        let done = browser.submit_form(&asked, &format!("/plans/{plan}/delete")).await;
        assert_eq!(done.redirect_target(), "/plans?done=deleted");
        assert_eq!(status(&site, ann, plan).await, None);
        assert_eq!(browser.get(&format!("/plans/{plan}")).await.status, StatusCode::NOT_FOUND);
    }
    let empty = browser.get("/plans?done=deleted").await;
    assert!(empty.contains("Deleted.") && empty.contains("Create a plan"));
}

#[tokio::test]
async fn proposal_is_discarded_once() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let bob = site.db.user("Bob").await;
    let plan = site.db.active_plan(ann, "Half").await;
    let proposal = propose(&site, ann, plan).await;
    let (browser, other) = (site.signed_in(ann).await, site.signed_in(bob).await);
    let address = format!("/proposals/{proposal}/discard");
    assert_eq!(other.post(&address, &[]).await.status, StatusCode::NOT_FOUND);
    assert_eq!(other.get(&format!("/proposals/{proposal}")).await.status, StatusCode::NOT_FOUND);
    let request = browser.request("POST", &address).header(header::ORIGIN, BASE_URL);
    assert_eq!(browser.send(form(request, &[])).await.status, StatusCode::FORBIDDEN);
    assert_eq!(browser.post(&address, &[]).await.redirect_target(), "/plan?done=discarded");
    let found = site.db.store.find_proposal(ann, proposal).await.unwrap().unwrap();
    assert_eq!(found.status, ProposalStatus::Declined);
    assert_eq!(browser.post(&address, &[]).await.status, StatusCode::CONFLICT);
}
