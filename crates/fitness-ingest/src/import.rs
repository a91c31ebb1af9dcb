//! One import, from the paths an athlete names to the frontier.

use crate::batch::Gatherer;
use crate::discover::{self, Counts};
use crate::outcome::Outcome;
use crate::parse::FILE_BYTES;
use crate::recompute::recompute;
use crate::{Clock, Error};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::UserId;
use fitness_store::{FinishedFiles, RunKind, RunOutcome, RunState, Store};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

/// How often to look whether to stop.
const LOOK_UP: Duration = Duration::from_millis(200);
/// Events on their way from the readers to the database.
const EVENTS: usize = 256;

/// Asks a running import to stop; what was taken in so far stays.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks it to stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Waits until it is asked.
    pub(crate) async fn asked(&self) {
        while !self.is_asked() {
            tokio::time::sleep(LOOK_UP).await;
        }
    }
}

/// How far an import is.
pub trait Progress: Send {
    /// How many files there are to read, once that is known.
    fn total(&mut self, files: u64);
    /// So many files were looked at and so many activities found.
    fn done(&mut self, files: u64, activities: u64);
    /// All files are in; so many activities were worked out.
    fn worked_out(&mut self, activities: u64);
}

impl Progress for () {
    fn total(&mut self, _: u64) {}
    fn done(&mut self, _: u64, _: u64) {}
    fn worked_out(&mut self, _: u64) {}
}

/// What to import, and how.
#[derive(Debug, Clone)]
pub struct Import {
    /// Whose it is.
    pub user: UserId,
    /// Files, folders and archives.
    pub paths: Vec<PathBuf>,
    /// Read also what was read before.
    pub again: bool,
    /// Count the files first, so that progress can tell how many are left.
    pub count_first: bool,
}

/// Imports files. Each file costs at most one line of what was left out; the rest goes on.
///
/// # Errors
/// When the database refuses. What was taken in before that is kept, and the run is noted as failed.
pub async fn import(
    store: &Store,
    import: Import,
    clock: Clock,
    progress: &mut dyn Progress,
    stop: &Stop,
) -> Result<Outcome, Error> {
    let Import { user, paths, again, count_first } = import;
    let run = store.begin_run(user, RunKind::File, None, clock()).await?;
    let zone = store.profile(user).await?.zone;
    let mut gatherer = Gatherer::new(store, user, zone, clock);
    let taken = take(&mut gatherer, &paths, again, count_first, progress, stop).await;
    let stopped = stop.is_asked();
    let files = gatherer.finished_files();
    let (mut outcome, evidence, kind) = gatherer.finish();
    outcome.stopped = stopped;
    let problem = match &taken {
        Err(error) => Some(error.to_string()),
        Ok(()) if stopped => Some("it was stopped before its end".to_owned()),
        Ok(()) => None,
    };
    let state = match &taken {
        Err(_) => RunState::Failed,
        Ok(()) if stopped => RunState::Partial,
        Ok(()) => RunState::Done,
    };
    // Half an import says nothing about days: what is missing may be what comes next.
    let (evidence, files) = match state {
        RunState::Done => (evidence, files),
        _ => (Vec::new(), FinishedFiles::default()),
    };
    let summary = serde_json::to_value(&outcome).expect("an outcome is plain data");
    let finished = RunOutcome { kind: Some(kind), state, evidence, summary, problem, files };
    let coverage = store.finish_run(user, run, finished, clock()).await;
    taken?;
    outcome.coverage = coverage?;
    outcome.worked_out = recompute(store, user, &mut |done| progress.worked_out(done), stop).await?;
    Ok(outcome)
}

async fn take(
    gatherer: &mut Gatherer<'_>,
    paths: &[PathBuf],
    again: bool,
    count_first: bool,
    progress: &mut dyn Progress,
    stop: &Stop,
) -> Result<(), Error> {
    let mut fresh = Vec::new();
    for path in paths {
        let file = path.clone();
        let hash = tokio::task::spawn_blocking(move || hash_of(&file)).await.ok().flatten();
        match hash {
            Some(hash) if !again && gatherer.was_finished(hash).await? => {
                gatherer.was_there(hash);
            }
            hash => fresh.push((path.clone(), hash)),
        }
    }
    let walked: Vec<PathBuf> = fresh.iter().map(|(path, _)| path.clone()).collect();
    if count_first {
        let counted = walked.clone();
        let files = tokio::task::spawn_blocking(move || discover::count(&counted)).await;
        progress.total(files.unwrap_or_default());
    }
    let named = walked.clone();
    gatherer.edition =
        tokio::task::spawn_blocking(move || discover::edition(&named)).await.unwrap_or_default();
    let known = if again { Default::default() } else { gatherer.known_files().await? };
    let (events, mut arriving) = mpsc::channel(EVENTS);
    let job = discover::Job {
        paths: walked,
        zone: gatherer.zone(),
        now: gatherer.now(),
        known,
        stop: stop.clone(),
        events,
    };
    let walker = tokio::task::spawn_blocking(move || discover::walk(job));
    let mut counts = Counts::default();
    while let Some(event) = arriving.recv().await {
        counts.see(&event);
        if let Err(error) = gatherer.take(event).await {
            stop.stop();
            return Err(error);
        }
        progress.done(counts.files, counts.activities);
    }
    gatherer.flush().await?;
    gatherer.see_known_days().await?;
    if walker.await.is_err() {
        gatherer.walk_failed();
        return Ok(());
    }
    // A file is finished when all of it is in the database, and nothing of it was left for another day.
    if !stop.is_asked() {
        for (path, hash) in &fresh {
            let shown = path.display().to_string();
            let whole = !gatherer.outcome.skipped.iter().any(|skip| skip.path.starts_with(&shown));
            if let Some(hash) = hash.filter(|_| whole) {
                gatherer.finish_file(hash);
            }
        }
    }
    Ok(())
}

/// The hash of a file the athlete named; `None` for a folder, or what cannot be read.
fn hash_of(path: &Path) -> Option<ContentHash> {
    // A recording that is too large is refused without reading it; an archive may be large.
    let metadata = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let is_archive = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip"));
    if metadata.len() > FILE_BYTES && !is_archive {
        return None;
    }
    let mut file = File::open(path).ok()?;
    ContentHash::of_reader(&mut file).ok()
}
