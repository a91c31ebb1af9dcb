//! Ascent and moving time of all shared real files, compared with what their devices report.

use crate::shared_files::{files, folder, skip};
use chrono_tz::Tz;
use fitness_core::domain::source_record::ParsedActivity;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::metrics::activity::{Measures, measure};
use fitness_core::metrics::elevation::AscentSource;
use fitness_core::metrics::moving_time::MovingSource;
use fitness_sources::fit;
use std::path::Path;

/// Ascent below which a difference of a few metres would be many percent.
const MIN_ASCENT_M: f64 = 50.0;

/// All recorded activities with their measures.
fn measured(folder: &Path) -> Vec<(String, ParsedActivity, Measures)> {
    let mut found = Vec::new();
    for path in files(folder, &["fit"]) {
        let Ok(file) = fit::read(&std::fs::read(&path).unwrap(), Tz::UTC) else { continue };
        for one in file.activities.into_iter().filter(|one| one.recording.is_some()) {
            let measures = measure(&one.activity, one.recording.as_ref(), &one.details.lengths);
            found.push((path.file_name().unwrap().to_string_lossy().into_owned(), one, measures));
        }
    }
    found
}

/// Median and 90th percentile.
fn median_and_p90(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    (at(0.5), at(0.9))
}

#[test]
fn computed_ascent_agrees_with_the_device() {
    let test = "computed_ascent_agrees_with_the_device";
    let Some(folder) = folder("activity-files") else {
        return skip(test, "the shared activity files are not here");
    };
    let mut differences = Vec::new();
    for (name, one, measures) in measured(&folder) {
        let Some(device) = one.activity.ascent.map(Distance::meters) else { continue };
        let Some(found) = measures.elevation.ok().filter(|found| found.source != AscentSource::Device) else {
            continue;
        };
        if device > MIN_ASCENT_M {
            let percent = 100.0 * (found.ascent.meters() - device) / device;
            println!(
                "{percent:+6.1} % {device:6.0} m device {:7.1} m {:10} {name}",
                found.ascent.meters(),
                found.source
            );
            differences.push(percent.abs());
        }
    }
    let files = differences.len();
    let (median, p90) = median_and_p90(differences);
    println!("{files} activities: median {median:.1} %, p90 {p90:.1} %");
    assert!(files >= 15, "{files}");
    assert!(median <= 10.0 && p90 <= 25.0, "median {median:.1} %, p90 {p90:.1} %");
}

#[test]
fn computed_moving_time_is_near_the_timer_of_the_device() {
    let test = "computed_moving_time_is_near_the_timer_of_the_device";
    let Some(folder) = folder("activity-files") else {
        return skip(test, "the shared activity files are not here");
    };
    let mut differences = Vec::new();
    for (name, one, measures) in measured(&folder) {
        let Some(device) = one.activity.moving.map(TimeSpan::seconds) else { continue };
        let computed = measures.times.moving.seconds();
        if measures.times.source == Some(MovingSource::Speed) && device > 300.0 {
            let percent = 100.0 * (computed - device) / device;
            println!("{percent:+6.1} % {device:6.0} s device {computed:6.0} s {} {name}", one.activity.sport);
            differences.push(percent.abs());
        }
    }
    let files = differences.len();
    let (median, p90) = median_and_p90(differences);
    println!("{files} activities: median {median:.1} %, p90 {p90:.1} %");
    assert!(files >= 10 && median <= 5.0, "{files} activities, median {median:.1} %");
}
