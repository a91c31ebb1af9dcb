//! Paces are in order for every athlete, steps add up to their workout, and targets are rated
//! consistently.

use super::super::paces::PlanPaces;
use super::super::volume::VolumeInput;
use super::athletes::{as_of, plan_request, runner, with_result};
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::predict::{
    Performance, PredictionInputs, RaceResult, ResultKind, Vdot, WeeklyVolume, predict,
};
use crate::plan::lint::{LintRule, Severity};
use crate::plan::{
    DatedPaces, GoalDistance, GoalSupport, StepDuration, StepTarget, StepType, TrainingBaseline, WorkoutKind,
    finish_on_race_day, generate, goal_support,
};

const GOALS: [GoalDistance; 4] =
    [GoalDistance::FiveK, GoalDistance::TenK, GoalDistance::Half, GoalDistance::Full];

/// Athletes whose result, prediction and easy runs disagree.
fn athletes(race: Distance) -> Vec<(String, TrainingBaseline)> {
    let mut all = Vec::new();
    for weekly in [16.0, 36.0, 70.0] {
        for form in [34.0, 44.0, 60.0] {
            for other in [0.75, 0.9, 1.0, 1.1] {
                for easy in [0.9, 1.0, 1.15] {
                    let mut athlete = runner(weekly, 4, 60);
                    let (result, known) = (Vdot::new(form).unwrap(), Vdot::new(form * other).unwrap());
                    let paces = result.paces(None).unwrap();
                    let half = Distance::HALF_MARATHON;
                    let raced = RaceResult {
                        distance: half,
                        time: known.time_over(half).unwrap(),
                        on: Some(as_of().plus_days(-10)),
                        effort: ResultKind::Race,
                    };
                    let inputs = PredictionInputs {
                        results: &[raced],
                        weekly: Some(WeeklyVolume { distance: athlete.base().unwrap(), weeks: Some(8) }),
                        training: None,
                        sex: None,
                        history: &[],
                        as_of: as_of(),
                    };
                    athlete.prediction = predict(race, &inputs);
                    athlete.paces = Some(DatedPaces { paces, result_on: as_of().plus_days(-100) });
                    for run in &mut athlete.runs {
                        let pace = paces.easy.1.seconds_per_km() * easy;
                        run.duration = TimeSpan::from_seconds(run.distance.km() * pace);
                    }
                    let label = format!("{weekly} km, VDOT {form}, predicted {other}, easy {easy}");
                    all.push((label, athlete));
                }
            }
        }
    }
    all
}

#[test]
fn paces_are_in_order_and_the_race_lies_where_its_distance_puts_it() {
    let mut raced = 0;
    for goal in GOALS {
        let race = goal.distance().unwrap();
        for (label, athlete) in athletes(race) {
            for slower in [None, Some(1.05), Some(1.5)] {
                let mut asked = plan_request(goal, 16 * 7 - 1);
                let predicted = athlete.prediction.as_ref().unwrap().exact;
                asked.target =
                    slower.and_then(|slower| TimeSpan::from_seconds(predicted.time.seconds() * slower));
                let shape = VolumeInput::new(&asked, race, athlete.level().unwrap(), &athlete, 1.0);
                let speeds = PlanPaces::for_athlete(&athlete, &asked, &shape);
                let label = format!("{goal}, {label}, {slower:?}");
                let (easy, interval) = (speeds.easy.unwrap(), speeds.interval.unwrap_or(0.0));
                let threshold = speeds.threshold.unwrap_or(easy);
                assert!(interval < threshold && threshold <= easy, "{label}: {interval} {threshold} {easy}");
                let Some(pace) = speeds.race else { continue };
                raced += 1;
                let fits = match goal {
                    GoalDistance::FiveK | GoalDistance::TenK => interval <= pace && pace < threshold,
                    _ => threshold < pace && pace < easy,
                };
                assert!(fits, "{label}: I {interval} T {threshold} race {pace} easy {easy}");
                let quarter = predicted.first_quarter().seconds() / race.km();
                assert!(pace * 0.99 >= quarter, "{label}: {pace} is faster than one in four, {quarter}");
            }
        }
    }
    assert!(raced > 500, "{raced}");
}

#[test]
fn a_shorter_race_is_never_slower() {
    let of = |goal: GoalDistance| {
        let (race, asked) = (goal.distance().unwrap(), plan_request(goal, 16 * 7 - 1));
        let paces = athletes(race).into_iter().map(move |(_, athlete)| {
            let shape = VolumeInput::new(&asked, race, athlete.level().unwrap(), &athlete, 1.0);
            PlanPaces::for_athlete(&athlete, &asked, &shape).race
        });
        paces.collect::<Vec<_>>()
    };
    let by_goal = GOALS.map(of);
    for number in 0..by_goal[0].len() {
        let paces: Vec<f64> = by_goal.iter().filter_map(|paces| paces[number]).collect();
        assert!(paces.is_sorted(), "{number}: {paces:?}");
    }
}

#[test]
fn plans_with_contradicting_paces_have_no_lint_errors() {
    for goal in GOALS {
        for (label, athlete) in athletes(goal.distance().unwrap()).into_iter().step_by(11) {
            let plan = match generate(&plan_request(goal, 16 * 7 - 1), &athlete) {
                Ok(plan) => plan,
                Err(why) => {
                    assert!(
                        !matches!(why, crate::plan::GenerateError::Unsafe { .. }),
                        "{goal}, {label}: {why}"
                    );
                    continue;
                }
            };
            assert!(
                plan.findings.iter().all(|f| f.severity != Severity::Error),
                "{label}: {:?}",
                plan.findings
            );
        }
    }
}

/// Steps by distance, and steps by time at their pace, add up to the workout.
#[test]
fn the_steps_of_a_run_add_up_to_it() {
    for (goal, known) in [
        (GoalDistance::Full, true),
        (GoalDistance::Half, true),
        (GoalDistance::TenK, false),
        (GoalDistance::FiveK, true),
    ] {
        let mut athlete = runner(52.0, 5, 60);
        if known {
            athlete = with_result(athlete, goal.distance().unwrap());
        }
        let easy = athlete.easy_pace().unwrap().seconds_per_km();
        let plan = generate(&plan_request(goal, 16 * 7 - 1), &athlete).unwrap();
        let mut kinds = std::collections::BTreeSet::new();
        for workout in plan.draft.workouts().iter().filter(|workout| !workout.steps.is_empty()) {
            kinds.insert(workout.kind.as_str());
            let easy_run = easy..=easy;
            let sum = |end: fn(f64, f64) -> f64| {
                let amounts = workout.steps.iter().map(|step| {
                    let pace = match (step.target, step.step_type) {
                        (StepTarget::Pace(range), _) => end(range.low.unwrap(), range.high.unwrap()),
                        (_, StepType::Recovery) => end(easy, 660.0),
                        (_, StepType::Active) if workout.steps.len() > 1 => end(easy * 0.75, *easy_run.end()),
                        _ => easy,
                    };
                    match step.duration {
                        StepDuration::Distance(meters) => (meters / 1000.0, meters / 1000.0 * pace),
                        StepDuration::Time(time) => (time / pace, time),
                        _ => panic!("{step:?}"),
                    }
                });
                amounts.fold((0.0, 0.0), |(km, seconds), (far, long)| (km + far, seconds + long))
            };
            let ((most_km, least), (least_km, most)) = (sum(f64::min), sum(f64::max));
            let (told, minutes) =
                (workout.distance.unwrap().km(), workout.duration.unwrap().seconds() / 60.0);
            let label = format!("{} {}", workout.date, workout.name);
            assert!(
                (least_km - 0.16..=most_km + 0.16).contains(&told),
                "{label}: {least_km} to {most_km}, {told} {workout:?}"
            );
            let range = least / 60.0 - 1.5..=most / 60.0 + 1.5;
            assert!(range.contains(&minutes), "{label}: {range:?}, {minutes} minutes");
        }
        assert!(kinds.contains(WorkoutKind::Strides.as_str()) && kinds.len() >= 4, "{kinds:?}");
    }
}

#[test]
fn generator_and_linter_say_the_same_about_a_target() {
    let athlete = with_result(runner(45.0, 5, 60), Distance::HALF_MARATHON);
    let predicted = athlete.prediction.as_ref().unwrap().exact.time;
    let mut seen = std::collections::BTreeSet::new();
    for percent in 75..106 {
        let mut asked = plan_request(GoalDistance::Half, 14 * 7 - 1);
        asked.target = TimeSpan::from_seconds((predicted.seconds() * f64::from(percent) / 100.0).round());
        assert!(Performance::new(Distance::HALF_MARATHON, asked.target.unwrap()).is_ok());
        let plan = generate(&asked, &athlete).unwrap();
        let finish = finish_on_race_day(&athlete, asked.start, asked.race).unwrap();
        let (word, warned) = match goal_support(asked.target.unwrap(), finish) {
            GoalSupport::Supported => ("is realistic: your data predicts", None),
            GoalSupport::Stretch => ("is a stretch", Some("a stretch")),
            GoalSupport::Unlikely => ("is unlikely", Some("unlikely")),
            GoalSupport::Unsupported => ("Your data does not support a target of", Some("not supported")),
        };
        seen.insert(word);
        assert!(plan.notes[0].contains(word), "{percent} %: {:?}", plan.notes);
        let said = plan
            .findings
            .iter()
            .find(|finding| finding.rule == LintRule::RacePaceTooFast)
            .map(|f| f.text.as_str());
        assert_eq!(said.is_some(), warned.is_some(), "{percent} %: {said:?}");
        assert!(said.is_none_or(|said| said.contains(warned.unwrap())), "{percent} %: {said:?}");
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
}
