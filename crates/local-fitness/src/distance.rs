//! A distance as an athlete types it at the terminal.

use crate::error::CliError;
use anyhow::Result;
use fitness_core::domain::distance::ParseDistanceError;
pub(crate) use fitness_core::domain::distance::{suggest_hours_minutes, unit_name};
use fitness_core::domain::units::{Distance, UnitSystem};
use fitness_core::plan::Size;

/// Reads the distance of a race.
pub(crate) fn parse_race_distance(text: &str, units: UnitSystem) -> Result<Distance> {
    into_cli_result(fitness_core::domain::distance::parse_race_distance(text, units))
}

/// Reads the distance of an activity.
pub(crate) fn parse_activity_distance(text: &str, units: UnitSystem) -> Result<Distance> {
    into_cli_result(fitness_core::domain::distance::parse_activity_distance(text, units))
}

/// Reads how far or how long a workout is to be.
pub(crate) fn parse_size(text: &str, units: UnitSystem) -> Result<Size> {
    into_cli_result(fitness_core::domain::distance::parse_workout_size(text, units))
}

fn into_cli_result<T>(read: Result<T, ParseDistanceError>) -> Result<T> {
    read.map_err(|bad| distance_error(&bad).into())
}

/// The same as every other mistake at the terminal.
pub(crate) fn distance_error(bad: &ParseDistanceError) -> CliError {
    CliError::new(bad.to_string(), bad.help())
}
