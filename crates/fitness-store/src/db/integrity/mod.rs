//! Tamper detection: changes made to schema, plans or audit log without local-fitness.
//!
//! Limits: an attacker with write access to the database and the checkpoint file can rewrite the
//! whole audit log with new hashes, or append valid entries. This detects mistakes and simple
//! forgery; it does not protect against someone who has your account.

mod checkpoints;
mod plans;
mod schema;

use crate::db::audit;
use crate::db::error::Result;
use crate::db::store::Store;
use fitness_core::domain::ids::UserId;

pub use checkpoints::AuditCheckpoints;

impl Store {
    /// Missing, changed and unknown schema objects, one sentence each.
    pub async fn schema_differences(&self) -> Result<Vec<String>> {
        schema::differences(self).await
    }

    /// Inconsistencies in a user's plans and audit log, one sentence each.
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
