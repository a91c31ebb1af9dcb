//! Training norms shared by linter and generator, by level and race distance.
//!
//! Rows have values for 5K, 10K, half marathon and marathon; other distances are interpolated
//! linearly in the logarithm of the distance. The values come from published plans and studies,
//! named in `docs/plans.md`.

use super::Level;
use crate::domain::units::Distance;

/// Race class: the nearest of the four common distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RaceClass {
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

    pub(super) const fn index(self) -> usize {
        self as usize
    }
}

/// There is no published evidence on training for a time beyond this distance.
pub(super) const MAX_EVIDENCE_DISTANCE: Distance = Distance::from_mm(50_000_000);

/// 5K, 10K, half marathon, marathon.
pub(super) type Row = [f64; 4];

/// Interpolates a row of four.
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

/// R8: minimum longest run, in kilometres.
pub(super) fn min_longest_run(level: Level, race: Distance) -> f64 {
    interpolate(
        race,
        by_level(level, [[6.0, 10.0, 16.0, 26.0], [10.0, 13.0, 18.0, 29.0], [13.0, 16.0, 21.0, 29.0]]),
    )
}

/// R9: maximum longest run, in kilometres.
pub(super) fn max_longest_run(level: Level, race: Distance) -> f64 {
    interpolate(
        race,
        by_level(level, [[14.0, 18.0, 21.0, 32.0], [16.0, 20.0, 23.0, 35.0], [20.0, 24.0, 29.0, 39.0]]),
    )
}

/// R27: usual range of the peak week, in kilometres.
pub(super) fn peak_bracket(level: Level, race: Distance) -> (f64, f64) {
    let low = [[25.0, 30.0, 32.0, 48.0], [45.0, 50.0, 50.0, 65.0], [65.0, 70.0, 75.0, 90.0]];
    let high = [[45.0, 50.0, 55.0, 70.0], [70.0, 75.0, 80.0, 95.0], [110.0, 120.0, 135.0, 160.0]];
    (interpolate(race, by_level(level, low)), interpolate(race, by_level(level, high)))
}

/// R25: minimum weeks of a plan.
pub(super) fn min_plan_weeks(level: Level, race: RaceClass) -> i64 {
    let weeks: [[i64; 4]; 3] = [[6, 8, 10, 14], [4, 6, 8, 12], [4, 6, 8, 10]];
    weeks[level as usize][race.index()]
}

/// R28: ratio of the peak to the best four weeks above which there is a note.
pub(super) const fn max_peak_over_best(level: Level) -> f64 {
    match level {
        Level::Novice => 1.50,
        Level::Intermediate => 1.40,
        Level::Advanced => 1.30,
    }
}

/// R2: ratio to the biggest of the four weeks before, for a warning and for an error.
pub(super) fn max_weekly_increase(level: Level, age: Option<u32>) -> (f64, f64) {
    let least = if age.is_some_and(|age| age >= MASTERS_AGE) { 0.03 } else { 0.0 };
    let warn = match level {
        Level::Novice | Level::Intermediate => 1.22,
        Level::Advanced => 1.16,
    };
    (warn - least, 1.30 - least)
}

/// R2b: ratio to the biggest week of four to eight weeks ago, for a warning and for an error, and
/// the increase in kilometres up to which it is ignored.
pub(super) const MAX_TWO_MONTH_INCREASE: (f64, f64) = (1.50, 1.70);
pub(super) const TWO_MONTH_INCREASE_KM: f64 = 8.0;

/// R6: share of the longest run in its week, for a warning and for an error.
pub(super) const fn long_share(level: Level) -> (f64, f64) {
    match level {
        Level::Novice => (0.55, 0.65),
        Level::Intermediate => (0.47, 0.65),
        Level::Advanced => (0.40, 0.65),
    }
}

/// R7: hours of a long run, for a warning and for an error.
pub(super) const fn long_hours(level: Level) -> (f64, f64) {
    match level {
        Level::Novice | Level::Intermediate => (3.0, 3.25),
        Level::Advanced => (2.75, 3.25),
    }
}

/// R8: a run of this many hours is long enough for any race, whatever its distance.
pub(super) const SUFFICIENT_LONG_RUN_HOURS: f64 = 2.75;

/// R8: below this longest run, in kilometres, a marathon plan has an error.
pub(super) const MIN_MARATHON_LONGEST_KM: f64 = 18.0;

/// R1: ratio to the longest run of the 30 days before, for a note, a warning and an error (Frandsen
/// 2025).
pub(super) const SESSION_SPIKE: (f64, f64, f64) = (1.10, 1.20, 1.30);

/// R1: a run may always be this much longer than the longest before. Kilometres.
pub(super) const SESSION_STEP_KM: f64 = 2.0;

/// R30: from this age, recovery takes longer.
pub(super) const MASTERS_AGE: u32 = 50;

/// R1: runs up to this distance are never too long. Kilometres.
pub(super) const SHORT_RUN_KM: f64 = 5.0;

/// R2 and R3: a week may always grow by the first number, while it stays below the second.
/// Kilometres.
pub(super) const SMALL_WEEK_INCREASE_KM: (f64, f64) = (4.0, 20.0);

/// R3: ratio of the first week to the base, for a warning and for an error.
pub(super) const MAX_FIRST_WEEK_INCREASE: (f64, f64) = (1.10, 1.30);

/// R2 and R3: maximum of a first week after weeks without a run, in kilometres.
pub(super) const FIRST_WEEK_FROM_ZERO: f64 = 6.0;

/// R5: maximum ratio of the lightest of four weeks to the biggest.
pub(super) const fn cutback_share(level: Level) -> f64 {
    match level {
        Level::Novice | Level::Intermediate => 0.85,
        Level::Advanced => 0.90,
    }
}

/// R6: smaller weeks are not checked. Kilometres.
pub(super) const MIN_WEEK_FOR_SHARE_KM: f64 = 25.0;

/// A plan of at most this many weeks goes straight into the taper.
pub(super) const MAX_WEEKS_WITHOUT_BUILD: usize = 3;

/// Days without a run after which earlier volume is no longer a peak.
pub(super) const BREAK_DAYS: i64 = 7;
/// Days without a run after which a plan restarts and the goal has to be reconsidered.
pub(super) const RESTART_AFTER_DAYS: i64 = 28;

/// A return that reaches into the last days before the race leaves nothing to taper from.
pub(super) const LATE_RETURN_DAYS: i64 = 21;

/// R10: days from the last long run to the race, minimum and maximum.
pub(super) const fn last_long_run_days(race: RaceClass) -> (f64, f64) {
    [(6.0, 14.0), (7.0, 14.0), (7.0, 21.0), (14.0, 28.0)][race.index()]
}

/// R11: quality workouts per week, for a warning and for an error; novices start with one.
pub(super) const fn quality_sessions(level: Level, week: usize) -> (usize, usize) {
    match level {
        Level::Novice if week < 6 => (1, 3),
        Level::Novice | Level::Intermediate => (2, 3),
        Level::Advanced => (3, 4),
    }
}

/// R12: hours between quality workouts, for a warning and for an error.
pub(super) const fn quality_gap_hours(level: Level) -> (f64, f64) {
    match level {
        Level::Novice | Level::Intermediate => (48.0, 24.0),
        Level::Advanced => (36.0, 24.0),
    }
}

/// R30: for masters, hours between quality workouts and their number per week.
pub(super) const MASTERS_QUALITY: (f64, usize) = (72.0, 2);

/// R11: a long run with at least this hard share is a quality workout.
pub(super) const QUALITY_LONG_RUN_SHARE: f64 = 0.30;

/// R40: a run of at least this many minutes and this share of the week's longest is a long run.
pub(super) const LONG_RUN_MINUTES: f64 = 90.0;
pub(super) const LONG_RUN_OF_LONGEST: f64 = 0.75;

/// R37: weeks without a quality workout in a plan with a target time, and the weeks at the start of
/// a novice's plan that do not count.
pub(super) const MAX_WEEKS_WITHOUT_QUALITY: usize = 4;
pub(super) const NOVICE_EASY_WEEKS: usize = 6;

/// R38: days before the race and minimum workouts with race pace in them, for a half marathon and a
/// marathon with a target time.
pub(super) const fn min_race_pace_workouts(race: RaceClass) -> Option<(i64, usize)> {
    match race {
        RaceClass::FiveK | RaceClass::TenK => None,
        RaceClass::Half => Some((8 * 7, 3)),
        RaceClass::Full => Some((10 * 7, 4)),
    }
}

/// R39: how often the same quality workout may occur in a plan.
pub(super) const MAX_SAME_WORKOUT: usize = 3;

/// R41: maximum mean minutes of the runs of a week without its long run.
pub(super) const fn max_mean_run_minutes(level: Level) -> f64 {
    match level {
        Level::Novice => 75.0,
        Level::Intermediate => 85.0,
        Level::Advanced => 95.0,
    }
}

/// R14: maximum share of hard running time.
pub(super) const fn max_hard_share(level: Level) -> f64 {
    match level {
        Level::Novice => 0.15,
        Level::Intermediate => 0.20,
        Level::Advanced => 0.25,
    }
}

/// Effort class of a hard workout, for its cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HardWorkoutClass {
    Threshold,
    Interval,
    Repetition,
    Marathon,
}

/// R15: maximum hard running in one workout, in kilometres, for a week of this volume.
///
/// In a small week the share would be too little for a workout (10 % of 30 km is 3 km of threshold
/// running, and plans prescribe at least 20 minutes), so the third number is always allowed.
pub(super) fn workout_cap_km(effort: HardWorkoutClass, week: Option<f64>) -> f64 {
    let (share, most, least) = match effort {
        HardWorkoutClass::Threshold => (0.10, f64::MAX, 4.0),
        HardWorkoutClass::Interval => (0.08, 10.0, 3.0),
        HardWorkoutClass::Repetition => (0.05, 8.0, 2.0),
        HardWorkoutClass::Marathon => return 29.0,
    };
    week.map_or(most, |week| (week * share).max(least).min(most))
}

/// R15: maximum minutes at marathon pace in one workout.
pub(super) const MAX_MARATHON_PACE_MINUTES: f64 = 110.0;

/// R16: kilometres at marathon pace in the last ten weeks and in the longest block, minimum and
/// maximum.
pub(super) const fn marathon_pace_km(level: Level) -> ((f64, f64), (f64, f64)) {
    match level {
        Level::Novice => ((0.0, f64::MAX), (0.0, 10.0)),
        Level::Intermediate => ((30.0, 60.0), (10.0, 16.0)),
        Level::Advanced => ((60.0, 110.0), (16.0, 22.0)),
    }
}

/// R17: minimum rest days per week.
pub(super) const fn min_rest_days(level: Level) -> usize {
    match level {
        Level::Novice => 2,
        Level::Intermediate => 1,
        Level::Advanced => 0,
    }
}

/// R18: usual runs per week, minimum and maximum.
pub(super) const fn weekly_runs(level: Level) -> (usize, usize) {
    match level {
        Level::Novice => (3, 5),
        Level::Intermediate => (4, 6),
        Level::Advanced => (5, 10),
    }
}

/// R19: a week with this share of the peak or more is not part of the taper.
pub(super) const TAPER_MAX_SHARE: f64 = 0.90;

/// R19: days of the taper, minimum and maximum.
pub(super) const fn taper_days(race: RaceClass) -> (f64, f64) {
    [(5.0, 7.0), (7.0, 10.0), (7.0, 14.0), (14.0, 21.0)][race.index()]
}

/// R20: share of the peak, minimum and maximum, for race week and the two weeks before it, if there
/// is a rule.
pub(super) const fn taper_week_shares(race: RaceClass) -> [Option<(f64, f64)>; 3] {
    match race {
        RaceClass::FiveK | RaceClass::TenK => [Some((0.45, 0.80)), None, None],
        RaceClass::Half => [Some((0.25, 0.55)), Some((0.68, 1.0)), None],
        RaceClass::Full => [Some((0.14, 0.45)), Some((0.50, 0.88)), Some((0.65, 0.90))],
    }
}

/// R21: mean reduction of the last two weeks before a marathon relative to the peak, minimum and
/// maximum (Wang 2023, Smyth 2021).
pub(super) const TAPER_REDUCTION: (f64, f64) = (0.41, 0.60);

/// R22: minimum share of the usual number of runs in the taper (Bosquet 2007).
pub(super) const MIN_TAPER_RUN_SHARE: f64 = 0.80;

/// R23: days before the race without quality, days without a long run, and the maximum minutes of a
/// run in them.
pub(super) const FINAL_DAYS: (i64, i64, f64) = (2, 3, 60.0);

/// R24: a week with this share of the peak or more is a peak week.
pub(super) const PEAK_WEEK_SHARE: f64 = 0.93;

/// R24: weeks from the last peak week to race week, minimum and maximum.
pub(super) const fn peak_to_race_weeks(race: RaceClass) -> (f64, f64) {
    match race {
        RaceClass::FiveK | RaceClass::TenK | RaceClass::Half => (1.0, 4.0),
        RaceClass::Full => (3.0, 5.0),
    }
}

/// R26: minimum usual week before a plan, in kilometres.
pub(super) const fn min_base_km(race: RaceClass) -> f64 {
    [0.0, 10.0, 15.0, 20.0][race.index()]
}

/// R26: weeks that make up for a missing base before a marathon.
pub(super) const MIN_WEEKS_WITHOUT_BASE: i64 = 20;

/// R26: below this usual week an athlete starts from zero, whatever level they state. Kilometres.
pub(super) const ZERO_BASE_KM: f64 = 5.0;

/// R29: maximum rise of fitness in seven days, in points.
pub(super) const fn max_fitness_ramp(level: Level) -> f64 {
    match level {
        Level::Novice => 5.0,
        Level::Intermediate => 6.0,
        Level::Advanced => 8.0,
    }
}

/// R31: days for which a result supports training paces.
pub const PACES_VALID_DAYS: i64 = 120;

/// R31: how much faster a pace may be than the result supports. Plans write a range of 2 % to
/// either side, and whole seconds add up to 0.5 %.
pub(super) const PACE_TOLERANCE: f64 = 0.03;

/// R34: maximum running in a day of training, in kilometres.
pub(super) const MAX_DAY_KM: f64 = 60.0;

/// R35: days without pain before normal running.
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
        // Halfway between 10 and 21.0975 km in logarithms is the geometric mean, 14.525 km.
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
