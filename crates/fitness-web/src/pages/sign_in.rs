//! `/sign-in`: by name and password, or by a link from the terminal; and signing out.

use crate::app::{App, DEFAULT_PORT};
use crate::auth::session::{self, CurrentUser, SESSION_LIFETIME};
use crate::auth::sign_in_limiter::AttemptSource;
use crate::components::form::{InputOptions, SubmittedForm};
use crate::http::client_address::ClientAddress;
use crate::http::error::PageError;
use crate::http::extract::Query;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::rate_limit::SecretKind;
use crate::page;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use fitness_core::domain::ids::UserId;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{Error, Token};
use maud::{Markup, html};
use secrecy::SecretString;
use serde::Deserialize;
use tokio::sync::Semaphore;

/// `to` is the page to return to.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct SignInQuery {
    #[serde(default)]
    to: String,
}

/// Sign-ins hash one password at a time. The store hashes two at once, so signed-in users who
/// confirm their password never wait for strangers.
static PASSWORD_PERMITS: Semaphore = Semaphore::const_new(1);

#[derive(Debug, Deserialize)]
pub(crate) struct SignInLinkQuery {
    #[serde(default)]
    code: String,
}

pub(crate) async fn show(
    State(app): State<App>,
    Query(wanted): Query<SignInQuery>,
) -> Result<Response, PageError> {
    let fields = FormFields::default().with("to", local_path(&wanted.to));
    Ok(page::bare_page("Sign in", &page(&app, &fields, &FieldErrors::default()).await?))
}

/// `POST /sign-in`: by name and password.
pub(crate) async fn sign_in_with_password(
    State(app): State<App>,
    client_address: ClientAddress,
    headers: HeaderMap,
    fields: FormFields,
) -> Result<Response, PageError> {
    let (name, password) =
        (fields.get_trimmed("name").unwrap_or_default(), fields.get("password").unwrap_or_default());
    let password: SecretString = password.to_owned().into();
    let user = app.store.find_user(name).await?.map(|user| user.id);
    let source = match user {
        Some(user) if session::is_known_device(&app, user, &headers).await? => {
            AttemptSource::KnownDevice(user)
        }
        _ => AttemptSource::Address(client_address),
    };
    let attempt = app.rate_limits.begin_password_attempt(name, source).await?;
    let known = user.unwrap_or(UserId::new(0));
    let _turn = PASSWORD_PERMITS.acquire().await.expect("the semaphore is never closed");
    if !app.store.verify_password(known, &password).await? {
        let mut faults = FieldErrors::default();
        faults.add("password", "Wrong name or password.");
        let mut response = page::bare_page("Sign in", &page(&app, &fields, &faults).await?);
        *response.status_mut() = StatusCode::UNAUTHORIZED;
        return Ok(response);
    }
    app.rate_limits.record_password_success(&attempt);
    let token = app.store.open_session(known, &user_agent(&headers), SESSION_LIFETIME, (app.clock)()).await?;
    start_session_response(&app, known, &token, local_path(fields.get("to").unwrap_or_default())).await
}

/// `GET /sign-in/link`: does not redeem the link, so that a prefetch cannot use it up.
pub(crate) async fn show_link(
    State(app): State<App>,
    Query(link): Query<SignInLinkQuery>,
) -> Result<Response, PageError> {
    let Some(user) = app.store.find_login_link(&link.code, (app.clock)()).await? else {
        return Err(link_expired(&app));
    };
    let name = app.store.user(user).await?.name;
    let body = html! {
        section.card {
            h1 { "Hello, " (escape_invisible(&name)) }
            p { "This link works once. Sign in with this browser?" }
            form method="post" action="/sign-in/link" {
                input type="hidden" name="code" value=(link.code);
                p.actions { button.primary type="submit" { "Sign in" } }
            }
        }
    };
    Ok(page::bare_page("Sign in", &body))
}

pub(crate) async fn sign_in_with_link(
    State(app): State<App>,
    headers: HeaderMap,
    fields: FormFields,
) -> Result<Response, PageError> {
    let code = fields.get("code").unwrap_or_default();
    let spent =
        app.store.redeem_login_link(code, &user_agent(&headers), SESSION_LIFETIME, (app.clock)()).await;
    match spent {
        Ok((user, token)) => {
            if app.is_demo {
                // The demo has nothing to protect, so no confirmation is needed.
                let session = app.store.find_session(token.reveal(), (app.clock)()).await?;
                let session = session.ok_or_else(PageError::not_found)?;
                app.store.confirm_session(user, session.id, (app.clock)()).await?;
            }
            start_session_response(&app, user, &token, "/").await
        }
        Err(Error::NotConfirmed(_)) => {
            app.rate_limits.count_failed_secret(SecretKind::SignInLink)?;
            Err(link_expired(&app))
        }
        Err(other) => Err(other.into()),
    }
}

/// Response to a form from a browser that is not signed in: shows what was typed and links to
/// sign-in.
pub(crate) fn sign_in_first_page(fields: &FormFields, to: &str) -> Response {
    let written = fields.typed_values();
    let body = html! {
        section.card {
            h1 { "Please sign in" }
            p { "You were signed out or your session expired. Nothing was saved." }
            @if !written.is_empty() {
                p { "This is what you entered. Copy what you need, sign in and enter it again." }
                @for (at, (name, text)) in written.iter().enumerate() {
                    div.field {
                        label for={ "written-" (at) } { (field_label(name)) }
                        textarea id={ "written-" (at) } rows=(if text.chars().count() > 80 || text.contains('\n') { "6" } else { "1" }) readonly { (text) }
                    }
                }
            }
            p.actions { a.btn.primary href=(to) target=[(!written.is_empty()).then_some("_blank")] { "Sign in" } }
        }
    };
    let mut response = page::bare_page("Please sign in", &body);
    *response.status_mut() = StatusCode::UNAUTHORIZED;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The label of a form field, from its name.
fn field_label(name: &str) -> String {
    match name {
        "b_race" => "tune-up race date",
        "b_race_distance" => "tune-up race distance",
        "base" => "typical week",
        "birth_year" => "year of birth",
        "blackout" => "days off",
        "bounds" => "lower bounds",
        "long_day" => "long run day",
        "longest" => "longest run",
        "q" | "say" | "text" => "text",
        "sleep_need" => "sleep goal",
        "target" => "goal time",
        "through" => "last day",
        "zone" => "time zone",
        other => return other.replace('_', " "),
    }
    .to_owned()
}

pub(crate) async fn sign_out(
    State(app): State<App>,
    current_user: CurrentUser,
) -> Result<Response, PageError> {
    app.store.end_session(current_user.user, current_user.session, (app.clock)()).await?;
    let headers = [(header::SET_COOKIE, session::clear_cookie(&app))];
    Ok((StatusCode::SEE_OTHER, headers, [(header::LOCATION, "/sign-in")]).into_response())
}

fn link_expired(app: &App) -> PageError {
    let said = format!(
        "This link has been used or has expired. Run {} on the server to get a new one.",
        link_command(app)
    );
    PageError::new(StatusCode::GONE, said).with_link("/sign-in", "Sign in")
}

/// The command that prints a login link for this server.
pub(crate) fn link_command(app: &App) -> String {
    let mut command = if app.is_demo { "fitness login --demo" } else { "fitness login" }.to_owned();
    let port = app.base_url.strip_prefix("http://127.0.0.1:").and_then(|port| port.parse::<u16>().ok());
    if let Some(port) = port.filter(|port| *port != DEFAULT_PORT) {
        command.push_str(&format!(" --port {port}"));
    }
    command
}

/// Redirects with the session cookie and the cookie that marks the browser as known.
pub(crate) async fn start_session_response(
    app: &App,
    user: UserId,
    token: &Token,
    to: &str,
) -> Result<Response, PageError> {
    let session = session::set_cookie(app, token);
    let device = app.store.find_device_secret(user).await?;
    let mut response =
        (StatusCode::SEE_OTHER, [(header::SET_COOKIE, session)], [(header::LOCATION, to)]).into_response();
    if let Some(secret) = device {
        response.headers_mut().append(header::SET_COOKIE, session::device_cookie(app, &secret));
    }
    Ok(response)
}

/// A path of this server, else `/`. Browsers read `\` as `/` and ignore tabs, so both are refused.
pub(crate) fn local_path(to: &str) -> &str {
    let fine = to.starts_with('/')
        && !to.starts_with("//")
        && to.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if fine { to } else { "/" }
}

pub(crate) fn user_agent(headers: &HeaderMap) -> String {
    headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or("a browser").to_owned()
}

async fn page(app: &App, fields: &FormFields, faults: &FieldErrors) -> Result<Markup, PageError> {
    let filling = SubmittedForm { fields, errors: faults };
    let users = app.store.list_users().await?;
    let some_password = users.iter().any(|user| user.has_password);
    if users.is_empty() {
        return Ok(html! {
            section.card {
                h1 { "No users yet" }
                p { "To create your account, open the link that " code { "fitness serve" } " printed when it started." }
            }
        });
    }
    Ok(html! {
        section.card {
            h1 { "Sign in" }
            @if some_password {
                form method="post" action="/sign-in" {
                    input type="hidden" name="to" value=(fields.get("to").unwrap_or("/"));
                    (filling.input("name", "Name", InputOptions { is_required: true, autocomplete: "username", ..InputOptions::default() }))
                    (filling.input("password", "Password", InputOptions { input_type: "password", is_required: true, autocomplete: "current-password", ..InputOptions::default() }))
                    p.actions { button.primary type="submit" { "Sign in" } }
                }
            }
            @if app.is_demo {
                p { "This is the demo. Open the link that " code { "fitness demo" } " printed when it started. It works once." }
                p { "To get another link, run " code { (link_command(app)) } " on the same machine while the demo is running." }
            } @else {
                p { "No password? Run " code { (link_command(app)) } " on the server and open the link it prints." }
            }
        }
    })
}
