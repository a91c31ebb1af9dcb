use super::*;
use serde_json::json;

fn reply(parts: Vec<Part>, stop: Stop) -> Reply {
    Reply { parts, stop, usage: Usage { input: 10, output: 5, ..Usage::default() } }
}

fn text(words: &str) -> Part {
    Part::Text { text: words.to_owned() }
}

fn call(id: &str, tool: &str) -> Part {
    Part::Call { id: id.to_owned(), tool: tool.to_owned(), input: json!({}) }
}

fn begin(caps: Caps) -> Turn {
    let (turn, effects) = Turn::begin("rules".to_owned(), Vec::new(), (None, "How am I?".to_owned()), caps);
    assert!(matches!(effects.as_slice(), [Effect::Ask(_)]));
    turn
}

fn ended(effects: &[Effect]) -> Ended {
    match effects {
        [Effect::End(ending)] => {
            assert_eq!(ending.notice.is_none(), ending.ended == Ended::Answered);
            ending.ended
        }
        other => panic!("not an end: {other:?}"),
    }
}

/// Every call of every model turn is answered once, in the next turn, in order.
fn every_call_is_answered(messages: &[Message]) {
    for (at, message) in messages.iter().enumerate() {
        let Message::Model { parts, .. } = message else { continue };
        let calls: Vec<&str> = (parts.iter())
            .filter_map(|part| if let Part::Call { id, .. } = part { Some(id.as_str()) } else { None })
            .collect();
        let answers: Vec<&str> = match messages.get(at + 1) {
            Some(Message::Program { parts }) => (parts.iter())
                .filter_map(
                    |told| if let Told::Result { call, .. } = told { Some(call.as_str()) } else { None },
                )
                .collect(),
            _ => Vec::new(),
        };
        assert_eq!(calls, answers);
    }
}

#[test]
fn words_alone_end_a_turn() {
    let mut turn = begin(Caps::default());
    let effects = turn.heard("m", Ok(reply(vec![text("Well.")], Stop::Done)), Some(Cost(7)));
    assert_eq!(ended(&effects), Ended::Answered);
    assert_eq!((turn.added().len(), turn.cost(), turn.usage().tokens()), (2, Cost(7), 15));
}

#[test]
fn calls_are_made_and_answered_together() {
    let mut turn = begin(Caps::default());
    let asked = vec![call("a", "daily_snapshot"), call("b", "wipe_everything"), call("c", "plan_progress")];
    let effects = turn.heard("m", Ok(reply(asked, Stop::Calls)), None);
    let names: Vec<&str> = (effects.iter())
        .filter_map(
            |effect| if let Effect::Call { tool, .. } = effect { Some(tool.name.as_str()) } else { None },
        )
        .collect();
    assert_eq!(names, ["daily_snapshot", "plan_progress"], "what is not in the table is never called");
    assert!(turn.answered("a", Ok(json!({"recovery": 72}))).is_empty());
    assert!(turn.answered("a", Ok(json!({"recovery": 99}))).is_empty(), "an answer is given once");
    let effects = turn.answered("c", Err(DeskError::Broken));
    let [Effect::Ask(request)] = effects.as_slice() else { panic!("asked again") };
    let Some(Message::Program { parts }) = request.messages.last() else { panic!("the answers come last") };
    let refused: Vec<bool> =
        parts.iter().map(|told| matches!(told, Told::Result { refused: true, .. })).collect();
    assert_eq!(refused, [false, true, true]);
    assert!(matches!(&parts[0], Told::Result { text, .. } if text == r#"{"recovery":72}"#));
    every_call_is_answered(&request.messages);
}

#[test]
fn a_model_that_never_stops_is_stopped() {
    let mut turn = begin(Caps::default());
    let mut rounds = 1;
    let ending = loop {
        let mut effects = turn.heard("m", Ok(reply(vec![call("x", "notes")], Stop::Calls)), None);
        assert!(matches!(effects.as_slice(), [Effect::Call { .. }]));
        effects = turn.answered("x", Ok(json!({})));
        match effects.as_slice() {
            [Effect::Ask(_)] => rounds += 1,
            other => break ended(other),
        }
    };
    assert_eq!((ending, rounds), (Ended::Rounds, 12));
    every_call_is_answered(turn.added());
}

#[test]
fn tokens_and_money_are_counted_here() {
    for (caps, expected) in [
        (Caps { tokens: 15, ..Caps::default() }, Ended::Tokens),
        (Caps { money: Some(Cost(10)), ..Caps::default() }, Ended::Money),
    ] {
        let mut turn = begin(caps);
        turn.heard("m", Ok(reply(vec![call("x", "notes")], Stop::Calls)), Some(Cost(10)));
        assert_eq!(ended(&turn.answered("x", Ok(json!({})))), expected);
    }
}

#[test]
fn many_calls_at_once_are_refused_beyond_a_few() {
    let mut turn = begin(Caps::default());
    let calls = (0..50).map(|n| call(&n.to_string(), "notes")).collect();
    let effects = turn.heard("m", Ok(reply(calls, Stop::Calls)), None);
    assert_eq!(effects.len(), 8);
}

#[test]
fn what_is_cut_declined_empty_or_broken_is_no_answer() {
    let broken = ModelError::new(crate::model::Failing::Stalled, "It fell silent.");
    for (heard, expected) in [
        (Ok(reply(vec![text("Your form is mi")], Stop::Length)), Ended::Length),
        (Ok(reply(vec![], Stop::Declined { why: None })), Ended::Declined),
        (Ok(reply(vec![text("  ")], Stop::Done)), Ended::Failed),
        (Err(broken), Ended::Failed),
    ] {
        let mut turn = begin(Caps::default());
        assert_eq!(ended(&turn.heard("m", heard, None)), expected);
        assert!(turn.heard("m", Ok(reply(vec![text("late")], Stop::Done)), None).is_empty(), "over is over");
    }
}

#[test]
fn an_answer_that_failed_counts_with_what_it_cost() {
    let mut broken = ModelError::new(crate::model::Failing::Unreachable, "It broke off.");
    broken.spent = Usage { input: 40, output: 2, ..Usage::default() };
    let mut turn = begin(Caps::default());
    assert_eq!(ended(&turn.heard("m", Err(broken), Some(Cost(9)))), Ended::Failed);
    assert_eq!((turn.usage().tokens(), turn.cost()), (42, Cost(9)));
}

#[test]
fn a_stopped_turn_leaves_no_call_unanswered() {
    let mut turn = begin(Caps::default());
    turn.heard("m", Ok(reply(vec![call("a", "notes"), call("b", "notes")], Stop::Calls)), None);
    turn.answered("a", Ok(json!({})));
    assert_eq!(ended(&turn.stop(Ending::cancelled())), Ended::Cancelled);
    every_call_is_answered(turn.added());
    assert!(turn.stop(Ending::out_of_time()).is_empty());
}
