//! The athlete's decisions about matches between a workout and an activity on another day.
//!
//! A run a day early or late is suggested as a match, never matched automatically. Only the athlete
//! decides; no coach API can.

use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::convert::{day, parse_text};
use crate::db::entities::activities;
use crate::db::entities::workout_matches::{ActiveModel, Column, Entity, Model};
use crate::db::error::{Error, RecordKind, Result};
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
    /// Records whether an activity was a workout of another day. An accepted match counts towards
    /// the workout; a declined one is not suggested again. Repeating a decision changes nothing.
    ///
    /// # Errors
    /// `NotFound` if the plan, workout or activity is not theirs; `WrongStatus` for a draft, which
    /// is never graded; `NoMatch` if the two cannot match; `AlreadyMatched` if either has another
    /// match.
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
        let found = plans::find_plan(tx.db(), user, plan).await?.ok_or(Error::NotFound(RecordKind::Plan))?;
        if found.status == PlanStatus::Draft {
            return Err(Error::WrongStatus(found.status));
        }
        let workouts = plans::list_workouts(tx.db(), user, plan, found.revision).await?;
        let planned =
            workouts.iter().find(|w| w.id == workout).ok_or(Error::NotFound(RecordKind::Workout))?;
        let done = activities::Entity::find_by_id(activity.get())
            .filter(activities::Column::UserId.eq(user.get()))
            .filter(activities::Column::DeletedAt.is_null())
            .one(tx.db())
            .await?
            .ok_or(Error::NotFound(RecordKind::Activity))?;
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
        let action = if accepted { AuditAction::MatchAccept } else { AuditAction::MatchDecline };
        let object = format!("plan:{plan} workout:{workout} activity:{activity}");
        tx.commit(NewAuditEntry::new(now, Actor::Human, action, object)).await
    }

    /// Removes all decisions about a workout and returns them: the activity counts on its own day
    /// again, and declined matches may be suggested again.
    ///
    /// # Errors
    /// `NotFound` if there is no decision about it.
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
            return Err(Error::NotFound(RecordKind::Match));
        }
        Entity::delete_many()
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::PlanId.eq(plan.get()))
            .filter(Column::WorkoutId.eq(workout.get()))
            .exec(tx.db())
            .await?;
        let object = format!("plan:{plan} workout:{workout}");
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::MatchRemove, object)).await?;
        Ok(said)
    }

    /// Match decisions for a plan's workouts, oldest first.
    pub async fn list_matches(&self, user: UserId, plan: PlanId) -> Result<Vec<MatchDecision>> {
        Ok(list(self.reader(), user, plan).await?.into_iter().map(|(answer, _)| answer).collect())
    }
}

/// Match decisions for a plan's workouts, each with its time.
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
