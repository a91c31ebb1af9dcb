//! Generates a plan from an athlete's history without saving it.

use crate::db::entities::workouts;
use crate::db::error::Result;
use crate::db::store::Store;
use crate::plan::plans;
use crate::training::activities::StoredActivity;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{PlanId, UserId, WorkoutId};
use fitness_core::plan::{
    GenerateError, GeneratedPlan, Plan, PlanRequest, SelfReportedTraining, TrainingBaseline, generate,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

/// How long a race result is used for paces.
const RESULT_DAYS: i64 = 120;

#[derive(Debug, Clone, PartialEq)]
pub struct GenerationOutcome {
    pub baseline: TrainingBaseline,
    /// The plan, or the reason it could not be generated.
    pub result: std::result::Result<GeneratedPlan, GenerateError>,
    /// A run that looks like a race; confirming it would provide the missing paces.
    pub likely_race: Option<StoredActivity>,
}

impl Store {
    /// Generates a plan. Nothing is saved.
    ///
    /// # Errors
    /// `Unreadable` if stored data is damaged.
    pub async fn generate_draft(
        &self,
        user: UserId,
        wish: &PlanRequest,
        stated: SelfReportedTraining,
        today: Day,
    ) -> Result<GenerationOutcome> {
        let race = wish.goal.distance().or(wish.distance);
        let athlete = self.training_baseline(user, race, today, stated).await?;
        let made = generate(wish, &athlete);
        let likely_race = if athlete.current_paces().is_none() && made.is_ok() {
            let recent = |found: &StoredActivity| (0..=RESULT_DAYS).contains(&found.day.days_until(today));
            self.likely_races(user).await?.into_iter().find(recent)
        } else {
            None
        };
        Ok(GenerationOutcome { baseline: athlete, result: made, likely_race })
    }

    /// The plan whose current revision contains a workout.
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
