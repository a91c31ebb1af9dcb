//! `cargo xtask hostile`: what files made to harm cost the program that reads them.
//!
//! Each is imported by a program of its own beside an ordinary file, so that the system's figures are that file's
//! alone. Memory is a limit, and so is that the ordinary file comes in; processor time is printed for the reader,
//! because a slow machine must turn nothing red.

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

/// How much more than for the ordinary file alone a program may hold at once.
const MAX_EXTRA_MEMORY: u64 = 64 << 20;
const MEBIBYTE: f64 = 1_048_576.0;

/// Imports every trap and prints what it cost.
pub(crate) fn measure(root: &Path) -> Result<()> {
    let reader = Importer { fitness: build_fitness(root)?, folder: target_dir(root)?.join("hostile") };
    if reader.folder.exists() {
        fs::remove_dir_all(&reader.folder).context("clearing the last run's files")?;
    }
    let mut failures = 0;
    // Twice, because the first program to start also pays for pages that the others find in memory.
    let plain = reader.import("ordinary", None)?.memory.max(reader.import("ordinary again", None)?.memory);
    println!("an ordinary file alone: {:.0} MiB\n", plain as f64 / MEBIBYTE);
    println!("{:<44} {:>9} {:>11}  what was said", "", "MiB above", "s of processor");
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
        bail!("{failures} of {} traps did harm", MALICIOUS_FILES.len());
    }
    println!("\n{} traps, none did harm", MALICIOUS_FILES.len());
    Ok(())
}

/// A file made to harm.
struct MaliciousFile {
    name: &'static str,
    /// Its extension, by which the program takes it for what it claims to be.
    file_name: &'static str,
    /// Whether a line must say why it was left out; what is merely too long may be read in part.
    must_be_refused: bool,
    write: fn(&mut dyn Write) -> std::io::Result<()>,
    /// Bytes of nothing at its end, which take no room on the disk.
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
    /// Imports a trap, if any, together with an ordinary file into an empty database.
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
        let told: Value = serde_json::from_str(&ran.stdout).context("an import told no JSON")?;
        let skipped = told["skipped"].as_array().context("an import told nothing of what it skipped")?;
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
