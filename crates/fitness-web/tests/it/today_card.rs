//! The first card on Today, stale briefs, the data status line, and the layout of error pages.

use crate::harness::{Browser, TestSite, set_clock};
use axum::http::StatusCode;
use fitness_coach::rule_based;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::UnitSystem;
use fitness_core::facts::Facts;
use fitness_core::plan::{Draft, GoalDistance, Workout};
use fitness_store::testkit::{easy_run, june, now};
use fitness_store::{FinishedFiles, NewBrief, StoredFact, SyncRunKind, SyncRunOutcome, SyncRunState};
use serde_json::json;

async fn site_with_ann() -> (TestSite, UserId, Browser) {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let browser = site.signed_in(ann).await;
    (site, ann, browser)
}

/// A plan with a run today.
async fn create_plan(site: &TestSite, user: UserId) {
    create_plan_with(site, user, vec![easy_run(june(14), 8.0)]).await;
}

async fn create_plan_with(site: &TestSite, user: UserId, workouts: Vec<Workout>) {
    let draft = Draft::new("Half", GoalDistance::Half, None, june(8), june(28), None, workouts).unwrap();
    let id = site.db.store.plan_writer(user, Author::Coach).put_draft(&draft, None, now()).await.unwrap();
    site.db.activate(user, id, None).await.unwrap();
    site.db.store.declare_day_complete(user, june(13), now()).await.unwrap();
}

/// Stores a rule-based brief of the current facts, as written by this author.
async fn write_brief_by(author: &str, site: &TestSite, user: UserId) {
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
        model: author.to_owned(),
        prompt_version: String::new(),
        schema_version: "1".to_owned(),
        body: json!({ "rendered": rendered, "briefing": briefing, "byline": "By rules." }),
        cost_micros: None,
        fallback_reason: None,
        facts: facts.known().iter().map(stored).collect(),
    };
    site.db.store.put_brief(user, brief, now()).await.unwrap();
}

async fn write_brief(site: &TestSite, user: UserId) {
    write_brief_by("a-model", site, user).await;
}

#[tokio::test]
async fn built_in_brief_is_rewritten_when_its_facts_change() {
    let (site, user, browser) = site_with_ann().await;
    create_plan(&site, user).await;
    write_brief_by(rule_based::NAME, &site, user).await;
    let id = async || site.db.store.find_brief(user, june(14)).await.unwrap().unwrap().id;
    let first = id().await;
    browser.post("/settings/looks", &[("theme", "dark")]).await.redirect_target();
    assert_eq!(id().await, first, "its facts are the same");
    let note = [("reason", "ill"), ("from", "2026-06-14"), ("through", "2026-06-14"), ("severity", "3")];
    browser.post("/marks", &note).await.redirect_target();
    let brief = site.db.store.find_brief(user, june(14)).await.unwrap().unwrap();
    assert_ne!(brief.id, first);
    let facts = site.db.store.facts(user, june(14)).await.unwrap();
    assert_eq!(
        brief.body["rendered"],
        facts.render(&rule_based::brief(&facts).body, UnitSystem::Metric).unwrap()
    );
    // What a model wrote costs money: its athlete decides.
    write_brief(&site, user).await;
    let by_model = id().await;
    site.db.import_run(user, june(13), 9.0).await;
    assert!(browser.get("/").await.contains("/brief"));
    assert_eq!(id().await, by_model);
}

fn today_card_html(text: &str) -> &str {
    let from = text.find("<section class=\"card leading\"").expect("a card leads");
    &text[from..from + text[from..].find("</section>").unwrap()]
}

#[tokio::test]
async fn today_card_shows_workout_pending_decisions_and_reason() {
    let (site, user, browser) = site_with_ann().await;
    create_plan(&site, user).await;
    write_brief(&site, user).await;
    for name in ["One", "Two"] {
        site.db.draft(user, name).await;
    }
    let page = browser.get("/").await;
    let card = today_card_html(&page.text);
    let at = |words: &str| card.find(words).unwrap_or_else(|| panic!("{words}: {card}"));
    assert!(at("<h2 class=\"headline\">") < at("Today's workout"), "{card}");
    assert!(at("Today's workout") < at("2 drafts") && at("2 drafts") < at("class=\"why\""), "{card}");
    assert!(card.contains(" today, <a class=\"fact\"") && card.contains(">8.0 km</a>."), "{card}");
    assert!(card.contains("to come") && !card.contains("pending"), "{card}");
    assert!(!card.contains("class=\"big\""), "the headline has its name: {card}");
    assert_eq!(page.text.matches("btn primary").count(), 1, "one primary button");
}

#[tokio::test]
async fn brief_is_marked_stale_when_facts_change() {
    let (site, user, browser) = site_with_ann().await;
    create_plan(&site, user).await;
    write_brief(&site, user).await;
    const CHANGED: &str = "Something changed since this brief was written.";
    assert!(!browser.get("/").await.contains(CHANGED));
    // A late import or a replaced plan makes the brief stale.
    site.db.import_run(user, june(13), 9.0).await;
    let page = browser.get("/").await;
    assert!(page.contains(CHANGED) && page.text.matches("action=\"/brief\"").count() == 1, "{}", page.text);
    write_brief(&site, user).await;
    assert!(!browser.get("/").await.contains(CHANGED), "rewritten, it is up to date");
    assert!(today_card_html(&browser.get("/").await.text).contains("class=\"headline\""));
    replace_active_plan(&site, user).await;
    let page = browser.get("/").await;
    assert!(page.contains(CHANGED));
    // A stale brief has no headline.
    assert!(!today_card_html(&page.text).contains("class=\"headline\""), "{}", page.text);
}

/// Last night is missing; five weeks later everything is stale.
#[tokio::test]
async fn missing_data_is_not_graded_and_stale_data_shows_its_day() {
    let site = TestSite::new().await;
    let ann = crate::trends::athlete_with_training(&site, 60).await;
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
    assert!(page.contains("/activities/") && !page.contains("No activities yet"), "{page}");
}

#[tokio::test]
async fn week_without_data_has_no_total() {
    let (site, user, browser) = site_with_ann().await;
    create_plan_with(&site, user, vec![easy_run(june(14), 8.0), easy_run(june(18), 8.0)]).await;
    assert!(browser.get("/").await.contains("This week: 0.0 km of 8.0 km"), "its first days are known");
    set_clock("2026-06-16T08:00:00Z");
    let page = browser.get("/").await;
    assert!(page.contains("This week: 8.0 km planned, no data yet"), "{}", page.text);
}

/// Another plan in the place of the first.
async fn replace_active_plan(site: &TestSite, user: UserId) {
    let active = site.db.store.find_active_plan(user).await.unwrap().unwrap().id;
    let draft = site.db.draft(user, "Another").await;
    site.db.activate(user, draft, Some(active)).await.unwrap();
}

#[tokio::test]
async fn error_page_has_layout_when_signed_in() {
    let (site, _, browser) = site_with_ann().await;
    for path in ["/nothing-here", "/activities/987654321", "/days/2030-01-01", "/plans/x"] {
        let page = browser.get(path).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{path}");
        assert!(
            page.contains("<nav class=\"rail\"") && page.contains("class=\"fresh\""),
            "{path}: {}",
            page.text
        );
        assert_eq!(page.text.matches("<h1").count(), 1, "{path}");
    }
    let refused = browser.post("/feel", &[("feeling", "9")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        refused.contains("<nav class=\"rail\"") && refused.contains("Choose how you feel"),
        "{}",
        refused.text
    );
    let stranger = site.signed_out_browser().get("/nothing-here").await;
    assert_eq!(stranger.status, StatusCode::NOT_FOUND);
    assert!(!stranger.contains("<nav") && !stranger.contains("class=\"fresh\""), "{}", stranger.text);
}

#[tokio::test]
async fn sync_error_is_shown_until_the_same_service_succeeds() {
    let (site, user, browser) = site_with_ann().await;
    let store = &site.db.store;
    let add = async |label: &str| store.add_source(user, "intervals", label, json!({}), now()).await.unwrap();
    let (one, other) = (add("One").await, add("Other").await);
    let run = async |kind, source, state, summary: serde_json::Value| {
        let id = store.begin_sync_run(user, kind, source, now()).await.unwrap();
        let problem = (state == SyncRunState::Failed).then(|| "the key is unknown".to_owned());
        let outcome = SyncRunOutcome {
            kind: None,
            state,
            evidence: Vec::new(),
            summary,
            problem,
            files: FinishedFiles::default(),
        };
        store.finish_sync_run(user, id, outcome, now()).await.unwrap();
    };
    let line = async || {
        let page = browser.get("/settings").await;
        let from = page.text.find("class=\"fresh\"").unwrap();
        page.text[from..from + page.text[from..].find("</div>").unwrap()].to_owned()
    };
    run(SyncRunKind::Live, Some(one), SyncRunState::Failed, json!({})).await;
    assert!(line().await.contains("the key is unknown"));
    run(SyncRunKind::File, None, SyncRunState::Done, json!({ "added": 0 })).await;
    run(SyncRunKind::Live, Some(other), SyncRunState::Done, json!({})).await;
    let said = line().await;
    assert!(said.contains("the key is unknown"), "another service does not resolve it: {said}");
    assert!(!said.contains("last import"), "nothing came with the import: {said}");
    run(SyncRunKind::File, None, SyncRunState::Done, json!({ "added": 2 })).await;
    assert!(line().await.contains("last import"));
    run(SyncRunKind::Live, Some(one), SyncRunState::Done, json!({})).await;
    let said = line().await;
    assert!(!said.contains("the key is unknown") && said.contains("last sync"), "{said}");
}
