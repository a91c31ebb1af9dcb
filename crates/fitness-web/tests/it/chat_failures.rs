//! Turns that go wrong, over a real database: what tools did is kept, nothing else changes, and what may be used holds.

use fitness_coach::agent_loop::{Budget, Caps, Ended, Ending};
use fitness_coach::model::anthropic::Claude;
use fitness_coach::model::catalog::Choice;
use fitness_coach::model::openai::Compatible;
use fitness_coach::model::{
    Asking, Cost, Failing, Limits, Listener, Message, Model, ModelError, Part, Reply, Request, Stop, Told,
    Usage,
};
use fitness_coach::settings::FOUND_SETTING;
use fitness_coach::testkit::{
    Ability, After, Answer, Block, Fail, FakeAnthropic, FakeOpenAi, KEY, Manner, Say, ScriptedModel, Why,
};
use fitness_core::adherence::data_frontier::Evidence;
use fitness_core::domain::ids::{ChatId, UserId};
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::domain::observation::{ObservationKind, Observed};
use fitness_store::on_both_databases;
use fitness_store::testkit::{Backend, TestDb, june, now};
use fitness_web::coach::chat::Talk;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::Semaphore;

const SITE: &str = "http://127.0.0.1:8787";

pub(crate) fn talk(db: &TestDb, user: UserId, chat: Option<ChatId>) -> Talk<'_> {
    Talk { store: &db.store, user, chat, today: june(14), now: now() }
}

/// Says something; which conversation it is, and how the turn ended.
pub(crate) async fn say(
    db: &TestDb,
    user: UserId,
    chat: Option<ChatId>,
    text: &str,
    (model, caps): (&dyn Model, Caps),
) -> (ChatId, Ended) {
    let desk = db.store.coaching_desk(user, Author::Coach, now(), SITE).await.unwrap();
    let never = std::future::pending();
    let talk = talk(db, user, chat);
    let (chat, conversed) = talk.say(text, (model, caps), &desk, never, &mut |_| {}).await.unwrap();
    (chat, conversed.ending.ended)
}

fn texts(request: &Request) -> Vec<&str> {
    let told = request.messages.iter().flat_map(|message| match message {
        Message::Program { parts } => parts.as_slice(),
        Message::Model { .. } => &[],
    });
    told.filter_map(|part| match part {
        Told::Text { text } => Some(text.as_str()),
        Told::Result { .. } => None,
    })
    .collect()
}

pub(crate) fn draft() -> Part {
    let input = json!({ "goal": "half", "race_date": "2026-09-20", "start_date": "2026-06-16",
        "schedule": [{ "date": "2026-06-16", "planned_miles": 4.0, "kind": "easy" }] });
    Part::Call { id: "a".to_owned(), tool: "draft_training_plan".to_owned(), input }
}

on_both_databases! {
    async fn what_tools_did_before_a_turn_failed_is_known_in_the_next(db) {
        let ann = db.user("Ann").await;
        let mut asked = 0;
        let model = ScriptedModel::new("m", move |_| {
            asked += 1;
            match asked {
                1 => Ok(ScriptedModel::reply(vec![draft()])),
                2 => Err(ModelError::new(Failing::Request, "It was refused.")),
                _ => Ok(ScriptedModel::says("There is a draft.")),
            }
        });
        let (chat, ended) = say(&db, ann, None, "Draft a half, please", (&model, Caps::default())).await;
        assert_eq!(ended, Ended::Failed);
        say(&db, ann, Some(chat), "Please try again", (&model, Caps::default())).await;
        let asked = model.asked();
        let told = asked.last().unwrap().messages.iter().flat_map(|message| match message {
            Message::Program { parts } => parts.clone(),
            Message::Model { .. } => Vec::new(),
        });
        let results: Vec<Told> = told.filter(|part| matches!(part, Told::Result { .. })).collect();
        let [Told::Result { text, refused: false, .. }] = results.as_slice() else { panic!("{results:?}") };
        assert!(text.contains("plan_id"), "{text}");
        let words = texts(asked.last().unwrap());
        let place = |said: &str| words.iter().position(|text| *text == said).unwrap();
        assert!(place("Draft a half, please") < place("Please try again"), "{words:?}");
    }

    async fn a_question_that_was_never_answered_keeps_its_place(db) {
        let ann = db.user("Ann").await;
        let mut asked = 0;
        let model = ScriptedModel::new("m", move |_| {
            asked += 1;
            if asked == 1 {
                return Err(ModelError::new(Failing::Unreachable, "It did not answer."));
            }
            Ok(ScriptedModel::says("Here I am."))
        });
        let (chat, _) = say(&db, ann, None, "How is my form?", (&model, Caps::default())).await;
        say(&db, ann, Some(chat), "Please try again", (&model, Caps::default())).await;
        say(&db, ann, Some(chat), "Thank you", (&model, Caps::default())).await;
        for request in &model.asked()[1..] {
            let words = texts(request);
            let said: Vec<&&str> = words.iter().filter(|text| text.len() < 20).collect();
            let all = [&"How is my form?", &"Please try again", &"Thank you"];
            assert_eq!(said, all[..said.len()], "{words:?}");
        }
    }

    async fn turns_beside_each_other_share_what_may_be_used_in_a_day(db) {
        let ann = db.user("Ann").await;
        let caps = Caps { tokens: 300, day: Some(Budget { tokens: 300, money: None }), ..Caps::default() };
        let paid = Caps { day: Some(Budget { tokens: 1_000_000, money: Some(Cost(100)) }), ..Caps::default() };
        for (caps, of) in [(caps, "tokens"), (paid, "money")] {
            let user = if of == "tokens" { ann } else { db.user("Bob").await };
            // Whoever is answered is so once the five others are not.
            let others = Semaphore::new(0);
            let slow = Slow(&others);
            let talks = (0..6).map(|_| async {
                let (_, ended) = say(&db, user, None, "How is my form?", (&slow, caps)).await;
                others.add_permits(1);
                ended
            });
            let ended = join_all(talks).await;
            let answered = ended.iter().filter(|how| **how == Ended::Answered).count();
            assert_eq!(answered, 1, "{of}: {ended:?}");
            let spent = db.store.spent_on(user, june(14)).await.unwrap();
            assert_eq!((spent.tokens(), spent.cost_micros), (240, Some(60)), "what was set aside is settled");
        }
        let (later, open) = (Caps { tokens: 60, ..caps }, Semaphore::new(5));
        assert_eq!(say(&db, ann, None, "And now?", (&Slow(&open), later)).await.1, Ended::Answered, "60 were left");
        assert_eq!(say(&db, ann, None, "And now?", (&Slow(&open), later)).await.1, Ended::Tokens);
        let day = db.store.spent_on(ann, june(14)).await.unwrap();
        assert_eq!(day.tokens(), 480, "at most one request goes beyond what may be used");
    }

    async fn who_leaves_leaves_no_more_set_aside_than_was_taken(db) {
        let caps = Caps { day: Some(Budget { tokens: 300, money: None }), ..Caps::default() };
        let never = Semaphore::new(0);
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let desk = db.store.coaching_desk(bob, Author::Coach, now(), SITE).await.unwrap();
        let until = async {
            spent(&db, bob, |tokens| tokens > 17).await;
            Ending::cancelled()
        };
        talk(&db, bob, None).say("Hello", (&Slow(&never), caps), &desk, until, &mut |_| {}).await.unwrap();
        assert_eq!(db.store.spent_on(bob, june(14)).await.unwrap().tokens(), 17, "written when the turn is over");
        let hangs = Slow(&never);
        let leaving = say(&db, ann, None, "How is my form?", (&hangs, caps));
        tokio::select! { _ = leaving => panic!("it waits"), () = spent(&db, ann, |tokens| tokens > 17) => {} }
        spent(&db, ann, |tokens| tokens == 17).await;
    }
}

/// Waits until so much is written down.
async fn spent(db: &TestDb, user: UserId, enough: impl Fn(u64) -> bool) {
    for _ in 0..1000 {
        if enough(db.store.spent_on(user, june(14)).await.unwrap().tokens()) {
            // What was set aside is there a moment before the model is asked.
            tokio::time::sleep(Duration::from_millis(100)).await;
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{:?}", db.store.spent_on(user, june(14)).await.unwrap());
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
struct Slow<'s>(&'s Semaphore);

impl Model for Slow<'_> {
    fn name(&self) -> &str {
        "slow"
    }
    fn ask<'a>(&'a self, _: &'a Request, listener: &'a mut (dyn Listener + 'a)) -> Asking<'a> {
        Box::pin(async move {
            listener.took(Usage { input: 17, ..Usage::default() });
            // More than one may be asked where the limit does not hold; then nobody waits for ever.
            let waiting = self.0.acquire_many(5);
            let _ = tokio::time::timeout(Duration::from_secs(20), waiting).await;
            let parts = vec![Part::Text { text: "Good.".to_owned() }];
            Ok(Reply { parts, stop: Stop::Done, usage: Usage { input: 200, output: 40, ..Usage::default() } })
        })
    }
    fn preview(&self, _: &Request) -> String {
        "x".repeat(4000)
    }
    fn cost(&self, usage: &Usage) -> Option<Cost> {
        Some(Cost(usage.tokens() / 4))
    }
}

/// What a failing model must leave as it is.
async fn state(db: &TestDb, user: UserId) -> Value {
    let store = &db.store;
    let plans = store.list_plans(user).await.unwrap();
    let mut proposals = Vec::new();
    for plan in &plans {
        proposals.extend(store.list_proposals(user, plan.id).await.unwrap());
    }
    let notes: Vec<String> =
        store.list_notes(user).await.unwrap().iter().map(|note| format!("{note:?}")).collect();
    let observed = store.list_observations(user, june(1).plus(-400), june(1).plus(400)).await.unwrap();
    let lines = store.list_audit(user, 100_000).await.unwrap();
    let aside = ["chat.start", "chat.say", "model.ask"];
    let lines = lines.iter().filter(|line| !aside.contains(&line.action.as_str()));
    let mut settings = store.list_settings(user).await.unwrap();
    // What was found out about the server is no setting of the athlete's.
    settings.remove(FOUND_SETTING);
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

const WORDS: &str = "Grüße 😀 an dich: easy does it today.";

/// Every way to fail that the fakes know.
fn faults() -> Vec<(&'static str, Answer)> {
    let after = |after| Say::text(WORDS).then(after);
    let because = |why| Say { stop: Some(why), ..Say::text(WORDS) };
    let says = |block| Say { blocks: vec![block], ..Say::text("") };
    let slowly = Say { manner: Manner { chunk: 1, ..Manner::default() }, ..Say::text(WORDS) };
    let broken = || Block::BrokenCall("suggest_note".to_owned(), "{\"text\": \"cut".to_owned());
    vec![
        ("silence", Fail::Silence.into()),
        ("a hang up", Fail::HangUp.into()),
        ("a page", Fail::Page.into()),
        ("a spend cap", Fail::SpendCap.into()),
        ("elsewhere", Fail::Redirect("http://127.0.0.1:9/".to_owned()).into()),
        ("a refusal", Fail::status(400).into()),
        ("a wrong key", Fail::status(401).into()),
        ("too many requests", Fail::status(429).into()),
        ("a broken server", Fail::status(500).into()),
        ("an overload", Fail::status(529).into()),
        ("a stall", after(After::Stall(4)).into()),
        ("a cut", after(After::Cut(4)).into()),
        ("an early end", after(After::Stop(4)).into()),
        ("an error on the way", after(After::Error(4, "overloaded_error")).into()),
        ("half an event", after(After::Half(3)).into()),
        ("50 MB of words", after(After::Flood(50)).into()),
        ("one line of 50 MB", after(After::Line(50)).into()),
        ("signs of life alone", after(After::Drip(2)).into()),
        ("words without end", after(After::Babble(2)).into()),
        ("the limit of tokens", because(Why::Length).into()),
        ("a model that declines", because(Why::Refusal("no".to_owned())).into()),
        ("a stop nobody knows", because(Why::Unheard).into()),
        ("one byte at a time", slowly.into()),
        ("cut JSON", says(broken()).into()),
        ("an unknown tool", says(Block::Call("activate_plan".to_owned(), json!({ "plan_id": 1 }))).into()),
        ("a wrong word", says(Block::Call("metric_series".to_owned(), json!({ "metric": "luck" }))).into()),
        ("a loop", says(Block::Call("notes".to_owned(), json!({}))).into()),
    ]
}

#[tokio::test]
async fn a_failing_model_changes_nothing_and_keeps_within_its_limits() {
    let db = TestDb::new(Backend::Sqlite).await.unwrap();
    let ann = db.user("Ann").await;
    db.active_plan(ann, "Plan").await;
    db.imported(ann, Evidence::Declared { day: june(9), said_at: now() }).await;
    let note = NoteText::new("Prefers mornings").unwrap();
    db.store.add_note(ann, Author::Athlete, None, &note, now()).await.unwrap();
    let ill = Observed::new(ObservationKind::Illness, june(3), june(4), Some(2)).unwrap();
    db.store.add_observation(ann, Author::Athlete, &ill, now()).await.unwrap();
    db.store.put_setting(ann, "coach", &json!({ "provider": "openai" }), now()).await.unwrap();
    let before = state(&db, ann).await;
    let caps = Caps { day: Some(Budget { tokens: 50_000_000, money: None }), ..Caps::default() };
    for way in ["claude", "native", "enveloped"] {
        for (fault, answer) in faults() {
            if way != "claude" && fault.contains("50 MB") {
                continue;
            }
            let (model, asked): (Box<dyn Model>, Box<dyn Fn() -> usize>) = if way == "claude" {
                let fake = FakeAnthropic::start(move |_| answer.clone()).await;
                let (means, limits) = (fake.time().means(), Limits::default());
                let claude = Claude::new(Choice::Sonnet, fake.address(), &KEY.into(), means, limits).unwrap();
                (Box::new(claude), Box::new(move || fake.seen().len()))
            } else {
                let ability = if way == "native" { Ability::Native } else { Ability::Ignores };
                let fake = FakeOpenAi::start(ability, move |_| answer.clone()).await;
                let (means, limits) = (fake.time().means(), Limits::default());
                let key = KEY.into();
                let local = Compatible::new("local", fake.address(), Some(&key), means, limits).unwrap();
                (Box::new(local), Box::new(move || fake.seen().len()))
            };
            let used = db.store.spent_on(ann, june(14)).await.unwrap().tokens();
            let (_, ended) = say(&db, ann, None, "How am I doing?", (&*model, caps)).await;
            assert_eq!(state(&db, ann).await, before, "{way}, {fault}");
            // Twelve rounds, each tried three times at most, and the try whether there are calls.
            assert!(asked() <= 40, "{way}, {fault}: {} requests", asked());
            if fault == "a loop" {
                assert_eq!(ended, Ended::Rounds, "{way}");
                let few = Caps { day: Some(Budget { tokens: used + 1, money: None }), ..caps };
                let (_, ended) = say(&db, ann, None, "Again", (&*model, few)).await;
                assert_eq!(ended, Ended::Tokens, "{way}");
            }
        }
    }
}
