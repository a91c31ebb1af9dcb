//! `fitness audit`: the audit log, and whether it is intact.

use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use serde_json::json;

pub(super) async fn run(context: &Context, last: u64, verify: bool) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let zone = store.profile(user.id).await?.zone;
    let entries = store.list_audit(user.id, last).await?;
    let broken = if verify { store.first_broken_audit_entry(user.id).await? } else { None };
    store.close().await;
    if let Some(entry) = broken {
        let help = "restore a backup from before the change; `fitness doctor --deep` shows more";
        return Err(CliError::new(format!("entry {entry} of the audit log was changed"), help).into());
    }
    let rows: Vec<_> = (entries.iter())
        .map(|entry| {
            [
                entry.seq.to_string(),
                entry.at.with_timezone(&zone).format("%Y-%m-%d %H:%M").to_string(),
                entry.actor.label().to_owned(),
                entry.label(),
                entry.object.clone(),
            ]
        })
        .collect();
    let mut text = table(["entry", "time", "by", "change", "object"], &rows);
    if verify {
        text.push_str("\nThe audit log is intact.\n");
    }
    let intact = verify.then_some(true);
    Ok(CommandOutput::new(text, &json!({ "entries": entries, "intact": intact })))
}
