//! In-memory state of the server: setup link, running uploads, syncs and exports.

use crate::worker::uploads::Uploads;
use crate::worker::write_check::HealthMonitor;
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::ids::UserId;
use fitness_store::Token;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::futures::Notified;
use tokio::sync::{Mutex as Turn, Notify};

/// Shared by all handlers and the worker. Clones share the state.
#[derive(Debug, Clone, Default)]
pub struct ServerState {
    /// Creates the first user while there is none.
    pub setup: FirstUserSetup,
    /// The newest result of the periodic check of the database.
    pub health: HealthMonitor,
    pub(crate) uploads: Uploads,
    syncing: Arc<Mutex<BTreeSet<UserId>>>,
    worker_wakeup: Arc<Notify>,
    exporting: Arc<Mutex<BTreeSet<UserId>>>,
}

/// At most one per user.
const MAX_CONCURRENT_EXPORTS: usize = 2;

/// Permit for one running export; released on drop.
#[derive(Debug)]
pub(crate) struct ExportPermit {
    user: UserId,
    exporting: Arc<Mutex<BTreeSet<UserId>>>,
}

impl Drop for ExportPermit {
    fn drop(&mut self) {
        self.exporting.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.user);
    }
}

impl ServerState {
    /// `None` when too many exports are running, or one of this user.
    pub(crate) fn begin_export(&self, user: UserId) -> Option<ExportPermit> {
        let mut exporting = self.exporting.lock().unwrap_or_else(PoisonError::into_inner);
        let free = exporting.len() < MAX_CONCURRENT_EXPORTS && exporting.insert(user);
        free.then(|| ExportPermit { user, exporting: Arc::clone(&self.exporting) })
    }

    /// Makes the worker poll for jobs now.
    pub(crate) fn wake_worker(&self) {
        self.worker_wakeup.notify_waiters();
    }

    pub(crate) fn worker_wakeup(&self) -> Notified<'_> {
        self.worker_wakeup.notified()
    }

    /// `false` when a sync of this user is already running.
    pub(crate) fn begin_sync(&self, user: UserId) -> bool {
        self.syncing.lock().unwrap_or_else(PoisonError::into_inner).insert(user)
    }

    pub(crate) fn end_sync(&self, user: UserId) {
        self.syncing.lock().unwrap_or_else(PoisonError::into_inner).remove(&user);
    }
}

/// The single-use secret of the setup link. It exists in memory only.
#[derive(Debug, Clone, Default)]
pub struct FirstUserSetup {
    pub(crate) secret: Arc<Turn<Option<Token>>>,
    /// Defaults from this machine: time zone and units.
    pub(crate) profile: Profile,
}

impl FirstUserSetup {
    /// A new secret, and the path of the link to print.
    #[must_use]
    pub fn new(profile: Profile) -> (Self, String) {
        let token = Token::random();
        let path = format!("/setup?code={}", token.reveal());
        (Self { secret: Arc::new(Turn::new(Some(token))), profile }, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn export_limit_is_two_athletes_and_one_per_athlete() {
        let running = ServerState::default();
        let [ann, ben, cid] = [1, 2, 3].map(UserId::new);
        let first = running.begin_export(ann).unwrap();
        assert!(running.begin_export(ann).is_none());
        let second = running.begin_export(ben).unwrap();
        assert!(running.begin_export(cid).is_none());
        drop(first);
        assert!(running.begin_export(ben).is_none());
        assert!(running.begin_export(cid).is_some());
        drop(second);
    }
}
