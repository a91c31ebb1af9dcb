//! `GET /coach`: chat with the coach. With JavaScript the reply streams in; without it the page
//! reloads.

use crate::app::App;
use crate::coach::chat::{self, ChatTurn, MAX_MESSAGE_CHARS};
use crate::coach::chat_stream::{self, CHAT_UNAVAILABLE};
use crate::components::matched_workouts;
use crate::components::time;
use crate::http::error::{PageError, to_sentence};
use crate::http::extract::Query;
use crate::http::form::FormFields;
use crate::http::response::{see_other, unprocessable};
use crate::page::{NavItem, PageContext};
use crate::pages::plan::proposal::state_label;
use axum::response::Response;
use fitness_coach::chat::Card;
use fitness_coach::model::{Message, ModelPart, UserPart};
use fitness_coach::settings::model_label;
use fitness_coach::tools::{CallStatus, label};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{ActivityId, ChatId, PlanId, ProposalId, UserId, WorkoutId};
use fitness_core::domain::note::Author;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::{PlanStatus, ProposalState, Workout, WorkoutKind};
use fitness_store::{Chat, Error};
use maud::{Markup, html};
use serde::Deserialize;
use std::ops::Range;
use tokio::sync::oneshot;

/// Messages offered as buttons in a new conversation.
const SUGGESTED_MESSAGES: [&str; 5] = [
    "What is on today?",
    "How was my week?",
    "How is my form?",
    "Make tomorrow easier.",
    "Predict my finish time.",
];

#[derive(Debug, Default, Deserialize)]
pub(crate) struct ChatQuery {
    #[serde(default)]
    chat: Option<i64>,
    /// What to prefill the message about: `activity:12`, `workout:30`, `proposal:3`.
    #[serde(default)]
    about: String,
}

pub(crate) async fn show(view: PageContext, Query(asked): Query<ChatQuery>) -> Result<Response, PageError> {
    let chats = view.store().list_chats(view.user()).await?;
    let chosen = match asked.chat {
        Some(id) => Some(chats.iter().find(|chat| chat.id.get() == id).ok_or_else(PageError::not_found)?),
        None => None,
    };
    let message = prefilled_message(&view, &asked.about).await?;
    Ok(view.page(NavItem::Coach, "Coach", &page(&view, &chats, chosen, &message, None).await?))
}

/// A message about the page the athlete came from. It has no names of activities or workouts: those
/// may come from outside, and the message counts as the athlete's own words.
async fn prefilled_message(view: &PageContext, about: &str) -> Result<String, PageError> {
    let Some((kind, id)) = about.split_once(':').and_then(|(kind, id)| Some((kind, id.parse::<i64>().ok()?)))
    else {
        return Ok(String::new());
    };
    let (store, user, today) = (view.store(), view.user(), view.today);
    Ok(match kind {
        "activity" => {
            let id = ActivityId::new(id);
            let Some(found) = store.find_activity(user, id).await? else { return Ok(String::new()) };
            let (before, after) = (found.day.previous(), found.day.next());
            let matched = matched_workouts::load(view, before, after).await?.remove(&id);
            let noun = match matched {
                Some(matched) => workout_noun(&matched.planned.workout),
                None => sport_noun(found.activity.sport),
            };
            format!("How was {}?", noun_on_day(noun, found.day, today))
        }
        "workout" => {
            let id = WorkoutId::new(id);
            let Some(plan) = store.find_plan_with_workout(user, id).await? else { return Ok(String::new()) };
            let workouts = store.list_workouts(user, plan.id, plan.revision).await?;
            let Some(planned) = workouts.iter().find(|planned| planned.id == id) else {
                return Ok(String::new());
            };
            let noun = workout_noun(&planned.workout);
            format!("Any tips for {}?", noun_on_day(noun, planned.workout.date, today))
        }
        "proposal" => "I'd like a different change to my plan: ".to_owned(),
        _ => String::new(),
    })
}

/// `long run`, in words of our own.
const fn workout_noun(workout: &Workout) -> &'static str {
    match workout.kind {
        WorkoutKind::Rest => "rest day",
        WorkoutKind::Long => "long run",
        WorkoutKind::Tempo => "tempo run",
        WorkoutKind::Intervals => "interval session",
        WorkoutKind::Hills => "hill session",
        WorkoutKind::RacePace => "race pace run",
        WorkoutKind::Race => "race",
        WorkoutKind::Easy if matches!(workout.sport, Sport::Running) => "easy run",
        WorkoutKind::Recovery if matches!(workout.sport, Sport::Running) => "recovery run",
        _ => sport_noun(workout.sport),
    }
}

const fn sport_noun(sport: Sport) -> &'static str {
    match sport {
        Sport::Running => "run",
        Sport::Cycling => "ride",
        Sport::Swimming => "swim",
        Sport::Rowing => "rowing session",
        Sport::Strength => "strength session",
        Sport::Other => "workout",
        Sport::Rest => "rest day",
    }
}

/// `today's easy run`, `Sunday's long run`, `the long run on 15 November`. The weekday is used
/// within six days of today, where it can only mean one day.
fn noun_on_day(noun: &str, day: Day, today: Day) -> String {
    match today.days_until(day) {
        0 => format!("today's {noun}"),
        1 => format!("tomorrow's {noun}"),
        -1 => format!("yesterday's {noun}"),
        -6..=6 => format!("{}'s {noun}", day.date().format("%A")),
        _ => format!("the {noun} on {}", day.date().format("%-d %B %Y")),
    }
}

/// `POST /coach`: sends a message without JavaScript.
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
    // Spawned, so that a disconnect cancels the turn through `gone` instead of aborting it.
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
    let desk =
        app.store.coach_api(user, Author::Coach, now, &app.base_url).await.map_err(|_| CHAT_UNAVAILABLE)?;
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
                div #log role="log" aria-label="Messages" {
                    @match chosen {
                        Some(chat) => (render_history(view, chat).await?),
                        None => p.soft { "Ask about today, your week or your form, or ask for a change. The coach drafts plans and proposes changes; you decide." },
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
                            label.hidden for="model" { "Model" }
                            select #model name="model" { @for name in &choices { option value=(name) { (escape_invisible(&model_label(name))) } } }
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

/// Messages, tool calls, and cards for drafts and proposals.
async fn render_history(view: &PageContext, chat: &Chat) -> Result<Markup, PageError> {
    let messages = view.store().list_chat_messages(view.user(), chat.id).await?;
    let messages = chat::messages_with_marks(messages).await?;
    let mut shown = Vec::new();
    for (at, (message, unverified)) in messages.iter().enumerate() {
        // The results of tool calls are in the next message.
        let results = messages.get(at + 1).map(|(next, _)| next);
        shown.push(match message {
            Message::Program { parts } => {
                let mut rendered = Vec::new();
                for part in parts {
                    rendered.push(match part {
                        UserPart::Text { text } => html! { div.said.you { p { (render_text(text, &[])) } } },
                        UserPart::Result { refused: true, .. } => html! {},
                        UserPart::Result { text, .. } => decision_card(view, text).await?,
                    });
                }
                html! { @for one in rendered { (one) } }
            }
            Message::Model { name, parts } => html! {
                @for (at, part) in parts.iter().enumerate() {
                    @match part {
                        ModelPart::Text { text } => div.said.coach { p.who { (escape_invisible(name)) } p { (render_text(text, unverified.get(at).map_or(&[], Vec::as_slice))) } },
                        ModelPart::Call { id, tool, .. } => (tool_call_line(tool, call_outcome(id, results))),
                        ModelPart::Sealed { .. } => {}
                    }
                }
            },
        });
    }
    Ok(html! { @for one in shown { (one) } span #last {} })
}

fn call_outcome(id: &str, results: Option<&Message>) -> CallStatus {
    let Some(Message::Program { parts }) = results else { return CallStatus::Stopped };
    let outcome = parts.iter().find_map(|part| match part {
        UserPart::Result { call, text, refused } if call == id => Some(CallStatus::new(text, *refused)),
        _ => None,
    });
    outcome.unwrap_or(CallStatus::Stopped)
}

fn tool_call_line(tool: &str, outcome: CallStatus) -> Markup {
    let done = outcome == CallStatus::Done;
    html! { p.step.refused[!done] { i aria-hidden="true" { (if done { "✓" } else { "✕" }) } " " (label(tool, outcome)) } }
}

/// A card for a tool result that is a draft or a proposal, with its current state.
async fn decision_card(view: &PageContext, text: &str) -> Result<Markup, PageError> {
    let Some(card) = serde_json::from_str(text).ok().and_then(|result| Card::from_tool_result(&result))
    else {
        return Ok(html! {});
    };
    let (state, to, label) = match &card {
        Card::Draft { id, .. } => {
            let plan = view.store().find_plan(view.user(), PlanId::new(*id)).await?;
            let state = plan.map_or("deleted", |plan| match plan.status {
                PlanStatus::Draft if plan.superseded_by.is_some() => "replaced",
                PlanStatus::Draft => "needs your decision",
                PlanStatus::Active => "active",
                PlanStatus::Archived => "archived",
            });
            (state.to_owned(), format!("/plans/{id}"), "Draft")
        }
        Card::Proposal { id, .. } => {
            let proposal = view.store().find_proposal(view.user(), ProposalId::new(*id)).await;
            let proposal = match proposal {
                Err(Error::NotFound(_)) => None,
                other => other?,
            };
            let revision = view.store().find_active_plan(view.user()).await?.map_or(0, |plan| plan.revision);
            let state = proposal.map_or_else(
                || "deleted".to_owned(),
                |one| match one.state(revision, view.today) {
                    ProposalState::Open => "needs your decision".to_owned(),
                    state => state_label(state).to_lowercase(),
                },
            );
            (state, format!("/proposals/{id}"), "Proposal")
        }
    };
    Ok(html! {
        div.card.waits.left { div.row {
            span.chip.draft { i aria-hidden="true" { "◇" } " " (label) }
            span { (state) }
            a.btn.small.push href=(to) { "Review" }
        } }
    })
}

/// Text with line breaks, and marks on numbers that the athlete's data does not back.
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

#[cfg(test)]
mod tests {
    use super::noun_on_day;
    use fitness_core::domain::calendar::Day;

    #[test]
    fn day_is_named_as_people_say_it() {
        let today: Day = "2026-11-17".parse().unwrap();
        for (day, expected) in [
            ("2026-11-17", "today's run"),
            ("2026-11-18", "tomorrow's run"),
            ("2026-11-16", "yesterday's run"),
            ("2026-11-15", "Sunday's run"),
            ("2026-11-22", "Sunday's run"),
            ("2026-11-10", "the run on 10 November 2026"),
        ] {
            assert_eq!(noun_on_day("run", day.parse().unwrap(), today), expected);
        }
    }
}
