//! `fitness mcp`: the coach's tools over standard input and output, for a program that starts this one.

use crate::clock;
use crate::coach;
use crate::context::Context;
use crate::output::CommandOutput;
use anyhow::Result;
use fitness_mcp::{McpClient, Scope, serve_stdio};
use fitness_web::UserCoachApiProvider;
use serde_json::json;
use std::sync::Arc;

pub(super) async fn run(context: &Context) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let host = UserCoachApiProvider {
        store: store.clone(),
        user: user.id,
        clock: clock::now,
        site: context.settings.site().into(),
    };
    // Whoever starts this program on the athlete's machine as the athlete can read the database anyway.
    let guest = McpClient { provider: Arc::new(host), scope: Scope::Draft };
    serve_stdio(guest, coach::mcp_prompts()).await?;
    store.close().await;
    Ok(CommandOutput::already_printed(&json!({})))
}
