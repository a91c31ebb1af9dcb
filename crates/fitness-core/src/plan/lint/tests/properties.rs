//! Property tests: any plan and athlete give finite, sorted findings.

use super::super::*;
use super::fixtures::*;
use crate::domain::sport::Sport;
use crate::plan::{Level, PastRun, Step, StepDuration, StepTarget, StepType, TargetRange, WorkoutKind};
use proptest::prelude::*;

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![4 => 0.0..50_000.0, 1 => Just(0.0), 1 => any::<f64>()]
}

fn step() -> impl Strategy<Value = Step> {
    let range = (prop::option::of(number()), prop::option::of(number()))
        .prop_map(|(low, high)| TargetRange { low, high });
    (prop::sample::select(StepType::ALL), number(), range, 0..4_u8).prop_map(
        |(step_type, amount, range, form)| Step {
            step_type,
            duration: match form {
                0 => StepDuration::Time(amount),
                1 => StepDuration::Distance(amount),
                2 => StepDuration::Calories(amount),
                _ => StepDuration::Open,
            },
            target: if form % 2 == 0 { StepTarget::Pace(range) } else { StepTarget::Open },
            max_heart_rate: None,
            notes: None,
        },
    )
}

fn any_workout() -> impl Strategy<Value = Workout> {
    let mm = prop_oneof![4 => 0..60_000_000_i64, 1 => any::<i64>()];
    let ms = prop_oneof![4 => 0..20_000_000_i64, 1 => any::<i64>()];
    (
        -20..200_i64,
        prop::sample::select(vec![
            Sport::Running,
            Sport::Running,
            Sport::Cycling,
            Sport::Rest,
            Sport::Strength,
        ]),
        prop::sample::select(WorkoutKind::ALL),
        prop::option::of(mm),
        prop::option::of(ms),
        prop::option::of(number()),
        prop::collection::vec(step(), 0..4),
    )
        .prop_map(|(offset, sport, kind, mm, ms, load, steps)| Workout {
            sport,
            kind,
            distance: mm.map(Distance::from_mm),
            duration: ms.map(TimeSpan::from_ms),
            load,
            steps,
            ..Workout::rest(plan_day(offset))
        })
}

fn any_athlete() -> impl Strategy<Value = TrainingBaseline> {
    let run = (-420..30_i64, 0..60_000_000_i64, prop::option::of(0..20_000_000_i64), any::<bool>());
    (
        prop::collection::vec(run, 0..60),
        prop::option::of(-420..20_i64),
        prop::option::of(0..120_u32),
        prop::option::of(number()),
        (prop::option::of(prop::sample::select(Level::ALL)), prop::option::of(0..200_000_000_i64)),
        any::<[bool; 3]>(),
    )
        .prop_map(|(runs, first, age, fitness, (level, base), [injured, paced, predicted])| {
            let runs = runs.into_iter().map(|(day, mm, ms, hard)| PastRun {
                day: today().plus_days(day),
                distance: Distance::from_mm(mm),
                duration: ms.map(TimeSpan::from_ms),
                hard,
            });
            let mut athlete = TrainingBaseline {
                runs: runs.collect(),
                first_day: first.map(|day| today().plus_days(day)),
                age,
                fitness,
                injured,
                paces: paced.then(|| paces(10)),
                ..TrainingBaseline::unknown(today())
            };
            if predicted {
                athlete.prediction = Ok(prediction(Distance::HALF_MARATHON, TimeSpan::from_mins(105)));
            }
            athlete.self_reported.level = level;
            athlete.self_reported.base = base.map(Distance::from_mm);
            athlete
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]
    #[test]
    fn lint_any_plan_gives_finite_sorted_findings(
        workouts in prop::collection::vec(any_workout(), 0..80),
        athlete in any_athlete(),
        distance in prop::option::of(0..400_000_000_i64),
        (start, race) in (-30..30_i64, -60..200_i64),
        target in prop::option::of(any::<i64>()),
        imperial in any::<bool>(),
    ) {
        let subject = LintInput {
            distance: distance.map(Distance::from_mm),
            start: plan_day(start),
            race: plan_day(race),
            target: target.map(TimeSpan::from_ms),
            workouts: &workouts,
        };
        let units = if imperial { UnitSystem::Imperial } else { UnitSystem::Metric };
        let findings = lint(&subject, &athlete, units);
        prop_assert!(findings.is_sorted_by_key(|finding| (finding.severity, finding.rule, finding.day)));
        for finding in &findings {
            prop_assert!(finding.value.is_none_or(f64::is_finite) && finding.limit.is_none_or(f64::is_finite));
            prop_assert!(!finding.text.contains("inf") && !finding.text.contains("NaN"), "{}", finding.text);
            prop_assert!(finding.text.ends_with('.') && !finding.text.contains('\n'), "{}", finding.text);
            prop_assert!(serde_json::to_string(finding).is_ok());
        }
        // The order of the workouts makes no difference.
        let turned: Vec<Workout> = workouts.iter().rev().cloned().collect();
        let again = lint(&LintInput { workouts: &turned, ..subject }, &athlete, units);
        let short = |found: &[Finding]| found.iter().map(|f| (f.rule, f.severity)).collect::<Vec<_>>();
        prop_assert_eq!(short(&again), short(&findings));
    }
}

/// Two years with two workouts on most days give few findings, however many days break a rule.
#[test]
fn the_largest_plan_is_linted() {
    let mut made = PlanFixture::weeks(&[(60.0, 15.0); 104]);
    let more: Vec<Workout> = (0..728).map(|offset| workout(offset, WorkoutKind::Intervals, 9.0)).collect();
    made.workouts.extend(more);
    made.workouts.truncate(crate::plan::MAX_WORKOUTS);
    made.distance = Some(Distance::MARATHON);
    let findings = made.lint(&athlete_at_level(Level::Advanced, 60.0, 15.0));
    assert!(findings.len() < 40, "{}", findings.len());
}
