//! What the server notes about itself, on standard error: calls by their pattern, jobs by their kind, problems by what they
//! are. No value of anybody's data and no secret is handed to it; what other libraries would say is not heard.

use crate::cli::LogMode;
use std::io::IsTerminal as _;
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::prelude::*;

/// Begins to note. Does nothing the second time.
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
    let begun = match log {
        LogMode::Json => {
            let lines = lines.json().flatten_event(true).with_current_span(false).with_span_list(false);
            tracing_subscriber::registry().with(lines.with_filter(ours)).try_init()
        }
        LogMode::Problems | LogMode::Text => {
            let lines = lines.with_ansi(std::io::stderr().is_terminal()).compact();
            tracing_subscriber::registry().with(lines.with_filter(ours)).try_init()
        }
    };
    // Somebody notes already.
    drop(begun);
}
