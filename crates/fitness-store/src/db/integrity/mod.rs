//! Looks for changes that were made to the database past local-fitness: its schema, its plans and its audit log.
//!
//! What it cannot find: an attacker who may write to the database and to the file of checkpoints can rewrite the whole
//! audit log with new hashes, or append well-formed lines to its end. It shows carelessness and simple forgery, and is
//! no protection from somebody who has your account.

mod checkpoints;
mod plans;
mod schema;

use crate::db::audit;
use crate::db::error::Result;
use crate::db::store::Store;
use fitness_core::domain::ids::UserId;

pub use checkpoints::AuditCheckpoints;

impl Store {
    /// What of the schema is missing, changed or unknown, one sentence each.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn schema_differences(&self) -> Result<Vec<String>> {
        schema::differences(self).await
    }

    /// What in a user's plans and audit log does not fit together, one sentence each.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_tampering(
        &self,
        user: UserId,
        checkpoints: Option<&AuditCheckpoints>,
    ) -> Result<Vec<String>> {
        let db = self.snapshot().await?;
        let log = audit::list_all(&db, user).await?;
        let mut found = Vec::new();
        if let Some(line) = audit::first_broken_in(&log) {
            found.push(format!("the audit log was altered at line {line}"));
        }
        found.extend(plans::compare_with_log(&db, user, &log).await?);
        if let Some(checkpoints) = checkpoints {
            found.extend(checkpoints.compare_with_log(&self.database_identity().await?, user, &log)?);
        }
        db.commit().await?;
        Ok(found)
    }
}
