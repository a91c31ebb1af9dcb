//! Which kinds of workouts a week gets: by race, phase and level, in turn.

use super::volume::{Phase, PlanWeek, VolumeInput};
use crate::plan::Level;
use crate::plan::library::ProgressionKey::{self, *};
use crate::plan::training_norms::{self, RaceClass};

/// Weeks of strides, hills and fartlek for an athlete without recent quality.
const INTRODUCTION_WEEKS: usize = 3;
/// Weekly distance from which there are two quality days. Kilometres.
const TWO_QUALITY_DAYS_KM: f64 = 43.0;
/// First weeks of a novice's plan, with less quality.
const NOVICE_FIRST_WEEKS: usize = training_norms::NOVICE_EASY_WEEKS;
/// Weeks between tests, and weeks before the race without one.
const MIN_TEST_GAP_WEEKS: usize = 4;
const WEEKS_WITHOUT_TEST: usize = 3;

/// A week of the plan, seen from the choice of its workouts.
#[derive(Debug, Clone, Copy)]
pub(super) struct WeekPosition<'a> {
    pub(super) shape: &'a VolumeInput,
    pub(super) plan: &'a PlanWeek,
    /// Index of the week.
    pub(super) number: usize,
    /// Weeks until race week.
    pub(super) to_race: usize,
    /// Earlier weeks of the same phase that were not cut back.
    pub(super) turn: usize,
    /// Whether the athlete had no quality in the eight weeks before the plan.
    pub(super) is_new_to_quality: bool,
    /// Weeks since the last test or tune-up race.
    pub(super) weeks_since_test: usize,
}

impl WeekPosition<'_> {
    /// Quality days besides the long run.
    pub(super) fn quality_days(&self, long_is_hard: bool, has_race: bool) -> usize {
        let Self { shape, plan, .. } = *self;
        if shape.injured || has_race || plan.is_return || shape.race > training_norms::MAX_EVIDENCE_DISTANCE {
            return 0;
        }
        let novice = shape.level == Level::Novice;
        match plan.phase {
            // Novices start with easy running only, and one hard run a week is enough for them.
            Phase::Base if novice && self.number < 2 => 0,
            _ if novice && long_is_hard => 0,
            _ if novice || shape.is_over_sixty || shape.runs <= 3 || plan.cutback || long_is_hard => 1,
            Phase::Taper => 1,
            _ if plan.km >= TWO_QUALITY_DAYS_KM && !self.is_introduction() => 2,
            _ => 1,
        }
    }

    fn is_introduction(&self) -> bool {
        self.is_new_to_quality && self.number < INTRODUCTION_WEEKS
    }

    /// Share of the week's running time that is hard.
    pub(super) fn hard_share(&self) -> f64 {
        let Self { shape, plan, .. } = *self;
        let share = match (shape.level, plan.phase) {
            (_, Phase::Base) if self.is_introduction() => 0.035,
            (Level::Novice, Phase::Base) if self.number < NOVICE_FIRST_WEEKS => 0.05,
            (Level::Novice, Phase::Base) => 0.07,
            (Level::Novice, Phase::Build) => 0.095,
            (Level::Novice, Phase::Peak) => 0.105,
            (Level::Novice, Phase::Taper) => 0.08,
            (Level::Intermediate, Phase::Base) => 0.07,
            (Level::Intermediate, Phase::Build) => 0.135,
            (Level::Intermediate, Phase::Peak) => 0.15,
            (Level::Intermediate, Phase::Taper) => 0.10,
            (Level::Advanced, Phase::Base) => 0.08,
            (Level::Advanced, Phase::Build) => 0.145,
            (Level::Advanced, Phase::Peak) => 0.16,
            (Level::Advanced, Phase::Taper) => 0.11,
        };
        if plan.cutback { share * 0.8 } else { share }
    }

    /// The phase that workouts are chosen for: three weeks before a marathon there is still work.
    pub(super) const fn library_phase(&self) -> Phase {
        match self.plan.phase {
            Phase::Taper if self.to_race >= 2 => Phase::Peak,
            phase => phase,
        }
    }

    /// Whether the week has a test: in a cut-back week, when legs are fresh.
    pub(super) fn has_test(&self) -> bool {
        let Self { shape, plan, .. } = *self;
        let ready = shape.level > Level::Novice || self.number >= NOVICE_FIRST_WEEKS;
        plan.cutback
            && plan.phase != Phase::Taper
            && ready
            && !self.is_introduction()
            && self.weeks_since_test >= MIN_TEST_GAP_WEEKS
            && self.to_race >= WEEKS_WITHOUT_TEST
    }

    /// Progressions for a quality day, the preferred one first. `days` is the number of quality
    /// days of the week.
    pub(super) fn quality_keys(&self, day: usize, days: usize) -> Vec<ProgressionKey> {
        if self.has_test() && day == 0 {
            return vec![Test, Cruise, Tempo, Fartlek];
        }
        let keys = self.preferred_keys(day, days);
        let turn = self.turn % keys.len();
        let mut turned: Vec<ProgressionKey> = keys[turn..].iter().chain(&keys[..turn]).copied().collect();
        // What a small week can take of anything.
        let fallback: &[ProgressionKey] =
            if self.plan.phase == Phase::Taper { &[] } else { &[Cruise, Tempo, Fartlek, Hills] };
        turned.extend(fallback);
        turned
    }

    fn preferred_keys(&self, day: usize, days: usize) -> &'static [ProgressionKey] {
        let class = self.shape.class;
        if self.is_introduction() {
            return &[Fartlek, Hills];
        }
        match (self.plan.phase, class, days >= 2, day) {
            (Phase::Base, RaceClass::FiveK | RaceClass::TenK, true, 1) => &[Cruise, Tempo, Speed],
            (Phase::Base, _, true, 1) => &[Tempo, Cruise],
            (Phase::Base, _, true, _) => &[Hills, Fartlek],
            (Phase::Base, _, false, _) => &[Hills, Fartlek, Tempo],

            (Phase::Build, RaceClass::FiveK, true, 0) => &[Vo2max, Speed, Vo2max, Hills],
            (Phase::Build, RaceClass::FiveK, true, _) => &[Tempo, Cruise],
            (Phase::Build, RaceClass::FiveK, false, _) => &[Vo2max, Cruise, Speed, Tempo],
            (Phase::Build, RaceClass::TenK, true, 0) => &[Vo2max, Speed, Vo2max],
            (Phase::Build, RaceClass::TenK, true, _) => &[Cruise, Tempo, Alternating],
            (Phase::Build, RaceClass::TenK, false, _) => &[Vo2max, Cruise, Tempo],
            (Phase::Build, RaceClass::Half, true, 0) => &[Cruise, Tempo, Alternating],
            (Phase::Build, RaceClass::Half, true, _) => &[Vo2max, Hills, Vo2max, Speed],
            (Phase::Build, RaceClass::Half, false, _) => &[Tempo, Vo2max, Cruise],
            (Phase::Build, RaceClass::Full, true, 0) => &[Tempo, Cruise, Alternating],
            (Phase::Build, RaceClass::Full, true, _) => &[Vo2max, RacePaceFull, Hills],
            (Phase::Build, RaceClass::Full, false, _) => &[Tempo, Vo2max, Cruise, RacePaceFull],

            (Phase::Peak, RaceClass::FiveK, true, 0) => &[RacePace5k, Vo2max],
            (Phase::Peak, RaceClass::FiveK, true, _) => &[Speed, Cruise],
            (Phase::Peak, RaceClass::FiveK, false, _) => &[RacePace5k, Vo2max, Speed],
            (Phase::Peak, RaceClass::TenK, true, 0) => &[RacePace10k, Vo2max],
            (Phase::Peak, RaceClass::TenK, true, _) => &[Cruise, Vo2max, Tempo],
            (Phase::Peak, RaceClass::TenK, false, _) => &[RacePace10k, Vo2max, Cruise],
            (Phase::Peak, RaceClass::Half, true, 0) => &[RacePaceHalf],
            (Phase::Peak, RaceClass::Half, true, _) => &[Vo2max, Cruise, Tempo],
            (Phase::Peak, RaceClass::Half, false, _) => &[RacePaceHalf, Cruise],
            (Phase::Peak, RaceClass::Full, true, 0) => &[RacePaceFull, Tempo],
            (Phase::Peak, RaceClass::Full, true, _) => &[Cruise, Vo2max],
            (Phase::Peak, RaceClass::Full, false, _) => &[RacePaceFull, Tempo, Cruise],

            (Phase::Taper, RaceClass::FiveK | RaceClass::TenK, ..) => &[SharpenShort],
            (Phase::Taper, RaceClass::Full, ..) if self.to_race >= 2 => &[RacePaceFull, Cruise],
            (Phase::Taper, RaceClass::Half | RaceClass::Full, ..) => &[SharpenLong],
        }
    }

    /// Progression of the long run; `None` for a plain one. Race pace comes in the last eight to
    /// ten weeks, every second or third long run and not in the longest.
    pub(super) fn long_run_key(&self, is_race_pace_week: bool, is_longest: bool) -> Option<ProgressionKey> {
        let Self { shape, plan, number, .. } = *self;
        let easy_only = shape.injured
            || plan.is_return
            || plan.cutback
            || plan.phase == Phase::Taper
            || self.is_introduction()
            || shape.race > training_norms::MAX_EVIDENCE_DISTANCE;
        if easy_only {
            return None;
        }
        match shape.class {
            RaceClass::Half if is_race_pace_week => return Some(LongHalf),
            RaceClass::Full if is_race_pace_week => return Some(LongFull),
            _ => {}
        }
        // The longest runs are long enough as they are.
        let due = match shape.level {
            Level::Novice => number >= NOVICE_FIRST_WEEKS && self.turn.is_multiple_of(3),
            Level::Intermediate | Level::Advanced => number >= 2 && self.turn % 2 == 1,
        };
        if !due || (is_longest && shape.class == RaceClass::Full) {
            return None;
        }
        let sharp = shape.class != RaceClass::Full && shape.level > Level::Novice && self.turn % 4 == 3;
        Some(if sharp { FastFinish } else { Progression })
    }
}

/// Weeks whose long run has race pace, in the last eight to ten: preferably not the longest runs,
/// and never two weeks in a row.
pub(super) fn race_pace_long_run_weeks(shape: &VolumeInput, weeks: &[PlanWeek]) -> Vec<usize> {
    let (first, last, wanted) = match shape.class {
        RaceClass::Half => (2, 9, 3),
        RaceClass::Full => (4, 11, 4),
        RaceClass::FiveK | RaceClass::TenK => return Vec::new(),
    };
    let longest = weeks.iter().map(|week| week.long_run_km).fold(0.0, f64::max);
    let open: Vec<usize> = (first..=last.min(weeks.len().saturating_sub(1)))
        .map(|to_race| weeks.len() - 1 - to_race)
        .filter(|number| {
            let week = &weeks[*number];
            matches!(week.phase, Phase::Build | Phase::Peak)
                && !week.cutback
                && !week.is_return
                && week.long_run_km >= MIN_RACE_PACE_LONG_RUN_KM
        })
        .collect();
    let is_longest = |number: &usize| weeks[*number].long_run_km >= LONGEST_SHARE * longest;
    let (longer, shorter): (Vec<usize>, Vec<usize>) = open.into_iter().partition(is_longest);
    let mut chosen: Vec<usize> = Vec::new();
    for number in shorter.into_iter().chain(longer) {
        if chosen.len() < wanted && chosen.iter().all(|other| other.abs_diff(number) >= 2) {
            chosen.push(number);
        }
    }
    chosen
}

/// A run of this share of the longest is one of the longest.
const LONGEST_SHARE: f64 = 0.9;
/// Shortest long run with race pace in it. Kilometres.
const MIN_RACE_PACE_LONG_RUN_KM: f64 = 10.0;
