//! `cargo xtask schema`: writes `docs/schema`. The test that checks these files also writes them,
//! because xtask depends on no crate of ours.

use crate::workspace::cargo;
use anyhow::{Context, Result, bail};
use std::path::Path;

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
    println!("schema: docs/schema is up to date");
    Ok(())
}
