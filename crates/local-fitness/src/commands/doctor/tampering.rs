//! `fitness doctor --deep`: changes made to the database outside local-fitness.

use super::DoctorReport;
use crate::audit_checkpoints;
use anyhow::Result;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{Store, User};

const FIX: &str = "another program changed the database; compare it with a backup, or restore one";

pub(super) async fn check_schema(seen: &mut DoctorReport, store: &Store) -> Result<()> {
    let differences = store.schema_differences().await?;
    if differences.is_empty() {
        seen.add_ok("schema", "all tables, indexes and triggers are unchanged");
    }
    for difference in differences {
        seen.add_broken("schema", difference, FIX);
    }
    Ok(())
}

pub(super) async fn check_plans(seen: &mut DoctorReport, store: &Store, user: &User) -> Result<()> {
    let name = escape_invisible(&user.name).to_string();
    let checkpoints = audit_checkpoints::checkpoint_file(store.location());
    let database = store.database_identity().await?;
    // An unreadable file counts as missing.
    let noted = checkpoints.as_ref().is_some_and(|file| file.has_any(&database, user.id).unwrap_or(false));
    if !noted {
        let file =
            checkpoints.as_ref().map_or_else(String::new, |file| format!(" in {}", file.path().display()));
        seen.add_missing(
            &name,
            format!("no audit log checkpoint{file}: cannot detect a truncated log"),
            "`fitness serve` writes one every hour; run this as the same user as the server",
        );
    }
    let found = store.find_tampering(user.id, checkpoints.as_ref().filter(|_| noted)).await?;
    if found.is_empty() {
        seen.add_ok(&name, "plans, decisions and audit log are consistent");
    }
    for finding in found {
        seen.add_broken(&name, finding, FIX);
    }
    Ok(())
}
