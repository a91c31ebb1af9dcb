//! Guards: what raw SQL may not do, each one sentence and one condition for both databases.
//!
//! A guard becomes a trigger that refuses a row when its condition holds. The name is the rule and, with
//! spaces, the error message. `tests/it/triggers.rs` breaks each rule with plain SQL on both databases, and
//! shows that without the guard the same SQL would have gone through.
//!
//! What guards cannot do: whoever may write SQL may also forge a confirmation and a human action, or drop a
//! trigger. They make every way around a human deliberate; they do not replace the fence around the coach.

use sea_orm_migration::sea_orm::DbBackend;

/// When a guard looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Before a row is added; also the first half of a replace or an upsert.
    Insert,
    /// After a row was added: sees the id that SQLite has only then.
    AfterInsert,
    /// Before a row is changed.
    Update,
    /// After a row was changed: sees what a replacing update removed on the way.
    AfterUpdate,
    /// Before a row is removed.
    Delete,
}

/// One rule of the schema.
#[derive(Debug, Clone, Copy)]
pub struct Guard {
    /// The rule as a sentence with underscores; the trigger's name.
    pub name: &'static str,
    /// The table it watches.
    pub table: &'static str,
    /// When it looks.
    pub event: Event,
    /// What it refuses, as SQL over `NEW` and `OLD` that both databases read alike.
    pub refuses: &'static str,
}

impl Guard {
    /// The rule in words.
    #[must_use]
    pub fn sentence(&self) -> String {
        self.name.replace('_', " ")
    }

    /// The trigger for one database. A condition that is neither true nor false (a column set to NULL, which
    /// a replacing update then fills in) refuses. On PostgreSQL the function sees the tables of `schema` and
    /// nothing in front of them, so that no temporary table can pose as one of ours.
    pub(super) fn create(&self, backend: DbBackend, schema: &str) -> String {
        let Self { name, table, .. } = self;
        let refuses = format!("COALESCE(({}), 1 = 1)", self.refuses);
        let sentence = self.sentence();
        let (when, row) = match self.event {
            Event::Insert => ("BEFORE INSERT", "NEW"),
            Event::AfterInsert => ("AFTER INSERT", "NULL"),
            Event::Update => ("BEFORE UPDATE", "NEW"),
            Event::AfterUpdate => ("AFTER UPDATE", "NULL"),
            Event::Delete => ("BEFORE DELETE", "OLD"),
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

/// Tables that PostgreSQL must not empty at one stroke, which fires no row trigger.
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

pub(super) fn postgres_never_truncates() -> String {
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

const fn guard(name: &'static str, table: &'static str, event: Event, refuses: &'static str) -> Guard {
    Guard { name, table, event, refuses }
}

/// Every guard, whichever migration brought it.
pub fn guards() -> impl Iterator<Item = &'static Guard> {
    FIRST_GUARDS.iter().chain(PLAN_GUARDS).chain(super::matches::GUARDS).chain(super::decisions::GUARDS)
}

/// What came with the plans' terms and the rules' proposals.
pub(super) const PLAN_GUARDS: &[Guard] = &[
    guard("a_plan_keeps_its_terms", "training_plans", Event::Update, "NEW.terms IS DISTINCT FROM OLD.terms"),
    guard(
        "a_proposal_keeps_its_cause_and_its_end_and_gives_way_once",
        "proposals",
        Event::Update,
        "NEW.expires_on IS DISTINCT FROM OLD.expires_on OR NEW.follows_from IS DISTINCT FROM OLD.follows_from \
         OR (OLD.superseded_by IS NOT NULL AND (NEW.superseded_by IS DISTINCT FROM OLD.superseded_by \
         OR NEW.status <> OLD.status))",
    ),
];

/// The guards of the first migration.
pub(super) const FIRST_GUARDS: &[Guard] = &[
    // ---- users: added once, never edited, gone only by their own hand ----
    guard(
        "a_user_is_never_replaced",
        "users",
        Event::Insert,
        "EXISTS (SELECT 1 FROM users u WHERE u.id = NEW.id OR u.name_key = NEW.name_key)",
    ),
    guard(
        "a_user_id_is_never_reused",
        "users",
        Event::AfterInsert,
        "EXISTS (SELECT 1 FROM audit_log a WHERE a.user_id = NEW.id) \
         OR EXISTS (SELECT 1 FROM human_actions h WHERE h.user_id = NEW.id) \
         OR EXISTS (SELECT 1 FROM training_plans p WHERE p.user_id = NEW.id)",
    ),
    guard("a_user_is_never_edited", "users", Event::Update, ALWAYS),
    guard(
        "a_user_leaves_by_their_own_hand",
        "users",
        Event::Delete,
        "NOT EXISTS (SELECT 1 FROM human_actions h WHERE h.user_id = OLD.id AND h.kind = 'delete_user')",
    ),
    // ---- confirmations: opened unspent, spent once ----
    guard(
        "a_confirmation_is_opened_unspent_and_never_replaced",
        "confirmations",
        Event::Insert,
        "NEW.spent_at IS NOT NULL OR EXISTS \
         (SELECT 1 FROM confirmations c WHERE c.id = NEW.id OR c.nonce_hash = NEW.nonce_hash)",
    ),
    guard(
        "a_confirmation_is_only_spent_and_only_once",
        "confirmations",
        Event::Update,
        "OLD.spent_at IS NOT NULL OR NEW.spent_at IS NULL OR NEW.spent_at > OLD.expires_at \
         OR NEW.id <> OLD.id OR NEW.user_id <> OLD.user_id \
         OR NEW.kind <> OLD.kind OR NEW.plan_id IS DISTINCT FROM OLD.plan_id OR NEW.content_hash <> OLD.content_hash \
         OR NEW.nonce_hash <> OLD.nonce_hash OR NEW.channel <> OLD.channel OR NEW.opened_at <> OLD.opened_at \
         OR NEW.expires_at <> OLD.expires_at",
    ),
    guard(
        "a_spent_confirmation_goes_only_with_its_user",
        "confirmations",
        Event::Delete,
        "OLD.spent_at IS NOT NULL AND EXISTS (SELECT 1 FROM users WHERE id = OLD.user_id)",
    ),
    // ---- human actions: append-only, each spending its own confirmation ----
    guard(
        "a_human_action_is_never_replaced",
        "human_actions",
        Event::Insert,
        "EXISTS (SELECT 1 FROM human_actions h WHERE h.id = NEW.id OR h.confirmation_id = NEW.confirmation_id)",
    ),
    guard(
        "a_human_action_spends_its_own_confirmation",
        "human_actions",
        Event::Insert,
        "NOT EXISTS (SELECT 1 FROM confirmations c WHERE c.id = NEW.confirmation_id AND c.user_id = NEW.user_id \
         AND c.kind = NEW.kind AND c.plan_id IS NOT DISTINCT FROM NEW.plan_id AND c.channel = NEW.channel \
         AND c.spent_at IS NOT NULL)",
    ),
    guard(
        "a_human_action_is_about_an_own_plan",
        "human_actions",
        Event::Insert,
        "NEW.plan_id IS NOT NULL AND NOT EXISTS \
         (SELECT 1 FROM training_plans p WHERE p.id = NEW.plan_id AND p.user_id = NEW.user_id)",
    ),
    guard(
        "a_deletion_is_never_about_an_active_plan",
        "human_actions",
        Event::Insert,
        "NEW.kind = 'delete' AND EXISTS \
         (SELECT 1 FROM training_plans p WHERE p.id = NEW.plan_id AND p.status = 'active')",
    ),
    guard("a_human_action_is_never_edited", "human_actions", Event::Update, ALWAYS),
    guard("a_human_action_goes_only_with_its_user", "human_actions", Event::Delete, WHILE_THE_USER_EXISTS),
    // ---- plans ----
    guard(
        "a_plan_is_born_a_draft",
        "training_plans",
        Event::Insert,
        "NEW.status <> 'draft' OR NEW.revision <> 0 OR NEW.activated_by IS NOT NULL OR NEW.activated_at IS NOT NULL \
         OR NEW.archived_by IS NOT NULL OR NEW.archived_at IS NOT NULL OR NEW.superseded_by IS NOT NULL",
    ),
    guard(
        "a_plan_is_never_replaced",
        "training_plans",
        Event::Insert,
        "EXISTS (SELECT 1 FROM training_plans p WHERE p.id = NEW.id)",
    ),
    guard(
        "a_plan_id_is_never_reused",
        "training_plans",
        Event::AfterInsert,
        "EXISTS (SELECT 1 FROM human_actions h WHERE h.plan_id = NEW.id) \
         OR EXISTS (SELECT 1 FROM plan_revisions r WHERE r.plan_id = NEW.id)",
    ),
    guard(
        "a_plan_keeps_its_owner_and_its_content",
        "training_plans",
        Event::Update,
        "NEW.id <> OLD.id OR NEW.user_id <> OLD.user_id OR NEW.name <> OLD.name OR NEW.goal <> OLD.goal \
         OR NEW.distance_mm IS DISTINCT FROM OLD.distance_mm OR NEW.race_date <> OLD.race_date \
         OR NEW.start_date <> OLD.start_date OR NEW.target_time IS DISTINCT FROM OLD.target_time \
         OR NEW.author <> OLD.author OR NEW.content_hash <> OLD.content_hash OR NEW.created_at <> OLD.created_at",
    ),
    guard(
        "a_plan_goes_from_draft_to_active_to_archived_and_never_back",
        "training_plans",
        Event::Update,
        "NEW.status <> OLD.status AND NOT ((OLD.status = 'draft' AND NEW.status = 'active') \
         OR (OLD.status = 'active' AND NEW.status = 'archived'))",
    ),
    guard(
        "a_decision_stands",
        "training_plans",
        Event::Update,
        "(OLD.activated_by IS NOT NULL AND (NEW.activated_by IS DISTINCT FROM OLD.activated_by \
         OR NEW.activated_at IS DISTINCT FROM OLD.activated_at)) \
         OR (OLD.archived_by IS NOT NULL AND (NEW.archived_by IS DISTINCT FROM OLD.archived_by \
         OR NEW.archived_at IS DISTINCT FROM OLD.archived_at)) \
         OR (NEW.status <> 'archived' AND (NEW.archived_by IS NOT NULL OR NEW.archived_at IS NOT NULL))",
    ),
    guard(
        "only_a_human_activates_a_plan",
        "training_plans",
        Event::Update,
        "((NEW.status = 'active' AND OLD.status <> 'active') OR NEW.activated_by IS DISTINCT FROM OLD.activated_by) \
         AND NOT EXISTS (SELECT 1 FROM human_actions h \
         WHERE h.id = NEW.activated_by AND h.kind = 'activate' AND h.plan_id = NEW.id AND h.user_id = NEW.user_id)",
    ),
    guard(
        "only_a_human_archives_a_plan",
        "training_plans",
        Event::Update,
        "((NEW.status = 'archived' AND OLD.status <> 'archived') OR NEW.archived_by IS DISTINCT FROM OLD.archived_by) \
         AND NOT EXISTS (SELECT 1 FROM human_actions h \
         WHERE h.id = NEW.archived_by AND h.user_id = NEW.user_id \
         AND ((h.kind = 'archive' AND h.plan_id = NEW.id) OR (h.kind = 'activate' AND h.replaces_id = NEW.id)))",
    ),
    guard(
        "a_plan_without_workouts_is_never_activated",
        "training_plans",
        Event::Update,
        "NEW.status = 'active' AND NEW.revision < 1",
    ),
    guard(
        "a_plan_is_never_replaced_by_another",
        "training_plans",
        Event::AfterUpdate,
        // A replacing update removes the row in its way without firing a delete trigger. Every plan that was
        // ever activated must still be there, or have been deleted by a human.
        "NEW.status <> OLD.status AND EXISTS (SELECT 1 FROM human_actions h \
         WHERE h.user_id = NEW.user_id AND h.kind = 'activate' \
         AND NOT EXISTS (SELECT 1 FROM training_plans p WHERE p.id = h.plan_id) \
         AND NOT EXISTS (SELECT 1 FROM human_actions d WHERE d.plan_id = h.plan_id AND d.kind = 'delete'))",
    ),
    guard(
        "a_plan_takes_up_its_revisions_in_order",
        "training_plans",
        Event::Update,
        "NEW.revision <> OLD.revision AND (NEW.revision <> OLD.revision + 1 OR NOT EXISTS \
         (SELECT 1 FROM plan_revisions r WHERE r.plan_id = NEW.id AND r.number = NEW.revision))",
    ),
    guard(
        "only_a_draft_is_superseded_and_only_once",
        "training_plans",
        Event::Update,
        // Once, unless the draft that took its place is gone.
        "NEW.superseded_by IS DISTINCT FROM OLD.superseded_by AND (OLD.status <> 'draft' OR EXISTS \
         (SELECT 1 FROM training_plans p WHERE p.id = OLD.superseded_by))",
    ),
    guard(
        "only_a_human_deletes_a_plan_and_never_an_active_one",
        "training_plans",
        Event::Delete,
        "EXISTS (SELECT 1 FROM users WHERE id = OLD.user_id) AND (OLD.status = 'active' OR NOT EXISTS \
         (SELECT 1 FROM human_actions h WHERE h.plan_id = OLD.id AND h.user_id = OLD.user_id AND h.kind = 'delete'))",
    ),
    // ---- revisions and workouts: append-only, opened by a human action, closed when the plan takes them up ----
    guard(
        "a_revision_is_never_replaced",
        "plan_revisions",
        Event::Insert,
        "EXISTS (SELECT 1 FROM plan_revisions r WHERE r.id = NEW.id OR r.made_by = NEW.made_by \
         OR (r.plan_id = NEW.plan_id AND r.number = NEW.number))",
    ),
    guard(
        "a_revision_follows_the_one_before",
        "plan_revisions",
        Event::Insert,
        "NOT EXISTS (SELECT 1 FROM training_plans p WHERE p.id = NEW.plan_id AND p.user_id = NEW.user_id \
         AND NEW.number = p.revision + 1 AND p.status = CASE WHEN NEW.number = 1 THEN 'draft' ELSE 'active' END)",
    ),
    guard(
        "only_a_human_revises_a_plan",
        "plan_revisions",
        Event::Insert,
        "NEW.number > 1 AND NOT EXISTS (SELECT 1 FROM human_actions h WHERE h.id = NEW.made_by \
         AND h.kind = NEW.origin AND h.plan_id = NEW.plan_id AND h.user_id = NEW.user_id)",
    ),
    guard("a_revision_is_never_edited", "plan_revisions", Event::Update, ALWAYS),
    guard("a_revision_goes_only_with_its_plan", "plan_revisions", Event::Delete, WHILE_THE_PLAN_EXISTS),
    guard(
        "a_workout_is_added_only_to_a_revision_being_made",
        "workouts",
        Event::Insert,
        "EXISTS (SELECT 1 FROM workouts w WHERE w.id = NEW.id) OR NOT EXISTS (SELECT 1 FROM training_plans p \
         JOIN plan_revisions r ON r.plan_id = p.id AND r.number = p.revision + 1 \
         WHERE p.id = NEW.plan_id AND p.user_id = NEW.user_id)",
    ),
    guard("a_workout_is_never_edited", "workouts", Event::Update, ALWAYS),
    guard("a_workout_goes_only_with_its_plan", "workouts", Event::Delete, WHILE_THE_PLAN_EXISTS),
    guard(
        "a_planned_workout_is_added_only_to_a_revision_being_made",
        "planned_workouts",
        Event::Insert,
        "EXISTS (SELECT 1 FROM planned_workouts w WHERE w.id = NEW.id OR (w.plan_id = NEW.plan_id \
         AND w.revision = NEW.revision AND w.workout_id = NEW.workout_id)) \
         OR NOT EXISTS (SELECT 1 FROM training_plans p \
         JOIN plan_revisions r ON r.plan_id = p.id AND r.number = p.revision + 1 \
         JOIN workouts w ON w.plan_id = p.id AND w.id = NEW.workout_id \
         WHERE p.id = NEW.plan_id AND p.user_id = NEW.user_id AND r.number = NEW.revision)",
    ),
    guard("a_planned_workout_is_never_edited", "planned_workouts", Event::Update, ALWAYS),
    guard(
        "a_planned_workout_goes_only_with_its_plan",
        "planned_workouts",
        Event::Delete,
        WHILE_THE_PLAN_EXISTS,
    ),
    // ---- proposals: immutable, decided once ----
    guard(
        "a_proposal_is_made_open_and_never_replaced",
        "proposals",
        Event::Insert,
        "NEW.status <> 'open' OR EXISTS (SELECT 1 FROM proposals q WHERE q.id = NEW.id) OR NOT EXISTS \
         (SELECT 1 FROM training_plans p WHERE p.id = NEW.plan_id AND p.user_id = NEW.user_id)",
    ),
    guard(
        "a_proposal_is_decided_once_and_never_edited",
        "proposals",
        Event::Update,
        "OLD.status <> 'open' OR NEW.id <> OLD.id OR NEW.user_id <> OLD.user_id OR NEW.plan_id <> OLD.plan_id \
         OR NEW.base_revision <> OLD.base_revision OR NEW.author <> OLD.author OR NEW.message <> OLD.message \
         OR NEW.changes <> OLD.changes OR NEW.made_at <> OLD.made_at",
    ),
    guard(
        "only_a_human_applies_a_proposal",
        "proposals",
        Event::Update,
        "NEW.status = 'applied' AND NOT EXISTS (SELECT 1 FROM human_actions h WHERE h.id = NEW.applied_by \
         AND h.kind = 'apply' AND h.proposal_id = NEW.id AND h.plan_id = NEW.plan_id AND h.user_id = NEW.user_id)",
    ),
    guard("a_proposal_goes_only_with_its_plan", "proposals", Event::Delete, WHILE_THE_PLAN_EXISTS),
    // ---- the audit log: append-only and chained ----
    guard(
        "an_audit_entry_follows_the_one_before",
        "audit_log",
        Event::Insert,
        "EXISTS (SELECT 1 FROM audit_log a WHERE a.id = NEW.id) \
         OR NEW.seq <> 1 + (SELECT COALESCE(MAX(a.seq), 0) FROM audit_log a WHERE a.user_id = NEW.user_id) \
         OR NEW.prev_hash <> COALESCE((SELECT a.hash FROM audit_log a WHERE a.user_id = NEW.user_id \
         ORDER BY a.seq DESC LIMIT 1), '')",
    ),
    guard("an_audit_entry_is_never_edited", "audit_log", Event::Update, ALWAYS),
    guard("an_audit_entry_goes_only_with_its_user", "audit_log", Event::Delete, WHILE_THE_USER_EXISTS),
];
