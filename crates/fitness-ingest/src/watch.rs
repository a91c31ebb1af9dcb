//! A folder whose new files are imported as they appear.

use crate::import::{Import, Progress, Stop, import};
use crate::outcome::Outcome;
use crate::{Clock, Error};
use fitness_core::ids::UserId;
use fitness_store::Store;
use notify::{Event, EventKind, RecursiveMode, Watcher};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc;

/// A file still being copied makes noise; it is read when there has been none for this long.
const QUIET: Duration = Duration::from_secs(2);
/// How long noise is waited out.
const LONGEST_NOISE: Duration = Duration::from_secs(20);

/// Imports what is in a folder, then what appears in it, until it is asked to stop. `told` hears what came of each.
///
/// # Errors
/// When the folder cannot be watched, or the database refuses.
pub async fn watch(
    store: &Store,
    user: UserId,
    folder: &Path,
    clock: Clock,
    progress: &mut dyn Progress,
    stop: &Stop,
    told: &mut (dyn FnMut(&Outcome) + Send),
) -> Result<(), Error> {
    let (events, mut changes) = mpsc::unbounded_channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        if let Ok(event) = event
            && matches!(event.kind, EventKind::Create(_) | EventKind::Modify(_))
        {
            // Nobody listens any more when the watch has ended.
            let _whether_it_arrived = events.send(event.paths);
        }
    })?;
    watcher.watch(folder, RecursiveMode::Recursive)?;
    // Watched before it is read: what appears in between is noticed.
    let mut due = BTreeSet::from([folder.to_owned()]);
    loop {
        if !due.is_empty() {
            let paths: Vec<PathBuf> =
                std::mem::take(&mut due).into_iter().filter(|path| path.exists()).collect();
            let wanted = Import { user, paths, again: false, count_first: false };
            told(&import(store, wanted, clock, progress, stop).await?);
        }
        let first = tokio::select! {
            first = changes.recv() => first,
            () = stop.asked() => None,
        };
        let Some(first) = first else { return Ok(()) };
        due.extend(first);
        // A folder in which something is always written is read all the same.
        let _until_quiet_or_long_enough = tokio::time::timeout(LONGEST_NOISE, async {
            while let Ok(Some(more)) = tokio::time::timeout(QUIET, changes.recv()).await {
                due.extend(more);
                if stop.is_asked() {
                    break;
                }
            }
        })
        .await;
        if stop.is_asked() {
            return Ok(());
        }
        // A folder is imported whole, and its files with it.
        let folders: Vec<PathBuf> = due.iter().filter(|path| path.is_dir()).cloned().collect();
        due.retain(|path| !folders.iter().any(|folder| folder != path && path.starts_with(folder)));
    }
}
