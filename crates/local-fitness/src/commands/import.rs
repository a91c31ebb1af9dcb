//! `fitness import`: imports files and prints the result.

use crate::clock;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::plural::pluralize;
use anyhow::Result;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_ingest::{ImportOutcome, ImportProgressListener, ImportRequest, StopSignal, import};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

const MAX_LISTED_SKIPS: usize = 50;

pub(super) async fn run(
    context: &Context,
    paths: Vec<PathBuf>,
    again: bool,
    json: bool,
) -> Result<CommandOutput> {
    for path in &paths {
        if !path.exists() {
            let message = format!("there is no file or folder {}", path.display());
            return Err(CliError::new(message, "check the path; nothing was imported").into());
        }
    }
    let (store, user) = context.open_for_user().await?;
    let stop = stop_on_ctrl_c();
    let mut bar = ImportBar::new(json);
    let wanted = ImportRequest { user: user.id, paths, reimport: again, count_first: bar.is_visible() };
    let outcome = import(&store, wanted, clock::now, &mut bar, &stop).await;
    bar.finish();
    store.close().await;
    let outcome = outcome?;
    let report = CommandOutput::new(render_outcome(&outcome), &outcome);
    Ok(if outcome.is_refused() || outcome.stopped { report.with_failure() } else { report })
}

/// The first Ctrl-C stops after the current batch; the second exits at once. Stored batches are
/// complete.
pub(super) fn stop_on_ctrl_c() -> StopSignal {
    let stop = StopSignal::default();
    let asked = stop.clone();
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            if asked.is_stopped() {
                std::process::exit(130);
            }
            asked.stop();
        }
    });
    stop
}

/// Progress bar on standard error; hidden with `--json` or without a terminal.
pub(super) struct ImportBar(ProgressBar);

impl ImportBar {
    pub(super) fn new(json: bool) -> Self {
        let bar = ProgressBar::no_length();
        if json {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let style = "{spinner} {pos} files · {msg} · {rate}/s · {elapsed}";
        let style = ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_spinner());
        bar.set_style(style.with_key("rate", write_rate));
        bar.enable_steady_tick(Duration::from_millis(200));
        bar.set_message(count_activities(0));
        Self(bar)
    }

    pub(super) fn is_visible(&self) -> bool {
        !self.0.is_hidden()
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

fn count_activities(count: u64) -> String {
    pluralize(count, "activity", "activities")
}

/// Files per second as a whole number.
fn write_rate(state: &ProgressState, out: &mut dyn std::fmt::Write) {
    // A write error only affects the progress bar.
    let _ = write!(out, "{:.0}", state.per_sec());
}

impl ImportProgressListener for ImportBar {
    fn set_total(&mut self, files: u64) {
        self.0.set_length(files);
        let style = "[{bar:30}] {pos} of {len} files · {msg} · {rate}/s · {eta} left";
        let style = ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
        self.0.set_style(style.with_key("rate", write_rate).progress_chars("=> "));
    }

    fn set_imported(&mut self, files: u64, activities: u64) {
        self.0.set_position(files);
        self.0.set_message(count_activities(activities));
    }

    fn set_recomputed(&mut self, activities: u64) {
        let style = "{spinner} computing metrics · {msg} · {elapsed}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            self.0.set_style(style);
        }
        self.0.set_message(count_activities(activities));
    }
}

pub(super) fn render_outcome(outcome: &ImportOutcome) -> String {
    let mut words = String::new();
    let mut line = |text: String| {
        words.push_str(&text);
        words.push('\n');
    };
    for sentence in outcome.summary_sentences() {
        line(sentence);
    }
    let receipt = outcome.receipt.render();
    if !receipt.is_empty() {
        line("Files:".to_owned());
    }
    for text in receipt {
        line(format!("  {}", escape_invisible(&text)));
    }
    if outcome.skipped_count > 0 {
        line(format!("Skipped: {}.", pluralize(outcome.skipped_count, "file", "files")));
        line(render_skipped(outcome));
    }
    if let Some(complete) = outcome.coverage.complete_through() {
        line(format!("Your data is complete through {complete}."));
    }
    words
}

/// Skipped files with reasons, at most [`MAX_LISTED_SKIPS`].
fn render_skipped(outcome: &ImportOutcome) -> String {
    let mut words = String::new();
    for skip in outcome.skipped.iter().take(MAX_LISTED_SKIPS) {
        writeln!(words, "  {}: {}", escape_invisible(&skip.path), escape_invisible(&skip.reason))
            .expect("writing to a string cannot fail");
    }
    let more = outcome.skipped_count.saturating_sub(MAX_LISTED_SKIPS as u64);
    if more > 0 {
        writeln!(words, "  … and {more} more; --json lists them").expect("writing to a string cannot fail");
    }
    words.truncate(words.trim_end().len());
    words
}
