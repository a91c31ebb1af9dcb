//! `/confirm`: what a browser that was signed in by a link shows before it may decide.

use crate::auth::sign_in_limiter::Source;
use crate::components::form::{Filling, Line};
use crate::http::error::Problem;
use crate::http::extract::Query;
use crate::http::form::{Faults, Fields};
use crate::http::response::{see_other, unprocessable};
use crate::page::{Place, View};
use crate::pages::sign_in::{link_command, own_path};
use axum::response::Response;
use fitness_core::domain::untrusted_text::visible;
use fitness_store::SESSION_CODE_MINUTES;
use maud::{Markup, html};
use secrecy::SecretString;
use serde::Deserialize;

/// What the page is called.
pub(crate) const TITLE: &str = "Confirm it's you";

/// Where to go afterwards.
#[derive(Debug, Deserialize)]
pub(crate) struct Next {
    #[serde(default)]
    to: String,
}

/// `GET /confirm`
pub(crate) async fn show(view: View, Query(next): Query<Next>) -> Result<Response, Problem> {
    let to = own_path(&next.to).to_owned();
    if view.seat.may_decide {
        return Ok(see_other(&to));
    }
    let body = page(&view, &Fields::default().with("to", to), &Faults::default()).await?;
    Ok(view.page(Place::Settings, TITLE, &body))
}

/// `POST /confirm`: the password, or where there is none the code that the terminal showed.
pub(crate) async fn confirm(view: View, fields: Fields) -> Result<Response, Problem> {
    let to = own_path(fields.one("to").unwrap_or_default()).to_owned();
    let (store, user, session) = (view.store(), view.user(), view.seat.session);
    let attempt = view.app.limits.begin_password(&view.name, Source::Session(user)).await?;
    let mut faults = Faults::default();
    if store.user(user).await?.has_password {
        let password: SecretString = fields.one("password").unwrap_or_default().to_owned().into();
        if store.verify_password(user, &password).await? {
            store.confirm_session(user, session, view.now).await?;
        } else {
            faults.add("password", "That is not your password.");
        }
    } else {
        let code: SecretString = fields.one("code").unwrap_or_default().to_owned().into();
        if !store.confirm_session_by_code(user, session, &code, view.now).await? {
            faults.add(
                "code",
                "That is not the code, or it is too old or was tried too often. Ask for a new one.",
            );
        }
    }
    if faults.any() {
        let body = page(&view, &Fields::default().with("to", to), &faults).await?;
        return Ok(unprocessable(view.page(Place::Settings, TITLE, &body)));
    }
    view.app.limits.succeed_password(&attempt);
    Ok(see_other(&to))
}

async fn page(view: &View, fields: &Fields, faults: &Faults) -> Result<Markup, Problem> {
    let filling = Filling { fields, faults };
    let has_password = view.store().user(view.user()).await?.has_password;
    let mut command = link_command(&view.app);
    if view.store().list_users().await?.len() > 1 {
        command.push_str(&format!(" --user '{}'", visible(&view.name)));
    }
    let form = |field: Markup| {
        html! {
            form method="post" action="/confirm" {
                (view.token_field())
                input type="hidden" name="to" value=(fields.one("to").unwrap_or("/"));
                (field)
                p.actions { button.primary type="submit" { "Confirm" } }
            }
        }
    };
    Ok(html! {
        section.card {
            h1 { (TITLE) }
            p { "A printed link signed this browser in, and a program could have read it. Before this browser changes a plan or an account, show once that it is you. Nothing was changed." }
            (filling.summary())
            @if has_password {
                @let line = Line { kind: "password", required: true, autocomplete: "current-password", ..Line::default() };
                (form(filling.line("password", "Your password", line)))
            } @else {
                p { "Run " code { (command) } " in a terminal on the machine of this server. It shows a code, valid for " (SESSION_CODE_MINUTES) " minutes." }
                @let line = Line { required: true, example: "K7PM-3XQD", autocomplete: "one-time-code", ..Line::default() };
                (form(filling.line("code", "Code", line)))
            }
        }
    })
}
