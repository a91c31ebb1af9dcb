//! Safety check of the bind address: TLS and passwords are required beyond this machine.

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

/// Checked before the port is bound.
pub(crate) struct ListenConfig {
    configured_site: Option<String>,
    bind: IpAddr,
    pub(crate) tls: Option<Arc<ServerConfig>>,
}

impl ListenConfig {
    /// Refuses settings that would expose data without TLS or passwords.
    pub(crate) fn check(wanted: &ServeConfig, users: &[User]) -> Result<Self> {
        let named = wanted.site.as_deref().map(parse_site).transpose()?;
        let secure = named.as_ref().is_some_and(|named| named.starts_with("https://"));
        let bind = wanted.bind;
        let encrypted = wanted.tls.is_some();
        if !bind.is_loopback() && !encrypted && !wanted.behind_proxy {
            let help =
                "add --tls-cert FILE and --tls-key FILE, or --behind-proxy if a reverse proxy terminates TLS";
            return Err(CliError::new(
                format!("listening on {bind} requires TLS, as other machines can reach it"),
                help,
            )
            .into());
        }
        if wanted.behind_proxy && !secure {
            let help = "add the URL that browsers use: --site https://NAME";
            return Err(CliError::new("--behind-proxy requires an https site", help).into());
        }
        if encrypted && named.is_some() && !secure {
            return Err(CliError::new("with TLS the site must be https", "use --site https://NAME").into());
        }
        if encrypted && named.is_none() && bind.is_unspecified() {
            let help = "add the URL that browsers use: --site https://NAME";
            return Err(CliError::new(format!("browsers cannot open {bind}"), help).into());
        }
        if secure && !encrypted && !wanted.behind_proxy {
            let help = "add --behind-proxy if a reverse proxy terminates TLS, or --tls-cert and --tls-key";
            return Err(CliError::new("the site is https, but TLS is not set up", help).into());
        }
        let open = !bind.is_loopback() || wanted.behind_proxy;
        if let Some(user) = users.iter().find(|user| open && !user.has_password) {
            let name = escape_invisible(&user.name);
            return Err(CliError::new(
                format!("{name} has no password, and other machines could reach this server"),
                format!(
                    "set one with `fitness user passwd {name}`, or have {name} open an invite link first"
                ),
            )
            .into());
        }
        let tls =
            wanted.tls.as_ref().map(|(certificate, key)| load_tls_config(certificate, key)).transpose()?;
        Ok(Self { configured_site: named, bind, tls })
    }

    /// The URL that browsers use.
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

/// Scheme and host only, no path.
pub(crate) fn parse_site(text: &str) -> Result<String> {
    let text = text.trim_end_matches('/');
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
    if host.is_empty() || !host.chars().all(plain) || !host.contains(|c: char| c.is_ascii_alphanumeric()) {
        let help = "use a URL without a path, such as https://fitness.example.org";
        return Err(CliError::new(format!("`{text}` is not a valid site"), help).into());
    }
    Ok(text.to_ascii_lowercase())
}

fn load_tls_config(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>> {
    let unreadable = |path: &Path, what: &str| {
        let message = format!("{} contains no {what}", path.display());
        CliError::new(message, "use PEM files, as written by certbot or mkcert")
    };
    for path in [certificate, key] {
        std::fs::File::open(path).map_err(|why| {
            let help = "use a PEM file that this account can read";
            CliError::new(format!("cannot read {}: {why}", path.display()), help)
        })?;
    }
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .ok()
        .filter(|chain| !chain.is_empty())
        .ok_or_else(|| unreadable(certificate, "certificate"))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(|_| unreadable(key, "private key"))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("cannot set up TLS on this machine")?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|why| {
            CliError::new(
                format!("invalid TLS certificate or key: {why}"),
                "use the private key of this certificate",
            )
        })?;
    Ok(Arc::new(config))
}
