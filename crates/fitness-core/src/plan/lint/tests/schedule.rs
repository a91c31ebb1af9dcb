use super::super::*;
use super::fixtures::*;
use crate::domain::sport::Sport;
use crate::plan::{Level, WorkoutKind};
use Level::{Advanced, Intermediate, Novice};

#[test]
fn too_few_rest_days_are_found() {
    // Five runs leave two rest days.
    let full = PlanFixture::weeks(&[(40.0, 10.0)]);
    let six = full.clone().with(workout(0, WorkoutKind::Easy, 5.0));
    let seven = six.clone().with(workout(4, WorkoutKind::Easy, 5.0));
    for (level, expected) in [
        (Novice, [NO_FINDING, WARNING, WARNING]),
        (Intermediate, [NO_FINDING, NO_FINDING, WARNING]),
        (Advanced, [NO_FINDING; 3]),
    ] {
        let athlete = athlete_at_level(level, 50.0, 10.0);
        for (made, expected) in [&full, &six, &seven].into_iter().zip(expected) {
            assert_eq!(made.severity_of(&athlete, LintRule::RestDays), expected, "{level}");
        }
    }
    // A ride counts as training, strength does not, and a listed rest day is a rest day.
    let novice = athlete_at_level(Novice, 40.0, 10.0);
    let ride = Workout { sport: Sport::Cycling, ..workout(0, WorkoutKind::CrossTraining, 20.0) };
    let strength = Workout { sport: Sport::Strength, ..workout(0, WorkoutKind::Strength, 0.0) };
    assert_eq!(full.clone().with(ride).severity_of(&novice, LintRule::RestDays), WARNING);
    assert_eq!(full.clone().with(strength).severity_of(&novice, LintRule::RestDays), NO_FINDING);
    assert_eq!(full.with(Workout::rest(plan_day(0))).severity_of(&novice, LintRule::RestDays), NO_FINDING);
}

#[test]
fn an_unusual_number_of_runs_is_noted() {
    for (level, low, high) in [(Novice, 3, 5), (Intermediate, 4, 6), (Advanced, 5, 7)] {
        for runs in 1..=7 {
            let workouts = (0..runs).map(|day| workout(day, WorkoutKind::Easy, 5.0)).collect();
            let made = PlanFixture { workouts, ..PlanFixture::weeks(&[(0.0, 0.0)]) };
            let expected = if (low..=high).contains(&runs) { NO_FINDING } else { NOTE };
            assert_eq!(
                made.severity_of(&athlete_at_level(level, 50.0, 10.0), LintRule::RunsPerWeek),
                expected,
                "{level} {runs}"
            );
        }
    }
}

#[test]
fn conflicting_workouts_on_a_day_are_errors() {
    for level in Level::ALL {
        let athlete = athlete_at_level(*level, 50.0, 10.0);
        let sound = PlanFixture::race(Distance::HALF_MARATHON, &[(40.0, 10.0); 3]);
        assert_eq!(sound.severity_of(&athlete, LintRule::DayConflict), NO_FINDING);
        let and = |workout: Workout| {
            let mut made = sound.clone();
            made.workouts.push(workout);
            made.severity_of(&athlete, LintRule::DayConflict)
        };
        assert_eq!(and(workout(1, WorkoutKind::Easy, 3.0)), ERROR);
        assert_eq!(
            and(Workout { sport: Sport::Cycling, ..workout(1, WorkoutKind::CrossTraining, 9.0) }),
            NO_FINDING
        );
        assert_eq!(and(Workout::rest(plan_day(1))), ERROR);
        assert_eq!(and(Workout::rest(plan_day(0))), NO_FINDING);
        // Outside the dates of the plan.
        assert_eq!(and(workout(-1, WorkoutKind::Easy, 3.0)), ERROR);
        assert_eq!(and(workout(20 + 42, WorkoutKind::Easy, 3.0)), NO_FINDING);
        assert_eq!(and(workout(20 + 43, WorkoutKind::Easy, 3.0)), ERROR);
        // One race on race day, and others before it.
        assert_eq!(and(workout(13, WorkoutKind::Race, 10.0)), ERROR, "with the long run of that day");
        assert_eq!(
            sound
                .clone()
                .with(workout(13, WorkoutKind::Race, 10.0))
                .severity_of(&athlete, LintRule::DayConflict),
            NO_FINDING
        );
        assert_eq!(and(workout(20, WorkoutKind::Race, 10.0)), ERROR);
        assert_eq!(sound.clone().without(20).severity_of(&athlete, LintRule::DayConflict), ERROR);
        assert_eq!(
            sound
                .clone()
                .with(workout(20, WorkoutKind::Easy, 10.0))
                .severity_of(&athlete, LintRule::DayConflict),
            ERROR
        );
        let no_race = PlanFixture { distance: None, ..sound.clone().without(20) };
        assert_eq!(no_race.severity_of(&athlete, LintRule::DayConflict), NO_FINDING);
        // An empty week, without even a rest day, is an error; so is a plan with only the race.
        let empty = (7..14).fold(sound.clone(), PlanFixture::without);
        assert_eq!(empty.severity_of(&athlete, LintRule::DayConflict), ERROR);
        let mut off = empty.clone();
        off.workouts.push(Workout::rest(plan_day(10)));
        assert_eq!(off.severity_of(&athlete, LintRule::DayConflict), NO_FINDING);
        assert_eq!(
            (0..20).fold(sound.clone(), PlanFixture::without).severity_of(&athlete, LintRule::DayConflict),
            ERROR
        );
        let no_race = PlanFixture { distance: None, ..empty };
        assert_eq!(
            no_race.without(20).severity_of(&athlete, LintRule::DayConflict),
            NO_FINDING,
            "race plans only"
        );
    }
}

#[test]
fn a_day_of_training_has_a_possible_length() {
    for level in Level::ALL {
        let athlete = athlete_at_level(*level, 50.0, 10.0);
        let plan = |km: f64| PlanFixture::weeks(&[(40.0, 10.0)]).with(workout(2, WorkoutKind::Easy, km));
        assert_severities(
            LintRule::ImplausibleDayLength,
            &athlete,
            &[(60.0, NO_FINDING), (60.1, ERROR)],
            plan,
        );
        let race = PlanFixture::race(Distance::from_km(100.0).unwrap(), &[(40.0, 10.0); 3]);
        assert_eq!(race.severity_of(&athlete, LintRule::ImplausibleDayLength), NO_FINDING);
        let beside =
            |km: f64| race.clone().with(Workout { date: race.race, ..workout(0, WorkoutKind::Easy, km) });
        assert_severities(
            LintRule::ImplausibleDayLength,
            &athlete,
            &[(60.0, NO_FINDING), (60.1, ERROR)],
            beside,
        );
        // A run by time gets its distance from the easy pace; without one there is a note.
        let by_time = Workout {
            distance: None,
            duration: Some(TimeSpan::from_mins(366)),
            ..workout(2, WorkoutKind::Easy, 0.0)
        };
        let made = PlanFixture::weeks(&[(40.0, 10.0)]).with(by_time);
        assert_eq!(made.severity_of(&athlete, LintRule::ImplausibleDayLength), ERROR);
        let mut unknown = athlete;
        unknown.runs.iter_mut().for_each(|run| run.duration = None);
        assert_eq!(made.severity_of(&unknown, LintRule::ImplausibleDayLength), NOTE);
        assert_eq!(made.severity_of(&unknown, LintRule::WeeklyVolumeJump), NO_FINDING);
    }
}

/// A run of twenty minutes with one step of 200 km counts as 200 km.
#[test]
fn steps_longer_than_the_workout_count_as_its_distance() {
    use crate::domain::units::TimeSpan;
    use crate::plan::{Step, StepDuration, StepTarget, StepType};
    let step = |meters: f64| Step {
        step_type: StepType::Active,
        duration: StepDuration::Distance(meters),
        target: StepTarget::Open,
        max_heart_rate: None,
        notes: None,
    };
    let athlete = athlete_at_level(Intermediate, 50.0, 12.0);
    let with = |meters: f64| {
        let run = Workout {
            distance: None,
            duration: Some(TimeSpan::from_mins(20)),
            steps: vec![step(meters)],
            ..workout(1, WorkoutKind::Easy, 5.0)
        };
        PlanFixture::weeks(&[(50.0, 12.0); 3]).with(run)
    };
    assert_eq!(with(200_000.0).severity_of(&athlete, LintRule::ImplausibleDayLength), ERROR);
    assert_eq!(with(20_000.0).severity_of(&athlete, LintRule::LongestRunJump), ERROR);
    assert_eq!(with(5000.0).severity_of(&athlete, LintRule::LongestRunJump), NO_FINDING);
}

#[test]
fn finding_in_many_weeks_is_reported_once() {
    let made = PlanFixture::weeks(&[(90.0, 10.0), (90.0, 10.0), (200.0, 10.0), (400.0, 10.0), (400.0, 10.0)]);
    let findings = made.lint(&athlete_at_level(Novice, 40.0, 10.0));
    let said: Vec<&Finding> =
        findings.iter().filter(|finding| finding.rule == LintRule::WeeklyVolumeJump).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!((said[0].day, said[0].value), (Some(plan_day(0)), Some(2.25)));
    assert!(said[0].text.ends_with("(40.0 km) (also in 2 more weeks)."), "{}", said[0].text);
    let order: Vec<(Severity, LintRule)> =
        findings.iter().map(|finding| (finding.severity, finding.rule)).collect();
    assert!(order.is_sorted(), "{order:?}");
    assert_eq!(errors(&findings).count(), order.iter().filter(|(s, _)| *s == Severity::Error).count());
}

#[test]
fn rules_about_a_race_are_silent_without_one() {
    let made = PlanFixture::weeks(&[(40.0, 10.0); 8]);
    let made = PlanFixture { target: Some(TimeSpan::from_mins(100)), ..made };
    let about_races = [8, 9, 10, 16, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 37, 38].map(|n| format!("R{n}"));
    let novice = athlete_at_level(Novice, 1.0, 0.5);
    for athlete in [novice, athlete(Intermediate), athlete(Advanced)] {
        for finding in made.lint(&athlete) {
            assert!(!about_races.contains(&finding.rule.to_string()), "{finding:?}");
        }
    }
}

#[test]
fn a_sound_plan_has_no_errors() {
    for level in Level::ALL {
        let (made, athlete) = sound_plan(*level);
        let findings = made.lint(&athlete);
        assert_eq!(errors(&findings).count(), 0, "{findings:?}");
        assert!(findings.len() <= 3, "{findings:?}");
    }
}
