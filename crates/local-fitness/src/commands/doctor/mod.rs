//! `fitness doctor`: checks the installation and says how to fix problems.

mod athlete;
mod installation;
mod tampering;

use crate::context::Context;
use crate::error::store_error_help;
use crate::output::CommandOutput;
use anyhow::Result;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{Error, MissingDatabasePolicy};
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum CheckStatus {
    Ok,
    Missing,
    Broken,
}

/// The field names are part of the JSON output.
#[derive(Debug, Serialize)]
struct CheckResult {
    what: String,
    health: CheckStatus,
    says: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

#[derive(Debug, Default)]
struct DoctorReport(Vec<CheckResult>);

impl DoctorReport {
    fn add_ok(&mut self, what: impl Into<String>, says: impl Into<String>) {
        self.0.push(CheckResult { what: what.into(), health: CheckStatus::Ok, says: says.into(), fix: None });
    }

    fn add_missing(&mut self, what: impl Into<String>, says: impl Into<String>, fix: impl Into<String>) {
        self.0.push(CheckResult {
            what: what.into(),
            health: CheckStatus::Missing,
            says: says.into(),
            fix: Some(fix.into()),
        });
    }

    fn add_broken(&mut self, what: impl Into<String>, says: impl Into<String>, fix: impl Into<String>) {
        self.0.push(CheckResult {
            what: what.into(),
            health: CheckStatus::Broken,
            says: says.into(),
            fix: Some(fix.into()),
        });
    }

    fn into_output(self) -> CommandOutput {
        let mut text = String::new();
        for finding in &self.0 {
            let mark = match finding.health {
                CheckStatus::Ok => "✓",
                CheckStatus::Missing => "–",
                CheckStatus::Broken => "✕",
            };
            text += &format!("{mark} {}: {}\n", finding.what, escape_invisible(&finding.says));
            if let Some(fix) = &finding.fix {
                text += &format!("    {}\n", escape_invisible(fix));
            }
        }
        let broken = self.0.iter().filter(|finding| finding.health == CheckStatus::Broken).count();
        let missing = self.0.iter().filter(|finding| finding.health == CheckStatus::Missing).count();
        text += &match (broken, missing) {
            (0, 0) => "\nNo problems found.\n".to_owned(),
            (0, 1) => "\nNo errors, 1 hint.\n".to_owned(),
            (0, missing) => format!("\nNo errors, {missing} hints.\n"),
            (1, _) => "\n1 error.\n".to_owned(),
            (broken, _) => format!("\n{broken} errors.\n"),
        };
        let report = CommandOutput::new(text, &self.0);
        if broken > 0 { report.with_failure() } else { report }
    }
}

pub(super) async fn run(context: &Context, deep: bool) -> Result<CommandOutput> {
    let mut seen = DoctorReport::default();
    seen.add_ok("local-fitness", env!("CARGO_PKG_VERSION"));
    installation::check_settings(&mut seen, &context.settings);
    let location = match context.settings.location() {
        Ok(location) => location,
        Err(error) => {
            let fix = error.downcast_ref().map_or_else(|| "correct it".to_owned(), store_error_help);
            seen.add_broken("database", error.to_string(), fix);
            return Ok(seen.into_output());
        }
    };
    let store = match context.open(MissingDatabasePolicy::Refuse).await {
        Ok(store) => store,
        Err(error) => {
            match error.downcast_ref::<Error>() {
                Some(why @ Error::NoDatabase(_)) => {
                    seen.add_missing("database", why.to_string(), store_error_help(why))
                }
                Some(why) => seen.add_broken("database", why.to_string(), store_error_help(why)),
                None => return Err(error),
            }
            return Ok(seen.into_output());
        }
    };
    installation::check_database(&mut seen, &store, &location).await?;
    if deep {
        tampering::check_schema(&mut seen, &store).await?;
    }
    installation::check_backups(&mut seen, &store).await?;
    installation::check_uploads(&mut seen, &store).await?;
    installation::check_encryption_key(&mut seen, &store).await?;
    installation::check_server(&mut seen, &context.settings).await;
    let users = store.list_users().await?;
    if users.is_empty() {
        seen.add_missing("users", "none yet", "add yourself with `fitness user add NAME`");
    }
    let only = match &context.user {
        Some(_) => Some(context.find_user(&store, None).await?.id),
        None => None,
    };
    for user in users.iter().filter(|user| only.is_none_or(|id| id == user.id)) {
        athlete::check_athlete(&mut seen, &store, user).await?;
        if deep {
            tampering::check_plans(&mut seen, &store, user).await?;
        }
    }
    store.close().await;
    Ok(seen.into_output())
}
