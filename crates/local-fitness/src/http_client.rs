//! The only place that builds an HTTP client. Every outgoing request uses it, to an address the
//! athlete configured.

use crate::clock;
use anyhow::{Context as _, Result};
use fitness_coach::model::endpoint_url::{FilteringResolver, NetworkScope};
use fitness_http::HttpEnv;
use reqwest::redirect::Policy;
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// No redirects: they would send API keys to another host.
fn client_builder() -> reqwest::ClientBuilder {
    // Fails if already installed.
    let _already_installed = rustls::crypto::ring::default_provider().install_default();
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    let builder = reqwest::Client::builder();
    builder
        .redirect(Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("local-fitness/", env!("CARGO_PKG_VERSION")))
}

fn build_client(builder: reqwest::ClientBuilder) -> Result<reqwest::Client> {
    builder.build().context("cannot set up HTTPS on this machine")
}

pub(crate) fn source_http_env() -> Result<HttpEnv> {
    let client = build_client(client_builder().read_timeout(READ_TIMEOUT))?;
    Ok(HttpEnv::new(client, clock::now, |wait| tokio::time::sleep(wait.duration())))
}

/// For model servers. Read timeouts are set per model. The resolver refuses cloud metadata
/// addresses, and private networks unless `reach` allows them.
pub(crate) fn model_http_env(reach: NetworkScope) -> Result<HttpEnv> {
    let client = build_client(client_builder().no_proxy().dns_resolver(FilteringResolver(reach)))?;
    Ok(HttpEnv::new(client, clock::now, |wait| tokio::time::sleep(wait.duration())))
}
