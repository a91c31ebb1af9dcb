//! `fitness demo`: a generated athlete in a separate database.

mod story;

use super::import::{self, ImportBar};
use super::serve;
use super::user::{machine_units, machine_zone};
use crate::cli::ServeArgs;
use crate::clock;
use crate::config::AppConfig;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::plural::pluralize;
use anyhow::{Context as _, Result};
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::UserId;
use fitness_demo::{DemoAthlete, ExportSummary, FollowedWorkout};
use fitness_ingest::{ImportProgressListener as _, ImportRequest};
use fitness_store::db::location;
use fitness_store::{Location, MissingDatabasePolicy, Store, User};
use serde_json::json;
use std::fs::File;
use std::path::{Path, PathBuf};
use story::DemoScenario;

const EXPORT_NAME: &str = "garmin-export.zip";
const DATABASE_NAME: &str = "demo.db";
const USER_NAME: &str = "demo";

pub(super) struct DemoOptions {
    pub(super) export: Option<PathBuf>,
    pub(super) years: Option<u32>,
    pub(super) ends: Option<Day>,
    pub(super) seed: u64,
    /// Create the database without starting the server.
    pub(super) only_make: bool,
    /// Show the existing demo.
    pub(super) keep: bool,
    pub(super) serve_args: ServeArgs,
}

pub(super) async fn run(wanted: DemoOptions, json: bool) -> Result<CommandOutput> {
    let zone = machine_zone();
    let today = Day::at(clock::now(), zone);
    let ends = wanted.ends.unwrap_or(today);
    let too_early = Day::new(2000, 1, 1).is_some_and(|first| ends < first);
    // An export can end in the future; an import cannot.
    if too_early || wanted.export.is_none() && ends > today {
        let help = format!("choose a day from 2000-01-01 to {today}");
        return Err(CliError::new(format!("a demo cannot end on {ends}"), help).into());
    }
    let season = DemoAthlete::new(wanted.seed, ends, zone);
    // A year has 365.25 days.
    let weeks = wanted.years.map_or(season.weeks, |years| (years * 36_525).div_ceil(700));
    match &wanted.export {
        Some(folder) => export(DemoAthlete { weeks, ..season }, folder, json).await,
        None => create_and_serve(wanted, ends, weeks, json).await,
    }
}

async fn export(demo: DemoAthlete, folder: &Path, json: bool) -> Result<CommandOutput> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = folder.join(EXPORT_NAME);
    let file = File::create_new(&path).map_err(|error| {
        let message = format!("cannot write {}: {error}", path.display());
        CliError::new(message, "choose another folder, or remove that file")
    })?;
    let written = write_export(demo, Vec::new(), file, json).await?;
    let words = format!(
        "Wrote {} from {} to {} to {}.\nImport it with `fitness import {}`.",
        pluralize(written.activities as u64, "activity", "activities"),
        demo.first_day(),
        demo.last_day,
        path.display(),
        path.display()
    );
    let data = json!({ "file": path, "activities": written.activities, "records": written.records,
        "fit_bytes": written.fit_bytes, "begins": demo.first_day(), "ends": demo.last_day });
    Ok(CommandOutput::new(words, &data))
}

/// Runs on a blocking thread.
async fn write_export(
    demo: DemoAthlete,
    follows: Vec<FollowedWorkout>,
    file: File,
    json: bool,
) -> Result<ExportSummary> {
    let mut bar = ImportBar::new(json);
    let written = tokio::task::spawn_blocking(move || {
        let mut progress = |done: usize, total: usize| {
            if done == 1 {
                bar.set_total(total as u64);
            }
            bar.set_imported(done as u64, done as u64);
        };
        let written = demo.export_with_plan(&follows, file, &mut progress);
        bar.finish();
        written
    });
    written.await?.context("cannot write the demo files")
}

/// The data directory and the demo database in it.
fn demo_paths() -> Result<(PathBuf, PathBuf)> {
    let directory = location::data_directory().ok_or_else(|| {
        CliError::new(
            "this account has no home directory",
            "write the files with `fitness demo --export FOLDER`",
        )
    })?;
    let database = directory.join(DATABASE_NAME);
    Ok((directory, database))
}

/// The existing demo database and its user.
pub(super) async fn open() -> Result<(Store, User)> {
    let (_, path) = demo_paths()?;
    if !path.exists() {
        return Err(CliError::new("there is no demo", "create one with `fitness demo`").into());
    }
    let store = Store::open(Location::Sqlite { path, default: true }, MissingDatabasePolicy::Refuse).await?;
    let user = store.find_user(USER_NAME).await?.context("the demo user is missing in its database")?;
    Ok((store, user))
}

/// Replaces the demo database, then starts the server.
async fn create_and_serve(wanted: DemoOptions, ends: Day, weeks: u32, json: bool) -> Result<CommandOutput> {
    let (directory, database) = demo_paths()?;
    if wanted.keep && database.exists() {
        let (store, user) = open().await?;
        return serve::serve_demo(store, user.id, AppConfig::default().serve_config(wanted.serve_args)?)
            .await;
    }
    let zone = machine_zone();
    let location = Location::Sqlite { path: database.clone(), default: true };
    for ending in ["", "-wal", "-shm"] {
        let old = directory.join(format!("{DATABASE_NAME}{ending}"));
        if old.exists() {
            std::fs::remove_file(&old).with_context(|| format!("cannot replace {}", old.display()))?;
        }
    }
    let store = Store::open(location, MissingDatabasePolicy::Create).await?;
    let profile = Profile { zone, units: machine_units(), ..Profile::default() };
    let user = store.add_user(USER_NAME, &profile, clock::now()).await?;
    store.put_setting(user.id, serve::DEMO_SETTING, &true, clock::now()).await?;
    let demo = story::new_demo(wanted.seed, ends, zone, weeks);
    let story = DemoScenario { store: &store, user: user.id, profile: &profile, demo };
    let mut outcome =
        import_demo_files(&store, user.id, story.history_before_plan(), &story.base_workouts(), json).await?;
    story.confirm_races().await?;
    let plan = story.activate_plan().await?;
    let follows = story.follow_plan(plan).await?;
    outcome.added += import_demo_files(&store, user.id, story.recent_weeks(), &follows, json).await?.added;
    story.add_recent_events().await?;
    let data = json!({ "database": database, "import": outcome });
    if wanted.only_make {
        store.close().await;
        let words = format!(
            "Created the demo in {}, separate from your own data. To look around:\n\n    FITNESS_DB={} fitness activity list\n",
            database.display(),
            database.display()
        );
        return Ok(CommandOutput::new(words, &data));
    }
    serve::serve_demo(store, user.id, AppConfig::default().serve_config(wanted.serve_args)?).await
}

/// Generates the files of a period and imports them normally.
async fn import_demo_files(
    store: &Store,
    user: UserId,
    demo: DemoAthlete,
    follows: &[FollowedWorkout],
    json: bool,
) -> Result<fitness_ingest::ImportOutcome> {
    let files = tempfile::tempdir().context("cannot create a temporary directory for the demo files")?;
    let path = files.path().join(EXPORT_NAME);
    write_export(demo, follows.to_vec(), File::create_new(&path)?, json).await?;
    let mut bar = ImportBar::new(json);
    let wanted = ImportRequest { user, paths: vec![path], reimport: false, count_first: bar.is_visible() };
    let outcome =
        fitness_ingest::import(store, wanted, clock::now, &mut bar, &import::stop_on_ctrl_c()).await;
    bar.finish();
    Ok(outcome?)
}
