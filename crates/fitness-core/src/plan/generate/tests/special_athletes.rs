//! Special cases: beginners, injuries, returns, masters, tune-up races.

use super::athletes::{as_of, plan_request, runner, with_result, without_data_for};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::plan::lint::{self, Severity};
use crate::plan::{
    GeneratedPlan, GoalDistance, Level, StepDuration, StepTarget, TrainingBaseline, TuneUp, Workout,
    WorkoutKind, finish_on_race_day, generate, planned_running_distance, race_weeks,
};

fn is_hard(workout: &Workout) -> bool {
    use WorkoutKind::{Hills, Intervals, Race, RacePace, Tempo};
    matches!(workout.kind, Hills | Intervals | Race | RacePace | Tempo)
}

fn count_paced_steps(plan: &GeneratedPlan) -> usize {
    let steps = plan.draft.workouts().iter().flat_map(|workout| &workout.steps);
    steps.filter(|step| matches!(step.target, StepTarget::Pace(_))).count()
}

#[test]
fn a_pace_is_given_only_where_a_dated_result_supports_it() {
    let asked = plan_request(GoalDistance::Half, 14 * 7 - 1);
    let known = with_result(runner(45.0, 5, 60), Distance::HALF_MARATHON);
    assert!(count_paced_steps(&generate(&asked, &known).unwrap()) > 10);
    let unknown = generate(&asked, &runner(45.0, 5, 60)).unwrap();
    assert_eq!(count_paced_steps(&unknown), 0);
    let words = unknown.draft.workouts().iter().filter(|w| is_hard(w)).all(|w| w.intensity.is_some());
    assert!(words, "effort is said in words");
}

#[test]
fn paces_follow_the_data_and_never_a_faster_target() {
    let known = with_result(runner(45.0, 5, 60), Distance::HALF_MARATHON);
    let mut asked = plan_request(GoalDistance::Half, 14 * 7 - 1);
    let plain = generate(&asked, &known).unwrap();
    asked.target = Some(TimeSpan::from_mins(80));
    let wished = generate(&asked, &known).unwrap();
    assert_eq!(plain.draft.workouts().len(), wished.draft.workouts().len());
    for (one, other) in plain.draft.workouts().iter().zip(wished.draft.workouts()) {
        assert_eq!(one.steps, other.steps, "{}", one.date);
    }
    assert!(
        wished.notes[0].contains("Your data does not support a target of 1:20:00."),
        "{:?}",
        wished.notes
    );
    assert!(wished.notes[0].contains("would make it realistic"), "{:?}", wished.notes);
    asked.target = Some(TimeSpan::from_mins(150));
    let relaxed = generate(&asked, &known).unwrap();
    assert!(relaxed.notes[0].contains("is realistic: your data predicts"), "{:?}", relaxed.notes);
}

fn weekly(plan: &GeneratedPlan) -> Vec<f64> {
    let (start, race) = (plan.draft.start_date(), plan.draft.race_date());
    let weeks = race_weeks(start, race);
    weeks.iter().map(|week| planned_running_distance(plan.draft.workouts(), *week, race).km()).collect()
}

#[test]
fn a_typed_base_does_not_take_the_place_of_what_was_run() {
    let asked = plan_request(GoalDistance::Half, 14 * 7 - 1);
    let mut athlete = runner(22.0, 4, 60);
    let plain = generate(&asked, &athlete).unwrap();
    athlete.self_reported.base = Distance::from_km(50.0);
    athlete.self_reported.longest = Distance::from_km(20.0);
    let typed = generate(&asked, &athlete).unwrap();
    let (before, after) = (weekly(&plain), weekly(&typed));
    assert!(after[0] <= before[0] * 1.10 + 0.5, "{before:?} {after:?}");
    let most = |km: &[f64]| km.iter().copied().fold(0.0, f64::max);
    assert!(most(&after) <= most(&before) * 1.05 + 0.5, "{before:?} {after:?}");
    let said = typed.notes.iter().any(|said| {
        said.starts_with("You entered a typical week of 50.0 km, but the last four weeks show 22.0 km")
    });
    assert!(said, "{:?}", typed.notes);
    assert!(typed.notes.iter().any(|said| said.starts_with("You entered a longest run of 20.0 km")));
    // A lower value is used directly.
    athlete.self_reported.base = Distance::from_km(15.0);
    let lower = generate(&asked, &athlete).unwrap();
    assert!(weekly(&lower)[0] <= 15.5, "{:?}", weekly(&lower));
    assert!(lower.notes[0].contains("You entered a typical week of 15.0 km;"), "{:?}", lower.notes);
}

/// No data for two months: a stated base is used; without one the runs since are unknown.
#[test]
fn data_that_ended_long_before_the_plan_makes_one_from_what_is_typed_or_as_after_a_pause() {
    for km in [22.0, 45.0, 80.0] {
        for (base, longest) in
            [(None, None), (Some(0.9), Some(0.3)), (Some(2.0), Some(0.6)), (None, Some(0.5))]
        {
            for goal in [GoalDistance::FiveK, GoalDistance::Half] {
                let mut asked = plan_request(goal, 16 * 7 - 1);
                (asked.start, asked.race) = (asked.start.plus_days(60), asked.race.plus_days(60));
                let mut athlete = runner(km, 4, 60);
                athlete.today = asked.start;
                athlete.self_reported.base = base.and_then(|share: f64| Distance::from_km(km * share));
                athlete.self_reported.longest = longest.and_then(|share: f64| Distance::from_km(km * share));
                let plan = generate(&asked, &athlete).unwrap();
                let (first, said) = (weekly(&plan)[0], plan.notes.join(" "));
                if base.is_some() {
                    assert!((0.6 * km..1.1 * km).contains(&first), "{km}, {base:?}: {:?}", weekly(&plan));
                    assert!(said.contains("Your data ends on 2026-03-01: for the time since"), "{said}");
                } else {
                    assert!(first <= 6.0, "{km}, {base:?}: {:?}", weekly(&plan));
                    assert!(said.contains("later runs are unknown"), "{said}");
                }
                assert_eq!(lint::errors(&plan.findings).count(), 0, "{:?}", plan.findings);
            }
        }
    }
}

/// A prediction from old data supports no target, and unknown weeks bring no improvement.
#[test]
fn data_that_ended_supports_no_target() {
    let mut asked = plan_request(GoalDistance::Half, 16 * 7 - 1);
    asked.target = "1:50:00".parse().ok();
    let known = with_result(runner(45.0, 5, 60), Distance::HALF_MARATHON);
    let plan = generate(&asked, &known).unwrap();
    assert!(plan.notes[0].contains("is realistic: your data predicts"), "{:?}", plan.notes);
    let later = finish_on_race_day(&known, asked.start, asked.race).unwrap();
    for days in [14, 39, 95, 105, 116, 200] {
        let silent = without_data_for(days, known.clone());
        assert!(silent.prediction.is_ok(), "or this shows nothing");
        assert_eq!(finish_on_race_day(&silent, asked.start, asked.race), None, "{days}");
        let said = generate(&asked, &silent).unwrap().notes.join(" ");
        assert!(said.contains("your current fitness is unknown"), "{days}: {said}");
        assert!(!said.contains("supports") && !said.contains("after 1"), "{days}: {said}");
        // With a stated base the prediction still applies, as long as the result is recent enough.
        let mut running = silent.clone();
        running.self_reported.base = Distance::from_km(45.0);
        assert_eq!(running.current_prediction().is_some(), days <= 120, "{days}");
    }
    // The data shows four weeks without a run.
    let mut paused = known.clone();
    paused.runs.retain(|run| run.day.days_until(paused.as_of) >= 28);
    assert_eq!(paused.current_prediction(), None);
    // In a plan in progress, ten days without data are ten days less to improve.
    let mut late = known.clone();
    late.today = asked.race.plus_days(-15);
    late.self_reported.base = Distance::from_km(45.0);
    late.as_of = late.today.plus_days(-90);
    late.runs.clone_from(&known.runs);
    let soon = finish_on_race_day(&late, asked.start, asked.race).unwrap();
    assert!(soon.time > later.time, "{soon:?} {later:?}");
}

/// Less than a week before the race: a few short runs, one of them at race pace.
#[test]
fn five_day_plan_is_a_race_week() {
    for goal in [GoalDistance::FiveK, GoalDistance::TenK, GoalDistance::Half, GoalDistance::Full] {
        for start in 0..7 {
            let mut asked = plan_request(goal, 5);
            (asked.start, asked.race) = (asked.start.plus_days(start), asked.race.plus_days(start));
            let athlete = with_result(runner(52.0, 5, 60), goal.distance().unwrap());
            let plan = generate(&asked, &athlete).unwrap();
            let runs: Vec<_> = (plan.draft.workouts().iter())
                .filter(|w| w.sport == Sport::Running && w.kind != WorkoutKind::Race)
                .collect();
            assert!((2..=4).contains(&runs.len()), "{goal}: {runs:?}");
            assert!(runs.iter().any(|w| w.kind == WorkoutKind::RacePace), "{goal}, {start}: {runs:?}");
            let km = |w: &&&Workout| w.distance.unwrap().km();
            let last = runs.iter().filter(|w| w.date == asked.race.previous()).find(|w| km(w) > 5.0);
            assert_eq!(last, None, "{goal}, {start}");
            let told = plan.week_summaries(UnitSystem::Metric);
            assert_eq!((told.len(), told[0].first), (1, asked.start), "{told:?}");
            assert!(
                plan.notes.iter().any(|said| said.contains("Less than a full week is left")),
                "{:?}",
                plan.notes
            );
        }
    }
}

#[test]
fn stale_data_note_names_the_last_day() {
    let mut athlete = runner(37.0, 4, 60);
    let units = UnitSystem::Metric;
    assert!(athlete.describe(units).starts_with("You usually run 37.0 km a week, and "));
    athlete.today = athlete.as_of.plus_days(45);
    let told = athlete.describe(units);
    assert!(told.starts_with("Up to 2026-03-01, 45 days ago, you usually ran "), "{told}");
    assert!(told.contains("your longest run in the 30 days before that was 11.8 km"), "{told}");
    // A plan that starts later does not make the data old.
    let mut later = plan_request(GoalDistance::Half, 16 * 7 - 1);
    (later.start, later.race) = (later.start.plus_days(28), later.race.plus_days(28));
    let plan = generate(&later, &runner(37.0, 4, 60)).unwrap();
    assert!(weekly(&plan)[0] > 20.0, "{:?}", weekly(&plan));
}

#[test]
fn a_base_nobody_recorded_makes_no_huge_weeks_and_no_tiny_sessions() {
    for (km, level) in [(20.0, Level::Novice), (45.0, Level::Intermediate), (80.0, Level::Advanced)] {
        let mut unknown = TrainingBaseline::unknown(as_of());
        unknown.self_reported.base = Distance::from_km(km);
        let plan = generate(&plan_request(GoalDistance::Half, 20 * 7 - 1), &unknown).unwrap();
        assert_eq!(unknown.level(), Ok(level));
        let most = weekly(&plan).into_iter().fold(0.0, f64::max);
        assert!(most <= km * 1.7 && most >= km, "{km}: {most}");
        assert!(plan.notes[0].contains("There is not enough data yet"), "{:?}", plan.notes);
    }
    let mut unknown = TrainingBaseline::unknown(as_of());
    unknown.self_reported.base = Distance::from_km(80.0);
    let plan = generate(&plan_request(GoalDistance::Half, 20 * 7 - 1), &unknown).unwrap();
    let minutes = |workout: &Workout| -> f64 {
        let active = workout.steps.iter().filter(|step| step.step_type == crate::plan::StepType::Active);
        active
            .map(|step| if let StepDuration::Time(seconds) = step.duration { seconds / 60.0 } else { 0.0 })
            .sum()
    };
    let tempo = plan
        .draft
        .workouts()
        .iter()
        .filter(|w| w.kind == WorkoutKind::Tempo)
        .map(minutes)
        .fold(0.0, f64::max);
    assert!(tempo >= 30.0, "{tempo} minutes of tempo in weeks of 80 km and more");
}

#[test]
fn a_beginner_walks_and_runs_by_the_minute() {
    let mut beginner = TrainingBaseline::unknown(as_of());
    beginner.self_reported.level = Some(Level::Novice);
    let plan = generate(&plan_request(GoalDistance::FiveK, 10 * 7 - 1), &beginner).unwrap();
    assert_eq!(lint::errors(&plan.findings).count(), 0, "{:?}", plan.findings);
    let sessions: Vec<&Workout> =
        plan.draft.workouts().iter().filter(|w| !w.is_rest() && w.kind != WorkoutKind::Race).collect();
    assert!(sessions.iter().all(|w| w.distance.is_none() && w.duration.is_some()));
    assert!(sessions.iter().all(|w| w.steps.iter().all(|s| s.target == StepTarget::Open)));
    // At 7 to 9 minutes per kilometre the first week stays below 6 km of running.
    let running: f64 = sessions[..3]
        .iter()
        .flat_map(|w| &w.steps)
        .filter(|step| step.step_type == crate::plan::StepType::Active)
        .map(|step| if let StepDuration::Time(seconds) = step.duration { seconds } else { 0.0 })
        .sum();
    assert!(running / 60.0 / 7.0 < 6.0, "{running}");
    assert!(plan.notes[0].contains("You have no recorded runs yet"), "{:?}", plan.notes);
    let mut asked = plan_request(GoalDistance::FiveK, 10 * 7 - 1);
    asked.strength = true;
    asked.tune_up = Some(TuneUp { on: asked.start.plus_days(40), distance: Distance::from_km(3.0).unwrap() });
    let more = generate(&asked, &beginner).unwrap();
    assert_eq!(lint::errors(&more.findings).count(), 0, "{:?}", more.findings);
    assert_eq!(more.draft.workouts().iter().filter(|w| w.kind == WorkoutKind::Race).count(), 2);
    assert!(more.draft.workouts().iter().filter(|w| w.sport == Sport::Strength).count() > 10);
}

/// Minutes of every workout of a beginner plan, with their days.
fn by_minutes(plan: &GeneratedPlan) -> Vec<(crate::domain::calendar::Day, f64)> {
    let runs =
        plan.draft.workouts().iter().filter(|w| w.sport == Sport::Running && w.kind != WorkoutKind::Race);
    runs.map(|w| (w.date, w.duration.unwrap().seconds() / 60.0)).collect()
}

#[test]
fn from_nothing_the_minutes_grow_smoothly_and_the_days_lie_apart() {
    for (goal, weeks) in [
        (GoalDistance::FiveK, 10),
        (GoalDistance::TenK, 12),
        (GoalDistance::Half, 14),
        (GoalDistance::Full, 21),
        (GoalDistance::Full, 40),
    ] {
        let mut beginner = TrainingBaseline::unknown(as_of());
        beginner.self_reported.level = Some(Level::Novice);
        let plan = generate(&plan_request(goal, weeks * 7 - 1), &beginner).unwrap();
        let runs = by_minutes(&plan);
        for (day, minutes) in &runs {
            let before = runs.iter().filter(|(ran, _)| (1..=30).contains(&ran.days_until(*day)));
            let most = before.map(|(_, minutes)| *minutes).fold(0.0, f64::max);
            assert!(
                most == 0.0 || *minutes <= (most * 1.1).max(most + 3.0) + 1.0,
                "{goal}: {minutes} on {day}"
            );
        }
        assert!(runs.windows(2).all(|pair| pair[0].0.days_until(pair[1].0) >= 2), "{goal}: {runs:?}");
        let full = race_weeks(plan.draft.start_date(), plan.draft.race_date());
        let sums: Vec<f64> = (full.iter())
            .map(|week| runs.iter().filter(|(day, _)| week.contains(*day)).map(|(_, m)| m).sum())
            .collect();
        assert!(sums.windows(2).all(|pair| pair[1] <= pair[0] * 1.3), "{goal}: {sums:?}");
        assert!(sums[..sums.len() - 2].iter().all(|sum| *sum >= sums[0]), "{goal}: {sums:?}");
    }
}

#[test]
fn unprepared_beginner_gets_a_note() {
    let mut beginner = TrainingBaseline::unknown(as_of());
    beginner.self_reported.level = Some(Level::Novice);
    for (goal, weeks, short) in [
        (GoalDistance::FiveK, 14, false),
        (GoalDistance::Half, 14, true),
        (GoalDistance::Full, 21, true),
        (GoalDistance::Half, 52, false),
    ] {
        let said = generate(&plan_request(goal, weeks * 7 - 1), &beginner).unwrap().notes.join(" ");
        assert_eq!(
            said.contains("does not prepare you to run the whole distance"),
            short,
            "{goal}, {weeks}: {said}"
        );
    }
}

#[test]
fn plan_after_a_break_starts_smaller() {
    let mut athlete = runner(50.0, 5, 60);
    let last = as_of().plus_days(-10);
    athlete.runs.retain(|run| run.day < last);
    let plan = generate(&plan_request(GoalDistance::TenK, 12 * 7 - 1), &athlete).unwrap();
    let weeks = race_weeks(plan.draft.start_date(), plan.draft.race_date());
    let first = planned_running_distance(plan.draft.workouts(), weeks[0], plan.draft.race_date()).km();
    // Half of the earlier volume for half the length of the break, then three quarters.
    assert!((0.45 * 50.0..=0.62 * 50.0).contains(&first), "{first}");
    assert!(plan.notes.iter().any(|said| said.contains("You have not run for")), "{:?}", plan.notes);
}

#[test]
fn masters_have_their_hard_days_three_days_apart() {
    let mut athlete = with_result(runner(55.0, 5, 60), Distance::from_km(10.0).unwrap());
    athlete.age = Some(56);
    let plan = generate(&plan_request(GoalDistance::TenK, 14 * 7 - 1), &athlete).unwrap();
    let days: Vec<_> = plan.draft.workouts().iter().filter(|w| is_hard(w)).map(|w| w.date).collect();
    assert!(days.len() > 10, "{days:?}");
    assert!(days.windows(2).all(|pair| pair[0].days_until(pair[1]) >= 3), "{days:?}");
}

#[test]
fn a_race_along_the_way_has_easy_days_around_it() {
    let mut asked = plan_request(GoalDistance::Full, 16 * 7 - 1);
    let on = asked.start.plus_days(8 * 7 - 1);
    asked.tune_up = Some(TuneUp { on, distance: Distance::HALF_MARATHON });
    let plan = generate(&asked, &with_result(runner(55.0, 5, 60), Distance::MARATHON)).unwrap();
    assert_eq!(lint::errors(&plan.findings).count(), 0, "{:?}", plan.findings);
    let near: Vec<&Workout> = plan
        .draft
        .workouts()
        .iter()
        .filter(|w| (-3..=5).contains(&on.days_until(w.date)) && w.date != on)
        .collect();
    assert!(near.iter().all(|w| !is_hard(w) && w.kind != WorkoutKind::Long), "{near:?}");
    let race: Vec<&Workout> = plan.draft.workouts().iter().filter(|w| w.date == on).collect();
    assert_eq!(race.len(), 1);
    assert_eq!((race[0].kind, race[0].distance), (WorkoutKind::Race, Some(Distance::HALF_MARATHON)));
}

#[test]
fn blocked_days_strength_and_another_sport_are_honoured() {
    let mut asked = plan_request(GoalDistance::Half, 14 * 7 - 1);
    asked.strength = true;
    asked.cross = Some(Sport::Cycling);
    let holiday = asked.start.plus_days(30);
    asked.availability.blackouts = holiday.through(holiday.plus_days(8)).collect();
    let plan = generate(&asked, &with_result(runner(45.0, 4, 60), Distance::HALF_MARATHON)).unwrap();
    let blocked = |w: &&Workout| asked.availability.blackouts.contains(&w.date);
    assert!(plan.draft.workouts().iter().filter(blocked).all(Workout::is_rest));
    assert!(plan.draft.workouts().iter().any(|w| w.sport == Sport::Strength));
    assert!(plan.draft.workouts().iter().any(|w| w.sport == Sport::Cycling));
    let warnings = plan.findings.iter().filter(|f| f.severity == Severity::Warning).count();
    assert!(warnings <= 2, "{:?}", plan.findings);
}

#[test]
fn every_day_up_to_the_race_has_a_workout_or_rest() {
    let mut asked = plan_request(GoalDistance::TenK, 70);
    asked.start = asked.start.plus_days(2);
    let plan = generate(&asked, &runner(40.0, 4, 60)).unwrap();
    let mut days: Vec<_> = plan.draft.workouts().iter().map(|w| w.date).collect();
    days.dedup();
    let monday = asked.start.iso_week().monday();
    assert_eq!(days, monday.through(asked.race).collect::<Vec<_>>());
    assert!(plan.draft.workouts().iter().filter(|w| w.date < asked.start).all(Workout::is_rest));
}

/// An entered longest run is the starting point, recorded or not, and grows by 10 % at a time.
#[test]
fn a_typed_longest_run_is_not_exceeded_by_more_than_a_tenth() {
    for goal in [GoalDistance::TenK, GoalDistance::Half, GoalDistance::Full] {
        for (base, typed) in [(40.0, 9.0), (40.0, 6.0), (25.0, 6.0), (60.0, 12.0), (30.0, 3.0)] {
            for recorded in [false, true] {
                for known in [false, true] {
                    let mut athlete = TrainingBaseline::unknown(as_of());
                    if recorded {
                        athlete = runner(base, 5, 60);
                    } else {
                        athlete.self_reported.base = Distance::from_km(base);
                    }
                    athlete.self_reported.longest = Distance::from_km(typed);
                    let mut asked = plan_request(goal, 16 * 7 - 1);
                    asked.start = asked.start.plus_days(if known { 3 } else { 0 });
                    let plan = match generate(&asked, &athlete) {
                        Ok(plan) => plan,
                        Err(why) => panic!("{goal}, {base}, {typed}, recorded {recorded}: {why}"),
                    };
                    let mut done = vec![(asked.start.previous(), typed)];
                    let runs = plan.draft.workouts().iter().filter(|w| w.sport == Sport::Running);
                    for run in runs.filter(|w| w.kind != WorkoutKind::Race) {
                        let km = run.distance.unwrap().km();
                        let recent =
                            done.iter().filter(|(day, _)| day.days_until(run.date) <= 30).map(|(_, km)| *km);
                        let most = (recent.fold(0.0, f64::max) * 1.10).max(5.0);
                        assert!(
                            km <= most + 1e-6,
                            "{goal}, {base}, {typed}, recorded {recorded}: {km} of {most} on {}",
                            run.date
                        );
                        done.push((run.date, km));
                    }
                }
            }
        }
    }
}

/// A marathon in 21 days, with a base of 31 km and a longest run of 17 km.
#[test]
fn three_week_marathon_plan_has_one_full_week_and_an_honest_note() {
    let mut athlete = runner(31.0, 4, 60);
    athlete.runs.last_mut().unwrap().distance = Distance::from_km(17.0).unwrap();
    let athlete = with_result(athlete, Distance::MARATHON);
    let (base, longest) = (athlete.base().unwrap().km(), athlete.longest_run().unwrap().km());
    assert!((30.0..34.0).contains(&base) && longest == 17.0, "{base} {longest}");
    let mut asked = plan_request(GoalDistance::Full, 3 * 7 - 1);
    let today = athlete.prediction.as_ref().unwrap().exact;
    asked.target = Some(TimeSpan::from_secs(today.time.whole_seconds() + 300));
    let plan = generate(&asked, &athlete).unwrap();
    let weeks = weekly(&plan);
    let shares: Vec<f64> = weeks.iter().map(|km| km / base).collect();
    assert!((0.97..=1.03).contains(&shares[0]), "one week at the base: {shares:?}");
    assert!((0.70..=0.78).contains(&shares[1]) && (0.38..=0.46).contains(&shares[2]), "{shares:?}");
    let runs =
        plan.draft.workouts().iter().filter(|w| w.sport == Sport::Running && w.kind != WorkoutKind::Race);
    let long = runs.max_by_key(|run| run.distance).unwrap();
    let km = long.distance.unwrap().km();
    assert!((0.9 * longest..=1.10 * longest).contains(&km), "{km}");
    assert!(long.date.days_until(asked.race) >= 12, "{}", long.date);
    let said = plan.notes.join(" ");
    for part in [
        "this plan maintains your fitness",
        "not enough preparation",
        "about 13 minutes longer (Fokkema et al. 2020)",
        "6% later",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("is realistic") && !said.contains("of training."), "{said}");
    let finish = finish_on_race_day(&athlete, asked.start, asked.race).unwrap();
    let times = |share: f64, time: TimeSpan| TimeSpan::from_seconds(time.seconds() * share).unwrap();
    assert_eq!(
        (finish.low, finish.time, finish.high),
        (today.low, times(1.064, today.time), times(1.064, today.high))
    );

    // A prepared runner is only told that three weeks bring no improvement.
    let mut ready = athlete.clone();
    ready.runs.last_mut().unwrap().distance = Distance::from_km(22.0).unwrap();
    assert_eq!(finish_on_race_day(&ready, asked.start, asked.race), Some(today));
    let said = generate(&asked, &ready).unwrap().notes.join(" ");
    assert!(
        said.contains("is realistic: your data predicts") && said.contains("too short to expect improvement"),
        "{said}"
    );
    assert!(!said.contains("Fokkema"), "{said}");
}

/// Four to ten weeks before a marathon build nothing and lose nothing: the longest run is repeated.
#[test]
fn weeks_too_few_to_build_keep_the_longest_run() {
    for (km, runs) in [(31.0, 4), (45.0, 5)] {
        for weeks in [4, 5, 7] {
            let mut athlete = runner(km, runs, 60);
            athlete.runs.last_mut().unwrap().distance = Distance::from_km(0.5 * km).unwrap();
            let plan = generate(&plan_request(GoalDistance::Full, weeks * 7 - 1), &athlete).unwrap();
            let runs = plan.draft.workouts().iter().filter(|w| w.kind == WorkoutKind::Long);
            let longest = runs.filter_map(|run| run.distance).max().unwrap().km();
            assert!(longest >= 0.95 * athlete.longest_run().unwrap().km(), "{km}, {weeks} weeks: {longest}");
        }
    }
}

/// Plans below twelve weeks taper for two weeks, after a slightly lighter third week (R20, R24).
#[test]
fn a_short_marathon_plan_tapers_in_two_weeks_after_a_hardly_lighter_one() {
    for (weeks, expected) in [(8, [0.88, 0.66, 0.38]), (16, [0.80, 0.60, 0.30])] {
        let plan = generate(&plan_request(GoalDistance::Full, weeks * 7 - 1), &runner(60.0, 5, 60)).unwrap();
        let km = weekly(&plan);
        let peak = km.iter().copied().fold(0.0, f64::max);
        let last: Vec<f64> = km[km.len() - 3..].iter().map(|km| km / peak).collect();
        let near = last.iter().zip(expected).all(|(is, wanted)| (is - wanted).abs() < 0.04);
        assert!(near, "{weeks} weeks: {last:?} {km:?}");
    }
}
