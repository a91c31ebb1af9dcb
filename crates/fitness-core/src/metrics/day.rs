//! Everything a day means, from the first day of data to the frontier, walked once.
//!
//! The value of a day depends on its own window of days and on the state of the evening before. So when a day changes,
//! [`resume`] from it gives, bit for bit, what [`walk`] over everything would give.

use crate::adherence::data_frontier::{DataFrontier, DayCoverage};
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::domain::wellness::DailyWellness;
use crate::metrics::fitness::{DayLoad, FitnessState, Form, Ramp};
use crate::metrics::load::distribution::{
    AcuteChronic, EwmaLoads, Monotony, Spike, acute_chronic, monotony, spike,
};
use crate::metrics::recovery::baseline::{BODY_BATTERY, RESPIRATION, Reading, STRESS, WEEK, WEIGHT};
use crate::metrics::recovery::hrv::{Hrv, RANGE_NIGHTS, hrv};
use crate::metrics::recovery::illness::{IllnessHint, has_illness_signs, illness_hint, missing_signs};
use crate::metrics::recovery::resting_hr::{RestingHr, resting};
use crate::metrics::recovery::sleep::{SleepDay, need_hours, sleep};
use crate::metrics::recovery::{Recovery, RecoveryInput, recovery};
use crate::metrics::{MetricResult, MissingReason, Quality};
use serde::{Deserialize, Serialize};

/// How many days before a day its value can depend on: 7 nights after 60, one day earlier for "two days in a row".
pub const CONTEXT_DAYS: usize = WEEK + RANGE_NIGHTS;

/// What is known about one day.
#[derive(Debug, Clone)]
pub struct DayInput<'a> {
    /// Which day.
    pub day: Day,
    /// Its training.
    pub load: DayLoad,
    /// What the device measured; `None` where there is no report.
    pub wellness: Option<&'a DailyWellness>,
    /// How the athlete feels, 1 to 5.
    pub feel: Option<u8>,
    /// The longest run that began on it.
    pub longest_run: Option<Distance>,
}

impl DayInput<'_> {
    /// A day on which nothing was done or measured.
    #[must_use]
    pub const fn empty(day: Day) -> Self {
        Self { day, load: DayLoad::NONE, wellness: None, feel: None, longest_run: None }
    }
}

/// What the athlete set that days are measured by. Changing it changes every day: walk again from the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DaySettings {
    /// How long the athlete wants to sleep.
    pub sleep_need: Option<TimeSpan>,
}

/// What a day means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DayMetrics {
    /// Which day.
    pub day: Day,
    /// Load, fitness and fatigue of the evening; not there while the day is still open.
    pub training: MetricResult<Training>,
    /// The morning's form.
    pub form: Form,
    /// The day's longest run against the 30 days before.
    pub spike: MetricResult<Spike>,
    /// Heart rate variability.
    pub hrv: Hrv,
    /// Resting heart rate.
    pub resting: RestingHr,
    /// Sleep.
    pub sleep: SleepDay,
    /// Mean stress.
    pub stress: Reading,
    /// Highest body battery.
    pub body_battery: Reading,
    /// Body weight, kilograms.
    pub weight: Reading,
    /// Breaths per minute.
    pub respiration: Reading,
    /// The morning's recovery.
    pub recovery: MetricResult<Recovery>,
    /// Whether to ask about symptoms.
    pub illness: MetricResult<IllnessHint>,
    /// What the next day goes on from; `None` while the day is still open.
    pub state: Option<DayState>,
}

/// A complete day's training and what it led to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// The day's load.
    pub load: DayLoad,
    /// Fitness of the evening.
    pub fitness: f64,
    /// Fatigue of the evening.
    pub fatigue: f64,
    /// How far both can be leaned on.
    pub quality: Quality,
    /// How much of its final value fitness has reached, percent.
    pub settled_percent: u8,
    /// Change of fitness over seven days.
    pub ramp: MetricResult<Ramp>,
    /// How alike the last seven days were.
    pub monotony: MetricResult<Monotony>,
    /// The last week against the last month; a description.
    pub acute_chronic: AcuteChronic,
}

/// What carries over from a day to the next.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DayState {
    /// The day whose evening this is.
    pub day: Day,
    /// Fitness and fatigue.
    pub fitness: FitnessState,
    /// Exponentially weighted loads.
    pub weighted: EwmaLoads,
}

/// A history that cannot be walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// A day is missing, or the days are out of order.
    #[error("the days must follow each other without a gap; {0} is not followed by the next day")]
    Gap(Day),
    /// The days given do not reach back far enough before the first one to compute.
    #[error("recomputing needs {needed} days before the first one to compute, not {have}")]
    ShortContext {
        /// How many were given.
        have: usize,
        /// How many it takes.
        needed: usize,
    },
}

/// Every day from the first to the frontier. Days after the frontier are left out: nothing is known about them, and
/// nothing is not zero. Days within it on which nothing was done are given as [`DayInput::empty`]. The open day, if
/// there is one, has its morning (form, recovery, sleep) but no evening.
///
/// # Errors
/// When the days do not follow each other.
pub fn compute_days(
    inputs: &[DayInput<'_>],
    frontier: DataFrontier,
    settings: &DaySettings,
) -> Result<Vec<DayMetrics>, HistoryError> {
    compute_days_from_index(inputs, 0, FitnessState::START, EwmaLoads::START, frontier, settings)
}

/// The days after a stored state. `inputs` holds the [`CONTEXT_DAYS`] up to and including the state's day, or all
/// there were, and then the days to compute.
///
/// # Errors
/// When the days do not follow each other or begin too late.
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

/// The days' values by what they are, one entry per day.
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

    /// The signs of the day before the one with this index.
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
        let whole_day = |reading: Reading| if evening.is_some() { reading } else { reading.into_pending() };
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

    fn training(&self, i: usize, load: &DayLoad, evening: &DayState) -> Training {
        Training {
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
