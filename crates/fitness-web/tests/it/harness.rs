//! The real routes over a throw-away database, and browsers that call them.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::UserId;
use fitness_mcp::Prompts;
use fitness_store::Store;
use fitness_store::testkit::{Backend, TestDb, now};
use fitness_web::worker::{AllLaneLimits, LaneLimits, Worker, WorkerTiming};
use fitness_web::{
    App, BoxFuture, ClientAddress, CoachProvider, ConnectionSettings, ExternalServices, HostNames,
    NoExternalServices, OpenModelResult, PageCache, RateLimits, RouteInfo, ServerState, routes,
};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;
use tower_service::Service as _;

/// Where the site is.
pub(crate) const BASE_URL: &str = "http://127.0.0.1:8787";

thread_local! {
    /// Each test has a thread, and a clock, of its own.
    static NOW: Cell<Option<Instant>> = const { Cell::new(None) };
}

fn clock() -> Instant {
    NOW.get().unwrap_or_else(now)
}

/// Sets the clock of this test, such as to `2026-06-14T08:11:00Z`.
pub(crate) fn set_clock(text: &str) {
    NOW.set(Some(text.parse().unwrap()));
}

pub(crate) fn prompts() -> Prompts {
    Prompts { coach: String::new(), brief: String::new() }
}

/// Nobody coaches here.
struct NoCoach;

impl CoachProvider for NoCoach {
    fn open_model<'a>(&'a self, _: UserId, _: Option<&'a str>, _: Day) -> BoxFuture<'a, OpenModelResult> {
        Box::pin(async { Err("No coach is set up.".to_owned()) })
    }

    fn describe(&self, _: UserId) -> BoxFuture<'_, (String, Vec<String>)> {
        Box::pin(async { ("Nobody coaches here.".to_owned(), Vec::new()) })
    }
}

/// The server.
pub(crate) struct TestSite {
    pub(crate) db: TestDb,
    /// Every route with who may call it.
    pub(crate) routes: Vec<RouteInfo>,
    app: App,
    pub(crate) router: Router,
}

impl TestSite {
    pub(crate) async fn new() -> Self {
        Self::with_services(Arc::new(NoExternalServices)).await
    }

    /// Reached by browsers at this address, listening on this port.
    pub(crate) async fn at_address(address: &str, port: u16) -> Self {
        let mut site = Self::new().await;
        site.app.base_url = address.into();
        site.app.host_names = HostNames::new(port, address);
        site.reset_rate_limits();
        site
    }

    /// With somebody outside.
    pub(crate) async fn with_services(outside: Arc<dyn ExternalServices>) -> Self {
        Self::with_database(TestDb::new(Backend::Sqlite).await.unwrap(), outside)
    }

    /// Over a database of either kind.
    pub(crate) fn with_database(db: TestDb, outside: Arc<dyn ExternalServices>) -> Self {
        let app = App {
            store: db.store.clone(),
            clock,
            coach: Arc::new(NoCoach),
            base_url: BASE_URL.into(),
            host_names: HostNames::new(8787, BASE_URL),
            is_demo: false,
            page_cache: PageCache::default(),
            rate_limits: RateLimits::with_stopped_clock(),
            connections: ConnectionSettings::default(),
            services: outside,
            state: ServerState::default(),
        };
        let (router, routes) = routes(app.clone(), prompts());
        Self { db, routes, app, router }
    }

    /// What the server is made of.
    pub(crate) fn app(&self) -> App {
        self.app.clone()
    }

    /// Another server over the same data, that remembers nothing.
    pub(crate) fn restart(&self) -> RestartedSite<'_> {
        let app = App { state: ServerState::default(), page_cache: PageCache::default(), ..self.app.clone() };
        let router = routes(app.clone(), prompts()).0;
        RestartedSite { store: &self.db.store, app, router }
    }

    /// The same server over the same data, a long while later for whoever counts how often something is done.
    pub(crate) fn reset_rate_limits(&mut self) {
        self.app.rate_limits = RateLimits::with_stopped_clock();
        self.router = routes(self.app.clone(), prompts()).0;
    }

    /// The same server as the one of the demo.
    pub(crate) fn become_demo(&mut self) {
        self.app.is_demo = true;
        self.router = routes(self.app.clone(), prompts()).0;
    }

    /// Runs the imports that are in the queue, as the worker of a server does.
    pub(crate) async fn run_imports(&self) {
        run_imports(&self.db.store, &self.app.state).await;
    }

    /// A browser that has this cookie, whatever it is worth.
    pub(crate) fn with_cookie(&self, secret: &str) -> Browser {
        let mut browser = self.signed_out_browser();
        browser.set_cookie(&format!("{}={secret}", self.app.host_names.session_cookie_name()));
        browser
    }

    /// The same browser on the server as it is now.
    pub(crate) fn on_current_router(&self, browser: &Browser) -> Browser {
        Browser { router: self.router.clone(), ..browser.clone() }
    }

    /// A browser in which nobody has signed in.
    pub(crate) fn signed_out_browser(&self) -> Browser {
        Browser {
            router: self.router.clone(),
            store: self.db.store.clone(),
            site: self.app.base_url.clone(),
            address: None,
            cookie: String::new(),
            token: String::new(),
        }
    }

    /// A browser in which an athlete has signed in, and which may decide.
    pub(crate) async fn signed_in(&self, user: UserId) -> Browser {
        let lasts = chrono::TimeDelta::days(30);
        let token = self.db.store.open_session(user, "a browser", lasts, clock()).await.unwrap();
        self.with_cookie(token.reveal())
    }

    /// A browser in which an athlete has signed in by a link.
    pub(crate) async fn signed_in_by_link(&self, user: UserId) -> Browser {
        let link = self.db.store.create_login_link(user, clock()).await.unwrap();
        let mut browser = self.signed_out_browser();
        let answer = browser.post("/sign-in/link", &[("code", link.reveal())]).await;
        browser.store_cookie(&answer);
        browser
    }
}

/// A server that was started anew.
pub(crate) struct RestartedSite<'a> {
    store: &'a Store,
    app: App,
    router: Router,
}

impl RestartedSite<'_> {
    pub(crate) async fn run_imports(&self) {
        run_imports(self.store, &self.app.state).await;
    }

    /// The same browser on this server.
    pub(crate) fn on_current_router(&self, browser: &Browser) -> Browser {
        Browser { router: self.router.clone(), ..browser.clone() }
    }
}

async fn run_imports(store: &Store, running: &ServerState) {
    let none = LaneLimits { concurrency: 0, deadline: Duration::ZERO };
    let import = AllLaneLimits::default().import;
    let worker = Worker {
        store,
        tasks: &NoExternalServices,
        name: "a worker",
        clock,
        timing: WorkerTiming::default(),
        lanes: AllLaneLimits { sync: none, brief: none, recompute: none, backup: none, import },
        state: running,
    };
    worker.run_queued().await.unwrap();
}

/// A browser.
#[derive(Clone)]
pub(crate) struct Browser {
    router: Router,
    store: Store,
    site: Arc<str>,
    address: Option<ClientAddress>,
    cookie: String,
    /// What forms of this session carry.
    pub(crate) token: String,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    pub(crate) bytes: Vec<u8>,
}

impl Browser {
    /// Keeps the session that an answer gives.
    pub(crate) fn store_cookie(&mut self, answer: &TestResponse) {
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
        let set = answer.headers.get_all(header::SET_COOKIE).iter();
        let pairs: Vec<&str> =
            set.map(|cookie| cookie.to_str().unwrap().split(';').next().unwrap()).collect();
        self.set_cookie(pairs[0]);
        self.cookie = pairs.join("; ");
    }

    /// The same browser with every cookie but the session's.
    pub(crate) fn without_session(&self) -> Self {
        let others = self.cookie.split("; ").filter(|pair| !pair.contains("fitness_session"));
        let cookie = others.collect::<Vec<_>>().join("; ");
        Self { cookie, token: String::new(), ..self.clone() }
    }

    /// The same browser at this address.
    pub(crate) fn at_address(&self, address: &str) -> Self {
        Self { address: Some(ClientAddress::new(address.parse().unwrap())), ..self.clone() }
    }

    fn set_cookie(&mut self, cookie: &str) {
        self.cookie = cookie.to_owned();
        let secret = self.cookie.split_once('=').unwrap().1;
        self.token = ContentHash::hash_bytes(format!("form of {secret}").as_bytes()).to_string();
    }

    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        self.send(self.request("GET", path).body(Body::empty()).unwrap()).await
    }

    /// Sends a form as one of our pages would.
    pub(crate) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> TestResponse {
        let request = self.request("POST", path).header(header::ORIGIN, &*self.site);
        let with_token = [fields, &[("form_token", self.token.as_str())]].concat();
        self.send(form(request, &with_token)).await
    }

    /// Sends a form with everything that is hidden in it, and more.
    pub(crate) async fn submit_form(&self, page: &TestResponse, action: &str) -> TestResponse {
        let fields = page.hidden_fields(action);
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.send(form(self.request("POST", action).header(header::ORIGIN, &*self.site), &fields)).await
    }

    /// A request of this browser, to be given headers and a body.
    pub(crate) fn request(&self, method: &str, path: &str) -> axum::http::request::Builder {
        Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, self.site.split_once("://").unwrap().1)
            .header(header::COOKIE, &self.cookie)
    }

    /// Sends a request. Before a page is read, what the test wrote to the store is refreshed, as by a worker.
    pub(crate) async fn send(&self, request: Request<Body>) -> TestResponse {
        if request.method() == Method::GET {
            refresh_all(&self.store).await;
        }
        self.send_without_refresh(request).await
    }

    pub(crate) async fn send_without_refresh(&self, mut request: Request<Body>) -> TestResponse {
        request.extensions_mut().extend(self.address.map(extension).unwrap_or_default());
        let response = self.router.clone().call(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        TestResponse { status: parts.status, headers: parts.headers, text, bytes }
    }
}

/// What the worker does once a day and when data is stale. Some tests break the database on purpose.
pub(crate) async fn refresh_all(store: &Store) {
    for user in store.list_users().await.unwrap_or_default() {
        drop(fitness_web::refresh(store, user.id, clock()).await);
    }
}

fn extension(address: ClientAddress) -> axum::http::Extensions {
    let mut extensions = axum::http::Extensions::new();
    extensions.insert(address);
    extensions
}

/// A request with a form in it.
pub(crate) fn form(request: axum::http::request::Builder, fields: &[(&str, &str)]) -> Request<Body> {
    let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded").body(Body::from(body)).unwrap()
}

impl TestResponse {
    /// Where it leads.
    pub(crate) fn redirect_target(&self) -> &str {
        assert_eq!(self.status, StatusCode::SEE_OTHER, "{}", self.text);
        self.headers[header::LOCATION].to_str().unwrap()
    }

    /// Whether it says something. Entities are as they are written.
    pub(crate) fn contains(&self, words: &str) -> bool {
        self.text.contains(words)
    }

    /// The hidden fields of the form that posts to an address.
    pub(crate) fn hidden_fields(&self, action: &str) -> Vec<(String, String)> {
        let start = self
            .text
            .find(&format!("method=\"post\" action=\"{action}\""))
            .unwrap_or_else(|| panic!("no form to {action}: {}", self.text));
        let form = &self.text[start..];
        let form = &form[..form.find("</form>").unwrap()];
        form.split("<input type=\"hidden\"")
            .skip(1)
            .map(|input| (attribute(input, "name"), attribute(input, "value")))
            .collect()
    }
}

fn attribute(input: &str, name: &str) -> String {
    let from = input.find(&format!("{name}=\"")).unwrap() + name.len() + 2;
    let value = &input[from..];
    let value = &value[..value.find('"').unwrap()];
    value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}
