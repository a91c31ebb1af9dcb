//! Backups that still contain a deleted user.

use crate::backup::{self, Header};
use crate::db::entities::users;
use crate::db::error::Result;
use crate::db::store::Store;
use serde::Serialize;
use std::path::PathBuf;

impl Store {
    /// Backups that contain a user's data. Abandoned partial files are removed.
    pub(crate) async fn list_backup_references(
        &self,
        leaving: &users::Model,
    ) -> Result<Vec<BackupReference>> {
        let Some(folder) = self.backup_directory()? else { return Ok(Vec::new()) };
        let database = self.database_identity().await?;
        let mut found: Vec<BackupReference> = Vec::new();
        for part in folder.list_partial_files()? {
            if !part.being_written && part.remove() {
                continue;
            }
            let header = backup::read_header(&part.path).ok();
            found.extend(
                header.and_then(|header| find_reference(part.path, header, leaving, &database, true)),
            );
        }
        let kept = folder.list()?.into_iter();
        found.extend(
            kept.filter_map(|kept| find_reference(kept.path, kept.header.ok()?, leaving, &database, false)),
        );
        Ok(found)
    }
}

/// A backup that still contains a deleted user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BackupReference {
    pub path: PathBuf,
    /// Other users in it, who may need it.
    pub others: Vec<String>,
    /// Whether it is a backup of the same database. A backup of another database, from which this
    /// one was restored, may be somebody's only copy.
    pub of_this_database: bool,
    /// Whether it is a partial file that is being written or cannot be removed.
    pub unfinished: bool,
}

impl BackupReference {
    /// Whether only the deleted user could need it.
    #[must_use]
    pub fn has_no_other_users(&self) -> bool {
        self.of_this_database && self.others.is_empty() && !self.unfinished
    }
}

/// Identifies the user by id, name and creation time, which never change.
fn find_reference(
    path: PathBuf,
    header: Header,
    leaving: &users::Model,
    database: &str,
    unfinished: bool,
) -> Option<BackupReference> {
    let (theirs, others): (Vec<_>, Vec<_>) = header.people.into_iter().partition(|person| {
        person.id == leaving.id
            && person.name == leaving.name
            && person.since.is_none_or(|since| since == leaving.created_at)
    });
    let others = others.into_iter().map(|person| person.name).collect();
    let of_this_database = header.database.as_deref() == Some(database);
    (!theirs.is_empty()).then_some(BackupReference { path, others, of_this_database, unfinished })
}
