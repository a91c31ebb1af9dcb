//! A conversation: drives a [`Turn`] with a model and a desk, tells what happens as it happens, and keeps what was
//! said short enough to go on with.

mod history;

pub use history::{MAX_HISTORY, compact, whole};

use crate::agent_loop::{Caps, Effect, Ended, Ending, Turn};
use crate::grounding::Ledger;
use crate::model::{Cost, Listener, Message, Model, Part, Told, Usage};
use crate::prompt::{unfence, unfence_input};
use crate::tools::{Effect as Reach, Tool, ToolName};
use fitness_core::coach_api::{CoachDesk, DeskError};
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
    Calling(&'static Tool),
    /// A tool has answered, or refused.
    Called {
        /// Which.
        tool: &'static Tool,
        /// What it answered; what it said when it refused.
        answer: Result<&'a Value, &'a str>,
    },
    /// The coach has said something to its end, or as far as it came, and some numbers in it are backed by nothing.
    Unbacked {
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
    Added(Message, Marks),
    /// The turn is over.
    Ended(&'a Ending),
}

impl Event<'_> {
    /// The draft or the proposal that a tool has just left for the athlete, and where it is decided about.
    #[must_use]
    pub fn card(&self) -> Option<Card> {
        let Self::Called { tool, answer: Ok(answer) } = self else { return None };
        match tool.name {
            ToolName::DraftTrainingPlan | ToolName::ProposeModification | ToolName::ProposeWeek => {
                Card::of(answer)
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
    pub fn of(answer: &Value) -> Option<Self> {
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
pub type Marks = Vec<Vec<Range<usize>>>;

/// The most bytes of text that are taken of one reply: what 4096 tokens usually hold.
pub const MAX_TEXT: usize = 16 * 1024;

/// The numbers that nothing backs in each part of each message of a conversation: in what the coach says, against what was
/// said and looked up before.
#[must_use]
pub fn unverified(history: &[Message]) -> Vec<Marks> {
    let mut heard = Heard::default();
    let mut found = Vec::with_capacity(history.len());
    for message in history {
        heard.take_down(message);
        found.push(marks(&heard.ledger, message));
    }
    found
}

fn marks(ledger: &Ledger, message: &Message) -> Marks {
    let Message::Model { parts, .. } = message else { return Vec::new() };
    let unverified = |part: &Part| match part {
        Part::Text { text } => ledger.unverified(text),
        Part::Call { .. } | Part::Sealed { .. } => Vec::new(),
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
pub struct Conversed {
    /// What it added to the conversation, the athlete's words first.
    pub added: Vec<Message>,
    /// What the coach said last; empty when it said nothing.
    pub answer: String,
    /// The numbers of the answer that nothing backs.
    pub unverified: Vec<Range<usize>>,
    /// How it ended.
    pub ending: Ending,
    /// What it took.
    pub usage: Usage,
    /// What it cost, as far as that is known.
    pub cost: Cost,
}

/// What a turn begins with.
#[derive(Debug)]
pub struct Opening {
    /// The rules; the same for every athlete and day.
    pub system: String,
    /// What was said before.
    pub history: Vec<Message>,
    /// What should be known today: the day, the notes.
    pub context: Option<String>,
    /// What the athlete says now.
    pub said: String,
    /// The most it may take.
    pub caps: Caps,
}

/// Has one turn of a conversation. Ends as `until` says at the latest; dropping it ends everything it began, and what that
/// took is told first.
pub async fn converse(
    model: &dyn Model,
    desk: &dyn CoachDesk,
    opening: Opening,
    until: impl Future<Output = Ending> + Send,
    hear: &mut (dyn FnMut(Event<'_>) + Send),
) -> Conversed {
    let Opening { system, history, context, said, caps } = opening;
    let heard_now = [context.clone().unwrap_or_default(), said.clone()];
    let mut ledger = Ledger::default();
    let history = with_ledger(&mut ledger, move |ledger| {
        let mut heard = Heard::default();
        history.iter().for_each(|message| heard.take_down(message));
        heard_now.iter().for_each(|text| heard.ledger.hear_words(text));
        *ledger = heard.ledger;
        history
    })
    .await;
    let (mut turn, effects) = Turn::begin(system, history, (context, said), caps);
    let mut effects = VecDeque::from(effects);
    let mut until = pin!(until);
    let ending = loop {
        // A turn that is not over always has something left to do.
        let Some(effect) = effects.pop_front() else { break Ending::cancelled() };
        let followed = match effect {
            Effect::Ask(request) => {
                let mut listening = Hearing { hear, model, said: String::new(), took: Usage::default() };
                let mut reply = tokio::select! {
                    biased;
                    ending = &mut until => Err(ending),
                    reply = model.ask(&request, &mut listening) => Ok(reply),
                };
                if let Ok(Ok(reply)) = &mut reply {
                    bound_text(&mut reply.parts);
                }
                if let Ok(reply) = &reply {
                    // The reply knows better than what was told on the way.
                    listening.took = reply.as_ref().map_or_else(|why| why.spent, |reply| reply.usage);
                }
                let (usage, cost) = listening.settle();
                let said = std::mem::take(&mut listening.said);
                drop(listening);
                let text = said.clone();
                let numbers = with_ledger(&mut ledger, move |ledger| ledger.unverified(&text)).await;
                if !numbers.is_empty() {
                    hear(Event::Unbacked { text: &said, numbers: &numbers });
                }
                match reply {
                    Ok(reply) => {
                        let parts = reply.as_ref().map_or(&[][..], |reply| &reply.parts);
                        let unknown = |part: &&Part| matches!(part, Part::Call { tool, .. } if Tool::find(tool).is_none());
                        parts.iter().filter(unknown).for_each(|_| hear(Event::UnknownTool));
                        turn.heard(model.name(), reply, cost)
                    }
                    Err(ending) => {
                        turn.took(usage, cost);
                        turn.broke_off(model.name(), said);
                        turn.stop(ending)
                    }
                }
            }
            Effect::Call { id, tool, mut input } => {
                hear(Event::Calling(tool));
                unfence_input(&mut input);
                if matches!(tool.name, ToolName::ProposeModification | ToolName::ProposeWeek) {
                    input = with_ledger(&mut ledger, move |ledger| {
                        ledger.mark_answer(&mut input);
                        input
                    })
                    .await;
                }
                let asked = input.clone();
                let (answer, ending) = called(tool, desk, input, &mut until).await;
                match &answer {
                    Some(Ok(value)) => {
                        let answer = value.clone();
                        with_ledger(&mut ledger, move |ledger| ledger.hear_answer(&asked, &answer)).await;
                        hear(Event::Called { tool, answer: Ok(value) });
                    }
                    Some(Err(why)) => {
                        let why = why.to_string();
                        ledger.hear_refusal(&asked, &why);
                        hear(Event::Called { tool, answer: Err(&why) });
                    }
                    None => {}
                }
                let followed = answer.map(|answer| turn.answered(&id, answer)).unwrap_or_default();
                ending.map_or(followed, |ending| turn.stop(ending))
            }
            Effect::End(ending) => break ending,
        };
        for message in turn.news() {
            let checked = with_ledger(&mut ledger, move |ledger| (marks(ledger, &message), message)).await;
            hear(Event::Added(checked.1, checked.0));
        }
        // What is over does not go on with the calls that were left.
        if followed.iter().any(|effect| matches!(effect, Effect::End(_))) {
            effects.clear();
        }
        effects.extend(followed);
    };
    hear(Event::Ended(&ending));
    let answer = match (&ending.ended, turn.added().last()) {
        (Ended::Answered, Some(Message::Model { parts, .. })) => words(parts),
        _ => String::new(),
    };
    let text = answer.clone();
    Conversed {
        unverified: with_ledger(&mut ledger, move |ledger| ledger.unverified(&text)).await,
        added: turn.added().to_vec(),
        answer,
        ending,
        usage: turn.usage(),
        cost: turn.cost(),
    }
}

/// As long as a tool that leaves something may still take when the turn is to end.
const FINISHING: Duration = Duration::from_secs(10);

/// Calls a tool. When the turn is to end meanwhile, one that only looks is left; one that leaves something for the athlete
/// finishes, as what it left would otherwise be there without anybody having been told.
async fn called(
    tool: &Tool,
    desk: &dyn CoachDesk,
    input: Value,
    until: &mut (impl Future<Output = Ending> + Unpin),
) -> (Option<Result<Value, DeskError>>, Option<Ending>) {
    let mut answer = pin!(tool.call(desk, input));
    tokio::select! {
        biased;
        ending = until => match tool.effect {
            Reach::Reads => (None, Some(ending)),
            Reach::Leaves => (tokio::time::timeout(FINISHING, answer).await.ok(), Some(ending)),
        },
        answer = &mut answer => (Some(answer), None),
    }
}

/// Hands on what a model says, and remembers what it said and took. Who leaves before the reply is there drops this, and
/// what was taken by then is told all the same.
struct Hearing<'a> {
    hear: &'a mut (dyn FnMut(Event<'_>) + Send),
    model: &'a dyn Model,
    said: String,
    took: Usage,
}

impl Hearing<'_> {
    /// Tells what was taken, once.
    fn settle(&mut self) -> (Usage, Option<Cost>) {
        let usage = std::mem::take(&mut self.took);
        let cost = self.model.cost(&usage);
        if usage != Usage::default() {
            (self.hear)(Event::Spent { usage, cost });
        }
        (usage, cost)
    }
}

impl Drop for Hearing<'_> {
    fn drop(&mut self) {
        self.settle();
    }
}

impl Listener for Hearing<'_> {
    fn text(&mut self, more: &str) {
        let mut more = unfence(more);
        let room = MAX_TEXT.saturating_sub(self.said.len());
        more.truncate(more.floor_char_boundary(room));
        self.said.push_str(&more);
        (self.hear)(Event::Text(&more));
    }

    fn took(&mut self, so_far: Usage) {
        self.took = so_far;
    }
}

/// Takes the marks of our own fences out of a reply's text, and cuts what is longer than a reply may be.
fn bound_text(parts: &mut [Part]) {
    let mut room = MAX_TEXT;
    for part in parts {
        if let Part::Text { text } = part {
            *text = unfence(text);
            text.truncate(text.floor_char_boundary(room));
            room -= text.len();
        }
    }
}

fn words(parts: &[Part]) -> String {
    let text = |part: &Part| if let Part::Text { text } = part { Some(text.clone()) } else { None };
    parts.iter().filter_map(text).collect()
}

/// What a conversation may use, from what is stored of it.
#[derive(Default)]
struct Heard {
    ledger: Ledger,
    /// What was asked, by the id of its call.
    asked: BTreeMap<String, Value>,
}

impl Heard {
    fn take_down(&mut self, message: &Message) {
        match message {
            Message::Model { parts, .. } => self.asked.extend(parts.iter().filter_map(|part| match part {
                Part::Call { id, input, .. } => Some((id.clone(), input.clone())),
                Part::Text { .. } | Part::Sealed { .. } => None,
            })),
            Message::Program { parts } => {
                for part in parts {
                    match part {
                        Told::Text { text } => self.ledger.hear_words(text),
                        Told::Result { call, text, refused: false } => {
                            if let Ok(answer) = serde_json::from_str(text) {
                                let asked = self.asked.get(call).unwrap_or(&Value::Null);
                                self.ledger.hear_answer(asked, &answer);
                            }
                        }
                        Told::Result { call, text, refused: true } => {
                            let asked = self.asked.get(call).unwrap_or(&Value::Null);
                            self.ledger.hear_refusal(asked, text);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
