//! Benchmarks. `cargo xtask bench ingest` measures an import of ten years, `bench metrics` the
//! computation of metrics, `bench web` the pages; `bench all` runs all three and writes
//! `docs/benchmarks.md`.
//!
//! Imports and metrics are measured in CPU time. Benchmarks are not tests, because they depend on
//! the machine, but the exit code is 1 if a limit is missed.

pub(crate) mod child_process;
mod report;
mod web;

pub(crate) use report::bench_all;
pub(crate) use web::web;

use crate::workspace::{build, target_dir};
use anyhow::{Context, Result, bail};
use child_process::{ProcessResult, run};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Fixed last day of the demo exports, so that every run reads the same files.
const END_DATE: &str = "2026-11-15";
/// Every how many files one is decoded with Garmin's SDK; all of them would take most of an hour.
const SAMPLE_SIZE: u32 = 60;
const SAMPLE: &str = include_str!("sample.py");
const REFERENCE: &str = include_str!("reference.py");
/// Number of activities that `recompute ... updates` changes, one after the other.
const UPDATES: f64 = 100.0;
const MEBIBYTE: f64 = 1_048_576.0;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// Years of training of the long history.
    years: u32,
    /// How long each page is requested, in seconds.
    seconds: u32,
}

impl Size {
    /// The size that the limits apply to.
    pub(crate) const FULL: Self = Self { years: 10, seconds: 8 };
    /// For testing the benchmark itself.
    pub(crate) const SMALL: Self = Self { years: 2, seconds: 1 };
}

/// Observations, and figures that have a limit.
#[derive(Default)]
struct BenchResult {
    notes: Vec<String>,
    figures: Vec<Figure>,
}

impl BenchResult {
    fn add_note(&mut self, line: String) {
        println!("{line}");
        self.notes.push(line);
    }
}

pub(crate) fn ingest(root: &Path) -> Result<()> {
    check_limits(&measure_ingest(root, Size::FULL)?.figures)
}

fn measure_ingest(root: &Path, size: Size) -> Result<BenchResult> {
    let mut measured = BenchResult::default();
    let bench = Bench::set_up(root)?;
    let ten = bench.export(size.years)?;
    let one = bench.export(1)?;
    measured.add_note(format!(
        "{} years: {} activities, {} records, {:.0} MiB of FIT files",
        size.years,
        ten.activities,
        ten.records,
        ten.fit_bytes / MEBIBYTE
    ));
    // Short runs before, between and after the long ones, so that other load affects only some of
    // them.
    let mut short = vec![bench.fresh_import(&one, "one-a.db")?];
    let first = bench.fresh_import(&ten, "ten.db")?;
    short.push(bench.fresh_import(&one, "one-b.db")?);
    let before = bench.fingerprint("ten.db")?;
    let mut changes = 0;
    let mut repeat = |options: &[&str]| -> Result<ProcessResult> {
        let ran = bench.import(&ten, "ten.db", options)?;
        changes += u8::from(!is_unchanged(&ran)? || bench.fingerprint("ten.db")? != before);
        Ok(ran)
    };
    let (second, again) = (repeat(&[])?, repeat(&["--again"])?);
    short.push(bench.fresh_import(&one, "one-c.db")?);
    let python = bench.decode_with_sdk(&ten)?;

    short.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let growth = (first.seconds / ten.activities) / (short[1].seconds / one.activities);
    let memory = first.peak_memory as f64 / MEBIBYTE;
    let lines = [
        format!("first import: {:.2} s CPU time, {memory:.0} MiB peak memory", first.seconds),
        format!("second import: {:.2} s", second.seconds),
        format!("second import with `--again` (reads everything again): {:.2} s", again.seconds),
        format!("one year: {:.2} s (median of {})", short[1].seconds, short.len()),
    ];
    lines.into_iter().for_each(|line| measured.add_note(line));
    // NaN, so that a ratio that was not measured counts as missed.
    let ratio = match python {
        Some(SdkEstimate { seconds, sample_size: sampled }) => {
            measured.add_note(format!(
                "Garmin's Python SDK: {seconds:.2} s to decode the same files, extrapolated from {sampled}"
            ));
            seconds / first.seconds
        }
        None => {
            measured.add_note(
                "Garmin's Python SDK is not available, so the ratio to it was NOT MEASURED".to_owned(),
            );
            f64::NAN
        }
    };
    let figures = &mut measured.figures;
    figures.push(Figure::at_least("speed-up over decoding with Garmin's SDK", ratio, 30.0, 60.0));
    figures.push(Figure::at_least(
        "speed-up of the second import",
        first.seconds / second.seconds,
        10.0,
        10.0,
    ));
    figures.push(Figure::at_most("repeated imports that changed a row", changes.into(), 0.0));
    figures.push(Figure::at_most("time per activity, ten years / one year", growth, 1.2));
    figures.push(Figure::at_most("peak memory, MiB", memory, 200.0));
    bench.clean_up();
    Ok(measured)
}

pub(crate) fn metrics(root: &Path) -> Result<()> {
    check_limits(&measure_metrics(root, Size::FULL)?.figures)
}

fn measure_metrics(root: &Path, size: Size) -> Result<BenchResult> {
    let mut measured = BenchResult::default();
    let bench = Bench::set_up(root)?;
    let (ten, one) = (bench.export(size.years)?, bench.export(1)?);
    bench.fresh_import(&one, "one.db")?;
    bench.fresh_import(&ten, "ten.db")?;
    let all = bench.recompute("ten.db", "all")?;
    // Short runs before and after the long one, so that other load affects only one of them.
    let short = bench.recompute("one.db", "days")?;
    let days = bench.recompute("ten.db", "days")?;
    let short = short.min(bench.recompute("one.db", "days")?);
    let (idle, updated) = (bench.recompute("ten.db", "none")?, bench.recompute("ten.db", "updates")?);
    let update = (updated - idle) / UPDATES;
    let script = bench.folder.join("reference.py");
    fs::write(&script, REFERENCE)?;
    let reference = run(Command::new("python3").arg(script).arg(bench.folder.join("ten.db")))?;
    let lines = [
        format!("{} years: {} activities, {} records", size.years, ten.activities, ten.records),
        format!("everything, from the recordings: {all:.3} s CPU time"),
        format!(
            "loads, thresholds and days: {days:.3} s; for one year: {short:.3} s; \
             process start alone: {idle:.3} s"
        ),
        format!("one new activity: {update:.4} s"),
        format!(
            "day by day with SQL queries, in Python: {:.3} s: {}",
            reference.seconds,
            reference.stdout.trim()
        ),
    ];
    lines.into_iter().for_each(|line| measured.add_note(line));
    bench.clean_up();
    measured.figures = vec![
        Figure::at_least("speed-up over day-by-day queries", reference.seconds / (days - idle), 20.0, 20.0),
        Figure::at_most("one activity, share of everything", update / (all - idle), 1.0 / 50.0),
        Figure::at_most("one activity, share of all days", update / (days - idle), 1.0 / 50.0),
        Figure::at_most("all years / one year", (days - idle) / (short - idle), 1.1 * f64::from(size.years)),
    ];
    Ok(measured)
}

/// A measured value with its limit and the goal beyond that.
struct Figure {
    name: &'static str,
    value: f64,
    limit: f64,
    goal: f64,
    more_is_better: bool,
}

impl Figure {
    const fn at_least(name: &'static str, value: f64, limit: f64, goal: f64) -> Self {
        Self { name, value, limit, goal, more_is_better: true }
    }

    const fn at_most(name: &'static str, value: f64, limit: f64) -> Self {
        Self { name, value, limit, goal: limit, more_is_better: false }
    }

    /// NaN is never within a limit.
    fn is_within(&self, limit: f64) -> bool {
        if self.more_is_better { self.value >= limit } else { self.value <= limit }
    }

    fn verdict(&self) -> &'static str {
        if self.value.is_nan() {
            return "NOT MEASURED";
        }
        match (self.is_within(self.limit), self.is_within(self.goal)) {
            (true, true) => "met",
            (true, false) => "below the goal",
            (false, _) => "MISSED",
        }
    }
}

fn check_limits(figures: &[Figure]) -> Result<()> {
    println!("\n{:<40} {:>8}  {:>8}  {:>8}", "", "measured", "limit", "goal");
    for figure in figures {
        let Figure { name: what, value, limit: must, goal, .. } = figure;
        println!("{what:<40} {value:>8.2}  {must:>8}  {goal:>8}  {}", figure.verdict());
    }
    let missed = figures.iter().filter(|figure| !figure.is_within(figure.limit)).count();
    if missed > 0 {
        bail!("{missed} of {} limits missed", figures.len());
    }
    Ok(())
}

/// An account export of the demo athlete, with its size.
struct Export {
    file: PathBuf,
    activities: f64,
    records: f64,
    fit_bytes: f64,
}

/// CPU seconds for decoding all files with the SDK, extrapolated from a sample.
struct SdkEstimate {
    seconds: f64,
    sample_size: f64,
}

struct Bench {
    root: PathBuf,
    fitness: PathBuf,
    fingerprint: PathBuf,
    folder: PathBuf,
}

impl Bench {
    /// Builds the programs and creates an empty folder.
    fn set_up(root: &Path) -> Result<Self> {
        let release = target_dir(root)?.join("release");
        for package in [
            ["-p", "local-fitness", "--bin", "fitness"],
            ["-p", "fitness-store", "--example", "fingerprint"],
            ["-p", "fitness-ingest", "--example", "recompute"],
        ] {
            build(root, &[&["--release"], &package[..]].concat())?;
        }
        let folder = target_dir(root)?.join("bench");
        if folder.exists() {
            fs::remove_dir_all(&folder).context("removing the files of the last run")?;
        }
        fs::create_dir_all(&folder)?;
        Ok(Self {
            root: root.to_owned(),
            fitness: release.join("fitness"),
            fingerprint: release.join("examples/fingerprint"),
            folder,
        })
    }

    /// A command whose home is the benchmark's folder, so that it does not touch the user's data.
    fn command(&self, program: &Path, database: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env("HOME", &self.folder)
            .env("XDG_DATA_HOME", &self.folder)
            .env("TMPDIR", &self.folder)
            .env("FITNESS_DB", self.folder.join(database));
        command
    }

    fn export(&self, years: u32) -> Result<Export> {
        let folder = self.folder.join(format!("{years}-years"));
        let mut command = self.command(&self.fitness, "none.db");
        command
            .args(["demo", "--json", "--ends", END_DATE, "--years", &years.to_string(), "--export"])
            .arg(folder);
        let told: Value = serde_json::from_str(&run(&mut command)?.stdout)?;
        let number =
            |key: &str| told[key].as_f64().with_context(|| format!("the demo's output has no {key}"));
        Ok(Export {
            file: told["file"].as_str().context("the demo's output has no file")?.into(),
            activities: number("activities")?,
            records: number("records")?,
            fit_bytes: number("fit_bytes")?,
        })
    }

    fn fresh_import(&self, export: &Export, database: &str) -> Result<ProcessResult> {
        run(self.command(&self.fitness, database).args(["user", "add", "bench", "--zone", "Europe/Zurich"]))?;
        let ran = self.import(export, database, &[])?;
        if parse_outcome(&ran)?["added"].as_f64() != Some(export.activities) {
            bail!("not all activities were imported: {}", ran.stdout);
        }
        Ok(ran)
    }

    fn import(&self, export: &Export, database: &str, options: &[&str]) -> Result<ProcessResult> {
        let mut command = self.command(&self.fitness, database);
        run(command.args(["import", "--json"]).args(options).arg(&export.file))
    }

    /// CPU seconds of a recomputation. In a process of its own: see [`run`].
    fn recompute(&self, database: &str, what: &str) -> Result<f64> {
        let program = self.fingerprint.with_file_name("recompute");
        Ok(run(self.command(&program, database).arg(self.folder.join(database)).arg(what))?.seconds)
    }

    /// Hash of the imported data. In a process of its own: see [`run`].
    fn fingerprint(&self, database: &str) -> Result<String> {
        let file = self.folder.join(database);
        Ok(run(self.command(&self.fingerprint, database).arg(file).arg("bench"))?.stdout)
    }

    /// CPU seconds that Garmin's SDK needs to decode the files; `None` if it is not available.
    fn decode_with_sdk(&self, export: &Export) -> Result<Option<SdkEstimate>> {
        let Some(python) = self.python()? else { return Ok(None) };
        let script = self.folder.join("sample.py");
        fs::write(&script, SAMPLE)?;
        let ran = run(Command::new(python).arg(script).arg(&export.file).arg(SAMPLE_SIZE.to_string()))?;
        let told: Value = serde_json::from_str(&ran.stdout)?;
        let number = |key: &str| told[key].as_f64().with_context(|| format!("the sample has no {key}"));
        let seconds = number("seconds")? * number("bytes")? / number("sample_bytes")?;
        Ok(Some(SdkEstimate { seconds, sample_size: number("files")? }))
    }

    /// A Python with Garmin's SDK: `FITNESS_PYTHON`, or the virtual environment of `./check`,
    /// created if necessary.
    fn python(&self) -> Result<Option<PathBuf>> {
        if let Some(named) = std::env::var_os("FITNESS_PYTHON") {
            return Ok(Some(named.into()));
        }
        let venv = target_dir(&self.root)?.join("check/venv");
        let (python, pip) = (venv.join("bin/python"), venv.join("bin/pip"));
        let works = |command: &mut Command| command.status().is_ok_and(|status| status.success());
        let has_sdk = || works(Command::new(&python).args(["-c", "import garmin_fit_sdk"]));
        let made = python.exists() && has_sdk()
            || works(Command::new("python3").args(["-m", "venv"]).arg(&venv))
                && works(Command::new(&pip).args([
                    "install",
                    "--quiet",
                    "--disable-pip-version-check",
                    "garmin-fit-sdk",
                ]))
                && has_sdk();
        Ok(made.then_some(python))
    }

    /// Removes half a gigabyte of files. A failure does not affect the figures.
    fn clean_up(&self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn parse_outcome(ran: &ProcessResult) -> Result<Value> {
    serde_json::from_str(&ran.stdout).context("the import printed no JSON")
}

fn is_unchanged(ran: &ProcessResult) -> Result<bool> {
    let outcome = parse_outcome(ran)?;
    Ok(["added", "joined", "changed", "days"].iter().all(|key| outcome[key] == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_verdict_depends_on_limit_and_goal() {
        let verdict = |value| Figure::at_least("x", value, 30.0, 60.0).verdict();
        assert_eq!(
            [29.9, 30.0, 60.0, f64::NAN].map(verdict),
            ["MISSED", "below the goal", "met", "NOT MEASURED"]
        );
        let verdict = |value| Figure::at_most("x", value, 1.2).verdict();
        assert_eq!([1.2, 1.3, f64::NAN].map(verdict), ["met", "MISSED", "NOT MEASURED"]);
    }

    #[test]
    fn missed_limit_is_an_error() {
        assert!(check_limits(&[Figure::at_most("x", 1.0, 1.0)]).is_ok());
        let missed = check_limits(&[Figure::at_most("x", 1.0, 1.0), Figure::at_most("y", 2.0, 1.0)]);
        assert_eq!(missed.unwrap_err().to_string(), "1 of 2 limits missed");
        assert!(
            check_limits(&[Figure::at_least("z", f64::NAN, 1.0, 1.0)]).is_err(),
            "an unmeasured figure is not met"
        );
    }
}
