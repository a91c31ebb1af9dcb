//! Guarantees 1 and 2 against raw SQL: every guard is broken with plain SQL on both databases, and without the
//! guard the same SQL goes through. So each guard is what refuses, and a guard that stops working is noticed.

use crate::raw::Raw;
use fitness_core::note::Author;
use fitness_core::plan::{ActionKind, Change};
use fitness_store::migrations::{GUARDS, Guard};
use fitness_store::testkit::{TestDb, easy_run, june, now};
use fitness_store::{decisions, on_both_databases};
use std::collections::{BTreeMap, BTreeSet};

/// An instant both databases read.
const AT: &str = "'2026-06-14T08:00:00+00:00'";

/// A world with something of everything: Ann with an active plan, a proposal to it, two drafts and a deleted
/// plan; Bob with a draft and an archived plan; Zed with nothing at all.
struct World {
    names: BTreeMap<&'static str, i64>,
}

impl World {
    async fn new(db: &TestDb, raw: &mut Raw) -> Self {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let active = db.active_plan(ann, "Active").await;
        let (draft, draft2, deleted) =
            (db.draft(ann, "Draft").await, db.draft(ann, "Draft 2").await, db.draft(ann, "Deleted").await);
        decisions::delete(db.consent_to(ann, ActionKind::Delete, deleted).await.unwrap(), deleted)
            .await
            .unwrap();
        let changes = [Change::Add { workout: easy_run(june(12), 5.0) }];
        let proposal =
            db.store.desk(ann, Author::Coach).propose(active, 1, "more", &changes, now()).await.unwrap();
        let archived = db.active_plan(bob, "Archived").await;
        decisions::archive(db.consent_to(bob, ActionKind::Archive, archived).await.unwrap(), archived)
            .await
            .unwrap();
        let bobs = db.draft(bob, "Bob's").await;
        raw.must(&format!("INSERT INTO users (name, name_key, created_at) VALUES ('Zed', 'zed', {AT})"))
            .await;
        let zed = raw.number("SELECT id FROM users WHERE name_key = 'zed'").await;
        let names = BTreeMap::from([
            ("ann", ann.get()),
            ("bob", bob.get()),
            ("zed", zed),
            ("active", active.get()),
            ("draft", draft.get()),
            ("draft2", draft2.get()),
            ("deleted", deleted.get()),
            ("archived", archived.get()),
            ("bobs", bobs.get()),
            ("proposal", proposal.get()),
        ]);
        Self { names }
    }

    /// Fills `{ann}`, `{draft}` and so on into SQL.
    fn fill(&self, sql: &str) -> String {
        let sql = sql.replace("{at}", AT);
        self.names.iter().fold(sql, |sql, (name, id)| sql.replace(&format!("{{{name}}}"), &id.to_string()))
    }

    /// Forges a human action the way somebody who can write SQL could. `FORGED` is then its id.
    fn forge(&self, kind: &str, user: &str, plan: &str, extra: &str) -> Vec<String> {
        let (columns, values) =
            if extra.is_empty() { ("", String::new()) } else { (", proposal_id", format!(", {extra}")) };
        vec![
            self.fill(&format!(
                "INSERT INTO confirmations (user_id, kind, plan_id, content_hash, nonce_hash, channel, opened_at, expires_at) \
                 SELECT {{{user}}}, '{kind}', {{{plan}}}, '', 'forged-' || COUNT(*), 'web', {AT}, '2026-06-14T09:00:00+00:00' FROM confirmations"
            )),
            format!("UPDATE confirmations SET spent_at = {AT} WHERE id = (SELECT MAX(id) FROM confirmations)"),
            self.fill(&format!(
                "INSERT INTO human_actions (user_id, kind, plan_id, confirmation_id, channel, detail, done_at{columns}) \
                 SELECT {{{user}}}, '{kind}', {{{plan}}}, MAX(id), 'web', '{{}}', {AT}{values} FROM confirmations"
            )),
        ]
    }
}

const FORGED: &str = "(SELECT MAX(id) FROM human_actions)";

/// One way to break one rule.
struct Attack {
    guard: &'static str,
    given: Vec<String>,
    sql: String,
}

fn attacks(world: &World, sqlite: bool) -> Vec<Attack> {
    let mut list = Vec::new();
    let mut add = |guard: &'static str, given: Vec<String>, sql: &str| {
        list.push(Attack { guard, given, sql: world.fill(sql) });
    };
    let forge = |kind: &str, user: &str, plan: &str| world.forge(kind, user, plan, "");
    // `REPLACE INTO t` on SQLite; on PostgreSQL the nearest thing is an upsert with a chosen id.
    let replace = |table: &str, columns: &str, values: &str| {
        if sqlite {
            format!("REPLACE INTO {table} ({columns}) {values}")
        } else {
            format!(
                "INSERT INTO {table} ({columns}) OVERRIDING SYSTEM VALUE {values} ON CONFLICT (id) DO NOTHING"
            )
        }
    };
    let with_id = |table: &str, columns: &str, values: &str| {
        let overriding = if sqlite { "" } else { "OVERRIDING SYSTEM VALUE" };
        format!("INSERT INTO {table} ({columns}) {overriding} {values}")
    };

    add(
        "a_user_is_never_replaced",
        vec![],
        &replace("users", "id, name, name_key, created_at", "VALUES ({zed}, 'X', 'x', {at})"),
    );
    if sqlite {
        add(
            "a_user_is_never_replaced",
            vec![],
            "REPLACE INTO users (name, name_key, created_at) VALUES ('Ann', 'ann', {at})",
        );
    }
    let gone = if sqlite { "PRAGMA ignore_check_constraints = OFF" } else { "SET CONSTRAINTS ALL DEFERRED" };
    add(
        "a_user_id_is_never_reused",
        vec![
            gone.to_owned(),
            "--drop a_user_leaves_by_their_own_hand".to_owned(),
            world.fill("DELETE FROM users WHERE id = {ann}"),
        ],
        &with_id("users", "id, name, name_key, created_at", "VALUES ({ann}, 'Eve', 'eve', {at})"),
    );
    add("a_user_is_never_edited", vec![], "UPDATE users SET name = 'Eve' WHERE id = {ann}");
    add("a_user_leaves_by_their_own_hand", vec![], "DELETE FROM users WHERE id = {zed}");

    let confirmation =
        "user_id, kind, plan_id, content_hash, nonce_hash, channel, opened_at, expires_at, spent_at";
    add(
        "a_confirmation_is_opened_unspent_and_never_replaced",
        vec![],
        &format!(
            "INSERT INTO confirmations ({confirmation}) VALUES ({{ann}}, 'activate', {{draft}}, '', 'n', 'web', {{at}}, {{at}}, {{at}})"
        ),
    );
    let spent = forge("archive", "ann", "active");
    for change in [
        "kind = 'activate'",
        "plan_id = {draft}",
        "user_id = {bob}",
        "spent_at = NULL",
        "spent_at = '2026-06-14T08:30:00+00:00'",
    ] {
        let sql = format!("UPDATE confirmations SET {change} WHERE id = (SELECT MAX(id) FROM confirmations)");
        add("a_confirmation_is_only_spent_and_only_once", spent[..2].to_vec(), &sql);
    }
    add(
        "a_spent_confirmation_goes_only_with_its_user",
        spent[..2].to_vec(),
        "DELETE FROM confirmations WHERE id = (SELECT MAX(id) FROM confirmations)",
    );

    let action = "id, user_id, kind, plan_id, confirmation_id, channel, detail, done_at";
    add(
        "a_human_action_is_never_replaced",
        spent[..2].to_vec(),
        &replace(
            "human_actions",
            action,
            "SELECT (SELECT activated_by FROM training_plans WHERE id = {active}), {ann}, 'archive', {active}, MAX(id), 'web', '{}', {at} FROM confirmations",
        ),
    );
    // One confirmation: not for another kind, another plan, another user.
    for (user, kind, plan) in
        [("ann", "activate", "active"), ("ann", "archive", "draft"), ("bob", "archive", "bobs")]
    {
        add(
            "a_human_action_spends_its_own_confirmation",
            spent[..2].to_vec(),
            &format!(
                "INSERT INTO human_actions (user_id, kind, plan_id, confirmation_id, channel, detail, done_at) \
                 SELECT {{{user}}}, '{kind}', {{{plan}}}, MAX(id), 'web', '{{}}', {{at}} FROM confirmations"
            ),
        );
    }
    let others = forge("activate", "ann", "bobs");
    add("a_human_action_is_about_an_own_plan", others[..2].to_vec(), &others[2]);
    add(
        "a_human_action_is_never_edited",
        vec![],
        "UPDATE human_actions SET kind = 'archive' WHERE user_id = {ann} AND kind = 'activate'",
    );
    add(
        "a_human_action_goes_only_with_its_user",
        spent.clone(),
        &format!("DELETE FROM human_actions WHERE id = {FORGED}"),
    );

    let plan = "user_id, goal, race_date, start_date, status, activated_by";
    add(
        "a_plan_is_born_a_draft",
        forge("archive", "ann", "draft"),
        &format!(
            "INSERT INTO training_plans ({plan}) VALUES ({{zed}}, 'half', '2026-09-20', '2026-06-16', 'active', {FORGED})"
        ),
    );
    add(
        "a_plan_is_born_a_draft",
        vec![],
        "INSERT INTO training_plans (user_id, goal, race_date, start_date, revision) VALUES ({zed}, 'half', '2026-09-20', '2026-06-16', 3)",
    );
    add(
        "a_plan_is_never_replaced",
        vec![],
        &replace(
            "training_plans",
            "id, user_id, goal, race_date, start_date",
            "VALUES ({draft}, {bob}, 'half', '2026-09-20', '2026-06-16')",
        ),
    );
    add(
        "a_plan_id_is_never_reused",
        vec![],
        &with_id(
            "training_plans",
            "id, user_id, goal, race_date, start_date",
            "VALUES ({deleted}, {ann}, 'half', '2026-09-20', '2026-06-16')",
        ),
    );
    for change in [
        "user_id = {bob}",
        "user_id = NULL",
        "name = NULL",
        "content_hash = NULL",
        "created_at = NULL",
        "name = 'x'",
        "target_time = 1",
        "content_hash = 'x'",
        "race_date = '2027-01-01'",
        "start_date = '2026-06-01'",
    ] {
        add(
            "a_plan_keeps_its_owner_and_its_content",
            vec![],
            &format!("UPDATE training_plans SET {change} WHERE id = {{draft}}"),
        );
        if sqlite {
            add(
                "a_plan_keeps_its_owner_and_its_content",
                vec![],
                &format!("UPDATE OR REPLACE training_plans SET {change} WHERE id = {{draft}}"),
            );
        }
    }
    if sqlite {
        add(
            "a_plan_keeps_its_owner_and_its_content",
            vec![],
            "UPDATE OR REPLACE training_plans SET id = {active} WHERE id = {draft}",
        );
    }
    let mut both = forge("activate", "bob", "bobs");
    both.extend(forge("archive", "bob", "bobs"));
    add(
        "a_plan_goes_from_draft_to_active_to_archived_and_never_back",
        both,
        &format!(
            "UPDATE training_plans SET status = 'archived', activated_by = {FORGED} - 1, archived_by = {FORGED} WHERE id = {{bobs}}"
        ),
    );
    add(
        "a_decision_stands",
        vec![],
        "UPDATE training_plans SET activated_at = '2020-01-01T00:00:00+00:00' WHERE id = {active}",
    );
    add("a_decision_stands", vec![], "UPDATE training_plans SET activated_at = NULL WHERE id = {active}");
    // An action of another kind, about another plan, of another user: none of them activates.
    for (kind, user, about) in
        [("archive", "bob", "bobs"), ("activate", "bob", "archived"), ("activate", "ann", "draft")]
    {
        add(
            "only_a_human_activates_a_plan",
            forge(kind, user, about),
            &format!(
                "UPDATE training_plans SET status = 'active', activated_by = {FORGED} WHERE id = {{bobs}}"
            ),
        );
    }
    for (kind, about) in [("edit", "active"), ("archive", "draft"), ("activate", "active")] {
        add(
            "only_a_human_archives_a_plan",
            forge(kind, "ann", about),
            &format!(
                "UPDATE training_plans SET status = 'archived', archived_by = {FORGED} WHERE id = {{active}}"
            ),
        );
    }
    if sqlite {
        add(
            "a_plan_is_never_replaced_by_another",
            forge("activate", "ann", "draft"),
            &format!(
                "UPDATE OR REPLACE training_plans SET status = 'active', activated_by = {FORGED} WHERE id = {{draft}}"
            ),
        );
    }
    add(
        "a_plan_takes_up_its_revisions_in_order",
        vec![],
        "UPDATE training_plans SET revision = 2 WHERE id = {active}",
    );
    add(
        "a_plan_takes_up_its_revisions_in_order",
        vec![],
        "UPDATE training_plans SET revision = 0 WHERE id = {active}",
    );
    add(
        "only_a_draft_is_superseded_and_only_once",
        vec![],
        "UPDATE training_plans SET superseded_by = {draft} WHERE id = {active}",
    );
    // Keys that wait, as in our own deletion, leave the guard alone with the statement.
    let wait = if sqlite { vec![] } else { vec!["SET CONSTRAINTS ALL DEFERRED".to_owned()] };
    add(
        "only_a_human_deletes_a_plan_and_never_an_active_one",
        wait.clone(),
        "DELETE FROM training_plans WHERE id = {draft}",
    );
    add(
        "only_a_human_deletes_a_plan_and_never_an_active_one",
        wait,
        "DELETE FROM training_plans WHERE id = {active}",
    );

    // A replacing update fills NULL in with the column's default: zero.
    let verb = if sqlite { "UPDATE OR REPLACE" } else { "UPDATE" };
    add(
        "a_plan_takes_up_its_revisions_in_order",
        vec![],
        &format!("{verb} training_plans SET revision = NULL WHERE id = {{bobs}}"),
    );
    let deletion = forge("delete", "ann", "active");
    add("a_deletion_is_never_about_an_active_plan", deletion[..2].to_vec(), &deletion[2]);
    // A plan that raw SQL has made, and whose workouts never came.
    let empty = world.fill(
        "INSERT INTO training_plans (user_id, goal, race_date, start_date) \
         VALUES ({bob}, 'half', '2026-09-20', '2026-06-16')",
    );
    add(
        "a_plan_is_never_replaced",
        vec![empty.clone()],
        &replace(
            "training_plans",
            "id, user_id, goal, race_date, start_date",
            "SELECT MAX(id), {ann}, 'full', '2026-09-20', '2026-06-16' FROM training_plans",
        ),
    );
    add(
        "a_plan_without_workouts_is_never_activated",
        vec![
            empty,
            world.fill(&format!(
                "INSERT INTO confirmations (user_id, kind, plan_id, content_hash, nonce_hash, channel, opened_at, \
                 expires_at) SELECT {{bob}}, 'activate', MAX(id), '', 'empty', 'web', {AT}, \
                 '2026-06-14T09:00:00+00:00' FROM training_plans"
            )),
            format!("UPDATE confirmations SET spent_at = {AT} WHERE nonce_hash = 'empty'"),
            world.fill(&format!(
                "INSERT INTO human_actions (user_id, kind, plan_id, confirmation_id, channel, detail, done_at) \
                 SELECT {{bob}}, 'activate', plan_id, id, 'web', '{{}}', {AT} FROM confirmations \
                 WHERE nonce_hash = 'empty'"
            )),
        ],
        &format!(
            "UPDATE training_plans SET status = 'active', activated_by = {FORGED} \
             WHERE id = (SELECT MAX(id) FROM training_plans)"
        ),
    );

    let revision = "plan_id, user_id, number, origin, made_by, content_hash, made_at";
    let new_revision = |number: u8| format!("{{active}}, {{ann}}, {number}, 'edit', {FORGED}, '', {{at}}");
    add(
        "a_revision_is_never_replaced",
        forge("edit", "ann", "active"),
        &replace(
            "plan_revisions",
            &format!("id, {revision}"),
            &format!("SELECT (SELECT id FROM plan_revisions WHERE plan_id = {{bobs}}), {}", new_revision(2)),
        ),
    );
    add(
        "a_revision_follows_the_one_before",
        forge("edit", "ann", "active"),
        &format!("INSERT INTO plan_revisions ({revision}) SELECT {}", new_revision(3)),
    );
    add(
        "a_revision_follows_the_one_before",
        forge("edit", "ann", "draft"),
        &format!(
            "INSERT INTO plan_revisions ({revision}) SELECT {{draft}}, {{ann}}, 2, 'edit', {FORGED}, '', {{at}}"
        ),
    );
    for (kind, about) in [("archive", "active"), ("edit", "draft")] {
        add(
            "only_a_human_revises_a_plan",
            forge(kind, "ann", about),
            &format!("INSERT INTO plan_revisions ({revision}) SELECT {}", new_revision(2)),
        );
    }
    add(
        "a_revision_is_never_edited",
        vec![],
        "UPDATE plan_revisions SET reason = 'x' WHERE plan_id = {active}",
    );
    add(
        "a_revision_goes_only_with_its_plan",
        drop_workouts(world),
        "DELETE FROM plan_revisions WHERE plan_id = {active}",
    );
    add(
        "a_workout_is_added_only_to_a_revision_being_made",
        vec![],
        "INSERT INTO workouts (plan_id, user_id) VALUES ({active}, {ann})",
    );
    add(
        "a_workout_is_never_edited",
        vec![],
        "UPDATE workouts SET plan_id = {draft} WHERE plan_id = {active}",
    );
    add(
        "a_workout_goes_only_with_its_plan",
        drop_workouts(world),
        "DELETE FROM workouts WHERE plan_id = {active}",
    );
    let planned = "plan_id, user_id, revision, position, workout_id, date, sport, kind, name, is_key, steps";
    add(
        "a_planned_workout_is_added_only_to_a_revision_being_made",
        vec![],
        &format!(
            "INSERT INTO planned_workouts ({planned}) SELECT {{active}}, {{ann}}, 1, 99, MAX(id), '2026-06-20', 'running', \
             'easy', 'x', (1 = 0), '[]' FROM workouts WHERE plan_id = {{bobs}}"
        ),
    );
    for change in ["distance_mm = 1", "name = 'x'", "date = '2026-07-01'", "revision = 2"] {
        add(
            "a_planned_workout_is_never_edited",
            vec![],
            &format!("UPDATE planned_workouts SET {change} WHERE plan_id = {{active}}"),
        );
    }
    add(
        "a_planned_workout_goes_only_with_its_plan",
        vec![],
        "DELETE FROM planned_workouts WHERE plan_id = {active}",
    );

    add(
        "a_proposal_is_made_open_and_never_replaced",
        vec![],
        "INSERT INTO proposals (user_id, plan_id, base_revision, status, author, message, changes, made_at) \
         VALUES ({ann}, {active}, 1, 'declined', 'coach', '', '[]', {at})",
    );
    add(
        "a_proposal_is_made_open_and_never_replaced",
        vec![],
        "INSERT INTO proposals (user_id, plan_id, base_revision, author, message, changes, made_at) \
         VALUES ({bob}, {active}, 1, 'coach', '', '[]', {at})",
    );
    add(
        "a_proposal_is_decided_once_and_never_edited",
        vec![],
        "UPDATE proposals SET message = 'x' WHERE id = {proposal}",
    );
    add(
        "only_a_human_applies_a_proposal",
        forge("edit", "ann", "active"),
        &format!("UPDATE proposals SET status = 'applied', applied_by = {FORGED} WHERE id = {{proposal}}"),
    );
    add("a_proposal_goes_only_with_its_plan", vec![], "DELETE FROM proposals WHERE id = {proposal}");

    let audit = "user_id, seq, at, actor, action, object, prev_hash, hash";
    let last = "(SELECT hash FROM audit_log WHERE user_id = {ann} ORDER BY seq DESC LIMIT 1)";
    add(
        "an_audit_entry_follows_the_one_before",
        vec![],
        &format!(
            "INSERT INTO audit_log ({audit}) VALUES ({{ann}}, 999, {{at}}, 'human', 'x', 'x', {last}, 'h')"
        ),
    );
    add(
        "an_audit_entry_follows_the_one_before",
        vec![],
        &format!(
            "INSERT INTO audit_log ({audit}) SELECT {{ann}}, MAX(seq) + 1, {{at}}, 'human', 'x', 'x', 'not the last hash', 'h' FROM audit_log WHERE user_id = {{ann}}"
        ),
    );
    add(
        "an_audit_entry_follows_the_one_before",
        vec![],
        &replace(
            "audit_log",
            &format!("id, {audit}"),
            &format!(
                "SELECT MIN(id), {{ann}}, MAX(seq) + 1, {{at}}, 'human', 'x', 'x', {last}, 'h' FROM audit_log WHERE user_id = {{ann}}"
            ),
        ),
    );
    add(
        "an_audit_entry_is_never_edited",
        vec![],
        "UPDATE audit_log SET action = 'nothing' WHERE user_id = {ann}",
    );
    add("an_audit_entry_goes_only_with_its_user", vec![], "DELETE FROM audit_log WHERE user_id = {ann}");
    list
}

/// Where foreign keys are enforced, children must be out of the way before the guard of a parent is reached.
fn drop_workouts(world: &World) -> Vec<String> {
    vec![
        "--drop a_planned_workout_goes_only_with_its_plan".to_owned(),
        world.fill("DELETE FROM planned_workouts WHERE plan_id = {active}"),
    ]
}

fn guard_named(name: &str) -> &'static Guard {
    GUARDS.iter().find(|guard| guard.name == name).unwrap_or_else(|| panic!("no guard is called {name}"))
}

fn drop_sql(guard: &Guard, sqlite: bool) -> String {
    if sqlite {
        format!("DROP TRIGGER {}", guard.name)
    } else {
        format!("DROP TRIGGER {} ON {}", guard.name, guard.table)
    }
}

/// Tries an attack in a transaction of its own, with or without its guard, and undoes everything.
async fn attempt(raw: &mut Raw, attack: &Attack, guarded: bool) -> Result<u64, String> {
    let sqlite = raw.is_sqlite();
    raw.must("BEGIN").await;
    for sql in &attack.given {
        match sql.strip_prefix("--drop ") {
            Some(name) => raw.must(&drop_sql(guard_named(name), sqlite)).await,
            None => raw.must(sql).await,
        }
    }
    if !guarded {
        raw.must(&drop_sql(guard_named(attack.guard), sqlite)).await;
    }
    let answer = raw.exec(&attack.sql).await;
    raw.must("ROLLBACK").await;
    answer
}

on_both_databases! {
    async fn raw_sql_cannot_break_a_guard_and_each_guard_is_what_stops_it(db) {
        let mut raw = Raw::connect(&db).await;
        let world = World::new(&db, &mut raw).await;
        let attacks = attacks(&world, db.is_sqlite());
        let mut shown = BTreeSet::new();
        for attack in &attacks {
            let refused = attempt(&mut raw, attack, true).await;
            assert_eq!(refused, Err(guard_named(attack.guard).sentence()), "{}", attack.sql);
            match attempt(&mut raw, attack, false).await {
                Ok(_) => drop(shown.insert(attack.guard)),
                Err(other) => eprintln!("without {}, still refused: {other}", attack.guard),
            }
        }
        // A replacing update does not exist on PostgreSQL.
        let idle: &[&str] = if db.is_sqlite() { &[] } else { &["a_plan_is_never_replaced_by_another"] };
        let silent: Vec<_> = GUARDS.iter().map(|g| g.name).filter(|name| !shown.contains(name) && !idle.contains(name)).collect();
        assert!(silent.is_empty(), "these guards were never shown to be what refuses: {silent:?}");
    }

    async fn the_index_alone_allows_one_active_plan_per_user(db) {
        // Both plans have a human behind them; only the index stands between the second and activity.
        let mut raw = Raw::connect(&db).await;
        let world = World::new(&db, &mut raw).await;
        let second = Attack {
            guard: "a_plan_is_born_a_draft",
            given: world.forge("activate", "ann", "draft", ""),
            sql: world.fill(&format!("UPDATE training_plans SET status = 'active', activated_by = {FORGED} WHERE id = {{draft}}")),
        };
        let refused = attempt(&mut raw, &second, true).await.unwrap_err();
        assert!(refused.contains("one_active_plan_per_user") || refused.contains("training_plans.user_id"), "{refused}");
        // The control: without the index the same statement goes through.
        let given = [vec!["DROP INDEX one_active_plan_per_user".to_owned()], second.given.clone()].concat();
        let unguarded = Attack { given, ..second };
        assert_eq!(attempt(&mut raw, &unguarded, true).await, Ok(1));
        // And with the plan-is-born-a-draft guard out of the way, two direct inserts meet the same index.
        let insert = world.fill(&format!(
            "INSERT INTO training_plans (user_id, goal, race_date, start_date, status, activated_by) \
             VALUES ({{ann}}, 'half', '2026-09-20', '2026-06-16', 'active', {FORGED})"
        ));
        let direct = Attack { guard: "a_plan_is_born_a_draft", given: world.forge("activate", "ann", "draft", ""), sql: insert };
        let refused = attempt(&mut raw, &direct, false).await.unwrap_err();
        assert!(refused.contains("one_active_plan_per_user") || refused.contains("training_plans.user_id"), "{refused}");
    }

    async fn checks_refuse_a_status_without_its_human(db) {
        let mut raw = Raw::connect(&db).await;
        let world = World::new(&db, &mut raw).await;
        if raw.is_sqlite() {
            // SQLite can be told to ignore every CHECK; the guards say the same.
            raw.must("PRAGMA ignore_check_constraints = ON").await;
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
        // The control: what the seed's own code does is still possible, and is a draft.
        raw.must(&world.fill("INSERT INTO training_plans (user_id, goal, race_date, start_date) VALUES ({bob}, 'half', '2026-09-20', '2026-06-16')")).await;
        let born = raw.texts("SELECT status FROM training_plans ORDER BY id DESC LIMIT 1").await;
        assert_eq!(born, ["draft"]);
    }

    async fn one_human_action_decides_one_thing_once(db) {
        let mut raw = Raw::connect(&db).await;
        let world = World::new(&db, &mut raw).await;
        // The activation that is already spent on the active plan cannot be spent on another.
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
        let world = World::new(&db, &mut raw).await;
        let overriding = if db.is_sqlite() { "" } else { "OVERRIDING SYSTEM VALUE" };
        for (plan, change) in [("draft", "status = 'active'"), ("archived", "status = 'active'"), ("active", "user_id = {bob}")] {
            let sql = world.fill(&format!(
                "INSERT INTO training_plans (id, user_id, goal, race_date, start_date) {overriding} \
                 VALUES ({{{plan}}}, {{ann}}, 'half', '2026-09-20', '2026-06-16') ON CONFLICT (id) DO UPDATE SET {change}"
            ));
            assert_eq!(raw.exec(&sql).await, Err("a plan is never replaced".to_owned()), "{sql}");
        }
    }

    async fn a_temporary_table_cannot_pose_as_ours(db) {
        // PostgreSQL looks into the temporary schema first, SQLite into the main one within its triggers.
        let mut raw = Raw::connect(&db).await;
        let world = World::new(&db, &mut raw).await;
        raw.must("CREATE TEMPORARY TABLE users (id BIGINT, user_id BIGINT)").await;
        raw.must("CREATE TEMPORARY TABLE human_actions (id BIGINT, kind TEXT, plan_id BIGINT, user_id BIGINT, replaces_id BIGINT)").await;
        raw.must(&world.fill("INSERT INTO human_actions VALUES (1, 'activate', {bobs}, {bob}, NULL), (1, 'delete', {draft}, {ann}, NULL)")).await;
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
        let mut raw = Raw::connect(&db).await;
        let world = World::new(&db, &mut raw).await;
        let deleted = world.names["deleted"];
        let reset = if raw.is_sqlite() {
            format!("UPDATE sqlite_sequence SET seq = {} WHERE name = 'training_plans'", deleted - 1)
        } else {
            format!("SELECT setval(pg_get_serial_sequence('training_plans', 'id'), {}, false)", deleted)
        };
        // Later ids are in the way of a smaller counter on SQLite only if they exist.
        raw.must(&reset).await;
        if raw.is_sqlite() {
            raw.must("PRAGMA foreign_keys = OFF").await;
        }
        let next = raw.exec(&world.fill("INSERT INTO training_plans (user_id, goal, race_date, start_date) VALUES ({bob}, 'half', '2026-09-20', '2026-06-16')")).await;
        match next {
            Err(refused) => assert_eq!(refused, "a plan id is never reused"),
            Ok(_) => assert!(raw.number("SELECT MAX(id) FROM training_plans").await > deleted),
        }
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
        // What remove_user clears must be every table with a user in it.
        let mut raw = Raw::connect(&db).await;
        let tables = if raw.is_sqlite() {
            raw.texts("SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'user_id' WHERE m.type = 'table' ORDER BY 1").await
        } else {
            raw.texts("SELECT table_name::text FROM information_schema.columns WHERE column_name = 'user_id' AND table_schema = 'public' ORDER BY 1").await
        };
        let ann = db.user("Ann").await;
        db.active_plan(ann, "Plan").await;
        let consent = db.consent(ann, ActionKind::DeleteUser, None, fitness_core::hash::ContentHash::of_bytes(b"ann")).await.unwrap();
        db.store.remove_user(consent).await.unwrap();
        for table in &tables {
            assert_eq!(raw.number(&format!("SELECT COUNT(*) FROM {table} WHERE user_id = {ann}")).await, 0, "{table}");
        }
        assert_eq!(tables.len(), 30, "{tables:?}");
    }
}

/// PostgreSQL only: TRUNCATE fires no row trigger, so it has triggers of its own.
async fn nothing_is_truncated(db: TestDb) {
    let mut raw = Raw::connect(&db).await;
    World::new(&db, &mut raw).await;
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
        raw.must("BEGIN").await;
        raw.must(&format!("ALTER TABLE {table} DISABLE TRIGGER {table}_is_never_truncated")).await;
        if raw.exec(&format!("TRUNCATE {table}")).await.is_ok() {
            shown += 1;
        }
        raw.must("ROLLBACK").await;
    }
    assert!(shown >= 3, "only {shown} tables could be truncated without their trigger");
}

#[test]
fn postgres_nothing_is_truncated() {
    fitness_store::testkit::run(
        "nothing_is_truncated",
        fitness_store::testkit::Backend::Postgres,
        nothing_is_truncated,
    );
}
