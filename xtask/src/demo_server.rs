//! A running `fitness demo` server, for tasks that need its pages.

use anyhow::{Context, Result};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

pub(crate) struct DemoServer {
    process: Child,
    /// Host and port, without `http://`.
    pub(crate) host: String,
    code: String,
}

impl Drop for DemoServer {
    fn drop(&mut self) {
        // The process may have exited already.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

impl DemoServer {
    /// Starts the given `fitness demo` command and waits for its sign-in link.
    pub(crate) fn start(mut command: Command) -> Result<Self> {
        command.args(["--port", "0", "--no-open"]);
        let mut process =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let said = process.stderr.take().context("the server has no standard error")?;
        let mut lines = BufReader::new(said).lines();
        let link = loop {
            let line = lines.next().context("the server exited before it printed a link")??;
            if let Some((_, link)) = line.split_once("http://").filter(|(_, link)| link.contains("code=")) {
                break link.trim().to_owned();
            }
        };
        std::thread::spawn(move || lines.for_each(drop));
        let (host, rest) = link.split_once('/').context("the link has no path")?;
        let code = rest.split_once("code=").map(|(_, code)| code.to_owned()).unwrap_or_default();
        Ok(Self { process, host: host.to_owned(), code })
    }

    /// Signs a browser in; works once.
    pub(crate) fn login_link(&self) -> String {
        format!("http://{}/sign-in/link?code={}", self.host, self.code)
    }

    fn send_request(&self, request: &str) -> Result<String> {
        let mut stream = TcpStream::connect(&self.host)?;
        stream.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// Signs in and returns the session cookie.
    pub(crate) fn sign_in(&self) -> Result<String> {
        let body = format!("code={}", self.code);
        let answer = self.send_request(&format!(
            "POST /sign-in/link HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n\r\n{body}",
            host = self.host,
            length = body.len()
        ))?;
        let cookie = answer
            .lines()
            .find_map(|line| line.strip_prefix("set-cookie: "))
            .context("the response has no cookie")?;
        Ok(cookie.split(';').next().unwrap_or_default().to_owned())
    }

    /// The response with its headers.
    pub(crate) fn get(&self, path: &str, cookie: &str) -> Result<String> {
        self.send_request(&format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n",
            self.host
        ))
    }

    pub(crate) fn resident_megabytes(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
        let kib: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
        Ok(kib * 1024.0 / 1e6)
    }
}
