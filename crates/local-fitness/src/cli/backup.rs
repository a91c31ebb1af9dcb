//! Arguments of `fitness backup`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct BackupArgs {
    /// The file to write [default: a new file in the backup directory]
    #[arg(long, value_name = "FILE")]
    pub(crate) to: Option<PathBuf>,
    /// Make at most one backup per night and keep the newest seven; for cron and timers
    #[arg(long, conflicts_with = "to")]
    pub(crate) nightly: bool,
    #[command(subcommand)]
    pub(crate) command: Option<BackupCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BackupCommand {
    /// List the backups
    List,
    /// Read a whole backup and verify it
    Check {
        /// The backup
        file: PathBuf,
    },
}
