//! `fitness jobs`: background jobs and their errors.

use crate::cli::JobsCommand;
use crate::clock;
use crate::context::Context;
use crate::output::CommandOutput;
use crate::plural::pluralize;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{Job, JobState, OUTCOME_EXPIRED};
use serde_json::json;

pub(super) async fn run(context: &Context, last: u64, command: Option<JobsCommand>) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let report = match command {
        None => render_jobs(&store.list_jobs(user.id, last).await?),
        Some(JobsCommand::Retry { job }) => {
            store.retry_job(user.id, job, clock::now()).await?;
            let text =
                format!("Job {job} is queued again; a running `fitness serve` starts it within a minute.");
            CommandOutput::new(text, &json!({ "job": job, "state": JobState::Queued }))
        }
    };
    store.close().await;
    Ok(report)
}

fn render_jobs(jobs: &[Job]) -> CommandOutput {
    if jobs.is_empty() {
        let text = "No background jobs yet. `fitness serve` makes a backup each night, and syncs and writes the brief each \
                    morning.";
        return CommandOutput::new(text, &jobs);
    }
    let when = |at: Instant| at.format("%Y-%m-%d %H:%M").to_string();
    let rows: Vec<_> = jobs
        .iter()
        .map(|job| {
            let what = match job.payload.get("day").and_then(|day| day.as_str()) {
                Some(day) => format!("{} for {day}", job.kind),
                None => job.kind.clone(),
            };
            let state = match (job.state, job.attempts) {
                (JobState::Queued, 0) => "queued".to_owned(),
                (JobState::Queued, tries) => {
                    format!("queued after {}", pluralize(tries.unsigned_abs(), "attempt", "attempts"))
                }
                (JobState::Running, _) => "running".to_owned(),
                (JobState::Done, _) => match job.outcome() {
                    Some(outcome) => format!("done: {outcome}"),
                    None => "done".to_owned(),
                },
                (JobState::Failed, _) if job.outcome() == Some(OUTCOME_EXPIRED) => "expired".to_owned(),
                (JobState::Failed, tries) => {
                    format!("failed after {}", pluralize(tries.unsigned_abs(), "attempt", "attempts"))
                }
            };
            let problem = job.problem.as_deref().unwrap_or_default();
            [
                job.id.to_string(),
                what,
                state,
                when(job.finished_at.unwrap_or(job.run_at)),
                escape_invisible(problem).to_string(),
            ]
        })
        .collect();
    CommandOutput::new(table(["job", "task", "state", "time (UTC)", "error"], &rows), &jobs)
}
