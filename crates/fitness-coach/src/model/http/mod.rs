//! Asking a service for a stream of events, and asking again when that may help.
//!
//! At most [`MOST_RETRIES`] more tries, and none once the listener has heard a word: it would hear it twice. No redirect
//! is followed, no answer is believed to end, and nothing of what was sent or received gets into an error.

mod errors;
mod retry;

use super::endpoint_url::{EndpointUrl, ResolveError};
use super::http_env::{Delay, DelayFuture, HttpEnv, Timeouts};
use super::sse::{Event, EventReader, TooLargeError};
use super::{Listener, ModelError, ModelErrorKind, Usage};
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, USER_AGENT,
};
use reqwest::{Response, StatusCode};
use retry::backoff;
use secrecy::{ExposeSecret as _, SecretString};
use std::future::Future;
use std::time::Duration;

pub(super) use errors::ServiceInfo;

/// How often a thing is asked for again.
const MAX_RETRIES: u32 = 2;
/// How long a server may load its model, and the longest a service is waited for because it asks for that.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// So many bytes are about a token, where a service does not count them.
const BYTES_PER_TOKEN: u64 = 4;
/// The longest refusal that is read.
const MAX_ERROR_BODY_BYTES: usize = 1 << 16;

/// One request, ready to be sent.
#[derive(Debug)]
pub(super) struct Post<'a> {
    pub(super) service: &'a ServiceInfo,
    pub(super) address: &'a EndpointUrl,
    pub(super) path: &'static str,
    pub(super) headers: HeaderMap,
    pub(super) body: String,
}

/// Who asks, as every request says.
const USER_AGENT_VALUE: HeaderValue =
    HeaderValue::from_static(concat!("local-fitness/", env!("CARGO_PKG_VERSION")));

impl Post<'_> {
    /// Every header that leaves, in the order it is sent. Nothing is left for the client to add, so that what is shown is
    /// what is sent.
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
        // Words that are heard as they come are not packed.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        headers.insert(USER_AGENT, USER_AGENT_VALUE);
        headers.insert(CONTENT_LENGTH, HeaderValue::from(self.body.len()));
        headers
    }

    /// What is sent, byte for byte but for the key, after a line that says where to.
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

/// What went wrong with one try.
#[derive(Debug)]
pub(super) struct AttemptError {
    pub(super) error: ModelError,
    pub(super) retry: Retry,
}

/// Whether it helps to ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    /// It does not.
    Never,
    /// It may, after so long where the service says how long.
    AfterDelay(Option<Duration>),
    /// It does, once the server has loaded its model.
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

/// The reader of one answer in one dialect.
pub(super) trait ResponseReader {
    /// Another event of the answer.
    fn handle_event(&mut self, event: Event, heard: &mut ResponseTracker<'_>) -> Result<(), AttemptError>;

    /// Whether nothing more is to come.
    fn is_done(&self) -> bool;

    /// Whether the answer is whole although its end was not announced.
    fn can_end(&self) -> bool {
        false
    }

    /// What a status that is no success means.
    fn status_error(who: &ServiceInfo, status: StatusCode, body: &[u8]) -> AttemptError;
}

/// The listener, and what may be told about a request that did not end well.
pub(super) struct ResponseTracker<'a> {
    listener: &'a mut (dyn Listener + 'a),
    has_output: bool,
    earlier_usage: Usage,
    /// What the answer under way took so far, as the service tells.
    pub(super) usage: Usage,
    /// The bytes of the request that is under way.
    sent_bytes: u64,
    /// The bytes the model wrote for it: words, thoughts and calls.
    output_bytes: u64,
}

impl<'a> ResponseTracker<'a> {
    pub(super) fn new(listener: &'a mut (dyn Listener + 'a)) -> Self {
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

    /// Thoughts may be heard twice.
    pub(super) fn thought(&mut self, more: &str) {
        if !more.is_empty() {
            self.listener.thought(more);
        }
    }

    /// What everything so far took, with the tries that failed.
    pub(super) fn reported_usage(&self) -> Usage {
        self.earlier_usage.plus(self.usage)
    }

    /// The model wrote so many bytes more, whether or not anybody hears them. Only this is a token: headers, comments and
    /// pings are signs of a service, not of a model.
    pub(super) fn add_output_bytes(&mut self, more: usize) {
        self.output_bytes = self.output_bytes.saturating_add(more as u64);
    }

    /// The same, estimated where the service has not told.
    fn estimated_usage(&self) -> Usage {
        let mut now = self.usage;
        if now.input == 0 && now.cache_read == 0 && now.cache_write == 0 {
            now.input = self.sent_bytes / BYTES_PER_TOKEN;
        }
        now.output = now.output.max(self.output_bytes / BYTES_PER_TOKEN);
        self.earlier_usage.plus(now)
    }

    /// What everything took, the answer under way being whole: what the service told, and what it did not tell estimated. A
    /// server that counts nothing does not answer for nothing.
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

    /// Something else is asked on the way, in so many bytes.
    pub(super) fn begin_side_request(&mut self, sent: usize) {
        self.begin_request(sent);
    }

    /// What was asked on the way is answered.
    pub(super) fn end_side_request(&mut self, spent: Usage) {
        self.earlier_usage = self.earlier_usage.plus(spent);
        self.begin_request(0);
    }

    /// A request of so many bytes is on its way, or none any more.
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

/// Does some work within the overall limit, and says in an error what it took.
pub(super) async fn with_timeout<T>(
    means: &HttpEnv,
    limits: Timeouts,
    who: &ServiceInfo,
    heard: &mut ResponseTracker<'_>,
    work: impl AsyncFnOnce(&mut ResponseTracker<'_>) -> Result<T, ModelError>,
) -> Result<T, ModelError> {
    let done = tokio::select! {
        biased;
        done = work(heard) => done,
        () = means.delay(Delay::Overall(limits.overall)) => Err(who.timed_out(limits.overall)),
    };
    done.map_err(|error| {
        // What was refused took nothing; what began, or was waited for in vain, took what nobody told.
        let begun = heard.output_bytes > 0 || error.kind == ModelErrorKind::Stalled;
        ModelError { usage: if begun { heard.estimated_usage() } else { heard.reported_usage() }, ..error }
    })
}

/// Asks, and reads the answer.
pub(super) async fn send_with_retries<R: ResponseReader>(
    means: &HttpEnv,
    limits: Timeouts,
    post: &Post<'_>,
    heard: &mut ResponseTracker<'_>,
    new: impl Fn() -> R,
) -> Result<R, ModelError> {
    let (mut retries, mut looks, mut loading) = (0, 0, Duration::ZERO);
    loop {
        let mut reading = new();
        heard.begin_request(post.body.len());
        let Err(AttemptError { error, retry: again }) =
            send_once(means, limits, post, heard, &mut reading).await
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
        means.delay(Delay::Retry(wait)).await;
    }
}

async fn send_once<R: ResponseReader>(
    means: &HttpEnv,
    limits: Timeouts,
    post: &Post<'_>,
    heard: &mut ResponseTracker<'_>,
    reading: &mut R,
) -> Result<(), AttemptError> {
    let who = post.service;
    let stalled = || who.stalled(limits.stall);
    // Runs from one token to the next: whatever else comes is no sign that the model writes.
    let mut silence = means.delay(Delay::Stall(limits.stall));
    let mut response = until_stalled(&mut silence, send(means, post)).await.ok_or_else(stalled)??;
    let status = response.status();
    // Also when the client was built to follow them.
    if status.is_redirection() {
        return Err(who.redirected());
    }
    if !status.is_success() {
        let headers = std::mem::take(response.headers_mut());
        let mut body = Vec::new();
        // A refusal that does not come whole is one all the same.
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
            means.now(),
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
            Ok(None) => return Err(who.truncated()),
            Err(error) => return Err(who.body_failed(&error, limits.stall)),
        };
        let before = heard.output_bytes;
        let told = events.push_bytes(&chunk, |event| {
            // What comes after the end is nothing.
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
            silence = means.delay(Delay::Stall(limits.stall));
        } else if !reading.is_done() {
            // Bytes that come without a pause do not hide that the time is over.
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

async fn send(means: &HttpEnv, post: &Post<'_>) -> Result<Response, AttemptError> {
    let mut url = post.address.join(post.path);
    let headers = post.all_headers();
    let pinned = post.address.resolve_and_check(means).await.map_err(|unchecked| match unchecked {
        ResolveError::Forbidden(refused) => {
            AttemptError::permanent(ModelError::new(ModelErrorKind::Address, refused.to_string()))
        }
        ResolveError::Unresolved => AttemptError::retryable(post.service.unreachable()),
    })?;
    // The host's name stays in its header.
    if let Some(ip) = pinned
        && url.set_ip_host(ip).is_err()
    {
        return Err(AttemptError::retryable(post.service.unreachable()));
    }
    let request = means.client.post(url).headers(headers).body(post.body.clone());
    request.send().await.map_err(|error| post.service.send_failed(&error))
}

/// `None` when no token came for too long.
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

/// An `Authorization` header that is never printed; `None` for what cannot be a key.
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
