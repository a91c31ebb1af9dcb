//! Per-user settings: JSON values by key.

use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::convert::{from_json, to_json};
use crate::db::entities::settings::{ActiveModel, Column, Entity};
use crate::db::error::Result;
use crate::db::store::Store;
use crate::db::tx::Tx;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::UserId;
use sea_orm::prelude::Json;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde::{Serialize, de::DeserializeOwned};
use std::collections::BTreeMap;

/// Encrypted API key of an athlete's coach.
pub const COACH_KEY_SETTING: &str = "coach_key";
/// The owner's encrypted API key that all users of the server may use.
pub const SHARED_COACH_KEY_SETTING: &str = "shared_coach_key";

impl Store {
    /// # Errors
    /// `Unreadable` if the stored value has another type.
    pub async fn find_setting<T: DeserializeOwned>(&self, user: UserId, key: &str) -> Result<Option<T>> {
        let row = Entity::find_by_id((user.get(), key.to_owned())).one(self.reader()).await?;
        row.map(|row| from_json(row.value)).transpose()
    }

    pub async fn put_setting<T: Serialize + Sync>(
        &self,
        user: UserId,
        key: &str,
        value: &T,
        now: Instant,
    ) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        put(&tx, key, value).await?;
        let entry = NewAuditEntry::new(now, Actor::Human, AuditAction::SettingPut, format!("setting:{key}"));
        tx.commit(entry.change(None, Some(ContentHash::hash_json(value)))).await
    }

    /// Caches something the program found out, such as a server's capabilities. Not audited,
    /// because it is not the athlete's data.
    pub async fn cache_setting<T: Serialize + Sync>(&self, user: UserId, key: &str, value: &T) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        put(&tx, key, value).await?;
        tx.commit_without_audit().await
    }

    /// All settings of a user, by key.
    pub async fn list_settings(&self, user: UserId) -> Result<BTreeMap<String, Json>> {
        let rows = Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .order_by_asc(Column::Key)
            .all(self.reader())
            .await?;
        Ok(rows.into_iter().map(|row| (row.key, row.value)).collect())
    }
}

async fn put<T: Serialize + Sync>(tx: &Tx, key: &str, value: &T) -> Result<()> {
    let (user, key) = (tx.user().get(), key.to_owned());
    let row = ActiveModel { user_id: Set(user), key: Set(key), value: Set(to_json(value)) };
    let replace = OnConflict::columns([Column::UserId, Column::Key]).update_column(Column::Value).to_owned();
    Entity::insert(row).on_conflict(replace).exec_without_returning(tx.db()).await?;
    Ok(())
}
