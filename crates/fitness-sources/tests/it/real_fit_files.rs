//! Parses all shared real FIT files and compares them with Garmin's SDK.

use crate::shared_files::{files, folder, skip};
use chrono_tz::Tz;
use fitness_core::domain::source_record::Flaw;
use fitness_core::domain::stream::Channel;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_sources::fit::{self, FitFile};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::process::Command;

#[test]
fn every_real_fit_file_is_read_or_refused_with_reason() {
    let Some(folder) = folder("activity-files") else {
        return skip(
            "every_real_fit_file_is_read_or_refused_with_reason",
            "the shared activity files are not here",
        );
    };
    let (mut read, mut refused) = (0, Vec::new());
    for path in files(&folder, &["fit"]) {
        match fit::read(&std::fs::read(&path).unwrap(), Tz::UTC) {
            Ok(file) => {
                read += 1;
                for recorded in &file.activities {
                    let years = 2000..=2030;
                    let day = recorded.activity.day();
                    assert!(years.contains(&day.iso_week().year()), "{}: {day}", path.display());
                    assert!(
                        recorded.activity.elapsed.is_some() || recorded.recording.is_some(),
                        "{}",
                        path.display()
                    );
                }
            }
            Err(why) => refused.push(format!("{}: {why}", path.file_name().unwrap().display())),
        }
    }
    println!("{read} read; refused: {refused:#?}");
    assert!(read >= 60 && refused.iter().all(|why| is_expected_error(why)), "{read} read, {refused:#?}");
}

/// Garmin's SDK accepts files without timestamps and scales with several users; we cannot import
/// them.
fn is_expected_error(why: &str) -> bool {
    why.contains("clock") || why.contains("several people")
}

/// A file as decoded by Garmin's SDK.
#[derive(Debug, Deserialize)]
pub(crate) struct Official {
    records: usize,
    sessions: Vec<OfficialSession>,
}

/// Distance in metres, elapsed and timer time in seconds, mean heart rate.
#[derive(Debug, Deserialize)]
struct OfficialSession(Option<f64>, Option<f64>, Option<f64>, Option<u16>);

const SCRIPT: &str = "
import sys, json
from garmin_fit_sdk import Decoder, Stream
for path in sys.stdin.read().splitlines():
    try:
        messages, errors = Decoder(Stream.from_file(path)).read(merge_heart_rates=False)
    except Exception:
        continue
    if errors:
        continue
    sessions = [s for s in messages.get('session_mesgs', []) if s.get('sport') != 'transition' and s.get('start_time')]
    sessions.sort(key=lambda s: s['start_time'])
    print(json.dumps([path, {
        'records': len(messages.get('record_mesgs', [])),
        'sessions': [[s.get(k) for k in ('total_distance', 'total_elapsed_time', 'total_timer_time', 'avg_heart_rate')]
                     for s in sessions],
    }]))
";

/// Output of a Python script that reads paths from its input; `None` without Garmin's SDK.
fn run_garmin_sdk(script: &str, paths: &[String]) -> Option<String> {
    let python = std::env::var_os("FITNESS_PYTHON").unwrap_or_else(|| "python3".into());
    let installed =
        Command::new(&python).args(["-c", "import garmin_fit_sdk"]).output().ok()?.status.success();
    if !installed {
        return None;
    }
    let mut child = Command::new(&python)
        .args(["-c", script])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), paths.join("\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Some(String::from_utf8(output.stdout).unwrap())
}

/// All files that Garmin's SDK decodes without an error; `None` if it is not installed.
pub(crate) fn garmin_reader_results(paths: &[String]) -> Option<BTreeMap<String, Official>> {
    let lines = run_garmin_sdk(SCRIPT, paths)?;
    Some(lines.lines().map(|line| serde_json::from_str::<(String, Official)>(line).unwrap()).collect())
}

pub(crate) fn agrees(ours: &FitFile, official: &Official) -> Result<(), String> {
    if ours.records != official.records {
        return Err(format!("{} records, Garmin's reader has {}", ours.records, official.records));
    }
    let summaries: Vec<_> = ours.activities.iter().filter(|a| !a.flaws.contains(&Flaw::NoSummary)).collect();
    if summaries.len() != official.sessions.len() {
        return Err(format!("{} sessions, Garmin's reader has {}", summaries.len(), official.sessions.len()));
    }
    let close = |ours: Option<f64>, theirs: Option<f64>| match (ours, theirs) {
        (Some(a), Some(b)) => (a - b).abs() < 0.011,
        // Zero means not measured; missing values may come from the samples.
        (None, Some(b)) => b == 0.0,
        (_, None) => true,
    };
    for (ours, OfficialSession(distance, elapsed, timer, heart_rate)) in
        summaries.iter().zip(&official.sessions)
    {
        // The samples win over totals that contradict them; Garmin's reader returns the totals.
        if ours.flaws.contains(&Flaw::ContradictoryTotals) {
            continue;
        }
        let activity = &ours.activity;
        if distance.is_some_and(|d| d > 0.0) && !close(activity.distance.map(Distance::meters), *distance) {
            return Err(format!("distance {:?}, Garmin's reader has {distance:?}", activity.distance));
        }
        if !close(activity.elapsed.map(TimeSpan::seconds), *elapsed) {
            return Err(format!("elapsed {:?}, Garmin's reader has {elapsed:?}", activity.elapsed));
        }
        if activity.moving.is_some_and(|t| timer.is_some_and(|timer| t.seconds() > timer + 0.011)) {
            return Err(format!("moving {:?}, longer than the timer's {timer:?}", activity.moving));
        }
        if heart_rate.is_some_and(|bpm| bpm > 0) && activity.avg_heart_rate != *heart_rate {
            return Err(format!(
                "heart rate {:?}, Garmin's reader has {heart_rate:?}",
                activity.avg_heart_rate
            ));
        }
    }
    Ok(())
}

#[test]
fn garmin_sdk_agrees_on_real_files() {
    let test = "garmin_sdk_agrees_on_real_files";
    let Some(folder) = folder("activity-files") else {
        return skip(test, "the shared activity files are not here");
    };
    let paths: Vec<String> = files(&folder, &["fit"]).iter().map(|path| path.display().to_string()).collect();
    let Some(official) = garmin_reader_results(&paths) else {
        return skip(test, "Garmin's FIT SDK for Python (garmin-fit-sdk) is not installed");
    };
    let mut different = Vec::new();
    for (path, official) in &official {
        let name = path.rsplit('/').next().unwrap();
        match fit::read(&std::fs::read(path).unwrap(), Tz::UTC) {
            Ok(ours) => different.extend(agrees(&ours, official).err().map(|why| format!("{name}: {why}"))),
            Err(why) if is_expected_error(&why.to_string()) => {}
            Err(why) => different.push(format!("{name}: {why}")),
        }
    }
    println!("{} of {} files compared", official.len(), paths.len());
    assert!(official.len() >= 50, "only {} files compared", official.len());
    assert!(different.is_empty(), "{different:#?}");
}

const HEART_RATE_SCRIPT: &str = "
import sys, json
from garmin_fit_sdk import Decoder, Stream
for path in sys.stdin.read().splitlines():
    try:
        messages, errors = Decoder(Stream.from_file(path)).read(merge_heart_rates=True)
    except Exception:
        continue
    if errors or not messages.get('hr_mesgs'):
        continue
    rates = {}
    for record in messages.get('record_mesgs', []):
        rates[int(record['timestamp'].timestamp())] = record.get('heart_rate')
    print(json.dumps([path, sorted(rates.items())]))
";

/// Heart rate by Unix time. A second with several records has that of the last one.
fn heart_rates(file: &FitFile) -> BTreeMap<i64, Option<i32>> {
    let mut rates = BTreeMap::new();
    for recorded in &file.activities {
        let Some(recording) = &recorded.recording else { continue };
        let column = recording.column(Channel::HeartRate);
        let start = recorded.activity.started_at.timestamp();
        for (index, offset) in recording.offsets_ms().iter().enumerate() {
            let rate = column.and_then(|column| column.sample(index));
            rates.insert(start + i64::from(*offset) / 1000, rate);
        }
    }
    rates
}

#[test]
fn garmin_sdk_merges_the_same_heart_rates() {
    let test = "garmin_sdk_merges_the_same_heart_rates";
    let Some(folder) = folder("activity-files") else {
        return skip(test, "the shared activity files are not here");
    };
    let paths: Vec<String> = files(&folder, &["fit"]).iter().map(|path| path.display().to_string()).collect();
    let Some(lines) = run_garmin_sdk(HEART_RATE_SCRIPT, &paths) else {
        return skip(test, "Garmin's FIT SDK for Python (garmin-fit-sdk) is not installed");
    };
    let (mut compared, mut different) = (0, Vec::new());
    for line in lines.lines() {
        let (path, theirs): (String, Vec<(i64, Option<i32>)>) = serde_json::from_str(line).unwrap();
        let ours = heart_rates(&fit::read(&std::fs::read(&path).unwrap(), Tz::UTC).unwrap());
        for (time, rate) in theirs {
            let Some(our_rate) = ours.get(&time) else { continue };
            compared += 1;
            // Both round, from a different sum.
            let close = match (our_rate, rate) {
                (Some(ours), Some(theirs)) => (ours - theirs).abs() <= 1,
                (ours, theirs) => *ours == theirs,
            };
            if !close {
                different.push(format!("{path} {time}: {our_rate:?}, Garmin's reader has {rate:?}"));
            }
        }
    }
    println!("{compared} samples of {} files compared", lines.lines().count());
    assert!(compared > 10_000, "only {compared} samples compared");
    assert!(different.is_empty(), "{} {:#?}", different.len(), &different[..different.len().min(20)]);
}
