//! Source records: one source's data about one activity or one day, stored unchanged.
//! [`merge`](crate::domain::merge) combines all records into what the athlete sees.

use crate::domain::activity::Activity;
use crate::domain::athlete::{Sex, ThresholdKind, ZoneKind, Zones};
use crate::domain::calendar::{Day, Instant};
use crate::domain::sport::Sport;
use crate::domain::stream::{Channel, Recording};
use crate::domain::units::{Distance, TimeSpan};
use crate::domain::untrusted_text::pluralize;
use crate::domain::wellness::{DailyWellness, DayReadings};
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};
use std::fmt;

string_enum! {
    /// Where a record came from, most trusted measurements first.
    pub enum SourceKind("source") {
        Fit = "fit",
        /// Garmin Connect's Personal API.
        Garmin = "garmin",
        /// A Garmin account export.
        GarminExport = "garmin_export",
        Intervals = "intervals",
        Tcx = "tcx",
        Gpx = "gpx",
        /// The list of activities in a Strava bulk export.
        StravaExport = "strava_export",
        /// The athlete.
        Manual = "manual",
    }
}

impl SourceKind {
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Fit => "FIT file",
            Self::Garmin => "Garmin Connect",
            Self::GarminExport => "Garmin export",
            Self::Intervals => "intervals.icu",
            Self::Tcx => "TCX file",
            Self::Gpx => "GPX file",
            Self::StravaExport => "Strava export",
            Self::Manual => "Entered by hand",
        }
    }

    /// Whether it is an account export. Exports of different ages can be imported in any order.
    #[must_use]
    pub const fn is_export(self) -> bool {
        matches!(self, Self::GarminExport | Self::StravaExport)
    }
}

/// Unique key of a record: importing the same key again updates the record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RecordKey {
    pub kind: SourceKind,
    /// The source's own id; for a file, its content hash and the position within it.
    pub id: String,
}

impl fmt::Display for RecordKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.id)
    }
}

/// One activity as parsed from its source.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedActivity {
    pub activity: Activity,
    /// Whether the source gave the local time; otherwise it is that of the place, or without one
    /// that of the athlete's time zone.
    pub has_local_time: bool,
    pub recording: Option<Recording>,
    /// Pool lengths, strength sets and RR intervals.
    pub details: Details,
    /// Whether the source marks it as a race. The athlete still has to confirm it.
    pub race: bool,
    /// Problems with the file that did not prevent parsing it.
    pub flaws: Vec<Flaw>,
    /// What the parser dropped or corrected.
    pub counts: ParseCounts,
}

impl ParsedActivity {
    /// An activity without samples, such as an entry of an activity list.
    #[must_use]
    pub fn without_samples(activity: Activity) -> Self {
        Self {
            activity,
            has_local_time: true,
            recording: None,
            details: Details::default(),
            race: false,
            flaws: Vec::new(),
            counts: ParseCounts::default(),
        }
    }

    #[must_use]
    pub fn summary(&self) -> ActivitySummary {
        ActivitySummary {
            activity: self.activity.clone(),
            local_time_told: self.has_local_time,
            samples: self.recording.as_ref().map_or(0, |recording| recording.offsets_ms().len()),
            detailed: !self.details.is_empty(),
            race: self.race,
            flaws: self.flaws.clone(),
            counts: self.counts,
            distance_profile: self.recording.as_ref().and_then(DistanceProfile::from_recording),
        }
    }
}

/// The part of a record needed for merging: everything but samples and details.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActivitySummary {
    pub activity: Activity,
    /// Whether the source gave the local time.
    pub local_time_told: bool,
    pub samples: usize,
    /// Whether it has pool lengths, strength sets or RR intervals.
    pub detailed: bool,
    /// Whether the source marks it as a race.
    pub race: bool,
    pub flaws: Vec<Flaw>,
    /// Absent if nothing was dropped, so that records of earlier versions keep their hash.
    #[serde(default, skip_serializing_if = "ParseCounts::is_empty")]
    pub counts: ParseCounts,
    /// Where it was at which time, to compare two devices over the time that both recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance_profile: Option<DistanceProfile>,
}

impl ActivitySummary {
    #[must_use]
    pub fn is_entered_by_hand(&self) -> bool {
        self.flaws.contains(&Flaw::EnteredByHand)
    }

    /// Millimetres between two times, in milliseconds from the start. Without a profile, the share
    /// of the whole distance. `None` if the distance is unknown or zero, as of an indoor activity.
    #[must_use]
    pub fn distance_between(&self, from_ms: f64, until_ms: f64) -> Option<f64> {
        let total = self.activity.distance.map(Distance::mm).filter(|mm| *mm > 0)? as f64;
        if let Some(profile) = &self.distance_profile {
            return Some(profile.at(until_ms) - profile.at(from_ms));
        }
        let elapsed = self.activity.elapsed.map(TimeSpan::ms).filter(|ms| *ms > 0)? as f64;
        Some(total * (until_ms - from_ms) / elapsed)
    }
}

/// Distance from the start at equal steps of time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DistanceProfile {
    step_s: u32,
    end_s: u32,
    /// At the start, after one step and so on; the last value is the distance at the end.
    metres: Vec<u32>,
}

impl DistanceProfile {
    /// Enough for an error of less than a percent; longer activities have longer steps.
    const MAX_STEPS: u32 = 240;
    const MIN_STEP_S: u32 = 30;

    /// `None` without samples of the distance.
    #[must_use]
    pub fn from_recording(recording: &Recording) -> Option<Self> {
        let column = recording.column(Channel::Distance)?;
        let moments = recording.offsets_ms();
        let end_s = u32::try_from(*moments.last()? / 1000).ok()?;
        let step_s = end_s.div_ceil(Self::MAX_STEPS).max(Self::MIN_STEP_S);
        let mut metres: Vec<u32> = Vec::with_capacity(end_s.div_ceil(step_s) as usize + 1);
        let mut last = None;
        for (at, mm) in moments.iter().zip(column.samples()) {
            let Some(mm) = mm else { continue };
            let metre = u32::try_from(mm / 1000).unwrap_or(0);
            // The last sample up to each step.
            while i64::from(*at) > i64::from(step_s) * 1000 * metres.len() as i64 {
                metres.push(last.unwrap_or(metre));
            }
            last = Some(metre);
        }
        metres.push(last?);
        Some(Self { step_s, end_s, metres })
    }

    /// Millimetres after so many milliseconds.
    fn at(&self, ms: f64) -> f64 {
        let seconds = (ms / 1000.0).clamp(0.0, f64::from(self.end_s));
        let before =
            ((seconds / f64::from(self.step_s.max(1))) as usize).min(self.metres.len().saturating_sub(1));
        let point = |index: usize| {
            let time = (index as f64 * f64::from(self.step_s)).min(f64::from(self.end_s));
            Some((time, f64::from(*self.metres.get(index)?)))
        };
        let Some((from, metres)) = point(before) else { return 0.0 };
        let beyond = match point(before + 1) {
            Some((until, next)) if until > from => (seconds - from) / (until - from) * (next - metres),
            _ => 0.0,
        };
        (metres + beyond) * 1000.0
    }
}

/// What a parser dropped or corrected in one activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ParseCounts {
    /// Samples dropped because their clock time is wrong: another year, another day.
    pub samples_with_bad_time: u32,
    /// Samples dropped because they have no time.
    pub samples_without_time: u32,
    /// Whether samples were sorted because their times ran backwards.
    pub sorted: bool,
    /// Start times, distances and durations of the file, of the activity or of a lap, that were
    /// replaced because they contradict the samples.
    pub corrected_totals: u32,
}

impl ParseCounts {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds the counts of another activity.
    pub fn add(&mut self, other: Self) {
        self.samples_with_bad_time = self.samples_with_bad_time.saturating_add(other.samples_with_bad_time);
        self.samples_without_time = self.samples_without_time.saturating_add(other.samples_without_time);
        self.sorted |= other.sorted;
        self.corrected_totals = self.corrected_totals.saturating_add(other.corrected_totals);
    }

    /// One sentence per count, for the activity page and the import output.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let dropped = |count: u32, why: &str| {
            let samples = pluralize(count.into(), "sample", "samples");
            (count > 0).then(|| format!("{samples} {why} dropped."))
        };
        let verb = |count: u32| if count == 1 { "was" } else { "were" };
        let bad = format!("with a wrong clock time {}", verb(self.samples_with_bad_time));
        let none = format!("without a time {}", verb(self.samples_without_time));
        let sorted = self.sorted.then(|| "Samples out of time order were sorted.".to_owned());
        let totals = pluralize(
            self.corrected_totals.into(),
            "start, distance or duration in the file contradicted the samples and was",
            "starts, distances or durations in the file contradicted the samples and were",
        );
        let totals = (self.corrected_totals > 0).then(|| format!("{totals} computed from the samples."));
        [dropped(self.samples_with_bad_time, &bad), dropped(self.samples_without_time, &none), sorted, totals]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// A defect of a file that does not make it unusable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flaw {
    /// The checksum does not match, or is missing.
    BadChecksum,
    /// The file is truncated; everything before the cut was read.
    CutShort,
    /// The file has no summary; it was computed from the samples.
    NoSummary,
    /// A total contradicted the samples and was computed from them; see [`ParseCounts`].
    ContradictoryTotals,
    /// Samples were out of order or had a wrong clock time; see [`ParseCounts`].
    OutOfOrder,
    /// There is no file: the athlete entered it.
    EnteredByHand,
    /// The athlete gave the day, and no time.
    NoStartTime,
}

impl Flaw {
    /// Whether data is lost or doubtful. A missing summary does not count: some formats have none.
    #[must_use]
    pub const fn is_damage(self) -> bool {
        matches!(self, Self::BadChecksum | Self::CutShort)
    }
}

/// Sport-specific data besides laps and samples.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Details {
    /// Pool lengths, in order.
    pub lengths: Vec<SwimLength>,
    /// Strength sets, in order.
    pub sets: Vec<StrengthSet>,
    /// RR intervals, milliseconds, in order.
    pub rr_ms: Vec<u16>,
}

impl Details {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty() && self.sets.is_empty() && self.rr_ms.is_empty()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SwimLength {
    pub started_at: Instant,
    #[serde(rename = "elapsed_ms")]
    pub elapsed: Option<TimeSpan>,
    pub strokes: Option<u16>,
    /// `freestyle`, `breaststroke` and so on. Untrusted text.
    pub stroke: Option<String>,
    /// `false` for rest at the wall.
    pub active: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StrengthSet {
    pub started_at: Option<Instant>,
    #[serde(rename = "elapsed_ms")]
    pub elapsed: Option<TimeSpan>,
    pub repetitions: Option<u16>,
    pub weight_kg: Option<f64>,
    /// The source's name of the exercise. Untrusted text.
    pub exercise: Option<String>,
    pub active: bool,
}

/// One source's record of an activity.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceRecord {
    pub key: RecordKey,
    pub parsed: ParsedActivity,
    /// Original JSON or CSV row, so that more can be derived from it later.
    pub raw: Option<String>,
}

/// One source's record of a day.
#[derive(Debug, Clone, PartialEq)]
pub struct DayRecord {
    pub kind: SourceKind,
    /// The source's dataset or file; a day can have one record from each.
    pub dataset: String,
    pub wellness: DailyWellness,
    /// For a day that was not over, the time up to which it is complete; `None` for a whole day.
    pub as_of: Option<Instant>,
    /// For one of many small files of a day, its readings. The files of a day are merged reading by
    /// reading.
    pub readings: Option<DayReadings>,
    /// Original JSON or CSV row.
    pub raw: Option<String>,
}

impl DayRecord {
    /// Whether this replaces another record of the same day and dataset: a whole day is never
    /// replaced by part of a day. Of two records of a whole day the one imported later wins.
    #[must_use]
    pub fn replaces(&self, other: &Self) -> bool {
        match (self.as_of, other.as_of) {
            (None, Some(_)) => true,
            (Some(_), None) => false,
            (Some(ours), Some(theirs)) => ours >= theirs,
            (None, None) => true,
        }
    }
}

string_enum! {
    /// Estimates by a watch or service. Shown as theirs; no metric of ours uses them.
    pub enum EstimateKind("estimate") {
        /// Readiness to train this morning, 0 to 100.
        TrainingReadiness = "training_readiness",
        /// Load of the last week or so, in the source's unit.
        AcuteLoad = "acute_load",
        /// Load of the last month or so, in the source's unit.
        ChronicLoad = "chronic_load",
        /// A word such as `PRODUCTIVE`.
        TrainingStatus = "training_status",
        /// Predicted time over five kilometres, seconds.
        Race5k = "race_5k",
        /// Predicted time over ten kilometres, seconds.
        Race10k = "race_10k",
        /// Predicted time over a half marathon, seconds.
        RaceHalf = "race_half",
        /// Predicted time over a marathon, seconds.
        RaceFull = "race_full",
        /// The source's endurance score.
        EnduranceScore = "endurance_score",
        /// The source's hill score.
        HillScore = "hill_score",
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EstimateValue {
    /// A number in the unit of its kind.
    Number(f64),
    Word(String),
}

/// An estimate by a watch or service for a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub day: Day,
    pub kind: EstimateKind,
    pub value: EstimateValue,
    /// When the source made it, if known; of several the latest wins.
    pub told_at: Option<Instant>,
}

/// Owner data of an account. Fills gaps in the athlete's profile and overwrites nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AccountProfile {
    pub birth_year: Option<i32>,
    pub sex: Option<Sex>,
}

/// What a source's threshold is based on, the most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThresholdBasis {
    /// A value that the source measured or detected.
    Measured,
    /// A value that training zones are based on; it may be a default.
    Zones,
    /// A value in the settings of an account.
    Profile,
}

/// One item parsed from a source.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportedRecord {
    Activity(Box<SourceRecord>),
    Day(Box<DayRecord>),
    Estimate(Estimate),
    /// A threshold.
    Threshold {
        kind: ThresholdKind,
        /// Its value, in the unit of its kind.
        value: f64,
        /// `Other` means all sports.
        sport: Sport,
        basis: ThresholdBasis,
        /// The day it was measured; without one it is valid from the date of the export.
        from: Option<Day>,
    },
    /// Training zones, dated like thresholds.
    Zones {
        kind: ZoneKind,
        /// `Other` means all sports.
        sport: Sport,
        zones: Zones,
    },
    Person(AccountProfile),
}
