//! `cargo xtask bench all`: everything that is measured, as `docs/benchmarks.md`.

use super::{BenchResult, Figure, Size, check_limits, measure_ingest, measure_metrics, web::measure_web};
use crate::workspace::target_dir;
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// What is measured: how it is asked for alone, and what it is about.
const PARTS: [(&str, &str); 3] = [
    ("cargo xtask bench ingest", "Importing an account export into an empty database, and again"),
    ("cargo xtask bench metrics", "Working out what the data means"),
    ("cargo xtask bench web", "Pages, by `wrk` over eight connections on the same machine"),
];

/// Measures everything and writes the document; what misses a limit is written down too, and is a failure all the same. A small run
/// shows that it works: its document goes to the build's own folder.
pub(crate) fn bench_all(root: &Path, small: bool) -> Result<()> {
    let size = if small { Size::SMALL } else { Size::FULL };
    let parts = [measure_ingest(root, size)?, measure_metrics(root, size)?, measure_web(root, size)?];
    let path = if small { target_dir(root)?.join("benchmarks.md") } else { root.join("docs/benchmarks.md") };
    let text = render_document(&today()?, &machine(), size, &parts);
    std::fs::write(&path, text).with_context(|| path.display().to_string())?;
    println!("\n{} is written", path.display());
    let figures: Vec<Figure> = parts.into_iter().flat_map(|part| part.figures).collect();
    let judged = check_limits(&figures);
    // The limits are meant for the long history.
    if small { Ok(()) } else { judged }
}

fn render_document(day: &str, machine: &str, size: Size, parts: &[BenchResult]) -> String {
    let mut text = format!(
        "# Benchmarks\n\nWritten by `cargo xtask bench all`; not by hand. Measured on {day} on {machine}, built with `--release`, with an \
         athlete who does not exist: {} years of training, made by `fitness demo`. Imports and calculations are told in seconds of processor \
         time, pages by the clock. Another machine comes to other numbers; ratios travel better than seconds.\n",
        size.years
    );
    for ((command, about), part) in PARTS.iter().zip(parts) {
        let _ = write!(text, "\n## {about}\n\n`{command}`\n\n| | measured | bound | |\n|---|---|---|---|\n");
        for figure in &part.figures {
            let _ = writeln!(text, "{}", render_row(figure));
        }
        text.push('\n');
        for line in &part.notes {
            let _ = writeln!(text, "- {line}");
        }
    }
    text
}

fn render_row(figure: &Figure) -> String {
    let Figure { name: what, value, limit: must, goal, more_is_better } = figure;
    let word = if *more_is_better { "at least" } else { "at most" };
    let goal = if goal == must { String::new() } else { format!(", {goal} wanted") };
    let value = if value.is_nan() { "–".to_owned() } else { format_value(*value) };
    format!("| {what} | {value} | {word} {}{goal} | {} |", format_value(*must), figure.verdict())
}

/// With as many digits as tell something.
fn format_value(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size < 0.1 => format!("{value:.4}"),
        size if size < 100.0 => format!("{value:.2}").trim_end_matches('0').trim_end_matches('.').to_owned(),
        _ => format!("{value:.0}"),
    }
}

/// Of what kind this machine is; not which one.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().trim_end_matches("kB").trim().parse::<f64>().ok()
    });
    let memory = memory.map_or_else(String::new, |kib| format!(", {:.0} GB of memory", kib * 1024.0 / 1e9));
    format!("a machine with {cores} cores{memory}, {} on {}", std::env::consts::OS, std::env::consts::ARCH)
}

fn today() -> Result<String> {
    let told = Command::new("date").args(["-u", "+%Y-%m-%d"]).output().context("date")?;
    Ok(String::from_utf8(told.stdout)?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_is_written_with_its_command_and_its_bound() {
        let part = |figure| BenchResult { notes: vec!["what was seen".to_owned()], figures: vec![figure] };
        let parts = [
            part(Figure::at_least("times faster", 71.456, 30.0, 60.0)),
            part(Figure::at_most("of everything", 0.0312, 0.02)),
            part(Figure::at_least("/plan", f64::NAN, 1000.0, 1000.0)),
        ];
        let text = render_document("2026-11-17", &machine(), Size::FULL, &parts);
        for wanted in [
            "Measured on 2026-11-17 on a machine with ",
            "`cargo xtask bench ingest`",
            "| times faster | 71.46 | at least 30, 60 wanted | met |",
            "| of everything | 0.0312 | at most 0.0200 | MISSED |",
            "| /plan | – | at least 1000 | NOT MEASURED |",
            "- what was seen",
        ] {
            assert!(text.contains(wanted), "no {wanted} in\n{text}");
        }
        assert!(!text.contains("2 years"));
        let day = today().unwrap();
        assert!(day.len() == 10 && day.starts_with("20"), "{day}");
    }
}
