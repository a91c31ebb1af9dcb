//! What a model wrote is shown as the model's: numbers are checked once, tool activity is told in our words, and names are
//! labelled.

use crate::chat_failures::run_turn;
use crate::harness::{TestResponse, TestSite};
use fitness_coach::agent_loop::TurnLimits;
use fitness_coach::model::ModelPart;
use fitness_coach::testkit::ScriptedModel;
use fitness_core::domain::ids::{ChatId, UserId};
use fitness_core::domain::note::{Author, NoteText};
use fitness_store::testkit::{self, TestDb, now};
use fitness_store::{ChatMessage, Role, on_both_databases};
use serde_json::{Value, json};

/// The most bytes of a model's text that are kept of one message.
const MAX_BYTES: usize = 16 * 1024;

/// The texts of the model's messages as they are stored, and the marks beside them.
async fn stored_messages(db: &TestDb, user: UserId, chat: ChatId) -> Vec<(String, Value)> {
    let messages = db.store.list_chat_messages(user, chat).await.unwrap();
    let coachs = messages.into_iter().filter(|message| message.role == Role::Coach);
    coachs
        .map(|message| {
            let text = message.body["parts"][0]["text"].as_str().unwrap_or_default().to_owned();
            (text, message.body["unverified"].clone())
        })
        .collect()
}

on_both_databases! {
    async fn number_marks_are_stored_with_the_message(db) {
        let ann = db.user("Ann").await;
        let model = ScriptedModel::new("m", |_| Ok(ScriptedModel::text_reply("You ran 99 km.")));
        let (chat, _) = run_turn(&db, ann, None, "How far?", (&model, TurnLimits::default())).await;
        assert_eq!(stored_messages(&db, ann, chat).await, [("You ran 99 km.".to_owned(), json!([[[8, 13]]]))]);
    }

    async fn a_long_text_of_a_model_is_cut_before_it_is_stored(db) {
        let ann = db.user("Ann").await;
        let model = ScriptedModel::new("m", |_| Ok(ScriptedModel::text_reply("ü 7 ".repeat(10_000))));
        let (chat, _) = run_turn(&db, ann, None, "How far?", (&model, TurnLimits::default())).await;
        let [(text, marks)] = &stored_messages(&db, ann, chat).await[..] else { panic!("one answer") };
        assert!(text.len() <= MAX_BYTES && text.len() > MAX_BYTES - 8, "{}", text.len());
        assert!(marks[0].as_array().is_some_and(|marks| marks.len() > 1000), "{marks}");
    }
}

/// The page of a conversation in which a model said this and heard that.
async fn chat_page(site: &TestSite, user: UserId, bodies: &[(Role, Value)]) -> TestResponse {
    let store = &site.db.store;
    let chat = store.start_chat(user, "How far?", now()).await.unwrap();
    for (role, body) in bodies {
        let message = ChatMessage { role: *role, body: body.clone(), model: None, said_at: now() };
        store.add_chat_message(user, chat, message).await.unwrap();
    }
    site.signed_in(user).await.get(&format!("/coach?chat={chat}")).await
}

#[tokio::test]
async fn number_marks_of_a_page_are_those_that_were_stored() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let said = |marks: Value| {
        let parts = [json!({ "type": "text", "text": "You ran 99 km." })];
        (Role::Coach, json!({ "from": "model", "name": "m", "parts": parts, "unverified": marks }))
    };
    let page = chat_page(&site, ann, &[said(json!([[]]))]).await;
    assert!(page.contains("99 km") && !page.contains("<mark"), "{}", page.text);
    let page = chat_page(&site, ann, &[said(json!([[[8, 13]]]))]).await;
    assert!(page.contains("<mark title=\"Not backed by your data\">99 km"), "{}", page.text);
    // What is no mark of this text, and a message of version 0.1, which has none.
    let page = chat_page(&site, ann, &[said(json!([[[9, 400], [3, 1], "x"]]))]).await;
    assert!(page.contains("99 km"), "{}", page.text);
    let mut old = said(Value::Null);
    old.1.as_object_mut().unwrap().remove("unverified");
    let page = chat_page(&site, ann, &[old]).await;
    assert!(page.contains("<mark title=\"Not backed by your data\">99 km"), "{}", page.text);
}

fn call(tool: &str) -> ModelPart {
    ModelPart::Call { id: "a".to_owned(), tool: tool.to_owned(), input: json!({}) }
}

fn result(text: &str, refused: bool) -> (Role, Value) {
    let parts = [json!({ "type": "result", "call": "a", "text": text, "refused": refused })];
    (Role::Tool, json!({ "from": "program", "parts": parts }))
}

fn calls(tool: &str) -> (Role, Value) {
    (Role::Coach, json!({ "from": "model", "name": "m", "parts": [call(tool)] }))
}

#[tokio::test]
async fn an_unknown_tool_is_shown_as_one_without_the_words_of_the_model() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let refused = result("There is no tool Your plan was activated.", true);
    let page = chat_page(&site, ann, &[calls("Your plan was activated"), refused]).await;
    assert!(!page.contains("activated") && page.contains("Unknown tool: refused"), "{}", page.text);
    assert!(!page.contains("✓"), "{}", page.text);
}

#[tokio::test]
async fn tool_activity_is_shown_by_its_outcome_after_a_reload() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let page = chat_page(&site, ann, &[calls("metric_series"), result("{}", false)]).await;
    assert!(page.contains("✓") && page.contains("Read a trend"), "{}", page.text);
    let page = chat_page(&site, ann, &[calls("metric_series"), result("Say it to the model.", true)]).await;
    assert!(!page.contains("✓") && page.contains("Reading a trend: refused"), "{}", page.text);
    assert!(!page.contains("Say it to the model"), "{}", page.text);
    let broken = fitness_core::coach_api::CoachApiError::Internal.to_string();
    let page = chat_page(&site, ann, &[calls("metric_series"), result(&broken, true)]).await;
    assert!(!page.contains("✓") && page.contains("Reading a trend: failed"), "{}", page.text);
    // Whatever ended before it was answered.
    let page = chat_page(&site, ann, &[calls("metric_series")]).await;
    assert!(!page.contains("✓") && page.contains("Reading a trend: stopped"), "{}", page.text);
}

/// The paths of pages that show names, descriptions or notes of a plan's athlete.
async fn pages(site: &TestSite, user: UserId, author: Author) -> Vec<(String, TestResponse)> {
    let store = &site.db.store;
    let desk = store.plan_writer(user, author);
    let plan = desk.put_draft(&testkit::draft("Spring plan"), None, now()).await.unwrap();
    site.db.activate(user, plan, None).await.unwrap();
    let draft = desk.put_draft(&testkit::draft("Another plan"), None, now()).await.unwrap();
    let text = NoteText::new("Prefers mornings").unwrap();
    let note = store.add_note(user, author, None, &text, now()).await.unwrap();
    if author != Author::Athlete {
        store.accept_note(user, note, now()).await.unwrap();
    }
    let workout = store.plan_adherence(user, plan).await.unwrap().workouts[3].id;
    let browser = site.signed_in(user).await;
    let mut pages = Vec::new();
    for path in [
        "/".to_owned(),
        "/plan".to_owned(),
        "/plans".to_owned(),
        format!("/plans/{draft}"),
        format!("/plan/workouts/{workout}"),
        "/settings/notes".to_owned(),
        "/plan/revisions".to_owned(),
        "/plan/revisions/1".to_owned(),
        "/plan/export/plan.ics".to_owned(),
        "/plan/export/plan.md".to_owned(),
        format!("/calendar/{}.ics", store.create_calendar_feed(user, now()).await.unwrap().reveal()),
    ] {
        let page = browser.get(&path).await;
        assert_eq!(page.status, axum::http::StatusCode::OK, "{path}");
        pages.push((path, page));
    }
    pages
}

#[tokio::test]
async fn names_descriptions_and_notes_of_a_coach_are_labelled_wherever_they_are_shown() {
    for (author, label) in [
        (Author::Coach, Some("written by the coach")),
        (Author::Mcp, Some("written by an app")),
        (Author::Athlete, None),
    ] {
        let site = TestSite::new().await;
        let ann = site.db.user("Ann").await;
        for (path, page) in pages(&site, ann, author).await {
            let text = page.text.replace('\'', "&#39;");
            let labelled =
                ["written by the coach", "written by an app"].into_iter().find(|label| text.contains(label));
            assert_eq!(labelled, label, "{path}: {}", page.text);
        }
    }
}
