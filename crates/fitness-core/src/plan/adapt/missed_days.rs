//! Days on which the athlete should have run and did not, without having said why.

use super::downgrade::eased;
use super::return_to_training::Rebuilt;
use super::{Adaptation, Cause, Situation, modify, shorter, skip};
use crate::adherence::grade::Verdict;
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::plan::{Change, Goal, TuneUp, Wish, WorkoutKind, generate};

/// A stretch of days without a run, and where the athlete is with it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pause {
    /// The last run before it.
    last: Day,
    /// The first run after it; `None` while there is none.
    back: Option<Day>,
    /// Days without a run.
    days: i64,
}

/// Days without a run from which on a pause is one, and from which on more is done about it.
const A_FEW: i64 = 3;
const A_WEEK: i64 = 7;
const TWO_WEEKS: i64 = 14;
const FOUR_WEEKS: i64 = 28;
/// Days back that a pause may have begun.
const LOOK_BACK: i64 = 400;

impl Pause {
    /// How many days coming back takes, from the first run on.
    const fn way_back(self) -> i64 {
        match self.days {
            ..A_WEEK => 3,
            A_WEEK..TWO_WEEKS => self.days,
            _ => TWO_WEEKS,
        }
    }

    /// Which of the four kinds of pause it is: the days from which on it is one.
    const fn kind(self) -> i64 {
        match self.days {
            ..A_WEEK => A_FEW,
            A_WEEK..TWO_WEEKS => A_WEEK,
            TWO_WEEKS..FOUR_WEEKS => TWO_WEEKS,
            _ => FOUR_WEEKS,
        }
    }

    /// The first day of coming back: the first run after it, or today.
    fn begins(self, today: Day) -> Day {
        self.back.unwrap_or(today)
    }

    fn covers(self, today: Day) -> bool {
        self.begins(today).plus(self.way_back()) > today
    }

    fn told(self) -> String {
        match self.back {
            None => format!("You have not run for {} days", self.days),
            Some(back) => format!("You did not run for {} days before {back}", self.days),
        }
    }
}

/// The longest pause that the athlete is still coming back from. What they explained is none, nor is a missed run with
/// the plan's own days off around it.
fn pause(s: &Situation<'_>) -> Option<Pause> {
    let complete = s.athlete.as_of;
    let ran = s.ran_since(complete.plus(-LOOK_BACK));
    let runs =
        || s.workouts.iter().zip(s.graded).filter(|(planned, _)| planned.workout.sport == Sport::Running);
    let closed = ran.windows(2).map(|pair| Pause {
        last: pair[0],
        back: Some(pair[1]),
        days: pair[0].until(pair[1]) - 1,
    });
    // Where the data is older than three days, what looks missed may only not have arrived.
    let arrived = complete.until(s.today) <= 3;
    let open = ran.last().filter(|_| arrived).map(|last| Pause {
        last: *last,
        back: None,
        days: last.until(complete),
    });
    let is_missed = |pause: &Pause| {
        let end = pause.back.map_or(complete, Day::previous);
        let missed = || {
            runs()
                .map(|(_, graded)| graded)
                .filter(|g| g.verdict == Verdict::Missed && g.excused.is_none())
                .map(|g| g.day)
                .filter(|day| *day > pause.last && *day <= end)
        };
        // From the first missed run through the last: what the plan has off around them was not missed.
        let Some((first, last)) = missed().min().zip(missed().max()) else { return false };
        pause.days >= A_WEEK || first.until(last) + 1 >= A_FEW
    };
    closed
        .chain(open)
        .filter(|pause| pause.days >= A_FEW && pause.covers(s.today) && is_missed(pause))
        .max_by_key(|pause| (pause.days, pause.last))
}

/// Days without a run: what is proposed follows from how many they were, and is counted from the first run after them.
pub(super) fn missed_days(s: &Situation<'_>) -> Option<Adaptation> {
    let pause = pause(s)?;
    // The last run says which pause it is, however it goes on; only one of another kind is news.
    let facts = (pause.last, pause.kind());
    let (begins, told) = (pause.begins(s.today), pause.told());
    let last = begins.plus(pause.way_back() - 1);
    let (message, changes): (String, Vec<Change>) = match pause.kind() {
        A_FEW => {
            let ahead = s.ahead(begins, last).filter_map(|planned| {
                let soon = begins.until(planned.workout.date) < 2;
                let fast = planned.workout.kind.is_quality() || planned.workout.kind == WorkoutKind::Strides;
                let less = match soon && fast {
                    true => eased(&planned.workout, 0.85, s.athlete),
                    false => shorter(&planned.workout, 0.85),
                };
                modify(planned, less, "A little less for three days")
            });
            let message = format!(
                "{told}. Three days at about 85 %, and two easy days before the first hard one. What was missed stays \
                 missed: nothing is doubled up."
            );
            (message, ahead.collect())
        }
        A_WEEK => {
            let half = begins.plus((pause.days + 1) / 2);
            let ahead = s.ahead(begins, last).filter_map(|planned| {
                let workout = &planned.workout;
                let next =
                    if workout.date < half { eased(workout, 0.5, s.athlete) } else { shorter(workout, 0.75) };
                modify(planned, next, "Half, then three quarters, after the pause")
            });
            let message = format!(
                "{told}. As many days again: the first half at 50 %, the second at 75 %. A stop of a week or more in the \
                 last sixteen weeks has cost runners 5 to 8 % on race day (Feely 2023)."
            );
            (message, ahead.collect())
        }
        TWO_WEEKS => match regenerated(s, pause) {
            Some(changes) => {
                (format!("{told}: the rest of the plan starts anew from what you run now."), changes)
            }
            None => {
                // No race to draft for, or none that can be drafted for any more: what is there comes back by steps.
                let rebuilt = Rebuilt::after_pause(s, pause.last, begins);
                (format!("{told}.{}", rebuilt.told(s)), rebuilt.changes)
            }
        },
        _ => {
            let message = format!(
                "{told}. The old plan has lost its ground: think about the race again, and draft a new plan."
            );
            return Some(s.made(Cause::MissedDays, &facts, message, Vec::new()));
        }
    };
    (!changes.is_empty()).then(|| s.made(Cause::MissedDays, &facts, message, changes))
}

/// The rest of the plan, drafted again from where the athlete was at the end of the pause: a run or two since then are no
/// base.
fn regenerated(s: &Situation<'_>, pause: Pause) -> Option<Vec<Change>> {
    let distance = s.plan.distance?;
    let ahead = || s.ahead(s.today, s.plan.race_date).map(|planned| &planned.workout);
    let along = || {
        let races = s.workouts.iter().map(|planned| &planned.workout);
        races.filter(|w| w.kind == WorkoutKind::Race && (s.today..s.plan.race_date).contains(&w.date))
    };
    let tune_up = along().find_map(|race| Some(TuneUp { on: race.date, distance: race.distance? }));
    let goal = if s.plan.goal.distance().is_some() { s.plan.goal } else { Goal::Custom };
    let wish = Wish {
        name: Some(s.plan.name.clone()),
        goal,
        distance: (goal == Goal::Custom).then_some(distance),
        start: if s.ran_since(s.today).is_empty() { s.today } else { s.today.next() },
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
    // Races along the way stand as they are planned. What cannot be planned around as a race, the days keep free.
    let without = |tune_up: Option<TuneUp>| {
        let mut free = Wish { tune_up, ..wish.clone() };
        let others = along().map(|race| race.date).filter(|day| tune_up.is_none_or(|race| race.on != *day));
        free.availability.blackouts.extend(others);
        free
    };
    let mut athlete = s.athlete.clone();
    athlete.runs.retain(|run| run.day <= pause.last);
    let made = generate(&without(tune_up), &athlete).or_else(|_| generate(&without(None), &athlete)).ok()?;
    let out =
        s.ahead(s.today, s.plan.race_date).map(|planned| skip(planned, "Drafted again after the pause"));
    let new = made
        .draft
        .workouts()
        .iter()
        .filter(|w| w.date >= wish.start && !w.is_rest() && w.kind != WorkoutKind::Race);
    Some(out.chain(new.map(|workout| Change::Add { workout: workout.clone() })).collect())
}
