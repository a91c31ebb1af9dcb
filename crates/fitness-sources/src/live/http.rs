//! Asking a service once, and again when that may help.
//!
//! At most [`MOST_TRIES`] tries, with waits that double and are drawn at random below that, so that many homes do not
//! come back at the same moment; a `Retry-After` is obeyed. No redirect is followed, no body is believed to end, and
//! nothing of what was sent or received gets into an error.

use super::error::{Content, Fault, Problem};
use super::http_env::{Means, Wait};
use chrono::{DateTime, TimeDelta};
use fitness_core::domain::calendar::Instant;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER,
};
use reqwest::{Method, StatusCode, Url};
use serde_json::Value;
use std::net::IpAddr;
use std::time::Duration;

/// How often a thing is asked for in all.
pub(crate) const MOST_TRIES: u32 = 5;
/// The first wait is drawn below this, each later one below twice the one before.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// No wait of our own is longer.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// No wait that a service asks for is obeyed beyond this.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(120);
/// Bytes that do not come for so long will not come.
const STALL: Duration = Duration::from_secs(30);
/// Requests are at least this far apart: four a second.
const APART: Duration = Duration::from_millis(250);
/// The largest answer, packed or not.
pub(crate) const LARGEST: usize = 64_000_000;

/// A request.
pub(crate) struct Ask {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) authorization: HeaderValue,
    /// JSON to send; without it an empty body where the method has one.
    pub(crate) body: Option<Value>,
}

impl Ask {
    pub(crate) fn get(url: Url, authorization: HeaderValue) -> Self {
        Self { method: Method::GET, url, authorization, body: None }
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) enum Answer<T> {
    /// What was asked for.
    Got(T),
    /// There is nothing (status 204, or a body that is declared to be empty).
    Empty,
    /// The service says no; asking again would not help.
    Refused(u16),
}

/// The way to a service. One request at a time, so there are never more than two under way.
#[derive(Debug)]
pub(crate) struct Web {
    pub(crate) means: Means,
    last: Option<Instant>,
}

/// What went wrong with one try, and when the service wants to be asked again.
struct Setback {
    problem: Problem,
    retry_after: Option<Duration>,
}

impl From<Problem> for Setback {
    fn from(problem: Problem) -> Self {
        Self { problem, retry_after: None }
    }
}

impl Web {
    pub(crate) fn new(means: Means) -> Self {
        Self { means, last: None }
    }

    /// Asks for JSON.
    pub(crate) async fn json(&mut self, ask: &Ask) -> Result<Answer<Value>, Problem> {
        self.ask(ask, "application/json", |bytes| {
            serde_json::from_slice(&bytes).map_err(|error| {
                // A connection that ends where no length was declared looks like the end of the text.
                if error.is_eof() { Problem::Cut } else { Problem::NotJson(Content::of(&bytes)) }
            })
        })
        .await
    }

    /// Asks for bytes of any kind.
    pub(crate) async fn bytes(&mut self, ask: &Ask) -> Result<Answer<Vec<u8>>, Problem> {
        self.ask(ask, "*/*", Ok).await
    }

    async fn ask<T>(
        &mut self,
        ask: &Ask,
        accept: &'static str,
        read: impl Fn(Vec<u8>) -> Result<T, Problem>,
    ) -> Result<Answer<T>, Problem> {
        for tries in 1.. {
            self.turn().await;
            let setback = match self.once(ask, accept).await {
                Ok(Answer::Got(bytes)) => match read(bytes) {
                    Ok(got) => return Ok(Answer::Got(got)),
                    Err(problem) => problem.into(),
                },
                Ok(Answer::Empty) => return Ok(Answer::Empty),
                Ok(Answer::Refused(status)) => return Ok(Answer::Refused(status)),
                Err(setback) => setback,
            };
            if !setback.problem.passes() || tries >= MOST_TRIES {
                return Err(setback.problem);
            }
            let wait = setback.retry_after.unwrap_or_else(|| backoff(tries));
            (self.means.pause)(Wait::Again(wait)).await;
        }
        Err(Problem::Unreachable)
    }

    /// Waits until it is a request's turn.
    async fn turn(&mut self) {
        let since = self.last.and_then(|last| (self.means.now() - last).to_std().ok());
        // A clock that was set back does not make us wait for longer than one turn.
        let wait = if self.last.is_some() {
            APART.saturating_sub(since.unwrap_or_default())
        } else {
            Duration::ZERO
        };
        if !wait.is_zero() {
            (self.means.pause)(Wait::Turn(wait)).await;
        }
        self.last = Some(self.means.now());
    }

    async fn once(&self, ask: &Ask, accept: &'static str) -> Result<Answer<Vec<u8>>, Setback> {
        let mut request = self
            .means
            .client
            .request(ask.method.clone(), ask.url.clone())
            .header(AUTHORIZATION, ask.authorization.clone())
            .header(ACCEPT, accept);
        if let Some(body) = &ask.body {
            request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
        } else if ask.method != Method::GET {
            request = request.header(CONTENT_LENGTH, 0);
        }
        let mut response = self.unless_stalled(request.send()).await?.map_err(|error| unanswered(&error))?;
        let status = response.status();
        // Also when the client was built to follow them.
        if status.is_redirection() || response.url().origin() != ask.url.origin() {
            return Err(Problem::Redirect.into());
        }
        if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
            let busy = status == StatusCode::TOO_MANY_REQUESTS;
            let problem = if busy { Problem::Busy } else { Problem::Status(status.as_u16()) };
            return Err(Setback { problem, retry_after: retry_after(response.headers(), self.means.now()) });
        }
        if !status.is_success() {
            return Ok(Answer::Refused(status.as_u16()));
        }
        let declared = response.content_length();
        if status == StatusCode::NO_CONTENT || declared == Some(0) {
            return Ok(Answer::Empty);
        }
        let mut bytes = Vec::new();
        while let Some(chunk) =
            self.unless_stalled(response.chunk()).await?.map_err(|error| interrupted(&error))?
        {
            if bytes.len() + chunk.len() > LARGEST {
                return Err(Problem::TooLarge { limit: LARGEST }.into());
            }
            bytes.extend_from_slice(&chunk);
        }
        if bytes.is_empty() { Err(Problem::Cut.into()) } else { Ok(Answer::Got(bytes)) }
    }

    async fn unless_stalled<T>(&self, work: impl Future<Output = T>) -> Result<T, Problem> {
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = (self.means.pause)(Wait::Stall(STALL)) => Err(Problem::Stalled),
        }
    }
}

/// No answer began.
fn unanswered(error: &reqwest::Error) -> Problem {
    if error.is_redirect() {
        Problem::Redirect
    } else if error.is_timeout() && !error.is_connect() {
        Problem::Stalled
    } else {
        Problem::Unreachable
    }
}

/// An answer did not end.
fn interrupted(error: &reqwest::Error) -> Problem {
    if error.is_timeout() { Problem::Stalled } else { Problem::Cut }
}

/// The wait before another try: drawn at random below a bound that doubles.
fn backoff(tries: u32) -> Duration {
    let bound = bound(tries).as_millis();
    Duration::from_millis(rand::random_range(0..=u64::try_from(bound).unwrap_or(u64::MAX)))
}

/// What the wait after so many tries stays below.
pub(crate) fn bound(tries: u32) -> Duration {
    FIRST_WAIT.saturating_mul(2_u32.saturating_pow(tries.saturating_sub(1))).min(LONGEST_WAIT)
}

/// What a service asks us to wait: seconds, or a date.
fn retry_after(headers: &HeaderMap, now: Instant) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = match text.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let date = DateTime::parse_from_rfc2822(text).ok()?;
            (date.to_utc() - now).max(TimeDelta::zero()).to_std().ok()?
        }
    };
    Some(wait.min(LONGEST_RETRY_AFTER))
}

/// An authorization header that is never printed.
pub(crate) fn authorization(scheme: &str, secret: &str) -> Option<HeaderValue> {
    let secret = secret.trim();
    let sound = !secret.is_empty() && secret.bytes().all(|byte| byte.is_ascii_graphic());
    let mut value = HeaderValue::try_from(format!("{scheme} {secret}")).ok().filter(|_| sound)?;
    value.set_sensitive(true);
    Some(value)
}

/// The address a service is at. Anything but loopback must be https, or the key would travel in the open.
pub(crate) fn base(address: &str) -> Result<Url, Fault> {
    let url = Url::parse(address.trim()).map_err(|_| Fault::BadAddress)?;
    let host = url.host_str().ok_or(Fault::BadAddress)?;
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let loopback = bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    let secret_way = url.scheme() == "https" || (url.scheme() == "http" && loopback);
    let plain = url.username().is_empty() && url.password().is_none() && url.query().is_none();
    (secret_way && plain && url.fragment().is_none()).then_some(url).ok_or(Fault::BadAddress)
}

/// A path below the base; it may bring a query. Everything put into it was checked before.
pub(crate) fn below(base: &Url, path: &str) -> Result<Url, Problem> {
    let whole = format!("{}{path}", base.as_str().trim_end_matches('/'));
    Url::parse(&whole).map_err(|_| Problem::OtherShape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_minute_and_stay_below_their_bound() {
        let bounds: Vec<u64> = (1..9).map(|tries| bound(tries).as_secs()).collect();
        assert_eq!(bounds, [1, 2, 4, 8, 16, 32, 60, 60]);
        for tries in 1..40 {
            assert!(backoff(tries) <= bound(tries));
        }
        let drawn: std::collections::BTreeSet<Duration> = (0..50).map(|_| backoff(6)).collect();
        assert!(drawn.len() > 10, "{drawn:?}");
    }

    #[test]
    fn a_service_may_ask_for_seconds_or_until_a_date_but_not_for_more_than_two_minutes() {
        let now: Instant = "2026-06-14T07:00:00Z".parse().unwrap();
        for (text, seconds) in [
            ("14", Some(14)),
            ("0", Some(0)),
            ("99999", Some(120)),
            ("Sun, 14 Jun 2026 07:00:30 GMT", Some(30)),
            ("Sun, 14 Jun 2026 06:00:00 GMT", Some(0)),
            ("Mon, 14 Jun 2027 07:00:00 GMT", Some(120)),
            ("soon", None),
            ("-3", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_static(text));
            assert_eq!(retry_after(&headers, now), seconds.map(Duration::from_secs), "{text}");
        }
    }

    #[test]
    fn a_key_travels_only_over_https_or_to_this_machine() {
        for good in [
            "https://personal.connectapi.garmin.cn",
            "http://127.0.0.1:80",
            "http://[::1]:9/",
            "http://localhost:1",
        ] {
            assert!(base(good).is_ok(), "{good}");
        }
        for bad in [
            "http://personal.connectapi.garmin.com",
            "http://127.0.0.1.example.org",
            "http://localhost.example.org",
            "ftp://127.0.0.1",
            "https://user:word@example.org",
            "https://example.org/?a=b",
            "example.org",
            "",
        ] {
            assert_eq!(base(bad), Err(Fault::BadAddress), "{bad}");
        }
    }

    #[test]
    fn a_header_made_of_a_key_does_not_print_it() {
        let header = authorization("ApiKey", " GCDC_abc ").unwrap();
        assert_eq!(header.to_str().unwrap(), "ApiKey GCDC_abc");
        assert!(!format!("{header:?}").contains("GCDC"));
        for bad in ["", "  ", "a b", "a\nb", "schlüssel"] {
            assert_eq!(authorization("ApiKey", bad), None);
        }
    }
}
