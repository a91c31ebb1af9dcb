//! `fitness backup`, `fitness restore` and `fitness copy-to`

use crate::cli::{BackupArgs, BackupCommand};
use crate::clock;
use crate::config::BACKUPS_VARIABLE;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::plural::{join_with_and, pluralize};
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::backup::{self, Backup, BackupDirectory, Header, PartialFileInfo};
use fitness_store::{Error as StoreError, Location, MissingDatabasePolicy, Store};
use serde_json::json;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

pub(super) async fn run(context: &Context, args: BackupArgs) -> Result<CommandOutput> {
    match args.command {
        None if args.nightly => create_nightly(context).await,
        None => create(context, args.to).await,
        Some(BackupCommand::List) => list(context),
        Some(BackupCommand::Check { file }) => check(&file).await,
    }
}

async fn create(context: &Context, to: Option<PathBuf>) -> Result<CommandOutput> {
    let store = context.open(MissingDatabasePolicy::Refuse).await?;
    let now = clock::now();
    let backup = match to {
        Some(path) => store.back_up(&path, Some(now)).await?,
        None => {
            let stem = now.format("fitness-%Y%m%d-%H%M%S").to_string();
            store.back_up_in(&require_folder(store.backup_directory()?)?, &stem, Some(now)).await?
        }
    };
    let has_keys = store.has_encrypted_keys().await?;
    store.close().await;
    let mut text = format!("{}\n{}", backup.path.display(), describe_backup(&backup));
    if has_keys {
        text.push_str(
            "\nIt contains API keys of services in encrypted form, but not the encryption key. Keep a copy of that \
             elsewhere, or enter the API keys again after a restore.",
        );
    }
    Ok(CommandOutput::new(text, &backup_json(&backup)))
}

/// The server's nightly backup, for installations without a server.
async fn create_nightly(context: &Context) -> Result<CommandOutput> {
    let store = context.open(MissingDatabasePolicy::Refuse).await?;
    require_folder(store.backup_directory()?)?;
    let zone = match store.owner().await? {
        Some(owner) => store.profile(owner).await?.zone,
        None => chrono_tz::Tz::UTC,
    };
    let now = clock::now();
    let made = store.back_up_nightly(Day::at(now, zone), now).await?;
    store.close().await;
    let path = made.as_deref().unwrap_or(Path::new(""));
    Ok(CommandOutput::new(format!("Nightly backup: {}", path.display()), &json!({ "path": path })))
}

fn list(context: &Context) -> Result<CommandOutput> {
    let folder = require_folder(BackupDirectory::for_database(
        &context.settings.location()?,
        &context.settings.backups()?,
    )?)?;
    let kept = folder.list()?;
    let unfinished = folder.list_partial_files()?;
    let mut shown: Vec<serde_json::Value> = kept
        .iter()
        .map(|kept| match &kept.header {
            Ok(header) => json!({ "path": kept.path, "bytes": kept.bytes, "header": header }),
            Err(why) => json!({ "path": kept.path, "bytes": kept.bytes, "problem": why.to_string() }),
        })
        .collect();
    shown.extend(unfinished.iter().map(|part| json!({ "unfinished": part })));
    let mut text = String::new();
    for part in &unfinished {
        text +=
            &format!("\n{}, {}: {}", part.path.display(), format_size(part.bytes), unfinished_status(part));
    }
    if kept.is_empty() {
        let none = format!(
            "No backups in {} yet. Make one with `fitness backup`; `fitness serve` makes one each night.",
            folder.path().display()
        );
        return Ok(CommandOutput::new(none + &text, &shown));
    }
    let rows: Vec<_> = kept
        .iter()
        .map(|kept| {
            let name = kept.path.file_name().unwrap_or_default().to_string_lossy();
            let (when, who) = match &kept.header {
                Ok(header) => (created_label(header), user_names(header)),
                Err(why) => (String::new(), why.to_string()),
            };
            [escape_invisible(&name).to_string(), format_size(kept.bytes), when, who]
        })
        .collect();
    let table = table(["backup", "size", "created", "users"], &rows);
    Ok(CommandOutput::new(format!("In {}:\n{table}{text}", folder.path().display()), &shown))
}

async fn check(file: &Path) -> Result<CommandOutput> {
    let backup = backup::inspect(file).await.map_err(|error| match error {
        StoreError::BadBackup(_) => {
            let help = "use another backup: `fitness backup list` lists them, `fitness backup` creates one";
            anyhow::Error::from(CliError::new(error.to_string(), help))
        }
        other => other.into(),
    })?;
    Ok(CommandOutput::new(
        format!("{} is intact.\n{}", file.display(), describe_backup(&backup)),
        &backup_json(&backup),
    ))
}

pub(super) async fn restore(context: &Context, file: &Path) -> Result<CommandOutput> {
    let (store, backup) = Store::restore(context.settings.location()?, file).await?;
    let location = store.location().to_string();
    store.close().await;
    let text = format!(
        "Restored {location} from the backup{}.\n{}",
        created_phrase(&backup.header),
        describe_backup(&backup)
    );
    Ok(CommandOutput::new(text, &json!({ "database": location, "backup": backup_json(&backup) })))
}

pub(super) async fn copy_to(context: &Context, to: &OsStr) -> Result<CommandOutput> {
    let there = Location::parse(to)?;
    let store = context.open(MissingDatabasePolicy::Refuse).await?;
    let here = store.location().to_string();
    if there.to_string() == here {
        let help = "use another database: a file path, or postgres://user:password@host/database";
        return Err(CliError::new("source and target are the same database", help).into());
    }
    // A backup and a restore, so that both sides are verified.
    let folder = tempfile::tempdir()?;
    let file = folder.path().join(format!("copy.{}", backup::EXTENSION));
    let backup = store.back_up(&file, Some(clock::now())).await?;
    store.close().await;
    let (copy, _) = Store::restore(there, &file).await?;
    let there = copy.location().to_string();
    copy.close().await;
    let text = format!(
        "Copied {here} to {there}; both have the hash {}.\nThe source was not changed. Set FITNESS_DB to the copy to \
         use it.",
        backup.manifest.hash
    );
    Ok(CommandOutput::new(
        text,
        &json!({ "from": here, "to": there, "hash": backup.manifest.hash, "rows": backup.manifest.row_count() }),
    ))
}

pub(super) const fn unfinished_status(part: &PartialFileInfo) -> &'static str {
    if part.being_written {
        "being written"
    } else {
        "partial file that contains data; the next backup deletes it"
    }
}

/// An error if backups are off.
fn require_folder(folder: Option<BackupDirectory>) -> Result<BackupDirectory> {
    folder.ok_or_else(|| {
        let help = format!("set a directory in {BACKUPS_VARIABLE}, or use --to FILE for a single backup");
        CliError::new("backups are off", help).into()
    })
}

fn describe_backup(backup: &Backup) -> String {
    let rows = pluralize(backup.manifest.row_count(), "row", "rows");
    format!(
        "{}, {rows}, users: {}; written by local-fitness {}, hash {}.",
        format_size(backup.bytes),
        user_names(&backup.header),
        backup.header.program,
        backup.manifest.hash
    )
}

fn backup_json(backup: &Backup) -> serde_json::Value {
    json!({
        "path": backup.path,
        "bytes": backup.bytes,
        "header": backup.header,
        "manifest": backup.manifest,
    })
}

pub(super) fn user_names(header: &Header) -> String {
    let names: Vec<String> =
        header.people.iter().map(|person| escape_invisible(&person.name).to_string()).collect();
    if names.is_empty() { "none".to_owned() } else { join_with_and(&names) }
}

fn created_label(header: &Header) -> String {
    header.made_at.map(|at| at.format("%Y-%m-%d %H:%M UTC").to_string()).unwrap_or_default()
}

fn created_phrase(header: &Header) -> String {
    header.made_at.map(|at| at.format(" of %Y-%m-%d %H:%M UTC").to_string()).unwrap_or_default()
}

pub(super) fn format_size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
