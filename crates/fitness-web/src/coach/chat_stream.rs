//! `POST /api/chat`: sends a message to the coach and streams the reply as server-sent events.
//!
//! For signed-in browsers on our own origin; API tokens are refused. When the browser disconnects
//! the turn is cancelled; what was said by then is stored.

use crate::app::App;
use crate::auth::session::CurrentUser;
use crate::coach::chat::ChatTurn;
use axum::Json;
use axum::extract::State;
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use fitness_coach::agent_loop::TurnEnd;
use fitness_coach::chat::{Card, ChatEvent};
use fitness_coach::model::Cost;
use fitness_coach::tools::{CallStatus, label};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ChatId, UserId};
use fitness_core::domain::note::Author;
use fitness_store::Error;
use serde::Deserialize;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio_stream::Stream;

const TURN_TIMEOUT: Duration = Duration::from_secs(600);

/// Shown when a turn cannot start.
pub(crate) const CHAT_UNAVAILABLE: &str = "The coach can't reply right now. Everything else works.";

/// Resolves when a turn has taken too long.
pub async fn turn_timeout() -> TurnEnd {
    tokio::time::sleep(TURN_TIMEOUT).await;
    TurnEnd::timed_out()
}

/// Resolves when the client disconnects or the turn times out.
pub(crate) async fn disconnect_or_timeout(gone: oneshot::Receiver<()>) -> TurnEnd {
    tokio::select! {
        _ = gone => TurnEnd::cancel(),
        ending = turn_timeout() => ending,
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChatRequest {
    text: String,
    #[serde(default)]
    chat: Option<ChatId>,
    #[serde(default)]
    model: Option<String>,
}

pub(crate) async fn send_message(
    State(app): State<App>,
    current_user: CurrentUser,
    Json(said): Json<ChatRequest>,
) -> Response {
    let user = current_user.user;
    let (events, received) = unbounded_channel();
    let (here, gone) = oneshot::channel();
    // Not aborted on disconnect: `gone` cancels the turn so that it can clean up.
    tokio::spawn(async move {
        if let Err(sentence) = run_turn(&app, user, said, gone, &events).await {
            send_event(&events, "error", &json!({ "message": sentence }));
        }
    });
    let stream = EventStream { events: received, _connected: here };
    Sse::new(stream).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))).into_response()
}

async fn run_turn(
    app: &App,
    user: UserId,
    said: ChatRequest,
    gone: oneshot::Receiver<()>,
    events: &UnboundedSender<SseEvent>,
) -> Result<(), String> {
    let profile = app.store.profile(user).await.map_err(|_| CHAT_UNAVAILABLE)?;
    let now = (app.clock)();
    let today = Day::at(now, profile.zone);
    let (model, caps) = app.coach.open_model(user, said.model.as_deref(), today).await?;
    let coach_api =
        app.store.coach_api(user, Author::Coach, now, &app.base_url).await.map_err(|_| CHAT_UNAVAILABLE)?;
    let mut talk = ChatTurn { store: &app.store, user, chat: said.chat, today, now };
    let chat = talk.ensure_chat(&said.text).await.map_err(|why| why.to_string())?;
    send_event(events, "begun", &json!({ "chat": chat }));
    let mut on_event = |event: ChatEvent<'_>| {
        if let Some(card) = event.card() {
            send_event(events, "card", &card_json(&card));
        }
        match event {
            ChatEvent::Text(text) if !text.is_empty() => send_event(events, "text", &json!({ "text": text })),
            ChatEvent::Text(_)
            | ChatEvent::Spent { .. }
            | ChatEvent::MessageAdded(..)
            | ChatEvent::Ended(_) => {}
            ChatEvent::UnverifiedNumbers { text, numbers } => {
                send_event(events, "unbacked", &json!({ "pieces": text_segments(text, numbers) }))
            }
            ChatEvent::ToolStarted(tool) => send_event(
                events,
                "tool",
                &json!({ "name": tool.name, "words": tool.progress_label, "state": "doing" }),
            ),
            ChatEvent::ToolFinished { tool, result: answer } => {
                let outcome = answer.map_or_else(|why| CallStatus::new(why, true), |_| CallStatus::Done);
                let words = label(tool.name.as_str(), outcome);
                send_event(events, "tool", &json!({ "name": tool.name, "words": words, "state": outcome }));
            }
            ChatEvent::UnknownTool => {
                let words = label("", CallStatus::Refused);
                send_event(
                    events,
                    "tool",
                    &json!({ "name": null, "words": words, "state": CallStatus::Refused }),
                );
            }
        }
    };
    let said =
        talk.run(&said.text, (&*model, caps), &coach_api, disconnect_or_timeout(gone), &mut on_event).await;
    let (chat, turn) = said.map_err(|why| why.to_string())?;
    let unverified: Vec<Value> =
        turn.unverified.iter().map(|range| json!([range.start, range.end])).collect();
    let spent = format_usage(app, user, Some(chat), today).await.unwrap_or_default();
    send_event(
        events,
        "end",
        &json!({
            "chat": chat, "ended": turn.end.reason, "notice": turn.end.notice,
            "answer": turn.reply, "unverified": unverified, "model": model.name(),
            "cost_micros": turn.cost.0, "spent": spent,
        }),
    );
    Ok(())
}

/// The usage of a conversation and of the day; empty when there is none.
pub(crate) async fn format_usage(
    app: &App,
    user: UserId,
    chat: Option<ChatId>,
    today: Day,
) -> Result<String, Error> {
    let day = app.store.usage_on(user, today).await?;
    let describe = |tokens: u64, micros: Option<u64>| match micros {
        Some(micros) => format!("{tokens} tokens, {}", Cost(micros)),
        None => format!("{tokens} tokens"),
    };
    let mut words = Vec::new();
    if let Some(chat) = chat {
        let (tokens, micros) = app.store.chat_usage(user, chat).await?;
        words.extend((tokens > 0).then(|| format!("This conversation: {}.", describe(tokens, micros))));
    }
    if day.tokens() > 0 {
        words.push(format!("Today: {}.", describe(day.tokens(), day.cost_micros)));
    }
    Ok(words.join(" "))
}

/// Splits a text into segments, each marked as an unverified number or not.
fn text_segments(text: &str, numbers: &[Range<usize>]) -> Vec<Value> {
    let (mut pieces, mut at) = (Vec::new(), 0);
    let mut add = |piece: Option<&str>, unbacked: bool| {
        if let Some(piece) = piece.filter(|piece| !piece.is_empty()) {
            pieces.push(json!({ "text": piece, "unbacked": unbacked }));
        }
    };
    for number in numbers {
        add(text.get(at..number.start), false);
        add(text.get(number.clone()), true);
        at = number.end;
    }
    add(text.get(at..), false);
    pieces
}

fn card_json(card: &Card) -> Value {
    match card {
        Card::Draft { id, review } => json!({ "kind": "draft", "plan_id": id, "review": review }),
        Card::Proposal { id, review } => json!({ "kind": "proposal", "proposal_id": id, "review": review }),
    }
}

fn send_event(events: &UnboundedSender<SseEvent>, name: &str, data: &Value) {
    // The client may be gone; then the task is about to end too.
    drop(events.send(SseEvent::default().event(name).data(data.to_string())));
}

/// The response stream. Dropping it, on disconnect, also drops `_connected`, which cancels the
/// turn.
struct EventStream {
    events: UnboundedReceiver<SseEvent>,
    _connected: oneshot::Sender<()>,
}

impl Stream for EventStream {
    type Item = Result<SseEvent, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_recv(context).map(|event| event.map(Ok))
    }
}
