//! Writes the ZIP of an export.

use super::discard_after_error_writer::DiscardAfterErrorWriter;
use super::{ExportManifest, FILES_DIR, MANIFEST_NAME, readable_files};
use crate::Error;
use fitness_core::domain::content_hash::ContentHash;
use fitness_store::backup::{Fields, RowCollector};
use std::collections::BTreeMap;
use std::io::{self, Seek, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const README: &str = "\
All your data in local-fitness.

activities.csv      activities, one per line
days.csv            sleep, resting heart rate and other daily values, one day per line
recordings/         samples of each activity, one per line
files/              the files you imported, unchanged
plans/              your plans as text, calendar and JSON
notes.md            your notes, and notes suggested to you
briefs.md           the coach's daily briefs
conversations.md    your chats with the coach; data/ also has the tool results
data/               every row of every database table as JSON, one per line
manifest.json       version, row counts and checksums

Text by you and by models is in code blocks in the Markdown files, so no image is loaded and no link
is active. Passwords, tokens, sessions, links and service keys are not included.

`fitness restore --from-export FILE` restores everything else into a new database. Then set a new
password and connect your services again. In data/, distances are in millimetres, durations in
milliseconds and times in UTC.
";

/// Writes members in sequence and collects rows for the CSV and Markdown files.
pub(super) struct ExportWriter<W: Write + Seek> {
    zip: ZipWriter<DiscardAfterErrorWriter<W>>,
    tables: readable_files::ReadableRows,
    /// Hashes of members other than rows and original files.
    hashes: BTreeMap<String, ContentHash>,
}

impl<W: Write + Seek> ExportWriter<W> {
    pub(super) fn new(out: W) -> Result<Self, Error> {
        let mut writing = Self {
            zip: ZipWriter::new(DiscardAfterErrorWriter::new(out)),
            tables: readable_files::ReadableRows::default(),
            hashes: BTreeMap::new(),
        };
        writing.write_member("README.txt", README.as_bytes())?;
        Ok(writing)
    }

    fn start_member(&mut self, path: &str) -> io::Result<()> {
        // Already compressed.
        let packed = path.starts_with(FILES_DIR) && path.ends_with(".gz");
        let method = if packed { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let options = SimpleFileOptions::default().compression_method(method).large_file(true);
        self.zip.start_file(path, options).map_err(io::Error::from)
    }

    pub(super) fn write_member(&mut self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        if !path.starts_with(FILES_DIR) {
            self.hashes.insert(path.to_owned(), ContentHash::hash_bytes(bytes));
        }
        let written = self.start_member(path).and_then(|()| self.zip.write_all(bytes));
        written.map_err(|why| Error::Export(why.to_string()))
    }

    /// Activities with samples, and their days.
    pub(super) fn recorded_activities(&self) -> Vec<(i64, String)> {
        self.tables.recorded_activities()
    }

    /// Writes the CSV and Markdown files and the manifest.
    pub(super) fn finish(
        mut self,
        contents: impl FnOnce(BTreeMap<String, ContentHash>) -> ExportManifest,
    ) -> Result<(W, ExportManifest), Error> {
        for (path, text) in std::mem::take(&mut self.tables).into_members()? {
            self.write_member(path, &text)?;
        }
        let contents = contents(std::mem::take(&mut self.hashes));
        let manifest = serde_json::to_vec_pretty(&contents).expect("a manifest is plain data");
        self.write_member(MANIFEST_NAME, &manifest)?;
        let out = self.zip.finish().map_err(|why| Error::Export(why.to_string()))?;
        let out = out
            .into_complete()
            .ok_or_else(|| Error::Export("part of the file could not be written".to_owned()))?;
        Ok((out, contents))
    }
}

impl<W: Write + Seek + Send + 'static> RowCollector for ExportWriter<W> {
    fn table(&mut self, name: &str) -> io::Result<()> {
        self.start_member(&format!("data/{name}.jsonl"))
    }

    fn row(&mut self, table: &str, fields: Fields) -> io::Result<()> {
        serde_json::to_writer(&mut self.zip, &fields)?;
        self.zip.write_all(b"\n")?;
        self.tables.add_row(table, fields);
        Ok(())
    }
}

pub(super) type RowsById = BTreeMap<i64, Fields>;
