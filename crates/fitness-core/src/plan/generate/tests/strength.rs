//! Placement and load of strength, cross-training and tune-up races.

use super::super::strength::is_demanding;
use super::athletes::{plan_request, runner, with_result};
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::{GoalDistance, TuneUp, WorkoutKind, generate, race_weeks};

#[test]
fn strength_is_never_on_the_eve_of_something_demanding() {
    for (km, runs, days) in [
        (26.0, 4, "mon,tue,wed,thu,fri,sat,sun"),
        (52.0, 5, "tue,wed,thu,sat,sun"),
        (95.0, 6, "mon,tue,wed,thu,fri,sat,sun"),
    ] {
        for goal in [GoalDistance::FiveK, GoalDistance::Half, GoalDistance::Full] {
            let mut asked = plan_request(goal, 16 * 7 - 1);
            asked.strength = true;
            asked.availability.days = days.parse().unwrap();
            let on = asked.start.plus_days(8 * 7 - 1);
            asked.tune_up = Some(TuneUp { on, distance: Distance::from_km(5.0).unwrap() });
            let plan =
                generate(&asked, &with_result(runner(km, runs, 60), goal.distance().unwrap())).unwrap();
            let workouts = plan.draft.workouts();
            let strength: Vec<_> = workouts.iter().filter(|w| w.sport == Sport::Strength).collect();
            let label = format!("{goal} from {km} km on {days}");
            assert!(strength.len() >= 12, "{label}: {} in 15 weeks", strength.len());
            for session in &strength {
                let eve = session.date.next();
                let next = workouts.iter().find(|w| w.date == eve && is_demanding(w.kind));
                assert_eq!(next, None, "{label}");
                let run = workouts.iter().any(|w| w.date == session.date && w.sport == Sport::Running);
                assert!(run, "{label}: {} is a day off", session.date);
            }
            for week in race_weeks(asked.start, asked.race) {
                let count = strength.iter().filter(|w| week.contains(w.date)).count();
                assert!(count <= 2, "{label}: {count} in the week from {}", week.first);
            }
        }
    }
}

#[test]
fn everything_that_is_trained_has_a_load() {
    let mut asked = plan_request(GoalDistance::Half, 14 * 7 - 1);
    asked.strength = true;
    asked.cross = Some(Sport::Cycling);
    asked.tune_up =
        Some(TuneUp { on: asked.start.plus_days(55), distance: Distance::from_km(10.0).unwrap() });
    for athlete in [runner(45.0, 4, 60), with_result(runner(45.0, 4, 60), Distance::HALF_MARATHON)] {
        let plan = generate(&asked, &athlete).unwrap();
        let load = |kind: WorkoutKind| {
            let found = plan.draft.workouts().iter().find(|workout| workout.kind == kind);
            found.unwrap_or_else(|| panic!("no {kind}")).load.unwrap_or_else(|| panic!("{kind} without load"))
        };
        assert!(plan.draft.workouts().iter().all(|w| w.is_rest() || w.load.is_some()));
        // 25 minutes of strength, 40 of cycling, most of an hour of racing.
        assert_eq!((load(WorkoutKind::Strength), load(WorkoutKind::CrossTraining)), (11.0, 29.0));
        assert!((50.0..110.0).contains(&load(WorkoutKind::Race)), "{}", load(WorkoutKind::Race));
    }
    // Without a known load per hour, no load is given.
    let mut unknown = runner(45.0, 4, 60);
    unknown.load_per_hour = None;
    let plan = generate(&asked, &unknown).unwrap();
    assert!(plan.draft.workouts().iter().filter(|w| w.kind != WorkoutKind::Race).all(|w| w.load.is_none()));
}
