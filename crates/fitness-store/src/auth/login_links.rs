//! One-time login links that the terminal prints.

use crate::auth::secret::{self, Token};
use crate::auth::sessions::{self, SignInMethod};
use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::entities::sign_ins::{ActiveModel, Column, Entity};
use crate::db::error::{Error, Result};
use crate::db::store::{Store, truncate_to_micros};
use chrono::TimeDelta;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::ids::UserId;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, EntityTrait, QueryFilter,
};

/// Lifetime of a login link.
pub const LOGIN_LINK_MINUTES: i64 = 15;

impl Store {
    /// Creates a login link and returns its secret. Earlier unused links stop working.
    pub async fn create_login_link(&self, user: UserId, now: Instant) -> Result<Token> {
        let token = Token::random();
        let tx = self.begin_user_write(user).await?;
        Entity::delete_many()
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::SpentAt.is_null())
            .exec(tx.db())
            .await?;
        let row = ActiveModel {
            id: NotSet,
            user_id: Set(user.get()),
            token_hash: Set(token.hash()),
            made_at: Set(truncate_to_micros(now)),
            expires_at: Set(truncate_to_micros(now + TimeDelta::minutes(LOGIN_LINK_MINUTES))),
            spent_at: Set(None),
        };
        Entity::insert(row).exec_without_returning(tx.db()).await?;
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::SignInOffer, format!("user:{user}")))
            .await?;
        Ok(token)
    }

    /// The user of a link that is still valid. Does not use it up.
    pub async fn find_login_link(&self, secret: &str, now: Instant) -> Result<Option<UserId>> {
        let row =
            Entity::find().filter(Column::TokenHash.eq(secret::hash(secret))).one(self.reader()).await?;
        let usable = row.filter(|row| row.spent_at.is_none() && row.expires_at > now);
        Ok(usable.map(|row| UserId::new(row.user_id)))
    }

    /// Uses up a link and opens a session. The session is unconfirmed, so it cannot perform human
    /// actions yet.
    ///
    /// # Errors
    /// `NotConfirmed` if the link is unknown, expired or already used.
    pub async fn redeem_login_link(
        &self,
        secret: &str,
        client: &str,
        lasts: TimeDelta,
        now: Instant,
    ) -> Result<(UserId, Token)> {
        let unusable = || Error::NotConfirmed("the link is unknown, expired or already used");
        let user = self.find_login_link(secret, now).await?.ok_or_else(unusable)?;
        let tx = self.begin_user_write(user).await?;
        // Read again under the user's write lock: another request may have used it.
        let row = Entity::find().filter(Column::TokenHash.eq(secret::hash(secret))).one(tx.db()).await?;
        let row = row.filter(|row| row.spent_at.is_none()).ok_or_else(unusable)?;
        let spent = ActiveModel {
            id: Set(row.id),
            spent_at: Set(Some(truncate_to_micros(now))),
            ..Default::default()
        };
        Entity::update(spent).exec(tx.db()).await?;
        let (session, token) = sessions::open(&tx, client, lasts, SignInMethod::Link, now).await?;
        tx.commit(NewAuditEntry::new(
            now,
            Actor::Human,
            AuditAction::SessionOpen,
            format!("session:{session}"),
        ))
        .await?;
        Ok((user, token))
    }
}
