//! What an athlete brings to a plan, read from what is stored.

use crate::db::error::Result;
use crate::db::store::Store;
use chrono::Datelike as _;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::domain::observation::Excuse;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::Distance;
use fitness_core::metrics::predict::{Effort, LOOK_BACK_DAYS, Vdot};
use fitness_core::metrics::trajectory::{PastSession, Typical};
use fitness_core::metrics::{Absent, Found, Need, Rated};
use fitness_core::plan::{Background, DatedPaces, Marked, PACES_LAST, PastRun, Plan, Stated, WorkoutKind};
use serde::Deserialize;
use std::collections::{BTreeSet, HashMap};

/// Days of runs a plan looks back on.
const DAYS: i64 = 400;
/// An intensity, of the threshold's, from which on a whole run was hard.
const HARD: f64 = 0.88;
/// Days of data after which the data says it better than the athlete did.
const STATED_DAYS: i64 = 28;
/// Days without pain after an injury.
const PAIN_FREE_DAYS: i64 = 14;
/// Days ahead in which marks count: as long as a plan may be.
const AHEAD_DAYS: i64 = 732;

/// Of what a run means, how hard it was.
#[derive(Deserialize)]
struct Intensity {
    intensity: Found<Rated>,
}

impl Store {
    /// What an athlete brings to a plan for a race of a distance, as far as the data reaches. `stated` is what they say
    /// about themselves.
    ///
    /// # Errors
    /// `Unreadable` when what is stored is damaged.
    pub async fn background(
        &self,
        user: UserId,
        race: Option<Distance>,
        today: Day,
        stated: Stated,
    ) -> Result<Background> {
        self.background_from(user, race, today, stated, None).await
    }

    /// The same for a plan that is there: what the athlete said when it was drafted counts until four weeks of its own
    /// data say more.
    ///
    /// # Errors
    /// `Unreadable` when what is stored is damaged.
    pub async fn background_of(&self, user: UserId, plan: &Plan, today: Day) -> Result<Background> {
        self.background_from(user, plan.distance, today, plan.terms.stated, Some(plan.start_date)).await
    }

    async fn background_from(
        &self,
        user: UserId,
        race: Option<Distance>,
        today: Day,
        stated: Stated,
        said_on: Option<Day>,
    ) -> Result<Background> {
        let complete = self.frontier(user).await?.complete().map(|day| day.min(today));
        let as_of = complete.unwrap_or_else(|| today.previous());
        let known_better =
            said_on.zip(complete).is_some_and(|(said, known)| said.until(known) >= STATED_DAYS);
        let stated = if known_better { Stated::default() } else { stated };
        let profile = self.profile(user).await?;
        let marked = self.marked(user, as_of, today).await?;
        let since = as_of.plus(-DAYS);
        let log = self.training_log(user, as_of.plus(-LOOK_BACK_DAYS)).await?;
        let raced: BTreeSet<Day> = log.iter().flat_map(|log| &log.races).filter_map(|race| race.on).collect();
        // What is not worked out yet was run all the same; only how hard it was is not known.
        let activities = self.list_activities(user, since, as_of).await?;
        let ran: Vec<i64> = (activities.iter().filter(|stored| stored.activity.sport == Sport::Running))
            .map(|stored| stored.id.get())
            .collect();
        let how_hard: HashMap<i64, Intensity> = self.judged_of(&ran).await?;
        let is_hard = |id: ActivityId| {
            let rated = how_hard.get(&id.get()).and_then(|found| found.intensity.as_ref().ok());
            rated.is_some_and(|rated| rated.value >= HARD)
        };
        let (mut runs, mut sessions) = (Vec::new(), Vec::new());
        for stored in activities {
            let (day, activity) = (stored.day, &stored.activity);
            let (sport, distance, time) = (activity.sport, activity.distance, activity.training_time());
            if let (Some(load), Some(duration)) = (stored.load, time) {
                sessions.push(PastSession { day, sport, kind: None, load, duration, distance });
            }
            let Some(distance) = distance.filter(|far| *far > Distance::ZERO) else { continue };
            if sport == Sport::Running {
                let hard = is_hard(stored.id) || raced.contains(&day);
                runs.push(PastRun { day, distance, duration: time, hard });
            }
        }
        runs.sort_by_key(|run| run.day);
        let first = self.first_day(user).await?;
        let typical = Typical::measure(&sessions, first.unwrap_or(as_of), as_of);
        let prediction = match (&log, race) {
            (Some(log), Some(race)) => log.predict(race, log.latest(today)),
            (None, _) => Err(Absent::NotYet),
            (_, None) => Err(Absent::missing(Need::RaceDistance)),
        };
        Ok(Background {
            as_of,
            seen_on: today,
            first: first.filter(|_| complete.is_some()),
            first_run: self.first_run(user).await?,
            age: profile
                .birth_year
                .and_then(|year| u32::try_from(today.date().year() - year).ok())
                .filter(|age| (5..=120).contains(age)),
            injured: marked.iter().any(|mark| mark.why == Excuse::Injured && mark.from <= today.max(as_of)),
            marked,
            paces: log
                .as_ref()
                .and_then(|log| dated_paces(&log.results(), log.latest(today).max(today.previous()))),
            prediction,
            fitness: self.find_day_state(user, as_of).await?.map(|state| state.fitness.fitness()),
            load_per_hour: typical
                .session(Sport::Running, WorkoutKind::Easy)
                .ok()
                .map(|usual| usual.load_per_hour),
            runs,
            stated,
        })
    }

    /// What the athlete stands behind of the days marked as ill, injured or away: those that end in the last two weeks, and
    /// all that are still to come.
    async fn marked(&self, user: UserId, as_of: Day, today: Day) -> Result<Vec<Marked>> {
        let from = as_of.min(today).plus(1 - PAIN_FREE_DAYS);
        let observed = self.list_observations(user, from, today.max(as_of).plus(AHEAD_DAYS)).await?;
        let accepted = observed.iter().filter(|one| one.accepted);
        Ok(accepted.filter_map(|one| Marked::of(&one.observed)).collect())
    }
}

/// Paces from the fastest of the results of the last 120 days: a race, or training that came close to one.
fn dated_paces(results: &[fitness_core::metrics::predict::RaceResult], as_of: Day) -> Option<DatedPaces> {
    let recent = results.iter().filter_map(|result| {
        let on = result.on.filter(|on| (0..=PACES_LAST).contains(&on.until(as_of)))?;
        let mark = fitness_core::metrics::predict::Mark::new(result.distance, result.time).ok()?;
        Some((Vdot::of(mark).ok()?, on, result.effort))
    });
    // A race says more than training that looks like one.
    let (vdot, result_on, _) = recent.max_by(|(a, _, one), (b, _, other)| {
        let rank = |effort: &Effort| std::cmp::Reverse(*effort);
        rank(one).cmp(&rank(other)).then(a.value().total_cmp(&b.value()))
    })?;
    Some(DatedPaces { paces: vdot.paces(None).ok()?, result_on })
}
