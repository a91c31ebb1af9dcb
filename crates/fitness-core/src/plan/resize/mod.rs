//! The same session, shorter or longer, whoever asks for it: by hand, by the rules or by a model.
//!
//! Hard stretches keep their length, there are fewer of them; the way in and out takes up the rest, so that the steps
//! come to what the workout says. Words that count repetitions, or say how long it is, follow.

mod name;

use super::{
    DURATION_MINUTES, LOAD_RANGE, MAX_DISTANCE, MAX_STEP_CALORIES, MAX_STEP_METERS, MAX_STEP_SECONDS, Size,
};
use super::{Step, StepDuration, StepTarget, StepType, Workout};
use crate::domain::units::{Distance, TimeSpan};
pub(crate) use name::{mentions_repetitions, plain_name};

/// Seconds per kilometre where a step says nothing of its pace. Only shares of one session follow from it.
const DEFAULT_PACE: f64 = 360.0;
/// Seconds of a single hard stretch up to which it is a repetition, which keeps its length; a longer one is what the
/// session is about, and shrinks with it.
const MAX_REPETITION_SECONDS: f64 = 600.0;
/// The least that is left of the way in and out before hard stretches become shorter as well.
const MIN_WARMUP_SHARE: f64 = 0.3;

impl Workout {
    /// The same session, shorter or longer: distance, time and load in proportion, and as many repetitions as fit.
    #[must_use]
    pub fn resized(&self, to: Size) -> Self {
        let share = match (to, self.distance, self.duration) {
            (Size::Distance(to), Some(old), _) if old > Distance::ZERO => to.mm() as f64 / old.mm() as f64,
            (Size::Duration(to), _, Some(old)) if old > TimeSpan::ZERO => to.ms() as f64 / old.ms() as f64,
            _ => return self.resized_in_other_unit(to),
        };
        // The same again is the same: nothing is rounded once more.
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
        // What would be beyond the bounds is not known.
        let load = self.load.map(|load| (load * share).round()).filter(|load| LOAD_RANGE.contains(load));
        let new = Self { distance, duration, load, steps: resized_steps(&self.steps, share), ..self.clone() };
        new.update_text_after_resize(self, share)
    }

    /// The same session in a measure it says nothing in: the other is dropped, so that nothing contradicts. Where there
    /// are several steps, they say about how much of it that is.
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

    /// The whole session as one step: by time, else by distance, else until the athlete ends it.
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
        vec![Step { step_type: StepType::Active, duration, target: StepTarget::Open, notes }]
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

    /// A share of it, in lengths that people say.
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

/// Which steps are repetitions: the active ones, without a run that is longer than all the others together, such as the
/// one before strides.
fn repetition_flags(steps: &[Step]) -> Vec<bool> {
    let work = |step: &Step| step.step_type == StepType::Active;
    let all: f64 = steps.iter().filter(|step| work(step)).map(Step::estimated_seconds).sum();
    let main = |step: &Step| step.estimated_seconds() > all / 2.0;
    let marked: Vec<bool> = steps.iter().map(|step| work(step) && !main(step)).collect();
    // Two stretches of which one is longer are a session of two stretches.
    if marked.iter().filter(|rep| **rep).count() > 1 { marked } else { steps.iter().map(work).collect() }
}

/// How many repetitions there are.
pub(super) fn count_repetitions(steps: &[Step]) -> usize {
    repetition_flags(steps).into_iter().filter(|rep| *rep).count()
}

/// As many of so many repetitions as fit into a share: at least one, and never more than there were.
pub(super) fn scale_repetitions(count: usize, share: f64) -> usize {
    if share < 1.0 { ((count as f64 * share + 1e-9).floor() as usize).max(1) } else { count }
}

/// The steps of a session that is a share of what it was.
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
        // A pause lies between two stretches that are still there.
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
        // Not even one fits: all of it shrinks.
        let fit = if hard + way > 0.0 { whole / (hard + way) } else { share };
        return left.into_iter().map(|(step, _)| step.scaled(fit)).collect();
    }
    let rest = rest.max(share.min(MIN_WARMUP_SHARE));
    left.into_iter().map(|(step, firm)| if firm { step.clone() } else { step.scaled(rest) }).collect()
}

#[cfg(test)]
mod tests;
