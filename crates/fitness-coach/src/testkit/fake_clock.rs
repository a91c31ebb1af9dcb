//! A clock that moves only when somebody waits.

use crate::model::{Delay, HttpEnv};
use chrono::TimeDelta;
use fitness_core::domain::calendar::Instant;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

/// A clock and a record of all waits. A wait for a token ends when a fake stalls or only pings, the wait for the whole answer when
/// a fake talks for ever, and neither ever else.
#[derive(Debug, Clone)]
pub struct FakeClock {
    now: Arc<Mutex<Instant>>,
    waits: Arc<Mutex<Vec<Duration>>>,
    pub(super) stalls: Arc<Semaphore>,
    pub(super) drips: Arc<Semaphore>,
}

impl FakeClock {
    pub(super) fn new() -> Self {
        let now = "2026-06-14T07:00:00Z".parse().expect("a moment");
        let none = || Arc::new(Semaphore::new(0));
        Self { now: Arc::new(Mutex::new(now)), waits: Arc::default(), stalls: none(), drips: none() }
    }

    /// What the clock says.
    #[must_use]
    pub fn now(&self) -> Instant {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long was waited before asking again, each time.
    #[must_use]
    pub fn retry_delays(&self) -> Vec<Duration> {
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
        // One stall ends one wait.
        let until = async |signal: &Semaphore| {
            signal.acquire().await.expect("the semaphore is never closed").forget();
        };
        match wait {
            Delay::Stall(_) => until(&self.stalls).await,
            Delay::Overall(_) => until(&self.drips).await,
            Delay::Retry(length) => {
                self.waits.lock().unwrap_or_else(PoisonError::into_inner).push(length);
                let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
                *now += TimeDelta::from_std(length).unwrap_or_default();
            }
        }
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
        builder
            .pool_max_idle_per_host(0)
            .build()
            .expect("a client without certificates of its own can be built")
    };
    CLIENT.get_or_init(build).clone()
}
