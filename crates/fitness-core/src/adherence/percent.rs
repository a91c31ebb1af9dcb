//! Adherence percentage.

use crate::adherence::grade::{Amount, GradedWorkout, Verdict};
use crate::domain::units::TimeSpan;
use crate::plan::{PlannedWorkout, Workout};
use crate::string_enum::string_enum;
use serde::Serialize;

string_enum! {
    /// How workouts are weighted in the percentage.
    pub enum WeightBasis("workout weight") {
        /// By planned distance: all workouts are graded by distance.
        Distance = "distance",
        /// By planned time: all are graded by time, or by different measures and all have a time.
        Duration = "duration",
        /// By planned load, likewise.
        Load = "load",
        /// Equally: no measure is known for all of them.
        Count = "count",
    }
}

/// Adherence over the graded workouts without an absence.
///
/// Each workout counts by its completed share, at most 100 %, in the measure it is graded by: more
/// on one day does not make up for another. If all use one measure, this is the sum of min(done,
/// planned) over the sum of planned. Otherwise the shares are weighted by planned time if all have
/// one, else by planned load if all have one, else equally.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Adherence {
    /// 0 to 100, rounded down, so that 100 means everything; `None` if nothing is graded.
    pub percent: Option<u8>,
    /// Number of workouts counted.
    pub counted: usize,
    /// Number of graded workouts excluded by an absence.
    pub excused: usize,
    /// Number of workouts excluded because they were not measured in the planned measure.
    pub unmeasured: usize,
    /// `None` if nothing is graded.
    pub weighed_by: Option<WeightBasis>,
}

/// A workout's completed and planned amount.
struct WorkoutShare<'a> {
    workout: &'a Workout,
    measure: WeightBasis,
    actual: i64,
    planned: i64,
}

const MILLION: i128 = 1_000_000;

impl Adherence {
    /// Computes adherence from workouts and their verdicts.
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

/// `None` if something was done but not measured.
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

/// The value of each workout, if all have one.
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
