//! Each client sees only its own athlete; requests without a client are refused.

use crate::raw_client::{
    BASE_URL, CURRENT_VERSION, OLD_VERSION, athlete, call, endpoint, message, modern_message, request, send,
};
use fitness_mcp::{Scope, resource_metadata, unauthorized_header};
use http::StatusCode;
use serde_json::json;

#[tokio::test]
async fn two_clients_at_once_see_only_their_own_athlete() {
    let endpoint = endpoint();
    let athletes = [athlete("Ann"), athlete("Ben")];
    let mut running = Vec::new();
    for round in 0..50 {
        for (index, name) in ["Ann", "Ben"].into_iter().enumerate() {
            let (endpoint, guest) = (endpoint.clone(), athletes[index].client(Scope::Draft));
            running.push(tokio::spawn(async move {
                let other = if name == "Ann" { "Ben" } else { "Ann" };
                for tool in ["daily_snapshot", "activities", "plan_progress", "notes"] {
                    let answer = call(&endpoint, &guest, tool, json!({})).await.to_string();
                    assert!(answer.contains(name) && !answer.contains(other), "{answer}");
                }
                let params = json!({ "uri": "fitness://brief/latest" });
                let brief = request(&endpoint, &guest, "resources/read", params).await.text;
                assert!(brief.contains(name) && !brief.contains(other), "{brief}");
                let note = json!({ "text": format!("{name} {round}") });
                call(&endpoint, &guest, "suggest_note", note).await;
            }));
        }
    }
    for task in running {
        task.await.unwrap();
    }
    for (memory, name) in athletes.iter().zip(["Ann", "Ben"]) {
        let left = memory.writes();
        assert_eq!(left.len(), 50);
        assert!(left.iter().all(|(_, note)| note["text"].as_str().unwrap().starts_with(name)), "{left:?}");
    }
}

#[tokio::test]
async fn request_without_a_client_is_refused() {
    let endpoint = endpoint();
    // A request served before must leave no state behind.
    call(&endpoint, &athlete("Ann").client(Scope::Draft), "notes", json!({})).await;
    let methods = [
        "initialize",
        "server/discover",
        "ping",
        "tools/list",
        "tools/call",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "nonsense",
    ];
    for method in methods {
        let params = json!({ "name": "notes", "uri": "fitness://plan", "arguments": {} });
        for (version, message) in
            [(CURRENT_VERSION, modern_message(method, &params)), (OLD_VERSION, message(method, &params))]
        {
            let headers = [("mcp-protocol-version", version), ("mcp-method", method)];
            let reply = send(&endpoint, None, "POST", &headers, message.to_string()).await;
            assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{method}");
            assert_eq!(reply.headers["www-authenticate"], unauthorized_header(BASE_URL), "{method}");
            assert!(!reply.text.contains("Ann"));
        }
    }
    for method in ["GET", "PUT", "OPTIONS", "HEAD"] {
        assert_eq!(send(&endpoint, None, method, &[], "").await.status, StatusCode::UNAUTHORIZED, "{method}");
    }
    // Cookies and tokens are checked by the web server; the endpoint ignores them.
    let headers = [("cookie", "session=1"), ("authorization", "Bearer abc")];
    let body = message("tools/list", &json!({})).to_string();
    assert_eq!(send(&endpoint, None, "POST", &headers, body).await.status, StatusCode::UNAUTHORIZED);
}

#[test]
fn unauthorized_header_links_the_metadata() {
    assert_eq!(
        unauthorized_header("http://127.0.0.1:8787/"),
        "Bearer realm=\"local-fitness\", \
         resource_metadata=\"http://127.0.0.1:8787/.well-known/oauth-protected-resource/mcp\", scope=\"read draft\""
    );
    assert_eq!(
        resource_metadata(BASE_URL),
        json!({
            "resource": "http://127.0.0.1:8787/mcp",
            "resource_name": "local-fitness",
            "scopes_supported": ["read", "draft"],
            "bearer_methods_supported": ["header"],
        })
    );
}

#[test]
fn there_are_two_scopes_and_no_third() {
    assert_eq!(Scope::ALL, [Scope::Read, Scope::Draft]);
    for word in ["admin", "write", "READ", "", "read draft", "*"] {
        assert!(word.parse::<Scope>().is_err(), "{word}");
    }
    let shown = format!("{:?}", athlete("Ann").client(Scope::Read));
    assert!(!shown.contains("Ann"), "a log says nothing of the athlete: {shown}");
}
