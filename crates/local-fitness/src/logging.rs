//! Logging to standard error (tracing): requests by route, jobs by kind, errors. Never values of
//! training data or secrets; events of other libraries are filtered out.

use crate::cli::LogMode;
use std::io::IsTerminal as _;
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::prelude::*;

/// Has no effect if called again.
pub(crate) fn init(log: LogMode) {
    let level = match log {
        LogMode::Problems => Level::WARN,
        LogMode::Text | LogMode::Json => Level::INFO,
    };
    let ours = Targets::new().with_targets(
        ["fitness", "fitness_coach", "fitness_ingest", "fitness_mcp", "fitness_store", "fitness_web"]
            .map(|name| (name, level)),
    );
    let lines = layer().with_writer(std::io::stderr).with_target(false);
    let result = match log {
        LogMode::Json => {
            let lines = lines.json().flatten_event(true).with_current_span(false).with_span_list(false);
            tracing_subscriber::registry().with(lines.with_filter(ours)).try_init()
        }
        LogMode::Problems | LogMode::Text => {
            let lines = lines.with_ansi(std::io::stderr().is_terminal()).compact();
            tracing_subscriber::registry().with(lines.with_filter(ours)).try_init()
        }
    };
    // Already initialized.
    drop(result);
}
