//! Draft plans as JSON: the format of draft files and of the `draft_training_plan` tool.

use super::{Draft, DraftError};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::{GoalDistance, Workout, WorkoutError, WorkoutKind};
use serde::{Deserialize, Serialize};

/// A draft from a file or a model's `draft_training_plan` call. It has no status and no user, and
/// unknown fields are refused, so neither can be injected.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DraftRequest {
    /// Name of the plan, for example "Spring half marathon". Default: made from goal and date.
    #[serde(default)]
    pub name: Option<String>,
    /// Race distance: `5k`, `10k`, `half`, `full` (marathon), or `custom` with `distance_km`.
    pub goal: GoalDistance,
    /// Race distance in kilometres, for example 16.1. Only for the goal `custom`.
    #[serde(default)]
    pub distance_km: Option<f64>,
    /// Day of the race, YYYY-MM-DD, for example 2027-01-24.
    pub race_date: Day,
    /// First day of the plan, YYYY-MM-DD, for example 2026-11-23.
    pub start_date: Day,
    /// Goal time as hours:minutes:seconds, for example 1:45:00. Leave it out to just finish.
    #[serde(default)]
    pub target_time: Option<String>,
    /// Workouts day by day.
    pub schedule: Vec<ScheduleItem>,
}

/// One workout or rest day of a schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleItem {
    /// Day of the workout, YYYY-MM-DD, for example 2026-11-17.
    pub date: Day,
    /// Distance in miles, for example 5.0. Give `planned_miles` or `planned_km`, not both.
    #[serde(default)]
    pub planned_miles: Option<f64>,
    /// Distance in kilometres, for example 8.2. Give `planned_miles` or `planned_km`, not both.
    #[serde(default)]
    pub planned_km: Option<f64>,
    /// Duration in minutes, for example 45.
    #[serde(default)]
    pub duration_minutes: Option<f64>,
    /// Kind of workout, for example easy: one of easy, recovery, long, tempo, intervals, hills,
    /// race_pace, strides, race, cross_training, strength, rest or other.
    pub kind: String,
    /// Name of the workout, for example "Long run". Default: made from the kind.
    #[serde(default)]
    pub name: Option<String>,
    /// Sport of the workout. Default: running, or the sport that fits the kind.
    #[serde(default)]
    pub sport: Option<Sport>,
    /// What to do, in plain text, for example "Easy pace, last 10 minutes faster".
    #[serde(default)]
    pub description: Option<String>,
}

/// Why a draft request is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DraftRequestError {
    /// The goal time cannot be parsed.
    #[error(transparent)]
    Target(#[from] crate::domain::units::ParseTimeError),
    /// Zero, negative or not finite.
    #[error("the schedule on {0}: {2} is not a valid {1}; give a number above zero, or omit it")]
    Length(Day, &'static str, f64),
    /// Both miles and kilometres were given.
    #[error("the schedule on {0}: give the distance in miles or in kilometres, not both")]
    TwoDistances(Day),
    /// Unknown kind of workout.
    #[error(
        "the schedule on {0}: unknown kind of workout `{1}`; use easy, recovery, long, tempo, intervals, hills, race_pace, \
         strides, race, cross_training, strength, rest or other"
    )]
    Kind(Day, String),
    /// Two entries of one sport, or a workout and a rest day, on the same day.
    #[error("the schedule has two entries for {0}; merge them into one")]
    DuplicateDay(Day),
    /// The plan as a whole is invalid.
    #[error(transparent)]
    Draft(#[from] DraftError),
}

/// First day with two workouts of one sport, or with a workout and a rest day.
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

fn race_workout(date: Day, goal: GoalDistance, distance: Option<Distance>) -> Workout {
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
    /// Validates the request. The error names the first thing to change.
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
        // The race itself may be missing from the schedule.
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

/// The kind for a word that a person or a model might use, such as `tempo_run` or `fartlek`.
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

/// The first 40 characters, for an error message.
fn truncate(text: &str) -> String {
    text.trim().chars().take(40).collect()
}

/// `long_run` as a title: `Long run`.
fn kind_title(text: &str) -> String {
    let words = text.trim().replace('_', " ");
    let mut chars = words.chars();
    chars.next().map_or_else(|| "Workout".to_owned(), |first| first.to_uppercase().chain(chars).collect())
}
