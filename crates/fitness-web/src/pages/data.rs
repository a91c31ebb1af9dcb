//! `/sources`: where data comes from, what came, and what went wrong with it.

use crate::components::form::{Filling, Line};
use crate::components::time;
use crate::http::error::{Problem, sentence};
use crate::http::extract::Numbered;
use crate::http::form::{Faults, Fields};
use crate::http::response::see_other;
use crate::page::View;
use crate::pages::import;
use crate::pages::settings::{Tab, again, page};
use crate::pages::sign_in::own_path;
use crate::services::{NewKey, NewSource};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::SourceId;
use fitness_core::domain::untrusted_text::{counted, listed, visible};
use fitness_store::{RunKind, RunState, Source, SyncRun};
use maud::{Markup, html};
use secrecy::SecretString;

/// So many runs are listed.
const RUNS: u64 = 30;
/// No key is longer.
const MAX_KEY: usize = 16 * 1024;

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
pub(crate) async fn show(view: View) -> Result<Response, Problem> {
    let body = body(&view, &Fields::default(), &Faults::default()).await?;
    Ok(page(&view, Tab::Data, &body))
}

/// `POST /sources`: connects a service.
pub(crate) async fn add(view: View, fields: Fields) -> Result<Response, Problem> {
    let mut faults = Faults::default();
    if let Some(new) = read(&fields, &mut faults) {
        match view.app.outside.add_source(view.user(), new).await {
            Ok(_) => return Ok(see_other("/sources?done=saved")),
            Err(why) => faults.add("key", sentence(&why)),
        }
    }
    let body = body(&view, &fields, &faults).await?;
    Ok(again(&view, Tab::Data, &body))
}

/// A service as a form says it; `None` when something is wrong with it.
pub(crate) fn read(fields: &Fields, faults: &mut Faults) -> Option<NewSource> {
    let service = fields.one("service").unwrap_or_default();
    if !SERVICES.iter().any(|(word, ..)| *word == service) {
        faults.add("service", "Choose one of the list.");
    }
    let key = read_key(fields, "key", faults);
    let expires = read_day(fields, faults);
    let athlete = fields.text("athlete").map(str::to_owned);
    if athlete.as_ref().is_some_and(|id| id.len() > 40 || !id.chars().all(|c| c.is_ascii_alphanumeric())) {
        faults.add("athlete", "An athlete's id looks like i12345; leave it empty for your own.");
    }
    let key = key.filter(|_| !faults.any())?;
    Some(NewSource { service: service.to_owned(), key, expires, athlete })
}

/// `POST /sources/{id}/key`
pub(crate) async fn renew(
    view: View,
    Numbered(source): Numbered<SourceId>,
    fields: Fields,
) -> Result<Response, Problem> {
    let sources = view.store().list_sources(view.user()).await?;
    if !sources.iter().any(|known| known.id == source) {
        return Err(Problem::not_found());
    }
    let mut faults = Faults::default();
    let key = read_key(&fields, "new_key", &mut faults);
    let expires = read_day(&fields, &mut faults);
    if let Some(key) = key.filter(|_| !faults.any()) {
        match view.app.outside.renew_key(view.user(), NewKey { source, key, expires }).await {
            Ok(()) => return Ok(see_other("/sources?done=saved")),
            Err(why) => faults.add("new_key", sentence(&why)),
        }
    }
    let body = body(&view, &fields, &faults).await?;
    Ok(again(&view, Tab::Data, &body))
}

/// `POST /sources/{id}/remove`: what it brought stays.
pub(crate) async fn remove(view: View, Numbered(source): Numbered<SourceId>) -> Result<Response, Problem> {
    view.store().remove_source(view.user(), source, view.now).await?;
    Ok(see_other("/sources?done=deleted"))
}

/// `POST /sync`: asks every service, while the athlete goes on.
pub(crate) async fn sync(view: View, headers: HeaderMap) -> Result<Response, Problem> {
    begin_sync(&view);
    Ok(see_other(&back(&view, &headers)))
}

/// Asks every service of an athlete in the background, unless that is being done.
pub(crate) fn begin_sync(view: &View) {
    let (user, app) = (view.user(), view.app.clone());
    if !app.running.begin_sync(user) {
        return;
    }
    tokio::spawn(async move {
        // What went wrong is in the list of runs, where the athlete sees it.
        if let Err(why) = app.outside.sync(user).await {
            tracing::warn!(%user, %why, "a sync did not work");
        }
        app.running.end_sync(user);
    });
}

/// The page the athlete came from, with a word that it was done.
fn back(view: &View, headers: &HeaderMap) -> String {
    let came = headers.get(header::REFERER).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let path = came.strip_prefix(view.app.site.as_ref()).unwrap_or_default();
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let path = if path.is_empty() { "/sources" } else { own_path(path) };
    format!("{path}?done=synced")
}

fn read_key(fields: &Fields, name: &'static str, faults: &mut Faults) -> Option<SecretString> {
    match fields.text(name) {
        None => faults.add(name, "Paste the key here."),
        Some(key) if key.len() > MAX_KEY => {
            faults.add(name, "That is far too long for a key; copy the key alone.")
        }
        Some(key) => return Some(key.to_owned().into()),
    }
    None
}

fn read_day(fields: &Fields, faults: &mut Faults) -> Option<Day> {
    let day = fields.text("expires").map(str::parse::<Day>)?;
    if day.is_err() {
        faults.add("expires", "Write a day such as 2026-12-31, or leave it empty.");
    }
    day.ok()
}

async fn body(view: &View, fields: &Fields, faults: &Faults) -> Result<Markup, Problem> {
    let sources = view.store().list_sources(view.user()).await?;
    let runs = view.store().list_runs(view.user(), RUNS).await?;
    let filling = Filling { fields, faults };
    let free: Vec<_> =
        SERVICES.iter().filter(|(word, ..)| !sources.iter().any(|source| source.kind == *word)).collect();
    Ok(html! {
        (filling.summary())
        section.card {
            h2 { "Services" }
            @if sources.is_empty() { p.soft { "No service is connected. Files need none." } }
            ul.plain { @for source in &sources { (connected(view, source, &runs, &filling)) } }
            @if !sources.is_empty() { (view.button("/sync", "Sync now", "primary")) }
            @if !free.is_empty() {
                details open[sources.is_empty() || faults.of("key").is_some()] {
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
                (history(view, &runs, &sources))
                p.actions { a.btn href="/found" { "What your data holds" } }
            }
        }
    })
}

/// The fields that connect a service.
pub(crate) fn service_fields(
    filling: &Filling<'_>,
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
            (filling.choice("service", "Service", "", &choices))
            (filling.line("key", "Key", Line { kind: "password", hint: "Kept sealed, and never shown again.", ..Line::default() }))
            (filling.line("expires", "The key ends on", Line { kind: "date", hint: "May stay empty. You are warned a week before.", ..Line::default() }))
            (filling.line("athlete", "Athlete's id at intervals.icu", Line { hint: "Your own when empty.", example: "i12345", ..Line::default() }))
        }
    }
}

/// Every service there is.
pub(crate) fn all_services() -> Vec<&'static (&'static str, &'static str, &'static str, &'static str)> {
    SERVICES.iter().collect()
}

fn connected(view: &View, source: &Source, runs: &[SyncRun], filling: &Filling<'_>) -> Markup {
    let last = runs.iter().find(|run| run.source == Some(source.id));
    html! {
        li {
            div.row {
                div {
                    p.text { strong { (visible(&source.label)) } " " @if let Some(run) = last { (state(run.state)) } }
                    p.meta {
                        @if let Some(run) = last { span { "last asked " (time::moment(run.started_at, view.profile.zone, view.today)) } } @else { span { "not asked yet" } }
                        @match (source.key_ending(view.today), source.key_expires_on) {
                            (Some(ends), _) => span.warn { @if ends < view.today { "key ended on " } @else { "key ends on " } (time::element(ends, view.today)) ": give it a new one" },
                            (None, Some(ends)) => span { "key until " (time::element(ends, view.today)) },
                            (None, None) => {}
                        }
                    }
                }
                span.push {}
                (view.button(&format!("/sources/{}/remove", source.id), "Disconnect", "small"))
            }
            details open[filling.faults.of("new_key").is_some()] {
                summary { "New key" }
                form method="post" action={ "/sources/" (source.id) "/key" } {
                    (view.token_field())
                    (filling.line("new_key", "Key", Line { kind: "password", required: true, ..Line::default() }))
                    p.actions { button type="submit" { "Keep it" } }
                }
            }
        }
    }
}

fn history(view: &View, runs: &[SyncRun], sources: &[Source]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="What came in, which may be wider than the screen" { table {
            thead { tr { th scope="col" { "When" } th scope="col" { "What" } th scope="col" { "How it went" } th scope="col" { "What it brought" } } }
            tbody {
                @for run in runs {
                    tr {
                        th scope="row" { (time::moment(run.started_at, view.profile.zone, view.today)) }
                        td { (what(run, sources)) }
                        td { (state(run.state)) }
                        td { (brought(run)) @if let Some(problem) = &run.problem { p.warn { (sentence(&visible(problem))) } } }
                    }
                }
            }
        } }
    }
}

fn what(run: &SyncRun, sources: &[Source]) -> String {
    let label = run.source.and_then(|id| sources.iter().find(|source| source.id == id));
    match (run.kind, label) {
        (RunKind::File, _) => "Files".to_owned(),
        (RunKind::Export, _) => "Account export".to_owned(),
        (RunKind::Declared, _) => "You said a day is complete".to_owned(),
        (RunKind::Live, Some(source)) => visible(&source.label).to_string(),
        (RunKind::Live, None) => "A service that was disconnected since".to_owned(),
    }
}

/// How a run went: an icon and a word.
fn state(state: RunState) -> Markup {
    let (class, icon, word) = match state {
        RunState::Running => ("pending", "◌", "Under way"),
        RunState::Done => ("good", "✓", "Done"),
        RunState::Partial => ("fair", "◐", "In part"),
        RunState::Failed => ("bad", "✕", "Did not work"),
    };
    html! { span class={ "chip " (class) } { i aria-hidden="true" { (icon) } " " (word) } }
}

/// What a run brought, as far as it noted that.
fn brought(run: &SyncRun) -> String {
    let number = |name: &str| run.summary.get(name).and_then(serde_json::Value::as_u64).unwrap_or_default();
    let mut parts = Vec::new();
    let mut tell = |count: u64, one: &str, many: &str| {
        if count > 0 {
            parts.push(counted(count, one, many));
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
        (false, _) => listed(&parts),
        (true, RunState::Done) if run.kind != RunKind::Declared => "nothing new".to_owned(),
        (true, _) => String::new(),
    }
}
