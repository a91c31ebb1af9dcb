//! Manual edits: move, swap, resize, skip or add workouts. All edits of one save make one revision.

use super::draft::check_name;
use super::proposal::{check_next, newly_scheduled, normalize_rest_days};
use super::{DraftError, NextRevisionWorkout, Plan, PlannedWorkout, Workout, WorkoutKind};
use crate::domain::calendar::Day;
use crate::domain::ids::WorkoutId;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::domain::untrusted_text::{capitalize, escape_invisible};
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    Move {
        workout: WorkoutId,
        to: Day,
    },
    /// Exchanges the days of two workouts.
    Swap {
        one: WorkoutId,
        other: WorkoutId,
    },
    Resize {
        workout: WorkoutId,
        /// New distance or duration.
        to: Size,
    },
    /// Removes the workout; recorded activities stay.
    Skip {
        workout: WorkoutId,
    },
    Add {
        workout: Workout,
    },
}

/// New distance or duration of a workout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    Distance(Distance),
    Duration(TimeSpan),
}

impl Workout {
    /// A manually added workout. Without a kind, sports other than running become cross-training or
    /// strength.
    #[must_use]
    pub fn new_manual(
        day: Day,
        sport: Sport,
        asked: WorkoutKind,
        name: Option<&str>,
        size: Option<Size>,
    ) -> Self {
        let kind = match (asked, sport) {
            (WorkoutKind::Easy, Sport::Strength) => WorkoutKind::Strength,
            (WorkoutKind::Easy, sport) if sport != Sport::Running => WorkoutKind::CrossTraining,
            (kind, _) => kind,
        };
        let named = name.map_or_else(|| asked.default_name(sport), str::to_owned);
        let empty = Self { sport, kind, name: named, ..Self::rest(day) };
        let Some(size) = size else { return empty };
        // Keep the athlete's name.
        Self { name: empty.name.clone(), ..empty.resized(size) }
    }
}

impl WorkoutKind {
    /// Display name: `Race pace`.
    #[must_use]
    pub fn label(self) -> String {
        capitalize(&self.as_str().replace('_', " "))
    }

    /// Name of a workout that the athlete has not named: `Long run`.
    fn default_name(self, sport: Sport) -> String {
        match self {
            Self::Easy | Self::Long | Self::Recovery | Self::Tempo if sport == Sport::Running => {
                format!("{} run", self.label())
            }
            Self::Easy | Self::Long | Self::Recovery if matches!(sport, Sport::Cycling | Sport::Swimming) => {
                format!("{} {}", self.label(), sport.title().to_lowercase())
            }
            Self::Easy if sport == Sport::Rowing => "Easy rowing".to_owned(),
            Self::Easy if sport == Sport::Strength => Self::Strength.label(),
            Self::Easy if sport != Sport::Running => Self::CrossTraining.label(),
            _ => self.label(),
        }
    }
}

/// Why an edit is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EditError {
    #[error("nothing to change; move, swap, shorten, skip or add a workout")]
    Nothing,
    #[error("workout {0} is not in the plan")]
    NoSuchWorkout(WorkoutId),
    /// Past workouts cannot be changed.
    #[error("the workout on {0} is in the past and can't be changed")]
    Past(Day),
    /// A workout cannot be moved or added to a past day.
    #[error("{0} is in the past; choose a date from today on")]
    ToPastDay(Day),
    #[error("{day} is after {last}, the last day of the plan; choose an earlier day")]
    After {
        day: Day,
        /// The last day of the plan.
        last: Day,
    },
    #[error("the race itself cannot be changed; draft a new plan for another race")]
    Race,
    #[error("workout {0} cannot be swapped with itself; choose another workout, or move it to another day")]
    SwapWithItself(WorkoutId),
    /// The result would depend on the order of the edits.
    #[error("workout {0} is changed twice, or skipped and changed, in one edit; choose one change")]
    DuplicateEdit(WorkoutId),
    #[error("nothing would change: the plan is already like this")]
    Unchanged,
    #[error("workout {0} is a rest day; add a workout to that day instead")]
    Rest(WorkoutId),
    /// The result is not a valid plan.
    #[error(transparent)]
    InvalidDraft(#[from] DraftError),
}

/// Applies edits in order: all or none. An empty day becomes a rest day; a new workout replaces a
/// rest day.
pub fn edit(
    plan: &Plan,
    current: &[PlannedWorkout],
    edits: &[Edit],
    today: Day,
) -> Result<Vec<NextRevisionWorkout>, EditError> {
    if edits.is_empty() {
        return Err(EditError::Nothing);
    }
    check_conflicting_edits(edits)?;
    // Workouts drafted after the race can be edited, but no edit makes a plan longer.
    let last = current.iter().map(|w| w.workout.date).fold(plan.race_date, Day::max);
    let within = |day: Day| match day > last {
        true => Err(EditError::After { day, last }),
        false if day < today => Err(EditError::ToPastDay(day)),
        false => Ok(()),
    };
    let mut next: Vec<NextRevisionWorkout> =
        current.iter().map(|w| NextRevisionWorkout { id: Some(w.id), workout: w.workout.clone() }).collect();
    for edit in edits {
        match edit {
            Edit::Move { workout, to } => {
                let at = find_editable(plan, &next, *workout, today)?;
                within(*to)?;
                next[at].workout.date = *to;
            }
            Edit::Swap { one, other } => {
                let (one, other) =
                    (find_editable(plan, &next, *one, today)?, find_editable(plan, &next, *other, today)?);
                let day = next[one].workout.date;
                next[one].workout.date = next[other].workout.date;
                next[other].workout.date = day;
            }
            Edit::Resize { workout, to } => {
                let at = find_editable(plan, &next, *workout, today)?;
                next[at].workout = next[at].workout.resized(*to);
            }
            Edit::Skip { workout } => {
                let at = find_editable(plan, &next, *workout, today)?;
                next.remove(at);
            }
            Edit::Add { workout } => {
                within(workout.date)?;
                check_name(&workout.name)?;
                next.push(NextRevisionWorkout { id: None, workout: workout.clone() });
            }
        }
    }
    normalize_rest_days(current, &mut next);
    check_next(plan.start_date, plan.race_date, &next)?;
    if is_unchanged(current, &next) { Err(EditError::Unchanged) } else { Ok(next) }
}

/// Whether nothing changes; such an edit makes no revision.
#[must_use]
pub fn is_unchanged(current: &[PlannedWorkout], next: &[NextRevisionWorkout]) -> bool {
    let there = |new: &NextRevisionWorkout| {
        current.iter().any(|old| new.id == Some(old.id) && old.workout == new.workout)
    };
    current.len() == next.len() && next.iter().all(there)
}

/// In one save a workout can be moved once and resized once, or removed; otherwise the result would
/// depend on the order.
fn check_conflicting_edits(edits: &[Edit]) -> Result<(), EditError> {
    let (mut moved, mut resized, mut skipped) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for edit in edits {
        let new = match edit {
            Edit::Swap { one, other } if one == other => return Err(EditError::SwapWithItself(*one)),
            Edit::Swap { one, other } => [(*one, moved.insert(*one)), (*other, moved.insert(*other))],
            Edit::Move { workout, .. } => [(*workout, moved.insert(*workout)); 2],
            Edit::Resize { workout, .. } => [(*workout, resized.insert(*workout)); 2],
            Edit::Skip { workout } => [(*workout, skipped.insert(*workout)); 2],
            Edit::Add { .. } => continue,
        };
        if let Some((id, _)) = new.iter().find(|(_, new)| !new) {
            return Err(EditError::DuplicateEdit(*id));
        }
    }
    let both = skipped.iter().find(|id| moved.contains(id) || resized.contains(id));
    both.map_or(Ok(()), |id| Err(EditError::DuplicateEdit(*id)))
}

/// Restores an older revision from today on. Workouts on past days stay as they were graded.
pub fn revert(
    plan: &Plan,
    current: &[PlannedWorkout],
    older: &[PlannedWorkout],
    today: Day,
) -> Result<Vec<NextRevisionWorkout>, DraftError> {
    let over = current.iter().filter(|w| w.workout.date < today);
    let kept: BTreeSet<WorkoutId> = over.clone().map(|w| w.id).collect();
    let back = older.iter().filter(|w| w.workout.date >= today && !kept.contains(&w.id));
    let mut next: Vec<NextRevisionWorkout> = over
        .chain(back)
        .map(|w| NextRevisionWorkout { id: Some(w.id), workout: w.workout.clone() })
        .collect();
    next.sort_by_key(|w| w.workout.date);
    check_next(plan.start_date, plan.race_date, &next)?;
    Ok(next)
}

/// Warnings for workouts moved to days on which the athlete does not train. They are allowed.
#[must_use]
pub fn describe_days_off_used(
    plan: &Plan,
    current: &[PlannedWorkout],
    next: &[NextRevisionWorkout],
) -> Vec<String> {
    (newly_scheduled(current, next).iter())
        .filter_map(|new| {
            let problem = plan.terms.availability.unavailable_reason(new.date)?;
            let name = escape_invisible(&new.name);
            Some(format!("{name} would be on {} {}, which is {problem}.", new.date.weekday(), new.date))
        })
        .collect()
}

/// Position of a workout that can be edited.
fn find_editable(
    plan: &Plan,
    next: &[NextRevisionWorkout],
    id: WorkoutId,
    today: Day,
) -> Result<usize, EditError> {
    let at = next.iter().position(|w| w.id == Some(id)).ok_or(EditError::NoSuchWorkout(id))?;
    let workout = &next[at].workout;
    if workout.date < today {
        return Err(EditError::Past(workout.date));
    }
    if plan.is_race(workout) {
        return Err(EditError::Race);
    }
    if workout.is_rest() {
        return Err(EditError::Rest(id));
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::half_marathon;
    use super::*;

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

    fn apply_edits(edits: &[Edit]) -> Result<Vec<(String, Option<i64>, f64)>, EditError> {
        let next = edit(&plan(), &current(), edits, day("2026-06-16"))?;
        let row = |w: &NextRevisionWorkout| {
            let km = w.workout.distance.map_or(0.0, Distance::km);
            (w.workout.date.to_string(), w.id.map(WorkoutId::get), km)
        };
        Ok(next.iter().map(row).collect())
    }

    fn rows(rows: &[(&str, Option<i64>, f64)]) -> Vec<(String, Option<i64>, f64)> {
        rows.iter().map(|(day, id, km)| (format!("2026-06-{day}"), *id, *km)).collect()
    }

    #[test]
    fn move_workout_to_rest_day_swaps_the_rest_day() {
        let moved = apply_edits(&[Edit::Move { workout: WorkoutId::new(1), to: day("2026-06-17") }]).unwrap();
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
            Edit::Add { workout: run(0, "2026-06-20", 6.0).workout },
        ];
        assert_eq!(
            apply_edits(&edits).unwrap(),
            rows(&[
                ("16", Some(3), 5.0),
                ("17", Some(2), 0.0),
                ("18", Some(1), 8.0),
                ("20", None, 6.0),
                ("28", Some(4), 21.0)
            ])
        );
        let skipped = apply_edits(&[Edit::Skip { workout: WorkoutId::new(1) }]).unwrap();
        assert_eq!(skipped[0], rows(&[("16", None, 0.0)])[0], "a day off where it was");
    }

    #[test]
    fn invalid_edit_changes_nothing_and_names_the_reason() {
        let id = WorkoutId::new;
        assert_eq!(apply_edits(&[]), Err(EditError::Nothing));
        assert_eq!(apply_edits(&[Edit::Skip { workout: id(9) }]), Err(EditError::NoSuchWorkout(id(9))));
        assert_eq!(apply_edits(&[Edit::Skip { workout: id(4) }]), Err(EditError::Race));
        assert_eq!(apply_edits(&[Edit::Skip { workout: id(2) }]), Err(EditError::Rest(id(2))));
        let past = day("2026-06-15");
        assert_eq!(apply_edits(&[Edit::Move { workout: id(1), to: past }]), Err(EditError::ToPastDay(past)));
        let later = edit(&plan(), &current(), &[Edit::Skip { workout: id(1) }], day("2026-06-17"));
        assert_eq!(later, Err(EditError::Past(day("2026-06-16"))));
        let after = |late: &str| Err(EditError::After { day: day(late), last: day("2026-06-28") });
        for late in ["2026-06-29", "2026-12-24"] {
            assert_eq!(apply_edits(&[Edit::Move { workout: id(1), to: day(late) }]), after(late));
            assert_eq!(apply_edits(&[Edit::Add { workout: run(0, late, 6.0).workout }]), after(late));
        }
    }

    #[test]
    fn workouts_drafted_after_the_race_can_be_edited() {
        let mut with_more = current();
        with_more.push(run(5, "2026-07-02", 4.0));
        let moved = |to: &str| {
            let edit_it = Edit::Move { workout: WorkoutId::new(5), to: day(to) };
            edit(&plan(), &with_more, &[edit_it], day("2026-06-16")).map(drop)
        };
        assert_eq!(moved("2026-07-01"), Ok(()));
        let last = day("2026-07-02");
        assert_eq!(moved("2026-07-03"), Err(EditError::After { day: day("2026-07-03"), last }));
    }

    #[test]
    fn edits_without_effect_or_in_conflict_are_refused() {
        let id = WorkoutId::new;
        let far = |km: f64| Size::Distance(Distance::from_km(km).unwrap());
        let moved = |workout: i64, to: &str| Edit::Move { workout: id(workout), to: day(to) };
        assert_eq!(
            apply_edits(&[Edit::Swap { one: id(1), other: id(1) }]),
            Err(EditError::SwapWithItself(id(1)))
        );
        assert_eq!(apply_edits(&[moved(1, "2026-06-16")]), Err(EditError::Unchanged));
        assert_eq!(apply_edits(&[Edit::Resize { workout: id(1), to: far(8.0) }]), Err(EditError::Unchanged));
        for twice in [
            [Edit::Skip { workout: id(1) }, moved(1, "2026-06-20")],
            [Edit::Skip { workout: id(1) }, Edit::Resize { workout: id(1), to: far(5.0) }],
            [Edit::Skip { workout: id(1) }, Edit::Swap { one: id(3), other: id(1) }],
            [moved(1, "2026-06-20"), moved(1, "2026-06-21")],
            [moved(1, "2026-06-20"), Edit::Swap { one: id(1), other: id(3) }],
            [Edit::Resize { workout: id(1), to: far(5.0) }, Edit::Resize { workout: id(1), to: far(6.0) }],
            [Edit::Skip { workout: id(1) }, Edit::Skip { workout: id(1) }],
        ] {
            assert_eq!(apply_edits(&twice), Err(EditError::DuplicateEdit(id(1))), "{twice:?}");
            let turned: Vec<Edit> = twice.iter().rev().cloned().collect();
            assert_eq!(apply_edits(&turned), Err(EditError::DuplicateEdit(id(1))), "{turned:?}");
        }
        // Moving and resizing can be combined.
        let both =
            apply_edits(&[moved(1, "2026-06-20"), Edit::Resize { workout: id(1), to: far(5.0) }]).unwrap();
        assert!(both.contains(&("2026-06-20".to_owned(), Some(1), 5.0)), "{both:?}");
    }

    #[test]
    fn revert_keeps_past_days() {
        let older = current();
        let mut now = current();
        now[0].workout = run(1, "2026-06-16", 5.0).workout;
        now[2].workout = run(3, "2026-06-20", 4.0).workout;
        let rows_of = |next: &[NextRevisionWorkout]| -> Vec<(String, Option<i64>, f64)> {
            let km = |w: &NextRevisionWorkout| w.workout.distance.map_or(0.0, Distance::km);
            next.iter().map(|w| (w.workout.date.to_string(), w.id.map(WorkoutId::get), km(w))).collect()
        };
        let on = |now: &[PlannedWorkout], day: &str| {
            rows_of(&revert(&plan(), now, &older, day.parse().unwrap()).unwrap())
        };
        let race = ("28", Some(4), 21.0);
        assert_eq!(
            on(&now, "2026-06-16"),
            rows(&[("16", Some(1), 8.0), ("17", Some(2), 0.0), ("18", Some(3), 10.0), race])
        );
        assert_eq!(
            on(&now, "2026-06-17"),
            rows(&[("16", Some(1), 5.0), ("17", Some(2), 0.0), ("18", Some(3), 10.0), race])
        );
        // Its earlier day has passed: there is nothing to restore.
        assert_eq!(on(&now, "2026-06-19"), rows(&[("16", Some(1), 5.0), ("17", Some(2), 0.0), race]));
        // It was done on its new day and must not appear twice.
        now[2].workout.date = day("2026-06-17");
        assert_eq!(
            on(&now, "2026-06-18"),
            rows(&[("16", Some(1), 5.0), ("17", Some(2), 0.0), ("17", Some(3), 4.0), race])
        );
    }

    #[test]
    fn added_workout_keeps_the_athletes_name() {
        let added = |name: &str| {
            let size = Some(Size::Distance(Distance::from_km(6.0).unwrap()));
            let on = day("2026-06-20");
            Edit::Add {
                workout: Workout::new_manual(on, Sport::Running, WorkoutKind::Easy, Some(name), size),
            }
        };
        let named = |name: &str| {
            let next = edit(&plan(), &current(), &[added(name)], day("2026-06-16"))?;
            Ok::<_, EditError>(next.into_iter().find(|w| w.id.is_none()).unwrap().workout.name)
        };
        assert_eq!(named("5 x 1000 m of love").as_deref(), Ok("5 x 1000 m of love"));
        let long = "a".repeat(121);
        assert!(matches!(named(&long), Err(EditError::InvalidDraft(DraftError::Workout { .. }))));
        assert!(matches!(named("a\u{202e}b"), Err(EditError::InvalidDraft(DraftError::HiddenCharacters(_)))));
    }

    #[test]
    fn manual_workout_is_named_after_what_was_chosen() {
        let name = |sport, kind| Workout::new_manual(day("2026-06-18"), sport, kind, None, None).name;
        assert_eq!(name(Sport::Running, WorkoutKind::Easy), "Easy run");
        assert_eq!(name(Sport::Cycling, WorkoutKind::Easy), "Easy ride");
        assert_eq!(name(Sport::Swimming, WorkoutKind::Long), "Long swim");
        assert_eq!(name(Sport::Rowing, WorkoutKind::Easy), "Easy rowing");
        assert_eq!(name(Sport::Strength, WorkoutKind::Easy), "Strength");
        assert_eq!(name(Sport::Other, WorkoutKind::Easy), "Cross training");
    }

    #[test]
    fn workout_on_a_day_off_is_allowed_and_reported() {
        let mut plan = plan();
        plan.terms.availability.days = "mon,tue,thu,sat,sun".parse().unwrap();
        plan.terms.availability.blackouts = [day("2026-06-20")].into();
        let id = WorkoutId::new;
        let notes = |edits: &[Edit]| {
            let next = edit(&plan, &current(), edits, day("2026-06-16")).unwrap();
            describe_days_off_used(&plan, &current(), &next)
        };
        assert_eq!(
            notes(&[Edit::Move { workout: id(1), to: day("2026-06-17") }]),
            ["Run would be on Wed 2026-06-17, which is not one of your training days."]
        );
        let blocked = Edit::Add { workout: run(0, "2026-06-20", 6.0).workout };
        assert_eq!(notes(&[blocked]), ["Run would be on Sat 2026-06-20, which is a day you blocked."]);
        let free = Edit::Move { workout: id(1), to: day("2026-06-22") };
        assert_eq!(notes(&[free]), [""; 0]);
    }
}
