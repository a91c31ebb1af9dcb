//! Login sessions of browsers. The cookie's secret is stored only as a hash.

use crate::auth::secret::{self, Token};
use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::entities::sessions::{ActiveModel, Column, Entity, Model};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::{Store, truncate_to_micros};
use crate::db::tx::Tx;
use chrono::TimeDelta;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::ids::{SessionId, UserId};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder,
};
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuthSession {
    pub id: SessionId,
    /// The only source of a web request's user.
    pub user: UserId,
    /// User-Agent of the browser. Untrusted text.
    pub client: String,
    pub opened_at: Instant,
    pub seen_at: Instant,
    pub expires_at: Instant,
    /// When the athlete proved their identity in this browser. Until then the session cannot
    /// perform human actions.
    pub confirmed_at: Option<Instant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignInMethod {
    /// With the password, or right after setting it.
    Password,
    /// With a login link; anyone who could read the link may have used it.
    Link,
}

impl Store {
    /// Opens a confirmed session, for a user who entered or just set the password.
    pub async fn open_session(
        &self,
        user: UserId,
        client: &str,
        lasts: TimeDelta,
        now: Instant,
    ) -> Result<Token> {
        let tx = self.begin_user_write(user).await?;
        let (id, token) = open(&tx, client, lasts, SignInMethod::Password, now).await?;
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::SessionOpen, format!("session:{id}")))
            .await?;
        Ok(token)
    }

    /// Finds the session for a cookie's secret, unless it has expired.
    pub async fn find_session(&self, secret: &str, now: Instant) -> Result<Option<AuthSession>> {
        let row =
            Entity::find().filter(Column::TokenHash.eq(secret::hash(secret))).one(self.reader()).await?;
        Ok(row.filter(|row| row.expires_at > now).map(session))
    }

    /// A user's sessions, most recently used first.
    pub async fn list_sessions(&self, user: UserId) -> Result<Vec<AuthSession>> {
        let rows = Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .order_by_desc(Column::SeenAt)
            .all(self.reader())
            .await?;
        Ok(rows.into_iter().map(session).collect())
    }

    /// Updates the last-used time.
    pub async fn touch_session(&self, user: UserId, id: SessionId, now: Instant) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        Entity::update_many()
            .col_expr(Column::SeenAt, sea_orm::sea_query::Expr::value(truncate_to_micros(now)))
            .filter(Column::Id.eq(id.get()))
            .filter(Column::UserId.eq(user.get()))
            .exec(tx.db())
            .await?;
        tx.commit_without_audit().await
    }

    /// Opens an unconfirmed session: it cannot perform human actions until
    /// [`Store::confirm_session`].
    pub async fn open_unconfirmed_session(
        &self,
        user: UserId,
        client: &str,
        lasts: TimeDelta,
        now: Instant,
    ) -> Result<Token> {
        let tx = self.begin_user_write(user).await?;
        let (id, token) = open(&tx, client, lasts, SignInMethod::Link, now).await?;
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::SessionOpen, format!("session:{id}")))
            .await?;
        Ok(token)
    }

    /// Confirms a session. The caller has checked the password.
    ///
    /// # Errors
    /// `NotFound` when the user has no such session.
    pub async fn confirm_session(&self, user: UserId, id: SessionId, now: Instant) -> Result<()> {
        confirm(self.begin_user_write(user).await?, id, now).await
    }

    /// # Errors
    /// `NotFound` when the user has no such session.
    pub async fn end_session(&self, user: UserId, id: SessionId, now: Instant) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        let ended = Entity::delete_many()
            .filter(Column::Id.eq(id.get()))
            .filter(Column::UserId.eq(user.get()))
            .exec(tx.db())
            .await?;
        if ended.rows_affected == 0 {
            return Err(Error::NotFound(RecordKind::Session));
        }
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::SessionEnd, format!("session:{id}")))
            .await
    }

    /// Ends all sessions of a user and returns how many there were.
    pub async fn end_all_sessions(&self, user: UserId, now: Instant) -> Result<u64> {
        let tx = self.begin_user_write(user).await?;
        let ended = Entity::delete_many().filter(Column::UserId.eq(user.get())).exec(tx.db()).await?;
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::SessionEndAll, format!("user:{user}")))
            .await?;
        Ok(ended.rows_affected)
    }
}

/// Opens a session within an open transaction.
pub(crate) async fn open(
    tx: &Tx,
    client: &str,
    lasts: TimeDelta,
    sign_in: SignInMethod,
    now: Instant,
) -> Result<(SessionId, Token)> {
    let token = Token::random();
    let row = ActiveModel {
        id: NotSet,
        user_id: Set(tx.user().get()),
        token_hash: Set(token.hash()),
        client: Set(client.chars().take(200).collect()),
        opened_at: Set(truncate_to_micros(now)),
        seen_at: Set(truncate_to_micros(now)),
        expires_at: Set(truncate_to_micros(now + lasts)),
        confirmed_at: Set((sign_in == SignInMethod::Password).then(|| truncate_to_micros(now))),
    };
    let id = Entity::insert(row).exec(tx.db()).await?.last_insert_id;
    Ok((SessionId::new(id), token))
}

/// Confirms a session within an open transaction.
pub(crate) async fn confirm(tx: Tx, id: SessionId, now: Instant) -> Result<()> {
    let confirmed = Entity::update_many()
        .col_expr(Column::ConfirmedAt, sea_orm::sea_query::Expr::value(truncate_to_micros(now)))
        .filter(Column::Id.eq(id.get()))
        .filter(Column::UserId.eq(tx.user().get()))
        .exec(tx.db())
        .await?;
    if confirmed.rows_affected == 0 {
        return Err(Error::NotFound(RecordKind::Session));
    }
    tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::SessionConfirm, format!("session:{id}")))
        .await
}

fn session(row: Model) -> AuthSession {
    AuthSession {
        id: SessionId::new(row.id),
        user: UserId::new(row.user_id),
        client: row.client,
        opened_at: row.opened_at,
        seen_at: row.seen_at,
        expires_at: row.expires_at,
        confirmed_at: row.confirmed_at,
    }
}
