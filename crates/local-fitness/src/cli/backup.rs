//! Keeping, moving and leaving.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct BackupArgs {
    /// The file to write; one in the folder of backups when not given
    #[arg(long, value_name = "FILE")]
    pub(crate) to: Option<PathBuf>,
    /// The night's: made unless it was, and the newest seven of those are kept; for what runs each night
    #[arg(long, conflicts_with = "to")]
    pub(crate) nightly: bool,
    #[command(subcommand)]
    pub(crate) command: Option<BackupCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BackupCommand {
    /// List the backups there are
    List,
    /// Read a backup to its end and say whether it is whole
    Check {
        /// The backup
        file: PathBuf,
    },
}
