//! `/settings/security`: the password, and which browsers are signed in.

use super::{Tab, again, page};
use crate::auth::session::LASTS;
use crate::auth::sign_in_limiter::Source;
use crate::components::form::{Filling, Line};
use crate::components::time;
use crate::http::error::Problem;
use crate::http::extract::Numbered;
use crate::http::form::{Faults, Fields};
use crate::http::response::see_other;
use crate::page::View;
use crate::pages::setup::{NEW_PASSWORD, new_password, password_fields};
use crate::pages::sign_in::{client, signed_in};
use axum::http::HeaderMap;
use axum::response::Response;
use fitness_core::domain::ids::SessionId;
use fitness_core::domain::untrusted_text::{counted, visible};
use maud::{Markup, html};
use secrecy::SecretString;

/// `GET /settings/security`
pub(crate) async fn show(view: View) -> Result<Response, Problem> {
    let body = body(&view, &Fields::default(), &Faults::default()).await?;
    Ok(page(&view, Tab::Security, &body))
}

/// `POST /settings/password`: sets or changes it. Every browser is signed out but this one; API tokens end where that was ticked.
pub(crate) async fn set_password(
    view: View,
    headers: HeaderMap,
    fields: Fields,
) -> Result<Response, Problem> {
    // The first password decides who the athlete is from then on: whoever only has a printed link cannot set it.
    if !view.seat.may_decide && !view.store().user(view.user()).await?.has_password {
        return Err(Problem::confirm_first("/settings/security"));
    }
    let mut faults = Faults::default();
    check_old(&view, &fields, OLD, &mut faults).await?;
    let password = new_password(&fields, &view.name, Some(NEW_PASSWORD), &mut faults);
    let Some(password) = password.filter(|_| !faults.any()) else {
        let body = body(&view, &Fields::default(), &faults).await?;
        return Ok(again(&view, Tab::Security, &body));
    };
    let revoke = fields.one(REVOKE).is_some();
    view.store().change_password(view.user(), &password, revoke, view.now).await?;
    let token = view.store().open_session(view.user(), &client(&headers), LASTS, view.now).await?;
    signed_in(&view.app, view.user(), &token, "/settings/security?done=saved").await
}

/// The field that says that API tokens end with the old password.
const REVOKE: &str = "revoke_tokens";

/// The field with the password there is.
pub(crate) const OLD: &str = "old";

/// Asks for the password there is, where there is one: for what must not follow from a browser left open.
pub(crate) async fn old_field(
    view: &View,
    filling: &Filling<'_>,
    field: &str,
    label: &str,
) -> Result<Markup, Problem> {
    let has_password = view.store().user(view.user()).await?.has_password;
    let line = Line { kind: "password", required: true, autocomplete: "current-password", ..Line::default() };
    Ok(html! { @if has_password { (filling.line(field, label, line)) } })
}

/// Whether the password that is set was written into a field; nothing is asked where there is none.
pub(crate) async fn check_old(
    view: &View,
    fields: &Fields,
    field: &'static str,
    faults: &mut Faults,
) -> Result<(), Problem> {
    if !view.store().user(view.user()).await?.has_password {
        return Ok(());
    }
    let attempt = view.app.limits.begin_password(&view.name, Source::Session(view.user())).await?;
    let old: SecretString = fields.one(field).unwrap_or_default().to_owned().into();
    if view.store().verify_password(view.user(), &old).await? {
        view.app.limits.succeed_password(&attempt);
    } else {
        faults.add(field, "That is not your password.");
    }
    Ok(())
}

/// `POST /settings/sessions/{id}/end`
pub(crate) async fn end(view: View, Numbered(id): Numbered<SessionId>) -> Result<Response, Problem> {
    view.store().end_session(view.user(), id, view.now).await?;
    Ok(see_other("/settings/security?done=signed-out"))
}

/// `POST /settings/sessions/end`: every browser but this one.
pub(crate) async fn end_others(view: View) -> Result<Response, Problem> {
    for session in view.store().list_sessions(view.user()).await? {
        if session.id != view.seat.session {
            view.store().end_session(view.user(), session.id, view.now).await?;
        }
    }
    Ok(see_other("/settings/security?done=signed-out"))
}

async fn body(view: &View, fields: &Fields, faults: &Faults) -> Result<Markup, Problem> {
    let has_password = view.store().user(view.user()).await?.has_password;
    let sessions = view.store().list_sessions(view.user()).await?;
    let tokens = view.store().list_api_tokens(view.user()).await?.len() as u64;
    let (filling, zone) = (Filling { fields, faults }, view.profile.zone);
    let others = sessions.iter().any(|session| session.id != view.seat.session);
    Ok(html! {
        section.card {
            h2 { "Password" }
            p {
                @if has_password { "A password is set. Decisions at the terminal ask for it too." }
                @else { "No password is set: links that " code { "fitness login" } " prints sign you in." }
            }
            @if !view.seat.may_decide {
                p { "A link signed this browser in. Before it changes a plan or an account, " a href="/confirm?to=%2Fsettings%2Fsecurity" { "confirm it's you" } "." }
            }
            (filling.summary())
            @if has_password || view.seat.may_decide { form method="post" action="/settings/password" {
                (view.token_field())
                input.hidden type="text" name="username" value=(view.name) autocomplete="username" tabindex="-1" aria-hidden="true" readonly;
                (old_field(view, &filling, OLD, "The password until now").await?)
                (password_fields(&filling, "At least 8 characters. Every other browser is signed out.", true))
                @if tokens > 0 {
                    label.tick { input type="checkbox" name=(REVOKE) value="yes"; span { "Also revoke my " (counted(tokens, "API token", "API tokens")) ". Programs that use them lose access." } }
                }
                p.actions { button.primary type="submit" { @if has_password { "Change it" } @else { "Set it" } } }
            } }
        }
        section.card {
            h2 { "Signed-in browsers" }
            ul.plain {
                @for session in &sessions {
                    li.row {
                        div {
                            p.text { (visible(&session.client)) @if session.id == view.seat.session { " " span.chip.good { "✓ This one" } } }
                            p.meta { span { "last used " (time::moment(session.seen_at, zone, view.today)) } span { "signed in " (time::moment(session.opened_at, zone, view.today)) } }
                        }
                        span.push {}
                        @if session.id != view.seat.session {
                            (view.button(&format!("/settings/sessions/{}/end", session.id), "Sign out", "small"))
                        }
                    }
                }
            }
            div.actions {
                @if others { (view.button("/settings/sessions/end", "Sign out all others", "")) }
                (view.button("/sign-out", "Sign this one out", ""))
            }
        }
    })
}
