//! Grading: the only code that decides a verdict.
//!
//! A verdict depends only on the data, never on when somebody looks: [`grade`] has no clock, and
//! this crate has none. The order of the rules is specified; `docs/guarantees.md` lists every case
//! with its test, and every extension with its reason.

use crate::adherence::data_frontier::{DataFrontier, DayCoverage};
use crate::domain::calendar::Day;
use crate::domain::ids::WorkoutId;
use crate::domain::observation::{AbsenceReason, AbsenceReasonByDay};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::plan::{PlannedWorkout, Workout};
use crate::string_enum::string_enum;
use serde::Serialize;
use std::collections::BTreeMap;

string_enum! {
    /// The six verdicts, with the same words in the database, JSON, CSS and MCP.
    pub enum Verdict("verdict") {
        /// Before the plan's first day.
        NotStarted = "not_started",
        /// Data is not complete yet. Never a failure.
        Pending = "pending",
        Rest = "rest",
        /// Data is complete, and nothing was done.
        Missed = "missed",
        /// Less than planned was done.
        Short = "short",
        /// At least 90 % of the planned amount.
        Hit = "hit",
    }
}

impl Verdict {
    /// Whether it is hit, short or missed.
    #[must_use]
    pub const fn is_graded(self) -> bool {
        matches!(self, Self::Hit | Self::Short | Self::Missed)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GradingRules {
    /// Minimum share of the planned amount for a hit, in percent.
    pub hit_percent: i64,
}

impl Default for GradingRules {
    fn default() -> Self {
        Self { hit_percent: 90 }
    }
}

/// The parts of a plan that are graded.
#[derive(Debug, Clone, Copy)]
pub struct PlanToGrade<'a> {
    pub start: Day,
    /// In planned order; the order within a day matters.
    pub workouts: &'a [PlannedWorkout],
}

/// Completed amounts of one sport on one day. `None` is "not measured", not zero.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct ActualAmounts {
    #[serde(rename = "distance_mm")]
    pub distance: Option<Distance>,
    #[serde(rename = "duration_ms")]
    pub duration: Option<TimeSpan>,
    pub load: Option<f64>,
}

/// Completed amounts by local day and sport. No entry means no activity.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompletedByDayAndSport(BTreeMap<(Day, Sport), ActualAmounts>);

impl CompletedByDayAndSport {
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

    /// `None` if there was no activity.
    #[must_use]
    pub fn get(&self, day: Day, sport: Sport) -> Option<ActualAmounts> {
        self.0.get(&(day, sport)).copied()
    }
}

/// An amount in the measure that a workout is graded by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub enum Amount {
    #[serde(rename = "distance_mm")]
    Distance(Distance),
    #[serde(rename = "duration_ms")]
    Duration(TimeSpan),
    /// Thousandths of a load point.
    #[serde(rename = "load_thousandths")]
    Load(i64),
}

impl Amount {
    /// For display: `8.2 km`, `50 min`, `load 48`.
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

/// A workout with its verdict and the amounts behind it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GradedWorkout {
    pub workout: WorkoutId,
    pub day: Day,
    pub verdict: Verdict,
    /// Planned amount, in the measure it is graded by.
    pub planned: Option<Amount>,
    /// Completed amount in the same measure; `None` if nothing was done or measured.
    pub actual: Option<Amount>,
    /// Absence that excludes the day from adherence. The verdict stays.
    pub excused: Option<AbsenceReason>,
}

/// Grades every workout of a plan.
///
/// In this order: before the start `not_started`; after the data frontier `pending`; a rest day
/// `rest`; nothing done `missed`; 90 % or more `hit`; else `short`. On the open day a hit is given
/// at once, and anything else stays `pending`.
///
/// ```
/// use fitness_core::adherence::data_frontier::{DataFrontier, ImportCoverage};
/// use fitness_core::adherence::grade::{
///     ActualAmounts, CompletedByDayAndSport, GradingRules, PlanToGrade, Verdict, grade,
/// };
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
/// let mut totals = CompletedByDayAndSport::default();
/// let done =
///     ActualAmounts { distance: Distance::from_miles(8.1), ..ActualAmounts::default() };
/// totals.add("2026-06-13".parse().unwrap(), Sport::Running, done);
///
/// // Data is complete through Saturday. Sunday is not known yet, so it is not missed.
/// let complete_through = "2026-06-13".parse().unwrap();
/// let frontier = DataFrontier::from_runs([ImportCoverage::new(Some(complete_through), None)]);
/// let plan = PlanToGrade { start: "2026-06-08".parse().unwrap(), workouts: &workouts };
/// let graded = grade(plan, &totals, frontier, &GradingRules::default());
/// assert_eq!(graded[0].verdict, Verdict::Hit);
/// assert_eq!(graded[1].verdict, Verdict::Pending);
/// ```
#[must_use]
pub fn grade(
    plan: PlanToGrade<'_>,
    totals: &CompletedByDayAndSport,
    frontier: DataFrontier,
    rules: &GradingRules,
) -> Vec<GradedWorkout> {
    let mut remaining: BTreeMap<(Day, Sport), UnassignedAmount> = BTreeMap::new();
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
        let left = remaining
            .entry(key)
            .or_insert_with(|| total.map_or(UnassignedAmount::Nothing, UnassignedAmount::Measured));
        let share = match planned_amount(workout) {
            Some(asked) => {
                let others = sharing.entry(key).or_default();
                *others = others.saturating_sub(1);
                take_share(asked, left, *others == 0)
            }
            None => PlannedVsDone::NoTarget { done: total.is_some() },
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

/// Sets the absence of each workout. Verdicts do not change.
pub fn apply_absences(graded: &mut [GradedWorkout], days: &AbsenceReasonByDay) {
    for workout in graded {
        workout.excused = days.reason(workout.day);
    }
}

/// Counts of graded workouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Tally {
    pub hit: usize,
    pub short: usize,
    pub missed: usize,
    /// Graded workouts excluded by an absence.
    pub excused: usize,
}

impl Tally {
    /// Ungraded workouts are ignored; those in an absence are counted separately.
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

/// Planned amount of a workout, and its share of the day's total.
enum PlannedVsDone {
    /// Nothing was done, or earlier workouts used it up.
    Nothing { asked: PlannedAmount },
    /// Done, and measured in the planned measure.
    Measured { asked: PlannedAmount, actual: i64 },
    /// Done, but not measured in the planned measure.
    Incomparable { asked: PlannedAmount },
    /// No planned amount: any activity of its sport on that day counts.
    NoTarget { done: bool },
}

/// What is left of a day's total for later workouts.
enum UnassignedAmount {
    Measured(ActualAmounts),
    /// Something was done, but how much is left is unknown.
    UnmeasuredActivity,
    Nothing,
}

/// A planned amount and its measure.
#[derive(Clone, Copy)]
pub(crate) struct PlannedAmount {
    pub(crate) measure: Measure,
    pub(crate) value: i64,
}

/// Planned amount: distance if there is one, else duration, else load. It depends on the workout
/// alone, so that more data can only improve a verdict.
pub(crate) fn planned_amount(workout: &Workout) -> Option<PlannedAmount> {
    let in_order = [Measure::Distance, Measure::Duration, Measure::Load];
    in_order
        .into_iter()
        .find_map(|measure| measure.planned(workout).map(|units| PlannedAmount { measure, value: units }))
}

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

    /// Planned amount in this measure; `None` for zero.
    fn planned(self, workout: &Workout) -> Option<i64> {
        match self {
            Self::Distance => workout.distance.map(Distance::mm),
            Self::Duration => workout.duration.map(TimeSpan::ms),
            Self::Load => workout.load.and_then(thousandths),
        }
        .filter(|units| *units > 0)
    }

    /// Completed amount in this measure. Zero counts as not recorded, like the distance of many
    /// treadmill runs.
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

/// Takes a workout's share of its day's remaining total. Workouts of one sport and day share in
/// order: each but the last takes at most its planned amount, the last takes the rest.
fn take_share(asked: PlannedAmount, left: &mut UnassignedAmount, last: bool) -> PlannedVsDone {
    let UnassignedAmount::Measured(done) = *left else {
        return if matches!(left, UnassignedAmount::Nothing) {
            PlannedVsDone::Nothing { asked }
        } else {
            PlannedVsDone::Incomparable { asked }
        };
    };
    let Some(available) = asked.measure.actual(&done) else {
        *left = UnassignedAmount::UnmeasuredActivity;
        return PlannedVsDone::Incomparable { asked };
    };
    if last || available <= asked.value {
        *left = UnassignedAmount::Nothing;
        return PlannedVsDone::Measured { asked, actual: available };
    }
    *left = UnassignedAmount::Measured(subtract_share(done, asked.value, available));
    PlannedVsDone::Measured { asked, actual: asked.value }
}

/// What remains after using `taken` of `available`; all measures shrink in proportion.
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

/// The verdict by the data alone; the frontier decides whether it is final.
fn decide_verdict(workout: &Workout, share: &PlannedVsDone, rules: &GradingRules) -> Verdict {
    if workout.is_rest() {
        return Verdict::Rest;
    }
    match *share {
        PlannedVsDone::Nothing { .. } | PlannedVsDone::NoTarget { done: false } => Verdict::Missed,
        PlannedVsDone::NoTarget { done: true } => Verdict::Hit,
        PlannedVsDone::Incomparable { .. } => Verdict::Short,
        PlannedVsDone::Measured { asked, actual } => {
            // Rounded down to a whole unit, so that 8.1 of 9 miles, both in whole millimetres, is a
            // hit.
            let enough = i128::from(asked.value) * i128::from(rules.hit_percent) / 100;
            if i128::from(actual) >= enough { Verdict::Hit } else { Verdict::Short }
        }
    }
}

impl PlannedVsDone {
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
