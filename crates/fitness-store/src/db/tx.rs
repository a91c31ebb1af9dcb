//! Writing: a transaction that can only be committed together with its audit entry.

use crate::db::audit::{self, NewAuditEntry};
use crate::db::entities::users;
use crate::db::error::{Error, Result};
use crate::db::store::Store;
use fitness_core::domain::ids::UserId;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, EntityTrait, QuerySelect};

/// An open write on behalf of one user. Dropping it undoes everything.
#[derive(Debug)]
pub(crate) struct Tx {
    db: DatabaseTransaction,
    user: UserId,
}

impl Store {
    /// Begins to write for a user, alone: one user's writes follow each other on either database.
    ///
    /// # Errors
    /// `NotFound` when there is no such user.
    pub(crate) async fn begin_user_write(&self, user: UserId) -> Result<Tx> {
        let db = self.begin_write().await?;
        let mut query = users::Entity::find_by_id(user.get());
        if db.get_database_backend() == DbBackend::Postgres {
            query = query.lock_exclusive();
        }
        query.one(&db).await?.ok_or(Error::NotFound("user"))?;
        Ok(Tx { db, user })
    }
}

impl Tx {
    /// For a user that this very transaction has just added.
    pub(crate) const fn for_new_user(db: DatabaseTransaction, user: UserId) -> Self {
        Self { db, user }
    }

    /// Where to read and write.
    pub(crate) const fn db(&self) -> &DatabaseTransaction {
        &self.db
    }

    /// Whose rows these are.
    pub(crate) const fn user(&self) -> UserId {
        self.user
    }

    /// The only way to keep what was written: with a line in the audit log, in the same transaction.
    ///
    /// # Errors
    /// When the database refuses; nothing was kept.
    pub(crate) async fn commit(self, entry: NewAuditEntry) -> Result<()> {
        audit::append(&self.db, self.user, entry).await?;
        Ok(self.db.commit().await?)
    }

    /// Keeps what is no state of the athlete's and happens too often to log: a session seen, a job claimed.
    ///
    /// # Errors
    /// When the database refuses; nothing was kept.
    pub(crate) async fn commit_without_audit(self) -> Result<()> {
        Ok(self.db.commit().await?)
    }

    /// Keeps the removal of the user this transaction was for; there is nobody left to log it for.
    ///
    /// # Errors
    /// When any row of theirs is left; nothing was removed.
    pub(crate) async fn commit_user_removal(self) -> Result<()> {
        Ok(self.db.commit().await?)
    }
}

/// Lets foreign keys wait until the end, so that a parent can go before its children, or come after them.
pub(crate) async fn defer_foreign_keys(db: &DatabaseTransaction) -> Result<()> {
    let sql = match db.get_database_backend() {
        DbBackend::Postgres => "SET CONSTRAINTS ALL DEFERRED",
        _ => "PRAGMA defer_foreign_keys = ON",
    };
    db.execute_unprepared(sql).await?;
    Ok(())
}
