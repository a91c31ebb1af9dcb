//! `fitness demo`

mod story;

use super::import::{self, Bar};
use super::serve;
use super::user::{machine_units, machine_zone};
use crate::cli::ServeArgs;
use crate::clock;
use crate::config::Settings;
use crate::error::Failure;
use crate::output::Report;
use crate::plural::counted;
use anyhow::{Context as _, Result};
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::UserId;
use fitness_demo::{Demo, Follows, Written};
use fitness_ingest::{Import, Progress as _};
use fitness_store::db::location;
use fitness_store::{Location, Missing, Store, User};
use serde_json::json;
use std::fs::File;
use std::path::{Path, PathBuf};
use story::Story;

/// What the export is called.
const EXPORT: &str = "garmin-export.zip";
/// The demo's database, beside the athlete's own.
const DATABASE: &str = "demo.db";
const NAME: &str = "demo";

/// What was asked for.
pub(super) struct Wanted {
    pub(super) export: Option<PathBuf>,
    pub(super) years: Option<u32>,
    pub(super) ends: Option<Day>,
    pub(super) seed: u64,
    /// Whether to stop before showing anything.
    pub(super) only_make: bool,
    /// Whether to show the demo there is.
    pub(super) keep: bool,
    pub(super) serving: ServeArgs,
}

pub(super) async fn run(wanted: Wanted, json: bool) -> Result<Report> {
    let zone = machine_zone();
    let today = Day::at(clock::now(), zone);
    let ends = wanted.ends.unwrap_or(today);
    let too_early = Day::new(2000, 1, 1).is_some_and(|first| ends < first);
    // Files may be written for any later day; nothing is imported before it has come.
    if too_early || wanted.export.is_none() && ends > today {
        let help = format!("choose a day from 2000-01-01 to {today}");
        return Err(Failure::new(format!("a demo cannot end on {ends}"), help).into());
    }
    let season = Demo::new(wanted.seed, ends, zone);
    // 365.25 days are 52 weeks and a bit.
    let weeks = wanted.years.map_or(season.weeks, |years| (years * 36_525).div_ceil(700));
    match &wanted.export {
        Some(folder) => export(Demo { weeks, ..season }, folder, json).await,
        None => live(wanted, ends, weeks, json).await,
    }
}

async fn export(demo: Demo, folder: &Path, json: bool) -> Result<Report> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join(EXPORT);
    let file = File::create_new(&path).map_err(|error| {
        let message = format!("cannot write {}: {error}", path.display());
        Failure::new(message, "choose a folder without a demo in it, or remove that file")
    })?;
    let written = write(demo, Vec::new(), file, json).await?;
    let words = format!(
        "Wrote {} from {} to {} to {}.\nImport it with `fitness import {}`.",
        counted(written.activities as u64, "activity", "activities"),
        demo.begins(),
        demo.ends,
        path.display(),
        path.display()
    );
    let data = json!({ "file": path, "activities": written.activities, "records": written.records,
        "fit_bytes": written.fit_bytes, "begins": demo.begins(), "ends": demo.ends });
    Ok(Report::new(words, &data))
}

/// Writes the export, away from the threads that must not wait.
async fn write(demo: Demo, follows: Vec<Follows>, file: File, json: bool) -> Result<Written> {
    let mut bar = Bar::new(json);
    let written = tokio::task::spawn_blocking(move || {
        let mut progress = |done: usize, total: usize| {
            if done == 1 {
                bar.total(total as u64);
            }
            bar.done(done as u64, done as u64);
        };
        let written = demo.export_following(&follows, file, &mut progress);
        bar.finish();
        written
    });
    written.await?.context("cannot write the demo's files")
}

/// Where the demo's database is.
fn place() -> Result<(PathBuf, PathBuf)> {
    let directory = location::data_directory().ok_or_else(|| {
        Failure::new(
            "this account has no home directory",
            "write the files with `fitness demo --export FOLDER`",
        )
    })?;
    let database = directory.join(DATABASE);
    Ok((directory, database))
}

/// The demo there is, and its athlete.
pub(super) async fn open() -> Result<(Store, User)> {
    let (_, path) = place()?;
    if !path.exists() {
        return Err(Failure::new("there is no demo", "`fitness demo` makes one and shows it").into());
    }
    let store = Store::open(Location::Sqlite { path, default: true }, Missing::Refuse).await?;
    let user = store.find_user(NAME).await?.context("the demo's athlete is not in its database")?;
    Ok((store, user))
}

/// The demo in a database of its own, made anew every time; then its pages.
async fn live(wanted: Wanted, ends: Day, weeks: u32, json: bool) -> Result<Report> {
    let (directory, database) = place()?;
    if wanted.keep && database.exists() {
        let (store, user) = open().await?;
        return serve::pages(store, user.id, Settings::default().serving(wanted.serving)?).await;
    }
    let zone = machine_zone();
    let location = Location::Sqlite { path: database.clone(), default: true };
    for ending in ["", "-wal", "-shm"] {
        let old = directory.join(format!("{DATABASE}{ending}"));
        if old.exists() {
            std::fs::remove_file(&old).with_context(|| format!("cannot replace {}", old.display()))?;
        }
    }
    let store = Store::open(location, Missing::Create).await?;
    let profile = Profile { zone, units: machine_units(), ..Profile::default() };
    let user = store.add_user(NAME, &profile, clock::now()).await?;
    store.put_setting(user.id, serve::DEMO_SETTING, &true, clock::now()).await?;
    let demo = story::season(wanted.seed, ends, zone, weeks);
    let story = Story { store: &store, user: user.id, profile: &profile, demo };
    let mut outcome = take_in(&store, user.id, story.before(), &story.steady(), json).await?;
    story.confirm_races().await?;
    let plan = story.commit().await?;
    let follows = story.follow(plan).await?;
    outcome.added += take_in(&store, user.id, story.since(), &follows, json).await?.added;
    story.wind_up().await?;
    let data = json!({ "database": database, "import": outcome });
    if wanted.only_make {
        store.close().await;
        let words = format!(
            "The demo athlete lives in {}, apart from your own data. Look around:\n\n    FITNESS_DB={} fitness activity list\n",
            database.display(),
            database.display()
        );
        return Ok(Report::new(words, &data));
    }
    serve::pages(store, user.id, Settings::default().serving(wanted.serving)?).await
}

/// Makes the files of a part of the athlete's life and imports them like anybody's.
async fn take_in(
    store: &Store,
    user: UserId,
    demo: Demo,
    follows: &[Follows],
    json: bool,
) -> Result<fitness_ingest::Outcome> {
    let files = tempfile::tempdir().context("there is no room for the demo's files")?;
    let path = files.path().join(EXPORT);
    write(demo, follows.to_vec(), File::create_new(&path)?, json).await?;
    let mut bar = Bar::new(json);
    let wanted = Import { user, paths: vec![path], again: false, count_first: bar.is_seen() };
    let outcome =
        fitness_ingest::import(store, wanted, clock::now, &mut bar, &import::stop_on_ctrl_c()).await;
    bar.finish();
    Ok(outcome?)
}
