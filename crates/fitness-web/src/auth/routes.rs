//! Route registration with access rules. `Routes` is the only way to add a route.
//!
//! Routes for athletes need a session cookie. A POST also needs the session's form token (CSRF) and
//! our own `Origin`. Cached pages are served until anything is written to the database.

use crate::api::ApiError;
use crate::app::App;
use crate::auth::session::{self, CurrentUser};
use crate::http::connections::is_body_timeout;
use crate::http::error::PageError;
use crate::http::form::FormFields;
use crate::http::host_check;
use crate::http::rate_limit::SecretKind;
use crate::pages::sign_in;
use crate::refresh::refresh_after_write;
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

const MAX_FORM_BYTES: usize = 256 * 1024;
/// Uploads are streamed to disk, not held in memory.
const MAX_UPLOAD_BYTES: usize = 2 * 1024 * 1024 * 1024;
/// Form field with the session's CSRF token.
pub(crate) const FORM_TOKEN_FIELD: &str = "form_token";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum AccessRule {
    /// No authentication. Shows nothing about any athlete.
    Anyone,
    Athlete,
    /// The signed-in browser of the user who owns this server.
    Owner,
    /// An API token or a signed-in browser. Read only.
    SessionOrToken,
    /// An API token. Cookies are ignored.
    TokenOnly,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum RequestBody {
    Empty,
    /// A URL-encoded form with the session's form token.
    Form,
    /// A form with files. The handler must check the form token, which comes before the files, with
    /// `CurrentUser::is_form_token`.
    Multipart,
    /// JSON sent by a script on our own pages.
    Json,
}

#[derive(Debug, Clone, Serialize)]
pub struct RouteInfo {
    pub method: &'static str,
    /// The pattern, such as `/plans/{id}`.
    pub path: &'static str,
    pub access: AccessRule,
    pub body: RequestBody,
}

/// Builder of the router.
pub(crate) struct RouterBuilder {
    app: App,
    router: Router<App>,
    infos: Vec<RouteInfo>,
}

#[derive(Clone)]
struct RoutePolicy {
    app: App,
    access: AccessRule,
    body: RequestBody,
    is_cached: bool,
}

impl RouterBuilder {
    pub(crate) fn new(app: App) -> Self {
        Self { app, router: Router::new(), infos: Vec::new() }
    }

    /// A page that depends only on stored data and the athlete's current day, so it can be cached.
    pub(crate) fn cached_get<H: Handler<T, App>, T: 'static>(
        self,
        path: &'static str,
        access: AccessRule,
        handler: H,
    ) -> Self {
        self.add(MethodFilter::GET, path, (access, RequestBody::Empty, true), handler)
    }

    /// A GET route that is not cached.
    pub(crate) fn get<H: Handler<T, App>, T: 'static>(
        self,
        path: &'static str,
        access: AccessRule,
        handler: H,
    ) -> Self {
        self.add(MethodFilter::GET, path, (access, RequestBody::Empty, false), handler)
    }

    pub(crate) fn post<H: Handler<T, App>, T: 'static>(
        self,
        path: &'static str,
        access: AccessRule,
        handler: H,
    ) -> Self {
        self.add(MethodFilter::POST, path, (access, RequestBody::Form, false), handler)
    }

    pub(crate) fn post_multipart<H: Handler<T, App>, T: 'static>(
        self,
        path: &'static str,
        access: AccessRule,
        handler: H,
    ) -> Self {
        self.add(MethodFilter::POST, path, (access, RequestBody::Multipart, false), handler)
    }

    pub(crate) fn post_json<H: Handler<T, App>, T: 'static>(
        self,
        path: &'static str,
        access: AccessRule,
        handler: H,
    ) -> Self {
        self.add(MethodFilter::POST, path, (access, RequestBody::Json, false), handler)
    }

    pub(crate) fn into_parts(self) -> (Router<App>, Vec<RouteInfo>) {
        (self.router, self.infos)
    }

    fn add<H: Handler<T, App>, T: 'static>(
        mut self,
        method: MethodFilter,
        path: &'static str,
        (access, body, is_cached): (AccessRule, RequestBody, bool),
        handler: H,
    ) -> Self {
        let rule = RoutePolicy { app: self.app.clone(), access, body, is_cached };
        let limit = if body == RequestBody::Multipart { MAX_UPLOAD_BYTES } else { MAX_FORM_BYTES };
        let route: MethodRouter<App> = on(method, handler)
            .route_layer(middleware::from_fn_with_state(rule, authorize))
            .layer(DefaultBodyLimit::max(limit));
        self.router = self.router.route(path, route);
        let method = if body == RequestBody::Empty { Method::GET } else { Method::POST };
        let method = if method == Method::GET { "GET" } else { "POST" };
        self.infos.push(RouteInfo { method, path, access, body });
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
        // The MCP service checks the token and its scope itself.
        AccessRule::TokenOnly => Ok(next.run(request).await),
    };
    checked.unwrap_or_else(IntoResponse::into_response)
}

type RouteResult = Result<Response, PageError>;

/// A form of a public page has no session and so no form token; its `Origin` is checked.
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
        return Err(PageError::forbidden("API tokens can't be used here. Sign in with a browser."));
    }
    if rule.body != RequestBody::Empty {
        check_origin(rule, request.headers())?;
    }
    let now = (app.clock)();
    let version = app.store.data_version().await?;
    let Some(current_user) = session::find_current_user(app, &version, request.headers(), now).await? else {
        return Ok(require_sign_in(rule, request).await);
    };
    if rule.access == AccessRule::Owner && !current_user.is_owner {
        return Err(PageError::not_found());
    }
    app.rate_limits.count_form(rule.body, &current_user)?;
    let today = fitness_core::domain::calendar::Day::at(now, current_user.zone);
    let key = rule.is_cached.then(|| (current_user.session, today, path_and_query(request.uri())));
    if let Some(page) = key.as_ref().and_then(|key| app.page_cache.find_page(&version, key)) {
        return Ok(page.into_response());
    }
    if rule.body == RequestBody::Form {
        request = parse_form(request).await?;
        let fields = request.extensions().get::<FormFields>();
        if !fields
            .and_then(|fields| fields.get(FORM_TOKEN_FIELD))
            .is_some_and(|token| current_user.is_form_token(token))
        {
            return Err(PageError::forbidden("This page is out of date. Reload it and try again."));
        }
    }
    let user = current_user.user;
    request.extensions_mut().insert(current_user);
    let response = next.run(request).await;
    if matches!(rule.body, RequestBody::Form | RequestBody::Multipart) {
        refresh_after_write(app, user, &version).await;
    }
    match key {
        Some(key) => app.page_cache.insert_page(version, key, response).await,
        None => Ok(response),
    }
}

/// Errors are problem JSON, also for a browser.
async fn serve_session_or_token(
    rule: &RoutePolicy,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let (app, now) = (&rule.app, (rule.app.clock)());
    if !request.headers().contains_key(header::AUTHORIZATION) {
        let version = app.store.data_version().await?;
        let current_user = session::find_current_user(app, &version, request.headers(), now).await?;
        let current_user = current_user
            .ok_or_else(|| ApiError::unauthorized(&app.base_url, "Send an API token or sign in."))?;
        request.extensions_mut().insert(current_user);
        return Ok(next.run(request).await);
    }
    let token = match host_check::bearer_secret(request.headers()) {
        Some(secret) => app.store.find_api_token(&secret, now).await?,
        None => None,
    };
    let Some(token) = token else {
        app.rate_limits.count_failed_secret(SecretKind::ApiToken)?;
        return Err(ApiError::unauthorized(&app.base_url, "This token is unknown, expired or revoked."));
    };
    app.rate_limits.count_api_call(token.id)?;
    // Best effort: a failed update of the last-used time is no reason to refuse.
    drop(app.store.touch_api_token(token.user, token.id, now).await);
    let zone = app.store.profile(token.user).await?.zone;
    request.extensions_mut().insert(CurrentUser::for_api_token(token.user, zone));
    Ok(next.run(request).await)
}

/// Requires exactly one `Origin`, one of ours, and `Sec-Fetch-Site: same-origin` where it is sent.
fn check_origin(rule: &RoutePolicy, headers: &HeaderMap) -> Result<(), PageError> {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let origin = origins.next().filter(|_| origins.next().is_none()).and_then(|value| value.to_str().ok());
    let fetched = headers.get("sec-fetch-site").is_none_or(|site| site == "same-origin");
    if origin.is_some_and(|origin| rule.app.host_names.allows_origin(origin)) && fetched {
        return Ok(());
    }
    Err(PageError::forbidden("This form can only be sent from this server's own pages."))
}

/// Reads the form body and stores it as a request extension.
async fn parse_form(request: Request) -> Result<Request, PageError> {
    let (mut parts, body) = request.into_parts();
    let is_form =
        parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(|value| {
            value.split(';').next().is_some_and(|kind| kind.trim() == "application/x-www-form-urlencoded")
        });
    if !is_form {
        return Err(PageError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "The request is not a form."));
    }
    let bytes = to_bytes(body, MAX_FORM_BYTES).await.map_err(|why| match is_body_timeout(&why) {
        true => PageError::request_timeout(),
        false => PageError::payload_too_large(),
    })?;
    parts.extensions.insert(FormFields::parse(&bytes)?);
    Ok(Request::from_parts(parts, Body::empty()))
}

/// Sends a browser to the sign-in page. For a form, shows what was typed, so that it is not lost
/// when the session expired meanwhile. This is safe: the form came from our own origin.
async fn require_sign_in(rule: &RoutePolicy, request: Request) -> Response {
    if rule.body == RequestBody::Empty {
        let to = sign_in_url(&path_and_query(request.uri()));
        return (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response();
    }
    if rule.body == RequestBody::Json {
        return host_check::plain_text_error(StatusCode::UNAUTHORIZED, "Please sign in.");
    }
    // The page with the form. Only the path of `Referer` is used.
    let from = request.headers().get(header::REFERER).and_then(|value| value.to_str().ok());
    let from = from.and_then(|from| from.parse::<Uri>().ok()).map(|from| path_and_query(&from));
    let to = sign_in_url(sign_in::local_path(&from.unwrap_or_default()));
    let read = if rule.body == RequestBody::Form { parse_form(request).await.ok() } else { None };
    let nothing = FormFields::default();
    let fields = read.as_ref().and_then(|request| request.extensions().get::<FormFields>());
    sign_in::sign_in_first_page(fields.unwrap_or(&nothing), &to)
}

/// The sign-in page with the page to return to.
fn sign_in_url(wanted: &str) -> String {
    let wanted: String = form_urlencoded::byte_serialize(wanted.as_bytes()).collect();
    if wanted == "%2F" { "/sign-in".to_owned() } else { format!("/sign-in?to={wanted}") }
}

fn path_and_query(uri: &Uri) -> String {
    uri.path_and_query().map_or_else(|| uri.path().to_owned(), ToString::to_string)
}

pub(crate) fn constant_time_eq(a: &str, b: &str) -> bool {
    bool::from(a.as_bytes().ct_eq(b.as_bytes()))
}
