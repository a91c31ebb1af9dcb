//! Recomputes metrics of one user, for `cargo xtask bench metrics`:
//! `recompute DATABASE all|days|none|updates`.

use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::merge::Edit;
use fitness_core::domain::units::TimeSpan;
use fitness_ingest::{RecomputeCounts, StopSignal, recompute};
use fitness_store::{Location, MissingDatabasePolicy, Store};

/// Number of changed activities, one after the other.
const UPDATES: usize = 100;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(database), Some(what)) = (arguments.next(), arguments.next()) else {
        return Err("usage: recompute DATABASE all|days|none|updates".into());
    };
    let location = Location::Sqlite { path: database.into(), default: false };
    let store = Store::open(location, MissingDatabasePolicy::Refuse).await?;
    let user = store.list_users().await?.into_iter().next().ok_or("no user")?.id;
    let now: Instant = "2026-11-16T12:00:00Z".parse()?;
    let work_out = async || recompute(&store, user, &mut |_| {}, &StopSignal::default()).await;
    let done = match what.as_str() {
        "all" => {
            store.delete_computed_metrics(user, now).await?;
            work_out().await?
        }
        "days" => {
            // Changes an input of every day but not of the recordings.
            let profile = store.profile(user).await?;
            let need = TimeSpan::from_mins(profile.sleep_need.map_or(480, |need| need.ms() / 60_000 + 1));
            store.put_profile(user, &Profile { sleep_need: Some(need), ..profile }, now).await?;
            work_out().await?
        }
        "updates" => {
            let (_, span) = store.count_activities(user).await?;
            let (_, last) = span.ok_or("no activity")?;
            let newest = store.list_activities(user, last, last).await?.pop().ok_or("no activity")?;
            let mut all = RecomputeCounts::default();
            for number in 0..UPDATES {
                // A changed activity costs as much as a new one.
                let edit = Edit { name: Some(format!("Update {number}")), ..Edit::default() };
                store.edit_activity(user, newest.id, edit, now).await?;
                let done = work_out().await?;
                all.measured += done.measured;
                all.judged += done.judged;
                all.days += done.days;
            }
            all
        }
        "none" => RecomputeCounts::default(),
        other => return Err(format!("`{other}` is not one of all, days, none, updates").into()),
    };
    store.close().await;
    println!("{}", serde_json::to_string(&done)?);
    Ok(())
}
