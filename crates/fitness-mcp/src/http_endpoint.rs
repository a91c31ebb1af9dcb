//! MCP over HTTP, stateless: there are no sessions that could be hijacked.

use crate::{MAX_MESSAGE_BYTES, McpClient, McpServer, Prompts, Scope};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body::Body;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, Limited};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Path of the RFC 9728 metadata for the resource `/mcp`.
pub const METADATA_PATH: &str = "/.well-known/oauth-protected-resource/mcp";

/// Addresses of the endpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpConfig {
    /// Base URL of the server without a path, such as `http://127.0.0.1:8787`.
    pub base_url: String,
    /// Allowed `Host` headers, `name` or `name:port`. Empty: loopback names only.
    pub allowed_hosts: Vec<String>,
    /// Allowed `Origin` headers besides its own, such as `https://name:port`.
    pub allowed_origins: Vec<String>,
}

pub type ResponseBody = BoxBody<Bytes, Infallible>;

/// `/mcp`: serves requests that carry an [`McpClient`] extension, and refuses all others with 401.
#[derive(Clone)]
pub struct Endpoint {
    inner: StreamableHttpService<McpServer, NeverSessionManager>,
    challenge: HeaderValue,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").finish_non_exhaustive()
    }
}

/// The endpoint, to be mounted at `/mcp` behind the token check that inserts the [`McpClient`].
#[must_use]
pub fn http_service(prompts: Prompts, config: HttpConfig) -> Endpoint {
    let prompts = Arc::new(prompts);
    let mut origins = config.allowed_origins;
    origins.extend(origin(&config.base_url));
    let mut inner = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES);
    // An empty list would allow every host; the library's default is loopback only.
    if !config.allowed_hosts.is_empty() {
        inner = inner.with_allowed_hosts(config.allowed_hosts);
    }
    Endpoint {
        challenge: HeaderValue::try_from(unauthorized_header(&config.base_url))
            .unwrap_or(HeaderValue::from_static("Bearer")),
        inner: StreamableHttpService::new(
            move || Ok(McpServer::for_requests(Arc::clone(&prompts))),
            Arc::new(NeverSessionManager::default()),
            inner,
        ),
    }
}

/// Origin of the server's own pages, with its port: without one the library would allow any port.
fn origin(base_url: &str) -> Option<String> {
    let url: Uri = base_url.parse().ok()?;
    let (scheme, host) = (url.scheme_str()?, url.host()?);
    let port = url.port_u16().unwrap_or(if scheme == "https" { 443 } else { 80 });
    Some(format!("{scheme}://{host}:{port}"))
}

/// `WWW-Authenticate` header of a 401: asks for a bearer token and links the metadata.
#[must_use]
pub fn unauthorized_header(base_url: &str) -> String {
    let base = base_url.trim_end_matches('/');
    format!(
        "Bearer realm=\"local-fitness\", resource_metadata=\"{base}{METADATA_PATH}\", scope=\"{}\"",
        scopes().join(" ")
    )
}

/// RFC 9728 metadata, served at [`METADATA_PATH`]. There is no authorization server: the athlete
/// creates tokens with `fitness token add`.
#[must_use]
pub fn resource_metadata(base_url: &str) -> Value {
    let base = base_url.trim_end_matches('/');
    json!({
        "resource": format!("{base}/mcp"),
        "resource_name": "local-fitness",
        "scopes_supported": scopes(),
        "bearer_methods_supported": ["header"],
    })
}

fn scopes() -> Vec<&'static str> {
    Scope::ALL.iter().map(|scope| scope.as_str()).collect()
}

impl Endpoint {
    pub async fn handle<B>(&self, request: Request<B>) -> Response<ResponseBody>
    where
        B: Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        if request.extensions().get::<McpClient>().is_none() {
            let why = "Unauthorized. Create a token with `fitness token add` and send it as `Authorization: Bearer …`.";
            let mut reply = text_response(StatusCode::UNAUTHORIZED, why);
            reply.headers_mut().insert(WWW_AUTHENTICATE, self.challenge.clone());
            return reply;
        }
        let (parts, body) = request.into_parts();
        let is_json = parts
            .headers
            .get(CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok())
            .is_some_and(|kind| kind.to_ascii_lowercase().starts_with("application/json"));
        if parts.method != Method::POST || !is_json {
            return self.inner.handle(Request::from_parts(parts, Full::new(Bytes::new()))).await;
        }
        let body = match Limited::new(body, MAX_MESSAGE_BYTES).collect().await {
            Ok(body) => body.to_bytes(),
            Err(why) if why.is::<http_body_util::LengthLimitError>() => {
                let most = MAX_MESSAGE_BYTES / 1024;
                return text_response(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    format!("Message too large: at most {most} KiB."),
                );
            }
            Err(_) => {
                return text_response(StatusCode::BAD_REQUEST, "The request body is incomplete.");
            }
        };
        let id = match serde_json::from_slice::<Value>(&body) {
            Ok(Value::Object(message)) => message.get("id").cloned().unwrap_or(Value::Null),
            Ok(Value::Array(_)) => {
                return error_response(
                    &Value::Null,
                    -32600,
                    "Batches are not supported. Send one message per request.",
                );
            }
            Ok(_) => return error_response(&Value::Null, -32600, "The message must be a JSON object."),
            Err(_) => return error_response(&Value::Null, -32700, "The body is not valid JSON."),
        };
        let reply = self.inner.handle(Request::from_parts(parts, Full::new(body))).await;
        // The library reports valid JSON that is not a protocol message as an unsupported media
        // type.
        if reply.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return error_response(&id, -32600, "Not a valid JSON-RPC message.");
        }
        reply
    }
}

impl<B> tower_service::Service<Request<B>> for Endpoint
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let endpoint = self.clone();
        Box::pin(async move { Ok(endpoint.handle(request).await) })
    }
}

fn error_response(id: &Value, code: i32, why: &str) -> Response<ResponseBody> {
    let id = if id.is_string() || id.is_number() { id } else { &Value::Null };
    let error = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": why } });
    response(StatusCode::BAD_REQUEST, "application/json", error.to_string())
}

fn text_response(status: StatusCode, why: impl Into<String>) -> Response<ResponseBody> {
    response(status, "text/plain; charset=utf-8", why.into())
}

fn response(status: StatusCode, kind: &'static str, body: String) -> Response<ResponseBody> {
    let mut reply = Response::new(Full::new(Bytes::from(body)).boxed());
    *reply.status_mut() = status;
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    reply
}
