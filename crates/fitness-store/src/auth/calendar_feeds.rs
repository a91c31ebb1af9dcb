//! The private address of an athlete's calendar. Whoever has it reads the coming workouts, and nothing else.

use crate::auth::secret::{self, Token};
use crate::db::audit::{Actor, NewAuditEntry};
use crate::db::entities::calendar_feeds::{ActiveModel, Column, Entity};
use crate::db::error::Result;
use crate::db::store::{Store, truncate_to_micros};
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::ids::UserId;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};

impl Store {
    /// Makes the secret of a new address; the old one ends.
    ///
    /// # Errors
    /// When there is no such user.
    pub async fn create_calendar_feed(&self, user: UserId, now: Instant) -> Result<Token> {
        let token = Token::random();
        let tx = self.begin_user_write(user).await?;
        let row = ActiveModel {
            user_id: Set(user.get()),
            token_hash: Set(token.hash()),
            made_at: Set(truncate_to_micros(now)),
        };
        let replace =
            OnConflict::column(Column::UserId).update_columns([Column::TokenHash, Column::MadeAt]).to_owned();
        Entity::insert(row).on_conflict(replace).exec_without_returning(tx.db()).await?;
        tx.commit(NewAuditEntry::new(now, Actor::Human, "calendar.open", format!("user:{user}"))).await?;
        Ok(token)
    }

    /// Ends the address, if there is one.
    ///
    /// # Errors
    /// When there is no such user.
    pub async fn delete_calendar_feed(&self, user: UserId, now: Instant) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        Entity::delete_by_id(user.get()).exec(tx.db()).await?;
        tx.commit(NewAuditEntry::new(now, Actor::Human, "calendar.close", format!("user:{user}"))).await
    }

    /// When the address was made, if there is one.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn calendar_feed_created_at(&self, user: UserId) -> Result<Option<Instant>> {
        Ok(Entity::find_by_id(user.get()).one(self.reader()).await?.map(|row| row.made_at))
    }

    /// Whose calendar a secret opens.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_calendar_feed_user(&self, secret: &str) -> Result<Option<UserId>> {
        let row =
            Entity::find().filter(Column::TokenHash.eq(secret::hash(secret))).one(self.reader()).await?;
        Ok(row.map(|row| UserId::new(row.user_id)))
    }
}
