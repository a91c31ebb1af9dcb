//! HTTP edge cases: hosts, origins, headers, sizes and malformed messages.

use crate::raw_client::{
    CURRENT_VERSION, HttpReply, OLD_VERSION, athlete, endpoint, message, modern_message, request,
    request_old, send,
};
use fitness_mcp::testkit::prompts;
use fitness_mcp::{Endpoint, HttpConfig, MAX_MESSAGE_BYTES, Scope, http_service};
use http::StatusCode;
use serde_json::json;

async fn list_tools(endpoint: &Endpoint, headers: &[(&str, &str)]) -> HttpReply {
    let guest = athlete("Ann").client(Scope::Read);
    send(endpoint, Some(&guest), "POST", headers, message("tools/list", &json!({})).to_string()).await
}

#[tokio::test]
async fn unknown_host_is_refused() {
    let endpoint = endpoint();
    for host in ["127.0.0.1:8787", "localhost", "localhost:8787", "[::1]:8787"] {
        assert_eq!(list_tools(&endpoint, &[("host", host)]).await.status, StatusCode::OK, "{host}");
    }
    for host in
        ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8787", "192.168.1.2", "0.0.0.0"]
    {
        assert_eq!(list_tools(&endpoint, &[("host", host)]).await.status, StatusCode::FORBIDDEN, "{host}");
    }
    assert!(list_tools(&endpoint, &[("host", "")]).await.status.is_client_error());
    let named = http_service(
        prompts(),
        HttpConfig { allowed_hosts: vec!["fit.example".to_owned()], ..HttpConfig::default() },
    );
    assert_eq!(list_tools(&named, &[("host", "fit.example")]).await.status, StatusCode::OK);
    assert_eq!(list_tools(&named, &[("host", "127.0.0.1")]).await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn foreign_origin_is_refused() {
    let endpoint = endpoint();
    for origin in [
        "https://evil.example",
        "null",
        "http://localhost:8787",
        "http://127.0.0.1:9999",
        "https://127.0.0.1:8787",
        "http://127.0.0.1",
        "garbage",
    ] {
        let reply = list_tools(&endpoint, &[("origin", origin)]).await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{origin}");
    }
    assert_eq!(list_tools(&endpoint, &[("origin", "http://127.0.0.1:8787")]).await.status, StatusCode::OK);
    let open = http_service(
        prompts(),
        HttpConfig {
            base_url: "https://fit.example".to_owned(),
            allowed_hosts: vec!["fit.example".to_owned()],
            allowed_origins: vec!["https://app.example:443".to_owned()],
        },
    );
    for (origin, status) in [
        ("https://app.example", StatusCode::OK),
        ("https://fit.example", StatusCode::OK),
        ("https://fit.example:8443", StatusCode::FORBIDDEN),
        ("http://fit.example", StatusCode::FORBIDDEN),
    ] {
        let headers = [("host", "fit.example"), ("origin", origin)];
        assert_eq!(list_tools(&open, &headers).await.status, status, "{origin}");
    }
    // Without a base URL, no origin is allowed.
    let bare = http_service(prompts(), HttpConfig::default());
    assert_eq!(list_tools(&bare, &[("origin", "http://127.0.0.1:8787")]).await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn invalid_json_is_a_parse_error() {
    let (endpoint, ann) = (endpoint(), athlete("Ann"));
    let guest = ann.client(Scope::Draft);
    let deep = "[".repeat(100_000);
    let batch = json!([message("tools/list", &json!({})), message("tools/list", &json!({}))]).to_string();
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        ("not json", -32700),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"} trailing", -32700),
        (deep.as_str(), -32700),
        ("[]", -32600),
        (batch.as_str(), -32600),
        ("null", -32600),
        ("7", -32600),
        ("{}", -32600),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"tools/list\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", -32600),
    ] {
        let reply = send(&endpoint, Some(&guest), "POST", &[], body.to_owned()).await;
        assert_eq!(
            (reply.status, reply.code()),
            (StatusCode::BAD_REQUEST, code),
            "{}",
            &body[..body.len().min(80)]
        );
    }
    let bytes = send(&endpoint, Some(&guest), "POST", &[], vec![0xff, 0xfe, 0x00]).await;
    assert_eq!(bytes.code(), -32700);
    assert!(ann.writes().is_empty());
}

#[tokio::test]
async fn oversized_body_is_refused_and_maximum_size_is_accepted() {
    let (endpoint, ann) = (endpoint(), athlete("Ann"));
    let guest = ann.client(Scope::Draft);
    let note = |bytes: usize| {
        let frame = message("tools/call", &json!({ "name": "suggest_note", "arguments": { "text": "" } }))
            .to_string();
        frame.replace("\"text\":\"\"", &format!("\"text\":\"{}\"", "x".repeat(bytes - frame.len())))
    };
    for bytes in [MAX_MESSAGE_BYTES + 1, 4 * 1024 * 1024] {
        let reply = send(&endpoint, Some(&guest), "POST", &[], note(bytes)).await;
        assert_eq!(reply.status, StatusCode::PAYLOAD_TOO_LARGE);
        assert!(reply.text.contains("at most 1024 KiB"), "{}", reply.text);
    }
    assert!(ann.writes().is_empty());
    let reply = send(&endpoint, Some(&guest), "POST", &[], note(MAX_MESSAGE_BYTES)).await;
    assert_eq!(reply.status, StatusCode::OK);
    assert_eq!(ann.writes().len(), 1);
}

#[tokio::test]
async fn streams_and_sessions_are_refused() {
    let (endpoint, ann) = (endpoint(), athlete("Ann"));
    let guest = ann.client(Scope::Draft);
    let verb: String = ["DEL", "ETE"].concat();
    for method in ["GET", verb.as_str(), "PUT", "PATCH", "OPTIONS", "HEAD"] {
        let reply = send(&endpoint, Some(&guest), method, &[], "").await;
        assert_eq!(reply.status, StatusCode::METHOD_NOT_ALLOWED, "{method}");
        assert_eq!(reply.headers["allow"], "POST");
    }
    let hello = json!({ "protocolVersion": OLD_VERSION, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let reply = request_old(&endpoint, &guest, "initialize", hello).await;
    assert_eq!(reply.result()["protocolVersion"], OLD_VERSION);
    assert!(reply.headers.get("mcp-session-id").is_none());
    assert_eq!(reply.headers["content-type"], "application/json");
    let notified = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
    assert_eq!(send(&endpoint, Some(&guest), "POST", &[], notified).await.status, StatusCode::ACCEPTED);
}

#[tokio::test]
async fn headers_must_match_the_body() {
    let (endpoint, ann) = (endpoint(), athlete("Ann"));
    let guest = ann.client(Scope::Draft);
    let note = json!({ "name": "suggest_note", "arguments": { "text": "x" } });
    let body = modern_message("tools/call", &note).to_string();
    let right = [
        ("mcp-protocol-version", CURRENT_VERSION),
        ("mcp-method", "tools/call"),
        ("mcp-name", "suggest_note"),
    ];
    for (at, wrong) in [(0, ""), (0, OLD_VERSION), (1, ""), (1, "tools/list"), (2, ""), (2, "notes")] {
        let mut headers = right;
        headers[at].1 = wrong;
        let reply = send(&endpoint, Some(&guest), "POST", &headers, body.clone()).await;
        assert_eq!((reply.status, reply.code()), (StatusCode::BAD_REQUEST, -32020), "{headers:?}");
    }
    assert!(ann.writes().is_empty());
    let reply = send(&endpoint, Some(&guest), "POST", &right, body).await;
    assert_eq!(reply.result()["isError"], false);
    let bare = message("tools/list", &json!({})).to_string();
    let reply =
        send(&endpoint, Some(&guest), "POST", &[("mcp-protocol-version", "2999-01-01")], bare.clone()).await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    let reply =
        send(&endpoint, Some(&guest), "POST", &[("mcp-protocol-version", CURRENT_VERSION)], bare).await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST, "what every request must carry is missing");
    let mut strange = modern_message("tools/list", &json!({}));
    strange["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2999-01-01");
    let headers = [("mcp-protocol-version", "2999-01-01"), ("mcp-method", "tools/list")];
    let reply = send(&endpoint, Some(&guest), "POST", &headers, strange.to_string()).await;
    assert_eq!((reply.status, reply.code()), (StatusCode::BAD_REQUEST, -32022));
}

#[tokio::test]
async fn unknown_method_error_follows_the_protocol_version() {
    let endpoint = endpoint();
    let guest = athlete("Ann").client(Scope::Draft);
    let modern = request(&endpoint, &guest, "nonsense", json!({})).await;
    assert_eq!((modern.status, modern.code()), (StatusCode::NOT_FOUND, -32601));
    let old = request_old(&endpoint, &guest, "nonsense", json!({})).await;
    assert_eq!((old.status, old.code()), (StatusCode::OK, -32601));
    let tool = request(&endpoint, &guest, "tools/call", json!({ "name": "nonsense" })).await;
    assert_eq!((tool.status, tool.code()), (StatusCode::OK, -32602));
    let found = request(&endpoint, &guest, "server/discover", json!({})).await.result();
    assert_eq!(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "local-fitness");
    assert_eq!((&found["resultType"], &found["cacheScope"]), (&json!("complete"), &json!("private")));
}

#[tokio::test]
async fn content_type_and_accept_must_be_json() {
    let endpoint = endpoint();
    for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let reply = list_tools(&endpoint, &[("content-type", kind)]).await;
        assert_eq!(reply.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
    }
    let reply = list_tools(&endpoint, &[("accept", "text/html")]).await;
    assert_eq!(reply.status, StatusCode::NOT_ACCEPTABLE);
    let reply = list_tools(&endpoint, &[("content-type", "application/json; charset=utf-8")]).await;
    assert_eq!(reply.status, StatusCode::OK);
}
