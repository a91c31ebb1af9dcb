//! Checks of one user: data, sources, plan, jobs, audit log.

use super::DoctorReport;
use crate::clock;
use crate::coach;
use crate::commands::source::key_expiry_warning;
use crate::plural::pluralize;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{Job, JobState, OUTCOME_EXPIRED, Store, User};
use std::collections::BTreeMap;

const MAX_JOBS: u64 = 50;

pub(super) async fn check_athlete(seen: &mut DoctorReport, store: &Store, user: &User) -> Result<()> {
    let name = escape_invisible(&user.name).to_string();
    let profile = store.profile(user.id).await?;
    seen.add_ok(&name, format!("time zone {}, {} units", profile.zone, profile.units));
    if !user.has_password {
        let fix = format!("set one with `fitness user passwd {name}`");
        seen.add_missing(&name, "no password: anyone with access to this terminal can change plans", fix);
    }
    let frontier = store.frontier(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    match (frontier.complete_through(), frontier.open_day()) {
        (None, _) => seen.add_missing(
            &name,
            "no data yet, so no workout is graded",
            "import some with `fitness import PATH`",
        ),
        (Some(day), open) => {
            let open = match open {
                Some(open) if open == today => "; some data for today".to_owned(),
                Some(open) => format!("; some data for {open}"),
                None => String::new(),
            };
            let age = match u64::try_from(day.days_until(today)).unwrap_or(0) {
                0 => "today".to_owned(),
                days => format!("{} ago", pluralize(days, "day", "days")),
            };
            seen.add_ok(&name, format!("data complete through {day} ({age}){open}"));
        }
    }
    for source in store.list_sources(user.id).await? {
        match key_expiry_warning(&source, today) {
            Some(warning) => seen.add_missing(&name, warning, "syncs fail once the key has expired"),
            None => seen.add_ok(&name, format!("{} is connected", source.label)),
        }
    }
    seen.add_ok(&name, coach::describe_coach(store, user.id).await.0);
    for (kind, job) in failed_jobs(&store.list_jobs(user.id, MAX_JOBS).await?) {
        let problem = job.problem.as_deref().unwrap_or("unknown error");
        let fix = format!("fix the cause, then run `fitness jobs retry {}`", job.id);
        seen.add_broken(&name, format!("the job `{kind}` failed: {problem}"), fix);
    }
    match store.find_active_plan(user.id).await? {
        Some(plan) => {
            seen.add_ok(&name, format!("active plan {}, {}, race on {}", plan.id, plan.name, plan.race_date))
        }
        None => seen.add_missing(&name, "no active plan", "`fitness plan list` lists your drafts"),
    }
    let head = store.audit_head(user.id).await?;
    let compare = "another program changed the database; compare it with a backup";
    match store.first_broken_audit_entry(user.id).await? {
        Some(line) => seen.add_broken(&name, format!("the audit log was changed at line {line}"), compare),
        // The first entry is the creation of the user.
        None if head.seq == 0 => seen.add_broken(&name, "the audit log is empty", compare),
        None => {
            let end = &head.hash[..head.hash.len().min(16)];
            seen.add_ok(&name, format!("audit log intact: {} entries, last hash {end}", head.seq));
        }
    }
    Ok(())
}

/// Failed jobs that have not succeeded since, by kind.
fn failed_jobs(newest_first: &[Job]) -> BTreeMap<&str, &Job> {
    let mut latest: BTreeMap<&str, &Job> = BTreeMap::new();
    for job in newest_first.iter().filter(|job| matches!(job.state, JobState::Done | JobState::Failed)) {
        latest.entry(&job.kind).or_insert(job);
    }
    // Jobs that expired while no server was running cannot be fixed.
    latest.retain(|_, job| job.state == JobState::Failed && job.outcome() != Some(OUTCOME_EXPIRED));
    latest
}
