//! Garmin account exports ("Export Your Data"): JSON files, each a list of one kind of record.
//!
//! Each file is streamed element by element, because exports can be larger than memory. Overlapping
//! files give the same record twice under the same key; the importer merges them. Units and values
//! for "not measured" differ between files and are normalised here.
//!
//! [`recognise`] identifies files by name, [`read`] reads one; `activities.rs`, `days.rs`,
//! `estimates.rs` and `athlete.rs` parse single elements.

mod activities;
mod athlete;
mod days;
mod estimates;
mod fields;
mod json_list;

pub(crate) use athlete::THRESHOLD_FIELDS;

use crate::entry_counts::ReadOutcome;
use crate::error::ParseError;
use chrono_tz::Tz;
use fields::Object;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::source_record::{ImportedRecord, ThresholdBasis};
use std::collections::BTreeMap;
use std::io::Read;

/// A kind of file in an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GarminDataset {
    Activities,
    /// Steps, resting heart rate, stress and body battery per day.
    DailySummaries,
    Sleep,
    /// HRV, SpO2 and respiration of the night.
    HealthStatus,
    TrainingReadiness,
    /// Acute and chronic load.
    AcuteLoad,
    TrainingHistory,
    MaxMet,
    ActivityVo2Max,
    RacePredictions,
    EnduranceScore,
    HillScore,
    /// Weight and thresholds by day.
    BioMetrics,
    /// The newest thresholds.
    LatestBioMetrics,
    /// Thresholds in the settings.
    BioMetricProfile,
    HeartRateZones,
    PowerZones,
    /// Birth year and sex.
    UserProfile,
}

impl GarminDataset {
    /// Name for the import receipt.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Activities => "Garmin activity list",
            Self::DailySummaries => "Garmin daily summaries",
            Self::Sleep => "Garmin sleep",
            Self::HealthStatus => "Garmin health status",
            Self::TrainingReadiness => "Garmin training readiness",
            Self::AcuteLoad => "Garmin training load",
            Self::TrainingHistory => "Garmin training status",
            Self::MaxMet | Self::ActivityVo2Max => "Garmin VO2max",
            Self::RacePredictions => "Garmin race predictions",
            Self::EnduranceScore => "Garmin endurance score",
            Self::HillScore => "Garmin hill score",
            Self::BioMetrics | Self::LatestBioMetrics | Self::BioMetricProfile => "Garmin biometrics",
            Self::HeartRateZones => "Garmin heart rate zones",
            Self::PowerZones => "Garmin power zones",
            Self::UserProfile => "Garmin user profile",
        }
    }
}

/// The dataset of a path from [`walk`](crate::files::walk()); `None` for files that are not used.
///
/// Only the file name counts: folders have changed over the years, and users import single files.
#[must_use]
pub fn recognise(path: &str) -> Option<GarminDataset> {
    use GarminDataset as D;
    const PREFIXES: &[(&str, GarminDataset)] = &[
        ("UDSFile_", D::DailySummaries),
        ("TrainingReadinessDTO_", D::TrainingReadiness),
        ("MetricsAcuteTrainingLoad_", D::AcuteLoad),
        ("TrainingHistory_", D::TrainingHistory),
        ("MetricsMaxMetData_", D::MaxMet),
        ("ActivityVo2Max_", D::ActivityVo2Max),
        ("RunRacePredictions_", D::RacePredictions),
        ("EnduranceScore_", D::EnduranceScore),
        ("HillScore_", D::HillScore),
    ];
    const SUFFIXES: &[(&str, GarminDataset)] = &[
        ("_summarizedActivities", D::Activities),
        ("_sleepData", D::Sleep),
        ("_healthStatusData", D::HealthStatus),
        ("_userBioMetrics", D::BioMetrics),
        ("_bioMetrics_latest", D::LatestBioMetrics),
        ("_userBioMetricProfileData", D::BioMetricProfile),
        ("_heartRateZones", D::HeartRateZones),
        ("_powerZones", D::PowerZones),
        ("user_profile", D::UserProfile),
    ];
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let (stem, ending) = name.rsplit_once('.')?;
    if !ending.eq_ignore_ascii_case("json") {
        return None;
    }
    let starts = PREFIXES.iter().find(|(start, _)| stem.starts_with(start));
    // A renamed file may lack the part before the underscore.
    let ends = || SUFFIXES.iter().find(|(end, _)| stem.ends_with(end) || stem == end.trim_start_matches('_'));
    starts.or_else(ends).map(|(_, dataset)| *dataset)
}

/// Reads one file of an export and passes its records to `sink`. `zone` is used if there is no
/// local time.
///
/// # Errors
/// If nothing can be read. A file that ends early after some entries is not an error; the reason is
/// in [`ReadOutcome::read_error`].
pub fn read(
    dataset: GarminDataset,
    reader: &mut dyn Read,
    zone: Tz,
    sink: &mut dyn FnMut(ImportedRecord),
) -> Result<ReadOutcome, ParseError> {
    let mut teller = DatasetReader {
        dataset,
        zone,
        sink,
        summary: ReadOutcome::default(),
        pending: PendingDays::default(),
    };
    let wrapper = (dataset == GarminDataset::Activities).then_some("summarizedActivitiesExport");
    let end = json_list::visit(reader, wrapper, &mut |element| teller.read_element(element));
    teller.flush();
    let summary = teller.summary;
    if end.is_ok() && summary.skipped > 0 && summary.skip_reasons.get(NOT_AN_OBJECT) == Some(&summary.skipped)
    {
        return Err(ParseError::new("JSON, but not in the format of a Garmin account export"));
    }
    summary.finish(end)
}

const NOT_AN_OBJECT: &str = "not an object";
const NOT_BEST_OF_DAY: &str = "a better entry exists for the same day";

/// Records of one element.
struct ElementRecords {
    records: Vec<ImportedRecord>,
    /// If only one element per day counts: the day and the rank. Of equal ranks the later wins.
    day_rank: Option<(Day, Rank)>,
}

type Rank = (i64, i64);

impl ElementRecords {
    fn single(told: ImportedRecord) -> Self {
        Self { records: vec![told], day_rank: None }
    }
}

/// The records, or why the element is skipped.
type ElementResult = Result<ElementRecords, &'static str>;

/// Best element of each day so far.
#[derive(Default)]
struct PendingDays {
    days: BTreeMap<Day, (Rank, Vec<ImportedRecord>)>,
    bytes: usize,
}

/// Files cover about a hundred days of a few kilobytes. Larger ones are flushed early to bound
/// memory.
const MAX_PENDING_BYTES: usize = 16 << 20;

struct DatasetReader<'a> {
    dataset: GarminDataset,
    zone: Tz,
    sink: &'a mut dyn FnMut(ImportedRecord),
    summary: ReadOutcome,
    pending: PendingDays,
}

impl DatasetReader<'_> {
    fn read_element(&mut self, element: &str) {
        match self.parse_element(element) {
            Err(why) => self.summary.skip(why),
            Ok(ElementRecords { records: told, day_rank: None }) => self.emit(told),
            Ok(ElementRecords { records: told, day_rank: Some((day, rank)) }) => {
                self.keep_best(day, rank, told, element.len())
            }
        }
    }

    fn parse_element(&self, element: &str) -> ElementResult {
        use GarminDataset as D;
        let object = Object::parse(element).ok_or(NOT_AN_OBJECT)?;
        match self.dataset {
            D::Activities => activities::activity(&object, element, self.zone),
            D::DailySummaries => days::daily_summary(&object, element, self.zone),
            D::Sleep => days::sleep(&object, element),
            D::HealthStatus => days::health_status(&object, element),
            D::MaxMet => days::vo2max("max_met", &object, element),
            D::ActivityVo2Max => days::vo2max("activity_vo2max", &object, element),
            D::BioMetrics => days::bio_metrics(&object, element),
            D::LatestBioMetrics => athlete::current_thresholds(&object, ThresholdBasis::Measured),
            D::BioMetricProfile => athlete::current_thresholds(&object, ThresholdBasis::Profile),
            D::TrainingReadiness => estimates::readiness(&object),
            D::AcuteLoad => estimates::acute_load(&object),
            D::TrainingHistory => estimates::training_status(&object),
            D::RacePredictions => estimates::race_predictions(&object),
            D::EnduranceScore => estimates::endurance_score(&object),
            D::HillScore => estimates::hill_score(&object),
            D::HeartRateZones => athlete::heart_rate_zones(&object),
            D::PowerZones => athlete::power_zones(&object),
            D::UserProfile => athlete::user_profile(&object),
        }
    }

    fn emit(&mut self, told: Vec<ImportedRecord>) {
        self.summary.accepted += 1;
        for told in told {
            if self.dataset == GarminDataset::DailySummaries
                && let ImportedRecord::Day(report) = &told
            {
                self.summary.last_daily_summary =
                    self.summary.last_daily_summary.max(Some(report.wellness.day));
            }
            (self.sink)(told);
        }
    }

    fn keep_best(&mut self, day: Day, rank: Rank, told: Vec<ImportedRecord>, bytes: usize) {
        if let Some((best, _)) = self.pending.days.get(&day) {
            self.summary.skip(NOT_BEST_OF_DAY);
            if *best > rank {
                return;
            }
        }
        self.pending.days.insert(day, (rank, told));
        self.pending.bytes += bytes;
        if self.pending.bytes > MAX_PENDING_BYTES {
            self.flush();
        }
    }

    fn flush(&mut self) {
        for (_, told) in std::mem::take(&mut self.pending).days.into_values() {
            self.emit(told);
        }
    }
}

#[cfg(test)]
mod tests;
