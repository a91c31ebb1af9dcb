//! Checkpoints of audit logs in a file outside the database. They reveal a log that was truncated
//! or rewritten.

use crate::db::audit::{self, AuditHead};
use crate::db::entities::audit_log;
use crate::db::error::{Error, Result};
use crate::db::store::{Store, truncate_to_micros};
use fitness_core::domain::calendar::Instant;
use fitness_core::domain::ids::UserId;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

/// A file with one line of JSON per checkpoint; append-only.
#[derive(Debug, Clone)]
pub struct AuditCheckpoints {
    path: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
struct Checkpoint {
    at: Instant,
    database: String,
    user: UserId,
    seq: i64,
    hash: String,
}

impl AuditCheckpoints {
    /// The file need not exist yet.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a checkpoint for every user whose log has grown. Returns how many.
    pub async fn append(&self, store: &Store, now: Instant) -> Result<usize> {
        let (database, known) = (store.database_identity().await?, self.read()?);
        let mut lines = String::new();
        let mut count = 0;
        for user in store.list_users().await? {
            let AuditHead { seq, hash } = store.audit_head(user.id).await?;
            let last = known.iter().rfind(|one| one.database == database && one.user == user.id);
            if seq == 0 || last.is_some_and(|last| last.seq >= seq) {
                continue;
            }
            let checkpoint = Checkpoint {
                at: truncate_to_micros(now),
                database: database.clone(),
                user: user.id,
                seq,
                hash,
            };
            lines += &serde_json::to_string(&checkpoint).expect("a checkpoint is plain data");
            lines.push('\n');
            count += 1;
        }
        if count > 0 {
            let path = self.path.clone();
            tokio::task::spawn_blocking(move || append(&path, &lines))
                .await
                .expect("appending does not panic")
                .map_err(|why| Error::from_file(&self.path, &why))?;
        }
        Ok(count)
    }

    /// Whether there is a checkpoint for a user of a database.
    pub fn has_any(&self, database: &str, user: UserId) -> Result<bool> {
        Ok(self.read()?.iter().any(|one| one.database == database && one.user == user))
    }

    fn read(&self) -> Result<Vec<Checkpoint>> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(why) => return Err(Error::from_file(&self.path, &why)),
        };
        let lines = BufReader::new(file).lines().map_while(std::result::Result::ok);
        // Skip a line that was cut off by a crash.
        Ok(lines.filter_map(|line| serde_json::from_str(&line).ok()).collect())
    }

    /// Differences between a user's log and the checkpoints.
    pub(super) fn compare_with_log(
        &self,
        database: &str,
        user: UserId,
        log: &[audit_log::Model],
    ) -> Result<Vec<String>> {
        let checkpoints = self.read()?.into_iter().filter(|one| one.database == database && one.user == user);
        let first = checkpoints.into_iter().find_map(|one| {
            let at = one.at.format("%Y-%m-%d %H:%M UTC");
            match log.iter().find(|line| line.seq == one.seq) {
                None => Some(format!(
                    "the audit log has {} lines; on {at} it had {}: it was truncated",
                    log.len(),
                    one.seq
                )),
                Some(line) if line.hash != one.hash || audit::is_altered(line) => {
                    Some(format!("line {} of the audit log has changed since {at}", one.seq))
                }
                Some(_) => None,
            }
        });
        Ok(first.into_iter().collect())
    }
}

/// Appends to a file that only its owner can read; creates the directory if needed.
fn append(path: &Path, lines: &str) -> std::io::Result<()> {
    if let Some(directory) = path.parent() {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(directory)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(lines.as_bytes())?;
    file.sync_data()
}
