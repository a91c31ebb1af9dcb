//! `fitness source`: connected services and their API keys.

use crate::cli::{Service, SourceCommand};
use crate::clock;
use crate::confirm;
use crate::context::Context;
use crate::error::CliError;
use crate::http_client;
use crate::output::CommandOutput;
use crate::secret_input;
use crate::secret_store::{SecretCipher, SecretPurpose};
use crate::table::table;
use anyhow::Result;
use chrono_tz::Tz;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{SourceId, UserId};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_sources::live::garmin::{self, Garmin};
use fitness_sources::live::intervals::{self, Intervals};
use fitness_store::{Source, Store, User};
use fitness_web::NewSource;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::path::Path;

const GARMIN_KEY_URL: &str = "https://connect.garmin.com/app/settings/personalApiToken";
/// The variable that Garmin's own client uses.
const GARMIN_VARIABLE: &str = "GARMIN_PERSONAL_API_KEY";

/// Stored as JSON next to the encrypted key.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SourceConfig {
    pub(super) address: String,
    /// Athlete id; intervals.icu only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) athlete: Option<String>,
}

pub(super) async fn run(context: &Context, command: SourceCommand) -> Result<CommandOutput> {
    match command {
        SourceCommand::Add { service, key_file, expires, address, athlete } => {
            add(context, service, key_file.as_deref(), expires, address, athlete).await
        }
        SourceCommand::List => list(context).await,
        SourceCommand::Key { source, key_file, expires } => {
            set_key(context, source, key_file.as_deref(), expires).await
        }
        SourceCommand::Remove { source } => remove(context, source).await,
        SourceCommand::Probe { service: Service::Garmin } => probe(context).await,
        SourceCommand::Probe { service: Service::Intervals } => {
            let help = "its API is documented; use `fitness source probe garmin` for Garmin";
            Err(CliError::new("intervals.icu does not need a probe", help).into())
        }
    }
}

async fn add(
    context: &Context,
    service: Service,
    key_file: Option<&Path>,
    expires: Option<Day>,
    address: Option<String>,
    athlete: Option<String>,
) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    refuse_duplicate(&store, user.id, service).await?;
    let secret = read_key(service, key_file)?;
    let expires = ask_expiry(service, expires, clock::now(), store.profile(user.id).await?.zone)?;
    let new = NewConnection { service, address, athlete, secret, expires };
    let id = add_connection(&store, user.id, new).await?;
    store.close().await;
    let mut words = format!("Added {} as source {id}. Its API key is stored encrypted.\n", service.label());
    if let Some(day) = expires {
        writeln!(words, "You get a reminder a week before the key expires on {day}.")?;
    }
    if service == Service::Garmin {
        words.push_str(
            "This source is experimental, as Garmin does not document its responses. `fitness source probe garmin` \
             shows their field names without your data. Not affiliated with Garmin.\n",
        );
    }
    write!(words, "Fetch your data with `fitness sync {}`.", service.as_str())?;
    Ok(CommandOutput::new(
        words,
        &json!({ "source_id": id, "kind": service.as_str(), "key_expires_on": expires }),
    ))
}

struct NewConnection {
    service: Service,
    address: Option<String>,
    athlete: Option<String>,
    secret: SecretString,
    expires: Option<Day>,
}

async fn refuse_duplicate(store: &Store, user: UserId, service: Service) -> Result<()> {
    let Some(known) = find_source(store, user, service).await? else { return Ok(()) };
    let message = format!("{} is already connected", service.label());
    let help = format!("replace its key with `fitness source key {}`", known.id);
    Err(CliError::new(message, help).into())
}

async fn add_connection(store: &Store, user: UserId, new: NewConnection) -> Result<SourceId> {
    let NewConnection { service, address, athlete, secret, expires } = new;
    let home = match service {
        Service::Garmin => garmin::BASE_URL,
        Service::Intervals => intervals::BASE_URL,
    };
    let config = SourceConfig { address: address.unwrap_or_else(|| home.to_owned()), athlete };
    // Refuse an invalid key or address before storing anything.
    build_source(service, &config, secret.clone(), store.profile(user).await?.zone)?;
    let cipher = SecretCipher::load_or_create()?;
    let config = serde_json::to_value(&config)?;
    let id = store.add_source(user, service.as_str(), service.label(), config, clock::now()).await?;
    let sealed = cipher.encrypt(user, SecretPurpose::Source(id), &secret)?;
    store.put_source_secret(user, id, sealed, expires, clock::now()).await?;
    Ok(id)
}

/// Connects a service from the web app, always at its default address.
pub(crate) async fn add_from_web(store: &Store, user: UserId, new: NewSource) -> Result<SourceId> {
    let service: Service =
        new.service.parse().map_err(|_| CliError::new("unknown service", "choose one from the list"))?;
    refuse_duplicate(store, user, service).await?;
    refuse_expired(new.expires, store.profile(user).await?.zone)?;
    let new =
        NewConnection { service, address: None, athlete: new.athlete, secret: new.key, expires: new.expires };
    add_connection(store, user, new).await
}

pub(crate) async fn replace_key(
    store: &Store,
    user: UserId,
    id: SourceId,
    secret: &SecretString,
    expires: Option<Day>,
) -> Result<()> {
    let (service, config) = parse_config(&require_source(store, user, id).await?)?;
    let zone = store.profile(user).await?.zone;
    refuse_expired(expires, zone)?;
    build_source(service, &config, secret.clone(), zone)?;
    let sealed = SecretCipher::load_or_create()?.encrypt(user, SecretPurpose::Source(id), secret)?;
    store.put_source_secret(user, id, sealed, expires, clock::now()).await?;
    Ok(())
}

fn refuse_expired(expires: Option<Day>, zone: Tz) -> Result<()> {
    if expires.is_some_and(|day| day <= Day::at(clock::now(), zone)) {
        return Err(CliError::new("this key has already expired", "create a new one").into());
    }
    Ok(())
}

async fn list(context: &Context) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let sources = store.list_sources(user.id).await?;
    let zone = store.profile(user.id).await?.zone;
    let runs = store.list_sync_runs(user.id, 500).await?;
    store.close().await;
    if sources.is_empty() {
        let words = "No service connected. Connect one with `fitness source add garmin` or `fitness source add intervals`,\n\
                     or import files with `fitness import PATH`.";
        return Ok(CommandOutput::new(words, &sources));
    }
    let today = Day::at(clock::now(), zone);
    let rows: Vec<_> = sources
        .iter()
        .map(|source| {
            let last = runs.iter().find(|run| run.source == Some(source.id));
            [
                source.id.to_string(),
                escape_invisible(&source.label).to_string(),
                source.key_expires_on.map_or_else(|| "unknown".to_owned(), |day| day.to_string()),
                last.map_or_else(
                    || "never".to_owned(),
                    |run| format!("{} {}", Day::at(run.started_at, zone), run.state),
                ),
            ]
        })
        .collect();
    let mut words = table(["source", "name", "key expires", "last sync"], &rows);
    for warning in sources.iter().filter_map(|source| key_expiry_warning(source, today)) {
        writeln!(words, "{warning}")?;
    }
    Ok(CommandOutput::new(words, &sources))
}

async fn set_key(
    context: &Context,
    id: SourceId,
    key_file: Option<&Path>,
    expires: Option<Day>,
) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let (service, _) = parse_config(&require_source(&store, user.id, id).await?)?;
    let secret = read_key(service, key_file)?;
    let expires = ask_expiry(service, expires, clock::now(), store.profile(user.id).await?.zone)?;
    replace_key(&store, user.id, id, &secret, expires).await?;
    store.close().await;
    Ok(CommandOutput::new(
        "The new API key is stored encrypted.",
        &json!({ "source_id": id, "key_expires_on": expires }),
    ))
}

async fn remove(context: &Context, id: SourceId) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    require_source(&store, user.id, id).await?;
    store.remove_source(user.id, id, clock::now()).await?;
    store.close().await;
    let words = format!("Removed source {id} and its key. Imported data stays.");
    Ok(CommandOutput::new(words, &json!({ "source_id": id })))
}

/// Prints status codes and field names of Garmin's responses, no values.
async fn probe(context: &Context) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let source = find_source(&store, user.id, Service::Garmin).await?.ok_or_else(not_connected_error)?;
    let LiveSource::Garmin(mut garmin) = connect(&store, &user, &source).await? else {
        return Err(not_connected_error().into());
    };
    store.close().await;
    let probed = garmin.probe().await?;
    let mut words = String::new();
    for answer in &probed {
        let status = answer.status.map_or_else(|| "---".to_owned(), |status| status.to_string());
        writeln!(words, "{status} {} {}", answer.dataset, answer.path)?;
        if let Some(problem) = &answer.problem {
            writeln!(words, "    {problem}")?;
        }
        for keys in answer.keys.chunks(6) {
            writeln!(words, "    {}", escape_invisible(&keys.join(" ")))?;
        }
    }
    words.push_str("\nThis contains only paths, status codes and field names, no data of yours.");
    let data: Vec<_> = probed
        .iter()
        .map(|answer| {
            json!({ "dataset": answer.dataset, "path": answer.path, "status": answer.status,
                "problem": answer.problem.as_ref().map(ToString::to_string), "keys": answer.keys })
        })
        .collect();
    Ok(CommandOutput::new(words, &data))
}

pub(super) enum LiveSource {
    Garmin(Box<Garmin>),
    Intervals(Box<Intervals>),
}

/// Decrypts the API key and builds the client.
pub(super) async fn connect(store: &Store, user: &User, source: &Source) -> Result<LiveSource> {
    let missing = || {
        let help = format!("enter it with `fitness source key {}`", source.id);
        CliError::new(format!("{} has no API key", escape_invisible(&source.label)), help)
    };
    let (service, config) = parse_config(source)?;
    let sealed = store.find_source_secret(user.id, source.id).await?.ok_or_else(missing)?;
    let secret = SecretCipher::load()?.ok_or_else(missing)?.decrypt(
        user.id,
        SecretPurpose::Source(source.id),
        &sealed,
    )?;
    build_source(service, &config, secret, store.profile(user.id).await?.zone)
}

fn build_source(
    service: Service,
    config: &SourceConfig,
    secret: SecretString,
    zone: Tz,
) -> Result<LiveSource> {
    let means = http_client::source_http_env()?;
    let refused = |why: fitness_sources::live::FetchError| {
        CliError::new(why.to_string(), "copy the API key again, and check the address if you set one")
    };
    Ok(match service {
        Service::Garmin => {
            let garmin = Garmin::new(&config.address, secret, zone, means).map_err(refused)?;
            LiveSource::Garmin(Box::new(garmin))
        }
        Service::Intervals => {
            let athlete = config.athlete.as_deref().unwrap_or(intervals::KEY_OWNER);
            let intervals = Intervals::new(&config.address, athlete, secret, zone, means).map_err(refused)?;
            LiveSource::Intervals(Box::new(intervals))
        }
    })
}

fn parse_config(source: &Source) -> Result<(Service, SourceConfig)> {
    let unknown = || {
        CliError::new(
            format!("source {} cannot be synced", source.id),
            "`fitness source list` lists your sources",
        )
    };
    let service = source.kind.parse().map_err(|_| unknown())?;
    let config = serde_json::from_value(source.config.clone()).map_err(|_| unknown())?;
    Ok((service, config))
}

pub(super) async fn find_source(store: &Store, user: UserId, service: Service) -> Result<Option<Source>> {
    Ok(store.list_sources(user).await?.into_iter().find(|source| source.kind == service.as_str()))
}

async fn require_source(store: &Store, user: UserId, id: SourceId) -> Result<Source> {
    let found = store.list_sources(user).await?.into_iter().find(|source| source.id == id);
    found.ok_or_else(|| {
        CliError::new(format!("there is no source {id}"), "`fitness source list` lists your sources").into()
    })
}

pub(super) fn not_connected_error() -> CliError {
    CliError::new("Garmin is not connected", "connect it with `fitness source add garmin`")
}

/// For a key that has expired or expires soon.
pub(super) fn key_expiry_warning(source: &Source, today: Day) -> Option<String> {
    let expires = source.key_expiry_warning(today)?;
    let label = escape_invisible(&source.label);
    let verb = if expires < today { "expired" } else { "expires" };
    let page =
        if source.kind == Service::Garmin.as_str() { format!(" at {GARMIN_KEY_URL}") } else { String::new() };
    Some(format!(
        "The key of {label} {verb} on {expires}. Create a new one{page}, then run `fitness source key {}`.",
        source.id
    ))
}

fn read_key(service: Service, file: Option<&Path>) -> Result<SecretString> {
    let (variable, page) = match service {
        Service::Garmin => (Some(GARMIN_VARIABLE), GARMIN_KEY_URL),
        Service::Intervals => (None, "https://intervals.icu/settings (Developer Settings)"),
    };
    secret_input::read_key(file, variable, page)
}

/// Garmin does not say when a key expires, so the user is asked.
fn ask_expiry(service: Service, given: Option<Day>, now: Instant, zone: Tz) -> Result<Option<Day>> {
    let today = Day::at(now, zone);
    if given.is_some_and(|day| day <= today) {
        return Err(CliError::new("this key has already expired", "create a new one").into());
    }
    if given.is_some() || service != Service::Garmin || !std::io::stdin().is_terminal() {
        return Ok(given);
    }
    let typed =
        confirm::ask_line("For how many days is the key valid (30, 90, 180 or 365; Enter if unknown)? ")?;
    let typed = typed.trim();
    if typed.is_empty() {
        return Ok(None);
    }
    let days: i64 = typed.parse().ok().filter(|days| (1..=366).contains(days)).ok_or_else(|| {
        CliError::new(format!("`{typed}` is not a valid number of days"), "use 30, 90, 180 or 365")
    })?;
    Ok(Some(today.plus_days(days)))
}
