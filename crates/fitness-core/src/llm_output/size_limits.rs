//! Size limits of responses. Limits of workouts are in [`crate::plan`].

use crate::plan;
use std::ops::RangeInclusive;

/// Maximum response size in bytes. A full week with steps is about 1 % of it.
pub const MAX_BYTES: usize = 1 << 20;
/// Maximum nesting depth; the formats need six levels.
pub const MAX_DEPTH: usize = 16;
/// Maximum number of modifications, new workouts or workouts of a week.
pub const MAX_ENTRIES: usize = 200;
/// Maximum number of steps of a workout.
pub const MAX_STEPS: usize = plan::MAX_STEPS;
/// Maximum number of concerns or key sessions.
pub const MAX_LIST_ITEMS: usize = 50;
/// Maximum length of a name or intensity, in characters.
pub const MAX_NAME: usize = plan::MAX_NAME;
/// Maximum length of a description, note, reason or concern, in characters.
pub const MAX_TEXT_CHARS: usize = plan::MAX_TEXT_CHARS;
/// Maximum length of the message to the athlete, in characters.
pub const MAX_MESSAGE: usize = 4000;
/// Maximum length of an id, in characters.
pub const MAX_ID: usize = 64;

/// The shortest workout that is not a rest day, in minutes.
pub const MIN_MINUTES: f64 = *plan::DURATION_MINUTES.start() as f64;
/// The longest workout, in minutes.
pub const MAX_MINUTES: f64 = *plan::DURATION_MINUTES.end() as f64;
/// Maximum TSS of a workout.
pub const MAX_TSS: f64 = *plan::LOAD_RANGE.end();
/// Maximum TSS of a week.
pub const MAX_WEEKLY_TSS: f64 = 7000.0;
/// Hours in a week.
pub const MAX_WEEKLY_HOURS: f64 = 168.0;
/// The longest step by time, in seconds.
pub const MAX_STEP_SECONDS: f64 = plan::MAX_STEP_SECONDS;
/// The longest step by distance, in metres.
pub const MAX_STEP_METERS: f64 = plan::MAX_STEP_METERS;
/// The longest step by calories.
pub const MAX_STEP_CALORIES: f64 = plan::MAX_STEP_CALORIES;
/// Maximum of a target bound in any unit.
pub const MAX_TARGET: f64 = plan::MAX_TARGET;

/// A workout's minutes, unless it is a rest day.
pub(super) const MINUTES: RangeInclusive<f64> = MIN_MINUTES..=MAX_MINUTES;
/// Previous duration: 0 for a rest day.
pub(super) const MINUTES_BEFORE: RangeInclusive<f64> = 0.0..=MAX_MINUTES;
pub(super) const TSS: RangeInclusive<f64> = 0.0..=MAX_TSS;
