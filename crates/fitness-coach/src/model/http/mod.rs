//! Asking a service for a stream of events, and asking again when that may help.
//!
//! At most [`MOST_RETRIES`] more tries, and none once the listener has heard a word: it would hear it twice. No redirect
//! is followed, no answer is believed to end, and nothing of what was sent or received gets into an error.

mod errors;
mod retry;

use super::endpoint_url::{Address, Unchecked};
use super::http_env::{Limits, Means, Wait, Waiting};
use super::sse::{Event, Reader, TooMuch};
use super::{Failing, Listener, ModelError, Usage};
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, USER_AGENT,
};
use reqwest::{Response, StatusCode};
use retry::backoff;
use secrecy::{ExposeSecret as _, SecretString};
use std::future::Future;
use std::time::Duration;

pub(super) use errors::Who;

/// How often a thing is asked for again.
const MOST_RETRIES: u32 = 2;
/// How long a server may load its model, and the longest a service is waited for because it asks for that.
const PATIENCE: Duration = Duration::from_secs(60);
/// So many bytes are about a token, where a service does not count them.
const BYTES_A_TOKEN: u64 = 4;
/// The longest refusal that is read.
const LONGEST_REFUSAL: usize = 1 << 16;

/// One request, ready to be sent.
#[derive(Debug)]
pub(super) struct Post<'a> {
    pub(super) who: &'a Who,
    pub(super) address: &'a Address,
    pub(super) path: &'static str,
    pub(super) headers: HeaderMap,
    pub(super) body: String,
}

/// Who asks, as every request says.
const AGENT: HeaderValue = HeaderValue::from_static(concat!("local-fitness/", env!("CARGO_PKG_VERSION")));

impl Post<'_> {
    /// Every header that leaves, in the order it is sent. Nothing is left for the client to add, so that what is shown is
    /// what is sent.
    fn sent_headers(&self) -> HeaderMap {
        let url = self.address.below(self.path);
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
        headers.insert(USER_AGENT, AGENT);
        headers.insert(CONTENT_LENGTH, HeaderValue::from(self.body.len()));
        headers
    }

    /// What is sent, byte for byte but for the key, after a line that says where to.
    pub(super) fn preview(&self) -> String {
        let url = self.address.below(self.path);
        let mut text = format!("To {url}\nPOST {} HTTP/1.1\n", url.path());
        for (name, value) in &self.sent_headers() {
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
pub(super) struct Setback {
    pub(super) error: ModelError,
    pub(super) again: Again,
}

/// Whether it helps to ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// It does not.
    Never,
    /// It may, after so long where the service says how long.
    Soon(Option<Duration>),
    /// It does, once the server has loaded its model.
    Loading,
}

impl Setback {
    pub(super) fn never(error: ModelError) -> Self {
        Self { error, again: Again::Never }
    }

    pub(super) fn soon(error: ModelError) -> Self {
        Self { error, again: Again::Soon(None) }
    }
}

/// The reader of one answer in one dialect.
pub(super) trait Reading {
    /// Another event of the answer.
    fn event(&mut self, event: Event, heard: &mut Heard<'_>) -> Result<(), Setback>;

    /// Whether nothing more is to come.
    fn is_done(&self) -> bool;

    /// Whether the answer is whole although its end was not announced.
    fn may_end(&self) -> bool {
        false
    }

    /// What a status that is no success means.
    fn refusal(who: &Who, status: StatusCode, body: &[u8]) -> Setback;
}

/// The listener, and what may be told about a request that did not end well.
pub(super) struct Heard<'a> {
    listener: &'a mut (dyn Listener + 'a),
    told: bool,
    before: Usage,
    /// What the answer under way took so far, as the service tells.
    pub(super) now: Usage,
    /// The bytes of the request that is under way.
    sent: u64,
    /// The bytes the model wrote for it: words, thoughts and calls.
    written: u64,
}

impl<'a> Heard<'a> {
    pub(super) fn new(listener: &'a mut (dyn Listener + 'a)) -> Self {
        let none = Usage::default();
        Self { listener, told: false, before: none, now: none, sent: 0, written: 0 }
    }

    pub(super) fn text(&mut self, more: &str) {
        if !more.is_empty() {
            self.told = true;
            self.listener.text(more);
        }
    }

    pub(super) fn call(&mut self, tool: &str) {
        self.told = true;
        self.listener.call(tool);
    }

    /// Thoughts may be heard twice.
    pub(super) fn thought(&mut self, more: &str) {
        if !more.is_empty() {
            self.listener.thought(more);
        }
    }

    /// What everything so far took, with the tries that failed.
    pub(super) fn spent(&self) -> Usage {
        self.before.and(self.now)
    }

    /// The model wrote so many bytes more, whether or not anybody hears them. Only this is a token: headers, comments and
    /// pings are signs of a service, not of a model.
    pub(super) fn wrote(&mut self, more: usize) {
        self.written = self.written.saturating_add(more as u64);
    }

    /// The same, estimated where the service has not told.
    fn so_far(&self) -> Usage {
        let mut now = self.now;
        if now.input == 0 && now.cache_read == 0 && now.cache_write == 0 {
            now.input = self.sent / BYTES_A_TOKEN;
        }
        now.output = now.output.max(self.written / BYTES_A_TOKEN);
        self.before.and(now)
    }

    /// What everything took, the answer under way being whole: what the service told, and what it did not tell estimated. A
    /// server that counts nothing does not answer for nothing.
    pub(super) fn whole(&self) -> Usage {
        let (estimated, mut now) = (self.so_far(), self.now);
        if now.input == 0 && now.cache_read == 0 && now.cache_write == 0 {
            now.input = self.sent / BYTES_A_TOKEN;
        }
        if now.output == 0 {
            now.output = estimated.output.saturating_sub(self.before.output);
        }
        self.before.and(now)
    }

    /// Something else is asked on the way, in so many bytes.
    pub(super) fn asks(&mut self, sent: usize) {
        self.begin(sent);
    }

    /// What was asked on the way is answered.
    pub(super) fn also(&mut self, spent: Usage) {
        self.before = self.before.and(spent);
        self.begin(0);
    }

    /// A request of so many bytes is on its way, or none any more.
    fn begin(&mut self, sent: usize) {
        self.before = self.spent();
        (self.now, self.sent, self.written) = (Usage::default(), sent as u64, 0);
        self.tell();
    }

    fn tell(&mut self) {
        let so_far = self.so_far();
        self.listener.took(so_far);
    }
}

/// Does some work within the overall limit, and says in an error what it took.
pub(super) async fn within<T>(
    means: &Means,
    limits: Limits,
    who: &Who,
    heard: &mut Heard<'_>,
    work: impl AsyncFnOnce(&mut Heard<'_>) -> Result<T, ModelError>,
) -> Result<T, ModelError> {
    let done = tokio::select! {
        biased;
        done = work(heard) => done,
        () = means.pause(Wait::Overall(limits.overall)) => Err(who.took_too_long(limits.overall)),
    };
    done.map_err(|error| {
        // What was refused took nothing; what began, or was waited for in vain, took what nobody told.
        let begun = heard.written > 0 || error.kind == Failing::Stalled;
        ModelError { spent: if begun { heard.so_far() } else { heard.spent() }, ..error }
    })
}

/// Asks, and reads the answer.
pub(super) async fn ask<R: Reading>(
    means: &Means,
    limits: Limits,
    post: &Post<'_>,
    heard: &mut Heard<'_>,
    new: impl Fn() -> R,
) -> Result<R, ModelError> {
    let (mut retries, mut looks, mut loading) = (0, 0, Duration::ZERO);
    loop {
        let mut reading = new();
        heard.begin(post.body.len());
        let Err(Setback { error, again }) = once(means, limits, post, heard, &mut reading).await else {
            return Ok(reading);
        };
        let wait = match again {
            Again::Never => return Err(error),
            _ if heard.told => return Err(error),
            Again::Soon(_) if retries >= MOST_RETRIES => return Err(error),
            Again::Soon(Some(asked)) if asked > PATIENCE => return Err(error),
            Again::Loading if loading >= PATIENCE => return Err(error),
            Again::Soon(Some(asked)) => asked,
            Again::Soon(None) => backoff(retries),
            Again::Loading => backoff(looks),
        };
        if again == Again::Loading {
            looks += 1;
            loading = loading.saturating_add(wait);
        } else {
            retries += 1;
        }
        heard.begin(0);
        means.pause(Wait::Again(wait)).await;
    }
}

async fn once<R: Reading>(
    means: &Means,
    limits: Limits,
    post: &Post<'_>,
    heard: &mut Heard<'_>,
    reading: &mut R,
) -> Result<(), Setback> {
    let who = post.who;
    let stalled = || who.stalled(limits.stall);
    // Runs from one token to the next: whatever else comes is no sign that the model writes.
    let mut silence = means.pause(Wait::Stall(limits.stall));
    let mut response = unless(&mut silence, send(means, post)).await.ok_or_else(stalled)??;
    let status = response.status();
    // Also when the client was built to follow them.
    if status.is_redirection() {
        return Err(who.redirects());
    }
    if !status.is_success() {
        let headers = std::mem::take(response.headers_mut());
        let mut body = Vec::new();
        // A refusal that does not come whole is one all the same.
        while let Some(Ok(Some(chunk))) = unless(&mut silence, response.chunk()).await {
            body.extend_from_slice(&chunk);
            if body.len() > LONGEST_REFUSAL {
                break;
            }
        }
        return Err(retry::advised(R::refusal(who, status, &body), status, &headers, means.now()));
    }
    if !is_stream(response.headers()) {
        return Err(Setback::never(who.garbled()));
    }
    let mut events = Reader::default();
    while !reading.is_done() {
        let chunk = unless(&mut silence, response.chunk()).await.ok_or_else(stalled)?;
        let chunk = match chunk {
            Ok(Some(chunk)) => chunk,
            Ok(None) | Err(_) if reading.may_end() => return Ok(()),
            Ok(None) => return Err(who.ended()),
            Err(error) => return Err(who.broke(&error, limits.stall)),
        };
        let before = heard.written;
        let told = events.take(&chunk, |event| {
            // What comes after the end is nothing.
            if reading.is_done() { Ok(()) } else { reading.event(event, heard).map_err(Trouble::Setback) }
        });
        told.map_err(|trouble| match trouble {
            Trouble::TooMuch => Setback::never(who.too_much()),
            Trouble::Setback(setback) => setback,
        })?;
        heard.tell();
        if heard.written > before {
            silence = means.pause(Wait::Stall(limits.stall));
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

enum Trouble {
    TooMuch,
    Setback(Setback),
}

impl From<TooMuch> for Trouble {
    fn from(_: TooMuch) -> Self {
        Self::TooMuch
    }
}

async fn send(means: &Means, post: &Post<'_>) -> Result<Response, Setback> {
    let mut url = post.address.below(post.path);
    let headers = post.sent_headers();
    let pinned = post.address.check_now(means).await.map_err(|unchecked| match unchecked {
        Unchecked::Refused(refused) => Setback::never(ModelError::new(Failing::Address, refused.to_string())),
        Unchecked::NoAnswer => Setback::soon(post.who.unreachable()),
    })?;
    // The host's name stays in its header.
    if let Some(ip) = pinned
        && url.set_ip_host(ip).is_err()
    {
        return Err(Setback::soon(post.who.unreachable()));
    }
    let request = means.client.post(url).headers(headers).body(post.body.clone());
    request.send().await.map_err(|error| post.who.unanswered(&error))
}

/// `None` when no token came for too long.
async fn unless<T>(silence: &mut Waiting, work: impl Future<Output = T>) -> Option<T> {
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
