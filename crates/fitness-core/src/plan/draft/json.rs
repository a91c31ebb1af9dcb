//! A draft as a file or a model writes it down, and what becomes of its words.

use super::{Draft, DraftError};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::{Goal, Workout, WorkoutError, WorkoutKind};
use serde::{Deserialize, Serialize};

/// A draft as it arrives from outside: a file, or a model's `draft_training_plan` call. There is no
/// status and no user in it, and unknown fields are refused, so neither can be smuggled in.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DraftRequest {
    /// What to call it; made from goal and date when absent.
    #[serde(default)]
    pub name: Option<String>,
    /// `5k`, `10k`, `half`, `full` or `custom`.
    pub goal: Goal,
    /// Kilometres, for a custom goal.
    #[serde(default)]
    pub distance_km: Option<f64>,
    /// The day of the race.
    pub race_date: Day,
    /// The first day that counts.
    pub start_date: Day,
    /// `01:45:00`, when there is a target.
    #[serde(default)]
    pub target_time: Option<String>,
    /// Day by day.
    pub schedule: Vec<ScheduleItem>,
}

/// One day of a requested schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleItem {
    /// The day.
    pub date: Day,
    /// How far, in miles.
    #[serde(default)]
    pub planned_miles: Option<f64>,
    /// How far, in kilometres; instead of miles.
    #[serde(default)]
    pub planned_km: Option<f64>,
    /// How long, in minutes.
    #[serde(default)]
    pub duration_minutes: Option<f64>,
    /// What it is for, such as `easy`, `long` or `rest`.
    pub kind: String,
    /// What to call it; made from the kind when absent.
    #[serde(default)]
    pub name: Option<String>,
    /// The sport; running unless said.
    #[serde(default)]
    pub sport: Option<Sport>,
    /// What to do, in words.
    #[serde(default)]
    pub description: Option<String>,
}

/// Why a requested draft cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DraftRequestError {
    /// The target is not a time.
    #[error(transparent)]
    Target(#[from] crate::domain::units::ParseTimeError),
    /// A length that is not one.
    #[error("the schedule on {0}: a {1} of {2} is none; give a number above zero, or leave it out")]
    Length(Day, &'static str, f64),
    /// Miles and kilometres.
    #[error("the schedule on {0}: give the distance once, in miles or in kilometres")]
    TwoDistances(Day),
    /// A word for a workout that nobody knows.
    #[error(
        "the schedule on {0}: `{1}` is no kind of workout; write easy, recovery, long, tempo, intervals, hills, race_pace, \
         strides, race, cross_training, strength, rest or other"
    )]
    Kind(Day, String),
    /// Two entries for one thing.
    #[error("the schedule has {0} twice; put what belongs together into one entry")]
    DuplicateDay(Day),
    /// The plan itself does not hold together.
    #[error(transparent)]
    Draft(#[from] DraftError),
}

/// A day with two workouts of one sport, or with a workout beside a day off.
fn find_duplicate_day(workouts: &[Workout]) -> Option<Day> {
    let mut seen = std::collections::BTreeMap::<Day, Vec<Sport>>::new();
    workouts.iter().find_map(|workout| {
        let sports = seen.entry(workout.date).or_default();
        let again = sports.contains(&workout.sport)
            || (!sports.is_empty() && (workout.is_rest() || sports.contains(&Sport::Rest)));
        sports.push(workout.sport);
        again.then_some(workout.date)
    })
}

/// The race itself.
fn race_workout(date: Day, goal: Goal, distance: Option<Distance>) -> Workout {
    Workout {
        sport: Sport::Running,
        kind: WorkoutKind::Race,
        name: goal.label().to_owned(),
        distance: distance.filter(|distance| distance.km() <= 200.0),
        key: true,
        ..Workout::rest(date)
    }
}

impl DraftRequest {
    /// Turns a request into a draft.
    ///
    /// # Errors
    /// Names the first thing that must change.
    pub fn into_draft(self) -> Result<Draft, DraftRequestError> {
        let target = self.target_time.as_deref().map(str::parse).transpose()?;
        let name =
            self.name.unwrap_or_else(|| format!("{} on {}", self.goal.label(), self.race_date.format_long()));
        let distance = match self.distance_km {
            Some(km) => Some(Distance::from_km(km).ok_or(DraftError::Distance)?),
            None => None,
        };
        let mut workouts: Vec<Workout> =
            self.schedule.into_iter().map(ScheduleItem::into_workout).collect::<Result<_, _>>()?;
        if let Some(twice) = find_duplicate_day(&workouts) {
            return Err(DraftRequestError::DuplicateDay(twice));
        }
        // Whoever names the race need not list it.
        if !workouts.is_empty() && workouts.iter().all(|workout| workout.date != self.race_date) {
            let far = self.goal.distance().or(distance);
            workouts.push(race_workout(self.race_date, self.goal, far));
        }
        Ok(Draft::new(&name, self.goal, distance, self.start_date, self.race_date, target, workouts)?)
    }
}

impl ScheduleItem {
    fn into_workout(self) -> Result<Workout, DraftRequestError> {
        let date = self.date;
        let no = |what: &'static str, given: f64| move || DraftRequestError::Length(date, what, given);
        let kind =
            parse_kind(&self.kind).ok_or_else(|| DraftRequestError::Kind(date, truncate(&self.kind)))?;
        if kind == WorkoutKind::Rest {
            let amounts = [self.planned_miles, self.planned_km, self.duration_minutes];
            if amounts.into_iter().flatten().any(|amount| amount != 0.0) {
                return Err(DraftError::Workout { day: date, problem: WorkoutError::Rest }.into());
            }
            return Ok(Workout { description: self.description, ..Workout::rest(date) });
        }
        let distance = match (self.planned_miles, self.planned_km) {
            (Some(miles), None) => Some(Distance::from_miles(miles).ok_or_else(no("distance", miles))?),
            (None, Some(km)) => Some(Distance::from_km(km).ok_or_else(no("distance", km))?),
            (None, None) => None,
            (Some(_), Some(_)) => return Err(DraftRequestError::TwoDistances(date)),
        };
        let duration = match self.duration_minutes {
            Some(minutes) => {
                Some(TimeSpan::from_seconds(minutes * 60.0).ok_or_else(no("duration", minutes))?)
            }
            None => None,
        };
        let sport = self.sport.unwrap_or(match kind {
            WorkoutKind::Strength => Sport::Strength,
            WorkoutKind::CrossTraining => Sport::Other,
            _ => Sport::Running,
        });
        let name = self.name.unwrap_or_else(|| kind_title(&self.kind));
        Ok(Workout {
            sport,
            kind,
            name,
            distance: distance.filter(|d| *d > Distance::ZERO),
            duration,
            description: self.description,
            key: matches!(
                kind,
                WorkoutKind::Long
                    | WorkoutKind::Tempo
                    | WorkoutKind::Intervals
                    | WorkoutKind::RacePace
                    | WorkoutKind::Race
            ),
            ..Workout::rest(date)
        })
    }
}

/// The nearest kind for a word a person or a model might use.
fn parse_kind(text: &str) -> Option<WorkoutKind> {
    let word = text.trim().to_lowercase().replace([' ', '-'], "_");
    if let Ok(kind) = word.parse() {
        return Some(kind);
    }
    Some(match word.strip_suffix("_run").unwrap_or(&word) {
        "off" | "rest_day" | "day_off" => WorkoutKind::Rest,
        "easy" | "base" | "aerobic" | "shakeout" | "general_aerobic" | "run" => WorkoutKind::Easy,
        "recovery" | "jog" => WorkoutKind::Recovery,
        "long" | "medium_long" | "progression" => WorkoutKind::Long,
        "interval" | "repeats" | "speed" | "track" | "vo2max" | "fartlek" => WorkoutKind::Intervals,
        "tempo" | "threshold" | "lt" | "steady" => WorkoutKind::Tempo,
        "hill" | "hill_repeats" => WorkoutKind::Hills,
        "marathon_pace" | "goal_pace" | "race_pace" => WorkoutKind::RacePace,
        "race_day" | "tune_up" => WorkoutKind::Race,
        "cross" | "cross_train" | "crosstraining" => WorkoutKind::CrossTraining,
        _ => return None,
    })
}

/// The beginning of a text, to be shown.
fn truncate(text: &str) -> String {
    text.trim().chars().take(40).collect()
}

/// `long_run` as a title: `Long run`.
fn kind_title(text: &str) -> String {
    let words = text.trim().replace('_', " ");
    let mut chars = words.chars();
    chars.next().map_or_else(|| "Workout".to_owned(), |first| first.to_uppercase().chain(chars).collect())
}
