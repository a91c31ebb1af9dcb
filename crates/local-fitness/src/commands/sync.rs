//! `fitness sync` and `fitness watch`: fetch from services, import from a folder.

use super::import::{ImportBar, render_outcome, stop_on_ctrl_c};
use super::source::{self, LiveSource};
use crate::cli::Service;
use crate::clock;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use anyhow::{Context as _, Result};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_ingest::{Error, ImportOutcome, StopSignal, SyncRequest};
use fitness_store::{Source, Store, User};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Setting with the watched folder; the server reads it too.
const WATCH_SETTING: &str = "watch_folder";

pub(super) async fn run(
    context: &Context,
    service: Option<Service>,
    since: Option<Day>,
    json: bool,
) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let zone = store.profile(user.id).await?.zone;
    let today = Day::at(clock::now(), zone);
    if since.is_some_and(|since| since > today) {
        return Err(CliError::new("--since is in the future", "use an earlier day").into());
    }
    let mut sources = store.list_sources(user.id).await?;
    if let Some(service) = service {
        sources.retain(|source| source.kind == service.as_str());
        if sources.is_empty() {
            let help = format!("connect it with `fitness source add {}`", service.as_str());
            return Err(CliError::new(format!("{} is not connected", service.label()), help).into());
        }
    }
    if sources.is_empty() {
        let help = "connect one with `fitness source add garmin` or `fitness source add intervals`, or import files \
                    with `fitness import PATH`";
        return Err(CliError::new("no service connected", help).into());
    }
    let stop = stop_on_ctrl_c();
    let (mut words, mut data, mut failed) = (String::new(), Vec::new(), Vec::new());
    for source in &sources {
        let outcome = sync_source(&store, &user, source, since, json, &stop).await;
        let label = escape_invisible(&source.label);
        match outcome {
            Ok(outcome) => {
                write!(words, "{label}: {}", render_outcome(&outcome))?;
                data.push(json!({ "source": source.kind, "outcome": outcome }));
            }
            Err(error) => failed.push((source, error)),
        }
        if let Some(warning) = source::key_expiry_warning(source, today) {
            writeln!(words, "{warning}")?;
        }
    }
    store.close().await;
    if sources.len() == 1
        && let Some((_, error)) = failed.pop()
    {
        return Err(error);
    }
    // With several sources, report each result.
    for (source, error) in &failed {
        writeln!(words, "{} failed: {error:#}", escape_invisible(&source.label))?;
        data.push(json!({ "source": source.kind, "error": format!("{error:#}") }));
    }
    let report = CommandOutput::new(words, &data);
    Ok(if failed.is_empty() && !stop.is_stopped() { report } else { report.with_failure() })
}

async fn sync_source(
    store: &Store,
    user: &User,
    source: &Source,
    since: Option<Day>,
    json: bool,
    stop: &StopSignal,
) -> Result<ImportOutcome> {
    let live = source::connect(store, user, source).await?;
    let wanted = SyncRequest { user: user.id, source: source.id, from: since };
    let mut bar = ImportBar::new(json);
    let outcome = match live {
        LiveSource::Garmin(mut garmin) => {
            fitness_ingest::sync(store, wanted, &mut *garmin, clock::now, &mut bar, stop).await
        }
        LiveSource::Intervals(mut intervals) => {
            fitness_ingest::sync(store, wanted, &mut *intervals, clock::now, &mut bar, stop).await
        }
    };
    bar.finish();
    outcome.map_err(|error| match error {
        Error::Service(fault) => {
            let help = format!(
                "no data was lost; try again later, or replace the key with `fitness source key {}`",
                source.id
            );
            CliError::new(format!("{}: {fault}", escape_invisible(&source.label)), help).into()
        }
        Error::Store(error) => anyhow::Error::from(error),
        other => other.into(),
    })
}

/// Syncs all sources of a user in the background; errors are returned after the last one.
pub(crate) async fn sync_all(store: &Store, user: UserId) -> Result<()> {
    let users = store.list_users().await?;
    let Some(user) = users.iter().find(|known| known.id == user) else { return Ok(()) };
    let mut failed = Vec::new();
    for source in store.list_sources(user.id).await? {
        if let Err(why) = sync_source(store, user, &source, None, true, &StopSignal::default()).await {
            failed.push(format!("{why:#}"));
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(anyhow::anyhow!(failed.join("; "))) }
}

pub(super) async fn watch(
    context: &Context,
    folder: Option<PathBuf>,
    remember: bool,
    forget: bool,
    json: bool,
) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    if forget {
        store.put_setting(user.id, WATCH_SETTING, &None::<String>, clock::now()).await?;
        store.close().await;
        return Ok(CommandOutput::new("The folder is no longer remembered.", &json!({ "folder": null })));
    }
    let remembered = store.find_setting::<Option<PathBuf>>(user.id, WATCH_SETTING).await?.flatten();
    let folder = folder.or(remembered).ok_or_else(|| {
        CliError::new("no folder given", "use `fitness watch FOLDER`; add --remember to reuse it next time")
    })?;
    let folder = canonical(&folder)?;
    if remember {
        store.put_setting(user.id, WATCH_SETTING, &Some(&folder), clock::now()).await?;
    }
    eprintln!("Watching {}. Press Ctrl-C to stop.", folder.display());
    let stop = stop_on_ctrl_c();
    let mut imports: u64 = 0;
    let mut report = |outcome: &ImportOutcome| {
        if outcome.files + outcome.files_already_there + outcome.skipped_count == 0 {
            return;
        }
        imports += 1;
        let line = if json {
            serde_json::to_string(outcome).expect("an outcome serializes")
        } else {
            render_outcome(outcome)
        };
        // Keep watching even if standard output is closed.
        drop(writeln!(std::io::stdout(), "{}", line.trim_end()));
    };
    fitness_ingest::watch(&store, user.id, &folder, clock::now, &mut (), &stop, &mut report).await?;
    store.close().await;
    let words = format!("Stopped watching {}.", folder.display());
    Ok(CommandOutput::new(words, &json!({ "folder": folder, "imports": imports })))
}

fn canonical(folder: &Path) -> Result<PathBuf> {
    if !folder.is_dir() {
        let message = format!("there is no folder {}", folder.display());
        return Err(CliError::new(message, "create it first, or use another one").into());
    }
    folder.canonicalize().with_context(|| format!("cannot read {}", folder.display()))
}
