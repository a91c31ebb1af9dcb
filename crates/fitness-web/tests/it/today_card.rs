//! What leads Today, how it says that it is out of date, and what is around a page that went wrong.

use crate::harness::{Browser, Site, set_clock};
use axum::http::StatusCode;
use fitness_coach::rule_based;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::UnitSystem;
use fitness_core::facts::Facts;
use fitness_core::plan::{Draft, Goal};
use fitness_store::testkit::{easy_run, june, now};
use fitness_store::{FinishedFiles, NewBrief, RunKind, RunOutcome, RunState, StoredFact};
use serde_json::json;

async fn ann() -> (Site, UserId, Browser) {
    let site = Site::new().await;
    let ann = site.db.user("Ann").await;
    let browser = site.signed_in(ann).await;
    (site, ann, browser)
}

/// A plan with a run today.
async fn planned(site: &Site, user: UserId) {
    let draft =
        Draft::new("Half", Goal::Half, None, june(8), june(28), None, vec![easy_run(june(14), 8.0)]).unwrap();
    let id = site.db.store.desk(user, Author::Coach).put_draft(&draft, None, now()).await.unwrap();
    site.db.activate(user, id, None).await.unwrap();
    site.db.store.declare_complete(user, june(13), now()).await.unwrap();
}

/// The built-in coach's brief of what is known now.
async fn write(site: &Site, user: UserId) {
    let facts: Facts = site.db.store.facts(user, june(14)).await.unwrap();
    let briefing = rule_based::brief(&facts);
    let stored = |fact: &fitness_core::facts::Fact| StoredFact {
        fact_id: fact.id.to_string(),
        value: serde_json::to_value(fact).unwrap(),
        source: json!(fact.sources),
    };
    let rendered = facts.render(&briefing.body, UnitSystem::Metric).unwrap();
    let brief = NewBrief {
        day: june(14),
        model: "built-in".to_owned(),
        prompt_version: String::new(),
        schema_version: "1".to_owned(),
        body: json!({ "rendered": rendered, "briefing": briefing, "byline": "By rules." }),
        cost_micros: None,
        fell_back: None,
        facts: facts.known().iter().map(stored).collect(),
    };
    site.db.store.put_brief(user, brief, now()).await.unwrap();
}

fn leading(text: &str) -> &str {
    let from = text.find("<section class=\"card leading\"").expect("a card leads");
    &text[from..from + text[from..].find("</section>").unwrap()]
}

#[tokio::test]
async fn one_card_leads_with_the_session_what_waits_and_why() {
    let (site, user, browser) = ann().await;
    planned(&site, user).await;
    write(&site, user).await;
    for name in ["One", "Two"] {
        site.db.draft(user, name).await;
    }
    let page = browser.get("/").await;
    let card = leading(&page.text);
    let at = |words: &str| card.find(words).unwrap_or_else(|| panic!("{words}: {card}"));
    assert!(at("<h2 class=\"headline\">") < at("Today's session"), "{card}");
    assert!(at("Today's session") < at("2 drafts") && at("2 drafts") < at("class=\"why\""), "{card}");
    assert!(card.contains(" today, <a class=\"fact\"") && card.contains(">8.0 km</a>."), "{card}");
    assert!(card.contains("ahead of you") && !card.contains("pending"), "{card}");
    assert!(!card.contains("class=\"big\""), "the headline has said its name: {card}");
    assert_eq!(page.text.matches("btn primary").count(), 1, "one thing to do first");
}

#[tokio::test]
async fn a_brief_says_when_something_changed_since_it_was_written() {
    let (site, user, browser) = ann().await;
    planned(&site, user).await;
    write(&site, user).await;
    const CHANGED: &str = "Something changed since this brief was written.";
    assert!(!browser.get("/").await.says(CHANGED));
    // A run of yesterday that came late, a plan that is gone: each is news to the brief.
    site.db.ran(user, june(13), 9.0).await;
    let page = browser.get("/").await;
    assert!(page.says(CHANGED) && page.text.matches("action=\"/brief\"").count() == 1, "{}", page.text);
    write(&site, user).await;
    assert!(!browser.get("/").await.says(CHANGED), "written anew, it is up to date");
    assert!(leading(&browser.get("/").await.text).contains("class=\"headline\""));
    planned_again(&site, user).await;
    let page = browser.get("/").await;
    assert!(page.says(CHANGED));
    // What was true this morning does not tell anybody what to do now.
    assert!(!leading(&page.text).contains("class=\"headline\""), "{}", page.text);
}

/// The night of today has not arrived, and a fortnight later neither has anything else.
#[tokio::test]
async fn what_has_not_arrived_is_not_judged_and_what_is_old_says_its_day() {
    let site = Site::new().await;
    let ann = crate::trends::trained(&site, 60).await;
    let browser = site.signed_in(ann).await;
    let row = |page: &str, label: &str| {
        let from = page.find(&format!("<th scope=\"row\">{label}</th>")).expect("a row");
        page[from..from + page[from..].find("</tr>").unwrap()].to_owned()
    };
    let page = browser.get("/").await.text;
    for label in ["Sleep", "Resting heart rate"] {
        let row = row(&page, label);
        assert!(row.contains("—") && !row.contains("class=\"chip"), "{row}");
    }
    assert!(row(&page, "Form").contains("class=\"chip"), "{}", row(&page, "Form"));
    assert!(page.contains("/activities/"), "what was done last");
    set_clock("2026-07-20T08:00:00Z");
    let browser = site.signed_in(ann).await;
    let page = browser.get("/").await.text;
    let form = row(&page, "Form");
    assert!(!form.contains("class=\"chip") && (form.contains("14 Jun") || form.contains("—")), "{form}");
    assert!(page.contains("/activities/") && !page.contains("Nothing is recorded yet"), "{page}");
}

/// Nothing done is a number only where something of the week is known.
#[tokio::test]
async fn a_week_without_data_has_no_sum() {
    let (site, user, browser) = ann().await;
    planned(&site, user).await;
    assert!(browser.get("/").await.says("0.0 km of "), "of a week whose first days are known");
    set_clock("2026-06-16T08:00:00Z");
    let page = browser.get("/").await;
    assert!(!page.says("0.0 km of ") && page.says("has not arrived"), "{}", page.text);
}

/// Another plan in the place of the first.
async fn planned_again(site: &Site, user: UserId) {
    let active = site.db.store.find_active_plan(user).await.unwrap().unwrap().id;
    let draft = site.db.draft(user, "Another").await;
    site.db.activate(user, draft, Some(active)).await.unwrap();
}

#[tokio::test]
async fn a_page_that_went_wrong_has_the_app_around_it_for_whoever_is_signed_in() {
    let (site, _, browser) = ann().await;
    for path in ["/nothing-here", "/activities/987654321", "/days/2030-01-01", "/plans/x"] {
        let page = browser.get(path).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{path}");
        assert!(page.says("<nav class=\"rail\"") && page.says("class=\"fresh\""), "{path}: {}", page.text);
        assert_eq!(page.text.matches("<h1").count(), 1, "{path}");
    }
    let refused = browser.post("/feel", &[("feeling", "9")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.says("<nav class=\"rail\"") && refused.says("Say how you feel"), "{}", refused.text);
    let stranger = site.stranger().get("/nothing-here").await;
    assert_eq!(stranger.status, StatusCode::NOT_FOUND);
    assert!(!stranger.says("<nav") && !stranger.says("class=\"fresh\""), "{}", stranger.text);
}

#[tokio::test]
async fn a_service_that_failed_is_told_until_it_works_again() {
    let (site, user, browser) = ann().await;
    let store = &site.db.store;
    let add = async |label: &str| store.add_source(user, "intervals", label, json!({}), now()).await.unwrap();
    let (one, other) = (add("One").await, add("Other").await);
    let run = async |kind, source, state, summary: serde_json::Value| {
        let id = store.begin_run(user, kind, source, now()).await.unwrap();
        let problem = (state == RunState::Failed).then(|| "the key is unknown".to_owned());
        let outcome = RunOutcome {
            kind: None,
            state,
            evidence: Vec::new(),
            summary,
            problem,
            files: FinishedFiles::default(),
        };
        store.finish_run(user, id, outcome, now()).await.unwrap();
    };
    let line = async || {
        let page = browser.get("/settings").await;
        let from = page.text.find("class=\"fresh\"").unwrap();
        page.text[from..from + page.text[from..].find("</div>").unwrap()].to_owned()
    };
    run(RunKind::Live, Some(one), RunState::Failed, json!({})).await;
    assert!(line().await.contains("the key is unknown"));
    run(RunKind::File, None, RunState::Done, json!({ "added": 0 })).await;
    run(RunKind::Live, Some(other), RunState::Done, json!({})).await;
    let said = line().await;
    assert!(said.contains("the key is unknown"), "another way in says nothing about it: {said}");
    assert!(!said.contains("imported"), "nothing came with the import: {said}");
    run(RunKind::File, None, RunState::Done, json!({ "added": 2 })).await;
    assert!(line().await.contains("imported"));
    run(RunKind::Live, Some(one), RunState::Done, json!({})).await;
    let said = line().await;
    assert!(!said.contains("the key is unknown") && said.contains("synced"), "{said}");
}
