use super::*;

fn day(offset: i64) -> Day {
    "2026-06-14".parse::<Day>().unwrap().plus_days(offset)
}

/// Kilometres on every Sunday and Wednesday of past weeks, newest week first.
fn athlete_with_weeks(weeks: &[f64]) -> TrainingBaseline {
    let mut runs: Vec<PastRun> = Vec::new();
    for (back, km) in weeks.iter().enumerate() {
        for (offset, share) in [(0, 0.6), (-4, 0.4)] {
            let distance = Distance::from_km(km * share).unwrap();
            if distance > Distance::ZERO {
                runs.push(PastRun {
                    day: day(offset - 7 * back as i64),
                    distance,
                    duration: None,
                    hard: false,
                });
            }
        }
    }
    runs.sort_by_key(|run| run.day);
    TrainingBaseline {
        first_day: Some(day(1 - 7 * weeks.len() as i64)),
        first_run: runs.first().map(|run| run.day),
        runs,
        ..TrainingBaseline::unknown(day(0))
    }
}

fn km(found: MetricResult<Distance>) -> Option<f64> {
    found.ok().map(Distance::km)
}

#[test]
fn the_base_is_the_median_of_four_weeks_and_of_eight_after_a_pause() {
    assert_eq!(km(athlete_with_weeks(&[40.0, 20.0, 44.0, 42.0, 10.0]).base()), Some(41.0));
    // Two of the four weeks had no run: the last eight count.
    let paused = athlete_with_weeks(&[0.0, 0.0, 30.0, 40.0, 40.0, 40.0, 40.0, 44.0]);
    assert_eq!(km(paused.base()), Some(40.0));
    assert_eq!(
        athlete_with_weeks(&[40.0, 40.0, 40.0]).base(),
        Err(MissingReason::TooFew { have: 21, needed: 28, what: CountUnit::Days })
    );
}

#[test]
fn self_reported_base_without_data_is_used_and_never_raises_recorded_base() {
    let stated =
        SelfReportedTraining { level: None, base: Distance::from_km(70.0), longest: Distance::from_km(30.0) };
    let nobody = TrainingBaseline { self_reported: stated, ..TrainingBaseline::unknown(day(0)) };
    assert_eq!((km(nobody.base()), km(nobody.longest_run())), (Some(70.0), Some(30.0)));
    assert_eq!(nobody.level(), Ok(Level::Advanced));
    // Three weeks of data are too few, and days before the first run do not count.
    let new = TrainingBaseline { self_reported: stated, ..athlete_with_weeks(&[40.0; 3]) };
    assert_eq!((km(new.base()), km(new.longest_run())), (Some(70.0), Some(30.0)));
    let walker = TrainingBaseline { first_day: Some(day(-200)), ..nobody };
    assert_eq!((km(walker.base()), km(walker.longest_run())), (Some(70.0), Some(30.0)));

    let mut athlete = TrainingBaseline { self_reported: stated, ..athlete_with_weeks(&[40.0; 60]) };
    assert_eq!((km(athlete.base()), km(athlete.longest_run())), (Some(40.0), Some(24.0)));
    assert_eq!(athlete.level(), Ok(Level::Intermediate));
    athlete.self_reported =
        SelfReportedTraining { level: None, base: Distance::from_km(20.0), longest: Distance::from_km(9.0) };
    assert_eq!((km(athlete.base()), km(athlete.longest_run())), (Some(20.0), Some(9.0)));
    assert_eq!(athlete.level(), Ok(Level::Novice));
    athlete.self_reported.level = Some(Level::Intermediate);
    assert_eq!(athlete.level(), Ok(Level::Intermediate));
    // After eight weeks without a run there is no base, whatever is stated.
    let mut paused = [0.0; 60];
    paused[9..].fill(40.0);
    let paused = TrainingBaseline { self_reported: stated, ..athlete_with_weeks(&paused) };
    assert_eq!((km(paused.base()), km(paused.longest_run())), (Some(0.0), Some(0.0)));
}

#[test]
fn level_by_weekly_distance_needs_four_weeks_of_data() {
    // Recent accounts are no reason for a lower level.
    assert_eq!(athlete_with_weeks(&[50.0; 4]).level(), Ok(Level::Intermediate));
    assert_eq!(athlete_with_weeks(&[87.0; 30]).level(), Ok(Level::Advanced));
    assert!(athlete_with_weeks(&[50.0; 3]).level().is_err());
    assert!(TrainingBaseline::unknown(day(0)).level().is_err());
    for (base, level) in [
        (29.9, Level::Novice),
        (30.0, Level::Intermediate),
        (64.9, Level::Intermediate),
        (65.0, Level::Advanced),
    ] {
        let base = Distance::from_km(base).unwrap();
        assert_eq!(Level::from_weekly_distance(base), level, "{base:?}");
        assert_eq!(Level::from_evidence(base, None, None), level, "{base:?}");
        assert_eq!(Level::from_evidence(base, Some(41.9), Some(54.9)), level, "{base:?}");
    }
}

#[test]
fn level_of_a_fast_runner_needs_fewer_kilometres() {
    let cases = [
        (19.9, Some(80.0), Some(90.0), Level::Novice),
        (20.0, Some(41.9), Some(54.9), Level::Novice),
        (20.0, Some(42.0), None, Level::Intermediate),
        (20.0, None, Some(55.0), Level::Intermediate),
        (44.9, Some(80.0), Some(90.0), Level::Intermediate),
        (45.0, Some(53.9), Some(67.9), Level::Intermediate),
        (45.0, Some(54.0), None, Level::Advanced),
        (45.0, None, Some(68.0), Level::Advanced),
        (64.9, Some(54.0), Some(20.0), Level::Advanced),
        (65.0, Some(20.0), Some(20.0), Level::Advanced),
    ];
    for (base, vdot, age_grade, level) in cases {
        let base = Distance::from_km(base).unwrap();
        assert_eq!(Level::from_evidence(base, vdot, age_grade), level, "{base:?} {vdot:?} {age_grade:?}");
    }
    let fast = TrainingBaseline { vdot: Some(54.0), ..athlete_with_weeks(&[46.0; 8]) };
    assert_eq!(fast.level(), Ok(Level::Advanced));
    let graded = TrainingBaseline { age_grade: Some(68.0), ..athlete_with_weeks(&[46.0; 8]) };
    assert_eq!(graded.level(), Ok(Level::Advanced));
}

#[test]
fn stated_level_lowers_the_recorded_one_and_never_raises_it() {
    for (km, recorded) in [(20.0, Level::Novice), (50.0, Level::Intermediate), (80.0, Level::Advanced)] {
        let mut athlete = athlete_with_weeks(&[km; 8]);
        assert_eq!(athlete.level(), Ok(recorded));
        for stated in Level::ALL {
            athlete.self_reported.level = Some(*stated);
            assert_eq!(athlete.level(), Ok(recorded.min(*stated)), "{stated} with {km} km");
        }
    }
    // Without four weeks of data it counts as stated.
    for stated in Level::ALL {
        let mut new = athlete_with_weeks(&[20.0; 3]);
        new.self_reported.level = Some(*stated);
        assert_eq!(new.level(), Ok(*stated));
    }
}

#[test]
fn break_below_four_weeks_keeps_the_level() {
    // The last run was on the Sunday before these weeks.
    let after_weeks_off = |off: usize, extra_days: i64| {
        let mut weeks = vec![0.0; off];
        weeks.extend([70.0; 12]);
        let mut athlete = athlete_with_weeks(&weeks);
        athlete.as_of = athlete.as_of.plus_days(extra_days);
        athlete
    };
    assert_eq!(after_weeks_off(3, 0).level(), Ok(Level::Advanced));
    assert_eq!(km(after_weeks_off(3, 6).base()), Some(56.0));
    assert_eq!(after_weeks_off(3, 6).level(), Ok(Level::Advanced), "27 days");
    assert_eq!(after_weeks_off(3, 7).level(), Ok(Level::Intermediate), "28 days");
    // A lower base that the athlete states counts.
    let mut low = after_weeks_off(3, 0);
    low.self_reported.base = Distance::from_km(25.0);
    assert_eq!(low.level(), Ok(Level::Novice));
}

#[test]
fn paces_are_current_for_120_days() {
    use crate::metrics::predict::Vdot;
    let paces = Vdot::new(45.0).unwrap().paces(None).unwrap();
    let with = |days_ago: i64| TrainingBaseline {
        paces: Some(DatedPaces { paces, result_on: day(-days_ago) }),
        ..athlete_with_weeks(&[40.0; 8])
    };
    assert_eq!(with(120).current_paces(), with(120).paces);
    assert_eq!(with(121).current_paces(), None);
    assert_eq!(TrainingBaseline::unknown(day(0)).current_paces(), None);
    // Days without data count.
    let silent = |days: i64| TrainingBaseline { today: day(1 + days), ..with(100) };
    assert!(silent(20).current_paces().is_some());
    assert_eq!(silent(21).current_paces(), None);
}

#[test]
fn the_best_four_weeks_and_the_usual_runs_are_counted() {
    let athlete = athlete_with_weeks(&[20.0, 30.0, 60.0, 60.0, 60.0, 40.0, 10.0]);
    assert_eq!(athlete.best_four_weeks().map(Distance::km), Some(55.0));
    assert_eq!(athlete.runs_per_week(), Some(2.0));
    assert_eq!(athlete.days_since_run(), Some(0));
    assert_eq!(TrainingBaseline::unknown(day(0)).best_four_weeks(), None);
}

#[test]
fn an_easy_pace_is_the_median_of_what_was_not_hard() {
    let mut athlete = athlete_with_weeks(&[40.0; 8]);
    assert_eq!(athlete.easy_pace(), None);
    for (number, run) in athlete.runs.iter_mut().enumerate() {
        run.hard = number % 2 == 0;
        run.duration = TimeSpan::from_seconds(run.distance.km() * if run.hard { 240.0 } else { 360.0 });
    }
    assert_eq!(athlete.easy_pace().map(Pace::seconds_per_km), Some(360.0));
    assert!(athlete.has_recent_hard_run());
    // Data that ended gives a pace for 90 days, and longer only with a stated base.
    for (silent, said, known) in [(80, None, true), (120, None, false), (120, Distance::from_km(30.0), true)]
    {
        athlete.today = athlete.as_of.plus_days(silent + 1);
        athlete.self_reported.base = said;
        assert_eq!(athlete.easy_pace().is_some(), known, "{silent} days, {said:?}");
    }
}
