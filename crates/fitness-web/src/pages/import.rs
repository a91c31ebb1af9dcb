//! `/import`: files from a browser, written to disk as they come and imported while the athlete goes on.

use crate::access::TOKEN_FIELD;
use crate::answer::see_other;
use crate::named::Numbered;
use crate::pages::found;
use crate::pages::settings::{Tab, page};
use crate::problem::Problem;
use crate::uploads::{Stage, Tracked};
use crate::view::View;
use axum::extract::Multipart;
use axum::extract::multipart::{Field, MultipartError};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use fitness_core::text::visible;
use fitness_ingest::{Import, Outcome, Stop};
use fitness_store::{Location, Store};
use maud::{Markup, html};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;

/// As many files at once.
const MAX_FILES: usize = 2000;
/// The longest value of a field that is no file.
const MAX_FIELD: usize = 1024;
/// How many lines about what was left out a person reads.
const SHOWN: usize = 50;

/// The card with the form. The word says where to go on afterwards.
pub(crate) fn form(view: &View, from: &str) -> Markup {
    html! {
        section.card {
            h2 { "Files" }
            @if let Some(id) = view.app.running.uploads.under_way(view.user()) {
                p { "An import is under way. " a href={ "/import/" (id) } { "See how far it is" } }
            } @else {
                p { "FIT, TCX and GPX files, plain or zipped, or a whole account export as it was downloaded. Importing something again adds nothing." }
                form method="post" action="/import" enctype="multipart/form-data" {
                    (view.token_field())
                    input type="hidden" name="from" value=(from);
                    div.field {
                        label for="files" { "Files or a ZIP, at most 2 GB" }
                        input id="files" name="files" type="file" multiple required accept=".zip,.fit,.tcx,.gpx,.gz";
                    }
                    p.actions { button.primary type="submit" { "Import" } }
                }
                details {
                    summary { "How do I get my account's export?" }
                    dl.facts {
                        dt { "Garmin" } dd { "Account Management Center, Data Management, Export Your Data. A link to a ZIP comes by mail, usually within a day. Upload the ZIP as it is." }
                        dt { "Strava" } dd { "Settings, My Account, Download or Delete Your Account, Request Your Archive. Upload the ZIP as it is." }
                        dt { "A watch" } dd { "Connected by cable it shows its files under GARMIN/Activity. Choose all of them." }
                    }
                }
                p.small.soft { "On the machine that runs this server, " code { "fitness import PATH" } " reads folders of any size, and " code { "fitness watch FOLDER" } " takes in what appears in one." }
            }
        }
    }
}

/// `POST /import`
pub(crate) async fn take(view: View, mut parts: Multipart) -> Result<Response, Problem> {
    let mut first = parts.next_field().await.map_err(unreadable)?.ok_or_else(no_token)?;
    let token = if first.name() == Some(TOKEN_FIELD) { small(&mut first).await? } else { String::new() };
    drop(first);
    if !view.seat.is_token(&token) {
        return Err(no_token());
    }
    let tracked = view.app.running.uploads.begin(view.user()).ok_or_else(|| {
        Problem::conflict("An import is under way; wait until it is over.")
            .go_on("/sources", "See how far it is")
    })?;
    let folder = folder(view.store()).map_err(|why| no_room(&why))?;
    let (mut paths, mut from) = (Vec::new(), String::new());
    while let Some(mut field) = parts.next_field().await.map_err(unreadable)? {
        match field.name() {
            Some("from") => from = small(&mut field).await?,
            Some("files") if field.file_name().is_some_and(|name| !name.is_empty()) => {
                if paths.len() == MAX_FILES {
                    return Err(too_much("So many files are better zipped; nothing was imported."));
                }
                paths.push(write(&mut field, folder.path(), paths.len()).await?);
            }
            _ => {}
        }
    }
    if paths.is_empty() {
        return Err(Problem::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "Choose at least one file; nothing was imported.",
        )
        .go_on("/sources", "Choose files"));
    }
    let id = tracked.id;
    tokio::spawn(work(view.app.store.clone(), view.app.clock, view.user(), (folder, paths), tracked));
    let suffix = if from == "welcome" { "?from=welcome" } else { "" };
    Ok(see_other(&format!("/import/{id}{suffix}")))
}

async fn work(
    store: Store,
    clock: fitness_ingest::Clock,
    user: fitness_core::ids::UserId,
    (folder, paths): (TempDir, Vec<PathBuf>),
    mut tracked: Tracked,
) {
    let wanted = Import { user, paths, again: false, count_first: true };
    let outcome = fitness_ingest::import(&store, wanted, clock, &mut tracked, &Stop::default()).await;
    match outcome {
        Ok(mut outcome) => {
            // Where it lay for a while is nobody's business.
            let here = format!("{}/", folder.path().display());
            for skip in &mut outcome.skipped {
                let name = skip.path.strip_prefix(&here).unwrap_or(&skip.path);
                skip.path = name.split_once('/').map_or(name, |(_, name)| name).to_owned();
            }
            tracked.done(outcome);
        }
        Err(why) => {
            tracing::error!(%user, %why, "an import did not work");
            drop(tracked);
        }
    }
}

/// `GET /import/{id}`: how far it is, and what came of it.
pub(crate) async fn show(view: View, Numbered(id): Numbered<u64>, uri: Uri) -> Result<Response, Problem> {
    let welcome = uri.query() == Some("from=welcome");
    let Some(stage) = view.app.running.uploads.find(view.user(), id) else {
        return Err(Problem::not_found().go_on("/sources", "See what came in"));
    };
    let next = html! {
        @if welcome { a.btn.primary href="/welcome?step=3" { "Go on: your coach" } }
        @else { a.btn href="/sources" { "Your data" } }
    };
    let body = match stage {
        Stage::Done(outcome) => html! {
            (told(&outcome))
            (found::body(&view).await?)
            div.actions { (next) a.btn href="/" { "Go to Today" } }
        },
        Stage::Failed => html! {
            section.card {
                h2 { "That did not work" }
                p { "What was read before is kept, and importing it again adds nothing twice. Try again; on the machine that runs this server " code { "fitness import PATH" } " says more." }
                div.actions { (next) }
            }
        },
        under_way => html! {
            section.card data-poll="" {
                h2 { "Importing" }
                (progress(&under_way))
                p.soft { "You can go on meanwhile; this page can be closed." }
                noscript { meta http-equiv="refresh" content="3"; }
                div.actions { (next) }
            }
        },
    };
    Ok(page(&view, Tab::Data, &body))
}

fn progress(stage: &Stage) -> Markup {
    html! {
        @match stage {
            Stage::Reading { total: Some(total), files, activities } => {
                progress max=(total) value=(files) aria-label="Files read" { (files) " of " (total) }
                p role="status" { (files) " of " (total) " files · " (activities) " activities" }
            }
            Stage::Reading { total: None, files, activities } => p role="status" { (files) " files · " (activities) " activities" },
            Stage::WorkingOut { activities } => p role="status" { "All files are in. Working out what they mean · " (activities) " activities" },
            Stage::Done(_) | Stage::Failed => {}
        }
    }
}

fn told(outcome: &Outcome) -> Markup {
    let more = outcome.skipped_count.saturating_sub(SHOWN as u64);
    html! {
        section.card {
            h2 { "Imported" }
            @for sentence in outcome.sentences() { p { (sentence) } }
            @if let Some(day) = outcome.coverage.complete() { p { "Your data is complete through " (day) "." } }
            @if outcome.skipped_count > 0 {
                details open[outcome.changed_nothing()] {
                    summary { "Left out: " (outcome.skipped_count) }
                    ul { @for skip in outcome.skipped.iter().take(SHOWN) { li { (visible(&skip.path)) ": " (visible(&skip.reason)) } } }
                    @if more > 0 { p.soft { "… and " (more) " more" } }
                }
            }
        }
    }
}

/// A field of a few letters.
async fn small(field: &mut Field<'_>) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(unreadable)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MAX_FIELD {
            return Err(too_much("That is more than this form may hold; nothing was imported."));
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes a file to disk as it comes.
async fn write(field: &mut Field<'_>, folder: &Path, number: usize) -> Result<PathBuf, Problem> {
    let own = folder.join(number.to_string());
    let path = own.join(file_name(field.file_name().unwrap_or_default()));
    tokio::fs::create_dir(&own).await.map_err(|why| no_room(&why))?;
    let mut file = File::create(&path).await.map_err(|why| no_room(&why))?;
    while let Some(chunk) = field.chunk().await.map_err(unreadable)? {
        file.write_all(&chunk).await.map_err(|why| no_room(&why))?;
    }
    file.flush().await.map_err(|why| no_room(&why))?;
    Ok(path)
}

/// A name that is only a name: what an import looks at is its ending.
fn file_name(given: &str) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain = |c: char| if c.is_alphanumeric() || ".-_ ()".contains(c) { c } else { '_' };
    let mut letters: Vec<char> = last.chars().map(plain).collect();
    let cut = letters.len().saturating_sub(80);
    letters.drain(..cut);
    let name: String = letters.into_iter().collect();
    let name = name.trim_matches(['.', ' ']);
    if name.is_empty() { "file".to_owned() } else { name.to_owned() }
}

/// A folder beside the database, which is on a disk; a temporary directory may be in memory.
fn folder(store: &Store) -> std::io::Result<TempDir> {
    let beside = match store.location() {
        Location::Sqlite { path, .. } => path.parent().map(Path::to_owned),
        Location::Postgres(_) => None,
    };
    let beside = beside.unwrap_or_else(std::env::temp_dir);
    tempfile::Builder::new().prefix("fitness-upload-").tempdir_in(beside)
}

fn no_token() -> Problem {
    Problem::refused(
        "This form was not made for this browser, or you have signed in anew since. Open the page again.",
    )
}

fn unreadable(why: MultipartError) -> Problem {
    match why.into_response().status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_much(
            "That is more than 2 GB; nothing was imported. `fitness import PATH` on the machine itself takes any size.",
        ),
        _ => {
            Problem::new(StatusCode::BAD_REQUEST, "The upload broke off or is not one; nothing was imported.")
                .go_on("/sources", "Try again")
        }
    }
}

fn too_much(said: &str) -> Problem {
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, said).go_on("/sources", "Back")
}

fn no_room(why: &std::io::Error) -> Problem {
    tracing::error!(%why, "an upload cannot be written");
    Problem::new(
        StatusCode::INSUFFICIENT_STORAGE,
        "There is no room for this on the server's disk; nothing was imported.",
    )
    .go_on("/sources", "Back")
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn a_file_name_is_only_a_name() {
        for (given, kept) in [
            ("run.fit", "run.fit"),
            ("../../etc/passwd", "passwd"),
            ("C:\\runs\\a.FIT", "a.FIT"),
            ("..", "file"),
            ("", "file"),
            ("a\0b\n<c>.gpx", "a_b__c_.gpx"),
            ("Läufe (1).zip", "Läufe (1).zip"),
        ] {
            assert_eq!(file_name(given), kept);
        }
        assert!(file_name(&format!("{}.zip", "x".repeat(5000))).ends_with(".zip"));
        assert!(file_name(&"é".repeat(5000)).len() < 255);
    }
}
