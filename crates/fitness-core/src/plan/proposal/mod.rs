//! Proposals: changes the coach suggests to an active plan, inert until the athlete takes some of them.

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
    /// What became of a proposal.
    pub enum ProposalStatus("proposal status") {
        /// Waiting for the athlete.
        Open = "open",
        /// Some or all of it was taken over.
        Applied = "applied",
        /// The athlete said no.
        Declined = "declined",
    }
}

string_enum! {
    /// Where a proposal comes from. Whatever it is, the decision is the athlete's.
    pub enum ProposalOrigin("origin of a proposal") {
        /// The athlete wrote it down.
        Athlete = "athlete",
        /// A model's answer.
        ModelResponse = "answer",
        /// The built-in rules.
        Rules = "rules",
        /// A program connected over MCP.
        Mcp = "mcp",
    }
}

impl ProposalOrigin {
    /// Who wrote its words. Those of the rules are the program's own.
    #[must_use]
    pub const fn author(self) -> Author {
        match self {
            Self::Athlete | Self::Rules => Author::Athlete,
            Self::ModelResponse => Author::Coach,
            Self::Mcp => Author::Mcp,
        }
    }

    /// As an athlete reads it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Athlete => "you",
            Self::ModelResponse => "the coach's answer",
            Self::Rules => "the built-in rules",
            Self::Mcp => "a program",
        }
    }
}

/// Where a proposal stands on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProposalState {
    /// It waits for the athlete.
    #[error("it waits for you")]
    Open,
    /// It was taken over.
    #[error("it was applied already")]
    Applied,
    /// The athlete said no.
    #[error("you discarded it")]
    Discarded,
    /// A newer one took its place.
    #[error("proposal {0} took its place")]
    Superseded(ProposalId),
    /// What it followed from is no longer said.
    #[error("it was withdrawn: the mark that it followed from is gone")]
    Withdrawn,
    /// Its first day is over.
    #[error("it could be taken until its first day was over, which is past since {0}")]
    Expired(Day),
    /// All of its days are over.
    #[error("its last day, {0}, is over")]
    AllDaysPast(Day),
    /// The plan is another one by now.
    #[error("the plan has changed since: it was made for revision {base}, and the plan is at revision {now}")]
    Stale {
        /// The revision it was made for.
        base: i64,
        /// The plan's revision now.
        now: i64,
    },
}

impl ProposalState {
    /// In a word or two, for a list.
    #[must_use]
    pub fn label(self) -> String {
        match self {
            Self::Open => "open".to_owned(),
            Self::Applied => "applied".to_owned(),
            Self::Discarded => "discarded".to_owned(),
            Self::Superseded(newer) => format!("superseded by {newer}"),
            Self::Withdrawn => "withdrawn".to_owned(),
            Self::Expired(_) | Self::AllDaysPast(_) => "expired".to_owned(),
            Self::Stale { .. } => "open, plan has moved on".to_owned(),
        }
    }
}

/// One change to a plan's workouts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Change {
    /// The workout becomes another one under the same id.
    Modify {
        /// Which workout.
        workout_id: WorkoutId,
        /// The day it was on when this was proposed; older proposals do not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on: Option<Day>,
        /// What it becomes, whole.
        workout: Workout,
        /// What was asked for, where that is less than a whole workout: it is applied anew to what is there by then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<Box<RequestedChange>>,
        /// Why.
        notes: Option<String>,
    },
    /// The workout is taken out.
    Skip {
        /// Which workout.
        workout_id: WorkoutId,
        /// The day it was on when this was proposed; older proposals do not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on: Option<Day>,
        /// Why.
        notes: Option<String>,
    },
    /// A workout is added.
    Add {
        /// What is added.
        workout: Workout,
    },
}

impl Change {
    /// The workout becomes another one, whole.
    #[must_use]
    pub fn modify(planned: &PlannedWorkout, workout: Workout, notes: Option<String>) -> Self {
        Self::Modify { workout_id: planned.id, on: Some(planned.workout.date), workout, asked: None, notes }
    }

    /// The workout is taken out.
    #[must_use]
    pub fn skip(planned: &PlannedWorkout, notes: Option<String>) -> Self {
        Self::Skip { workout_id: planned.id, on: Some(planned.workout.date), notes }
    }

    /// What there would be instead of what is there now; `None` when it is taken out.
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

/// A stored proposal: changes to one revision of one plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Proposal {
    /// Its id.
    pub id: ProposalId,
    /// The plan it would change.
    pub plan: PlanId,
    /// The revision its author saw. It can be applied to no other.
    pub base_revision: i64,
    /// What became of it.
    pub status: ProposalStatus,
    /// Who made it.
    pub author: Author,
    /// Where it comes from.
    pub origin: ProposalOrigin,
    /// Why, in a sentence or two. Foreign text.
    pub message: String,
    /// The changes, in order; the athlete chooses by position.
    pub changes: Vec<Change>,
    /// When it was made.
    pub made_at: Instant,
    /// The first day on which it is too late for it, for one that the rules made.
    pub expires_on: Option<Day>,
    /// The newer proposal that took its place.
    pub superseded_by: Option<ProposalId>,
    /// When what it followed from was taken back.
    pub withdrawn_at: Option<Instant>,
    /// What the answer it comes from should have said better. Foreign text in parts.
    pub findings: Vec<Finding>,
}

impl Proposal {
    /// Where the answer it comes from does not agree with itself or with the plan. What the linter says is said anew
    /// whenever it is looked at.
    pub fn consistency_findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.code != FindingCode::LintWarning)
    }

    /// Whether it still waits for the athlete on a day, whatever became of the plan.
    #[must_use]
    pub fn is_open(&self, today: Day) -> bool {
        self.state(self.base_revision, today) == ProposalState::Open
    }

    /// Where it stands on a day, with the plan at a revision.
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

    /// The last day that it is about; `None` where an older proposal does not say.
    fn last_day(&self) -> Option<Day> {
        let day = |change: &Change| match change {
            Change::Modify { on, workout, .. } => on.map(|on| on.max(workout.date)),
            Change::Skip { on, .. } => *on,
            Change::Add { workout } => Some(workout.date),
        };
        self.changes.iter().map(day).try_fold(None, |last, day| Some(last.max(Some(day?)))).flatten()
    }

    /// What ended it, whatever day it is and wherever the plan is; `None` while nothing did.
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

/// A workout of the next revision: one that was there before keeps its id, a new one has none yet.
#[derive(Debug, Clone, PartialEq)]
pub struct NextWorkout {
    /// The id it keeps; `None` for a new one.
    pub id: Option<WorkoutId>,
    /// What is planned.
    pub workout: Workout,
}

const MAX_CHANGES: usize = 500;
const MAX_NOTES: usize = 2000;

/// Why a choice of changes cannot be applied.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ApplyError {
    /// Nothing was chosen.
    #[error("choose at least one change")]
    Nothing,
    /// More changes, or more words about one, than anybody reads.
    #[error("a proposal has at most {MAX_CHANGES} changes, with notes of at most {MAX_NOTES} characters")]
    TooMuch,
    /// A change that is not there was chosen.
    #[error("there is no change number {0}")]
    NoSuchChange(usize),
    /// A change names a workout that is not in the plan.
    #[error("workout {0} is not in the plan")]
    NoSuchWorkout(WorkoutId),
    /// A change was meant for another day than the one its workout is on by now.
    #[error("workout {workout} was moved from {was} to {now} since")]
    Moved {
        /// Which workout.
        workout: WorkoutId,
        /// The day it was on when the change was proposed.
        was: Day,
        /// The day it is on.
        now: Day,
    },
    /// Two chosen changes touch one workout.
    #[error("two of the chosen changes touch workout {0}")]
    DuplicateChange(WorkoutId),
    /// The race is where it is.
    #[error("the race itself stays as it is; a new plan is for another race")]
    Race,
    /// A change to a day that is over.
    #[error("{0} is over; what was planned for it stays as it is")]
    Past(Day),
    /// What would come out is not a plan.
    #[error(transparent)]
    InvalidDraft(#[from] DraftError),
}

/// Applies the chosen changes to a revision's workouts: whole or not at all. A day that is left empty becomes a day off, and
/// a day off gives way.
///
/// `chosen` holds positions in `changes`, counted from 0.
///
/// # Errors
/// When the choice does not fit the changes, the changes do not fit the workouts, or the result is unsound.
pub fn apply(
    plan: &Plan,
    current: &[PlannedWorkout],
    changes: &[Change],
    chosen: &BTreeSet<usize>,
    today: Day,
) -> Result<Vec<NextWorkout>, ApplyError> {
    if chosen.is_empty() {
        return Err(ApplyError::Nothing);
    }
    check_text_limits(changes)?;
    let mut next: Vec<NextWorkout> =
        current.iter().map(|w| NextWorkout { id: Some(w.id), workout: w.workout.clone() }).collect();
    let mut touched = BTreeSet::new();
    for index in chosen {
        let change = changes.get(*index).ok_or(ApplyError::NoSuchChange(*index))?;
        let (Change::Modify { workout_id, on, .. } | Change::Skip { workout_id, on, .. }) = change else {
            let new = change.apply_to(None);
            next.extend(new.map(|workout| NextWorkout { id: None, workout }));
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

/// What a next state puts on days on which it was not. What stands on a day already was decided there.
pub(super) fn newly_scheduled(current: &[PlannedWorkout], next: &[NextWorkout]) -> Vec<Workout> {
    let there = |new: &NextWorkout| {
        current.iter().any(|old| {
            new.id == Some(old.id) && old.workout.date == new.workout.date && !old.workout.is_rest()
        })
    };
    next.iter().filter(|new| !new.workout.is_rest() && !there(new)).map(|new| new.workout.clone()).collect()
}

/// Days off follow what is there: one where a day was left empty, none beside a workout.
pub(super) fn normalize_rest_days(current: &[PlannedWorkout], next: &mut Vec<NextWorkout>) {
    let busy: BTreeSet<Day> = next.iter().filter(|w| !w.workout.is_rest()).map(|w| w.workout.date).collect();
    next.retain(|w| !w.workout.is_rest() || !busy.contains(&w.workout.date));
    let listed: BTreeSet<Day> = next.iter().map(|w| w.workout.date).collect();
    let empty: BTreeSet<Day> =
        current.iter().map(|w| w.workout.date).filter(|day| !listed.contains(day)).collect();
    next.extend(empty.into_iter().map(|day| NextWorkout { id: None, workout: Workout::rest(day) }));
    next.sort_by_key(|w| w.workout.date);
}

/// What was planned for a day that is over stays as it is.
fn check_not_past(day: Day, today: Day) -> Result<(), ApplyError> {
    if day < today { Err(ApplyError::Past(day)) } else { Ok(()) }
}

/// A model's reasons are kept, but not without end.
fn check_text_limits(changes: &[Change]) -> Result<(), ApplyError> {
    let fits = |change: &Change| match change {
        Change::Modify { notes: Some(notes), .. } | Change::Skip { notes: Some(notes), .. } => {
            notes.chars().count() <= MAX_NOTES && is_storable(notes)
        }
        _ => true,
    };
    if changes.len() <= MAX_CHANGES && changes.iter().all(fits) { Ok(()) } else { Err(ApplyError::TooMuch) }
}

/// Checks that a next revision is still a plan.
///
/// # Errors
/// Names the first workout that is not sound.
pub(crate) fn check_next(start: Day, race: Day, next: &[NextWorkout]) -> Result<(), DraftError> {
    if !(1..=draft::MAX_WORKOUTS).contains(&next.len()) {
        return Err(DraftError::Count(next.len()));
    }
    let workouts: Vec<Workout> = next.iter().map(|w| w.workout.clone()).collect();
    draft::check_workouts(&workouts, start, race)
}

impl Plan {
    /// Checks that workouts an athlete wrote by hand make a sound next revision.
    ///
    /// # Errors
    /// Names the first workout that is not sound.
    pub fn check_next(&self, next: &[NextWorkout]) -> Result<(), DraftError> {
        check_next(self.start_date, self.race_date, next)
    }
}

pub(crate) mod preview;
pub(crate) mod rebase;
#[cfg(test)]
mod tests;
