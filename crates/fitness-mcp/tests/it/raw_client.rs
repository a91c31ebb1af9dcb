//! Clients made by hand, so that a test sees every byte.

use bytes::Bytes;
use fitness_mcp::testkit::{Memory, prompts};
use fitness_mcp::{Endpoint, Guest, HttpConfig, Scope, ServeError, http_service, serve_on};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

pub(crate) const MODERN: &str = "2026-07-28";
pub(crate) const OLD: &str = "2025-11-25";
pub(crate) const BASE: &str = "http://127.0.0.1:8787";

/// An athlete with a brief.
pub(crate) fn athlete(name: &str) -> Arc<Memory> {
    Arc::new(Memory::new(name).with_brief(&format!("# Good morning, {name}")))
}

pub(crate) fn endpoint() -> Endpoint {
    http_service(prompts(), HttpConfig { base_url: BASE.to_owned(), ..HttpConfig::default() })
}

/// What came back over HTTP.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("{self:?}"))
    }

    pub(crate) fn result(&self) -> Value {
        let json = self.json();
        assert!(json.get("error").is_none(), "{json}");
        json["result"].clone()
    }

    pub(crate) fn code(&self) -> i64 {
        self.json()["error"]["code"].as_i64().unwrap_or_else(|| panic!("{self:?}"))
    }
}

/// A request as a client of the endpoint makes it; headers given here replace the usual ones, an empty one leaves it out.
pub(crate) async fn send(
    endpoint: &Endpoint,
    guest: Option<&Guest>,
    method: &str,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Reply {
    let mut request =
        Request::builder().method(method).uri("/mcp").body(Full::new(body.into())).expect("a request");
    let usual = [
        ("host", "127.0.0.1:8787"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ];
    for (name, value) in usual.iter().chain(headers) {
        let name: http::HeaderName = name.parse().unwrap();
        request.headers_mut().remove(&name);
        if !value.is_empty() {
            request.headers_mut().insert(name, value.parse().unwrap());
        }
    }
    if let Some(guest) = guest {
        request.extensions_mut().insert(guest.clone());
    }
    let reply = endpoint.handle(request).await;
    let (parts, body) = reply.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    Reply { status: parts.status, headers: parts.headers, text: String::from_utf8(body.to_vec()).unwrap() }
}

pub(crate) fn message(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// The same as a client of the present protocol says it.
pub(crate) fn modern_message(method: &str, params: &Value) -> Value {
    let mut message = message(method, params);
    message["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    });
    message
}

/// Asks as a client of before 2026-07-28.
pub(crate) async fn ask_old(endpoint: &Endpoint, guest: &Guest, method: &str, params: Value) -> Reply {
    let headers = [("mcp-protocol-version", OLD)];
    send(endpoint, Some(guest), "POST", &headers, message(method, &params).to_string()).await
}

/// Asks as a client of 2026-07-28.
pub(crate) async fn ask(endpoint: &Endpoint, guest: &Guest, method: &str, params: Value) -> Reply {
    let name = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str).unwrap_or_default();
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", method), ("mcp-name", name)];
    let message = modern_message(method, &params).to_string();
    send(endpoint, Some(guest), "POST", &headers, message).await
}

/// Calls a tool over HTTP, as a client of 2026-07-28.
pub(crate) async fn call(endpoint: &Endpoint, guest: &Guest, tool: &str, input: Value) -> Value {
    ask(endpoint, guest, "tools/call", json!({ "name": tool, "arguments": input })).await.result()
}

/// A client over a pair of pipes.
pub(crate) struct Pipes {
    write: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    server: JoinHandle<Result<(), ServeError>>,
}

impl Pipes {
    pub(crate) fn open(memory: &Arc<Memory>, scope: Scope) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (read, write) = tokio::io::split(theirs);
        let server = tokio::spawn(serve_on(memory.guest(scope), prompts(), read, write));
        let (read, write) = tokio::io::split(ours);
        Self { write, lines: BufReader::new(read).lines(), server }
    }

    /// Begins as a client of before 2026-07-28 does.
    pub(crate) async fn open_old(memory: &Arc<Memory>, scope: Scope) -> Self {
        let mut pipes = Self::open(memory, scope);
        let hello = json!({
            "protocolVersion": OLD, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
        });
        let reply = pipes.ask(&message("initialize", &hello)).await;
        assert_eq!(reply["result"]["protocolVersion"], OLD, "{reply}");
        pipes.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string()).await;
        pipes
    }

    pub(crate) async fn say(&mut self, line: &str) {
        self.say_bytes(line.as_bytes()).await;
    }

    pub(crate) async fn say_bytes(&mut self, line: &[u8]) {
        self.write.write_all(line).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    pub(crate) async fn hear(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap().expect("the server is there");
        serde_json::from_str(&line).unwrap()
    }

    pub(crate) async fn ask(&mut self, message: &Value) -> Value {
        self.say(&message.to_string()).await;
        self.hear().await
    }

    /// Closes the client's end and waits for the server to be done.
    pub(crate) async fn close(mut self) -> Result<(), ServeError> {
        self.write.shutdown().await.unwrap();
        drop((self.write, self.lines));
        self.server.await.unwrap()
    }
}

/// Says that a test is skipped and why, and lets `./check` count it.
pub(crate) fn skip(name: &str, reason: &str) {
    eprintln!("SKIPPED {name}: {reason}");
    if let Some(path) = std::env::var_os("FITNESS_SKIPS") {
        let mut list = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(list, "{name}: {reason}").unwrap();
    }
}
