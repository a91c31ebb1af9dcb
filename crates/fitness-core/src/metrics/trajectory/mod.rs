//! Projected fitness up to race day: three scenarios from the last complete day.
//!
//! Feeds planned loads into the recurrence of [`fitness`](crate::metrics::fitness). Fitness is not
//! converted to a finish time: no validated mapping exists. Days of unknown load never count as
//! rest, except in the no-training scenario.

use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::fitness::{FitnessState, Form};
use crate::metrics::recovery::baseline::to_u32;
use crate::metrics::{CountUnit, MetricResult, MissingReason, Quality, RequiredInput, finite};
use crate::plan::{StepDuration, Workout};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum days to the race.
const MAX_DAYS_AHEAD: i64 = 800;
/// Bounds of the adherence rate: neither a bad nor a great month lasts.
const RATE_RANGE: (f64, f64) = (0.3, 1.1);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trajectory {
    /// The last complete day, from whose evening the scenarios start.
    pub from: Day,
    pub race_day: Day,
    /// If the plan is followed.
    pub as_written: MetricResult<Projection>,
    /// If the plan is followed at the current adherence rate.
    pub at_this_rate: MetricResult<Projection>,
    pub no_training: Projection,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Projection {
    /// From the day after the last complete one through the day before the race. The load of the
    /// race itself is not needed.
    pub points: Vec<Point>,
    /// On the morning of the race.
    pub race_morning: RaceMorning,
    /// Estimated if a load is not in the plan but derived from earlier activities.
    pub quality: Quality,
    /// Workouts whose load was estimated.
    pub estimated_workouts: u32,
    /// Days before the plan starts, projected with the usual daily load.
    pub usual_days: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub day: Day,
    pub load: f64,
    pub fitness: f64,
    pub fatigue: f64,
    pub form: f64,
}

/// Projected state on the morning of the race.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RaceMorning {
    /// Of the evening before.
    pub fitness: f64,
    /// Of the evening before.
    pub fatigue: f64,
    pub form: Form,
}

/// Input of a projection.
#[derive(Debug, Clone, Copy)]
pub struct TrajectoryInput<'a> {
    /// Last day with complete data.
    pub from: Day,
    pub state: &'a FitnessState,
    pub plan_start: Day,
    pub race_day: Day,
    /// The plan's workouts, in any order. Days of the plan without a workout are rest days.
    pub workouts: &'a [Workout],
    /// Typical loads of the athlete; [`TypicalLoads::EMPTY`] to use only loads written in the plan.
    pub typical_loads: &'a TypicalLoads,
}

impl TrajectoryInput<'_> {
    /// The days to project, without race day.
    fn days(&self) -> impl Iterator<Item = Day> + use<> {
        self.from.next().through(self.race_day.previous())
    }
}

/// Projects the three scenarios.
///
/// From fitness 60 and fatigue 60, ten days without training leave fitness 60·e^(-10/42) = 47.29
/// and fatigue 60·e^(-10/7) = 14.38, form +32.9.
///
/// # Errors
/// When the race is in the past or too far away.
pub fn project(
    outlook: &TrajectoryInput<'_>,
    adherence: &MetricResult<AdherenceRate>,
) -> MetricResult<Trajectory> {
    let ahead = outlook.from.days_until(outlook.race_day);
    if !(1..=MAX_DAYS_AHEAD).contains(&ahead) {
        return Err(MissingReason::OutOfRange {
            what: "the race is in the past or more than 800 days away".to_owned(),
        });
    }
    let planned = planned_loads(outlook);
    let nothing = outlook.days().map(|_| ProjectedLoad::Planned(0.0)).collect();
    let nothing = PlannedLoads { days: nothing, ..PlannedLoads::default() };
    Ok(Trajectory {
        from: outlook.from,
        race_day: outlook.race_day,
        as_written: planned.clone().map(|planned| project_line(outlook, &planned, 1.0)),
        at_this_rate: planned.and_then(|planned| {
            let rate = clamp_rate(adherence.as_ref().map_err(Clone::clone)?.rate)?;
            Ok(project_line(outlook, &planned, rate))
        }),
        no_training: project_line(outlook, &nothing, 1.0),
    })
}

/// Projected load of a day.
#[derive(Debug, Clone, Copy)]
enum ProjectedLoad {
    /// From the plan, scaled by adherence.
    Planned(f64),
    /// Before the plan starts: the recent mean daily load.
    Usual(f64),
}

/// Projected days and how many of their loads are estimated.
#[derive(Debug, Clone, Default)]
struct PlannedLoads {
    days: Vec<ProjectedLoad>,
    estimated_workouts: u32,
    usual_days: u32,
}

fn planned_loads(outlook: &TrajectoryInput<'_>) -> MetricResult<PlannedLoads> {
    let mut by_day: BTreeMap<Day, Vec<f64>> = BTreeMap::new();
    let mut planned = PlannedLoads::default();
    let ahead = |workout: &&Workout| workout.date > outlook.from && workout.date < outlook.race_day;
    for workout in outlook.workouts.iter().filter(ahead) {
        let load = planned_load(workout, outlook.typical_loads)?;
        planned.estimated_workouts += u32::from(load.estimated);
        by_day.entry(workout.date).or_default().push(load.value);
    }
    for day in outlook.days() {
        let ahead = match by_day.get_mut(&day) {
            Some(loads) => {
                loads.sort_by(f64::total_cmp);
                ProjectedLoad::Planned(loads.iter().sum())
            }
            None if day >= outlook.plan_start => ProjectedLoad::Planned(0.0),
            None => {
                planned.usual_days += 1;
                ProjectedLoad::Usual(outlook.typical_loads.per_day.clone()?)
            }
        };
        planned.days.push(ahead);
    }
    Ok(planned)
}

fn project_line(outlook: &TrajectoryInput<'_>, planned: &PlannedLoads, rate: f64) -> Projection {
    let mut state = *outlook.state;
    let mut points = Vec::with_capacity(planned.days.len());
    for (day, ahead) in outlook.days().zip(&planned.days) {
        let form = state.form().value;
        let load = match ahead {
            ProjectedLoad::Planned(load) => load * rate,
            ProjectedLoad::Usual(load) => *load,
        };
        state = state.after_total(load);
        points.push(Point { day, load, fitness: state.fitness(), fatigue: state.fatigue(), form });
    }
    let estimated = planned.estimated_workouts > 0 || planned.usual_days > 0;
    let quality = if estimated { Quality::Estimated } else { Quality::Ok };
    Projection {
        points,
        race_morning: RaceMorning { fitness: state.fitness(), fatigue: state.fatigue(), form: state.form() },
        quality: quality.combine(outlook.state.quality()),
        estimated_workouts: planned.estimated_workouts,
        usual_days: planned.usual_days,
    }
}

/// Share of the planned load that was completed recently.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AdherenceRate {
    /// Completed over planned load, clamped to 0.3 to 1.1.
    pub rate: f64,
    /// Number of graded days.
    pub days: u32,
}

fn clamp_rate(rate: f64) -> MetricResult<f64> {
    Ok(finite(rate, "adherence")?.clamp(RATE_RANGE.0, RATE_RANGE.1))
}

/// One day's planned and completed load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlannedAndActualLoad {
    pub day: Day,
    /// Planned load; rest days are ignored.
    pub planned: f64,
    /// Completed load in the planned sports.
    pub actual: f64,
    /// Ill, injured or away: ignored.
    pub is_absent: bool,
}

impl AdherenceRate {
    /// Measured over the 28 days up to the last complete one.
    ///
    /// The rate is total completed load over total planned load, so that a recovery run that became
    /// long does not outweigh a missed long run. Ten days with 40 of 50 completed: 0.8.
    ///
    /// # Errors
    /// With fewer than ten graded days.
    pub fn measure(days: &[PlannedAndActualLoad], complete: Day) -> MetricResult<Self> {
        let sane = |load: f64| load.is_finite() && (0.0..=20_000.0).contains(&load);
        let mut graded: Vec<&PlannedAndActualLoad> = days
            .iter()
            .filter(|day| (0..28).contains(&day.day.days_until(complete)) && !day.is_absent)
            .filter(|day| sane(day.planned) && sane(day.actual) && day.planned > 0.0)
            .collect();
        graded.sort_by(|a, b| {
            a.day.cmp(&b.day).then(a.planned.total_cmp(&b.planned)).then(a.actual.total_cmp(&b.actual))
        });
        if graded.len() < 10 {
            return Err(MissingReason::TooFew {
                have: to_u32(graded.len()),
                needed: 10,
                what: CountUnit::Days,
            });
        }
        let planned: f64 = graded.iter().map(|day| day.planned).sum();
        let done: f64 = graded.iter().map(|day| day.actual).sum();
        Ok(Self { rate: clamp_rate(done / planned)?, days: to_u32(graded.len()) })
    }
}

/// Expected load of a planned workout.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlannedLoad {
    pub value: f64,
    /// Whether it is derived from earlier activities and not from the plan.
    pub estimated: bool,
}

/// Expected load of a workout: from the plan, else its duration times the athlete's typical load
/// per hour of this kind. 90 easy minutes at 50 an hour: 75.
///
/// # Errors
/// When the plan gives neither load nor size, or there are too few activities for a typical hour.
pub fn planned_load(workout: &Workout, typical: &TypicalLoads) -> MetricResult<PlannedLoad> {
    if workout.is_rest() {
        return Ok(PlannedLoad { value: 0.0, estimated: false });
    }
    if let Some(load) = workout.load.filter(|load| (0.0..=500.0).contains(load)) {
        return Ok(PlannedLoad { value: load, estimated: false });
    }
    let usual = typical.for_workout(workout.sport, workout.kind)?;
    let hours = hours(workout, usual).ok_or(MissingReason::missing(RequiredInput::PlannedLoad))?;
    Ok(PlannedLoad { value: finite(hours * usual.load_per_hour, "planned load")?, estimated: true })
}

/// Hours of a workout: its duration, else its distance at the usual speed, else its steps.
fn hours(workout: &Workout, usual: &TypicalHour) -> Option<f64> {
    let speed = usual.speed_mps.filter(|speed| *speed > 0.1);
    let at_speed = |meters: f64| speed.map(|speed| meters / speed);
    let steps = || {
        let seconds: Vec<f64> = workout
            .steps
            .iter()
            .map(|step| match step.duration {
                StepDuration::Time(seconds) => Some(seconds),
                StepDuration::Distance(meters) => at_speed(meters),
                StepDuration::Calories(_) | StepDuration::Open => None,
            })
            .collect::<Option<_>>()?;
        Some(seconds.iter().sum())
    };
    workout
        .duration
        .map(TimeSpan::seconds)
        .filter(|seconds| *seconds > 0.0)
        .or_else(|| workout.distance.map(Distance::meters).filter(|m| *m > 0.0).and_then(at_speed))
        .or_else(steps)
        .map(|seconds| seconds / 3600.0)
        .filter(|hours| hours.is_finite() && (0.0..=24.0).contains(hours) && *hours > 0.0)
}

mod typical_load;
pub use typical_load::{ActivitySample, TypicalHour, TypicalLoads};

#[cfg(test)]
mod tests;
