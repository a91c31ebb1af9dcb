//! What is there whoever lives in it.

use super::DoctorReport;
use crate::clock;
use crate::commands::backup::{format_size, unfinished_status};
use crate::commands::health::{self, ServerStatus};
use crate::config::Settings;
use crate::error::CliError;
use crate::secret_store::SecretCipher;
use anyhow::Result;
use chrono::TimeDelta;
use fitness_store::{Error, Location, Store};
use fitness_web::worker::BACKUP_JOB;

/// A server that runs makes a backup each night; without one, a month is long.
const MAX_BACKUP_AGE: TimeDelta = TimeDelta::days(30);
/// So far two clocks may differ.
const MAX_CLOCK_SKEW: TimeDelta = TimeDelta::hours(1);

/// What was set.
pub(super) fn check_settings(seen: &mut DoctorReport, settings: &Settings) {
    let says = match settings.path() {
        Some(path) => format!("from {}", path.display()),
        None => "as they come; no file of settings".to_owned(),
    };
    seen.add_ok("settings", says);
}

/// The database: that it answers, is whole, and is the athlete's alone.
pub(super) async fn check_database(
    seen: &mut DoctorReport,
    store: &Store,
    location: &Location,
) -> Result<()> {
    let (engine, version) = store.engine().await?;
    seen.add_ok("database", format!("{location} ({engine} {version})"));
    let migrations = store.migrations().await?;
    seen.add_ok("schema", migrations.last().map_or("none", String::as_str));
    if let Some(damage) = store.find_damage().await? {
        let fix = "restore a backup into a new database with `fitness restore FILE`; `fitness backup list` shows those there are";
        seen.add_broken("database", format!("it is damaged: {damage}"), fix);
    }
    match store.check_health().await {
        Ok(health) if health.is_low_on_space() => {
            let free = format_size(health.free_bytes.unwrap_or_default());
            seen.add_broken(
                "disk space",
                format!("{free} left on the disk of the database"),
                "free some space",
            );
        }
        Ok(health) => {
            let space =
                health.free_bytes.map(|free| format!("; {} free", format_size(free))).unwrap_or_default();
            seen.add_ok("writes", format!("stored, and seen by other connections{space}"));
        }
        Err(why) => {
            let fix = "check free space, permissions and the disk; restart the server once it is repaired";
            seen.add_broken("writes", why.to_string(), fix);
        }
    }
    if store.is_vacuum_pending().await? {
        let fix = "end other programs that use the database and make room on the disk; the next start rewrites the file";
        seen.add_broken("database", "its free pages may hold data of a user who was removed", fix);
    }
    if let Location::Sqlite { path, default } = location {
        examine_permissions(seen, path, *default);
    }
    Ok(())
}

#[cfg(unix)]
fn examine_permissions(seen: &mut DoctorReport, path: &std::path::Path, default: bool) {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &std::path::Path| std::fs::metadata(path).map(|m| m.permissions().mode() & 0o777);
    let mut check = |path: &std::path::Path, wanted: u32| match mode(path) {
        Ok(mode) if mode & 0o077 == 0 => {
            seen.add_ok("permissions", format!("{} is yours alone ({mode:o})", path.display()))
        }
        Ok(mode) => {
            let fix = format!("chmod {wanted:o} '{}'", path.display());
            seen.add_broken(
                "permissions",
                format!("others on this machine can reach {} ({mode:o})", path.display()),
                fix,
            );
        }
        Err(error) => {
            seen.add_broken("permissions", format!("{}: {error}", path.display()), "check the file system")
        }
    };
    check(path, 0o600);
    // A directory of the athlete's own choosing is their business.
    if default && let Some(directory) = path.parent() {
        check(directory, 0o700);
    }
}

#[cfg(not(unix))]
fn examine_permissions(_: &mut DoctorReport, _: &std::path::Path, _: bool) {}

/// The backups: that there is one, that it is not old, and that its beginning can be read.
pub(super) async fn check_backups(seen: &mut DoctorReport, store: &Store) -> Result<()> {
    let Some(folder) = store.backup_directory()? else {
        let fix = "name a folder in FITNESS_BACKUPS, or as `backups` in the file of settings";
        seen.add_missing("backups", "they are off", fix);
        return Ok(());
    };
    if let Some(owner) = store.owner().await?
        && let Some(job) = store.newest_job(owner, BACKUP_JOB).await?
        // What was given up is said with the other jobs of its user.
        && job.is_open()
        && let Some(problem) = &job.problem
    {
        let fix = "mend what it says; the server tries again by itself";
        seen.add_broken("backups", format!("the nightly backup failed: {problem}"), fix);
    }
    let kept = match folder.list() {
        Ok(kept) => kept,
        Err(why) => {
            seen.add_broken(
                "backups",
                why.to_string(),
                "see who may read and write there, and that the disk is in",
            );
            return Ok(());
        }
    };
    for damaged in kept.iter().filter(|kept| kept.header.is_err()) {
        let fix = "remove it; `fitness backup` makes another";
        seen.add_broken("backups", format!("{} cannot be read", damaged.path.display()), fix);
    }
    let unfinished = folder.list_partial_files().unwrap_or_default();
    for left in unfinished.iter().filter(|part| !part.being_written) {
        let says = format!("{}: {}", left.path.display(), unfinished_status(left));
        seen.add_missing("backups", says, "`fitness backup` makes one, and clears that away");
    }
    // Other databases may keep theirs in the same folder.
    let database = store.database_identity().await?;
    let kept: Vec<_> = kept.iter().filter(|kept| kept.is_from(&database)).collect();
    // A clock that was ahead must not make an old backup look new.
    let latest = clock::now() + MAX_CLOCK_SKEW;
    let dated = kept.iter().filter_map(|kept| kept.header.as_ref().ok()?.made_at);
    let newest = dated.filter(|at| *at <= latest).max();
    let make = "`fitness backup` makes one; `fitness serve` makes one each night";
    match newest {
        None => {
            seen.add_missing("backups", format!("none of this database in {}", folder.path().display()), make)
        }
        Some(at) if clock::now() - at > MAX_BACKUP_AGE => {
            seen.add_missing("backups", format!("the newest is of {}", at.format("%Y-%m-%d")), make);
        }
        Some(at) => {
            let (count, folder) = (kept.len(), folder.path().display());
            seen.add_ok(
                "backups",
                format!(
                    "{count} of this database in {folder}, the newest of {}",
                    at.format("%Y-%m-%d %H:%M UTC")
                ),
            );
        }
    }
    Ok(())
}

/// Uploaded files: that none was left by a server that was killed.
pub(super) async fn check_uploads(seen: &mut DoctorReport, store: &Store) -> Result<()> {
    match store.list_leftover_uploads(clock::now()).await {
        Ok(left) if left.is_empty() => {}
        Ok(left) => {
            for path in left {
                let says = format!("{} was left by a server that was killed", path.display());
                seen.add_missing("uploads", says, "`fitness serve` removes it when it starts");
            }
        }
        Err(why @ Error::File { .. }) => {
            seen.add_broken("uploads", why.to_string(), "see who may read and write there");
        }
        Err(why) => return Err(why.into()),
    }
    Ok(())
}

/// The key that seals the keys of services: that it is there when it is needed.
pub(super) async fn check_encryption_key(seen: &mut DoctorReport, store: &Store) -> Result<()> {
    match SecretCipher::load() {
        Ok(Some(_)) => seen.add_ok("sealing key", "there, and yours alone"),
        Ok(None) if store.has_encrypted_keys().await? => seen.add_broken(
            "sealing key",
            "it is gone, and keys of services are sealed with it",
            "put it back, or give the keys of your sources again with `fitness source add`",
        ),
        Ok(None) => seen.add_ok("sealing key", "none yet; it is made with the first key of a service"),
        Err(why) => {
            let fix = why.downcast_ref().map_or("correct or remove it", CliError::help);
            seen.add_broken("sealing key", why.to_string(), fix);
        }
    }
    Ok(())
}

/// Whether a server runs; that none does is no fault.
pub(super) async fn check_server(seen: &mut DoctorReport, settings: &Settings) {
    let port = settings.port();
    match health::check_ready(port).await {
        Ok(ServerStatus::Ready(details)) => {
            let details = details.map(|details| format!("; {details}")).unwrap_or_default();
            seen.add_ok("server", format!("it answers on port {port}{details}"));
        }
        Ok(ServerStatus::Encrypted) => {
            seen.add_ok(
                "server",
                format!("one that speaks TLS answers on port {port}; see /readyz whether it is ready"),
            );
        }
        Ok(ServerStatus::NotReady(reason)) => seen.add_broken(
            "server",
            format!("the one on port {port} is not ready: {reason}"),
            "see its log, free disk space, and whether it can reach the database",
        ),
        Err(_) => {
            let fix = "`fitness serve` starts it: pages, the morning's sync and brief, a backup each night";
            seen.add_missing("server", format!("none on port {port}"), fix);
        }
    }
}
