//! The seven sports behind the many words of devices and services.

use fitness_core::sport::Sport;
use rustyfit::profile::typedef;

/// A FIT sport and sub-sport.
pub(crate) fn from_fit(sport: u8, sub_sport: u8) -> Sport {
    use typedef::{Sport as S, SubSport as Sub};
    match (S(sport), Sub(sub_sport)) {
        (_, Sub::STRENGTH_TRAINING) => Sport::Strength,
        (S::ROWING, _) | (S::FITNESS_EQUIPMENT, Sub::INDOOR_ROWING) => Sport::Rowing,
        (S::RUNNING, _) | (S::FITNESS_EQUIPMENT, Sub::TREADMILL) => Sport::Running,
        (S::CYCLING | S::E_BIKING, _) | (S::FITNESS_EQUIPMENT, Sub::INDOOR_CYCLING | Sub::SPIN) => {
            Sport::Cycling
        }
        (S::SWIMMING, _) => Sport::Swimming,
        _ => Sport::Other,
    }
}

/// The finer word for it, where there is one: `trail`, `treadmill`, `hiking`.
pub(crate) fn fit_words(sport: u8, sub_sport: u8) -> Option<String> {
    let sub = typedef::SubSport(sub_sport);
    if sub != typedef::SubSport::GENERIC && sub_sport != u8::MAX {
        return Some(sub.to_string());
    }
    let plain = matches!(from_fit(sport, sub_sport), Sport::Other) && sport != 0 && sport != u8::MAX;
    plain.then(|| typedef::Sport(sport).to_string())
}
