//! The only place that reads the clock. Everything else is handed the time.

use fitness_core::domain::calendar::Instant;

/// Now.
#[expect(clippy::disallowed_methods, reason = "this is the one place")]
pub(crate) fn now() -> Instant {
    chrono::Utc::now()
}
