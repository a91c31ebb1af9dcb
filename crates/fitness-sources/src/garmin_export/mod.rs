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

pub(crate) use athlete::LIMITS_OF_ZONES;

use crate::error::Unreadable;
use crate::outcome::Summary;
use chrono_tz::Tz;
use fields::Object;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::source_record::Told;
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
    const STARTS: &[(&str, Dataset)] = &[
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
    const ENDS: &[(&str, Dataset)] = &[
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
    let starts = STARTS.iter().find(|(start, _)| stem.starts_with(start));
    // A file taken out alone may have lost the part before the underscore.
    let ends = || ENDS.iter().find(|(end, _)| stem.ends_with(end) || stem == end.trim_start_matches('_'));
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
    sink: &mut dyn FnMut(Told),
) -> Result<Summary, Unreadable> {
    let mut teller = Teller { dataset, zone, sink, summary: Summary::default(), held: Held::default() };
    let wrapper = (dataset == Dataset::Activities).then_some("summarizedActivitiesExport");
    let end = json_list::visit(reader, wrapper, &mut |element| teller.take(element));
    teller.tell_held();
    let summary = teller.summary;
    if end.is_ok() && summary.skipped > 0 && summary.reasons.get(NO_OBJECT) == Some(&summary.skipped) {
        return Err(Unreadable::new("it is JSON, but not a list as in an account export"));
    }
    summary.ending(end)
}

const NO_OBJECT: &str = "is not an entry at all";
const WORSE: &str = "is not the best entry of its day";

/// What one element says.
struct Said {
    told: Vec<Told>,
    /// Where only one of a day's elements counts: the day, and how good this one is. Of equals the later stands.
    contest: Option<(Day, Rank)>,
}

/// The first number decides, then the second.
type Rank = (i64, i64);

impl Said {
    fn one(told: Told) -> Self {
        Self { told: vec![told], contest: None }
    }
}

/// Either what an element says, or why it says nothing.
type Outcome = Result<Said, &'static str>;

/// The best elements of each day so far.
#[derive(Default)]
struct Held {
    days: BTreeMap<Day, (Rank, Vec<Told>)>,
    bytes: usize,
}

/// Chunks cover about a hundred days of a few kilobytes; a file that holds much more is told as it comes.
const MOST_HELD: usize = 16 << 20;

struct Teller<'a> {
    dataset: Dataset,
    zone: Tz,
    sink: &'a mut dyn FnMut(Told),
    summary: Summary,
    held: Held,
}

impl Teller<'_> {
    fn take(&mut self, element: &str) {
        match self.say(element) {
            Err(why) => self.summary.skip(why),
            Ok(Said { told, contest: None }) => self.tell(told),
            Ok(Said { told, contest: Some((day, rank)) }) => self.hold(day, rank, told, element.len()),
        }
    }

    fn say(&self, element: &str) -> Outcome {
        use Dataset as D;
        let object = Object::parse(element).ok_or(NO_OBJECT)?;
        match self.dataset {
            D::Activities => activities::activity(&object, element, self.zone),
            D::DailySummaries => days::daily_summary(&object, element, self.zone),
            D::Sleep => days::night(&object, element),
            D::HealthStatus => days::health_status(&object, element),
            D::MaxMet => days::vo2max("max_met", &object, element),
            D::ActivityVo2Max => days::vo2max("activity_vo2max", &object, element),
            D::BioMetrics => days::weight(&object, element),
            D::TrainingReadiness => estimates::readiness(&object),
            D::AcuteLoad => estimates::load(&object),
            D::TrainingHistory => estimates::status(&object),
            D::RacePredictions => estimates::races(&object),
            D::EnduranceScore => estimates::endurance(&object),
            D::HillScore => estimates::hills(&object),
            D::HeartRateZones => athlete::heart_rate_zones(&object),
            D::PowerZones => athlete::power_zones(&object),
            D::UserProfile => athlete::person(&object),
        }
    }

    fn tell(&mut self, told: Vec<Told>) {
        self.summary.told += 1;
        for told in told {
            if self.dataset == Dataset::DailySummaries
                && let Told::Day(report) = &told
            {
                self.summary.last_daily_summary =
                    self.summary.last_daily_summary.max(Some(report.wellness.day));
            }
            (self.sink)(told);
        }
    }

    fn hold(&mut self, day: Day, rank: Rank, told: Vec<Told>, bytes: usize) {
        if let Some((best, _)) = self.held.days.get(&day) {
            self.summary.skip(WORSE);
            if *best > rank {
                return;
            }
        }
        self.held.days.insert(day, (rank, told));
        self.held.bytes += bytes;
        if self.held.bytes > MOST_HELD {
            self.tell_held();
        }
    }

    fn tell_held(&mut self) {
        for (_, told) in std::mem::take(&mut self.held).days.into_values() {
            self.tell(told);
        }
    }
}

#[cfg(test)]
mod tests;
