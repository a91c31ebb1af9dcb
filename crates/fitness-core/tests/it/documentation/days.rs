//! The examples about daily metrics.

use super::{Example, number, number_example, text_example};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::metrics::fitness::{DayLoad, FitnessState, Form, FormBand, RampBand};
use fitness_core::metrics::load::monotony_and_spikes::{
    AcuteChronic, EwmaLoads, Monotony, Spike, acute_chronic, monotony, spike,
};
use fitness_core::metrics::recovery::baseline::{Baseline, ReadingWithBaseline};
use fitness_core::metrics::recovery::hrv::{Hrv, HrvRange, HrvState, HrvWeek, hrv};
use fitness_core::metrics::recovery::illness::has_illness_signs;
use fitness_core::metrics::recovery::resting_hr::{RestingHr, resting};
use fitness_core::metrics::recovery::sleep::sleep;
use fitness_core::metrics::recovery::{Recovery, RecoveryInput, recovery};
use fitness_core::metrics::trajectory::{
    ActivitySample, AdherenceRate, PlannedAndActualLoad, RaceMorning, TrajectoryInput, TypicalLoads,
    planned_load, project,
};
use fitness_core::metrics::{CountUnit, MissingReason, Quality, RequiredInput, ValueWithQuality};
use fitness_core::plan::{Workout, WorkoutKind};

fn firm(value: f64) -> ValueWithQuality {
    ValueWithQuality { value, quality: Quality::Ok }
}

fn load(load: f64) -> DayLoad {
    DayLoad::from_activities([(Sport::Running, Some(firm(load)))])
}

fn steady(days: u32, each: f64) -> FitnessState {
    (0..days).fold(FitnessState::START, |state, _| state.after(&load(each)))
}

/// 200 days of measured load, one estimated load, then `ago` measured days.
fn state_after_estimated_load(ago: u32) -> FitnessState {
    let estimated = ValueWithQuality { value: 50.0, quality: Quality::Estimated };
    let day = steady(200, 50.0).after(&DayLoad::from_activities([(Sport::Running, Some(estimated))]));
    (0..ago).fold(day, |state, _| state.after(&load(50.0)))
}

fn foster_monotony() -> Monotony {
    let week = [300.0, 0.0, 400.0, 0.0, 500.0, 200.0, 600.0].map(load);
    monotony(&week.iter().collect::<Vec<_>>()).unwrap()
}

fn hard_week() -> AcuteChronic {
    let days: Vec<DayLoad> = (0..28).map(|i| load(if i < 21 { 50.0 } else { 100.0 })).collect();
    let weighted = days.iter().fold(EwmaLoads::START, |state, day| state.after(day));
    acute_chronic(&days.iter().collect::<Vec<_>>(), &weighted)
}

fn jump() -> Spike {
    let mut runs = vec![Distance::from_km(16.0); 30];
    runs.push(Distance::from_km(24.0));
    spike(&runs).unwrap()
}

/// Sixty nights of mean ln 4.0 and SD 0.2, then the week of the example.
fn nights() -> Hrv {
    let a = 0.2 * (59.0_f64 / 60.0).sqrt();
    let base = (0..60).map(|i| 4.0 + if i % 2 == 0 { a } else { -a });
    let week = [3.9, 4.0, 4.1, 3.9, 4.0, 4.1, 4.0];
    hrv(&base.chain(week).map(|ln: f64| Some(ln.exp())).collect::<Vec<_>>())
}

/// Sixty days of 46, 48, 50, 52, 54 repeated, then a week at 56.
fn resting_example() -> RestingHr {
    let usual = (0..60).map(|i| Some([46.0, 48.0, 50.0, 52.0, 54.0][i % 5]));
    resting(&usual.chain([Some(56.0); 7]).collect::<Vec<_>>())
}

fn debt(last: f64) -> f64 {
    let mut nights = vec![Some(7.0); 14];
    nights[13] = Some(last);
    sleep(&nights, Some(TimeSpan::from_mins(480))).debt.unwrap().hours
}

fn reading(value: f64, median: f64, spread: f64) -> ReadingWithBaseline {
    let baseline = Baseline { median, spread, n: 60, quality: Quality::Ok };
    ReadingWithBaseline { value: Ok(value), z: baseline.z(value), baseline: Ok(baseline) }
}

/// Baseline 50 ± 2.
fn resting_at(bpm: f64) -> RestingHr {
    RestingHr { reading: reading(bpm, 50.0, 2.0), week: Ok(bpm), raised: Ok(false) }
}

/// Baseline 4.0 ± 0.2 in ln rMSSD.
fn hrv_at(ln: f64) -> Hrv {
    let range = HrvRange { mean: 4.0, sd: 0.2, low: 3.9, high: 4.1, nights: 60, quality: Quality::Ok };
    let week = HrvWeek { ln, ms: ln.exp(), nights: 7, variation_percent: 0.0 };
    Hrv { last_night: Ok(ln), state: Ok(range.state(ln)), week: Ok(week), range: Ok(range), acute: Ok(false) }
}

/// Recovery with inputs the given number of standard deviations above baseline.
fn recovery_score(hrv: f64, resting: f64, rest: Option<f64>) -> Recovery {
    let nothing = || MissingReason::missing(RequiredInput::Sleep);
    let value = 20.0 * rest.unwrap_or(0.0);
    recovery(&RecoveryInput {
        hrv: &hrv_at(4.0 + 0.2 * hrv),
        resting: &resting_at(50.0 - 2.0 * resting),
        slept: &rest.map(|z| 8.0 + 1.5 * z).ok_or_else(nothing),
        need: &Ok(8.0),
        feel: rest.map(|z| (3.0 + z) as u8),
        form: &rest
            .map(|_| Form { value, band: Ok(FormBand::from_form(value)), quality: Quality::Ok })
            .ok_or_else(|| MissingReason::missing(RequiredInput::Load)),
    })
    .unwrap()
}

fn asks_about_illness(breaths: f64) -> &'static str {
    let low = Hrv { state: Ok(HrvState::Below), ..hrv_at(3.7) };
    if has_illness_signs(&resting_at(54.0), &low, &reading(breaths, 14.2, 0.5)).unwrap() {
        "yes"
    } else {
        "no"
    }
}

fn day(n: i64) -> Day {
    "2026-06-01".parse::<Day>().unwrap().plus_days(n)
}

fn adherence() -> f64 {
    let days: Vec<PlannedAndActualLoad> = (0..10)
        .map(|n| PlannedAndActualLoad { day: day(n), planned: 50.0, actual: 40.0, is_absent: false })
        .collect();
    AdherenceRate::measure(&days, day(9)).unwrap().rate
}

/// From fitness and fatigue of 60, a race after ten days without training.
fn race_morning_without_training() -> RaceMorning {
    let state = steady(2000, 60.0);
    let outlook = TrajectoryInput {
        from: day(0),
        state: &state,
        plan_start: day(0),
        race_day: day(11),
        workouts: &[],
        typical_loads: &TypicalLoads::EMPTY,
    };
    let unknown = Err(MissingReason::TooFew { have: 0, needed: 10, what: CountUnit::Days });
    project(&outlook, &unknown).unwrap().no_training.race_morning
}

/// Load of 90 planned easy minutes, after three one-hour runs with loads of 40, 50 and 90.
fn easy_minutes() -> f64 {
    let hour = |load: f64| ActivitySample {
        day: day(0),
        sport: Sport::Running,
        kind: Some(WorkoutKind::Easy),
        load,
        duration: TimeSpan::from_mins(60),
        distance: None,
    };
    let typical = TypicalLoads::measure(&[40.0, 50.0, 90.0].map(hour), day(-100), day(1));
    let workout = Workout {
        sport: Sport::Running,
        kind: WorkoutKind::Easy,
        duration: Some(TimeSpan::from_mins(90)),
        ..Workout::rest(day(2))
    };
    planned_load(&workout, &typical).unwrap().value
}

pub(super) fn examples() -> Vec<Example> {
    let (range, jump, untrained) = (nights().range.unwrap(), jump(), race_morning_without_training());
    vec![
        number_example("fitness after one day of 100", steady(1, 100.0).fitness()),
        number_example("fatigue after one day of 100", steady(1, 100.0).fatigue()),
        number_example("fitness after 42 days of 100", steady(42, 100.0).fitness()),
        number_example("fatigue after 42 days of 100", steady(42, 100.0).fatigue()),
        number_example("fatigue after 7 days of 100", steady(7, 100.0).fatigue()),
        number_example("form on the morning after one day of 100", steady(1, 100.0).form().value),
        number_example("ramp on day 8 of 100 a day", steady(8, 100.0).ramp().unwrap().per_week),
        number(
            "share of final fitness reached after 42 days",
            f64::from(steady(42, 0.0).settled_percent()),
            "%",
        ),
        number(
            "share of final fitness reached after 126 days",
            f64::from(steady(126, 0.0).settled_percent()),
            "%",
        ),
        text_example("quality after 200 days of measured load", steady(200, 50.0).quality()),
        text_example("quality 41 days after an estimated load", state_after_estimated_load(41).quality()),
        text_example("quality 42 days after it", state_after_estimated_load(42).quality()),
        text_example("label of a form of −12", FormBand::from_form(-12.0)),
        text_example("label of a ramp of 6 a week", RampBand::from_ramp(6.0)),
        number_example("monotony of 300 0 400 0 500 200 600", foster_monotony().monotony),
        number_example("strain of the same", foster_monotony().strain),
        number_example("coupled ratio of 21 days of 50 and 7 of 100", hard_week().coupled.unwrap()),
        number_example("uncoupled ratio of the same", hard_week().uncoupled.unwrap()),
        number_example("weighted ratio of the same", hard_week().weighted.unwrap()),
        number_example("run of 24 km over a longest run of 16 km", jump.ratio),
        text_example("its label", jump.band),
        number("low end of the range, mean ln 4.0 and SD 0.2", range.low.exp(), "ms"),
        number("high end of the same", range.high.exp(), "ms"),
        text_example("state of a week at ln 3.85", range.state(3.85)),
        number(
            "variation of a week of ln 3.9 4.0 4.1 3.9 4.0 4.1 4.0",
            nights().week.unwrap().variation_percent,
            "%",
        ),
        number(
            "robust SD of 46 48 50 52 54, repeated",
            resting_example().reading.baseline.unwrap().spread,
            "bpm",
        ),
        number_example("z-score of 56 bpm", resting_example().reading.z.unwrap()),
        number("sleep debt, goal 8 h, after fourteen nights of 7 h", debt(7.0), "h"),
        number("sleep debt, goal 8 h, after thirteen nights of 7 h and one of 12 h", debt(12.0), "h"),
        number_example(
            "recovery, every input at baseline",
            f64::from(recovery_score(0.0, 0.0, Some(0.0)).score),
        ),
        number_example(
            "recovery, every input one SD better",
            f64::from(recovery_score(1.0, 1.0, Some(1.0)).score),
        ),
        number_example(
            "recovery, every input one SD worse",
            f64::from(recovery_score(-1.0, -1.0, Some(-1.0)).score),
        ),
        number_example(
            "recovery, HRV two SD worse, resting heart rate at baseline, nothing else",
            f64::from(recovery_score(-2.0, 0.0, None).score),
        ),
        text_example(
            "sign of illness: resting HR 54 at 50 ± 2, HRV below its range, 16.5 breaths at 14.2",
            asks_about_illness(16.5),
        ),
        text_example("the same with 14.9 breaths", asks_about_illness(14.9)),
        number_example(
            "fitness on race day after ten days without training from 60 and 60",
            untrained.fitness,
        ),
        number_example("fatigue on the same morning", untrained.fatigue),
        number_example("form on the same morning", untrained.form.value),
        number_example("adherence after ten days of 40 done of 50 planned", adherence()),
        number_example(
            "load of 90 planned easy minutes when easy runs had 40, 50 and 90 an hour",
            easy_minutes(),
        ),
    ]
}
