//! A ZIP that comes back.

use super::{Contents, MANIFEST};
use crate::Error;
use fitness_core::domain::content_hash::ContentHash;
use fitness_store::backup::{Fields, HandOver, packed};
use fitness_store::{Error as StoreError, Location, Store};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use zip::ZipArchive;

/// A manifest names each file; no athlete has as many as would fill this.
const MAX_MANIFEST: u64 = 256 << 20;
/// No row is longer, and no file that was imported.
const MAX_PART: u64 = 1 << 30;

/// Makes a database out of an export: whole and equal, or not at all. Credentials are never part of it.
///
/// # Errors
/// When it is no export, is damaged, or of a newer version, or the database holds anything. Then nothing was made.
pub async fn take_over(location: Location, path: &Path) -> Result<(Store, Contents), Error> {
    let path = path.to_owned();
    let contents = contents(&path)?;
    told_as_it_was(&path, &contents)?;
    let (header, manifest) = (contents.header.clone(), contents.manifest.clone());
    let files = contents.files.clone();
    let source = move |hand_over: &mut HandOver<'_>| read_rows(&path, &files, hand_over);
    let store = Store::take_over(location, header, manifest, source).await?;
    Ok((store, contents))
}

fn open(path: &Path) -> Result<ZipArchive<BufReader<File>>, StoreError> {
    let file = File::open(path).map_err(|why| StoreError::of_file(path, &why))?;
    ZipArchive::new(BufReader::new(file))
        .map_err(|_| StoreError::BadArchive(format!("{} is no ZIP, or cut off", path.display())))
}

fn contents(path: &Path) -> Result<Contents, Error> {
    let mut zip = open(path)?;
    let bad = |problem: &str| StoreError::BadArchive(format!("{}: {problem}", path.display()));
    let member = zip.by_name(MANIFEST).map_err(|_| bad("it is no export of local-fitness"))?;
    let mut text = Vec::new();
    member.take(MAX_MANIFEST).read_to_end(&mut text).map_err(|_| bad("its manifest is damaged"))?;
    serde_json::from_slice(&text).map_err(|_| bad("its manifest cannot be read").into())
}

/// What is told besides the rows and the files is as it was told, and there is nothing else.
fn told_as_it_was(path: &Path, contents: &Contents) -> Result<(), StoreError> {
    let bad = |problem: String| StoreError::BadArchive(format!("{}: {problem}", path.display()));
    let mut zip = open(path)?;
    for (name, hash) in &contents.told {
        let member = zip.by_name(name).map_err(|_| bad(format!("{name} is missing")))?;
        if ContentHash::of_reader(&mut member.take(MAX_PART)).ok().as_ref() != Some(hash) {
            return Err(bad(format!("{name} was changed")));
        }
    }
    let rows = |name: &str| {
        let table = name.strip_prefix("data/").and_then(|name| name.strip_suffix(".jsonl"));
        table.is_some_and(|table| contents.manifest.tables.contains_key(table))
    };
    let files: BTreeSet<&str> = contents.files.values().map(String::as_str).collect();
    let known = |name: &str| {
        name == MANIFEST || contents.told.contains_key(name) || rows(name) || files.contains(name)
    };
    for name in zip.file_names() {
        let name = name.map_err(|_| bad("a part has a name that cannot be read".to_owned()))?;
        if !known(&name) {
            return Err(bad(format!("{name} does not belong to it")));
        }
    }
    Ok(())
}

fn read_rows(
    path: &Path,
    files: &BTreeMap<String, String>,
    hand_over: &mut HandOver<'_>,
) -> Result<(), StoreError> {
    let bad = |problem: String| StoreError::BadArchive(format!("{}: {problem}", path.display()));
    let mut zip = open(path)?;
    // Another view of it, because a file is wanted while its row is read.
    let mut kept = open(path)?;
    for table in hand_over.tables() {
        let name = format!("data/{table}.jsonl");
        let mut lines = BufReader::new(zip.by_name(&name).map_err(|_| bad(format!("{name} is missing")))?);
        loop {
            let mut line = Vec::new();
            let read = (&mut lines).take(MAX_PART).read_until(b'\n', &mut line);
            if read.map_err(|_| bad(format!("{name} is damaged")))? == 0 {
                break;
            }
            let mut fields: Fields = serde_json::from_slice(&line)
                .map_err(|_| bad(format!("{name} has a line that is no row")))?;
            if table == "originals" {
                let hash = fields.get("sha256").and_then(Value::as_str).unwrap_or_default().to_owned();
                let bytes = read_file(&mut kept, files.get(&hash))
                    .filter(|bytes| ContentHash::of_bytes(bytes).to_string() == hash)
                    .ok_or_else(|| bad(format!("the file {hash} is missing or damaged")))?;
                fields.insert("packed".to_owned(), packed(&bytes));
            }
            hand_over.row(&table, fields)?;
        }
    }
    Ok(())
}

fn read_file(zip: &mut ZipArchive<BufReader<File>>, name: Option<&String>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    zip.by_name(name?).ok()?.take(MAX_PART).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
