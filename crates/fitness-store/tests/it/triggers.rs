//! Every trigger against raw SQL on both databases: the SQL is rejected, and succeeds without the
//! trigger. So each trigger is what rejects it, and one that stops working is noticed.

use crate::raw_sql_attacks::{Attack, AttackFixture, FORGED_ACTION_ID, attacks};
use crate::sql_shell::Raw;
use fitness_core::domain::note::Author;
use fitness_core::plan::HumanActionKind;
use fitness_store::db::migrations::{Trigger, all_triggers};
use fitness_store::on_both_databases;
use fitness_store::plan::human_actions;
use fitness_store::testkit::{TestDb, draft, now};
use std::collections::BTreeSet;

fn find_trigger(name: &str) -> &'static Trigger {
    all_triggers().find(|guard| guard.name == name).unwrap_or_else(|| panic!("no guard is called {name}"))
}

fn drop_sql(guard: &Trigger, sqlite: bool) -> String {
    if sqlite {
        format!("DROP TRIGGER {}", guard.name)
    } else {
        format!("DROP TRIGGER {} ON {}", guard.name, guard.table)
    }
}

/// Runs an attack in a transaction, with or without its trigger, and rolls back.
async fn attempt(raw: &mut Raw, attack: &Attack, guarded: bool) -> Result<u64, String> {
    let sqlite = raw.is_sqlite();
    raw.must_exec("BEGIN").await;
    for sql in &attack.given {
        match sql.strip_prefix("--drop ") {
            Some(name) => raw.must_exec(&drop_sql(find_trigger(name), sqlite)).await,
            None => raw.must_exec(sql).await,
        }
    }
    if !guarded {
        raw.must_exec(&drop_sql(find_trigger(attack.guard), sqlite)).await;
    }
    let answer = raw.exec(&attack.sql).await;
    raw.must_exec("ROLLBACK").await;
    answer
}

on_both_databases! {
    async fn raw_sql_attack_is_refused_by_its_trigger_and_succeeds_without_it(db) {
        let mut raw = Raw::connect(&db).await;
        let world = AttackFixture::new(&db, &mut raw).await;
        let attacks = attacks(&world, db.is_sqlite());
        let mut shown = BTreeSet::new();
        for attack in &attacks {
            let refused = attempt(&mut raw, attack, true).await;
            assert_eq!(refused, Err(find_trigger(attack.guard).message()), "{}", attack.sql);
            match attempt(&mut raw, attack, false).await {
                Ok(_) => drop(shown.insert(attack.guard)),
                Err(other) => eprintln!("without {}, still refused: {other}", attack.guard),
            }
        }
        // PostgreSQL has no replacing update.
        let idle: &[&str] = if db.is_sqlite() { &[] } else { &["a_plan_is_never_replaced_by_another"] };
        let silent: Vec<_> = all_triggers().map(|g| g.name).filter(|name| !shown.contains(name) && !idle.contains(name)).collect();
        assert!(silent.is_empty(), "these guards were never shown to be what refuses: {silent:?}");
    }

    async fn the_index_alone_allows_one_active_plan_per_user(db) {
        // Both plans have a human action; only the index prevents the second active plan.
        let mut raw = Raw::connect(&db).await;
        let world = AttackFixture::new(&db, &mut raw).await;
        let second = Attack {
            guard: "a_plan_is_born_a_draft",
            given: world.forge("activate", "ann", "draft", ""),
            sql: world.fill(&format!("UPDATE training_plans SET status = 'active', activated_by = {FORGED_ACTION_ID} WHERE id = {{draft}}")),
        };
        let refused = attempt(&mut raw, &second, true).await.unwrap_err();
        assert!(refused.contains("one_active_plan_per_user") || refused.contains("training_plans.user_id"), "{refused}");
        // Control: without the index the same statement succeeds.
        let given = [vec!["DROP INDEX one_active_plan_per_user".to_owned()], second.given.clone()].concat();
        let unguarded = Attack { given, ..second };
        assert_eq!(attempt(&mut raw, &unguarded, true).await, Ok(1));
        // Without the trigger that new plans are drafts, two direct inserts hit the same index.
        let insert = world.fill(&format!(
            "INSERT INTO training_plans (user_id, goal, race_date, start_date, status, activated_by) \
             VALUES ({{ann}}, 'half', '2026-09-20', '2026-06-16', 'active', {FORGED_ACTION_ID})"
        ));
        let direct = Attack { guard: "a_plan_is_born_a_draft", given: world.forge("activate", "ann", "draft", ""), sql: insert };
        let refused = attempt(&mut raw, &direct, false).await.unwrap_err();
        assert!(refused.contains("one_active_plan_per_user") || refused.contains("training_plans.user_id"), "{refused}");
    }

    async fn status_without_human_action_violates_check(db) {
        let mut raw = Raw::connect(&db).await;
        let world = AttackFixture::new(&db, &mut raw).await;
        if raw.is_sqlite() {
            // SQLite can ignore CHECK constraints; the triggers enforce the same.
            raw.must_exec("PRAGMA ignore_check_constraints = ON").await;
        }
        for sql in [
            "UPDATE training_plans SET status = 'active' WHERE id = {bobs}",
            "UPDATE training_plans SET status = 'archived' WHERE id = {active}",
            "UPDATE training_plans SET status = 'draft' WHERE id = {archived}",
            "UPDATE training_plans SET status = 'active' WHERE id = {archived}",
            "UPDATE training_plans SET status = 'paused' WHERE id = {active}",
            "UPDATE training_plans SET status = NULL WHERE id = {active}",
            "INSERT INTO training_plans (user_id, goal, race_date, start_date, status) VALUES ({bob}, 'half', '2026-09-20', '2026-06-16', 'active')",
            "INSERT INTO training_plans (user_id, goal, race_date, start_date, status) VALUES ({bob}, 'half', '2026-09-20', '2026-06-16', 'archived')",
        ] {
            assert!(raw.exec(&world.fill(sql)).await.is_err(), "{sql}");
        }
        // Control: a plain insert of a draft still works.
        raw.must_exec(&world.fill("INSERT INTO training_plans (user_id, goal, race_date, start_date) VALUES ({bob}, 'half', '2026-09-20', '2026-06-16')")).await;
        let born = raw.texts("SELECT status FROM training_plans ORDER BY id DESC LIMIT 1").await;
        assert_eq!(born, ["draft"]);
    }

    async fn human_action_is_usable_once(db) {
        let mut raw = Raw::connect(&db).await;
        let world = AttackFixture::new(&db, &mut raw).await;
        // An activation that was used for the active plan cannot be used for another.
        let spent = world.fill("(SELECT activated_by FROM training_plans WHERE id = {active})");
        for plan in ["draft", "bobs", "archived"] {
            let sql = world.fill(&format!("UPDATE training_plans SET status = 'active', activated_by = {spent} WHERE id = {{{plan}}}"));
            assert!(raw.exec(&sql).await.is_err(), "{sql}");
            if raw.is_sqlite() {
                let sql = sql.replacen("UPDATE", "UPDATE OR REPLACE", 1);
                assert!(raw.exec(&sql).await.is_err(), "{sql}");
            }
        }
        assert_eq!(raw.number("SELECT COUNT(*) FROM training_plans WHERE status = 'active'").await, 1);
    }

    async fn an_upsert_changes_no_plan(db) {
        let mut raw = Raw::connect(&db).await;
        let world = AttackFixture::new(&db, &mut raw).await;
        let overriding = if db.is_sqlite() { "" } else { "OVERRIDING SYSTEM VALUE" };
        for (plan, change) in [("draft", "status = 'active'"), ("archived", "status = 'active'"), ("active", "user_id = {bob}")] {
            let sql = world.fill(&format!(
                "INSERT INTO training_plans (id, user_id, goal, race_date, start_date) {overriding} \
                 VALUES ({{{plan}}}, {{ann}}, 'half', '2026-09-20', '2026-06-16') ON CONFLICT (id) DO UPDATE SET {change}"
            ));
            assert_eq!(raw.exec(&sql).await, Err("a plan is never replaced".to_owned()), "{sql}");
        }
    }

    async fn temporary_table_cannot_shadow_ours(db) {
        // PostgreSQL looks into the temporary schema first; SQLite triggers look into the main one.
        let mut raw = Raw::connect(&db).await;
        let world = AttackFixture::new(&db, &mut raw).await;
        raw.must_exec("CREATE TEMPORARY TABLE users (id BIGINT, user_id BIGINT)").await;
        raw.must_exec("CREATE TEMPORARY TABLE human_actions (id BIGINT, kind TEXT, plan_id BIGINT, user_id BIGINT, replaces_id BIGINT)").await;
        raw.must_exec(&world.fill("INSERT INTO human_actions VALUES (1, 'activate', {bobs}, {bob}, NULL), (1, 'delete', {draft}, {ann}, NULL)")).await;
        let schema = if raw.is_sqlite() { "main" } else { "public" };
        for sql in [
            "DELETE FROM {schema}.audit_log WHERE user_id = {ann}",
            "DELETE FROM {schema}.training_plans WHERE id = {active}",
            "DELETE FROM {schema}.training_plans WHERE id = {draft}",
            "UPDATE {schema}.training_plans SET status = 'active', activated_by = 1 WHERE id = {bobs}",
        ] {
            let sql = world.fill(&sql.replace("{schema}", schema));
            assert!(raw.exec(&sql).await.is_err(), "{sql}");
        }
    }

    async fn an_id_is_not_reused_even_when_its_counter_is_reset(db) {
        let ann = db.user("Ann").await;
        db.draft(ann, "First").await;
        let last = db.draft(ann, "Last").await;
        human_actions::delete(db.consent_to(ann, HumanActionKind::Delete, last).await.unwrap(), last).await.unwrap();
        let mut raw = Raw::connect(&db).await;
        raw.must_exec(&if raw.is_sqlite() {
            format!("UPDATE sqlite_sequence SET seq = {last} - 1 WHERE name = 'training_plans'")
        } else {
            format!("SELECT setval(pg_get_serial_sequence('training_plans', 'id'), {last}, false)")
        })
        .await;
        let refused = db.store.plan_writer(ann, Author::Coach).put_draft(&draft("Again"), None, now()).await.unwrap_err();
        assert_eq!(refused.to_string(), "the database rejected the change: a plan id is never reused");
    }

    async fn no_foreign_key_cascades(db) {
        let mut raw = Raw::connect(&db).await;
        if raw.is_sqlite() {
            let tables = raw.texts("SELECT name FROM sqlite_master WHERE type = 'table'").await;
            let mut keys = 0;
            for table in tables {
                let actions = raw.texts(&format!("SELECT on_delete || ' ' || on_update FROM pragma_foreign_key_list('{table}')")).await;
                keys += actions.len();
                assert!(actions.iter().all(|action| action == "NO ACTION NO ACTION"), "{table}: {actions:?}");
            }
            assert!(keys > 40, "only {keys} foreign keys were looked at");
        } else {
            let actions = raw.texts("SELECT confdeltype::text || confupdtype::text FROM pg_constraint WHERE contype = 'f'").await;
            assert!(actions.len() > 40);
            assert!(actions.iter().all(|action| action == "aa"), "{actions:?}");
        }
    }

    async fn every_table_of_a_user_names_the_user(db) {
        // remove_user must clear every table with a user id.
        let mut raw = Raw::connect(&db).await;
        let tables = if raw.is_sqlite() {
            raw.texts("SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'user_id' WHERE m.type = 'table' ORDER BY 1").await
        } else {
            raw.texts("SELECT table_name::text FROM information_schema.columns WHERE column_name = 'user_id' AND table_schema = 'public' ORDER BY 1").await
        };
        let ann = db.user("Ann").await;
        db.active_plan(ann, "Plan").await;
        let consent = db.consent(ann, HumanActionKind::DeleteUser, None, fitness_core::domain::content_hash::ContentHash::hash_bytes(b"ann")).await.unwrap();
        db.store.remove_user(consent, None).await.unwrap();
        for table in &tables {
            assert_eq!(raw.number(&format!("SELECT COUNT(*) FROM {table} WHERE user_id = {ann}")).await, 0, "{table}");
        }
        assert_eq!(tables.len(), 50, "{tables:?}");
    }
}

/// PostgreSQL only: TRUNCATE fires no row triggers, so it has its own.
async fn truncate_is_refused(db: TestDb) {
    let mut raw = Raw::connect(&db).await;
    AttackFixture::new(&db, &mut raw).await;
    let mut shown = 0;
    for table in [
        "users",
        "human_actions",
        "plan_revisions",
        "audit_log",
        "training_plans",
        "planned_workouts",
        "proposals",
        "confirmations",
        "workouts",
    ] {
        for cascade in ["", " CASCADE"] {
            let refused = raw.exec(&format!("TRUNCATE {table}{cascade}")).await.unwrap_err();
            let by_us = refused.ends_with("is never truncated");
            let by_a_key = refused.contains("referenced in a foreign key");
            assert!(by_us || (cascade.is_empty() && by_a_key), "{table}{cascade}: {refused}");
        }
        raw.must_exec("BEGIN").await;
        raw.must_exec(&format!("ALTER TABLE {table} DISABLE TRIGGER {table}_is_never_truncated")).await;
        if raw.exec(&format!("TRUNCATE {table}")).await.is_ok() {
            shown += 1;
        }
        raw.must_exec("ROLLBACK").await;
    }
    assert!(shown >= 3, "only {shown} tables could be truncated without their trigger");
}

#[test]
fn postgres_truncate_is_refused() {
    fitness_store::testkit::run(
        "truncate_is_refused",
        fitness_store::testkit::Backend::Postgres,
        truncate_is_refused,
    );
}
