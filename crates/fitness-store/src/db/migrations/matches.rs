//! Migration 8: matches between workouts and activities, with triggers.

use super::triggers::{SqlTriggerEvent, Trigger};
use super::{POSTGRES_DEFERRABLE, create_triggers, script};
use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend};

/// A match connects rows of one user, and its workout never changes.
pub(super) const TRIGGERS: &[Trigger] = &[
    Trigger {
        name: "a_match_joins_an_own_workout_and_an_own_activity",
        table: "workout_matches",
        event: SqlTriggerEvent::Insert,
        condition: "NOT EXISTS (SELECT 1 FROM workouts w \
                  WHERE w.id = NEW.workout_id AND w.plan_id = NEW.plan_id AND w.user_id = NEW.user_id) \
                  OR NOT EXISTS (SELECT 1 FROM activities a WHERE a.id = NEW.activity_id AND a.user_id = NEW.user_id)",
    },
    // The activity may change when two activities are merged.
    Trigger {
        name: "a_match_keeps_its_workout_and_its_athlete",
        table: "workout_matches",
        event: SqlTriggerEvent::Update,
        condition: "NEW.id <> OLD.id OR NEW.user_id <> OLD.user_id OR NEW.plan_id <> OLD.plan_id \
                  OR NEW.workout_id <> OLD.workout_id \
                  OR NOT EXISTS (SELECT 1 FROM activities a WHERE a.id = NEW.activity_id AND a.user_id = NEW.user_id)",
    },
];

pub(super) struct MatchesMigration;

impl MigrationName for MatchesMigration {
    fn name(&self) -> &str {
        "m0008_matches"
    }
}

#[expect(elided_lifetimes_in_paths, reason = "async_trait fixes the lifetimes of the trait's signature")]
#[async_trait::async_trait]
impl MigrationTrait for MatchesMigration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let (db, backend) = (manager.get_connection(), manager.get_database_backend());
        db.execute_unprepared(&script(self.name(), backend)).await?;
        create_triggers(db, TRIGGERS).await?;
        if backend == DbBackend::Postgres {
            db.execute_unprepared(POSTGRES_DEFERRABLE).await?;
        }
        Ok(())
    }
}
