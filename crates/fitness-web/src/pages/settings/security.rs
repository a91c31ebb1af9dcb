//! `/settings/security`: password and signed-in browsers.

use super::{Tab, invalid_form_page, page};
use crate::auth::session::SESSION_LIFETIME;
use crate::auth::sign_in_limiter::AttemptSource;
use crate::components::form::{InputOptions, SubmittedForm};
use crate::components::time;
use crate::http::error::PageError;
use crate::http::extract::PathId;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::see_other;
use crate::page::PageContext;
use crate::pages::setup::{NEW_PASSWORD_MISSING, parse_new_password, password_fields};
use crate::pages::sign_in::{start_session_response, user_agent};
use axum::http::HeaderMap;
use axum::response::Response;
use fitness_core::domain::ids::SessionId;
use fitness_core::domain::untrusted_text::escape_invisible;
use maud::{Markup, html};
use secrecy::SecretString;

pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let body = body(&view, &FormFields::default(), &FieldErrors::default()).await?;
    Ok(page(&view, Tab::Security, &body))
}

/// `POST /settings/password`: sets or changes the password, signs out all other browsers, and
/// revokes API tokens if the box was checked.
pub(crate) async fn set_password(
    view: PageContext,
    headers: HeaderMap,
    fields: FormFields,
) -> Result<Response, PageError> {
    // A printed link alone must not be enough to set the first password.
    if !view.current_user.is_confirmed && !view.store().user(view.user()).await?.has_password {
        return Err(PageError::confirmation_required("/settings/security"));
    }
    let mut faults = FieldErrors::default();
    check_current_password(&view, &fields, CURRENT_PASSWORD_FIELD, &mut faults).await?;
    let password = parse_new_password(&fields, &view.name, Some(NEW_PASSWORD_MISSING), &mut faults);
    let Some(password) = password.filter(|_| !faults.has_any()) else {
        let body = body(&view, &FormFields::default(), &faults).await?;
        return Ok(invalid_form_page(&view, Tab::Security, &body));
    };
    let revoke = fields.get(REVOKE_FIELD).is_some();
    view.store().change_password(view.user(), &password, revoke, view.now).await?;
    let token =
        view.store().open_session(view.user(), &user_agent(&headers), SESSION_LIFETIME, view.now).await?;
    start_session_response(&view.app, view.user(), &token, "/settings/security?done=saved").await
}

/// Checkbox: also revoke API tokens.
const REVOKE_FIELD: &str = "revoke_tokens";

/// Form field with the current password.
pub(crate) const CURRENT_PASSWORD_FIELD: &str = "old";

/// Asks for the current password, if there is one: for actions that an unattended browser must not
/// allow.
pub(crate) async fn current_password_field(
    view: &PageContext,
    filling: &SubmittedForm<'_>,
    field: &str,
    label: &str,
) -> Result<Markup, PageError> {
    let has_password = view.store().user(view.user()).await?.has_password;
    let line = InputOptions {
        input_type: "password",
        is_required: true,
        autocomplete: "current-password",
        ..InputOptions::default()
    };
    Ok(html! { @if has_password { (filling.input(field, label, line)) } })
}

/// Checks the current password; passes if none is set.
pub(crate) async fn check_current_password(
    view: &PageContext,
    fields: &FormFields,
    field: &'static str,
    faults: &mut FieldErrors,
) -> Result<(), PageError> {
    if !view.store().user(view.user()).await?.has_password {
        return Ok(());
    }
    let attempt =
        view.app.rate_limits.begin_password_attempt(&view.name, AttemptSource::Session(view.user())).await?;
    let old: SecretString = fields.get(field).unwrap_or_default().to_owned().into();
    if view.store().verify_password(view.user(), &old).await? {
        view.app.rate_limits.record_password_success(&attempt);
    } else {
        faults.add(field, "Wrong password.");
    }
    Ok(())
}

pub(crate) async fn end_session(
    view: PageContext,
    PathId(id): PathId<SessionId>,
) -> Result<Response, PageError> {
    view.store().end_session(view.user(), id, view.now).await?;
    Ok(see_other("/settings/security?done=signed-out"))
}

/// `POST /settings/sessions/end`: signs out all other browsers.
pub(crate) async fn end_other_sessions(view: PageContext) -> Result<Response, PageError> {
    for session in view.store().list_sessions(view.user()).await? {
        if session.id != view.current_user.session {
            view.store().end_session(view.user(), session.id, view.now).await?;
        }
    }
    Ok(see_other("/settings/security?done=signed-out"))
}

async fn body(view: &PageContext, fields: &FormFields, faults: &FieldErrors) -> Result<Markup, PageError> {
    let has_password = view.store().user(view.user()).await?.has_password;
    let sessions = view.store().list_sessions(view.user()).await?;
    let tokens = view.store().list_api_tokens(view.user()).await?.len() as u64;
    let (filling, zone) = (SubmittedForm { fields, errors: faults }, view.profile.zone);
    let others = sessions.iter().any(|session| session.id != view.current_user.session);
    Ok(html! {
        section.card {
            h2 { "Password" }
            p {
                @if has_password { "A password is set. The terminal also asks for it before you change your plan." }
                @else { "No password is set, so the app asks for a code before you change your plan or account. To get a code or a sign-in link, run " code { "fitness login" } " in a terminal on the server." }
            }
            @if !view.current_user.is_confirmed {
                p { "You signed in with a link. To change your plan or account in this browser, " a href="/confirm?to=%2Fsettings%2Fsecurity" { "confirm it's you" } "." }
            }
            (filling.error_summary())
            @if has_password || view.current_user.is_confirmed { form method="post" action="/settings/password" {
                (view.token_field())
                input.hidden type="text" name="username" value=(view.name) autocomplete="username" tabindex="-1" aria-hidden="true" readonly;
                (current_password_field(view, &filling, CURRENT_PASSWORD_FIELD, "Current password").await?)
                (password_fields(&filling, "At least 8 characters. All other browsers will be signed out.", true))
                @if tokens > 0 {
                    label.tick { input type="checkbox" name=(REVOKE_FIELD) value="yes"; span {
                        @if tokens == 1 { "Also revoke my API token. The program that uses it will lose access." }
                        @else { "Also revoke my " (tokens) " API tokens. The programs that use them will lose access." }
                    } }
                }
                p.actions { button.primary type="submit" { @if has_password { "Change password" } @else { "Set password" } } }
            } }
        }
        section.card {
            h2 { "Signed-in browsers" }
            ul.plain {
                @for session in &sessions {
                    li.row {
                        div {
                            p.text title=(escape_invisible(&session.client)) { (browser_label(&session.client)) @if session.id == view.current_user.session { " " span.chip.good { "✓ This browser" } } }
                            p.meta { span { "last used " (time::clock_or_date(session.seen_at, zone, view.today)) } span { "signed in " (time::clock_or_date(session.opened_at, zone, view.today)) } }
                        }
                        span.push {}
                        @if session.id != view.current_user.session {
                            (view.post_button(&format!("/settings/sessions/{}/end", session.id), "Sign out", "small"))
                        }
                    }
                }
            }
            div.actions {
                @if others { (view.post_button("/settings/sessions/end", "Sign out all other browsers", "")) }
                (view.post_button("/sign-out", "Sign out here", ""))
            }
        }
    })
}

/// `Firefox on Linux` for a `User-Agent` header; `A browser` if neither is known.
fn browser_label(client: &str) -> String {
    // Order matters: Edge and Opera also name Chrome, Chrome also names Safari, Android also names
    // Linux, and iOS also names Mac OS X.
    let browsers = [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("CriOS/", "Chrome"),
        ("Safari/", "Safari"),
    ];
    let systems = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("CrOS", "ChromeOS"),
        ("Mac OS X", "macOS"),
        ("Linux", "Linux"),
    ];
    let find = |known: &[(&str, &'static str)]| {
        known.iter().find(|(mark, _)| client.contains(mark)).map(|(_, name)| *name)
    };
    match (find(&browsers), find(&systems)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(browser), None) => browser.to_owned(),
        (None, Some(system)) => format!("A browser on {system}"),
        (None, None) => "A browser".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::browser_label;

    #[test]
    fn browser_label_names_browser_and_system() {
        for (client, label) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", "Firefox on Linux"),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 \
                 Safari/537.36 Edg/128.0.0.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Mobile \
                 Safari/537.36",
                "Chrome on Android",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 Version/17.5 Mobile/15E148 Safari/604.1",
                "Safari on iPhone",
            ),
            ("curl/8.5.0", "A browser"),
            ("<b>\u{202e}", "A browser"),
        ] {
            assert_eq!(browser_label(client), label);
        }
    }
}
