//! `cargo xtask coverage`: how much of each crate ran in the tests, and whether that is enough.
//!
//! The tests that `./check` runs are built with counters (`coverage/rustc`), and each program that ends writes down what of
//! it ran, those that tests start included. Here this is put together and read line by line. Tests and test kits
//! are not counted: that they run proves nothing.

use crate::workspace::{cargo, target_dir};
use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::Message;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The crates whose coverage is a condition, in percent of their lines.
const MIN_PERCENT: &[(&str, f64)] =
    &[("fitness-core", 90.0), ("fitness-store", 90.0), ("fitness-coach", 90.0)];
/// Below so many percent a file is named.
const LISTED_BELOW_PERCENT: f64 = 70.0;

/// Prints the table, and fails where too little ran.
pub(crate) fn measure(root: &Path) -> Result<()> {
    let written = match std::env::var_os("LLVM_PROFILE_FILE") {
        Some(file) => PathBuf::from(file).parent().map(Path::to_owned).unwrap_or_default(),
        None => target_dir(root)?.join("check/coverage"),
    };
    let tools = find_llvm_tools()?;
    let merged = written.join("merged.profdata");
    merge_profiles(&tools, &written, &merged)?;
    let programs = list_test_programs(root)?;
    let lines = parse_lcov(&run_lcov(root, &tools, &merged, &programs)?, root);
    let sources: BTreeMap<String, String> = lines
        .keys()
        .map(|path| Ok((path.clone(), fs::read_to_string(root.join(path)).with_context(|| path.clone())?)))
        .collect::<Result<_>>()?;
    let files = file_coverage(&lines, &sources);
    let (table, enough) = render_table(&files);
    print!("{table}");
    ensure!(enough, "too little of the code runs in the tests");
    Ok(())
}

/// How many lines of a file are code, and how many of them ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct LineCoverage {
    lines: usize,
    covered: usize,
}

impl LineCoverage {
    fn percent(self) -> f64 {
        if self.lines == 0 { 100.0 } else { 100.0 * self.covered as f64 / self.lines as f64 }
    }
}

/// The lines of each file from the root, each with whether it ran in any program.
type Lines = BTreeMap<String, BTreeMap<usize, bool>>;

/// Reads the format of lcov: `SF:` names a file, `DA:` a line and how often it ran.
fn parse_lcov(lcov: &str, root: &Path) -> Lines {
    let mut lines = Lines::new();
    let mut file = None;
    for record in lcov.lines() {
        if let Some(path) = record.strip_prefix("SF:") {
            let path = Path::new(path);
            let path = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
            file = Some(lines.entry(path).or_default());
        } else if let (Some(data), Some(file)) = (record.strip_prefix("DA:"), &mut file) {
            let mut fields = data.split(',').map(str::parse::<usize>);
            if let (Some(Ok(line)), Some(Ok(times))) = (fields.next(), fields.next()) {
                *file.entry(line).or_default() |= times > 0;
            }
        }
    }
    lines
}

/// What counts of each file: nothing of tests and test kits.
fn file_coverage(lines: &Lines, sources: &BTreeMap<String, String>) -> BTreeMap<String, LineCoverage> {
    let mut files = BTreeMap::new();
    for (path, lines) in lines.iter().filter(|(path, _)| is_counted(path)) {
        let tests = sources.get(path).map(|source| test_lines(source)).unwrap_or_default();
        let mut ran = LineCoverage::default();
        for (_, hit) in lines.iter().filter(|(line, _)| !tests.contains(line)) {
            ran.lines += 1;
            ran.covered += usize::from(*hit);
        }
        files.insert(path.clone(), ran);
    }
    files
}

/// Whether a file is part of what is delivered.
fn is_counted(path: &str) -> bool {
    let mut parts = path.split('/').map(|part| part.trim_end_matches(".rs"));
    parts.next() == Some("crates")
        && parts.nth(1) == Some("src")
        && parts.all(|part| !matches!(part, "tests" | "testkit"))
}

/// The lines of `#[cfg(test)] mod tests { … }`, which formatting ends with a brace at its own depth.
fn test_lines(source: &str) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut lines = source.lines().zip(1..).peekable();
    while let Some((line, number)) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            continue;
        }
        let depth = line.len() - line.trim_start().len();
        let end = format!("{}}}", " ".repeat(depth));
        found.insert(number);
        for (line, number) in lines.by_ref() {
            found.insert(number);
            let same_depth = line.len() - line.trim_start().len() == depth;
            if line == end || (same_depth && line.ends_with(';')) {
                break;
            }
        }
    }
    found
}

/// The table, and whether every crate has enough.
fn render_table(files: &BTreeMap<String, LineCoverage>) -> (String, bool) {
    let mut crates: BTreeMap<&str, LineCoverage> = BTreeMap::new();
    for (path, ran) in files {
        let name = path.split('/').nth(1).unwrap_or_default();
        let sum = crates.entry(name).or_default();
        *sum = LineCoverage { lines: sum.lines + ran.lines, covered: sum.covered + ran.covered };
    }
    let mut table = format!("{:<18} {:>7} {:>7} {:>8}\n", "crate", "lines", "ran", "percent");
    let mut enough = true;
    for (name, ran) in &crates {
        let _ = write!(table, "{name:<18} {:>7} {:>7} {:>8.2}", ran.lines, ran.covered, ran.percent());
        let wanted = MIN_PERCENT.iter().find(|(wanted, _)| wanted == name).map(|(_, percent)| *percent);
        let short = wanted.is_some_and(|wanted| ran.percent() < wanted);
        enough &= !short;
        let _ = match wanted {
            Some(wanted) if short => writeln!(table, "  TOO LITTLE: {wanted} is wanted"),
            Some(wanted) => writeln!(table, "  at least {wanted}"),
            None => writeln!(table),
        };
    }
    for (name, _) in MIN_PERCENT.iter().filter(|(name, _)| crates.get(name).is_none_or(|ran| ran.lines == 0))
    {
        enough = false;
        let _ = writeln!(table, "{name}: NOTHING was counted");
    }
    let mut low: Vec<_> = files.iter().filter(|(_, ran)| ran.percent() < LISTED_BELOW_PERCENT).collect();
    low.sort_by(|(_, a), (_, b)| a.percent().total_cmp(&b.percent()));
    if !low.is_empty() {
        let _ = writeln!(table, "\nfiles below {LISTED_BELOW_PERCENT} percent:");
    }
    for (path, ran) in low {
        let _ = writeln!(table, "{:>6.2}  {path} ({} of {} lines)", ran.percent(), ran.covered, ran.lines);
    }
    (table, enough)
}

/// The folder of LLVM's tools: what `./check` found, else those that come with the compiler.
fn find_llvm_tools() -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os("FITNESS_LLVM") {
        return Ok(folder.into());
    }
    let told = |arguments: &[&str]| -> Result<String> {
        let out = Command::new("rustc").args(arguments).output().context("rustc")?;
        Ok(String::from_utf8(out.stdout)?)
    };
    let version = told(&["-vV"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    let folder = Path::new(told(&["--print", "sysroot"])?.trim()).join(format!("lib/rustlib/{host}/bin"));
    if !folder.join("llvm-cov").exists() {
        bail!("LLVM's tools are missing: `rustup component add llvm-tools` installs them");
    }
    Ok(folder)
}

/// Puts together what every program wrote. One that was killed while it wrote spoils only its own.
fn merge_profiles(tools: &Path, written: &Path, merged: &Path) -> Result<()> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(written).with_context(|| written.display().to_string())? {
        files.push(entry?.path());
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "profraw"));
    ensure!(!files.is_empty(), "no program wrote what of it ran; ./check builds them so that they do");
    let list: Vec<_> = files.iter().map(|path| path.to_string_lossy()).collect();
    let named = written.join("written.txt");
    fs::write(&named, list.join("\n"))?;
    let status = Command::new(tools.join("llvm-profdata"))
        .args(["merge", "--sparse", "--failure-mode=all", "--input-files"])
        .arg(&named)
        .arg("--output")
        .arg(merged)
        .status()
        .context("llvm-profdata")?;
    ensure!(status.success(), "llvm-profdata could not read what the programs wrote");
    Ok(())
}

/// Every program of the tests, as cargo names them.
fn list_test_programs(root: &Path) -> Result<Vec<PathBuf>> {
    let mut cargo = cargo(root)
        .args(["test", "--quiet", "--workspace", "--all-targets", "--all-features", "--no-run"])
        .arg("--message-format=json")
        .env("RUSTC_WORKSPACE_WRAPPER", root.join("xtask/src/coverage/rustc"))
        .stdout(Stdio::piped())
        .spawn()
        .context("cargo test --no-run")?;
    let printed = cargo.stdout.take().context("cargo's output")?;
    let mut programs = Vec::new();
    for message in Message::parse_stream(BufReader::new(printed)) {
        if let Message::CompilerArtifact(artifact) = message? {
            programs.extend(artifact.executable.map(PathBuf::from));
        }
    }
    ensure!(cargo.wait()?.success(), "the build failed");
    Ok(programs)
}

/// Which line of which file ran how often.
fn run_lcov(root: &Path, tools: &Path, merged: &Path, programs: &[PathBuf]) -> Result<String> {
    let mut command = Command::new(tools.join("llvm-cov"));
    command
        .args(["export", "--format=lcov", "--skip-functions", "--skip-branches", "--instr-profile"])
        .arg(merged);
    for program in programs {
        command.arg("--object").arg(program);
    }
    command.arg("--sources").arg(root.join("crates"));
    let out = command.stderr(Stdio::inherit()).output().context("llvm-cov")?;
    ensure!(out.status.success(), "llvm-cov could not read the programs");
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str =
        "fn a() {\n    1\n}\n\n#[cfg(test)]\nmod tests {\n    fn t() {\n        a();\n    }\n}\nfn b() {}\n";

    #[test]
    fn tests_and_test_kits_do_not_count() {
        assert!(is_counted("crates/fitness-core/src/plan/lint.rs"));
        for path in [
            "crates/fitness-core/src/plan/tests.rs",
            "crates/fitness-core/src/plan/lint/tests/weeks.rs",
            "crates/fitness-coach/src/testkit/server.rs",
            "crates/fitness-mcp/src/testkit.rs",
            "crates/fitness-core/tests/it/main.rs",
            "xtask/src/main.rs",
        ] {
            assert!(!is_counted(path), "{path}");
        }
        assert_eq!(test_lines(SOURCE), (5..=10).collect());
        assert_eq!(test_lines("#[cfg(test)]\nmod tests;\nfn a() {}\n"), (1..=2).collect());
    }

    #[test]
    fn line_covered_by_any_program_is_covered() {
        let lcov = "SF:/r/crates/fitness-core/src/a.rs\nDA:1,0\nDA:2,3\nend_of_record\n\
                    SF:/r/crates/fitness-core/src/a.rs\nDA:1,2\nDA:7,0\nDA:11,0\nend_of_record\n";
        let lines = parse_lcov(lcov, Path::new("/r"));
        let path = "crates/fitness-core/src/a.rs";
        let sources = BTreeMap::from([(path.to_owned(), SOURCE.to_owned())]);
        assert_eq!(
            file_coverage(&lines, &sources),
            BTreeMap::from([(path.to_owned(), LineCoverage { lines: 3, covered: 2 })])
        );
    }

    #[test]
    fn coverage_below_the_minimum_fails() {
        let all = |ran| {
            let file = |(name, _): &(&str, f64)| {
                (format!("crates/{name}/src/lib.rs"), LineCoverage { lines: 1000, covered: ran })
            };
            MIN_PERCENT.iter().map(file).collect::<BTreeMap<_, _>>()
        };
        let (table, enough) = render_table(&all(900));
        assert!(enough, "{table}");
        let (table, enough) = render_table(&all(899));
        assert!(!enough && table.contains("TOO LITTLE: 90 is wanted"), "{table}");
        let mut without = all(1000);
        without.remove("crates/fitness-store/src/lib.rs");
        let (table, enough) = render_table(&without);
        assert!(!enough && table.contains("fitness-store: NOTHING was counted"), "{table}");
        let mut low = all(1000);
        low.insert("crates/fitness-core/src/b.rs".to_owned(), LineCoverage { lines: 10, covered: 6 });
        let (table, enough) = render_table(&low);
        assert!(enough && table.contains(" 60.00  crates/fitness-core/src/b.rs (6 of 10 lines)"), "{table}");
    }
}
