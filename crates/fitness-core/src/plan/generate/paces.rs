//! Paces of a plan: one consistent set, with race pace at the position of its distance.
//!
//! From slow to fast: easy, marathon and half marathon, threshold, 10K, intervals. The set comes
//! from a dated result. If the prediction for the race contradicts it (an old fast result, a slow
//! recent one), the whole set is slowed down until race pace fits.

use super::PlanRequest;
use super::goal_time::finish_on_race_day;
use super::volume::VolumeInput;
use crate::domain::units::TimeSpan;
use crate::metrics::predict::{Prediction, TrainingPaces};
use crate::plan::library::Effort;
use crate::plan::training_norms::RaceClass;
use crate::plan::{GoalSupport, TrainingBaseline, goal_support};

/// Paces in seconds per kilometre.
pub(super) struct PlanPaces {
    /// From usual runs; used only for durations.
    pub(super) easy: Option<f64>,
    /// Fast and slow end of easy running, from a result at most 120 days old.
    pub(super) easy_range: Option<(f64, f64)>,
    pub(super) steady: Option<f64>,
    pub(super) half: Option<f64>,
    pub(super) threshold: Option<f64>,
    pub(super) interval: Option<f64>,
    pub(super) repetition: Option<f64>,
    pub(super) race: Option<f64>,
    /// Upper end of easy heart rate, bpm.
    pub(super) easy_heart_rate: Option<u16>,
    pub(super) load_per_hour: Option<f64>,
    pub(super) finish: Option<TimeSpan>,
}

/// Default hard and jogging paces, in seconds per kilometre; used only for the length of workouts,
/// so the faster is the safer.
const DEFAULT_HARD_PACE: f64 = 300.0;
const DEFAULT_JOG_PACE: f64 = 420.0;
const WALK_PACE: f64 = 660.0;
/// Hard running as a share of the easy pace, without a result.
const HARD_SHARE: f64 = 0.9;
/// Half marathon pace relative to threshold pace.
const HALF_TO_THRESHOLD: f64 = 1.02;
/// Smallest relative difference between two paces.
const MIN_PACE_GAP: f64 = 0.01;
/// Load points of an hour of racing.
const RACE_LOAD_PER_HOUR: f64 = 85.0;
/// Growth of time with distance (Riegel 1981).
const RIEGEL_EXPONENT: f64 = 1.06;

impl PlanPaces {
    pub(super) fn for_athlete(athlete: &TrainingBaseline, wish: &PlanRequest, shape: &VolumeInput) -> Self {
        let prediction = athlete.current_prediction();
        let race_time = prediction.map(|prediction| training_race_time(athlete, wish, prediction));
        let mut set = athlete.current_paces().map(|dated| PaceSet::from_paces(&dated.paces));
        let mut race = None;
        if let (Some(set), Some(time), Some(prediction)) = (&mut set, race_time, prediction) {
            race = Some(set.fit_race_pace(shape, prediction, time.seconds() / shape.race.km()));
        }
        let set = set.as_ref();
        let easy_range = set.map(|set| set.easy_range(shape.pace));
        // Durations agree with the target pace.
        let easy = match (shape.pace, easy_range) {
            (Some(own), Some((fast, slow))) => Some(own.clamp(fast, slow)),
            (None, Some((fast, slow))) => Some(f64::midpoint(fast, slow)),
            (own, None) => own,
        };
        // A hard pace no faster than easy runs is useless; effort is used instead.
        let hard = |pace: &f64| easy.is_none_or(|easy| *pace < easy * (1.0 - MIN_PACE_GAP));
        let expected = prediction.map(|prediction| prediction.exact.time);
        Self {
            easy,
            easy_range,
            steady: set.map(PaceSet::steady),
            half: set.map(|set| set.threshold * HALF_TO_THRESHOLD).filter(hard),
            threshold: set.map(|set| set.threshold).filter(hard),
            interval: set.map(|set| set.interval).filter(hard),
            repetition: set.map(|set| set.repetition).filter(hard),
            race: race.filter(hard),
            easy_heart_rate: athlete.easy_heart_rate,
            load_per_hour: athlete.load_per_hour,
            finish: expected.map(|time| wish.target.map_or(time, |target| target.max(time))).or(wish.target),
        }
    }

    /// Target pace of an effort, if a result supports one.
    pub(super) fn target(&self, effort: Effort) -> Option<f64> {
        match effort {
            Effort::Steady => self.steady,
            Effort::Race => self.race,
            Effort::HalfPace => self.half,
            Effort::Threshold => self.threshold,
            Effort::Interval => self.interval,
            Effort::Repetition => self.repetition,
            Effort::Easy
            | Effort::Hill
            | Effort::HillSprint
            | Effort::Stride
            | Effort::Test
            | Effort::Jog
            | Effort::Walk => None,
        }
    }

    /// Pace of an effort for durations and distances: its target, or a share of the easy pace.
    pub(super) fn assumed(&self, effort: Effort) -> f64 {
        let easy = self.easy.unwrap_or(DEFAULT_HARD_PACE / HARD_SHARE);
        let share = match effort {
            Effort::Easy => 1.0,
            Effort::Jog => return self.jog_pace(),
            Effort::Walk => return WALK_PACE,
            Effort::Steady => 0.94,
            Effort::Repetition | Effort::Stride | Effort::HillSprint => 0.78,
            Effort::Interval | Effort::Test => 0.83,
            _ => HARD_SHARE,
        };
        self.target(effort).unwrap_or(easy * share)
    }

    /// Pace of jogging between repetitions.
    pub(super) fn jog_pace(&self) -> f64 {
        self.easy.map_or(DEFAULT_JOG_PACE, |easy| easy * 1.2)
    }

    /// Load of this many minutes, from the load of an hour of easy running and a relative effort.
    pub(super) fn load(&self, minutes: f64, effort: f64) -> Option<f64> {
        self.load_per_hour.map(|per_hour| (minutes / 60.0 * per_hour * effort).clamp(0.0, 500.0).round())
    }

    /// Load of a race, if the finish over `main` kilometres or the easy pace tells how long it
    /// takes.
    pub(super) fn race_load(&self, km: f64, main: f64) -> Option<f64> {
        let by_finish = self.finish.map(|finish| finish.seconds() * (km / main).powf(RIEGEL_EXPONENT));
        let seconds = by_finish.or_else(|| self.easy.map(|easy| easy * 0.9 * km))?;
        Some((seconds / 3600.0 * RACE_LOAD_PER_HOUR).clamp(20.0, 500.0).round())
            .filter(|load| load.is_finite())
    }
}

/// The race time that race-pace work is run at: the target if it is supported, halfway to it if it
/// is a stretch, else what the data predicts.
fn training_race_time(athlete: &TrainingBaseline, wish: &PlanRequest, prediction: &Prediction) -> TimeSpan {
    let today = prediction.exact;
    let Some((target, finish)) = wish.target.zip(finish_on_race_day(athlete, wish.start, wish.race)) else {
        return today.time;
    };
    match goal_support(target, finish) {
        GoalSupport::Supported => target,
        GoalSupport::Stretch => {
            TimeSpan::from_ms(i64::midpoint(target.ms(), finish.time.ms())).max(today.first_quarter())
        }
        GoalSupport::Unlikely | GoalSupport::Unsupported => today.time,
    }
}

/// The paces of one result. Seconds per kilometre.
struct PaceSet {
    easy_slow: f64,
    /// The fast end of easy running.
    easy: f64,
    marathon: f64,
    threshold: f64,
    interval: f64,
    repetition: f64,
}

impl PaceSet {
    fn from_paces(paces: &TrainingPaces) -> Self {
        Self {
            easy_slow: paces.easy.0.seconds_per_km(),
            easy: paces.easy.1.seconds_per_km(),
            marathon: paces.marathon.seconds_per_km(),
            threshold: paces.threshold.seconds_per_km(),
            interval: paces.interval.seconds_per_km(),
            repetition: paces.repetition.seconds_per_km(),
        }
    }

    /// Range of easy runs: the slower half of what counts as easy, and as slow as the athlete's own
    /// easy runs.
    fn easy_range(&self, own: Option<f64>) -> (f64, f64) {
        let fast = f64::midpoint(self.easy, self.easy_slow);
        let slow = own.map_or(self.easy_slow, |own| self.easy_slow.max(own * 1.02));
        (fast, slow)
    }

    /// Between easy and marathon pace.
    fn steady(&self) -> f64 {
        (0.65 * self.easy + 0.35 * self.marathon).max(self.marathon * (1.0 + MIN_PACE_GAP))
    }

    /// Fastest and slowest race pace for a race class, relative to the other paces.
    fn race_pace_bounds(&self, class: RaceClass) -> (f64, f64) {
        let middle = f64::midpoint(self.interval, self.threshold);
        match class {
            RaceClass::FiveK => (self.interval, middle),
            RaceClass::TenK => (middle, self.threshold * (1.0 - MIN_PACE_GAP)),
            RaceClass::Half | RaceClass::Full => {
                (self.threshold * (1.0 + MIN_PACE_GAP), self.easy * (1.0 - MIN_PACE_GAP))
            }
        }
    }

    /// Race pace within its bounds. If they are faster than one runner in four would achieve, all
    /// paces are slowed down until the predicted pace fits.
    fn fit_race_pace(&mut self, shape: &VolumeInput, prediction: &Prediction, wanted: f64) -> f64 {
        let (fast, slow) = self.race_pace_bounds(shape.class);
        let km = shape.race.km();
        // The lower end of the target range is 1 % faster than the pace.
        let fastest = prediction.exact.first_quarter().seconds() / km * 1.015;
        if slow < fastest {
            let slower = prediction.exact.time.seconds() / km / slow;
            for pace in [
                &mut self.easy,
                &mut self.easy_slow,
                &mut self.marathon,
                &mut self.threshold,
                &mut self.interval,
                &mut self.repetition,
            ] {
                *pace *= slower;
            }
        }
        let (fast, slow) = if slow < fastest { self.race_pace_bounds(shape.class) } else { (fast, slow) };
        wanted.max(fastest).clamp(fast, slow.max(fast))
    }
}
