//! Cookies of two servers on one host: browsers send a host's cookies to every port of it.

use crate::harness::TestSite;
use axum::http::header;

/// The name of the session's cookie on a server at this address.
async fn session_cookie(address: &str, port: u16) -> (String, String) {
    let site = TestSite::at_address(address, port).await;
    let ann = site.db.user("Ann").await;
    let link = site.db.store.create_login_link(ann, fitness_store::testkit::now()).await.unwrap();
    let answer = site.signed_out_browser().post("/sign-in/link", &[("code", link.reveal())]).await;
    let cookie = answer.headers[header::SET_COOKIE].to_str().unwrap().to_owned();
    let mut browser = site.signed_out_browser();
    browser.store_cookie(&answer);
    let out = browser.post("/sign-out", &[]).await;
    let ended = out.headers[header::SET_COOKIE].to_str().unwrap();
    assert_eq!(ended.split('=').next(), cookie.split('=').next(), "{ended}");
    (cookie.split('=').next().unwrap().to_owned(), cookie)
}

#[tokio::test]
async fn session_cookies_of_two_ports_have_two_names() {
    let (own, cookie) = session_cookie("http://127.0.0.1:8787", 8787).await;
    let (demo, _) = session_cookie("http://127.0.0.1:8788", 8788).await;
    assert_ne!(own, demo);
    assert!(
        cookie.contains("; Path=/;") && cookie.contains("HttpOnly") && !cookie.contains("Secure"),
        "{cookie}"
    );
    let (one, cookie) = session_cookie("https://fitness.example.org", 8787).await;
    let (other, _) = session_cookie("https://fitness.example.org:8443", 8787).await;
    assert_ne!(one, other);
    assert!(one.starts_with("__Host-") && other.starts_with("__Host-"), "{one} {other}");
    assert!(
        cookie.contains("; Path=/;") && cookie.contains("; Secure") && !cookie.contains("Domain"),
        "{cookie}"
    );
}
