//! `fitness health`: whether a server on this machine is up and can reach its data.

use crate::failure::Failure;
use crate::report::Report;
use anyhow::Result;
use serde_json::json;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Whoever watches asks again soon.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) async fn run(port: u16) -> Result<Report> {
    let answer = tokio::time::timeout(PATIENCE, ask(port)).await;
    let said = match answer {
        Ok(Ok(said)) => said,
        Ok(Err(why)) => return Err(no_answer(port, &why.to_string())),
        Err(_) => return Err(no_answer(port, "it took longer than five seconds")),
    };
    let status = said.split_whitespace().nth(1).and_then(|status| status.parse::<u16>().ok());
    if status == Some(200) {
        return Ok(Report::new("The server is up and reaches its data.", &json!({ "ready": true })));
    }
    let help = "see what `fitness doctor` says about the database";
    Err(Failure::new("the server is up, and its database does not answer", help).into())
}

/// Asks on loopback, in the clear. A server that speaks TLS itself is asked no more than whether it is there.
async fn ask(port: u16) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let request = format!("GET /readyz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut said = Vec::new();
    stream.take(4096).read_to_end(&mut said).await?;
    Ok(String::from_utf8_lossy(&said).into_owned())
}

fn no_answer(port: u16, why: &str) -> anyhow::Error {
    let help = "start it with `fitness serve`, or name its port with --port";
    Failure::new(format!("no server answers on port {port}: {why}"), help).into()
}
