//! Old paths of renamed pages redirect for one release.

use crate::harness::TestSite;
use axum::http::{StatusCode, header};

#[tokio::test]
async fn old_path_redirects_permanently_and_keeps_the_query() {
    let site = TestSite::new().await;
    let signed_out = site.signed_out_browser();
    for (old, new) in [
        ("/found", "/overview"),
        ("/sources", "/data"),
        ("/plan/card", "/plan/splits"),
        ("/settings/limits", "/settings/thresholds"),
        ("/settings/people", "/settings/users"),
        ("/settings/connect", "/settings/integrations"),
    ] {
        for query in ["", "?plan=1&done=saved"] {
            let response = signed_out.get(&format!("{old}{query}")).await;
            assert_eq!(response.status, StatusCode::PERMANENT_REDIRECT, "{old}{query}");
            assert_eq!(response.headers[header::LOCATION], format!("{new}{query}"), "{old}{query}");
            assert!(response.text.is_empty(), "{old}: {}", response.text);
        }
        assert!(
            site.routes.iter().any(|route| route.method == "GET" && route.path == new),
            "{new} is a page"
        );
    }
}
