//! `cargo xtask hostile`: what files made to harm cost the program that reads them.
//!
//! Each is imported by a program of its own beside an ordinary file, so that the system's figures are that file's
//! alone. Memory is a limit, and so is that the ordinary file comes in; processor time is printed for the reader,
//! because a slow machine must turn nothing red.

mod generate;

use crate::bench::child_process::run;
use crate::workspace::{program, target};
use anyhow::{Context, Result, bail};
use generate::TRAPS;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How much more than for the ordinary file alone a program may hold at once.
const MOST_ABOVE: u64 = 64 << 20;
const MEBIBYTE: f64 = 1_048_576.0;

/// Imports every trap and prints what it cost.
pub(crate) fn measure(root: &Path) -> Result<()> {
    let reader = Reader { fitness: program(root)?, folder: target(root)?.join("hostile") };
    if reader.folder.exists() {
        fs::remove_dir_all(&reader.folder).context("clearing the last run's files")?;
    }
    let mut failures = 0;
    // Twice, because the first program to start also pays for pages that the others find in memory.
    let plain = reader.read("ordinary", None)?.memory.max(reader.read("ordinary again", None)?.memory);
    println!("an ordinary file alone: {:.0} MiB\n", plain as f64 / MEBIBYTE);
    println!("{:<44} {:>9} {:>11}  what was said", "", "MiB above", "s of processor");
    for trap in TRAPS {
        let read = reader.read(trap.name, Some(trap))?;
        let above = read.memory.saturating_sub(plain);
        let (heavy, silent) = (above > MOST_ABOVE, trap.refused && read.said.is_none());
        let verdict = match (heavy, silent, read.ordinary_came_in) {
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
            read.said.as_deref().unwrap_or("read")
        );
    }
    drop(fs::remove_dir_all(&reader.folder));
    if failures > 0 {
        bail!("{failures} of {} traps did harm", TRAPS.len());
    }
    println!("\n{} traps, none did harm", TRAPS.len());
    Ok(())
}

/// A file made to harm.
struct Trap {
    name: &'static str,
    /// Its extension, by which the program takes it for what it claims to be.
    file: &'static str,
    /// Whether a line must say why it was left out; what is merely too long may be read in part.
    refused: bool,
    write: fn(&mut dyn Write) -> std::io::Result<()>,
    /// Bytes of nothing at its end, which take no room on the disk.
    hollow: u64,
}

struct Read {
    memory: u64,
    seconds: f64,
    said: Option<String>,
    ordinary_came_in: bool,
}

struct Reader {
    fitness: PathBuf,
    folder: PathBuf,
}

impl Reader {
    /// Imports a trap, if any, together with an ordinary file into an empty database.
    fn read(&self, name: &str, trap: Option<&Trap>) -> Result<Read> {
        let home = self.folder.join(name.replace(|c: char| !c.is_alphanumeric(), "-"));
        let inbox = home.join("inbox");
        fs::create_dir_all(&inbox)?;
        fs::write(inbox.join("ordinary.gpx"), generate::ORDINARY)?;
        if let Some(trap) = trap {
            let mut file = BufWriter::new(File::create(inbox.join(trap.file))?);
            (trap.write)(&mut file)?;
            let file = file.into_inner()?;
            let length = file.metadata()?.len();
            file.set_len(length + trap.hollow)?;
        }
        self.fitness(&home, &["user", "add", "Ann", "--zone", "Europe/Zurich"])?;
        let ran = self.fitness(&home, &["import", "--json", &inbox.to_string_lossy()])?;
        let told: Value = serde_json::from_str(&ran.printed).context("an import told no JSON")?;
        let skipped = told["skipped"].as_array().context("an import told nothing of what it skipped")?;
        let said = skipped.first().map(|skip| skip["reason"].as_str().unwrap_or_default().to_owned());
        fs::remove_dir_all(&home)?;
        Ok(Read {
            memory: ran.most_memory,
            seconds: ran.seconds,
            said,
            ordinary_came_in: told["added"].as_u64() >= Some(1),
        })
    }

    fn fitness(&self, home: &Path, arguments: &[&str]) -> Result<crate::bench::child_process::Ran> {
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
