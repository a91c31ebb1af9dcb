//! Base URL of a model server, with protection against SSRF.
//!
//! Conversations are private, so plain HTTP is allowed only within the athlete's own network.
//! Link-local addresses and cloud metadata services, which hand out credentials, are never
//! contacted.
//!
//! A URL is checked three times: its text, the DNS answers before every request, and the answers
//! that the HTTP client gets from [`FilteringResolver`], which prevents DNS rebinding. Over plain
//! HTTP the client connects to the checked IP address instead of the name.

use fitness_http::HttpEnv;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Names of metadata services, refused whatever they resolve to.
const METADATA_NAMES: &[&str] =
    &["metadata", "metadata.goog", "metadata.azure.com", "metadata.tencentyun.com", "instance-data"];

/// Whether a name is that of a metadata service, also within `.internal`.
fn is_metadata_name(name: &str) -> bool {
    let first = name.split('.').next().unwrap_or_default();
    let within = name.ends_with(".internal") && matches!(first, "metadata" | "instance-data");
    within || METADATA_NAMES.contains(&name)
}

/// Addresses of metadata services outside the link-local range.
const METADATA_IPS: &[IpAddr] = &[
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254)),
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0x00ce, 0, 0, 0, 0, 0, 0x0254)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
];

/// Why a URL is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointUrlError {
    #[error("not a valid address; write it as https://host or http://127.0.0.1:11434/v1")]
    InvalidUrl,
    #[error(
        "the address can have a host and a path only; remove user names, passwords and anything after ? or #"
    )]
    HasCredentialsOrQuery,
    /// Plain HTTP outside of private networks.
    #[error(
        "{host} is not in your own network, and http is not encrypted; use an address that starts with https://"
    )]
    InsecureHttp { host: String },
    /// In the server's network, which only its owner may use.
    #[error(
        "{host} is in the network of this server; only the owner of the server can choose it, also for you"
    )]
    PrivateNetwork { host: String },
    #[error(
        "{host} is a reserved address (link-local, metadata or multicast) and is never contacted; use the address of the model server"
    )]
    Reserved { host: String },
}

/// Networks in which a model may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NetworkScope {
    /// Any network, including this machine: for the owner of the server.
    #[default]
    Any,
    /// Public addresses only: for other users, so that they cannot reach the server's network.
    PublicOnly,
}

impl NetworkScope {
    fn forbids(self, answers: &[IpAddr]) -> bool {
        self == Self::PublicOnly && answers.iter().any(|ip| is_private_or_shared(*ip))
    }
}

/// A base URL whose text passed the checks.
#[derive(Clone, PartialEq, Eq)]
pub struct EndpointUrl(Url, NetworkScope);

impl EndpointUrl {
    /// Parses a URL in any network.
    pub fn parse(text: &str) -> Result<Self, EndpointUrlError> {
        Self::parse_within(text, NetworkScope::Any)
    }

    /// Parses a URL within a network scope.
    pub fn parse_within(text: &str, reach: NetworkScope) -> Result<Self, EndpointUrlError> {
        let url = Url::parse(text.trim()).map_err(|_| EndpointUrlError::InvalidUrl)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(EndpointUrlError::InvalidUrl);
        }
        let plain = url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if !plain {
            return Err(EndpointUrlError::HasCredentialsOrQuery);
        }
        let address = Self(url, reach);
        let host = address.host().ok_or(EndpointUrlError::InvalidUrl)?;
        let name = host.trim_end_matches('.').to_ascii_lowercase();
        if is_metadata_name(&name) {
            return Err(EndpointUrlError::Reserved { host });
        }
        let here = name == "localhost" || name.ends_with(".localhost");
        if here && reach == NetworkScope::PublicOnly {
            return Err(EndpointUrlError::PrivateNetwork { host });
        }
        if let Some(ip) = address.ip() {
            address.check_ips(&[ip])?;
        }
        Ok(address)
    }

    /// Checks the IP addresses of the host; one forbidden address refuses all.
    pub fn check_ips(&self, answers: &[IpAddr]) -> Result<(), EndpointUrlError> {
        let host = self.host().ok_or(EndpointUrlError::InvalidUrl)?;
        if answers.iter().any(|ip| is_reserved(*ip)) {
            return Err(EndpointUrlError::Reserved { host });
        }
        if self.1.forbids(answers) {
            return Err(EndpointUrlError::PrivateNetwork { host });
        }
        if self.is_plaintext() && !answers.iter().all(|ip| is_private_network(*ip)) {
            return Err(EndpointUrlError::InsecureHttp { host });
        }
        Ok(())
    }

    /// The URL with a path appended.
    #[must_use]
    pub fn join(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        let whole = format!("{}/{}", url.path().trim_end_matches('/'), path.trim_start_matches('/'));
        url.set_path(&whole);
        url
    }

    fn is_plaintext(&self) -> bool {
        self.0.scheme() == "http"
    }

    /// The host, without the brackets of IPv6.
    fn host(&self) -> Option<String> {
        let host = self.0.host_str()?;
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        (!bare.is_empty()).then(|| bare.to_owned())
    }

    /// The host if it is an IP address. The URL parser turns 0x7f.1 and 2130706433 into 127.0.0.1.
    fn ip(&self) -> Option<IpAddr> {
        self.host()?.parse().ok()
    }

    /// Resolves and checks the name. `Some` is the IP address to connect to instead of the name.
    pub(super) async fn resolve_and_check(&self, env: &HttpEnv) -> Result<Option<IpAddr>, ResolveHostError> {
        let host = self.host().ok_or(EndpointUrlError::InvalidUrl)?;
        if self.ip().is_some() {
            return Ok(None);
        }
        let port = self.0.port_or_known_default().unwrap_or(443);
        let Some(answers) = env.lookup_host(&host, port).await.filter(|answers| !answers.is_empty()) else {
            // Over HTTPS the client may use a proxy that can resolve the name.
            return if self.is_plaintext() { Err(ResolveHostError::Unresolved) } else { Ok(None) };
        };
        self.check_ips(&answers)?;
        // IPv4 first: local servers often listen on IPv4 only.
        let first = answers.iter().find(|ip| ip.is_ipv4()).or(answers.first());
        Ok(first.copied().filter(|_| self.is_plaintext()))
    }
}

impl fmt::Display for EndpointUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

impl fmt::Debug for EndpointUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({})", self.0)
    }
}

/// Why a name could not be resolved or is refused.
#[derive(Debug)]
pub(super) enum ResolveHostError {
    Forbidden(EndpointUrlError),
    Unresolved,
}

impl From<EndpointUrlError> for ResolveHostError {
    fn from(refused: EndpointUrlError) -> Self {
        Self::Forbidden(refused)
    }
}

/// The IPv4 address embedded in an IPv6 address, if any.
fn embedded_ipv4(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, .., y, z] = ip.segments();
    let from = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    let mapped = ip.to_ipv4_mapped();
    // ::a.b.c.d (but not :: and ::1), 64:ff9b::/96 and 2002::/16.
    let compatible = ip.to_ipv4().filter(|_| ip.segments()[..6] == [0; 6] && y != 0);
    let translated = (ip.segments()[..6] == [0x64, 0xff9b, 0, 0, 0, 0]).then(|| from(y, z));
    // ::ffff:0:a.b.c.d (RFC 2765), 64:ff9b:1::/48 (RFC 8215), …:0:5efe:a.b.c.d (RFC 5214) and
    // 2001::/32 (RFC 4380).
    let stateless = (ip.segments()[..6] == [0, 0, 0, 0, 0xffff, 0]).then(|| from(y, z));
    let local = (ip.segments()[..3] == [0x64, 0xff9b, 1]).then(|| from(y, z));
    let automatic = (matches!(ip.segments()[4], 0 | 0x200) && ip.segments()[5] == 0x5efe).then(|| from(y, z));
    let through_nat = (a == 0x2001 && b == 0).then(|| from(!y, !z));
    let tunnelled = (a == 0x2002).then(|| from(b, ip.segments()[2]));
    let others = stateless.or(local).or(automatic).or(through_nat);
    mapped.or(compatible).or(translated).or(tunnelled).or(others)
}

/// Addresses that are never contacted: link-local, metadata services, multicast, unspecified.
#[must_use]
pub fn is_reserved(ip: IpAddr) -> bool {
    let ip = match ip {
        IpAddr::V6(six) => embedded_ipv4(six).map_or(ip, IpAddr::V4),
        IpAddr::V4(_) => ip,
    };
    if METADATA_IPS.contains(&ip) || ip.is_unspecified() || ip.is_multicast() {
        return true;
    }
    match ip {
        IpAddr::V4(four) => four.is_link_local() || four.is_broadcast() || four.octets()[0] == 0,
        IpAddr::V6(six) => six.is_unicast_link_local(),
    }
}

/// Loopback and the private ranges 10/8, 172.16/12, 192.168/16 and fc00::/7. Shared carrier-grade
/// NAT addresses (100.64/10) are not private.
#[must_use]
pub fn is_private_network(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(four) => four.is_loopback() || four.is_private(),
        IpAddr::V6(six) => six.is_loopback() || six.is_unique_local(),
    }
}

/// Private addresses, also embedded in IPv6, and carrier-grade NAT: not reachable from the
/// internet.
fn is_private_or_shared(ip: IpAddr) -> bool {
    let ip = match ip {
        IpAddr::V6(six) => embedded_ipv4(six).map_or(ip, IpAddr::V4),
        IpAddr::V4(_) => ip,
    };
    let shared = matches!(ip, IpAddr::V4(four) if four.octets()[0] == 100 && four.octets()[1] & 0xc0 == 64);
    shared || is_private_network(ip)
}

/// DNS resolver for the HTTP client that refuses reserved addresses and those outside its scope.
#[derive(Debug, Clone, Copy, Default)]
pub struct FilteringResolver(pub NetworkScope);

impl Resolve for FilteringResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found: Vec<SocketAddr> = tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            if found.iter().any(|address| is_reserved(address.ip())) {
                return Err(EndpointUrlError::Reserved { host }.into());
            }
            let answers: Vec<IpAddr> = found.iter().map(SocketAddr::ip).collect();
            if reach.forbids(&answers) {
                return Err(EndpointUrlError::PrivateNetwork { host }.into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests;
