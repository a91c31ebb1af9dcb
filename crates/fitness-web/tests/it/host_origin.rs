//! Under which names the server answers, and from where it takes forms: a table of each, in the router and over a socket.

use crate::harness::{BASE_URL, TestSite, form, prompts};
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use fitness_web::{HostNames, serve};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const ALLOWED: bool = true;
const REFUSED: bool = false;

/// `Host`, and whether it is one of ours: the server listens on port 8787 of this machine.
const HOSTS: [(&str, bool); 40] = [
    ("127.0.0.1:8787", ALLOWED),
    ("localhost:8787", ALLOWED),
    ("LOCALHOST:8787", ALLOWED),
    ("[::1]:8787", ALLOWED),
    ("", REFUSED),
    ("127.0.0.1", REFUSED),
    ("localhost", REFUSED),
    ("[::1]", REFUSED),
    ("::1", REFUSED),
    ("::1:8787", REFUSED),
    ("127.0.0.1:80", REFUSED),
    ("127.0.0.1:87870", REFUSED),
    ("127.0.0.1:08787", REFUSED),
    ("127.0.0.1:8787:8787", REFUSED),
    ("127.0.0.1:", REFUSED),
    (":8787", REFUSED),
    ("127.0.0.1.:8787", REFUSED),
    ("localhost.:8787", REFUSED),
    ("127.0.0.1:8787.", REFUSED),
    ("evil.example", REFUSED),
    ("evil.example:8787", REFUSED),
    ("127.0.0.1.evil.example:8787", REFUSED),
    ("localhost.evil.example:8787", REFUSED),
    ("evil-127.0.0.1:8787", REFUSED),
    ("evil.localhost:8787", REFUSED),
    ("127.0.0.1.nip.io:8787", REFUSED),
    ("7f000001.rbndr.us:8787", REFUSED),
    ("localtest.me:8787", REFUSED),
    ("127.1:8787", REFUSED),
    ("0x7f.0.0.1:8787", REFUSED),
    ("2130706433:8787", REFUSED),
    ("0.0.0.0:8787", REFUSED),
    ("127.0.0.2:8787", REFUSED),
    ("[::ffff:127.0.0.1]:8787", REFUSED),
    ("[0:0:0:0:0:0:0:1]:8787", REFUSED),
    ("[::1%25lo]:8787", REFUSED),
    ("ann@127.0.0.1:8787", REFUSED),
    ("127.0.0.1:8787@evil.example", REFUSED),
    ("xn--lcalhost-n9a:8787", REFUSED),
    ("127.0.0.1:8787, evil.example", REFUSED),
];

/// `Origin`, and whether a form may come from there.
const ORIGINS: [(&str, bool); 44] = [
    ("http://127.0.0.1:8787", ALLOWED),
    ("http://localhost:8787", ALLOWED),
    ("http://[::1]:8787", ALLOWED),
    ("HTTP://LOCALHOST:8787", ALLOWED),
    ("", REFUSED),
    ("null", REFUSED),
    ("NULL", REFUSED),
    ("*", REFUSED),
    ("http://", REFUSED),
    ("127.0.0.1:8787", REFUSED),
    ("//127.0.0.1:8787", REFUSED),
    ("http://127.0.0.1", REFUSED),
    ("http://127.0.0.1:80", REFUSED),
    ("http://127.0.0.1:87870", REFUSED),
    ("http://127.0.0.1:08787", REFUSED),
    ("http://127.0.0.1:8787/", REFUSED),
    ("http://127.0.0.1:8787/plan", REFUSED),
    ("http://127.0.0.1:8787?x", REFUSED),
    ("http://127.0.0.1:8787#x", REFUSED),
    ("http://127.0.0.1:8787.evil.example", REFUSED),
    ("http://127.0.0.1.evil.example:8787", REFUSED),
    ("http://evil.example/http://127.0.0.1:8787", REFUSED),
    ("http://evil.example#http://127.0.0.1:8787", REFUSED),
    ("http://evil.example", REFUSED),
    ("http://evil.example:8787", REFUSED),
    ("http://localhost.:8787", REFUSED),
    ("http://evil.localhost:8787", REFUSED),
    ("http://localhost.evil.example:8787", REFUSED),
    ("http://127.1:8787", REFUSED),
    ("http://2130706433:8787", REFUSED),
    ("http://0.0.0.0:8787", REFUSED),
    ("http://127.0.0.2:8787", REFUSED),
    ("http://[::ffff:127.0.0.1]:8787", REFUSED),
    ("http://[0:0:0:0:0:0:0:1]:8787", REFUSED),
    ("http://ann@127.0.0.1:8787", REFUSED),
    ("http://127.0.0.1:8787@evil.example", REFUSED),
    ("https://127.0.0.1:8787", REFUSED),
    ("ws://127.0.0.1:8787", REFUSED),
    ("file://", REFUSED),
    ("file://127.0.0.1:8787", REFUSED),
    ("chrome-extension://abcdefghijklmnop", REFUSED),
    ("moz-extension://127.0.0.1:8787", REFUSED),
    ("http://xn--lcalhost-n9a:8787", REFUSED),
    ("http://127.0.0.1:8787 http://evil.example", REFUSED),
];

fn request_with_host(host: &str, path: &str) -> Request<Body> {
    Request::builder().uri(path).header(header::HOST, host).body(Body::empty()).unwrap()
}

#[tokio::test]
async fn requests_under_unknown_host_are_refused() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let browser = site.signed_in(ann).await;
    let mut paths: Vec<&str> = site.routes.iter().map(|route| route.path).collect();
    paths.retain(|path| !path.contains('{'));
    paths.push("/nothing/here");
    for (host, ours) in HOSTS {
        for path in if ours { vec!["/healthz"] } else { paths.clone() } {
            let mut request = request_with_host(host, path);
            let cookie = browser.request("GET", "/").body(Body::empty()).unwrap();
            request.headers_mut().insert(header::COOKIE, cookie.headers()[header::COOKIE].clone());
            let page = browser.send(request).await;
            let due = if ours { StatusCode::OK } else { StatusCode::MISDIRECTED_REQUEST };
            assert_eq!(page.status, due, "{host:?} {path}: {}", page.text);
        }
        if !ours && !host.is_empty() {
            let mut request = form(Request::builder().method("POST").uri("/sign-in/link"), &[("code", "x")]);
            request.headers_mut().insert(header::HOST, host.parse().unwrap());
            request.headers_mut().insert(header::ORIGIN, BASE_URL.parse().unwrap());
            assert_eq!(browser.send(request).await.status, StatusCode::MISDIRECTED_REQUEST, "{host}");
        }
    }
    // The name in the line of the request counts as well: both, or the one there is.
    for (line, host, due) in [
        ("http://127.0.0.1:8787/healthz", Some("127.0.0.1:8787"), 200),
        ("http://127.0.0.1:8787/healthz", None, 200),
        ("http://evil.example/healthz", Some("127.0.0.1:8787"), 421),
        ("http://127.0.0.1:8787/healthz", Some("evil.example"), 421),
        ("http://127.0.0.1:8787/healthz", Some("localhost:8787"), 421),
        ("http://evil.example/healthz", None, 421),
        ("/healthz", None, 421),
    ] {
        let mut request = Request::builder().uri(line);
        if let Some(host) = host {
            request = request.header(header::HOST, host);
        }
        let page = browser.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(page.status.as_u16(), due, "{line} {host:?}");
    }
}

#[tokio::test]
async fn forms_come_from_its_own_pages_and_from_nowhere_else() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let browser = site.signed_in(ann).await;
    let store = &site.db.store;
    let fields = [("form_token", browser.token.as_str()), ("note", "From where?")];
    let version = store.data_version().await.unwrap();
    for (origin, _) in ORIGINS.iter().filter(|(_, ours)| !ours) {
        for path in ["/notes", "/sign-in", "/sign-in/link", "/api/chat"] {
            let request = form(browser.request("POST", path).header(header::ORIGIN, *origin), &fields);
            let page = browser.send(request).await;
            assert_eq!(page.status, StatusCode::FORBIDDEN, "{origin:?} {path}: {}", page.text);
        }
        // Beside one of ours it is no better, whichever comes first.
        for (first, second) in [(BASE_URL, *origin), (*origin, BASE_URL)] {
            let request = browser.request("POST", "/notes").header(header::ORIGIN, first);
            let page = browser.send(form(request.header(header::ORIGIN, second), &fields)).await;
            assert_eq!(page.status, StatusCode::FORBIDDEN, "{first:?} {second:?}: {}", page.text);
        }
    }
    assert_eq!(store.data_version().await.unwrap(), version, "nothing was written");
    for (at, (origin, _)) in ORIGINS.iter().filter(|(_, ours)| *ours).enumerate() {
        let request = form(browser.request("POST", "/notes").header(header::ORIGIN, *origin), &fields);
        browser.send(request).await.redirect_target();
        assert_eq!(store.list_notes(ann).await.unwrap().len(), at + 1, "{origin}");
    }
}

#[test]
fn a_site_that_is_encrypted_takes_no_form_from_one_that_is_not() {
    let names = HostNames::new(8787, "https://fitness.example.org");
    assert!(
        names.is_secure()
            && names.allows_host("fitness.example.org")
            && names.allows_host("FITNESS.example.org")
    );
    assert!(names.allows_origin("https://fitness.example.org"));
    for origin in [
        "http://fitness.example.org",
        "https://fitness.example.org:443",
        "https://fitness.example.org:8787",
        "https://fitness.example.org.",
        "https://www.fitness.example.org",
        "https://fitness.example.org.evil.example",
        "https://evil.example",
        "https://127.0.0.1:8787",
    ] {
        assert!(!names.allows_origin(origin), "{origin}");
    }
    for host in
        ["fitness.example.org:443", "fitness.example.org:8787", "example.org", "a.fitness.example.org"]
    {
        assert!(!names.allows_host(host), "{host}");
    }
}

/// Sends bytes to a socket; gives back the head of the answer.
async fn raw_response(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    // Whoever is refused may be hung up on.
    drop(stream.read_to_end(&mut bytes).await);
    let all = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    all.split("\r\n\r\n").next().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn host_check_holds_over_a_socket() {
    let site = TestSite::new().await;
    site.db.user("Ann").await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let mut app = site.app();
    app.host_names = HostNames::new(port, &format!("http://127.0.0.1:{port}"));
    let served = tokio::spawn(serve(listener, app, prompts(), async { drop(stopped.await) }));
    let own = format!("127.0.0.1:{port}");
    let end = "Connection: close\r\n\r\n";
    for (request, due) in [
        (format!("GET /healthz HTTP/1.1\r\nHost: {own}\r\n"), "200"),
        (format!("GET http://{own}/healthz HTTP/1.1\r\nHost: {own}\r\n"), "200"),
        (format!("GET http://evil.example/healthz HTTP/1.1\r\nHost: {own}\r\n"), "421"),
        (format!("GET http://{own}/healthz HTTP/1.1\r\nHost: evil.example\r\n"), "421"),
        (format!("GET http://ann@{own}/healthz HTTP/1.1\r\nHost: {own}\r\n"), "421"),
        (format!("GET file:///healthz HTTP/1.1\r\nHost: {own}\r\n"), "4"),
        ("GET /healthz HTTP/1.1\r\n".to_owned(), "421"),
        ("GET /healthz HTTP/1.0\r\n".to_owned(), "421"),
        (format!("GET /healthz HTTP/1.1\r\nHost: {own}\r\nHost: {own}\r\n"), "421"),
        (format!("GET /healthz HTTP/1.1\r\nHost: {own}\r\nHost: evil.example\r\n"), "421"),
        (format!("GET /healthz HTTP/1.1\r\nHost: evil.example\r\nHost: {own}\r\n"), "421"),
        (format!("GET /healthz HTTP/1.1\r\nHost: {own}\r\nX-Forwarded-Host: evil.example\r\n"), "200"),
        (format!("GET /healthz HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: {own}\r\n"), "421"),
        (format!("GET /healthz HTTP/1.1\r\nHost: evil.example\r\nForwarded: host={own}\r\n"), "421"),
        (format!("GET /healthz HTTP/1.1\r\nHost: {own}\u{e9}\r\n"), "4"),
        (format!("GET /healthz HTTP/1.1\r\nHost : {own}\r\n"), "400"),
        (format!("GET /healthz HTTP/1.1\r\nHost: {own}\r\n folded\r\n"), "4"),
        (format!("CONNECT {own} HTTP/1.1\r\nHost: {own}\r\n"), "4"),
        (format!("OPTIONS * HTTP/1.1\r\nHost: {own}\r\n"), "4"),
        (format!("POST /sign-in/link HTTP/1.1\r\nHost: {own}\r\nContent-Length: 0\r\n"), "403"),
    ] {
        let head = raw_response(port, &format!("{request}{end}")).await;
        let status = head.split(' ').nth(1).unwrap_or_default();
        assert!(status.starts_with(due), "{request:?}: {head}");
        // Whoever is refused is told as little as whoever is not.
        assert!(!head.contains("\nserver:") && !head.contains("\nstrict-transport-security:"), "{head}");
        assert!(!head.contains("access-control-allow"), "{head}");
    }
    drop(stop);
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn responses_have_security_headers_and_no_server_header() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let browser = site.signed_in(ann).await;
    for route in site.routes.iter().filter(|route| route.method == "GET" && !route.path.contains('{')) {
        for page in [browser.get(route.path).await, site.signed_out_browser().get(route.path).await] {
            let told = |name: &str| page.headers.get(name).map_or("", |value| value.to_str().unwrap());
            let path = route.path;
            assert_eq!(told("x-content-type-options"), "nosniff", "{path}");
            assert_eq!(told("referrer-policy"), "same-origin", "{path}");
            let policy = told("content-security-policy");
            assert!(policy.starts_with("default-src 'none';"), "{path}: {policy}");
            assert!(
                policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"),
                "{path}: {policy}"
            );
            assert_eq!(told("cache-control"), "no-store", "{path}");
            for name in ["server", "x-powered-by", "strict-transport-security", "access-control-allow-origin"]
            {
                assert!(!page.headers.contains_key(name), "{path}: {name}");
            }
            assert!(
                !page.contains(" style=\"") && !page.contains("<style") && !page.contains("onclick="),
                "{path}"
            );
        }
    }
}
