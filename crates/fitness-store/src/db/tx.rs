//! Write transactions, which are committed together with an audit entry.

use crate::db::audit::{self, NewAuditEntry};
use crate::db::entities::users;
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::Store;
use fitness_core::domain::ids::UserId;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, EntityTrait, QuerySelect};

/// A write transaction for one user. Rolled back on drop.
#[derive(Debug)]
pub(crate) struct Tx {
    db: DatabaseTransaction,
    user: UserId,
}

impl Store {
    /// Starts a write transaction for a user. Writes of one user are serialized on both databases.
    ///
    /// # Errors
    /// `NotFound` when there is no such user.
    pub(crate) async fn begin_user_write(&self, user: UserId) -> Result<Tx> {
        let db = self.begin_write().await?;
        let mut query = users::Entity::find_by_id(user.get());
        if db.get_database_backend() == DbBackend::Postgres {
            query = query.lock_exclusive();
        }
        query.one(&db).await?.ok_or(Error::NotFound(RecordKind::User))?;
        Ok(Tx { db, user })
    }
}

impl Tx {
    /// For a user added in this transaction.
    pub(crate) const fn for_new_user(db: DatabaseTransaction, user: UserId) -> Self {
        Self { db, user }
    }

    pub(crate) const fn db(&self) -> &DatabaseTransaction {
        &self.db
    }

    pub(crate) const fn user(&self) -> UserId {
        self.user
    }

    /// Commits with an entry in the audit log.
    pub(crate) async fn commit(self, entry: NewAuditEntry) -> Result<()> {
        audit::append(&self.db, self.user, entry).await?;
        Ok(self.db.commit().await?)
    }

    /// Commits without an audit entry, for frequent writes that are not the athlete's data: a
    /// session used, a job claimed.
    pub(crate) async fn commit_without_audit(self) -> Result<()> {
        Ok(self.db.commit().await?)
    }

    /// Commits the removal of this transaction's user; there is no audit log left to write to.
    ///
    /// # Errors
    /// If any row of the user is left; nothing was removed.
    pub(crate) async fn commit_user_removal(self) -> Result<()> {
        Ok(self.db.commit().await?)
    }
}

/// Defers foreign key checks to the end of the transaction, so that rows can be deleted or inserted
/// in any order.
pub(crate) async fn defer_foreign_keys(db: &DatabaseTransaction) -> Result<()> {
    let sql = match db.get_database_backend() {
        DbBackend::Postgres => "SET CONSTRAINTS ALL DEFERRED",
        _ => "PRAGMA defer_foreign_keys = ON",
    };
    db.execute_unprepared(sql).await?;
    Ok(())
}
