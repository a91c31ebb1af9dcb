//! Daily metrics: training load, fitness, HRV, resting heart rate, sleep, recovery.
//!
//! A day depends on a fixed window of days and on the [`DayState`] of the evening before. So when a
//! day changes, [`compute_days_after`] from there gives bit for bit the same result as
//! [`compute_days`] over everything.

use crate::adherence::data_frontier::{DataFrontier, DayCoverage};
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::domain::wellness::DailyWellness;
use crate::metrics::fitness::{DayLoad, FitnessState, Form, Ramp};
use crate::metrics::load::monotony_and_spikes::{
    AcuteChronic, EwmaLoads, Monotony, Spike, acute_chronic, monotony, spike,
};
use crate::metrics::recovery::baseline::{
    BODY_BATTERY, RESPIRATION, ReadingWithBaseline, STRESS, WEEK, WEIGHT,
};
use crate::metrics::recovery::hrv::{Hrv, RANGE_NIGHTS, hrv};
use crate::metrics::recovery::illness::{IllnessHint, has_illness_signs, illness_hint, missing_signs};
use crate::metrics::recovery::resting_hr::{RestingHr, resting};
use crate::metrics::recovery::sleep::{SleepDay, need_hours, sleep};
use crate::metrics::recovery::{Recovery, RecoveryInput, recovery};
use crate::metrics::{MetricResult, MissingReason, Quality};
use serde::{Deserialize, Serialize};

/// How many earlier days a day can depend on: a week of nights and the 60 before it.
pub const CONTEXT_DAYS: usize = WEEK + RANGE_NIGHTS;

/// Input data of one day.
#[derive(Debug, Clone)]
pub struct DayInput<'a> {
    pub day: Day,
    pub load: DayLoad,
    /// `None` without a record for the day.
    pub wellness: Option<&'a DailyWellness>,
    /// The check-in's rating of the day, 1 to 5.
    pub feel: Option<u8>,
    /// The longest run that started on this day.
    pub longest_run: Option<Distance>,
}

impl DayInput<'_> {
    /// A day without activities or measurements.
    #[must_use]
    pub const fn empty(day: Day) -> Self {
        Self { day, load: DayLoad::NONE, wellness: None, feel: None, longest_run: None }
    }
}

/// Profile settings used by daily metrics. A change affects every day: recompute from the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DaySettings {
    /// The athlete's sleep goal.
    pub sleep_need: Option<TimeSpan>,
}

/// Metrics of a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DayMetrics {
    pub day: Day,
    /// Load, fitness and fatigue in the evening; missing while the day is not complete.
    pub training: MetricResult<TrainingMetrics>,
    pub form: Form,
    /// The day's longest run compared with the 30 days before.
    pub spike: MetricResult<Spike>,
    pub hrv: Hrv,
    pub resting: RestingHr,
    pub sleep: SleepDay,
    pub stress: ReadingWithBaseline,
    pub body_battery: ReadingWithBaseline,
    pub weight: ReadingWithBaseline,
    pub respiration: ReadingWithBaseline,
    pub recovery: MetricResult<Recovery>,
    /// Possible signs of illness.
    pub illness: MetricResult<IllnessHint>,
    /// State for computing the next day; `None` while the day is not complete.
    pub state: Option<DayState>,
}

/// Training metrics of a complete day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingMetrics {
    pub load: DayLoad,
    /// CTL in the evening.
    pub fitness: f64,
    /// ATL in the evening.
    pub fatigue: f64,
    /// Quality of fitness and fatigue.
    pub quality: Quality,
    /// How far fitness has converged since the start of the data, percent.
    pub settled_percent: u8,
    /// Change of fitness over seven days.
    pub ramp: MetricResult<Ramp>,
    /// Training monotony of the last seven days.
    pub monotony: MetricResult<Monotony>,
    /// Acute to chronic load ratios; descriptive only.
    pub acute_chronic: AcuteChronic,
}

/// State carried over from one day to the next.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DayState {
    /// The state is that of this day's evening.
    pub day: Day,
    pub fitness: FitnessState,
    pub weighted: EwmaLoads,
}

/// Input days that cannot be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    #[error("the days must be consecutive; the day after {0} is missing")]
    Gap(Day),
    /// Too few context days before the first day to compute.
    #[error("recomputing needs {needed} days before the first computed day, got {have}")]
    ShortContext { have: usize, needed: usize },
}

/// Computes every day up to the data frontier. Later days are left out, because missing data is not
/// a rest day; days without training before it must be passed as [`DayInput::empty`]. An incomplete
/// day has morning values (form, recovery, sleep) but no evening values.
///
/// # Errors
/// When the days are not consecutive.
pub fn compute_days(
    inputs: &[DayInput<'_>],
    frontier: DataFrontier,
    settings: &DaySettings,
) -> Result<Vec<DayMetrics>, HistoryError> {
    compute_days_from_index(inputs, 0, FitnessState::START, EwmaLoads::START, frontier, settings)
}

/// Computes the days after a stored state. `inputs` holds the [`CONTEXT_DAYS`] up to and including
/// the state's day (or all there are), then the days to compute.
///
/// # Errors
/// When the days are not consecutive or start too late.
pub fn compute_days_after(
    before: &DayState,
    inputs: &[DayInput<'_>],
    frontier: DataFrontier,
    settings: &DaySettings,
) -> Result<Vec<DayMetrics>, HistoryError> {
    let start = inputs.iter().take_while(|input| input.day <= before.day).count();
    let needed = CONTEXT_DAYS.min(before.fitness.days() as usize);
    let reaches = start.checked_sub(1).is_some_and(|last| inputs[last].day == before.day);
    if start < needed || (needed > 0 && !reaches) {
        return Err(HistoryError::ShortContext { have: start, needed });
    }
    compute_days_from_index(inputs, start, before.fitness, before.weighted, frontier, settings)
}

fn compute_days_from_index(
    inputs: &[DayInput<'_>],
    start: usize,
    mut fitness: FitnessState,
    mut weighted: EwmaLoads,
    frontier: DataFrontier,
    settings: &DaySettings,
) -> Result<Vec<DayMetrics>, HistoryError> {
    if let Some(pair) = inputs.windows(2).find(|pair| pair[0].day.next() != pair[1].day) {
        return Err(HistoryError::Gap(pair[0].day));
    }
    let known =
        inputs.iter().take_while(|input| frontier.day_coverage(input.day) != DayCoverage::Beyond).count();
    let series = DaySeries::from_inputs(&inputs[..known]);
    let mut days = Vec::with_capacity(known.saturating_sub(start));
    let mut signs_before = series.illness_signs(start);
    for (i, input) in inputs.iter().enumerate().take(known).skip(start) {
        let morning = fitness;
        let complete = frontier.day_coverage(input.day) == DayCoverage::Complete;
        if complete {
            fitness = fitness.after(&input.load);
            weighted = weighted.after(&input.load);
        }
        let evening = complete.then_some(DayState { day: input.day, fitness, weighted });
        let day = series.day_metrics(i, input, &morning, evening, settings, &mut signs_before);
        days.push(day);
    }
    Ok(days)
}

/// Input values as one series per kind, with one entry per day.
struct DaySeries<'a> {
    loads: Vec<&'a DayLoad>,
    runs: Vec<Option<Distance>>,
    hrv: Vec<Option<f64>>,
    resting: Vec<Option<f64>>,
    slept: Vec<Option<f64>>,
    stress: Vec<Option<f64>>,
    body_battery: Vec<Option<f64>>,
    weight: Vec<Option<f64>>,
    respiration: Vec<Option<f64>>,
}

impl<'a> DaySeries<'a> {
    fn from_inputs(inputs: &'a [DayInput<'_>]) -> Self {
        let each = |value: &dyn Fn(&DailyWellness) -> Option<f64>| {
            inputs.iter().map(|input| input.wellness.and_then(value)).collect::<Vec<_>>()
        };
        Self {
            loads: inputs.iter().map(|input| &input.load).collect(),
            runs: inputs.iter().map(|input| input.longest_run).collect(),
            hrv: each(&|day| day.hrv_ms),
            resting: each(&|day| day.resting_heart_rate.map(f64::from)),
            slept: each(&|day| day.sleep.as_ref()?.asleep.map(|span| span.seconds() / 3600.0)),
            stress: each(&|day| day.stress_avg.map(f64::from)),
            body_battery: each(&|day| day.body_battery_high.map(f64::from)),
            weight: each(&|day| day.weight_kg),
            respiration: each(&|day| day.respiration),
        }
    }

    /// Illness signs of the day before `index`.
    fn illness_signs(&self, index: usize) -> MetricResult<bool> {
        if index == 0 || index > self.hrv.len() {
            return missing_signs();
        }
        let respiration = RESPIRATION.reading(&self.respiration[..index]);
        has_illness_signs(&resting(&self.resting[..index]), &hrv(&self.hrv[..index]), &respiration)
    }

    fn day_metrics(
        &self,
        i: usize,
        input: &DayInput<'_>,
        morning: &FitnessState,
        evening: Option<DayState>,
        settings: &DaySettings,
        signs_before: &mut MetricResult<bool>,
    ) -> DayMetrics {
        let form = morning.form();
        let hrv = hrv(&self.hrv[..=i]);
        let resting = resting(&self.resting[..=i]);
        let sleep = sleep(&self.slept[..=i], settings.sleep_need);
        let respiration = RESPIRATION.reading(&self.respiration[..=i]);
        let recovery = recovery(&RecoveryInput {
            hrv: &hrv,
            resting: &resting,
            slept: &sleep.night.value,
            need: &need_hours(settings.sleep_need),
            feel: input.feel,
            form: &morning.learned_form(),
        });
        let signs_today = has_illness_signs(&resting, &hrv, &respiration);
        let illness = illness_hint(&signs_today, signs_before);
        *signs_before = signs_today;
        let whole_day =
            |reading: ReadingWithBaseline| if evening.is_some() { reading } else { reading.into_pending() };
        DayMetrics {
            day: input.day,
            training: evening.ok_or(MissingReason::NotYet).map(|state| self.training(i, &input.load, &state)),
            form,
            spike: spike(&self.runs[..=i]),
            hrv,
            resting,
            sleep,
            stress: whole_day(STRESS.reading(&self.stress[..=i])),
            body_battery: whole_day(BODY_BATTERY.reading(&self.body_battery[..=i])),
            weight: WEIGHT.reading(&self.weight[..=i]),
            respiration,
            recovery,
            illness,
            state: evening,
        }
    }

    fn training(&self, i: usize, load: &DayLoad, evening: &DayState) -> TrainingMetrics {
        TrainingMetrics {
            load: load.clone(),
            fitness: evening.fitness.fitness(),
            fatigue: evening.fitness.fatigue(),
            quality: evening.fitness.quality(),
            settled_percent: evening.fitness.settled_percent(),
            ramp: evening.fitness.ramp(),
            monotony: monotony(&self.loads[..=i]),
            acute_chronic: acute_chronic(&self.loads[..=i], &evening.weighted),
        }
    }
}

#[cfg(test)]
mod tests;
