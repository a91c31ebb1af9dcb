//! A small HTTP/1.1 server that can misbehave at a chosen byte, which no well-behaved library allows.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// A way to fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misbehavior {
    /// Sends so many bytes of the body and then nothing, with the connection open.
    Stall(usize),
    /// Never answers, with the connection open.
    Silence,
    /// Ends the connection after so many bytes of a body whose length was declared.
    Cut(usize),
    /// The same, with a body that ends where the connection does.
    CutUndeclared(usize),
    /// Status 429, with this `Retry-After`.
    Busy(Option<String>),
    /// A status with a web page.
    Page(u16),
    /// A redirect to somewhere.
    Redirect(String),
    /// A body of its own, with status 200 and packed with gzip when it says so.
    Body {
        /// What is sent.
        bytes: Vec<u8>,
        /// Whether it is declared to be packed.
        gzip: bool,
    },
    /// From now on all tokens given out before are expired.
    Expire,
}

/// A request that was answered, without anything secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedRequest {
    /// Such as `GET`.
    pub method: String,
    /// The path with its query.
    pub target: String,
    /// What it was answered with.
    pub status: u16,
    /// How long the body would have been, had all of it been sent.
    pub length: usize,
}

#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) path: String,
    pub(super) query: BTreeMap<String, String>,
    pub(super) authorization: String,
    pub(super) body: Vec<u8>,
    /// How many are being answered, this one included.
    pub(super) under_way: usize,
}

#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
}

impl Response {
    pub(super) fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new() }
    }

    pub(super) fn json(value: &serde_json::Value) -> Self {
        let headers = vec![("Content-Type", "application/json;charset=UTF-8".to_owned())];
        Self { status: 200, headers, body: value.to_string().into_bytes() }
    }

    pub(super) fn bytes(kind: &str, body: Vec<u8>) -> Self {
        Self { status: 200, headers: vec![("Content-Type", kind.to_owned())], body }
    }
}

pub(super) trait Service: Send + 'static {
    fn handle(&mut self, request: &Request) -> Response;
    fn expire(&mut self) {}
}

#[derive(Debug)]
enum Trigger {
    /// The request with this number, counted from 1.
    RequestNumber(usize),
    /// So many requests to a path that has this in it.
    Path(String, usize),
}

#[derive(Debug)]
struct State<S> {
    service: S,
    recorded: Vec<RecordedRequest>,
    misbehaviors: Vec<(Trigger, Misbehavior)>,
    requests: usize,
    under_way: usize,
}

/// A server that ends when it is dropped.
#[derive(Debug)]
pub(super) struct Server<S> {
    address: String,
    state: Arc<Mutex<State<S>>>,
    pub(super) stalls: Arc<Semaphore>,
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
        let state =
            State { service, recorded: Vec::new(), misbehaviors: Vec::new(), requests: 0, under_way: 0 };
        let (state, stalls) = (Arc::new(Mutex::new(state)), Arc::new(Semaphore::new(0)));
        let (shared, signal) = (Arc::clone(&state), Arc::clone(&stalls));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared), Arc::clone(&signal)));
            }
        });
        Self { address, state, stalls, task }
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    pub(super) fn requests(&self) -> Vec<RecordedRequest> {
        lock(&self.state).recorded.clone()
    }

    pub(super) fn with<T>(&self, work: impl FnOnce(&mut S) -> T) -> T {
        work(&mut lock(&self.state).service)
    }

    pub(super) fn misbehave_at(&self, request: usize, bad: Misbehavior) {
        lock(&self.state).misbehaviors.push((Trigger::RequestNumber(request), bad));
    }

    pub(super) fn misbehave_on(&self, part: &str, times: usize, bad: Misbehavior) {
        lock(&self.state).misbehaviors.push((Trigger::Path(part.to_owned(), times), bad));
    }
}

fn lock<S>(state: &Mutex<State<S>>) -> MutexGuard<'_, State<S>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers one request. Every connection is used once.
async fn serve<S: Service>(mut stream: TcpStream, state: Arc<Mutex<State<S>>>, stalls: Arc<Semaphore>) {
    let Some(mut request) = read(&mut stream).await else { return };
    let (response, bad) = {
        let mut state = lock(&state);
        state.requests += 1;
        state.under_way += 1;
        request.under_way = state.under_way;
        let bad = state.take_misbehavior(&request.target);
        let response = match &bad {
            Some(Misbehavior::Busy(after)) => Response {
                headers: after.iter().map(|after| ("Retry-After", after.clone())).collect(),
                ..Response::status(429)
            },
            Some(Misbehavior::Page(status)) => Response {
                status: *status,
                ..Response::bytes("text/html", b"<html><body>secret-of-the-server</body></html>".to_vec())
            },
            Some(Misbehavior::Redirect(to)) => {
                Response { headers: vec![("Location", to.clone())], ..Response::status(302) }
            }
            Some(Misbehavior::Body { bytes, gzip }) => {
                let mut response = Response::bytes("application/json", bytes.clone());
                if *gzip {
                    response.headers.push(("Content-Encoding", "gzip".to_owned()));
                }
                response
            }
            Some(Misbehavior::Expire) => {
                state.service.expire();
                state.service.handle(&request)
            }
            _ => state.service.handle(&request),
        };
        let seen = RecordedRequest {
            method: request.method.clone(),
            target: request.target.clone(),
            status: response.status,
            length: response.body.len(),
        };
        state.recorded.push(seen);
        (response, bad)
    };
    let stays_open = write(&mut stream, &response, bad.as_ref()).await;
    if stays_open {
        stalls.add_permits(1);
        let mut nothing = [0; 64];
        while stream.read(&mut nothing).await.is_ok_and(|read| read > 0) {}
    }
    lock(&state).under_way -= 1;
}

impl<S> State<S> {
    fn take_misbehavior(&mut self, target: &str) -> Option<Misbehavior> {
        let number = self.requests;
        let (_, bad) = self
            .misbehaviors
            .iter_mut()
            .find(|(when, _)| match when {
                Trigger::RequestNumber(at) => *at == number,
                Trigger::Path(part, times) => *times > 0 && target.contains(part.as_str()),
            })
            .map(|(when, bad)| {
                if let Trigger::Path(_, times) = when {
                    *times -= 1;
                }
                (when, bad)
            })?;
        Some(bad.clone())
    }
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
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
    let header = |wanted: &str| {
        let named =
            |line: &&str| line.split_once(':').is_some_and(|(name, _)| name.eq_ignore_ascii_case(wanted));
        text.split("\r\n").find(named).and_then(|line| Some(line.split_once(':')?.1.trim().to_owned()))
    };
    let length: usize = header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while bytes.len() < head + 4 + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    Some(Request {
        path: path.to_owned(),
        query: pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        authorization: header("authorization").unwrap_or_default(),
        body: bytes[head + 4..].to_vec(),
        under_way: 0,
        method,
        target,
    })
}

/// Sends a response, or the part of it that is to be sent; `true` when the connection is to stay open after that.
async fn write(stream: &mut TcpStream, response: &Response, bad: Option<&Misbehavior>) -> bool {
    let (sent, declared, stays_open) = match bad {
        Some(Misbehavior::Silence) => return true,
        Some(Misbehavior::Stall(after)) => (*after, true, true),
        Some(Misbehavior::Cut(after)) => (*after, true, false),
        Some(Misbehavior::CutUndeclared(after)) => (*after, false, false),
        _ => (response.body.len(), true, false),
    };
    let mut head = format!("HTTP/1.1 {} .\r\nConnection: close\r\n", response.status);
    for (name, value) in &response.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if declared && response.status != 204 {
        head.push_str(&format!("Content-Length: {}\r\n", response.body.len()));
    }
    head.push_str("\r\n");
    let body = &response.body[..sent.min(response.body.len())];
    // At once, or the second part would wait for the first to be acknowledged. The other side may have gone; that is
    // its business.
    let _ = stream.write_all(&[head.as_bytes(), body].concat()).await;
    let _ = stream.flush().await;
    if !stays_open {
        let _ = stream.shutdown().await;
    }
    stays_open
}
