//! The only file that decides a verdict.
//!
//! A verdict is a fact about the data, never about when somebody looked: [`grade`] has no clock, and can
//! have none, because this crate has none. It follows the seed's order line by line; `docs/guarantees.md`
//! lists every case with its test and every place where this goes further, with the reason.

use crate::calendar::Day;
use crate::frontier::{Frontier, Reach};
use crate::ids::WorkoutId;
use crate::observation::{Excuse, ExcusedDays};
use crate::plan::{PlannedWorkout, Workout};
use crate::sport::Sport;
use crate::units::{Distance, TimeSpan};
use crate::words::words;
use serde::Serialize;
use std::collections::BTreeMap;

words! {
    /// The six verdicts. The same words in the database, in JSON, in CSS and over MCP.
    pub enum Verdict("verdict") {
        /// Before the plan's first day: nothing was expected.
        NotStarted = "not_started",
        /// The data is not in yet. Never a failure.
        Pending = "pending",
        /// Nothing to hit, nothing to miss.
        Rest = "rest",
        /// The data is in, and nothing was done.
        Missed = "missed",
        /// Something was done, less than asked.
        Short = "short",
        /// At least nine tenths of what was asked.
        Hit = "hit",
    }
}

impl Verdict {
    /// Whether the athlete's training was judged: hit, short or missed.
    #[must_use]
    pub const fn is_judged(self) -> bool {
        matches!(self, Self::Hit | Self::Short | Self::Missed)
    }
}

/// What the grader goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// How much of what was asked makes a hit, in percent.
    pub hit_percent: i64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { hit_percent: 90 }
    }
}

/// A plan as far as grading is concerned.
#[derive(Debug, Clone, Copy)]
pub struct Schedule<'a> {
    /// The first day that counts.
    pub start: Day,
    /// In the order they are planned; the order within a day matters.
    pub workouts: &'a [PlannedWorkout],
}

/// What was done in one sport on one day. `None` is "not measured", not zero.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Done {
    /// How far.
    pub distance: Option<Distance>,
    /// How long.
    pub duration: Option<TimeSpan>,
    /// How much load.
    pub load: Option<f64>,
}

/// What was done, by local day and sport. A day and sport without an entry saw no activity.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DayTotals(BTreeMap<(Day, Sport), Done>);

impl DayTotals {
    /// Adds one activity.
    pub fn add(&mut self, day: Day, sport: Sport, done: Done) {
        let total = self.0.entry((day, sport)).or_default();
        fn sum<T: Copy + std::ops::Add<Output = T>>(a: Option<T>, b: Option<T>) -> Option<T> {
            match (a, b) {
                (Some(a), Some(b)) => Some(a + b),
                (a, b) => a.or(b),
            }
        }
        total.distance = sum(total.distance, done.distance);
        total.duration = sum(total.duration, done.duration);
        total.load = sum(total.load, done.load.filter(|load| load.is_finite()));
    }

    /// What was done in a sport on a day; `None` when there was no activity at all.
    #[must_use]
    pub fn done(&self, day: Day, sport: Sport) -> Option<Done> {
        self.0.get(&(day, sport)).copied()
    }
}

/// An amount of training in the measure a workout was judged by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "measure", content = "amount", rename_all = "snake_case")]
pub enum Amount {
    /// Millimetres.
    Distance(Distance),
    /// Milliseconds.
    Duration(TimeSpan),
    /// Thousandths of a load point.
    Load(i64),
}

/// A workout with its verdict and what it rests on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Graded {
    /// Which workout.
    pub workout: WorkoutId,
    /// The day it was planned for.
    pub day: Day,
    /// The verdict.
    pub verdict: Verdict,
    /// What was asked, in the measure it was judged by.
    pub planned: Option<Amount>,
    /// What was done, in the same measure; `None` when nothing was, or nothing is known.
    pub actual: Option<Amount>,
    /// Why the day is left out of adherence, if it is. The verdict stands.
    pub excused: Option<Excuse>,
}

/// Grades every workout of a plan against the data.
///
/// In the seed's order: before the start `not_started`; beyond the frontier `pending`; a rest day `rest`;
/// nothing done `missed`; nine tenths or more `hit`; else `short`. On the open day a hit is given at once
/// and anything else stays `pending`.
///
/// ```
/// use fitness_core::frontier::{Coverage, Frontier};
/// use fitness_core::grading::{DayTotals, Done, Rules, Schedule, Verdict, grade};
/// use fitness_core::ids::WorkoutId;
/// use fitness_core::plan::{PlannedWorkout, Workout, WorkoutKind};
/// use fitness_core::sport::Sport;
/// use fitness_core::units::Distance;
///
/// let run = |id, date: &str| PlannedWorkout {
///     id: WorkoutId::new(id),
///     workout: Workout {
///         sport: Sport::Running,
///         kind: WorkoutKind::Easy,
///         name: "Easy run".to_owned(),
///         distance: Distance::from_miles(9.0),
///         ..Workout::rest(date.parse().unwrap())
///     },
/// };
/// let workouts = [run(1, "2026-06-13"), run(2, "2026-06-14")];
/// let mut totals = DayTotals::default();
/// let done = Done { distance: Distance::from_miles(8.1), ..Done::default() };
/// totals.add("2026-06-13".parse().unwrap(), Sport::Running, done);
///
/// // The data reaches Saturday. What happened on Sunday is not known yet, so Sunday is not missed.
/// let frontier = Frontier::from_runs([Coverage::new(Some("2026-06-13".parse().unwrap()), None)]);
/// let plan = Schedule { start: "2026-06-08".parse().unwrap(), workouts: &workouts };
/// let graded = grade(plan, &totals, frontier, &Rules::default());
/// assert_eq!(graded[0].verdict, Verdict::Hit);
/// assert_eq!(graded[1].verdict, Verdict::Pending);
/// ```
#[must_use]
pub fn grade(plan: Schedule<'_>, totals: &DayTotals, frontier: Frontier, rules: &Rules) -> Vec<Graded> {
    let mut remaining: BTreeMap<(Day, Sport), Option<Done>> = BTreeMap::new();
    let mut sharing: BTreeMap<(Day, Sport), usize> = BTreeMap::new();
    for PlannedWorkout { workout, .. } in plan.workouts {
        *sharing.entry((workout.date, workout.sport)).or_default() += 1;
    }
    let mut graded = Vec::with_capacity(plan.workouts.len());
    for PlannedWorkout { id, workout } in plan.workouts {
        let key = (workout.date, workout.sport);
        let left = remaining.entry(key).or_insert_with(|| totals.done(key.0, key.1));
        let others = sharing.entry(key).or_default();
        *others = others.saturating_sub(1);
        let share = take_share(workout, left, *others == 0);
        let verdict = if workout.date < plan.start {
            Verdict::NotStarted
        } else {
            match (frontier.reach(workout.date), judge(workout, &share, rules)) {
                (Reach::Complete, verdict) | (Reach::Open, verdict @ Verdict::Hit) => verdict,
                (Reach::Open | Reach::Beyond, _) => Verdict::Pending,
            }
        };
        let known = frontier.reach(workout.date) != Reach::Beyond;
        graded.push(Graded {
            workout: *id,
            day: workout.date,
            verdict,
            planned: share.planned(),
            actual: share.actual().filter(|_| known),
            excused: None,
        });
    }
    graded
}

/// Marks the workouts on days the athlete was ill, injured or away. No verdict changes.
pub fn excuse(graded: &mut [Graded], days: &ExcusedDays) {
    for workout in graded {
        workout.excused = days.excuse(workout.day);
    }
}

/// How the judged workouts of a plan stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Tally {
    /// Workouts hit.
    pub hit: usize,
    /// Workouts done short.
    pub short: usize,
    /// Workouts missed.
    pub missed: usize,
    /// Judged workouts left out because the athlete was ill, injured or away.
    pub excused: usize,
}

impl Tally {
    /// Counts; what is not judged does not count, what is excused counts apart.
    #[must_use]
    pub fn of(graded: &[Graded]) -> Self {
        let mut tally = Self::default();
        for workout in graded.iter().filter(|w| w.verdict.is_judged()) {
            let count = match (workout.excused, workout.verdict) {
                (Some(_), _) => &mut tally.excused,
                (None, Verdict::Hit) => &mut tally.hit,
                (None, Verdict::Short) => &mut tally.short,
                (None, _) => &mut tally.missed,
            };
            *count += 1;
        }
        tally
    }
}

/// What a workout asked for and what of the day's total counts towards it.
enum Share {
    /// Nothing was done, or nothing is left after the workouts before it.
    Nothing { planned: Option<(Measure, i64)> },
    /// Done and asked for in the same measure.
    Measured { measure: Measure, planned: i64, actual: i64 },
    /// The workout names no measure: doing it at all is doing it.
    Unasked { actual: Option<(Measure, i64)> },
    /// Something was done, but not measured in what the workout asks for.
    Incomparable { planned: (Measure, i64) },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    Distance,
    Duration,
    Load,
}

impl Measure {
    /// Distance where there is one, else duration, else load.
    const IN_ORDER: [Self; 3] = [Self::Distance, Self::Duration, Self::Load];

    fn amount(self, units: i64) -> Amount {
        match self {
            Self::Distance => Amount::Distance(Distance::from_mm(units)),
            Self::Duration => Amount::Duration(TimeSpan::from_ms(units)),
            Self::Load => Amount::Load(units),
        }
    }

    /// What a workout asks for in this measure. Zero asks for nothing.
    fn planned(self, workout: &Workout) -> Option<i64> {
        match self {
            Self::Distance => workout.distance.map(Distance::mm),
            Self::Duration => workout.duration.map(TimeSpan::ms),
            Self::Load => workout.load.and_then(thousandths),
        }
        .filter(|units| *units > 0)
    }

    /// What was done in this measure. Zero is "not recorded", as the distance of a treadmill run often is.
    fn done(self, done: &Done) -> Option<i64> {
        match self {
            Self::Distance => done.distance.map(Distance::mm),
            Self::Duration => done.duration.map(TimeSpan::ms),
            Self::Load => done.load.and_then(thousandths),
        }
        .filter(|units| *units > 0)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "bounded just before")]
fn thousandths(load: f64) -> Option<i64> {
    (load.is_finite() && load.abs() < 1e12).then(|| (load * 1000.0).round() as i64)
}

/// Takes a workout's part of what is left of its day's total. Workouts of one sport and day share in
/// order: each but the last takes no more than it asked for, the last takes the rest. The measure follows
/// from the workout alone, so that more data can only improve a verdict.
fn take_share(workout: &Workout, left: &mut Option<Done>, last: bool) -> Share {
    let asked = Measure::IN_ORDER.into_iter().find_map(|m| m.planned(workout).map(|units| (m, units)));
    let Some(done) = *left else {
        return Share::Nothing { planned: asked };
    };
    // Until shown otherwise, this workout uses up all there is.
    *left = None;
    let Some((measure, planned)) = asked else {
        let actual = Measure::IN_ORDER.into_iter().find_map(|m| m.done(&done).map(|units| (m, units)));
        return Share::Unasked { actual };
    };
    let Some(available) = measure.done(&done) else {
        return Share::Incomparable { planned: (measure, planned) };
    };
    if last || available <= planned {
        return Share::Measured { measure, planned, actual: available };
    }
    *left = Some(without(done, planned, available));
    Share::Measured { measure, planned, actual: planned }
}

/// What remains of a total when `taken` of `available` is used up; every measure shrinks alike.
fn without(done: Done, taken: i64, available: i64) -> Done {
    let shrink = |units: i64| {
        let rest = i128::from(units) * i128::from(available - taken) / i128::from(available);
        i64::try_from(rest).expect("a part of an i64 is an i64")
    };
    Done {
        distance: done.distance.map(|d| Distance::from_mm(shrink(d.mm()))),
        duration: done.duration.map(|d| TimeSpan::from_ms(shrink(d.ms()))),
        load: done.load.map(|load| load * (available - taken) as f64 / available as f64),
    }
}

/// The verdict the data alone gives; the frontier decides whether it may be spoken.
fn judge(workout: &Workout, share: &Share, rules: &Rules) -> Verdict {
    if workout.is_rest() {
        return Verdict::Rest;
    }
    match share {
        Share::Nothing { .. } => Verdict::Missed,
        Share::Unasked { .. } => Verdict::Hit,
        Share::Incomparable { .. } => Verdict::Short,
        Share::Measured { planned, actual, .. } => {
            // Rounded down to a whole unit, so that 8.1 of 9 miles, both rounded to a millimetre, is a hit.
            let enough = i128::from(*planned) * i128::from(rules.hit_percent) / 100;
            if i128::from(*actual) >= enough { Verdict::Hit } else { Verdict::Short }
        }
    }
}

impl Share {
    fn planned(&self) -> Option<Amount> {
        match *self {
            Self::Nothing { planned } => planned.map(|(m, units)| m.amount(units)),
            Self::Incomparable { planned: (m, units) } => Some(m.amount(units)),
            Self::Measured { measure, planned, .. } => Some(measure.amount(planned)),
            Self::Unasked { .. } => None,
        }
    }

    fn actual(&self) -> Option<Amount> {
        match *self {
            Self::Measured { measure, actual, .. } => Some(measure.amount(actual)),
            Self::Unasked { actual } => actual.map(|(m, units)| m.amount(units)),
            Self::Nothing { .. } | Self::Incomparable { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests;
