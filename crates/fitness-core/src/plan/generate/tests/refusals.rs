//! What cannot be planned for is refused with what to change.

use super::athletes::{as_of, plan_request, runner, with_result};
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::{GenerateError, Goal, Level, TrainingBaseline, TuneUp, generate};

#[test]
fn every_refusal_says_what_to_change() {
    let athlete = || with_result(runner(40.0, 4, 60), Distance::MARATHON);
    type Change = fn(&mut crate::plan::PlanRequest);
    let cases: [(Change, &str); 13] = [
        (|w| w.race = w.start.plus_days(-3), "is not in the future; give a later day"),
        (|w| w.race = w.start, "is not in the future"),
        (|w| w.race = w.start.next(), "too near to plan for"),
        (|w| w.race = w.start.plus_days(900), "give a day within two years"),
        (|w| w.target = Some(TimeSpan::from_mins(60)), "faster than any human has run; give a slower target"),
        (
            |w| w.availability.days = "tue,sun".parse().unwrap(),
            "3 days a week are needed for this race, and 2 are free",
        ),
        (
            |w| {
                w.race = w.start.plus_days(34);
                w.availability.days = "tue,thu,sun".parse().unwrap();
            },
            "4 days a week are needed",
        ),
        (
            |w| {
                w.availability.days = "mon,tue,wed,thu".parse().unwrap();
                w.long_day = Some(crate::domain::calendar::Weekday::Sun);
            },
            "not one of the days you train on (mon,tue,wed,thu)",
        ),
        (|w| w.availability.blackouts = [w.race].into(), "take it out of the blocked days"),
        (
            |w| w.availability.blackouts = w.start.through(w.race.previous()).collect(),
            "1 day to train is left before the race",
        ),
        (
            |w| {
                w.goal = Goal::Custom;
                w.distance = Distance::from_km(0.0);
            },
            "a custom goal needs a distance",
        ),
        (
            |w| {
                w.goal = Goal::Custom;
                w.distance = Distance::from_km(80.0);
                w.target = Some(TimeSpan::from_mins(600));
            },
            "beyond 50 km there is no evidence",
        ),
        (
            |w| w.tune_up = Some(TuneUp { on: w.race.plus_days(-3), distance: Distance::HALF_MARATHON }),
            "ten days before the main race",
        ),
    ];
    for (change, expected) in cases {
        let mut asked = plan_request(Goal::Full, 16 * 7 - 1);
        change(&mut asked);
        let error = generate(&asked, &athlete()).map(|_| ()).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error} / {expected}");
    }
}

#[test]
fn missing_level_and_marathon_from_zero_are_refused() {
    let nobody = TrainingBaseline::unknown(as_of());
    assert_eq!(generate(&plan_request(Goal::FiveK, 83), &nobody).unwrap_err(), GenerateError::MissingLevel);
    let mut beginner = nobody;
    beginner.self_reported.level = Some(Level::Novice);
    let error = generate(&plan_request(Goal::Full, 12 * 7 - 1), &beginner).unwrap_err().to_string();
    assert!(error.contains("a marathon from 0.0 km a week needs at least 20 weeks"), "{error}");
    // Whoever they say they are.
    for level in Level::ALL {
        beginner.self_reported.level = Some(*level);
        for weeks in [2, 10, 19] {
            let error =
                generate(&plan_request(Goal::Full, weeks * 7 - 1), &beginner).unwrap_err().to_string();
            assert!(error.starts_with("a marathon from 0.0 km a week needs at least 20 weeks"), "{error}");
            assert!(error.ends_with("If you run already, say how much in a usual week"), "{error}");
        }
    }
    beginner.self_reported.level = Some(Level::Novice);
    let mut odd = plan_request(Goal::Custom, 12 * 7 - 1);
    odd.distance = Distance::from_km(33.0);
    let error = generate(&odd, &beginner).unwrap_err().to_string();
    assert!(error.starts_with("a race of 33.0 km from 0.0 km a week"), "{error}");
    assert!(generate(&plan_request(Goal::Full, 24 * 7 - 1), &beginner).is_ok());
    assert!(generate(&plan_request(Goal::FiveK, 8 * 7 - 1), &beginner).is_ok());
    let error =
        generate(&plan_request(Goal::Full, 12 * 7 - 1), &runner(15.0, 3, 60)).unwrap_err().to_string();
    assert!(error.contains("build up to 20.0 km a week first"), "{error}");
}
