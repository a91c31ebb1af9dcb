//! How often somebody may do something.

use crate::auth::routes::RequestBody;
use crate::auth::session::CurrentUser;
use crate::auth::sign_in_limiter::{Attempt, AttemptSource, SignInLimiter};
use crate::http::error::PageError;
use axum::http::StatusCode;
use fitness_core::domain::ids::{ApiTokenId, UserId};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::num::NonZeroU32;
use std::sync::Arc;
use tokio::time::Instant;

/// So often in a minute an athlete may send a form; nobody's fingers are faster.
const FORMS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(120).expect("not zero");
/// So often in a minute a program may ask with one token: more than any that waits for its answers.
const API_CALLS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(600).expect("not zero");
/// So often in a minute a secret that opens nothing may be brought to one door.
const FAILED_SECRETS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(120).expect("not zero");
/// So many seconds later it may be tried again.
pub(crate) const RETRY_AFTER_SECONDS: u16 = 60;

/// Where a secret is brought that opens something by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SecretKind {
    /// A link to sign in by.
    SignInLink,
    /// The address of a calendar.
    CalendarFeed,
    /// A program's token.
    ApiToken,
    /// The link that makes the first user.
    Setup,
    /// An invite.
    Invite,
}

/// What is counted.
#[derive(Debug, Clone)]
pub struct RateLimits {
    forms: Arc<DefaultKeyedRateLimiter<UserId>>,
    sign_in: Arc<SignInLimiter>,
    api_calls: Arc<DefaultKeyedRateLimiter<ApiTokenId>>,
    failed_secrets: Arc<DefaultKeyedRateLimiter<SecretKind>>,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            forms: Arc::new(RateLimiter::keyed(Quota::per_minute(FORMS_PER_MINUTE))),
            sign_in: Arc::default(),
            api_calls: Arc::new(RateLimiter::keyed(Quota::per_minute(API_CALLS_PER_MINUTE))),
            failed_secrets: Arc::new(RateLimiter::keyed(Quota::per_minute(FAILED_SECRETS_PER_MINUTE))),
        }
    }
}

impl RateLimits {
    /// Counts what an athlete sends. Reading is not counted.
    pub(crate) fn count_form(&self, brings: RequestBody, seat: &CurrentUser) -> Result<(), PageError> {
        if brings == RequestBody::Empty || self.forms.check_key(&seat.user).is_ok() {
            return Ok(());
        }
        Err(too_many_requests())
    }

    /// Counts what a program asks with its token.
    pub(crate) fn count_api_call(&self, token: ApiTokenId) -> Result<(), PageError> {
        self.api_calls.check_key(&token).map_err(|_| too_many_requests())
    }

    /// Counts a secret that opened nothing. One that opens something is never held up by those that do not.
    pub(crate) fn count_failed_secret(&self, door: SecretKind) -> Result<(), PageError> {
        self.failed_secrets.check_key(&door).map_err(|_| too_many_requests())
    }

    /// Counts a try of a password, and waits where the account is being guessed at.
    pub(crate) async fn begin_password_attempt(
        &self,
        name: &str,
        source: AttemptSource,
    ) -> Result<Attempt, PageError> {
        let attempt = self.sign_in.begin_attempt(name, source, Instant::now()).map_err(|wait| {
            let seconds = u16::try_from(wait.as_secs() + 1).unwrap_or(RETRY_AFTER_SECONDS);
            let said = format!(
                "That was too often: several passwords were wrong. Nothing was changed; wait {seconds} seconds and try again."
            );
            PageError::new(StatusCode::TOO_MANY_REQUESTS, said).with_retry_after(seconds)
        })?;
        tokio::time::sleep(attempt.delay).await;
        Ok(attempt)
    }

    /// Notes that a password was right.
    pub(crate) fn record_password_success(&self, attempt: &Attempt) {
        self.sign_in.record_success(attempt);
    }
}

fn too_many_requests() -> PageError {
    PageError::new(
        StatusCode::TOO_MANY_REQUESTS,
        "That was too often. Nothing was changed; wait a minute and try again.",
    )
}
