//! An athlete's profile, thresholds and zones.

use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::convert::{day, from_json, narrow_option, parse_text, to_json};
use crate::db::entities::{profiles, thresholds, zones};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::Store;
use crate::db::tx::Tx;
use crate::metrics::recompute_state;
use fitness_core::domain::athlete::{Profile, Threshold, ThresholdKind, ThresholdOrigin, ZoneKind};
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::TimeSpan;
use fitness_core::metrics::zones::{DatedZones, ZonesInForce, zones_on};
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder,
};

impl Store {
    /// Defaults if the athlete has set nothing.
    pub async fn profile(&self, user: UserId) -> Result<Profile> {
        profile(self.reader(), user).await
    }

    pub async fn put_profile(&self, user: UserId, profile: &Profile, now: Instant) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        let before = crate::training::profile::profile(tx.db(), user).await?;
        put(&tx, profile).await?;
        if (before.sex, before.sleep_need) != (profile.sex, profile.sleep_need) {
            recompute_state::invalidate_all(&tx).await?;
        }
        let entry = NewAuditEntry::new(now, Actor::Human, AuditAction::ProfilePut, format!("user:{user}"));
        tx.commit(entry.change(None, Some(ContentHash::hash_json(profile)))).await
    }

    /// Adds a threshold that applies from its day on. Earlier thresholds still apply to earlier
    /// days.
    ///
    /// # Errors
    /// `OutOfBounds` if the value is outside the physiological range.
    pub async fn put_threshold(&self, user: UserId, threshold: &Threshold, now: Instant) -> Result<()> {
        let (low, high) = threshold.kind.bounds();
        if !(low..=high).contains(&threshold.value) {
            return Err(Error::OutOfBounds { kind: threshold.kind, low, high });
        }
        let tx = self.begin_user_write(user).await?;
        put_threshold(&tx, threshold).await?;
        recompute_state::invalidate_from(&tx, Some(threshold.from)).await?;
        let object = format!("threshold:{} from {}", threshold.kind, threshold.from);
        let entry = NewAuditEntry::new(now, Actor::Human, AuditAction::ThresholdPut, object);
        tx.commit(entry.change(None, Some(ContentHash::hash_json(threshold)))).await
    }

    /// Removes a threshold the athlete set.
    ///
    /// # Errors
    /// `NotFound` if they set none of this kind from this day on.
    pub async fn remove_threshold(
        &self,
        user: UserId,
        kind: ThresholdKind,
        from: Day,
        now: Instant,
    ) -> Result<()> {
        use thresholds::Column;
        let tx = self.begin_user_write(user).await?;
        let gone = thresholds::Entity::delete_many()
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Kind.eq(kind.as_str()))
            .filter(Column::FromDay.eq(from.date()))
            .filter(Column::Origin.eq(ThresholdOrigin::Set.as_str()))
            .exec(tx.db())
            .await?;
        if gone.rows_affected == 0 {
            return Err(Error::NotFound(RecordKind::Threshold));
        }
        recompute_state::invalidate_from(&tx, Some(from)).await?;
        tx.commit(NewAuditEntry::new(
            now,
            Actor::Human,
            AuditAction::ThresholdRemove,
            format!("threshold:{kind} from {from}"),
        ))
        .await
    }

    /// All thresholds of an athlete, oldest first.
    pub async fn list_thresholds(&self, user: UserId) -> Result<Vec<Threshold>> {
        let rows = thresholds::Entity::find()
            .filter(thresholds::Column::UserId.eq(user.get()))
            .order_by_asc(thresholds::Column::FromDay)
            .order_by_asc(thresholds::Column::Id)
            .all(self.reader())
            .await?;
        rows.into_iter()
            .map(|row| {
                Ok(Threshold {
                    kind: parse_text(&row.kind)?,
                    value: row.value,
                    from: day(row.from_day)?,
                    origin: parse_text(&row.origin)?,
                })
            })
            .collect()
    }

    /// Adds zones that apply from their day on. Earlier zones still apply to earlier days.
    pub async fn put_zones(&self, user: UserId, dated: &DatedZones, now: Instant) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        put_zones(&tx, dated).await?;
        recompute_state::invalidate_from(&tx, Some(dated.from)).await?;
        let DatedZones { kind, sport, from, .. } = dated;
        let entry = NewAuditEntry::new(
            now,
            Actor::Human,
            AuditAction::ZonesPut,
            format!("zones:{kind} {sport} from {from}"),
        );
        tx.commit(entry.change(None, Some(ContentHash::hash_json(&dated.zones)))).await
    }

    /// Removes zones the athlete set.
    ///
    /// # Errors
    /// `NotFound` if they set none of this kind for this sport from this day on.
    pub async fn remove_zones(
        &self,
        user: UserId,
        kind: ZoneKind,
        sport: Sport,
        from: Day,
        now: Instant,
    ) -> Result<()> {
        use zones::Column;
        let tx = self.begin_user_write(user).await?;
        let gone = zones::Entity::delete_many()
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::Kind.eq(kind.as_str()))
            .filter(Column::Sport.eq(sport.as_str()))
            .filter(Column::FromDay.eq(from.date()))
            .filter(Column::Origin.eq(ThresholdOrigin::Set.as_str()))
            .exec(tx.db())
            .await?;
        if gone.rows_affected == 0 {
            return Err(Error::NotFound(RecordKind::Zones));
        }
        recompute_state::invalidate_from(&tx, Some(from)).await?;
        let entry = NewAuditEntry::new(
            now,
            Actor::Human,
            AuditAction::ZonesRemove,
            format!("zones:{kind} {sport} from {from}"),
        );
        tx.commit(entry).await
    }

    /// All zones of an athlete, oldest first.
    pub async fn list_zones(&self, user: UserId) -> Result<Vec<DatedZones>> {
        let rows = zones::Entity::find()
            .filter(zones::Column::UserId.eq(user.get()))
            .order_by_asc(zones::Column::FromDay)
            .order_by_asc(zones::Column::Kind)
            .order_by_asc(zones::Column::Sport)
            .order_by_asc(zones::Column::Origin)
            .all(self.reader())
            .await?;
        rows.into_iter()
            .map(|row| {
                Ok(DatedZones {
                    kind: parse_text(&row.kind)?,
                    sport: parse_text(&row.sport)?,
                    from: day(row.from_day)?,
                    origin: parse_text(&row.origin)?,
                    zones: from_json(row.lower_bounds)?,
                })
            })
            .collect()
    }

    /// The zones of a sport on a day, either set or derived from a threshold.
    pub async fn find_zones(
        &self,
        user: UserId,
        kind: ZoneKind,
        sport: Sport,
        on: Day,
    ) -> Result<Option<ZonesInForce>> {
        let (given, thresholds) = (self.list_zones(user).await?, self.list_thresholds(user).await?);
        Ok(zones_on(on, kind, sport, &given, &thresholds))
    }
}

pub(crate) async fn put_threshold(tx: &Tx, threshold: &Threshold) -> Result<()> {
    let row = thresholds::ActiveModel {
        id: NotSet,
        user_id: Set(tx.user().get()),
        kind: Set(threshold.kind.as_str().to_owned()),
        value: Set(threshold.value),
        from_day: Set(threshold.from.date()),
        origin: Set(threshold.origin.as_str().to_owned()),
    };
    use thresholds::Column;
    let replace = OnConflict::columns([Column::UserId, Column::Kind, Column::FromDay, Column::Origin])
        .update_column(Column::Value)
        .to_owned();
    thresholds::Entity::insert(row).on_conflict(replace).exec_without_returning(tx.db()).await?;
    Ok(())
}

pub(crate) async fn put_zones(tx: &Tx, dated: &DatedZones) -> Result<()> {
    let row = zones::ActiveModel {
        user_id: Set(tx.user().get()),
        kind: Set(dated.kind.as_str().to_owned()),
        sport: Set(dated.sport.as_str().to_owned()),
        from_day: Set(dated.from.date()),
        origin: Set(dated.origin.as_str().to_owned()),
        lower_bounds: Set(to_json(&dated.zones)),
    };
    use zones::Column;
    let replace =
        OnConflict::columns([Column::UserId, Column::Kind, Column::Sport, Column::FromDay, Column::Origin])
            .update_column(Column::LowerBounds)
            .to_owned();
    zones::Entity::insert(row).on_conflict(replace).exec_without_returning(tx.db()).await?;
    Ok(())
}

pub(crate) async fn put(tx: &Tx, profile: &Profile) -> Result<()> {
    let row = profiles::ActiveModel {
        user_id: Set(tx.user().get()),
        zone: Set(profile.zone.name().to_owned()),
        units: Set(profile.units.as_str().to_owned()),
        week_start: Set(profile.week_start.to_string()),
        birth_year: Set(profile.birth_year.map(i64::from)),
        sex: Set(profile.sex.map(|sex| sex.as_str().to_owned())),
        sleep_need_ms: Set(profile.sleep_need.map(TimeSpan::ms)),
    };
    use profiles::Column;
    let replace = OnConflict::column(Column::UserId)
        .update_columns([
            Column::Zone,
            Column::Units,
            Column::WeekStart,
            Column::BirthYear,
            Column::Sex,
            Column::SleepNeedMs,
        ])
        .to_owned();
    profiles::Entity::insert(row).on_conflict(replace).exec_without_returning(tx.db()).await?;
    Ok(())
}

pub(crate) async fn profile(db: &impl ConnectionTrait, user: UserId) -> Result<Profile> {
    let Some(row) = profiles::Entity::find_by_id(user.get()).one(db).await? else {
        return Ok(Profile::default());
    };
    Ok(Profile {
        zone: parse_text(&row.zone)?,
        units: parse_text(&row.units)?,
        week_start: row.week_start.parse().map_err(|_| Error::Unreadable(row.week_start.clone()))?,
        birth_year: narrow_option(row.birth_year)?,
        sex: row.sex.as_deref().map(parse_text).transpose()?,
        sleep_need: row.sleep_need_ms.map(TimeSpan::from_ms),
    })
}
