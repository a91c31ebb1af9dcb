//! One client over pipes, with valid and invalid input.

use crate::raw_client::{CURRENT_VERSION, OLD_VERSION, PipeClient, athlete, message, modern_message};
use fitness_mcp::{MAX_MESSAGE_BYTES, Scope, ServeError};
use serde_json::{Value, json};

#[tokio::test]
async fn old_client_gets_results_without_new_fields() {
    let mut pipes = PipeClient::open_old(&athlete("Ann"), Scope::Draft).await;
    let list = pipes.request(&message("tools/list", &json!({}))).await["result"].clone();
    let called = pipes.request(&message("tools/call", &json!({ "name": "notes" }))).await["result"].clone();
    let read = pipes.request(&message("resources/read", &json!({ "uri": "fitness://plan" }))).await["result"]
        .clone();
    for result in [list, called, read] {
        for key in ["resultType", "ttlMs", "cacheScope", "_meta"] {
            assert!(result.get(key).is_none(), "{key} in {result}");
        }
    }
    assert_eq!(pipes.request(&message("ping", &json!({}))).await["result"], json!({}));
    pipes.close().await.unwrap();
}

#[tokio::test]
async fn current_client_needs_no_handshake() {
    let mut pipes = PipeClient::open(&athlete("Ann"), Scope::Draft);
    let found = pipes.request(&modern_message("server/discover", &json!({}))).await["result"].clone();
    let versions = found["supportedVersions"].as_array().unwrap();
    for version in [CURRENT_VERSION, OLD_VERSION, "2025-06-18", "2025-03-26"] {
        assert!(versions.contains(&json!(version)), "{versions:?}");
    }
    assert_eq!(found["cacheScope"], "private");
    assert_eq!(found["capabilities"], json!({ "tools": {}, "prompts": {}, "resources": {} }));
    let list = pipes.request(&modern_message("tools/list", &json!({}))).await["result"].clone();
    let called =
        pipes.request(&modern_message("tools/call", &json!({ "name": "notes" }))).await["result"].clone();
    for result in [found, list, called] {
        assert_eq!(result["resultType"], "complete");
        let server = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(server["name"], "local-fitness", "{result}");
    }
    assert_eq!(pipes.request(&modern_message("ping", &json!({}))).await["error"]["code"], -32601);
    pipes.close().await.unwrap();
}

#[tokio::test]
async fn old_versions_are_accepted_and_an_unknown_one_is_not() {
    for (wanted, agreed) in [
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        (OLD_VERSION, OLD_VERSION),
        ("1999-01-01", OLD_VERSION),
        ("2999-01-01", OLD_VERSION),
        (CURRENT_VERSION, OLD_VERSION),
    ] {
        let mut pipes = PipeClient::open(&athlete("Ann"), Scope::Read);
        let hello = json!({
            "protocolVersion": wanted, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
        });
        let reply = pipes.request(&message("initialize", &hello)).await;
        assert_eq!(reply["result"]["protocolVersion"], agreed, "{wanted}");
        assert!(
            reply["result"]["instructions"].as_str().unwrap().contains("no effect until the athlete accepts")
        );
        pipes.close().await.unwrap();
    }
    let mut pipes = PipeClient::open(&athlete("Ann"), Scope::Read);
    let mut strange = modern_message("tools/list", &json!({}));
    strange["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2999-01-01");
    let reply = pipes.request(&strange).await;
    assert_eq!(reply["error"]["code"], -32022);
    assert!(reply["error"]["data"]["supported"].as_array().unwrap().contains(&json!(CURRENT_VERSION)));
}

/// Lines that are not messages. The next valid message after each must be answered.
fn invalid_lines() -> Vec<String> {
    vec![
        String::new(),
        "\u{0}".to_owned(),
        "not json".to_owned(),
        "{".to_owned(),
        "[]".to_owned(),
        "null".to_owned(),
        "42".to_owned(),
        "\"tools/list\"".to_owned(),
        "{}".to_owned(),
        json!({ "jsonrpc": "1.0", "id": 1, "method": "tools/list" }).to_string(),
        json!({ "jsonrpc": "2.0", "id": {}, "method": "tools/list" }).to_string(),
        json!({ "jsonrpc": "2.0", "id": 1, "method": 7 }).to_string(),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": "all" }).to_string(),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": 3 } }).to_string(),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "notes", "arguments": [] } })
            .to_string(),
        json!({ "jsonrpc": "2.0", "id": 99, "result": {} }).to_string(),
        json!({ "jsonrpc": "2.0", "method": "notifications/nonsense", "params": [1] }).to_string(),
        json!([message("tools/list", &json!({})), message("tools/list", &json!({}))]).to_string(),
        "[".repeat(100_000),
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}", "x".repeat(4 * MAX_MESSAGE_BYTES)),
        "x".repeat(4 * MAX_MESSAGE_BYTES),
    ]
}

#[tokio::test]
async fn invalid_lines_between_messages_are_ignored() {
    let ann = athlete("Ann");
    let mut pipes = PipeClient::open_old(&ann, Scope::Draft).await;
    for (index, line) in invalid_lines().iter().enumerate() {
        pipes.send_line(line).await;
        let mut question = message("tools/call", &json!({ "name": "notes" }));
        let id = format!("after {index}");
        question["id"] = json!(id);
        pipes.send_line(&question.to_string()).await;
        let answer = loop {
            let heard = pipes.receive().await;
            if heard["id"] == json!(id) {
                break heard;
            }
            assert!(heard.get("error").is_some(), "{index}: {heard}");
        };
        assert!(answer["result"]["structuredContent"]["notes"].is_array(), "{index}: {answer}");
    }
    assert!(ann.writes().is_empty());
    pipes.close().await.unwrap();
}

#[tokio::test]
async fn line_that_is_not_json_is_a_parse_error() {
    let mut pipes = PipeClient::open_old(&athlete("Ann"), Scope::Read).await;
    for line in ["not json", "{", "{\"jsonrpc\":\"2.0\",}"] {
        pipes.send_line(line).await;
        let heard = pipes.receive().await;
        assert_eq!(heard["error"]["code"], -32700, "{line}: {heard}");
    }
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}{}}}"#,
        "[".repeat(5000),
        "]".repeat(5000)
    );
    let mut no_text = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":""#.to_vec();
    no_text.extend([0xff, 0xfe]);
    no_text.extend(br#""}}"#);
    for line in [deep.into_bytes(), no_text] {
        pipes.send_bytes(&line).await;
        let heard = pipes.receive().await;
        assert_eq!(heard["error"]["code"], -32700, "{heard}");
        assert!(heard.get("id").is_none_or(Value::is_null), "nobody knows whose it was: {heard}");
    }
    pipes.send_line("").await;
    assert_eq!(
        pipes.request(&message("ping", &json!({}))).await["result"],
        json!({}),
        "an empty line is nothing"
    );
    pipes.close().await.unwrap();
}

#[tokio::test]
async fn oversized_request_is_refused_and_the_next_is_answered() {
    let ann = athlete("Ann");
    let mut pipes = PipeClient::open_old(&ann, Scope::Draft).await;
    let long = json!({ "name": "suggest_note", "arguments": { "text": "x".repeat(MAX_MESSAGE_BYTES) } });
    let mut request = message("tools/call", &long);
    for id in [json!(41), json!("a long one")] {
        request["id"] = id.clone();
        let refused = pipes.request(&request).await;
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&id, &json!(-32600)), "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains("Message too long"), "{refused}");
    }
    let mut next = message("ping", &json!({}));
    next["id"] = json!("next");
    assert_eq!(pipes.request(&next).await["id"], "next");
    pipes.close().await.unwrap();
    assert!(ann.writes().is_empty());
}

#[tokio::test]
async fn request_of_maximum_size_is_accepted() {
    let mut pipes = PipeClient::open_old(&athlete("Ann"), Scope::Draft).await;
    let with = |length: usize| {
        let mut question = message("ping", &json!({ "_meta": { "x": "y".repeat(length) } }));
        question["id"] = json!("it");
        question
    };
    // Including the line feed.
    let most = MAX_MESSAGE_BYTES - with(0).to_string().len() - 1;
    assert_eq!(pipes.request(&with(most)).await["result"], json!({}));
    assert_eq!(pipes.request(&with(most + 1)).await["error"]["code"], -32600);
    pipes.close().await.unwrap();
}

#[tokio::test]
async fn disconnect_is_ok_and_invalid_protocol_is_an_error() {
    PipeClient::open(&athlete("Ann"), Scope::Read).close().await.unwrap();
    PipeClient::open_old(&athlete("Ann"), Scope::Read).await.close().await.unwrap();
    let mut pipes = PipeClient::open(&athlete("Ann"), Scope::Read);
    pipes.send_line(&json!({ "jsonrpc": "2.0", "id": 1, "result": {} }).to_string()).await;
    assert!(matches!(pipes.close().await, Err(ServeError::Handshake(_))));
}

#[tokio::test]
async fn request_before_initialize_is_refused() {
    let mut pipes = PipeClient::open(&athlete("Ann"), Scope::Read);
    let early = pipes.request(&message("tools/list", &json!({}))).await;
    assert_eq!(early["error"]["code"], -32602, "{early}");
    let hello = json!({ "protocolVersion": OLD_VERSION, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    assert_eq!(pipes.request(&message("initialize", &hello)).await["result"]["protocolVersion"], OLD_VERSION);
}

#[tokio::test]
async fn invalid_params_are_reported() {
    let mut pipes = PipeClient::open_old(&athlete("Ann"), Scope::Draft).await;
    for params in [json!({ "name": "notes", "arguments": "all" }), json!({}), json!({ "arguments": {} })] {
        let reply = pipes.request(&message("tools/call", &params)).await;
        assert_eq!(reply["error"]["code"], -32602, "{params}: {reply}");
    }
    let reply = pipes.request(&json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call" })).await;
    assert_eq!(reply["error"]["code"], -32602, "{reply}");
}

#[tokio::test]
async fn unsupported_methods_are_not_found() {
    let mut pipes = PipeClient::open_old(&athlete("Ann"), Scope::Draft).await;
    let completion =
        json!({ "ref": { "type": "ref/prompt", "name": "coach" }, "argument": { "name": "a", "value": "" } });
    for (method, params) in [
        ("nonsense", json!({})),
        ("completion/complete", completion),
        ("logging/setLevel", json!({ "level": "debug" })),
        ("resources/subscribe", json!({ "uri": "fitness://plan" })),
        ("tasks/get", json!({ "taskId": "1" })),
    ] {
        let reply: Value = pipes.request(&message(method, &params)).await;
        assert_eq!(reply["error"]["code"], -32601, "{method}: {reply}");
    }
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        let reply = pipes.request(&message(method, &json!({ "cursor": "2" }))).await;
        assert_eq!(reply["error"]["code"], -32602, "{method} has one page");
    }
}
