//! How somebody comes to have an account: the first one by the link the server printed, others by an invite.

use crate::app::App;
use crate::auth::routes::constant_time_eq;
use crate::auth::session::SESSION_LIFETIME;
use crate::components::form::{FormState, InputOptions};
use crate::http::error::{PageError, to_sentence};
use crate::http::extract::Query;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::rate_limit::SecretKind;
use crate::page;
use crate::pages::sign_in::{start_session_response, user_agent};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use fitness_core::domain::untrusted_text::{escape_invisible, is_printable};
use fitness_store::Error;
use maud::{Markup, html};
use secrecy::SecretString;
use serde::Deserialize;

/// Where a new athlete begins.
const WELCOME_PATH: &str = "/welcome";

/// The secret of a link.
#[derive(Debug, Deserialize)]
pub(crate) struct CodeQuery {
    #[serde(default)]
    code: String,
}

/// `GET /setup`
pub(crate) async fn show(
    State(app): State<App>,
    Query(link): Query<CodeQuery>,
) -> Result<Response, PageError> {
    if !is_setup_code(app.state.setup.secret.lock().await.as_ref(), &link.code) || !has_no_users(&app).await?
    {
        return Err(setup_link_expired());
    }
    let fields = FormFields::default().with("code", link.code);
    Ok(page::bare_page("Welcome", &setup_form(&app, &fields, &FieldErrors::default())))
}

/// `POST /setup`
pub(crate) async fn create(
    State(app): State<App>,
    headers: HeaderMap,
    fields: FormFields,
) -> Result<Response, PageError> {
    // Held until the athlete is there: of two who come at once, one is first.
    let mut secret = app.state.setup.secret.lock().await;
    if !is_setup_code(secret.as_ref(), fields.get("code").unwrap_or_default()) || !has_no_users(&app).await? {
        app.rate_limits.count_failed_secret(SecretKind::Setup)?;
        return Err(setup_link_expired());
    }
    let mut faults = FieldErrors::default();
    let name = fields.get_trimmed("name").unwrap_or_default();
    if name.is_empty() {
        faults.add("name", "Say what you want to be called.");
    } else if !fitness_store::is_valid_user_name(name) {
        faults.add("name", name_error_message(Error::BadName));
    }
    let needed = app.host_names.is_secure().then_some("A password is needed: others can reach this server.");
    let password = parse_new_password(&fields, name, needed, &mut faults);
    let now = (app.clock)();
    let made = if faults.has_any() {
        None
    } else {
        faults.ok_or_add(
            "name",
            app.store.add_user(name, &app.state.setup.profile, now).await.map_err(name_error_message),
        )
    };
    let Some(user) = made else {
        return Ok(unprocessable(page::bare_page("Welcome", &setup_form(&app, &fields, &faults))));
    };
    *secret = None;
    drop(secret);
    let client = user_agent(&headers);
    let token = if let Some(password) = password {
        app.store.set_password(user.id, &password, now).await?;
        app.store.open_session(user.id, &client, SESSION_LIFETIME, now).await?
    } else {
        app.store.open_unconfirmed_session(user.id, &client, SESSION_LIFETIME, now).await?
    };
    start_session_response(&app, user.id, &token, WELCOME_PATH).await
}

/// `GET /invite`
pub(crate) async fn show_invite(
    State(app): State<App>,
    Query(link): Query<CodeQuery>,
) -> Result<Response, PageError> {
    let user = app.store.find_invite(&link.code, (app.clock)()).await?.ok_or_else(invite_expired)?;
    let name = app.store.user(user).await?.name;
    let fields = FormFields::default().with("code", link.code);
    Ok(page::bare_page("Invite", &invite_form(&name, &fields, &FieldErrors::default())))
}

/// `POST /invite`: sets a password and signs in.
pub(crate) async fn accept_invite(
    State(app): State<App>,
    headers: HeaderMap,
    fields: FormFields,
) -> Result<Response, PageError> {
    let (code, now) = (fields.get("code").unwrap_or_default(), (app.clock)());
    let Some(user) = app.store.find_invite(code, now).await? else {
        app.rate_limits.count_failed_secret(SecretKind::Invite)?;
        return Err(invite_expired());
    };
    let mut faults = FieldErrors::default();
    let name = app.store.user(user).await?.name;
    let password = parse_new_password(&fields, &name, Some(NEW_PASSWORD_MISSING), &mut faults);
    let Some(password) = password.filter(|_| !faults.has_any()) else {
        return Ok(unprocessable(page::bare_page("Invite", &invite_form(&name, &fields, &faults))));
    };
    let user = match app.store.redeem_invite(code, &password, now).await {
        Err(Error::NotConfirmed(_)) => return Err(invite_expired()),
        other => other?,
    };
    let token = app.store.open_session(user, &user_agent(&headers), SESSION_LIFETIME, now).await?;
    start_session_response(&app, user, &token, WELCOME_PATH).await
}

/// What to do where a new password was asked for and none was written.
pub(crate) const NEW_PASSWORD_MISSING: &str = "Write the new password, twice.";

/// A password written twice; `None` when none was written or something is wrong with it. `needed` says why there must be one.
pub(crate) fn parse_new_password(
    fields: &FormFields,
    name: &str,
    needed: Option<&str>,
    faults: &mut FieldErrors,
) -> Option<SecretString> {
    let (first, second) =
        (fields.get("password").unwrap_or_default(), fields.get("again").unwrap_or_default());
    if first.is_empty() && second.is_empty() {
        if let Some(why) = needed {
            faults.add("password", why);
        }
        return None;
    }
    if first != second {
        faults.add("again", "The two passwords differ.");
    }
    match fitness_store::check_password(name, first) {
        Ok(()) => {}
        Err(Error::BadPassword) => faults.add(
            "password",
            "A password has 8 to 200 characters; three or four random words are easy to remember.",
        ),
        Err(weak) => faults.add("password", to_sentence(&weak)),
    }
    if !is_printable(first) {
        faults.add("password", "Something in that password cannot be seen, and could not be typed again.");
    }
    (!faults.has_any()).then(|| first.to_owned().into())
}

/// The two fields of a new password.
pub(crate) fn password_fields(filling: &FormState<'_>, hint: &'static str, required: bool) -> Markup {
    let line = InputOptions {
        input_type: "password",
        is_required: required,
        autocomplete: "new-password",
        ..InputOptions::default()
    };
    html! {
        (filling.input("password", "New password", InputOptions { hint, ..line }))
        (filling.input("again", "Once more", line))
    }
}

/// The same page with what is wrong.
pub(crate) fn unprocessable(mut response: Response) -> Response {
    *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    response
}

/// What the store says about a name.
pub(crate) fn name_error_message(error: Error) -> String {
    match error {
        Error::BadName => "A name has 1 to 64 visible characters and no slash.".to_owned(),
        other => to_sentence(&other),
    }
}

fn is_setup_code(secret: Option<&fitness_store::Token>, code: &str) -> bool {
    secret.is_some_and(|secret| constant_time_eq(secret.reveal(), code))
}

async fn has_no_users(app: &App) -> Result<bool, PageError> {
    Ok(app.store.list_users().await?.is_empty())
}

fn setup_link_expired() -> PageError {
    PageError::new(
        StatusCode::GONE,
        "This link made the first athlete already, or is not the one this server printed when it started.",
    )
    .with_link("/sign-in", "Sign in")
}

fn invite_expired() -> PageError {
    PageError::new(
        StatusCode::GONE,
        "This invite is used or too old. Whoever runs this server can make another.",
    )
    .with_link("/sign-in", "Sign in")
}

fn setup_form(app: &App, fields: &FormFields, faults: &FieldErrors) -> Markup {
    let filling = FormState { fields, errors: faults };
    let required = app.host_names.is_secure();
    let hint = if required {
        "At least 8 characters."
    } else {
        "Optional on your own machine. Without one, decisions ask for a code that `fitness login` shows in your terminal."
    };
    html! {
        section.card {
            h1 { "Welcome" }
            p.lead { "This is the first start. Everything stays in one database on this machine." }
            (filling.error_summary())
            form method="post" action="/setup" {
                input type="hidden" name="code" value=(fields.get("code").unwrap_or_default());
                (filling.input("name", "What are you called?", InputOptions { is_required: true, autocomplete: "nickname", ..InputOptions::default() }))
                (password_fields(&filling, hint, required))
                p.actions { button.primary type="submit" { "Begin" } }
            }
        }
    }
}

fn invite_form(name: &str, fields: &FormFields, faults: &FieldErrors) -> Markup {
    let filling = FormState { fields, errors: faults };
    html! {
        section.card {
            h1 { "Hello, " (escape_invisible(name)) }
            p.lead { "Choose a password. This invite works once and signs this browser in." }
            (filling.error_summary())
            form method="post" action="/invite" {
                input type="hidden" name="code" value=(fields.get("code").unwrap_or_default());
                (password_fields(&filling, "At least 8 characters.", true))
                p.actions { button.primary type="submit" { "Set it and sign in" } }
            }
        }
    }
}
