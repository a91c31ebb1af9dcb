//! What is there of one athlete.

use super::Examination;
use crate::clock;
use crate::coach;
use crate::commands::source::warning;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::untrusted_text::visible;
use fitness_store::{EXPIRED, Job, JobState, Store, User};
use std::collections::BTreeMap;

/// How many jobs back is looked.
const JOBS: u64 = 50;

/// An athlete: their data, what brings it in, their plan, and what went wrong for them.
pub(super) async fn examine(seen: &mut Examination, store: &Store, user: &User) -> Result<()> {
    let name = visible(&user.name).to_string();
    let profile = store.profile(user.id).await?;
    seen.ok(&name, format!("days in {}, {} units", profile.zone, profile.units));
    if !user.has_password {
        let fix = format!("set one with `fitness user passwd {name}`");
        seen.missing(&name, "no password: whoever reaches this terminal can decide about plans", fix);
    }
    let frontier = store.frontier(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    match (frontier.complete(), frontier.open()) {
        (None, _) => seen.missing(
            &name,
            "no data yet, so no day is judged",
            "bring some in with `fitness import PATH`; until then every planned day waits",
        ),
        (Some(day), open) => {
            let open = open.map(|open| format!(", some of {open}")).unwrap_or_default();
            let behind = day.until(today);
            seen.ok(&name, format!("data through {day}{open}; today is {today}, {behind} days on"));
        }
    }
    for source in store.list_sources(user.id).await? {
        match warning(&source, today) {
            Some(warning) => seen.missing(&name, warning, "a sync with a key that has ended brings nothing"),
            None => seen.ok(&name, format!("{} is connected", source.label)),
        }
    }
    seen.ok(&name, coach::told(store, user.id).await.0);
    for (kind, job) in given_up(&store.list_jobs(user.id, JOBS).await?) {
        let problem = job.problem.as_deref().unwrap_or("nobody knows why");
        let fix = format!("mend what it says, then `fitness jobs retry {}`", job.id);
        seen.broken(&name, format!("the {kind} was given up: {problem}"), fix);
    }
    match store.find_active_plan(user.id).await? {
        Some(plan) => {
            seen.ok(&name, format!("active plan {}, {}, race on {}", plan.id, plan.name, plan.race_date))
        }
        None => seen.missing(&name, "no active plan", "`fitness plan list` shows your drafts"),
    }
    let head = store.audit_head(user.id).await?;
    let compare = "compare with a backup: something other than local-fitness wrote to the database";
    match store.first_broken_audit_line(user.id).await? {
        Some(line) => seen.broken(&name, format!("the audit log was altered at line {line}"), compare),
        // Adding the user was the first thing that was logged.
        None if head.seq == 0 => seen.broken(&name, "the audit log was emptied", compare),
        None => {
            let end = &head.hash[..head.hash.len().min(16)];
            seen.ok(&name, format!("audit log whole: {} lines, ends in {end}", head.seq));
        }
    }
    Ok(())
}

/// What is given up and was not done since, by kind.
fn given_up(newest_first: &[Job]) -> BTreeMap<&str, &Job> {
    let mut latest: BTreeMap<&str, &Job> = BTreeMap::new();
    for job in newest_first.iter().filter(|job| matches!(job.state, JobState::Done | JobState::Failed)) {
        latest.entry(&job.kind).or_insert(job);
    }
    // A morning that passed while no server ran is no fault that could be mended.
    latest.retain(|_, job| job.state == JobState::Failed && job.outcome() != Some(EXPIRED));
    latest
}
