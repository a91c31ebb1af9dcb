//! `fitness doctor --deep`: changes that were made to the database past local-fitness.

use super::Examination;
use crate::audit_checkpoints;
use anyhow::Result;
use fitness_core::text::visible;
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
    let found = store.find_tampering(user.id, checkpoints.as_ref()).await?;
    if found.is_empty() {
        seen.ok(&name, "plans, decisions and audit log agree");
    }
    for finding in found {
        seen.broken(&name, finding, FIX);
    }
    Ok(())
}
