//! A conversation: drives a [`Turn`] with a model and a desk, tells what happens as it happens, and keeps what was
//! said short enough to go on with.

mod history;

pub use history::{MAX_HISTORY_BYTES, attach_tool_results, compact};

use crate::agent_loop::{Caps, EndReason, Turn, TurnEnd, TurnStep};
use crate::grounding::Ledger;
use crate::model::{Cost, Listener, Message, Model, ModelPart, Usage, UserPart};
use crate::prompt::{strip_delimiters, strip_input_delimiters};
use crate::tools::{Tool, ToolAccess as Reach, ToolName};
use fitness_core::coach_api::{CoachApi, CoachApiError};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::ops::Range;
use std::pin::pin;
use std::time::Duration;

/// Something that happens in a conversation, for whoever looks on.
#[derive(Debug)]
pub enum Event<'a> {
    /// More of what the coach says.
    Text(&'a str),
    /// A tool is at work.
    ToolStarted(&'static Tool),
    /// A tool has answered, or refused.
    ToolFinished {
        /// Which.
        tool: &'static Tool,
        /// What it answered; what it said when it refused.
        result: Result<&'a Value, &'a str>,
    },
    /// The coach has said something to its end, or as far as it came, and some numbers in it are backed by nothing.
    UnverifiedNumbers {
        /// What it said, all of it.
        text: &'a str,
        /// Where those numbers stand.
        numbers: &'a [Range<usize>],
    },
    /// A request took something, whatever came of it. Told once for each, also for one that is left before its reply.
    Spent {
        /// What it took; estimated where the service had not told.
        usage: Usage,
        /// What it cost, where that is known.
        cost: Option<Cost>,
    },
    /// A tool was called that does not exist, and refused.
    UnknownTool,
    /// The conversation has become longer, as it is to be kept; see [`Turn::news`]. With the numbers that nothing backs, for
    /// each part of what the coach says.
    MessageAdded(Message, UnverifiedRanges),
    /// The turn is over.
    Ended(&'a TurnEnd),
}

impl Event<'_> {
    /// The draft or the proposal that a tool has just left for the athlete, and where it is decided about.
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

/// Something that waits for the athlete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Card {
    /// A draft of a plan.
    Draft {
        /// The plan.
        id: i64,
        /// Where it is read.
        review: String,
    },
    /// A proposal.
    Proposal {
        /// Which.
        id: i64,
        /// Where it is decided about.
        review: String,
    },
}

impl Card {
    /// What a tool's answer leaves for the athlete, if it does.
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

/// The numbers that nothing backs, for each part of a message.
pub type UnverifiedRanges = Vec<Vec<Range<usize>>>;

/// The most bytes of text that are taken of one reply: what 4096 tokens usually hold.
pub const MAX_REPLY_BYTES: usize = 16 * 1024;

/// The numbers that nothing backs in each part of each message of a conversation: in what the coach says, against what was
/// said and looked up before.
#[must_use]
pub fn unverified_numbers(history: &[Message]) -> Vec<UnverifiedRanges> {
    let mut heard = LedgerBuilder::default();
    let mut found = Vec::with_capacity(history.len());
    for message in history {
        heard.add_message(message);
        found.push(unverified_in_message(&heard.ledger, message));
    }
    found
}

fn unverified_in_message(ledger: &Ledger, message: &Message) -> UnverifiedRanges {
    let Message::Model { parts, .. } = message else { return Vec::new() };
    let unverified = |part: &ModelPart| match part {
        ModelPart::Text { text } => ledger.unverified_numbers(text),
        ModelPart::Call { .. } | ModelPart::Sealed { .. } => Vec::new(),
    };
    parts.iter().map(unverified).collect()
}

/// Works with the ledger away from the async workers: reading numbers takes processor time.
async fn with_ledger<T: Send + 'static>(
    ledger: &mut Ledger,
    work: impl FnOnce(&mut Ledger) -> T + Send + 'static,
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

/// What became of a turn.
#[derive(Debug)]
pub struct TurnOutcome {
    /// What it added to the conversation, the athlete's words first.
    pub added_messages: Vec<Message>,
    /// What the coach said last; empty when it said nothing.
    pub reply: String,
    /// The numbers of the answer that nothing backs.
    pub unverified: Vec<Range<usize>>,
    /// How it ended.
    pub end: TurnEnd,
    /// What it took.
    pub usage: Usage,
    /// What it cost, as far as that is known.
    pub cost: Cost,
}

/// What a turn begins with.
#[derive(Debug)]
pub struct TurnInput {
    /// The rules; the same for every athlete and day.
    pub system: String,
    /// What was said before.
    pub history: Vec<Message>,
    /// What should be known today: the day, the notes.
    pub context: Option<String>,
    /// What the athlete says now.
    pub message: String,
    /// The most it may take.
    pub caps: Caps,
}

/// Has one turn of a conversation. Ends as `until` says at the latest; dropping it ends everything it began, and what that
/// took is told first.
pub async fn run_turn(
    model: &dyn Model,
    desk: &dyn CoachApi,
    opening: TurnInput,
    until: impl Future<Output = TurnEnd> + Send,
    hear: &mut (dyn FnMut(Event<'_>) + Send),
) -> TurnOutcome {
    let TurnInput { system, history, context, message: said, caps } = opening;
    let heard_now = [context.clone().unwrap_or_default(), said.clone()];
    let mut ledger = Ledger::default();
    let history = with_ledger(&mut ledger, move |ledger| {
        let mut heard = LedgerBuilder::default();
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
        // A turn that is not over always has something left to do.
        let Some(effect) = effects.pop_front() else { break TurnEnd::cancelled() };
        let followed = match effect {
            TurnStep::SendRequest(request) => {
                let mut listening =
                    ReplyListener { on_event: hear, model, text: String::new(), usage: Usage::default() };
                let mut reply = tokio::select! {
                    biased;
                    ending = &mut until => Err(ending),
                    reply = model.ask(&request, &mut listening) => Ok(reply),
                };
                if let Ok(Ok(reply)) = &mut reply {
                    clean_text(&mut reply.parts);
                }
                if let Ok(reply) = &reply {
                    // The reply knows better than what was told on the way.
                    listening.usage = reply.as_ref().map_or_else(|why| why.usage, |reply| reply.usage);
                }
                let (usage, cost) = listening.report_usage();
                let said = std::mem::take(&mut listening.text);
                drop(listening);
                let text = said.clone();
                let numbers = with_ledger(&mut ledger, move |ledger| ledger.unverified_numbers(&text)).await;
                if !numbers.is_empty() {
                    hear(Event::UnverifiedNumbers { text: &said, numbers: &numbers });
                }
                match reply {
                    Ok(reply) => {
                        let parts = reply.as_ref().map_or(&[][..], |reply| &reply.parts);
                        let unknown = |part: &&ModelPart| matches!(part, ModelPart::Call { tool, .. } if Tool::find(tool).is_none());
                        parts.iter().filter(unknown).for_each(|_| hear(Event::UnknownTool));
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
                hear(Event::ToolStarted(tool));
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
                        hear(Event::ToolFinished { tool, result: Ok(value) });
                    }
                    Some(Err(why)) => {
                        let why = why.to_string();
                        ledger.record_refusal(&asked, &why);
                        hear(Event::ToolFinished { tool, result: Err(&why) });
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
            hear(Event::MessageAdded(checked.1, checked.0));
        }
        // What is over does not go on with the calls that were left.
        if followed.iter().any(|effect| matches!(effect, TurnStep::End(_))) {
            effects.clear();
        }
        effects.extend(followed);
    };
    hear(Event::Ended(&ending));
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

/// As long as a tool that leaves something may still take when the turn is to end.
const WRITE_GRACE_PERIOD: Duration = Duration::from_secs(10);

/// Calls a tool. When the turn is to end meanwhile, one that only looks is left; one that leaves something for the athlete
/// finishes, as what it left would otherwise be there without anybody having been told.
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

/// Hands on what a model says, and remembers what it said and took. Who leaves before the reply is there drops this, and
/// what was taken by then is told all the same.
struct ReplyListener<'a> {
    on_event: &'a mut (dyn FnMut(Event<'_>) + Send),
    model: &'a dyn Model,
    text: String,
    usage: Usage,
}

impl ReplyListener<'_> {
    /// Tells what was taken, once.
    fn report_usage(&mut self) -> (Usage, Option<Cost>) {
        let usage = std::mem::take(&mut self.usage);
        let cost = self.model.cost(&usage);
        if usage != Usage::default() {
            (self.on_event)(Event::Spent { usage, cost });
        }
        (usage, cost)
    }
}

impl Drop for ReplyListener<'_> {
    fn drop(&mut self) {
        self.report_usage();
    }
}

impl Listener for ReplyListener<'_> {
    fn text(&mut self, more: &str) {
        let mut more = strip_delimiters(more);
        let room = MAX_REPLY_BYTES.saturating_sub(self.text.len());
        more.truncate(more.floor_char_boundary(room));
        self.text.push_str(&more);
        (self.on_event)(Event::Text(&more));
    }

    fn usage(&mut self, so_far: Usage) {
        self.usage = so_far;
    }
}

/// Takes the marks of our own fences out of a reply's text, and cuts what is longer than a reply may be.
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

/// What a conversation may use, from what is stored of it.
#[derive(Default)]
struct LedgerBuilder {
    ledger: Ledger,
    /// What was asked, by the id of its call.
    call_inputs: BTreeMap<String, Value>,
}

impl LedgerBuilder {
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
