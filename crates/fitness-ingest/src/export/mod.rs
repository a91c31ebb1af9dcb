//! Leaving, and arriving: everything of one athlete in a ZIP of open formats, and back from it to a database that is equal but for
//! credentials.
//!
//! `data/` holds every row of every table as JSON, one a line: that is what [`take_over`] reads. Beside it lies the same
//! for people and other programs: the files that were imported, recordings and days as CSV, plans, notes, briefs and
//! conversations as text.

mod error_once_writer;
mod read;
mod tables;
mod write;

pub use read::restore_export;

use crate::Error;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::plan::export::owner_hash;
use fitness_sources::workouts::{PlanFiles, PlanTextFormat};
use fitness_store::Store;
use fitness_store::backup::{Header, Manifest};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{Seek, Write};
use write::ExportWriter;

/// The member of a ZIP that says what the others are.
const MANIFEST_NAME: &str = "manifest.json";
/// Where the files that were imported are.
const FILES_DIR: &str = "files/";
/// How many files are listed at once.
const PAGE_SIZE: u64 = 500;

/// What an export says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportManifest {
    /// Who wrote it, when, and whose data it is.
    pub header: Header,
    /// What it comes to.
    pub manifest: Manifest,
    /// The files that were imported: where each is, by its hash.
    pub files: BTreeMap<String, String>,
    /// What is told besides, for people and other programs: the hash of each part. Rows and files have theirs above.
    pub told: BTreeMap<String, ContentHash>,
}

/// What an export is called: for whom and of which day, in letters that every file system takes.
#[must_use]
pub fn file_name(name: &str, day: Day) -> String {
    let safe: String = name.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
    let whose = if safe.is_empty() { "athlete".to_owned() } else { safe.to_lowercase() };
    format!("local-fitness-{whose}-{day}.zip")
}

/// Writes everything of an athlete to a ZIP.
///
/// # Errors
/// When the database does not answer, or the ZIP cannot be written.
pub async fn export<W: Write + Seek + Send + 'static>(
    store: &Store,
    user: UserId,
    out: W,
    now: Instant,
) -> Result<(W, ExportManifest), Error> {
    let store = store.for_backup();
    let writing = ExportWriter::new(out)?;
    let (mut writing, header, manifest) = store.export_user(user, now, writing).await?;
    let files = write_files(&store, user, &mut writing).await?;
    write_recordings(&store, user, &mut writing).await?;
    write_plans(&store, user, &mut writing).await?;
    writing.finish(|told| ExportManifest { header, manifest, files, told })
}

async fn write_files<W: Write + Seek + Send + 'static>(
    store: &Store,
    user: UserId,
    writing: &mut ExportWriter<W>,
) -> Result<BTreeMap<String, String>, Error> {
    let mut files = BTreeMap::new();
    let mut offset = 0;
    loop {
        let page = store.list_originals(user, offset, PAGE_SIZE).await?;
        if page.is_empty() {
            return Ok(files);
        }
        offset += page.len() as u64;
        for original in page {
            let bytes = store.read_original(user, original.sha256).await?;
            let path = format!("{FILES_DIR}{}", original.file_name());
            writing.write_member(&path, &bytes)?;
            files.insert(original.sha256.to_string(), path);
        }
    }
}

/// What each activity recorded, one line a moment.
async fn write_recordings<W: Write + Seek + Send + 'static>(
    store: &Store,
    user: UserId,
    writing: &mut ExportWriter<W>,
) -> Result<(), Error> {
    for (id, day) in writing.recorded_activities() {
        if let Some(recording) = store.find_recording(user, ActivityId::new(id)).await? {
            let text = tables::csv_recording(&recording)?;
            writing.write_member(&format!("recordings/{day}-{id}.csv"), &text)?;
        }
    }
    Ok(())
}

async fn write_plans<W: Write + Seek + Send + 'static>(
    store: &Store,
    user: UserId,
    writing: &mut ExportWriter<W>,
) -> Result<(), Error> {
    let (profile, owner) = (store.profile(user).await?, store.user(user).await?);
    for plan in store.list_plans(user).await? {
        let files = PlanFiles {
            workouts: store.list_workouts(user, plan.id, plan.revision).await?,
            revision_created_at: plan.created_at,
            owner_id: owner_hash(user, owner.created_at),
            units: profile.units,
            author: store.find_text_author(user, &plan).await?,
            plan,
        };
        for text in [PlanTextFormat::Markdown, PlanTextFormat::Calendar, PlanTextFormat::Json] {
            // A plan that cannot be told in a form is still told in the others, and in `data/`.
            if let Ok(made) = files.text_file(text) {
                writing
                    .write_member(&format!("plans/{}.{}", files.plan.id, text.extension()), &made.bytes)?;
            }
        }
    }
    Ok(())
}
