//! Addresses that nobody can read: each is answered by a page of ours, and never in the words of the machinery.

use crate::harness::TestSite;
use axum::http::{StatusCode, header};
use fitness_web::RequestBody;

/// As no link of ours has it: no text at all, a number that is none, and everything twice.
const ODD_QUERY: &str = "chat=x&chat=y&step=x&code=%FF&code=x&say=a&say=b&week=%FF&week=x&next=a&next=b";

#[tokio::test]
async fn malformed_url_gets_our_error_page() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    let browser = site.signed_in(ann).await;
    let pages = site.routes.iter().filter(|one| one.method == "GET" && !one.path.starts_with("/api/"));
    let mut looked_at = 0;
    for one in pages.filter(|one| one.body == RequestBody::Empty && one.path != "/mcp") {
        let named: Vec<&str> =
            one.path.split('/').map(|part| if part.starts_with('{') { "%FF" } else { part }).collect();
        for address in [
            format!("{}?{ODD_QUERY}", named.join("/")),
            format!("{}?{ODD_QUERY}", one.path.replace(['{', '}'], "x")),
        ] {
            let answer = browser.get(&address).await;
            let kind = answer.headers.get(header::CONTENT_TYPE).map(|kind| kind.to_str().unwrap().to_owned());
            let fails = answer.status.is_client_error() && answer.status != StatusCode::METHOD_NOT_ALLOWED;
            let ours = kind.is_some_and(|kind| kind.starts_with("text/html"));
            assert!(!answer.status.is_server_error(), "{address}: {}", answer.text);
            assert!(!fails || ours || one.path.starts_with("/assets/"), "{address}: {}", answer.text);
            looked_at += 1;
        }
    }
    assert!(looked_at > 60, "{looked_at}");
}
