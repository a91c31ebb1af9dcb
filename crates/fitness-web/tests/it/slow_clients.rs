//! Clients that send slowly or not at all, over real sockets on loopback.

use crate::harness::{TestSite, prompts};
use chrono::TimeDelta;
use fitness_core::domain::content_hash::ContentHash;
use fitness_store::testkit::now;
use fitness_web::{App, ConnectionSettings, HostNames, Network, serve};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// A server on a port of its own, for as long as this lives.
struct Server {
    port: u16,
    task: JoinHandle<std::io::Result<()>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    async fn start(mut app: App) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        app.host_names = HostNames::new(port, &format!("http://127.0.0.1:{port}"));
        Self { port, task: tokio::spawn(serve(listener, app, prompts(), std::future::pending())) }
    }

    /// Opens a connection and sends these bytes on it.
    async fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream
    }

    /// The head of a POST that announces a form and sends a part of it.
    fn partial_form(&self, path: &str, more: &str) -> Vec<u8> {
        let own = format!("127.0.0.1:{}", self.port);
        format!(
            "POST {path} HTTP/1.1\r\nHost: {own}\r\nOrigin: http://{own}\r\n{more}\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 4096\r\n\r\nname=Ann&pass"
        )
        .into_bytes()
    }

    /// How long `/healthz` takes; `None` when it did not answer in ten seconds.
    async fn health_latency(&self) -> Option<Duration> {
        let begun = Instant::now();
        let answered = timeout(Duration::from_secs(10), async {
            let request = format!(
                "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n",
                self.port
            );
            let mut stream = self.send(request.as_bytes()).await;
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
        });
        answered.await.is_ok().then(|| begun.elapsed())
    }
}

/// The most that `/healthz` may take.
const MAX_RESPONSE_TIME: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn six_hundred_half_sent_forms_leave_the_server_answering() {
    let site = TestSite::new().await;
    site.db.user("Ann").await;
    let server = Server::start(site.app()).await;
    let mut held = Vec::new();
    let form = server.partial_form("/sign-in", "");
    let mut slowest = Duration::ZERO;
    for at in 0..600 {
        held.push(server.send(&form).await);
        if at % 100 == 99 {
            slowest = slowest.max(server.health_latency().await.unwrap_or(Duration::MAX));
        }
    }
    assert!(slowest < MAX_RESPONSE_TIME, "{slowest:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn six_hundred_silent_connections_leave_the_server_answering() {
    let site = TestSite::new().await;
    let server = Server::start(site.app()).await;
    let mut held = Vec::new();
    for at in 0..600 {
        held.push(server.send(if at % 2 == 0 { b"" } else { b"GET / HTTP/1.1\r\nHost: a" }).await);
    }
    let took = server.health_latency().await.unwrap_or(Duration::MAX);
    assert!(took < MAX_RESPONSE_TIME, "{took:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_that_stops_arriving_is_answered_with_a_timeout() {
    let site = TestSite::new().await;
    site.db.user("Ann").await;
    let mut app = site.app();
    app.connections.body_grace_period = Duration::from_millis(300);
    let server = Server::start(app).await;
    let mut answer = String::new();
    let mut stream = server.send(&server.partial_form("/sign-in", "")).await;
    timeout(Duration::from_secs(20), stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    // A trickle is below the least rate, though there is always another byte.
    let stream = server.send(&server.partial_form("/sign-in", "")).await;
    let (mut read, mut write) = stream.into_split();
    let trickle = async {
        while write.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let mut answer = [0; 13];
    let ended = async {
        tokio::select! {
            read = read.read_exact(&mut answer) => drop(read),
            () = trickle => {}
        }
    };
    timeout(Duration::from_secs(20), ended).await.unwrap();
    assert!([*b"HTTP/1.1 408 ", [0; 13]].contains(&answer), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_over_a_slow_link_arrives_while_others_hold_connections_open() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let secret = site.db.store.open_session(ann, "a test", TimeDelta::hours(1), now()).await.unwrap();
    let mut app = site.app();
    // Much less than the upload takes: only its rate lets it through.
    app.connections.body_grace_period = Duration::from_millis(200);
    let server = Server::start(app).await;
    let token = ContentHash::hash_bytes(format!("form of {}", secret.reveal()).as_bytes());
    let file = "no activity ".repeat(10_000);
    let body = format!(
        "--b\r\nContent-Disposition: form-data; name=\"form_token\"\r\n\r\n{token}\r\n--b\r\n\
         Content-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\n{file}\r\n--b--\r\n"
    );
    let (port, length) = (server.port, body.len());
    let head = format!(
        "POST /import HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n\
         Cookie: fitness_session_{port}={}\r\nContent-Type: multipart/form-data; boundary=b\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n",
        secret.reveal()
    );
    let mut upload = server.send(head.as_bytes()).await;
    let (mut held, form) = (Vec::new(), server.partial_form("/sign-in", ""));
    for chunk in body.as_bytes().chunks(2500) {
        upload.write_all(chunk).await.unwrap();
        // 50 kB a second.
        tokio::time::sleep(Duration::from_millis(50)).await;
        for _ in 0..10 {
            held.push(server.send(&form).await);
        }
    }
    let mut answer = String::new();
    upload.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 303 "), "{answer}");
    assert!(held.len() > 400);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_connection_is_closed() {
    let site = TestSite::new().await;
    let mut app = site.app();
    app.connections.header_timeout = Duration::from_millis(300);
    let server = Server::start(app).await;
    let request = format!("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", server.port);
    for bytes in [request.as_bytes(), b"", b"GET /heal"] {
        let mut stream = server.send(bytes).await;
        let mut answer = Vec::new();
        let ended = timeout(Duration::from_secs(20), stream.read_to_end(&mut answer)).await;
        ended.expect("it is closed").unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_through_a_trusted_proxy_are_limited_by_client() {
    for trusted in [true, false] {
        let site = TestSite::new().await;
        site.db.user("Ann").await;
        let mut app = site.app();
        let proxies: &[&str] = if trusted { &["127.0.0.1"] } else { &[] };
        app.connections = ConnectionSettings {
            max_per_address: 4,
            trusted_proxies: proxies.iter().map(|one| one.parse::<Network>().unwrap()).collect(),
            ..ConnectionSettings::default()
        };
        let server = Server::start(app).await;
        let mut bens = server.send(&server.partial_form("/sign-in", "X-Forwarded-For: 192.0.2.2\r\n")).await;
        // Each is registered before the next one is opened.
        assert!(server.health_latency().await.is_some());
        let mut strangers = Vec::new();
        for _ in 0..8 {
            let form = server.partial_form("/sign-in", "X-Forwarded-For: 192.0.2.66\r\n");
            strangers.push(server.send(&form).await);
            assert!(server.health_latency().await.is_some());
        }
        let mut closed = 0;
        for stranger in &mut strangers {
            let ended = timeout(Duration::from_millis(50), stranger.read(&mut [0; 1])).await;
            closed += usize::from(ended.is_ok());
        }
        assert!(closed >= 4, "{closed}");
        let open = timeout(Duration::from_millis(200), bens.read(&mut [0; 1])).await.is_err();
        assert_eq!(open, trusted, "without the setting the header is not believed");
    }
}
