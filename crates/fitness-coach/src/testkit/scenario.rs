//! What a fake says, in words that both dialects share.

use super::server::{Late, Response, Step};
use serde_json::{Value, json};

pub(super) type Script = Box<dyn FnMut(&Asked) -> Answer + Send>;

/// A request as a script sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Which request this is that the script is asked about, counted from 1.
    pub number: usize,
    /// Which model is asked.
    pub model: String,
    /// What it is told it is.
    pub system: String,
    /// The names of the tools, in order.
    pub tools: Vec<String>,
    /// The schema of the answer, where it must have one.
    pub shape: Option<Value>,
    /// What tools answered in the last turn.
    pub results: Vec<String>,
    /// The words of the last turn.
    pub words: String,
    /// Everything.
    pub body: Value,
}

/// What comes of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// An answer.
    Say(Say),
    /// None.
    Fail(Fail),
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Say {
    /// What is said, in order.
    pub blocks: Vec<Block>,
    /// Why it stops; without it, because it is done or because of its calls.
    pub stop: Option<Why>,
    /// How it is put on the wire.
    pub manner: Manner,
    /// How it ends there.
    pub after: After,
}

/// Something that is said.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Words.
    Text(String),
    /// Thoughts, signed.
    Thought(String),
    /// A call.
    Call(String, Value),
    /// A call whose input is this text, JSON or not.
    BrokenCall(String, String),
}

/// Why an answer stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It reached the limit.
    Length,
    /// It declines, for this reason.
    Refusal(String),
    /// It pauses.
    Pause,
    /// In a way nobody has heard of.
    Unheard,
}

/// How an answer is put on the wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Manner {
    /// So many bytes in a chunk; 0 for an event in a chunk.
    pub chunk: usize,
    /// Whether lines end in two characters.
    pub crlf: bool,
    /// Whether there is a sign of life between any two events.
    pub pings: bool,
    /// Whether there are events and deltas that nobody knows.
    pub strange: bool,
    /// Whether it does not say what it took, where a server may leave that out.
    pub uncounted: bool,
}

/// How an answer ends on the wire, after so many of its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    /// As it should.
    End,
    /// Nothing more comes.
    Stall(usize),
    /// The connection is cut.
    Cut(usize),
    /// The body ends as if it were whole.
    Stop(usize),
    /// An error of this type comes.
    Error(usize, &'static str),
    /// Half an event comes as if it were whole.
    Half(usize),
    /// So many megabytes of words come.
    Flood(usize),
    /// So many megabytes come that are one line.
    Line(usize),
    /// Signs of life come, and nothing else, without end.
    Drip(usize),
    /// Words come without end, slowly.
    Babble(usize),
}

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fail {
    /// A status with the usual text for it, and headers.
    Status(u16, Vec<(&'static str, String)>),
    /// The account may not spend any more.
    SpendCap,
    /// The connection stays open, and nothing comes.
    Silence,
    /// The connection is closed.
    HangUp,
    /// Status 200, and a web page.
    Page,
    /// Somewhere else, it says.
    Redirect(String),
}

impl Fail {
    /// A status, without headers.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::Status(status, Vec::new())
    }
}

impl Say {
    /// These blocks.
    #[must_use]
    pub fn these(blocks: Vec<Block>) -> Self {
        Self { blocks, stop: None, manner: Manner::default(), after: After::End }
    }

    /// Words.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::these(vec![Block::Text(text.into())])
    }

    /// A call.
    #[must_use]
    pub fn call(tool: impl Into<String>, input: Value) -> Self {
        Self::these(vec![Block::Call(tool.into(), input)])
    }

    /// The same, and this.
    #[must_use]
    pub fn and(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    /// The same, for this reason.
    #[must_use]
    pub fn because(self, stop: Why) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// The same, put on the wire in this way.
    #[must_use]
    pub fn put(self, manner: Manner) -> Self {
        Self { manner, ..self }
    }

    /// The same, ending like this.
    #[must_use]
    pub fn then(self, after: After) -> Self {
        Self { after, ..self }
    }
}

impl From<Say> for Answer {
    fn from(say: Say) -> Self {
        Self::Say(say)
    }
}

impl From<Fail> for Answer {
    fn from(fail: Fail) -> Self {
        Self::Fail(fail)
    }
}

impl Fail {
    /// The response. `envelope` is how this dialect says what went wrong.
    pub(super) fn response(&self, envelope: impl Fn(u16) -> Value, spend_cap: Value) -> Response {
        match self {
            Self::Status(status, headers) => {
                let mut response = Response::json(*status, &envelope(*status));
                response.headers.extend(headers.iter().cloned());
                response
            }
            Self::SpendCap => Response::json(429, &spend_cap),
            Self::Silence => Response::silence(),
            Self::HangUp => Response { status: 0, headers: Vec::new(), steps: vec![Step::Cut] },
            Self::Page => Response {
                status: 200,
                headers: vec![("content-type", "text/html".to_owned())],
                steps: vec![Step::Send(b"<html>secret-of-the-server</html>".to_vec())],
            },
            Self::Redirect(to) => Response {
                status: 307,
                headers: vec![("location", to.clone())],
                steps: vec![Step::Send(json!({}).to_string().into_bytes())],
            },
        }
    }
}

/// One event as it is written.
pub(super) struct Frame {
    pub(super) name: Option<&'static str>,
    pub(super) data: String,
}

/// What a dialect says between events, and instead of them.
pub(super) struct Odds {
    pub(super) ping: Frame,
    pub(super) strange: Vec<Frame>,
    pub(super) flood: Frame,
    pub(super) error: fn(&str) -> Frame,
}

impl Frame {
    fn text(&self, end: &str) -> String {
        let name = self.name.map(|name| format!("event: {name}{end}")).unwrap_or_default();
        let data = if self.data.is_empty() { format!(":{end}") } else { format!("data: {}{end}", self.data) };
        format!("{name}{data}{end}")
    }
}

/// The steps that put an answer on the wire.
pub(super) fn steps(say: &Say, frames: Vec<Frame>, odds: &Odds) -> Vec<Step> {
    let Manner { chunk, crlf, pings, strange, .. } = say.manner;
    let end = if crlf { "\r\n" } else { "\n" };
    let count = match say.after {
        After::End => frames.len(),
        After::Stall(count)
        | After::Cut(count)
        | After::Stop(count)
        | After::Error(count, _)
        | After::Half(count)
        | After::Drip(count)
        | After::Babble(count) => count.min(frames.len()),
        After::Flood(_) | After::Line(_) => 2.min(frames.len()),
    };
    let mut texts = Vec::new();
    for (number, frame) in frames.iter().take(count).enumerate() {
        texts.push(frame.text(end));
        // Unknown things come before the end, which the last frame is.
        if strange && number + 1 < frames.len() {
            texts.extend(odds.strange.iter().map(|frame| frame.text(end)));
        }
        if pings {
            texts.push(odds.ping.text(end));
        }
    }
    let mut tail = Vec::new();
    match &say.after {
        After::End | After::Stop(_) => {}
        After::Stall(_) => tail.push(Step::Stall),
        After::Cut(_) => tail.push(Step::Cut),
        After::Error(_, kind) => texts.push((odds.error)(kind).text(end)),
        After::Half(_) => {
            if let Some(frame) = frames.get(count) {
                let half = frame.data.chars().take(frame.data.chars().count() / 2).collect();
                texts.push(Frame { name: frame.name, data: half }.text(end));
            }
        }
        After::Flood(megabytes) => {
            let text = odds.flood.text(end).into_bytes();
            let times = (megabytes << 20) / text.len();
            tail.push(Step::Repeat(text, times));
        }
        After::Line(megabytes) => {
            tail.push(Step::Send(b"data: \"".to_vec()));
            tail.push(Step::Repeat(vec![b'x'; 1 << 16], megabytes << 4));
        }
        After::Drip(_) => tail.push(Step::Drip(odds.ping.text(end).into_bytes(), Late::Token)),
        After::Babble(_) => tail.push(Step::Drip(odds.flood.text(end).into_bytes(), Late::End)),
    }
    let mut steps: Vec<Step> = if chunk == 0 {
        texts.into_iter().map(|text| Step::Send(text.into_bytes())).collect()
    } else {
        texts.concat().as_bytes().chunks(chunk).map(|bytes| Step::Send(bytes.to_vec())).collect()
    };
    steps.append(&mut tail);
    steps
}

/// Cuts what is said to a number of tokens; says whether something was cut.
pub(super) fn limit(blocks: &mut Vec<Block>, most: u64) -> bool {
    let mut left = usize::try_from(most).unwrap_or(usize::MAX).saturating_mul(4);
    for (number, block) in blocks.iter_mut().enumerate() {
        let cut = match block {
            Block::Text(text) | Block::Thought(text) | Block::BrokenCall(_, text) => {
                let cut = text.len() > left;
                let end = (0..=left.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
                text.truncate(end.unwrap_or(0));
                cut
            }
            Block::Call(tool, input) => {
                let text = input.to_string();
                let cut = text.len() > left;
                if cut {
                    let end = (0..=left).rev().find(|end| text.is_char_boundary(*end));
                    *block = Block::BrokenCall(tool.clone(), text[..end.unwrap_or(0)].to_owned());
                }
                cut
            }
        };
        if cut {
            blocks.truncate(number + 1);
            return true;
        }
        left -= size(block).min(left);
    }
    false
}

fn size(block: &Block) -> usize {
    match block {
        Block::Text(text) | Block::Thought(text) | Block::BrokenCall(_, text) => text.len(),
        Block::Call(_, input) => input.to_string().len(),
    }
}

/// What a number of bytes is in tokens, here.
pub(super) fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}

/// What was said, in tokens.
pub(super) fn written(blocks: &[Block]) -> u64 {
    tokens(blocks.iter().map(size).sum())
}
