//! What the linter says about a plan makes the next try better: weeks get lighter, or fuller where that is what is missing,
//! runs shorter, hard days easy.

use super::PlanRequest;
use super::longest_run::shorten;
use super::plan_weeks;
use super::volume::{PlanWeek, VolumeProfile};
use super::week_layout::WorkoutBuilder;
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::lint::{Finding, Rule, Severity};
use crate::plan::{Week, Workout, WorkoutKind, planned_running_distance};
use std::collections::{BTreeMap, BTreeSet};

/// What was changed so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Repairs {
    /// Shares of weeks, by their first days.
    weeks: BTreeMap<Day, f64>,
    /// Kilometres that the run of a day does not go beyond.
    runs: BTreeMap<Day, f64>,
    /// Days without anything hard.
    easy_days: BTreeSet<Day>,
}

/// A little less than the limit, since distances are rounded.
const BELOW_LIMIT_FACTOR: f64 = 0.97;
const ABOVE_LIMIT_FACTOR: f64 = 1.03;
/// A share of a week that leaves no room for a hard session.
const NO_QUALITY_SHARE: f64 = 0.8;
/// How far a week may be filled up.
const MAX_WEEK_FACTOR: f64 = 1.6;

impl Repairs {
    /// Learns from what was said about a plan.
    pub(super) fn add_findings(&mut self, said: &[(u8, Finding)], wish: &PlanRequest, workouts: &[Workout]) {
        let weeks = plan_weeks(wish);
        let km = |week: &Week| planned_running_distance(workouts, *week, wish.race).km();
        let last = |back: usize| weeks.iter().rev().nth(back).map(|week| week.first);
        for (part, finding) in said.iter().filter(|(_, finding)| finding.severity != Severity::Note) {
            let measured =
                finding.value.zip(finding.limit).filter(|(value, limit)| *value > 0.0 && *limit > 0.0);
            let Some(day) = finding.day else {
                match (finding.rule, part, measured) {
                    // The last two weeks against the peak.
                    (Rule::TaperDecrease, 1, Some((value, limit))) if value < 1.0 => {
                        let share = (1.0 - limit) / (1.0 - value);
                        for first in [last(0), last(1)].into_iter().flatten() {
                            self.scale(first, share);
                        }
                    }
                    (Rule::PeakAboveOwnBest, _, Some((value, limit))) => {
                        let peak = weeks.iter().map(km).fold(0.0, f64::max);
                        for week in weeks.iter().filter(|week| km(week) > peak * limit / value) {
                            self.scale(week.first, limit / value);
                        }
                    }
                    _ => {}
                }
                continue;
            };
            match (finding.rule, measured) {
                (Rule::LongestRunJump | Rule::RunningInjured, Some((value, limit))) => {
                    let run = workouts.iter().find(|w| w.date == day && w.sport == Sport::Running);
                    if let Some(far) = run.and_then(|run| run.distance) {
                        self.shorten(day, far.km() * (limit / value).min(1.0));
                    }
                }
                (
                    Rule::WeeklyVolumeJump | Rule::FirstWeekVolume | Rule::TaperVolume,
                    Some((value, limit)),
                ) => self.scale(day, limit / value),
                (Rule::TaperDecrease, Some((km, before))) => self.scale(day, before / km),
                (Rule::MissingCutbackWeek | Rule::MastersRecovery, Some((value, limit))) if *part == 0 => {
                    let span = if finding.rule == Rule::MissingCutbackWeek { 4 } else { 3 };
                    let within =
                        weeks.iter().filter(|week| (0..7 * span).contains(&day.days_until(week.first)));
                    if let Some(lightest) = within.min_by(|a, b| km(a).total_cmp(&km(b))) {
                        self.scale(lightest.first, limit / value);
                    }
                }
                (Rule::LongRunShare, Some((value, limit))) => {
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
                    Rule::QualityPerWeek
                    | Rule::QualitySpacing
                    | Rule::QualityNearLongRun
                    | Rule::HardRunningPerWorkout
                    | Rule::FinalDays
                    | Rule::MastersRecovery
                    | Rule::RunningInjured,
                    _,
                ) => {
                    let first = weeks.iter().find(|week| week.contains(day)).map(|week| week.first);
                    let whole = finding.rule == Rule::QualityPerWeek;
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
        // A hard session has its least length: a week that is still too full has none.
        if *known < NO_QUALITY_SHARE {
            self.easy_days.extend(Week { first: week }.days());
        }
    }

    fn shorten(&mut self, day: Day, km: f64) {
        let known = self.runs.entry(day).or_insert(f64::INFINITY);
        *known = known.min(km);
    }

    /// The weeks as they are now.
    pub(super) fn apply_to_weeks(&self, shape: &VolumeProfile, weeks: &mut [PlanWeek]) {
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

    /// The share of the week, or of the first days, that begin on a day.
    pub(super) fn week_share(&self, first: Day) -> f64 {
        self.weeks.get(&first).copied().unwrap_or(1.0)
    }

    /// Whether nothing hard may be on a day.
    pub(super) fn is_easy_day(&self, day: Day) -> bool {
        self.easy_days.contains(&day)
    }

    /// Makes the runs shorter that were too long.
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
