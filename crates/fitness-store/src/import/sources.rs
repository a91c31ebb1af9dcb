//! Connected services and their encrypted API keys.

use crate::backup::credential_settings;
use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::convert::day;
use crate::db::entities::{settings, source_secrets, sources};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::{Store, truncate_to_micros};
use crate::db::tx::Tx;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{SourceId, UserId};
use sea_orm::prelude::Json;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder,
};
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Source {
    pub id: SourceId,
    pub kind: String,
    /// Label chosen by the athlete.
    pub label: String,
    /// Settings of the source; never a key.
    pub config: Json,
    pub key_expires_on: Option<Day>,
    pub added_at: Instant,
}

const KEY_WARNING_DAYS: i64 = 7;

impl Source {
    /// The expiry day, if it is near or past.
    #[must_use]
    pub fn key_expiry_warning(&self, today: Day) -> Option<Day> {
        self.key_expires_on.filter(|ends| *ends <= today.plus_days(KEY_WARNING_DAYS))
    }
}

impl Store {
    /// Adds a source, without a key.
    pub async fn add_source(
        &self,
        user: UserId,
        kind: &str,
        label: &str,
        config: Json,
        now: Instant,
    ) -> Result<SourceId> {
        let tx = self.begin_user_write(user).await?;
        let row = sources::ActiveModel {
            id: NotSet,
            user_id: Set(user.get()),
            kind: Set(kind.to_owned()),
            label: Set(label.to_owned()),
            config: Set(config),
            key_expires_on: Set(None),
            added_at: Set(truncate_to_micros(now)),
            removed_at: Set(None),
        };
        let id = sources::Entity::insert(row).exec(tx.db()).await?.last_insert_id;
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::SourceAdd, format!("source:{id}")))
            .await?;
        Ok(SourceId::new(id))
    }

    /// A user's sources, oldest first.
    pub async fn list_sources(&self, user: UserId) -> Result<Vec<Source>> {
        let rows = sources::Entity::find()
            .filter(sources::Column::UserId.eq(user.get()))
            .filter(sources::Column::RemovedAt.is_null())
            .order_by_asc(sources::Column::Id)
            .all(self.reader())
            .await?;
        rows.into_iter()
            .map(|row| {
                Ok(Source {
                    id: SourceId::new(row.id),
                    kind: row.kind,
                    label: row.label,
                    config: row.config,
                    key_expires_on: row.key_expires_on.map(day).transpose()?,
                    added_at: row.added_at,
                })
            })
            .collect()
    }

    /// Stores a source's key, which the caller has encrypted.
    ///
    /// # Errors
    /// `NotFound` when the user has no such source.
    pub async fn put_source_secret(
        &self,
        user: UserId,
        source: SourceId,
        sealed: Vec<u8>,
        expires_on: Option<Day>,
        now: Instant,
    ) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        require_source(tx.db(), user, source).await?;
        let row = source_secrets::ActiveModel {
            source_id: Set(source.get()),
            user_id: Set(user.get()),
            sealed: Set(sealed),
            stored_at: Set(truncate_to_micros(now)),
        };
        let replace = OnConflict::column(source_secrets::Column::SourceId)
            .update_columns([source_secrets::Column::Sealed, source_secrets::Column::StoredAt])
            .to_owned();
        source_secrets::Entity::insert(row).on_conflict(replace).exec_without_returning(tx.db()).await?;
        set_column(&tx, source, sources::Column::KeyExpiresOn, Expr::value(expires_on.map(Day::date)))
            .await?;
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::SourceKey, format!("source:{source}")))
            .await
    }

    /// Whether any encrypted API key is stored: of a service, of a coach, or one the owner shares.
    /// The key that encrypts them is not in the database.
    pub async fn has_encrypted_keys(&self) -> Result<bool> {
        let of_coach = settings::Entity::find().filter(Expr::cust(credential_settings()));
        Ok(source_secrets::Entity::find().one(self.reader()).await?.is_some()
            || of_coach.one(self.reader()).await?.is_some())
    }

    /// A source's encrypted key.
    pub async fn find_source_secret(&self, user: UserId, source: SourceId) -> Result<Option<Vec<u8>>> {
        let row = source_secrets::Entity::find_by_id(source.get())
            .filter(source_secrets::Column::UserId.eq(user.get()))
            .one(self.reader())
            .await?;
        Ok(row.map(|row| row.sealed))
    }

    /// Removes a source and its key. Imported data stays.
    ///
    /// # Errors
    /// `NotFound` when the user has no such source.
    pub async fn remove_source(&self, user: UserId, source: SourceId, now: Instant) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        require_source(tx.db(), user, source).await?;
        source_secrets::Entity::delete_by_id(source.get()).exec(tx.db()).await?;
        set_column(&tx, source, sources::Column::RemovedAt, Expr::value(truncate_to_micros(now))).await?;
        tx.commit(NewAuditEntry::new(
            now,
            Actor::Human,
            AuditAction::SourceRemove,
            format!("source:{source}"),
        ))
        .await
    }
}

pub(crate) async fn require_source(db: &impl ConnectionTrait, user: UserId, source: SourceId) -> Result<()> {
    let found = sources::Entity::find_by_id(source.get())
        .filter(sources::Column::UserId.eq(user.get()))
        .filter(sources::Column::RemovedAt.is_null())
        .one(db)
        .await?;
    found.map(drop).ok_or(Error::NotFound(RecordKind::Source))
}

async fn set_column(
    tx: &Tx,
    source: SourceId,
    column: sources::Column,
    value: sea_orm::sea_query::Expr,
) -> Result<()> {
    sources::Entity::update_many()
        .col_expr(column, value)
        .filter(sources::Column::Id.eq(source.get()))
        .filter(sources::Column::UserId.eq(tx.user().get()))
        .exec(tx.db())
        .await?;
    Ok(())
}
