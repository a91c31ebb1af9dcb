//! `fitness export` and `fitness import-all`: everything of one athlete, out and in again.

use super::backup::{people, size};
use crate::clock;
use crate::confirm;
use crate::context::Context;
use crate::error::Failure;
use crate::output::Report;
use crate::plural::counted;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::untrusted_text::visible;
use fitness_ingest::export::{self, Contents};
use fitness_store::backup::Part;
use fitness_store::{INVITE_DAYS, Store};
use serde_json::json;
use std::path::{Path, PathBuf};

pub(super) async fn export(context: &Context, to: Option<PathBuf>) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let now = clock::now();
    let today = Day::at(now, store.profile(user.id).await?.zone);
    let path = to.unwrap_or_else(|| PathBuf::from(export::file_name(&user.name, today)));
    if path.exists() {
        let help = "remove it, or name another file with --to";
        return Err(Failure::new(format!("{} is there already", path.display()), help).into());
    }
    // Under its name only when it is whole, and readable by nobody else.
    let part = Part::begin(&path)?;
    let (file, contents) = export::export(&store, user.id, part.writer()?, now).await?;
    let bytes = file.metadata()?.len();
    let path = part.keep([path])?;
    store.close().await;
    let text = format!("Wrote {}: {}, {}.", path.display(), size(bytes), told(&contents));
    Ok(Report::new(text, &json!({ "file": path, "bytes": bytes, "contents": contents })))
}

pub(super) async fn import_all(context: &Context, file: &Path) -> Result<Report> {
    let (store, contents) = export::take_over(context.settings.location()?, file).await?;
    let location = store.location().to_string();
    let next_step = invite_athletes(context, &store).await?;
    store.close().await;
    let text = format!(
        "{location} holds everything of {} now: {}.\nPasswords, tokens, sessions and keys of services are not part of an export.{next_step}",
        people(&contents.header),
        told(&contents)
    );
    Ok(Report::new(text, &json!({ "database": location, "contents": contents })))
}

/// How whoever came along sets a new password: by a link that is printed once, to a person at a terminal.
async fn invite_athletes(context: &Context, store: &Store) -> Result<String> {
    if confirm::require_terminal().is_err() {
        return Ok(
            "\nSet a new password: run `fitness user invite` in a terminal and open the link it prints."
                .to_owned(),
        );
    }
    let mut text = String::new();
    for user in store.list_users().await? {
        let code = store.invite(user.id, clock::now()).await?;
        text += &format!(
            "\n{} sets a new password here, once, within {INVITE_DAYS} days: {}/invite?code={}",
            visible(&user.name),
            context.settings.site(),
            code.reveal()
        );
    }
    Ok(text)
}

fn told(contents: &Contents) -> String {
    let rows = |table: &str| contents.manifest.tables.get(table).map_or(0, |sum| sum.rows);
    format!(
        "{}, {}, {}",
        counted(rows("activities"), "activity", "activities"),
        counted(rows("training_plans"), "plan", "plans"),
        counted(contents.files.len() as u64, "file", "files"),
    )
}
