//! A small HTTP/1.1 server that can misbehave at a chosen byte, which no well-behaved library allows.

use super::fake_clock::FakeClock;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// A request that was answered, without anything secret.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRequest {
    /// Such as `POST`.
    pub method: String,
    /// The path.
    pub path: String,
    /// Every header but those that carry keys.
    pub headers: BTreeMap<String, String>,
    /// What was sent, as text.
    pub raw_body: String,
    /// The same as JSON; null where it is none.
    pub body: Value,
    /// What it was answered with.
    pub status: u16,
}

#[derive(Debug)]
pub(super) struct ReceivedRequest {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) steps: Vec<Step>,
}

/// What is done for a response, in order. After the last step the body ends as it should.
#[derive(Debug)]
pub(super) enum Step {
    Send(Vec<u8>),
    /// Sends nothing any more, with the connection open.
    Stall,
    /// Ends the connection in the middle of the body.
    Cut,
    /// Sends this again and again: so many times, or until the other side has gone.
    Repeat(Vec<u8>, usize),
    /// Sends this without end, slowly; says after a while what is late.
    Drip(Vec<u8>, LatePart),
}

/// What does not come in time.
#[derive(Debug, Clone, Copy)]
pub(super) enum LatePart {
    /// The next token.
    Token,
    /// The end of the answer.
    End,
}

impl Response {
    pub(super) fn json(status: u16, value: &Value) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        Self { status, headers, steps: vec![Step::Send(value.to_string().into_bytes())] }
    }

    pub(super) fn stream(steps: Vec<Step>) -> Self {
        let headers = vec![("content-type", "text/event-stream; charset=utf-8".to_owned())];
        Self { status: 200, headers, steps }
    }

    /// Never answers.
    pub(super) fn silence() -> Self {
        Self { status: 0, headers: Vec::new(), steps: vec![Step::Stall] }
    }
}

pub(super) trait Service: Send + 'static {
    fn handle(&mut self, request: &ReceivedRequest) -> Response;
}

#[derive(Debug)]
struct State<S> {
    service: S,
    requests: Vec<RecordedRequest>,
}

/// A server that ends when it is dropped.
#[derive(Debug)]
pub(super) struct Server<S> {
    address: String,
    state: Arc<Mutex<State<S>>>,
    pub(super) clock: FakeClock,
    disconnects: Arc<Semaphore>,
    task: JoinHandle<()>,
}

impl<S> Drop for Server<S> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl<S: Service> Server<S> {
    pub(super) async fn start(service: S) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
        let address = format!("http://{}", listener.local_addr().expect("a bound socket has an address"));
        let state = Arc::new(Mutex::new(State { service, requests: Vec::new() }));
        let (time, gone) = (FakeClock::new(), Arc::new(Semaphore::new(0)));
        let (shared, clock, left) = (Arc::clone(&state), time.clone(), Arc::clone(&gone));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared), clock.clone(), Arc::clone(&left)));
            }
        });
        Self { address, state, clock: time, disconnects: gone, task }
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    pub(super) fn requests(&self) -> Vec<RecordedRequest> {
        lock(&self.state).requests.clone()
    }

    /// Waits until a client has gone before it was sent everything.
    pub(super) async fn wait_for_disconnect(&self) {
        self.disconnects.acquire().await.expect("the semaphore is never closed").forget();
    }
}

fn lock<S>(state: &Mutex<State<S>>) -> MutexGuard<'_, State<S>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers one request. Every connection is used once.
async fn serve<S: Service>(
    mut stream: TcpStream,
    state: Arc<Mutex<State<S>>>,
    time: FakeClock,
    gone: Arc<Semaphore>,
) {
    let Some(request) = read(&mut stream).await else { return };
    let response = {
        let mut state = lock(&state);
        let response = state.service.handle(&request);
        state.requests.push(recorded_request(&request, response.status));
        response
    };
    let _ = stream.set_nodelay(true);
    if write(&mut stream, &response, &time).await == SendOutcome::Disconnected {
        gone.add_permits(1);
    }
}

/// What is remembered of a request.
fn recorded_request(request: &ReceivedRequest, status: u16) -> RecordedRequest {
    let secret = |name: &str| matches!(name, "authorization" | "x-api-key" | "cookie");
    let mut headers = request.headers.clone();
    headers.retain(|name, _| !secret(name));
    RecordedRequest {
        method: request.method.clone(),
        path: request.path.clone(),
        headers,
        raw_body: String::from_utf8_lossy(&request.body).into_owned(),
        body: serde_json::from_slice(&request.body).unwrap_or_default(),
        status,
    }
}

async fn read(stream: &mut TcpStream) -> Option<ReceivedRequest> {
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
    let path = target.split('?').next().unwrap_or_default().to_owned();
    Some(ReceivedRequest { method, path, headers, body: bytes[head + 4..].to_vec() })
}

#[derive(Debug, PartialEq, Eq)]
enum SendOutcome {
    Complete,
    Disconnected,
}

/// Sends a response, each step in one chunk or more.
async fn write(stream: &mut TcpStream, response: &Response, time: &FakeClock) -> SendOutcome {
    if response.status != 0 {
        let mut head = format!("HTTP/1.1 {} .\r\nconnection: close\r\n", response.status);
        for (name, value) in &response.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("transfer-encoding: chunked\r\n\r\n");
        if stream.write_all(head.as_bytes()).await.is_err() {
            return SendOutcome::Disconnected;
        }
    }
    for step in &response.steps {
        let sent = match step {
            Step::Send(bytes) => chunk(stream, bytes).await,
            Step::Stall => {
                time.stalls.add_permits(1);
                wait_for_close(stream).await;
                return SendOutcome::Disconnected;
            }
            Step::Cut => return SendOutcome::Complete,
            Step::Repeat(bytes, times) => {
                let mut sent = Ok(());
                for _ in 0..*times {
                    sent = chunk(stream, bytes).await;
                    if sent.is_err() {
                        break;
                    }
                }
                sent
            }
            Step::Drip(bytes, late) => {
                for drop in 0_usize.. {
                    if chunk(stream, bytes).await.is_err() {
                        break;
                    }
                    if drop == 50 {
                        match late {
                            LatePart::Token => time.stalls.add_permits(1),
                            LatePart::End => time.drips.add_permits(1),
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
    // The other side may have gone; that is its business.
    let _ = stream.write_all(b"0\r\n\r\n").await;
    let _ = stream.shutdown().await;
    SendOutcome::Complete
}

async fn chunk(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    // At once, or the second part would wait for the first to be acknowledged.
    let head = format!("{:x}\r\n", bytes.len());
    stream.write_all(&[head.as_bytes(), bytes, b"\r\n"].concat()).await
}

async fn wait_for_close(stream: &mut TcpStream) {
    let mut nothing = [0; 64];
    while stream.read(&mut nothing).await.is_ok_and(|read| read > 0) {}
}
