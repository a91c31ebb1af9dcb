//! What is sent to which server, and what is never sent.

use crate::harness::{Harness, TRANSPORTS, Transport, append_tool_results, chat, key};
use fitness_coach::model::anthropic::Claude;
use fitness_coach::model::catalog::ClaudeModel;
use fitness_coach::model::endpoint_url::EndpointUrl;
use fitness_coach::model::openai::OpenAiCompatible;
use fitness_coach::model::{Model, ModelErrorKind, Timeouts};
use fitness_coach::testkit::{FakeAnthropic, KEY, ScriptRequest, ScriptedFailure, ScriptedReply};
use serde_json::json;
use std::net::IpAddr;

#[tokio::test]
async fn what_is_previewed_is_what_is_sent_without_the_key() {
    for way in TRANSPORTS {
        let rig = Harness::new(way, |_: &ScriptRequest| ScriptedReply::text("ok")).await;
        let request = chat("My knee hurts, says \"Ann\" 😀");
        let before = rig.model.preview(&request);
        rig.ask(&request).await.0.unwrap();
        let after = rig.model.preview(&request);
        let sent: Vec<String> = rig.all_requests().into_iter().map(|seen| seen.raw_body).collect();
        let last = sent.last().unwrap();
        assert!(after.ends_with(&format!("\n\n{last}")), "{after}");
        for text in &sent {
            // Whether a server calls tools is not known before; then both ways are shown.
            assert!(before.contains(text.as_str()), "{before}");
        }
        assert_eq!(before.contains("to find out whether"), way != Transport::Claude);
        assert!(!after.contains("to find out whether"));
        for preview in [before, after] {
            assert!(preview.contains("(your key)") && !preview.contains(KEY), "{preview}");
        }
    }
}

/// Takes one request, byte for byte, and refuses it.
async fn read_request_bytes(listener: tokio::net::TcpListener) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let (mut socket, _) = listener.accept().await.unwrap();
    let mut taken = Vec::new();
    loop {
        let mut part = [0; 4096];
        let read = socket.read(&mut part).await.unwrap();
        taken.extend_from_slice(&part[..read]);
        let text = String::from_utf8_lossy(&taken).into_owned();
        let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            body.len() >= length.parse::<usize>().unwrap()
        });
        if whole || read == 0 {
            socket.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n").await.unwrap();
            return text;
        }
    }
}

#[tokio::test]
async fn every_byte_that_leaves_is_previewed_and_no_other() {
    let means = FakeAnthropic::start(|_: &ScriptRequest| ScriptedReply::text("ok")).await;
    for keyed in [true, false] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = format!("http://{}", listener.local_addr().unwrap());
        let (address, means) = (EndpointUrl::parse(&at).unwrap(), means.clock().http_env());
        let model: Box<dyn Model> = if keyed {
            Box::new(Claude::new(ClaudeModel::Sonnet, address, &key(), means, Timeouts::default()).unwrap())
        } else {
            Box::new(OpenAiCompatible::new("local", address, None, means, Timeouts::default()).unwrap())
        };
        let mut request = chat("My knee hurts 😀");
        request.tools.clear();
        let preview = model.preview(&request);
        let mut nobody = ();
        let (asked, sent) = tokio::join!(model.ask(&request, &mut nobody), read_request_bytes(listener));
        assert!(asked.is_err());
        let (to, shown) = preview.split_once('\n').unwrap();
        assert!(to.starts_with(&format!("To {at}/")), "{to}");
        let (head, body) = sent.split_once("\r\n\r\n").unwrap();
        let key = format!("Bearer {KEY}");
        assert_eq!(head.contains(&key), keyed);
        let left = format!("{}\n\n{body}", head.replace("\r\n", "\n").replace(&key, "(your key)"));
        assert_eq!(shown, left, "what is shown is what left");
    }
}

#[tokio::test]
async fn nothing_leaves_but_the_fields_that_are_meant_to() {
    for way in TRANSPORTS {
        let rig = Harness::new(way, |asked: &ScriptRequest| {
            if asked.results.is_empty() {
                ScriptedReply::call("look", json!({}))
            } else {
                ScriptedReply::text("ok")
            }
        })
        .await;
        let mut request = chat("hello");
        let reply = rig.ask(&request).await.0.unwrap();
        append_tool_results(&mut request, rig.model.name(), &reply, |_| "1".to_owned());
        rig.ask(&request).await.0.unwrap();
        let fields: &[&str] = match way {
            Transport::Claude => {
                &["model", "max_tokens", "stream", "thinking", "tools", "system", "messages"]
            }
            Transport::Native | Transport::JsonTools => {
                &["model", "max_tokens", "stream", "stream_options", "tools", "response_format", "messages"]
            }
        };
        let headers = [
            "accept",
            "accept-encoding",
            "anthropic-version",
            "content-length",
            "content-type",
            "host",
            "user-agent",
        ];
        for seen in rig.all_requests() {
            for field in seen.body.as_object().unwrap().keys() {
                assert!(fields.contains(&field.as_str()), "{field}");
            }
            for header in seen.headers.keys() {
                assert!(headers.contains(&header.as_str()), "{header}");
            }
        }
    }
}

#[tokio::test]
async fn a_key_is_in_no_error_and_in_nothing_that_is_printed() {
    for way in TRANSPORTS {
        let rig = Harness::new(way, |_: &ScriptRequest| ScriptedFailure::status(401)).await;
        let (_, error) = rig.expect_error().await;
        assert!(!format!("{error} {error:?}").contains(KEY));
    }
    let fake = FakeAnthropic::start(|_: &ScriptRequest| ScriptedReply::text("ok")).await;
    let claude =
        Claude::new(ClaudeModel::Opus, fake.address(), &key(), fake.clock().http_env(), Timeouts::default())
            .unwrap();
    assert!(!format!("{claude:?}").contains("0123456789"));
    let local = OpenAiCompatible::new(
        "local",
        fake.address(),
        Some(&key()),
        fake.clock().http_env(),
        Timeouts::default(),
    )
    .unwrap();
    assert!(!format!("{local:?}").contains("0123456789"));
    let bad = Claude::new(
        ClaudeModel::Opus,
        fake.address(),
        &"käy".into(),
        fake.clock().http_env(),
        Timeouts::default(),
    );
    assert_eq!(bad.unwrap_err().kind, ModelErrorKind::Key);
}

#[tokio::test]
async fn a_wrong_key_is_refused_and_told() {
    let fake = FakeAnthropic::start(|_: &ScriptRequest| ScriptedReply::text("ok")).await;
    let wrong = Claude::new(
        ClaudeModel::Sonnet,
        fake.address(),
        &"sk-wrong".into(),
        fake.clock().http_env(),
        Timeouts::default(),
    );
    let error = wrong.unwrap().ask(&chat("hello"), &mut ()).await.unwrap_err();
    assert_eq!((error.kind, fake.requests().len()), (ModelErrorKind::Key, 1));
}

#[tokio::test]
async fn a_name_is_looked_at_before_every_request() {
    let fake = FakeAnthropic::start(|_: &ScriptRequest| ScriptedReply::text("ok")).await;
    let port = fake.address().to_string().trim_end_matches('/').rsplit(':').next().unwrap().to_owned();
    let model = |scheme: &str, answers: &'static [&'static str]| {
        let address = EndpointUrl::parse(&format!("{scheme}://models.example:{port}")).unwrap();
        let found: Vec<IpAddr> = answers.iter().map(|ip| ip.parse().unwrap()).collect();
        let means = fake.clock().http_env().with_lookup(move |host| {
            assert_eq!(host, "models.example");
            Some(found.clone())
        });
        Claude::new(ClaudeModel::Sonnet, address, &key(), means, Timeouts::default()).unwrap()
    };
    for (scheme, answers) in [
        ("http", &["169.254.169.254"][..]),
        ("http", &["127.0.0.1", "169.254.169.254"]),
        ("http", &["93.184.216.34"]),
        ("https", &["169.254.169.254"]),
        ("https", &["::ffff:169.254.169.254"]),
        ("https", &["93.184.216.34", "fe80::1"]),
    ] {
        let error = model(scheme, answers).ask(&chat("hello"), &mut ()).await.unwrap_err();
        assert_eq!(error.kind, ModelErrorKind::Address, "{answers:?} {error}");
    }
    assert_eq!(fake.requests().len(), 0);
    // Over http the address that was looked at is the one that is asked; nobody looks it up again.
    let reply = model("http", &["127.0.0.1"]).ask(&chat("hello"), &mut ()).await.unwrap();
    assert_eq!(reply.text(), "ok");
    assert_eq!(fake.requests()[0].headers["host"], format!("models.example:{port}"));
    // No answer at all.
    let address = EndpointUrl::parse("http://nowhere.example").unwrap();
    let means = fake.clock().http_env().with_lookup(|_| None);
    let lost = Claude::new(ClaudeModel::Sonnet, address, &key(), means, Timeouts::default()).unwrap();
    assert_eq!(lost.ask(&chat("hello"), &mut ()).await.unwrap_err().kind, ModelErrorKind::Unreachable);
}

#[test]
fn the_real_service_may_be_contacted() {
    assert!(EndpointUrl::parse(fitness_coach::model::anthropic::BASE_URL).is_ok());
}
