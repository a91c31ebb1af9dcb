//! Stored conversations: loads the history, runs a turn and stores its messages. Used by the server
//! and the terminal.

use crate::coach::budgeted_model::{BudgetedModel, PendingUsageWrites};
use chrono::TimeDelta;
use fitness_coach::agent_loop::{Turn, TurnEnd, TurnLimits, TurnStep};
use fitness_coach::chat::{self, ChatEvent, MAX_HISTORY_BYTES, TurnInput, TurnOutcome, UnverifiedRanges};
use fitness_coach::model::{Cost, Message, Model, Request, Usage, UserPart};
use fitness_coach::prompt::{Prompt, PromptName, delimit};
use fitness_core::coach_api::CoachApi as _;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{ChatId, UserId};
use fitness_core::domain::note::Note;
use fitness_store::{ChatMessage, Error, ModelUsage, Purpose, RecordKind, Role, Store, StoreCoachApi};
use serde_json::{Value, json};
use std::future::Future;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Notes sent along with a message.
const MAX_NOTES: usize = 20;
const MAX_NOTE_CHARS: usize = 1000;

pub const MAX_MESSAGE_CHARS: usize = 8000;

/// One message of an athlete and the coach's reply.
#[derive(Debug)]
pub struct ChatTurn<'a> {
    pub store: &'a Store,
    pub user: UserId,
    /// `None` starts a new conversation.
    pub chat: Option<ChatId>,
    pub today: Day,
    pub now: Instant,
}

#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    #[error("write a message of at most {MAX_MESSAGE_CHARS} characters")]
    Length,
    #[error(transparent)]
    Store(#[from] Error),
}

impl ChatTurn<'_> {
    /// Creates the conversation before the turn runs, so that it can be found again when the client
    /// disconnects.
    ///
    /// # Errors
    /// `Length`; `NotFound` when the conversation does not exist or belongs to someone else.
    pub async fn ensure_chat(&mut self, text: &str) -> Result<ChatId, ChatError> {
        let text = validate_message(text)?;
        let chat = match self.chat {
            Some(chat) if self.store.list_chats(self.user).await?.iter().any(|known| known.id == chat) => {
                chat
            }
            Some(_) => return Err(Error::NotFound(RecordKind::Chat).into()),
            None => self.store.start_chat(self.user, &title(text), self.now).await?,
        };
        self.chat = Some(chat);
        Ok(chat)
    }

    /// Runs a turn. The athlete's message is stored before the model is called, replies and tool
    /// results as they arrive, so that nothing is lost when the client disconnects. Usage is
    /// reserved before each request and settled as soon as it is known, also when this future is
    /// dropped.
    ///
    /// # Errors
    /// `Length`; `NotFound` when the conversation does not exist or belongs to someone else.
    pub async fn run(
        &self,
        text: &str,
        (model, caps): (&dyn Model, TurnLimits),
        coach_api: &StoreCoachApi,
        until: impl Future<Output = TurnEnd> + Send,
        on_event: &mut (dyn FnMut(ChatEvent<'_>) + Send),
    ) -> Result<(ChatId, TurnOutcome), ChatError> {
        let text = validate_message(text)?;
        let (chat, history) = match self.chat {
            Some(chat) => (chat, self.load_history(chat).await?),
            None => (self.store.start_chat(self.user, &title(text), self.now).await?, Vec::new()),
        };
        let said = Message::Program { parts: vec![UserPart::Text { text: text.to_owned() }] };
        let writer = ChatMessageWriter { store: self.store.clone(), user: self.user, chat, now: self.now };
        writer.write(&said, &UnverifiedRanges::new(), None, 0).await?;
        let history = chat::compact(history, MAX_HISTORY_BYTES);
        let (system, context) = (system_prompt(), Some(self.build_context(coach_api).await?));
        let opening = TurnInput { system, history, context, message: text.to_owned(), caps };
        let budgeted = BudgetedModel {
            model,
            store: self.store,
            user: self.user,
            purpose: Purpose::Chat,
            day: self.today,
            now: self.now,
            daily_budget: caps.daily_budget,
            pending_usage: PendingUsageWrites::default(),
        };
        let (sender, receiver) = unbounded_channel();
        let writing = tokio::spawn(writer.write_all(receiver, model.name().to_owned()));
        let mut store_or_forward = |event: ChatEvent<'_>| match event {
            // The writer outlives the turn; a failed write is reported when it is joined.
            ChatEvent::MessageAdded(message, marks) => drop(sender.send((message, marks))),
            other => on_event(other),
        };
        let outcome = chat::run_turn(&budgeted, coach_api, opening, until, &mut store_or_forward).await;
        budgeted.flush_usage().await;
        drop(sender);
        writing.await.map_err(|why| Error::Unreadable(why.to_string()))??;
        Ok((chat, outcome))
    }

    async fn load_history(&self, chat: ChatId) -> Result<Vec<Message>, Error> {
        let known = self.store.list_chats(self.user).await?.iter().any(|known| known.id == chat);
        if !known {
            return Err(Error::NotFound(RecordKind::Chat));
        }
        let messages = self.store.list_chat_messages(self.user, chat).await?;
        // Includes messages of failed turns: otherwise a tool that already ran would run again, and
        // "try again" would have nothing to refer to.
        Ok(parse_messages(messages))
    }

    /// Today's date, data status and notes. Part of the message and not of the system prompt, which
    /// must stay the same to be cached.
    async fn build_context(&self, coach_api: &StoreCoachApi) -> Result<String, Error> {
        let today = format!("{} {}", self.today.weekday(), self.today);
        let through = coach_api.data_through().await.ok().flatten();
        let through = through.map_or_else(|| "no day yet".to_owned(), |day| day.to_string());
        let notes = notes_for_day(&self.store.list_notes(self.user).await?, self.today);
        let notes: Vec<String> = notes.iter().map(|note| delimit(note, MAX_NOTE_CHARS)).collect();
        let notes = if notes.is_empty() { "(none)".to_owned() } else { notes.join("\n") };
        let prompt = Prompt::current(PromptName::Chat);
        Ok(prompt.render_message(&[("today", &today), ("data_through", &through), ("user_notes", &notes)]))
    }

    /// The first request a model would get for this message. Sends and stores nothing.
    ///
    /// # Errors
    /// `NotFound` when the conversation does not exist or belongs to someone else.
    pub async fn first_request(&self, coach_api: &StoreCoachApi, text: &str) -> Result<Request, Error> {
        let history = match self.chat {
            Some(chat) => chat::compact(self.load_history(chat).await?, MAX_HISTORY_BYTES),
            None => Vec::new(),
        };
        let said = (Some(self.build_context(coach_api).await?), text.trim().to_owned());
        let (_, effects) = Turn::start(system_prompt(), history, said, TurnLimits::default());
        let asked = effects.into_iter().find_map(|effect| match effect {
            TurnStep::SendRequest(request) => Some(*request),
            TurnStep::CallTool { .. } | TurnStep::End(_) => None,
        });
        Ok(asked.expect("a turn starts with a request"))
    }
}

/// JSON field of a stored message with the byte ranges of unverified numbers.
const UNVERIFIED_FIELD: &str = "unverified";

/// The messages of a conversation, each with the ranges of its unverified numbers. The ranges are
/// stored with the message; for messages of version 0.1 they are computed here, off the async
/// workers.
pub(crate) async fn messages_with_marks(
    stored: Vec<ChatMessage>,
) -> Result<Vec<(Message, UnverifiedRanges)>, Error> {
    let is_models = |message: &Message| matches!(message, Message::Model { .. });
    let of_model = |stored: &&ChatMessage| {
        serde_json::from_value::<Message>(stored.body.clone()).is_ok_and(|message| is_models(&message))
    };
    let kept: Vec<Option<UnverifiedRanges>> = stored.iter().filter(of_model).map(parse_marks).collect();
    let messages = parse_messages(stored);
    if kept.iter().any(Option::is_none) {
        let checked = tokio::task::spawn_blocking(move || {
            let marks = chat::unverified_numbers(&messages);
            messages.into_iter().zip(marks).collect()
        });
        return checked.await.map_err(|why| Error::Unreadable(why.to_string()));
    }
    let mut kept = kept.into_iter().flatten();
    let with_marks = |message: Message| {
        let marks =
            if is_models(&message) { kept.next().unwrap_or_default() } else { UnverifiedRanges::new() };
        (message, marks)
    };
    Ok(messages.into_iter().map(with_marks).collect())
}

/// The stored ranges of a message; malformed ones are skipped.
fn parse_marks(stored: &ChatMessage) -> Option<UnverifiedRanges> {
    let mark = |mark: &Value| {
        let at = |index| usize::try_from(mark.get(index)?.as_u64()?).ok();
        Some(at(0)?..at(1)?)
    };
    let part = |part: &Value| part.as_array().into_iter().flatten().filter_map(mark).collect();
    Some(stored.body.get(UNVERIFIED_FIELD)?.as_array()?.iter().map(part).collect())
}

/// The messages of a stored conversation.
pub(crate) fn parse_messages(stored: Vec<ChatMessage>) -> Vec<Message> {
    chat::attach_tool_results(
        stored.into_iter().filter_map(|message| serde_json::from_value(message.body).ok()).collect(),
    )
}

struct ChatMessageWriter {
    store: Store,
    user: UserId,
    chat: ChatId,
    now: Instant,
}

impl ChatMessageWriter {
    /// Stores messages until the sender is dropped, which also happens when the client disconnects.
    async fn write_all(
        self,
        mut receiver: UnboundedReceiver<(Message, UnverifiedRanges)>,
        model: String,
    ) -> Result<(), Error> {
        let mut order = 0;
        while let Some((message, marks)) = receiver.recv().await {
            order += 1;
            self.write(&message, &marks, Some(&model), order).await?;
        }
        Ok(())
    }

    async fn write(
        &self,
        message: &Message,
        marks: &UnverifiedRanges,
        model: Option<&str>,
        order: i64,
    ) -> Result<(), Error> {
        let role = match message {
            Message::Model { .. } => Role::Coach,
            Message::Program { parts } if parts.iter().any(|part| matches!(part, UserPart::Text { .. })) => {
                Role::Athlete
            }
            Message::Program { .. } => Role::Tool,
        };
        // One millisecond apart, so that messages of one turn keep their order.
        let said_at = self.now + TimeDelta::milliseconds(order);
        let mut body = serde_json::to_value(message).map_err(|why| Error::Unreadable(why.to_string()))?;
        if let (Message::Model { .. }, Value::Object(fields)) = (message, &mut body) {
            let marks = marks.iter().map(|part| part.iter().map(|mark| [mark.start, mark.end]).collect());
            fields.insert(UNVERIFIED_FIELD.to_owned(), json!(marks.collect::<Vec<Vec<[usize; 2]>>>()));
        }
        let message = ChatMessage { role, body, model: model.map(str::to_owned), said_at };
        self.store.add_chat_message(self.user, self.chat, message).await
    }
}

fn validate_message(text: &str) -> Result<&str, ChatError> {
    let text = text.trim();
    let fits = !text.is_empty() && text.chars().count() <= MAX_MESSAGE_CHARS;
    fits.then_some(text).ok_or(ChatError::Length)
}

/// The same for every athlete and day, so that providers can cache it.
fn system_prompt() -> String {
    Prompt::current(PromptName::Chat).system().to_owned()
}

/// The accepted notes for a day: undated ones, and those of the last week.
#[must_use]
pub fn notes_for_day(all: &[Note], today: Day) -> Vec<String> {
    let counts = |on: Option<Day>| on.is_none_or(|on| (0..=7).contains(&on.days_until(today)));
    let own = all.iter().filter(|note| note.accepted && counts(note.day));
    own.take(MAX_NOTES).map(|note| note.text.as_str().to_owned()).collect()
}

#[must_use]
pub fn stored_usage(usage: Usage, cost: Option<Cost>) -> ModelUsage {
    ModelUsage {
        input: usage.input,
        cache_write: usage.cache_write,
        cache_read: usage.cache_read,
        output: usage.output,
        cost_micros: cost.map(|cost| cost.0),
    }
}

/// The first line, at most 60 characters.
fn title(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(60).collect();
    if short.len() < line.len() { format!("{short}…") } else { short }
}
