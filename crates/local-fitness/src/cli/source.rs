//! `fitness source`: services that bring in data by themselves.

use clap::Subcommand;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::SourceId;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum SourceCommand {
    /// Connect a service: garmin or intervals
    ///
    /// You make a key in the service's own settings; no password is ever asked for. The key is stored sealed, and the
    /// key that seals it lies in a file of its own, or in FITNESS_KEY.
    Add {
        /// garmin (experimental) or intervals
        service: Service,
        /// A file with the key; - reads standard input. Typed without echo when not given
        #[arg(long, value_name = "FILE")]
        key_file: Option<PathBuf>,
        /// The day the key ends, to be warned a week before
        #[arg(long, value_name = "DAY")]
        expires: Option<Day>,
        /// Where the service is, if elsewhere than usual; accounts in China: HTTPS at personal.connectapi.garmin.cn
        #[arg(long, value_name = "URL")]
        address: Option<String>,
        /// The athlete's id at intervals.icu, such as i12345; the key's owner when not given
        #[arg(long, value_name = "ID")]
        athlete: Option<String>,
    },
    /// List the services you connected, and when their keys end
    List,
    /// Give a source a new key
    Key {
        /// The source's number
        source: SourceId,
        /// A file with the key; - reads standard input. Typed without echo when not given
        #[arg(long, value_name = "FILE")]
        key_file: Option<PathBuf>,
        /// The day the key ends, to be warned a week before
        #[arg(long, value_name = "DAY")]
        expires: Option<Day>,
    },
    /// Forget a source and its key; what it brought stays
    Remove {
        /// The source's number
        source: SourceId,
    },
    /// Show what a service answers, without showing your data: status codes and names of fields only
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
    /// What people call it.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Garmin => "Garmin Connect",
            Self::Intervals => "intervals.icu",
        }
    }
}
