//! Attacks on every trigger in plain SQL, and a fixture to run them on.

use crate::sql_shell::Raw;
use fitness_core::domain::note::Author;
use fitness_core::plan::{Change, HumanActionKind};
use fitness_store::plan::human_actions;
use fitness_store::testkit::{TestDb, easy_run, june, now};
use std::collections::BTreeMap;

/// A timestamp that both databases accept.
pub(crate) const AT: &str = "'2026-06-14T08:00:00+00:00'";

/// Fixture: Ann with an active plan, a proposal for it, two drafts and a deleted plan; Bob with a
/// draft and an archived plan; Zed with nothing.
pub(crate) struct AttackFixture {
    names: BTreeMap<&'static str, i64>,
}

impl AttackFixture {
    pub(crate) async fn new(db: &TestDb, raw: &mut Raw) -> Self {
        let (ann, bob) = (db.user("Ann").await, db.user("Bob").await);
        let active = db.active_plan(ann, "Active").await;
        let (draft, draft2, deleted) =
            (db.draft(ann, "Draft").await, db.draft(ann, "Draft 2").await, db.draft(ann, "Deleted").await);
        human_actions::delete(db.consent_to(ann, HumanActionKind::Delete, deleted).await.unwrap(), deleted)
            .await
            .unwrap();
        let changes = [Change::Add { workout: easy_run(june(12), 5.0) }];
        let proposal = db
            .store
            .plan_writer(ann, Author::Coach)
            .propose(active, 1, "more", &changes, june(8), now())
            .await
            .unwrap();
        let archived = db.active_plan(bob, "Archived").await;
        human_actions::archive(
            db.consent_to(bob, HumanActionKind::Archive, archived).await.unwrap(),
            archived,
        )
        .await
        .unwrap();
        let bobs = db.draft(bob, "Bob's").await;
        db.import_run(ann, june(12), 8.0).await;
        db.import_run(bob, june(12), 8.0).await;
        let activity = raw.number(&format!("SELECT id FROM activities WHERE user_id = {ann}")).await;
        raw.must_exec(&format!("INSERT INTO users (name, name_key, created_at) VALUES ('Zed', 'zed', {AT})"))
            .await;
        let zed = raw.number("SELECT id FROM users WHERE name_key = 'zed'").await;
        let names = BTreeMap::from([
            ("activity", activity),
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
    pub(crate) fn fill(&self, sql: &str) -> String {
        let sql = sql.replace("{at}", AT);
        self.names.iter().fold(sql, |sql, (name, id)| sql.replace(&format!("{{{name}}}"), &id.to_string()))
    }

    /// Forges a human action with SQL. `FORGED` is then its id.
    pub(crate) fn forge(&self, kind: &str, user: &str, plan: &str, extra: &str) -> Vec<String> {
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

pub(crate) const FORGED_ACTION_ID: &str = "(SELECT MAX(id) FROM human_actions)";

pub(crate) struct Attack {
    pub(crate) guard: &'static str,
    pub(crate) given: Vec<String>,
    pub(crate) sql: String,
}

pub(crate) fn attacks(world: &AttackFixture, sqlite: bool) -> Vec<Attack> {
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
    // A confirmation is not valid for another kind, plan or user.
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
        &format!("DELETE FROM human_actions WHERE id = {FORGED_ACTION_ID}"),
    );

    let plan = "user_id, goal, race_date, start_date, status, activated_by";
    add(
        "a_plan_is_born_a_draft",
        forge("archive", "ann", "draft"),
        &format!(
            "INSERT INTO training_plans ({plan}) VALUES ({{zed}}, 'half', '2026-09-20', '2026-06-16', 'active', {FORGED_ACTION_ID})"
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
            "UPDATE training_plans SET status = 'archived', activated_by = {FORGED_ACTION_ID} - 1, archived_by = {FORGED_ACTION_ID} WHERE id = {{bobs}}"
        ),
    );
    add(
        "a_decision_stands",
        vec![],
        "UPDATE training_plans SET activated_at = '2020-01-01T00:00:00+00:00' WHERE id = {active}",
    );
    add("a_decision_stands", vec![], "UPDATE training_plans SET activated_at = NULL WHERE id = {active}");
    // An action of another kind, plan or user does not activate.
    for (kind, user, about) in
        [("archive", "bob", "bobs"), ("activate", "bob", "archived"), ("activate", "ann", "draft")]
    {
        add(
            "only_a_human_activates_a_plan",
            forge(kind, user, about),
            &format!(
                "UPDATE training_plans SET status = 'active', activated_by = {FORGED_ACTION_ID} WHERE id = {{bobs}}"
            ),
        );
    }
    for (kind, about) in [("edit", "active"), ("archive", "draft"), ("activate", "active")] {
        add(
            "only_a_human_archives_a_plan",
            forge(kind, "ann", about),
            &format!(
                "UPDATE training_plans SET status = 'archived', archived_by = {FORGED_ACTION_ID} WHERE id = {{active}}"
            ),
        );
    }
    if sqlite {
        add(
            "a_plan_is_never_replaced_by_another",
            forge("activate", "ann", "draft"),
            &format!(
                "UPDATE OR REPLACE training_plans SET status = 'active', activated_by = {FORGED_ACTION_ID} WHERE id = {{draft}}"
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
    // Deferred foreign keys, as in our own deletion, so that only the trigger rejects it.
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

    // A replacing update turns NULL into the column's default, zero.
    let verb = if sqlite { "UPDATE OR REPLACE" } else { "UPDATE" };
    add(
        "a_plan_takes_up_its_revisions_in_order",
        vec![],
        &format!("{verb} training_plans SET revision = NULL WHERE id = {{bobs}}"),
    );
    let deletion = forge("delete", "ann", "active");
    add("a_deletion_is_never_about_an_active_plan", deletion[..2].to_vec(), &deletion[2]);
    // A plan inserted with raw SQL, without workouts.
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
            "UPDATE training_plans SET status = 'active', activated_by = {FORGED_ACTION_ID} \
             WHERE id = (SELECT MAX(id) FROM training_plans)"
        ),
    );

    let revision = "plan_id, user_id, number, origin, made_by, content_hash, made_at";
    let new_revision =
        |number: u8| format!("{{active}}, {{ann}}, {number}, 'edit', {FORGED_ACTION_ID}, '', {{at}}");
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
            "INSERT INTO plan_revisions ({revision}) SELECT {{draft}}, {{ann}}, 2, 'edit', {FORGED_ACTION_ID}, '', {{at}}"
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

    // A match between a workout and an activity of different users, or one that changes owner.
    let joined = |user: &str, workouts_of: &str, activity: &str| {
        format!(
            "INSERT INTO workout_matches (user_id, plan_id, workout_id, activity_id, accepted, decided_at) \
             SELECT {{{user}}}, {{active}}, MIN(w.id), MAX(a.id), (1 = 1), {AT} FROM workouts w, activities a \
             WHERE w.plan_id = {{{workouts_of}}} AND a.id {activity}"
        )
    };
    for sql in [
        joined("ann", "active", "<> {activity}"),
        joined("ann", "bobs", "= {activity}"),
        joined("bob", "active", "= {activity}"),
    ] {
        add("a_match_joins_an_own_workout_and_an_own_activity", vec![], &sql);
    }
    let matched = world.fill(&joined("ann", "active", "= {activity}"));
    for change in [
        "user_id = {bob}",
        "plan_id = {draft}",
        "workout_id = workout_id + 1",
        "workout_id = NULL",
        "activity_id = (SELECT id FROM activities WHERE user_id = {bob})",
    ] {
        add(
            "a_match_keeps_its_workout_and_its_athlete",
            vec![matched.clone()],
            &format!("UPDATE workout_matches SET {change}"),
        );
    }

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
        &format!(
            "UPDATE proposals SET status = 'applied', applied_by = {FORGED_ACTION_ID} WHERE id = {{proposal}}"
        ),
    );
    add("a_plan_keeps_its_terms", vec![], "UPDATE training_plans SET terms = '{}' WHERE id = {active}");
    add(
        "a_proposal_keeps_its_cause_and_its_end_and_gives_way_once",
        vec![],
        "UPDATE proposals SET expires_on = '2027-01-01' WHERE id = {proposal}",
    );
    add(
        "a_proposal_keeps_its_cause_and_its_end_and_gives_way_once",
        vec![world.fill("UPDATE proposals SET superseded_by = 7 WHERE id = {proposal}")],
        "UPDATE proposals SET status = 'declined' WHERE id = {proposal}",
    );
    add(
        "a_proposal_keeps_its_findings_and_is_withdrawn_once",
        vec![],
        "UPDATE proposals SET findings = '[]' WHERE id = {proposal}",
    );
    for change in ["status = 'declined'", "withdrawn_at = NULL"] {
        add(
            "a_proposal_keeps_its_findings_and_is_withdrawn_once",
            vec![world.fill("UPDATE proposals SET withdrawn_at = {at} WHERE id = {proposal}")],
            &format!("UPDATE proposals SET {change} WHERE id = {{proposal}}"),
        );
    }
    add(
        "a_plan_is_begun_once_when_it_is_activated",
        vec![],
        "UPDATE training_plans SET begun_on = '2026-06-20' WHERE id = {active}",
    );
    add(
        "a_plan_is_begun_once_when_it_is_activated",
        vec![],
        "UPDATE training_plans SET begun_on = '2026-06-20' WHERE id = {draft}",
    );
    add(
        "a_draft_has_not_begun",
        vec![],
        "INSERT INTO training_plans (user_id, name, goal, race_date, start_date, begun_on, author, content_hash, created_at) \
         VALUES ({ann}, 'x', 'half', '2026-09-20', '2026-06-08', '2026-06-20', 'athlete', 'x', {at})",
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

/// Where foreign keys are enforced, children must be removed to reach the parent's trigger.
fn drop_workouts(world: &AttackFixture) -> Vec<String> {
    vec![
        "--drop a_planned_workout_goes_only_with_its_plan".to_owned(),
        world.fill("DELETE FROM planned_workouts WHERE plan_id = {active}"),
    ]
}
