//! Token usage and cost of models, and the daily limits.

use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::entities::spendings::{ActiveModel, Column, Entity};
use crate::db::error::Result;
use crate::db::store::{Store, truncate_to_micros};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter,
    sea_query::Expr,
};
use serde::Serialize;

fitness_core::string_enum! {
    pub enum Purpose("purpose") {
        Brief = "brief",
        Chat = "chat",
        /// A connection test from the settings.
        Test = "test",
    }
}

/// Usage of one request or one day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ModelUsage {
    pub input: u64,
    /// Tokens written to the prompt cache.
    pub cache_write: u64,
    /// Tokens read from the prompt cache.
    pub cache_read: u64,
    pub output: u64,
    /// Millionths of a US dollar; `None` if unknown.
    pub cost_micros: Option<u64>,
}

impl ModelUsage {
    /// All tokens, input and output.
    #[must_use]
    pub const fn tokens(&self) -> u64 {
        self.input
            .saturating_add(self.cache_write)
            .saturating_add(self.cache_read)
            .saturating_add(self.output)
    }
}

impl Store {
    pub async fn record_usage(
        &self,
        user: UserId,
        purpose: Purpose,
        model: &str,
        spent: ModelUsage,
        day: Day,
        now: Instant,
    ) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        let row = row(user, purpose, model, spent, day, now);
        Entity::insert(row).exec_without_returning(tx.db()).await?;
        tx.commit(NewAuditEntry::new(now, Actor::Coach, AuditAction::ModelAsk, format!("purpose:{purpose}")))
            .await
    }

    /// Reserves an estimate for a request; `None` if the daily limit is used up, and then the
    /// request must not be made. Reservations of one user are serialized, so only the last request
    /// can exceed the limit.
    pub async fn reserve_usage(
        &self,
        user: UserId,
        asking: &UsageRequest<'_>,
    ) -> Result<Option<UsageReservation>> {
        let tx = self.begin_user_write(user).await?;
        let spent = read_usage(tx.db(), user, asking.day).await?;
        let paid = spent.cost_micros.unwrap_or_default();
        if spent.tokens() >= asking.daily_token_limit
            || asking.daily_cost_limit_micros.is_some_and(|most| paid >= most)
        {
            return Ok(None);
        }
        let row = asking.row(user, asking.estimate);
        let id = Entity::insert(row).exec(tx.db()).await?.last_insert_id;
        // Not audited: only the settled usage is logged.
        tx.commit_without_audit().await?;
        Ok(Some(UsageReservation(id)))
    }

    /// Replaces a reservation with the actual usage. A request that used no tokens leaves no row.
    pub async fn settle_usage(
        &self,
        user: UserId,
        reserved: UsageReservation,
        purpose: Purpose,
        spent: ModelUsage,
        now: Instant,
    ) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        if spent.tokens() == 0 {
            Entity::delete_many()
                .filter(Column::Id.eq(reserved.0))
                .filter(Column::UserId.eq(user.get()))
                .exec(tx.db())
                .await?;
            return tx.commit_without_audit().await;
        }
        Entity::update_many()
            .col_expr(Column::InputTokens, Expr::value(to_i64(spent.input)))
            .col_expr(Column::CacheWriteTokens, Expr::value(to_i64(spent.cache_write)))
            .col_expr(Column::CacheReadTokens, Expr::value(to_i64(spent.cache_read)))
            .col_expr(Column::OutputTokens, Expr::value(to_i64(spent.output)))
            .col_expr(Column::CostMicros, Expr::value(spent.cost_micros.map(to_i64)))
            .filter(Column::Id.eq(reserved.0))
            .filter(Column::UserId.eq(user.get()))
            .exec(tx.db())
            .await?;
        tx.commit(NewAuditEntry::new(now, Actor::Coach, AuditAction::ModelAsk, format!("purpose:{purpose}")))
            .await
    }

    /// Usage of a day, including reservations of running requests.
    pub async fn usage_on(&self, user: UserId, day: Day) -> Result<ModelUsage> {
        read_usage(self.reader(), user, day).await
    }
}

#[derive(Debug, Clone, Copy)]
pub struct UsageRequest<'a> {
    pub purpose: Purpose,
    pub model: &'a str,
    pub estimate: ModelUsage,
    pub daily_token_limit: u64,
    /// Millionths of a US dollar; `None` if the model is free.
    pub daily_cost_limit_micros: Option<u64>,
    /// The day whose limits apply.
    pub day: Day,
    pub now: Instant,
}

impl UsageRequest<'_> {
    fn row(&self, user: UserId, spent: ModelUsage) -> ActiveModel {
        row(user, self.purpose, self.model, spent, self.day, self.now)
    }
}

/// Id of the reserved row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageReservation(i64);

fn to_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn row(
    user: UserId,
    purpose: Purpose,
    model: &str,
    spent: ModelUsage,
    day: Day,
    now: Instant,
) -> ActiveModel {
    ActiveModel {
        id: NotSet,
        user_id: Set(user.get()),
        day: Set(day.date()),
        at: Set(truncate_to_micros(now)),
        purpose: Set(purpose.as_str().to_owned()),
        model: Set(model.chars().take(200).collect()),
        input_tokens: Set(to_i64(spent.input)),
        cache_write_tokens: Set(to_i64(spent.cache_write)),
        cache_read_tokens: Set(to_i64(spent.cache_read)),
        output_tokens: Set(to_i64(spent.output)),
        cost_micros: Set(spent.cost_micros.map(to_i64)),
    }
}

async fn read_usage(db: &impl ConnectionTrait, user: UserId, day: Day) -> Result<ModelUsage> {
    let rows = Entity::find()
        .filter(Column::UserId.eq(user.get()))
        .filter(Column::Day.eq(day.date()))
        .all(db)
        .await?;
    let count = |number: i64| u64::try_from(number).unwrap_or_default();
    Ok(rows.iter().fold(ModelUsage::default(), |sum, row| ModelUsage {
        input: sum.input.saturating_add(count(row.input_tokens)),
        cache_write: sum.cache_write.saturating_add(count(row.cache_write_tokens)),
        cache_read: sum.cache_read.saturating_add(count(row.cache_read_tokens)),
        output: sum.output.saturating_add(count(row.output_tokens)),
        cost_micros: match (sum.cost_micros, row.cost_micros) {
            (sum, None) => sum,
            (sum, Some(cost)) => Some(sum.unwrap_or_default().saturating_add(count(cost))),
        },
    }))
}
