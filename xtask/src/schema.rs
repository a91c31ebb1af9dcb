//! `docs/schema`, written anew. The test that keeps the files fresh writes them: it knows the types, and xtask knows no
//! crate of ours.

use crate::workspace::cargo;
use anyhow::{Context, Result, bail};
use std::path::Path;

/// Writes the schemas of what a model may say.
pub(crate) fn write(root: &Path) -> Result<()> {
    let test = "the_schemas_in_the_documentation_are_fresh";
    let status = cargo(root)
        .args(["test", "--quiet", "--package", "fitness-core", "--test", "it", test])
        .env("FITNESS_WRITE_SCHEMAS", "1")
        .status()
        .context("cargo test")?;
    if !status.success() {
        bail!("the schemas were not written");
    }
    println!("schema: docs/schema is fresh");
    Ok(())
}
