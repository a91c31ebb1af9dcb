//! Arguments of `fitness source`: services to sync from.

use clap::Subcommand;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::SourceId;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum SourceCommand {
    /// Connect a service: garmin or intervals
    ///
    /// Create an API key in the settings of the service; local-fitness never asks for its password.
    /// The API key is stored encrypted. The encryption key is in its own file, or in FITNESS_KEY.
    Add {
        /// garmin (experimental) or intervals
        service: Service,
        /// File with the API key; - reads standard input [default: asks, without showing it]
        #[arg(long, value_name = "FILE")]
        key_file: Option<PathBuf>,
        /// The day the key expires; you get a reminder a week before
        #[arg(long, value_name = "DAY")]
        expires: Option<Day>,
        /// Use this address instead of the default
        #[arg(
            long,
            value_name = "URL",
            help = "Use this address instead of the default; for Garmin accounts in China, \
                    https://personal.connectapi.garmin.cn"
        )]
        address: Option<String>,
        /// Athlete id at intervals.icu, such as i12345 [default: the owner of the key]
        #[arg(long, value_name = "ID")]
        athlete: Option<String>,
    },
    /// List connected services and when their keys expire
    List,
    /// Replace the API key of a source
    Key {
        /// Id of the source
        source: SourceId,
        /// File with the API key; - reads standard input [default: asks, without showing it]
        #[arg(long, value_name = "FILE")]
        key_file: Option<PathBuf>,
        /// The day the key expires; you get a reminder a week before
        #[arg(long, value_name = "DAY")]
        expires: Option<Day>,
    },
    /// Remove a source and its key; imported data stays
    Remove {
        /// Id of the source
        source: SourceId,
    },
    /// Show the status codes and field names of a service's responses, without your data
    Probe {
        /// garmin
        service: Service,
    },
}

fitness_core::string_enum! {
    /// A service that data can be synced from.
    pub(crate) enum Service("service") {
        /// Garmin Connect, through its Personal API.
        Garmin = "garmin",
        /// intervals.icu.
        Intervals = "intervals",
    }
}

impl Service {
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Garmin => "Garmin Connect",
            Self::Intervals => "intervals.icu",
        }
    }
}
