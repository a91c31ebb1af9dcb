//! Interactive confirmation in the terminal. Together with the web app, the only code that creates
//! a consent.

use crate::clock;
use crate::error::CliError;
use anyhow::{Context as _, Result};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::{HumanActionKind, Plan};
use fitness_store::plan::consent::{Channel, ConfirmationKey, ConfirmationRequest};
use fitness_store::{Consent, Store, User};
use secrecy::SecretString;
use std::io::{IsTerminal, Write};

/// Asks the user to type the plan's name, and the password if one is set.
///
/// Prompts go to standard error, so that standard output contains only data. Fails without a
/// terminal.
pub(crate) async fn confirm_plan_action(
    store: &Store,
    user: &User,
    kind: HumanActionKind,
    plan: &Plan,
    seen: ContentHash,
    shown: &str,
) -> Result<Consent> {
    let question =
        ConfirmationRequest { kind, plan: Some(plan.id), content_hash: seen, channel: Channel::Terminal };
    let prompt = format!("Type the plan's name to {}: ", action_phrase(kind));
    ask_consent(store, user, &question, shown, &prompt, ("the plan's name", &plan.name)).await
}

pub(crate) async fn confirm_user_deletion(
    store: &Store,
    user: &User,
    new_owner: Option<&User>,
    shown: &str,
) -> Result<Consent> {
    let seen = ContentHash::hash_json(&("delete user", user.id, &user.name, new_owner.map(|next| next.id)));
    let question = ConfirmationRequest {
        kind: HumanActionKind::DeleteUser,
        plan: None,
        content_hash: seen,
        channel: Channel::Terminal,
    };
    let prompt = format!("Type {} to delete everything: ", escape_invisible(&user.name));
    ask_consent(store, user, &question, shown, &prompt, ("the user's name", &user.name)).await
}

async fn ask_consent(
    store: &Store,
    user: &User,
    question: &ConfirmationRequest,
    shown: &str,
    prompt: &str,
    (what, name): (&str, &str),
) -> Result<Consent> {
    require_terminal()?;
    let key = ConfirmationKey::random();
    let token = question.sign(&key, user.id, clock::now());
    eprintln!("{shown}");
    let typed = ask_line(prompt)?;
    // Compared as shown: a name with invisible characters could not be typed otherwise.
    if typed.trim() != escape_invisible(name).to_string().trim() {
        let help = "run the command again and type the name exactly as shown";
        return Err(CliError::new(format!("that is not {what}; nothing was changed"), help).into());
    }
    require_password(store, user).await?;
    #[expect(clippy::disallowed_methods, reason = "a person at this terminal has just typed the name")]
    let consent = store.redeem_confirmation(user.id, question, (&key, &token), clock::now()).await?;
    Ok(consent)
}

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

/// Does nothing for a user without a password.
pub(crate) async fn require_password(store: &Store, user: &User) -> Result<()> {
    if !user.has_password {
        return Ok(());
    }
    let password = ask_secret(&format!("Password for {}: ", escape_invisible(&user.name)))?;
    if store.verify_password(user.id, &password).await? {
        return Ok(());
    }
    let help = "run the command again; to reset a forgotten password, use `fitness user invite`";
    Err(CliError::new("wrong password; nothing was changed", help).into())
}

pub(crate) fn ask_new_password(user: &User) -> Result<SecretString> {
    use secrecy::ExposeSecret;
    let password = ask_secret(&format!("New password for {}: ", escape_invisible(&user.name)))?;
    let again = ask_secret("Repeat the password: ")?;
    if password.expose_secret() != again.expose_secret() {
        return Err(CliError::new(
            "the passwords do not match; nothing was changed",
            "run the command again",
        )
        .into());
    }
    Ok(password)
}

pub(crate) fn require_terminal() -> Result<()> {
    if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        return Ok(());
    }
    let help = "run it in a terminal and answer the prompts";
    Err(CliError::new("this command needs an interactive terminal", help).into())
}

pub(crate) fn ask_line(prompt: &str) -> Result<String> {
    eprint!("{prompt}");
    std::io::stderr().flush()?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).context("cannot read from the terminal")?;
    Ok(line)
}

/// Anything but `y` or `yes` is a no.
pub(crate) fn ask_yes(prompt: &str) -> Result<bool> {
    Ok(matches!(ask_line(prompt)?.trim().to_lowercase().as_str(), "y" | "yes"))
}

pub(crate) fn ask_secret(prompt: &str) -> Result<SecretString> {
    Ok(rpassword::prompt_password(prompt).context("cannot read a password from the terminal")?.into())
}

const fn action_phrase(kind: HumanActionKind) -> &'static str {
    match kind {
        HumanActionKind::Activate => "activate it",
        HumanActionKind::Archive => "archive it",
        HumanActionKind::Delete => "delete it",
        HumanActionKind::Apply
        | HumanActionKind::Edit
        | HumanActionKind::Revert
        | HumanActionKind::DeleteUser => "confirm the change",
    }
}
