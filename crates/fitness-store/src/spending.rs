//! What models took and cost: what the caps of a day are counted by.

use crate::audit::{Actor, Entry};
use crate::entities::spendings::{ActiveModel, Column, Entity};
use crate::error::Result;
use crate::store::{Store, stamp};
use fitness_core::calendar::{Day, Instant};
use fitness_core::ids::UserId;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, EntityTrait, QueryFilter,
};
use serde::Serialize;

fitness_core::words! {
    /// What a model was asked for.
    pub enum Purpose("purpose") {
        /// The morning brief.
        Brief = "brief",
        /// A conversation.
        Chat = "chat",
        /// A test of the model.
        Test = "test",
    }
}

/// What being asked once, or on a whole day, took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Spent {
    /// Tokens read anew.
    pub input: u64,
    /// Tokens written to the cache.
    pub cache_write: u64,
    /// Tokens read from the cache.
    pub cache_read: u64,
    /// Tokens written as an answer.
    pub output: u64,
    /// Millionths of a US dollar, as far as known.
    pub cost_micros: Option<u64>,
}

impl Spent {
    /// Everything read and written.
    #[must_use]
    pub const fn tokens(&self) -> u64 {
        self.input
            .saturating_add(self.cache_write)
            .saturating_add(self.cache_read)
            .saturating_add(self.output)
    }
}

impl Store {
    /// Notes what a model took.
    ///
    /// # Errors
    /// When there is no such user.
    pub async fn note_spending(
        &self,
        user: UserId,
        purpose: Purpose,
        model: &str,
        spent: Spent,
        day: Day,
        now: Instant,
    ) -> Result<()> {
        let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let tx = self.write(user).await?;
        let row = ActiveModel {
            id: NotSet,
            user_id: Set(user.get()),
            day: Set(day.date()),
            at: Set(stamp(now)),
            purpose: Set(purpose.as_str().to_owned()),
            model: Set(model.chars().take(200).collect()),
            input_tokens: Set(count(spent.input)),
            cache_write_tokens: Set(count(spent.cache_write)),
            cache_read_tokens: Set(count(spent.cache_read)),
            output_tokens: Set(count(spent.output)),
            cost_micros: Set(spent.cost_micros.map(count)),
        };
        Entity::insert(row).exec_without_returning(tx.db()).await?;
        tx.commit(Entry::new(now, Actor::Coach, "model.ask", format!("purpose:{purpose}"))).await
    }

    /// What models took on a day, all together.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn spent_on(&self, user: UserId, day: Day) -> Result<Spent> {
        let rows = Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Day.eq(day.date()))
            .all(self.reader())
            .await?;
        let count = |number: i64| u64::try_from(number).unwrap_or_default();
        Ok(rows.iter().fold(Spent::default(), |sum, row| Spent {
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
}
