//! `fitness backup`, `fitness restore` and `fitness move`: everything in one file, and out of it again.

use crate::cli::{BackupArgs, BackupCommand};
use crate::clock;
use crate::config::BACKUPS_VARIABLE;
use crate::context::Context;
use crate::error::Failure;
use crate::output::Report;
use crate::plural::{counted, listed};
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::untrusted_text::visible;
use fitness_store::backup::{self, Backup, Folder, Header, Unfinished};
use fitness_store::{Location, Missing, Store};
use serde_json::json;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

pub(super) async fn run(context: &Context, args: BackupArgs) -> Result<Report> {
    match args.command {
        None if args.nightly => nightly(context).await,
        None => make(context, args.to).await,
        Some(BackupCommand::List) => list(context),
        Some(BackupCommand::Check { file }) => check(&file).await,
    }
}

async fn make(context: &Context, to: Option<PathBuf>) -> Result<Report> {
    let store = context.open(Missing::Refuse).await?;
    let now = clock::now();
    let backup = match to {
        Some(path) => store.back_up(&path, Some(now)).await?,
        None => {
            let stem = now.format("fitness-%Y%m%d-%H%M%S").to_string();
            store.back_up_in(&wanted(store.backups()?)?, &stem, Some(now)).await?
        }
    };
    let sealed = store.has_sealed_keys().await?;
    store.close().await;
    let mut text = format!("{}\n{}", backup.path.display(), told(&backup));
    if sealed {
        text.push_str(
            "\nKeys of services are in it sealed, and what opens them is not: keep the sealing key elsewhere, or add the \
             keys again after a restore.",
        );
    }
    Ok(Report::new(text, &data(&backup)))
}

/// The same that the server makes each night, for those who do not run it.
async fn nightly(context: &Context) -> Result<Report> {
    let store = context.open(Missing::Refuse).await?;
    wanted(store.backups()?)?;
    let zone = match store.owner().await? {
        Some(owner) => store.profile(owner).await?.zone,
        None => chrono_tz::Tz::UTC,
    };
    let now = clock::now();
    let made = store.back_up_nightly(Day::at(now, zone), now).await?;
    store.close().await;
    let path = made.as_deref().unwrap_or(Path::new(""));
    Ok(Report::new(format!("The night's backup is {}.", path.display()), &json!({ "path": path })))
}

fn list(context: &Context) -> Result<Report> {
    let folder = wanted(Folder::of(&context.settings.location()?, &context.settings.backups()?)?)?;
    let kept = folder.list()?;
    let unfinished = folder.unfinished()?;
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
        text += &format!("\n{}, {}: {}", part.path.display(), size(part.bytes), fate(part));
    }
    if kept.is_empty() {
        let none = format!(
            "No backups in {} yet. `fitness backup` makes one; `fitness serve` makes one each night.",
            folder.path().display()
        );
        return Ok(Report::new(none + &text, &shown));
    }
    let rows: Vec<_> = kept
        .iter()
        .map(|kept| {
            let name = kept.path.file_name().unwrap_or_default().to_string_lossy();
            let (when, who) = match &kept.header {
                Ok(header) => (when(header), people(header)),
                Err(why) => (String::new(), why.to_string()),
            };
            [visible(&name).to_string(), size(kept.bytes), when, who]
        })
        .collect();
    let table = table(["backup", "size", "made", "of"], &rows);
    Ok(Report::new(format!("In {}:\n{table}{text}", folder.path().display()), &shown))
}

async fn check(file: &Path) -> Result<Report> {
    let backup = backup::inspect(file).await?;
    Ok(Report::new(format!("{} is whole.\n{}", file.display(), told(&backup)), &data(&backup)))
}

/// `fitness restore`
pub(super) async fn restore(context: &Context, file: &Path) -> Result<Report> {
    let (store, backup) = Store::restore(context.settings.location()?, file).await?;
    let location = store.location().to_string();
    store.close().await;
    let text = format!("{location} is as it was{}.\n{}", of_when(&backup.header), told(&backup));
    Ok(Report::new(text, &json!({ "database": location, "backup": data(&backup) })))
}

/// `fitness move`
pub(super) async fn move_to(context: &Context, to: &OsStr) -> Result<Report> {
    let there = Location::parse(to)?;
    let store = context.open(Missing::Refuse).await?;
    let here = store.location().to_string();
    if there.to_string() == here {
        let help = "name another database: a file path, or postgres://user:password@host/database";
        return Err(Failure::new("this is where the data is already", help).into());
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
    Ok(Report::new(
        text,
        &json!({ "from": here, "to": there, "hash": backup.manifest.hash, "rows": backup.manifest.rows() }),
    ))
}

/// What becomes of a file that is not whole.
pub(super) const fn fate(part: &Unfinished) -> &'static str {
    if part.being_written {
        "it is being written"
    } else {
        "it was left unfinished, holds data, and goes with the next backup"
    }
}

/// The folder of backups, which somebody asks for who may not want any.
fn wanted(folder: Option<Folder>) -> Result<Folder> {
    folder.ok_or_else(|| {
        let help = format!("name a folder in {BACKUPS_VARIABLE}, or say where this one goes with --to FILE");
        Failure::new("backups are off: there is no folder of them", help).into()
    })
}

fn told(backup: &Backup) -> String {
    let rows = counted(backup.manifest.rows(), "row", "rows");
    format!(
        "{}, {rows} of {}, written by local-fitness {}; everything comes to {}.",
        size(backup.bytes),
        people(&backup.header),
        backup.header.program,
        backup.manifest.hash
    )
}

fn data(backup: &Backup) -> serde_json::Value {
    json!({
        "path": backup.path,
        "bytes": backup.bytes,
        "header": backup.header,
        "manifest": backup.manifest,
    })
}

/// Whose data it is.
pub(super) fn people(header: &Header) -> String {
    let names: Vec<String> = header.people.iter().map(|person| visible(&person.name).to_string()).collect();
    if names.is_empty() { "nobody".to_owned() } else { listed(&names) }
}

fn when(header: &Header) -> String {
    header.made_at.map(|at| at.format("%Y-%m-%d %H:%M UTC").to_string()).unwrap_or_default()
}

fn of_when(header: &Header) -> String {
    header.made_at.map(|at| at.format(" on %Y-%m-%d at %H:%M UTC").to_string()).unwrap_or_default()
}

pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
