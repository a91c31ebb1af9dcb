//! Triggers that enforce the rules of the schema against any SQL, defined once for both databases.
//!
//! Each rule becomes a trigger that rejects a row if its condition holds. Its name, with spaces, is
//! the error message. `tests/it/triggers.rs` breaks each rule with plain SQL on both databases, and
//! shows that the same SQL succeeds without the trigger.
//!
//! Limits: anyone who can run SQL can also forge a confirmation and a human action, or drop a
//! trigger. Triggers make bypassing a human deliberate; they do not replace the crate boundaries
//! around the coach.

use sea_orm_migration::sea_orm::DbBackend;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlTriggerEvent {
    /// Also fires for the insert of a REPLACE or upsert.
    Insert,
    /// Sees the id, which SQLite assigns only then.
    AfterInsert,
    Update,
    /// Sees rows that a replacing update removed.
    AfterUpdate,
    Delete,
}

#[derive(Debug, Clone, Copy)]
pub struct Trigger {
    /// Trigger name: the rule as a sentence with underscores.
    pub name: &'static str,
    pub table: &'static str,
    pub event: SqlTriggerEvent,
    /// SQL condition over `NEW` and `OLD` for rows to reject; works on both databases.
    pub condition: &'static str,
}

impl Trigger {
    #[must_use]
    pub fn message(&self) -> String {
        self.name.replace('_', " ")
    }

    /// The DDL for one database. A condition that is NULL (a column set to NULL, which a replacing
    /// update then fills in) rejects the row. On PostgreSQL the function's search path is `schema`
    /// first, so that no temporary table can shadow ours.
    pub(super) fn create_sql(&self, backend: DbBackend, schema: &str) -> String {
        let Self { name, table, .. } = self;
        let refuses = format!("COALESCE(({}), 1 = 1)", self.condition);
        let sentence = self.message();
        let (when, row) = match self.event {
            SqlTriggerEvent::Insert => ("BEFORE INSERT", "NEW"),
            SqlTriggerEvent::AfterInsert => ("AFTER INSERT", "NULL"),
            SqlTriggerEvent::Update => ("BEFORE UPDATE", "NEW"),
            SqlTriggerEvent::AfterUpdate => ("AFTER UPDATE", "NULL"),
            SqlTriggerEvent::Delete => ("BEFORE DELETE", "OLD"),
        };
        if backend == DbBackend::Postgres {
            format!(
                "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql SET search_path = {schema}, pg_temp \
                 AS $$ BEGIN \
                 IF {refuses} THEN RAISE EXCEPTION '{sentence}' USING ERRCODE = '{POSTGRES_REFUSAL}'; END IF; \
                 RETURN {row}; END $$; \
                 CREATE TRIGGER {name} {when} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}();"
            )
        } else {
            format!(
                "CREATE TRIGGER {name} {when} ON {table} FOR EACH ROW WHEN {refuses} \
                 BEGIN SELECT RAISE(ABORT, '{sentence}'); END;"
            )
        }
    }
}

/// The SQLSTATE our triggers raise on PostgreSQL.
pub(crate) const POSTGRES_REFUSAL: &str = "LF001";

/// Tables that must not be truncated; TRUNCATE fires no row triggers.
const NEVER_TRUNCATED: &[&str] = &[
    "users",
    "confirmations",
    "human_actions",
    "training_plans",
    "plan_revisions",
    "workouts",
    "planned_workouts",
    "proposals",
    "audit_log",
];

pub(super) fn truncate_trigger_sql() -> String {
    let mut sql = format!(
        "CREATE FUNCTION a_table_is_never_truncated() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         RAISE EXCEPTION '% is never truncated', TG_TABLE_NAME USING ERRCODE = '{POSTGRES_REFUSAL}'; END $$;"
    );
    for table in NEVER_TRUNCATED {
        sql += &format!(
            "CREATE TRIGGER {table}_is_never_truncated BEFORE TRUNCATE ON {table} \
             FOR EACH STATEMENT EXECUTE FUNCTION a_table_is_never_truncated();"
        );
    }
    sql
}

const ALWAYS: &str = "(1 = 1)";
const WHILE_THE_USER_EXISTS: &str = "EXISTS (SELECT 1 FROM users WHERE id = OLD.user_id)";
const WHILE_THE_PLAN_EXISTS: &str = "EXISTS (SELECT 1 FROM training_plans WHERE id = OLD.plan_id)";

const fn new_trigger(
    name: &'static str,
    table: &'static str,
    event: SqlTriggerEvent,
    refuses: &'static str,
) -> Trigger {
    Trigger { name, table, event, condition: refuses }
}

/// The triggers of all migrations.
pub fn all_triggers() -> impl Iterator<Item = &'static Trigger> {
    FIRST_TRIGGERS
        .iter()
        .chain(PLAN_TRIGGERS)
        .chain(super::matches::TRIGGERS)
        .chain(super::proposal_findings::TRIGGERS)
}

/// Triggers for plan terms and proposals of the rules.
pub(super) const PLAN_TRIGGERS: &[Trigger] = &[
    new_trigger(
        "a_plan_keeps_its_terms",
        "training_plans",
        SqlTriggerEvent::Update,
        "NEW.terms IS DISTINCT FROM OLD.terms",
    ),
    new_trigger(
        "a_proposal_keeps_its_cause_and_its_end_and_gives_way_once",
        "proposals",
        SqlTriggerEvent::Update,
        "NEW.expires_on IS DISTINCT FROM OLD.expires_on OR NEW.follows_from IS DISTINCT FROM OLD.follows_from \
         OR (OLD.superseded_by IS NOT NULL AND (NEW.superseded_by IS DISTINCT FROM OLD.superseded_by \
         OR NEW.status <> OLD.status))",
    ),
];

pub(super) const FIRST_TRIGGERS: &[Trigger] = &[
    // ---- users: never edited, removed only by their own action ----
    new_trigger(
        "a_user_is_never_replaced",
        "users",
        SqlTriggerEvent::Insert,
        "EXISTS (SELECT 1 FROM users u WHERE u.id = NEW.id OR u.name_key = NEW.name_key)",
    ),
    new_trigger(
        "a_user_id_is_never_reused",
        "users",
        SqlTriggerEvent::AfterInsert,
        "EXISTS (SELECT 1 FROM audit_log a WHERE a.user_id = NEW.id) \
         OR EXISTS (SELECT 1 FROM human_actions h WHERE h.user_id = NEW.id) \
         OR EXISTS (SELECT 1 FROM training_plans p WHERE p.user_id = NEW.id)",
    ),
    new_trigger("a_user_is_never_edited", "users", SqlTriggerEvent::Update, ALWAYS),
    new_trigger(
        "a_user_leaves_by_their_own_hand",
        "users",
        SqlTriggerEvent::Delete,
        "NOT EXISTS (SELECT 1 FROM human_actions h WHERE h.user_id = OLD.id AND h.kind = 'delete_user')",
    ),
    // ---- confirmations: opened unspent, spent once ----
    new_trigger(
        "a_confirmation_is_opened_unspent_and_never_replaced",
        "confirmations",
        SqlTriggerEvent::Insert,
        "NEW.spent_at IS NOT NULL OR EXISTS \
         (SELECT 1 FROM confirmations c WHERE c.id = NEW.id OR c.nonce_hash = NEW.nonce_hash)",
    ),
    new_trigger(
        "a_confirmation_is_only_spent_and_only_once",
        "confirmations",
        SqlTriggerEvent::Update,
        "OLD.spent_at IS NOT NULL OR NEW.spent_at IS NULL OR NEW.spent_at > OLD.expires_at \
         OR NEW.id <> OLD.id OR NEW.user_id <> OLD.user_id \
         OR NEW.kind <> OLD.kind OR NEW.plan_id IS DISTINCT FROM OLD.plan_id OR NEW.content_hash <> OLD.content_hash \
         OR NEW.nonce_hash <> OLD.nonce_hash OR NEW.channel <> OLD.channel OR NEW.opened_at <> OLD.opened_at \
         OR NEW.expires_at <> OLD.expires_at",
    ),
    new_trigger(
        "a_spent_confirmation_goes_only_with_its_user",
        "confirmations",
        SqlTriggerEvent::Delete,
        "OLD.spent_at IS NOT NULL AND EXISTS (SELECT 1 FROM users WHERE id = OLD.user_id)",
    ),
    // ---- human actions: append-only, each spending its own confirmation ----
    new_trigger(
        "a_human_action_is_never_replaced",
        "human_actions",
        SqlTriggerEvent::Insert,
        "EXISTS (SELECT 1 FROM human_actions h WHERE h.id = NEW.id OR h.confirmation_id = NEW.confirmation_id)",
    ),
    new_trigger(
        "a_human_action_spends_its_own_confirmation",
        "human_actions",
        SqlTriggerEvent::Insert,
        "NOT EXISTS (SELECT 1 FROM confirmations c WHERE c.id = NEW.confirmation_id AND c.user_id = NEW.user_id \
         AND c.kind = NEW.kind AND c.plan_id IS NOT DISTINCT FROM NEW.plan_id AND c.channel = NEW.channel \
         AND c.spent_at IS NOT NULL)",
    ),
    new_trigger(
        "a_human_action_is_about_an_own_plan",
        "human_actions",
        SqlTriggerEvent::Insert,
        "NEW.plan_id IS NOT NULL AND NOT EXISTS \
         (SELECT 1 FROM training_plans p WHERE p.id = NEW.plan_id AND p.user_id = NEW.user_id)",
    ),
    new_trigger(
        "a_deletion_is_never_about_an_active_plan",
        "human_actions",
        SqlTriggerEvent::Insert,
        "NEW.kind = 'delete' AND EXISTS \
         (SELECT 1 FROM training_plans p WHERE p.id = NEW.plan_id AND p.status = 'active')",
    ),
    new_trigger("a_human_action_is_never_edited", "human_actions", SqlTriggerEvent::Update, ALWAYS),
    new_trigger(
        "a_human_action_goes_only_with_its_user",
        "human_actions",
        SqlTriggerEvent::Delete,
        WHILE_THE_USER_EXISTS,
    ),
    // ---- plans ----
    new_trigger(
        "a_plan_is_born_a_draft",
        "training_plans",
        SqlTriggerEvent::Insert,
        "NEW.status <> 'draft' OR NEW.revision <> 0 OR NEW.activated_by IS NOT NULL OR NEW.activated_at IS NOT NULL \
         OR NEW.archived_by IS NOT NULL OR NEW.archived_at IS NOT NULL OR NEW.superseded_by IS NOT NULL",
    ),
    new_trigger(
        "a_plan_is_never_replaced",
        "training_plans",
        SqlTriggerEvent::Insert,
        "EXISTS (SELECT 1 FROM training_plans p WHERE p.id = NEW.id)",
    ),
    new_trigger(
        "a_plan_id_is_never_reused",
        "training_plans",
        SqlTriggerEvent::AfterInsert,
        "EXISTS (SELECT 1 FROM human_actions h WHERE h.plan_id = NEW.id) \
         OR EXISTS (SELECT 1 FROM plan_revisions r WHERE r.plan_id = NEW.id)",
    ),
    new_trigger(
        "a_plan_keeps_its_owner_and_its_content",
        "training_plans",
        SqlTriggerEvent::Update,
        "NEW.id <> OLD.id OR NEW.user_id <> OLD.user_id OR NEW.name <> OLD.name OR NEW.goal <> OLD.goal \
         OR NEW.distance_mm IS DISTINCT FROM OLD.distance_mm OR NEW.race_date <> OLD.race_date \
         OR NEW.start_date <> OLD.start_date OR NEW.target_time IS DISTINCT FROM OLD.target_time \
         OR NEW.author <> OLD.author OR NEW.content_hash <> OLD.content_hash OR NEW.created_at <> OLD.created_at",
    ),
    new_trigger(
        "a_plan_goes_from_draft_to_active_to_archived_and_never_back",
        "training_plans",
        SqlTriggerEvent::Update,
        "NEW.status <> OLD.status AND NOT ((OLD.status = 'draft' AND NEW.status = 'active') \
         OR (OLD.status = 'active' AND NEW.status = 'archived'))",
    ),
    new_trigger(
        "a_decision_stands",
        "training_plans",
        SqlTriggerEvent::Update,
        "(OLD.activated_by IS NOT NULL AND (NEW.activated_by IS DISTINCT FROM OLD.activated_by \
         OR NEW.activated_at IS DISTINCT FROM OLD.activated_at)) \
         OR (OLD.archived_by IS NOT NULL AND (NEW.archived_by IS DISTINCT FROM OLD.archived_by \
         OR NEW.archived_at IS DISTINCT FROM OLD.archived_at)) \
         OR (NEW.status <> 'archived' AND (NEW.archived_by IS NOT NULL OR NEW.archived_at IS NOT NULL))",
    ),
    new_trigger(
        "only_a_human_activates_a_plan",
        "training_plans",
        SqlTriggerEvent::Update,
        "((NEW.status = 'active' AND OLD.status <> 'active') OR NEW.activated_by IS DISTINCT FROM OLD.activated_by) \
         AND NOT EXISTS (SELECT 1 FROM human_actions h \
         WHERE h.id = NEW.activated_by AND h.kind = 'activate' AND h.plan_id = NEW.id AND h.user_id = NEW.user_id)",
    ),
    new_trigger(
        "only_a_human_archives_a_plan",
        "training_plans",
        SqlTriggerEvent::Update,
        "((NEW.status = 'archived' AND OLD.status <> 'archived') OR NEW.archived_by IS DISTINCT FROM OLD.archived_by) \
         AND NOT EXISTS (SELECT 1 FROM human_actions h \
         WHERE h.id = NEW.archived_by AND h.user_id = NEW.user_id \
         AND ((h.kind = 'archive' AND h.plan_id = NEW.id) OR (h.kind = 'activate' AND h.replaces_id = NEW.id)))",
    ),
    new_trigger(
        "a_plan_without_workouts_is_never_activated",
        "training_plans",
        SqlTriggerEvent::Update,
        "NEW.status = 'active' AND NEW.revision < 1",
    ),
    new_trigger(
        "a_plan_is_never_replaced_by_another",
        "training_plans",
        SqlTriggerEvent::AfterUpdate,
        // A replacing update removes the row in its way without firing a delete trigger. Every plan
        // that was ever activated must still be there, or have been deleted by a human.
        "NEW.status <> OLD.status AND EXISTS (SELECT 1 FROM human_actions h \
         WHERE h.user_id = NEW.user_id AND h.kind = 'activate' \
         AND NOT EXISTS (SELECT 1 FROM training_plans p WHERE p.id = h.plan_id) \
         AND NOT EXISTS (SELECT 1 FROM human_actions d WHERE d.plan_id = h.plan_id AND d.kind = 'delete'))",
    ),
    new_trigger(
        "a_plan_takes_up_its_revisions_in_order",
        "training_plans",
        SqlTriggerEvent::Update,
        "NEW.revision <> OLD.revision AND (NEW.revision <> OLD.revision + 1 OR NOT EXISTS \
         (SELECT 1 FROM plan_revisions r WHERE r.plan_id = NEW.id AND r.number = NEW.revision))",
    ),
    new_trigger(
        "only_a_draft_is_superseded_and_only_once",
        "training_plans",
        SqlTriggerEvent::Update,
        // May be set again if the superseding draft was deleted.
        "NEW.superseded_by IS DISTINCT FROM OLD.superseded_by AND (OLD.status <> 'draft' OR EXISTS \
         (SELECT 1 FROM training_plans p WHERE p.id = OLD.superseded_by))",
    ),
    new_trigger(
        "only_a_human_deletes_a_plan_and_never_an_active_one",
        "training_plans",
        SqlTriggerEvent::Delete,
        "EXISTS (SELECT 1 FROM users WHERE id = OLD.user_id) AND (OLD.status = 'active' OR NOT EXISTS \
         (SELECT 1 FROM human_actions h WHERE h.plan_id = OLD.id AND h.user_id = OLD.user_id AND h.kind = 'delete'))",
    ),
    // ---- revisions and workouts: append-only, opened by a human action, closed by the plan ----
    new_trigger(
        "a_revision_is_never_replaced",
        "plan_revisions",
        SqlTriggerEvent::Insert,
        "EXISTS (SELECT 1 FROM plan_revisions r WHERE r.id = NEW.id OR r.made_by = NEW.made_by \
         OR (r.plan_id = NEW.plan_id AND r.number = NEW.number))",
    ),
    new_trigger(
        "a_revision_follows_the_one_before",
        "plan_revisions",
        SqlTriggerEvent::Insert,
        "NOT EXISTS (SELECT 1 FROM training_plans p WHERE p.id = NEW.plan_id AND p.user_id = NEW.user_id \
         AND NEW.number = p.revision + 1 AND p.status = CASE WHEN NEW.number = 1 THEN 'draft' ELSE 'active' END)",
    ),
    new_trigger(
        "only_a_human_revises_a_plan",
        "plan_revisions",
        SqlTriggerEvent::Insert,
        "NEW.number > 1 AND NOT EXISTS (SELECT 1 FROM human_actions h WHERE h.id = NEW.made_by \
         AND h.kind = NEW.origin AND h.plan_id = NEW.plan_id AND h.user_id = NEW.user_id)",
    ),
    new_trigger("a_revision_is_never_edited", "plan_revisions", SqlTriggerEvent::Update, ALWAYS),
    new_trigger(
        "a_revision_goes_only_with_its_plan",
        "plan_revisions",
        SqlTriggerEvent::Delete,
        WHILE_THE_PLAN_EXISTS,
    ),
    new_trigger(
        "a_workout_is_added_only_to_a_revision_being_made",
        "workouts",
        SqlTriggerEvent::Insert,
        "EXISTS (SELECT 1 FROM workouts w WHERE w.id = NEW.id) OR NOT EXISTS (SELECT 1 FROM training_plans p \
         JOIN plan_revisions r ON r.plan_id = p.id AND r.number = p.revision + 1 \
         WHERE p.id = NEW.plan_id AND p.user_id = NEW.user_id)",
    ),
    new_trigger("a_workout_is_never_edited", "workouts", SqlTriggerEvent::Update, ALWAYS),
    new_trigger(
        "a_workout_goes_only_with_its_plan",
        "workouts",
        SqlTriggerEvent::Delete,
        WHILE_THE_PLAN_EXISTS,
    ),
    new_trigger(
        "a_planned_workout_is_added_only_to_a_revision_being_made",
        "planned_workouts",
        SqlTriggerEvent::Insert,
        "EXISTS (SELECT 1 FROM planned_workouts w WHERE w.id = NEW.id OR (w.plan_id = NEW.plan_id \
         AND w.revision = NEW.revision AND w.workout_id = NEW.workout_id)) \
         OR NOT EXISTS (SELECT 1 FROM training_plans p \
         JOIN plan_revisions r ON r.plan_id = p.id AND r.number = p.revision + 1 \
         JOIN workouts w ON w.plan_id = p.id AND w.id = NEW.workout_id \
         WHERE p.id = NEW.plan_id AND p.user_id = NEW.user_id AND r.number = NEW.revision)",
    ),
    new_trigger("a_planned_workout_is_never_edited", "planned_workouts", SqlTriggerEvent::Update, ALWAYS),
    new_trigger(
        "a_planned_workout_goes_only_with_its_plan",
        "planned_workouts",
        SqlTriggerEvent::Delete,
        WHILE_THE_PLAN_EXISTS,
    ),
    // ---- proposals: immutable, decided once ----
    new_trigger(
        "a_proposal_is_made_open_and_never_replaced",
        "proposals",
        SqlTriggerEvent::Insert,
        "NEW.status <> 'open' OR EXISTS (SELECT 1 FROM proposals q WHERE q.id = NEW.id) OR NOT EXISTS \
         (SELECT 1 FROM training_plans p WHERE p.id = NEW.plan_id AND p.user_id = NEW.user_id)",
    ),
    new_trigger(
        "a_proposal_is_decided_once_and_never_edited",
        "proposals",
        SqlTriggerEvent::Update,
        "OLD.status <> 'open' OR NEW.id <> OLD.id OR NEW.user_id <> OLD.user_id OR NEW.plan_id <> OLD.plan_id \
         OR NEW.base_revision <> OLD.base_revision OR NEW.author <> OLD.author OR NEW.message <> OLD.message \
         OR NEW.changes <> OLD.changes OR NEW.made_at <> OLD.made_at",
    ),
    new_trigger(
        "only_a_human_applies_a_proposal",
        "proposals",
        SqlTriggerEvent::Update,
        "NEW.status = 'applied' AND NOT EXISTS (SELECT 1 FROM human_actions h WHERE h.id = NEW.applied_by \
         AND h.kind = 'apply' AND h.proposal_id = NEW.id AND h.plan_id = NEW.plan_id AND h.user_id = NEW.user_id)",
    ),
    new_trigger(
        "a_proposal_goes_only_with_its_plan",
        "proposals",
        SqlTriggerEvent::Delete,
        WHILE_THE_PLAN_EXISTS,
    ),
    // ---- the audit log: append-only and chained ----
    new_trigger(
        "an_audit_entry_follows_the_one_before",
        "audit_log",
        SqlTriggerEvent::Insert,
        "EXISTS (SELECT 1 FROM audit_log a WHERE a.id = NEW.id) \
         OR NEW.seq <> 1 + (SELECT COALESCE(MAX(a.seq), 0) FROM audit_log a WHERE a.user_id = NEW.user_id) \
         OR NEW.prev_hash <> COALESCE((SELECT a.hash FROM audit_log a WHERE a.user_id = NEW.user_id \
         ORDER BY a.seq DESC LIMIT 1), '')",
    ),
    new_trigger("an_audit_entry_is_never_edited", "audit_log", SqlTriggerEvent::Update, ALWAYS),
    new_trigger(
        "an_audit_entry_goes_only_with_its_user",
        "audit_log",
        SqlTriggerEvent::Delete,
        WHILE_THE_USER_EXISTS,
    ),
];
