//! Planned and completed training by week.

use super::{Adherence, AdherenceData};
use crate::adherence::data_frontier::DayCoverage;
use crate::adherence::grade::{ActualAmounts, GradedWorkout, Verdict};
use crate::domain::calendar::{Day, IsoWeek};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::{PlannedVolume, PlannedWorkout, Workout};
use serde::Serialize;
use std::collections::BTreeMap;

/// Training totals, with the number of parts that lack each value.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Volume {
    /// Number of workouts or activities.
    pub count: usize,
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
    /// Number without a distance.
    pub without_distance: usize,
    /// Time of those without a distance, shown next to the kilometres.
    #[serde(rename = "by_time_ms")]
    pub duration_without_distance: TimeSpan,
    #[serde(rename = "duration_ms")]
    pub duration: TimeSpan,
    /// Number without a duration.
    pub without_duration: usize,
    pub load: f64,
    /// Number without a load.
    pub without_load: usize,
}

impl Volume {
    fn add(&mut self, done: &ActualAmounts) {
        self.count += 1;
        self.distance += done.distance.unwrap_or_default();
        self.without_distance += usize::from(done.distance.is_none());
        self.duration_without_distance +=
            done.duration.filter(|_| done.distance.is_none()).unwrap_or_default();
        self.duration += done.duration.unwrap_or_default();
        self.without_duration += usize::from(done.duration.is_none());
        let load = done.load.filter(|load| load.is_finite());
        self.load += load.unwrap_or(0.0);
        self.without_load += usize::from(load.is_none());
    }

    /// For display: distance, plus the time of those without one.
    #[must_use]
    pub const fn display(&self) -> PlannedVolume {
        PlannedVolume { distance: self.distance, time: self.duration_without_distance }
    }
}

/// Planned and completed training of a week.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct PlannedVsActual {
    /// Everything planned for the week.
    pub planned: Volume,
    /// Planned so far: complete days, and completed workouts of the open day, without absences. A
    /// week in progress is compared with this and is never called short.
    pub so_far: Volume,
    /// Completed on its actual day, up to the data frontier.
    pub done: Volume,
}

/// A week of a plan, Monday to Sunday.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WeekProgress {
    pub week: IsoWeek,
    pub monday: Day,
    /// Whether data is complete for all its days.
    pub over: bool,
    pub running: PlannedVsActual,
    pub all_sports: PlannedVsActual,
    /// Adherence over all workouts.
    pub adherence: Adherence,
    /// Adherence over key workouts.
    pub key_sessions: Adherence,
}

/// All weeks from the first workout or the start of the plan to the last workout.
pub(super) fn week_progress(
    start: Day,
    workouts: &[PlannedWorkout],
    graded: &[GradedWorkout],
    data: &AdherenceData<'_>,
) -> Vec<WeekProgress> {
    let days = workouts.iter().map(|w| w.workout.date);
    let Some((first, last)) = days.clone().min().zip(days.max()) else { return Vec::new() };
    let (first, last) = (first.min(start).iso_week().monday(), last.iso_week().monday());
    let mut weeks: BTreeMap<Day, (WeekProgress, Vec<usize>)> = BTreeMap::new();
    for number in 0..=first.days_until(last) / 7 {
        let monday = first.plus_days(number * 7);
        let week = WeekProgress {
            week: monday.iso_week(),
            monday,
            over: data.frontier.day_coverage(monday.plus_days(6)) == DayCoverage::Complete,
            running: PlannedVsActual::default(),
            all_sports: PlannedVsActual::default(),
            adherence: Adherence::default(),
            key_sessions: Adherence::default(),
        };
        weeks.insert(monday, (week, Vec::new()));
    }
    for (index, (PlannedWorkout { workout, .. }, graded)) in workouts.iter().zip(graded).enumerate() {
        let Some((week, members)) = weeks.get_mut(&workout.date.iso_week().monday()) else { continue };
        members.push(index);
        if workout.is_rest() || graded.verdict == Verdict::NotStarted {
            continue;
        }
        let asked =
            ActualAmounts { distance: workout.distance, duration: workout.duration, load: workout.load };
        for versus in
            [Some(&mut week.all_sports), is_run(workout).then_some(&mut week.running)].into_iter().flatten()
        {
            versus.planned.add(&asked);
            if graded.verdict.is_graded() && graded.excused.is_none() {
                versus.so_far.add(&asked);
            }
        }
    }
    for activity in data.activities {
        if activity.day < start || data.frontier.day_coverage(activity.day) == DayCoverage::Beyond {
            continue;
        }
        let Some((week, _)) = weeks.get_mut(&activity.day.iso_week().monday()) else { continue };
        week.all_sports.done.add(&activity.amounts);
        if activity.sport == Sport::Running {
            week.running.done.add(&activity.amounts);
        }
    }
    let finish = |(mut week, members): (WeekProgress, Vec<usize>)| {
        let of = |key: bool| {
            let members = members.iter().map(|index| (&workouts[*index], &graded[*index]));
            Adherence::from_graded(members.filter(|(planned, _)| planned.workout.key || !key))
        };
        (week.adherence, week.key_sessions) = (of(false), of(true));
        week
    };
    weeks.into_values().map(finish).collect()
}

fn is_run(workout: &Workout) -> bool {
    workout.sport == Sport::Running
}
