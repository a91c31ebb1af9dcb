//! How a plan is followed: read at one moment, computed, stored nowhere.

use crate::db::convert::{day, word};
use crate::db::entities::{activities, sync_runs};
use crate::db::error::{Error, Result};
use crate::db::store::Store;
use crate::import::sync_runs as runs;
use crate::plan::matches;
use crate::plan::plans;
use crate::training::observations;
use fitness_core::adherence::data_frontier::{Coverage, Frontier, Reach};
use fitness_core::adherence::grade::{Done, Graded, Rules};
use fitness_core::adherence::{self, Data, DoneActivity, Followed, MATCH_DAYS, Match};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{ActivityId, PlanId, SyncRunId, UserId};
use fitness_core::domain::observation::{ExcusedDays, Observation};
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::plan::{Plan, PlanStatus, PlannedWorkout};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde::Serialize;
use std::collections::BTreeMap;

/// A plan with how it is followed, all read at one moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Progress {
    /// The plan.
    pub plan: Plan,
    /// The workouts of its current revision, in order.
    pub workouts: Vec<PlannedWorkout>,
    /// How far the data reached.
    pub frontier: Frontier,
    /// The activities of the plan's weeks, as far as the data reaches, in the order they were begun.
    pub activities: Vec<DoneActivity>,
    /// Verdicts, weeks, percentages, notes and offers; empty for a draft, which is never graded.
    #[serde(flatten)]
    pub followed: Followed,
}

/// How a plan stood after one import or sync.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replayed {
    /// Which one.
    pub run: SyncRunId,
    /// When it ended.
    pub at: Instant,
    /// How far the data reached then.
    pub frontier: Frontier,
    /// The verdicts it gave.
    pub graded: Vec<Graded>,
}

impl Store {
    /// How a plan is followed. Everything is read in one snapshot; the work grows with the number of activities.
    ///
    /// # Errors
    /// `NotFound` when there is no such plan.
    pub async fn progress(&self, user: UserId, id: PlanId) -> Result<Progress> {
        let db = self.snapshot().await?;
        let Gathered { plan, workouts, original, data, frontier } = gather(&db, user, id).await?;
        db.commit().await?;
        let followed = match plan.status {
            PlanStatus::Draft => Followed::default(),
            _ => {
                let excused = ExcusedDays::from_observations(&data.observed);
                let activities: Vec<DoneActivity> =
                    data.activities.iter().map(|known| known.activity).collect();
                let matches: Vec<Match> = data.matches.iter().map(|(said, _)| *said).collect();
                let data = Data { activities: &activities, matches: &matches, frontier, excused: &excused };
                adherence::follow(plan.judged_from(), &workouts, &original, &data, &Rules::default())
            }
        };
        let activities = data.activities.into_iter().map(|known| known.activity);
        let activities = activities.filter(|one| frontier.reach(one.day) != Reach::Beyond).collect();
        Ok(Progress { plan, workouts, frontier, activities, followed })
    }

    /// The verdicts a plan was given after every import and sync since it was activated, from what is recorded: the
    /// revision of that time, the activities that had arrived, what had been said. Corrections of an activity are not
    /// recorded with their time; they are taken as they are now.
    ///
    /// # Errors
    /// `NotFound` when there is no such plan.
    pub async fn replay(&self, user: UserId, id: PlanId) -> Result<Vec<Replayed>> {
        let db = self.snapshot().await?;
        let Gathered { plan, data, .. } = gather(&db, user, id).await?;
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
        let mut covered = Coverage::default();
        let mut replayed = Vec::new();
        for run in ended {
            let Some(at) = run.finished_at else { continue };
            covered = covered.and(Coverage::new(
                run.complete_through.map(day).transpose()?,
                run.open_day.map(day).transpose()?,
            ));
            if plan.activated_at.is_none_or(|activated| activated > at) {
                continue;
            }
            let made =
                revisions.iter().filter(|revision| revision.made_at <= at).map(|revision| revision.number);
            let Some(workouts) = made.max().and_then(|number| workouts.get(&number)) else { continue };
            let frontier = Frontier::from_runs([covered]);
            let graded = data.as_of(at, plan.judged_from(), workouts, frontier);
            replayed.push(Replayed { run: SyncRunId::new(run.id), at, frontier, graded });
        }
        Ok(replayed)
    }
}

/// What a plan is held against, with when each part of it became known.
#[derive(Default)]
pub(crate) struct Known {
    activities: Vec<KnownActivity>,
    matches: Vec<(Match, Instant)>,
    observed: Vec<Observation>,
    /// Deleted since; they counted before.
    deleted: Vec<(KnownActivity, Instant)>,
}

#[derive(Clone, Copy)]
struct KnownActivity {
    activity: DoneActivity,
    arrived: Instant,
}

impl Known {
    /// The verdicts on these workouts now.
    pub(crate) fn verdicts(
        &self,
        start: Day,
        workouts: &[PlannedWorkout],
        frontier: Frontier,
    ) -> Vec<Graded> {
        let activities: Vec<DoneActivity> = self.activities.iter().map(|known| known.activity).collect();
        let matches: Vec<Match> = self.matches.iter().map(|(said, _)| *said).collect();
        let excused = ExcusedDays::from_observations(&self.observed);
        let data = Data { activities: &activities, matches: &matches, frontier, excused: &excused };
        adherence::verdicts(start, workouts, &data, &Rules::default())
    }

    /// The verdicts on these workouts at some time.
    fn as_of(&self, at: Instant, start: Day, workouts: &[PlannedWorkout], frontier: Frontier) -> Vec<Graded> {
        let gone_since = self.deleted.iter().filter(|(_, deleted)| *deleted > at).map(|(known, _)| known);
        let arrived = self.activities.iter().chain(gone_since).filter(|known| known.arrived <= at);
        let then = Self {
            activities: arrived.copied().collect(),
            matches: self.matches.iter().filter(|(_, said)| *said <= at).copied().collect(),
            observed: self.observed.iter().filter(|one| one.written_at <= at).cloned().collect(),
            deleted: Vec::new(),
        };
        then.verdicts(start, workouts, frontier)
    }
}

/// A plan and everything it is held against.
pub(crate) struct Gathered {
    pub(crate) plan: Plan,
    /// Of the current revision.
    pub(crate) workouts: Vec<PlannedWorkout>,
    /// Of revision 1.
    original: Vec<PlannedWorkout>,
    pub(crate) data: Known,
    pub(crate) frontier: Frontier,
}

/// Reads a plan and what it is held against: its weeks, and the days around them from which a workout may have come.
pub(crate) async fn gather(db: &impl ConnectionTrait, user: UserId, id: PlanId) -> Result<Gathered> {
    let plan = plans::find_plan(db, user, id).await?.ok_or(Error::NotFound("plan"))?;
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
            let first = first.iso_week().monday().plus(-MATCH_DAYS);
            let last = last.iso_week().monday().plus(6 + MATCH_DAYS);
            let (activities, deleted) = known(db, user, first, last).await?;
            let matches = matches::list(db, user, id).await?;
            let observed = observations::list(db, user, first, last).await?;
            Known { activities, matches, observed, deleted }
        }
        _ => Known::default(),
    };
    Ok(Gathered { plan, workouts, original, data, frontier })
}

type Deleted = (KnownActivity, Instant);

/// What was done from one day through another, in the order it was begun; and what of it was deleted.
async fn known(
    db: &impl ConnectionTrait,
    user: UserId,
    from: Day,
    through: Day,
) -> Result<(Vec<KnownActivity>, Vec<Deleted>)> {
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
        let done = Done {
            distance: distance.map(Distance::from_mm),
            duration: moving.or(elapsed).map(TimeSpan::from_ms),
            load,
        };
        let activity = DoneActivity { id: ActivityId::new(id), day: day(date)?, sport: word(&sport)?, done };
        let known = KnownActivity { activity, arrived };
        match gone {
            None => there.push(known),
            Some(at) => deleted.push((known, at)),
        }
    }
    Ok((there, deleted))
}
