//! Rebuilds the weeks of a plan after a break, from what was run since, until the plan fits again.

use super::downgrade::downgrade;
use super::{AdaptInput, modify, scale_workout, skip};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::lint::planned_km;
use crate::plan::{Change, Level, PlannedWorkout, Week, Workout, WorkoutKind, training_norms};

/// The weeks of a plan, rebuilt from a new base.
pub(super) struct PlanRebuild {
    pub(super) changes: Vec<Change>,
    /// The day from which the original plan continues; `None` if that is not before the race.
    rejoins_on: Option<Day>,
    /// Peak week as planned and as rebuilt, in kilometres.
    planned_peak_km: f64,
    rebuilt_peak_km: f64,
}

/// Runs since a return began, recorded or planned.
pub(super) struct RunsSinceReturn(Vec<RunSinceReturn>);

struct RunSinceReturn {
    day: Day,
    /// Kilometres as recorded (or expected to be).
    km: f64,
    /// Kilometres as the plan counts them: a walk-run workout by time counts as running.
    planned_km: f64,
}

impl RunsSinceReturn {
    /// Recorded runs since a day.
    pub(super) fn from_runs(s: &AdaptInput<'_>, from: Day) -> Self {
        let runs = s.athlete.runs.iter().filter(|run| run.day >= from);
        Self(
            runs.map(|run| RunSinceReturn {
                day: run.day,
                km: run.distance.km(),
                planned_km: run.distance.km(),
            })
            .collect(),
        )
    }

    /// Adds a planned workout; `recorded` is less if some of it is walked.
    pub(super) fn add(&mut self, s: &AdaptInput<'_>, workout: &Workout, recorded: Option<f64>) {
        let planned = workout_km(s, workout);
        self.0.push(RunSinceReturn {
            day: workout.date,
            km: recorded.unwrap_or(planned),
            planned_km: planned,
        });
    }

    /// Kilometres that R2 allows for a day and the rest of its week.
    pub(super) fn remaining_km(&self, s: &AdaptInput<'_>, day: Day) -> f64 {
        let Some(week) = plan_weeks_from(s, day).next() else { return 0.0 };
        let before = self.max_week_before(week);
        let level = s.athlete.level().unwrap_or(Level::Novice);
        let (step, _) = training_norms::max_weekly_increase(level, s.athlete.age);
        let allowed =
            if before > 0.0 { max_week_after(before, step) } else { training_norms::FIRST_WEEK_FROM_ZERO };
        (allowed - self.planned_in_week(week)).max(0.0)
    }

    /// Recorded kilometres of a week.
    fn recorded_in_week(&self, week: Week) -> f64 {
        self.0.iter().filter(|ran| week.contains(ran.day)).map(|ran| ran.km).sum()
    }

    /// Kilometres of a week as the plan counts them.
    fn planned_in_week(&self, week: Week) -> f64 {
        self.0.iter().filter(|ran| week.contains(ran.day)).map(|ran| ran.planned_km).sum()
    }

    /// The biggest of the four weeks before a week.
    fn max_week_before(&self, week: Week) -> f64 {
        (1..=4).map(|back| self.recorded_in_week(week.plus(-back))).fold(0.0, f64::max)
    }

    /// The longest run of the 30 days before a day.
    fn longest_run_before(&self, day: Day) -> f64 {
        let recent = |ran: &&RunSinceReturn| (1..=30).contains(&ran.day.days_until(day));
        self.0.iter().filter(recent).map(|ran| ran.km).fold(0.0, f64::max)
    }
}

/// Shortest useful run, in kilometres.
const MIN_RUN_KM: f64 = 3.0;
/// Share of the earlier volume after a break of two weeks or more.
const SHARE_AFTER_TWO_WEEKS: f64 = 0.5;
/// Share of the planned peak from which the original plan counts as reached.
const REJOIN_SHARE: f64 = 0.9;
/// Minutes per kilometre if no pace is known.
const DEFAULT_MINUTES_PER_KM: f64 = 6.0;

impl PlanRebuild {
    /// Rebuilds the weeks from a day by R1 and R2, measured from the return alone: earlier running
    /// no longer counts.
    pub(super) fn from_base(s: &AdaptInput<'_>, from: Day, since: RunsSinceReturn) -> Self {
        Self::new(s, from, since, None)
    }

    /// Like `from_base`, after weeks without a run: the first week may have half of the earlier
    /// volume.
    pub(super) fn after_training_break(s: &AdaptInput<'_>, last: Day, begins: Day) -> Self {
        let before = (0..4).map(|back| {
            s.athlete.distance_between(last.plus_days(-6 - 7 * back), last.plus_days(-7 * back)).km()
        });
        let first = before.fold(0.0, f64::max) * SHARE_AFTER_TWO_WEEKS;
        Self::new(s, begins, RunsSinceReturn::from_runs(s, begins), Some(first))
    }

    fn new(s: &AdaptInput<'_>, from: Day, mut since: RunsSinceReturn, first: Option<f64>) -> Self {
        let from = from.max(s.today);
        let level = s.athlete.level().unwrap_or(Level::Novice);
        let (step, _) = training_norms::max_weekly_increase(level, s.athlete.age);
        let least = first.unwrap_or(training_norms::FIRST_WEEK_FROM_ZERO);
        let (mut changes, mut left_alone) = (Vec::new(), None);
        let (mut planned_peak_km, mut rebuilt_peak_km) = (0.0_f64, 0.0_f64);
        // Nothing hard in the first week, nor before a full week of the plan fits.
        let mut hard_from = None;
        for week in plan_weeks_from(s, from) {
            let runs: Vec<&PlannedWorkout> = s
                .changeable_workouts(week.first.max(from), week.last())
                .filter(|planned| planned.workout.sport == Sport::Running)
                .collect();
            let (done, before) = (since.planned_in_week(week), since.max_week_before(week));
            let allowed = max_week_after(before, step).max(least) - done;
            let longest = (since.longest_run_before(week.first.max(from)) * training_norms::SESSION_SPIKE.0)
                .max(training_norms::SHORT_RUN_KM);
            let wanted: Vec<f64> = runs.iter().map(|run| workout_km(s, &run.workout)).collect();
            let whole: f64 = wanted.iter().sum();
            let fits = whole <= allowed + 1e-6 && wanted.iter().all(|km| *km <= longest + 1e-6);
            if fits && hard_from.is_none() {
                hard_from = Some(week.first.max(from.plus_days(7)));
            }
            let kept = if fits { vec![1.0; runs.len()] } else { scale_runs(&wanted, allowed, longest) };
            let mut changed = false;
            for (run, share) in runs.iter().zip(kept) {
                let workout = &run.workout;
                let fast = workout.kind.is_quality() || workout.kind == WorkoutKind::Strides;
                let soft = fast && hard_from.is_none_or(|day| workout.date < day);
                let next = match (share, soft) {
                    (share, _) if share <= 0.0 => None,
                    (share, true) => {
                        Some((downgrade(workout, share, s.athlete), "Easy until the plan fits again"))
                    }
                    (share, false) if share < 1.0 => {
                        Some((scale_workout(workout, share), "Builds up from what you have run since"))
                    }
                    _ => Some((workout.clone(), "")),
                };
                // The rounded result counts for the following weeks.
                if let Some((next, _)) = &next {
                    since.add(s, next, None);
                }
                let change = match next {
                    None => Some(skip(run, "Fewer runs until the plan fits again")),
                    Some((next, why)) => modify(run, next, why),
                };
                changed |= change.is_some();
                changes.extend(change);
            }
            planned_peak_km = planned_peak_km.max(whole + done);
            rebuilt_peak_km = rebuilt_peak_km.max(since.planned_in_week(week));
            left_alone = if changed { None } else { left_alone.or(Some(week.first.max(from))) };
        }
        let rejoins_on = left_alone.filter(|_| rebuilt_peak_km >= REJOIN_SHARE * planned_peak_km);
        Self { changes, rejoins_on, planned_peak_km, rebuilt_peak_km }
    }

    /// Explanation; empty if nothing has to change.
    pub(super) fn message(&self, s: &AdaptInput<'_>) -> String {
        if self.changes.is_empty() {
            return String::new();
        }
        let shown = |km: f64| s.units.format_distance(Distance::from_km(km).unwrap_or_default()).to_string();
        let by_steps =
            " After that, the weeks build up from what you have run since, with nothing hard at first";
        match self.rejoins_on {
            Some(day) => format!("{by_steps}; from {day}, the original plan continues."),
            None if s.plan.distance.is_none() => {
                format!(
                    "{by_steps}: up to {} a week instead of {}.",
                    shown(self.rebuilt_peak_km),
                    shown(self.planned_peak_km)
                )
            }
            None => format!(
                "{by_steps}. There is not enough time to return to the original plan before the race on {}: the peak week \
                 has {} instead of {}. Consider a later or shorter race, or one without a goal time.",
                s.plan.race_date,
                shown(self.rebuilt_peak_km),
                shown(self.planned_peak_km)
            ),
        }
    }
}

/// Weeks from the one containing a day to the end of the plan, as in the linter.
fn plan_weeks_from(s: &AdaptInput<'_>, from: Day) -> impl Iterator<Item = Week> {
    let (first, end) = match s.plan.distance {
        Some(_) => (from.plus_days(-(6 - from.days_until(s.plan.race_date).rem_euclid(7))), s.plan.race_date),
        None => (from.iso_week().monday(), s.plan.race_date),
    };
    (0..).map(move |number| Week { first }.plus(number)).take_while(move |week| week.first <= end)
}

/// Upper limit for a week after one with this volume.
fn max_week_after(km: f64, step: f64) -> f64 {
    let (by, below) = training_norms::SMALL_WEEK_INCREASE_KM;
    (km * step).max((km + by).min(below - 0.1))
}

/// Scale factor of each run in a week of at most `allowed` kilometres with no run longer than
/// `longest`; 0 for the shortest runs if all would become too short.
fn scale_runs(wanted: &[f64], allowed: f64, longest: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).filter(|at| wanted[*at] > 0.0).collect();
    order.sort_by(|a, b| wanted[*b].total_cmp(&wanted[*a]));
    let enough = (allowed / MIN_RUN_KM).floor().max(0.0) as usize;
    order.truncate(enough);
    let whole: f64 = order.iter().map(|at| wanted[*at].min(longest)).sum();
    let fit = if whole > allowed { allowed / whole } else { 1.0 };
    let mut kept = vec![0.0; wanted.len()];
    for at in order {
        kept[at] = wanted[at].min(longest) * fit / wanted[at];
    }
    kept
}

/// Kilometres of a planned run, from its time if it has no distance.
fn workout_km(s: &AdaptInput<'_>, workout: &Workout) -> f64 {
    let by_time = || workout.duration.map(|time| time.seconds() / 60.0 / DEFAULT_MINUTES_PER_KM);
    planned_km(workout, s.athlete.easy_pace()).or_else(by_time).unwrap_or(0.0)
}
