//! Which database this is.

use super::script;
use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{ConnectionTrait, Statement};
use std::fmt::Write;

pub(super) struct Identity;

/// The table that is nobody's, and stays where it is.
pub(crate) const TABLE: &str = "database_identity";
/// The migration that made it.
pub(crate) const NAME: &str = "m0012_identity";

impl MigrationName for Identity {
    fn name(&self) -> &str {
        NAME
    }
}

#[expect(elided_lifetimes_in_paths, reason = "async_trait fixes the lifetimes of the trait's signature")]
#[async_trait::async_trait]
impl MigrationTrait for Identity {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let (db, backend) = (manager.get_connection(), manager.get_database_backend());
        db.execute_unprepared(&script(self.name(), backend)).await?;
        let sql = format!("INSERT INTO {TABLE} (identity) VALUES ($1)");
        db.execute_raw(Statement::from_sql_and_values(backend, sql, [made_up().into()])).await?;
        Ok(())
    }
}

/// 16 random bytes in hexadecimal.
pub(crate) fn made_up() -> String {
    rand::random::<[u8; 16]>().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string cannot fail");
        text
    })
}
