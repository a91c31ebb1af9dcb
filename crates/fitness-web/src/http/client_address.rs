//! Client address, also behind a trusted proxy.

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

/// The address rate limits count by: an IPv4 address, or the /64 network of an IPv6 address, which
/// one client usually has for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientAddress(IpAddr);

impl ClientAddress {
    #[must_use]
    pub fn new(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 64))),
            v4 @ IpAddr::V4(_) => v4,
        })
    }
}

impl<S: Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        // Without a socket the request comes from this process (tests).
        let own = Self(IpAddr::V4(Ipv4Addr::LOCALHOST));
        Ok(parts.extensions.get().copied().unwrap_or(own))
    }
}

/// An address, or a network such as `172.16.0.0/12`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    first: IpAddr,
    prefix: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an address such as 127.0.0.1 and not a network such as 172.16.0.0/12")]
pub struct NetworkError;

impl FromStr for Network {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, NetworkError> {
        let (address, prefix) = text.split_once('/').map_or((text, None), |(a, b)| (a, Some(b)));
        let first: IpAddr = address.parse().map_err(|_| NetworkError)?;
        let most = if first.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(most), |prefix| prefix.parse().map_err(|_| NetworkError))?;
        // A prefix of 0 would trust every address.
        if (1..=most).contains(&prefix) { Ok(Self { first, prefix }) } else { Err(NetworkError) }
    }
}

impl std::fmt::Display for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.first, self.prefix)
    }
}

impl Network {
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.first, address) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                (first.to_bits() ^ address.to_bits()).checked_shr(32 - u32::from(self.prefix)) == Some(0)
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                (first.to_bits() ^ address.to_bits()).checked_shr(128 - u32::from(self.prefix)) == Some(0)
            }
            _ => false,
        }
    }
}

/// The proxies whose `X-Forwarded-For` is trusted. Without any, the header is ignored.
///
/// `Forwarded` is not read: a proxy sets one of the two headers and passes the other on unchanged,
/// so a server that reads both lets the client choose its address.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies(Arc<[Network]>);

impl FromIterator<Network> for TrustedProxies {
    fn from_iter<I: IntoIterator<Item = Network>>(networks: I) -> Self {
        Self(networks.into_iter().collect())
    }
}

impl TrustedProxies {
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(address))
    }

    /// The client of a request: the last hop that is not a trusted proxy.
    #[must_use]
    pub fn client_address(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut last = peer.to_canonical();
        let values: Vec<&str> =
            headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok()).collect();
        let mut hops = values.iter().flat_map(|value| value.split(',')).rev();
        while self.contains(last) {
            let Some(hop) = hops.next().and_then(|hop| parse_hop(hop.trim())) else { break };
            last = hop.to_canonical();
        }
        last
    }
}

/// `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` or `[2001:db8::1]:4711`.
fn parse_hop(hop: &str) -> Option<IpAddr> {
    let bare = hop.trim_start_matches('[').trim_end_matches(']');
    bare.parse().ok().or_else(|| Some(hop.parse::<SocketAddr>().ok()?.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, proxies: &[&str], forwarded: &[&str]) -> String {
        let proxies: TrustedProxies = proxies.iter().map(|one| one.parse::<Network>().unwrap()).collect();
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", value.parse().unwrap());
        }
        proxies.client_address(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn client_is_the_last_hop_that_is_not_a_trusted_proxy() {
        for (peer, proxies, forwarded, due) in [
            ("192.0.2.9", &[][..], &["198.51.100.1"][..], "192.0.2.9"),
            ("127.0.0.1", &[], &["198.51.100.1"], "127.0.0.1"),
            ("192.0.2.9", &["127.0.0.1"], &["198.51.100.1"], "192.0.2.9"),
            ("127.0.0.1", &["127.0.0.1"], &["198.51.100.1"], "198.51.100.1"),
            ("::ffff:127.0.0.1", &["127.0.0.1"], &["198.51.100.1:4711"], "198.51.100.1"),
            ("127.0.0.1", &["127.0.0.1"], &["203.0.113.7, 198.51.100.1"], "198.51.100.1"),
            ("127.0.0.1", &["127.0.0.1"], &["203.0.113.7", "198.51.100.1"], "198.51.100.1"),
            ("127.0.0.1", &["127.0.0.1", "10.0.0.0/8"], &["198.51.100.1, 10.1.2.3"], "198.51.100.1"),
            ("127.0.0.1", &["127.0.0.1"], &["198.51.100.1, nonsense"], "127.0.0.1"),
            ("127.0.0.1", &["127.0.0.1"], &[""], "127.0.0.1"),
            ("127.0.0.1", &["127.0.0.1"], &[], "127.0.0.1"),
            ("::1", &["::1"], &["[2001:db8::7]:4711"], "2001:db8::7"),
            ("172.18.0.3", &["172.16.0.0/12"], &["2001:db8::7"], "2001:db8::7"),
            ("172.32.0.3", &["172.16.0.0/12"], &["2001:db8::7"], "172.32.0.3"),
        ] {
            assert_eq!(client(peer, proxies, forwarded), due, "{peer} {proxies:?} {forwarded:?}");
        }
    }

    #[test]
    fn network_with_prefix_zero_is_refused() {
        for text in ["127.0.0.1", "::1", "10.0.0.0/8", "fd00::/8", "192.0.2.1/32"] {
            text.parse::<Network>().unwrap();
        }
        for text in ["", "localhost", "0.0.0.0/0", "::/0", "10.0.0.0/33", "10.0.0.0/", "10/8", "10.0.0.0/x"] {
            assert_eq!(text.parse::<Network>(), Err(NetworkError), "{text}");
        }
    }

    #[test]
    fn ipv6_clients_are_counted_by_their_network() {
        let address = |text: &str| ClientAddress::new(text.parse().unwrap());
        assert_eq!(address("2001:db8::1"), address("2001:db8::ffff:1"));
        assert_ne!(address("2001:db8::1"), address("2001:db8:0:1::1"));
        assert_eq!(address("::ffff:192.0.2.1"), address("192.0.2.1"));
        assert_ne!(address("192.0.2.1"), address("192.0.2.2"));
    }
}
