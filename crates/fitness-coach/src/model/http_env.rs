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
pub enum Wait {
    /// Before asking again.
    Again(Duration),
    /// For the next token; when this ends first, the answer is given up.
    Stall(Duration),
    /// For the whole answer; when this ends first, it is given up.
    Overall(Duration),
}

impl Wait {
    /// How long.
    #[must_use]
    pub const fn length(self) -> Duration {
        match self {
            Self::Again(length) | Self::Stall(length) | Self::Overall(length) => length,
        }
    }
}

/// How long a model may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Without a single token; a ping is none.
    pub stall: Duration,
    /// For one answer, with every try and every wait between them.
    pub overall: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { stall: Duration::from_secs(120), overall: Duration::from_secs(600) }
    }
}

pub(crate) type Waiting = Pin<Box<dyn Future<Output = ()> + Send>>;
pub(crate) type Looking = Pin<Box<dyn Future<Output = Option<Vec<IpAddr>>> + Send>>;
type Lookup = Arc<dyn Fn(String, u16) -> Looking + Send + Sync>;

/// A client, a clock, a way to wait and a way to look up names.
#[derive(Clone)]
pub struct Means {
    pub(crate) client: reqwest::Client,
    clock: Arc<dyn Fn() -> Instant + Send + Sync>,
    pause: Arc<dyn Fn(Wait) -> Waiting + Send + Sync>,
    lookup: Lookup,
}

impl Means {
    /// Puts them together; names are looked up as the system does. The client must not follow redirects, which would
    /// carry keys elsewhere, must not give up by itself before [`Limits`] do, and should be built with
    /// [`super::endpoint_url::Guarded`].
    pub fn new<W>(
        client: reqwest::Client,
        clock: impl Fn() -> Instant + Send + Sync + 'static,
        pause: impl Fn(Wait) -> W + Send + Sync + 'static,
    ) -> Self
    where
        W: Future<Output = ()> + Send + 'static,
    {
        let lookup: Lookup = Arc::new(|host, port| {
            Box::pin(async move {
                let found = tokio::net::lookup_host((host, port)).await.ok()?;
                Some(found.map(|address| address.ip()).collect())
            })
        });
        Self { client, clock: Arc::new(clock), pause: Arc::new(move |wait| Box::pin(pause(wait))), lookup }
    }

    /// With another way to look up names; `None` where there is no answer.
    #[must_use]
    pub fn looking_up(self, lookup: impl Fn(&str) -> Option<Vec<IpAddr>> + Send + Sync + 'static) -> Self {
        let lookup: Lookup = Arc::new(move |host, _| {
            let found = lookup(&host);
            Box::pin(async move { found })
        });
        Self { lookup, ..self }
    }

    pub(crate) fn now(&self) -> Instant {
        (self.clock)()
    }

    pub(crate) fn pause(&self, wait: Wait) -> Waiting {
        (self.pause)(wait)
    }

    pub(crate) fn look_up(&self, host: &str, port: u16) -> Looking {
        (self.lookup)(host.to_owned(), port)
    }
}

impl fmt::Debug for Means {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Means")
    }
}
