//! Activity search: filters, totals and pages.
//!
//! Pages continue from a cursor, not an offset, so that imports in between do not shift them.

use crate::db::convert::narrow;
use crate::db::entities::activities::{Column, Entity};
use crate::db::error::Result;
use crate::db::store::{Store, truncate_to_micros};
use crate::training::activities::{StoredActivity, stored_activity};
use chrono::DateTime;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::ids::{ActivityId, UserId};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::domain::untrusted_text::is_storable;
use sea_orm::sea_query::{Expr, ExprTrait, Func, LikeExpr, SimpleExpr};
use sea_orm::{ColumnTrait, Condition, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// Further words are ignored.
const MAX_WORDS: usize = 8;

/// The default is all activities that were not deleted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ActivityFilter {
    pub sport: Option<Sport>,
    pub from: Option<Day>,
    pub through: Option<Day>,
    /// All of these words must occur in the name or the source's word for the sport, ignoring case.
    pub words: String,
    /// Only deleted activities, instead of all others.
    pub deleted: bool,
}

impl ActivityFilter {
    /// Whether any filter besides `deleted` is set.
    #[must_use]
    pub fn is_filtered(&self) -> bool {
        *self != Self { deleted: self.deleted, ..Self::default() }
    }

    fn condition(&self, user: UserId) -> Condition {
        let gone = Column::DeletedAt;
        Condition::all()
            .add(Column::UserId.eq(user.get()))
            .add(if self.deleted { gone.is_not_null() } else { gone.is_null() })
            .add_option(self.sport.map(|sport| Column::Sport.eq(sport.as_str())))
            .add_option(self.from.map(|day| Column::Day.gte(day.date())))
            .add_option(self.through.map(|day| Column::Day.lte(day.date())))
            .add(self.name_condition())
    }

    /// Searches for a word as typed and in the usual cases, because the databases disagree about
    /// case beyond A to Z.
    fn name_condition(&self) -> Condition {
        let mut all = Condition::all();
        for word in self.words.split_whitespace().filter(|word| is_storable(word)).take(MAX_WORDS) {
            let lower = word.to_lowercase();
            let mut letters = lower.chars();
            let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
            let capital = format!("{first}{}", letters.as_str());
            let mut any = Condition::any();
            for column in [Column::Name, Column::SubSport] {
                for case in [&lower, &capital, &word.to_uppercase()] {
                    any = any.add(Expr::col(column).like(like_containing(case)));
                }
                any = any.add(Func::lower(Expr::col(column)).like(like_containing(&lower)));
            }
            all = all.add(any);
        }
        all
    }
}

/// `%word%`, with wildcards in the word escaped.
fn like_containing(word: &str) -> LikeExpr {
    let escaped: String = word
        .chars()
        .flat_map(|c| matches!(c, '%' | '_' | '\\').then_some('\\').into_iter().chain([c]))
        .collect();
    LikeExpr::new(format!("%{escaped}%")).escape('\\')
}

/// A page cursor: a position in the order of days, as used in URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActivityCursor {
    day: Day,
    started_at: Instant,
    id: ActivityId,
}

impl ActivityCursor {
    #[must_use]
    pub const fn from_activity(activity: &StoredActivity) -> Self {
        Self { day: activity.day, started_at: activity.activity.started_at, id: activity.id }
    }

    /// The condition for the next page in one direction.
    fn page_condition(self, newer: bool) -> Condition {
        let past = |column: Column, value: SimpleExpr| {
            let column = Expr::col(column);
            if newer { column.gt(value) } else { column.lt(value) }
        };
        let (day, started) = (self.day.date(), truncate_to_micros(self.started_at));
        // A separate condition on the day lets the index find the first row.
        let near = if newer { Column::Day.gte(day) } else { Column::Day.lte(day) };
        let then = Condition::any().add(past(Column::StartedAt, started.into())).add(
            Condition::all().add(Column::StartedAt.eq(started)).add(past(Column::Id, self.id.get().into())),
        );
        Condition::all().add(near).add(
            Condition::any()
                .add(past(Column::Day, day.into()))
                .add(Condition::all().add(Column::Day.eq(day)).add(then)),
        )
    }
}

impl fmt::Display for ActivityCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.day, self.started_at.timestamp_micros(), self.id)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid page cursor")]
pub struct CursorError;

impl FromStr for ActivityCursor {
    type Err = CursorError;
    fn from_str(text: &str) -> std::result::Result<Self, CursorError> {
        let mut parts = text.splitn(3, '.');
        let mut next = || parts.next().ok_or(CursorError);
        let day = next()?.parse().map_err(|_| CursorError)?;
        let micros = next()?.parse().map_err(|_| CursorError)?;
        let id: i64 = next()?.parse().map_err(|_| CursorError)?;
        let started_at = DateTime::from_timestamp_micros(micros).ok_or(CursorError)?;
        // Reject times outside the range of the databases.
        Day::from_date(started_at.date_naive()).ok_or(CursorError)?;
        Ok(Self { day, started_at, id: ActivityId::new(id) })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PagePosition {
    #[default]
    Start,
    OlderThan(ActivityCursor),
    NewerThan(ActivityCursor),
}

/// A page of activities, newest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ActivityPage {
    pub activities: Vec<StoredActivity>,
    pub has_newer: bool,
    pub has_older: bool,
}

/// Totals. Activities without a value do not add to its sum.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct ActivityTotals {
    pub count: u64,
    #[serde(rename = "distance_mm")]
    pub distance: Distance,
    /// Moving time where known, else elapsed time.
    #[serde(rename = "time_ms")]
    pub time: TimeSpan,
    pub load: f64,
}

impl Store {
    pub async fn search_activities(
        &self,
        user: UserId,
        wanted: &ActivityFilter,
        from: PagePosition,
        limit: usize,
    ) -> Result<ActivityPage> {
        let newer = matches!(from, PagePosition::NewerThan(_));
        let order = if newer { Order::Asc } else { Order::Desc };
        let condition = match from {
            PagePosition::Start => wanted.condition(user),
            PagePosition::OlderThan(place) => wanted.condition(user).add(place.page_condition(false)),
            PagePosition::NewerThan(place) => wanted.condition(user).add(place.page_condition(true)),
        };
        let rows = Entity::find()
            .filter(condition)
            .order_by(Column::Day, order.clone())
            .order_by(Column::StartedAt, order.clone())
            .order_by(Column::Id, order)
            // One extra row shows whether there is another page.
            .limit(limit as u64 + 1)
            .all(self.reader())
            .await?;
        let more = rows.len() > limit;
        let mut activities: Vec<StoredActivity> =
            rows.into_iter().take(limit).map(stored_activity).collect::<Result<_>>()?;
        if newer {
            activities.reverse();
        }
        let there = from != PagePosition::Start;
        Ok(match newer {
            true => ActivityPage { activities, has_newer: more, has_older: there },
            false => ActivityPage { activities, has_newer: there, has_older: more },
        })
    }

    /// Totals of the activities that match a filter.
    pub async fn activity_totals(&self, user: UserId, wanted: &ActivityFilter) -> Result<ActivityTotals> {
        // PostgreSQL returns a sum of integers as a decimal.
        let whole = |sum: SimpleExpr| sum.cast_as("bigint");
        let time = Func::coalesce([Expr::col(Column::MovingMs), Expr::col(Column::ElapsedMs)]);
        let found = Entity::find()
            .select_only()
            .column_as(Column::Id.count(), "count")
            .column_as(whole(Column::DistanceMm.sum()), "distance")
            .column_as(whole(Expr::expr(time).sum()), "time")
            .column_as(Column::Load.sum(), "load")
            .filter(wanted.condition(user))
            .into_tuple::<(i64, Option<i64>, Option<i64>, Option<f64>)>()
            .one(self.reader())
            .await?;
        let (count, distance, time, load) = found.unwrap_or_default();
        Ok(ActivityTotals {
            count: narrow(count)?,
            distance: Distance::from_mm(distance.unwrap_or_default()),
            time: TimeSpan::from_ms(time.unwrap_or_default()),
            load: load.unwrap_or_default(),
        })
    }
}
