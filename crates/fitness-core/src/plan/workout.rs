//! Workouts and their steps, with the step, duration and target types of the LLM output format.

use crate::domain::calendar::Day;
use crate::domain::ids::WorkoutId;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::domain::untrusted_text::is_storable;
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

string_enum! {
    pub enum WorkoutKind("kind of workout") {
        Rest = "rest",
        Easy = "easy",
        /// Very light, between hard days.
        Recovery = "recovery",
        Long = "long",
        Tempo = "tempo",
        Intervals = "intervals",
        Hills = "hills",
        RacePace = "race_pace",
        /// Easy run with short, quick accelerations.
        Strides = "strides",
        /// The race itself, or a tune-up race.
        Race = "race",
        CrossTraining = "cross_training",
        Strength = "strength",
        Other = "other",
    }
}

impl WorkoutKind {
    /// Whether the kind is always hard. A race is treated separately; a long run can be hard.
    #[must_use]
    pub const fn is_quality(self) -> bool {
        matches!(self, Self::Tempo | Self::Intervals | Self::Hills | Self::RacePace)
    }
}

/// One workout of a plan, before it has an id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Workout {
    /// The local day it is planned for.
    pub date: Day,
    /// The sport that counts towards it.
    pub sport: Sport,
    pub kind: WorkoutKind,
    /// May come from a model: escape it wherever it is shown.
    pub name: String,
    #[serde(rename = "distance_mm")]
    pub distance: Option<Distance>,
    #[serde(rename = "duration_ms")]
    pub duration: Option<TimeSpan>,
    /// Expected training load, 0 to 500.
    pub load: Option<f64>,
    /// Effort in words. Untrusted.
    pub intensity: Option<String>,
    pub description: Option<String>,
    /// Whether it is a key workout of the week.
    pub key: bool,
    /// Empty if the description is enough.
    pub steps: Vec<Step>,
}

/// Why a workout is invalid. The bounds are those of the LLM output format.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WorkoutError {
    /// Shorter than five minutes or longer than eight hours.
    #[error("a workout lasts 5 to 480 minutes, not {0}")]
    Duration(String),
    #[error("a workout is at most 200 km, not {0:.1} km")]
    Distance(f64),
    #[error("a workout's load is 0 to 500, not {0}")]
    Load(f64),
    /// `rest` must be both kind and sport.
    #[error("a rest day has sport `rest` and kind `rest`, and no distance, time or steps")]
    Rest,
    /// Missing, too long, or with NUL.
    #[error("a workout's {field} has at most {max} characters, none of them NUL, and its name at least one")]
    Words { field: &'static str, max: usize },
    #[error("a workout has at most {MAX_STEPS} steps")]
    Steps,
    #[error("step {number}: {problem}")]
    Step { number: usize, problem: &'static str },
}

/// Maximum characters of a name or an intensity.
pub(crate) const MAX_NAME: usize = 120;
/// Maximum characters of a description or a note.
pub(crate) const MAX_TEXT_CHARS: usize = 2000;
pub(crate) const MAX_STEPS: usize = 100;
pub(crate) const MAX_DISTANCE: Distance = Distance::from_mm(200_000_000);
/// Allowed duration of a workout, in minutes.
pub(crate) const DURATION_MINUTES: std::ops::RangeInclusive<i64> = 5..=480;
pub(crate) const LOAD_RANGE: std::ops::RangeInclusive<f64> = 0.0..=500.0;
/// Maximum of a step, in seconds, metres and kilocalories.
pub(crate) const MAX_STEP_SECONDS: f64 = 8.0 * 3600.0;
pub(crate) const MAX_STEP_METERS: f64 = 200_000.0;
pub(crate) const MAX_STEP_CALORIES: f64 = 20_000.0;
/// Allowed limits of heart rate, bpm.
const MAX_HEART_RATE: std::ops::RangeInclusive<u16> = 60..=230;
/// Highest target value, in any unit.
pub(crate) const MAX_TARGET: f64 = 5000.0;

impl Workout {
    #[must_use]
    pub fn rest(date: Day) -> Self {
        Self {
            date,
            sport: Sport::Rest,
            kind: WorkoutKind::Rest,
            name: "Rest".to_owned(),
            distance: None,
            duration: None,
            load: None,
            intensity: None,
            description: None,
            key: false,
            steps: Vec::new(),
        }
    }

    #[must_use]
    pub fn is_rest(&self) -> bool {
        self.kind == WorkoutKind::Rest
    }

    /// Checks the bounds of the LLM output format.
    pub fn check(&self) -> Result<(), WorkoutError> {
        let texts = [
            ("name", Some(&self.name), MAX_NAME),
            ("intensity", self.intensity.as_ref(), MAX_NAME),
            ("description", self.description.as_ref(), MAX_TEXT_CHARS),
        ];
        for (field, text, max) in texts {
            if text.is_some_and(|t| {
                t.chars().count() > max || !is_storable(t) || (field == "name" && t.trim().is_empty())
            }) {
                return Err(WorkoutError::Words { field, max });
            }
        }
        if self.is_rest() != (self.sport == Sport::Rest) {
            return Err(WorkoutError::Rest);
        }
        if self.is_rest() {
            let idle = |amount: i64| amount == 0;
            let nothing = self.distance.is_none_or(|d| idle(d.mm()))
                && self.duration.is_none_or(|d| idle(d.ms()))
                && self.steps.is_empty();
            return if nothing { Ok(()) } else { Err(WorkoutError::Rest) };
        }
        if let Some(duration) = self.duration
            && !(TimeSpan::from_mins(*DURATION_MINUTES.start())
                ..=TimeSpan::from_mins(*DURATION_MINUTES.end()))
                .contains(&duration)
        {
            return Err(WorkoutError::Duration(duration.format_clock()));
        }
        if let Some(distance) = self.distance
            && !(Distance::ZERO..=MAX_DISTANCE).contains(&distance)
        {
            return Err(WorkoutError::Distance(distance.km()));
        }
        if let Some(load) = self.load
            && !LOAD_RANGE.contains(&load)
        {
            return Err(WorkoutError::Load(load));
        }
        if self.steps.len() > MAX_STEPS {
            return Err(WorkoutError::Steps);
        }
        for (i, step) in self.steps.iter().enumerate() {
            step.check().map_err(|problem| WorkoutError::Step { number: i + 1, problem })?;
        }
        Ok(())
    }
}

/// A workout with an id that stays the same across revisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedWorkout {
    pub id: WorkoutId,
    #[serde(flatten)]
    pub workout: Workout,
}

string_enum! {
    pub enum StepType("step type") {
        Warmup = "warmup",
        Active = "active",
        Recovery = "recovery",
        Cooldown = "cooldown",
        Rest = "rest",
    }
}

/// When a step ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepDuration {
    Time(f64),
    Distance(f64),
    Calories(f64),
    /// Until the athlete presses the lap button.
    Open,
}

/// Lower and upper end of a target; either can be open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TargetRange {
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// Target of a step: bpm, watts, or seconds per kilometre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepTarget {
    HeartRate(TargetRange),
    Power(TargetRange),
    Pace(TargetRange),
    /// Steps or revolutions per minute.
    Cadence(TargetRange),
    Open,
}

/// One step of a workout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StepJson", into = "StepJson")]
pub struct Step {
    pub step_type: StepType,
    pub duration: StepDuration,
    pub target: StepTarget,
    /// Upper limit of the heart rate in bpm, besides the target.
    pub max_heart_rate: Option<u16>,
    /// Text for the watch. Untrusted.
    pub notes: Option<String>,
}

impl Step {
    fn check(&self) -> Result<(), &'static str> {
        let long_enough = |value: f64, max: f64| value.is_finite() && value > 0.0 && value <= max;
        match self.duration {
            StepDuration::Time(s) if !long_enough(s, MAX_STEP_SECONDS) => {
                return Err("a time must be 1 second to 8 hours");
            }
            StepDuration::Distance(m) if !long_enough(m, MAX_STEP_METERS) => {
                return Err("a distance must be at most 200 km");
            }
            StepDuration::Calories(c) if !long_enough(c, MAX_STEP_CALORIES) => {
                return Err("calories must be 1 to 20000");
            }
            _ => {}
        }
        let range = match self.target {
            StepTarget::HeartRate(r)
            | StepTarget::Power(r)
            | StepTarget::Pace(r)
            | StepTarget::Cadence(r) => r,
            StepTarget::Open => TargetRange { low: None, high: None },
        };
        if [range.low, range.high]
            .into_iter()
            .flatten()
            .any(|v| !(v.is_finite() && (0.0..=MAX_TARGET).contains(&v)))
        {
            return Err("a target must be between 0 and 5000");
        }
        if let (Some(low), Some(high)) = (range.low, range.high)
            && low > high
        {
            return Err("the lower end of a target is above its upper end");
        }
        if self.max_heart_rate.is_some_and(|bpm| !MAX_HEART_RATE.contains(&bpm)) {
            return Err("a limit of heart rate must be between 60 and 230");
        }
        if self.notes.as_ref().is_some_and(|n| n.chars().count() > MAX_TEXT_CHARS || !is_storable(n)) {
            return Err("the notes are too long or contain a NUL character");
        }
        Ok(())
    }
}

string_enum! {
    /// Unit of a step's length.
    pub enum DurationType("duration type") {
        Time = "time",
        Distance = "distance",
        Calories = "calories",
        Open = "open",
    }
}
string_enum! {
    /// Kind of a step's target.
    pub enum TargetType("target type") {
        HeartRate = "heart_rate",
        Power = "power",
        Pace = "pace",
        /// Steps or revolutions per minute.
        Cadence = "cadence",
        Open = "open",
    }
}
/// A step in the LLM output format: flat, with the unit implied by the type.
#[derive(Serialize, Deserialize)]
struct StepJson {
    step_type: StepType,
    duration_type: DurationType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    duration_value: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target_type: Option<TargetType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target_low: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target_high: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_heart_rate: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    notes: Option<String>,
}

impl TryFrom<StepJson> for Step {
    type Error = &'static str;
    fn try_from(flat: StepJson) -> Result<Self, Self::Error> {
        let value = flat.duration_value.ok_or("a step needs a duration_value unless it is open");
        let duration = match flat.duration_type {
            DurationType::Time => StepDuration::Time(value?),
            DurationType::Distance => StepDuration::Distance(value?),
            DurationType::Calories => StepDuration::Calories(value?),
            DurationType::Open => StepDuration::Open,
        };
        let range = TargetRange { low: flat.target_low, high: flat.target_high };
        let target = match flat.target_type {
            Some(TargetType::HeartRate) => StepTarget::HeartRate(range),
            Some(TargetType::Power) => StepTarget::Power(range),
            Some(TargetType::Pace) => StepTarget::Pace(range),
            Some(TargetType::Cadence) => StepTarget::Cadence(range),
            Some(TargetType::Open) | None => StepTarget::Open,
        };
        let max_heart_rate = flat.max_heart_rate;
        Ok(Self { step_type: flat.step_type, duration, target, max_heart_rate, notes: flat.notes })
    }
}

impl From<Step> for StepJson {
    fn from(step: Step) -> Self {
        let (duration_type, duration_value) = match step.duration {
            StepDuration::Time(s) => (DurationType::Time, Some(s)),
            StepDuration::Distance(m) => (DurationType::Distance, Some(m)),
            StepDuration::Calories(c) => (DurationType::Calories, Some(c)),
            StepDuration::Open => (DurationType::Open, None),
        };
        let (target_type, range) = match step.target {
            StepTarget::HeartRate(r) => (TargetType::HeartRate, r),
            StepTarget::Power(r) => (TargetType::Power, r),
            StepTarget::Pace(r) => (TargetType::Pace, r),
            StepTarget::Cadence(r) => (TargetType::Cadence, r),
            StepTarget::Open => (TargetType::Open, TargetRange { low: None, high: None }),
        };
        Self {
            step_type: step.step_type,
            duration_type,
            duration_value,
            target_type: Some(target_type),
            target_low: range.low,
            target_high: range.high,
            max_heart_rate: step.max_heart_rate,
            notes: step.notes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn easy() -> Workout {
        Workout {
            sport: Sport::Running,
            kind: WorkoutKind::Easy,
            name: "Easy run".to_owned(),
            distance: Distance::from_km(8.0),
            duration: Some(TimeSpan::from_mins(45)),
            load: Some(48.0),
            ..Workout::rest("2026-06-14".parse().unwrap())
        }
    }

    #[test]
    fn workout_bounds_hold_at_their_edges() {
        let with = |change: &dyn Fn(&mut Workout)| {
            let mut workout = easy();
            change(&mut workout);
            workout.check()
        };
        assert_eq!(easy().check(), Ok(()));
        for (minutes, fine) in [(4, false), (5, true), (480, true), (481, false)] {
            assert_eq!(
                with(&|w| w.duration = Some(TimeSpan::from_mins(minutes))).is_ok(),
                fine,
                "{minutes} min"
            );
        }
        for (load, fine) in [(-0.1, false), (0.0, true), (500.0, true), (500.1, false), (f64::NAN, false)] {
            assert_eq!(with(&|w| w.load = Some(load)).is_ok(), fine, "load {load}");
        }
        for (km, fine) in [(0.0, true), (200.0, true), (200.1, false)] {
            assert_eq!(with(&|w| w.distance = Distance::from_km(km)).is_ok(), fine, "{km} km");
        }
        assert!(with(&|w| w.name = " ".to_owned()).is_err());
        assert!(with(&|w| w.name = "x".repeat(121)).is_err());
    }

    #[test]
    fn rest_day_with_work_is_refused() {
        let on = easy().date;
        assert_eq!(Workout::rest(on).check(), Ok(()));
        assert_eq!(Workout { duration: Some(TimeSpan::ZERO), ..Workout::rest(on) }.check(), Ok(()));
        assert_eq!(
            Workout { distance: Distance::from_km(1.0), ..Workout::rest(on) }.check(),
            Err(WorkoutError::Rest)
        );
        assert_eq!(Workout { sport: Sport::Rest, ..easy() }.check(), Err(WorkoutError::Rest));
        assert_eq!(Workout { kind: WorkoutKind::Rest, ..easy() }.check(), Err(WorkoutError::Rest));
    }

    #[test]
    fn step_round_trips_through_its_flat_form() {
        let text = r#"{"step_type":"active","duration_type":"time","duration_value":900.0,"target_type":"power","target_low":230.0,"target_high":250.0,"notes":"First threshold interval"}"#;
        let step: Step = serde_json::from_str(text).unwrap();
        assert_eq!(step.target, StepTarget::Power(TargetRange { low: Some(230.0), high: Some(250.0) }));
        assert_eq!(serde_json::to_string(&step).unwrap(), text);

        let open: Step = serde_json::from_str(r#"{"step_type":"rest","duration_type":"open"}"#).unwrap();
        assert_eq!((open.duration, open.target), (StepDuration::Open, StepTarget::Open));
        for bad in [
            r#"{"step_type":"active","duration_type":"time"}"#,
            r#"{"step_type":"sprint","duration_type":"open"}"#,
            r#"{"step_type":"active","duration_type":"laps","duration_value":3}"#,
        ] {
            assert!(serde_json::from_str::<Step>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_step_that_cannot_be_followed_is_refused() {
        let step = |duration, low, high| Step {
            step_type: StepType::Active,
            duration,
            target: StepTarget::Pace(TargetRange { low, high }),
            max_heart_rate: None,
            notes: None,
        };
        let check = |step: Step| Workout { steps: vec![step], ..easy() }.check();
        assert_eq!(check(step(StepDuration::Time(60.0), Some(300.0), Some(320.0))), Ok(()));
        assert!(check(step(StepDuration::Time(0.0), None, None)).is_err());
        assert!(check(step(StepDuration::Distance(f64::INFINITY), None, None)).is_err());
        assert_eq!(
            check(step(StepDuration::Open, Some(320.0), Some(300.0))).unwrap_err().to_string(),
            "step 1: the lower end of a target is above its upper end"
        );
    }
}
