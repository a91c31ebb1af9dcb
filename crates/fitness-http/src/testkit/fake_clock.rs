//! A clock that advances only when code sleeps.

use crate::{DelayReason, HttpEnv};
use chrono::TimeDelta;
use fitness_core::domain::calendar::Instant;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Timeouts that a fake server makes fire. One permit ends one wait.
#[derive(Debug, Clone)]
pub(super) struct FiredTimeouts {
    pub(super) stalls: Arc<Semaphore>,
    pub(super) overall: Arc<Semaphore>,
}

impl Default for FiredTimeouts {
    fn default() -> Self {
        let none = || Arc::new(Semaphore::new(0));
        Self { stalls: none(), overall: none() }
    }
}

/// A fake clock that records all delays. A timeout fires only when the fake server stalls.
#[derive(Debug, Clone)]
pub struct FakeClock {
    now: Arc<Mutex<Instant>>,
    delays: Arc<Mutex<Vec<DelayReason>>>,
    timeouts: FiredTimeouts,
}

impl FakeClock {
    pub(super) fn new(now: Instant, timeouts: FiredTimeouts) -> Self {
        Self { now: Arc::new(Mutex::new(now)), delays: Arc::default(), timeouts }
    }

    #[must_use]
    pub fn now(&self) -> Instant {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn advance(&self, time: TimeDelta) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) += time;
    }

    /// All delays so far, without timeouts.
    #[must_use]
    pub fn delays(&self) -> Vec<DelayReason> {
        self.delays.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    #[must_use]
    pub fn retry_delays(&self) -> Vec<Duration> {
        let retry = |reason: &DelayReason| matches!(reason, DelayReason::Retry(_)).then(|| reason.duration());
        self.delays().iter().filter_map(retry).collect()
    }

    /// An environment with this clock.
    #[must_use]
    pub fn http_env(&self) -> HttpEnv {
        let (clock, sleeper) = (self.clone(), self.clone());
        HttpEnv::new(
            client(),
            move || clock.now(),
            move |reason| {
                let clock = sleeper.clone();
                async move { clock.delay(reason).await }
            },
        )
    }

    async fn delay(&self, reason: DelayReason) {
        let fired = async |timeouts: &Semaphore| {
            timeouts.acquire().await.expect("the semaphore is never closed").forget();
        };
        match reason {
            DelayReason::Stall(_) => fired(&self.timeouts.stalls).await,
            DelayReason::Overall(_) => fired(&self.timeouts.overall).await,
            DelayReason::RateLimit(length) | DelayReason::Retry(length) => {
                self.delays.lock().unwrap_or_else(PoisonError::into_inner).push(reason);
                self.advance(TimeDelta::from_std(length).unwrap_or_default());
            }
        }
    }
}

/// A client like that of the program, without redirects and with ring, but ignoring proxies.
///
/// # Panics
/// If the client cannot be built.
#[must_use]
pub fn client() -> reqwest::Client {
    // Shared by all tests, because building it reads the system's certificates. Connections are not
    // reused.
    static CLIENT: OnceLock<reqwest::Client> = OnceLock::new();
    let build = || {
        // It may already be installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        #[expect(clippy::disallowed_methods, reason = "this client only reaches fake servers on loopback")]
        let builder = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy();
        builder.pool_max_idle_per_host(0).build().expect("the client can be built")
    };
    CLIENT.get_or_init(build).clone()
}
