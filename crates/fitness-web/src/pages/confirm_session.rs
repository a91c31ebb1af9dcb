//! `/confirm`: confirms the user of a browser that was signed in by a link.

use crate::auth::sign_in_limiter::AttemptSource;
use crate::components::form::{InputOptions, SubmittedForm};
use crate::http::error::PageError;
use crate::http::extract::Query;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::{see_other, unprocessable};
use crate::page::{NavItem, PageContext};
use crate::pages::sign_in::{link_command, local_path};
use axum::response::Response;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::SESSION_CODE_MINUTES;
use maud::{Markup, html};
use secrecy::SecretString;
use serde::Deserialize;

pub(crate) const TITLE: &str = "Confirm it's you";

/// `to` is the page to return to.
#[derive(Debug, Deserialize)]
pub(crate) struct ConfirmQuery {
    #[serde(default)]
    to: String,
}

pub(crate) async fn show(view: PageContext, Query(next): Query<ConfirmQuery>) -> Result<Response, PageError> {
    let to = local_path(&next.to).to_owned();
    if view.current_user.is_confirmed {
        return Ok(see_other(&to));
    }
    let body = page(&view, &FormFields::default().with("to", to), &FieldErrors::default()).await?;
    Ok(view.page(NavItem::Settings, TITLE, &body))
}

/// `POST /confirm`: checks the password or, if none is set, the code from the terminal.
pub(crate) async fn confirm(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let to = local_path(fields.get("to").unwrap_or_default()).to_owned();
    let (store, user, session) = (view.store(), view.user(), view.current_user.session);
    let attempt =
        view.app.rate_limits.begin_password_attempt(&view.name, AttemptSource::Session(user)).await?;
    let mut faults = FieldErrors::default();
    if store.user(user).await?.has_password {
        let password: SecretString = fields.get("password").unwrap_or_default().to_owned().into();
        if store.verify_password(user, &password).await? {
            store.confirm_session(user, session, view.now).await?;
        } else {
            faults.add("password", "Wrong password.");
        }
    } else {
        let code: SecretString = fields.get("code").unwrap_or_default().to_owned().into();
        if !store.confirm_session_by_code(user, session, &code, view.now).await? {
            faults.add("code", "Wrong code, or the code has expired. Get a new one and try again.");
        }
    }
    if faults.has_any() {
        let body = page(&view, &FormFields::default().with("to", to), &faults).await?;
        return Ok(unprocessable(view.page(NavItem::Settings, TITLE, &body)));
    }
    view.app.rate_limits.record_password_success(&attempt);
    Ok(see_other(&to))
}

async fn page(view: &PageContext, fields: &FormFields, faults: &FieldErrors) -> Result<Markup, PageError> {
    let filling = SubmittedForm { fields, errors: faults };
    let has_password = view.store().user(view.user()).await?.has_password;
    let mut command = link_command(&view.app);
    if view.store().list_users().await?.len() > 1 {
        command.push_str(&format!(" --user '{}'", escape_invisible(&view.name)));
    }
    let form = |field: Markup| {
        html! {
            form method="post" action="/confirm" {
                (view.token_field())
                input type="hidden" name="to" value=(fields.get("to").unwrap_or("/"));
                (field)
                p.actions { button.primary type="submit" { "Confirm" } }
            }
        }
    };
    Ok(html! {
        section.card {
            h1 { (TITLE) }
            p { "You signed in with a link from the terminal. Another program could have read that link, so please confirm once that it's you. Then you can change your plan and account in this browser." }
            (filling.input_error_summary())
            @if has_password {
                @let line = InputOptions { input_type: "password", is_required: true, autocomplete: "current-password", ..InputOptions::default() };
                (form(filling.input("password", "Your password", line)))
            } @else {
                p { "Run " code { (command) } " in a terminal on the server. It shows a code that is valid for " (SESSION_CODE_MINUTES) " minutes." }
                @let line = InputOptions { is_required: true, placeholder: "K7PM-3XQD", autocomplete: "one-time-code", ..InputOptions::default() };
                (form(filling.input("code", "Code", line)))
            }
        }
    })
}
