//! Activities and their laps.

use crate::audit::{Actor, Entry};
use crate::entities::{activities, laps};
use crate::error::Result;
use crate::read::{day, narrow, narrow_option, word};
use crate::sources::require_source;
use crate::store::{Store, stamp};
use crate::streams;
use crate::tx::Tx;
use fitness_core::activity::{Activity, Lap};
use fitness_core::calendar::{Day, Instant};
use fitness_core::grading::{DayTotals, Done};
use fitness_core::ids::{ActivityId, SourceId, UserId};
use fitness_core::stream::Recording;
use fitness_core::units::{Distance, TimeSpan};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde::Serialize;

/// Rows per statement; well below SQLite's limit on variables.
const LAPS_AT_ONCE: usize = 500;

/// An activity on its way into the store.
#[derive(Debug, Clone)]
pub struct NewActivity<'a> {
    /// What makes it this activity and no other, whatever file or service it came from.
    pub identity: &'a str,
    /// Where it came from.
    pub source: Option<SourceId>,
    /// What it is.
    pub activity: &'a Activity,
    /// What was recorded second by second, if anything.
    pub recording: Option<&'a Recording>,
}

/// What became of an activity that was put into the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// It is new.
    Added(ActivityId),
    /// It was there already, and nothing changed.
    AlreadyThere(ActivityId),
}

/// A stored activity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoredActivity {
    /// Its id.
    pub id: ActivityId,
    /// The local day it began.
    pub day: Day,
    /// What it is, without laps.
    #[serde(flatten)]
    pub activity: Activity,
    /// Its training load, once computed.
    pub load: Option<f64>,
}

impl Store {
    /// Puts an activity into the store, once: the same identity again changes nothing.
    ///
    /// # Errors
    /// `NotFound` when there is no such user or it is not their source; `TooLong` when the recording is.
    pub async fn put_activity(&self, user: UserId, new: NewActivity<'_>, now: Instant) -> Result<Put> {
        let tx = self.write(user).await?;
        let known = activities::Entity::find()
            .filter(activities::Column::UserId.eq(user.get()))
            .filter(activities::Column::Identity.eq(new.identity))
            .one(tx.db())
            .await?;
        if let Some(known) = known {
            return Ok(Put::AlreadyThere(ActivityId::new(known.id)));
        }
        if let Some(source) = new.source {
            require_source(tx.db(), user, source).await?;
        }
        let row = row(&tx, &new, now);
        let id = ActivityId::new(activities::Entity::insert(row).exec(tx.db()).await?.last_insert_id);
        let laps: Vec<_> =
            (1..).zip(&new.activity.laps).map(|(number, lap)| lap_row(&tx, id, number, lap)).collect();
        for batch in laps.chunks(LAPS_AT_ONCE) {
            laps::Entity::insert_many(batch.iter().cloned()).exec_without_returning(tx.db()).await?;
        }
        if let Some(recording) = new.recording {
            streams::put(&tx, id, recording).await?;
        }
        tx.commit(Entry::new(now, Actor::System, "activity.add", format!("activity:{id}"))).await?;
        Ok(Put::Added(id))
    }

    /// Activities from one local day through another, oldest first, without laps.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_activities(
        &self,
        user: UserId,
        from: Day,
        through: Day,
    ) -> Result<Vec<StoredActivity>> {
        let rows = activities::Entity::find()
            .filter(activities::Column::UserId.eq(user.get()))
            .filter(activities::Column::Day.between(from.date(), through.date()))
            .order_by_asc(activities::Column::StartedAt)
            .order_by_asc(activities::Column::Id)
            .all(self.reader())
            .await?;
        rows.into_iter().map(stored).collect()
    }

    /// One activity of a user, with its laps.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_activity(&self, user: UserId, id: ActivityId) -> Result<Option<StoredActivity>> {
        let db = self.snapshot().await?;
        let row = activities::Entity::find_by_id(id.get())
            .filter(activities::Column::UserId.eq(user.get()))
            .one(&db)
            .await?;
        let Some(mut activity) = row.map(stored).transpose()? else { return Ok(None) };
        let rows = laps::Entity::find()
            .filter(laps::Column::ActivityId.eq(id.get()))
            .filter(laps::Column::UserId.eq(user.get()))
            .order_by_asc(laps::Column::Number)
            .all(&db)
            .await?;
        activity.activity.laps = rows.into_iter().map(lap).collect::<Result<_>>()?;
        Ok(Some(activity))
    }
}

/// What was done from one day through another, by day and sport.
pub(crate) async fn day_totals(
    db: &impl ConnectionTrait,
    user: UserId,
    from: Day,
    through: Day,
) -> Result<DayTotals> {
    use activities::Column;
    let rows = activities::Entity::find()
        .select_only()
        .columns([
            Column::Day,
            Column::Sport,
            Column::DistanceMm,
            Column::MovingMs,
            Column::ElapsedMs,
            Column::Load,
        ])
        .filter(Column::UserId.eq(user.get()))
        .filter(Column::Day.between(from.date(), through.date()))
        .order_by_asc(Column::Id)
        .into_tuple::<(chrono::NaiveDate, String, Option<i64>, Option<i64>, Option<i64>, Option<f64>)>()
        .all(db)
        .await?;
    let mut totals = DayTotals::default();
    for (date, sport, distance, moving, elapsed, load) in rows {
        let done = Done {
            distance: distance.map(Distance::from_mm),
            duration: moving.or(elapsed).map(TimeSpan::from_ms),
            load,
        };
        totals.add(day(date)?, word(&sport)?, done);
    }
    Ok(totals)
}

fn row(tx: &Tx, new: &NewActivity<'_>, now: Instant) -> activities::ActiveModel {
    let a = new.activity;
    activities::ActiveModel {
        id: NotSet,
        user_id: Set(tx.user().get()),
        identity: Set(new.identity.to_owned()),
        source_id: Set(new.source.map(SourceId::get)),
        sport: Set(a.sport.as_str().to_owned()),
        sub_sport: Set(a.sub_sport.clone()),
        name: Set(a.name.clone()),
        started_at: Set(stamp(a.started_at)),
        utc_offset_s: Set(i64::from(a.utc_offset_s)),
        day: Set(a.day().date()),
        elapsed_ms: Set(a.elapsed.map(TimeSpan::ms)),
        moving_ms: Set(a.moving.map(TimeSpan::ms)),
        distance_mm: Set(a.distance.map(Distance::mm)),
        ascent_mm: Set(a.ascent.map(Distance::mm)),
        descent_mm: Set(a.descent.map(Distance::mm)),
        avg_heart_rate: Set(a.avg_heart_rate.map(i64::from)),
        max_heart_rate: Set(a.max_heart_rate.map(i64::from)),
        avg_power: Set(a.avg_power.map(i64::from)),
        max_power: Set(a.max_power.map(i64::from)),
        avg_cadence: Set(a.avg_cadence),
        energy_kcal: Set(a.energy_kcal.map(i64::from)),
        load: Set(None),
        device: Set(a.device.clone()),
        imported_at: Set(stamp(now)),
    }
}

fn stored(row: activities::Model) -> Result<StoredActivity> {
    Ok(StoredActivity {
        id: ActivityId::new(row.id),
        day: day(row.day)?,
        load: row.load,
        activity: Activity {
            sport: word(&row.sport)?,
            sub_sport: row.sub_sport,
            name: row.name,
            started_at: row.started_at,
            utc_offset_s: narrow(row.utc_offset_s)?,
            elapsed: row.elapsed_ms.map(TimeSpan::from_ms),
            moving: row.moving_ms.map(TimeSpan::from_ms),
            distance: row.distance_mm.map(Distance::from_mm),
            ascent: row.ascent_mm.map(Distance::from_mm),
            descent: row.descent_mm.map(Distance::from_mm),
            avg_heart_rate: narrow_option(row.avg_heart_rate)?,
            max_heart_rate: narrow_option(row.max_heart_rate)?,
            avg_power: narrow_option(row.avg_power)?,
            max_power: narrow_option(row.max_power)?,
            avg_cadence: row.avg_cadence,
            energy_kcal: narrow_option(row.energy_kcal)?,
            device: row.device,
            laps: Vec::new(),
        },
    })
}

fn lap_row(tx: &Tx, id: ActivityId, number: i64, lap: &Lap) -> laps::ActiveModel {
    laps::ActiveModel {
        activity_id: Set(id.get()),
        user_id: Set(tx.user().get()),
        number: Set(number),
        started_at: Set(stamp(lap.started_at)),
        elapsed_ms: Set(lap.elapsed.map(TimeSpan::ms)),
        moving_ms: Set(lap.moving.map(TimeSpan::ms)),
        distance_mm: Set(lap.distance.map(Distance::mm)),
        avg_heart_rate: Set(lap.avg_heart_rate.map(i64::from)),
        max_heart_rate: Set(lap.max_heart_rate.map(i64::from)),
        avg_power: Set(lap.avg_power.map(i64::from)),
        avg_cadence: Set(lap.avg_cadence),
        kind: Set(lap.kind.clone()),
    }
}

fn lap(row: laps::Model) -> Result<Lap> {
    Ok(Lap {
        started_at: row.started_at,
        elapsed: row.elapsed_ms.map(TimeSpan::from_ms),
        moving: row.moving_ms.map(TimeSpan::from_ms),
        distance: row.distance_mm.map(Distance::from_mm),
        avg_heart_rate: narrow_option(row.avg_heart_rate)?,
        max_heart_rate: narrow_option(row.max_heart_rate)?,
        avg_power: narrow_option(row.avg_power)?,
        avg_cadence: row.avg_cadence,
        kind: row.kind,
    })
}
