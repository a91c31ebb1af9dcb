//! A plan in the words of others: Markdown for people, iCalendar for calendars, a JSON file for programs.
//!
//! All of it is pure text out of a plan and the workouts of one revision. It is here and not with the command line
//! because the web will hand out the same texts. Files for watches are FIT, which is the sources' matter
//! (`fitness_sources::workouts`).
//!
//! Names, notes and descriptions are foreign; each form escapes them in its own way, and a test holds it to that.

mod icalendar;
mod markdown;
mod plan_file;
mod steps;

pub use icalendar::icalendar;
pub use markdown::markdown;
pub use plan_file::{PlanFile, PlanFileError, read_draft};
pub use steps::describe_steps;

use crate::domain::calendar::Instant;
use crate::domain::content_hash::ContentHash;
use crate::domain::ids::UserId;
use crate::domain::note::Author;
use crate::plan::{Plan, PlannedWorkout};

/// Tells an athlete's plans from everybody else's, without saying who they are.
#[must_use]
pub fn owner_hash(user: UserId, created_at: Instant) -> String {
    let hash = ContentHash::hash_json(&("local-fitness", user, created_at.timestamp_millis()));
    hash.to_string().chars().take(8).collect()
}

/// What is exported: a plan, and the workouts of its current revision in order.
#[derive(Debug, Clone, Copy)]
pub struct PlanExport<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Its workouts.
    pub workouts: &'a [PlannedWorkout],
    /// Who wrote its names and descriptions: each export labels what a coach or a program wrote.
    pub author: Option<Author>,
}

#[cfg(test)]
mod tests;
