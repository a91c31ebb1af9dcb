//! What pages fetch: style, script, icons. All of it is in the program, and its address changes with its content.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use fitness_core::domain::content_hash::ContentHash;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Kept by browsers for as long as they like: a changed file has another address.
const CACHE_FOREVER: &str = "public, max-age=31536000, immutable";

const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// Name, kind and content of each, as they are written.
const FILES: &[(&str, &str, &[u8])] = &[
    ("app.css", CSS, include_bytes!("assets/app.css")),
    ("today.css", CSS, include_bytes!("assets/today.css")),
    ("plan.css", CSS, include_bytes!("assets/plan.css")),
    ("coach.css", CSS, include_bytes!("assets/coach.css")),
    ("history.css", CSS, include_bytes!("assets/history.css")),
    ("settings.css", CSS, include_bytes!("assets/settings.css")),
    ("app.js", JAVASCRIPT, include_bytes!("assets/app.js")),
    ("coach.js", JAVASCRIPT, include_bytes!("assets/coach.js")),
    ("icon.svg", "image/svg+xml", include_bytes!("assets/icon.svg")),
    ("icon-180.png", "image/png", include_bytes!("assets/icon-180.png")),
    ("icon-512.png", "image/png", include_bytes!("assets/icon-512.png")),
];

/// A file as it is sent.
struct Asset {
    path: String,
    content_type: &'static str,
    bytes: Cow<'static, [u8]>,
}

static ASSETS: LazyLock<BTreeMap<&str, Asset>> = LazyLock::new(|| {
    let asset = |name: &str, kind, written: &'static [u8]| {
        let bytes = match std::str::from_utf8(written) {
            Ok(text) if kind == CSS => Cow::Owned(minify_css(text).into_bytes()),
            Ok(text) if kind == JAVASCRIPT => Cow::Owned(minify_js(text).into_bytes()),
            _ => Cow::Borrowed(written),
        };
        let hash: String = ContentHash::hash_bytes(&bytes).to_string().chars().take(12).collect();
        Asset { path: format!("/assets/{hash}/{name}"), content_type: kind, bytes }
    };
    FILES.iter().map(|(name, kind, written)| (*name, asset(name, kind, written))).collect()
});

/// A style sheet without what only its readers need: comments, line breaks, and space beside punctuation.
fn minify_css(written: &str) -> String {
    let mut packed = String::with_capacity(written.len());
    let mut rest = written;
    let mut quoted = false;
    while let Some(next) = rest.chars().next() {
        if !quoted && let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
            continue;
        }
        rest = &rest[next.len_utf8()..];
        quoted ^= next == '"';
        if quoted || !next.is_whitespace() {
            if matches!(next, '{' | '}' | ';' | ',') && !quoted {
                let kept = packed.trim_end_matches([' ', if next == '}' { ';' } else { ' ' }]).len();
                packed.truncate(kept);
            }
            packed.push(next);
        } else if !packed.ends_with(['{', '}', ';', ',', ':', ' ']) && !packed.is_empty() {
            packed.push(' ');
        }
    }
    packed
}

/// A script without its indentation and the lines that are comments. No text in it runs over a line's end.
fn minify_js(written: &str) -> String {
    let lines = written.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Where a file is.
pub(crate) fn asset_path(name: &str) -> &'static str {
    ASSETS.get(name).map_or("/", |asset| asset.path.as_str())
}

/// `GET /assets/{hash}/{name}`. An old hash gets what there is now.
pub(crate) async fn show(Path((_, name)): Path<(String, String)>) -> Response {
    match ASSETS.get(name.as_str()) {
        Some(Asset { content_type: kind, bytes, .. }) => {
            ([(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, CACHE_FOREVER)], bytes.as_ref())
                .into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// `GET /manifest.webmanifest`: what a phone needs to know to put the app on its screen.
pub(crate) async fn show_manifest() -> Response {
    let icon = |name: &str, sizes: &str, kind: &str| serde_json::json!({ "src": asset_path(name), "sizes": sizes, "type": kind, "purpose": "any maskable" });
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

#[cfg(test)]
mod tests {
    use super::{minify_css, minify_js};

    #[test]
    fn css_is_minified() {
        let written = "/* a; b */\n.a, .b > i:not(.c, .d) :hover {\n  margin: 0 4px;\n  content: \"a ; b\";\n}\n\
                       @media (max-width: 640px) and (hover) { .a .b { width: calc(4px + 1em); } }\n";
        assert_eq!(
            minify_css(written),
            ".a,.b > i:not(.c,.d) :hover{margin:0 4px;content:\"a ; b\"}\
             @media (max-width:640px) and (hover){.a .b{width:calc(4px + 1em)}}"
        );
    }

    #[test]
    fn js_comments_are_removed() {
        assert_eq!(minify_js("// why\n  a();\n\n    b(\"// c\");\n"), "a();\nb(\"// c\");");
    }
}
