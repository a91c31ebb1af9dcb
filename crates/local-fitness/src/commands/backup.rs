//! `fitness backup`, `fitness restore` and `fitness move`: everything in one file, and out of it again.

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
use fitness_store::{IfMissing, Location, Store};
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
    let store = context.open(IfMissing::Refuse).await?;
    let now = clock::now();
    let backup = match to {
        Some(path) => store.back_up(&path, Some(now)).await?,
        None => {
            let stem = now.format("fitness-%Y%m%d-%H%M%S").to_string();
            store.back_up_in(&require_folder(store.backup_directory()?)?, &stem, Some(now)).await?
        }
    };
    let sealed = store.has_encrypted_keys().await?;
    store.close().await;
    let mut text = format!("{}\n{}", backup.path.display(), describe_backup(&backup));
    if sealed {
        text.push_str(
            "\nKeys of services are in it sealed, and what opens them is not: keep the sealing key elsewhere, or add the \
             keys again after a restore.",
        );
    }
    Ok(CommandOutput::new(text, &backup_json(&backup)))
}

/// The same that the server makes each night, for those who do not run it.
async fn create_nightly(context: &Context) -> Result<CommandOutput> {
    let store = context.open(IfMissing::Refuse).await?;
    require_folder(store.backup_directory()?)?;
    let zone = match store.owner().await? {
        Some(owner) => store.profile(owner).await?.zone,
        None => chrono_tz::Tz::UTC,
    };
    let now = clock::now();
    let made = store.back_up_nightly(Day::at(now, zone), now).await?;
    store.close().await;
    let path = made.as_deref().unwrap_or(Path::new(""));
    Ok(CommandOutput::new(format!("The night's backup is {}.", path.display()), &json!({ "path": path })))
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
            "No backups in {} yet. `fitness backup` makes one; `fitness serve` makes one each night.",
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
    let table = table(["backup", "size", "made", "of"], &rows);
    Ok(CommandOutput::new(format!("In {}:\n{table}{text}", folder.path().display()), &shown))
}

async fn check(file: &Path) -> Result<CommandOutput> {
    let backup = backup::inspect(file).await?;
    Ok(CommandOutput::new(
        format!("{} is whole.\n{}", file.display(), describe_backup(&backup)),
        &backup_json(&backup),
    ))
}

/// `fitness restore`
pub(super) async fn restore(context: &Context, file: &Path) -> Result<CommandOutput> {
    let (store, backup) = Store::restore(context.settings.location()?, file).await?;
    let location = store.location().to_string();
    store.close().await;
    let text =
        format!("{location} is as it was{}.\n{}", created_phrase(&backup.header), describe_backup(&backup));
    Ok(CommandOutput::new(text, &json!({ "database": location, "backup": backup_json(&backup) })))
}

/// `fitness move`
pub(super) async fn copy_to(context: &Context, to: &OsStr) -> Result<CommandOutput> {
    let there = Location::parse(to)?;
    let store = context.open(IfMissing::Refuse).await?;
    let here = store.location().to_string();
    if there.to_string() == here {
        let help = "name another database: a file path, or postgres://user:password@host/database";
        return Err(CliError::new("this is where the data is already", help).into());
    }
    // By way of a file: what can be restored is what was moved.
    let folder = tempfile::tempdir()?;
    let file = folder.path().join(format!("move.{}", backup::EXTENSION));
    let backup = store.back_up(&file, Some(clock::now())).await?;
    store.close().await;
    let (moved, _) = Store::restore(there, &file).await?;
    let there = moved.location().to_string();
    moved.close().await;
    let text = format!(
        "Everything of {here} is in {there} now, and comes to the same: {}.\nNothing was removed here. Point FITNESS_DB there \
         to use it.",
        backup.manifest.hash
    );
    Ok(CommandOutput::new(
        text,
        &json!({ "from": here, "to": there, "hash": backup.manifest.hash, "rows": backup.manifest.row_count() }),
    ))
}

/// What becomes of a file that is not whole.
pub(super) const fn unfinished_status(part: &PartialFileInfo) -> &'static str {
    if part.being_written {
        "it is being written"
    } else {
        "it was left unfinished, holds data, and goes with the next backup"
    }
}

/// The folder of backups, which somebody asks for who may not want any.
fn require_folder(folder: Option<BackupDirectory>) -> Result<BackupDirectory> {
    folder.ok_or_else(|| {
        let help = format!("name a folder in {BACKUPS_VARIABLE}, or say where this one goes with --to FILE");
        CliError::new("backups are off: there is no folder of them", help).into()
    })
}

fn describe_backup(backup: &Backup) -> String {
    let rows = pluralize(backup.manifest.row_count(), "row", "rows");
    format!(
        "{}, {rows} of {}, written by local-fitness {}; everything comes to {}.",
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

/// Whose data it is.
pub(super) fn user_names(header: &Header) -> String {
    let names: Vec<String> =
        header.people.iter().map(|person| escape_invisible(&person.name).to_string()).collect();
    if names.is_empty() { "nobody".to_owned() } else { join_with_and(&names) }
}

fn created_label(header: &Header) -> String {
    header.made_at.map(|at| at.format("%Y-%m-%d %H:%M UTC").to_string()).unwrap_or_default()
}

fn created_phrase(header: &Header) -> String {
    header.made_at.map(|at| at.format(" on %Y-%m-%d at %H:%M UTC").to_string()).unwrap_or_default()
}

pub(super) fn format_size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
