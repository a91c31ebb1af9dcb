//! Tests of the parsers with real files and Garmin's SDK if available, and of the services with
//! fakes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod archive_fixtures;
mod demo;
mod discover;
mod fuzz_corpus;
mod garmin_export;
mod live_calendar;
mod live_faults;
mod live_fixtures;
mod live_garmin;
mod live_intervals;
mod live_recorded_responses;
mod malicious_files;
mod real_ascent;
mod real_fit_files;
mod real_tracks;
mod shared_files;
mod workout_files;
