//! Where reads go: to any connection of the pool, or all to one snapshot.

use sea_orm::prelude::async_trait;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult,
    Statement, TransactionOptions, TransactionTrait,
};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(crate) enum ReadConnection {
    Pool(DatabaseConnection),
    /// A read transaction: everything read through it was true at one moment.
    Snapshot(Arc<DatabaseTransaction>),
}

/// Calls a method of whichever connection it is.
macro_rules! delegate {
    ($reader:expr, $db:ident => $call:expr) => {
        match $reader {
            ReadConnection::Pool($db) => $call,
            ReadConnection::Snapshot($db) => $call,
        }
    };
}

impl ReadConnection {
    /// A transaction; a nested one inside a snapshot, which sees the same.
    pub(crate) async fn begin(&self, options: TransactionOptions) -> Result<DatabaseTransaction, DbErr> {
        match self {
            Self::Pool(db) => db.begin_with_options(options).await,
            Self::Snapshot(db) => db.begin().await,
        }
    }
}

#[async_trait::async_trait]
impl ConnectionTrait for ReadConnection {
    fn get_database_backend(&self) -> DbBackend {
        delegate!(self, db => db.get_database_backend())
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        delegate!(self, db => db.execute_raw(statement).await)
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        delegate!(self, db => db.execute_unprepared(sql).await)
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        delegate!(self, db => db.query_one_raw(statement).await)
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        delegate!(self, db => db.query_all_raw(statement).await)
    }
}
