//! Streaming HTTP POST with retries.
//!
//! At most [`MAX_RETRIES`] retries, and none after the listener received text, which would repeat
//! it. Redirects are not followed, responses are bounded in size and time, and errors never contain
//! request or response data.

mod errors;
mod retry;

use super::endpoint_url::{EndpointUrl, ResolveHostError};
use super::sse::{EventReader, SseEvent, TooLargeError};
use super::timeouts::Timeouts;
use super::{ModelError, ModelErrorKind, ModelListener, Usage};
use fitness_http::{DelayFuture, DelayReason, HttpEnv};
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, USER_AGENT,
};
use reqwest::{Response, StatusCode};
use retry::backoff;
use secrecy::{ExposeSecret as _, SecretString};
use std::future::Future;
use std::time::Duration;

pub(super) use errors::ServiceInfo;

const MAX_RETRIES: u32 = 2;
/// Maximum wait for a server to load its model, or for a `Retry-After`.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// Bytes per token, for estimates.
const BYTES_PER_TOKEN: u64 = 4;
/// Maximum size of an error response.
const MAX_ERROR_BODY_BYTES: usize = 1 << 16;

#[derive(Debug)]
pub(super) struct Post<'a> {
    pub(super) service: &'a ServiceInfo,
    pub(super) address: &'a EndpointUrl,
    pub(super) path: &'static str,
    pub(super) headers: HeaderMap,
    pub(super) body: String,
}

const USER_AGENT_VALUE: HeaderValue =
    HeaderValue::from_static(concat!("local-fitness/", env!("CARGO_PKG_VERSION")));

impl Post<'_> {
    /// All headers in order. The client adds none, so that the preview shows exactly what is sent.
    fn all_headers(&self) -> HeaderMap {
        let url = self.address.join(self.path);
        let host = url.host_str().unwrap_or_default();
        let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let mut headers = HeaderMap::new();
        if let Ok(host) = HeaderValue::try_from(host) {
            headers.insert(HOST, host);
        }
        for (name, value) in &self.headers {
            headers.insert(name.clone(), value.clone());
        }
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        // Compression would delay the stream.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        headers.insert(USER_AGENT, USER_AGENT_VALUE);
        headers.insert(CONTENT_LENGTH, HeaderValue::from(self.body.len()));
        headers
    }

    /// The request as text without the key, after a line with the URL.
    pub(super) fn preview(&self) -> String {
        let url = self.address.join(self.path);
        let mut text = format!("To {url}\nPOST {} HTTP/1.1\n", url.path());
        for (name, value) in &self.all_headers() {
            let value = if value.is_sensitive() { "(your key)" } else { value.to_str().unwrap_or_default() };
            text.push_str(&format!("{name}: {value}\n"));
        }
        text.push('\n');
        text.push_str(&self.body);
        text
    }
}

/// Failure of one attempt.
#[derive(Debug)]
pub(super) struct AttemptError {
    pub(super) error: ModelError,
    pub(super) retry: Retry,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    Never,
    /// After a delay, if given by the service.
    AfterDelay(Option<Duration>),
    /// After the server has loaded its model.
    WhenLoaded,
}

impl AttemptError {
    pub(super) fn permanent(error: ModelError) -> Self {
        Self { error, retry: Retry::Never }
    }

    pub(super) fn retryable(error: ModelError) -> Self {
        Self { error, retry: Retry::AfterDelay(None) }
    }
}

/// Parser of one API's response stream.
pub(super) trait ResponseReader {
    fn handle_event(
        &mut self,
        event: SseEvent,
        heard: &mut UsageCountingListener<'_>,
    ) -> Result<(), AttemptError>;

    /// Whether the reply is complete.
    fn is_done(&self) -> bool;

    /// Whether the reply counts as complete when the stream ends without an end marker.
    fn can_end(&self) -> bool {
        false
    }

    /// Maps an HTTP error status.
    fn status_error(who: &ServiceInfo, status: StatusCode, body: &[u8]) -> AttemptError;
}

/// The listener, and the usage so far.
pub(super) struct UsageCountingListener<'a> {
    listener: &'a mut (dyn ModelListener + 'a),
    has_output: bool,
    earlier_usage: Usage,
    /// Usage of the current response as reported by the service.
    pub(super) usage: Usage,
    /// Bytes of the current request.
    sent_bytes: u64,
    /// Bytes of the current response: text, thinking and calls.
    output_bytes: u64,
}

impl<'a> UsageCountingListener<'a> {
    pub(super) fn new(listener: &'a mut (dyn ModelListener + 'a)) -> Self {
        let none = Usage::default();
        Self { listener, has_output: false, earlier_usage: none, usage: none, sent_bytes: 0, output_bytes: 0 }
    }

    pub(super) fn text(&mut self, more: &str) {
        if !more.is_empty() {
            self.has_output = true;
            self.listener.text(more);
        }
    }

    pub(super) fn call(&mut self, tool: &str) {
        self.has_output = true;
        self.listener.tool_call(tool);
    }

    /// Thinking may be repeated after a retry.
    pub(super) fn on_thinking(&mut self, more: &str) {
        if !more.is_empty() {
            self.listener.on_thinking(more);
        }
    }

    /// Usage so far, including failed attempts.
    pub(super) fn reported_usage(&self) -> Usage {
        self.earlier_usage.plus(self.usage)
    }

    /// Counts bytes written by the model, which restart the token timeout; headers, comments and
    /// pings do not.
    pub(super) fn add_output_bytes(&mut self, more: usize) {
        self.output_bytes = self.output_bytes.saturating_add(more as u64);
    }

    /// Usage so far, estimated where the service has not reported it.
    fn estimated_usage(&self) -> Usage {
        let mut now = self.usage;
        if now.input == 0 && now.cache_read == 0 && now.cache_write == 0 {
            now.input = self.sent_bytes / BYTES_PER_TOKEN;
        }
        now.output = now.output.max(self.output_bytes / BYTES_PER_TOKEN);
        self.earlier_usage.plus(now)
    }

    /// Final usage, estimated where the service did not report it, so that servers without counts
    /// are not free.
    pub(super) fn final_usage(&self) -> Usage {
        let (estimated, mut now) = (self.estimated_usage(), self.usage);
        if now.input == 0 && now.cache_read == 0 && now.cache_write == 0 {
            now.input = self.sent_bytes / BYTES_PER_TOKEN;
        }
        if now.output == 0 {
            now.output = estimated.output.saturating_sub(self.earlier_usage.output);
        }
        self.earlier_usage.plus(now)
    }

    /// Starts an additional request, such as a probe.
    pub(super) fn begin_side_request(&mut self, sent: usize) {
        self.begin_request(sent);
    }

    /// Ends the additional request.
    pub(super) fn end_side_request(&mut self, spent: Usage) {
        self.earlier_usage = self.earlier_usage.plus(spent);
        self.begin_request(0);
    }

    /// Sets the size of the current request; `None` if there is none.
    fn begin_request(&mut self, sent: usize) {
        self.earlier_usage = self.reported_usage();
        (self.usage, self.sent_bytes, self.output_bytes) = (Usage::default(), sent as u64, 0);
        self.report_usage();
    }

    fn report_usage(&mut self) {
        let so_far = self.estimated_usage();
        self.listener.usage(so_far);
    }
}

/// Runs a request within the overall timeout and adds the usage to its error.
pub(super) async fn with_timeout<T>(
    env: &HttpEnv,
    limits: Timeouts,
    who: &ServiceInfo,
    heard: &mut UsageCountingListener<'_>,
    work: impl AsyncFnOnce(&mut UsageCountingListener<'_>) -> Result<T, ModelError>,
) -> Result<T, ModelError> {
    let done = tokio::select! {
        biased;
        done = work(heard) => done,
        () = env.delay(DelayReason::Overall(limits.overall)) => Err(who.timed_out(limits.overall)),
    };
    done.map_err(|error| {
        // A refused request is free; a stalled or interrupted one is estimated.
        let begun = heard.output_bytes > 0 || error.kind == ModelErrorKind::Stalled;
        ModelError { usage: if begun { heard.estimated_usage() } else { heard.reported_usage() }, ..error }
    })
}

/// Sends the request with retries and reads the response.
pub(super) async fn send_with_retries<R: ResponseReader>(
    env: &HttpEnv,
    limits: Timeouts,
    post: &Post<'_>,
    heard: &mut UsageCountingListener<'_>,
    new: impl Fn() -> R,
) -> Result<R, ModelError> {
    let (mut retries, mut looks, mut loading) = (0, 0, Duration::ZERO);
    loop {
        let mut reading = new();
        heard.begin_request(post.body.len());
        let Err(AttemptError { error, retry: again }) =
            send_once(env, limits, post, heard, &mut reading).await
        else {
            return Ok(reading);
        };
        let wait = match again {
            Retry::Never => return Err(error),
            _ if heard.has_output => return Err(error),
            Retry::AfterDelay(_) if retries >= MAX_RETRIES => return Err(error),
            Retry::AfterDelay(Some(asked)) if asked > MAX_WAIT => return Err(error),
            Retry::WhenLoaded if loading >= MAX_WAIT => return Err(error),
            Retry::AfterDelay(Some(asked)) => asked,
            Retry::AfterDelay(None) => backoff(retries),
            Retry::WhenLoaded => backoff(looks),
        };
        if again == Retry::WhenLoaded {
            looks += 1;
            loading = loading.saturating_add(wait);
        } else {
            retries += 1;
        }
        heard.begin_request(0);
        env.delay(DelayReason::Retry(wait)).await;
    }
}

async fn send_once<R: ResponseReader>(
    env: &HttpEnv,
    limits: Timeouts,
    post: &Post<'_>,
    heard: &mut UsageCountingListener<'_>,
    reading: &mut R,
) -> Result<(), AttemptError> {
    let who = post.service;
    let stalled = || who.stalled_error(limits.stall);
    // Token timeout; other data does not restart it.
    let mut silence = env.delay(DelayReason::Stall(limits.stall));
    let mut response = until_stalled(&mut silence, send(env, post)).await.ok_or_else(stalled)??;
    let status = response.status();
    // Also if the client follows redirects.
    if status.is_redirection() {
        return Err(who.redirect_error());
    }
    if !status.is_success() {
        let headers = std::mem::take(response.headers_mut());
        let mut body = Vec::new();
        // An incomplete error response is still an error.
        while let Some(Ok(Some(chunk))) = until_stalled(&mut silence, response.chunk()).await {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_ERROR_BODY_BYTES {
                break;
            }
        }
        return Err(retry::apply_retry_headers(
            R::status_error(who, status, &body),
            status,
            &headers,
            env.now(),
        ));
    }
    if !is_stream(response.headers()) {
        return Err(AttemptError::permanent(who.invalid_response()));
    }
    let mut events = EventReader::default();
    while !reading.is_done() {
        let chunk = until_stalled(&mut silence, response.chunk()).await.ok_or_else(stalled)?;
        let chunk = match chunk {
            Ok(Some(chunk)) => chunk,
            Ok(None) | Err(_) if reading.can_end() => return Ok(()),
            Ok(None) => return Err(who.truncated_error()),
            Err(error) => return Err(who.body_failed(&error, limits.stall)),
        };
        let before = heard.output_bytes;
        let told = events.push_bytes(&chunk, |event| {
            // Data after the end is ignored.
            if reading.is_done() {
                Ok(())
            } else {
                reading.handle_event(event, heard).map_err(StreamError::Attempt)
            }
        });
        told.map_err(|trouble| match trouble {
            StreamError::TooLarge => AttemptError::permanent(who.too_large()),
            StreamError::Attempt(setback) => setback,
        })?;
        heard.report_usage();
        if heard.output_bytes > before {
            silence = env.delay(DelayReason::Stall(limits.stall));
        } else if !reading.is_done() {
            // Check the timeout also while data keeps arriving.
            tokio::select! {
                biased;
                () = &mut silence => return Err(stalled()),
                () = std::future::ready(()) => {}
            }
        }
    }
    Ok(())
}

enum StreamError {
    TooLarge,
    Attempt(AttemptError),
}

impl From<TooLargeError> for StreamError {
    fn from(_: TooLargeError) -> Self {
        Self::TooLarge
    }
}

async fn send(env: &HttpEnv, post: &Post<'_>) -> Result<Response, AttemptError> {
    let mut url = post.address.join(post.path);
    let headers = post.all_headers();
    let pinned = post.address.resolve_and_check(env).await.map_err(|unchecked| match unchecked {
        ResolveHostError::Forbidden(refused) => {
            AttemptError::permanent(ModelError::new(ModelErrorKind::Address, refused.to_string()))
        }
        ResolveHostError::Unresolved => AttemptError::retryable(post.service.unreachable()),
    })?;
    // The `Host` header keeps the name.
    if let Some(ip) = pinned
        && url.set_ip_host(ip).is_err()
    {
        return Err(AttemptError::retryable(post.service.unreachable()));
    }
    let request = env.client().post(url).headers(headers).body(post.body.clone());
    request.send().await.map_err(|error| post.service.send_failed(&error))
}

async fn until_stalled<T>(silence: &mut DelayFuture, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        done = work => Some(done),
        () = silence => None,
    }
}

fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream")
}

/// A sensitive header value; `None` for an invalid key.
pub(super) fn authorization(key: &SecretString) -> Option<HeaderValue> {
    let key = key.expose_secret().trim();
    let sound = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
    let mut value = HeaderValue::try_from(format!("Bearer {key}")).ok().filter(|_| sound)?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_made_of_a_key_does_not_print_it() {
        let header = authorization(&" sk-ant-abc ".into()).unwrap();
        assert_eq!(header.to_str().unwrap(), "Bearer sk-ant-abc");
        assert!(!format!("{header:?}").contains("sk-ant"));
        for bad in ["", "  ", "a b", "a\nb", "schlüssel"] {
            assert_eq!(authorization(&bad.into()), None);
        }
    }
}
