//! Table definitions, parsed from the migrations. They can be computed for any schema version, so
//! that backups of older versions can be read.

use crate::db::migrations::{SCRIPTS, database_id};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// Primary key that is never reused.
    Id,
    Int,
    Real,
    Bool,
    Bytes,
    Json,
    Day,
    Instant,
    Text,
    /// Bytes that are stored beside the rows, as in an export; NULL here.
    External,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: ColumnKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<Column>,
    /// Positions of the primary key columns, which order the rows.
    pub(crate) key: Vec<usize>,
    /// SQL condition for rows to leave out.
    pub(crate) excluded: Option<String>,
}

impl Table {
    pub(crate) fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|known| known.name == column)
    }

    /// Whether the database assigns the ids.
    pub(crate) fn is_numbered(&self) -> bool {
        self.columns.iter().any(|column| column.kind == ColumnKind::Id)
    }

    /// Whether rows may be large.
    pub(crate) fn is_heavy(&self) -> bool {
        self.columns.iter().any(|column| column.kind == ColumnKind::Bytes)
    }

    /// The column with the user id.
    pub(crate) fn owner(&self) -> &'static str {
        if self.name == "users" { "id" } else { "user_id" }
    }
}

/// All tables after the first `applied` migrations, parents before children, without the table of
/// the database identity.
pub(crate) fn tables(applied: usize) -> Vec<Table> {
    let mut tables = Vec::new();
    for (_, script) in SCRIPTS.iter().take(applied) {
        let text: String = script
            .lines()
            .map(|line| line.split_once("--").map_or(line, |(sql, _)| sql))
            .collect::<Vec<_>>()
            .join(" ");
        for statement in text.split(';') {
            apply_statement(&mut tables, statement);
        }
    }
    tables.retain(|table| table.name != database_id::TABLE);
    tables
}

/// Applies a DDL statement to the list of tables.
fn apply_statement(tables: &mut Vec<Table>, statement: &str) {
    let words: Vec<&str> = statement.split_whitespace().collect();
    match words.as_slice() {
        ["CREATE", "TABLE", name, ..] => {
            let body = statement.split_once('(').map_or("", |(_, rest)| rest);
            let body = body.rsplit_once(')').map_or("", |(body, _)| body);
            tables.push(parse_table(name, body));
        }
        ["ALTER", "TABLE", name, "ADD", "COLUMN", column, kind, ..] => {
            if let Some(table) = tables.iter_mut().find(|table| table.name == *name) {
                table.columns.push(Column { name: (*column).to_owned(), kind: parse_kind(kind) });
            }
        }
        ["ALTER", "TABLE", name, "RENAME", "TO", other] => {
            if let Some(table) = tables.iter_mut().find(|table| table.name == *name) {
                table.name = (*other).to_owned();
            }
        }
        ["DROP", "TABLE", name] => tables.retain(|table| table.name != *name),
        _ => {}
    }
}

fn parse_table(name: &str, body: &str) -> Table {
    let mut table = Table { name: name.to_owned(), columns: Vec::new(), key: Vec::new(), excluded: None };
    for part in split_definition(body) {
        let mut words = part.split_whitespace();
        match (words.next(), words.next()) {
            (Some("PRIMARY"), Some("KEY")) => {
                let names = part.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
                let names = names.map_or("", |(names, _)| names);
                table.key = names.split(',').filter_map(|name| table.position(name.trim())).collect();
            }
            (Some("CONSTRAINT" | "UNIQUE" | "FOREIGN" | "CHECK"), _) | (None, _) | (_, None) => {}
            (Some(column), Some(kind)) => {
                let kind = parse_kind(kind);
                if kind == ColumnKind::Id || part.contains("PRIMARY KEY") {
                    table.key = vec![table.columns.len()];
                }
                table.columns.push(Column { name: column.to_owned(), kind });
            }
        }
    }
    table
}

/// Splits a definition at commas outside of parentheses.
fn split_definition(body: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0_u32, 0);
    for (at, character) in body.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(body[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(body[from..].trim());
    parts
}

fn parse_kind(word: &str) -> ColumnKind {
    match word {
        "{{id}}" => ColumnKind::Id,
        "{{int}}" => ColumnKind::Int,
        "{{real}}" => ColumnKind::Real,
        "{{bool}}" => ColumnKind::Bool,
        "{{bytes}}" => ColumnKind::Bytes,
        "{{json}}" => ColumnKind::Json,
        "{{day}}" => ColumnKind::Day,
        "{{instant}}" => ColumnKind::Instant,
        _ => ColumnKind::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parsed_tables_match_the_migrated_schema() {
        let first = tables(1);
        let zones = first.iter().find(|table| table.name == "zones").unwrap();
        assert!(zones.position("origin").is_none(), "the fifth migration brings it");
        let now = tables(SCRIPTS.len());
        let zones = now.iter().find(|table| table.name == "zones").unwrap();
        let key: Vec<&str> = zones.key.iter().map(|at| zones.columns[*at].name.as_str()).collect();
        assert_eq!(key, ["user_id", "kind", "sport", "from_day", "origin"]);
        assert!(now.iter().all(|table| table.name != "dated_zones"));
        let plans = now.iter().find(|table| table.name == "training_plans").unwrap();
        assert_eq!(plans.columns[plans.position("begun_on").unwrap()].kind, ColumnKind::Day);
        assert!(plans.is_numbered() && plans.key == [0]);
        for table in &now {
            assert!(!table.key.is_empty(), "{} has no order", table.name);
            assert!(table.position(table.owner()).is_some(), "{} says nobody's", table.name);
        }
    }
}
