//! Observations: effort, soreness, mood, and absences (ill, injured or away).

use crate::coach::pending_limits::check_suggestion_quota;
use crate::db::audit::{Actor, AuditAction, NewAuditEntry};
use crate::db::convert::{day, narrow_option, parse_text};
use crate::db::entities::observations::{ActiveModel, Column, Entity, Model};
use crate::db::error::{Error, RecordKind, Result};
use crate::db::store::{Store, truncate_to_micros};
use crate::db::tx::Tx;
use crate::metrics::recompute_state;
use crate::plan::adaptations;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{ActivityId, ObservationId, ProposalId, UserId};
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::domain::observation::{Observation, ObservationData, ObservationKind};
use fitness_core::plan::is_low_feeling;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder,
};

impl Store {
    /// Adds an observation. The athlete's own count at once; others are suggestions.
    ///
    /// # Errors
    /// `NotFound` if the user does not have its activity; `QuotaExceeded` with too many pending
    /// suggestions.
    pub async fn add_observation(
        &self,
        user: UserId,
        author: Author,
        observed: &ObservationData,
        now: Instant,
    ) -> Result<ObservationId> {
        add(self.begin_user_write(user).await?, author, observed, now).await
    }

    /// Records an absence of the athlete. An equal absence is kept, and an equal suggestion is
    /// accepted; either way the absence counts when this returns.
    pub async fn record_absence(
        &self,
        user: UserId,
        observed: &ObservationData,
        now: Instant,
    ) -> Result<ObservationId> {
        let tx = self.begin_user_write(user).await?;
        let there = list(tx.db(), user, observed.from(), observed.through()).await?;
        let mut same = there.iter().filter(|one| one.data == *observed);
        if let Some(mark) = same.clone().find(|one| one.accepted) {
            return Ok(mark.id);
        }
        if let Some(suggestion) = same.next() {
            accept(tx, suggestion.id, now).await?;
            return Ok(suggestion.id);
        }
        add(tx, Author::Athlete, observed, now).await
    }

    /// Observations that overlap a period, oldest first, including suggestions.
    pub async fn list_observations(&self, user: UserId, from: Day, through: Day) -> Result<Vec<Observation>> {
        list(self.reader(), user, from, through).await
    }

    /// Accepts a suggested observation.
    ///
    /// # Errors
    /// `NotFound` when the user has no such suggestion.
    pub async fn accept_observation(&self, user: UserId, id: ObservationId, now: Instant) -> Result<()> {
        accept(self.begin_user_write(user).await?, id, now).await
    }

    /// Deletes an observation, withdraws proposals that the rules made because of it, and returns
    /// them.
    ///
    /// # Errors
    /// `NotFound` when the user has no such observation.
    pub async fn delete_observation(
        &self,
        user: UserId,
        id: ObservationId,
        now: Instant,
    ) -> Result<Vec<ProposalId>> {
        let tx = self.begin_user_write(user).await?;
        recompute_state::invalidate_from(&tx, first_affected_day(&tx, id).await?).await?;
        let row = Entity::find_by_id(id.get()).filter(Column::UserId.eq(user.get())).one(tx.db()).await?;
        let mark = observation(row.ok_or(Error::NotFound(RecordKind::Observation))?)?;
        let gone = Entity::delete_many()
            .filter(Column::Id.eq(id.get()))
            .filter(Column::UserId.eq(user.get()))
            .exec(tx.db())
            .await?;
        if gone.rows_affected == 0 {
            return Err(Error::NotFound(RecordKind::Observation));
        }
        let withdrawn = if mark.accepted && !has_equal_observation(&tx, &mark.data).await? {
            adaptations::withdraw_proposals(&tx, &mark.data, now).await?
        } else {
            Vec::new()
        };
        let mut object = audit_object(id, mark.data.kind());
        for proposal in &withdrawn {
            object.push_str(&format!(" withdrawing proposal:{proposal}"));
        }
        tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::ObservationDelete, object)).await?;
        Ok(withdrawn)
    }
}

async fn add(tx: Tx, author: Author, observed: &ObservationData, now: Instant) -> Result<ObservationId> {
    check_suggestion_quota(&tx, author).await?;
    let of_activity = observed.activity().map(ActivityId::get);
    let activity_day = find_activity_day(&tx, of_activity).await?;
    if of_activity.is_some() && activity_day.is_none() {
        return Err(Error::NotFound(RecordKind::Activity));
    }
    let row = ActiveModel {
        id: NotSet,
        user_id: Set(tx.user().get()),
        kind: Set(observed.kind().as_str().to_owned()),
        from_day: Set(observed.from().date()),
        through_day: Set(observed.through().date()),
        value: Set(observed.value().map(i64::from)),
        activity_id: Set(observed.activity().map(ActivityId::get)),
        comment: Set(observed.comment().map(|text| text.as_str().to_owned())),
        author: Set(author.as_str().to_owned()),
        accepted: Set(author == Author::Athlete),
        written_at: Set(truncate_to_micros(now)),
    };
    let id = ObservationId::new(Entity::insert(row).exec(tx.db()).await?.last_insert_id);
    if author == Author::Athlete {
        recompute_state::invalidate_from(&tx, Some(earlier_day(observed.from(), activity_day))).await?;
        withdraw_if_feeling_better(&tx, observed, now).await?;
    }
    let object = audit_object(id, observed.kind());
    let entry = NewAuditEntry::new(now, author.into(), AuditAction::ObservationAdd, object);
    tx.commit(entry.change(None, Some(ContentHash::hash_json(observed)))).await?;
    Ok(id)
}

async fn accept(tx: Tx, id: ObservationId, now: Instant) -> Result<()> {
    recompute_state::invalidate_from(&tx, first_affected_day(&tx, id).await?).await?;
    let accepted = Entity::update_many()
        .col_expr(Column::Accepted, Expr::value(true))
        .filter(Column::Id.eq(id.get()))
        .filter(Column::UserId.eq(tx.user().get()))
        .filter(Column::Accepted.eq(false))
        .exec(tx.db())
        .await?;
    if accepted.rows_affected == 0 {
        return Err(Error::NotFound(RecordKind::SuggestedObservation));
    }
    let row = Entity::find_by_id(id.get()).filter(Column::UserId.eq(tx.user().get())).one(tx.db()).await?;
    let accepted = observation(row.ok_or(Error::NotFound(RecordKind::SuggestedObservation))?)?;
    let object = audit_object(id, accepted.data.kind());
    tx.commit(NewAuditEntry::new(now, Actor::Human, AuditAction::ObservationAccept, object)).await
}

/// The object of an audit entry. Its label is made from the kind.
fn audit_object(id: ObservationId, kind: ObservationKind) -> String {
    format!("observation:{id} kind:{kind}")
}

/// Whether the athlete has another observation with the same content.
async fn has_equal_observation(tx: &Tx, observed: &ObservationData) -> Result<bool> {
    let there = list(tx.db(), tx.user(), observed.from(), observed.through()).await?;
    let facts = |one: &ObservationData| (one.kind(), one.from(), one.through(), one.value());
    Ok(there.iter().any(|one| one.accepted && facts(&one.data) == facts(observed)))
}

/// First day whose metrics depend on an observation: its first day, or the day of the activity it
/// rates, which may have moved since.
async fn first_affected_day(tx: &Tx, id: ObservationId) -> Result<Option<Day>> {
    let row = Entity::find_by_id(id.get()).filter(Column::UserId.eq(tx.user().get())).one(tx.db()).await?;
    let Some(row) = row else { return Ok(None) };
    let activity = find_activity_day(tx, row.activity_id).await?;
    Ok(Some(earlier_day(day(row.from_day)?, activity)))
}

fn earlier_day(day: Day, other: Option<Day>) -> Day {
    other.map_or(day, |other| other.min(day))
}

async fn find_activity_day(tx: &Tx, activity: Option<i64>) -> Result<Option<Day>> {
    use crate::db::entities::activities;
    let Some(activity) = activity else { return Ok(None) };
    let row = activities::Entity::find_by_id(activity)
        .filter(activities::Column::UserId.eq(tx.user().get()))
        .one(tx.db())
        .await?;
    row.map(|row| day(row.day)).transpose()
}

pub(crate) async fn list(
    db: &impl ConnectionTrait,
    user: UserId,
    from: Day,
    through: Day,
) -> Result<Vec<Observation>> {
    let rows = Entity::find()
        .filter(Column::UserId.eq(user.get()))
        .filter(Column::FromDay.lte(through.date()))
        .filter(Column::ThroughDay.gte(from.date()))
        .order_by_asc(Column::FromDay)
        .order_by_asc(Column::Id)
        .all(db)
        .await?;
    rows.into_iter().map(observation).collect()
}

fn observation(row: Model) -> Result<Observation> {
    let unreadable = |e: &dyn std::fmt::Display| Error::Unreadable(e.to_string());
    let comment = row.comment.as_deref().map(NoteText::new).transpose().map_err(|e| unreadable(&e))?;
    let observed = ObservationData::new(
        parse_text(&row.kind)?,
        day(row.from_day)?,
        day(row.through_day)?,
        narrow_option(row.value)?,
    )
    .map_err(|e| unreadable(&e))?
    .for_activity(row.activity_id.map(ActivityId::new))
    .with_comment(comment);
    Ok(Observation {
        id: ObservationId::new(row.id),
        author: parse_text(&row.author)?,
        accepted: row.accepted,
        data: observed,
        written_at: row.written_at,
    })
}

/// If the athlete reports feeling better, withdraws proposals that the rules made because they felt
/// bad.
async fn withdraw_if_feeling_better(tx: &Tx, observed: &ObservationData, now: Instant) -> Result<()> {
    let bad = ObservationData::new(ObservationKind::Mood, observed.from(), observed.through(), Some(1));
    if let Some(bad) =
        bad.ok().filter(|_| observed.kind() == ObservationKind::Mood && !is_low_feeling(observed))
    {
        adaptations::withdraw_proposals(tx, &bad, now).await?;
    }
    Ok(())
}
