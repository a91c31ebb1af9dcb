//! `fitness contract`

use crate::args::{CheckArgs, ContractCommand};
use crate::clock;
use crate::context::Context;
use crate::failure::Failure;
use crate::report::Report;
use crate::words::counted;
use anyhow::Result;
use fitness_core::calendar::Day;
use fitness_core::contract::consistency::{self, Ground};
use fitness_core::contract::{Kind, Refused, Response, bounds, check};
use fitness_core::ids::PlanId;
use fitness_core::plan::{Plan, PlannedWorkout};
use fitness_core::text::visible;
use serde_json::json;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

pub(super) async fn run(context: &Context, command: ContractCommand) -> Result<Report> {
    match command {
        ContractCommand::Check(wanted) => check_answer(context, wanted).await,
    }
}

/// A plan as it is now, and the day it is looked at.
struct Stored {
    plan: Plan,
    workouts: Vec<PlannedWorkout>,
    today: Day,
}

async fn check_answer(context: &Context, wanted: CheckArgs) -> Result<Report> {
    let answer = read(&wanted.file)?;
    let stored = match wanted.plan {
        Some(id) => Some(find(context, id, wanted.today).await?),
        None => None,
    };
    Ok(match check(&answer, wanted.kind) {
        Ok(response) => told(Some(response.kind()), &held(&response, stored.as_ref())),
        Err(Refused { kind, faults }) => told(kind, &consistency::Report { faults, findings: Vec::new() }),
    })
}

fn held(response: &Response, stored: Option<&Stored>) -> consistency::Report {
    let Some(Stored { plan, workouts, today }) = stored else { return consistency::within(response) };
    consistency::against(response, &Ground { plan, workouts, today: *today })
}

async fn find(context: &Context, id: PlanId, today: Option<Day>) -> Result<Stored> {
    let (store, user) = context.open_for_user().await?;
    let plan = store.find_plan(user.id, id).await?.ok_or_else(|| {
        Failure::new(format!("there is no plan {id}"), "`fitness plan list` shows your plans")
    })?;
    let workouts = store.list_workouts(user.id, id, plan.revision).await?;
    let zone = store.profile(user.id).await?.zone;
    store.close().await;
    Ok(Stored { plan, workouts, today: today.unwrap_or_else(|| Day::at(clock::now(), zone)) })
}

pub(super) fn told(kind: Option<Kind>, report: &consistency::Report) -> Report {
    let valid = report.faults.is_empty();
    let form = kind.map_or("answer", |kind| match kind {
        Kind::Modification => "plan modification",
        Kind::Week => "weekly plan",
    });
    let mut words = if valid {
        format!("The {form} is accepted.\n")
    } else {
        let faults = counted(report.faults.len() as u64, "fault", "faults");
        format!("The {form} is refused: {faults}.\n")
    };
    let faults = report.faults.iter().map(|fault| (&fault.path, fault.code.as_str(), &fault.message));
    let findings = report.findings.iter().map(|found| (&found.path, found.code.as_str(), &found.message));
    for (path, code, message) in faults.chain(findings) {
        let place = if path.is_empty() { "the answer" } else { path };
        let _ = writeln!(words, "\n{} ({code})\n  {}", visible(place), visible(message));
    }
    let data = json!({ "kind": kind, "valid": valid, "faults": report.faults, "findings": report.findings });
    let report = Report::new(words, &data).for_programs();
    if valid { report } else { report.unhealthy() }
}

/// The answer, or as much of it as shows that it is too large.
pub(super) fn read(file: &Path) -> Result<Vec<u8>> {
    let cannot = |error: std::io::Error| {
        Failure::new(
            format!("cannot read {}: {error}", file.display()),
            "give the path of the file with the answer, or - for standard input",
        )
    };
    let source: Box<dyn std::io::Read> = if file == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(file).map_err(cannot)?)
    };
    let mut answer = Vec::new();
    source.take(bounds::MAX_BYTES as u64 + 1).read_to_end(&mut answer).map_err(cannot)?;
    Ok(answer)
}
