//! Arguments of `profile`, `thresholds`, `zones`, `predict` and `paces`.

use clap::{Args, Subcommand};
use fitness_core::domain::athlete::{Sex, ThresholdKind, ZoneKind};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::UnitSystem;

#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    /// Show your profile
    Show,
    /// Edit your profile; fields you omit do not change
    #[command(group(clap::ArgGroup::new("change").required(true).multiple(true)))]
    Set {
        /// female or male; used by some heart-rate formulas
        #[arg(long, group = "change")]
        sex: Option<Sex>,
        /// Year of birth
        #[arg(long, group = "change", value_name = "YEAR", value_parser = clap::value_parser!(i32).range(1900..=2100))]
        birth_year: Option<i32>,
        /// Sleep goal per night, such as 8:00
        #[arg(long, group = "change", value_name = "HOURS:MINUTES")]
        sleep_need: Option<String>,
        /// Your time zone, such as Europe/Zurich
        #[arg(long, group = "change")]
        zone: Option<chrono_tz::Tz>,
        /// metric or imperial
        #[arg(long, group = "change")]
        units: Option<UnitSystem>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ThresholdsCommand {
    /// List your thresholds: current, earlier and estimated
    List,
    /// Set a threshold, starting on a given date; earlier training load does not change
    ///
    /// Kinds: max_heart_rate, resting_heart_rate, threshold_heart_rate (beats per minute),
    /// threshold_speed (a pace per kilometre or mile, such as 4:15), threshold_power (watts),
    /// swim_speed (a pace per 100 m, such as 1:45).
    Set {
        /// Kind of threshold
        kind: ThresholdKind,
        /// A number, or a pace
        value: String,
        /// The date it is valid from [default: today]
        #[arg(long, value_name = "DAY")]
        from: Option<Day>,
    },
    /// Confirm an estimated threshold, starting on the day it was estimated
    Confirm {
        /// Kind of threshold
        kind: ThresholdKind,
    },
    /// Remove a threshold you set
    Remove {
        /// Kind of threshold
        kind: ThresholdKind,
        /// The date it is valid from
        from: Day,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ZonesCommand {
    /// Show the current zones; the same as `fitness zones`
    List {
        /// Another day, such as 2026-06-14
        #[arg(long, value_name = "DAY")]
        on: Option<Day>,
    },
    /// Set zones, starting on a given date; time in zones of earlier days does not change
    ///
    /// Give the lower bound of each zone, lowest first: heart_rate 120,140,160,170 defines four
    /// zones; heart rates below 120 are in no zone. Kinds: heart_rate (beats per minute), speed (paces, slowest
    /// first, such as 6:00,5:10,4:30), power (watts).
    Set {
        /// heart_rate, speed or power
        kind: ZoneKind,
        /// Lower bounds of the zones
        #[arg(value_delimiter = ',', required = true, value_name = "BOUNDS")]
        bounds: Vec<String>,
        /// running, cycling, swimming, rowing or strength [default: all sports without their own
        /// zones]
        #[arg(long)]
        sport: Option<Sport>,
        /// The date they are valid from [default: today]
        #[arg(long, value_name = "DAY")]
        from: Option<Day>,
    },
    /// Remove zones you set
    Remove {
        /// heart_rate, speed or power
        kind: ZoneKind,
        /// The date they are valid from
        from: Day,
        /// The sport they are for
        #[arg(long)]
        sport: Option<Sport>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    /// Distance from 1500 m to 50 km: half, full, mile, 10k, 1500m, 10mi, or a plain number in your
    /// units; numbers of 400 or more are read as metres [default: 5k, 10k, half and full]
    #[arg(long, value_name = "DISTANCE")]
    pub(crate) distance: Option<String>,
    /// Predict from this result instead of your history, such as half=1:45:00 or 10k=45:30; can be
    /// repeated
    #[arg(long = "race", value_name = "DISTANCE=TIME")]
    pub(crate) races: Vec<String>,
    /// Weekly distance in kilometres [default: from your history]
    #[arg(long, value_name = "NUMBER", conflicts_with = "weekly_miles")]
    pub(crate) weekly_km: Option<f64>,
    /// Weekly distance in miles
    #[arg(long, value_name = "NUMBER")]
    pub(crate) weekly_miles: Option<f64>,
    /// Predict each of your past races from the data before it, and show the errors
    #[arg(long, conflicts_with_all = ["races", "distance", "weekly_km", "weekly_miles"])]
    pub(crate) backtest: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PacesArgs {
    /// Use this result instead of your history, such as half=1:45:00 or 10k=45:30; can be repeated
    #[arg(long = "race", value_name = "DISTANCE=TIME")]
    pub(crate) races: Vec<String>,
}
