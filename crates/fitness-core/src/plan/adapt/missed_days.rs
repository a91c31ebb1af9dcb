//! Adaptation to unexplained days without a run.

use super::downgrade::downgrade;
use super::return_to_training::PlanRebuild;
use super::{AdaptInput, Adaptation, Cause, modify, scale_workout, skip};
use crate::adherence::grade::Verdict;
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::plan::{Change, GoalDistance, PlanRequest, TuneUp, WorkoutKind, generate};

/// A break in running, and how far the return is.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TrainingBreak {
    last_run: Day,
    /// First run after it; `None` while it lasts.
    returned_on: Option<Day>,
    days: i64,
}

/// Shortest break, in days, and the lengths from which more is done.
const MIN_BREAK_DAYS: i64 = 3;
const ONE_WEEK: i64 = 7;
const TWO_WEEKS: i64 = 14;
const FOUR_WEEKS: i64 = 28;
/// How far back a break may have begun, in days.
const LOOKBACK_DAYS: i64 = 400;

impl TrainingBreak {
    /// Length of the return in days, from the first run.
    const fn way_back(self) -> i64 {
        match self.days {
            ..ONE_WEEK => 3,
            ONE_WEEK..TWO_WEEKS => self.days,
            _ => TWO_WEEKS,
        }
    }

    /// Length category: its lower bound in days.
    const fn length_class_days(self) -> i64 {
        match self.days {
            ..ONE_WEEK => MIN_BREAK_DAYS,
            ONE_WEEK..TWO_WEEKS => ONE_WEEK,
            TWO_WEEKS..FOUR_WEEKS => TWO_WEEKS,
            _ => FOUR_WEEKS,
        }
    }

    /// First day of the return: the first run after the break, or today.
    fn return_start(self, today: Day) -> Day {
        self.returned_on.unwrap_or(today)
    }

    fn is_returning(self, today: Day) -> bool {
        self.return_start(today).plus_days(self.way_back()) > today
    }

    fn describe(self) -> String {
        match self.returned_on {
            None => format!("You have not run for {} days", self.days),
            Some(back) => format!("You did not run for {} days before {back}", self.days),
        }
    }
}

/// The longest break whose return is not finished. Explained absences do not count, nor does a
/// single missed run next to planned rest days.
fn find_break(s: &AdaptInput<'_>) -> Option<TrainingBreak> {
    let complete = s.athlete.as_of;
    let ran = s.run_days_since(complete.plus_days(-LOOKBACK_DAYS));
    let runs =
        || s.workouts.iter().zip(s.graded).filter(|(planned, _)| planned.workout.sport == Sport::Running);
    let closed = ran.windows(2).map(|pair| TrainingBreak {
        last_run: pair[0],
        returned_on: Some(pair[1]),
        days: pair[0].days_until(pair[1]) - 1,
    });
    // With data older than three days, a missed run may just not be synced yet.
    let arrived = complete.days_until(s.today) <= 3;
    let open = ran.last().filter(|_| arrived).map(|last| TrainingBreak {
        last_run: *last,
        returned_on: None,
        days: last.days_until(complete),
    });
    let is_missed = |pause: &TrainingBreak| {
        let end = pause.returned_on.map_or(complete, Day::previous);
        let missed = || {
            runs()
                .map(|(_, graded)| graded)
                .filter(|g| g.verdict == Verdict::Missed && g.excused.is_none())
                .map(|g| g.day)
                .filter(|day| *day > pause.last_run && *day <= end)
        };
        // From the first missed run through the last: planned rest days around them were not
        // missed.
        let Some((first, last)) = missed().min().zip(missed().max()) else { return false };
        pause.days >= ONE_WEEK || first.days_until(last) + 1 >= MIN_BREAK_DAYS
    };
    closed
        .chain(open)
        .filter(|pause| pause.days >= MIN_BREAK_DAYS && pause.is_returning(s.today) && is_missed(pause))
        .max_by_key(|pause| (pause.days, pause.last_run))
}

/// Proposal after days without a run. It depends on their number and starts with the first run
/// after them.
pub(super) fn missed_days(s: &AdaptInput<'_>) -> Option<Adaptation> {
    let pause = find_break(s)?;
    // The last run identifies the break; only a longer category is a new fact.
    let facts = (pause.last_run, pause.length_class_days());
    let (begins, told) = (pause.return_start(s.today), pause.describe());
    let last = begins.plus_days(pause.way_back() - 1);
    let (message, changes): (String, Vec<Change>) = match pause.length_class_days() {
        MIN_BREAK_DAYS => {
            let ahead = s.changeable_workouts(begins, last).filter_map(|planned| {
                let soon = begins.days_until(planned.workout.date) < 2;
                let fast = planned.workout.kind.is_quality() || planned.workout.kind == WorkoutKind::Strides;
                let less = match soon && fast {
                    true => downgrade(&planned.workout, 0.85, s.athlete),
                    false => scale_workout(&planned.workout, 0.85),
                };
                modify(planned, less, "A little shorter for three days")
            });
            let message = format!(
                "{told}. Three days at about 85%, and two easy days before the first hard one. Missed training is not made \
                 up."
            );
            (message, ahead.collect())
        }
        ONE_WEEK => {
            let half = begins.plus_days((pause.days + 1) / 2);
            let ahead = s.changeable_workouts(begins, last).filter_map(|planned| {
                let workout = &planned.workout;
                let next = if workout.date < half {
                    downgrade(workout, 0.5, s.athlete)
                } else {
                    scale_workout(workout, 0.75)
                };
                modify(planned, next, "Half, then three quarters, after the break")
            });
            let message = format!(
                "{told}. Take the same number of days to come back: the first half of them at 50%, the second half at 75%. A break of a week or \
                 more in the last sixteen weeks has cost runners 5% to 8% on race day (Feely et al. 2023)."
            );
            (message, ahead.collect())
        }
        TWO_WEEKS => match regenerate_rest(s, pause) {
            Some(changes) => (
                format!("{told}: the rest of the plan is drafted again from your current training."),
                changes,
            ),
            None => {
                // Without a race, or if none can be drafted for, the existing weeks come back
                // gradually.
                let rebuilt = PlanRebuild::after_training_break(s, pause.last_run, begins);
                (format!("{told}.{}", rebuilt.message(s)), rebuilt.changes)
            }
        },
        _ => {
            let message = format!(
                "{told}. The plan no longer fits your training: reconsider the race and draft a new plan."
            );
            return Some(s.adaptation(Cause::MissedDays, &facts, message, Vec::new()));
        }
    };
    (!changes.is_empty()).then(|| s.adaptation(Cause::MissedDays, &facts, message, changes))
}

/// Drafts the rest of the plan again from the baseline at the end of the break; a run or two since
/// then are no base.
fn regenerate_rest(s: &AdaptInput<'_>, pause: TrainingBreak) -> Option<Vec<Change>> {
    let distance = s.plan.distance?;
    let ahead = || s.changeable_workouts(s.today, s.plan.race_date).map(|planned| &planned.workout);
    let along = || {
        let races = s.workouts.iter().map(|planned| &planned.workout);
        races.filter(|w| w.kind == WorkoutKind::Race && (s.today..s.plan.race_date).contains(&w.date))
    };
    let tune_up = along().find_map(|race| Some(TuneUp { on: race.date, distance: race.distance? }));
    let goal = if s.plan.goal.distance().is_some() { s.plan.goal } else { GoalDistance::Custom };
    let wish = PlanRequest {
        name: Some(s.plan.name.clone()),
        goal,
        distance: (goal == GoalDistance::Custom).then_some(distance),
        start: if s.run_days_since(s.today).is_empty() { s.today } else { s.today.next() },
        race: s.plan.race_date,
        target: s.plan.target_time,
        availability: s.plan.terms.availability.clone(),
        long_day: None,
        tune_up,
        strength: ahead().any(|workout| workout.sport == Sport::Strength),
        cross: ahead()
            .find(|workout| workout.kind == WorkoutKind::CrossTraining)
            .map(|workout| workout.sport),
        units: s.units,
    };
    // Tune-up races stay as planned. Those that the generator cannot place are kept free as blocked
    // days.
    let without = |tune_up: Option<TuneUp>| {
        let mut free = PlanRequest { tune_up, ..wish.clone() };
        let others = along().map(|race| race.date).filter(|day| tune_up.is_none_or(|race| race.on != *day));
        free.availability.blackouts.extend(others);
        free
    };
    let mut athlete = s.athlete.clone();
    athlete.runs.retain(|run| run.day <= pause.last_run);
    let made = generate(&without(tune_up), &athlete).or_else(|_| generate(&without(None), &athlete)).ok()?;
    let out = s
        .changeable_workouts(s.today, s.plan.race_date)
        .map(|planned| skip(planned, "Drafted again after the break"));
    let new = made
        .draft
        .workouts()
        .iter()
        .filter(|w| w.date >= wish.start && !w.is_rest() && w.kind != WorkoutKind::Race);
    Some(out.chain(new.map(|workout| Change::Add { workout: workout.clone() })).collect())
}
