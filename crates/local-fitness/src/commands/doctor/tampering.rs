//! `fitness doctor --deep`: changes that were made to the database past local-fitness.

use super::Examination;
use crate::audit_checkpoints;
use anyhow::Result;
use fitness_core::domain::untrusted_text::visible;
use fitness_store::{Store, User};

const FIX: &str = "somebody wrote to the database past local-fitness; compare with a backup, or restore one";

pub(super) async fn schema(seen: &mut Examination, store: &Store) -> Result<()> {
    let differences = store.schema_differences().await?;
    if differences.is_empty() {
        seen.ok("schema", "every table, index and trigger is as it was made");
    }
    for difference in differences {
        seen.broken("schema", difference, FIX);
    }
    Ok(())
}

pub(super) async fn plans(seen: &mut Examination, store: &Store, user: &User) -> Result<()> {
    let name = visible(&user.name).to_string();
    let checkpoints = audit_checkpoints::file(store.location());
    let database = store.identity().await?;
    // A file that cannot be read is as good as none.
    let noted = checkpoints.as_ref().is_some_and(|file| file.has_any(&database, user.id).unwrap_or(false));
    if !noted {
        let file =
            checkpoints.as_ref().map_or_else(String::new, |file| format!(" in {}", file.path().display()));
        seen.missing(
            &name,
            format!("no checkpoint of the audit log{file}: whether its end was cut off cannot be told"),
            "`fitness serve` writes one every hour; run this as the same user as the server",
        );
    }
    let found = store.find_tampering(user.id, checkpoints.as_ref().filter(|_| noted)).await?;
    if found.is_empty() {
        seen.ok(&name, "plans, decisions and audit log agree");
    }
    for finding in found {
        seen.broken(&name, finding, FIX);
    }
    Ok(())
}
