//! Refused requests, and what their messages tell the athlete to change.

use super::athletes::{as_of, plan_request, runner, with_result};
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::{GenerateError, GoalDistance, Level, TrainingBaseline, TuneUp, generate};

#[test]
fn every_refusal_says_what_to_change() {
    let athlete = || with_result(runner(40.0, 4, 60), Distance::MARATHON);
    type Change = fn(&mut crate::plan::PlanRequest);
    let cases: [(Change, &str); 13] = [
        (|w| w.race = w.start.plus_days(-3), "is not in the future; choose a later date"),
        (|w| w.race = w.start, "is not in the future"),
        (|w| w.race = w.start.next(), "too soon for a plan"),
        (|w| w.race = w.start.plus_days(900), "choose a date within two years"),
        (
            |w| w.target = Some(TimeSpan::from_mins(60)),
            "faster than any human has run; choose a slower goal time",
        ),
        (
            |w| w.availability.days = "tue,sun".parse().unwrap(),
            "needs at least 3 running days a week, and you chose 2; add 1 more day",
        ),
        (
            |w| {
                w.race = w.start.plus_days(34);
                w.availability.days = "tue,thu,sun".parse().unwrap();
            },
            "needs at least 4 running days a week",
        ),
        (
            |w| {
                w.availability.days = "mon,tue,wed,thu".parse().unwrap();
                w.long_day = Some(crate::domain::calendar::Weekday::Sun);
            },
            "on a day you do not train on; choose one of Mon, Tue, Wed and Thu",
        ),
        (|w| w.availability.blackouts = [w.race].into(), "is on a day you blocked; unblock it"),
        (
            |w| w.availability.blackouts = w.start.through(w.race.previous()).collect(),
            "1 training day is left before the race",
        ),
        (
            |w| {
                w.goal = GoalDistance::Custom;
                w.distance = Distance::from_km(0.0);
            },
            "a custom goal needs a distance",
        ),
        (
            |w| {
                w.goal = GoalDistance::Custom;
                w.distance = Distance::from_km(80.0);
                w.target = Some(TimeSpan::from_mins(600));
            },
            "no published evidence for goal times beyond 50 km",
        ),
        (
            |w| w.tune_up = Some(TuneUp { on: w.race.plus_days(-3), distance: Distance::HALF_MARATHON }),
            "ten days before the main race",
        ),
    ];
    for (change, expected) in cases {
        let mut asked = plan_request(GoalDistance::Full, 16 * 7 - 1);
        change(&mut asked);
        let error = generate(&asked, &athlete()).map(|_| ()).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error} / {expected}");
    }
}

#[test]
fn missing_level_and_marathon_from_zero_are_refused() {
    let nobody = TrainingBaseline::unknown(as_of());
    assert_eq!(
        generate(&plan_request(GoalDistance::FiveK, 83), &nobody).unwrap_err(),
        GenerateError::MissingLevel
    );
    let mut beginner = nobody;
    beginner.self_reported.level = Some(Level::Novice);
    let error = generate(&plan_request(GoalDistance::Full, 12 * 7 - 1), &beginner).unwrap_err().to_string();
    assert!(error.contains("a marathon from 0.0 km a week takes at least 20 weeks"), "{error}");
    // At any stated level.
    for level in Level::ALL {
        beginner.self_reported.level = Some(*level);
        for weeks in [2, 10, 19] {
            let error = generate(&plan_request(GoalDistance::Full, weeks * 7 - 1), &beginner)
                .unwrap_err()
                .to_string();
            assert!(
                error.starts_with("building up to a marathon from 0.0 km a week takes at least 20 weeks"),
                "{error}"
            );
            assert!(error.ends_with("If you already run, enter your typical week"), "{error}");
        }
    }
    beginner.self_reported.level = Some(Level::Novice);
    let mut odd = plan_request(GoalDistance::Custom, 12 * 7 - 1);
    odd.distance = Distance::from_km(33.0);
    let error = generate(&odd, &beginner).unwrap_err().to_string();
    assert!(error.starts_with("building up to a race of 33.0 km from 0.0 km a week"), "{error}");
    assert!(generate(&plan_request(GoalDistance::Full, 24 * 7 - 1), &beginner).is_ok());
    assert!(generate(&plan_request(GoalDistance::FiveK, 8 * 7 - 1), &beginner).is_ok());
    let error = generate(&plan_request(GoalDistance::Full, 12 * 7 - 1), &runner(15.0, 3, 60))
        .unwrap_err()
        .to_string();
    assert!(error.contains("build up to 20.0 km a week first"), "{error}");
}
