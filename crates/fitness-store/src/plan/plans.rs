//! Reads plans, revisions, workouts and proposals, and grades plans.
//!
//! Nothing here writes: [`crate::plan::drafts`] writes drafts and proposals,
//! [`crate::plan::human_actions`] every change to a plan.

use crate::db::convert::{day, from_json, parse_text};
use crate::db::entities::{human_actions, plan_revisions, planned_workouts, proposals, training_plans};
use crate::db::error::Result;
use crate::db::store::Store;
use crate::plan::adherence::{self, PlanSnapshot};
use fitness_core::adherence::data_frontier::DataFrontier;
use fitness_core::adherence::grade::{GradedWorkout, Tally};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{HumanActionId, PlanId, ProposalId, UserId, WorkoutId};
use fitness_core::domain::note::Author;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::plan::{
    Draft, Plan, PlanStatus, PlannedWorkout, Proposal, ProposalOrigin, Revision, Workout,
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use serde::Serialize;
use std::collections::BTreeMap;

/// A plan with its workouts and verdicts, read from one snapshot.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GradedPlan {
    pub plan: Plan,
    /// Of the current revision, in order.
    pub workouts: Vec<PlannedWorkout>,
    /// One per workout, in the same order; empty for a draft, which is never graded.
    pub graded: Vec<GradedWorkout>,
    /// Totals of the graded workouts.
    pub tally: Tally,
    pub frontier: DataFrontier,
}

impl Store {
    /// A user's plans, newest first.
    pub async fn list_plans(&self, user: UserId) -> Result<Vec<Plan>> {
        let rows = training_plans::Entity::find()
            .filter(training_plans::Column::UserId.eq(user.get()))
            // A plan without a revision was never finished; both are written in one transaction.
            .filter(training_plans::Column::Revision.gt(0))
            .order_by_desc(training_plans::Column::Id)
            .all(self.reader())
            .await?;
        rows.into_iter().map(plan).collect()
    }

    pub async fn find_plan(&self, user: UserId, id: PlanId) -> Result<Option<Plan>> {
        find_plan(self.reader(), user, id).await
    }

    pub async fn find_active_plan(&self, user: UserId) -> Result<Option<Plan>> {
        find_active_plan(self.reader(), user).await
    }

    /// Workouts of a revision, in order.
    pub async fn list_workouts(
        &self,
        user: UserId,
        plan: PlanId,
        revision: i64,
    ) -> Result<Vec<PlannedWorkout>> {
        list_workouts(self.reader(), user, plan, revision).await
    }

    /// A plan's revisions, newest first.
    pub async fn list_revisions(&self, user: UserId, plan: PlanId) -> Result<Vec<Revision>> {
        list_revisions(self.reader(), user, plan).await
    }

    /// Who else wrote names and descriptions in a plan: the author of its draft or of an applied
    /// proposal. `None` if only the athlete did.
    pub async fn find_text_author(&self, user: UserId, plan: &Plan) -> Result<Option<Author>> {
        let is_other = |author: &Author| *author != Author::Athlete;
        if is_other(&plan.author) || plan.revision == 1 {
            return Ok(Some(plan.author).filter(is_other));
        }
        let revisions = self.list_revisions(user, plan.id).await?;
        let mut proposed = revisions.iter().filter_map(|revision| revision.proposed_by);
        Ok(proposed.find_map(|origin| Some(origin.author()).filter(is_other)))
    }

    /// A plan's proposals, newest first.
    pub async fn list_proposals(&self, user: UserId, plan: PlanId) -> Result<Vec<Proposal>> {
        list_proposals(self.reader(), user, plan).await
    }

    pub async fn find_proposal(&self, user: UserId, id: ProposalId) -> Result<Option<Proposal>> {
        find_proposal(self.reader(), user, id).await
    }

    /// Grades a plan from one snapshot; verdicts are never stored.
    ///
    /// # Errors
    /// `NotFound` when there is no such plan.
    pub async fn graded_plan(&self, user: UserId, id: PlanId) -> Result<GradedPlan> {
        let db = self.snapshot().await?;
        let PlanSnapshot { plan, workouts, data, frontier, .. } =
            adherence::load_plan_snapshot(&db, user, id).await?;
        db.commit().await?;
        let graded = match plan.status {
            PlanStatus::Draft => Vec::new(),
            _ => data.verdicts(plan.graded_from(), &workouts, frontier),
        };
        Ok(GradedPlan { tally: Tally::from_graded(&graded), plan, workouts, graded, frontier })
    }
}

pub(crate) async fn find_plan(db: &impl ConnectionTrait, user: UserId, id: PlanId) -> Result<Option<Plan>> {
    let row = training_plans::Entity::find_by_id(id.get())
        .filter(training_plans::Column::UserId.eq(user.get()))
        .filter(training_plans::Column::Revision.gt(0))
        .one(db)
        .await?;
    row.map(plan).transpose()
}

pub(crate) async fn find_active_plan(db: &impl ConnectionTrait, user: UserId) -> Result<Option<Plan>> {
    let row = training_plans::Entity::find()
        .filter(training_plans::Column::UserId.eq(user.get()))
        .filter(training_plans::Column::Status.eq(PlanStatus::Active.as_str()))
        .one(db)
        .await?;
    row.map(plan).transpose()
}

pub(crate) async fn find_proposal(
    db: &impl ConnectionTrait,
    user: UserId,
    id: ProposalId,
) -> Result<Option<Proposal>> {
    let row = proposals::Entity::find_by_id(id.get())
        .filter(proposals::Column::UserId.eq(user.get()))
        .one(db)
        .await?;
    row.map(proposal).transpose()
}

pub(crate) async fn list_proposals(
    db: &impl ConnectionTrait,
    user: UserId,
    plan: PlanId,
) -> Result<Vec<Proposal>> {
    let rows = proposals::Entity::find()
        .filter(proposals::Column::UserId.eq(user.get()))
        .filter(proposals::Column::PlanId.eq(plan.get()))
        .order_by_desc(proposals::Column::Id)
        .all(db)
        .await?;
    rows.into_iter().map(proposal).collect()
}

pub(crate) async fn list_workouts(
    db: &impl ConnectionTrait,
    user: UserId,
    plan: PlanId,
    revision: i64,
) -> Result<Vec<PlannedWorkout>> {
    let rows = planned_workouts::Entity::find()
        .filter(planned_workouts::Column::UserId.eq(user.get()))
        .filter(planned_workouts::Column::PlanId.eq(plan.get()))
        .filter(planned_workouts::Column::Revision.eq(revision))
        .order_by_asc(planned_workouts::Column::Date)
        .order_by_asc(planned_workouts::Column::Position)
        .all(db)
        .await?;
    rows.into_iter().map(planned_workout).collect()
}

pub(crate) async fn list_revisions(
    db: &impl ConnectionTrait,
    user: UserId,
    plan: PlanId,
) -> Result<Vec<Revision>> {
    let rows = plan_revisions::Entity::find()
        .filter(plan_revisions::Column::UserId.eq(user.get()))
        .filter(plan_revisions::Column::PlanId.eq(plan.get()))
        .order_by_desc(plan_revisions::Column::Number)
        .all(db)
        .await?;
    let taken = human_actions::Entity::find()
        .filter(human_actions::Column::UserId.eq(user.get()))
        .filter(human_actions::Column::PlanId.eq(plan.get()))
        .filter(human_actions::Column::ProposalId.is_not_null())
        .all(db)
        .await?;
    let taken: BTreeMap<i64, i64> =
        taken.into_iter().filter_map(|action| Some((action.id, action.proposal_id?))).collect();
    let proposals = if taken.is_empty() { Vec::new() } else { list_proposals(db, user, plan).await? };
    rows.into_iter()
        .map(|row| {
            let proposal = row.made_by.and_then(|action| taken.get(&action)).copied().map(ProposalId::new);
            let made = proposals.iter().find(|one| Some(one.id) == proposal);
            Ok(Revision {
                plan: PlanId::new(row.plan_id),
                number: row.number,
                origin: parse_text(&row.origin)?,
                made_by: row.made_by.map(HumanActionId::new),
                proposal,
                proposed_by: made.map(|one| one.origin),
                reason: row.reason,
                content_hash: parse_text(&row.content_hash)?,
                made_at: row.made_at,
            })
        })
        .collect()
}

/// The draft of a stored plan, rebuilt from its rows.
pub(crate) fn draft_from_plan(plan: &Plan, workouts: &[PlannedWorkout]) -> Result<Draft> {
    let workouts = workouts.iter().map(|w| w.workout.clone()).collect();
    let (start, race) = (plan.start_date, plan.race_date);
    let (race_of, days) = ((plan.goal, plan.distance), (start, race));
    Ok(Draft::from_parts(&plan.name, race_of, days, plan.target_time, plan.terms.clone(), workouts)?)
}

/// Hash of a plan's id, status and revision, as shown before archiving or deleting it.
#[must_use]
pub fn plan_state_hash(plan: &Plan) -> ContentHash {
    ContentHash::hash_json(&(plan.id, plan.status, plan.revision, plan.content_hash))
}

fn plan(row: training_plans::Model) -> Result<Plan> {
    Ok(Plan {
        id: PlanId::new(row.id),
        name: row.name,
        goal: parse_text(&row.goal)?,
        distance: row.distance_mm.map(Distance::from_mm),
        start_date: day(row.start_date)?,
        begun_on: row.begun_on.map(day).transpose()?,
        race_date: day(row.race_date)?,
        target_time: row.target_time.map(TimeSpan::from_secs),
        terms: row.terms.map(from_json).transpose()?.unwrap_or_default(),
        status: parse_text(&row.status)?,
        author: parse_text(&row.author)?,
        content_hash: parse_text(&row.content_hash)?,
        revision: row.revision,
        superseded_by: row.superseded_by.map(PlanId::new),
        created_at: row.created_at,
        activated_at: row.activated_at,
        archived_at: row.archived_at,
    })
}

pub(crate) fn proposal(row: proposals::Model) -> Result<Proposal> {
    let author: Author = parse_text(&row.author)?;
    Ok(Proposal {
        id: ProposalId::new(row.id),
        plan: PlanId::new(row.plan_id),
        base_revision: row.base_revision,
        status: parse_text(&row.status)?,
        author,
        origin: match (row.follows_from, author) {
            (Some(_), _) => ProposalOrigin::Rules,
            (None, Author::Athlete) => ProposalOrigin::Athlete,
            (None, Author::Coach) => ProposalOrigin::ModelResponse,
            (None, Author::Mcp) => ProposalOrigin::Mcp,
        },
        message: row.message,
        changes: from_json(row.changes)?,
        made_at: row.made_at,
        expires_on: row.expires_on.map(day).transpose()?,
        superseded_by: row.superseded_by.map(ProposalId::new),
        withdrawn_at: row.withdrawn_at,
        findings: row.findings.map(from_json).transpose()?.unwrap_or_default(),
    })
}

fn planned_workout(row: planned_workouts::Model) -> Result<PlannedWorkout> {
    Ok(PlannedWorkout {
        id: WorkoutId::new(row.workout_id),
        workout: Workout {
            date: day(row.date)?,
            sport: parse_text(&row.sport)?,
            kind: parse_text(&row.kind)?,
            name: row.name,
            distance: row.distance_mm.map(Distance::from_mm),
            duration: row.duration_ms.map(TimeSpan::from_ms),
            load: row.load,
            intensity: row.intensity,
            description: row.description,
            key: row.is_key,
            steps: from_json(row.steps)?,
        },
    })
}
