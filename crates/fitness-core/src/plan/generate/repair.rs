//! What the linter says about a plan makes the next try better: weeks get lighter, or fuller where that is what is missing,
//! runs shorter, hard days easy.

use super::Wish;
use super::longest_run::shorten;
use super::volume::{PlanWeek, Shape};
use super::week_layout::Maker;
use super::weeks_of;
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::Distance;
use crate::plan::lint::{Finding, Rule, Severity};
use crate::plan::{Week, Workout, WorkoutKind, planned_running};
use std::collections::{BTreeMap, BTreeSet};

/// What was changed so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Mending {
    /// Shares of weeks, by their first days.
    weeks: BTreeMap<Day, f64>,
    /// Kilometres that the run of a day does not go beyond.
    runs: BTreeMap<Day, f64>,
    /// Days without anything hard.
    easy: BTreeSet<Day>,
}

/// A little less than the limit, since distances are rounded.
const BELOW: f64 = 0.97;
const ABOVE: f64 = 1.03;
/// A share of a week that leaves no room for a hard session.
const NO_ROOM: f64 = 0.8;
/// How far a week may be filled up.
const FULLEST: f64 = 1.6;

impl Mending {
    /// Learns from what was said about a plan.
    pub(super) fn learn(&mut self, said: &[(u8, Finding)], wish: &Wish, workouts: &[Workout]) {
        let weeks = weeks_of(wish);
        let km = |week: &Week| planned_running(workouts, *week, wish.race).km();
        let last = |back: usize| weeks.iter().rev().nth(back).map(|week| week.first);
        for (part, finding) in said.iter().filter(|(_, finding)| finding.severity != Severity::Note) {
            let measured =
                finding.value.zip(finding.limit).filter(|(value, limit)| *value > 0.0 && *limit > 0.0);
            let Some(day) = finding.day else {
                match (finding.rule, part, measured) {
                    // The last two weeks against the peak.
                    (Rule::R21, 1, Some((value, limit))) if value < 1.0 => {
                        let share = (1.0 - limit) / (1.0 - value);
                        for first in [last(0), last(1)].into_iter().flatten() {
                            self.scale(first, share);
                        }
                    }
                    (Rule::R28, _, Some((value, limit))) => {
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
                (Rule::R1 | Rule::R35, Some((value, limit))) => {
                    let run = workouts.iter().find(|w| w.date == day && w.sport == Sport::Running);
                    if let Some(far) = run.and_then(|run| run.distance) {
                        self.shorten(day, far.km() * (limit / value).min(1.0));
                    }
                }
                (Rule::R2 | Rule::R3 | Rule::R20, Some((value, limit))) => self.scale(day, limit / value),
                (Rule::R21, Some((km, before))) => self.scale(day, before / km),
                (Rule::R5 | Rule::R30, Some((value, limit))) if *part == 0 => {
                    let span = if finding.rule == Rule::R5 { 4 } else { 3 };
                    let within = weeks.iter().filter(|week| (0..7 * span).contains(&day.until(week.first)));
                    if let Some(lightest) = within.min_by(|a, b| km(a).total_cmp(&km(b))) {
                        self.scale(lightest.first, limit / value);
                    }
                }
                (Rule::R6, Some((value, limit))) => {
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
                (Rule::R11 | Rule::R12 | Rule::R13 | Rule::R15 | Rule::R23 | Rule::R30 | Rule::R35, _) => {
                    let first = weeks.iter().find(|week| week.contains(day)).map(|week| week.first);
                    let whole = finding.rule == Rule::R11;
                    self.easy
                        .extend(first.filter(|_| whole).into_iter().flat_map(|first| Week { first }.days()));
                    self.easy.insert(day);
                }
                _ => {}
            }
        }
    }

    fn scale(&mut self, week: Day, share: f64) {
        let share = if share < 1.0 { share * BELOW } else { share * ABOVE };
        let known = self.weeks.entry(week).or_insert(1.0);
        *known = (*known * share.clamp(0.3, 1.5)).clamp(0.05, FULLEST);
        // A hard session has its least length: a week that is still too full has none.
        if *known < NO_ROOM {
            self.easy.extend(Week { first: week }.days());
        }
    }

    fn shorten(&mut self, day: Day, km: f64) {
        let known = self.runs.entry(day).or_insert(f64::INFINITY);
        *known = known.min(km);
    }

    /// The weeks as they are now.
    pub(super) fn weeks(&self, shape: &Shape, weeks: &mut [PlanWeek]) {
        for week in weeks {
            if let Some(share) = self.weeks.get(&week.week.first) {
                week.km *= share;
                if week.long > 0.0 {
                    week.long =
                        shape.floor_long(week.long * share.min(1.0)).max(shape.shortest().min(week.km));
                }
            }
        }
    }

    /// The share of the week, or of the first days, that begin on a day.
    pub(super) fn share(&self, first: Day) -> f64 {
        self.weeks.get(&first).copied().unwrap_or(1.0)
    }

    /// Whether nothing hard may be on a day.
    pub(super) fn is_easy(&self, day: Day) -> bool {
        self.easy.contains(&day)
    }

    /// Makes the runs shorter that were too long.
    pub(super) fn runs(&self, maker: &Maker<'_>, workouts: &mut [Workout]) {
        for workout in
            workouts.iter_mut().filter(|w| w.sport == Sport::Running && w.kind != WorkoutKind::Race)
        {
            if let Some(most) = self.runs.get(&workout.date) {
                shorten(maker, workout, *most);
            }
        }
    }
}
