//! `fitness profile`, `fitness threshold` and `fitness predict`: who the athlete is, and what that promises.

use clap::{Args, Subcommand};
use fitness_core::domain::athlete::{Sex, ThresholdKind, ZoneKind};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::UnitSystem;

#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    /// Show what you said about yourself
    Show,
    /// Say something about yourself; what is not given stays as it is
    #[command(group(clap::ArgGroup::new("change").required(true).multiple(true)))]
    Set {
        /// female or male: heart rate load is worked out by it
        #[arg(long, group = "change")]
        sex: Option<Sex>,
        /// Year of birth
        #[arg(long, group = "change", value_name = "YEAR", value_parser = clap::value_parser!(i32).range(1900..=2100))]
        birth_year: Option<i32>,
        /// How long you want to sleep, such as 8:00
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
pub(crate) enum ThresholdCommand {
    /// List your limits: those in force, what you set before them, and what was detected
    List,
    /// Set a limit from a day on: loads from that day on are judged anew, those of earlier days stay
    ///
    /// Kinds: max_heart_rate, resting_heart_rate, threshold_heart_rate (beats per minute), threshold_speed (a pace per
    /// kilometre or mile, such as 4:15), threshold_power (watts), swim_speed (a pace per 100 m, such as 1:45).
    Set {
        /// Which limit
        kind: ThresholdKind,
        /// Its value: a number, or a pace
        value: String,
        /// The first day it holds; today when not given
        #[arg(long, value_name = "DAY")]
        from: Option<Day>,
    },
    /// Take over what was detected, from the day it was detected on; loads from that day on are judged anew
    Confirm {
        /// Which limit
        kind: ThresholdKind,
    },
    /// Forget a limit you set
    Remove {
        /// Which limit
        kind: ThresholdKind,
        /// The day it was set from
        from: Day,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ZonesCommand {
    /// Show the zones in force; the same as `fitness zones`
    List {
        /// On another day, such as 2026-06-14
        #[arg(long, value_name = "DAY")]
        on: Option<Day>,
    },
    /// Set zones from a day on; the zone times of earlier days stay as they are
    ///
    /// Give where each zone begins, lowest first: heart_rate 120,140,160,170 makes four zones, and what is below 120 is in
    /// none. Kinds: heart_rate (beats per minute), speed (paces, slowest first, such as 6:00,5:10,4:30), power (watts).
    Set {
        /// What is divided: heart_rate, speed or power
        kind: ZoneKind,
        /// Where the zones begin
        #[arg(value_delimiter = ',', required = true, value_name = "BOUNDS")]
        bounds: Vec<String>,
        /// For which sport: running, cycling, swimming, rowing, strength; every one without its own when not given
        #[arg(long)]
        sport: Option<Sport>,
        /// The first day they hold; today when not given
        #[arg(long, value_name = "DAY")]
        from: Option<Day>,
    },
    /// Forget zones you set
    Remove {
        /// What they divide: heart_rate, speed or power
        kind: ZoneKind,
        /// The day they were set from
        from: Day,
        /// The sport they were set for
        #[arg(long)]
        sport: Option<Sport>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    /// Over which distance, 1500 m to 50 km: half, full, mile, 10k, 1500m, 10mi, or a number in your units (from 400 on in metres); 5k, 10k,
    /// half and full when not given
    #[arg(long, value_name = "DISTANCE")]
    pub(crate) distance: Option<String>,
    /// A result to predict from instead of your history, such as half=1:45:00 or 10k=45:30; can be given several times
    #[arg(long = "race", value_name = "DISTANCE=TIME")]
    pub(crate) races: Vec<String>,
    /// What you run in a week, in kilometres; measured from your history when not given
    #[arg(long, value_name = "NUMBER", conflicts_with = "weekly_miles")]
    pub(crate) weekly_km: Option<f64>,
    /// What you run in a week, in miles
    #[arg(long, value_name = "NUMBER")]
    pub(crate) weekly_miles: Option<f64>,
    /// Predict your past races from what was known before each, and show how that went
    #[arg(long, conflicts_with_all = ["races", "distance", "weekly_km", "weekly_miles"])]
    pub(crate) backtest: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PacesArgs {
    /// A result to go by instead of your history, such as half=1:45:00 or 10k=45:30; can be given several times
    #[arg(long = "race", value_name = "DISTANCE=TIME")]
    pub(crate) races: Vec<String>,
}
