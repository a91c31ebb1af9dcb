//! `/import`: files from a browser, written to disk as they come and imported while the athlete goes on.

use crate::auth::routes::TOKEN_FIELD;
use crate::http::error::Problem;
use crate::http::extract::Numbered;
use crate::http::response::see_other;
use crate::page::View;
use crate::pages::overview;
use crate::pages::settings::{Tab, page};
use crate::worker::uploads::{ImportSummary, Stage};
use axum::extract::Multipart;
use axum::extract::multipart::{Field, MultipartError};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use fitness_core::domain::ids::JobId;
use fitness_core::domain::untrusted_text::visible;
use fitness_store::{IMPORT, Job, JobState};
use maud::{Markup, html};
use std::path::Path;
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;

/// As many files at once.
const MAX_FILES: usize = 2000;
/// The longest value of a field that is no file.
const MAX_FIELD: usize = 1024;

/// The card with the form. The word says where to go on afterwards.
pub(crate) async fn form(view: &View, from: &str) -> Result<Markup, Problem> {
    let under_way = open_import(view).await?;
    Ok(html! {
        section.card {
            h2 { "Files" }
            @if let Some(job) = under_way {
                p { "An import is under way. " a href={ "/import/" (job.id) } { "See how far it is" } }
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
    })
}

/// The athlete's import that is not over.
async fn open_import(view: &View) -> Result<Option<Job>, Problem> {
    Ok(view.store().newest_job(view.user(), IMPORT).await?.filter(Job::is_open))
}

fn under_way() -> Problem {
    Problem::conflict("An import is under way; wait until it is over.").go_on("/sources", "See how far it is")
}

/// `POST /import`
pub(crate) async fn take(view: View, mut parts: Multipart) -> Result<Response, Problem> {
    let mut first = parts.next_field().await.map_err(unreadable)?.ok_or_else(no_token)?;
    let token = if first.name() == Some(TOKEN_FIELD) { small(&mut first).await? } else { String::new() };
    drop(first);
    if !view.seat.is_token(&token) {
        return Err(no_token());
    }
    let receiving = view.app.running.uploads.receive(view.user()).ok_or_else(under_way)?;
    if open_import(&view).await?.is_some() {
        return Err(under_way());
    }
    let arriving = view.store().uploads().await?.begin().map_err(|why| no_room(&why))?;
    let (mut files, mut from) = (0, String::new());
    while let Some(mut field) = parts.next_field().await.map_err(unreadable)? {
        match field.name() {
            Some("from") => from = small(&mut field).await?,
            Some("files") if field.file_name().is_some_and(|name| !name.is_empty()) => {
                if files == MAX_FILES {
                    return Err(too_much("So many files are better zipped; nothing was imported."));
                }
                write(&mut field, arriving.path(), files).await?;
                files += 1;
            }
            _ => {}
        }
    }
    if files == 0 {
        return Err(Problem::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "Choose at least one file; nothing was imported.",
        )
        .go_on("/sources", "Choose files"));
    }
    sync_directories(arriving.path(), files).await.map_err(|why| no_room(&why))?;
    let enqueued =
        view.store().enqueue_unless(view.user(), IMPORT, arriving.payload(), view.now, Job::is_open).await?;
    let id = enqueued.ok_or_else(under_way)?;
    // From here on the files are the job's, whatever becomes of this server.
    arriving.keep();
    drop(receiving);
    view.app.running.wake_worker();
    let suffix = if from == "welcome" { "?from=welcome" } else { "" };
    Ok(see_other(&format!("/import/{id}{suffix}")))
}

/// `GET /import/{id}`: how far it is, and what came of it.
pub(crate) async fn show(view: View, Numbered(id): Numbered<i64>, uri: Uri) -> Result<Response, Problem> {
    let welcome = uri.query() == Some("from=welcome");
    let id = JobId::new(id);
    let job = view.store().find_job(view.user(), id).await?.filter(|job| job.kind == IMPORT);
    let Some(job) = job else {
        return Err(Problem::not_found().go_on("/sources", "See what came in"));
    };
    let next = html! {
        @if welcome { a.btn.primary href="/welcome?step=3" { "Go on: your coach" } }
        @else { a.btn href="/sources" { "Your data" } }
    };
    let body = match job.state {
        JobState::Done => html! {
            (summary(&job))
            (overview::body(&view).await?)
            div.actions { (next) a.btn href="/" { "Go to Today" } }
        },
        JobState::Failed => html! {
            section.card {
                h2 { "That did not work" }
                p { "What was read before is kept, and importing it again adds nothing twice. Try again; on the machine that runs this server " code { "fitness import PATH" } " says more." }
                div.actions { (next) }
            }
        },
        JobState::Queued | JobState::Running => html! {
            section.card data-poll="" {
                h2 { "Importing" }
                @match view.app.running.uploads.stage(id) {
                    Some(stage) => (progress(&stage)),
                    None if job.problem.is_some() => p role="status" { "The import was interrupted. It starts again within a few minutes." },
                    None => p role="status" { "The files are on the server. The import starts soon." },
                }
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
        }
    }
}

/// What came of an import, as its job says.
fn summary(job: &Job) -> Markup {
    let read = job.outcome_data().and_then(|data| serde_json::from_value::<ImportSummary>(data.clone()).ok());
    let Some(ImportSummary { sentences, complete, changed_nothing, skipped, skipped_count }) = read else {
        return html! { section.card { h2 { "Imported" } p { "What came of it is in the list of what came in." } } };
    };
    let more = skipped_count.saturating_sub(skipped.len() as u64);
    html! {
        section.card {
            h2 { "Imported" }
            @for sentence in sentences { p { (visible(&sentence)) } }
            @if let Some(day) = complete { p { "Your data is complete through " (visible(&day)) "." } }
            @if skipped_count > 0 {
                details open[changed_nothing] {
                    summary { "Left out: " (skipped_count) }
                    ul { @for (path, reason) in &skipped { li { (visible(path)) ": " (visible(reason)) } } }
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
async fn write(field: &mut Field<'_>, folder: &Path, number: usize) -> Result<(), Problem> {
    let own = folder.join(number.to_string());
    let path = own.join(file_name(field.file_name().unwrap_or_default()));
    tokio::fs::create_dir(&own).await.map_err(|why| no_room(&why))?;
    let mut file = File::create(&path).await.map_err(|why| no_room(&why))?;
    while let Some(chunk) = field.chunk().await.map_err(unreadable)? {
        file.write_all(&chunk).await.map_err(|why| no_room(&why))?;
    }
    file.flush().await.map_err(|why| no_room(&why))?;
    file.sync_data().await.map_err(|why| no_room(&why))
}

/// Flushes the directories of an upload, so that a power cut does not lose what was accepted.
async fn sync_directories(folder: &Path, files: usize) -> std::io::Result<()> {
    if cfg!(unix) {
        let numbered = (0..files).map(|number| folder.join(number.to_string()));
        for directory in numbered.chain([folder.to_owned()]).chain(folder.parent().map(Path::to_owned)) {
            File::open(directory).await?.sync_all().await?;
        }
    }
    Ok(())
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
