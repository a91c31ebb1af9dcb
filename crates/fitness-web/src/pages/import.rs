//! `/import`: uploads are streamed to disk and imported by a background job; its progress page.

use crate::auth::routes::FORM_TOKEN_FIELD;
use crate::components::time;
use crate::http::error::PageError;
use crate::http::extract::PathId;
use crate::http::response::see_other;
use crate::page::PageContext;
use crate::pages::overview;
use crate::pages::settings::{Tab, page};
use crate::worker::uploads::{ImportStage, ImportSummary};
use axum::extract::Multipart;
use axum::extract::multipart::{Field, MultipartError};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::JobId;
use fitness_core::domain::untrusted_text::{escape_invisible, pluralize};
use fitness_store::{IMPORT_JOB, Job, JobState};
use maud::{Markup, html};
use std::path::Path;
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;

const MAX_FILES: usize = 2000;
/// For fields that are not files.
const MAX_FIELD_BYTES: usize = 1024;

/// The upload form. `from` is `welcome` during the welcome steps, else empty.
pub(crate) async fn form(view: &PageContext, from: &str) -> Result<Markup, PageError> {
    let under_way = find_open_import(view).await?;
    Ok(html! {
        section.card {
            h2 { "Files" }
            @if let Some(job) = under_way {
                p { "An import is running. " a href={ "/import/" (job.id) } { "See progress" } }
            } @else {
                p { "FIT, TCX and GPX files, plain or zipped, or a complete account export as you downloaded it. Importing the same files again adds no duplicates." }
                form method="post" action="/import" enctype="multipart/form-data" {
                    (view.token_field())
                    input type="hidden" name="from" value=(from);
                    div.field {
                        label for="files" { "Files or a ZIP, up to 2 GB" }
                        input id="files" name="files" type="file" multiple required accept=".zip,.fit,.tcx,.gpx,.gz";
                    }
                    p.actions { button.primary type="submit" { "Import" } }
                }
                details {
                    summary { "How do I get my account export?" }
                    dl.facts {
                        dt { "Garmin" } dd { "Account Management Center > Data Management > Export Your Data. Garmin emails you a link to a ZIP, usually within a day. Upload the ZIP as it is." }
                        dt { "Strava" } dd { "Settings > My Account > Download or Delete Your Account > Request Your Archive. Upload the ZIP as it is." }
                        dt { "Watch" } dd { "Connect it by cable and choose all files in GARMIN/Activity." }
                    }
                }
                p.small.soft { "On the server, " code { "fitness import PATH" } " imports folders of any size, and " code { "fitness watch FOLDER" } " imports new files as they appear." }
            }
        }
    })
}

async fn find_open_import(view: &PageContext) -> Result<Option<Job>, PageError> {
    Ok(view.store().newest_job(view.user(), IMPORT_JOB).await?.filter(Job::is_open))
}

fn import_in_progress() -> PageError {
    PageError::conflict("An import is running. Wait until it has finished.")
        .with_link("/data", "See progress")
}

pub(crate) async fn create(view: PageContext, mut parts: Multipart) -> Result<Response, PageError> {
    let mut first = parts.next_field().await.map_err(multipart_error)?.ok_or_else(invalid_token)?;
    let token = if first.name() == Some(FORM_TOKEN_FIELD) {
        read_small_field(&mut first).await?
    } else {
        String::new()
    };
    drop(first);
    if !view.current_user.is_form_token(&token) {
        return Err(invalid_token());
    }
    let receiving = view.app.state.uploads.begin_upload(view.user()).ok_or_else(import_in_progress)?;
    if find_open_import(&view).await?.is_some() {
        return Err(import_in_progress());
    }
    let arriving =
        view.store().upload_directory().await?.begin_upload().map_err(|why| storage_error(&why))?;
    let (mut files, mut from) = (0, String::new());
    while let Some(mut field) = parts.next_field().await.map_err(multipart_error)? {
        match field.name() {
            Some("from") => from = read_small_field(&mut field).await?,
            Some("files") if field.file_name().is_some_and(|name| !name.is_empty()) => {
                if files == MAX_FILES {
                    return Err(too_much("Too many files. Upload them as one ZIP. Nothing was imported."));
                }
                write_file(&mut field, arriving.path(), files).await?;
                files += 1;
            }
            _ => {}
        }
    }
    if files == 0 {
        return Err(PageError::new(StatusCode::UNPROCESSABLE_ENTITY, "Choose at least one file.")
            .with_link("/data", "Choose files"));
    }
    sync_directories(arriving.path(), files).await.map_err(|why| storage_error(&why))?;
    let enqueued = view
        .store()
        .enqueue_unless(view.user(), IMPORT_JOB, arriving.payload(), view.now, Job::is_open)
        .await?;
    let id = enqueued.ok_or_else(import_in_progress)?;
    // From here on the files belong to the job and survive a restart.
    arriving.persist();
    drop(receiving);
    view.app.state.wake_worker();
    let suffix = if from == "welcome" { "?from=welcome" } else { "" };
    Ok(see_other(&format!("/import/{id}{suffix}")))
}

/// `GET /import/{id}`: progress, then the result.
pub(crate) async fn show(
    view: PageContext,
    PathId(id): PathId<i64>,
    uri: Uri,
) -> Result<Response, PageError> {
    let welcome = uri.query() == Some("from=welcome");
    let id = JobId::new(id);
    let job = view.store().find_job(view.user(), id).await?.filter(|job| job.kind == IMPORT_JOB);
    let Some(job) = job else {
        return Err(PageError::not_found().with_link("/data", "Import history"));
    };
    let next = html! {
        @if welcome { a.btn.primary href="/welcome?step=3" { "Next: choose a coach" } }
        @else { a.btn href="/data" { "Back to Data" } }
    };
    let body = match job.state {
        JobState::Done => html! {
            (summary(&view, &job))
            (overview::body(&view).await?)
            div.actions { (next) a.btn href="/" { "Go to Today" } }
        },
        JobState::Failed => html! {
            section.card {
                h2 { "Import failed" }
                p { "What was already imported is kept, and importing it again adds no duplicates. Try again; on the server, " code { "fitness import PATH" } " shows more details." }
                div.actions { (next) }
            }
        },
        JobState::Queued | JobState::Running => html! {
            section.card data-poll="" {
                h2 { "Importing" }
                @match view.app.state.uploads.stage(id) {
                    Some(stage) => (progress(&stage)),
                    None if job.problem.is_some() => p role="status" { "The import was interrupted. It will restart within a few minutes." },
                    None => p role="status" { "Files uploaded. The import will start soon." },
                }
                p.soft { "You can close this page. The import continues." }
                noscript { meta http-equiv="refresh" content="3"; }
                div.actions { (next) }
            }
        },
    };
    Ok(page(&view, Tab::Data, &body))
}

fn progress(stage: &ImportStage) -> Markup {
    html! {
        @match stage {
            ImportStage::Reading { total: Some(total), files, activities } => {
                progress max=(total) value=(files) aria-label="Files read" { (files) " of " (total) }
                p role="status" { (files) " of " (pluralize(*total, "file", "files")) " · " (pluralize(*activities, "activity", "activities")) }
            }
            ImportStage::Reading { total: None, files, activities } => p role="status" { (pluralize(*files, "file", "files")) " · " (pluralize(*activities, "activity", "activities")) },
            ImportStage::Computing { activities } => p role="status" { "All files read. Computing metrics · " (pluralize(*activities, "activity", "activities")) },
        }
    }
}

/// The result of an import, as stored with its job.
fn summary(view: &PageContext, job: &Job) -> Markup {
    let read = job.outcome_data().and_then(|data| serde_json::from_value::<ImportSummary>(data.clone()).ok());
    let Some(summary) = read else {
        return html! { section.card { h2 { "Imported" } p { "The import history shows the result." } } };
    };
    let ImportSummary { sentences, complete, changed_nothing, skipped, skipped_count, receipt, refused } =
        summary;
    let more = skipped_count.saturating_sub(skipped.len() as u64);
    html! {
        section.card {
            h2 { @if refused { "Nothing imported" } @else { "Imported" } }
            @for sentence in sentences { p { (escape_invisible(&time::humanize_dates(&sentence))) } }
            @if let Some(day) = complete.and_then(|day| day.parse::<Day>().ok()) { p { "Your data is complete up to " (time::element(day, view.today)) "." } }
            @if !receipt.is_empty() {
                details open[changed_nothing] {
                    summary { "What became of the files" }
                    ul { @for line in &receipt { li { (escape_invisible(line)) } } }
                }
            }
            @if skipped_count > 0 {
                details open[changed_nothing] {
                    summary { "Skipped: " (skipped_count) }
                    ul { @for (path, reason) in &skipped { li { (escape_invisible(path)) ": " (escape_invisible(reason)) } } }
                    @if more > 0 { p.soft { "… and " (more) " more" } }
                }
            }
        }
    }
}

async fn read_small_field(field: &mut Field<'_>) -> Result<String, PageError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(multipart_error)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MAX_FIELD_BYTES {
            return Err(too_much("The form is too large. Nothing was imported."));
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Streams an uploaded file to disk.
async fn write_file(field: &mut Field<'_>, folder: &Path, number: usize) -> Result<(), PageError> {
    let own = folder.join(number.to_string());
    let path = own.join(file_name(field.file_name().unwrap_or_default()));
    tokio::fs::create_dir(&own).await.map_err(|why| storage_error(&why))?;
    let mut file = File::create(&path).await.map_err(|why| storage_error(&why))?;
    while let Some(chunk) = field.chunk().await.map_err(multipart_error)? {
        file.write_all(&chunk).await.map_err(|why| storage_error(&why))?;
    }
    file.flush().await.map_err(|why| storage_error(&why))?;
    file.sync_data().await.map_err(|why| storage_error(&why))
}

/// Flushes the directories of an upload, so that an accepted upload survives a power cut.
async fn sync_directories(folder: &Path, files: usize) -> std::io::Result<()> {
    if cfg!(unix) {
        let numbered = (0..files).map(|number| folder.join(number.to_string()));
        for directory in numbered.chain([folder.to_owned()]).chain(folder.parent().map(Path::to_owned)) {
            File::open(directory).await?.sync_all().await?;
        }
    }
    Ok(())
}

/// A safe file name. The import only uses its extension.
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

fn invalid_token() -> PageError {
    PageError::forbidden("This page is out of date. Reload it and try again.")
}

fn multipart_error(why: MultipartError) -> PageError {
    match why.into_response().status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_much(
            "The upload is larger than 2 GB. Nothing was imported. On the server, fitness import PATH takes files of any size.",
        ),
        _ => PageError::new(StatusCode::BAD_REQUEST, "The upload failed. Nothing was imported.")
            .with_link("/data", "Try again"),
    }
}

fn too_much(said: &str) -> PageError {
    PageError::new(StatusCode::PAYLOAD_TOO_LARGE, said).with_link("/data", "Back")
}

fn storage_error(why: &std::io::Error) -> PageError {
    tracing::error!(%why, "upload write failed");
    PageError::new(
        StatusCode::INSUFFICIENT_STORAGE,
        "The server can't store the upload; its disk may be full. Nothing was imported.",
    )
    .with_link("/data", "Back")
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn file_name_strips_paths_and_special_characters() {
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
