//! HTTP client with retries, exponential backoff with full jitter, `Retry-After`, rate limit, stall
//! timeout and response size limit.
//!
//! Redirects are not followed, and errors contain nothing that was sent or received.

use super::error::{DatasetError, FetchError, UnexpectedContent};
use fitness_core::domain::calendar::Instant;
use fitness_http::{DelayReason, HttpEnv, retry_after};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, StatusCode, Url};
use serde_json::Value;
use std::net::IpAddr;
use std::time::Duration;

/// Including the first attempt.
pub(crate) const MAX_ATTEMPTS: u32 = 5;
/// Upper bound of the first random delay; it doubles with each attempt.
const INITIAL_BACKOFF: Duration = Duration::from_secs(1);
const MAX_BACKOFF: Duration = Duration::from_secs(60);
/// A longer `Retry-After` is capped.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(120);
/// Maximum time without new bytes.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);
/// Four requests per second.
const MIN_REQUEST_INTERVAL: Duration = Duration::from_millis(250);
/// Applies before and after decompression.
pub(crate) const MAX_RESPONSE_BYTES: usize = 64_000_000;

pub(crate) struct HttpRequest {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) authorization: HeaderValue,
    /// JSON body; `None` sends an empty one.
    pub(crate) body: Option<Value>,
}

impl HttpRequest {
    pub(crate) fn get(url: Url, authorization: HeaderValue) -> Self {
        Self { method: Method::GET, url, authorization, body: None }
    }
}

#[derive(Debug)]
pub(crate) enum HttpResponse<T> {
    Body(T),
    /// Status 204, or an empty body.
    Empty,
    /// A 4xx status that is not worth a retry.
    Refused(u16),
}

/// Sends one request at a time.
#[derive(Debug)]
pub(crate) struct HttpClient {
    pub(crate) env: HttpEnv,
    last_request_at: Option<Instant>,
}

struct AttemptError {
    error: DatasetError,
    retry_after: Option<Duration>,
}

impl From<DatasetError> for AttemptError {
    fn from(problem: DatasetError) -> Self {
        Self { error: problem, retry_after: None }
    }
}

impl HttpClient {
    pub(crate) fn new(env: HttpEnv) -> Self {
        Self { env, last_request_at: None }
    }

    pub(crate) async fn fetch_json(
        &mut self,
        ask: &HttpRequest,
    ) -> Result<HttpResponse<Value>, DatasetError> {
        self.send_with_retries(ask, "application/json", |bytes| {
            serde_json::from_slice(&bytes).map_err(|error| {
                // Without Content-Length, a lost connection looks like the end of the body.
                if error.is_eof() {
                    DatasetError::Truncated
                } else {
                    DatasetError::NotJson(UnexpectedContent::detect(&bytes))
                }
            })
        })
        .await
    }

    pub(crate) async fn fetch_bytes(
        &mut self,
        ask: &HttpRequest,
    ) -> Result<HttpResponse<Vec<u8>>, DatasetError> {
        self.send_with_retries(ask, "*/*", Ok).await
    }

    async fn send_with_retries<T>(
        &mut self,
        ask: &HttpRequest,
        accept: &'static str,
        read: impl Fn(Vec<u8>) -> Result<T, DatasetError>,
    ) -> Result<HttpResponse<T>, DatasetError> {
        for tries in 1.. {
            self.wait_for_rate_limit().await;
            let setback = match self.send_once(ask, accept).await {
                Ok(HttpResponse::Body(bytes)) => match read(bytes) {
                    Ok(got) => return Ok(HttpResponse::Body(got)),
                    Err(problem) => problem.into(),
                },
                Ok(HttpResponse::Empty) => return Ok(HttpResponse::Empty),
                Ok(HttpResponse::Refused(status)) => return Ok(HttpResponse::Refused(status)),
                Err(setback) => setback,
            };
            if !setback.error.is_transient() || tries >= MAX_ATTEMPTS {
                return Err(setback.error);
            }
            let wait = setback.retry_after.unwrap_or_else(|| backoff(tries));
            self.env.delay(DelayReason::Retry(wait)).await;
        }
        Err(DatasetError::Unreachable)
    }

    async fn wait_for_rate_limit(&mut self) {
        let since = self.last_request_at.and_then(|last| (self.env.now() - last).to_std().ok());
        // Never longer than one interval, even if the clock was set back.
        let wait = if self.last_request_at.is_some() {
            MIN_REQUEST_INTERVAL.saturating_sub(since.unwrap_or_default())
        } else {
            Duration::ZERO
        };
        if !wait.is_zero() {
            self.env.delay(DelayReason::RateLimit(wait)).await;
        }
        self.last_request_at = Some(self.env.now());
    }

    async fn send_once(
        &self,
        ask: &HttpRequest,
        accept: &'static str,
    ) -> Result<HttpResponse<Vec<u8>>, AttemptError> {
        let mut request = self
            .env
            .client()
            .request(ask.method.clone(), ask.url.clone())
            .header(AUTHORIZATION, ask.authorization.clone())
            .header(ACCEPT, accept);
        if let Some(body) = &ask.body {
            request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
        } else if ask.method != Method::GET {
            request = request.header(CONTENT_LENGTH, 0);
        }
        let mut response =
            self.with_stall_timeout(request.send()).await?.map_err(|error| send_error(&error))?;
        let status = response.status();
        // Also if the client was built to follow redirects.
        if status.is_redirection() || response.url().origin() != ask.url.origin() {
            return Err(DatasetError::Redirect.into());
        }
        if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
            let busy = status == StatusCode::TOO_MANY_REQUESTS;
            let problem = if busy { DatasetError::Busy } else { DatasetError::Status(status.as_u16()) };
            return Err(AttemptError {
                error: problem,
                retry_after: retry_after(response.headers(), self.env.now())
                    .map(|wait| wait.min(MAX_RETRY_AFTER)),
            });
        }
        if !status.is_success() {
            return Ok(HttpResponse::Refused(status.as_u16()));
        }
        let declared = response.content_length();
        if status == StatusCode::NO_CONTENT || declared == Some(0) {
            return Ok(HttpResponse::Empty);
        }
        let mut bytes = Vec::new();
        while let Some(chunk) =
            self.with_stall_timeout(response.chunk()).await?.map_err(|error| body_error(&error))?
        {
            if bytes.len() + chunk.len() > MAX_RESPONSE_BYTES {
                return Err(DatasetError::TooLarge { limit: MAX_RESPONSE_BYTES }.into());
            }
            bytes.extend_from_slice(&chunk);
        }
        if bytes.is_empty() { Err(DatasetError::Truncated.into()) } else { Ok(HttpResponse::Body(bytes)) }
    }

    async fn with_stall_timeout<T>(&self, work: impl Future<Output = T>) -> Result<T, DatasetError> {
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = self.env.delay(DelayReason::Stall(STALL_TIMEOUT)) => Err(DatasetError::Stalled),
        }
    }
}

fn send_error(error: &reqwest::Error) -> DatasetError {
    if error.is_redirect() {
        DatasetError::Redirect
    } else if error.is_timeout() && !error.is_connect() {
        DatasetError::Stalled
    } else {
        DatasetError::Unreachable
    }
}

fn body_error(error: &reqwest::Error) -> DatasetError {
    if error.is_timeout() { DatasetError::Stalled } else { DatasetError::Truncated }
}

/// Random delay below [`max_backoff`].
fn backoff(tries: u32) -> Duration {
    let bound = max_backoff(tries).as_millis();
    Duration::from_millis(rand::random_range(0..=u64::try_from(bound).unwrap_or(u64::MAX)))
}

/// Upper bound of the delay after `tries` attempts.
pub(crate) fn max_backoff(tries: u32) -> Duration {
    INITIAL_BACKOFF.saturating_mul(2_u32.saturating_pow(tries.saturating_sub(1))).min(MAX_BACKOFF)
}

/// An authorization header marked as sensitive, so that it is not printed.
pub(crate) fn authorization(scheme: &str, secret: &str) -> Option<HeaderValue> {
    let secret = secret.trim();
    let sound = !secret.is_empty() && secret.bytes().all(|byte| byte.is_ascii_graphic());
    let mut value = HeaderValue::try_from(format!("{scheme} {secret}")).ok().filter(|_| sound)?;
    value.set_sensitive(true);
    Some(value)
}

/// Requires https except on loopback, because the key is sent.
pub(crate) fn parse_base_url(address: &str) -> Result<Url, FetchError> {
    let url = Url::parse(address.trim()).map_err(|_| FetchError::BadAddress)?;
    let host = url.host_str().ok_or(FetchError::BadAddress)?;
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let loopback = bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    let secret_way = url.scheme() == "https" || (url.scheme() == "http" && loopback);
    let plain = url.username().is_empty() && url.password().is_none() && url.query().is_none();
    (secret_way && plain && url.fragment().is_none()).then_some(url).ok_or(FetchError::BadAddress)
}

/// A path below the base, optionally with a query. Its parameters were validated before.
pub(crate) fn join_path(base: &Url, path: &str) -> Result<Url, DatasetError> {
    let whole = format!("{}{path}", base.as_str().trim_end_matches('/'));
    Url::parse(&whole).map_err(|_| DatasetError::UnexpectedShape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_up_to_a_minute() {
        let bounds: Vec<u64> = (1..9).map(|tries| max_backoff(tries).as_secs()).collect();
        assert_eq!(bounds, [1, 2, 4, 8, 16, 32, 60, 60]);
        for tries in 1..40 {
            assert!(backoff(tries) <= max_backoff(tries));
        }
        let drawn: std::collections::BTreeSet<Duration> = (0..50).map(|_| backoff(6)).collect();
        assert!(drawn.len() > 10, "{drawn:?}");
    }

    #[test]
    fn base_url_must_be_https_or_loopback() {
        for good in [
            "https://personal.connectapi.garmin.cn",
            "http://127.0.0.1:80",
            "http://[::1]:9/",
            "http://localhost:1",
        ] {
            assert!(parse_base_url(good).is_ok(), "{good}");
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
            assert_eq!(parse_base_url(bad), Err(FetchError::BadAddress), "{bad}");
        }
    }

    #[test]
    fn authorization_header_hides_the_key() {
        let header = authorization("ApiKey", " GCDC_abc ").unwrap();
        assert_eq!(header.to_str().unwrap(), "ApiKey GCDC_abc");
        assert!(!format!("{header:?}").contains("GCDC"));
        for bad in ["", "  ", "a b", "a\nb", "schlüssel"] {
            assert_eq!(authorization("ApiKey", bad), None);
        }
    }
}
