//! deploy/postgres-init.sh against a real PostgreSQL.

use crate::harness::Home;
use fitness_store::testkit;
use std::path::Path;
use std::process::Command;

/// The result of a query as text.
fn query(url: &str, sql: &str) -> String {
    let mut psql = Command::new("psql");
    let told =
        psql.args(["--no-psqlrc", "--tuples-only", "--no-align", "--command", sql, url]).output().unwrap();
    assert!(told.status.success(), "{sql}: {told:?}");
    String::from_utf8(told.stdout).unwrap().trim().to_owned()
}

#[test]
fn postgres_compose_role_owns_only_its_database() {
    const NAME: &str = "postgres_compose_role_owns_only_its_database";
    let (Some(cluster), Ok(_)) = (testkit::cluster(), Command::new("psql").arg("--version").output()) else {
        return testkit::skip(NAME, "no PostgreSQL with psql is installed");
    };
    let admin = tokio::runtime::Runtime::new().unwrap().block_on(cluster.empty_database());
    let (_, rest) = admin.split_once('@').unwrap();
    let (address, _) = rest.split_once('/').unwrap();
    let (host, port) = address.split_once(':').unwrap();
    query(&admin, "CREATE ROLE compose_admin SUPERUSER LOGIN PASSWORD 'first'");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/postgres-init.sh");
    let mut init = Command::new("sh");
    init.arg(script).env("PGHOST", host).env("PGPORT", port).env("PGPASSWORD", "first");
    init.env("POSTGRES_USER", "compose_admin")
        .env("FITNESS_DB_USER", "compose_role")
        .env("FITNESS_DB_PASSWORD", "it's 2nd");
    let made = init.output().unwrap();
    assert!(made.status.success(), "{made:?}");

    let rights = "rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls";
    assert_eq!(query(&admin, &format!("SELECT {rights} FROM pg_roles WHERE rolname = 'compose_role'")), "f");
    assert_eq!(
        query(&admin, "SELECT rolpassword IS NULL FROM pg_authid WHERE rolname = 'compose_admin'"),
        "t"
    );
    let home = Home::with_database(format!("postgres://compose_role:it%27s%202nd@{address}/compose_role"));
    home.ok(&["user", "add", "Ann"]);
    home.ok(&["note", "add", "calf is tight"]);
    assert!(home.ok(&["note", "list"]).contains("calf is tight"));
}
