//! Rate limit for passwords: exponential backoff by client address and account.
//!
//! Signed-in and known browsers are counted separately, so strangers cannot delay them. An address
//! is refused for a while after several failures. An account that many addresses guess at responds
//! to unknown browsers with a delay but never refuses them.

use crate::http::client_address::ClientAddress;
use fitness_core::domain::ids::UserId;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Failures of one address at one account before it is delayed; the same for a known browser.
const FREE_FAILURES_AT_ACCOUNT: u32 = 5;
/// Failures of one address at all accounts before it is delayed.
const FREE_FAILURES_PER_ADDRESS: u32 = 20;
/// Failures of all addresses at one account before responses are delayed.
const FREE_FAILURES_PER_ACCOUNT: u32 = 20;
const MAX_REFUSAL: Duration = Duration::from_secs(60);
const MAX_DELAY: Duration = Duration::from_secs(8);
/// A counter expires this long after its last failure.
const COUNTER_LIFETIME: Duration = Duration::from_secs(15 * 60);
/// The oldest counters are evicted first.
const MAX_COUNTERS: usize = 10_000;
/// Longer names are truncated in the counter's key.
const MAX_NAME_CHARS: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum AttemptSource {
    Address(ClientAddress),
    /// A browser in which this athlete has signed in before.
    KnownDevice(UserId),
    /// A browser in which this athlete is signed in.
    Session(UserId),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum SignInCounterKey {
    Source(AttemptSource),
    AccountAndAddress(String, ClientAddress),
    Account(String),
}

#[derive(Debug, Clone, Copy)]
struct Counter {
    failures: u32,
    last_failure: Instant,
}

/// An attempt that is allowed.
#[derive(Debug)]
pub(crate) struct Attempt {
    /// Time to wait before the password is checked.
    pub(crate) delay: Duration,
    keys: Vec<SignInCounterKey>,
}

/// Counts attempts. An attempt counts as failed until it succeeds, so concurrent attempts count
/// too.
#[derive(Debug, Default)]
pub(crate) struct SignInLimiter(Mutex<HashMap<SignInCounterKey, Counter>>);

impl SignInLimiter {
    /// Counts an attempt, or returns how long to wait before the next one.
    pub(crate) fn begin_attempt(
        &self,
        name: &str,
        source: AttemptSource,
        now: Instant,
    ) -> Result<Attempt, Duration> {
        let mut counters = self.lock();
        let failures = |counters: &HashMap<SignInCounterKey, Counter>, key: &SignInCounterKey| {
            let counter = counters.get(key).filter(|counter| now - counter.last_failure < COUNTER_LIFETIME);
            counter.map_or((0, now), |counter| (counter.failures, counter.last_failure))
        };
        let mut keys = vec![(SignInCounterKey::Source(source), FREE_FAILURES_AT_ACCOUNT)];
        let mut delay = Duration::ZERO;
        if let AttemptSource::Address(address) = source {
            let name: String = name.chars().take(MAX_NAME_CHARS).collect::<String>().to_lowercase();
            let account = SignInCounterKey::Account(name.clone());
            let (all, _) = failures(&counters, &account);
            delay = backoff(Duration::from_millis(250), all, FREE_FAILURES_PER_ACCOUNT, MAX_DELAY);
            keys = vec![
                (SignInCounterKey::Source(source), FREE_FAILURES_PER_ADDRESS),
                (SignInCounterKey::AccountAndAddress(name, address), FREE_FAILURES_AT_ACCOUNT),
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
        let keys: Vec<SignInCounterKey> = keys.into_iter().map(|(key, _)| key).collect();
        for key in &keys {
            let (failed, _) = failures(&counters, key);
            if !counters.contains_key(key) {
                evict_expired(&mut counters, now);
            }
            counters.insert(key.clone(), Counter { failures: failed + 1, last_failure: now });
        }
        Ok(Attempt { delay, keys })
    }

    /// Resets the client's own failures at the account; failures of others stay counted.
    pub(crate) fn record_success(&self, attempt: &Attempt) {
        let mut counters = self.lock();
        for key in &attempt.keys {
            match key {
                SignInCounterKey::AccountAndAddress(..)
                | SignInCounterKey::Source(AttemptSource::KnownDevice(_) | AttemptSource::Session(_)) => {
                    counters.remove(key);
                }
                SignInCounterKey::Account(_) | SignInCounterKey::Source(AttemptSource::Address(_)) => {
                    if let Some(counter) = counters.get_mut(key) {
                        counter.failures = counter.failures.saturating_sub(1);
                    }
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SignInCounterKey, Counter>> {
        // Counters stay valid after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Zero for the free failures, then `first` doubled with each further one, up to `most`.
fn backoff(first: Duration, failures: u32, free: u32, most: Duration) -> Duration {
    let Some(over) = failures.checked_sub(free) else { return Duration::ZERO };
    first.saturating_mul(1 << over.min(16)).min(most)
}

fn evict_expired(counters: &mut HashMap<SignInCounterKey, Counter>, now: Instant) {
    if counters.len() < MAX_COUNTERS {
        return;
    }
    counters.retain(|_, counter| now - counter.last_failure < COUNTER_LIFETIME);
    if counters.len() >= MAX_COUNTERS {
        let mut ages: Vec<Instant> = counters.values().map(|counter| counter.last_failure).collect();
        // A tenth at a time, so that this does not run on every attempt.
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
            // An attempt while refused does not extend the wait.
            assert_eq!(limiter.begin_attempt("Ann", address(1), now).unwrap_err(), Duration::from_secs(due));
            now += Duration::from_secs(due);
            limiter.begin_attempt("Ann", address(1), now).unwrap();
        }
        // Another address, another account and a known browser are not refused.
        limiter.begin_attempt("Ann", address(2), now).unwrap();
        limiter.begin_attempt("Ben", address(1), now).unwrap();
        limiter.begin_attempt("Ann", AttemptSource::KnownDevice(UserId::new(1)), now).unwrap();
        limiter.begin_attempt("Ann", AttemptSource::Session(UserId::new(1)), now).unwrap();
        now += COUNTER_LIFETIME;
        limiter.begin_attempt("Ann", address(1), now).unwrap();
        limiter.begin_attempt("Ann", address(1), now).unwrap();
    }

    #[test]
    fn address_that_tries_many_names_is_refused() {
        let (limiter, now) = (SignInLimiter::default(), Instant::now());
        for at in 0..FREE_FAILURES_PER_ADDRESS {
            limiter.begin_attempt(&format!("name {at}"), address(1), now).unwrap();
        }
        assert!(limiter.begin_attempt("Ann", address(1), now).is_err());
        limiter.begin_attempt("Ann", address(2), now).unwrap();
    }

    #[test]
    fn many_addresses_at_one_account_delay_but_never_refuse_unknown_browsers() {
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
    fn success_resets_only_own_failures_at_the_account() {
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
