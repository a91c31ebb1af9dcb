//! The store's integration tests, on SQLite and PostgreSQL.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod activity_search;
mod adherence;
mod backup;
mod backup_directory;
mod coach_api;
mod compile_fail;
mod concurrent_activation;
mod connect;
mod consent;
mod integrity;
mod io_errors;
mod kill_signal;
mod manual_entries;
mod plans;
mod proposals;
mod raw_sql_attacks;
mod roundtrips;
mod source_records;
mod sql_shell;
mod triggers;
mod upgrades;
mod users;
