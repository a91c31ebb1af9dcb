//! The readers against real files, where they are present, and against Garmin's own reader; the services
//! against fakes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod demo;
mod fuzz_corpus;
mod garmin_export;
mod hostile;
mod live_calendar;
mod live_faults;
mod live_garmin;
mod live_intervals;
mod live_shapes;
mod live_world;
mod made;
mod real_fit_files;
mod real_tracks;
mod shared;
mod walks;
mod workout_files;
