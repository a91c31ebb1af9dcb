//! What the server remembers while it runs, and forgets when it ends.

use crate::worker::health::HealthMonitor;
use crate::worker::uploads::Uploads;
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::ids::UserId;
use fitness_store::Token;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::futures::Notified;
use tokio::sync::{Mutex as Turn, Notify};

/// Everything that is under way.
#[derive(Debug, Clone, Default)]
pub struct ServerState {
    /// How the first athlete is made, while there is none.
    pub setup: FirstUserSetup,
    /// The newest result of the periodic check of the database.
    pub health: HealthMonitor,
    pub(crate) uploads: Uploads,
    syncing: Arc<Mutex<BTreeSet<UserId>>>,
    worker_wakeup: Arc<Notify>,
    exporting: Arc<Mutex<BTreeSet<UserId>>>,
}

/// So many exports of everything are made at once, each of another athlete.
const MAX_CONCURRENT_EXPORTS: usize = 2;

/// An export that is being made, until this is dropped.
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
    /// Begins an export; `None` when too many are being made, or one of this athlete's.
    pub(crate) fn begin_export(&self, user: UserId) -> Option<ExportPermit> {
        let mut exporting = self.exporting.lock().unwrap_or_else(PoisonError::into_inner);
        let free = exporting.len() < MAX_CONCURRENT_EXPORTS && exporting.insert(user);
        free.then(|| ExportPermit { user, exporting: Arc::clone(&self.exporting) })
    }

    /// Lets the worker look for jobs at once.
    pub(crate) fn wake_worker(&self) {
        self.worker_wakeup.notify_waiters();
    }

    /// Waits until the worker should look for jobs.
    pub(crate) fn worker_wakeup(&self) -> Notified<'_> {
        self.worker_wakeup.notified()
    }

    /// Notes that an athlete's services are being asked; `false` when they are already.
    pub(crate) fn begin_sync(&self, user: UserId) -> bool {
        self.syncing.lock().unwrap_or_else(PoisonError::into_inner).insert(user)
    }

    /// Notes that they were asked.
    pub(crate) fn end_sync(&self, user: UserId) {
        self.syncing.lock().unwrap_or_else(PoisonError::into_inner).remove(&user);
    }
}

/// The secret with which the first athlete is made. It is nowhere but here, and works once.
#[derive(Debug, Clone, Default)]
pub struct FirstUserSetup {
    pub(crate) secret: Arc<Turn<Option<Token>>>,
    /// The zone and units of this machine, which are probably theirs.
    pub(crate) profile: Profile,
}

impl FirstUserSetup {
    /// A fresh one, and the path of the link that is printed once.
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
