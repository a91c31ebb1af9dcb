//! Conversations with the coach.

use crate::coach::usage::Purpose;
use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::convert::parse_text;
use crate::db::entities::{chat_messages, chats, spendings};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::{Store, truncate_to_micros};
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::ids::{ChatId, UserId};
use sea_orm::prelude::Json;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder,
};
use serde::Serialize;

fitness_core::string_enum! {
    pub enum Role("role") {
        Athlete = "athlete",
        Coach = "coach",
        /// The result of a tool call.
        Tool = "tool",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Chat {
    pub id: ChatId,
    pub title: String,
    pub started_at: Instant,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChatMessage {
    pub role: Role,
    /// Untrusted text, whoever wrote it.
    pub body: Json,
    /// Model that wrote it; `None` for other roles.
    pub model: Option<String>,
    pub said_at: Instant,
}

impl Store {
    pub async fn start_chat(&self, user: UserId, title: &str, now: Instant) -> Result<ChatId> {
        let tx = self.begin_user_write(user).await?;
        let row = chats::ActiveModel {
            id: NotSet,
            user_id: Set(user.get()),
            title: Set(title.chars().take(200).collect()),
            started_at: Set(truncate_to_micros(now)),
        };
        let id = chats::Entity::insert(row).exec(tx.db()).await?.last_insert_id;
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::ChatStart, format!("chat:{id}")))
            .await?;
        Ok(ChatId::new(id))
    }

    /// Adds a message to a conversation.
    ///
    /// # Errors
    /// `NotFound` when the user has no such conversation.
    pub async fn add_chat_message(&self, user: UserId, chat: ChatId, message: ChatMessage) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        chats::Entity::find_by_id(chat.get())
            .filter(chats::Column::UserId.eq(user.get()))
            .one(tx.db())
            .await?
            .ok_or(Error::NotFound(RecordKind::Chat))?;
        let actor = if message.role == Role::Athlete { Actor::Human } else { Actor::Coach };
        let entry = NewAuditEntry::new(message.said_at, actor, AuditAction::ChatSay, format!("chat:{chat}"));
        let row = chat_messages::ActiveModel {
            id: NotSet,
            chat_id: Set(chat.get()),
            user_id: Set(user.get()),
            role: Set(message.role.as_str().to_owned()),
            body: Set(message.body),
            model: Set(message.model),
            said_at: Set(truncate_to_micros(message.said_at)),
        };
        chat_messages::Entity::insert(row).exec_without_returning(tx.db()).await?;
        tx.commit(entry).await
    }

    /// A user's conversations, newest first.
    pub async fn list_chats(&self, user: UserId) -> Result<Vec<Chat>> {
        let rows = chats::Entity::find()
            .filter(chats::Column::UserId.eq(user.get()))
            .order_by_desc(chats::Column::Id)
            .all(self.reader())
            .await?;
        Ok(rows
            .into_iter()
            .map(|row| Chat { id: ChatId::new(row.id), title: row.title, started_at: row.started_at })
            .collect())
    }

    /// Tokens and cost (millionths of a US dollar) of a conversation. Usage is found by its time: a
    /// turn's usage has the timestamp of its first message.
    pub async fn chat_usage(&self, user: UserId, chat: ChatId) -> Result<(u64, Option<u64>)> {
        let said = self.list_chat_messages(user, chat).await?;
        let said = said.into_iter().filter(|message| message.role == Role::Athlete);
        let rows = spendings::Entity::find()
            .filter(spendings::Column::UserId.eq(user.get()))
            .filter(spendings::Column::Purpose.eq(Purpose::Chat.as_str()))
            .filter(spendings::Column::At.is_in(said.map(|message| message.said_at)))
            .all(self.reader())
            .await?;
        let tokens = |row: &spendings::Model| {
            let all = [row.input_tokens, row.cache_write_tokens, row.cache_read_tokens, row.output_tokens];
            all.into_iter().map(|count| u64::try_from(count).unwrap_or_default()).sum::<u64>()
        };
        let costs: Vec<u64> = rows.iter().filter_map(|row| u64::try_from(row.cost_micros?).ok()).collect();
        Ok((rows.iter().map(tokens).sum(), (!costs.is_empty()).then(|| costs.iter().sum())))
    }

    /// Messages of a conversation, oldest first.
    pub async fn list_chat_messages(&self, user: UserId, chat: ChatId) -> Result<Vec<ChatMessage>> {
        let rows = chat_messages::Entity::find()
            .filter(chat_messages::Column::ChatId.eq(chat.get()))
            .filter(chat_messages::Column::UserId.eq(user.get()))
            .order_by_asc(chat_messages::Column::Id)
            .all(self.reader())
            .await?;
        rows.into_iter()
            .map(|row| {
                Ok(ChatMessage {
                    role: parse_text(&row.role)?,
                    body: row.body,
                    model: row.model,
                    said_at: row.said_at,
                })
            })
            .collect()
    }
}
