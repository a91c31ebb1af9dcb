//! First-user setup, sign-in links, TLS and public bind addresses.

use crate::harness::Home;
use crate::serve::{HttpResponse, TestServer, serve, serve_with};
use fitness_store::testkit;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tls").join(name).display().to_string()
}

/// A form sent from one of the server's own pages.
fn post(server: &TestServer, path: &str, body: &str) -> HttpResponse {
    let (line, host, origin) = (format!("POST {path} HTTP/1.1"), server.host(), server.origin());
    server.request(&[&line, &host, &origin, "Content-Type: application/x-www-form-urlencoded"], body)
}

fn get(server: &TestServer, path: &str) -> HttpResponse {
    server.request(&[&format!("GET {path} HTTP/1.1"), &server.host()], "")
}

/// The code in the setup link that a new server prints.
fn setup_code(server: &mut TestServer) -> String {
    assert!(server.next_line().starts_with("No users yet."));
    server.next_line();
    let link = server.next_line();
    let start = format!("http://127.0.0.1:{}/setup?code=", server.port);
    link.trim().strip_prefix(&start).unwrap_or_else(|| panic!("{link}")).to_owned()
}

#[test]
fn setup_link_creates_the_first_user_once() {
    let home = Home::new();
    let mut server = serve(&home);
    let code = setup_code(&mut server);
    assert_eq!(get(&server, "/").status, 303);
    assert!(get(&server, "/sign-in").body.contains("No users yet"));
    for wrong in ["/setup", "/setup?code=", &format!("/setup?code={}", "0".repeat(64))] {
        assert_eq!(get(&server, wrong).status, 410, "{wrong}");
    }
    let page = get(&server, &format!("/setup?code={code}"));
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.body.contains(&code) && page.body.contains("Your name"));
    assert_eq!(get(&server, &format!("/setup?code={code}")).status, 200, "looking does not use it up");

    assert_eq!(post(&server, "/setup", "code=wrong&name=Eve").status, 410);
    for (body, says) in [
        ("name=", "Enter your name."),
        ("name=a%2Fb", "no slash"),
        ("name=Ann&password=short&again=short", "8 to 200 characters"),
        ("name=Ann&password=long+enough&again=else+entirely", "don't match"),
        ("name=Ann&password=long%00enough&again=long%00enough", "invisible characters"),
        // Both errors at once.
        ("name=a%2Fb&password=short&again=short", "no slash"),
        ("name=a%2Fb&password=short&again=short", "8 to 200 characters"),
    ] {
        let reply = post(&server, "/setup", &format!("code={code}&{body}"));
        assert_eq!(reply.status, 422, "{body}: {reply:?}");
        assert!(reply.body.contains(says), "{body}: {}", reply.body);
    }
    assert_eq!(home.json(&["user", "list"]), serde_json::json!([]));

    let reply = post(&server, "/setup", &format!("code={code}&name=Ann&password=&again="));
    assert_eq!(reply.status, 303, "{reply:?}");
    let cookie = format!("set-cookie: fitness_session_{}=", server.port);
    assert!(reply.head.contains("location: /welcome") && reply.head.contains(&cookie), "{reply:?}");
    // Without a password, decisions need a code from the terminal.
    let cookie = format!("Cookie: {}", set_cookie(&reply));
    let asked = server.request(&["GET /settings/account/delete HTTP/1.1", &server.host(), &cookie], "");
    assert!(asked.status == 303 && asked.head.contains("location: /confirm"), "{asked:?}");
    assert_eq!(post(&server, "/setup", &format!("code={code}&name=Eve")).status, 410, "only once");
    assert_eq!(get(&server, &format!("/setup?code={code}")).status, 410);
    assert_eq!(home.json(&["user", "list"]).as_array().unwrap().len(), 1);
    drop(server);

    let mut again = serve(&home);
    assert!(again.next_line().contains("run `fitness login`"));
    assert_eq!(get(&again, &format!("/setup?code={code}")).status, 410);
}

#[test]
fn a_link_signs_a_browser_in_once() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "UTC"]);
    let server = serve(&home);
    let port = server.port.to_string();
    let (link, _) = home.login("Ann", &["--port", &port]);
    let path = link.strip_prefix(&format!("http://127.0.0.1:{port}")).unwrap();
    assert!(home.login("Ann", &[]).0.starts_with("http://127.0.0.1:8787/sign-in/link?code="));
    assert_eq!(get(&server, path).status, 410, "a newer link ends the older");
    let (link, typed) = home.login("Ann", &["--user", "ann", "--site", "https://fitness.example.org/"]);
    let code = link.strip_prefix("https://fitness.example.org/sign-in/link?code=").unwrap();
    assert_eq!(get(&server, &format!("/sign-in/link?code={code}")).status, 200);
    let body = format!("code={code}");
    let reply = post(&server, "/sign-in/link", &body);
    assert_eq!(reply.status, 303, "{reply:?}");
    assert!(!reply.head.contains("strict-transport-security"), "not without TLS");
    assert_eq!(post(&server, "/sign-in/link", &body).status, 410);

    // Decisions need the code from the terminal.
    let cookie = format!("Cookie: {}", set_cookie(&reply));
    let ask = || server.request(&["GET /settings/account/delete HTTP/1.1", &server.host(), &cookie], "");
    let refused = ask();
    assert!(refused.head.contains("location: /confirm?to=%2fsettings%2faccount%2fdelete"), "{refused:?}");
    let page = server.request(&["GET /confirm HTTP/1.1", &server.host(), &cookie], "");
    let token = page.body.split("name=\"form_token\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let form = "Content-Type: application/x-www-form-urlencoded";
    let typed = format!("form_token={token}&code={}", typed.unwrap());
    let confirmed =
        server.request(&["POST /confirm HTTP/1.1", &server.host(), &server.origin(), form, &cookie], &typed);
    assert_eq!(confirmed.status, 303, "{confirmed:?}");
    assert_eq!(ask().status, 200);

    assert!(home.expect_error(&["login", "--user", "Eve"]).contains("there is no user called `Eve`"));
    assert!(home.expect_error(&["login", "--site", "ftp://x"]).contains("is not a valid site"));
    assert!(home.expect_error(&["login"]).contains("this command needs an interactive terminal"));
    set_password(&home, "Ann");
    assert!(home.expect_error(&["login"]).contains("this command needs an interactive terminal"));
    assert_eq!(home.login("Ann", &[]).1, None, "no code for users with a password");
}

fn set_cookie(reply: &HttpResponse) -> &str {
    reply.head.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap()
}

fn set_password(home: &Home, name: &str) {
    let url = home.path(crate::coach::DATABASE).display().to_string();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = testkit::open(&url).await;
        let user = store.find_user(name).await.unwrap().unwrap();
        let password = "three random words".to_owned().into();
        store.set_password(user.id, &password, testkit::now()).await.unwrap();
        store.close().await;
    });
}

#[test]
fn public_bind_needs_passwords_and_tls() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "UTC"]);
    let (cert, key, ca) = (fixture("server.pem"), fixture("server.key"), fixture("ca.pem"));
    let tls = ["--tls-cert", &cert, "--tls-key", &key];
    let refused = |arguments: &[&str], says: &str| {
        let told = home.expect_error(&[&["serve", "--port", "0", "--no-open"], arguments].concat());
        assert!(told.contains(says), "{arguments:?}: {told}");
    };
    refused(&["--bind", "0.0.0.0"], "requires TLS");
    refused(&["--bind", "::"], "requires TLS");
    refused(&["--bind", "192.0.2.7"], "requires TLS");
    refused(&["--behind-proxy"], "--behind-proxy requires an https site");
    refused(&["--behind-proxy", "--site", "http://fitness.example.org"], "requires an https site");
    refused(&["--site", "https://fitness.example.org"], "TLS is not set up");
    refused(&["--behind-proxy", "--site", "https://fitness.example.org"], "Ann has no password");
    let named = ["--site", "https://fitness.example.org"];
    refused(&[&["--bind", "0.0.0.0"], &tls[..], &named].concat(), "Ann has no password");
    refused(&[&["--bind", "0.0.0.0"], &tls[..]].concat(), "browsers cannot open 0.0.0.0");
    refused(
        &[&tls[..], &["--site", "http://fitness.example.org"]].concat(),
        "with TLS the site must be https",
    );
    refused(&["--tls-cert", "/nope", "--tls-key", &key], "cannot read /nope: No such file");
    refused(&["--tls-cert", &cert, "--tls-key", "/nope"], "cannot read /nope: No such file");
    refused(&["--tls-cert", &key, "--tls-key", &key], "contains no certificate");
    refused(&["--tls-cert", &cert, "--tls-key", &cert], "contains no private key");
    refused(&["--tls-cert", &ca, "--tls-key", &key], "invalid TLS certificate or key");
    for bad in
        ["https://", "fitness.example.org", "https://a/b", "https://a b", "https://a@b", "javascript:x"]
    {
        refused(&["--behind-proxy", "--site", bad], "is not a valid site");
    }
    let told = home.run_with("FITNESS_SITE", "https://a.example", &["serve", "--port", "0"]);
    assert!(told.expect_error(&["serve"]).contains("TLS is not set up"));
    let half = home.run(&["serve", "--tls-cert", &cert]);
    assert_eq!(half.code, Some(2), "{half:?}");

    set_password(&home, "Ann");
    let server = serve_with(&home, &["--behind-proxy", "--site", "https://fitness.example.org"]);
    let line = "GET /healthz HTTP/1.1";
    let reply = server.request(&[line, "Host: fitness.example.org"], "");
    assert_eq!(reply.status, 200, "{reply:?}");
    assert!(reply.head.contains("strict-transport-security: max-age="), "{reply:?}");
    assert_eq!(server.request(&[line, "Host: other.example.org"], "").status, 421);
}

#[test]
fn serve_with_certificate_uses_tls() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann", "--zone", "UTC"]);
    let (cert, key) = (fixture("server.pem"), fixture("server.key"));
    let server = serve_with(&home, &["--tls-cert", &cert, "--tls-key", &key]);
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(PathBuf::from(fixture("ca.pem"))).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(connection, TcpStream::connect(("127.0.0.1", server.port)).unwrap());
    let asked =
        format!("GET /sign-in HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n", server.port);
    stream.write_all(asked.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    // The close may or may not be an error.
    let _ = stream.read_to_end(&mut bytes);
    let reply = HttpResponse::parse(&bytes);
    assert_eq!(reply.status, 200, "{reply:?}");
    assert!(reply.head.contains("strict-transport-security"), "{reply:?}");
    assert_eq!(get(&server, "/healthz").status, 0, "no plain HTTP");
}

#[test]
fn oversized_headers_are_refused_without_server_name() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann"]);
    let server = serve(&home);
    let long = format!("X-Long: {}", "x".repeat(20 * 1024));
    assert_eq!(server.request(&["GET /healthz HTTP/1.1", &server.host(), &long], "").status, 431);
    let fine = format!("X-Long: {}", "x".repeat(8 * 1024));
    let reply = server.request(&["GET /healthz HTTP/1.1", &server.host(), &fine], "");
    assert_eq!(reply.status, 200);
    assert!(!reply.head.contains("\r\nserver:"), "{reply:?}");
}
