//! Checks a proposal against a newer revision of its plan.

use crate::domain::calendar::Day;
use crate::domain::ids::WorkoutId;
use crate::domain::units::UnitSystem;
use crate::domain::untrusted_text::escape_invisible;
use crate::plan::{ApplyError, Change, Plan, PlannedWorkout, Workout, apply};
use serde::Serialize;
use std::collections::BTreeSet;

/// How one change fits the current plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ChangeFit {
    /// Why it cannot be applied; `None` if it can.
    pub problem: Option<String>,
    /// What else has changed since the proposal and would be overwritten.
    pub since: Option<String>,
}

/// Checks each change on its own against the current plan. `base` is the revision its author saw.
#[must_use]
pub fn check_fit(
    plan: &Plan,
    base: &[PlannedWorkout],
    current: &[PlannedWorkout],
    changes: &[Change],
    today: Day,
    units: UnitSystem,
) -> Vec<ChangeFit> {
    let problems = apply_problems(plan, current, changes, today);
    (changes.iter().zip(problems))
        .map(|(change, problem)| ChangeFit {
            problem,
            since: describe_difference(change, base, current, units),
        })
        .collect()
}

/// Why each change, on its own, cannot be applied; `None` if it can.
#[must_use]
pub fn apply_problems(
    plan: &Plan,
    current: &[PlannedWorkout],
    changes: &[Change],
    today: Day,
) -> Vec<Option<String>> {
    let alone = |at: usize| apply(plan, current, changes, &BTreeSet::from([at]), today);
    let problem = |why: ApplyError| match why {
        ApplyError::NoSuchWorkout(id) => format!("workout {id} is no longer in the plan"),
        other => other.to_string(),
    };
    (0..changes.len()).map(|at| alone(at).err().map(problem)).collect()
}

/// The changes that can be applied together, earlier ones first.
#[must_use]
pub fn applicable_changes(
    plan: &Plan,
    current: &[PlannedWorkout],
    changes: &[Change],
    today: Day,
) -> BTreeSet<usize> {
    let mut chosen: BTreeSet<usize> = (0..changes.len()).collect();
    if apply(plan, current, changes, &chosen, today).is_ok() {
        return chosen;
    }
    chosen.clear();
    for at in 0..changes.len() {
        chosen.insert(at);
        if apply(plan, current, changes, &chosen, today).is_err() {
            chosen.remove(&at);
        }
    }
    chosen
}

/// Describes how the workout of a change has changed since.
fn describe_difference(
    change: &Change,
    base: &[PlannedWorkout],
    current: &[PlannedWorkout],
    units: UnitSystem,
) -> Option<String> {
    let of =
        |all: &[PlannedWorkout], id: WorkoutId| all.iter().find(|w| w.id == id).map(|w| w.workout.clone());
    match change {
        Change::Modify { workout_id: id, .. } | Change::Skip { workout_id: id, .. } => {
            let (was, now) = (of(base, *id)?, of(current, *id)?);
            (was != now).then(|| format!("it was {} when this was proposed", describe_workout(&was, units)))
        }
        Change::Add { workout } => {
            let beside = |w: &&PlannedWorkout| w.workout.date == workout.date && !w.workout.is_rest();
            let new = current.iter().filter(beside).find(|w| of(base, w.id).as_ref() != Some(&w.workout))?;
            Some(format!("{} has been added to that day since", describe_workout(&new.workout, units)))
        }
    }
}

fn describe_workout(workout: &Workout, units: UnitSystem) -> String {
    let (day, name) = (workout.date, escape_invisible(workout.name_without_size(units)));
    let size = workout.size_label(units).map(|size| format!(" ({size})")).unwrap_or_default();
    format!("\"{name}\"{size} on {day}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::sport::Sport;
    use crate::domain::units::Distance;
    use crate::plan::WorkoutKind;
    use crate::plan::fixtures::half_marathon;

    fn run(id: i64, date: &str, km: f64) -> PlannedWorkout {
        let workout = Workout {
            sport: Sport::Running,
            kind: WorkoutKind::Easy,
            name: "Run".to_owned(),
            distance: Distance::from_km(km),
            ..Workout::rest(date.parse().unwrap())
        };
        PlannedWorkout { id: WorkoutId::new(id), workout }
    }

    #[test]
    fn check_fit_reports_each_change_that_no_longer_applies() {
        let base = [run(1, "2026-06-16", 8.0), run(2, "2026-06-18", 10.0), run(3, "2026-06-20", 6.0)];
        // The first has passed, the second was removed, the third was shortened, a fourth is new.
        let current = [run(1, "2026-06-16", 8.0), run(3, "2026-06-20", 5.0), run(4, "2026-06-21", 7.0)];
        let change = |id: i64, date: &str| Change::Modify {
            workout_id: WorkoutId::new(id),
            on: None,
            workout: run(id, date, 4.0).workout,
            asked: None,
            notes: None,
        };
        let changes = [
            change(1, "2026-06-18"),
            change(2, "2026-06-18"),
            change(3, "2026-06-20"),
            Change::Add { workout: run(0, "2026-06-21", 3.0).workout },
            Change::Skip { workout_id: WorkoutId::new(3), on: None, notes: None },
            Change::Add { workout: run(0, "2026-06-19", 3.0).workout },
        ];
        let today = "2026-06-17".parse().unwrap();
        let found = check_fit(&half_marathon(), &base, &current, &changes, today, UnitSystem::Metric);
        let problems: Vec<&str> = found.iter().map(|fit| fit.problem.as_deref().unwrap_or("")).collect();
        assert_eq!(
            problems,
            [
                "2026-06-16 is in the past, and past workouts can't be changed",
                "workout 2 is no longer in the plan",
                "",
                "",
                "",
                ""
            ]
        );
        let since: Vec<&str> = found.iter().map(|fit| fit.since.as_deref().unwrap_or("")).collect();
        let shorter = "it was \"Run\" (6.0 km) on 2026-06-20 when this was proposed";
        assert_eq!(
            since,
            ["", "", shorter, "\"Run\" (7.0 km) on 2026-06-21 has been added to that day since", shorter, ""]
        );
        // The fifth affects the same workout as the third: the first of the two is taken.
        let all = applicable_changes(&half_marathon(), &current, &changes, today);
        assert_eq!(all, BTreeSet::from([2, 3, 5]));
        assert_eq!(applicable_changes(&half_marathon(), &current, &changes[..2], today), BTreeSet::new());
    }
}
