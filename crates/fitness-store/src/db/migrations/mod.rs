//! Migrations, shared by SQLite and PostgreSQL.
//!
//! Tables are SQL with a few types in braces; each rule in `triggers.rs` becomes a trigger on
//! either database. A released migration is never edited: a later one changes what it created.

pub(crate) mod database_id;
mod matches;
mod proposal_findings;
mod triggers;

pub(crate) use triggers::POSTGRES_REFUSAL;
pub use triggers::{SqlTriggerEvent, Trigger, all_triggers};

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend, Statement};

pub(crate) struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(InitialMigration),
            Box::new(Reports),
            Box::new(Readers),
            Box::new(Metrics),
            Box::new(Zones),
            Box::new(TimeTrials),
            Box::new(PlansMigration),
            Box::new(matches::MatchesMigration),
            Box::new(proposal_findings::ProposalFindingsMigration),
            Box::new(Coach),
            Box::new(Web),
            Box::new(database_id::DatabaseIdMigration),
            Box::new(Accounts),
            Box::new(GearAndRecordings),
            Box::new(ActivityMeasures),
        ]
    }
}

/// Every migration with its SQL, in order. The backup code reads the table definitions from here,
/// so a released migration must never be edited.
pub(crate) const SCRIPTS: &[(&str, &str)] = &[
    ("m0001_foundation", include_str!("0001_tables.sql")),
    ("m0002_reports", include_str!("0002_reports.sql")),
    ("m0003_readers", include_str!("0003_readers.sql")),
    ("m0004_metrics", include_str!("0004_metrics.sql")),
    ("m0005_zones", include_str!("0005_zones.sql")),
    ("m0006_time_trials", include_str!("0006_time_trials.sql")),
    ("m0007_plans", include_str!("0007_plans.sql")),
    ("m0008_matches", include_str!("0008_matches.sql")),
    ("m0009_decisions", include_str!("0009_decisions.sql")),
    ("m0010_coach", include_str!("0010_coach.sql")),
    ("m0011_web", include_str!("0011_web.sql")),
    (database_id::NAME, include_str!("0012_identity.sql")),
    ("m0013_accounts", include_str!("0013_accounts.sql")),
    ("m0014_gear_and_recordings", include_str!("0014_gear_and_recordings.sql")),
    ("m0015_activity_measures", include_str!("0015_activity_measures.sql")),
];

/// The SQL of a migration for one database.
fn script(name: &str, backend: DbBackend) -> String {
    let (_, text) = SCRIPTS.iter().find(|(known, _)| *known == name).expect("every migration has its text");
    dialect(text, backend)
}

/// The first migration. A database without it was not created by local-fitness.
pub(crate) const FIRST_MIGRATION: &str = "m0001_foundation";

struct InitialMigration;

impl MigrationName for InitialMigration {
    fn name(&self) -> &str {
        FIRST_MIGRATION
    }
}

#[expect(elided_lifetimes_in_paths, reason = "async_trait fixes the lifetimes of the trait's signature")]
#[async_trait::async_trait]
impl MigrationTrait for InitialMigration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let db = manager.get_connection();
        db.execute_unprepared(&script(self.name(), backend)).await?;
        create_triggers(db, triggers::FIRST_TRIGGERS).await?;
        if backend == DbBackend::Postgres {
            db.execute_unprepared(&triggers::truncate_trigger_sql()).await?;
            db.execute_unprepared(POSTGRES_DEFERRABLE).await?;
        }
        Ok(())
    }
}

/// A migration that consists of one SQL script.
macro_rules! plain_migration {
    ($(#[$doc:meta])* $name:ident = $migration:literal) => {
        $(#[$doc])*
        struct $name;

        impl MigrationName for $name {
            fn name(&self) -> &str {
                $migration
            }
        }

        #[expect(elided_lifetimes_in_paths, reason = "async_trait fixes the lifetimes of the trait's signature")]
        #[async_trait::async_trait]
        impl MigrationTrait for $name {
            async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
                let (db, backend) = (manager.get_connection(), manager.get_database_backend());
                db.execute_unprepared(&script(self.name(), backend)).await?;
                if backend == DbBackend::Postgres {
                    db.execute_unprepared(POSTGRES_DEFERRABLE).await?;
                }
                Ok(())
            }
        }
    };
}

plain_migration! {
    /// Source records, original files, estimates and races.
    Reports = "m0002_reports"
}
plain_migration! {
    /// Parser versions of imported files.
    Readers = "m0003_readers"
}
plain_migration! {
    Metrics = "m0004_metrics"
}
plain_migration! {
    Zones = "m0005_zones"
}
plain_migration! {
    /// Race or time trial.
    TimeTrials = "m0006_time_trials"
}

plain_migration! {
    /// Model usage and cost.
    Coach = "m0010_coach"
}
plain_migration! {
    /// Login links and calendar feeds.
    Web = "m0011_web"
}

plain_migration! {
    /// Confirmed sessions, confirmation codes and the server owner.
    Accounts = "m0013_accounts"
}
plain_migration! {
    /// Gear, recordings of several sources of an activity, and the version of the merge rules.
    GearAndRecordings = "m0014_gear_and_recordings"
}
plain_migration! {
    /// Load method, computed moving time and ascent, and device metrics of activities.
    ActivityMeasures = "m0015_activity_measures"
}

struct PlansMigration;

impl MigrationName for PlansMigration {
    fn name(&self) -> &str {
        "m0007_plans"
    }
}

#[expect(elided_lifetimes_in_paths, reason = "async_trait fixes the lifetimes of the trait's signature")]
#[async_trait::async_trait]
impl MigrationTrait for PlansMigration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let (db, backend) = (manager.get_connection(), manager.get_database_backend());
        db.execute_unprepared(&script(self.name(), backend)).await?;
        create_triggers(db, triggers::PLAN_TRIGGERS).await
    }
}

async fn create_triggers(db: &impl ConnectionTrait, guards: &[Trigger]) -> Result<(), DbErr> {
    let schema = current_schema(db).await?;
    for guard in guards {
        db.execute_unprepared(&guard.create_sql(db.get_database_backend(), &schema)).await?;
    }
    Ok(())
}

/// The quoted current schema; empty on SQLite.
async fn current_schema(db: &impl ConnectionTrait) -> Result<String, DbErr> {
    if db.get_database_backend() != DbBackend::Postgres {
        return Ok(String::new());
    }
    let sql = Statement::from_string(DbBackend::Postgres, "SELECT quote_ident(current_schema()) AS name");
    let row = db.query_one_raw(sql).await?.ok_or(DbErr::Custom("there is no current schema".to_owned()))?;
    row.try_get("", "name")
}

/// Removing a user needs foreign keys that are checked at the end of the transaction. SQLite can
/// always defer them (`defer_foreign_keys`); PostgreSQL needs them to be declared deferrable.
const POSTGRES_DEFERRABLE: &str = "
DO $$
DECLARE fk record;
BEGIN
    FOR fk IN SELECT conrelid::regclass AS tab, conname FROM pg_constraint
              WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I DEFERRABLE INITIALLY IMMEDIATE', fk.tab, fk.conname);
    END LOOP;
END $$;";

/// Replaces the placeholders for types that the databases spell differently.
fn dialect(sql: &str, backend: DbBackend) -> String {
    let sqlite = [
        // AUTOINCREMENT: an id is never reused, not even after a deletion.
        ("{{id}}", "INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0)"),
        ("{{int}}", "INTEGER"),
        ("{{real}}", "REAL"),
        ("{{bool}}", "INTEGER"),
        ("{{false}}", "0"),
        ("{{bytes}}", "BLOB"),
        ("{{json}}", "TEXT"),
        ("{{day}}", "TEXT"),
        ("{{instant}}", "TEXT"),
        ("{{table}}", " STRICT"),
    ];
    let postgres = [
        ("{{id}}", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
        ("{{int}}", "BIGINT"),
        ("{{real}}", "DOUBLE PRECISION"),
        ("{{bool}}", "BOOLEAN"),
        ("{{false}}", "FALSE"),
        ("{{bytes}}", "BYTEA"),
        ("{{json}}", "JSONB"),
        ("{{day}}", "DATE"),
        ("{{instant}}", "TIMESTAMPTZ"),
        ("{{table}}", ""),
    ];
    let words = if backend == DbBackend::Postgres { postgres } else { sqlite };
    words.iter().fold(sql.to_owned(), |sql, (word, spelling)| sql.replace(word, spelling))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fitness_core::domain::content_hash::ContentHash;

    /// One line per migration: its name and the hash of all its SQL. A line is added with its
    /// migration and never changed.
    const CHECKSUMS: &str = include_str!("checksums.txt");

    fn triggers_of(migration: &str) -> &'static [Trigger] {
        match migration {
            FIRST_MIGRATION => triggers::FIRST_TRIGGERS,
            "m0007_plans" => triggers::PLAN_TRIGGERS,
            "m0008_matches" => matches::TRIGGERS,
            "m0009_decisions" => proposal_findings::TRIGGERS,
            _ => &[],
        }
    }

    fn sql(migration: &str) -> String {
        let mut sql = String::new();
        for backend in [DbBackend::Sqlite, DbBackend::Postgres] {
            sql += &script(migration, backend);
            for guard in triggers_of(migration) {
                sql += &guard.create_sql(backend, "public");
            }
        }
        if migration == FIRST_MIGRATION {
            sql += &triggers::truncate_trigger_sql();
        }
        sql
    }

    #[test]
    fn released_migrations_are_never_edited() {
        let mut found = String::new();
        for (name, _) in SCRIPTS {
            writeln!(found, "{name} {}", ContentHash::hash_bytes(sql(name).as_bytes())).unwrap();
        }
        assert_eq!(found, CHECKSUMS, "add a migration instead of editing one");
        let guards_listed: usize = SCRIPTS.iter().map(|(name, _)| triggers_of(name).len()).sum();
        assert_eq!(guards_listed, all_triggers().count(), "a guard belongs to no migration here");
    }
}
