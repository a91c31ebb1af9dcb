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

/// Weeks to a half marathon with this target, with a tempo run on the Wednesday of some weeks.
fn with_target(count: usize, quality: &[i64]) -> PlanFixture {
    let made = PlanFixture::race(Distance::HALF_MARATHON, &vec![(40.0, 10.0); count]);
    let made = PlanFixture { target: Some("1:45:29".parse().unwrap()), ..made };
    quality.iter().fold(made, |made, week| made.with(workout(week * 7 + 2, WorkoutKind::Tempo, 8.0)))
}

#[test]
fn a_target_time_needs_quality_in_every_four_weeks() {
    for level in [Intermediate, Advanced] {
        let athlete = athlete_at_level(level, 50.0, 10.0);
        let says = |plan: &PlanFixture| plan.severity_of(&athlete, LintRule::MissingQuality);
        assert_eq!(says(&with_target(12, &[])), WARNING);
        assert_eq!(says(&with_target(12, &[3, 7, 11])), NO_FINDING, "three weeks without");
        assert_eq!(says(&with_target(12, &[3, 8])), WARNING, "four weeks without");
        assert_eq!(says(&with_target(12, &[4, 8])), WARNING, "four weeks at the start");
        assert_eq!(says(&with_target(3, &[])), NO_FINDING);
        assert_eq!(says(&with_target(4, &[])), WARNING);
        assert_eq!(says(&PlanFixture { target: None, ..with_target(12, &[]) }), NO_FINDING);
        let said = with_target(12, &[3]).finding(&athlete, LintRule::MissingQuality).unwrap();
        assert_eq!(said.day, Some(plan_day(28)));
        // Past weeks are not reported, and a tune-up race is quality.
        let later = TrainingBaseline { as_of: plan_day(56), today: plan_day(57), ..athlete.clone() };
        assert_eq!(with_target(12, &[11]).severity_of(&later, LintRule::MissingQuality), NO_FINDING);
        let raced = with_target(12, &[3, 11]).with(workout(7 * 7 + 6, WorkoutKind::Race, 10.0));
        assert_eq!(says(&raced), NO_FINDING);
        // Nobody runs fast with an injury.
        let hurt = TrainingBaseline { injured: true, ..athlete.clone() };
        assert_eq!(with_target(6, &[4]).severity_of(&hurt, LintRule::MissingQuality), NO_FINDING);
    }
    // The first six weeks of a novice's plan may be easy.
    let novice = athlete_at_level(Novice, 50.0, 10.0);
    for (quality, expected) in [(&[9][..], NO_FINDING), (&[10], WARNING), (&[], WARNING)] {
        let made = with_target(12, quality);
        assert_eq!(made.severity_of(&novice, LintRule::MissingQuality), expected, "{quality:?}");
    }
    assert_eq!(with_target(9, &[]).severity_of(&novice, LintRule::MissingQuality), NO_FINDING);
}

#[test]
fn a_target_over_half_and_marathon_needs_race_pace() {
    for (level, worst) in [(Novice, NOTE), (Intermediate, WARNING), (Advanced, WARNING)] {
        let athlete = athlete_at_level(level, 50.0, 10.0);
        for (race, days, needed) in [(Distance::HALF_MARATHON, 56, 3), (Distance::MARATHON, 70, 4)] {
            let last = 14 * 7 - 1;
            let plan = |first: i64, count: i64| {
                let made = PlanFixture::race(race, &[(40.0, 10.0); 14]);
                let made = PlanFixture { target: Some(TimeSpan::from_mins(240)), ..made };
                (0..count).fold(made, |made, n| made.with(workout(first + 7 * n, WorkoutKind::RacePace, 8.0)))
            };
            let says = |plan: PlanFixture| plan.severity_of(&athlete, LintRule::MissingRacePace);
            assert_eq!(says(plan(last - days, needed)), NO_FINDING, "{level} {days}");
            assert_eq!(says(plan(last - days, needed - 1)), worst, "{level} {days}");
            assert_eq!(says(plan(last - days - 1, needed)), worst, "one is too early: {level} {days}");
            assert_eq!(says(PlanFixture { target: None, ..plan(0, 0) }), NO_FINDING);
            // Those that were planned for past days count.
            let later = TrainingBaseline { as_of: plan_day(90), today: plan_day(91), ..athlete.clone() };
            let made = plan(last - days, needed);
            assert_eq!(made.severity_of(&later, LintRule::MissingRacePace), NO_FINDING);
            let said = plan(last - days, 1).finding(&athlete, LintRule::MissingRacePace).unwrap();
            assert_eq!((said.value, said.limit), (Some(1.0), Some(needed as f64)));
        }
        let ten = PlanFixture { distance: Distance::from_km(10.0), ..with_target(12, &[]) };
        assert_eq!(ten.severity_of(&athlete, LintRule::MissingRacePace), NO_FINDING);
        // A plan of eight weeks begins too late for the rule.
        assert_eq!(with_target(8, &[]).severity_of(&athlete, LintRule::MissingRacePace), NO_FINDING);
        assert_eq!(with_target(9, &[]).severity_of(&athlete, LintRule::MissingRacePace), worst);
    }
}

/// The target is 5:00 /km.
#[test]
fn race_pace_inside_a_long_run_counts() {
    let athlete = athlete_at_level(Intermediate, 50.0, 10.0);
    let plan = |block: crate::plan::Step| {
        (5..8).fold(with_target(12, &[]), |made, week| {
            let mut long = workout(week * 7 + 6, WorkoutKind::Long, 15.0);
            long.steps = vec![meters(StepType::Warmup, 10_000.0), block.clone()];
            made.with(long)
        })
    };
    let block = meters(StepType::Active, 5000.0);
    // The fixture's range is 10 s wide; its middle counts up to 5:36 /km.
    let cases = [(295.0, NO_FINDING), (330.9, NO_FINDING), (331.1, WARNING), (360.0, WARNING)];
    assert_severities(LintRule::MissingRacePace, &athlete, &cases, |pace| plan(paced(block.clone(), pace)));
    let by_effort = |words: &str| crate::plan::Step { notes: Some(words.to_owned()), ..block.clone() };
    let says = |plan: PlanFixture| plan.severity_of(&athlete, LintRule::MissingRacePace);
    assert_eq!(says(plan(by_effort("Race pace: strong and even"))), NO_FINDING);
    assert_eq!(says(plan(by_effort("Steady"))), WARNING);
    assert_eq!(says(plan(block.clone())), WARNING);
}

/// Four repetitions, with a jog of so many metres between them.
fn repetitions(week: i64, meters_each: f64, jog: f64, warmup: f64) -> Workout {
    let mut session = workout(week * 7 + 2, WorkoutKind::Intervals, 8.0);
    session.steps = vec![meters(StepType::Warmup, warmup)];
    for _ in 0..4 {
        session.steps.push(meters(StepType::Active, meters_each));
        session.steps.push(meters(StepType::Recovery, jog));
    }
    session
}

#[test]
fn the_same_hard_workout_more_than_three_times_is_noted() {
    for level in Level::ALL {
        let athlete = athlete_at_level(*level, 50.0, 10.0);
        let plan = |count: i64, session: &dyn Fn(i64) -> Workout| {
            (0..count).fold(PlanFixture::weeks(&[(40.0, 10.0); 8]), |made, week| made.with(session(week)))
        };
        let says = |plan: PlanFixture| plan.severity_of(&athlete, LintRule::RepeatedWorkout);
        assert_eq!(says(plan(3, &|week| repetitions(week, 800.0, 400.0, 2000.0))), NO_FINDING);
        assert_eq!(says(plan(4, &|week| repetitions(week, 800.0, 400.0, 2000.0))), NOTE);
        // A longer warm-up is no change; longer repetitions and shorter recoveries are.
        let step = |week: i64| week as f64 * 50.0;
        assert_eq!(says(plan(4, &|week| repetitions(week, 800.0, 400.0, 2000.0 + step(week)))), NOTE);
        assert_eq!(says(plan(8, &|week| repetitions(week, 800.0 + step(week), 400.0, 2000.0))), NO_FINDING);
        assert_eq!(says(plan(8, &|week| repetitions(week, 800.0, 400.0 - step(week), 2000.0))), NO_FINDING);
        // Without steps by their length.
        let tempo = |week: i64, km: f64| workout(week * 7 + 2, WorkoutKind::Tempo, km);
        assert_eq!(says(plan(4, &|week| tempo(week, 8.0))), NOTE);
        assert_eq!(says(plan(8, &|week| tempo(week, 6.0 + week as f64))), NO_FINDING);
        // Easy and long runs repeat.
        assert_eq!(says(plan(0, &|week| tempo(week, 8.0))), NO_FINDING);
    }
    let said = (0..5)
        .fold(PlanFixture::weeks(&[(40.0, 10.0); 8]), |made, week| {
            made.with(repetitions(week, 800.0, 400.0, 2000.0))
        })
        .finding(&athlete_at_level(Novice, 50.0, 10.0), LintRule::RepeatedWorkout)
        .unwrap();
    assert_eq!((said.value, said.limit), (Some(5.0), Some(3.0)));
}

const TOGETHER: [(Level, Option<Severity>); 3] = [(Novice, ERROR), (Intermediate, WARNING), (Advanced, NOTE)];

#[test]
fn two_long_runs_on_consecutive_days_are_found() {
    for (level, worst) in TOGETHER {
        let athlete = athlete_at_level(level, 50.0, 20.0);
        // At 6:00 /km 15 km take 90 minutes, and are 75 % of 20 km.
        let plan = |saturday: f64, sunday: f64| {
            PlanFixture::weeks(&[(50.0, sunday)]).with(workout(5, WorkoutKind::Easy, saturday))
        };
        let says = |plan: PlanFixture| plan.severity_of(&athlete, LintRule::DemandingDaysTogether);
        assert_eq!(says(plan(15.0, 20.0)), worst, "{level}");
        assert_eq!(says(plan(14.9, 20.0)), NO_FINDING, "{level}: less than 75 %");
        assert_eq!(says(plan(15.0, 20.1)), NO_FINDING, "{level}: less than 75 %");
        assert_eq!(says(plan(14.9, 15.0)), NO_FINDING, "{level}: less than 90 minutes");
        assert_eq!(says(plan(15.0, 15.0)), worst, "{level}");
        assert_eq!(says(plan(15.0, 20.0).without(6)), NO_FINDING, "{level}");
    }
}

#[test]
fn demanding_runs_next_to_a_tune_up_race_are_found() {
    for (level, worst) in TOGETHER {
        let athlete = athlete_at_level(level, 50.0, 20.0);
        let says = |plan: PlanFixture| plan.severity_of(&athlete, LintRule::DemandingDaysTogether);
        let race = PlanFixture::weeks(&[(40.0, 10.0); 2]).with(workout(3, WorkoutKind::Race, 10.0));
        assert_eq!(says(race.clone()), NO_FINDING, "{level}");
        for day in [2, 4] {
            assert_eq!(
                says(race.clone().with(workout(day, WorkoutKind::Tempo, 6.0))),
                worst,
                "{level} {day}"
            );
            assert_eq!(
                says(race.clone().with(workout(day, WorkoutKind::Long, 15.0))),
                worst,
                "{level} {day}"
            );
        }
        assert_eq!(says(race.with(workout(5, WorkoutKind::Tempo, 6.0)).without(6)), NO_FINDING, "{level}");
    }
}

#[test]
fn race_pace_on_the_day_before_a_long_run_is_a_note_in_half_and_marathon_plans() {
    for (level, worst) in TOGETHER {
        let athlete = athlete_at_level(level, 50.0, 20.0);
        for (km, expected) in [(5.0, worst), (10.0, worst), (21.1, NOTE), (42.2, NOTE)] {
            let plan = PlanFixture::race(Distance::from_km(km).unwrap(), &[(40.0, 10.0); 6]);
            let saturday = plan.clone().with(workout(12, WorkoutKind::RacePace, 8.0));
            assert_eq!(
                saturday.severity_of(&athlete, LintRule::DemandingDaysTogether),
                expected,
                "{level} {km}"
            );
            // On the day after it, it is not.
            let monday = plan.with(workout(14, WorkoutKind::RacePace, 8.0));
            assert_eq!(monday.severity_of(&athlete, LintRule::DemandingDaysTogether), worst, "{level} {km}");
            // A hard run on the same Saturday counts more than race pace, in either order.
            for kinds in
                [[WorkoutKind::RacePace, WorkoutKind::Tempo], [WorkoutKind::Tempo, WorkoutKind::RacePace]]
            {
                let mut both = saturday.clone().without(12);
                both.workouts.extend(kinds.map(|kind| workout(12, kind, 8.0)));
                assert_eq!(
                    both.severity_of(&athlete, LintRule::DemandingDaysTogether),
                    worst,
                    "{level} {km}"
                );
            }
        }
    }
}

#[test]
fn recorded_runs_and_the_days_before_the_first_full_week_count_as_demanding() {
    for (level, worst) in TOGETHER {
        // Yesterday was a long run of two hours.
        let athlete = athlete_at_level(level, 50.0, 20.0);
        let monday = with_quality(0, &[0]).without(6);
        assert_eq!(monday.severity_of(&athlete, LintRule::DemandingDaysTogether), worst, "{level}");
        let rested = athlete_at_level(level, 50.0, 10.0);
        assert_eq!(monday.severity_of(&rested, LintRule::DemandingDaysTogether), NO_FINDING, "{level}");
        let mut raced = rested.clone();
        raced.runs.last_mut().unwrap().hard = true;
        let long = PlanFixture::weeks(&[(40.0, 10.0)]).with(workout(0, WorkoutKind::Long, 16.0));
        assert_eq!(long.severity_of(&raced, LintRule::DemandingDaysTogether), worst, "{level}");
        // Weeks end on Saturday, so the first full week begins on the first Sunday.
        let mut plan = PlanFixture::race(Distance::HALF_MARATHON, &[(40.0, 10.0); 4]);
        plan.workouts.retain(|workout| workout.date == plan_day(1));
        plan.race = plan_day(26);
        let plan = plan
            .with(workout(26, WorkoutKind::Race, 21.1))
            .with(workout(3, WorkoutKind::Long, 16.0))
            .with(workout(4, WorkoutKind::Intervals, 8.0));
        assert_eq!(plan.severity_of(&rested, LintRule::DemandingDaysTogether), worst, "{level}");
    }
}
