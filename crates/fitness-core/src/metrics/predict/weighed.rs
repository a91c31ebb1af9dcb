//! Up to the half marathon and between the great distances: every usable race has a say, by its weight.

use super::hinge::Hinge;
use super::race::Raced;
use crate::calendar::Day;
use crate::units::Distance;

/// w = e^(−days/120)·(the shorter of race and target over the longer)·(1 for a race, 0.5 a time trial, 0.35 training).
///
/// A 10 km race 60 days ago for a half marathon: e^(−0.5)·10/21.0975 = 0.2875. Reasoned, not fitted.
pub(super) fn weight(race: &Raced, target: Distance, as_of: Day) -> f64 {
    let (d, goal) = (race.mark.meters(), target.meters());
    (-(race.age(as_of) as f64) / 120.0).exp() * (d.min(goal) / d.max(goal)) * race.effort.weight()
}

/// The time over the target in seconds: the weighed mean of what each race says, in logarithms. `None` without races.
/// They come heaviest first and otherwise in one order, so that the sums do.
pub(super) fn weighed(races: &[Raced], target: Distance, as_of: Day, law: Hinge) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for race in races {
        let weight = weight(race, target, as_of);
        sum += weight * law.seconds(race.mark, target).ln();
        weights += weight;
    }
    (weights > 0.0).then(|| (sum / weights).exp())
}
