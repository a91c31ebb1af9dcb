//! Coming back into a plan: its weeks, held to what was run since the return began, until they fit again.

use super::downgrade::downgrade;
use super::{Situation, modify, scale_workout, skip};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::lint::planned_km;
use crate::plan::{Change, Level, PlannedWorkout, Week, Workout, WorkoutKind, training_norms};

/// The weeks of a plan from a day on, rebuilt from a new base.
pub(super) struct PlanRebuild {
    /// What would change.
    pub(super) changes: Vec<Change>,
    /// The first day from which on the plan is as it was; `None` when that is not before the race.
    rejoins_on: Option<Day>,
    /// Kilometres of the fullest week as it is planned, and as it would be.
    planned_peak_km: f64,
    rebuilt_peak_km: f64,
}

/// What was run, or will have been, since a return began.
pub(super) struct RunsSinceReturn(Vec<ReturnRun>);

/// One session.
struct ReturnRun {
    day: Day,
    /// Kilometres as they are or will be recorded.
    km: f64,
    /// Kilometres as a plan counts them: a session by time counts as running, though some of it is walked.
    planned_km: f64,
}

impl RunsSinceReturn {
    /// What was run from a day on.
    pub(super) fn from_runs(s: &Situation<'_>, from: Day) -> Self {
        let runs = s.athlete.runs.iter().filter(|run| run.day >= from);
        Self(
            runs.map(|run| ReturnRun { day: run.day, km: run.distance.km(), planned_km: run.distance.km() })
                .collect(),
        )
    }

    /// A session that will have been run, as far as it counts; less where some of it is walked.
    pub(super) fn add(&mut self, s: &Situation<'_>, workout: &Workout, recorded: Option<f64>) {
        let planned = workout_km(s, workout);
        self.0.push(ReturnRun { day: workout.date, km: recorded.unwrap_or(planned), planned_km: planned });
    }

    /// Kilometres that the rules on steps leave for a day and the rest of its week.
    pub(super) fn remaining_km(&self, s: &Situation<'_>, day: Day) -> f64 {
        let Some(week) = plan_weeks_from(s, day).next() else { return 0.0 };
        let before = self.max_week_before(week);
        let level = s.athlete.level().unwrap_or(Level::Novice);
        let (step, _) = training_norms::max_weekly_increase(level, s.athlete.age);
        let allowed =
            if before > 0.0 { max_week_after(before, step) } else { training_norms::FIRST_WEEK_FROM_ZERO };
        (allowed - self.planned_in_week(week)).max(0.0)
    }

    /// Kilometres of a week as they are recorded.
    fn recorded_in_week(&self, week: Week) -> f64 {
        self.0.iter().filter(|ran| week.contains(ran.day)).map(|ran| ran.km).sum()
    }

    /// Kilometres of a week as a plan counts them.
    fn planned_in_week(&self, week: Week) -> f64 {
        self.0.iter().filter(|ran| week.contains(ran.day)).map(|ran| ran.planned_km).sum()
    }

    /// The fullest of the four weeks before one.
    fn max_week_before(&self, week: Week) -> f64 {
        (1..=4).map(|back| self.recorded_in_week(week.plus(-back))).fold(0.0, f64::max)
    }

    /// The longest run of the 30 days before a day.
    fn longest_run_before(&self, day: Day) -> f64 {
        let recent = |ran: &&ReturnRun| (1..=30).contains(&ran.day.days_until(day));
        self.0.iter().filter(recent).map(|ran| ran.km).fold(0.0, f64::max)
    }
}

/// Kilometres of a run that is worth putting shoes on for.
const MIN_RUN_KM: f64 = 3.0;
/// The share of a week after two weeks and more without a run.
const SHARE_AFTER_TWO_WEEKS: f64 = 0.5;
/// The share of the fullest week from which on a plan is met again.
const REJOIN_SHARE: f64 = 0.9;
/// Minutes for a kilometre where nobody knows better.
const DEFAULT_MINUTES_PER_KM: f64 = 6.0;

impl PlanRebuild {
    /// The plan's weeks from a day on, by the rules on steps (R1, R2) measured from the return alone. What was run before
    /// it was another body's.
    pub(super) fn from_base(s: &Situation<'_>, from: Day, since: RunsSinceReturn) -> Self {
        Self::new(s, from, since, None)
    }

    /// The same after weeks without a run: the first week may have half of what a week had before.
    pub(super) fn after_training_break(s: &Situation<'_>, last: Day, begins: Day) -> Self {
        let before = (0..4).map(|back| {
            s.athlete.distance_between(last.plus_days(-6 - 7 * back), last.plus_days(-7 * back)).km()
        });
        let first = before.fold(0.0, f64::max) * SHARE_AFTER_TWO_WEEKS;
        Self::new(s, begins, RunsSinceReturn::from_runs(s, begins), Some(first))
    }

    fn new(s: &Situation<'_>, from: Day, mut since: RunsSinceReturn, first: Option<f64>) -> Self {
        let from = from.max(s.today);
        let level = s.athlete.level().unwrap_or(Level::Novice);
        let (step, _) = training_norms::max_weekly_increase(level, s.athlete.age);
        let least = first.unwrap_or(training_norms::FIRST_WEEK_FROM_ZERO);
        let (mut changes, mut left_alone) = (Vec::new(), None);
        let (mut planned_peak_km, mut rebuilt_peak_km) = (0.0_f64, 0.0_f64);
        // Nothing hard in the first week, nor before a whole week of the plan fits.
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
                        Some((scale_workout(workout, share), "From what you have run since, by steps"))
                    }
                    _ => Some((workout.clone(), "")),
                };
                // What comes of it is in whole steps, and what follows is held against that.
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

    /// What to say about it; empty when nothing has to change.
    pub(super) fn message(&self, s: &Situation<'_>) -> String {
        if self.changes.is_empty() {
            return String::new();
        }
        let shown = |km: f64| s.units.format_distance(Distance::from_km(km).unwrap_or_default()).to_string();
        let by_steps =
            " After that the weeks grow from what you have run since, without anything hard at first";
        match self.rejoins_on {
            Some(day) => format!("{by_steps}; from {day} on the plan is as it was."),
            None if s.plan.distance.is_none() => {
                format!(
                    "{by_steps}: up to {} instead of {}.",
                    shown(self.rebuilt_peak_km),
                    shown(self.planned_peak_km)
                )
            }
            None => format!(
                "{by_steps}. The plan is not met again before the race on {}: its fullest week has {} instead of {}. Think \
                 about a later or a shorter race, or one without a target.",
                s.plan.race_date,
                shown(self.rebuilt_peak_km),
                shown(self.planned_peak_km)
            ),
        }
    }
}

/// The weeks from the one a day is in to the end of the plan, as the linter has them.
fn plan_weeks_from(s: &Situation<'_>, from: Day) -> impl Iterator<Item = Week> {
    let (first, end) = match s.plan.distance {
        Some(_) => (from.plus_days(-(6 - from.days_until(s.plan.race_date).rem_euclid(7))), s.plan.race_date),
        None => (from.iso_week().monday(), s.plan.race_date),
    };
    (0..).map(move |number| Week { first }.plus(number)).take_while(move |week| week.first <= end)
}

/// What a week may have after one of so many kilometres.
fn max_week_after(km: f64, step: f64) -> f64 {
    let (by, below) = training_norms::SMALL_WEEK_INCREASE_KM;
    (km * step).max((km + by).min(below - 0.1))
}

/// How much of each run is left in a week of so many kilometres with no run longer than this; nothing of the shortest
/// where all would become too short.
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

/// How far a planned run goes, by its time where it says no distance.
fn workout_km(s: &Situation<'_>, workout: &Workout) -> f64 {
    let by_time = || workout.duration.map(|time| time.seconds() / 60.0 / DEFAULT_MINUTES_PER_KM);
    planned_km(workout, s.athlete.easy_pace()).or_else(by_time).unwrap_or(0.0)
}
