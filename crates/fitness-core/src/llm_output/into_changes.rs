//! Converts a validated response into the changes of a proposal.
//!
//! A model changes duration and intensity, never the distance or steps of an existing workout. A
//! new duration resizes the workout as an edit by the athlete would. A new intensity rebuilds or
//! drops distance, load, description and steps, so that neither grading nor the watch uses outdated
//! ones.

use super::cross_checks::PlanContext;
use super::{Changes, Modification, NewWorkout, PlanModification, WeeklyPlan, WorkoutAction};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::{
    Change, KnownPaces, MAX_DISTANCE, PlannedWorkout, Size, Workout, WorkoutKind, kind_from_text,
    mentions_repetitions, plain_name,
};
use serde::{Deserialize, Serialize};

/// A requested change, applied to the workout as it is when the athlete decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestedChange {
    pub action: WorkoutAction,
    pub changes: Changes,
}

impl RequestedChange {
    /// The workout after the change.
    #[must_use]
    pub fn apply_to(&self, now: &Workout) -> Workout {
        match self.action {
            WorkoutAction::Replace => replace_workout(now, &self.changes),
            WorkoutAction::Modify | WorkoutAction::Skip => apply_changes(now, &self.changes),
        }
    }
}

/// The response names an unknown workout. [`super::cross_checks::check_against_plan`] reports this first.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("workout `{0}` is not in the active plan")]
pub struct UnknownWorkoutError(pub String);

/// Changes of a plan modification in order: modifications, then added workouts.
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

/// Changes that turn the rest of a week into the proposed one. A workout of the same day and sport
/// is modified, others are skipped or added. Unchanged workouts have no change.
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
        // Renaming a rest day is not a change.
        if planned.workout != new && !new.is_rest() {
            changes.push(Change::modify(planned, new, None));
        }
    }
    changes.extend(old.into_iter().map(|planned| Change::skip(planned, None)));
    changes
}

/// Workouts of a week, for an athlete without an active plan.
#[must_use]
pub fn workouts_from_week(response: &WeeklyPlan) -> Vec<Workout> {
    response.workouts.iter().map(|new| added_workout(&new.to_new_workout())).collect()
}

fn change_from_modification(modification: &Modification, planned: &PlannedWorkout) -> Change {
    let changes = modification.changes.clone().unwrap_or_default();
    let notes = changes.notes.clone();
    if modification.action == WorkoutAction::Skip {
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

/// Applies changes, and drops fields of the old workout that are no longer true. A new duration
/// resizes it; a new intensity makes it a different workout of that duration.
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
        // Distance and load no longer hold at another intensity; without a duration, keep the
        // distance.
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

/// New distance of a workout planned by distance alone, scaled by the change in minutes, so that
/// the plan stays in kilometres.
fn scale_distance(old: &Workout, changes: &Changes) -> Option<Distance> {
    let change = changes.duration_minutes?;
    let from = change.from.filter(|from| *from > 0.0)?;
    let old = old.distance.filter(|far| old.duration.is_none() && *far > Distance::ZERO)?;
    // Rounded to 0.1 km.
    let km = (old.km() * change.to / from * 10.0).round() / 10.0;
    Distance::from_km(km).filter(|far| *far > Distance::ZERO && *far <= MAX_DISTANCE)
}

/// A new workout of the same sport on the same day.
fn replace_workout(old: &Workout, changes: &Changes) -> Workout {
    let length = changes.duration_minutes.map(|change| change.to);
    let intensity = changes.intensity.as_ref().map(|change| change.to.clone());
    let named = [changes.name.as_deref(), intensity.as_deref()];
    let kind = infer_kind(old.sport, &named).unwrap_or(WorkoutKind::Other);
    let default_name = || match length {
        Some(length) => format!("{} minutes of {}", length.round(), old.sport),
        None => old.sport.to_string(),
    };
    let mut new = Workout {
        date: old.date,
        sport: old.sport,
        kind,
        name: changes.name.clone().unwrap_or_else(default_name),
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
    // The steps override the kind guessed from the name if they are harder.
    made.kind = made.effective_kind(KnownPaces::default());
    made.key = is_key(made.kind);
    made
}

fn minutes(minutes: f64) -> Option<TimeSpan> {
    TimeSpan::from_seconds(minutes * 60.0)
}

/// Whether workouts of this kind are key sessions.
const fn is_key(kind: WorkoutKind) -> bool {
    kind.is_quality() || matches!(kind, WorkoutKind::Long | WorkoutKind::Race)
}

/// Guesses the kind from name and intensity. Never a race: a model cannot add one.
fn infer_kind(sport: Sport, texts: &[Option<&str>]) -> Option<WorkoutKind> {
    match sport {
        Sport::Rest => return Some(WorkoutKind::Rest),
        Sport::Strength => return Some(WorkoutKind::Strength),
        _ => {}
    }
    kind_from_text(&texts.iter().flatten().copied().collect::<Vec<_>>().join(" "))
}
