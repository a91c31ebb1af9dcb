//! What a source is handed.

use fitness_core::domain::calendar::Instant;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// Why a source waits. Production sleeps through all of them; a test knows which is which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delay {
    /// So as not to ask too often.
    RateLimit(Duration),
    /// Before asking again.
    Retry(Duration),
    /// For the next bytes; when this ends first, they are given up.
    Stall(Duration),
}

impl Delay {
    /// How long.
    #[must_use]
    pub const fn duration(self) -> Duration {
        match self {
            Self::RateLimit(length) | Self::Retry(length) | Self::Stall(length) => length,
        }
    }
}

/// A wait that ends.
pub type DelayFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A client, a clock and a way to wait.
#[derive(Clone)]
pub struct HttpEnv {
    pub(crate) client: reqwest::Client,
    pub(crate) clock: Arc<dyn Fn() -> Instant + Send + Sync>,
    pub(crate) delay: Arc<dyn Fn(Delay) -> DelayFuture + Send + Sync>,
}

impl HttpEnv {
    /// Puts them together. The client must not follow redirects: they would carry keys elsewhere.
    pub fn new<W>(
        client: reqwest::Client,
        clock: impl Fn() -> Instant + Send + Sync + 'static,
        pause: impl Fn(Delay) -> W + Send + Sync + 'static,
    ) -> Self
    where
        W: Future<Output = ()> + Send + 'static,
    {
        Self { client, clock: Arc::new(clock), delay: Arc::new(move |wait| Box::pin(pause(wait))) }
    }

    pub(crate) fn now(&self) -> Instant {
        (self.clock)()
    }
}

impl fmt::Debug for HttpEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Means")
    }
}
