//! A Garmin account export ("Export Your Data"): JSON files, each a list of one kind of thing.
//!
//! Each file is read by itself, element by element, whatever its size; the exports of many years are larger than a
//! memory should be. Overlapping files tell the same thing twice under the same key, which is for the importer to
//! settle. The fields' units and marks for "not measured" differ from file to file and are undone here.
//!
//! Start reading at [`recognise`], which knows files by their names, and [`read`]; `activities.rs`, `days.rs`,
//! `estimates.rs` and `athlete.rs` each turn one element into what it tells.

mod activities;
mod athlete;
mod days;
mod estimates;
mod fields;
mod json_list;

pub(crate) use athlete::THRESHOLD_FIELDS;

use crate::error::ParseError;
use crate::outcome::ReadOutcome;
use chrono_tz::Tz;
use fields::Object;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::source_record::ImportedRecord;
use std::collections::BTreeMap;
use std::io::Read;

/// A kind of file in an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dataset {
    /// Activities, without samples.
    Activities,
    /// Days: steps, resting heart rate, stress, body battery.
    DailySummaries,
    /// Nights.
    Sleep,
    /// What was measured at night: heart rate variability, oxygen, breathing.
    HealthStatus,
    /// Readiness to train.
    TrainingReadiness,
    /// Load of the last week and month.
    AcuteLoad,
    /// Training status.
    TrainingHistory,
    /// Maximal oxygen uptake, by day.
    MaxMet,
    /// Maximal oxygen uptake, by activity.
    ActivityVo2Max,
    /// Predicted race times.
    RacePredictions,
    /// Endurance score.
    EnduranceScore,
    /// Hill score.
    HillScore,
    /// Body weight.
    BioMetrics,
    /// Heart rate zones.
    HeartRateZones,
    /// Power zones.
    PowerZones,
    /// Year of birth and sex.
    UserProfile,
}

/// Which dataset a path from [`walk`](crate::files::walk()) is; `None` for what is not needed.
///
/// The file's name decides: exports keep their files in folders that have changed over the years, and people take
/// single files out.
#[must_use]
pub fn recognise(path: &str) -> Option<Dataset> {
    use Dataset as D;
    /// What a name begins with, for files named after what they hold.
    const PREFIXES: &[(&str, Dataset)] = &[
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
    /// What a name ends with, for files named after whom or when they are about.
    const SUFFIXES: &[(&str, Dataset)] = &[
        ("_summarizedActivities", D::Activities),
        ("_sleepData", D::Sleep),
        ("_healthStatusData", D::HealthStatus),
        ("_userBioMetrics", D::BioMetrics),
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
    // A file taken out alone may have lost the part before the underscore.
    let ends = || SUFFIXES.iter().find(|(end, _)| stem.ends_with(end) || stem == end.trim_start_matches('_'));
    starts.or_else(ends).map(|(_, dataset)| *dataset)
}

/// Reads one file of an export and tells what is in it. Where it does not tell the local clock, `zone` is assumed.
///
/// # Errors
/// When there is nothing to be read in it; the reason is a sentence. A file that breaks off after it told something
/// is no error: [`Summary::broken_off`] has the reason.
pub fn read(
    dataset: Dataset,
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
    let wrapper = (dataset == Dataset::Activities).then_some("summarizedActivitiesExport");
    let end = json_list::visit(reader, wrapper, &mut |element| teller.read_element(element));
    teller.flush();
    let summary = teller.summary;
    if end.is_ok() && summary.skipped > 0 && summary.skip_reasons.get(NOT_AN_OBJECT) == Some(&summary.skipped)
    {
        return Err(ParseError::new("it is JSON, but not a list as in an account export"));
    }
    summary.finish(end)
}

const NOT_AN_OBJECT: &str = "is not an entry at all";
const NOT_BEST_OF_DAY: &str = "is not the best entry of its day";

/// What one element says.
struct ElementRecords {
    records: Vec<ImportedRecord>,
    /// Where only one of a day's elements counts: the day, and how good this one is. Of equals the later stands.
    day_rank: Option<(Day, Rank)>,
}

/// The first number decides, then the second.
type Rank = (i64, i64);

impl ElementRecords {
    fn single(told: ImportedRecord) -> Self {
        Self { records: vec![told], day_rank: None }
    }
}

/// Either what an element says, or why it says nothing.
type ElementResult = Result<ElementRecords, &'static str>;

/// The best elements of each day so far.
#[derive(Default)]
struct PendingDays {
    days: BTreeMap<Day, (Rank, Vec<ImportedRecord>)>,
    bytes: usize,
}

/// Chunks cover about a hundred days of a few kilobytes; a file that holds much more is told as it comes.
const MAX_PENDING_BYTES: usize = 16 << 20;

struct DatasetReader<'a> {
    dataset: Dataset,
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
        use Dataset as D;
        let object = Object::parse(element).ok_or(NOT_AN_OBJECT)?;
        match self.dataset {
            D::Activities => activities::activity(&object, element, self.zone),
            D::DailySummaries => days::daily_summary(&object, element, self.zone),
            D::Sleep => days::sleep(&object, element),
            D::HealthStatus => days::health_status(&object, element),
            D::MaxMet => days::vo2max("max_met", &object, element),
            D::ActivityVo2Max => days::vo2max("activity_vo2max", &object, element),
            D::BioMetrics => days::weight(&object, element),
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
            if self.dataset == Dataset::DailySummaries
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
