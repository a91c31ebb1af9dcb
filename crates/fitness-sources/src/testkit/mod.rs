//! Fakes of the services on this machine, for tests that must not reach the real ones.
//!
//! They refuse what the real ones refuse: wrong keys, ranges that are too long, unknown paths, too many requests at
//! once. They also fail in every way that nets fail in ([`Bad`]), at a chosen response and byte. [`Time`] is the clock
//! and the waiting that goes with them: nothing in a test ever really sleeps.

mod fake_clock;
mod garmin;
mod garmin_responses;
mod intervals;
mod server;

pub use fake_clock::{FakeClock, client};
pub use garmin::{FakeGarmin, GarminData, TokenFormat};
pub use garmin_responses::{GarminActivity, GarminDay};
pub use intervals::{FakeIntervals, IntervalsActivity, IntervalsData};
pub use server::{Misbehavior, RecordedRequest};
