//! Runs one turn of a chat: connects the agent loop with a model and a [`CoachApi`], reports
//! events, and compacts the history.

mod history;

pub use history::{MAX_HISTORY_BYTES, attach_tool_results, compact};

use crate::agent_loop::{EndReason, Turn, TurnEnd, TurnLimits, TurnStep};
use crate::grounding::AllowedNumbers;
use crate::model::{Cost, Message, Model, ModelListener, ModelPart, Usage, UserPart};
use crate::prompt::{strip_delimiters, strip_input_delimiters};
use crate::tools::{Tool, ToolAccess as Reach, ToolName};
use fitness_core::coach_api::{CoachApi, CoachApiError};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::ops::Range;
use std::pin::pin;
use std::time::Duration;

/// Event of a turn, for streaming to the client.
#[derive(Debug)]
pub enum ChatEvent<'a> {
    /// Next piece of the reply.
    Text(&'a str),
    ToolStarted(&'static Tool),
    ToolFinished {
        tool: &'static Tool,
        /// The result, or the error message.
        result: Result<&'a Value, &'a str>,
    },
    /// A reply is complete or stopped, and contains unverified numbers.
    UnverifiedNumbers {
        text: &'a str,
        /// Byte ranges of the numbers.
        numbers: &'a [Range<usize>],
    },
    /// Usage of a request, reported once per request, also if it failed or was cancelled.
    Spent {
        /// Estimated if the service did not report it.
        usage: Usage,
        /// `None` if the price is unknown.
        cost: Option<Cost>,
    },
    /// The model called an unknown tool.
    UnknownTool,
    /// A message to store, with the unverified numbers of each part.
    MessageAdded(Message, UnverifiedRanges),
    Ended(&'a TurnEnd),
}

impl ChatEvent<'_> {
    /// The draft or proposal that a tool created, if any.
    #[must_use]
    pub fn card(&self) -> Option<Card> {
        let Self::ToolFinished { tool, result: Ok(answer) } = self else { return None };
        match tool.name {
            ToolName::DraftTrainingPlan | ToolName::ProposeModification | ToolName::ProposeWeek => {
                Card::from_tool_result(answer)
            }
            _ => None,
        }
    }
}

/// A draft or proposal that needs a decision, shown as a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Card {
    Draft {
        id: i64,
        /// URL of its page.
        review: String,
    },
    Proposal {
        id: i64,
        /// URL of its page.
        review: String,
    },
}

impl Card {
    /// The draft or proposal in a tool result.
    #[must_use]
    pub fn from_tool_result(answer: &Value) -> Option<Self> {
        let review = answer.get("review")?.as_str()?.to_owned();
        let id = |key: &str| answer.get(key).and_then(Value::as_i64);
        match (id("proposal_id"), id("plan_id")) {
            (Some(proposal), _) => Some(Self::Proposal { id: proposal, review }),
            (None, Some(plan)) => Some(Self::Draft { id: plan, review }),
            (None, None) => None,
        }
    }
}

/// Byte ranges of unverified numbers for each part of a message.
pub type UnverifiedRanges = Vec<Vec<Range<usize>>>;

/// Maximum bytes of one reply, about 4096 tokens.
pub const MAX_REPLY_BYTES: usize = 16 * 1024;

/// Unverified numbers of each message, checked against everything said and looked up before it.
#[must_use]
pub fn unverified_numbers(history: &[Message]) -> Vec<UnverifiedRanges> {
    let mut heard = AllowedNumbersBuilder::default();
    let mut found = Vec::with_capacity(history.len());
    for message in history {
        heard.add_message(message);
        found.push(unverified_in_message(&heard.ledger, message));
    }
    found
}

fn unverified_in_message(ledger: &AllowedNumbers, message: &Message) -> UnverifiedRanges {
    let Message::Model { parts, .. } = message else { return Vec::new() };
    let unverified = |part: &ModelPart| match part {
        ModelPart::Text { text } => ledger.unverified_numbers(text),
        ModelPart::Call { .. } | ModelPart::Sealed { .. } => Vec::new(),
    };
    parts.iter().map(unverified).collect()
}

/// Runs CPU-bound work on the ledger outside of the async workers.
async fn with_ledger<T: Send + 'static>(
    ledger: &mut AllowedNumbers,
    work: impl FnOnce(&mut AllowedNumbers) -> T + Send + 'static,
) -> T {
    let mut own = std::mem::take(ledger);
    let worked = tokio::task::spawn_blocking(move || {
        let outcome = work(&mut own);
        (own, outcome)
    });
    let (own, outcome) = worked.await.expect("reading numbers does not panic");
    *ledger = own;
    outcome
}

/// Result of a turn.
#[derive(Debug)]
pub struct TurnOutcome {
    /// Messages of the turn, the athlete's first.
    pub added_messages: Vec<Message>,
    /// The final reply; empty if there is none.
    pub reply: String,
    /// Byte ranges of unverified numbers in `reply`.
    pub unverified: Vec<Range<usize>>,
    pub end: TurnEnd,
    pub usage: Usage,
    /// The known part of the cost.
    pub cost: Cost,
}

/// Input of a turn.
#[derive(Debug)]
pub struct TurnInput {
    /// System prompt; the same for every athlete and day.
    pub system: String,
    pub history: Vec<Message>,
    /// Context of today: date and notes.
    pub context: Option<String>,
    pub message: String,
    pub caps: TurnLimits,
}

/// Runs one turn until it ends or `until` resolves. Dropping the future cancels everything; usage
/// so far is reported first.
pub async fn run_turn(
    model: &dyn Model,
    desk: &dyn CoachApi,
    opening: TurnInput,
    until: impl Future<Output = TurnEnd> + Send,
    hear: &mut (dyn FnMut(ChatEvent<'_>) + Send),
) -> TurnOutcome {
    let TurnInput { system, history, context, message: said, caps } = opening;
    let heard_now = [context.clone().unwrap_or_default(), said.clone()];
    let mut ledger = AllowedNumbers::default();
    let history = with_ledger(&mut ledger, move |ledger| {
        let mut heard = AllowedNumbersBuilder::default();
        history.iter().for_each(|message| heard.add_message(message));
        heard_now.iter().for_each(|text| heard.ledger.record_text(text));
        *ledger = heard.ledger;
        history
    })
    .await;
    let (mut turn, effects) = Turn::start(system, history, (context, said), caps);
    let mut effects = VecDeque::from(effects);
    let mut until = pin!(until);
    let ending = loop {
        // Unreachable: an unfinished turn always has a next step.
        let Some(effect) = effects.pop_front() else { break TurnEnd::cancel() };
        let followed = match effect {
            TurnStep::SendRequest(request) => {
                let mut listening = ChatEventForwarder {
                    on_event: hear,
                    model,
                    text: String::new(),
                    usage: Usage::default(),
                };
                let mut reply = tokio::select! {
                    biased;
                    ending = &mut until => Err(ending),
                    reply = model.ask(&request, &mut listening) => Ok(reply),
                };
                if let Ok(Ok(reply)) = &mut reply {
                    clean_text(&mut reply.parts);
                }
                if let Ok(reply) = &reply {
                    // The final usage replaces the estimates of the stream.
                    listening.usage = reply.as_ref().map_or_else(|why| why.usage, |reply| reply.usage);
                }
                let (usage, cost) = listening.report_usage();
                let said = std::mem::take(&mut listening.text);
                drop(listening);
                let text = said.clone();
                let numbers = with_ledger(&mut ledger, move |ledger| ledger.unverified_numbers(&text)).await;
                if !numbers.is_empty() {
                    hear(ChatEvent::UnverifiedNumbers { text: &said, numbers: &numbers });
                }
                match reply {
                    Ok(reply) => {
                        let parts = reply.as_ref().map_or(&[][..], |reply| &reply.parts);
                        let unknown = |part: &&ModelPart| matches!(part, ModelPart::Call { tool, .. } if Tool::find(tool).is_none());
                        parts.iter().filter(unknown).for_each(|_| hear(ChatEvent::UnknownTool));
                        turn.handle_reply(model.name(), reply, cost)
                    }
                    Err(ending) => {
                        turn.add_usage(usage, cost);
                        turn.keep_partial_text(model.name(), said);
                        turn.stop(ending)
                    }
                }
            }
            TurnStep::CallTool { id, tool, mut input } => {
                hear(ChatEvent::ToolStarted(tool));
                strip_input_delimiters(&mut input);
                if matches!(tool.name, ToolName::ProposeModification | ToolName::ProposeWeek) {
                    input = with_ledger(&mut ledger, move |ledger| {
                        ledger.mark_response(&mut input);
                        input
                    })
                    .await;
                }
                let asked = input.clone();
                let (answer, ending) = call_tool(tool, desk, input, &mut until).await;
                match &answer {
                    Some(Ok(value)) => {
                        let answer = value.clone();
                        with_ledger(&mut ledger, move |ledger| ledger.record_tool_result(&asked, &answer))
                            .await;
                        hear(ChatEvent::ToolFinished { tool, result: Ok(value) });
                    }
                    Some(Err(why)) => {
                        let why = why.to_string();
                        ledger.record_refusal(&asked, &why);
                        hear(ChatEvent::ToolFinished { tool, result: Err(&why) });
                    }
                    None => {}
                }
                let followed = answer.map(|answer| turn.handle_tool_result(&id, answer)).unwrap_or_default();
                ending.map_or(followed, |ending| turn.stop(ending))
            }
            TurnStep::End(ending) => break ending,
        };
        for message in turn.take_new_messages() {
            let checked =
                with_ledger(&mut ledger, move |ledger| (unverified_in_message(ledger, &message), message))
                    .await;
            hear(ChatEvent::MessageAdded(checked.1, checked.0));
        }
        // After the end, remaining tool calls are dropped.
        if followed.iter().any(|effect| matches!(effect, TurnStep::End(_))) {
            effects.clear();
        }
        effects.extend(followed);
    };
    hear(ChatEvent::Ended(&ending));
    let answer = match (&ending.reason, turn.added_messages().last()) {
        (EndReason::Answered, Some(Message::Model { parts, .. })) => join_text(parts),
        _ => String::new(),
    };
    let text = answer.clone();
    TurnOutcome {
        unverified: with_ledger(&mut ledger, move |ledger| ledger.unverified_numbers(&text)).await,
        added_messages: turn.added_messages().to_vec(),
        reply: answer,
        end: ending,
        usage: turn.usage(),
        cost: turn.cost(),
    }
}

/// Grace period for a tool that writes when the turn is cancelled.
const WRITE_GRACE_PERIOD: Duration = Duration::from_secs(10);

/// Calls a tool. If the turn is cancelled meanwhile, a reading tool is dropped, but a writing tool
/// may finish, so that its draft or proposal is not created unnoticed.
async fn call_tool(
    tool: &Tool,
    desk: &dyn CoachApi,
    input: Value,
    until: &mut (impl Future<Output = TurnEnd> + Unpin),
) -> (Option<Result<Value, CoachApiError>>, Option<TurnEnd>) {
    let mut answer = pin!(tool.call(desk, input));
    tokio::select! {
        biased;
        ending = until => match tool.access {
            Reach::Read => (None, Some(ending)),
            Reach::Write => (tokio::time::timeout(WRITE_GRACE_PERIOD, answer).await.ok(), Some(ending)),
        },
        answer = &mut answer => (Some(answer), None),
    }
}

/// Forwards the stream and records text and usage. Reports the usage on drop, if the request is
/// cancelled.
struct ChatEventForwarder<'a> {
    on_event: &'a mut (dyn FnMut(ChatEvent<'_>) + Send),
    model: &'a dyn Model,
    text: String,
    usage: Usage,
}

impl ChatEventForwarder<'_> {
    /// Reports the usage once.
    fn report_usage(&mut self) -> (Usage, Option<Cost>) {
        let usage = std::mem::take(&mut self.usage);
        let cost = self.model.cost(&usage);
        if usage != Usage::default() {
            (self.on_event)(ChatEvent::Spent { usage, cost });
        }
        (usage, cost)
    }
}

impl Drop for ChatEventForwarder<'_> {
    fn drop(&mut self) {
        self.report_usage();
    }
}

impl ModelListener for ChatEventForwarder<'_> {
    fn text(&mut self, more: &str) {
        let mut more = strip_delimiters(more);
        let room = MAX_REPLY_BYTES.saturating_sub(self.text.len());
        more.truncate(more.floor_char_boundary(room));
        self.text.push_str(&more);
        (self.on_event)(ChatEvent::Text(&more));
    }

    fn usage(&mut self, so_far: Usage) {
        self.usage = so_far;
    }
}

/// Removes our delimiters from a reply and truncates it to [`MAX_REPLY_BYTES`].
fn clean_text(parts: &mut [ModelPart]) {
    let mut room = MAX_REPLY_BYTES;
    for part in parts {
        if let ModelPart::Text { text } = part {
            *text = strip_delimiters(text);
            text.truncate(text.floor_char_boundary(room));
            room -= text.len();
        }
    }
}

fn join_text(parts: &[ModelPart]) -> String {
    let text = |part: &ModelPart| if let ModelPart::Text { text } = part { Some(text.clone()) } else { None };
    parts.iter().filter_map(text).collect()
}

/// Builds the ledger from stored messages.
#[derive(Default)]
struct AllowedNumbersBuilder {
    ledger: AllowedNumbers,
    /// Inputs by call id.
    call_inputs: BTreeMap<String, Value>,
}

impl AllowedNumbersBuilder {
    fn add_message(&mut self, message: &Message) {
        match message {
            Message::Model { parts, .. } => {
                self.call_inputs.extend(parts.iter().filter_map(|part| match part {
                    ModelPart::Call { id, input, .. } => Some((id.clone(), input.clone())),
                    ModelPart::Text { .. } | ModelPart::Sealed { .. } => None,
                }))
            }
            Message::Program { parts } => {
                for part in parts {
                    match part {
                        UserPart::Text { text } => self.ledger.record_text(text),
                        UserPart::Result { call, text, refused: false } => {
                            if let Ok(answer) = serde_json::from_str(text) {
                                let asked = self.call_inputs.get(call).unwrap_or(&Value::Null);
                                self.ledger.record_tool_result(asked, &answer);
                            }
                        }
                        UserPart::Result { call, text, refused: true } => {
                            let asked = self.call_inputs.get(call).unwrap_or(&Value::Null);
                            self.ledger.record_refusal(asked, text);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
