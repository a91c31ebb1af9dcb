//! `fitness user`: users, invites and passwords.

use crate::cli::UserCommand;
use crate::clock;
use crate::confirm;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::plural::{join_with_and, pluralize};
use crate::table::table;
use anyhow::Result;
use chrono_tz::Tz;
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::units::UnitSystem;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{
    BackupReference, INVITE_DAYS, Location, MissingDatabasePolicy, RemainingUserData, Store, User,
};
use serde_json::json;

pub(super) async fn run(context: &Context, command: UserCommand) -> Result<CommandOutput> {
    match command {
        UserCommand::Add { name, zone, units } => add(context, &name, zone, units).await,
        UserCommand::List => list_all(context).await,
        UserCommand::Invite { name } => invite(context, name.as_deref()).await,
        UserCommand::Delete { name, new_owner, with_backups } => {
            delete(context, name.as_deref(), new_owner.as_deref(), with_backups).await
        }
        UserCommand::Passwd { name, revoke_tokens } => passwd(context, name.as_deref(), revoke_tokens).await,
    }
}

async fn add(
    context: &Context,
    name: &str,
    zone: Option<Tz>,
    units: Option<UnitSystem>,
) -> Result<CommandOutput> {
    let profile = Profile {
        zone: zone.unwrap_or_else(machine_zone),
        units: units.unwrap_or_else(machine_units),
        ..Profile::default()
    };
    let store = context.open(MissingDatabasePolicy::Create).await?;
    let user = store.add_user(name, &profile, clock::now()).await?;
    let location = store.location().to_string();
    store.close().await;
    let name = escape_invisible(&user.name);
    let text = format!(
        "Added {name}: time zone {}, {} units.\nDatabase: {location}\nNo password yet; set one with `fitness user passwd {name}`.",
        profile.zone, profile.units
    );
    Ok(CommandOutput::new(text, &json!({ "user": user, "profile": profile, "database": location })))
}

async fn list_all(context: &Context) -> Result<CommandOutput> {
    let store = context.open(MissingDatabasePolicy::Refuse).await?;
    let users = store.list_users().await?;
    store.close().await;
    if users.is_empty() {
        return Ok(CommandOutput::new("No users yet. Add one with `fitness user add NAME`.", &users));
    }
    let rows: Vec<_> = users
        .iter()
        .map(|user| {
            let password = if user.has_password { "set" } else { "not set" };
            [
                escape_invisible(&user.name).to_string(),
                password.to_owned(),
                user.created_at.date_naive().to_string(),
            ]
        })
        .collect();
    Ok(CommandOutput::new(table(["name", "password", "since"], &rows), &users))
}

async fn invite(context: &Context, name: Option<&str>) -> Result<CommandOutput> {
    let store = context.open(MissingDatabasePolicy::Refuse).await?;
    let user = context.find_user(&store, name).await?;
    // An invite sets the password, so creating one needs a person.
    confirm::require_typed_name(&user, "create an invite")?;
    let code = store.create_invite(user.id, clock::now()).await?;
    store.close().await;
    let link = format!("{}/invite?code={}", context.settings.site(), code.reveal());
    let text = format!(
        "Invite for {}: {}\nLink: {link}\nIt works once, within {INVITE_DAYS} days, and replaces earlier invites.\n\
         Anyone who has it can set {}'s password, so send it privately.",
        escape_invisible(&user.name),
        code.reveal(),
        escape_invisible(&user.name)
    );
    Ok(CommandOutput::new(
        text,
        &json!({ "user": user.name, "code": code.reveal(), "link": link, "days": INVITE_DAYS }),
    ))
}

async fn passwd(context: &Context, name: Option<&str>, revoke_tokens: bool) -> Result<CommandOutput> {
    let store = context.open(MissingDatabasePolicy::Refuse).await?;
    let user = context.find_user(&store, name).await?;
    confirm::require_terminal()?;
    confirm::require_password(&store, &user).await?;
    let password = confirm::ask_new_password(&user)?;
    let tokens = store.list_api_tokens(user.id).await?.len() as u64;
    let counted_tokens = pluralize(tokens, "API token", "API tokens");
    let revoke = revoke_tokens
        || tokens > 0
            && confirm::ask_yes(&format!("Also revoke {counted_tokens}? Programs lose access. [y/N] "))?;
    let revoked = store.change_password(user.id, &password, revoke, clock::now()).await?;
    store.close().await;
    let about_tokens = match (tokens, revoked) {
        (0, _) => String::new(),
        (_, 0) => {
            let valid = pluralize(tokens, "API token is", "API tokens are");
            format!(" {valid} still valid; `fitness token list` lists them.")
        }
        (_, revoked) => format!(" Revoked {}.", pluralize(revoked, "API token", "API tokens")),
    };
    let text = format!(
        "Password set for {}. It is now required for changing plans; earlier invites and sessions no longer work.{about_tokens}",
        escape_invisible(&user.name)
    );
    Ok(CommandOutput::new(text, &json!({ "user": user.name, "password": "set", "revoked_tokens": revoked })))
}

/// The next owner of the server. Required if the owner is deleted and there are other users.
async fn find_new_owner(store: &Store, deleted: &User, named: Option<&str>) -> Result<Option<User>> {
    let is_owner = store.owner().await? == Some(deleted.id);
    let mut others = store.list_users().await?;
    others.retain(|user| user.id != deleted.id);
    let names: Vec<String> = others.iter().map(|user| escape_invisible(&user.name).to_string()).collect();
    let Some(named) = named else {
        if is_owner && !others.is_empty() {
            let message =
                format!("{} owns this server; a new owner is required", escape_invisible(&deleted.name));
            let help = format!("choose one with --new-owner: {}", join_with_and(&names));
            return Err(CliError::new(message, help).into());
        }
        return Ok(None);
    };
    if !is_owner {
        let message = format!("{} does not own this server", escape_invisible(&deleted.name));
        return Err(CliError::new(message, "omit --new-owner").into());
    }
    let found = others.into_iter().find(|user| user.name.to_lowercase() == named.to_lowercase());
    let message = format!("there is no other user called `{}`", escape_invisible(named));
    found.map(Some).ok_or_else(|| CliError::new(message, "`fitness user list` lists the users").into())
}

async fn delete(
    context: &Context,
    name: Option<&str>,
    new_owner: Option<&str>,
    with_backups: bool,
) -> Result<CommandOutput> {
    let store = context.open(MissingDatabasePolicy::Refuse).await?;
    let user = context.find_user(&store, name).await?;
    let new_owner = find_new_owner(&store, &user, new_owner).await?;
    let shown = escape_invisible(&user.name).to_string();
    let (activities, _) = store.count_activities(user.id).await?;
    let plans = store.list_plans(user.id).await?.len() as u64;
    let handed_over = match &new_owner {
        Some(next) => format!("\n{} becomes the owner of this server.", escape_invisible(&next.name)),
        None => String::new(),
    };
    let question = format!(
        "This deletes {shown} with {}, {}, and every note, brief, conversation, key and token. It cannot be undone.\n\
         Use `fitness export` first to keep a copy.{handed_over}",
        pluralize(activities, "activity", "activities"),
        pluralize(plans, "plan", "plans"),
    );
    let consent = confirm::confirm_user_deletion(&store, &user, new_owner.as_ref(), &question).await?;
    let RemainingUserData { backup_references: remains, vacuum_pending } =
        store.remove_user(consent, new_owner.as_ref().map(|next| next.id)).await?;
    let mut text = match store.location() {
        _ if vacuum_pending => format!(
            "Deleted every row of {shown}. Free pages of the database file may still contain data, as another program \
             is using the file or the disk is full. The next command or server start rewrites the file; `fitness doctor` \
             reports whether that is still pending."
        ),
        Location::Sqlite { .. } => {
            format!("Deleted {shown}, also from the free pages and the log of the database.")
        }
        Location::Postgres(_) => format!(
            "Deleted every row of {shown} and vacuumed the tables. PostgreSQL's own write-ahead log and backups may \
             contain copies until its administrator removes them."
        ),
    };
    if let Some(next) = &new_owner {
        text += &format!("\n{} now owns this server.", escape_invisible(&next.name));
    }
    store.close().await;
    let (alone, others): (Vec<&BackupReference>, Vec<&BackupReference>) =
        remains.iter().partition(|held| held.has_no_other_users());
    let (doubtful, shared): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|held| held.others.is_empty() || !held.of_this_database);
    if with_backups {
        for remains in &alone {
            std::fs::remove_file(&remains.path)?;
            text += &format!("\nDeleted {}.", remains.path.display());
        }
    } else {
        text += &render_backup_files(
            "These backups still contain the data, and no other user's. Delete them when you no longer need them:",
            &alone,
        );
    }
    text += &render_backup_files(
        "These backups also contain data of other users, and were not deleted:",
        &shared,
    );
    text += &render_backup_files(
        "These files also contain the data, but belong to another or an unknown database, or are being written. They \
         were not deleted:",
        &doubtful,
    );
    let removed = if with_backups { alone.iter().map(|remains| &remains.path).collect() } else { Vec::new() };
    let left: Vec<_> = remains.iter().filter(|remains| !removed.contains(&&remains.path)).collect();
    Ok(CommandOutput::new(
        text,
        &json!({
            "user": user.name, "new_owner": new_owner.map(|next| next.name), "removed_backups": removed,
            "backups_that_hold_it": left, "vacuum_pending": vacuum_pending
        }),
    ))
}

/// A heading and a list of files; empty if there are none.
fn render_backup_files(heading: &str, files: &[&BackupReference]) -> String {
    if files.is_empty() {
        return String::new();
    }
    files.iter().fold(format!("\n{heading}"), |text, file| {
        let others = match file.others.as_slice() {
            [] => String::new(),
            others => format!(" (also {})", escape_invisible(&join_with_and(others))),
        };
        format!("{text}\n  {}{others}", file.path.display())
    })
}

/// `TZ`, or the time zone of the machine, or UTC.
pub(super) fn machine_zone() -> Tz {
    let session = std::env::var("TZ").ok().and_then(|name| name.trim_start_matches(':').parse().ok());
    let machine = || iana_time_zone::get_timezone().ok().and_then(|name| name.parse().ok());
    session.or_else(machine).unwrap_or(Tz::UTC)
}

/// Imperial for locales of countries that use miles.
pub(super) fn machine_units() -> UnitSystem {
    let locale = ["LC_ALL", "LC_MEASUREMENT", "LANG"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
    let miles = locale.is_some_and(|locale| {
        ["en_US", "en_GB", "en_LR", "my_MM"].iter().any(|country| locale.starts_with(country))
    });
    if miles { UnitSystem::Imperial } else { UnitSystem::Metric }
}
