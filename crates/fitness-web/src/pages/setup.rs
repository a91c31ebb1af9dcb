//! How somebody comes to have an account: the first one by the link the server printed, others by an invite.

use crate::app::App;
use crate::auth::routes::same;
use crate::auth::session::LASTS;
use crate::components::form::{Filling, Line};
use crate::http::error::{Problem, sentence};
use crate::http::extract::Query;
use crate::http::form::{Faults, Fields};
use crate::http::rate_limit::Door;
use crate::page;
use crate::pages::sign_in::{client, signed_in};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use fitness_core::domain::untrusted_text::{is_seen, visible};
use fitness_store::Error;
use maud::{Markup, html};
use secrecy::SecretString;
use serde::Deserialize;

/// Where a new athlete begins.
const WELCOME: &str = "/welcome";

/// The secret of a link.
#[derive(Debug, Deserialize)]
pub(crate) struct Link {
    #[serde(default)]
    code: String,
}

/// `GET /setup`
pub(crate) async fn show(State(app): State<App>, Query(link): Query<Link>) -> Result<Response, Problem> {
    if !opens(app.running.setup.secret.lock().await.as_ref(), &link.code) || !nobody(&app).await? {
        return Err(set_up());
    }
    let fields = Fields::default().with("code", link.code);
    Ok(page::bare("Welcome", &setup_form(&app, &fields, &Faults::default())))
}

/// `POST /setup`
pub(crate) async fn make(
    State(app): State<App>,
    headers: HeaderMap,
    fields: Fields,
) -> Result<Response, Problem> {
    // Held until the athlete is there: of two who come at once, one is first.
    let mut secret = app.running.setup.secret.lock().await;
    if !opens(secret.as_ref(), fields.one("code").unwrap_or_default()) || !nobody(&app).await? {
        app.limits.count_guess(Door::Setup)?;
        return Err(set_up());
    }
    let mut faults = Faults::default();
    let name = fields.text("name").unwrap_or_default();
    if name.is_empty() {
        faults.add("name", "Say what you want to be called.");
    } else if !fitness_store::is_name(name) {
        faults.add("name", told(Error::BadName));
    }
    let needed = app.names.secure().then_some("A password is needed: others can reach this server.");
    let password = new_password(&fields, name, needed, &mut faults);
    let now = (app.clock)();
    let made = if faults.any() {
        None
    } else {
        faults.take("name", app.store.add_user(name, &app.running.setup.profile, now).await.map_err(told))
    };
    let Some(user) = made else {
        return Ok(again(page::bare("Welcome", &setup_form(&app, &fields, &faults))));
    };
    *secret = None;
    drop(secret);
    let client = client(&headers);
    let token = if let Some(password) = password {
        app.store.set_password(user.id, &password, now).await?;
        app.store.open_session(user.id, &client, LASTS, now).await?
    } else {
        app.store.open_unconfirmed_session(user.id, &client, LASTS, now).await?
    };
    signed_in(&app, user.id, &token, WELCOME).await
}

/// `GET /invite`
pub(crate) async fn show_invite(
    State(app): State<App>,
    Query(link): Query<Link>,
) -> Result<Response, Problem> {
    let user = app.store.find_invite(&link.code, (app.clock)()).await?.ok_or_else(no_invite)?;
    let name = app.store.user(user).await?.name;
    let fields = Fields::default().with("code", link.code);
    Ok(page::bare("Invite", &invite_form(&name, &fields, &Faults::default())))
}

/// `POST /invite`: sets a password and signs in.
pub(crate) async fn take_invite(
    State(app): State<App>,
    headers: HeaderMap,
    fields: Fields,
) -> Result<Response, Problem> {
    let (code, now) = (fields.one("code").unwrap_or_default(), (app.clock)());
    let Some(user) = app.store.find_invite(code, now).await? else {
        app.limits.count_guess(Door::Invite)?;
        return Err(no_invite());
    };
    let mut faults = Faults::default();
    let name = app.store.user(user).await?.name;
    let password = new_password(&fields, &name, Some(NEW_PASSWORD), &mut faults);
    let Some(password) = password.filter(|_| !faults.any()) else {
        return Ok(again(page::bare("Invite", &invite_form(&name, &fields, &faults))));
    };
    let user = match app.store.redeem_invite(code, &password, now).await {
        Err(Error::NotConfirmed(_)) => return Err(no_invite()),
        other => other?,
    };
    let token = app.store.open_session(user, &client(&headers), LASTS, now).await?;
    signed_in(&app, user, &token, WELCOME).await
}

/// What to do where a new password was asked for and none was written.
pub(crate) const NEW_PASSWORD: &str = "Write the new password, twice.";

/// A password written twice; `None` when none was written or something is wrong with it. `needed` says why there must be one.
pub(crate) fn new_password(
    fields: &Fields,
    name: &str,
    needed: Option<&str>,
    faults: &mut Faults,
) -> Option<SecretString> {
    let (first, second) =
        (fields.one("password").unwrap_or_default(), fields.one("again").unwrap_or_default());
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
        Err(weak) => faults.add("password", sentence(&weak)),
    }
    if !is_seen(first) {
        faults.add("password", "Something in that password cannot be seen, and could not be typed again.");
    }
    (!faults.any()).then(|| first.to_owned().into())
}

/// The two fields of a new password.
pub(crate) fn password_fields(filling: &Filling<'_>, hint: &'static str, required: bool) -> Markup {
    let line = Line { kind: "password", required, autocomplete: "new-password", ..Line::default() };
    html! {
        (filling.line("password", "New password", Line { hint, ..line }))
        (filling.line("again", "Once more", line))
    }
}

/// The same page with what is wrong.
pub(crate) fn again(mut response: Response) -> Response {
    *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    response
}

/// What the store says about a name.
pub(crate) fn told(error: Error) -> String {
    match error {
        Error::BadName => "A name has 1 to 64 visible characters and no slash.".to_owned(),
        other => sentence(&other),
    }
}

fn opens(secret: Option<&fitness_store::Token>, code: &str) -> bool {
    secret.is_some_and(|secret| same(secret.reveal(), code))
}

async fn nobody(app: &App) -> Result<bool, Problem> {
    Ok(app.store.list_users().await?.is_empty())
}

fn set_up() -> Problem {
    Problem::new(
        StatusCode::GONE,
        "This link made the first athlete already, or is not the one this server printed when it started.",
    )
    .go_on("/sign-in", "Sign in")
}

fn no_invite() -> Problem {
    Problem::new(
        StatusCode::GONE,
        "This invite is used or too old. Whoever runs this server can make another.",
    )
    .go_on("/sign-in", "Sign in")
}

fn setup_form(app: &App, fields: &Fields, faults: &Faults) -> Markup {
    let filling = Filling { fields, faults };
    let required = app.names.secure();
    let hint = if required {
        "At least 8 characters."
    } else {
        "Optional on your own machine. Without one, decisions ask for a code that `fitness login` shows in your terminal."
    };
    html! {
        section.card {
            h1 { "Welcome" }
            p.lead { "This is the first start. Everything stays in one database on this machine." }
            (filling.summary())
            form method="post" action="/setup" {
                input type="hidden" name="code" value=(fields.one("code").unwrap_or_default());
                (filling.line("name", "What are you called?", Line { required: true, autocomplete: "nickname", ..Line::default() }))
                (password_fields(&filling, hint, required))
                p.actions { button.primary type="submit" { "Begin" } }
            }
        }
    }
}

fn invite_form(name: &str, fields: &Fields, faults: &Faults) -> Markup {
    let filling = Filling { fields, faults };
    html! {
        section.card {
            h1 { "Hello, " (visible(name)) }
            p.lead { "Choose a password. This invite works once and signs this browser in." }
            (filling.summary())
            form method="post" action="/invite" {
                input type="hidden" name="code" value=(fields.one("code").unwrap_or_default());
                (password_fields(&filling, "At least 8 characters.", true))
                p.actions { button.primary type="submit" { "Set it and sign in" } }
            }
        }
    }
}
