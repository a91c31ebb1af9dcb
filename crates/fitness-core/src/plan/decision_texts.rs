//! Texts about a plan shown before the athlete decides, in the CLI and on the web.

use super::lint::pace_range;
use super::training_norms::PACES_VALID_DAYS;
use super::{
    GeneratedPlan, Level, Plan, PlannedRunningTotals, PlannedVolume, PlannedWorkout, Revision,
    RevisionOrigin, TrainingBaseline, WeekOutline, Workout, WorkoutKind,
};
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, UnitSystem};
use crate::domain::untrusted_text::{escape_invisible, pluralize};

/// From this many days without data, the date of the last data is shown.
const STALE_DATA_DAYS: i64 = 4;

/// One row of a draft's week table.
#[derive(Debug, Clone, PartialEq)]
pub struct WeekSummary {
    pub first: Day,
    /// `base`, `build (cut-back)`, or `first 3 days` for a partial first week.
    pub label: String,
    /// Running distance, plus the time of runs without one.
    pub running: String,
    pub longest: Option<Distance>,
    /// Names of hard workouts, escaped.
    pub hard: Vec<String>,
}

impl GeneratedPlan {
    /// The rows of the week table, including a partial first week.
    #[must_use]
    pub fn week_summaries(&self, units: UnitSystem) -> Vec<WeekSummary> {
        let start = self.draft.start_date();
        let days = self.weeks.first().map_or(0, |week| start.days_until(week.first));
        let lead_in = (days > 0).then(|| {
            let called = if days == 1 { "first day".to_owned() } else { format!("first {days} days") };
            self.week_summary(start, days, called, units)
        });
        let called = |outline: &WeekOutline| {
            format!("{}{}", outline.phase, if outline.cutback { " (cut-back)" } else { "" })
        };
        // If there is only race week, it may be partial.
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
        let PlannedRunningTotals { distance, by_time, .. } =
            PlannedRunningTotals::from_workouts(within(), race);
        let asked = PlannedVolume { distance, time: by_time };
        WeekSummary {
            first,
            label: called,
            running: if asked.is_empty() { "none".to_owned() } else { asked.label(units) },
            longest: training().filter_map(|w| w.distance).max(),
            hard: hard.map(|w| escape_invisible(&w.name).to_string()).collect(),
        }
    }
}

impl TrainingBaseline {
    /// What the plan starts from, and where that comes from.
    #[must_use]
    pub fn describe(&self, units: UnitSystem) -> String {
        let shown = |distance: Distance| units.format_distance(distance).to_string();
        let typed =
            !self.has_recorded_base() || self.self_reported.base.is_some_and(|base| self.base() == Ok(base));
        // Old data is shown with its date.
        let old = self.days_without_data() >= STALE_DATA_DAYS && self.has_recorded_base();
        let usually = match typed {
            true => "From what you entered: you usually run".to_owned(),
            false if old => {
                format!("Up to {}, {} days ago, you usually ran", self.as_of, self.days_without_data() + 1)
            }
            false => "You usually run".to_owned(),
        };
        let days = if old { "30 days before that" } else { "last 30 days" };
        match (self.base(), self.longest_run(), self.level()) {
            (Ok(base), Ok(longest), Ok(level)) => format!(
                "{usually} {} a week, and your longest run in the {days} was {}. {}",
                shown(base),
                shown(longest),
                self.describe_level(level, units)
            ),
            (Ok(base), Err(_), Ok(level)) => {
                format!("{usually} {} a week. {}", shown(base), self.describe_level(level, units))
            }
            _ => "The plan starts from zero because you have fewer than four weeks of recorded runs."
                .to_owned(),
        }
    }

    /// What the level means for the plan, without labelling the athlete.
    fn describe_level(&self, level: Level, units: UnitSystem) -> String {
        let [few, many] = [30, 65].map(|km| units.format_distance(Distance::from_mm(km * 1_000_000)));
        let by_base = self.base().ok().map(Level::from_weekly_distance);
        match level {
            Level::Novice if self.self_reported.level.is_none() && by_base != Some(Level::Novice) => {
                "The plan builds up carefully because you have less than a year of running history."
                    .to_owned()
            }
            Level::Novice => format!(
                "The plan builds up carefully, as it does for everyone who runs less than {few} a week."
            ),
            Level::Intermediate => {
                format!("The plan builds up at the rate for runners who run {few} to {many} a week.")
            }
            Level::Advanced => {
                format!("The plan builds up at the rate for runners who run {many} a week or more.")
            }
        }
    }

    /// Whether workouts can have paces, before any are planned.
    #[must_use]
    pub fn describe_result_basis(&self) -> String {
        match &self.paces {
            Some(dated) => format!("Paces are based on your result from {}.", dated.result_on.format_long()),
            None => no_result_message(),
        }
    }

    /// Where the paces of these workouts come from, if they have any.
    #[must_use]
    pub fn describe_pace_basis<'a>(&self, workouts: impl IntoIterator<Item = &'a Workout>) -> String {
        let paced = |workout: &Workout| workout.steps.iter().any(|step| pace_range(step).is_some());
        let paced = workouts.into_iter().any(paced);
        match &self.paces {
            Some(dated) if paced => {
                format!("Paces are based on your result from {}.", dated.result_on.format_long())
            }
            Some(_) => "Workouts are planned by effort.".to_owned(),
            None => no_result_message(),
        }
    }
}

fn no_result_message() -> String {
    format!(
        "No race result from the last {PACES_VALID_DAYS} days, so workouts are planned by effort instead of pace."
    )
}

impl Plan {
    /// Number of workouts before today, if the plan could start today instead; `None` if there is
    /// no choice.
    #[must_use]
    pub fn workouts_before_today(&self, workouts: &[PlannedWorkout], today: Day) -> Option<usize> {
        let over = workouts.iter().map(|planned| &planned.workout);
        let over = over.filter(|w| !w.is_rest() && (self.start_date..today).contains(&w.date)).count();
        let within = (self.start_date.next()..=self.race_date).contains(&today);
        (within && over > 0).then_some(over)
    }

    /// What starting today, or as planned, means for the workouts before today.
    #[must_use]
    pub fn describe_late_start(&self, behind: usize, on: Option<Day>) -> String {
        let before = pluralize(behind as u64, "workout", "workouts");
        match on {
            Some(today) => {
                format!("The plan starts today, {today}. {before} before that will not be graded.")
            }
            None => format!("The plan starts on {}. {before} before today will be graded.", self.start_date),
        }
    }

    #[must_use]
    pub fn describe_archiving(&self) -> String {
        format!(
            "Plan {} ({}) will no longer be active. You keep it, with its results.",
            self.id,
            escape_invisible(&self.name)
        )
    }

    #[must_use]
    pub fn describe_deletion(&self) -> String {
        format!(
            "Plan {} ({}) will be deleted permanently, with its workouts and revisions.",
            self.id,
            escape_invisible(&self.name)
        )
    }
}

impl Revision {
    /// Who suggested the revision; the athlete always decided.
    #[must_use]
    pub fn describe_origin(&self) -> String {
        match (self.origin, self.proposed_by.zip(self.proposal)) {
            (RevisionOrigin::Apply, Some((from, proposal))) => {
                format!("proposal {proposal} by {}, applied by you", from.label())
            }
            (RevisionOrigin::Apply, None) => "a proposal, applied by you".to_owned(),
            (RevisionOrigin::Draft, _) => "the draft, activated by you".to_owned(),
            (RevisionOrigin::Edit, _) => "your edit".to_owned(),
            (RevisionOrigin::Revert, _) => "your revert to an older revision".to_owned(),
        }
    }
}
