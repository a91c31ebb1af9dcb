//! Where fitness is headed by race day: three lines from the last complete day.
//!
//! The recurrence of [`fitness`](crate::metrics::fitness) is fed with what is planned. No line becomes a finish time:
//! no validated mapping from fitness to one exists. A day nothing is known about is never taken as a day of rest,
//! except in the line that says so by its name.

use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::fitness::{FitnessState, Form};
use crate::metrics::recovery::baseline::to_u32;
use crate::metrics::{CountUnit, MetricResult, MissingReason, Quality, RequiredInput, finite};
use crate::plan::{StepDuration, Workout};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Farther ahead than this nobody plans, days.
const MAX_DAYS_AHEAD: i64 = 800;
/// A rate is held to these: a bad month or a great one does not go on for ever.
const RATE_RANGE: (f64, f64) = (0.3, 1.1);

/// The three lines to race day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trajectory {
    /// The last complete day, from whose evening the lines start.
    pub from: Day,
    /// The day of the race.
    pub race_day: Day,
    /// The plan as written.
    pub as_written: MetricResult<Projection>,
    /// The plan at the rate it was followed lately.
    pub at_this_rate: MetricResult<Projection>,
    /// No training at all: the floor.
    pub no_training: Projection,
}

/// One projected course.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Projection {
    /// From the day after the last complete one through the day before the race. The race is not training: what it
    /// will take out of the athlete is neither planned nor needed to say how they will stand at its start.
    pub points: Vec<Point>,
    /// On the morning of the race.
    pub race_morning: RaceMorning,
    /// Estimated when a load was not written in the plan but measured from earlier sessions.
    pub quality: Quality,
    /// Workouts whose load was estimated.
    pub estimated_workouts: u32,
    /// Days before the plan begins, taken as usual days.
    pub usual_days: u32,
}

/// One projected day.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Which day.
    pub day: Day,
    /// The load that goes in.
    pub load: f64,
    /// Fitness in the evening.
    pub fitness: f64,
    /// Fatigue in the evening.
    pub fatigue: f64,
    /// Form in the morning.
    pub form: f64,
}

/// How the athlete would stand at the start line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RaceMorning {
    /// Fitness of the evening before.
    pub fitness: f64,
    /// Fatigue of the evening before.
    pub fatigue: f64,
    /// Form of the morning.
    pub form: Form,
}

/// What a projection starts from.
#[derive(Debug, Clone, Copy)]
pub struct TrajectoryInput<'a> {
    /// The frontier's last complete day.
    pub from: Day,
    /// Its evening.
    pub state: &'a FitnessState,
    /// The plan's first day.
    pub plan_start: Day,
    /// The day of the race.
    pub race_day: Day,
    /// The plan's workouts, in any order. Within the plan a day without one is a day of rest.
    pub workouts: &'a [Workout],
    /// What sessions of the athlete usually bring; [`Typical::NOTHING`] to take only loads that are written.
    pub typical_loads: &'a TypicalLoads,
}

impl TrajectoryInput<'_> {
    /// The days ahead, without the race itself.
    fn days(&self) -> impl Iterator<Item = Day> + use<> {
        self.from.next().through(self.race_day.previous())
    }
}

/// Projects the three lines.
///
/// From fitness 60 and fatigue 60, ten days of nothing leave fitness 60·e^(-10/42) = 47.29 and fatigue
/// 60·e^(-10/7) = 14.38, form +32.9.
///
/// # Errors
/// When the race is not ahead, or too far.
pub fn project(
    outlook: &TrajectoryInput<'_>,
    adherence: &MetricResult<AdherenceRate>,
) -> MetricResult<Trajectory> {
    let ahead = outlook.from.days_until(outlook.race_day);
    if !(1..=MAX_DAYS_AHEAD).contains(&ahead) {
        return Err(MissingReason::OutOfRange {
            what: "a race that is over or more than 800 days ahead".to_owned(),
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

/// The load of a day ahead.
#[derive(Debug, Clone, Copy)]
enum ProjectedLoad {
    /// The plan says it; how much of it is done depends on the athlete.
    Planned(f64),
    /// Before the plan begins: what an ordinary day has brought lately.
    Usual(f64),
}

/// The days ahead, and what their loads rest on.
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

/// How much of the planned load was done lately.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AdherenceRate {
    /// Load done over load planned, held to 0.3 to 1.1.
    pub rate: f64,
    /// Graded days it was measured on.
    pub days: u32,
}

/// A rate that can be counted on.
fn clamp_rate(rate: f64) -> MetricResult<f64> {
    Ok(finite(rate, "adherence")?.clamp(RATE_RANGE.0, RATE_RANGE.1))
}

/// One day's planned and done load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlannedDay {
    /// Which day.
    pub day: Day,
    /// What was planned; a day of rest does not count.
    pub planned: f64,
    /// What was done in the planned sports.
    pub actual: f64,
    /// Ill, injured or away: left out.
    pub is_absent: bool,
}

impl AdherenceRate {
    /// Measures the 28 days up to the last complete one.
    ///
    /// It is the load done over the load planned, both added up: the mean of the daily ratios weighted by what was
    /// planned, so that a short recovery run turned long does not outweigh a missed long run. Ten days of 50 with 40
    /// done each: 0.8.
    ///
    /// # Errors
    /// With fewer than ten graded days.
    pub fn measure(days: &[PlannedDay], complete: Day) -> MetricResult<Self> {
        let sane = |load: f64| load.is_finite() && (0.0..=20_000.0).contains(&load);
        let mut graded: Vec<&PlannedDay> = days
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

/// A load for a planned workout.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlannedLoad {
    /// The load.
    pub value: f64,
    /// Whether it comes from earlier sessions and not from the plan.
    pub estimated: bool,
}

/// The load a workout is expected to bring: what the plan says, else its length times what an hour of the same kind
/// has brought this athlete. 90 easy minutes at 50 an hour: 75.
///
/// # Errors
/// When the plan says neither a load nor a length, or there is nothing to measure an hour by.
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

/// How long a workout takes: its duration, else its distance at the usual speed, else its steps.
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
