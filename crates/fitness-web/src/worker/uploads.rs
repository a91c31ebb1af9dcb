//! Uploaded files: how far each import is while it runs here, and the job that runs it. What came of one is in its record.

use fitness_core::domain::ids::{JobId, UserId};
use fitness_ingest::{Clock, ImportOutcome, ImportProgress, ImportRequest, StopSignal};
use fitness_store::{Job, Store};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many lines about what was left out a person reads.
const MAX_SKIPPED: usize = 50;

/// How far an import is.
#[derive(Debug, Clone)]
pub(crate) enum Stage {
    /// Files are looked at; so many of so many, and so many activities found.
    Reading { total: Option<u64>, files: u64, activities: u64 },
    /// All files are in, and what they mean is being worked out.
    Computing { activities: u64 },
}

/// What a person reads when an import is over. Kept in the record of its job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ImportSummary {
    /// What is new, and what was there already.
    pub(crate) sentences: Vec<String>,
    /// Through which day the data is complete.
    pub(crate) complete: Option<String>,
    /// Whether nothing is new.
    pub(crate) changed_nothing: bool,
    /// What was left out, and why; at most [`SHOWN`] of it.
    pub(crate) skipped: Vec<(String, String)>,
    /// How much was left out in all.
    pub(crate) skipped_count: u64,
}

impl ImportSummary {
    fn new(outcome: &ImportOutcome, folder: &Path) -> Self {
        // Where it lay for a while is nobody's business.
        let here = format!("{}/", folder.display());
        let name = |path: &str| {
            let name = path.strip_prefix(&here).unwrap_or(path);
            name.split_once('/').map_or(name, |(_, name)| name).to_owned()
        };
        let skipped = outcome.skipped.iter().take(MAX_SKIPPED);
        Self {
            sentences: outcome.summary_sentences(),
            complete: outcome.coverage.complete_through().map(|day| day.to_string()),
            changed_nothing: outcome.is_unchanged(),
            skipped: skipped.map(|skip| (name(&skip.path), skip.reason.clone())).collect(),
            skipped_count: outcome.skipped_count,
        }
    }
}

/// Imports the files of a job. The error says what went wrong.
pub(crate) async fn run_import(
    store: &Store,
    clock: Clock,
    job: &Job,
    folder: &Path,
    mut progress: RunningImport,
) -> Result<ImportSummary, String> {
    let paths = paths_in(folder).map_err(|why| format!("the uploaded files cannot be read: {why}"))?;
    let wanted = ImportRequest { user: job.user, paths, reimport: false, count_first: true };
    // Whoever ends this job early must not leave a thread that reads on.
    let stop = StopOnDrop(StopSignal::default());
    let outcome = fitness_ingest::import(store, wanted, clock, &mut progress, &stop.0).await;
    outcome.map(|outcome| ImportSummary::new(&outcome, folder)).map_err(|why| why.to_string())
}

struct StopOnDrop(StopSignal);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// The files of an upload, in the order in which they arrived: each is in a folder that is its number.
fn paths_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut numbered = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let number = path.file_name().and_then(|name| name.to_str()?.parse::<usize>().ok());
        if let Some(number) = number {
            for file in std::fs::read_dir(path)? {
                numbered.insert(number, file?.path());
            }
        }
    }
    Ok(numbered.into_values().collect())
}

/// Imports that this server is receiving or running.
#[derive(Debug, Clone, Default)]
pub(crate) struct Uploads(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    receiving: BTreeSet<UserId>,
    running: BTreeMap<JobId, Stage>,
}

impl Uploads {
    /// Begins to receive an athlete's files; `None` while others of theirs arrive.
    pub(crate) fn begin_upload(&self, user: UserId) -> Option<UploadGuard> {
        let free = self.lock().receiving.insert(user);
        free.then(|| UploadGuard { user, uploads: self.clone() })
    }

    /// Begins to tell how far an import is.
    pub(crate) fn begin_import(&self, job: JobId) -> RunningImport {
        self.lock().running.insert(job, Stage::Reading { total: None, files: 0, activities: 0 });
        RunningImport { job, uploads: self.clone() }
    }

    /// How far an import is that runs here.
    pub(crate) fn stage(&self, job: JobId) -> Option<Stage> {
        self.lock().running.get(&job).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Whoever panicked while holding it left nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An athlete's files that are arriving.
#[derive(Debug)]
pub(crate) struct UploadGuard {
    user: UserId,
    uploads: Uploads,
}

impl Drop for UploadGuard {
    fn drop(&mut self) {
        self.uploads.lock().receiving.remove(&self.user);
    }
}

/// An import that runs here.
#[derive(Debug)]
pub(crate) struct RunningImport {
    job: JobId,
    uploads: Uploads,
}

impl RunningImport {
    fn set(&self, next: impl FnOnce(&Stage) -> Stage) {
        if let Some(stage) = self.uploads.lock().running.get_mut(&self.job) {
            *stage = next(stage);
        }
    }
}

impl Drop for RunningImport {
    fn drop(&mut self) {
        self.uploads.lock().running.remove(&self.job);
    }
}

impl ImportProgress for RunningImport {
    fn set_total(&mut self, total: u64) {
        self.set(|_| Stage::Reading { total: Some(total), files: 0, activities: 0 });
    }

    fn set_imported(&mut self, files: u64, activities: u64) {
        self.set(|stage| {
            let total = if let Stage::Reading { total, .. } = stage { *total } else { None };
            Stage::Reading { total, files, activities }
        });
    }

    fn set_recomputed(&mut self, activities: u64) {
        self.set(|_| Stage::Computing { activities });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn athlete_receives_one_upload_at_a_time() {
        let uploads = Uploads::default();
        let (ann, ben) = (UserId::new(1), UserId::new(2));
        let first = uploads.begin_upload(ann).unwrap();
        assert!(uploads.begin_upload(ann).is_none());
        assert!(uploads.begin_upload(ben).is_some());
        drop(first);
        assert!(uploads.begin_upload(ann).is_some());
    }

    #[test]
    fn progress_is_reported_only_while_import_runs() {
        let uploads = Uploads::default();
        let job = JobId::new(7);
        let mut progress = uploads.begin_import(job);
        progress.set_total(9);
        ImportProgress::set_imported(&mut progress, 3, 2);
        assert!(matches!(
            uploads.stage(job),
            Some(Stage::Reading { total: Some(9), files: 3, activities: 2 })
        ));
        progress.set_recomputed(2);
        assert!(matches!(uploads.stage(job), Some(Stage::Computing { activities: 2 })));
        drop(progress);
        assert!(uploads.stage(job).is_none());
    }
}
