//! `fitness login`: one-time sign-in links.

use super::demo;
use super::serve::exposure;
use crate::cli::SignInLinkArgs;
use crate::clock;
use crate::config::AppConfig;
use crate::confirm;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use anyhow::Result;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{LOGIN_LINK_MINUTES, SESSION_CODE_MINUTES, Store, User};
use secrecy::ExposeSecret as _;
use serde_json::json;

pub(super) async fn run(context: &Context, args: SignInLinkArgs, json: bool) -> Result<CommandOutput> {
    // The demo ignores the configuration of the real server.
    let settings = if args.demo { AppConfig::default() } else { context.settings.clone() };
    let site = match args.site {
        Some(site) => exposure::parse_site(&site)?,
        None => settings.site_with_port(args.port),
    };
    let (store, user) = if args.demo { demo::open().await? } else { context.open_for_user().await? };
    let code = if args.demo {
        None
    } else {
        require_person(&user, json)?;
        session_code(&store, &user).await?
    };
    let token = store.create_login_link(user.id, clock::now()).await?;
    store.close().await;
    let link = format!("{site}/sign-in/link?code={}", token.reveal());
    let server = if args.demo { "fitness demo" } else { "fitness serve" };
    let words = format!(
        "Open this link to sign in as {}:\n\n{link}\n\n\
         It works once, within {LOGIN_LINK_MINUTES} minutes, while `{server}` runs.",
        escape_invisible(&user.name)
    );
    let data = json!({ "user": user.name, "link": link, "minutes": LOGIN_LINK_MINUTES });
    Ok(CommandOutput::new(words, &data).with_stderr(code.unwrap_or_default()))
}

/// Links for real accounts need a person at a terminal.
fn require_person(user: &User, json: bool) -> Result<()> {
    if json {
        let help = "run `fitness login` in a terminal, without --json";
        return Err(CliError::new("sign-in links are not available as JSON", help).into());
    }
    confirm::require_typed_name(user, "get a sign-in link")
}

/// A sentence with the confirmation code, for standard error only. Users with a password do not
/// need one.
async fn session_code(store: &Store, user: &User) -> Result<Option<String>> {
    if user.has_password {
        return Ok(None);
    }
    let code = store.create_session_code(user.id, clock::now()).await?;
    Ok(Some(format!(
        "\nIf the browser asks for a code, enter this one within {SESSION_CODE_MINUTES} minutes: {}\n",
        code.expose_secret()
    )))
}
