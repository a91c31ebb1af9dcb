//! `/setup` creates the first user, `/invite` sets an invited user's password.

use crate::app::App;
use crate::auth::routes::constant_time_eq;
use crate::auth::session::SESSION_LIFETIME;
use crate::components::core_message;
use crate::components::form::{InputOptions, SubmittedForm};
use crate::http::error::PageError;
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

const WELCOME_PATH: &str = "/welcome";

#[derive(Debug, Deserialize)]
pub(crate) struct CodeQuery {
    #[serde(default)]
    code: String,
}

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

pub(crate) async fn create(
    State(app): State<App>,
    headers: HeaderMap,
    fields: FormFields,
) -> Result<Response, PageError> {
    // Locked until the user exists, so that two requests cannot both create one.
    let mut secret = app.state.setup.secret.lock().await;
    if !is_setup_code(secret.as_ref(), fields.get("code").unwrap_or_default()) || !has_no_users(&app).await? {
        app.rate_limits.count_failed_secret(SecretKind::Setup)?;
        return Err(setup_link_expired());
    }
    let mut faults = FieldErrors::default();
    let name = fields.get_trimmed("name").unwrap_or_default();
    if name.is_empty() {
        faults.add("name", "Enter your name.");
    } else if !fitness_store::is_valid_user_name(name) {
        faults.add("name", name_error_message(Error::BadName));
    }
    let needed =
        app.host_names.is_secure().then_some("A password is required because others can reach this server.");
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

pub(crate) const NEW_PASSWORD_MISSING: &str = "Enter the new password twice.";

/// The new password; `None` when it is empty or invalid. `needed` is the error for an empty one;
/// `None` makes the password optional.
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
        faults.add("again", "The passwords don't match.");
    }
    match fitness_store::check_password(name, first) {
        Ok(()) => {}
        Err(Error::BadPassword) => faults
            .add("password", "Use 8 to 200 characters. Three or four random words are easy to remember."),
        Err(weak) => faults.add("password", core_message::sentence(&weak)),
    }
    if !is_printable(first) {
        faults.add("password", "The password contains invisible characters.");
    }
    (!faults.has_any()).then(|| first.to_owned().into())
}

pub(crate) fn password_fields(filling: &SubmittedForm<'_>, hint: &'static str, required: bool) -> Markup {
    let line = InputOptions {
        input_type: "password",
        is_required: required,
        autocomplete: "new-password",
        ..InputOptions::default()
    };
    html! {
        (filling.input("password", "New password", InputOptions { hint, ..line }))
        (filling.input("again", "Repeat password", line))
    }
}

pub(crate) fn unprocessable(mut response: Response) -> Response {
    *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    response
}

/// A sentence about an invalid name.
pub(crate) fn name_error_message(error: Error) -> String {
    match error {
        Error::BadName => "Use 1 to 64 visible characters and no slash.".to_owned(),
        other => core_message::sentence(&other),
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
        "This link has already been used, or the server has printed a newer one since.",
    )
    .with_link("/sign-in", "Sign in")
}

fn invite_expired() -> PageError {
    PageError::new(
        StatusCode::GONE,
        "This invite has been used or has expired. Ask the owner of this server for a new one.",
    )
    .with_link("/sign-in", "Sign in")
}

fn setup_form(app: &App, fields: &FormFields, faults: &FieldErrors) -> Markup {
    let filling = SubmittedForm { fields, errors: faults };
    let required = app.host_names.is_secure();
    let hint = if required { "At least 8 characters." } else { "Optional on your own machine." };
    html! {
        section.card {
            h1 { "Welcome" }
            p.lead { "Create your account. Your data stays in one database on this machine." }
            (filling.input_error_summary())
            form method="post" action="/setup" {
                input type="hidden" name="code" value=(fields.get("code").unwrap_or_default());
                (filling.input("name", "Your name", InputOptions { is_required: true, autocomplete: "nickname", ..InputOptions::default() }))
                (password_fields(&filling, hint, required))
                @if !required { p.hint { "Without a password, the app asks for a code before you change your plan or account. To get it, run " code { "fitness login" } " in a terminal on the server." } }
                p.actions { button.primary type="submit" { "Get started" } }
            }
        }
    }
}

fn invite_form(name: &str, fields: &FormFields, faults: &FieldErrors) -> Markup {
    let filling = SubmittedForm { fields, errors: faults };
    html! {
        section.card {
            h1 { "Hello, " (escape_invisible(name)) }
            p.lead { "Choose a password to finish setting up your account. This invite works once." }
            (filling.input_error_summary())
            form method="post" action="/invite" {
                input type="hidden" name="code" value=(fields.get("code").unwrap_or_default());
                (password_fields(&filling, "At least 8 characters.", true))
                p.actions { button.primary type="submit" { "Set password and sign in" } }
            }
        }
    }
}
