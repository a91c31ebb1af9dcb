use super::super::*;
use super::fixtures::*;
use crate::domain::units::Distance;
use crate::plan::{Level, WorkoutKind};
use Level::{Advanced, Intermediate, Novice};

fn km(km: f64) -> Distance {
    Distance::from_km(km).unwrap()
}

/// A plan with a single run, on the first Saturday.
fn one_run(km: f64) -> PlanFixture {
    PlanFixture { workouts: vec![workout(5, WorkoutKind::Easy, km)], ..PlanFixture::weeks(&[(0.0, 0.0)]) }
}

#[test]
fn a_run_may_be_a_tenth_longer_than_the_longest_of_thirty_days() {
    for level in Level::ALL {
        let cases = [(11.0, NO_FINDING), (11.01, WARNING), (13.0, WARNING), (13.01, ERROR)];
        assert_severities(LintRule::LongestRunJump, &athlete_at_level(*level, 40.0, 10.0), &cases, one_run);
    }
    // 11 after 10 miles is exactly 10 % more.
    let athlete = athlete_at_level(Novice, 40.0, Distance::from_miles(10.0).unwrap().km());
    let eleven = Distance::from_miles(11.0).unwrap().km();
    assert_severities(
        LintRule::LongestRunJump,
        &athlete,
        &[(eleven, NO_FINDING), (eleven + 0.01, WARNING)],
        one_run,
    );
    // Runs up to 5 km and tune-up races are allowed.
    let small = athlete_at_level(Novice, 8.0, 2.0);
    assert_severities(LintRule::LongestRunJump, &small, &[(5.0, NO_FINDING), (5.01, ERROR)], one_run);
    let race = PlanFixture { workouts: vec![workout(5, WorkoutKind::Race, 21.1)], ..one_run(0.0) };
    assert_eq!(race.severity_of(&small, LintRule::LongestRunJump), NO_FINDING);
    let said =
        one_run(13.0).finding(&athlete_at_level(Novice, 40.0, 10.0), LintRule::LongestRunJump).unwrap();
    assert_eq!(
        said.text,
        "The run of 13.0 km on 2026-06-20 is 30% longer than your longest run of the 30 days before (10.0 km); beyond \
         10%, injuries become more common."
    );
    assert_eq!((said.day, said.value, said.limit), (Some(plan_day(5)), Some(1.3), Some(1.1)));
}

#[test]
fn thirty_days_are_counted_over_what_was_run_and_what_is_planned() {
    // The last long run of 10 km was on the day before the plan: it counts for day 30, not for day
    // 31.
    let with = |offset: i64| {
        let mut made = one_run(6.0);
        made.race = plan_day(48);
        made.workouts = (0..offset / 2).map(|n| workout(2 * n, WorkoutKind::Easy, 6.0)).collect();
        made.workouts.push(workout(offset, WorkoutKind::Long, 10.0));
        made
    };
    let athlete = athlete_at_level(Intermediate, 34.0, 10.0);
    assert_eq!(with(29).severity_of(&athlete, LintRule::LongestRunJump), NO_FINDING);
    assert_eq!(with(30).severity_of(&athlete, LintRule::LongestRunJump), ERROR);
    // A stated longest run counts like a run of yesterday.
    let mut stated = TrainingBaseline::unknown(today());
    stated.self_reported.longest = Distance::from_km(10.0);
    assert_severities(LintRule::LongestRunJump, &stated, &[(11.0, NO_FINDING), (11.01, WARNING)], one_run);
}

/// Entered values cannot disable the rules: recorded runs count. 11.04 km after 10 km is 10.4 %
/// longer and shown as 11 %, because 10 % is allowed.
#[test]
fn value_just_above_the_limit_is_not_rounded_to_it() {
    let made = PlanFixture::weeks(&[(40.0, 11.04)]);
    let said = made.finding(&athlete_at_level(Intermediate, 40.0, 10.0), LintRule::LongestRunJump).unwrap();
    assert!(said.text.contains("is 11% longer") && said.text.contains("beyond 10%"), "{}", said.text);
}

/// A long run before a break of two weeks no longer counts.
#[test]
fn a_long_run_before_a_break_does_not_count_for_the_race() {
    let athlete = athlete_at_level(Novice, 30.0, 10.0);
    let weeks = [
        (30.0, 16.0),
        (30.0, 16.0),
        (0.0, 0.0),
        (0.0, 0.0),
        (20.0, 8.0),
        (25.0, 8.0),
        (28.0, 9.0),
        (12.0, 0.0),
    ];
    let mut made = PlanFixture::race(Distance::HALF_MARATHON, &weeks);
    made.workouts.retain(|workout| workout.distance.is_some_and(|far| far > Distance::ZERO));
    let said = made.finding(&athlete, LintRule::LongRunTooShort).expect("R8");
    assert_eq!((said.value, said.limit), (Some(9.0), Some(16.0)), "{}", said.text);
}

#[test]
fn self_reported_base_does_not_raise_recorded_base() {
    let mut athlete = athlete_at_level(Intermediate, 40.0, 10.0);
    athlete.self_reported.base = Distance::from_km(100.0);
    athlete.self_reported.longest = Distance::from_km(30.0);
    assert_severities(
        LintRule::LongestRunJump,
        &athlete,
        &[(11.0, NO_FINDING), (11.01, WARNING), (13.01, ERROR)],
        one_run,
    );
    let week = |km: f64| PlanFixture::weeks(&[(km, 10.0)]);
    assert_severities(
        LintRule::WeeklyVolumeJump,
        &athlete,
        &[(46.0, NO_FINDING), (46.1, WARNING), (52.1, ERROR)],
        week,
    );
    assert_severities(
        LintRule::FirstWeekVolume,
        &athlete,
        &[(44.0, NO_FINDING), (44.1, WARNING), (52.1, ERROR)],
        week,
    );
    // A lower value is used.
    athlete.self_reported.base = Distance::from_km(20.0);
    assert_severities(
        LintRule::FirstWeekVolume,
        &athlete,
        &[(22.0, NO_FINDING), (22.1, WARNING), (26.1, ERROR)],
        week,
    );
    // Days without data are no loophole.
    athlete.self_reported.base = Distance::from_km(100.0);
    athlete.as_of = today().plus_days(-3);
    athlete.runs.retain(|run| run.day <= today().plus_days(-3));
    assert_severities(LintRule::WeeklyVolumeJump, &athlete, &[(46.0, NO_FINDING), (52.1, ERROR)], week);
    // Without data the stated value is used.
    let mut unknown = TrainingBaseline::unknown(today());
    unknown.self_reported.base = Distance::from_km(40.0);
    assert_severities(
        LintRule::WeeklyVolumeJump,
        &unknown,
        &[(46.0, NO_FINDING), (46.1, WARNING), (52.1, ERROR)],
        week,
    );
}

#[test]
fn without_history_runs_are_compared_from_the_29th_day_on() {
    let unknown = TrainingBaseline::unknown(today());
    let with = |offset: i64| {
        let mut made = PlanFixture::weeks(&[(20.0, 5.0); 6]);
        made = made.with(workout(offset, WorkoutKind::Long, 10.0));
        made.severity_of(&unknown, LintRule::LongestRunJump)
    };
    assert_eq!(with(27), NO_FINDING);
    assert_eq!(with(28), ERROR);
    // Thirty known days without a run are different.
    let idle = TrainingBaseline { first_day: Some(today().plus_days(-100)), ..unknown.clone() };
    assert_severities(LintRule::LongestRunJump, &idle, &[(5.0, NO_FINDING), (5.01, ERROR)], one_run);
    // Unknown days disable the rule.
    let late = TrainingBaseline { as_of: today().plus_days(-40), ..idle };
    assert_eq!(one_run(9.0).severity_of(&late, LintRule::LongestRunJump), NO_FINDING);
}

#[test]
fn a_week_may_grow_over_the_fullest_of_four() {
    let week = |km: f64| PlanFixture::weeks(&[(km, 10.0)]);
    for (level, warn) in [(Novice, 48.0), (Intermediate, 46.0), (Advanced, 44.0)] {
        let cases = [(warn, NO_FINDING), (warn + 0.1, WARNING), (52.0, WARNING), (52.1, ERROR)];
        assert_severities(LintRule::WeeklyVolumeJump, &athlete_at_level(level, 40.0, 10.0), &cases, week);
        // From age 50 the limit is 0.03 lower.
        let master = TrainingBaseline { age: Some(50), ..athlete_at_level(level, 40.0, 10.0) };
        let cases = [(warn - 1.2, NO_FINDING), (warn - 1.1, WARNING), (50.8, WARNING), (50.9, ERROR)];
        assert_severities(LintRule::WeeklyVolumeJump, &master, &cases, week);
        let younger = TrainingBaseline { age: Some(49), ..master };
        assert_severities(LintRule::WeeklyVolumeJump, &younger, &[(warn, NO_FINDING)], week);
    }
}

#[test]
fn small_weeks_may_grow_by_four_kilometres() {
    let week = |km: f64| PlanFixture::weeks(&[(km, 2.0)]);
    assert_severities(
        LintRule::WeeklyVolumeJump,
        &athlete_at_level(Novice, 10.0, 2.0),
        &[(14.0, NO_FINDING), (14.1, ERROR)],
        week,
    );
    assert_severities(
        LintRule::WeeklyVolumeJump,
        &athlete_at_level(Novice, 15.9, 2.0),
        &[(19.9, NO_FINDING), (20.0, WARNING)],
        week,
    );
    assert_severities(
        LintRule::FirstWeekVolume,
        &athlete_at_level(Novice, 10.0, 2.0),
        &[(14.0, NO_FINDING), (14.1, ERROR)],
        week,
    );
}

#[test]
fn the_week_after_a_light_one_is_compared_with_those_before() {
    let athlete = athlete_at_level(Novice, 40.0, 10.0);
    let after = |km: f64| PlanFixture::weeks(&[(42.0, 10.0), (30.0, 8.0), (km, 10.0)]);
    assert_severities(
        LintRule::WeeklyVolumeJump,
        &athlete,
        &[(50.4, NO_FINDING), (50.5, WARNING), (54.7, ERROR)],
        after,
    );
    let last_known =
        |km: f64| PlanFixture::weeks(&[(42.0, 10.0), (20.0, 8.0), (20.0, 8.0), (20.0, 8.0), (km, 10.0)]);
    assert_severities(
        LintRule::WeeklyVolumeJump,
        &athlete,
        &[(50.4, NO_FINDING), (50.5, WARNING), (54.7, ERROR)],
        last_known,
    );
    // After four light weeks, these are compared.
    let later = |km: f64| {
        PlanFixture::weeks(&[(42.0, 10.0), (20.0, 8.0), (20.0, 8.0), (20.0, 8.0), (20.0, 8.0), (km, 8.0)])
    };
    assert_severities(
        LintRule::WeeklyVolumeJump,
        &athlete,
        &[(24.0, NO_FINDING), (24.1, WARNING), (26.1, ERROR)],
        later,
    );
}

#[test]
fn past_week_is_not_linted_but_counts_as_history() {
    // Two weeks into the plan, twice as much was run as planned.
    let mut athlete = athlete_at_level(Novice, 40.0, 10.0);
    for (offset, run) in [(1, 20.0), (3, 20.0), (5, 30.0), (8, 25.0), (10, 25.0), (12, 20.0)] {
        athlete.runs.push(past_run(plan_day(offset), run));
    }
    athlete.as_of = plan_day(13);
    let third = |km: f64| PlanFixture::weeks(&[(40.0, 10.0), (40.0, 10.0), (km, 10.0)]);
    assert_severities(
        LintRule::WeeklyVolumeJump,
        &athlete,
        &[(84.0, NO_FINDING), (84.1, WARNING), (91.1, ERROR)],
        third,
    );
    assert_eq!(
        third(84.0).severity_of(&athlete_at_level(Novice, 40.0, 10.0), LintRule::WeeklyVolumeJump),
        ERROR
    );
    // Past planned days are not checked.
    let both = [workout(13, WorkoutKind::Intervals, 70.0), workout(13, WorkoutKind::Tempo, 70.0)];
    let mut past_faults = third(84.0);
    past_faults.workouts.extend(both);
    assert_eq!(errors(&past_faults.lint(&athlete)).next(), None);
    assert!(
        past_faults
            .lint(&athlete_at_level(Novice, 40.0, 10.0))
            .iter()
            .any(|finding| finding.rule == LintRule::ImplausibleDayLength)
    );
}

#[test]
fn the_first_week_starts_from_the_usual_one() {
    for level in Level::ALL {
        // One full week keeps R2 quiet; the median is 40.
        let mut athlete = athlete_at_level(*level, 40.0, 10.0);
        athlete.runs.push(past_run(today().plus_days(-20), 30.0));
        athlete.runs.sort_by_key(|run| run.day);
        let cases = [(44.0, NO_FINDING), (44.1, WARNING), (52.0, WARNING), (52.1, ERROR)];
        assert_severities(LintRule::FirstWeekVolume, &athlete, &cases, |km| {
            PlanFixture::weeks(&[(km, 10.0)])
        });
    }
}

#[test]
fn first_week_from_zero_is_at_most_six_kilometres() {
    let week = |km: f64| PlanFixture::weeks(&[(km, 1.0)]);
    let idle =
        TrainingBaseline { first_day: Some(today().plus_days(-100)), ..TrainingBaseline::unknown(today()) };
    let mut stated = TrainingBaseline::unknown(today());
    stated.self_reported.base = Some(Distance::ZERO);
    for athlete in [idle, stated] {
        assert_severities(LintRule::FirstWeekVolume, &athlete, &[(6.0, NO_FINDING), (6.1, ERROR)], week);
        assert_severities(LintRule::WeeklyVolumeJump, &athlete, &[(40.0, NO_FINDING)], week);
        let second = |km: f64| PlanFixture::weeks(&[(0.0, 0.0), (km, 1.0)]);
        assert_severities(LintRule::WeeklyVolumeJump, &athlete, &[(6.0, NO_FINDING), (6.1, ERROR)], second);
    }
    // Four weeks off, but a base from the eight before: R2 reports it.
    let mut paused = athlete_at_level(Novice, 40.0, 10.0);
    paused.runs.retain(|run| run.day <= today().plus_days(-28));
    assert_severities(LintRule::WeeklyVolumeJump, &paused, &[(6.0, NO_FINDING), (6.1, ERROR)], week);
    // Entered values do not replace weeks with complete data.
    paused.self_reported.base = Distance::from_km(40.0);
    assert_severities(LintRule::WeeklyVolumeJump, &paused, &[(6.0, NO_FINDING), (6.1, ERROR)], week);
}

#[test]
fn one_of_four_weeks_is_lighter() {
    for (level, most) in [(Novice, 34.0), (Intermediate, 34.0), (Advanced, 36.0)] {
        let four = |km: f64| PlanFixture::weeks(&[(40.0, 10.0), (40.0, 10.0), (40.0, 10.0), (km, 10.0)]);
        let athlete = athlete_at_level(level, 40.0, 10.0);
        assert_severities(
            LintRule::MissingCutbackWeek,
            &athlete,
            &[(most, NO_FINDING), (most + 0.1, WARNING)],
            four,
        );
        assert_eq!(
            PlanFixture::weeks(&[(40.0, 10.0); 3]).severity_of(&athlete, LintRule::MissingCutbackWeek),
            NO_FINDING
        );
        // From age 50 every third week.
        let master = TrainingBaseline { age: Some(50), ..athlete };
        let three = |km: f64| PlanFixture::weeks(&[(40.0, 10.0), (40.0, 10.0), (km, 10.0)]);
        assert_severities(
            LintRule::MastersRecovery,
            &master,
            &[(most, NO_FINDING), (most + 0.1, WARNING)],
            three,
        );
        assert_eq!(four(40.0).severity_of(&master, LintRule::MissingCutbackWeek), NO_FINDING);
    }
    // The taper is not part of the build: three full and two light weeks are not checked.
    let athlete = athlete_at_level(Novice, 40.0, 10.0);
    let race = |third: f64, fourth: f64| {
        PlanFixture::race(km(10.0), &[(40.0, 10.0), (40.0, 10.0), (third, 10.0), (fourth, 8.0), (20.0, 0.0)])
    };
    assert_eq!(race(40.0, 35.9).severity_of(&athlete, LintRule::MissingCutbackWeek), NO_FINDING);
    assert_eq!(race(40.0, 36.0).severity_of(&athlete, LintRule::MissingCutbackWeek), WARNING);
}

#[test]
fn the_longest_run_is_a_part_of_its_week() {
    for (level, warn, error) in [(Novice, 20.0, 26.0), (Intermediate, 16.0, 24.0), (Advanced, 13.2, 24.0)] {
        let athlete = athlete_at_level(level, 40.0, 10.0);
        let cases = [(warn, NO_FINDING), (warn + 0.1, WARNING), (error, WARNING), (error + 0.1, ERROR)];
        assert_severities(LintRule::LongRunShare, &athlete, &cases, |long| {
            PlanFixture::weeks(&[(40.0, long)])
        });
        // A small week is not checked.
        let light = athlete_at_level(level, 25.0, 10.0);
        assert_severities(LintRule::LongRunShare, &light, &[(24.9, NO_FINDING), (25.0, ERROR)], |week| {
            PlanFixture::weeks(&[(week, 20.0)])
        });
        // A longer run in another week hides nothing, and in a cut-back week it is a warning.
        let hidden = |km: f64| PlanFixture::weeks(&[(km, 0.7 * km), (90.0, 29.0)]);
        assert_severities(
            LintRule::LongRunShare,
            &athlete,
            &[(40.0, ERROR), (36.1, ERROR), (34.0, WARNING)],
            hidden,
        );
    }
}

#[test]
fn a_long_run_ends_after_three_hours() {
    for (level, warn) in [(Novice, 30.0), (Intermediate, 30.0), (Advanced, 27.5)] {
        let athlete = athlete_at_level(level, 60.0, 25.0);
        let cases = [(warn, NO_FINDING), (warn + 0.1, WARNING), (35.0, WARNING), (35.1, ERROR)];
        assert_severities(LintRule::LongRunDuration, &athlete, &cases, one_run);
        let mut unknown = athlete;
        unknown.runs.iter_mut().for_each(|run| run.duration = None);
        assert_severities(LintRule::LongRunDuration, &unknown, &[(40.0, NO_FINDING)], one_run);
    }
}

#[test]
fn the_longest_run_fits_the_race() {
    let races = [km(5.0), km(10.0), Distance::HALF_MARATHON, Distance::MARATHON];
    let rows = [
        (Novice, [6.0, 10.0, 16.0, 26.0], [14.0, 18.0, 21.0, 32.0]),
        (Intermediate, [10.0, 13.0, 18.0, 29.0], [16.0, 20.0, 23.0, 35.0]),
        (Advanced, [13.0, 16.0, 21.0, 29.0], [20.0, 24.0, 29.0, 39.0]),
    ];
    for (level, least, most) in rows {
        for (index, race) in races.into_iter().enumerate() {
            let plan = |long: f64| PlanFixture::race(race, &[(12.0, 3.0), (long + 12.0, long), (12.0, 0.0)]);
            let athlete = athlete_at_level(level, 12.0, 3.0);
            assert_severities(
                LintRule::LongRunTooShort,
                &athlete,
                &[(least[index], NO_FINDING), (least[index] - 0.1, WARNING)],
                plan,
            );
            assert_severities(
                LintRule::LongRunTooLong,
                &athlete,
                &[(most[index], NO_FINDING), (most[index] + 0.1, WARNING)],
                plan,
            );
            // Runs in the ten weeks before the race count as preparation.
            let mut prepared = athlete.clone();
            prepared.runs.push(past_run(today().plus_days(-20), 30.0));
            assert_severities(LintRule::LongRunTooShort, &prepared, &[(4.0, NO_FINDING)], plan);
        }
    }
}

#[test]
fn a_race_needs_weeks_and_a_base() {
    let races = [km(5.0), km(10.0), Distance::HALF_MARATHON, Distance::MARATHON];
    let rows = [(Novice, [6, 8, 10, 14]), (Intermediate, [4, 6, 8, 12]), (Advanced, [4, 6, 8, 10])];
    for (level, weeks) in rows {
        for (race, weeks) in races.into_iter().zip(weeks) {
            let plan = |count: f64| PlanFixture::race(race, &vec![(30.0, 10.0); count as usize]);
            let athlete = athlete_at_level(level, 30.0, 10.0);
            let weeks = f64::from(weeks);
            assert_severities(
                LintRule::PlanTooShort,
                &athlete,
                &[(weeks, NO_FINDING), (weeks - 1.0, WARNING)],
                plan,
            );
        }
    }
    for (level, marathon, other) in
        [(Novice, ERROR, WARNING), (Intermediate, WARNING, WARNING), (Advanced, NOTE, NOTE)]
    {
        for (race, least, worst) in
            [(races[1], 10.0, other), (races[2], 15.0, other), (races[3], 20.0, marathon)]
        {
            let says = |base: f64, weeks: usize| {
                PlanFixture::race(race, &vec![(30.0, 10.0); weeks])
                    .severity_of(&athlete_at_level(level, base, 3.0), LintRule::BaseTooLow)
            };
            assert_eq!(says(least, 12), NO_FINDING);
            assert_eq!(says(least - 0.1, 12), worst, "{level} {race:?}");
            // Enough weeks make up for it.
            assert_eq!(says(least - 0.1, 20), other, "{level} {race:?}");
        }
        assert_eq!(
            PlanFixture::race(races[0], &[(30.0, 10.0); 8])
                .severity_of(&athlete_at_level(level, 1.0, 0.5), LintRule::BaseTooLow),
            NO_FINDING
        );
    }
    let marathon = |weeks: usize| PlanFixture::race(Distance::MARATHON, &vec![(6.0, 2.0); weeks]);
    assert_eq!(marathon(19).severity_of(&TrainingBaseline::unknown(today()), LintRule::BaseTooLow), ERROR);
    assert_eq!(marathon(20).severity_of(&TrainingBaseline::unknown(today()), LintRule::BaseTooLow), WARNING);
    // Below 5 km a week the stated level does not matter.
    for level in Level::ALL {
        let mut claims = TrainingBaseline::unknown(today());
        claims.self_reported.level = Some(*level);
        assert_eq!(marathon(19).severity_of(&claims, LintRule::BaseTooLow), ERROR, "{level}");
    }
}

#[test]
fn peak_week_is_compared_with_published_plans_and_own_best() {
    let race = Distance::HALF_MARATHON;
    for (level, low, high) in [(Novice, 32.0, 55.0), (Intermediate, 50.0, 80.0), (Advanced, 75.0, 135.0)] {
        let plan = |peak: f64| PlanFixture::race(race, &[(20.0, 5.0), (peak, 15.0), (20.0, 0.0)]);
        let cases = [(low, NO_FINDING), (low - 0.1, NOTE), (high, NO_FINDING), (high + 0.1, NOTE)];
        assert_severities(LintRule::UnusualPeakVolume, &athlete_at_level(level, 40.0, 10.0), &cases, plan);
    }
    for (level, most) in [(Novice, 52.0), (Intermediate, 50.0), (Advanced, 48.0)] {
        let plan = |peak: f64| PlanFixture::race(race, &[(20.0, 5.0), (peak, 15.0), (20.0, 0.0)]);
        assert_severities(
            LintRule::PeakAboveOwnBest,
            &athlete_at_level(level, 40.0, 10.0),
            &[(most, NO_FINDING), (most + 0.1, WARNING)],
            plan,
        );
    }
}

#[test]
fn fitness_rises_slowly() {
    // Seven days of load L from fitness 40 raise it by (L - 40)(1 - e^(-7/42)).
    let share = 1.0 - (-7.0_f64 / 42.0).exp();
    for (level, points) in [(Novice, 5.0), (Intermediate, 6.0), (Advanced, 8.0)] {
        let athlete = TrainingBaseline { fitness: Some(40.0), ..athlete_at_level(level, 40.0, 10.0) };
        let plan = |points: f64| {
            let load = 40.0 + points / share;
            let workouts = (0..7)
                .map(|offset| Workout { load: Some(load), ..workout(offset, WorkoutKind::Easy, 5.0) })
                .collect();
            PlanFixture { workouts, ..PlanFixture::weeks(&[(0.0, 0.0)]) }
        };
        assert_severities(
            LintRule::FitnessRampRate,
            &athlete,
            &[(points, NO_FINDING), (points + 0.01, WARNING)],
            plan,
        );
        let mut unknown = plan(20.0);
        unknown.workouts[3].load = None;
        assert_eq!(unknown.severity_of(&athlete, LintRule::FitnessRampRate), NO_FINDING);
        assert_eq!(
            plan(20.0).severity_of(&athlete_at_level(level, 40.0, 10.0), LintRule::FitnessRampRate),
            NO_FINDING
        );
    }
}

#[test]
fn unknown_level_is_noted_and_linted_as_novice() {
    let unknown = TrainingBaseline::unknown(today());
    let note = one_run(5.0).finding(&unknown, LintRule::FirstWeekVolume).unwrap();
    assert_eq!(note.severity, Severity::Note);
    assert!(note.text.contains("typical week"), "{}", note.text);
    assert_eq!(
        one_run(5.0).severity_of(&athlete_at_level(Novice, 20.0, 5.0), LintRule::FirstWeekVolume),
        NO_FINDING
    );
    let weeks = |km: f64| PlanFixture::weeks(&[(40.0, 10.0), (km, 10.0)]);
    assert_severities(LintRule::WeeklyVolumeJump, &unknown, &[(48.0, NO_FINDING), (48.1, WARNING)], weeks);
}

/// A plan from a Tuesday: six days, then weeks as usual.
#[test]
fn the_days_before_the_first_full_week_count_with_what_was_run_before_them() {
    for level in Level::ALL {
        let athlete = athlete_at_level(*level, 37.0, 14.0);
        let plan = |each: f64, from: i64| {
            let mut made = PlanFixture::race(Distance::HALF_MARATHON, &[(37.0, 14.0); 12]);
            made.workouts.retain(|workout| workout.date >= plan_day(7));
            made.workouts.extend((from..7).map(|offset| workout(offset, WorkoutKind::Easy, each)));
            let subject = LintInput { start: plan_day(from), ..made.subject() };
            let found = lint(
                &subject,
                &TrainingBaseline { as_of: plan_day(from).previous(), ..athlete.clone() },
                UnitSystem::Metric,
            );
            found
                .into_iter()
                .find(|finding| finding.involves(LintRule::WeeklyVolumeJump))
                .map(|finding| finding.severity)
        };
        assert_eq!(plan(14.0, 1), ERROR, "{level}: 84 km in six days");
        assert_eq!(plan(6.0, 1), NO_FINDING, "{level}: 36 km in six days");
        assert_eq!(plan(14.0, 6), NO_FINDING, "{level}: one day like the longest is no week");
    }
    // After weeks without a run those days start as small as a week would.
    let idle =
        TrainingBaseline { first_day: Some(today().plus_days(-100)), ..TrainingBaseline::unknown(today()) };
    let mut made = PlanFixture::race(Distance::HALF_MARATHON, &[(6.0, 2.0); 14]);
    made.workouts.retain(|workout| workout.date >= plan_day(7));
    made.workouts.extend([1, 3, 5].map(|offset| workout(offset, WorkoutKind::Easy, 3.0)));
    let subject = LintInput { start: plan_day(1), ..made.subject() };
    let found = lint(&subject, &idle, UnitSystem::Metric);
    assert!(errors(&found).any(|finding| finding.involves(LintRule::WeeklyVolumeJump)), "{found:?}");
}
