//! `doctor --deep` finds changes made with raw SQL after dropping the triggers.

use crate::plans::{apply, three_changes};
use crate::sql_shell::Raw;
use fitness_core::domain::ids::{PlanId, UserId};
use fitness_core::domain::note::Author;
use fitness_store::db::migrations::all_triggers;
use fitness_store::testkit::{TestDb, june, now};
use fitness_store::{AuditCheckpoints, on_both_databases};
use tempfile::TempDir;

/// A database with an active plan at its second revision, and a draft.
async fn seed_user_with_plans(db: &TestDb) -> (UserId, PlanId, PlanId) {
    let ann = db.user("Ann").await;
    let active = db.active_plan(ann, "Spring").await;
    let changes = three_changes(&db.store, ann, active, 1).await;
    let desk = db.store.plan_writer(ann, Author::Coach);
    let proposal = desk.propose(active, 1, "", &changes, june(8), now()).await.unwrap();
    apply(&db.store, ann, proposal, &[0, 1]).await.unwrap();
    let draft = db.draft(ann, "Autumn").await;
    (ann, active, draft)
}

/// All findings of the deep checks.
async fn findings(db: &TestDb, user: UserId, checkpoints: Option<&AuditCheckpoints>) -> Vec<String> {
    let store = db.another_store().await;
    let mut found = store.schema_differences().await.unwrap();
    found.extend(store.find_tampering(user, checkpoints).await.unwrap());
    store.close().await;
    found
}

/// Drops all triggers.
async fn drop_triggers(raw: &mut Raw) {
    for guard in all_triggers() {
        let on = if raw.is_sqlite() { String::new() } else { format!(" ON {}", guard.table) };
        raw.must_exec(&format!("DROP TRIGGER {}{on}", guard.name)).await;
    }
}

on_both_databases! {
    async fn untouched_database_shows_no_tampering(db) {
        let (ann, ..) = seed_user_with_plans(&db).await;
        assert_eq!(findings(&db, ann, None).await, [""; 0]);
    }

    async fn dropped_trigger_index_and_foreign_trigger_are_found(db) {
        let (ann, ..) = seed_user_with_plans(&db).await;
        let mut raw = Raw::connect(&db).await;
        raw.must_exec("DROP INDEX one_active_plan_per_user").await;
        let found = findings(&db, ann, None).await;
        assert_eq!(found, ["index one_active_plan_per_user is missing"]);
        raw.must_exec("CREATE UNIQUE INDEX one_active_plan_per_user ON training_plans (user_id) WHERE status = 'draft'").await;
        assert_eq!(findings(&db, ann, None).await, ["index one_active_plan_per_user was changed"]);
        raw.must_exec("DROP INDEX one_active_plan_per_user").await;
        raw.must_exec("CREATE UNIQUE INDEX one_active_plan_per_user ON training_plans (user_id) WHERE status = 'active'").await;
        let on = if raw.is_sqlite() { "" } else { " ON users" };
        raw.must_exec(&format!("DROP TRIGGER a_user_is_never_replaced{on}")).await;
        let found = findings(&db, ann, None).await;
        assert_eq!(found, ["trigger a_user_is_never_replaced is missing"]);
        if raw.is_sqlite() {
            raw.must_exec("CREATE TRIGGER mine AFTER INSERT ON notes BEGIN DELETE FROM chats; END").await;
            assert!(findings(&db, ann, None).await.contains(&"trigger mine was not created by local-fitness".to_owned()));
        } else {
            // The trigger exists, but never fires.
            raw.must_exec("CREATE TRIGGER a_user_is_never_replaced BEFORE INSERT ON users FOR EACH ROW WHEN (false) EXECUTE FUNCTION a_user_is_never_replaced()").await;
            assert_eq!(findings(&db, ann, None).await, ["trigger a_user_is_never_replaced was changed"]);
            raw.must_exec("ALTER FUNCTION a_user_is_never_replaced() SET search_path = elsewhere").await;
            assert!(findings(&db, ann, None).await.contains(&"function a_user_is_never_replaced was changed".to_owned()));
            raw.must_exec("CREATE RULE quiet AS ON INSERT TO audit_log DO INSTEAD NOTHING").await;
            assert!(findings(&db, ann, None).await.contains(&"rule quiet was not created by local-fitness".to_owned()));
            raw.must_exec("ALTER TABLE training_plans DISABLE TRIGGER ALL").await;
            let found = findings(&db, ann, None).await;
            assert!(found.iter().filter(|line| line.ends_with("was changed")).count() > 5, "{found:?}");
        }
    }

    async fn edited_workouts_of_an_active_plan_are_found(db) {
        let (ann, active, _) = seed_user_with_plans(&db).await;
        let mut raw = Raw::connect(&db).await;
        drop_triggers(&mut raw).await;
        raw.must_exec(&format!("UPDATE planned_workouts SET distance_mm = 99000000 WHERE plan_id = {active} AND revision = 2 AND position = 0")).await;
        let found = db.store.find_tampering(ann, None).await.unwrap();
        assert_eq!(found, [format!("the workouts of plan {active} were changed in revision 2")]);
        // With a matching revision hash, the audit log still differs.
        let hash = "0".repeat(64);
        raw.must_exec(&format!("UPDATE plan_revisions SET content_hash = '{hash}' WHERE plan_id = {active} AND number = 2")).await;
        assert!(!db.store.find_tampering(ann, None).await.unwrap().is_empty());
    }

    async fn forged_activation_is_found(db) {
        let (ann, active, draft) = seed_user_with_plans(&db).await;
        let mut raw = Raw::connect(&db).await;
        drop_triggers(&mut raw).await;
        raw.must_exec(&format!("UPDATE training_plans SET status = 'archived', archived_by = activated_by WHERE id = {active}")).await;
        raw.must_exec(&format!("INSERT INTO confirmations (user_id, kind, plan_id, content_hash, nonce_hash, channel, opened_at, expires_at, spent_at) \
            SELECT user_id, kind, {draft}, content_hash, 'forged', channel, opened_at, expires_at, spent_at FROM confirmations LIMIT 1")).await;
        raw.must_exec(&format!("INSERT INTO human_actions (user_id, kind, plan_id, confirmation_id, channel, detail, done_at) \
            SELECT user_id, 'activate', {draft}, (SELECT MAX(id) FROM confirmations), 'web', '{{}}', done_at FROM human_actions LIMIT 1")).await;
        raw.must_exec(&format!("UPDATE training_plans SET status = 'active', activated_by = (SELECT MAX(id) FROM human_actions) WHERE id = {draft}")).await;
        let found = db.store.find_tampering(ann, None).await.unwrap();
        let expected = format!("(activate of plan {draft}) is not in the audit log");
        assert!(found.iter().any(|line| line.ends_with(&expected)), "{found:?}");
        // With the activation of another plan.
        raw.must_exec(&format!("UPDATE training_plans SET activated_by = NULL, status = 'draft' WHERE id = {draft}")).await;
        raw.must_exec(&format!("DELETE FROM human_actions WHERE plan_id = {draft}")).await;
        raw.must_exec("DROP INDEX an_activation_is_spent_once").await;
        raw.must_exec(&format!("UPDATE training_plans SET status = 'active', activated_by = (SELECT activated_by FROM training_plans WHERE id = {active}) WHERE id = {draft}")).await;
        let found = db.store.find_tampering(ann, None).await.unwrap();
        assert!(found.contains(&format!("plan {draft} is active without an activation")), "{found:?}");
    }

    async fn plan_unarchived_with_sql_is_found(db) {
        let (ann, active, draft) = seed_user_with_plans(&db).await;
        db.activate(ann, draft, Some(active)).await.unwrap();
        assert_eq!(findings(&db, ann, None).await, [""; 0]);
        let mut raw = Raw::connect(&db).await;
        drop_triggers(&mut raw).await;
        let put_away = format!("(SELECT activated_by FROM training_plans WHERE id = {draft})");
        raw.must_exec("DROP INDEX an_archiving_is_spent_once").await;
        raw.must_exec(&format!("UPDATE training_plans SET status = 'archived', archived_by = {put_away} WHERE id = {draft}")).await;
        raw.must_exec(&format!("UPDATE training_plans SET status = 'active', archived_by = NULL WHERE id = {active}")).await;
        let found = db.store.find_tampering(ann, None).await.unwrap();
        assert_eq!(found, [
            format!("plan {active} is active, but was archived or replaced"),
            format!("plan {draft} is archived, but nobody archived or replaced it"),
        ]);
    }

    async fn audit_log_cut_behind_a_checkpoint_is_found(db) {
        let (ann, ..) = seed_user_with_plans(&db).await;
        let folder = TempDir::new().unwrap();
        let checkpoints = AuditCheckpoints::at(folder.path().join("audit-checkpoints.jsonl"));
        assert_eq!(checkpoints.append(&db.store, now()).await.unwrap(), 1);
        assert_eq!(checkpoints.append(&db.store, now()).await.unwrap(), 0, "nothing has changed");
        db.draft(ann, "Winter").await;
        assert_eq!(findings(&db, ann, Some(&checkpoints)).await, [""; 0]);
        let mut raw = Raw::connect(&db).await;
        drop_triggers(&mut raw).await;
        // Entries after the checkpoint can be removed unnoticed by the chain; the plan drafted
        // there reveals it.
        raw.must_exec("DELETE FROM audit_log WHERE seq = (SELECT MAX(seq) FROM audit_log)").await;
        assert_eq!(db.store.first_broken_audit_entry(ann).await.unwrap(), None);
        assert_eq!(db.store.find_tampering(ann, Some(&checkpoints)).await.unwrap().len(), 1);
        raw.must_exec("DELETE FROM audit_log WHERE seq = (SELECT MAX(seq) FROM audit_log)").await;
        let found = db.store.find_tampering(ann, Some(&checkpoints)).await.unwrap();
        assert!(found.iter().any(|line| line.ends_with("it was truncated")), "{found:?}");
    }

    async fn health_check_stores_a_write_that_other_connections_see(db) {
        db.user("Ann").await;
        let before = db.store.logical_hash().await.unwrap();
        let health = db.store.check_health().await.unwrap();
        assert_eq!(health.free_bytes.is_some(), db.is_sqlite() && cfg!(unix));
        assert_eq!(db.store.logical_hash().await.unwrap(), before, "nothing of anybody's was changed");
    }
}
