use super::*;
use crate::model::{Asking, Reply, Request, Stop};
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
    use fitness_core::calendar::Day;
    use fitness_core::desk::answers::*;
    use fitness_core::desk::asks::*;
    use fitness_core::desk::{Answer, CoachDesk, DeskError};
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
            none()
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
    Part::Call { id: tool.to_owned(), tool: tool.to_owned(), input: json!({}) }
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

#[tokio::test]
async fn what_happens_is_told_as_it_happens_and_numbers_are_held_against_it() {
    let model =
        Script::of(&[&[call("activities"), call("training_load")], &[text("You did 41, and ran 99 km.")]]);
    let mut told = Vec::new();
    let conversed = converse(&model, &EmptyDesk, opening(), std::future::pending(), &mut |event| {
        told.push(match event {
            Event::Text(text) => text.to_owned(),
            Event::Calling(tool) => format!("calling {}", tool.name),
            Event::Called { tool, answer } => format!("{} {}", tool.name, answer.is_ok()),
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
            "answered"
        ]
    );
    let left: Vec<&str> = conversed.unverified.iter().map(|range| &conversed.answer[range.clone()]).collect();
    assert_eq!(left, ["99 km"]);
    assert_eq!(conversed.added.len(), 4);
}

#[tokio::test]
async fn time_ends_a_model_and_a_tool_that_do_not() {
    let soon = || tokio::time::sleep(std::time::Duration::from_millis(20));
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
    assert_eq!(card("suggest_note", json!({ "note_id": 4, "review": "/notes/4" })), None);
}
