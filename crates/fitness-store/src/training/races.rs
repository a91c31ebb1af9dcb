//! Race results: confirmed from an activity, or entered by hand.

use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::convert::{day, parse_text};
use crate::db::entities::{activities, races};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::{Store, truncate_to_micros};
use crate::db::tx::Tx;
use crate::metrics::recompute_state;
use crate::training::activities::{StoredActivity, stored_activity};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{ActivityId, RaceId, UserId};
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::metrics::predict::{Performance, ResultKind, official_distance};
use sea_orm::sea_query::{ExprTrait, OnConflict, Query};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder,
};
use serde::Serialize;
use std::collections::HashSet;

/// A race result to be stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RaceResult {
    /// `None` if entered by hand.
    pub activity: Option<ActivityId>,
    pub day: Day,
    pub name: String,
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
    #[serde(rename = "time_ms")]
    pub time: TimeSpan,
    /// Race or time trial (all-out, but alone).
    pub effort: ResultKind,
}

impl RaceResult {
    /// The result recorded by an activity, if it has a distance and a time. A watch never measures
    /// a course exactly, so the official distance is used.
    #[must_use]
    pub fn from_activity(found: &StoredActivity) -> Option<Self> {
        let told = found.activity.distance?;
        let (distance, time) = (official_distance(told).unwrap_or(told), found.activity.elapsed?);
        Performance::new(distance, time).ok()?;
        let name = found.activity.name.clone().unwrap_or_else(|| "Race".to_owned());
        Some(Self {
            activity: Some(found.id),
            day: found.day,
            name,
            distance,
            time,
            effort: ResultKind::Race,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Race {
    pub id: RaceId,
    #[serde(flatten)]
    pub result: RaceResult,
}

impl Store {
    /// Stores a race result. Replaces an earlier one for the same activity.
    ///
    /// # Errors
    /// `NotFound` if the activity is not theirs.
    pub async fn put_race(&self, user: UserId, result: &RaceResult, now: Instant) -> Result<RaceId> {
        self.store_race_decision(user, result, true, now).await
    }

    /// Records that an activity was not a race, so that it is not suggested again.
    ///
    /// # Errors
    /// `NotFound` if the activity is not theirs.
    pub async fn decline_race(&self, user: UserId, activity: ActivityId, now: Instant) -> Result<()> {
        let found = self.find_activity(user, activity).await?.ok_or(Error::NotFound(RecordKind::Activity))?;
        // The columns are required, but the numbers of a declined race are never shown.
        let result = RaceResult {
            activity: Some(activity),
            day: found.day,
            name: String::new(),
            distance: Distance::from_mm(1),
            time: TimeSpan::from_ms(1),
            effort: ResultKind::Race,
        };
        self.store_race_decision(user, &result, false, now).await.map(drop)
    }

    async fn store_race_decision(
        &self,
        user: UserId,
        result: &RaceResult,
        confirmed: bool,
        now: Instant,
    ) -> Result<RaceId> {
        let tx = self.begin_user_write(user).await?;
        if let Some(activity) = result.activity {
            activities::Entity::find_by_id(activity.get())
                .filter(activities::Column::UserId.eq(user.get()))
                .one(tx.db())
                .await?
                .ok_or(Error::NotFound(RecordKind::Activity))?;
        }
        use races::Column;
        let row = races::ActiveModel {
            id: NotSet,
            user_id: Set(user.get()),
            activity_id: Set(result.activity.map(ActivityId::get)),
            day: Set(result.day.date()),
            name: Set(result.name.clone()),
            distance_mm: Set(result.distance.mm()),
            time_ms: Set(result.time.ms()),
            confirmed: Set(confirmed),
            effort: Set(result.effort.as_str().to_owned()),
            decided_at: Set(truncate_to_micros(now)),
        };
        let replace = OnConflict::columns([Column::UserId, Column::ActivityId])
            .update_columns([
                Column::Day,
                Column::Name,
                Column::DistanceMm,
                Column::TimeMs,
                Column::Confirmed,
                Column::Effort,
                Column::DecidedAt,
            ])
            .to_owned();
        // Entering the same result twice stores it once.
        if result.activity.is_none() {
            let same = races::Entity::find()
                .filter(Column::UserId.eq(user.get()))
                .filter(Column::ActivityId.is_null())
                .filter(Column::Day.eq(result.day.date()))
                .filter(Column::DistanceMm.eq(result.distance.mm()))
                .filter(Column::TimeMs.eq(result.time.ms()))
                .filter(Column::Name.eq(result.name.as_str()))
                .filter(Column::Effort.eq(result.effort.as_str()))
                .one(tx.db())
                .await?;
            if let Some(same) = same {
                return Ok(RaceId::new(same.id));
            }
        }
        // An earlier decision about the activity may be on another day, which is affected too.
        let before = match result.activity {
            Some(activity) => find_race_day(&tx, activity.get()).await?,
            None => None,
        };
        let id = races::Entity::insert(row).on_conflict(replace).exec_with_returning(tx.db()).await?.id;
        recompute_state::invalidate_from(
            &tx,
            Some(before.map_or(result.day, |before| before.min(result.day))),
        )
        .await?;
        let action = if confirmed { AuditAction::RacePut } else { AuditAction::RaceDecline };
        tx.commit(NewAuditEntry::new(now, Actor::Human, action, format!("race:{id}"))).await?;
        Ok(RaceId::new(id))
    }

    /// Removes a race result. If a source marks the activity as a race, it is suggested again.
    ///
    /// # Errors
    /// `NotFound` when the user has no such race.
    pub async fn remove_race(&self, user: UserId, id: RaceId, now: Instant) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        let race = races::Entity::find_by_id(id.get())
            .filter(races::Column::UserId.eq(user.get()))
            .one(tx.db())
            .await?
            .ok_or(Error::NotFound(RecordKind::Race))?;
        recompute_state::invalidate_from(&tx, Some(day(race.day)?)).await?;
        let gone = races::Entity::delete_many()
            .filter(races::Column::Id.eq(id.get()))
            .filter(races::Column::UserId.eq(user.get()))
            .filter(races::Column::Confirmed.eq(true))
            .exec(tx.db())
            .await?;
        if gone.rows_affected == 0 {
            return Err(Error::NotFound(RecordKind::Race));
        }
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::RaceRemove, format!("race:{id}"))).await
    }

    /// Confirmed race results, oldest first, without those of deleted activities.
    pub async fn list_races(&self, user: UserId) -> Result<Vec<Race>> {
        let deleted = Query::select()
            .column(activities::Column::Id)
            .from(activities::Entity)
            .and_where(activities::Column::UserId.eq(user.get()))
            .and_where(activities::Column::DeletedAt.is_not_null())
            .to_owned();
        let rows = races::Entity::find()
            .filter(races::Column::UserId.eq(user.get()))
            .filter(races::Column::Confirmed.eq(true))
            .filter(
                races::Column::ActivityId.is_null().or(races::Column::ActivityId.not_in_subquery(deleted)),
            )
            .order_by_asc(races::Column::Day)
            .order_by_asc(races::Column::Id)
            .all(self.reader())
            .await?;
        rows.into_iter()
            .map(|row| {
                let result = RaceResult {
                    activity: row.activity_id.map(ActivityId::new),
                    day: day(row.day)?,
                    name: row.name,
                    distance: Distance::from_mm(row.distance_mm),
                    time: TimeSpan::from_ms(row.time_ms),
                    effort: parse_text(&row.effort)?,
                };
                Ok(Race { id: RaceId::new(row.id), result })
            })
            .collect()
    }

    /// Activities that the athlete has confirmed or declined as races.
    pub(crate) async fn list_decided_races(&self, user: UserId) -> Result<HashSet<ActivityId>> {
        let rows = races::Entity::find()
            .filter(races::Column::UserId.eq(user.get()))
            .filter(races::Column::ActivityId.is_not_null())
            .all(self.reader())
            .await?;
        Ok(rows.into_iter().filter_map(|row| row.activity_id.map(ActivityId::new)).collect())
    }

    /// Activities that a source marks as a race and the athlete has not decided about, oldest
    /// first.
    pub async fn list_unconfirmed_races(&self, user: UserId) -> Result<Vec<StoredActivity>> {
        use activities::Column;
        let decided = Query::select()
            .column(races::Column::ActivityId)
            .from(races::Entity)
            .and_where(races::Column::UserId.eq(user.get()))
            .and_where(races::Column::ActivityId.is_not_null())
            .to_owned();
        let rows = activities::Entity::find()
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Race.eq(true))
            .filter(Column::DeletedAt.is_null())
            .filter(Column::Id.not_in_subquery(decided))
            .order_by_asc(Column::StartedAt)
            .all(self.reader())
            .await?;
        rows.into_iter().map(stored_activity).collect()
    }
}

/// The day of an activity's race result.
pub(crate) async fn find_race_day(tx: &Tx, activity: i64) -> Result<Option<Day>> {
    let row = races::Entity::find()
        .filter(races::Column::UserId.eq(tx.user().get()))
        .filter(races::Column::ActivityId.eq(activity))
        .order_by_asc(races::Column::Day)
        .one(tx.db())
        .await?;
    row.map(|row| day(row.day)).transpose()
}
