//! `/sources`: where data comes from, what came, and what went wrong with it.

use crate::components::form::{FormState, InputOptions};
use crate::components::time;
use crate::http::error::{PageError, to_sentence};
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

/// So many runs are listed.
const MAX_RUNS: u64 = 30;
/// No key is longer.
const MAX_KEY_BYTES: usize = 16 * 1024;

/// Each service that can be connected: its word, its name, where its key is made, and what to know.
const SERVICES: &[(&str, &str, &str, &str)] = &[
    (
        "intervals",
        "intervals.icu",
        "https://intervals.icu/settings",
        "Recommended: syncs every morning, and hands workouts on to your watch. Make a key under Developer Settings.",
    ),
    (
        "garmin",
        "Garmin Connect",
        "https://connect.garmin.com/app/settings/personalApiToken",
        "With a personal key. Experimental: nobody has confirmed yet what Garmin answers. Not affiliated with Garmin.",
    ),
];

/// `GET /sources`
pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let body = body(&view, &FormFields::default(), &FieldErrors::default()).await?;
    Ok(page(&view, Tab::Data, &body))
}

/// `POST /sources`: connects a service.
pub(crate) async fn create(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    if let Some(new) = parse_source(&fields, &mut faults) {
        match view.app.services.add_source(view.user(), new).await {
            Ok(_) => return Ok(see_other("/sources?done=saved")),
            Err(why) => faults.add("key", to_sentence(&why)),
        }
    }
    let body = body(&view, &fields, &faults).await?;
    Ok(invalid_form_page(&view, Tab::Data, &body))
}

/// A service as a form says it; `None` when something is wrong with it.
pub(crate) fn parse_source(fields: &FormFields, faults: &mut FieldErrors) -> Option<NewSource> {
    let service = fields.get("service").unwrap_or_default();
    if !SERVICES.iter().any(|(word, ..)| *word == service) {
        faults.add("service", "Choose one of the list.");
    }
    let key = parse_key(fields, "key", faults);
    let expires = parse_expiry(fields, faults);
    let athlete = fields.get_trimmed("athlete").map(str::to_owned);
    if athlete.as_ref().is_some_and(|id| id.len() > 40 || !id.chars().all(|c| c.is_ascii_alphanumeric())) {
        faults.add("athlete", "An athlete's id looks like i12345; leave it empty for your own.");
    }
    let key = key.filter(|_| !faults.has_any())?;
    Some(NewSource { service: service.to_owned(), key, expires, athlete })
}

/// `POST /sources/{id}/key`
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
            Ok(()) => return Ok(see_other("/sources?done=saved")),
            Err(why) => faults.add("new_key", to_sentence(&why)),
        }
    }
    let body = body(&view, &fields, &faults).await?;
    Ok(invalid_form_page(&view, Tab::Data, &body))
}

/// `POST /sources/{id}/remove`: what it brought stays.
pub(crate) async fn remove(
    view: PageContext,
    PathId(source): PathId<SourceId>,
) -> Result<Response, PageError> {
    view.store().remove_source(view.user(), source, view.now).await?;
    Ok(see_other("/sources?done=deleted"))
}

/// `POST /sync`: asks every service, while the athlete goes on.
pub(crate) async fn start_sync(view: PageContext, headers: HeaderMap) -> Result<Response, PageError> {
    spawn_sync(&view);
    Ok(see_other(&return_url(&view, &headers)))
}

/// Asks every service of an athlete in the background, unless that is being done.
pub(crate) fn spawn_sync(view: &PageContext) {
    let (user, app) = (view.user(), view.app.clone());
    if !app.state.begin_sync(user) {
        return;
    }
    tokio::spawn(async move {
        // What went wrong is in the list of runs, where the athlete sees it.
        if let Err(why) = app.services.sync(user).await {
            tracing::warn!(%user, %why, "a sync did not work");
        }
        app.state.end_sync(user);
    });
}

/// The page the athlete came from, with a word that it was done.
fn return_url(view: &PageContext, headers: &HeaderMap) -> String {
    let came = headers.get(header::REFERER).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let path = came.strip_prefix(view.app.base_url.as_ref()).unwrap_or_default();
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let path = if path.is_empty() { "/sources" } else { local_path(path) };
    format!("{path}?done=synced")
}

fn parse_key(fields: &FormFields, name: &'static str, faults: &mut FieldErrors) -> Option<SecretString> {
    match fields.get_trimmed(name) {
        None => faults.add(name, "Paste the key here."),
        Some(key) if key.len() > MAX_KEY_BYTES => {
            faults.add(name, "That is far too long for a key; copy the key alone.")
        }
        Some(key) => return Some(key.to_owned().into()),
    }
    None
}

fn parse_expiry(fields: &FormFields, faults: &mut FieldErrors) -> Option<Day> {
    let day = fields.get_trimmed("expires").map(str::parse::<Day>)?;
    if day.is_err() {
        faults.add("expires", "Write a day such as 2026-12-31, or leave it empty.");
    }
    day.ok()
}

async fn body(view: &PageContext, fields: &FormFields, faults: &FieldErrors) -> Result<Markup, PageError> {
    let sources = view.store().list_sources(view.user()).await?;
    let runs = view.store().list_sync_runs(view.user(), MAX_RUNS).await?;
    let filling = FormState { fields, errors: faults };
    let free: Vec<_> =
        SERVICES.iter().filter(|(word, ..)| !sources.iter().any(|source| source.kind == *word)).collect();
    Ok(html! {
        (filling.error_summary())
        section.card {
            h2 { "Services" }
            @if sources.is_empty() { p.soft { "No service is connected. Files need none." } }
            ul.plain { @for source in &sources { (source_row(view, source, &runs, &filling)) } }
            @if !sources.is_empty() { (view.post_button("/sync", "Sync now", "primary")) }
            @if !free.is_empty() {
                details open[sources.is_empty() || faults.get("key").is_some()] {
                    summary { "Connect a service" }
                    form method="post" action="/sources" {
                        (view.token_field())
                        (service_fields(&filling, &free))
                        p.actions { button type="submit" { "Connect" } }
                    }
                }
            }
        }
        (import::form(view, "").await?)
        section.card {
            h2 { "What came in" }
            @if runs.is_empty() { p.soft { "Nothing yet." } }
            @else {
                (run_history(view, &runs, &sources))
                p.actions { a.btn href="/found" { "What your data holds" } }
            }
        }
    })
}

/// The fields that connect a service.
pub(crate) fn service_fields(
    filling: &FormState<'_>,
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
            (filling.input("key", "Key", InputOptions { input_type: "password", hint: "Kept sealed, and never shown again.", ..InputOptions::default() }))
            (filling.input("expires", "The key ends on", InputOptions { input_type: "date", hint: "May stay empty. You are warned a week before.", ..InputOptions::default() }))
            (filling.input("athlete", "Athlete's id at intervals.icu", InputOptions { hint: "Your own when empty.", placeholder: "i12345", ..InputOptions::default() }))
        }
    }
}

/// Every service there is.
pub(crate) fn all_services() -> Vec<&'static (&'static str, &'static str, &'static str, &'static str)> {
    SERVICES.iter().collect()
}

fn source_row(view: &PageContext, source: &Source, runs: &[SyncRun], filling: &FormState<'_>) -> Markup {
    let last = runs.iter().find(|run| run.source == Some(source.id));
    html! {
        li {
            div.row {
                div {
                    p.text { strong { (escape_invisible(&source.label)) } " " @if let Some(run) = last { (state_chip(run.state)) } }
                    p.meta {
                        @if let Some(run) = last { span { "last asked " (time::clock_or_date(run.started_at, view.profile.zone, view.today)) } } @else { span { "not asked yet" } }
                        @match (source.key_expiry_warning(view.today), source.key_expires_on) {
                            (Some(ends), _) => span.warn { @if ends < view.today { "key ended on " } @else { "key ends on " } (time::element(ends, view.today)) ": give it a new one" },
                            (None, Some(ends)) => span { "key until " (time::element(ends, view.today)) },
                            (None, None) => {}
                        }
                    }
                }
                span.push {}
                (view.post_button(&format!("/sources/{}/remove", source.id), "Disconnect", "small"))
            }
            details open[filling.errors.get("new_key").is_some()] {
                summary { "New key" }
                form method="post" action={ "/sources/" (source.id) "/key" } {
                    (view.token_field())
                    (filling.input("new_key", "Key", InputOptions { input_type: "password", is_required: true, ..InputOptions::default() }))
                    p.actions { button type="submit" { "Keep it" } }
                }
            }
        }
    }
}

fn run_history(view: &PageContext, runs: &[SyncRun], sources: &[Source]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="What came in, which may be wider than the screen" { table {
            thead { tr { th scope="col" { "When" } th scope="col" { "What" } th scope="col" { "How it went" } th scope="col" { "What it brought" } } }
            tbody {
                @for run in runs {
                    tr {
                        th scope="row" { (time::clock_or_date(run.started_at, view.profile.zone, view.today)) }
                        td { (run_label(run, sources)) }
                        td { (state_chip(run.state)) }
                        td { (run_summary(run)) @if let Some(problem) = &run.problem { p.warn { (to_sentence(&escape_invisible(problem))) } } }
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
        (SyncRunKind::Declared, _) => "You said a day is complete".to_owned(),
        (SyncRunKind::Live, Some(source)) => escape_invisible(&source.label).to_string(),
        (SyncRunKind::Live, None) => "A service that was disconnected since".to_owned(),
    }
}

/// How a run went: an icon and a word.
fn state_chip(state: SyncRunState) -> Markup {
    let (class, icon, word) = match state {
        SyncRunState::Running => ("pending", "◌", "Under way"),
        SyncRunState::Done => ("good", "✓", "Done"),
        SyncRunState::Partial => ("fair", "◐", "In part"),
        SyncRunState::Failed => ("bad", "✕", "Did not work"),
    };
    html! { span class={ "chip " (class) } { i aria-hidden="true" { (icon) } " " (word) } }
}

/// What a run brought, as far as it noted that.
fn run_summary(run: &SyncRun) -> String {
    let number = |name: &str| run.summary.get(name).and_then(serde_json::Value::as_u64).unwrap_or_default();
    let mut parts = Vec::new();
    let mut tell = |count: u64, one: &str, many: &str| {
        if count > 0 {
            parts.push(pluralize(count, one, many));
        }
    };
    tell(number("added"), "new activity", "new activities");
    tell(
        number("joined") + number("changed"),
        "activity with more about it",
        "activities with more about them",
    );
    tell(number("days"), "day of wellness", "days of wellness");
    tell(number("skipped_count"), "thing left out", "things left out");
    match (parts.is_empty(), run.state) {
        (false, _) => join_with_and(&parts),
        (true, SyncRunState::Done) if run.kind != SyncRunKind::Declared => "nothing new".to_owned(),
        (true, _) => String::new(),
    }
}
