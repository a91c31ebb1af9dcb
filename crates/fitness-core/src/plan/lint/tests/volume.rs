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
        let cases = [
            (33.0, NO_FINDING),
            (33.01, NOTE),
            (36.0, NOTE),
            (36.01, WARNING),
            (39.0, WARNING),
            (39.01, ERROR),
        ];
        let athlete = athlete_at_level(*level, 100.0, 30.0);
        assert_severities(LintRule::LongestRunJump, &athlete, &cases, one_run);
    }
    // 22 after 20 miles is exactly 10 % more.
    let athlete = athlete_at_level(Novice, 100.0, Distance::from_miles(20.0).unwrap().km());
    let miles = Distance::from_miles(22.0).unwrap().km();
    let cases = [(miles, NO_FINDING), (miles + 0.01, NOTE)];
    assert_severities(LintRule::LongestRunJump, &athlete, &cases, one_run);
    let said =
        one_run(13.0).finding(&athlete_at_level(Novice, 40.0, 10.0), LintRule::LongestRunJump).unwrap();
    assert_eq!(
        said.text,
        "The run of 13.0 km on 2026-06-20 is 30% longer than your longest run of the 30 days before (10.0 km); beyond \
         10%, injuries become more common."
    );
    assert_eq!((said.day, said.value, said.limit), (Some(plan_day(5)), Some(1.3), Some(1.2)));
}

#[test]
fn a_run_may_always_be_two_kilometres_longer() {
    for level in Level::ALL {
        // 2 km are 13, 20 and 40 % of 15, 10 and 5 km.
        let fifteen = [
            (17.0, NO_FINDING),
            (17.01, NOTE),
            (18.0, NOTE),
            (18.01, WARNING),
            (19.5, WARNING),
            (19.51, ERROR),
        ];
        let ten = [(12.0, NO_FINDING), (12.01, WARNING), (13.0, WARNING), (13.01, ERROR)];
        let athlete = |longest: f64| athlete_at_level(*level, 50.0, longest);
        assert_severities(LintRule::LongestRunJump, &athlete(15.0), &fifteen, one_run);
        assert_severities(LintRule::LongestRunJump, &athlete(10.0), &ten, one_run);
    }
    let five = [(7.0, NO_FINDING), (7.01, ERROR)];
    assert_severities(LintRule::LongestRunJump, &athlete_at_level(Novice, 20.0, 5.0), &five, one_run);
    // Runs up to 5 km are always allowed.
    let two = [(5.0, NO_FINDING), (5.01, ERROR)];
    assert_severities(LintRule::LongestRunJump, &athlete_at_level(Novice, 8.0, 2.0), &two, one_run);
}

/// Only the race of the plan may be longer than that.
#[test]
fn a_tune_up_race_counts_like_any_run() {
    let athlete = athlete_at_level(Intermediate, 40.0, 10.0);
    let tune_up = |km: f64| PlanFixture { workouts: vec![workout(5, WorkoutKind::Race, km)], ..one_run(0.0) };
    let cases = [(12.0, NO_FINDING), (12.01, WARNING), (13.0, WARNING), (13.01, ERROR)];
    assert_severities(LintRule::LongestRunJump, &athlete, &cases, tune_up);
    let race = PlanFixture::race(Distance::MARATHON, &[(40.0, 10.0); 3]);
    assert_eq!(race.severity_of(&athlete, LintRule::LongestRunJump), NO_FINDING);
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
    assert_severities(LintRule::LongestRunJump, &stated, &[(12.0, NO_FINDING), (12.01, WARNING)], one_run);
}

/// 33.12 km after 30 km is 10.4 % longer and shown as 11 %, because 10 % is allowed.
#[test]
fn value_just_above_the_limit_is_not_rounded_to_it() {
    let made = PlanFixture::weeks(&[(100.0, 33.12)]);
    let said = made.finding(&athlete_at_level(Intermediate, 100.0, 30.0), LintRule::LongestRunJump).unwrap();
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

/// Entered values cannot disable the rules: recorded runs count.
#[test]
fn self_reported_base_does_not_raise_recorded_base() {
    let mut athlete = athlete_at_level(Intermediate, 40.0, 10.0);
    athlete.self_reported.base = Distance::from_km(100.0);
    athlete.self_reported.longest = Distance::from_km(30.0);
    assert_severities(
        LintRule::LongestRunJump,
        &athlete,
        &[(12.0, NO_FINDING), (12.01, WARNING), (13.01, ERROR)],
        one_run,
    );
    let week = |km: f64| PlanFixture::weeks(&[(km, 10.0)]);
    assert_severities(
        LintRule::WeeklyVolumeJump,
        &athlete,
        &[(48.8, NO_FINDING), (48.9, WARNING), (52.1, ERROR)],
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
    assert_severities(LintRule::WeeklyVolumeJump, &athlete, &[(48.8, NO_FINDING), (52.1, ERROR)], week);
    // Without data the stated value is used.
    let mut unknown = TrainingBaseline::unknown(today());
    unknown.self_reported.base = Distance::from_km(40.0);
    assert_severities(
        LintRule::WeeklyVolumeJump,
        &unknown,
        &[(48.8, NO_FINDING), (48.9, WARNING), (52.1, ERROR)],
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
    for (level, warn) in [(Novice, 61.0), (Intermediate, 61.0), (Advanced, 58.0)] {
        let cases = [(warn, NO_FINDING), (warn + 0.1, WARNING), (65.0, WARNING), (65.1, ERROR)];
        assert_severities(LintRule::WeeklyVolumeJump, &athlete_at_level(level, 50.0, 10.0), &cases, week);
        // From age 50 the limit is 0.03 lower.
        let master = TrainingBaseline { age: Some(50), ..athlete_at_level(level, 50.0, 10.0) };
        let cases = [(warn - 1.5, NO_FINDING), (warn - 1.4, WARNING), (63.5, WARNING), (63.6, ERROR)];
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
        &[(51.2, NO_FINDING), (51.3, WARNING), (54.6, WARNING), (54.7, ERROR)],
        after,
    );
    let last_known =
        |km: f64| PlanFixture::weeks(&[(42.0, 10.0), (20.0, 8.0), (20.0, 8.0), (20.0, 8.0), (km, 10.0)]);
    assert_severities(
        LintRule::WeeklyVolumeJump,
        &athlete,
        &[(51.2, NO_FINDING), (51.3, WARNING), (54.6, WARNING), (54.7, ERROR)],
        last_known,
    );
    // After four light weeks, these are compared.
    let later = |km: f64| {
        PlanFixture::weeks(&[(42.0, 10.0), (20.0, 8.0), (20.0, 8.0), (20.0, 8.0), (20.0, 8.0), (km, 8.0)])
    };
    assert_severities(
        LintRule::WeeklyVolumeJump,
        &athlete,
        &[(24.4, NO_FINDING), (24.5, WARNING), (26.0, WARNING), (26.1, ERROR)],
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
        &[(85.4, NO_FINDING), (85.5, WARNING), (91.0, WARNING), (91.1, ERROR)],
        third,
    );
    assert_eq!(
        third(84.0).severity_of(&athlete_at_level(Novice, 40.0, 10.0), LintRule::WeeklyVolumeJump),
        ERROR
    );
    // Past planned days are not checked.
    let both = [workout(13, WorkoutKind::Intervals, 70.0), workout(13, WorkoutKind::Tempo, 70.0)];
    // 68 km are 70 % more than the weeks before the plan (R2b).
    let mut past_faults = third(68.0);
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
        // One full week keeps R2 quiet; the median is 50.
        let mut athlete = athlete_at_level(*level, 50.0, 10.0);
        athlete.runs.push(past_run(today().plus_days(-20), 30.0));
        athlete.runs.sort_by_key(|run| run.day);
        let cases = [(55.0, NO_FINDING), (55.1, WARNING), (65.0, WARNING), (65.1, ERROR)];
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
    for (level, most) in [(Novice, 42.5), (Intermediate, 42.5), (Advanced, 45.0)] {
        let four = |km: f64| PlanFixture::weeks(&[(50.0, 10.0), (50.0, 10.0), (50.0, 10.0), (km, 10.0)]);
        let athlete = athlete_at_level(level, 50.0, 10.0);
        assert_severities(
            LintRule::MissingCutbackWeek,
            &athlete,
            &[(most, NO_FINDING), (most + 0.1, WARNING)],
            four,
        );
        assert_eq!(
            PlanFixture::weeks(&[(50.0, 10.0); 3]).severity_of(&athlete, LintRule::MissingCutbackWeek),
            NO_FINDING
        );
        // From age 50 every third week.
        let master = TrainingBaseline { age: Some(50), ..athlete };
        let three = |km: f64| PlanFixture::weeks(&[(50.0, 10.0), (50.0, 10.0), (km, 10.0)]);
        assert_severities(
            LintRule::MastersRecovery,
            &master,
            &[(most, NO_FINDING), (most + 0.1, WARNING)],
            three,
        );
        assert_eq!(four(50.0).severity_of(&master, LintRule::MissingCutbackWeek), NO_FINDING);
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
    for (level, warn) in [(Novice, 27.5), (Intermediate, 23.5), (Advanced, 20.0)] {
        let athlete = athlete_at_level(level, 50.0, 10.0);
        let cases = [(warn, NO_FINDING), (warn + 0.1, WARNING), (32.5, WARNING), (32.6, ERROR)];
        assert_severities(LintRule::LongRunShare, &athlete, &cases, |long| {
            PlanFixture::weeks(&[(50.0, long)])
        });
        // A small week is not checked.
        let light = athlete_stating(level);
        assert_severities(LintRule::LongRunShare, &light, &[(24.9, NO_FINDING), (25.0, ERROR)], |week| {
            PlanFixture::weeks(&[(week, 20.0)])
        });
        // A longer run in another week hides nothing, and in a cut-back week it is a warning.
        let hidden = |km: f64| PlanFixture::weeks(&[(km, 0.7 * km), (90.0, 29.0)]);
        assert_severities(
            LintRule::LongRunShare,
            &athlete,
            &[(50.0, ERROR), (45.1, ERROR), (42.5, WARNING)],
            hidden,
        );
    }
}

#[test]
fn a_long_run_ends_after_three_hours() {
    for (level, warn) in [(Novice, 30.0), (Intermediate, 30.0), (Advanced, 27.5)] {
        let athlete = athlete_at_level(level, 60.0, 25.0);
        let cases = [(warn, NO_FINDING), (warn + 0.1, WARNING), (32.5, WARNING), (32.6, ERROR)];
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
        (Novice, 12.0, [6.0, 10.0, 16.0, 26.0], [14.0, 18.0, 21.0, 32.0]),
        (Intermediate, 20.0, [10.0, 13.0, 18.0, 29.0], [16.0, 20.0, 23.0, 35.0]),
        (Advanced, 50.0, [13.0, 16.0, 21.0, 29.0], [20.0, 24.0, 29.0, 39.0]),
    ];
    for (level, base, least, most) in rows {
        for (index, race) in races.into_iter().enumerate() {
            let plan = |long: f64| PlanFixture::race(race, &[(12.0, 3.0), (long + 12.0, long), (12.0, 0.0)]);
            // At 5:00 /km no run of these takes 2:45 h.
            let athlete = at_easy_pace(athlete_at_level(level, base, base / 5.0), 300.0);
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
fn a_run_of_two_hours_and_45_minutes_is_long_enough() {
    let plan =
        |race: Distance, long: f64| PlanFixture::race(race, &[(12.0, 3.0), (long + 12.0, long), (12.0, 0.0)]);
    for (level, base) in [(Novice, 12.0), (Intermediate, 20.0), (Advanced, 50.0)] {
        let slow = |pace: f64| at_easy_pace(athlete_at_level(level, base, base / 5.0), pace);
        // 8:00 /km: 20.625 km.
        let cases = [(20.62, WARNING), (20.63, NO_FINDING)];
        assert_severities(LintRule::LongRunTooShort, &slow(480.0), &cases, |km| plan(Distance::MARATHON, km));
        // 11:00 /km: 15 km, enough for any race.
        for race in [Distance::HALF_MARATHON, Distance::MARATHON] {
            let short = if race == Distance::MARATHON { ERROR } else { WARNING };
            let cases = [(14.99, short), (15.0, NO_FINDING)];
            assert_severities(LintRule::LongRunTooShort, &slow(660.0), &cases, |km| plan(race, km));
        }
        // A run by time counts too, without a pace for the others.
        let mut timed = plan(Distance::MARATHON, 20.0);
        for (minutes, expected) in [(164, WARNING), (165, NO_FINDING)] {
            let long = Workout {
                duration: Some(TimeSpan::from_mins(minutes)),
                ..workout(13, WorkoutKind::Long, 20.0)
            };
            timed = timed.with(long);
            assert_eq!(timed.severity_of(&slow(360.0), LintRule::LongRunTooShort), expected, "{minutes}");
        }
    }
}

#[test]
fn a_marathon_without_a_run_of_18_km_is_an_error() {
    let plan =
        |long: f64| PlanFixture::race(Distance::MARATHON, &[(12.0, 3.0), (long + 12.0, long), (12.0, 0.0)]);
    for (level, base) in [(Novice, 12.0), (Intermediate, 20.0), (Advanced, 50.0)] {
        let athlete = athlete_at_level(level, base, base / 5.0);
        let cases = [(14.0, ERROR), (17.99, ERROR), (18.0, WARNING)];
        assert_severities(LintRule::LongRunTooShort, &athlete, &cases, plan);
    }
    // Before a half marathon it is a warning.
    let half = PlanFixture::race(Distance::HALF_MARATHON, &[(12.0, 3.0), (22.0, 10.0), (12.0, 0.0)]);
    assert_eq!(half.severity_of(&athlete_at_level(Novice, 12.0, 3.0), LintRule::LongRunTooShort), WARNING);
}

#[test]
fn a_race_needs_weeks_and_a_base() {
    let races = [km(5.0), km(10.0), Distance::HALF_MARATHON, Distance::MARATHON];
    let rows = [(Novice, [6, 8, 10, 14]), (Intermediate, [4, 6, 8, 12]), (Advanced, [4, 6, 8, 10])];
    for (level, weeks) in rows {
        for (race, weeks) in races.into_iter().zip(weeks) {
            let plan = |count: f64| PlanFixture::race(race, &vec![(30.0, 10.0); count as usize]);
            let athlete = athlete_at_level(level, 50.0, 10.0);
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
            // With so few recorded kilometres everybody is a novice; the other levels are stated.
            let says = |base: f64, weeks: usize| {
                let mut athlete = athlete_stating(level);
                athlete.self_reported.base = Distance::from_km(base);
                PlanFixture::race(race, &vec![(30.0, 10.0); weeks])
                    .severity_of(&athlete, LintRule::BaseTooLow)
            };
            assert_eq!(says(least, 12), NO_FINDING);
            assert_eq!(says(least - 0.1, 12), worst, "{level} {race:?}");
            // Enough weeks make up for it.
            assert_eq!(says(least - 0.1, 20), other, "{level} {race:?}");
        }
        assert_eq!(
            PlanFixture::race(races[0], &[(30.0, 10.0); 8])
                .severity_of(&TrainingBaseline::unknown(today()), LintRule::BaseTooLow),
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
        assert_severities(LintRule::UnusualPeakVolume, &athlete_at_level(level, 50.0, 10.0), &cases, plan);
    }
    for (level, most) in [(Novice, 75.0), (Intermediate, 70.0), (Advanced, 65.0)] {
        let plan = |peak: f64| PlanFixture::race(race, &[(20.0, 5.0), (peak, 15.0), (20.0, 0.0)]);
        assert_severities(
            LintRule::PeakAboveOwnBest,
            &athlete_at_level(level, 50.0, 10.0),
            &[(most, NO_FINDING), (most + 0.1, NOTE)],
            plan,
        );
    }
}

#[test]
fn fitness_rises_slowly() {
    // Seven days of load L from fitness 40 raise it by (L - 40)(1 - e^(-7/42)).
    let share = 1.0 - (-7.0_f64 / 42.0).exp();
    for (level, points) in [(Novice, 5.0), (Intermediate, 6.0), (Advanced, 8.0)] {
        let athlete = TrainingBaseline { fitness: Some(40.0), ..athlete_at_level(level, 50.0, 10.0) };
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
            plan(20.0).severity_of(&athlete_at_level(level, 50.0, 10.0), LintRule::FitnessRampRate),
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
    assert_severities(LintRule::WeeklyVolumeJump, &unknown, &[(48.8, NO_FINDING), (48.9, WARNING)], weeks);
}

/// A plan from a Tuesday: six days, then weeks as usual.
#[test]
fn the_days_before_the_first_full_week_count_with_what_was_run_before_them() {
    for level in Level::ALL {
        let athlete = athlete_at_level(*level, 50.0, 14.0);
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

/// Weeks that end four weeks before the last one, which has this many kilometres. The weeks in
/// between keep R2 quiet.
fn two_months(earlier: &[f64], between: [f64; 3], last: f64) -> PlanFixture {
    let weeks = earlier.iter().chain(&between).chain([&last]);
    PlanFixture::weeks(&weeks.map(|km| (*km, km * 0.25)).collect::<Vec<_>>())
}

#[test]
fn a_week_is_compared_with_those_a_month_or_two_before() {
    for level in Level::ALL {
        let athlete = athlete_at_level(*level, 50.0, 12.5);
        let cases = [(75.0, NO_FINDING), (75.1, WARNING), (85.0, WARNING), (85.1, ERROR)];
        // Weeks before the plan count: the first week of five is compared with history only.
        assert_severities(LintRule::TwoMonthVolumeJump, &athlete, &cases, |km| {
            two_months(&[50.0], [58.0, 64.0, 70.0], km)
        });
        // The biggest of the five weeks counts, also a planned one: 60 km four weeks before.
        let cases = [(90.0, NO_FINDING), (90.1, WARNING), (102.0, WARNING), (102.1, ERROR)];
        assert_severities(LintRule::TwoMonthVolumeJump, &athlete, &cases, |km| {
            two_months(&[50.0, 60.0], [66.0, 70.0, 74.0], km)
        });
        // Eight weeks before counts, nine do not.
        let light = [20.0; 5];
        let cases = [(90.0, NO_FINDING), (90.1, WARNING)];
        assert_severities(LintRule::TwoMonthVolumeJump, &athlete, &cases, |km| {
            two_months(&[&[60.0], &light[..4]].concat(), [30.0, 50.0, 70.0], km)
        });
        let nine = two_months(&[&[60.0], &light[..]].concat(), [30.0, 50.0, 70.0], 90.0);
        let said = nine.finding(&athlete, LintRule::TwoMonthVolumeJump).unwrap();
        assert_eq!((said.severity, said.value), (Severity::Error, Some(4.5)), "{}", said.text);
    }
}

#[test]
fn eight_kilometres_more_than_two_months_before_are_ignored() {
    let athlete = athlete_at_level(Novice, 10.0, 2.5);
    let cases = [(18.0, NO_FINDING), (18.1, ERROR)];
    assert_severities(LintRule::TwoMonthVolumeJump, &athlete, &cases, |km| {
        two_months(&[10.0], [13.0, 15.0, 17.0], km)
    });
    // 8 km of 15 are 53 %, and 9 km are 60 %.
    let athlete = athlete_at_level(Novice, 15.0, 3.0);
    let cases = [(23.0, NO_FINDING), (23.1, WARNING), (25.5, WARNING), (25.6, ERROR)];
    assert_severities(LintRule::TwoMonthVolumeJump, &athlete, &cases, |km| {
        two_months(&[15.0], [17.0, 19.0, 21.0], km)
    });
}

#[test]
fn two_months_before_an_unknown_week_are_not_compared() {
    let plan = |km: f64| two_months(&[20.0], [24.0, 28.0, 33.0], km);
    // Without history the fifth week is the first with one to compare.
    let unknown = TrainingBaseline::unknown(today());
    let cases = [(30.0, NO_FINDING), (30.1, WARNING), (34.0, WARNING), (34.1, ERROR)];
    assert_severities(LintRule::TwoMonthVolumeJump, &unknown, &cases, plan);
    // Somebody who states 40 km a week starts with less.
    let mut stated = TrainingBaseline::unknown(today());
    stated.self_reported.base = Distance::from_km(40.0);
    assert_severities(LintRule::TwoMonthVolumeJump, &stated, &[(60.0, NO_FINDING), (60.1, WARNING)], plan);
    // A run without a known distance makes its week unknown.
    let hidden = plan(40.0).with(Workout { distance: None, ..workout(1, WorkoutKind::Easy, 5.0) });
    assert_eq!(hidden.severity_of(&unknown, LintRule::TwoMonthVolumeJump), NO_FINDING);
}

/// Four runs of so many minutes at 6:00 /km and a long run of 15 km.
fn usual_runs(minutes: f64) -> PlanFixture {
    PlanFixture::weeks(&[(4.0 * minutes / 6.0 + 25.0, 25.0)])
}

#[test]
fn runs_besides_the_long_run_are_short_enough() {
    for (level, most, worst) in
        [(Novice, 75.0, WARNING), (Intermediate, 85.0, WARNING), (Advanced, 95.0, NOTE)]
    {
        let athlete = athlete_at_level(level, 60.0, 20.0);
        // Shown in whole minutes.
        let cases = [(most, NO_FINDING), (most + 0.4, NO_FINDING), (most + 0.6, worst), (most + 20.0, worst)];
        assert_severities(LintRule::RunsTooLong, &athlete, &cases, usual_runs);
        // The mean counts, so one longer run is fine.
        let one = usual_runs(most - 10.0).with(workout(1, WorkoutKind::Easy, (most + 30.0) / 6.0));
        assert_eq!(one.severity_of(&athlete, LintRule::RunsTooLong), NO_FINDING);
        let one = usual_runs(most - 10.0).with(workout(1, WorkoutKind::Easy, (most + 33.0) / 6.0));
        assert_eq!(one.severity_of(&athlete, LintRule::RunsTooLong), worst);
        let mut unknown = athlete;
        unknown.runs.iter_mut().for_each(|run| run.duration = None);
        assert_eq!(usual_runs(120.0).severity_of(&unknown, LintRule::RunsTooLong), NO_FINDING);
    }
    // A week with a single run has only a long run.
    let athlete = athlete_at_level(Novice, 60.0, 20.0);
    assert_eq!(one_run(20.0).severity_of(&athlete, LintRule::RunsTooLong), NO_FINDING);
}
