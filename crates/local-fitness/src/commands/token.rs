//! `fitness token`: API tokens for MCP over HTTP and the API.

use crate::cli::TokenCommand;
use crate::clock;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use chrono::TimeDelta;
use fitness_core::coach_api::Scope;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::Error;
use serde_json::json;

pub(super) async fn run(context: &Context, command: TokenCommand) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let zone = store.profile(user.id).await?.zone;
    let report = match command {
        TokenCommand::Add { name, scope, days } => {
            if name.trim().is_empty() {
                return Err(
                    CliError::new("a token needs a name", "use the name of the program it is for").into()
                );
            }
            let ends = days.map(|days| clock::now() + TimeDelta::days(i64::from(days)));
            let (id, token) = store.mint_api_token(user.id, name.trim(), scope, ends, clock::now()).await?;
            let site = context.settings.site();
            let words = format!(
                "Token {id} for {}: it can {}. It is shown only once:\n\n  {}\n\n\
                 For Claude Code, while the server runs:\n  \
                 claude mcp add --transport http local-fitness {site}/mcp --header \"Authorization: Bearer {}\"\n\
                 Revoke it with `fitness token revoke {id}`.",
                escape_invisible(&name),
                scope_description(scope),
                token.reveal(),
                token.reveal(),
            );
            let data = json!({ "token_id": id, "token": token.reveal(), "scope": scope, "expires_at": ends,
                "url": format!("{site}/mcp") });
            CommandOutput::new(words, &data)
        }
        TokenCommand::List => {
            let tokens = store.list_api_tokens(user.id).await?;
            if tokens.is_empty() {
                let words = "No tokens. Create one for a program with `fitness token add NAME`.";
                CommandOutput::new(words, &tokens)
            } else {
                let day = |at| Day::at(at, zone).to_string();
                let rows: Vec<_> = (tokens.iter())
                    .map(|token| {
                        [
                            token.id.to_string(),
                            escape_invisible(&token.name).to_string(),
                            token.scope.to_string(),
                            token.expires_at.map_or_else(|| "never".to_owned(), day),
                            token.used_at.map_or_else(|| "never".to_owned(), day),
                        ]
                    })
                    .collect();
                CommandOutput::new(table(["token", "name", "scope", "expires", "last used"], &rows), &tokens)
            }
        }
        TokenCommand::Revoke { token } => {
            store.revoke_api_token(user.id, token, clock::now()).await.map_err(|why| match why {
                Error::NotFound(_) => anyhow::Error::from(CliError::new(
                    format!("there is no token {token}"),
                    "`fitness token list` lists the valid tokens",
                )),
                other => other.into(),
            })?;
            CommandOutput::new(format!("Revoked token {token}."), &json!({ "token_id": token }))
        }
    };
    store.close().await;
    Ok(report)
}

const fn scope_description(scope: Scope) -> &'static str {
    match scope {
        Scope::Read => "read your data",
        Scope::Draft => "read your data and create drafts and proposals",
    }
}
