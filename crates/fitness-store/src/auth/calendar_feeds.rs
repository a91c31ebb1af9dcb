//! Secret calendar feed URLs. Anyone with the URL can read the coming workouts, and nothing else.

use crate::auth::secret::{self, Token};
use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::entities::calendar_feeds::{ActiveModel, Column, Entity};
use crate::db::error::Result;
use crate::db::store::{Store, truncate_to_micros};
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::ids::UserId;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};

impl Store {
    /// Creates a new feed secret; the previous one stops working.
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
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::CalendarOpen, format!("user:{user}")))
            .await?;
        Ok(token)
    }

    /// Disables the feed, if there is one.
    pub async fn delete_calendar_feed(&self, user: UserId, now: Instant) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        Entity::delete_by_id(user.get()).exec(tx.db()).await?;
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::CalendarClose, format!("user:{user}")))
            .await
    }

    pub async fn calendar_feed_created_at(&self, user: UserId) -> Result<Option<Instant>> {
        Ok(Entity::find_by_id(user.get()).one(self.reader()).await?.map(|row| row.made_at))
    }

    pub async fn find_calendar_feed_user(&self, secret: &str) -> Result<Option<UserId>> {
        let row =
            Entity::find().filter(Column::TokenHash.eq(secret::hash(secret))).one(self.reader()).await?;
        Ok(row.map(|row| UserId::new(row.user_id)))
    }
}
