//! `fitness recompute`

use super::import::{Bar, stop_on_ctrl_c};
use crate::clock;
use crate::context::Context;
use crate::output::Report;
use crate::plural::counted;
use anyhow::Result;
use fitness_ingest::Progress as _;

pub(super) async fn run(context: &Context, json: bool) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    store.drop_derived(user.id, clock::now()).await?;
    let stop = stop_on_ctrl_c();
    let mut bar = Bar::new(json);
    let done =
        fitness_ingest::recompute(&store, user.id, &mut |measured| bar.worked_out(measured), &stop).await;
    bar.finish();
    store.close().await;
    let done = done?;
    let mut words = format!(
        "Worked out {} and {}.",
        counted(done.judged, "activity", "activities"),
        counted(done.days, "day", "days")
    );
    if stop.is_asked() {
        words
            .push_str(" Stopped before the end; the rest is worked out with the next command that needs it.");
    }
    let report = Report::new(words, &done);
    Ok(if stop.is_asked() { report.unhealthy() } else { report })
}
