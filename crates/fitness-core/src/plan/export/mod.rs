//! Plan exports: Markdown, iCalendar and JSON. FIT workouts for watches are in
//! `fitness_sources::workouts`.
//!
//! Names, notes and descriptions are untrusted; each format escapes them in its own way.

mod icalendar;
mod markdown;
mod plan_file;
mod steps;

pub use icalendar::icalendar;
pub use markdown::markdown;
pub use plan_file::{PlanFile, PlanFileReadError, read_draft};
pub use steps::describe_steps;

use crate::domain::calendar::Instant;
use crate::domain::content_hash::ContentHash;
use crate::domain::ids::UserId;
use crate::domain::note::Author;
use crate::plan::{Plan, PlannedWorkout};

/// Anonymous identifier of an athlete, for calendar UIDs.
#[must_use]
pub fn owner_hash(user: UserId, created_at: Instant) -> String {
    let hash = ContentHash::hash_json(&("local-fitness", user, created_at.timestamp_millis()));
    hash.to_string().chars().take(8).collect()
}

/// A plan and the workouts of its current revision.
#[derive(Debug, Clone, Copy)]
pub struct PlanExport<'a> {
    pub plan: &'a Plan,
    pub workouts: &'a [PlannedWorkout],
    /// Author of names and descriptions; exports label text by a coach or an app.
    pub author: Option<Author>,
}

#[cfg(test)]
mod tests;
