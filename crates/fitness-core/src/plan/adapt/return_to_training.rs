//! Coming back into a plan: its weeks, held to what was run since the return began, until they fit again.

use super::downgrade::eased;
use super::{Situation, modify, shorter, skip};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::lint::planned_km;
use crate::plan::{Change, Level, PlannedWorkout, Week, Workout, WorkoutKind, training_norms};

/// The weeks of a plan from a day on, rebuilt from a new base.
pub(super) struct Rebuilt {
    /// What would change.
    pub(super) changes: Vec<Change>,
    /// The first day from which on the plan is as it was; `None` when that is not before the race.
    met: Option<Day>,
    /// Kilometres of the fullest week as it is planned, and as it would be.
    planned: f64,
    reached: f64,
}

/// What was run, or will have been, since a return began.
pub(super) struct Since(Vec<Ran>);

/// One session.
struct Ran {
    day: Day,
    /// Kilometres as they are or will be recorded.
    km: f64,
    /// Kilometres as a plan counts them: a session by time counts as running, though some of it is walked.
    planned: f64,
}

impl Since {
    /// What was run from a day on.
    pub(super) fn ran(s: &Situation<'_>, from: Day) -> Self {
        let runs = s.athlete.runs.iter().filter(|run| run.day >= from);
        Self(
            runs.map(|run| Ran { day: run.day, km: run.distance.km(), planned: run.distance.km() }).collect(),
        )
    }

    /// A session that will have been run, as far as it counts; less where some of it is walked.
    pub(super) fn add(&mut self, s: &Situation<'_>, workout: &Workout, recorded: Option<f64>) {
        let planned = km_of(s, workout);
        self.0.push(Ran { day: workout.date, km: recorded.unwrap_or(planned), planned });
    }

    /// Kilometres that the rules on steps leave for a day and the rest of its week.
    pub(super) fn left(&self, s: &Situation<'_>, day: Day) -> f64 {
        let Some(week) = weeks(s, day).next() else { return 0.0 };
        let before = self.fullest_before(week);
        let level = s.athlete.level().unwrap_or(Level::Novice);
        let (step, _) = training_norms::week_over_before(level, s.athlete.age);
        let allowed = if before > 0.0 { after(before, step) } else { training_norms::FIRST_WEEK_FROM_ZERO };
        (allowed - self.planned_in(week)).max(0.0)
    }

    /// Kilometres of a week as they are recorded.
    fn in_week(&self, week: Week) -> f64 {
        self.0.iter().filter(|ran| week.contains(ran.day)).map(|ran| ran.km).sum()
    }

    /// Kilometres of a week as a plan counts them.
    fn planned_in(&self, week: Week) -> f64 {
        self.0.iter().filter(|ran| week.contains(ran.day)).map(|ran| ran.planned).sum()
    }

    /// The fullest of the four weeks before one.
    fn fullest_before(&self, week: Week) -> f64 {
        (1..=4).map(|back| self.in_week(week.plus(-back))).fold(0.0, f64::max)
    }

    /// The longest run of the 30 days before a day.
    fn longest_before(&self, day: Day) -> f64 {
        let recent = |ran: &&Ran| (1..=30).contains(&ran.day.until(day));
        self.0.iter().filter(recent).map(|ran| ran.km).fold(0.0, f64::max)
    }
}

/// Kilometres of a run that is worth putting shoes on for.
const WORTH_IT: f64 = 3.0;
/// The share of a week after two weeks and more without a run.
const AFTER_TWO_WEEKS: f64 = 0.5;
/// The share of the fullest week from which on a plan is met again.
const MET: f64 = 0.9;
/// Minutes for a kilometre where nobody knows better.
const USUAL: f64 = 6.0;

impl Rebuilt {
    /// The plan's weeks from a day on, by the rules on steps (R1, R2) measured from the return alone. What was run before
    /// it was another body's.
    pub(super) fn from_base(s: &Situation<'_>, from: Day, since: Since) -> Self {
        Self::new(s, from, since, None)
    }

    /// The same after weeks without a run: the first week may have half of what a week had before.
    pub(super) fn after_pause(s: &Situation<'_>, last: Day, begins: Day) -> Self {
        let before = (0..4).map(|back| s.athlete.run_in(last.plus(-6 - 7 * back), last.plus(-7 * back)).km());
        let first = before.fold(0.0, f64::max) * AFTER_TWO_WEEKS;
        Self::new(s, begins, Since::ran(s, begins), Some(first))
    }

    fn new(s: &Situation<'_>, from: Day, mut since: Since, first: Option<f64>) -> Self {
        let from = from.max(s.today);
        let level = s.athlete.level().unwrap_or(Level::Novice);
        let (step, _) = training_norms::week_over_before(level, s.athlete.age);
        let least = first.unwrap_or(training_norms::FIRST_WEEK_FROM_ZERO);
        let (mut changes, mut left_alone) = (Vec::new(), None);
        let (mut planned, mut reached) = (0.0_f64, 0.0_f64);
        // Nothing hard in the first week, nor before a whole week of the plan fits.
        let mut hard_from = None;
        for week in weeks(s, from) {
            let runs: Vec<&PlannedWorkout> = s
                .ahead(week.first.max(from), week.last())
                .filter(|planned| planned.workout.sport == Sport::Running)
                .collect();
            let (done, before) = (since.planned_in(week), since.fullest_before(week));
            let allowed = after(before, step).max(least) - done;
            let longest = (since.longest_before(week.first.max(from)) * training_norms::SESSION_SPIKE.0)
                .max(training_norms::SHORT_RUN);
            let wanted: Vec<f64> = runs.iter().map(|run| km_of(s, &run.workout)).collect();
            let whole: f64 = wanted.iter().sum();
            let fits = whole <= allowed + 1e-6 && wanted.iter().all(|km| *km <= longest + 1e-6);
            if fits && hard_from.is_none() {
                hard_from = Some(week.first.max(from.plus(7)));
            }
            let kept = if fits { vec![1.0; runs.len()] } else { shares(&wanted, allowed, longest) };
            let mut changed = false;
            for (run, share) in runs.iter().zip(kept) {
                let workout = &run.workout;
                let fast = workout.kind.is_quality() || workout.kind == WorkoutKind::Strides;
                let soft = fast && hard_from.is_none_or(|day| workout.date < day);
                let next = match (share, soft) {
                    (share, _) if share <= 0.0 => None,
                    (share, true) => {
                        Some((eased(workout, share, s.athlete), "Easy until the plan fits again"))
                    }
                    (share, false) if share < 1.0 => {
                        Some((shorter(workout, share), "From what you have run since, by steps"))
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
            planned = planned.max(whole + done);
            reached = reached.max(since.planned_in(week));
            left_alone = if changed { None } else { left_alone.or(Some(week.first.max(from))) };
        }
        let met = left_alone.filter(|_| reached >= MET * planned);
        Self { changes, met, planned, reached }
    }

    /// What to say about it; empty when nothing has to change.
    pub(super) fn told(&self, s: &Situation<'_>) -> String {
        if self.changes.is_empty() {
            return String::new();
        }
        let shown = |km: f64| s.units.distance(Distance::from_km(km).unwrap_or_default()).to_string();
        let by_steps =
            " After that the weeks grow from what you have run since, without anything hard at first";
        match self.met {
            Some(day) => format!("{by_steps}; from {day} on the plan is as it was."),
            None if s.plan.distance.is_none() => {
                format!("{by_steps}: up to {} instead of {}.", shown(self.reached), shown(self.planned))
            }
            None => format!(
                "{by_steps}. The plan is not met again before the race on {}: its fullest week has {} instead of {}. Think \
                 about a later or a shorter race, or one without a target.",
                s.plan.race_date,
                shown(self.reached),
                shown(self.planned)
            ),
        }
    }
}

/// The weeks from the one a day is in to the end of the plan, as the linter has them.
fn weeks(s: &Situation<'_>, from: Day) -> impl Iterator<Item = Week> {
    let (first, end) = match s.plan.distance {
        Some(_) => (from.plus(-(6 - from.until(s.plan.race_date).rem_euclid(7))), s.plan.race_date),
        None => (from.iso_week().monday(), s.plan.race_date),
    };
    (0..).map(move |number| Week { first }.plus(number)).take_while(move |week| week.first <= end)
}

/// What a week may have after one of so many kilometres.
fn after(km: f64, step: f64) -> f64 {
    let (by, below) = training_norms::SMALL_WEEK;
    (km * step).max((km + by).min(below - 0.1))
}

/// How much of each run is left in a week of so many kilometres with no run longer than this; nothing of the shortest
/// where all would become too short.
fn shares(wanted: &[f64], allowed: f64, longest: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).filter(|at| wanted[*at] > 0.0).collect();
    order.sort_by(|a, b| wanted[*b].total_cmp(&wanted[*a]));
    let enough = (allowed / WORTH_IT).floor().max(0.0) as usize;
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
fn km_of(s: &Situation<'_>, workout: &Workout) -> f64 {
    let by_time = || workout.duration.map(|time| time.seconds() / 60.0 / USUAL);
    planned_km(workout, s.athlete.easy_pace()).or_else(by_time).unwrap_or(0.0)
}
