//! Migration 12: a random id for each database.

use super::script;
use crate::auth::secret::random_hex;
use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{ConnectionTrait, Statement};

pub(super) struct DatabaseIdMigration;

/// A table without a user, which is not part of backups.
pub(crate) const TABLE: &str = "database_identity";
pub(crate) const NAME: &str = "m0012_identity";

impl MigrationName for DatabaseIdMigration {
    fn name(&self) -> &str {
        NAME
    }
}

#[expect(elided_lifetimes_in_paths, reason = "async_trait fixes the lifetimes of the trait's signature")]
#[async_trait::async_trait]
impl MigrationTrait for DatabaseIdMigration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let (db, backend) = (manager.get_connection(), manager.get_database_backend());
        db.execute_unprepared(&script(self.name(), backend)).await?;
        let sql = format!("INSERT INTO {TABLE} (identity) VALUES ($1)");
        db.execute_raw(Statement::from_sql_and_values(backend, sql, [random_hex::<16>().into()])).await?;
        Ok(())
    }
}
