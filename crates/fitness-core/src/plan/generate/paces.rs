//! Paces of a plan: one consistent set, with race pace at the position of its distance.
//!
//! From slow to fast: easy, marathon and half marathon, threshold, 10K, intervals. The set comes
//! from a dated result. If the prediction for the race contradicts it (an old fast result, a slow
//! recent one), the whole set is slowed down until race pace fits.

use super::PlanRequest;
use super::volume::VolumeInput;
use crate::domain::units::TimeSpan;
use crate::metrics::predict::{Prediction, TrainingPaces};
use crate::plan::TrainingBaseline;
use crate::plan::training_norms::RaceClass;

/// Paces in seconds per kilometre.
pub(super) struct PlanPaces {
    /// From usual runs; used only for durations.
    pub(super) easy: Option<f64>,
    /// From a result at most 120 days old.
    pub(super) threshold: Option<f64>,
    pub(super) interval: Option<f64>,
    pub(super) race: Option<f64>,
    pub(super) load_per_hour: Option<f64>,
    pub(super) finish: Option<TimeSpan>,
}

/// Default hard and jogging paces, in seconds per kilometre; used only for the length of workouts,
/// so the faster is the safer.
const DEFAULT_HARD_PACE: f64 = 300.0;
const DEFAULT_JOG_PACE: f64 = 420.0;
/// Smallest relative difference between two paces.
const MIN_PACE_GAP: f64 = 0.01;
/// Load points of an hour of racing.
const RACE_LOAD_PER_HOUR: f64 = 85.0;
/// Growth of time with distance (Riegel 1981).
const RIEGEL_EXPONENT: f64 = 1.06;

impl PlanPaces {
    pub(super) fn for_athlete(athlete: &TrainingBaseline, wish: &PlanRequest, shape: &VolumeInput) -> Self {
        let prediction = athlete.current_prediction();
        let finish = prediction.map(|prediction| prediction.exact.time);
        // Training follows current fitness, or a slower target; never a faster one.
        let race_time = finish.map(|time| wish.target.map_or(time, |target| target.max(time)));
        let mut set = athlete.paces.map(|dated| PaceSet::from_paces(&dated.paces));
        let mut race = None;
        if let (Some(set), Some(time), Some(prediction)) = (&mut set, race_time, prediction) {
            race = Some(set.fit_race_pace(shape, prediction, time.seconds() / shape.race.km()));
        }
        // A hard pace no faster than easy runs is useless; effort is used instead.
        let easy = shape.pace;
        let hard = |pace: &f64| easy.is_none_or(|easy| *pace < easy * (1.0 - MIN_PACE_GAP));
        Self {
            easy,
            threshold: set.as_ref().map(|set| set.threshold).filter(hard),
            interval: set.as_ref().map(|set| set.interval).filter(hard),
            race: race.filter(hard),
            load_per_hour: athlete.load_per_hour,
            finish: race_time.or(wish.target),
        }
    }

    /// Pace of hard running without a result.
    pub(super) fn hard_pace(&self) -> f64 {
        self.easy.map_or(DEFAULT_HARD_PACE, |easy| easy * 0.9)
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

/// The paces of one result. Seconds per kilometre.
struct PaceSet {
    /// The fast end of easy running.
    easy: f64,
    threshold: f64,
    interval: f64,
}

impl PaceSet {
    fn from_paces(paces: &TrainingPaces) -> Self {
        Self {
            easy: paces.easy.1.seconds_per_km(),
            threshold: paces.threshold.seconds_per_km(),
            interval: paces.interval.seconds_per_km(),
        }
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
            self.easy *= slower;
            self.threshold *= slower;
            self.interval *= slower;
        }
        let (fast, slow) = if slow < fastest { self.race_pace_bounds(shape.class) } else { (fast, slow) };
        wanted.max(fastest).clamp(fast, slow.max(fast))
    }
}
