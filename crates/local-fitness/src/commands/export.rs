//! `fitness export` and `fitness restore --from-export`: all data of one user as a ZIP.

use super::backup::{format_size, user_names};
use crate::clock;
use crate::confirm;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::plural::pluralize;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_ingest::export::{self, ExportManifest};
use fitness_store::backup::PartialFile;
use fitness_store::{INVITE_DAYS, Store};
use serde_json::json;
use std::path::{Path, PathBuf};

pub(super) async fn export(context: &Context, to: Option<PathBuf>) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let now = clock::now();
    let today = Day::at(now, store.profile(user.id).await?.zone);
    let path = to.unwrap_or_else(|| PathBuf::from(export::file_name(&user.name, today)));
    if path.exists() {
        let help = "remove it, or choose another file with --to";
        return Err(CliError::new(format!("{} already exists", path.display()), help).into());
    }
    // Renamed when complete; readable by its owner only.
    let part = PartialFile::create(&path)?;
    let (file, contents) = export::export(&store, user.id, part.writer()?, now).await?;
    let bytes = file.metadata()?.len();
    let path = part.persist([path])?;
    store.close().await;
    let text = format!("Wrote {}: {}, {}.", path.display(), format_size(bytes), describe_contents(&contents));
    Ok(CommandOutput::new(text, &json!({ "file": path, "bytes": bytes, "contents": contents })))
}

pub(super) async fn restore_export(context: &Context, file: &Path) -> Result<CommandOutput> {
    let (store, contents) = export::restore_export(context.settings.location()?, file).await?;
    let location = store.location().to_string();
    let next_step = invite_users(context, &store).await?;
    store.close().await;
    let text = format!(
        "Restored {location} from the export of {}: {}.\nAn export does not contain passwords, tokens, sessions or API keys of services.{next_step}",
        user_names(&contents.header),
        describe_contents(&contents)
    );
    Ok(CommandOutput::new(text, &json!({ "database": location, "contents": contents })))
}

/// Prints an invite link for each user, or without a terminal how to get one.
async fn invite_users(context: &Context, store: &Store) -> Result<String> {
    if confirm::require_terminal().is_err() {
        return Ok(
            "\nTo set a new password, run `fitness user invite` in a terminal and open the link.".to_owned()
        );
    }
    let mut text = String::new();
    for user in store.list_users().await? {
        let code = store.create_invite(user.id, clock::now()).await?;
        text += &format!(
            "\nOne-time link for {} to set a new password, valid for {INVITE_DAYS} days: {}/invite?code={}",
            escape_invisible(&user.name),
            context.settings.site(),
            code.reveal()
        );
    }
    Ok(text)
}

fn describe_contents(contents: &ExportManifest) -> String {
    let rows = |table: &str| contents.manifest.tables.get(table).map_or(0, |sum| sum.rows);
    format!(
        "{}, {}, {}",
        pluralize(rows("activities"), "activity", "activities"),
        pluralize(rows("training_plans"), "plan", "plans"),
        pluralize(contents.files.len() as u64, "file", "files"),
    )
}
