//! `POST /api/chat`: say something to the coach and hear the answer as it comes.
//!
//! For a signed-in browser on one of this server's own pages, and nobody else: a token opens nothing here. When the
//! browser goes away, so does everything that was begun for it; what was said by then is kept.

use crate::app::App;
use crate::auth::session::CurrentUser;
use crate::coach::chat::ChatTurn;
use crate::coach::mcp_host::open_coach_api;
use axum::Json;
use axum::extract::State;
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use fitness_coach::agent_loop::TurnEnd;
use fitness_coach::chat::{Card, Event};
use fitness_coach::model::Cost;
use fitness_coach::tools::{Outcome, label};
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

/// The longest a turn may take.
const TURN_TIMEOUT: Duration = Duration::from_secs(600);

/// What is said where a turn cannot even begin.
pub(crate) const CHAT_UNAVAILABLE: &str = "This cannot be answered just now; everything else works.";

/// How a turn ends that took as long as one may.
pub async fn turn_timeout() -> TurnEnd {
    tokio::time::sleep(TURN_TIMEOUT).await;
    TurnEnd::timed_out()
}

/// How a turn ends that is neither answered nor broken: by the clock, or because whoever waits for it has gone.
pub(crate) async fn disconnect_or_timeout(gone: oneshot::Receiver<()>) -> TurnEnd {
    tokio::select! {
        _ = gone => TurnEnd::cancelled(),
        ending = turn_timeout() => ending,
    }
}

/// What is said.
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
    seat: CurrentUser,
    Json(said): Json<ChatRequest>,
) -> Response {
    let user = seat.user;
    let (tell, heard) = unbounded_channel();
    let (here, gone) = oneshot::channel();
    // It is not aborted when nobody listens: it is told, and ends in good order.
    tokio::spawn(async move {
        if let Err(sentence) = run_turn(&app, user, said, gone, &tell).await {
            send_event(&tell, "error", &json!({ "message": sentence }));
        }
    });
    let stream = EventStream { events: heard, _connected: here };
    Sse::new(stream).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))).into_response()
}

async fn run_turn(
    app: &App,
    user: UserId,
    said: ChatRequest,
    gone: oneshot::Receiver<()>,
    tell: &UnboundedSender<SseEvent>,
) -> Result<(), String> {
    let profile = app.store.profile(user).await.map_err(|_| CHAT_UNAVAILABLE)?;
    let now = (app.clock)();
    let today = Day::at(now, profile.zone);
    let (model, caps) = app.coach.open_model(user, said.model.as_deref(), today).await?;
    let desk = open_coach_api(&app.store, user, Author::Coach, now, &app.base_url)
        .await
        .map_err(|_| CHAT_UNAVAILABLE)?;
    let mut talk = ChatTurn { store: &app.store, user, chat: said.chat, today, now };
    let chat = talk.ensure_chat(&said.text).await.map_err(|why| why.to_string())?;
    send_event(tell, "begun", &json!({ "chat": chat }));
    let mut hear = |event: Event<'_>| {
        if let Some(card) = event.card() {
            send_event(tell, "card", &card_json(&card));
        }
        match event {
            Event::Text(text) if !text.is_empty() => send_event(tell, "text", &json!({ "text": text })),
            Event::Text(_) | Event::Spent { .. } | Event::MessageAdded(..) | Event::Ended(_) => {}
            Event::UnverifiedNumbers { text, numbers } => {
                send_event(tell, "unbacked", &json!({ "pieces": text_segments(text, numbers) }))
            }
            Event::ToolStarted(tool) => send_event(
                tell,
                "tool",
                &json!({ "name": tool.name, "words": tool.progress_label, "state": "doing" }),
            ),
            Event::ToolFinished { tool, result: answer } => {
                let outcome = answer.map_or_else(|why| Outcome::new(why, true), |_| Outcome::Done);
                let words = label(tool.name.as_str(), outcome);
                send_event(tell, "tool", &json!({ "name": tool.name, "words": words, "state": outcome }));
            }
            Event::UnknownTool => {
                let words = label("", Outcome::Refused);
                send_event(tell, "tool", &json!({ "name": null, "words": words, "state": Outcome::Refused }));
            }
        }
    };
    let said = talk.run(&said.text, (&*model, caps), &desk, disconnect_or_timeout(gone), &mut hear).await;
    let (chat, conversed) = said.map_err(|why| why.to_string())?;
    let unverified: Vec<Value> =
        conversed.unverified.iter().map(|range| json!([range.start, range.end])).collect();
    let spent = format_usage(app, user, Some(chat), today).await.unwrap_or_default();
    send_event(
        tell,
        "end",
        &json!({
            "chat": chat, "ended": conversed.end.reason, "notice": conversed.end.notice,
            "answer": conversed.reply, "unverified": unverified, "model": model.name(),
            "cost_micros": conversed.cost.0, "spent": spent,
        }),
    );
    Ok(())
}

/// What a conversation took, and the day with it; empty where nothing did.
pub(crate) async fn format_usage(
    app: &App,
    user: UserId,
    chat: Option<ChatId>,
    today: Day,
) -> Result<String, Error> {
    let day = app.store.usage_on(user, today).await?;
    let told = |tokens: u64, micros: Option<u64>| match micros {
        Some(micros) => format!("{tokens} tokens, {}", Cost(micros)),
        None => format!("{tokens} tokens"),
    };
    let mut words = Vec::new();
    if let Some(chat) = chat {
        let (tokens, micros) = app.store.chat_usage(user, chat).await?;
        words.extend((tokens > 0).then(|| format!("This conversation took {}.", told(tokens, micros))));
    }
    if day.tokens() > 0 {
        words.push(format!("Today: {}.", told(day.tokens(), day.cost_micros)));
    }
    Ok(words.join(" "))
}

/// A text in pieces, each with whether it is a number that nothing backs.
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

fn send_event(tell: &UnboundedSender<SseEvent>, name: &str, data: &Value) {
    // Nobody may be listening any more; then the task is about to end too.
    drop(tell.send(SseEvent::default().event(name).data(data.to_string())));
}

/// What is told; when nobody hears it any more, whoever tells it learns of that, because this is gone.
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
