//! The only place that reads the system clock; everything else gets the time as an argument.

use fitness_core::domain::calendar::Instant;

#[expect(clippy::disallowed_methods, reason = "this is the one place")]
pub(crate) fn now() -> Instant {
    chrono::Utc::now()
}
