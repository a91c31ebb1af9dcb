//! Published figures of every formula.

use super::*;
use crate::metrics::predict::vickers::ModelOne;

const HALF: Distance = Distance::HALF_MARATHON;
const FULL: Distance = Distance::MARATHON;

#[test]
fn riegel() {
    let five = performance(km(5.0), "20:00");
    assert_near(super::riegel(five, km(10.0)), "41:41.9");
    assert_near(super::riegel(five, HALF), "1:32:00.2");
    assert_near(super::riegel(five, FULL), "3:11:49.3");
    for (distance, clock) in [(km(1.0), "3:20"), (FULL, "3:51:00")] {
        assert!(super::riegel(performance(distance, clock), FULL).is_err(), "outside 3.5 to 230 minutes");
    }
}

#[test]
fn vdot_of_a_race() {
    for (distance, clock, value) in [
        (km(5.0), "20:00", 49.806),
        (km(10.0), "40:00", 51.944),
        (HALF, "1:30:00", 50.977),
        (FULL, "3:00:00", 53.528),
        (miles(1.0), "5:00", 59.404),
    ] {
        let got = Vdot::from_race(performance(distance, clock)).unwrap().value();
        assert!((got - value).abs() < 5e-4, "{got} is not {value}");
    }
    assert!(Vdot::from_race(performance(FULL, "4:00:01")).is_err());
    for bad in [f64::NAN, f64::INFINITY, 0.0, -50.0, 91.0] {
        assert!(Vdot::new(bad).is_err());
    }
}

#[test]
fn times_of_equal_vdot() {
    let distances = [km(1.5), miles(1.0), km(3.0), km(5.0), km(10.0), km(15.0), HALF, FULL];
    for (value, clocks) in [
        (30.0, ["8:29.5", "9:10.4", "17:56.0", "30:40.9", "63:48.9", "1:38:20.8", "2:21:17", "4:49:49"]),
        (40.0, ["6:35.1", "7:06.9", "14:01.8", "24:06.2", "50:00.8", "1:17:02", "1:50:54", "3:49:37"]),
        (50.0, ["5:23.7", "5:49.8", "11:32.8", "19:56.0", "41:19.6", "1:03:34", "1:31:31", "3:10:40"]),
        (60.0, ["4:35.3", "4:57.4", "9:49.8", "17:02.8", "35:21.9", "54:18", "1:18:09", "2:43:23"]),
        (70.0, ["4:00.3", "4:19.5", "8:34.6", "14:55.5", "31:01.0", "47:34", "1:08:23", "2:23:13"]),
    ] {
        for (distance, clock) in distances.iter().zip(clocks) {
            assert_near(Vdot::new(value).unwrap().time_over(*distance), clock);
        }
    }
    // The printed tables round: within 0.3 % of them.
    for (distance, clock) in [(km(5.0), "19:57"), (km(10.0), "41:21"), (HALF, "1:31:35"), (FULL, "3:10:49")] {
        let got = Vdot::new(50.0).unwrap().time_over(distance).unwrap().seconds();
        assert!((got / seconds(clock) - 1.0).abs() < 0.003);
    }
}

#[test]
fn daniels_paces() {
    let clock = |pace: crate::domain::units::Pace| {
        TimeSpan::from_seconds(pace.seconds_per_km()).unwrap().format_clock()
    };
    let of = |value: f64| Vdot::new(value).unwrap().paces(None).unwrap();
    let fifty = of(50.0);
    assert_eq!((clock(fifty.easy.0), clock(fifty.easy.1)), ("5:52".into(), "4:54".into()));
    assert_eq!(
        [fifty.marathon, fifty.threshold, fifty.interval, fifty.repetition].map(clock),
        ["4:25", "4:15", "3:55", "3:41"]
    );
    assert_eq!(
        [of(40.0).threshold, of(40.0).interval, of(60.0).threshold].map(clock),
        ["5:06", "4:41", "3:40"]
    );
    // A slower prediction overrides the marathon pace, a faster one does not.
    let with = |clock: &str| {
        let predicted = TimeSpan::from_seconds(seconds(clock)).unwrap();
        Vdot::new(50.0).unwrap().paces(Some(predicted)).unwrap().marathon
    };
    assert!((with("3:30:00").seconds_per_km() - 12_600.0 / 42.195).abs() < 1e-9);
    assert_eq!(with("3:00:00"), fifty.marathon);
    assert!((Vdot::new(50.0).unwrap().speed_at(1.0) - 260.772).abs() < 5e-4, "metres a minute");
}

#[test]
fn vickers_and_vertosick() {
    for (distance, clock, weekly, expected) in [
        (HALF, "1:45:00", 30.0, "3:54:10.0"),
        (HALF, "1:30:00", 50.0, "3:16:48.1"),
        (km(5.0), "20:00", 40.0, "3:26:55.5"),
    ] {
        assert_near(vickers_one(performance(distance, clock), miles(weekly)), expected);
        // The two wrong copies of the formula differ by minutes.
        for wrong in [
            ModelOne { exponent: 1.06, per_ten_miles: 0.064_238_26 },
            ModelOne { exponent: 1.07, per_ten_miles: 0.642_382_6 },
        ] {
            let got = wrong.marathon(performance(distance, clock), miles(weekly)).unwrap().seconds();
            assert!((got - seconds(expected)).abs() > 50.0, "{wrong:?} {got}");
        }
    }
    let (ten, half) = (performance(km(10.0), "45:00"), performance(HALF, "1:40:00"));
    assert_near(vickers_two(ten, half, miles(35.0)), "3:41:28.9");
    assert!(vickers_two(half, ten, miles(35.0)).is_err() && vickers_two(ten, ten, miles(35.0)).is_err());
}

#[test]
fn log_model() {
    let one = |distance, clock: &str, weekly| {
        LogLinearModel::WITH_VOLUME.marathon(performance(distance, clock), None, Some(miles(weekly)))
    };
    assert_near(one(HALF, "1:45:00", 30.0), "3:52:04.4");
    assert_near(one(HALF, "1:30:00", 50.0), "3:14:12.2");
    assert_near(one(km(5.0), "20:00", 40.0), "3:25:39.8");
    assert_near(one(km(10.0), "40:00", 40.0), "3:15:37.2");
    assert_near(one(HALF, "2:00:00", 15.0), "4:33:20.8");
    let (ten, half) = (performance(km(10.0), "45:00"), performance(HALF, "1:40:00"));
    assert_near(LogLinearModel::WITH_VOLUME.marathon(half, Some(ten), Some(miles(35.0))), "3:42:31.0");
    assert_near(
        LogLinearModel::WITHOUT_VOLUME.marathon(performance(HALF, "1:45:00"), None, None),
        "3:49:19.2",
    );
    for (distance, clock) in [(HALF, "60:00"), (HALF, "3:40:00"), (km(3.0), "10:00"), (km(30.0), "2:30:00")] {
        assert!(one(distance, clock, 60.0).is_err(), "{clock}");
    }
}

#[test]
fn hinge() {
    // Exponents by weekly miles; the break is at the half marathon.
    for (weekly, below, above) in [(35.0, 1.0816, 1.1409), (30.0, 1.0844, 1.1502), (80.0, 1.0654, 1.0861)] {
        let law = BrokenPowerLaw::for_volume(Some(miles(weekly)));
        assert!((law.below - below).abs() < 1e-4 && (law.above - above).abs() < 1e-4, "{law:?}");
    }
    assert_eq!(BrokenPowerLaw::for_volume(None), BrokenPowerLaw::for_volume(Some(miles(35.0))));
    let law = BrokenPowerLaw::for_volume(Some(miles(35.0)));
    assert_near(race::to_time_span(law.seconds(performance(HALF, "1:45:00"), km(30.0))), "2:36:54");
    let through_half = {
        let half = race::to_time_span(law.seconds(performance(km(10.0), "40:00"), HALF)).unwrap();
        law.seconds(Performance::new(HALF, half).unwrap(), km(35.0))
    };
    assert!((law.seconds(performance(km(10.0), "40:00"), km(35.0)) - through_half).abs() < 0.01);
}

#[test]
fn tanda() {
    let of = |weeks, weekly, pace: f64| {
        let pace = crate::domain::units::Pace::from_seconds_per_km(pace).unwrap();
        super::tanda(&RecentTraining { weeks, weekly, pace })
    };
    assert_near(of(8, km(60.0), 330.0), "3:31:18");
    assert_near(of(8, miles(60.0), 450.0 / 1.609_344), "2:59:11");
    for (weeks, weekly, pace) in
        [(5, 60.0, 330.0), (8, 39.9, 330.0), (8, 120.1, 330.0), (8, 60.0, 239.0), (8, 60.0, 401.0)]
    {
        assert!(of(weeks, km(weekly), pace).is_err());
    }
}
