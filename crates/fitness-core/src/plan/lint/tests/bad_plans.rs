//! Plans that nobody should run: each has an error of the rule that is about its fault.

use super::super::*;
use super::fixtures::*;
use crate::plan::{Level, StepType, WorkoutKind};
use Level::{Intermediate, Novice};

/// Weeks with a long run of this share.
fn weeks(kilometres: impl IntoIterator<Item = f64>, share: f64) -> Vec<(f64, f64)> {
    kilometres.into_iter().map(|km| (km, km * share)).collect()
}

/// A sensible marathon plan of 16 weeks for 50 km a week and a longest run of 18 km.
fn marathon() -> PlanFixture {
    let shape = [
        (50.0, 18.0),
        (53.0, 20.0),
        (56.0, 22.0),
        (44.0, 16.0),
        (59.0, 23.0),
        (62.0, 25.0),
        (64.0, 27.0),
        (52.0, 19.0),
        (66.0, 28.0),
        (68.0, 29.0),
        (68.0, 29.0),
        (55.0, 20.0),
        (70.0, 29.0),
        (56.0, 20.0),
        (42.0, 14.0),
        (21.0, 0.0),
    ];
    PlanFixture::race(Distance::MARATHON, &shape)
}

fn runner() -> TrainingBaseline {
    athlete_at_level(Intermediate, 50.0, 18.0)
}

/// The plans, by what is wrong with them.
fn bad_plans() -> Vec<(&'static str, LintRule, PlanFixture, TrainingBaseline)> {
    let half = Distance::HALF_MARATHON;
    let (novice_plan, novice) = sound_plan(Novice);
    let growing = |from: f64, growth: f64, count: i32| weeks((0..count).map(|n| from * growth.powi(n)), 0.3);
    let steep = PlanFixture::race(Distance::MARATHON, &growing(43.0, (167.0_f64 / 43.0).powf(1.0 / 7.0), 8));
    let hard = |offset: i64, kind: WorkoutKind| workout(offset, kind, 5.0);
    let clustered = novice_plan
        .clone()
        .with(hard(2 * 7 + 4, WorkoutKind::Intervals))
        .with(hard(2 * 7 + 5, WorkoutKind::Tempo));
    let last = marathon().workouts.len() as i64 / 5 * 7 - 1;
    let mut twice = marathon().with(hard(2, WorkoutKind::Tempo));
    twice.workouts.push(hard(2, WorkoutKind::Intervals));
    let five =
        [0, 1, 2, 3, 4].iter().fold(marathon(), |plan, day| plan.with(hard(7 + day, WorkoutKind::Tempo)));
    let mut paced_run = hard(2, WorkoutKind::Tempo);
    paced_run.steps = vec![paced(meters(StepType::Active, 5000.0), 240.0)];
    let idle = TrainingBaseline {
        runs: runner().runs.into_iter().filter(|run| run.day <= today().plus_days(-60)).collect(),
        ..runner()
    };
    vec![
        ("43 to 167 km in seven weeks", LintRule::TwoMonthVolumeJump, steep, athlete_running(43.0, 13.0)),
        (
            "20 % more in each of eight weeks",
            LintRule::TwoMonthVolumeJump,
            PlanFixture::race(half, &growing(36.0, 1.2, 8)),
            athlete_running(30.0, 9.0),
        ),
        (
            "first week twice the usual one",
            LintRule::FirstWeekVolume,
            PlanFixture::race(half, &weeks([60.0, 62.0, 64.0, 50.0, 64.0, 64.0, 50.0, 25.0], 0.25)),
            athlete_running(30.0, 14.0),
        ),
        (
            "a third more from one week to the next",
            LintRule::WeeklyVolumeJump,
            PlanFixture::race(half, &weeks([30.0, 32.0, 44.0, 34.0, 46.0, 46.0, 36.0, 18.0], 0.3)),
            athlete_running(30.0, 12.0),
        ),
        ("50 km in the first week after two months off", LintRule::FirstWeekVolume, marathon(), idle),
        (
            "marathon with a longest run of 14 km",
            LintRule::LongRunTooShort,
            PlanFixture::race(Distance::MARATHON, &[(50.0, 14.0); 16]),
            athlete_running(50.0, 14.0),
        ),
        (
            "marathon from 10 km a week in twelve weeks",
            LintRule::BaseTooLow,
            PlanFixture::race(Distance::MARATHON, &weeks((0..12).map(|n| 10.0 + 3.0 * f64::from(n)), 0.5)),
            athlete_running(10.0, 5.0),
        ),
        (
            "long run of 70 % of the week",
            LintRule::LongRunShare,
            PlanFixture::race(half, &weeks([30.0; 12], 0.7)),
            athlete_running(30.0, 21.0),
        ),
        (
            "long run half as long again",
            LintRule::LongestRunJump,
            marathon().with(workout(4 * 7 + 6, WorkoutKind::Long, 33.5)),
            runner(),
        ),
        (
            "long run of four hours",
            LintRule::LongRunDuration,
            marathon().with(workout(12 * 7 + 6, WorkoutKind::Long, 40.0)),
            runner(),
        ),
        (
            "intervals and tempo before a novice's long run",
            LintRule::DemandingDaysTogether,
            clustered,
            novice,
        ),
        ("two hard workouts on a day", LintRule::QualitySpacing, twice, runner()),
        ("five hard workouts in a week", LintRule::QualityPerWeek, five, runner()),
        (
            "35 km two days before the race",
            LintRule::FinalDays,
            marathon().with(workout(last - 2, WorkoutKind::Long, 35.0)),
            runner(),
        ),
        (
            "no taper",
            LintRule::FinalDays,
            PlanFixture::race(half, &weeks([60.0; 12], 0.3)),
            athlete_running(60.0, 18.0),
        ),
        (
            "intervals with an open injury",
            LintRule::RunningInjured,
            marathon().with(hard(2, WorkoutKind::Intervals)),
            TrainingBaseline { injured: true, ..runner() },
        ),
        ("a target pace without a result", LintRule::UnsupportedPace, marathon().with(paced_run), runner()),
        (
            "75 km in a day",
            LintRule::ImplausibleDayLength,
            marathon().with(workout(12 * 7 + 6, WorkoutKind::Long, 75.0)),
            runner(),
        ),
    ]
}

#[test]
fn bad_plans_have_an_error_of_the_rule_about_their_fault() {
    let plans = bad_plans();
    assert!(plans.len() >= 12);
    for (fault, rule, plan, athlete) in plans {
        let findings = plan.lint(&athlete);
        let rules: Vec<LintRule> = errors(&findings).map(|finding| finding.rule).collect();
        assert!(rules.contains(&rule), "{fault}: {rules:?} of {findings:#?}");
    }
}

/// So the errors above come from the faults.
#[test]
fn the_plans_they_were_made_from_have_no_errors() {
    let (novice_plan, novice) = sound_plan(Novice);
    for (plan, athlete) in [(marathon(), runner()), (novice_plan, novice)] {
        let findings = plan.lint(&athlete);
        assert_eq!(errors(&findings).count(), 0, "{findings:#?}");
    }
}
