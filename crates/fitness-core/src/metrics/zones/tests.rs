//! Bounds of the standard zone systems; no second is lost or counted twice.

use super::super::fixtures::assert_near;
use super::*;
use proptest::prelude::*;

fn bounds(zones: Result<Zones, ZonesError>) -> Vec<f64> {
    zones.unwrap().lower_bounds().to_vec()
}

#[track_caller]
fn alike(got: Vec<f64>, wanted: &[f64]) {
    assert_eq!(got.len(), wanted.len());
    got.iter().zip(wanted).for_each(|(got, wanted)| assert_near(*got, *wanted, 0.005));
}

#[test]
fn five_zones_by_highest_heart_rate_and_by_reserve() {
    alike(bounds(by_max_heart_rate(190.0)), &[0.0, 95.0, 114.0, 133.0, 152.0, 171.0]);
    alike(bounds(by_reserve(50.0, 190.0)), &[0.0, 120.0, 134.0, 148.0, 162.0, 176.0]);
    assert!(by_reserve(190.0, 50.0).is_err());
    assert!(by_max_heart_rate(f64::NAN).is_err() && by_max_heart_rate(0.0).is_err());
}

#[test]
fn friels_heart_rate_zones() {
    let run = friel_running(100.0).unwrap();
    for (bpm, zone) in
        [(84.9, 1), (85.0, 2), (89.9, 2), (90.0, 3), (95.0, 4), (99.9, 4), (100.0, 5), (103.0, 6), (106.5, 7)]
    {
        assert_eq!(run.zone_of(bpm), Some(zone), "{bpm}");
    }
    let ride = friel_cycling(100.0).unwrap();
    for (bpm, zone) in
        [(80.9, 1), (81.0, 2), (89.9, 2), (90.0, 3), (94.0, 4), (100.0, 5), (103.0, 6), (106.5, 7)]
    {
        assert_eq!(ride.zone_of(bpm), Some(zone), "{bpm}");
    }
}

#[test]
fn coggans_power_zones() {
    let zones = coggan_power(200.0).unwrap();
    for (watts, zone) in
        [(0.0, 1), (109.0, 1), (112.0, 2), (152.0, 3), (182.0, 4), (212.0, 5), (242.0, 6), (302.0, 7)]
    {
        assert_eq!(zones.zone_of(watts), Some(zone), "{watts}");
    }
}

#[test]
fn friels_pace_zones_and_seilers_three() {
    // Threshold 4:00 /km, 4.1667 m/s.
    let speed = |percent: f64| 1000.0 / (240.0 * percent / 100.0);
    let zones = friel_pace(1000.0 / 240.0).unwrap();
    for (percent, zone) in [
        (130.0, 1),
        (128.0, 2),
        (115.0, 2),
        (110.0, 3),
        (105.0, 4),
        (100.0, 4),
        (98.0, 5),
        (95.0, 6),
        (89.0, 7),
    ] {
        assert_eq!(zones.zone_of(speed(percent)), Some(zone), "{percent} %");
    }
    alike(bounds(seiler_speed(4.0)), &[0.0, 3.292, 4.0]);
}

#[test]
fn zone_times_count_seconds_below_the_first_zone() {
    let zones = Zones::new(vec![100.0, 150.0]).unwrap();
    let heart: Histogram = [(99, 10), (100, 20), (149, 30), (150, 40)].into_iter().collect();
    assert_eq!(
        ZoneTimes::from_histogram(&heart, 1.0, &zones),
        ZoneTimes { below: 10, seconds: vec![50, 40] }
    );
}

proptest! {
    #[test]
    fn zone_times_sum_to_the_valid_time_and_each_second_is_in_one_zone(
        values in prop::collection::vec(0_u32..400, 0..500), unit in prop::sample::select(vec![1.0, 0.05]),
        steps in prop::collection::vec(0.1_f64..60.0, 1..10),
    ) {
        let bounds = steps.iter().scan(0.0, |sum, step| { *sum += step; Some(*sum) }).collect();
        let zones = Zones::new(bounds).unwrap();
        let times = ZoneTimes::from_histogram(&values.iter().copied().collect(), unit, &zones);
        prop_assert_eq!(times.total(), values.len() as u64);
        let bounds = zones.lower_bounds();
        for (zone, seconds) in times.seconds.iter().enumerate() {
            let upper = bounds.get(zone + 1).copied().unwrap_or(f64::INFINITY);
            let within = |value: &&u32| (bounds[zone]..upper).contains(&(f64::from(**value) * unit));
            prop_assert_eq!(*seconds, values.iter().filter(within).count() as u64);
        }
    }

    #[test]
    fn the_usual_zones_begin_at_zero(threshold in 1.0_f64..700.0) {
        for zones in [by_max_heart_rate, friel_running, friel_cycling, coggan_power, friel_pace, seiler_speed] {
            prop_assert_eq!(zones(threshold).unwrap().zone_of(0.0), Some(1));
        }
    }
}

#[test]
fn set_zones_beat_reported_beat_derived() {
    let day = |number: i64| "2026-06-01".parse::<Day>().unwrap().plus_days(number);
    let zones = |low: f64| Zones::new(vec![low, low + 10.0]).unwrap();
    let dated = |sport, from, origin, low| DatedZones {
        kind: ZoneKind::HeartRate,
        sport,
        from: day(from),
        origin,
        zones: zones(low),
    };
    use ThresholdOrigin::{Reported, Set};
    let given = [
        dated(Sport::Other, 0, Reported, 90.0),
        dated(Sport::Running, 5, Reported, 95.0),
        dated(Sport::Other, 10, Set, 100.0),
        dated(Sport::Running, 20, Set, 105.0),
        dated(Sport::Running, 30, Reported, 110.0),
    ];
    let limit = Threshold {
        kind: ThresholdKind::ThresholdHeartRate,
        value: 170.0,
        from: day(-9),
        origin: ThresholdOrigin::Estimated,
    };
    let on = |number, sport| {
        let held = zones_on(day(number), ZoneKind::HeartRate, sport, &given, &[limit])?;
        Some((held.zones.lower_bounds()[0], held.source, day(0).days_until(held.from)))
    };
    assert_eq!(on(-10, Sport::Running), None);
    assert_eq!(on(-1, Sport::Running), Some((0.0, ZoneSource::Threshold, -9)));
    assert_eq!(on(4, Sport::Running), Some((90.0, ZoneSource::Reported, 0)));
    assert_eq!(on(9, Sport::Running), Some((95.0, ZoneSource::Reported, 5)));
    assert_eq!(on(9, Sport::Cycling), Some((90.0, ZoneSource::Reported, 0)));
    assert_eq!(on(19, Sport::Running), Some((100.0, ZoneSource::Set, 10)));
    assert_eq!(on(40, Sport::Running), Some((105.0, ZoneSource::Set, 20)));
    assert_eq!(on(40, Sport::Cycling), Some((100.0, ZoneSource::Set, 10)));
    let power = zones_on(day(40), ZoneKind::Power, Sport::Running, &given, &[limit]);
    assert_eq!(power, None, "power is divided for riders only");
}
