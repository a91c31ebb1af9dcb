//! Method and quality of a load, and reasons why there is none.

use super::super::activity::{ZoneSets, compute_activity_metrics, measure};
use super::super::fixtures::{activity, assert_near, every_second, recording_at};
use super::*;
use crate::domain::athlete::ThresholdOrigin;
use crate::domain::source_record::SwimLength;
use crate::domain::stream::{Channel, Recording};

fn threshold_of(kind: ThresholdKind, value: f64) -> Option<ThresholdInForce> {
    let from: Day = "2026-06-01".parse().unwrap();
    in_force(&[Threshold { kind, value, from, origin: ThresholdOrigin::Set }], kind, from).ok()
}

fn all_thresholds() -> AthleteThresholds {
    AthleteThresholds {
        max_heart_rate: threshold_of(ThresholdKind::MaxHeartRate, 190.0),
        resting_heart_rate: threshold_of(ThresholdKind::RestingHeartRate, 50.0),
        threshold_heart_rate: threshold_of(ThresholdKind::ThresholdHeartRate, 169.0),
        threshold_speed: threshold_of(ThresholdKind::ThresholdSpeed, 4.0),
        threshold_power: threshold_of(ThresholdKind::ThresholdPower, 250.0),
        swim_speed: threshold_of(ThresholdKind::SwimSpeed, 1.25),
        sex: Some(Sex::Male),
    }
}

fn load_of(
    activity: &Activity,
    recording: Option<&Recording>,
    limits: &AthleteThresholds,
) -> MetricResult<Load> {
    load(activity, &measure(activity, recording, &[]), limits, RpeWithCalibration::default())
}

/// An hour on the flat with everything at threshold.
fn hour() -> Recording {
    every_second(
        3600,
        &[
            (Channel::Speed, &|_| Some(4000)),
            (Channel::Altitude, &|_| Some(100_000)),
            (Channel::Power, &|_| Some(250)),
            (Channel::HeartRate, &|second| Some(168 + (second % 3) as i32)),
        ],
    )
}

#[test]
fn an_hour_at_threshold_is_100_by_every_method() {
    for (sport, method) in [
        (Sport::Running, LoadMethod::Pace),
        (Sport::Cycling, LoadMethod::Power),
        (Sport::Rowing, LoadMethod::HeartRate),
        (Sport::Strength, LoadMethod::HeartRate),
        (Sport::Other, LoadMethod::HeartRate),
    ] {
        let load = load_of(&activity(sport), Some(&hour()), &all_thresholds()).unwrap();
        assert_eq!((load.method, load.quality), (method, Quality::Ok), "{sport}");
        assert_near(load.value, 100.0, 0.02);
    }
}

#[test]
fn load_without_sport_threshold_falls_back_to_heart_rate() {
    let limits = AthleteThresholds { threshold_speed: None, threshold_power: None, ..all_thresholds() };
    for sport in [Sport::Running, Sport::Cycling] {
        assert_eq!(load_of(&activity(sport), Some(&hour()), &limits).unwrap().method, LoadMethod::HeartRate);
    }
    let no_sex = AthleteThresholds { sex: None, ..limits };
    let load = load_of(&activity(Sport::Running), Some(&hour()), &no_sex).unwrap();
    assert_eq!((load.method, load.quality), (LoadMethod::EdwardsRatio, Quality::Estimated));
    assert_near(load.value, 100.0, 0.01);
    let no_rest = AthleteThresholds { resting_heart_rate: None, ..limits };
    assert_eq!(
        load_of(&activity(Sport::Running), Some(&hour()), &no_rest).unwrap().method,
        LoadMethod::EdwardsRatio
    );
}

#[test]
fn load_quality_follows_threshold_age_and_origin() {
    let quality = |origin, from: &str| {
        let kind = ThresholdKind::ThresholdSpeed;
        let set = Threshold { kind, value: 4.0, origin, from: from.parse().unwrap() };
        let run = activity(Sport::Running);
        load_of(&run, Some(&hour()), &AthleteThresholds::for_day(run.day(), &[set], None)).unwrap().quality
    };
    // The activity is of 2026-06-14.
    for (from, expected) in [
        ("2026-06-14", Quality::Ok),
        ("2026-05-03", Quality::Ok),
        ("2026-05-02", Quality::Provisional),
        ("2026-03-17", Quality::Provisional),
        ("2026-03-16", Quality::Stale),
    ] {
        assert_eq!(quality(ThresholdOrigin::Set, from), expected, "{from}");
        assert_eq!(quality(ThresholdOrigin::Reported, from), expected, "{from}");
        assert_eq!(quality(ThresholdOrigin::Estimated, from), Quality::Estimated);
    }
}

#[test]
fn a_summary_alone_gives_a_provisional_load() {
    let mut run = activity(Sport::Running);
    (run.distance, run.moving) = (Distance::from_km(14.4), Some(TimeSpan::from_mins(60)));
    run.avg_heart_rate = Some(169);
    let load = load_of(&run, None, &all_thresholds()).unwrap();
    assert_eq!((load.method, load.quality), (LoadMethod::Pace, Quality::Provisional));
    assert_near(load.value, 100.0, 1e-9);
    let by_heart =
        load_of(&run, None, &AthleteThresholds { threshold_speed: None, ..all_thresholds() }).unwrap();
    assert_eq!((by_heart.method, by_heart.quality), (LoadMethod::HeartRate, Quality::Provisional));
    assert_near(by_heart.value, 100.0, 1e-9);
    let mut ride = activity(Sport::Cycling);
    (ride.avg_power, ride.elapsed) = (Some(250), Some(TimeSpan::from_mins(60)));
    let load = load_of(&ride, None, &all_thresholds()).unwrap();
    assert_eq!((load.method, load.quality), (LoadMethod::Power, Quality::Provisional));
    assert_near(load.value, 100.0, 1e-9);
}

#[test]
fn unknown_slope_makes_the_load_provisional() {
    let flat = every_second(3600, &[(Channel::Speed, &|_| Some(4000))]);
    let mut run = activity(Sport::Running);
    assert_eq!(load_of(&run, Some(&flat), &all_thresholds()).unwrap().quality, Quality::Provisional);
    run.sub_sport = Some("treadmill".to_owned());
    assert_eq!(load_of(&run, Some(&flat), &all_thresholds()).unwrap().quality, Quality::Ok);
}

#[test]
fn treadmill_without_speed_uses_heart_rate() {
    let still = every_second(
        3600,
        &[
            (Channel::Speed, &|_| Some(0)),
            (Channel::Distance, &|_| Some(0)),
            (Channel::HeartRate, &|second| Some(168 + (second % 3) as i32)),
        ],
    );
    let mut run = activity(Sport::Running);
    run.distance = Some(Distance::ZERO);
    let load = load_of(&run, Some(&still), &all_thresholds()).unwrap();
    assert_eq!(load.method, LoadMethod::HeartRate);
    assert_near(load.value, 100.0, 0.02);
    let mut ride = activity(Sport::Cycling);
    (ride.avg_power, ride.elapsed) = (Some(0), Some(TimeSpan::from_mins(60)));
    let load = load_of(&ride, None, &all_thresholds()).unwrap();
    assert_eq!(load.method, LoadMethod::Duration, "no power is not zero power");
}

/// A treadmill, a bike or a rower indoors: distance 0, or a few metres of GPS drift.
#[test]
fn indoor_recording_without_distance_keeps_zones_and_load() {
    use crate::domain::athlete::Zones;
    let zones = Zones::new(vec![100.0, 120.0, 140.0, 160.0, 180.0]).unwrap();
    for drift in [0, 45] {
        for sport in [Sport::Running, Sport::Cycling, Sport::Rowing, Sport::Other] {
            let speed = move |second: usize| Some(if second < drift { 2000 } else { 0 });
            let way = move |second: usize| Some(second.min(drift) as i32 * 2000);
            let heart = |second: usize| Some(168 + (second % 3) as i32);
            let recording = every_second(
                3600,
                &[(Channel::Speed, &speed), (Channel::Distance, &way), (Channel::HeartRate, &heart)],
            );
            let mut indoors = activity(sport);
            indoors.distance = Some(Distance::ZERO);
            let judged = compute_activity_metrics(
                &indoors,
                &measure(&indoors, Some(&recording), &[]),
                &all_thresholds(),
                ZoneSets { heart_rate: Some(&zones), ..ZoneSets::default() },
                RpeWithCalibration::default(),
            );
            let load = judged.load.unwrap();
            assert_eq!(load.method, LoadMethod::HeartRate, "{sport} {drift}");
            assert_near(load.value, 100.0, 0.02);
            assert_eq!(judged.heart_zones.unwrap().seconds.iter().sum::<u64>(), 3600);
        }
    }
}

/// An hour with a sample only every few seconds, up to 20.
fn smart_recording(apart: i32, channel: Channel, value: i32) -> Recording {
    let moments = (0..=3600 / apart).map(|sample| sample * apart * 1000).collect();
    recording_at(moments, &[(channel, &|sample| Some(value - 1 + (sample % 3) as i32))])
}

#[test]
fn smart_recording_gives_load_and_zones_with_a_quality_flag() {
    for apart in [1, 4, 6, 7, 8, 12, 20] {
        let expected = if apart <= 6 { Quality::Ok } else { Quality::Provisional };
        for (sport, channel, value) in
            [(Sport::Other, Channel::HeartRate, 169), (Sport::Cycling, Channel::Power, 250)]
        {
            let recording = smart_recording(apart, channel, value);
            let load = load_of(&activity(sport), Some(&recording), &all_thresholds()).unwrap();
            assert_eq!(load.quality, expected, "{sport}, a sample every {apart} s");
            assert_near(load.value, 100.0, 0.5);
        }
    }
    let sparse = load_of(
        &activity(Sport::Other),
        Some(&smart_recording(21, Channel::HeartRate, 169)),
        &all_thresholds(),
    );
    assert_eq!(sparse.unwrap().method, LoadMethod::Duration, "a sample every 21 s is too few");
}

#[test]
fn load_without_any_threshold_falls_back_to_duration_by_sport() {
    let nothing = AthleteThresholds::default();
    for (sport, value) in [
        (Sport::Running, 60.0),
        (Sport::Cycling, 50.0),
        (Sport::Swimming, 50.0),
        (Sport::Rowing, 50.0),
        (Sport::Strength, 35.0),
        (Sport::Other, 25.0),
    ] {
        let mut one = activity(sport);
        one.elapsed = Some(TimeSpan::from_mins(60));
        let load = load_of(&one, None, &nothing).unwrap();
        assert_eq!((load.method, load.quality), (LoadMethod::Duration, Quality::EstimatedProvisional));
        assert_near(load.value, value, 1e-9);
        let felt = RpeWithCalibration { exertion: Some(8.0), ..RpeWithCalibration::default() };
        let load = super::load(&one, &measure(&one, None, &[]), &nothing, felt).unwrap();
        assert_eq!(load.method, LoadMethod::PerceivedExertion, "a rating says more than the sport");
    }
    let mut forgotten = activity(Sport::Running);
    forgotten.elapsed = Some(TimeSpan::from_mins(25 * 60));
    assert!(load_of(&forgotten, None, &nothing).is_err(), "nobody trains for 25 hours");
}

#[test]
fn heart_rate_load_needs_only_one_of_max_and_threshold() {
    let limits = all_thresholds();
    let both = load_of(&activity(Sport::Rowing), Some(&hour()), &limits).unwrap().value;
    for one in [
        AthleteThresholds { threshold_heart_rate: None, ..limits },
        AthleteThresholds { max_heart_rate: None, ..limits },
    ] {
        let load = load_of(&activity(Sport::Rowing), Some(&hour()), &one).unwrap();
        assert_eq!((load.method, load.quality), (LoadMethod::HeartRate, Quality::EstimatedProvisional));
        assert_near(load.value, both, 5.0);
    }
}

#[test]
fn power_meter_with_only_zeros_gives_no_load_by_power() {
    let ride = activity(Sport::Cycling);
    let of_watts = |watts: fn(usize) -> i32, heart: bool| {
        let heart = move |second: usize| heart.then_some(168 + (second % 3) as i32);
        every_second(3600, &[(Channel::Power, &|second| Some(watts(second))), (Channel::HeartRate, &heart)])
    };
    let by_heart = load_of(&ride, Some(&of_watts(|_| 0, true)), &all_thresholds()).unwrap();
    assert_eq!(by_heart.method, LoadMethod::HeartRate);
    assert_near(by_heart.value, 100.0, 0.02);
    let nothing = of_watts(|_| 0, false);
    assert_eq!(load_of(&ride, Some(&nothing), &all_thresholds()).unwrap().method, LoadMethod::Duration);
    let judged = compute_activity_metrics(
        &ride,
        &measure(&ride, Some(&nothing), &[]),
        &all_thresholds(),
        ZoneSets::default(),
        RpeWithCalibration::default(),
    );
    assert_eq!(judged.intensity, Err(MissingReason::missing(RequiredInput::Power)));
    // A minute of pedalling is a measurement; the coasting around it counts as 0 W.
    let minute =
        load_of(&ride, Some(&of_watts(|second| if second < 60 { 200 } else { 0 }, true)), &all_thresholds());
    assert_eq!(minute.unwrap().method, LoadMethod::Power);
}

#[test]
fn a_swim_is_timed_by_its_lengths() {
    let mut swim = activity(Sport::Swimming);
    (swim.distance, swim.moving) = (Distance::from_meters(4500.0), Some(TimeSpan::from_mins(80)));
    let length = |active, seconds| SwimLength {
        started_at: swim.started_at,
        elapsed: Some(TimeSpan::from_secs(seconds)),
        strokes: None,
        stroke: None,
        active,
    };
    let mut lengths = vec![length(true, 20); 180];
    lengths.push(length(false, 1200));
    let measures = measure(&swim, None, &lengths);
    let load = load(&swim, &measures, &all_thresholds(), RpeWithCalibration::default()).unwrap();
    assert_eq!((load.method, load.quality), (LoadMethod::SwimPace, Quality::Ok));
    assert_near(load.value, 100.0, 1e-9);
    let no_speed = AthleteThresholds { swim_speed: None, ..all_thresholds() };
    swim.avg_heart_rate = Some(150);
    let by_heart = load_of(&swim, None, &no_speed).unwrap();
    assert_eq!((by_heart.method, by_heart.quality), (LoadMethod::HeartRate, Quality::Provisional));
    let without = load_of(&swim, None, &all_thresholds()).unwrap();
    assert_eq!(without.quality, Quality::Provisional);
    assert!(without.value < 100.0, "rests at the wall slow it down");
}

#[test]
fn session_rpe_load_is_provisional_without_the_athletes_own_scale() {
    let mut yoga = activity(Sport::Other);
    yoga.elapsed = Some(TimeSpan::from_mins(60));
    let measures = measure(&yoga, None, &[]);
    let felt =
        |scale| load(&yoga, &measures, &all_thresholds(), RpeWithCalibration { exertion: Some(5.0), scale });
    let fit = |sessions: usize| RpeLoadFactor::fit(&vec![(300.0, 60.0); sessions]);
    for few in [0, 9, 14] {
        let load = felt(fit(few)).unwrap();
        assert_eq!(
            (load.method, load.quality),
            (LoadMethod::PerceivedExertion, Quality::EstimatedProvisional)
        );
        assert_near(load.value, 60.0, 1e-9);
    }
    let load = felt(RpeLoadFactor::fit(&[(300.0, 45.0); 15])).unwrap();
    assert_eq!((load.method, load.quality), (LoadMethod::PerceivedExertion, Quality::Estimated));
    assert_near(load.value, 45.0, 1e-9);
}

/// What keeps a better method from being used.
fn obstacle(
    activity: &Activity,
    recording: Option<&Recording>,
    limits: &AthleteThresholds,
) -> Option<MissingReason> {
    let measures = measure(activity, recording, &[]);
    let (load, obstacle) = load_with_obstacle(activity, &measures, limits, RpeWithCalibration::default());
    assert_eq!(load.map(|load| load.method), Ok(LoadMethod::Duration));
    obstacle
}

#[test]
fn load_by_duration_reports_the_actionable_reason() {
    let nothing = AthleteThresholds::default();
    let run = activity(Sport::Running);
    assert_eq!(
        load_of(&run, None, &nothing),
        Err(MissingReason::missing(RequiredInput::Speed)),
        "without a duration there is no load"
    );
    assert_eq!(
        load_of(&activity(Sport::Swimming), None, &nothing),
        Err(MissingReason::missing(RequiredInput::Distance))
    );
    assert_eq!(
        obstacle(&run, Some(&hour()), &nothing),
        Some(MissingReason::missing(RequiredInput::ThresholdSpeed))
    );
    let heart_only = every_second(3600, &[(Channel::HeartRate, &|second| Some(140 + (second % 3) as i32))]);
    assert_eq!(
        obstacle(&run, Some(&heart_only), &nothing),
        Some(MissingReason::missing(RequiredInput::MaxHeartRate))
    );
    let mut timed = run;
    timed.elapsed = Some(TimeSpan::from_mins(30));
    assert_eq!(obstacle(&timed, None, &nothing), None, "a threshold would not help");
}

#[test]
fn an_unreliable_heart_rate_gives_no_load_by_it_and_says_why() {
    // Known for two thirds of the time, with gaps too long to be interpolated.
    let patchy = |second: usize| (second % 90 < 60).then_some(140 + (second % 3) as i32);
    let mut walk = activity(Sport::Other);
    walk.avg_heart_rate = Some(140);
    let recording = every_second(3600, &[(Channel::HeartRate, &patchy), (Channel::Power, &|_| Some(1))]);
    let found = obstacle(&walk, Some(&recording), &all_thresholds());
    assert!(matches!(found, Some(MissingReason::Patchy { percent: 60..80 })), "{found:?}");
    let steps = |second: usize| 150 + (second * 5 % 7) as i32;
    let locked = every_second(
        3600,
        &[
            (Channel::HeartRate, &move |second| {
                Some(if second < 960 { steps(second) } else { 120 + (second % 3) as i32 })
            }),
            (Channel::Cadence, &move |second| Some(steps(second) * 10)),
        ],
    );
    assert_eq!(
        obstacle(&walk, Some(&locked), &all_thresholds()),
        Some(MissingReason::CadenceLock { percent: 27 })
    );
}

#[test]
fn a_heart_rate_with_small_gaps_is_provisional() {
    let gaps = |second: usize| (second % 100 < 85).then_some(140 + (second % 3) as i32);
    let recording = every_second(3600, &[(Channel::HeartRate, &gaps)]);
    let load = load_of(&activity(Sport::Other), Some(&recording), &all_thresholds()).unwrap();
    assert_eq!((load.method, load.quality), (LoadMethod::HeartRate, Quality::Provisional));
}

#[test]
fn patchy_speed_falls_back_to_heart_rate() {
    let recording = every_second(
        3600,
        &[
            (Channel::Speed, &|second| (second < 1800).then_some(4000)),
            (Channel::HeartRate, &|second| Some(168 + (second % 3) as i32)),
        ],
    );
    let run = activity(Sport::Running);
    assert_eq!(load_of(&run, Some(&recording), &all_thresholds()).unwrap().method, LoadMethod::HeartRate);
    let mut standing = run.clone();
    standing.moving = Some(TimeSpan::from_secs(7000));
    let flat_hour = every_second(3600, &[(Channel::Speed, &|_| Some(4000))]);
    let found = load_of(&standing, Some(&flat_hour), &all_thresholds());
    assert!(
        found.is_ok(),
        "a device that counts standing as moving does not make the speed patchy: {found:?}"
    );
    let only_pace =
        AthleteThresholds { threshold_heart_rate: None, max_heart_rate: None, ..all_thresholds() };
    assert_eq!(obstacle(&run, Some(&recording), &only_pace), Some(MissingReason::Patchy { percent: 50 }));
}

#[test]
fn threshold_of_a_day_is_the_latest_set_by_then() {
    let threshold = |value, from: &str, origin| Threshold {
        kind: ThresholdKind::ThresholdSpeed,
        value,
        from: from.parse().unwrap(),
        origin,
    };
    let known = [
        threshold(3.8, "2026-03-01", ThresholdOrigin::Set),
        threshold(3.9, "2026-05-01", ThresholdOrigin::Set),
        threshold(4.0, "2026-05-15", ThresholdOrigin::Estimated),
        threshold(4.1, "2026-07-01", ThresholdOrigin::Set),
    ];
    let on = |day: &str| {
        AthleteThresholds::for_day(day.parse().unwrap(), &known, None)
            .threshold_speed
            .map(|limit| limit.value())
    };
    for (day, value) in [
        ("2026-02-28", None),
        ("2026-04-30", Some(3.8)),
        ("2026-05-01", Some(3.9)),
        ("2026-06-14", Some(3.9)),
        ("2026-07-01", Some(4.1)),
    ] {
        assert_eq!(on(day), value, "{day}");
    }
    assert_eq!(AthleteThresholds::for_day("2026-06-14".parse().unwrap(), &known, None).max_heart_rate, None);
}

#[test]
fn contradicting_thresholds_are_reported() {
    let limits = AthleteThresholds {
        max_heart_rate: threshold_of(ThresholdKind::MaxHeartRate, 150.0),
        resting_heart_rate: threshold_of(ThresholdKind::RestingHeartRate, 115.0),
        ..all_thresholds()
    };
    let found = obstacle(&activity(Sport::Rowing), Some(&hour()), &limits);
    assert!(matches!(found, Some(MissingReason::Contradiction { .. })), "{found:?}");
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let limits = AthleteThresholds {
            threshold_speed: threshold_of(ThresholdKind::ThresholdSpeed, value),
            ..AthleteThresholds::default()
        };
        let load = load_of(&activity(Sport::Running), Some(&hour()), &limits).unwrap();
        assert_eq!(load.method, LoadMethod::Duration, "{value}");
    }
}
