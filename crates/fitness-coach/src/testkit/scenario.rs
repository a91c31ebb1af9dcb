//! Scripted replies, shared by both fake APIs.

use fitness_http::testkit::{LatePart, Response, ResponseStep};
use serde_json::{Value, json};

pub(super) type Script = Box<dyn FnMut(&ScriptRequest) -> ScriptResponse + Send>;

/// A request as a script sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptRequest {
    /// Which request this is that the script is asked about, counted from 1.
    pub number: usize,
    /// Which model is asked.
    pub model: String,
    /// What it is told it is.
    pub system: String,
    /// The names of the tools, in order.
    pub tools: Vec<String>,
    /// The schema of the answer, where it must have one.
    pub response_schema: Option<Value>,
    /// What tools answered in the last turn.
    pub results: Vec<String>,
    /// The words of the last turn.
    pub last_text: String,
    pub body: Value,
}

/// What comes of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptResponse {
    Say(ScriptedReply),
    Fail(ScriptedFailure),
}

#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedReply {
    /// What is said, in order.
    pub blocks: Vec<Block>,
    /// Why it stops; without it, because it is done or because of its calls.
    pub stop: Option<ScriptedStop>,
    /// How it is put on the wire.
    pub format: WireFormat,
    /// How it ends there.
    pub end: StreamEnd,
}

/// Something that is said.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    Text(String),
    Thought(String),
    Call(String, Value),
    /// A call whose input is this text, JSON or not.
    BrokenCall(String, String),
}

/// Why an answer stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptedStop {
    /// It reached the limit.
    Length,
    /// It declines, for this reason.
    Refusal(String),
    Pause,
    /// In a way nobody has heard of.
    Unknown,
}

/// How an answer is put on the wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WireFormat {
    /// So many bytes in a chunk; 0 for an event in a chunk.
    pub chunk: usize,
    /// Whether lines end in two characters.
    pub crlf: bool,
    /// Whether there is a sign of life between any two events.
    pub pings: bool,
    /// Whether there are events and deltas that nobody knows.
    pub unknown_events: bool,
    /// Whether it does not say what it took, where a server may leave that out.
    pub omit_usage: bool,
}

/// How an answer ends on the wire, after so many of its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamEnd {
    End,
    Stall(usize),
    /// The connection is cut.
    Cut(usize),
    /// The body ends as if it were whole.
    Stop(usize),
    /// An error of this type comes.
    Error(usize, &'static str),
    /// Half an event comes as if it were whole.
    HalfEvent(usize),
    /// So many megabytes of words come.
    Flood(usize),
    /// So many megabytes come that are one line.
    LongLine(usize),
    /// Signs of life come, and nothing else, without end.
    Drip(usize),
    /// Words come without end, slowly.
    Babble(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptedFailure {
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

impl ScriptedFailure {
    /// A status, without headers.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::Status(status, Vec::new())
    }
}

impl ScriptedReply {
    #[must_use]
    pub fn new(blocks: Vec<Block>) -> Self {
        Self { blocks, stop: None, format: WireFormat::default(), end: StreamEnd::End }
    }

    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(vec![Block::Text(text.into())])
    }

    #[must_use]
    pub fn call(tool: impl Into<String>, input: Value) -> Self {
        Self::new(vec![Block::Call(tool.into(), input)])
    }

    /// The same, and this.
    #[must_use]
    pub fn with_block(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    /// The same, for this reason.
    #[must_use]
    pub fn with_stop(self, stop: ScriptedStop) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// The same, put on the wire in this way.
    #[must_use]
    pub fn with_format(self, manner: WireFormat) -> Self {
        Self { format: manner, ..self }
    }

    /// The same, ending like this.
    #[must_use]
    pub fn with_end(self, after: StreamEnd) -> Self {
        Self { end: after, ..self }
    }
}

impl From<ScriptedReply> for ScriptResponse {
    fn from(say: ScriptedReply) -> Self {
        Self::Say(say)
    }
}

impl From<ScriptedFailure> for ScriptResponse {
    fn from(fail: ScriptedFailure) -> Self {
        Self::Fail(fail)
    }
}

impl ScriptedFailure {
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
            Self::HangUp => Response { steps: vec![ResponseStep::Cut], ..Response::status(0) },
            Self::Page => Response::bytes("text/html", b"<html>secret-of-the-server</html>".to_vec()),
            Self::Redirect(to) => {
                Response { headers: vec![("location", to.clone())], ..Response::json(307, &json!({})) }
            }
        }
    }
}

/// One event as it is written.
pub(super) struct Frame {
    pub(super) name: Option<&'static str>,
    pub(super) data: String,
}

/// What a dialect says between events, and instead of them.
pub(super) struct SpecialFrames {
    pub(super) ping: Frame,
    pub(super) unknown: Vec<Frame>,
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
pub(super) fn steps(say: &ScriptedReply, frames: Vec<Frame>, odds: &SpecialFrames) -> Vec<ResponseStep> {
    let WireFormat { chunk, crlf, pings, unknown_events: strange, .. } = say.format;
    let end = if crlf { "\r\n" } else { "\n" };
    let count = match say.end {
        StreamEnd::End => frames.len(),
        StreamEnd::Stall(count)
        | StreamEnd::Cut(count)
        | StreamEnd::Stop(count)
        | StreamEnd::Error(count, _)
        | StreamEnd::HalfEvent(count)
        | StreamEnd::Drip(count)
        | StreamEnd::Babble(count) => count.min(frames.len()),
        StreamEnd::Flood(_) | StreamEnd::LongLine(_) => 2.min(frames.len()),
    };
    let mut texts = Vec::new();
    for (number, frame) in frames.iter().take(count).enumerate() {
        texts.push(frame.text(end));
        // Unknown things come before the end, which the last frame is.
        if strange && number + 1 < frames.len() {
            texts.extend(odds.unknown.iter().map(|frame| frame.text(end)));
        }
        if pings {
            texts.push(odds.ping.text(end));
        }
    }
    let mut tail = Vec::new();
    match &say.end {
        StreamEnd::End | StreamEnd::Stop(_) => {}
        StreamEnd::Stall(_) => tail.push(ResponseStep::Stall),
        StreamEnd::Cut(_) => tail.push(ResponseStep::Cut),
        StreamEnd::Error(_, kind) => texts.push((odds.error)(kind).text(end)),
        StreamEnd::HalfEvent(_) => {
            if let Some(frame) = frames.get(count) {
                let half = frame.data.chars().take(frame.data.chars().count() / 2).collect();
                texts.push(Frame { name: frame.name, data: half }.text(end));
            }
        }
        StreamEnd::Flood(megabytes) => {
            let text = odds.flood.text(end).into_bytes();
            let times = (megabytes << 20) / text.len();
            tail.push(ResponseStep::Repeat(text, times));
        }
        StreamEnd::LongLine(megabytes) => {
            tail.push(ResponseStep::Send(b"data: \"".to_vec()));
            tail.push(ResponseStep::Repeat(vec![b'x'; 1 << 16], megabytes << 4));
        }
        StreamEnd::Drip(_) => {
            tail.push(ResponseStep::Drip(odds.ping.text(end).into_bytes(), LatePart::Token))
        }
        StreamEnd::Babble(_) => {
            tail.push(ResponseStep::Drip(odds.flood.text(end).into_bytes(), LatePart::End))
        }
    }
    let mut steps: Vec<ResponseStep> = if chunk == 0 {
        texts.into_iter().map(|text| ResponseStep::Send(text.into_bytes())).collect()
    } else {
        texts.concat().as_bytes().chunks(chunk).map(|bytes| ResponseStep::Send(bytes.to_vec())).collect()
    };
    steps.append(&mut tail);
    steps
}

/// Cuts what is said to a number of tokens; says whether something was cut.
pub(super) fn truncate_blocks(blocks: &mut Vec<Block>, most: u64) -> bool {
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
pub(super) fn tokens_of_bytes(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}

/// What was said, in tokens.
pub(super) fn output_tokens(blocks: &[Block]) -> u64 {
    tokens_of_bytes(blocks.iter().map(size).sum())
}
