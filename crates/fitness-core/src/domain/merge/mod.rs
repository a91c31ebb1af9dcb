//! Merges all source records of an activity, or of a day, into one.
//!
//! Merging is a pure function of a set of records: the order of arrival does not matter, and
//! importing a record twice changes nothing. [`is_same_activity`] decides which records belong
//! together; [`merge_activity`] takes each field from the best source that has it.

mod corrections;
mod recordings;

pub use corrections::{ActivityEditError, Edit};
pub use recordings::fill_missing_channels;

use crate::domain::activity::{Activity, DeviceMetrics};
use crate::domain::source_record::{ActivitySummary, DayRecord, Flaw, RecordKey, SourceKind};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan};
use crate::domain::wellness::DailyWellness;
use std::cmp::Reverse;

/// Maximum difference of start times of one recording from two services.
const SAME_START_TOLERANCE_MS: i64 = 2_000;
/// Maximum difference of start times of two devices with nearly the same start and stop.
const DEVICE_START_TOLERANCE_MS: i64 = 120_000;
/// Records that start further apart are never one activity.
pub const MATCH_WINDOW_MS: i64 = 12 * 3_600_000;
/// Version of the rules in [`is_same_activity`]. Increase it with every change, so that stored
/// records are compared again. 2: two devices with different stop times.
pub const MERGE_RULES_VERSION: i64 = 2;
/// Minimum time that two devices with different stop times share, as a share of the shorter one.
const MIN_OVERLAP_OF_SHORTER: f64 = 0.8;
/// Maximum relative difference of their distances over the shared time.
const MAX_SHARED_DISTANCE_DIFFERENCE: f64 = 0.05;
/// Maximum difference of the start of a recording and that of an activity entered by hand.
const ENTERED_START_TOLERANCE_MS: i64 = 3_600_000;
/// Maximum relative difference of its time and distance.
const MAX_ENTERED_DIFFERENCE: f64 = 0.25;
/// A record that is shorter than this share of the longest, in time and in distance, covers only
/// part of the activity.
const MIN_WHOLE_TIME: f64 = 0.9;
const MIN_WHOLE_DISTANCE: f64 = 0.95;
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
/// side: started within two minutes, compatible sports, nearly the same time and distance; or one
/// device was started or stopped at another time: same sport, most of the shorter one shared, and
/// the same distance in the shared time. Consecutive runs are never the same activity, and neither
/// are a triathlon and one of its legs.
#[must_use]
pub fn is_same_activity(first: &ActivitySummary, second: &ActivitySummary) -> bool {
    match (first.is_entered_by_hand(), second.is_entered_by_hand()) {
        (true, true) => return first == second,
        (true, false) => return is_recording_of(second, first),
        (false, true) => return is_recording_of(first, second),
        (false, false) => {}
    }
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
    let Some((length_a, length_b)) = lengths.filter(|_| apart <= MATCH_WINDOW_MS) else { return false };
    // Milliseconds from the start of the first.
    let start_b = (b.started_at - a.started_at).num_milliseconds() as f64;
    let end_b = start_b + length_b;
    let (from, until) = (start_b.max(0.0), end_b.min(length_a));
    let shared = until - from;
    if compatible && apart <= DEVICE_START_TOLERANCE_MS {
        let either = end_b.max(length_a) - start_b.min(0.0);
        let near = a
            .distance
            .zip(b.distance)
            .is_none_or(|(a, b)| is_within(a.mm() as f64, b.mm() as f64, MAX_DISTANCE_DIFFERENCE));
        if shared >= MIN_TIME_OVERLAP * either && near {
            return true;
        }
    }
    let same_sport = a.sport == b.sport && (a.sport != Sport::Other || a.sub_sport == b.sub_sport);
    let shorter = length_a.min(length_b);
    same_sport
        && shorter > 0.0
        && shared >= MIN_OVERLAP_OF_SHORTER * shorter
        && first
            .distance_between(from, until)
            .zip(second.distance_between(from - start_b, until - start_b))
            .is_none_or(|(a, b)| is_within(a, b, MAX_SHARED_DISTANCE_DIFFERENCE))
}

/// Whether a record is about the activity that the athlete entered by hand. People remember times
/// and distances roughly.
fn is_recording_of(recorded: &ActivitySummary, entered: &ActivitySummary) -> bool {
    let (a, b) = (&recorded.activity, &entered.activity);
    let apart = (a.started_at - b.started_at).num_milliseconds().abs();
    let near = if entered.flaws.contains(&Flaw::NoStartTime) {
        a.day() == b.day() && apart <= MATCH_WINDOW_MS
    } else {
        apart <= ENTERED_START_TOLERANCE_MS
    };
    let alike = |a: Option<i64>, b: Option<i64>| {
        a.zip(b).is_none_or(|(a, b)| is_within(a as f64, b as f64, MAX_ENTERED_DIFFERENCE))
    };
    let time = |activity: &Activity| activity.training_time().map(TimeSpan::ms);
    let distance = |activity: &Activity| activity.distance.map(Distance::mm);
    near && a.sport == b.sport && alike(time(a), time(b)) && alike(distance(a), distance(b))
}

fn is_within(a: f64, b: f64, most: f64) -> bool {
    (a - b).abs() <= most * a.max(b)
}

/// An activity merged from all its records.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedActivity {
    pub activity: Activity,
    /// The record whose samples are used, if any has samples.
    pub recording: Option<RecordKey>,
    /// All records with samples, best first. Those after the first fill in channels it lacks.
    pub recordings: Vec<RecordKey>,
    /// The record whose details are used, if any has details.
    pub details: Option<RecordKey>,
    /// Whether any source marks it as a race.
    pub race: bool,
    /// Flaws of the record whose samples are used.
    pub flaws: Vec<Flaw>,
}

/// Merges records and the athlete's edits; `None` without records.
///
/// Measured values come from the first record that has them: records of the whole activity before
/// those of part of it (a truncated file, a device that was stopped early), then in the order of
/// [`SourceKind`], then the one with more samples. Totals never come from a record of a part, if
/// there is one of the whole. The title comes from the source where athletes usually edit titles.
#[must_use]
pub fn merge_activity(reports: &[(RecordKey, ActivitySummary)], edit: &Edit) -> Option<MergedActivity> {
    let longest = Longest::find(reports);
    let rank = |(key, outline): &(RecordKey, ActivitySummary)| {
        let cut_short = outline.flaws.contains(&Flaw::CutShort);
        (
            outline.is_entered_by_hand(),
            longest.is_part(&outline.activity),
            cut_short,
            key.kind,
            Reverse(outline.samples),
            key.clone(),
        )
    };
    let mut ranked: Vec<&(RecordKey, ActivitySummary)> = reports.iter().collect();
    ranked.sort_by_cached_key(|record| rank(record));
    let (_, first) = ranked.first()?;
    let all = || ranked.iter().map(|(_, outline)| &outline.activity);
    let whole = || all().filter(|activity| !longest.is_part(activity));
    let mut activity = first.activity.clone();
    macro_rules! first_of { ($from:ident: $($field:ident),+) => { $( activity.$field = $from().find_map(|a| a.$field.clone()); )+ } }
    first_of!(whole: elapsed, moving, distance, ascent, descent, energy_kcal);
    first_of!(all: avg_heart_rate, max_heart_rate, avg_power, max_power, avg_cadence, device);
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
    let recordings = ranked.iter().filter(|(_, outline)| outline.samples > 0);
    Some(MergedActivity {
        activity,
        recording: recording.map(|(key, _)| key.clone()),
        recordings: recordings.map(|(key, _)| key.clone()).collect(),
        details: ranked.iter().find(|(_, outline)| outline.detailed).map(|(key, _)| key.clone()),
        race: reports.iter().any(|(_, outline)| outline.race),
        flaws: recording.unwrap_or(&ranked[0]).1.flaws.clone(),
    })
}

/// The greatest duration and distance of an activity's records.
struct Longest {
    elapsed: Option<TimeSpan>,
    distance: Option<Distance>,
}

impl Longest {
    fn find(reports: &[(RecordKey, ActivitySummary)]) -> Self {
        let recorded = |outline: &ActivitySummary| !outline.is_entered_by_hand();
        let any_recorded = reports.iter().any(|(_, outline)| recorded(outline));
        let all = || {
            let counts = move |outline: &ActivitySummary| recorded(outline) || !any_recorded;
            reports.iter().map(|(_, outline)| outline).filter(move |o| counts(o)).map(|o| &o.activity)
        };
        Self {
            elapsed: all().filter_map(|a| a.elapsed).max(),
            distance: all().filter_map(|a| a.distance).max(),
        }
    }

    /// Whether a record covers only part of the activity. A device that was not stopped at the end
    /// makes the others shorter, but not less far.
    fn is_part(&self, activity: &Activity) -> bool {
        let less = |part: i64, whole: i64, least: f64| (part as f64) < least * whole as f64;
        let time = activity.elapsed.zip(self.elapsed);
        let distance = activity.distance.zip(self.distance);
        time.is_some_and(|(part, whole)| less(part.ms(), whole.ms(), MIN_WHOLE_TIME))
            && distance.is_none_or(|(part, whole)| less(part.mm(), whole.mm(), MIN_WHOLE_DISTANCE))
    }
}

/// What the athlete entered, then services, where athletes edit titles; titles in files are often generated by the device.
const fn title_rank(kind: SourceKind) -> u8 {
    match kind {
        SourceKind::Manual => 0,
        SourceKind::Garmin => 1,
        SourceKind::GarminExport => 2,
        SourceKind::Intervals => 3,
        SourceKind::StravaExport => 4,
        SourceKind::Tcx => 5,
        SourceKind::Gpx => 6,
        SourceKind::Fit => 7,
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
/// first; then in the order of [`SourceKind`]. Records with readings of one source count as one
/// record, merged over all their readings.
#[must_use]
pub fn merge_day(reports: &[DayRecord]) -> Option<DailyWellness> {
    let mut ranked: Vec<&DayRecord> = reports.iter().collect();
    // Later merges overwrite earlier ones.
    let rank = |report: &DayRecord| {
        (report.as_of.is_none(), report.as_of, Reverse(report.kind), Reverse(report.dataset.clone()))
    };
    ranked.sort_by_cached_key(|report| rank(report));
    let summed = merge_readings(&ranked);
    let mut ranked: Vec<&DayRecord> =
        ranked.into_iter().filter(|report| report.readings.is_none()).chain(&summed).collect();
    ranked.sort_by_cached_key(|report| rank(report));
    let (first, rest) = ranked.split_first()?;
    let mut day = first.wellness.clone();
    for report in rest {
        day.merge(report.wellness.clone());
    }
    Some(day)
}

/// One record for the records with readings of each source. They are added up in a fixed order,
/// because sums of floating-point numbers depend on it.
fn merge_readings(ranked: &[&DayRecord]) -> Vec<DayRecord> {
    let mut merged: Vec<DayRecord> = Vec::new();
    for report in ranked {
        let Some(readings) = &report.readings else { continue };
        match merged.iter_mut().find(|known| known.kind == report.kind) {
            None => merged.push((*report).clone()),
            Some(known) => {
                known.wellness.merge(report.wellness.clone());
                known.as_of = known.as_of.max(report.as_of);
                known.readings.get_or_insert_default().merge(readings);
            }
        }
    }
    for record in &mut merged {
        if let Some(readings) = &record.readings {
            readings.fill(&mut record.wellness);
        }
    }
    merged
}

#[cfg(test)]
mod tests;
