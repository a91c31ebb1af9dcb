//! A conversation that is kept: what was said before is read, what is said now is stored. The terminal and the server
//! both talk this way.

use crate::coach::budgeted_model::{BudgetedModel, PendingUsage};
use chrono::TimeDelta;
use fitness_coach::agent_loop::{Caps, Turn, TurnEnd, TurnStep};
use fitness_coach::chat::{self, Event, MAX_HISTORY_BYTES, TurnInput, TurnOutcome, UnverifiedRanges};
use fitness_coach::model::{Cost, Message, Model, Request, Usage, UserPart};
use fitness_coach::prompt::{Prompt, PromptName, delimit};
use fitness_core::coach_api::CoachApi as _;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{ChatId, UserId};
use fitness_core::domain::note::Note;
use fitness_store::{ChatMessage, Error, ModelUsage, Purpose, Role, Store, StoreCoachApi};
use serde_json::{Value, json};
use std::future::Future;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// As many notes travel with what is said.
const MAX_NOTES: usize = 20;
/// So much of each.
const MAX_NOTE_CHARS: usize = 1000;

/// The longest thing an athlete says at once, in characters.
pub const MAX_MESSAGE_CHARS: usize = 8000;

/// Somebody talking with the coach.
#[derive(Debug)]
pub struct ChatTurn<'a> {
    /// Where it is kept.
    pub store: &'a Store,
    /// Who talks.
    pub user: UserId,
    /// The conversation; a new one begins when there is none.
    pub chat: Option<ChatId>,
    /// Their today.
    pub today: Day,
    /// The moment.
    pub now: Instant,
}

/// Why nothing was said.
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// Nothing, or far too much.
    #[error("say something, at most {MAX_MESSAGE_CHARS} characters at once")]
    Length,
    /// What the store says.
    #[error(transparent)]
    Store(#[from] Error),
}

impl ChatTurn<'_> {
    /// Makes sure that there is a conversation before anything is said in it, so that whoever leaves in the middle finds it
    /// again.
    ///
    /// # Errors
    /// `Length`; `NotFound` when there is no such conversation of theirs.
    pub async fn ensure_chat(&mut self, text: &str) -> Result<ChatId, ChatError> {
        let text = validate_message(text)?;
        let chat = match self.chat {
            Some(chat) if self.store.list_chats(self.user).await?.iter().any(|known| known.id == chat) => {
                chat
            }
            Some(_) => return Err(Error::NotFound("chat").into()),
            None => self.store.start_chat(self.user, &title(text), self.now).await?,
        };
        self.chat = Some(chat);
        Ok(chat)
    }

    /// Says something and hears the answer. What the athlete said is kept before anything is asked, and what the coach says
    /// and its tools answer as it happens, so that nothing is lost when they leave; what each request may take is set aside
    /// before it is made, and what it took is written down as soon as it is known, also when this is dropped.
    ///
    /// # Errors
    /// `Length`; `NotFound` when there is no such conversation of theirs.
    pub async fn run(
        &self,
        text: &str,
        (model, caps): (&dyn Model, Caps),
        desk: &StoreCoachApi,
        until: impl Future<Output = TurnEnd> + Send,
        hear: &mut (dyn FnMut(Event<'_>) + Send),
    ) -> Result<(ChatId, TurnOutcome), ChatError> {
        let text = validate_message(text)?;
        let (chat, history) = match self.chat {
            Some(chat) => (chat, self.load_history(chat).await?),
            None => (self.store.start_chat(self.user, &title(text), self.now).await?, Vec::new()),
        };
        let said = Message::Program { parts: vec![UserPart::Text { text: text.to_owned() }] };
        let keeper = MessageWriter { store: self.store.clone(), user: self.user, chat, now: self.now };
        keeper.write(&said, &UnverifiedRanges::new(), None, 0).await?;
        let history = chat::compact(history, MAX_HISTORY_BYTES);
        let (system, context) = (system_prompt(), Some(self.build_context(desk).await?));
        let opening = TurnInput { system, history, context, message: text.to_owned(), caps };
        let metered = BudgetedModel {
            model,
            store: self.store,
            user: self.user,
            purpose: Purpose::Chat,
            day: self.today,
            now: self.now,
            daily_budget: caps.daily_budget,
            pending_usage: PendingUsage::default(),
        };
        let (tell, told) = unbounded_channel();
        let keeping = tokio::spawn(keeper.write_all(told, model.name().to_owned()));
        let mut hear_and_keep = |event: Event<'_>| match event {
            // It is there as long as this is: what could not be kept is told at the end.
            Event::MessageAdded(message, marks) => drop(tell.send((message, marks))),
            other => hear(other),
        };
        let conversed = chat::run_turn(&metered, desk, opening, until, &mut hear_and_keep).await;
        metered.flush_usage().await;
        drop(tell);
        keeping.await.map_err(|why| Error::Unreadable(why.to_string()))??;
        Ok((chat, conversed))
    }

    /// What was said before, as the model is told it.
    async fn load_history(&self, chat: ChatId) -> Result<Vec<Message>, Error> {
        let known = self.store.list_chats(self.user).await?.iter().any(|known| known.id == chat);
        if !known {
            return Err(Error::NotFound("chat"));
        }
        let messages = self.store.list_chat_messages(self.user, chat).await?;
        // Also what was never answered, in its place: a tool that has done something before the turn failed would do it
        // again, and "try again" is about what was asked before.
        Ok(parse_messages(messages))
    }

    /// What should be known today. It changes from day to day, so it travels with what is said and not with the rules.
    async fn build_context(&self, desk: &StoreCoachApi) -> Result<String, Error> {
        let today = format!("{} {}", self.today.weekday(), self.today);
        let through = desk.data_through().await.ok().flatten();
        let through = through.map_or_else(|| "no day yet".to_owned(), |day| day.to_string());
        let notes = notes_for_day(&self.store.list_notes(self.user).await?, self.today);
        let notes: Vec<String> = notes.iter().map(|note| delimit(note, MAX_NOTE_CHARS)).collect();
        let notes = if notes.is_empty() { "(none)".to_owned() } else { notes.join("\n") };
        let prompt = Prompt::current(PromptName::Chat);
        Ok(prompt.render_message(&[("today", &today), ("data_through", &through), ("user_notes", &notes)]))
    }

    /// What a model would be sent first if this were said now, with the history of the conversation. Nothing is sent or kept.
    ///
    /// # Errors
    /// `NotFound` when there is no such conversation of theirs.
    pub async fn first_request(&self, desk: &StoreCoachApi, text: &str) -> Result<Request, Error> {
        let history = match self.chat {
            Some(chat) => chat::compact(self.load_history(chat).await?, MAX_HISTORY_BYTES),
            None => Vec::new(),
        };
        let said = (Some(self.build_context(desk).await?), text.trim().to_owned());
        let (_, effects) = Turn::start(system_prompt(), history, said, Caps::default());
        let asked = effects.into_iter().find_map(|effect| match effect {
            TurnStep::SendRequest(request) => Some(*request),
            TurnStep::CallTool { .. } | TurnStep::End(_) => None,
        });
        Ok(asked.expect("a turn that may ask begins with asking"))
    }
}

/// The field of a stored message with its marks.
const UNVERIFIED_FIELD: &str = "unverified";

/// What was said in a stored conversation, whole, and the numbers that nothing backs in each message. They were found when
/// the message was stored; only for messages of version 0.1 they are found now, away from the async workers.
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

/// The marks that a message was stored with. What cannot be a mark is left out.
fn parse_marks(stored: &ChatMessage) -> Option<UnverifiedRanges> {
    let mark = |mark: &Value| {
        let at = |index| usize::try_from(mark.get(index)?.as_u64()?).ok();
        Some(at(0)?..at(1)?)
    };
    let part = |part: &Value| part.as_array().into_iter().flatten().filter_map(mark).collect();
    Some(stored.body.get(UNVERIFIED_FIELD)?.as_array()?.iter().map(part).collect())
}

/// What was said in a stored conversation, whole.
pub(crate) fn parse_messages(stored: Vec<ChatMessage>) -> Vec<Message> {
    chat::attach_tool_results(
        stored.into_iter().filter_map(|message| serde_json::from_value(message.body).ok()).collect(),
    )
}

/// Writes down what is said in a conversation.
struct MessageWriter {
    store: Store,
    user: UserId,
    chat: ChatId,
    now: Instant,
}

impl MessageWriter {
    /// Keeps what it is told until nobody tells it any more, which is also when whoever waited for the answer has left.
    async fn write_all(
        self,
        mut told: UnboundedReceiver<(Message, UnverifiedRanges)>,
        model: String,
    ) -> Result<(), Error> {
        let mut order = 0;
        while let Some((message, marks)) = told.recv().await {
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
        // Messages of one turn keep their order, whatever the clock's grain.
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

/// What can be said at once.
fn validate_message(text: &str) -> Result<&str, ChatError> {
    let text = text.trim();
    let fits = !text.is_empty() && text.chars().count() <= MAX_MESSAGE_CHARS;
    fits.then_some(text).ok_or(ChatError::Length)
}

/// What a model is told it is: the same for every athlete and day, so that it can be cached.
fn system_prompt() -> String {
    Prompt::current(PromptName::Chat).system().to_owned()
}

/// The notes a coach should respect on a day: those about no day, and those of the last week.
#[must_use]
pub fn notes_for_day(all: &[Note], today: Day) -> Vec<String> {
    let counts = |on: Option<Day>| on.is_none_or(|on| (0..=7).contains(&on.days_until(today)));
    let own = all.iter().filter(|note| note.accepted && counts(note.day));
    own.take(MAX_NOTES).map(|note| note.text.as_str().to_owned()).collect()
}

/// What was used, as it is stored.
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

/// The first words, as a conversation is listed.
fn title(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(60).collect();
    if short.len() < line.len() { format!("{short}…") } else { short }
}
