//! `fitness user`

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
use fitness_store::{BackupReference, INVITE_DAYS, IfMissing, Location, Store, User, UserRemoval};
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
    let store = context.open(IfMissing::Create).await?;
    let user = store.add_user(name, &profile, clock::now()).await?;
    let location = store.location().to_string();
    store.close().await;
    let name = escape_invisible(&user.name);
    let text = format!(
        "Added {name}: days in {}, {} units.\nThe database is {location}.\nNo password is set; `fitness user passwd {name}` sets one.",
        profile.zone, profile.units
    );
    Ok(CommandOutput::new(text, &json!({ "user": user, "profile": profile, "database": location })))
}

async fn list_all(context: &Context) -> Result<CommandOutput> {
    let store = context.open(IfMissing::Refuse).await?;
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
    let store = context.open(IfMissing::Refuse).await?;
    let user = context.find_user(&store, name).await?;
    // Whoever has an invite sets the password and decides from then on; that takes a person.
    confirm::require_typed_name(&user, "make an invite")?;
    let code = store.create_invite(user.id, clock::now()).await?;
    store.close().await;
    let link = format!("{}/invite?code={}", context.settings.site(), code.reveal());
    let text = format!(
        "Invite for {}: {}\nOn the web: {link}\nIt sets a password once, within {INVITE_DAYS} days, and replaces earlier invites.\n\
         Whoever has it can sign in as {}; send it the way you would send a key.",
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
    let store = context.open(IfMissing::Refuse).await?;
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
        (_, 0) => format!(" {counted_tokens} still work; `fitness token list` shows them."),
        (_, revoked) => format!(" Revoked {}.", pluralize(revoked, "API token", "API tokens")),
    };
    let text = format!(
        "The password of {} is set. Plans are now confirmed with it; invites and sign-ins from before have ended.{about_tokens}",
        escape_invisible(&user.name)
    );
    Ok(CommandOutput::new(text, &json!({ "user": user.name, "password": "set", "revoked_tokens": revoked })))
}

/// Who owns the server once a user has left; refused while the owner names nobody and there is anybody else.
async fn find_new_owner(store: &Store, leaving: &User, named: Option<&str>) -> Result<Option<User>> {
    let leaves_it = store.owner().await? == Some(leaving.id);
    let mut others = store.list_users().await?;
    others.retain(|user| user.id != leaving.id);
    let names: Vec<String> = others.iter().map(|user| escape_invisible(&user.name).to_string()).collect();
    let Some(named) = named else {
        if leaves_it && !others.is_empty() {
            let message = format!(
                "{} owns this server, and nobody is named as the new owner",
                escape_invisible(&leaving.name)
            );
            let help = format!("name one with --new-owner: {}", join_with_and(&names));
            return Err(CliError::new(message, help).into());
        }
        return Ok(None);
    };
    if !leaves_it {
        let message = format!("{} does not own this server", escape_invisible(&leaving.name));
        return Err(CliError::new(message, "leave out --new-owner").into());
    }
    let found = others.into_iter().find(|user| user.name.to_lowercase() == named.to_lowercase());
    let message = format!("there is no other user called `{}`", escape_invisible(named));
    found.map(Some).ok_or_else(|| CliError::new(message, "`fitness user list` shows who there is").into())
}

async fn delete(
    context: &Context,
    name: Option<&str>,
    new_owner: Option<&str>,
    with_backups: bool,
) -> Result<CommandOutput> {
    let store = context.open(IfMissing::Refuse).await?;
    let user = context.find_user(&store, name).await?;
    let new_owner = find_new_owner(&store, &user, new_owner).await?;
    let shown = escape_invisible(&user.name).to_string();
    let (activities, _) = store.count_activities(user.id).await?;
    let plans = store.list_plans(user.id).await?.len() as u64;
    let handed_over = match &new_owner {
        Some(next) => format!("\n{} owns this server from then on.", escape_invisible(&next.name)),
        None => String::new(),
    };
    let question = format!(
        "Gone for good: {shown} with {}, {}, and every note, brief, conversation, key and token.\n\
         `fitness export` writes all of it to a file first.{handed_over}",
        pluralize(activities, "activity", "activities"),
        pluralize(plans, "plan", "plans"),
    );
    let consent = confirm::confirm_user_deletion(&store, &user, new_owner.as_ref(), &question).await?;
    let UserRemoval { backup_references: remains, vacuum_pending } =
        store.remove_user(consent, new_owner.as_ref().map(|next| next.id)).await?;
    let mut text = match store.location() {
        _ if vacuum_pending => format!(
            "{shown} is gone: every row. Free pages of the database may still hold some of it, as others are using the file or \
             there is no room to rewrite it; the next start of any command or of the server rewrites it, and `fitness doctor` \
             says whether that is still to be done."
        ),
        Location::Sqlite { .. } => {
            format!("{shown} is gone, also from the database's free pages and its log.")
        }
        Location::Postgres(_) => format!(
            "{shown} is gone: every row, and the tables are vacuumed. The server's own write-ahead log and its own backups hold \
             copies until they are recycled; that is for whoever runs it."
        ),
    };
    if let Some(next) = &new_owner {
        text += &format!("\n{} owns this server now.", escape_invisible(&next.name));
    }
    store.close().await;
    let (alone, others): (Vec<&BackupReference>, Vec<&BackupReference>) =
        remains.iter().partition(|held| held.has_no_other_users());
    let (doubtful, shared): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|held| held.others.is_empty() || !held.of_this_database);
    if with_backups {
        for remains in &alone {
            std::fs::remove_file(&remains.path)?;
            text += &format!("\nRemoved {}.", remains.path.display());
        }
    } else {
        text += &render_backup_files(
            "These backups still hold the data, and nobody else's; remove them when you no longer want them:",
            &alone,
        );
    }
    text += &render_backup_files(
        "These backups hold the data of others too and stay until somebody removes them:",
        &shared,
    );
    text += &render_backup_files(
        "These hold the data too. They were made from another database, or do not say from which, or are being written; so they \
         stay until somebody removes them:",
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

/// Files that hold somebody, under a line that says which; nothing where there are none.
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

/// The zone this session or this machine is in; UTC when neither says.
pub(super) fn machine_zone() -> Tz {
    let session = std::env::var("TZ").ok().and_then(|name| name.trim_start_matches(':').parse().ok());
    let machine = || iana_time_zone::get_timezone().ok().and_then(|name| name.parse().ok());
    session.or_else(machine).unwrap_or(Tz::UTC)
}

/// Miles where the locale is of a country that runs in miles.
pub(super) fn machine_units() -> UnitSystem {
    let locale = ["LC_ALL", "LC_MEASUREMENT", "LANG"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
    let miles = locale.is_some_and(|locale| {
        ["en_US", "en_GB", "en_LR", "my_MM"].iter().any(|country| locale.starts_with(country))
    });
    if miles { UnitSystem::Imperial } else { UnitSystem::Metric }
}
