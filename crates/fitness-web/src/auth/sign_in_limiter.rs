//! How often a password may be tried: exponential delay for each address and account, and no stop for everybody.
//!
//! A try is counted by where it comes from. A browser that is signed in, or in which the athlete has signed in before,
//! is counted by itself, so strangers cannot delay it. An address is refused for a while after several failures. An
//! account at which many addresses guess answers unknown browsers later, and never refuses them.

use crate::http::client_address::ClientAddress;
use fitness_core::domain::ids::UserId;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Failures of one address at one account before it is delayed; the same for a known browser.
const FREE_FAILURES_AT_ACCOUNT: u32 = 5;
/// Failures of one address at all accounts before it is delayed.
const FREE_FAILURES_PER_ADDRESS: u32 = 20;
/// Failures of all addresses at one account before answers come later.
const FREE_FAILURES_PER_ACCOUNT: u32 = 20;
/// The longest time for which an address or a known browser is refused.
const MAX_REFUSAL: Duration = Duration::from_secs(60);
/// The longest time an answer is held back.
const MAX_DELAY: Duration = Duration::from_secs(8);
/// Failures are forgotten when none was added for so long.
const COUNTER_LIFETIME: Duration = Duration::from_secs(15 * 60);
/// The most counters; the oldest is forgotten first.
const MAX_COUNTERS: usize = 10_000;
/// The most characters of a name that are counted.
const MAX_NAME_CHARS: usize = 64;

/// Where a password is tried from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum AttemptSource {
    /// A browser of somebody unknown.
    Address(ClientAddress),
    /// A browser in which this athlete has signed in before.
    KnownDevice(UserId),
    /// A browser in which this athlete is signed in.
    Session(UserId),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum CounterKey {
    Source(AttemptSource),
    AccountAndAddress(String, ClientAddress),
    Account(String),
}

#[derive(Debug, Clone, Copy)]
struct Counter {
    failures: u32,
    last_failure: Instant,
}

/// A try that may be made.
#[derive(Debug)]
pub(crate) struct Attempt {
    /// How long to wait before the password is looked at.
    pub(crate) delay: Duration,
    keys: Vec<CounterKey>,
}

/// Counts tries. A try counts as failed until it has succeeded, so tries that are made at once are counted too.
#[derive(Debug, Default)]
pub(crate) struct SignInLimiter(Mutex<HashMap<CounterKey, Counter>>);

impl SignInLimiter {
    /// Counts a try at an account, or says how long to wait for the next one.
    pub(crate) fn begin_attempt(
        &self,
        name: &str,
        source: AttemptSource,
        now: Instant,
    ) -> Result<Attempt, Duration> {
        let mut counters = self.lock();
        let failures = |counters: &HashMap<CounterKey, Counter>, key: &CounterKey| {
            let counter = counters.get(key).filter(|counter| now - counter.last_failure < COUNTER_LIFETIME);
            counter.map_or((0, now), |counter| (counter.failures, counter.last_failure))
        };
        let mut keys = vec![(CounterKey::Source(source), FREE_FAILURES_AT_ACCOUNT)];
        let mut delay = Duration::ZERO;
        if let AttemptSource::Address(address) = source {
            let name: String = name.chars().take(MAX_NAME_CHARS).collect::<String>().to_lowercase();
            let account = CounterKey::Account(name.clone());
            let (all, _) = failures(&counters, &account);
            delay = backoff(Duration::from_millis(250), all, FREE_FAILURES_PER_ACCOUNT, MAX_DELAY);
            keys = vec![
                (CounterKey::Source(source), FREE_FAILURES_PER_ADDRESS),
                (CounterKey::AccountAndAddress(name, address), FREE_FAILURES_AT_ACCOUNT),
                (account, u32::MAX),
            ];
        }
        for (key, free) in &keys {
            let (failed, last) = failures(&counters, key);
            let open = last + backoff(Duration::from_secs(1), failed, *free, MAX_REFUSAL);
            if open > now {
                return Err(open - now);
            }
        }
        let keys: Vec<CounterKey> = keys.into_iter().map(|(key, _)| key).collect();
        for key in &keys {
            let (failed, _) = failures(&counters, key);
            if !counters.contains_key(key) {
                evict_expired(&mut counters, now);
            }
            counters.insert(key.clone(), Counter { failures: failed + 1, last_failure: now });
        }
        Ok(Attempt { delay, keys })
    }

    /// Takes a try back that was no guess. One's own failures at the account are forgotten; those of others are not.
    pub(crate) fn record_success(&self, attempt: &Attempt) {
        let mut counters = self.lock();
        for key in &attempt.keys {
            match key {
                CounterKey::AccountAndAddress(..)
                | CounterKey::Source(AttemptSource::KnownDevice(_) | AttemptSource::Session(_)) => {
                    counters.remove(key);
                }
                CounterKey::Account(_) | CounterKey::Source(AttemptSource::Address(_)) => {
                    if let Some(counter) = counters.get_mut(key) {
                        counter.failures = counter.failures.saturating_sub(1);
                    }
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CounterKey, Counter>> {
        // Counters are valid whatever happened while they were held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Nothing for the free failures, then `first` doubled with each, up to `most`.
fn backoff(first: Duration, failures: u32, free: u32, most: Duration) -> Duration {
    let Some(over) = failures.checked_sub(free) else { return Duration::ZERO };
    first.saturating_mul(1 << over.min(16)).min(most)
}

fn evict_expired(counters: &mut HashMap<CounterKey, Counter>, now: Instant) {
    if counters.len() < MAX_COUNTERS {
        return;
    }
    counters.retain(|_, counter| now - counter.last_failure < COUNTER_LIFETIME);
    if counters.len() >= MAX_COUNTERS {
        let mut ages: Vec<Instant> = counters.values().map(|counter| counter.last_failure).collect();
        // A tenth at a time, so that this is not done for every try.
        let (_, oldest, _) = ages.select_nth_unstable(MAX_COUNTERS / 10);
        let oldest = *oldest;
        counters.retain(|_, counter| counter.last_failure > oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> AttemptSource {
        AttemptSource::Address(ClientAddress::new([192, 0, 2, last].into()))
    }

    #[test]
    fn refusals_double_for_one_address_and_end_after_a_minute() {
        let (limiter, mut now) = (SignInLimiter::default(), Instant::now());
        for _ in 0..FREE_FAILURES_AT_ACCOUNT {
            limiter.begin_attempt("Ann", address(1), now).unwrap();
        }
        for due in [1, 2, 4, 8, 16, 32, 60, 60] {
            assert_eq!(limiter.begin_attempt("ANN", address(1), now).unwrap_err(), Duration::from_secs(due));
            // Asking again meanwhile makes it no longer.
            assert_eq!(limiter.begin_attempt("Ann", address(1), now).unwrap_err(), Duration::from_secs(due));
            now += Duration::from_secs(due);
            limiter.begin_attempt("Ann", address(1), now).unwrap();
        }
        // Somebody else at the same account, the same address at another account, and a known browser are not refused.
        limiter.begin_attempt("Ann", address(2), now).unwrap();
        limiter.begin_attempt("Ben", address(1), now).unwrap();
        limiter.begin_attempt("Ann", AttemptSource::KnownDevice(UserId::new(1)), now).unwrap();
        limiter.begin_attempt("Ann", AttemptSource::Session(UserId::new(1)), now).unwrap();
        now += COUNTER_LIFETIME;
        limiter.begin_attempt("Ann", address(1), now).unwrap();
        limiter.begin_attempt("Ann", address(1), now).unwrap();
    }

    #[test]
    fn an_address_that_tries_many_names_is_refused() {
        let (limiter, now) = (SignInLimiter::default(), Instant::now());
        for at in 0..FREE_FAILURES_PER_ADDRESS {
            limiter.begin_attempt(&format!("name {at}"), address(1), now).unwrap();
        }
        assert!(limiter.begin_attempt("Ann", address(1), now).is_err());
        limiter.begin_attempt("Ann", address(2), now).unwrap();
    }

    #[test]
    fn many_addresses_at_one_account_delay_unknown_browsers_by_seconds_and_refuse_nobody() {
        let (limiter, now) = (SignInLimiter::default(), Instant::now());
        for at in 0..200 {
            let attempt = limiter.begin_attempt("Ann", address(at), now).unwrap();
            assert_eq!(attempt.delay.is_zero(), u32::from(at) < FREE_FAILURES_PER_ACCOUNT, "{at}");
            assert!(attempt.delay <= MAX_DELAY);
        }
        assert_eq!(limiter.begin_attempt("Ann", address(201), now).unwrap().delay, MAX_DELAY);
        assert_eq!(limiter.begin_attempt("Ben", address(202), now).unwrap().delay, Duration::ZERO);
        let known = limiter.begin_attempt("Ann", AttemptSource::KnownDevice(UserId::new(1)), now).unwrap();
        assert_eq!(known.delay, Duration::ZERO);
    }

    #[test]
    fn success_forgets_own_failures_at_the_account_and_those_of_nobody_else() {
        let (limiter, now) = (SignInLimiter::default(), Instant::now());
        for _ in 1..FREE_FAILURES_AT_ACCOUNT {
            limiter.begin_attempt("Ann", address(1), now).unwrap();
            limiter.begin_attempt("Ben", address(1), now).unwrap();
        }
        limiter.record_success(&limiter.begin_attempt("Ann", address(1), now).unwrap());
        for _ in 0..FREE_FAILURES_AT_ACCOUNT {
            limiter.begin_attempt("Ann", address(1), now).unwrap();
        }
        limiter.begin_attempt("Ben", address(1), now).unwrap();
        assert!(limiter.begin_attempt("Ben", address(1), now).is_err());
        assert!(limiter.begin_attempt("Ann", address(1), now).is_err());
    }

    #[test]
    fn counters_stay_within_their_bound() {
        let (limiter, mut now) = (SignInLimiter::default(), Instant::now());
        for at in 0..30_000_u32 {
            now += Duration::from_millis(1);
            let network = ClientAddress::new(std::net::Ipv4Addr::from_bits(at).into());
            limiter
                .begin_attempt(&"x".repeat(at as usize % 7000), AttemptSource::Address(network), now)
                .unwrap();
        }
        assert!(limiter.lock().len() <= MAX_COUNTERS);
    }
}
