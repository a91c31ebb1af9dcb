use super::*;

fn day(offset: i64) -> Day {
    "2026-06-14".parse::<Day>().unwrap().plus(offset)
}

/// So many kilometres on every Sunday and Wednesday of the weeks before, newest week first.
fn trained(weeks: &[f64]) -> Background {
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
    Background {
        first: Some(day(1 - 7 * weeks.len() as i64)),
        first_run: runs.first().map(|run| run.day),
        runs,
        ..Background::unknown(day(0))
    }
}

fn km(found: Found<Distance>) -> Option<f64> {
    found.ok().map(Distance::km)
}

#[test]
fn the_base_is_the_median_of_four_weeks_and_of_eight_after_a_pause() {
    assert_eq!(km(trained(&[40.0, 20.0, 44.0, 42.0, 10.0]).base()), Some(41.0));
    // Two of the four weeks saw no run: the last eight speak.
    let paused = trained(&[0.0, 0.0, 30.0, 40.0, 40.0, 40.0, 40.0, 44.0]);
    assert_eq!(km(paused.base()), Some(40.0));
    assert_eq!(
        trained(&[40.0, 40.0, 40.0]).base(),
        Err(Absent::TooFew { have: 21, needed: 28, what: Counted::Days })
    );
}

#[test]
fn what_the_athlete_says_stands_in_for_data_and_never_raises_what_was_run() {
    let stated = Stated { level: None, base: Distance::from_km(70.0), longest: Distance::from_km(30.0) };
    let nobody = Background { stated, ..Background::unknown(day(0)) };
    assert_eq!((km(nobody.base()), km(nobody.longest())), (Some(70.0), Some(30.0)));
    assert_eq!(nobody.level(), Ok(Level::Advanced));
    // Three weeks are too few to know better, and days without any run ever say nothing about running.
    let new = Background { stated, ..trained(&[40.0; 3]) };
    assert_eq!((km(new.base()), km(new.longest())), (Some(70.0), Some(30.0)));
    let walker = Background { first: Some(day(-200)), ..nobody };
    assert_eq!((km(walker.base()), km(walker.longest())), (Some(70.0), Some(30.0)));

    let mut athlete = Background { stated, ..trained(&[40.0; 60]) };
    assert_eq!((km(athlete.base()), km(athlete.longest())), (Some(40.0), Some(24.0)));
    assert_eq!(athlete.level(), Ok(Level::Intermediate));
    athlete.stated = Stated { level: None, base: Distance::from_km(20.0), longest: Distance::from_km(9.0) };
    assert_eq!((km(athlete.base()), km(athlete.longest())), (Some(20.0), Some(9.0)));
    assert_eq!(athlete.level(), Ok(Level::Novice));
    athlete.stated.level = Some(Level::Intermediate);
    assert_eq!(athlete.level(), Ok(Level::Intermediate));
    // Who ran and paused for eight weeks has no base, whatever they say.
    let mut paused = [0.0; 60];
    paused[9..].fill(40.0);
    let paused = Background { stated, ..trained(&paused) };
    assert_eq!((km(paused.base()), km(paused.longest())), (Some(0.0), Some(0.0)));
}

#[test]
fn a_first_year_is_a_novices_and_four_weeks_are_asked_for() {
    assert_eq!(trained(&[50.0; 30]).level(), Ok(Level::Novice));
    assert_eq!(trained(&[50.0; 60]).level(), Ok(Level::Intermediate));
    assert!(trained(&[50.0; 3]).level().is_err());
    assert!(Background::unknown(day(0)).level().is_err());
    for (base, level) in [
        (29.9, Level::Novice),
        (30.0, Level::Intermediate),
        (64.9, Level::Intermediate),
        (65.0, Level::Advanced),
    ] {
        assert_eq!(Level::of_base(Distance::from_km(base).unwrap()), level, "{base}");
    }
}

#[test]
fn the_best_four_weeks_and_the_usual_runs_are_counted() {
    let athlete = trained(&[20.0, 30.0, 60.0, 60.0, 60.0, 40.0, 10.0]);
    assert_eq!(athlete.best_four_weeks().map(Distance::km), Some(55.0));
    assert_eq!(athlete.runs_per_week(), Some(2.0));
    assert_eq!(athlete.days_since_run(), Some(0));
    assert_eq!(Background::unknown(day(0)).best_four_weeks(), None);
}

#[test]
fn an_easy_pace_is_the_median_of_what_was_not_hard() {
    let mut athlete = trained(&[40.0; 8]);
    assert_eq!(athlete.easy_pace(), None);
    for (number, run) in athlete.runs.iter_mut().enumerate() {
        run.hard = number % 2 == 0;
        run.duration = TimeSpan::from_seconds(run.distance.km() * if run.hard { 240.0 } else { 360.0 });
    }
    assert_eq!(athlete.easy_pace().map(Pace::seconds_per_km), Some(360.0));
    assert!(athlete.trained_hard());
    // Data that ended says for 90 days how fast they run, and longer only where they say that they ran on.
    for (silent, said, known) in [(80, None, true), (120, None, false), (120, Distance::from_km(30.0), true)]
    {
        athlete.seen_on = athlete.as_of.plus(silent + 1);
        athlete.stated.base = said;
        assert_eq!(athlete.easy_pace().is_some(), known, "{silent} days, {said:?}");
    }
}
