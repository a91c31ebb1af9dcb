//! Goals, levels and plan lengths: every plan is safe, fits the athlete's days, ends on race day
//! and resembles published plans.

use super::athletes::{plan_request, runner, with_result};
use crate::domain::units::{Distance, UnitSystem};
use crate::plan::lint::Severity;
use crate::plan::{
    GenerateError, GeneratedPlan, GoalDistance, PlanRequest, TrainingBaseline, Weekdays, WorkoutKind,
    generate, planned_running_distance, race_weeks,
};
use std::collections::BTreeMap;

const GOALS: [(GoalDistance, Option<f64>); 6] = [
    (GoalDistance::FiveK, None),
    (GoalDistance::TenK, None),
    (GoalDistance::Half, None),
    (GoalDistance::Full, None),
    (GoalDistance::Custom, Some(16.1)),
    (GoalDistance::Custom, Some(30.0)),
];
/// Kilometres and runs a week.
const RUNNERS: [(f64, usize); 6] = [(16.0, 3), (26.0, 4), (36.0, 4), (52.0, 5), (70.0, 6), (95.0, 6)];
const WEEKS: [i64; 11] = [1, 2, 3, 5, 6, 8, 10, 12, 16, 20, 24];

pub(super) fn combinations() -> Vec<(String, PlanRequest, TrainingBaseline)> {
    let mut all = Vec::new();
    for (goal, km) in GOALS {
        for (number, (weekly, runs)) in RUNNERS.into_iter().enumerate() {
            for weeks in WEEKS {
                // Races on Sundays, Saturdays and Wednesdays; all days available, or some.
                for (variant, (shift, days)) in
                    [(0, "mon,tue,wed,thu,fri,sat,sun"), (-1, "tue,wed,thu,sat,sun"), (-4, "mon,wed,fri,sat")]
                        .into_iter()
                        .enumerate()
                {
                    let mut wish = plan_request(goal, weeks * 7 - 1 + shift);
                    wish.distance = km.and_then(Distance::from_km);
                    wish.availability.days = days.parse::<Weekdays>().unwrap();
                    wish.units = if variant == 1 { UnitSystem::Imperial } else { UnitSystem::Metric };
                    let race = wish.goal.distance().or(wish.distance).unwrap();
                    let mut athlete = runner(weekly, runs, 70);
                    if variant != 2 {
                        athlete = with_result(athlete, race);
                    }
                    athlete.age = [Some(34), Some(53), None, Some(63)][(number + weeks as usize) % 4];
                    let label = format!(
                        "{goal} {km:?} from {weekly} km in {weeks} weeks {shift}, {days}, {:?}",
                        athlete.age
                    );
                    all.push((label, wish, athlete));
                }
            }
        }
    }
    all
}

#[test]
fn every_plan_is_safe_and_fits_and_ends_on_race_day() {
    let (mut made, mut refused, mut warned) = (0, BTreeMap::new(), BTreeMap::new());
    let mut trouble = Vec::new();
    for (label, wish, athlete) in combinations() {
        let GeneratedPlan { draft, findings, .. } = match generate(&wish, &athlete) {
            Ok(plan) => plan,
            Err(why @ GenerateError::Unsafe { .. }) => {
                trouble.push(format!("{label}: {why}"));
                continue;
            }
            Err(why) => {
                let word = format!("{why:?}").split([' ', '(']).next().unwrap_or_default().to_owned();
                *refused.entry(word).or_insert(0) += 1;
                continue;
            }
        };
        made += 1;
        let warnings: Vec<_> = findings.iter().filter(|f| f.severity == Severity::Warning).collect();
        for warning in &warnings {
            *warned.entry(warning.rule).or_insert(0) += 1;
        }
        for warning in &warnings {
            if matches!(
                warning.rule,
                crate::plan::lint::LintRule::QualitySpacing
                    | crate::plan::lint::LintRule::MastersRecovery
                    | crate::plan::lint::LintRule::LongRunShare
                    | crate::plan::lint::LintRule::TaperVolume
            ) {
                println!("W {label}: {}", warning.text);
            }
        }
        if warnings.len() > 2 {
            let said: Vec<String> = warnings.iter().map(|f| format!("{} {}", f.rule, f.text)).collect();
            trouble.push(format!("{label}: {said:?}"));
        }
        assert!(findings.iter().all(|f| f.severity != Severity::Error), "{label}: {findings:?}");
        for workout in draft.workouts() {
            let fits =
                workout.is_rest() || wish.availability.days.allows(workout.date) || workout.date == wish.race;
            assert!(fits, "{label}: {workout:?}");
        }
        let last = draft.workouts().last().unwrap();
        assert_eq!((last.date, last.kind), (wish.race, WorkoutKind::Race), "{label}");
        assert_eq!(draft.workouts().iter().filter(|w| w.kind == WorkoutKind::Race).count(), 1, "{label}");
    }
    eprintln!("{made} plans, refused {refused:?}, warnings {warned:?}");
    assert!(
        trouble.is_empty(),
        "{} plans: {}",
        trouble.len(),
        trouble.iter().step_by(trouble.len().div_ceil(20).max(1)).cloned().collect::<Vec<_>>().join("\n")
    );
    assert!(made >= 1000, "{made}");
}

#[test]
fn a_plan_grows_from_the_base_and_falls_to_the_race() {
    for (label, wish, athlete) in combinations() {
        let Ok(plan) = generate(&wish, &athlete) else { continue };
        let weeks = race_weeks(wish.start, wish.race);
        if weeks.len() < 8 {
            continue;
        }
        let km: Vec<f64> = weeks
            .iter()
            .map(|week| planned_running_distance(plan.draft.workouts(), *week, wish.race).km())
            .collect();
        let peak = km.iter().copied().fold(0.0, f64::max);
        let base = athlete.base().unwrap().km();
        assert!(km[0] <= base * 1.10 + 1.0, "{label}: starts with {} of {base}: {km:?}", km[0]);
        assert!(km.last().unwrap() < &(peak * 0.85), "{label}: no taper: {km:?}");
        let loaded = weeks.len() as i32;
        assert!(
            peak <= (base * 1.10_f64.powi(loaded)).max(base + 2.5 * f64::from(loaded)),
            "{label}: {km:?}"
        );
    }
}
