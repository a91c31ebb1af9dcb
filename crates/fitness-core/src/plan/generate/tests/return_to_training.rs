//! Plans that begin in a break: the first days and weeks build up gradually.

use super::athletes::{as_of, plan_request, runner};
use crate::domain::observation::AbsenceReason;
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::lint::{self, Severity};
use crate::plan::{
    GeneratedPlan, GoalDistance, PlanRequest, TrainingBaseline, UnavailablePeriod, Workout, WorkoutKind,
    generate, planned_running_distance, race_weeks,
};

/// 37 km a week until this many days ago.
fn athlete_on_break(days: i64) -> TrainingBaseline {
    let mut athlete = runner(37.0, 4, 60);
    athlete.runs.retain(|run| run.day.days_until(as_of()) >= days);
    athlete
}

/// Fourteen weeks to a half marathon, and six days before them.
fn request_from_tuesday() -> PlanRequest {
    let mut asked = plan_request(GoalDistance::Half, 15 * 7 - 1);
    asked.start = asked.start.next();
    asked
}

fn runs(plan: &GeneratedPlan) -> impl Iterator<Item = &Workout> {
    plan.draft.workouts().iter().filter(|w| w.sport == Sport::Running && w.kind != WorkoutKind::Race)
}

fn km(workout: &Workout) -> f64 {
    workout.distance.unwrap().km()
}

fn weekly(plan: &GeneratedPlan) -> Vec<f64> {
    let (start, race) = (plan.draft.start_date(), plan.draft.race_date());
    let weeks = race_weeks(start, race);
    weeks.iter().map(|week| planned_running_distance(plan.draft.workouts(), *week, race).km()).collect()
}

fn first_days(plan: &GeneratedPlan) -> (f64, f64) {
    let first = race_weeks(plan.draft.start_date(), plan.draft.race_date())[0].first;
    let before: Vec<f64> = runs(plan).filter(|run| run.date < first).map(km).collect();
    (before.iter().sum(), before.iter().copied().fold(0.0, f64::max))
}

#[test]
fn first_days_after_a_break_are_short() {
    let usual = generate(&request_from_tuesday(), &athlete_on_break(0)).unwrap();
    assert!(first_days(&usual).0 > 20.0, "without a pause: {:?}", first_days(&usual));
    for days in [7, 9, 13, 16, 20, 24] {
        let plan = generate(&request_from_tuesday(), &athlete_on_break(days)).unwrap();
        assert_eq!(lint::errors(&plan.findings).count(), 0, "after {days}: {:?}", plan.findings);
        let ((sum, longest), weeks) = (first_days(&plan), weekly(&plan));
        assert!(sum <= 0.5 * 37.0, "after {days}: {sum} in six days, then {weeks:?}");
        assert!(
            sum <= weeks[0] + 1e-6 && longest <= 0.5 * 12.0,
            "after {days}: {sum} and {longest}, then {weeks:?}"
        );
        // If the longest run stays too short for the race, R8 reports it.
        let long = longest_run(&plan);
        let said = plan.findings.iter().any(|finding| finding.involves(lint::LintRule::LongRunTooShort));
        assert!(long >= 16.0 || said, "after {days} days the longest run is {long}; {weeks:?}");
    }
}

fn longest_run(plan: &GeneratedPlan) -> f64 {
    runs(plan).map(km).fold(0.0, f64::max)
}

/// The long run returns to its earlier length, by 10 % at a time from the first one after the
/// break. Days of the break, and the share reached in twelve and sixteen weeks: after three weeks
/// or more R1 and R2 have almost no recent running to allow growth from.
#[test]
fn long_runs_come_back_to_what_they_were_before_a_pause() {
    for (days, in_twelve, in_sixteen) in
        [(9, 1.0, 1.0), (13, 1.0, 1.0), (16, 1.0, 1.0), (20, 0.85, 1.0), (24, 0.5, 0.65)]
    {
        for (weekly, count) in [(25.0, 3), (37.0, 4), (52.0, 4), (80.0, 6)] {
            for (goal, asked_for) in [(GoalDistance::TenK, 10.0), (GoalDistance::Half, 16.0)] {
                for (weeks, share) in [(12, in_twelve), (14, in_twelve), (16, in_sixteen), (20, in_sixteen)] {
                    let mut athlete = runner(weekly, count, 60);
                    let before = athlete.longest_run().unwrap().km();
                    athlete.runs.retain(|run| run.day.days_until(as_of()) >= days);
                    let label = format!("{goal} in {weeks} weeks, {weekly} km until {days} days ago");
                    let plan = match generate(&plan_request(goal, weeks * 7 - 1), &athlete) {
                        Ok(plan) => plan,
                        Err(why) => panic!("{label}: {why}"),
                    };
                    assert_eq!(lint::errors(&plan.findings).count(), 0, "{label}: {:?}", plan.findings);
                    let warned: Vec<_> =
                        plan.findings.iter().filter(|f| f.severity == Severity::Warning).collect();
                    let steep = |rule| warned.iter().any(|finding| finding.involves(rule));
                    assert!(
                        warned.len() <= 2
                            && !steep(lint::LintRule::LongestRunJump)
                            && !steep(lint::LintRule::WeeklyVolumeJump),
                        "{label}: {warned:?}"
                    );
                    let (long, weekly_km) = (longest_run(&plan), weekly_and_long(&plan));
                    let wanted = share * before.min(asked_for);
                    assert!(long >= wanted - 1e-6, "{label}: {long} of {wanted:.1}, {weekly_km:?}");
                    // The first one is about half of the earlier long run.
                    assert!(weekly_km[0].0 <= 0.62 * weekly, "{label}: {weekly_km:?}");
                    // In a small week the long run is a large part, because later ones grow from
                    // it.
                    let (sum, first) = weekly_km[0];
                    let small = (16..=20).contains(&days) && sum < 25.0;
                    assert!(!small || first >= 0.42 * sum, "{label}: {weekly_km:?}");
                }
            }
        }
    }
}

/// The distance of each full week, and of its longest run.
fn weekly_and_long(plan: &GeneratedPlan) -> Vec<(f64, f64)> {
    let weeks = race_weeks(plan.draft.start_date(), plan.draft.race_date());
    let long =
        weeks.iter().map(|week| runs(plan).filter(|run| week.contains(run.date)).map(km).fold(0.0, f64::max));
    weekly(plan).into_iter().zip(long).collect()
}

#[test]
fn first_days_after_a_fever_are_short() {
    let mut ill = athlete_on_break(8);
    let (from, through) = (as_of().plus_days(-7), as_of());
    ill.unavailable_periods =
        vec![UnavailablePeriod { why: AbsenceReason::Ill, from, through, severity: Some(2) }];
    let plan = generate(&request_from_tuesday(), &ill).unwrap();
    let ((sum, longest), weeks) = (first_days(&plan), weekly(&plan));
    assert!(sum <= 0.5 * 37.0 && longest <= 6.0, "{sum} and {longest}, then {weeks:?}");
    let said: Vec<&String> = plan.notes.iter().filter(|said| said.contains("ays without a run")).collect();
    assert!(said.is_empty(), "the mark says it already: {said:?}");
}

#[test]
fn after_weeks_without_a_run_a_plan_begins_small_and_comes_back_by_steps() {
    for days in [28, 31, 35, 38, 45, 60, 75, 84] {
        for typed in [None, Some(30.0)] {
            for asked in [
                request_from_tuesday(),
                plan_request(GoalDistance::Half, 16 * 7 - 1),
                plan_request(GoalDistance::TenK, 12 * 7 - 1),
            ] {
                let mut athlete = athlete_on_break(days);
                athlete.self_reported.base = typed.and_then(Distance::from_km);
                let plan = match generate(&asked, &athlete) {
                    Ok(plan) => plan,
                    Err(why) => panic!("{days} days, typed {typed:?}, {}: {why}", asked.goal),
                };
                assert_eq!(lint::errors(&plan.findings).count(), 0, "after {days}: {:?}", plan.findings);
                let warnings = plan.findings.iter().filter(|f| f.severity == Severity::Warning).count();
                assert!(warnings <= 2, "after {days}: {:?}", plan.findings);
                let weeks = weekly(&plan);
                assert!(
                    weeks[0] <= 6.0 && weeks[0] > 2.0 && first_days(&plan).0 <= 6.0,
                    "after {days}: {weeks:?}"
                );
                let most = weeks.iter().copied().fold(0.0, f64::max);
                assert!(most >= 18.0, "after {days}: it does come back, {weeks:?}");
                assert!(
                    plan.notes.iter().any(|said| said.contains("starts again from very little")),
                    "{:?}",
                    plan.notes
                );
            }
        }
    }
}

/// After three months the pace is unknown: the plan is in minutes, without errors.
#[test]
fn after_three_months_without_a_run_a_plan_begins_by_the_minute() {
    for days in [91, 120, 200] {
        let plan = generate(&plan_request(GoalDistance::Half, 16 * 7 - 1), &athlete_on_break(days)).unwrap();
        assert_eq!(lint::errors(&plan.findings).count(), 0, "after {days}: {:?}", plan.findings);
        assert!(runs(&plan).all(|run| run.distance.is_none() && run.duration.is_some()));
        assert!(plan.notes.iter().any(|said| said.starts_with("You have hardly run")), "{:?}", plan.notes);
    }
}
