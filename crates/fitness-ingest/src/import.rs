//! Imports files and updates the data frontier.

use crate::batch::BatchWriter;
use crate::discover::{self, Counts};
use crate::merge_rules::apply_merge_rules;
use crate::outcome::ImportOutcome;
use crate::parse::MAX_FILE_BYTES;
use crate::recompute::recompute;
use crate::{Clock, Error};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::UserId;
use fitness_store::{FinishedFiles, Store, SyncRunKind, SyncRunOutcome, SyncRunState};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

const STOP_POLL_INTERVAL: Duration = Duration::from_millis(200);
const EVENT_QUEUE_CAPACITY: usize = 256;

/// Stops a running import. Everything imported so far is kept.
#[derive(Debug, Clone, Default)]
pub struct StopSignal(Arc<AtomicBool>);

impl StopSignal {
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) async fn wait(&self) {
        while !self.is_stopped() {
            tokio::time::sleep(STOP_POLL_INTERVAL).await;
        }
    }
}

/// Receives the progress of an import.
pub trait ImportProgressListener: Send {
    /// Number of files, once known.
    fn set_total(&mut self, files: u64);
    fn set_imported(&mut self, files: u64, activities: u64);
    /// All files are imported; metrics of this many activities were computed.
    fn set_recomputed(&mut self, activities: u64);
}

impl ImportProgressListener for () {
    fn set_total(&mut self, _: u64) {}
    fn set_imported(&mut self, _: u64, _: u64) {}
    fn set_recomputed(&mut self, _: u64) {}
}

#[derive(Debug, Clone)]
pub struct ImportRequest {
    pub user: UserId,
    /// Files, folders and archives.
    pub paths: Vec<PathBuf>,
    /// Also read files that were already imported.
    pub reimport: bool,
    /// Count the files first, so that progress has a total.
    pub count_first: bool,
}

/// Imports files. Files that cannot be read are skipped with a reason.
///
/// # Errors
/// If the database fails. Everything imported before is kept, and the run is recorded as failed.
pub async fn import(
    store: &Store,
    import: ImportRequest,
    clock: Clock,
    progress: &mut dyn ImportProgressListener,
    stop: &StopSignal,
) -> Result<ImportOutcome, Error> {
    let ImportRequest { user, paths, reimport: again, count_first } = import;
    let merge_rules = apply_merge_rules(store, user, clock()).await?;
    let run = store.begin_sync_run(user, SyncRunKind::File, None, clock()).await?;
    let zone = store.profile(user).await?.zone;
    let mut gatherer = BatchWriter::new(store, user, zone, clock);
    let taken = import_paths(&mut gatherer, &paths, again, count_first, progress, stop).await;
    let stopped = stop.is_stopped();
    let files = gatherer.finished_files();
    let (mut outcome, evidence, kind) = gatherer.finish();
    outcome.stopped = stopped;
    let problem = match &taken {
        Err(error) => Some(error.to_string()),
        Ok(()) if stopped => Some("stopped before the end".to_owned()),
        Ok(()) => None,
    };
    let state = match &taken {
        Err(_) => SyncRunState::Failed,
        Ok(()) if stopped => SyncRunState::Partial,
        Ok(()) => SyncRunState::Done,
    };
    // An incomplete import proves nothing about covered days.
    let (evidence, files) = match state {
        SyncRunState::Done => (evidence, files),
        _ => (Vec::new(), FinishedFiles::default()),
    };
    let summary = serde_json::to_value(&outcome).expect("an outcome is plain data");
    let finished = SyncRunOutcome { kind: Some(kind), state, evidence, summary, problem, files };
    let coverage = store.finish_sync_run(user, run, finished, clock()).await;
    taken?;
    outcome.coverage = coverage?;
    outcome.merge_rules = merge_rules;
    outcome.worked_out = recompute(store, user, &mut |done| progress.set_recomputed(done), stop).await?;
    Ok(outcome)
}

async fn import_paths(
    gatherer: &mut BatchWriter<'_>,
    paths: &[PathBuf],
    again: bool,
    count_first: bool,
    progress: &mut dyn ImportProgressListener,
    stop: &StopSignal,
) -> Result<(), Error> {
    let mut fresh = Vec::new();
    for path in paths {
        let file = path.clone();
        let hash = tokio::task::spawn_blocking(move || hash_file(&file)).await.ok().flatten();
        match hash {
            Some(hash) if !again && gatherer.is_finished(hash).await? => {
                gatherer.skip_known_file(hash);
            }
            hash => fresh.push((path.clone(), hash)),
        }
    }
    let walked: Vec<PathBuf> = fresh.iter().map(|(path, _)| path.clone()).collect();
    if count_first {
        let counted = walked.clone();
        let files = tokio::task::spawn_blocking(move || discover::count(&counted)).await;
        progress.set_total(files.unwrap_or_default());
    }
    let named = walked.clone();
    gatherer.export_day =
        tokio::task::spawn_blocking(move || discover::find_export_day(&named)).await.unwrap_or_default();
    let known = if again { Default::default() } else { gatherer.known_files().await? };
    let (events, mut arriving) = mpsc::channel(EVENT_QUEUE_CAPACITY);
    let job = discover::DiscoverRequest {
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
        counts.add(&event);
        if let Err(error) = gatherer.handle_event(event).await {
            stop.stop();
            return Err(error);
        }
        progress.set_imported(counts.files, counts.activities);
    }
    gatherer.flush().await?;
    gatherer.load_known_days().await?;
    if walker.await.is_err() {
        gatherer.mark_discovery_failed();
        return Ok(());
    }
    // A file is finished if all of it is stored and nothing in it was skipped.
    if !stop.is_stopped() {
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

/// The hash of a given file; `None` for a folder or an unreadable file.
fn hash_file(path: &Path) -> Option<ContentHash> {
    // Recordings that are too large are not hashed; archives may be large.
    let metadata = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let is_archive = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip"));
    if metadata.len() > MAX_FILE_BYTES && !is_archive {
        return None;
    }
    let mut file = File::open(path).ok()?;
    ContentHash::hash_reader(&mut file).ok()
}
