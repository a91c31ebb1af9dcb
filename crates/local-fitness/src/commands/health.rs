//! `fitness health`: whether a server on this machine is up and can reach its data.

use crate::error::CliError;
use crate::output::CommandOutput;
use anyhow::Result;
use fitness_core::domain::untrusted_text::escape_invisible;
use serde_json::json;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Whoever watches asks again soon.
const TIMEOUT: Duration = Duration::from_secs(5);

pub(super) async fn run(port: u16) -> Result<CommandOutput> {
    match check_ready(port).await {
        Ok(ServerStatus::Ready(_)) => Ok(CommandOutput::new(
            "The server is up and reaches its data.",
            &json!({ "port": port, "ready": true }),
        )),
        Ok(ServerStatus::Encrypted) => Ok(CommandOutput::new(
            format!(
                "A server answers on port {port}. It speaks TLS, so whether it is ready was not checked: ask /readyz."
            ),
            &json!({ "port": port, "ready": null }),
        )),
        Ok(ServerStatus::NotReady(reason)) => {
            let help = "see what `fitness doctor` says about the database";
            Err(CliError::new(format!("the server is up but not ready: {reason}"), help).into())
        }
        Err(why) => {
            let help = "start it with `fitness serve`, or name its port with --port";
            Err(CliError::new(format!("no server answers on port {port}: {why}"), help).into())
        }
    }
}

/// What a server on this machine says about itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ServerStatus {
    /// With what it adds, such as when it last checked its database.
    Ready(Option<String>),
    /// With the reason it gives.
    NotReady(String),
    /// It speaks TLS, so it was not asked.
    Encrypted,
}

/// Asks a server on this machine whether it is ready. The error says why there is none.
pub(super) async fn check_ready(port: u16) -> Result<ServerStatus, String> {
    let said = match tokio::time::timeout(TIMEOUT, fetch_readyz(port)).await {
        Ok(said) => said.map_err(|why| why.to_string())?,
        Err(_) => return Err("it took longer than five seconds".to_owned()),
    };
    match said.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)) {
        Some("200") => {
            let details: Vec<&str> = response_body(&said).lines().skip(1).collect();
            Ok(ServerStatus::Ready(
                (!details.is_empty()).then(|| escape_invisible(&details.join(", ")).to_string()),
            ))
        }
        Some("503") => Ok(ServerStatus::NotReady(escape_invisible(response_body(&said).trim()).to_string())),
        // One that speaks TLS answers a call in the clear with an alert. It is there; more cannot be asked this way.
        _ if said.starts_with('\x15') => Ok(ServerStatus::Encrypted),
        _ => Err("something else answers there".to_owned()),
    }
}

/// What follows the head of a response.
fn response_body(response: &str) -> &str {
    response.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}

/// Asks on loopback, in the clear. A server that speaks TLS itself is asked no more than whether it is there.
async fn fetch_readyz(port: u16) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let request = format!("GET /readyz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut said = Vec::new();
    stream.take(4096).read_to_end(&mut said).await?;
    Ok(String::from_utf8_lossy(&said).into_owned())
}
