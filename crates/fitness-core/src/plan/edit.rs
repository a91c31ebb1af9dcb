//! The athlete's own hand: move, swap, shorten, skip or add a workout. One save, however many edits, is one revision.

use super::proposal::{check_next, rest_gives_way};
use super::{BadDraft, NextWorkout, Plan, PlannedWorkout, Step, StepDuration, StepType, Workout};
use crate::calendar::Day;
use crate::ids::WorkoutId;
use crate::units::{Distance, TimeSpan};
use std::collections::BTreeSet;

/// One change by hand.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// To another day.
    Move {
        /// Which workout.
        workout: WorkoutId,
        /// Where to.
        to: Day,
    },
    /// Two workouts change days with each other.
    Swap {
        /// One.
        one: WorkoutId,
        /// The other.
        other: WorkoutId,
    },
    /// Shorter, or longer.
    Resize {
        /// Which workout.
        workout: WorkoutId,
        /// How much of it is left.
        to: Size,
    },
    /// Taken out of the plan; what was done stays in the history.
    Skip {
        /// Which workout.
        workout: WorkoutId,
    },
    /// One more.
    Add {
        /// What.
        workout: Workout,
    },
}

/// How far or how long a workout is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// So far.
    Distance(Distance),
    /// So long.
    Duration(TimeSpan),
}

/// Why an edit cannot be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EditError {
    /// There is nothing to change.
    #[error("say what to change: move, swap, shorten, skip or add a workout")]
    Nothing,
    /// The plan has no such workout.
    #[error("workout {0} is not in the plan; `fitness plan show` lists them with their numbers")]
    NoSuchWorkout(WorkoutId),
    /// What was planned for a day that is over stays.
    #[error("{0} is over; what was planned for it stays as it is")]
    Past(Day),
    /// The race is where it is.
    #[error("the race itself stays on its day; draft a new plan for another race")]
    Race,
    /// A day off has nothing to change.
    #[error("workout {0} is a day off; add a workout to that day instead")]
    Rest(WorkoutId),
    /// What would come out is not a plan.
    #[error(transparent)]
    Unsound(#[from] BadDraft),
}

/// Applies edits in order: whole or not at all. A day that is left empty becomes a day off, and a day off gives way.
///
/// # Errors
/// Names the first edit that cannot be.
pub fn edit(
    plan: &Plan,
    current: &[PlannedWorkout],
    edits: &[Edit],
    today: Day,
) -> Result<Vec<NextWorkout>, EditError> {
    if edits.is_empty() {
        return Err(EditError::Nothing);
    }
    let mut next: Vec<NextWorkout> =
        current.iter().map(|w| NextWorkout { id: Some(w.id), workout: w.workout.clone() }).collect();
    for edit in edits {
        match edit {
            Edit::Move { workout, to } => {
                let at = find(plan, &next, *workout, today)?;
                not_past(*to, today)?;
                next[at].workout.date = *to;
            }
            Edit::Swap { one, other } => {
                let (one, other) = (find(plan, &next, *one, today)?, find(plan, &next, *other, today)?);
                let day = next[one].workout.date;
                next[one].workout.date = next[other].workout.date;
                next[other].workout.date = day;
            }
            Edit::Resize { workout, to } => {
                let at = find(plan, &next, *workout, today)?;
                next[at].workout = next[at].workout.resized(*to);
            }
            Edit::Skip { workout } => {
                let at = find(plan, &next, *workout, today)?;
                next.remove(at);
            }
            Edit::Add { workout } => {
                not_past(workout.date, today)?;
                next.push(NextWorkout { id: None, workout: workout.clone() });
            }
        }
    }
    settle_rest(current, &mut next);
    check_next(plan.start_date, plan.race_date, &next)?;
    Ok(next)
}

/// Where a workout is that may be changed.
fn find(plan: &Plan, next: &[NextWorkout], id: WorkoutId, today: Day) -> Result<usize, EditError> {
    let at = next.iter().position(|w| w.id == Some(id)).ok_or(EditError::NoSuchWorkout(id))?;
    let workout = &next[at].workout;
    not_past(workout.date, today)?;
    if plan.is_race(workout) {
        return Err(EditError::Race);
    }
    if workout.is_rest() {
        return Err(EditError::Rest(id));
    }
    Ok(at)
}

fn not_past(day: Day, today: Day) -> Result<(), EditError> {
    if day < today { Err(EditError::Past(day)) } else { Ok(()) }
}

/// Days off follow what is there: one where a day was left empty, none beside a workout.
fn settle_rest(current: &[PlannedWorkout], next: &mut Vec<NextWorkout>) {
    rest_gives_way(next);
    let listed: BTreeSet<Day> = next.iter().map(|w| w.workout.date).collect();
    let empty: BTreeSet<Day> =
        current.iter().map(|w| w.workout.date).filter(|day| !listed.contains(day)).collect();
    next.extend(empty.into_iter().map(|day| NextWorkout { id: None, workout: Workout::rest(day) }));
    next.sort_by_key(|w| w.workout.date);
}

impl Workout {
    /// The same session, shorter or longer: distance, time and load in proportion, and as many repetitions as fit.
    #[must_use]
    pub fn resized(&self, to: Size) -> Self {
        let share = match (to, self.distance, self.duration) {
            (Size::Distance(to), Some(old), _) if old > Distance::ZERO => to.mm() as f64 / old.mm() as f64,
            (Size::Duration(to), _, Some(old)) if old > TimeSpan::ZERO => to.ms() as f64 / old.ms() as f64,
            // It says nothing in that measure: the other is dropped, so that nothing contradicts.
            (Size::Distance(to), ..) => return self.sized(Some(to), None),
            (Size::Duration(to), ..) => return self.sized(None, Some(to)),
        };
        let scale_mm = |d: Distance| Distance::from_meters(d.meters() * share);
        let scale_ms = |t: TimeSpan| TimeSpan::from_seconds((t.seconds() * share / 60.0).round() * 60.0);
        let (distance, duration) = match to {
            Size::Distance(to) => (Some(to), self.duration.and_then(scale_ms)),
            Size::Duration(to) => (self.distance.and_then(scale_mm), Some(to)),
        };
        Self {
            load: self.load.map(|load| (load * share).min(500.0).round()),
            steps: resized_steps(&self.steps, share),
            ..self.sized(distance, duration)
        }
    }

    fn sized(&self, distance: Option<Distance>, duration: Option<TimeSpan>) -> Self {
        let step = match (distance, duration) {
            (Some(distance), _) => StepDuration::Distance(distance.meters()),
            (None, Some(duration)) => StepDuration::Time(duration.seconds()),
            (None, None) => StepDuration::Open,
        };
        let notes = self.intensity.clone();
        let target = super::StepTarget::Open;
        let steps = vec![Step { step_type: StepType::Active, duration: step, target, notes }];
        Self { distance, duration, load: None, steps, ..self.clone() }
    }
}

/// The steps of a session that is a share of what it was. Hard stretches keep their length: there are fewer of them, at
/// least one; the way in and out shrinks. More than it was makes only the way in and out longer.
fn resized_steps(steps: &[Step], share: f64) -> Vec<Step> {
    let scaled = |step: &Step| {
        let duration = match step.duration {
            StepDuration::Time(s) => StepDuration::Time((s * share / 10.0).round().max(1.0) * 10.0),
            StepDuration::Distance(m) => StepDuration::Distance((m * share / 100.0).round().max(1.0) * 100.0),
            StepDuration::Calories(c) => StepDuration::Calories((c * share).round().max(1.0)),
            StepDuration::Open => StepDuration::Open,
        };
        Step { duration, ..step.clone() }
    };
    let work = steps.iter().filter(|step| step.step_type == StepType::Active).count();
    if work <= 1 {
        return steps.iter().map(scaled).collect();
    }
    let kept = if share < 1.0 { ((work as f64 * share).floor() as usize).max(1) } else { work };
    let mut seen = 0;
    let mut resized = Vec::new();
    for step in steps {
        match step.step_type {
            StepType::Active => {
                seen += 1;
                if seen <= kept {
                    resized.push(step.clone());
                }
            }
            // A pause lies between two stretches that are still there.
            StepType::Recovery | StepType::Rest if seen < kept || seen == 0 || work == kept => {
                resized.push(step.clone());
            }
            StepType::Recovery | StepType::Rest => {}
            StepType::Warmup | StepType::Cooldown => resized.push(scaled(step)),
        }
    }
    resized
}

#[cfg(test)]
mod tests {
    use super::super::made::half_marathon;
    use super::super::{StepTarget, WorkoutKind};
    use super::*;
    use crate::sport::Sport;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    fn plan() -> Plan {
        Plan { race_date: day("2026-06-28"), ..half_marathon() }
    }

    fn run(id: i64, date: &str, km: f64) -> PlannedWorkout {
        PlannedWorkout {
            id: WorkoutId::new(id),
            workout: Workout {
                sport: Sport::Running,
                kind: WorkoutKind::Easy,
                name: "Run".to_owned(),
                distance: Distance::from_km(km),
                ..Workout::rest(day(date))
            },
        }
    }

    /// 16 June a run, 17 off, 18 a run, 28 the race.
    fn current() -> Vec<PlannedWorkout> {
        let rest = PlannedWorkout { id: WorkoutId::new(2), workout: Workout::rest(day("2026-06-17")) };
        let mut race = run(4, "2026-06-28", 21.0);
        race.workout.kind = WorkoutKind::Race;
        vec![run(1, "2026-06-16", 8.0), rest, run(3, "2026-06-18", 10.0), race]
    }

    fn edited(edits: &[Edit]) -> Result<Vec<(String, Option<i64>, f64)>, EditError> {
        let next = edit(&plan(), &current(), edits, day("2026-06-16"))?;
        let row = |w: &NextWorkout| {
            let km = w.workout.distance.map_or(0.0, Distance::km);
            (w.workout.date.to_string(), w.id.map(WorkoutId::get), km)
        };
        Ok(next.iter().map(row).collect())
    }

    fn rows(rows: &[(&str, Option<i64>, f64)]) -> Vec<(String, Option<i64>, f64)> {
        rows.iter().map(|(day, id, km)| (format!("2026-06-{day}"), *id, *km)).collect()
    }

    #[test]
    fn a_moved_workout_takes_a_day_off_and_leaves_one() {
        let moved = edited(&[Edit::Move { workout: WorkoutId::new(1), to: day("2026-06-17") }]).unwrap();
        assert_eq!(
            moved,
            rows(&[("16", None, 0.0), ("17", Some(1), 8.0), ("18", Some(3), 10.0), ("28", Some(4), 21.0)])
        );
    }

    #[test]
    fn several_edits_are_one_save() {
        let edits = [
            Edit::Swap { one: WorkoutId::new(1), other: WorkoutId::new(3) },
            Edit::Resize { workout: WorkoutId::new(3), to: Size::Distance(Distance::from_km(5.0).unwrap()) },
            Edit::Skip { workout: WorkoutId::new(1) },
            Edit::Add { workout: run(0, "2026-06-20", 6.0).workout },
        ];
        assert_eq!(
            edited(&edits).unwrap(),
            rows(&[
                ("16", Some(3), 5.0),
                ("17", Some(2), 0.0),
                ("18", None, 0.0),
                ("20", None, 6.0),
                ("28", Some(4), 21.0)
            ])
        );
    }

    #[test]
    fn what_cannot_be_changes_nothing_and_says_why() {
        let id = WorkoutId::new;
        assert_eq!(edited(&[]), Err(EditError::Nothing));
        assert_eq!(edited(&[Edit::Skip { workout: id(9) }]), Err(EditError::NoSuchWorkout(id(9))));
        assert_eq!(edited(&[Edit::Skip { workout: id(4) }]), Err(EditError::Race));
        assert_eq!(edited(&[Edit::Skip { workout: id(2) }]), Err(EditError::Rest(id(2))));
        let past = day("2026-06-15");
        assert_eq!(edited(&[Edit::Move { workout: id(1), to: past }]), Err(EditError::Past(past)));
        let later = edit(&plan(), &current(), &[Edit::Skip { workout: id(1) }], day("2026-06-17"));
        assert_eq!(later, Err(EditError::Past(day("2026-06-16"))));
        let far = Edit::Move { workout: id(1), to: day("2026-12-24") };
        assert!(matches!(edited(&[far]), Err(EditError::Unsound(BadDraft::Outside { .. }))));
    }

    #[test]
    fn a_shorter_interval_session_has_fewer_repetitions_of_the_same_length() {
        let step = |step_type, duration| Step { step_type, duration, target: StepTarget::Open, notes: None };
        let mut steps = vec![step(StepType::Warmup, StepDuration::Distance(2000.0))];
        for rep in 0..5 {
            if rep > 0 {
                steps.push(step(StepType::Recovery, StepDuration::Time(120.0)));
            }
            steps.push(step(StepType::Active, StepDuration::Distance(1000.0)));
        }
        steps.push(step(StepType::Cooldown, StepDuration::Distance(2000.0)));
        let mut session = run(1, "2026-06-16", 10.0).workout;
        session.duration = Some(TimeSpan::from_mins(60));
        session.load = Some(80.0);
        session.steps = steps;
        let shorter = session.resized(Size::Duration(TimeSpan::from_mins(39)));
        assert_eq!(shorter.duration, Some(TimeSpan::from_mins(39)));
        assert_eq!(shorter.distance, Distance::from_km(6.5));
        assert_eq!(shorter.load, Some(52.0));
        let active: Vec<_> = shorter.steps.iter().filter(|s| s.step_type == StepType::Active).collect();
        assert_eq!(active.len(), 3);
        assert!(active.iter().all(|s| s.duration == StepDuration::Distance(1000.0)));
        assert_eq!(shorter.steps.iter().filter(|s| s.step_type == StepType::Recovery).count(), 2);
        assert_eq!(shorter.steps.last().unwrap().duration, StepDuration::Distance(1300.0));
        assert_eq!(shorter.check(), Ok(()));
        // In another measure than it has: that one alone is left.
        let timed =
            Workout { distance: None, ..session }.resized(Size::Distance(Distance::from_km(4.0).unwrap()));
        assert_eq!((timed.distance, timed.duration), (Distance::from_km(4.0), None));
    }
}
