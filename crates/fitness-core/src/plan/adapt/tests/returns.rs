//! Returning after days without a run, and after an injury.

use super::*;
use crate::plan::{NextRevisionWorkout, PlanRequest, apply, generate};

/// A break of this many days up to 9 June, and runs of 5 km on these days of June since; today is
/// the day after the last.
fn returned_after(days: i64, ran: &[i64]) -> Fixture {
    let mut world = Fixture::new().with_break(days);
    for day in ran {
        let last = *world.athlete.runs.last().unwrap();
        let day = self::day("2026-05-31").plus_days(*day);
        world.athlete.runs.push(PastRun { day, distance: Distance::from_km(5.0).unwrap(), ..last });
        world.athlete.as_of = day;
        world.today = day.next();
        for (planned, verdict) in world.workouts.iter().zip(&mut world.verdicts) {
            if planned.workout.date == day {
                verdict.0 = Verdict::Hit;
            }
        }
    }
    world
}

#[test]
fn one_run_does_not_end_a_pause() {
    let open = Fixture::new().with_break(8);
    let half = ["11: easy 4.5", "12: easy 3.5", "14: long 10.5", "16: easy 6.0"];
    assert_eq!(open.describe_changes(), half);
    let back = returned_after(8, &[10]);
    assert_eq!(back.describe_changes(), half, "counted from the first run");
    let message = back.adapt().unwrap().message;
    assert!(message.contains("You did not run for 8 days before 2026-06-10"), "{message}");
    // The return takes as many days as the break.
    assert_eq!(returned_after(8, &[10, 11, 12]).describe_changes(), ["14: long 10.5", "16: easy 6.0"]);
    assert_eq!(returned_after(8, &[10, 11, 12, 14, 15]).describe_changes(), ["16: easy 6.0"]);
    assert_eq!(returned_after(8, &[10, 11, 12, 14, 16, 17]).cause(), None);
    // Three days after a short break: the second is still easy, the third nearly over.
    assert_eq!(returned_after(4, &[10]).describe_changes(), ["11: easy 7.6", "12: easy 5.9"]);
    assert_eq!(returned_after(4, &[10, 11]).describe_changes(), ["12: easy 5.9"]);
    assert_eq!(returned_after(4, &[10, 11, 12]).cause(), None);
    // A run and a few days do not turn a long break into a short one.
    let mut again = returned_after(8, &[10]);
    again.athlete.as_of = day("2026-06-13");
    again.today = day("2026-06-14");
    for planned in [4, 5] {
        again.verdicts[planned].0 = Verdict::Missed;
    }
    assert_eq!(again.describe_changes(), ["14: long 10.5", "16: easy 6.0"]);
}

#[test]
fn break_length_still_decides_after_the_first_run() {
    let mut month = returned_after(30, &[10]);
    let said = month.adapt().unwrap();
    assert!(said.changes.is_empty() && said.message.contains("draft a new plan"), "{said:?}");
    month.today = day("2026-06-24");
    month.athlete.as_of = day("2026-06-23");
    month.plan.race_date = day("2026-08-30");
    assert_ne!(month.cause(), Some(Cause::MissedDays), "two weeks are enough to say it");
    let mut two_weeks = returned_after(16, &[10]);
    two_weeks.plan.race_date = day("2026-08-30");
    two_weeks.workouts[10].workout.date = two_weeks.plan.race_date;
    let again = two_weeks.adapt().unwrap();
    assert!(again.changes.iter().any(|change| matches!(change, Change::Add { .. })), "{again:?}");
    assert!(again.message.contains("is drafted again"), "{}", again.message);
    let km = first_week(&again, two_weeks.today);
    assert!(km < 25.0, "one run of 5 km is no base for {km} km");
    // Without a race nothing can be drafted: the weeks build up from half of the earlier volume.
    two_weeks.plan.distance = None;
    two_weeks.plan.goal = crate::plan::GoalDistance::Custom;
    let steps = two_weeks.adapt().unwrap();
    assert_eq!(steps.cause, Cause::MissedDays);
    assert!(steps.changes.iter().all(|change| !matches!(change, Change::Add { .. })), "{steps:?}");
    assert!(steps.message.contains("the weeks build up from what you have run"), "{}", steps.message);
}

/// Kilometres added in the seven days from a day.
fn first_week(adaptation: &Adaptation, from: Day) -> f64 {
    let added = adaptation.changes.iter().filter_map(|change| match change {
        Change::Add { workout } if from.days_until(workout.date) < 7 => workout.distance,
        _ => None,
    });
    added.map(Distance::km).sum()
}

#[test]
fn what_was_done_today_is_not_made_shorter() {
    let mut world = Fixture::new().with_break(4);
    world.today = day("2026-06-11");
    world.athlete.as_of = day("2026-06-10");
    assert_eq!(world.describe_changes()[0], "11: easy 7.6");
    // Today is not over, but its run counts as the first run back.
    world.done = Some((4, Distance::from_km(6.0).unwrap()));
    assert_eq!(world.describe_changes(), ["12: easy 5.9"]);
    world.done = None;
    world.verdicts[4].0 = Verdict::Hit;
    assert_eq!(world.describe_changes(), ["12: easy 5.9"]);
    let ill = |done: bool| {
        let mut world =
            Fixture::new().with_observation(ObservationKind::Illness, "2026-06-11", "2026-06-12", 1);
        world.today = day("2026-06-11");
        world.done = done.then(|| (4, Distance::from_km(9.0).unwrap()));
        world.describe_changes()
    };
    assert_eq!((ill(false).len(), ill(true).len()), (2, 1));
}

#[test]
fn missed_run_between_rest_days_is_not_a_break() {
    // Only the 9th was missed: the 8th and 10th are planned rest days.
    let mut world = returned_after(2, &[]);
    world.athlete.as_of = day("2026-06-10");
    world.today = day("2026-06-11");
    assert_eq!(world.athlete.days_since_run(), Some(3));
    assert_eq!(world.adapt(), None);
    // With the next one missed too, it is a break.
    world.athlete.as_of = day("2026-06-11");
    world.today = day("2026-06-12");
    world.verdicts[4].0 = Verdict::Missed;
    assert_eq!(world.describe_changes(), ["12: easy 5.9", "14: long 11.9"]);
    // Another sport was missed, but no run.
    for planned in [3, 4] {
        world.workouts[planned].workout.sport = Sport::Cycling;
    }
    assert_ne!(world.cause(), Some(Cause::MissedDays));
}

#[test]
fn break_keeps_its_fact_key_after_the_return() {
    let key = |world: Fixture| world.adapt().unwrap().follows_from;
    assert_eq!(key(Fixture::new().with_break(8)), key(returned_after(8, &[10])));
    assert_eq!(key(returned_after(8, &[10])), key(returned_after(8, &[10, 11, 12])));
    let mut longer = Fixture::new().with_break(4);
    let four = key(Fixture::new().with_break(4));
    longer.athlete.as_of = day("2026-06-10");
    longer.today = day("2026-06-11");
    assert_eq!(key(Fixture { ..longer }), four, "a day more is no news");
    let mut week = Fixture::new().with_break(4);
    week.athlete.as_of = day("2026-06-12");
    week.today = day("2026-06-13");
    for planned in [4, 5] {
        week.verdicts[planned].0 = Verdict::Missed;
    }
    assert_ne!(key(week), four, "a week is");
    assert_ne!(key(Fixture::new().with_break(5)), four, "and so is another pause");
}

#[test]
fn too_much_keeps_its_fact_key_for_the_same_jumps() {
    let mut world = Fixture::new();
    for run in &mut world.athlete.runs {
        run.distance = Distance::from_km(6.0).unwrap();
    }
    let first = world.adapt().unwrap().follows_from;
    world.athlete.as_of = day("2026-06-10");
    world.today = day("2026-06-11");
    assert_eq!(world.adapt().unwrap().follows_from, first, "another day is no new fact");
}

/// A generated half marathon plan of 20 weeks for this weekly distance, in its fourth week.
fn generated_fixture(base: f64, runs_a_week: usize) -> Fixture {
    let mut world = Fixture::new();
    let as_of = day("2026-06-28");
    let each = base / (runs_a_week as f64 + 1.0);
    world.athlete.runs = (0..420)
        .map(|back| as_of.plus_days(-419 + back))
        .filter(|day| {
            [1, 3, 5, 6, 0].iter().take(runs_a_week).any(|at| *at == day.weekday().num_days_from_monday())
        })
        .map(|day| PastRun {
            day,
            distance: Distance::from_km(if day.weekday().num_days_from_monday() == 5 {
                2.0 * each
            } else {
                each
            })
            .unwrap(),
            duration: Some(TimeSpan::from_mins((each * 6.0) as i64)),
            hard: false,
        })
        .map(|run| PastRun { duration: TimeSpan::from_seconds(run.distance.km() * 360.0), ..run })
        .collect();
    world.athlete.first_day = world.athlete.runs.first().map(|run| run.day);
    world.athlete.first_run = world.athlete.first_day;
    let before = TrainingBaseline { as_of: day("2026-05-31"), ..world.athlete.clone() };
    let before = TrainingBaseline {
        runs: before.runs.iter().copied().filter(|run| run.day <= before.as_of).collect(),
        ..before
    };
    let wish = PlanRequest {
        name: None,
        goal: crate::plan::GoalDistance::Half,
        distance: None,
        start: day("2026-06-01"),
        race: day("2026-10-18"),
        target: None,
        availability: crate::plan::Availability::default(),
        long_day: None,
        tune_up: None,
        strength: false,
        cross: None,
        units: UnitSystem::Metric,
    };
    let draft = generate(&wish, &before).unwrap().draft;
    world.plan = Plan {
        goal: wish.goal,
        distance: Some(Distance::HALF_MARATHON),
        start_date: wish.start,
        race_date: wish.race,
        ..half_marathon()
    };
    world.workouts = (1..)
        .zip(draft.workouts())
        .map(|(id, workout)| PlannedWorkout { id: WorkoutId::new(id), workout: workout.clone() })
        .collect();
    world.athlete.as_of = as_of;
    world.today = as_of.next();
    world.verdicts = (world.workouts.iter())
        .map(|w| (if w.workout.date <= as_of { Verdict::Hit } else { Verdict::Pending }, None))
        .collect();
    world
}

/// The plan after applying all proposed changes.
fn apply_all(world: &Fixture, adaptation: &Adaptation) -> Vec<Workout> {
    let all = (0..adaptation.changes.len()).collect();
    let next = apply(&world.plan, &world.workouts, &adaptation.changes, &all, world.today).unwrap();
    next.into_iter().map(|NextRevisionWorkout { workout, .. }| workout).collect()
}

fn km(workout: &Workout) -> f64 {
    let by_turns = workout.name.starts_with("Run and walk");
    let minutes = workout.duration.map_or(0.0, |time| time.seconds() / 60.0);
    if by_turns { minutes / 8.0 } else { workout.distance.map_or(0.0, Distance::km) }
}

#[test]
fn the_weeks_after_an_injury_grow_from_what_was_run_since() {
    for (base, runs_a_week) in [(25.0, 3), (40.0, 4), (40.0, 5), (70.0, 5)] {
        for hurt in [3, 10, 24, 38] {
            for severity in [2, 3] {
                let through = day("2026-06-29").plus_days(hurt - 1);
                let name =
                    format!("{base} km in {runs_a_week} runs, hurt for {hurt} days, severity {severity}");
                let world = generated_fixture(base, runs_a_week).with_observation(
                    ObservationKind::Injury,
                    "2026-06-29",
                    &through.to_string(),
                    severity,
                );
                let adaptation = world.adapt().unwrap();
                let next = apply_all(&world, &adaptation);
                let runs: Vec<&Workout> = next
                    .iter()
                    .filter(|w| {
                        w.sport == Sport::Running && w.date > through && w.date < world.plan.race_date
                    })
                    .collect();
                if severity == 3 {
                    let turns: Vec<&&Workout> =
                        runs.iter().filter(|w| w.name.starts_with("Run and walk")).collect();
                    assert!(turns.len() >= 7, "{name}: the ladder has seven rungs");
                    let crate::plan::StepDuration::Time(last) = turns[turns.len() - 1].steps[1].duration
                    else {
                        panic!()
                    };
                    assert_eq!(last, 300.0, "{name}: up to five minutes");
                    assert!(
                        turns.windows(2).all(|pair| pair[0].date.days_until(pair[1].date) >= 2),
                        "{name}"
                    );
                }
                // Every run and week compared with those since the return.
                let ladder = through.plus_days(14);
                for (at, run) in runs
                    .iter()
                    .enumerate()
                    .filter(|(_, run)| run.date > ladder && !run.name.starts_with("Run and walk"))
                {
                    let longest = runs[..at].iter().map(|run| km(run)).fold(0.0, f64::max);
                    assert!(
                        km(run) <= (longest * 1.1).max(5.0) + 1e-6,
                        "{name}: {} after {longest}: {run:?}",
                        km(run)
                    );
                    let soft = run.date.days_until(ladder).abs() <= 6;
                    assert!(!(soft && run.kind.is_quality()), "{name}: nothing hard right after: {run:?}");
                }
                let weeks: Vec<f64> = crate::plan::race_weeks(through.plus_days(-6), world.plan.race_date)
                    .into_iter()
                    .map(|week| runs.iter().filter(|run| week.contains(run.date)).map(|run| km(run)).sum())
                    .collect();
                for (at, week) in weeks.iter().enumerate().skip(3) {
                    let before = weeks[at.saturating_sub(4)..at].iter().copied().fold(0.0, f64::max);
                    let most = (before * 1.2).max((before + 4.0).min(20.0));
                    assert!(*week <= most + 1e-6, "{name}: {week} after {before} in {weeks:?}");
                }
                // It can be applied: the linter reports no error from today.
                let findings =
                    lint(&LintInput::from_plan(&world.plan, &next), &world.athlete, UnitSystem::Metric);
                let steps: Vec<_> = findings
                    .iter()
                    .filter(|f| {
                        matches!(f.rule, LintRule::LongestRunJump | LintRule::WeeklyVolumeJump)
                            && f.severity == Severity::Error
                    })
                    .collect();
                assert!(steps.is_empty(), "{name}: {steps:?}");
                // The linter also accepts the steps when the return is run as planned.
                let mut athlete = world.athlete.clone();
                let last = athlete.runs[athlete.runs.len() - 1];
                athlete.as_of = ladder;
                athlete.runs.extend(runs.iter().filter(|run| run.date <= ladder).map(|run| PastRun {
                    day: run.date,
                    distance: Distance::from_km(km(run)).unwrap(),
                    duration: run.duration,
                    ..last
                }));
                let findings = lint(&LintInput::from_plan(&world.plan, &next), &athlete, UnitSystem::Metric);
                let steps: Vec<_> = findings
                    .iter()
                    .filter(|f| {
                        matches!(
                            f.rule,
                            LintRule::LongestRunJump
                                | LintRule::WeeklyVolumeJump
                                | LintRule::PeakAboveOwnBest
                        ) && f.severity != Severity::Note
                    })
                    .collect();
                assert!(steps.is_empty(), "{name}: {steps:?}");
                let told = adaptation.message.contains("the original plan continues")
                    || adaptation
                        .message
                        .contains("not enough time to return to the original plan before the race");
                assert!(told, "{name}: {}", adaptation.message);
            }
        }
    }
}

#[test]
fn message_says_whether_the_original_plan_can_be_reached() {
    let long =
        generated_fixture(40.0, 4).with_observation(ObservationKind::Injury, "2026-06-29", "2026-09-06", 3);
    let message = long.adapt().unwrap().message;
    assert!(message.contains("to return to the original plan before the race on 2026-10-18"), "{message}");
    let short =
        generated_fixture(25.0, 3).with_observation(ObservationKind::Injury, "2026-06-29", "2026-06-30", 2);
    let message = short.adapt().unwrap().message;
    assert!(message.contains(", the original plan continues"), "{message}");
}

#[test]
fn walk_run_continues_from_the_next_stage() {
    let mut world =
        generated_fixture(40.0, 4).with_observation(ObservationKind::Injury, "2026-06-29", "2026-06-30", 3);
    let first = |world: &Fixture| {
        let adaptation = world.adapt().unwrap();
        let found = adaptation.changes.iter().find_map(|change| match change {
            Change::Modify { workout, .. } => Some(workout.clone()),
            _ => None,
        });
        found.unwrap()
    };
    let last = *world.athlete.runs.last().unwrap();
    for back in ["2026-07-02", "2026-07-02", "2026-07-04"] {
        world.athlete.runs.push(PastRun {
            day: day(back),
            distance: Distance::from_km(3.0).unwrap(),
            ..last
        });
    }
    world.athlete.as_of = day("2026-07-05");
    world.today = day("2026-07-06");
    // Two days with runs, whatever the number of recordings.
    assert_eq!(first(&world).steps[1].duration, crate::plan::StepDuration::Time(120.0));
}

/// The new draft keeps strength and other sports, and nothing else is on the day of the tune-up
/// race.
#[test]
fn a_plan_drafted_again_keeps_the_race_along_the_way_the_strength_and_the_other_sport() {
    let mut world = Fixture::new();
    world.plan.race_date = day("2026-08-30");
    for planned in &mut world.workouts {
        if planned.workout.kind == WorkoutKind::Race {
            planned.workout.date = world.plan.race_date;
        }
    }
    let other = |date: &str, sport: Sport, kind: WorkoutKind| Workout {
        sport,
        duration: Some(TimeSpan::from_mins(40)),
        distance: None,
        ..workout(date, kind, 1.0)
    };
    for on in ["2026-06-28", "2026-07-19", "2026-08-22"] {
        for (id, more) in [
            workout(on, WorkoutKind::Race, 5.0),
            other("2026-06-16", Sport::Strength, WorkoutKind::Strength),
            other("2026-06-17", Sport::Cycling, WorkoutKind::CrossTraining),
        ]
        .into_iter()
        .enumerate()
        {
            world.workouts.retain(|w| w.id != WorkoutId::new(100 + id as i64));
            world.workouts.push(PlannedWorkout { id: WorkoutId::new(100 + id as i64), workout: more });
        }
        world.workouts.sort_by_key(|w| w.workout.date);
        world.verdicts = vec![(Verdict::Pending, None); world.workouts.len()];
        for (planned, verdict) in world.workouts.iter().zip(&mut world.verdicts) {
            if planned.workout.date <= world.athlete.as_of {
                verdict.0 = Verdict::Hit;
            }
        }
        let mut paused =
            Fixture { plan: world.plan.clone(), workouts: world.workouts.clone(), ..Fixture::new() };
        paused.verdicts.clone_from(&world.verdicts);
        let paused = paused.with_break(16);
        let again = paused.adapt().unwrap();
        assert!(again.message.contains("the rest of the plan is drafted again"), "{}", again.message);
        let all = (0..again.changes.len()).collect();
        let next = apply(&paused.plan, &paused.workouts, &again.changes, &all, paused.today).unwrap();
        let workouts: Vec<Workout> = next.into_iter().map(|next| next.workout).collect();
        let on_it: Vec<&Workout> = workouts.iter().filter(|w| w.date == day(on) && !w.is_rest()).collect();
        assert_eq!(on_it.iter().map(|w| w.kind).collect::<Vec<_>>(), [WorkoutKind::Race], "{on}: {on_it:?}");
        let ahead =
            |sport: Sport| workouts.iter().filter(|w| w.sport == sport && w.date >= paused.today).count();
        assert!(ahead(Sport::Strength) > 3 && ahead(Sport::Cycling) > 3, "{on}");
        let subject = LintInput::from_plan(&paused.plan, &workouts);
        let found = lint(&subject, &paused.athlete, UnitSystem::Metric);
        assert_eq!(crate::plan::lint::errors(&found).count(), 0, "{on}: {found:?}");
        // The first days take the break into account.
        let soon =
            workouts.iter().filter(|w| w.sport == Sport::Running && paused.today.days_until(w.date) < 7);
        let km: f64 =
            soon.filter(|w| w.date >= paused.today).filter_map(|w| w.distance).map(Distance::km).sum();
        assert!(km <= 20.0, "{on}: {km} km in the first seven days of 37 a week");
    }
}
