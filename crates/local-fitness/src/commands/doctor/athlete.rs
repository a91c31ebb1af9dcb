//! What is there of one athlete.

use super::DoctorReport;
use crate::clock;
use crate::coach;
use crate::commands::source::key_expiry_warning;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{Job, JobState, OUTCOME_EXPIRED, Store, User};
use std::collections::BTreeMap;

/// How many jobs back is looked.
const MAX_JOBS: u64 = 50;

/// An athlete: their data, what brings it in, their plan, and what went wrong for them.
pub(super) async fn check_athlete(seen: &mut DoctorReport, store: &Store, user: &User) -> Result<()> {
    let name = escape_invisible(&user.name).to_string();
    let profile = store.profile(user.id).await?;
    seen.add_ok(&name, format!("days in {}, {} units", profile.zone, profile.units));
    if !user.has_password {
        let fix = format!("set one with `fitness user passwd {name}`");
        seen.add_missing(&name, "no password: whoever reaches this terminal can decide about plans", fix);
    }
    let frontier = store.frontier(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    match (frontier.complete_through(), frontier.open_day()) {
        (None, _) => seen.add_missing(
            &name,
            "no data yet, so no day is judged",
            "bring some in with `fitness import PATH`; until then every planned day waits",
        ),
        (Some(day), open) => {
            let open = open.map(|open| format!(", some of {open}")).unwrap_or_default();
            let behind = day.days_until(today);
            seen.add_ok(&name, format!("data through {day}{open}; today is {today}, {behind} days on"));
        }
    }
    for source in store.list_sources(user.id).await? {
        match key_expiry_warning(&source, today) {
            Some(warning) => {
                seen.add_missing(&name, warning, "a sync with a key that has ended brings nothing")
            }
            None => seen.add_ok(&name, format!("{} is connected", source.label)),
        }
    }
    seen.add_ok(&name, coach::describe_coach(store, user.id).await.0);
    for (kind, job) in failed_jobs(&store.list_jobs(user.id, MAX_JOBS).await?) {
        let problem = job.problem.as_deref().unwrap_or("nobody knows why");
        let fix = format!("mend what it says, then `fitness jobs retry {}`", job.id);
        seen.add_broken(&name, format!("the {kind} was given up: {problem}"), fix);
    }
    match store.find_active_plan(user.id).await? {
        Some(plan) => {
            seen.add_ok(&name, format!("active plan {}, {}, race on {}", plan.id, plan.name, plan.race_date))
        }
        None => seen.add_missing(&name, "no active plan", "`fitness plan list` shows your drafts"),
    }
    let head = store.audit_head(user.id).await?;
    let compare = "compare with a backup: something other than local-fitness wrote to the database";
    match store.first_broken_audit_entry(user.id).await? {
        Some(line) => seen.add_broken(&name, format!("the audit log was altered at line {line}"), compare),
        // Adding the user was the first thing that was logged.
        None if head.seq == 0 => seen.add_broken(&name, "the audit log was emptied", compare),
        None => {
            let end = &head.hash[..head.hash.len().min(16)];
            seen.add_ok(&name, format!("audit log whole: {} lines, ends in {end}", head.seq));
        }
    }
    Ok(())
}

/// What is given up and was not done since, by kind.
fn failed_jobs(newest_first: &[Job]) -> BTreeMap<&str, &Job> {
    let mut latest: BTreeMap<&str, &Job> = BTreeMap::new();
    for job in newest_first.iter().filter(|job| matches!(job.state, JobState::Done | JobState::Failed)) {
        latest.entry(&job.kind).or_insert(job);
    }
    // A morning that passed while no server ran is no fault that could be mended.
    latest.retain(|_, job| job.state == JobState::Failed && job.outcome() != Some(OUTCOME_EXPIRED));
    latest
}
