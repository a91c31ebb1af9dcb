//! What the athlete says about a workout and an activity of another day.
//!
//! A run a day early or late is offered as a match, never taken. The answer is the athlete's: nothing on the coach's
//! [`Desk`](crate::plan::drafts::Desk) reaches it.

use crate::db::audit::{Actor, NewAuditEntry};
use crate::db::convert::{day, parse_text};
use crate::db::entities::activities;
use crate::db::entities::workout_matches::{ActiveModel, Column, Entity, Model};
use crate::db::error::{Error, Result};
use crate::db::store::{Store, truncate_to_micros};
use crate::plan::plans;
use fitness_core::adherence::{MatchDecision, check_match};
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::ids::{ActivityId, PlanId, UserId, WorkoutId};
use fitness_core::plan::PlanStatus;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder,
};

impl Store {
    /// Takes the athlete's word that an activity was, or was not, a workout of another day. From then on it counts
    /// towards that day, or is not offered again. The same answer twice changes nothing.
    ///
    /// # Errors
    /// `NotFound` when plan, workout or activity are not theirs; `WrongStatus` for a draft, which is never graded;
    /// `NoMatch` when the two cannot be one; `AlreadyMatched` when either is matched otherwise.
    pub async fn put_match(
        &self,
        user: UserId,
        plan: PlanId,
        workout: WorkoutId,
        activity: ActivityId,
        accepted: bool,
        now: Instant,
    ) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        let found = plans::find_plan(tx.db(), user, plan).await?.ok_or(Error::NotFound("plan"))?;
        if found.status == PlanStatus::Draft {
            return Err(Error::WrongStatus(found.status));
        }
        let workouts = plans::list_workouts(tx.db(), user, plan, found.revision).await?;
        let planned = workouts.iter().find(|w| w.id == workout).ok_or(Error::NotFound("workout"))?;
        let done = activities::Entity::find_by_id(activity.get())
            .filter(activities::Column::UserId.eq(user.get()))
            .filter(activities::Column::DeletedAt.is_null())
            .one(tx.db())
            .await?
            .ok_or(Error::NotFound("activity"))?;
        check_match(&planned.workout, day(done.day)?, parse_text(&done.sport)?)?;
        let said = list(tx.db(), user, plan).await?;
        let said: Vec<MatchDecision> = said.into_iter().map(|(answer, _)| answer).collect();
        if said.contains(&MatchDecision { workout, activity, accepted }) {
            return Ok(());
        }
        let otherwise = |m: &&MatchDecision| m.accepted && (m.workout == workout) != (m.activity == activity);
        if let Some(other) = said.iter().find(otherwise).filter(|_| accepted) {
            return Err(Error::AlreadyMatched { workout: other.workout, activity: other.activity });
        }
        let row = ActiveModel {
            id: NotSet,
            user_id: Set(user.get()),
            plan_id: Set(plan.get()),
            workout_id: Set(workout.get()),
            activity_id: Set(activity.get()),
            accepted: Set(accepted),
            decided_at: Set(truncate_to_micros(now)),
        };
        let replace = OnConflict::columns([Column::WorkoutId, Column::ActivityId])
            .update_columns([Column::Accepted, Column::DecidedAt])
            .to_owned();
        Entity::insert(row).on_conflict(replace).exec_without_returning(tx.db()).await?;
        let action = if accepted { "match.accept" } else { "match.decline" };
        let object = format!("plan:{plan} workout:{workout} activity:{activity}");
        tx.commit(NewAuditEntry::new(now, Actor::Human, action, object)).await
    }

    /// Takes back everything that was said about a workout: what was matched counts on its own day again, and what was
    /// declined may be offered again. Gives back what was taken back.
    ///
    /// # Errors
    /// `NotFound` when nothing was said about it.
    pub async fn remove_match(
        &self,
        user: UserId,
        plan: PlanId,
        workout: WorkoutId,
        now: Instant,
    ) -> Result<Vec<MatchDecision>> {
        let tx = self.begin_user_write(user).await?;
        let said = list(tx.db(), user, plan).await?.into_iter().map(|(answer, _)| answer);
        let said: Vec<MatchDecision> = said.filter(|answer| answer.workout == workout).collect();
        if said.is_empty() {
            return Err(Error::NotFound("match"));
        }
        Entity::delete_many()
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::PlanId.eq(plan.get()))
            .filter(Column::WorkoutId.eq(workout.get()))
            .exec(tx.db())
            .await?;
        let object = format!("plan:{plan} workout:{workout}");
        tx.commit(NewAuditEntry::new(now, Actor::Human, "match.remove", object)).await?;
        Ok(said)
    }

    /// What the athlete said about the workouts of a plan, oldest first.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_matches(&self, user: UserId, plan: PlanId) -> Result<Vec<MatchDecision>> {
        Ok(list(self.reader(), user, plan).await?.into_iter().map(|(answer, _)| answer).collect())
    }
}

/// The answers about a plan's workouts, and when each was given.
pub(crate) async fn list(
    db: &impl ConnectionTrait,
    user: UserId,
    plan: PlanId,
) -> Result<Vec<(MatchDecision, Instant)>> {
    let rows = Entity::find()
        .filter(Column::UserId.eq(user.get()))
        .filter(Column::PlanId.eq(plan.get()))
        .order_by_asc(Column::Id)
        .all(db)
        .await?;
    Ok(rows.into_iter().map(match_from_row).collect())
}

fn match_from_row(row: Model) -> (MatchDecision, Instant) {
    let said = MatchDecision {
        workout: WorkoutId::new(row.workout_id),
        activity: ActivityId::new(row.activity_id),
        accepted: row.accepted,
    };
    (said, row.decided_at)
}
