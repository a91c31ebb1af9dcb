//! Proposals: suggested changes to an active plan, with no effect until the athlete applies them.

use super::{DraftError, Plan, PlannedWorkout, Workout, draft};
use crate::domain::calendar::{Day, Instant};
use crate::domain::ids::{PlanId, ProposalId, WorkoutId};
use crate::domain::note::Author;
use crate::domain::untrusted_text::is_storable;
use crate::llm_output::into_changes::RequestedChange;
use crate::llm_output::{Finding, FindingCode};
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

string_enum! {
    /// Stored status of a proposal.
    pub enum ProposalStatus("proposal status") {
        /// Waiting for a decision.
        Open = "open",
        /// Some or all changes were applied.
        Applied = "applied",
        /// The athlete discarded it.
        Declined = "declined",
    }
}

string_enum! {
    /// Where a proposal comes from. The athlete always decides.
    pub enum ProposalOrigin("proposal origin") {
        /// Entered by the athlete.
        Athlete = "athlete",
        ModelResponse = "answer",
        Rules = "rules",
        Mcp = "mcp",
    }
}

impl ProposalOrigin {
    /// Author of its texts; the rules' texts are ours and need no label.
    #[must_use]
    pub const fn author(self) -> Author {
        match self {
            Self::Athlete | Self::Rules => Author::Athlete,
            Self::ModelResponse => Author::Coach,
            Self::Mcp => Author::Mcp,
        }
    }

    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Athlete => "you",
            Self::ModelResponse => "the coach",
            Self::Rules => "the built-in rules",
            Self::Mcp => "an app",
        }
    }
}

/// State of a proposal on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProposalState {
    #[error("it is waiting for your decision")]
    Open,
    #[error("it is already applied")]
    Applied,
    /// The athlete discarded it.
    #[error("you discarded it")]
    Discarded,
    /// A newer proposal replaced it.
    #[error("a newer proposal replaced it")]
    Superseded(ProposalId),
    /// The observation it was based on was removed.
    #[error("it was withdrawn because you removed the absence or check-in it was based on")]
    Withdrawn,
    /// Its first day has passed.
    #[error("it expired on {0}")]
    Expired(Day),
    /// All its days have passed.
    #[error("its last day, {0}, has passed")]
    AllDaysPast(Day),
    /// The plan has a newer revision.
    #[error("your plan has changed since this was proposed (revision {base}, now {now})")]
    Stale { base: i64, now: i64 },
}

impl ProposalState {
    /// Short label for lists.
    #[must_use]
    pub fn label(self) -> String {
        match self {
            Self::Open => "open".to_owned(),
            Self::Applied => "applied".to_owned(),
            Self::Discarded => "discarded".to_owned(),
            Self::Superseded(newer) => format!("replaced by {newer}"),
            Self::Withdrawn => "withdrawn".to_owned(),
            Self::Expired(_) | Self::AllDaysPast(_) => "expired".to_owned(),
            Self::Stale { .. } => "open, plan has changed".to_owned(),
        }
    }
}

/// One change to a plan's workouts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Change {
    /// Replaces a workout, keeping its id.
    Modify {
        workout_id: WorkoutId,
        /// Day of the workout when this was proposed; missing in older proposals.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on: Option<Day>,
        /// The complete new workout.
        workout: Workout,
        /// The requested fields, if only some were given: they are applied to the workout as it is
        /// then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<Box<RequestedChange>>,
        notes: Option<String>,
    },
    Skip {
        workout_id: WorkoutId,
        /// Day of the workout when this was proposed; missing in older proposals.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on: Option<Day>,
        notes: Option<String>,
    },
    Add {
        workout: Workout,
    },
}

impl Change {
    /// Replaces the whole workout.
    #[must_use]
    pub fn modify(planned: &PlannedWorkout, workout: Workout, notes: Option<String>) -> Self {
        Self::Modify { workout_id: planned.id, on: Some(planned.workout.date), workout, asked: None, notes }
    }

    #[must_use]
    pub fn skip(planned: &PlannedWorkout, notes: Option<String>) -> Self {
        Self::Skip { workout_id: planned.id, on: Some(planned.workout.date), notes }
    }

    /// The resulting workout; `None` if it is removed.
    #[must_use]
    pub fn apply_to(&self, now: Option<&Workout>) -> Option<Workout> {
        match self {
            Self::Modify { workout, asked, .. } => match (asked, now) {
                (Some(asked), Some(now)) => Some(asked.apply_to(now)),
                _ => Some(workout.clone()),
            },
            Self::Add { workout } => Some(workout.clone()),
            Self::Skip { .. } => None,
        }
    }
}

/// A stored proposal: changes to one revision of a plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Proposal {
    pub id: ProposalId,
    pub plan: PlanId,
    /// The revision it was made for. It is applied only to this one, or after a new preview.
    pub base_revision: i64,
    pub status: ProposalStatus,
    pub author: Author,
    pub origin: ProposalOrigin,
    /// Reason in a sentence or two. Untrusted text.
    pub message: String,
    /// Changes in order; the athlete selects them by position.
    pub changes: Vec<Change>,
    pub made_at: Instant,
    /// First day on which it is expired; only for proposals of the rules.
    pub expires_on: Option<Day>,
    /// Newer proposal that replaced it.
    pub superseded_by: Option<ProposalId>,
    /// When the observation behind it was removed.
    pub withdrawn_at: Option<Instant>,
    /// Warnings about the model response it comes from. Partly untrusted text.
    pub findings: Vec<Finding>,
}

impl Proposal {
    /// Inconsistencies in the model response. Lint findings are excluded; they are computed again
    /// for each view.
    pub fn consistency_findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.code != FindingCode::LintWarning)
    }

    /// Whether it is undecided and not expired on a day, whatever the plan's revision.
    #[must_use]
    pub fn is_open(&self, today: Day) -> bool {
        self.state(self.base_revision, today) == ProposalState::Open
    }

    /// State on a day, with the plan at a revision.
    #[must_use]
    pub fn state(&self, revision: i64, today: Day) -> ProposalState {
        match (self.final_state(), self.expires_on) {
            (Some(ended), _) => ended,
            (None, Some(end)) if end <= today => ProposalState::Expired(end),
            _ => match self.last_day() {
                Some(last) if last < today => ProposalState::AllDaysPast(last),
                _ if self.base_revision != revision => {
                    ProposalState::Stale { base: self.base_revision, now: revision }
                }
                _ => ProposalState::Open,
            },
        }
    }

    /// The last day it concerns; `None` if an older proposal lacks dates.
    fn last_day(&self) -> Option<Day> {
        let day = |change: &Change| match change {
            Change::Modify { on, workout, .. } => on.map(|on| on.max(workout.date)),
            Change::Skip { on, .. } => *on,
            Change::Add { workout } => Some(workout.date),
        };
        self.changes.iter().map(day).try_fold(None, |last, day| Some(last.max(Some(day?)))).flatten()
    }

    /// The state that closed it for good, if any.
    #[must_use]
    pub fn final_state(&self) -> Option<ProposalState> {
        match (self.status, self.superseded_by) {
            (ProposalStatus::Applied, _) => Some(ProposalState::Applied),
            (ProposalStatus::Declined, _) => Some(ProposalState::Discarded),
            (ProposalStatus::Open, Some(newer)) => Some(ProposalState::Superseded(newer)),
            (ProposalStatus::Open, None) => self.withdrawn_at.map(|_| ProposalState::Withdrawn),
        }
    }
}

/// A workout of the next revision; existing ones keep their id.
#[derive(Debug, Clone, PartialEq)]
pub struct NextRevisionWorkout {
    /// `None` for a new workout.
    pub id: Option<WorkoutId>,
    pub workout: Workout,
}

const MAX_CHANGES: usize = 500;
const MAX_NOTES: usize = 2000;

/// Why selected changes cannot be applied.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ApplyError {
    #[error("select at least one change")]
    Nothing,
    /// Too many changes or too long notes.
    #[error(
        "a proposal can have at most {MAX_CHANGES} changes, with notes of at most {MAX_NOTES} characters"
    )]
    TooMuch,
    /// No change at this position.
    #[error("there is no change number {0}")]
    NoSuchChange(usize),
    /// The workout is not in the plan.
    #[error("workout {0} is not in the plan")]
    NoSuchWorkout(WorkoutId),
    /// The workout has been moved since the proposal.
    #[error("workout {workout} has been moved from {was} to {now}")]
    Moved { workout: WorkoutId, was: Day, now: Day },
    /// Two selected changes affect one workout.
    #[error("two of the selected changes affect workout {0}")]
    DuplicateChange(WorkoutId),
    /// The race cannot be changed.
    #[error("the race itself cannot be changed; draft a new plan for another race")]
    Race,
    /// The day has passed.
    #[error("{0} is in the past, and past workouts can't be changed")]
    Past(Day),
    /// The result is not a valid plan.
    #[error(transparent)]
    InvalidDraft(#[from] DraftError),
}

/// Applies the selected changes to a revision's workouts: all or none. An empty day becomes a rest
/// day; a new workout replaces a rest day.
///
/// `chosen` holds zero-based positions in `changes`.
///
/// # Errors
/// If the selection does not match the changes, the changes do not match the workouts, or the
/// result is invalid.
pub fn apply(
    plan: &Plan,
    current: &[PlannedWorkout],
    changes: &[Change],
    chosen: &BTreeSet<usize>,
    today: Day,
) -> Result<Vec<NextRevisionWorkout>, ApplyError> {
    if chosen.is_empty() {
        return Err(ApplyError::Nothing);
    }
    check_text_limits(changes)?;
    let mut next: Vec<NextRevisionWorkout> =
        current.iter().map(|w| NextRevisionWorkout { id: Some(w.id), workout: w.workout.clone() }).collect();
    let mut touched = BTreeSet::new();
    for index in chosen {
        let change = changes.get(*index).ok_or(ApplyError::NoSuchChange(*index))?;
        let (Change::Modify { workout_id, on, .. } | Change::Skip { workout_id, on, .. }) = change else {
            let new = change.apply_to(None);
            next.extend(new.map(|workout| NextRevisionWorkout { id: None, workout }));
            continue;
        };
        if !touched.insert(*workout_id) {
            return Err(ApplyError::DuplicateChange(*workout_id));
        }
        let at = next
            .iter()
            .position(|w| w.id == Some(*workout_id))
            .ok_or(ApplyError::NoSuchWorkout(*workout_id))?;
        let now = &next[at].workout;
        check_not_past(now.date, today)?;
        if plan.is_race(now) {
            return Err(ApplyError::Race);
        }
        if let Some(was) = on.filter(|was| *was != now.date) {
            return Err(ApplyError::Moved { workout: *workout_id, was, now: now.date });
        }
        match change.apply_to(Some(now)) {
            Some(workout) => next[at].workout = workout,
            None => drop(next.remove(at)),
        }
    }
    let new = newly_scheduled(current, &next);
    for change in chosen.iter().filter_map(|index| changes.get(*index)) {
        if let Change::Modify { workout, .. } | Change::Add { workout } = change {
            check_not_past(workout.date, today)?;
        }
    }
    draft::check_availability(&new, &plan.terms.availability)?;
    normalize_rest_days(current, &mut next);
    check_next(plan.start_date, plan.race_date, &next)?;
    Ok(next)
}

/// Workouts on days where they were not before. Existing ones on a blocked day stay: the athlete
/// put them there.
pub(super) fn newly_scheduled(current: &[PlannedWorkout], next: &[NextRevisionWorkout]) -> Vec<Workout> {
    let there = |new: &NextRevisionWorkout| {
        current.iter().any(|old| {
            new.id == Some(old.id) && old.workout.date == new.workout.date && !old.workout.is_rest()
        })
    };
    next.iter().filter(|new| !new.workout.is_rest() && !there(new)).map(|new| new.workout.clone()).collect()
}

/// Adjusts rest days: one on every empty day, none next to a workout.
pub(super) fn normalize_rest_days(current: &[PlannedWorkout], next: &mut Vec<NextRevisionWorkout>) {
    let busy: BTreeSet<Day> = next.iter().filter(|w| !w.workout.is_rest()).map(|w| w.workout.date).collect();
    next.retain(|w| !w.workout.is_rest() || !busy.contains(&w.workout.date));
    let listed: BTreeSet<Day> = next.iter().map(|w| w.workout.date).collect();
    let empty: BTreeSet<Day> =
        current.iter().map(|w| w.workout.date).filter(|day| !listed.contains(day)).collect();
    next.extend(empty.into_iter().map(|day| NextRevisionWorkout { id: None, workout: Workout::rest(day) }));
    next.sort_by_key(|w| w.workout.date);
}

/// Workouts on past days cannot be changed.
fn check_not_past(day: Day, today: Day) -> Result<(), ApplyError> {
    if day < today { Err(ApplyError::Past(day)) } else { Ok(()) }
}

/// Limits the number of changes and the length of their notes.
fn check_text_limits(changes: &[Change]) -> Result<(), ApplyError> {
    let fits = |change: &Change| match change {
        Change::Modify { notes: Some(notes), .. } | Change::Skip { notes: Some(notes), .. } => {
            notes.chars().count() <= MAX_NOTES && is_storable(notes)
        }
        _ => true,
    };
    if changes.len() <= MAX_CHANGES && changes.iter().all(fits) { Ok(()) } else { Err(ApplyError::TooMuch) }
}

/// Checks that the next revision is a valid plan.
pub(crate) fn check_next(start: Day, race: Day, next: &[NextRevisionWorkout]) -> Result<(), DraftError> {
    if !(1..=draft::MAX_WORKOUTS).contains(&next.len()) {
        return Err(DraftError::Count(next.len()));
    }
    let workouts: Vec<Workout> = next.iter().map(|w| w.workout.clone()).collect();
    draft::check_workouts(&workouts, start, race)
}

impl Plan {
    /// Checks that manually edited workouts make a valid revision.
    pub fn check_next(&self, next: &[NextRevisionWorkout]) -> Result<(), DraftError> {
        check_next(self.start_date, self.race_date, next)
    }
}

pub(crate) mod preview;
pub(crate) mod rebase;
#[cfg(test)]
mod tests;
