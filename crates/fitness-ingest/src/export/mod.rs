//! Export of one user's data as a ZIP of open formats, and restoring a database from it.
//! Credentials are not included.
//!
//! `data/` has every row of every table as JSON lines; [`restore_export`] reads only that and the
//! original files. CSV tables, recordings, plans, notes, briefs and conversations are for people
//! and other programs.

mod discard_after_error_writer;
mod readable_files;
mod restore;
mod write;

pub use restore::restore_export;

use crate::Error;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::plan::export::owner_hash;
use fitness_sources::workouts::{PlanExportInput, PlanTextFormat};
use fitness_store::Store;
use fitness_store::backup::{Header, Manifest};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{Seek, Write};
use write::ExportWriter;

const MANIFEST_NAME: &str = "manifest.json";
const FILES_DIR: &str = "files/";
/// Files per database query.
const PAGE_SIZE: u64 = 500;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportManifest {
    /// Version, time and user.
    pub header: Header,
    /// Row counts and hashes of the tables.
    pub manifest: Manifest,
    /// Path of each original file in the ZIP, by hash.
    pub files: BTreeMap<String, String>,
    /// Hash of every other member of the ZIP.
    pub told: BTreeMap<String, ContentHash>,
}

/// Default file name of an export, safe on every file system.
#[must_use]
pub fn file_name(name: &str, day: Day) -> String {
    let safe: String = name.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
    let whose = if safe.is_empty() { "athlete".to_owned() } else { safe.to_lowercase() };
    format!("local-fitness-{whose}-{day}.zip")
}

/// Writes all data of a user to a ZIP.
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

/// Samples of each activity, one per line.
async fn write_recordings<W: Write + Seek + Send + 'static>(
    store: &Store,
    user: UserId,
    writing: &mut ExportWriter<W>,
) -> Result<(), Error> {
    for (id, day) in writing.recorded_activities() {
        if let Some(recording) = store.find_recording(user, ActivityId::new(id)).await? {
            let text = readable_files::csv_recording(&recording)?;
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
        let files = PlanExportInput {
            workouts: store.list_workouts(user, plan.id, plan.revision).await?,
            revision_created_at: plan.created_at,
            owner_id: owner_hash(user, owner.created_at),
            units: profile.units,
            author: store.find_text_author(user, &plan).await?,
            plan,
        };
        for text in [PlanTextFormat::Markdown, PlanTextFormat::Calendar, PlanTextFormat::Json] {
            // A format that fails is left out; `data/` has the plan in any case.
            if let Ok(made) = files.text_file(text) {
                writing
                    .write_member(&format!("plans/{}.{}", files.plan.id, text.extension()), &made.bytes)?;
            }
        }
    }
    Ok(())
}
