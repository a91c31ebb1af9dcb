//! Fitness, fatigue and form from daily loads: the impulse-response recurrence with two time
//! constants.
//!
//! X_t = X_(t-1) + (L_t - X_(t-1))·(1 - e^(-1/tau)), tau 42 days for fitness and 7 for fatigue
//! (Coggan's simplification of Banister's model; Allen & Coggan 2010). One day of 100 from nothing
//! gives fitness 2.3528 and fatigue 13.3122. Tools that use 1/tau instead give 2.3810 and 14.2857.
//!
//! There is deliberately no finish time from fitness: no validated mapping exists.

use crate::domain::sport::Sport;
use crate::metrics::{
    CountUnit, DataProgress, MetricResult, MissingReason, Quality, RequiredInput, ValueWithQuality,
};
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Time constant of fitness, days.
pub const FITNESS_DAYS: u32 = 42;
/// Time constant of fatigue, days.
pub const FATIGUE_DAYS: u32 = 7;
/// After three time constants fitness has reached 95 % of its limit under constant training.
pub const SETTLED_DAYS: u32 = 126;
/// Maximum load of one activity; 24 hours at threshold is 2400.
pub(crate) const MAX_ACTIVITY_LOAD: f64 = 5000.0;

/// State of the recurrence in the evening of a day. Continuing from it gives bit for bit the same
/// result as starting from the first day.
///
/// ```
/// use fitness_core::metrics::fitness::{DayLoad, FitnessState};
/// use fitness_core::metrics::{Quality, WithQuality};
/// use fitness_core::domain::sport::Sport;
///
/// let hour = ValueWithQuality { value: 100.0, quality: Quality::Ok };
/// let hour_at_threshold = DayLoad::from_activities([(Sport::Running, Some(hour))]);
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
    doubts: DaysSinceDoubtfulLoad,
    /// Bit sets of the last 42 days, today in the lowest bit: days with an activity of unknown
    /// load, and days with a complete load above zero.
    #[serde(default)]
    unknown: u64,
    #[serde(default)]
    known: u64,
}

/// Mask of the remembered days.
const MEMORY_MASK: u64 = (1 << FITNESS_DAYS) - 1;

impl FitnessState {
    /// Before the first day of data: both start at zero.
    pub const START: Self = Self {
        fitness: 0.0,
        fatigue: 0.0,
        days: 0,
        week: [0.0; 7],
        doubts: DaysSinceDoubtfulLoad::NONE,
        unknown: 0,
        known: 0,
    };

    /// State after a day with this load.
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

    /// State after a day with a planned load, of which only the total is known.
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

    /// Fitness (CTL), the 42-day average of load.
    #[must_use]
    pub const fn fitness(&self) -> f64 {
        self.fitness
    }

    /// Fatigue (ATL), the 7-day average of load.
    #[must_use]
    pub const fn fatigue(&self) -> f64 {
        self.fatigue
    }

    /// Number of days since the start of the data.
    #[must_use]
    pub const fn days(&self) -> u32 {
        self.days
    }

    /// How far fitness has converged, whole percent: 1 - e^(-days/42). 63 after 42 days, 95 after
    /// 126.
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

    /// Quality of fitness and fatigue: provisional before 126 days, and never better than the loads
    /// of the last 42 days. An unknown load counts as provisional.
    ///
    /// Bands are shown from 42 days: by then the value has mostly converged, and it can only be too
    /// low, never too high.
    #[must_use]
    pub fn quality(&self) -> Quality {
        let settled = if self.days >= SETTLED_DAYS { Quality::Ok } else { Quality::Provisional };
        settled.combine(self.doubts.recent())
    }

    /// Progress towards 126 days, while fitness, fatigue and form are provisional.
    #[must_use]
    pub fn learning(&self) -> Option<DataProgress> {
        DataProgress::new(self.days, SETTLED_DAYS, CountUnit::Days)
    }

    /// The form of the next morning, if reliable enough for the recovery score.
    ///
    /// # Errors
    /// In the first 42 days, when fatigue runs ahead of fitness and form is too low for everyone;
    /// and when half or more of the training days of the last week or the last six weeks have an
    /// unknown load, which must not count as rest.
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
    /// In the first seven days.
    pub fn ramp(&self) -> MetricResult<Ramp> {
        if self.days <= 7 {
            return Err(MissingReason::TooFew { have: self.days, needed: 8, what: CountUnit::Days });
        }
        let per_week = self.fitness - self.week[0];
        Ok(Ramp { per_week, band: self.require_learned(RampBand::from_ramp(per_week)) })
    }

    /// The form of the next morning: fitness minus fatigue of the evening before. It is known
    /// before the day's training and does not include the day's own load (the convention of
    /// TrainingPeaks).
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

/// Form as shown beside fitness and fatigue: the difference of the rounded values, so that the
/// three numbers agree. Ties round to even, as in `{:.0}`.
#[must_use]
pub fn shown_form(fitness: f64, fatigue: f64) -> f64 {
    fitness.round_ties_even() - fatigue.round_ties_even()
}

/// Days since the last load with each quality flag; 0 is today.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct DaysSinceDoubtfulLoad {
    #[serde(skip_serializing_if = "Option::is_none")]
    provisional: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimated: Option<u32>,
}

impl DaysSinceDoubtfulLoad {
    const NONE: Self = Self { provisional: None, stale: None, estimated: None };

    /// State after a day with a load of this quality.
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

    /// All flags of the last 42 days; after that only 1/e of a load is left in fitness.
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

/// Training load of a day, independent of the order of its activities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DayLoad {
    total: f64,
    by_sport: BTreeMap<Sport, f64>,
    incomplete: bool,
    quality: Quality,
}

impl DayLoad {
    /// A day without training.
    pub const NONE: Self =
        Self { total: 0.0, by_sport: BTreeMap::new(), incomplete: false, quality: Quality::Ok };

    /// Sums a day's activities. One without a load adds nothing and makes the day incomplete.
    ///
    /// Floating-point sums depend on the order, so the loads are sorted first.
    #[must_use]
    pub fn from_activities(sessions: impl IntoIterator<Item = (Sport, Option<ValueWithQuality>)>) -> Self {
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
        // Not `sum()`: an empty sum is -0.0 and would be displayed with its sign.
        let total = by_sport.values().fold(0.0, |total, load| total + load);
        Self { total, by_sport, incomplete, quality }
    }

    /// The day's known load.
    #[must_use]
    pub const fn total(&self) -> f64 {
        self.total
    }

    /// The known load by sport.
    #[must_use]
    pub const fn by_sport(&self) -> &BTreeMap<Sport, f64> {
        &self.by_sport
    }

    /// Whether an activity's load is unknown, so that the total is a lower bound.
    #[must_use]
    pub const fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// All quality flags of the activities' loads; provisional if one is unknown.
    #[must_use]
    pub fn quality(&self) -> Quality {
        if self.incomplete { self.quality.combine(Quality::Provisional) } else { self.quality }
    }
}

/// Ramp rate: the change of fitness per week.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ramp {
    /// Points of fitness gained over seven days; negative when lost.
    pub per_week: f64,
    /// Missing in the first 42 days.
    pub band: MetricResult<RampBand>,
}

string_enum! {
    /// Ramp rate bands. A coaching convention, not a research result, and shown as such.
    pub enum RampBand("ramp") {
        /// At most 5 a week.
        Comfortable = "comfortable",
        /// More than 5 and at most 8.
        Hard = "hard",
        Steep = "steep",
    }
}

impl RampBand {
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

/// Form (TSB) on a morning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Form {
    /// Fitness minus fatigue of the evening before.
    pub value: f64,
    /// Missing in the first 42 days.
    pub band: MetricResult<FormBand>,
    pub quality: Quality,
}

string_enum! {
    /// Form bands. A coaching convention (Friel, Coggan), not a research result, and shown as such.
    pub enum FormBand("form") {
        /// Below -30: hard to sustain for long.
        HighStrain = "high_strain",
        /// From -30 to below -10: building fitness.
        Productive = "productive",
        /// From -10 to below +5.
        Neutral = "neutral",
        /// From +5 to +25: rested, as before a race.
        Fresh = "fresh",
        /// Above +25: losing fitness.
        Transition = "transition",
    }
}

impl FormBand {
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

    /// Lower bound; each band ends where the next begins.
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
