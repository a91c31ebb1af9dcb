use super::*;
use crate::adherence::data_frontier::ImportCoverage;
use crate::domain::sport::Sport;
use crate::domain::wellness::Sleep;
use crate::metrics::ValueWithQuality;
use crate::metrics::fitness::SETTLED_DAYS;
use proptest::prelude::*;

fn first() -> Day {
    "2025-01-01".parse().unwrap()
}

fn through(days: i64) -> DataFrontier {
    DataFrontier::from_runs([ImportCoverage::new(Some(first().plus_days(days - 1)), None)])
}

const SETTINGS: DaySettings = DaySettings { sleep_need: Some(TimeSpan::from_mins(480)) };

/// A day as plain values for property tests.
#[derive(Debug, Clone, Default)]
struct Raw {
    loads: Vec<Option<f64>>,
    hrv: Option<f64>,
    resting: Option<u16>,
    slept_ms: Option<i64>,
    weight: Option<f64>,
    respiration: Option<f64>,
    stress: Option<u16>,
    feel: Option<u8>,
    run_mm: Option<i64>,
}

fn wellness(raw: &[Raw]) -> Vec<DailyWellness> {
    let day = |(i, raw): (usize, &Raw)| DailyWellness {
        hrv_ms: raw.hrv,
        resting_heart_rate: raw.resting,
        sleep: raw.slept_ms.map(|ms| Sleep { asleep: Some(TimeSpan::from_ms(ms)), ..Sleep::default() }),
        weight_kg: raw.weight,
        respiration: raw.respiration,
        stress_avg: raw.stress,
        ..DailyWellness::empty(first().plus_days(i64::try_from(i).unwrap()))
    };
    raw.iter().enumerate().map(day).collect()
}

fn firm(value: f64) -> ValueWithQuality {
    ValueWithQuality { value, quality: Quality::Ok }
}

fn inputs<'a>(raw: &[Raw], wellness: &'a [DailyWellness]) -> Vec<DayInput<'a>> {
    let day = |(raw, wellness): (&Raw, &'a DailyWellness)| DayInput {
        day: wellness.day,
        load: DayLoad::from_activities(raw.loads.iter().map(|load| (Sport::Running, load.map(firm)))),
        wellness: Some(wellness),
        feel: raw.feel,
        longest_run: raw.run_mm.map(Distance::from_mm),
    };
    raw.iter().zip(wellness).map(day).collect()
}

fn usual(days: usize) -> Vec<Raw> {
    (0..days)
        .map(|i| Raw {
            loads: vec![Some([40.0, 60.0, 0.0, 80.0, 50.0, 120.0, 0.0][i % 7])],
            hrv: Some([48.0, 55.0, 61.0, 52.0][i % 4]),
            resting: Some([49, 50, 51, 52, 48][i % 5]),
            slept_ms: Some(([7.0, 7.5, 8.0][i % 3] * 3_600_000.0) as i64),
            weight: Some(70.0 + [0.0, 0.3, -0.2][i % 3]),
            respiration: Some(14.0 + [0.0, 0.4][i % 2]),
            stress: Some([25, 30, 35][i % 3]),
            feel: Some([3, 4, 3, 2][i % 4]),
            run_mm: Some(10_000_000),
        })
        .collect()
}

fn compute(raw: &[Raw], frontier: DataFrontier) -> Vec<DayMetrics> {
    let wellness = wellness(raw);
    compute_days(&inputs(raw, &wellness), frontier, &SETTINGS).unwrap()
}

#[test]
fn a_year_of_days_has_every_value() {
    let days = compute(&usual(365), through(365));
    let last = days.last().unwrap();
    let training = last.training.as_ref().unwrap();
    assert_eq!(training.quality, Quality::Ok);
    assert!((training.fitness - 50.0).abs() < 5.0, "{}", training.fitness);
    assert!(training.ramp.is_ok() && training.monotony.is_ok());
    let recovery = last.recovery.as_ref().unwrap();
    assert_eq!((recovery.parts.len(), recovery.quality), (5, Quality::Ok));
    assert!(last.spike.is_ok() && last.sleep.debt.is_ok() && last.weight.z.is_ok() && last.stress.z.is_ok());
    assert_eq!(last.illness.clone().map(IllnessHint::should_ask), Ok(false));
    assert_eq!(
        last.body_battery.value,
        Err(MissingReason::missing(crate::metrics::RequiredInput::BodyBattery))
    );
}

#[test]
fn first_weeks_report_learning_progress() {
    let days = compute(&usual(30), through(30));
    assert_eq!(days[15].recovery.as_ref().unwrap_err().to_string(), "not enough data yet: 9 of 14 nights");
    assert!(days[20].recovery.is_ok());
    assert_eq!(days[20].recovery.as_ref().unwrap().quality, Quality::Provisional);
    assert_eq!(days[29].form.band.clone().unwrap_err().to_string(), "not enough data yet: 29 of 42 days");
}

#[test]
fn days_after_the_frontier_are_left_out() {
    let raw = usual(100);
    let whole = compute(&raw, through(100));
    let cut = compute(&raw, through(90));
    assert_eq!(cut.len(), 90);
    assert_eq!(cut, whole[..90]);
    assert!(compute(&raw, DataFrontier::NONE).is_empty());
}

#[test]
fn incomplete_day_has_no_evening_values() {
    let raw = usual(150);
    let open = DataFrontier::from_runs([ImportCoverage::new(
        Some(first().plus_days(148)),
        Some(first().plus_days(149)),
    )]);
    let days = compute(&raw, open);
    let (today, whole) = (&days[149], &compute(&raw, through(150))[149]);
    assert_eq!(today.training, Err(MissingReason::NotYet));
    assert_eq!(today.state, None);
    assert_eq!(today.stress.value, Err(MissingReason::NotYet));
    assert_eq!((&today.form, &today.recovery, &today.sleep), (&whole.form, &whole.recovery, &whole.sleep));
    assert!(today.recovery.is_ok());
}

#[test]
fn an_unknown_load_is_provisional_and_not_zero() {
    let mut raw = usual(SETTLED_DAYS as usize + 60);
    raw[150].loads.push(None);
    let days = compute(&raw, through(200));
    let quality = |i: usize| days[i].training.as_ref().unwrap().quality;
    assert_eq!(
        (quality(149), quality(150), quality(185)),
        (Quality::Ok, Quality::Provisional, Quality::Provisional)
    );
    assert!(days[150].training.as_ref().unwrap().load.is_incomplete());
}

#[test]
fn two_days_of_illness_signs_ask_about_symptoms() {
    let mut raw = usual(100);
    for day in &mut raw[94..] {
        (day.resting, day.hrv, day.respiration) = (Some(62), Some(30.0), Some(17.0));
    }
    let days = compute(&raw, through(100));
    assert_eq!(days[93].illness.clone().map(IllnessHint::should_ask), Ok(false));
    assert!(days[94..].iter().any(|day| day.illness.clone().map(IllnessHint::should_ask) == Ok(true)));
}

#[test]
fn a_history_with_a_gap_or_too_little_context_is_refused() {
    let raw = usual(100);
    let wellness = wellness(&raw);
    let mut inputs = inputs(&raw, &wellness);
    let state = compute_days(&inputs, through(100), &SETTINGS).unwrap()[89].state.unwrap();
    assert_eq!(compute_days_after(&state, &inputs[23..], through(100), &SETTINGS).unwrap().len(), 10);
    assert_eq!(
        compute_days_after(&state, &inputs[24..], through(100), &SETTINGS),
        Err(HistoryError::ShortContext { have: 66, needed: 67 })
    );
    assert_eq!(
        compute_days_after(&state, &inputs[..80], through(100), &SETTINGS),
        Err(HistoryError::ShortContext { have: 80, needed: 67 }),
        "the state's own day must be among them"
    );
    inputs.remove(50);
    assert_eq!(compute_days(&inputs, through(100), &SETTINGS), Err(HistoryError::Gap(first().plus_days(49))));
}

#[test]
fn the_oldest_day_of_the_context_counts() {
    // Yesterday's range has exactly fourteen nights, the first of them 67 days ago. Without it
    // there is no range.
    let mut raw = vec![Raw::default(); 110];
    let last = 109;
    for (i, at) in [last - 67].into_iter().chain(last - 30..last - 17).enumerate() {
        (raw[at].resting, raw[at].hrv) = (Some([49, 50, 51][i % 3]), Some([50.0, 55.0, 60.0][i % 3]));
    }
    for day in &mut raw[last - 7..] {
        (day.resting, day.hrv) = (Some(65), Some(25.0));
    }
    let days = compute(&raw, through(110));
    assert_eq!(days[last].illness.clone().map(IllnessHint::should_ask), Ok(true));
    let wellness = wellness(&raw);
    let context = &inputs(&raw, &wellness)[last - CONTEXT_DAYS..];
    let again = compute_days_after(&days[last - 1].state.unwrap(), context, through(110), &SETTINGS).unwrap();
    assert_eq!(again, days[last..]);
}

#[test]
fn no_days_are_no_error() {
    assert_eq!(compute_days(&[], through(10), &SETTINGS), Ok(Vec::new()));
}

fn hostile() -> impl Strategy<Value = Raw> {
    let number =
        || prop::option::of(prop_oneof![3 => 10.0..120.0_f64, 1 => prop::num::f64::ANY, 1 => Just(0.0)]);
    let load = prop::option::weighted(0.9, prop_oneof![9 => 0.0..200.0_f64, 1 => prop::num::f64::ANY]);
    (
        prop::collection::vec(load, 0..3),
        number(),
        prop::option::of(prop_oneof![3 => 40_u16..70, 1 => any::<u16>()]),
        prop::option::of(prop_oneof![3 => 10_000_000_i64..40_000_000, 1 => -1_i64..200_000_000]),
        number(),
        number(),
        prop::option::of(any::<u16>()),
        prop::option::of(0_u8..8),
        prop::option::of(-5_i64..50_000_000),
    )
        .prop_map(|(loads, hrv, resting, slept_ms, weight, respiration, stress, feel, run_mm)| Raw {
            loads,
            hrv,
            resting,
            slept_ms,
            weight,
            respiration,
            stress,
            feel,
            run_mm,
        })
}

/// JSON writes every float by its shortest exact digits, so equal texts are equal bits.
fn bits(days: &[DayMetrics]) -> Vec<String> {
    days.iter().map(|day| serde_json::to_string(day).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn recomputing_from_a_changed_day_equals_starting_over(
        raw in prop::collection::vec(hostile(), 2..220), at in any::<prop::sample::Index>(), changed in hostile(),
    ) {
        let k = at.index(raw.len() - 1) + 1;
        let frontier = through(i64::try_from(raw.len()).unwrap());
        let before = compute(&raw, frontier);
        let mut raw = raw;
        raw[k] = changed;
        let scratch = compute(&raw, frontier);
        // The stored day before the change, as it comes back from a database's text.
        let stored: DayMetrics = serde_json::from_str(&serde_json::to_string(&before[k - 1]).unwrap()).unwrap();
        prop_assert_eq!(&stored, &before[k - 1]);
        let days = wellness(&raw);
        let context = inputs(&raw, &days);
        let from = k.saturating_sub(CONTEXT_DAYS);
        let again = compute_days_after(&stored.state.unwrap(), &context[from..], frontier, &SETTINGS).unwrap();
        prop_assert_eq!(&bits(&scratch)[..k], &bits(&before)[..k]);
        prop_assert_eq!(bits(&again), bits(&scratch[k..]));
        for (a, b) in again.iter().zip(&scratch[k..]) {
            let (a, b) = (a.training.as_ref().unwrap(), b.training.as_ref().unwrap());
            prop_assert_eq!(a.fitness.to_bits(), b.fitness.to_bits());
            prop_assert_eq!(a.fatigue.to_bits(), b.fatigue.to_bits());
        }
    }

    #[test]
    fn any_input_gives_finite_numbers(raw in prop::collection::vec(hostile(), 1..120)) {
        for day in compute(&raw, through(i64::try_from(raw.len()).unwrap())) {
            // JSON writes NaN and infinity as null, and nothing else here is ever null.
            let text = serde_json::to_string(&day).unwrap();
            prop_assert!(!text.contains("null"), "{text}");
        }
    }
}
