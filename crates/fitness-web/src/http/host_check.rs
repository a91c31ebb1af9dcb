//! Host-header check (DNS rebinding), security headers, bearer parsing.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// The accepted values of `Host` and `Origin`.
#[derive(Debug, Clone)]
pub struct HostNames {
    /// Whether browsers use https.
    is_secure: bool,
    /// The port browsers connect to.
    port: u16,
    hosts: Arc<[String]>,
    origins: Arc<[String]>,
}

impl HostNames {
    /// The loopback names with a port, and the configured site.
    #[must_use]
    pub fn new(port: u16, site: &str) -> Self {
        let mut hosts: Vec<String> =
            ["127.0.0.1", "localhost", "[::1]"].iter().map(|name| format!("{name}:{port}")).collect();
        let mut origins: Vec<String> = hosts.iter().map(|host| format!("http://{host}")).collect();
        let site: Option<Uri> = site.parse().ok();
        if let Some((scheme, authority)) = site.as_ref().and_then(|uri| uri.scheme_str().zip(uri.authority()))
        {
            hosts.push(authority.to_string());
            origins.push(format!("{scheme}://{authority}"));
        }
        let is_secure = site.as_ref().and_then(Uri::scheme_str) == Some("https");
        // Without TLS browsers reach the port itself; with TLS they may reach a proxy's.
        let port = site.filter(|_| is_secure).map_or(port, |site| site.port_u16().unwrap_or(443));
        Self { is_secure, port, hosts: hosts.into(), origins: origins.into() }
    }

    #[must_use]
    pub fn session_cookie_name(&self) -> String {
        self.cookie_name("session")
    }

    /// Browsers send cookies to every port of a host, so the name includes the port: two servers on
    /// one host do not overwrite each other's. Over https the `__Host-` prefix binds the cookie to
    /// the host.
    pub(crate) fn cookie_name(&self, what: &str) -> String {
        let prefix = if self.is_secure { "__Host-" } else { "" };
        format!("{prefix}fitness_{what}_{}", self.port)
    }

    /// Whether browsers use https.
    #[must_use]
    pub const fn is_secure(&self) -> bool {
        self.is_secure
    }

    #[must_use]
    pub fn allows_host(&self, host: &str) -> bool {
        self.hosts.iter().any(|name| name.eq_ignore_ascii_case(host))
    }

    /// The scheme counts: an http page is not the same origin as the https site.
    #[must_use]
    pub fn allows_origin(&self, origin: &str) -> bool {
        self.origins.iter().any(|own| own.eq_ignore_ascii_case(origin))
    }

    #[must_use]
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }
}

/// Rejects other `Host` values (DNS rebinding) and adds security headers.
pub(crate) async fn check_host(State(names): State<HostNames>, request: Request, next: Next) -> Response {
    let hosts: Vec<&HeaderValue> = request.headers().get_all(header::HOST).iter().collect();
    let host = match (hosts.as_slice(), request.uri().authority()) {
        ([host], None) => host.to_str().ok().map(str::to_owned),
        ([], Some(authority)) => Some(authority.to_string()),
        ([host], Some(authority)) if host.as_bytes() == authority.as_str().as_bytes() => {
            Some(authority.to_string())
        }
        _ => None,
    };
    if !host.is_some_and(|host| names.allows_host(&host)) {
        return plain_text_error(
            StatusCode::MISDIRECTED_REQUEST,
            "Unknown host name. Set serve.site to the address you use.",
        );
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
    if names.is_secure() {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    response
}

/// The bearer token; `None` when there is more than one `Authorization` header.
pub(crate) fn bearer_secret(headers: &HeaderMap) -> Option<String> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let only = given.next().filter(|_| given.next().is_none())?;
    let (scheme, secret) = only.to_str().ok()?.split_once(' ')?;
    let secret = secret.trim();
    let plausible = (16..=200).contains(&secret.len()) && secret.bytes().all(|byte| byte.is_ascii_graphic());
    (scheme.eq_ignore_ascii_case("bearer") && plausible).then(|| secret.to_owned())
}

/// Whether a path is valid UTF-8 after percent-decoding.
pub(crate) fn is_utf8_path(path: &str) -> bool {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, others @ ..] = rest {
        let code = others.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &others[2..];
            }
            None => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    std::str::from_utf8(&bytes).is_ok()
}

pub(crate) fn plain_text_error(status: StatusCode, words: &str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], Body::from(format!("{words}\n")))
        .into_response()
}
