//! `fitness serve` over HTTP: host and origin checks, sessions, tokens, streaming chat.

use crate::coach::{DATABASE, demo_home, text};
use crate::harness::{Home, now};
use chrono::TimeDelta;
use fitness_coach::testkit::{FakeOpenAi, ScriptedReply, StreamEnd, ToolSupport};
use fitness_store::testkit;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

/// A running server, killed on drop.
pub(crate) struct TestServer {
    process: Child,
    /// Kept open, so that the server can write to it.
    stderr: BufReader<ChildStderr>,
    pub(crate) port: u16,
}

impl Drop for TestServer {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn serve(home: &Home) -> TestServer {
    serve_with(home, &[])
}

/// With additional arguments.
pub(crate) fn serve_with(home: &Home, arguments: &[&str]) -> TestServer {
    TestServer::start(home, &[&["serve", "--port", "0"], arguments].concat())
}

#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl HttpResponse {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let all = String::from_utf8_lossy(bytes).into_owned();
        let (head, body) = all.split_once("\r\n\r\n").unwrap_or((&all, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Self { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }
}

impl TestServer {
    /// Starts a server command and waits until it listens.
    pub(crate) fn start(home: &Home, arguments: &[&str]) -> Self {
        let mut command = home.command(arguments);
        let mut process =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let port = line.split("://127.0.0.1:").nth(1).and_then(|rest| rest.split('.').next()?.parse().ok());
        let port = port.unwrap_or_else(|| panic!("no address in: {line}"));
        if arguments == ["serve", "--port", "0"] {
            let mcp = format!("MCP: http://127.0.0.1:{port}/mcp");
            assert!(line.contains(&mcp), "{line}");
        }
        Self { process, stderr, port }
    }

    /// Sends SIGKILL; returns the rest of its standard error.
    pub(crate) fn kill(mut self) -> String {
        self.process.kill().unwrap();
        self.read_remaining_stderr()
    }

    /// Sends SIGTERM; returns the rest of its standard error, and whether it exited with 0.
    pub(crate) fn stop(mut self) -> (String, bool) {
        let asked = Command::new("kill").args(["-TERM", &self.process.id().to_string()]).status().unwrap();
        assert!(asked.success());
        let said = self.read_remaining_stderr();
        let ended = self.process.wait().unwrap();
        (said, ended.success())
    }

    fn read_remaining_stderr(&mut self) -> String {
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).unwrap();
        said
    }

    /// The next line of its standard error.
    pub(crate) fn next_line(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        line
    }

    /// Sends raw request lines and a body.
    pub(crate) fn request(&self, lines: &[&str], body: &str) -> HttpResponse {
        let mut stream = self.send(lines, body);
        let mut bytes = Vec::new();
        // The server may close early on an error.
        let _ = stream.read_to_end(&mut bytes);
        HttpResponse::parse(&bytes)
    }

    pub(crate) fn send(&self, lines: &[&str], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        // Cookie names contain the port.
        let head = lines.join("\r\n").replace("fitness_session=", &format!("fitness_session_{}=", self.port));
        let length =
            if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
        let whole = format!("{head}\r\n{length}Connection: close\r\n\r\n{body}");
        let _ = stream.write_all(whole.as_bytes());
        stream
    }

    pub(crate) fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    pub(crate) fn origin(&self) -> String {
        format!("Origin: http://127.0.0.1:{}", self.port)
    }

    /// A request to `/api/chat` with these headers.
    pub(crate) fn chat(&self, headers: &[&str], said: &Value) -> HttpResponse {
        let host = self.host();
        let lines = [&["POST /api/chat HTTP/1.1", &host, "Content-Type: application/json"], headers].concat();
        self.request(&lines, &said.to_string())
    }

    /// A request to `/mcp` with these headers.
    fn mcp(&self, headers: &[&str], method: &str, params: &Value) -> HttpResponse {
        let host = self.host();
        let usual = [
            "POST /mcp HTTP/1.1",
            &host,
            "Content-Type: application/json",
            "Accept: application/json, text/event-stream",
            "MCP-Protocol-Version: 2025-11-25",
        ];
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.request(&[&usual[..], headers].concat(), &message.to_string())
    }

    pub(crate) fn call(&self, token: &str, tool: &str, input: &Value) -> Value {
        let bearer = format!("Authorization: Bearer {token}");
        let reply = self.mcp(&[&bearer], "tools/call", &json!({ "name": tool, "arguments": input }));
        assert_eq!(reply.status, 200, "{reply:?}");
        let told: Value = serde_json::from_str(&reply.body).unwrap_or_else(|_| panic!("{reply:?}"));
        told["result"].clone()
    }

    #[track_caller]
    fn assert_healthy(&self) {
        let reply = self.request(&["GET /healthz HTTP/1.1", &self.host()], "");
        assert_eq!((reply.status, reply.body.as_str()), (200, "ok\n"), "{reply:?}");
    }
}

/// A session cookie; [`TestServer::send`] adds the port to its name.
pub(crate) fn cookie(home: &Home, name: &str) -> String {
    let url = home.path(DATABASE).display().to_string();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let secret = runtime.block_on(async {
        let store = testkit::open(&url).await;
        let user = store.find_user(name).await.unwrap().unwrap();
        let token = store.open_session(user.id, "a test", TimeDelta::hours(1), now()).await.unwrap();
        store.close().await;
        token.reveal().to_owned()
    });
    format!("Cookie: fitness_session={secret}")
}

/// Names and data of server-sent events.
pub(crate) fn parse_events(reply: &HttpResponse) -> Vec<(String, Value)> {
    let mut name = String::new();
    let mut found = Vec::new();
    for line in reply.body.lines() {
        if let Some(event) = line.strip_prefix("event: ") {
            name = event.to_owned();
        } else if let Some(data) = line.strip_prefix("data: ") {
            found.push((name.clone(), serde_json::from_str(data).unwrap()));
        }
    }
    found
}

fn home_with_user() -> Home {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "UTC"]);
    home
}

#[test]
fn requests_with_a_foreign_host_are_refused() {
    let home = home_with_user();
    let server = serve(&home);
    let p = server.port;
    let good =
        [format!("127.0.0.1:{p}"), format!("localhost:{p}"), format!("LocalHost:{p}"), format!("[::1]:{p}")];
    for host in &good {
        let reply = server.request(&["GET /healthz HTTP/1.1", &format!("Host: {host}")], "");
        assert_eq!(reply.status, 200, "{host}: {reply:?}");
        for header in ["x-content-type-options: nosniff", "cache-control: no-store", "frame-ancestors 'none'"]
        {
            assert!(reply.head.contains(header), "{header}: {reply:?}");
        }
    }
    let q = p.wrapping_add(1);
    let bad = [
        "127.0.0.1".to_owned(),
        "localhost".to_owned(),
        String::new(),
        "evil.example".to_owned(),
        format!("evil.example:{p}"),
        format!("127.0.0.1:{q}"),
        format!("127.0.0.1:{p}.evil.example"),
        format!("127.0.0.1.evil.example:{p}"),
        format!("localhost.:{p}"),
        format!("localhost.evil.example:{p}"),
        format!("0.0.0.0:{p}"),
        format!("127.1:{p}"),
        format!("127.0.0.2:{p}"),
        format!("2130706433:{p}"),
        format!("[::ffff:127.0.0.1]:{p}"),
        format!("::1:{p}"),
        format!("ann@127.0.0.1:{p}"),
        format!("127.0.0.1:{p}@evil.example"),
        format!("127.0.0.1:0{p}"),
        format!("127.0.0.1:{p}, evil.example"),
        format!("http://127.0.0.1:{p}"),
        "169.254.169.254".to_owned(),
    ];
    for host in &bad {
        for path in ["/healthz", "/mcp", "/nothing"] {
            let reply = server.request(&[&format!("GET {path} HTTP/1.1"), &format!("Host: {host}")], "");
            assert_eq!(reply.status, 421, "{host}: {reply:?}");
        }
    }
    let own = server.host();
    for lines in [
        vec!["GET /healthz HTTP/1.1"],
        vec!["GET /healthz HTTP/1.1", &own, &own],
        vec!["GET /healthz HTTP/1.1", &own, "Host: evil.example"],
        vec!["GET http://evil.example/healthz HTTP/1.1", &own],
    ] {
        let reply = server.request(&lines, "");
        assert!(matches!(reply.status, 400 | 421), "{lines:?}: {reply:?}");
    }
    server.assert_healthy();
}

#[test]
fn chat_api_needs_a_session_and_the_same_origin() {
    let home = home_with_user();
    let (server, cookie) = (serve(&home), cookie(&home, "Ann"));
    let (p, own, said) = (server.port, server.origin(), json!({ "text": "How is my form?" }));
    for origin in [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        "http://127.0.0.1".to_owned(),
        format!("https://127.0.0.1:{p}"),
        format!("http://127.0.0.1:{}", p.wrapping_add(1)),
        format!("http://127.0.0.1:{p}.evil.example"),
        format!("http://127.0.0.1:{p}/"),
        format!("http://ann@127.0.0.1:{p}"),
        format!("http://127.0.0.2:{p}"),
        format!("127.0.0.1:{p}"),
        format!("file://127.0.0.1:{p}"),
        format!("chrome-extension://127.0.0.1:{p}"),
        format!("http://127.0.0.1:{p} http://evil.example"),
        String::new(),
    ] {
        let reply = server.chat(&[&cookie, &format!("Origin: {origin}")], &said);
        assert_eq!(reply.status, 403, "{origin}: {reply:?}");
    }
    assert_eq!(server.chat(&[&cookie], &said).status, 403, "without an Origin");
    assert_eq!(server.chat(&[&cookie, &own, "Origin: http://evil.example"], &said).status, 403);
    assert_eq!(server.chat(&[&own], &said).status, 401, "without a cookie");
    for wrong in [
        "Cookie: fitness_session=",
        "Cookie: fitness_session=00112233445566778899aabbccddeeff",
        "Cookie: other=1",
    ] {
        assert_eq!(server.chat(&[&own, wrong], &said).status, 401, "{wrong}");
    }
    let twice = format!("{cookie}; {}", cookie.trim_start_matches("Cookie: "));
    assert_eq!(server.chat(&[&own, &twice], &said).status, 401, "ambiguous");
    let token = text(&home.json(&["token", "add", "Desk", "--scope", "draft"])["token"]);
    let bearer = format!("Authorization: Bearer {token}");
    assert_eq!(server.chat(&[&own, &bearer], &said).status, 403, "tokens are not accepted here");
    assert_eq!(server.chat(&[&own, &bearer, &cookie], &said).status, 403);
    for bad in [json!({}), json!({ "text": 1 }), json!({ "text": "x", "user": 1 }), json!([])] {
        assert_eq!(server.chat(&[&own, &cookie], &bad).status, 422, "{bad}");
    }
    let huge = json!({ "text": "x".repeat(300_000) });
    assert_eq!(server.chat(&[&own, &cookie], &huge).status, 413);
    assert_eq!(home.json(&["chat", "--list"]), json!([]), "no chat was created");
    for origin in [own.clone(), format!("Origin: http://localhost:{p}")] {
        assert_eq!(server.chat(&[&cookie, &origin], &said).status, 200);
    }
    for (line, status) in [
        ("GET /api/chat HTTP/1.1", 405),
        ("GET / HTTP/1.1", 303),
        ("GET /api HTTP/1.1", 404),
        ("GET /mcp/x HTTP/1.1", 404),
        ("GET /../../etc/passwd HTTP/1.1", 404),
        ("GET /.well-known/oauth-protected-resource/mcp HTTP/1.1", 200),
    ] {
        assert_eq!(server.request(&[line, &server.host()], "").status, status, "{line}");
    }
    server.assert_healthy();
}

#[test]
fn chat_streams_text_tool_calls_and_cards() {
    let home = demo_home();
    home.ok(&["user", "add", "Ben"]);
    let (server, cookie) = (serve(&home), cookie(&home, "Ann"));
    let own = server.origin();
    let race = crate::planning::today(&demo_home()).plus_days(140);
    let draft = json!({ "text": format!("Draft a half marathon plan for {race} in 1:45") });
    let reply = server.chat(&[&own, &cookie], &draft);
    assert!(reply.head.contains("text/event-stream"), "{reply:?}");
    let told = parse_events(&reply);
    let names: Vec<&str> = told.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["begun", "tool", "card", "tool", "text", "end"], "{told:#?}");
    let told = &told[1..];
    assert_eq!((&told[0].1["name"], &told[0].1["state"]), (&json!("draft_training_plan"), &json!("doing")));
    assert_eq!(told[2].1["state"], "done");
    assert_eq!(
        told[1].1,
        json!({ "kind": "draft", "plan_id": 1, "review": format!("http://127.0.0.1:{}/plans/1", server.port) })
    );
    let end = &told[4].1;
    assert_eq!(
        (&end["ended"], &end["model"], &end["unverified"]),
        (&json!("answered"), &json!("built-in"), &json!([]))
    );
    assert_eq!(end["answer"], told[3].1["text"]);
    let plans = home.json(&["--user", "Ann", "plan", "list"]);
    assert_eq!((plans.as_array().unwrap().len(), &plans[0]["status"]), (1, &json!("draft")), "{plans}");
    assert_eq!(home.json(&["--user", "Ben", "plan", "list"]), json!([]));

    let more = server.chat(&[&own, &cookie], &json!({ "text": "How is my form?", "chat": end["chat"] }));
    assert_eq!(parse_events(&more).last().unwrap().1["chat"], end["chat"]);
    let bens = self::cookie(&home, "Ben");
    for (cookie, chat) in [(&bens, end["chat"].clone()), (&cookie, json!(4711))] {
        let reply = server.chat(&[&own, cookie], &json!({ "text": "Hello", "chat": chat }));
        assert_eq!(
            parse_events(&reply),
            [("error".to_owned(), json!({ "message": "there is no such chat" }))]
        );
    }
    server.assert_healthy();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn client_disconnect_cancels_the_turn() {
    // The server also requests the morning brief.
    let fake = FakeOpenAi::start(ToolSupport::Native, |asked| match asked.response_schema {
        Some(_) => ScriptedReply::text("{}"),
        None => ScriptedReply::text("Let me think about it").with_end(StreamEnd::Stall(4)),
    })
    .await;
    let home = home_with_user();
    let address = fake.address().join("").to_string();
    home.ok(&["coach", "use", "openai", "--address", address.trim_end_matches('/'), "--model", "local"]);
    let cookie =
        tokio::task::block_in_place(|| std::thread::scope(|all| all.spawn(|| cookie(&home, "Ann")).join()))
            .unwrap();
    let server = serve(&home);
    let (host, own) = (server.host(), server.origin());
    let lines = ["POST /api/chat HTTP/1.1", &host, "Content-Type: application/json", &own, &cookie];
    let stream = server.send(&lines, &json!({ "text": "Are you there?" }).to_string());
    while !fake.requests().iter().any(|seen| seen.raw_body.contains("Are you there?")) {
        tokio::task::yield_now().await;
    }
    // The first event has the chat id; then the reply starts.
    let mut heard = String::new();
    let mut stream = BufReader::new(stream);
    let deadline = std::time::Instant::now() + Duration::from_secs(60);
    while !heard.contains("bout it") {
        assert!(stream.read_line(&mut heard).unwrap() > 0, "{heard}");
        assert!(std::time::Instant::now() < deadline, "{heard}");
    }
    assert!(heard.contains("event: begun") && heard.contains("data: {\"chat\":1}"), "{heard}");
    drop(stream);
    tokio::time::timeout(Duration::from_secs(60), fake.wait_for_disconnect())
        .await
        .expect("the request to the model is cancelled");
    server.assert_healthy();
    let chats = home.json(&["chat", "--list"]);
    assert_eq!(chats.as_array().unwrap().len(), 1, "the message is stored: {chats}");
    // The partial reply is stored too.
    let page = || server.request(&["GET /coach?chat=1 HTTP/1.1", &server.host(), &cookie], "").body;
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while !page().contains("Let me think about it") {
        assert!(std::time::Instant::now() < deadline, "{}", page());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(page().contains("This conversation: ") && page().contains("Today: "), "{}", page());
}

#[test]
fn mcp_token_is_limited_to_its_scope() {
    let home = demo_home();
    let (server, cookie) = (serve(&home), cookie(&home, "Ann"));
    let token = |scope: &str| text(&home.json(&["token", "add", scope, "--scope", scope])["token"]);
    let (read, draft) = (token("read"), token("draft"));
    let bearer = |secret: &str| format!("Authorization: Bearer {secret}");
    let list = |headers: &[&str]| server.mcp(headers, "tools/list", &json!({}));
    let turned = format!("Authorization: Basic {draft}");
    for (what, headers) in [
        ("nothing", vec![]),
        ("a wrong token", vec![bearer("00112233445566778899aabbccddeeff")]),
        ("a short token", vec![bearer("x")]),
        ("another scheme", vec![turned]),
        ("two tokens", vec![bearer(&read), bearer(&draft)]),
        ("a session", vec![cookie.clone(), server.origin()]),
        (
            "a session's secret as a token",
            vec![bearer(cookie.trim_start_matches("Cookie: fitness_session="))],
        ),
    ] {
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        let reply = list(&headers);
        assert_eq!(reply.status, 401, "{what}: {reply:?}");
        assert!(
            reply.head.contains("www-authenticate: bearer") && reply.head.contains("resource_metadata="),
            "{reply:?}"
        );
    }
    for origin in ["null", "http://evil.example", "http://127.0.0.1:1"] {
        let reply = list(&[&bearer(&read), &format!("Origin: {origin}")]);
        assert_eq!(reply.status, 403, "{origin}: {reply:?}");
    }
    assert_eq!(list(&[&bearer(&read), &server.origin()]).status, 200);

    let race = json!({ "goal": "half", "race_date": crate::planning::today(&home).plus_days(140) });
    let refused = server.call(&read, "draft_training_plan", &race);
    assert_eq!(refused["isError"], true, "{refused}");
    assert_eq!(home.json(&["plan", "list"]), json!([]), "nothing was stored");
    assert_eq!(server.call(&read, "daily_snapshot", &json!({}))["isError"], false);
    let drafted = server.call(&draft, "draft_training_plan", &race);
    let told = &drafted["structuredContent"];
    assert_eq!((&told["plan_id"], &told["status"]), (&json!(1), &json!("draft")), "{drafted}");
    assert_eq!(home.json(&["plan", "list"])[0]["status"], "draft");
    let huge = json!({ "name": "suggest_note", "arguments": { "text": "x".repeat(2 << 20) } });
    assert_eq!(server.mcp(&[&bearer(&draft)], "tools/call", &huge).status, 413);

    let used = home.json(&["token", "list"]);
    assert!(used.as_array().unwrap().iter().all(|token| token["used_at"].is_string()), "{used}");
    home.ok(&["token", "revoke", "2"]);
    assert_eq!(list(&[&bearer(&draft)]).status, 401, "revoked");
    assert_eq!(list(&[&bearer(&read)]).status, 200, "the other token is still valid");
    server.assert_healthy();
}
