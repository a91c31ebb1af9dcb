//! From where a server can be reached, and what that takes.

use crate::config::ServeConfig;
use crate::error::CliError;
use anyhow::{Context as _, Result};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::User;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

/// What is asked for, before a port is taken.
pub(crate) struct Exposure {
    /// Where browsers reach it, when that was said.
    configured_site: Option<String>,
    bind: IpAddr,
    pub(crate) tls: Option<Arc<ServerConfig>>,
}

impl Exposure {
    /// Refuses what would let others in, or let them listen.
    pub(crate) fn check(wanted: &ServeConfig, users: &[User]) -> Result<Self> {
        let named = wanted.site.as_deref().map(parse_site).transpose()?;
        let secure = named.as_ref().is_some_and(|named| named.starts_with("https://"));
        let bind = wanted.bind;
        let encrypted = wanted.tls.is_some();
        if !bind.is_loopback() && !encrypted && !wanted.behind_proxy {
            let help = "add --tls-cert FILE and --tls-key FILE, or --behind-proxy when a server in front of it speaks TLS";
            return Err(CliError::new(
                format!("{bind} can be reached by others, who could read along: this needs TLS"),
                help,
            )
            .into());
        }
        if wanted.behind_proxy && !secure {
            let help = "say where browsers reach it with --site https://NAME";
            return Err(CliError::new("behind a proxy the site must be https", help).into());
        }
        if encrypted && named.is_some() && !secure {
            return Err(CliError::new("with TLS the site must be https", "write --site https://NAME").into());
        }
        if encrypted && named.is_none() && bind.is_unspecified() {
            let help = "say where browsers reach it with --site https://NAME";
            return Err(CliError::new(format!("{bind} is no name to reach a server by"), help).into());
        }
        if secure && !encrypted && !wanted.behind_proxy {
            let help = "add --behind-proxy when a server in front of it does, or --tls-cert and --tls-key";
            return Err(CliError::new("the site is https, and nothing here speaks TLS", help).into());
        }
        let open = !bind.is_loopback() || wanted.behind_proxy;
        if let Some(user) = users.iter().find(|user| open && !user.has_password) {
            let name = escape_invisible(&user.name);
            return Err(CliError::new(
                format!("{name} has no password, and others could reach this server"),
                format!("set one with `fitness user passwd {name}`, or let an invite be redeemed first"),
            )
            .into());
        }
        let tls =
            wanted.tls.as_ref().map(|(certificate, key)| load_tls_config(certificate, key)).transpose()?;
        Ok(Self { configured_site: named, bind, tls })
    }

    /// Where browsers reach it, on a port.
    pub(crate) fn site(&self, port: u16) -> String {
        self.configured_site.clone().unwrap_or_else(|| {
            let scheme = if self.tls.is_some() { "https" } else { "http" };
            match self.bind {
                IpAddr::V4(bind) => format!("{scheme}://{bind}:{port}"),
                IpAddr::V6(bind) => format!("{scheme}://[{bind}]:{port}"),
            }
        })
    }
}

/// A site as its browsers name it: a scheme and a host, and nothing after it.
pub(crate) fn parse_site(text: &str) -> Result<String> {
    let text = text.trim_end_matches('/');
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
    if host.is_empty() || !host.chars().all(plain) || !host.contains(|c: char| c.is_ascii_alphanumeric()) {
        let help = "write https:// and the name, such as https://fitness.example.org";
        return Err(CliError::new(format!("`{text}` is no site"), help).into());
    }
    Ok(text.to_ascii_lowercase())
}

fn load_tls_config(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>> {
    let unreadable = |path: &Path, what: &str| {
        let message = format!("{} holds no {what}", path.display());
        CliError::new(message, "give PEM files, as certbot and mkcert write them")
    };
    for path in [certificate, key] {
        std::fs::File::open(path).map_err(|why| {
            let help = "give the path of a PEM file that this account may read";
            CliError::new(format!("{} cannot be read: {why}", path.display()), help)
        })?;
    }
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .ok()
        .filter(|chain| !chain.is_empty())
        .ok_or_else(|| unreadable(certificate, "certificate"))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(|_| unreadable(key, "key"))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("cannot set up TLS on this machine")?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|why| {
            CliError::new(
                format!("TLS cannot be spoken with these: {why}"),
                "give the key of this certificate",
            )
        })?;
    Ok(Arc::new(config))
}
