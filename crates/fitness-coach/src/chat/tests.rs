use super::history::size;
use super::*;
use crate::agent_loop::stopped;
use crate::model::{Asking, ModelError, Reply, Request, Stop};
use serde_json::json;

fn said(text: &str) -> Message {
    Message::Program { parts: vec![Told::Text { text: text.to_owned() }] }
}

fn answered(text: &str) -> Message {
    Message::Model { name: "m".to_owned(), parts: vec![Part::Text { text: text.to_owned() }] }
}

fn looked_up(n: usize, size: usize) -> [Message; 2] {
    let call = Part::Call { id: n.to_string(), tool: "notes".to_owned(), input: json!({}) };
    let result = Told::Result { call: n.to_string(), text: "x".repeat(size), refused: false };
    [Message::Model { name: "m".to_owned(), parts: vec![call] }, Message::Program { parts: vec![result] }]
}

fn long(exchanges: usize, size: usize) -> Vec<Message> {
    (0..exchanges)
        .flat_map(|n| {
            let [call, result] = looked_up(n, size);
            [said(&format!("question {n}")), call, result, answered(&format!("answer {n}"))]
        })
        .collect()
}

#[test]
fn a_short_history_is_left_as_it_is() {
    let history = long(3, 100);
    assert_eq!(compact(history.clone(), 10_000), history);
}

#[test]
fn a_long_history_keeps_the_latest_whole_and_the_words_of_the_rest() {
    let compacted = compact(long(50, 1000), 20_000);
    assert!(compacted.iter().map(size).sum::<usize>() <= 10_000);
    assert_eq!(compacted.last(), Some(&answered("answer 49")));
    let calls = |messages: &[Message]| {
        let of = |part: &Part| matches!(part, Part::Call { .. });
        messages.iter().filter(|m| matches!(m, Message::Model { parts, .. } if parts.iter().any(of))).count()
    };
    let results = |messages: &[Message]| {
        let of = |part: &Told| matches!(part, Told::Result { .. });
        messages.iter().filter(|m| matches!(m, Message::Program { parts } if parts.iter().any(of))).count()
    };
    assert_eq!(calls(&compacted), results(&compacted), "a call and its answer stay or go together");
    assert!(calls(&compacted) > 0);
    assert!(compacted.contains(&said("question 30")), "older words stay");
    assert_eq!(compact(compacted.clone(), 20_000), compacted, "and then it stays for a while");
}

#[test]
fn one_exchange_that_is_too_long_by_itself_keeps_its_words() {
    let compacted = compact(long(1, 100_000), 20_000);
    assert_eq!(compacted, [said("question 0"), answered("answer 0")]);
}

/// A desk that knows nothing but the day.
struct EmptyDesk;

mod empty {
    use super::EmptyDesk;
    use fitness_core::coach_api::requests::*;
    use fitness_core::coach_api::responses::*;
    use fitness_core::coach_api::{Answer, CoachDesk, DeskError};
    use fitness_core::domain::calendar::Day;
    use fitness_core::domain::ids::PlanId;
    use fitness_core::plan::PlanStatus;
    use serde_json::Value;

    fn none<T: Send + 'static>() -> Answer<'static, T> {
        Box::pin(async { Err(DeskError::Broken) })
    }

    impl CoachDesk for EmptyDesk {
        fn today(&self) -> Day {
            "2026-06-09".parse().unwrap()
        }
        fn data_through(&self) -> Answer<'_, Option<Day>> {
            Box::pin(async { Ok(Some(self.today().previous())) })
        }
        fn daily_snapshot(&self, _: AskDay) -> Answer<'_, DailySnapshot> {
            none()
        }
        fn metric_series(&self, _: AskSeries) -> Answer<'_, Series> {
            none()
        }
        fn activities(&self, _: AskActivities) -> Answer<'_, Activities> {
            Box::pin(async { Ok(Activities { activities: Vec::new(), left_off: 41 }) })
        }
        fn activity_detail(&self, _: AskActivity) -> Answer<'_, ActivityDetail> {
            none()
        }
        fn compare_periods(&self, _: AskComparison) -> Answer<'_, Comparison> {
            none()
        }
        fn training_load(&self, _: AskDay) -> Answer<'_, TrainingLoad> {
            none()
        }
        fn plan_progress(&self, _: AskPlan) -> Answer<'_, PlanProgress> {
            none()
        }
        fn predict_finish(&self, _: AskPrediction) -> Answer<'_, Predicted> {
            none()
        }
        fn notes(&self, _: AskNotes) -> Answer<'_, Notes> {
            Box::pin(std::future::pending())
        }
        fn suggest_note(&self, _: SuggestNote) -> Answer<'_, Suggested> {
            none()
        }
        fn suggest_observation(&self, _: SuggestObservation) -> Answer<'_, Suggested> {
            none()
        }
        fn draft_training_plan(&self, _: AskDraft) -> Answer<'_, Drafted> {
            Box::pin(async {
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                let review = "/plans/7".to_owned();
                let (plan_id, status) = (PlanId::new(7), PlanStatus::Draft);
                let (findings, remarks, weeks) = (Vec::new(), Vec::new(), Vec::new());
                Ok(Drafted { plan_id, status, findings, remarks, weeks, review })
            })
        }
        fn propose_modification(&self, _: Value) -> Answer<'_, Proposed> {
            none()
        }
        fn propose_week(&self, _: Value) -> Answer<'_, Proposed> {
            none()
        }
    }
}

/// A model that goes through a script.
struct Script(std::sync::Mutex<Vec<Vec<Part>>>);

impl Script {
    fn of(replies: &[&[Part]]) -> Self {
        Self(std::sync::Mutex::new(replies.iter().rev().map(|reply| reply.to_vec()).collect()))
    }
}

impl Model for Script {
    fn name(&self) -> &str {
        "script"
    }
    fn ask<'a>(&'a self, _: &'a Request, listener: &'a mut (dyn Listener + 'a)) -> Asking<'a> {
        let next = self.0.lock().unwrap().pop();
        Box::pin(async move {
            let Some(parts) = next else { return std::future::pending().await };
            listener.text(&words(&parts));
            Ok(Reply { parts, stop: Stop::Done, usage: Usage::default() })
        })
    }
    fn preview(&self, _: &Request) -> String {
        String::new()
    }
    fn cost(&self, _: &Usage) -> Option<Cost> {
        None
    }
}

fn text(text: &str) -> Part {
    Part::Text { text: text.to_owned() }
}

fn call(tool: &str) -> Part {
    let input = match tool {
        "draft_training_plan" => json!({ "goal": "half", "race_date": "2026-09-20" }),
        _ => json!({}),
    };
    Part::Call { id: tool.to_owned(), tool: tool.to_owned(), input }
}

fn opening() -> Opening {
    Opening {
        system: String::new(),
        history: Vec::new(),
        context: None,
        said: "how many?".to_owned(),
        caps: Caps::default(),
    }
}

fn marks(text: &str, numbers: &[Range<usize>]) -> String {
    numbers.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>().join(", ")
}

/// A model that does one thing after another, and then nothing any more.
enum Does {
    Says(&'static str),
    Takes(Usage),
    Replies(Vec<Part>, Stop, Usage),
    Fails(Usage),
}

struct Doing(std::sync::Mutex<VecDeque<Vec<Does>>>);

impl Model for Doing {
    fn name(&self) -> &str {
        "doing"
    }
    fn ask<'a>(&'a self, _: &'a Request, listener: &'a mut (dyn Listener + 'a)) -> Asking<'a> {
        let steps = self.0.lock().unwrap().pop_front().unwrap_or_default();
        Box::pin(async move {
            for step in steps {
                match step {
                    Does::Says(text) => listener.text(text),
                    Does::Takes(usage) => listener.took(usage),
                    Does::Replies(parts, stop, usage) => return Ok(Reply { parts, stop, usage }),
                    Does::Fails(spent) => {
                        let error = ModelError::new(crate::model::Failing::Unreachable, "It broke off.");
                        return Err(ModelError { spent, ..error });
                    }
                }
            }
            std::future::pending().await
        })
    }
    fn preview(&self, _: &Request) -> String {
        String::new()
    }
    fn cost(&self, usage: &Usage) -> Option<Cost> {
        Some(Cost(usage.tokens() * 2))
    }
}

fn tokens(input: u64, output: u64) -> Usage {
    Usage { input, output, ..Usage::default() }
}

/// Goes through rounds until the model hangs or is done; what was spent, told and left.
async fn goes(rounds: Vec<Vec<Does>>, leaves: bool) -> (Vec<(u64, u64)>, Vec<String>, Option<Conversed>) {
    let model = Doing(std::sync::Mutex::new(rounds.into()));
    let (mut spent, mut unbacked) = (Vec::new(), Vec::new());
    let mut hear = |event: Event<'_>| match event {
        Event::Spent { usage, cost } => spent.push((usage.tokens(), cost.unwrap().0)),
        Event::Unbacked { text, numbers } => unbacked.push(marks(text, numbers)),
        _ => {}
    };
    let soon = || tokio::time::sleep(std::time::Duration::from_millis(20));
    let conversed = if leaves {
        let conversing = converse(&model, &EmptyDesk, opening(), std::future::pending(), &mut hear);
        tokio::select! { _ = conversing => panic!("it ends"), () = soon() => None }
    } else {
        let until = async {
            soon().await;
            Ending::out_of_time()
        };
        Some(converse(&model, &EmptyDesk, opening(), until, &mut hear).await)
    };
    (spent, unbacked, conversed)
}

#[tokio::test]
async fn what_a_round_took_is_told_at_once_and_once_also_when_it_is_left() {
    let looks = || {
        vec![
            Does::Takes(tokens(500, 1)),
            Does::Replies(vec![call("activities")], Stop::Calls, tokens(1000, 100)),
        ]
    };
    let hangs = || vec![Does::Takes(tokens(700, 0)), Does::Says("Well"), Does::Takes(tokens(700, 3))];
    for leaves in [true, false] {
        let (spent, _, conversed) = goes(vec![looks(), hangs()], leaves).await;
        assert_eq!(spent, [(1100, 2200), (703, 1406)], "left: {leaves}");
        if let Some(conversed) = conversed {
            assert_eq!(
                (conversed.ending.ended, conversed.usage.tokens(), conversed.cost),
                (Ended::Time, 1803, Cost(3606))
            );
        }
    }
    let (spent, ..) = goes(vec![Vec::new()], true).await;
    assert_eq!(spent, [], "what was never sent takes nothing");
    let (spent, _, conversed) = goes(vec![vec![Does::Fails(tokens(40, 2))]], false).await;
    assert_eq!(spent, [(42, 84)]);
    assert_eq!(conversed.unwrap().cost, Cost(84), "and a failure costs what it costs");
}

#[tokio::test]
async fn numbers_are_held_against_the_data_wherever_they_are_said() {
    let before = vec![
        Does::Says("You ran 99 km."),
        Does::Replies(vec![text("You ran 99 km."), call("activities")], Stop::Calls, tokens(1, 1)),
    ];
    let cut = vec![
        Does::Says("That is 41, or 17 mi"),
        Does::Replies(vec![text("That is 41, or 17 mi")], Stop::Length, tokens(1, 1)),
    ];
    let (_, unbacked, _) = goes(vec![before, cut], false).await;
    assert_eq!(unbacked, ["99 km", "17 mi"]);
    let (_, unbacked, _) =
        goes(vec![vec![Does::Says("Slept 31 hours and"), Does::Fails(tokens(1, 1))]], false).await;
    assert_eq!(unbacked, ["31 hours"]);
    let (_, unbacked, _) = goes(vec![vec![Does::Says("Slept 31 hours and")]], false).await;
    assert_eq!(unbacked, ["31 hours"]);
}

fn places(parts: &[Vec<Range<usize>>]) -> Vec<Vec<(usize, usize)>> {
    parts.iter().map(|ranges| ranges.iter().map(|range| (range.start, range.end)).collect()).collect()
}

#[test]
fn each_part_of_a_message_has_its_own_marks() {
    let parts =
        vec![text("You ran 99 km."), call("activities"), text("All of them, 12 km, said twice: 12 km.")];
    let found = unverified(&[said("how far?"), Message::Model { name: "m".to_owned(), parts }]);
    assert_eq!(found[0], Vec::<Vec<Range<usize>>>::new());
    assert_eq!(places(&found[1]), [vec![(8, 13)], vec![], vec![(13, 18), (32, 37)]]);
}

#[test]
fn a_stored_answer_that_only_repeats_its_question_backs_nothing() {
    let asked = Part::Call {
        id: "a".to_owned(),
        tool: "predict_finish".to_owned(),
        input: json!({ "distance_km": 9.9 }),
    };
    let answer = json!({ "distance": "9.9 km", "finish": "45:10" }).to_string();
    let history = [
        said("and?"),
        Message::Model { name: "m".to_owned(), parts: vec![asked] },
        Message::Program { parts: vec![Told::Result { call: "a".to_owned(), text: answer, refused: false }] },
        answered("9.9 km in 45:10"),
    ];
    assert_eq!(places(&unverified(&history)[3]), [vec![(0, 6)]]);
}

#[tokio::test]
async fn what_happens_is_told_as_it_happens_and_numbers_are_held_against_it() {
    let model =
        Script::of(&[&[call("activities"), call("training_load")], &[text("You did 41, and ran 99 km.")]]);
    let (mut told, mut added) = (Vec::new(), Vec::new());
    let conversed = converse(&model, &EmptyDesk, opening(), std::future::pending(), &mut |event| {
        told.push(match event {
            Event::Text(text) => text.to_owned(),
            Event::Calling(tool) => format!("calling {}", tool.name),
            Event::Called { tool, answer } => format!("{} {}", tool.name, answer.is_ok()),
            Event::Unbacked { text, numbers } => format!("unbacked {}", marks(text, numbers)),
            Event::Spent { usage, .. } => format!("spent {}", usage.tokens()),
            Event::UnknownTool => "unknown tool".to_owned(),
            Event::Added(message, _) => {
                added.push(message);
                return;
            }
            Event::Ended(ending) => ending.ended.to_string(),
        });
    })
    .await;
    assert_eq!(
        told,
        [
            "",
            "calling activities",
            "activities true",
            "calling training_load",
            "training_load false",
            "You did 41, and ran 99 km.",
            "unbacked 99 km",
            "answered"
        ]
    );
    let left: Vec<&str> = conversed.unverified.iter().map(|range| &conversed.answer[range.clone()]).collect();
    assert_eq!(left, ["99 km"]);
    assert_eq!(added.len(), 4, "each answer by itself: {added:?}");
    assert_eq!(whole(added), conversed.added[1..]);
}

#[tokio::test]
async fn time_ends_a_model_and_a_tool_that_do_not() {
    let soon = || async {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        Ending::out_of_time()
    };
    let silent = Script::of(&[]);
    let conversed = converse(&silent, &EmptyDesk, opening(), soon(), &mut |_| {}).await;
    assert_eq!(conversed.ending.ended, Ended::Time);
    let stuck = Script::of(&[&[call("notes"), call("activities")]]);
    let mut called = 0;
    let conversed = converse(&stuck, &EmptyDesk, opening(), soon(), &mut |event| {
        called += usize::from(matches!(event, Event::Calling(_)));
    })
    .await;
    assert_eq!((conversed.ending.ended, called), (Ended::Time, 1));
    assert!(conversed.answer.is_empty());
}

#[tokio::test]
async fn who_leaves_while_a_draft_is_made_finds_it_in_the_conversation() {
    let model = Script::of(&[&[call("notes"), call("draft_training_plan")]]);
    let made = Script::of(&[&[call("draft_training_plan"), call("activities")]]);
    for (model, answered) in [(&model, [false, false]), (&made, [true, false])] {
        let (mut cards, mut added) = (Vec::new(), Vec::new());
        let left = tokio::time::sleep(std::time::Duration::from_millis(20));
        let until = async {
            left.await;
            Ending::cancelled()
        };
        let conversed = converse(model, &EmptyDesk, opening(), until, &mut |event| {
            cards.extend(event.card());
            if let Event::Added(message, _) = event {
                added.push(message);
            }
        })
        .await;
        assert_eq!(conversed.ending.ended, Ended::Cancelled);
        assert_eq!(cards.len(), usize::from(answered[0]));
        let Some(Message::Program { parts }) = conversed.added.last() else {
            panic!("{:?}", conversed.added)
        };
        let done: Vec<bool> =
            parts.iter().map(|told| matches!(told, Told::Result { refused: false, .. })).collect();
        assert_eq!(done, answered);
        assert_eq!(whole(added), conversed.added[1..], "what is kept is what was done");
    }
}

#[test]
fn what_was_kept_one_by_one_is_put_together() {
    let asks = |ids: &[&str]| Message::Model {
        name: "m".to_owned(),
        parts: ids.iter().map(|id| call(id)).collect(),
    };
    let told = |ids: &[&str], text: &str| {
        let result =
            |id: &&str| Told::Result { call: (*id).to_owned(), text: text.to_owned(), refused: false };
        Message::Program { parts: ids.iter().map(result).collect() }
    };
    let both = |first: Message, second: Message| match (first, second) {
        (Message::Program { parts: a }, Message::Program { parts: b }) => {
            Message::Program { parts: [a, b].concat() }
        }
        other => panic!("{other:?}"),
    };
    let lost = |id: &str| Message::Program { parts: vec![stopped(id)] };
    let kept = vec![
        said("one"),
        asks(&["a", "b"]),
        told(&["b"], "2"),
        said("meanwhile"),
        told(&["a"], "1"),
        answered("so"),
        said("two"),
        asks(&["a"]),
        said("three"),
        asks(&["a"]),
        told(&["a"], "3"),
        told(&["nobody"], "0"),
    ];
    let expected = [
        said("one"),
        asks(&["a", "b"]),
        both(told(&["a"], "1"), told(&["b"], "2")),
        said("meanwhile"),
        answered("so"),
        said("two"),
        asks(&["a"]),
        lost("a"),
        said("three"),
        asks(&["a"]),
        told(&["a"], "3"),
        told(&["nobody"], "0"),
    ];
    assert_eq!(whole(kept), expected);
    assert_eq!(whole(expected.to_vec()), expected, "and then it is");
}

#[test]
fn a_draft_and_a_proposal_become_cards() {
    let card = |tool: &str, answer: Value| {
        let tool = Tool::find(tool).unwrap();
        Event::Called { tool, answer: Ok(&answer) }.card()
    };
    let review = "/plan/3".to_owned();
    assert_eq!(
        card("draft_training_plan", json!({ "plan_id": 3, "review": "/plan/3" })),
        Some(Card::Draft { id: 3, review: review.clone() })
    );
    assert_eq!(
        card("propose_week", json!({ "proposal_id": 4, "review": "/plan/3" })),
        Some(Card::Proposal { id: 4, review })
    );
    assert_eq!(card("propose_modification", json!({})), None);
    assert_eq!(card("suggest_note", json!({ "note_id": 4, "review": "/settings/notes" })), None);
}
