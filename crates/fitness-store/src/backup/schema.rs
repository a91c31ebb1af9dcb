//! What the tables are, whichever database holds them: read from the migrations themselves, as of any of them, so that
//! what an older version wrote down can be read by a newer one.

use crate::db::migrations::{SCRIPTS, identity};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// The row's number, which is never given out twice.
    Id,
    Int,
    Real,
    Bool,
    Bytes,
    Json,
    Day,
    Instant,
    Text,
    /// Bytes that are told elsewhere, and are nothing here.
    External,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: ColumnKind,
}

/// A table, with the columns that order its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<Column>,
    /// Where the columns of the primary key are.
    pub(crate) key: Vec<usize>,
    /// A condition in SQL for rows that are left out.
    pub(crate) excluded: Option<String>,
}

impl Table {
    /// Where a column is.
    pub(crate) fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|known| known.name == column)
    }

    /// Whether its rows have numbers that the database gives out.
    pub(crate) fn is_numbered(&self) -> bool {
        self.columns.iter().any(|column| column.kind == ColumnKind::Id)
    }

    /// Whether its rows are long.
    pub(crate) fn is_heavy(&self) -> bool {
        self.columns.iter().any(|column| column.kind == ColumnKind::Bytes)
    }

    /// The column that says whose a row is.
    pub(crate) fn owner(&self) -> &'static str {
        if self.name == "users" { "id" } else { "user_id" }
    }
}

/// Every table of athletes as it is after the first `applied` migrations, each after those its rows point to. Which database
/// it is is told apart from what is in it.
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
    tables.retain(|table| table.name != identity::TABLE);
    tables
}

/// Does to the list what a statement does to the tables.
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

/// The parts of a definition: what commas outside of parentheses separate.
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
    fn tables_are_what_the_migrations_make_of_them() {
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
