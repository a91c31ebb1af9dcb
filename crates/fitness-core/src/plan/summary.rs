//! What is said about a plan before a human decides, at the terminal and on a page alike.

use super::lint::pace_range;
use super::training_norms::PACES_LAST;
use super::{
    Asked, Background, Generated, Level, Outline, Plan, PlannedWorkout, Revision, RevisionOrigin, Workout,
    WorkoutKind, Written,
};
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, UnitSystem};
use crate::domain::untrusted_text::{counted, visible};

/// Days without data from which on what a plan starts from is said with its day.
const OLD: i64 = 4;

/// A week of a drafted plan as it is told.
#[derive(Debug, Clone, PartialEq)]
pub struct ToldWeek {
    /// Its first day.
    pub first: Day,
    /// What it is for: `base`, `build (easier)`; or `first 3 days`, where the plan begins within a week.
    pub called: String,
    /// How much running: by distance, and by time where a run has none.
    pub running: String,
    /// The longest run.
    pub longest: Option<Distance>,
    /// What is hard, by its name. Made visible.
    pub hard: Vec<String>,
}

impl Generated {
    /// Its weeks in outline, as they are told, with the days before the first full one where there are some.
    #[must_use]
    pub fn told_weeks(&self, units: UnitSystem) -> Vec<ToldWeek> {
        let start = self.draft.start_date();
        let days = self.weeks.first().map_or(0, |week| start.until(week.first));
        let lead_in = (days > 0).then(|| {
            let called = if days == 1 { "first day".to_owned() } else { format!("first {days} days") };
            self.told_week(start, days, called, units)
        });
        let called = |outline: &Outline| {
            format!("{}{}", outline.phase, if outline.cutback { " (easier)" } else { "" })
        };
        // Race week alone may begin within the week before the race.
        let full = self.weeks.iter().map(|outline| {
            let first = outline.first.max(start);
            self.told_week(first, 7 - outline.first.until(first), called(outline), units)
        });
        lead_in.into_iter().chain(full).collect()
    }

    fn told_week(&self, first: Day, days: i64, called: String, units: UnitSystem) -> ToldWeek {
        let (workouts, race) = (self.draft.workouts(), self.draft.race_date());
        let within = || workouts.iter().filter(|w| (0..days).contains(&first.until(w.date)));
        let training = || within().filter(|w| w.kind != WorkoutKind::Race);
        let hard = within().filter(|w| w.key && w.kind != WorkoutKind::Long);
        let Asked { distance, by_time, .. } = Asked::of(within(), race);
        let asked = Written { distance, time: by_time };
        ToldWeek {
            first,
            called,
            running: if asked.is_nothing() { "nothing".to_owned() } else { asked.spoken(units) },
            longest: training().filter_map(|w| w.distance).max(),
            hard: hard.map(|w| visible(&w.name).to_string()).collect(),
        }
    }
}

impl Background {
    /// What a plan starts from, and where that comes from.
    #[must_use]
    pub fn told(&self, units: UnitSystem) -> String {
        let shown = |distance: Distance| units.distance(distance).to_string();
        let typed = !self.is_recorded() || self.stated.base.is_some_and(|base| self.base() == Ok(base));
        // What ended a while ago is not told as if it were today.
        let old = self.silent_days() >= OLD && self.is_recorded();
        let source = match typed {
            true => "From what you typed".to_owned(),
            false if old => {
                format!("From what you ran up to {}, {} days ago", self.as_of, self.silent_days() + 1)
            }
            false => "From what you run".to_owned(),
        };
        let days = if old { "30 days before that" } else { "last 30 days" };
        match (self.base(), self.longest(), self.level()) {
            (Ok(base), Ok(longest), Ok(level)) => format!(
                "{source}: {} in a usual week, {} the longest of the {days}. {}",
                shown(base),
                shown(longest),
                self.told_level(level, units)
            ),
            (Ok(base), Err(_), Ok(level)) => {
                format!("{source}: {} in a usual week. {}", shown(base), self.told_level(level, units))
            }
            _ => "From nothing: there are no four weeks of running to start from.".to_owned(),
        }
    }

    /// What a level means for the plan and why it is that one, without a word that sizes anybody up.
    fn told_level(&self, level: Level, units: UnitSystem) -> String {
        let [few, many] = [30, 65].map(|km| units.distance(Distance::from_mm(km * 1_000_000)));
        let by_base = self.base().ok().map(Level::of_base);
        match level {
            Level::Novice if self.stated.level.is_none() && by_base != Some(Level::Novice) => {
                "It builds up carefully, as there is less than a year of running to look back on.".to_owned()
            }
            Level::Novice => format!("It builds up carefully, as for less than {few} a week."),
            Level::Intermediate => format!("It builds up as for {few} to {many} a week."),
            Level::Advanced => format!("It builds up as for {many} a week and more."),
        }
    }

    /// Whether sessions can go by pace, before there are any.
    #[must_use]
    pub fn told_result(&self) -> String {
        match &self.paces {
            Some(dated) => format!("Your result of {} gives paces.", dated.result_on.spoken()),
            None => no_result(),
        }
    }

    /// Where the paces of these sessions come from, if they have any.
    #[must_use]
    pub fn told_paces<'a>(&self, workouts: impl IntoIterator<Item = &'a Workout>) -> String {
        let paced = |workout: &Workout| workout.steps.iter().any(|step| pace_range(step).is_some());
        let paced = workouts.into_iter().any(paced);
        match &self.paces {
            Some(dated) if paced => format!("Paces follow from your result of {}.", dated.result_on.spoken()),
            Some(_) => "Its sessions go by effort.".to_owned(),
            None => no_result(),
        }
    }
}

fn no_result() -> String {
    format!("No result of the last {PACES_LAST} days gives a pace: sessions go by effort.")
}

impl Plan {
    /// How many workouts lie between a plan's first day and today, where it could be begun today instead; `None` where there
    /// is nothing to choose.
    #[must_use]
    pub fn behind(&self, workouts: &[PlannedWorkout], today: Day) -> Option<usize> {
        let over = workouts.iter().map(|planned| &planned.workout);
        let over = over.filter(|w| !w.is_rest() && (self.start_date..today).contains(&w.date)).count();
        let within = (self.start_date.next()..=self.race_date).contains(&today);
        (within && over > 0).then_some(over)
    }

    /// What beginning today, or as planned, means for so many workouts that lie before today.
    #[must_use]
    pub fn told_beginning(&self, behind: usize, on: Option<Day>) -> String {
        let before = counted(behind as u64, "workout lies", "workouts lie");
        match on {
            Some(today) => {
                format!("It begins today, {today}: {before} before that, and will not be judged.")
            }
            None => format!("It counts from {}: {before} before today, and will be judged.", self.start_date),
        }
    }

    /// What archiving it does.
    #[must_use]
    pub fn told_archiving(&self) -> String {
        format!(
            "Plan {}, {}, will no longer be tracked. You keep it, with its verdicts.",
            self.id,
            visible(&self.name)
        )
    }

    /// What deleting it does.
    #[must_use]
    pub fn told_deleting(&self) -> String {
        format!(
            "Plan {}, {}, will be gone for good, with its workouts and revisions.",
            self.id,
            visible(&self.name)
        )
    }
}

impl Revision {
    /// Who thought of it. Whoever that was, the athlete decided.
    #[must_use]
    pub fn told_origin(&self) -> String {
        match (self.origin, self.proposed_by.zip(self.proposal)) {
            (RevisionOrigin::Apply, Some((from, proposal))) => {
                format!("{}; you applied proposal {proposal}", from.spoken())
            }
            (RevisionOrigin::Apply, None) => "a proposal; you applied it".to_owned(),
            (RevisionOrigin::Draft, _) => "the draft; you activated it".to_owned(),
            (RevisionOrigin::Edit, _) => "your edit".to_owned(),
            (RevisionOrigin::Revert, _) => "you went back".to_owned(),
        }
    }
}
