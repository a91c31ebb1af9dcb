//! `fitness doctor`: what is there, what is missing, how to fix it.

use super::source::warning;
use crate::clock;
use crate::context::Context;
use crate::failure::advice;
use crate::report::Report;
use anyhow::Result;
use fitness_core::calendar::Day;
use fitness_core::text::visible;
use fitness_store::{Error, Location, Missing, Store, User};
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

pub(super) async fn run(context: &Context) -> Result<Report> {
    let mut seen = Examination::default();
    seen.ok("local-fitness", env!("CARGO_PKG_VERSION"));
    let location = match Location::from_env() {
        Ok(location) => location,
        Err(error) => {
            seen.broken("database", error.to_string(), advice(&error));
            return Ok(seen.report());
        }
    };
    let store = match Store::open(location.clone(), Missing::Refuse).await {
        Ok(store) => store,
        Err(error @ Error::NoDatabase(_)) => {
            seen.missing("database", error.to_string(), advice(&error));
            return Ok(seen.report());
        }
        Err(error) => {
            seen.broken("database", error.to_string(), advice(&error));
            return Ok(seen.report());
        }
    };
    examine_database(&mut seen, &store, &location).await?;
    let users = store.list_users().await?;
    if users.is_empty() {
        seen.missing("users", "nobody yet", "add yourself with `fitness user add NAME`");
    }
    let only = match &context.user {
        Some(_) => Some(context.pick(&store, None).await?.id),
        None => None,
    };
    for user in users.iter().filter(|user| only.is_none_or(|id| id == user.id)) {
        examine_user(&mut seen, &store, user).await?;
    }
    store.close().await;
    Ok(seen.report())
}

async fn examine_database(seen: &mut Examination, store: &Store, location: &Location) -> Result<()> {
    let (engine, version) = store.engine().await?;
    seen.ok("database", format!("{location} ({engine} {version})"));
    let migrations = store.migrations().await?;
    seen.ok("schema", migrations.last().map_or("none", String::as_str));
    if let Location::Sqlite { path, default } = location {
        examine_permissions(seen, path, *default);
    }
    Ok(())
}

#[cfg(unix)]
fn examine_permissions(seen: &mut Examination, path: &std::path::Path, default: bool) {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &std::path::Path| std::fs::metadata(path).map(|m| m.permissions().mode() & 0o777);
    let mut check = |path: &std::path::Path, wanted: u32| match mode(path) {
        Ok(mode) if mode & 0o077 == 0 => {
            seen.ok("permissions", format!("{} is yours alone ({mode:o})", path.display()))
        }
        Ok(mode) => {
            let fix = format!("chmod {wanted:o} '{}'", path.display());
            seen.broken(
                "permissions",
                format!("others on this machine can reach {} ({mode:o})", path.display()),
                fix,
            );
        }
        Err(error) => {
            seen.broken("permissions", format!("{}: {error}", path.display()), "check the file system")
        }
    };
    check(path, 0o600);
    // A directory of the athlete's own choosing is their business.
    if default && let Some(directory) = path.parent() {
        check(directory, 0o700);
    }
}

#[cfg(not(unix))]
fn examine_permissions(_: &mut Examination, _: &std::path::Path, _: bool) {}

async fn examine_user(seen: &mut Examination, store: &Store, user: &User) -> Result<()> {
    let name = visible(&user.name).to_string();
    let profile = store.profile(user.id).await?;
    seen.ok(&name, format!("days in {}, {} units", profile.zone, profile.units));
    if !user.has_password {
        let fix = format!("set one with `fitness user passwd {name}`");
        seen.missing(&name, "no password: whoever reaches this terminal can decide about plans", fix);
    }
    let frontier = store.frontier(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    match (frontier.complete(), frontier.open()) {
        (None, _) => seen.missing(
            &name,
            "no data yet, so no day is judged",
            "bring some in with `fitness import PATH`; until then every planned day waits",
        ),
        (Some(day), open) => {
            let open = open.map(|open| format!(", some of {open}")).unwrap_or_default();
            let behind = day.until(today);
            seen.ok(&name, format!("data through {day}{open}; today is {today}, {behind} days on"));
        }
    }
    for source in store.list_sources(user.id).await? {
        match warning(&source, today) {
            Some(warning) => seen.missing(&name, warning, "a sync with a key that has ended brings nothing"),
            None => seen.ok(&name, format!("{} is connected", source.label)),
        }
    }
    match store.find_active_plan(user.id).await? {
        Some(plan) => {
            seen.ok(&name, format!("active plan {}, {}, race on {}", plan.id, plan.name, plan.race_date))
        }
        None => seen.missing(&name, "no active plan", "`fitness plan list` shows your drafts"),
    }
    let head = store.audit_head(user.id).await?;
    let compare = "compare with a backup: something other than local-fitness wrote to the database";
    match store.first_broken_audit_line(user.id).await? {
        Some(line) => seen.broken(&name, format!("the audit log was altered at line {line}"), compare),
        // Adding the user was the first thing that was logged.
        None if head.seq == 0 => seen.broken(&name, "the audit log was emptied", compare),
        None => {
            let end = &head.hash[..head.hash.len().min(16)];
            seen.ok(&name, format!("audit log whole: {} lines, ends in {end}", head.seq));
        }
    }
    Ok(())
}
