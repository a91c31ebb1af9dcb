//! Fake services on loopback, for tests.
//!
//! They reject what the real ones reject: wrong keys, ranges that are too long, unknown paths, too
//! many concurrent requests. They can also fail like a network ([`Misbehavior`]) at a chosen
//! response and byte. [`FakeClock`] replaces clock and sleep, so that tests never wait.

mod garmin;
mod garmin_responses;
mod intervals;

pub use fitness_http::testkit::{FakeClock, Misbehavior, RecordedRequest, client};
pub use garmin::{FakeGarmin, GarminData, TokenFormat};
pub use garmin_responses::{GarminActivity, GarminDay};
pub use intervals::{FakeIntervals, IntervalsActivity, IntervalsData};
