//! How often somebody may do something.

use crate::auth::routes::Brings;
use crate::auth::session::Seat;
use crate::auth::sign_in_limiter::{Attempt, SignInLimiter, Source};
use crate::http::error::Problem;
use axum::http::StatusCode;
use fitness_core::domain::ids::{ApiTokenId, UserId};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::num::NonZeroU32;
use std::sync::Arc;
use tokio::time::Instant;

/// So often in a minute an athlete may send a form; nobody's fingers are faster.
const ACTS: NonZeroU32 = NonZeroU32::new(120).expect("not zero");
/// So often in a minute a program may ask with one token: more than any that waits for its answers.
const CALLS: NonZeroU32 = NonZeroU32::new(600).expect("not zero");
/// So often in a minute a secret that opens nothing may be brought to one door.
const GUESSES: NonZeroU32 = NonZeroU32::new(120).expect("not zero");
/// So many seconds later it may be tried again.
pub(crate) const WAIT: u16 = 60;

/// Where a secret is brought that opens something by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Door {
    /// A link to sign in by.
    Link,
    /// The address of a calendar.
    Feed,
    /// A program's token.
    Token,
    /// The link that makes the first user.
    Setup,
    /// An invite.
    Invite,
}

/// What is counted.
#[derive(Debug, Clone)]
pub struct Limits {
    acts: Arc<DefaultKeyedRateLimiter<UserId>>,
    sign_in: Arc<SignInLimiter>,
    calls: Arc<DefaultKeyedRateLimiter<ApiTokenId>>,
    guesses: Arc<DefaultKeyedRateLimiter<Door>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            acts: Arc::new(RateLimiter::keyed(Quota::per_minute(ACTS))),
            sign_in: Arc::default(),
            calls: Arc::new(RateLimiter::keyed(Quota::per_minute(CALLS))),
            guesses: Arc::new(RateLimiter::keyed(Quota::per_minute(GUESSES))),
        }
    }
}

impl Limits {
    /// Counts what an athlete sends. Reading is not counted.
    pub(crate) fn count(&self, brings: Brings, seat: &Seat) -> Result<(), Problem> {
        if brings == Brings::Nothing || self.acts.check_key(&seat.user).is_ok() {
            return Ok(());
        }
        Err(too_often())
    }

    /// Counts what a program asks with its token.
    pub(crate) fn count_call(&self, token: ApiTokenId) -> Result<(), Problem> {
        self.calls.check_key(&token).map_err(|_| too_often())
    }

    /// Counts a secret that opened nothing. One that opens something is never held up by those that do not.
    pub(crate) fn count_guess(&self, door: Door) -> Result<(), Problem> {
        self.guesses.check_key(&door).map_err(|_| too_often())
    }

    /// Counts a try of a password, and waits where the account is being guessed at.
    pub(crate) async fn begin_password(&self, name: &str, source: Source) -> Result<Attempt, Problem> {
        let attempt = self.sign_in.begin(name, source, Instant::now()).map_err(|wait| {
            let seconds = u16::try_from(wait.as_secs() + 1).unwrap_or(WAIT);
            let said = format!(
                "That was too often: several passwords were wrong. Nothing was changed; wait {seconds} seconds and try again."
            );
            Problem::new(StatusCode::TOO_MANY_REQUESTS, said).retry_after(seconds)
        })?;
        tokio::time::sleep(attempt.delay).await;
        Ok(attempt)
    }

    /// Notes that a password was right.
    pub(crate) fn succeed_password(&self, attempt: &Attempt) {
        self.sign_in.succeed(attempt);
    }
}

fn too_often() -> Problem {
    Problem::new(
        StatusCode::TOO_MANY_REQUESTS,
        "That was too often. Nothing was changed; wait a minute and try again.",
    )
}
