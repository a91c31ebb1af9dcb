//! Adjusts the next attempt to the lint findings: weeks get lighter or fuller, runs shorter, hard
//! days easy.

use super::PlanRequest;
use super::plan_weeks;
use super::single_run_limit::shorten;
use super::volume::{PlanWeek, VolumeInput};
use super::week_layout::WorkoutBuilder;
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::lint::{Finding, LintRule, Severity};
use crate::plan::{Week, Workout, WorkoutKind, planned_running_distance};
use std::collections::{BTreeMap, BTreeSet};

/// Adjustments collected from earlier attempts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Repairs {
    /// Scale factors of weeks, by their first day.
    weeks: BTreeMap<Day, f64>,
    /// Longest run allowed on a day, in kilometres.
    runs: BTreeMap<Day, f64>,
    /// Days that must be easy.
    easy_days: BTreeSet<Day>,
}

/// Margin for rounded distances.
const BELOW_LIMIT_FACTOR: f64 = 0.97;
const ABOVE_LIMIT_FACTOR: f64 = 1.03;
/// Below this scale factor a week has no hard workout.
const NO_QUALITY_SHARE: f64 = 0.8;
const MAX_WEEK_FACTOR: f64 = 1.6;

impl Repairs {
    /// Adds adjustments for the findings of an attempt.
    pub(super) fn add_findings(&mut self, said: &[(u8, Finding)], wish: &PlanRequest, workouts: &[Workout]) {
        let weeks = plan_weeks(wish);
        let km = |week: &Week| planned_running_distance(workouts, *week, wish.race).km();
        let last = |back: usize| weeks.iter().rev().nth(back).map(|week| week.first);
        for (part, finding) in said.iter().filter(|(_, finding)| finding.severity != Severity::Note) {
            let measured =
                finding.value.zip(finding.limit).filter(|(value, limit)| *value > 0.0 && *limit > 0.0);
            let Some(day) = finding.day else {
                match (finding.rule, part, measured) {
                    // The last two weeks compared with the peak week.
                    (LintRule::TaperDecrease, 1, Some((value, limit))) if value < 1.0 => {
                        let share = (1.0 - limit) / (1.0 - value);
                        for first in [last(0), last(1)].into_iter().flatten() {
                            self.scale(first, share);
                        }
                    }
                    _ => {}
                }
                continue;
            };
            match (finding.rule, measured) {
                (LintRule::LongestRunJump | LintRule::RunningInjured, Some((value, limit))) => {
                    let run = workouts.iter().find(|w| w.date == day && w.sport == Sport::Running);
                    if let Some(far) = run.and_then(|run| run.distance) {
                        self.shorten(day, far.km() * (limit / value).min(1.0));
                    }
                }
                (
                    LintRule::WeeklyVolumeJump
                    | LintRule::TwoMonthVolumeJump
                    | LintRule::FirstWeekVolume
                    | LintRule::TaperVolume,
                    Some((value, limit)),
                ) => self.scale(day, limit / value),
                (LintRule::TaperDecrease, Some((km, before))) => self.scale(day, before / km),
                (LintRule::MissingCutbackWeek | LintRule::MastersRecovery, Some((value, limit)))
                    if *part == 0 =>
                {
                    let span = if finding.rule == LintRule::MissingCutbackWeek { 4 } else { 3 };
                    let within =
                        weeks.iter().filter(|week| (0..7 * span).contains(&day.days_until(week.first)));
                    if let Some(lightest) = within.min_by(|a, b| km(a).total_cmp(&km(b))) {
                        self.scale(lightest.first, limit / value);
                    }
                }
                (LintRule::LongRunShare, Some((value, limit))) => {
                    let week = Week { first: day };
                    let runs =
                        workouts.iter().filter(|w| week.contains(w.date) && w.kind != WorkoutKind::Race);
                    if let Some(longest) =
                        runs.filter(|w| w.sport == Sport::Running).max_by_key(|w| w.distance)
                    {
                        let far = longest.distance.map_or(0.0, Distance::km);
                        self.shorten(longest.date, far * limit / value);
                    }
                }
                (
                    LintRule::QualityPerWeek
                    | LintRule::QualitySpacing
                    | LintRule::DemandingDaysTogether
                    | LintRule::HardRunningPerWorkout
                    | LintRule::FinalDays
                    | LintRule::MastersRecovery
                    | LintRule::RunningInjured,
                    _,
                ) => {
                    let first = weeks.iter().find(|week| week.contains(day)).map(|week| week.first);
                    let whole = finding.rule == LintRule::QualityPerWeek;
                    self.easy_days
                        .extend(first.filter(|_| whole).into_iter().flat_map(|first| Week { first }.days()));
                    self.easy_days.insert(day);
                }
                _ => {}
            }
        }
    }

    fn scale(&mut self, week: Day, share: f64) {
        let share = if share < 1.0 { share * BELOW_LIMIT_FACTOR } else { share * ABOVE_LIMIT_FACTOR };
        let known = self.weeks.entry(week).or_insert(1.0);
        *known = (*known * share.clamp(0.3, 1.5)).clamp(0.05, MAX_WEEK_FACTOR);
        // A hard workout has a minimum length, so a week that is still too full gets none.
        if *known < NO_QUALITY_SHARE {
            self.easy_days.extend(Week { first: week }.days());
        }
    }

    fn shorten(&mut self, day: Day, km: f64) {
        let known = self.runs.entry(day).or_insert(f64::INFINITY);
        *known = known.min(km);
    }

    pub(super) fn apply_to_weeks(&self, shape: &VolumeInput, weeks: &mut [PlanWeek]) {
        for week in weeks {
            if let Some(share) = self.weeks.get(&week.week.first) {
                week.km *= share;
                if week.long_run_km > 0.0 {
                    week.long_run_km = shape
                        .floor_long(week.long_run_km * share.min(1.0))
                        .max(shape.min_run_km().min(week.km));
                }
            }
        }
    }

    /// Scale factor of the week or partial week that begins on a day.
    pub(super) fn week_share(&self, first: Day) -> f64 {
        self.weeks.get(&first).copied().unwrap_or(1.0)
    }

    pub(super) fn is_easy_day(&self, day: Day) -> bool {
        self.easy_days.contains(&day)
    }

    pub(super) fn apply_to_runs(&self, maker: &WorkoutBuilder<'_>, workouts: &mut [Workout]) {
        for workout in
            workouts.iter_mut().filter(|w| w.sport == Sport::Running && w.kind != WorkoutKind::Race)
        {
            if let Some(most) = self.runs.get(&workout.date) {
                shorten(maker, workout, *most);
            }
        }
    }
}
