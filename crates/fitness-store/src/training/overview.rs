//! Overview of a user's training data, and the training log for predictions.

use crate::db::error::Result;
use crate::db::store::Store;
use crate::training::activities::StoredActivity;
use fitness_core::domain::athlete::{Threshold, ThresholdKind};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::metrics::MissingReason;
use fitness_core::metrics::efforts::BestEffort;
use fitness_core::metrics::predict::{RaceResult, Run, TrainingLog, official_distance};
use fitness_core::metrics::thresholds::in_force::{
    ThresholdInForce, ThresholdSuggestion, in_force, suggestions,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Shorter gaps without data are not reported.
const MIN_GAP_DAYS: i64 = 14;

/// Overview after an import: totals, and what the athlete should confirm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrainingOverview {
    pub first: Day,
    pub last: Day,
    pub years: Vec<YearTotals>,
    /// Fastest times over the standard distances.
    pub bests: Vec<PersonalBest>,
    /// Likely races that the athlete has neither confirmed nor declined.
    pub likely_races: Vec<StoredActivity>,
    /// Detected thresholds that differ from the current ones.
    pub suggestions: Vec<ThresholdSuggestion>,
    /// Thresholds on the last day.
    pub in_force: Vec<ThresholdInForce>,
    /// Periods of two weeks or more without data.
    pub gaps: Vec<DataGap>,
    /// Number of activities without a training load.
    pub without_load: u64,
    /// Reasons, most frequent first.
    pub no_load: Vec<MissingLoadReason>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MissingLoadReason {
    /// The reason; of similar reasons the one of the first activity.
    #[serde(flatten)]
    pub reason: MissingReason,
    pub activities: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct YearTotals {
    pub year: i32,
    pub activities: u64,
    pub runs: u64,
    #[serde(rename = "run_distance_mm")]
    pub run_distance: Distance,
    #[serde(rename = "time_ms")]
    pub time: TimeSpan,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PersonalBest {
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
    #[serde(rename = "time_ms")]
    pub time: TimeSpan,
    pub day: Day,
    pub activity: ActivityId,
}

/// A period without data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DataGap {
    pub from: Day,
    pub through: Day,
}

/// The part of a run's measures that predictions use.
#[derive(Deserialize)]
struct Efforts {
    efforts: Vec<BestEffort>,
}

impl Store {
    /// Runs since a day and all race results, for predictions; `None` if there is neither a
    /// complete day nor a result.
    ///
    /// # Errors
    /// `Unreadable` if stored data is damaged.
    pub async fn training_log(&self, user: UserId, from: Day) -> Result<Option<TrainingLog>> {
        let told = self.list_races(user).await?;
        // A result entered by hand counts from its day, even without other data.
        let newest = told.iter().map(|race| race.result.day).max();
        let Some(complete) = self.frontier(user).await?.complete_through().or(newest) else {
            return Ok(None);
        };
        let first = self.first_data_day(user).await?.unwrap_or(complete);
        let thresholds = self.list_thresholds(user).await?;
        let runs = (self.list_measured_runs::<Efforts>(user, from).await?.into_iter())
            .map(|(StoredActivity { id, activity, .. }, Efforts { efforts })| {
                let day = activity.day();
                Run {
                    id,
                    day,
                    distance: activity.distance,
                    time: activity.training_time(),
                    efforts,
                    threshold_heart_rate: threshold_on(&thresholds, ThresholdKind::ThresholdHeartRate, day),
                }
            })
            .collect();
        let races = (told.into_iter())
            .map(|race| RaceResult {
                distance: race.result.distance,
                time: race.result.time,
                on: Some(race.result.day),
                effort: race.result.effort,
            })
            .collect();
        let sex = self.profile(user).await?.sex;
        Ok(Some(TrainingLog { runs, races, first_day: first.max(from), complete_through: complete, sex }))
    }

    /// The overview; `None` without data.
    ///
    /// # Errors
    /// `Unreadable` if stored data is damaged.
    pub async fn training_overview(&self, user: UserId) -> Result<Option<TrainingOverview>> {
        let Some(first) = self.first_data_day(user).await? else { return Ok(None) };
        let measured = self.list_measured(user, first).await?;
        let (mut years, mut bests) =
            (BTreeMap::<i32, YearTotals>::new(), BTreeMap::<Distance, PersonalBest>::new());
        let mut days = BTreeSet::new();
        for one in &measured {
            let (activity, day) = (&one.activity, one.activity.day());
            days.insert(day);
            let number = chrono::Datelike::year(&day.date());
            let year = years.entry(number).or_insert(YearTotals { year: number, ..YearTotals::default() });
            year.activities += 1;
            year.time += activity.training_time().unwrap_or_default();
            if activity.sport == Sport::Running {
                year.runs += 1;
                year.run_distance += activity.distance.unwrap_or_default();
            }
            for BestEffort { distance, time, .. } in one.measures.efforts.iter().copied() {
                let best = PersonalBest { distance, time, day, activity: one.id };
                let standing = bests.entry(distance).or_insert_with(|| best.clone());
                if best.time < standing.time {
                    *standing = best;
                }
            }
        }
        let loadless: Vec<ActivityId> =
            measured.iter().filter(|one| !one.has_measured_load).map(|one| one.id).collect();
        let without_load = loadless.len() as u64;
        let far = first.plus_days(200 * 366);
        days.extend(self.list_wellness(user, first, far).await?.iter().map(|wellness| wellness.day));
        let last = days.last().copied().unwrap_or(first);
        let thresholds = self.list_thresholds(user).await?;
        let held = |kind: &ThresholdKind| in_force(&thresholds, *kind, last).ok();
        Ok(Some(TrainingOverview {
            first,
            last,
            years: years.into_values().collect(),
            bests: bests.into_values().collect(),
            likely_races: self.likely_races(user).await?,
            suggestions: suggestions(&thresholds, &thresholds, last),
            in_force: ThresholdKind::ALL.iter().filter_map(held).collect(),
            gaps: find_gaps(&days),
            without_load,
            no_load: self.list_missing_load_reasons(user, &loadless, last.next()).await?,
        }))
    }

    /// Reasons why activities before a day have no training load.
    async fn list_missing_load_reasons(
        &self,
        user: UserId,
        loadless: &[ActivityId],
        before: Day,
    ) -> Result<Vec<MissingLoadReason>> {
        let mut judged = self.read_activity_metrics(user, loadless, before).await?;
        judged.sort_by_key(|(id, ..)| *id);
        let mut reasons: Vec<MissingLoadReason> = Vec::new();
        for why in judged.into_iter().filter_map(|(_, _, judged)| judged.load.err().or(judged.load_obstacle))
        {
            match reasons.iter_mut().find(|known| is_same_reason(&known.reason, &why)) {
                Some(known) => known.activities += 1,
                None => reasons.push(MissingLoadReason { reason: why, activities: 1 }),
            }
        }
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.activities));
        Ok(reasons)
    }

    /// Activities that a source marks as a race, and runs of a standard race distance in the
    /// fastest time of a year, unless the athlete has confirmed or declined them.
    ///
    /// # Errors
    /// `Unreadable` if stored data is damaged.
    pub async fn likely_races(&self, user: UserId) -> Result<Vec<StoredActivity>> {
        let mut likely = self.list_unconfirmed_races(user).await?;
        let Some(first) = self.first_data_day(user).await? else { return Ok(likely) };
        let Some(log) = self.training_log(user, first).await? else { return Ok(likely) };
        let decided = self.list_decided_races(user).await?;
        let whole = |run: &Run| run.distance.and_then(official_distance);
        let fast: BTreeSet<(Day, Distance)> =
            log.likely_races().into_iter().filter_map(|result| Some((result.on?, result.distance))).collect();
        for run in &log.runs {
            let spoken_about = decided.contains(&run.id) || likely.iter().any(|known| known.id == run.id);
            if let Some(course) = whole(run)
                && fast.contains(&(run.day, course))
                && !spoken_about
                && let Some(activity) = self.find_activity(user, run.id).await?
            {
                likely.push(StoredActivity {
                    activity: fitness_core::domain::activity::Activity {
                        laps: Vec::new(),
                        ..activity.activity
                    },
                    ..activity
                });
            }
        }
        likely.sort_by_key(|activity| (activity.activity.started_at, activity.id));
        Ok(likely)
    }
}

/// Ignores the numbers in the reasons.
fn is_same_reason(one: &MissingReason, other: &MissingReason) -> bool {
    match (one, other) {
        (MissingReason::Missing { need }, MissingReason::Missing { need: other }) => need == other,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

fn threshold_on(thresholds: &[Threshold], kind: ThresholdKind, day: Day) -> Option<f64> {
    in_force(thresholds, kind, day).ok().as_ref().map(ThresholdInForce::value)
}

fn find_gaps(days: &BTreeSet<Day>) -> Vec<DataGap> {
    let pairs = days.iter().zip(days.iter().skip(1));
    pairs
        .filter(|(one, next)| one.days_until(**next) > MIN_GAP_DAYS)
        .map(|(one, next)| DataGap { from: one.next(), through: next.previous() })
        .collect()
}
