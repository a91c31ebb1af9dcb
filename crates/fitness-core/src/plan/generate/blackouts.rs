//! Breaks inside a plan (blocked days, absences) and the return to training after them.
//!
//! A week or more is followed by a lighter week, two weeks or more by a gradual return, and four
//! weeks or more by a restart: by then earlier running no longer counts as a base.

use super::absences::return_periods;
use super::long_runs::{long_run_km, week_capacity_km};
use super::volume::{Phase, PlanWeek, VolumeInput};
use super::{PlanRequest, is_available};
use crate::domain::calendar::Day;
use crate::plan::training_norms;
use crate::plan::{TrainingBaseline, Week};

/// Days without a run after which there is a lighter week, a gradual return, and a restart.
const SMALLER_WEEK_DAYS: i64 = training_norms::BREAK_DAYS;
pub(super) const STEPPED_RETURN_DAYS: i64 = 14;
const RESTART_DAYS: i64 = training_norms::RESTART_AFTER_DAYS;

/// Margin for small weeks that end up smaller than planned, in kilometres.
const ROUNDING_MARGIN_KM: f64 = 1.5;
/// Below this, a week has only a few short runs. Kilometres.
pub(super) const TINY_WEEK_KM: f64 = 12.0;
const SHORT_RUN_KM: f64 = 3.0;
/// Weeks before a break that define the usual volume.
const WEEKS_BEFORE_BREAK: usize = 8;
/// Share of available training days that makes a full week.
pub(super) const FULL_WEEK_SHARE: f64 = 0.8;

/// Share of the earlier volume at which cut-back weeks resume, and their share.
const NEARLY_RECOVERED_SHARE: f64 = 0.75;
const CUTBACK_SHARE: f64 = 0.80;

/// A break that ends in a week of the plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TrainingBreak {
    /// Index of the week in which training resumes.
    pub(super) week: usize,
    pub(super) days: i64,
    /// Last day of the break.
    pub(super) last: Day,
    /// Whether another note already explains it (absences, breaks before the plan).
    is_explained: bool,
}

impl TrainingBreak {
    /// Note about the break; `weeks` is the length of the plan.
    pub(super) fn note(&self, weeks: usize) -> Option<String> {
        if self.is_explained {
            return None;
        }
        let (days, last) = (self.days, self.last);
        let start = format!("You have {days} days off, ending on {last}");
        if self.week + 1 >= weeks && days >= SMALLER_WEEK_DAYS {
            return Some(format!(
                "{start}. There is not enough time to come back before the race, so the remaining days are easy. Consider \
                 a later race."
            ));
        }
        match days {
            ..SMALLER_WEEK_DAYS => None,
            SMALLER_WEEK_DAYS..STEPPED_RETURN_DAYS => {
                Some(format!("{start}, so the following week is lighter."))
            }
            STEPPED_RETURN_DAYS..RESTART_DAYS => Some(format!(
                "{start}. The weeks after them build up gradually, and the peak week is smaller than without the break."
            )),
            _ => Some(format!(
                "{start}. After a break this long, the plan starts again from very little. Consider a later race, a \
                 shorter race or a shorter break."
            )),
        }
    }
}

/// Breaks of a week or more, from blocked days and absences.
pub(super) fn find_breaks(
    wish: &PlanRequest,
    athlete: &TrainingBaseline,
    weeks: &[Week],
) -> Vec<TrainingBreak> {
    let mut found = Vec::new();
    for (number, week) in weeks.iter().enumerate() {
        let Some(first) = week.days().find(|day| is_available(wish, *day) || *day == wish.race) else {
            continue;
        };
        let blocked = (1_i64..).take_while(|back| {
            let day = first.plus_days(-back);
            day >= wish.start && !is_available(wish, day)
        });
        let days = blocked.count() as i64;
        if days < SMALLER_WEEK_DAYS {
            continue;
        }
        let from_start = first.plus_days(-days) == wish.start;
        let before =
            athlete.runs.last().filter(|_| from_start).map_or(0, |run| run.day.days_until(wish.start) - 1);
        found.push(TrainingBreak {
            week: number,
            days: days + before.max(0),
            last: first.previous(),
            is_explained: false,
        });
    }
    // After an injury or a fever the return is gradual, however short it was.
    for way in return_periods(wish, athlete).iter().filter(|way| way.has_stepped_return()) {
        let week = weeks.partition_point(|week| week.last() < way.first);
        let soon = weeks.first().is_some_and(|first| way.first.plus_days(SMALLER_WEEK_DAYS) > first.first);
        if week < weeks.len() && soon && found.iter().all(|pause| pause.week != week) {
            let days = way.unavailable_days().max(SMALLER_WEEK_DAYS);
            found.push(TrainingBreak { week, days, last: way.first.previous(), is_explained: true });
        }
    }
    // The plan may begin in a break: a week or more without a run before it counts.
    let gap = athlete.days_since_run().unwrap_or(0);
    if gap >= SMALLER_WEEK_DAYS && !weeks.is_empty() && found.iter().all(|pause| pause.week != 0) {
        found.push(TrainingBreak {
            week: 0,
            days: gap,
            last: wish.start.previous(),
            is_explained: gap < STEPPED_RETURN_DAYS,
        });
    }
    found.sort_by_key(|pause| pause.week);
    found
}

/// Limits the weeks of a plan after a break, one after the other.
pub(super) struct ReturnToTraining<'a> {
    breaks: &'a [TrainingBreak],
    /// Largest allowed ratio to the biggest of the four weeks before.
    step: f64,
    /// Planned weeks so far. Kilometres.
    planned: Vec<f64>,
    /// Limit of a week during the return.
    ceiling: Option<f64>,
    /// Usual weekly volume before the plan, and the last four weeks, newest first.
    usual_before_plan: f64,
    history: Vec<f64>,
    /// Usual weekly volume before the last break, and whether the break was shorter than two weeks.
    usual: f64,
    is_short: bool,
    /// Whether growth is so slow that the return needs its own cut-back weeks.
    is_slow: bool,
}

impl<'a> ReturnToTraining<'a> {
    pub(super) fn new(
        shape: &VolumeInput,
        wish: &PlanRequest,
        athlete: &TrainingBaseline,
        weeks: &[Week],
        breaks: &'a [TrainingBreak],
    ) -> Self {
        let (warning, _) = training_norms::max_weekly_increase(shape.level, athlete.age);
        // Unknown days count as usual ones.
        let known = |week: Week| week.days().all(|day| day <= athlete.as_of || day >= wish.start);
        let history = |week: Week| match athlete.has_recorded_base() && known(week) {
            true => athlete.distance_between(week.first, week.last()).km(),
            false => shape.base,
        };
        let history = weeks.first().map(|first| (1..=4).map(|back| history(first.plus(-back))).collect());
        let step = (warning - 0.02).min(1.15);
        Self {
            breaks,
            step,
            planned: Vec::new(),
            ceiling: None,
            usual_before_plan: shape.usual_before_break,
            history: history.unwrap_or_default(),
            usual: shape.usual_before_break,
            is_short: false,
            is_slow: step.powi(if shape.is_masters { 2 } else { 3 })
                * training_norms::cutback_share(shape.level)
                < 1.02,
        }
    }

    /// Volume of the next week, at most `wanted`, and whether it is part of the return. `open` is
    /// the share of its usual training days that are available. Cut-back weeks resume once the
    /// athlete is nearly back.
    pub(super) fn next_week(&mut self, wanted: f64, open: f64, easier: bool) -> (f64, bool) {
        let most = self.max_next_week();
        let back = most < wanted;
        let last = self
            .planned
            .last()
            .copied()
            .filter(|last| self.is_slow || *last >= NEARLY_RECOVERED_SHARE * self.usual);
        let lighter =
            last.filter(|_| easier && self.current_break().is_none()).map(|last| last * CUTBACK_SHARE);
        let wanted = wanted.min(lighter.unwrap_or(f64::INFINITY));
        let few = if open <= 0.0 { 0.0 } else { most.min(wanted).min(SHORT_RUN_KM) };
        let km = (wanted.min(most) * open.min(1.0)).max(few);
        if let Some(days) = self.current_break().map(|pause| pause.days) {
            self.usual = self.peak_before_break();
            self.is_short = days < STEPPED_RETURN_DAYS;
        }
        // The return ends once a full week fits again.
        self.ceiling = match most {
            _ if open <= 0.0 || lighter.is_some() => self.ceiling,
            _ if self.current_break().is_some_and(|pause| pause.days < STEPPED_RETURN_DAYS) => {
                Some(self.usual * 0.85)
            }
            _ if !back || self.is_short => None,
            // A week with few available days is no basis for growth.
            _ if open < FULL_WEEK_SHARE => Some(most),
            _ => Some(self.max_week_after(most)),
        };
        self.planned.push(km);
        (km, back)
    }

    /// Upper limit for the next week.
    pub(super) fn max_next_week(&self) -> f64 {
        let ceiling = match self.current_break() {
            Some(pause) => match pause.days {
                ..STEPPED_RETURN_DAYS => self.peak_before_break() * 0.6,
                STEPPED_RETURN_DAYS..21 => self.peak_before_break() * 0.5,
                21..RESTART_DAYS => self.peak_before_break() * 0.4,
                _ => training_norms::FIRST_WEEK_FROM_ZERO,
            },
            None => self.ceiling.unwrap_or(f64::INFINITY),
        };
        let recent = self.planned.iter().rev().take(4).copied().fold(0.0, f64::max);
        ceiling.min(self.max_week_over(recent.max(self.peak_before_plan(self.planned.len()))))
    }

    /// Upper limit for a week after four weeks with this peak.
    fn max_week_over(&self, fullest: f64) -> f64 {
        if fullest > 0.0 { self.max_week_after(fullest) } else { training_norms::FIRST_WEEK_FROM_ZERO }
    }

    /// Limits weeks again by the actual volume of the weeks before them, which can be smaller than
    /// planned if few days are available. `runs` gives the number of runs of a week with this
    /// volume and long run.
    pub(super) fn cap_weeks(
        &self,
        weeks: &mut [PlanWeek],
        shape: &VolumeInput,
        share: f64,
        runs: impl Fn(Week, f64, f64) -> usize,
    ) {
        for i in 0..weeks.len() {
            let before = self.peak_before_plan(i);
            let whole = |week: &PlanWeek| shape.floor(week.km);
            let fullest = weeks[i.saturating_sub(4)..i].iter().map(whole).fold(before, f64::max);
            let km = weeks[i].km.min(self.max_week_over(fullest));
            let long =
                weeks[i].long_run_km.min(shape.floor_long(long_run_km(share, km).max(SHORT_RUN_KM.min(km))));
            let full = long > 0.0 && weeks[i].phase != Phase::Taper;
            let km = if full { week_capacity_km(km, long, |km| runs(weeks[i].week, km, long)) } else { km };
            weeks[i].long_run_km = long;
            let less = km < weeks[i].km || km < TINY_WEEK_KM;
            weeks[i].km = km;
            weeks[i].is_return |= less && self.breaks.iter().any(|pause| pause.week <= i);
        }
    }

    fn current_break(&self) -> Option<&TrainingBreak> {
        self.breaks.iter().find(|pause| pause.week == self.planned.len())
    }

    /// The biggest week before the plan among the four before this week of the plan.
    fn peak_before_plan(&self, number: usize) -> f64 {
        self.history.iter().take(4_usize.saturating_sub(number)).copied().fold(0.0, f64::max)
    }

    /// The biggest week before a break.
    fn peak_before_break(&self) -> f64 {
        let before = if self.planned.len() < WEEKS_BEFORE_BREAK { self.usual_before_plan } else { 0.0 };
        self.planned.iter().rev().take(WEEKS_BEFORE_BREAK).copied().fold(before, f64::max)
    }

    /// Upper limit for the week after one with this volume.
    fn max_week_after(&self, km: f64) -> f64 {
        let (by, below) = training_norms::SMALL_WEEK_INCREASE_KM;
        (km * self.step).max((km + by - ROUNDING_MARGIN_KM).min(below - ROUNDING_MARGIN_KM))
    }
}
