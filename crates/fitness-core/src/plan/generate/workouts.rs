//! Builds single workouts: distance, duration and steps, with a target pace only if a dated result
//! supports it.

use super::week_layout::WorkoutBuilder;
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::plan::library::{Effort, Length, LibraryStep, LibraryWorkout};
use crate::plan::{Step, StepDuration, StepTarget, StepType, TargetRange, Workout, WorkoutKind};

impl WorkoutBuilder<'_> {
    /// A hard workout: its steps between a warm-up and a cool-down that fill it up to `even`
    /// kilometres.
    pub(super) fn quality_workout(&self, day: Day, library: &LibraryWorkout, even: f64) -> Workout {
        let shape = self.shape;
        let mut steps: Vec<Step> = library.steps.iter().map(|step| self.library_step(step)).collect();
        // Between hard parts, steady running is the recovery.
        for (step, written) in library.steps.iter().zip(&mut steps) {
            if step.effort == Effort::Steady {
                written.step_type = StepType::Recovery;
            }
        }
        let (work_km, work_seconds) = self.amount(&library.steps);
        let least = work_km + (MIN_WARMUP_SECONDS + MIN_COOLDOWN_SECONDS) / shape.assumed_pace();
        let total = shape.floor(even.max(least + shape.rounding_step));
        let rest = total - work_km;
        let warmup = round_to_100_m(rest * WARMUP_SHARE);
        let cooldown = round_to_100_m(rest - warmup);
        let easy = |step_type, km: f64, words: &str| {
            self.easy_step(step_type, StepDuration::Distance(km * 1000.0), words)
        };
        let mut all = vec![easy(StepType::Warmup, warmup, "Easy; a few quick strides at the end")];
        all.extend(steps);
        all.push(easy(StepType::Cooldown, cooldown, "Easy"));
        let main = library.steps.iter().find(|step| step.effort.is_hard()).map(|step| step.effort);
        let seconds = self.paces.easy.map(|easy| (warmup + cooldown) * easy + work_seconds);
        Workout {
            kind: library.key.kind(),
            name: localize_name(&library.name, self.wish.units),
            intensity: main.map(|effort| effort_words(effort).to_owned()),
            description: Some(library.why.clone()),
            key: true,
            steps: all,
            ..self.plain_run(day, total, seconds, QUALITY_LOAD_FACTOR)
        }
    }

    /// A hard workout of fewer kilometres with the same hard part; `None` if too little would be left
    /// of the warm-up and cool-down.
    pub(super) fn with_shorter_warmup(&self, workout: &Workout, km: f64) -> Option<Workout> {
        let easy_km = |step: &Step| match (step.step_type, step.duration) {
            (StepType::Warmup | StepType::Cooldown, StepDuration::Distance(meters)) => meters / 1000.0,
            _ => 0.0,
        };
        let (pace, cut) = (self.shape.assumed_pace(), workout.distance?.km() - km);
        let left = workout.steps.iter().map(easy_km).sum::<f64>() - cut;
        if left * pace < MIN_WARMUP_SECONDS + MIN_COOLDOWN_SECONDS {
            return None;
        }
        let warmup = round_to_100_m(left * WARMUP_SHARE);
        let mut steps = workout.steps.clone();
        for step in &mut steps {
            let km = match step.step_type {
                StepType::Warmup => warmup,
                StepType::Cooldown => round_to_100_m(left - warmup),
                _ => continue,
            };
            step.duration = StepDuration::Distance(km * 1000.0);
        }
        let seconds = self.paces.easy.zip(workout.duration).map(|(easy, old)| old.seconds() - cut * easy);
        let run = self.plain_run(workout.date, km, seconds, QUALITY_LOAD_FACTOR);
        Some(Workout {
            distance: run.distance,
            duration: run.duration,
            load: run.load,
            steps,
            ..workout.clone()
        })
    }

    /// An easy run, with strides or hill sprints at its end if they are given.
    pub(super) fn easy_run(&self, day: Day, km: f64, extra: Option<&LibraryWorkout>) -> Workout {
        let km = self.shape.round(km);
        let (kind, name) = match extra {
            Some(library) => (library.key.kind(), library.name.as_str()),
            None => (WorkoutKind::Easy, "Easy run"),
        };
        Workout { kind, name: name.to_owned(), ..self.run_with_end(day, km, extra, Effort::Easy) }
    }

    /// The second longest run of a big week.
    pub(super) fn medium_long_run(&self, day: Day, km: f64, library: &LibraryWorkout) -> Workout {
        let km = self.shape.round(km);
        let name = library.name.clone();
        Workout { kind: WorkoutKind::Easy, name, ..self.run_with_end(day, km, Some(library), Effort::Easy) }
    }

    pub(super) fn long_run(&self, day: Day, km: f64, library: Option<&LibraryWorkout>) -> Workout {
        let km = self.shape.round_long(km);
        let name = library
            .map_or_else(|| "Long run".to_owned(), |library| localize_name(&library.name, self.wish.units));
        let run = self.run_with_end(day, km, library, Effort::Easy);
        Workout { kind: WorkoutKind::Long, name, key: true, ..run }
    }

    /// An easy run of a distance that ends with the steps of a library workout.
    fn run_with_end(&self, day: Day, km: f64, library: Option<&LibraryWorkout>, effort: Effort) -> Workout {
        let steps = library.map_or(&[][..], |library| &library.steps);
        let (end_km, end_seconds) = self.amount(steps);
        let before = ((km - end_km) * 100.0).round().max(50.0) / 100.0;
        let easy = |step_type| {
            self.easy_step(step_type, StepDuration::Distance((before * 1000.0).round()), effort_words(effort))
        };
        let mut all = vec![easy(if steps.is_empty() { StepType::Active } else { StepType::Warmup })];
        all.extend(steps.iter().map(|step| self.library_step(step)));
        let last_is_easy = steps.last().is_some_and(|step| step.effort == Effort::Easy);
        if let Some(last) = all.last_mut().filter(|_| last_is_easy) {
            last.step_type = StepType::Cooldown;
        }
        // Strides are part of an easy run, not work after a warm-up.
        let is_easy = steps.iter().all(|step| {
            matches!(step.effort, Effort::Stride | Effort::HillSprint) || step.effort.is_recovery()
        });
        if is_easy {
            all[0].step_type = StepType::Active;
        }
        let seconds = self.paces.easy.map(|easy| before * easy + end_seconds);
        Workout {
            intensity: Some(effort_words(effort).to_owned()),
            description: library.map(|library| library.why.clone()),
            steps: all,
            ..self.plain_run(day, km, seconds, 1.0)
        }
    }

    /// Kilometres and seconds of steps.
    pub(super) fn amount(&self, steps: &[LibraryStep]) -> (f64, f64) {
        steps.iter().fold((0.0, 0.0), |(km, seconds), step| {
            let pace = self.paces.assumed(step.effort);
            let (more_km, more_seconds) = match step.length {
                Length::Seconds(time) => (time / pace, time),
                Length::Meters(meters) => (meters / 1000.0, meters / 1000.0 * pace),
            };
            (km + more_km, seconds + more_seconds)
        })
    }

    fn library_step(&self, step: &LibraryStep) -> Step {
        let duration = match step.length {
            Length::Seconds(seconds) => StepDuration::Time(seconds),
            Length::Meters(meters) => StepDuration::Distance(meters),
        };
        let words = effort_words(step.effort);
        if step.effort == Effort::Easy {
            return self.easy_step(StepType::Recovery, duration, words);
        }
        let range = match step.effort {
            Effort::Race => self.paces.race.map(race_pace_range),
            effort => self.paces.target(effort).map(pace_range),
        };
        Step {
            step_type: if step.effort.is_recovery() { StepType::Recovery } else { StepType::Active },
            duration,
            target: range.map_or(StepTarget::Open, StepTarget::Pace),
            max_heart_rate: None,
            notes: Some(words.to_owned()),
        }
    }

    /// An easy step: a range of pace and a limit of heart rate, as far as they are known.
    fn easy_step(&self, step_type: StepType, duration: StepDuration, words: &str) -> Step {
        let range = self.paces.easy_range.map(|(fast, slow)| TargetRange {
            low: Some(round_to_5_s(fast)),
            high: Some(round_to_5_s(slow)),
        });
        Step {
            step_type,
            duration,
            target: range.map_or(StepTarget::Open, StepTarget::Pace),
            max_heart_rate: self.paces.easy_heart_rate,
            notes: Some(words.to_owned()),
        }
    }

    pub(super) fn race_workout(&self, day: Day, distance: Distance, word: &str) -> Workout {
        let main = day == self.wish.race;
        let finish = self.paces.finish.filter(|_| main);
        let fits = |time: &TimeSpan| (TimeSpan::from_mins(5)..=TimeSpan::from_mins(480)).contains(time);
        Workout {
            sport: Sport::Running,
            kind: WorkoutKind::Race,
            name: format!("{word}: {}", self.wish.units.format_distance(distance)),
            distance: Some(distance).filter(|distance| distance.km() <= 200.0),
            duration: finish.filter(fits),
            load: self.paces.race_load(distance.km(), self.shape.race.km()),
            intensity: Some("Race effort, evenly paced".to_owned()),
            key: true,
            ..Workout::rest(day)
        }
    }

    /// A run with distance, duration and load, without a kind.
    fn plain_run(&self, day: Day, km: f64, seconds: Option<f64>, effort: f64) -> Workout {
        let minutes = seconds.map(|seconds| (seconds / 60.0).round().clamp(5.0, 480.0));
        Workout {
            sport: Sport::Running,
            distance: Distance::from_km(km),
            duration: minutes.and_then(|minutes| TimeSpan::from_seconds(minutes * 60.0)),
            load: minutes.and_then(|minutes| self.paces.load(minutes, effort)),
            ..Workout::rest(day)
        }
    }
}

/// Shortest warm-up and cool-down of a hard workout, and the warm-up's share of easy running.
const MIN_WARMUP_SECONDS: f64 = 10.0 * 60.0;
const MIN_COOLDOWN_SECONDS: f64 = 7.0 * 60.0;
const WARMUP_SHARE: f64 = 0.55;
/// Load of a hard workout relative to an easy run of the same duration.
const QUALITY_LOAD_FACTOR: f64 = 1.25;

/// The effort in words.
const fn effort_words(effort: Effort) -> &'static str {
    match effort {
        Effort::Easy => "Easy, effort 3 of 10: you can talk in whole sentences",
        Effort::Steady => "Steady, effort 5 of 10: you can still talk in short sentences",
        Effort::Race => "Race pace: strong, even and no faster",
        Effort::HalfPace => "Strong, about half marathon effort",
        Effort::Threshold => "Comfortably hard, effort 7 of 10: a pace you could hold for an hour",
        Effort::Interval => "Hard, effort 9 of 10: a pace you could hold for ten minutes",
        Effort::Repetition => "Fast and loose, about the effort of a mile race",
        Effort::Hill => "Uphill at effort 8 of 10, then walk or jog back down",
        Effort::HillSprint => "Uphill, almost a sprint; walk back down",
        Effort::Stride => "Quick and relaxed, not a sprint",
        Effort::Test => "As fast as you can hold evenly to the end",
        Effort::Jog => "Jog or walk",
        Effort::Walk => "Walk",
    }
}

/// Target range of 2 % around a pace.
fn pace_range(pace: f64) -> TargetRange {
    TargetRange { low: Some((pace * 0.98).round()), high: Some((pace * 1.02).round()) }
}

/// Target range for race pace: 1 % faster to 2 % slower.
fn race_pace_range(pace: f64) -> TargetRange {
    TargetRange { low: Some((pace * 0.99).round()), high: Some((pace * 1.02).round()) }
}

fn round_to_5_s(pace: f64) -> f64 {
    (pace / 5.0).round() * 5.0
}

fn round_to_100_m(km: f64) -> f64 {
    (km * 10.0).round().max(5.0) / 10.0
}

/// Writes the kilometres in a library name in the athlete's units: `10 km` becomes `6.2 mi`.
fn localize_name(name: &str, units: UnitSystem) -> String {
    if units == UnitSystem::Metric {
        return name.to_owned();
    }
    let words: Vec<&str> = name.split(' ').collect();
    let mut written: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        let number = written.last().and_then(|before| before.parse::<f64>().ok());
        match (word, number.and_then(Distance::from_km)) {
            ("km", Some(distance)) => {
                written.pop();
                written.push(units.format_distance(distance).to_string());
            }
            _ => written.push(word.to_owned()),
        }
    }
    written.join(" ")
}
