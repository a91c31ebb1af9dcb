//! Settings: small values under a name, per user.

use crate::db::audit::{Actor, Entry};
use crate::db::convert::{json, to_json};
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

/// The setting with an athlete's encrypted API key for their coach.
pub const COACH_KEY_SETTING: &str = "coach_key";
/// The owner's setting with an encrypted API key that everybody on the server may use.
pub const SHARED_COACH_KEY_SETTING: &str = "shared_coach_key";

impl Store {
    /// A setting, when it was set.
    ///
    /// # Errors
    /// `Unreadable` when what is stored is of another shape.
    pub async fn find_setting<T: DeserializeOwned>(&self, user: UserId, key: &str) -> Result<Option<T>> {
        let row = Entity::find_by_id((user.get(), key.to_owned())).one(self.reader()).await?;
        row.map(|row| json(row.value)).transpose()
    }

    /// Sets a setting.
    ///
    /// # Errors
    /// When there is no such user.
    pub async fn put_setting<T: Serialize + Sync>(
        &self,
        user: UserId,
        key: &str,
        value: &T,
        now: Instant,
    ) -> Result<()> {
        let tx = self.write(user).await?;
        put(&tx, key, value).await?;
        let entry = Entry::new(now, Actor::Human, "setting.put", format!("setting:{key}"));
        tx.commit(entry.change(None, Some(ContentHash::of_json(value)))).await
    }

    /// Keeps what the program found out itself, such as what a server can do. It is no state of the athlete's, so it is not
    /// logged.
    ///
    /// # Errors
    /// When there is no such user.
    pub async fn remember<T: Serialize + Sync>(&self, user: UserId, key: &str, value: &T) -> Result<()> {
        let tx = self.write(user).await?;
        put(&tx, key, value).await?;
        tx.commit_bookkeeping().await
    }

    /// Every setting of a user, by name.
    ///
    /// # Errors
    /// When the database does not answer.
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
