//! Preview of a plan change: old and new, by workout and by week.

use crate::domain::calendar::Day;
use crate::domain::ids::WorkoutId;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, Pace, TimeSpan, UnitSystem};
use crate::domain::untrusted_text::escape_invisible;
use crate::plan::lint::{planned_km, planned_minutes};
use crate::plan::{
    Change, NextRevisionWorkout, PlannedWorkout, Step, StepDuration, StepTarget, Workout, WorkoutKind,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// One change: the workout before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkoutDiff {
    /// `None` for an added workout.
    pub workout: Option<WorkoutId>,
    pub now: Option<Workout>,
    /// `None` if it is removed.
    pub then: Option<Workout>,
    /// Reason given by the author of the proposal. Untrusted text.
    pub notes: Option<String>,
}

impl WorkoutDiff {
    /// Compares a change with the current workouts.
    #[must_use]
    pub fn from_change(change: &Change, current: &[PlannedWorkout]) -> Self {
        let (workout, notes) = match change {
            Change::Modify { workout_id, notes, .. } | Change::Skip { workout_id, notes, .. } => {
                (Some(*workout_id), notes.clone())
            }
            Change::Add { .. } => (None, None),
        };
        let now = current.iter().find(|w| Some(w.id) == workout).map(|w| w.workout.clone());
        let then = change.apply_to(now.as_ref());
        Self { workout, now, then, notes }
    }

    /// One line: `Tue 2026-06-16: Intervals, 10.0 km → Easy, 6.0 km (tired)`.
    #[must_use]
    pub fn line(&self, units: UnitSystem) -> String {
        let day = |w: &Workout| format!("{} {}", w.date.weekday(), w.date);
        let text = match (&self.now, &self.then) {
            (Some(now), Some(then)) if now.date == then.date => {
                format!("{}: {} → {}", day(now), format_short(now, units), format_short(then, units))
            }
            (Some(now), Some(then)) => {
                format!(
                    "{}: {} → {}: {}",
                    day(now),
                    format_short(now, units),
                    day(then),
                    format_short(then, units)
                )
            }
            (Some(now), None) => format!("{}: {} → removed", day(now), format_short(now, units)),
            (None, Some(then)) => format!("{}: new: {}", day(then), format_short(then, units)),
            (None, None) => "a workout that is no longer in the plan".to_owned(),
        };
        let more = self.details(units);
        let text = if more.is_empty() { text } else { format!("{text}; {}", more.join("; ")) };
        match &self.notes {
            Some(notes) => format!("{text} ({})", escape_invisible(notes)),
            None => text,
        }
    }

    /// Other differences: effort, load, time, steps and targets. Untrusted text is escaped.
    #[must_use]
    pub fn details(&self, units: UnitSystem) -> Vec<String> {
        let Some(then) = &self.then else { return Vec::new() };
        let same = |differs: fn(&Workout, &Workout) -> bool| {
            self.now.as_ref().is_some_and(|now| !differs(now, then))
        };
        let mut more = Vec::new();
        let readable = |kind: WorkoutKind| kind.as_str().replace('_', " ");
        let kind = readable(then.kind);
        if let Some(now) = self.now.as_ref().filter(|now| now.kind != then.kind) {
            more.push(format!("type: {kind} instead of {}", readable(now.kind)));
        }
        let new = if self.now.is_some() { "new " } else { "" };
        // Skip an effort that only repeats the kind.
        let is_said = |words: &str| words.trim().eq_ignore_ascii_case(&kind);
        let effort = then.intensity.as_deref().filter(|words| !is_said(words));
        if !same(|a, b| a.intensity != b.intensity) {
            more.extend(effort.map(|words| format!("{new}effort: {}", escape_invisible(words))));
        }
        if !same(|a, b| a.duration != b.duration) && then.distance.is_some() {
            more.extend(then.duration.map(|time| format!("{new}time: {}", time.format_hours_minutes())));
        }
        if !same(|a, b| a.load != b.load) {
            more.extend(then.load.map(|load| format!("{new}load: {load:.0}")));
        }
        if !same(|a, b| a.steps != b.steps) && !then.is_rest() {
            let steps = crate::plan::export::describe_steps(&then.steps, units);
            let told: Vec<String> = steps.iter().map(|step| escape_invisible(step).to_string()).collect();
            let had_several = self.now.as_ref().is_some_and(|now| now.steps.len() > 1);
            match (then.steps.as_slice(), self.now.is_some()) {
                ([], true) => more.push("no steps".to_owned()),
                ([], false) => {}
                ([step], _) if is_redundant(step, then) && had_several => {
                    let what = if then.sport == Sport::Running { "run" } else { "effort" };
                    more.push(format!("one continuous {what}"));
                }
                ([step], _) if is_redundant(step, then) => {}
                _ => more.push(format!("{new}steps: {}", told.join(", "))),
            }
        }
        more
    }
}

/// Whether a single step only repeats the workout.
fn is_redundant(step: &Step, workout: &Workout) -> bool {
    let near = |given: f64, own: Option<f64>| own.is_some_and(|own| (given - own).abs() < 1.0);
    let as_long = match step.duration {
        StepDuration::Time(seconds) => near(seconds, workout.duration.map(TimeSpan::seconds)),
        StepDuration::Distance(meters) => near(meters, workout.distance.map(Distance::meters)),
        StepDuration::Open => true,
        StepDuration::Calories(_) => false,
    };
    let is_said = |notes: &str| {
        let known = [Some(workout.kind.as_str()), workout.intensity.as_deref()];
        known.into_iter().flatten().any(|words| words.eq_ignore_ascii_case(notes.trim()))
    };
    as_long && step.target == StepTarget::Open && step.notes.as_deref().is_none_or(is_said)
}

/// All differences between two versions of a plan, by day.
#[must_use]
pub fn diff_workouts(current: &[PlannedWorkout], next: &[NextRevisionWorkout]) -> Vec<WorkoutDiff> {
    let mut found: Vec<WorkoutDiff> = Vec::new();
    for old in current {
        let new = next.iter().find(|w| w.id == Some(old.id)).map(|w| &w.workout);
        let gone = new.is_none() && !old.workout.is_rest();
        if gone || new.is_some_and(|new| *new != old.workout) {
            let now = Some(old.workout.clone());
            found.push(WorkoutDiff { workout: Some(old.id), now, then: new.cloned(), notes: None });
        }
    }
    for new in next.iter().filter(|new| !new.workout.is_rest()) {
        if !current.iter().any(|old| new.id == Some(old.id)) {
            found.push(WorkoutDiff {
                workout: new.id,
                now: None,
                then: Some(new.workout.clone()),
                notes: None,
            });
        }
    }
    let day = |one: &WorkoutDiff| one.now.as_ref().or(one.then.as_ref()).map(|workout| workout.date);
    found.sort_by_key(day);
    found
}

fn format_short(workout: &Workout, units: UnitSystem) -> String {
    workout.short_label(units)
}

impl Workout {
    /// `Intervals, 10.0 km`. The name is escaped.
    #[must_use]
    pub fn short_label(&self, units: UnitSystem) -> String {
        let name = escape_invisible(self.name_without_size(units));
        self.size_label(units).map_or_else(|| name.to_string(), |size| format!("{name}, {size}"))
    }
}

/// Totals of a week before and after a change. A total is `None` if a part of it is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WeekDelta {
    pub monday: Day,
    /// Running distance before; a run by time counts with its distance at easy pace.
    #[serde(rename = "distance_before_mm")]
    pub distance_before: Option<Distance>,
    #[serde(rename = "distance_after_mm")]
    pub distance_after: Option<Distance>,
    /// Whether some distances are estimated from a time.
    pub distance_estimated: bool,
    /// Running before, as written: distance, plus the time of runs without one.
    pub written_before: PlannedVolume,
    /// Running after, as written.
    pub written_after: PlannedVolume,
    /// Training time before; a run by distance counts with its time at easy pace.
    #[serde(rename = "time_before_ms")]
    pub time_before: Option<TimeSpan>,
    #[serde(rename = "time_after_ms")]
    pub time_after: Option<TimeSpan>,
    /// Load before. A workout without a load is estimated from workouts of its kind; `None` if
    /// there are none.
    pub load_before: Option<f64>,
    pub load_after: Option<f64>,
    /// Whether some loads are estimated.
    pub load_estimated: bool,
}

/// Running as written: some by distance, some only by time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PlannedVolume {
    /// Total of the runs with a distance.
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
    #[serde(rename = "time_ms")]
    pub time: TimeSpan,
}

impl PlannedVolume {
    fn from_workouts(week: &[&Workout]) -> Self {
        let runs = || week.iter().filter(|workout| workout.sport == Sport::Running);
        let by_time = runs().filter(|run| run.distance.is_none());
        Self {
            distance: runs().filter_map(|run| run.distance).sum(),
            time: by_time.filter_map(|run| run.duration).sum(),
        }
    }

    #[must_use]
    pub fn is_empty(self) -> bool {
        self.distance == Distance::ZERO && self.time == TimeSpan::ZERO
    }

    /// `28.5 km + 25 min`.
    #[must_use]
    pub fn label(self, units: UnitSystem) -> String {
        let far = units.format_distance(self.distance);
        match (self.distance > Distance::ZERO, self.time > TimeSpan::ZERO) {
            (_, false) => far.to_string(),
            (true, true) => format!("{far} + {}", self.time.format_hours_minutes()),
            (false, true) => self.time.format_hours_minutes(),
        }
    }
}

impl WeekDelta {
    /// Running before and after: `34.0 km`, or `about 30 km` if some runs go by time. Without a
    /// pace to estimate them, as written: `21.0 km + 55m`.
    #[must_use]
    pub fn running_labels(&self, units: UnitSystem) -> (String, String) {
        let label = |written: PlannedVolume, total: Option<Distance>| match total {
            Some(total) if written.time > TimeSpan::ZERO => format!("about {}", whole_distance(total, units)),
            _ => written.label(units),
        };
        let Some((before, after)) = self.distance_before.zip(self.distance_after) else {
            return (self.written_before.label(units), self.written_after.label(units));
        };
        (label(self.written_before, Some(before)), label(self.written_after, Some(after)))
    }

    /// One line: `week of 2026-06-15: 40.0 km to 36.5 km, 4h 00m to 3h 40m, load 210 to 190`.
    #[must_use]
    pub fn line(&self, units: UnitSystem) -> String {
        let long = |time: Option<TimeSpan>| time.map(TimeSpan::format_hours_minutes);
        let load = |load: Option<f64>| load.map(|load| format!("{load:.0}"));
        // Only pairs that can be compared.
        let pair = |before: Option<String>, after: Option<String>| {
            before.zip(after).map(|(before, after)| format!("{before} to {after}"))
        };
        let (before, after) = self.running_labels(units);
        let told = [
            pair(Some(before), Some(after)),
            pair(long(self.time_before), long(self.time_after)),
            pair(load(self.load_before), load(self.load_after))
                .map(|told| format!("load {}{told}", if self.load_estimated { "about " } else { "" })),
        ];
        let told: Vec<String> = told.into_iter().flatten().collect();
        format!("week of {}: {}", self.monday, told.join(", "))
    }
}

/// `30 km`, for a distance that is only an estimate.
fn whole_distance(distance: Distance, units: UnitSystem) -> String {
    match units {
        UnitSystem::Metric => format!("{:.0} km", distance.km()),
        UnitSystem::Imperial => format!("{:.0} mi", distance.miles()),
    }
}

/// The weeks that a change affects, in order. `easy` is the pace that converts runs by time to a
/// distance.
#[must_use]
pub fn week_deltas(
    current: &[PlannedWorkout],
    next: &[NextRevisionWorkout],
    easy: Option<Pace>,
) -> Vec<WeekDelta> {
    let before = weeks(current.iter().map(|w| &w.workout));
    let after = weeks(next.iter().map(|w| &w.workout));
    let mondays: std::collections::BTreeSet<Day> = before.keys().chain(after.keys()).copied().collect();
    let nothing = Vec::new();
    let rates = LoadRates::from_workouts(current, easy);
    mondays
        .into_iter()
        .filter_map(|monday| {
            let old = before.get(&monday).unwrap_or(&nothing);
            let new = after.get(&monday).unwrap_or(&nothing);
            let runs = || old.iter().chain(new).filter(|workout| workout.sport == Sport::Running);
            let silent = |workout: &&Workout| !workout.is_rest() && workout.load.is_none();
            (old != new).then(|| WeekDelta {
                monday,
                distance_before: distance(old, easy),
                distance_after: distance(new, easy),
                distance_estimated: easy.is_some() && runs().any(|run| run.distance.is_none()),
                written_before: PlannedVolume::from_workouts(old),
                written_after: PlannedVolume::from_workouts(new),
                time_before: time(old, easy),
                time_after: time(new, easy),
                load_before: rates.load(old),
                load_after: rates.load(new),
                load_estimated: old.iter().chain(new).any(silent),
            })
        })
        .collect()
}

/// Workouts by the Monday of their week.
fn weeks<'a>(workouts: impl Iterator<Item = &'a Workout>) -> BTreeMap<Day, Vec<&'a Workout>> {
    let mut weeks = BTreeMap::<Day, Vec<&Workout>>::new();
    for workout in workouts {
        weeks.entry(workout.date.iso_week().monday()).or_default().push(workout);
    }
    weeks
}

fn distance(week: &[&Workout], easy: Option<Pace>) -> Option<Distance> {
    let mut runs = week.iter().filter(|workout| workout.sport == Sport::Running);
    runs.try_fold(Distance::ZERO, |sum, run| {
        let estimated = || Distance::from_km(planned_km(run, easy)?);
        Some(sum + run.distance.or_else(estimated)?)
    })
}

fn time(week: &[&Workout], easy: Option<Pace>) -> Option<TimeSpan> {
    let mut busy = week.iter().filter(|workout| !workout.is_rest());
    busy.try_fold(TimeSpan::ZERO, |sum, workout| {
        let pace = easy.filter(|_| workout.sport == Sport::Running);
        let estimated = || TimeSpan::from_seconds(planned_minutes(workout, pace)? * 60.0);
        Some(sum + workout.duration.or_else(estimated)?)
    })
}

fn hours(workout: &Workout, easy: Option<Pace>) -> Option<f64> {
    let minutes = planned_minutes(workout, easy.filter(|_| workout.sport == Sport::Running));
    workout.duration.map(|time| time.seconds() / 3600.0).or_else(|| Some(minutes? / 60.0))
}

/// Load per hour of each kind of workout in a plan, from workouts that have a load.
struct LoadRates {
    by_kind: BTreeMap<(Sport, WorkoutKind), (f64, f64)>,
    easy: Option<Pace>,
}

impl LoadRates {
    fn from_workouts(workouts: &[PlannedWorkout], easy: Option<Pace>) -> Self {
        let mut by_kind = BTreeMap::<_, (f64, f64)>::new();
        for workout in workouts.iter().map(|planned| &planned.workout) {
            if let (Some(load), Some(hours)) = (workout.load, hours(workout, easy)) {
                let (loads, all) = by_kind.entry((workout.sport, workout.kind)).or_default();
                *loads += load;
                *all += hours;
            }
        }
        Self { by_kind, easy }
    }

    /// Load of a week; `None` if a workout's load is neither given nor can be estimated.
    fn load(&self, week: &[&Workout]) -> Option<f64> {
        let estimated = |workout: &Workout| {
            let (loads, all) =
                self.by_kind.get(&(workout.sport, workout.kind)).filter(|(_, all)| *all > 0.0)?;
            Some((loads / all * hours(workout, self.easy)?).round())
        };
        let busy = week.iter().filter(|workout| !workout.is_rest());
        // Not `sum`: the sum of an empty iterator is negative zero.
        busy.map(|workout| workout.load.or_else(|| estimated(workout)))
            .try_fold(0.0, |sum, load| Some(sum + load?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(date: &str, km: f64, load: Option<f64>) -> Workout {
        Workout {
            sport: Sport::Running,
            kind: WorkoutKind::Easy,
            name: "Run".to_owned(),
            distance: Distance::from_km(km),
            load,
            ..Workout::rest(date.parse().unwrap())
        }
    }

    #[test]
    fn change_line_shows_before_and_after() {
        let current = [PlannedWorkout { id: WorkoutId::new(1), workout: run("2026-06-16", 10.0, None) }];
        let shorter = Change::Modify {
            workout_id: WorkoutId::new(1),
            on: None,
            workout: run("2026-06-16", 6.0, None),
            asked: None,
            notes: Some("tired\u{7}".to_owned()),
        };
        let lines: Vec<String> = [
            shorter,
            Change::Skip { workout_id: WorkoutId::new(1), on: None, notes: None },
            Change::Add { workout: run("2026-06-17", 5.0, None) },
        ]
        .iter()
        .map(|change| WorkoutDiff::from_change(change, &current).line(UnitSystem::Metric))
        .collect();
        assert_eq!(lines[1], "Tue 2026-06-16: Run, 10.0 km → removed");
        assert_eq!(lines[2], "Wed 2026-06-17: new: Run, 5.0 km");
        assert!(lines[0].starts_with("Tue 2026-06-16: Run, 10.0 km → Run, 6.0 km (tired"), "{}", lines[0]);
        assert!(!lines[0].contains('\u{7}'));
    }

    #[test]
    fn details_list_every_difference() {
        let current = [PlannedWorkout { id: WorkoutId::new(1), workout: run("2026-06-16", 7.0, Some(40.0)) }];
        let mut harder = run("2026-06-16", 5.0, Some(60.0));
        harder.intensity = Some("Threshold 2x8 min".to_owned());
        harder.steps = serde_json::from_str(
            r#"[{"step_type":"active","duration_type":"time","duration_value":480.0,"target_type":"pace","target_low":200.0,"target_high":210.0}]"#,
        )
        .unwrap();
        let next = [
            NextRevisionWorkout { id: Some(WorkoutId::new(1)), workout: harder },
            // A restored workout has an id and is still new.
            NextRevisionWorkout { id: Some(WorkoutId::new(9)), workout: run("2026-06-21", 13.0, None) },
        ];
        let lines: Vec<String> =
            diff_workouts(&current, &next).iter().map(|one| one.line(UnitSystem::Metric)).collect();
        for part in ["new effort: Threshold 2x8 min", "new load: 60", "new steps: 8:00", "3:20", "3:30"] {
            assert!(lines[0].contains(part), "{part} / {lines:?}");
        }
        assert!(lines[1].starts_with("Sun 2026-06-21: new: Run, 13.0 km"), "{lines:?}");
        // One step that covers the whole workout is not listed, unless there were several before.
        let mut easier = run("2026-06-16", 5.0, Some(40.0));
        easier.steps = serde_json::from_str(
            r#"[{"step_type":"active","duration_type":"distance","duration_value":5000.0,"target_type":"open"}]"#,
        )
        .unwrap();
        let whole = [NextRevisionWorkout { id: Some(WorkoutId::new(1)), workout: easier.clone() }];
        assert!(diff_workouts(&current, &whole)[0].details(UnitSystem::Metric).is_empty());
        let mut several = current.clone();
        several[0].workout.steps = [easier.steps.clone(), easier.steps.clone()].concat();
        assert_eq!(diff_workouts(&several, &whole)[0].details(UnitSystem::Metric), ["no separate steps"]);
        let gone: Vec<NextRevisionWorkout> = Vec::new();
        assert!(diff_workouts(&current, &gone)[0].line(UnitSystem::Metric).ends_with("removed"));
    }

    #[test]
    fn week_deltas_cover_changed_weeks_with_load_where_known() {
        let planned = |id, workout| PlannedWorkout { id: WorkoutId::new(id), workout };
        let current = [
            planned(1, run("2026-06-16", 10.0, Some(60.0))),
            planned(2, run("2026-06-18", 5.0, Some(30.0))),
            planned(3, run("2026-06-23", 8.0, None)),
        ];
        let mut next: Vec<NextRevisionWorkout> = current
            .iter()
            .map(|w| NextRevisionWorkout { id: Some(w.id), workout: w.workout.clone() })
            .collect();
        next[0].workout = run("2026-06-16", 6.0, Some(35.0));
        let deltas = week_deltas(&current, &next, None);
        assert_eq!(deltas.len(), 1);
        assert_eq!((deltas[0].load_before, deltas[0].load_after), (Some(90.0), Some(65.0)));
        assert_eq!(deltas[0].distance_after, Distance::from_km(11.0));
        assert_eq!(
            deltas[0].line(UnitSystem::Metric),
            "week of 2026-06-15: 15.0 km to 11.0 km, load 90 to 65"
        );
        // A workout without a load is estimated: 90 in 90 minutes at 6:00 /km.
        next[0].workout = run("2026-06-16", 6.0, None);
        let easy = Pace::from_seconds_per_km(360.0);
        assert_eq!(
            week_deltas(&current, &next, easy)[0].line(UnitSystem::Metric),
            "week of 2026-06-15: 15.0 km to 11.0 km, 1h 30m to 1h 06m, load about 90 to 66"
        );
        next[0].workout.kind = WorkoutKind::Tempo;
        assert_eq!(week_deltas(&current, &next, easy)[0].load_after, None, "nothing of its kind tells");
        next[2].workout = run("2026-06-24", 8.0, None);
        let deltas = week_deltas(&current, &next, None);
        assert_eq!((deltas.len(), deltas[1].load_before), (2, None));
    }

    #[test]
    fn a_week_that_was_empty_had_no_load_and_not_a_negative_one() {
        let current =
            [PlannedWorkout { id: WorkoutId::new(1), workout: run("2026-06-16", 10.0, Some(48.0)) }];
        let moved =
            NextRevisionWorkout { id: Some(WorkoutId::new(1)), workout: run("2026-06-24", 10.0, Some(48.0)) };
        let deltas = week_deltas(&current, &[moved], None);
        assert!(deltas[0].line(UnitSystem::Metric).ends_with("load 48 to 0"), "{deltas:?}");
        assert!(deltas[1].line(UnitSystem::Metric).ends_with("load 0 to 48"), "{deltas:?}");
    }

    #[test]
    fn run_by_time_is_listed_with_an_estimated_distance() {
        let planned = |id, workout| PlannedWorkout { id: WorkoutId::new(id), workout };
        let current = [planned(1, run("2026-06-16", 10.0, None)), planned(2, run("2026-06-18", 5.0, None))];
        let mut next: Vec<NextRevisionWorkout> = current
            .iter()
            .map(|w| NextRevisionWorkout { id: Some(w.id), workout: w.workout.clone() })
            .collect();
        next[0].workout.distance = None;
        next[0].workout.duration = Some(TimeSpan::from_mins(48));
        let line = |easy: Option<Pace>| week_deltas(&current, &next, easy)[0].line(UnitSystem::Metric);
        let easy = Pace::from_seconds_per_km(360.0);
        assert_eq!(line(easy), "week of 2026-06-15: 15.0 km to about 13 km, 1h 30m to 1h 18m");
        assert_eq!(line(None), "week of 2026-06-15: 15.0 km to 5.0 km + 48 min");
    }
}
