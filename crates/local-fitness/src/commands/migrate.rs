//! `fitness migrate`

use crate::context::Context;
use crate::output::Report;
use anyhow::Result;
use fitness_store::Missing;
use serde_json::json;

pub(super) async fn run(context: &Context) -> Result<Report> {
    let store = context.open(Missing::Create).await?;
    let applied = store.migrations().await?;
    let location = store.location().to_string();
    let newest = applied.last().map_or("none", String::as_str);
    let text = format!("{location} is up to date with {newest}.");
    store.close().await;
    Ok(Report::new(text, &json!({ "database": location, "migrations": applied })))
}
