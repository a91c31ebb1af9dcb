//! A model of either API with its fake service.

use fitness_coach::model::anthropic::Claude;
use fitness_coach::model::catalog::ClaudeModel;
use fitness_coach::model::openai::OpenAiCompatible;
use fitness_coach::model::{
    HttpEnv, Message, Model, ModelError, ModelErrorKind, ModelListener, ModelPart, Reply, Request,
    ResponseSchema, Timeouts, ToolSpec, UserPart,
};
use fitness_coach::testkit::{
    FakeAnthropic, FakeClock, FakeOpenAi, KEY, RecordedRequest, ScriptRequest, ScriptResponse, ToolSupport,
};
use serde_json::json;

/// The three ways in which a request travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Claude,
    Native,
    JsonTools,
}

pub(crate) const TRANSPORTS: [Transport; 3] = [Transport::Claude, Transport::Native, Transport::JsonTools];

pub(crate) enum Fake {
    Anthropic(FakeAnthropic),
    OpenAi(FakeOpenAi),
}

pub(crate) struct Harness {
    pub(crate) fake: Fake,
    pub(crate) model: Box<dyn Model>,
}

pub(crate) fn key() -> secrecy::SecretString {
    KEY.into()
}

pub(crate) fn claude(choice: ClaudeModel, fake: &FakeAnthropic) -> Claude {
    Claude::new(choice, fake.address(), &key(), fake.clock().http_env(), Timeouts::default()).unwrap()
}

pub(crate) fn compatible(fake: &FakeOpenAi) -> OpenAiCompatible {
    OpenAiCompatible::new("local", fake.address(), Some(&key()), fake.clock().http_env(), Timeouts::default())
        .unwrap()
}

impl Harness {
    pub(crate) async fn new<A: Into<ScriptResponse>>(
        way: Transport,
        script: impl FnMut(&ScriptRequest) -> A + Send + 'static,
    ) -> Self {
        match way {
            Transport::Claude => {
                let fake = FakeAnthropic::start(script).await;
                Self { model: Box::new(claude(ClaudeModel::Sonnet, &fake)), fake: Fake::Anthropic(fake) }
            }
            Transport::Native | Transport::JsonTools => {
                let ability =
                    if way == Transport::Native { ToolSupport::Native } else { ToolSupport::Ignored };
                let fake = FakeOpenAi::start(ability, script).await;
                Self { model: Box::new(compatible(&fake)), fake: Fake::OpenAi(fake) }
            }
        }
    }

    /// The same model with other means.
    pub(crate) fn with_env(&self, means: HttpEnv) -> Box<dyn Model> {
        let limits = Timeouts::default();
        match &self.fake {
            Fake::Anthropic(fake) => {
                Box::new(Claude::new(ClaudeModel::Sonnet, fake.address(), &key(), means, limits).unwrap())
            }
            Fake::OpenAi(fake) => {
                Box::new(OpenAiCompatible::new("local", fake.address(), Some(&key()), means, limits).unwrap())
            }
        }
    }

    /// The requests, without the one that finds out whether there are calls.
    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        let mut seen = self.all_requests();
        seen.retain(|seen| !seen.raw_body.contains("say_ready"));
        seen
    }

    pub(crate) fn all_requests(&self) -> Vec<RecordedRequest> {
        match &self.fake {
            Fake::Anthropic(fake) => fake.requests(),
            Fake::OpenAi(fake) => fake.requests(),
        }
    }

    pub(crate) fn clock(&self) -> FakeClock {
        match &self.fake {
            Fake::Anthropic(fake) => fake.clock(),
            Fake::OpenAi(fake) => fake.clock(),
        }
    }

    pub(crate) async fn wait_for_disconnect(&self) {
        match &self.fake {
            Fake::Anthropic(fake) => fake.wait_for_disconnect().await,
            Fake::OpenAi(fake) => fake.wait_for_disconnect().await,
        }
    }

    pub(crate) async fn ask(&self, request: &Request) -> (Result<Reply, ModelError>, RecordingListener) {
        let mut ears = RecordingListener::default();
        let reply = self.model.ask(request, &mut ears).await;
        (reply, ears)
    }

    /// Asks, and says what failed.
    pub(crate) async fn expect_error(&self) -> (ModelErrorKind, ModelError) {
        let error = self.ask(&chat("How was my week?")).await.0.unwrap_err();
        (error.kind, error)
    }
}

/// A listener that remembers.
#[derive(Debug, Default)]
pub(crate) struct RecordingListener {
    pub(crate) text: String,
    pub(crate) thoughts: String,
    pub(crate) calls: Vec<String>,
}

impl ModelListener for RecordingListener {
    fn text(&mut self, more: &str) {
        self.text.push_str(more);
    }
    fn on_thinking(&mut self, more: &str) {
        self.thoughts.push_str(more);
    }
    fn tool_call(&mut self, tool: &str) {
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

pub(crate) fn user_message(text: &str) -> Message {
    Message::Program { parts: vec![UserPart::Text { text: text.to_owned() }] }
}

pub(crate) fn chat(words: &str) -> Request {
    Request {
        system: "You are a coach. Never fabricate.".to_owned(),
        tools: tools(),
        messages: vec![user_message(words)],
        response_schema: None,
        max_tokens: 20_000,
    }
}

pub(crate) fn schema_request(words: &str) -> Request {
    let schema = json!({
        "type": "object",
        "properties": { "tone": { "enum": ["neutral", "direct"] }, "body": { "type": "string", "maxLength": 600 } },
        "required": ["tone", "body"],
        "additionalProperties": false,
    });
    Request {
        tools: Vec::new(),
        response_schema: Some(ResponseSchema { name: "brief", schema }),
        ..chat(words)
    }
}

/// A conversation goes on: what the model said, and what its calls were answered with.
pub(crate) fn append_tool_results(
    request: &mut Request,
    model: &str,
    reply: &Reply,
    answer: impl Fn(&str) -> String,
) {
    let results = reply.parts.iter().filter_map(|part| match part {
        ModelPart::Call { id, tool, .. } => {
            Some(UserPart::Result { call: id.clone(), text: answer(tool), refused: false })
        }
        ModelPart::Text { .. } | ModelPart::Sealed { .. } => None,
    });
    let results = results.collect();
    request.messages.push(Message::Model { name: model.to_owned(), parts: reply.parts.clone() });
    request.messages.push(Message::Program { parts: results });
}
