//! Parses distances, with CLI errors.

use crate::error::CliError;
use anyhow::Result;
use fitness_core::domain::parse_distance::ParseDistanceError;
pub(crate) use fitness_core::domain::parse_distance::{suggest_hours_minutes, unit_name};
use fitness_core::domain::units::{Distance, UnitSystem};
use fitness_core::plan::Size;

pub(crate) fn parse_race_distance(text: &str, units: UnitSystem) -> Result<Distance> {
    into_cli_result(fitness_core::domain::parse_distance::parse_race_distance(text, units))
}

pub(crate) fn parse_activity_distance(text: &str, units: UnitSystem) -> Result<Distance> {
    into_cli_result(fitness_core::domain::parse_distance::parse_activity_distance(text, units))
}

/// A distance or a duration.
pub(crate) fn parse_size(text: &str, units: UnitSystem) -> Result<Size> {
    into_cli_result(fitness_core::domain::parse_distance::parse_workout_size(text, units))
}

fn into_cli_result<T>(read: Result<T, ParseDistanceError>) -> Result<T> {
    read.map_err(|bad| distance_error(&bad).into())
}

pub(crate) fn distance_error(bad: &ParseDistanceError) -> CliError {
    CliError::new(bad.to_string(), bad.help())
}
