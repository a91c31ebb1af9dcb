//! Blackouts, entered bases, tune-up races and strength.

use super::super::strength::is_demanding;
use super::athletes::{as_of, plan_request, runner, with_result};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::lint::{self, Severity};
use crate::plan::{
    GenerateError, GeneratedPlan, GoalDistance, PlanRequest, TrainingBaseline, TuneUp, WorkoutKind, generate,
    planned_running_distance, race_weeks,
};
use std::collections::BTreeMap;

const GOALS: [(GoalDistance, Option<f64>); 5] = [
    (GoalDistance::FiveK, None),
    (GoalDistance::TenK, None),
    (GoalDistance::Half, None),
    (GoalDistance::Full, None),
    (GoalDistance::Custom, Some(16.1)),
];
const RUNNERS: [(f64, usize); 3] = [(26.0, 4), (52.0, 5), (95.0, 6)];
const WEEKS: [i64; 4] = [6, 10, 16, 22];
/// Blocked days, and where in the plan they begin.
const BLACKOUTS: [(i64, f64); 10] = [
    (0, 0.0),
    (3, 0.3),
    (3, 0.85),
    (10, 0.0),
    (10, 0.4),
    (10, 0.7),
    (21, 0.0),
    (21, 0.3),
    (21, 0.6),
    (35, 0.3),
];

/// Label, request, athlete, and the first and last blocked day.
type Case = (String, PlanRequest, TrainingBaseline, Option<(Day, Day)>);

fn combinations() -> Vec<Case> {
    let mut all = Vec::new();
    for (goal, km) in GOALS {
        for (weekly, runs) in RUNNERS {
            for weeks in WEEKS {
                for (days, place) in BLACKOUTS {
                    let number = all.len();
                    let mut wish = plan_request(goal, weeks * 7 - 1 - (number % 3) as i64);
                    wish.distance = km.and_then(Distance::from_km);
                    let from = wish.start.plus_days((weeks as f64 * 7.0 * place) as i64);
                    let blocked = (days > 0).then(|| (from, from.plus_days(days - 1)));
                    wish.availability.blackouts =
                        blocked.iter().flat_map(|(from, last)| from.through(*last)).collect();
                    wish.strength = number % 2 == 0;
                    let race = wish.goal.distance().or(wish.distance).unwrap();
                    let mut athlete = runner(weekly, runs, 70);
                    if number % 3 != 0 {
                        athlete = with_result(athlete, race);
                    }
                    let stated = [None, Some(0.7), Some(2.0), Some(1.0)][number % 4];
                    athlete.self_reported.base = stated.and_then(|share| Distance::from_km(weekly * share));
                    if number % 5 == 4 {
                        // This athlete has no recorded runs.
                        let said = athlete.self_reported.base.or(Distance::from_km(weekly));
                        athlete = TrainingBaseline::unknown(as_of());
                        athlete.self_reported.base = said;
                    }
                    let on = wish.race.plus_days(-7 * (weeks / 2));
                    if number % 4 == 1 && wish.availability.allows(on) {
                        wish.tune_up = Some(TuneUp { on, distance: Distance::from_km(5.0).unwrap() });
                    }
                    let label = format!(
                        "{goal} {km:?} from {weekly} km, typed {stated:?}, in {weeks} weeks, {blocked:?}, {:?}",
                        wish.tune_up
                    );
                    all.push((label, wish, athlete, blocked));
                }
            }
        }
    }
    all
}

#[test]
fn plans_with_constraints_are_safe_and_return_gradually() {
    let (mut made, mut trouble, mut refused) = (0, Vec::new(), BTreeMap::new());
    for (label, wish, athlete, blocked) in combinations() {
        let plan = match generate(&wish, &athlete) {
            Ok(plan) => plan,
            Err(why @ GenerateError::Unsafe { .. }) => {
                trouble.push(format!("{label}: {why}"));
                continue;
            }
            Err(why) => {
                *refused.entry(format!("{why}")).or_insert(0) += 1;
                continue;
            }
        };
        made += 1;
        let GeneratedPlan { draft, findings, notes: remarks, .. } = &plan;
        assert_eq!(lint::errors(findings).count(), 0, "{label}: {findings:?}");
        let warnings: Vec<_> = findings.iter().filter(|f| f.severity == Severity::Warning).collect();
        if warnings.len() > 2 {
            let said: Vec<String> = warnings.iter().map(|f| format!("{} {}", f.rule, f.text)).collect();
            trouble.push(format!("{label}: {said:?}"));
        }
        assert!(remarks.iter().filter(|said| said.contains("days off, ending on")).count() <= 1, "{label}");
        let workouts = draft.workouts();
        assert!(workouts.iter().all(|w| w.is_rest() || wish.availability.allows(w.date)), "{label}");
        let races = workouts.iter().filter(|w| w.kind == WorkoutKind::Race).count();
        assert_eq!(races, 1 + usize::from(wish.tune_up.is_some()), "{label}");
        for strength in workouts.iter().filter(|w| w.sport == Sport::Strength) {
            let eve = workouts.iter().any(|w| w.date == strength.date.next() && is_demanding(w.kind));
            assert!(!eve, "{label}: strength on {}", strength.date);
        }
        if let Some((from, last)) = blocked.filter(|(from, last)| from.days_until(*last) >= 13) {
            let weeks = race_weeks(wish.start, wish.race);
            let km = |index: usize| planned_running_distance(workouts, weeks[index], wish.race).km();
            let Some(first) = weeks.iter().position(|week| week.first > last) else { continue };
            let before = (0..first).filter(|index| weeks[*index].first < from).map(km).fold(0.0, f64::max);
            let before = if before > 0.0 { before } else { athlete.base().unwrap().km() };
            assert!(km(first) <= before * 0.75 + 1.0, "{label}: back with {} after {before}", km(first));
            assert!(remarks.iter().any(|said| said.contains("days off, ending on")), "{label}: {remarks:?}");
        }
    }
    eprintln!("{made} plans, refused {refused:?}");
    assert!(
        trouble.is_empty(),
        "{} of {made} plans: {}",
        trouble.len(),
        trouble.iter().step_by(trouble.len().div_ceil(25).max(1)).cloned().collect::<Vec<_>>().join("\n")
    );
    assert!(made >= 550, "{made}");
}
