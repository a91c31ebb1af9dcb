//! Signed-in browsers. The cookie's secret is kept only as a hash.

use crate::auth::secret::{self, Token};
use crate::db::audit::{Actor, NewAuditEntry};
use crate::db::entities::sessions::{ActiveModel, Column, Entity, Model};
use crate::db::error::{Error, Result};
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

/// A signed-in browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuthSession {
    /// Its id.
    pub id: SessionId,
    /// Whose it is: the one place a web request's user comes from.
    pub user: UserId,
    /// What the browser calls itself. Foreign text.
    pub client: String,
    /// When it was signed in.
    pub opened_at: Instant,
    /// When it was last used.
    pub seen_at: Instant,
    /// When it ends by itself.
    pub expires_at: Instant,
    /// When the athlete showed in this browser that it is them. Before that it decides nothing.
    pub confirmed_at: Option<Instant>,
}

/// How a browser was signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignInMethod {
    /// With the password, or by whoever has just set it.
    Password,
    /// By a printed link: whoever could read it.
    Link,
}

impl Store {
    /// Signs a browser in whose user gave or has just set the password. It may decide.
    ///
    /// # Errors
    /// When there is no such user.
    pub async fn open_session(
        &self,
        user: UserId,
        client: &str,
        lasts: TimeDelta,
        now: Instant,
    ) -> Result<Token> {
        let tx = self.begin_user_write(user).await?;
        let (id, token) = open(&tx, client, lasts, SignInMethod::Password, now).await?;
        tx.commit(NewAuditEntry::new(now, Actor::Human, "session.open", format!("session:{id}"))).await?;
        Ok(token)
    }

    /// The session a cookie's secret belongs to, unless it has ended.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_session(&self, secret: &str, now: Instant) -> Result<Option<AuthSession>> {
        let row =
            Entity::find().filter(Column::TokenHash.eq(secret::hash(secret))).one(self.reader()).await?;
        Ok(row.filter(|row| row.expires_at > now).map(session))
    }

    /// A user's sessions, the last used first.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_sessions(&self, user: UserId) -> Result<Vec<AuthSession>> {
        let rows = Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .order_by_desc(Column::SeenAt)
            .all(self.reader())
            .await?;
        Ok(rows.into_iter().map(session).collect())
    }

    /// Notes that a session was used.
    ///
    /// # Errors
    /// When the database does not answer.
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

    /// Signs a browser in without proof of who sits at it: it decides nothing until [`Store::confirm_session`].
    ///
    /// # Errors
    /// When there is no such user.
    pub async fn open_unconfirmed_session(
        &self,
        user: UserId,
        client: &str,
        lasts: TimeDelta,
        now: Instant,
    ) -> Result<Token> {
        let tx = self.begin_user_write(user).await?;
        let (id, token) = open(&tx, client, lasts, SignInMethod::Link, now).await?;
        tx.commit(NewAuditEntry::new(now, Actor::Human, "session.open", format!("session:{id}"))).await?;
        Ok(token)
    }

    /// Lets a session decide. The caller has checked the password.
    ///
    /// # Errors
    /// `NotFound` when the user has no such session.
    pub async fn confirm_session(&self, user: UserId, id: SessionId, now: Instant) -> Result<()> {
        confirm(self.begin_user_write(user).await?, id, now).await
    }

    /// Signs a browser out.
    ///
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
            return Err(Error::NotFound("session"));
        }
        tx.commit(NewAuditEntry::new(now, Actor::Human, "session.end", format!("session:{id}"))).await
    }

    /// Signs every browser of a user out.
    ///
    /// # Errors
    /// When there is no such user.
    pub async fn end_all_sessions(&self, user: UserId, now: Instant) -> Result<u64> {
        let tx = self.begin_user_write(user).await?;
        let ended = Entity::delete_many().filter(Column::UserId.eq(user.get())).exec(tx.db()).await?;
        tx.commit(NewAuditEntry::new(now, Actor::Human, "session.end_all", format!("user:{user}"))).await?;
        Ok(ended.rows_affected)
    }
}

/// Opens a session inside what is being written.
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

/// Lets a session decide, inside what is being written.
pub(crate) async fn confirm(tx: Tx, id: SessionId, now: Instant) -> Result<()> {
    let confirmed = Entity::update_many()
        .col_expr(Column::ConfirmedAt, sea_orm::sea_query::Expr::value(truncate_to_micros(now)))
        .filter(Column::Id.eq(id.get()))
        .filter(Column::UserId.eq(tx.user().get()))
        .exec(tx.db())
        .await?;
    if confirmed.rows_affected == 0 {
        return Err(Error::NotFound("session"));
    }
    tx.commit(NewAuditEntry::new(now, Actor::Human, "session.confirm", format!("session:{id}"))).await
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
