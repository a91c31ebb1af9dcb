//! Inserts rows into an empty database with all triggers active: the recorded human actions are
//! replayed in order.

use super::schema::{ColumnKind, Table};
use super::value::{self, Row};
use crate::db::error::{Error, Result};
use crate::db::tx::defer_foreign_keys;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, Statement};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// PostgreSQL allows 65,535 values in a statement, SQLite 32,766.
const MAX_BIND_VALUES: usize = 8000;

/// Tables that only human actions change. Their rows are deferred until all of them have been read.
const HUMAN_ACTION_TABLES: &[&str] =
    &["human_actions", "training_plans", "plan_revisions", "workouts", "planned_workouts", "proposals"];

/// Inserts rows into the tables they came from.
#[derive(Debug)]
pub(crate) struct RowLoader<'a> {
    db: &'a DatabaseTransaction,
    tables: &'a [Table],
    deferred: BTreeMap<&'static str, Vec<Row>>,
}

impl<'a> RowLoader<'a> {
    /// The tables must be empty.
    pub(crate) async fn new(db: &'a DatabaseTransaction, tables: &'a [Table]) -> Result<Self> {
        defer_foreign_keys(db).await?;
        Ok(Self { db, tables, deferred: BTreeMap::new() })
    }

    /// Inserts rows of one table. Tables must come in the order of
    /// [`tables`](super::schema::tables).
    pub(crate) async fn load_rows(&mut self, table: &Table, rows: Vec<Row>) -> Result<()> {
        if let Some(name) = HUMAN_ACTION_TABLES.iter().find(|name| **name == table.name) {
            self.deferred.entry(name).or_default().extend(rows);
            return Ok(());
        }
        self.replay_human_actions().await?;
        if table.name == "confirmations" {
            return self.load_confirmations(table, rows).await;
        }
        insert(self.db, table, &rows).await
    }

    /// Replays deferred rows and sets the id counters, after all rows were loaded.
    pub(crate) async fn finish(mut self, counters: &BTreeMap<String, i64>) -> Result<()> {
        self.replay_human_actions().await?;
        for table in self.tables.iter().filter(|table| table.is_numbered()) {
            let (name, highest) = (&table.name, counters.get(&table.name).copied().unwrap_or(0));
            if highest < 1 {
                continue;
            }
            match self.db.get_database_backend() {
                DbBackend::Postgres => {
                    let sql = format!("SELECT setval(pg_get_serial_sequence('{name}', 'id'), {highest})");
                    self.db.execute_unprepared(&sql).await?;
                }
                _ => {
                    let sql = format!("DELETE FROM sqlite_sequence WHERE name = '{name}'");
                    self.db.execute_unprepared(&sql).await?;
                    let sql = format!("INSERT INTO sqlite_sequence (name, seq) VALUES ('{name}', {highest})");
                    self.db.execute_unprepared(&sql).await?;
                }
            }
        }
        Ok(())
    }

    /// Inserts confirmations unspent and then spends them, as the triggers require.
    async fn load_confirmations(&self, table: &Table, mut rows: Vec<Row>) -> Result<()> {
        let (id, spent) = (column_index(table, "id")?, column_index(table, "spent_at")?);
        let spendings: Vec<(Value, Value)> =
            rows.iter_mut().map(|row| (row[id].clone(), row[spent].take())).collect();
        insert(self.db, table, &rows).await?;
        for (id, at) in spendings.iter().filter(|(_, at)| !at.is_null()) {
            update(self.db, table, id, &[("spent_at", at)]).await?;
        }
        Ok(())
    }

    /// Inserts the drafts, then replays every human action with its effects.
    async fn replay_human_actions(&mut self) -> Result<()> {
        if self.deferred.is_empty() {
            return Ok(());
        }
        let mut waiting = std::mem::take(&mut self.deferred);
        let mut take = |name: &'static str| -> Result<DeferredRows<'a>> {
            let table = self.tables.iter().find(|table| table.name == name);
            let table = table.ok_or_else(|| bad_backup(name, "the table is missing"))?;
            Ok(DeferredRows { table, rows: waiting.remove(name).unwrap_or_default() })
        };
        let decisions = HumanActionReplay {
            db: self.db,
            actions: take("human_actions")?,
            plans: take("training_plans")?,
            revisions: take("plan_revisions")?,
            workouts: take("workouts")?,
            planned: take("planned_workouts")?,
            proposals: take("proposals")?,
        };
        decisions.replay().await
    }
}

/// Rows of one table, to be replayed later.
#[derive(Debug)]
struct DeferredRows<'a> {
    table: &'a Table,
    rows: Vec<Row>,
}

impl DeferredRows<'_> {
    fn value<'r>(&self, row: &'r Row, column: &str) -> &'r Value {
        self.table.position(column).map_or(&Value::Null, |at| &row[at])
    }

    fn number(&self, row: &Row, column: &str) -> Option<i64> {
        self.value(row, column).as_i64()
    }

    /// Rows with this number in a column.
    fn filter_by<'r>(&'r self, column: &'r str, number: i64) -> impl Iterator<Item = &'r Row> {
        self.rows.iter().filter(move |row| self.number(row, column) == Some(number))
    }

    /// A copy of a row with some columns changed.
    fn with_changes(&self, row: &Row, changes: &[(&str, Value)]) -> Row {
        let mut row = row.clone();
        for (column, value) in changes {
            if let Some(at) = self.table.position(column) {
                row[at] = value.clone();
            }
        }
        row
    }
}

/// Human actions and the rows they changed.
struct HumanActionReplay<'a> {
    db: &'a DatabaseTransaction,
    actions: DeferredRows<'a>,
    plans: DeferredRows<'a>,
    revisions: DeferredRows<'a>,
    workouts: DeferredRows<'a>,
    planned: DeferredRows<'a>,
    proposals: DeferredRows<'a>,
}

/// Columns that are NULL in a new draft.
const DRAFT_NULL_COLUMNS: &[&str] =
    &["activated_by", "activated_at", "archived_by", "archived_at", "superseded_by", "begun_on"];

impl HumanActionReplay<'_> {
    async fn replay(&self) -> Result<()> {
        let ghosts = self.insert_drafts().await?;
        let open: Vec<Row> = self
            .proposals
            .rows
            .iter()
            .map(|row| {
                let undecided = ["applied_by", "decided_at", "superseded_by", "withdrawn_at"];
                let mut changes: Vec<(&str, Value)> =
                    undecided.iter().map(|column| (*column, Value::Null)).collect();
                changes.push(("status", json!("open")));
                self.proposals.with_changes(row, &changes)
            })
            .collect();
        insert(self.db, self.proposals.table, &open).await?;
        for action in &self.actions.rows {
            self.replay_action(action, &ghosts).await?;
        }
        for (row, opened) in self.proposals.rows.iter().zip(&open) {
            if row != opened {
                let columns = ["status", "applied_by", "decided_at", "superseded_by", "withdrawn_at"];
                self.update_columns(&self.proposals, row, &columns).await?;
            }
        }
        for ghost in ghosts {
            let sql = format!("DELETE FROM training_plans WHERE id = {ghost}");
            self.db.execute_unprepared(&sql).await?;
        }
        Ok(())
    }

    /// Inserts every plan as the draft it was. For a plan that was deleted since, only its human
    /// actions are left, so a placeholder with its id is inserted while they are replayed. Returns
    /// the ids of the placeholders.
    async fn insert_drafts(&self) -> Result<BTreeSet<i64>> {
        let mut drafts: Vec<Row> = Vec::new();
        for row in &self.plans.rows {
            let mut changes: Vec<(&str, Value)> =
                DRAFT_NULL_COLUMNS.iter().map(|column| (*column, Value::Null)).collect();
            changes.extend([("status", json!("draft")), ("revision", json!(0))]);
            drafts.push(self.plans.with_changes(row, &changes));
        }
        let there: BTreeSet<i64> =
            self.plans.rows.iter().filter_map(|row| self.plans.number(row, "id")).collect();
        let mut ghosts = BTreeSet::new();
        for action in &self.actions.rows {
            let Some(plan) = self.actions.number(action, "plan_id") else { continue };
            if there.contains(&plan) || !ghosts.insert(plan) {
                continue;
            }
            drafts.push(self.placeholder_plan(plan, action));
        }
        insert(self.db, self.plans.table, &drafts).await?;
        for row in &self.plans.rows {
            let plan = self.plans.number(row, "id").unwrap_or_default();
            if self.revision(plan, 1).is_some() {
                self.add_revision(plan, 1).await?;
            }
            if !self.plans.value(row, "superseded_by").is_null() {
                self.update_columns(&self.plans, row, &["superseded_by"]).await?;
            }
        }
        Ok(ghosts)
    }

    fn placeholder_plan(&self, plan: i64, action: &Row) -> Row {
        let mut row = vec![Value::Null; self.plans.table.columns.len()];
        let done = self.actions.value(action, "done_at");
        let day = json!(done.as_str().and_then(|at| at.get(..10)).unwrap_or("2000-01-01"));
        for (column, value) in [
            ("id", json!(plan)),
            ("user_id", self.actions.value(action, "user_id").clone()),
            ("name", json!("deleted")),
            ("goal", json!("custom")),
            ("race_date", day.clone()),
            ("start_date", day),
            ("status", json!("draft")),
            ("author", json!("athlete")),
            ("content_hash", json!("")),
            ("revision", json!(0)),
            ("created_at", done.clone()),
        ] {
            if let Some(at) = self.plans.table.position(column) {
                row[at] = value;
            }
        }
        row
    }

    /// Replays a human action and its effect on plans that still exist.
    async fn replay_action(&self, action: &Row, ghosts: &BTreeSet<i64>) -> Result<()> {
        insert(self.db, self.actions.table, std::slice::from_ref(action)).await?;
        let id = self.actions.number(action, "id").unwrap_or_default();
        for plan in self.plans.filter_by("archived_by", id) {
            self.update_columns(&self.plans, plan, &["status", "archived_by", "archived_at"]).await?;
        }
        for plan in self.plans.filter_by("activated_by", id) {
            // A plan that was archived later must be active first.
            let active = self.plans.with_changes(plan, &[("status", json!("active"))]);
            self.update_columns(
                &self.plans,
                &active,
                &["status", "activated_by", "activated_at", "begun_on"],
            )
            .await?;
        }
        let revisions: Vec<(i64, i64)> = self
            .revisions
            .filter_by("made_by", id)
            .filter_map(|row| {
                Some((self.revisions.number(row, "plan_id")?, self.revisions.number(row, "number")?))
            })
            .collect();
        for (plan, number) in revisions {
            if !ghosts.contains(&plan) {
                self.add_revision(plan, number).await?;
            }
        }
        Ok(())
    }

    fn revision(&self, plan: i64, number: i64) -> Option<&Row> {
        self.revisions
            .filter_by("plan_id", plan)
            .find(|row| self.revisions.number(row, "number") == Some(number))
    }

    /// Adds a revision with its workouts and makes it the plan's current one.
    async fn add_revision(&self, plan: i64, number: i64) -> Result<()> {
        let revision = self
            .revision(plan, number)
            .ok_or_else(|| bad_backup("plan_revisions", "a revision is missing"))?;
        insert(self.db, self.revisions.table, std::slice::from_ref(revision)).await?;
        let in_revision = |row: &&Row| self.planned.number(row, "revision") == Some(number);
        let planned: Vec<Row> =
            self.planned.filter_by("plan_id", plan).filter(in_revision).cloned().collect();
        // A workout is inserted with the first revision that contains it.
        let earlier: BTreeSet<i64> = self
            .planned
            .filter_by("plan_id", plan)
            .filter(|row| self.planned.number(row, "revision").is_some_and(|other| other < number))
            .filter_map(|row| self.planned.number(row, "workout_id"))
            .collect();
        let named: BTreeSet<i64> =
            planned.iter().filter_map(|row| self.planned.number(row, "workout_id")).collect();
        let new: Vec<Row> = self
            .workouts
            .filter_by("plan_id", plan)
            .filter(|row| {
                let id = self.workouts.number(row, "id").unwrap_or_default();
                named.contains(&id) && !earlier.contains(&id)
            })
            .cloned()
            .collect();
        insert(self.db, self.workouts.table, &new).await?;
        insert(self.db, self.planned.table, &planned).await?;
        update(self.db, self.plans.table, &json!(plan), &[("revision", &json!(number))]).await
    }

    /// Sets some columns to the values in the backup.
    async fn update_columns(&self, held: &DeferredRows<'_>, row: &Row, columns: &[&str]) -> Result<()> {
        let changes: Vec<(&str, &Value)> = columns
            .iter()
            .filter(|column| held.table.position(column).is_some())
            .map(|column| (*column, held.value(row, column)))
            .collect();
        update(self.db, held.table, held.value(row, "id"), &changes).await
    }
}

fn column_index(table: &Table, column: &str) -> Result<usize> {
    table.position(column).ok_or_else(|| bad_backup(&table.name, &format!("column {column} is missing")))
}

fn bad_backup(table: &str, problem: &str) -> Error {
    Error::BadBackup(format!("{table}: {problem}"))
}

async fn insert(db: &DatabaseTransaction, table: &Table, rows: &[Row]) -> Result<()> {
    let backend = db.get_database_backend();
    let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let numbers = table.is_numbered() && backend == DbBackend::Postgres;
    let overriding = if numbers { "OVERRIDING SYSTEM VALUE " } else { "" };
    for rows in rows.chunks((MAX_BIND_VALUES / columns.len()).max(1)) {
        let mut bound = Vec::with_capacity(rows.len() * columns.len());
        let mut places = Vec::with_capacity(rows.len());
        for row in rows {
            if row.len() != columns.len() {
                return Err(bad_backup(&table.name, "a row has the wrong number of values"));
            }
            let mut names = Vec::with_capacity(row.len());
            for (value, column) in row.iter().zip(&table.columns) {
                let value = value::bind(value, column.kind)
                    .ok_or_else(|| bad_backup(&table.name, &format!("invalid value in {}", column.name)))?;
                bound.push(value);
                names.push(format!("${}", bound.len()));
            }
            places.push(format!("({})", names.join(", ")));
        }
        let sql = format!(
            "INSERT INTO {} ({}) {overriding}VALUES {}",
            table.name,
            columns.join(", "),
            places.join(", ")
        );
        db.execute_raw(Statement::from_sql_and_values(backend, sql, bound)).await?;
    }
    Ok(())
}

async fn update(
    db: &DatabaseTransaction,
    table: &Table,
    id: &Value,
    changes: &[(&str, &Value)],
) -> Result<()> {
    let (mut bound, mut sets) = (Vec::new(), Vec::new());
    for (column, value) in changes {
        let kind = table.columns[column_index(table, column)?].kind;
        let value = value::bind(value, kind)
            .ok_or_else(|| bad_backup(&table.name, &format!("invalid value in {column}")))?;
        bound.push(value);
        sets.push(format!("{column} = ${}", bound.len()));
    }
    bound.push(value::bind(id, ColumnKind::Id).ok_or_else(|| bad_backup(&table.name, "a row has no id"))?);
    let sql = format!("UPDATE {} SET {} WHERE id = ${}", table.name, sets.join(", "), bound.len());
    db.execute_raw(Statement::from_sql_and_values(db.get_database_backend(), sql, bound)).await?;
    Ok(())
}
