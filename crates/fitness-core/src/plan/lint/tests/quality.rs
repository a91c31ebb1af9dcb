use super::super::*;
use super::fixtures::*;
use crate::plan::{Level, StepType, WorkoutKind};
use Level::{Advanced, Intermediate, Novice};

const WORK: [WorkoutKind; 4] =
    [WorkoutKind::Tempo, WorkoutKind::Intervals, WorkoutKind::Hills, WorkoutKind::RacePace];

/// Eight equal weeks with quality on some days of one of them.
fn with_quality(week: i64, days: &[i64]) -> Made {
    let made = Made::weeks(&[(40.0, 10.0); 8]);
    days.iter().fold(made, |made, day| made.with(workout(week * 7 + day, WORK[*day as usize % 4], 8.0)))
}

#[test]
fn a_week_has_few_quality_sessions() {
    let days: [&[i64]; 6] = [&[], &[1], &[1, 3], &[0, 2, 4], &[0, 2, 4, 6], &[0, 1, 2, 4, 6]];
    for (level, week, cases) in [
        (Novice, 5, [SILENT, SILENT, WARNING, WARNING, ERROR, ERROR]),
        (Novice, 6, [SILENT, SILENT, SILENT, WARNING, ERROR, ERROR]),
        (Intermediate, 0, [SILENT, SILENT, SILENT, WARNING, ERROR, ERROR]),
        (Advanced, 0, [SILENT, SILENT, SILENT, SILENT, WARNING, ERROR]),
    ] {
        let athlete = of_level(level, 40.0, 10.0);
        for (count, expected) in cases.into_iter().enumerate() {
            let made = with_quality(week, days[count]);
            assert_eq!(made.says(&athlete, Rule::R11), expected, "{level}, week {week}, {count}");
        }
    }
    // Strides are no quality.
    let strides = [1, 2, 3, 5]
        .iter()
        .fold(Made::weeks(&[(40.0, 10.0)]), |made, day| made.with(workout(*day, WorkoutKind::Strides, 7.0)));
    assert_eq!(strides.says(&of_level(Novice, 40.0, 10.0), Rule::R11), SILENT);
    // From 50 years on two are enough for everybody.
    let master = Background { age: Some(50), ..of_level(Advanced, 40.0, 10.0) };
    assert_eq!(with_quality(0, days[3]).says(&master, Rule::R30), WARNING);
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
    // The day after Saturday's tempo: two quality sessions within 48 hours, or quality beside an easy long run.
    let plan =
        |work: f64| Made::weeks(&[(40.0, 10.0)]).with(long(work)).with(workout(5, WorkoutKind::Tempo, 8.0));
    for athlete in [of_level(Novice, 40.0, 20.0), of_level(Intermediate, 40.0, 20.0)] {
        edges(Rule::R12, &athlete, &[(5_900.0, SILENT), (6_000.0, WARNING)], plan);
        edges(Rule::R13, &athlete, &[(5_900.0, WARNING), (6_000.0, SILENT)], plan);
    }
    // A long run whose one step is the run itself is none.
    let mut plain = long(0.0);
    plain.steps = vec![meters(StepType::Active, 20_000.0)];
    let made = plan(0.0).with(plain);
    assert_eq!(made.says(&of_level(Novice, 40.0, 20.0), Rule::R12), SILENT);
}

#[test]
fn quality_sessions_are_two_days_apart() {
    for level in Level::ALL {
        let athlete = of_level(*level, 40.0, 10.0);
        assert_eq!(with_quality(0, &[1, 3]).says(&athlete, Rule::R12), SILENT, "{level}");
        assert_eq!(with_quality(0, &[1, 2]).says(&athlete, Rule::R12), WARNING, "{level}");
        let mut twice = with_quality(0, &[1]);
        twice.workouts.push(workout(1, WorkoutKind::Tempo, 5.0));
        assert_eq!(twice.says(&athlete, Rule::R12), ERROR, "{level}");
        let master = Background { age: Some(50), ..athlete.clone() };
        let apart = |days: &[i64]| {
            let findings = with_quality(0, days).lint(&master);
            findings.into_iter().find(|finding| finding.text.contains("apart")).map(|finding| finding.rule)
        };
        assert_eq!(apart(&[1, 4]), None, "{level}");
        assert_eq!(apart(&[1, 3]), Some(Rule::R30), "{level}");
        assert_eq!(apart(&[1, 2]), Some(Rule::R12), "{level}");
        // A hard run of yesterday counts as well.
        let mut tired = athlete;
        tired.runs.last_mut().unwrap().hard = true;
        assert_eq!(with_quality(0, &[0]).says(&tired, Rule::R12), WARNING, "{level}");
        assert_eq!(with_quality(0, &[1]).says(&tired, Rule::R12), SILENT, "{level}");
    }
}

#[test]
fn the_long_run_stands_alone() {
    for (level, worst) in [(Novice, WARNING), (Intermediate, WARNING), (Advanced, NOTE)] {
        let athlete = of_level(level, 40.0, 10.0);
        assert_eq!(with_quality(0, &[4]).says(&athlete, Rule::R13), SILENT);
        assert_eq!(with_quality(0, &[5]).says(&athlete, Rule::R13), worst);
        assert_eq!(with_quality(1, &[0]).says(&athlete, Rule::R13), worst);
        assert_eq!(with_quality(1, &[1]).says(&athlete, Rule::R13), SILENT);
    }
}

/// A session with so many minutes of work, 90 in all.
fn minutes_of_work(offset: i64, work: f64) -> Workout {
    let mut tempo = workout(offset, WorkoutKind::Tempo, 15.0);
    tempo.duration = Some(TimeSpan::from_mins(90));
    tempo.steps = vec![minutes(StepType::Warmup, 90.0 - work), minutes(StepType::Active, work)];
    tempo
}

#[test]
fn most_of_the_running_is_easy() {
    // Four weeks of 40 km at 6:00 /km are 960 minutes; each week has one session.
    for (level, share) in [(Novice, 0.15), (Intermediate, 0.20), (Advanced, 0.25)] {
        let athlete = of_level(level, 40.0, 10.0);
        let each = 240.0 * share;
        let plan = |work: f64| {
            (0..4).fold(Made::weeks(&[(40.0, 10.0); 4]), |made, week| {
                // Fifteen kilometres in place of 7.5: the long run is shorter by as much.
                let long = workout(week * 7 + 6, WorkoutKind::Long, 2.5);
                made.with(minutes_of_work(week * 7 + 2, work)).with(long)
            })
        };
        edges(Rule::R14, &athlete, &[(each, SILENT), (each + 0.1, WARNING)], plan);
        let mut unknown = athlete;
        unknown.runs.iter_mut().for_each(|run| run.duration = None);
        edges(Rule::R14, &unknown, &[(80.0, SILENT)], plan);
    }
}

/// A session with so many kilometres of work.
fn km_of_work(kind: WorkoutKind, km: f64) -> Workout {
    let mut session = workout(2, kind, 20.0);
    session.steps = vec![meters(StepType::Warmup, 1000.0), meters(StepType::Active, km * 1000.0)];
    session
}

#[test]
fn one_session_has_so_much_work() {
    // 80, 160 or 30 km in the week, the session's 20 among them.
    let plan = |week: f64, kind: WorkoutKind, km: f64| {
        Made::weeks(&[((week - 20.0) / 3.0 * 4.0, 0.0)]).with(km_of_work(kind, km)).without(6)
    };
    for level in Level::ALL {
        let athlete = Background { paces: Some(paces(10)), ..of_level(*level, 80.0, 20.0) };
        for (kind, week, most) in [
            (WorkoutKind::Tempo, 80.0, 8.0),
            (WorkoutKind::Tempo, 30.0, 4.0),
            (WorkoutKind::Intervals, 80.0, 6.4),
            (WorkoutKind::Intervals, 160.0, 10.0),
            (WorkoutKind::Hills, 30.0, 3.0),
        ] {
            let cases = [(most, SILENT), (most + 0.01, WARNING)];
            edges(Rule::R15, &athlete, &cases, |km| plan(week, kind, km));
        }
        // Repetitions are known by their pace.
        for (week, most) in [(80.0, 4.0), (200.0, 8.0), (30.0, 2.0)] {
            let repetitions = |km: f64| {
                let mut session = km_of_work(WorkoutKind::Intervals, km);
                session.steps[1] = paced(session.steps[1].clone(), 255.0);
                plan(week, WorkoutKind::Intervals, km).with(session)
            };
            edges(Rule::R15, &athlete, &[(most, SILENT), (most + 0.01, WARNING)], repetitions);
        }
        // Race pace of a marathon: 29 km, or 110 minutes at 0.9 of 6:00 /km.
        let fast = |km: f64| {
            let mut session = km_of_work(WorkoutKind::RacePace, km);
            session.steps[1] = paced(session.steps[1].clone(), 200.0);
            plan(80.0, WorkoutKind::RacePace, km).with(session)
        };
        edges(Rule::R15, &athlete, &[(29.0, SILENT), (29.01, WARNING)], fast);
        let slow = |km: f64| plan(80.0, WorkoutKind::RacePace, km);
        edges(Rule::R15, &athlete, &[(20.37, SILENT), (20.38, WARNING)], slow);
        // Without steps nobody knows.
        let bare = Made::weeks(&[(30.0, 5.0)]).with(workout(2, WorkoutKind::Tempo, 20.0));
        assert_eq!(bare.says(&athlete, Rule::R15), SILENT);
    }
}

#[test]
fn race_pace_counts_by_the_race() {
    let athlete = of_level(Intermediate, 50.0, 10.0);
    let plan = |race: f64, km: f64| {
        Made::race(Distance::from_km(race).unwrap(), &[(50.0, 10.0); 3])
            .with(km_of_work(WorkoutKind::RacePace, km))
    };
    // The week has 50 - 10 + 20 = 60 km: 4.8 km are 8 %, 6 km are 10 %.
    for (race, most) in [(5.0, 4.8), (10.0, 6.0), (21.1, 20.37)] {
        edges(Rule::R15, &athlete, &[(most, SILENT), (most + 0.01, WARNING)], |km| plan(race, km));
    }
}

#[test]
fn marathon_pace_is_noted_where_it_is_not_as_usual() {
    for (level, cases) in [
        (Novice, [(0.0, SILENT), (10.0, SILENT), (10.1, NOTE)]),
        (Intermediate, [(9.9, NOTE), (10.0, SILENT), (16.1, NOTE)]),
        (Advanced, [(15.9, NOTE), (20.0, SILENT), (22.1, NOTE)]),
    ] {
        let plan = |block: f64| {
            (0..4).fold(Made::race(Distance::MARATHON, &[(80.0, 20.0); 10]), |made, week| {
                let mut session = km_of_work(WorkoutKind::RacePace, block);
                session.date = at(week * 14 + 2);
                made.with(session)
            })
        };
        edges(Rule::R16, &of_level(level, 80.0, 20.0), &cases, plan);
    }
    // The sum, four times ten with one more of five: 45 of 30 to 60.
    let half = Made::race(Distance::HALF_MARATHON, &[(80.0, 20.0); 10]);
    assert_eq!(half.says(&of_level(Advanced, 80.0, 20.0), Rule::R16), SILENT);
}

#[test]
fn an_injury_keeps_intervals_and_longer_runs_away() {
    for level in Level::ALL {
        let well = of_level(*level, 40.0, 10.0);
        let hurt = Background { injured: true, ..well.clone() };
        for (kind, expected) in
            [(WorkoutKind::Intervals, ERROR), (WorkoutKind::Hills, ERROR), (WorkoutKind::Tempo, SILENT)]
        {
            let plan = |offset: i64| Made::weeks(&[(40.0, 10.0); 4]).with(workout(offset, kind, 8.0));
            assert_eq!(plan(13).says(&hurt, Rule::R35), expected);
            assert_eq!(plan(14).says(&hurt, Rule::R35), expected.map(|_| Severity::Warning));
            assert_eq!(plan(13).says(&well, Rule::R35), SILENT);
        }
        let plan = |km: f64| Made::weeks(&[(40.0, 10.0)]).with(workout(6, WorkoutKind::Long, km));
        edges(Rule::R35, &hurt, &[(10.0, SILENT), (10.01, ERROR)], plan);
        edges(Rule::R1, &hurt, &[(11.0, SILENT), (11.01, WARNING)], plan);
    }
}

/// The same eight stretches are the same session, whatever it is called and says it is.
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
    let well = of_level(Intermediate, 40.0, 10.0);
    let hurt = Background { injured: true, ..well.clone() };
    for name in named {
        for kind in kinds {
            let plan = Made::weeks(&[(40.0, 10.0); 2]).with(session(2, name, kind));
            assert_eq!(plan.says(&hurt, Rule::R35), ERROR, "{name} as {kind}");
            let full = [0, 2, 4, 6].iter().fold(plan, |plan, day| plan.with(session(*day, name, kind)));
            assert_eq!(full.says(&well, Rule::R11), ERROR, "{name} as {kind}");
            assert_eq!(full.says(&well, Rule::R15), SILENT, "3.2 km of 40 is enough: {name} as {kind}");
        }
        // Hidden in a long run they are fast all the same.
        let long = Made::weeks(&[(40.0, 10.0); 2]).with(session(6, name, WorkoutKind::Long));
        assert_eq!(long.says(&hurt, Rule::R35), ERROR, "{name} as a long run");
    }
}
