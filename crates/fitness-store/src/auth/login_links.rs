//! Links that sign a browser in: made at the terminal, used once, soon.

use crate::auth::secret::{self, Token};
use crate::auth::sessions::{self, SignInMethod};
use crate::db::audit::{Actor, NewAuditEntry};
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

/// How long a link can be used.
pub const LOGIN_LINK_MINUTES: i64 = 15;

impl Store {
    /// Makes the secret of a link. Earlier ones that nobody used stop working.
    ///
    /// # Errors
    /// When there is no such user.
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
        tx.commit(NewAuditEntry::new(now, Actor::Human, "sign_in.offer", format!("user:{user}"))).await?;
        Ok(token)
    }

    /// Whose link this is, when it can still be used. Looking does not use it up.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_login_link(&self, secret: &str, now: Instant) -> Result<Option<UserId>> {
        let row =
            Entity::find().filter(Column::TokenHash.eq(secret::hash(secret))).one(self.reader()).await?;
        let usable = row.filter(|row| row.spent_at.is_none() && row.expires_at > now);
        Ok(usable.map(|row| UserId::new(row.user_id)))
    }

    /// Uses a link up and signs the browser in. It decides nothing until it is confirmed.
    ///
    /// # Errors
    /// `NotConfirmed` when the link is unknown, used or too old.
    pub async fn redeem_login_link(
        &self,
        secret: &str,
        client: &str,
        lasts: TimeDelta,
        now: Instant,
    ) -> Result<(UserId, Token)> {
        let unusable = || Error::NotConfirmed("the link is unknown, used or too old");
        let user = self.find_login_link(secret, now).await?.ok_or_else(unusable)?;
        let tx = self.begin_user_write(user).await?;
        // Again, now that nobody else can be using it.
        let row = Entity::find().filter(Column::TokenHash.eq(secret::hash(secret))).one(tx.db()).await?;
        let row = row.filter(|row| row.spent_at.is_none()).ok_or_else(unusable)?;
        let spent = ActiveModel {
            id: Set(row.id),
            spent_at: Set(Some(truncate_to_micros(now))),
            ..Default::default()
        };
        Entity::update(spent).exec(tx.db()).await?;
        let (session, token) = sessions::open(&tx, client, lasts, SignInMethod::Link, now).await?;
        tx.commit(NewAuditEntry::new(now, Actor::Human, "session.open", format!("session:{session}")))
            .await?;
        Ok((user, token))
    }
}
