//! Checks of the installation: settings, database, backups, encryption key, server.

use super::DoctorReport;
use crate::clock;
use crate::commands::backup::{format_size, unfinished_status};
use crate::commands::health::{self, ServerStatus};
use crate::config::AppConfig;
use crate::error::CliError;
use crate::secret_store::SecretCipher;
use anyhow::Result;
use chrono::TimeDelta;
use fitness_core::domain::untrusted_text::pluralize;
use fitness_store::{Error, Location, Store};
use fitness_web::worker::BACKUP_JOB;

/// For installations without a server; a running server makes a backup each night.
const MAX_BACKUP_AGE: TimeDelta = TimeDelta::days(30);
const MAX_CLOCK_SKEW: TimeDelta = TimeDelta::hours(1);

pub(super) fn check_settings(seen: &mut DoctorReport, settings: &AppConfig) {
    let message = match settings.path() {
        Some(path) => format!("from {}", path.display()),
        None => "defaults; no config.toml".to_owned(),
    };
    seen.add_ok("settings", message);
}

/// Integrity, free space, writes and file permissions.
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
        let fix = "restore a backup into a new database with `fitness restore FILE`; `fitness backup list` lists the backups";
        seen.add_broken("database", format!("damaged: {damage}"), fix);
    }
    match store.check_health().await {
        Ok(health) if health.is_low_on_space() => {
            let free = format_size(health.free_bytes.unwrap_or_default());
            seen.add_broken(
                "disk space",
                format!("only {free} free on the disk of the database"),
                "free some disk space",
            );
        }
        Ok(health) => {
            let space =
                health.free_bytes.map(|free| format!("; {} free", format_size(free))).unwrap_or_default();
            seen.add_ok("database", format!("writable{space}"));
        }
        Err(why) => {
            let fix = "check free space, permissions and the disk, then restart the server";
            seen.add_broken("database", why.to_string(), fix);
        }
    }
    if store.is_vacuum_pending().await? {
        let fix = "stop other programs that use the database and free some disk space; the next start rewrites the file";
        seen.add_broken("database", "its free pages may contain data of a deleted user", fix);
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
            seen.add_ok("permissions", format!("only you can access {} ({mode:o})", path.display()))
        }
        Ok(mode) => {
            let fix = format!("chmod {wanted:o} '{}'", path.display());
            seen.add_broken(
                "permissions",
                format!("other users of this machine can access {} ({mode:o})", path.display()),
                fix,
            );
        }
        Err(error) => {
            seen.add_broken("permissions", format!("{}: {error}", path.display()), "check the file system")
        }
    };
    check(path, 0o600);
    // Only the default directory is checked.
    if default && let Some(directory) = path.parent() {
        check(directory, 0o700);
    }
}

#[cfg(not(unix))]
fn examine_permissions(_: &mut DoctorReport, _: &std::path::Path, _: bool) {}

/// Age of the newest backup, failed nightly backups, unreadable and partial files.
pub(super) async fn check_backups(seen: &mut DoctorReport, store: &Store) -> Result<()> {
    let Some(folder) = store.backup_directory()? else {
        let fix = "set a directory in FITNESS_BACKUPS, or as `backups` in config.toml";
        seen.add_missing("backups", "off", fix);
        return Ok(());
    };
    if let Some(owner) = store.owner().await?
        && let Some(job) = store.newest_job(owner, BACKUP_JOB).await?
        // Failed jobs are listed with their user.
        && job.is_open()
        && let Some(problem) = &job.problem
    {
        let fix = "fix the cause; the server retries automatically";
        seen.add_broken("backups", format!("the nightly backup failed: {problem}"), fix);
    }
    let kept = match folder.list() {
        Ok(kept) => kept,
        Err(why) => {
            seen.add_broken(
                "backups",
                why.to_string(),
                "check the permissions, and that the disk is mounted",
            );
            return Ok(());
        }
    };
    for damaged in kept.iter().filter(|kept| kept.header.is_err()) {
        let fix = "delete it; `fitness backup` makes a new one";
        seen.add_broken("backups", format!("{} cannot be read", damaged.path.display()), fix);
    }
    let unfinished = folder.list_partial_files().unwrap_or_default();
    for left in unfinished.iter().filter(|part| !part.being_written) {
        let message = format!("{}: {}", left.path.display(), unfinished_status(left));
        seen.add_missing("backups", message, "`fitness backup` makes a new backup and deletes it");
    }
    // Several databases can share a backup directory.
    let database = store.database_identity().await?;
    let kept: Vec<_> = kept.iter().filter(|kept| kept.is_from(&database)).collect();
    // Ignore dates in the future, from a wrong clock.
    let latest = clock::now() + MAX_CLOCK_SKEW;
    let dated = kept.iter().filter_map(|kept| kept.header.as_ref().ok()?.made_at);
    let newest = dated.filter(|at| *at <= latest).max();
    let make = "`fitness backup` makes one; `fitness serve` makes one each night";
    match newest {
        None => seen.add_missing(
            "backups",
            format!("no backup of this database in {}", folder.path().display()),
            make,
        ),
        Some(at) if clock::now() - at > MAX_BACKUP_AGE => {
            seen.add_missing("backups", format!("the newest is from {}", at.format("%Y-%m-%d")), make);
        }
        Some(at) => {
            let (count, folder) = (kept.len(), folder.path().display());
            seen.add_ok(
                "backups",
                format!(
                    "{} in {folder}, last made {}",
                    pluralize(count as u64, "backup", "backups"),
                    at.format("%Y-%m-%d %H:%M UTC")
                ),
            );
        }
    }
    Ok(())
}

/// Temporary uploads left by a killed server.
pub(super) async fn check_uploads(seen: &mut DoctorReport, store: &Store) -> Result<()> {
    match store.list_leftover_uploads(clock::now()).await {
        Ok(left) if left.is_empty() => {}
        Ok(left) => {
            for path in left {
                let message = format!("{} is left over from a killed server", path.display());
                seen.add_missing("uploads", message, "`fitness serve` deletes it when it starts");
            }
        }
        Err(why @ Error::File { .. }) => {
            seen.add_broken("uploads", why.to_string(), "check the permissions");
        }
        Err(why) => return Err(why.into()),
    }
    Ok(())
}

/// The key must exist if encrypted API keys are stored.
pub(super) async fn check_encryption_key(seen: &mut DoctorReport, store: &Store) -> Result<()> {
    match SecretCipher::load() {
        Ok(Some(_)) => seen.add_ok("encryption key", "present, readable only by you"),
        Ok(None) if store.has_encrypted_keys().await? => seen.add_broken(
            "encryption key",
            "missing, but stored API keys are encrypted with it",
            "restore it, or enter the API keys of your sources again with `fitness source add`",
        ),
        Ok(None) => seen.add_ok("encryption key", "none yet; created with the first API key"),
        Err(why) => {
            let fix = why.downcast_ref().map_or("correct or remove it", CliError::help);
            seen.add_broken("encryption key", why.to_string(), fix);
        }
    }
    Ok(())
}

/// A missing server is not an error.
pub(super) async fn check_server(seen: &mut DoctorReport, settings: &AppConfig) {
    let port = settings.port();
    match health::check_ready(port).await {
        Ok(ServerStatus::Ready(details)) => {
            let details = details.map(|details| format!("; {details}")).unwrap_or_default();
            seen.add_ok("server", format!("running on port {port}{details}"));
        }
        Ok(ServerStatus::Encrypted) => {
            seen.add_ok(
                "server",
                format!("running on port {port} with TLS; open /readyz to see whether it is ready"),
            );
        }
        Ok(ServerStatus::NotReady(reason)) => seen.add_broken(
            "server",
            format!("the server on port {port} is not ready: {reason}"),
            "check its log, free disk space and the database connection",
        ),
        Err(_) => {
            let fix = "`fitness serve` starts it: web app, morning sync and brief, nightly backup";
            seen.add_missing("server", format!("not running on port {port}"), fix);
        }
    }
}
