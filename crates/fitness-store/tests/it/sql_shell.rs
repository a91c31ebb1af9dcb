//! Raw SQL as in a database shell: bypasses our types, and on SQLite has foreign keys off, like the
//! `sqlite3` program.

use fitness_store::testkit::{Backend, TestDb};
use sqlx::{
    AssertSqlSafe, Connection, Executor, PgConnection, Row, SqliteConnection, sqlite::SqliteConnectOptions,
};

pub(crate) enum Raw {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Raw {
    pub(crate) async fn connect(db: &TestDb) -> Self {
        match db.backend {
            Backend::Sqlite => {
                let options = SqliteConnectOptions::new().filename(db.url()).foreign_keys(false);
                Self::Sqlite(SqliteConnection::connect_with(&options).await.unwrap())
            }
            Backend::Postgres => Self::Postgres(PgConnection::connect(db.url()).await.unwrap()),
        }
    }

    pub(crate) const fn is_sqlite(&self) -> bool {
        matches!(self, Self::Sqlite(_))
    }

    /// Runs SQL; the error is the database's own message.
    pub(crate) async fn exec(&mut self, sql: &str) -> Result<u64, String> {
        let statement = AssertSqlSafe(sql.to_owned());
        let done = match self {
            Self::Sqlite(c) => c.execute(statement).await.map(|done| done.rows_affected()),
            Self::Postgres(c) => c.execute(statement).await.map(|done| done.rows_affected()),
        };
        done.map_err(|error| {
            error.as_database_error().map_or_else(|| error.to_string(), |e| e.message().to_owned())
        })
    }

    pub(crate) async fn must_exec(&mut self, sql: &str) {
        self.exec(sql).await.unwrap_or_else(|error| panic!("{error}: {sql}"));
    }

    pub(crate) async fn number(&mut self, sql: &str) -> i64 {
        let statement = AssertSqlSafe(sql.to_owned());
        match self {
            Self::Sqlite(c) => c.fetch_one(statement).await.unwrap().get(0),
            Self::Postgres(c) => c.fetch_one(statement).await.unwrap().get(0),
        }
    }

    pub(crate) async fn texts(&mut self, sql: &str) -> Vec<String> {
        let statement = AssertSqlSafe(sql.to_owned());
        match self {
            Self::Sqlite(c) => c.fetch_all(statement).await.unwrap().iter().map(|row| row.get(0)).collect(),
            Self::Postgres(c) => c.fetch_all(statement).await.unwrap().iter().map(|row| row.get(0)).collect(),
        }
    }
}
