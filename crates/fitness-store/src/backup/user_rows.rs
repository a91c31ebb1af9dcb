//! One athlete's rows, as fields with names: what leaves in open formats, and comes back from them.

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

/// A row: its columns by name. What is not there is absent.
pub type Fields = Map<String, Value>;

/// Whoever writes an athlete's rows down, table by table.
pub trait RowCollector: std::marker::Send + 'static {
    /// Rows of this table follow.
    ///
    /// # Errors
    /// When it cannot be written.
    fn table(&mut self, name: &str) -> io::Result<()>;

    /// A row.
    ///
    /// # Errors
    /// When it cannot be written.
    fn row(&mut self, table: &str, fields: Fields) -> io::Result<()>;
}

/// The bytes of a file as they are kept, for a row that comes back.
#[must_use]
pub fn compress_file(bytes: &[u8]) -> Value {
    value::bytes(&crate::db::compress::pack(bytes))
}

impl Store {
    /// Shows everything of one athlete as of one moment, the files apart: those are asked for by their hash. Credentials are not
    /// shown: passwords, tokens, sessions, links and the keys of services stay in this database and its backups.
    ///
    /// # Errors
    /// When the database does not answer, or the collector cannot write.
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
        // Numbers of sessions and tokens are not given out again either.
        let manifest = build_manifest(&db, &every_table, &header.people, sums).await?;
        Ok((shown.0, header, manifest))
    }

    /// Makes a database out of rows that were shown: whole, or not at all. The source hands the rows over in the order in
    /// which they were shown, and files with them. Credentials are left out, also those of an older export that has them.
    ///
    /// # Errors
    /// When what comes out is not what was shown, or the database holds anything. Then nothing was made or changed.
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

/// Takes rows on their way into the database.
#[derive(Debug)]
pub struct RowImporter<'a> {
    tables: &'a [Table],
    send: &'a RowSender,
    table: String,
    rows: Vec<Row>,
    bytes: usize,
}

impl RowImporter<'_> {
    /// The tables whose rows are wanted, in their order.
    #[must_use]
    pub fn tables(&self) -> Vec<String> {
        self.tables.iter().map(|table| table.name.clone()).collect()
    }

    /// A row.
    ///
    /// # Errors
    /// When there is no such table or column.
    pub fn row(&mut self, table: &str, mut fields: Fields) -> Result<()> {
        let odd = |what: &str| Error::BadBackup(format!("{table}: there is no {what}"));
        let known = self.tables.iter().find(|known| known.name == table).ok_or_else(|| odd("such table"))?;
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
            // Whoever no longer listens has said why.
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

/// JSON as itself, not as its text.
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
