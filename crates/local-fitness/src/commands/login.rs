//! `fitness login`

use super::demo;
use super::serve::exposure;
use crate::cli::LoginArgs;
use crate::clock;
use crate::config::Settings;
use crate::confirm;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use anyhow::Result;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{LOGIN_LINK_MINUTES, SESSION_CODE_MINUTES, Store, User};
use secrecy::ExposeSecret as _;
use serde_json::json;

pub(super) async fn run(context: &Context, args: LoginArgs, json: bool) -> Result<CommandOutput> {
    // The demo is where it usually is, whatever is set for one's own server.
    let settings = if args.demo { Settings::default() } else { context.settings.clone() };
    let site = match args.site {
        Some(site) => exposure::parse_site(&site)?,
        None => settings.site_with_port(args.port),
    };
    let (store, user) = if args.demo { demo::open().await? } else { context.open_for_user().await? };
    if !args.demo {
        require_person(&user, json)?;
        show_code(&store, &user).await?;
    }
    let token = store.create_login_link(user.id, clock::now()).await?;
    store.close().await;
    let link = format!("{site}/sign-in/link?code={}", token.reveal());
    let server = if args.demo { "fitness demo" } else { "fitness serve" };
    let words = format!(
        "{link}\n\nIt signs one browser in as {}, once, within {LOGIN_LINK_MINUTES} minutes, while `{server}` runs.",
        escape_invisible(&user.name)
    );
    Ok(CommandOutput::new(words, &json!({ "user": user.name, "link": link, "minutes": LOGIN_LINK_MINUTES })))
}

/// Only a person at a terminal gets a link for an account: the demo's athlete is made up, everybody else is not.
fn require_person(user: &User, json: bool) -> Result<()> {
    if json {
        let help = "run `fitness login` without --json in a terminal, and type the name it asks for";
        return Err(CliError::new("a sign-in link is for a person, not for a program", help).into());
    }
    confirm::require_typed_name(user, "sign a browser in")
}

/// Shows the code that lets one browser decide, on the terminal alone. Where a password is set, that one is asked for instead.
async fn show_code(store: &Store, user: &User) -> Result<()> {
    if user.has_password {
        return Ok(());
    }
    let code = store.create_session_code(user.id, clock::now()).await?;
    eprintln!(
        "When the browser asks whether it is you, type this code within {SESSION_CODE_MINUTES} minutes: {}\n",
        code.expose_secret()
    );
    Ok(())
}
