//! The only place that builds an HTTP client. Everything that leaves this machine leaves through it, to an address the
//! athlete configured.

use crate::clock;
use anyhow::{Context as _, Result};
use fitness_coach::model;
use fitness_coach::model::endpoint_url::{Guarded, Reach};
use fitness_sources::live::Means;
use reqwest::redirect::Policy;
use std::time::Duration;

const CONNECT: Duration = Duration::from_secs(10);
const SILENCE: Duration = Duration::from_secs(30);

/// A client: TLS by rustls with ring, and no redirects, which would carry keys elsewhere.
fn client() -> reqwest::ClientBuilder {
    // A second call finds it installed already.
    let _whether_it_is_the_first = rustls::crypto::ring::default_provider().install_default();
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    let builder = reqwest::Client::builder();
    builder
        .redirect(Policy::none())
        .connect_timeout(CONNECT)
        .user_agent(concat!("local-fitness/", env!("CARGO_PKG_VERSION")))
}

fn built(builder: reqwest::ClientBuilder) -> Result<reqwest::Client> {
    builder.build().context("cannot set up HTTPS on this machine")
}

/// What a live source is handed: the client, the clock and a way to wait.
pub(crate) fn means() -> Result<Means> {
    let client = built(client().read_timeout(SILENCE))?;
    Ok(Means::new(client, clock::now, |wait| tokio::time::sleep(wait.length())))
}

/// What a model is handed. It says itself how long it may be silent, and is never at an address that belongs to a
/// cloud's inside, nor farther than the athlete may reach.
pub(crate) fn model_means(reach: Reach) -> Result<model::Means> {
    let client = built(client().no_proxy().dns_resolver(Guarded(reach)))?;
    Ok(model::Means::new(client, clock::now, |wait| tokio::time::sleep(wait.length())))
}
