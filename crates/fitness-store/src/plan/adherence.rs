//! Plan adherence, computed from one snapshot and never stored.

use crate::db::convert::{day, parse_text};
use crate::db::entities::{activities, sync_runs};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::Store;
use crate::import::sync_runs as runs;
use crate::plan::matches;
use crate::plan::plans;
use crate::training::observations;
use fitness_core::adherence::data_frontier::{DataFrontier, DayCoverage, ImportCoverage};
use fitness_core::adherence::grade::{ActualAmounts, GradedWorkout, GradingRules};
use fitness_core::adherence::{
    self, AdherenceData, AdherenceReport, CompletedActivity, MATCH_DAYS, MatchDecision,
};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{ActivityId, PlanId, SyncRunId, UserId};
use fitness_core::domain::observation::{AbsenceReasonByDay, Observation};
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::plan::{Plan, PlanStatus, PlannedWorkout};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde::Serialize;
use std::collections::BTreeMap;

/// A plan with its adherence, read from one snapshot.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanAdherence {
    pub plan: Plan,
    /// Of the current revision, in order.
    pub workouts: Vec<PlannedWorkout>,
    pub frontier: DataFrontier,
    /// Activities in the plan's weeks up to the data frontier, by start time.
    pub activities: Vec<CompletedActivity>,
    /// Empty for a draft, which is never graded.
    #[serde(flatten)]
    pub adherence: AdherenceReport,
}

/// Adherence after one import or sync.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AdherenceAfterSync {
    pub run: SyncRunId,
    pub at: Instant,
    pub frontier: DataFrontier,
    pub graded: Vec<GradedWorkout>,
}

impl Store {
    /// Computes the adherence to a plan from one snapshot. The cost grows with the number of
    /// activities.
    ///
    /// # Errors
    /// `NotFound` when there is no such plan.
    pub async fn plan_adherence(&self, user: UserId, id: PlanId) -> Result<PlanAdherence> {
        let db = self.snapshot().await?;
        let PlanSnapshot { plan, workouts, original, data, frontier } =
            load_plan_snapshot(&db, user, id).await?;
        db.commit().await?;
        let followed = match plan.status {
            PlanStatus::Draft => AdherenceReport::default(),
            _ => {
                let excused = AbsenceReasonByDay::from_observations(&data.observations);
                let activities: Vec<CompletedActivity> =
                    data.activities.iter().map(|known| known.activity).collect();
                let matches: Vec<MatchDecision> = data.matches.iter().map(|(said, _)| *said).collect();
                let data = AdherenceData {
                    activities: &activities,
                    matches: &matches,
                    frontier,
                    absences: &excused,
                };
                adherence::evaluate_adherence(
                    plan.graded_from(),
                    &workouts,
                    &original,
                    &data,
                    &GradingRules::default(),
                )
            }
        };
        let activities = data.activities.into_iter().map(|known| known.activity);
        let activities =
            activities.filter(|one| frontier.day_coverage(one.day) != DayCoverage::Beyond).collect();
        Ok(PlanAdherence { plan, workouts, frontier, activities, adherence: followed })
    }

    /// Recomputes the verdicts after every import and sync since activation, from the revision,
    /// activities, matches and observations known at that time. Edits of activities have no
    /// history; their current values are used.
    ///
    /// # Errors
    /// `NotFound` when there is no such plan.
    pub async fn replay_adherence(&self, user: UserId, id: PlanId) -> Result<Vec<AdherenceAfterSync>> {
        let db = self.snapshot().await?;
        let PlanSnapshot { plan, data, .. } = load_plan_snapshot(&db, user, id).await?;
        let revisions = plans::list_revisions(&db, user, id).await?;
        let mut workouts = BTreeMap::new();
        for revision in &revisions {
            workouts.insert(revision.number, plans::list_workouts(&db, user, id, revision.number).await?);
        }
        let ended = sync_runs::Entity::find()
            .filter(sync_runs::Column::UserId.eq(user.get()))
            .filter(sync_runs::Column::FinishedAt.is_not_null())
            .order_by_asc(sync_runs::Column::FinishedAt)
            .order_by_asc(sync_runs::Column::Id)
            .all(&db)
            .await?;
        db.commit().await?;
        let mut covered = ImportCoverage::default();
        let mut replayed = Vec::new();
        for run in ended {
            let Some(at) = run.finished_at else { continue };
            covered = covered.union(ImportCoverage::new(
                run.complete_through.map(day).transpose()?,
                run.open_day.map(day).transpose()?,
            ));
            if plan.activated_at.is_none_or(|activated| activated > at) {
                continue;
            }
            let made =
                revisions.iter().filter(|revision| revision.made_at <= at).map(|revision| revision.number);
            let Some(workouts) = made.max().and_then(|number| workouts.get(&number)) else { continue };
            let frontier = DataFrontier::from_runs([covered]);
            let graded = data.verdicts_as_of(at, plan.graded_from(), workouts, frontier);
            replayed.push(AdherenceAfterSync { run: SyncRunId::new(run.id), at, frontier, graded });
        }
        Ok(replayed)
    }
}

/// Data to grade a plan with, and when each part became known.
#[derive(Default)]
pub(crate) struct AdherenceInputs {
    activities: Vec<ActivityWithArrival>,
    matches: Vec<(MatchDecision, Instant)>,
    observations: Vec<Observation>,
    /// Deleted later, with the time of deletion.
    deleted: Vec<(ActivityWithArrival, Instant)>,
}

#[derive(Clone, Copy)]
struct ActivityWithArrival {
    activity: CompletedActivity,
    arrived_at: Instant,
}

impl AdherenceInputs {
    pub(crate) fn verdicts(
        &self,
        start: Day,
        workouts: &[PlannedWorkout],
        frontier: DataFrontier,
    ) -> Vec<GradedWorkout> {
        let activities: Vec<CompletedActivity> = self.activities.iter().map(|known| known.activity).collect();
        let matches: Vec<MatchDecision> = self.matches.iter().map(|(said, _)| *said).collect();
        let excused = AbsenceReasonByDay::from_observations(&self.observations);
        let data = AdherenceData { activities: &activities, matches: &matches, frontier, absences: &excused };
        adherence::grade_workouts(start, workouts, &data, &GradingRules::default())
    }

    /// The verdicts as they were at a point in time.
    fn verdicts_as_of(
        &self,
        at: Instant,
        start: Day,
        workouts: &[PlannedWorkout],
        frontier: DataFrontier,
    ) -> Vec<GradedWorkout> {
        let gone_since = self.deleted.iter().filter(|(_, deleted)| *deleted > at).map(|(known, _)| known);
        let arrived = self.activities.iter().chain(gone_since).filter(|known| known.arrived_at <= at);
        let then = Self {
            activities: arrived.copied().collect(),
            matches: self.matches.iter().filter(|(_, said)| *said <= at).copied().collect(),
            observations: self.observations.iter().filter(|one| one.written_at <= at).cloned().collect(),
            deleted: Vec::new(),
        };
        then.verdicts(start, workouts, frontier)
    }
}

/// A plan with everything needed to grade it.
pub(crate) struct PlanSnapshot {
    pub(crate) plan: Plan,
    /// Of the current revision.
    pub(crate) workouts: Vec<PlannedWorkout>,
    original: Vec<PlannedWorkout>,
    pub(crate) data: AdherenceInputs,
    pub(crate) frontier: DataFrontier,
}

/// Loads a plan with the activities of its weeks and the days around them, in which a workout may
/// have been done.
pub(crate) async fn load_plan_snapshot(
    db: &impl ConnectionTrait,
    user: UserId,
    id: PlanId,
) -> Result<PlanSnapshot> {
    let plan = plans::find_plan(db, user, id).await?.ok_or(Error::NotFound(RecordKind::Plan))?;
    let workouts = plans::list_workouts(db, user, id, plan.revision).await?;
    let original = match plan.revision {
        1 => workouts.clone(),
        _ => plans::list_workouts(db, user, id, 1).await?,
    };
    let frontier = runs::frontier(db, user).await?;
    let dates =
        workouts.iter().chain(&original).map(|w| w.workout.date).chain([plan.start_date, plan.race_date]);
    let data = match dates.clone().min().zip(dates.max()) {
        Some((first, last)) if plan.status != PlanStatus::Draft => {
            let first = first.iso_week().monday().plus_days(-MATCH_DAYS);
            let last = last.iso_week().monday().plus_days(6 + MATCH_DAYS);
            let (activities, deleted) = list_timed_activities(db, user, first, last).await?;
            let matches = matches::list(db, user, id).await?;
            let observed = observations::list(db, user, first, last).await?;
            AdherenceInputs { activities, matches, observations: observed, deleted }
        }
        _ => AdherenceInputs::default(),
    };
    Ok(PlanSnapshot { plan, workouts, original, data, frontier })
}

type DeletedActivity = (ActivityWithArrival, Instant);

/// Activities of a period by start time, and those of them that were deleted.
async fn list_timed_activities(
    db: &impl ConnectionTrait,
    user: UserId,
    from: Day,
    through: Day,
) -> Result<(Vec<ActivityWithArrival>, Vec<DeletedActivity>)> {
    use activities::Column;
    type Row = (
        i64,
        chrono::NaiveDate,
        String,
        Option<i64>,
        Option<i64>,
        Option<i64>,
        Option<f64>,
        Instant,
        Option<Instant>,
    );
    let rows = activities::Entity::find()
        .select_only()
        .columns([
            Column::Id,
            Column::Day,
            Column::Sport,
            Column::DistanceMm,
            Column::MovingMs,
            Column::ElapsedMs,
            Column::Load,
            Column::ImportedAt,
            Column::DeletedAt,
        ])
        .filter(Column::UserId.eq(user.get()))
        .filter(Column::Day.between(from.date(), through.date()))
        .order_by_asc(Column::StartedAt)
        .order_by_asc(Column::Id)
        .into_tuple::<Row>()
        .all(db)
        .await?;
    let (mut there, mut deleted) = (Vec::new(), Vec::new());
    for (id, date, sport, distance, moving, elapsed, load, arrived, gone) in rows {
        let done = ActualAmounts {
            distance: distance.map(Distance::from_mm),
            duration: moving.or(elapsed).map(TimeSpan::from_ms),
            load,
        };
        let activity = CompletedActivity {
            id: ActivityId::new(id),
            day: day(date)?,
            sport: parse_text(&sport)?,
            amounts: done,
        };
        let known = ActivityWithArrival { activity, arrived_at: arrived };
        match gone {
            None => there.push(known),
            Some(at) => deleted.push((known, at)),
        }
    }
    Ok((there, deleted))
}
