//! Up to the half marathon and between the great distances: every usable race has a say, by its weight.

use super::broken_power_law::BrokenPowerLaw;
use super::race::{EffortKind, SourceRace};
use crate::domain::calendar::Day;
use crate::domain::units::Distance;

/// w = e^(−days/120)·(the shorter of race and target over the longer)·(1 for a race, 0.5 a time trial, 0.35 training).
///
/// A 10 km race 60 days ago for a half marathon: e^(−0.5)·10/21.0975 = 0.2875. Reasoned, not fitted.
pub(super) fn weight(race: &SourceRace, target: Distance, as_of: Day) -> f64 {
    let (d, goal) = (race.mark.meters(), target.meters());
    (-(race.age(as_of) as f64) / 120.0).exp() * (d.min(goal) / d.max(goal)) * race.effort.weight()
}

/// The results that say something about the target. Hard training is a lower bound: the athlete can do at least that. So
/// beside races and time trials only training counts that promises more than they do, and where there is nothing but
/// training, what comes within 2 % of the best of it. An easy autumn must not slow down a race of the spring.
pub(super) fn relevant_races(
    races: Vec<SourceRace>,
    target: Distance,
    as_of: Day,
    law: BrokenPowerLaw,
) -> Vec<SourceRace> {
    let says = |race: &SourceRace| law.seconds(race.mark, target);
    let is_training = |race: &SourceRace| race.effort == EffortKind::Training;
    let firm: Vec<SourceRace> = races.iter().filter(|race| !is_training(race)).copied().collect();
    let bound = match weighted_seconds(&firm, target, as_of, law) {
        Some(seconds) => seconds,
        None => races.iter().map(says).fold(f64::INFINITY, f64::min) * TRAINING_TOLERANCE,
    };
    races.into_iter().filter(|race| !is_training(race) || says(race) <= bound).collect()
}

/// How far above the best of the training another may be and still have a say.
const TRAINING_TOLERANCE: f64 = 1.02;

/// The time over the target in seconds: the weighed mean of what each race says, in logarithms. `None` without races.
/// They come heaviest first and otherwise in one order, so that the sums do.
pub(super) fn weighted_seconds(
    races: &[SourceRace],
    target: Distance,
    as_of: Day,
    law: BrokenPowerLaw,
) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for race in races {
        let weight = weight(race, target, as_of);
        sum += weight * law.seconds(race.mark, target).ln();
        weights += weight;
    }
    (weights > 0.0).then(|| (sum / weights).exp())
}
