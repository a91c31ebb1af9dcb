//! What pages fetch: style, script, icons. All of it is in the program, and its address changes with its content.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use fitness_core::hash::ContentHash;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Kept by browsers for as long as they like: a changed file has another address.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// Name, kind and content of each.
const FILES: &[(&str, &str, &[u8])] = &[
    ("app.css", "text/css; charset=utf-8", include_bytes!("assets/app.css")),
    ("app.js", "text/javascript; charset=utf-8", include_bytes!("assets/app.js")),
    ("icon.svg", "image/svg+xml", include_bytes!("assets/icon.svg")),
    ("icon-180.png", "image/png", include_bytes!("assets/icon-180.png")),
    ("icon-512.png", "image/png", include_bytes!("assets/icon-512.png")),
];

static ADDRESSES: LazyLock<BTreeMap<&str, String>> = LazyLock::new(|| {
    let address = |name: &str, bytes: &[u8]| {
        let hash: String = ContentHash::of_bytes(bytes).to_string().chars().take(12).collect();
        format!("/assets/{hash}/{name}")
    };
    FILES.iter().map(|(name, _, bytes)| (*name, address(name, bytes))).collect()
});

/// Where a file is.
pub(crate) fn address(name: &str) -> &'static str {
    ADDRESSES.get(name).map_or("/", String::as_str)
}

/// `GET /assets/{hash}/{name}`. An old hash gets what there is now.
pub(crate) async fn show(Path((_, name)): Path<(String, String)>) -> Response {
    match FILES.iter().find(|(known, _, _)| *known == name) {
        Some((_, kind, bytes)) => {
            ([(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, FOR_EVER)], *bytes).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// `GET /manifest.webmanifest`: what a phone needs to know to put the app on its screen.
pub(crate) async fn manifest() -> Response {
    let icon = |name: &str, sizes: &str, kind: &str| serde_json::json!({ "src": address(name), "sizes": sizes, "type": kind, "purpose": "any maskable" });
    let manifest = serde_json::json!({
        "name": "local-fitness",
        "short_name": "Fitness",
        "description": "Your coach, on your own machine",
        "id": "/",
        "start_url": "/",
        "display": "standalone",
        "background_color": "#f6f5f1",
        "theme_color": "#f6f5f1",
        "icons": [
            icon("icon.svg", "any", "image/svg+xml"),
            icon("icon-180.png", "180x180", "image/png"),
            icon("icon-512.png", "512x512", "image/png"),
        ],
    });
    ([(header::CONTENT_TYPE, "application/manifest+json")], manifest.to_string()).into_response()
}
