//! Application state and the route table.

use crate::api::{ApiError, handlers, openapi};
use crate::assets;
use crate::auth::routes::{AccessRule, RequestBody, RouteInfo, RouterBuilder};
use crate::coach::chat_stream;
use crate::coach::mcp_host::UserCoachApiProvider;
use crate::http::connections::ConnectionSettings;
use crate::http::error::{self, PageError};
use crate::http::host_check::{self, HostNames};
use crate::http::page_cache::PageCache;
use crate::http::rate_limit::{RateLimits, SecretKind};
use crate::http::response::permanent_redirect;
use crate::in_memory_state::ServerState;
use crate::pages::plan::{
    decisions, draft, export, list, new, proposal, revisions, splits, workout, workout_edit,
};
use crate::pages::{
    activities, activity, activity_new, calendar_feed, coach as talking, confirm_session, data, gear, import,
    overview, plan, race_new, settings, setup, sign_in, today, trends, welcome,
};
use crate::services::ExternalServices;
use crate::worker::write_check::Readiness;
use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any_service;
use fitness_coach::agent_loop::TurnLimits;
use fitness_coach::model::Model;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_mcp::{HttpConfig, METADATA_PATH, McpClient, Prompts, http_service, resource_metadata};
use fitness_store::Store;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

pub const DEFAULT_PORT: u16 = 8787;

/// A database that takes longer than this to respond counts as unavailable.
const READINESS_TIMEOUT: Duration = Duration::from_secs(3);

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Opens the coach's model. Implemented outside this crate, which has no HTTP client.
pub trait CoachProvider: Send + Sync {
    /// The athlete's model, or the one named for this request, with its remaining budget for
    /// today; or why there is none, as a sentence for the athlete.
    fn open_model<'a>(
        &'a self,
        user: UserId,
        model: Option<&'a str>,
        today: Day,
    ) -> BoxFuture<'a, OpenModelResult>;

    /// A description of the athlete's coach, and the models they may choose for one message.
    fn describe(&self, user: UserId) -> BoxFuture<'_, (String, Vec<String>)>;
}

/// A model and its limits, or a sentence that says why there is none.
pub type OpenModelResult = Result<(Box<dyn Model>, TurnLimits), String>;

/// Everything a handler needs; cheap to clone.
#[derive(Clone)]
pub struct App {
    pub store: Store,
    pub clock: fn() -> Instant,
    pub coach: Arc<dyn CoachProvider>,
    /// The address browsers use, such as `http://127.0.0.1:8787`.
    pub base_url: Arc<str>,
    /// The values of `Host` that are accepted.
    pub host_names: HostNames,
    /// Whether the database holds the generated athlete of `fitness demo`.
    pub is_demo: bool,
    pub page_cache: PageCache,
    pub rate_limits: RateLimits,
    /// Connection limits and trusted proxies.
    pub connections: ConnectionSettings,
    /// Operations that need the network or the encryption key.
    pub services: Arc<dyn ExternalServices>,
    pub state: ServerState,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("site", &self.base_url).finish_non_exhaustive()
    }
}

/// The router, with every middleware.
pub fn router(app: App, prompts: Prompts) -> Router {
    routes(app, prompts).0
}

/// Paths that were renamed after 0.2.0 and where their pages are now. The old ones redirect for one
/// release: remove this table in the release after that.
const RENAMED_PATHS: [(&str, &str); 6] = [
    ("/found", "/overview"),
    ("/sources", "/data"),
    ("/plan/card", "/plan/splits"),
    ("/settings/limits", "/settings/thresholds"),
    ("/settings/people", "/settings/users"),
    ("/settings/connect", "/settings/integrations"),
];

/// The router and the list of its routes with their access rules, which the tests check.
pub fn routes(app: App, prompts: Prompts) -> (Router, Vec<RouteInfo>) {
    use AccessRule::{Anyone, Athlete, Owner, SessionOrToken};
    use settings::{account, audit, coach, integrations, notes, profile, security, thresholds, users};
    let metadata = resource_metadata(&app.base_url);
    let routes = RouterBuilder::new(app.clone())
        .get("/healthz", Anyone, async || "ok\n")
        .get("/readyz", Anyone, show_readiness)
        .get(METADATA_PATH, Anyone, async move || axum::Json(metadata))
        .get("/assets/{hash}/{name}", Anyone, assets::show)
        .get("/manifest.webmanifest", Anyone, assets::show_manifest)
        .get("/sign-in", Anyone, sign_in::show)
        .post("/sign-in", Anyone, sign_in::sign_in_with_password)
        .get("/sign-in/link", Anyone, sign_in::show_link)
        .post("/sign-in/link", Anyone, sign_in::sign_in_with_link)
        .get("/setup", Anyone, setup::show)
        .post("/setup", Anyone, setup::create)
        .get("/invite", Anyone, setup::show_invite)
        .post("/invite", Anyone, setup::accept_invite)
        .post("/sign-out", Athlete, sign_in::sign_out)
        .get("/confirm", Athlete, confirm_session::show)
        .post("/confirm", Athlete, confirm_session::confirm)
        .cached_get("/", Athlete, today::show)
        .cached_get("/days/{day}", Athlete, today::show_day)
        .cached_get("/plan", Athlete, plan::show)
        .post("/brief", Athlete, today::rewrite)
        .post("/feel", Athlete, today::save_feeling)
        .post("/notes", Athlete, today::create_note)
        .post("/marks", Athlete, today::create_absence)
        .post("/marks/{id}/remove", Athlete, today::remove_absence)
        .cached_get("/coach", Athlete, talking::show)
        .post("/coach", Athlete, talking::send_message)
        .cached_get("/activities", Athlete, activities::list)
        .get("/activities/new", Athlete, activity_new::show)
        .post("/activities/new", Athlete, activity_new::create)
        .cached_get("/activities/{id}", Athlete, activity::show)
        .post("/activities/{id}/gear", Athlete, gear::assign)
        .post("/activities/{id}/note", Athlete, activity::save_note)
        .post("/activities/{id}/edit", Athlete, activity::update)
        .post("/activities/{id}/reset", Athlete, activity::reset)
        .post("/activities/{id}/delete", Athlete, activity::delete)
        .post("/activities/{id}/restore", Athlete, activity::restore)
        .get("/activities/{id}/files/{hash}", Athlete, activity::download_original)
        .cached_get("/trends", Athlete, trends::show)
        .get("/trends/{file}", Athlete, trends::download_csv)
        .get("/calendar/{file}", Anyone, calendar_feed::show)
        .get("/data", Athlete, data::show)
        .post("/data", Athlete, data::create)
        .post("/data/{id}/key", Athlete, data::replace_key)
        .post("/data/{id}/remove", Athlete, data::remove)
        .post("/sync", Athlete, data::start_sync)
        .post_multipart("/import", Athlete, import::create)
        .get("/import/{id}", Athlete, import::show)
        .cached_get("/overview", Athlete, overview::show)
        .post("/overview/races/{id}/confirm", Athlete, overview::confirm_race)
        .post("/overview/races/{id}/decline", Athlete, overview::decline_race)
        .post("/overview/results/{id}/remove", Athlete, overview::remove_race)
        .get("/races/new", Athlete, race_new::show)
        .post("/races/new", Athlete, race_new::create)
        .cached_get("/gear", Athlete, gear::show)
        .post("/gear", Athlete, gear::create)
        .post("/gear/default", Athlete, gear::set_default)
        .post("/gear/{id}/retire", Athlete, gear::retire)
        .post("/gear/{id}/reuse", Athlete, gear::reuse)
        .post("/gear/{id}/delete", Athlete, gear::delete)
        .get("/welcome", Athlete, welcome::show)
        .post("/welcome/you", Athlete, welcome::save_profile)
        .post("/welcome/source", Athlete, welcome::save_source)
        .post("/welcome/coach", Athlete, welcome::save_coach)
        .cached_get("/settings", Athlete, profile::show)
        .post("/settings/profile", Athlete, profile::update)
        .post("/settings/looks", Athlete, profile::update_appearance)
        .cached_get("/settings/thresholds", Athlete, thresholds::show)
        .post("/settings/thresholds", Athlete, thresholds::update)
        .post("/settings/thresholds/confirm", Athlete, thresholds::confirm)
        .post("/settings/thresholds/remove", Athlete, thresholds::remove)
        .post("/settings/zones", Athlete, thresholds::update_zones)
        .post("/settings/zones/remove", Athlete, thresholds::remove_zones)
        .get("/settings/coach", Athlete, coach::show)
        .post("/settings/coach", Athlete, coach::update)
        .get("/settings/coach/preview", Athlete, coach::preview)
        .cached_get("/settings/notes", Athlete, notes::show)
        .post("/settings/notes", Athlete, notes::save)
        .cached_get("/settings/notes/{id}", Athlete, notes::edit)
        .post("/settings/notes/{id}/accept", Athlete, notes::accept)
        .post("/settings/notes/{id}/delete", Athlete, notes::delete)
        .post("/settings/marks/{id}/accept", Athlete, notes::accept_absence)
        .post("/settings/marks/{id}/delete", Athlete, notes::delete_absence)
        .cached_get("/settings/integrations", Athlete, integrations::show)
        .post("/settings/tokens", Athlete, integrations::create_token)
        .post("/settings/tokens/{id}/revoke", Athlete, integrations::revoke_token)
        .post("/settings/calendar", Athlete, integrations::create_calendar_feed)
        .post("/settings/calendar/close", Athlete, integrations::remove_calendar_feed)
        .cached_get("/settings/security", Athlete, security::show)
        .post("/settings/password", Athlete, security::set_password)
        .post("/settings/sessions/end", Athlete, security::end_other_sessions)
        .post("/settings/sessions/{id}/end", Athlete, security::end_session)
        .cached_get("/settings/users", Owner, users::show)
        .post("/settings/users", Owner, users::create)
        .post("/settings/users/{id}/invite", Owner, users::create_invite)
        .post("/settings/users/key", Owner, users::share_key)
        .post("/settings/users/key/end", Owner, users::stop_sharing_key)
        .cached_get("/settings/audit", Athlete, audit::show)
        .cached_get("/settings/account", Athlete, account::show)
        .post("/settings/account/export", Athlete, account::export)
        .get("/settings/account/delete", Athlete, account::confirm_delete)
        .post("/settings/account/delete", Athlete, account::delete)
        .get("/api/v1/openapi.json", Anyone, openapi::show)
        .get("/api/v1/today", SessionOrToken, handlers::show_today)
        .get("/api/v1/plan", SessionOrToken, handlers::show_plan)
        .get("/api/v1/activities", SessionOrToken, handlers::list_activities)
        .get("/api/v1/activities/{id}", SessionOrToken, handlers::show_activity)
        .get("/api/v1/trends", SessionOrToken, handlers::show_trends)
        .get("/api/v1/brief", SessionOrToken, handlers::show_brief)
        .post_json("/api/chat", Athlete, chat_stream::send_message)
        .cached_get("/plans", Athlete, list::show)
        .get("/plan/new", Athlete, new::show)
        .post("/plan/new", Athlete, new::create)
        .cached_get("/plans/{id}", Athlete, draft::show)
        .get("/plans/{id}/commit", Athlete, decisions::confirm_activate)
        .post("/plans/{id}/commit", Athlete, decisions::activate)
        .get("/plans/{id}/archive", Athlete, decisions::confirm_archive)
        .post("/plans/{id}/archive", Athlete, decisions::archive)
        .get("/plans/{id}/delete", Athlete, decisions::confirm_delete)
        .post("/plans/{id}/delete", Athlete, decisions::delete)
        .cached_get("/plan/workouts/{id}", Athlete, workout::show)
        .get("/plan/workouts/{id}/workout.fit", Athlete, workout::download_fit)
        .post("/plan/workouts/{id}/match", Athlete, workout::save_match)
        .post("/plan/workouts/{id}/unmatch", Athlete, workout::remove_match)
        .get("/plan/edit", Athlete, workout_edit::show)
        .post("/plan/edit", Athlete, workout_edit::update)
        .cached_get("/plan/revisions", Athlete, revisions::list)
        .cached_get("/plan/revisions/{number}", Athlete, revisions::show)
        .get("/plan/revert", Athlete, revisions::confirm_revert)
        .post("/plan/revert", Athlete, revisions::revert)
        .cached_get("/proposals/{id}", Athlete, proposal::show)
        .get("/proposals/{id}/apply", Athlete, proposal::confirm_apply)
        .post("/proposals/{id}/apply", Athlete, proposal::apply)
        .post("/proposals/{id}/discard", Athlete, proposal::discard)
        .cached_get("/plan/export", Athlete, export::show)
        .get("/plan/export/{file}", Athlete, export::download_file)
        .post("/plan/send", Athlete, export::send)
        .cached_get("/plan/splits", Athlete, splits::show);
    let redirected = RENAMED_PATHS.into_iter().fold(routes, |routes, (old, new)| {
        routes.get(old, Anyone, move |uri: Uri| async move { permanent_redirect(new, uri.query()) })
    });
    let (router, mut listed) = redirected.into_parts();
    let mcp = Router::new()
        .route("/mcp", any_service(http_service(prompts, mcp_config(&app))))
        .layer(middleware::from_fn_with_state(app.clone(), authenticate_bearer));
    for method in ["GET", "POST"] {
        listed.push(RouteInfo {
            method,
            path: "/mcp",
            access: AccessRule::TokenOnly,
            body: RequestBody::Json,
        });
    }
    let router = router
        .merge(mcp)
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(middleware::from_fn_with_state(app.clone(), error::wrap_error_page))
        .layer(middleware::from_fn_with_state(app.host_names.clone(), host_check::check_host))
        .layer(middleware::from_fn(log_request))
        .with_state(app);
    (router, listed)
}

/// 404: problem JSON under `/api/`, a page elsewhere.
async fn not_found(uri: Uri) -> Response {
    match uri.path().starts_with("/api/") {
        true => ApiError::not_found().into_response(),
        false => PageError::not_found().into_response(),
    }
}

/// 405: a page for a browser that opens the address of a form.
async fn method_not_allowed(uri: Uri) -> Response {
    match uri.path().starts_with("/api/") {
        true => StatusCode::METHOD_NOT_ALLOWED.into_response(),
        false => PageError::method_not_allowed().into_response(),
    }
}

/// Logs the route pattern, never the path or query: they may contain a login code.
async fn log_request(request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let begun = tokio::time::Instant::now();
    let response = next.run(request).await;
    let took = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    tracing::info!(%method, route, status = response.status().as_u16(), took, "request");
    response
}

/// Readiness for load balancers and container health checks.
async fn show_readiness(State(app): State<App>) -> Response {
    if !matches!(tokio::time::timeout(READINESS_TIMEOUT, app.store.data_version()).await, Ok(Ok(_))) {
        return host_check::plain_text_error(
            StatusCode::SERVICE_UNAVAILABLE,
            "The database is not responding.",
        );
    }
    match app.state.health.readiness() {
        Readiness::Ready(report) => report.into_response(),
        Readiness::NotReady(reason) => host_check::plain_text_error(StatusCode::SERVICE_UNAVAILABLE, &reason),
    }
}

fn mcp_config(app: &App) -> HttpConfig {
    HttpConfig {
        base_url: app.base_url.to_string(),
        allowed_hosts: app.host_names.hosts().to_vec(),
        allowed_origins: Vec::new(),
    }
}

/// Authenticates an MCP client by its bearer token. Cookies are ignored here.
async fn authenticate_bearer(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let secret = host_check::bearer_secret(request.headers());
    if let Some(secret) = secret {
        match app.store.find_api_token(&secret, (app.clock)()).await {
            Ok(Some(token)) => {
                if let Err(too_often) = app.rate_limits.count_api_call(token.id) {
                    return too_often.plain_text_response();
                }
                let host = Arc::new(UserCoachApiProvider {
                    store: app.store.clone(),
                    user: token.user,
                    clock: app.clock,
                    site: app.base_url.clone(),
                    refresh_first: false,
                });
                request.extensions_mut().insert(McpClient { provider: host, scope: token.scope });
                // Best effort: a failed update of the last-used time is no reason to refuse.
                drop(app.store.touch_api_token(token.user, token.id, (app.clock)()).await);
            }
            Ok(None) => {
                if let Err(too_often) = app.rate_limits.count_failed_secret(SecretKind::ApiToken) {
                    return too_often.plain_text_response();
                }
            }
            Err(_) => {
                return host_check::plain_text_error(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "The database is not responding. Try again.",
                );
            }
        }
    }
    next.run(request).await.into_response()
}
