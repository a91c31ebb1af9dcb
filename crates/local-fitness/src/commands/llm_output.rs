//! `fitness contract`: validates the output of a model.

use crate::cli::{CheckArgs, ContractCommand};
use crate::clock;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::plural::pluralize;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::PlanId;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::llm_output::cross_checks;
use fitness_core::llm_output::{InvalidResponseError, ResponseKind, parse_response, size_limits};
use fitness_core::plan::Plan;
use fitness_store::{Store, User};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

pub(super) async fn run(context: &Context, command: ContractCommand) -> Result<CommandOutput> {
    match command {
        ContractCommand::Check(wanted) => check_response(context, wanted).await,
    }
}

async fn check_response(context: &Context, wanted: CheckArgs) -> Result<CommandOutput> {
    let response = read_response(&wanted.file)?;
    // A missing plan is an error even if the response is invalid.
    let stored = match wanted.plan {
        Some(id) => Some(find_plan(context, id).await?),
        None => None,
    };
    let checked = match parse_response(&response, wanted.kind) {
        Ok(response) => {
            let report = match &stored {
                Some((store, user, plan)) => {
                    let zone = store.profile(user.id).await?.zone;
                    let today = wanted.today.unwrap_or_else(|| Day::at(clock::now(), zone));
                    store.check_llm_response(user.id, plan, &response, today).await?.report
                }
                None => cross_checks::check_consistency(&response),
            };
            render_report(Some(response.kind()), &report)
        }
        Err(InvalidResponseError { kind, errors: faults }) => {
            render_report(kind, &cross_checks::CheckReport { errors: faults, findings: Vec::new() })
        }
    };
    if let Some((store, ..)) = stored {
        store.close().await;
    }
    Ok(checked)
}

async fn find_plan(context: &Context, id: PlanId) -> Result<(Store, User, Plan)> {
    let (store, user) = context.open_for_user().await?;
    let plan = store.find_plan(user.id, id).await?.ok_or_else(|| {
        CliError::new(format!("there is no plan {id}"), "`fitness plan list` lists your plans")
    })?;
    super::refresh(&store, user.id).await?;
    Ok((store, user, plan))
}

pub(super) fn render_report(kind: Option<ResponseKind>, report: &cross_checks::CheckReport) -> CommandOutput {
    let valid = report.errors.is_empty();
    let form = kind.map_or("response", |kind| match kind {
        ResponseKind::Modification => "plan modification",
        ResponseKind::Week => "weekly plan",
    });
    let mut words = if valid {
        format!("The {form} is accepted.\n")
    } else {
        let errors = pluralize(report.errors.len() as u64, "error", "errors");
        format!("The {form} is rejected: {errors}.\n")
    };
    let errors = report.errors.iter().map(|error| (&error.path, error.code.as_str(), &error.message));
    let findings = report.findings.iter().map(|found| (&found.path, found.code.as_str(), &found.message));
    for (path, code, message) in errors.chain(findings) {
        let place = if path.is_empty() { "the response" } else { path };
        let _ = writeln!(words, "\n{} ({code})\n  {}", escape_invisible(place), escape_invisible(message));
    }
    let data = json!({ "kind": kind, "valid": valid, "faults": report.errors, "findings": report.findings });
    let report = CommandOutput::new(words, &data).with_json_when_piped();
    if valid { report } else { report.with_failure() }
}

/// Reads at most one byte more than the size limit, so that the validator can reject it.
pub(super) fn read_response(file: &Path) -> Result<Vec<u8>> {
    let cannot = |error: std::io::Error| {
        CliError::new(
            format!("cannot read {}: {error}", file.display()),
            "use the path of the file with the response, or - for standard input",
        )
    };
    let source: Box<dyn std::io::Read> = if file == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(file).map_err(cannot)?)
    };
    let mut response = Vec::new();
    source.take(size_limits::MAX_BYTES as u64 + 1).read_to_end(&mut response).map_err(cannot)?;
    Ok(response)
}
