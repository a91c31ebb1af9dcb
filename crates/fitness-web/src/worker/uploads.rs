//! Import of uploaded files: the job itself, and the progress of running imports.

use fitness_core::domain::ids::{JobId, UserId};
use fitness_ingest::{Clock, ImportOutcome, ImportProgressListener, ImportRequest, StopSignal};
use fitness_store::{Job, Store};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Skipped files listed in a summary.
const MAX_SKIPPED: usize = 50;

#[derive(Debug, Clone)]
pub(crate) enum ImportStage {
    /// `total` is known after the first pass over the files.
    Reading { total: Option<u64>, files: u64, activities: u64 },
    /// All files are read; metrics are being computed.
    Computing { activities: u64 },
}

/// What the page shows about a finished import. Stored with its job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ImportSummary {
    /// New and known activities, as sentences.
    pub(crate) sentences: Vec<String>,
    /// The day the data is complete through, such as `2026-06-13`.
    pub(crate) complete: Option<String>,
    pub(crate) changed_nothing: bool,
    /// Skipped files with the reason; at most [`MAX_SKIPPED`].
    pub(crate) skipped: Vec<(String, String)>,
    pub(crate) skipped_count: u64,
    /// What became of every file, a line for each kind. Missing in imports of older versions.
    #[serde(default)]
    pub(crate) receipt: Vec<String>,
    /// Nothing could be imported.
    #[serde(default)]
    pub(crate) refused: bool,
}

impl ImportSummary {
    fn new(outcome: &ImportOutcome, folder: &Path) -> Self {
        // Hide the server's temporary directory.
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
            receipt: outcome.receipt.render(),
            refused: outcome.is_refused(),
        }
    }
}

/// Imports the files of a job. The error is stored with the job.
pub(crate) async fn run_import(
    store: &Store,
    clock: Clock,
    job: &Job,
    folder: &Path,
    mut progress: RunningImport,
) -> Result<ImportSummary, String> {
    let paths = paths_in(folder).map_err(|why| format!("cannot read the uploaded files: {why}"))?;
    let wanted = ImportRequest { user: job.user, paths, reimport: false, count_first: true };
    // When the job is cancelled the import thread must stop too.
    let stop = StopImportGuard(StopSignal::default());
    let outcome = fitness_ingest::import(store, wanted, clock, &mut progress, &stop.0).await;
    outcome.map(|outcome| ImportSummary::new(&outcome, folder)).map_err(|why| why.to_string())
}

struct StopImportGuard(StopSignal);

impl Drop for StopImportGuard {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// The files in order of arrival: each is in a folder named by its number.
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
    running: BTreeMap<JobId, ImportStage>,
}

impl Uploads {
    /// `None` while another upload of this user is arriving.
    pub(crate) fn begin_upload(&self, user: UserId) -> Option<UploadGuard> {
        let free = self.lock().receiving.insert(user);
        free.then(|| UploadGuard { user, uploads: self.clone() })
    }

    /// Starts to track the progress of an import.
    pub(crate) fn begin_import(&self, job: JobId) -> RunningImport {
        self.lock().running.insert(job, ImportStage::Reading { total: None, files: 0, activities: 0 });
        RunningImport { job, uploads: self.clone() }
    }

    /// The progress of an import, if it runs in this process.
    pub(crate) fn stage(&self, job: JobId) -> Option<ImportStage> {
        self.lock().running.get(&job).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic leaves the maps consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An upload that is arriving; ends on drop.
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

/// Progress of a running import; removed on drop.
#[derive(Debug)]
pub(crate) struct RunningImport {
    job: JobId,
    uploads: Uploads,
}

impl RunningImport {
    fn set(&self, next: impl FnOnce(&ImportStage) -> ImportStage) {
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

impl ImportProgressListener for RunningImport {
    fn set_total(&mut self, total: u64) {
        self.set(|_| ImportStage::Reading { total: Some(total), files: 0, activities: 0 });
    }

    fn set_imported(&mut self, files: u64, activities: u64) {
        self.set(|stage| {
            let total = if let ImportStage::Reading { total, .. } = stage { *total } else { None };
            ImportStage::Reading { total, files, activities }
        });
    }

    fn set_recomputed(&mut self, activities: u64) {
        self.set(|_| ImportStage::Computing { activities });
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
        ImportProgressListener::set_imported(&mut progress, 3, 2);
        assert!(matches!(
            uploads.stage(job),
            Some(ImportStage::Reading { total: Some(9), files: 3, activities: 2 })
        ));
        progress.set_recomputed(2);
        assert!(matches!(uploads.stage(job), Some(ImportStage::Computing { activities: 2 })));
        drop(progress);
        assert!(uploads.stage(job).is_none());
    }
}
