//! The API key that the owner shares: budget, encryption, and model addresses on the local network.

use crate::coach::DATABASE;
use crate::harness::Home;
use crate::serve::{TestServer, cookie, serve};
use fitness_coach::testkit::{FakeOpenAi, KEY, ScriptedReply, ToolSupport};
use fitness_core::domain::content_hash::ContentHash;
use fitness_store::testkit;
use serde_json::Value;

/// Sends a form as a signed-in browser.
fn send(server: &TestServer, cookie: &str, path: &str, fields: &str) -> u16 {
    let secret = cookie.trim_start_matches("Cookie: fitness_session=");
    let token = ContentHash::hash_bytes(format!("form of {secret}").as_bytes());
    let (line, host, origin) = (format!("POST {path} HTTP/1.1"), server.host(), server.origin());
    let kind = "Content-Type: application/x-www-form-urlencoded";
    server.request(&[&line, &host, &origin, cookie, kind], &format!("form_token={token}&{fields}")).status
}

#[test]
fn only_the_owner_may_use_a_model_on_the_local_network() {
    let home = Home::new();
    for name in ["Ann", "Ben"] {
        home.ok(&["user", "add", name, "--zone", "UTC"]);
    }
    let server = serve(&home);
    let (ann, ben) = (cookie(&home, "Ann"), cookie(&home, "Ben"));
    let choose = |cookie: &str, address: &str| {
        let fields = format!("provider=openai&model=local&address={address}&tokens=1000&dollars=1");
        send(&server, cookie, "/settings/coach", &fields)
    };
    let chosen = |name: &str| home.json(&["--user", name, "coach"])["coach"]["provider"].clone();
    // An empty address means Ollama on this machine.
    for near in
        ["http%3A%2F%2F127.0.0.1%3A9%2Fv1", "http%3A%2F%2F192.168.1.20%2Fv1", "https%3A%2F%2Flocalhost", ""]
    {
        assert_eq!(choose(&ben, near), 422, "{near}");
        assert_eq!(chosen("Ben"), "built-in", "nothing was saved");
        assert_eq!(choose(&ann, near), 303, "{near}");
    }
    for cookie in [&ann, &ben] {
        assert_eq!(choose(cookie, "https%3A%2F%2F169.254.169.254"), 422, "refused for everyone");
    }
    assert_eq!(choose(&ben, "https%3A%2F%2Fmodels.example.org"), 303);
    // An address set in the terminal is allowed, but no other one.
    let near = "http://127.0.0.1:9/v1";
    home.ok(&["--user", "Ben", "coach", "use", "openai", "--address", near, "--model", "local"]);
    assert_eq!(choose(&ben, "http%3A%2F%2F127.0.0.1%3A9%2Fv1"), 303, "the same address, with another budget");
    assert_eq!(choose(&ben, "http%3A%2F%2F127.0.0.1%3A10%2Fv1"), 422);
}

/// Runs outside the runtime of the fake model.
fn on_own_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    tokio::task::block_in_place(|| std::thread::scope(|all| all.spawn(work).join())).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shared_key_is_used_within_its_budget_and_not_copied() {
    let fake = FakeOpenAi::start(ToolSupport::Ignored, |_| ScriptedReply::text("Run easy.")).await;
    let home = Home::new();
    for name in ["Ann", "Ben"] {
        home.ok(&["user", "add", name, "--zone", "UTC"]);
    }
    let cookie = on_own_thread(|| cookie(&home, "Ann"));
    let server = serve(&home);
    let address = fake.address().join("").to_string();
    let address = address.trim_end_matches('/');
    let share = |key: &str, tokens: u64| {
        let fields = format!(
            "provider=openai&model=local&address={}&key={key}&tokens={tokens}&dollars=1",
            address.replace(':', "%3A").replace('/', "%2F")
        );
        send(&server, &cookie, "/settings/users/key", &fields)
    };
    let of_ben = |arguments: &[&str]| on_own_thread(|| home.run(&[&["--user", "Ben"], arguments].concat()));
    let chosen = of_ben(&["coach", "use", "openai", "--address", address, "--model", "local"]);
    assert_eq!(chosen.code, Some(0), "{chosen:?}");
    let asked = || {
        fake.requests()
            .iter()
            .filter(|seen| seen.raw_body.contains("Hello coach"))
            .map(|seen| seen.status)
            .collect::<Vec<_>>()
    };

    assert_eq!(share("sk-another", 1_000_000), 303);
    of_ben(&["chat", "Hello coach"]);
    assert!(fake.requests().iter().any(|seen| seen.status == 401), "the shared key is sent");
    assert!(asked().is_empty());
    assert_eq!(share(KEY, 1_000_000), 303);
    let told = of_ben(&["chat", "Hello coach"]);
    assert!(told.out.contains("Run easy."), "{told:?}");
    assert_eq!(asked(), [200]);
    assert_eq!(share("", 1), 303, "another budget for the same key");
    let told = of_ben(&["chat", "Hello coach"]);
    assert!(format!("{told:?}").contains("Today's token limit is used up"), "{told:?}");
    assert_eq!(asked(), [200], "no requests beyond the budget");

    let url = home.path(DATABASE).display().to_string();
    let (kept, shared) = on_own_thread(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = testkit::open(&url).await;
            let (ann, ben) = (store.find_user("Ann").await.unwrap(), store.find_user("Ben").await.unwrap());
            let kept: Option<Value> = store.find_setting(ben.unwrap().id, "coach_key").await.unwrap();
            let shared: Option<Value> =
                store.find_setting(ann.unwrap().id, "shared_coach_key").await.unwrap();
            store.close().await;
            (kept, shared)
        })
    });
    assert_eq!(kept, None, "the owner's key is not copied");
    let shared = shared.unwrap().to_string();
    assert!(shared.contains("sealed") && !shared.contains(KEY), "{shared}");
    assert_eq!(send(&server, &cookie, "/settings/users/key/end", ""), 303);
    of_ben(&["coach", "limit", "--tokens", "1000000"]);
    of_ben(&["chat", "Hello coach"]);
    assert_eq!(asked(), [200, 200], "no budget without the shared key");
}
