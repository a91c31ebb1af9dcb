//! Compares a workout's steps with the recording.
//!
//! Laps show best where a step ended, because the watch or the athlete pressed the button. If they
//! do not match the steps (for example automatic kilometre laps), the recording is split by the
//! steps' own times and distances.

mod align;

use crate::domain::activity::Lap;
use crate::domain::stream::Recording;
use crate::domain::units::{Distance, Pace, Speed, TimeSpan};
use crate::plan::{Step, StepDuration, StepTarget, StepType, TargetRange};
use crate::string_enum::string_enum;
use serde::Serialize;

string_enum! {
    /// How steps were aligned with the recording.
    pub enum StepAlignment("step alignment") {
        Laps = "laps",
        /// By the steps' own times and distances.
        Recording = "recording",
    }
}

string_enum! {
    /// Result for a target. For a pace, `below` means slower.
    pub enum TargetResult("target result") {
        Within = "within",
        /// Slower or lower than the target.
        Below = "below",
        /// Faster or higher than the target.
        Above = "above",
    }
}

string_enum! {
    /// Why steps could not be compared.
    pub enum CompareStepsError("step comparison error") {
        /// The workout has no steps.
        NoSteps = "no_steps",
        /// There are neither laps nor a recording.
        NothingRecorded = "nothing_recorded",
        /// The laps do not fit the steps, and there is no recording.
        LapsDoNotFit = "laps_do_not_fit",
        /// An open step is followed by others, and no lap shows where it ended.
        OpenStep = "open_step",
        /// A step has a distance, but the recording has none.
        NoDistance = "no_distance",
    }
}

impl StepResult {
    /// Result with a symbol; empty without a target or a measurement.
    #[must_use]
    pub const fn target_label(&self) -> &'static str {
        match (self.actual, self.kept) {
            (None, _) => "not reached",
            (_, Some(TargetResult::Within)) => "✓ within",
            (_, Some(TargetResult::Below)) => "↓ below",
            (_, Some(TargetResult::Above)) => "↑ above",
            (_, None) => "",
        }
    }
}

impl CompareStepsError {
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::NoSteps => "the workout has no steps",
            Self::NothingRecorded => "the activity has no laps and no recording",
            Self::LapsDoNotFit => {
                "the laps do not match the steps, and there is no recording to compare with"
            }
            Self::OpenStep => "a step has no fixed length, and no lap shows where it ended",
            Self::NoDistance => "a step has a distance, but the recording has none",
        }
    }
}

/// Measured values of a step; `None` if not measured.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct StepActual {
    #[serde(rename = "duration_ms")]
    pub duration: Option<TimeSpan>,
    #[serde(rename = "distance_mm")]
    pub distance: Option<Distance>,
    /// Mean pace, seconds per kilometre.
    pub pace: Option<Pace>,
    /// Mean heart rate, beats per minute.
    pub heart_rate: Option<f64>,
    pub power: Option<f64>,
    /// Mean cadence, per minute.
    pub cadence: Option<f64>,
}

/// A step and its result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepResult {
    pub number: usize,
    pub step: Step,
    /// `None` if the workout ended before this step.
    pub actual: Option<StepActual>,
    /// `None` without a target, or if it was not measured.
    pub kept: Option<TargetResult>,
}

/// All steps of a workout and their results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepComparison {
    /// How the steps were aligned.
    pub aligned_by: StepAlignment,
    pub steps: Vec<StepResult>,
}

/// Maximum relative difference of a lap that matches a step.
const TOLERANCE: f64 = 0.15;
/// If there are as many laps as steps, half of them must be within this difference.
const LOOSE_TOLERANCE: f64 = 0.30;
/// A last lap below both is a button press at the end.
const MIN_LAST_LAP: (TimeSpan, Distance) = (TimeSpan::from_secs(15), Distance::from_mm(50_000));

/// Compares a workout's steps with laps or the recording.
pub fn compare_steps(
    steps: &[Step],
    laps: &[Lap],
    recording: Option<&Recording>,
) -> Result<StepComparison, CompareStepsError> {
    if steps.is_empty() {
        return Err(CompareStepsError::NoSteps);
    }
    let recording = recording.filter(|recording| recording.offsets_ms().len() > 1);
    let laps = match laps.split_last() {
        Some((last, rest)) if !rest.is_empty() && is_accidental_lap(last) => rest,
        _ => laps,
    };
    let (aligned_by, actual) = match (align_by_laps(steps, laps), recording) {
        (Some(actual), _) => (StepAlignment::Laps, actual),
        (None, Some(recording)) => (StepAlignment::Recording, align::align_by_recording(steps, recording)?),
        (None, None) if laps.is_empty() => return Err(CompareStepsError::NothingRecorded),
        (None, None) => return Err(CompareStepsError::LapsDoNotFit),
    };
    let result = |(index, (step, actual)): (usize, (&Step, Option<StepActual>))| StepResult {
        number: index + 1,
        step: step.clone(),
        actual,
        kept: actual.and_then(|actual| compare_with_target(step.target, &actual)),
    };
    let steps = steps.iter().zip(actual).enumerate().map(result).collect();
    Ok(StepComparison { aligned_by, steps })
}

fn is_accidental_lap(lap: &Lap) -> bool {
    lap.elapsed.or(lap.moving).unwrap_or_default() < MIN_LAST_LAP.0
        && lap.distance.unwrap_or_default() < MIN_LAST_LAP.1
}

/// One entry per step, or `None` if the laps do not match the steps.
fn align_by_laps(steps: &[Step], laps: &[Lap]) -> Option<Vec<Option<StepActual>>> {
    if laps.len() == steps.len() {
        let told: Vec<bool> = steps
            .iter()
            .zip(laps)
            .filter_map(|(step, lap)| {
                Some(relative_difference(step, std::slice::from_ref(lap))? <= LOOSE_TOLERANCE)
            })
            .collect();
        let fitting = told.iter().filter(|fits| **fits).count();
        if fitting * 2 >= told.len() {
            let actual =
                |(step, lap): (&Step, &Lap)| Some(combine_laps(std::slice::from_ref(lap), step.step_type));
            return Some(steps.iter().zip(laps).map(actual).collect());
        }
    }
    // A step can have several laps, for example automatic kilometre laps. Laps after the last step
    // are ignored.
    let mut left = laps;
    let mut actual = Vec::with_capacity(steps.len());
    for step in steps {
        let taken = if left.is_empty() { 0 } else { count_laps_of_step(step, left)? };
        let (these, rest) = left.split_at(taken);
        actual.push((taken > 0).then(|| combine_laps(these, step.step_type)));
        left = rest;
    }
    actual[0].is_some().then_some(actual)
}

/// Number of the next laps that make up a step: the closest match.
fn count_laps_of_step(step: &Step, laps: &[Lap]) -> Option<usize> {
    if measurable_duration(step).is_none() {
        return Some(1);
    }
    let off = |count: usize| Some((count, relative_difference(step, &laps[..count])?));
    let counts = (1..=laps.len().min(MAX_LAPS_PER_STEP)).filter_map(off);
    let close = counts.filter(|(_, off)| *off <= TOLERANCE);
    close.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(count, _)| count)
}

/// Limit that keeps recordings with thousands of laps cheap.
const MAX_LAPS_PER_STEP: usize = 60;

/// The step's length, if it is fixed and measurable.
fn measurable_duration(step: &Step) -> Option<StepDuration> {
    let real = |value: f64| value.is_finite() && value > 0.0;
    match step.duration {
        StepDuration::Time(value) | StepDuration::Distance(value) if real(value) => Some(step.duration),
        _ => None,
    }
}

/// Relative difference of laps from a step's length; `None` if unknown.
fn relative_difference(step: &Step, laps: &[Lap]) -> Option<f64> {
    let off = |done: f64, asked: f64| (done - asked).abs() / asked;
    match measurable_duration(step)? {
        StepDuration::Time(asked) => {
            // A watch may or may not include pauses.
            let times = [sum(laps, |lap| lap.elapsed), sum(laps, |lap| lap.moving)];
            times.into_iter().flatten().map(|time| off(time.seconds(), asked)).min_by(f64::total_cmp)
        }
        StepDuration::Distance(asked) => Some(off(sum(laps, |lap| lap.distance)?.meters(), asked)),
        StepDuration::Calories(_) | StepDuration::Open => None,
    }
}

/// Sum over laps, if all have the value.
fn sum<T: std::iter::Sum>(laps: &[Lap], of: impl Fn(&Lap) -> Option<T>) -> Option<T> {
    laps.iter().map(of).sum()
}

/// Combined values of several laps. Time and pace are of the moving time, like those of an
/// activity; a recovery may be spent standing, so its time is the elapsed time.
fn combine_laps(laps: &[Lap], step_type: StepType) -> StepActual {
    let elapsed = sum(laps, |lap| lap.elapsed.or(lap.moving));
    let distance = sum(laps, |lap| lap.distance);
    let moving =
        sum(laps, |lap| lap.moving.or(lap.elapsed)).filter(|time| *time > TimeSpan::ZERO).or(elapsed);
    let duration = match step_type {
        StepType::Recovery | StepType::Rest => elapsed,
        StepType::Warmup | StepType::Active | StepType::Cooldown => moving,
    };
    let mean = |of: &dyn Fn(&Lap) -> Option<f64>| {
        let weight = |lap: &Lap| lap.elapsed.or(lap.moving).map_or(0.0, TimeSpan::seconds).max(0.001);
        let known: Vec<(f64, f64)> = laps.iter().filter_map(|lap| Some((of(lap)?, weight(lap)))).collect();
        let whole: f64 = known.iter().map(|(_, weight)| weight).sum();
        (whole > 0.0).then(|| known.iter().map(|(value, weight)| value * weight).sum::<f64>() / whole)
    };
    StepActual {
        duration,
        distance,
        pace: pace(distance, moving),
        heart_rate: mean(&|lap| lap.avg_heart_rate.map(f64::from)),
        power: mean(&|lap| lap.avg_power.map(f64::from)),
        cadence: mean(&|lap| lap.avg_cadence).filter(|cadence| cadence.is_finite()),
    }
}

fn pace(distance: Option<Distance>, time: Option<TimeSpan>) -> Option<Pace> {
    Speed::from_distance_and_time(distance.filter(|distance| *distance > Distance::ZERO)?, time?)?.pace()
}

/// Compares in whole units, as displayed.
fn compare_with_target(target: StepTarget, actual: &StepActual) -> Option<TargetResult> {
    let compare = |range: TargetRange, value: f64| {
        let value = value.round();
        if range.low.is_some_and(|low| value < low.round()) {
            TargetResult::Below
        } else if range.high.is_some_and(|high| value > high.round()) {
            TargetResult::Above
        } else {
            TargetResult::Within
        }
    };
    let asked = |range: TargetRange| (range.low.is_some() || range.high.is_some()).then_some(range);
    match target {
        StepTarget::Open => None,
        StepTarget::HeartRate(range) => Some(compare(asked(range)?, actual.heart_rate?)),
        StepTarget::Power(range) => Some(compare(asked(range)?, actual.power?)),
        StepTarget::Cadence(range) => Some(compare(asked(range)?, actual.cadence?)),
        // More seconds per kilometre is slower.
        StepTarget::Pace(range) => Some(match compare(asked(range)?, actual.pace?.seconds_per_km()) {
            TargetResult::Below => TargetResult::Above,
            TargetResult::Above => TargetResult::Below,
            TargetResult::Within => TargetResult::Within,
        }),
    }
}

#[cfg(test)]
mod tests;
