//! The examples about days.

use super::{Example, number, plain, words};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::metrics::fitness::{DayLoad, FitnessState, Form, FormBand, RampBand};
use fitness_core::metrics::load::distribution::{
    AcuteChronic, Monotony, Spike, Weighted, acute_chronic, monotony, spike,
};
use fitness_core::metrics::recovery::baseline::{Baseline, Reading};
use fitness_core::metrics::recovery::hrv::{Hrv, HrvRange, HrvState, HrvWeek, hrv};
use fitness_core::metrics::recovery::illness::signs;
use fitness_core::metrics::recovery::resting_hr::{Resting, resting};
use fitness_core::metrics::recovery::sleep::sleep;
use fitness_core::metrics::recovery::{Recovery, Signals, recovery};
use fitness_core::metrics::trajectory::{
    Adherence, Outlook, PastSession, PlannedDay, RaceMorning, Typical, planned_load, project,
};
use fitness_core::metrics::{Absent, Counted, Need, Quality, Rated};
use fitness_core::plan::{Workout, WorkoutKind};

fn firm(value: f64) -> Rated {
    Rated { value, quality: Quality::Ok }
}

fn load(load: f64) -> DayLoad {
    DayLoad::of([(Sport::Running, Some(firm(load)))])
}

fn steady(days: u32, each: f64) -> FitnessState {
    (0..days).fold(FitnessState::START, |state, _| state.after(&load(each)))
}

/// So many firm days after 200 firm ones and one with an estimated load.
fn doubted(ago: u32) -> FitnessState {
    let estimated = Rated { value: 50.0, quality: Quality::Estimated };
    let day = steady(200, 50.0).after(&DayLoad::of([(Sport::Running, Some(estimated))]));
    (0..ago).fold(day, |state, _| state.after(&load(50.0)))
}

fn foster() -> Monotony {
    let week = [300.0, 0.0, 400.0, 0.0, 500.0, 200.0, 600.0].map(load);
    monotony(&week.iter().collect::<Vec<_>>()).unwrap()
}

fn hard_week() -> AcuteChronic {
    let days: Vec<DayLoad> = (0..28).map(|i| load(if i < 21 { 50.0 } else { 100.0 })).collect();
    let weighted = days.iter().fold(Weighted::START, |state, day| state.after(day));
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

/// Sixty days of 46, 48, 50, 52 and 54 in turn, then a week at 56.
fn hearts() -> Resting {
    let usual = (0..60).map(|i| Some([46.0, 48.0, 50.0, 52.0, 54.0][i % 5]));
    resting(&usual.chain([Some(56.0); 7]).collect::<Vec<_>>())
}

fn debt(last: f64) -> f64 {
    let mut nights = vec![Some(7.0); 14];
    nights[13] = Some(last);
    sleep(&nights, Some(TimeSpan::from_mins(480))).debt.unwrap().hours
}

fn reading(value: f64, median: f64, spread: f64) -> Reading {
    let baseline = Baseline { median, spread, n: 60, quality: Quality::Ok };
    Reading { value: Ok(value), z: baseline.z(value), baseline: Ok(baseline) }
}

/// A usual of 50 ± 2.
fn resting_at(bpm: f64) -> Resting {
    Resting { reading: reading(bpm, 50.0, 2.0), week: Ok(bpm), raised: Ok(false) }
}

/// A usual of 4.0 ± 0.2 in ln rMSSD.
fn hrv_at(ln: f64) -> Hrv {
    let range = HrvRange { mean: 4.0, sd: 0.2, low: 3.9, high: 4.1, nights: 60, quality: Quality::Ok };
    let week = HrvWeek { ln, ms: ln.exp(), nights: 7, variation_percent: 0.0 };
    Hrv { last_night: Ok(ln), state: Ok(range.state(ln)), week: Ok(week), range: Ok(range), acute: Ok(false) }
}

/// Recovery with parts so many spreads better than usual.
fn recovered(hrv: f64, resting: f64, rest: Option<f64>) -> Recovery {
    let nothing = || Absent::missing(Need::Sleep);
    let value = 20.0 * rest.unwrap_or(0.0);
    recovery(&Signals {
        hrv: &hrv_at(4.0 + 0.2 * hrv),
        resting: &resting_at(50.0 - 2.0 * resting),
        slept: &rest.map(|z| 8.0 + 1.5 * z).ok_or_else(nothing),
        need: &Ok(8.0),
        feel: rest.map(|z| (3.0 + z) as u8),
        form: &rest
            .map(|_| Form { value, band: Ok(FormBand::of(value)), quality: Quality::Ok })
            .ok_or_else(|| Absent::missing(Need::Load)),
    })
    .unwrap()
}

fn asked(breaths: f64) -> &'static str {
    let low = Hrv { state: Ok(HrvState::Below), ..hrv_at(3.7) };
    if signs(&resting_at(54.0), &low, &reading(breaths, 14.2, 0.5)).unwrap() { "yes" } else { "no" }
}

fn day(n: i64) -> Day {
    "2026-06-01".parse::<Day>().unwrap().plus(n)
}

fn adherence() -> f64 {
    let days: Vec<PlannedDay> =
        (0..10).map(|n| PlannedDay { day: day(n), planned: 50.0, done: 40.0, excused: false }).collect();
    Adherence::of(&days, day(9)).unwrap().rate
}

/// From fitness and fatigue of 60, a race after ten days without training.
fn untrained() -> RaceMorning {
    let state = steady(2000, 60.0);
    let outlook = Outlook {
        from: day(0),
        state: &state,
        plan_start: day(0),
        race_day: day(11),
        workouts: &[],
        typical: &Typical::NOTHING,
    };
    let unknown = Err(Absent::TooFew { have: 0, needed: 10, what: Counted::Days });
    project(&outlook, &unknown).unwrap().no_training.race_morning
}

/// Ninety planned easy minutes, after three hours that brought 40, 50 and 90.
fn easy_minutes() -> f64 {
    let hour = |load: f64| PastSession {
        day: day(0),
        sport: Sport::Running,
        kind: Some(WorkoutKind::Easy),
        load,
        duration: TimeSpan::from_mins(60),
        distance: None,
    };
    let typical = Typical::measure(&[40.0, 50.0, 90.0].map(hour), day(-100), day(1));
    let workout = Workout {
        sport: Sport::Running,
        kind: WorkoutKind::Easy,
        duration: Some(TimeSpan::from_mins(90)),
        ..Workout::rest(day(2))
    };
    planned_load(&workout, &typical).unwrap().value
}

pub(super) fn examples() -> Vec<Example> {
    let (range, jump, untrained) = (nights().range.unwrap(), jump(), untrained());
    vec![
        plain("fitness after one day of 100", steady(1, 100.0).fitness()),
        plain("fatigue after one day of 100", steady(1, 100.0).fatigue()),
        plain("fitness after 42 days of 100", steady(42, 100.0).fitness()),
        plain("fatigue after 42 days of 100", steady(42, 100.0).fatigue()),
        plain("fatigue after 7 days of 100", steady(7, 100.0).fatigue()),
        plain("form on the morning after one day of 100", steady(1, 100.0).form().value),
        plain("ramp on day 8 of 100 a day", steady(8, 100.0).ramp().unwrap().per_week),
        number(
            "how far fitness has settled after 42 days",
            f64::from(steady(42, 0.0).settled_percent()),
            "%",
        ),
        number(
            "how far fitness has settled after 126 days",
            f64::from(steady(126, 0.0).settled_percent()),
            "%",
        ),
        words("how far to lean on it after 200 firm days", steady(200, 50.0).quality()),
        words("the same, 41 days after an estimated load", doubted(41).quality()),
        words("the same, 42 days after it", doubted(42).quality()),
        words("the word for a form of −12", FormBand::of(-12.0)),
        words("the word for a ramp of 6 a week", RampBand::of(6.0)),
        plain("monotony of 300 0 400 0 500 200 600", foster().monotony),
        plain("strain of the same", foster().strain),
        plain("coupled ratio of 21 days of 50 and 7 of 100", hard_week().coupled.unwrap()),
        plain("uncoupled ratio of the same", hard_week().uncoupled.unwrap()),
        plain("weighted ratio of the same", hard_week().weighted.unwrap()),
        plain("jump of 24 km after a longest of 16 km", jump.ratio),
        words("the word for it", jump.band),
        number("low end of the range, mean ln 4.0 and SD 0.2", range.low.exp(), "ms"),
        number("high end of the same", range.high.exp(), "ms"),
        words("where a week of ln 3.85 stands to it", range.state(3.85)),
        number(
            "variation of a week of ln 3.9 4.0 4.1 3.9 4.0 4.1 4.0",
            nights().week.unwrap().variation_percent,
            "%",
        ),
        number("spread of 46 48 50 52 54 in turn", hearts().reading.baseline.unwrap().spread, "bpm"),
        plain("z of 56 bpm against it", hearts().reading.z.unwrap()),
        number("debt at need 8 h after fourteen nights of 7 h", debt(7.0), "h"),
        number("debt at need 8 h after thirteen nights of 7 h and one of 12 h", debt(12.0), "h"),
        plain("recovery with every part usual", f64::from(recovered(0.0, 0.0, Some(0.0)).score)),
        plain("recovery with every part one spread better", f64::from(recovered(1.0, 1.0, Some(1.0)).score)),
        plain(
            "recovery with every part one spread worse",
            f64::from(recovered(-1.0, -1.0, Some(-1.0)).score),
        ),
        plain(
            "recovery with HRV two spreads worse, resting heart rate usual, nothing else",
            f64::from(recovered(-2.0, 0.0, None).score),
        ),
        words(
            "a sign of illness: resting 54 at 50 ± 2, HRV below its range, 16.5 breaths at 14.2",
            asked(16.5),
        ),
        words("the same with 14.9 breaths", asked(14.9)),
        plain("fitness on race day after ten days without training from 60 and 60", untrained.fitness),
        plain("fatigue on the same morning", untrained.fatigue),
        plain("form on the same morning", untrained.form.value),
        plain("adherence after ten days of 40 done of 50 planned", adherence()),
        plain("load of 90 planned easy minutes when three such hours brought 40, 50 and 90", easy_minutes()),
    ]
}
