//! Turns that go wrong, over a real database: what tools did is kept, nothing else changes, and what may be used holds.

use fitness_coach::agent_loop::{DailyBudget, EndReason, TurnEnd, TurnLimits};
use fitness_coach::model::anthropic::Claude;
use fitness_coach::model::catalog::ClaudeModel;
use fitness_coach::model::openai::OpenAiCompatible;
use fitness_coach::model::{
    Cost, Message, Model, ModelError, ModelErrorKind, ModelListener, ModelPart, Reply, ReplyFuture, Request,
    StopReason, Timeouts, Usage, UserPart,
};
use fitness_coach::settings::CAPABILITIES_SETTING_KEY;
use fitness_coach::testkit::{
    Block, FakeAnthropic, FakeOpenAi, KEY, ScriptResponse, ScriptedFailure, ScriptedModel, ScriptedReply,
    ScriptedStop, StreamEnd, ToolSupport, WireFormat,
};
use fitness_core::adherence::data_frontier::CoverageEvidence;
use fitness_core::domain::ids::{ChatId, UserId};
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::domain::observation::{ObservationData, ObservationKind};
use fitness_store::on_both_databases;
use fitness_store::testkit::{Backend, TestDb, june, now};
use fitness_web::coach::chat::ChatTurn;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::Semaphore;

const SITE: &str = "http://127.0.0.1:8787";

pub(crate) fn chat_turn(db: &TestDb, user: UserId, chat: Option<ChatId>) -> ChatTurn<'_> {
    ChatTurn { store: &db.store, user, chat, today: june(14), now: now() }
}

/// Says something; which conversation it is, and how the turn ended.
pub(crate) async fn run_turn(
    db: &TestDb,
    user: UserId,
    chat: Option<ChatId>,
    text: &str,
    (model, caps): (&dyn Model, TurnLimits),
) -> (ChatId, EndReason) {
    let desk = db.store.coach_api(user, Author::Coach, now(), SITE).await.unwrap();
    let never = std::future::pending();
    let talk = chat_turn(db, user, chat);
    let (chat, conversed) = talk.run(text, (model, caps), &desk, never, &mut |_| {}).await.unwrap();
    (chat, conversed.end.reason)
}

fn texts(request: &Request) -> Vec<&str> {
    let told = request.messages.iter().flat_map(|message| match message {
        Message::Program { parts } => parts.as_slice(),
        Message::Model { .. } => &[],
    });
    told.filter_map(|part| match part {
        UserPart::Text { text } => Some(text.as_str()),
        UserPart::Result { .. } => None,
    })
    .collect()
}

pub(crate) fn draft() -> ModelPart {
    let input = json!({ "goal": "half", "race_date": "2026-09-20", "start_date": "2026-06-16",
        "schedule": [{ "date": "2026-06-16", "planned_miles": 4.0, "kind": "easy" }] });
    ModelPart::Call { id: "a".to_owned(), tool: "draft_training_plan".to_owned(), input }
}

on_both_databases! {
    async fn tool_results_of_a_failed_turn_are_in_the_next_request(db) {
        let ann = db.user("Ann").await;
        let mut asked = 0;
        let model = ScriptedModel::new("m", move |_| {
            asked += 1;
            match asked {
                1 => Ok(ScriptedModel::reply(vec![draft()])),
                2 => Err(ModelError::new(ModelErrorKind::Request, "It was refused.")),
                _ => Ok(ScriptedModel::text_reply("There is a draft.")),
            }
        });
        let (chat, ended) = run_turn(&db, ann, None, "Draft a half, please", (&model, TurnLimits::default())).await;
        assert_eq!(ended, EndReason::Failed);
        run_turn(&db, ann, Some(chat), "Please try again", (&model, TurnLimits::default())).await;
        let asked = model.requests();
        let told = asked.last().unwrap().messages.iter().flat_map(|message| match message {
            Message::Program { parts } => parts.clone(),
            Message::Model { .. } => Vec::new(),
        });
        let results: Vec<UserPart> = told.filter(|part| matches!(part, UserPart::Result { .. })).collect();
        let [UserPart::Result { text, refused: false, .. }] = results.as_slice() else { panic!("{results:?}") };
        assert!(text.contains("plan_id"), "{text}");
        let words = texts(asked.last().unwrap());
        let place = |said: &str| words.iter().position(|text| *text == said).unwrap();
        assert!(place("Draft a half, please") < place("Please try again"), "{words:?}");
    }

    async fn unanswered_message_stays_in_history(db) {
        let ann = db.user("Ann").await;
        let mut asked = 0;
        let model = ScriptedModel::new("m", move |_| {
            asked += 1;
            if asked == 1 {
                return Err(ModelError::new(ModelErrorKind::Unreachable, "It did not answer."));
            }
            Ok(ScriptedModel::text_reply("Here I am."))
        });
        let (chat, _) = run_turn(&db, ann, None, "How is my form?", (&model, TurnLimits::default())).await;
        run_turn(&db, ann, Some(chat), "Please try again", (&model, TurnLimits::default())).await;
        run_turn(&db, ann, Some(chat), "Thank you", (&model, TurnLimits::default())).await;
        for request in &model.requests()[1..] {
            let words = texts(request);
            let said: Vec<&&str> = words.iter().filter(|text| text.len() < 20).collect();
            let all = [&"How is my form?", &"Please try again", &"Thank you"];
            assert_eq!(said, all[..said.len()], "{words:?}");
        }
    }

    async fn concurrent_turns_share_the_daily_budget(db) {
        let ann = db.user("Ann").await;
        let caps = TurnLimits { tokens: 300, daily_budget: Some(DailyBudget { tokens: 300, money: None }), ..TurnLimits::default() };
        let paid = TurnLimits { daily_budget: Some(DailyBudget { tokens: 1_000_000, money: Some(Cost(100)) }), ..TurnLimits::default() };
        for (caps, of) in [(caps, "tokens"), (paid, "money")] {
            let user = if of == "tokens" { ann } else { db.user("Bob").await };
            // Whoever is answered is so once the five others are not.
            let others = Semaphore::new(0);
            let slow = SlowModel(&others);
            let talks = (0..6).map(|_| async {
                let (_, ended) = run_turn(&db, user, None, "How is my form?", (&slow, caps)).await;
                others.add_permits(1);
                ended
            });
            let ended = join_all(talks).await;
            let answered = ended.iter().filter(|how| **how == EndReason::Answered).count();
            assert_eq!(answered, 1, "{of}: {ended:?}");
            let spent = db.store.usage_on(user, june(14)).await.unwrap();
            assert_eq!((spent.tokens(), spent.cost_micros), (240, Some(60)), "what was set aside is settled");
        }
        let (later, open) = (TurnLimits { tokens: 60, ..caps }, Semaphore::new(5));
        assert_eq!(run_turn(&db, ann, None, "And now?", (&SlowModel(&open), later)).await.1, EndReason::Answered, "60 were left");
        assert_eq!(run_turn(&db, ann, None, "And now?", (&SlowModel(&open), later)).await.1, EndReason::Tokens);
        let day = db.store.usage_on(ann, june(14)).await.unwrap();
        assert_eq!(day.tokens(), 480, "at most one request goes beyond what may be used");
    }

    async fn disconnected_turn_releases_unused_reservation(db) {
        let caps = TurnLimits { daily_budget: Some(DailyBudget { tokens: 300, money: None }), ..TurnLimits::default() };
        let never = Semaphore::new(0);
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let desk = db.store.coach_api(bob, Author::Coach, now(), SITE).await.unwrap();
        let until = async {
            wait_for_usage(&db, bob, |tokens| tokens > 17).await;
            TurnEnd::cancel()
        };
        chat_turn(&db, bob, None).run("Hello", (&SlowModel(&never), caps), &desk, until, &mut |_| {}).await.unwrap();
        assert_eq!(db.store.usage_on(bob, june(14)).await.unwrap().tokens(), 17, "written when the turn is over");
        let hangs = SlowModel(&never);
        let leaving = run_turn(&db, ann, None, "How is my form?", (&hangs, caps));
        tokio::select! { _ = leaving => panic!("it waits"), () = wait_for_usage(&db, ann, |tokens| tokens > 17) => {} }
        wait_for_usage(&db, ann, |tokens| tokens == 17).await;
    }
}

/// Waits until so much is written down.
async fn wait_for_usage(db: &TestDb, user: UserId, enough: impl Fn(u64) -> bool) {
    for _ in 0..1000 {
        if enough(db.store.usage_on(user, june(14)).await.unwrap().tokens()) {
            // What was set aside is there a moment before the model is asked.
            tokio::time::sleep(Duration::from_millis(100)).await;
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{:?}", db.store.usage_on(user, june(14)).await.unwrap());
}

/// Everything at once, on this thread.
async fn join_all<T>(futures: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut all: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        for (future, done) in all.iter_mut().filter(|(_, done)| done.is_none()) {
            if let std::task::Poll::Ready(value) = future.as_mut().poll(context) {
                *done = Some(value);
            }
        }
        let waits = all.iter().any(|(_, done)| done.is_none());
        if waits { std::task::Poll::Pending } else { std::task::Poll::Ready(()) }
    })
    .await;
    all.into_iter().filter_map(|(_, done)| done).collect()
}

/// A model that takes 240 tokens, and answers when there are five permits.
struct SlowModel<'s>(&'s Semaphore);

impl Model for SlowModel<'_> {
    fn name(&self) -> &str {
        "slow"
    }
    fn ask<'a>(&'a self, _: &'a Request, listener: &'a mut (dyn ModelListener + 'a)) -> ReplyFuture<'a> {
        Box::pin(async move {
            listener.usage(Usage { input: 17, ..Usage::default() });
            // More than one may be asked where the limit does not hold; then nobody waits for ever.
            let waiting = self.0.acquire_many(5);
            let _ = tokio::time::timeout(Duration::from_secs(20), waiting).await;
            let parts = vec![ModelPart::Text { text: "Good.".to_owned() }];
            Ok(Reply {
                parts,
                stop_reason: StopReason::Done,
                usage: Usage { input: 200, output: 40, ..Usage::default() },
            })
        })
    }
    fn preview(&self, _: &Request) -> String {
        "x".repeat(4000)
    }
    fn cost(&self, usage: &Usage) -> Option<Cost> {
        Some(Cost(usage.total_tokens() / 4))
    }
}

/// What a failing model must leave as it is.
async fn snapshot(db: &TestDb, user: UserId) -> Value {
    let store = &db.store;
    let plans = store.list_plans(user).await.unwrap();
    let mut proposals = Vec::new();
    for plan in &plans {
        proposals.extend(store.list_proposals(user, plan.id).await.unwrap());
    }
    let notes: Vec<String> =
        store.list_notes(user).await.unwrap().iter().map(|note| format!("{note:?}")).collect();
    let observed =
        store.list_observations(user, june(1).plus_days(-400), june(1).plus_days(400)).await.unwrap();
    let lines = store.list_audit(user, 100_000).await.unwrap();
    let aside = ["chat.start", "chat.say", "model.ask"];
    let lines = lines.iter().filter(|line| !aside.contains(&line.action.as_str()));
    let mut settings = store.list_settings(user).await.unwrap();
    // What was found out about the server is no setting of the athlete's.
    settings.remove(CAPABILITIES_SETTING_KEY);
    json!({
        "plans": plans,
        "proposals": proposals.iter().map(|one| format!("{one:?}")).collect::<Vec<_>>(),
        "notes": notes,
        "observed": observed.iter().map(|one| format!("{one:?}")).collect::<Vec<_>>(),
        "settings": settings,
        "audit": lines.map(|line| format!("{} {}", line.action, line.object)).collect::<Vec<_>>(),
        "tokens": store.list_api_tokens(user).await.unwrap().len(),
        "sessions": store.list_sessions(user).await.unwrap().len(),
    })
}

const MESSAGE: &str = "Grüße 😀 an dich: easy does it today.";

/// Every way to fail that the fakes know.
fn failing_responses() -> Vec<(&'static str, ScriptResponse)> {
    let after = |after| ScriptedReply::text(MESSAGE).with_end(after);
    let because = |why| ScriptedReply { stop: Some(why), ..ScriptedReply::text(MESSAGE) };
    let says = |block| ScriptedReply { blocks: vec![block], ..ScriptedReply::text("") };
    let slowly = ScriptedReply {
        format: WireFormat { chunk: 1, ..WireFormat::default() },
        ..ScriptedReply::text(MESSAGE)
    };
    let broken = || Block::BrokenCall("suggest_note".to_owned(), "{\"text\": \"cut".to_owned());
    vec![
        ("silence", ScriptedFailure::Silence.into()),
        ("a hang up", ScriptedFailure::HangUp.into()),
        ("a page", ScriptedFailure::Page.into()),
        ("a spend cap", ScriptedFailure::SpendCap.into()),
        ("elsewhere", ScriptedFailure::Redirect("http://127.0.0.1:9/".to_owned()).into()),
        ("a refusal", ScriptedFailure::status(400).into()),
        ("a wrong key", ScriptedFailure::status(401).into()),
        ("too many requests", ScriptedFailure::status(429).into()),
        ("a broken server", ScriptedFailure::status(500).into()),
        ("an overload", ScriptedFailure::status(529).into()),
        ("a stall", after(StreamEnd::Stall(4)).into()),
        ("a cut", after(StreamEnd::Cut(4)).into()),
        ("an early end", after(StreamEnd::Stop(4)).into()),
        ("an error on the way", after(StreamEnd::Error(4, "overloaded_error")).into()),
        ("half an event", after(StreamEnd::HalfEvent(3)).into()),
        ("50 MB of words", after(StreamEnd::Flood(50)).into()),
        ("one line of 50 MB", after(StreamEnd::LongLine(50)).into()),
        ("signs of life alone", after(StreamEnd::Drip(2)).into()),
        ("words without end", after(StreamEnd::Babble(2)).into()),
        ("the limit of tokens", because(ScriptedStop::Length).into()),
        ("a model that declines", because(ScriptedStop::Refusal("no".to_owned())).into()),
        ("a stop nobody knows", because(ScriptedStop::Unknown).into()),
        ("one byte at a time", slowly.into()),
        ("cut JSON", says(broken()).into()),
        ("an unknown tool", says(Block::Call("activate_plan".to_owned(), json!({ "plan_id": 1 }))).into()),
        ("a wrong word", says(Block::Call("metric_series".to_owned(), json!({ "metric": "luck" }))).into()),
        ("a loop", says(Block::Call("notes".to_owned(), json!({}))).into()),
    ]
}

#[tokio::test]
async fn failing_model_changes_nothing_and_stays_within_budget() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = db.user("Ann").await;
    db.active_plan(ann, "Plan").await;
    db.finish_import(ann, CoverageEvidence::Declared { day: june(9), declared_at: now() }).await;
    let note = NoteText::new("Prefers mornings").unwrap();
    db.store.add_note(ann, Author::Athlete, None, &note, now()).await.unwrap();
    let ill = ObservationData::new(ObservationKind::Illness, june(3), june(4), Some(2)).unwrap();
    db.store.add_observation(ann, Author::Athlete, &ill, now()).await.unwrap();
    db.store.put_setting(ann, "coach", &json!({ "provider": "openai" }), now()).await.unwrap();
    let before = snapshot(&db, ann).await;
    let caps = TurnLimits {
        daily_budget: Some(DailyBudget { tokens: 50_000_000, money: None }),
        ..TurnLimits::default()
    };
    for way in ["claude", "native", "enveloped"] {
        for (fault, answer) in failing_responses() {
            if way != "claude" && fault.contains("50 MB") {
                continue;
            }
            let (model, asked): (Box<dyn Model>, Box<dyn Fn() -> usize>) = if way == "claude" {
                let fake = FakeAnthropic::start(move |_| answer.clone()).await;
                let (means, limits) = (fake.clock().http_env(), Timeouts::default());
                let claude =
                    Claude::new(ClaudeModel::Sonnet, fake.address(), &KEY.into(), means, limits).unwrap();
                (Box::new(claude), Box::new(move || fake.requests().len()))
            } else {
                let ability = if way == "native" { ToolSupport::Native } else { ToolSupport::Ignored };
                let fake = FakeOpenAi::start(ability, move |_| answer.clone()).await;
                let (means, limits) = (fake.clock().http_env(), Timeouts::default());
                let key = KEY.into();
                let local =
                    OpenAiCompatible::new("local", fake.address(), Some(&key), means, limits).unwrap();
                (Box::new(local), Box::new(move || fake.requests().len()))
            };
            let used = db.store.usage_on(ann, june(14)).await.unwrap().tokens();
            let (_, ended) = run_turn(&db, ann, None, "How am I doing?", (&*model, caps)).await;
            assert_eq!(snapshot(&db, ann).await, before, "{way}, {fault}");
            // Twelve rounds, each tried three times at most, and the try whether there are calls.
            assert!(asked() <= 40, "{way}, {fault}: {} requests", asked());
            if fault == "a loop" {
                assert_eq!(ended, EndReason::Rounds, "{way}");
                let few =
                    TurnLimits { daily_budget: Some(DailyBudget { tokens: used + 1, money: None }), ..caps };
                let (_, ended) = run_turn(&db, ann, None, "Again", (&*model, few)).await;
                assert_eq!(ended, EndReason::Tokens, "{way}");
            }
        }
    }
}
