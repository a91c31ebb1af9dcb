//! `/data`: connected services, file import, import history.

use crate::components::form::{InputOptions, SubmittedForm};
use crate::components::{core_message, time};
use crate::http::error::PageError;
use crate::http::extract::PathId;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::see_other;
use crate::page::PageContext;
use crate::pages::import;
use crate::pages::settings::{Tab, invalid_form_page, page};
use crate::pages::sign_in::local_path;
use crate::services::{NewKey, NewSource};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::SourceId;
use fitness_core::domain::untrusted_text::{escape_invisible, join_with_and, pluralize};
use fitness_store::{Source, SyncRun, SyncRunKind, SyncRunState};
use maud::{Markup, html};
use secrecy::SecretString;

/// Rows of the import history.
const MAX_RUNS: u64 = 30;
const MAX_KEY_BYTES: usize = 16 * 1024;

/// Services: stored word, name, page where the key is created, description.
const SERVICES: &[(&str, &str, &str, &str)] = &[
    (
        "intervals",
        "intervals.icu",
        "https://intervals.icu/settings",
        "Recommended: syncs every morning and passes workouts on to your watch. Create a key under Developer Settings.",
    ),
    (
        "garmin",
        "Garmin Connect",
        "https://connect.garmin.com/app/settings/personalApiToken",
        "Needs a personal API key. Experimental: not yet confirmed to work. Not affiliated with Garmin.",
    ),
];

pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let body = body(&view, &FormFields::default(), &FieldErrors::default()).await?;
    Ok(page(&view, Tab::Data, &body))
}

/// `POST /data`: connects a service.
pub(crate) async fn create(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    if let Some(new) = parse_source(&fields, &mut faults) {
        match view.app.services.add_source(view.user(), new).await {
            Ok(_) => return Ok(see_other("/data?done=saved")),
            Err(why) => faults.add("key", core_message::sentence(&why)),
        }
    }
    let body = body(&view, &fields, &faults).await?;
    Ok(invalid_form_page(&view, Tab::Data, &body))
}

/// The service in a form; `None` when a field is invalid.
pub(crate) fn parse_source(fields: &FormFields, faults: &mut FieldErrors) -> Option<NewSource> {
    let service = fields.get("service").unwrap_or_default();
    if !SERVICES.iter().any(|(word, ..)| *word == service) {
        faults.add("service", "Choose a service from the list.");
    }
    let key = parse_key(fields, "key", faults);
    let expires = parse_expiry(fields, faults);
    let athlete = fields.get_trimmed("athlete").map(str::to_owned);
    if athlete.as_ref().is_some_and(|id| id.len() > 40 || !id.chars().all(|c| c.is_ascii_alphanumeric())) {
        faults.add("athlete", "An athlete ID looks like i12345. Leave it empty for your own account.");
    }
    let key = key.filter(|_| !faults.has_any())?;
    Some(NewSource { service: service.to_owned(), key, expires, athlete })
}

pub(crate) async fn replace_key(
    view: PageContext,
    PathId(source): PathId<SourceId>,
    fields: FormFields,
) -> Result<Response, PageError> {
    let sources = view.store().list_sources(view.user()).await?;
    if !sources.iter().any(|known| known.id == source) {
        return Err(PageError::not_found());
    }
    let mut faults = FieldErrors::default();
    let key = parse_key(&fields, "new_key", &mut faults);
    let expires = parse_expiry(&fields, &mut faults);
    if let Some(key) = key.filter(|_| !faults.has_any()) {
        match view.app.services.replace_key(view.user(), NewKey { source, key, expires }).await {
            Ok(()) => return Ok(see_other("/data?done=saved")),
            Err(why) => faults.add("new_key", core_message::sentence(&why)),
        }
    }
    let body = body(&view, &fields, &faults).await?;
    Ok(invalid_form_page(&view, Tab::Data, &body))
}

/// `POST /data/{id}/remove`: disconnects a service. Its data is kept.
pub(crate) async fn remove(
    view: PageContext,
    PathId(source): PathId<SourceId>,
) -> Result<Response, PageError> {
    view.store().remove_source(view.user(), source, view.now).await?;
    Ok(see_other("/data?done=deleted"))
}

/// `POST /sync`: starts a sync in the background.
pub(crate) async fn start_sync(view: PageContext, headers: HeaderMap) -> Result<Response, PageError> {
    spawn_sync(&view);
    Ok(see_other(&return_url(&view, &headers)))
}

/// Syncs all services of the user in the background, unless a sync is running.
pub(crate) fn spawn_sync(view: &PageContext) {
    let (user, app) = (view.user(), view.app.clone());
    if !app.state.begin_sync(user) {
        return;
    }
    tokio::spawn(async move {
        // The user sees the error in the import history.
        if let Err(why) = app.services.sync(user).await {
            tracing::warn!(%user, %why, "sync failed");
        }
        app.state.end_sync(user);
    });
}

/// The page the request came from, with a flash message.
fn return_url(view: &PageContext, headers: &HeaderMap) -> String {
    let came = headers.get(header::REFERER).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let path = came.strip_prefix(view.app.base_url.as_ref()).unwrap_or_default();
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let path = if path.is_empty() { "/data" } else { local_path(path) };
    format!("{path}?done=synced")
}

fn parse_key(fields: &FormFields, name: &'static str, faults: &mut FieldErrors) -> Option<SecretString> {
    match fields.get_trimmed(name) {
        None => faults.add(name, "Paste the key here."),
        Some(key) if key.len() > MAX_KEY_BYTES => {
            faults.add(name, "That key is too long. Paste only the key.")
        }
        Some(key) => return Some(key.to_owned().into()),
    }
    None
}

fn parse_expiry(fields: &FormFields, faults: &mut FieldErrors) -> Option<Day> {
    let day = fields.get_trimmed("expires").map(str::parse::<Day>)?;
    if day.is_err() {
        faults.add("expires", "Pick a date, or leave it empty.");
    }
    day.ok()
}

async fn body(view: &PageContext, fields: &FormFields, faults: &FieldErrors) -> Result<Markup, PageError> {
    let sources = view.store().list_sources(view.user()).await?;
    let runs = view.store().list_sync_runs(view.user(), MAX_RUNS).await?;
    let filling = SubmittedForm { fields, errors: faults };
    let free: Vec<_> =
        SERVICES.iter().filter(|(word, ..)| !sources.iter().any(|source| source.kind == *word)).collect();
    Ok(html! {
        (filling.error_summary())
        section.card {
            h2 { "Services" }
            @if sources.is_empty() { p.soft { "No service connected." } }
            ul.plain { @for source in &sources { (source_row(view, source, &runs, &filling)) } }
            @if !sources.is_empty() { (view.post_button("/sync", "Sync now", "primary")) }
            @if !free.is_empty() {
                details open[sources.is_empty() || faults.get("key").is_some()] {
                    summary { "Connect a service" }
                    form method="post" action="/data" {
                        (view.token_field())
                        (service_fields(&filling, &free))
                        p.actions { button type="submit" { "Connect" } }
                    }
                }
            }
        }
        (import::form(view, "").await?)
        section.card {
            h2 { "Import history" }
            @if runs.is_empty() { p.soft { "No imports yet." } }
            @else {
                (run_history(view, &runs, &sources))
                p.actions { a.btn href="/overview" { "Overview of your data" } }
            }
        }
    })
}

pub(crate) fn service_fields(
    filling: &SubmittedForm<'_>,
    services: &[&(&'static str, &'static str, &'static str, &'static str)],
) -> Markup {
    let choices: Vec<(&str, &str)> = services.iter().map(|(word, name, ..)| (*word, *name)).collect();
    html! {
        dl.facts {
            @for (_, name, address, words) in services {
                dt { a href=(address) rel="noreferrer" { (name) } } dd { (words) }
            }
        }
        div.fields {
            (filling.select("service", "Service", "", &choices))
            (filling.input("key", "API key", InputOptions { input_type: "password", hint: "Stored encrypted and never shown again.", ..InputOptions::default() }))
            (filling.input("expires", "Key expires on", InputOptions { input_type: "date", hint: "Optional. We'll remind you a week before it expires.", ..InputOptions::default() }))
            (filling.input("athlete", "Athlete ID at intervals.icu", InputOptions { hint: "Leave empty for your own account.", placeholder: "i12345", ..InputOptions::default() }))
        }
    }
}

pub(crate) fn all_services() -> Vec<&'static (&'static str, &'static str, &'static str, &'static str)> {
    SERVICES.iter().collect()
}

fn source_row(view: &PageContext, source: &Source, runs: &[SyncRun], filling: &SubmittedForm<'_>) -> Markup {
    let last = runs.iter().find(|run| run.source == Some(source.id));
    html! {
        li {
            div.row {
                div {
                    p.text { strong { (escape_invisible(&source.label)) } " " @if let Some(run) = last { (state_chip(run.state)) } }
                    p.meta {
                        @if let Some(run) = last { span { "last sync " (time::clock_or_date(run.started_at, view.profile.zone, view.today)) } } @else { span { "not synced yet" } }
                        @match (source.key_expiry_warning(view.today), source.key_expires_on) {
                            (Some(ends), _) => span.warn { @if ends < view.today { "key expired on " } @else { "key expires on " } (time::element(ends, view.today)) ": add a new one" },
                            (None, Some(ends)) => span { "key valid until " (time::element(ends, view.today)) },
                            (None, None) => {}
                        }
                    }
                }
                span.push {}
                (view.post_button(&format!("/data/{}/remove", source.id), "Disconnect", "small"))
            }
            details open[filling.errors.get("new_key").is_some()] {
                summary { "Replace key" }
                form method="post" action={ "/data/" (source.id) "/key" } {
                    (view.token_field())
                    (filling.input("new_key", "New API key", InputOptions { input_type: "password", is_required: true, ..InputOptions::default() }))
                    p.actions { button type="submit" { "Save key" } }
                }
            }
        }
    }
}

fn run_history(view: &PageContext, runs: &[SyncRun], sources: &[Source]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Import history, scrollable" { table {
            thead { tr { th scope="col" { "Time" } th scope="col" { "Source" } th scope="col" { "Result" } th scope="col" { "Added" } } }
            tbody {
                @for run in runs {
                    tr {
                        th scope="row" { (time::clock_or_date(run.started_at, view.profile.zone, view.today)) }
                        td { (run_label(run, sources)) }
                        td { (state_chip(run.state)) @if let Some(skipped) = skipped_items(run) { p.small.soft { (skipped) } } }
                        td { (run_summary(run)) @if let Some(problem) = &run.problem { p.warn { (core_message::sentence(&escape_invisible(problem))) } } }
                    }
                }
            }
        } }
    }
}

fn run_label(run: &SyncRun, sources: &[Source]) -> String {
    let label = run.source.and_then(|id| sources.iter().find(|source| source.id == id));
    match (run.kind, label) {
        (SyncRunKind::File, _) => "Files".to_owned(),
        (SyncRunKind::Export, _) => "Account export".to_owned(),
        (SyncRunKind::Declared, _) => "Day marked as complete".to_owned(),
        (SyncRunKind::Live, Some(source)) => escape_invisible(&source.label).to_string(),
        (SyncRunKind::Live, None) => "Disconnected service".to_owned(),
    }
}

fn state_chip(state: SyncRunState) -> Markup {
    let (class, icon, word) = match state {
        SyncRunState::Running => ("pending", "◌", "Running"),
        SyncRunState::Done => ("good", "✓", "Done"),
        SyncRunState::Partial => ("fair", "◐", "Partial"),
        SyncRunState::Failed => ("bad", "✕", "Failed"),
    };
    html! { span class={ "chip " (class) } { i aria-hidden="true" { (icon) } " " (word) } }
}

fn summary_number(run: &SyncRun, name: &str) -> u64 {
    run.summary.get(name).and_then(serde_json::Value::as_u64).unwrap_or_default()
}

fn skipped_items(run: &SyncRun) -> Option<String> {
    let count = summary_number(run, "skipped_count");
    (count > 0).then(|| pluralize(count, "item skipped", "items skipped"))
}

/// What a run added, from its stored counts.
fn run_summary(run: &SyncRun) -> String {
    let number = |name: &str| summary_number(run, name);
    let mut parts = Vec::new();
    let mut add = |count: u64, one: &str, many: &str| {
        if count > 0 {
            parts.push(pluralize(count, one, many));
        }
    };
    add(number("added"), "new activity", "new activities");
    add(number("joined") + number("changed"), "updated activity", "updated activities");
    add(number("days"), "day of wellness data", "days of wellness data");
    match (parts.is_empty(), run.state) {
        (false, _) => join_with_and(&parts),
        (true, SyncRunState::Done) if run.kind != SyncRunKind::Declared => "nothing new".to_owned(),
        (true, _) => String::new(),
    }
}
