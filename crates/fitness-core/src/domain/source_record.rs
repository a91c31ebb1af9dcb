//! What sources say. A report is one source's word about one activity or one day, kept as it was told; what the
//! athlete sees is put together from all reports by [`merge`](crate::domain::merge).

use crate::domain::activity::Activity;
use crate::domain::athlete::{Sex, ThresholdKind, ZoneKind, Zones};
use crate::domain::calendar::{Day, Instant};
use crate::domain::sport::Sport;
use crate::domain::stream::Recording;
use crate::domain::units::TimeSpan;
use crate::domain::wellness::DailyWellness;
use crate::string_enum::string_enum;
use serde::{Deserialize, Serialize};
use std::fmt;

string_enum! {
    /// Where a report came from. The order is the order of trust in what was measured.
    pub enum SourceKind("source") {
        /// A FIT file, as the device wrote it.
        Fit = "fit",
        /// Garmin Connect's Personal API.
        Garmin = "garmin",
        /// A Garmin account export.
        GarminExport = "garmin_export",
        /// The intervals.icu API.
        Intervals = "intervals",
        /// A TCX file.
        Tcx = "tcx",
        /// A GPX file.
        Gpx = "gpx",
        /// The list of activities in a Strava bulk export.
        StravaExport = "strava_export",
    }
}

impl SourceKind {
    /// As a sentence says it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Fit => "the device's own file",
            Self::Garmin => "Garmin Connect",
            Self::GarminExport => "a Garmin account export",
            Self::Intervals => "intervals.icu",
            Self::Tcx => "a TCX file",
            Self::Gpx => "a GPX file",
            Self::StravaExport => "a Strava account export",
        }
    }

    /// Whether it is an account's own list, of which there may be several of different age, imported in any order.
    #[must_use]
    pub const fn is_export(self) -> bool {
        matches!(self, Self::GarminExport | Self::StravaExport)
    }
}

/// What makes a report this one and no other: the same key again is the same report, told again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RecordKey {
    /// Where it came from.
    pub kind: SourceKind,
    /// What the source calls it; for a file, its content hash and the place within it.
    pub id: String,
}

impl fmt::Display for RecordKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.id)
    }
}

/// One activity as its source told it.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedActivity {
    /// What was done.
    pub activity: Activity,
    /// Whether the source told the local clock; otherwise the athlete's zone was assumed.
    pub has_local_time: bool,
    /// Second by second, where it was recorded.
    pub recording: Option<Recording>,
    /// What some sports bring besides.
    pub details: Details,
    /// Whether the source calls it a race: a candidate for the athlete to confirm.
    pub race: bool,
    /// What was wrong with the file, short of making it unreadable.
    pub flaws: Vec<Flaw>,
}

impl ParsedActivity {
    /// An activity from a list: no samples, nothing wrong.
    #[must_use]
    pub fn without_samples(activity: Activity) -> Self {
        Self {
            activity,
            has_local_time: true,
            recording: None,
            details: Details::default(),
            race: false,
            flaws: Vec::new(),
        }
    }

    /// Everything but the samples and the details.
    #[must_use]
    pub fn summary(&self) -> ActivitySummary {
        ActivitySummary {
            activity: self.activity.clone(),
            local_time_told: self.has_local_time,
            samples: self.recording.as_ref().map_or(0, |recording| recording.offsets_ms().len()),
            detailed: !self.details.is_empty(),
            race: self.race,
            flaws: self.flaws.clone(),
        }
    }
}

/// What is kept of a report for merging: everything but the samples and the details themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActivitySummary {
    /// What was done.
    pub activity: Activity,
    /// Whether the source told the local clock.
    pub local_time_told: bool,
    /// How many samples it brought.
    pub samples: usize,
    /// Whether it brought lengths, sets or beats.
    pub detailed: bool,
    /// Whether the source calls it a race.
    pub race: bool,
    /// What was wrong with it.
    pub flaws: Vec<Flaw>,
}

/// What a source got wrong without making it useless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flaw {
    /// The checksum does not match, or is missing.
    BadChecksum,
    /// The file ends in the middle; what came before was read.
    CutShort,
    /// There is no summary; it was made from the samples.
    NoSummary,
    /// Samples out of order were left out.
    OutOfOrder,
}

impl Flaw {
    /// Whether something is lost or doubtful. That a format has no summaries is no damage.
    #[must_use]
    pub const fn is_damage(self) -> bool {
        matches!(self, Self::BadChecksum | Self::CutShort)
    }
}

/// What some sports bring besides laps and samples.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Details {
    /// Lengths of a pool, in order.
    pub lengths: Vec<PoolLength>,
    /// Sets of strength work, in order.
    pub sets: Vec<StrengthSet>,
    /// Times between heartbeats, milliseconds, in order.
    pub rr_ms: Vec<u16>,
}

impl Details {
    /// Whether there is nothing besides.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty() && self.sets.is_empty() && self.rr_ms.is_empty()
    }
}

/// One length of a pool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PoolLength {
    /// When it began.
    pub started_at: Instant,
    /// How long it took.
    #[serde(rename = "elapsed_ms")]
    pub elapsed: Option<TimeSpan>,
    /// Strokes taken.
    pub strokes: Option<u16>,
    /// `freestyle`, `breaststroke` and so on. Foreign text.
    pub stroke: Option<String>,
    /// Whether it was swum, as opposed to rested.
    pub active: bool,
}

/// One set of strength work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StrengthSet {
    /// When it began.
    pub started_at: Option<Instant>,
    /// How long it took.
    #[serde(rename = "elapsed_ms")]
    pub elapsed: Option<TimeSpan>,
    /// How often.
    pub repetitions: Option<u16>,
    /// With how much, kilograms.
    pub weight_kg: Option<f64>,
    /// What, in the source's word. Foreign text.
    pub exercise: Option<String>,
    /// Whether it was work, as opposed to rest.
    pub active: bool,
}

/// A source's word about an activity.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceRecord {
    /// What makes it this report.
    pub key: RecordKey,
    /// What it says.
    pub parsed: ParsedActivity,
    /// The source's own text where it is one (JSON, a line of CSV), so that more can be derived from it later.
    pub raw: Option<String>,
}

/// A source's word about a day.
#[derive(Debug, Clone, PartialEq)]
pub struct DayRecord {
    /// Where it came from.
    pub kind: SourceKind,
    /// Which of the source's datasets or files; a day may have one report from each.
    pub dataset: String,
    /// What it says.
    pub wellness: DailyWellness,
    /// Until when it speaks, when the day was not over yet; `None` when it speaks for the whole day.
    pub as_of: Option<Instant>,
    /// The source's own text, where it is one.
    pub raw: Option<String>,
}

impl DayRecord {
    /// Whether this stands in place of another report about the same part of the same day: what speaks for the whole
    /// day never yields to what speaks for its morning. Of two about the whole day the later word stands.
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
    /// What a watch or a service concluded by rules of its own. Shown as theirs; no metric of ours is made of it.
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

/// A number or a word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EstimateValue {
    /// A number in the unit of its kind.
    Number(f64),
    /// A word. Foreign text.
    Word(String),
}

/// What a watch or a service concluded about a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The day it is about.
    pub day: Day,
    /// What it estimates.
    pub kind: EstimateKind,
    /// What it came to.
    pub value: EstimateValue,
    /// When it was concluded, where the source says; of several the latest stands.
    pub told_at: Option<Instant>,
}

/// What an account says about its owner. It fills gaps in the athlete's profile and replaces nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AccountOwner {
    /// Year of birth.
    pub birth_year: Option<i32>,
    /// Sex.
    pub sex: Option<Sex>,
}

/// One thing a source told.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportedRecord {
    /// About an activity.
    Activity(Box<SourceRecord>),
    /// About a day.
    Day(Box<DayRecord>),
    /// What it concluded about a day.
    Estimate(Estimate),
    /// A limit. No source says since when: it holds from the day the source is as new as.
    Threshold {
        /// Which limit.
        kind: ThresholdKind,
        /// Its value, in the unit of its kind.
        value: f64,
        /// For which sport it was told; `Other` when for all.
        sport: Sport,
    },
    /// Training zones. No source says since when, as above.
    Zones {
        /// What they divide.
        kind: ZoneKind,
        /// For which sport; `Other` when for all.
        sport: Sport,
        /// Their lower bounds.
        zones: Zones,
    },
    /// About the athlete.
    Person(AccountOwner),
}
