//! Sessions and cookies: the only place where a request gets its user.

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
use fitness_store::plan::consent::ConfirmationKey;
use fitness_store::{DataVersion, Token};
use std::sync::Arc;

pub(crate) const SESSION_LIFETIME: TimeDelta = TimeDelta::days(30);
/// Lifetime of the cookie that marks a browser as known; see [`is_known_device`].
const DEVICE_COOKIE_LIFETIME: TimeDelta = TimeDelta::days(365);
/// Minimum time between two updates of a session's last-used time.
const LAST_USED_INTERVAL: TimeDelta = TimeDelta::minutes(10);

#[derive(Debug, Clone)]
pub(crate) struct CurrentUser {
    pub(crate) user: UserId,
    /// 0 for an API token.
    pub(crate) session: SessionId,
    pub(crate) zone: Tz,
    pub(crate) is_owner: bool,
    /// Whether the password, or a code from the terminal, was entered in this browser. Required for
    /// decisions.
    pub(crate) is_confirmed: bool,
    form_token: Arc<str>,
    confirmation_key: ConfirmationKey,
    expires_at: Instant,
}

impl CurrentUser {
    /// A program with an API token. It has no form token, so it can send no form.
    pub(crate) fn for_api_token(user: UserId, zone: Tz) -> Self {
        let (session, form_token) = (SessionId::new(0), Arc::from(""));
        Self {
            user,
            session,
            zone,
            is_owner: false,
            is_confirmed: false,
            form_token,
            confirmation_key: ConfirmationKey::random(),
            expires_at: Instant::MAX_UTC,
        }
    }

    pub(crate) fn form_token(&self) -> &str {
        &self.form_token
    }

    /// Signs the confirm pages of this session.
    pub(crate) const fn confirmation_key(&self) -> &ConfirmationKey {
        &self.confirmation_key
    }

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

/// The user of the session cookie.
pub(crate) async fn find_current_user(
    app: &App,
    version: &DataVersion,
    headers: &HeaderMap,
    now: Instant,
) -> Result<Option<CurrentUser>, PageError> {
    let Some(secret) = read_cookie(headers, &app.host_names.session_cookie_name()) else { return Ok(None) };
    let hash = ContentHash::hash_bytes(secret.as_bytes());
    if let Some(current_user) = app.page_cache.find_user(version, hash) {
        return Ok(Some(current_user).filter(|current_user| current_user.expires_at > now));
    }
    let Some(session) = app.store.find_session(secret, now).await? else { return Ok(None) };
    let zone = app.store.profile(session.user).await?.zone;
    let owner = app.store.owner().await? == Some(session.user);
    let token = ContentHash::hash_bytes(format!("form of {secret}").as_bytes()).to_string().into();
    let current_user = CurrentUser {
        user: session.user,
        session: session.id,
        zone,
        is_owner: owner,
        is_confirmed: session.confirmed_at.is_some(),
        form_token: token,
        confirmation_key: ConfirmationKey::derive(secret),
        expires_at: session.expires_at,
    };
    if now - session.seen_at > LAST_USED_INTERVAL {
        // Best effort.
        drop(app.store.touch_session(session.user, session.id, now).await);
    } else {
        app.page_cache.insert_user(version, hash, &current_user);
    }
    Ok(Some(current_user))
}

pub(crate) fn set_cookie(app: &App, token: &Token) -> HeaderValue {
    cookie_header(app, "session", token.reveal(), SESSION_LIFETIME)
}

pub(crate) fn clear_cookie(app: &App) -> HeaderValue {
    cookie_header(app, "session", "", TimeDelta::zero())
}

/// Marks a browser as known for later sign-ins; see [`is_known_device`].
pub(crate) fn device_cookie(app: &App, secret: &str) -> HeaderValue {
    cookie_header(app, "device", secret, DEVICE_COOKIE_LIFETIME)
}

/// Whether this account was signed in to in this browser before, with its current password.
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

/// The value of a cookie; `None` when it is missing or sent twice.
fn read_cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut found = values
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(key, _)| *key == name)
        .map(|(_, value)| value);
    found.next().filter(|_| found.next().is_none())
}
