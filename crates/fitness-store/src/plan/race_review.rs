//! Post-race review of a plan: result and prediction.

use crate::db::error::Result;
use crate::db::store::Store;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::sport::Sport;
use fitness_core::metrics::predict::LOOK_BACK_DAYS;
use fitness_core::plan::{Plan, RaceReview, review_race};

impl Store {
    /// The result of a plan's race and what was predicted the day before. `None` before the race,
    /// and for a plan without one.
    ///
    /// # Errors
    /// `Unreadable` if stored data is damaged.
    pub async fn race_review(&self, user: UserId, plan: &Plan, today: Day) -> Result<Option<RaceReview>> {
        let (Some(distance), day) = (plan.distance, plan.race_date) else { return Ok(None) };
        if today <= day {
            return Ok(None);
        }
        let mut races: Vec<_> = (self.list_races(user).await?.into_iter())
            .map(|race| (race.result.day, race.result.distance, race.result.time))
            .filter(|race| race.0 == day)
            .collect();
        if races.is_empty() {
            // Without a confirmed result, use a recording of the distance.
            let ran = self.list_activities(user, day, day).await?;
            races.extend(ran.iter().filter(|one| one.activity.sport == Sport::Running).filter_map(|one| {
                Some((one.day, one.activity.distance?, one.activity.elapsed.or(one.activity.moving)?))
            }));
        }
        let log = self.training_log(user, day.plus_days(-LOOK_BACK_DAYS)).await?;
        let predicted =
            log.and_then(|log| log.predict(distance, day.previous()).ok()).map(|found| found.exact);
        Ok(review_race(plan, &races, predicted, today))
    }
}
