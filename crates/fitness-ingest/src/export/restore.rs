//! Restores a database from an export.

use super::{ExportManifest, MANIFEST_NAME};
use crate::Error;
use fitness_core::domain::content_hash::ContentHash;
use fitness_store::backup::{Fields, RowImporter, compress_file};
use fitness_store::{Error as StoreError, Location, Store};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use zip::ZipArchive;

/// The manifest lists every file.
const MAX_MANIFEST_BYTES: u64 = 256 << 20;
/// Maximum size of a row or an original file.
const MAX_MEMBER_BYTES: u64 = 1 << 30;

/// Creates a database from an export, completely or not at all.
///
/// # Errors
/// If it is not an export, is damaged or of a newer version, or the database is not empty. Then
/// nothing was created.
pub async fn restore_export(location: Location, path: &Path) -> Result<(Store, ExportManifest), Error> {
    let path = path.to_owned();
    let contents = read_manifest(&path)?;
    verify_members(&path, &contents)?;
    let (header, manifest) = (contents.header.clone(), contents.manifest.clone());
    let files = contents.files.clone();
    let source = move |hand_over: &mut RowImporter<'_>| read_rows(&path, &files, hand_over);
    let store = Store::restore_export(location, header, manifest, source).await?;
    Ok((store, contents))
}

fn open(path: &Path) -> Result<ZipArchive<BufReader<File>>, StoreError> {
    let file = File::open(path).map_err(|why| StoreError::from_file(path, &why))?;
    ZipArchive::new(BufReader::new(file))
        .map_err(|_| StoreError::BadBackup(format!("{} is not a valid ZIP file", path.display())))
}

fn read_manifest(path: &Path) -> Result<ExportManifest, Error> {
    let mut zip = open(path)?;
    let bad = |problem: &str| StoreError::BadBackup(format!("{}: {problem}", path.display()));
    let member = zip.by_name(MANIFEST_NAME).map_err(|_| bad("not a local-fitness export"))?;
    let mut text = Vec::new();
    member.take(MAX_MANIFEST_BYTES).read_to_end(&mut text).map_err(|_| bad("the manifest is damaged"))?;
    serde_json::from_slice(&text).map_err(|_| bad("the manifest is not valid").into())
}

/// Checks the hashes of the other members, and that there are no unknown ones.
fn verify_members(path: &Path, contents: &ExportManifest) -> Result<(), StoreError> {
    let bad = |problem: String| StoreError::BadBackup(format!("{}: {problem}", path.display()));
    let mut zip = open(path)?;
    for (name, hash) in &contents.told {
        let member = zip.by_name(name).map_err(|_| bad(format!("{name} is missing")))?;
        if ContentHash::hash_reader(&mut member.take(MAX_MEMBER_BYTES)).ok().as_ref() != Some(hash) {
            return Err(bad(format!("{name} was changed")));
        }
    }
    let rows = |name: &str| {
        let table = name.strip_prefix("data/").and_then(|name| name.strip_suffix(".jsonl"));
        table.is_some_and(|table| contents.manifest.tables.contains_key(table))
    };
    let files: BTreeSet<&str> = contents.files.values().map(String::as_str).collect();
    let known = |name: &str| {
        name == MANIFEST_NAME || contents.told.contains_key(name) || rows(name) || files.contains(name)
    };
    for name in zip.file_names() {
        let name = name.map_err(|_| bad("an entry has an unreadable name".to_owned()))?;
        if !known(&name) {
            return Err(bad(format!("{name} is not part of the export")));
        }
    }
    Ok(())
}

fn read_rows(
    path: &Path,
    files: &BTreeMap<String, String>,
    hand_over: &mut RowImporter<'_>,
) -> Result<(), StoreError> {
    let bad = |problem: String| StoreError::BadBackup(format!("{}: {problem}", path.display()));
    let mut zip = open(path)?;
    // A second handle, because files are read while the rows are.
    let mut kept = open(path)?;
    for table in hand_over.tables() {
        let name = format!("data/{table}.jsonl");
        let mut lines = BufReader::new(zip.by_name(&name).map_err(|_| bad(format!("{name} is missing")))?);
        loop {
            let mut line = Vec::new();
            let read = (&mut lines).take(MAX_MEMBER_BYTES).read_until(b'\n', &mut line);
            if read.map_err(|_| bad(format!("{name} is damaged")))? == 0 {
                break;
            }
            let mut fields: Fields =
                serde_json::from_slice(&line).map_err(|_| bad(format!("{name} contains an invalid row")))?;
            if table == "originals" {
                let hash = fields.get("sha256").and_then(Value::as_str).unwrap_or_default().to_owned();
                let bytes = read_file(&mut kept, files.get(&hash))
                    .filter(|bytes| ContentHash::hash_bytes(bytes).to_string() == hash)
                    .ok_or_else(|| bad(format!("the file {hash} is missing or damaged")))?;
                fields.insert("packed".to_owned(), compress_file(&bytes));
            }
            hand_over.row(&table, fields)?;
        }
    }
    Ok(())
}

fn read_file(zip: &mut ZipArchive<BufReader<File>>, name: Option<&String>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    zip.by_name(name?).ok()?.take(MAX_MEMBER_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
