//! `GET /coach`: talking with the coach. With a script the answer streams in; without one it is there when the page is.

use crate::app::App;
use crate::coach::chat::{self, ChatTurn, MAX_MESSAGE_CHARS};
use crate::coach::chat_stream::{self, CHAT_UNAVAILABLE};
use crate::coach::mcp_host::open_coach_api;
use crate::components::time;
use crate::http::error::{PageError, to_sentence};
use crate::http::extract::Query;
use crate::http::form::FormFields;
use crate::http::response::{see_other, unprocessable};
use crate::page::{NavItem, PageContext};
use axum::response::Response;
use fitness_coach::chat::Card;
use fitness_coach::model::{Message, ModelPart, UserPart};
use fitness_coach::tools::{Outcome, label};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{ChatId, PlanId, ProposalId, UserId};
use fitness_core::domain::note::Author;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::{PlanStatus, ProposalState};
use fitness_store::{Chat, Error};
use maud::{Markup, html};
use serde::Deserialize;
use std::ops::Range;
use tokio::sync::oneshot;

/// What to say first, when nothing comes to mind.
const SUGGESTED_MESSAGES: [&str; 5] = [
    "What is on today?",
    "How was my week?",
    "How is my form?",
    "Make tomorrow easier.",
    "Predict my finish.",
];

/// Which conversation, and what it is about.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ChatQuery {
    #[serde(default)]
    chat: Option<i64>,
    #[serde(default)]
    about: String,
}

pub(crate) async fn show(view: PageContext, Query(asked): Query<ChatQuery>) -> Result<Response, PageError> {
    let chats = view.store().list_chats(view.user()).await?;
    let chosen = match asked.chat {
        Some(id) => Some(chats.iter().find(|chat| chat.id.get() == id).ok_or_else(PageError::not_found)?),
        None => None,
    };
    let said = opening_message(&view, &asked.about).await?;
    Ok(view.page(NavItem::Coach, "Coach", &page(&view, &chats, chosen, &said, None).await?))
}

/// What is said first about something the athlete came from.
async fn opening_message(view: &PageContext, about: &str) -> Result<String, PageError> {
    let Some((kind, id)) = about.split_once(':').and_then(|(kind, id)| Some((kind, id.parse::<i64>().ok()?)))
    else {
        return Ok(String::new());
    };
    Ok(match kind {
        "activity" => {
            let found = view
                .store()
                .find_activity(view.user(), fitness_core::domain::ids::ActivityId::new(id))
                .await?;
            found.map(|found| format!("How was my activity {id} on {}?", found.day)).unwrap_or_default()
        }
        "proposal" => format!("I would like proposal {id} to be different: "),
        "workout" => format!("What should I watch for in workout {id}?"),
        _ => String::new(),
    })
}

/// `POST /coach`: the way without a script.
pub(crate) async fn send_message(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let chat = fields.get_trimmed("chat").and_then(|id| id.parse().ok()).map(ChatId::new);
    let text = fields.get_trimmed("text").unwrap_or_default();
    let (here, gone) = oneshot::channel();
    let asking = run_turn(
        view.app.clone(),
        (view.user(), view.today, view.now),
        chat,
        gone,
        (text.to_owned(), fields.get_trimmed("model").map(str::to_owned)),
    );
    // It is not aborted when the browser goes away: it is told, and ends in good order.
    let asking = tokio::spawn(asking);
    let said = asking.await.unwrap_or_else(|_| Err(CHAT_UNAVAILABLE.to_owned()));
    drop(here);
    match said {
        Ok(chat) => Ok(see_other(&format!("/coach?chat={chat}#last"))),
        Err(why) => {
            let chats = view.store().list_chats(view.user()).await?;
            let chosen = chats.iter().find(|known| Some(known.id) == chat);
            let body = page(&view, &chats, chosen, text, Some(&why)).await?;
            Ok(unprocessable(view.page(NavItem::Coach, "Coach", &body)))
        }
    }
}

async fn run_turn(
    app: App,
    (user, today, now): (UserId, Day, Instant),
    chat: Option<ChatId>,
    gone: oneshot::Receiver<()>,
    (text, model): (String, Option<String>),
) -> Result<ChatId, String> {
    let (model, caps) = app.coach.open_model(user, model.as_deref(), today).await?;
    let desk = open_coach_api(&app.store, user, Author::Coach, now, &app.base_url)
        .await
        .map_err(|_| CHAT_UNAVAILABLE)?;
    let talk = ChatTurn { store: &app.store, user, chat, today, now };
    let said =
        talk.run(&text, (&*model, caps), &desk, chat_stream::disconnect_or_timeout(gone), &mut |_| {}).await;
    let (chat, conversed) = said.map_err(|why| to_sentence(&why))?;
    match conversed.end.notice {
        Some(notice) if conversed.reply.is_empty() => Err(notice),
        _ => Ok(chat),
    }
}

async fn page(
    view: &PageContext,
    chats: &[Chat],
    chosen: Option<&Chat>,
    draft: &str,
    problem: Option<&str>,
) -> Result<Markup, PageError> {
    let (who, choices) = view.app.coach.describe(view.user()).await;
    let spent =
        chat_stream::format_usage(&view.app, view.user(), chosen.map(|chat| chat.id), view.today).await?;
    Ok(html! {
        div.row.head { h1 { "Coach" } span.soft { (escape_invisible(&who)) } }
        div.talk {
            section.card aria-label="Conversation" {
                div #log role="log" aria-label="What was said" {
                    @match chosen {
                        Some(chat) => (render_history(view, chat).await?),
                        None => p.soft { "Ask about today, your week or your form, or ask for a change. The coach can draft and propose; only you decide." },
                    }
                }
                @if let Some(problem) = problem { p.fault role="alert" { (escape_invisible(problem)) } }
                form #say method="post" action="/coach" data-chat=[chosen.map(|chat| chat.id.to_string())] {
                    (view.token_field())
                    @if let Some(chat) = chosen { input type="hidden" name="chat" value=(chat.id); }
                    label for="text" { "Your message" }
                    textarea #text name="text" rows="2" maxlength=(MAX_MESSAGE_CHARS) required { (draft) }
                    div.row {
                        @if choices.len() > 1 {
                            label.hidden for="model" { "Who answers" }
                            select #model name="model" { @for name in &choices { option value=(name) { (escape_invisible(name)) } } }
                        }
                        button.primary type="submit" { "Send" }
                        button #stop type="button" hidden { "Stop" }
                        span #cost.soft.small { (spent) }
                    }
                }
                @if chosen.is_none() {
                    div.row #openings { @for words in SUGGESTED_MESSAGES {
                        form.inline method="post" action="/coach" { (view.token_field()) input type="hidden" name="text" value=(words); button.small type="submit" { (words) } }
                    } }
                }
            }
            aside.card {
                h2 { "Conversations" }
                p { a.btn.small href="/coach" { "New conversation" } }
                ul.plain { @for chat in chats.iter().take(20) {
                    li { a href={ "/coach?chat=" (chat.id) } aria-current=[(chosen.map(|chosen| chosen.id) == Some(chat.id)).then_some("page")] { (escape_invisible(&chat.title)) } br; span.faint.small { (time::clock_or_date(chat.started_at, view.profile.zone, view.today)) } }
                } }
            }
        }
    })
}

/// The conversation so far: words, what was looked up, and what was left to decide.
async fn render_history(view: &PageContext, chat: &Chat) -> Result<Markup, PageError> {
    let messages = view.store().list_chat_messages(view.user(), chat.id).await?;
    let messages = chat::messages_with_marks(messages).await?;
    let mut shown = Vec::new();
    for (at, (message, unverified)) in messages.iter().enumerate() {
        // Every call is answered in the message behind it.
        let answers = messages.get(at + 1).map(|(next, _)| next);
        shown.push(match message {
            Message::Program { parts } => {
                let mut told = Vec::new();
                for part in parts {
                    told.push(match part {
                        UserPart::Text { text } => html! { div.said.you { p { (render_text(text, &[])) } } },
                        UserPart::Result { refused: true, .. } => html! {},
                        UserPart::Result { text, .. } => decision_card(view, text).await?,
                    });
                }
                html! { @for one in told { (one) } }
            }
            Message::Model { name, parts } => html! {
                @for (at, part) in parts.iter().enumerate() {
                    @match part {
                        ModelPart::Text { text } => div.said.coach { p.who { (escape_invisible(name)) } p { (render_text(text, unverified.get(at).map_or(&[], Vec::as_slice))) } },
                        ModelPart::Call { id, tool, .. } => (tool_call_line(tool, call_outcome(id, answers))),
                        ModelPart::Sealed { .. } => {}
                    }
                }
            },
        });
    }
    Ok(html! { @for one in shown { (one) } span #last {} })
}

/// What became of a call.
fn call_outcome(id: &str, answers: Option<&Message>) -> Outcome {
    let Some(Message::Program { parts }) = answers else { return Outcome::Stopped };
    let answer = parts.iter().find_map(|part| match part {
        UserPart::Result { call, text, refused } if call == id => Some(Outcome::new(text, *refused)),
        _ => None,
    });
    answer.unwrap_or(Outcome::Stopped)
}

fn tool_call_line(tool: &str, outcome: Outcome) -> Markup {
    let done = outcome == Outcome::Done;
    html! { p.step.refused[!done] { i aria-hidden="true" { (if done { "✓" } else { "✕" }) } " " (label(tool, outcome)) } }
}

/// What a tool answered: only what waits for a decision is shown, with what has become of it.
async fn decision_card(view: &PageContext, text: &str) -> Result<Markup, PageError> {
    let Some(card) = serde_json::from_str(text).ok().and_then(|answer| Card::from_tool_result(&answer))
    else {
        return Ok(html! {});
    };
    let (state, to, label) = match &card {
        Card::Draft { id, .. } => {
            let plan = view.store().find_plan(view.user(), PlanId::new(*id)).await?;
            let state = plan.map_or("gone", |plan| match plan.status {
                PlanStatus::Draft if plan.superseded_by.is_some() => "superseded",
                PlanStatus::Draft => "waits for you",
                PlanStatus::Active => "committed",
                PlanStatus::Archived => "archived",
            });
            (state.to_owned(), format!("/plans/{id}"), format!("Draft {id}"))
        }
        Card::Proposal { id, .. } => {
            let proposal = view.store().find_proposal(view.user(), ProposalId::new(*id)).await;
            let proposal = match proposal {
                Err(Error::NotFound(_)) => None,
                other => other?,
            };
            let revision = view.store().find_active_plan(view.user()).await?.map_or(0, |plan| plan.revision);
            let state = proposal.map_or_else(
                || "gone".to_owned(),
                |one| match one.state(revision, view.today) {
                    ProposalState::Open => "waits for you".to_owned(),
                    state => state.to_string(),
                },
            );
            (state, format!("/proposals/{id}"), format!("Proposal {id}"))
        }
    };
    Ok(html! {
        div.card.waits.left { div.row {
            span.chip.draft { i aria-hidden="true" { "◇" } " " (label) }
            span { (state) }
            a.btn.small.push href=(to) { "Review" }
        } p.small.soft { "The coach cannot commit. You decide." } }
    })
}

/// Text with its lines kept and the numbers marked that nothing backs.
fn render_text(text: &str, unverified: &[Range<usize>]) -> Markup {
    let mut at = 0;
    let mut pieces = Vec::new();
    for range in unverified {
        if let (Some(before), Some(number)) = (text.get(at..range.start), text.get(range.clone())) {
            pieces.push((before, Some(number)));
            at = range.end;
        }
    }
    pieces.push((text.get(at..).unwrap_or_default(), None));
    html! {
        @for (before, number) in pieces {
            @for (at, line) in before.split('\n').enumerate() { @if at > 0 { br; } (escape_invisible(line)) }
            @if let Some(number) = number { mark title="Not backed by your data" { (escape_invisible(number)) span.hidden { " (not backed by your data)" } } }
        }
    }
}
