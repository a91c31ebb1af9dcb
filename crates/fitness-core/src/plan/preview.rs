//! What a change to a plan means, before anybody decides: now and then, workout by workout and week by week.

use super::{Change, NextWorkout, PlannedWorkout, Workout};
use crate::calendar::Day;
use crate::ids::WorkoutId;
use crate::sport::Sport;
use crate::text::visible;
use crate::units::{Distance, TimeSpan, UnitSystem};
use serde::Serialize;
use std::collections::BTreeMap;

/// One change as an athlete reads it: what is there now, and what would be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NowThen {
    /// Which workout; `None` for one that is added.
    pub workout: Option<WorkoutId>,
    /// What is planned now.
    pub now: Option<Workout>,
    /// What would be planned; `None` when it is taken out.
    pub then: Option<Workout>,
    /// Why, in the words of whoever proposes it. Foreign text.
    pub notes: Option<String>,
}

impl NowThen {
    /// A change beside what is there.
    #[must_use]
    pub fn of(change: &Change, current: &[PlannedWorkout]) -> Self {
        let now = |id: &WorkoutId| current.iter().find(|w| w.id == *id).map(|w| w.workout.clone());
        match change {
            Change::Modify { workout_id, workout, notes } => Self {
                workout: Some(*workout_id),
                now: now(workout_id),
                then: Some(workout.clone()),
                notes: notes.clone(),
            },
            Change::Skip { workout_id, notes } => {
                Self { workout: Some(*workout_id), now: now(workout_id), then: None, notes: notes.clone() }
            }
            Change::Add { workout } => {
                Self { workout: None, now: None, then: Some(workout.clone()), notes: None }
            }
        }
    }

    /// One line: `Tue 2026-06-16: Intervals, 10.0 km → Easy, 6.0 km (tired)`.
    #[must_use]
    pub fn line(&self, units: UnitSystem) -> String {
        let day = |w: &Workout| format!("{} {}", w.date.weekday(), w.date);
        let text = match (&self.now, &self.then) {
            (Some(now), Some(then)) if now.date == then.date => {
                format!("{}: {} → {}", day(now), brief(now, units), brief(then, units))
            }
            (Some(now), Some(then)) => {
                format!("{}: {} → {}: {}", day(now), brief(now, units), day(then), brief(then, units))
            }
            (Some(now), None) => format!("{}: {} → taken out", day(now), brief(now, units)),
            (None, Some(then)) => format!("{}: new: {}", day(then), brief(then, units)),
            (None, None) => "a workout that is not in the plan any more".to_owned(),
        };
        let more = self.details(units);
        let text = if more.is_empty() { text } else { format!("{text}; {}", more.join("; ")) };
        match &self.notes {
            Some(notes) => format!("{text} ({})", visible(notes)),
            None => text,
        }
    }

    /// What else would be different: effort, load, time, steps with their targets.
    fn details(&self, units: UnitSystem) -> Vec<String> {
        let Some(then) = &self.then else { return Vec::new() };
        let same = |differs: fn(&Workout, &Workout) -> bool| {
            self.now.as_ref().is_some_and(|now| !differs(now, then))
        };
        let mut more = Vec::new();
        if !same(|a, b| a.kind != b.kind) && self.now.is_some() {
            more.push(format!("now {}", then.kind.as_str().replace('_', " ")));
        }
        if !same(|a, b| a.intensity != b.intensity) {
            more.extend(then.intensity.as_deref().map(|words| format!("effort: {}", visible(words))));
        }
        if !same(|a, b| a.duration != b.duration) && then.distance.is_some() {
            more.extend(then.duration.map(|time| format!("in {}", time.hours_minutes())));
        }
        if !same(|a, b| a.load != b.load) {
            more.extend(then.load.map(|load| format!("load {load:.0}")));
        }
        if !same(|a, b| a.steps != b.steps) && !then.is_rest() {
            let steps = crate::export::steps(&then.steps, units);
            let told: Vec<String> = steps.iter().map(|step| visible(step).to_string()).collect();
            match told.is_empty() {
                false => more.push(format!("steps: {}", told.join(", "))),
                true if self.now.is_some() => more.push("no steps".to_owned()),
                true => {}
            }
        }
        more
    }
}

/// Everything that differs between two states of a plan, in order of the days.
#[must_use]
pub fn differences(current: &[PlannedWorkout], next: &[NextWorkout]) -> Vec<NowThen> {
    let mut found: Vec<NowThen> = Vec::new();
    for old in current {
        let new = next.iter().find(|w| w.id == Some(old.id)).map(|w| &w.workout);
        let gone = new.is_none() && !old.workout.is_rest();
        if gone || new.is_some_and(|new| *new != old.workout) {
            let now = Some(old.workout.clone());
            found.push(NowThen { workout: Some(old.id), now, then: new.cloned(), notes: None });
        }
    }
    for new in next.iter().filter(|new| !new.workout.is_rest()) {
        if !current.iter().any(|old| new.id == Some(old.id)) {
            found.push(NowThen { workout: new.id, now: None, then: Some(new.workout.clone()), notes: None });
        }
    }
    let day = |one: &NowThen| one.now.as_ref().or(one.then.as_ref()).map(|workout| workout.date);
    found.sort_by_key(day);
    found
}

/// A workout in a few words.
fn brief(workout: &Workout, units: UnitSystem) -> String {
    let size = workout
        .distance
        .map(|distance| units.distance(distance).to_string())
        .or_else(|| workout.duration.map(TimeSpan::hours_minutes));
    match size {
        Some(size) => format!("{}, {size}", visible(&workout.name)),
        None => visible(&workout.name).to_string(),
    }
}

/// What a week holds before and after.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WeekDelta {
    /// Its Monday.
    pub monday: Day,
    /// Running before.
    #[serde(rename = "distance_before_mm")]
    pub distance_before: Distance,
    /// Running after.
    #[serde(rename = "distance_after_mm")]
    pub distance_after: Distance,
    /// Load before; `None` when a workout does not say its own.
    pub load_before: Option<f64>,
    /// Load after; `None` when a workout does not say its own.
    pub load_after: Option<f64>,
}

/// The weeks that a change touches, in order.
#[must_use]
pub fn week_deltas(current: &[PlannedWorkout], next: &[NextWorkout]) -> Vec<WeekDelta> {
    let before = weeks(current.iter().map(|w| &w.workout));
    let after = weeks(next.iter().map(|w| &w.workout));
    let mondays: std::collections::BTreeSet<Day> = before.keys().chain(after.keys()).copied().collect();
    let nothing = (Vec::new(), Distance::ZERO, Some(0.0));
    mondays
        .into_iter()
        .filter_map(|monday| {
            let old = before.get(&monday).unwrap_or(&nothing);
            let new = after.get(&monday).unwrap_or(&nothing);
            (old.0 != new.0).then_some(WeekDelta {
                monday,
                distance_before: old.1,
                distance_after: new.1,
                load_before: old.2,
                load_after: new.2,
            })
        })
        .collect()
}

/// By Monday: what is planned, how far is run, and the load where every workout says its own.
type Weeks<'a> = BTreeMap<Day, (Vec<&'a Workout>, Distance, Option<f64>)>;

fn weeks<'a>(workouts: impl Iterator<Item = &'a Workout>) -> Weeks<'a> {
    let mut weeks = Weeks::new();
    for workout in workouts {
        let week = weeks
            .entry(workout.date.iso_week().monday())
            .or_insert_with(|| (Vec::new(), Distance::ZERO, Some(0.0)));
        if workout.sport == Sport::Running {
            week.1 += workout.distance.unwrap_or_default();
        }
        if !workout.is_rest() {
            week.2 = week.2.zip(workout.load).map(|(sum, load)| sum + load);
        }
        week.0.push(workout);
    }
    weeks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::WorkoutKind;

    fn run(date: &str, km: f64, load: Option<f64>) -> Workout {
        Workout {
            sport: Sport::Running,
            kind: WorkoutKind::Easy,
            name: "Run".to_owned(),
            distance: Distance::from_km(km),
            load,
            ..Workout::rest(date.parse().unwrap())
        }
    }

    #[test]
    fn a_change_reads_as_now_and_then() {
        let current = [PlannedWorkout { id: WorkoutId::new(1), workout: run("2026-06-16", 10.0, None) }];
        let shorter = Change::Modify {
            workout_id: WorkoutId::new(1),
            workout: run("2026-06-16", 6.0, None),
            notes: Some("tired\u{7}".to_owned()),
        };
        let lines: Vec<String> = [
            shorter,
            Change::Skip { workout_id: WorkoutId::new(1), notes: None },
            Change::Add { workout: run("2026-06-17", 5.0, None) },
        ]
        .iter()
        .map(|change| NowThen::of(change, &current).line(UnitSystem::Metric))
        .collect();
        assert_eq!(lines[1], "Tue 2026-06-16: Run, 10.0 km → taken out");
        assert_eq!(lines[2], "Wed 2026-06-17: new: Run, 5.0 km");
        assert!(lines[0].starts_with("Tue 2026-06-16: Run, 10.0 km → Run, 6.0 km (tired"), "{}", lines[0]);
        assert!(!lines[0].contains('\u{7}'));
    }

    #[test]
    fn nothing_that_changes_is_hidden() {
        let current = [PlannedWorkout { id: WorkoutId::new(1), workout: run("2026-06-16", 7.0, Some(40.0)) }];
        let mut harder = run("2026-06-16", 5.0, Some(60.0));
        harder.intensity = Some("Threshold 2x8 min".to_owned());
        harder.steps = serde_json::from_str(
            r#"[{"step_type":"active","duration_type":"time","duration_value":480.0,"target_type":"pace","target_low":200.0,"target_high":210.0}]"#,
        )
        .unwrap();
        let next = [
            NextWorkout { id: Some(WorkoutId::new(1)), workout: harder },
            // A workout that comes back has an id, and is new all the same.
            NextWorkout { id: Some(WorkoutId::new(9)), workout: run("2026-06-21", 13.0, None) },
        ];
        let lines: Vec<String> =
            differences(&current, &next).iter().map(|one| one.line(UnitSystem::Metric)).collect();
        for part in ["effort: Threshold 2x8 min", "load 60", "8:00 active", "3:20", "3:30"] {
            assert!(lines[0].contains(part), "{part} / {lines:?}");
        }
        assert!(lines[1].starts_with("Sun 2026-06-21: new: Run, 13.0 km"), "{lines:?}");
        let gone: Vec<NextWorkout> = Vec::new();
        assert!(differences(&current, &gone)[0].line(UnitSystem::Metric).ends_with("taken out"));
    }

    #[test]
    fn only_the_weeks_that_change_are_told_with_loads_where_every_workout_has_one() {
        let planned = |id, workout| PlannedWorkout { id: WorkoutId::new(id), workout };
        let current = [
            planned(1, run("2026-06-16", 10.0, Some(60.0))),
            planned(2, run("2026-06-18", 5.0, Some(30.0))),
            planned(3, run("2026-06-23", 8.0, None)),
        ];
        let mut next: Vec<NextWorkout> =
            current.iter().map(|w| NextWorkout { id: Some(w.id), workout: w.workout.clone() }).collect();
        next[0].workout = run("2026-06-16", 6.0, Some(35.0));
        let deltas = week_deltas(&current, &next);
        assert_eq!(deltas.len(), 1);
        assert_eq!((deltas[0].load_before, deltas[0].load_after), (Some(90.0), Some(65.0)));
        assert_eq!(deltas[0].distance_after, Distance::from_km(11.0).unwrap());
        next[2].workout = run("2026-06-24", 8.0, None);
        let deltas = week_deltas(&current, &next);
        assert_eq!((deltas.len(), deltas[1].load_before), (2, None));
    }
}
