//! When to ask again: what a service says about it in its headers, and our own patience.

use super::{AttemptError, Retry};
use crate::model::ModelErrorKind;
use chrono::{DateTime, TimeDelta};
use fitness_core::domain::calendar::Instant;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use std::time::Duration;

/// The first wait of our own, and the longest.
const INITIAL_BACKOFF: Duration = Duration::from_millis(500);
const MAX_BACKOFF: Duration = Duration::from_secs(8);

/// The wait before another try: it doubles, less up to a quarter drawn at random, so that many homes do not come back at
/// the same moment.
pub(super) fn backoff(retries: u32) -> Duration {
    let whole = INITIAL_BACKOFF.saturating_mul(2_u32.saturating_pow(retries)).min(MAX_BACKOFF);
    let millis = u64::try_from(whole.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(rand::random_range(millis - millis / 4..=millis))
}

/// Whether a refusal of this kind may pass.
pub(super) fn is_retryable(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 409 | 429) || status.is_server_error()
}

/// A refusal with what its headers say about asking again. An account that may not spend any more is never asked again.
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

/// What a service asks us to wait: milliseconds, seconds, or a date.
fn retry_after(headers: &HeaderMap, now: Instant) -> Option<Duration> {
    let text = |value: &reqwest::header::HeaderValue| value.to_str().ok().map(|text| text.trim().to_owned());
    let number = |text: String, unit: f64| {
        let number: f64 = text.parse().ok()?;
        Duration::try_from_secs_f64(number * unit).ok()
    };
    if let Some(wait) = headers.get("retry-after-ms").and_then(text).and_then(|text| number(text, 0.001)) {
        return Some(wait);
    }
    let text = headers.get(RETRY_AFTER).and_then(text)?;
    number(text.clone(), 1.0).or_else(|| {
        let date = DateTime::parse_from_rfc2822(&text).ok()?;
        (date.to_utc() - now).max(TimeDelta::zero()).to_std().ok()
    })
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
    fn a_service_may_ask_for_milliseconds_seconds_or_until_a_date() {
        let now: Instant = "2026-06-14T07:00:00Z".parse().unwrap();
        for (pairs, millis) in [
            (&[("retry-after", "14")][..], Some(14_000)),
            (&[("retry-after", "0.25")], Some(250)),
            (&[("retry-after-ms", "1500"), ("retry-after", "9")], Some(1500)),
            (&[("retry-after-ms", "soon"), ("retry-after", "9")], Some(9000)),
            (&[("retry-after", "Sun, 14 Jun 2026 07:00:30 GMT")], Some(30_000)),
            (&[("retry-after", "Sun, 14 Jun 2026 06:00:00 GMT")], Some(0)),
            (&[("retry-after", "-3")], None),
            (&[("retry-after", "NaN")], None),
            (&[("retry-after", "1e300")], None),
            (&[], None),
        ] {
            assert_eq!(retry_after(&headers(pairs), now).map(|wait| wait.as_millis()), millis, "{pairs:?}");
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
