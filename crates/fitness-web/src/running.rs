//! What the server remembers while it runs, and forgets when it ends.

use crate::uploads::Uploads;
use fitness_core::athlete::Profile;
use fitness_core::ids::UserId;
use fitness_store::Token;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::futures::Notified;
use tokio::sync::{Mutex as Turn, Notify};

/// Everything that is under way.
#[derive(Debug, Clone, Default)]
pub struct Running {
    /// How the first athlete is made, while there is none.
    pub setup: Setup,
    pub(crate) uploads: Uploads,
    syncing: Arc<Mutex<BTreeSet<UserId>>>,
    worker: Arc<Notify>,
}

impl Running {
    /// Lets the worker look for jobs at once.
    pub(crate) fn wake_worker(&self) {
        self.worker.notify_waiters();
    }

    /// Waits until the worker should look for jobs.
    pub(crate) fn worker_woken(&self) -> Notified<'_> {
        self.worker.notified()
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
pub struct Setup {
    pub(crate) secret: Arc<Turn<Option<Token>>>,
    /// The zone and units of this machine, which are probably theirs.
    pub(crate) profile: Profile,
}

impl Setup {
    /// A fresh one, and the path of the link that is printed once.
    #[must_use]
    pub fn new(profile: Profile) -> (Self, String) {
        let token = Token::random();
        let path = format!("/setup?code={}", token.reveal());
        (Self { secret: Arc::new(Turn::new(Some(token))), profile }, path)
    }
}
