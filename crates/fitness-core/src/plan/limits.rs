//! The numbers that linter and generator share: what runners of a level do for a race of a distance.
//!
//! Each row gives the values for 5K, 10K, half marathon and marathon; between them they are interpolated linearly in the
//! logarithm of the distance. They are drawn from published plans and studies; `docs/plans.md` names them.

use super::Level;
use crate::units::Distance;

/// The rules a race follows: those of the nearest of the four usual distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// Below 7.5 km.
    FiveK,
    /// 7.5 to 15 km.
    TenK,
    /// 15 to 30 km.
    Half,
    /// 30 km and more.
    Full,
}

impl Class {
    pub(super) fn of(distance: Distance) -> Self {
        match distance.km() {
            ..7.5 => Self::FiveK,
            ..15.0 => Self::TenK,
            ..30.0 => Self::Half,
            _ => Self::Full,
        }
    }

    /// Its place in a row of four.
    pub(super) const fn index(self) -> usize {
        self as usize
    }
}

/// Beyond this distance nothing published says how to train for a time.
pub(super) const BEYOND_EVIDENCE: Distance = Distance::from_mm(50_000_000);

/// 5K, 10K, half marathon, marathon.
pub(super) type Row = [f64; 4];

/// A value for any distance, from a row of four.
pub(super) fn at(distance: Distance, row: Row) -> f64 {
    const KM: Row = [5.0, 10.0, 21.0975, 42.195];
    let km = distance.km().clamp(KM[0], KM[3]);
    let upper = KM.iter().position(|known| km <= *known).unwrap_or(3).max(1);
    let share = (km / KM[upper - 1]).ln() / (KM[upper] / KM[upper - 1]).ln();
    row[upper - 1] + (row[upper] - row[upper - 1]) * share
}

const fn by_level(level: Level, rows: [Row; 3]) -> Row {
    rows[level as usize]
}

/// R8: kilometres the longest run should reach.
pub(super) fn longest_at_least(level: Level, race: Distance) -> f64 {
    at(race, by_level(level, [[6.0, 10.0, 16.0, 26.0], [10.0, 13.0, 18.0, 29.0], [13.0, 16.0, 21.0, 29.0]]))
}

/// R9: kilometres the longest run should not exceed.
pub(super) fn longest_at_most(level: Level, race: Distance) -> f64 {
    at(race, by_level(level, [[14.0, 18.0, 21.0, 32.0], [16.0, 20.0, 23.0, 35.0], [20.0, 24.0, 29.0, 39.0]]))
}

/// R27: kilometres of a usual peak week, from and to.
pub(super) fn peak_bracket(level: Level, race: Distance) -> (f64, f64) {
    let low = [[25.0, 30.0, 32.0, 48.0], [45.0, 50.0, 50.0, 65.0], [65.0, 70.0, 75.0, 90.0]];
    let high = [[45.0, 50.0, 55.0, 70.0], [70.0, 75.0, 80.0, 95.0], [110.0, 120.0, 135.0, 160.0]];
    (at(race, by_level(level, low)), at(race, by_level(level, high)))
}

/// R25: weeks a plan should have.
pub(super) fn runway_weeks(level: Level, race: Class) -> i64 {
    let weeks: [[i64; 4]; 3] = [[6, 8, 10, 14], [4, 6, 8, 12], [4, 6, 8, 10]];
    weeks[level as usize][race.index()]
}

/// R28: how far above the best own four weeks a peak may lie.
pub(super) const fn peak_over_best(level: Level) -> f64 {
    match level {
        Level::Novice => 1.30,
        Level::Intermediate => 1.25,
        Level::Advanced => 1.20,
    }
}

/// R2: how far above the fullest of the four weeks before a week may lie without a word, and at all.
pub(super) fn week_over_before(level: Level, age: Option<u32>) -> (f64, f64) {
    let least = if age.is_some_and(|age| age >= MASTERS) { 0.03 } else { 0.0 };
    let warn = match level {
        Level::Novice => 1.20,
        Level::Intermediate => 1.15,
        Level::Advanced => 1.10,
    };
    (warn - least, 1.30 - least)
}

/// R6: the share of a week its longest run may be without a word, and at all.
pub(super) const fn long_share(level: Level) -> (f64, f64) {
    match level {
        Level::Novice => (0.50, 0.65),
        Level::Intermediate => (0.40, 0.60),
        Level::Advanced => (0.33, 0.60),
    }
}

/// R7: hours a long run may take without a word, and at all.
pub(super) const fn long_hours(level: Level) -> (f64, f64) {
    match level {
        Level::Novice | Level::Intermediate => (3.0, 3.5),
        Level::Advanced => (2.75, 3.5),
    }
}

/// R1: how far beyond the longest run of the 30 days before a run may go without a word, and at all.
pub(super) const SESSION_SPIKE: (f64, f64) = (1.10, 1.30);

/// R30: from this age on recovery takes longer.
pub(super) const MASTERS: u32 = 50;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_between_two_rows_lies_between_their_values() {
        let km = |km: f64| Distance::from_km(km).unwrap();
        assert_eq!(longest_at_least(Level::Novice, Distance::MARATHON), 26.0);
        assert_eq!(longest_at_least(Level::Advanced, km(5.0)), 13.0);
        assert_eq!(longest_at_least(Level::Novice, km(1.0)), 6.0);
        assert_eq!(longest_at_least(Level::Novice, km(100.0)), 26.0);
        // Halfway between 10 and 21.0975 km in logarithms is their geometric mean, 14.525 km.
        assert!((longest_at_least(Level::Novice, km(14.525)) - 13.0).abs() < 1e-3);
        assert!((at(Distance::HALF_MARATHON, [0.0, 0.0, 1.0, 2.0]) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_race_follows_the_rules_of_its_neighbour() {
        for (km, class) in [(5.0, Class::FiveK), (8.0, Class::TenK), (16.1, Class::Half), (30.0, Class::Full)]
        {
            assert_eq!(Class::of(Distance::from_km(km).unwrap()), class, "{km}");
        }
    }
}
