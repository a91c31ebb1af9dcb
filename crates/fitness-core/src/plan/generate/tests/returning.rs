//! Plans that begin in a pause: the first days know of it, and the weeks come back by steps.

use super::athletes::{as_of, runner, wish};
use crate::observation::Excuse;
use crate::plan::lint::{self, Severity};
use crate::plan::{
    Background, Generated, Goal, Marked, Wish, Workout, WorkoutKind, generate, planned_running, race_weeks,
};
use crate::sport::Sport;
use crate::units::Distance;

/// 37 km a week until so many days ago.
fn paused(days: i64) -> Background {
    let mut athlete = runner(37.0, 4, 60);
    athlete.runs.retain(|run| run.day.until(as_of()) >= days);
    athlete
}

/// Fourteen weeks to a half marathon, and six days before them.
fn from_a_tuesday() -> Wish {
    let mut asked = wish(Goal::Half, 15 * 7 - 1);
    asked.start = asked.start.next();
    asked
}

fn runs(plan: &Generated) -> impl Iterator<Item = &Workout> {
    plan.draft.workouts().iter().filter(|w| w.sport == Sport::Running && w.kind != WorkoutKind::Race)
}

fn km(workout: &Workout) -> f64 {
    workout.distance.unwrap().km()
}

fn weekly(plan: &Generated) -> Vec<f64> {
    let (start, race) = (plan.draft.start_date(), plan.draft.race_date());
    let weeks = race_weeks(start, race);
    weeks.iter().map(|week| planned_running(plan.draft.workouts(), *week, race).km()).collect()
}

fn first_days(plan: &Generated) -> (f64, f64) {
    let first = race_weeks(plan.draft.start_date(), plan.draft.race_date())[0].first;
    let before: Vec<f64> = runs(plan).filter(|run| run.date < first).map(km).collect();
    (before.iter().sum(), before.iter().copied().fold(0.0, f64::max))
}

#[test]
fn the_first_days_after_a_pause_are_small_ones() {
    let usual = generate(&from_a_tuesday(), &paused(0)).unwrap();
    assert!(first_days(&usual).0 > 20.0, "without a pause: {:?}", first_days(&usual));
    for days in [7, 9, 13, 16, 20, 24] {
        let plan = generate(&from_a_tuesday(), &paused(days)).unwrap();
        assert_eq!(lint::errors(&plan.findings).count(), 0, "after {days}: {:?}", plan.findings);
        let ((sum, longest), weeks) = (first_days(&plan), weekly(&plan));
        assert!(sum <= 0.5 * 37.0, "after {days}: {sum} in six days, then {weeks:?}");
        assert!(
            sum <= weeks[0] + 1e-6 && longest <= 0.5 * 12.0,
            "after {days}: {sum} and {longest}, then {weeks:?}"
        );
        // Where what follows stays short of what the race asks for, R8 says so.
        let long = runs(&plan).map(km).fold(0.0, f64::max);
        let said = plan.findings.iter().any(|finding| finding.is_of(lint::Rule::R8));
        assert!(long >= 16.0 || said, "after {days} days the longest run is {long}; {weeks:?}");
    }
}

#[test]
fn the_first_days_after_a_fever_are_small_ones() {
    let mut ill = paused(8);
    let (from, through) = (as_of().plus(-7), as_of());
    ill.marked = vec![Marked { why: Excuse::Ill, from, through, severity: Some(2) }];
    let plan = generate(&from_a_tuesday(), &ill).unwrap();
    let ((sum, longest), weeks) = (first_days(&plan), weekly(&plan));
    assert!(sum <= 0.5 * 37.0 && longest <= 6.0, "{sum} and {longest}, then {weeks:?}");
    let said: Vec<&String> = plan.remarks.iter().filter(|said| said.contains("ays without a run")).collect();
    assert!(said.is_empty(), "the mark says it already: {said:?}");
}

#[test]
fn after_weeks_without_a_run_a_plan_begins_small_and_comes_back_by_steps() {
    for days in [28, 31, 35, 38, 45, 60, 75, 84] {
        for typed in [None, Some(30.0)] {
            for asked in [from_a_tuesday(), wish(Goal::Half, 16 * 7 - 1), wish(Goal::TenK, 12 * 7 - 1)] {
                let mut athlete = paused(days);
                athlete.stated.base = typed.and_then(Distance::from_km);
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
                assert!(plan.remarks.iter().any(|said| said.contains("begins anew")), "{:?}", plan.remarks);
            }
        }
    }
}

/// Longer ago than three months nobody knows how fast they run: minutes again, and no error either.
#[test]
fn after_three_months_without_a_run_a_plan_begins_by_the_minute() {
    for days in [91, 120, 200] {
        let plan = generate(&wish(Goal::Half, 16 * 7 - 1), &paused(days)).unwrap();
        assert_eq!(lint::errors(&plan.findings).count(), 0, "after {days}: {:?}", plan.findings);
        assert!(runs(&plan).all(|run| run.distance.is_none() && run.duration.is_some()));
        assert!(
            plan.remarks.iter().any(|said| said.starts_with("You have run next to nothing")),
            "{:?}",
            plan.remarks
        );
    }
}
