//! The hermetic test kit: a seeded throw-away database per test, on either backend.
//!
//! With the `testkit` feature on, as in every test build, the store panics when it is asked to open anything
//! outside the temporary directory or a PostgreSQL that is not on loopback ([`forbid_real_data`]). So a test
//! cannot read the developer's own data, whatever `FITNESS_DB` and `HOME` say.

pub(crate) mod fingerprint;
mod io_faults;
mod postgres;
mod seed;
mod tcp_proxy;

pub use io_faults::{IoFault, IoFaultLibrary, IoFaults};
pub use postgres::{Cluster, cluster};
pub use seed::{activate, all_rules, apply, consent, consent_at, draft, easy_run, june, now};
pub use tcp_proxy::TcpProxy;

use crate::db::connect::IfMissing;
use crate::db::location::Location;
use crate::db::store::Store;
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::future::Future;
use std::io::Write;
use std::net::IpAddr;
use std::path::Path;
use tempfile::TempDir;

/// The two databases every story is told on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// A file in a temporary directory.
    Sqlite,
    /// A database of its own in a private cluster.
    Postgres,
}

/// A throw-away database. Gone when dropped, or with the cluster at the end of the process.
#[derive(Debug)]
pub struct TestDb {
    /// The open store.
    pub store: Store,
    /// Which backend it is on.
    pub backend: Backend,
    url: String,
    // Held so that it is removed last.
    _directory: Option<TempDir>,
}

impl TestDb {
    /// A fresh, migrated database; `None` when there is no PostgreSQL here and the test must be skipped.
    ///
    /// # Panics
    /// When a database cannot be made.
    pub async fn new(backend: Backend) -> Option<Self> {
        let (url, directory) = match backend {
            Backend::Sqlite => {
                let directory = TempDir::new().expect("a temporary directory can be made");
                (directory.path().join("test.db").display().to_string(), Some(directory))
            }
            Backend::Postgres => (cluster()?.fresh_database().await, None),
        };
        let location = Location::parse(OsStr::new(&url)).expect("the test kit's own location is sound");
        let store = Store::open(location, IfMissing::Create).await.expect("a throw-away database opens");
        Some(Self { store, backend, url, _directory: directory })
    }

    /// What `FITNESS_DB` would be for this database.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Another process's view of the same database: a store with connections of its own.
    ///
    /// # Panics
    /// When it cannot be opened.
    pub async fn another_store(&self) -> Store {
        open(&self.url).await
    }

    /// Makes it look like the work of some other program: sound, but without the record of who wrote it.
    ///
    /// # Panics
    /// When the database refuses.
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

    /// Runs SQL past every rule of the store.
    ///
    /// # Panics
    /// When the database refuses.
    pub async fn execute(&self, sql: &str) {
        use sea_orm::ConnectionTrait;
        self.store.raw().execute_unprepared(sql).await.expect("the SQL runs");
    }

    /// Whether it is a file.
    #[must_use]
    pub fn is_sqlite(&self) -> bool {
        self.backend == Backend::Sqlite
    }
}

/// Opens what [`TestDb::url`] names.
///
/// # Panics
/// When it cannot be opened.
pub async fn open(url: &str) -> Store {
    let location = Location::parse(OsStr::new(url)).expect("a test's location is sound");
    Store::open(location, IfMissing::Refuse).await.expect("a test's database opens")
}

/// Runs one test on one backend. Skips loudly, and counts the skip, where there is no PostgreSQL.
///
/// # Panics
/// When the test fails.
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

/// Says that a test is skipped and why, and lets `./check` count it.
///
/// # Panics
/// When the skip cannot be recorded where `./check` asked for it.
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

/// Tells each test as a story on both databases: `sqlite::name` and `postgres::name`.
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

/// Panics when a test reaches for anything but throw-away data: a file outside the temporary directory, or a
/// server that is not on loopback.
///
/// # Panics
/// That is its purpose.
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
    // The file need not exist yet; its nearest existing ancestor tells where it would be.
    let ancestor = path.ancestors().skip(1).find_map(|ancestor| ancestor.canonicalize().ok());
    ancestor.is_some_and(|ancestor| ancestor.starts_with(&temporary))
}
