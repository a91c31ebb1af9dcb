//! Builds single workouts: distance, duration and steps, with a target pace only if a dated result
//! supports it.

use super::volume::{Phase, PlanWeek};
use super::week_layout::{QualityKind, WorkoutBuilder};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::training_norms::RaceClass;
use crate::plan::{Step, StepDuration, StepTarget, StepType, TargetRange, Workout, WorkoutKind};

impl WorkoutBuilder<'_> {
    /// A hard workout of a kind, scaled to its week and phase.
    pub(super) fn quality_workout(
        &self,
        day: Day,
        recipe: QualityKind,
        plan: &PlanWeek,
        even: f64,
    ) -> Workout {
        let fraction = match (plan.phase, plan.cutback) {
            (Phase::Taper, _) => 0.5,
            (_, true) => 0.7,
            (Phase::Peak, _) => 1.0,
            _ => 0.85,
        };
        match recipe {
            QualityKind::Hills => self.hill_workout(day, plan.km, even),
            QualityKind::Tempo => self.tempo_workout(day, plan.km, even, fraction),
            QualityKind::Intervals => self.interval_workout(day, plan.km, even, fraction),
            QualityKind::RacePace => self.race_pace_workout(day, plan.km, even, fraction),
        }
    }

    fn hill_workout(&self, day: Day, week: f64, even: f64) -> Workout {
        let reps = ((week * 0.07 / 0.25) as usize).clamp(4, 8);
        let parts = Repeats { reps, work: Rep::Seconds(60.0, None), recovery: 90.0 };
        let words = "Uphill at effort 8 of 10, then walk or jog back down";
        self.quality_session(day, WorkoutKind::Hills, format!("Hills {reps} × 1 min"), words, even, &parts)
    }

    fn tempo_workout(&self, day: Day, week: f64, even: f64, fraction: f64) -> Workout {
        let pace = self.paces.threshold;
        let minutes = (40.0 * fraction).min(self.minutes_at(week * 0.098, pace)).floor();
        if minutes < 8.0 {
            return self.easy_run(day, self.shape.round(even), true);
        }
        let reps = match minutes {
            ..16.0 => 1,
            ..31.0 => 2,
            _ => 3,
        };
        let each = (minutes / reps as f64).floor();
        let work = Rep::Seconds(each * 60.0, pace.map(pace_range));
        let name =
            if reps == 1 { format!("Tempo {each} min") } else { format!("Tempo {reps} × {each} min") };
        let words = "Comfortably hard, effort 7 of 10: a pace you could hold for an hour";
        self.quality_session(
            day,
            WorkoutKind::Tempo,
            name,
            words,
            even,
            &Repeats { reps, work, recovery: 120.0 },
        )
    }

    fn interval_workout(&self, day: Day, week: f64, even: f64, fraction: f64) -> Workout {
        let pace = self.paces.interval;
        let km = (week * 0.078).min(10.0) * fraction;
        let each = [1.0, 0.8, 0.6, 0.4].into_iter().find(|each| km / each >= 3.0);
        let Some(each) = each else { return self.easy_run(day, self.shape.round(even), true) };
        let reps = ((km / each) as usize).clamp(3, 8);
        let meters = each * 1000.0;
        let work = Rep::Meters(meters, pace.map(pace_range));
        // Recovery about as long as the repetition, slightly shorter for long ones.
        let recovery = (pace.unwrap_or(300.0) * each * 0.75 / 15.0).round() * 15.0;
        let words = "Hard, effort 9 of 10: a pace you could hold for ten minutes";
        let name = format!("Intervals {reps} × {meters:.0} m");
        self.quality_session(
            day,
            WorkoutKind::Intervals,
            name,
            words,
            even,
            &Repeats { reps, work, recovery },
        )
    }

    fn race_pace_workout(&self, day: Day, week: f64, even: f64, fraction: f64) -> Workout {
        let shape = self.shape;
        let pace = self.paces.race;
        let target = pace.map(race_pace_range);
        let km = week * 0.098;
        let (reps, work, name) = match shape.class {
            RaceClass::FiveK | RaceClass::TenK => {
                let km = km.min(6.0) * fraction;
                let sizes = [2.0, 1.0, 0.5].into_iter().skip(usize::from(shape.class == RaceClass::FiveK));
                let each: f64 = sizes.into_iter().find(|each| km >= 2.0 * each).unwrap_or(0.4);
                let reps = ((km / each) as usize).max(2);
                let meters = each * 1000.0;
                (reps, Rep::Meters(meters, target), format!("Race pace {reps} × {meters:.0} m"))
            }
            RaceClass::Half | RaceClass::Full => {
                let minutes = (40.0 * fraction).min(self.minutes_at(km, pace)).max(5.0).floor();
                let reps = if minutes < 16.0 { 1 } else { 2 };
                let each = (minutes / reps as f64).floor();
                let name = if reps == 1 {
                    format!("Race pace {each} min")
                } else {
                    format!("Race pace {reps} × {each} min")
                };
                (reps, Rep::Seconds(each * 60.0, target), name)
            }
        };
        let words = "Strong and even, like the start of your race; no faster";
        self.quality_session(
            day,
            WorkoutKind::RacePace,
            name,
            words,
            even,
            &Repeats { reps, work, recovery: 120.0 },
        )
    }

    /// Minutes for a distance at a pace; at 90 % of the easy pace without a result.
    fn minutes_at(&self, km: f64, pace: Option<f64>) -> f64 {
        km * pace.unwrap_or_else(|| self.paces.hard_pace()) / 60.0
    }

    /// A hard workout with warm-up and cool-down.
    fn quality_session(
        &self,
        day: Day,
        kind: WorkoutKind,
        name: String,
        effort: &str,
        even: f64,
        parts: &Repeats,
    ) -> Workout {
        let shape = self.shape;
        let quick = self.paces.hard_pace();
        let (work_km, work_seconds) = parts.work.km_and_seconds(quick);
        let reps = parts.reps as f64;
        let pauses = parts.recovery * (reps - 1.0).max(0.0);
        let jogged = pauses / self.paces.jog_pace();
        let hard_km = work_km * reps + jogged;
        let total = shape.floor(even.max(hard_km + 2.4 + shape.rounding_step));
        let way = ((total - hard_km) / 2.0).max(1.0);
        let way = (way * 10.0).round() / 10.0;
        let mut steps = vec![open_step(StepType::Warmup, StepDuration::Distance(way * 1000.0), "Easy")];
        for rep in 0..parts.reps {
            if rep > 0 {
                steps.push(open_step(StepType::Recovery, StepDuration::Time(parts.recovery), "Jog or walk"));
            }
            steps.push(parts.work.to_step(effort));
        }
        steps.push(open_step(StepType::Cooldown, StepDuration::Distance(way * 1000.0), "Easy"));
        let seconds = self.paces.easy.map(|easy| 2.0 * way * easy + work_seconds * reps + pauses);
        Workout {
            kind,
            name,
            intensity: Some(effort.to_owned()),
            key: true,
            steps,
            ..self.plain_run(day, total, seconds, 1.25)
        }
    }

    pub(super) fn easy_run(&self, day: Day, km: f64, strides: bool) -> Workout {
        let km = self.shape.round(km);
        let effort = "Easy, effort 3 of 10: you can talk in whole sentences";
        let way =
            |km: f64| open_step(StepType::Active, StepDuration::Distance((km * 1000.0).round()), effort);
        if !strides {
            return Workout {
                kind: WorkoutKind::Easy,
                name: "Easy run".to_owned(),
                intensity: Some(effort.to_owned()),
                steps: vec![way(km)],
                ..self.plain_run(day, km, self.paces.easy.map(|easy| easy * km), 1.0)
            };
        }
        let quick = STRIDE_COUNT * STRIDE_SECONDS / self.paces.hard_pace();
        let between = STRIDE_COUNT * STRIDE_RECOVERY_SECONDS / self.paces.jog_pace();
        let before = ((km - quick - between) * 100.0).round().max(50.0) / 100.0;
        let mut steps = vec![way(before)];
        for _ in 0..STRIDE_COUNT as usize {
            steps.push(open_step(
                StepType::Active,
                StepDuration::Time(STRIDE_SECONDS),
                "Quick and relaxed, not a sprint",
            ));
            steps.push(open_step(
                StepType::Recovery,
                StepDuration::Time(STRIDE_RECOVERY_SECONDS),
                "Walk or jog",
            ));
        }
        let seconds = self
            .paces
            .easy
            .map(|easy| before * easy + STRIDE_COUNT * (STRIDE_SECONDS + STRIDE_RECOVERY_SECONDS));
        Workout {
            kind: WorkoutKind::Strides,
            name: "Easy run with strides".to_owned(),
            intensity: Some(effort.to_owned()),
            description: Some(
                "Run easy; towards the end, run four relaxed strides of 20 seconds, each followed by a minute to recover."
                    .to_owned(),
            ),
            steps,
            ..self.plain_run(day, km, seconds, 1.0)
        }
    }

    pub(super) fn long_run(&self, day: Day, km: f64, block: Option<f64>) -> Workout {
        let km = self.shape.round_long(km);
        let effort = "Easy, effort 3 to 4 of 10; run slower than feels natural";
        let plain_long = |steps, quicker: f64| Workout {
            kind: WorkoutKind::Long,
            name: "Long run".to_owned(),
            intensity: Some(effort.to_owned()),
            key: true,
            steps,
            ..self.plain_run(day, km, self.paces.easy.map(|easy| easy * km - quicker), 1.0)
        };
        let Some(block) = block.filter(|block| *block >= 2.0) else {
            let whole = open_step(StepType::Active, StepDuration::Distance(km * 1000.0), effort);
            return plain_long(vec![whole], 0.0);
        };
        let out = ((km - block) * 0.75 * 10.0).round() / 10.0;
        let back = ((km - block - out) * 10.0).round() / 10.0;
        let hard = Rep::Meters(block * 1000.0, self.paces.race.map(race_pace_range));
        let quicker =
            self.paces.easy.map_or(0.0, |easy| easy * block - hard.km_and_seconds(self.paces.hard_pace()).1);
        let steps = vec![
            open_step(StepType::Warmup, StepDuration::Distance(out * 1000.0), "Easy"),
            hard.to_step("At the pace you want to race the marathon at"),
            open_step(StepType::Cooldown, StepDuration::Distance(back.max(0.5) * 1000.0), "Easy"),
        ];
        let shown = self.wish.units.format_distance(Distance::from_km(block).unwrap_or_default());
        Workout { name: format!("Long run with {shown} at race pace"), ..plain_long(steps, quicker) }
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

/// Number of strides, their seconds, and seconds of recovery.
const STRIDE_COUNT: f64 = 4.0;
const STRIDE_SECONDS: f64 = 20.0;
const STRIDE_RECOVERY_SECONDS: f64 = 60.0;

/// The hard part of a workout.
struct Repeats {
    reps: usize,
    work: Rep,
    recovery: f64,
}

/// One repetition, with a target pace if there is one.
#[derive(Clone, Copy)]
enum Rep {
    Seconds(f64, Option<TargetRange>),
    Meters(f64, Option<TargetRange>),
}

impl Rep {
    /// Kilometres and seconds of one repetition; `otherwise` is the pace without a target.
    fn km_and_seconds(self, otherwise: f64) -> (f64, f64) {
        let middle = |range: TargetRange| match (range.low, range.high) {
            (Some(low), Some(high)) => f64::midpoint(low, high),
            _ => otherwise,
        };
        match self {
            Self::Seconds(seconds, range) => (seconds / range.map_or(otherwise, middle), seconds),
            Self::Meters(meters, range) => {
                (meters / 1000.0, meters / 1000.0 * range.map_or(otherwise, middle))
            }
        }
    }

    fn to_step(self, effort: &str) -> Step {
        let (duration, range) = match self {
            Self::Seconds(seconds, range) => (StepDuration::Time(seconds), range),
            Self::Meters(meters, range) => (StepDuration::Distance(meters), range),
        };
        Step {
            step_type: StepType::Active,
            duration,
            target: range.map_or(StepTarget::Open, StepTarget::Pace),
            notes: Some(effort.to_owned()),
        }
    }
}

fn open_step(step_type: StepType, duration: StepDuration, notes: &str) -> Step {
    Step { step_type, duration, target: StepTarget::Open, notes: Some(notes.to_owned()) }
}

/// Target range of 2 % around a pace.
fn pace_range(pace: f64) -> TargetRange {
    TargetRange { low: Some((pace * 0.98).round()), high: Some((pace * 1.02).round()) }
}

/// Target range for race pace: 1 % faster to 2 % slower.
fn race_pace_range(pace: f64) -> TargetRange {
    TargetRange { low: Some((pace * 0.99).round()), high: Some((pace * 1.02).round()) }
}
