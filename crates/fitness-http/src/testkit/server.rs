//! A small HTTP/1.1 server that can fail at a chosen byte.

use super::fake_clock::{FakeClock, FiredTimeouts};
use fitness_core::domain::calendar::Instant;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// A way to fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misbehavior {
    /// Stalls after this many bytes of the body, with the connection open.
    Stall(usize),
    /// Never responds, with the connection open.
    Silence,
    /// Closes the connection after this many bytes, with a Content-Length.
    Cut(usize),
    /// The same without a Content-Length.
    CutUndeclared(usize),
    /// Status 429, with this `Retry-After`.
    Busy(Option<String>),
    /// A status with a web page.
    Page(u16),
    Redirect(String),
    /// Another body, with status 200.
    Body {
        bytes: Vec<u8>,
        /// Whether `Content-Encoding` says gzip.
        gzip: bool,
    },
    /// Calls [`RequestHandler::expire`] first.
    Expire,
}

/// A handled request, without headers that carry keys.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRequest {
    pub method: String,
    pub path: String,
    /// The path with its query.
    pub target: String,
    pub headers: BTreeMap<String, String>,
    pub raw_body: String,
    /// Null if the body is not JSON.
    pub body: Value,
    pub status: u16,
    /// Length of the complete response body.
    pub length: usize,
}

#[derive(Debug)]
pub struct ReceivedRequest {
    pub method: String,
    pub path: String,
    /// The path with its query.
    pub target: String,
    pub query: BTreeMap<String, String>,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    /// Number of concurrent requests, including this one.
    pub under_way: usize,
}

impl ReceivedRequest {
    /// Empty if there is none.
    #[must_use]
    pub fn authorization(&self) -> &str {
        self.headers.get("authorization").map_or("", String::as_str)
    }
}

/// How the end of the body is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyFraming {
    Chunked,
    ContentLength(usize),
    /// By the end of the connection.
    None,
}

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub framing: BodyFraming,
    pub steps: Vec<ResponseStep>,
}

/// A step of a response. After the last step the body ends normally.
#[derive(Debug)]
pub enum ResponseStep {
    Send(Vec<u8>),
    /// Sends nothing more, with the connection open, and fires the stall timeout.
    Stall,
    /// Closes the connection in the middle of the body.
    Cut,
    /// Sends this a number of times, or until the client disconnects.
    Repeat(Vec<u8>, usize),
    /// Sends this until the client disconnects, and fires a timeout after a while.
    Drip(Vec<u8>, LatePart),
}

/// What does not arrive in time.
#[derive(Debug, Clone, Copy)]
pub enum LatePart {
    Token,
    /// The end of the response.
    End,
}

impl Response {
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), framing: BodyFraming::ContentLength(0), steps: Vec::new() }
    }

    #[must_use]
    pub fn json(status: u16, value: &Value) -> Self {
        Self { status, ..Self::bytes("application/json;charset=UTF-8", value.to_string().into_bytes()) }
    }

    #[must_use]
    pub fn bytes(content_type: &str, body: Vec<u8>) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type", content_type.to_owned())],
            framing: BodyFraming::ContentLength(body.len()),
            steps: vec![ResponseStep::Send(body)],
        }
    }

    /// A stream of server-sent events.
    #[must_use]
    pub fn stream(steps: Vec<ResponseStep>) -> Self {
        let headers = vec![("content-type", "text/event-stream; charset=utf-8".to_owned())];
        Self { status: 200, headers, framing: BodyFraming::Chunked, steps }
    }

    /// Never responds. Status 0 means that not even a head is sent.
    #[must_use]
    pub fn silence() -> Self {
        Self { steps: vec![ResponseStep::Stall], ..Self::status(0) }
    }

    fn body_length(&self) -> usize {
        let length = |step: &ResponseStep| if let ResponseStep::Send(bytes) = step { bytes.len() } else { 0 };
        self.steps.iter().map(length).sum()
    }

    /// Ends the body after this many bytes.
    fn cut_at(&mut self, end: usize, then: ResponseStep) {
        let sent = |step: ResponseStep| if let ResponseStep::Send(bytes) = step { bytes } else { Vec::new() };
        let mut body: Vec<u8> = std::mem::take(&mut self.steps).into_iter().flat_map(sent).collect();
        body.truncate(end);
        self.steps = vec![ResponseStep::Send(body), then];
    }
}

pub trait RequestHandler: Send + 'static {
    fn handle(&mut self, request: &ReceivedRequest) -> Response;
    /// Makes the tokens that clients hold invalid.
    fn expire(&mut self) {}
}

#[derive(Debug)]
enum Trigger {
    /// The request with this number, counted from 1.
    RequestNumber(usize),
    /// Number of requests to a target that contains this.
    Target(String, usize),
}

#[derive(Debug)]
struct State<S> {
    service: S,
    recorded: Vec<RecordedRequest>,
    misbehaviors: Vec<(Trigger, Misbehavior)>,
    under_way: usize,
}

/// A server that stops when it is dropped.
#[derive(Debug)]
pub struct FakeServer<S> {
    address: String,
    state: Arc<Mutex<State<S>>>,
    timeouts: FiredTimeouts,
    disconnects: Arc<Semaphore>,
    task: JoinHandle<()>,
}

impl<S> Drop for FakeServer<S> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl<S: RequestHandler> FakeServer<S> {
    /// # Panics
    /// If loopback has no free port.
    pub async fn start(service: S) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
        let address = format!("http://{}", listener.local_addr().expect("a bound socket has an address"));
        let state = State { service, recorded: Vec::new(), misbehaviors: Vec::new(), under_way: 0 };
        let (state, disconnects) = (Arc::new(Mutex::new(state)), Arc::new(Semaphore::new(0)));
        let timeouts = FiredTimeouts::default();
        let task = tokio::spawn({
            let (state, timeouts, disconnects) =
                (Arc::clone(&state), timeouts.clone(), Arc::clone(&disconnects));
            async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(serve(
                        stream,
                        Arc::clone(&state),
                        timeouts.clone(),
                        Arc::clone(&disconnects),
                    ));
                }
            }
        });
        Self { address, state, timeouts, disconnects, task }
    }

    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// A fake clock whose timeouts this server fires.
    #[must_use]
    pub fn clock(&self, now: Instant) -> FakeClock {
        FakeClock::new(now, self.timeouts.clone())
    }

    /// All requests, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        lock(&self.state).recorded.clone()
    }

    pub fn with<T>(&self, work: impl FnOnce(&mut S) -> T) -> T {
        work(&mut lock(&self.state).service)
    }

    /// Fails at the request with this number, counted from 1.
    pub fn misbehave_at(&self, request: usize, misbehavior: Misbehavior) {
        lock(&self.state).misbehaviors.push((Trigger::RequestNumber(request), misbehavior));
    }

    /// Fails the next `times` requests whose target contains `part`.
    pub fn misbehave_on(&self, part: &str, times: usize, misbehavior: Misbehavior) {
        lock(&self.state).misbehaviors.push((Trigger::Target(part.to_owned(), times), misbehavior));
    }

    /// Waits until a client disconnects before it has received everything.
    ///
    /// # Panics
    /// Never: the semaphore is not closed.
    pub async fn wait_for_disconnect(&self) {
        self.disconnects.acquire().await.expect("the semaphore is never closed").forget();
    }
}

fn lock<S>(state: &Mutex<State<S>>) -> MutexGuard<'_, State<S>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Handles one request per connection.
async fn serve<S: RequestHandler>(
    mut stream: TcpStream,
    state: Arc<Mutex<State<S>>>,
    timeouts: FiredTimeouts,
    disconnects: Arc<Semaphore>,
) {
    let Some(mut request) = read_request(&mut stream).await else { return };
    let response = lock(&state).respond(&mut request);
    let _ = stream.set_nodelay(true);
    if write_response(&mut stream, &response, &timeouts).await == SendOutcome::Disconnected {
        disconnects.add_permits(1);
    }
    lock(&state).under_way -= 1;
}

impl<S: RequestHandler> State<S> {
    fn respond(&mut self, request: &mut ReceivedRequest) -> Response {
        self.under_way += 1;
        request.under_way = self.under_way;
        let mut response = match self.take_misbehavior(&request.target) {
            None => self.service.handle(request),
            Some(Misbehavior::Silence) => Response::silence(),
            Some(Misbehavior::Busy(after)) => Response {
                headers: after.into_iter().map(|after| ("retry-after", after)).collect(),
                ..Response::status(429)
            },
            Some(Misbehavior::Page(status)) => Response {
                status,
                ..Response::bytes("text/html", b"<html><body>secret-of-the-server</body></html>".to_vec())
            },
            Some(Misbehavior::Redirect(to)) => {
                Response { headers: vec![("location", to)], ..Response::status(302) }
            }
            Some(Misbehavior::Body { bytes, gzip }) => {
                let mut response = Response::bytes("application/json", bytes);
                if gzip {
                    response.headers.push(("content-encoding", "gzip".to_owned()));
                }
                response
            }
            Some(Misbehavior::Expire) => {
                self.service.expire();
                self.service.handle(request)
            }
            Some(Misbehavior::Stall(after)) => self.handle_and_cut(request, after, ResponseStep::Stall),
            Some(Misbehavior::Cut(after)) => self.handle_and_cut(request, after, ResponseStep::Cut),
            Some(Misbehavior::CutUndeclared(after)) => {
                let response = self.handle_and_cut(request, after, ResponseStep::Cut);
                Response { framing: BodyFraming::None, ..response }
            }
        };
        if response.status == 204 {
            response.framing = BodyFraming::None;
        }
        let length = match response.framing {
            BodyFraming::ContentLength(length) => length,
            BodyFraming::Chunked | BodyFraming::None => response.body_length(),
        };
        self.recorded.push(record(request, response.status, length));
        response
    }

    fn handle_and_cut(&mut self, request: &ReceivedRequest, end: usize, then: ResponseStep) -> Response {
        let mut response = self.service.handle(request);
        response.cut_at(end, then);
        response
    }

    fn take_misbehavior(&mut self, target: &str) -> Option<Misbehavior> {
        let number = self.recorded.len() + 1;
        self.misbehaviors.iter_mut().find_map(|(trigger, misbehavior)| match trigger {
            Trigger::RequestNumber(at) => (*at == number).then(|| misbehavior.clone()),
            Trigger::Target(part, times) if *times > 0 && target.contains(part.as_str()) => {
                *times -= 1;
                Some(misbehavior.clone())
            }
            Trigger::Target(..) => None,
        })
    }
}

fn record(request: &ReceivedRequest, status: u16, length: usize) -> RecordedRequest {
    let secret = |name: &str| matches!(name, "authorization" | "x-api-key" | "cookie");
    let mut headers = request.headers.clone();
    headers.retain(|name, _| !secret(name));
    RecordedRequest {
        method: request.method.clone(),
        path: request.path.clone(),
        target: request.target.clone(),
        headers,
        raw_body: String::from_utf8_lossy(&request.body).into_owned(),
        body: serde_json::from_slice(&request.body).unwrap_or_default(),
        status,
        length,
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<ReceivedRequest> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > 65_536 || stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let text = String::from_utf8(bytes[..head].to_vec()).ok()?;
    let mut lines = text.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length: usize = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while bytes.len() < head + 4 + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    Some(ReceivedRequest {
        method,
        path: path.to_owned(),
        query: pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        headers,
        body: bytes[head + 4..].to_vec(),
        under_way: 0,
        target,
    })
}

#[derive(Debug, PartialEq, Eq)]
enum SendOutcome {
    Complete,
    Disconnected,
}

async fn write_response(
    stream: &mut TcpStream,
    response: &Response,
    timeouts: &FiredTimeouts,
) -> SendOutcome {
    if response.status != 0 {
        let mut head = format!("HTTP/1.1 {} .\r\nconnection: close\r\n", response.status);
        for (name, value) in &response.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        match response.framing {
            BodyFraming::Chunked => head.push_str("transfer-encoding: chunked\r\n"),
            BodyFraming::ContentLength(length) => head.push_str(&format!("content-length: {length}\r\n")),
            BodyFraming::None => {}
        }
        head.push_str("\r\n");
        if stream.write_all(head.as_bytes()).await.is_err() {
            return SendOutcome::Disconnected;
        }
    }
    let chunked = response.framing == BodyFraming::Chunked;
    for step in &response.steps {
        let sent = match step {
            ResponseStep::Send(bytes) => write_part(stream, bytes, chunked).await,
            ResponseStep::Stall => {
                timeouts.stalls.add_permits(1);
                wait_for_close(stream).await;
                return SendOutcome::Disconnected;
            }
            ResponseStep::Cut => {
                let _ = stream.shutdown().await;
                return SendOutcome::Complete;
            }
            ResponseStep::Repeat(bytes, times) => {
                let mut sent = Ok(());
                for _ in 0..*times {
                    sent = write_part(stream, bytes, chunked).await;
                    if sent.is_err() {
                        break;
                    }
                }
                sent
            }
            ResponseStep::Drip(bytes, late) => {
                for count in 0_usize.. {
                    if write_part(stream, bytes, chunked).await.is_err() {
                        break;
                    }
                    if count == 50 {
                        match late {
                            LatePart::Token => timeouts.stalls.add_permits(1),
                            LatePart::End => timeouts.overall.add_permits(1),
                        }
                    }
                    tokio::task::yield_now().await;
                }
                return SendOutcome::Disconnected;
            }
        };
        if sent.is_err() {
            return SendOutcome::Disconnected;
        }
    }
    // The client may have disconnected.
    if chunked {
        let _ = stream.write_all(b"0\r\n\r\n").await;
    }
    let _ = stream.shutdown().await;
    SendOutcome::Complete
}

async fn write_part(stream: &mut TcpStream, bytes: &[u8], chunked: bool) -> std::io::Result<()> {
    match chunked {
        _ if bytes.is_empty() => Ok(()),
        false => stream.write_all(bytes).await,
        // In one write: a second one would wait for an acknowledgement of the first.
        true => {
            let head = format!("{:x}\r\n", bytes.len());
            stream.write_all(&[head.as_bytes(), bytes, b"\r\n"].concat()).await
        }
    }
}

async fn wait_for_close(stream: &mut TcpStream) {
    let mut ignored = [0; 64];
    while stream.read(&mut ignored).await.is_ok_and(|read| read > 0) {}
}
