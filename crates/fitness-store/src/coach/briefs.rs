//! Morning briefs, stored with the facts they were given.

use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::convert::day;
use crate::db::entities::{brief_facts, briefs};
use crate::db::error::Result;
use crate::db::store::{Store, truncate_to_micros};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{BriefId, UserId};
use sea_orm::prelude::Json;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder,
};
use serde::Serialize;

/// A fact given to a brief, with its source.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoredFact {
    /// Name used in the text of the brief.
    pub fact_id: String,
    pub value: Json,
    pub source: Json,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoredBrief {
    pub id: BriefId,
    pub day: Day,
    pub written_at: Instant,
    /// Model id, or the built-in coach.
    pub model: String,
    pub prompt_version: String,
    /// Version of the output format it was validated against.
    pub schema_version: String,
    /// The text, with fact ids in place of numbers.
    pub body: Json,
    /// Cost in millionths of a US dollar; `None` if unknown.
    pub cost_micros: Option<i64>,
    /// One sentence on why the requested model did not write it; `None` if it did.
    pub fell_back: Option<String>,
    pub facts: Vec<StoredFact>,
}

/// A brief to be stored.
#[derive(Debug, Clone)]
pub struct NewBrief {
    pub day: Day,
    pub model: String,
    pub prompt_version: String,
    pub schema_version: String,
    pub body: Json,
    pub cost_micros: Option<i64>,
    /// One sentence on why the requested model did not write it; `None` if it did.
    pub fallback_reason: Option<String>,
    pub facts: Vec<StoredFact>,
}

impl Store {
    pub async fn put_brief(&self, user: UserId, brief: NewBrief, now: Instant) -> Result<BriefId> {
        let tx = self.begin_user_write(user).await?;
        let hash = ContentHash::hash_json(&(&brief.body, &brief.facts));
        let row = briefs::ActiveModel {
            id: NotSet,
            user_id: Set(user.get()),
            day: Set(brief.day.date()),
            written_at: Set(truncate_to_micros(now)),
            model: Set(brief.model),
            prompt_version: Set(brief.prompt_version),
            schema_version: Set(brief.schema_version),
            body: Set(brief.body),
            cost_micros: Set(brief.cost_micros),
            fell_back: Set(brief.fallback_reason),
        };
        let id = briefs::Entity::insert(row).exec(tx.db()).await?.last_insert_id;
        let facts: Vec<_> = brief
            .facts
            .into_iter()
            .map(|fact| brief_facts::ActiveModel {
                brief_id: Set(id),
                user_id: Set(user.get()),
                fact_id: Set(fact.fact_id),
                value: Set(fact.value),
                source: Set(fact.source),
            })
            .collect();
        if !facts.is_empty() {
            brief_facts::Entity::insert_many(facts).exec_without_returning(tx.db()).await?;
        }
        let entry = NewAuditEntry::new(now, Actor::Coach, AuditAction::BriefPut, format!("brief:{id}"));
        tx.commit(entry.change(None, Some(hash))).await?;
        Ok(BriefId::new(id))
    }

    pub async fn find_brief(&self, user: UserId, on: Day) -> Result<Option<StoredBrief>> {
        self.newest_brief(user, Some(on)).await
    }

    /// The newest brief for the latest day.
    pub async fn latest_brief(&self, user: UserId) -> Result<Option<StoredBrief>> {
        self.newest_brief(user, None).await
    }

    async fn newest_brief(&self, user: UserId, on: Option<Day>) -> Result<Option<StoredBrief>> {
        let db = self.snapshot().await?;
        let mut query = briefs::Entity::find().filter(briefs::Column::UserId.eq(user.get()));
        if let Some(on) = on {
            query = query.filter(briefs::Column::Day.eq(on.date()));
        }
        let row = query.order_by_desc(briefs::Column::Day).order_by_desc(briefs::Column::Id).one(&db).await?;
        let Some(row) = row else { return Ok(None) };
        let facts = brief_facts::Entity::find()
            .filter(brief_facts::Column::BriefId.eq(row.id))
            .filter(brief_facts::Column::UserId.eq(user.get()))
            .order_by_asc(brief_facts::Column::FactId)
            .all(&db)
            .await?;
        Ok(Some(StoredBrief {
            id: BriefId::new(row.id),
            day: day(row.day)?,
            written_at: row.written_at,
            model: row.model,
            prompt_version: row.prompt_version,
            schema_version: row.schema_version,
            body: row.body,
            cost_micros: row.cost_micros,
            fell_back: row.fell_back,
            facts: facts
                .into_iter()
                .map(|fact| StoredFact { fact_id: fact.fact_id, value: fact.value, source: fact.source })
                .collect(),
        }))
    }
}
