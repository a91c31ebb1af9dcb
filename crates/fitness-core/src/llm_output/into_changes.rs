//! From an accepted answer to the changes of a proposal.
//!
//! A model names a duration and an effort, never a distance or the steps of a session that is there. A new duration makes
//! the session shorter or longer as the athlete's own hand would; with a new effort, distance, load, words and steps are
//! made anew or dropped. So neither the grader nor the watch follows a session that no longer exists.

use super::checks::PlanContext;
use super::{Action, Changes, Modification, NewWorkout, PlanModification, WeeklyPlan};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::{
    Change, KnownPaces, MAX_DISTANCE, PlannedWorkout, Size, Workout, WorkoutKind, kind_from_text,
    mentions_repetitions, plain_name,
};
use serde::{Deserialize, Serialize};

/// What an answer names of a workout, to be applied to whatever is there when the athlete decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestedChange {
    /// `modify` or `replace`.
    pub action: Action,
    /// The fields that were named.
    pub changes: Changes,
}

impl RequestedChange {
    /// The workout with what was asked for.
    #[must_use]
    pub fn apply_to(&self, now: &Workout) -> Workout {
        match self.action {
            Action::Replace => replace_workout(now, &self.changes),
            Action::Modify | Action::Skip => apply_changes(now, &self.changes),
        }
    }
}

/// Why an answer cannot become changes. [`super::checks::against`] finds this first, and says more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("workout `{0}` is not in the active plan")]
pub struct UnknownWorkoutError(pub String);

/// The changes a modification asks for, in its order: the modifications, then what is added.
///
/// # Errors
/// When it names a workout that is not there.
pub fn changes_from_modification(
    response: &PlanModification,
    ground: &PlanContext<'_>,
) -> Result<Vec<Change>, UnknownWorkoutError> {
    let mut changes = Vec::new();
    for modification in &response.modifications {
        let planned = ground
            .find_workout(&modification.workout_id)
            .ok_or_else(|| UnknownWorkoutError(modification.workout_id.clone()))?;
        changes.push(change_from_modification(modification, planned));
    }
    changes.extend(response.new_workouts.iter().map(|new| Change::Add { workout: added_workout(new) }));
    Ok(changes)
}

/// The changes that turn what is left of a week into another: a workout of the same day and sport is changed under
/// its id, what has no counterpart goes, and what is new is added. What is the same already is not among them.
#[must_use]
pub fn changes_from_week(response: &WeeklyPlan, ground: &PlanContext<'_>) -> Vec<Change> {
    let Some(monday) = response.monday() else { return Vec::new() };
    let left = monday.max(ground.today)..=monday.plus_days(6);
    let mut old: Vec<&PlannedWorkout> =
        (ground.workouts.iter().filter(|planned| left.contains(&planned.workout.date)))
            .filter(|planned| !ground.plan.is_race(&planned.workout))
            .collect();
    let mut changes = Vec::new();
    for new in workouts_from_week(response).into_iter().filter(|new| left.contains(&new.date)) {
        let same = |planned: &&PlannedWorkout| {
            planned.workout.date == new.date && planned.workout.sport == new.sport
        };
        let Some(at) = old.iter().position(same) else {
            changes.push(Change::Add { workout: new });
            continue;
        };
        let planned = old.remove(at);
        // A day off is a day off, whatever it is called.
        if planned.workout != new && !new.is_rest() {
            changes.push(Change::modify(planned, new, None));
        }
    }
    changes.extend(old.into_iter().map(|planned| Change::skip(planned, None)));
    changes
}

/// The workouts of a week, for an athlete who has no active plan.
#[must_use]
pub fn workouts_from_week(response: &WeeklyPlan) -> Vec<Workout> {
    response.workouts.iter().map(|new| added_workout(&new.to_new_workout())).collect()
}

fn change_from_modification(modification: &Modification, planned: &PlannedWorkout) -> Change {
    let changes = modification.changes.clone().unwrap_or_default();
    let notes = changes.notes.clone();
    if modification.action == Action::Skip {
        return Change::skip(planned, notes);
    }
    let asked = RequestedChange { action: modification.action, changes };
    Change::Modify {
        workout_id: planned.id,
        on: Some(planned.workout.date),
        workout: asked.apply_to(&planned.workout),
        asked: Some(Box::new(asked)),
        notes,
    }
}

/// The workout with what the changes name, and with nothing of the old session that they made untrue. A new length is
/// the athlete's own hand's; a new effort is another session of that length.
fn apply_changes(old: &Workout, changes: &Changes) -> Workout {
    let length = changes.duration_minutes.and_then(|duration| minutes(duration.to));
    let mut new = match (length.filter(|length| Some(*length) != old.duration), scale_distance(old, changes))
    {
        (Some(_), Some(distance)) => old.resized(Size::Distance(distance)),
        (Some(length), None) => old.resized(Size::Duration(length)),
        (None, _) => old.clone(),
    };
    if let Some(intensity) = changes.intensity.as_ref().filter(|new| old.intensity.as_ref() != Some(&new.to))
    {
        new.intensity = Some(intensity.to.clone());
        let said = [changes.name.as_deref(), new.intensity.as_deref()];
        new.kind = infer_kind(new.sport, &said).unwrap_or(old.kind);
        new.key = old.key && is_key(new.kind);
        new.description.clone_from(&changes.notes);
        // The old distance and load say nothing about another effort. Where there is no time, distance is all there is.
        new.distance = new.distance.filter(|_| new.duration.is_none());
        new.load = None;
        new.steps = new.as_single_step();
        if new.kind != old.kind || mentions_repetitions(&old.name) {
            new.name = plain_name(new.sport, new.kind);
        }
    }
    if let Some(name) = &changes.name {
        new.name.clone_from(name);
    }
    if let Some(tss) = changes.estimated_tss {
        new.load = Some(tss.to);
    }
    new
}

/// The distance of a session that is planned by distance alone, where the answer says from how long to how long it goes: a
/// contract that speaks of minutes makes a plan of kilometres shorter without turning it into one of minutes.
fn scale_distance(old: &Workout, changes: &Changes) -> Option<Distance> {
    let change = changes.duration_minutes?;
    let from = change.from.filter(|from| *from > 0.0)?;
    let old = old.distance.filter(|far| old.duration.is_none() && *far > Distance::ZERO)?;
    // To a tenth of a kilometre, as people plan.
    let km = (old.km() * change.to / from * 10.0).round() / 10.0;
    Distance::from_km(km).filter(|far| *far > Distance::ZERO && *far <= MAX_DISTANCE)
}

/// Another session of the same sport on the same day.
fn replace_workout(old: &Workout, changes: &Changes) -> Workout {
    let length = changes.duration_minutes.map(|change| change.to);
    let intensity = changes.intensity.as_ref().map(|change| change.to.clone());
    let named = [changes.name.as_deref(), intensity.as_deref()];
    let kind = infer_kind(old.sport, &named).unwrap_or(WorkoutKind::Other);
    let spoken = || match length {
        Some(length) => format!("{} minutes of {}", length.round(), old.sport),
        None => old.sport.to_string(),
    };
    let mut new = Workout {
        date: old.date,
        sport: old.sport,
        kind,
        name: changes.name.clone().unwrap_or_else(spoken),
        distance: None,
        duration: length.and_then(minutes),
        load: changes.estimated_tss.map(|change| change.to),
        intensity,
        description: changes.notes.clone(),
        key: is_key(kind),
        steps: Vec::new(),
    };
    new.steps = new.as_single_step();
    new
}

/// A workout that is added.
fn added_workout(new: &NewWorkout) -> Workout {
    let rest = Workout::rest(new.date);
    if new.sport == Sport::Rest {
        return Workout { name: new.name.clone(), description: new.description.clone(), ..rest };
    }
    let mut made = Workout {
        sport: new.sport,
        kind: infer_kind(new.sport, &[Some(&new.name)]).unwrap_or(WorkoutKind::Other),
        name: new.name.clone(),
        duration: minutes(new.duration_minutes),
        load: new.estimated_tss,
        description: new.description.clone(),
        steps: new.steps.iter().map(super::Step::to_planned_step).collect(),
        ..rest
    };
    // A name is no proof: where the steps are harder than it sounds, they say what the session is for.
    made.kind = made.effective_kind(KnownPaces::default());
    made.key = is_key(made.kind);
    made
}

fn minutes(minutes: f64) -> Option<TimeSpan> {
    TimeSpan::from_seconds(minutes * 60.0)
}

/// Kinds the week hangs on.
const fn is_key(kind: WorkoutKind) -> bool {
    kind.is_quality() || matches!(kind, WorkoutKind::Long | WorkoutKind::Race)
}

/// What a session is for, as far as its words say so plainly. Never a race: that is not a model's to say.
fn infer_kind(sport: Sport, texts: &[Option<&str>]) -> Option<WorkoutKind> {
    match sport {
        Sport::Rest => return Some(WorkoutKind::Rest),
        Sport::Strength => return Some(WorkoutKind::Strength),
        _ => {}
    }
    kind_from_text(&texts.iter().flatten().copied().collect::<Vec<_>>().join(" "))
}
