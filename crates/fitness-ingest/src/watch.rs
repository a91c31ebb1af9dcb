//! Watches a folder and imports new files.

use crate::import::{ImportProgressListener, ImportRequest, StopSignal, import};
use crate::outcome::ImportOutcome;
use crate::{Clock, Error};
use fitness_core::domain::ids::UserId;
use fitness_store::Store;
use notify::{Event, EventKind, RecursiveMode, Watcher};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// A file is imported when it has not changed for this long, so that it is complete.
const DEBOUNCE: Duration = Duration::from_secs(2);

/// Imports the files in a folder, then new ones, until stopped. `told` gets the outcome of each
/// import.
///
/// # Errors
/// If the folder cannot be watched, or the database fails for another reason than being busy.
pub async fn watch(
    store: &Store,
    user: UserId,
    folder: &Path,
    clock: Clock,
    progress: &mut dyn ImportProgressListener,
    stop: &StopSignal,
    told: &mut (dyn FnMut(&ImportOutcome) + Send),
) -> Result<(), Error> {
    let (events, mut changes) = mpsc::unbounded_channel();
    let all = folder.to_owned();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        let paths = match event {
            // Event overflow: import the whole folder.
            Err(_) => vec![all.clone()],
            Ok(event) if event.need_rescan() => vec![all.clone()],
            Ok(event) if matches!(event.kind, EventKind::Create(_) | EventKind::Modify(_)) => event.paths,
            Ok(_) => return,
        };
        // The receiver is gone when watching has ended.
        let _whether_it_arrived = events.send(paths);
    })?;
    watcher.watch(folder, RecursiveMode::Recursive)?;
    // Watch before reading, so that no file is missed.
    let mut noisy = PendingFiles::default();
    let mut due = BTreeSet::from([folder.to_owned()]);
    loop {
        if !due.is_empty() {
            let paths: Vec<PathBuf> = due.iter().filter(|path| path.exists()).cloned().collect();
            let wanted = ImportRequest { user, paths, reimport: false, count_first: false };
            match import(store, wanted, clock, progress, stop).await {
                Ok(outcome) => {
                    told(&outcome);
                    due.clear();
                }
                // Another import is running; try these again later.
                Err(Error::Store(fitness_store::Error::Busy)) => {}
                Err(error) => return Err(error),
            }
        }
        let waiting = !due.is_empty() || !noisy.is_empty();
        let heard = tokio::select! {
            heard = changes.recv() => heard,
            () = tokio::time::sleep(DEBOUNCE), if waiting => Some(Vec::new()),
            () = stop.wait() => None,
        };
        let Some(heard) = heard else { return Ok(()) };
        let now = Instant::now();
        noisy.record_changes(heard, now);
        while let Ok(more) = changes.try_recv() {
            noisy.record_changes(more, now);
        }
        due.extend(noisy.take_settled(now));
        // A folder includes its files.
        let folders: Vec<PathBuf> = due.iter().filter(|path| path.is_dir()).cloned().collect();
        due.retain(|path| !folders.iter().any(|folder| folder != path && path.starts_with(folder)));
    }
}

/// Changed files and the time of their last change.
#[derive(Default)]
struct PendingFiles(BTreeMap<PathBuf, Instant>);

impl PendingFiles {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn record_changes(&mut self, paths: Vec<PathBuf>, now: Instant) {
        self.0.extend(paths.into_iter().map(|path| (path, now)));
    }

    /// Removes and returns files that have not changed for `DEBOUNCE`.
    fn take_settled(&mut self, now: Instant) -> Vec<PathBuf> {
        self.0.extract_if(.., |_, last| now.duration_since(*last) >= DEBOUNCE).map(|(path, _)| path).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_unchanged_for_debounce_is_imported_while_others_still_grow() {
        let (mut noisy, start) = (PendingFiles::default(), Instant::now());
        noisy.record_changes(vec!["done.fit".into(), "growing.fit".into()], start);
        for moment in [start + DEBOUNCE / 3, start + DEBOUNCE / 2] {
            noisy.record_changes(vec!["growing.fit".into()], moment);
            assert!(noisy.take_settled(moment).is_empty());
        }
        assert_eq!(noisy.take_settled(start + DEBOUNCE), [PathBuf::from("done.fit")]);
        assert_eq!(noisy.take_settled(start + DEBOUNCE * 2), [PathBuf::from("growing.fit")]);
        assert!(noisy.is_empty());
    }
}
