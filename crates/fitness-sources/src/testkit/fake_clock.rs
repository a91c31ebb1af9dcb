//! A clock that moves only when somebody waits.

use crate::live::{Delay, HttpEnv};
use chrono::TimeDelta;
use fitness_core::domain::calendar::Instant;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::Semaphore;

/// A clock and a record of all waits. A wait for bytes ends when a fake stalls, and only then.
#[derive(Debug, Clone)]
pub struct FakeClock {
    now: Arc<Mutex<Instant>>,
    waits: Arc<Mutex<Vec<Delay>>>,
    stalls: Arc<Semaphore>,
}

impl FakeClock {
    pub(super) fn new(now: Instant, stalls: Arc<Semaphore>) -> Self {
        Self { now: Arc::new(Mutex::new(now)), waits: Arc::default(), stalls }
    }

    /// What the clock says.
    #[must_use]
    pub fn now(&self) -> Instant {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the clock.
    pub fn advance(&self, time: TimeDelta) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) += time;
    }

    /// Everything that was waited for so far, except for bytes.
    #[must_use]
    pub fn delays(&self) -> Vec<Delay> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A client, this clock and this way of waiting.
    #[must_use]
    pub fn http_env(&self) -> HttpEnv {
        let (clock, waiting) = (self.clone(), self.clone());
        HttpEnv::new(
            client(),
            move || clock.now(),
            move |wait| {
                let time = waiting.clone();
                async move { time.delay(wait).await }
            },
        )
    }

    async fn delay(&self, wait: Delay) {
        if let Delay::Stall(_) = wait {
            // One stall ends one wait.
            self.stalls.acquire().await.expect("the semaphore is never closed").forget();
            return;
        }
        self.waits.lock().unwrap_or_else(PoisonError::into_inner).push(wait);
        self.advance(TimeDelta::from_std(wait.duration()).unwrap_or_default());
    }
}

/// A client as the program builds it, except that no proxy is asked: no redirects, and ring for TLS.
///
/// # Panics
/// When there is no such client.
#[must_use]
pub fn client() -> reqwest::Client {
    // One for all tests: building it reads the machine's certificates. No connection is used twice.
    static CLIENT: OnceLock<reqwest::Client> = OnceLock::new();
    let build = || {
        // Another part of the process may have installed it before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        #[expect(
            clippy::disallowed_methods,
            reason = "tests have no egress; this one reaches fakes on this machine"
        )]
        let builder = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy();
        builder.build().expect("a client without certificates of its own can be built")
    };
    CLIENT.get_or_init(build).clone()
}
