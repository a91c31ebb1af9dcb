use super::super::*;
use super::fixtures::*;
use crate::domain::sport::Sport;
use crate::plan::{Level, WorkoutKind};
use Level::{Advanced, Intermediate, Novice};

#[test]
fn a_week_has_rest_days() {
    // Five runs leave two days.
    let full = Made::weeks(&[(40.0, 10.0)]);
    let six = full.clone().with(workout(0, WorkoutKind::Easy, 5.0));
    let seven = six.clone().with(workout(4, WorkoutKind::Easy, 5.0));
    for (level, expected) in [
        (Novice, [SILENT, WARNING, WARNING]),
        (Intermediate, [SILENT, SILENT, WARNING]),
        (Advanced, [SILENT; 3]),
    ] {
        let athlete = of_level(level, 40.0, 10.0);
        for (made, expected) in [&full, &six, &seven].into_iter().zip(expected) {
            assert_eq!(made.says(&athlete, Rule::R17), expected, "{level}");
        }
    }
    // A ride is training, strength work is none, and a written rest day is a rest day.
    let novice = of_level(Novice, 40.0, 10.0);
    let ride = Workout { sport: Sport::Cycling, ..workout(0, WorkoutKind::CrossTraining, 20.0) };
    let strength = Workout { sport: Sport::Strength, ..workout(0, WorkoutKind::Strength, 0.0) };
    assert_eq!(full.clone().with(ride).says(&novice, Rule::R17), WARNING);
    assert_eq!(full.clone().with(strength).says(&novice, Rule::R17), SILENT);
    assert_eq!(full.with(Workout::rest(at(0))).says(&novice, Rule::R17), SILENT);
}

#[test]
fn an_unusual_number_of_runs_is_noted() {
    for (level, low, high) in [(Novice, 3, 5), (Intermediate, 4, 6), (Advanced, 5, 7)] {
        for runs in 1..=7 {
            let workouts = (0..runs).map(|day| workout(day, WorkoutKind::Easy, 5.0)).collect();
            let made = Made { workouts, ..Made::weeks(&[(0.0, 0.0)]) };
            let expected = if (low..=high).contains(&runs) { SILENT } else { NOTE };
            assert_eq!(made.says(&of_level(level, 40.0, 10.0), Rule::R18), expected, "{level} {runs}");
        }
    }
}

#[test]
fn a_day_has_one_run_or_rest() {
    for level in Level::ALL {
        let athlete = of_level(*level, 40.0, 10.0);
        let sound = Made::race(Distance::HALF_MARATHON, &[(40.0, 10.0); 3]);
        assert_eq!(sound.says(&athlete, Rule::R33), SILENT);
        let and = |workout: Workout| {
            let mut made = sound.clone();
            made.workouts.push(workout);
            made.says(&athlete, Rule::R33)
        };
        assert_eq!(and(workout(1, WorkoutKind::Easy, 3.0)), ERROR);
        assert_eq!(
            and(Workout { sport: Sport::Cycling, ..workout(1, WorkoutKind::CrossTraining, 9.0) }),
            SILENT
        );
        assert_eq!(and(Workout::rest(at(1))), ERROR);
        assert_eq!(and(Workout::rest(at(0))), SILENT);
        // Outside the plan.
        assert_eq!(and(workout(-1, WorkoutKind::Easy, 3.0)), ERROR);
        assert_eq!(and(workout(20 + 42, WorkoutKind::Easy, 3.0)), SILENT);
        assert_eq!(and(workout(20 + 43, WorkoutKind::Easy, 3.0)), ERROR);
        // One race on race day, and others before it.
        assert_eq!(and(workout(13, WorkoutKind::Race, 10.0)), ERROR, "with the long run of that day");
        assert_eq!(
            sound.clone().with(workout(13, WorkoutKind::Race, 10.0)).says(&athlete, Rule::R33),
            SILENT
        );
        assert_eq!(and(workout(20, WorkoutKind::Race, 10.0)), ERROR);
        assert_eq!(sound.clone().without(20).says(&athlete, Rule::R33), ERROR);
        assert_eq!(sound.clone().with(workout(20, WorkoutKind::Easy, 10.0)).says(&athlete, Rule::R33), ERROR);
        let no_race = Made { distance: None, ..sound.clone().without(20) };
        assert_eq!(no_race.says(&athlete, Rule::R33), SILENT);
        // A week with nothing in it, not even a day off, is none; and neither is a plan that is a race alone.
        let empty = (7..14).fold(sound.clone(), Made::without);
        assert_eq!(empty.says(&athlete, Rule::R33), ERROR);
        let mut off = empty.clone();
        off.workouts.push(Workout::rest(at(10)));
        assert_eq!(off.says(&athlete, Rule::R33), SILENT);
        assert_eq!((0..20).fold(sound.clone(), Made::without).says(&athlete, Rule::R33), ERROR);
        let no_race = Made { distance: None, ..empty };
        assert_eq!(no_race.without(20).says(&athlete, Rule::R33), SILENT, "race plans only");
    }
}

#[test]
fn a_day_of_training_has_a_possible_length() {
    for level in Level::ALL {
        let athlete = of_level(*level, 40.0, 10.0);
        let plan = |km: f64| Made::weeks(&[(40.0, 10.0)]).with(workout(2, WorkoutKind::Easy, km));
        edges(Rule::R34, &athlete, &[(60.0, SILENT), (60.1, ERROR)], plan);
        let race = Made::race(Distance::from_km(100.0).unwrap(), &[(40.0, 10.0); 3]);
        assert_eq!(race.says(&athlete, Rule::R34), SILENT);
        let beside =
            |km: f64| race.clone().with(Workout { date: race.race, ..workout(0, WorkoutKind::Easy, km) });
        edges(Rule::R34, &athlete, &[(60.0, SILENT), (60.1, ERROR)], beside);
        // By time alone its length comes from the easy pace, and without one it is noted.
        let by_time = Workout {
            distance: None,
            duration: Some(TimeSpan::from_mins(366)),
            ..workout(2, WorkoutKind::Easy, 0.0)
        };
        let made = Made::weeks(&[(40.0, 10.0)]).with(by_time);
        assert_eq!(made.says(&athlete, Rule::R34), ERROR);
        let mut unknown = athlete;
        unknown.runs.iter_mut().for_each(|run| run.duration = None);
        assert_eq!(made.says(&unknown, Rule::R34), NOTE);
        assert_eq!(made.says(&unknown, Rule::R2), SILENT);
    }
}

/// A run of twenty minutes whose one step goes 200 km is one of 200 km.
#[test]
fn steps_that_go_farther_than_the_run_are_what_is_run() {
    use crate::domain::units::TimeSpan;
    use crate::plan::{Step, StepDuration, StepTarget, StepType};
    let step = |meters: f64| Step {
        step_type: StepType::Active,
        duration: StepDuration::Distance(meters),
        target: StepTarget::Open,
        notes: None,
    };
    let athlete = of_level(Intermediate, 50.0, 12.0);
    let with = |meters: f64| {
        let run = Workout {
            distance: None,
            duration: Some(TimeSpan::from_mins(20)),
            steps: vec![step(meters)],
            ..workout(1, WorkoutKind::Easy, 5.0)
        };
        Made::weeks(&[(50.0, 12.0); 3]).with(run)
    };
    assert_eq!(with(200_000.0).says(&athlete, Rule::R34), ERROR);
    assert_eq!(with(20_000.0).says(&athlete, Rule::R1), ERROR);
    assert_eq!(with(5000.0).says(&athlete, Rule::R1), SILENT);
}

#[test]
fn what_is_wrong_in_many_weeks_is_told_once() {
    let made = Made::weeks(&[(90.0, 10.0), (90.0, 10.0), (200.0, 10.0), (400.0, 10.0), (400.0, 10.0)]);
    let findings = made.lint(&of_level(Novice, 40.0, 10.0));
    let said: Vec<&Finding> = findings.iter().filter(|finding| finding.rule == Rule::R2).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!((said[0].day, said[0].value), (Some(at(0)), Some(2.25)));
    assert!(said[0].text.ends_with("40.0 km; 2 more like it."), "{}", said[0].text);
    let order: Vec<(Severity, Rule)> =
        findings.iter().map(|finding| (finding.severity, finding.rule)).collect();
    assert!(order.is_sorted(), "{order:?}");
    assert_eq!(errors(&findings).count(), order.iter().filter(|(s, _)| *s == Severity::Error).count());
}

#[test]
fn rules_about_a_race_are_silent_without_one() {
    let made = Made::weeks(&[(40.0, 10.0); 8]);
    let about_races = [8, 9, 10, 16, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28].map(|n| format!("R{n}"));
    for level in Level::ALL {
        for finding in made.lint(&of_level(*level, 1.0, 0.5)) {
            assert!(!about_races.contains(&finding.rule.to_string()), "{finding:?}");
        }
    }
}

#[test]
fn a_sound_plan_has_no_errors() {
    for level in Level::ALL {
        let (made, athlete) = sound(*level);
        let findings = made.lint(&athlete);
        assert_eq!(errors(&findings).count(), 0, "{findings:?}");
        assert!(findings.len() <= 3, "{findings:?}");
    }
}
