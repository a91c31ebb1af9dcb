//! `fitness plan lint`

use super::{find, read};
use crate::clock;
use crate::commands::settled;
use crate::context::Context;
use crate::failure::Failure;
use crate::report::Report;
use anyhow::Result;
use fitness_core::calendar::Day;
use fitness_core::export::read_draft;
use fitness_core::ids::PlanId;
use fitness_core::plan::lint::{Finding, Severity, Subject, errors, lint};
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
        None => match store.find_active_plan(user.id).await? {
            Some(active) => Some(active.id),
            None => {
                let help = "name a draft or a file: `fitness plan lint PLAN|FILE`";
                return Err(Failure::new("you have no active plan", help).into());
            }
        },
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
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let (wrong, doubtful) = (count(Severity::Error), count(Severity::Warning));
    if findings.is_empty() {
        return "The linter has nothing to say.\n".to_owned();
    }
    let some = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    let mut text = format!("The linter: {}, {}.\n", some(wrong, "error"), some(doubtful, "warning"));
    for finding in findings {
        let _ = writeln!(
            text,
            "  {:<7} {:<3} {}",
            finding.severity.as_str(),
            finding.rule.as_str(),
            finding.text
        );
    }
    text
}
