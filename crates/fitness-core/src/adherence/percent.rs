//! Adherence in percent.

use crate::adherence::grade::{Amount, Graded, Verdict};
use crate::domain::units::TimeSpan;
use crate::plan::{PlannedWorkout, Workout};
use crate::string_enum::string_enum;
use serde::Serialize;

string_enum! {
    /// What a workout weighs in the percentage.
    pub enum WeighedBy("weight of a workout") {
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
    pub weighed_by: Option<WeighedBy>,
}

/// A workout's part: this many of so many units.
struct Part<'a> {
    workout: &'a Workout,
    measure: WeighedBy,
    done: i64,
    asked: i64,
}

const MILLION: i128 = 1_000_000;

impl Adherence {
    /// Counts workouts with their verdicts.
    pub fn of<'a>(graded: impl IntoIterator<Item = (&'a PlannedWorkout, &'a Graded)>) -> Self {
        let mut adherence = Self::default();
        let mut parts = Vec::new();
        for (planned, graded) in graded.into_iter().filter(|(_, graded)| graded.verdict.is_judged()) {
            if graded.excused.is_some() {
                adherence.excused += 1;
            } else if let Some(part) = part(&planned.workout, graded) {
                parts.push(part);
            } else {
                adherence.unmeasured += 1;
            }
        }
        adherence.counted = parts.len();
        if let Some((percent, by)) = weigh(&parts) {
            adherence.percent = Some(percent);
            adherence.weighed_by = Some(by);
        }
        adherence
    }
}

/// `None` when something was done of which nobody knows how much.
fn part<'a>(workout: &'a Workout, graded: &Graded) -> Option<Part<'a>> {
    let missed = graded.verdict == Verdict::Missed;
    let Some(asked) = graded.planned else {
        return Some(Part { workout, measure: WeighedBy::Count, done: i64::from(!missed), asked: 1 });
    };
    let measure = match asked {
        Amount::Distance(_) => WeighedBy::Distance,
        Amount::Duration(_) => WeighedBy::Duration,
        Amount::Load(_) => WeighedBy::Load,
    };
    let done = if missed { 0 } else { graded.actual?.units() };
    let asked = asked.units();
    (asked > 0).then(|| Part { workout, measure, done: done.clamp(0, asked), asked })
}

fn weigh(parts: &[Part<'_>]) -> Option<(u8, WeighedBy)> {
    let first = parts.first()?.measure;
    let (by, weights): (WeighedBy, Vec<i64>) = if parts.iter().all(|part| part.measure == first) {
        let done: i128 = parts.iter().map(|part| i128::from(part.done)).sum();
        let asked: i128 = parts.iter().map(|part| i128::from(part.asked)).sum();
        return Some((percent(done, asked), first));
    } else if let Some(times) = all(parts, |w| w.duration.map(TimeSpan::ms)) {
        (WeighedBy::Duration, times)
    } else if let Some(loads) = all(parts, |w| w.load.and_then(thousandths)) {
        (WeighedBy::Load, loads)
    } else {
        (WeighedBy::Count, vec![1; parts.len()])
    };
    let weighed = parts.iter().zip(&weights).map(|(part, weight)| {
        i128::from(*weight) * (i128::from(part.done) * MILLION / i128::from(part.asked))
    });
    let whole: i128 = weights.iter().map(|weight| i128::from(*weight)).sum();
    Some((percent(weighed.sum(), whole * MILLION), by))
}

/// What all workouts have, when all do.
fn all(parts: &[Part<'_>], of: impl Fn(&Workout) -> Option<i64>) -> Option<Vec<i64>> {
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
