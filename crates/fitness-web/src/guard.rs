//! Who may call at all: only under a name this server has, and with nothing that opens two doors at once.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// The names under which this server may be called, with their ports: `127.0.0.1:8787`.
#[derive(Debug, Clone)]
pub struct Names(Arc<[String]>);

impl Names {
    /// The names of this machine on a port, and another one where the pages are elsewhere.
    #[must_use]
    pub fn new(port: u16, site: &str) -> Self {
        let mut names: Vec<String> =
            ["127.0.0.1", "localhost", "[::1]"].iter().map(|name| format!("{name}:{port}")).collect();
        if let Some(authority) =
            site.parse::<Uri>().ok().and_then(|uri| uri.authority().map(ToString::to_string))
        {
            names.push(authority);
        }
        Self(names.into())
    }

    /// Whether a `Host` is one of them.
    #[must_use]
    pub fn allow(&self, host: &str) -> bool {
        self.0.iter().any(|name| name.eq_ignore_ascii_case(host))
    }

    /// Whether an `Origin` is one of them.
    #[must_use]
    pub fn allow_origin(&self, origin: &str) -> bool {
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        authority.is_some_and(|authority| self.allow(authority))
    }

    /// All of them.
    #[must_use]
    pub fn list(&self) -> &[String] {
        &self.0
    }
}

/// Refuses calls under another name: a page elsewhere that points its own name here gets nothing.
pub(crate) async fn host(State(names): State<Names>, request: Request, next: Next) -> Response {
    let hosts: Vec<&HeaderValue> = request.headers().get_all(header::HOST).iter().collect();
    let host = match (hosts.as_slice(), request.uri().authority()) {
        ([host], None) => host.to_str().ok().map(str::to_owned),
        ([], Some(authority)) => Some(authority.to_string()),
        ([host], Some(authority)) if host.as_bytes() == authority.as_str().as_bytes() => {
            Some(authority.to_string())
        }
        _ => None,
    };
    if !host.is_some_and(|host| names.allow(&host)) {
        return refusal(StatusCode::MISDIRECTED_REQUEST, "This server is not called that.");
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        ),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// A short refusal in words.
pub(crate) fn refusal(status: StatusCode, words: &str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], Body::from(format!("{words}\n")))
        .into_response()
}
