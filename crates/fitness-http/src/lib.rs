//! What a client of an HTTP service needs from its environment: the HTTP client, the clock, sleep
//! and DNS lookup. They are passed in, so that tests can replace them.

mod retry_after;
#[cfg(feature = "testkit")]
pub mod testkit;

pub use retry_after::retry_after;

use fitness_core::domain::calendar::Instant;
use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// Why a client waits. Production sleeps for all of them; tests distinguish them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DelayReason {
    RateLimit(Duration),
    Retry(Duration),
    /// Timeout for the next bytes, or for the next token of a model.
    Stall(Duration),
    /// Timeout for the whole response.
    Overall(Duration),
}

impl DelayReason {
    #[must_use]
    pub const fn duration(self) -> Duration {
        match self {
            Self::RateLimit(length) | Self::Retry(length) | Self::Stall(length) | Self::Overall(length) => {
                length
            }
        }
    }
}

pub type DelayFuture = Pin<Box<dyn Future<Output = ()> + Send>>;
pub type LookupFuture = Pin<Box<dyn Future<Output = Option<Vec<IpAddr>>> + Send>>;
type DnsLookupFn = Arc<dyn Fn(String, u16) -> LookupFuture + Send + Sync>;

/// HTTP client, clock, sleep and DNS lookup.
#[derive(Clone)]
pub struct HttpEnv {
    client: reqwest::Client,
    clock: Arc<dyn Fn() -> Instant + Send + Sync>,
    delay: Arc<dyn Fn(DelayReason) -> DelayFuture + Send + Sync>,
    lookup: DnsLookupFn,
}

impl HttpEnv {
    /// Uses the system's DNS lookup. The client must not follow redirects, which could send keys to
    /// another host.
    pub fn new<W>(
        client: reqwest::Client,
        clock: impl Fn() -> Instant + Send + Sync + 'static,
        sleep: impl Fn(DelayReason) -> W + Send + Sync + 'static,
    ) -> Self
    where
        W: Future<Output = ()> + Send + 'static,
    {
        let lookup: DnsLookupFn = Arc::new(|host, port| {
            Box::pin(async move {
                let addresses = tokio::net::lookup_host((host, port)).await.ok()?;
                Some(addresses.map(|address| address.ip()).collect())
            })
        });
        let delay = Arc::new(move |reason| -> DelayFuture { Box::pin(sleep(reason)) });
        Self { client, clock: Arc::new(clock), delay, lookup }
    }

    /// Replaces the DNS lookup; `None` means that the host was not found.
    #[must_use]
    pub fn with_lookup(self, lookup: impl Fn(&str) -> Option<Vec<IpAddr>> + Send + Sync + 'static) -> Self {
        let lookup: DnsLookupFn = Arc::new(move |host, _| {
            let addresses = lookup(&host);
            Box::pin(async move { addresses })
        });
        Self { lookup, ..self }
    }

    #[must_use]
    pub fn client(&self) -> &reqwest::Client {
        &self.client
    }

    #[must_use]
    pub fn now(&self) -> Instant {
        (self.clock)()
    }

    #[must_use]
    pub fn delay(&self, reason: DelayReason) -> DelayFuture {
        (self.delay)(reason)
    }

    #[must_use]
    pub fn lookup_host(&self, host: &str, port: u16) -> LookupFuture {
        (self.lookup)(host.to_owned(), port)
    }
}

impl fmt::Debug for HttpEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpEnv")
    }
}
