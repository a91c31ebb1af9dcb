//! How fast: one set of paces in one order, with the race in the place that its distance gives it.
//!
//! Easy running is slower than the pace of a marathon or a half, that slower than threshold, that slower than a 10K, and
//! that slower than intervals. The set comes from the dated result; where the prediction for the race contradicts it (an
//! old fast result, a slow recent one), the whole set is slowed until the race lies where it belongs.

use super::Wish;
use super::volume::Shape;
use crate::domain::units::TimeSpan;
use crate::metrics::predict::{Paces, Prediction};
use crate::plan::Background;
use crate::plan::training_norms::Class;

/// What the athlete can run how fast; seconds per kilometre.
pub(super) struct Speeds {
    /// As usually run; only how long a run takes follows from it.
    pub(super) easy: Option<f64>,
    /// From a result at most 120 days old.
    pub(super) threshold: Option<f64>,
    pub(super) interval: Option<f64>,
    pub(super) race: Option<f64>,
    pub(super) load_per_hour: Option<f64>,
    pub(super) finish: Option<TimeSpan>,
}

/// Seconds per kilometre of hard running and of a jog where nothing is known: only how long a session is follows from
/// them, and the shorter is the safer.
const QUICK: f64 = 300.0;
const JOG: f64 = 420.0;
/// Two paces that are closer than this are one.
const APART: f64 = 0.01;
/// Load points of an hour of racing.
const RACE_LOAD: f64 = 85.0;
/// How times grow with distance (Riegel 1981).
const RIEGEL: f64 = 1.06;

impl Speeds {
    pub(super) fn of(athlete: &Background, wish: &Wish, shape: &Shape) -> Self {
        let prediction = athlete.prediction_today();
        let finish = prediction.map(|prediction| prediction.exact.time);
        // Training follows what the athlete can do, or an easier wish; never a faster one.
        let race_time = finish.map(|time| wish.target.map_or(time, |target| target.max(time)));
        let mut set = athlete.paces.map(|dated| Set::of(&dated.paces));
        let mut race = None;
        if let (Some(set), Some(time), Some(prediction)) = (&mut set, race_time, prediction) {
            race = Some(set.place(shape, prediction, time.seconds() / shape.race.km()));
        }
        // A hard pace that is no faster than the easy runs tells nothing: effort does.
        let easy = shape.pace;
        let hard = |pace: &f64| easy.is_none_or(|easy| *pace < easy * (1.0 - APART));
        Self {
            easy,
            threshold: set.as_ref().map(|set| set.threshold).filter(hard),
            interval: set.as_ref().map(|set| set.interval).filter(hard),
            race: race.filter(hard),
            load_per_hour: athlete.load_per_hour,
            finish: race_time.or(wish.target),
        }
    }

    /// Hard running where no result gives a pace.
    pub(super) fn quick(&self) -> f64 {
        self.easy.map_or(QUICK, |easy| easy * 0.9)
    }

    /// Between two hard stretches.
    pub(super) fn jog(&self) -> f64 {
        self.easy.map_or(JOG, |easy| easy * 1.2)
    }

    /// The load of so many minutes, by what an hour of easy running brings and how much harder they are.
    pub(super) fn load(&self, minutes: f64, effort: f64) -> Option<f64> {
        self.load_per_hour.map(|per_hour| (minutes / 60.0 * per_hour * effort).clamp(0.0, 500.0).round())
    }

    /// The load of a race over so many kilometres, where the finish over `main` kilometres or the easy pace tells how long
    /// it takes.
    pub(super) fn race_load(&self, km: f64, main: f64) -> Option<f64> {
        let by_finish = self.finish.map(|finish| finish.seconds() * (km / main).powf(RIEGEL));
        let seconds = by_finish.or_else(|| self.easy.map(|easy| easy * 0.9 * km))?;
        Some((seconds / 3600.0 * RACE_LOAD).clamp(20.0, 500.0).round()).filter(|load| load.is_finite())
    }
}

/// The paces of one result. Seconds per kilometre.
struct Set {
    /// The fast end of easy running.
    easy: f64,
    threshold: f64,
    interval: f64,
}

impl Set {
    fn of(paces: &Paces) -> Self {
        Self {
            easy: paces.easy.1.seconds_per_km(),
            threshold: paces.threshold.seconds_per_km(),
            interval: paces.interval.seconds_per_km(),
        }
    }

    /// The fastest and the slowest that a race of a class is run at, next to the other paces.
    fn room(&self, class: Class) -> (f64, f64) {
        let middle = f64::midpoint(self.interval, self.threshold);
        match class {
            Class::FiveK => (self.interval, middle),
            Class::TenK => (middle, self.threshold * (1.0 - APART)),
            Class::Half | Class::Full => (self.threshold * (1.0 + APART), self.easy * (1.0 - APART)),
        }
    }

    /// Puts the race in its place. Where that would be faster than one in four would run it, all paces become slower
    /// until the predicted pace fits.
    fn place(&mut self, shape: &Shape, prediction: &Prediction, wanted: f64) -> f64 {
        let (fast, slow) = self.room(shape.class);
        let km = shape.race.km();
        // What is asked for may be a hundredth faster than the pace itself.
        let fastest = prediction.exact.first_quarter().seconds() / km * 1.015;
        if slow < fastest {
            let slower = prediction.exact.time.seconds() / km / slow;
            self.easy *= slower;
            self.threshold *= slower;
            self.interval *= slower;
        }
        let (fast, slow) = if slow < fastest { self.room(shape.class) } else { (fast, slow) };
        wanted.max(fastest).clamp(fast, slow.max(fast))
    }
}
