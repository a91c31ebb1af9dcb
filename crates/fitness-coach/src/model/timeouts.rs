//! Timeouts of a model request.

use std::time::Duration;

/// The HTTP client must not have shorter timeouts of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Maximum time without a token; pings do not count.
    pub stall: Duration,
    /// Maximum time for one reply, including retries.
    pub overall: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { stall: Duration::from_secs(120), overall: Duration::from_secs(600) }
    }
}
