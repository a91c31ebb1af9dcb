//! Adherence in percent.

use crate::adherence::grade::{Amount, GradedWorkout, Verdict};
use crate::domain::units::TimeSpan;
use crate::plan::{PlannedWorkout, Workout};
use crate::string_enum::string_enum;
use serde::Serialize;

string_enum! {
    /// What a workout weighs in the percentage.
    pub enum WeightBasis("weight of a workout") {
        /// Its planned distance: every workout was judged by distance.
        Distance = "distance",
        /// Its planned time: every workout was judged by it, or they were judged by different measures and all have one.
        Duration = "duration",
        /// Its planned load, likewise.
        Load = "load",
        /// All weigh the same: nothing is known of all of them.
        Count = "count",
    }
}

/// How much of what was asked was done, over the workouts that were judged and not excused.
///
/// Of each workout counts the part that was done, at most all of it, in the measure it was judged by: more on one day
/// makes up for nothing on another. Where all were judged by one measure that is the sum of min(done, asked) over the
/// sum of asked. Where the measures differ, each workout's part is weighed by its planned time where all have one, else by
/// its planned load where all have one, else all weigh the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Adherence {
    /// 0 to 100, rounded down, so that 100 means all of it; `None` when nothing was judged.
    pub percent: Option<u8>,
    /// How many workouts that is about.
    pub counted: usize,
    /// How many judged ones are left out because the athlete was ill, injured or away.
    pub excused: usize,
    /// How many are left out because what was done was not measured in what was asked.
    pub unmeasured: usize,
    /// What they were weighed by; `None` when nothing was judged.
    pub weighed_by: Option<WeightBasis>,
}

/// A workout's part: this many of so many units.
struct WorkoutShare<'a> {
    workout: &'a Workout,
    measure: WeightBasis,
    actual: i64,
    planned: i64,
}

const MILLION: i128 = 1_000_000;

impl Adherence {
    /// Counts workouts with their verdicts.
    pub fn from_graded<'a>(
        graded: impl IntoIterator<Item = (&'a PlannedWorkout, &'a GradedWorkout)>,
    ) -> Self {
        let mut adherence = Self::default();
        let mut parts = Vec::new();
        for (planned, graded) in graded.into_iter().filter(|(_, graded)| graded.verdict.is_graded()) {
            if graded.excused.is_some() {
                adherence.excused += 1;
            } else if let Some(part) = workout_share(&planned.workout, graded) {
                parts.push(part);
            } else {
                adherence.unmeasured += 1;
            }
        }
        adherence.counted = parts.len();
        if let Some((percent, by)) = weighted_percent(&parts) {
            adherence.percent = Some(percent);
            adherence.weighed_by = Some(by);
        }
        adherence
    }
}

/// `None` when something was done of which nobody knows how much.
fn workout_share<'a>(workout: &'a Workout, graded: &GradedWorkout) -> Option<WorkoutShare<'a>> {
    let missed = graded.verdict == Verdict::Missed;
    let Some(asked) = graded.planned else {
        return Some(WorkoutShare {
            workout,
            measure: WeightBasis::Count,
            actual: i64::from(!missed),
            planned: 1,
        });
    };
    let measure = match asked {
        Amount::Distance(_) => WeightBasis::Distance,
        Amount::Duration(_) => WeightBasis::Duration,
        Amount::Load(_) => WeightBasis::Load,
    };
    let done = if missed { 0 } else { graded.actual?.value() };
    let asked = asked.value();
    (asked > 0).then(|| WorkoutShare { workout, measure, actual: done.clamp(0, asked), planned: asked })
}

fn weighted_percent(parts: &[WorkoutShare<'_>]) -> Option<(u8, WeightBasis)> {
    let first = parts.first()?.measure;
    let (by, weights): (WeightBasis, Vec<i64>) = if parts.iter().all(|part| part.measure == first) {
        let done: i128 = parts.iter().map(|part| i128::from(part.actual)).sum();
        let asked: i128 = parts.iter().map(|part| i128::from(part.planned)).sum();
        return Some((percent(done, asked), first));
    } else if let Some(times) = collect_all(parts, |w| w.duration.map(TimeSpan::ms)) {
        (WeightBasis::Duration, times)
    } else if let Some(loads) = collect_all(parts, |w| w.load.and_then(thousandths)) {
        (WeightBasis::Load, loads)
    } else {
        (WeightBasis::Count, vec![1; parts.len()])
    };
    let weighed = parts.iter().zip(&weights).map(|(part, weight)| {
        i128::from(*weight) * (i128::from(part.actual) * MILLION / i128::from(part.planned))
    });
    let whole: i128 = weights.iter().map(|weight| i128::from(*weight)).sum();
    Some((percent(weighed.sum(), whole * MILLION), by))
}

/// What all workouts have, when all do.
fn collect_all(parts: &[WorkoutShare<'_>], of: impl Fn(&Workout) -> Option<i64>) -> Option<Vec<i64>> {
    parts.iter().map(|part| of(part.workout).filter(|units| *units > 0)).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a workout's load is at most 500, and bounded just before"
)]
fn thousandths(load: f64) -> Option<i64> {
    (0.0..1e9).contains(&load).then(|| (load * 1000.0).round() as i64)
}

fn percent(done: i128, asked: i128) -> u8 {
    u8::try_from((done * 100 / asked.max(1)).clamp(0, 100)).expect("0 to 100 is a u8")
}
