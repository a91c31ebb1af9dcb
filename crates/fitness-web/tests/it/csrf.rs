//! Forms that were not sent from one of our pages by whoever is signed in: none is taken, and nothing is written.

use crate::fixtures::{Caller, MultiUserFixture, request_body};
use crate::harness::{BASE_URL, Browser, TestSite, form};
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use fitness_store::testkit::now;
use fitness_web::{AccessRule, RequestBody, RouteInfo};

/// What is true of nobody's form of this session.
enum Forgery {
    /// Another token, or none.
    Token(String),
    /// Another header, beside or instead of those that are sound.
    Header(&'static str, String),
    /// From nowhere.
    NoOrigin,
}

async fn forgeries(site: &TestSite, world: &MultiUserFixture) -> Vec<(&'static str, Forgery)> {
    let another = site.signed_in(world.ben).await;
    let others = site.signed_in(world.cleo).await;
    let stale = site.signed_in(world.ben).await;
    stale.post("/sign-out", &[]).await.redirect_target();
    let reads =
        site.db.store.mint_api_token(world.ben, "forged", fitness_core::coach_api::Scope::Draft, None, now());
    let (_, token) = reads.await.unwrap();
    let header = |name: &'static str, value: &str| Forgery::Header(name, value.to_owned());
    vec![
        ("no token", Forgery::Token(String::new())),
        ("the token of another browser of his", Forgery::Token(another.token)),
        ("the token of somebody else", Forgery::Token(others.token)),
        ("a token from before signing out", Forgery::Token(stale.token)),
        ("a bearer", header("authorization", &format!("Bearer {}", token.reveal()))),
        ("a bearer that is none", header("authorization", "Bearer x")),
        ("basic", header("authorization", "Basic QW5uOng=")),
        ("cross-site", header("sec-fetch-site", "cross-site")),
        ("same-site", header("sec-fetch-site", "same-site")),
        ("typed in", header("sec-fetch-site", "none")),
        ("no origin", Forgery::NoOrigin),
        ("a foreign origin", header("origin", "http://evil.example")),
        ("origin null", header("origin", "null")),
    ]
}

fn forged_request(browser: &Browser, route: &RouteInfo, address: &str, forgery: &Forgery) -> Request<Body> {
    let token = match forgery {
        Forgery::Token(token) => token.clone(),
        _ => browser.token.clone(),
    };
    let mut request = request_body(browser.request("POST", address), route, &token);
    match forgery {
        Forgery::Token(_) => {}
        Forgery::NoOrigin => drop(request.headers_mut().remove(header::ORIGIN)),
        Forgery::Header(name, value) => {
            drop(request.headers_mut().insert(*name, value.parse().unwrap()));
        }
    }
    request
}

#[tokio::test]
async fn forged_forms_are_refused_and_write_nothing() {
    let mut world = MultiUserFixture::new(true).await;
    let forgeries = forgeries(&world.site, &world).await;
    let listed = world.site.routes.clone();
    let (mut tried, store) = (0, world.site.db.store.clone());
    let before = (world.snapshot().await, store.data_version().await.unwrap());
    let posts =
        || listed.iter().filter(|route| route.method == "POST" && route.access != AccessRule::TokenOnly);
    for route in posts() {
        world.site.reset_rate_limits();
        // Whoever may call it, calls: Ann runs the server.
        let browser =
            world.browser(if route.access == AccessRule::Owner { Caller::Ann } else { Caller::Ben });
        let address = match world.paths.fill_path(route.path) {
            None => route.path.to_owned(),
            Some(
                crate::fixtures::FilledPath::Fixed(address) | crate::fixtures::FilledPath::Owned(address, _),
            ) => address,
        };
        for (what, forgery) in &forgeries {
            // Nobody has a session yet where anyone may call, and JSON is sent by no form: the origin is what counts.
            let by_token = matches!(forgery, Forgery::Token(_));
            let by_bearer = matches!(forgery, Forgery::Header("authorization", _));
            if (by_token && (route.access == AccessRule::Anyone || route.body == RequestBody::Json))
                || (by_bearer && route.access == AccessRule::Anyone)
            {
                continue;
            }
            let page = browser.send(forged_request(&browser, route, &address, forgery)).await;
            assert_eq!(page.status, StatusCode::FORBIDDEN, "POST {address}, {what}: {}", page.text);
            tried += 1;
        }
        // The same fields in an address do nothing: there is no such page, or it only shows.
        if listed.iter().any(|other| other.method == "GET" && other.path == route.path) {
            continue;
        }
        let address = address.split('?').next().unwrap();
        let page = browser.get(&format!("{address}?form_token={}", browser.token)).await;
        let gone = matches!(page.status, StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_FOUND);
        assert!(gone, "GET {address}: {}", page.text);
        let is_page = page.status == StatusCode::METHOD_NOT_ALLOWED && !address.starts_with("/api/");
        assert!(!is_page || page.text.contains("be opened directly"), "GET {address}: {}", page.text);
        for method in ["PUT", "DELETE", "PATCH"] {
            let request = request_body(browser.request(method, address), route, &browser.token);
            let page = browser.send(request).await;
            assert_eq!(page.status, StatusCode::METHOD_NOT_ALLOWED, "{method} {address}: {}", page.text);
        }
        let request = browser.request("POST", address).header(header::ORIGIN, BASE_URL);
        let plain = request.header(header::CONTENT_TYPE, "text/plain");
        let fields = format!("form_token={}", browser.token);
        let page = browser.send(plain.body(Body::from(fields)).unwrap()).await;
        let refused = matches!(page.status.as_u16(), 400 | 415);
        assert!(refused, "POST {address} as plain text: {} {}", page.status, page.text);
        tried += 5;
    }
    assert!(tried > 700, "{tried}");
    assert_eq!(
        (world.snapshot().await, store.data_version().await.unwrap()),
        before,
        "something was written"
    );
    // The same form is taken when it is sound: what refused the others was what was forged.
    let ben = world.browser(Caller::Ben);
    ben.post("/notes", &[("note", "Sound")]).await.redirect_target();
    assert_ne!(store.data_version().await.unwrap(), before.1);
}

#[tokio::test]
async fn confirmation_page_from_url_fields_decides_nothing() {
    let mut world = MultiUserFixture::new(true).await;
    let listed = world.site.routes.clone();
    let ben = world.ben;
    for route in listed.iter().filter(|route| route.method == "POST" && route.access == AccessRule::Athlete) {
        if !listed.iter().any(|other| other.method == "GET" && other.path == route.path) {
            continue;
        }
        world.site.reset_rate_limits();
        let browser = world.browser(Caller::Ben);
        let address = match world.paths.fill_path(route.path) {
            None => route.path.to_owned(),
            Some(
                crate::fixtures::FilledPath::Fixed(address) | crate::fixtures::FilledPath::Owned(address, _),
            ) => address,
        };
        let address = address.split('?').next().unwrap().to_owned();
        let store = world.site.db.store.clone();
        let before =
            (store.fingerprint(ben).await.unwrap(), store.list_human_actions(ben, 100).await.unwrap().len());
        let asked = browser.get(&address).await;
        let mut fields: Vec<(String, String)> = vec![("form_token".to_owned(), browser.token.clone())];
        if asked.text.contains(&format!("method=\"post\" action=\"{address}\"")) {
            fields.extend(asked.hidden_fields(&address));
        }
        fields.extend(
            [("name", "x"), ("text", "x"), ("scope", "read")].map(|(k, v)| (k.to_owned(), v.to_owned())),
        );
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(&fields).finish();
        let page = browser.get(&format!("{address}?{query}")).await;
        assert!(!page.status.is_server_error(), "{address}: {}", page.text);
        let after =
            (store.fingerprint(ben).await.unwrap(), store.list_human_actions(ben, 100).await.unwrap().len());
        assert_eq!(after, before, "GET {address} decided something");
    }
}

#[tokio::test]
async fn form_over_size_limit_or_with_two_tokens_is_refused() {
    let world = MultiUserFixture::new(false).await;
    let browser = world.browser(Caller::Ben);
    let own = || browser.request("POST", "/notes").header(header::ORIGIN, BASE_URL);
    let token = ("form_token", browser.token.as_str());
    let twice = browser.send(form(own(), &[token, token, ("note", "x")])).await;
    assert_eq!(twice.status, StatusCode::FORBIDDEN, "which of the two?");
    let long = "x".repeat(300 * 1024);
    let page = browser.send(form(own(), &[token, ("note", &long)])).await;
    assert_eq!(page.status, StatusCode::PAYLOAD_TOO_LARGE, "{}", page.text);
    let many: Vec<(&str, &str)> =
        std::iter::once(token).chain(std::iter::repeat_n(("a", "1"), 3000)).collect();
    let page = browser.send(form(own(), &many)).await;
    assert_eq!(page.status, StatusCode::PAYLOAD_TOO_LARGE, "{}", page.text);
    assert!(world.site.db.store.list_notes(world.ben).await.unwrap().is_empty());
}

#[tokio::test]
async fn sign_in_redirects_only_to_local_paths() {
    let site = TestSite::new().await;
    let ann = site.db.user("Ann").await;
    site.db.store.set_password(ann, &"three random words".to_owned().into(), now()).await.unwrap();
    let nobody = site.signed_out_browser();
    for (to, leads) in [
        ("/plan?week=2", "/plan?week=2"),
        ("", "/"),
        ("//evil.example", "/"),
        ("/\t/evil.example", "/"),
        ("/\n/evil.example", "/"),
        ("\t//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("\\\\evil.example", "/"),
        ("https://evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("/ /evil.example", "/"),
        ("/\u{e9}", "/"),
    ] {
        let asked: String = form_urlencoded::byte_serialize(to.as_bytes()).collect();
        let page = nobody.get(&format!("/sign-in?to={asked}")).await;
        let hidden = page.hidden_fields("/sign-in");
        assert_eq!(hidden, [("to".to_owned(), leads.to_owned())], "{to:?}");
    }
    for to in ["//evil.example", "/\t/evil.example", "/\\evil.example"] {
        let fields = [("name", "Ann"), ("password", "three random words"), ("to", to)];
        assert_eq!(nobody.post("/sign-in", &fields).await.redirect_target(), "/", "{to:?}");
    }
}

#[tokio::test]
async fn head_request_does_not_truncate_cached_page() {
    let world = MultiUserFixture::new(true).await;
    let browser = world.browser(Caller::Ben);
    for path in ["/", "/plan", "/coach", "/settings"] {
        let head = browser.send(browser.request("HEAD", path).body(Body::empty()).unwrap()).await;
        assert!(head.status == StatusCode::OK && head.text.is_empty(), "{path}");
        let page = browser.get(path).await;
        assert!(page.contains("</html>"), "{path} is kept without what it says");
    }
}
