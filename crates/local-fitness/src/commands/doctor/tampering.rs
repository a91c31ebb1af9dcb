//! `fitness doctor --deep`: changes that were made to the database past local-fitness.

use super::DoctorReport;
use crate::audit_checkpoints;
use anyhow::Result;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_store::{Store, User};

const FIX: &str = "somebody wrote to the database past local-fitness; compare with a backup, or restore one";

pub(super) async fn check_schema(seen: &mut DoctorReport, store: &Store) -> Result<()> {
    let differences = store.schema_differences().await?;
    if differences.is_empty() {
        seen.add_ok("schema", "every table, index and trigger is as it was made");
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
    // A file that cannot be read is as good as none.
    let noted = checkpoints.as_ref().is_some_and(|file| file.has_any(&database, user.id).unwrap_or(false));
    if !noted {
        let file =
            checkpoints.as_ref().map_or_else(String::new, |file| format!(" in {}", file.path().display()));
        seen.add_missing(
            &name,
            format!("no checkpoint of the audit log{file}: whether its end was cut off cannot be told"),
            "`fitness serve` writes one every hour; run this as the same user as the server",
        );
    }
    let found = store.find_tampering(user.id, checkpoints.as_ref().filter(|_| noted)).await?;
    if found.is_empty() {
        seen.add_ok(&name, "plans, decisions and audit log agree");
    }
    for finding in found {
        seen.add_broken(&name, finding, FIX);
    }
    Ok(())
}
