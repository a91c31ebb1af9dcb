//! The terminal at which a human decides. One of the two places where a consent is made.

use crate::clock;
use crate::error::CliError;
use anyhow::{Context as _, Result};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::{ActionKind, Plan};
use fitness_store::plan::consent::{Channel, ConfirmationRequest};
use fitness_store::{Consent, Store, User};
use secrecy::SecretString;
use std::io::{IsTerminal, Write};

/// Asks a human to confirm an action on a plan by typing its name, and the password when one is set.
///
/// The question goes to standard error, so that standard output stays data. Without a terminal there is no
/// human to ask, and nothing happens.
pub(crate) async fn confirm_plan_action(
    store: &Store,
    user: &User,
    kind: ActionKind,
    plan: &Plan,
    seen: ContentHash,
    shown: &str,
) -> Result<Consent> {
    let question =
        ConfirmationRequest { kind, plan: Some(plan.id), content_hash: seen, channel: Channel::Terminal };
    let prompt = format!("Type the plan's name to {} it: ", action_verb(kind));
    ask_consent(store, user, &question, shown, &prompt, ("the plan's name", &plan.name)).await
}

/// Asks a human to confirm that a user leaves, by typing the user's name.
pub(crate) async fn confirm_user_deletion(
    store: &Store,
    user: &User,
    new_owner: Option<&User>,
    shown: &str,
) -> Result<Consent> {
    let seen = ContentHash::hash_json(&("delete user", user.id, &user.name, new_owner.map(|next| next.id)));
    let question = ConfirmationRequest {
        kind: ActionKind::DeleteUser,
        plan: None,
        content_hash: seen,
        channel: Channel::Terminal,
    };
    let prompt = format!("Type {} to remove everything: ", escape_invisible(&user.name));
    ask_consent(store, user, &question, shown, &prompt, ("the user's name", &user.name)).await
}

/// Puts a question to the person at this terminal. What they must type is a name.
async fn ask_consent(
    store: &Store,
    user: &User,
    question: &ConfirmationRequest,
    shown: &str,
    prompt: &str,
    (what, name): (&str, &str),
) -> Result<Consent> {
    require_terminal()?;
    let token = store.request_confirmation(user.id, question, clock::now()).await?;
    eprintln!("{shown}");
    let typed = ask_line(prompt)?;
    // What is compared is what was shown, so that a name with invisible characters can be typed at all.
    if typed.trim() != escape_invisible(name).to_string().trim() {
        let help = "run the command again and type the name exactly as shown";
        return Err(CliError::new(format!("that is not {what}; nothing was changed"), help).into());
    }
    require_password(store, user).await?;
    #[expect(clippy::disallowed_methods, reason = "a person at this terminal has just typed the name")]
    let consent = store.redeem_confirmation(user.id, question, token.reveal(), clock::now()).await?;
    Ok(consent)
}

/// Asks the person at this terminal to type a user's name before something is done to that account.
pub(crate) fn require_typed_name(user: &User, to: &str) -> Result<()> {
    require_terminal()?;
    let name = escape_invisible(&user.name).to_string();
    let typed = ask_line(&format!("Type {name} to {to}: "))?;
    if typed.trim() == name.trim() {
        return Ok(());
    }
    let help = "run the command again and type the name exactly as shown";
    Err(CliError::new("that is not the user's name; nothing was changed", help).into())
}

/// Asks for the password, when one is set.
pub(crate) async fn require_password(store: &Store, user: &User) -> Result<()> {
    if !user.has_password {
        return Ok(());
    }
    let password = ask_secret(&format!("Password of {}: ", escape_invisible(&user.name)))?;
    if store.verify_password(user.id, &password).await? {
        return Ok(());
    }
    let help = "run the command again; a forgotten password is replaced through `fitness user invite`";
    Err(CliError::new("that is not the password; nothing was changed", help).into())
}

/// Asks for a new password twice.
pub(crate) fn ask_new_password(user: &User) -> Result<SecretString> {
    use secrecy::ExposeSecret;
    let password = ask_secret(&format!("New password for {}: ", escape_invisible(&user.name)))?;
    let again = ask_secret("Once more: ")?;
    if password.expose_secret() != again.expose_secret() {
        return Err(
            CliError::new("the two passwords differ; nothing was changed", "run the command again").into()
        );
    }
    Ok(password)
}

/// Refuses to go on without a person to ask.
pub(crate) fn require_terminal() -> Result<()> {
    if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        return Ok(());
    }
    let help = "run it yourself in a terminal and type what it asks for";
    Err(CliError::new("this needs a person at a terminal", help).into())
}

pub(crate) fn ask_line(prompt: &str) -> Result<String> {
    eprint!("{prompt}");
    std::io::stderr().flush()?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).context("cannot read from the terminal")?;
    Ok(line)
}

/// Whether the person at this terminal says yes; anything else is a no.
pub(crate) fn ask_yes(prompt: &str) -> Result<bool> {
    Ok(matches!(ask_line(prompt)?.trim().to_lowercase().as_str(), "y" | "yes"))
}

pub(crate) fn ask_secret(prompt: &str) -> Result<SecretString> {
    Ok(rpassword::prompt_password(prompt).context("cannot read a password from the terminal")?.into())
}

const fn action_verb(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::Activate => "activate",
        ActionKind::Archive => "archive",
        ActionKind::Delete => "delete",
        ActionKind::Apply | ActionKind::Edit | ActionKind::Revert | ActionKind::DeleteUser => "confirm",
    }
}
