//! `fitness mcp`: the coach's tools over standard input and output, for a program that starts this one.

use crate::clock;
use crate::coach;
use crate::context::Context;
use crate::output::Report;
use anyhow::Result;
use fitness_mcp::{Guest, Scope, serve_stdio};
use fitness_web::AthletesHost;
use serde_json::json;
use std::sync::Arc;

pub(super) async fn run(context: &Context) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let host = AthletesHost {
        store: store.clone(),
        user: user.id,
        clock: clock::now,
        site: context.settings.site().into(),
    };
    // Whoever starts this program on the athlete's machine as the athlete can read the database anyway.
    let guest = Guest { host: Arc::new(host), scope: Scope::Draft };
    serve_stdio(guest, coach::prompts()).await?;
    store.close().await;
    Ok(Report::silent(&json!({})))
}
