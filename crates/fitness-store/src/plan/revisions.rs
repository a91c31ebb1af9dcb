//! Writes plan revisions: the only code that adds workouts to a plan.

use crate::db::convert::to_json;
use crate::db::entities::{plan_revisions, planned_workouts, training_plans, workouts};
use crate::db::error::{Error, Result};
use crate::db::store::truncate_to_micros;
use crate::db::tx::Tx;
use crate::plan::plans;
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{HumanActionId, PlanId};
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::plan::{NextRevisionWorkout, RevisionOrigin, Workout, is_unchanged};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, EntityTrait, QueryFilter,
    sea_query::Expr,
};

/// Well below SQLite's limit on variables.
const ROWS_PER_STATEMENT: usize = 200;

pub(crate) struct NewRevision {
    pub(crate) origin: RevisionOrigin,
    pub(crate) made_by: Option<HumanActionId>,
    pub(crate) reason: Option<String>,
    pub(crate) at: Instant,
}

/// Adds the revision after `base` with these workouts and makes it the current one.
///
/// `Stale` if the plan is no longer at `base` (compare-and-swap); `Unchanged` if nothing would
/// change.
pub(crate) async fn add_revision(
    tx: &Tx,
    plan: PlanId,
    base: i64,
    next: &[NextRevisionWorkout],
    making: NewRevision,
) -> Result<i64> {
    let number = base + 1;
    let current = plans::list_workouts(tx.db(), tx.user(), plan, base).await?;
    if base > 0 && is_unchanged(&current, next) {
        return Err(Error::Unchanged);
    }
    let revision = plan_revisions::ActiveModel {
        id: NotSet,
        plan_id: Set(plan.get()),
        user_id: Set(tx.user().get()),
        number: Set(number),
        origin: Set(making.origin.as_str().to_owned()),
        made_by: Set(making.made_by.map(HumanActionId::get)),
        reason: Set(making.reason),
        content_hash: Set(workouts_hash(next).to_string()),
        made_at: Set(truncate_to_micros(making.at)),
    };
    plan_revisions::Entity::insert(revision).exec_without_returning(tx.db()).await?;
    let mut new_ids =
        new_workouts(tx, plan, next.iter().filter(|w| w.id.is_none()).count()).await?.into_iter();
    let rows: Vec<planned_workouts::ActiveModel> = (0..)
        .zip(next)
        .map(|(position, w)| {
            let id = w.id.map_or_else(
                || new_ids.next().expect("one new id per new workout"),
                fitness_core::domain::ids::WorkoutId::get,
            );
            planned_workout(tx, plan, number, position, id, &w.workout)
        })
        .collect();
    for batch in rows.chunks(ROWS_PER_STATEMENT) {
        planned_workouts::Entity::insert_many(batch.iter().cloned()).exec_without_returning(tx.db()).await?;
    }
    let swapped = training_plans::Entity::update_many()
        .col_expr(training_plans::Column::Revision, Expr::value(number))
        .filter(training_plans::Column::Id.eq(plan.get()))
        .filter(training_plans::Column::UserId.eq(tx.user().get()))
        .filter(training_plans::Column::Revision.eq(base))
        .exec(tx.db())
        .await?;
    if swapped.rows_affected == 1 { Ok(number) } else { Err(Error::Stale) }
}

/// Creates ids for new workouts. Which workout gets which id does not matter.
async fn new_workouts(tx: &Tx, plan: PlanId, count: usize) -> Result<Vec<i64>> {
    let row = workouts::ActiveModel { id: NotSet, plan_id: Set(plan.get()), user_id: Set(tx.user().get()) };
    let mut ids = Vec::with_capacity(count);
    while ids.len() < count {
        let batch = (count - ids.len()).min(ROWS_PER_STATEMENT);
        let rows = std::iter::repeat_n(row.clone(), batch);
        ids.extend(workouts::Entity::insert_many(rows).exec_with_returning_keys(tx.db()).await?);
    }
    ids.sort_unstable();
    Ok(ids)
}

/// Hash of a revision's workouts, including their ids.
pub(crate) fn workouts_hash(next: &[NextRevisionWorkout]) -> ContentHash {
    ContentHash::hash_json(&next.iter().map(|w| (w.id, &w.workout)).collect::<Vec<_>>())
}

fn planned_workout(
    tx: &Tx,
    plan: PlanId,
    revision: i64,
    position: i64,
    id: i64,
    w: &Workout,
) -> planned_workouts::ActiveModel {
    planned_workouts::ActiveModel {
        id: NotSet,
        plan_id: Set(plan.get()),
        user_id: Set(tx.user().get()),
        revision: Set(revision),
        position: Set(position),
        workout_id: Set(id),
        date: Set(w.date.date()),
        sport: Set(w.sport.as_str().to_owned()),
        kind: Set(w.kind.as_str().to_owned()),
        name: Set(w.name.clone()),
        distance_mm: Set(w.distance.map(Distance::mm)),
        duration_ms: Set(w.duration.map(TimeSpan::ms)),
        load: Set(w.load),
        intensity: Set(w.intensity.clone()),
        description: Set(w.description.clone()),
        is_key: Set(w.key),
        steps: Set(to_json(&w.steps)),
    }
}
