//! How often somebody may do something.

use crate::access::Brings;
use crate::problem::Problem;
use crate::seat::Seat;
use axum::http::StatusCode;
use fitness_core::ids::{ApiTokenId, UserId};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::num::NonZeroU32;
use std::sync::Arc;

/// So often in a minute an athlete may send a form; nobody's fingers are faster.
const ACTS: NonZeroU32 = NonZeroU32::new(120).expect("not zero");
/// So often in a minute a name may be tried with a password.
const TRIES: NonZeroU32 = NonZeroU32::new(10).expect("not zero");
/// So often in a minute anybody at all may try: looking at a password takes a core for a while.
const TRIES_OF_ALL: NonZeroU32 = NonZeroU32::new(60).expect("not zero");
/// So often in a minute a program may ask with one token: more than any that waits for its answers.
const CALLS: NonZeroU32 = NonZeroU32::new(600).expect("not zero");
/// So often in a minute a secret that opens nothing may be brought to one door.
const GUESSES: NonZeroU32 = NonZeroU32::new(120).expect("not zero");
/// Names that are remembered before all are forgotten.
const MAX_NAMES: usize = 10_000;
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
}

/// What is counted.
#[derive(Debug, Clone)]
pub struct Limits {
    acts: Arc<DefaultKeyedRateLimiter<UserId>>,
    tries: Arc<DefaultKeyedRateLimiter<String>>,
    tries_of_all: Arc<DefaultDirectRateLimiter>,
    calls: Arc<DefaultKeyedRateLimiter<ApiTokenId>>,
    guesses: Arc<DefaultKeyedRateLimiter<Door>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            acts: Arc::new(RateLimiter::keyed(Quota::per_minute(ACTS))),
            tries: Arc::new(RateLimiter::keyed(Quota::per_minute(TRIES))),
            tries_of_all: Arc::new(RateLimiter::direct(Quota::per_minute(TRIES_OF_ALL))),
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

    /// Counts a try to sign in under a name.
    pub(crate) fn count_try(&self, name: &str) -> Result<(), Problem> {
        if self.tries.len() > MAX_NAMES {
            self.tries.retain_recent();
        }
        let name = name.chars().take(64).collect::<String>().to_lowercase();
        let fine = self.tries_of_all.check().is_ok() && self.tries.check_key(&name).is_ok();
        if fine { Ok(()) } else { Err(too_often()) }
    }
}

fn too_often() -> Problem {
    Problem::new(
        StatusCode::TOO_MANY_REQUESTS,
        "That was too often. Nothing was changed; wait a minute and try again.",
    )
}
