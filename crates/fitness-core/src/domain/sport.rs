//! Sports.

use crate::string_enum::string_enum;

string_enum! {
    /// Sport of an activity or workout. `rest` occurs in planned workouts only.
    pub enum Sport("sport") {
        /// Rowing, on water or a machine.
        Rowing = "rowing",
        /// Cycling, outside or on a trainer.
        Cycling = "cycling",
        /// Running, on any surface.
        Running = "running",
        /// Swimming, pool or open water.
        Swimming = "swimming",
        Strength = "strength",
        /// Anything else: walking, hiking, skiing, yoga.
        Other = "other",
        /// A planned day off.
        Rest = "rest",
    }
}

impl Sport {
    /// Display name, also the default name of an activity.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Rowing => "Rowing",
            Self::Cycling => "Ride",
            Self::Running => "Run",
            Self::Swimming => "Swim",
            Self::Strength => "Strength",
            Self::Other => "Other",
            Self::Rest => "Rest",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sport_round_trips_through_text() {
        for sport in Sport::ALL {
            assert_eq!(sport.as_str().parse(), Ok(*sport));
            assert_eq!(serde_json::to_string(sport).unwrap(), format!("\"{sport}\""));
        }
        let error = "curling".parse::<Sport>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "`curling` is not a sport; expected one of: rowing, cycling, running, swimming, strength, other, rest"
        );
    }
}
