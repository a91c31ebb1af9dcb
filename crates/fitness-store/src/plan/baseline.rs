//! Loads the training baseline: what an athlete brings to a plan.

use crate::db::error::Result;
use crate::db::store::Store;
use chrono::Datelike as _;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::domain::observation::AbsenceReason;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::Distance;
use fitness_core::metrics::predict::{LOOK_BACK_DAYS, RaceResult, ResultKind, TrainingLog, Vdot};
use fitness_core::metrics::trajectory::{ActivitySample, TypicalLoads};
use fitness_core::metrics::{MetricResult, MissingReason, RequiredInput, ValueWithQuality};
use fitness_core::plan::{
    DatedPaces, PACES_VALID_DAYS, PastRun, Plan, SelfReportedTraining, TrainingBaseline, UnavailablePeriod,
    WorkoutKind,
};
use serde::Deserialize;
use std::collections::{BTreeSet, HashMap};

/// Older results say nothing about paces.
const MAX_RESULT_AGE_DAYS: i64 = 365;
/// How far back runs are read.
const HISTORY_DAYS: i64 = 400;
/// Intensity (fraction of threshold) from which a whole run counts as hard.
const HARD_INTENSITY: f64 = 0.88;
/// After this many days of data, data replaces what the athlete reported.
const SELF_REPORT_DAYS: i64 = 28;
/// Days without pain required after an injury.
const PAIN_FREE_DAYS: i64 = 14;
/// How far ahead absences are read: the maximum length of a plan.
const LOOKAHEAD_DAYS: i64 = 732;

/// The part of a run's metrics that says how hard it was.
#[derive(Deserialize)]
struct IntensityFactorJson {
    intensity: MetricResult<ValueWithQuality>,
}

impl Store {
    /// The baseline for a race distance, from complete data. `stated` is what the athlete reports
    /// about themselves.
    ///
    /// # Errors
    /// `Unreadable` if stored data is damaged.
    pub async fn training_baseline(
        &self,
        user: UserId,
        race: Option<Distance>,
        today: Day,
        stated: SelfReportedTraining,
    ) -> Result<TrainingBaseline> {
        self.build_training_baseline(user, race, today, stated, None).await
    }

    /// The baseline for an existing plan: what the athlete reported when it was drafted counts
    /// until there are four weeks of data.
    ///
    /// # Errors
    /// `Unreadable` if stored data is damaged.
    pub async fn training_baseline_for_plan(
        &self,
        user: UserId,
        plan: &Plan,
        today: Day,
    ) -> Result<TrainingBaseline> {
        self.build_training_baseline(user, plan.distance, today, plan.terms.stated, Some(plan.start_date))
            .await
    }

    async fn build_training_baseline(
        &self,
        user: UserId,
        race: Option<Distance>,
        today: Day,
        stated: SelfReportedTraining,
        said_on: Option<Day>,
    ) -> Result<TrainingBaseline> {
        let complete = self.frontier(user).await?.complete_through().map(|day| day.min(today));
        let as_of = complete.unwrap_or_else(|| today.previous());
        let known_better =
            said_on.zip(complete).is_some_and(|(said, known)| said.days_until(known) >= SELF_REPORT_DAYS);
        let stated = if known_better { SelfReportedTraining::default() } else { stated };
        let profile = self.profile(user).await?;
        let marked = self.list_unavailable_periods(user, as_of, today).await?;
        let since = as_of.plus_days(-HISTORY_DAYS);
        let log = self.training_log(user, as_of.plus_days(-LOOK_BACK_DAYS)).await?;
        let raced: BTreeSet<Day> = log.iter().flat_map(|log| &log.races).filter_map(|race| race.on).collect();
        // Runs without metrics count too; only their intensity is unknown.
        let activities = self.list_activities(user, since, as_of).await?;
        let ran: Vec<i64> = (activities.iter().filter(|stored| stored.activity.sport == Sport::Running))
            .map(|stored| stored.id.get())
            .collect();
        let how_hard: HashMap<i64, IntensityFactorJson> = self.read_metrics_part(&ran).await?;
        let is_hard = |id: ActivityId| {
            let rated = how_hard.get(&id.get()).and_then(|found| found.intensity.as_ref().ok());
            rated.is_some_and(|rated| rated.value >= HARD_INTENSITY)
        };
        let (mut runs, mut sessions) = (Vec::new(), Vec::new());
        for stored in activities {
            let (day, activity) = (stored.day, &stored.activity);
            let (sport, distance, time) = (activity.sport, activity.distance, activity.training_time());
            if let (Some(load), Some(duration)) = (stored.load, time) {
                sessions.push(ActivitySample { day, sport, kind: None, load, duration, distance });
            }
            let Some(distance) = distance.filter(|far| *far > Distance::ZERO) else { continue };
            if sport == Sport::Running {
                let hard = is_hard(stored.id) || raced.contains(&day);
                runs.push(PastRun { day, distance, duration: time, hard });
            }
        }
        runs.sort_by_key(|run| run.day);
        let first = self.first_data_day(user).await?;
        let typical = TypicalLoads::measure(&sessions, first.unwrap_or(as_of), as_of);
        let prediction = match (&log, race) {
            (Some(log), Some(race)) => log.predict(race, log.latest(today)),
            (None, _) => Err(MissingReason::NotYet),
            (_, None) => Err(MissingReason::missing(RequiredInput::RaceDistance)),
        };
        let results = log.as_ref().map(TrainingLog::results).unwrap_or_default();
        let known = log.as_ref().map_or(today.previous(), |log| log.latest(today).max(today.previous()));
        let dated = find_paces(&results, known, said_on);
        Ok(TrainingBaseline {
            as_of,
            today,
            first_day: first.filter(|_| complete.is_some()),
            first_run: self.first_run_day(user).await?,
            age: profile
                .birth_year
                .and_then(|year| u32::try_from(today.date().year() - year).ok())
                .filter(|age| (5..=120).contains(age)),
            injured: marked
                .iter()
                .any(|mark| mark.why == AbsenceReason::Injured && mark.from <= today.max(as_of)),
            unavailable_periods: marked,
            vdot: dated.map(|(_, vdot)| vdot.value()),
            paces: dated.map(|(paces, _)| paces),
            age_grade: None,
            easy_heart_rate: None,
            prediction,
            fitness: self.find_day_state(user, as_of).await?.map(|state| state.fitness.fitness()),
            load_per_hour: typical
                .for_workout(Sport::Running, WorkoutKind::Easy)
                .ok()
                .map(|usual| usual.load_per_hour),
            runs,
            self_reported: stated,
        })
    }

    /// Accepted absences that ended in the last two weeks, and all future ones.
    async fn list_unavailable_periods(
        &self,
        user: UserId,
        as_of: Day,
        today: Day,
    ) -> Result<Vec<UnavailablePeriod>> {
        let from = as_of.min(today).plus_days(1 - PAIN_FREE_DAYS);
        let observed = self.list_observations(user, from, today.max(as_of).plus_days(LOOKAHEAD_DAYS)).await?;
        let accepted = observed.iter().filter(|one| one.accepted);
        Ok(accepted.filter_map(|one| UnavailablePeriod::from_observation(&one.data)).collect())
    }
}

/// Paces from the results of the last 120 days. Once these are old: what the plan's paces were set
/// from at its start, else the newest results of the last year.
fn find_paces(results: &[RaceResult], as_of: Day, plan_start: Option<Day>) -> Option<(DatedPaces, Vdot)> {
    dated_paces(results, as_of)
        .or_else(|| dated_paces(results, plan_start?.min(as_of)))
        .or_else(|| dated_paces(results, newest_result(results, as_of)?))
}

/// The day of the newest result of the last year.
fn newest_result(results: &[RaceResult], as_of: Day) -> Option<Day> {
    let days = results.iter().filter_map(|result| result.on);
    days.filter(|on| (0..=MAX_RESULT_AGE_DAYS).contains(&on.days_until(as_of))).max()
}

/// Paces from the best result of the 120 days up to a day: a race, or a training run close to one.
fn dated_paces(results: &[RaceResult], as_of: Day) -> Option<(DatedPaces, Vdot)> {
    let recent = results.iter().filter_map(|result| {
        let on = result.on.filter(|on| (0..=PACES_VALID_DAYS).contains(&on.days_until(as_of)))?;
        let mark = fitness_core::metrics::predict::Performance::new(result.distance, result.time).ok()?;
        Some((Vdot::from_race(mark).ok()?, on, result.effort))
    });
    // Prefer a race to a training run.
    let (vdot, result_on, _) = recent.max_by(|(a, _, one), (b, _, other)| {
        let rank = |effort: &ResultKind| std::cmp::Reverse(*effort);
        rank(one).cmp(&rank(other)).then(a.value().total_cmp(&b.value()))
    })?;
    Some((DatedPaces { paces: vdot.paces(None).ok()?, result_on }, vdot))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fitness_core::domain::units::TimeSpan;

    fn day(offset: i64) -> Day {
        "2026-06-14".parse::<Day>().unwrap().plus_days(offset)
    }

    fn result(days_ago: i64, minutes: i64, effort: ResultKind) -> RaceResult {
        let distance = Distance::from_km(10.0).unwrap();
        RaceResult { distance, time: TimeSpan::from_mins(minutes), on: Some(day(-days_ago)), effort }
    }

    /// How many days ago the chosen result was.
    fn chosen(results: &[RaceResult], plan_start: Option<i64>) -> Option<i64> {
        let (paces, _) = find_paces(results, day(0), plan_start.map(|ago| day(-ago)))?;
        Some(paces.result_on.days_until(day(0)))
    }

    #[test]
    fn best_result_of_120_days_comes_before_older_ones() {
        let results = [
            result(10, 50, ResultKind::Race),
            result(120, 45, ResultKind::Race),
            result(121, 40, ResultKind::Race),
        ];
        assert_eq!(chosen(&results, None), Some(120));
        assert_eq!(chosen(&results, Some(130)), Some(120));
        assert_eq!(chosen(&results[2..], None), Some(121));
    }

    #[test]
    fn old_results_are_those_of_the_plan_start_or_the_newest_of_a_year() {
        let results = [
            result(130, 50, ResultKind::Race),
            result(200, 45, ResultKind::Race),
            result(300, 40, ResultKind::Race),
        ];
        // Within 120 days before the start the best counts.
        assert_eq!(chosen(&results, Some(125)), Some(200));
        assert_eq!(chosen(&results, Some(190)), Some(300));
        assert_eq!(chosen(&results[..1], Some(190)), Some(130), "none before the start");
        assert_eq!(chosen(&results, None), Some(200), "the best of the 120 days up to the newest");
        assert_eq!(chosen(&[result(365, 45, ResultKind::Race)], None), Some(365));
        assert_eq!(chosen(&[result(366, 45, ResultKind::Race)], None), None);
        assert_eq!(chosen(&[], Some(10)), None);
    }
}
