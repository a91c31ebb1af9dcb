//! `fitness mcp`: MCP over standard input and output.

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
    let provider = UserCoachApiProvider {
        store: store.clone(),
        user: user.id,
        clock: clock::now,
        site: context.settings.site().into(),
        refresh_first: true,
    };
    // No token: a program that runs as the athlete can read the database anyway.
    let client = McpClient { provider: Arc::new(provider), scope: Scope::Draft };
    serve_stdio(client, coach::mcp_prompts()).await?;
    store.close().await;
    Ok(CommandOutput::already_printed(&json!({})))
}
