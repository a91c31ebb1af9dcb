//! `cargo xtask bench web`: pages per second for an athlete with ten years of data, measured with
//! `wrk` over loopback, a few seconds per page.

use super::{Bench, BenchResult, Figure, Size, check_limits};
use crate::demo_server::DemoServer;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Main pages with their minimum number of requests per second.
const PAGES: [(&str, f64); 6] = [
    ("/", 1500.0),
    ("/plan", 1000.0),
    ("/activities", 1000.0),
    ("/trends", 1000.0),
    ("/coach", 1000.0),
    ("/settings", 1000.0),
];
const CONNECTIONS: &str = "8";
/// Number of server starts of which the median is taken.
const START_COUNT: usize = 9;

pub(crate) fn web(root: &Path) -> Result<()> {
    check_limits(&measure_web(root, Size::FULL)?.figures)
}

pub(super) fn measure_web(root: &Path, size: Size) -> Result<BenchResult> {
    let mut measured = BenchResult::default();
    let bench = Bench::set_up(root)?;
    if Command::new("wrk").arg("-v").output().is_err() {
        bail!("wrk is not installed; most distributions package it");
    }
    let make = ["demo", "--only-make", "--json", "--years"];
    super::run(bench.command(&bench.fitness, "none.db").args(make).arg(size.years.to_string()))?;
    let server = restart_server(&bench)?;
    let cookie = server.sign_in()?;
    let mut slowest: f64 = 0.0;
    let mut largest: usize = 0;
    for (path, wanted) in PAGES {
        let begun = Instant::now();
        let page = server.get(path, &cookie)?;
        let first = begun.elapsed().as_secs_f64() * 1000.0;
        if !page.starts_with("HTTP/1.1 200") {
            bail!("{path} returned {}", page.lines().next().unwrap_or_default());
        }
        let bytes = bytes_to_paint(&server, &page)?;
        let (rate, p99) = run_wrk(&server, path, &cookie, size.seconds)?;
        measured.add_note(format!(
            "{path}: {rate:.0} requests/s, p99 {p99:.1} ms, first request {first:.1} ms, \
             {bytes} bytes with CSS and JavaScript"
        ));
        slowest = slowest.max(p99);
        largest = largest.max(bytes);
        measured.figures.push(Figure::at_least(path, rate, wanted, wanted));
    }
    let figures = &mut measured.figures;
    figures.push(Figure::at_most("p99 at 8 connections, ms", slowest, 25.0));
    figures.push(Figure::at_most("memory, MB", server.resident_megabytes()?, 120.0));
    figures.push(Figure::at_most("largest page with CSS and JavaScript, kB", largest as f64 / 1000.0, 60.0));
    drop(server);
    let started = start_to_first_page(&bench, &cookie)?;
    measured.figures.push(Figure::at_most("process start to first page, ms", started, 150.0));
    bench.clean_up();
    Ok(measured)
}

/// Starts the server on the existing demo data.
fn restart_server(bench: &Bench) -> Result<DemoServer> {
    let mut command = bench.command(&bench.fitness, "none.db");
    command.args(["demo", "--keep"]);
    DemoServer::start(command)
}

/// Milliseconds from process start to the last byte of Today for a signed-in browser, the median of
/// `START_COUNT` starts.
fn start_to_first_page(bench: &Bench, cookie: &str) -> Result<f64> {
    let mut seen = Vec::with_capacity(START_COUNT);
    for _ in 0..START_COUNT {
        let begun = Instant::now();
        let server = restart_server(bench)?;
        let page = server.get("/", cookie)?;
        seen.push(begun.elapsed().as_secs_f64() * 1000.0);
        if !page.starts_with("HTTP/1.1 200") {
            bail!("after a restart, / returned {}", page.lines().next().unwrap_or_default());
        }
    }
    seen.sort_by(f64::total_cmp);
    Ok(seen[START_COUNT / 2])
}

/// Size of the page with its CSS and JavaScript.
fn bytes_to_paint(demo: &DemoServer, page: &str) -> Result<usize> {
    let length = |answer: &str| answer.split_once("\r\n\r\n").map_or(0, |(_, body)| body.len());
    let assets = page.split('"').filter(|text| text.starts_with("/assets/"));
    let assets: Vec<_> = assets.filter(|text| text.ends_with(".css") || text.ends_with(".js")).collect();
    if assets.is_empty() {
        bail!("the page has no CSS or JavaScript");
    }
    let mut bytes = length(page);
    for asset in assets {
        bytes += length(&demo.get(asset, "")?);
    }
    Ok(bytes)
}

/// Requests per second, and the 99th percentile of the latency in milliseconds.
fn run_wrk(demo: &DemoServer, path: &str, cookie: &str, seconds: u32) -> Result<(f64, f64)> {
    let address = format!("http://{}{path}", demo.host);
    let told = Command::new("wrk")
        .args(["-t", "2", "-c", CONNECTIONS, "-d", &format!("{seconds}s"), "--latency", "-H"])
        .arg(format!("Cookie: {cookie}"))
        .arg(address)
        .output()?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    if told.contains("Non-2xx") {
        bail!("{path} returned errors: {told}");
    }
    let after = |label: &str| told.lines().find_map(|line| line.trim().strip_prefix(label)).map(str::trim);
    let rate =
        after("Requests/sec:").and_then(|text| text.parse().ok()).context("no rate in the output of wrk")?;
    let p99 = after("99%").and_then(parse_milliseconds).context("no latency in the output of wrk")?;
    Ok((rate, p99))
}

/// `1.23ms`, `890.00us` or `1.05s` in milliseconds.
fn parse_milliseconds(text: &str) -> Option<f64> {
    let (number, times) = match text {
        _ if text.ends_with("us") => (text.strip_suffix("us")?, 0.001),
        _ if text.ends_with("ms") => (text.strip_suffix("ms")?, 1.0),
        _ => (text.strip_suffix('s')?, 1000.0),
    };
    Some(number.parse::<f64>().ok()? * times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrk_latency_is_parsed() {
        assert_eq!(
            ["890.00us", "1.50ms", "1.05s", "?"].map(parse_milliseconds),
            [Some(0.89), Some(1.5), Some(1050.0), None]
        );
    }
}
