//! Chooses workouts from the library: along progressions, in the amount a week can take, without
//! repeating one too often.

use super::paces::PlanPaces;
use super::volume::Phase;
use crate::plan::library::{Length, LibraryWorkout, Placement, ProgressionKey, progression};
use crate::plan::training_norms::{self, HardWorkoutClass, RaceClass};
use crate::plan::{Level, WorkoutKind};
use std::collections::HashMap;

/// What a place in the plan asks of its workout.
#[derive(Debug, Clone, Copy)]
pub(super) struct WorkoutNeed {
    pub(super) phase: Phase,
    pub(super) class: RaceClass,
    pub(super) level: Level,
    /// Minutes of hard running to aim for.
    pub(super) minutes: f64,
    /// Kilometres of the week, for the cap of a single workout (R15).
    pub(super) week_km: f64,
    /// A lighter week steps back in the progression.
    pub(super) lighter: bool,
}

/// Remembers what was chosen.
#[derive(Debug, Default)]
pub(super) struct WorkoutSelector {
    /// Position of the last choice in each progression.
    positions: HashMap<ProgressionKey, usize>,
    counts: HashMap<&'static str, usize>,
    last_chosen: Vec<&'static str>,
}

/// The same workout at most this often in a plan.
const MAX_USES: usize = training_norms::MAX_SAME_WORKOUT;
/// A progression moves on by at most this many steps at a time.
const MAX_STEP: usize = 2;
/// A first workout of a kind is smaller than what the week could take.
const FIRST_SHARE: f64 = 0.65;
/// How far a workout may exceed the minutes to aim for.
const MAX_MINUTES_OVER: f64 = 1.15;
/// A test may take this much more than a usual workout of its week.
const MAX_TEST_OVER: f64 = 1.4;
/// A workout used before counts as this many minutes off the aim.
const REPEAT_PENALTY_MINUTES: f64 = 2.5;
/// Hard running stays this much below the cap of R15, for rounding.
const CAP_MARGIN: f64 = 0.97;

impl WorkoutSelector {
    /// The best workout of the first key that has one; `None` if the week is too small for any.
    pub(super) fn choose(
        &mut self,
        keys: &[ProgressionKey],
        need: &WorkoutNeed,
        paces: &PlanPaces,
    ) -> Option<&'static LibraryWorkout> {
        let best = |key: &ProgressionKey| match key {
            ProgressionKey::Test => self.longest_test(need, paces),
            key => self.best_of(*key, need, paces),
        };
        let (position, workout) = keys.iter().find_map(best)?;
        self.note_use(position, workout);
        Some(workout)
    }

    /// The next workout of a progression that fits into a run of this many minutes and kilometres.
    pub(super) fn choose_next(
        &mut self,
        key: ProgressionKey,
        need: &WorkoutNeed,
        fits: impl Fn(&LibraryWorkout) -> bool,
    ) -> Option<&'static LibraryWorkout> {
        let next = self.positions.get(&key).map_or_else(|| first_position(key, need.level), |last| last + 1);
        let is_easy = key.placement() == Placement::Easy || key.placement() == Placement::MediumLong;
        let suits = |(_, workout): &(usize, &LibraryWorkout)| {
            let fresh = is_easy || self.uses(workout) < MAX_USES;
            workout.fits(need.phase, need.class, need.level) && fits(workout) && fresh
        };
        let all: Vec<(usize, &LibraryWorkout)> = progression(key).enumerate().filter(suits).collect();
        // The next one, or the hardest that fits.
        let (position, workout) =
            all.iter().find(|(position, _)| *position >= next).or_else(|| all.last()).copied()?;
        self.note_use(position, workout);
        Some(workout)
    }

    fn uses(&self, workout: &LibraryWorkout) -> usize {
        self.counts.get(workout.id.as_str()).copied().unwrap_or(0)
    }

    fn note_use(&mut self, position: usize, workout: &'static LibraryWorkout) {
        self.positions.insert(workout.key, position);
        *self.counts.entry(&workout.id).or_default() += 1;
        self.last_chosen.push(&workout.id);
    }

    /// Tests do not progress: the longest that the week can take, so that results compare.
    fn longest_test(
        &self,
        need: &WorkoutNeed,
        paces: &PlanPaces,
    ) -> Option<(usize, &'static LibraryWorkout)> {
        let fits = |(_, workout): &(usize, &'static LibraryWorkout)| {
            workout.fits(need.phase, need.class, need.level)
                && hard_amount(workout, paces).0 <= cap_km(workout.key, need)
                && hard_amount(workout, paces).1 <= need.minutes * MAX_TEST_OVER
        };
        progression(ProgressionKey::Test).enumerate().filter(fits).last()
    }

    fn best_of(
        &self,
        key: ProgressionKey,
        need: &WorkoutNeed,
        paces: &PlanPaces,
    ) -> Option<(usize, &'static LibraryWorkout)> {
        let last = self.positions.get(&key).copied();
        let minutes = need.minutes * if last.is_none() { FIRST_SHARE } else { 1.0 };
        let farthest = match last {
            Some(last) if need.lighter => last.saturating_sub(1),
            Some(last) => last + MAX_STEP,
            None => usize::MAX,
        };
        let twice = |workout: &LibraryWorkout| {
            let same_key = self.last_chosen.iter().rev().take(2);
            same_key.filter(|id| **id == workout.id).count() == 2
        };
        let candidates = progression(key)
            .enumerate()
            .filter(|(_, workout)| workout.fits(need.phase, need.class, need.level))
            .filter(|(position, workout)| {
                *position <= farthest && self.uses(workout) < MAX_USES && !twice(workout)
            })
            .filter_map(|(position, workout)| {
                let (km, work) = hard_amount(workout, paces);
                let cap = CAP_MARGIN * cap_km(workout.key, need);
                (km <= cap).then_some((position, workout, work * strain(key)))
            });
        let too_much = |work: f64| work > need.minutes * MAX_MINUTES_OVER;
        // Closest to the aim; one that exceeds it only if nothing smaller is left.
        candidates
            .min_by(|(a, first, one), (b, second, other)| {
                let repeats = |workout: &LibraryWorkout| self.uses(workout) as f64 * REPEAT_PENALTY_MINUTES;
                let cost = |workout: &LibraryWorkout, work: f64| (work - minutes).abs() + repeats(workout);
                too_much(*one)
                    .cmp(&too_much(*other))
                    .then(cost(first, *one).total_cmp(&cost(second, *other)))
                    .then(a.cmp(b))
            })
            .filter(|(_, _, work)| !too_much(*work) || *work <= MIN_WORKOUT_MINUTES)
            .map(|(position, workout, _)| (position, workout))
    }
}

/// Where a progression of long runs begins: experienced runners skip the first steps.
const fn first_position(key: ProgressionKey, level: Level) -> usize {
    match (key, level) {
        (ProgressionKey::LongFull, Level::Intermediate) | (ProgressionKey::LongHalf, Level::Advanced) => 1,
        (ProgressionKey::LongFull, Level::Advanced) => 3,
        _ => 0,
    }
}

/// How much a minute of a workout takes out of an athlete, relative to threshold running.
const fn strain(key: ProgressionKey) -> f64 {
    match key {
        ProgressionKey::Hills | ProgressionKey::Speed => 1.5,
        ProgressionKey::Vo2max | ProgressionKey::RacePace5k | ProgressionKey::Fartlek => 1.2,
        ProgressionKey::RacePaceFull => 0.75,
        ProgressionKey::RacePaceHalf | ProgressionKey::SharpenLong => 0.9,
        _ => 1.0,
    }
}

/// A workout this small is always allowed, minutes.
const MIN_WORKOUT_MINUTES: f64 = 13.0;

/// Kilometres and minutes of hard running in a workout.
pub(super) fn hard_amount(workout: &LibraryWorkout, paces: &PlanPaces) -> (f64, f64) {
    let hard = workout.steps.iter().filter(|step| step.effort.is_hard());
    hard.fold((0.0, 0.0), |(km, minutes), step| {
        let pace = paces.assumed(step.effort);
        let (more_km, more_minutes) = match step.length {
            Length::Seconds(seconds) => (seconds / pace, seconds / 60.0),
            Length::Meters(meters) => (meters / 1000.0, meters / 1000.0 * pace / 60.0),
        };
        (km + more_km, minutes + more_minutes)
    })
}

/// R15: maximum hard running in one workout, in kilometres.
fn cap_km(key: ProgressionKey, need: &WorkoutNeed) -> f64 {
    let effort = match key.kind() {
        WorkoutKind::Tempo => HardWorkoutClass::Threshold,
        WorkoutKind::Intervals if key == ProgressionKey::Speed => HardWorkoutClass::Repetition,
        WorkoutKind::RacePace => match need.class {
            RaceClass::FiveK => HardWorkoutClass::Interval,
            RaceClass::TenK => HardWorkoutClass::Threshold,
            RaceClass::Half | RaceClass::Full => HardWorkoutClass::Marathon,
        },
        WorkoutKind::Long => HardWorkoutClass::Marathon,
        _ => HardWorkoutClass::Interval,
    };
    training_norms::workout_cap_km(effort, Some(need.week_km))
}
