//! The store's one integration binary. Every story is told on SQLite and on PostgreSQL.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod archive;
mod attacks;
mod browse;
mod coaching;
mod compile_fail;
mod consent;
mod folder;
mod guards;
mod integrity;
mod io_errors;
mod kill;
mod nouns;
mod opening;
mod plans;
mod progress;
mod proposing;
mod race;
mod raw;
mod reports;
mod upgrades;
mod users;
