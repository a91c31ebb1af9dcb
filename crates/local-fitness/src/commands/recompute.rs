//! `fitness recompute`: recomputes all metrics.

use super::import::{ImportBar, stop_on_ctrl_c};
use crate::clock;
use crate::context::Context;
use crate::output::CommandOutput;
use crate::plural::pluralize;
use anyhow::Result;
use fitness_ingest::ImportProgressListener as _;

pub(super) async fn run(context: &Context, json: bool) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let merged = fitness_ingest::apply_merge_rules(&store, user.id, clock::now()).await?;
    store.delete_computed_metrics(user.id, clock::now()).await?;
    let stop = stop_on_ctrl_c();
    let mut bar = ImportBar::new(json);
    let done =
        fitness_ingest::recompute(&store, user.id, &mut |measured| bar.set_recomputed(measured), &stop).await;
    bar.finish();
    store.close().await;
    let done = done?;
    let mut words = format!(
        "Recomputed {} and {}.",
        pluralize(done.judged, "activity", "activities"),
        pluralize(done.days, "day", "days")
    );
    for sentence in merged.summary_sentences() {
        words.push(' ');
        words.push_str(&sentence);
    }
    if stop.is_stopped() {
        words.push_str(" Stopped early; the next command that needs the rest computes it.");
    }
    let report = CommandOutput::new(words, &done);
    Ok(if stop.is_stopped() { report.with_failure() } else { report })
}
