//! Weighted power law over all usable races, for half marathons and shorter and between half and
//! full marathon.

use super::broken_power_law::BrokenPowerLaw;
use super::race::{ResultKind, SourceRace};
use crate::domain::calendar::Day;
use crate::domain::units::Distance;

/// w = e^(−days/120)·(the shorter of race and target over the longer)·(1 for a race, 0.5 a time
/// trial, 0.35 training).
///
/// A 10 km race 60 days ago for a half marathon: e^(−0.5)·10/21.0975 = 0.2875. Our choice, not
/// fitted.
pub(super) fn weight(race: &SourceRace, target: Distance, as_of: Day) -> f64 {
    let (d, goal) = (race.mark.meters(), target.meters());
    (-(race.age(as_of) as f64) / 120.0).exp() * (d.min(goal) / d.max(goal)) * race.effort.weight()
}

/// Results relevant for the target. Hard training is a lower bound, so besides races and time
/// trials it counts only if it promises more than they do; with training only, efforts within 2 %
/// of the best count. An easy autumn must not slow down the prediction from a spring race.
pub(super) fn relevant_races(
    races: Vec<SourceRace>,
    target: Distance,
    as_of: Day,
    law: BrokenPowerLaw,
) -> Vec<SourceRace> {
    let says = |race: &SourceRace| law.seconds(race.mark, target);
    let is_training = |race: &SourceRace| race.effort == ResultKind::Training;
    let firm: Vec<SourceRace> = races.iter().filter(|race| !is_training(race)).copied().collect();
    let bound = match weighted_seconds(&firm, target, as_of, law) {
        Some(seconds) => seconds,
        None => races.iter().map(says).fold(f64::INFINITY, f64::min) * TRAINING_TOLERANCE,
    };
    races.into_iter().filter(|race| !is_training(race) || says(race) <= bound).collect()
}

/// Training efforts up to this multiple of the best time count.
const TRAINING_TOLERANCE: f64 = 1.02;

/// Predicted time in seconds: weighted geometric mean over the races. `None` without races. The
/// races must be in a fixed order, so that the sum is deterministic.
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
