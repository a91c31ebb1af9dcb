//! Parses the token that a key is exchanged for. The format is not documented, so several are
//! accepted.

use crate::live::error::DatasetError;
use crate::live::garmin::probe::redact_name;
use crate::live::http::authorization;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta};
use fitness_core::domain::calendar::Instant;
use reqwest::header::HeaderValue;
use serde_json::Value;

/// A longer lifetime is capped.
const MAX_LIFETIME: TimeDelta = TimeDelta::hours(24);
/// Renewed this long before it expires.
const RENEW_BEFORE: TimeDelta = TimeDelta::hours(1);
/// Smaller Unix times are seconds, larger ones milliseconds.
const MIN_MILLIS: i64 = 100_000_000_000;

/// A token as a header marked as sensitive.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) bearer: HeaderValue,
    pub(super) renew_at: Instant,
}

impl Token {
    /// Parses the response, JSON or plain text.
    pub(super) fn parse(bytes: &[u8], now: Instant) -> Result<Self, DatasetError> {
        let text = std::str::from_utf8(bytes).unwrap_or_default().trim();
        let json: Option<Value> = serde_json::from_str(text).ok();
        let (secret, ends) = match &json {
            Some(Value::Object(_)) | None if text.starts_with('{') => {
                let fields = json.as_ref().unwrap_or(&Value::Null);
                let secret = ["access_token", "accessToken", "token"]
                    .iter()
                    .find_map(|name| fields.get(name)?.as_str());
                (secret, stated_expiry(fields, now))
            }
            Some(Value::String(text)) => (Some(text.as_str()), None),
            // Arrays, numbers and so on are not tokens.
            Some(_) => (None, None),
            None => (Some(text).filter(|text| !text.starts_with('<')), None),
        };
        let secret = secret.filter(|secret| (8..=16_384).contains(&secret.len()));
        let bearer = secret.and_then(|secret| authorization("Bearer", secret));
        let (Some(secret), Some(bearer)) = (secret, bearer) else {
            return Err(DatasetError::NoToken { keys: field_names(json.as_ref()) });
        };
        let ends = ends.or_else(|| jwt_expiry(secret)).unwrap_or(now + MAX_LIFETIME);
        let life = (ends - now).clamp(TimeDelta::zero(), MAX_LIFETIME);
        Ok(Self { bearer, renew_at: now + life - RENEW_BEFORE.min(life / 2) })
    }
}

/// Expiry stated in the response.
fn stated_expiry(fields: &Value, now: Instant) -> Option<Instant> {
    let first = |names: [&str; 2]| names.iter().find_map(|name| fields.get(name).filter(|v| !v.is_null()));
    if let Some(seconds) = first(["expires_in", "expiresIn"]).and_then(as_integer) {
        return now.checked_add_signed(TimeDelta::try_seconds(seconds)?);
    }
    let at = first(["expires_at", "expiresAt"])?;
    as_integer(at).and_then(unix_instant).or_else(|| at.as_str()?.parse().ok())
}

fn as_integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

/// Seconds or milliseconds since the Unix epoch.
fn unix_instant(number: i64) -> Option<Instant> {
    if number >= MIN_MILLIS {
        DateTime::from_timestamp_millis(number)
    } else {
        DateTime::from_timestamp(number, 0)
    }
}

/// Expiry in the claims of a JWT.
fn jwt_expiry(secret: &str) -> Option<Instant> {
    let claims = secret.split('.').nth(1)?;
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()?;
    unix_instant(claims.get("exp")?.as_i64()?)
}

/// Redacted field names of the response.
fn field_names(json: Option<&Value>) -> String {
    match json {
        Some(Value::Object(fields)) if !fields.is_empty() => {
            fields.keys().map(|name| redact_name(name)).collect::<Vec<_>>().join(", ")
        }
        Some(_) => "no fields".to_owned(),
        None => "text that is not a token".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn now() -> Instant {
        "2026-11-15T20:00:00Z".parse().unwrap()
    }

    #[track_caller]
    fn renewed_after_minutes(body: &str) -> i64 {
        let token = Token::parse(body.as_bytes(), now()).unwrap();
        assert!(token.bearer.to_str().unwrap().starts_with("Bearer ") && token.bearer.is_sensitive());
        (token.renew_at - now()).num_minutes()
    }

    #[test]
    fn every_reported_format_is_parsed() {
        let day = 23 * 60;
        for (body, minutes) in [
            ("fake-access-token-1\n".to_owned(), day),
            (json!("fake-access-token-1").to_string(), day),
            (json!({"access_token": "fake-access-token-1", "expires_in": 86400}).to_string(), day),
            (json!({"accessToken": "fake-access-token-1", "expiresIn": "7200"}).to_string(), 60),
            (
                json!({"token": "fake-access-token-1", "expiresAt": "2026-11-16T08:00:00Z"}).to_string(),
                11 * 60,
            ),
            (
                json!({"token": "fake-access-token-1", "expires_at": now().timestamp() + 36_000}).to_string(),
                9 * 60,
            ),
            (
                json!({"token": "fake-access-token-1", "expires_at": now().timestamp_millis() + 36_000_000})
                    .to_string(),
                9 * 60,
            ),
            // Capped at a day; a short lifetime is used for at least half.
            (json!({"token": "fake-access-token-1", "expires_in": 31_536_000}).to_string(), day),
            (json!({"token": "fake-access-token-1", "expires_in": i64::MAX}).to_string(), day),
            (json!({"token": "fake-access-token-1", "expires_in": 1800}).to_string(), 15),
            (json!({"token": "fake-access-token-1", "expires_in": null}).to_string(), day),
        ] {
            assert_eq!(renewed_after_minutes(&body), minutes, "{body}");
        }
        let claims = URL_SAFE_NO_PAD.encode(json!({"exp": now().timestamp() + 4 * 3600}).to_string());
        assert_eq!(renewed_after_minutes(&format!("head.{claims}.sign")), 3 * 60);
    }

    #[test]
    fn missing_token_error_contains_no_value() {
        for (body, says) in [
            ("<html>secret-thing</html>", "text that is not a token"),
            (r#"{"jwt":"secret-thing-secret","4711":1,"a@b.org":2}"#, "*, *, jwt"),
            ("[1]", "no fields"),
            ("{}", "no fields"),
            (r#"{"token": "two words"}"#, "token"),
            ("short", "text that is not a token"),
            (r#"{"token": "cut"#, "text that is not a token"),
        ] {
            let problem = Token::parse(body.as_bytes(), now()).unwrap_err();
            assert_eq!(problem, DatasetError::NoToken { keys: says.to_owned() }, "{body}");
        }
    }
}
