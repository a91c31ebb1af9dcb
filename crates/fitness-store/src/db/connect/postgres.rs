//! Connecting to PostgreSQL.

use super::{
    APPLIED_MIGRATIONS_SQL, BACKUP_POOL_SIZE, BACKUP_TIMEOUT, DatabaseContents, MissingDatabasePolicy,
    OpenedDatabase, applied_migrations, classify_contents, pool_options, refuse_newer,
};
use crate::backup::BackupLocation;
use crate::db::error::{Error, Result};
use crate::db::location::Location;
use crate::db::read_connection::ReadConnection;
use crate::db::store::Store;
use sea_orm::SqlxPostgresConnector;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Connection};
use std::sync::Arc;
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const STATEMENT_TIMEOUT: &str = "30s";
const POSTGRES_POOL_SIZE: u32 = 10;

/// A request that waits longer for a connection fails: the server is down or overloaded.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);
/// Tables and views of the current schema, except those of extensions.
pub(super) const RELATIONS_SQL: &str = "SELECT c.relname::text FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')";

pub(super) async fn open(
    location: Location,
    options: PgConnectOptions,
    missing: MissingDatabasePolicy,
) -> Result<OpenedDatabase> {
    let options = options
        .application_name("local-fitness")
        .options([("statement_timeout", STATEMENT_TIMEOUT)])
        .disable_statement_logging();
    let contents = tokio::time::timeout(CONNECT_TIMEOUT, inspect_postgres(&location, &options))
        .await
        .map_err(|_| Error::Unreachable(location.to_string(), "no response within 5 seconds".to_owned()))??;
    if contents == DatabaseContents::Empty && missing == MissingDatabasePolicy::Refuse {
        return Err(Error::NoDatabase(location.to_string()));
    }
    refuse_newer(&location, &contents)?;
    let pool = pool_options()
        .max_connections(POSTGRES_POOL_SIZE)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .connect_lazy_with(options.clone());
    let archive = pool_options()
        .max_connections(BACKUP_POOL_SIZE)
        .acquire_timeout(BACKUP_TIMEOUT)
        .connect_lazy_with(options);
    let connection = SqlxPostgresConnector::from_sqlx_postgres_pool(pool);
    let store = Store {
        location,
        backup_location: BackupLocation::default(),
        writer: connection.clone(),
        reader: ReadConnection::Pool(connection.clone()),
        backup_reader: SqlxPostgresConnector::from_sqlx_postgres_pool(archive),
        change_watcher: connection,
        watcher_connections: Arc::default(),
    };
    Ok(OpenedDatabase { store, contents, created_file: None })
}

async fn inspect_postgres(location: &Location, options: &PgConnectOptions) -> Result<DatabaseContents> {
    let inspect = async {
        let mut connection = options.connect().await?;
        let tables: Vec<String> = sqlx::query_scalar(RELATIONS_SQL).fetch_all(&mut connection).await?;
        let applied = applied_migrations(
            &tables,
            sqlx::query_scalar(APPLIED_MIGRATIONS_SQL).fetch_all(&mut connection),
        )
        .await;
        connection.close().await?;
        Ok((tables, applied))
    };
    let (tables, applied) = inspect.await.map_err(|e| postgres_error(location, &e))?;
    classify_contents(location, &tables, applied)
}

fn postgres_error(location: &Location, error: &sqlx::Error) -> Error {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    match (code.as_deref(), error.as_database_error()) {
        // invalid_password, invalid_authorization, invalid_catalog_name (no such database),
        // insufficient_privilege
        (Some("28P01" | "28000" | "3D000" | "42501"), Some(database)) => {
            Error::LoginRefused(location.to_string(), database.message().to_owned())
        }
        _ => Error::Unreachable(location.to_string(), error.to_string()),
    }
}
