//! Calibration: thirty published plans, if their data is available.

use super::super::*;
use super::fixtures::*;
use crate::plan::WorkoutKind;
use crate::plan::shared_files::{file, skip};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Rules that weekly totals and long runs can show.
const RULES: [LintRule; 15] = [
    LintRule::LongestRunJump,
    LintRule::WeeklyVolumeJump,
    LintRule::TwoMonthVolumeJump,
    LintRule::FirstWeekVolume,
    LintRule::MissingCutbackWeek,
    LintRule::LongRunShare,
    LintRule::LongRunTooShort,
    LintRule::LongRunTooLong,
    LintRule::LastLongRunTiming,
    LintRule::TaperLength,
    LintRule::TaperVolume,
    LintRule::TaperDecrease,
    LintRule::PeakWeekTiming,
    LintRule::PlanTooShort,
    LintRule::BaseTooLow,
];

fn rows(path: &Path) -> Vec<HashMap<String, String>> {
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

/// A plan from its weeks: the long run on Sunday, the rest on six days.
fn from_totals(weeks: &[(f64, f64)], race: Option<Distance>) -> PlanFixture {
    let mut made = PlanFixture::weeks(&vec![(0.0, 0.0); weeks.len()]);
    made.workouts.clear();
    for (number, (week, long)) in weeks.iter().enumerate() {
        let monday = number as i64 * 7;
        let each = (week - long).max(0.0) / 6.0;
        made.workouts.extend((0..6).map(|day| workout(monday + day, WorkoutKind::Easy, each)));
        let kind =
            if race.is_some() && number + 1 == weeks.len() { WorkoutKind::Race } else { WorkoutKind::Long };
        made.workouts.push(workout(monday + 6, kind, *long));
    }
    made.distance = race;
    made
}

/// Findings for an athlete of whom only the weekly distance is known, which is that of the first
/// week. So single runs are compared with each other, from the fifth week on.
fn findings(weeks: &[(f64, f64)], race: Option<Distance>) -> Vec<Finding> {
    let mut athlete = TrainingBaseline::unknown(today());
    athlete.self_reported.base = Distance::from_km(weeks[0].0);
    let mut found = from_totals(weeks, race).lint(&athlete);
    found.retain(|finding| RULES.contains(&finding.rule));
    found
}

fn race_of(plan: &str) -> Option<Distance> {
    match plan {
        _ if plan.contains("marathon") => Some(Distance::MARATHON),
        _ if plan.contains("half") => Some(Distance::HALF_MARATHON),
        _ if plan.contains("8k10k") => Distance::from_km(10.0),
        _ if plan.contains("5k") => Distance::from_km(5.0),
        _ => None,
    }
}

/// Name, weeks (kilometres and long run) and race.
type PublishedPlan = (String, Vec<(f64, f64)>, Option<Distance>);

/// The published plans, without the one whose distances are unknown.
fn published_plans(path: &Path) -> Vec<PublishedPlan> {
    let numbers = |list: &str| -> Vec<f64> { list.split(' ').map(|n| n.parse().unwrap()).collect() };
    // Long runs are whole miles, which the file rounds to kilometres.
    let mile = |km: f64| Distance::from_miles((km / 1.609_344).round()).unwrap().km();
    let plans = rows(path).into_iter().filter(|row| row["plan"] != "five_couch").map(|row| {
        let long = numbers(&row["long_km"]).into_iter().map(mile);
        let race = race_of(&row["plan"]);
        (row["plan"].clone(), numbers(&row["weekly_km"]).into_iter().zip(long).collect(), race)
    });
    plans.collect()
}

#[test]
fn published_plans_have_no_error_and_one_warning_in_the_median() {
    let test = "published_plans_have_no_error_and_one_warning_in_the_median";
    let Some(totals) = file("plans/published_plan_weekly_totals_km.csv") else {
        return skip(test, "the shared plans are not here");
    };
    let mut warnings: Vec<usize> = Vec::new();
    let mut steep: BTreeMap<String, Vec<LintRule>> = BTreeMap::new();
    for (plan, weeks, race) in published_plans(&totals) {
        let found = findings(&weeks, race);
        warnings.push(found.iter().filter(|finding| finding.severity == Severity::Warning).count());
        let rules = error_rules(&found);
        if !rules.is_empty() {
            steep.insert(plan, rules);
        }
    }
    // Hansons plans begin with few kilometres and rise quickly.
    let plans: Vec<&str> = steep.keys().map(String::as_str).collect();
    let hansons = ["half_hansons_advanced", "half_hansons_beginner", "marathon_hansons_beginner"];
    assert_eq!(plans, hansons, "{steep:?}");
    assert!(steep.values().all(|rules| rules.contains(&LintRule::WeeklyVolumeJump)), "{steep:?}");
    warnings.sort_unstable();
    assert_eq!(warnings.len(), 30);
    assert!(warnings[15] <= 1, "{warnings:?}");
}

fn error_rules(findings: &[Finding]) -> Vec<LintRule> {
    errors(findings).map(|finding| finding.rule).collect()
}

#[test]
fn weekly_totals_decide_whether_a_plan_is_too_steep() {
    // Single runs are compared from the fifth week on.
    let gentle: Vec<(f64, f64)> = [40.0, 43.0, 46.0, 38.0, 47.0, 50.0, 53.0, 43.0, 40.0, 30.0]
        .iter()
        .map(|km| (*km, (km * 0.3_f64).round()))
        .collect();
    let rules = |weeks: &[(f64, f64)]| error_rules(&findings(weeks, Distance::from_km(10.0)));
    assert_eq!(rules(&gentle), []);
    let mut steep = gentle.clone();
    steep[1].0 = 52.1;
    assert_eq!(rules(&steep), [LintRule::WeeklyVolumeJump]);
    let mut spiked = gentle.clone();
    spiked[5].1 = 19.0;
    assert_eq!(rules(&spiked), [LintRule::LongestRunJump]);
    let mut early = gentle.clone();
    early[2].1 = 19.0;
    assert_eq!(rules(&early), []);
    let mut lopsided = gentle.clone();
    lopsided[2] = (42.0, 28.0);
    assert_eq!(rules(&lopsided), [LintRule::LongRunShare]);
    // In a cut-back week it is a warning.
    lopsided[2] = (30.0, 20.0);
    assert_eq!(rules(&lopsided), []);
    // Steps of 15 % are fine one by one, and too much together.
    let growing: Vec<(f64, f64)> =
        (0..6).map(|week| 40.0 * 1.15_f64.powi(week)).map(|km| (km, 12.0)).collect();
    assert_eq!(rules(&growing), [LintRule::TwoMonthVolumeJump]);
}
