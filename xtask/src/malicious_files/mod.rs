//! `cargo xtask hostile`: memory used while importing malicious files.
//!
//! Each file is imported by a separate process, next to an ordinary file. It fails if the process
//! needs too much memory or the ordinary file is not imported. CPU time is printed but has no
//! limit, because it depends on the machine.

mod generate;

use crate::bench::child_process::run;
use crate::workspace::{build_fitness, target_dir};
use anyhow::{Context, Result, bail};
use generate::MALICIOUS_FILES;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Allowed peak memory in bytes beyond that of importing the ordinary file alone.
const MAX_EXTRA_MEMORY: u64 = 64 << 20;
const MEBIBYTE: f64 = 1_048_576.0;

/// Imports every file and prints its cost.
pub(crate) fn measure(root: &Path) -> Result<()> {
    let reader = Importer { fitness: build_fitness(root)?, folder: target_dir(root)?.join("hostile") };
    if reader.folder.exists() {
        fs::remove_dir_all(&reader.folder).context("clearing the last run's files")?;
    }
    let mut failures = 0;
    // Twice, because the first process also loads pages that later ones find in the page cache.
    let plain = reader.import("ordinary", None)?.memory.max(reader.import("ordinary again", None)?.memory);
    println!("an ordinary file alone: {:.0} MiB\n", plain as f64 / MEBIBYTE);
    println!("{:<44} {:>9} {:>11}  result", "", "extra MiB", "CPU seconds");
    for trap in MALICIOUS_FILES {
        let read = reader.import(trap.name, Some(trap))?;
        let above = read.memory.saturating_sub(plain);
        let (heavy, silent) = (above > MAX_EXTRA_MEMORY, trap.must_be_refused && read.skip_reason.is_none());
        let verdict = match (heavy, silent, read.is_ordinary_imported) {
            (true, _, _) => "TOO MUCH MEMORY: ",
            (_, true, _) => "NOT REFUSED: ",
            (_, _, false) => "THE ORDINARY FILE WAS LOST: ",
            _ => "",
        };
        failures += u32::from(!verdict.is_empty());
        println!(
            "{:<44} {:>9.1} {:>11.2}  {verdict}{}",
            trap.name,
            above as f64 / MEBIBYTE,
            read.seconds,
            read.skip_reason.as_deref().unwrap_or("read")
        );
    }
    drop(fs::remove_dir_all(&reader.folder));
    if failures > 0 {
        bail!("{failures} of {} malicious files failed", MALICIOUS_FILES.len());
    }
    println!("\nall {} malicious files passed", MALICIOUS_FILES.len());
    Ok(())
}

struct MaliciousFile {
    name: &'static str,
    /// The extension decides which parser reads it.
    file_name: &'static str,
    /// Whether the import must report it as skipped. Files that are only too long may be read in
    /// part.
    must_be_refused: bool,
    write: fn(&mut dyn Write) -> std::io::Result<()>,
    /// Length in bytes of a sparse hole at the end.
    padding: u64,
}

struct ImportResult {
    memory: u64,
    seconds: f64,
    skip_reason: Option<String>,
    is_ordinary_imported: bool,
}

struct Importer {
    fitness: PathBuf,
    folder: PathBuf,
}

impl Importer {
    /// Imports an ordinary file, and a malicious one if given, into an empty database.
    fn import(&self, name: &str, trap: Option<&MaliciousFile>) -> Result<ImportResult> {
        let home = self.folder.join(name.replace(|c: char| !c.is_alphanumeric(), "-"));
        let inbox = home.join("inbox");
        fs::create_dir_all(&inbox)?;
        fs::write(inbox.join("ordinary.gpx"), generate::ORDINARY_GPX)?;
        if let Some(trap) = trap {
            let mut file = BufWriter::new(File::create(inbox.join(trap.file_name))?);
            (trap.write)(&mut file)?;
            let file = file.into_inner()?;
            let length = file.metadata()?.len();
            file.set_len(length + trap.padding)?;
        }
        self.run_fitness(&home, &["user", "add", "Ann", "--zone", "Europe/Zurich"])?;
        let ran = self.run_fitness(&home, &["import", "--json", &inbox.to_string_lossy()])?;
        let told: Value = serde_json::from_str(&ran.stdout).context("the import printed no JSON")?;
        let skipped = told["skipped"].as_array().context("the import's JSON has no skipped files")?;
        let said = skipped.first().map(|skip| skip["reason"].as_str().unwrap_or_default().to_owned());
        fs::remove_dir_all(&home)?;
        Ok(ImportResult {
            memory: ran.peak_memory,
            seconds: ran.seconds,
            skip_reason: said,
            is_ordinary_imported: told["added"].as_u64() >= Some(1),
        })
    }

    fn run_fitness(
        &self,
        home: &Path,
        arguments: &[&str],
    ) -> Result<crate::bench::child_process::ProcessResult> {
        let mut command = Command::new(&self.fitness);
        command
            .env("HOME", home)
            .env("XDG_DATA_HOME", home)
            .env("TMPDIR", home)
            .env("FITNESS_DB", home.join("fitness.db"))
            .args(arguments);
        run(&mut command)
    }
}
