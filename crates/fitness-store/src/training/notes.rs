//! Notes for the coach, and notes suggested by coaches.

use crate::coach::pending_limits::check_suggestion_quota;
use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::convert::{day, parse_text};
use crate::db::entities::notes::{ActiveModel, Column, Entity, Model};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::{Store, truncate_to_micros};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{NoteId, UserId};
use fitness_core::domain::note::{Author, Note, NoteText};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder,
};

impl Store {
    /// Adds a note. The athlete's own notes count at once; others are suggestions.
    ///
    /// # Errors
    /// `NotFound` if there is no such user; `QuotaExceeded` with too many pending suggestions.
    pub async fn add_note(
        &self,
        user: UserId,
        author: Author,
        day: Option<Day>,
        text: &NoteText,
        now: Instant,
    ) -> Result<NoteId> {
        let tx = self.begin_user_write(user).await?;
        check_suggestion_quota(&tx, author).await?;
        let row = ActiveModel {
            id: NotSet,
            user_id: Set(user.get()),
            day: Set(day.map(Day::date)),
            author: Set(author.as_str().to_owned()),
            accepted: Set(author == Author::Athlete),
            text: Set(text.as_str().to_owned()),
            written_at: Set(truncate_to_micros(now)),
        };
        let id = NoteId::new(Entity::insert(row).exec(tx.db()).await?.last_insert_id);
        let entry = NewAuditEntry::new(now, author.into(), AuditAction::NoteAdd, format!("note:{id}"));
        tx.commit(entry.change(None, Some(ContentHash::hash_json(text)))).await?;
        Ok(id)
    }

    /// A user's notes, newest first, suggestions included.
    pub async fn list_notes(&self, user: UserId) -> Result<Vec<Note>> {
        let rows = Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .order_by_desc(Column::Id)
            .all(self.reader())
            .await?;
        rows.into_iter().map(note).collect()
    }

    /// Accepts a suggested note.
    ///
    /// # Errors
    /// `NotFound` when the user has no such suggestion.
    pub async fn accept_note(&self, user: UserId, id: NoteId, now: Instant) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        let accepted = Entity::update_many()
            .col_expr(Column::Accepted, Expr::value(true))
            .filter(Column::Id.eq(id.get()))
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Accepted.eq(false))
            .exec(tx.db())
            .await?;
        if accepted.rows_affected == 0 {
            return Err(Error::NotFound(RecordKind::SuggestedNote));
        }
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::NoteAccept, format!("note:{id}"))).await
    }

    /// Deletes a note and returns it, so that it can be shown to the athlete.
    ///
    /// # Errors
    /// `NotFound` when the user has no such note.
    pub async fn delete_note(&self, user: UserId, id: NoteId, now: Instant) -> Result<Note> {
        let tx = self.begin_user_write(user).await?;
        let row = Entity::find_by_id(id.get()).filter(Column::UserId.eq(user.get())).one(tx.db()).await?;
        let gone = note(row.ok_or(Error::NotFound(RecordKind::Note))?)?;
        Entity::delete_by_id(id.get()).exec(tx.db()).await?;
        let entry = NewAuditEntry::new(now, Actor::Human, AuditAction::NoteDelete, format!("note:{id}"));
        tx.commit(entry.change(Some(ContentHash::hash_json(&gone.text)), None)).await?;
        Ok(gone)
    }
}

fn note(row: Model) -> Result<Note> {
    Ok(Note {
        id: NoteId::new(row.id),
        day: row.day.map(day).transpose()?,
        author: parse_text(&row.author)?,
        accepted: row.accepted,
        text: NoteText::new(&row.text).map_err(|e| Error::Unreadable(e.to_string()))?,
        written_at: row.written_at,
    })
}
