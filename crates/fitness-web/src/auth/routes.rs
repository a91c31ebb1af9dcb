//! Who may call what. Every route is added here with who may call it; there is no other way to add one.
//!
//! A route for athletes is opened by the cookie of a session and nothing else. One that changes something takes a form
//! with the session's own token, from one of this server's own pages. Where a page is kept, it is shown again as long
//! as nothing at all was written to the database since.

use crate::api::Refused;
use crate::app::App;
use crate::auth::session::{self, Seat};
use crate::http::connections::is_body_timeout;
use crate::http::error::Problem;
use crate::http::form::Fields;
use crate::http::host_check;
use crate::http::rate_limit::Door;
use crate::pages::sign_in;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::handler::Handler;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use serde::Serialize;
use subtle::ConstantTimeEq as _;

/// The most a form may hold.
const MAX_FORM: usize = 256 * 1024;
/// The most a file that is uploaded may hold; it is written to disk as it comes.
const MAX_UPLOAD: usize = 2 * 1024 * 1024 * 1024;
/// The name of the field with the session's token.
pub(crate) const TOKEN_FIELD: &str = "form_token";

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Who {
    /// Anyone who reaches this server: nothing of any athlete is shown.
    Anyone,
    /// An athlete who is signed in, with a browser.
    Athlete,
    /// The athlete who runs this server, with a browser.
    Owner,
    /// A program with an athlete's token, or the athlete's own browser. Only for reading.
    Reader,
    /// A program with an athlete's token, and no browser.
    Program,
}

/// What a call brings along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Brings {
    /// Nothing: it is for reading.
    Nothing,
    /// A form with the session's token.
    Form,
    /// A form with files, the session's token before them: whoever reads it checks that with
    /// `Seat::is_token`.
    Files,
    /// JSON from a page of ours.
    Json,
}

/// A route and who may call it.
#[derive(Debug, Clone, Serialize)]
pub struct Listed {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// The path, as it is matched.
    pub path: &'static str,
    /// Who may call it.
    pub who: Who,
    /// What a call brings along.
    pub brings: Brings,
}

/// Routes as they are added.
pub(crate) struct Routes {
    app: App,
    router: Router<App>,
    listed: Vec<Listed>,
}

/// The rule of one route.
#[derive(Clone)]
struct Rule {
    app: App,
    who: Who,
    brings: Brings,
    kept: bool,
}

impl Routes {
    pub(crate) fn new(app: App) -> Self {
        Self { app, router: Router::new(), listed: Vec::new() }
    }

    /// A page that is made of stored data and the athlete's day alone: it is shown again while neither changes.
    pub(crate) fn page<H: Handler<T, App>, T: 'static>(
        self,
        path: &'static str,
        who: Who,
        handler: H,
    ) -> Self {
        self.add(MethodFilter::GET, path, (who, Brings::Nothing, true), handler)
    }

    /// Something to read that is made anew each time.
    pub(crate) fn get<H: Handler<T, App>, T: 'static>(
        self,
        path: &'static str,
        who: Who,
        handler: H,
    ) -> Self {
        self.add(MethodFilter::GET, path, (who, Brings::Nothing, false), handler)
    }

    /// A form that changes something.
    pub(crate) fn post<H: Handler<T, App>, T: 'static>(
        self,
        path: &'static str,
        who: Who,
        handler: H,
    ) -> Self {
        self.add(MethodFilter::POST, path, (who, Brings::Form, false), handler)
    }

    /// Files.
    pub(crate) fn files<H: Handler<T, App>, T: 'static>(
        self,
        path: &'static str,
        who: Who,
        handler: H,
    ) -> Self {
        self.add(MethodFilter::POST, path, (who, Brings::Files, false), handler)
    }

    /// JSON from a page of ours.
    pub(crate) fn json<H: Handler<T, App>, T: 'static>(
        self,
        path: &'static str,
        who: Who,
        handler: H,
    ) -> Self {
        self.add(MethodFilter::POST, path, (who, Brings::Json, false), handler)
    }

    /// Every route that was added, and the router.
    pub(crate) fn done(self) -> (Router<App>, Vec<Listed>) {
        (self.router, self.listed)
    }

    fn add<H: Handler<T, App>, T: 'static>(
        mut self,
        method: MethodFilter,
        path: &'static str,
        (who, brings, kept): (Who, Brings, bool),
        handler: H,
    ) -> Self {
        let rule = Rule { app: self.app.clone(), who, brings, kept };
        let limit = if brings == Brings::Files { MAX_UPLOAD } else { MAX_FORM };
        let route: MethodRouter<App> = on(method, handler)
            .route_layer(middleware::from_fn_with_state(rule, check))
            .layer(DefaultBodyLimit::max(limit));
        self.router = self.router.route(path, route);
        let method = if brings == Brings::Nothing { Method::GET } else { Method::POST };
        let method = if method == Method::GET { "GET" } else { "POST" };
        self.listed.push(Listed { method, path, who, brings });
        self
    }
}

async fn check(State(rule): State<Rule>, request: Request, next: Next) -> Response {
    if !host_check::is_text(request.uri().path()) {
        let no = Problem::not_found();
        return if rule.who == Who::Reader { Refused::from(no).into_response() } else { no.into_response() };
    }
    let checked = match rule.who {
        Who::Anyone => anyone(&rule, request, next).await,
        Who::Athlete | Who::Owner => athlete(&rule, request, next).await,
        Who::Reader => {
            let read = reader(&rule, request, next).await;
            return read.unwrap_or_else(IntoResponse::into_response);
        }
        // Whether a program may do what it asks is looked at where it asks.
        Who::Program => Ok(next.run(request).await),
    };
    checked.unwrap_or_else(IntoResponse::into_response)
}

type Checked = Result<Response, Problem>;

/// Whoever is not known yet sends a form only from one of our own pages; there is no session that could have a token.
async fn anyone(rule: &Rule, request: Request, next: Next) -> Checked {
    let request = match rule.brings {
        Brings::Nothing => request,
        _ => {
            same_origin(rule, request.headers())?;
            with_fields(request).await?
        }
    };
    Ok(next.run(request).await)
}

async fn athlete(rule: &Rule, mut request: Request, next: Next) -> Checked {
    let app = &rule.app;
    if request.headers().contains_key(header::AUTHORIZATION) {
        return Err(Problem::refused("A token opens nothing here. Sign in with a browser."));
    }
    if rule.brings != Brings::Nothing {
        same_origin(rule, request.headers())?;
    }
    let now = (app.clock)();
    let version = app.store.version().await?;
    let Some(seat) = session::find(app, &version, request.headers(), now).await? else {
        return Ok(sign_in_first(rule, request).await);
    };
    if rule.who == Who::Owner && !seat.owner {
        return Err(Problem::not_found());
    }
    app.limits.count(rule.brings, &seat)?;
    let today = fitness_core::domain::calendar::Day::at(now, seat.zone);
    let key = rule.kept.then(|| (seat.session, today, path_and_query(request.uri())));
    if let Some(page) = key.as_ref().and_then(|key| app.kept.page(&version, key)) {
        return Ok(page.into_response());
    }
    if rule.brings == Brings::Form {
        request = with_fields(request).await?;
        let fields = request.extensions().get::<Fields>();
        if !fields.and_then(|fields| fields.one(TOKEN_FIELD)).is_some_and(|token| seat.is_token(token)) {
            return Err(Problem::refused(
                "This form was not made for this browser, or you have signed in anew since. Open the page again.",
            ));
        }
    }
    request.extensions_mut().insert(seat);
    let response = next.run(request).await;
    match key {
        Some(key) => app.kept.keep(version, key, response).await,
        None => Ok(response),
    }
}

/// An athlete's browser, or a program with their token. Whatever is wrong is told as to a program.
async fn reader(rule: &Rule, mut request: Request, next: Next) -> Result<Response, Refused> {
    let (app, now) = (&rule.app, (rule.app.clock)());
    if !request.headers().contains_key(header::AUTHORIZATION) {
        let version = app.store.version().await?;
        let seat = session::find(app, &version, request.headers(), now).await?;
        let seat =
            seat.ok_or_else(|| Refused::unknown(&app.site, "Bring a token of yours, or sign in first."))?;
        request.extensions_mut().insert(seat);
        return Ok(next.run(request).await);
    }
    let token = match host_check::bearer_secret(request.headers()) {
        Some(secret) => app.store.find_api_token(&secret, now).await?,
        None => None,
    };
    let Some(token) = token else {
        app.limits.count_guess(Door::Token)?;
        return Err(Refused::unknown(&app.site, "This token is unknown, has ended or was revoked."));
    };
    app.limits.count_call(token.id)?;
    // Whether it was noted when the token was used decides nothing.
    drop(app.store.touch_api_token(token.user, token.id, now).await);
    let zone = app.store.profile(token.user).await?.zone;
    request.extensions_mut().insert(Seat::of_program(token.user, zone));
    Ok(next.run(request).await)
}

/// A form comes from one of our own pages, or not at all.
fn same_origin(rule: &Rule, headers: &HeaderMap) -> Result<(), Problem> {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let origin = origins.next().filter(|_| origins.next().is_none()).and_then(|value| value.to_str().ok());
    let fetched = headers.get("sec-fetch-site").is_none_or(|site| site == "same-origin");
    if origin.is_some_and(|origin| rule.app.names.allow_origin(origin)) && fetched {
        return Ok(());
    }
    Err(Problem::refused("This can only be sent from this server's own pages."))
}

/// Reads the form of a call and leaves it beside the call.
async fn with_fields(request: Request) -> Result<Request, Problem> {
    let (mut parts, body) = request.into_parts();
    let is_form =
        parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(|value| {
            value.split(';').next().is_some_and(|kind| kind.trim() == "application/x-www-form-urlencoded")
        });
    if !is_form {
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "This is not a form."));
    }
    let bytes = to_bytes(body, MAX_FORM).await.map_err(|why| match is_body_timeout(&why) {
        true => Problem::too_slow(),
        false => Problem::too_much(),
    })?;
    parts.extensions.insert(Fields::read(&bytes)?);
    Ok(Request::from_parts(parts, Body::empty()))
}

/// Where a browser is sent that is not signed in. What was written into a form is shown again, for whoever was signed out
/// while they wrote: it came from one of our own pages, and goes back to the browser it came from.
async fn sign_in_first(rule: &Rule, request: Request) -> Response {
    if rule.brings == Brings::Nothing {
        let to = then(&path_and_query(request.uri()));
        return (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response();
    }
    if rule.brings == Brings::Json {
        return host_check::refusal(StatusCode::UNAUTHORIZED, "Sign in first.");
    }
    // The page with the form, as the browser names it; of that only the path is believed.
    let from = request.headers().get(header::REFERER).and_then(|value| value.to_str().ok());
    let from = from.and_then(|from| from.parse::<Uri>().ok()).map(|from| path_and_query(&from));
    let to = then(sign_in::own_path(&from.unwrap_or_default()));
    let read = if rule.brings == Brings::Form { with_fields(request).await.ok() } else { None };
    let nothing = Fields::default();
    let fields = read.as_ref().and_then(|request| request.extensions().get::<Fields>());
    sign_in::first(fields.unwrap_or(&nothing), &to)
}

/// The page to sign in on, and where to go on from there.
fn then(wanted: &str) -> String {
    let wanted: String = form_urlencoded::byte_serialize(wanted.as_bytes()).collect();
    if wanted == "%2F" { "/sign-in".to_owned() } else { format!("/sign-in?to={wanted}") }
}

fn path_and_query(uri: &Uri) -> String {
    uri.path_and_query().map_or_else(|| uri.path().to_owned(), ToString::to_string)
}

/// Whether two secrets are the same, in a time that does not tell how far.
pub(crate) fn same(a: &str, b: &str) -> bool {
    bool::from(a.as_bytes().ct_eq(b.as_bytes()))
}
