//! `fitness health`: readiness check of a server on this machine.

use crate::error::CliError;
use crate::output::CommandOutput;
use anyhow::Result;
use fitness_core::domain::untrusted_text::escape_invisible;
use serde_json::json;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const TIMEOUT: Duration = Duration::from_secs(5);

pub(super) async fn run(port: u16) -> Result<CommandOutput> {
    match check_ready(port).await {
        Ok(ServerStatus::Ready(_)) => {
            Ok(CommandOutput::new("The server is ready.", &json!({ "port": port, "ready": true })))
        }
        Ok(ServerStatus::Encrypted) => Ok(CommandOutput::new(
            format!("A server with TLS is running on port {port}. Readiness was not checked; open /readyz."),
            &json!({ "port": port, "ready": null }),
        )),
        Ok(ServerStatus::NotReady(reason)) => {
            let help = "check the database with `fitness doctor`";
            Err(CliError::new(format!("the server is up but not ready: {reason}"), help).into())
        }
        Err(why) => {
            let help = "start it with `fitness serve`, or use --port for another port";
            Err(CliError::new(format!("no response from a server on port {port}: {why}"), help).into())
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum ServerStatus {
    /// With details, such as the time of the last database check.
    Ready(Option<String>),
    NotReady(String),
    /// Uses TLS, so readiness is unknown.
    Encrypted,
}

/// The error says why there is no server.
pub(super) async fn check_ready(port: u16) -> Result<ServerStatus, String> {
    let response = match tokio::time::timeout(TIMEOUT, fetch_readyz(port)).await {
        Ok(response) => response.map_err(|why| why.to_string())?,
        Err(_) => return Err("timed out after 5 seconds".to_owned()),
    };
    match response.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)) {
        Some("200") => {
            let details: Vec<&str> = response_body(&response).lines().skip(1).collect();
            Ok(ServerStatus::Ready(
                (!details.is_empty()).then(|| escape_invisible(&details.join(", ")).to_string()),
            ))
        }
        Some("503") => {
            Ok(ServerStatus::NotReady(escape_invisible(response_body(&response).trim()).to_string()))
        }
        // A TLS server answers plain HTTP with an alert record (0x15).
        _ if response.starts_with('\x15') => Ok(ServerStatus::Encrypted),
        _ => Err("another program is using the port".to_owned()),
    }
}

fn response_body(response: &str) -> &str {
    response.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}

/// Plain HTTP on the loopback address.
async fn fetch_readyz(port: u16) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let request = format!("GET /readyz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut response = Vec::new();
    stream.take(4096).read_to_end(&mut response).await?;
    Ok(String::from_utf8_lossy(&response).into_owned())
}
