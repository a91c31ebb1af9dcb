//! Who may call what. Every route is added here with who may call it; there is no other way to add one.
//!
//! A route for athletes is opened by the cookie of a session and nothing else. One that changes something takes a form
//! with the session's own token, from one of this server's own pages. Where a page is kept, it is shown again as long
//! as nothing at all was written to the database since.

use crate::api::ApiError;
use crate::app::App;
use crate::auth::session::{self, CurrentUser};
use crate::http::connections::is_body_timeout;
use crate::http::error::PageError;
use crate::http::form::FormFields;
use crate::http::host_check;
use crate::http::rate_limit::SecretKind;
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
const MAX_FORM_BYTES: usize = 256 * 1024;
/// The most a file that is uploaded may hold; it is written to disk as it comes.
const MAX_UPLOAD_BYTES: usize = 2 * 1024 * 1024 * 1024;
/// The name of the field with the session's token.
pub(crate) const FORM_TOKEN_FIELD: &str = "form_token";

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum AccessRule {
    /// Anyone who reaches this server: nothing of any athlete is shown.
    Anyone,
    /// An athlete who is signed in, with a browser.
    Athlete,
    /// The athlete who runs this server, with a browser.
    Owner,
    /// A program with an athlete's token, or the athlete's own browser. Only for reading.
    SessionOrToken,
    /// A program with an athlete's token, and no browser.
    TokenOnly,
}

/// What a call brings along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum RequestBody {
    /// Nothing: it is for reading.
    Empty,
    /// A form with the session's token.
    Form,
    /// A form with files, the session's token before them: whoever reads it checks that with
    /// `Seat::is_token`.
    Multipart,
    /// JSON from a page of ours.
    Json,
}

/// A route and who may call it.
#[derive(Debug, Clone, Serialize)]
pub struct RouteInfo {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// The path, as it is matched.
    pub path: &'static str,
    /// Who may call it.
    pub access: AccessRule,
    /// What a call brings along.
    pub body: RequestBody,
}

/// Routes as they are added.
pub(crate) struct Routes {
    app: App,
    router: Router<App>,
    infos: Vec<RouteInfo>,
}

/// The rule of one route.
#[derive(Clone)]
struct RoutePolicy {
    app: App,
    access: AccessRule,
    body: RequestBody,
    is_cached: bool,
}

impl Routes {
    pub(crate) fn new(app: App) -> Self {
        Self { app, router: Router::new(), infos: Vec::new() }
    }

    /// A page that is made of stored data and the athlete's day alone: it is shown again while neither changes.
    pub(crate) fn cached_get<H: Handler<T, App>, T: 'static>(
        self,
        path: &'static str,
        who: AccessRule,
        handler: H,
    ) -> Self {
        self.add(MethodFilter::GET, path, (who, RequestBody::Empty, true), handler)
    }

    /// Something to read that is made anew each time.
    pub(crate) fn get<H: Handler<T, App>, T: 'static>(
        self,
        path: &'static str,
        who: AccessRule,
        handler: H,
    ) -> Self {
        self.add(MethodFilter::GET, path, (who, RequestBody::Empty, false), handler)
    }

    /// A form that changes something.
    pub(crate) fn post<H: Handler<T, App>, T: 'static>(
        self,
        path: &'static str,
        who: AccessRule,
        handler: H,
    ) -> Self {
        self.add(MethodFilter::POST, path, (who, RequestBody::Form, false), handler)
    }

    /// Files.
    pub(crate) fn post_multipart<H: Handler<T, App>, T: 'static>(
        self,
        path: &'static str,
        who: AccessRule,
        handler: H,
    ) -> Self {
        self.add(MethodFilter::POST, path, (who, RequestBody::Multipart, false), handler)
    }

    /// JSON from a page of ours.
    pub(crate) fn post_json<H: Handler<T, App>, T: 'static>(
        self,
        path: &'static str,
        who: AccessRule,
        handler: H,
    ) -> Self {
        self.add(MethodFilter::POST, path, (who, RequestBody::Json, false), handler)
    }

    /// Every route that was added, and the router.
    pub(crate) fn into_parts(self) -> (Router<App>, Vec<RouteInfo>) {
        (self.router, self.infos)
    }

    fn add<H: Handler<T, App>, T: 'static>(
        mut self,
        method: MethodFilter,
        path: &'static str,
        (who, brings, kept): (AccessRule, RequestBody, bool),
        handler: H,
    ) -> Self {
        let rule = RoutePolicy { app: self.app.clone(), access: who, body: brings, is_cached: kept };
        let limit = if brings == RequestBody::Multipart { MAX_UPLOAD_BYTES } else { MAX_FORM_BYTES };
        let route: MethodRouter<App> = on(method, handler)
            .route_layer(middleware::from_fn_with_state(rule, authorize))
            .layer(DefaultBodyLimit::max(limit));
        self.router = self.router.route(path, route);
        let method = if brings == RequestBody::Empty { Method::GET } else { Method::POST };
        let method = if method == Method::GET { "GET" } else { "POST" };
        self.infos.push(RouteInfo { method, path, access: who, body: brings });
        self
    }
}

async fn authorize(State(rule): State<RoutePolicy>, request: Request, next: Next) -> Response {
    if !host_check::is_utf8_path(request.uri().path()) {
        let no = PageError::not_found();
        return if rule.access == AccessRule::SessionOrToken {
            ApiError::from(no).into_response()
        } else {
            no.into_response()
        };
    }
    let checked = match rule.access {
        AccessRule::Anyone => serve_public(&rule, request, next).await,
        AccessRule::Athlete | AccessRule::Owner => serve_session(&rule, request, next).await,
        AccessRule::SessionOrToken => {
            let read = serve_session_or_token(&rule, request, next).await;
            return read.unwrap_or_else(IntoResponse::into_response);
        }
        // Whether a program may do what it asks is looked at where it asks.
        AccessRule::TokenOnly => Ok(next.run(request).await),
    };
    checked.unwrap_or_else(IntoResponse::into_response)
}

type RouteResult = Result<Response, PageError>;

/// Whoever is not known yet sends a form only from one of our own pages; there is no session that could have a token.
async fn serve_public(rule: &RoutePolicy, request: Request, next: Next) -> RouteResult {
    let request = match rule.body {
        RequestBody::Empty => request,
        _ => {
            check_origin(rule, request.headers())?;
            parse_form(request).await?
        }
    };
    Ok(next.run(request).await)
}

async fn serve_session(rule: &RoutePolicy, mut request: Request, next: Next) -> RouteResult {
    let app = &rule.app;
    if request.headers().contains_key(header::AUTHORIZATION) {
        return Err(PageError::forbidden("A token opens nothing here. Sign in with a browser."));
    }
    if rule.body != RequestBody::Empty {
        check_origin(rule, request.headers())?;
    }
    let now = (app.clock)();
    let version = app.store.data_version().await?;
    let Some(seat) = session::find_current_user(app, &version, request.headers(), now).await? else {
        return Ok(require_sign_in(rule, request).await);
    };
    if rule.access == AccessRule::Owner && !seat.is_owner {
        return Err(PageError::not_found());
    }
    app.rate_limits.count_form(rule.body, &seat)?;
    let today = fitness_core::domain::calendar::Day::at(now, seat.zone);
    let key = rule.is_cached.then(|| (seat.session, today, path_and_query(request.uri())));
    if let Some(page) = key.as_ref().and_then(|key| app.page_cache.find_page(&version, key)) {
        return Ok(page.into_response());
    }
    if rule.body == RequestBody::Form {
        request = parse_form(request).await?;
        let fields = request.extensions().get::<FormFields>();
        if !fields
            .and_then(|fields| fields.get(FORM_TOKEN_FIELD))
            .is_some_and(|token| seat.is_form_token(token))
        {
            return Err(PageError::forbidden(
                "This form was not made for this browser, or you have signed in anew since. Open the page again.",
            ));
        }
    }
    request.extensions_mut().insert(seat);
    let response = next.run(request).await;
    match key {
        Some(key) => app.page_cache.insert_page(version, key, response).await,
        None => Ok(response),
    }
}

/// An athlete's browser, or a program with their token. Whatever is wrong is told as to a program.
async fn serve_session_or_token(
    rule: &RoutePolicy,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let (app, now) = (&rule.app, (rule.app.clock)());
    if !request.headers().contains_key(header::AUTHORIZATION) {
        let version = app.store.data_version().await?;
        let seat = session::find_current_user(app, &version, request.headers(), now).await?;
        let seat = seat.ok_or_else(|| {
            ApiError::unauthorized(&app.base_url, "Bring a token of yours, or sign in first.")
        })?;
        request.extensions_mut().insert(seat);
        return Ok(next.run(request).await);
    }
    let token = match host_check::bearer_secret(request.headers()) {
        Some(secret) => app.store.find_api_token(&secret, now).await?,
        None => None,
    };
    let Some(token) = token else {
        app.rate_limits.count_failed_secret(SecretKind::ApiToken)?;
        return Err(ApiError::unauthorized(
            &app.base_url,
            "This token is unknown, has ended or was revoked.",
        ));
    };
    app.rate_limits.count_api_call(token.id)?;
    // Whether it was noted when the token was used decides nothing.
    drop(app.store.touch_api_token(token.user, token.id, now).await);
    let zone = app.store.profile(token.user).await?.zone;
    request.extensions_mut().insert(CurrentUser::for_api_token(token.user, zone));
    Ok(next.run(request).await)
}

/// A form comes from one of our own pages, or not at all.
fn check_origin(rule: &RoutePolicy, headers: &HeaderMap) -> Result<(), PageError> {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let origin = origins.next().filter(|_| origins.next().is_none()).and_then(|value| value.to_str().ok());
    let fetched = headers.get("sec-fetch-site").is_none_or(|site| site == "same-origin");
    if origin.is_some_and(|origin| rule.app.host_names.allows_origin(origin)) && fetched {
        return Ok(());
    }
    Err(PageError::forbidden("This can only be sent from this server's own pages."))
}

/// Reads the form of a call and leaves it beside the call.
async fn parse_form(request: Request) -> Result<Request, PageError> {
    let (mut parts, body) = request.into_parts();
    let is_form =
        parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(|value| {
            value.split(';').next().is_some_and(|kind| kind.trim() == "application/x-www-form-urlencoded")
        });
    if !is_form {
        return Err(PageError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "This is not a form."));
    }
    let bytes = to_bytes(body, MAX_FORM_BYTES).await.map_err(|why| match is_body_timeout(&why) {
        true => PageError::request_timeout(),
        false => PageError::payload_too_large(),
    })?;
    parts.extensions.insert(FormFields::parse(&bytes)?);
    Ok(Request::from_parts(parts, Body::empty()))
}

/// Where a browser is sent that is not signed in. What was written into a form is shown again, for whoever was signed out
/// while they wrote: it came from one of our own pages, and goes back to the browser it came from.
async fn require_sign_in(rule: &RoutePolicy, request: Request) -> Response {
    if rule.body == RequestBody::Empty {
        let to = sign_in_url(&path_and_query(request.uri()));
        return (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response();
    }
    if rule.body == RequestBody::Json {
        return host_check::plain_text_error(StatusCode::UNAUTHORIZED, "Sign in first.");
    }
    // The page with the form, as the browser names it; of that only the path is believed.
    let from = request.headers().get(header::REFERER).and_then(|value| value.to_str().ok());
    let from = from.and_then(|from| from.parse::<Uri>().ok()).map(|from| path_and_query(&from));
    let to = sign_in_url(sign_in::local_path(&from.unwrap_or_default()));
    let read = if rule.body == RequestBody::Form { parse_form(request).await.ok() } else { None };
    let nothing = FormFields::default();
    let fields = read.as_ref().and_then(|request| request.extensions().get::<FormFields>());
    sign_in::sign_in_first_page(fields.unwrap_or(&nothing), &to)
}

/// The page to sign in on, and where to go on from there.
fn sign_in_url(wanted: &str) -> String {
    let wanted: String = form_urlencoded::byte_serialize(wanted.as_bytes()).collect();
    if wanted == "%2F" { "/sign-in".to_owned() } else { format!("/sign-in?to={wanted}") }
}

fn path_and_query(uri: &Uri) -> String {
    uri.path_and_query().map_or_else(|| uri.path().to_owned(), ToString::to_string)
}

/// Whether two secrets are the same, in a time that does not tell how far.
pub(crate) fn constant_time_eq(a: &str, b: &str) -> bool {
    bool::from(a.as_bytes().ct_eq(b.as_bytes()))
}
