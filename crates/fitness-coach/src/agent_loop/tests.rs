use super::*;
use serde_json::json;

fn reply(parts: Vec<ModelPart>, stop: StopReason) -> Reply {
    Reply { parts, stop_reason: stop, usage: Usage { input: 10, output: 5, ..Usage::default() } }
}

fn text(words: &str) -> ModelPart {
    ModelPart::Text { text: words.to_owned() }
}

fn call(id: &str, tool: &str) -> ModelPart {
    ModelPart::Call { id: id.to_owned(), tool: tool.to_owned(), input: json!({}) }
}

fn begin(caps: TurnLimits) -> Turn {
    let (turn, effects) = Turn::start("rules".to_owned(), Vec::new(), (None, "How am I?".to_owned()), caps);
    assert!(matches!(effects.as_slice(), [TurnStep::SendRequest(_)]));
    turn
}

fn end_reason(effects: &[TurnStep]) -> EndReason {
    match effects {
        [TurnStep::End(ending)] => {
            assert_eq!(ending.notice.is_none(), ending.reason == EndReason::Answered);
            ending.reason
        }
        other => panic!("not an end: {other:?}"),
    }
}

/// Every call of every model turn is answered once, in the next turn, in order.
fn assert_every_call_has_a_result(messages: &[Message]) {
    for (at, message) in messages.iter().enumerate() {
        let Message::Model { parts, .. } = message else { continue };
        let calls: Vec<&str> = (parts.iter())
            .filter_map(|part| if let ModelPart::Call { id, .. } = part { Some(id.as_str()) } else { None })
            .collect();
        let answers: Vec<&str> = match messages.get(at + 1) {
            Some(Message::Program { parts }) => (parts.iter())
                .filter_map(
                    |told| if let UserPart::Result { call, .. } = told { Some(call.as_str()) } else { None },
                )
                .collect(),
            _ => Vec::new(),
        };
        assert_eq!(calls, answers);
    }
}

#[test]
fn text_only_reply_ends_the_turn() {
    let mut turn = begin(TurnLimits::default());
    let effects = turn.handle_reply("m", Ok(reply(vec![text("Well.")], StopReason::Done)), Some(Cost(7)));
    assert_eq!(end_reason(&effects), EndReason::Answered);
    assert_eq!((turn.added_messages().len(), turn.cost(), turn.usage().total_tokens()), (2, Cost(7), 15));
}

#[test]
fn model_is_asked_again_after_all_tool_results() {
    let mut turn = begin(TurnLimits::default());
    let asked = vec![call("a", "daily_snapshot"), call("b", "wipe_everything"), call("c", "plan_progress")];
    let effects = turn.handle_reply("m", Ok(reply(asked, StopReason::ToolCalls)), None);
    let names: Vec<&str> = (effects.iter())
        .filter_map(|effect| {
            if let TurnStep::CallTool { tool, .. } = effect { Some(tool.name.as_str()) } else { None }
        })
        .collect();
    assert_eq!(names, ["daily_snapshot", "plan_progress"], "what is not in the table is never called");
    assert!(turn.handle_tool_result("a", Ok(json!({"recovery": 72}))).is_empty());
    assert!(turn.handle_tool_result("a", Ok(json!({"recovery": 99}))).is_empty(), "an answer is given once");
    let effects = turn.handle_tool_result("c", Err(CoachApiError::Internal));
    let [TurnStep::SendRequest(request)] = effects.as_slice() else { panic!("asked again") };
    let Some(Message::Program { parts }) = request.messages.last() else { panic!("the answers come last") };
    let refused: Vec<bool> =
        parts.iter().map(|told| matches!(told, UserPart::Result { refused: true, .. })).collect();
    assert_eq!(refused, [false, true, true]);
    assert!(matches!(&parts[0], UserPart::Result { text, .. } if text == r#"{"recovery":72}"#));
    assert_every_call_has_a_result(&request.messages);
}

#[test]
fn turn_stops_at_the_round_limit() {
    let mut turn = begin(TurnLimits::default());
    let mut rounds = 1;
    let ending = loop {
        let mut effects =
            turn.handle_reply("m", Ok(reply(vec![call("x", "notes")], StopReason::ToolCalls)), None);
        assert!(matches!(effects.as_slice(), [TurnStep::CallTool { .. }]));
        effects = turn.handle_tool_result("x", Ok(json!({})));
        match effects.as_slice() {
            [TurnStep::SendRequest(_)] => rounds += 1,
            other => break end_reason(other),
        }
    };
    assert_eq!((ending, rounds), (EndReason::Rounds, 12));
    assert_every_call_has_a_result(turn.added_messages());
}

#[test]
fn turn_stops_at_token_and_money_limits() {
    for (caps, expected) in [
        (TurnLimits { tokens: 15, ..TurnLimits::default() }, EndReason::Tokens),
        (TurnLimits { money: Some(Cost(10)), ..TurnLimits::default() }, EndReason::Money),
    ] {
        let mut turn = begin(caps);
        turn.handle_reply("m", Ok(reply(vec![call("x", "notes")], StopReason::ToolCalls)), Some(Cost(10)));
        assert_eq!(end_reason(&turn.handle_tool_result("x", Ok(json!({})))), expected);
    }
}

#[test]
fn many_calls_at_once_are_refused_beyond_a_few() {
    let mut turn = begin(TurnLimits::default());
    let calls = (0..50).map(|n| call(&n.to_string(), "notes")).collect();
    let effects = turn.handle_reply("m", Ok(reply(calls, StopReason::ToolCalls)), None);
    assert_eq!(effects.len(), 8);
}

#[test]
fn cut_declined_empty_or_failed_reply_ends_without_answer() {
    let broken = ModelError::new(crate::model::ModelErrorKind::Stalled, "It fell silent.");
    for (heard, expected) in [
        (Ok(reply(vec![text("Your form is mi")], StopReason::Length)), EndReason::Length),
        (Ok(reply(vec![], StopReason::Declined { reason: None })), EndReason::Declined),
        (Ok(reply(vec![text("  ")], StopReason::Done)), EndReason::Failed),
        (Err(broken), EndReason::Failed),
    ] {
        let mut turn = begin(TurnLimits::default());
        assert_eq!(end_reason(&turn.handle_reply("m", heard, None)), expected);
        assert!(
            turn.handle_reply("m", Ok(reply(vec![text("late")], StopReason::Done)), None).is_empty(),
            "over is over"
        );
    }
}

#[test]
fn failed_reply_counts_usage_and_cost() {
    let mut broken = ModelError::new(crate::model::ModelErrorKind::Unreachable, "It broke off.");
    broken.usage = Usage { input: 40, output: 2, ..Usage::default() };
    let mut turn = begin(TurnLimits::default());
    assert_eq!(end_reason(&turn.handle_reply("m", Err(broken), Some(Cost(9)))), EndReason::Failed);
    assert_eq!((turn.usage().total_tokens(), turn.cost()), (42, Cost(9)));
}

#[test]
fn a_stopped_turn_leaves_no_call_unanswered() {
    let mut turn = begin(TurnLimits::default());
    turn.handle_reply(
        "m",
        Ok(reply(vec![call("a", "notes"), call("b", "notes")], StopReason::ToolCalls)),
        None,
    );
    turn.handle_tool_result("a", Ok(json!({})));
    assert_eq!(end_reason(&turn.stop(TurnEnd::cancel())), EndReason::Cancelled);
    assert_every_call_has_a_result(turn.added_messages());
    assert!(turn.stop(TurnEnd::timed_out()).is_empty());
}
