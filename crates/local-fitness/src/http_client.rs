//! The only place that builds an HTTP client. Everything that leaves this machine leaves through it, to an address the
//! athlete configured.

use crate::clock;
use anyhow::{Context as _, Result};
use fitness_coach::model;
use fitness_coach::model::endpoint_url::{FilteringResolver, NetworkScope};
use fitness_sources::live::HttpEnv;
use reqwest::redirect::Policy;
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// A client: TLS by rustls with ring, and no redirects, which would carry keys elsewhere.
fn client_builder() -> reqwest::ClientBuilder {
    // A second call finds it installed already.
    let _whether_it_is_the_first = rustls::crypto::ring::default_provider().install_default();
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

/// What a live source is handed: the client, the clock and a way to wait.
pub(crate) fn source_http_env() -> Result<HttpEnv> {
    let client = build_client(client_builder().read_timeout(READ_TIMEOUT))?;
    Ok(HttpEnv::new(client, clock::now, |wait| tokio::time::sleep(wait.duration())))
}

/// What a model is handed. It says itself how long it may be silent, and is never at an address that belongs to a
/// cloud's inside, nor farther than the athlete may reach.
pub(crate) fn model_http_env(reach: NetworkScope) -> Result<model::HttpEnv> {
    let client = build_client(client_builder().no_proxy().dns_resolver(FilteringResolver(reach)))?;
    Ok(model::HttpEnv::new(client, clock::now, |wait| tokio::time::sleep(wait.duration())))
}
