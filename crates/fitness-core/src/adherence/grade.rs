//! The only file that decides a verdict.
//!
//! A verdict is a fact about the data, never about when somebody looked: [`grade`] has no clock, and can
//! have none, because this crate has none. It follows the seed's order line by line; `docs/guarantees.md`
//! lists every case with its test and every place where this goes further, with the reason.

use crate::adherence::data_frontier::{DataFrontier, DayCoverage};
use crate::domain::calendar::Day;
use crate::domain::ids::WorkoutId;
use crate::domain::observation::{AbsenceDays, AbsenceReason};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::plan::{PlannedWorkout, Workout};
use crate::string_enum::string_enum;
use serde::Serialize;
use std::collections::BTreeMap;

string_enum! {
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
    pub const fn is_graded(self) -> bool {
        matches!(self, Self::Hit | Self::Short | Self::Missed)
    }
}

/// What the grader goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GradingRules {
    /// How much of what was asked makes a hit, in percent.
    pub hit_percent: i64,
}

impl Default for GradingRules {
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
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct ActualAmounts {
    /// How far.
    #[serde(rename = "distance_mm")]
    pub distance: Option<Distance>,
    /// How long.
    #[serde(rename = "duration_ms")]
    pub duration: Option<TimeSpan>,
    /// How much load.
    pub load: Option<f64>,
}

/// What was done, by local day and sport. A day and sport without an entry saw no activity.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DayTotals(BTreeMap<(Day, Sport), ActualAmounts>);

impl DayTotals {
    /// Adds one activity.
    pub fn add(&mut self, day: Day, sport: Sport, done: ActualAmounts) {
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
    pub fn get(&self, day: Day, sport: Sport) -> Option<ActualAmounts> {
        self.0.get(&(day, sport)).copied()
    }
}

/// An amount of training in the measure a workout was judged by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub enum Amount {
    /// Millimetres.
    #[serde(rename = "distance_mm")]
    Distance(Distance),
    /// Milliseconds.
    #[serde(rename = "duration_ms")]
    Duration(TimeSpan),
    /// Thousandths of a load point.
    #[serde(rename = "load_thousandths")]
    Load(i64),
}

impl Amount {
    /// As an athlete reads it: `8.2 km`, `50 min`, `load 48`.
    #[must_use]
    pub fn format(self, units: UnitSystem) -> String {
        match self {
            Self::Distance(distance) => units.format_distance(distance).to_string(),
            Self::Duration(time) => time.format_hours_minutes(),
            Self::Load(thousandths) => format!("load {:.0}", thousandths as f64 / 1000.0),
        }
    }

    /// The bare number: millimetres, milliseconds or thousandths of a load point.
    #[must_use]
    pub const fn value(self) -> i64 {
        match self {
            Self::Distance(distance) => distance.mm(),
            Self::Duration(time) => time.ms(),
            Self::Load(thousandths) => thousandths,
        }
    }
}

/// A workout with its verdict and what it rests on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GradedWorkout {
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
    pub excused: Option<AbsenceReason>,
}

/// Grades every workout of a plan against the data.
///
/// In the seed's order: before the start `not_started`; beyond the frontier `pending`; a rest day `rest`;
/// nothing done `missed`; nine tenths or more `hit`; else `short`. On the open day a hit is given at once
/// and anything else stays `pending`.
///
/// ```
/// use fitness_core::adherence::data_frontier::{Coverage, Frontier};
/// use fitness_core::adherence::grade::{DayTotals, Done, Rules, Schedule, Verdict, grade};
/// use fitness_core::domain::ids::WorkoutId;
/// use fitness_core::plan::{PlannedWorkout, Workout, WorkoutKind};
/// use fitness_core::domain::sport::Sport;
/// use fitness_core::domain::units::Distance;
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
pub fn grade(
    plan: Schedule<'_>,
    totals: &DayTotals,
    frontier: DataFrontier,
    rules: &GradingRules,
) -> Vec<GradedWorkout> {
    let mut remaining: BTreeMap<(Day, Sport), Remaining> = BTreeMap::new();
    let mut sharing: BTreeMap<(Day, Sport), usize> = BTreeMap::new();
    for PlannedWorkout { workout, .. } in
        plan.workouts.iter().filter(|w| planned_amount(&w.workout).is_some())
    {
        *sharing.entry((workout.date, workout.sport)).or_default() += 1;
    }
    let mut graded = Vec::with_capacity(plan.workouts.len());
    for PlannedWorkout { id, workout } in plan.workouts {
        let key = (workout.date, workout.sport);
        let total = totals.get(key.0, key.1);
        let left =
            remaining.entry(key).or_insert_with(|| total.map_or(Remaining::Nothing, Remaining::Measured));
        let share = match planned_amount(workout) {
            Some(asked) => {
                let others = sharing.entry(key).or_default();
                *others = others.saturating_sub(1);
                take_share(asked, left, *others == 0)
            }
            None => Share::NoTarget { done: total.is_some() },
        };
        let verdict = if workout.date < plan.start {
            Verdict::NotStarted
        } else {
            match (frontier.day_coverage(workout.date), decide_verdict(workout, &share, rules)) {
                (DayCoverage::Complete, verdict) | (DayCoverage::Open, verdict @ Verdict::Hit) => verdict,
                (DayCoverage::Open | DayCoverage::Beyond, _) => Verdict::Pending,
            }
        };
        let known = frontier.day_coverage(workout.date) != DayCoverage::Beyond;
        graded.push(GradedWorkout {
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
pub fn apply_absences(graded: &mut [GradedWorkout], days: &AbsenceDays) {
    for workout in graded {
        workout.excused = days.reason(workout.day);
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
    pub fn from_graded(graded: &[GradedWorkout]) -> Self {
        let mut tally = Self::default();
        for workout in graded.iter().filter(|w| w.verdict.is_graded()) {
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
    Nothing { asked: PlannedAmount },
    /// Done, and measured in what the workout asks for.
    Measured { asked: PlannedAmount, actual: i64 },
    /// Something was done, but not measured in what the workout asks for.
    Incomparable { asked: PlannedAmount },
    /// The workout asks for no amount: doing anything in its sport that day is doing it.
    NoTarget { done: bool },
}

/// What is left of a day's total for the workouts still to come.
enum Remaining {
    /// This much.
    Measured(ActualAmounts),
    /// Something was done, but how much of it is left cannot be told.
    UnmeasuredActivity,
    /// Nothing.
    Nothing,
}

/// An amount in the measure a workout is judged by.
#[derive(Clone, Copy)]
pub(crate) struct PlannedAmount {
    pub(crate) measure: Measure,
    pub(crate) value: i64,
}

/// What a workout asks for: distance where it has one, else duration, else load. It follows from the workout
/// alone, so that more data can only improve a verdict.
pub(crate) fn planned_amount(workout: &Workout) -> Option<PlannedAmount> {
    let in_order = [Measure::Distance, Measure::Duration, Measure::Load];
    in_order
        .into_iter()
        .find_map(|measure| measure.planned(workout).map(|units| PlannedAmount { measure, value: units }))
}

/// What a workout can be judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    Distance,
    Duration,
    Load,
}

impl Measure {
    pub(crate) fn amount(self, units: i64) -> Amount {
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
    pub(crate) fn actual(self, done: &ActualAmounts) -> Option<i64> {
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
/// order: each but the last takes no more than it asked for, the last takes the rest.
fn take_share(asked: PlannedAmount, left: &mut Remaining, last: bool) -> Share {
    let Remaining::Measured(done) = *left else {
        return if matches!(left, Remaining::Nothing) {
            Share::Nothing { asked }
        } else {
            Share::Incomparable { asked }
        };
    };
    let Some(available) = asked.measure.actual(&done) else {
        *left = Remaining::UnmeasuredActivity;
        return Share::Incomparable { asked };
    };
    if last || available <= asked.value {
        *left = Remaining::Nothing;
        return Share::Measured { asked, actual: available };
    }
    *left = Remaining::Measured(subtract_share(done, asked.value, available));
    Share::Measured { asked, actual: asked.value }
}

/// What remains of a total when `taken` of `available` is used up; every measure shrinks alike.
pub(crate) fn subtract_share(done: ActualAmounts, taken: i64, available: i64) -> ActualAmounts {
    let shrink = |units: i64| {
        let rest = i128::from(units) * i128::from(available - taken) / i128::from(available);
        i64::try_from(rest).expect("a part of an i64 is an i64")
    };
    ActualAmounts {
        distance: done.distance.map(|d| Distance::from_mm(shrink(d.mm()))),
        duration: done.duration.map(|d| TimeSpan::from_ms(shrink(d.ms()))),
        load: done.load.map(|load| load * (available - taken) as f64 / available as f64),
    }
}

/// The verdict the data alone gives; the frontier decides whether it may be spoken.
fn decide_verdict(workout: &Workout, share: &Share, rules: &GradingRules) -> Verdict {
    if workout.is_rest() {
        return Verdict::Rest;
    }
    match *share {
        Share::Nothing { .. } | Share::NoTarget { done: false } => Verdict::Missed,
        Share::NoTarget { done: true } => Verdict::Hit,
        Share::Incomparable { .. } => Verdict::Short,
        Share::Measured { asked, actual } => {
            // Rounded down to a whole unit, so that 8.1 of 9 miles, both rounded to a millimetre, is a hit.
            let enough = i128::from(asked.value) * i128::from(rules.hit_percent) / 100;
            if i128::from(actual) >= enough { Verdict::Hit } else { Verdict::Short }
        }
    }
}

impl Share {
    fn planned(&self) -> Option<Amount> {
        match *self {
            Self::Nothing { asked } | Self::Measured { asked, .. } | Self::Incomparable { asked } => {
                Some(asked.measure.amount(asked.value))
            }
            Self::NoTarget { .. } => None,
        }
    }

    fn actual(&self) -> Option<Amount> {
        match *self {
            Self::Measured { asked, actual } => Some(asked.measure.amount(actual)),
            Self::Nothing { .. } | Self::Incomparable { .. } | Self::NoTarget { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests;
