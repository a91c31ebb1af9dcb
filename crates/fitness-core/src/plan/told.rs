//! What is said about a plan before a human decides, at the terminal and on a page alike.

use super::{
    Background, Generated, Outline, Phase, Plan, PlannedWorkout, Revision, RevisionOrigin, Week, WorkoutKind,
    planned_running,
};
use crate::calendar::Day;
use crate::text::{counted, visible};
use crate::units::{Distance, TimeSpan, UnitSystem};

/// Days without data from which on what a plan starts from is said with its day.
const OLD: i64 = 4;

/// A week of a drafted plan as it is told.
#[derive(Debug, Clone, PartialEq)]
pub struct ToldWeek {
    /// Its first day.
    pub first: Day,
    /// What it is for.
    pub phase: Phase,
    /// Whether it is an easier one.
    pub cutback: bool,
    /// How much running: by distance, or by time where no run has one.
    pub running: String,
    /// The same as a number of kilometres, where there is one.
    pub distance: Distance,
    /// The longest run.
    pub longest: Option<Distance>,
    /// What is hard, by its name. Made visible.
    pub hard: Vec<String>,
}

impl Generated {
    /// Its weeks in outline, as they are told.
    #[must_use]
    pub fn told_weeks(&self, units: UnitSystem) -> Vec<ToldWeek> {
        self.weeks.iter().map(|outline| self.told_week(outline, units)).collect()
    }

    fn told_week(&self, outline: &Outline, units: UnitSystem) -> ToldWeek {
        let (week, race) = (Week { first: outline.first }, self.draft.race_date());
        let workouts = self.draft.workouts();
        let training =
            || workouts.iter().filter(|w| week.contains(w.date)).filter(|w| w.kind != WorkoutKind::Race);
        let hard = workouts
            .iter()
            .filter(|w| week.contains(w.date) && w.key && w.kind != WorkoutKind::Long)
            .map(|w| visible(&w.name).to_string());
        let distance = planned_running(workouts, week, race);
        let running = if distance > Distance::ZERO {
            units.distance(distance).to_string()
        } else {
            let time = training().filter_map(|w| w.duration).sum::<TimeSpan>();
            if time > TimeSpan::ZERO { time.hours_minutes() } else { "nothing".to_owned() }
        };
        ToldWeek {
            first: outline.first,
            phase: outline.phase,
            cutback: outline.cutback,
            running,
            distance,
            longest: training().filter_map(|w| w.distance).max(),
            hard: hard.collect(),
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
                "{source}: {} in a usual week, {} the longest of the {days}, level {}.",
                shown(base),
                shown(longest),
                level.spoken()
            ),
            (Ok(base), Err(_), Ok(level)) => {
                format!("{source}: {} in a usual week, level {}.", shown(base), level.spoken())
            }
            _ => "From nothing: there are no four weeks of running to start from.".to_owned(),
        }
    }

    /// Where the paces of sessions come from.
    #[must_use]
    pub fn told_paces(&self) -> String {
        match &self.paces {
            Some(dated) => format!("Paces follow from your result of {}.", dated.result_on),
            None => "No result of the last 120 days gives a pace: sessions go by effort.".to_owned(),
        }
    }
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
