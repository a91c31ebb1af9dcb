//! Makes a workout shorter or longer, for manual edits, rules and models alike.
//!
//! Repetitions keep their length and get fewer; warm-up and cool-down take up the rest, so that the
//! steps add up to the workout. Names that contain a count or length are updated.

mod name;

use super::{
    DURATION_MINUTES, LOAD_RANGE, MAX_DISTANCE, MAX_STEP_CALORIES, MAX_STEP_METERS, MAX_STEP_SECONDS, Size,
};
use super::{Step, StepDuration, StepTarget, StepType, Workout};
use crate::domain::units::{Distance, TimeSpan};
pub(crate) use name::{mentions_repetitions, plain_name};

/// Seconds per kilometre for a step without a pace; used only for shares of one workout.
const DEFAULT_PACE: f64 = 360.0;
/// A single hard step up to this many seconds is a repetition and keeps its length; a longer one is
/// the main part and shrinks with the workout.
const MAX_REPETITION_SECONDS: f64 = 600.0;
/// Minimum share of warm-up and cool-down before repetitions are shortened too.
const MIN_WARMUP_SHARE: f64 = 0.3;

impl Workout {
    /// Scales distance, time and load in proportion, and keeps as many repetitions as fit.
    #[must_use]
    pub fn resized(&self, to: Size) -> Self {
        let share = match (to, self.distance, self.duration) {
            (Size::Distance(to), Some(old), _) if old > Distance::ZERO => to.mm() as f64 / old.mm() as f64,
            (Size::Duration(to), _, Some(old)) if old > TimeSpan::ZERO => to.ms() as f64 / old.ms() as f64,
            _ => return self.resized_in_other_unit(to),
        };
        // The same size changes nothing, not even by rounding.
        if share == 1.0 {
            return self.clone();
        }
        let distance =
            |old: Distance| Distance::from_meters(old.meters() * share).filter(|far| *far <= MAX_DISTANCE);
        let duration = |old: TimeSpan| {
            let minutes = (old.seconds() * share / 60.0).round();
            let possible =
                (*DURATION_MINUTES.start() as f64..=*DURATION_MINUTES.end() as f64).contains(&minutes);
            TimeSpan::from_seconds(minutes * 60.0).filter(|_| possible)
        };
        let (distance, duration) = match to {
            Size::Distance(to) => (Some(to), self.duration.and_then(duration)),
            Size::Duration(to) => (self.distance.and_then(distance), Some(to)),
        };
        // Values out of bounds become unknown.
        let load = self.load.map(|load| (load * share).round()).filter(|load| LOAD_RANGE.contains(load));
        let new = Self { distance, duration, load, steps: resized_steps(&self.steps, share), ..self.clone() };
        new.update_text_after_resize(self, share)
    }

    /// Sets a size in a measure that the workout does not have: the other measure is dropped. With
    /// several steps, they give the approximate share.
    fn resized_in_other_unit(&self, to: Size) -> Self {
        let (distance, duration) = match to {
            Size::Distance(to) => (Some(to), None),
            Size::Duration(to) => (None, Some(to)),
        };
        let bare = Self { distance, duration, load: None, ..self.clone() };
        let (seconds, meters) = self.steps.iter().fold((0.0, 0.0), |(seconds, meters), step| {
            (seconds + step.estimated_seconds(), meters + step.estimated_meters())
        });
        let share = match to {
            Size::Distance(to) => to.meters() / meters,
            Size::Duration(to) => to.seconds() / seconds,
        };
        if self.steps.len() > 1 && share.is_finite() && share > 0.0 {
            let steps = resized_steps(&self.steps, share);
            return Self { steps, ..bare }.update_text_after_resize(self, share);
        }
        Self { steps: bare.as_single_step(), ..bare }.update_text_after_resize(self, f64::NAN)
    }

    /// The whole workout as one step: by time, else by distance, else open.
    pub(crate) fn as_single_step(&self) -> Vec<Step> {
        if self.is_rest() {
            return Vec::new();
        }
        let duration = match (self.duration, self.distance) {
            (Some(time), _) if time > TimeSpan::ZERO => StepDuration::Time(time.seconds()),
            (_, Some(distance)) if distance > Distance::ZERO => StepDuration::Distance(distance.meters()),
            _ => StepDuration::Open,
        };
        let notes = self.intensity.clone();
        vec![Step {
            step_type: StepType::Active,
            duration,
            target: StepTarget::Open,
            max_heart_rate: None,
            notes,
        }]
    }
}

impl Step {
    fn pace_or_default(&self) -> f64 {
        let middle = match self.target {
            StepTarget::Pace(range) => match (range.low, range.high) {
                (Some(low), Some(high)) => f64::midpoint(low, high),
                (low, high) => low.or(high).unwrap_or(DEFAULT_PACE),
            },
            _ => DEFAULT_PACE,
        };
        if middle > 0.0 { middle } else { DEFAULT_PACE }
    }

    fn estimated_seconds(&self) -> f64 {
        match self.duration {
            StepDuration::Time(seconds) => seconds,
            StepDuration::Distance(meters) => meters / 1000.0 * self.pace_or_default(),
            StepDuration::Calories(_) | StepDuration::Open => 0.0,
        }
    }

    fn estimated_meters(&self) -> f64 {
        match self.duration {
            StepDuration::Time(seconds) => seconds / self.pace_or_default() * 1000.0,
            StepDuration::Distance(meters) => meters,
            StepDuration::Calories(_) | StepDuration::Open => 0.0,
        }
    }

    /// Scales a step, rounded to lengths that people use.
    fn scaled(&self, share: f64) -> Self {
        let near =
            |value: f64, unit: f64, most: f64| ((value * share / unit).round().max(1.0) * unit).min(most);
        let duration = match self.duration {
            StepDuration::Time(s) => {
                StepDuration::Time(near(s, if s * share >= 300.0 { 60.0 } else { 10.0 }, MAX_STEP_SECONDS))
            }
            StepDuration::Distance(m) => StepDuration::Distance(near(m, 100.0, MAX_STEP_METERS)),
            StepDuration::Calories(c) => StepDuration::Calories(near(c, 1.0, MAX_STEP_CALORIES)),
            StepDuration::Open => StepDuration::Open,
        };
        Self { duration, ..self.clone() }
    }
}

/// Which steps are repetitions: active steps, except one that is longer than all others together,
/// such as the run before strides.
fn repetition_flags(steps: &[Step]) -> Vec<bool> {
    let work = |step: &Step| step.step_type == StepType::Active;
    let all: f64 = steps.iter().filter(|step| work(step)).map(Step::estimated_seconds).sum();
    let main = |step: &Step| step.estimated_seconds() > all / 2.0;
    let marked: Vec<bool> = steps.iter().map(|step| work(step) && !main(step)).collect();
    // Two active steps, one of them longer, are both repetitions.
    if marked.iter().filter(|rep| **rep).count() > 1 { marked } else { steps.iter().map(work).collect() }
}

pub(super) fn count_repetitions(steps: &[Step]) -> usize {
    repetition_flags(steps).into_iter().filter(|rep| *rep).count()
}

/// Repetitions that fit into a share: at least one, and never more than before.
pub(super) fn scale_repetitions(count: usize, share: f64) -> usize {
    if share < 1.0 { ((count as f64 * share + 1e-9).floor() as usize).max(1) } else { count }
}

/// Steps of a workout scaled by a share.
fn resized_steps(steps: &[Step], share: f64) -> Vec<Step> {
    let is_rep = repetition_flags(steps);
    let count = is_rep.iter().filter(|rep| **rep).count();
    let hard = steps
        .iter()
        .zip(&is_rep)
        .filter(|(_, rep)| **rep)
        .map(|(step, _)| step.estimated_seconds())
        .sum::<f64>();
    let single = count == 1 && steps.len() > 1 && hard > 0.0 && hard <= MAX_REPETITION_SECONDS;
    if count <= 1 && !single {
        return steps.iter().map(|step| step.scaled(share)).collect();
    }
    let kept = scale_repetitions(count, share);
    let mut seen = 0;
    let mut left: Vec<(&Step, bool)> = Vec::new();
    for (step, rep) in steps.iter().zip(&is_rep) {
        seen += usize::from(*rep);
        let pause = matches!(step.step_type, StepType::Recovery | StepType::Rest);
        // Recovery is kept only between repetitions that are kept.
        let stays = if *rep { seen <= kept } else { !pause || seen == 0 || seen < kept || kept == count };
        if stays {
            left.push((step, *rep || pause));
        }
    }
    let seconds = |fixed: bool| -> f64 {
        left.iter().filter(|(_, firm)| *firm == fixed).map(|(step, _)| step.estimated_seconds()).sum()
    };
    let (hard, way) = (seconds(true), seconds(false));
    let whole: f64 = steps.iter().map(Step::estimated_seconds).sum::<f64>() * share;
    let rest = if way > 0.0 { (whole - hard) / way } else { share };
    if kept == 1 && rest < share.min(MIN_WARMUP_SHARE) {
        // Not even one repetition fits: scale everything.
        let fit = if hard + way > 0.0 { whole / (hard + way) } else { share };
        return left.into_iter().map(|(step, _)| step.scaled(fit)).collect();
    }
    let rest = rest.max(share.min(MIN_WARMUP_SHARE));
    left.into_iter().map(|(step, firm)| if firm { step.clone() } else { step.scaled(rest) }).collect()
}

#[cfg(test)]
mod tests;
