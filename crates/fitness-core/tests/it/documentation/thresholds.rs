//! The examples about thresholds, zones and training paces.

use super::{Example, km, number, number_example, pace_example, text_example, time_example};
use fitness_core::domain::athlete::{Threshold, ThresholdKind, ThresholdOrigin, Zones};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::units::{Distance, Speed, TimeSpan};
use fitness_core::metrics::predict::{Performance, Vdot};
use fitness_core::metrics::thresholds::detect::{
    DatedThresholdEvidence, ThresholdEvidence, detect, hour_speed,
};
use fitness_core::metrics::thresholds::in_force::in_force;
use fitness_core::metrics::zones::{
    by_max_heart_rate, by_reserve, coggan_power, friel_cycling, friel_pace, friel_running, seiler_speed,
};

fn day(text: &str) -> Day {
    text.parse().unwrap()
}

/// The threshold in force on a day with its quality, or why there is none.
fn threshold_in_force(thresholds: &[Threshold], on: &str) -> String {
    match in_force(thresholds, ThresholdKind::ThresholdSpeed, day(on)) {
        Ok(found) => format!("{:.2} m/s, {}", found.value(), found.quality),
        Err(absent) => absent.to_string(),
    }
}

fn speed(value: f64, from: &str, origin: ThresholdOrigin) -> Threshold {
    Threshold { kind: ThresholdKind::ThresholdSpeed, value, from: day(from), origin }
}

/// All steps of a kind from evidence on the given days.
fn steps(
    kind: ThresholdKind,
    clues: impl IntoIterator<Item = (i64, ThresholdEvidence)>,
    through: i64,
) -> Vec<f64> {
    let on = |n: i64| day("2026-01-01").plus_days(n);
    let candidates: Vec<DatedThresholdEvidence> =
        clues.into_iter().map(|(n, clue)| DatedThresholdEvidence { day: on(n), evidence: clue }).collect();
    detect(&candidates, on(through)).iter().filter(|step| step.kind == kind).map(|step| step.value).collect()
}

/// The value detected from evidence on consecutive days.
fn detected(kind: ThresholdKind, clues: &[ThresholdEvidence]) -> f64 {
    *steps(kind, (0..).zip(clues.iter().copied()), 30).last().unwrap()
}

fn hour_run(meters: f64) -> ThresholdEvidence {
    ThresholdEvidence::Run { distance: Distance::from_meters(meters).unwrap(), time: TimeSpan::from_mins(60) }
}

/// Three days at 4.00 m/s for an hour, then, 100 days later, three at 3.50.
fn speed_after_fall() -> f64 {
    let runs = [0, 1, 2, 100, 101, 102].map(|n| (n, hour_run(if n < 50 { 14_400.0 } else { 12_600.0 })));
    steps(ThresholdKind::ThresholdSpeed, runs, 110)[1]
}

fn swim(meters: f64, seconds: i64) -> ThresholdEvidence {
    ThresholdEvidence::Swim {
        distance: Distance::from_meters(meters).unwrap(),
        time: TimeSpan::from_secs(seconds),
    }
}

fn steady_heart_rate(bpm: f64) -> ThresholdEvidence {
    ThresholdEvidence::HeldHeartRate { bpm, time: TimeSpan::from_mins(40), variation: 0.03 }
}

/// Lower bound of a zone, counted from 1.
fn zone_bounds(zones: &Zones, zone: usize) -> f64 {
    zones.lower_bounds()[zone - 1]
}

fn performance(distance: Distance, clock: &str) -> Performance {
    Performance::new(distance, clock.parse().unwrap()).unwrap()
}

fn detections() -> Vec<Example> {
    let watts = [200.0, 210.0, 280.0].map(|watts| ThresholdEvidence::TwentyMinutePower { watts });
    let peaks = [182.0, 185.0, 188.0, 190.0, 199.0].map(|bpm| ThresholdEvidence::PeakHeartRate { bpm });
    let efforts: Vec<ThresholdEvidence> = (160..170).map(|bpm| steady_heart_rate(f64::from(bpm))).collect();
    let nights: Vec<ThresholdEvidence> =
        (0..14).map(|n| ThresholdEvidence::RestingHeartRate { bpm: [48.0, 50.0, 54.0][n % 3] }).collect();
    vec![
        number(
            "threshold speed from 10 km in 40:00",
            hour_speed(km(10.0), TimeSpan::from_mins(40)).unwrap(),
            "m/s",
        ),
        number("threshold power, best 20 min at 280 W", detected(ThresholdKind::ThresholdPower, &watts), "W"),
        number(
            "max HR, days that reached 182, 185, 188, 190 and 199",
            detected(ThresholdKind::MaxHeartRate, &peaks),
            "bpm",
        ),
        number(
            "threshold heart rate, ten steady efforts at 160 to 169",
            detected(ThresholdKind::ThresholdHeartRate, &efforts),
            "bpm",
        ),
        number(
            "swim speed from 400 m in 6:00 and 200 m in 2:50",
            detected(ThresholdKind::SwimSpeed, &[swim(400.0, 380), swim(200.0, 170), swim(400.0, 360)]),
            "m/s",
        ),
        number(
            "resting heart rate, fourteen nights of 48, 50 and 54 in turn",
            detected(ThresholdKind::RestingHeartRate, &nights),
            "bpm",
        ),
        number(
            "first step down from 4.00 m/s when the last three months show 3.50",
            speed_after_fall(),
            "m/s",
        ),
    ]
}

fn zones() -> Vec<Example> {
    let pace_of = |speed: f64| Speed::from_mps(speed).unwrap().pace().unwrap();
    let four_minutes = 1000.0 / 240.0;
    let reserve = by_reserve(50.0, 190.0).unwrap();
    vec![
        number("80% of a max HR of 190", zone_bounds(&by_max_heart_rate(190.0).unwrap(), 5), "bpm"),
        number("70% of the heart rate reserve between 50 and 190", zone_bounds(&reserve, 4), "bpm"),
        number(
            "Friel's zone 4, running, threshold 170 bpm",
            zone_bounds(&friel_running(170.0).unwrap(), 4),
            "bpm",
        ),
        number(
            "Friel's zone 4, cycling, threshold 170 bpm",
            zone_bounds(&friel_cycling(170.0).unwrap(), 4),
            "bpm",
        ),
        number("Coggan's zone 4, threshold 250 W", zone_bounds(&coggan_power(250.0).unwrap(), 4), "W"),
        pace_example(
            "Friel's zone 4, threshold 4:00 /km",
            pace_of(zone_bounds(&friel_pace(four_minutes).unwrap(), 4)),
        ),
        number(
            "second of three zones, critical speed 4 m/s",
            zone_bounds(&seiler_speed(4.0).unwrap(), 2),
            "m/s",
        ),
        number_example("zone of 148 bpm by that reserve", reserve.zone_of(148.0).unwrap() as f64),
    ]
}

fn training_paces() -> Vec<Example> {
    let (half, full) = (Distance::HALF_MARATHON, Distance::MARATHON);
    let vdot = |distance, clock| Vdot::from_race(performance(distance, clock)).unwrap().value();
    let fifty = Vdot::new(50.0).unwrap();
    let paces = fifty.paces(None).unwrap();
    let slower = fifty.paces(Some("3:30:00".parse().unwrap())).unwrap();
    vec![
        number_example("VDOT of a mile in 5:00", vdot(Distance::from_miles(1.0).unwrap(), "5:00")),
        number_example("VDOT of 5 km in 20:00", vdot(km(5.0), "20:00")),
        number_example("VDOT of 10 km in 40:00", vdot(km(10.0), "40:00")),
        number_example("VDOT of a half marathon in 1:30:00", vdot(half, "1:30:00")),
        number_example("VDOT of a marathon in 3:00:00", vdot(full, "3:00:00")),
        time_example("VDOT 50 over 5 km", fifty.time_over(km(5.0))),
        time_example("VDOT 50 over 10 km", fifty.time_over(km(10.0))),
        time_example("VDOT 50 over the half", fifty.time_over(half)),
        time_example("VDOT 50 over the marathon", fifty.time_over(full)),
        pace_example("VDOT 50, easy, slow end", paces.easy.0),
        pace_example("VDOT 50, easy, fast end", paces.easy.1),
        pace_example("VDOT 50, marathon", paces.marathon),
        pace_example("VDOT 50, marathon, when 3:30:00 is predicted", slower.marathon),
        pace_example("VDOT 50, threshold", paces.threshold),
        pace_example("VDOT 50, interval", paces.interval),
        pace_example("VDOT 50, repetition", paces.repetition),
    ]
}

pub(super) fn examples() -> Vec<Example> {
    let set = speed(4.0, "2026-01-01", ThresholdOrigin::Set);
    let reported = speed(4.2, "2026-03-01", ThresholdOrigin::Reported);
    let all = [set, reported, speed(4.3, "2026-03-05", ThresholdOrigin::Estimated)];
    let mut examples = vec![
        text_example("in force on 12 February", threshold_in_force(&all, "2026-02-12")),
        text_example("in force on 13 February", threshold_in_force(&all, "2026-02-13")),
        text_example("in force on 10 March", threshold_in_force(&all, "2026-03-10")),
        text_example("in force on 1 April", threshold_in_force(&all, "2026-04-01")),
        text_example("in force on 10 March, nothing set", threshold_in_force(&all[1..], "2026-03-10")),
        text_example(
            "in force on 10 March, nothing set or reported",
            threshold_in_force(&all[2..], "2026-03-10"),
        ),
        text_example(
            "in force on 31 December, the day before the first",
            threshold_in_force(&all, "2025-12-31"),
        ),
    ];
    examples.extend(detections());
    examples.extend(zones());
    examples.extend(training_paces());
    examples
}
