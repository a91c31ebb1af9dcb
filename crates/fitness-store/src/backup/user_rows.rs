//! One user's rows as named fields: the database side of export and import in open formats.

use super::dump::{self, RowSink};
use super::format::{BackupUser, Header, Manifest};
use super::schema::{ColumnKind, Table};
use super::value::{self, Row};
use super::{
    ArchiveKind, BATCH_BYTES, BATCH_ROWS, CREDENTIAL_TABLES, RowSender, build_manifest, fill, schema,
};
use crate::auth::users;
use crate::db::error::{Error, Result};
use crate::db::location::Location;
use crate::db::store::{Store, engine, migrations, truncate_to_micros};
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::ids::UserId;
use serde_json::{Map, Value};
use std::io;
use std::path::Path;

/// A row as columns by name. NULL values are left out.
pub type Fields = Map<String, Value>;

/// Receives a user's rows, table by table.
pub trait RowCollector: std::marker::Send + 'static {
    /// The following rows belong to this table.
    fn table(&mut self, name: &str) -> io::Result<()>;

    fn row(&mut self, table: &str, fields: Fields) -> io::Result<()>;
}

/// Compresses the bytes of a file for its row.
#[must_use]
pub fn compress_file(bytes: &[u8]) -> Value {
    value::bytes(&crate::db::compress::pack(bytes))
}

impl Store {
    /// Sends all rows of one user, from one snapshot. Files are left out; the caller reads them by
    /// hash. Credentials are left out too: passwords, tokens, sessions, links and service keys stay
    /// in this database and its backups.
    pub async fn export_user<C: RowCollector>(
        &self,
        user: UserId,
        now: Instant,
        collector: C,
    ) -> Result<(C, Header, Manifest)> {
        let db = self.for_backup().snapshot().await?;
        let migrations = migrations(&db).await?;
        let tables = ArchiveKind::Export.tables(migrations.len());
        let every_table = schema::tables(migrations.len());
        let (engine, version) = engine(&db).await?;
        let person = users::find_user_name(&db, user).await?;
        let header = Header {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            engine: format!("{engine} {version}"),
            database: None,
            made_at: Some(truncate_to_micros(now)),
            night: None,
            migrations,
            people: vec![BackupUser { id: user.get(), name: person, since: None }],
        };
        let (shown, sums) = dump::dump_rows(&db, &tables, Some(user), CollectorSink(collector)).await?;
        // Ids of sessions and tokens must not be reused either.
        let manifest = build_manifest(&db, &every_table, &header.people, sums).await?;
        Ok((shown.0, header, manifest))
    }

    /// Restores an export into an empty database, in one transaction. The source sends the rows in
    /// the order of the export, with the files. Credentials in exports of older versions are left
    /// out.
    ///
    /// # Errors
    /// If the result does not match the manifest, or the database is not empty. Nothing was created
    /// or changed.
    pub async fn restore_export<S>(
        location: Location,
        header: Header,
        manifest: Manifest,
        source: S,
    ) -> Result<Self>
    where
        S: FnOnce(&mut RowImporter<'_>) -> Result<()> + std::marker::Send + 'static,
    {
        let mut tables = super::format::known_tables(Path::new("the export"), &header)?;
        tables.retain(|table| !CREDENTIAL_TABLES.contains(&table.name.as_str()));
        let source = move |send: &RowSender| {
            let mut hand_over =
                RowImporter { tables: &tables, send, table: String::new(), rows: Vec::new(), bytes: 0 };
            source(&mut hand_over)?;
            hand_over.flush();
            Ok(())
        };
        Self::open_and_fill(location, async |store, tx, applied| {
            fill(store, tx, applied, &header, &manifest, ArchiveKind::Export, source).await
        })
        .await
    }
}

/// Receives the rows of an export.
#[derive(Debug)]
pub struct RowImporter<'a> {
    tables: &'a [Table],
    send: &'a RowSender,
    table: String,
    rows: Vec<Row>,
    bytes: usize,
}

impl RowImporter<'_> {
    /// The tables to send, in order.
    #[must_use]
    pub fn tables(&self) -> Vec<String> {
        self.tables.iter().map(|table| table.name.clone()).collect()
    }

    pub fn row(&mut self, table: &str, mut fields: Fields) -> Result<()> {
        let odd = |what: &str| Error::BadBackup(format!("{table}: unknown {what}"));
        let known = self.tables.iter().find(|known| known.name == table).ok_or_else(|| odd("table"))?;
        if table != self.table {
            self.flush();
            table.clone_into(&mut self.table);
        }
        let row: Row = known
            .columns
            .iter()
            .map(|column| from_export_value(fields.remove(&column.name), column.kind))
            .collect();
        if let Some(unknown) = fields.keys().next() {
            return Err(odd(&format!("column {unknown}")));
        }
        self.bytes += row.iter().map(|value| value.as_str().map_or(8, str::len)).sum::<usize>();
        self.rows.push(row);
        if self.rows.len() >= BATCH_ROWS || self.bytes >= BATCH_BYTES {
            self.flush();
        }
        Ok(())
    }

    fn flush(&mut self) {
        self.bytes = 0;
        if !self.rows.is_empty() {
            // If the receiver is gone, it has already reported its error.
            drop(self.send.blocking_send((self.table.clone(), std::mem::take(&mut self.rows))));
        }
    }
}

struct CollectorSink<C>(C);

impl<C: RowCollector> RowSink for CollectorSink<C> {
    fn table(&mut self, table: &Table) -> Result<()> {
        self.0.table(&table.name).map_err(write_error)
    }

    fn row(&mut self, table: &Table, row: &Row, _: &[u8]) -> Result<()> {
        let told = table.columns.iter().zip(row).filter(|(_, value)| !value.is_null());
        let fields =
            told.map(|(column, value)| (column.name.clone(), to_export_value(value, column.kind))).collect();
        self.0.row(&table.name, fields).map_err(write_error)
    }
}

fn write_error(why: io::Error) -> Error {
    Error::from_file(Path::new("the export"), &why)
}

/// JSON columns as JSON, not as text.
fn to_export_value(value: &Value, kind: ColumnKind) -> Value {
    match (kind, value) {
        (ColumnKind::Json, Value::String(text)) => {
            serde_json::from_str(text).unwrap_or_else(|_| value.clone())
        }
        _ => value.clone(),
    }
}

fn from_export_value(value: Option<Value>, kind: ColumnKind) -> Value {
    match (kind, value) {
        (_, None) => Value::Null,
        (ColumnKind::Json, Some(value)) => Value::String(value.to_string()),
        (_, Some(value)) => value,
    }
}
