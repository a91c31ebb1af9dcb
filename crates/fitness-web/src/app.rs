//! What the server is made of, and its routes.

use crate::api::{ApiError, handlers, openapi};
use crate::assets;
use crate::auth::routes::{AccessRule, RequestBody, RouteInfo, Routes};
use crate::coach::chat_stream;
use crate::coach::mcp_host::UserCoachApiProvider;
use crate::http::connections::ConnectionSettings;
use crate::http::error::{self, PageError};
use crate::http::host_check::{self, HostNames};
use crate::http::page_cache::PageCache;
use crate::http::rate_limit::{RateLimits, SecretKind};
use crate::pages::plan::{
    decisions, draft, export, list, new, proposal, revisions, splits, workout, workout_edit,
};
use crate::pages::{
    activities, activity, calendar_feed, coach as talking, confirm_session, data, import, overview, plan,
    settings, setup, sign_in, today, trends, welcome,
};
use crate::services::ExternalServices;
use crate::state::ServerState;
use crate::worker::health::Readiness;
use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any_service;
use fitness_coach::agent_loop::Caps;
use fitness_coach::model::Model;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::UserId;
use fitness_mcp::{HttpConfig, METADATA_PATH, McpClient, Prompts, http_service, resource_metadata};
use fitness_store::Store;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// The port of a server that was told no other.
pub const DEFAULT_PORT: u16 = 8787;

/// A database that takes longer than this to say anything is not there.
const READINESS_TIMEOUT: Duration = Duration::from_secs(3);

/// Something that is looked up.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Who coaches: built outside, where the way out to the net is.
pub trait CoachProvider: Send + Sync {
    /// The model an athlete chose, or another one for this time, and what it may still use today; or why there is none,
    /// in a sentence for the athlete.
    fn open_model<'a>(
        &'a self,
        user: UserId,
        model: Option<&'a str>,
        today: Day,
    ) -> BoxFuture<'a, OpenModelResult>;

    /// Who coaches an athlete, in words, and the models they may ask for one time.
    fn describe(&self, user: UserId) -> BoxFuture<'_, (String, Vec<String>)>;
}

/// A model and what it may use; or why there is none.
pub type OpenModelResult = Result<(Box<dyn Model>, Caps), String>;

/// What the server is made of.
#[derive(Clone)]
pub struct App {
    /// The data.
    pub store: Store,
    /// What time it is.
    pub clock: fn() -> Instant,
    /// Who coaches.
    pub coach: Arc<dyn CoachProvider>,
    /// Where the athlete reaches this server, such as `http://127.0.0.1:8787`.
    pub base_url: Arc<str>,
    /// The names it may be called by.
    pub host_names: HostNames,
    /// Whether everything here is made up.
    pub is_demo: bool,
    /// Pages that can be shown again.
    pub page_cache: PageCache,
    /// How often somebody may do something.
    pub rate_limits: RateLimits,
    /// What a connection may take, and which proxies are believed.
    pub connections: ConnectionSettings,
    /// What only the program around the server can do.
    pub services: Arc<dyn ExternalServices>,
    /// What is under way.
    pub state: ServerState,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("site", &self.base_url).finish_non_exhaustive()
    }
}

/// Every route, behind the check of the host's name.
pub fn router(app: App, prompts: Prompts) -> Router {
    routes(app, prompts).0
}

/// Every route with who may call it, for whoever looks whether that holds.
pub fn routes(app: App, prompts: Prompts) -> (Router, Vec<RouteInfo>) {
    use AccessRule::{Anyone, Athlete, Owner, SessionOrToken};
    use settings::{account, coach, integrations, notes, profile, security, thresholds, users};
    let metadata = resource_metadata(&app.base_url);
    let (router, mut listed) = Routes::new(app.clone())
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
        .cached_get("/activities/{id}", Athlete, activity::show)
        .post("/activities/{id}/note", Athlete, activity::save_note)
        .post("/activities/{id}/edit", Athlete, activity::update)
        .post("/activities/{id}/reset", Athlete, activity::reset)
        .post("/activities/{id}/delete", Athlete, activity::delete)
        .post("/activities/{id}/restore", Athlete, activity::restore)
        .get("/activities/{id}/files/{hash}", Athlete, activity::download_original)
        .cached_get("/trends", Athlete, trends::show)
        .get("/trends/{file}", Athlete, trends::download_csv)
        .get("/calendar/{file}", Anyone, calendar_feed::show)
        .get("/sources", Athlete, data::show)
        .post("/sources", Athlete, data::create)
        .post("/sources/{id}/key", Athlete, data::replace_key)
        .post("/sources/{id}/remove", Athlete, data::remove)
        .post("/sync", Athlete, data::start_sync)
        .post_multipart("/import", Athlete, import::create)
        .get("/import/{id}", Athlete, import::show)
        .cached_get("/found", Athlete, overview::show)
        .post("/found/races/{id}/confirm", Athlete, overview::confirm_race)
        .post("/found/races/{id}/decline", Athlete, overview::decline_race)
        .post("/found/results/{id}/remove", Athlete, overview::remove_race)
        .get("/welcome", Athlete, welcome::show)
        .post("/welcome/you", Athlete, welcome::save_profile)
        .post("/welcome/source", Athlete, welcome::save_source)
        .post("/welcome/coach", Athlete, welcome::save_coach)
        .cached_get("/settings", Athlete, profile::show)
        .post("/settings/profile", Athlete, profile::update)
        .post("/settings/looks", Athlete, profile::update_appearance)
        .cached_get("/settings/limits", Athlete, thresholds::show)
        .post("/settings/limits", Athlete, thresholds::update)
        .post("/settings/limits/confirm", Athlete, thresholds::confirm)
        .post("/settings/limits/remove", Athlete, thresholds::remove)
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
        .cached_get("/settings/connect", Athlete, integrations::show)
        .post("/settings/tokens", Athlete, integrations::create_token)
        .post("/settings/tokens/{id}/revoke", Athlete, integrations::revoke_token)
        .post("/settings/calendar", Athlete, integrations::create_calendar_feed)
        .post("/settings/calendar/close", Athlete, integrations::remove_calendar_feed)
        .cached_get("/settings/security", Athlete, security::show)
        .post("/settings/password", Athlete, security::set_password)
        .post("/settings/sessions/end", Athlete, security::end_other_sessions)
        .post("/settings/sessions/{id}/end", Athlete, security::end_session)
        .cached_get("/settings/people", Owner, users::show)
        .post("/settings/people", Owner, users::create)
        .post("/settings/people/{id}/invite", Owner, users::create_invite)
        .post("/settings/people/key", Owner, users::share_key)
        .post("/settings/people/key/end", Owner, users::stop_sharing_key)
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
        .cached_get("/plan/card", Athlete, splits::show)
        .into_parts();
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
        .layer(middleware::from_fn_with_state(app.clone(), error::wrap_error_page))
        .layer(middleware::from_fn_with_state(app.host_names.clone(), host_check::check_host))
        .layer(middleware::from_fn(log_request))
        .with_state(app);
    (router, listed)
}

/// What no route knows, told to a program as a program reads it.
async fn not_found(uri: Uri) -> Response {
    match uri.path().starts_with("/api/") {
        true => ApiError::not_found().into_response(),
        false => PageError::not_found().into_response(),
    }
}

/// Notes each call by its pattern, never by its address: that may hold what signs somebody in.
async fn log_request(request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let begun = tokio::time::Instant::now();
    let response = next.run(request).await;
    let took = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    tracing::info!(%method, route, status = response.status().as_u16(), took, "a call was answered");
    response
}

/// Whether it can answer with data: whoever sends it calls asks this first.
async fn show_readiness(State(app): State<App>) -> Response {
    if !matches!(tokio::time::timeout(READINESS_TIMEOUT, app.store.data_version()).await, Ok(Ok(_))) {
        return host_check::plain_text_error(
            StatusCode::SERVICE_UNAVAILABLE,
            "The database does not answer.",
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

/// Reads the token of a program and seats it at its athlete's desk. A cookie opens nothing here.
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
                });
                request.extensions_mut().insert(McpClient { provider: host, scope: token.scope });
                // Whether it was noted when the token was used decides nothing.
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
                    "The database does not answer; try again.",
                );
            }
        }
    }
    next.run(request).await.into_response()
}
