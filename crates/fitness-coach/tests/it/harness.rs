//! A model of either dialect with the fake behind it.

use fitness_coach::model::anthropic::Claude;
use fitness_coach::model::catalog::Choice;
use fitness_coach::model::openai::Compatible;
use fitness_coach::model::{
    Failing, Limits, Listener, Means, Message, Model, ModelError, Part, Reply, Request, Shape, Told, ToolSpec,
};
use fitness_coach::testkit::{Ability, Answer, Asked, FakeAnthropic, FakeOpenAi, KEY, Seen, Time};
use serde_json::json;

/// The three ways in which a request travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Claude,
    Native,
    Enveloped,
}

pub(crate) const WAYS: [Way; 3] = [Way::Claude, Way::Native, Way::Enveloped];

pub(crate) enum Fake {
    Anthropic(FakeAnthropic),
    OpenAi(FakeOpenAi),
}

pub(crate) struct Rig {
    pub(crate) fake: Fake,
    pub(crate) model: Box<dyn Model>,
}

pub(crate) fn key() -> secrecy::SecretString {
    KEY.into()
}

pub(crate) fn claude(choice: Choice, fake: &FakeAnthropic) -> Claude {
    Claude::new(choice, fake.address(), &key(), fake.time().means(), Limits::default()).unwrap()
}

pub(crate) fn compatible(fake: &FakeOpenAi) -> Compatible {
    Compatible::new("local", fake.address(), Some(&key()), fake.time().means(), Limits::default()).unwrap()
}

impl Rig {
    pub(crate) async fn new<A: Into<Answer>>(
        way: Way,
        script: impl FnMut(&Asked) -> A + Send + 'static,
    ) -> Self {
        match way {
            Way::Claude => {
                let fake = FakeAnthropic::start(script).await;
                Self { model: Box::new(claude(Choice::Sonnet, &fake)), fake: Fake::Anthropic(fake) }
            }
            Way::Native | Way::Enveloped => {
                let ability = if way == Way::Native { Ability::Native } else { Ability::Ignores };
                let fake = FakeOpenAi::start(ability, script).await;
                Self { model: Box::new(compatible(&fake)), fake: Fake::OpenAi(fake) }
            }
        }
    }

    /// The same model with other means.
    pub(crate) fn with(&self, means: Means) -> Box<dyn Model> {
        let limits = Limits::default();
        match &self.fake {
            Fake::Anthropic(fake) => {
                Box::new(Claude::new(Choice::Sonnet, fake.address(), &key(), means, limits).unwrap())
            }
            Fake::OpenAi(fake) => {
                Box::new(Compatible::new("local", fake.address(), Some(&key()), means, limits).unwrap())
            }
        }
    }

    /// The requests, without the one that finds out whether there are calls.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        let mut seen = self.everything_seen();
        seen.retain(|seen| !seen.text.contains("say_ready"));
        seen
    }

    pub(crate) fn everything_seen(&self) -> Vec<Seen> {
        match &self.fake {
            Fake::Anthropic(fake) => fake.seen(),
            Fake::OpenAi(fake) => fake.seen(),
        }
    }

    pub(crate) fn time(&self) -> Time {
        match &self.fake {
            Fake::Anthropic(fake) => fake.time(),
            Fake::OpenAi(fake) => fake.time(),
        }
    }

    pub(crate) async fn left(&self) {
        match &self.fake {
            Fake::Anthropic(fake) => fake.left().await,
            Fake::OpenAi(fake) => fake.left().await,
        }
    }

    pub(crate) async fn ask(&self, request: &Request) -> (Result<Reply, ModelError>, Ears) {
        let mut ears = Ears::default();
        let reply = self.model.ask(request, &mut ears).await;
        (reply, ears)
    }

    /// Asks, and says what failed.
    pub(crate) async fn failing(&self) -> (Failing, ModelError) {
        let error = self.ask(&chat("How was my week?")).await.0.unwrap_err();
        (error.kind, error)
    }
}

/// A listener that remembers.
#[derive(Debug, Default)]
pub(crate) struct Ears {
    pub(crate) text: String,
    pub(crate) thoughts: String,
    pub(crate) calls: Vec<String>,
}

impl Listener for Ears {
    fn text(&mut self, more: &str) {
        self.text.push_str(more);
    }
    fn thought(&mut self, more: &str) {
        self.thoughts.push_str(more);
    }
    fn call(&mut self, tool: &str) {
        self.calls.push(tool.to_owned());
    }
}

pub(crate) fn tools() -> Vec<ToolSpec> {
    let look = json!({
        "type": "object",
        "properties": { "day": { "type": "string", "format": "date" }, "many": { "type": "integer" } },
        "additionalProperties": false,
    });
    let ask = json!({ "type": "object", "properties": { "what": { "type": ["string", "null"] } } });
    vec![
        ToolSpec { name: "look", description: "Looks something up.", input_schema: look },
        ToolSpec { name: "ask", description: "Asks.", input_schema: ask },
    ]
}

pub(crate) fn say(text: &str) -> Message {
    Message::Program { parts: vec![Told::Text { text: text.to_owned() }] }
}

pub(crate) fn chat(words: &str) -> Request {
    Request {
        system: "You are a coach. Never fabricate.".to_owned(),
        tools: tools(),
        messages: vec![say(words)],
        shape: None,
        max_tokens: 20_000,
    }
}

pub(crate) fn shaped(words: &str) -> Request {
    let schema = json!({
        "type": "object",
        "properties": { "tone": { "enum": ["neutral", "direct"] }, "body": { "type": "string", "maxLength": 600 } },
        "required": ["tone", "body"],
        "additionalProperties": false,
    });
    Request { tools: Vec::new(), shape: Some(Shape { name: "brief", schema }), ..chat(words) }
}

/// A conversation goes on: what the model said, and what its calls were answered with.
pub(crate) fn go_on(request: &mut Request, model: &str, reply: &Reply, answer: impl Fn(&str) -> String) {
    let results = reply.parts.iter().filter_map(|part| match part {
        Part::Call { id, tool, .. } => {
            Some(Told::Result { call: id.clone(), text: answer(tool), refused: false })
        }
        Part::Text { .. } | Part::Sealed { .. } => None,
    });
    let results = results.collect();
    request.messages.push(Message::Model { name: model.to_owned(), parts: reply.parts.clone() });
    request.messages.push(Message::Program { parts: results });
}
