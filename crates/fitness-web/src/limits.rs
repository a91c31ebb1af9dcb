//! How often somebody may do something.

use crate::access::Brings;
use crate::problem::Problem;
use crate::seat::Seat;
use axum::http::StatusCode;
use fitness_core::ids::UserId;
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::num::NonZeroU32;
use std::sync::Arc;

/// So often in a minute an athlete may send a form; nobody's fingers are faster.
const ACTS: NonZeroU32 = NonZeroU32::new(120).expect("not zero");
/// So often in a minute a name may be tried with a password.
const TRIES: NonZeroU32 = NonZeroU32::new(10).expect("not zero");
/// So often in a minute anybody at all may try: looking at a password takes a core for a while.
const TRIES_OF_ALL: NonZeroU32 = NonZeroU32::new(60).expect("not zero");
/// Names that are remembered before all are forgotten.
const MAX_NAMES: usize = 10_000;

/// What is counted.
#[derive(Debug, Clone)]
pub struct Limits {
    acts: Arc<DefaultKeyedRateLimiter<UserId>>,
    tries: Arc<DefaultKeyedRateLimiter<String>>,
    tries_of_all: Arc<DefaultDirectRateLimiter>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            acts: Arc::new(RateLimiter::keyed(Quota::per_minute(ACTS))),
            tries: Arc::new(RateLimiter::keyed(Quota::per_minute(TRIES))),
            tries_of_all: Arc::new(RateLimiter::direct(Quota::per_minute(TRIES_OF_ALL))),
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
