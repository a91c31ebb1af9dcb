//! `fitness plan lint`: findings of the plan linter.

use super::{find_plan, read_plan_file, select_plan};
use crate::clock;
use crate::commands::refresh;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::PlanId;
use fitness_core::plan::export::read_draft;
use fitness_core::plan::lint::{Finding, FindingsDiff, LintInput, errors, format_counts, lint};
use fitness_core::plan::{Draft, SelfReportedTraining};
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;

pub(super) async fn run(context: &Context, plan: Option<String>) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    refresh(&store, user.id).await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let id = match plan.as_deref().map(str::parse::<PlanId>) {
        Some(Ok(id)) => Some(id),
        Some(Err(_)) => None,
        None => Some(select_plan(&store, &user, None).await?.id),
    };
    let (name, findings) = match (id, plan) {
        (Some(id), _) => {
            let found = find_plan(&store, &user, id).await?;
            (format!("plan {id}"), store.lint_plan(user.id, found.id, today).await?.findings().to_vec())
        }
        (None, file) => {
            let file = file.unwrap_or_default();
            let draft = from_file(Path::new(&file))?;
            let athlete = store
                .training_baseline(user.id, draft.distance(), today, SelfReportedTraining::default())
                .await?;
            (file, lint(&LintInput::from_draft(&draft), &athlete, profile.units))
        }
    };
    store.close().await;
    let failed = errors(&findings).count() > 0;
    let report = CommandOutput::new(render_findings(&findings), &json!({ "of": name, "findings": findings }));
    Ok(if failed { report.with_failure() } else { report })
}

fn from_file(file: &Path) -> Result<Draft> {
    let bad = |problem: String| {
        CliError::new(
            format!("{} is not a valid plan: {problem}", file.display()),
            "use the id of a plan (`fitness plan list`), or a file as described by `fitness plan draft --help`",
        )
    };
    Ok(read_draft(&read_plan_file(file)?).map_err(|error| bad(error.to_string()))?)
}

pub(super) fn render_findings(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return "All checks passed.\n".to_owned();
    }
    format!("Problems found: {}.\n{}", format_counts(findings), finding_lines(findings))
}

/// Lists new findings of a change separately from existing and resolved ones.
pub(super) fn render_findings_since(findings: &[Finding], before: &[Finding]) -> String {
    let FindingsDiff { new, unchanged: old, resolved: gone } = FindingsDiff::compare(findings, before);
    if new.is_empty() && old.is_empty() && gone.is_empty() {
        return render_findings(findings);
    }
    let mut text = if new.is_empty() {
        "No new problems.\n".to_owned()
    } else {
        format!("New problems: {}.\n{}", format_counts(&new), finding_lines(&new))
    };
    if !old.is_empty() {
        let _ = write!(text, "Unchanged: {}.\n{}", format_counts(&old), finding_lines(&old));
    }
    if !gone.is_empty() {
        let _ = write!(text, "Resolved: {}.\n{}", format_counts(&gone), finding_lines(&gone));
    }
    text
}

fn finding_lines(findings: &[Finding]) -> String {
    findings.iter().fold(String::new(), |mut text, finding| {
        let (severity, rule) = (finding.severity.as_str(), finding.rule.as_str());
        let _ = writeln!(text, "  {severity:<7} {rule:<3} {}", finding.text);
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fitness_core::plan::lint::{LintRule, Severity};

    fn finding(rule: &str, severity: Severity, text: &str) -> Finding {
        let rule: LintRule = rule.parse().unwrap();
        Finding {
            rule,
            also: Vec::new(),
            severity,
            day: None,
            value: None,
            limit: None,
            text: text.to_owned(),
        }
    }

    #[test]
    fn findings_new_with_a_change_are_listed_apart() {
        let old = finding("R22", Severity::Warning, "Three runs.");
        let worse = finding("R22", Severity::Error, "Three runs.");
        let new = finding("R12", Severity::Error, "Two hard days in a row.");
        let gone = finding("R5", Severity::Note, "No easier week.");
        let text = render_findings_since(&[new, old.clone()], &[old.clone(), gone]);
        assert_eq!(
            text,
            "New problems: 1 error, 0 warnings.\n  error   R12 Two hard days in a row.\n\
             Unchanged: 0 errors, 1 warning.\n  warning R22 Three runs.\n\
             Resolved: 0 errors, 0 warnings, 1 note.\n  note    R5  No easier week.\n"
        );
        let same = render_findings_since(std::slice::from_ref(&old), std::slice::from_ref(&old));
        assert!(same.starts_with("No new problems.\nUnchanged: "), "{same}");
        assert!(
            render_findings_since(std::slice::from_ref(&worse), &[old]).starts_with("New problems: 1 error")
        );
        // The same rule with other numbers is not resolved.
        let more = finding("R22", Severity::Error, "Two runs.");
        assert!(!render_findings_since(&[more], &[worse]).contains("Resolved"));
        assert_eq!(render_findings_since(&[], &[]), "All checks passed.\n");
    }
}
