use super::super::*;
use super::fixtures::*;
use crate::plan::{Level, StepType, WorkoutKind};
use Level::{Advanced, Intermediate, Novice};

const WORK: [WorkoutKind; 4] =
    [WorkoutKind::Tempo, WorkoutKind::Intervals, WorkoutKind::Hills, WorkoutKind::RacePace];

/// Eight equal weeks with quality on some days of one of them.
fn with_quality(week: i64, days: &[i64]) -> PlanFixture {
    let made = PlanFixture::weeks(&[(40.0, 10.0); 8]);
    days.iter().fold(made, |made, day| made.with(workout(week * 7 + day, WORK[*day as usize % 4], 8.0)))
}

#[test]
fn too_many_quality_workouts_in_a_week_are_found() {
    let days: [&[i64]; 6] = [&[], &[1], &[1, 3], &[0, 2, 4], &[0, 2, 4, 6], &[0, 1, 2, 4, 6]];
    for (level, week, cases) in [
        (Novice, 5, [NO_FINDING, NO_FINDING, WARNING, WARNING, ERROR, ERROR]),
        (Novice, 6, [NO_FINDING, NO_FINDING, NO_FINDING, WARNING, ERROR, ERROR]),
        (Intermediate, 0, [NO_FINDING, NO_FINDING, NO_FINDING, WARNING, ERROR, ERROR]),
        (Advanced, 0, [NO_FINDING, NO_FINDING, NO_FINDING, NO_FINDING, WARNING, ERROR]),
    ] {
        let athlete = athlete_at_level(level, 50.0, 10.0);
        for (count, expected) in cases.into_iter().enumerate() {
            let made = with_quality(week, days[count]);
            assert_eq!(
                made.severity_of(&athlete, LintRule::QualityPerWeek),
                expected,
                "{level}, week {week}, {count}"
            );
        }
    }
    // Strides are not quality.
    let strides = [1, 2, 3, 5].iter().fold(PlanFixture::weeks(&[(40.0, 10.0)]), |made, day| {
        made.with(workout(*day, WorkoutKind::Strides, 7.0))
    });
    assert_eq!(
        strides.severity_of(&athlete_at_level(Novice, 40.0, 10.0), LintRule::QualityPerWeek),
        NO_FINDING
    );
    // From age 50 at most two for every level.
    let master = TrainingBaseline { age: Some(50), ..athlete_at_level(Advanced, 50.0, 10.0) };
    assert_eq!(with_quality(0, days[3]).severity_of(&master, LintRule::MastersRecovery), WARNING);
    assert_eq!(
        with_quality(0, &[0, 4]).lint(&master).iter().filter(|f| f.text.contains("quality")).count(),
        0
    );
}

#[test]
fn a_long_run_with_enough_work_is_a_quality_session() {
    let long = |work: f64| {
        let mut long = workout(6, WorkoutKind::Long, 20.0);
        long.steps = vec![
            meters(StepType::Warmup, 15_000.0 - work),
            meters(StepType::Active, work),
            meters(StepType::Cooldown, 5_000.0),
        ];
        long
    };
    // The day after Saturday's tempo: two quality workouts within 48 hours, and in any case quality
    // next to a long run.
    let plan = |work: f64| {
        PlanFixture::weeks(&[(40.0, 10.0)]).with(long(work)).with(workout(5, WorkoutKind::Tempo, 8.0))
    };
    for (level, together) in [(Novice, ERROR), (Intermediate, WARNING)] {
        let athlete = athlete_at_level(level, 40.0, 20.0);
        assert_severities(
            LintRule::QualitySpacing,
            &athlete,
            &[(5_900.0, NO_FINDING), (6_000.0, WARNING)],
            plan,
        );
        assert_severities(
            LintRule::DemandingDaysTogether,
            &athlete,
            &[(5_900.0, together), (6_000.0, together)],
            plan,
        );
    }
    // A long run with a single active step is not quality.
    let mut plain = long(0.0);
    plain.steps = vec![meters(StepType::Active, 20_000.0)];
    let made = plan(0.0).with(plain);
    assert_eq!(made.severity_of(&athlete_at_level(Novice, 40.0, 20.0), LintRule::QualitySpacing), NO_FINDING);
}

#[test]
fn quality_sessions_are_two_days_apart() {
    for level in Level::ALL {
        let athlete = athlete_at_level(*level, 50.0, 10.0);
        assert_eq!(
            with_quality(0, &[1, 3]).severity_of(&athlete, LintRule::QualitySpacing),
            NO_FINDING,
            "{level}"
        );
        assert_eq!(
            with_quality(0, &[1, 2]).severity_of(&athlete, LintRule::QualitySpacing),
            WARNING,
            "{level}"
        );
        let mut twice = with_quality(0, &[1]);
        twice.workouts.push(workout(1, WorkoutKind::Tempo, 5.0));
        assert_eq!(twice.severity_of(&athlete, LintRule::QualitySpacing), ERROR, "{level}");
        let master = TrainingBaseline { age: Some(50), ..athlete.clone() };
        let apart = |days: &[i64]| {
            let findings = with_quality(0, days).lint(&master);
            findings.into_iter().find(|finding| finding.text.contains("apart")).map(|finding| finding.rule)
        };
        assert_eq!(apart(&[1, 4]), None, "{level}");
        assert_eq!(apart(&[1, 3]), Some(LintRule::MastersRecovery), "{level}");
        assert_eq!(apart(&[1, 2]), Some(LintRule::QualitySpacing), "{level}");
        // A recorded hard run of yesterday counts too.
        let mut tired = athlete;
        tired.runs.last_mut().unwrap().hard = true;
        assert_eq!(with_quality(0, &[0]).severity_of(&tired, LintRule::QualitySpacing), WARNING, "{level}");
        assert_eq!(
            with_quality(0, &[1]).severity_of(&tired, LintRule::QualitySpacing),
            NO_FINDING,
            "{level}"
        );
    }
}

#[test]
fn quality_next_to_the_long_run_is_found() {
    for (level, worst) in [(Novice, ERROR), (Intermediate, WARNING), (Advanced, NOTE)] {
        let athlete = athlete_at_level(level, 50.0, 10.0);
        assert_eq!(with_quality(0, &[4]).severity_of(&athlete, LintRule::DemandingDaysTogether), NO_FINDING);
        assert_eq!(with_quality(0, &[5]).severity_of(&athlete, LintRule::DemandingDaysTogether), worst);
        assert_eq!(with_quality(1, &[0]).severity_of(&athlete, LintRule::DemandingDaysTogether), worst);
        assert_eq!(with_quality(1, &[1]).severity_of(&athlete, LintRule::DemandingDaysTogether), NO_FINDING);
    }
}

/// A workout with this many hard minutes, 90 in total.
fn minutes_of_work(offset: i64, work: f64) -> Workout {
    let mut tempo = workout(offset, WorkoutKind::Tempo, 15.0);
    tempo.duration = Some(TimeSpan::from_mins(90));
    tempo.steps = vec![minutes(StepType::Warmup, 90.0 - work), minutes(StepType::Active, work)];
    tempo
}

#[test]
fn too_much_hard_running_is_found() {
    // Four weeks of 40 km at 6:00 /km are 960 minutes; each week has one such workout.
    for (level, share) in [(Novice, 0.15), (Intermediate, 0.20), (Advanced, 0.25)] {
        let athlete = athlete_at_level(level, 50.0, 10.0);
        let each = 240.0 * share;
        let plan = |work: f64| {
            (0..4).fold(PlanFixture::weeks(&[(40.0, 10.0); 4]), |made, week| {
                // Fifteen kilometres in place of 7.5: the long run is shorter by as much.
                let long = workout(week * 7 + 6, WorkoutKind::Long, 2.5);
                made.with(minutes_of_work(week * 7 + 2, work)).with(long)
            })
        };
        assert_severities(
            LintRule::HardRunningShare,
            &athlete,
            &[(each, NO_FINDING), (each + 0.1, WARNING)],
            plan,
        );
        let mut unknown = athlete;
        unknown.runs.iter_mut().for_each(|run| run.duration = None);
        assert_severities(LintRule::HardRunningShare, &unknown, &[(80.0, NO_FINDING)], plan);
    }
}

/// A workout with this many hard kilometres.
fn km_of_work(kind: WorkoutKind, km: f64) -> Workout {
    let mut session = workout(2, kind, 20.0);
    session.steps = vec![meters(StepType::Warmup, 1000.0), meters(StepType::Active, km * 1000.0)];
    session
}

#[test]
fn too_much_work_in_one_workout_is_found() {
    // 80, 160 or 30 km in the week, including the workout's 20.
    let plan = |week: f64, kind: WorkoutKind, km: f64| {
        PlanFixture::weeks(&[((week - 20.0) / 3.0 * 4.0, 0.0)]).with(km_of_work(kind, km)).without(6)
    };
    for level in Level::ALL {
        let athlete = TrainingBaseline { paces: Some(paces(10)), ..athlete_at_level(*level, 80.0, 20.0) };
        for (kind, week, most) in [
            (WorkoutKind::Tempo, 80.0, 8.0),
            (WorkoutKind::Tempo, 30.0, 4.0),
            (WorkoutKind::Intervals, 80.0, 6.4),
            (WorkoutKind::Intervals, 160.0, 10.0),
            (WorkoutKind::Hills, 30.0, 3.0),
        ] {
            let cases = [(most, NO_FINDING), (most + 0.01, WARNING)];
            assert_severities(LintRule::HardRunningPerWorkout, &athlete, &cases, |km| plan(week, kind, km));
        }
        // Repetitions are recognized by their pace.
        for (week, most) in [(80.0, 4.0), (200.0, 8.0), (30.0, 2.0)] {
            let repetitions = |km: f64| {
                let mut session = km_of_work(WorkoutKind::Intervals, km);
                session.steps[1] = paced(session.steps[1].clone(), 255.0);
                plan(week, WorkoutKind::Intervals, km).with(session)
            };
            assert_severities(
                LintRule::HardRunningPerWorkout,
                &athlete,
                &[(most, NO_FINDING), (most + 0.01, WARNING)],
                repetitions,
            );
        }
        // Race pace of a marathon: 29 km, or 110 minutes at 0.9 of 6:00 /km.
        let fast = |km: f64| {
            let mut session = km_of_work(WorkoutKind::RacePace, km);
            session.steps[1] = paced(session.steps[1].clone(), 200.0);
            plan(80.0, WorkoutKind::RacePace, km).with(session)
        };
        assert_severities(
            LintRule::HardRunningPerWorkout,
            &athlete,
            &[(29.0, NO_FINDING), (29.01, WARNING)],
            fast,
        );
        let slow = |km: f64| plan(80.0, WorkoutKind::RacePace, km);
        assert_severities(
            LintRule::HardRunningPerWorkout,
            &athlete,
            &[(20.37, NO_FINDING), (20.38, WARNING)],
            slow,
        );
        // Unknown without steps.
        let bare = PlanFixture::weeks(&[(30.0, 5.0)]).with(workout(2, WorkoutKind::Tempo, 20.0));
        assert_eq!(bare.severity_of(&athlete, LintRule::HardRunningPerWorkout), NO_FINDING);
    }
}

#[test]
fn race_pace_counts_by_the_race() {
    let athlete = athlete_at_level(Intermediate, 50.0, 10.0);
    let plan = |race: f64, km: f64| {
        PlanFixture::race(Distance::from_km(race).unwrap(), &[(50.0, 10.0); 3])
            .with(km_of_work(WorkoutKind::RacePace, km))
    };
    // The week has 50 - 10 + 20 = 60 km: 4.8 km are 8 %, 6 km are 10 %.
    for (race, most) in [(5.0, 4.8), (10.0, 6.0), (21.1, 20.37)] {
        assert_severities(
            LintRule::HardRunningPerWorkout,
            &athlete,
            &[(most, NO_FINDING), (most + 0.01, WARNING)],
            |km| plan(race, km),
        );
    }
}

#[test]
fn unusual_marathon_pace_volume_is_noted() {
    for (level, cases) in [
        (Novice, [(0.0, NO_FINDING), (10.0, NO_FINDING), (10.1, NOTE)]),
        (Intermediate, [(9.9, NOTE), (10.0, NO_FINDING), (16.1, NOTE)]),
        (Advanced, [(15.9, NOTE), (20.0, NO_FINDING), (22.1, NOTE)]),
    ] {
        let plan = |block: f64| {
            (0..4).fold(PlanFixture::race(Distance::MARATHON, &[(80.0, 20.0); 10]), |made, week| {
                let mut session = km_of_work(WorkoutKind::RacePace, block);
                session.date = plan_day(week * 14 + 2);
                made.with(session)
            })
        };
        assert_severities(LintRule::MarathonPaceVolume, &athlete_at_level(level, 80.0, 20.0), &cases, plan);
    }
    // The sum, four times ten with one more of five: 45 of 30 to 60.
    let half = PlanFixture::race(Distance::HALF_MARATHON, &[(80.0, 20.0); 10]);
    assert_eq!(
        half.severity_of(&athlete_at_level(Advanced, 80.0, 20.0), LintRule::MarathonPaceVolume),
        NO_FINDING
    );
}

#[test]
fn intervals_and_longer_runs_with_an_injury_are_errors() {
    for level in Level::ALL {
        let well = athlete_at_level(*level, 50.0, 10.0);
        let hurt = TrainingBaseline { injured: true, ..well.clone() };
        for (kind, expected) in
            [(WorkoutKind::Intervals, ERROR), (WorkoutKind::Hills, ERROR), (WorkoutKind::Tempo, NO_FINDING)]
        {
            let plan = |offset: i64| PlanFixture::weeks(&[(40.0, 10.0); 4]).with(workout(offset, kind, 8.0));
            assert_eq!(plan(13).severity_of(&hurt, LintRule::RunningInjured), expected);
            assert_eq!(
                plan(14).severity_of(&hurt, LintRule::RunningInjured),
                expected.map(|_| Severity::Warning)
            );
            assert_eq!(plan(13).severity_of(&well, LintRule::RunningInjured), NO_FINDING);
        }
        let plan = |km: f64| PlanFixture::weeks(&[(40.0, 10.0)]).with(workout(6, WorkoutKind::Long, km));
        assert_severities(LintRule::RunningInjured, &hurt, &[(10.0, NO_FINDING), (10.01, ERROR)], plan);
        assert_severities(LintRule::LongestRunJump, &hurt, &[(12.0, NO_FINDING), (12.01, WARNING)], plan);
    }
}

/// The same eight repetitions are the same workout, whatever its name and kind.
#[test]
fn a_hard_session_is_known_by_its_steps_and_not_by_its_name() {
    let session = |offset: i64, name: &str, kind: WorkoutKind| {
        let mut session = workout(offset, kind, 8.0);
        session.name = name.to_owned();
        session.steps = vec![meters(StepType::Warmup, 2400.0)];
        for _ in 0..8 {
            session.steps.push(meters(StepType::Active, 400.0));
            session.steps.push(meters(StepType::Recovery, 200.0));
        }
        session
    };
    let named = ["8x400m", "8 × 400 m", "8 x 400 m", "Track session", "Fartlek", "Speed work", "Easy run"];
    let kinds = [WorkoutKind::Intervals, WorkoutKind::Other, WorkoutKind::Easy, WorkoutKind::Strides];
    let well = athlete_at_level(Intermediate, 40.0, 10.0);
    let hurt = TrainingBaseline { injured: true, ..well.clone() };
    for name in named {
        for kind in kinds {
            let plan = PlanFixture::weeks(&[(40.0, 10.0); 2]).with(session(2, name, kind));
            assert_eq!(plan.severity_of(&hurt, LintRule::RunningInjured), ERROR, "{name} as {kind}");
            let full = [0, 2, 4, 6].iter().fold(plan, |plan, day| plan.with(session(*day, name, kind)));
            assert_eq!(full.severity_of(&well, LintRule::QualityPerWeek), ERROR, "{name} as {kind}");
            assert_eq!(
                full.severity_of(&well, LintRule::HardRunningPerWorkout),
                NO_FINDING,
                "3.2 km of 40 is enough: {name} as {kind}"
            );
        }
        // Inside a long run they are fast too.
        let long = PlanFixture::weeks(&[(40.0, 10.0); 2]).with(session(6, name, WorkoutKind::Long));
        assert_eq!(long.severity_of(&hurt, LintRule::RunningInjured), ERROR, "{name} as a long run");
    }
}
