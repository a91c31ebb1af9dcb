//! Hand-written HTTP and stdio clients, so that tests control every byte.

use bytes::Bytes;
use fitness_mcp::testkit::{InMemoryAthlete, prompts};
use fitness_mcp::{Endpoint, HttpConfig, McpClient, Scope, ServeError, http_service, serve_streams};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

pub(crate) const CURRENT_VERSION: &str = "2026-07-28";
pub(crate) const OLD_VERSION: &str = "2025-11-25";
pub(crate) const BASE_URL: &str = "http://127.0.0.1:8787";

/// An athlete with a brief.
pub(crate) fn athlete(name: &str) -> Arc<InMemoryAthlete> {
    Arc::new(InMemoryAthlete::new(name).with_brief(&format!("# Good morning, {name}")))
}

pub(crate) fn endpoint() -> Endpoint {
    http_service(prompts(), HttpConfig { base_url: BASE_URL.to_owned(), ..HttpConfig::default() })
}

#[derive(Debug)]
pub(crate) struct HttpReply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl HttpReply {
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

/// Sends a request. `headers` override the default ones; an empty value removes a header.
pub(crate) async fn send(
    endpoint: &Endpoint,
    guest: Option<&McpClient>,
    method: &str,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> HttpReply {
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
    HttpReply {
        status: parts.status,
        headers: parts.headers,
        text: String::from_utf8(body.to_vec()).unwrap(),
    }
}

pub(crate) fn message(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// A message of protocol 2026-07-28.
pub(crate) fn modern_message(method: &str, params: &Value) -> Value {
    let mut message = message(method, params);
    message["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": CURRENT_VERSION,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    });
    message
}

/// Sends a request of the older protocol.
pub(crate) async fn request_old(
    endpoint: &Endpoint,
    guest: &McpClient,
    method: &str,
    params: Value,
) -> HttpReply {
    let headers = [("mcp-protocol-version", OLD_VERSION)];
    send(endpoint, Some(guest), "POST", &headers, message(method, &params).to_string()).await
}

/// Sends a request of protocol 2026-07-28.
pub(crate) async fn request(
    endpoint: &Endpoint,
    guest: &McpClient,
    method: &str,
    params: Value,
) -> HttpReply {
    let name = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str).unwrap_or_default();
    let headers = [("mcp-protocol-version", CURRENT_VERSION), ("mcp-method", method), ("mcp-name", name)];
    let message = modern_message(method, &params).to_string();
    send(endpoint, Some(guest), "POST", &headers, message).await
}

/// Calls a tool with protocol 2026-07-28.
pub(crate) async fn call(endpoint: &Endpoint, guest: &McpClient, tool: &str, input: Value) -> Value {
    request(endpoint, guest, "tools/call", json!({ "name": tool, "arguments": input })).await.result()
}

/// A client of the stdio transport.
pub(crate) struct PipeClient {
    write: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    server: JoinHandle<Result<(), ServeError>>,
}

impl PipeClient {
    pub(crate) fn open(memory: &Arc<InMemoryAthlete>, scope: Scope) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (read, write) = tokio::io::split(theirs);
        let server = tokio::spawn(serve_streams(memory.client(scope), prompts(), read, write));
        let (read, write) = tokio::io::split(ours);
        Self { write, lines: BufReader::new(read).lines(), server }
    }

    /// Opens with the `initialize` handshake of the older protocol.
    pub(crate) async fn open_old(memory: &Arc<InMemoryAthlete>, scope: Scope) -> Self {
        let mut pipes = Self::open(memory, scope);
        let hello = json!({
            "protocolVersion": OLD_VERSION, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
        });
        let reply = pipes.request(&message("initialize", &hello)).await;
        assert_eq!(reply["result"]["protocolVersion"], OLD_VERSION, "{reply}");
        pipes
            .send_line(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string())
            .await;
        pipes
    }

    pub(crate) async fn send_line(&mut self, line: &str) {
        self.send_bytes(line.as_bytes()).await;
    }

    pub(crate) async fn send_bytes(&mut self, line: &[u8]) {
        self.write.write_all(line).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    pub(crate) async fn receive(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap().expect("the server is there");
        serde_json::from_str(&line).unwrap()
    }

    pub(crate) async fn request(&mut self, message: &Value) -> Value {
        self.send_line(&message.to_string()).await;
        self.receive().await
    }

    /// Closes the client's end and waits for the server to stop.
    pub(crate) async fn close(mut self) -> Result<(), ServeError> {
        self.write.shutdown().await.unwrap();
        drop((self.write, self.lines));
        self.server.await.unwrap()
    }
}

/// Reports a skipped test, for the count in `./check`.
pub(crate) fn skip(name: &str, reason: &str) {
    eprintln!("SKIPPED {name}: {reason}");
    if let Some(path) = std::env::var_os("FITNESS_SKIPS") {
        let mut list = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(list, "{name}: {reason}").unwrap();
    }
}
