//! The numbers that linter and generator share: what runners of a level do for a race of a distance.
//!
//! Each row gives the values for 5K, 10K, half marathon and marathon; between them they are interpolated linearly in the
//! logarithm of the distance. They are drawn from published plans and studies; `docs/plans.md` names them.

use super::Level;
use crate::domain::units::Distance;

/// The rules a race follows: those of the nearest of the four usual distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RaceClass {
    /// Below 7.5 km.
    FiveK,
    /// 7.5 to 15 km.
    TenK,
    /// 15 to 30 km.
    Half,
    /// 30 km and more.
    Full,
}

impl RaceClass {
    pub(super) fn for_distance(distance: Distance) -> Self {
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
pub(super) const MAX_EVIDENCE_DISTANCE: Distance = Distance::from_mm(50_000_000);

/// 5K, 10K, half marathon, marathon.
pub(super) type Row = [f64; 4];

/// A value for any distance, from a row of four.
pub(super) fn interpolate(distance: Distance, row: Row) -> f64 {
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
pub(super) fn min_longest_run(level: Level, race: Distance) -> f64 {
    interpolate(
        race,
        by_level(level, [[6.0, 10.0, 16.0, 26.0], [10.0, 13.0, 18.0, 29.0], [13.0, 16.0, 21.0, 29.0]]),
    )
}

/// R9: kilometres the longest run should not exceed.
pub(super) fn max_longest_run(level: Level, race: Distance) -> f64 {
    interpolate(
        race,
        by_level(level, [[14.0, 18.0, 21.0, 32.0], [16.0, 20.0, 23.0, 35.0], [20.0, 24.0, 29.0, 39.0]]),
    )
}

/// R27: kilometres of a usual peak week, from and to.
pub(super) fn peak_bracket(level: Level, race: Distance) -> (f64, f64) {
    let low = [[25.0, 30.0, 32.0, 48.0], [45.0, 50.0, 50.0, 65.0], [65.0, 70.0, 75.0, 90.0]];
    let high = [[45.0, 50.0, 55.0, 70.0], [70.0, 75.0, 80.0, 95.0], [110.0, 120.0, 135.0, 160.0]];
    (interpolate(race, by_level(level, low)), interpolate(race, by_level(level, high)))
}

/// R25: weeks a plan should have.
pub(super) fn min_plan_weeks(level: Level, race: RaceClass) -> i64 {
    let weeks: [[i64; 4]; 3] = [[6, 8, 10, 14], [4, 6, 8, 12], [4, 6, 8, 10]];
    weeks[level as usize][race.index()]
}

/// R28: how far above the best own four weeks a peak may lie.
pub(super) const fn max_peak_over_best(level: Level) -> f64 {
    match level {
        Level::Novice => 1.30,
        Level::Intermediate => 1.25,
        Level::Advanced => 1.20,
    }
}

/// R2: how far above the fullest of the four weeks before a week may lie without a word, and at all.
pub(super) fn max_weekly_increase(level: Level, age: Option<u32>) -> (f64, f64) {
    let least = if age.is_some_and(|age| age >= MASTERS_AGE) { 0.03 } else { 0.0 };
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
pub(super) const MASTERS_AGE: u32 = 50;

/// R1: kilometres up to which a run is never too long.
pub(super) const SHORT_RUN_KM: f64 = 5.0;

/// R2 and R3: kilometres a week may always grow by, while it stays below the second number.
pub(super) const SMALL_WEEK_INCREASE_KM: (f64, f64) = (4.0, 20.0);

/// R3: how far above the base the first week may lie without a word, and at all.
pub(super) const MAX_FIRST_WEEK_INCREASE: (f64, f64) = (1.10, 1.30);

/// R2 and R3: kilometres of a first week after weeks without a run.
pub(super) const FIRST_WEEK_FROM_ZERO: f64 = 6.0;

/// R5: what share of the fullest of four weeks the lightest may be.
pub(super) const fn cutback_share(level: Level) -> f64 {
    match level {
        Level::Novice | Level::Intermediate => 0.85,
        Level::Advanced => 0.90,
    }
}

/// R6: kilometres below which a week's longest run is not measured against it.
pub(super) const MIN_WEEK_FOR_SHARE_KM: f64 = 25.0;

/// Weeks in which nothing can be built: a plan of so few goes from the usual week into the taper.
pub(super) const MAX_WEEKS_WITHOUT_BUILD: usize = 3;

/// Days without a run after which what was run before is no peak any more.
pub(super) const BREAK_DAYS: i64 = 7;
/// Days without a run after which a plan begins anew, and its goal is asked for again.
pub(super) const RESTART_AFTER_DAYS: i64 = 28;

/// The last days before the race: who still comes back from a break in them has nothing to taper from.
pub(super) const LATE_RETURN_DAYS: i64 = 21;

/// R10: days from the last long run to the race, from and to.
pub(super) const fn last_long_run_days(race: RaceClass) -> (f64, f64) {
    [(6.0, 14.0), (7.0, 14.0), (7.0, 21.0), (14.0, 28.0)][race.index()]
}

/// R11: quality sessions of a week without a word, and at all; novices begin with one.
pub(super) const fn quality_sessions(level: Level, week: usize) -> (usize, usize) {
    match level {
        Level::Novice if week < 6 => (1, 3),
        Level::Novice | Level::Intermediate => (2, 3),
        Level::Advanced => (3, 4),
    }
}

/// R12: hours between quality sessions without a word, and at least.
pub(super) const fn quality_gap_hours(level: Level) -> (f64, f64) {
    match level {
        Level::Novice | Level::Intermediate => (48.0, 24.0),
        Level::Advanced => (36.0, 24.0),
    }
}

/// R30: hours between quality sessions, and quality sessions of a week, of masters.
pub(super) const MASTERS_QUALITY: (f64, usize) = (72.0, 2);

/// R11: from this share on a long run is a quality session.
pub(super) const QUALITY_LONG_RUN_SHARE: f64 = 0.30;

/// R14: the share of the running time that may be hard.
pub(super) const fn max_hard_share(level: Level) -> f64 {
    match level {
        Level::Novice => 0.15,
        Level::Intermediate => 0.20,
        Level::Advanced => 0.25,
    }
}

/// How hard the work of a session is, for its cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// T.
    Threshold,
    /// I.
    Interval,
    /// R.
    Repetition,
    /// M.
    Marathon,
}

/// R15: kilometres of work in one session, in a week of so many kilometres.
///
/// A share of a small week is too little to be a session at all (10 % of 30 km are 3 km of threshold, where 20 minutes
/// are the least that anybody prescribes): below the third number the share does not count.
pub(super) fn workout_cap_km(effort: Effort, week: Option<f64>) -> f64 {
    let (share, most, least) = match effort {
        Effort::Threshold => (0.10, f64::MAX, 4.0),
        Effort::Interval => (0.08, 10.0, 3.0),
        Effort::Repetition => (0.05, 8.0, 2.0),
        Effort::Marathon => return 29.0,
    };
    week.map_or(most, |week| (week * share).max(least).min(most))
}

/// R15: minutes of marathon pace in one session.
pub(super) const MAX_MARATHON_PACE_MINUTES: f64 = 110.0;

/// R16: kilometres at marathon pace in the last ten weeks, and in the longest block, from and to.
pub(super) const fn marathon_pace_km(level: Level) -> ((f64, f64), (f64, f64)) {
    match level {
        Level::Novice => ((0.0, f64::MAX), (0.0, 10.0)),
        Level::Intermediate => ((30.0, 60.0), (10.0, 16.0)),
        Level::Advanced => ((60.0, 110.0), (16.0, 22.0)),
    }
}

/// R17: rest days of a week.
pub(super) const fn min_rest_days(level: Level) -> usize {
    match level {
        Level::Novice => 2,
        Level::Intermediate => 1,
        Level::Advanced => 0,
    }
}

/// R18: runs of a week, from and to.
pub(super) const fn weekly_runs(level: Level) -> (usize, usize) {
    match level {
        Level::Novice => (3, 5),
        Level::Intermediate => (4, 6),
        Level::Advanced => (5, 10),
    }
}

/// R19: from this share of the peak on a week is no taper.
pub(super) const TAPER_MAX_SHARE: f64 = 0.90;

/// R19: days of the taper, from and to.
pub(super) const fn taper_days(race: RaceClass) -> (f64, f64) {
    [(5.0, 7.0), (7.0, 10.0), (7.0, 14.0), (14.0, 21.0)][race.index()]
}

/// R20: shares of the peak, from and to, of race week, the week before and the one before that, where a rule exists.
pub(super) const fn taper_week_shares(race: RaceClass) -> [Option<(f64, f64)>; 3] {
    match race {
        RaceClass::FiveK | RaceClass::TenK => [Some((0.45, 0.80)), None, None],
        RaceClass::Half => [Some((0.25, 0.55)), Some((0.68, 1.0)), None],
        RaceClass::Full => [Some((0.14, 0.45)), Some((0.50, 0.88)), Some((0.65, 0.90))],
    }
}

/// R21: by what share of the peak the last two weeks before a marathon are lighter, on average, from and to.
pub(super) const TAPER_REDUCTION: (f64, f64) = (0.41, 0.60);

/// R22: what share of the usual runs of a week stays in the taper.
pub(super) const MIN_TAPER_RUN_SHARE: f64 = 0.80;

/// R23: days before the race without quality, days without a long run, and the minutes such a run may take.
pub(super) const FINAL_DAYS: (i64, i64, f64) = (2, 3, 60.0);

/// R24: from this share of the peak on a week is a peak week.
pub(super) const PEAK_WEEK_SHARE: f64 = 0.93;

/// R24: weeks from the last peak week to race week, from and to.
pub(super) const fn peak_to_race_weeks(race: RaceClass) -> (f64, f64) {
    match race {
        RaceClass::FiveK | RaceClass::TenK | RaceClass::Half => (1.0, 4.0),
        RaceClass::Full => (3.0, 5.0),
    }
}

/// R26: kilometres of a usual week before a plan begins.
pub(super) const fn min_base_km(race: RaceClass) -> f64 {
    [0.0, 10.0, 15.0, 20.0][race.index()]
}

/// R26: weeks that make up for a missing base before a marathon.
pub(super) const MIN_WEEKS_WITHOUT_BASE: i64 = 20;

/// R26: kilometres of a usual week below which an athlete starts from nothing, whatever level they say they are.
pub(super) const ZERO_BASE_KM: f64 = 5.0;

/// R29: points by which fitness may rise in seven days.
pub(super) const fn max_fitness_ramp(level: Level) -> f64 {
    match level {
        Level::Novice => 5.0,
        Level::Intermediate => 6.0,
        Level::Advanced => 8.0,
    }
}

/// R31: days for which a result supports training paces.
pub const PACES_VALID_DAYS: i64 = 120;

/// R31: how far a pace may be quicker than what follows from the result. A range of two percent to either side is what
/// plans write around a pace, and whole seconds take up to half a percent more.
pub(super) const PACE_TOLERANCE: f64 = 0.03;

/// R34: kilometres of running that a day of training can have.
pub(super) const MAX_DAY_KM: f64 = 60.0;

/// R35: days without pain before running is free again.
pub(super) const PAIN_FREE_DAYS: i64 = 14;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_between_two_rows_lies_between_their_values() {
        let km = |km: f64| Distance::from_km(km).unwrap();
        assert_eq!(min_longest_run(Level::Novice, Distance::MARATHON), 26.0);
        assert_eq!(min_longest_run(Level::Advanced, km(5.0)), 13.0);
        assert_eq!(min_longest_run(Level::Novice, km(1.0)), 6.0);
        assert_eq!(min_longest_run(Level::Novice, km(100.0)), 26.0);
        // Halfway between 10 and 21.0975 km in logarithms is their geometric mean, 14.525 km.
        assert!((min_longest_run(Level::Novice, km(14.525)) - 13.0).abs() < 1e-3);
        assert!((interpolate(Distance::HALF_MARATHON, [0.0, 0.0, 1.0, 2.0]) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn race_class_is_the_nearest_common_distance() {
        for (km, class) in [
            (5.0, RaceClass::FiveK),
            (8.0, RaceClass::TenK),
            (16.1, RaceClass::Half),
            (30.0, RaceClass::Full),
        ] {
            assert_eq!(RaceClass::for_distance(Distance::from_km(km).unwrap()), class, "{km}");
        }
    }
}
