//! Retry policy: delays from response headers, else exponential backoff.

use super::{AttemptError, Retry};
use crate::model::ModelErrorKind;
use fitness_core::domain::calendar::Instant;
use fitness_http::retry_after;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use std::time::Duration;

/// Initial and maximum delay.
const INITIAL_BACKOFF: Duration = Duration::from_millis(500);
const MAX_BACKOFF: Duration = Duration::from_secs(8);

/// Exponential backoff with up to 25 % jitter.
pub(super) fn backoff(retries: u32) -> Duration {
    let whole = INITIAL_BACKOFF.saturating_mul(2_u32.saturating_pow(retries)).min(MAX_BACKOFF);
    let millis = u64::try_from(whole.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(rand::random_range(millis - millis / 4..=millis))
}

/// Whether a status is temporary.
pub(super) fn is_retryable(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 409 | 429) || status.is_server_error()
}

/// Adds the retry headers to an error. A reached spending limit is never retried.
pub(super) fn apply_retry_headers(
    setback: AttemptError,
    status: StatusCode,
    headers: &HeaderMap,
    now: Instant,
) -> AttemptError {
    let AttemptError { mut error, retry: again } = setback;
    if error.kind == ModelErrorKind::SpendCap || again == Retry::WhenLoaded {
        return AttemptError { error, retry: again };
    }
    let asked = retry_after(headers, now);
    error.retry_after = asked;
    let again = match headers.get("x-should-retry").map(reqwest::header::HeaderValue::as_bytes) {
        Some(b"true") => Retry::AfterDelay(asked),
        Some(b"false") => Retry::Never,
        _ if is_retryable(status) => Retry::AfterDelay(asked),
        _ => Retry::Never,
    };
    AttemptError { error, retry: again }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelError;
    use reqwest::header::{HeaderName, HeaderValue};

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn waits_double_up_to_eight_seconds_less_a_quarter() {
        for (retries, whole) in [(0, 500), (1, 1000), (2, 2000), (3, 4000), (4, 8000), (9, 8000), (99, 8000)]
        {
            for _ in 0..50 {
                let wait = backoff(retries).as_millis();
                assert!((whole * 3 / 4..=whole).contains(&wait), "{wait}");
            }
        }
    }

    #[test]
    fn retryable_status_is_retried_unless_headers_forbid_it() {
        let now: Instant = "2026-06-14T07:00:00Z".parse().unwrap();
        let after = |kind, status, pairs: &[_]| {
            let setback = AttemptError::permanent(ModelError::new(kind, "x"));
            let status = StatusCode::from_u16(status).unwrap();
            apply_retry_headers(setback, status, &headers(pairs), now).retry
        };
        for status in [408, 409, 429, 500, 502, 503, 504, 529] {
            assert_eq!(after(ModelErrorKind::Busy, status, &[]), Retry::AfterDelay(None), "{status}");
            assert_eq!(after(ModelErrorKind::Busy, status, &[("x-should-retry", "false")]), Retry::Never);
        }
        for status in [400, 401, 403, 404, 413, 422] {
            assert_eq!(after(ModelErrorKind::Request, status, &[]), Retry::Never, "{status}");
        }
        assert_eq!(
            after(ModelErrorKind::Request, 400, &[("x-should-retry", "true")]),
            Retry::AfterDelay(None)
        );
        assert_eq!(after(ModelErrorKind::SpendCap, 429, &[("x-should-retry", "true")]), Retry::Never);
        assert_eq!(
            after(ModelErrorKind::Busy, 429, &[("retry-after", "3")]),
            Retry::AfterDelay(Some(Duration::from_secs(3)))
        );
    }
}
