//! What is said about a plan before a human decides, at the terminal and on a page alike.

use super::lint::pace_range;
use super::training_norms::PACES_VALID_DAYS;
use super::{
    GeneratedPlan, Level, Plan, PlannedAmount, PlannedVolume, PlannedWorkout, Revision, RevisionOrigin,
    TrainingBaseline, WeekOutline, Workout, WorkoutKind,
};
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, UnitSystem};
use crate::domain::untrusted_text::{escape_invisible, pluralize};

/// Days without data from which on what a plan starts from is said with its day.
const STALE_DATA_DAYS: i64 = 4;

/// A week of a drafted plan as it is told.
#[derive(Debug, Clone, PartialEq)]
pub struct WeekSummary {
    /// Its first day.
    pub first: Day,
    /// What it is for: `base`, `build (easier)`; or `first 3 days`, where the plan begins within a week.
    pub label: String,
    /// How much running: by distance, and by time where a run has none.
    pub running: String,
    /// The longest run.
    pub longest: Option<Distance>,
    /// What is hard, by its name. Made visible.
    pub hard: Vec<String>,
}

impl GeneratedPlan {
    /// Its weeks in outline, as they are told, with the days before the first full one where there are some.
    #[must_use]
    pub fn week_summaries(&self, units: UnitSystem) -> Vec<WeekSummary> {
        let start = self.draft.start_date();
        let days = self.weeks.first().map_or(0, |week| start.days_until(week.first));
        let lead_in = (days > 0).then(|| {
            let called = if days == 1 { "first day".to_owned() } else { format!("first {days} days") };
            self.week_summary(start, days, called, units)
        });
        let called = |outline: &WeekOutline| {
            format!("{}{}", outline.phase, if outline.cutback { " (easier)" } else { "" })
        };
        // Race week alone may begin within the week before the race.
        let full = self.weeks.iter().map(|outline| {
            let first = outline.first.max(start);
            self.week_summary(first, 7 - outline.first.days_until(first), called(outline), units)
        });
        lead_in.into_iter().chain(full).collect()
    }

    fn week_summary(&self, first: Day, days: i64, called: String, units: UnitSystem) -> WeekSummary {
        let (workouts, race) = (self.draft.workouts(), self.draft.race_date());
        let within = || workouts.iter().filter(|w| (0..days).contains(&first.days_until(w.date)));
        let training = || within().filter(|w| w.kind != WorkoutKind::Race);
        let hard = within().filter(|w| w.key && w.kind != WorkoutKind::Long);
        let PlannedAmount { distance, by_time, .. } = PlannedAmount::from_workouts(within(), race);
        let asked = PlannedVolume { distance, time: by_time };
        WeekSummary {
            first,
            label: called,
            running: if asked.is_empty() { "nothing".to_owned() } else { asked.label(units) },
            longest: training().filter_map(|w| w.distance).max(),
            hard: hard.map(|w| escape_invisible(&w.name).to_string()).collect(),
        }
    }
}

impl TrainingBaseline {
    /// What a plan starts from, and where that comes from.
    #[must_use]
    pub fn describe(&self, units: UnitSystem) -> String {
        let shown = |distance: Distance| units.format_distance(distance).to_string();
        let typed =
            !self.has_recorded_base() || self.self_reported.base.is_some_and(|base| self.base() == Ok(base));
        // What ended a while ago is not told as if it were today.
        let old = self.days_without_data() >= STALE_DATA_DAYS && self.has_recorded_base();
        let source = match typed {
            true => "From what you typed".to_owned(),
            false if old => {
                format!("From what you ran up to {}, {} days ago", self.as_of, self.days_without_data() + 1)
            }
            false => "From what you run".to_owned(),
        };
        let days = if old { "30 days before that" } else { "last 30 days" };
        match (self.base(), self.longest_run(), self.level()) {
            (Ok(base), Ok(longest), Ok(level)) => format!(
                "{source}: {} in a usual week, {} the longest of the {days}. {}",
                shown(base),
                shown(longest),
                self.describe_level(level, units)
            ),
            (Ok(base), Err(_), Ok(level)) => {
                format!("{source}: {} in a usual week. {}", shown(base), self.describe_level(level, units))
            }
            _ => "From nothing: there are no four weeks of running to start from.".to_owned(),
        }
    }

    /// What a level means for the plan and why it is that one, without a word that sizes anybody up.
    fn describe_level(&self, level: Level, units: UnitSystem) -> String {
        let [few, many] = [30, 65].map(|km| units.format_distance(Distance::from_mm(km * 1_000_000)));
        let by_base = self.base().ok().map(Level::from_weekly_distance);
        match level {
            Level::Novice if self.self_reported.level.is_none() && by_base != Some(Level::Novice) => {
                "It builds up carefully, as there is less than a year of running to look back on.".to_owned()
            }
            Level::Novice => format!("It builds up carefully, as for less than {few} a week."),
            Level::Intermediate => format!("It builds up as for {few} to {many} a week."),
            Level::Advanced => format!("It builds up as for {many} a week and more."),
        }
    }

    /// Whether sessions can go by pace, before there are any.
    #[must_use]
    pub fn describe_result_basis(&self) -> String {
        match &self.paces {
            Some(dated) => format!("Your result of {} gives paces.", dated.result_on.format_long()),
            None => no_result_message(),
        }
    }

    /// Where the paces of these sessions come from, if they have any.
    #[must_use]
    pub fn describe_pace_basis<'a>(&self, workouts: impl IntoIterator<Item = &'a Workout>) -> String {
        let paced = |workout: &Workout| workout.steps.iter().any(|step| pace_range(step).is_some());
        let paced = workouts.into_iter().any(paced);
        match &self.paces {
            Some(dated) if paced => {
                format!("Paces follow from your result of {}.", dated.result_on.format_long())
            }
            Some(_) => "Its sessions go by effort.".to_owned(),
            None => no_result_message(),
        }
    }
}

fn no_result_message() -> String {
    format!("No result of the last {PACES_VALID_DAYS} days gives a pace: sessions go by effort.")
}

impl Plan {
    /// How many workouts lie between a plan's first day and today, where it could be begun today instead; `None` where there
    /// is nothing to choose.
    #[must_use]
    pub fn workouts_before_today(&self, workouts: &[PlannedWorkout], today: Day) -> Option<usize> {
        let over = workouts.iter().map(|planned| &planned.workout);
        let over = over.filter(|w| !w.is_rest() && (self.start_date..today).contains(&w.date)).count();
        let within = (self.start_date.next()..=self.race_date).contains(&today);
        (within && over > 0).then_some(over)
    }

    /// What beginning today, or as planned, means for so many workouts that lie before today.
    #[must_use]
    pub fn describe_late_start(&self, behind: usize, on: Option<Day>) -> String {
        let before = pluralize(behind as u64, "workout lies", "workouts lie");
        match on {
            Some(today) => {
                format!("It begins today, {today}: {before} before that, and will not be judged.")
            }
            None => format!("It counts from {}: {before} before today, and will be judged.", self.start_date),
        }
    }

    /// What archiving it does.
    #[must_use]
    pub fn describe_archiving(&self) -> String {
        format!(
            "Plan {}, {}, will no longer be tracked. You keep it, with its verdicts.",
            self.id,
            escape_invisible(&self.name)
        )
    }

    /// What deleting it does.
    #[must_use]
    pub fn describe_deletion(&self) -> String {
        format!(
            "Plan {}, {}, will be gone for good, with its workouts and revisions.",
            self.id,
            escape_invisible(&self.name)
        )
    }
}

impl Revision {
    /// Who thought of it. Whoever that was, the athlete decided.
    #[must_use]
    pub fn describe_origin(&self) -> String {
        match (self.origin, self.proposed_by.zip(self.proposal)) {
            (RevisionOrigin::Apply, Some((from, proposal))) => {
                format!("{}; you applied proposal {proposal}", from.label())
            }
            (RevisionOrigin::Apply, None) => "a proposal; you applied it".to_owned(),
            (RevisionOrigin::Draft, _) => "the draft; you activated it".to_owned(),
            (RevisionOrigin::Edit, _) => "your edit".to_owned(),
            (RevisionOrigin::Revert, _) => "you went back".to_owned(),
        }
    }
}
