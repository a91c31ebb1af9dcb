//! The delay that a response asks for before the next attempt.

use chrono::{DateTime, TimeDelta};
use fitness_core::domain::calendar::Instant;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use std::time::Duration;

/// `retry-after-ms` in milliseconds, or `Retry-After` in seconds or as a date.
#[must_use]
pub fn retry_after(headers: &HeaderMap, now: Instant) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let number = |text: &str, unit: f64| Duration::try_from_secs_f64(text.parse::<f64>().ok()? * unit).ok();
    if let Some(wait) = text("retry-after-ms").and_then(|text| number(text, 0.001)) {
        return Some(wait);
    }
    let text = text(RETRY_AFTER.as_str())?;
    number(text, 1.0).or_else(|| {
        let date = DateTime::parse_from_rfc2822(text).ok()?;
        (date.to_utc() - now).max(TimeDelta::zero()).to_std().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};

    #[test]
    fn retry_after_is_milliseconds_seconds_or_a_date() {
        let now: Instant = "2026-06-14T07:00:00Z".parse().unwrap();
        for (pairs, millis) in [
            (&[("retry-after", "14")][..], Some(14_000)),
            (&[("retry-after", "0")], Some(0)),
            (&[("retry-after", "0.25")], Some(250)),
            (&[("retry-after-ms", "1500"), ("retry-after", "9")], Some(1500)),
            (&[("retry-after-ms", "soon"), ("retry-after", "9")], Some(9000)),
            (&[("retry-after", "Sun, 14 Jun 2026 07:00:30 GMT")], Some(30_000)),
            (&[("retry-after", "Sun, 14 Jun 2026 06:00:00 GMT")], Some(0)),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "-3")], None),
            (&[("retry-after", "NaN")], None),
            (&[("retry-after", "1e300")], None),
            (&[], None),
        ] {
            let headers: HeaderMap = pairs
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
                .collect();
            assert_eq!(retry_after(&headers, now).map(|wait| wait.as_millis()), millis, "{pairs:?}");
        }
    }
}
