//! Fitness, fatigue and form from daily loads: the impulse-response recurrence with two time constants.
//!
//! X_t = X_(t-1) + (L_t - X_(t-1))·(1 - e^(-1/tau)), tau 42 days for fitness and 7 for fatigue (Coggan's
//! simplification of Banister's model; Allen & Coggan 2010). One day of 100 from nothing gives fitness 2.3528 and
//! fatigue 13.3122. Tools that use 1/tau instead give 2.3810 and 14.2857; this one is pinned.
//!
//! Absent on purpose: a finish time made from fitness. No validated mapping exists.

use crate::domain::sport::Sport;
use crate::metrics::{CountUnit, Learning, MetricResult, MissingReason, Quality, RequiredInput, WithQuality};
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Time constant of fitness, days.
pub const FITNESS_DAYS: u32 = 42;
/// Time constant of fatigue, days.
pub const FATIGUE_DAYS: u32 = 7;
/// After three time constants fitness has come to 95 % of what the same training would bring for ever.
pub const SETTLED_DAYS: u32 = 126;
/// The largest load one activity can have: a day and a night at threshold is 2400.
pub(crate) const MAX_ACTIVITY_LOAD: f64 = 5000.0;

/// Where the recurrence stands on the evening of a day. Going on from it gives, bit for bit, what a walk from the
/// first day would have given.
///
/// ```
/// use fitness_core::metrics::fitness::{DayLoad, FitnessState};
/// use fitness_core::metrics::{Quality, Rated};
/// use fitness_core::domain::sport::Sport;
///
/// let hour = Rated { value: 100.0, quality: Quality::Ok };
/// let hour_at_threshold = DayLoad::of([(Sport::Running, Some(hour))]);
/// let evening = FitnessState::START.after(&hour_at_threshold);
/// assert!((evening.fitness() - 2.3528).abs() < 0.0001);
/// assert!((evening.fatigue() - 13.3122).abs() < 0.0001);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FitnessState {
    fitness: f64,
    fatigue: f64,
    days: u32,
    /// Fitness on the seven evenings before this one, oldest first; zero before the first day.
    week: [f64; 7],
    doubts: Doubts,
    /// The last 42 days, today in the lowest bit: those with a session of unknown load, and those whose load is known
    /// whole and more than nothing.
    #[serde(default)]
    unknown: u64,
    #[serde(default)]
    known: u64,
}

/// The days that are remembered of which loads were known.
const MEMORY_MASK: u64 = (1 << FITNESS_DAYS) - 1;

impl FitnessState {
    /// Before the first day of data: nothing is known, and both start at zero.
    pub const START: Self = Self {
        fitness: 0.0,
        fatigue: 0.0,
        days: 0,
        week: [0.0; 7],
        doubts: Doubts::NONE,
        unknown: 0,
        known: 0,
    };

    /// The evening after a day of training.
    #[must_use]
    pub fn after(&self, load: &DayLoad) -> Self {
        let later = |days: u64, today: bool| (days << 1 | u64::from(today)) & MEMORY_MASK;
        Self {
            doubts: self.doubts.after(load.quality()),
            unknown: later(self.unknown, load.incomplete),
            known: later(self.known, load.total > 0.0 && !load.incomplete),
            ..self.after_total(load.total)
        }
    }

    /// The evening after a day of which only the total is known, as a plan gives it.
    pub(crate) fn after_total(&self, total: f64) -> Self {
        let mut week = self.week;
        week.rotate_left(1);
        week[6] = self.fitness;
        Self {
            fitness: ewma_step(self.fitness, total, FITNESS_DAYS),
            fatigue: ewma_step(self.fatigue, total, FATIGUE_DAYS),
            days: self.days.saturating_add(1),
            week,
            ..*self
        }
    }

    /// Fitness (CTL): the long memory of load.
    #[must_use]
    pub const fn fitness(&self) -> f64 {
        self.fitness
    }

    /// Fatigue (ATL): the short memory of load.
    #[must_use]
    pub const fn fatigue(&self) -> f64 {
        self.fatigue
    }

    /// How many days have been walked.
    #[must_use]
    pub const fn days(&self) -> u32 {
        self.days
    }

    /// How much of its final value fitness has reached, whole percent: 1 - e^(-days/42). 63 after 42 days, 95
    /// after 126.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 100 by its formula"
    )]
    pub fn settled_percent(&self) -> u8 {
        let settled = -(-f64::from(self.days) / f64::from(FITNESS_DAYS)).exp_m1();
        (100.0 * settled).round().clamp(0.0, 100.0) as u8
    }

    /// How far the two can be leaned on: firm from 126 days on, and no firmer than the loads of the last 42 days, of
    /// which an unknown one is a provisional one.
    ///
    /// Between 42 and 126 days the value stays provisional, but its bands are spoken: by then most of what it will
    /// be is there, and what is missing makes it too low, never too high. Before 42 days there are no bands.
    #[must_use]
    pub fn quality(&self) -> Quality {
        let settled = if self.days >= SETTLED_DAYS { Quality::Ok } else { Quality::Provisional };
        settled.combine(self.doubts.recent())
    }

    /// How much is behind fitness, fatigue and form while they are not firm.
    #[must_use]
    pub fn learning(&self) -> Option<Learning> {
        Learning::new(self.days, SETTLED_DAYS, CountUnit::Days)
    }

    /// The form of the morning after, fit to be a part of something else.
    ///
    /// # Errors
    /// While fitness is still being learned: fatigue runs ahead of it, and form is too low for everyone. And when on half
    /// or more of the training days of the last week or of the last six a load is unknown: what nobody knows is no rest.
    pub fn learned_form(&self) -> MetricResult<Form> {
        self.require_learned(())?;
        let mostly_unknown = |days: u32| {
            let window = (1 << days) - 1;
            let (unknown, known) = ((self.unknown & window).count_ones(), (self.known & window).count_ones());
            unknown > 0 && unknown >= known
        };
        if mostly_unknown(FATIGUE_DAYS) || mostly_unknown(FITNESS_DAYS) {
            return Err(MissingReason::missing(RequiredInput::Load));
        }
        Ok(self.form())
    }

    /// Change of fitness over seven days, CTL_t - CTL_(t-7).
    ///
    /// # Errors
    /// In the first seven days, which have no week before them.
    pub fn ramp(&self) -> MetricResult<Ramp> {
        if self.days <= 7 {
            return Err(MissingReason::TooFew { have: self.days, needed: 8, what: CountUnit::Days });
        }
        let per_week = self.fitness - self.week[0];
        Ok(Ramp { per_week, band: self.require_learned(RampBand::from_ramp(per_week)) })
    }

    /// The form of the morning after: fitness minus fatigue as both stood the evening before. So it is known before
    /// the day's training, and the day's own load does not enter (the convention of TrainingPeaks).
    #[must_use]
    pub fn form(&self) -> Form {
        let value = self.fitness - self.fatigue;
        Form { value, band: self.require_learned(FormBand::from_form(value)), quality: self.quality() }
    }

    fn require_learned<T>(&self, word: T) -> MetricResult<T> {
        if self.days < FITNESS_DAYS {
            return Err(MissingReason::TooFew {
                have: self.days,
                needed: FITNESS_DAYS,
                what: CountUnit::Days,
            });
        }
        Ok(word)
    }
}

/// How many days ago a day with each doubt last went in; 0 is today.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Doubts {
    #[serde(skip_serializing_if = "Option::is_none")]
    provisional: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimated: Option<u32>,
}

impl Doubts {
    const NONE: Self = Self { provisional: None, stale: None, estimated: None };

    /// A day later, on which a load of this quality went in.
    fn after(self, today: Quality) -> Self {
        let ago = |doubt: Quality, before: Option<u32>| {
            if today.has(doubt) { Some(0) } else { before.map(|ago| ago.saturating_add(1)) }
        };
        Self {
            provisional: ago(Quality::Provisional, self.provisional),
            stale: ago(Quality::Stale, self.stale),
            estimated: ago(Quality::Estimated, self.estimated),
        }
    }

    /// Every doubt of the last 42 days: after that 1/e of a load is left in fitness.
    fn recent(self) -> Quality {
        let all = [
            (self.provisional, Quality::Provisional),
            (self.stale, Quality::Stale),
            (self.estimated, Quality::Estimated),
        ];
        let recent = all.into_iter().filter(|(ago, _)| ago.is_some_and(|ago| ago < FITNESS_DAYS));
        recent.fold(Quality::Ok, |quality, (_, doubt)| quality.combine(doubt))
    }
}

/// One step of the recurrence.
pub(crate) fn ewma_step(before: f64, load: f64, tau: u32) -> f64 {
    before + (load - before) * -(-1.0 / f64::from(tau)).exp_m1()
}

/// What a day's training added up to, whatever order its sessions came in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DayLoad {
    total: f64,
    by_sport: BTreeMap<Sport, f64>,
    incomplete: bool,
    quality: Quality,
}

impl DayLoad {
    /// A day within the data on which nothing was done.
    pub const NONE: Self =
        Self { total: 0.0, by_sport: BTreeMap::new(), incomplete: false, quality: Quality::Ok };

    /// Adds up a day's sessions. One whose load could not be computed adds nothing and makes the day incomplete.
    ///
    /// Sums of floating-point numbers depend on their order, so the loads are put in order first.
    #[must_use]
    pub fn from_activities(sessions: impl IntoIterator<Item = (Sport, Option<WithQuality>)>) -> Self {
        let (mut incomplete, mut quality) = (false, Quality::Ok);
        let mut loads = Vec::new();
        for (sport, load) in sessions {
            match load.filter(|load| (0.0..=MAX_ACTIVITY_LOAD).contains(&load.value)) {
                Some(load) => {
                    quality = quality.combine(load.quality);
                    loads.push((sport, load.value));
                }
                None => incomplete = true,
            }
        }
        loads.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut by_sport = BTreeMap::new();
        for (sport, load) in loads {
            *by_sport.entry(sport).or_insert(0.0) += load;
        }
        // Not `sum()`: that of nothing is -0.0, and would be shown so.
        let total = by_sport.values().fold(0.0, |total, load| total + load);
        Self { total, by_sport, incomplete, quality }
    }

    /// The day's load, as far as it is known.
    #[must_use]
    pub const fn total(&self) -> f64 {
        self.total
    }

    /// The same by sport.
    #[must_use]
    pub const fn by_sport(&self) -> &BTreeMap<Sport, f64> {
        &self.by_sport
    }

    /// Whether a session's load is unknown, so that the day's is at least this and perhaps more.
    #[must_use]
    pub const fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// How far the day's load can be leaned on: with every doubt about its sessions', and provisionally when one is
    /// unknown.
    #[must_use]
    pub fn quality(&self) -> Quality {
        if self.incomplete { self.quality.combine(Quality::Provisional) } else { self.quality }
    }
}

/// How fast fitness moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ramp {
    /// Points of fitness gained over seven days; negative when lost.
    pub per_week: f64,
    /// In words, once fitness has been learned.
    pub band: MetricResult<RampBand>,
}

string_enum! {
    /// Ramp in words. A coaching convention, not a finding: shown as such.
    pub enum RampBand("ramp") {
        /// At most 5 a week.
        Comfortable = "comfortable",
        /// More than 5 and at most 8.
        Hard = "hard",
        /// More than 8.
        Steep = "steep",
    }
}

impl RampBand {
    /// The word for a ramp.
    #[must_use]
    pub fn from_ramp(per_week: f64) -> Self {
        if per_week <= 5.0 {
            Self::Comfortable
        } else if per_week <= 8.0 {
            Self::Hard
        } else {
            Self::Steep
        }
    }
}

/// How ready the training behind an athlete leaves them on a morning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Form {
    /// Fitness minus fatigue of the evening before (TSB).
    pub value: f64,
    /// In words, once fitness has been learned.
    pub band: MetricResult<FormBand>,
    /// How far it can be leaned on.
    pub quality: Quality,
}

string_enum! {
    /// Form in words. A coaching convention (Friel, Coggan), not a finding: shown as such.
    pub enum FormBand("form") {
        /// Below -30: more than most athletes take well for long.
        HighStrain = "high_strain",
        /// From -30 to below -10: training that builds.
        Productive = "productive",
        /// From -10 to below +5.
        Neutral = "neutral",
        /// From +5 to +25: rested, as before a race.
        Fresh = "fresh",
        /// Above +25: so rested that fitness is being lost.
        Transition = "transition",
    }
}

impl FormBand {
    /// The word for a form.
    #[must_use]
    pub fn from_form(form: f64) -> Self {
        if form < Self::Productive.lower_bound() {
            Self::HighStrain
        } else if form < Self::Neutral.lower_bound() {
            Self::Productive
        } else if form < Self::Fresh.lower_bound() {
            Self::Neutral
        } else if form <= Self::Transition.lower_bound() {
            Self::Fresh
        } else {
            Self::Transition
        }
    }

    /// Where the band begins; each goes up to where the next one does.
    #[must_use]
    pub const fn lower_bound(self) -> f64 {
        match self {
            Self::HighStrain => f64::NEG_INFINITY,
            Self::Productive => -30.0,
            Self::Neutral => -10.0,
            Self::Fresh => 5.0,
            Self::Transition => 25.0,
        }
    }

    /// As it reads in a sentence.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::HighStrain => "high strain",
            Self::Productive => "productive",
            Self::Neutral => "neutral",
            Self::Fresh => "fresh",
            Self::Transition => "transition",
        }
    }
}

#[cfg(test)]
mod tests;
