//! Gear: shoes and other equipment, the default of each sport, and the choice for an activity.
//! Distances are computed on read.

use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::convert::{day, parse_text};
use crate::db::entities::{activities, activity_gear, gear, gear_defaults};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::{Store, truncate_to_micros};
use crate::db::tx::Tx;
use chrono::NaiveDate;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::gear::{
    Gear, GearActivity, GearDefault, GearDetails, GearError, GearUse, MAX_GEAR, gear_for, gear_use,
};
use fitness_core::domain::ids::{ActivityId, GearId, UserId};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::Distance;
use fitness_core::domain::untrusted_text::sanitize_for_storage;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};
use std::collections::BTreeMap;

impl Store {
    /// Adds gear.
    ///
    /// # Errors
    /// `Gear` if a value is not possible or there is too much gear.
    pub async fn add_gear(&self, user: UserId, details: &GearDetails, now: Instant) -> Result<GearId> {
        details.check()?;
        let tx = self.begin_user_write(user).await?;
        let count = gear::Entity::find().filter(gear::Column::UserId.eq(user.get())).count(tx.db()).await?;
        if count >= MAX_GEAR as u64 {
            return Err(GearError::TooMany.into());
        }
        let row = gear::ActiveModel {
            user_id: Set(user.get()),
            retired_on: Set(None),
            added_at: Set(truncate_to_micros(now)),
            ..details_row(details)
        };
        let id = gear::Entity::insert(row).exec(tx.db()).await?.last_insert_id;
        commit(tx, AuditAction::GearAdd, format!("gear:{id}"), now).await?;
        Ok(GearId::new(id))
    }

    /// Changes the values of gear.
    ///
    /// # Errors
    /// `NotFound` if the user has no such gear, `Gear` if a value is not possible.
    pub async fn edit_gear(
        &self,
        user: UserId,
        id: GearId,
        details: &GearDetails,
        now: Instant,
    ) -> Result<()> {
        details.check()?;
        let tx = self.begin_user_write(user).await?;
        require_gear(&tx, id).await?;
        let row = gear::ActiveModel { id: Set(id.get()), ..details_row(details) };
        gear::Entity::update(row).exec(tx.db()).await?;
        commit(tx, AuditAction::GearEdit, format!("gear:{id}"), now).await
    }

    /// Sets the last day that gear was used, or takes it into use again.
    ///
    /// # Errors
    /// `NotFound` if the user has no such gear.
    pub async fn retire_gear(
        &self,
        user: UserId,
        id: GearId,
        last_day: Option<Day>,
        now: Instant,
    ) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        require_gear(&tx, id).await?;
        let row = gear::ActiveModel {
            id: Set(id.get()),
            retired_on: Set(last_day.map(Day::date)),
            ..Default::default()
        };
        gear::Entity::update(row).exec(tx.db()).await?;
        commit(tx, AuditAction::GearEdit, format!("gear:{id}"), now).await
    }

    /// Deletes gear. Activities that used it have none.
    ///
    /// # Errors
    /// `NotFound` if the user has no such gear.
    pub async fn delete_gear(&self, user: UserId, id: GearId, now: Instant) -> Result<()> {
        let tx = self.begin_user_write(user).await?;
        require_gear(&tx, id).await?;
        activity_gear::Entity::delete_many()
            .filter(activity_gear::Column::GearId.eq(id.get()))
            .exec(tx.db())
            .await?;
        gear_defaults::Entity::delete_many()
            .filter(gear_defaults::Column::GearId.eq(id.get()))
            .exec(tx.db())
            .await?;
        gear::Entity::delete_by_id(id.get()).exec(tx.db()).await?;
        commit(tx, AuditAction::GearDelete, format!("gear:{id}"), now).await
    }

    /// Sets the gear of a sport from a day on; `None` for no gear.
    ///
    /// # Errors
    /// `NotFound` if the user has no such gear.
    pub async fn set_default_gear(&self, user: UserId, default: GearDefault, now: Instant) -> Result<()> {
        use gear_defaults::Column;
        let tx = self.begin_user_write(user).await?;
        if let Some(id) = default.gear {
            require_gear(&tx, id).await?;
        }
        let row = gear_defaults::ActiveModel {
            user_id: Set(user.get()),
            sport: Set(default.sport.as_str().to_owned()),
            from_day: Set(default.from.date()),
            gear_id: Set(default.gear.map(GearId::get)),
        };
        let replace = OnConflict::columns([Column::UserId, Column::Sport, Column::FromDay])
            .update_column(Column::GearId)
            .to_owned();
        gear_defaults::Entity::insert(row).on_conflict(replace).exec_without_returning(tx.db()).await?;
        commit(tx, AuditAction::GearDefault, format!("sport:{}", default.sport), now).await
    }

    /// Sets the gear of an activity; `None` for no gear.
    ///
    /// # Errors
    /// `NotFound` if the user has no such activity or gear.
    pub async fn assign_gear(
        &self,
        user: UserId,
        activity: ActivityId,
        choice: Option<GearId>,
        now: Instant,
    ) -> Result<()> {
        use activity_gear::Column;
        let tx = self.begin_user_write(user).await?;
        if let Some(id) = choice {
            require_gear(&tx, id).await?;
        }
        activities::Entity::find_by_id(activity.get())
            .filter(activities::Column::UserId.eq(user.get()))
            .filter(activities::Column::DeletedAt.is_null())
            .one(tx.db())
            .await?
            .ok_or(Error::NotFound(RecordKind::Activity))?;
        let row = activity_gear::ActiveModel {
            activity_id: Set(activity.get()),
            user_id: Set(user.get()),
            gear_id: Set(choice.map(GearId::get)),
        };
        let replace = OnConflict::column(Column::ActivityId).update_column(Column::GearId).to_owned();
        activity_gear::Entity::insert(row).on_conflict(replace).exec_without_returning(tx.db()).await?;
        commit(tx, AuditAction::GearAssign, format!("activity:{activity}"), now).await
    }

    /// All gear with its use, in the order it was added.
    pub async fn list_gear(&self, user: UserId, today: Day) -> Result<Vec<GearUse>> {
        let db = self.snapshot().await?;
        let inputs = GearInputs::load(&db, user).await?;
        if inputs.gear.is_empty() {
            return Ok(Vec::new());
        }
        use activities::Column;
        let rows = activities::Entity::find()
            .select_only()
            .columns([Column::Id, Column::Sport, Column::Day, Column::DistanceMm])
            .filter(Column::UserId.eq(user.get()))
            .filter(Column::DeletedAt.is_null())
            .into_tuple::<(i64, String, NaiveDate, Option<i64>)>()
            .all(&db)
            .await?;
        let activities: Vec<GearActivity> = rows
            .into_iter()
            .map(|(id, sport, on, distance)| {
                Ok(GearActivity {
                    id: ActivityId::new(id),
                    sport: parse_text(&sport)?,
                    day: day(on)?,
                    distance: distance.map(Distance::from_mm),
                })
            })
            .collect::<Result<_>>()?;
        Ok(gear_use(inputs.gear, &activities, &inputs.chosen, &inputs.defaults, today))
    }

    /// The gear of an activity, chosen or by default.
    pub async fn find_activity_gear(&self, user: UserId, activity: &GearActivity) -> Result<Option<Gear>> {
        let db = self.snapshot().await?;
        let inputs = GearInputs::load(&db, user).await?;
        let id = gear_for(activity, &inputs.chosen, &inputs.defaults, &inputs.gear);
        Ok(inputs.gear.into_iter().find(|gear| Some(gear.id) == id))
    }
}

/// Gear with what the athlete decided about it.
struct GearInputs {
    gear: Vec<Gear>,
    defaults: Vec<GearDefault>,
    chosen: BTreeMap<ActivityId, Option<GearId>>,
}

impl GearInputs {
    async fn load(db: &impl ConnectionTrait, user: UserId) -> Result<Self> {
        let gear = gear::Entity::find()
            .filter(gear::Column::UserId.eq(user.get()))
            .order_by_asc(gear::Column::Id)
            .all(db)
            .await?;
        let defaults = gear_defaults::Entity::find()
            .filter(gear_defaults::Column::UserId.eq(user.get()))
            .order_by_asc(gear_defaults::Column::FromDay)
            .all(db)
            .await?;
        let chosen = activity_gear::Entity::find()
            .filter(activity_gear::Column::UserId.eq(user.get()))
            .all(db)
            .await?;
        Ok(Self {
            gear: gear.into_iter().map(gear_of_row).collect::<Result<_>>()?,
            defaults: defaults
                .into_iter()
                .map(|row| {
                    let sport: Sport = parse_text(&row.sport)?;
                    Ok(GearDefault { sport, from: day(row.from_day)?, gear: row.gear_id.map(GearId::new) })
                })
                .collect::<Result<_>>()?,
            chosen: chosen
                .into_iter()
                .map(|row| (ActivityId::new(row.activity_id), row.gear_id.map(GearId::new)))
                .collect(),
        })
    }
}

fn gear_of_row(row: gear::Model) -> Result<Gear> {
    Ok(Gear {
        id: GearId::new(row.id),
        details: GearDetails {
            kind: parse_text(&row.kind)?,
            name: row.name,
            initial: Distance::from_mm(row.initial_mm),
            retire_at: row.retire_at_mm.map(Distance::from_mm),
        },
        retired_on: row.retired_on.map(day).transpose()?,
    })
}

fn details_row(details: &GearDetails) -> gear::ActiveModel {
    gear::ActiveModel {
        id: NotSet,
        kind: Set(details.kind.as_str().to_owned()),
        name: Set(sanitize_for_storage(details.name.trim())),
        initial_mm: Set(details.initial.mm()),
        retire_at_mm: Set(details.retire_at.map(Distance::mm)),
        ..Default::default()
    }
}

async fn require_gear(tx: &Tx, id: GearId) -> Result<gear::Model> {
    gear::Entity::find_by_id(id.get())
        .filter(gear::Column::UserId.eq(tx.user().get()))
        .one(tx.db())
        .await?
        .ok_or(Error::NotFound(RecordKind::Gear))
}

async fn commit(tx: Tx, action: AuditAction, object: String, now: Instant) -> Result<()> {
    tx.commit(NewAuditEntry::new(now, Actor::Human, action, object)).await
}
