//! `fitness plan lint`

use super::{chosen, find, read};
use crate::clock;
use crate::commands::settled;
use crate::context::Context;
use crate::error::Failure;
use crate::output::Report;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::PlanId;
use fitness_core::plan::export::read_draft;
use fitness_core::plan::lint::{Finding, Since, Subject, counts, errors, lint};
use fitness_core::plan::{Draft, Stated};
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;

pub(super) async fn run(context: &Context, plan: Option<String>) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    settled(&store, user.id).await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let id = match plan.as_deref().map(str::parse::<PlanId>) {
        Some(Ok(id)) => Some(id),
        Some(Err(_)) => None,
        None => Some(chosen(&store, &user, None).await?.id),
    };
    let (name, findings) = match (id, plan) {
        (Some(id), _) => {
            let found = find(&store, &user, id).await?;
            (format!("plan {id}"), store.review(user.id, found.id, today).await?.findings().to_vec())
        }
        (None, file) => {
            let file = file.unwrap_or_default();
            let draft = from_file(Path::new(&file))?;
            let athlete = store.background(user.id, draft.distance(), today, Stated::default()).await?;
            (file, lint(&Subject::of_draft(&draft), &athlete, profile.units))
        }
    };
    store.close().await;
    let failed = errors(&findings).count() > 0;
    let report = Report::new(told(&findings), &json!({ "of": name, "findings": findings }));
    Ok(if failed { report.unhealthy() } else { report })
}

fn from_file(file: &Path) -> Result<Draft> {
    let bad = |problem: String| {
        Failure::new(
            format!("{} is not a plan: {problem}", file.display()),
            "give the number of a plan (`fitness plan list`), or a file as `fitness plan draft --help` describes it",
        )
    };
    Ok(read_draft(&read(file)?).map_err(|error| bad(error.to_string()))?)
}

/// What the linter says, errors first.
pub(super) fn told(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return "The linter has nothing to say.\n".to_owned();
    }
    format!("The linter: {}.\n{}", counts(findings), lines(findings))
}

/// What the linter says about a change to a plan: what the change brings, apart from what it said before.
pub(super) fn told_since(findings: &[Finding], before: &[Finding]) -> String {
    let Since { new, old, gone } = Since::of(findings, before);
    if new.is_empty() && old.is_empty() && gone.is_empty() {
        return told(findings);
    }
    let mut text = if new.is_empty() {
        "The linter finds nothing new in this.\n".to_owned()
    } else {
        format!("The linter, new with this: {}.\n{}", counts(&new), lines(&new))
    };
    if !old.is_empty() {
        let _ = write!(text, "As before: {}.\n{}", counts(&old), lines(&old));
    }
    if !gone.is_empty() {
        let _ = write!(text, "No longer: {}.\n{}", counts(&gone), lines(&gone));
    }
    text
}

fn lines(findings: &[Finding]) -> String {
    findings.iter().fold(String::new(), |mut text, finding| {
        let (severity, rule) = (finding.severity.as_str(), finding.rule.as_str());
        let _ = writeln!(text, "  {severity:<7} {rule:<3} {}", finding.text);
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fitness_core::plan::lint::{Rule, Severity};

    fn finding(rule: &str, severity: Severity, text: &str) -> Finding {
        let rule: Rule = rule.parse().unwrap();
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
    fn what_a_change_brings_is_told_apart_from_what_was_there() {
        let old = finding("R22", Severity::Warning, "Three runs.");
        let worse = finding("R22", Severity::Error, "Three runs.");
        let new = finding("R12", Severity::Error, "Two hard days in a row.");
        let gone = finding("R5", Severity::Note, "No easier week.");
        let text = told_since(&[new, old.clone()], &[old.clone(), gone]);
        assert_eq!(
            text,
            "The linter, new with this: 1 error, 0 warnings.\n  error   R12 Two hard days in a row.\n\
             As before: 0 errors, 1 warning.\n  warning R22 Three runs.\n\
             No longer: 0 errors, 0 warnings, 1 note.\n  note    R5  No easier week.\n"
        );
        let same = told_since(std::slice::from_ref(&old), std::slice::from_ref(&old));
        assert!(same.starts_with("The linter finds nothing new in this.\nAs before: "), "{same}");
        assert!(
            told_since(std::slice::from_ref(&worse), &[old])
                .starts_with("The linter, new with this: 1 error")
        );
        // Said anew in other numbers is not gone.
        let more = finding("R22", Severity::Error, "Two runs.");
        assert!(!told_since(&[more], &[worse]).contains("No longer"));
        assert_eq!(told_since(&[], &[]), "The linter has nothing to say.\n");
    }
}
