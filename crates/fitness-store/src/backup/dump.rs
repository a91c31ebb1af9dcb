//! Reads every row of every table in one snapshot, in an order that both databases agree on.

use super::schema::{ColumnKind, Table};
use super::value::{self, Row};
use crate::db::error::{Error, Result};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::UserId;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, Statement};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Rows per page; fewer for tables with large rows.
const PAGE_ROWS: usize = 2000;
const HEAVY_PAGE_ROWS: usize = 64;

/// Row count and hash of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableChecksum {
    pub rows: u64,
    /// Hash over all rows, in order.
    pub sha256: ContentHash,
}

pub type Checksums = BTreeMap<String, TableChecksum>;

/// One hash over all tables: equal if and only if every row of every table is equal.
pub(crate) fn combined_hash(sums: &Checksums) -> ContentHash {
    ContentHash::hash_json(sums)
}

/// Computes the checksum of a table row by row.
#[derive(Debug, Default)]
pub(crate) struct ChecksumBuilder {
    rows: u64,
    hasher: Sha256,
}

impl ChecksumBuilder {
    /// Adds a row and returns its JSON line.
    pub(crate) fn add_row(&mut self, row: &Row) -> Vec<u8> {
        let mut line = serde_json::to_vec(row).expect("a row is plain JSON");
        line.push(b'\n');
        self.add_line(&line);
        line
    }

    /// Adds a line read from a backup.
    pub(crate) fn add_line(&mut self, line: &[u8]) {
        self.rows += 1;
        self.hasher.update(line);
    }

    pub(crate) fn finish(self) -> TableChecksum {
        TableChecksum { rows: self.rows, sha256: ContentHash::from_digest(self.hasher.finalize().into()) }
    }
}

/// Receives the rows of a dump. Called on a blocking thread.
pub(crate) trait RowSink: Send + 'static {
    /// The following rows belong to this table.
    fn table(&mut self, table: &Table) -> Result<()>;

    /// A row and its JSON line.
    fn row(&mut self, table: &Table, row: &Row, line: &[u8]) -> Result<()>;
}

/// For callers that need only the checksums.
impl RowSink for () {
    fn table(&mut self, _: &Table) -> Result<()> {
        Ok(())
    }

    fn row(&mut self, _: &Table, _: &Row, _: &[u8]) -> Result<()> {
        Ok(())
    }
}

/// Sends every row to a sink: all users' rows, or only one user's.
pub(crate) async fn dump_rows<S: RowSink>(
    db: &DatabaseTransaction,
    tables: &[Table],
    whose: Option<UserId>,
    mut sink: S,
) -> Result<(S, Checksums)> {
    let mut sums = Checksums::new();
    for table in tables {
        sink.table(table)?;
        let mut summing = ChecksumBuilder::default();
        let mut after: Option<Row> = None;
        loop {
            let rows = read_page(db, table, whose, after.as_ref()).await?;
            let Some(last) = rows.last() else { break };
            after = Some(table.key.iter().map(|at| last[*at].clone()).collect());
            let seen = table.clone();
            // Compression and disk writes would block the async runtime.
            let shown = tokio::task::spawn_blocking(move || {
                for row in &rows {
                    let line = summing.add_row(row);
                    sink.row(&seen, row, &line)?;
                }
                Ok::<_, Error>((sink, summing))
            });
            (sink, summing) = shown.await.map_err(|why| Error::Unreadable(why.to_string()))??;
        }
        sums.insert(table.name.clone(), summing.finish());
    }
    Ok((sink, sums))
}

/// The next page of rows after a key.
async fn read_page(
    db: &DatabaseTransaction,
    table: &Table,
    whose: Option<UserId>,
    after: Option<&Row>,
) -> Result<Vec<Row>> {
    let backend = db.get_database_backend();
    // Byte order, as in SQLite, whatever the server's collation is.
    let key: Vec<String> = table
        .key
        .iter()
        .map(|at| {
            let column = &table.columns[*at];
            let by_bytes = backend == DbBackend::Postgres && column.kind == ColumnKind::Text;
            format!("{}{}", column.name, if by_bytes { " COLLATE \"C\"" } else { "" })
        })
        .collect();
    let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let (mut conditions, mut bound) = (Vec::new(), Vec::new());
    if let Some(user) = whose {
        bound.push(user.get().into());
        conditions.push(format!("{} = ${}", table.owner(), bound.len()));
    }
    if let Some(excluded) = &table.excluded {
        conditions.push(format!("NOT ({excluded})"));
    }
    if let Some(after) = after {
        let mut places = Vec::new();
        for (value, at) in after.iter().zip(&table.key) {
            bound.push(value::bind(value, table.columns[*at].kind).expect("it was read from this column"));
            places.push(format!("${}", bound.len()));
        }
        conditions.push(format!("({}) > ({})", key.join(", "), places.join(", ")));
    }
    let conditions =
        if conditions.is_empty() { String::new() } else { format!("WHERE {} ", conditions.join(" AND ")) };
    let sql = format!(
        "SELECT {} FROM {} {conditions}ORDER BY {} LIMIT {}",
        columns.join(", "),
        table.name,
        key.join(", "),
        if table.is_heavy() { HEAVY_PAGE_ROWS } else { PAGE_ROWS },
    );
    let found = db.query_all_raw(Statement::from_sql_and_values(backend, sql, bound)).await?;
    found.iter().map(|row| table.columns.iter().map(|column| value::read(row, column)).collect()).collect()
}

/// The highest id each table has assigned; ids are never reused.
pub(crate) async fn read_counters(
    db: &DatabaseTransaction,
    tables: &[Table],
) -> Result<BTreeMap<String, i64>> {
    let backend = db.get_database_backend();
    let mut counters = BTreeMap::new();
    for table in tables.iter().filter(|table| table.is_numbered()) {
        let name = &table.name;
        let sql = match backend {
            DbBackend::Postgres => {
                let found = Statement::from_string(
                    backend,
                    format!("SELECT pg_get_serial_sequence('{name}', 'id') AS name"),
                );
                let sequence: String = query_one(db, found, "name").await?.unwrap_or_default();
                format!("SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS seq FROM {sequence}")
            }
            _ => format!("SELECT seq FROM sqlite_sequence WHERE name = '{name}'"),
        };
        let highest = query_one::<i64>(db, Statement::from_string(backend, sql), "seq").await?;
        counters.insert(name.clone(), highest.unwrap_or(0));
    }
    Ok(counters)
}

async fn query_one<T: sea_orm::TryGetable>(
    db: &DatabaseTransaction,
    query: Statement,
    column: &str,
) -> Result<Option<T>> {
    Ok(db.query_one_raw(query).await?.map(|row| row.try_get("", column)).transpose()?)
}
