//! Maps the sport names of devices and services to our seven sports.

use fitness_core::domain::sport::Sport;
use rustyfit::profile::typedef;

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

/// The sub-sport, if it says more than the sport: `trail`, `treadmill`, `hiking`.
pub(crate) fn fit_sub_sport(sport: u8, sub_sport: u8) -> Option<String> {
    let sub = typedef::SubSport(sub_sport);
    if sub != typedef::SubSport::GENERIC && sub_sport != u8::MAX {
        return Some(sub.to_string());
    }
    let plain = matches!(from_fit(sport, sub_sport), Sport::Other) && sport != 0 && sport != u8::MAX;
    plain.then(|| typedef::Sport(sport).to_string())
}

/// The sport of a service's sport name, and the name itself if it says more than the sport.
///
/// Services keep adding names, so parts of names decide: `gravel_cycling`, `Virtual Ride` and
/// `E-Bike Ride` are all cycling.
pub(crate) fn from_word(word: &str) -> (Sport, Option<String>) {
    let word = word.trim().to_lowercase();
    let word = strava_word(&word).map_or(word, str::to_owned);
    let plain = match word.as_str() {
        "running" | "run" => Some(Sport::Running),
        "cycling" | "biking" | "ride" => Some(Sport::Cycling),
        "swimming" | "swim" => Some(Sport::Swimming),
        "rowing" | "row" => Some(Sport::Rowing),
        "strength" | "strength_training" => Some(Sport::Strength),
        "" | "other" => Some(Sport::Other),
        number if number.bytes().all(|byte| byte.is_ascii_digit()) => Some(Sport::Other),
        _ => None,
    };
    if let Some(sport) = plain {
        return (sport, None);
    }
    let has = |parts: &[&str]| parts.iter().any(|part| word.contains(part));
    // Combined sports, and names that contain another sport's name.
    let sport = if has(&["multi", "transition", "swimrun", "motor", "horse", "wheelchair", "throw"]) {
        Sport::Other
    } else if has(&["swim"]) {
        Sport::Swimming
    } else if has(&["run"]) {
        Sport::Running
    } else if has(&["cycl", "bike", "biking", "ride", "bmx", "mtb", "velomobile"]) {
        Sport::Cycling
    } else if has(&["rowing"]) || word.ends_with("row") {
        Sport::Rowing
    } else if has(&["strength", "weight"]) {
        Sport::Strength
    } else {
        Sport::Other
    };
    (sport, Some(word))
}

/// The word for a number that Strava writes as the type of a GPX track. It publishes no list; these
/// are the numbers that several programs which read its files agree on.
fn strava_word(number: &str) -> Option<&'static str> {
    Some(match number {
        "1" => "ride",
        "2" => "alpine_skiing",
        "4" => "hiking",
        "9" => "run",
        "10" => "walking",
        "16" => "swim",
        "23" => "rowing",
        _ => return None,
    })
}

/// Whether it is a whole multisport event, whose legs are separate activities.
pub(crate) fn is_multisport(word: &str) -> bool {
    matches!(word, "multi_sport" | "multisport" | "triathlon" | "duathlon" | "swimrun")
}

/// Whether it is the transition between two legs.
pub(crate) fn is_transition(word: &str) -> bool {
    word.contains("transition")
}

/// Whether a mean cadence on foot counts both legs. Most files count one leg, as bicycles do.
///
/// A mean of 120 per minute and leg would be 240 steps, more than any runner takes; walkers take
/// about 110 steps.
pub(crate) fn counts_both_legs(sport: Sport, mean_per_minute: f64) -> bool {
    mean_per_minute > if sport == Sport::Running { 120.0 } else { 80.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specific_sport_names_are_kept_as_sub_sport() {
        for (word, sport, finer) in [
            ("running", Sport::Running, None),
            (" Run ", Sport::Running, None),
            ("9", Sport::Running, None),
            ("Biking", Sport::Cycling, None),
            ("1", Sport::Cycling, None),
            ("2", Sport::Other, Some("alpine_skiing")),
            ("4", Sport::Other, Some("hiking")),
            ("10", Sport::Other, Some("walking")),
            ("16", Sport::Swimming, None),
            ("23", Sport::Rowing, None),
            ("strength_training", Sport::Strength, None),
            ("Other", Sport::Other, None),
            ("42", Sport::Other, None),
            ("", Sport::Other, None),
            ("trail_running", Sport::Running, Some("trail_running")),
            ("VirtualRide", Sport::Cycling, Some("virtualride")),
        ] {
            assert_eq!(from_word(word), (sport, finer.map(str::to_owned)), "{word}");
        }
    }

    #[test]
    fn garmin_and_strava_sport_names_are_mapped() {
        for (sport, words) in [
            (
                Sport::Running,
                "trail_running treadmill_running track_running street_running indoor_running virtual_run \
                 ultra_run obstacle_run TrailRun Trail\u{a0}Run VirtualRun",
            ),
            (
                Sport::Cycling,
                "road_biking gravel_cycling indoor_cycling virtual_ride mountain_biking cyclocross bmx e_bike_fitness \
                 recumbent_cycling enduro_mtb hand_cycling GravelRide E-BikeRide MountainBikeRide Handcycle Velomobile",
            ),
            (Sport::Swimming, "lap_swimming open_water_swimming"),
            (Sport::Rowing, "indoor_rowing rowing_v2 VirtualRow"),
            (Sport::Strength, "WeightTraining weight_training"),
            (
                Sport::Other,
                "walking hiking yoga pilates multi_sport transition_v2 swimToBikeTransition bikeToRunTransition \
                 swimrun motorcycling horseback_riding wheelchair_push_run axe_throwing indoor_cardio Walk Hike \
                 Workout NordicSki Kayaking cross_country_skiing_ws resort_skiing_snowboarding_ws breathwork",
            ),
        ] {
            for word in words.split(' ').filter(|word| !word.is_empty()) {
                assert_eq!(from_word(word), (sport, Some(word.to_lowercase())), "{word}");
            }
        }
    }
}
