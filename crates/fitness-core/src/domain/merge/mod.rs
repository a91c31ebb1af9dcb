//! Merges all source records of an activity, or of a day, into one.
//!
//! Merging is a pure function of a set of records: the order of arrival does not matter, and
//! importing a record twice changes nothing. [`is_same_activity`] decides which records belong
//! together; [`merge_activity`] takes each field from the best source that has it.

mod corrections;

pub use corrections::{ActivityEditError, Edit};

use crate::domain::activity::{Activity, DeviceMetrics};
use crate::domain::source_record::{ActivitySummary, DayRecord, Flaw, RecordKey, SourceKind};
use crate::domain::sport::Sport;
use crate::domain::wellness::DailyWellness;
use std::cmp::Reverse;

/// Maximum difference of start times of one recording from two services.
const SAME_START_TOLERANCE_MS: i64 = 2_000;
/// Maximum difference of start times of two devices on one ride.
pub const DEVICE_START_TOLERANCE_MS: i64 = 120_000;
/// Minimum overlap of two devices on one ride, as a share of the time either recorded.
const MIN_TIME_OVERLAP: f64 = 0.85;
/// Minimum ratio of the durations of one recording from two services.
const MIN_LENGTH_RATIO: f64 = 0.8;
/// Maximum relative difference in distance of two devices on one ride.
const MAX_DISTANCE_DIFFERENCE: f64 = 0.1;

/// Whether two records are about one activity.
///
/// Either they start within two seconds and have the same sport, about the same duration (the sport
/// may have been corrected on one service), or one is truncated; or they are two devices side by
/// side: started within two minutes, compatible sports, nearly the same time and distance.
/// Consecutive runs are never the same activity, and neither are a triathlon and one of its legs.
#[must_use]
pub fn is_same_activity(first: &ActivitySummary, second: &ActivitySummary) -> bool {
    let (a, b) = (&first.activity, &second.activity);
    let apart = (a.started_at - b.started_at).num_milliseconds().abs();
    let compatible = a.sport == b.sport || a.sport == Sport::Other || b.sport == Sport::Other;
    let lengths = a.elapsed.zip(b.elapsed).map(|(a, b)| (a.ms() as f64, b.ms() as f64));
    if apart <= SAME_START_TOLERANCE_MS {
        let alike = lengths.is_none_or(|(a, b)| a.min(b) >= MIN_LENGTH_RATIO * a.max(b));
        // A truncated file is not longer than the whole one, and may not contain its sport.
        let broken = |outline: &ActivitySummary| {
            outline.flaws.iter().any(|flaw| matches!(flaw, Flaw::CutShort | Flaw::NoSummary))
        };
        let broke_off = compatible
            && lengths.is_some_and(|(a, b)| (broken(first) && a <= b) || (broken(second) && b <= a));
        return alike || broke_off || (a.sport == b.sport && a.sport != Sport::Other);
    }
    let Some((length_a, length_b)) = lengths.filter(|_| compatible && apart <= DEVICE_START_TOLERANCE_MS)
    else {
        return false;
    };
    let (start_a, start_b) = (a.started_at.timestamp_millis() as f64, b.started_at.timestamp_millis() as f64);
    let (end_a, end_b) = (start_a + length_a, start_b + length_b);
    let shared = end_a.min(end_b) - start_a.max(start_b);
    let either = end_a.max(end_b) - start_a.min(start_b);
    let near = a.distance.zip(b.distance).is_none_or(|(a, b)| {
        let (a, b) = (a.mm() as f64, b.mm() as f64);
        (a - b).abs() <= MAX_DISTANCE_DIFFERENCE * a.max(b)
    });
    shared >= MIN_TIME_OVERLAP * either && near
}

/// An activity merged from all its records.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedActivity {
    pub activity: Activity,
    /// The record whose samples are used, if any has samples.
    pub recording: Option<RecordKey>,
    /// The record whose details are used, if any has details.
    pub details: Option<RecordKey>,
    /// Whether any source marks it as a race.
    pub race: bool,
    /// Flaws of the record whose samples are used.
    pub flaws: Vec<Flaw>,
}

/// Merges records and the athlete's edits; `None` without records.
///
/// Measured values come from the first record that has them: whole files before truncated ones,
/// then in the order of [`SourceKind`], then the one with more samples. The title comes from the
/// source where athletes usually edit titles.
#[must_use]
pub fn merge_activity(reports: &[(RecordKey, ActivitySummary)], edit: &Edit) -> Option<MergedActivity> {
    let mut ranked: Vec<&(RecordKey, ActivitySummary)> = reports.iter().collect();
    ranked.sort_by_key(|(key, outline)| {
        (outline.flaws.contains(&Flaw::CutShort), key.kind, Reverse(outline.samples), key)
    });
    let (_, first) = ranked.first()?;
    let all = || ranked.iter().map(|(_, outline)| &outline.activity);
    macro_rules! first_of { ($($field:ident),+) => { Activity { $( $field: all().find_map(|a| a.$field.clone()), )+ ..first.activity.clone() } } }
    let mut activity = first_of!(
        elapsed,
        moving,
        distance,
        ascent,
        descent,
        avg_heart_rate,
        max_heart_rate,
        avg_power,
        max_power,
        avg_cadence,
        energy_kcal,
        device
    );
    activity.device_metrics = all().fold(DeviceMetrics::default(), |merged, a| merged.or(&a.device_metrics));
    if let Some((_, clock)) = ranked.iter().find(|(_, outline)| outline.local_time_told) {
        activity.utc_offset_s = clock.activity.utc_offset_s;
    }
    if let Some(told) =
        all().find(|a| a.sport != Sport::Other).or_else(|| all().find(|a| a.sub_sport.is_some()))
    {
        activity.sport = told.sport;
        activity.sub_sport.clone_from(&told.sub_sport);
    }
    if let Some(lapped) = all().find(|a| !a.laps.is_empty()) {
        activity.laps.clone_from(&lapped.laps);
    }
    activity.name = reports
        .iter()
        .filter(|(_, outline)| outline.activity.name.is_some())
        .min_by_key(|(key, _)| (title_rank(key.kind), key))
        .and_then(|(_, outline)| outline.activity.name.clone());
    apply_edit(&mut activity, edit);
    let recording = ranked.iter().find(|(_, outline)| outline.samples > 0);
    Some(MergedActivity {
        activity,
        recording: recording.map(|(key, _)| key.clone()),
        details: ranked.iter().find(|(_, outline)| outline.detailed).map(|(key, _)| key.clone()),
        race: reports.iter().any(|(_, outline)| outline.race),
        flaws: recording.unwrap_or(&ranked[0]).1.flaws.clone(),
    })
}

/// Services first, where athletes edit titles; titles in files are often generated by the device.
const fn title_rank(kind: SourceKind) -> u8 {
    match kind {
        SourceKind::Garmin => 0,
        SourceKind::GarminExport => 1,
        SourceKind::Intervals => 2,
        SourceKind::StravaExport => 3,
        SourceKind::Tcx => 4,
        SourceKind::Gpx => 5,
        SourceKind::Fit => 6,
    }
}

fn apply_edit(activity: &mut Activity, edit: &Edit) {
    let Edit { name, sport, distance, elapsed, moving } = edit.clone();
    activity.name = name.or_else(|| activity.name.take());
    activity.distance = distance.or(activity.distance);
    activity.elapsed = elapsed.or(activity.elapsed);
    activity.moving_is_edited = moving.is_some();
    activity.moving = moving.or(activity.moving);
    if let Some(sport) = sport.filter(|sport| *sport != activity.sport) {
        activity.sport = sport;
        activity.sub_sport = None;
    }
}

/// Merges the records of a day; `None` without records.
///
/// Records of the whole day take precedence over records of part of it, of which the latest comes
/// first; then in the order of [`SourceKind`].
#[must_use]
pub fn merge_day(reports: &[DayRecord]) -> Option<DailyWellness> {
    let mut ranked: Vec<&DayRecord> = reports.iter().collect();
    // Later merges overwrite earlier ones.
    ranked.sort_by_key(|report| {
        (report.as_of.is_none(), report.as_of, Reverse(report.kind), Reverse(report.dataset.as_str()))
    });
    let (first, rest) = ranked.split_first()?;
    let mut day = first.wellness.clone();
    for report in rest {
        day.merge(report.wellness.clone());
    }
    Some(day)
}

#[cfg(test)]
mod tests;
