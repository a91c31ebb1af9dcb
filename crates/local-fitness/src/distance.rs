//! A distance as an athlete types it at the terminal.

use crate::error::Failure;
use anyhow::Result;
use fitness_core::domain::distance::BadDistance;
pub(crate) use fitness_core::domain::distance::{hours_meant, word};
use fitness_core::domain::units::{Distance, UnitSystem};
use fitness_core::plan::Size;

/// Reads the distance of a race.
pub(crate) fn race(text: &str, units: UnitSystem) -> Result<Distance> {
    told(fitness_core::domain::distance::race(text, units))
}

/// Reads the distance of an activity.
pub(crate) fn activity(text: &str, units: UnitSystem) -> Result<Distance> {
    told(fitness_core::domain::distance::activity(text, units))
}

/// Reads how far or how long a workout is to be.
pub(crate) fn size(text: &str, units: UnitSystem) -> Result<Size> {
    told(fitness_core::domain::distance::size(text, units))
}

fn told<T>(read: Result<T, BadDistance>) -> Result<T> {
    read.map_err(|bad| failure(&bad).into())
}

/// The same as every other mistake at the terminal.
pub(crate) fn failure(bad: &BadDistance) -> Failure {
    Failure::new(bad.to_string(), bad.help())
}
