use super::super::*;
use super::fixtures::*;
use crate::plan::{Level, WorkoutKind};
use Level::{Advanced, Novice};

fn races() -> [Distance; 4] {
    [5.0, 10.0, 21.0975, 42.195].map(|km| Distance::from_km(km).unwrap())
}

/// A race plan of weeks in kilometres, without long runs.
fn plan_from_weeks(race: Distance, weeks: &[f64]) -> PlanFixture {
    let weeks: Vec<(f64, f64)> = weeks.iter().map(|km| (*km, km * 0.25)).collect();
    PlanFixture::race(race, &weeks)
}

#[test]
fn the_last_long_run_is_neither_too_late_nor_too_early() {
    for (race, (from, to)) in races().into_iter().zip([(6, 14), (7, 14), (7, 21), (14, 28)]) {
        let athlete = athlete_at_level(Novice, 40.0, 10.0);
        let plan = |days: f64| {
            let weeks = 12;
            let day = weeks * 7 - 1 - days as i64;
            PlanFixture::race(race, &[(20.0, 4.0); 12]).with(workout(day, WorkoutKind::Long, 40.0))
        };
        let (from, to) = (f64::from(from), f64::from(to));
        let cases = [(from, NO_FINDING), (from - 1.0, WARNING), (to, NO_FINDING), (to + 1.0, WARNING)];
        assert_severities(LintRule::LastLongRunTiming, &athlete, &cases, plan);
        // 90 % of the longest run is a long run, too.
        let later = |km: f64| plan(to + 1.0).with(workout(12 * 7 - 1 - from as i64, WorkoutKind::Long, km));
        assert_severities(
            LintRule::LastLongRunTiming,
            &athlete,
            &[(36.0, NO_FINDING), (35.9, WARNING)],
            later,
        );
    }
}

#[test]
fn a_short_plan_may_leave_the_long_run_to_the_weeks_before_it() {
    let mut athlete = athlete_at_level(Novice, 40.0, 10.0);
    athlete.runs.push(past_run(today().plus_days(-20), 30.0));
    let of = |weeks: usize| PlanFixture::race(races()[2], &vec![(20.0, 4.0); weeks]);
    assert_eq!(of(3).severity_of(&athlete, LintRule::LastLongRunTiming), NO_FINDING);
    assert_eq!(
        of(3).with(workout(15, WorkoutKind::Long, 28.0)).severity_of(&athlete, LintRule::LastLongRunTiming),
        WARNING
    );
    // Plans of four weeks or more have their own.
    assert_eq!(
        of(4).with(workout(7, WorkoutKind::Long, 15.0)).severity_of(&athlete, LintRule::LastLongRunTiming),
        NO_FINDING
    );
    assert_eq!(
        of(4).with(workout(5, WorkoutKind::Long, 15.0)).severity_of(&athlete, LintRule::LastLongRunTiming),
        WARNING
    );
}

#[test]
fn taper_length_follows_the_race_distance() {
    for (race, fine) in races().into_iter().zip([[1, 1], [1, 1], [1, 2], [2, 3]]) {
        for taper in 0..5_usize {
            let mut weeks = vec![50.0; 12 - taper];
            weeks.extend((0..taper).map(|n| 44.0 - 5.0 * n as f64));
            let expected = if (fine[0]..=fine[1]).contains(&taper) { NO_FINDING } else { WARNING };
            for level in Level::ALL {
                let said = plan_from_weeks(race, &weeks)
                    .severity_of(&athlete_at_level(*level, 50.0, 10.0), LintRule::TaperLength);
                assert_eq!(said, expected, "{race:?} {taper}");
            }
        }
    }
    // A week with 90 % of the peak is not part of the taper.
    let plan = |km: f64| plan_from_weeks(races()[3], &[50.0, 50.0, 50.0, 50.0, 50.0, km, 30.0, 15.0]);
    let cases = [(44.9, NO_FINDING), (45.0, NO_FINDING)];
    assert_severities(LintRule::TaperLength, &athlete_at_level(Novice, 50.0, 10.0), &cases, plan);
    let value = |km: f64| {
        let made = plan_from_weeks(races()[2], &[50.0, 50.0, 50.0, 50.0, 50.0, km, 30.0, 15.0]);
        made.finding(&athlete_at_level(Novice, 50.0, 10.0), LintRule::TaperLength)
            .map(|finding| finding.value.unwrap())
    };
    assert_eq!((value(44.9), value(45.0)), (Some(21.0), None));
}

#[test]
fn the_last_weeks_are_a_share_of_the_peak() {
    let athlete = athlete_at_level(Novice, 100.0, 20.0);
    let rows: [(usize, &[(f64, f64)]); 4] = [
        (0, &[(45.0, 80.0)]),
        (1, &[(45.0, 80.0)]),
        (2, &[(25.0, 55.0), (68.0, 100.0)]),
        (3, &[(14.0, 45.0), (50.0, 88.0), (65.0, 90.0)]),
    ];
    for (race, ranges) in rows {
        for (back, (low, high)) in ranges.iter().enumerate() {
            let plan = |km: f64| {
                let mut weeks = vec![100.0; 12];
                for (other, (low, high)) in ranges.iter().enumerate() {
                    weeks[11 - other] = f64::midpoint(*low, *high);
                }
                weeks[11 - back] = km;
                plan_from_weeks(races()[race], &weeks)
            };
            let mut cases = vec![(*low, NO_FINDING), (low - 0.1, WARNING), (*high, NO_FINDING)];
            if *high < 100.0 {
                cases.push((high + 0.1, WARNING));
            }
            assert_severities(LintRule::TaperVolume, &athlete, &cases, plan);
        }
    }
}

#[test]
fn taper_must_decrease_every_week_and_enough() {
    let athlete = athlete_at_level(Novice, 100.0, 20.0);
    let plan = |km: f64| plan_from_weeks(races()[2], &[100.0, 100.0, 100.0, 80.0, km, 40.0]);
    assert_severities(LintRule::TaperDecrease, &athlete, &[(79.9, NO_FINDING), (80.0, WARNING)], plan);
    // Before a marathon the last two weeks have 40 to 59 % of the peak on average.
    let plan = |sum: f64| plan_from_weeks(races()[3], &[100.0, 100.0, 100.0, 80.0, sum - 30.0, 30.0]);
    let cases = [(80.0, NO_FINDING), (79.9, WARNING), (100.0, NO_FINDING), (109.0, NO_FINDING)];
    assert_severities(LintRule::TaperDecrease, &athlete, &cases, plan);
    let plan = |sum: f64| plan_from_weeks(races()[3], &[100.0, 100.0, 100.0, 80.0, sum - 44.0, 44.0]);
    assert_severities(LintRule::TaperDecrease, &athlete, &[(118.0, NO_FINDING), (118.1, WARNING)], plan);
    let half = plan_from_weeks(races()[2], &[100.0, 100.0, 100.0, 80.0, 70.0, 60.0]);
    assert_eq!(half.severity_of(&athlete, LintRule::TaperDecrease), NO_FINDING);
}

#[test]
fn the_taper_keeps_runs_and_pace() {
    let athlete = athlete_at_level(Novice, 50.0, 10.0);
    let made = plan_from_weeks(races()[3], &[50.0, 50.0, 50.0, 40.0, 30.0, 15.0]);
    assert_eq!(made.severity_of(&athlete, LintRule::TaperFrequency), NO_FINDING);
    // Four of five runs are enough, three are not; in race week the race counts.
    let fewer = made.clone().without(4 * 7 + 1);
    assert_eq!(fewer.severity_of(&athlete, LintRule::TaperFrequency), NO_FINDING);
    assert_eq!(fewer.without(4 * 7 + 2).severity_of(&athlete, LintRule::TaperFrequency), WARNING);
    let race_week = made.clone().without(5 * 7 + 1);
    assert_eq!(race_week.severity_of(&athlete, LintRule::TaperFrequency), NO_FINDING);
    assert_eq!(race_week.without(5 * 7 + 2).severity_of(&athlete, LintRule::TaperFrequency), WARNING);
    // If there was quality before, each taper week needs some; strides are enough in race week.
    let quick = made.with(workout(2, WorkoutKind::Tempo, 8.0));
    assert_eq!(quick.severity_of(&athlete, LintRule::TaperFrequency), WARNING);
    let kept = |last: WorkoutKind| {
        let weeks = [(3, WorkoutKind::RacePace), (4, WorkoutKind::Tempo), (5, last)];
        weeks.iter().fold(quick.clone(), |made, (week, kind)| made.with(workout(week * 7 + 2, *kind, 5.0)))
    };
    assert_eq!(kept(WorkoutKind::Strides).severity_of(&athlete, LintRule::TaperFrequency), NO_FINDING);
    assert_eq!(kept(WorkoutKind::RacePace).severity_of(&athlete, LintRule::TaperFrequency), NO_FINDING);
    assert_eq!(kept(WorkoutKind::Easy).severity_of(&athlete, LintRule::TaperFrequency), WARNING);
}

#[test]
fn the_last_days_are_easy_and_short() {
    for (level, worst) in [(Novice, ERROR), (Level::Intermediate, ERROR), (Advanced, WARNING)] {
        let athlete = athlete_at_level(level, 50.0, 10.0);
        let last = 6 * 7 - 1;
        let plan = |days: i64, kind: WorkoutKind, km: f64| {
            plan_from_weeks(races()[1], &[50.0, 50.0, 50.0, 50.0, 50.0, 20.0]).with(workout(
                last - days,
                kind,
                km,
            ))
        };
        assert_eq!(
            plan(3, WorkoutKind::RacePace, 5.0).severity_of(&athlete, LintRule::FinalDays),
            NO_FINDING
        );
        assert_eq!(plan(2, WorkoutKind::RacePace, 5.0).severity_of(&athlete, LintRule::FinalDays), worst);
        assert_eq!(plan(1, WorkoutKind::Strides, 5.0).severity_of(&athlete, LintRule::FinalDays), NO_FINDING);
        // 10 km at 6:00 /km takes an hour.
        for days in 1..=3 {
            let cases = [(10.0, NO_FINDING), (10.1, worst)];
            assert_severities(LintRule::FinalDays, &athlete, &cases, |km| plan(days, WorkoutKind::Easy, km));
        }
        assert_eq!(plan(4, WorkoutKind::Easy, 15.0).severity_of(&athlete, LintRule::FinalDays), NO_FINDING);
        // 30 km takes anyone more than an hour; for 15 km it is unknown.
        let mut unknown = athlete.clone();
        unknown.runs.iter_mut().for_each(|run| run.duration = None);
        let cases = [(15.0, NO_FINDING), (30.0, worst)];
        assert_severities(LintRule::FinalDays, &unknown, &cases, |km| plan(1, WorkoutKind::Easy, km));
    }
}

#[test]
fn the_peak_is_some_weeks_before_the_race() {
    let athlete = athlete_at_level(Novice, 100.0, 20.0);
    for (race, (from, to)) in races().into_iter().zip([(1, 4), (1, 4), (1, 4), (3, 5)]) {
        for apart in 0..8_usize {
            // Lighter weeks after the peak, none of them a peak week.
            let mut weeks = vec![80.0; 12];
            weeks[11] = 40.0;
            weeks[11 - apart] = 100.0;
            let expected = if (from..=to).contains(&apart) { NO_FINDING } else { WARNING };
            assert_eq!(
                plan_from_weeks(race, &weeks).severity_of(&athlete, LintRule::PeakWeekTiming),
                expected,
                "{race:?} {apart}"
            );
        }
    }
    // A week with 93 % of the peak is a peak week.
    let plan = |km: f64| plan_from_weeks(races()[3], &[100.0, 80.0, 80.0, 80.0, km, 80.0, 60.0, 40.0]);
    assert_severities(LintRule::PeakWeekTiming, &athlete, &[(92.9, WARNING), (93.0, NO_FINDING)], plan);
}

#[test]
fn two_week_plan_tapers_from_the_base_week() {
    let athlete = athlete_at_level(Level::Intermediate, 50.0, 20.0);
    let short = plan_from_weeks(Distance::HALF_MARATHON, &[37.5, 22.5]);
    for rule in
        [LintRule::TaperLength, LintRule::TaperVolume, LintRule::TaperDecrease, LintRule::PeakWeekTiming]
    {
        assert_eq!(short.severity_of(&athlete, rule), NO_FINDING, "{rule}");
    }
    assert_eq!(
        short.severity_of(&athlete_at_level(Level::Intermediate, 38.0, 15.0), LintRule::TaperVolume),
        WARNING
    );
}
