//! `fitness login`

use super::{demo, reach};
use crate::args::LoginArgs;
use crate::clock;
use crate::context::Context;
use crate::report::Report;
use crate::settings::Settings;
use crate::terminal;
use anyhow::Result;
use fitness_core::text::visible;
use fitness_store::SIGN_IN_MINUTES;
use serde_json::json;

pub(super) async fn run(context: &Context, args: LoginArgs) -> Result<Report> {
    // The demo is where it usually is, whatever is set for one's own server.
    let settings = if args.demo { Settings::default() } else { context.settings.clone() };
    let site = match args.site {
        Some(site) => reach::site(&site)?,
        None => settings.site_at(args.port),
    };
    let (store, user) = if args.demo { demo::open().await? } else { context.open_for_user().await? };
    if user.has_password {
        // It opens an account that is closed; that takes a person.
        terminal::require_terminal()?;
    }
    let token = store.offer_sign_in(user.id, clock::now()).await?;
    store.close().await;
    let link = format!("{site}/sign-in/link?code={}", token.reveal());
    let server = if args.demo { "fitness demo" } else { "fitness serve" };
    let words = format!(
        "{link}\n\nIt signs one browser in as {}, once, within {SIGN_IN_MINUTES} minutes, while `{server}` runs.",
        visible(&user.name)
    );
    Ok(Report::new(words, &json!({ "user": user.name, "link": link, "minutes": SIGN_IN_MINUTES })))
}
