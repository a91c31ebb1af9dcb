//! The audit log: every state change, append-only, chained by hash.
//!
//! The chain shows tampering after the fact; it does not stop the owner of the file. Entries carry hashes
//! and ids, never note text, coordinates, tokens or passwords.

use crate::db::convert::parse_text;
use crate::db::entities::audit_log::{ActiveModel, Column, Entity, Model};
use crate::db::error::Result;
use crate::db::store::{Store, truncate_to_micros};
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::note::Author;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde::Serialize;

fitness_core::string_enum! {
    /// Who did something.
    pub enum Actor("actor") {
        /// A person, on the web or at the terminal.
        Human = "human",
        /// The coach.
        Coach = "coach",
        /// A program connected over MCP.
        Mcp = "mcp",
        /// local-fitness itself: an import, a scheduled job.
        System = "system",
    }
}

impl From<Author> for Actor {
    fn from(author: Author) -> Self {
        match author {
            Author::Athlete => Self::Human,
            Author::Coach => Self::Coach,
            Author::Mcp => Self::Mcp,
        }
    }
}

/// What is to be logged.
#[derive(Debug, Clone)]
pub(crate) struct NewAuditEntry {
    pub(crate) at: Instant,
    pub(crate) actor: Actor,
    pub(crate) action: &'static str,
    pub(crate) object: String,
    pub(crate) before: Option<ContentHash>,
    pub(crate) after: Option<ContentHash>,
}

impl NewAuditEntry {
    pub(crate) fn new(at: Instant, actor: Actor, action: &'static str, object: impl Into<String>) -> Self {
        Self { at, actor, action, object: object.into(), before: None, after: None }
    }

    pub(crate) fn change(mut self, before: Option<ContentHash>, after: Option<ContentHash>) -> Self {
        self.before = before;
        self.after = after;
        self
    }
}

/// A line of the audit log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditEntry {
    /// 1, 2, 3, … per user.
    pub seq: i64,
    /// When.
    pub at: Instant,
    /// Who.
    pub actor: Actor,
    /// What was done, such as `plan.activate`.
    pub action: String,
    /// To what, such as `plan:318`.
    pub object: String,
    /// The hash of the state before, where there is one.
    pub before: Option<String>,
    /// The hash of the state after, where there is one.
    pub after: Option<String>,
    /// The hash of this line, which covers the one before it.
    pub hash: String,
}

/// The end of the chain: whoever notes it down can tell later whether anything before it was altered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditHead {
    /// How many lines there are.
    pub seq: i64,
    /// The hash of the last one; empty when there is none.
    pub hash: String,
}

pub(crate) async fn append(db: &impl ConnectionTrait, user: UserId, entry: NewAuditEntry) -> Result<()> {
    let head = head(db, user).await?;
    let mut row = Model {
        id: 0,
        user_id: user.get(),
        seq: head.seq + 1,
        at: truncate_to_micros(entry.at),
        actor: entry.actor.as_str().to_owned(),
        action: entry.action.to_owned(),
        object: entry.object,
        before_hash: entry.before.map(|hash| hash.to_string()),
        after_hash: entry.after.map(|hash| hash.to_string()),
        prev_hash: head.hash,
        hash: String::new(),
    };
    row.hash = chain_hash(&row);
    let row = ActiveModel {
        id: sea_orm::ActiveValue::NotSet,
        user_id: Set(row.user_id),
        seq: Set(row.seq),
        at: Set(row.at),
        actor: Set(row.actor),
        action: Set(row.action),
        object: Set(row.object),
        before_hash: Set(row.before_hash),
        after_hash: Set(row.after_hash),
        prev_hash: Set(row.prev_hash),
        hash: Set(row.hash),
    };
    Entity::insert(row).exec_without_returning(db).await?;
    Ok(())
}

/// The end of a user's chain.
pub(crate) async fn head(db: &impl ConnectionTrait, user: UserId) -> Result<AuditHead> {
    let last =
        Entity::find().filter(Column::UserId.eq(user.get())).order_by_desc(Column::Seq).one(db).await?;
    Ok(last
        .map_or(AuditHead { seq: 0, hash: String::new() }, |row| AuditHead { seq: row.seq, hash: row.hash }))
}

/// A time as the chain has it.
pub(crate) fn chain_time(at: Instant) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::Micros, true)
}

/// Covers every column but the row's own id, and through `prev_hash` every line before.
fn chain_hash(row: &Model) -> String {
    ContentHash::hash_json(&(
        &row.prev_hash,
        row.user_id,
        row.seq,
        chain_time(row.at),
        &row.actor,
        &row.action,
        &row.object,
        &row.before_hash,
        &row.after_hash,
    ))
    .to_string()
}

impl Store {
    /// The newest lines of a user's audit log, newest first.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_audit(&self, user: UserId, limit: u64) -> Result<Vec<AuditEntry>> {
        let rows = Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .order_by_desc(Column::Seq)
            .limit(limit)
            .all(self.reader())
            .await?;
        rows.into_iter().map(audit_entry).collect()
    }

    /// The end of a user's chain.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn audit_head(&self, user: UserId) -> Result<AuditHead> {
        head(self.reader(), user).await
    }

    /// Walks a user's whole chain. `None` when it holds; else the number of the first line that does not.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn first_broken_audit_entry(&self, user: UserId) -> Result<Option<i64>> {
        first_broken(self.reader(), user).await
    }
}

/// A user's whole log, oldest line first.
pub(crate) async fn list_all(db: &impl ConnectionTrait, user: UserId) -> Result<Vec<Model>> {
    Ok(Entity::find().filter(Column::UserId.eq(user.get())).order_by_asc(Column::Seq).all(db).await?)
}

/// The number of the first line of a user's chain that does not hold.
pub(crate) async fn first_broken(db: &impl ConnectionTrait, user: UserId) -> Result<Option<i64>> {
    Ok(first_broken_in(&list_all(db, user).await?))
}

pub(crate) fn first_broken_in(log: &[Model]) -> Option<i64> {
    let mut previous = "";
    for (expected, row) in (1..).zip(log) {
        if row.seq != expected || row.prev_hash != previous || is_altered(row) {
            return Some(expected);
        }
        previous = &row.hash;
    }
    None
}

/// Whether a line is another one than its hash was made for.
pub(crate) fn is_altered(row: &Model) -> bool {
    row.hash != chain_hash(row)
}

fn audit_entry(row: Model) -> Result<AuditEntry> {
    Ok(AuditEntry {
        seq: row.seq,
        at: row.at,
        actor: parse_text(&row.actor)?,
        action: row.action,
        object: row.object,
        before: row.before_hash,
        after: row.after_hash,
        hash: row.hash,
    })
}
