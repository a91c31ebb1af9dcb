//! What the server is made of, and its routes.

use crate::api::{Refused, handlers, openapi};
use crate::assets;
use crate::auth::routes::{Brings, Listed, Routes, Who};
use crate::coach::chat_stream;
use crate::coach::mcp_host::AthletesHost;
use crate::http::connections::ConnectionSettings;
use crate::http::error::{self, Problem};
use crate::http::host_check::{self, Names};
use crate::http::page_cache::Kept;
use crate::http::rate_limit::{Door, Limits};
use crate::pages::plan::{
    decisions, draft, export, list, new, proposal, revisions, splits, workout, workout_edit,
};
use crate::pages::{
    activities, activity, calendar_feed, coach as talking, confirm_session, data, import, overview, plan,
    settings, setup, sign_in, today, trends, welcome,
};
use crate::services::Outside;
use crate::state::Running;
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
use fitness_mcp::{Guest, HttpConfig, METADATA_PATH, Prompts, http_service, resource_metadata};
use fitness_store::Store;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// The port of a server that was told no other.
pub const USUAL_PORT: u16 = 8787;

/// A database that takes longer than this to say anything is not there.
const READY: Duration = Duration::from_secs(3);

/// Something that is looked up.
pub type Looked<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Who coaches: built outside, where the way out to the net is.
pub trait Coaching: Send + Sync {
    /// The model an athlete chose, or another one for this time, and what it may still use today; or why there is none,
    /// in a sentence for the athlete.
    fn open<'a>(&'a self, user: UserId, model: Option<&'a str>, today: Day) -> Looked<'a, Opened>;

    /// Who coaches an athlete, in words, and the models they may ask for one time.
    fn told(&self, user: UserId) -> Looked<'_, (String, Vec<String>)>;
}

/// A model and what it may use; or why there is none.
pub type Opened = Result<(Box<dyn Model>, Caps), String>;

/// What the server is made of.
#[derive(Clone)]
pub struct App {
    /// The data.
    pub store: Store,
    /// What time it is.
    pub clock: fn() -> Instant,
    /// Who coaches.
    pub coaching: Arc<dyn Coaching>,
    /// Where the athlete reaches this server, such as `http://127.0.0.1:8787`.
    pub site: Arc<str>,
    /// The names it may be called by.
    pub names: Names,
    /// Whether everything here is made up.
    pub demo: bool,
    /// Pages that can be shown again.
    pub kept: Kept,
    /// How often somebody may do something.
    pub limits: Limits,
    /// What a connection may take, and which proxies are believed.
    pub connections: ConnectionSettings,
    /// What only the program around the server can do.
    pub outside: Arc<dyn Outside>,
    /// What is under way.
    pub running: Running,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("site", &self.site).finish_non_exhaustive()
    }
}

/// Every route, behind the check of the host's name.
pub fn router(app: App, prompts: Prompts) -> Router {
    routes(app, prompts).0
}

/// Every route with who may call it, for whoever looks whether that holds.
pub fn routes(app: App, prompts: Prompts) -> (Router, Vec<Listed>) {
    use Who::{Anyone, Athlete, Owner, Reader};
    use settings::{account, coach, integrations, notes, profile, security, thresholds, users};
    let metadata = resource_metadata(&app.site);
    let (router, mut listed) = Routes::new(app.clone())
        .get("/healthz", Anyone, async || "ok\n")
        .get("/readyz", Anyone, ready)
        .get(METADATA_PATH, Anyone, async move || axum::Json(metadata))
        .get("/assets/{hash}/{name}", Anyone, assets::show)
        .get("/manifest.webmanifest", Anyone, assets::manifest)
        .get("/sign-in", Anyone, sign_in::show)
        .post("/sign-in", Anyone, sign_in::by_password)
        .get("/sign-in/link", Anyone, sign_in::show_link)
        .post("/sign-in/link", Anyone, sign_in::by_link)
        .get("/setup", Anyone, setup::show)
        .post("/setup", Anyone, setup::make)
        .get("/invite", Anyone, setup::show_invite)
        .post("/invite", Anyone, setup::take_invite)
        .post("/sign-out", Athlete, sign_in::out)
        .get("/confirm", Athlete, confirm_session::show)
        .post("/confirm", Athlete, confirm_session::confirm)
        .page("/", Athlete, today::show)
        .page("/days/{day}", Athlete, today::show_day)
        .page("/plan", Athlete, plan::show)
        .post("/brief", Athlete, today::rewrite)
        .post("/feel", Athlete, today::feel)
        .post("/notes", Athlete, today::note)
        .post("/marks", Athlete, today::mark)
        .post("/marks/{id}/remove", Athlete, today::unmark)
        .page("/coach", Athlete, talking::show)
        .post("/coach", Athlete, talking::say)
        .page("/activities", Athlete, activities::show)
        .page("/activities/{id}", Athlete, activity::show)
        .post("/activities/{id}/note", Athlete, activity::note)
        .post("/activities/{id}/edit", Athlete, activity::edit)
        .post("/activities/{id}/reset", Athlete, activity::reset)
        .post("/activities/{id}/delete", Athlete, activity::delete)
        .post("/activities/{id}/restore", Athlete, activity::restore)
        .get("/activities/{id}/files/{hash}", Athlete, activity::file)
        .page("/trends", Athlete, trends::show)
        .get("/trends/{file}", Athlete, trends::csv)
        .get("/calendar/{file}", Anyone, calendar_feed::show)
        .get("/sources", Athlete, data::show)
        .post("/sources", Athlete, data::add)
        .post("/sources/{id}/key", Athlete, data::renew)
        .post("/sources/{id}/remove", Athlete, data::remove)
        .post("/sync", Athlete, data::sync)
        .files("/import", Athlete, import::take)
        .get("/import/{id}", Athlete, import::show)
        .page("/found", Athlete, overview::show)
        .post("/found/races/{id}/confirm", Athlete, overview::confirm)
        .post("/found/races/{id}/decline", Athlete, overview::decline)
        .post("/found/results/{id}/remove", Athlete, overview::remove)
        .get("/welcome", Athlete, welcome::show)
        .post("/welcome/you", Athlete, welcome::save_place)
        .post("/welcome/source", Athlete, welcome::save_source)
        .post("/welcome/coach", Athlete, welcome::save_coach)
        .page("/settings", Athlete, profile::show)
        .post("/settings/profile", Athlete, profile::save)
        .post("/settings/looks", Athlete, profile::save_looks)
        .page("/settings/limits", Athlete, thresholds::show)
        .post("/settings/limits", Athlete, thresholds::set)
        .post("/settings/limits/confirm", Athlete, thresholds::confirm)
        .post("/settings/limits/remove", Athlete, thresholds::remove)
        .post("/settings/zones", Athlete, thresholds::set_zones)
        .post("/settings/zones/remove", Athlete, thresholds::remove_zones)
        .get("/settings/coach", Athlete, coach::show)
        .post("/settings/coach", Athlete, coach::save)
        .get("/settings/coach/preview", Athlete, coach::preview)
        .page("/settings/notes", Athlete, notes::show)
        .post("/settings/notes", Athlete, notes::save)
        .page("/settings/notes/{id}", Athlete, notes::edit)
        .post("/settings/notes/{id}/accept", Athlete, notes::accept)
        .post("/settings/notes/{id}/delete", Athlete, notes::delete)
        .post("/settings/marks/{id}/accept", Athlete, notes::accept_mark)
        .post("/settings/marks/{id}/delete", Athlete, notes::delete_mark)
        .page("/settings/connect", Athlete, integrations::show)
        .post("/settings/tokens", Athlete, integrations::make)
        .post("/settings/tokens/{id}/revoke", Athlete, integrations::revoke)
        .post("/settings/calendar", Athlete, integrations::open_calendar)
        .post("/settings/calendar/close", Athlete, integrations::close_calendar)
        .page("/settings/security", Athlete, security::show)
        .post("/settings/password", Athlete, security::set_password)
        .post("/settings/sessions/end", Athlete, security::end_others)
        .post("/settings/sessions/{id}/end", Athlete, security::end)
        .page("/settings/people", Owner, users::show)
        .post("/settings/people", Owner, users::invite)
        .post("/settings/people/{id}/invite", Owner, users::invite_again)
        .post("/settings/people/key", Owner, users::share)
        .post("/settings/people/key/end", Owner, users::end_sharing)
        .page("/settings/account", Athlete, account::show)
        .post("/settings/account/export", Athlete, account::export)
        .get("/settings/account/delete", Athlete, account::ask)
        .post("/settings/account/delete", Athlete, account::delete)
        .get("/api/v1/openapi.json", Anyone, openapi::show)
        .get("/api/v1/today", Reader, handlers::today)
        .get("/api/v1/plan", Reader, handlers::plan)
        .get("/api/v1/activities", Reader, handlers::activities)
        .get("/api/v1/activities/{id}", Reader, handlers::activity)
        .get("/api/v1/trends", Reader, handlers::trends)
        .get("/api/v1/brief", Reader, handlers::brief)
        .json("/api/chat", Athlete, chat_stream::say)
        .page("/plans", Athlete, list::show)
        .get("/plan/new", Athlete, new::show)
        .post("/plan/new", Athlete, new::keep)
        .page("/plans/{id}", Athlete, draft::show)
        .get("/plans/{id}/commit", Athlete, decisions::ask_commit)
        .post("/plans/{id}/commit", Athlete, decisions::commit)
        .get("/plans/{id}/archive", Athlete, decisions::ask_archive)
        .post("/plans/{id}/archive", Athlete, decisions::archive)
        .get("/plans/{id}/delete", Athlete, decisions::ask_delete)
        .post("/plans/{id}/delete", Athlete, decisions::delete)
        .page("/plan/workouts/{id}", Athlete, workout::show)
        .get("/plan/workouts/{id}/workout.fit", Athlete, workout::fit)
        .post("/plan/workouts/{id}/match", Athlete, workout::answer)
        .post("/plan/workouts/{id}/unmatch", Athlete, workout::take_back)
        .get("/plan/edit", Athlete, workout_edit::show)
        .post("/plan/edit", Athlete, workout_edit::save)
        .page("/plan/revisions", Athlete, revisions::list)
        .page("/plan/revisions/{number}", Athlete, revisions::show)
        .get("/plan/revert", Athlete, revisions::ask)
        .post("/plan/revert", Athlete, revisions::revert)
        .page("/proposals/{id}", Athlete, proposal::show)
        .get("/proposals/{id}/apply", Athlete, proposal::ask_apply)
        .post("/proposals/{id}/apply", Athlete, proposal::apply)
        .post("/proposals/{id}/discard", Athlete, proposal::discard)
        .page("/plan/export", Athlete, export::show)
        .get("/plan/export/{file}", Athlete, export::file)
        .post("/plan/send", Athlete, export::send)
        .page("/plan/card", Athlete, splits::show)
        .done();
    let mcp = Router::new()
        .route("/mcp", any_service(http_service(prompts, mcp_config(&app))))
        .layer(middleware::from_fn_with_state(app.clone(), bearer));
    for method in ["GET", "POST"] {
        listed.push(Listed { method, path: "/mcp", who: Who::Program, brings: Brings::Json });
    }
    let router = router
        .merge(mcp)
        .fallback(unknown)
        .layer(middleware::from_fn_with_state(app.clone(), error::surround))
        .layer(middleware::from_fn_with_state(app.names.clone(), host_check::host))
        .layer(middleware::from_fn(noted))
        .with_state(app);
    (router, listed)
}

/// What no route knows, told to a program as a program reads it.
async fn unknown(uri: Uri) -> Response {
    match uri.path().starts_with("/api/") {
        true => Refused::not_found().into_response(),
        false => Problem::not_found().into_response(),
    }
}

/// Notes each call by its pattern, never by its address: that may hold what signs somebody in.
async fn noted(request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let begun = tokio::time::Instant::now();
    let response = next.run(request).await;
    let took = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    tracing::info!(%method, route, status = response.status().as_u16(), took, "a call was answered");
    response
}

/// Whether it can answer with data: whoever sends it calls asks this first.
async fn ready(State(app): State<App>) -> Response {
    if !matches!(tokio::time::timeout(READY, app.store.version()).await, Ok(Ok(_))) {
        return host_check::refusal(StatusCode::SERVICE_UNAVAILABLE, "The database does not answer.");
    }
    match app.running.health.readiness() {
        Readiness::Ready(report) => report.into_response(),
        Readiness::NotReady(reason) => host_check::refusal(StatusCode::SERVICE_UNAVAILABLE, &reason),
    }
}

fn mcp_config(app: &App) -> HttpConfig {
    HttpConfig {
        base_url: app.site.to_string(),
        allowed_hosts: app.names.list().to_vec(),
        allowed_origins: Vec::new(),
    }
}

/// Reads the token of a program and seats it at its athlete's desk. A cookie opens nothing here.
async fn bearer(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let secret = host_check::bearer_secret(request.headers());
    if let Some(secret) = secret {
        match app.store.find_api_token(&secret, (app.clock)()).await {
            Ok(Some(token)) => {
                if let Err(too_often) = app.limits.count_call(token.id) {
                    return too_often.plain();
                }
                let host = Arc::new(AthletesHost {
                    store: app.store.clone(),
                    user: token.user,
                    clock: app.clock,
                    site: app.site.clone(),
                });
                request.extensions_mut().insert(Guest { host, scope: token.scope });
                // Whether it was noted when the token was used decides nothing.
                drop(app.store.touch_api_token(token.user, token.id, (app.clock)()).await);
            }
            Ok(None) => {
                if let Err(too_often) = app.limits.count_guess(Door::Token) {
                    return too_often.plain();
                }
            }
            Err(_) => {
                return host_check::refusal(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "The database does not answer; try again.",
                );
            }
        }
    }
    next.run(request).await.into_response()
}
