//! A plan made from an athlete's own history, before anything of it is written down.

use crate::db::entities::workouts;
use crate::db::error::Result;
use crate::db::store::Store;
use crate::plan::plans;
use crate::training::activities::StoredActivity;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{PlanId, UserId, WorkoutId};
use fitness_core::plan::{
    GenerateError, GeneratedPlan, Plan, PlanRequest, SelfReported, TrainingBaseline, generate,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

/// Days for which a race gives paces.
const RESULT_DAYS: i64 = 120;

/// What came of a wish.
#[derive(Debug, Clone, PartialEq)]
pub struct GenerationOutcome {
    /// What the athlete brings along.
    pub baseline: TrainingBaseline,
    /// The plan, or why there is none.
    pub result: std::result::Result<GeneratedPlan, GenerateError>,
    /// A run that looks like a race and, once confirmed, would give the paces that are missing.
    pub likely_race: Option<StoredActivity>,
}

impl Store {
    /// Drafts a plan for an athlete. Nothing is written down.
    ///
    /// # Errors
    /// `Unreadable` when what is stored is damaged.
    pub async fn generate_draft(
        &self,
        user: UserId,
        wish: &PlanRequest,
        stated: SelfReported,
        today: Day,
    ) -> Result<GenerationOutcome> {
        let race = wish.goal.distance().or(wish.distance);
        let athlete = self.training_baseline(user, race, today, stated).await?;
        let made = generate(wish, &athlete);
        let likely_race = if athlete.paces.is_none() && made.is_ok() {
            let recent = |found: &StoredActivity| (0..=RESULT_DAYS).contains(&found.day.days_until(today));
            self.likely_races(user).await?.into_iter().find(recent)
        } else {
            None
        };
        Ok(GenerationOutcome { baseline: athlete, result: made, likely_race })
    }

    /// The plan whose current revision has a workout.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_plan_with_workout(&self, user: UserId, workout: WorkoutId) -> Result<Option<Plan>> {
        let row = workouts::Entity::find_by_id(workout.get())
            .filter(workouts::Column::UserId.eq(user.get()))
            .one(self.reader())
            .await?;
        let Some(row) = row else { return Ok(None) };
        let Some(plan) = self.find_plan(user, PlanId::new(row.plan_id)).await? else { return Ok(None) };
        let current = plans::list_workouts(self.reader(), user, plan.id, plan.revision).await?;
        Ok(current.iter().any(|planned| planned.id == workout).then_some(plan))
    }
}
