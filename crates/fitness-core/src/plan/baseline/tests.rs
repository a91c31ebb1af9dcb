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
fn level_in_first_year_is_novice_and_needs_four_weeks_of_data() {
    assert_eq!(athlete_with_weeks(&[50.0; 30]).level(), Ok(Level::Novice));
    assert_eq!(athlete_with_weeks(&[50.0; 60]).level(), Ok(Level::Intermediate));
    assert!(athlete_with_weeks(&[50.0; 3]).level().is_err());
    assert!(TrainingBaseline::unknown(day(0)).level().is_err());
    for (base, level) in [
        (29.9, Level::Novice),
        (30.0, Level::Intermediate),
        (64.9, Level::Intermediate),
        (65.0, Level::Advanced),
    ] {
        assert_eq!(Level::from_weekly_distance(Distance::from_km(base).unwrap()), level, "{base}");
    }
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
