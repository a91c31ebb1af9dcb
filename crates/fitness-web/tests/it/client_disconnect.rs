//! Whoever leaves in the middle of an answer: what was done by then is in the conversation, and can be gone on with.

use crate::chat_failures::{chat_turn, draft, run_turn};
use crate::harness::{BASE_URL, TestSite, form, prompts};
use axum::http::header;
use fitness_coach::agent_loop::TurnLimits;
use fitness_coach::model::{
    Cost, Message, Model, ModelListener, ModelPart, Reply, ReplyFuture, Request, Usage, UserPart,
};
use fitness_coach::testkit::ScriptedModel;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ChatId, UserId};
use fitness_store::on_both_databases;
use fitness_store::testkit::TestDb;
use fitness_web::{BoxFuture, CoachProvider, OpenModelResult, routes};
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;

on_both_databases! {
    async fn tool_results_are_stored_when_client_disconnects(db) {
        let ann = db.user("Ann").await;
        let model = SilentModel::new(vec![draft(), list_notes_call()]);
        let silent = Arc::clone(&model.silent);
        let chat = chat_turn(&db, ann, None).ensure_chat("Draft a half, please").await.unwrap();
        let leaving = run_turn(&db, ann, Some(chat), "Draft a half, please", (&model, TurnLimits::default()));
        // Whoever waits for the answer is gone in the middle of the second round, without a word.
        tokio::select! { _ = leaving => panic!("it waits"), _ = silent.acquire() => {} }
        wait_for_messages(&db, ann, chat, 4).await;
        let plan = db.store.list_plans(ann).await.unwrap().remove(0).id;
        // And comes back later.
        let next = ScriptedModel::new("m", |_| Ok(ScriptedModel::text_reply("There is a draft.")));
        run_turn(&db, ann, Some(chat), "And?", (&next, TurnLimits::default())).await;
        let asked = next.requests().remove(0).messages;
        let [_, Message::Model { parts: calls, .. }, Message::Program { parts: told }, _] = asked.as_slice() else { panic!("{asked:?}") };
        assert_eq!(calls, &[draft(), list_notes_call()]);
        let [UserPart::Result { call, text, refused: false }, UserPart::Result { call: other, refused: false, .. }] = told.as_slice() else {
            panic!("{told:?}")
        };
        assert_eq!((call.as_str(), other.as_str()), ("a", "b"));
        assert!(text.contains(&format!("\"plan_id\":{plan}")), "{text}");
    }
}

/// Looks something up.
fn list_notes_call() -> ModelPart {
    ModelPart::Call { id: "b".to_owned(), tool: "notes".to_owned(), input: json!({}) }
}

/// A model that does something first, says half a sentence, and is then silent for ever.
struct SilentModel {
    first: Mutex<Option<Reply>>,
    /// Has a permit when it is silent.
    silent: Arc<Semaphore>,
}

impl SilentModel {
    fn new(first: Vec<ModelPart>) -> Self {
        Self { first: Mutex::new(Some(ScriptedModel::reply(first))), silent: Arc::new(Semaphore::new(0)) }
    }
}

impl Model for SilentModel {
    fn name(&self) -> &str {
        "silent"
    }
    fn ask<'a>(&'a self, _: &'a Request, listener: &'a mut (dyn ModelListener + 'a)) -> ReplyFuture<'a> {
        let first = self.first.lock().unwrap().take();
        Box::pin(async move {
            let Some(first) = first else {
                listener.text("There it is, and");
                self.silent.add_permits(1);
                return std::future::pending().await;
            };
            Ok(first)
        })
    }
    fn preview(&self, _: &Request) -> String {
        String::new()
    }
    fn cost(&self, _: &Usage) -> Option<Cost> {
        None
    }
}

/// Waits until a conversation has so many messages.
async fn wait_for_messages(db: &TestDb, user: UserId, chat: ChatId, messages: usize) -> Vec<Message> {
    let mut found = Vec::new();
    for _ in 0..200 {
        found = db.store.list_chat_messages(user, chat).await.unwrap();
        if found.len() == messages {
            return found.into_iter().map(|one| serde_json::from_value(one.body).unwrap()).collect();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{found:#?}");
}

/// A coach who falls silent, once.
struct SilentCoach(Mutex<Option<SilentModel>>);

impl CoachProvider for SilentCoach {
    fn open_model<'a>(&'a self, _: UserId, _: Option<&'a str>, _: Day) -> BoxFuture<'a, OpenModelResult> {
        let model = self.0.lock().unwrap().take().unwrap();
        Box::pin(async { Ok((Box::new(model) as Box<dyn Model>, TurnLimits::default())) })
    }
    fn describe(&self, _: UserId) -> BoxFuture<'_, (String, Vec<String>)> {
        Box::pin(async { ("Somebody coaches here.".to_owned(), Vec::new()) })
    }
}

#[tokio::test]
async fn disconnect_of_form_chat_keeps_stored_messages() {
    let mut site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let browser = site.signed_in(ann).await;
    let model = SilentModel::new(vec![draft(), list_notes_call()]);
    let silent = Arc::clone(&model.silent);
    let app = fitness_web::App { coach: Arc::new(SilentCoach(Mutex::new(Some(model)))), ..site.app() };
    site.router = routes(app, prompts()).0;
    let browser = site.on_current_router(&browser);
    let fields = [("text", "Draft a half, please"), ("form_token", &browser.token)];
    let asking =
        browser.send(form(browser.request("POST", "/coach").header(header::ORIGIN, BASE_URL), &fields));
    tokio::select! { page = asking => panic!("{page:?}"), _ = silent.acquire() => {} }
    let chat = site.db.store.list_chats(ann).await.unwrap().remove(0).id;
    let messages = wait_for_messages(&site.db, ann, chat, 5).await;
    let Some(Message::Model { parts, .. }) = messages.last() else { panic!("{messages:?}") };
    assert_eq!(parts, &[ModelPart::Text { text: "There it is, and".to_owned() }], "what was heard stays");
    let page = browser.get(&format!("/coach?chat={chat}")).await;
    let plan = site.db.store.list_plans(ann).await.unwrap().remove(0).id;
    assert!(
        page.contains(&format!("href=\"/plans/{plan}\"")) && page.contains("needs your decision"),
        "{}",
        page.text
    );
}
