//! Rate limits.

use crate::auth::routes::RequestBody;
use crate::auth::session::CurrentUser;
use crate::auth::sign_in_limiter::{Attempt, AttemptSource, SignInLimiter};
use crate::http::error::PageError;
use axum::http::StatusCode;
use fitness_core::domain::ids::{ApiTokenId, UserId};
use fitness_core::domain::untrusted_text::pluralize;
use governor::clock::Clock;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Instant;

/// Per user. Faster than anyone can click.
const FORMS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(120).expect("not zero");
/// Per token. More than a client needs that waits for responses.
const API_CALLS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(600).expect("not zero");
/// Per kind of secret.
const FAILED_SECRETS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(120).expect("not zero");
pub(crate) const RETRY_AFTER_SECONDS: u16 = 60;

/// Secrets in a link or header that grant access on their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SecretKind {
    SignInLink,
    CalendarFeed,
    ApiToken,
    /// The link that creates the first user.
    Setup,
    Invite,
}

#[derive(Debug, Clone, Copy, Default)]
enum LimitClock {
    #[default]
    System,
    Stopped(Instant),
}

impl Clock for LimitClock {
    type Instant = Instant;

    fn now(&self) -> Instant {
        match self {
            Self::System => Instant::now(),
            Self::Stopped(at) => *at,
        }
    }
}

type Limiter<K> = Arc<RateLimiter<K, DefaultKeyedStateStore<K>, LimitClock>>;

fn per_minute<K: Hash + Eq + Clone>(limit: NonZeroU32, clock: LimitClock) -> Limiter<K> {
    Arc::new(RateLimiter::new(Quota::per_minute(limit), DefaultKeyedStateStore::default(), clock))
}

#[derive(Debug, Clone)]
pub struct RateLimits {
    clock: LimitClock,
    forms: Limiter<UserId>,
    sign_in: Arc<SignInLimiter>,
    api_calls: Limiter<ApiTokenId>,
    failed_secrets: Limiter<SecretKind>,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self::with_clock(LimitClock::System)
    }
}

impl RateLimits {
    fn with_clock(clock: LimitClock) -> Self {
        Self {
            clock,
            forms: per_minute(FORMS_PER_MINUTE, clock),
            sign_in: Arc::default(),
            api_calls: per_minute(API_CALLS_PER_MINUTE, clock),
            failed_secrets: per_minute(FAILED_SECRETS_PER_MINUTE, clock),
        }
    }

    /// For tests: no time passes, so that the limits do not depend on the speed of the machine.
    #[must_use]
    pub fn with_stopped_clock() -> Self {
        Self::with_clock(LimitClock::Stopped(Instant::now()))
    }

    /// Counts a form of a user; GET requests are free.
    pub(crate) fn count_form(&self, body: RequestBody, current_user: &CurrentUser) -> Result<(), PageError> {
        if body == RequestBody::Empty || self.forms.check_key(&current_user.user).is_ok() {
            return Ok(());
        }
        Err(too_many_requests())
    }

    pub(crate) fn count_api_call(&self, token: ApiTokenId) -> Result<(), PageError> {
        self.api_calls.check_key(&token).map_err(|_| too_many_requests())
    }

    /// Counts an invalid secret. Valid ones are never limited.
    pub(crate) fn count_failed_secret(&self, kind: SecretKind) -> Result<(), PageError> {
        self.failed_secrets.check_key(&kind).map_err(|_| too_many_requests())
    }

    /// Counts a password attempt, and delays it while the account is under attack.
    pub(crate) async fn begin_password_attempt(
        &self,
        name: &str,
        source: AttemptSource,
    ) -> Result<Attempt, PageError> {
        let attempt = self.sign_in.begin_attempt(name, source, self.clock.now()).map_err(|wait| {
            let seconds = u16::try_from(wait.as_secs() + 1).unwrap_or(RETRY_AFTER_SECONDS);
            let said = format!(
                "Too many wrong passwords. Try again in {}.",
                pluralize(seconds.into(), "second", "seconds")
            );
            PageError::new(StatusCode::TOO_MANY_REQUESTS, said).with_retry_after(seconds)
        })?;
        tokio::time::sleep(attempt.delay).await;
        Ok(attempt)
    }

    pub(crate) fn record_password_success(&self, attempt: &Attempt) {
        self.sign_in.record_success(attempt);
    }
}

fn too_many_requests() -> PageError {
    PageError::new(
        StatusCode::TOO_MANY_REQUESTS,
        "Too many attempts. Nothing was changed. Try again in a minute.",
    )
}
