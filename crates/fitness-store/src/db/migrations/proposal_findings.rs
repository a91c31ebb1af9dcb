//! Migration 9: proposal findings, withdrawn proposals and delayed plan starts, with triggers.

use super::triggers::{SqlTriggerEvent, Trigger};
use super::{create_triggers, script};
use sea_orm_migration::prelude::*;

/// A plan's start day is set once, on activation; a proposal's findings never change.
pub(super) const TRIGGERS: &[Trigger] = &[
    Trigger {
        name: "a_draft_has_not_begun",
        table: "training_plans",
        event: SqlTriggerEvent::Insert,
        condition: "NEW.begun_on IS NOT NULL",
    },
    Trigger {
        name: "a_plan_is_begun_once_when_it_is_activated",
        table: "training_plans",
        event: SqlTriggerEvent::Update,
        condition: "NEW.begun_on IS DISTINCT FROM OLD.begun_on AND NOT (OLD.status = 'draft' AND NEW.status = 'active' \
                  AND NEW.begun_on > NEW.start_date AND NEW.begun_on <= NEW.race_date)",
    },
    Trigger {
        name: "a_proposal_keeps_its_findings_and_is_withdrawn_once",
        table: "proposals",
        event: SqlTriggerEvent::Update,
        condition: "NEW.findings IS DISTINCT FROM OLD.findings OR (OLD.withdrawn_at IS NOT NULL \
                  AND (NEW.withdrawn_at IS DISTINCT FROM OLD.withdrawn_at OR NEW.status <> OLD.status))",
    },
];

pub(super) struct ProposalFindingsMigration;

impl MigrationName for ProposalFindingsMigration {
    fn name(&self) -> &str {
        "m0009_decisions"
    }
}

#[expect(elided_lifetimes_in_paths, reason = "async_trait fixes the lifetimes of the trait's signature")]
#[async_trait::async_trait]
impl MigrationTrait for ProposalFindingsMigration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let (db, backend) = (manager.get_connection(), manager.get_database_backend());
        db.execute_unprepared(&script(self.name(), backend)).await?;
        create_triggers(db, TRIGGERS).await
    }
}
