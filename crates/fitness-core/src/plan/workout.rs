//! A workout and its steps, with the step, duration and target types of the coach's contract.

use crate::domain::calendar::Day;
use crate::domain::ids::WorkoutId;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::domain::untrusted_text::is_storable;
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};

string_enum! {
    /// What a workout is for.
    pub enum WorkoutKind("kind of workout") {
        /// Nothing to do.
        Rest = "rest",
        /// Comfortable.
        Easy = "easy",
        /// Very light, between hard days.
        Recovery = "recovery",
        /// The week's longest.
        Long = "long",
        /// Steady at threshold.
        Tempo = "tempo",
        /// Repeated hard stretches.
        Intervals = "intervals",
        /// Uphill repeats.
        Hills = "hills",
        /// At the pace of the race.
        RacePace = "race_pace",
        /// Easy with short quick stretches.
        Strides = "strides",
        /// The race itself, or a race along the way.
        Race = "race",
        /// Another sport in support.
        CrossTraining = "cross_training",
        /// Strength work.
        Strength = "strength",
        /// Anything else.
        Other = "other",
    }
}

impl WorkoutKind {
    /// Whether it is hard by its nature. A race is more than that, and a long run may be.
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
    /// What it is for.
    pub kind: WorkoutKind,
    /// What it is called.
    pub name: String,
    /// How far, where distance is the measure.
    #[serde(rename = "distance_mm")]
    pub distance: Option<Distance>,
    /// How long, where known.
    #[serde(rename = "duration_ms")]
    pub duration: Option<TimeSpan>,
    /// The training load it is expected to bring, 0 to 500.
    pub load: Option<f64>,
    /// How hard, in words.
    pub intensity: Option<String>,
    /// What to do, in words.
    pub description: Option<String>,
    /// Whether the week hangs on it.
    pub key: bool,
    /// What to do, step by step; empty when the words suffice.
    pub steps: Vec<Step>,
}

/// What a workout may not be. The bounds are those of the coach's contract.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WorkoutError {
    /// Shorter than five minutes or longer than eight hours.
    #[error("a workout lasts 5 to 480 minutes, not {0}")]
    Duration(String),
    /// Farther than anyone trains in a day.
    #[error("a workout is at most 200 km, not {0:.1} km")]
    Distance(f64),
    /// Outside 0 to 500.
    #[error("a workout's load is 0 to 500, not {0}")]
    Load(f64),
    /// `rest` as kind and as sport go together.
    #[error("a rest day has sport `rest` and kind `rest`, and nothing to do")]
    Rest,
    /// Missing or overlong words.
    #[error("a workout's {field} has at most {max} characters, none of them NUL, and its name at least one")]
    Words {
        /// Which text.
        field: &'static str,
        /// How long it may be.
        max: usize,
    },
    /// More steps than any watch takes.
    #[error("a workout has at most {MAX_STEPS} steps")]
    Steps,
    /// A step that cannot be followed.
    #[error("step {number}: {problem}")]
    Step {
        /// Counted from 1.
        number: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
}

/// A name's or an intensity's longest, in characters.
pub(crate) const MAX_NAME: usize = 120;
/// A description's or a note's longest, in characters.
pub(crate) const MAX_TEXT_CHARS: usize = 2000;
/// More steps than any watch takes.
pub(crate) const MAX_STEPS: usize = 100;
/// Farther than anyone trains in a day.
pub(crate) const MAX_DISTANCE: Distance = Distance::from_mm(200_000_000);
/// How long a workout lasts, in minutes.
pub(crate) const DURATION_MINUTES: std::ops::RangeInclusive<i64> = 5..=480;
/// The load a workout may bring.
pub(crate) const LOAD_RANGE: std::ops::RangeInclusive<f64> = 0.0..=500.0;
/// The longest step, in seconds, in metres and in kilocalories.
pub(crate) const MAX_STEP_SECONDS: f64 = 8.0 * 3600.0;
pub(crate) const MAX_STEP_METERS: f64 = 200_000.0;
pub(crate) const MAX_STEP_CALORIES: f64 = 20_000.0;
/// The highest target, whatever its unit.
pub(crate) const MAX_TARGET: f64 = 5000.0;

impl Workout {
    /// A day off.
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

    /// Whether nothing is to be done.
    #[must_use]
    pub fn is_rest(&self) -> bool {
        self.kind == WorkoutKind::Rest
    }

    /// Checks the bounds of the contract.
    ///
    /// # Errors
    /// Names the first bound that is broken.
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

/// A workout under the id that survives revisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedWorkout {
    /// Its id; a later change names the workout by it.
    pub id: WorkoutId,
    /// What is planned.
    #[serde(flatten)]
    pub workout: Workout,
}

string_enum! {
    /// What a step is for.
    pub enum StepType("step type") {
        /// Getting ready.
        Warmup = "warmup",
        /// The work.
        Active = "active",
        /// Easy, in motion.
        Recovery = "recovery",
        /// Coming down.
        Cooldown = "cooldown",
        /// Standing or sitting.
        Rest = "rest",
    }
}

/// When a step ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepDuration {
    /// After so many seconds.
    Time(f64),
    /// After so many metres.
    Distance(f64),
    /// After so many kilocalories.
    Calories(f64),
    /// When the athlete says so.
    Open,
}

/// The lower and upper end of a target; one of them may be left open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TargetRange {
    /// Not below this.
    pub low: Option<f64>,
    /// Not above this.
    pub high: Option<f64>,
}

/// What to hold during a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepTarget {
    /// Beats per minute.
    HeartRate(TargetRange),
    /// Watts.
    Power(TargetRange),
    /// Seconds per kilometre.
    Pace(TargetRange),
    /// Steps or revolutions per minute.
    Cadence(TargetRange),
    /// By feel.
    Open,
}

/// One step of a workout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "FlatStep", into = "FlatStep")]
pub struct Step {
    /// What it is for.
    pub step_type: StepType,
    /// When it ends.
    pub duration: StepDuration,
    /// What to hold.
    pub target: StepTarget,
    /// Words for the watch.
    pub notes: Option<String>,
}

impl Step {
    fn check(&self) -> Result<(), &'static str> {
        let long_enough = |value: f64, max: f64| value.is_finite() && value > 0.0 && value <= max;
        match self.duration {
            StepDuration::Time(s) if !long_enough(s, MAX_STEP_SECONDS) => {
                return Err("a time is 1 second to 8 hours");
            }
            StepDuration::Distance(m) if !long_enough(m, MAX_STEP_METERS) => {
                return Err("a distance is up to 200 km");
            }
            StepDuration::Calories(c) if !long_enough(c, MAX_STEP_CALORIES) => {
                return Err("calories are 1 to 20000");
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
            return Err("a target is between 0 and 5000");
        }
        if let (Some(low), Some(high)) = (range.low, range.high)
            && low > high
        {
            return Err("the lower end of a target is above its upper end");
        }
        if self.notes.as_ref().is_some_and(|n| n.chars().count() > MAX_TEXT_CHARS || !is_storable(n)) {
            return Err("its notes are too long or hold a NUL character");
        }
        Ok(())
    }
}

string_enum! {
    /// What a step's length is counted in.
    pub enum DurationType("duration type") {
        /// Seconds.
        Time = "time",
        /// Metres.
        Distance = "distance",
        /// Kilocalories.
        Calories = "calories",
        /// Not counted: the athlete ends it.
        Open = "open",
    }
}
string_enum! {
    /// What a step's target is counted in.
    pub enum TargetType("target type") {
        /// Beats per minute.
        HeartRate = "heart_rate",
        /// Watts.
        Power = "power",
        /// Seconds per kilometre.
        Pace = "pace",
        /// Steps or revolutions per minute.
        Cadence = "cadence",
        /// No target.
        Open = "open",
    }
}
/// A step as the contract writes it: flat, with the unit implied by the type.
#[derive(Serialize, Deserialize)]
struct FlatStep {
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
    notes: Option<String>,
}

impl TryFrom<FlatStep> for Step {
    type Error = &'static str;
    fn try_from(flat: FlatStep) -> Result<Self, Self::Error> {
        let value = flat.duration_value.ok_or("a step that is not open needs a duration_value");
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
        Ok(Self { step_type: flat.step_type, duration, target, notes: flat.notes })
    }
}

impl From<Step> for FlatStep {
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
