//! Compares the schema with the one the migrations create, to find dropped triggers or indexes,
//! changed rules, and foreign triggers.

use crate::db::error::Result;
use crate::db::migrations::Migrator;
use crate::db::store::Store;
use sea_orm::{ConnectionTrait, DbBackend, SqlxSqliteConnector, Statement, TransactionTrait as _};
use sea_orm_migration::MigratorTrait as _;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use std::collections::BTreeMap;

/// Definitions by kind and name.
type Schema = BTreeMap<String, String>;

const SQLITE_SCHEMA_SQL: &str = "SELECT type || ' ' || name AS name, COALESCE(sql, '') AS definition
    FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";

/// Tables with columns and defaults, constraints, indexes, triggers (and whether they are enabled)
/// and their functions; also views, rules, policies and row security, which we do not use.
const POSTGRES_SCHEMA_SQL: &str = "
    SELECT 'table ' || c.relname AS name, string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
            || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END, ', ' ORDER BY a.attnum) AS definition
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') GROUP BY c.relname
    UNION ALL SELECT 'default ' || c.relname || '.' || a.attname, pg_get_expr(d.adbin, d.adrelid)
        FROM pg_attrdef d JOIN pg_class c ON c.oid = d.adrelid
        JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
        WHERE c.relnamespace = current_schema()::regnamespace
    UNION ALL SELECT 'view ' || relname, '' FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('v', 'm', 'f')
        AND NOT EXISTS (SELECT 1 FROM pg_depend e WHERE e.objid = pg_class.oid AND e.deptype = 'e')
    UNION ALL SELECT 'rule ' || rulename, tablename || ': ' || definition
        FROM pg_rules WHERE schemaname = current_schema()
    UNION ALL SELECT 'policy ' || policyname, tablename || ' ' || COALESCE(qual, '')
        FROM pg_policies WHERE schemaname = current_schema()
    UNION ALL SELECT 'row security of ' || relname, '' FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relrowsecurity
    UNION ALL SELECT 'constraint ' || conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND contype IN ('c', 'f', 'p', 'u')
    UNION ALL SELECT 'index ' || indexname, replace(indexdef, quote_ident(schemaname) || '.', '')
        FROM pg_indexes WHERE schemaname = current_schema()
    UNION ALL SELECT 'trigger ' || t.tgname, pg_get_triggerdef(t.oid, true)
            || CASE WHEN t.tgenabled IN ('O', 'A') THEN '' ELSE ', switched off' END
        FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid AND c.relnamespace = current_schema()::regnamespace
        WHERE NOT t.tgisinternal
    UNION ALL SELECT 'function ' || proname, prosrc || COALESCE(' SET ' || array_to_string(proconfig, ', '), '')
            || CASE WHEN prosecdef THEN ' SECURITY DEFINER' ELSE '' END
        FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
        AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = pg_proc.oid AND d.deptype = 'e')";

/// The schema that all migrations create on PostgreSQL, as read by [`POSTGRES_SCHEMA_SQL`]. A test
/// keeps it up to date.
const EXPECTED_POSTGRES: &str = include_str!("../migrations/schema_postgres.json");

/// sea-orm's own table, which is not checked.
const MIGRATIONS_TABLE: &str = "seaql_migrations";

pub(super) async fn differences(store: &Store) -> Result<Vec<String>> {
    let found = read(store.reader()).await?;
    let expected = match store.backend() {
        DbBackend::Postgres => serde_json::from_str(EXPECTED_POSTGRES).expect("the expected schema is JSON"),
        _ => fresh_sqlite().await?,
    };
    Ok(compare(&expected, &found))
}

pub(crate) async fn read(db: &impl ConnectionTrait) -> Result<Schema> {
    let sql = if db.get_database_backend() == DbBackend::Postgres {
        POSTGRES_SCHEMA_SQL
    } else {
        SQLITE_SCHEMA_SQL
    };
    let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
    let mut schema = Schema::new();
    for row in rows {
        let (mut name, definition): (String, String) =
            (row.try_get("", "name")?, row.try_get("", "definition")?);
        // The same name may occur for triggers on different tables and overloaded functions.
        while schema.contains_key(&name) {
            name.push_str(", another");
        }
        if !name.contains(MIGRATIONS_TABLE) {
            schema.insert(name, definition.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    Ok(schema)
}

/// The expected schema, from an in-memory database.
async fn fresh_sqlite() -> Result<Schema> {
    let options = SqliteConnectOptions::new().in_memory(true);
    let pool = SqlitePoolOptions::new().max_connections(1).connect_lazy_with(options);
    let memory = SqlxSqliteConnector::from_sqlx_sqlite_pool(pool);
    let tx = memory.begin().await?;
    Migrator::up(&tx, None).await?;
    let schema = read(&tx).await?;
    tx.rollback().await?;
    Ok(schema)
}

fn compare(expected: &Schema, found: &Schema) -> Vec<String> {
    let missing =
        expected.keys().filter(|name| !found.contains_key(*name)).map(|name| format!("{name} is missing"));
    let changed = expected
        .iter()
        .filter(|(name, definition)| found.get(*name).is_some_and(|found| found != *definition))
        .map(|(name, _)| format!("{name} was changed"));
    let unknown = found
        .keys()
        .filter(|name| !expected.contains_key(*name))
        .map(|name| format!("{name} was not created by local-fitness"));
    missing.chain(changed).chain(unknown).collect()
}

#[cfg(all(test, feature = "testkit"))]
mod tests {
    use super::*;
    use crate::testkit::{Backend, TestDb, run};

    /// Environment variable that makes the test rewrite the file, after adding a migration.
    const UPDATE: &str = "UPDATE_SCHEMA";

    #[test]
    fn postgres_expected_schema_matches_migrations() {
        run("postgres_expected_schema_matches_migrations", Backend::Postgres, async |db: TestDb| {
            let found = read(db.store.reader()).await.unwrap();
            if std::env::var_os(UPDATE).is_some() {
                let text = serde_json::to_string_pretty(&found).unwrap() + "\n";
                std::fs::write("src/db/migrations/schema_postgres.json", text).unwrap();
                return;
            }
            let expected: Schema = serde_json::from_str(EXPECTED_POSTGRES).unwrap();
            assert_eq!(compare(&expected, &found), [""; 0], "run the test with {UPDATE}=1");
        });
    }
}
