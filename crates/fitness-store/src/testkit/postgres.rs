//! A private PostgreSQL for the test process: created with initdb and pg_ctl on a free port as an
//! unprivileged user, and removed when the process ends, however it ends.

use super::open;
use crate::auth::secret::random_hex;
use crate::db::connect::MissingDatabasePolicy;
use crate::db::location::Location;
use crate::db::migrations::database_id;
use crate::db::store::Store;
use sea_orm::ConnectionTrait;
use sqlx::{Connection, Executor, PgConnection};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Superuser of the private cluster.
const ROLE: &str = "fitness";
const PASSWORD: &str = "throw-away";
const TEMPLATE: &str = "fitness_template";

/// A running private cluster.
#[derive(Debug)]
pub struct Cluster {
    port: u16,
    databases: AtomicU64,
    // The shell that started the server reads this pipe. At the end of the pipe, when the process
    // ends, it stops the server and removes its directory.
    _lifeline: ChildStdin,
    _shell: Child,
}

/// The cluster of this process; `None` if PostgreSQL is not installed, which is a failure with
/// `CI=true`.
///
/// # Panics
/// If it does not start, or is required and not installed.
pub fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER
        .get_or_init(|| {
            let Some(binaries) = find_binaries() else {
                assert!(
                    std::env::var("CI").as_deref() != Ok("true"),
                    "CI needs PostgreSQL, and none is installed"
                );
                return None;
            };
            // On its own thread, because the caller is inside a runtime and must not block on
            // another.
            let started = std::thread::spawn(move || Cluster::start(&binaries)).join();
            Some(started.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
        .as_ref()
}

impl Cluster {
    fn start(binaries: &Path) -> Self {
        let directory = tempfile::Builder::new()
            .prefix("fitness-pg-")
            .tempdir()
            .expect("a temporary directory can be made");
        let root = directory.keep();
        let user = unprivileged_user();
        let mut prefix: Vec<&str> = Vec::new();
        if let Some(user) = user {
            let chown = Command::new("chown").arg(user).arg(&root).status().expect("chown runs");
            assert!(chown.success(), "the cluster's directory can be given to {user}");
            prefix.extend(["runuser", "-u", user, "--"]);
        }
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port is free").port();
        prefix.extend(["sh", "-c", SCRIPT, "sh"]);
        let mut child = Command::new(prefix[0])
            .args(&prefix[1..])
            .arg(binaries)
            .arg(&root)
            .arg(port.to_string())
            .args([ROLE, PASSWORD])
            .current_dir(&root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let lifeline = child.stdin.take().expect("stdin is piped");
        let mut said = String::new();
        BufReader::new(child.stdout.take().expect("stdout is piped"))
            .read_line(&mut said)
            .expect("the shell speaks");
        assert_eq!(said.trim(), "ready", "PostgreSQL starts; its log is in {}", root.display());
        let cluster = Self { port, databases: AtomicU64::new(0), _lifeline: lifeline, _shell: child };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime can be made");
        runtime.block_on(cluster.make_template());
        cluster
    }

    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{ROLE}:{PASSWORD}@127.0.0.1:{}/{database}", self.port)
    }

    /// Migrates a template once; each new database is a copy.
    async fn make_template(&self) {
        self.admin(&format!("CREATE DATABASE {TEMPLATE}")).await;
        let location =
            Location::parse(OsStr::new(&self.url(TEMPLATE))).expect("the cluster's own URL is sound");
        Store::open(location, MissingDatabasePolicy::Create)
            .await
            .expect("the template can be migrated")
            .close()
            .await;
    }

    /// A new, migrated database.
    ///
    /// # Panics
    /// If it cannot be created.
    pub async fn fresh_database(&self) -> String {
        let url = self.empty_database_from(Some(TEMPLATE)).await;
        let store = open(&url).await;
        // The copy gets its own identity.
        let sql = format!("UPDATE {} SET identity = '{}'", database_id::TABLE, random_hex::<16>());
        store.raw().execute_unprepared(&sql).await.expect("the private cluster obeys");
        store.close().await;
        url
    }

    /// A new, empty database.
    ///
    /// # Panics
    /// If it cannot be created.
    pub async fn empty_database(&self) -> String {
        self.empty_database_from(None).await
    }

    async fn empty_database_from(&self, template: Option<&str>) -> String {
        let name = format!("t{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let template = template.map(|template| format!(" TEMPLATE {template}")).unwrap_or_default();
        self.admin(&format!("CREATE DATABASE {name}{template}")).await;
        self.url(&name)
    }

    async fn admin(&self, sql: &str) {
        let mut connection =
            PgConnection::connect(&self.url("postgres")).await.expect("the private cluster answers");
        connection.execute(sqlx::AssertSqlSafe(sql.to_owned())).await.expect("the private cluster obeys");
        connection.close().await.expect("the private cluster says goodbye");
    }
}

/// Creates a cluster, prints "ready", waits for the end of its input and removes the cluster.
/// Arguments: directory of the binaries, directory of the cluster, port, role, password.
const SCRIPT: &str = r#"
trap '' INT TERM
bin=$1 root=$2 port=$3
printf '%s' "$5" > "$root/password"
"$bin/initdb" -D "$root/data" -U "$4" -A scram-sha-256 --pwfile="$root/password" -E UTF8 --locale=C --no-sync \
    > "$root/initdb.log" 2>&1 || exit 1
"$bin/pg_ctl" -D "$root/data" -w -t 60 -l "$root/server.log" -o "-p $port -c listen_addresses=127.0.0.1 \
    -c unix_socket_directories='' -c fsync=off -c full_page_writes=off -c max_connections=200" start \
    > "$root/start.log" 2>&1 || exit 1
echo ready
cat > /dev/null
"$bin/pg_ctl" -D "$root/data" -m immediate stop > /dev/null 2>&1
rm -rf "$root"
"#;

/// PostgreSQL refuses to run as root; Debian's package creates a user for it.
fn unprivileged_user() -> Option<&'static str> {
    let id = |arguments: &[&str]| Command::new("id").args(arguments).stderr(Stdio::null()).output().ok();
    let root = id(&["-u"]).is_some_and(|output| output.stdout.trim_ascii() == b"0");
    let has_user = |name: &str| id(&["-u", name]).is_some_and(|output| output.status.success());
    root.then(|| if has_user("postgres") { "postgres" } else { "nobody" })
}

/// Finds initdb and pg_ctl: on the path, or in Debian's directories, newest version first.
fn find_binaries() -> Option<PathBuf> {
    let complete =
        |directory: &PathBuf| directory.join("initdb").is_file() && directory.join("pg_ctl").is_file();
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Resolve symlinks, because initdb looks for its siblings beside the real file.
    let on_path =
        std::env::split_paths(&path).find(complete).and_then(|d| d.join("initdb").canonicalize().ok());
    if let Some(real) = on_path.as_deref().and_then(Path::parent) {
        return Some(real.to_owned());
    }
    let mut versions: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .ok()?
        .flatten()
        .map(|entry| entry.path().join("bin"))
        .filter(complete)
        .collect();
    versions.sort();
    versions.pop()
}
