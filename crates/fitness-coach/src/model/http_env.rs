//! What a model is handed.

use fitness_core::domain::calendar::Instant;
use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// Why a model waits. Production sleeps through all of them; a test knows which is which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delay {
    /// Before asking again.
    Retry(Duration),
    /// For the next token; when this ends first, the answer is given up.
    Stall(Duration),
    /// For the whole answer; when this ends first, it is given up.
    Overall(Duration),
}

impl Delay {
    /// How long.
    #[must_use]
    pub const fn duration(self) -> Duration {
        match self {
            Self::Retry(length) | Self::Stall(length) | Self::Overall(length) => length,
        }
    }
}

/// How long a model may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Without a single token; a ping is none.
    pub stall: Duration,
    /// For one answer, with every try and every wait between them.
    pub overall: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { stall: Duration::from_secs(120), overall: Duration::from_secs(600) }
    }
}

pub(crate) type DelayFuture = Pin<Box<dyn Future<Output = ()> + Send>>;
pub(crate) type LookupFuture = Pin<Box<dyn Future<Output = Option<Vec<IpAddr>>> + Send>>;
type LookupFn = Arc<dyn Fn(String, u16) -> LookupFuture + Send + Sync>;

/// A client, a clock, a way to wait and a way to look up names.
#[derive(Clone)]
pub struct HttpEnv {
    pub(crate) client: reqwest::Client,
    clock: Arc<dyn Fn() -> Instant + Send + Sync>,
    delay: Arc<dyn Fn(Delay) -> DelayFuture + Send + Sync>,
    lookup: LookupFn,
}

impl HttpEnv {
    /// Puts them together; names are looked up as the system does. The client must not follow redirects, which would
    /// carry keys elsewhere, must not give up by itself before [`Limits`] do, and should be built with
    /// [`super::endpoint_url::Guarded`].
    pub fn new<W>(
        client: reqwest::Client,
        clock: impl Fn() -> Instant + Send + Sync + 'static,
        pause: impl Fn(Delay) -> W + Send + Sync + 'static,
    ) -> Self
    where
        W: Future<Output = ()> + Send + 'static,
    {
        let lookup: LookupFn = Arc::new(|host, port| {
            Box::pin(async move {
                let found = tokio::net::lookup_host((host, port)).await.ok()?;
                Some(found.map(|address| address.ip()).collect())
            })
        });
        Self { client, clock: Arc::new(clock), delay: Arc::new(move |wait| Box::pin(pause(wait))), lookup }
    }

    /// With another way to look up names; `None` where there is no answer.
    #[must_use]
    pub fn with_lookup(self, lookup: impl Fn(&str) -> Option<Vec<IpAddr>> + Send + Sync + 'static) -> Self {
        let lookup: LookupFn = Arc::new(move |host, _| {
            let found = lookup(&host);
            Box::pin(async move { found })
        });
        Self { lookup, ..self }
    }

    pub(crate) fn now(&self) -> Instant {
        (self.clock)()
    }

    pub(crate) fn delay(&self, wait: Delay) -> DelayFuture {
        (self.delay)(wait)
    }

    pub(crate) fn lookup_host(&self, host: &str, port: u16) -> LookupFuture {
        (self.lookup)(host.to_owned(), port)
    }
}

impl fmt::Debug for HttpEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Means")
    }
}
