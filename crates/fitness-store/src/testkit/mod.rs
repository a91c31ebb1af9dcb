//! Test kit: a temporary database per test, on SQLite or PostgreSQL.
//!
//! With the `testkit` feature, as in every test build, the store panics on any file outside the
//! temporary directory and any PostgreSQL that is not on loopback ([`forbid_real_data`]). So a test
//! cannot touch the developer's own data, whatever `FITNESS_DB` and `HOME` are.

pub(crate) mod fingerprint;
mod io_faults;
mod postgres;
mod seed;
mod tcp_proxy;

pub use io_faults::{IoFault, IoFaultLibrary, IoFaults};
pub use postgres::{Cluster, cluster};
pub use seed::{
    activate, activation_request, all_rules, apply, consent, consent_at, draft, easy_run, june, now,
};
pub use tcp_proxy::TcpProxy;

use crate::db::connect::MissingDatabasePolicy;
use crate::db::location::Location;
use crate::db::store::Store;
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::future::Future;
use std::io::Write;
use std::net::IpAddr;
use std::path::Path;
use tempfile::TempDir;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// A file in a temporary directory.
    Sqlite,
    /// A separate database in a private cluster.
    Postgres,
}

/// A temporary database, removed on drop or with the cluster at the end of the process.
#[derive(Debug)]
pub struct TestDb {
    pub store: Store,
    pub backend: Backend,
    url: String,
    // Last field, so that it is dropped last.
    _directory: Option<TempDir>,
}

impl TestDb {
    /// A new, migrated database; `None` if PostgreSQL is not installed and the test must be
    /// skipped.
    ///
    /// # Panics
    /// If the database cannot be created.
    pub async fn new(backend: Backend) -> Option<Self> {
        let (url, directory) = match backend {
            Backend::Sqlite => {
                let directory = TempDir::new().expect("a temporary directory can be made");
                (directory.path().join("test.db").display().to_string(), Some(directory))
            }
            Backend::Postgres => (cluster()?.fresh_database().await, None),
        };
        let location = Location::parse(OsStr::new(&url)).expect("the test kit's own location is sound");
        let store =
            Store::open(location, MissingDatabasePolicy::Create).await.expect("a throw-away database opens");
        Some(Self { store, backend, url, _directory: directory })
    }

    /// The value of `FITNESS_DB` for this database.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A second store on the same database with its own connections, as another process would have.
    ///
    /// # Panics
    /// If it cannot be opened.
    pub async fn another_store(&self) -> Store {
        open(&self.url).await
    }

    /// Makes the database look like another program's, by deleting the migration record.
    ///
    /// # Panics
    /// If the database rejects it.
    pub async fn delete_migration_record(&self) {
        use sea_orm::ConnectionTrait;
        let raw = self.store.raw();
        raw.execute_unprepared("DELETE FROM seaql_migrations").await.expect("the record can be deleted");
        if self.is_sqlite() {
            raw.execute_unprepared("PRAGMA wal_checkpoint(TRUNCATE)")
                .await
                .expect("the log can be folded in");
        }
    }

    /// Runs raw SQL.
    ///
    /// # Panics
    /// If the database rejects it.
    pub async fn execute(&self, sql: &str) {
        use sea_orm::ConnectionTrait;
        self.store.raw().execute_unprepared(sql).await.expect("the SQL runs");
    }

    #[must_use]
    pub fn is_sqlite(&self) -> bool {
        self.backend == Backend::Sqlite
    }
}

/// Opens the database of a [`TestDb::url`].
///
/// # Panics
/// If it cannot be opened.
pub async fn open(url: &str) -> Store {
    let location = Location::parse(OsStr::new(url)).expect("a test's location is sound");
    Store::open(location, MissingDatabasePolicy::Refuse).await.expect("a test's database opens")
}

/// Runs a test on one backend. Without PostgreSQL it prints and counts a skip.
///
/// # Panics
/// If the test fails.
pub fn run<F: Future<Output = ()>>(name: &str, backend: Backend, test: impl FnOnce(TestDb) -> F) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime can be made");
    runtime.block_on(async {
        match TestDb::new(backend).await {
            Some(db) => test(db).await,
            None => skip(name, "no PostgreSQL is installed"),
        }
    });
}

/// Prints that a test is skipped and records it for `./check`.
///
/// # Panics
/// If the skip cannot be recorded where `./check` asked for it.
pub fn skip(name: &str, reason: &str) {
    eprintln!("SKIPPED {name}: {reason}");
    if let Some(path) = std::env::var_os("FITNESS_SKIPS") {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .expect("the list of skips can be written");
        writeln!(file, "{name}: {reason}").expect("the list of skips can be written");
    }
}

/// Defines each test for both databases: `sqlite::name` and `postgres::name`.
#[macro_export]
macro_rules! on_both_databases {
    ( $( $(#[$meta:meta])* async fn $name:ident($db:ident) $body:block )+ ) => {
        $( $(#[$meta])* async fn $name($db: $crate::testkit::TestDb) $body )+
        mod sqlite {
            $( #[test] fn $name() {
                $crate::testkit::run(stringify!($name), $crate::testkit::Backend::Sqlite, super::$name);
            } )+
        }
        mod postgres {
            $( #[test] fn $name() {
                $crate::testkit::run(stringify!($name), $crate::testkit::Backend::Postgres, super::$name);
            } )+
        }
    };
}

/// Panics if a test opens a file outside the temporary directory, or a server that is not on
/// loopback.
///
/// # Panics
/// Always for such a location.
pub fn forbid_real_data(location: &Location) {
    match location {
        Location::Sqlite { path, .. } => {
            assert!(
                is_temporary(path),
                "a test reached for {}, which is not in the temporary directory",
                path.display()
            );
        }
        Location::Postgres(options) => {
            let host = options.get_host();
            let loopback = options.get_socket().is_none()
                && (host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback()));
            assert!(loopback, "a test reached for a PostgreSQL at {host}, which is not loopback");
        }
    }
}

fn is_temporary(path: &Path) -> bool {
    let temporary = std::env::temp_dir();
    let temporary = temporary.canonicalize().unwrap_or(temporary);
    // The file may not exist yet, so check its nearest existing ancestor.
    let ancestor = path.ancestors().skip(1).find_map(|ancestor| ancestor.canonicalize().ok());
    ancestor.is_some_and(|ancestor| ancestor.starts_with(&temporary))
}
