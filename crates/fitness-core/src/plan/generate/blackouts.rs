//! Stretches inside a plan in which the athlete cannot run: what is planned after them comes back by steps.
//!
//! A week and more takes a smaller week, two weeks and more a return by steps that the rules allow, four weeks and more a
//! new beginning: by then nothing of what was run before counts as a base.

use super::long_runs::{held_by, long_in};
use super::unavailable_days::ways_back;
use super::volume::{Phase, PlanWeek, Shape};
use super::{Wish, is_open};
use crate::domain::calendar::Day;
use crate::plan::training_norms;
use crate::plan::{Background, Week};

/// Days without a run from which on the return is a smaller week, a return by steps, and a new beginning.
const SMALLER: i64 = training_norms::BREAK;
pub(super) const STEPS: i64 = 14;
const ANEW: i64 = training_norms::ANEW;

/// Kilometres that a small week may end up smaller than it was meant to be.
const ROUNDED: f64 = 1.5;
/// Kilometres of a week below which it has a few short runs and nothing else.
pub(super) const TINY: f64 = 12.0;
/// Kilometres of one short run.
const ONE_RUN: f64 = 3.0;
/// Weeks before a pause that say what a usual one was.
const BEFORE_PAUSE: usize = 8;
/// The share of its usual days that makes a week a whole one.
pub(super) const WHOLE: f64 = 0.8;

/// The share of what was run before a pause from which on an athlete is nearly back, and that of an easier week then.
const NEARLY: f64 = 0.75;
const LIGHTER: f64 = 0.80;

/// A stretch without training that ends in a week of the plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pause {
    /// The week in which training goes on.
    pub(super) week: usize,
    /// Days without a run.
    pub(super) days: i64,
    /// The last of them.
    pub(super) last: Day,
    /// Whether what follows from it is said elsewhere: of days that the athlete marked, and of some before the plan.
    told: bool,
}

impl Pause {
    /// What to say about it in a plan of so many weeks.
    pub(super) fn remark(&self, weeks: usize) -> Option<String> {
        if self.told {
            return None;
        }
        let (days, last) = (self.days, self.last);
        let start = format!("There are {days} days without a run up to {last}");
        if self.week + 1 >= weeks && days >= SMALLER {
            return Some(format!(
                "{start}: the race comes before you are back from them, so what is left is easy. A later race would serve \
                 you better."
            ));
        }
        match days {
            ..SMALLER => None,
            SMALLER..STEPS => Some(format!("{start}: the week after them is a smaller one.")),
            STEPS..ANEW => Some(format!(
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
pub(super) fn pauses(wish: &Wish, athlete: &Background, weeks: &[Week]) -> Vec<Pause> {
    let mut found = Vec::new();
    for (number, week) in weeks.iter().enumerate() {
        let Some(first) = week.days().find(|day| is_open(wish, *day) || *day == wish.race) else { continue };
        let blocked = (1_i64..).take_while(|back| {
            let day = first.plus(-back);
            day >= wish.start && !is_open(wish, day)
        });
        let days = blocked.count() as i64;
        if days < SMALLER {
            continue;
        }
        let from_start = first.plus(-days) == wish.start;
        let before =
            athlete.runs.last().filter(|_| from_start).map_or(0, |run| run.day.until(wish.start) - 1);
        found.push(Pause { week: number, days: days + before.max(0), last: first.previous(), told: false });
    }
    // After an injury or a fever the weeks are smaller ones, however short it was.
    for way in ways_back(wish, athlete).iter().filter(|way| way.is_stepped()) {
        let week = weeks.partition_point(|week| week.last() < way.first);
        let soon = weeks.first().is_some_and(|first| way.first.plus(SMALLER) > first.first);
        if week < weeks.len() && soon && found.iter().all(|pause| pause.week != week) {
            let days = way.days().max(SMALLER);
            found.push(Pause { week, days, last: way.first.previous(), told: true });
        }
    }
    // The plan may begin in a pause: a week and more without a run before it is one like any other.
    let gap = athlete.days_since_run().unwrap_or(0);
    if gap >= SMALLER && !weeks.is_empty() && found.iter().all(|pause| pause.week != 0) {
        found.push(Pause { week: 0, days: gap, last: wish.start.previous(), told: gap < STEPS });
    }
    found.sort_by_key(|pause| pause.week);
    found
}

/// Holds the weeks of a plan to what a pause leaves, one after the other.
pub(super) struct Return<'a> {
    pauses: &'a [Pause],
    /// How far a week may go beyond the fullest of the four before it.
    step: f64,
    /// What is planned so far. Kilometres.
    planned: Vec<f64>,
    /// The most a week may hold, as long as the athlete is coming back.
    ceiling: Option<f64>,
    /// What a usual week before the plan held, and what the last four of them did, the newest first.
    before: f64,
    history: Vec<f64>,
    /// What the weeks before the last pause held, and whether it was shorter than two weeks.
    usual: f64,
    short: bool,
    /// Whether the steps are so small that without an easier week no week would be one.
    slow: bool,
}

impl<'a> Return<'a> {
    pub(super) fn new(
        shape: &Shape,
        wish: &Wish,
        athlete: &Background,
        weeks: &[Week],
        pauses: &'a [Pause],
    ) -> Self {
        let (warning, _) = training_norms::week_over_before(shape.level, athlete.age);
        // Days of which nothing is known yet are taken as usual ones.
        let known = |week: Week| week.days().all(|day| day <= athlete.as_of || day >= wish.start);
        let history = |week: Week| match athlete.is_recorded() && known(week) {
            true => athlete.run_in(week.first, week.last()).km(),
            false => shape.base,
        };
        let history = weeks.first().map(|first| (1..=4).map(|back| history(first.plus(-back))).collect());
        let step = (warning - 0.02).min(1.15);
        Self {
            pauses,
            step,
            planned: Vec::new(),
            ceiling: None,
            before: shape.before,
            history: history.unwrap_or_default(),
            usual: shape.before,
            short: false,
            slow: step.powi(if shape.masters { 2 } else { 3 }) * training_norms::cutback(shape.level) < 1.02,
        }
    }

    /// What the next week may hold, of what is wanted; and whether it is one of coming back. `open` is the share of its
    /// usual days that are free. A week that is to be an easier one is one as soon as the athlete is nearly back.
    pub(super) fn next(&mut self, wanted: f64, open: f64, easier: bool) -> (f64, bool) {
        let most = self.at_most();
        let back = most < wanted;
        let last = self.planned.last().copied().filter(|last| self.slow || *last >= NEARLY * self.usual);
        let lighter = last.filter(|_| easier && self.pause().is_none()).map(|last| last * LIGHTER);
        let wanted = wanted.min(lighter.unwrap_or(f64::INFINITY));
        let few = if open <= 0.0 { 0.0 } else { most.min(wanted).min(ONE_RUN) };
        let km = (wanted.min(most) * open.min(1.0)).max(few);
        if let Some(days) = self.pause().map(|pause| pause.days) {
            self.usual = self.fullest();
            self.short = days < STEPS;
        }
        // Nothing is to come back from once a whole week fits again.
        self.ceiling = match most {
            _ if open <= 0.0 || lighter.is_some() => self.ceiling,
            _ if self.pause().is_some_and(|pause| pause.days < STEPS) => Some(self.usual * 0.85),
            _ if !back || self.short => None,
            // A week with few free days is none to go on from.
            _ if open < WHOLE => Some(most),
            _ => Some(self.after(most)),
        };
        self.planned.push(km);
        (km, back)
    }

    /// What the next week may hold at most.
    pub(super) fn at_most(&self) -> f64 {
        let ceiling = match self.pause() {
            Some(pause) => match pause.days {
                ..STEPS => self.fullest() * 0.6,
                STEPS..21 => self.fullest() * 0.5,
                21..ANEW => self.fullest() * 0.4,
                _ => training_norms::FIRST_WEEK_FROM_ZERO,
            },
            None => self.ceiling.unwrap_or(f64::INFINITY),
        };
        let recent = self.planned.iter().rev().take(4).copied().fold(0.0, f64::max);
        ceiling.min(self.over(recent.max(self.before_the_plan(self.planned.len()))))
    }

    /// What a week may hold after four of which the fullest has so much.
    fn over(&self, fullest: f64) -> f64 {
        if fullest > 0.0 { self.after(fullest) } else { training_norms::FIRST_WEEK_FROM_ZERO }
    }

    /// Holds weeks to what those before them really have: few free days make them smaller than they were meant to be.
    /// `runs` is how many a week of so many kilometres with such a long run has.
    pub(super) fn hold(
        &self,
        weeks: &mut [PlanWeek],
        shape: &Shape,
        share: f64,
        runs: impl Fn(Week, f64, f64) -> usize,
    ) {
        for i in 0..weeks.len() {
            let before = self.before_the_plan(i);
            let whole = |week: &PlanWeek| shape.floor(week.km);
            let fullest = weeks[i.saturating_sub(4)..i].iter().map(whole).fold(before, f64::max);
            let km = weeks[i].km.min(self.over(fullest));
            let long = weeks[i].long.min(shape.floor_long(long_in(share, km).max(ONE_RUN.min(km))));
            let full = long > 0.0 && weeks[i].phase != Phase::Taper;
            let km = if full { held_by(km, long, |km| runs(weeks[i].week, km, long)) } else { km };
            weeks[i].long = long;
            let less = km < weeks[i].km || km < TINY;
            weeks[i].km = km;
            weeks[i].back |= less && self.pauses.iter().any(|pause| pause.week <= i);
        }
    }

    fn pause(&self) -> Option<&Pause> {
        self.pauses.iter().find(|pause| pause.week == self.planned.len())
    }

    /// The fullest of the weeks before the plan that are among the four before its week of this number.
    fn before_the_plan(&self, number: usize) -> f64 {
        self.history.iter().take(4_usize.saturating_sub(number)).copied().fold(0.0, f64::max)
    }

    /// The fullest of the weeks before a pause.
    fn fullest(&self) -> f64 {
        let before = if self.planned.len() < BEFORE_PAUSE { self.before } else { 0.0 };
        self.planned.iter().rev().take(BEFORE_PAUSE).copied().fold(before, f64::max)
    }

    /// What the week after one of so many kilometres may hold.
    fn after(&self, km: f64) -> f64 {
        let (by, below) = training_norms::SMALL_WEEK;
        (km * self.step).max((km + by - ROUNDED).min(below - ROUNDED))
    }
}
