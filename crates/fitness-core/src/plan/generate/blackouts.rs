//! Stretches inside a plan in which the athlete cannot run: what is planned after them comes back by steps.
//!
//! A week and more takes a smaller week, two weeks and more a return by steps that the rules allow, four weeks and more a
//! new beginning: by then nothing of what was run before counts as a base.

use super::long_runs::{long_run_km, week_capacity_km};
use super::unavailable_days::return_periods;
use super::volume::{Phase, PlanWeek, VolumeProfile};
use super::{PlanRequest, is_available};
use crate::domain::calendar::Day;
use crate::plan::training_norms;
use crate::plan::{TrainingBaseline, Week};

/// Days without a run from which on the return is a smaller week, a return by steps, and a new beginning.
const SMALLER_WEEK_DAYS: i64 = training_norms::BREAK_DAYS;
pub(super) const STEPPED_RETURN_DAYS: i64 = 14;
const RESTART_DAYS: i64 = training_norms::RESTART_AFTER_DAYS;

/// Kilometres that a small week may end up smaller than it was meant to be.
const ROUNDING_MARGIN_KM: f64 = 1.5;
/// Kilometres of a week below which it has a few short runs and nothing else.
pub(super) const TINY_WEEK_KM: f64 = 12.0;
/// Kilometres of one short run.
const SHORT_RUN_KM: f64 = 3.0;
/// Weeks before a pause that say what a usual one was.
const WEEKS_BEFORE_BREAK: usize = 8;
/// The share of its usual days that makes a week a whole one.
pub(super) const FULL_WEEK_SHARE: f64 = 0.8;

/// The share of what was run before a pause from which on an athlete is nearly back, and that of an easier week then.
const NEARLY_RECOVERED_SHARE: f64 = 0.75;
const CUTBACK_SHARE: f64 = 0.80;

/// A stretch without training that ends in a week of the plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TrainingBreak {
    /// The week in which training goes on.
    pub(super) week: usize,
    /// Days without a run.
    pub(super) days: i64,
    /// The last of them.
    pub(super) last: Day,
    /// Whether what follows from it is said elsewhere: of days that the athlete marked, and of some before the plan.
    is_explained: bool,
}

impl TrainingBreak {
    /// What to say about it in a plan of so many weeks.
    pub(super) fn note(&self, weeks: usize) -> Option<String> {
        if self.is_explained {
            return None;
        }
        let (days, last) = (self.days, self.last);
        let start = format!("There are {days} days without a run up to {last}");
        if self.week + 1 >= weeks && days >= SMALLER_WEEK_DAYS {
            return Some(format!(
                "{start}: the race comes before you are back from them, so what is left is easy. A later race would serve \
                 you better."
            ));
        }
        match days {
            ..SMALLER_WEEK_DAYS => None,
            SMALLER_WEEK_DAYS..STEPPED_RETURN_DAYS => {
                Some(format!("{start}: the week after them is a smaller one."))
            }
            STEPPED_RETURN_DAYS..RESTART_DAYS => Some(format!(
                "{start}: the weeks after them come back by steps, and less is built than without the break."
            )),
            _ => Some(format!(
                "{start}: after so long the plan begins anew with very little. Think about the race again; a later one, a \
                 shorter one or a shorter break would serve you better."
            )),
        }
    }
}

/// The pauses of a week and more that blocked days make, and those that marks do.
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
    // After an injury or a fever the weeks are smaller ones, however short it was.
    for way in return_periods(wish, athlete).iter().filter(|way| way.has_stepped_return()) {
        let week = weeks.partition_point(|week| week.last() < way.first);
        let soon = weeks.first().is_some_and(|first| way.first.plus_days(SMALLER_WEEK_DAYS) > first.first);
        if week < weeks.len() && soon && found.iter().all(|pause| pause.week != week) {
            let days = way.unavailable_days().max(SMALLER_WEEK_DAYS);
            found.push(TrainingBreak { week, days, last: way.first.previous(), is_explained: true });
        }
    }
    // The plan may begin in a pause: a week and more without a run before it is one like any other.
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

/// Holds the weeks of a plan to what a pause leaves, one after the other.
pub(super) struct ReturnToTraining<'a> {
    breaks: &'a [TrainingBreak],
    /// How far a week may go beyond the fullest of the four before it.
    step: f64,
    restart_km: f64,
    /// What is planned so far. Kilometres.
    planned: Vec<f64>,
    /// The most a week may hold, as long as the athlete is coming back.
    ceiling: Option<f64>,
    /// What a usual week before the plan held, and what the last four of them did, the newest first.
    usual_before_plan: f64,
    history: Vec<f64>,
    /// What the weeks before the last pause held, and whether it was shorter than two weeks.
    usual: f64,
    is_short: bool,
    /// Whether the steps are so small that without an easier week no week would be one.
    is_slow: bool,
}

impl<'a> ReturnToTraining<'a> {
    pub(super) fn new(
        shape: &VolumeProfile,
        wish: &PlanRequest,
        athlete: &TrainingBaseline,
        weeks: &[Week],
        breaks: &'a [TrainingBreak],
    ) -> Self {
        let (warning, _) = training_norms::max_weekly_increase(shape.level, athlete.age);
        // Days of which nothing is known yet are taken as usual ones.
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
            restart_km: training_norms::FIRST_WEEK_FROM_ZERO,
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

    /// What the next week may hold, of what is wanted; and whether it is one of coming back. `open` is the share of its
    /// usual days that are free. A week that is to be an easier one is one as soon as the athlete is nearly back.
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
        // Nothing is to come back from once a whole week fits again.
        self.ceiling = match most {
            _ if open <= 0.0 || lighter.is_some() => self.ceiling,
            _ if self.current_break().is_some_and(|pause| pause.days < STEPPED_RETURN_DAYS) => {
                Some(self.usual * 0.85)
            }
            _ if !back || self.is_short => None,
            // A week with few free days is none to go on from.
            _ if open < FULL_WEEK_SHARE => Some(most),
            _ => Some(self.max_week_after(most)),
        };
        self.planned.push(km);
        (km, back)
    }

    /// What the next week may hold at most.
    pub(super) fn max_next_week(&self) -> f64 {
        let ceiling = match self.current_break() {
            Some(pause) => match pause.days {
                ..STEPPED_RETURN_DAYS => self.peak_before_break() * 0.6,
                STEPPED_RETURN_DAYS..21 => self.peak_before_break() * 0.5,
                21..RESTART_DAYS => self.peak_before_break() * 0.4,
                _ => self.restart_km,
            },
            None => self.ceiling.unwrap_or(f64::INFINITY),
        };
        let recent = self.planned.iter().rev().take(4).copied().fold(0.0, f64::max);
        ceiling.min(self.max_week_over(recent.max(self.peak_before_plan(self.planned.len()))))
    }

    /// What a week may hold after four of which the fullest has so much.
    fn max_week_over(&self, fullest: f64) -> f64 {
        if fullest > 0.0 { self.max_week_after(fullest) } else { self.restart_km }
    }

    /// Holds weeks to what those before them really have: few free days make them smaller than they were meant to be.
    /// `runs` is how many a week of so many kilometres with such a long run has.
    pub(super) fn cap_weeks(
        &self,
        weeks: &mut [PlanWeek],
        shape: &VolumeProfile,
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

    /// The fullest of the weeks before the plan that are among the four before its week of this number.
    fn peak_before_plan(&self, number: usize) -> f64 {
        self.history.iter().take(4_usize.saturating_sub(number)).copied().fold(0.0, f64::max)
    }

    /// The fullest of the weeks before a pause.
    fn peak_before_break(&self) -> f64 {
        let before = if self.planned.len() < WEEKS_BEFORE_BREAK { self.usual_before_plan } else { 0.0 };
        self.planned.iter().rev().take(WEEKS_BEFORE_BREAK).copied().fold(before, f64::max)
    }

    /// What the week after one of so many kilometres may hold.
    fn max_week_after(&self, km: f64) -> f64 {
        let (by, below) = training_norms::SMALL_WEEK_INCREASE_KM;
        (km * self.step).max((km + by - ROUNDING_MARGIN_KM).min(below - ROUNDING_MARGIN_KM))
    }
}
