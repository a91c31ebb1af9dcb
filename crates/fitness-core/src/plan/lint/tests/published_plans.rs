//! Lints thirty published plans, if their data is available, and example plans.

use super::super::*;
use super::fixtures::*;
use crate::plan::shared_files::{file, skip};
use crate::plan::training_norms;
use crate::plan::{Level, WorkoutKind};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

const RULES: [LintRule; 3] = [LintRule::LongestRunJump, LintRule::WeeklyVolumeJump, LintRule::LongRunShare];

fn rows(path: &Path) -> Vec<HashMap<String, String>> {
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

/// Findings of three rules for measured weeks.
fn severities(level: Level, numbers: [Option<f64>; 3]) -> [Option<Severity>; 3] {
    let (_, warning, error) = training_norms::SESSION_SPIKE;
    let limits = [
        (warning, error),
        training_norms::max_weekly_increase(level, None),
        training_norms::long_share(level),
    ];
    std::array::from_fn(|rule| Some(severity_above(numbers[rule]?, limits[rule])?.0))
}

#[test]
fn measured_numbers_get_the_severities_they_should() {
    for (level, numbers, expected) in [
        (Level::Novice, [Some(1.10), Some(1.20), Some(0.50)], [NO_FINDING, NO_FINDING, NO_FINDING]),
        (Level::Novice, [Some(1.143), Some(1.21), Some(0.51)], [WARNING, WARNING, WARNING]),
        (Level::Intermediate, [Some(1.30), Some(1.30), Some(0.60)], [WARNING, WARNING, WARNING]),
        (Level::Intermediate, [Some(1.31), Some(1.31), Some(0.61)], [ERROR, ERROR, ERROR]),
        (Level::Advanced, [None, Some(1.10), Some(0.33)], [NO_FINDING, NO_FINDING, NO_FINDING]),
        (Level::Advanced, [None, Some(1.11), Some(0.34)], [NO_FINDING, WARNING, WARNING]),
    ] {
        assert_eq!(severities(level, numbers), expected, "{level} {numbers:?}");
    }
}

#[test]
fn published_plans_lint_as_documented() {
    let test = "published_plans_lint_as_documented";
    let (Some(metrics), Some(lint)) =
        (file("plans/published_plan_metrics.csv"), file("plans/published_plan_lint.csv"))
    else {
        return skip(test, "the shared plans are not here");
    };
    let documented: HashMap<String, HashMap<String, String>> =
        rows(&lint).into_iter().map(|row| (row["plan"].clone(), row)).collect();
    let mut compared = 0;
    for row in rows(&metrics) {
        let number = |column: &str| row[column].parse::<f64>().ok().filter(|number| number.is_finite());
        let level = Level::from_weekly_distance(Distance::from_km(number("start").unwrap()).unwrap());
        let numbers = ["max_session_spike30d", "max_vs_4wk_max", "LR_share_at_maxLR"].map(number);
        let said = severities(level, numbers);
        let listed = |severity: Severity| {
            let rules = RULES.iter().zip(said).filter(|(_, said)| *said == Some(severity));
            rules.map(|(rule, _)| rule.as_str()).collect::<Vec<_>>().join(" ")
        };
        let Some(documented) = documented.get(&row["plan"]) else {
            assert_eq!(row["plan"], "five_couch", "the one without distances");
            continue;
        };
        assert_eq!(documented["level_by_start"], level.as_str(), "{}", row["plan"]);
        assert_eq!(listed(Severity::Error), documented["E"], "{}", row["plan"]);
        assert_eq!(listed(Severity::Warning), documented["W"], "{}", row["plan"]);
        compared += 1;
    }
    assert_eq!(compared, documented.len());
    assert_eq!(compared, 30);
}

/// A plan from its weeks: the long run on Sunday, the rest on six days.
fn from_totals(weeks: &[(f64, f64)], race: bool) -> PlanFixture {
    let mut made = PlanFixture::weeks(&vec![(0.0, 0.0); weeks.len()]);
    made.workouts.clear();
    for (number, (week, long)) in weeks.iter().enumerate() {
        let monday = number as i64 * 7;
        let each = (week - long).max(0.0) / 6.0;
        made.workouts.extend((0..6).map(|day| workout(monday + day, WorkoutKind::Easy, each)));
        let kind = if race && number + 1 == weeks.len() { WorkoutKind::Race } else { WorkoutKind::Long };
        made.workouts.push(workout(monday + 6, kind, *long));
    }
    made.distance = weeks.last().filter(|_| race).and_then(|(_, race)| Distance::from_km(*race));
    made
}

/// Errors of the three rules for an athlete known only by the plan's first week.
fn rule_errors(made: &PlanFixture, first_week: f64) -> Vec<LintRule> {
    let mut athlete = TrainingBaseline::unknown(today());
    athlete.self_reported.level = Some(Level::from_weekly_distance(Distance::from_km(first_week).unwrap()));
    let findings = made.lint(&athlete);
    errors(&findings).map(|finding| finding.rule).filter(|rule| RULES.contains(rule)).collect()
}

#[test]
fn whole_published_plans_have_errors_where_documented() {
    let test = "whole_published_plans_have_errors_where_documented";
    let Some(totals) = file("plans/published_plan_weekly_totals_km.csv") else {
        return skip(test, "the shared plans are not here");
    };
    let mut found: BTreeMap<String, Vec<LintRule>> = BTreeMap::new();
    for row in rows(&totals) {
        let plan = &row["plan"];
        let numbers =
            |column: &str| -> Vec<f64> { row[column].split(' ').map(|n| n.parse().unwrap()).collect() };
        // Long runs are whole miles, which the file rounds to kilometres.
        let mile = |km: f64| Distance::from_miles((km / 1.609_344).round()).unwrap().km();
        let weekly = numbers("weekly_km");
        let weeks: Vec<(f64, f64)> =
            weekly.iter().copied().zip(numbers("long_km").into_iter().map(mile)).collect();
        let race = !plan.starts_with("base_") && plan != "boston_level_one";
        let errors = rule_errors(&from_totals(&weeks, race), weekly[0]);
        if !errors.is_empty() {
            found.insert(plan.clone(), errors);
        }
    }
    let plans: Vec<&str> = found.keys().map(String::as_str).collect();
    let steep = ["half_hansons_advanced", "half_hansons_beginner", "marathon_hansons_beginner"];
    assert_eq!(plans, steep, "{found:?}");
}

#[test]
fn weekly_totals_decide_whether_a_plan_is_too_steep() {
    // The first two weeks are not compared with earlier ones; single runs are compared from the
    // fifth week.
    let gentle: Vec<(f64, f64)> = [40.0, 43.0, 46.0, 38.0, 47.0, 50.0, 53.0, 43.0, 40.0, 30.0]
        .iter()
        .map(|km| (*km, (km * 0.3_f64).round()))
        .collect();
    assert_eq!(rule_errors(&from_totals(&gentle, true), 40.0), []);
    let mut steep = gentle.clone();
    steep[1].0 = 52.1;
    assert_eq!(rule_errors(&from_totals(&steep, true), 40.0), [LintRule::WeeklyVolumeJump]);
    let mut spiked = gentle.clone();
    spiked[5].1 = 19.0;
    assert_eq!(rule_errors(&from_totals(&spiked, true), 40.0), [LintRule::LongestRunJump]);
    let mut early = gentle.clone();
    early[2].1 = 19.0;
    assert_eq!(rule_errors(&from_totals(&early, true), 40.0), []);
    let mut lopsided = gentle;
    lopsided[2] = (42.0, 26.0);
    assert_eq!(rule_errors(&from_totals(&lopsided, true), 40.0), [LintRule::LongRunShare]);
    // In a cut-back week it is a warning.
    lopsided[2] = (30.0, 19.0);
    assert_eq!(rule_errors(&from_totals(&lopsided, true), 40.0), []);
}
