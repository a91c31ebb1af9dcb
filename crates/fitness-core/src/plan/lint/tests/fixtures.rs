//! Athletes and plans for lint tests: weeks of equal runs, changed in one place at a time.

use super::super::*;
use crate::domain::sport::Sport;
use crate::domain::units::Pace;
use crate::metrics::predict::{PredictedFinish, Prediction, TrainingPaces};
use crate::plan::{
    DatedPaces, Level, PastRun, Step, StepDuration, StepTarget, StepType, TargetRange, WorkoutKind,
};

/// The last day of data, a Sunday; plans begin on the Monday after.
pub(super) fn today() -> Day {
    "2026-06-14".parse().unwrap()
}

/// A day of a plan: 0 is its first Monday.
pub(super) fn plan_day(offset: i64) -> Day {
    today().plus_days(1 + offset)
}

/// Weekly distance of the athletes of the three levels.
pub(super) const BASES: [(Level, f64); 3] =
    [(Level::Novice, 20.0), (Level::Intermediate, 50.0), (Level::Advanced, 90.0)];

/// An athlete with over a year of the same week: five runs at 6:00 /km, the long one on Sunday.
pub(super) fn athlete(level: Level) -> TrainingBaseline {
    let base = BASES.iter().find(|(known, _)| *known == level).unwrap().1;
    athlete_running(base, base * 0.36)
}

/// An athlete with this weekly distance and Sunday run.
pub(super) fn athlete_running(base: f64, long: f64) -> TrainingBaseline {
    let mut runs = Vec::new();
    for back in (0..57).rev() {
        for (offset, km) in [(1, 0.25), (2, 0.25), (3, 0.25), (5, 0.25), (6, 0.0)] {
            let km = if offset == 6 { long } else { (base - long) * km };
            runs.push(past_run(today().plus_days(offset - 6 - 7 * back), km));
        }
    }
    TrainingBaseline {
        first_day: Some(today().plus_days(-400)),
        first_run: Some(today().plus_days(-800)),
        runs,
        ..TrainingBaseline::unknown(today())
    }
}

pub(super) fn past_run(day: Day, km: f64) -> PastRun {
    let duration = TimeSpan::from_seconds(km * 360.0);
    PastRun { day, distance: Distance::from_km(km).unwrap(), duration, hard: false }
}

pub(super) fn workout(offset: i64, kind: WorkoutKind, km: f64) -> Workout {
    Workout {
        sport: Sport::Running,
        kind,
        name: "Run".to_owned(),
        distance: Distance::from_km(km),
        ..Workout::rest(plan_day(offset))
    }
}

/// A step of so many metres.
pub(super) fn meters(step_type: StepType, meters: f64) -> Step {
    Step {
        step_type,
        duration: StepDuration::Distance(meters),
        target: StepTarget::Open,
        max_heart_rate: None,
        notes: None,
    }
}

/// A step of so many minutes.
pub(super) fn minutes(step_type: StepType, minutes: f64) -> Step {
    Step {
        step_type,
        duration: StepDuration::Time(minutes * 60.0),
        target: StepTarget::Open,
        max_heart_rate: None,
        notes: None,
    }
}

/// The same step at a pace, seconds per kilometre.
pub(super) fn paced(step: Step, pace: f64) -> Step {
    Step { target: StepTarget::Pace(TargetRange { low: Some(pace), high: Some(pace + 10.0) }), ..step }
}

/// Paces of an athlete with an easy pace of 6:00 /km, from a result this many days ago.
pub(super) fn paces(days_ago: i64) -> DatedPaces {
    let pace = |seconds: f64| Pace::from_seconds_per_km(seconds).unwrap();
    DatedPaces {
        paces: TrainingPaces {
            easy: (pace(380.0), pace(340.0)),
            marathon: pace(320.0),
            threshold: pace(300.0),
            interval: pace(280.0),
            repetition: pace(260.0),
        },
        result_on: today().plus_days(-days_ago),
    }
}

/// A prediction with a range of 10 % to either side.
pub(super) fn prediction(target: Distance, time: TimeSpan) -> Prediction {
    use crate::metrics::predict::{PredictionInputs, RaceResult, ResultKind, predict};
    let result = RaceResult { distance: target, time, on: Some(today()), effort: ResultKind::Race };
    let inputs = PredictionInputs {
        results: &[result],
        weekly: None,
        training: None,
        sex: None,
        history: &[],
        as_of: today(),
    };
    let exact = PredictedFinish {
        low: TimeSpan::from_ms(time.ms() * 9 / 10),
        time,
        high: TimeSpan::from_ms(time.ms() * 11 / 10),
    };
    Prediction { exact, shown: exact, ..predict(target, &inputs).unwrap() }
}

/// A plan that can be changed.
#[derive(Clone)]
pub(super) struct PlanFixture {
    pub(super) distance: Option<Distance>,
    pub(super) race: Day,
    pub(super) target: Option<TimeSpan>,
    pub(super) workouts: Vec<Workout>,
}

impl PlanFixture {
    /// Weeks for a race on the Sunday of the last: each a Sunday run and four equal others for the
    /// rest. The last week's distance is without the race.
    pub(super) fn race(distance: Distance, weeks: &[(f64, f64)]) -> Self {
        let mut weeks = weeks.to_vec();
        if let Some(last) = weeks.last_mut() {
            last.1 = 0.0;
        }
        let mut made = Self::weeks(&weeks);
        let last = weeks.len() as i64 * 7 - 1;
        made.workouts.retain(|workout| workout.date != plan_day(last));
        made.workouts.push(workout(last, WorkoutKind::Race, distance.km()));
        Self { distance: Some(distance), ..made }
    }

    /// The same weeks without a race.
    pub(super) fn weeks(weeks: &[(f64, f64)]) -> Self {
        let mut workouts = Vec::new();
        for (number, (km, long)) in weeks.iter().enumerate() {
            let monday = number as i64 * 7;
            let each = (km - long).max(0.0) / 4.0;
            workouts.extend([1, 2, 3, 5].map(|offset| workout(monday + offset, WorkoutKind::Easy, each)));
            workouts.push(workout(monday + 6, WorkoutKind::Long, *long));
        }
        Self { distance: None, race: plan_day(weeks.len() as i64 * 7 - 1), target: None, workouts }
    }

    /// Replaces the workouts of a day.
    pub(super) fn with(mut self, workout: Workout) -> Self {
        self.workouts.retain(|other| other.date != workout.date);
        self.workouts.push(workout);
        self
    }

    /// Removes the workouts of a day.
    pub(super) fn without(mut self, offset: i64) -> Self {
        self.workouts.retain(|workout| workout.date != plan_day(offset));
        self
    }

    pub(super) fn lint(&self, athlete: &TrainingBaseline) -> Vec<Finding> {
        lint(&self.subject(), athlete, UnitSystem::Metric)
    }

    pub(super) fn subject(&self) -> LintInput<'_> {
        LintInput {
            distance: self.distance,
            start: plan_day(0),
            race: self.race,
            target: self.target,
            workouts: &self.workouts,
        }
    }

    /// Severity of the worst finding of one rule.
    pub(super) fn severity_of(&self, athlete: &TrainingBaseline, rule: LintRule) -> Option<Severity> {
        self.finding(athlete, rule).map(|finding| finding.severity)
    }

    /// The worst finding of one rule.
    pub(super) fn finding(&self, athlete: &TrainingBaseline, rule: LintRule) -> Option<Finding> {
        let found = self.lint(athlete).into_iter().find(|finding| finding.involves(rule))?;
        // If it was merged into another rule's finding, look at the unmerged ones.
        let own =
            || lint_each_day(&self.subject(), athlete, UnitSystem::Metric).into_iter().map(|(_, own)| own);
        Some(if found.rule == rule { found } else { own().find(|own| own.rule == rule)? })
    }
}

/// Twelve weeks to a half marathon that suit a runner of the level, with the athlete.
pub(super) fn sound_plan(level: Level) -> (PlanFixture, TrainingBaseline) {
    // An advanced runner is faster: 4:50 /km.
    let (pace, long) = if level == Level::Advanced { (290.0, 0.26) } else { (360.0, 0.3) };
    let athlete = at_easy_pace(athlete(level), pace);
    let base = athlete.base().unwrap().km();
    let shares = [1.0, 1.05, 1.10, 0.85, 1.10, 1.14, 1.18, 0.9, 1.15, 1.18, 0.85, 0.5];
    let weeks: Vec<(f64, f64)> = shares.iter().map(|share| (base * share, base * share * long)).collect();
    (PlanFixture::race(Distance::HALF_MARATHON, &weeks), athlete)
}

/// An athlete of a level with this weekly distance and Sunday run. A stated level only lowers the
/// recorded one, so a higher level takes the distance and the result that show it.
pub(super) fn athlete_at_level(level: Level, base: f64, long: f64) -> TrainingBaseline {
    let vdot = match level {
        Level::Novice => None,
        Level::Intermediate => Some(42.0),
        Level::Advanced => Some(54.0),
    };
    let mut athlete = TrainingBaseline { vdot, ..athlete_running(base, long) };
    athlete.self_reported.level = Some(level);
    assert_eq!(athlete.level(), Ok(level), "{base} km a week do not show this level");
    athlete
}

/// An athlete without data, who states a level.
pub(super) fn athlete_stating(level: Level) -> TrainingBaseline {
    let mut athlete = TrainingBaseline::unknown(today());
    athlete.self_reported.level = Some(level);
    athlete
}

/// The same athlete with all runs at this pace, in seconds per kilometre.
pub(super) fn at_easy_pace(mut athlete: TrainingBaseline, pace: f64) -> TrainingBaseline {
    for run in &mut athlete.runs {
        run.duration = TimeSpan::from_seconds(run.distance.km() * pace);
    }
    athlete
}

/// Shorthand for the expected severity.
pub(super) const NO_FINDING: Option<Severity> = None;
pub(super) const WARNING: Option<Severity> = Some(Severity::Warning);
pub(super) const ERROR: Option<Severity> = Some(Severity::Error);
pub(super) const NOTE: Option<Severity> = Some(Severity::Note);

/// Checks a rule for several measured values.
pub(super) fn assert_severities(
    rule: LintRule,
    athlete: &TrainingBaseline,
    cases: &[(f64, Option<Severity>)],
    plan: impl Fn(f64) -> PlanFixture,
) {
    for (value, expected) in cases {
        let made = plan(*value);
        let said = made.finding(athlete, rule);
        let got = said.as_ref().map(|finding| finding.severity);
        assert_eq!(got, *expected, "{rule} at {value} for {:?}: {said:?}", athlete.level());
    }
}
