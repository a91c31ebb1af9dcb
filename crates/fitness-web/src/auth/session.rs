//! Whose request it is: the one place where a request gets its user.

use crate::app::App;
use crate::auth::routes::constant_time_eq;
use crate::http::error::PageError;
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
pub(crate) const SESSION_LIFETIME: TimeDelta = TimeDelta::days(30);
/// How long a browser is known after a sign-in.
const DEVICE_COOKIE_LIFETIME: TimeDelta = TimeDelta::days(365);
/// How often it is noted that a session is used.
const LAST_USED_INTERVAL: TimeDelta = TimeDelta::minutes(10);

/// Who asks.
#[derive(Debug, Clone)]
pub(crate) struct CurrentUser {
    /// The athlete.
    pub(crate) user: UserId,
    /// Their session; that of a program is none.
    pub(crate) session: SessionId,
    /// The zone of their days.
    pub(crate) zone: Tz,
    /// Whether they own this server.
    pub(crate) is_owner: bool,
    /// Whether this browser may decide: its user typed the password there, or a code from the terminal.
    pub(crate) is_confirmed: bool,
    /// What their forms carry.
    form_token: Arc<str>,
    expires_at: Instant,
}

impl CurrentUser {
    /// A program that reads for an athlete. It has no forms.
    pub(crate) fn for_api_token(user: UserId, zone: Tz) -> Self {
        let (session, form_token) = (SessionId::new(0), Arc::from(""));
        Self {
            user,
            session,
            zone,
            is_owner: false,
            is_confirmed: false,
            form_token,
            expires_at: Instant::MAX_UTC,
        }
    }

    /// What a form of this session carries.
    pub(crate) fn form_token(&self) -> &str {
        &self.form_token
    }

    /// Whether a form was made for this session.
    pub(crate) fn is_form_token(&self, given: &str) -> bool {
        !self.form_token.is_empty() && constant_time_eq(&self.form_token, given)
    }
}

impl<S: Sync> FromRequestParts<S> for CurrentUser {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, PageError> {
        parts.extensions.get::<Self>().cloned().ok_or_else(PageError::not_found)
    }
}

/// Who a cookie belongs to.
pub(crate) async fn find_current_user(
    app: &App,
    version: &DataVersion,
    headers: &HeaderMap,
    now: Instant,
) -> Result<Option<CurrentUser>, PageError> {
    let Some(secret) = read_cookie(headers, &app.host_names.session_cookie_name()) else { return Ok(None) };
    let hash = ContentHash::hash_bytes(secret.as_bytes());
    if let Some(seat) = app.page_cache.find_user(version, hash) {
        return Ok(Some(seat).filter(|seat| seat.expires_at > now));
    }
    let Some(session) = app.store.find_session(secret, now).await? else { return Ok(None) };
    let zone = app.store.profile(session.user).await?.zone;
    let owner = app.store.owner().await? == Some(session.user);
    let token = ContentHash::hash_bytes(format!("form of {secret}").as_bytes()).to_string().into();
    let seat = CurrentUser {
        user: session.user,
        session: session.id,
        zone,
        is_owner: owner,
        is_confirmed: session.confirmed_at.is_some(),
        form_token: token,
        expires_at: session.expires_at,
    };
    if now - session.seen_at > LAST_USED_INTERVAL {
        // Whether it was noted decides nothing.
        drop(app.store.touch_session(session.user, session.id, now).await);
    } else {
        app.page_cache.insert_user(version, hash, &seat);
    }
    Ok(Some(seat))
}

/// The header that gives a browser its session.
pub(crate) fn set_cookie(app: &App, token: &Token) -> HeaderValue {
    cookie_header(app, "session", token.reveal(), SESSION_LIFETIME)
}

/// The header that takes it away.
pub(crate) fn clear_cookie(app: &App) -> HeaderValue {
    cookie_header(app, "session", "", TimeDelta::zero())
}

/// The header that lets a browser be known again when its athlete signs in with the same password; see
/// [`is_known_device`].
pub(crate) fn device_cookie(app: &App, secret: &str) -> HeaderValue {
    cookie_header(app, "device", secret, DEVICE_COOKIE_LIFETIME)
}

/// Whether somebody has signed in to this account in this browser before, with the password it has now.
pub(crate) async fn is_known_device(app: &App, user: UserId, headers: &HeaderMap) -> Result<bool, PageError> {
    let Some(given) = read_cookie(headers, &app.host_names.cookie_name("device")) else { return Ok(false) };
    let secret = app.store.find_device_secret(user).await?;
    Ok(secret.is_some_and(|secret| constant_time_eq(&secret, given)))
}

fn cookie_header(app: &App, what: &str, value: &str, lasts: TimeDelta) -> HeaderValue {
    let (name, seconds) = (app.host_names.cookie_name(what), lasts.num_seconds());
    let secure = if app.host_names.is_secure() { "; Secure" } else { "" };
    let header = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&header).expect("a token is plain ASCII")
}

/// The value of a cookie, when it is there once.
fn read_cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut found = values
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(key, _)| *key == name)
        .map(|(_, value)| value);
    found.next().filter(|_| found.next().is_none())
}
