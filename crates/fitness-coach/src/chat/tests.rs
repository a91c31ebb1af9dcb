use super::history::size;
use super::*;
use crate::agent_loop::stopped_result;
use crate::model::{ModelError, Reply, ReplyFuture, Request, StopReason};
use serde_json::json;

fn user_message(text: &str) -> Message {
    Message::Program { parts: vec![UserPart::Text { text: text.to_owned() }] }
}

fn model_message(text: &str) -> Message {
    Message::Model { name: "m".to_owned(), parts: vec![ModelPart::Text { text: text.to_owned() }] }
}

fn tool_exchange(n: usize, size: usize) -> [Message; 2] {
    let call = ModelPart::Call { id: n.to_string(), tool: "notes".to_owned(), input: json!({}) };
    let result = UserPart::Result { call: n.to_string(), text: "x".repeat(size), refused: false };
    [Message::Model { name: "m".to_owned(), parts: vec![call] }, Message::Program { parts: vec![result] }]
}

fn long_history(exchanges: usize, size: usize) -> Vec<Message> {
    (0..exchanges)
        .flat_map(|n| {
            let [call, result] = tool_exchange(n, size);
            [user_message(&format!("question {n}")), call, result, model_message(&format!("answer {n}"))]
        })
        .collect()
}

#[test]
fn a_short_history_is_left_as_it_is() {
    let history = long_history(3, 100);
    assert_eq!(compact(history.clone(), 10_000), history);
}

#[test]
fn a_long_history_keeps_the_latest_whole_and_the_words_of_the_rest() {
    let compacted = compact(long_history(50, 1000), 20_000);
    assert!(compacted.iter().map(size).sum::<usize>() <= 10_000);
    assert_eq!(compacted.last(), Some(&model_message("answer 49")));
    let calls = |messages: &[Message]| {
        let of = |part: &ModelPart| matches!(part, ModelPart::Call { .. });
        messages.iter().filter(|m| matches!(m, Message::Model { parts, .. } if parts.iter().any(of))).count()
    };
    let results = |messages: &[Message]| {
        let of = |part: &UserPart| matches!(part, UserPart::Result { .. });
        messages.iter().filter(|m| matches!(m, Message::Program { parts } if parts.iter().any(of))).count()
    };
    assert_eq!(calls(&compacted), results(&compacted), "a call and its answer stay or go together");
    assert!(calls(&compacted) > 0);
    assert!(compacted.contains(&user_message("question 30")), "older words stay");
    assert_eq!(compact(compacted.clone(), 20_000), compacted, "and then it stays for a while");
}

#[test]
fn one_exchange_that_is_too_long_by_itself_keeps_its_words() {
    let compacted = compact(long_history(1, 100_000), 20_000);
    assert_eq!(compacted, [user_message("question 0"), model_message("answer 0")]);
}

/// A desk that knows nothing but the day.
struct EmptyCoachApi;

mod empty {
    use super::EmptyCoachApi;
    use fitness_core::coach_api::requests::*;
    use fitness_core::coach_api::responses::*;
    use fitness_core::coach_api::{CoachApi, CoachApiError, CoachFuture};
    use fitness_core::domain::calendar::Day;
    use fitness_core::domain::ids::PlanId;
    use fitness_core::plan::PlanStatus;
    use serde_json::Value;

    fn not_found<T: Send + 'static>() -> CoachFuture<'static, T> {
        Box::pin(async { Err(CoachApiError::Internal) })
    }

    impl CoachApi for EmptyCoachApi {
        fn today(&self) -> Day {
            "2026-06-09".parse().unwrap()
        }
        fn data_through(&self) -> CoachFuture<'_, Option<Day>> {
            Box::pin(async { Ok(Some(self.today().previous())) })
        }
        fn daily_snapshot(&self, _: DayRequest) -> CoachFuture<'_, DailySnapshot> {
            not_found()
        }
        fn metric_series(&self, _: SeriesRequest) -> CoachFuture<'_, MetricSeries> {
            not_found()
        }
        fn activities(&self, _: ActivitiesRequest) -> CoachFuture<'_, ActivityList> {
            Box::pin(async { Ok(ActivityList { activities: Vec::new(), left_off: 41 }) })
        }
        fn activity_detail(&self, _: ActivityRequest) -> CoachFuture<'_, ActivityDetail> {
            not_found()
        }
        fn compare_periods(&self, _: ComparisonRequest) -> CoachFuture<'_, PeriodComparison> {
            not_found()
        }
        fn training_load(&self, _: DayRequest) -> CoachFuture<'_, TrainingLoadResponse> {
            not_found()
        }
        fn plan_progress(&self, _: PlanProgressRequest) -> CoachFuture<'_, PlanProgress> {
            not_found()
        }
        fn predict_finish(&self, _: PredictionRequest) -> CoachFuture<'_, FinishPrediction> {
            not_found()
        }
        fn notes(&self, _: NotesRequest) -> CoachFuture<'_, NoteList> {
            Box::pin(std::future::pending())
        }
        fn suggest_note(&self, _: NoteSuggestion) -> CoachFuture<'_, SuggestionResult> {
            not_found()
        }
        fn suggest_observation(&self, _: ObservationSuggestion) -> CoachFuture<'_, SuggestionResult> {
            not_found()
        }
        fn draft_training_plan(&self, _: DraftPlanRequest) -> CoachFuture<'_, DraftResult> {
            Box::pin(async {
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                let review = "/plans/7".to_owned();
                let (plan_id, status) = (PlanId::new(7), PlanStatus::Draft);
                let (findings, remarks, weeks) = (Vec::new(), Vec::new(), Vec::new());
                Ok(DraftResult { plan_id, status, findings, remarks, weeks, review })
            })
        }
        fn propose_modification(&self, _: Value) -> CoachFuture<'_, ProposalResponse> {
            not_found()
        }
        fn propose_week(&self, _: Value) -> CoachFuture<'_, ProposalResponse> {
            not_found()
        }
    }
}

/// A model that goes through a script.
struct ScriptedReplies(std::sync::Mutex<Vec<Vec<ModelPart>>>);

impl ScriptedReplies {
    fn new(replies: &[&[ModelPart]]) -> Self {
        Self(std::sync::Mutex::new(replies.iter().rev().map(|reply| reply.to_vec()).collect()))
    }
}

impl Model for ScriptedReplies {
    fn name(&self) -> &str {
        "script"
    }
    fn ask<'a>(&'a self, _: &'a Request, listener: &'a mut (dyn ModelListener + 'a)) -> ReplyFuture<'a> {
        let next = self.0.lock().unwrap().pop();
        Box::pin(async move {
            let Some(parts) = next else { return std::future::pending().await };
            listener.text(&join_text(&parts));
            Ok(Reply { parts, stop_reason: StopReason::Done, usage: Usage::default() })
        })
    }
    fn preview(&self, _: &Request) -> String {
        String::new()
    }
    fn cost(&self, _: &Usage) -> Option<Cost> {
        None
    }
}

fn text(text: &str) -> ModelPart {
    ModelPart::Text { text: text.to_owned() }
}

fn call(tool: &str) -> ModelPart {
    let input = match tool {
        "draft_training_plan" => json!({ "goal": "half", "race_date": "2026-09-20" }),
        _ => json!({}),
    };
    ModelPart::Call { id: tool.to_owned(), tool: tool.to_owned(), input }
}

fn turn_input() -> TurnInput {
    TurnInput {
        system: String::new(),
        history: Vec::new(),
        context: None,
        message: "how many?".to_owned(),
        caps: TurnLimits::default(),
    }
}

fn mark_numbers(text: &str, numbers: &[Range<usize>]) -> String {
    numbers.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>().join(", ")
}

/// A model that does one thing after another, and then nothing any more.
enum ModelAction {
    Text(&'static str),
    Usage(Usage),
    Reply(Vec<ModelPart>, StopReason, Usage),
    Fail(Usage),
}

struct ActionModel(std::sync::Mutex<VecDeque<Vec<ModelAction>>>);

impl Model for ActionModel {
    fn name(&self) -> &str {
        "doing"
    }
    fn ask<'a>(&'a self, _: &'a Request, listener: &'a mut (dyn ModelListener + 'a)) -> ReplyFuture<'a> {
        let steps = self.0.lock().unwrap().pop_front().unwrap_or_default();
        Box::pin(async move {
            for step in steps {
                match step {
                    ModelAction::Text(text) => listener.text(text),
                    ModelAction::Usage(usage) => listener.usage(usage),
                    ModelAction::Reply(parts, stop, usage) => {
                        return Ok(Reply { parts, stop_reason: stop, usage });
                    }
                    ModelAction::Fail(spent) => {
                        let error =
                            ModelError::new(crate::model::ModelErrorKind::Unreachable, "It broke off.");
                        return Err(ModelError { usage: spent, ..error });
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
        Some(Cost(usage.total_tokens() * 2))
    }
}

fn tokens(input: u64, output: u64) -> Usage {
    Usage { input, output, ..Usage::default() }
}

/// Goes through rounds until the model hangs or is done; what was spent, told and left.
async fn run_actions(
    rounds: Vec<Vec<ModelAction>>,
    leaves: bool,
) -> (Vec<(u64, u64)>, Vec<String>, Option<TurnOutcome>) {
    let model = ActionModel(std::sync::Mutex::new(rounds.into()));
    let (mut spent, mut unbacked) = (Vec::new(), Vec::new());
    let mut hear = |event: ChatEvent<'_>| match event {
        ChatEvent::Spent { usage, cost } => spent.push((usage.total_tokens(), cost.unwrap().0)),
        ChatEvent::UnverifiedNumbers { text, numbers } => unbacked.push(mark_numbers(text, numbers)),
        _ => {}
    };
    let soon = || tokio::time::sleep(std::time::Duration::from_millis(20));
    let conversed = if leaves {
        let conversing = run_turn(&model, &EmptyCoachApi, turn_input(), std::future::pending(), &mut hear);
        tokio::select! { _ = conversing => panic!("it ends"), () = soon() => None }
    } else {
        let until = async {
            soon().await;
            TurnEnd::timed_out()
        };
        Some(run_turn(&model, &EmptyCoachApi, turn_input(), until, &mut hear).await)
    };
    (spent, unbacked, conversed)
}

#[tokio::test]
async fn round_usage_is_reported_once_even_when_dropped() {
    let looks = || {
        vec![
            ModelAction::Usage(tokens(500, 1)),
            ModelAction::Reply(vec![call("activities")], StopReason::ToolCalls, tokens(1000, 100)),
        ]
    };
    let hangs = || {
        vec![
            ModelAction::Usage(tokens(700, 0)),
            ModelAction::Text("Well"),
            ModelAction::Usage(tokens(700, 3)),
        ]
    };
    for leaves in [true, false] {
        let (spent, _, conversed) = run_actions(vec![looks(), hangs()], leaves).await;
        assert_eq!(spent, [(1100, 2200), (703, 1406)], "left: {leaves}");
        if let Some(conversed) = conversed {
            assert_eq!(
                (conversed.end.reason, conversed.usage.total_tokens(), conversed.cost),
                (EndReason::Time, 1803, Cost(3606))
            );
        }
    }
    let (spent, ..) = run_actions(vec![Vec::new()], true).await;
    assert_eq!(spent, [], "what was never sent takes nothing");
    let (spent, _, conversed) = run_actions(vec![vec![ModelAction::Fail(tokens(40, 2))]], false).await;
    assert_eq!(spent, [(42, 84)]);
    assert_eq!(conversed.unwrap().cost, Cost(84), "and a failure costs what it costs");
}

#[tokio::test]
async fn numbers_are_verified_in_every_round() {
    let before = vec![
        ModelAction::Text("You ran 99 km."),
        ModelAction::Reply(
            vec![text("You ran 99 km."), call("activities")],
            StopReason::ToolCalls,
            tokens(1, 1),
        ),
    ];
    let cut = vec![
        ModelAction::Text("That is 41, or 17 mi"),
        ModelAction::Reply(vec![text("That is 41, or 17 mi")], StopReason::Length, tokens(1, 1)),
    ];
    let (_, unbacked, _) = run_actions(vec![before, cut], false).await;
    assert_eq!(unbacked, ["99 km", "17 mi"]);
    let (_, unbacked, _) = run_actions(
        vec![vec![ModelAction::Text("Slept 31 hours and"), ModelAction::Fail(tokens(1, 1))]],
        false,
    )
    .await;
    assert_eq!(unbacked, ["31 hours"]);
    let (_, unbacked, _) = run_actions(vec![vec![ModelAction::Text("Slept 31 hours and")]], false).await;
    assert_eq!(unbacked, ["31 hours"]);
}

fn range_bounds(parts: &[Vec<Range<usize>>]) -> Vec<Vec<(usize, usize)>> {
    parts.iter().map(|ranges| ranges.iter().map(|range| (range.start, range.end)).collect()).collect()
}

#[test]
fn each_message_part_has_its_own_unverified_ranges() {
    let parts =
        vec![text("You ran 99 km."), call("activities"), text("All of them, 12 km, said twice: 12 km.")];
    let found =
        unverified_numbers(&[user_message("how far?"), Message::Model { name: "m".to_owned(), parts }]);
    assert_eq!(found[0], Vec::<Vec<Range<usize>>>::new());
    assert_eq!(range_bounds(&found[1]), [vec![(8, 13)], vec![], vec![(13, 18), (32, 37)]]);
}

#[test]
fn stored_result_that_echoes_its_input_verifies_nothing() {
    let asked = ModelPart::Call {
        id: "a".to_owned(),
        tool: "predict_finish".to_owned(),
        input: json!({ "distance_km": 9.9 }),
    };
    let answer = json!({ "distance": "9.9 km", "finish": "45:10" }).to_string();
    let history = [
        user_message("and?"),
        Message::Model { name: "m".to_owned(), parts: vec![asked] },
        Message::Program {
            parts: vec![UserPart::Result { call: "a".to_owned(), text: answer, refused: false }],
        },
        model_message("9.9 km in 45:10"),
    ];
    assert_eq!(range_bounds(&unverified_numbers(&history)[3]), [vec![(0, 6)]]);
}

#[tokio::test]
async fn events_are_sent_in_order_and_numbers_verified() {
    let model = ScriptedReplies::new(&[
        &[call("activities"), call("training_load")],
        &[text("You did 41, and ran 99 km.")],
    ]);
    let (mut told, mut added) = (Vec::new(), Vec::new());
    let conversed = run_turn(&model, &EmptyCoachApi, turn_input(), std::future::pending(), &mut |event| {
        told.push(match event {
            ChatEvent::Text(text) => text.to_owned(),
            ChatEvent::ToolStarted(tool) => format!("calling {}", tool.name),
            ChatEvent::ToolFinished { tool, result } => format!("{} {}", tool.name, result.is_ok()),
            ChatEvent::UnverifiedNumbers { text, numbers } => {
                format!("unbacked {}", mark_numbers(text, numbers))
            }
            ChatEvent::Spent { usage, .. } => format!("spent {}", usage.total_tokens()),
            ChatEvent::UnknownTool => "unknown tool".to_owned(),
            ChatEvent::MessageAdded(message, _) => {
                added.push(message);
                return;
            }
            ChatEvent::Ended(ending) => ending.reason.to_string(),
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
    let left: Vec<&str> = conversed.unverified.iter().map(|range| &conversed.reply[range.clone()]).collect();
    assert_eq!(left, ["99 km"]);
    assert_eq!(added.len(), 4, "each answer by itself: {added:?}");
    assert_eq!(attach_tool_results(added), conversed.added_messages[1..]);
}

#[tokio::test]
async fn deadline_stops_a_hanging_model_and_tool() {
    let soon = || async {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        TurnEnd::timed_out()
    };
    let silent = ScriptedReplies::new(&[]);
    let conversed = run_turn(&silent, &EmptyCoachApi, turn_input(), soon(), &mut |_| {}).await;
    assert_eq!(conversed.end.reason, EndReason::Time);
    let stuck = ScriptedReplies::new(&[&[call("notes"), call("activities")]]);
    let mut called = 0;
    let conversed = run_turn(&stuck, &EmptyCoachApi, turn_input(), soon(), &mut |event| {
        called += usize::from(matches!(event, ChatEvent::ToolStarted(_)));
    })
    .await;
    assert_eq!((conversed.end.reason, called), (EndReason::Time, 1));
    assert!(conversed.reply.is_empty());
}

#[tokio::test]
async fn draft_finished_after_disconnect_is_in_the_conversation() {
    let model = ScriptedReplies::new(&[&[call("notes"), call("draft_training_plan")]]);
    let made = ScriptedReplies::new(&[&[call("draft_training_plan"), call("activities")]]);
    for (model, answered) in [(&model, [false, false]), (&made, [true, false])] {
        let (mut cards, mut added) = (Vec::new(), Vec::new());
        let left = tokio::time::sleep(std::time::Duration::from_millis(20));
        let until = async {
            left.await;
            TurnEnd::cancel()
        };
        let conversed = run_turn(model, &EmptyCoachApi, turn_input(), until, &mut |event| {
            cards.extend(event.card());
            if let ChatEvent::MessageAdded(message, _) = event {
                added.push(message);
            }
        })
        .await;
        assert_eq!(conversed.end.reason, EndReason::Cancelled);
        assert_eq!(cards.len(), usize::from(answered[0]));
        let Some(Message::Program { parts }) = conversed.added_messages.last() else {
            panic!("{:?}", conversed.added_messages)
        };
        let done: Vec<bool> =
            parts.iter().map(|told| matches!(told, UserPart::Result { refused: false, .. })).collect();
        assert_eq!(done, answered);
        assert_eq!(
            attach_tool_results(added),
            conversed.added_messages[1..],
            "what is kept is what was done"
        );
    }
}

#[test]
fn messages_stored_one_by_one_are_reassembled() {
    let asks = |ids: &[&str]| Message::Model {
        name: "m".to_owned(),
        parts: ids.iter().map(|id| call(id)).collect(),
    };
    let told = |ids: &[&str], text: &str| {
        let result =
            |id: &&str| UserPart::Result { call: (*id).to_owned(), text: text.to_owned(), refused: false };
        Message::Program { parts: ids.iter().map(result).collect() }
    };
    let both = |first: Message, second: Message| match (first, second) {
        (Message::Program { parts: a }, Message::Program { parts: b }) => {
            Message::Program { parts: [a, b].concat() }
        }
        other => panic!("{other:?}"),
    };
    let lost = |id: &str| Message::Program { parts: vec![stopped_result(id)] };
    let kept = vec![
        user_message("one"),
        asks(&["a", "b"]),
        told(&["b"], "2"),
        user_message("meanwhile"),
        told(&["a"], "1"),
        model_message("so"),
        user_message("two"),
        asks(&["a"]),
        user_message("three"),
        asks(&["a"]),
        told(&["a"], "3"),
        told(&["nobody"], "0"),
    ];
    let expected = [
        user_message("one"),
        asks(&["a", "b"]),
        both(told(&["a"], "1"), told(&["b"], "2")),
        user_message("meanwhile"),
        model_message("so"),
        user_message("two"),
        asks(&["a"]),
        lost("a"),
        user_message("three"),
        asks(&["a"]),
        told(&["a"], "3"),
        told(&["nobody"], "0"),
    ];
    assert_eq!(attach_tool_results(kept), expected);
    assert_eq!(attach_tool_results(expected.to_vec()), expected, "and then it is");
}

#[test]
fn a_draft_and_a_proposal_become_cards() {
    let card = |tool: &str, answer: Value| {
        let tool = Tool::find(tool).unwrap();
        ChatEvent::ToolFinished { tool, result: Ok(&answer) }.card()
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
