//! Whose request it is: the one place where a request gets its user.

use crate::app::App;
use crate::auth::routes::same;
use crate::http::error::Problem;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use chrono::TimeDelta;
use chrono_tz::Tz;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{SessionId, UserId};
use fitness_store::{DataVersion, Token};
use std::sync::Arc;

/// How long a session lasts.
pub(crate) const LASTS: TimeDelta = TimeDelta::days(30);
/// How long a browser is known after a sign-in.
const DEVICE_LASTS: TimeDelta = TimeDelta::days(365);
/// How often it is noted that a session is used.
const NOTED_EVERY: TimeDelta = TimeDelta::minutes(10);

/// Who asks.
#[derive(Debug, Clone)]
pub(crate) struct Seat {
    /// The athlete.
    pub(crate) user: UserId,
    /// Their session; that of a program is none.
    pub(crate) session: SessionId,
    /// The zone of their days.
    pub(crate) zone: Tz,
    /// Whether they own this server.
    pub(crate) owner: bool,
    /// Whether this browser may decide: its user typed the password there, or a code from the terminal.
    pub(crate) may_decide: bool,
    /// What their forms carry.
    token: Arc<str>,
    expires_at: Instant,
}

impl Seat {
    /// A program that reads for an athlete. It has no forms.
    pub(crate) fn of_program(user: UserId, zone: Tz) -> Self {
        let (session, token) = (SessionId::new(0), Arc::from(""));
        Self { user, session, zone, owner: false, may_decide: false, token, expires_at: Instant::MAX_UTC }
    }

    /// What a form of this session carries.
    pub(crate) fn form_token(&self) -> &str {
        &self.token
    }

    /// Whether a form was made for this session.
    pub(crate) fn is_token(&self, given: &str) -> bool {
        !self.token.is_empty() && same(&self.token, given)
    }
}

impl<S: Sync> FromRequestParts<S> for Seat {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parts.extensions.get::<Self>().cloned().ok_or_else(Problem::not_found)
    }
}

/// Who a cookie belongs to.
pub(crate) async fn find(
    app: &App,
    version: &DataVersion,
    headers: &HeaderMap,
    now: Instant,
) -> Result<Option<Seat>, Problem> {
    let Some(secret) = cookie(headers, &app.names.session_cookie()) else { return Ok(None) };
    let hash = ContentHash::of_bytes(secret.as_bytes());
    if let Some(seat) = app.kept.seat(version, hash) {
        return Ok(Some(seat).filter(|seat| seat.expires_at > now));
    }
    let Some(session) = app.store.find_session(secret, now).await? else { return Ok(None) };
    let zone = app.store.profile(session.user).await?.zone;
    let owner = app.store.owner().await? == Some(session.user);
    let token = ContentHash::of_bytes(format!("form of {secret}").as_bytes()).to_string().into();
    let seat = Seat {
        user: session.user,
        session: session.id,
        zone,
        owner,
        may_decide: session.confirmed_at.is_some(),
        token,
        expires_at: session.expires_at,
    };
    if now - session.seen_at > NOTED_EVERY {
        // Whether it was noted decides nothing.
        drop(app.store.touch_session(session.user, session.id, now).await);
    } else {
        app.kept.keep_seat(version, hash, &seat);
    }
    Ok(Some(seat))
}

/// The header that gives a browser its session.
pub(crate) fn set_cookie(app: &App, token: &Token) -> HeaderValue {
    cookie_header(app, "session", token.reveal(), LASTS)
}

/// The header that takes it away.
pub(crate) fn unset_cookie(app: &App) -> HeaderValue {
    cookie_header(app, "session", "", TimeDelta::zero())
}

/// The header that lets a browser be known again when its athlete signs in with the same password; see
/// [`is_known_device`].
pub(crate) fn device_cookie(app: &App, secret: &str) -> HeaderValue {
    cookie_header(app, "device", secret, DEVICE_LASTS)
}

/// Whether somebody has signed in to this account in this browser before, with the password it has now.
pub(crate) async fn is_known_device(app: &App, user: UserId, headers: &HeaderMap) -> Result<bool, Problem> {
    let Some(given) = cookie(headers, &app.names.cookie("device")) else { return Ok(false) };
    let secret = app.store.find_device_secret(user).await?;
    Ok(secret.is_some_and(|secret| same(&secret, given)))
}

fn cookie_header(app: &App, what: &str, value: &str, lasts: TimeDelta) -> HeaderValue {
    let (name, seconds) = (app.names.cookie(what), lasts.num_seconds());
    let secure = if app.names.secure() { "; Secure" } else { "" };
    let header = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&header).expect("a token is plain ASCII")
}

/// The value of a cookie, when it is there once.
fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut found = values
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(key, _)| *key == name)
        .map(|(_, value)| value);
    found.next().filter(|_| found.next().is_none())
}
