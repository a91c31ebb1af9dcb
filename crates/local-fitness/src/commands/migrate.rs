//! `fitness migrate`: creates or migrates the database.

use crate::context::Context;
use crate::output::CommandOutput;
use anyhow::Result;
use fitness_store::MissingDatabasePolicy;
use serde_json::json;

pub(super) async fn run(context: &Context) -> Result<CommandOutput> {
    let store = context.open(MissingDatabasePolicy::Create).await?;
    let applied = store.migrations().await?;
    let location = store.location().to_string();
    let newest = applied.last().map_or("none", String::as_str);
    let text = format!("{location} is up to date (schema {newest}).");
    store.close().await;
    Ok(CommandOutput::new(text, &json!({ "database": location, "migrations": applied })))
}
