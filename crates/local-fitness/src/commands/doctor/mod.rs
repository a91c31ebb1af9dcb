//! `fitness doctor`: what is there, what is missing, how to fix it.

mod athlete;
mod installation;
mod tampering;

use crate::context::Context;
use crate::error::advice;
use crate::output::Report;
use anyhow::Result;
use fitness_core::domain::untrusted_text::visible;
use fitness_store::{Error, Missing};
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Health {
    Ok,
    Missing,
    Broken,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    what: String,
    health: Health,
    says: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

#[derive(Debug, Default)]
struct Examination(Vec<Finding>);

impl Examination {
    fn ok(&mut self, what: impl Into<String>, says: impl Into<String>) {
        self.0.push(Finding { what: what.into(), health: Health::Ok, says: says.into(), fix: None });
    }

    fn missing(&mut self, what: impl Into<String>, says: impl Into<String>, fix: impl Into<String>) {
        self.0.push(Finding {
            what: what.into(),
            health: Health::Missing,
            says: says.into(),
            fix: Some(fix.into()),
        });
    }

    fn broken(&mut self, what: impl Into<String>, says: impl Into<String>, fix: impl Into<String>) {
        self.0.push(Finding {
            what: what.into(),
            health: Health::Broken,
            says: says.into(),
            fix: Some(fix.into()),
        });
    }

    fn report(self) -> Report {
        let mut text = String::new();
        for finding in &self.0 {
            let mark = match finding.health {
                Health::Ok => "✓",
                Health::Missing => "–",
                Health::Broken => "✕",
            };
            text += &format!("{mark} {}: {}\n", finding.what, visible(&finding.says));
            if let Some(fix) = &finding.fix {
                text += &format!("    {}\n", visible(fix));
            }
        }
        let broken = self.0.iter().filter(|finding| finding.health == Health::Broken).count();
        let missing = self.0.iter().filter(|finding| finding.health == Health::Missing).count();
        text += &match (broken, missing) {
            (0, 0) => "\nAll is well.\n".to_owned(),
            (0, 1) => "\nNothing is broken; one thing could be added.\n".to_owned(),
            (0, missing) => format!("\nNothing is broken; {missing} things could be added.\n"),
            (1, _) => "\nOne thing needs fixing.\n".to_owned(),
            (broken, _) => format!("\n{broken} things need fixing.\n"),
        };
        let report = Report::new(text, &self.0);
        if broken > 0 { report.unhealthy() } else { report }
    }
}

pub(super) async fn run(context: &Context, deep: bool) -> Result<Report> {
    let mut seen = Examination::default();
    seen.ok("local-fitness", env!("CARGO_PKG_VERSION"));
    installation::settings(&mut seen, &context.settings);
    let location = match context.settings.location() {
        Ok(location) => location,
        Err(error) => {
            let fix = error.downcast_ref().map_or_else(|| "correct it".to_owned(), advice);
            seen.broken("database", error.to_string(), fix);
            return Ok(seen.report());
        }
    };
    let store = match context.open(Missing::Refuse).await {
        Ok(store) => store,
        Err(error) => {
            match error.downcast_ref::<Error>() {
                Some(why @ Error::NoDatabase(_)) => seen.missing("database", why.to_string(), advice(why)),
                Some(why) => seen.broken("database", why.to_string(), advice(why)),
                None => return Err(error),
            }
            return Ok(seen.report());
        }
    };
    installation::database(&mut seen, &store, &location).await?;
    if deep {
        tampering::schema(&mut seen, &store).await?;
    }
    installation::backups(&mut seen, &store).await?;
    installation::uploads(&mut seen, &store).await?;
    installation::sealing_key(&mut seen, &store).await?;
    installation::server(&mut seen, &context.settings).await;
    let users = store.list_users().await?;
    if users.is_empty() {
        seen.missing("users", "nobody yet", "add yourself with `fitness user add NAME`");
    }
    let only = match &context.user {
        Some(_) => Some(context.pick(&store, None).await?.id),
        None => None,
    };
    for user in users.iter().filter(|user| only.is_none_or(|id| id == user.id)) {
        athlete::examine(&mut seen, &store, user).await?;
        if deep {
            tampering::plans(&mut seen, &store, user).await?;
        }
    }
    store.close().await;
    Ok(seen.report())
}
