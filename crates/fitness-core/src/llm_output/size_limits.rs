//! How much there may be of everything in an answer. What a workout may be is decided in [`crate::plan`].

use crate::plan;
use std::ops::RangeInclusive;

/// The largest answer that is read, in bytes. A full week with steps is a hundredth of it.
pub const MAX_BYTES: usize = 1 << 20;
/// How deep lists and objects may be within each other; the contract itself needs six.
pub const MAX_DEPTH: usize = 16;
/// The most modifications, new workouts or workouts of a week in one answer.
pub const MAX_ENTRIES: usize = 200;
/// The most steps of a workout.
pub const MAX_STEPS: usize = plan::MAX_STEPS;
/// The most concerns or key sessions.
pub const MAX_LIST_ITEMS: usize = 50;
/// The longest name or intensity, in characters.
pub const MAX_NAME: usize = plan::MAX_NAME;
/// The longest description, note, reason or concern, in characters.
pub const MAX_TEXT_CHARS: usize = plan::MAX_TEXT_CHARS;
/// The longest message to the athlete, in characters.
pub const MAX_MESSAGE: usize = 4000;
/// The longest id, in characters.
pub const MAX_ID: usize = 64;

/// The shortest workout that is not a rest day, in minutes.
pub const MIN_MINUTES: f64 = *plan::DURATION_MINUTES.start() as f64;
/// The longest workout, in minutes.
pub const MAX_MINUTES: f64 = *plan::DURATION_MINUTES.end() as f64;
/// The most TSS of one workout.
pub const MAX_TSS: f64 = *plan::LOAD_RANGE.end();
/// The most TSS of a week: two workouts a day at the bound are beyond anybody.
pub const MAX_WEEKLY_TSS: f64 = 7000.0;
/// There are no more hours in a week.
pub const MAX_WEEKLY_HOURS: f64 = 168.0;
/// The longest step by time, in seconds.
pub const MAX_STEP_SECONDS: f64 = plan::MAX_STEP_SECONDS;
/// The longest step by distance, in metres.
pub const MAX_STEP_METERS: f64 = plan::MAX_STEP_METERS;
/// The longest step by calories.
pub const MAX_STEP_CALORIES: f64 = plan::MAX_STEP_CALORIES;
/// The highest end of a target, whatever its unit.
pub const MAX_TARGET: f64 = plan::MAX_TARGET;

/// A workout's minutes, unless it is a rest day.
pub(super) const MINUTES: RangeInclusive<f64> = MIN_MINUTES..=MAX_MINUTES;
/// What a workout lasted before: a rest day lasted nothing.
pub(super) const MINUTES_BEFORE: RangeInclusive<f64> = 0.0..=MAX_MINUTES;
/// A workout's TSS.
pub(super) const TSS: RangeInclusive<f64> = 0.0..=MAX_TSS;
