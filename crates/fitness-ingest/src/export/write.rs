//! A ZIP that is being written.

use super::error_once_writer::ErrorOnceWriter;
use super::{ExportManifest, FILES_DIR, MANIFEST_NAME, tables};
use crate::Error;
use fitness_core::domain::content_hash::ContentHash;
use fitness_store::backup::{Fields, RowCollector};
use std::collections::BTreeMap;
use std::io::{self, Seek, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const README: &str = "\
Everything local-fitness knew about you.

activities.csv      every activity, one line each
days.csv            sleep, resting heart rate and what else was measured, one line a day
recordings/         what was recorded during an activity, one line a moment
files/              the files you imported, as they were
plans/              every plan as text, calendar and JSON
notes.md            your notes, and what was suggested to you as notes
briefs.md           what the coach wrote in the mornings
conversations.md    what you and the coach said; every word is also in data/, with what tools answered
data/               every row of every table as JSON, one a line
manifest.json       what this is, and what it comes to

Words of yours and of models are code blocks in the Markdown files: no picture is loaded and no link is made from them.
Passwords, tokens, sessions, links and keys of services are not in here.

`fitness import-all FILE` makes an equal database of it, but for those: set a new password and connect services again. Lengths in data/ are millimetres, spans milliseconds, times UTC.
";

/// Writes members one after the other, and keeps what is to be told in words until the rows have gone by.
pub(super) struct ExportWriter<W: Write + Seek> {
    zip: ZipWriter<ErrorOnceWriter<W>>,
    tables: tables::ExportTables,
    /// The hash of each part that is neither rows nor a file.
    hashes: BTreeMap<String, ContentHash>,
}

impl<W: Write + Seek> ExportWriter<W> {
    pub(super) fn new(out: W) -> Result<Self, Error> {
        let mut writing = Self {
            zip: ZipWriter::new(ErrorOnceWriter::new(out)),
            tables: tables::ExportTables::default(),
            hashes: BTreeMap::new(),
        };
        writing.write_member("README.txt", README.as_bytes())?;
        Ok(writing)
    }

    fn start_member(&mut self, path: &str) -> io::Result<()> {
        // What was compressed before does not become smaller.
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

    /// The activities of which something was recorded, with their days.
    pub(super) fn recorded_activities(&self) -> Vec<(i64, String)> {
        self.tables.recorded_activities()
    }

    /// What is told in words, and the manifest, which is told what was told.
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
            .ok_or_else(|| Error::Export("a part of it could not be written".to_owned()))?;
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

/// Rows by their own number.
pub(super) type RowsById = BTreeMap<i64, Fields>;
